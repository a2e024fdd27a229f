"""Are distribution functions at the true values uniform? With ``-s`` the figures are printed.

Where BAYESCMP_CALIBRATION_TABLE names a file, a line a parameter is added to it, as in
docs/calibration.csv.
"""

from __future__ import annotations

import csv
import os
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
from scipy import stats

BINS = 20
#: A run of all parameters fails by chance this often.
LEVEL = 0.01
COLUMNS = ("posterior", "parameter", "replicates", "chi_square_p", "kolmogorov_smirnov_p", "bins")


def randomised_rank(truth: float, draws: np.ndarray, rng: np.random.Generator) -> float:
    """The truth's rank among nearly independent draws, moved evenly to its next."""
    below = np.sum(np.ravel(draws) < truth)
    return float((below + rng.random()) / (np.size(draws) + 1))


def check_uniform(values: Mapping[str, Sequence[float]], what: str) -> None:
    """Chi-square over 20 bins and Kolmogorov-Smirnov, Bonferroni over both and all parameters."""
    size = len(next(iter(values.values())))
    print(f"\n{what}: {size} replicates, {size / BINS:g} expected a bin")
    smallest = {}
    for name, u in values.items():
        counts = np.histogram(u, BINS, range=(0, 1))[0]
        ks, chi = stats.kstest(u, "uniform").pvalue, stats.chisquare(counts).pvalue
        smallest[name] = min(ks, chi)
        record(what, name, counts, chi, ks)
        print(
            f"  {name:<12} bins {counts.min()} to {counts.max()}, chi-square p {chi:.3f}, "
            f"Kolmogorov-Smirnov p {ks:.3f}"
        )
    name = min(smallest, key=lambda k: smallest[k])
    print(f"  smallest p of {2 * len(values)}: {smallest[name]:.3f} ({name})")
    assert smallest[name] > LEVEL / (2 * len(values)), name


def record(what: str, name: str, counts: np.ndarray, chi: float, ks: float) -> None:
    """Add a parameter's figures to the table, where one is wanted; bins go from 0 to 1."""
    wanted = os.environ.get("BAYESCMP_CALIBRATION_TABLE")
    if not wanted:
        return
    file = Path(wanted)
    header = not file.exists()
    with file.open("a", newline="", encoding="utf-8") as out:
        lines = csv.writer(out, lineterminator="\n")
        if header:
            lines.writerow(COLUMNS)
        bins = " ".join(map(str, counts))
        lines.writerow((what, name, counts.sum(), f"{chi:.4f}", f"{ks:.4f}", bins))
