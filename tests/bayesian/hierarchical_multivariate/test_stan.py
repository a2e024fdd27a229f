"""The hierarchical multivariate program: the built-in engine, brute force, recovery, real data."""

from __future__ import annotations

import itertools
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import bayescmp as bc
from bayescmp.bayesian import (
    HierarchicalPrior,
    MultivariatePrior,
    hierarchical_multivariate_t,
    hierarchical_t,
    pair_blocks,
)
from bayescmp.bayesian.hierarchical_multivariate.fit import read_rows
from bayescmp.bayesian.hierarchical_multivariate.problem import KEEP, MODEL, pose
from bayescmp.engines import FitRequest, SamplerSettings, find_engine

pytestmark = [pytest.mark.stan, pytest.mark.slow]
SHORT = {"warmup": 400, "draws": 400}
SCORES = Path(__file__).parents[3] / "examples" / "data" / "scores.csv"


def run(engine, problem, data, draws=2500):
    settings = SamplerSettings(4, 1000, draws, 0.9)
    request = FitRequest(MODEL, data, 1, KEEP, problem.inits(1, 4), settings)
    return find_engine(engine, MODEL).fit(request).draws


def test_one_metric_is_the_hierarchical_correlated_t_test(stan_engine):
    """Against the built-in engine's quadrature, its likelihood (σ_i uniform: n - 2) put in.

    Both have ν - 1 ~ Gamma(2, 0.1); its uniform priors of δ0 and σ0 are had by wide ones here.
    """
    rng = np.random.default_rng(5)
    x = 0.01 + 0.02 * rng.standard_t(4, (12, 1)) + 0.03 * rng.normal(size=(12, 30))
    x[:, :15] += 0.01  # not only noise
    wide = MultivariatePrior(delta0_sd=100.0, tau_scale=100.0, alpha=2.0, beta=0.1)
    rows = read_rows([r[:, None] for r in x], 0.1, None, None, None, None)
    problem = pose(rows, wide)
    n, dof = 30, 28
    ss = ((x - x.mean(axis=1, keepdims=True)) ** 2).sum(axis=1)[problem.order]
    v = ss * (1 + (n - 1) * 0.1) / (n * 0.9 * dof) / problem.unit**2
    draws = run(
        stan_engine, problem, {**problem.data, "dof": np.full(12, dof), "C": v[:, None, None]}
    )
    exact = hierarchical_t(
        x,
        rho=0.1,
        rope=0.01,
        engine="quadrature",
        prior=HierarchicalPrior(alpha=(2.0, 2.0), beta=(0.1, 0.1)),
    )
    unit = problem.unit[0]
    actual = {
        "delta0": problem.sign * unit * draws["delta0"][..., 0],
        "sigma0": unit * draws["tau"][..., 0],
        "nu": draws["nu"],
    }
    for name, values in actual.items():
        for prob in (0.1, 0.25, 0.5, 0.75, 0.9):
            below = np.mean(values <= exact.quantile(name, prob))
            assert below == pytest.approx(prob, abs=0.03), (name, prob)  # 4 se at ess 4,000
    delta = problem.sign * unit * draws["delta"][..., 0][:, :, np.argsort(problem.order)]
    wanted = exact.by_dataset()
    assert delta.mean(axis=(0, 1)) == pytest.approx(wanted["mean"].to_numpy(), abs=3e-4)
    assert delta.std(axis=(0, 1)) == pytest.approx(wanted["sd"].to_numpy(), rel=0.06)


def test_importance_weights_on_the_prior(stan_engine):
    """q = 3, p = 2 against draws from the prior weighted by the likelihood, all in NumPy."""
    rng = np.random.default_rng(8)
    xs = [np.array([0.3, 0.1]) + rng.normal(size=(6, 2)) @ [[1, 0.5], [0, 0.8]] for _ in range(3)]
    prior = MultivariatePrior(delta0_sd=1.0, tau_scale=0.5, alpha=2.0, beta=0.1)
    rows = read_rows(xs, 0.2, None, None, None, None)
    problem = pose(rows, prior)
    draws = run(stan_engine, problem, problem.data)
    N = 400_000
    d0 = rng.normal(size=(N, 2))
    tau = 0.5 * np.abs(rng.standard_t(3, (N, 2)))
    r = 2 * rng.beta(2, 2, N) - 1  # LKJ(2) for p = 2: (1 - r²) on (-1, 1)
    nu = 1 + rng.gamma(2, 10, N)
    z = rng.normal(size=(3, N, 2)) / np.sqrt(rng.chisquare(nu, (3, N)) / nu)[..., None]
    delta = d0 + tau * np.stack([z[..., 0], r * z[..., 0] + np.sqrt(1 - r**2) * z[..., 1]], -1)
    log_w = np.zeros(N)
    c = 1 / 6 + 0.2 / 0.8
    for i, x in enumerate(xs):
        scale = c * np.cov(x.T, ddof=0) * 6 / 4
        log_w += stats.multivariate_t(x.mean(axis=0), scale, df=4).logpdf(delta[i])
    w = np.exp(log_w - log_w.max())
    w /= w.sum()
    assert 1 / np.sum(w**2) > 5000
    unit, sign = problem.unit, problem.sign
    own = np.argsort(problem.order)
    pairs = {
        "delta0": (sign * unit * draws["delta0"], d0),
        "log tau": (np.log(unit * draws["tau"]), np.log(tau)),
        "r": (draws["Omega"][..., :1, 1], r[:, None]),
        "log nu": (np.log(draws["nu"] - 1)[..., None], np.log(nu - 1)[:, None]),
        "delta_2": (sign * unit * draws["delta"][:, :, own[1]], delta[1]),
    }
    for name, (sampled, weighted) in pairs.items():
        mean = w @ weighted
        sd = np.sqrt(w @ (weighted - mean) ** 2)
        got = sampled.reshape(-1, sampled.shape[-1])
        assert np.abs(got.mean(axis=0) - mean).max() < 0.06 * sd.max(), name
        assert got.std(axis=0) == pytest.approx(sd, rel=0.08), name


def known(q, n, seed):
    """Differences on q data sets with known δ0, τ, correlation and ν."""
    rng = np.random.default_rng(seed)
    S0 = np.array([[0.02**2, 0.7 * 0.02 * 0.03], [0.7 * 0.02 * 0.03, 0.03**2]])
    heavy = np.sqrt(rng.chisquare(6, (q, 1)) / 6)
    delta = [0.01, -0.02] + rng.multivariate_normal([0, 0], S0, q) / heavy
    root = np.array([[0.03, 0], [0.02, 0.01]])
    noise = np.sqrt(0.1) * rng.normal(size=(q, 1, 2)) + np.sqrt(0.9) * rng.normal(size=(q, n, 2))
    return delta, delta[:, None, :] + noise @ root.T


def test_known_parameters_are_recovered(stan_engine):
    delta, xs = known(40, 50, 3)
    posterior = hierarchical_multivariate_t(
        list(xs), rho=0.1, rope=0.01, engine=stan_engine, seed=1, metrics=("a", "b"), draws=2000
    )
    assert posterior.diagnostics.ok
    assert posterior.diagnostics.divergences == 0
    s = posterior.summary()
    for name, truth in {
        "delta0[a]": 0.01,
        "delta0[b]": -0.02,
        "tau[a]": 0.02,
        "tau[b]": 0.03,
        "correlation[a, b]": 0.7,
    }.items():
        assert abs(s.loc[name, "mean"] - truth) < 3 * s.loc[name, "sd"], name
        assert s.loc[name, "sd"] < 0.2
    low, high = np.quantile(posterior.draws["delta"], [0.025, 0.975], axis=(0, 1))
    assert 0.88 <= np.mean((low < delta) & (delta < high)) <= 1
    shrunken = posterior.draws["delta"].mean(axis=(0, 1))
    assert np.mean((shrunken - delta) ** 2) < np.mean((posterior.means - delta) ** 2)


def test_swapping_the_algorithms_mirrors_everything(stan_engine):
    _, xs = known(6, 10, 4)
    a = hierarchical_multivariate_t(
        list(xs), rho=0.1, rope=0.01, engine=stan_engine, seed=2, **SHORT
    )
    b = hierarchical_multivariate_t(
        list(-xs), rho=0.1, rope=0.01, engine=stan_engine, seed=2, **SHORT
    )
    assert np.array_equal(a.draws["delta0"], -b.draws["delta0"])
    v = b.verdict().swapped()
    assert v.probabilities == pytest.approx(a.verdict().probabilities, abs=1e-12)


def test_the_verdict_does_not_hang_on_where_the_sampler_starts(stan_engine):
    """`at` is a choice of coordinates: another one has the same posterior."""
    _, xs = known(5, 10, 6)
    rows = read_rows(list(xs), 0.1, None, None, None, None)
    problem = pose(rows, MultivariatePrior())
    draws = run(stan_engine, problem, problem.data)
    moved = run(stan_engine, problem, {**problem.data, "at": problem.data["at"] + 2.0})
    for name in ("delta0", "tau"):
        a, b = draws[name], moved[name]
        sd = a.std(axis=(0, 1))
        assert np.all(np.abs(np.median(a, axis=(0, 1)) - np.median(b, axis=(0, 1))) < 0.08 * sd)


@pytest.mark.parametrize("pair", [("knn", "gbm"), ("lda", "logistic")])
def test_two_metrics_of_the_example_scores(stan_engine, pair):
    xs = pair_blocks(bc.Scores.read(SCORES), *pair, metrics=("accuracy", "auc"))
    posterior = hierarchical_multivariate_t(xs, rope=0.01, engine=stan_engine, seed=1)
    assert posterior.diagnostics.ok
    assert sum(posterior.verdict().probabilities.values()) == pytest.approx(1)


def test_counts_that_depend_on_each_other(stan_engine, reference_dir):
    """tp + fn and fp + tn are the same for both algorithms: two dimensions of four."""
    counts = pd.read_csv(reference_dir / "cv_confusion_sklearn.csv").query("repeat == 1")
    xs = pair_blocks(bc.Scores(counts), "lr", "nb", metrics=("tp", "fn", "fp", "tn"))
    posterior = hierarchical_multivariate_t(xs, rope=1, engine=stan_engine, seed=1, draws=2000)
    assert posterior.diagnostics.ok
    assert "fn, tn are linear functions of tp, fp" in posterior.notes[0]
    delta = posterior.draws["delta"]
    assert delta[..., 1] == pytest.approx(delta[..., 0])  # fewer fn is more tp
    assert delta[..., 3] == pytest.approx(delta[..., 2])


def test_robust_to_one_odd_data_set(stan_engine):
    """The t across data sets: one far away moves δ0 by less than its share of the mean."""
    _, xs = known(15, 20, 9)
    spoiled = xs.copy()
    spoiled[3] += 1.0
    a, b = (
        hierarchical_multivariate_t(
            list(x), rho=0.1, rope=0.01, engine=stan_engine, seed=2, **SHORT
        )
        for x in (xs, spoiled)
    )
    moved = b.draws["delta0"].mean(axis=(0, 1)) - a.draws["delta0"].mean(axis=(0, 1))
    assert np.all(np.abs(moved) < 0.5 / 15)


# No divergences on real data (slow).


def clean(posterior) -> bool:
    return posterior.diagnostics.ok and posterior.diagnostics.divergences == 0


@pytest.mark.calibration
@pytest.mark.parametrize("metrics", [("tpr", "fpr"), ("auc", "error")])
def test_no_divergence_on_the_confusion_data(stan_engine, reference_dir, metrics):
    """Every pair of five classifiers, both ways round, over four tasks."""
    scores = bc.Scores.read(reference_dir / "cv_confusion_sklearn.csv")
    refitted = 0
    for pair in itertools.permutations(scores.algorithms, 2):
        xs = pair_blocks(scores, *pair, metrics=metrics)
        posterior = hierarchical_multivariate_t(xs, rope=0.01, engine=stan_engine, seed=1)
        assert clean(posterior), pair
        refitted += posterior.diagnostics.refitted
    print(f"\n{metrics}: 20 pairs, {refitted} refitted")


@pytest.mark.calibration
def test_no_divergence_on_the_example_scores(stan_engine):
    scores = bc.Scores.read(SCORES)
    refitted, pairs = 0, list(itertools.combinations(scores.algorithms, 2))
    for pair in pairs:
        xs = pair_blocks(scores, *pair, metrics=("accuracy", "auc"))
        posterior = hierarchical_multivariate_t(xs, rope=0.01, engine=stan_engine, seed=1)
        assert clean(posterior), pair
        refitted += posterior.diagnostics.refitted
    print(f"\n{len(pairs)} pairs of the example scores, {refitted} refitted")
