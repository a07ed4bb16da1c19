"""The options that the caller fixed, and the device that they mean."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from warpath.base.errors import InputError, NotSupportedError
from warpath.graph.checks import checked_bool, checked_kind, shown
from warpath.planner.kinds import device_names, kind_of
from warpath.recipes import CATALOGUE, Recipe

if TYPE_CHECKING:
    from warpath.planner.cpu_model import Size

#: The device of "auto" where nothing else is preferred.
DEFAULT = "cpu"


class Wish(NamedTuple):
    """What the caller fixed; "auto" leaves it open.

    `algorithm` is a name, or a recipe that is not in the package.
    `prepared` says that the graph has a contraction hierarchy, which "auto" may then use; it is
    "auto" itself for a Solver that builds one when that pays, and never so in a plan.
    """

    algorithm: str | Recipe = "auto"
    device: str = "auto"
    threads: int | None = None
    params: dict[str, float] | None = None
    traced: bool = False
    prepared: bool | str = False

    @property
    def recipe(self) -> Recipe | None:
        """The recipe that was requested; None for "auto"."""
        return None if self.algorithm == "auto" else CATALOGUE[self.algorithm]


def checked(wish: Wish) -> Wish:
    """Return a wish as it is, or raise InputError for what is of another type."""
    for name, types in (("algorithm", str | Recipe), ("device", str)):
        value = getattr(wish, name)
        if not isinstance(value, types):
            recipe = ", or a recipe" if name == "algorithm" else ""
            msg = f"{name} = {shown(value)} must be a name: 'auto', or one that is listed{recipe}."
            raise InputError(msg)
    checked_kind(wish.params, dict, "params", "a dict of numbers by name, as {'delta': 100}")
    algorithm = CATALOGUE.identified(wish.algorithm)
    return wish._replace(algorithm=algorithm, traced=checked_bool(wish.traced, "trace"))


def preferring(preference: str, size: Size, wish: Wish) -> Wish:
    """Return a wish whose "auto" is the preferred device, where that device can do the task."""
    if preference == "auto" or wish.device != "auto":
        return wish
    preferred = kind_of(preference)
    if size.task not in preferred.tasks:
        return wish
    kind = preferred.runs
    wished = CATALOGUE.planned if wish.recipe is None else [wish.recipe]
    able = any(kind in r.devices and size.task in r.solves for r in wished)
    return wish._replace(device=preference) if able else wish


def device_of(size: Size, wish: Wish) -> str:
    """Return the device that a wish means: "cpu", "cuda:0", "cuda:1".

    "auto" is the CPU, except for a named algorithm that runs on a GPU only. Whether a GPU is worth
    its start is decided later, by `warpath.engines.planning`.

    Raises
    ------
    InputError, NotSupportedError
        If there is no such device, or it cannot do the task.
    """
    device = wish.device
    if device == "auto":
        named = wish.recipe
        able = named is None or DEFAULT in named.devices or size.task not in named.solves
        device = DEFAULT if able or named is None else named.devices[0]
    return whole_name(device)


def whole_name(device: str) -> str:
    """Return the whole name of a device, "cuda:0" for "cuda".

    Raises
    ------
    InputError
        If the name is not valid.
    NotSupportedError
        If it is "cluster", which names no cluster.
    """
    if device == "cluster":
        msg = (
            f"device={device!r} is not a device: use the address of a Dask scheduler, such as "
            f"'tcp://10.0.0.4:8786', a Dask client, or one of {device_names(auto=True)}."
        )
        raise NotSupportedError(msg)
    return kind_of(device).whole_name(device) or device
