"""Frequentist tests, to stand beside the Bayesian answers.

Differences are second minus first and ranks are 1 for the best, so that a positive statistic says
that the second algorithm is better. See `bayescmp.bayesian` for the twins.
"""

from __future__ import annotations

from bayescmp.frequentist.adjust import adjust
from bayescmp.frequentist.areas import (
    AreaTests,
    area_tests,
    area_tests_of_scores,
    auc_pr_test,
    auc_test,
)
from bayescmp.frequentist.groups import anova, pairwise_t, tukey
from bayescmp.frequentist.incomplete import skillings_mack
from bayescmp.frequentist.manova import manova
from bayescmp.frequentist.manova_result import ManovaResult
from bayescmp.frequentist.measures import LearnedMeasures, learned_measures
from bayescmp.frequentist.multivariate import hotelling_paired, hotelling_two_sample
from bayescmp.frequentist.multivariate_posthoc import pairwise_hotelling
from bayescmp.frequentist.multivariate_result import HotellingResult
from bayescmp.frequentist.normality import MardiaResult, mardia
from bayescmp.frequentist.paired import (
    corrected_t,
    cv52_f,
    cv52_t,
    paired_t,
    sign_test,
    wilcoxon,
)
from bayescmp.frequentist.pairwise import PosthocResult
from bayescmp.frequentist.pairwise_multivariate import PairwiseHotelling
from bayescmp.frequentist.permutation import permutation_test
from bayescmp.frequentist.permutation_difference import (
    paired_permutation,
    two_sample_permutation,
)
from bayescmp.frequentist.permutation_result import PermutationResult
from bayescmp.frequentist.posthoc import critical_difference, nemenyi, posthoc
from bayescmp.frequentist.ranks import (
    average_ranks,
    friedman,
    friedman_aligned_ranks,
    iman_davenport,
    quade,
)
from bayescmp.frequentist.results import AnovaTable, RanksTable, TestResult
from bayescmp.frequentist.wins import WinsTable, wins_table

__all__ = [
    "AnovaTable",
    "AreaTests",
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
    "anova",
    "area_tests",
    "area_tests_of_scores",
    "auc_pr_test",
    "auc_test",
    "average_ranks",
    "corrected_t",
    "critical_difference",
    "cv52_f",
    "cv52_t",
    "friedman",
    "friedman_aligned_ranks",
    "hotelling_paired",
    "hotelling_two_sample",
    "iman_davenport",
    "learned_measures",
    "manova",
    "mardia",
    "nemenyi",
    "paired_permutation",
    "paired_t",
    "pairwise_hotelling",
    "pairwise_t",
    "permutation_test",
    "posthoc",
    "quade",
    "sign_test",
    "skillings_mack",
    "tukey",
    "two_sample_permutation",
    "wilcoxon",
    "wins_table",
]
