"""Frequentist tests, to stand beside the Bayesian answers.

Differences are second minus first and ranks are 1 for the best, so that a positive statistic says
that the second algorithm is better. See `bayescmp.bayesian` for the twins.
"""

from __future__ import annotations

from bayescmp.frequentist.adjust import adjust
from bayescmp.frequentist.groups import anova, pairwise_t, tukey
from bayescmp.frequentist.incomplete import skillings_mack
from bayescmp.frequentist.paired import (
    corrected_t,
    cv52_f,
    cv52_t,
    paired_t,
    sign_test,
    wilcoxon,
)
from bayescmp.frequentist.pairwise import PosthocResult
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
    "PosthocResult",
    "RanksTable",
    "TestResult",
    "WinsTable",
    "adjust",
    "anova",
    "average_ranks",
    "corrected_t",
    "critical_difference",
    "cv52_f",
    "cv52_t",
    "friedman",
    "friedman_aligned_ranks",
    "iman_davenport",
    "nemenyi",
    "paired_t",
    "pairwise_t",
    "posthoc",
    "quade",
    "sign_test",
    "skillings_mack",
    "tukey",
    "wilcoxon",
    "wins_table",
]
