"""Pairs of several algorithms, which name the test of them all."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from scipy import stats

import bayescmp as bc
from bayescmp.bayesian import groups
from bayescmp.bayesian.groups.pairs import MixturePosterior
from bayescmp.diagnostics import Diagnostics
from bayescmp.verdict import as_rope
from tests.bayesian.groups.tables import scores


def mixture(scales, **options):
    return MixturePosterior(**{
        "df": 7, "location": 0.02, "scales": np.asarray(scales, dtype=float), "rho": 0.1,
        "source": "Bayesian blocked ANOVA of 3 algorithms", "prior_words": "flat", "dataset": "",
        "x": np.zeros(5), "names": ("a", "b"), "rope": as_rope(0.01), "engine": "metropolis",
        "engine_version": "", "diagnostics": Diagnostics(rhat=1, ess_bulk=1e4, ess_tail=1e4),
        "seed": 1, **options,
    })  # fmt: skip


def test_one_scale_is_a_t():
    posterior = mixture(np.full((4, 50), 0.01))
    t = stats.t(7, 0.02, 0.01)
    v = posterior.verdict()
    assert [v.p_left, v.p_rope, v.p_right] == pytest.approx(
        [t.cdf(-0.01), t.cdf(0.01) - t.cdf(-0.01), t.sf(0.01)], abs=1e-12
    )
    assert posterior.interval(0.9) == pytest.approx(t.interval(0.9), abs=1e-9)
    row = posterior.summary().loc["delta"]
    assert row[["mean", "sd", "2.5%", "97.5%"]].tolist() == pytest.approx(
        [0.02, t.std(), *t.interval(0.95)], abs=1e-9
    )
    x, y = posterior.density()
    np.testing.assert_allclose(y, t.pdf(x), rtol=1e-10)


def test_two_scales_are_half_of_each():
    scales = np.where(np.arange(2000).reshape(4, 500) % 2, 0.01, 0.03)
    posterior = mixture(scales)
    narrow, wide = stats.t(7, 0.02, 0.01), stats.t(7, 0.02, 0.03)
    for at in (-0.05, 0.0, 0.03):
        assert posterior.cdf(at) == pytest.approx((narrow.cdf(at) + wide.cdf(at)) / 2)
    assert posterior.verdict(0.03).p_left == pytest.approx(
        (narrow.cdf(-0.03) + wide.cdf(-0.03)) / 2
    )
    low, high = posterior.interval(0.8)
    assert posterior.cdf(low) == pytest.approx(0.1)
    assert posterior.cdf(high) == pytest.approx(0.9)
    ks = stats.ks_1samp(
        posterior.draws["delta"].ravel(), lambda z: np.array([posterior.cdf(v) for v in z])
    )
    assert ks.pvalue > 1e-3
    assert posterior.verdict(0).p_rope == 0


def test_error_is_that_of_the_mean_over_scales():
    rng = np.random.default_rng(2)
    runs = [mixture(np.exp(rng.normal(-4, 0.7, (4, 200)))).verdict() for _ in range(60)]
    spread = np.std([v.p_rope for v in runs], ddof=1)
    assert np.mean([v.errors["rope"] for v in runs]) == pytest.approx(spread, rel=0.3)


@pytest.mark.parametrize(
    ("p", "variances", "words"),
    [
        (1, "equal", "Bayesian blocked ANOVA of 4 algorithms, folds as blocks, errors pooled over "
         "the algorithms, t with 42 degrees of freedom"),
        (2, "equal", "Bayesian blocked MANOVA of 4 algorithms, folds as blocks, errors pooled "
         "over the algorithms, multivariate t with 41 degrees of freedom"),
        (1, "own", "Bayesian blocked ANOVA of 4 algorithms, folds as blocks, each algorithm with "
         "noise of its own, mixture of t's with 42 degrees of freedom"),
        (2, "own", "Bayesian blocked MANOVA of 4 algorithms, folds as blocks, each algorithm with "
         "noise of its own"),
    ],
)  # fmt: skip
def test_explanations_name_the_test_of_all_algorithms(p, variances, words):
    """At 24bf92b a pair's verdict said "Bayesian correlated t test, Corani & Benavoli 2015"."""
    post = groups(scores(1, 4, 15, p), rho=0.1, rope=0.01, variances=variances, seed=1)
    text = post.verdict("A1", "A3").explain()
    assert words in text
    assert "orrelated t test" not in text
    assert "|Σ|^(−(p+1)/2)" in text
    assert ("Dirichlet" in text) == (variances == "own")


def test_saved_and_loaded(tmp_path):
    posts = [groups(scores(1, 3, 8, p), rho=0.1, rope=0.01, variances=v, seed=3).pair("A1", "A2")
             for p in (1, 2) for v in ("equal", "own")]  # fmt: skip
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for posterior in posts:
            posterior.save(tmp_path / "p.nc")
            back = bc.load(tmp_path / "p.nc")
            assert str(back) == str(posterior)
            assert back.verdict() == posterior.verdict()
