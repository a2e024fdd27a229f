from .aggregates import (
    aggregate_runs,
    performance_profiles,
    probability_of_improvement,
)
from .counts import ConfusionPosterior, confusion
from .groups.fit import groups
from .groups.own import OwnVariancePosterior
from .groups.posterior import BlockedPosterior, SampledGroupsPosterior
from .hierarchical.fit import hierarchical_t
from .hierarchical.posterior import HierarchicalPosterior
from .hierarchical.problem import HierarchicalPrior
from .hierarchical_multivariate.fit import (
    hierarchical_multivariate_t,
    pair_blocks,
)
from .hierarchical_multivariate.posterior import HierarchicalMultivariatePosterior
from .hierarchical_multivariate.problem import MultivariatePrior
from .joint.bootstrap import BootstrapPosterior, bootstrap
from .joint.fit import JointPosterior, joint_t
from .joint.problem import JointPrior
from .joint.questions import QuestionsPosterior, leaderboard, question_bootstrap
from .means import ErrorsPosterior, HierarchicalErrorsPosterior, means_with_errors
from .multivariate.fit import (
    MultivariatePosterior,
    SampledMultivariatePosterior,
    multivariate_t,
)
from .paired.clusters import cluster_bootstrap
from .paired.correlated import (
    CorrelatedPosterior,
    RobustPosterior,
    correlated_t,
    robust_t,
)
from .paired.items import ItemPosterior, paired_proportions
from .paired.judge import JudgePosterior, judge_corrected
from .paired.weights import metric_by_weights
from .proportions import ProportionsPosterior, proportions
from .rankings.abilities import AbilityPosterior
from .rankings.fit import bradley_terry, friedman, plackett_luce
from .signs import MeansPosterior, sign, signed_rank
from .unpaired import TwoSamplePosterior, two_sample_t

__all__ = [
    "AbilityPosterior",
    "BlockedPosterior",
    "BootstrapPosterior",
    "ConfusionPosterior",
    "CorrelatedPosterior",
    "ErrorsPosterior",
    "HierarchicalErrorsPosterior",
    "HierarchicalMultivariatePosterior",
    "HierarchicalPosterior",
    "HierarchicalPrior",
    "ItemPosterior",
    "JointPosterior",
    "JointPrior",
    "JudgePosterior",
    "MeansPosterior",
    "MultivariatePosterior",
    "MultivariatePrior",
    "OwnVariancePosterior",
    "ProportionsPosterior",
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
    "judge_corrected",
    "leaderboard",
    "means_with_errors",
    "metric_by_weights",
    "multivariate_t",
    "pair_blocks",
    "paired_proportions",
    "performance_profiles",
    "plackett_luce",
    "probability_of_improvement",
    "proportions",
    "question_bootstrap",
    "robust_t",
    "sign",
    "signed_rank",
    "two_sample_t",
]
