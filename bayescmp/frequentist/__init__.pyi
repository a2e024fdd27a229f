from bayescmp.frequentist.aggregates.bootstrap import (
    aggregate_runs,
    performance_profiles,
    probability_of_improvement,
)
from bayescmp.frequentist.aggregates.result import AggregateResult
from bayescmp.frequentist.area_tests import AreaTests, area_tests, area_tests_of_scores
from bayescmp.frequentist.areas import auc_pr_test, auc_test
from bayescmp.frequentist.delong import delong
from bayescmp.frequentist.groups.anova import AnovaTable, anova, partial_eta_squared
from bayescmp.frequentist.groups.dunnett import dunnett
from bayescmp.frequentist.groups.hotelling import pairwise_hotelling
from bayescmp.frequentist.groups.hotelling_result import PairwiseHotelling
from bayescmp.frequentist.groups.manova import learned_measures, manova
from bayescmp.frequentist.groups.manova_result import ManovaResult
from bayescmp.frequentist.groups.measures import LearnedMeasures
from bayescmp.frequentist.groups.pairs import pairwise_t, tukey
from bayescmp.frequentist.groups.sphericity import mauchly
from bayescmp.frequentist.multivariate.hotelling import hotelling_paired, hotelling_two_sample
from bayescmp.frequentist.multivariate.normality import MardiaResult, mardia
from bayescmp.frequentist.multivariate.result import HotellingResult
from bayescmp.frequentist.paired.effects import (
    EffectSize,
    cliffs_delta,
    cohens_d,
    rank_biserial,
)
from bayescmp.frequentist.paired.equivalence import tost_means, tost_paired
from bayescmp.frequentist.paired.items import cochran_q, correct_items, mcnemar
from bayescmp.frequentist.paired.permutation import (
    paired_permutation,
    two_sample_permutation,
)
from bayescmp.frequentist.paired.t import (
    corrected_t,
    cv52_f,
    cv52_t,
    paired_t,
)
from bayescmp.frequentist.pairs.adjust import adjust
from bayescmp.frequentist.pairs.result import PosthocResult
from bayescmp.frequentist.permutation.classifier import permutation_test
from bayescmp.frequentist.permutation.result import PermutationResult
from bayescmp.frequentist.ranks.average import RanksTable, average_ranks
from bayescmp.frequentist.ranks.balanced import durbin, pairwise_durbin
from bayescmp.frequentist.ranks.concordance import kendalls_w
from bayescmp.frequentist.ranks.contrasts import ContrastTable, contrast_estimation
from bayescmp.frequentist.ranks.control import multiple_sign
from bayescmp.frequentist.ranks.incomplete import skillings_mack
from bayescmp.frequentist.ranks.margin import critical_difference
from bayescmp.frequentist.ranks.omnibus import (
    friedman,
    friedman_aligned_ranks,
    iman_davenport,
    quade,
)
from bayescmp.frequentist.ranks.posthoc import nemenyi, posthoc
from bayescmp.frequentist.ranks.trend import page_trend
from bayescmp.frequentist.results import TestResult
from bayescmp.frequentist.signs.sign import sign_test
from bayescmp.frequentist.signs.signed_rank import wilcoxon
from bayescmp.frequentist.unpaired.several import kruskal_wallis
from bayescmp.frequentist.unpaired.two import brunner_munzel, mann_whitney, welch
from bayescmp.frequentist.wins import WinsTable, wins_table

__all__ = [
    "AggregateResult",
    "AnovaTable",
    "AreaTests",
    "ContrastTable",
    "EffectSize",
    "HotellingResult",
    "LearnedMeasures",
    "ManovaResult",
    "MardiaResult",
    "PairwiseHotelling",
    "PermutationResult",
    "PosthocResult",
    "RanksTable",
    "TestResult",
    "WinsTable",
    "adjust",
    "aggregate_runs",
    "anova",
    "area_tests",
    "area_tests_of_scores",
    "auc_pr_test",
    "auc_test",
    "average_ranks",
    "brunner_munzel",
    "cliffs_delta",
    "cochran_q",
    "cohens_d",
    "contrast_estimation",
    "correct_items",
    "corrected_t",
    "critical_difference",
    "cv52_f",
    "cv52_t",
    "delong",
    "dunnett",
    "durbin",
    "friedman",
    "friedman_aligned_ranks",
    "hotelling_paired",
    "hotelling_two_sample",
    "iman_davenport",
    "kendalls_w",
    "kruskal_wallis",
    "learned_measures",
    "mann_whitney",
    "manova",
    "mardia",
    "mauchly",
    "mcnemar",
    "multiple_sign",
    "nemenyi",
    "page_trend",
    "paired_permutation",
    "paired_t",
    "pairwise_durbin",
    "pairwise_hotelling",
    "pairwise_t",
    "partial_eta_squared",
    "performance_profiles",
    "permutation_test",
    "posthoc",
    "probability_of_improvement",
    "quade",
    "rank_biserial",
    "sign_test",
    "skillings_mack",
    "tost_means",
    "tost_paired",
    "tukey",
    "two_sample_permutation",
    "welch",
    "wilcoxon",
    "wins_table",
]
