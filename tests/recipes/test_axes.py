"""The axes: what is legal, and the sentence for what is not."""

from __future__ import annotations

import contextlib
import itertools
import re
from dataclasses import replace

import pytest

from warpath.recipes import CATALOGUE
from warpath.recipes.axes import (
    AXES,
    Arrange,
    Axes,
    Direction,
    Edges,
    Emit,
    Labels,
    Layout,
    Lower,
    Map,
    Memory,
    Place,
    Reduce,
    Select,
    Side,
)

CPU, GPU = Side.CPU, Side.GPU
ALL_CPU = Place(CPU, CPU, CPU)
PUSH, PULL = Direction.PUSH, Direction.PULL

SETTLING = {"select": Select.MIN, "reduce": Reduce.GRID}
ON_CPU = {"select": Select.MIN, "reduce": Reduce.HOST, "place": ALL_CPU}
LISTED = {"select": Select.IMPROVED, "emit": Emit.ATOMIC_QUEUE}
DENSE = SETTLING | {"layout": Layout.DENSE, "memory": Memory.SHARED}
BUCKETS = {"select": Select.BUCKET, "emit": Emit.PREFIX_SUM, "arrange": Arrange.SORT}

RULES = [
    ({"select": Select.ALL}, "ALL cannot use FLAGS, it relaxes every vertex"),
    ({"select": Select.ALL, "emit": Emit.PREFIX_SUM}, "ALL cannot use PREFIX_SUM"),
    ({"select": Select.IMPROVED, "emit": Emit.FLAG}, "IMPROVED cannot use FLAG, one bit does not"),
    (SETTLING | {"emit": Emit.FLAG}, "MIN cannot use FLAG, one bit does not"),
    ({"select": Select.BELOW}, "BELOW cannot use FLAGS, vertices for later rounds"),
    ({"select": Select.RHO, "direction": PULL}, "RHO cannot use FLAGS, vertices for later rounds"),
    (
        {"select": Select.BELOW, "direction": PULL, "layout": Layout.ELL},
        "ELL cannot use BELOW with FLAGS",
    ),
    (
        {"select": Select.BELOW, "direction": PULL, "edges": Edges.LIGHT_FIRST},
        "BELOW cannot use LIGHT_FIRST",
    ),
    (
        {"select": Select.BELOW, "direction": PULL, "labels": Labels.TWO_ARRAYS},
        "TWO_ARRAYS needs a sweep",
    ),
    ({"select": Select.DELTA_STAR}, "DELTA_STAR cannot use FLAGS, vertices for later rounds"),
    ({"select": Select.RHO}, "RHO cannot use FLAGS, vertices for later rounds"),
    (BUCKETS | {"emit": Emit.FLAGS}, "BUCKET cannot use FLAGS, vertices for later rounds"),
    *(
        ({"select": Select.IMPROVED, "map": one}, f"{one.name} cannot use FLAGS, it distributes")
        for one in (Map.BLOCK_SEARCH, Map.CTA_WARP_SCAN, Map.MERGE_PATH, Map.CHILD_GRID)
    ),
    (BUCKETS | {"arrange": None}, "BUCKET needs an arrange"),
    (LISTED | {"arrange": Arrange.SORT}, "IMPROVED cannot use SORT, only BUCKET has buckets"),
    ({"select": Select.MIN}, "MIN needs a reduce, its threshold is a minimum"),
    ({"select": Select.OUT}, "OUT needs a reduce, its threshold is a minimum"),
    (LISTED | {"reduce": Reduce.GRID}, "IMPROVED cannot use GRID, its rounds need no"),
    ({"select": Select.IMPROVED, "direction": PULL}, "IMPROVED cannot use PULL, which visits"),
    (SETTLING | {"direction": PULL, "emit": Emit.ATOMIC_QUEUE}, "PULL cannot use ATOMIC_QUEUE"),
    (SETTLING | {"direction": PULL, "emit": Emit.PREFIX_SUM}, "PULL cannot use PREFIX_SUM"),
    (SETTLING | {"direction": PULL, "lower": Lower.PLAIN_MIN}, "PULL cannot use PLAIN_MIN"),
    (ON_CPU | {"select": Select.OUT}, "OUT runs on the GPU alone"),
    ({"select": Select.IMPROVED, "place": Place(relax=CPU)}, "IMPROVED runs on the GPU alone"),
    (SETTLING | {"reduce": Reduce.HOST}, "HOST does not run on the GPU"),
    (ON_CPU | {"reduce": Reduce.ONE_PASS}, "ONE_PASS does not run on the CPU"),
    (SETTLING | {"place": Place(update=CPU)}, "GRID keeps the minimum on the GPU"),
    (SETTLING | {"reduce": Reduce.TWO_PASS, "select": Select.OUT}, "OUT runs on the GPU alone"),
    (
        SETTLING | {"reduce": Reduce.ONE_PASS, "emit": Emit.ATOMIC_QUEUE},
        "ATOMIC_QUEUE cannot be shared with the CPU",
    ),
    (ON_CPU | {"emit": Emit.ATOMIC_QUEUE}, "ATOMIC_QUEUE cannot be shared with the CPU"),
    (ON_CPU | {"map": Map.GRID_STRIDE}, "GRID_STRIDE maps edges to the threads of a GPU"),
    (ON_CPU | {"lower": Lower.PLAIN_MIN}, "PLAIN_MIN is for concurrent threads"),
    (ON_CPU | {"memory": Memory.SHARED}, "SHARED is memory of a GPU"),
    (SETTLING | {"memory": Memory.SHARED}, "SHARED with CSR needs PULL"),
    (SETTLING | {"direction": PULL, "map": Map.GRID_STRIDE}, "PULL cannot use GRID_STRIDE"),
    (DENSE | {"select": Select.OUT}, "DENSE cannot use OUT with FLAGS"),
    (DENSE | {"emit": Emit.PREFIX_SUM}, "DENSE cannot use MIN with PREFIX_SUM"),
    (ON_CPU | {"layout": Layout.DENSE, "map": Map.GRID_STRIDE}, "GRID_STRIDE maps edges"),
    (SETTLING | {"layout": Layout.DENSE, "map": Map.GRID_STRIDE}, "DENSE cannot use GRID_STRIDE"),
    (
        {"select": Select.IMPROVED, "lower": Lower.STORED_MIN},
        "IMPROVED cannot use STORED_MIN",
    ),
    (SETTLING | {"layout": Layout.DENSE}, "DENSE on the GPU needs SHARED"),
    (SETTLING | {"layout": Layout.ELL}, "ELL cannot use MIN with FLAGS"),
    (LISTED | {"layout": Layout.ELL}, "ELL cannot use IMPROVED with"),
    (SETTLING | {"edges": Edges.CLASSIFIED}, "CLASSIFIED needs PUSH of a list of improved"),
    ({"select": Select.IMPROVED, "edges": Edges.CLASSIFIED}, "CLASSIFIED needs PUSH of a list"),
    (SETTLING | {"direction": PULL, "edges": Edges.CLASSIFIED}, "CLASSIFIED needs PUSH of a list"),
    (LISTED | {"edges": Edges.LIGHT_FIRST}, "IMPROVED cannot use LIGHT_FIRST, which needs PUSH"),
    (LISTED | {"labels": Labels.TWO_ARRAYS}, "TWO_ARRAYS needs a sweep"),
    (SETTLING | {"labels": Labels.TWO_ARRAYS}, "TWO_ARRAYS needs a sweep"),
]


@pytest.mark.parametrize(("mix", "sentence"), RULES)
def test_an_illegal_mix_is_refused_with_the_reason(mix, sentence):
    with pytest.raises(ValueError, match=re.escape(f"): {sentence}")):
        Axes(**mix)


@pytest.mark.parametrize(("mix", "sentence"), RULES)
def test_what_a_refusal_calls_legal_is_legal(mix, sentence):
    del sentence
    with pytest.raises(ValueError, match=r"\. Legal would be ") as refused:
        Axes(**mix)
    ways = str(refused.value).rpartition(" Legal would be ")[2].removesuffix(".").split("; or ")
    for way in ways:
        assert Axes(**mix | eval(f"dict({way})", globals()))  # noqa: S307 - as typed


@pytest.mark.parametrize("given", ["thread", Emit.FLAGS, None, 3])
def test_a_value_of_another_axis_is_refused_with_the_values_of_the_axis(given):
    sentence = f"map={given!r} is not a value of the axis map: use Map.THREAD, Map.GRID_STRIDE, "
    with pytest.raises(ValueError, match=re.escape(sentence)):
        Axes(Select.IMPROVED, map=given)


@pytest.mark.parametrize(
    "mix",
    [
        SETTLING,
        ON_CPU,
        LISTED,
        DENSE,
        BUCKETS,
        {"select": Select.ALL, "emit": Emit.FLAG},
        {"select": Select.ALL, "emit": Emit.FLAG, "map": Map.GRID_STRIDE},
        {"select": Select.IMPROVED, "labels": Labels.TWO_ARRAYS, "lower": Lower.PLAIN_MIN},
        {"select": Select.BELOW, "emit": Emit.ATOMIC_QUEUE, "map": Map.CHILD_GRID},
        LISTED | {"select": Select.RHO},
        {"select": Select.BELOW, "direction": PULL},
        LISTED | {"select": Select.BELOW, "edges": Edges.LIGHT_FIRST},
        LISTED | {"map": Map.MERGE_PATH, "edges": Edges.CLASSIFIED},
        SETTLING | {"direction": PULL, "memory": Memory.SHARED},
        SETTLING | {"emit": Emit.PREFIX_SUM, "map": Map.MERGE_PATH},
        DENSE | {"direction": PULL},
        {"select": Select.MIN, "reduce": Reduce.HOST, "place": Place(GPU, CPU, CPU)},
        BUCKETS | {"arrange": Arrange.MULTISPLIT},
        BUCKETS | {"arrange": Arrange.MERGE},
        {"select": Select.OUT, "reduce": Reduce.GRID_TWICE},
        {"select": Select.MIN, "reduce": Reduce.TWO_PASS, "direction": PULL},
        DENSE | {"reduce": Reduce.ONE_PASS},
    ],
    ids=lambda mix: Axes(**mix).words(),
)
def test_a_mix_that_kernels_can_run_is_legal(mix):
    assert Axes(**mix).words()


def test_the_refusal_tells_the_whole_mix():
    with pytest.raises(ValueError, match=r"^no algorithm is \(all, push, thread, flags\): ALL "):
        Axes(Select.ALL)


def test_every_value_is_explained_in_one_line():
    for axis in AXES:
        for value in axis:
            assert value.value.startswith(value.name.lower().replace("_", " "))
            assert 5 < len(value.meaning) <= 100
            assert "\n" not in value.meaning


def test_two_legal_mixes_never_have_the_same_words():
    """Over all mixes that differ from one of the catalogue on up to two axes."""
    values = {axis.__name__.lower(): list(axis) for axis in AXES}
    values["place"] = [Place(*sides) for sides in itertools.product(Side, repeat=3)]
    seen = {recipe.axes.words(): recipe.axes for recipe in CATALOGUE if recipe.axes}
    for known in list(seen.values()):
        for one, other in itertools.combinations(values, 2):
            for pair in itertools.product(values[one], values[other]):
                with contextlib.suppress(ValueError):
                    axes = replace(known, **dict(zip((one, other), pair, strict=True)))
                    assert seen.setdefault(axes.words(), axes) == axes
    assert len(seen) > 100


def test_words_name_what_is_unusual_only():
    assert Axes(**LISTED).words() == "improved, push, thread, atomic queue"
    assert Axes(**ON_CPU, direction=PULL).words() == "min, pull, flags, all on the CPU"
    hybrid = Axes(Select.MIN, reduce=Reduce.HOST, place=Place(GPU, CPU, CPU))
    assert hybrid.words() == "min, push, thread, flags, reduce and update on the CPU"
    assert Axes(**BUCKETS).words() == "bucket, push, thread, prefix sum, sort"


def test_every_axis_of_a_mix_is_explained():
    rows = Axes(**SETTLING).explained()
    assert [row[0] for row in rows] == [
        "select",
        "direction",
        "map",
        "emit",
        "reduce",
        "place",
        "layout",
        "memory",
        "edges",
        "lower",
        "labels",
    ]
    assert rows[5][1] == "all on the GPU"
    assert Axes(**BUCKETS).explained()[-1][:2] == ("arrange", "sort")
