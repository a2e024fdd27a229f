from .aggregates import (
    AggregateResult,
    aggregate_runs,
    performance_profiles,
    probability_of_improvement,
)
from .areas import (
    AreaTests,
    area_tests,
    area_tests_of_scores,
    auc_pr_test,
    auc_test,
    delong,
)
from .effects import cliffs_delta, cohens_d, rank_biserial
from .forecasts import diebold_mariano
from .groups import WinsTable, dunnett, pairwise_t, tukey, wins_table
from .incomplete import skillings_mack
from .items import cochran_q, correct_items, mcnemar
from .multiplicity import adjust
from .multivariate import (
    HotellingResult,
    PairwiseHotelling,
    hotelling_paired,
    hotelling_two_sample,
    pairwise_hotelling,
)
from .multivariate_groups import (
    LearnedMeasures,
    ManovaResult,
    learned_measures,
    manova,
)
from .multivariate_samples import MardiaResult, mardia
from .omnibus import (
    friedman,
    friedman_aligned_ranks,
    iman_davenport,
    kendalls_w,
    page_trend,
    quade,
)
from .paired import (
    corrected_t,
    cv52_f,
    cv52_t,
    paired_t,
    tost_means,
    tost_paired,
)
from .permutation import PermutationResult, permutation_test
from .proportions import barnard, boschloo, fisher, newcombe
from .rank_pairs import critical_difference, multiple_sign, nemenyi, posthoc
from .ranks import (
    ContrastTable,
    RanksTable,
    average_ranks,
    contrast_estimation,
)
from .results import EffectSize, PosthocResult, TestResult
from .sequences import ConfidenceSequence, confidence_sequence
from .signs import paired_permutation, sign_test, wilcoxon
from .unpaired import (
    brunner_munzel,
    kruskal_wallis,
    mann_whitney,
    two_sample_permutation,
    welch,
)
from .variance import AnovaTable, anova, mauchly, partial_eta_squared

__all__ = [
    "AggregateResult",
    "AnovaTable",
    "AreaTests",
    "ConfidenceSequence",
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
    "barnard",
    "boschloo",
    "brunner_munzel",
    "cliffs_delta",
    "cochran_q",
    "cohens_d",
    "confidence_sequence",
    "contrast_estimation",
    "correct_items",
    "corrected_t",
    "critical_difference",
    "cv52_f",
    "cv52_t",
    "delong",
    "diebold_mariano",
    "dunnett",
    "fisher",
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
    "newcombe",
    "page_trend",
    "paired_permutation",
    "paired_t",
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
