"""The options that the caller fixed, and the device that they mean."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from warpath.base import settings
from warpath.base.errors import InputError, NotSupportedError
from warpath.graph.checks import checked_kind, shown
from warpath.planner.kinds import device_names, kind_of
from warpath.recipes import CATALOGUE, Loop, Recipe, Task

if TYPE_CHECKING:
    from warpath.planner.cpu_model import Size

#: The device of "auto" where nothing else is preferred.
DEFAULT = "cpu"


class Request(NamedTuple):
    """What the caller fixed; "auto" leaves it open.

    `algorithm` is a name, or a recipe that is not in the package.
    `prepared` says that the graph has a contraction hierarchy, which "auto" may then use; it is
    "auto" itself for a Solver that builds one when that pays, and never so in a plan. `labelled`
    says that a prepared graph has labels, too, and `routed` that routes can be found by them;
    `hubs` says that it has hub labels.
    """

    algorithm: str | Recipe = "auto"
    device: str = "auto"
    threads: int | None = None
    params: dict[str, float] | None = None
    traced: bool = False
    prepared: bool | str = False
    labelled: bool = False
    routed: bool = False
    hubs: bool = False

    def admits(self, recipe: Recipe, task: Task) -> bool:
        """Return whether "auto" may choose a recipe: what it needs of the graph is prepared."""
        if recipe.loop is Loop.TREE_LABELS:
            return self.routed if task is Task.PATH else self.labelled
        if recipe.loop is Loop.HUB_LABELS:
            return self.hubs
        return bool(self.prepared) or not recipe.prepared

    @property
    def recipe(self) -> Recipe | None:
        """The recipe that was requested; None for "auto"."""
        return None if self.algorithm == "auto" else CATALOGUE[self.algorithm]


def checked_request(
    algorithm: str | Recipe, device: str, threads: int | None, params: dict[str, float] | None
) -> Request:
    """Return options as a request, or raise InputError for what is not valid."""
    most = settings.MOST_THREADS
    if threads is not None and not (type(threads) is int and 1 <= threads <= most):
        msg = f"threads = {shown(threads)} must be an integer from 1 to {most}."
        raise InputError(msg)
    for name, value in (("algorithm", algorithm), ("device", device)):
        recipe = ", or a recipe" if name == "algorithm" else ""
        if not isinstance(value, str) and not (recipe and isinstance(value, Recipe)):
            msg = f"{name} = {shown(value)} must be a name: 'auto', or one that is listed{recipe}."
            raise InputError(msg)
    checked_kind(params, dict, "params", "a dict of numbers by name, as {'delta': 100}")
    return Request(CATALOGUE.identified(algorithm), device, threads, params)


def with_default_device(preference: str, size: Size, request: Request) -> Request:
    """Return a request whose "auto" is the preferred device, where that device can do the task."""
    if preference == "auto" or request.device != "auto":
        return request
    preferred = kind_of(preference)
    if size.task not in preferred.tasks:
        return request
    kind = preferred.runs
    planned = [each for each in CATALOGUE.planned if request.admits(each, size.task)]
    considered = planned if request.recipe is None else [request.recipe]
    able = any(kind in r.devices and size.task in r.solves for r in considered)
    return request._replace(device=preference) if able else request


def device_of(size: Size, request: Request) -> str:
    """Return the device that a request means: "cpu", "cuda:0", "cuda:1".

    "auto" is the CPU, except for a named algorithm that runs on a GPU only. Whether a GPU is worth
    its start is decided later, by `warpath.engines.planning`.

    Raises
    ------
    InputError, NotSupportedError
        If there is no such device, or it cannot do the task.
    """
    device = request.device
    if device == "auto":
        named = request.recipe
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
