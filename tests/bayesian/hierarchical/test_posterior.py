"""What the hierarchical posterior answers: verdicts, summaries, densities, saving, plots."""

import dataclasses
import os
import stat

import numpy as np
import pytest
from matplotlib.figure import Figure

import bayescmp as bc
from bayescmp.bayesian import hierarchical_t
from tests.bayesian.hierarchical.data import by_grid, probabilities, simulated


@pytest.fixture(scope="module")
def posterior():
    return by_grid(simulated(), rho=0.1, rope=0.01, seed=5, names=("knn", "gbm"))


def test_arviz_gets_names_and_groups(posterior):
    data = posterior.to_arviz()
    group = data["posterior"]
    assert group["delta"].dims == ("chain", "draw", "dataset")
    assert list(group["delta"].coords["dataset"].to_numpy()) == list(posterior.datasets)
    assert set(data["constant_data"].data_vars) >= {"n", "mean", "ss", "rho"}


def test_the_problem_comes_back(posterior, tmp_path):
    posterior.save(tmp_path / "p.npz")
    again = bc.load(tmp_path / "p.npz").problem
    for name, value in posterior.problem.data.items():
        assert np.allclose(again.data[name], value, rtol=1e-14), name
    assert again.scale == posterior.problem.scale
    assert np.array_equal(again.statistics.constant, posterior.statistics.constant)


def normal_folds(q=8, n=10, seed=1):
    rng = np.random.default_rng(seed)
    return rng.normal(0.01, 0.02, (q, 1)) + rng.normal(0, 0.03, (q, n))


@pytest.fixture(scope="module")
def of_eight():
    return hierarchical_t(normal_folds(), rho=0.1, rope=0.01, engine="quadrature", seed=1)


def test_another_engine_gets_the_same_problem(of_eight, fake):
    check = of_eight.verify(engine="fake", draws=300)
    (request,) = fake.requests
    assert request.data is of_eight.problem.data
    assert request.seed == of_eight.seed + 1
    assert request.settings.draws == 300
    assert check.posterior is of_eight
    assert (check.other.engine, check.other.seed) == ("fake", 2)


def test_what_does_not_agree_is_said(of_eight, fake):
    """The fake engine's draws have nothing to do with the model."""
    check = of_eight.verify(engine="fake")
    assert not check.agrees
    assert "DO NOT AGREE" in str(check)


def test_the_table_holds_both_and_their_difference(of_eight, fake):
    table = of_eight.verify(engine="fake").table
    assert list(table.index) == [
        "p_left",
        "p_rope",
        "p_right",
        "mean delta0",
        "mean sigma0",
        "mean nu",
    ]
    assert table["difference"].to_numpy() == pytest.approx(table["other"] - table["value"])
    z = table["difference"] / np.hypot(table["se"], table["other_se"])
    assert table["z"].to_numpy() == pytest.approx(z)
    assert table.loc["p_left", "value"] == of_eight.verdict().p_left


def test_the_same_posterior_agrees_unless_its_diagnostics_failed(of_eight):
    same = of_eight.verify(engine="quadrature")
    assert same.agrees
    assert same.table["difference"].abs().max() == 0
    wrong = dataclasses.replace(of_eight.diagnostics, messages=("bad",))
    other = dataclasses.replace(same.other, diagnostics=wrong)
    assert not dataclasses.replace(same, other=other).agrees


def test_another_rope(of_eight):
    same = of_eight.verify(engine="quadrature", rope=0.05)
    assert "ROPE ±0.05" in str(same)
    assert same.table.loc["p_rope", "value"] == of_eight.verdict(0.05).p_rope


def test_no_other_engine(of_eight, no_stan):
    with pytest.raises(bc.EngineNotFound, match="no other engine"):
        of_eight.verify()


@pytest.mark.slow
@pytest.mark.stan
def test_stan_agrees_with_the_built_in_engine_and_the_other_way_round(of_eight, stan_engine):
    check = of_eight.verify(draws=2000)
    assert not check.other.exact
    assert check.agrees
    back = check.other.verify()
    assert back.other.exact
    assert back.agrees
    message = str(check)
    for part in ("quadrature", check.other.engine, "The engines agree", "p_rope", "z"):
        assert part in message


X = np.array([[0.02, 0.03, 0.01, 0.04], [0.01, 0.0, 0.02, 0.01], [0.03, 0.05, 0.02, 0.03]])


def fitted(x=X, rope=0.01):
    return hierarchical_t(x, rho=0.25, rope=rope, engine="quadrature", seed=1)


def test_bounds_are_in_the_metrics_units():
    for unit in [1.0, 100.0]:
        posterior = fitted(X * unit, 0.01 * unit)
        bounds = posterior.prior_bounds
        sd = X.mean(axis=1).std(ddof=1)
        within = np.sqrt(X.var(axis=1, ddof=1)).mean()
        assert bounds["delta0_bound"] == pytest.approx(np.abs(X).max() * unit)
        assert bounds["sigma0_upper"] == pytest.approx(1000 * sd * unit)
        assert bounds["sigma_upper"] == pytest.approx(1000 * within * unit)


def test_the_prior_states_the_bounds_that_were_taken():
    posterior = fitted()
    assert f"σ0 ~ U(0, {posterior.prior_bounds['sigma0_upper']:.4g})" in posterior.prior_text
    assert posterior.prior_facts()["name"] == "corani2017"


def test_a_second_opinion_of_the_same_engine_agrees():
    opinion = fitted().verify(engine="quadrature")
    assert opinion.agrees


@pytest.fixture(scope="module")
def knn_gbm():
    return by_grid(simulated(), rho=0.1, rope=0.01, seed=5, names=("knn", "gbm"))


def test_probabilities_sum_to_one_and_expected_masses_too(knn_gbm):
    v = knn_gbm.verdict()
    for part in (v.probabilities, v.expected, v.location):
        assert sum(part.values()) == pytest.approx(1, abs=1e-9)
        assert all(0 <= p <= 1 for p in part.values())


def test_the_verdict_is_the_share_of_draws_of_which_a_region_is_the_largest(knn_gbm):
    """Formula of Corani et al. 2017, section 3.3, by scipy.stats on the posterior's own draws."""
    from scipy.stats import t

    d = knn_gbm.draws
    left = t.cdf(-0.01, d["nu"], d["delta0"], d["sigma0"])
    right = t.sf(0.01, d["nu"], d["delta0"], d["sigma0"])
    largest = np.argmax(np.stack([left, 1 - left - right, right]), axis=0)
    shares = [(largest == i).mean() for i in range(3)]
    assert probabilities(knn_gbm) == pytest.approx(shares, abs=0.006)
    expected = list(knn_gbm.verdict().expected.values())
    assert expected == pytest.approx(
        [left.mean(), (1 - left - right).mean(), right.mean()], abs=0.004
    )
    location = list(knn_gbm.verdict().location.values())
    d0 = d["delta0"]
    assert location == pytest.approx(
        [(d0 < -0.01).mean(), (abs(d0) <= 0.01).mean(), (d0 > 0.01).mean()], abs=0.006
    )


def test_another_rope_does_not_refit(knn_gbm, fake):
    fit = {"rho": 0.1, "rope": 0.01, "seed": 5, "engine": "fake"}
    for posterior in (knn_gbm, hierarchical_t(simulated(), **fit)):
        p = [probabilities(posterior, r)[1] for r in (0, 0.005, 0.01, 0.02, 0.05)]
        assert p[0] == 0
        assert np.all(np.diff(p) >= 0)
    assert len(fake.requests) == 1
    again = by_grid(simulated(), rho=0.1, rope=0.02, seed=5)  # the same rope given at the fit
    assert probabilities(knn_gbm, 0.02) == pytest.approx(probabilities(again), abs=1e-12)


def test_an_asymmetric_rope_agrees_with_draws(knn_gbm):
    masses = knn_gbm.masses((-0.02, 0.005)).reshape(-1, 3)
    shares = np.bincount(masses.argmax(axis=1), minlength=3) / len(masses)
    assert probabilities(knn_gbm, (-0.02, 0.005)) == pytest.approx(shares, abs=0.006)


def test_summary_and_by_dataset(knn_gbm):
    table = knn_gbm.summary()
    assert list(table.index) == ["delta0", "sigma0", "nu"]
    d = knn_gbm.draws
    for name in table.index:
        assert table.loc[name, "median"] == pytest.approx(np.median(d[name]), rel=0.03)
    own = knn_gbm.by_dataset()
    assert own["observed"].to_numpy() == pytest.approx(simulated().mean(axis=1))
    assert own[["p_left", "p_rope", "p_right"]].sum(axis=1).to_numpy() == pytest.approx(
        1, abs=1e-6
    )
    assert own["mean"].to_numpy() == pytest.approx(d["delta"].mean(axis=(0, 1)), abs=2e-3)
    # shrinkage: every mean moves towards the centre
    centre = table.loc["delta0", "mean"]
    assert np.all(abs(own["mean"] - centre) <= abs(own["observed"] - centre) + 1e-3)
    assert len(knn_gbm.summary(datasets=True)) == 3 + 12


def test_draws_have_chains_draws_and_data_sets(knn_gbm):
    assert knn_gbm.draws["delta0"].shape == (4, 2500)
    assert knn_gbm.draws["delta"].shape == (4, 2500, 12)
    assert np.all(knn_gbm.draws["sigma"] > 0)


def test_monte_carlo_errors_are_those_of_the_indicator(fake):
    """Independent draws: the error of a share is that of a binomial proportion."""
    posterior = hierarchical_t(simulated(), rho=0.1, rope=0.01, engine="fake", seed=1)
    v = posterior.verdict()
    p = probabilities(posterior)
    errors = np.array(list(v.errors.values()))
    inside = (p > 0.01) & (p < 0.99)
    assert errors[inside] == pytest.approx(np.sqrt(p * (1 - p) / 4000)[inside], rel=0.2)
    assert np.all(errors > 0)


def test_threshold_is_checked(knn_gbm):
    assert knn_gbm.verdict(threshold=0.51).decision != "undecided"
    with pytest.raises(bc.InputError, match=r"threshold must be"):
        knn_gbm.verdict(threshold=0.3)


@pytest.mark.skipif(os.name == "nt", reason="permissions of POSIX")
def test_plot_into_a_directory_without_permission(knn_gbm, tmp_path, monkeypatch):
    folder = tmp_path / "locked"
    folder.mkdir()
    folder.chmod(stat.S_IRUSR | stat.S_IXUSR)

    def refuse(*args, **kwargs):  # as the system does to all but root
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("tempfile.mkdtemp", refuse)
    with pytest.raises(bc.InputError, match=r"cannot be written.*Permission denied"):
        bc.plots.save(knn_gbm.plot(ax=Figure().add_subplot()), folder / "simplex.png")
