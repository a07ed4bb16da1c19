"""Seeded sources, and their certified answers, with which all solvers are compared."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING

import numpy as np

from warpath.api.calls import sssp
from warpath.base.dtypes import unreachable
from warpath.base.errors import InputError
from warpath.results.certificate import verify

if TYPE_CHECKING:
    from collections.abc import Iterator

    from warpath.base.dtypes import Array
    from warpath.graph import Graph
    from warpath.results.paths import Paths

_SEED = 20261120
_JUDGED = 16  # candidates whose reach determines the required reach
_TRIED = 4  # maximum number of candidates per source


@dataclass
class Right:
    """A right answer with a digest of its tree; certified at the latest when a solver differs."""

    paths: Paths
    tree: bytes
    certified: bool = False

    @property
    def dist(self) -> Array:
        """The distances."""
        return self.paths.dist

    def certify(self) -> None:
        """Check the certificate, once.

        Raises
        ------
        VerificationError
            If our answer is wrong: wrong answers get no times.
        """
        if not self.certified:
            verify(self.paths.graph, self.paths)
            self.certified = True

    def wrong(self, found: Array) -> tuple[int, float]:
        """Return the counts of `wrong_of`; if they are not 0, certify this answer first."""
        counted = wrong_of(self.dist, found)
        if counted[0]:
            self.certify()
        return counted


def wrong_of(right: Array, found: Array) -> tuple[int, float]:
    """Return the number of a solver's wrong distances, and the largest error.

    Distances must be equal, except that sums in float32 may differ from wider ones by a relative
    error of 1e-5. Unreached vertices have inf or the type's largest number; if only one of the two
    reaches a vertex, the error is inf.
    """
    if found.dtype == right.dtype and np.array_equal(found, right):
        return 0, 0.0
    if found.shape != right.shape:
        return right.size, np.inf
    reached, missing = right != unreachable(right.dtype), found == unreachable(found.dtype)
    both = reached & ~missing
    mine, theirs = right[both].astype(np.float64), found[both].astype(np.float64)
    gap = np.abs(mine - theirs)
    narrow = np.float32 in {right.dtype.type, found.dtype.type}
    bad = ~(gap <= (1e-5 * np.abs(mine) if narrow else 0))
    holes = int(np.count_nonzero(reached == missing))
    return int(np.count_nonzero(bad)) + holes, np.inf if holes else float(gap[bad].max(initial=0))


def digest(pred: Array) -> bytes:
    """Return a digest of a tree."""
    return hashlib.blake2b(np.ascontiguousarray(pred).data, digest_size=16).digest()


def candidates(graph: Graph) -> Iterator[int]:
    """Yield vertices with edges out of them in a seeded order, each once.

    Raises
    ------
    InputError
        If no vertex has edges.
    """
    usable = np.flatnonzero(np.diff(graph.indptr))
    if len(usable) == 0:
        raise InputError("a graph without edges has nothing to measure.")
    for vertex in np.random.default_rng(_SEED).permutation(usable):
        yield int(vertex)


def sources_of(graph: Graph, count: int) -> list[int]:
    """Return the first `count` candidates, or all if there are fewer."""
    return list(islice(candidates(graph), count))


def answers(graph: Graph, count: int, certified: int | None = None) -> dict[int, Right]:
    """Return seeded sources that reach a large part of the graph, and the right answer of each.

    A candidate becomes a source if it reaches at least half as many vertices as the best of the
    first 16. If four times the requested number of candidates do not suffice, those of the others
    that reach most vertices are added.

    Parameters
    ----------
    certified : number of first sources whose answers are certified immediately; None: all.
    """
    order = candidates(graph)
    first = list(islice(order, _JUDGED))
    found = answers_of(graph, first, certified)
    reach = {source: _reach(one) for source, one in found.items()}
    fair = max(reach.values()) / 2
    taken = {s: one for s, one in found.items() if reach[s] >= fair}
    for source in islice(order, (_TRIED - 1) * max(count, _JUDGED)):
        if len(taken) >= count:
            break
        one = _right(graph, source, certify=certified is None)
        reach[source] = _reach(one)
        if reach[source] >= fair:
            taken[source] = one
    lacking = count - len(taken)
    rest = sorted(set(reach) - set(taken), key=lambda source: -reach[source])
    taken |= answers_of(graph, rest[: max(lacking, 0)], certified)
    return dict(islice(taken.items(), count))


def answers_of(
    graph: Graph, sources: list[int], certified: int | None = None, threads: int | None = 1
) -> dict[int, Right]:
    """Return the right answers of given sources; see `answers`.

    With `threads` other than 1, they have no digests of trees.
    """
    return {
        source: _right(graph, source, threads, certify=certified is None or place < certified)
        for place, source in enumerate(sources)
    }


def _right(graph: Graph, source: int, threads: int | None = 1, *, certify: bool) -> Right:
    paths = sssp(graph, source, threads=threads, device="cpu")
    found = Right(paths, digest(paths.pred) if threads == 1 else b"")
    if certify:
        found.certify()
    return found


def _reach(right: Right) -> int:
    return int(np.count_nonzero(right.dist != unreachable(right.dist.dtype)))
