"""The emulator, on kernels of its own: what CUDA promises, and what it does not promise shows."""

from __future__ import annotations

import ctypes

import numpy as np
import pytest

from warpath.engines.emulator.device import EmulatedDevice, EmulationError, Unit

SEEDS = range(20)


def kernel(name: str, arguments: str, body: str, before: str = "") -> Unit:
    return Unit(name, f'{before}extern "C" __global__ void {name}({arguments}) {{\n{body}\n}}\n')


def outputs(device, unit, blocks, *args, size=64, dtype=np.int32, seeds=SEEDS):
    """Return what the kernel writes into its first argument, for each seed."""
    found = []
    for seed in seeds:
        device.seed = seed
        out = device.put(np.zeros(size, dtype))
        device.launch(unit, blocks, out, *args)
        found.append(device.get(out).tolist())
    return found


REVERSE = """
WARPATH_SHARED(int, kept, 64);
kept[threadIdx.x] = threadIdx.x;
{between}
out[threadIdx.x] = kept[63 - threadIdx.x];
"""


def test_a_barrier_orders_shared_memory(device):
    unit = kernel("reverse", "int* out", REVERSE.format(between="__syncthreads();"))
    assert outputs(device, unit, 1) == [list(range(63, -1, -1))] * len(SEEDS)


def test_a_missing_barrier_shows(device):
    unit = kernel("reverse_unordered", "int* out", REVERSE.format(between=""))
    assert list(range(63, -1, -1)) not in outputs(device, unit, 1)


def test_a_barrier_that_is_missing_from_a_loop_shows_for_some_seed(device):
    body = """
    WARPATH_SHARED(int, kept, 64);
    int value = threadIdx.x;
    for (int i = 0; i < 3; ++i) {
      kept[threadIdx.x] = value;
      __syncthreads();
      value = kept[(threadIdx.x + 1) %% 64];
      %s
    }
    out[threadIdx.x] = value;
    """
    expected = [(t + 3) % 64 for t in range(64)]
    whole = kernel("rotate", "int* out", body % "__syncthreads();")
    lacking = kernel("rotate_lacking", "int* out", body % "")
    assert outputs(device, whole, 1) == [expected] * len(SEEDS)
    assert any(found != expected for found in outputs(device, lacking, 1))


def test_barriers_that_count(device):
    body = """
    const int odd = threadIdx.x % 2, last = threadIdx.x == 63;
    const int a = __syncthreads_count(odd), b = __syncthreads_or(last), c = __syncthreads_or(0);
    const int d = __syncthreads_and(1), e = __syncthreads_and(!last);
    out[threadIdx.x] = a * 10000 + b * 1000 + c * 100 + d * 10 + e;
    """
    unit = kernel("counting", "int* out", body)
    assert outputs(device, unit, 1) == [[321010] * 64] * len(SEEDS)


def test_a_barrier_does_not_wait_for_threads_that_returned(device):
    body = "if (threadIdx.x % 3) return;\nout[threadIdx.x] = __syncthreads_count(1);"
    unit = kernel("leaving", "int* out", body)
    expected = [0 if t % 3 else 22 for t in range(64)]
    assert outputs(device, unit, 1) == [expected] * len(SEEDS)


LANES = np.arange(64) % 32


@pytest.mark.parametrize(
    ("name", "call", "expected"),
    [
        ("shfl", "__shfl_sync(~0u, x, 5)", np.arange(64) // 32 * 32 + 5),
        ("shfl_8", "__shfl_sync(~0u, x, 11, 8)", np.arange(64) // 8 * 8 + 3),
        ("up", "__shfl_up_sync(~0u, x, 3)", np.arange(64) - np.where(LANES < 3, 0, 3)),
        ("down", "__shfl_down_sync(~0u, x, 3)", np.arange(64) + np.where(LANES > 28, 0, 3)),
        ("down_4", "__shfl_down_sync(~0u, x, 1, 4)", np.arange(64) + (np.arange(64) % 4 < 3)),
        ("xor", "__shfl_xor_sync(~0u, x, 17)", np.arange(64) ^ 17),
        ("ballot", "(int)__ballot_sync(~0u, x % 32 < 4)", np.full(64, 15)),
        ("any", "__any_sync(~0u, x == 40)", (np.arange(64) >= 32).astype(int)),
        ("all", "__all_sync(~0u, x < 40)", (np.arange(64) < 32).astype(int)),
        (
            "match",
            "(int)__match_any_sync(~0u, x & 16)",
            np.where(np.arange(64) & 16, -65536, 65535),
        ),
    ],
)
def test_warp_intrinsics(device, name, call, expected):
    unit = kernel(f"warp_{name}", "int* out", f"int x = threadIdx.x; out[x] = {call};")
    assert outputs(device, unit, 1) == [expected.tolist()] * len(SEEDS)


@pytest.mark.parametrize("type_", ["float", "double", "long long", "unsigned"])
def test_values_of_all_types_go_between_lanes(device, type_):
    body = f"""
    {type_} x = ({type_})threadIdx.x + ({type_})1 / 2;
    x = __shfl_xor_sync(~0u, x, 1);
    out[threadIdx.x] = x == ({type_})(threadIdx.x ^ 1) + ({type_})1 / 2;
    """
    unit = kernel(f"exchange_{type_.replace(' ', '_')}", "int* out", body)
    assert outputs(device, unit, 1) == [[1] * 64] * len(SEEDS)


def test_a_warp_intrinsic_takes_the_lanes_of_its_mask_alone(device):
    body = """
    const int t = threadIdx.x;
    if (t & 1) {
      for (int i = 0; i < 5; ++i) out[t] += (int)__ballot_sync(0xaaaaaaaau, t & 2);
    } else {
      out[t] = __shfl_sync(0x55555555u, t, 2);
    }
    __syncwarp();
    out[t] += out[t ^ 1] == 0;
    """
    ballot = np.int32(np.uint32(0x88888888 * 5 % 2**32).view(np.int32))
    expected = [int(ballot) if t & 1 else t // 32 * 32 + 2 for t in range(64)]
    unit = kernel("halves", "int* out", body)
    assert outputs(device, unit, 1) == [expected] * len(SEEDS)


TYPES = {
    "int": np.int32,
    "unsigned": np.uint32,
    "long long": np.int64,
    "unsigned long long": np.uint64,
}


@pytest.mark.parametrize("type_", TYPES)
@pytest.mark.parametrize("name", ["Min", "Max"])
def test_atomic_minima_and_maxima(device, name, type_):
    body = f"""
    const {type_} x = ({type_})((threadIdx.x * 37 + blockIdx.x * 11) % 101) - ({type_})50;
    atomic{name}(&out[0], x);
    """
    unit = kernel(f"atomic{name}_{type_.replace(' ', '_')}", f"{type_}* out", body)
    dtype = TYPES[type_]
    with np.errstate(over="ignore"):
        values = [((t * 37 + b * 11) % 101 - 50) for t in range(64) for b in range(3)]
        values = np.array(values).astype(dtype)
    start = np.iinfo(dtype).max if name == "Min" else np.iinfo(dtype).min
    for seed in SEEDS:
        device.seed = seed
        out = device.put(np.array([start], dtype))
        device.launch(unit, 3, out)
        assert out[0] == (values.min() if name == "Min" else values.max())


def test_atomics_return_what_was_there(device):
    body = """
    out[atomicAdd(&next[0], 1)] = 1;
    atomicOr(&next[1], 1 << (threadIdx.x % 31));
    int old = 0, seen;
    while ((seen = atomicCAS(&next[2], old, old + 1)) != old) old = seen;
    if (atomicExch(&next[3], 7) == 0) atomicAdd(&next[4], 1);
    """
    unit = kernel("returning", "int* out, int* next", body)
    for seed in SEEDS:
        device.seed = seed
        out, following = np.zeros(256, np.int32), np.zeros(5, np.int32)
        device.launch(unit, 4, out, following)
        assert out.all()
        assert following.tolist() == [256, 2**31 - 1, 256, 7, 1]


UPDATE = """
int value;
__nv_atomic_load(out, &value, __NV_ATOMIC_RELAXED, __NV_THREAD_SCOPE_DEVICE);
++value;
__nv_atomic_store(out, &value, __NV_ATOMIC_RELAXED, __NV_THREAD_SCOPE_DEVICE);
"""


def test_a_lost_update_shows_and_varies_with_the_seed(device):
    unit = kernel("lost_update", "int* out", f"if (threadIdx.x < 4) {{ {UPDATE} }}")
    sums = {found[0] for found in outputs(device, unit, 2, size=1, seeds=range(60))}
    assert min(sums) < 8
    assert len(sums) > 3
    assert max(sums) == 8


def test_the_same_seed_gives_the_same_order(device, cache):
    body = "out[atomicAdd(&next[0], 1)] = blockIdx.x * 64 + threadIdx.x;"
    unit = kernel("order", "int* out, int* next", body)

    def orders(device):
        for _ in range(3):
            out = np.zeros(256, np.int32)
            device.launch(unit, 4, out, np.zeros(1, np.int32))
            yield tuple(out)

    device.seed = 5
    first = list(orders(device))
    assert len(set(first)) == 3
    device.seed = 5
    assert list(orders(device)) == first
    assert list(orders(EmulatedDevice(seed=5, cache=cache))) == first
    assert list(orders(EmulatedDevice(seed=6, cache=cache))) != first


def test_blocks_that_wait_for_each_other_go_on(device):
    body = """
    if (threadIdx.x != 0) return;
    int seen = 0;
    while (seen != (int)blockIdx.x)
      __nv_atomic_load(out, &seen, __NV_ATOMIC_ACQUIRE, __NV_THREAD_SCOPE_DEVICE);
    ++seen;
    __nv_atomic_store(out, &seen, __NV_ATOMIC_RELEASE, __NV_THREAD_SCOPE_DEVICE);
    """
    unit = kernel("chained", "int* out", body)
    assert outputs(device, unit, 8, size=1) == [[8]] * len(SEEDS)


def test_the_grid_barrier_orders_all_blocks(device):
    body = """
    const int me = blockIdx.x * 64 + threadIdx.x, all = gridDim.x * 64;
    for (int i = 0; i < 3; ++i) {
      out[me] += kept[(me + 64) % all];
      grid_barrier();
      kept[me] = out[me];
      grid_barrier();
    }
    """
    unit = kernel("everywhere", "int* out, int* kept", body)
    for seed in SEEDS:
        device.seed = seed
        out = np.zeros(256, np.int32)
        device.launch(unit, 4, out, np.ones(256, np.int32))
        assert out.tolist() == [4] * 256  # 1, then 1 + 1, then 2 + 2


def test_more_blocks_than_fit_run_all_the_same(device):
    body = """
    WARPATH_SHARED(int, kept, 64);
    out[blockIdx.x * 64 + threadIdx.x] = kept[threadIdx.x] == 5;
    kept[threadIdx.x] = 5;
    __syncthreads();
    out[blockIdx.x * 64 + threadIdx.x] += kept[63 - threadIdx.x] * blockIdx.x;
    """
    unit = kernel("many", "int* out", body)
    (found,) = outputs(device, unit, 200, size=200 * 64, seeds=[0])
    assert found == [5 * b for b in range(200) for _ in range(64)]


def test_stacks_are_aligned_as_the_compiler_expects(device):
    body = """
    alignas(16) volatile char local[16];
    unsigned long long volatile place = (unsigned long long)&local[0];
    out[threadIdx.x] = (int)(place % 16);
    """
    assert outputs(device, kernel("aligned", "int* out", body), 1, seeds=[0]) == [[0] * 64]


def test_shared_memory_belongs_to_a_block_and_to_a_declaration(device):
    before = """
    template <class T> __device__ T* own() { WARPATH_SHARED(T, kept, 2); return kept; }
    """
    body = """
    WARPATH_SHARED(int, first, 3);
    WARPATH_SHARED(int, second, 3);
    if (threadIdx.x == 0) {
      for (int i = 0; i < 3; ++i) { first[i] = blockIdx.x; second[i] = -1; }
      own<int>()[0] = 10; own<int>()[1] = 11; own<double>()[0] = 0.5; own<double>()[1] = 1.5;
    }
    __syncthreads();
    grid_barrier();
    const int ints = own<int>()[0] + own<int>()[1];
    const double doubles = own<double>()[0] + own<double>()[1];
    out[blockIdx.x * 64 + threadIdx.x] =
        first[0] + first[1] + first[2] + (second[2] == -1) + ints * 100 + (int)doubles * 10000;
    """
    unit = kernel("declared", "int* out", body, before)
    (found,) = outputs(device, unit, 3, size=192, seeds=[0])
    assert found == [22101 + 3 * b for b in range(3) for _ in range(64)]


def test_shared_memory_begins_as_garbage_in_each_launch(device):
    body = (
        "WARPATH_SHARED(T, kept, 64); out[threadIdx.x] = kept[threadIdx.x]; kept[threadIdx.x] = 0;"
    )
    for type_, dtype in {"float": np.float32, "double": np.float64, "int": np.int32}.items():
        unit = kernel(f"fresh_{type_}", f"{type_}* out", body.replace("T,", f"{type_},"))
        for found in outputs(device, unit, 1, dtype=dtype, seeds=range(2)):
            values = np.array(found, dtype)
            assert np.isnan(values).all() if dtype is not np.int32 else (values > 2**30).all()


def test_too_much_shared_memory_is_an_error(device):
    unit = kernel("large", "int* out", "WARPATH_SHARED(double, kept, 6145); out[0] = (int)kept[0];")
    with pytest.raises(
        EmulationError, match=r"kernel large: block \d, thread \d+ needs 49160 bytes"
    ):
        outputs(device, unit, 1)


FAILURES = {
    "deadlock": (
        "if (threadIdx.x == 3) __syncwarp(); else __syncthreads();",
        (
            r"deadlock: 128 threads wait.*block 0, thread 0 waits at __syncthreads \(deadlock:2\), "
            r"where 63 of 64 threads are; block 0, thread 3 waits in __syncwarp \(deadlock:2, mask "
            r"0xffffffff\) for lanes 0xfffffff7"
        ),
    ),
    "returned": (
        "if (threadIdx.x == 7) return;\nout[0] = __shfl_sync(~0u, 1, 0);",
        (
            r"block \d, thread \d+ (waits in __shfl_sync \(returned:3.*, and lane 7 has returned"
            r"|calls __shfl_sync .* lanes that have returned or never were: 0x00000080)"
        ),
    ),
    "returned_before": (
        "if (threadIdx.x % 32 == 7) return;\n__syncthreads();\nout[0] = __any_sync(~0u, 1);",
        r"calls __any_sync .* lanes that have returned or never were: 0x00000080",
    ),
    "outside": (
        "out[0] = (int)__ballot_sync(0xfffffffeu, 1);",
        r"thread (0|32) calls __ballot_sync \(outside:2\) with mask 0xfffffffe, which lacks its",
    ),
    "two_barriers": (
        "if (threadIdx.x < 32)\n__syncthreads();\nelse\n__syncthreads();",
        r"thread \d+ is at __syncthreads \(two_barriers:[35]\) while others of its block wait at",
    ),
    "left_grid": (
        "if (blockIdx.x == 0) return;\ngrid_barrier();",
        r"(waits at grid_barrier .*, and block 0 has returned|but 1 of 2 blocks have returned)",
    ),
    "left_grid_before": (
        "if (blockIdx.x == 0) return;\nfor (int i = 99; i; --i) __nanosleep(1);\ngrid_barrier();",
        r"is at grid_barrier \(left_grid_before:4\), but 1 of 2 blocks have returned",
    ),
    "trapped": ("if (threadIdx.x == 9) __trap();", r"block \d, thread 9: __trap\(\) \(trapped:2\)"),
}


@pytest.mark.parametrize("name", FAILURES)
def test_a_launch_that_cannot_go_on_says_why_and_the_next_one_runs(device, name):
    body, message = FAILURES[name]
    sound = kernel("sound", "int* out", REVERSE.format(between="__syncthreads();"))
    for seed in SEEDS:
        device.seed = seed
        with pytest.raises(EmulationError, match=f"kernel {name}: .*{message}"):
            device.launch(kernel(name, "int* out", body), 2, np.zeros(64, np.int32))
        assert outputs(device, sound, 1, seeds=[seed]) == [list(range(63, -1, -1))]


def test_a_grid_barrier_of_too_many_blocks_is_an_error(device):
    passed = np.zeros(1, np.int32)
    with pytest.raises(EmulationError, match="only 64 of 65 blocks can be live at once"):
        device.launch(kernel("too_many", "int* out", "grid_barrier(); *out = 1;"), 65, passed)
    assert not passed.any()


def test_threads_that_wait_for_ever_are_given_up(device):
    body = """
    int seen = 0;
    while (!seen) __nv_atomic_load(out, &seen, __NV_ATOMIC_RELAXED, __NV_THREAD_SCOPE_DEVICE);
    """
    unit = kernel("hanging", "int* out", body)
    device.prepare([unit])
    # By its soname: the process may have loaded the same scheduler from another folder before.
    scheduler = ctypes.CDLL(device._builder._scheduler.name)
    most = ctypes.c_ulonglong.in_dll(scheduler, "warpath_most_changes")
    before, most.value = most.value, 10_000
    try:
        with pytest.raises(EmulationError, match=r"63 others .* changed 10000 times"):
            device.launch(unit, 1, np.zeros(1, np.int32))
    finally:
        most.value = before


def test_blocks_and_threads_are_bounded(device):
    unit = kernel("bounded", "", "")
    with pytest.raises(EmulationError, match="kernel bounded: 0 blocks of 64 threads"):
        device.launch(unit, 0)
    device.block = 1025
    with pytest.raises(EmulationError, match="1 blocks of 1025 threads"):
        device.launch(unit, 1)
    device.block = 1000
    device.launch(
        kernel("odd_block", "int* out", "atomicAdd(out, 1);"), 2, out := np.zeros(1, "i4")
    )
    assert out[0] == 2000


def test_bits_and_numbers(device):
    body = """
    const int all[] = {__popc(0xf0fu), __popcll(~0ull), __ffs(8), __ffs(0), __clz(1), __clz(0),
        __float_as_int(1.0f), (int)__int_as_float(0x40000000), min(3, 2), max(3, 2),
        (int)(__longlong_as_double(__double_as_longlong(5.0))), (int)floor(2.7), warpSize,
        (int)__uint_as_float(__float_as_uint(9.0f)), (int)min(2.5, 7.0), __ldg(out + 20),
        (int)blockDim.x, (int)gridDim.x, isinf(1e300 * 1e300)};
    for (int i = 0; i < 19; ++i) out[i] = all[i];
    """
    device.block = 1
    (found,) = outputs(device, kernel("bits", "int* out", body), 1, seeds=[0])
    expected = [8, 64, 4, 0, 31, 32, 0x3F800000, 2, 2, 3, 5, 2, 32, 9, 2, 0, 1, 1, 1]
    assert found[:19] == expected
