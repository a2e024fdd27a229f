"""Adapters that call tests on scores whose form differs from their own arguments."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from bayescmp import bayesian, frequentist
from bayescmp.base.checks import Seed
from bayescmp.base.magnitudes import ROUNDING, smallest_step
from bayescmp.items.pair import ItemPair
from bayescmp.results.posterior import Posterior
from bayescmp.scores.blocks import Blocks, UnpairedScores
from bayescmp.scores.differences import Differences
from bayescmp.scores.pairing import NOT_PAIRED
from bayescmp.scores.predictions import RankedPair
from bayescmp.scores.rope import RopeLike, RopesLike


def _means(x: Differences) -> np.ndarray:
    """Return mean differences; those that are zero but for rounding are zero."""
    means = x.means
    return np.where(np.abs(means) <= ROUNDING * max(np.abs(means).max(), 1e-300), 0.0, means)


def wilcoxon(x: Differences) -> frequentist.TestResult:
    """Do the Wilcoxon test of the data sets' means."""
    return frequentist.wilcoxon(_means(x))


def sign_test(x: Differences) -> frequentist.TestResult:
    """Do the sign test of the data sets' means."""
    means = _means(x)
    return frequentist.sign_test(
        int((means > 0).sum()), int((means < 0).sum()), int((means == 0).sum())
    )


def tost_means(x: Differences, *, rope: RopeLike) -> frequentist.TestResult:
    """Do two one-sided t tests of the data sets' means."""
    return frequentist.tost_means(_means(x), rope=rope)


def tost_signed_rank(x: Differences, *, rope: RopeLike) -> frequentist.TestResult:
    """Do two one-sided signed-rank tests of the data sets' means."""
    return frequentist.tost_means(_means(x), rope=rope, method="wilcoxon")


def of_runs(test: str) -> Callable[[UnpairedScores], frequentist.TestResult]:
    """Return a test of runs that do not pair."""
    function = getattr(frequentist, test)
    return lambda x: replace(function(x.first, x.second), names=x.names, pairing=NOT_PAIRED)


welch, mann_whitney, brunner_munzel = map(of_runs, ("welch", "mann_whitney", "brunner_munzel"))


def anova(x: Blocks) -> frequentist.TestResult:
    """Compare all algorithms on one data set, folds as blocks."""
    table = frequentist.anova(x)
    kept = ("method", "statistic", "pvalue", "df", "names", "notes", "effect")
    facts = {name: getattr(table, name) for name in kept}
    return frequentist.TestResult(**facts, n=x.n, symbol="F")


def cochran_q(x: Blocks) -> frequentist.TestResult:
    """Compare all algorithms' right and wrong answers, 1 and 0, to the same items."""
    return frequentist.cochran_q(x.x[..., 0].T, names=x.algorithms)


def kruskal_wallis(runs: Mapping[str, np.ndarray]) -> frequentist.TestResult:
    """Compare all algorithms' runs, which do not pair."""
    return frequentist.kruskal_wallis(list(runs.values()), names=runs)


def two_sample_t(
    x: UnpairedScores, *, rope: RopeLike, seed: Seed = None, resolution: float | None = None
) -> Posterior:
    """Do the Bayesian two-sample t test of runs that do not pair."""
    posterior = bayesian.two_sample_t(
        x.first,
        x.second,
        rope=rope,
        names=x.names,
        resolution=resolution,
        metric=x.direction.metric,
        seed=seed,
    )
    return replace(posterior, directions=(x.direction,))


def mcnemar(x: ItemPair) -> frequentist.TestResult:
    """Compare the answers of two models to the same items."""
    return frequentist.mcnemar(x.counts())


def delong(x: RankedPair) -> frequentist.TestResult:
    """Compare the areas by which two algorithms rank the same test items, averaged over folds."""
    return frequentist.delong(x.truth, x.first, x.second, items=x.items, names=x.names)


def hotelling_of_each(x: Blocks) -> frequentist.PairwiseHotelling:
    """Compare each pair with a covariance of its own, as `hotelling_paired` does."""
    return frequentist.pairwise_hotelling(x, adjust="none")


def pairwise_hotelling(x: Blocks) -> frequentist.PairwiseHotelling:
    """Compare all pairs with the covariance of all algorithms pooled, as in `groups`."""
    return frequentist.pairwise_hotelling(x, pooled=True, adjust="none")


def rank_pairs(test: str) -> Callable[..., frequentist.PosthocResult]:
    """Return a test of each pair that ranks all algorithms; adjusted later with the others."""

    def posthoc(means: pd.DataFrame, *, lower_is_better: bool) -> frequentist.PosthocResult:
        return frequentist.posthoc(
            means, test=test, adjust="none", lower_is_better=lower_is_better
        )

    return posthoc


ranked_aligned, ranked_friedman = rank_pairs("aligned"), rank_pairs("friedman")
ranked_quade, ranked_sign, ranked_wilcoxon = map(rank_pairs, ("quade", "sign", "wilcoxon"))


def multivariate_t(
    x: Blocks,
    *,
    rope: RopesLike,
    seed: Seed = None,
    noise: str = "normal",
    engine: str | None = None,
    resolution: ArrayLike | None = None,
    **options: Any,
) -> Posterior:
    """Fit metrics whose differences are all equal with the smallest step seen in the scores."""
    if noise == "normal":  # a closed form: one engine, and no progress to show
        engine = None if engine == "auto" else engine
        options.pop("progress", None)
    steps = _steps(x) if resolution is None else resolution
    options |= {"noise": noise, "engine": engine, "resolution": steps}
    return bayesian.multivariate_t(x, rope=rope, seed=seed, **options)


def robust_multivariate_t(
    x: Blocks, *, rope: RopesLike, seed: Seed = None, **options: Any
) -> Posterior:
    """Fit as `multivariate_t` does, with t-distributed folds."""
    return multivariate_t(x, rope=rope, seed=seed, **{**options, "noise": "t"})


def _steps(blocks: Blocks) -> np.ndarray | None:
    steps = np.array([smallest_step(blocks.x[..., k].ravel()) for k in range(blocks.p)])
    return None if np.all(np.isnan(steps)) else steps
