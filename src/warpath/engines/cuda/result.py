"""The result of one source, kept on the GPU that computed it and copied to the host when read."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from warpath.base import settings
from warpath.base.cached import cached_property
from warpath.base.dtypes import unreachable
from warpath.engines.cuda.entry import MERGE_PATH_ITEMS, Types, kernel
from warpath.engines.cuda.rows import resident, rows_fit
from warpath.graph.solvable import search_graph
from warpath.graph.zones import folded, folded_tree
from warpath.results.predecessors import as_labels, tree

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from warpath.base.dtypes import Array
    from warpath.engines.base import Device
    from warpath.graph import Graph

_FEW = 2**14  # the host converts this many labels in less time than a launch takes


class OnDevice:
    """Distances and predecessors on the GPU that computed them, as `Paths.on_device` returns them.

    They equal those of the `Paths`, bit for bit. Each array is computed when first read, and
    complete when it is returned, for use on any stream. Do not write to the arrays. CuPy's arrays
    support DLPack and the CUDA array interface: ``torch.from_dlpack(paths.on_device.dist)`` copies
    nothing.

    Parameters
    ----------
    graph, source : the graph, with its closed vertices, and the source.
    labels : (n,) on the device, of the opened graph; may have 32 bits also for 64-bit distances.
    device : the device of the labels.
    cutoff : larger labels become unreachable.
    dtype : the type of the distances.

    Raises
    ------
    OverflowError
        At once, if a distance does not fit the type.
    """

    def __init__(
        self,
        graph: Graph,
        source: int,
        labels: Array,
        device: Device,
        cutoff: float | None,
        dtype: np.dtype[Any],
    ) -> None:
        self._graph = graph
        self._inner = search_graph(graph)
        self._source = source
        self._labels = labels
        self._device = device
        self._cutoff = cutoff
        self._dtype = dtype
        if dtype.itemsize < labels.dtype.itemsize:  # an overflow is an error of the call
            with device.active():
                if source < graph.first_through and not graph.areas:  # a round trip is no distance
                    labels[graph.n + source] = unreachable(labels.dtype)
                self._labels = self._distances()
            self._cutoff = None

    @property
    def device(self) -> str:
        """The name of the arrays' device, for example "cuda:0"."""
        return self._device.name

    @cached_property
    def dist(self) -> Array:
        """The distances, (n,), an array of CuPy; see `Paths.dist`."""
        with self._device.active():
            distances: Array = folded(self._graph, self._distances(), self._source)
            self._device.synchronize()
            return distances

    @cached_property
    def pred(self) -> Array:
        """The predecessors, (n,), an array of CuPy; see `Paths.pred`.

        One pass over the edges on the device. If weights are negative, if all tight edges into a
        vertex have length 0, or if the graph does not fit the device, the CPU computes the tree.
        """
        with self._device.active():
            on_gpu = self._tree()
            if on_gpu is not None:
                on_gpu = folded_tree(self._graph, on_gpu, self._source)
                self._device.synchronize()
                return on_gpu
        here = self._tree_by_cpu()
        with self._device.active():
            predecessors: Array = self._device.put(here)
        return predecessors

    def here(self) -> NDArray[Any]:
        """Return the distances on the host: (n,)."""
        graph, dist, labels = self._graph, vars(self).get("dist"), self._labels
        few = len(labels) <= _FEW and self._cutoff is None and self._dtype == graph.dist_dtype
        here: NDArray[Any]
        with self._device.active():
            if dist is not None:
                here = self._device.get(dist)
                return here
            here = self._device.get(labels if few else self._distances())
        return folded(graph, as_labels(graph, here) if few else here, self._source)

    def pred_here(self) -> NDArray[Any]:
        """Return the predecessors on the host: (n,)."""
        if "pred" not in vars(self):
            with self._device.active():
                on_gpu = self._tree()
                on_gpu = None if on_gpu is None else self._device.get(on_gpu)
            if on_gpu is None:
                return self._tree_by_cpu()
            return folded_tree(self._graph, on_gpu, self._source)
        with self._device.active():
            return self._device.get(self.pred)

    def _distances(self) -> Array:
        """Return the distances of the opened graph, in the requested type."""
        labels, device = self._labels, self._device
        if labels.dtype == self._dtype and self._cutoff is None:
            return labels
        xp, n = device.xp, len(labels)
        out: Array = xp.empty(n, self._dtype)
        same, wide = self._dtype == labels.dtype, self._dtype == np.int64
        destination = "same" if same else "wide" if wide else "small"
        unfit = xp.zeros(1, np.int32) if destination == "small" else None
        largest = unreachable(labels.dtype)
        converter = kernel("distances", _types(self._graph, labels), device.block)
        given = {
            "n": n,
            "labels": labels,
            "unfit": unfit,
            destination: out,
            "cutoff": largest if self._cutoff is None else min(self._cutoff, largest),
        }
        device.launch(converter, -(-n // device.block), *converter.arguments(**given))
        if unfit is not None and int(device.get(unfit)[0]):
            msg = f"a distance does not fit {self._dtype}"
            raise OverflowError(msg)
        return out

    def _tree(self) -> Array | None:
        """Return the tree of the opened graph, or None if the device cannot compute it."""
        inner, device = self._inner, self._device
        if inner.facts(symmetry=False).negative or not rows_fit(inner, device):
            return None
        labels = self._labels if self._cutoff is None else self._distances()
        return tree_on(inner, self._source, labels, device)

    def _tree_by_cpu(self) -> NDArray[Any]:
        with self._device.active():
            labels = as_labels(self._inner, self._device.get(self._distances()))
        pred = tree(self._inner, self._source, labels, settings.threads())
        return folded_tree(self._graph, pred, self._source)


def tree_on(graph: Graph, source: int, labels: Array, device: Device) -> Array | None:
    """Return the predecessors for labels on a device as an array of that device: (n,).

    None if all tight edges into a vertex have length 0. O(n + m), one pass over the edges.

    Parameters
    ----------
    graph : a graph without closed vertices, weights >= 0.
    labels : exact distances, on the device.
    """
    xp, n, rows = device.xp, graph.n, resident(graph, device)
    pred = xp.full(n, np.iinfo(graph.indices.dtype).max, graph.indices.dtype)
    missing = xp.zeros(1, np.int32)
    types = _types(graph, labels)
    given = {
        "n": n,
        "size": n,
        "offsets": rows.indptr,
        "indices": rows.indices,
        "weights": rows.weights,
        "dist": labels,
        "pred": pred,
        "source": source,
        "missing": missing,
    }
    for kind, items in (("tree", -(-graph.m // MERGE_PATH_ITEMS)), ("rooted", n)):
        if items:
            tree_kernel = kernel(kind, types, device.block)
            device.launch(tree_kernel, -(-items // device.block), *tree_kernel.arguments(**given))
    return None if int(device.get(missing)[0]) else pred


def _types(graph: Graph, labels: Array) -> Types:
    return Types.of(graph.indices.dtype, graph._solver_weights.dtype, labels.dtype)
