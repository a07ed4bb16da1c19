"""Skims of a transport model: free-flow minutes between all zones of a TNTP network.

Run it with `python examples/tntp_skims.py Anaheim_net.tntp`; it writes skims.csv and skims.npy.
The networks come from https://github.com/bstabler/TransportationNetworks.
"""

import re
import sys
from pathlib import Path

import numpy as np

import warpath as wp

file = Path(sys.argv[1] if len(sys.argv) > 1 else "Anaheim_net.tntp")
network = wp.read(file, weight="free_flow_time")
count = int(re.search(r"<NUMBER OF ZONES>\s*(\d+)", file.read_text())[1])
zones = {vertex: str(vertex + 1) for vertex in range(count)}  # zone 1 of the file is vertex 0
skims = wp.distances(network, zones, zones)
skims.save("skims.csv")
np.save("skims.npy", skims.dist)
minutes = skims.reached_dist
print(f"{skims.shape[0]:,} x {skims.shape[1]:,} zones, {minutes.mean():.1f} minutes on average")
