"""Bayesian comparisons of algorithms."""

from bayescmp.bayesian.hierarchical import hierarchical_t
from bayescmp.bayesian.hierarchical_posterior import HierarchicalPosterior
from bayescmp.bayesian.prior import HierarchicalPrior
from bayescmp.bayesian.saved import load

__all__ = ["HierarchicalPosterior", "HierarchicalPrior", "hierarchical_t", "load"]
