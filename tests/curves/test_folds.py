"""Labels and scores of folds: padded to one array, counted at every threshold."""

from __future__ import annotations

import numpy as np
import pytest

from bayescmp.curves.areas import as_folds, count_cases
from bayescmp.errors import InputError


def test_shorter_folds_are_padded_with_what_no_threshold_reaches():
    folds = as_folds([[0, 1, 1], [1, 0]], [[0.1, 0.9, 0.4], [0.2, 0.7]])
    assert folds.score[1].tolist() == [0.2, 0.7, -np.inf]
    assert folds.real.sum(axis=1).tolist() == folds.size.tolist() == [3, 2]
    assert not folds.positive[1, 2]
    assert not folds.single


def test_one_vector_of_labels_serves_all_folds():
    folds = as_folds([1, 0], [[0.3, 0.1], [0.2, 0.8]])
    assert folds.positive.tolist() == [[True, False], [True, False]]


def test_counts_by_hand():
    """Scores .9 (+), .8 (-), .8 (+), .1 (-): the tie at .8 is one step."""
    result = count_cases(as_folds([1, 0, 1, 0], [0.9, 0.8, 0.8, 0.1]))
    assert result.tp.tolist() == [[0, 1, 2, 2, 2]]
    assert result.fp.tolist() == [[0, 0, 1, 1, 2]]
    assert result.threshold[0, 0] == np.inf
    assert (result.positives[0], result.negatives[0]) == (2, 2)


@pytest.mark.parametrize(
    ("y", "score", "message"),
    [
        ([0, 1, 2], [0.1, 0.2, 0.3], "positive is missing"),
        (["a", "b"], [0.1, 0.2], "which of the labels 'a', 'b' is positive"),
        ([0, 1], [0.1, np.nan], "score is nan in fold 0"),
        ([[0, 1], [0, 1]], [[0.1, 0.2], [0.1]], "fold 1: y has 2 labels and score has 1"),
        ([], [], "empty"),
    ],
)
def test_bad_input(y, score, message):
    with pytest.raises(InputError, match=message):
        as_folds(y, score)
