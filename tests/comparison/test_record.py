"""A result with its warnings, and one warning for many pairs."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import bayescmp as bc
from bayescmp import bayesian
from bayescmp.comparison.record import recorded, warn_of_pairs

X = np.array([0.02, 0.04, -0.01, 0.03, 0.05])


def fit():
    return bayesian.correlated_t(X, rho=0.2, rope=0.01, names=("A", "B"))


def doubtful():
    warnings.warn("the chains disagree", bc.DiagnosticWarning, stacklevel=1)
    return fit()


def result_of(function, test="correlated_t"):
    return recorded(function, test=test, threshold=0.9, datasets=1, means=[X.mean()])


def test_what_is_kept():
    result, own = result_of(fit), fit()
    assert result.verdict == own.verdict(threshold=0.9)
    assert result.posterior is not None
    assert result.without_posterior().posterior is None
    assert (result.test, result.engine, result.datasets) == ("correlated_t", own.engine, 1)
    assert result.means == (pytest.approx(X.mean()),)
    assert result.trouble == ()
    assert result.seconds > 0


def test_a_test_that_is_not_named_is_called_as_its_posterior_is():
    assert result_of(fit, test="").test == "correlated_t"


def test_warnings_are_kept_and_do_not_reach_the_user():
    result = result_of(doubtful)
    assert result.trouble == ("the chains disagree",)


def test_errors_are_raised():
    def broken():
        raise bc.InputError("no")

    with pytest.raises(bc.InputError, match="no"):
        result_of(broken)


@pytest.mark.parametrize(
    ("results", "failures", "messages"),
    [
        ([fit], [], []),
        ([doubtful], [], ["1 of 1 pair can't be trusted, e.g. A and B0: the chains "
                          "disagree; see x"]),
        ([fit, doubtful], [ValueError("no folds")],
         ["1 of 3 pairs could not be compared, e.g. A and C0: no folds; see x",
          "1 of 3 pairs can't be trusted, e.g. A and B1: the chains disagree; "
          "see x"]),
    ],
)  # fmt: skip
def test_one_warning_for_all(results, failures, messages):
    kept = [(("A", f"B{i}"), result_of(f)) for i, f in enumerate(results)]
    lost = [(("A", f"C{i}"), error) for i, error in enumerate(failures)]
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        warn_of_pairs(kept, lost, "; see x")
    assert [str(w.message) for w in caught] == messages
    assert {w.filename for w in caught} <= {__file__}
