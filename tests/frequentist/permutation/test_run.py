"""Runs: interrupts keep what is done, progress, stopping rules inside a test."""

from __future__ import annotations

import numpy as np
import pytest

from bayescmp.errors import DiagnosticWarning
from bayescmp.frequentist import permutation_test
from tests.frequentist.estimators import Centroid
from tests.frequentist.permutation.test_classifier import two_classes


class Interrupted(Centroid):
    """As if Ctrl-C were pressed during the fit number ``at``."""

    fits = 0
    at = 0

    def fit(self, X, y):
        Interrupted.fits += 1
        if Interrupted.fits == Interrupted.at:
            raise KeyboardInterrupt
        return super().fit(X, y)


@pytest.fixture
def interrupt():
    def at(fit):
        Interrupted.fits, Interrupted.at = 0, fit

    yield at
    Interrupted.fits = Interrupted.at = 0


def test_what_is_done_before_an_interrupt_is_kept(interrupt):
    X, y = two_classes(shift=0.3)
    options = {"n": 20, "cv": 4, "repeats": 1, "seed": 6}
    whole = permutation_test(Centroid(), X, y, **options)
    interrupt(4 + 7 * 4 + 2)  # in the eighth random data set
    with pytest.warns(DiagnosticWarning, match="interrupted after 7 of 20 permutations"):
        result = permutation_test(Interrupted(), X, y, **options)
    assert result.ended == "interrupted"
    np.testing.assert_array_equal(result.null, whole.null[:7])
    assert result.pvalue == (np.sum(result.null <= result.statistic + 1e-12) + 1) / 8
    assert "7 permutations of 20, interrupted" in str(result)


@pytest.mark.parametrize("fit", [2, 6])
def test_an_interrupt_before_anything_is_done_goes_on(interrupt, fit):
    """In the original data, and in the first random data set."""
    interrupt(fit)
    with pytest.raises(KeyboardInterrupt):
        permutation_test(Interrupted(), *two_classes(), n=5, cv=4, repeats=1)


def test_a_rule_keeps_a_beginning_of_the_full_run():
    X, y = two_classes(shift=1.5)
    options = {"n": 400, "cv": 3, "repeats": 3, "seed": 6}
    whole = permutation_test(Centroid(), X, y, **options)
    result = permutation_test(Centroid(), X, y, stop="gandy", **options)
    assert result.ended == "settled"
    assert result.significant
    assert whole.significant
    assert len(result.null) == result.settled.n < 200
    np.testing.assert_array_equal(result.null, whole.null[: len(result.null)])
    assert "settled at a risk of 0.001 (Gandy)" in str(result)


def test_besag_clifford_under_the_null_hypothesis():
    X, y = two_classes(seed=5, shift=0.0)
    options = {"n": 199, "cv": 3, "repeats": 2, "seed": 1}
    whole = permutation_test(Centroid(), X, y, **options)
    result = permutation_test(Centroid(), X, y, stop="besag-clifford", **options)
    assert not whole.significant
    assert not result.significant
    assert len(result.null) < 60
    assert "for certain" in result.notes[0]


def test_progress(capsys):
    permutation_test(Centroid(), *two_classes(), n=4, cv=2, repeats=1, progress=True)
    assert "permuted labels: 100%" in capsys.readouterr().err
    permutation_test(Centroid(), *two_classes(), n=4, cv=2, repeats=1)
    assert capsys.readouterr().err == ""


def test_joblibs_context_is_heeded():
    import joblib

    X, y = two_classes()
    alone = permutation_test(Centroid(), X, y, n=6, cv=2, repeats=1, seed=1)
    with joblib.parallel_config(backend="threading", n_jobs=2):
        result = permutation_test(Centroid(), X, y, n=6, cv=2, repeats=1, seed=1)
    np.testing.assert_array_equal(alone.null, result.null)
