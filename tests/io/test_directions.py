from __future__ import annotations

import pytest

import warpath as wp
from warpath.base.errors import InputError

pandas = pytest.importorskip("pandas")


def edges_of(graph):
    table = graph.edge_table()
    columns = (table[name].tolist() for name in ("source", "target", "weight"))
    return sorted(zip(*columns, strict=True))


def frame(text):
    """Return a data frame of a header and rows, of numbers where all of a column are numbers."""
    names, *rows = (line.split(",") for line in text.strip().splitlines())
    columns = dict(zip(names, map(list, zip(*rows, strict=True)), strict=True))
    data = pandas.DataFrame(columns)
    for name in data:
        numbers = pandas.to_numeric(data[name].replace("", None), errors="coerce")
        if numbers.notna().eq(data[name] != "").all():
            data[name] = numbers
    return data


@pytest.fixture(params=["csv", "frame", "parquet", "dictionary"])
def read(request, tmp_path):
    """A function that reads a table of text as a file, a data frame or a dictionary."""

    def read(text, **options):
        if request.param == "csv":
            path = tmp_path / "links.csv"
            path.write_text(text)
            return wp.read(path, **options)
        data = frame(text)
        if request.param == "dictionary":
            return wp.Graph.of({name: data[name] for name in data}, **options)
        if request.param == "frame":
            return wp.Graph.of(data, **options)
        pytest.importorskip("pyarrow")
        data.to_parquet(tmp_path / "links.parquet")
        return wp.read(tmp_path / "links.parquet", **options)

    return read


PGROUTING = "id,source,target,cost,reverse_cost,length_m\n1,1,2,5,7,9\n2,2,3,-1,4,8\n3,3,4,6,-1,7\n"


def test_negative_costs_of_pgrouting_are_closed(read):
    graph = read(PGROUTING)
    assert edges_of(graph) == [(1, 2, 5), (2, 1, 7), (3, 2, 4), (3, 4, 6)]
    assert list(graph.read_report.values()) == ["1 one way, 1 against their row, 1 both ways"]
    lengths = read(PGROUTING, weight="length_m")
    assert edges_of(lengths) == [(1, 2, 9), (2, 1, 9), (3, 2, 8), (3, 4, 7)]
    both = read("source,target,source_osm,target_osm,cost\n1,2,901,902,5\n")
    assert edges_of(both) == [(1, 2, 5)]


def test_a_row_that_is_closed_both_ways_keeps_its_vertices_and_a_cost_of_0_is_open(read):
    graph = read("source,target,cost,reverse_cost\n1,2,0,4\n7,8,-1,-1\n")
    assert graph.labels.tolist() == [1, 2, 7, 8]
    assert edges_of(graph) == [(1, 2, 0), (2, 1, 4)]
    assert list(graph.read_report.values()) == ["1 both ways, 1 closed"]


AEQUILIBRAE = (
    "link_id,a_node,b_node,direction,distance,travel_time_ab,travel_time_ba\n"
    "1,1,2,0,5,3,4\n2,2,3,1,6,3,\n3,3,4,-1,7,,9\n"
)


def test_directions_of_aequilibrae_take_the_times_of_both_sides(read):
    with pytest.raises(InputError, match="could be 'distance' or 'travel_time_ab'"):
        read(AEQUILIBRAE)
    assert edges_of(read(AEQUILIBRAE, weight="distance")) == [
        (1, 2, 5), (2, 1, 5), (2, 3, 6), (4, 3, 7),
    ]  # fmt: skip
    assert edges_of(read(AEQUILIBRAE, weight="travel_time_ab")) == [
        (1, 2, 3), (2, 1, 4), (2, 3, 3), (4, 3, 9),
    ]  # fmt: skip


def test_a_missing_time_of_an_open_direction_is_refused(read):
    text = "a_node,b_node,direction,time_ab,time_ba\n1,2,1,2,\n2,3,0,3,\n"
    with pytest.raises(InputError, match="row 1 of column 'time_ba' is missing"):
        read(text, weight="time_ab")


@pytest.mark.parametrize(
    ("header", "values"), [("directed", "true false"), ("dir_flag", "1 0"), ("directed", "1 0")]
)
def test_links_of_gmns_are_directed_or_not(read, header, values):
    first, second = values.split()
    text = f"link_id,from_node_id,to_node_id,{header},length\n1,1,2,{first},5\n2,2,3,{second},4\n"
    assert edges_of(read(text)) == [(1, 2, 5), (2, 3, 4), (3, 2, 4)]


def test_types_of_gephi_are_directions(read):
    text = "Source,Target,Type,Id,Weight\n1,2,Directed,0,2.5\n2,3,Undirected,1,1\n"
    assert edges_of(read(text)) == [(1, 2, 2.5), (2, 3, 1.0), (3, 2, 1.0)]
    roads = read("source,target,type,weight\n1,2,road,2\n2,3,path,3\n")
    assert (roads.m, roads.read_report) == (2, {})


@pytest.mark.parametrize(
    "values",
    ["yes,,-1,no", "1,0,-1,0", "FT,,TF,B", "F,B,T,B", "true,false,reverse,FALSE", "t,f,-1,f"],
)
def test_a_column_of_directions_is_used_when_it_is_named(read, values):
    rows = [f"{at},{at + 1},{value},2" for at, value in enumerate(values.split(","))]
    text = "\n".join(["from,to,oneway,length", *rows])
    ignored = read(text)
    assert ignored.m == 4
    assert ignored.read_report == {"column 'oneway' is not used": "oneway='oneway' reads it"}
    graph = read(text, oneway="oneway")
    assert [edge[:2] for edge in edges_of(graph)] == [
        (0, 1), (1, 2), (2, 1), (3, 2), (3, 4), (4, 3),
    ]  # fmt: skip
    assert read(text, oneway=None).read_report == {}
    assert read(text, oneway=False).m == 8


def test_a_closed_street_of_esri_has_no_edge(read):
    graph = read("from,to,way,length\n1,2,FT,2\n2,3,N,3\n3,4,TF,1\n", oneway="way")
    assert edges_of(graph) == [(1, 2, 2), (4, 3, 1)]


def test_a_column_that_is_true_for_both_ways_is_the_opposite(read):
    graph = read("from,to,bidirectional,km\n1,2,true,2\n2,3,false,3\n", oneway="bidirectional")
    assert edges_of(graph) == [(1, 2, 2), (2, 1, 2), (2, 3, 3)]


def test_weights_against_the_row_can_be_named(read):
    text = "from,to,up,down\n1,2,5,3\n2,3,4,-1\n"
    graph = read(text, weight="up", reverse_weight="down")
    assert edges_of(graph) == [(1, 2, 5), (2, 1, 3), (2, 3, 4)]


def test_rows_of_osmnx_are_directed_already(read):
    text = "u,v,key,oneway,length\n1,2,0,True,5\n2,3,0,False,4\n3,2,0,False,4\n"
    graph = read(text)
    assert edges_of(graph) == [(1, 2, 5), (2, 3, 4), (3, 2, 4)]
    assert graph.read_report == {
        "column 'oneway'": "rows are directed: OSMnx lists both directions"
    }


def test_kept_columns_belong_to_both_directions(read):
    text = "from,to,oneway,km,lanes\n1,2,no,5,2\n2,3,yes,4,7\n"
    graph = read(text, oneway="oneway", weight="km", attributes=["lanes"])
    table = graph.edge_table()
    assert table["lanes"].tolist() == [2, 2, 7]
    assert graph.with_weights([8, 9], order="input").weights.tolist() == [8, 8, 9]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"oneway": "way"}, "row 1 of column 'way' is 'maybe', which is not a direction: 1, yes"),
        ({"oneway": "letters"}, "'letters' has T and F, which could be true and false, or to-from"),
        ({"oneway": "x"}, "there is no column 'x'"),
        ({"oneway": True, "directed": False}, "oneway=True and directed=False contradict"),
        ({"oneway": "way", "directed": True}, "oneway='way' and directed=True contradict"),
        ({"reverse_weight": "km", "weight": None}, "reverse_weight='km' needs weight="),
    ],
)
def test_what_is_no_direction_is_refused(read, options, message):
    with pytest.raises(InputError, match=message):
        read("from,to,way,letters,km\n1,2,yes,T,5\n2,3,maybe,F,4\n", **options)


def test_directed_overrides_the_directions_of_a_format(read):
    graph = read(PGROUTING.replace("-1", "1"), directed=True)
    assert (graph.m, graph.directed) == (3, True)
    assert graph.read_report == {
        "column 'reverse_cost' is not used": "reverse_weight='reverse_cost' reads it"
    }
    assert read(PGROUTING.replace("-1", "1"), directed=False).m == 6


def test_lines_against_their_direction_are_reversed():
    geopandas = pytest.importorskip("geopandas")
    shapely = pytest.importorskip("shapely")
    line = shapely.LineString([(0, 0), (1, 1), (2, 0)])
    data = geopandas.GeoDataFrame(
        {"a_node": [1], "b_node": [2], "direction": [-1], "distance": [5]}, geometry=[line]
    )
    graph = wp.Graph.of(data)
    assert edges_of(graph) == [(2, 1, 5)]
    assert wp.path(graph, 2, 1).line.tolist() == [[2, 0], [1, 1], [0, 0]]
    both = wp.Graph.of(data.assign(direction=[0]))
    assert wp.path(both, 2, 1).line.tolist() == [[2, 0], [1, 1], [0, 0]]
    assert wp.path(both, 1, 2).line.tolist() == [[0, 0], [1, 1], [2, 0]]
