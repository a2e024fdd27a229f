"""Tables of scores: what does not fit is named by data set and algorithm."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import bayescmp.frequentist as f
from bayescmp.errors import InputError

TESTS = (f.friedman, f.iman_davenport, f.friedman_aligned_ranks, f.quade)


@pytest.mark.parametrize("test", TESTS)
@pytest.mark.parametrize(
    ("scores", "words"),
    [
        ([[1, 2], [2, 1], [1, 3]], "2 algorithms.*use wilcoxon.*sign_test"),
        ([[1, 2, 3]], "1 data set.*anova"),
        ([[1, 2, 3], [np.nan, 2, 3]], "'A1' on data set '2'.*skillings_mack"),
        ([[1, 2, 3], [np.inf, 2, 3]], "infinite for 'A1' on data set '2'"),
        ([[1, 1, 1], [2, 2, 2]], "same score on every data set"),
        ([1, 2, 3], "shape"),
        ([["a", "b", "c"]] * 2, "not an array of numbers"),
    ],
)
def test_bad_tables(test, scores, words):
    with pytest.raises(InputError, match=words):
        test(scores)


def test_bad_frames_name_their_cells():
    frame = pd.DataFrame(np.eye(3), columns=["svm", "knn", "gbm"], index=["iris", "wine", "zoo"])
    frame.loc["wine", "knn"] = np.nan
    with pytest.raises(InputError, match="'knn' on data set 'wine'"):
        f.friedman(frame)
    with pytest.raises(InputError, match=r"scores names 'a' twice"):
        f.friedman(pd.DataFrame(np.eye(3), columns=["a", "b", "a"]))
