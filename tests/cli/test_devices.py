"""The option -d and the devices that the command shows."""

from __future__ import annotations

import pytest

from support.toy import registered


@pytest.fixture
def toy(monkeypatch):
    return registered(monkeypatch)


def test_the_command_solves_on_a_registered_device(warpath, roads, toy):
    done = warpath("sssp", roads, "-s", 1, "-d", "toy", "--json")
    assert done.code == 0, done.err
    assert done.json["plan"].startswith("classic.dijkstra on toy:0")
    assert toy.ran == [("classic.dijkstra", "toy:0")]


def test_the_command_solves_on_the_device_of_the_environment(warpath, roads, toy, monkeypatch):
    monkeypatch.setenv("WARPATH_DEVICE", "toy")
    assert warpath("sssp", roads, "-s", 1).code == 0
    assert toy.ran == [("classic.dijkstra", "toy:0")]


@pytest.mark.usefixtures("toy")
def test_the_command_lists_a_registered_device_where_another_name_is_refused(warpath, roads):
    for name in ("toy:7", "gpu"):
        refused = warpath("sssp", roads, "-s", 1, "-d", name)
        assert (refused.code, refused.out) == (2, "")
        known = "auto, cpu, cuda, cuda:1, emulated, dask or toy;"
        assert f"no device '{name}': use {known}" in refused.err


@pytest.mark.parametrize("name", ["cuda:x", "cuda:123456", "", "CUDA", "cpu:1"])
def test_a_device_that_is_not_valid_is_refused_by_option_and_environment(
    warpath, roads, monkeypatch, name
):
    refused = warpath("sssp", roads, "-s", 1, "-d", name)
    assert refused.code == 2
    known = (
        "auto, cpu, cuda, cuda:1, emulated or dask; for tables also all, cuda:*, cuda:0,1 or the "
        "address of a Dask scheduler, tcp://10.0.0.4:8786"
    )
    assert refused.err == f"warpath: there is no device {name!r}: use {known}.\n"
    monkeypatch.setenv("WARPATH_DEVICE", name)
    found = warpath("sssp", roads, "-s", 1)
    if not name:  # as if it were not set
        assert found.code == 0
        return
    assert found.code == 3
    known = "'cpu', 'cuda', 'cuda:1', 'emulated' or 'dask'"
    said = f"WARPATH_DEVICE={name!r} is not valid: use {known}, or unset it."
    assert found.err == f"warpath: {said}\n"


def test_doctor_says_what_is_wrong_with_the_device_of_the_environment(warpath, monkeypatch):
    monkeypatch.setenv("WARPATH_DEVICE", "abacus")
    said = warpath("doctor", "--json").json["settings"]["WARPATH_DEVICE"]
    assert said.startswith("WARPATH_DEVICE='abacus' is not valid: use 'cpu', ")
