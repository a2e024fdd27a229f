"""Features that moderate the difference: two engines, no features at all, symmetries, refusals."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import bayescmp as bc
from bayescmp.bayesian import hierarchical_t
from bayescmp.bayesian.hierarchical.answers import solve_problem
from bayescmp.engines import FitRequest, SamplerSettings, find_engine
from bayescmp.engines.moderated import ModeratedWalks
from bayescmp.results import arviz
from bayescmp.study.moderators import KEEP, MODEL
from tests.rows import each_row

NAMES = [f"d{i}" for i in range(20)]


def simulated(seed=1, slopes=(0.02,), spread=0.01, q=20, folds=6):
    """Differences that are linear in features, and the features."""
    rng = np.random.default_rng(seed)
    features = rng.uniform(2, 5, (q, len(slopes)))
    centre = (features - 3.5) @ np.array(slopes) + spread * rng.standard_t(5, q)
    x = centre[:, None] + rng.normal(0, rng.uniform(0.005, 0.03, (q, 1)), (q, folds))
    names = [f"d{i}" for i in range(q)]
    columns = [f"f{j}" for j in range(len(slopes))]
    return bc.Differences(x, rho=0.2, datasets=names), pd.DataFrame(features, names, columns)


def fitted(x, features, seed=1, **options):
    posterior = hierarchical_t(x, rope=0.01, engine="quadrature", seed=seed)
    return posterior.moderators(features, **options)


@pytest.fixture(scope="module")
def moderators():
    return fitted(*simulated())


@pytest.mark.slow
def test_the_effect_is_that_of_a_regression(moderators):
    """Of many folds' means: SciPy's linregress, and its standard error, within the interval."""
    x, features = simulated()
    line = stats.linregress(features["f0"], x.means)
    row = moderators.frame.loc["f0"]
    assert row["per_unit"] == pytest.approx(line.slope, abs=line.stderr)
    assert (row["high"] - row["low"]) / row["sd"] == pytest.approx(4.2 * line.stderr, rel=0.35)
    middle, low, high = moderators.explained
    assert low < line.rvalue**2 < high
    assert low < middle < high


def test_effects_that_are_known_to_be_zero_leave_the_hierarchical_test():
    """With a prior of β at 0, Gibbs sampling finds the quantiles of the quadrature."""
    x, features = simulated(slopes=(0.0,), q=8)
    posterior = hierarchical_t(x, rope=0.01, engine="quadrature")
    data = posterior.problem.data
    z = features.to_numpy()[posterior.problem.order]
    z = (z - z.mean(axis=0)) / z.std(axis=0)
    more = {"k": 1, "features": z, "beta_sd": 1e-6}
    fit = find_engine("gibbs", MODEL).fit(
        FitRequest(MODEL, {**data, **more}, 1, KEEP, (), SamplerSettings(draws=400))
    )
    grid = solve_problem(posterior.problem)
    for name in ("delta0", "sigma0", "nu"):
        draws = fit.draws[name]
        for p in (0.1, 0.5, 0.9):
            below = draws < float(grid.marginal(name).quantile(np.array([p]))[0])
            error = np.sqrt(p * (1 - p) / arviz.ess(below.astype(float), "bulk"))
            assert below.mean() == pytest.approx(p, abs=4 * error), (name, p)


@pytest.mark.slow
def test_swapped_algorithms_and_other_units_change_no_draw(moderators):
    """Minus the differences, the features in other units, the data sets in another order."""
    x, features = simulated()
    order = np.random.default_rng(2).permutation(len(features))
    other = bc.Differences(
        -np.asarray(x.x)[order], rho=0.2, datasets=[x.datasets[i] for i in order]
    )
    turned = fitted(other, 10 * features + 3)
    np.testing.assert_allclose(turned.coefficients, -moderators.coefficients, rtol=1e-9)
    assert turned.frame["per_unit"].item() == pytest.approx(
        -moderators.frame["per_unit"].item() / 10
    )
    own, its = moderators.verdict(f0=4), turned.verdict(f0=43)
    assert own.p_right == pytest.approx(its.p_left, abs=1e-9)


def test_a_verdict_is_about_data_sets_with_these_features(fake):
    """The mean difference at a feature, by the draws; without one, that of average features."""
    moderators = fitted(*simulated(), engine="fake")
    verdict = moderators.verdict(f0=4.5)
    z = (4.5 - moderators.centre[0]) / moderators.spread[0]
    mean = moderators.posterior.draws["delta0"] + moderators.coefficients[..., 0] * z
    assert verdict.location["right"] == pytest.approx((mean > 0.01).mean())
    assert verdict.estimate[0] == pytest.approx(np.median(mean))
    assert "a new data set with f0 4.5" in verdict.explain()
    at_mean = moderators.verdict({"f0": moderators.centre[0]})
    assert at_mean.p_rope == pytest.approx(moderators.verdict().p_rope, abs=1e-9)
    assert moderators.curve(at=[4.5])["mean"].item() == pytest.approx(mean.mean())
    with pytest.warns(bc.DiagnosticWarning, match="f0 9 is outside the range of the data sets"):
        moderators.verdict(f0=9)


@each_row(
    ("change", "reason"),
    [
        (lambda t: t.iloc[:19], r"a row for each data set.*none for 'd19', 1 in all"),
        (lambda t: pd.concat([t, t.iloc[:1]]), "one row per data set.*several rows for 'd0'"),
        (lambda t: t.assign(f0="a"), "be numbers .*'a' for 'd0'.*columns of 0 and 1"),
        (lambda t: t.assign(f0=1.0), "differ between data sets .*1 for all"),
        (
            lambda t: t.where(t["f0"] != t.loc["d3", "f0"], np.nan),
            "finite numbers .*nan for 'd3', 1 in all",
        ),
        (lambda t: t.assign(f1=2 * t["f0"] - 1), "not follow from each other .*f0 and f1"),
        (lambda t: t.assign(f1=range(20), f2=t["f0"] ** 2), r"at most 2 for 20 .*got 3.*25 data"),
        (lambda t: t.to_numpy(), "a table with one row per data set"),
    ],
)
def test_features_that_cannot_be_used_are_refused(change, reason):
    x, features = simulated()
    with pytest.raises(bc.InputError, match=reason) as refused:
        fitted(x, change(features))
    assert refused.value.argument == "features"


def test_features_of_other_data_sets_are_left_out(fake):
    x, features = simulated()
    more = pd.concat([features, features.set_axis([f"x{i}" for i in range(20)])])
    found = fitted(x, more.rename_axis("dataset").reset_index(), engine="fake")
    assert found.values.tolist() == features.to_numpy().tolist()
    assert found.notes == ("the features of 20 data sets that were not compared are not used",)


def test_runs_and_known_errors_have_moderators_too(fake):
    """Whatever the hierarchical test takes; the noise enters by the same statistics."""
    x, features = simulated(q=15)
    first = np.random.default_rng(3).normal(1, 0.1, (15, 3))
    runs = bc.Runs([*first], [*(first + x.means[:, None])], datasets=x.datasets)
    means = bc.MeanDifferences(
        means=np.stack([np.ones(15), 1 + x.means], axis=1), errors=[[0.01, 0.01]] * 15
    )
    posterior = bc.bayesian.means_with_errors(means, rope=0.01)
    features_of_means = features.set_axis(posterior.datasets)
    for found in (
        fitted(runs, features, engine="fake"),
        posterior.moderators(features_of_means, engine="fake", seed=1),
    ):
        assert found.frame.shape == (1, 7)


def test_many_folds_hold_no_walk_back():
    """With 10⁶ folds σ_i is known to a thousandth: the lattice of log λ_i shrinks with it."""
    q = 15
    rng = np.random.default_rng(4)
    rows = {"n": 10**6, "rho": 0.0, "factor": 1e-6, "ss": 1e6}
    prior = {"delta0_bound": 1.0, "sigma0_upper": 9.0, "sigma_upper": 99.0, "nu_offset": 1.0}
    bounds = {"alpha_lower": 0.5, "alpha_upper": 5.0, "beta_lower": 0.05, "beta_upper": 0.15}
    data = {"q": q, "k": 1, "features": rng.normal(size=(q, 1)), "beta_sd": 1.0}
    data |= {"xbar": rng.normal(0, 0.1, q), **{k: np.full(q, v) for k, v in rows.items()}}
    walks = ModeratedWalks({**data, **prior, **bounds}, 8, rng)
    sigma = [walks.sweep()["sigma"] for _ in range(120)][60:]
    assert np.mean(sigma) == pytest.approx(1, abs=2e-4)
    assert np.std(sigma) == pytest.approx(1 / np.sqrt(2e6), rel=0.3)


@pytest.mark.stan
@pytest.mark.slow
@pytest.mark.parametrize(
    "table", [(1, (0.02,), 0.01), (2, (0.0, 0.03), 0.02), (3, (0.01,), 0.001)]
)
def test_stan_agrees(stan_engine, table):
    """Means and sds of the draws within four Monte Carlo errors, on three tables."""
    seed, slopes, spread = table
    x, features = simulated(seed, slopes, spread)
    posterior = hierarchical_t(x, rope=0.01, engine="quadrature", seed=seed)
    fits = [posterior.moderators(features, engine=e) for e in ("gibbs", stan_engine)]

    def parameters(m):
        drawn = {f"beta[{j}]": m.coefficients[..., j] for j in range(len(slopes))}
        upper = m.posterior.draws
        logs = {name: np.log(upper[name]) for name in ("sigma0", "nu")}
        return {**drawn, **logs, "delta0": upper["delta0"], "delta[3]": upper["delta"][..., 3]}

    one, other = map(parameters, fits)
    for name, draws in one.items():
        both = draws, other[name]
        for what in (lambda d: d, lambda d: (d - d.mean()) ** 2):
            values = [what(d) for d in both]
            errors = [v.std() / np.sqrt(arviz.ess(v, "bulk")) for v in values]
            gap = abs(values[0].mean() - values[1].mean())
            assert gap < 4.5 * np.hypot(*errors), name
