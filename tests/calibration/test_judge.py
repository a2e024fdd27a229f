"""A judge that favours one model: what it covers alone, and corrected by a few human scores.

Model A answers 62% of the questions right and model B 70.4%; the judge also calls wrong answers
right, those of A in 10% of cases and those of B in 45%. The truth is 0.084, and the judge's mean
about 0.175. In clusters of five questions, humans score single questions.
"""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from bayescmp.bayesian import judge_corrected

pytestmark = pytest.mark.calibration

STUDIES, TRUTH = 1000, 0.084
RIGHT = (0.62, 0.62 + TRUTH)
#: How often the judge calls a right and a wrong answer right, by model.
CALLED = ((0.95, 0.10), (0.95, 0.45))


def draw(rng, questions, size):
    """Differences of right answers, and of the judge's, with clusters of this size."""
    shared = rng.normal(size=questions // size).repeat(size)
    right, called = [], []
    for share, (if_right, if_wrong) in zip(RIGHT, CALLED, strict=True):
        skill = 0.7 * shared + 0.51**0.5 * rng.normal(size=questions)
        own = skill < stats.norm.ppf(share)
        right.append(own)
        called.append(rng.random(questions) < np.where(own, if_right, if_wrong))
    return [np.subtract(second, first, dtype=float) for first, second in (right, called)]


def covers(low, high):
    return low <= TRUTH <= high


@pytest.mark.parametrize(
    ("n", "questions", "size"), [(50, 1000, 1), (100, 1000, 1), (200, 2000, 1), (200, 2000, 5)]
)
def test_a_few_human_scores_correct_a_judge(n, questions, size, evidence):
    held, widths = np.zeros((STUDIES, 3), bool), np.zeros((STUDIES, 2))
    biases, excluded = np.zeros(STUDIES), np.zeros(STUDIES, bool)
    for study in range(STUDIES):
        rng = np.random.default_rng([study, n, size])
        y, f = draw(rng, questions, size)
        order = rng.permutation(questions)  # humans score a random sample
        y, f, clusters = y[order], f[order], (np.arange(questions) // size)[order]
        groups = {"clusters": clusters} if size > 1 else {}
        post = judge_corrected(y[:n], f[:n], f[n:], **groups)
        table = post.summary()[["2.5%", "97.5%"]]
        held[study] = [covers(*table.loc[row]) for row in ("delta", "human", "judge")]
        widths[study] = [np.ptp(table.loc[row]) for row in ("delta", "human")]
        biases[study] = post.bias
        excluded[study] = table.loc["bias", "2.5%"] > 0
    corrected, human, judge = held.mean(axis=0)
    evidence(
        "judge_coverage",
        labelled=n,
        questions=questions,
        cluster=size,
        studies=STUDIES,
        corrected=corrected,
        human=human,
        judge=judge,
        width=(widths[:, 0] / widths[:, 1]).mean(),
        bias=biases.mean(),
        bias_found=excluded.mean(),
    )
    print(f"\n{n} of {questions}, clusters of {size}: {corrected} {human} {judge}")
    assert 0.93 <= corrected <= 0.97
    assert judge < 0.01
    assert (widths[:, 0] / widths[:, 1]).mean() < 0.9
