"""Resources of the compiled kernels: registers, stack, spills and shared memory.

``python -m cubins`` writes those of all kernels of the catalogue to
``tests/kernels/golden.json``; NVRTC and cuobjdump need no GPU.
"""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sysconfig
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from kernel_list import all_kernels
from warpath.base import settings
from warpath.base.errors import MissingDependencyError
from warpath.engines.cuda.compile import compiler, cubin, nvrtc_version
from warpath.engines.cuda.sources import digest, included

if TYPE_CHECKING:
    from collections.abc import Iterable

    from warpath.engines.cuda.entry import Kernel

ARCHITECTURES = ("sm_80", "sm_90", "sm_100")
GOLDEN = Path(__file__).parents[1] / "tests" / "kernels" / "golden.json"

#: Kernels that may spill a few values to local memory, outside their innermost loops: labels fill
#: a thread's registers, and some architectures do not have enough left for other values.
SPILLING = {"floyd_warshall_f32_b256", "floyd_warshall_wide_i64_b256", "product_i32_b256"}

#: Kinds of kernels that run a whole solve: maximum bytes of stack, for state that their inner loops
#: do not need. Fewer threads with more registers each were slower.
OF_A_SOLVE = {
    "wide": 304, "breadth_first": 16, "near_far": 128, "light_heavy": 176, "stepping": 128,
    "buckets": 288, "workfront": 128, "settle": 32, "counting_sweep": 48,
}  # fmt: skip


def stack_of(name: str) -> int:
    """Return how many bytes of stack a kernel may take, by its name."""
    if name in SPILLING:
        return 16
    return next((most for kind, most in OF_A_SOLVE.items() if name.startswith(f"{kind}_")), 0)


class Usage(NamedTuple):
    """Resources of one kernel: registers and bytes per thread, bytes of shared memory per block."""

    registers: int
    stack: int
    spilled: int
    shared: int


def usages(kernels: Iterable[Kernel], arch: str) -> dict[str, Usage]:
    """Compile kernels for an architecture and return the resources of each by name."""
    tool = _cuobjdump()
    compiler()  # imports modules that threads must not import at the same time
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(settings.threads()) as pool:

        def usage(kernel: Kernel) -> tuple[str, Usage]:
            path = Path(folder) / f"{kernel.name}.cubin"
            path.write_bytes(cubin(kernel, arch))
            return kernel.name, _dumped(tool, path, kernel.name)

        return dict(pool.map(usage, kernels))


def source_digest(kernel: Kernel) -> str:
    """Return a hash of a kernel's source and of the headers that it includes, 16 digits."""
    return digest(included(kernel.source) | {"": kernel.source})[:16]


def _dumped(tool: str, path: Path, name: str) -> Usage:
    said = subprocess.run(
        [tool, "--dump-resource-usage", path], capture_output=True, text=True, check=True
    ).stdout
    line = said.partition(f"Function {name}:")[2]
    found = dict(re.findall(r"(REG|STACK|LOCAL|SHARED):(\d+)", line))
    return Usage(*(int(found[key]) for key in ("REG", "STACK", "LOCAL", "SHARED")))


def _cuobjdump() -> str:
    """Return the path of cuobjdump, from its Python package or else from a CUDA toolkit."""
    packaged = Path(sysconfig.get_path("purelib")).glob("nvidia/*/bin/cuobjdump")
    tool = next((str(path) for path in packaged), None) or shutil.which("cuobjdump")
    if tool is None:
        msg = "cuobjdump is not installed: pip install nvidia-cuda-cuobjdump"
        raise MissingDependencyError(msg)
    return tool


def measured() -> dict[str, Any]:
    """Return the document of the golden file; kernels whose sources are unchanged keep their rows.

    It has, for each kernel, registers and shared memory by architecture, and the digest of its
    sources; from sm_90 on, shared memory includes 1,024 bytes that the system reserves.

    Raises
    ------
    ValueError
        If a kernel takes more stack than it may, or spills registers.
    """
    kernels = sorted(all_kernels(), key=lambda kernel: kernel.name)
    before = json.loads(GOLDEN.read_text(encoding="utf-8")) if GOLDEN.exists() else {}
    same = {"nvrtc": list(nvrtc_version()), "architectures": list(ARCHITECTURES)}
    known = before.get("kernels", {}) if before | same == before else {}
    rows = {
        kernel.name: known[kernel.name]
        for kernel in kernels
        if kernel.name in known and known[kernel.name][2] == source_digest(kernel)
    }
    changed = [kernel for kernel in kernels if kernel.name not in rows]
    found = {arch: usages(changed, arch) for arch in ARCHITECTURES}
    wrong = []
    for kernel in changed:
        name = kernel.name
        each = [found[arch][name] for arch in ARCHITECTURES]
        most = stack_of(name)
        if any(one.stack > most or one.spilled for one in each):
            wrong.append(f"{name} takes {each}: more than {most} bytes of stack, or spills.")
        registers, shared = [one.registers for one in each], [one.shared for one in each]
        rows[name] = [registers, shared, source_digest(kernel)]
    if wrong:
        raise ValueError("\n".join(wrong))
    return same | {"kernels": dict(sorted(rows.items()))}


def write() -> None:
    """Write the golden file, with a line for each kernel."""
    document = measured()
    kernels = document.pop("kernels").items()
    rows = [f"    {json.dumps(name)}: {json.dumps(row)}" for name, row in kernels]
    head = [f"  {json.dumps(key)}: {json.dumps(value)}," for key, value in document.items()]
    text = "\n".join(["{", *head, '  "kernels": {', ",\n".join(rows), "  }", "}"])
    GOLDEN.write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    write()
