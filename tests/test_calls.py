"""Calls as baycomp has them get the call to write."""

from __future__ import annotations

import inspect

import numpy as np
import pytest

import bayescmp as bc

A = np.array([0.80, 0.82, 0.81, 0.79, 0.83, 0.80])
B = A + np.array([0.02, 0.01, 0.03, 0.01, 0.02, 0.00])
TESTS = ("correlated_t", "robust_t", "hierarchical_t", "sign", "signed_rank")


@pytest.mark.parametrize("name", TESTS)
def test_two_arrays_or_runs(name):
    test = getattr(bc.bayesian, name)
    for args, options in (((A, B), {"rope": 0.01}), ((B - A,), {"rope": 0.01, "runs": 2})):
        with pytest.raises(bc.InputError) as caught:
            test(*args, **options)
        call = f"{name}(bc.Differences.from_arrays(a, b, runs=10), rope=0.01)"
        assert call in str(caught.value)
    assert next(iter(inspect.signature(test).parameters)) == "x"


def test_from_arrays_with_runs():
    d = bc.Differences.from_arrays(A, B, runs=2)
    assert d.rho.tolist() == [1 / 3]
    assert d.x[0] == pytest.approx(B - A)
    same = bc.bayesian.correlated_t(B - A, rho=1 / 3, rope=0.01).verdict()
    result = bc.bayesian.correlated_t(d, rope=0.01).verdict()
    assert result.p_right == pytest.approx(same.p_right, abs=1e-12)
    several = bc.Differences.from_arrays([A, A[:4]], [B, B[:4]], runs=2)
    assert several.rho.tolist() == [1 / 3, 1 / 2]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({}, "Differences.from_arrays(first, second, runs=10)"),
        ({"runs": 4}, "runs=4 does not divide a row of 6 scores"),
        ({"runs": 6}, "runs of at least two folds"),
        ({"runs": 0}, "runs=0; accepted: a whole number"),
        ({"runs": 2, "rho": 0.1}, "both given"),
    ],
)
def test_bad_runs(options, message):
    with pytest.raises(bc.InputError) as caught:
        bc.Differences.from_arrays(A, B, **options)
    assert message in str(caught.value)
