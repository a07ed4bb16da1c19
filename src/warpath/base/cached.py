"""Attributes that are computed when they are first read, then cached."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Generic, Self, TypeVar, overload

if TYPE_CHECKING:
    from collections.abc import Callable

T = TypeVar("T")


class cached_property(Generic[T]):  # noqa: N801 - used as `functools.cached_property` is
    """An attribute that is computed once, without a lock.

    Before Python 3.12 `functools.cached_property` holds one lock for all instances of a class while
    it computes: threads wait for the attributes of other instances, and a process forked during
    that time waits for ever. Here two threads that read the attribute at the same time may both
    compute it; both get the value of the thread that finishes first.
    """

    def __init__(self, compute: Callable[[Any], T]) -> None:
        self._compute = compute
        self.__doc__ = compute.__doc__
        self._name = ""

    def __set_name__(self, owner: type, name: str) -> None:
        self._name = name

    @overload
    def __get__(self, instance: None, owner: type) -> Self: ...
    @overload
    def __get__(self, instance: object, owner: type) -> T: ...
    def __get__(self, instance: object | None, owner: type) -> Self | T:
        if instance is None:
            return self
        value: T = self._compute(instance)
        return instance.__dict__.setdefault(self._name, value)  # type: ignore[no-any-return]
