"""Whether there is a GPU to run tests on."""

from __future__ import annotations

from functools import cache

from warpath.base.errors import NotSupportedError


@cache
def no_gpu() -> str:
    """Return why there is no GPU to run on, or an empty string where there is one."""
    from warpath.engines.cuda.device import open_device

    try:
        open_device("cuda")
    except NotSupportedError as error:
        return str(error)
    return ""
