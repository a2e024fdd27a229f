"""Rows of scores on one data set: whatever does not fit is named."""

from __future__ import annotations

import numpy as np
import pytest

import bayescmp.frequentist as f
from bayescmp.errors import InputError


@pytest.mark.parametrize("test", [f.anova, f.tukey, f.pairwise_t])
@pytest.mark.parametrize(
    ("x", "options", "words"),
    [
        ([[1, 2, 3]], {}, "fewer than 2 rows"),
        (5, {}, "fewer than 2 rows"),
        ([[1], [2]], {}, "at least 2"),
        ([[1, 2], [np.nan, 1]], {}, "'A2'.* is nan"),
        ([[1, 2, 3], [1, 2]], {}, "2 to 3 scores.*block=False"),
        ([[1, 2], [3, 4]], {"names": ["a"]}, "names=\\['a'\\]; accepted: 2 different names"),
        ([[1, 2], [3, 4]], {"names": ["a", "a"]}, "names 'a' twice"),
        ([[1, 2], [3, 4]], {"rho": 1}, "rho=1"),
    ],
)
def test_bad_input(test, x, options, words):
    with pytest.raises(InputError, match=words):
        test(x, **options)


def test_rho_needs_rows_of_one_length():
    with pytest.raises(InputError, match="rows of equal length"):
        f.anova([[1, 2, 3], [1, 2]], block=False, rho=0.1)
