"""Is P(best) calibrated? What was claimed of simulated studies, beside how often it was right.

``python joint_best.py claims.jsonl bootstrap:5x8:0.02:2000 joint_t:20x54:0.02:600`` simulates
2,000 studies of 5 algorithms on 8 data sets for the one, 600 of 20 on 54 for the other. The
algorithms' effects on average have a standard deviation of 0.02; on each data set they are t_5
around them with scale 0.01, and ten folds have noise of 0.03 and correlation 0.1. Each study's
claims are added to the file, and those that it has already are not computed again.

A row counts the claims between two probabilities, of any algorithm: their mean, the share of them
that was right, and its standard error. Many truths could have led to a study's scores, and a claim
is right in some of them: with the probability that these scores give to whoever knows how they
were simulated, by Gibbs sampling. That is what is counted: its average is the same as that of the
truths that were drawn, and far less noisy. Claims of one study are not independent, but of those
over 0.5 a study has at most one.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from pathlib import Path

import measured
import numpy as np
from scipy import stats

from bayescmp.bayesian import JointPrior, bootstrap
from bayescmp.bayesian.joint.problem import MODEL, pose
from bayescmp.bayesian.joint.table import read_table
from bayescmp.engines import SamplerSettings, find_engine

SPREAD, DF, NOISE, RHO, FOLDS, ROPE = 0.01, 5.0, 0.03, 0.1, 10, 0.01
PRIOR = JointPrior()
#: One short chain a study, not judged: the error of a claim hardly moves it to another bin.
CHAIN = SamplerSettings(chains=1, warmup=200, draws=200, adapt_delta=0.9)
#: Of the built-in engine, whose chains have no steps to adapt: four walks, a quarter warms up.
SWEEPS = SamplerSettings(chains=1, warmup=0, draws=800)
#: Data sets that may come next, a draw.
POINTS = 16
#: Chains, steps of each that count, and steps before them, by which the truth is sampled.
WALKS, STEPS, BURN_IN = 20, 15, 10
#: Target, claimed probability, and that of being right given the scores.
Claim = tuple[str, float, float]
BINS = ((0.4, 0.6), (0.6, 0.8), (0.8, 0.9), (0.9, 1.0))


def study(L: int, q: int, apart: float, seed: int) -> tuple[np.ndarray, dict[str, np.ndarray]]:
    """Scores (q, n, L), and given these, each algorithm's true chances of being best."""
    rng = np.random.default_rng([seed, L, q])
    mu = apart * rng.normal(size=L)
    u = effects(mu, q + 1, rng)[:q]
    shared, own = rng.normal(size=(q, 1, L)), rng.normal(size=(q, FOLDS, L))
    x = u[:, None] + NOISE * (np.sqrt(RHO) * shared + np.sqrt(1 - RHO) * own)
    averages = true_averages(x.mean(axis=1), apart, np.random.default_rng([seed, L, q, 1]))
    following = effects(averages, len(averages), rng)
    chances = {"next": _best(following).mean(axis=0), "average": _best(averages).mean(axis=0)}
    return x, chances


def effects(mu: np.ndarray, size: int, rng: np.random.Generator) -> np.ndarray:
    """True effects on so many data sets, (size, L)."""
    tails = np.sqrt(rng.chisquare(DF, (size, 1)) / DF)
    return np.asarray(mu + SPREAD * rng.normal(size=(size, mu.shape[-1])) / tails)


def true_averages(means: np.ndarray, apart: float, rng: np.random.Generator) -> np.ndarray:
    """Draws of the effects on average given the mean scores (q, L) and the design, (draws, L).

    Given its tail weight κ, the mean scores of a data set are normal around the averages, with
    variance SPREAD² / κ and that of the folds' mean; κ is sampled among 100 quantiles of its
    prior.
    """
    q, L = means.shape
    kappa = stats.chi2(DF).ppf((np.arange(100) + 0.5) / 100) / DF
    variances = SPREAD**2 / kappa + NOISE**2 * (RHO + (1 - RHO) / FOLDS)
    mu, draws = np.tile(means.mean(axis=0), (WALKS, 1)), []
    for _ in range(BURN_IN + STEPS):
        squares = ((means - mu[:, None]) ** 2).sum(axis=-1)[..., None]
        log_density = -L / 2 * np.log(variances) - squares / (2 * variances)
        at = (log_density + rng.gumbel(size=(WALKS, q, 100))).argmax(axis=-1)
        precision = 1 / variances[at]
        total = precision.sum(axis=1)[:, None] + apart**-2
        centre = precision @ means / total
        mu = centre + rng.normal(size=(WALKS, L)) / np.sqrt(total)
        draws.append(mu)
    return np.concatenate(draws[BURN_IN:])


def by_bootstrap(x: np.ndarray, seed: int) -> dict[str, np.ndarray]:
    """P(best) on both targets by the bootstrap, without the ranks and sets of `best()`."""
    posterior = bootstrap(x, rho=RHO, rope=ROPE, draws=400, seed=seed)
    first, average = [], []
    for cloud in posterior.clouds():
        u = np.broadcast_to(cloud.u, (*cloud.w.shape, cloud.u.shape[-1]))
        first.append(np.einsum("cm,cml->cl", cloud.w, _best(u)))
        average.append(np.einsum("cm,cml->cl", cloud.w, u))
    best = _best(np.concatenate(average))
    return {"next": np.concatenate(first).mean(axis=0), "average": best.mean(axis=0)}


def by_model(
    x: np.ndarray,
    seed: int,
    prior: JointPrior = PRIOR,
    engine: str = "pystan",
    settings: SamplerSettings = CHAIN,
) -> dict[str, np.ndarray]:
    """P(best) on both targets by the model of `joint_t`."""
    mu, following = model_draws(x, RHO, seed, settings, prior, engine)
    return {"next": _best(following).mean(axis=(0, 1)), "average": _best(mu).mean(axis=0)}


def model_draws(
    x: np.ndarray,
    rho: float,
    seed: int,
    settings: SamplerSettings,
    prior: JointPrior = PRIOR,
    engine: str = "pystan",
) -> tuple[np.ndarray, np.ndarray]:
    """Draws by the model of `joint_t` from one run of an engine, which is not judged.

    The effects on average have shape (D, L), and those on data sets that may come next
    (D, POINTS, L).
    """
    table = read_table(x, metric=None, rho=rho, test="joint_t", folds=True, lower_is_better=False)
    problem = pose(table, prior)
    draws = find_engine(engine, MODEL).fit(problem.request(seed, settings)).draws
    mu, Sigma0, nu = (np.concatenate(draws[name]) for name in ("mu", "Sigma0", "nu"))
    rng = np.random.default_rng([seed, 2])
    tails = np.sqrt(rng.chisquare(nu[:, None], (len(nu), POINTS)) / nu[:, None])
    z = rng.standard_normal((len(nu), POINTS, mu.shape[1])) / tails[..., None]
    following = mu[:, None] + np.einsum("dkl,dml->dmk", np.linalg.cholesky(Sigma0), z)
    return mu * problem.scale, following * problem.scale


def _best(u: np.ndarray) -> np.ndarray:
    """Whether each algorithm is the best, from utilities (..., L)."""
    return np.asarray(u.argmax(axis=-1)[..., None] == np.arange(u.shape[-1]))


METHODS: dict[str, Callable[[np.ndarray, int], dict[str, np.ndarray]]] = {
    "bootstrap": by_bootstrap,
    "joint_t": by_model,
    "joint_t_gibbs": partial(by_model, engine="gibbs", settings=SWEEPS),
    "joint_t_flat": partial(by_model, prior=JointPrior(mean_scale=1e6, mean_floor=1e6)),
}


def claims(method: str, L: int, q: int, apart: float, seed: int) -> list[Claim]:
    """Claims of each algorithm in one study."""
    x, truth = study(L, q, apart, seed)
    return [
        (on, float(p), float(truth[on][k]))
        for on, claimed in METHODS[method](x, seed).items()
        for k, p in enumerate(claimed)
    ]


def all_claims(path: Path, design: str) -> Iterator[Claim]:
    """Claims in every study of a design, such as "joint_t:5x8:0.02:2000", kept in the file."""
    method, size, apart, studies = design.split(":")
    L, q = map(int, size.split("x"))
    kept = {}
    if path.exists():
        for line in path.read_text(encoding="utf-8").splitlines():
            *key, rows = json.loads(line)
            kept[tuple(key)] = rows
    with path.open("a", encoding="utf-8") as file:
        for seed in range(int(studies)):
            key = (method, size, apart, seed)
            if key not in kept:
                kept[key] = claims(method, L, q, float(apart), seed)
                file.write(json.dumps([*key, kept[key]]) + "\n")
                file.flush()
            yield from kept[key]


def counted(rows: Iterable[Claim]) -> Iterator[str]:
    """Claims between two probabilities on each target: mean, share that was right, its error."""
    rows = list(rows)
    for on in ("next", "average"):
        p, right = np.array([(p, right) for target, p, right in rows if target == on]).T
        for low, high in BINS:
            inside = (p >= low) & (p < high if high < 1 else p <= 1)
            n = int(inside.sum())
            if n:
                share = right[inside].mean()
                numbers = (p[inside].mean(), share, right[inside].std() / np.sqrt(n))
                yield f"{on},{low},{high},{n}," + ",".join(f"{number:.3f}" for number in numbers)


if __name__ == "__main__":
    columns = "method,algorithms,datasets,apart,studies,target,low,high,claims,claimed,right,se"
    sys.stdout.write(measured.head() + columns + "\n")
    for design in sys.argv[2:]:
        method, size, apart, studies = design.split(":")
        for row in counted(all_claims(Path(sys.argv[1]), design)):
            sys.stdout.write(f"{method},{size.replace('x', ',')},{apart},{studies},{row}\n")
            sys.stdout.flush()
