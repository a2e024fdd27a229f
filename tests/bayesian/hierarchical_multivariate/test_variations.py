"""Reweighted verdicts of several metrics, against plain importance weights."""

from __future__ import annotations

import numpy as np
import pytest

from bayescmp.bayesian import MultivariatePrior, hierarchical_multivariate_t
from bayescmp.bayesian.hierarchical_multivariate import variations
from bayescmp.bayesian.sampling import reweighting
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


@pytest.mark.parametrize("within", [{}, {"within_df": 3.0, "within_sd": (0.02, 0.03)}])
def test_another_correlation_is_the_likelihood_with_it(fake, within):
    """The errors' scale matrices are those of a fit with that correlation."""
    options = {"rope": 0.01, "engine": "fake", "seed": 1, "chains": 2, "draws": 500,
               "prior": MultivariatePrior(**within)}  # fmt: skip
    own, other = (hierarchical_multivariate_t(XS, rho=r, **options) for r in (0.3, 0.6))
    changed = own.observed.with_rho(0.6, own.n)
    np.testing.assert_allclose(changed.C, other.observed.C)
    assert changed.rho.tolist() == [0.6] * len(XS)


def never_reliable(ratios):
    return np.full(ratios.shape, 1 / ratios.size), 0.9


def test_unreliable_weights_are_called_so(posterior, monkeypatch):
    monkeypatch.setattr(variations, "MOST", 50)
    monkeypatch.setattr(reweighting, "psis", never_reliable)
    settings = [s for _, s, _ in posterior.variations(datasets=False)]
    assert len(settings) == 7
    assert all(s.endswith("(k-hat 0.90, needs a refit)") for s in settings)


def test_what_is_fitted_again_is_what_the_weights_stand_for(posterior, fake, monkeypatch):
    """The program is given the data sets, the correlation or the prior of each question."""
    monkeypatch.setattr(variations, "MOST", 50)
    monkeypatch.setattr(reweighting, "psis", never_reliable)
    first = fake.requests[0].data
    fake.requests.clear()
    rows = list(posterior.variations(refit=True))
    assert all(s.endswith("(k-hat 0.90, refitted)") for _, s, _ in rows)
    questions = [(q, s.partition(" (k-hat")[0]) for q, s, _ in rows]
    given = dict(zip(questions, (r.data for r in fake.requests), strict=True))
    unit = own_unit(posterior.observed, given["prior", "δ0 ten times as wide"])
    np.testing.assert_allclose(given["prior", "δ0 ten times as wide"]["delta0_sd"] * unit,
                               10 * posterior.observed.delta0_sd)  # fmt: skip
    assert given["prior", "ν − 1 ~ Gamma(2, 0.1)"]["alpha_lower"] == 2
    assert (first["eta"], given["prior", "correlations ~ LKJ(1)"]["eta"]) == (2, 1)
    without = given["without", "3"]
    assert without["q"] == 4
    kept = np.sort(np.abs(np.delete(XS.mean(axis=1), 2, axis=0)), axis=0)
    ratio = np.sort(np.abs(without["xbar"]), axis=0) / kept
    np.testing.assert_allclose(ratio, np.broadcast_to(ratio[0], ratio.shape))
    np.testing.assert_allclose(without["tau_scale"] / ratio[0], posterior.observed.tau_scale)
    for p in (p for _, _, p in rows):
        assert p.sum() == pytest.approx(1)


def own_unit(observed, data):
    """Units of the program: what the means are divided by."""
    return np.abs(observed.xbar).sum(axis=0) / np.abs(data["xbar"]).sum(axis=0)


def test_of_one_metric_its_own_test_is_named():
    posterior = hierarchical_multivariate_t(XS[..., :1], rho=0.3, rope=0.01, seed=1,
                                            engine="quadrature")  # fmt: skip
    assert set(posterior.fixed) == {"prior", "rho", "without"}
    assert "hierarchical_t varies it" in posterior.sensitivity().explain()
