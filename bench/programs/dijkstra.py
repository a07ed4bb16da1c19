"""Dijkstra's algorithm as a program for `warpath bench suite --external`."""

import sys
import time
from heapq import heappop, heappush

import numpy as np

graph, sources, distances, threads = sys.argv[1:]
start = time.perf_counter()
with open(graph, "rb") as file:
    _, _, kind, n, m = file.readline().split()
    offsets = np.fromfile(file, "<i8", int(n) + 1).tolist()
    ends = np.fromfile(file, "<i4", int(m)).tolist()
    weights = np.fromfile(file, np.dtype(kind.decode()), int(m)).tolist()
print("build", time.perf_counter() - start)


def solve(source):
    dist = [float("inf")] * int(n)
    dist[source] = 0.0
    queue = [(0.0, source)]
    while queue:
        d, u = heappop(queue)
        if d > dist[u]:
            continue
        for e in range(offsets[u], offsets[u + 1]):
            through = d + weights[e]
            if through < dist[ends[e]]:
                dist[ends[e]] = through
                heappush(queue, (through, ends[e]))
    return dist


with open(sources) as file, open(distances, "wb") as out:
    for line in file:
        start = time.perf_counter()
        dist = solve(int(line))
        print("time", 1e3 * (time.perf_counter() - start))
        np.array(dist).tofile(out)
