"""The program of several metrics on one data set: units, priors, draws, robustness, edges."""

import numpy as np
import pytest
from scipy import stats

import bayescmp as bc
from bayescmp.bayesian import robust_t
from bayescmp.bayesian.multivariate.problem import (
    MODEL,
    MetricRows,
    choose_prior,
    prior_data,
    prior_text,
    sample_folds,
    sample_multivariate,
)
from bayescmp.engines import FitRequest, SamplerSettings, find_engine
from tests.rows import each_row


def rows(n=30, seed=1):
    """Folds of one difference each, in two metrics of unlike units."""
    rng = np.random.default_rng(seed)
    return (0.5 + rng.normal(size=(n, 2)) * [0.01, 3.0])[:, None]


def test_units_of_normal_noise_are_standard_deviations():
    folds = MetricRows.from_rows(rows(), 0.1, False, None, None)
    assert folds.unit == pytest.approx(rows()[:, 0].std(axis=0, ddof=1))
    assert folds.metrics == ("m1", "m2")
    assert folds.notes == ()


def test_units_of_t_noise_are_not_moved_by_outliers():
    spoiled = rows()
    spoiled[:3] += 1e4
    folds = MetricRows.from_rows(spoiled, 0.1, True, None, None)
    mad = stats.median_abs_deviation(spoiled[:, 0], scale=1 / 1.4826)
    assert folds.unit == pytest.approx(mad, rel=1e-12)
    assert folds.unit == pytest.approx(rows()[:, 0].std(axis=0, ddof=1), rel=0.5)


def test_ties_give_the_spread_a_floor_from_the_smallest_step():
    tied = rows()
    tied[:, 0, 0] = 0
    tied[:4, 0, 0] = [0.02, -0.02, 0.04, 0.02]
    folds = MetricRows.from_rows(tied, 0.1, True, ("auc", "f1"), None)
    assert folds.tied.tolist() == [True, False]
    assert folds.step[0] == pytest.approx(0.02)
    assert "over half of the differences in auc are equal" in folds.notes[0]
    sd = tied[:, 0, 0].std(ddof=1)
    assert folds.floor == pytest.approx([0.02 / np.sqrt(12) / sd, 1e-3])


def test_the_start_of_normal_noise_is_the_estimate():
    folds = MetricRows.from_rows(rows(), 0.2, False, None, None)
    y = rows() / folds.unit
    at, root = folds.start(y)
    assert at == pytest.approx(y.mean(axis=0))
    # folds correlated at rho: the sample covariance estimates (1 - rho) Σ
    assert root @ root.T == pytest.approx(np.cov(y[:, 0].T) / 0.8)


def test_the_start_of_t_noise_is_not_led_astray_by_outliers():
    rng = np.random.default_rng(0)
    x = 0.5 + rng.normal(size=(60, 2)) @ np.linalg.cholesky([[1, 0.9], [0.9, 1]]).T
    x[:5] += [50, -80]
    folds = MetricRows.from_rows(x[:, None], 0.0, True, None, None)
    at, root = folds.start(x[:, None] / folds.unit)
    sigma = (root @ root.T) * np.outer(folds.unit, folds.unit)
    assert at[0] * folds.unit == pytest.approx([0.5, 0.5], abs=0.4)
    assert sigma[0, 1] / np.sqrt(sigma[0, 0] * sigma[1, 1]) > 0.7
    assert np.corrcoef(x.T)[0, 1] < -0.9  # what the plain estimate makes of them


def test_noise_and_prior_go_together():
    assert choose_prior(None, False) == "jeffreys"
    assert choose_prior(None, True) == choose_prior("weak", False) == "weak"
    with pytest.raises(
        bc.InputError, match="prior must be proper with t noise, whose Σ is bounded from"
    ):
        choose_prior("jeffreys", True)
    with pytest.raises(bc.InputError, match=r"prior must be .*\(got 'flat'\)"):
        choose_prior("flat", False)


def test_the_priors_data():
    """Jeffreys' |Σ|^(-(p+1)/2) is an LKJ density of shape (1 - p)/2 with flat log σ."""
    rms = np.array([1.0, 2.0])
    flat, weak = (prior_data(which, rms, 1.5, 29) for which in ("jeffreys", "weak"))
    assert flat["eta"] == -0.5
    assert weak["eta"] == 1.5
    assert weak["centre_sd"] == pytest.approx([1000, 2000])
    assert flat["log_sigma_sd"] > 1000 * weak["log_sigma_sd"]
    with pytest.raises(bc.InputError, match="lkj must be"):
        prior_data("weak", rms, 0, 29)
    assert "LKJ(1.5)" in prior_text("weak", True, 1.5, 29)
    assert "mean 29" in prior_text("weak", True, 1.5, 29)
    assert "ν" not in prior_text("weak", False, 1.5, 29)


def drawn(seed=3, student=True):
    """Draws of folds of one difference each, in two metrics, by the engine of the tests."""
    y = rows()
    folds = MetricRows.from_rows(y, 0.1, student, None, None)
    sampled = sample_folds(
        y / folds.unit,
        folds,
        np.ones(2),
        test="multivariate_t",
        engine="fake",
        seed=seed,
        prior="weak",
        chains=2,
        warmup=10,
    )
    return folds, sampled.fit, sampled.diagnostics


def test_initial_values_have_the_sizes_and_the_seed(fake):
    drawn(3), drawn(3), drawn(4), drawn(3, student=False)
    first, again, other, normal = (request.inits for request in fake.requests)
    sizes = {"u": 2, "log_t": 2, "t_below": 1, "nu_raw": 1}
    assert [{k: len(v) for k, v in chain.items()} for chain in first] == [sizes, sizes]
    assert first == again
    assert first != other
    assert normal[0]["nu_raw"] == []


def test_draws_come_back_in_units(fake):
    folds, fit, _ = drawn()
    assert fit.draws["delta"].shape == fit.draws["centre"].shape == (2, 1000, 1, 2)
    centre = fit.draws["delta"].mean(axis=(0, 1))[0]
    assert centre / folds.unit == pytest.approx(rows()[:, 0].mean(axis=0) / folds.unit, abs=0.3)
    sd = np.sqrt(np.diagonal(fit.draws["Sigma"], axis1=-2, axis2=-1)).mean(axis=(0, 1))
    assert sd == pytest.approx(folds.unit, rel=0.05)
    assert fit.draws["nu"].shape == (2, 1000)


def folds(n=12, p=2, seed=0):
    rng = np.random.default_rng(seed)
    return [0.02, 0.05, -0.01][:p] + 0.03 * rng.normal(size=(n, p)) @ np.array(
        [[1, 0.8, 0.2], [0, 0.4, 0.3], [0, 0, 1]]
    )[:p, :p]


def sampled(x, **options):
    return sample_multivariate(x, **{"rho": 0.1, "engine": "fake", "seed": 4, **options})


# Without Stan.


def test_what_the_program_is_given(fake):
    x = folds()
    sampled(x, noise="normal")
    data = fake.requests[0].data
    sd = x.std(axis=0, ddof=1)
    assert data["scatter"] == pytest.approx(np.cov((x / sd).T) * 11)
    assert np.abs(data["xbar"][0]) == pytest.approx(np.abs(x.mean(axis=0) / sd))
    assert np.shape(data["x"]) == (0, 1, 2)
    assert data["eta"] == -0.5  # Jeffreys: (1 - p)/2
    sigma = data["root"] @ data["root"].T
    assert sigma == pytest.approx(np.cov((x / sd).T) / 0.9)
    sampled(x, noise="normal", prior="weak", lkj=3)
    assert fake.requests[1].data["eta"] == 3
    posterior = sampled(x)
    data = fake.requests[2].data
    mad = stats.median_abs_deviation(x, scale="normal")
    assert np.sort(np.abs(data["x"][:, 0, 0])) == pytest.approx(
        np.sort(np.abs(x[:, 0] / mad[0])), rel=1e-5
    )
    assert data["nu_mean"] == 29
    assert posterior.draws["nu"].shape == (4, 1000)
    assert posterior.draws["Sigma"].shape == (4, 1000, 2, 2)
    assert posterior.draws["delta"].mean(axis=(0, 1)) == pytest.approx(x.mean(axis=0), abs=0.02)


def test_order_of_folds_and_of_algorithms_cannot_matter(fake):
    x = folds()
    for noise in ("normal", "t"):
        a = sampled(x, noise=noise).draws["delta"]
        turned = sampled(x[::-1], noise=noise).draws["delta"]
        assert turned == pytest.approx(a, rel=1e-12)  # sums over the folds run the other way
        assert sampled(-x, noise=noise).draws["delta"] == pytest.approx(-a, rel=1e-9)


def test_where_most_folds_tie_the_spread_is_kept_above_rounding(fake):
    x = folds()
    x[:, 0] = [0, 0, 0, 0, 0, 0, 0, 0.02, 0, -0.04, 0, 0.02]
    posterior = sampled(x)
    assert "over half of the differences in m1 are equal" in posterior.notes[0]
    assert "h = 0.02" in posterior.notes[0]
    sd = x[:, 0].std(ddof=1)
    assert fake.requests[0].data["floor_sd"][0] == pytest.approx(0.02 / np.sqrt(12) / sd)
    sampled(x, resolution=(0.01, 0.001))
    assert fake.requests[1].data["floor_sd"][0] == pytest.approx(0.01 / np.sqrt(12) / sd)


def test_a_failed_run_is_repeated_with_smaller_steps(fake):
    fake.stuck = 1
    posterior = sampled(folds())
    assert [r.settings.adapt_delta for r in fake.requests] == pytest.approx([0.9, 0.99])
    assert posterior.diagnostics.ok
    assert posterior.diagnostics.refitted
    fake.stuck = 9
    assert "r-hat" in str(sampled(folds()).diagnostics)


@each_row(
    ("options", "message"),
    [
        ({"prior": "flat"}, r"prior must be .*\(got 'flat'\)"),
        ({"prior": "jeffreys"}, "prior must be proper with t noise, whose Σ is bounded from"),
        ({"nu_mean": -1}, "nu_mean must be"),
    ],
)
def test_bad_options(fake, options, message):
    with pytest.raises(bc.InputError, match=message):
        sampled(folds(), **options)
    assert fake.requests == []


# With Stan.


def moments(draws):
    flat = draws.reshape(-1, draws.shape[-1])
    return flat.mean(axis=0), np.cov(flat.T)


@pytest.mark.slow
@pytest.mark.stan
@pytest.mark.parametrize(("n", "p", "rho"), [(6, 2, 0.2), (40, 3, 0.1)])
def test_normal_noise_and_jeffreys_prior_have_the_closed_form(stan_engine, n, p, rho):
    """t_{n-p}(D̄, c S/(n-p)): by the distribution of the Mahalanobis distance, F(p, n - p)."""
    x = folds(n, p, seed=n)
    posterior = sample_multivariate(
        x, rho=rho, noise="normal", engine=stan_engine, seed=1, draws=2500
    )
    assert posterior.diagnostics.ok
    assert posterior.diagnostics.divergences == 0
    c, S = 1 / n + rho / (1 - rho), np.cov(x.T) * (n - 1)
    away = posterior.draws["delta"] - x.mean(axis=0)
    d2 = np.einsum("cdi,ij,cdj->cd", away, np.linalg.inv(c * S / (n - p)), away) / p
    for prob in (0.1, 0.5, 0.9, 0.99):
        below = np.mean(d2 <= stats.f(p, n - p).ppf(prob))
        assert below == pytest.approx(prob, abs=4 * np.sqrt(prob * (1 - prob) / 5000) + 0.002)
    for k in range(p):  # marginals: t with n - p degrees of freedom
        t = stats.t(n - p, x[:, k].mean(), np.sqrt(c * S[k, k] / (n - p)))
        for prob in (0.05, 0.5, 0.95):
            below = np.mean(posterior.draws["delta"][..., k] <= t.ppf(prob))
            assert below == pytest.approx(prob, abs=0.03)


@pytest.mark.slow
@pytest.mark.stan
def test_the_weak_prior_is_weak(stan_engine):
    """At n = 100 the closed form but for a hundredth or two."""
    x = folds(100, 2, seed=3)
    posterior = sample_multivariate(
        x, rho=0.1, noise="normal", prior="weak", engine=stan_engine, seed=1, draws=2500
    )
    mean, cov = moments(posterior.draws["delta"])
    c = 1 / 100 + 0.1 / 0.9
    wanted = c * np.cov(x.T) * 99 / 98 * (98 / 96)
    assert np.abs(mean - x.mean(axis=0)).max() < 0.05 * np.sqrt(wanted.diagonal().max())
    assert cov == pytest.approx(wanted, rel=0.08)


@pytest.mark.slow
@pytest.mark.stan
def test_t_noise_of_many_degrees_of_freedom_is_normal(stan_engine):
    x = folds(30, 2, seed=4)
    a, b = (
        sample_multivariate(
            x,
            rho=0.1,
            noise=noise,
            prior="weak",
            engine=stan_engine,
            seed=1,
            nu_mean=1e7,
            draws=2500,
        )
        for noise in ("normal", "t")
    )
    assert b.diagnostics.ok
    (m0, c0), (m1, c1) = moments(a.draws["delta"]), moments(b.draws["delta"])
    assert np.abs(m1 - m0).max() < 0.05 * np.sqrt(c0.diagonal().max())
    assert c1 == pytest.approx(c0, rel=0.08)


@pytest.mark.slow
@pytest.mark.stan
def test_one_metric_is_the_robust_correlated_t_test(stan_engine):
    """robust_t, whose p(σ) ∝ 1/σ is the limit of the weak prior's, is tested by brute force."""
    x = np.r_[folds(9, 1)[:, 0], 0.4]
    ours = sample_multivariate(
        x[:, None], rho=0.2, engine=stan_engine, seed=1, draws=2500, resolution=1e-6
    )
    theirs = robust_t(x, rho=0.2, rope=0, engine=stan_engine, seed=2, draws=2500)
    for prob in (0.05, 0.25, 0.5, 0.75, 0.95):
        q = np.quantile(theirs.draws["delta"], prob)
        assert np.mean(ours.draws["delta"] <= q) == pytest.approx(prob, abs=0.03)
        q = np.quantile(theirs.draws["nu"], prob)
        assert np.mean(ours.draws["nu"] <= q) == pytest.approx(prob, abs=0.04)


@pytest.mark.slow
@pytest.mark.stan
@pytest.mark.parametrize("outlier", [(5.0, 5.0), (-50.0, 0.0)])
def test_outlying_folds_do_not_move_it(stan_engine, outlier):
    rng = np.random.default_rng(2)
    x = [0.02, -0.01] + 0.02 * rng.normal(size=(50, 2)) @ [[1, 0.9], [0, 0.3]]
    spoiled = x.copy()
    spoiled[[3, 30]] += outlier
    clean, robust = (
        sample_multivariate(v, rho=0.1, engine=stan_engine, seed=1) for v in (x, spoiled)
    )
    assert robust.diagnostics.ok
    assert robust.diagnostics.divergences == 0
    moved = np.median(robust.draws["delta"], axis=(0, 1)) - np.median(
        clean.draws["delta"], axis=(0, 1)
    )
    assert np.abs(moved).max() < 0.2 * x.std(axis=0).min()


@pytest.mark.slow
@pytest.mark.stan
@pytest.mark.parametrize("noise", ["normal", "t"])
def test_nearly_dependent_metrics(stan_engine, noise):
    """Correlated at 0.999999: coordinates from the data keep the posterior round."""
    rng = np.random.default_rng(6)
    a = rng.normal(size=30)
    x = np.column_stack([a, a + 1e-3 * rng.normal(size=30)])
    posterior = sample_multivariate(
        x, rho=0.1, noise=noise, engine=stan_engine, seed=1, resolution=1e-6
    )
    assert posterior.diagnostics.ok
    assert not posterior.diagnostics.refitted
    gap = posterior.draws["delta"][..., 1] - posterior.draws["delta"][..., 0]
    assert gap.std() < 0.003


@pytest.mark.slow
@pytest.mark.stan
def test_folds_most_of_which_tie(stan_engine):
    """What is over the floor may be nothing: a plateau of the posterior, not a funnel."""
    rng = np.random.default_rng(3)
    x = np.where(rng.uniform(size=(60, 2)) < 0.85, 0.0, rng.integers(-2, 3, (60, 2)) / 50)
    posterior = sample_multivariate(x, rho=0.1, engine=stan_engine, seed=1, resolution=1 / 50)
    assert posterior.diagnostics.ok
    assert posterior.diagnostics.divergences == 0
    sd = np.sqrt(posterior.draws["Sigma"][..., 0, 0])
    assert sd.min() > 0.9999 / 50 / np.sqrt(12)


@pytest.mark.slow
@pytest.mark.stan
def test_start_and_root_are_coordinates_only(stan_engine):
    x = folds(10, 2, seed=1)
    data = {
        "m": 1,
        "p": 2,
        "n": 10,
        "rho": 0.1,
        "student": 1,
        "xbar": x.mean(axis=0)[None],
        "scatter": np.eye(2),
        "x": x[:, None] / 0.03,
        "floor_sd": np.full(2, 0.01),
        "eta": 1.0,
        "log_sigma_mean": np.zeros(2),
        "log_sigma_sd": 1.0,
        "centre_sd": np.full(2, 10.0),
        "nu_mean": 29.0,
    }
    result = []
    for at, root in (
        (np.zeros((1, 2)), np.eye(2)),
        (np.ones((1, 2)), np.array([[2.0, 0], [1.0, 0.5]])),
    ):
        request = FitRequest(
            MODEL,
            {**data, "at": at, "root": root},
            1,
            {"delta": False, "Sigma": False, "nu": False},
            (),
            SamplerSettings(4, 1000, 2500, 0.9),
        )
        result.append(find_engine(stan_engine, MODEL).fit(request).draws)
    for name in ("delta", "nu"):
        a, b = (np.sort(f[name].reshape(-1, f[name].shape[-1]), axis=0) for f in result)
        for prob in (0.1, 0.5, 0.9):
            assert np.mean(b[:, 0] <= np.quantile(a[:, 0], prob)) == pytest.approx(prob, abs=0.03)
    a, b = (np.linalg.slogdet(f["Sigma"])[1].ravel() for f in result)
    for prob in (0.1, 0.5, 0.9):
        assert np.mean(b <= np.quantile(a, prob)) == pytest.approx(prob, abs=0.03)


@pytest.mark.calibration
@pytest.mark.slow
@pytest.mark.stan
@pytest.mark.parametrize("metrics", [("tpr", "fpr"), ("auc", "error")])
@pytest.mark.parametrize("noise", ["normal", "t"])
def test_no_divergence_on_the_confusion_data(stan_engine, reference_dir, metrics, noise):
    """Every pair of five classifiers on two of the four tasks: 20 pairs."""
    scores = bc.Scores.read(reference_dir / "cv_confusion_sklearn.csv")
    runs, refitted = 0, 0
    for dataset in scores.datasets[:2]:
        blocks = bc.scores_blocks(scores, dataset=dataset, metrics=metrics)
        for i in range(blocks.L):
            for j in range(i + 1, blocks.L):
                posterior = sample_multivariate(
                    blocks.differences(i, j),
                    rho=blocks.rho,
                    noise=noise,
                    engine=stan_engine,
                    seed=1,
                )
                assert posterior.diagnostics.ok, (dataset, i, j)
                assert posterior.diagnostics.divergences == 0
                runs, refitted = runs + 1, refitted + posterior.diagnostics.refitted
    print(f"\n{metrics}, {noise} noise: {runs} pairs, {refitted} refitted")
    assert runs == 20
