"""Streets of OpenStreetMap that are used at the ends of trips only."""

from __future__ import annotations

import itertools
from collections import Counter

import numpy as np
import pytest

import warpath as wp
from warpath.base.errors import InputError, NoPathError
from warpath.io import formats

pytest.importorskip("osmium")

FAR = np.iinfo(np.int64).max

#: A street from 1 to 3 with the points 2, 5 and 6, and a detour over 4. Point 7 is a way's end.
STREETS = {1: (1, 4, 3), 2: (7, 1), 3: (3, 8)}
SHORT_CUT = {9: (1, 2, 5, 6, 3)}
LINE = [7, 1, 2, 5, 4, 6, 3, 8, 9, 10]  # from the west to the east


def write(path, streets, limited=(), one_way=(), value="destination", gates=()):
    """Write streets; those in `limited` have an access tag, and so have the points `gates`."""
    points = sorted(set(itertools.chain.from_iterable(streets.values())))
    lines = ['<?xml version="1.0"?>', '<osm version="0.6">']
    gate = f'<tag k="barrier" v="gate"/><tag k="access" v="{value}"/>'
    lines += [
        f'<node id="{v}" lat="{0.01 * (v == 4)}" lon="{LINE.index(v) / 1000}">'
        f"{gate * (v in gates)}</node>"
        for v in points
    ]
    for way, refs in streets.items():
        tags = {"highway": "residential"}
        tags |= {"access": value} if way in limited else {}
        tags |= {"oneway": "yes"} if way in one_way else {}
        lines.append(f'<way id="{way}">')
        lines += [f'<nd ref="{v}"/>' for v in refs]
        lines += [f'<tag k="{k}" v="{v}"/>' for k, v in tags.items()]
        lines.append("</way>")
    path.write_text("\n".join([*lines, "</osm>"]))
    return path


@pytest.mark.parametrize("value", ["destination", "customers", "private", "delivery;permit"])
def test_a_street_for_visitors_is_no_short_cut_but_has_addresses(tmp_path, value):
    path = write(tmp_path / "a.osm", STREETS | SHORT_CUT, [9], value=value)
    for options in ({}, {"turns": True}):
        graph = formats.read(path, **options)
        assert list(wp.path(graph, 7, 8)) == [7, 1, 3, 8]
        assert (
            wp.path(graph, 7, 8).length == wp.path(graph, 7, 3).length + wp.path(graph, 3, 8).length
        )
        middle = graph.labels[0].item()  # the point that divides the street
        assert middle in {2, 5, 6}
        assert list(wp.path(graph, 7, middle)) == [7, 1, middle]
        assert list(wp.path(graph, middle, 8)) == [middle, 3, 8]
        assert graph.labels.tolist() == [middle, 1, 3, 7, 8]
        assert graph.read_report["ways used at the ends of trips only"] == 1
    open_to_all = formats.read(path, restricted="open")
    assert wp.path(open_to_all, 7, 8).length < wp.path(graph, 7, 8).length
    assert not open_to_all.areas
    closed = formats.read(path, restricted="closed")
    assert closed.labels.tolist() == [1, 3, 7, 8]


@pytest.mark.parametrize("value", ["private", "destination", "permit;no"])
@pytest.mark.parametrize("limited", [[], [9]])
def test_trips_end_at_a_gate_for_some_and_do_not_pass_it(tmp_path, value, limited):
    path = write(tmp_path / "a.osm", STREETS | SHORT_CUT, limited, value=value, gates=[5])
    for options in ({}, {"turns": True}):
        graph = formats.read(path, **options)
        assert list(wp.path(graph, 7, 8)) == [7, 1, 3, 8]
        assert wp.path(graph, 7, 8).length > 2000  # the detour over 4
        assert list(wp.path(graph, 7, 5)) == [7, 1, 5]
        assert list(wp.path(graph, 5, 8)) == [5, 3, 8]
        assert graph.labels[: graph.first_through].tolist() == [5]
        assert graph.read_report["ways used at the ends of trips only"] == 1
    short = wp.path(formats.read(path, restricted="open"), 7, 8).length
    assert short < 1000
    if not limited:
        assert wp.path(formats.read(path, barriers=False), 7, 8).length == pytest.approx(short)
        closed = formats.read(path, restricted="closed")
        assert closed.labels.tolist() == [1, 2, 3, 6, 7, 8]


def test_streets_behind_private_gates_are_reached_and_not_passed(tmp_path):
    streets = STREETS | {9: (1, 2, 5), 10: (5, 6, 3), 11: (5, 9), 12: (9, 10)}
    one = formats.read(write(tmp_path / "a.osm", streets, value="private", gates=[2, 6]))
    assert list(wp.path(one, 7, 10)) == [7, 1, 2, 5, 9, 10]
    assert list(wp.path(one, 10, 8)) == [10, 9, 5, 6, 3, 8]
    assert list(wp.path(one, 7, 8)) == [7, 1, 3, 8]
    del streets[10]
    dead_end = formats.read(write(tmp_path / "b.osm", streets, value="private", gates=[2]))
    assert list(wp.path(dead_end, 7, 10)) == [7, 1, 2, 5, 9, 10]
    assert not dead_end.areas


def test_streets_inside_an_area_lead_to_each_other(tmp_path):
    streets = STREETS | SHORT_CUT | {10: (2, 9), 11: (5, 10)}
    graph = formats.read(write(tmp_path / "a.osm", streets, [9, 10, 11]))
    assert sorted(graph.labels[: graph.first_through].tolist()) == [2, 5, 9, 10]
    assert list(wp.path(graph, 9, 10)) == [9, 2, 5, 10]
    assert list(wp.path(graph, 7, 10)) == [7, 1, 2, 5, 10]
    assert wp.path(graph, 7, 8).length > wp.path(graph, 7, 10).length
    assert list(wp.path(graph, 7, 8)) == [7, 1, 3, 8]


def test_an_area_with_one_gate_is_not_closed(tmp_path):
    streets = STREETS | {9: (1, 2), 10: (2, 5)}
    graph = formats.read(write(tmp_path / "a.osm", streets, [9, 10]))
    assert graph.first_through == 0
    assert not graph.areas
    assert list(wp.path(graph, 5, 8)) == [5, 2, 1, 3, 8]


def test_a_stretch_without_a_point_to_end_at_is_left_out(tmp_path):
    graph = formats.read(write(tmp_path / "a.osm", STREETS | {9: (1, 3)}, [9]))
    assert list(wp.path(graph, 7, 8)) == [7, 1, 3, 8]
    assert graph.m == 6
    left_out = "stretches left out: trips could only pass them, not end there"
    assert graph.read_report[left_out] == 1


def test_public_streets_that_an_area_encloses_are_reached(tmp_path):
    streets = {1: (1, 2, 3, 4), 2: (2, 5), 3: (5, 6), 4: (6, 3), 5: (6, 7)}
    graph = formats.read(write(tmp_path / "a.osm", streets, [2, 4]))
    assert sorted(graph.labels[: graph.first_through].tolist()) == [5, 6, 7]
    assert list(wp.path(graph, 1, 7)) == [1, 2, 5, 6, 7] or wp.path(graph, 1, 7).length
    assert list(wp.path(graph, 1, 4)) == [1, 2, 3, 4]
    assert list(wp.path(graph, 5, 7)) == [5, 6, 7]


def test_files_keep_areas_or_refuse_them(tmp_path):
    graph = formats.read(write(tmp_path / "a.osm", STREETS | SHORT_CUT, [9]))
    formats.write(graph, tmp_path / "a.npz")
    same = formats.read(tmp_path / "a.npz")
    assert list(wp.path(same, 7, 8)) == [7, 1, 3, 8]
    for name in ("a.gr", "a.csv", "a.geojson"):
        with pytest.raises(InputError, match=r"do not store areas that trips do not pass: write"):
            formats.write(graph, tmp_path / name)
    for restricted in ("open", "closed"):
        formats.write(formats.read(tmp_path / "a.osm", restricted=restricted), tmp_path / "a.csv")


def drawn(rng, folder):
    """Return a random network: its file, its steps from point to point and those for visitors."""
    points = rng.permutation(9) + 1
    streets, steps, limited, one_way = {}, {}, [], []
    for way in range(1, 14):
        refs = rng.choice(points, size=rng.choice([2, 2, 3, 4]), replace=False).tolist()
        pairs = list(itertools.pairwise(refs))
        if any(step in steps or step[::-1] in steps for step in pairs):
            continue
        streets[way] = refs
        limited += [way] if rng.random() < 0.5 else []
        one_way += [way] if rng.random() < 0.3 else []
        steps |= dict.fromkeys(pairs, way)
        if way not in one_way:
            steps |= {(v, u): way for u, v in pairs}
    gates = [v for v in points.tolist() if rng.random() < 0.15]
    path = write(folder / "a.osm", streets, limited, one_way, gates=gates)
    visitors = {step for step, way in steps.items() if way in limited}
    return path, steps, visitors | beside(gates, streets.values()) & set(steps)


def beside(gates, streets):
    """Return the steps, both ways, of the stretches between two junctions that have a gate."""
    count = Counter(itertools.chain.from_iterable(streets))
    steps = set()
    for refs in streets:
        cuts = [0, *(i for i in range(1, len(refs) - 1) if count[refs[i]] > 1), len(refs) - 1]
        for first, last in itertools.pairwise(cuts):
            stretch = refs[first : last + 1]
            if not set(gates).isdisjoint(stretch):
                steps |= {*itertools.pairwise(stretch), *itertools.pairwise(stretch[::-1])}
    return steps


def expected(steps, limited):
    """Return the least numbers of steps between points of which no walk passes an area."""
    points = {v for step in steps for v in step}
    public = joined(points, set(steps) - limited)
    whole = joined(points, steps)
    outside = set()
    for component in set(map(frozenset, whole.values())):
        networks = {frozenset(public[v]) for v in component}
        used = [one for one in networks if len(one) > 1]
        outside |= max(used, key=lambda one: (len(one), -min(one)), default=frozenset())
    inner, outer = {}, {}
    for step in steps:
        if step not in limited and set(step) <= outside:
            outer[step] = 1
        elif not set(step) <= outside:
            (outer if set(step) & outside else inner)[step] = 1
    enters = {(u, v) for u, v in outer if v not in outside}
    leaves = {(u, v) for u, v in outer if u not in outside}
    inside = shortest(10, inner)
    around = shortest(10, [step for step in outer if step not in enters | leaves])
    out = minimum(inside, edges(leaves))  # from a point to a gate
    into = minimum(edges(enters), inside)
    from_start = np.minimum(out, np.where(at(outside), 0, np.inf))
    to_end = np.minimum(into, np.where(at(outside), 0, np.inf))
    return np.minimum(inside, minimum(minimum(from_start, around), to_end))


def at(points):
    """Return the matrix whose diagonal marks some points."""
    return np.diag(np.isin(np.arange(10), list(points)))


def edges(steps):
    """Return the matrix of some steps."""
    matrix = np.full((10, 10), np.inf)
    for u, v in steps:
        matrix[u, v] = 1
    return matrix


def minimum(a, b):
    """Return the product of two matrices of distances."""
    return (a[:, :, None] + b[None, :, :]).min(axis=1)


def shortest(n, steps):
    """Return the distances over some steps."""
    dist = np.where(np.eye(n, dtype=bool), 0, edges(steps))
    for _ in range(4):
        dist = minimum(dist, dist)
    return dist


def joined(points, steps):
    """Return the points that steps, in either direction, join each point to."""
    sets = {v: {v} for v in points}
    for u, v in steps:
        both = sets[u] | sets[v]
        sets |= dict.fromkeys(both, both)
    return sets


@pytest.mark.parametrize("turns", [False, True])
@pytest.mark.parametrize("seed", range(25))
def test_random_networks_agree_with_brute_force(tmp_path, seed, turns):
    path, steps, limited = drawn(np.random.default_rng(seed), tmp_path)
    options = {"turns": True, "turn_costs": {"u_turn": 0}} if turns else {}
    graph = formats.read(path, **options)
    table = expected(steps, limited)[np.ix_(graph.labels, graph.labels)]
    inside = [len(one) for one in np.split(graph.shapes.points, graph.shapes.indptr[1:-1])]
    lengths = graph.with_weights(np.array(inside, np.int64) + 1)
    dist = wp.apsp(lengths).dist
    assert np.where(dist == FAR, np.inf, dist).tolist() == table.tolist()
    if np.isinf(table[0, -1]):
        with pytest.raises(NoPathError):
            wp.path(lengths, graph.labels[0], graph.labels[-1])
