"""Functions of upper modules that lower ones call: they are registered by name."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

_NAMES: dict[str, str] = {}


def imported(name: str) -> Callable[..., Any]:
    """Import a function by its name, "module:function"."""
    module, _, function = name.partition(":")
    return getattr(importlib.import_module(module), function)  # type: ignore[no-any-return]


def register(functions: Mapping[str, str]) -> None:
    """Register functions, as "module:function", for the methods that call them."""
    _NAMES.update(functions)


def upward(method: str) -> Callable[..., Any]:
    """Return the function that is registered for a method."""
    return imported(_NAMES[method])
