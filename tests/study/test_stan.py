"""Reweighted draws against fits under the other assumption, by Stan."""

from __future__ import annotations

import numpy as np
import pytest

from bayescmp.bayesian import hierarchical_multivariate_t, joint_t, robust_t, sampling
from bayescmp.bayesian.hierarchical_multivariate.posterior import changes as multivariate_changes
from bayescmp.bayesian.hierarchical_multivariate.posterior import refitted as refitted_multivariate
from bayescmp.bayesian.joint.posterior import fit_again as refit_joint
from bayescmp.bayesian.joint.posterior import list_changes as list_joint_changes

pytestmark = [pytest.mark.stan, pytest.mark.slow]

RNG = np.random.default_rng(3)
XS = RNG.normal([0.012, 0.008], 0.015, (8, 1, 2)) + RNG.normal(0, 0.02, (8, 10, 2))
SCORES = RNG.normal([0.70, 0.71, 0.72], 0.015, (8, 1, 3)) + RNG.normal(0, 0.02, (8, 10, 3))
FOLDS = np.array([0.3, 0.5, 0.1, 0.45, 0.2, 0.38, 0.6, 0.28, 0.33, 0.41])
#: Of other correlations, and of data sets left out, one is fitted: the others take as long.
RHO = "0.2"


@pytest.fixture
def kept(monkeypatch):
    """Draws that were weighted, and the share of them that the weights are worth (Kish)."""
    each, psis = [], sampling.psis

    def remembered(ratios):
        weights, k_hat = psis(ratios)
        each.append((ratios.size, 1 / np.sum(weights**2) / ratios.size))
        return weights, k_hat

    monkeypatch.setattr(sampling, "psis", remembered)
    return each


def rows_of(variations, kept):
    """By question and setting: with k-hat, the probabilities, how many draws they are made of.

    What another correlation only rescales has no weights.
    """
    rows = {}
    for question, setting, p in variations:
        plain = setting.partition(" (k-hat")[0]
        rows[question, plain] = setting, p, kept[-1] if "k-hat" in setting else (np.inf, 1.0)
    return rows


def parts(verdict):
    """Probabilities of the regions, and their standard errors."""
    return (np.array([*x.values()]) for x in (verdict.probabilities, verdict.errors))


def wanted_of(rows):
    """What is fitted besides other priors: one correlation, and without one of the data sets.

    The first whose weights can be relied on.
    """
    without = (s for (q, s), row in rows.items() if q == "without" and "needs" not in row[0])
    return {("rho", RHO), ("without", next(without))}


def check(rows, verdicts, fit):
    """All that can be relied on is within three standard errors of a fit; of which questions.

    The weighted draws are as many independent ones as those of the fit are, less what the weights
    cost.
    """
    questions = set()
    p, error = parts(fit)
    independent = np.clip(p * (1 - p), 1e-3, None) / error**2
    print()
    for (question, setting), verdict in verdicts.items():
        words, own, (draws, share) = rows[question, setting]
        p, error = parts(verdict)
        size = share * np.minimum(draws, independent)
        z = np.abs(own - p) / np.hypot(np.sqrt(np.clip(p * (1 - p), 1 / size, None) / size), error)
        print(f"{question:8s}{words:52s}{own.round(3)} fitted: {p.round(3)}, z {z.round(1)}")
        if "needs a refit" not in words:
            assert z.max() < 3
            questions.add(question)
    return questions


def test_the_hierarchical_multivariate_test(stan_engine, kept):
    posterior = hierarchical_multivariate_t(XS, rho=0.1, rope=0.01, engine=stan_engine, seed=1)
    rows = rows_of(posterior.variations(), kept)
    wanted, verdicts = wanted_of(rows), {}
    for change in multivariate_changes(posterior, posterior.observed, datasets=True):
        key = change.question, change.setting
        if change.question == "prior" or key in wanted:
            other = refitted_multivariate(posterior, change.observed, change.prior)
            verdicts[key] = other.verdict()
    assert check(rows, verdicts, posterior.verdict()) == {"prior", "rho", "without"}


def test_the_joint_test(stan_engine, kept):
    """Another correlation also by the test itself."""
    options = {"rope": 0.01, "engine": stan_engine, "seed": 1, "draws": 2000}
    posterior = joint_t(SCORES, rho=0.1, **options)
    pair = posterior.pairs[1]
    variations = ((q, s, p[pair]) for q, s, p in posterior.pair_variations())
    rows = rows_of(variations, kept)
    wanted, verdicts = wanted_of(rows), {}
    for change in list_joint_changes(posterior.contrasts, posterior.datasets):
        key = change.question, change.setting
        if change.question == "prior" or key in wanted:
            verdicts[key] = refit_joint(posterior, change.contrasts).verdict(*pair)
    own = posterior.verdict(*pair)
    assert check(rows, verdicts, own) == {"prior", "rho", "without"}
    verdicts = {("rho", RHO): joint_t(SCORES, rho=float(RHO), **options).verdict(*pair)}
    assert check(rows, verdicts, own) == {"rho"}


def test_the_robust_test(stan_engine, kept):
    options = {"rope": 0.3, "engine": stan_engine, "seed": 1}
    posterior = robust_t(FOLDS, rho=0.1, **options)
    rows = rows_of(posterior.variations(), kept)
    verdicts = {
        ("prior", f"mean of ν − 1 {m:g}"): robust_t(FOLDS, rho=0.1, nu_mean=m, **options).verdict()
        for m in (10.0, 100.0)
    }
    verdicts["rho", RHO] = robust_t(FOLDS, rho=float(RHO), **options).verdict()
    assert check(rows, verdicts, posterior.verdict()) == {"prior", "rho"}
