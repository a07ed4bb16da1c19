from __future__ import annotations

import gc
import os
import signal
import sys
import threading
import time
from contextlib import suppress
from pathlib import Path

import pytest

from support import tiers

# Programs that tests start find what the tests share and the developers' programs.
_FOLDERS = [str(Path(__file__).parent), str(Path(__file__).parents[1] / "tools")]
os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, [*_FOLDERS, os.environ.get("PYTHONPATH")]))
# Byte code is kept: hundreds of programs are started, and each would compile the package again.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False


def pytest_configure(config):
    """Choose the examples of Hypothesis: the same everywhere without a seed, more in a full run."""
    with suppress(ImportError):  # a machine that only runs the tests of its GPU has none
        from hypothesis import HealthCheck, settings

        # No time limit for one: a busy machine is no failure.
        settings.register_profile(
            "project",
            max_examples=1000 if config.getoption("--full") else 50,
            deadline=None,
            derandomize=config.getoption("--hypothesis-seed", default=None) is None,
            database=None,
            suppress_health_check=[HealthCheck.too_slow],
        )
        settings.load_profile("project")


def pytest_collection_finish():
    """Spare the garbage collector the tests themselves: they are a million objects that stay."""
    gc.collect()
    gc.freeze()


@pytest.fixture(scope="module", autouse=True)
def small_process():
    """Give to the system what the tests of a file freed: a worker runs the tests of many files."""
    from support.memory import give_back

    yield
    give_back()


@pytest.fixture
def wide_indices(monkeypatch):
    """Give the graphs of a test indices of 64 bits, as those of 2^31 vertices have."""
    from support import corpus_case
    from warpath.graph import checks

    corpus_case._built.cache_clear()
    monkeypatch.setattr(checks, "NARROW_LIMIT", 1)
    yield
    corpus_case._built.cache_clear()


@pytest.fixture(scope="session", autouse=True)
def heard_interrupt():
    """Have Python hear SIGINT even where a job in the background was started deaf to it."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.fixture(autouse=True)
def only_recipes_of_the_package():
    """Forget the recipes that a test, or an example of the documentation, has registered."""
    yield
    from warpath.recipes import CATALOGUE

    CATALOGUE._registered.clear()


@pytest.fixture(autouse=True)
def no_gpu_but_for_its_tests(request, monkeypatch):
    """Hide the GPUs of this machine from tests that are not about them: those pass everywhere."""
    from warpath.engines import cuda

    if request.node.get_closest_marker("gpu") is None:
        monkeypatch.setitem(sys.modules, "cupy", None)
        monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "")
    cuda.seen.cache_clear()


@pytest.fixture
def work_after_ctrl_c():
    """Press Ctrl-C in a call that goes on for long; return what it still worked, in seconds.

    Seconds of this process's work, of all its threads, which pass only while the call goes on:
    others may be busy on the same machine.
    """

    def press(call) -> float:
        pressed: list[float] = []
        ended = threading.Event()
        begun = time.process_time()

        def interrupt() -> None:
            while time.process_time() < begun + 0.3:
                if ended.wait(0.01):
                    return
            pressed.append(time.process_time())
            signal.raise_signal(signal.SIGINT)

        presser = threading.Thread(target=interrupt)
        presser.start()
        try:
            with pytest.raises(KeyboardInterrupt):
                call()
        finally:
            ended.set()
            presser.join()
        return time.process_time() - pressed[0]

    return press


@pytest.fixture(scope="session")
def data_folder() -> Path:
    """The folder of real graphs beside the repository; without it their tests skip."""
    folder = Path(__file__).resolve().parents[2] / "shared" / "data"
    if not folder.is_dir():
        pytest.skip(f"the real graphs are not here: {folder} does not exist")
    return folder


@pytest.fixture
def file(tmp_path):
    """Write a small file and return its path: file("roads.gr", "p sp 1 0")."""

    def make(name: str, content: str | bytes) -> Path:
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return make


def pytest_report_header(config):
    from support.gpus import no_gpu

    lines = [f"tests/gpu is not collected: {no_gpu()}"] if no_gpu() else []
    if not config.getoption("--full") and not config.getoption("--changed"):
        lines.append("tests marked `full` are deselected: --full or --changed runs them")
    return lines


def pytest_addoption(parser):
    parser.addoption("--full", action="store_true", help="run also the slow tests, marked `full`")
    parser.addoption(
        "--changed", action="store_true", help="run only the slow tests that no full run recorded"
    )


def pytest_collection_modifyitems(config, items):
    """Mark tests on several threads, and leave out the slow ones unless an option chooses them.

    `make sanitize` runs the tests on several threads, which a parameter shows.
    """
    full, changed = config.getoption("--full"), config.getoption("--changed")
    left_out = []
    for item in items:
        parameters = item.callspec.params if hasattr(item, "callspec") else {}
        if parameters.get("threads", 1) > 1:
            item.add_marker(pytest.mark.threads)
        part = item.get_closest_marker("full")
        if part is None:
            left_out += [item] if changed else []
            continue
        name, *globs = part.args
        globs.append(item.path.relative_to(tiers.ROOT).as_posix())
        item.user_properties.append(("full", f"{name}={tiers.digest(*globs)}"))
        if not full and (not changed or tiers.is_recorded(name, *globs)):
            left_out.append(item)
    if left_out:
        config.hook.pytest_deselected(items=left_out)
        gone = set(left_out)
        items[:] = [item for item in items if item not in gone]


@pytest.fixture(scope="session")
def emulated_sssp():
    """`wp.sssp` with the emulator for every GPU; what runs on the CPU runs on the CPU."""
    from support.emulated_calls import sssp_on
    from support.kernels import CACHE, prepare
    from support.recipes import on_gpu
    from warpath.engines.emulator.device import EmulatedDevice

    device = EmulatedDevice(seed=5, cache=CACHE)
    prepare(device, on_gpu(), "int32")  # together: alone, each kernel would compile all headers
    return sssp_on(device)
