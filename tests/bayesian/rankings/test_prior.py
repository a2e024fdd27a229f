"""The prior of abilities, beside SciPy's densities."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from bayescmp.bayesian.rankings.prior import in_words, log_prior, precision


def expected(beta, nu, log_sigma):
    return (
        stats.norm(0, np.exp(log_sigma)).logpdf(beta).sum()
        + stats.norm(0, 0.5).logpdf(log_sigma)
        + stats.norm(0, 2).logpdf(nu).sum()
    )


def test_log_densities_are_scipys_up_to_a_constant():
    rng = np.random.default_rng(1)
    beta, nu, log_sigma = rng.normal(size=(4, 3)), rng.normal(size=(4, 2)), rng.normal(size=4)
    scipys = [expected(*point) for point in zip(beta, nu, log_sigma, strict=True)]
    constant = log_prior(beta, nu, log_sigma) - scipys
    np.testing.assert_allclose(constant, constant[0])


def test_precisions_are_inverse_variances():
    assert precision(2, 1, np.log(0.5)) == pytest.approx([1 / 0.25, 1 / 0.25, 1 / 4])


def test_ties_are_named_where_there_are_any():
    assert "ν" in in_words(ties=True)
    assert "ν" not in in_words(ties=False)
