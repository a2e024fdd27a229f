"""The items that several models have in common."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce

import numpy as np

from bayescmp.errors import InputError
from bayescmp.items.answers import Answers
from bayescmp.left_out import LeftOut

__all__ = ["Shared", "in_common"]


@dataclass(frozen=True, eq=False)
class Shared:
    """Scores of L models on the n items that all of them have, sorted by benchmark.

    Attributes
    ----------
    scores : ndarray of shape (L, n)
    benchmark : ndarray of int, shape (n,)
        Places in the table's benchmarks.
    cluster : ndarray of int, shape (n,), or None
    epochs : (int, int)
        Least and most attempts at an item.
    left_out : LeftOut
    """

    scores: np.ndarray
    benchmark: np.ndarray
    cluster: np.ndarray | None
    epochs: tuple[int, int]
    left_out: LeftOut


def in_common(
    answers: Answers, models: Sequence[str], benchmarks: Sequence[str] | None, missing: str
) -> Shared:
    """Pair the models' answers by item.

    Parameters
    ----------
    answers : Answers
    models : sequence of str
    benchmarks : sequence of str, optional
        All if not given.
    missing : {"error", "common"}
        Whether an item that not all of them have is refused or left out.

    Returns
    -------
    Shared

    Raises
    ------
    InputError
        Unknown names, an item that not all of them have, none in common.
    """
    wanted = _wanted(answers, benchmarks)
    parts = [_within(wanted, answers.of(name)) for name in models]
    questions = [part[0] for part in parts]
    common, left_out = questions[0], LeftOut(algorithms=len(models), units=("benchmark", "item"))
    if any(not np.array_equal(common, other) for other in questions[1:]):
        if missing == "error":
            _refuse_alone(answers, models, questions)
        common = reduce(np.intersect1d, questions)
        left_out = _left_out(answers, questions, common)
    if not len(common):
        raise InputError(f"{', '.join(map(repr, models))} have no item in common")
    places = [np.searchsorted(q, common) for q in questions]
    epochs = [part[2][at] for part, at in zip(parts, places, strict=True)]
    return Shared(
        scores=np.array([part[1][at] for part, at in zip(parts, places, strict=True)]),
        benchmark=answers.benchmark[common],
        cluster=None if answers.cluster is None else answers.cluster[common],
        epochs=(int(min(e.min() for e in epochs)), int(max(e.max() for e in epochs))),
        left_out=left_out,
    )


def _wanted(answers: Answers, benchmarks: Sequence[str] | None) -> np.ndarray | None:
    """Which questions are of these benchmarks; None for all."""
    if benchmarks is None:
        return None
    if not benchmarks:
        raise InputError("benchmarks is empty; name at least one, or leave it out for all")
    return np.isin(answers.benchmark, [answers.benchmark_code(b) for b in benchmarks])


def _within(
    wanted: np.ndarray | None, part: tuple[np.ndarray, np.ndarray, np.ndarray]
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    if wanted is None:
        return part
    here = wanted[part[0]]
    return part[0][here], part[1][here], part[2][here]


def _refuse_alone(
    answers: Answers, models: Sequence[str], questions: Sequence[np.ndarray]
) -> None:
    """Name the first item that one model has and another has not."""
    for here, of in zip(models, questions, strict=True):
        for other, theirs in zip(models, questions, strict=True):
            alone = np.setdiff1d(of, theirs, assume_unique=True)
            if len(alone):
                raise InputError(
                    f"items don't pair: {answers.where(int(alone[0]))} has a score of {here!r} "
                    f"and none of {other!r} ({len(alone)} such); complete the run, or compare "
                    "what all of them have: missing='common'"
                )


def _left_out(answers: Answers, questions: Sequence[np.ndarray], common: np.ndarray) -> LeftOut:
    count = len(answers.benchmarks)
    any_of = np.bincount(answers.benchmark[reduce(np.union1d, questions)], minlength=count)
    kept = np.bincount(answers.benchmark[common], minlength=count)
    names = answers.benchmarks
    gone = {names[b]: int(any_of[b] - kept[b]) for b in range(count) if any_of[b] > kept[b] > 0}
    whole = tuple(names[b] for b in range(count) if any_of[b] and not kept[b])
    return LeftOut(whole, gone, len(questions), ("benchmark", "item"))
