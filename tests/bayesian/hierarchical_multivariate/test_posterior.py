"""Verdicts on the next data set and on each of those seen."""

import arviz
import numpy as np
import pytest
from scipy import stats

import bayescmp as bc
from bayescmp.bayesian import MultivariatePrior, hierarchical_multivariate_t
from bayescmp.bayesian.hierarchical_multivariate.posterior import refit_posterior
from bayescmp.bayesian.regions import region_masses
from bayescmp.results.verdict import winners
from bayescmp.scores.rope import as_ropes
from tests.bayesian.hierarchical_multivariate.cases import REGIONS, fitted, simulated
from tests.rows import each_row


def test_masses_against_the_bivariate_t_of_scipy():
    """scipy 1.17's multivariate_t.cdf, an independent integration, over rectangles."""
    scale = np.array([[0.0009, 0.0007], [0.0007, 0.0016]])
    at, low, high = np.array([0.01, -0.02]), np.array([-0.01, -0.03]), np.array([0.02, 0.01])
    masses = region_masses(
        at[None],
        np.linalg.cholesky(scale)[None],
        np.array([4.0]),
        np.eye(2),
        as_ropes([(-0.01, 0.02), (-0.03, 0.01)], ("a", "b")),
        seed=1,
        directions=2**14,
    )
    t = stats.multivariate_t(at, scale, df=4, seed=1)
    box = t.cdf(high, lower_limit=low, maxpts=200_000)
    not_worse = t.cdf([np.inf, np.inf], lower_limit=low, maxpts=200_000)
    not_better = t.cdf(high, maxpts=200_000)
    wanted = [box, not_better - box, not_worse - box, 1 - not_better - not_worse + box]
    assert masses.mean(axis=0)[0] == pytest.approx(wanted, abs=1e-4)
    assert masses.sum(axis=-1) == pytest.approx(1)


def test_masses_of_three_metrics_against_draws():
    rng = np.random.default_rng(1)
    root = np.tril(rng.normal(size=(3, 3)))
    at = np.array([0.3, -0.2, 0.5])
    ropes = as_ropes((0.5, 0.7, 1.0), ("a", "b", "c"))
    result = region_masses(at[None], root[None], np.array([3.0]), np.eye(3), ropes, seed=1)
    x = at + rng.standard_normal((400_000, 3)) @ root.T / np.sqrt(
        rng.chisquare(3, (400_000, 1)) / 3
    )
    worse = (x < ropes.low).any(axis=1)
    better = (x > ropes.high).any(axis=1)
    wanted = [
        np.mean(~worse & ~better),
        np.mean(worse & ~better),
        np.mean(better & ~worse),
        np.mean(worse & better),
    ]
    assert result.mean(axis=0)[0] == pytest.approx(wanted, abs=0.006)


def test_one_metric_has_the_masses_of_the_t_exactly():
    masses = region_masses(
        np.array([[0.1]]),
        np.array([[[0.5]]]),
        np.array([3.0]),
        np.eye(1),
        as_ropes([(-0.2, 0.3)], ("a",)),
        seed=1,
    )
    t = stats.t(3, 0.1, 0.5)
    wanted = [t.cdf(0.3) - t.cdf(-0.2), t.cdf(-0.2), t.sf(0.3), 0]
    assert masses[0, 0] == pytest.approx(wanted, abs=1e-12)


RNG = np.random.default_rng(1)
XS = RNG.normal([0.02, 0.01], 0.02, (5, 1, 2)) + RNG.normal(0, 0.02, (5, 6, 2))
NEW = int(arviz.__version__.split(".")[0]) >= 1
RUN = {"rho": 0.3, "rope": 0.01, "engine": "fake", "seed": 1, "chains": 2, "draws": 300}


def test_the_same_assumptions_give_the_same_program(fake):
    posterior = hierarchical_multivariate_t(XS, **RUN)
    """A refit without any change: the fit's own data, but for the units."""
    first = fake.requests[0].data
    refit_posterior(posterior, posterior.observed, posterior.prior)
    again = fake.requests[-1].data
    unit = first["delta0_sd"] / again["delta0_sd"]
    for name in ("xbar", "tau_at", "tau_scale"):
        np.testing.assert_allclose(again[name] * unit, first[name])
    np.testing.assert_allclose(again["C"] * np.outer(unit, unit), first["C"])
    for name in ("q", "p", "dof", "tau_df", "eta", "alpha_lower", "beta_upper"):
        np.testing.assert_array_equal(again[name], first[name])


def test_draws_come_back_in_the_metrics_units(fake):
    """Of the other order of the algorithms: mirrored, whatever the program is given."""
    one, other = (hierarchical_multivariate_t(x, **RUN) for x in (XS, -XS))
    a, b = (refit_posterior(p, p.observed.without(0), p.prior) for p in (one, other))
    np.testing.assert_allclose(a.fit.draws["delta0"], -b.fit.draws["delta0"])
    centre = XS[1:].mean(axis=(0, 1))
    np.testing.assert_allclose(a.fit.draws["delta0"].mean(axis=(0, 1)), centre, atol=0.002)


@pytest.fixture
def posterior(fake):
    return hierarchical_multivariate_t(
        XS, rho=0.3, rope=0.01, engine="fake", seed=1, chains=2, draws=300
    )


def test_every_question(posterior):
    """Plain weights say the same where k-hat is small; the largest are smoothed."""
    rows = {(q, s.setting): (s.k_hat, p) for q, s, p in posterior.variations()}
    assert [q for q, _ in rows] == ["prior"] * 4 + ["rho"] * 3 + ["without"] * 5
    shares, observed = winners(posterior.masses()), posterior.observed
    d = posterior.fit.draws
    own = observed.log_likelihood(d)
    ratios = {
        ("prior", "correlations ~ LKJ(1)"): -np.log(np.linalg.det(d["Omega"])),
        ("without", "3"): -own[..., 2],
    }
    for key, ratio in ratios.items():
        k_hat, p = rows[key]
        weights = np.exp(ratio - ratio.max())
        plain = (weights[..., None] * shares).sum(axis=(0, 1)) / weights.sum()
        if k_hat < 0.5:
            assert p == pytest.approx(plain, abs=0.02)
        assert p.sum() == pytest.approx(1)


@each_row("within", [{}, {"within_df": 3.0, "within_sd": (0.02, 0.03)}])
def test_another_correlation_is_the_likelihood_with_it(fake, within):
    """The errors' scale matrices are those of a fit with that correlation."""
    options = {
        "rope": 0.01,
        "engine": "fake",
        "seed": 1,
        "chains": 2,
        "draws": 500,
        "prior": MultivariatePrior(**within),
    }
    own, other = (hierarchical_multivariate_t(XS, rho=r, **options) for r in (0.3, 0.6))
    changed = own.observed.with_rho(0.6, own.n)
    np.testing.assert_allclose(changed.C, other.observed.C)
    assert changed.rho.tolist() == [0.6] * len(XS)


@pytest.fixture
def of_few_draws(fake):
    """No weights of so few can be relied on."""
    return hierarchical_multivariate_t(XS, **RUN | {"draws": 10})


@pytest.mark.filterwarnings("ignore::bayescmp.DiagnosticWarning")
def test_unreliable_weights_are_called_so(of_few_draws):
    settings = [s for _, s, _ in of_few_draws.variations(datasets=False)]
    assert len(settings) == 7
    assert all(s.k_hat == np.inf and s.can_refit for s in settings)


@pytest.mark.filterwarnings("ignore::bayescmp.DiagnosticWarning")
def test_what_is_fitted_again_is_what_the_weights_stand_for(of_few_draws, fake):
    """The program is given the data sets, the correlation or the prior of each question.

    Twice, as chains of so few draws disagree.
    """
    first = fake.requests[0].data
    fake.requests.clear()
    rows = list(of_few_draws.variations(refit=True))
    assert all(s.k_hat == np.inf and s.refitted for _, s, _ in rows)
    questions = [(q, s.setting) for q, s, _ in rows]
    given = dict(zip(questions, (r.data for r in fake.requests[::2]), strict=True))
    unit = own_unit(of_few_draws.observed, given["prior", "δ0 ten times as wide"])
    np.testing.assert_allclose(
        given["prior", "δ0 ten times as wide"]["delta0_sd"] * unit,
        10 * of_few_draws.observed.delta0_sd,
    )
    assert given["prior", "ν − 1 ~ Gamma(2, 0.1)"]["alpha_lower"] == 2
    assert (first["eta"], given["prior", "correlations ~ LKJ(1)"]["eta"]) == (2, 1)
    without = given["without", "3"]
    assert without["q"] == 4
    kept = np.sort(np.abs(np.delete(XS.mean(axis=1), 2, axis=0)), axis=0)
    ratio = np.sort(np.abs(without["xbar"]), axis=0) / kept
    np.testing.assert_allclose(ratio, np.broadcast_to(ratio[0], ratio.shape))
    np.testing.assert_allclose(without["tau_scale"] / ratio[0], of_few_draws.observed.tau_scale)
    for p in (p for _, _, p in rows):
        assert p.sum() == pytest.approx(1)


def own_unit(observed, data):
    """Units of the program: what the means are divided by."""
    return np.abs(observed.xbar).sum(axis=0) / np.abs(data["xbar"]).sum(axis=0)


def test_of_one_metric_its_own_test_is_named():
    posterior = hierarchical_multivariate_t(
        XS[..., :1], rho=0.3, rope=0.01, seed=1, engine="quadrature"
    )
    assert set(posterior.fixed) == {"prior", "rho", "without"}
    assert "hierarchical_t varies it" in posterior.sensitivity().explain("paper")


def test_verdict_is_the_share_of_draws_in_which_a_region_is_largest(fake):
    posterior = fitted(simulated(), rope=0.02)
    masses = posterior.masses()
    v = posterior.verdict()
    largest = masses.argmax(axis=-1)
    wanted = [(largest == i).mean() for i in range(4)]
    assert [v.probabilities[r] for r in REGIONS] == pytest.approx(wanted, abs=1e-12)
    assert [v.expected[r] for r in REGIONS] == pytest.approx(masses.mean(axis=(0, 1)))
    location = posterior.draws["delta0"]
    assert v.location["equivalent"] == pytest.approx(np.mean(np.all(abs(location) <= 0.02, -1)))
    assert "a new data set" in v.explain("paper")
    assert min(v.errors.values()) > 0
    none = posterior.verdict(0)
    assert none.probabilities["equivalent"] == 0
    assert sum(none.probabilities.values()) == pytest.approx(1)


def test_verdicts_of_the_data_sets(fake):
    posterior = fitted(simulated(), rope=0.02, datasets=list("abcdef"))
    table = posterior.by_dataset()
    delta = posterior.draws["delta"][:, :, 2]
    worse, better = (delta < -0.02).any(-1), (delta > 0.02).any(-1)
    wanted = [
        np.mean(~worse & ~better),
        np.mean(worse & ~better),
        np.mean(better & ~worse),
        np.mean(worse & better),
    ]
    assert table.loc["c", [f"p_{r}" for r in REGIONS]].to_numpy(float) == pytest.approx(wanted)
    v = posterior.dataset_verdict("c")
    assert list(v.probabilities.values()) == pytest.approx(wanted)
    assert "data set c" in v.explain("paper")
    assert table["observed m1"].to_numpy() == pytest.approx(posterior.means[:, 0])
    with pytest.raises(bc.InputError, match=r"data set must be .*\(got 'g'\)"):
        posterior.dataset_verdict("g")


@each_row("p", [2, 3])
def test_plots(fake, p):
    ax = fitted(simulated(p=p), rope=0.02).plot()
    assert ax.get_xlim()[0] < ax.get_xlim()[1]
    message = "".join(t.get_text() for t in ax.figure.findobj(lambda o: hasattr(o, "get_text")))
    assert "first" in message


@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # of Matplotlib, to ArviZ
@pytest.mark.filterwarnings("ignore:Estimated shape parameter:UserWarning")  # draws are made up
def test_arvizs_functions_run(posterior):
    data = posterior.to_arviz()
    loo = arviz.loo(data)
    assert int(loo.n_data_points) == len(XS)
    if NEW:
        arviz.plot_ppc_dist(data, var_names=["mean_difference"])
        assert len(arviz.psense_summary(data, var_names=["delta0"])) == 2
    else:
        arviz.plot_ppc(data, num_pp_samples=20)
        for component in ("prior", "likelihood"):
            result = arviz.psens(data, component=component, var_names=["delta0", "nu"])
            assert np.all(np.asarray(result["delta0"]) >= 0)


def test_it_comes_back_from_disk(posterior, tmp_path):
    posterior.save(tmp_path / "p.npz")
    again = bc.load(tmp_path / "p.npz")
    for name, values in vars(posterior.observed).items():
        np.testing.assert_array_equal(getattr(again.observed, name), values)


def test_correlation_and_summary(fake):
    posterior = fitted(simulated(p=3), metrics=("a", "b", "c"))
    table = posterior.correlation()
    omega = posterior.fit.draws["Omega"][..., 0, 2]
    assert table.loc[("a", "c"), "mean"] == pytest.approx(omega.mean())
    assert table.loc[("a", "c"), "p_positive"] == 1
    summary = posterior.summary()
    assert summary.loc["tau[b]", "mean"] == pytest.approx(
        posterior.fit.draws["tau"][..., 1].mean()
    )
    assert summary.loc["correlation[a, c]", "mean"] == pytest.approx(omega.mean())
    assert set(summary.columns) >= {"mean", "sd", "2.5%", "97.5%", "ess_bulk", "rhat"}


def test_the_next_data_set_is_drawn_from_the_upper_level(fake):
    """Shares of its draws in the regions are the regions' expected masses."""
    posterior = fitted(simulated(), rope=0.02, draws=2500)
    drawn = posterior.next_dataset()
    assert np.array_equal(drawn, posterior.next_dataset())
    worse, better = (drawn < -0.02).any(-1), (drawn > 0.02).any(-1)
    shares = [np.mean(~worse & ~better), np.mean(worse & ~better), np.mean(better & ~worse)]
    expected = posterior.verdict().expected
    assert shares == pytest.approx([expected[r] for r in REGIONS[:3]], abs=0.02)


@pytest.mark.slow
def test_some_of_the_metrics(fake, tmp_path):
    posterior = fitted(simulated(p=3), rope=[0.01, 0.02, 0.03], draws=2500)
    two = posterior.select(["m3", "m1"])
    assert two.metrics == ("m3", "m1")
    for name in ("delta0", "delta"):
        assert np.array_equal(two.draws[name], posterior.draws[name][..., [2, 0]])
    assert two.draws["Sigma0"] == pytest.approx(
        posterior.draws["Sigma0"][..., [2, 0], :][..., [2, 0]], rel=1e-12
    )
    assert [r.high for r in two.ropes()] == [0.03, 0.01]
    # P(equivalent) of each draw, by a bivariate t of SciPy
    i = (0, 5)
    t = stats.multivariate_t(two.draws["delta0"][i], two.draws["Sigma0"][i], df=two.draws["nu"][i])
    box = t.cdf([0.03, 0.01], lower_limit=[-0.03, -0.01])
    assert two.masses()[(*i, 0)] == pytest.approx(box, abs=2e-3)
    two.save(tmp_path / "two.npz")
    assert bc.load(tmp_path / "two.npz").verdict() == two.verdict()
    for wanted in ([], ["m1", "m1"], ["m4"]):
        with pytest.raises(bc.InputError, match="metric"):
            posterior.select(wanted)


def test_two_of_three_metrics_are_drawn(fake):
    posterior = fitted(simulated(p=3))
    ax = posterior.plot(metrics=("m1", "m3"))
    assert "m1" in ax.get_xlabel()
    assert "m3" in ax.get_ylabel()
    posterior.plot(rope=0.1)
