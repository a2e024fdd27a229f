"""Are distribution functions at the true values uniform? With ``-s`` the figures are printed."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np
from scipy import stats

BINS = 20
#: A run of all parameters fails by chance this often.
LEVEL = 0.01


def randomised_rank(truth: float, draws: np.ndarray, rng: np.random.Generator) -> float:
    """The truth's rank among nearly independent draws, moved evenly to its next."""
    below = np.sum(np.ravel(draws) < truth)
    return float((below + rng.random()) / (np.size(draws) + 1))


def ignore(**row: object) -> None:
    """Keep no record."""


def figures(what: str, name: str, counts: np.ndarray, chi: float, ks: float) -> dict[str, object]:
    """A row of a table of evidence: p-values, and the counts in bins from 0 to 1."""
    return {
        "posterior": what,
        "parameter": name,
        "replicates": int(counts.sum()),
        "chi_square_p": chi,
        "kolmogorov_smirnov_p": ks,
        "bins": " ".join(map(str, counts)),
    }


def check_uniform(
    values: Mapping[str, Sequence[float]], what: str, record: Callable[..., None] = ignore
) -> None:
    """Chi-square over 20 bins and Kolmogorov-Smirnov, Bonferroni over both and all parameters.

    `record` is given the figures of each parameter.
    """
    size = len(next(iter(values.values())))
    print(f"\n{what}: {size} replicates, {size / BINS:g} expected a bin")
    smallest = {}
    for name, u in values.items():
        counts = np.histogram(u, BINS, range=(0, 1))[0]
        ks, chi = stats.kstest(u, "uniform").pvalue, stats.chisquare(counts).pvalue
        smallest[name] = min(ks, chi)
        record(**figures(what, name, counts, chi, ks))
        print(
            f"  {name:<12} bins {counts.min()} to {counts.max()}, chi-square p {chi:.3f}, "
            f"Kolmogorov-Smirnov p {ks:.3f}"
        )
    name = min(smallest, key=lambda k: smallest[k])
    print(f"  smallest p of {2 * len(values)}: {smallest[name]:.3f} ({name})")
    assert smallest[name] > LEVEL / (2 * len(values)), name
