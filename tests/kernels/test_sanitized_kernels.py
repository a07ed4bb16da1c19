"""Sanitizers see what the emulated threads do to each other, and to their arrays."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from support.tiers import EMULATOR

# One process for each sanitizer: to start it takes longer than to run all kernels.
pytestmark = pytest.mark.full("sanitizers of the emulator", *EMULATOR)

SCRIPT = """
import ast, os, sys
from pathlib import Path
import numpy as np
from warpath.engines.emulator.device import EmulatedDevice, EmulationError, Unit

device = EmulatedDevice(sanitize=sys.argv[1], cache=Path(sys.argv[2]))
signature = 'extern "C" __global__ void {}(int* x, int* y) {{\\n{}\\n}}'
bodies = ast.literal_eval(sys.stdin.read())
units = {name: Unit(name, signature.format(name, body)) for name, body in bodies.items()}
device.prepare(units.values())
for name, unit in units.items():
    os.write(2, f"\\n<<< {name}\\n".encode())
    for seed in range(3):
        device.seed = seed
        try:
            device.launch(unit, 3, np.zeros(1024, np.int32), np.zeros(1024, np.int32))
        except EmulationError as error:
            os.write(2, f"{error}\\n".encode())
os.write(2, b"\\n<<< end\\n")
"""

ALL = "const int me = blockIdx.x * 64 + threadIdx.x, count = gridDim.x * 64; (void)me, (void)count;"
SHARED = "WARPATH_SHARED(int, kept, 64); kept[threadIdx.x] = me;"
LOAD = "int v; __nv_atomic_load(x, &v, __NV_ATOMIC_{}, __NV_THREAD_SCOPE_DEVICE);"
STORE = "int w = 1; __nv_atomic_store(x, &w, __NV_ATOMIC_{}, __NV_THREAD_SCOPE_DEVICE);"
HAND_OVER = (
    "if (me == 64) {{ y[0] = 5; {} }}\n"
    "if (me == 0) {{ int seen = 0; while (!seen) {{ {} seen = v; }} y[1] = y[0]; }}"
)
TURNS = (
    "for (int i = 0; i < 4; ++i) {{ if (threadIdx.x == i * 9) kept[0] += i; __syncthreads();\n"
    "x[me] += kept[0]; {} }}"
)
LAST = (
    "y[me] = 1; {0} if (atomicAdd(x, 1) == count - 1) {{ {0} int s = 0;\n"
    "for (int i = 0; i < count; ++i) s += y[i]; y[0] = s; }}"
)

SOUND = {
    "barrier": f"{SHARED} __syncthreads(); x[me] = kept[63 - threadIdx.x];",
    "turns": f"{SHARED} __syncthreads(); {TURNS.format('__syncthreads();')}",
    "lanes": f"{SHARED} __syncwarp(); x[me] = kept[threadIdx.x ^ 1];",
    "half_lanes": f"{SHARED} if (threadIdx.x & 1) __syncwarp(0xaaaaaaaau);\n"
    "if (threadIdx.x & 1) x[me] = kept[threadIdx.x ^ 2];",
    "grid": "y[me] = me; grid_barrier(); x[me] = y[count - 1 - me];",
    "atomics": "atomicMin(&x[0], me); atomicMin(&x[0], me / 2);",
    "relaxed": f"{LOAD.format('RELAXED')} if (v > me) atomicMin(x, me);",
    "both_relaxed": f"{STORE.format('RELAXED')} {LOAD.format('RELAXED')} y[me] = v;",
    "released": HAND_OVER.format(STORE.format("RELEASE"), LOAD.format("ACQUIRE")),
    "fenced": LAST.format("__threadfence();"),
    "deadlock": "if (threadIdx.x == 3) __syncwarp(); else __syncthreads();",
    "after_a_deadlock": f"{SHARED} __syncthreads(); x[me] = kept[63 - threadIdx.x];",
}
RACING = {
    "no_barrier": f"{SHARED} x[me] = kept[63 - threadIdx.x];",
    "no_second_barrier": f"{SHARED} __syncthreads(); {TURNS.format('')}",
    "two_stores": "if (threadIdx.x == 0) x[0] = blockIdx.x;",
    "same_stores": "x[0] = 1;",
    "load_and_atomic": "if (x[0] > me) y[me] = 1;\natomicMin(&x[0], me);",
    "store_and_atomic": "if (me == 7) x[0] = 3; else atomicMin(&x[0], me);",
    "store_and_relaxed": f"if (me == 7) x[0] = 3; else {{ {LOAD.format('RELAXED')} y[me] = v; }}",
    "ballot_is_no_barrier": f"{SHARED} __ballot_sync(~0u, 1); x[me] = kept[threadIdx.x ^ 1];",
    "other_lanes": f"{SHARED} __syncwarp(); x[me] = kept[threadIdx.x ^ 32];",
    "barrier_of_a_block": "y[me] = me; __syncthreads(); x[me] = y[count - 1 - me];",
    "relaxed_hand_over": HAND_OVER.format(STORE.format("RELAXED"), LOAD.format("RELAXED")),
    "unfenced": LAST.format(""),
}
OUTSIDE = {
    "beyond": "if (me == 0) x[1024] = 1;",
    "before": "if (me == 0) y[0] = x[-1];",
    "shared_beyond": f"{SHARED} WARPATH_SHARED(int, next, 9); next[me % 9] = 0;\n"
    "if (me == 0) kept[64] = 1;",
}


def reports(sanitizer: str, bodies: dict[str, str], cache: Path) -> dict[str, str]:
    """Return what the sanitizer says about each kernel."""
    libraries = [f"lib{sanitizer[0]}san.so", "libstdc++.so"]
    paths = [
        subprocess.run(
            ["g++", f"-print-file-name={name}"],  # noqa: S607
            capture_output=True,
            text=True,
            check=True,
        ).stdout.strip()
        for name in libraries
    ]
    if not all(Path(path).is_absolute() for path in paths):
        pytest.skip(f"g++ comes without {libraries[0]}")
    environment = {
        **os.environ,
        "LD_PRELOAD": " ".join(paths),
        "TSAN_OPTIONS": "halt_on_error=0:exitcode=0:suppress_equal_addresses=0",
        "ASAN_OPTIONS": "detect_leaks=0:halt_on_error=0:exitcode=0",
    }
    ran = subprocess.run(
        [sys.executable, "-c", SCRIPT, sanitizer, str(cache)],
        input=repr({name: f"{ALL}\n{body}" for name, body in bodies.items()}),
        capture_output=True,
        text=True,
        env=environment,
        check=False,
    )
    parts = re.split(r"\n<<< (\w+)\n", ran.stderr)
    assert parts[-2:-1] == ["end"], ran.stderr[-2000:]
    return dict(zip(parts[1::2], parts[2::2], strict=True))


@pytest.fixture(scope="module")
def races(cache):
    return reports("thread", SOUND | RACING, cache)


@pytest.mark.parametrize("name", RACING)
def test_a_race_is_reported(races, name):
    assert "WARNING: ThreadSanitizer: data race" in races[name]
    assert re.search(rf"#\d {name} .*{name}:\d", races[name])
    assert re.search(r"Thread T\d+ 'block \d, thread \d+'", races[name])


@pytest.mark.parametrize("name", SOUND)
def test_a_sound_kernel_is_not_reported(races, name):
    assert "ThreadSanitizer" not in races[name]
    assert races[name].count("threads wait") == (3 if name == "deadlock" else 0)


@pytest.fixture(scope="module")
def addresses(cache):
    return reports("address", SOUND | OUTSIDE, cache)


@pytest.mark.parametrize("name", OUTSIDE)
def test_an_access_outside_of_an_array_is_reported(addresses, name):
    assert "ERROR: AddressSanitizer" in addresses[name]
    assert f"in {name} " in addresses[name]


@pytest.mark.parametrize("name", SOUND)
def test_an_access_within_the_arrays_is_not_reported(addresses, name):
    assert "AddressSanitizer" not in addresses[name]
