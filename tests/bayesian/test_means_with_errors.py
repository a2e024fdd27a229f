"""Means with standard errors: by SciPy, by own integration, by the raw runs, and symmetries."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import integrate, stats

import bayescmp as bc
from bayescmp.bayesian import HierarchicalPrior, means_with_errors, two_sample_t
from tests.rows import each_row

ONE = bc.MeanDifferences(means=[[0.815, 0.842]], errors=[[0.008, 0.006]], names=("old", "new"))
#: Differences on nine data sets, and their standard errors.
D = np.array([0.031, 0.012, 0.024, -0.004, 0.017, 0.052, 0.008, 0.021, 0.014])
E = np.array([0.012, 0.006, 0.009, 0.008, 0.004, 0.015, 0.010, 0.007, 0.005])
SEVERAL = bc.MeanDifferences(
    means=np.column_stack([np.zeros(9), D]) + 0.7, errors=np.column_stack([E * 0.6, E * 0.8])
)
#: A prior under which ν is about 5,000: the data sets' differences are normal.
NORMAL = HierarchicalPrior(alpha=(5000.0, 5000.0), beta=(1.0, 1.0), delta0_bound=5.0)


def test_known_errors_of_one_data_set_give_a_normal_difference():
    """scipy.stats.norm (SciPy 1.17.1) with the location 0.027 and the scale 0.01."""
    posterior = means_with_errors(ONE, rope=0.005)
    verdict = posterior.verdict()
    assert verdict.p_right == pytest.approx(stats.norm.sf(0.005, 0.027, 0.01), abs=1e-12)
    assert verdict.p_left == pytest.approx(stats.norm.cdf(-0.005, 0.027, 0.01), abs=1e-12)
    row = posterior.summary().loc["delta"]
    assert row[["2.5%", "97.5%"]].tolist() == pytest.approx(
        stats.norm.interval(0.95, 0.027, 0.01), abs=1e-9
    )
    assert row["sd"] == pytest.approx(0.01, rel=1e-12)
    draws = posterior.draws["delta"]
    assert (draws.mean(), draws.std()) == pytest.approx((0.027, 0.01), abs=5e-4)


def test_errors_of_few_runs_give_a_difference_of_two_student_variables():
    """P(b − a > 0.005) by integration of scipy.stats.t (SciPy 1.17.1) over the first mean."""
    x = bc.MeanDifferences(means=ONE.means, errors=ONE.errors, runs=[[3, 5]])
    p = means_with_errors(x, rope=0.005).verdict().p_right
    first, second = stats.t(2, 0.815, 0.008), stats.t(4, 0.842, 0.006)
    found = integrate.quad(lambda u: second.sf(first.ppf(u) + 0.005), 0, 1, limit=500)[0]
    assert p == pytest.approx(found, abs=1e-7)


def test_answers_state_whether_the_errors_count_as_known():
    for q in [1, 9]:
        for runs, origin in ((None, "taken as known"), (3, "estimates from 3 runs each")):
            x = bc.MeanDifferences(means=SEVERAL.means[:q], errors=SEVERAL.errors[:q], runs=runs)
            assert f"standard errors are {origin}" in means_with_errors(x, seed=1).notes[-1]


def test_deviations_and_runs_give_what_the_raw_runs_give():
    rng = np.random.default_rng(2)
    a, b = rng.normal(0.80, 0.02, 4), rng.normal(0.83, 0.01, 6)
    table = pd.DataFrame(
        {"model": ["a", "b"], "accuracy": [a.mean(), b.mean()], "n": [4, 6],
         "sd": [a.std(ddof=1), b.std(ddof=1)]}
    )  # fmt: skip
    means = bc.Means(table, deviations="sd", runs="n")
    for rope in (0, 0.01):
        own = bc.compare(means, "a", "b", rope=rope).verdict().probabilities
        assert own == pytest.approx(
            two_sample_t(a, b, rope=rope).verdict().probabilities, abs=1e-9
        )


def random_effects(d, e, upper, rope):
    """Posterior of δ0 ~ U(−5, 5) and σ0 ~ U(0, upper), with D_i ~ N(δ0, σ0² + e_i²), by a grid.

    The mean over data sets, then a new data set; left of, in and right of the ROPE, (2, 3).
    """
    sigma = np.r_[0, np.geomspace(1e-6, upper, 4000)]
    variance = sigma[:, None] ** 2 + e**2
    weight = 1 / variance
    v = 1 / weight.sum(1)
    m = v * (weight * d).sum(1)
    log = 0.5 * np.log(v) - 0.5 * np.log(variance).sum(1)
    log -= 0.5 * (weight * (d - m[:, None]) ** 2).sum(1)
    density = np.exp(log - log.max())
    mass = np.gradient(sigma) * density / np.trapezoid(density, sigma)
    rows = []
    for spread in (np.sqrt(v), np.sqrt(v + sigma**2)):
        left, right = stats.norm.cdf(-rope, m, spread), stats.norm.sf(rope, m, spread)
        rows.append([mass @ left, mass @ (1 - left - right), mass @ right])
    return np.array(rows)


def test_several_data_sets_agree_with_own_integration_of_random_effects():
    """The mean over data sets and a new data set, within the error of ν = 5,000 and the grids."""
    posterior = means_with_errors(SEVERAL, rope=0.01, prior=NORMAL, seed=1)
    verdict = posterior.verdict()
    mean, new = random_effects(D, E, posterior.prior_bounds["sigma0_upper"], 0.01)
    assert list(verdict.location.values()) == pytest.approx(mean, abs=1e-3)
    assert list(verdict.expected.values()) == pytest.approx(new, abs=1e-3)
    assert posterior.by_dataset()["se"].tolist() == pytest.approx(E, rel=1e-12)


@settings(max_examples=6)
@given(
    seed=st.integers(0, 10**6),
    q=st.sampled_from([1, 6]),
    runs=st.sampled_from([None, 2, 5]),
    c=st.sampled_from([1e-6, 0.3, 100.0, 1e6]),
    other=st.floats(0.005, 0.1),
)
def test_swap_order_unit_and_another_rope_change_nothing_else(seed, q, runs, c, other):
    """Runs give all degrees of freedom, whole ones too, where the errors are equal."""
    rng = np.random.default_rng(seed)
    means, errors = rng.normal(0.8, 0.03, (q, 2)), np.tile(rng.uniform(0.01, 0.04, (q, 1)), 2)
    errors[1::2] *= [1.0, 1.3]
    order, prior = rng.permutation(q), HierarchicalPrior(delta0_bound=1.0) if q > 1 else None

    def probabilities(means, errors, prior=prior, rope=0.01, asked=None):
        x = bc.MeanDifferences(means=means, errors=errors, runs=runs)
        verdict = means_with_errors(x, rope=rope, prior=prior, seed=1).verdict(rope=asked)
        return list(verdict.probabilities.values())

    p = probabilities(means, errors)
    assert probabilities(means[:, ::-1], errors[:, ::-1]) == pytest.approx(p[::-1], abs=1e-9)
    assert probabilities(means[order], errors[order]) == pytest.approx(p, abs=1e-9)
    assert probabilities(means, errors, rope=other, asked=0.01) == pytest.approx(p, abs=1e-9)
    wider = None if prior is None else HierarchicalPrior(delta0_bound=c)
    scaled = probabilities(c * means, c * errors, wider, c * 0.01)
    assert scaled == pytest.approx(p, abs=1e-9)


def test_all_that_a_posterior_offers(tmp_path):
    for x in (ONE, SEVERAL):
        posterior = means_with_errors(x, rope=0.01, seed=1)
        posterior.save(tmp_path / "posterior.npz")
        again = bc.load(tmp_path / "posterior.npz")
        assert again.verdict() == posterior.verdict()
        assert type(again) is type(posterior)
        assert "not paired: independent means" in posterior.explain("paper")
        assert "sd/√k of k folds is too small" in " ".join(str(posterior).split())
        assert posterior.to_arviz()["posterior"]["delta0" if x.q > 1 else "delta"].size == 10_000
        frame = posterior.sensitivity().frame
        assert "rho" not in set(frame["question"])
        with pytest.raises(TypeError, match="neither true nor false"):
            bool(bc.gate(bc.Means(TABLE, errors="se"), "old", "new", margin=0.01))
    plan = posterior.plan(datasets=[0, 10], simulations=20, progress=False)
    assert plan.frame["decided"].iloc[-1] > 0.5
    assert "σ_i" not in posterior.prior_text
    for option in ("folds", "more_folds"):
        with pytest.raises(bc.InputError, match="means have no folds"):
            posterior.plan(**{option: 5})
    with pytest.raises(bc.InputError, match="means have no folds"):
        posterior.sensitivity(rhos=[0.5])


TABLE = pd.DataFrame({"model": ["old", "new"], "accuracy": [0.815, 0.842], "se": [0.008, 0.006]})


def test_the_gate_takes_means_with_errors():
    """P(δ > −0.01) by scipy.stats.norm (SciPy 1.17.1)."""
    means = bc.Means(TABLE, errors="se")
    check = bc.gate(means, "old", "new", margin=0.01).checks[0]
    assert check.p == pytest.approx(stats.norm.sf(-0.01, 0.027, 0.01), abs=1e-12)
    assert bc.gate(means, "new", "old", margin=0.01).outcome == "fail"


@each_row(
    ("options", "message"),
    [
        ({"means": [[0.8, 0.9]], "errors": [[0.0, 0.0]]}, "must have a number over 0 on each"),
        ({"means": [[0.8, 0.9]], "errors": [[0.1, -0.1]]}, r"errors must be numbers >= 0"),
        ({"means": [[0.8, np.nan]], "errors": [[0.1, 0.1]]}, "means must be finite numbers"),
        ({"means": [[0.8, 0.9]], "errors": [0.1, 0.1]}, "errors must be numbers of shape"),
        ({"means": [[0.8, 0.9]], "errors": [[0.1] * 2], "runs": 1}, "One run has no"),
    ],
)  # fmt: skip
def test_numbers_that_are_no_means_with_errors_are_refused(options, message):
    with pytest.raises(bc.InputError, match=message):
        bc.MeanDifferences(**options)


def test_other_objects_are_refused():
    with pytest.raises(bc.InputError, match="x must be MeanDifferences"):
        means_with_errors([[0.8, 0.9]])
    with pytest.raises(bc.InputError, match="prior must be left out for one data set"):
        means_with_errors(ONE, prior=NORMAL)
    for study in (bc.compare_all, bc.crosscheck):
        with pytest.raises(bc.InputError, match="two at a time"):
            study(bc.Means(TABLE, errors="se"), rope=0.01)
