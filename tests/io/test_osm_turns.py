"""Turn restrictions and turn costs of OpenStreetMap extracts."""

from __future__ import annotations

import itertools
import pickle

import numpy as np
import pytest

import warpath as wp
from warpath.base.errors import GraphError, InputError, NoPathError, NotSupportedError
from warpath.graph.turns import Turns
from warpath.io import formats

pytest.importorskip("osmium")

#: A crossing, 5, with arms to the west (4), south (8), east (6) and north (2); a way around it from
#: the south to the east by 9, and one from the west to the north by 1. The ways end at 5.
#:
#:   1 - 2
#:   |   |
#:   4 - 5 - 6
#:       |   |
#:       8 - 9
ARMS = {1: (4, 5), 2: (5, 6), 3: (2, 5), 4: (5, 8), 5: (8, 9), 6: (9, 6), 7: (4, 1), 8: (1, 2)}


def write(path, relations, ways=ARMS, one_way=(), **tags):
    """Write the crossing with relations (tags, from ways, via points or "ways", to ways)."""
    lines = ['<?xml version="1.0"?>', '<osm version="0.6">']
    for v in range(1, 10):
        row, column = divmod(v - 1, 3)
        lines.append(f'<node id="{v}" lat="{-row / 1000}" lon="{column * 0.0009}"/>')
    for way, refs in ways.items():
        lines.append(f'<way id="{way}">')
        lines += [f'<nd ref="{v}"/>' for v in refs]
        more = {"oneway": "yes"} if way in one_way else {}
        used = {"highway": "residential"} | tags | more
        lines += [f'<tag k="{k}" v="{v}"/>' for k, v in used.items()]
        lines.append("</way>")
    for number, (rule, origin, via, target) in enumerate(relations, 1):
        lines.append(f'<relation id="{number}">')
        rule = {"type": "restriction"} | rule  # noqa: PLW2901
        lines += [f'<tag k="{k}" v="{v}"/>' for k, v in rule.items()]
        members = [("from", origin), ("via", via), ("to", target)]
        for role, refs in members:
            for ref in refs if isinstance(refs, list) else [refs]:
                kind = "node" if role == "via" and isinstance(ref, int) else "way"
                lines += [f'<member type="{kind}" ref="{ref}" role="{role}"/>'] * (ref is not None)
        lines.append("</relation>")
    path.write_text("\n".join([*lines, "</osm>"]))
    return path


NO_RIGHT = ({"restriction": "no_right_turn"}, 1, 5, 4)  # from the west to the south


@pytest.fixture
def crossing(tmp_path):
    """Read the crossing with restrictions."""

    def read(*relations, **options):
        path = write(tmp_path / "a.osm", relations)
        return formats.read(path, **({"turns": True} | options))

    return read


def test_without_turns_restrictions_are_ignored(crossing):
    assert list(wp.path(crossing(NO_RIGHT, turns=False), 4, 8)) == [4, 5, 8]


def test_a_forbidden_turn_is_avoided(crossing):
    graph = crossing(NO_RIGHT)
    assert repr(graph.turns) == "<Turns: 1 restriction honoured>"
    assert list(wp.path(graph, 4, 8)) == [4, 5, 6, 9, 8]
    assert list(wp.path(graph, 8, 4)) == [8, 5, 4]
    assert list(wp.path(graph, 5, 8)) == [5, 8]
    assert list(wp.path(graph, 4, 6)) == [4, 5, 6]


def test_the_only_turn_is_taken(crossing):
    graph = crossing(({"restriction": "only_straight_on"}, 1, 5, 2))
    assert list(wp.path(graph, 4, 2)) == [4, 1, 2]
    assert list(wp.path(graph, 4, 8)) == [4, 5, 6, 9, 8]
    assert list(wp.path(graph, 4, 5)) == [4, 5]


def test_a_route_may_pass_a_junction_twice(tmp_path):
    # From 4 the crossing is left straight on only, and 2 is reached by the loop 6 - 9 - 8 - 5.
    ways = {way: refs for way, refs in ARMS.items() if way not in {7, 8}}
    rule = ({"restriction": "no_left_turn"}, 1, 5, 3)
    path = write(tmp_path / "a.osm", [rule], ways)
    route = wp.path(formats.read(path, turns=True), 4, 2)
    assert list(route) in ([4, 5, 6, 9, 8, 5, 2], [4, 5, 8, 9, 6, 5, 2])
    assert route.weights.sum() == pytest.approx(route.length)
    assert len(route.line) == 7
    assert len(route.legs) == 1


def test_u_turns_are_made_at_dead_ends_or_for_their_cost(tmp_path):
    ways = {1: (4, 5), 2: (5, 6), 3: (2, 5)}  # three dead ends
    path = write(tmp_path / "a.osm", [({"restriction": "no_left_turn"}, 1, 5, 3)], ways)
    assert list(wp.path(formats.read(path, turns=True), 4, 2)) == [4, 5, 6, 5, 2]
    ways = {1: (4, 5), 2: (5, 6), 3: (2, 5), 6: (9, 6), 5: (8, 9), 8: (2, 1)}
    path = write(tmp_path / "a.osm", [({"restriction": "no_left_turn"}, 1, 5, 3)], ways)
    assert list(wp.path(formats.read(path, turns=True), 4, 2)) == [4, 5, 6, 9, 8, 9, 6, 5, 2]
    cheap = formats.read(path, turns=True, turn_costs={"u_turn": 1})
    route = wp.path(cheap, 4, 2)
    assert list(route) == [4, 5, 6, 5, 2]
    there, back = (wp.path(formats.read(path), *ends).length for ends in ((4, 6), (6, 2)))
    assert route.length == pytest.approx(there + back + 1)
    assert route.weights.sum() == pytest.approx(route.length)


def test_a_forbidden_u_turn_holds_at_a_dead_end(tmp_path):
    ways = {1: (4, 5), 2: (5, 6), 3: (2, 5)}
    rules = [({"restriction": "no_left_turn"}, 1, 5, 3), ({"restriction": "no_u_turn"}, 2, 6, 2)]
    graph = formats.read(write(tmp_path / "a.osm", rules, ways), turns=True)
    with pytest.raises(NoPathError, match="no path leads from 4 to 2"):
        wp.path(graph, 4, 2)
    assert wp.distances(graph, [4], [2, 6]).reached.tolist() == [[False, True]]


def test_left_and_right_turns_have_costs(tmp_path):
    path = write(tmp_path / "a.osm", [], {way: ARMS[way] for way in (1, 2, 3, 4)})
    plain = wp.distances(formats.read(path), [4, 8, 6, 2], [4, 8, 6, 2]).dist
    graph = formats.read(path, turns=True, turn_costs={"left": 7, "right": 3})
    costs = wp.distances(graph, [4, 8, 6, 2], [4, 8, 6, 2]).dist - plain
    assert np.round(costs, 6).tolist() == [
        [0, 3, 0, 7],
        [7, 0, 3, 0],
        [0, 7, 0, 3],
        [3, 0, 7, 0],
    ]


def test_a_bend_without_a_choice_costs_nothing(crossing):
    graph = crossing(turn_costs={"left": 1000, "right": 1000})
    assert list(wp.path(graph, 8, 6)) == [8, 9, 6]
    assert list(wp.path(graph, 4, 2)) == [4, 1, 2]


@pytest.mark.parametrize(
    ("rule", "via", "target", "ignored"),
    [
        ({"restriction": "no_right_turn"}, [5, 8], 4, {"incomplete": 1}),
        ({"restriction": "no_right_turn"}, [5, "2"], 4, {"incomplete": 1}),
        ({"restriction": "no_right_turn"}, "99", 4, {"outside the network": 1}),
        ({"restriction": "no_right_turn"}, "8", 4, {"without such a turn": 1}),
        ({"restriction": "no_right_turn"}, 77, 4, {"without such a turn": 1}),
        ({"restriction": "no_right_turn"}, None, 4, {"incomplete": 1}),
        ({"restriction": "no_right_turn"}, 5, None, {"incomplete": 1}),
        ({"restriction": "no_right_turn"}, 5, 99, {"outside the network": 1}),
        ({"restriction": "no_right_turn"}, 8, 4, {"without such a turn": 1}),
        ({"restriction": "perhaps"}, 5, 4, {"of an unknown kind": 1}),
        ({"restriction": "no_right_turn_on_red"}, 5, 4, {"of an unknown kind": 1}),
        ({"restriction": "no_right_turn;only_straight_on"}, 5, 4, {"of an unknown kind": 1}),
        ({"restriction:conditional": "no_right_turn @ (Mo)"}, 5, 4, {"conditional": 1}),
        ({"restriction:motorcar:conditional": "no_right_turn @ (Mo)"}, 5, 4, {"conditional": 1}),
        ({"restriction": "no_right_turn", "hour_on": "07:00"}, 5, 4, {"conditional": 1}),
        ({"restriction": "no_right_turn", "day_off": "Friday"}, 5, 4, {"conditional": 1}),
        ({"type": "restriction:bicycle", "restriction": "no_right_turn"}, 5, 4, {}),
        ({"restriction:hgv": "no_right_turn"}, 5, 4, {}),
        ({"restriction": "no_right_turn", "except": "psv;motorcar"}, 5, 4, {}),
        ({"restriction": "no_right_turn", "except": "Motorcar, bus"}, 5, 4, {}),
        ({"restriction": "no_right_turn", "time": "7:00-9:00"}, 5, 4, {"conditional": 1}),
        ({"restriction:bicycle": "no_right_turn"}, 5, 4, {}),
    ],
)
def test_ignored_restrictions_are_counted(crossing, rule, via, target, ignored):
    graph = crossing((rule, 1, via, target))
    assert (graph.turns.honoured, graph.turns.ignored) == (0, ignored)
    assert list(wp.path(graph, 4, 8)) == [4, 5, 8]


@pytest.mark.parametrize(
    ("ways", "one_way", "rule", "banned"),
    [
        # The way from the west goes on to the east: one of its two directions turns right.
        ({1: (4, 5, 6), 2: ()}, [], ("no_right_turn", 1, 5, 4), [(4, 5, 8)]),
        ({1: (4, 5, 6), 2: ()}, [], ("no_left_turn", 1, 5, 4), [(6, 5, 8)]),
        ({1: (4, 5, 6), 2: ()}, [1], ("no_entry", 1, 5, 4), [(4, 5, 8)]),
        ({3: (2, 5, 8), 4: ()}, [], ("no_right_turn", 1, 5, 3), [(4, 5, 8)]),
        ({3: (2, 5, 8), 4: ()}, [], ("no_left_turn", 1, 5, 3), [(4, 5, 2)]),
        ({3: (2, 5, 8), 4: ()}, [3], ("no_exit", 1, 5, 3), [(4, 5, 8)]),
        ({1: (4, 5, 8), 4: ()}, [], ("no_u_turn", 1, 5, 1), None),
        ({1: (4, 5, 6), 2: ()}, [], ("no_straight_on", 1, 5, 1), None),
        ({1: (4, 5, 6), 2: ()}, [], ("no_entry", 1, 5, 4), None),
        ({1: (4, 5, 6), 2: (), 3: (2, 5, 8), 4: ()}, [], ("no_left_turn", 1, 5, 3), None),
        ({1: (4, 5, 6), 2: (), 3: (2, 5, 8), 4: ()}, [1], ("no_left_turn", 1, 5, 3), [(4, 5, 2)]),
        ({}, [], ("no_u_turn", 1, 5, 1), [(4, 5, 4)]),
        ({}, [], ("no_right_turn;no_u_turn", 1, 5, 4), [(4, 5, 8)]),
        ({}, [], ("no_entry", [1, 2], 5, 4), [(4, 5, 8), (6, 5, 8)]),
        ({}, [], ("no_exit", 1, 5, [3, 4, 99]), [(4, 5, 2), (4, 5, 8)]),
        ({}, [], ("only_straight_on", 1, 5, [2, 3]), [(4, 5, 4), (4, 5, 8)]),
        ({}, [], ("no_u_turn", 4, ["5"], 6), [(5, 8, 9, 6)]),
        ({}, [], ("no_u_turn", 4, ["6", "5"], 2), [(5, 8, 9, 6, 5)]),
        ({5: (8, 9, 6), 6: ()}, [], ("no_u_turn", 4, ["5"], 2), [(5, 8, 6, 5)]),
        ({}, [], ("only_left_turn", 1, ["4"], 5), [(4, 5, 2), (4, 5, 4), (4, 5, 6), (4, 5, 8, 5)]),
    ],
)
def test_restrictions_forbid_these_turns(tmp_path, ways, one_way, rule, banned):
    kind, *members = rule
    ways = {way: refs for way, refs in (ARMS | ways).items() if refs}
    path = write(tmp_path / "a.osm", [({"restriction": kind}, *members)], ways, one_way)
    graph = formats.read(path, turns=True)
    if banned is None:
        assert repr(graph.turns) == "<Turns: 0 restrictions honoured; ignored: 1 ambiguous>"
        return
    assert graph.read_report["turn restrictions honoured"] == 1
    assert sorted(map(points_along(graph), graph.turns.banned.tolist())) == banned


def points_along(graph):
    """Return a function that names the vertices along a sequence of edges."""
    tails, heads = (graph.labels[ends].tolist() for ends in graph.edges()[:2])

    def points(sequence):
        edges = [edge for edge in sequence if edge >= 0]
        return (tails[edges[0]], *(heads[edge] for edge in edges))

    return points


def test_a_way_through_a_via_way_is_forbidden_and_others_are_not(crossing):
    graph = crossing(({"restriction": "no_u_turn"}, 1, ["4", "5"], 6))
    assert list(wp.path(graph, 4, 9)) == [4, 5, 8, 9]
    assert list(wp.path(graph, 2, 6)) == [2, 5, 6]
    tails, heads = (graph.labels[ends] for ends in graph.edges()[:2])
    blocked = graph.with_weights(np.where((tails == 5) & (heads == 6), 9000, 1))
    assert list(wp.path(blocked, 4, 6)) == [4, 1, 2, 5, 8, 9, 6]
    route = wp.path(blocked, 5, 6)
    assert list(route) == [5, 8, 9, 6]
    assert tails[route.edges].tolist() == [5, 8, 9]
    assert heads[route.edges].tolist() == [8, 9, 6]


def drawn(rng, folder):
    """Return a random network with one random restriction, and what that forbids as walks.

    A walk is a sequence of points.
    """
    points = rng.permutation(9) + 1
    steps = {}  # the way of each step from point to point
    ways, one_way = {}, []
    for way in range(1, 12):
        refs = rng.choice(points[:7], size=rng.choice([2, 2, 2, 3, 4]), replace=False).tolist()
        pairs = list(itertools.pairwise(refs))
        if any(step in steps or step[::-1] in steps for step in pairs):
            continue
        ways[way] = refs
        if rng.random() < 0.4:
            one_way.append(way)
        steps |= dict.fromkeys(pairs, way)
        if way not in one_way:
            steps |= {(v, u): way for u, v in pairs}
    rules = []
    for _ in range(rng.integers(1, 4)):
        walks = walks_of(steps, rng.choice([3, 4, 5, 6]))
        if not walks:
            continue
        walk = walks[rng.integers(len(walks))]
        named = [steps[step] for step in itertools.pairwise(walk)]
        only = rng.random() < 0.5
        ends = [named[-1]]
        if rng.random() < 0.5:
            ends.append(int(rng.choice(list(ways))))
        if not set(named[:-1]).isdisjoint(ends):  # within a way the graph has no turn
            continue
        vias = list(dict.fromkeys(named[1:-1])) if len(walk) > 3 else walk[1]
        rules.append((only, named[0], vias, sorted(set(ends))))
    relations = [
        (
            {"restriction": "only_straight_on" if only else "no_exit"},
            origin,
            [str(way) for way in via] if isinstance(via, list) else via,
            targets,
        )
        for only, origin, via, targets in rules
    ]
    return write(folder / "a.osm", relations, ways, one_way), steps, rules


def walks_of(steps, count):
    """Return all walks over a number of points that pass none twice after the first step."""
    walks = [list(step) for step in steps]
    for _ in range(count - 2):
        walks = [
            [*walk, v] for walk in walks for u, v in steps if u == walk[-1] and v not in walk[1:]
        ]
    return walks


def meant(steps, rule):
    """Return the walks that a restriction means, for each way that it leads to."""
    _, origin, via, targets = rule
    for target in targets:
        yield [
            walk
            for count in ([3] if isinstance(via, int) else range(4, 9))
            for front in walks_of(steps, count - 1)
            for walk in ([*front, v] for u, v in steps if u == front[-1])
            for first, *middle, last in [[steps[step] for step in itertools.pairwise(walk)]]
            if first == origin and last == target
            if (walk[1] == via if isinstance(via, int) else set(middle) == set(via))
        ]


def forbidden_walks(steps, rules):
    """Return the walks that restrictions forbid, or None where one is ambiguous."""
    forbidden = set()
    for rule in rules:
        walks = list(meant(steps, rule))
        if any(len(walk) > 1 for walk in walks):
            return None
        allowed = [tuple(walk) for one in walks for walk in one]
        if not rule[0]:
            forbidden |= set(allowed)
            continue
        for walk in allowed:
            for at in range(2, len(walk)):
                if walk[:at] in allowed:
                    break
                following = {other[at] for other in allowed if other[:at] == walk[:at]}
                forbidden |= {
                    (*walk[:at], v) for u, v in steps if u == walk[at - 1] and v not in following
                }
    return forbidden


def hops(steps, forbidden, start):
    """Return the number of steps to each point, by a search over the last points of walks."""
    hops, level, seen, count = {start: 0}, {(start,)}, set(), 0
    while level:
        count += 1
        following = set()
        for walk in level:
            exits = [v for u, v in steps if u == walk[-1]]
            for v in exits:
                back = len(walk) > 1 and v == walk[-2] and len(exits) > 1
                longer = (*walk, v)
                if not back and all(longer[-k:] not in forbidden for k in range(3, 10)):
                    hops.setdefault(v, count)
                    following.add(longer[-9:])
        level = following - seen
        seen |= level
    return hops


@pytest.mark.parametrize("seed", range(40))
def test_random_restrictions_agree_with_brute_force(tmp_path, seed):
    path, steps, rules = drawn(np.random.default_rng(seed), tmp_path)
    forbidden = forbidden_walks(steps, rules)
    graph = formats.read(path, turns=True)
    if forbidden is None:  # directions may tell
        return
    inside = [len(one) for one in np.split(graph.shapes.points, graph.shapes.indptr[1:-1])]
    lengths = graph.with_weights(np.array(inside, np.int64) + 1)
    table = wp.apsp(lengths).dist
    for row, start in enumerate(graph.labels.tolist()):
        expected = hops(steps, forbidden, start)
        reached = [expected.get(v, np.iinfo(np.int64).max) for v in graph.labels.tolist()]
        assert table[row].tolist() == reached, (start, rules)


def brute_force(graph, source):
    """Distances from a vertex by relaxing all turns until nothing changes."""
    tails, heads, weights = graph.edges()
    banned = set(map(tuple, graph.turns.banned.tolist()))
    exits = np.diff(graph.indptr)
    label = np.where(tails == source, weights, np.inf)
    for _ in range(graph.m):
        for e, f in itertools.product(range(graph.m), repeat=2):
            back = graph.turns.back[e] == f and exits[heads[e]] > 1
            if heads[e] == tails[f] and not back and (e, f) not in banned:
                label[f] = min(label[f], label[e] + weights[f])
    dist = np.full(graph.n, np.inf)
    np.minimum.at(dist, heads, label)
    dist[source] = 0
    return dist


def test_all_calls_agree_with_brute_force(crossing):
    rules = [
        NO_RIGHT,
        ({"restriction": "only_right_turn"}, 4, 5, 2),
        ({"restriction": "no_straight_on"}, 3, 5, 4),
    ]
    graph = crossing(*rules)
    expected = np.array([brute_force(graph, s) for s in range(graph.n)])
    table = wp.apsp(graph)
    assert np.array_equal(table.dist, expected)
    assert np.array_equal(wp.distances(graph, graph.labels).dist, expected)
    origins, destinations = (ends.ravel() for ends in np.meshgrid(graph.labels, graph.labels))
    trips = wp.pairs(graph, origins, destinations)
    assert np.array_equal(trips.dist, expected.T.ravel())
    for trip in range(len(trips)):
        route = trips.route(trip)
        assert route.length == trips.dist[trip] == table.path(route.source, route.target).length
        assert (route.source, route.target) == (origins[trip], destinations[trip])
        assert route.weights.sum() == pytest.approx(route.length)
        assert (graph.indices[route.edges] == route.indices[1:]).all()
    for source, row in zip(graph.labels, expected, strict=True):
        assert table.paths_from(source).dist.tolist() == row.tolist()
    assert wp.path(graph, wp.Place(0.0001, -0.001), 8).snapped[0].vertex == 4


def test_calls_that_do_not_honour_turns_are_refused_by_name(crossing):
    graph = crossing(NO_RIGHT)
    table = wp.distances(graph, [4], [8])
    calls = {
        "DynamicPaths": lambda: wp.DynamicPaths(graph, 4),
        "verify of distances": lambda: wp.verify(graph, table),
        "predecessors=True": lambda: wp.distances(graph, [4], predecessors=True),
        "to_networkx": graph.to_networkx,
        "to_scipy": graph.to_scipy,
    }
    for name, call in calls.items():
        with pytest.raises(NotSupportedError, match=f"^{name} does not honour turn restrictions"):
            call()


def test_a_table_goes_to_a_file(crossing, tmp_path):
    graph = crossing(NO_RIGHT)
    wp.distances(graph, [4, 8], [8, 4], out=str(tmp_path / "a.npy"))
    assert np.array_equal(np.load(tmp_path / "a.npy"), wp.distances(graph, [4, 8], [8, 4]).dist)


def test_turns_stay_with_the_graph(crossing, tmp_path):
    graph = crossing(NO_RIGHT, turn_costs={"left": 5})
    formats.write(graph, tmp_path / "a.npz")
    back = formats.read(tmp_path / "a.npz")
    solver = pickle.loads(pickle.dumps(wp.Solver(graph)))  # noqa: S301
    for same in (back, solver.graph):
        assert same.turns.banned.tolist() == graph.turns.banned.tolist()
        assert same.turns.back.tolist() == graph.turns.back.tolist()
    for same in (back, graph.subgraph(graph.labels), solver.graph, graph.reversed().reversed()):
        assert (same.turns.left, same.turns.right, same.turns.u_turn) == (5, 0, None)
        assert wp.path(same, 4, 8).length == wp.path(graph, 4, 8).length
    assert back.turns.honoured == 1
    assert wp.path(graph.with_weights("seconds"), 4, 8).length == pytest.approx(
        wp.path(crossing(NO_RIGHT, turn_costs={"left": 5}, weight="seconds"), 4, 8).length
    )


def test_files_without_turns_are_refused(crossing, tmp_path):
    with pytest.raises(InputError, match=r"a\.csv: csv files hold no turns: write \.npz"):
        formats.write(crossing(NO_RIGHT), tmp_path / "a.csv")


def test_a_route_with_turns_is_drawn_and_exported(crossing):
    route = wp.path(crossing(NO_RIGHT), 4, 8)
    assert len(route.to_geojson()["geometry"]["coordinates"]) == 5
    pytest.importorskip("geopandas")
    frame = route.to_geodataframe(legs=True)
    assert frame["u"].tolist() == [4, 5, 6, 9]
    assert frame["distance"].tolist()[-1] == pytest.approx(route.length)
    pytest.importorskip("matplotlib")
    route.plot()


def test_the_reverse_of_a_graph_has_the_reverse_routes(crossing):
    graph = crossing(NO_RIGHT, turn_costs={"left": 7, "right": 3})
    assert np.allclose(wp.apsp(graph.reversed()).dist, wp.apsp(graph).dist.T)


def test_an_edge_of_infinite_weight_takes_its_turns_along(crossing):
    graph = crossing(NO_RIGHT)
    to_six = graph.edges()[1] == graph.index_of(6)
    closed = graph.with_weights(np.where(to_six, np.inf, graph.weights))
    assert closed.m == graph.m - 2
    assert list(wp.path(closed, 4, 8)) == [4, 1, 2, 5, 8]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"turn_costs": {"left": 5}, "turns": False}, "turn_costs has no effect without turns"),
        ({"turn_costs": {"sharp": 5}}, r"turn_costs\['sharp'\] = 5: .*left, right, u_turn"),
        ({"turn_costs": {"left": -1}}, r"turn_costs\['left'\] = -1: a cost is a number >= 0"),
        ({"turn_costs": {"left": "x"}}, r"turn_costs\['left'\] = 'x'"),
        ({"turn_costs": 5}, "turn_costs"),
        ({"turns": "yes"}, "turns"),
    ],
)
def test_wrong_options_are_refused(crossing, options, message):
    with pytest.raises(InputError, match=message):
        crossing(**options)


def test_turns_need_coordinates_and_fitting_weights():
    rows = wp.Graph.of([(0, 1, 2), (1, 2, 3), (1, 3, 3)])
    line = wp.Graph(
        rows.indptr, rows.indices, rows.weights, turns=Turns([], [-1, -1, -1], left=1.5)
    )
    with pytest.raises(GraphError, match="left and right turns need coordinates"):
        wp.path(line, 0, 2)
    with pytest.raises(GraphError, match="turn costs must be integers"):
        wp.path(line.with_coordinates([[0, 0], [1, 0], [1, 1], [2, 0]]), 0, 2)
    with pytest.raises(GraphError, match="turns do not belong to the m = 3 edges"):
        wp.Graph(rows.indptr, rows.indices, rows.weights, turns=Turns([[0, 3]], [-1, -1, -1]))


def test_a_real_extract_has_its_restrictions(data_folder):
    path = data_folder / "liechtenstein-latest.osm.pbf"
    plain, turned = (formats.read(path, weight="seconds", turns=turns) for turns in (False, True))
    assert (turned.turns.honoured, turned.turns.ignored) == (2, {"outside the network": 1})
    sources = plain.labels[:: len(plain.labels) // 40]
    before, after = (wp.distances(graph, sources, sources).dist for graph in (plain, turned))
    assert (after >= before).all()
    assert np.isfinite(after).sum() == np.isfinite(before).sum()
