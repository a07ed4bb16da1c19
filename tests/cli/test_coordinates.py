"""Coordinates in place of ids: in arguments and in columns of files."""

from __future__ import annotations

import pytest

import warpath as wp

GRAPH = "p sp 4 4\na 1 2 2\na 2 3 5\na 3 4 1\na 4 1 4\n"
POINTS = "p aux sp co 4\n" + "".join(
    f"v {v} {x} {y}\n"
    for v, x, y in (
        (1, -73980000, 40750000),
        (2, -73970000, 40750000),
        (3, -73970000, 40760000),
        (4, -73980000, 40760001),
    )
)


@pytest.fixture
def town(tmp_path):
    (tmp_path / "town.co").write_text(POINTS)
    path = tmp_path / "town.gr"
    path.write_text(GRAPH)
    return path


@pytest.fixture
def file(tmp_path):
    def write(text, name="places.csv"):
        path = tmp_path / name
        path.write_text(text)
        return path

    return write


def test_a_coordinate_is_an_id_of_every_command(warpath, town, file):
    place = "-73.9801,40.75"
    run = warpath("sssp", town, "--source", place, "--json")
    assert run.json["source"] == 1
    assert "-73.9801,40.75 is taken as the point after 100 % of the edge 4 -> 1, 8.4 m" in run.err
    run = warpath("path", town, place, "-73.97,40.7601", "--json")
    assert run.json["vertices"] == [1, 2, 3]
    assert "is taken as the point after 0.00025 % of the edge 3 -> 4, 11 m away" in run.err
    assert warpath("within", town, "-s", place, "-c", 2, "--json").json["source"] == 1
    several = warpath("within", town, "-s", f"{place};3", "-c", 1, "--json").json
    assert (several["source"], several["within"]) == ([1, 3], [{"cutoff": 1, "vertices": 3}])
    assert "from the nearest of 2 sources" in warpath("within", town, "-s", "1,3", "-c", 1).out
    assert warpath("nearest", town, "-f", place).code == 0
    assert warpath("plan", town, "--from", place, "--to", 2).code == 0
    table = file("", "table.npz")
    warpath("sssp", town, "--source", 1, "-o", table)
    assert warpath("verify", town, table, "--source", place).code == 0


def test_lists_mix_ids_and_coordinates(warpath, town):
    out = warpath("distances", town, "-s", "-73.9801,40.75;4", "--targets", "2;-73.97,40.76").out
    assert out == "source\t2\t3\n1\t2\t7\n4\t6\t11\n"
    assert warpath("distances", town, "-s", "-73.98,40.75", "--targets", "1,2").out.endswith(
        "0\t2\n"
    )
    run = warpath("distances", town, "-s", "1;-73.98,40.75;-73.97,40.75", "--targets", 2)
    assert run.out == "source\t2\n1\t2\n1\t2\n2\t0\n"


def test_files_have_columns_of_coordinates(warpath, town, file):
    depots = file('name,Lon,"LAT"\nNorth,-73.98,40.76\nSouth,-73.9801,40.75\n')
    run = warpath("distances", town, "--sources", depots, "--targets", 2)
    assert run.out == "source\t2\nNorth\t6\nSouth\t2\n"
    assert "-73.98,40.76 is taken as the point after 0.01 % of the edge 4 -> 1, 0 m" in run.err
    assert "is taken as the point after 100 % of the edge 4 -> 1, 8.4 m away" in run.err
    ids = file("vertex,lon,lat\n3,0,0\n", "ids.csv")
    assert warpath("distances", town, "--sources", ids, "--targets", 2).out == "source\t2\n3\t7\n"
    header = "origin_lon,origin_lat,destination_lon,destination_lat\n"
    trips = file(header + "-73.98,40.75,-73.97,40.76\n-73.97,40.75,-73.98,40.76\n", "trips.csv")
    run = warpath("pairs", town, trips)
    assert run.out.splitlines() == [
        "origin\tdestination\tdistance\torigin_snap\tdestination_snap\tfar",
        "1\t3\t7\t0.0\t0.0\tno",
        "2\t4\t6\t0.0\t0.0\tno",
    ]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("lon,lat\n-73.98,40.75\n\n-70,40.75\n", "places.csv:4: Place(-70, 40.75) is 3"),
        ("lon,lat\n40.75,-73.98\n", "places.csv:2: longitude and latitude are swapped"),
        (
            "lon,lat\n-73.98\n",
            "places.csv:2: expected a longitude and a latitude, found '-73.98' and ''",
        ),
        (
            "lon,lat\n-73.98,north\n",
            "expected a longitude and a latitude, found '-73.98' and 'north'",
        ),
        ("lon;lat\n-73,98;1.040,75\n", "found '-73,98' and '1.040,75'"),
        ("id,lon\n77,-73.98\n", "It has the column lon, but no column lat."),
        ("id,latitude\n77,40.75\n", "It has the column latitude, but no column lon."),
        ("lon,lat\n", "places.csv: the file lists no place"),
    ],
)
def test_wrong_rows_are_named_by_their_line(warpath, town, file, text, message):
    run = warpath("distances", town, "--sources", file(text), "--targets", 2)
    assert run.code == 3
    assert message in run.err
    assert "within=" not in run.err


def test_files_may_have_semicolons_and_decimal_commas(warpath, town, file):
    for rows in ("-73,98;40,76\n", "-73,98;40.76\n", "-73.98;40.76\n"):
        run = warpath("distances", town, "--sources", file(f"lon;lat\n{rows}"), "--targets", 2)
        assert run.out == "source\t2\n4\t6\n"
    quoted = file('lon,lat\n"-73,98","40,76"\n')
    run = warpath("distances", town, "--sources", quoted, "--targets", 2)
    assert run.out == "source\t2\n4\t6\n"


def test_trips_without_one_of_the_coordinates_columns_name_it(warpath, town, file):
    trips = file("origin_lon,origin_lat,destination_lon\n-73.98,40.75,-73.97\n", "trips.csv")
    run = warpath("pairs", town, trips)
    assert run.code == 3
    assert "It has the column destination_lon, but no column destination_lat." in run.err


def test_a_coordinate_needs_a_graph_with_coordinates(warpath, roads):
    run = warpath("sssp", roads, "--source", "7.4,43.7")
    assert run.code == 3
    assert (
        "the graph has no coordinates, so 7.4,43.7 cannot be found on it: give them with --co"
        in run.err
    )


def test_all_coordinates_of_a_file_that_miss_are_counted_with_the_first_line(warpath, town, file):
    places = file("lon,lat\n-73.98,40.75\n-70,40.75\n\n-70.5,40.75\n")
    run = warpath("distances", town, "--sources", places, "--targets", 2)
    assert run.code == 3
    assert "places.csv:3: 2 of 3 places are too far from the graph, 29" in run.err
    assert "the first is line 3: Place(-70, 40.75) is" in run.err
    header = "origin_lon,origin_lat,destination_lon,destination_lat\n"
    trips = file(header + "-73.98,40.75,-73.97,40.76\n-73.97,40.75,-70,40.76\n", "trips.csv")
    run = warpath("pairs", town, trips)
    assert "trips.csv:3: Place(-70, 40.76) is" in run.err
    mixed = file('origin,destination\n1,3\n2,"-70,40.75"\n', "mixed.csv")
    run = warpath("pairs", town, mixed, "--coordinates", town.with_suffix(".co"))
    assert "mixed.csv:3: Place(-70, 40.75) is" in run.err


@pytest.mark.parametrize(
    ("command", "arguments"),
    [
        ("sssp", ["-s", "PLACE"]),
        ("path", ["PLACE", "3"]),
        ("distances", ["-s", "PLACE", "--targets", "2"]),
        ("pairs", ["FILE"]),
        ("nearest", ["-f", "FILE"]),
        ("within", ["-s", "PLACE", "-c", "2"]),
        ("plan", ["--from", "PLACE", "--to", "2"]),
    ],
)
def test_within_allows_more_metres_in_every_command(warpath, town, file, command, arguments):
    place = "-74.0,40.75"
    header = "origin_lon,origin_lat,destination_lon,destination_lat,lon,lat\n"
    rows = file(f"{header}{place},-73.97,40.76,{place}\n", "rows.csv")
    words = [{"PLACE": place, "FILE": rows}.get(word, word) for word in arguments]
    run = warpath(command, town, *words)
    assert run.code == 3
    assert "is 1,685 m from the ne" in run.err
    assert "Correct the coordinate, or allow more with --within METRES." in run.err
    run = warpath(command, town, *words, "--within", "1700")
    assert run.code == 0
    assert "1,685 m away" in run.err


def test_within_without_a_coordinate_is_refused(warpath, town):
    run = warpath("sssp", town, "-s", "1", "--within", "50")
    assert run.code == 2
    assert "--within is for coordinates like 7.41,43.73, and none is given" in run.err


def test_a_coordinate_far_away_is_refused_in_words_of_the_command(warpath, town):
    run = warpath("sssp", town, "--source", "7.4,43.7")
    assert run.code == 3
    assert "from the network, and 1,000 m is the most" in run.err
    assert "within=" not in run.err
    assert warpath("sssp", town, "--source", "40.75,-73.98").err.count("swapped") == 1


def test_a_table_of_no_trips_with_coordinates_has_no_distances(warpath, town, file):
    trips = file("origin_lon,origin_lat,destination_lon,destination_lat\n")
    run = warpath("pairs", town, trips)
    assert (run.code, run.out) == (0, "origin\tdestination\tdistance\n")


def test_a_label_that_looks_like_a_coordinate_is_a_label(warpath, file):
    graph = file("", "named.npz")
    wp.write(wp.Graph.of([("1.5,2.5", "b", 7), ("b", "c", 1)]), graph)
    assert warpath("path", graph, "1.5,2.5", "c", "--json").json["length"] == 8


def test_results_have_the_names_of_places(warpath, town, file, tmp_path):
    depots = file("id,lon,lat\nNorth,-73.98,40.76\n,-73.9801,40.75\n7,-73.97,40.75\n")
    run = warpath("distances", town, "-s", depots, "--targets", depots, "-o", tmp_path / "od.csv")
    assert not run.code
    head, *rows = (tmp_path / "od.csv").read_text().splitlines()
    assert head == "source,North,1,7"
    assert [row.split(",")[0] for row in rows] == ["North", "1", "7"]
    long = warpath("distances", town, "-s", depots, "--targets", "2", "--long", "--json").json
    assert [row["source"] for row in long["distances"]] == ["North", "1", "7"]
    mills = file("name,lon,lat\nMill,-73.98,40.76\nFarm,-73.97,40.75\n", "mills.csv")
    run = warpath("nearest", town, "-f", mills, "-o", tmp_path / "areas.csv")
    rows = (tmp_path / "areas.csv").read_text().splitlines()
    assert rows == ["vertex,facility,distance", "1,Mill,4", "2,Farm,0", "3,Farm,5", "4,Farm,6"]
    assert "Farm, 3 vertices" in run.out
    assert "\tMill\t" in warpath("nearest", town, "-f", mills, "--all").out
    assert "Mill" in warpath("within", town, "-s", mills, "-c", 9, "--json").out


def test_missing_rows_are_flagged_where_that_is_requested(warpath, town, file):
    header = "origin_lon,origin_lat,destination_lon,destination_lat\n"
    rows = "-73.98,40.75,-73.97,40.76\n,,-73.97,40.76\n-73.98,40.75,-70,40.76\n"
    trips = file(header + rows, "trips.csv")
    run = warpath("pairs", town, trips)
    assert "trips.csv:3: expected a longitude and a latitude, found '' and ''" in run.err
    run = warpath("pairs", town, trips, "--missing", "flag")
    near, missing, far = run.out.splitlines()[1:]
    assert (near, missing) == ("1\t3\t7\t0.0\t0.0\tno", "\t3\t\t\t0.0\tno")
    assert far.startswith("1\t\t\t0.0\t334344.0")
    assert far.endswith("\tyes")
    assert "1 of 6 vertices and places are missing: they are unreachable" in run.err
    assert "missing places are unreachable: line 4: Place(-70, 40.76) is " in run.err
    sources = file("lon,lat\n-73.98,40.75\nNA,\n-70,40.75\n")
    run = warpath("distances", town, "-s", sources, "--targets", 2, "--missing", "flag")
    assert run.out == "source\t2\n1\t2\n\t\n\t\n"
    by_id = file("origin,destination\n1,3\n2,\n", "ids.csv")
    run = warpath("pairs", town, by_id, "--missing", "flag")
    assert run.out == "origin\tdestination\tdistance\n1\t3\t7\n2\t\t\n"
    run = warpath("pairs", town, trips, "--missing", "skip")
    assert "--missing 'skip' must be raise or flag." in run.err
