"""Counts as people have them: by name, in rows, of repeated cross-validation."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import bayescmp as bc
from bayescmp.bayesian import confusion
from bayescmp.bayesian.confusion.counts import read_counts

FIRST, SECOND = (40, 10, 5, 45), (45, 5, 6, 44)


def counts_of(first, second=None, repeats=None):
    actual, notes = read_counts(first, first if second is None else second, None, None, repeats)
    return actual, notes


def test_rows_of_test_sets_without_common_items_are_added_up():
    rows = [[20, 5, 2, 23], [20, 5, 3, 12]]  # 25 and 15 negatives: they can't be repeats
    actual, notes = counts_of(rows)
    np.testing.assert_array_equal(actual[0], (40, 10, 5, 35))
    assert len(notes) == 1
    mapping = dict(zip(("tp", "fn", "fp", "tn"), SECOND, strict=True))
    np.testing.assert_array_equal(counts_of(FIRST, mapping)[0], [FIRST, SECOND])


def test_repeats_of_the_same_items_are_divided_not_added():
    """At 24bf92b ten repeats made ten times as many items: sd .0157 where one has .0509."""
    rows = np.tile(FIRST, (10, 1)) + np.array([1, -1, 0, 0]) * (np.arange(10) % 2)[:, None]
    with pytest.raises(bc.InputError, match=r"10 rows that may be 2 or 5 or 10 repeats.*repeats="):
        confusion(rows, rows, rope=0.01)
    actual, notes = counts_of(rows, repeats=10)
    np.testing.assert_allclose(actual[0], rows.mean(axis=0))
    assert "divided by 10 repeats of the same items" in notes[1]
    once = confusion(FIRST, FIRST, rope=0.01, seed=1).draws["delta"].std()
    many = confusion(rows, rows, rope=0.01, seed=1, repeats=10).draws["delta"].std()
    assert many == pytest.approx(once, rel=0.05)
    np.testing.assert_array_equal(counts_of(rows, repeats=1)[0][0], rows.sum(axis=0))


def test_labels_of_repeats_and_folds_tell():
    folds = pd.DataFrame(
        [{"repeat": r, "fold": f, "tp": 4, "fn": 1, "fp": 1, "tn": 4 + r}
         for r in range(3) for f in range(5)]
    )  # fmt: skip
    assert counts_of(folds)[0][0].tolist() == [20, 5, 5, 25]
    assert counts_of(folds.drop(columns="repeat"))[0][0].tolist() == [20, 5, 5, 25]
    assert counts_of(folds[folds["repeat"] == 0])[0][0].tolist() == [20, 5, 5, 20]
    with pytest.raises(bc.InputError, match="repeats=2, but the labels of counts_first have 3"):
        counts_of(folds, repeats=2)
    with pytest.raises(bc.InputError, match=r"counts_first has 3 repeats.*counts_second 1"):
        counts_of(folds, FIRST)


def test_repeated_items_of_a_joint_table():
    joint = np.arange(8).reshape(2, 2, 2)
    actual, notes = read_counts(None, None, 3 * joint, None, 3)
    np.testing.assert_array_equal(actual, joint)
    assert "3 repeats" in notes[0]
    for bad in (0, 1.5, "two"):
        with pytest.raises(bc.InputError, match="repeats="):
            read_counts(None, None, joint, None, bad)


def test_labelled_counts_are_read_by_name():
    """In any order: scikit-learn's ravel() is tn, fp, fn, tp."""
    import pandas as pd

    tp, fn, fp, tn = FIRST
    labelled = {"tn": tn, "fp": fp, "fn": fn, "tp": tp}
    rows = pd.DataFrame([labelled, labelled])
    for given, times in ((pd.Series(labelled), 1), (labelled, 1), (rows, 2),
                         ({k: [v, v] for k, v in labelled.items()}, 2)):  # fmt: skip
        counts = confusion(given, SECOND, rope=0.01, seed=1, repeats=times).counts * times
        assert counts[0].tolist() == [times * c for c in FIRST]
    assert confusion(pd.Series(FIRST), SECOND, rope=0.01).counts[0].tolist() == list(FIRST)
    with pytest.raises(bc.InputError, match="has no 'tn'"):
        confusion(pd.Series({"tp": 1, "fn": 2, "fp": 3}), SECOND, rope=0.01)
