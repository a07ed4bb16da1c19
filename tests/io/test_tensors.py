"""Tensors: by fakes everywhere, by PyTorch, PyTorch Geometric and JAX where they are installed."""

from __future__ import annotations

import sys
from types import SimpleNamespace

import numpy as np
import pytest

import warpath as wp
from warpath.base.errors import GraphError, NotSupportedError, WeightError
from warpath.io.tensors import from_tensor

ENDS, WEIGHTS = np.array([[0, 1, 1], [1, 2, 0]]), np.array([2.0, 5.0, 1.0])
EDGES = [(0, 1, 2), (1, 0, 1), (1, 2, 5)]


def edges_of(graph):
    src, dst, weights = graph.edges()
    return sorted(zip(src.tolist(), dst.tolist(), weights.tolist(), strict=True))


class Data:
    """As PyTorch Geometric's, of arrays."""

    __module__ = "torch_geometric.data.data"

    def __init__(self, **attributes):
        vars(self).update({"edge_index": None} | attributes)

    @property
    def num_nodes(self):
        return vars(self).get("size", 3)

    def keys(self):
        return list(vars(self))


def values(weights):
    """A sparse tensor's values, which may have gradients."""
    return SimpleNamespace(detach=lambda: weights)


class Coo:
    __module__ = "torch"
    layout, shape = "torch.sparse_coo", (3, 3)

    def _indices(self):
        return ENDS

    def _values(self):
        return values(WEIGHTS)


class Csr:
    __module__ = "torch"
    layout, shape = "torch.sparse_csr", (3, 3)

    def crow_indices(self):
        return np.array([0, 1, 3, 3])

    def col_indices(self):
        return np.array([1, 2, 0])

    def values(self):
        return values(WEIGHTS)


class Csc(Csr):
    layout = "torch.sparse_csc"
    ccol_indices, row_indices = Csr.crow_indices, Csr.col_indices


class BCOO:
    __module__ = "jax.experimental.sparse.bcoo"
    shape = (3, 3)

    def __init__(self, indices=((0, 1), (1, 2), (1, 0), (3, 3)), data=(2, 5, 1, 0)):
        self.indices, self.data = np.array(indices), np.array(data)


class BCSR:
    __module__ = "jax.experimental.sparse.bcsr"
    shape = (3, 3)

    def __init__(self, indptr=(0, 1, 3, 3)):
        self.indptr = np.array(indptr)
        self.indices, self.data = np.array([1, 2, 0, 3]), np.array([2, 5, 1, 0])


@pytest.mark.parametrize("kind", [Coo, Csr, BCOO, BCSR])
def test_entries_of_a_sparse_tensor_are_edges(kind):
    graph = wp.Graph.of(kind())
    assert edges_of(graph) == EDGES
    assert graph.n == 3


def test_a_sparse_tensor_by_columns_is_turned():
    assert edges_of(wp.Graph.of(Csc())) == [(0, 1, 1), (1, 0, 2), (2, 1, 5)]


def test_a_sparse_tensor_can_be_undirected():
    graph = wp.Graph.of(Coo(), directed=False)
    assert not graph.directed
    assert graph.m == 6


def test_a_sparse_tensor_must_be_square_and_one():
    wide = Coo()
    wide.shape = (3, 4)
    with pytest.raises(GraphError, match=r"shape \(3, 4\)"):
        wp.Graph.of(wide)
    for batch in (BCOO(indices=np.zeros((2, 3, 2))), BCSR(indptr=np.zeros((2, 4)))):
        with pytest.raises(GraphError, match="one of the batch"):
            wp.Graph.of(batch)


@pytest.mark.parametrize("name", ["edge_weight", "edge_attr"])
def test_a_graph_of_pytorch_geometric_has_ends_weights_and_places(name):
    graph = wp.Graph.of(Data(edge_index=ENDS, pos=np.eye(4, 2), size=4, **{name: WEIGHTS}))
    assert edges_of(graph) == EDGES
    assert graph.n == 4
    assert graph.coordinates.tolist() == np.eye(4, 2).tolist()


def test_the_weights_of_pytorch_geometric_are_found_or_named():
    column = WEIGHTS[:, None]
    assert edges_of(wp.Graph.of(Data(edge_index=ENDS, edge_attr=column))) == EDGES
    assert edges_of(wp.Graph.of(Data(edge_index=ENDS, km=column), weight="km")) == EDGES
    assert wp.Graph.of(Data(edge_index=ENDS)).weights is None
    assert wp.Graph.of(Data(edge_index=ENDS, edge_weight=WEIGHTS), weight=None).weights is None
    flat = Data(edge_index=ENDS, edge_attr=np.ones((3, 2)), pos=np.ones((3, 3)))
    assert wp.Graph.of(flat, weight=None).coordinates is None
    with pytest.raises(GraphError, match=r"edge_attr has shape \(3, 2\).*which column"):
        wp.Graph.of(flat)
    with pytest.raises(GraphError, match="no 'km'; it has 'edge_index'"):
        wp.Graph.of(Data(edge_index=ENDS), weight="km")
    with pytest.raises(GraphError, match=r"edge_weight has shape \(3, 2\)"):
        wp.Graph.of(Data(edge_index=ENDS, edge_weight=np.ones((3, 2))))


def test_data_without_edges_of_its_own_are_refused():
    class HeteroData(Data):
        def to_homogeneous(self):
            """Not called."""

    with pytest.raises(GraphError, match=r"HeteroData has no edge_index.*to_homogeneous"):
        wp.Graph.of(HeteroData(edge_index={}))
    with pytest.raises(GraphError, match=r"set data\.edge_index"):
        wp.Graph.of(Data())
    with pytest.raises(GraphError, match=r"shape \(3, 2\): \(2, m\)"):
        wp.Graph.of(Data(edge_index=ENDS.T))


def test_an_edge_index_and_weights_make_a_graph():
    assert edges_of(wp.Graph.of((ENDS, WEIGHTS))) == EDGES
    assert wp.Graph.of((ENDS, None)).weights is None
    assert wp.Graph.of((ENDS,), n=5, directed=False).n == 5
    with pytest.raises(GraphError, match="src has 3 entries but weights has 2"):
        wp.Graph.of((ENDS, WEIGHTS[:2]))
    assert edges_of(wp.Graph.of((np.array([0, 1]), np.array([1, 2])))) == [(0, 1, 1), (1, 2, 1)]


def test_a_wrapper_without_memory_is_asked_for_its_tensor():
    class EdgeIndex:
        __module__ = "torch_geometric.edge_index"
        ndim, shape = 2, (2, 3)

        def as_tensor(self):
            return ENDS

        def sparse_size(self):
            return (7, None)

        def __dlpack__(self):
            raise AssertionError

    assert edges_of(wp.Graph.of((EdgeIndex(), WEIGHTS))) == EDGES
    assert wp.Graph.of(EdgeIndex()).n == 7
    assert wp.Graph.of(EdgeIndex(), n=9).n == 9


@pytest.mark.parametrize(
    ("reason", "way"),
    [
        ("require gradient", "detach it first"),
        ("Unsupported dtype", "to float32"),
        ("no data", "copy it to the host"),
    ],
)
def test_a_tensor_that_cannot_be_read_says_the_way_out(reason, way):
    class Tensor:
        __module__ = "torch"

        def __dlpack__(self, **_):
            raise BufferError(reason)

    with pytest.raises(NotSupportedError, match=f"{reason}.*{way}"):
        from_tensor(Tensor())


def test_an_unknown_object_is_told_what_is_taken():
    with pytest.raises(GraphError, match=r"builtins.bytes.*rustworkx.*PyTorch Geometric.*cuDF"):
        wp.Graph.of(b"bytes")


@pytest.fixture
def torch():
    return pytest.importorskip("torch", reason="PyTorch is not installed")


def test_tensors_of_pytorch_are_read(torch):
    ends, weights = torch.tensor(ENDS), torch.tensor(WEIGHTS)
    for given in ((ends, weights), (*ends, weights)):
        graph = wp.Graph.of(given)
        assert edges_of(graph) == EDGES
    matrix = torch.zeros(3, 3, dtype=torch.float64)
    matrix[ends[0], ends[1]] = weights
    for layout in (matrix, matrix.to_sparse(), matrix.to_sparse_csr(), matrix.to_sparse_csc()):
        assert edges_of(wp.Graph.of(layout)) == EDGES
    doubled = torch.sparse_coo_tensor(torch.zeros(2, 2), torch.tensor([2.0, 5.0]), (3, 3))
    assert edges_of(wp.Graph.of(doubled)) == [(0, 0, 2), (0, 0, 5)]
    with pytest.raises(NotSupportedError, match="detach"):
        wp.Graph.of((ends, weights.clone().requires_grad_()))
    with pytest.raises(WeightError, match="float16"):
        wp.Graph.of((ends, weights.half()))


def test_results_become_tensors_of_pytorch(torch):
    tree = wp.sssp((ENDS, WEIGHTS), 0)
    assert torch.tensor(tree.dist).tolist() == [0, 2, 7]
    assert torch.as_tensor(np.array(tree.pred)).tolist() == [-1, 0, 1]


def test_graphs_of_pytorch_geometric_are_read(torch):
    sys.modules.pop("torch_geometric", None)
    pytest.importorskip("torch_geometric", reason="PyTorch Geometric is not installed")
    from torch_geometric import EdgeIndex
    from torch_geometric.data import Data, HeteroData

    ends, weights = torch.tensor(ENDS), torch.tensor(WEIGHTS)
    assert edges_of(wp.Graph.of(Data(edge_index=ends, edge_attr=weights[:, None]))) == EDGES
    assert wp.Graph.of(Data(edge_index=ends, num_nodes=8)).n == 8
    assert edges_of(wp.Graph.of((EdgeIndex(ends), weights))) == EDGES
    assert wp.Graph.of(EdgeIndex(ends, sparse_size=(7, 7))).n == 7
    with pytest.raises(GraphError, match="to_homogeneous"):
        wp.Graph.of(HeteroData())


def test_arrays_of_jax_are_read_and_made():
    jax = pytest.importorskip("jax", reason="JAX is not installed")
    from jax.experimental import sparse

    ends, weights = jax.numpy.array(ENDS), jax.numpy.array(WEIGHTS)
    for given in ((ends, weights), (*ends, weights)):
        assert edges_of(wp.Graph.of(given)) == EDGES
    matrix = jax.numpy.zeros((3, 3)).at[ends[0], ends[1]].set(weights)
    for each in (matrix, sparse.BCOO.fromdense(matrix, nse=5), sparse.BCSR.fromdense(matrix)):
        assert edges_of(wp.Graph.of(each)) == EDGES
    assert jax.numpy.asarray(wp.sssp((ENDS, WEIGHTS), 0).dist).tolist() == [0, 2, 7]
