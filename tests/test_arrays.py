"""Arrays of numbers: what is refused, and where it stands."""

from __future__ import annotations

import numpy as np
import pytest

from bayescmp import checks
from bayescmp.errors import InputError


def test_numbers_are_a_copy():
    x = np.arange(3.0)
    copy = checks.numbers(x, "x", "(n,)")
    copy[0] = 9
    assert x[0] == 0
    with pytest.raises(InputError, match=r"x is not an array of numbers, .*; accepted: \(n,\)"):
        checks.numbers([[1], [2, 3]], "x", "(n,)")


def test_finite_names_the_first_place():
    values = np.array([[1.0, np.inf], [np.nan, 2.0]])
    with pytest.raises(InputError, match="x is infinite for cell 0, 1, and 1 more; give all"):
        checks.finite(values, "x", lambda at: f"cell {at[0]}, {at[1]}", "give all")
    checks.finite(np.ones(3), "x", str)


@pytest.mark.parametrize(
    ("x", "message"),
    [
        ([1.0], "x has 1 value; the test needs at least 2"),
        ([[1.0, 2.0]], r"x has shape \(1, 2\)"),
        ([1.0, np.nan], r"x\[1\] is nan"),
        (["a", "b"], "x is not an array of numbers"),
    ],
)
def test_vector_refuses(x, message):
    with pytest.raises(InputError, match=message):
        checks.vector(x)


def test_vector_is_a_copy():
    x = np.arange(3.0)
    actual = checks.vector(x)
    actual[0] = 9
    assert x.tolist() == [0, 1, 2]


def test_only_real_numbers_are_numbers():
    import scipy.sparse

    from bayescmp.checks import numbers

    cases = {
        "masked": np.ma.array([1.0, 2.0], mask=[True, False]),
        "complex": np.array([1j, 2]),
        "dates": np.array(["2020-01-01"], dtype="M8[D]"),
        "times": np.array([1, 2], dtype="m8[s]"),
        "text": ["0.1", "0.2"],
        "'0.1'": np.array(["0.1", 0.2], dtype=object),
        "sparse": scipy.sparse.csr_array([[1.0, 0.0]]),
    }
    for word, x in cases.items():
        with pytest.raises(InputError, match=word):
            numbers(x, "x", "numbers")
    assert numbers([True, 2, None], "x", "numbers").tolist()[:2] == [1, 2]
