"""Bayesian comparisons of algorithms."""

from bayescmp.bayesian.confusion import confusion
from bayescmp.bayesian.confusion_posterior import ConfusionPosterior
from bayescmp.bayesian.groups import groups
from bayescmp.bayesian.groups_closed import BlockedPosterior
from bayescmp.bayesian.groups_draws import SampledGroupsPosterior
from bayescmp.bayesian.hierarchical import hierarchical_t
from bayescmp.bayesian.hierarchical_multivariate import hierarchical_multivariate_t
from bayescmp.bayesian.hierarchical_multivariate_posterior import HierarchicalMultivariatePosterior
from bayescmp.bayesian.hierarchical_multivariate_prior import MultivariatePrior
from bayescmp.bayesian.hierarchical_multivariate_rows import pair_blocks
from bayescmp.bayesian.hierarchical_posterior import HierarchicalPosterior
from bayescmp.bayesian.multivariate import multivariate_t
from bayescmp.bayesian.multivariate_draws import SampledMultivariatePosterior
from bayescmp.bayesian.multivariate_posterior import MultivariatePosterior
from bayescmp.bayesian.paired import correlated_t, robust_t
from bayescmp.bayesian.paired_posterior import CorrelatedPosterior
from bayescmp.bayesian.prior import HierarchicalPrior
from bayescmp.bayesian.ranks import sign, signed_rank
from bayescmp.bayesian.ranks_posterior import SignedRankPosterior, SignPosterior
from bayescmp.bayesian.robust_posterior import RobustPosterior
from bayescmp.bayesian.saved import load

__all__ = [
    "BlockedPosterior",
    "ConfusionPosterior",
    "CorrelatedPosterior",
    "HierarchicalMultivariatePosterior",
    "HierarchicalPosterior",
    "HierarchicalPrior",
    "MultivariatePosterior",
    "MultivariatePrior",
    "RobustPosterior",
    "SampledGroupsPosterior",
    "SampledMultivariatePosterior",
    "SignPosterior",
    "SignedRankPosterior",
    "confusion",
    "correlated_t",
    "groups",
    "hierarchical_multivariate_t",
    "hierarchical_t",
    "load",
    "multivariate_t",
    "pair_blocks",
    "robust_t",
    "sign",
    "signed_rank",
]
