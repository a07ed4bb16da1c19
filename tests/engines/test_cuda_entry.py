"""The parameters of kernels, from the declarations of the functions that they call."""

from __future__ import annotations

import numpy as np
import pytest

from warpath.engines.cuda import entry, sources
from warpath.engines.cuda.entry import Types, kernel
from warpath.engines.cuda.kernel_kinds import KINDS, Kind

HEADER = """
template <class V>
struct InTurn {
  V* first;
  V* second;
  __device__ V* operator[](i64 which) const { return which == 0 ? first : second; }
};
struct Room {
  i64 *offsets, *table;  // n; of each vertex
};
template <class V, class L>
struct LoopArgs {
  i64 n, source;
  const V* indices;
  InTurn<V> lists;  // n
  Room room;
  const typename Summed<L>::Type* sums;
  Entry<L>* entries;

  __device__ bool any() const { return n > 0; }
};

template <int kBlock, class V, class L>
__device__ __forceinline__ void loop(const LoopArgs<V, L>& a, int* halt,
                                     L limit) {
}
"""
LOOP = Kind("loop.cuh", "loop<{block}>")


@pytest.fixture
def made(tmp_path, monkeypatch):
    """A function that makes the kernel of a kind in a header."""
    monkeypatch.setattr(entry, "included", lambda text: sources.included(text, tmp_path))
    entry._call.cache_clear()

    def make(header=HEADER, kind=LOOP):
        (tmp_path / "loop.cuh").write_text(header)
        monkeypatch.setitem(KINDS, "loop", kind)
        return kernel.__wrapped__("loop", Types.of(np.int32, np.int32, np.float64), 64)

    yield make
    entry._call.cache_clear()


def test_a_kernel_has_a_parameter_for_each_field_that_its_function_takes(made):
    names = "n source indices lists_first lists_second offsets table sums entries halt limit"
    types = ["int64", "int64", *7 * ["*"], "*", "float64"]
    assert made().params == tuple(zip(names.split(), types, strict=True))


def test_a_kernel_calls_its_function_with_its_parameters(made):
    unit = made()
    assert unit.name == "loop_i32_f64_b64"
    assert unit.source == (
        '#include "loop.cuh"\n\nusing namespace warpath;\nusing V = int;\nusing L = double;\n\n'
        'extern "C" __global__ void loop_i32_f64_b64(i64 n, i64 source, const V* indices, '
        "V* lists_first, V* lists_second, i64* offsets, i64* table, const Summed<L>::Type* sums, "
        "Entry<L>* entries, int* halt, L limit) {\n"
        "  warpath::loop<64>(LoopArgs<V, L>{n, source, indices, {lists_first, lists_second}, "
        "{offsets, table}, sums, entries}, halt, limit);\n}\n"
    )


def test_a_fixed_field_is_no_parameter_nor_is_its_type_in_the_name(made):
    fixed = {"lists": "{}", "indices": "nullptr", "limit": "L{1}"}
    unit = made(kind=LOOP._replace(fixed=fixed))
    assert unit.name == "loop_f64_b64"
    assert [name for name, _ in unit.params][:3] == ["n", "source", "offsets"]
    assert "LoopArgs<i64, L>{n, source, nullptr, {}, {offsets" in unit.source
    assert unit.source.endswith("halt, L{1});\n}\n")


def test_a_launch_gets_its_arguments_in_the_order_of_the_fields(made):
    array = np.zeros(1)
    given = made().arguments(halt=array, limit=2, source=3, n=1, entries=array)
    assert given[:3] == [1, 3, None]
    assert given[-3:] == [array, array, 2.0]
    assert [type(given[at]) for at in (0, -1)] == [np.int64, np.float64]


@pytest.mark.parametrize(
    ("header", "kind", "says"),
    [
        (HEADER, LOOP._replace(function="other<8>"), "defines no function other"),
        (HEADER.replace("int* halt", "int* n"), LOOP, "two arguments of loop are called n: ren"),
        (HEADER.replace("i64 n, source", "i64 n[2]"), LOOP, r"'i64 n\[2\]' is not a field"),
        (HEADER, LOOP._replace(fixed={"halted": "0"}), "no argument of loop in loop.cuh is called"),
    ],
)
def test_a_declaration_that_gives_no_kernel_is_refused(made, header, kind, says):
    with pytest.raises(ValueError, match=says):
        made(header, kind)
