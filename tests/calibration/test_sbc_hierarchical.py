"""Simulation-based calibration of the hierarchical correlated t test (Talts et al. 2018).

Parameters are drawn from the prior, data from the model; the posterior's distribution function at
the true parameter then has to be uniform, and a region that is given probability p has to be the
true one in a share p of the replicates. With ``-m calibration -s`` the figures are printed; for
other seeds and more replicates than the tests have:

    python -m tests.calibration.test_sbc_hierarchical --seed 2026 --replicates 4000 -q 3
    python -m tests.calibration.test_sbc_hierarchical --seed 2026 --replicates 300 --engine pystan
"""

import argparse
import dataclasses
from functools import partial

import numpy as np
import pytest
from scipy.special import stdtr

from bayescmp.bayesian.hierarchical.answers import masses_of
from bayescmp.bayesian.hierarchical.problem import KEEP, MODEL, rows_of
from bayescmp.engines import FitRequest, SamplerSettings, find_engine
from bayescmp.engines.quadrature import Problem, solve
from bayescmp.results.verdict import winners
from bayescmp.scores.rope import as_rope
from bayescmp.scores.runs import Runs
from tests.calibration.uniform import check_uniform, ignore

pytestmark = pytest.mark.calibration

N, RHO = 6, 0.2
ROPE = as_rope(0.25)
PRIOR = {
    "delta0_bound": 1.0,
    "sigma0_upper": 1.0,
    "sigma_upper": 1.0,
    "alpha_lower": 0.5,
    "alpha_upper": 5.0,
    "beta_lower": 0.05,
    "beta_upper": 0.15,
    "nu_offset": 1.0,
}
UPPER = ("delta0", "sigma0", "nu")


def draw_truth(rng, q):
    """Parameters from the prior, with δ_i and σ_i of q data sets."""
    alpha, beta = rng.uniform(0.5, 5), rng.uniform(0.05, 0.15)
    truth = {
        "delta0": rng.uniform(-1, 1),
        "sigma0": rng.uniform(0, 1),
        "nu": 1 + rng.gamma(alpha, 1 / beta),
    }
    delta = truth["delta0"] + truth["sigma0"] * rng.standard_t(truth["nu"], size=q)
    truth["delta_1"] = delta[0]
    return truth, delta, rng.uniform(0, 1, size=q)


def simulate(rng, q):
    """Parameters from the prior, and the sufficient statistics of q data sets from the model."""
    truth, delta, sigma = draw_truth(rng, q)
    xbar = delta + sigma * np.sqrt((1 + (N - 1) * RHO) / N) * rng.normal(size=q)
    ss = sigma**2 * (1 - RHO) * rng.chisquare(N - 1, size=q)
    rows = {"n": N, "rho": RHO, "factor": 1 / N + RHO / (1 - RHO)}
    data = {"q": q, **{k: np.full(q, v) for k, v in rows.items()}, "xbar": xbar, "ss": ss, **PRIOR}
    return truth, data


#: Independent runs: games, and seeds of each agent.
GAMES, SEEDS = 8, 3


def simulate_runs(rng):
    """Parameters from the prior, raw runs of two agents, and their statistics as the package has.

    "next" is the difference on a further game.
    """
    truth, delta, sigma = draw_truth(rng, GAMES)
    truth["next"] = truth["delta0"] + truth["sigma0"] * rng.standard_t(truth["nu"])
    level = rng.normal(0, 10, GAMES)
    first = [rng.normal(m, s, SEEDS) for m, s in zip(level, sigma, strict=True)]
    second = [rng.normal(m, s, SEEDS) for m, s in zip(level + delta, sigma, strict=True)]
    return truth, {"q": GAMES, **rows_of(Runs(first, second).statistics(), 1.0), **PRIOR}


def true_region(truth):
    at = {name: np.array([[truth[name]]]) for name in UPPER}
    return winners(masses_of(at, ROPE))[0, 0]


def problem_of(data):
    fields = {f.name for f in dataclasses.fields(Problem)}
    return Problem(**{k: v for k, v in data.items() if k in fields})


def on_the_grid(data, truth, seed):
    """Distribution functions at the truth, and the verdict."""
    grid = solve(problem_of(data))
    u = [float(grid.marginal(name).cdf(truth[name])) for name in UPPER]
    draws = grid.draws(999, seed)
    u.append((grid.draw_datasets(draws, seed)["delta"][:, 0] < truth["delta_1"]).mean())
    return u, grid.verdict(ROPE.low, ROPE.high).p


def by_stan(engine):
    settings = SamplerSettings(chains=1, warmup=500, draws=990, adapt_delta=0.9)

    def run(data, truth, seed):
        request = FitRequest(MODEL, data, seed, KEEP, (), settings)
        draws = find_engine(engine, MODEL).fit(request).draws
        u = [(draws[name][..., ::10] < truth[name]).mean() for name in UPPER]
        u.append((draws["delta"][:, ::10, 0] < truth["delta_1"]).mean())
        return u, winners(masses_of({k: draws[k] for k in UPPER}, ROPE)).mean(axis=(0, 1))

    return run


def check(run, q, replicates, what, seed=2017, record=ignore):
    rng = np.random.default_rng([seed, q])
    u, errors = np.empty((replicates, 4)), np.empty((replicates, 3))
    for i in range(replicates):
        truth, data = simulate(rng, q)
        u[i], p = run(data, truth, i)
        errors[i] = p - true_region(truth)
    values = dict(zip((*UPPER, "delta_1"), u.T, strict=True))
    check_uniform(values, f"hierarchical_t, {what}, q = {q}, seed {seed}", record)
    return errors


def check_regions(errors, record=ignore):
    """A region that is given probability p is the true one in a share p of the replicates."""
    mean, se = errors.mean(axis=0), errors.std(axis=0, ddof=1) / np.sqrt(len(errors))
    for region, m, s in zip(("left", "rope", "right"), mean, se, strict=True):
        print(f"  verdict minus truth, {region}: {m:+.4f} (z {m / s:+.1f})")
        record(region=region, replicates=len(errors), claimed_less_true=m, standard_error=s)
    assert np.abs(mean / se).max() < 3.5


@pytest.mark.parametrize("q", [3, 10])
def test_the_built_in_engine(q, evidence):
    errors = check(on_the_grid, q, 2000, "quadrature", record=partial(evidence, "sbc_grid"))
    check_regions(errors, partial(evidence, "region_shares", datasets=q))


def test_independent_runs(evidence):
    """300 studies of 8 games and 3 seeds of each agent; `next` is predicted from the draws."""
    rng = np.random.default_rng([2027, GAMES])
    u, errors = np.empty((300, 5)), np.empty((300, 3))
    for i in range(len(u)):
        truth, data = simulate_runs(rng)
        own, p = on_the_grid(data, truth, i)
        u[i] = [*own, predicted(data, truth, i)]
        errors[i] = p - true_region(truth)
    values = dict(zip((*UPPER, "delta_1", "next"), u.T, strict=True))
    record = partial(evidence, "sbc_runs")
    check_uniform(values, f"hierarchical_t of runs, {GAMES} x {SEEDS}", record)
    check_regions(errors, record)


def predicted(data, truth, seed):
    """The predictive distribution function at the difference on a further game."""
    draws = solve(problem_of(data)).draws(999, seed)
    z = (truth["next"] - draws["delta0"]) / draws["sigma0"]
    return float(stdtr(draws["nu"], z).mean())


@pytest.mark.stan
@pytest.mark.parametrize("seed", [2017, 2026])
def test_stan(stan_engine, seed, evidence):
    """Ranks among 99 thinned draws of one chain."""
    record = partial(evidence, "sbc_stan", engine=stan_engine)
    check_regions(check(by_stan(stan_engine), 10, 300, stan_engine, seed, record))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seed", type=int, required=True)
    parser.add_argument("--replicates", type=int, required=True)
    parser.add_argument("-q", type=int, default=10, help="data sets")
    parser.add_argument("--engine", default="quadrature")
    given = parser.parse_args()
    run = on_the_grid if given.engine == "quadrature" else by_stan(given.engine)
    check_regions(check(run, given.q, given.replicates, given.engine, given.seed))
