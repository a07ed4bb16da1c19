"""Write what comes from the catalogue, from the records of hunts and from the code.

That is CITATION.cff, docs/algorithms.md and its pages, the tables of
the table of docs/guarantees.md, that of docs/papers.md, which
counts the verdicts of the findings, and
the tags that count in docs/reference/openstreetmap.md.

``python docs/generate.py`` writes them; ``--check`` fails if one is out of date.
"""

from __future__ import annotations

import json
import sys
import tomllib
from collections import Counter
from fnmatch import fnmatchcase
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING

import warpath as wp
from warpath.io import columns, directions
from warpath.io.osm_access import LEVELS, OPEN_IF_OFFICIAL, Access
from warpath.io.osm_profiles import CLASS_KEYS, EASY_HIKING, PROFILES, Profile
from warpath.io.osm_tags import ADVISED_SPEEDS, KINDS_OF_LIMIT, ROUNDABOUTS
from warpath.recipes import Catalogue, Recipe, Task
from warpath.recipes.axes import AXES
from warpath.recipes.matrix import MATRIX_AXES

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

DOCS = Path(__file__).resolve().parent
PAGE = DOCS / "algorithms.md"
PAGES = DOCS / "algorithms"
IDEAS: dict[str, str] = tomllib.loads((DOCS / "ideas.toml").read_text(encoding="utf-8"))
STREETS = DOCS / "reference" / "openstreetmap.md"
FORMATS = DOCS / "reference" / "formats.md"
GUARANTEES = DOCS / "guarantees.md"
HUNTS = DOCS / "hunts.jsonl"
PAPERS = DOCS / "papers.md"
CITATION = DOCS.parent / "CITATION.cff"
FINDINGS = DOCS / "benchmarks" / "papers"
EXPERIMENTS = DOCS.parent / "bench" / "warpath_bench" / "papers"

#: The papers that are measured again, and the findings' verdicts.
_PAPERS = ("martin2009", "davidson2014", "bodra2025", "johnson_gpu")
_VERDICTS = (
    "holds",
    "holds in part",
    "does not hold",
    "not decidable",
    "not measured",
)

#: What drives the rounds of a recipe whose page names no driver.
_USUAL_DRIVER = "one kernel on the GPU"

NO_BREAK = "\u00a0"  # in a narrow window a table is scrolled rather than wrapped

_HEAD = """\
# Algorithms

<!-- Written by docs/generate.py. -->

Every algorithm runs under its own name. `algorithm="auto"` chooses the one with the smallest
predicted time among those marked *auto* on the pages below; a name in its place runs that one, or
raises an error that says why it cannot do the task. `wp.plan(...)` prints the choice and the
runners-up. `wp.algorithms()` and `warpath algorithms` list all names.

*Other sums* marks the algorithms that add floats in another order than from the source on: their
float distances agree with the others' within n * eps. *May be wrong* marks those that exist only to
be measured. All others return the same bits.

Each paper has a page with its variants, the idea of each and what differs here, in the
[documentation's site](contributing.md) also with pictures. Where a page does not say what drives
the rounds of a variant, one kernel on the GPU makes them all, where most papers launch kernels.
"""

_AXES = """\
## Axes

The published variants that work in rounds, or step over a matrix, differ in a few choices, which
each recipe names. [Brackets] hold the papers' words. `relax` and `memory` are also those of
Floyd-Warshall on a GPU, the others are about rounds.

| axis | value | means |
|---|---|---|"""

_AS_PUBLISHED = """
## As published

Each recipe does what its paper says, step by step: *Where* names the section, and the note says
what differs here. Recipes that are *not in the paper*, and those of
[warpath](algorithms/warpath.md), are our own. Two readers, independently, compared the recipes of
Martín et al., Davidson et al., Bodra and Khairnar, and JohnsonAlgoCUDA with the texts, which lack
most figures and, in the last case, the algorithms; one of them also read JohnsonAlgoCUDA's program.
One reader compared the other publications, without their texts at hand.

warpath does not have: of Martín et al., Dijkstra with arrays (figure 1), and the counterexample of
figure 5 undirected or with blocks of 32 threads; of Davidson et al., a start by PHAST (section VII)
and the curves of labeled and final vertices in figure 4; of Bodra and Khairnar, several GPUs,
graphs that change, staged loading and hybrids (Future Work); of JohnsonAlgoCUDA, algorithm 1, for
which `classic.bellman_ford` stands.
"""

_WRITTEN = "<!-- Written by docs/generate.py. -->"
_FROM_PROFILES = "<!-- Written by `make docs` from src/warpath/io/osm_profiles.py. -->"
_FROM_HUNTS = "<!-- Written by `make docs` from docs/hunts.jsonl. -->"
_FROM_FINDINGS = "<!-- Written by `make docs` from the catalogue and the findings. -->"
_FROM_COLUMNS = "<!-- Written by `make docs` from src/warpath/io/columns.py and directions.py. -->"
_END = "<!-- Here ends what `make docs` writes. -->"


def overview() -> str:
    """Return the text of docs/algorithms.md."""
    papers = wp.algorithms().papers()
    lines = [_HEAD, "| | names | on |", "|---|---|---|"]
    for paper, title, recipes in papers:
        devices = ", ".join(sorted({device for recipe in recipes for device in recipe.devices}))
        link = f"[{paper}](algorithms/{paper}.md)"
        lines.append(f"| {link}: {_short(title, recipes)} | {len(recipes)} | {devices} |")
    lines += ["", _AXES]
    for axis in (*AXES, *MATRIX_AXES):
        lines += [f"| {axis.__name__.lower()} | {one.value} | {one.meaning} |" for one in axis]
    titles = "\n".join(f"algorithms/{paper}" for paper, _, _ in papers)
    return "\n".join([*lines, _AS_PUBLISHED]) + f"\n<!-- pages\n{titles}\n-->\n"


def page(paper: str, title: str, recipes: Catalogue) -> str:
    """Return the text of a paper's page.

    An idea and a parameter are described at the first recipe that has them, to which the others
    refer; sentences of several notes become footnotes.
    """
    lines = [f"# {paper}", "", _WRITTEN, "", _sentence(title), "", *_table(recipes)]
    alone = _from_one_publication(recipes)
    notes, footnotes = _notes(recipes)
    described: dict[str | tuple[str, str], Recipe] = {}
    for recipe in recipes:
        thought = idea(recipe.name)
        first = described.setdefault(thought, recipe)
        params = list(_params(recipe, described))
        if first is not recipe:
            same = params == [_params_of(first, [one.name for one in recipe.params])]
            thought = f"Idea{' and parameters' * same}: {_link(first)}."
            params = [] if same else params
        lines += ["", f"## {recipe.name}", "", f"{recipe.summary} {thought}", ""]
        lines += [_place(recipe, alone=alone), *_details(recipe), *params]

        lines += [f"- Note: {notes[recipe.name]}"] if recipe.note else []
    lines += [""] if footnotes else []
    return "\n".join([*lines, *footnotes]) + "\n"


def _notes(recipes: Catalogue) -> tuple[dict[str, str], list[str]]:
    """Return each recipe's note, in which footnotes replace what several notes say, and these."""
    sentences = {
        recipe.name: recipe.note.removesuffix(".").split(". ") for recipe in recipes if recipe.note
    }
    owners = {
        sentence: [name for name, note in sentences.items() if sentence in note]
        for note in sentences.values()
        for sentence in note
    }
    texts: dict[str, str] = {}
    footnotes: dict[str, str] = {}
    for name, note in sentences.items():
        parts = []
        for shared, group in groupby(note, lambda sentence: owners[sentence]):
            text = ". ".join(group) + "."
            if len(shared) > 1:
                text = footnotes.setdefault(text, f"[^{len(footnotes) + 1}]")
            parts.append(text)
        texts[name] = " ".join(parts)
    return texts, [f"{mark}: {text}" for text, mark in footnotes.items()]


def _params(recipe: Recipe, described: dict[str | tuple[str, str], Recipe]) -> Iterator[str]:
    """Yield the parameters of a recipe, or a reference to the recipe that describes them."""
    firsts = {
        one.name: described.setdefault((one.name, one.meaning), recipe) for one in recipe.params
    }
    for param in recipe.params:
        if firsts[param.name] is recipe:
            yield f"- Parameter `{param.name}`: {param.meaning}."
    for first, names in groupby(firsts, firsts.get):
        if first is not None and first is not recipe:
            yield _params_of(first, names)


def _params_of(first: Recipe, names: Iterable[str]) -> str:
    return f"- Parameters: {_codes(names)}, as for {_link(first)}."


def _link(recipe: Recipe) -> str:
    return f"[`{recipe.name}`](#{_anchor(recipe)})"


def idea(name: str) -> str:
    """Return what follows the summary of a recipe: of the first pattern that fits its name."""
    for pattern, sentence in IDEAS.items():
        if fnmatchcase(name, pattern):
            return sentence
    msg = f"docs/ideas.toml has no sentence for {name}: add one under its name or a pattern."
    raise KeyError(msg)


def _table(recipes: Catalogue) -> list[str]:
    """Return the table of a paper's recipes, after the tasks, devices and needs of all of them.

    There is no table where all recipes agree in these.
    """
    rows = [_features(recipe) for recipe in recipes]
    needs = [one for one in rows[0]["needs"] if all(one in row["needs"] for row in rows)]
    for row in rows:
        row["needs"] = [one for one in row["needs"] if one not in needs]
    lead = []
    for head, word in (("does", "for"), ("on", "on")):
        if all(row[head] == rows[0][head] for row in rows):
            lead.append(f"{word} {', '.join(rows[0][head])}")
            for row in rows:
                row[head] = []
    said = "; ".join(filter(None, [", ".join(lead), needs and f"needs {', '.join(needs)}"]))
    heads = [head for head in rows[0] if any(row[head] for row in rows)]
    marks = rows[0][""] if len(rows) == 1 else []
    if marks or not heads:
        return ["; ".join([f"{said[0].upper()}{said[1:]}", *marks]) + "."]
    lines = [f"{said[0].upper()}{said[1:]}:", ""] if said else []
    lines += [_cells(["name", *heads]), "|---" * (len(heads) + 1) + "|"]
    for recipe, row in zip(recipes, rows, strict=True):
        lines.append(_cells([_link(recipe), *(", ".join(row[head]) for head in heads)]))
    return lines


def _features(recipe: Recipe) -> dict[str, list[str]]:
    """Return the entries of a recipe's row by the heads of their columns."""
    marks = ["auto"] if recipe.planned else []
    marks += ["other sums"] if recipe.reassociates else []
    marks += [] if recipe.exact else ["may be wrong"]
    needs = [need.replace(" ", NO_BREAK) for need in recipe.needs()]
    return {"does": [_tasks(recipe)], "on": [*recipe.devices], "needs": needs, "": marks}


def _cells(texts: list[str]) -> str:
    return f"| {' | '.join(texts)} |"


def _anchor(recipe: Recipe) -> str:
    return recipe.name.replace(".", "")


def _place(recipe: Recipe, *, alone: bool) -> str:
    """Return where the algorithm was published, with its paper if the page has several."""
    return f"- Where: {recipe.where}." if alone else f"- {recipe.source} ({recipe.where})."


def _details(recipe: Recipe) -> list[str]:
    lines = []
    if recipe.axes is not None:
        driver = recipe.axes.driver.split(",")[0]
        said = "" if driver == _USUAL_DRIVER else f"; driven by {driver}"
        lines.append(f"- Rounds: {recipe.axes.words()}{said}.")
    if recipe.steps is not None:
        lines.append(f"- Steps: {recipe.steps.words()}.")
    if recipe.parts:
        first, then = map(_link, recipe.parts)
        lines.append(f"- Runs: {first} for the potentials, then {then} from each source.")
    return lines + (["- Keeps predecessors itself."] if recipe.predecessors else [])


def _tasks(recipe: Recipe) -> str:
    return ", ".join(f"`{task.value}`" for task in Task if task in recipe.solves)


def _from_one_publication(recipes: Catalogue) -> bool:
    return len({one.source for one in recipes}) == 1


def _short(title: str, recipes: Catalogue) -> str:
    """Return a paper's title without authors and venue, which the paper's page has."""
    return next(iter(recipes)).source.title if _from_one_publication(recipes) else title


def _sentence(title: str) -> str:
    return f"{title[:1].upper()}{title[1:]}."


def streets() -> str:
    """Return the page of OpenStreetMap with its tables of classes and tags written anew."""
    classes = list(dict.fromkeys(name for each in PROFILES.values() for name in each.speeds))
    lines = [f"| class | {' | '.join(PROFILES)} |", "|---|" + "---|" * len(PROFILES)]
    for name in classes:
        cells = " | ".join(_speed_of(name, profile) for profile in PROFILES.values())
        lines.append(f"| `{name}` | {cells} |")
    lines += ["", "| tags | for | effect |", "|---|---|---|"]
    lines += [f"| {_codes(tags)} | {users} | {effect} |" for tags, users, effect in _tags()]
    return _with_lines(STREETS, _FROM_PROFILES, lines)


def _speed_of(name: str, profile: Profile) -> str:
    """Return the speed of a class, in parentheses if the class needs a permission."""
    if name not in profile.speeds:
        return ""
    speed = f"{profile.speeds[name]:g}"
    return f"({speed})" if name in profile.on_permission else speed


def _codes(names: Iterable[str]) -> str:
    return ", ".join(f"`{name}`" for name in names)


def _tags() -> Iterator[tuple[Iterable[str], str, str]]:
    """Yield tags that count, the kinds of traffic that they count for, and their effect."""
    classes = [f"{key}={value}" for key, value in CLASS_KEYS.items()]
    yield ["highway", *classes], "all", "the class of a way"
    for profile in PROFILES.values():
        yield profile.access, profile.users, "access; the first that a way has decides"
    sides = ("...:forward", "...:backward", "...:both_ways")
    yield sides, "all", "access, direction or limit in one direction, before the key without it"
    effects = {
        Access.OPEN: "open",
        Access.ENDS: "open to some only, [as `restricted` says](#access)",
        Access.CLOSED: "closed",
    }
    for access, effect in effects.items():
        values = (value for value in LEVELS[access] if value != "official")
        yield (f"...={value}" for value in values), "all", effect
    open_keys = _codes(sorted(OPEN_IF_OFFICIAL))
    yield ["...=official"], "all", f"open as a value of {open_keys}, closed as one of other keys"
    for profile in PROFILES.values():
        yield profile.oneway, profile.users, "direction; the first that a way has decides"
    yield [f"junction={value}" for value in sorted(ROUNDABOUTS)], "cars, bicycles", "one-way"
    yield ["cycleway=opposite...", "cycleway:left:oneway=no"], "bicycles", "both directions"
    for effect, name in (("replace", "the speed"), ("cap", "an upper bound of the speed")):
        for profile in PROFILES.values():
            if profile.limits == effect:
                keys = [*(f"maxspeed:{key}" for key in profile.access[:-1]), "maxspeed"]
                yield keys, profile.users, f"{name}, unless unreadable or above 160 km/h"
    kinds = ("maxspeed:lanes", *KINDS_OF_LIMIT)
    yield kinds, "cars, bicycles", "the limit, where no key above is readable"
    yield ADVISED_SPEEDS, "cars, bicycles", "an upper bound of the speed"
    yield ["duration"], "all", "the time for a ferry"
    outlines = (
        "left out, but pedestrians walk along outlines of squares, piers, platforms and elevators"
    )
    yield ["area=yes"], "all", outlines
    needs = "closed without a tag for bicycles"
    yield ["motorroad=yes"], "bicycles, pedestrians", "closed without a tag for them"
    yield ["smoothness=impassable", "impassable=yes"], "cars, bicycles", "the same"
    yield ["service=emergency_access"], "cars", "closed without a tag for cars"
    yield [f"sac_scale above {EASY_HIKING[-1]}"], "bicycles", needs
    yield ["ramp:bicycle"], "bicycles", "opens steps, unless `no`"
    yield ["barrier", "locked=yes", "bollard=rising"], "all", "[closes a point](#barriers)"
    for profile in PROFILES.values():
        yield profile.restriction, profile.users, "[forbid turns](#turns); the first decides"


def formats() -> str:
    """Return docs/reference/formats.md with its tables of the names of columns written anew."""
    return _with_lines(FORMATS, _FROM_COLUMNS, _names_of_columns())


def _names_of_columns() -> list[str]:
    """Return the words for ends, weights and directions, as the readers of tables know them."""

    def words(names: Iterable[str]) -> str:
        return ", ".join(f"`{name}`" for name in names)

    rows = {
        "ends": words(f"{u}, {v}" for u, v in (*columns.ENDS, *columns.FURTHER_ENDS)),
        "words after both names of a pair": words(columns.AFTER),
        "words before both": words(columns.BEFORE),
        "words before 1 and 2": words(columns.NUMBERED),
        "weight": words(columns.WEIGHTS),
        "weight by its unit": words(columns.UNITS),
        "directions": words(columns.DIRECTIONS),
        "directions, true for both ways": words(columns.TWO_WAY),
        "weights against the row": words(columns.REVERSE),
    }
    lines = ["| what | known names |", "|---|---|"]
    lines += [f"| {what} | {names} |" for what, names in rows.items()]
    lines += ["", "| direction | values |", "|---|---|"]
    values = {"along the row": directions.ALONG, "against it": directions.AGAINST}
    values["both ways"] = directions.BOTH
    return lines + [f"| {what} | {words(texts)} |" for what, texts in values.items()]


def guarantees() -> str:
    """Return the page of guarantees with its table of hunts written anew."""
    return _with_lines(GUARANTEES, _FROM_HUNTS, _hunts())


def _with_lines(path: Path, mark: str, lines: list[str]) -> str:
    """Return a file's text with other lines between the mark and the end of what is written."""
    before, rest = path.read_text(encoding="utf-8").split(mark)
    after = rest.split(_END)[1]
    return before + "\n".join([mark, "", *lines, "", _END]) + after


def _hunts() -> list[str]:
    """Return a table of what the recorded hunts did: counts added up over all runs."""
    runs = [json.loads(line) for line in HUNTS.read_text(encoding="utf-8").splitlines()]
    lines = ["| program | a trial | minutes | trials | found | last |", "|---|---|---|---|---|---|"]
    for name in sorted({run["program"] for run in runs}):
        ours = [run for run in runs if run["program"] == name]
        trials = sum(run["counts"]["trials"] for run in ours)
        minutes = sum(run["minutes"] for run in ours)
        found = sum(run["found"] for run in ours)
        last = f"{ours[-1]['found']}, {ours[-1]['date']}"
        lines.append(
            f"| `{name}` | {ours[-1]['does']} | {minutes:.0f} | {trials:,} | {found} | {last} |"
        )
    return lines


def papers() -> str:
    """Return the text of docs/papers.md, with a row for each paper."""
    head = ("paper", "variants", "figures and tables", "statements", *_VERDICTS)
    rows = ["| " + " | ".join(head) + " |", "|---" * len(head) + "|"]
    rows += [_row_of_paper(name) for name in _PAPERS]
    return _with_lines(PAPERS, _FROM_FINDINGS, rows)


def citation() -> str:
    """Return CITATION.cff: warpath, and the publications of the catalogue as its references."""
    sources = dict.fromkeys(recipe.source for recipe in wp.algorithms() if recipe.source.year)
    lines = [
        "# Written by `make docs` from src/warpath/recipes: edit there.",
        "cff-version: 1.2.0",
        "message: If you use warpath, please cite it and the papers of the algorithms you ran.",
        "type: software",
        "title: warpath",
        "authors:",
        "  - name: The warpath authors",
        f"version: {wp.__version__}",
        "license: Apache-2.0",
        "references:",
    ]
    for source in sources:
        kind = "article" if source.bibtex.startswith("@article") else "conference-paper"
        lines += [
            f"  - type: {kind}",
            f"    title: {json.dumps(source.title, ensure_ascii=False)}",
            "    authors:",
            *(
                f"      - name: {json.dumps(one, ensure_ascii=False)}"
                for one in source.authors.split(", ")
            ),
            f"    year: {source.year}",
            f"    notes: {json.dumps(source.venue, ensure_ascii=False)}",
        ]
    return "\n".join([*lines, ""])


def _row_of_paper(name: str) -> str:
    """Return what the catalogue has of a paper, and how many of its statements hold."""
    recipes = {paper: recipes for paper, _, recipes in wp.algorithms().papers()}[name]
    experiments = tomllib.loads((EXPERIMENTS / f"{name}.toml").read_text(encoding="utf-8"))
    figures = ", ".join(figure["name"] for figure in experiments["figure"])
    page = (FINDINGS / f"{name}.md").read_text(encoding="utf-8")
    cells = [line.split(" | ") for line in page.splitlines()]
    found = Counter(row[1] for row in cells if len(row) == 3 and row[1] in _VERDICTS)
    counts = [sum(found.values()), *(found[verdict] for verdict in _VERDICTS)]
    title = next(iter(recipes)).source.title
    shown = [f"[{name}](benchmarks/papers/{name}.md): {title}", len(recipes), figures, *counts]
    return "| " + " | ".join(map(str, shown)) + " |"


def main(arguments: list[str]) -> int:
    """Write the files, or compare them."""
    stale = 0
    texts = {PAGE: overview(), GUARANTEES: guarantees(), PAPERS: papers()}
    texts |= {STREETS: streets(), FORMATS: formats(), CITATION: citation()}
    texts |= {PAGES / f"{one[0]}.md": page(*one) for one in wp.algorithms().papers()}
    for file, text in texts.items():
        if file.is_file() and file.read_text(encoding="utf-8") == text:
            continue  # others may be reading it
        if "--check" in arguments:
            print(f"{file.name} is out of date: run `.venv/bin/python docs/generate.py`.")
            stale = 1
        else:
            file.parent.mkdir(exist_ok=True)
            file.write_text(text, encoding="utf-8")
    return stale


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
