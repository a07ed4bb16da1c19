"""How many shops each junction of Monaco reaches within ten minutes on foot.

Run it with `python examples/accessibility.py monaco.osm.gz`; it writes accessibility.csv.
"""

import sys
from pathlib import Path

import numpy as np
import pandas as pd

import warpath as wp

extract = sys.argv[1] if len(sys.argv) > 1 else "monaco.osm.gz"
streets = wp.read(extract, profile="foot", weight="seconds")
shops = pd.read_csv(Path(__file__).parent / "data" / "monaco_shops.csv")


def shops_reached(_: np.ndarray, seconds: np.ndarray) -> np.ndarray:
    return (seconds <= 600).sum(axis=1)


table = wp.totals(streets, shops_reached, targets=shops).to_pandas()
table.to_csv("accessibility.csv", index=False)
print(table["shops_reached"].value_counts().sort_index().to_string())
