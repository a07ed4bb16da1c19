"""The documentation's site: `make docs` builds it, with warnings as errors.

The option `-t plain` of Sphinx leaves out the pictures of algorithms, whose traces take minutes.
"""

from __future__ import annotations

import inspect
import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable

DOCS = Path(__file__).resolve().parent
# tests and tools: the emulator of GPUs and the list of its kernels.
sys.path[:0] = [str(DOCS), *(str(DOCS.parent / folder) for folder in ("tests", "tools"))]

from gallery import with_pictures  # noqa: E402 - found by the line above
from sphinx.domains.python import PyObject  # noqa: E402

import warpath  # noqa: E402

project = "warpath"
author = "The warpath authors"
project_copyright = "The warpath authors"
version = release = warpath.__version__

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.napoleon",
    "sphinx_copybutton",
    "sphinx_design",
]
exclude_patterns = ["_build", "_pictures", "gpu-runs"]
myst_enable_extensions = ["colon_fence", "deflist"]
myst_heading_anchors = 3
suppress_warnings: list[str] = []

html_theme = "furo"
html_title = f"warpath {version}"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_show_sphinx = False
html_copy_source = False
html_theme_options = {
    "light_css_variables": {
        "color-brand-primary": "#0B5C8E",
        "color-brand-content": "#0B5C8E",
    },
    "dark_css_variables": {
        "color-brand-primary": "#6CB8EA",
        "color-brand-content": "#6CB8EA",
    },
}
pygments_style = "friendly"
pygments_dark_style = "monokai"

# What is copied is what is typed: no prompts, no output.
copybutton_prompt_text = r">>> |\.\.\. |\$ "
copybutton_prompt_is_regexp = True

autodoc_member_order = "bysource"
autodoc_typehints = "none"  # the docstrings say shapes and units, which types do not
default_role = "py:obj"  # `sssp` in a docstring is a link where it can be one
autosummary_generate = False
napoleon_google_docstring = False
napoleon_use_rtype = False
napoleon_use_ivar = True  # an attribute may be a property with a text of its own
napoleon_preprocess_types = False

_ENTRY = re.compile(r"(\**\w[\w.]*(?:, \**\w[\w.]*)*) : (.*)")
_TYPE = re.compile(r"[\w.]+( or [\w.]+)*")
_TITLES = {"Parameters", "Attributes", "Other Parameters"}


def _prose_entries(
    _app: Any, _what: str, _name: str, _of: Any, _options: Any, lines: list[str]
) -> None:
    """Put what follows `name :` below it: here it is a sentence, where numpydoc has a type."""
    section, out = "", []
    for at, line in enumerate(lines):
        if at + 1 < len(lines) and re.fullmatch(r"-{3,}", lines[at + 1].strip()):
            section = line.strip()
        found = _ENTRY.fullmatch(line)
        if section in _TITLES and found:
            names, text = found[1].split(", "), [found[2]]
            for more in lines[at + 1 :]:
                if not more.startswith("    "):
                    break
                text.append(more.strip())
            if _TYPE.fullmatch(text[0]) and len(text) > 1 and text[1][:1].isupper():
                text[0] += ":"  # a type after all, and its sentence on the lines below
            for name in names:
                out += [name, *(f"    {one}" for one in text)]
        elif section in _TITLES and line.startswith("    "):
            continue  # came with its names
        elif section == "Raises" and re.fullmatch(r"\w+(, \w+)+", line.strip()):
            out += line.strip().split(", ")
        else:
            out.append(line)
    lines[:] = out


def _plain_properties(
    _app: Any, what: str, _name: str, of: Any, _options: Any, lines: list[str]
) -> None:
    """Give a property its text back: napoleon takes what stands before a colon for its type."""
    if what == "property":
        lines[:] = [*(inspect.getdoc(of) or "").splitlines(), ""]


def _own_marks(app: Any, name: str, source: list[str]) -> None:
    """Put what is made at build time where the Markdown has comments for it."""
    text = source[0]
    for file in re.findall(r"<!-- the text of (\S+) -->", text):
        app.env.note_dependency(str(DOCS.parent / file))
        text = (DOCS.parent / file).read_text(encoding="utf-8").replace("](docs/", "](")
    up = "../" * name.count("/")
    for file, page in _ROOT_PAGES.items():
        text = re.sub(rf"\]\((?:\.\./)*{file}\)", f"]({up}{page})", text)
    text = re.sub(
        r"<!-- pages\n(.*?)-->", r"```{toctree}\n:hidden:\n\n\1```", text, flags=re.DOTALL
    )
    text = re.sub(r"<!-- names: (\w+) -->", lambda found: _reference(found[1]), text)
    if "<!-- commands -->" in text:
        text = text.replace("<!-- commands -->", _commands())
    pictures = name.startswith("algorithms/") and not app.tags.has("plain")
    source[0] = with_pictures(text) if pictures else text


_ROOT_PAGES = {
    "ARCHITECTURE.md": "architecture.md",
    "CONTRIBUTING.md": "contributing.md",
    "CHANGELOG.md": "changelog.md",
    "README.md": "index.md",
}

#: What comes first on the page of functions; a new name of `warpath.__all__` comes after them.
_FIRST = [
    "sssp",
    "path",
    "distances",
    "apsp",
    "prepare",
    "load",
    "pairs",
    "nearest",
    "plan",
    "verify",
    "algorithms",
]


def _reference(kind: str) -> str:
    """Return the directives for the public functions, classes or errors."""
    found = {name: getattr(warpath, name) for name in warpath.__all__}
    errors = {
        name: one
        for name, one in found.items()
        if inspect.isclass(one) and issubclass(one, Exception)
    }
    if kind == "errors":
        return _directives(errors, "autoexception", ":members:", ":show-inheritance:")
    if kind == "classes":
        classes = {
            name: one for name, one in found.items() if inspect.isclass(one) and name not in errors
        }
        return _directives(classes, "autoclass", ":members:")
    functions = {name: one for name, one in found.items() if inspect.isfunction(one)}
    ordered = sorted(functions, key=lambda name: (name not in _FIRST, (*_FIRST, name).index(name)))
    return _directives(ordered, "autofunction")


def _directives(names: Iterable[str], directive: str, *options: str) -> str:
    rows = [
        f"## {name}\n\n```{{eval-rst}}\n.. {directive}:: warpath.{name}\n"
        + "".join(f"   {option}\n" for option in options)
        + "```"
        for name in names
    ]
    return "\n\n".join(rows)


def _commands() -> str:
    """Return the commands with what each does, as the command itself says it."""
    import typer

    from warpath.cli.app import app

    group: Any = typer.main.get_command(app)
    rows = ["| command | does |", "|---|---|"]
    for name, command in sorted(group.commands.items()):
        rows.append(f"| `warpath {name}` | {_first(command)} |")
        for part, inner in sorted(getattr(command, "commands", {}).items()):
            rows.append(f"| `warpath {name} {part}` | {_first(inner)} |")
    return "\n".join(rows)


def _first(command: Any) -> str:
    """Return the first paragraph of a command's help in one line."""
    text = re.sub(r"\[/?[a-z]*\]", "`", str(command.help or "").split("\n\n")[0])
    return " ".join(text.split())


def setup(app: Any) -> None:
    """Connect the hooks."""
    for one in PyObject.doc_field_types:
        if one.name == "variable":
            one.label = "Attributes"
    app.connect("autodoc-process-docstring", _prose_entries, priority=100)
    app.connect("autodoc-process-docstring", _plain_properties, priority=900)
    app.connect("source-read", _own_marks)
