"""Bayesian comparisons of algorithms."""

from bayescmp.bayesian.hierarchical import hierarchical_t
from bayescmp.bayesian.hierarchical_posterior import HierarchicalPosterior
from bayescmp.bayesian.paired import correlated_t, robust_t
from bayescmp.bayesian.paired_posterior import CorrelatedPosterior
from bayescmp.bayesian.prior import HierarchicalPrior
from bayescmp.bayesian.ranks import sign, signed_rank
from bayescmp.bayesian.ranks_posterior import SignedRankPosterior, SignPosterior
from bayescmp.bayesian.robust_posterior import RobustPosterior
from bayescmp.bayesian.saved import load

__all__ = [
    "CorrelatedPosterior",
    "HierarchicalPosterior",
    "HierarchicalPrior",
    "RobustPosterior",
    "SignPosterior",
    "SignedRankPosterior",
    "correlated_t",
    "hierarchical_t",
    "load",
    "robust_t",
    "sign",
    "signed_rank",
]
