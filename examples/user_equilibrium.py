"""Traffic assignment by the method of Frank and Wolfe: flows with which no trip has a faster route.

Run it with `python examples/user_equilibrium.py` in the folder of the repository, or with the names
of a network (.tntp, or a table with the same columns) and of a table of trips. It writes flows.csv.
"""

import sys

import numpy as np
import pandas as pd

import warpath as wp

roads, table = sys.argv[1:] or [
    "examples/data/sioux_falls.csv",
    "examples/data/sioux_falls_trips.csv",
]
minutes, capacity, b, power = (
    wp.read(roads, weight=column).weights for column in ("free_flow_time", "capacity", "b", "power")
)
streets, trips = wp.read(roads, ids="file"), pd.read_csv(table)


def cost(flows: np.ndarray) -> np.ndarray:
    """Return the minutes that each street takes with these flows (Bureau of Public Roads, 1964)."""
    return minutes * (1 + b * (flows / capacity) ** power)


def fastest(flows: np.ndarray) -> np.ndarray:
    """Return the flows of all trips on the routes that are fastest with these flows."""
    return wp.loads(streets.with_weights(cost(flows)), trips).edges


flows, gap, steps = fastest(np.zeros(streets.m)), 1.0, 0
while gap > 1e-4:
    change = fastest(flows) - flows
    gap, steps = -(change @ cost(flows)) / (flows @ cost(flows)), steps + 1
    low, high = 0.0, 1.0
    for _ in range(40):  # the step along the change with which its minutes add up to 0
        half = (low + high) / 2
        low, high = (half, high) if change @ cost(flows + half * change) < 0 else (low, half)
    flows += low * change

source, target, _ = streets.edges()
labels = streets.label_of(np.stack([source, target]))
flows = {"source": labels[0], "target": labels[1], "flow": flows.round(1)}
pd.DataFrame(flows).to_csv("flows.csv", index=False)
print(f"relative gap {gap:.1e} after {steps} steps; flows.csv has {streets.m} streets")
