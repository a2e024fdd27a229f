"""Is P(best) calibrated? What was claimed of simulated studies, beside how often it was right.

``python joint_best.py bootstrap 2000 > joint_best.csv`` and ``python joint_best.py joint_t 200``:
so many studies of each size. The effects of L algorithms on average are N(0, 0.02²), on each data
set t_5 around them with scale 0.01, and ten folds have noise of 0.03 and correlation 0.1. A row
counts the claims between two probabilities, of any algorithm: their mean, the share of them that
was right, and its standard error.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterator

import numpy as np

from bayescmp import DiagnosticWarning
from bayescmp.bayesian import BootstrapPosterior, bootstrap, joint_t
from bayescmp.bayesian.joint.base import JointBase

SPREAD, DF, NOISE, RHO, FOLDS, ROPE = 0.01, 5.0, 0.03, 0.1, 10, 0.01
SIZES = {"bootstrap": ((5, 8), (5, 54), (20, 8), (20, 54)), "joint_t": ((5, 8),)}
BINS = ((0.4, 0.6), (0.6, 0.8), (0.8, 0.9), (0.9, 1.0))


def study(L: int, q: int, apart: float, seed: int) -> tuple[np.ndarray, dict[str, int]]:
    """Scores (q, n, L), and which algorithm is best on the next data set and on average."""
    rng = np.random.default_rng([seed, L, q])
    mu = apart * rng.normal(size=L)
    tails = np.sqrt(rng.chisquare(DF, (q + 1, 1)) / DF)
    u = mu + SPREAD * rng.normal(size=(q + 1, L)) / tails
    shared, own = rng.normal(size=(q, 1, L)), rng.normal(size=(q, FOLDS, L))
    noise = NOISE * (np.sqrt(RHO) * shared + np.sqrt(1 - RHO) * own)
    truth = {"next": int(u[q].argmax()), "average": int(mu.argmax())}
    return u[:q, None] + noise, truth


def fitted(method: str, x: np.ndarray, seed: int) -> JointBase:
    """The posterior, by few draws: a claim's Monte Carlo error hardly moves its bin."""
    if method == "bootstrap":
        return bootstrap(x, rho=RHO, rope=ROPE, draws=400, seed=seed)
    return joint_t(x, rho=RHO, rope=ROPE, chains=1, warmup=400, draws=400, seed=seed)


def best_of(posterior: JointBase) -> dict[str, np.ndarray]:
    """`posterior.best()` of both targets, without the ranks and sets that come with it."""
    first, average = [], []
    for cloud in posterior.clouds():
        u = np.broadcast_to(cloud.u, (*cloud.w.shape, cloud.u.shape[-1]))
        winners = u.argmax(axis=-1)[..., None] == np.arange(u.shape[-1])
        first.append(np.einsum("cm,cml->cl", cloud.w, winners))
        average.append(np.einsum("cm,cml->cl", cloud.w, u))
    resampled = isinstance(posterior, BootstrapPosterior)
    means = np.concatenate(average) if resampled else posterior.averages
    best = means.argmax(axis=-1)[:, None] == np.arange(means.shape[-1])
    return {"next": np.concatenate(first).mean(axis=0), "average": best.mean(axis=0)}


def claims(
    method: str, L: int, q: int, apart: float, studies: int
) -> Iterator[tuple[str, float, bool]]:
    """Target, claimed probability and whether it came true, of each algorithm of each study."""
    for seed in range(studies):
        x, truth = study(L, q, apart, seed)
        for on, claimed in best_of(fitted(method, x, seed)).items():
            for k, p in enumerate(claimed):
                yield on, p, k == truth[on]


def table(method: str, L: int, q: int, apart: float, studies: int) -> Iterator[str]:
    """Rows of the table."""
    rows = list(claims(method, L, q, apart, studies))
    for on in ("next", "average"):
        p, right = np.array([(p, right) for target, p, right in rows if target == on]).T
        for low, high in BINS:
            inside = (p >= low) & (p < high if high < 1 else p <= 1)
            n = int(inside.sum())
            if n:
                share = right[inside].mean()
                numbers = (p[inside].mean(), share, np.sqrt(share * (1 - share) / n))
                shown = ",".join(f"{number:.3f}" for number in numbers)
                yield f"{method},{L},{q},{apart},{studies},{on},{low},{high},{n},{shown}"


if __name__ == "__main__":
    warnings.simplefilter("ignore", DiagnosticWarning)  # one short chain a study
    columns = "method,algorithms,datasets,apart,studies,target,low,high,claims,claimed,right,se"
    sys.stdout.write(columns + "\n")
    method, studies, apart = sys.argv[1], int(sys.argv[2]), float(sys.argv[3])
    for L, q in SIZES[method]:
        for row in table(method, L, q, apart, studies):
            sys.stdout.write(row + "\n")
            sys.stdout.flush()
