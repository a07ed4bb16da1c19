"""Contraction and labels with one fault each: distances, or the number of arcs, must show it.

A mutant that survives means that the checks do not look where the fault is.
"""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path
from typing import NamedTuple

import pytest

from support.tiers import ROOT
from warpath.engines.emulator.build import loaded_sanitizer

HEADERS = ROOT / "cpp" / "include"
CONTRACTION, WITNESS = "contraction.hpp", "witness_search.hpp"
LONGER, GRAPH = "longer_arcs.hpp", "core_graph.hpp"
LABELS = "tree_labels.hpp"


class Mutant(NamedTuple):
    """A fault: which text of which file of warpath/hierarchy becomes what."""

    breaks: str
    file: str
    original: str
    mutated: str


MUTANTS = (
    Mutant(
        "two vertices of a round are each other's witnesses",
        WITNESS,
        "if (avoid_gone && core_.gone(arc.head)) continue;",
        "",
    ),
    Mutant(
        "a witness is longer than the way that it replaces",
        WITNESS,
        "dist <= at.need)",
        "dist <= at.need + 1)",
    ),
    Mutant(
        "a witness passes through the vertex that is contracted",
        WITNESS,
        "for (const std::int32_t x : {u, v}) mark(x)",
        "for (const std::int32_t x : {u}) mark(x)",
    ),
    Mutant(
        "the mark of an earlier search counts as a path",
        WITNESS,
        "bool is_missing(std::int32_t w) { return mark(w).wanted == search_; }",
        "bool is_missing(std::int32_t w) { return mark(w).wanted == search_ - 2; }",
    ),
    Mutant(
        "a stale label hides a witness",
        WITNESS,
        "if (at.reached == search_ && at.dist <= dist) continue;",
        "if (at.dist <= dist && at.reached > 0) continue;",
    ),
    Mutant(
        "a shortcut is dropped where its ends have an arc",
        GRAPH,
        "} else if (!before(arc, list[at])) {",
        "} else {",
    ),
    Mutant(
        "the heavier of parallel edges is kept",
        GRAPH,
        "return a.head != b.head ? a.head < b.head : before(a, b);",
        "return a.head != b.head ? a.head < b.head : before(b, a);",
    ),
    Mutant(
        "the list of a hub is left out of order",
        CONTRACTION,
        "for (List* const list : wide) CoreGraph<W>::keep_lightest(*list);",
        "",
    ),
    Mutant(
        "the importance of a neighbour is not computed anew",
        CONTRACTION,
        "++changes_[q];",
        "",
    ),
    Mutant(
        "a graph is refused although its arcs go with its vertices",
        CONTRACTION,
        "40 * arcs >= 39 * seen_arcs_ && ",
        "",
    ),
    Mutant(
        "a graph is refused although few of its arcs are left",
        CONTRACTION,
        " && 2 * arcs >= first_arcs_;",
        ";",
    ),
    Mutant(
        "no vertex counts as adding arcs",
        CONTRACTION,
        "grows_[i] = arcs > 0 && added.arcs >= 2 * arcs;",
        "",
    ),
    Mutant(
        "every vertex counts as adding arcs",
        CONTRACTION,
        "added.arcs >= 2 * arcs;",
        "added.arcs >= 0;",
    ),
    Mutant(
        "a vertex is evaluated again only when all of its neighbours have changed",
        CONTRACTION,
        "limits_.changed_share * changes_[i] < changeable",
        "changes_[i] < changeable",
    ),
    Mutant(
        "an arc is removed that is as long as the path",
        WITNESS,
        "return static_cast<W>(length - 1);",
        "return length;",
    ),
    Mutant(
        "arcs that are too long are not removed",
        CONTRACTION,
        "if (too_dense_) remove_longer_arcs(rank, search);",
        "",
    ),
    Mutant(
        "an arc that an earlier search found to be too long is removed",
        WITNESS,
        "mark(w).wanted == search_ - 1; }",
        "mark(w).wanted % 2 == 1; }",
    ),
)

LABEL_MUTANTS = (
    Mutant(
        "a label lacks the vertex itself",
        LABELS,
        "label[depth] = L{};",
        "",
    ),
    Mutant(
        "the entries of ancestors below an arc's head are left out",
        LABELS,
        "for (std::size_t i = at + 1; i < depth; ++i)",
        "for (std::size_t i = depth; i < depth; ++i)",
    ),
    Mutant(
        "the entries of ancestors below an arc's head are those of the same direction",
        LABELS,
        "other[path[i] + at]",
        "own[path[i] + at]",
    ),
    Mutant(
        "the ancestors of a subtree are those of the one before",
        LABELS,
        "start(static_cast<std::size_t>(ranges[i].begin));",
        "",
    ),
    Mutant(
        "the label of an arc's head is that of the head's parent",
        LABELS,
        "lower(label, own + path[at], weight, at + 1);",
        "lower(label, own + path[at > 0 ? at - 1 : 0], weight, at + 1);",
    ),
    Mutant(
        "a vertex is no ancestor of its own",
        LABELS,
        "return std::size_t{depth_[x]} + 1;",
        "return depth_[x];",
    ),
    Mutant(
        "the least depth of several blocks is that of the first",
        LABELS,
        "least[b] = std::min(least[b], least[b + width]);",
        "static_cast<void>(width);",
    ),
    Mutant(
        "the blocks between two positions are passed over",
        LABELS,
        "least = std::min({least, minima[begin + 1], minima[end - (std::size_t{1} << row)]});",
        "static_cast<void>(minima);",
    ),
    Mutant(
        "the last common ancestor is left out",
        LABELS,
        "for (; i < meeting.count; ++i) {",
        "for (; i + 1 < meeting.count; ++i) {",
    ),
    Mutant(
        "the label of a target is that of a source",
        LABELS,
        "down_ + tree_->first(y)",
        "up_ + tree_->first(y)",
    ),
)

in_full = pytest.mark.full(
    "mutants of contraction",
    "cpp/include/warpath/hierarchy/contraction.hpp",
    "cpp/include/warpath/hierarchy/core_graph.hpp",
    "cpp/include/warpath/hierarchy/longer_arcs.hpp",
    "cpp/include/warpath/hierarchy/witness_search.hpp",
    "tests/core/contraction.cpp",
)
labels_in_full = pytest.mark.full(
    "mutants of labels",
    "cpp/include/warpath/hierarchy/customization.hpp",
    "cpp/include/warpath/hierarchy/elimination.hpp",
    "cpp/include/warpath/hierarchy/elimination_order.hpp",
    "cpp/include/warpath/hierarchy/tree_labels.hpp",
    "tests/core/tree_labels.cpp",
)


def outcome(folder: Path, headers: Path, program: str) -> int:
    """Compile and run a program of checks with a folder's headers; 0 if they find nothing."""
    if loaded_sanitizer():
        pytest.skip("a sanitizer is loaded, which the program does not need")
    compiler = shutil.which("g++")
    if compiler is None:
        pytest.skip(f"there is no g++ to compile {program}.cpp")
    made = folder / program
    flags = ["-std=c++20", "-O1", "-I", str(headers), "-I", str(HEADERS), "-o", str(made)]
    source = Path(__file__).with_name(f"{program}.cpp")
    subprocess.run([compiler, *flags, source, "-lpthread"], check=True)
    return subprocess.run([made], check=False, timeout=100).returncode


def mutated(folder: Path, mutant: Mutant) -> Path:
    """Return a folder of headers with a fault."""
    headers = folder / "headers"
    shutil.copytree(HEADERS, headers)
    file = headers / "warpath" / "hierarchy" / mutant.file
    text = file.read_text(encoding="utf-8")
    assert text.count(mutant.original) == 1
    file.write_text(text.replace(mutant.original, mutant.mutated), encoding="utf-8")
    return headers


@pytest.mark.parametrize(
    "program",
    [pytest.param("contraction", marks=in_full), pytest.param("tree_labels", marks=labels_in_full)],
)
def test_the_checks_find_nothing_in_the_headers_as_they_are(program, tmp_path):
    assert outcome(tmp_path, HEADERS, program) == 0


@in_full
@pytest.mark.parametrize("mutant", MUTANTS, ids=lambda mutant: mutant.breaks)
def test_a_fault_of_contraction_is_found(mutant, tmp_path):
    assert outcome(tmp_path, mutated(tmp_path, mutant), "contraction") == 1


@labels_in_full
@pytest.mark.parametrize("mutant", LABEL_MUTANTS, ids=lambda mutant: mutant.breaks)
def test_a_fault_of_labels_is_found(mutant, tmp_path):
    assert outcome(tmp_path, mutated(tmp_path, mutant), "tree_labels") == 1
