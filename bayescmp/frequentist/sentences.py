"""What a test's result says, in sentences for a paper, and what it does not say."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from bayescmp import checks
from bayescmp.text import as_sentence, counted, equals

if TYPE_CHECKING:
    from bayescmp.frequentist.pairs.result import PosthocResult
    from bayescmp.frequentist.results import TestResult

__all__ = ["of_pairs", "of_ranks", "of_test"]

#: Pairs that a sentence lists; the others are counted.
MOST = 12
#: What a p-value is, once in each text.
MEANS = (
    "A p-value is the probability of data at least this far from the null hypothesis if it holds, "
    "not the probability that it holds."
)


def of_test(result: TestResult, alpha: float) -> str:
    """What one test says at a level.

    Parameters
    ----------
    result : TestResult
    alpha : float
    """
    checks.level(alpha)
    rejects = result.pvalue <= alpha
    null = _null(result)
    head = f"{result.method}{_of(result.names)}{result.on_measured}"
    decision = (
        f"At the level of {alpha:g} {null} is rejected"
        if rejects
        else f"At the level of {alpha:g} {null} is not rejected, which does not show that it holds"
    )
    texts = [f"{head}: {result.numbers}, {equals(result.pvalue)}", decision]
    texts += _sizes(result)
    return " ".join([*map(as_sentence, texts), MEANS, *_notes(result.notes, result.remarks)])


def _of(names: Sequence[str]) -> str:
    if len(names) == 2:
        return f" of {names[0]} and {names[1]}"
    return f" of {counted(len(names), 'algorithm')}" if len(names) > 2 else ""


def _null(result: TestResult) -> str:
    """The hypothesis that a test may reject, where the result tells."""
    names, estimate = result.names, result.estimate
    if result.alternative == "equivalence":
        return "the hypothesis that the difference lies outside the rope"
    if result.alternative == "increasing":
        return "the hypothesis of no trend"
    if len(names) == 2 and result.alternative in ("greater", "less"):
        side = "better" if result.alternative == "greater" else "worse"
        return f"the hypothesis that {names[1]} is not {side} than {names[0]}"
    if len(names) == 2:
        return "the hypothesis of no difference"
    if isinstance(estimate, np.ndarray):
        return "the hypothesis that no algorithm differs from another"
    return "the null hypothesis"


def _sizes(result: TestResult) -> list[str]:
    """The estimate and the size of the effect."""
    texts = []
    if isinstance(result.estimate, float):
        side = f", positive where {result.names[1]} is better" if len(result.names) == 2 else ""
        texts.append(f"The estimate is {result.estimate_text}{side}")
    elif result.estimate is not None and len(result.names) == len(result.estimate):
        texts.append(of_ranks(result.names, result.estimate))
    return texts + ([] if result.effect is None else [str(result.effect).splitlines()[0]])


def of_ranks(names: Sequence[str], ranks: np.ndarray) -> str:
    """Mean ranks, the best first: "mean ranks: svm 1.20, knn 1.80".

    Parameters
    ----------
    names : sequence of str
    ranks : ndarray of shape (L,)
    """
    shown = [f"{names[i]} {ranks[i]:.3f}" for i in np.argsort(ranks, kind="stable")]
    return f"mean ranks: {', '.join(shown)}"


def of_pairs(result: PosthocResult, alpha: float) -> str:
    """Which pairs differ at a level, and which are not found to.

    Parameters
    ----------
    result : PosthocResult
    alpha : float
    """
    different = result.different(alpha)
    m = len(different)
    compared = "all pairs" if result.control is None else f"each algorithm and {result.control}"
    best = [result.names[i] for i in result.order]
    texts = [
        f"{result.method}{result.on_measured} of {compared} ({counted(m, 'comparison')} of "
        f"{counted(len(result.names), 'algorithm')}, n = {result.n}), {_level(result, alpha)}, "
        + (f"{different.sum()} differ" if different.any() else "no pair differs"),
        *_listed_pairs(result, different),
    ]
    if not different.all():
        texts.append(
            f"{counted(m - int(different.sum()), 'pair')} can't be told apart, which does not "
            "show that the algorithms are alike"
        )
    texts.append(f"From best to worst by {result.measure}: {', '.join(best)}")
    return " ".join([*map(as_sentence, texts), MEANS, *_notes(result.notes, result.remarks)])


def _level(result: PosthocResult, alpha: float) -> str:
    if result.adjust == "none":
        return f"at the level of {alpha:g} for each pair, not adjusted"
    rate = "false discovery rate" if result.adjust == "benjamini-hochberg" else "family-wise level"
    return f"at the {rate} of {alpha:g}, adjusted by {result.adjust}"


def _listed_pairs(result: PosthocResult, different: np.ndarray) -> list[str]:
    rows = [
        f"{result.names[j if d > 0 else i]} is better than {result.names[i if d > 0 else j]} "
        f"({equals(p)})"
        for (i, j), d, p, yes in zip(
            result.pairs, result.difference, result.adjusted, different, strict=True
        )
        if yes
    ]
    more = [f"{len(rows) - MOST} more"] if len(rows) > MOST else []
    return [f"By adjusted p-value, {'; '.join([*rows[:MOST], *more])}"] if rows else []


def _notes(*groups: Sequence[str]) -> list[str]:
    return [as_sentence(note) for notes in groups for note in notes]
