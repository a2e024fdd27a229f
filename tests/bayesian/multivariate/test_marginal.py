"""One metric, or a weighted sum, of a closed form of several."""

from __future__ import annotations

import warnings

import bayescmp as bc
from bayescmp.bayesian import multivariate_t
from tests.bayesian.multivariate.cases import folds


def test_it_names_the_test_it_is_part_of(tmp_path):
    """At 24bf92b its verdict said "Bayesian correlated t test" and p(δ, σ) ∝ 1/σ."""
    post = multivariate_t(folds(5, 12, 3), rho=0.1, rope=0.01, metrics=("a", "b", "c"), seed=1)
    part = post.marginal("b")
    text = part.verdict().explain()
    assert "Bayesian multivariate correlated t test, t with 9 degrees of freedom" in text
    assert "Prior: p(μ, Σ) ∝ |Σ|^(−(p+1)/2)" in text
    assert "Bayesian multivariate correlated t test: first (left)" in str(part)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        part.save(tmp_path / "m.nc")
        assert str(bc.load(tmp_path / "m.nc")) == str(part)
