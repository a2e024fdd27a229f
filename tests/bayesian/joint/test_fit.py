"""The joint test: two algorithms, what the program is given, and recovery with Stan."""

import numpy as np
import pytest

import bayescmp as bc
from bayescmp.bayesian import JointPrior, joint_t
from bayescmp.bayesian.joint.table import FoldTable, in_order


def test_two_algorithms_are_the_pairwise_test(scores_of):
    x = scores_of(8, 10, 2)
    joint = joint_t(x, rho=0.1, rope=0.01, seed=1)
    rows = [row[:, 1] - row[:, 0] for row in x]
    pair = bc.bayesian.hierarchical_t(rows, rho=0.1, rope=0.01, engine="quadrature", seed=1)
    one, other = joint.verdict("A1", "A2"), pair.verdict()
    for part in ("probabilities", "expected", "location"):
        result, expected = getattr(one, part), getattr(other, part)
        assert list(result.values()) == pytest.approx(list(expected.values()), abs=0.012)
    assert any("hierarchical_t" in note for note in joint.notes)
    assert joint.by_dataset().shape == (16, 4)


def test_the_program_is_given_the_data_in_their_own_unit(fake, scores_of):
    x = scores_of(6, 30, 4)
    posterior = joint_t(x, rho=0.1, rope=0.01, engine="fake", seed=1, draws=200)
    data = fake.requests[0].data
    assert (data["L"], data["q"], data["K"]) == (4, 6, 2)
    assert posterior.prior_text.startswith("K = 2, in units of ")
    sds = [
        np.std(x[..., b].mean(1) - x[..., a].mean(1), ddof=1)
        for a in range(4)
        for b in range(a + 1, 4)
    ]
    scale = np.median(sds) / np.sqrt(2)
    names = tuple("abcdef")
    ordered, _ = in_order(FoldTable(x, np.full(6, 0.1), names[:4], names))
    unscaled = np.asarray(data["B"][0]) @ ordered.x[0].mean(axis=0)
    np.testing.assert_allclose(np.abs(data["y"][0]), np.abs(unscaled) / scale, rtol=1e-9)


def test_few_folds_are_noted(fake, scores_of):
    posterior = joint_t(scores_of(6, 5, 6), rho=0.2, rope=0.01, engine="fake", seed=1, draws=200)
    assert any("few folds" in note for note in posterior.notes)


@pytest.mark.parametrize(
    ("x", "options", "says"),
    [
        (np.ones((3, 2)), {}, "bayescmp.bayesian.bootstrap"),
        (np.ones((1, 5, 3)), {}, "bayescmp.bayesian.groups"),
        (np.ones((3, 5, 3)), {"prior": "wide"}, "a JointPrior"),
        (np.ones((3, 5, 3)), {"draws": 2}, "draws=2"),
        (np.ones((3, 5, 3)), {}, "same score for all algorithms in every fold"),
    ],
)
def test_bad_calls_point_to_the_right_test(x, options, says):
    with pytest.raises(bc.InputError, match=says):
        joint_t(x, rho=0.1, rope=0.01, **options)


def test_it_needs_no_stan(no_stan, scores_of):
    """Of three algorithms or more, with a table that has a gap."""
    x = scores_of(4, 5, 3)
    x[1, :, 0] = np.nan
    posterior = joint_t(x, rho=0.1, rope=0.01, seed=1)
    assert posterior.engine == "gibbs"
    assert posterior.diagnostics.ok
    assert sum(posterior.best().values()) == pytest.approx(1, abs=1e-9)
    with pytest.raises(bc.EngineNotFound, match=r"without Stan, .*engine='gibbs'"):
        joint_t(x, rho=0.1, rope=0.01, engine="pystan")


def test_a_prior_of_ones_own_reaches_the_program(fake, scores_of):
    prior = JointPrior(factors=1, scale_median=10.0)
    joint_t(scores_of(6, 30, 4), rho=0.1, rope=0.01, engine="fake", seed=1, prior=prior, draws=200)
    data = fake.requests[0].data
    assert (data["K"], data["A_median"]) == (1, 10.0)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::bayescmp.DiagnosticWarning")  # of a short run
@pytest.mark.parametrize(
    ("chains", "draws"), [(2, 100), pytest.param(4, 500, marks=pytest.mark.calibration)]
)
def test_stan_recovers_what_was_simulated(stan_engine, chains, draws):
    """Truth within the posterior's own uncertainty, in the metric's units, with a gap."""
    rng = np.random.default_rng(3)
    q, L = 12, 3
    mu, sd = np.array([-0.02, 0.0, 0.02]), np.array([0.01, 0.01, 0.02])
    u = 0.8 + mu + sd * rng.normal(size=(q, L))
    x = u[:, None] + 0.01 * rng.normal(size=(q, 20, L))
    x[2, :, 1] = np.nan
    result = joint_t(
        x,
        rho=0.0,
        rope=0.01,
        engine=stan_engine,
        seed=2,
        chains=chains,
        warmup=draws,
        draws=draws,
    )
    assert result.diagnostics.divergences == 0
    summary = result.summary()
    for k, name in enumerate(result.algorithms):
        row = summary.loc[name]
        assert abs(row["mean"] - mu[k]) < 4 * row["sd"]
        assert row["sd"] < 0.012
    leads = result.by_dataset()["lead"].to_numpy().reshape(q, L)
    truth = u - u.mean(axis=1, keepdims=True)
    np.testing.assert_allclose(np.delete(leads, 2, axis=0), np.delete(truth, 2, axis=0), atol=0.01)
    assert result.best()["A3"] > 0.6
