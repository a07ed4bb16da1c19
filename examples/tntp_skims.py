"""Skims of a transport model: free-flow minutes between all zones of a TNTP network.

Run it with `python examples/tntp_skims.py Anaheim_net.tntp`; it writes skims.csv and skims.npy.
The networks come from https://github.com/bstabler/TransportationNetworks.
"""

import sys

import numpy as np

import warpath as wp

network = wp.read(sys.argv[1] if len(sys.argv) > 1 else "Anaheim_net.tntp", weight="free_flow_time")
zones = range(1, network.first_through + 1)  # paths start and end at zones, and never pass one
skims = wp.distances(network, zones, zones)
skims.save("skims.csv")
np.save("skims.npy", skims.dist)
minutes = skims.reached_dist
print(f"{skims.shape[0]:,} x {skims.shape[1]:,} zones, {minutes.mean():.1f} minutes on average")
