"""How the vertices of a graph are addressed: by label, by index, by a place nearby."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from warpath.base.cached import cached_property
from warpath.base.errors import InputError
from warpath.graph.checks import checked_bool, shown
from warpath.graph.labels import indices_of_labels, indices_of_numbers, is_label, labels_at
from warpath.graph.places import holds_places, nearest_vertex, places_to_vertices
from warpath.graph.raster import is_cell

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from warpath.base.dtypes import Array
    from warpath.graph.csr_graph import CsrGraph


class VertexNames:
    """The part of `Graph` that translates between labels, indices and places."""

    def index_of(self: CsrGraph, vertices: Any, what: str = "vertices") -> Any:
        """Translate labels (or, without labels, indices) into indices.

        A `Place` becomes the vertex nearest to it.

        Parameters
        ----------
        vertices : one vertex or several, in a list, an array or a column of any library; those of a
            set come in ascending order of their indices.
        what : the name of the argument, for errors.

        Returns
        -------
        An int for one vertex; for several a (k,) int64 array.

        Raises
        ------
        VertexError
            For a missing value (None, NaN, NA), the first name that the graph does not have, or a
            `Place` far from any vertex.
        InputError
            If `what` is not a text.
        """
        indices = self.indices_of(vertices, what)
        several = isinstance(vertices, Iterable) and not isinstance(vertices, str | bytes)
        if self.raster is not None and is_cell(vertices):
            return int(indices[0])
        if several and isinstance(vertices, tuple | frozenset):  # which can be a label, too
            several = not is_label(vertices, self._place_of_label)
        elif several and isinstance(vertices, np.ndarray):
            several = vertices.ndim > 0
        return indices if several else int(indices[0])

    def indices_of(self: CsrGraph, vertices: Any, what: str = "vertices") -> NDArray[np.int64]:
        """Return the indices of one vertex or several, as `index_of` does, as an array: (k,)."""
        if not isinstance(cast("Any", what), str):
            msg = f"what = {shown(what)} must be a text, the name of the argument for errors."
            raise InputError(msg)
        if holds_places(vertices):
            taken = places_to_vertices(self, vertices, what, at_vertices=True)
            indices: NDArray[np.int64] = taken.indices
            return indices
        if self.raster is not None:
            vertices = self.raster.vertices_of(vertices, what)
        if self.labels is None:
            return indices_of_numbers(vertices, self.n, self.id_base, what)
        return indices_of_labels(vertices, self._place_of_label, what)

    @cached_property
    def _place_of_label(self: CsrGraph) -> dict[Any, int]:
        labels = [] if self.labels is None else self.labels.tolist()
        return {name: at for at, name in enumerate(labels)}

    def label_of(self: CsrGraph, indices: ArrayLike) -> Array:
        """Translate indices into labels; a graph without labels returns the indices."""
        return labels_at(self.labels, indices)

    def nearest_vertex(
        self: CsrGraph,
        lon: ArrayLike,
        lat: ArrayLike,
        within: float | None = None,
        *,
        with_distance: bool = False,
        component: str | None = None,
    ) -> Any:
        """Return the vertex nearest to a coordinate, or those nearest to several.

        Coordinates of the graph count as degrees if they are in the range of longitudes and
        latitudes and not all whole numbers; distances are then metres on a sphere. Other
        coordinates, such as projected metres, are points of a plane: pass x and y.

        Parameters
        ----------
        lon, lat : numbers, or (k,) arrays of them: longitude and latitude in degrees, or x and y.
        within : how far the vertex may be away, in metres, or in the unit of coordinates that are
            not degrees. None allows 1,000 m, or a tenth of the diagonal of the box around the
            graph; ``math.inf`` allows any distance.
        with_distance : whether to return the distances as well.
        component : "largest" for a vertex of the largest connected component, "strong" for one of
            the largest strongly connected component, whose vertices all reach one another; None for
            any vertex. See `Graph.components`.

        Returns
        -------
        The vertex as the graph names it, or a (k,) array; of equally near vertices the one of the
        smallest index. With `with_distance` a pair: vertices and distances.

        Raises
        ------
        InputError
            If a coordinate is not a finite number, or `lon` and `lat` differ in shape.
        GraphError
            If the graph has no coordinates.
        VertexError
            If no vertex is that near. The message says so where the two are in the wrong order.

        Notes
        -----
        With SciPy a k-d tree is built at the first call, in O(n log n), and kept; a query then
        takes O(log n). Without SciPy each query compares all n vertices; the answers are the same.

        Examples
        --------
        >>> import warpath as wp
        >>> roads = wp.Graph.of([(0, 1, 2)], coordinates=[(7.41, 43.73), (7.42, 43.74)])
        >>> roads.nearest_vertex(7.4192, 43.7384)
        1
        """
        pairs = checked_bool(with_distance, "with_distance")
        return nearest_vertex(
            self,
            lon,
            lat,
            within,
            with_distance=pairs,
            component=component,
        )
