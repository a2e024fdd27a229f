"""Which pairs are compared: against itertools, and by name or number."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from bayescmp.errors import InputError
from bayescmp.frequentist.pairs.places import index_of, pairs_of


@pytest.mark.parametrize("size", [2, 3, 7])
def test_all_pairs_in_order(size):
    assert pairs_of(size).tolist() == [list(pair) for pair in combinations(range(size), 2)]


def test_each_with_a_control_which_is_the_first():
    assert pairs_of(4, 2).tolist() == [[2, 0], [2, 1], [2, 3]]


def test_a_control_by_name_and_by_number():
    names = ["knn", "gbm", "svm"]
    assert index_of("gbm", names) == index_of(np.int64(1), names) == 1


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (3, "accepted: 0 to 2"),
        (-1, "accepted: 0 to 2"),
        ("gmb", "did you mean 'gbm'"),
        (True, "unknown algorithm"),
    ],
)
def test_no_such_control(wrong, message):
    with pytest.raises(InputError, match=message):
        index_of(wrong, ["knn", "gbm", "svm"])
