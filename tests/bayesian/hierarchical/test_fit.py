"""The hierarchical correlated t test: data for the engine, results, symmetries, errors."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import bayescmp as bc
from bayescmp.bayesian import HierarchicalPrior, hierarchical_t
from bayescmp.verdict import as_rope
from tests.bayesian.hierarchical.data import by_grid, probabilities, simulated


@pytest.fixture(scope="module")
def posterior():
    return by_grid(simulated(), rho=0.1, rope=0.01, seed=5, names=("knn", "gbm"))


def test_bare_arrays_and_differences_are_the_same(posterior):
    d = bc.Differences(simulated(), rho=0.1, names=("knn", "gbm"))
    assert np.array_equal(probabilities(by_grid(d, rope=0.01)), probabilities(posterior))


few = settings(max_examples=4)


@few
@given(st.integers(0, 10**6), st.integers(3, 30), st.sampled_from([0.0, 0.01, (-0.02, 0.005)]))
def test_swapping_the_algorithms_swaps_left_and_right(seed, q, rope):
    d = bc.Differences(simulated(q=q, seed=seed), rho=0.1)
    forward = by_grid(d, rope=rope, seed=1).verdict()
    back = by_grid(d.swapped(), rope=as_rope(rope).swapped(), seed=1).verdict()
    assert back.p_left == pytest.approx(forward.p_right, abs=1e-9)
    assert back.p_rope == pytest.approx(forward.p_rope, abs=1e-9)
    assert back.p_right == pytest.approx(forward.p_left, abs=1e-9)


@few
@given(st.integers(0, 10**6), st.randoms())
def test_the_order_of_data_sets_changes_nothing(seed, random):
    x = simulated(seed=seed)
    names = [f"d{i}" for i in range(len(x))]
    order = list(range(len(x)))
    random.shuffle(order)
    first = by_grid(bc.Differences(x, rho=0.1, datasets=names), rope=0.01, seed=1)
    shuffled = bc.Differences(x[order], rho=0.1, datasets=[names[i] for i in order])
    second = by_grid(shuffled, rope=0.01, seed=1)
    assert probabilities(second) == pytest.approx(probabilities(first), abs=1e-9)
    one, other = first.by_dataset()["mean"], second.by_dataset()["mean"]
    assert one[names].to_numpy() == pytest.approx(other[names].to_numpy(), abs=1e-9)


@few
@given(st.integers(0, 10**6))
def test_the_order_of_folds_changes_nothing(seed):
    """But for the rounding of sums, which may move a node of the grid."""
    x = simulated(seed=seed)
    first, second = (by_grid(y, rho=0.1, rope=0.01) for y in (x, x[:, ::-1]))
    assert probabilities(second) == pytest.approx(probabilities(first), abs=1e-5)


@few
@given(st.integers(0, 10**6), st.sampled_from([1e-6, 0.01, 100.0, 1e6]))
def test_units_do_not_matter(seed, c):
    x = simulated(seed=seed)
    first = by_grid(x, rho=0.1, rope=0.01)
    second = by_grid(x * c, rho=0.1, rope=0.01 * c)
    assert probabilities(second) == pytest.approx(probabilities(first), abs=1e-6)
    assert second.summary().loc["sigma0", "mean"] == pytest.approx(
        c * first.summary().loc["sigma0", "mean"], rel=1e-6
    )


def test_seeds():
    draws = [
        by_grid(simulated(), rho=0.1, rope=0.01, seed=s).draws["delta"]
        for s in (3, 3, 4, np.random.default_rng(1), np.random.default_rng(1))
    ]
    assert np.array_equal(draws[0], draws[1])
    assert not np.array_equal(draws[0], draws[2])
    assert np.array_equal(draws[3], draws[4])
    with pytest.raises(bc.InputError, match="seed='x'"):
        by_grid(simulated(), rho=0.1, rope=0.01, seed="x")


def test_priors_are_named_in_results():
    x = simulated()
    for prior in (HierarchicalPrior.corani2017(), HierarchicalPrior.benavoli2017()):
        assert prior.name in by_grid(x, rho=0.1, rope=0.01, prior=prior).verdict().prior


def test_a_failed_fit_is_refitted_once_with_smaller_steps(fake):
    fake.stuck = 1
    posterior = hierarchical_t(simulated(), rho=0.1, rope=0.01, engine="fake", seed=1)
    assert [r.settings.adapt_delta for r in fake.requests] == pytest.approx([0.8, 0.98])
    assert posterior.diagnostics.refitted
    assert posterior.diagnostics.ok


def test_a_fit_that_fails_twice_warns_and_says_so(fake):
    fake.stuck = 2
    with pytest.warns(bc.DiagnosticWarning, match=r"r-hat .* is over 1.01.*engine='quadrature'"):
        posterior = hierarchical_t(simulated(), rho=0.1, rope=0.01, engine="fake", seed=1)
    assert not posterior.diagnostics.ok
    assert "FAILED" in repr(posterior)


def test_two_data_sets_and_a_sampler_warn(fake):
    with pytest.warns(
        bc.DiagnosticWarning, match="two data sets: the answer is driven by the prior"
    ):
        hierarchical_t(simulated(q=2), rho=0.1, rope=0.01, engine="fake", seed=1)
    exact = by_grid(simulated(q=2), rho=0.1, rope=0.01)
    assert "driven by the prior" in exact.notes[0]


def test_one_data_set_points_to_the_test_for_one():
    with pytest.raises(bc.InputError, match=r"only one data set.*correlated_t"):
        by_grid(simulated(q=1), rho=0.1, rope=0.01)


def test_single_differences_point_to_signed_rank():
    with pytest.raises(bc.InputError, match=r"single difference for data set '2'.*signed_rank"):
        by_grid([[0.1, 0.2], [0.3]], rho=0.1, rope=0.01)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"rope": -0.01}, "rope=-0.01 is negative"),
        ({"rho": None}, "rho is missing"),
        ({"rho": 1.0}, r"rho=1 is outside \[0, 1\)"),
        ({"engine": "stan"}, "unknown engine 'stan'"),
    ],
)
def test_bad_arguments(options, message):
    with pytest.raises(bc.InputError, match=message):
        hierarchical_t(simulated(), **{"rho": 0.1, "rope": 0.01, **options})


def test_a_prior_by_its_name_is_refused():
    with pytest.raises(bc.InputError, match=r"prior='benavoli2017'.*HierarchicalPrior"):
        by_grid([[0.1, 0.2, 0.3]] * 2, rho=0.1, rope=0.01, prior="benavoli2017")


@pytest.mark.parametrize(
    ("option", "value"),
    [("chains", 0), ("warmup", 1.5), ("draws", "many"), ("adapt_delta", 1.0)],
)
def test_settings_of_the_sampler_are_checked(option, value):
    for test, x in ((bc.bayesian.hierarchical_t, [[0.1, 0.2, 0.3]] * 2),
                    (bc.bayesian.robust_t, [0.1, 0.2, 0.4])):  # fmt: skip
        with pytest.raises(bc.InputError, match=f"{option}.*accepted"):
            test(x, rho=0.1, rope=0.01, **{option: value})


@few
@given(st.integers(0, 10**6), st.integers(2, 12), st.integers(0, 3))
def test_a_verdict_under_another_rope_is_that_of_a_fit_with_it(seed, q, constant):
    """Also with rows whose differences are all equal."""
    x = np.round(simulated(q=q, seed=seed), 2)
    x[: min(constant, q - 1)] = 0.0
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", bc.DiagnosticWarning)  # it may hang on the resolution
        asked, fitted = (by_grid(x, rho=0.1, rope=r, seed=1) for r in (0.01, 0.03))
    assert probabilities(asked, 0.03) == pytest.approx(probabilities(fitted), abs=1e-12)


@few
@given(st.integers(0, 10**6), st.integers(3, 12))
def test_equivalence_gains_as_the_rope_widens(seed, q):
    curve = by_grid(simulated(q=q, seed=seed), rho=0.1, rope=0.01).rope_curve(
        [0, 0.005, 0.02, 0.1]
    )
    assert (np.diff(curve["p_rope"]) >= -1e-9).all()


@few
@given(st.integers(0, 10**6), st.sampled_from([1e-6, 100.0, 1e6]))
def test_units_do_not_matter_to_constant_rows(seed, c):
    x = np.round(simulated(q=6, seed=seed), 2)
    x[:2] = 0.0
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", bc.DiagnosticWarning)  # it may hang on the resolution
        first = by_grid(x, rho=0.1, rope=0.01)
        second = by_grid(x * c, rho=0.1, rope=0.01 * c)
    assert probabilities(second) == pytest.approx(probabilities(first), abs=1e-6)
