"""Reweighted verdicts of several metrics, against plain importance weights."""

from __future__ import annotations

import numpy as np
import pytest

from bayescmp.bayesian import hierarchical_multivariate_t
from bayescmp.verdict import winners

RNG = np.random.default_rng(1)
XS = RNG.normal([0.02, 0.01], 0.02, (5, 1, 2)) + RNG.normal(0, 0.02, (5, 6, 2))


@pytest.fixture
def posterior(fake):
    return hierarchical_multivariate_t(
        XS, rho=0.3, rope=0.01, engine="fake", seed=1, chains=2, draws=500
    )


def test_every_question(posterior):
    """Plain weights say the same where k-hat is small; the largest are smoothed."""
    rows = {(q, s.partition(" (k-hat")[0]): (s, p) for q, s, p in posterior.variations()}
    assert [q for q, _ in rows] == ["prior"] * 4 + ["rho"] * 3 + ["without"] * 5
    shares, observed = winners(posterior.masses()), posterior.observed
    d = posterior.fit.draws
    own = observed.log_likelihood(d)
    ratios = {
        ("prior", "correlations ~ LKJ(1)"): -np.log(np.linalg.det(d["Omega"])),
        ("without", "3"): -own[..., 2],
    }
    for key, ratio in ratios.items():
        setting, p = rows[key]
        k_hat = float(setting.partition("(k-hat ")[2].split(")")[0].split(",")[0])
        weights = np.exp(ratio - ratio.max())
        plain = (weights[..., None] * shares).sum(axis=(0, 1)) / weights.sum()
        if k_hat < 0.5:
            assert p == pytest.approx(plain, abs=0.02)
        assert p.sum() == pytest.approx(1)


def test_another_correlation_is_the_likelihood_with_it(posterior, fake):
    """The errors' scale matrices are those of a fit with that correlation."""
    other = hierarchical_multivariate_t(
        XS, rho=0.6, rope=0.01, engine="fake", seed=1, chains=2, draws=500
    )
    n = XS.shape[1]
    factor = (1 + (n - 1) * 0.6) / 0.4 / ((1 + (n - 1) * 0.3) / 0.7)
    np.testing.assert_allclose(factor * posterior.observed.C, other.observed.C)
    d = posterior.fit.draws
    np.testing.assert_allclose(
        posterior.observed.log_likelihood(d, factor), other.observed.log_likelihood(d)
    )


def test_unreliable_weights_are_called_so(posterior, monkeypatch):
    path = "bayescmp.bayesian.hierarchical_multivariate.variations.psis"
    monkeypatch.setattr(path, lambda ratios: (np.full(ratios.shape, 1 / ratios.size), 0.9))
    settings = [s for _, s, _ in posterior.variations(datasets=False)]
    assert len(settings) == 7
    assert all(s.endswith("(k-hat 0.90, not reliable)") for s in settings)
