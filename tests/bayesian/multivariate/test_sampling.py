"""What sampled posteriors of one data set share: their draws, and coming back from disk."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

import bayescmp as bc
from bayescmp.bayesian import SampledMultivariatePosterior
from bayescmp.bayesian.multivariate.problem import (
    Folds,
    SampledFit,
    check_noise,
    prior_data,
    prior_text,
    sample_folds,
)
from bayescmp.engines import SamplerSettings
from bayescmp.results.diagnostics import Diagnostics
from bayescmp.scores.rope import Rope, Ropes


def rows(n=30, seed=1):
    """Folds of one difference each, in two metrics of unlike units."""
    rng = np.random.default_rng(seed)
    return (0.5 + rng.normal(size=(n, 2)) * [0.01, 3.0])[:, None]


def test_units_of_normal_noise_are_standard_deviations():
    folds = Folds.of(rows(), 0.1, False, None, None)
    assert folds.unit == pytest.approx(rows()[:, 0].std(axis=0, ddof=1))
    assert folds.metrics == ("m1", "m2")
    assert folds.notes == ()


def test_units_of_t_noise_are_not_moved_by_outliers():
    spoiled = rows()
    spoiled[:3] += 1e4
    folds = Folds.of(spoiled, 0.1, True, None, None)
    mad = stats.median_abs_deviation(spoiled[:, 0], scale=1 / 1.4826)
    assert folds.unit == pytest.approx(mad, rel=1e-12)
    assert folds.unit == pytest.approx(rows()[:, 0].std(axis=0, ddof=1), rel=0.5)


def test_ties_give_the_spread_a_floor_from_the_smallest_step():
    tied = rows()
    tied[:, 0, 0] = 0
    tied[:4, 0, 0] = [0.02, -0.02, 0.04, 0.02]
    folds = Folds.of(tied, 0.1, True, ("auc", "f1"), None)
    assert folds.tied.tolist() == [True, False]
    assert folds.step[0] == pytest.approx(0.02)
    assert "over half of the differences in auc are equal" in folds.notes[0]
    sd = tied[:, 0, 0].std(ddof=1)
    assert folds.floor == pytest.approx([0.02 / np.sqrt(12) / sd, 1e-3])


@pytest.mark.parametrize(
    ("y", "options", "message"),
    [
        (np.ones((5, 1, 2)) * [1.0, 2.0], {}, "metric 'm1' differs by the same amount"),
        (np.repeat(rows()[..., :1], 2, axis=-1), {}, "m1, m2 are linearly dependent"),
        (rows(), {"metrics": ["auc"]}, "metrics"),
        (rows(), {"resolution": [0.1, -1]}, "resolution=.*accepted"),
        (rows(), {"rho": [0.1, 0.2]}, "rho=.*one number"),
    ],
)
def test_what_is_refused(y, options, message):
    given = {"rho": 0.1, "student": False, "metrics": None, "resolution": None, **options}
    with pytest.raises(bc.InputError, match=message):
        Folds.of(y, **given)


def test_the_start_of_normal_noise_is_the_estimate():
    folds = Folds.of(rows(), 0.2, False, None, None)
    y = rows() / folds.unit
    at, root = folds.start(y)
    assert at == pytest.approx(y.mean(axis=0))
    # folds correlated at rho: the sample covariance estimates (1 - rho) Σ
    assert root @ root.T == pytest.approx(np.cov(y[:, 0].T) / 0.8)


def test_the_start_of_t_noise_is_not_led_astray_by_outliers():
    rng = np.random.default_rng(0)
    x = 0.5 + rng.normal(size=(60, 2)) @ np.linalg.cholesky([[1, 0.9], [0.9, 1]]).T
    x[:5] += [50, -80]
    folds = Folds.of(x[:, None], 0.0, True, None, None)
    at, root = folds.start(x[:, None] / folds.unit)
    sigma = (root @ root.T) * np.outer(folds.unit, folds.unit)
    assert at[0] * folds.unit == pytest.approx([0.5, 0.5], abs=0.4)
    assert sigma[0, 1] / np.sqrt(sigma[0, 0] * sigma[1, 1]) > 0.7
    assert np.corrcoef(x.T)[0, 1] < -0.9  # what the plain estimate makes of them


def test_noise_and_prior_go_together():
    assert check_noise("normal", None) == (False, "jeffreys")
    assert check_noise("t", None) == (True, "weak")
    assert check_noise("normal", "weak") == (False, "weak")
    with pytest.raises(bc.InputError, match="no proper posterior with t noise"):
        check_noise("t", "jeffreys")
    with pytest.raises(bc.InputError, match="unknown noise 'cauchy'"):
        check_noise("cauchy", None)
    with pytest.raises(bc.InputError, match="unknown prior 'flat'"):
        check_noise("normal", "flat")


def test_the_priors_data():
    """Jeffreys' |Σ|^(-(p+1)/2) is an LKJ density of shape (1 - p)/2 with flat log σ."""
    rms = np.array([1.0, 2.0])
    flat, weak = (prior_data(which, rms, 1.5, 29) for which in ("jeffreys", "weak"))
    assert flat["eta"] == -0.5
    assert weak["eta"] == 1.5
    assert weak["centre_sd"] == pytest.approx([1000, 2000])
    assert flat["log_sigma_sd"] > 1000 * weak["log_sigma_sd"]
    with pytest.raises(bc.InputError, match="lkj=0"):
        prior_data("weak", rms, 0, 29)
    assert "LKJ(1.5)" in prior_text("weak", True, 1.5, 29)
    assert "mean 29" in prior_text("weak", True, 1.5, 29)
    assert "ν" not in prior_text("weak", False, 1.5, 29)


def drawn(seed=3, student=True):
    """Draws of folds of one difference each, in two metrics, by the engine of the tests."""
    y = rows()
    folds = Folds.of(y, 0.1, student, None, None)
    prior = prior_data("weak", np.ones(2), 1.0, 29)
    settings = SamplerSettings(chains=2, warmup=10, draws=1000)
    return folds, *sample_folds(
        y / folds.unit, folds, prior, engine="fake", seed=seed, settings=settings, progress=False
    )


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


@pytest.fixture
def posterior():
    rng = np.random.default_rng(1)
    values = {"delta": rng.normal(0.1, 1, (2, 50, 2)), "Sigma": rng.normal(size=(2, 50, 2, 2))}
    stats = {"diverging": np.zeros((2, 50), bool), "energy": rng.normal(size=(2, 50))}
    diagnostics = Diagnostics(
        rhat=1.0, ess_bulk=900, ess_tail=900, divergences=0, max_treedepth=0, ebfmi=1.0
    )
    return SampledMultivariatePosterior(
        names=("knn", "gbm"),
        rope=Ropes([Rope(-0.1, 0.1)] * 2),
        engine="fake",
        engine_version="1",
        diagnostics=diagnostics,
        seed=1,
        metrics=("auc", "f1"),
        rho=0.1,
        dataset="",
        x=rng.normal(size=(5, 2)),
        fit=SampledFit(
            values,
            noise="normal",
            sampled=("auc", "f1"),
            prior_words="as you like it",
            sample_stats=stats,
        ),
    )


def test_draws_and_prior_are_what_was_given(posterior):
    assert posterior.draws is posterior.fit.draws
    assert posterior.prior_text == "as you like it"
    assert posterior.verdict().prior == "as you like it"


def test_arviz_names_the_sampled_metrics(posterior):
    group = posterior.to_arviz()["posterior"]
    assert group["Sigma"].dims == ("chain", "draw", "sampled", "sampled_")
    assert group["Sigma"].coords["sampled"].to_numpy().tolist() == ["auc", "f1"]


def test_it_comes_back_from_disk(posterior, tmp_path):
    posterior.save(tmp_path / "p.nc")
    again = bc.load(tmp_path / "p.nc")
    assert type(again) is SampledMultivariatePosterior
    assert again.verdict(0.3) == posterior.verdict(0.3)
    assert again.fit.sampled == ("auc", "f1")
    assert np.array_equal(again.x, posterior.x)
    assert set(again.fit.sample_stats) == {"diverging", "energy"}
