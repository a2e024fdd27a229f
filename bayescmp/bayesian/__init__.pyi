from bayescmp.bayesian.aggregates import (
    aggregate_runs,
    performance_profiles,
    probability_of_improvement,
)
from bayescmp.bayesian.counts import ConfusionPosterior, confusion
from bayescmp.bayesian.groups.fit import groups
from bayescmp.bayesian.groups.own import OwnVariancePosterior
from bayescmp.bayesian.groups.posterior import BlockedPosterior, SampledGroupsPosterior
from bayescmp.bayesian.hierarchical.fit import hierarchical_t
from bayescmp.bayesian.hierarchical.posterior import HierarchicalPosterior
from bayescmp.bayesian.hierarchical.problem import HierarchicalPrior
from bayescmp.bayesian.hierarchical_multivariate.fit import (
    hierarchical_multivariate_t,
    pair_blocks,
)
from bayescmp.bayesian.hierarchical_multivariate.posterior import HierarchicalMultivariatePosterior
from bayescmp.bayesian.hierarchical_multivariate.problem import MultivariatePrior
from bayescmp.bayesian.joint.bootstrap import BootstrapPosterior, bootstrap
from bayescmp.bayesian.joint.fit import JointPosterior, joint_t
from bayescmp.bayesian.joint.problem import JointPrior
from bayescmp.bayesian.joint.questions import QuestionsPosterior, leaderboard, question_bootstrap
from bayescmp.bayesian.multivariate.fit import (
    MultivariatePosterior,
    SampledMultivariatePosterior,
    multivariate_t,
)
from bayescmp.bayesian.paired.clusters import cluster_bootstrap
from bayescmp.bayesian.paired.correlated import (
    CorrelatedPosterior,
    RobustPosterior,
    correlated_t,
    robust_t,
)
from bayescmp.bayesian.paired.items import ItemPosterior, paired_proportions
from bayescmp.bayesian.paired.weights import metric_by_weights
from bayescmp.bayesian.rankings.abilities import AbilityPosterior
from bayescmp.bayesian.rankings.fit import bradley_terry, friedman, plackett_luce
from bayescmp.bayesian.saved import load
from bayescmp.bayesian.signs import MeansPosterior, sign, signed_rank
from bayescmp.bayesian.unpaired import TwoSamplePosterior, two_sample_t

__all__ = [
    "AbilityPosterior",
    "BlockedPosterior",
    "BootstrapPosterior",
    "ConfusionPosterior",
    "CorrelatedPosterior",
    "HierarchicalMultivariatePosterior",
    "HierarchicalPosterior",
    "HierarchicalPrior",
    "ItemPosterior",
    "JointPosterior",
    "JointPrior",
    "MeansPosterior",
    "MultivariatePosterior",
    "MultivariatePrior",
    "OwnVariancePosterior",
    "QuestionsPosterior",
    "RobustPosterior",
    "SampledGroupsPosterior",
    "SampledMultivariatePosterior",
    "TwoSamplePosterior",
    "aggregate_runs",
    "bootstrap",
    "bradley_terry",
    "cluster_bootstrap",
    "confusion",
    "correlated_t",
    "friedman",
    "groups",
    "hierarchical_multivariate_t",
    "hierarchical_t",
    "joint_t",
    "leaderboard",
    "load",
    "metric_by_weights",
    "multivariate_t",
    "pair_blocks",
    "paired_proportions",
    "performance_profiles",
    "plackett_luce",
    "probability_of_improvement",
    "question_bootstrap",
    "robust_t",
    "sign",
    "signed_rank",
    "two_sample_t",
]
