"""Folds: labels from rows, seeds, HoldoutResample, what is refused."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn import model_selection as ms

import bayescmp as bc
from bayescmp.experiment.data import Dataset, Fold, HoldoutResample, labels_of, plan
from bayescmp.experiment.data import digest_plan as digest

N = 24
GROUPS = np.arange(N) // 3
DATA = Dataset(np.zeros((N, 1)), np.arange(N) % 2)


def labels(splitter):
    groups = GROUPS if "Group" in type(splitter).__name__ else None
    return labels_of([test for _, test in splitter.split(DATA.X, DATA.y, groups)], N)


def runs(repeats, folds):
    return [(r + 1, f + 1) for r in range(repeats) for f in range(folds)]


@pytest.mark.parametrize(
    ("splitter", "expected"),
    [
        (ms.KFold(4), runs(1, 4)),
        (ms.RepeatedKFold(n_splits=3, n_repeats=4, random_state=0), runs(4, 3)),
        (ms.RepeatedStratifiedKFold(n_splits=5, n_repeats=2, random_state=0), runs(2, 5)),
        (ms.GroupKFold(4), runs(1, 4)),
        (ms.StratifiedGroupKFold(3), runs(1, 3)),
        (ms.LeaveOneOut(), runs(1, N)),
        (ms.LeaveOneGroupOut(), runs(1, 8)),
        (ms.PredefinedSplit([-1] * 12 + [0, 1, 2] * 4), runs(1, 3)),
        (ms.TimeSeriesSplit(5), runs(1, 5)),  # rows before the first test set are never tested
        (ms.ShuffleSplit(5, test_size=0.4, random_state=0), runs(5, 1)),
        (ms.ShuffleSplit(3, test_size=1, random_state=0), runs(3, 1)),
        (ms.StratifiedShuffleSplit(4, test_size=0.5, random_state=0), runs(4, 1)),
        (ms.GroupShuffleSplit(4, test_size=0.5, random_state=0), runs(4, 1)),
        (ms.ShuffleSplit(1, random_state=0), runs(1, 1)),
        (ms.LeavePOut(2), runs(276, 1)),
    ],
    ids=lambda value: type(value).__name__ if hasattr(value, "split") else "",
)
def test_labels_are_read_from_the_rows(splitter, expected):
    if isinstance(splitter, ms.ShuffleSplit) and splitter.test_size == 1:
        # Three single rows that happen to differ can't be told from three folds of one run.
        expected = runs(1, 3) if len({t for _, (t,) in splitter.split(DATA.X)}) == 3 else expected
    assert labels(splitter) == expected


def test_masks_are_rows():
    tests = [np.arange(N) % 3 == k for k in range(3)]
    assert labels_of(tests, N) == runs(1, 3)


@given(st.integers(2, 6), st.integers(1, 4), st.integers(0, 99))
@settings(max_examples=30)
def test_repeated_k_fold_is_recognised_whatever_its_draw(k, repeats, seed):
    splitter = ms.RepeatedKFold(n_splits=k, n_repeats=repeats, random_state=seed)
    assert labels(splitter) == runs(repeats, k)


def test_seed_and_name_decide_the_splits():
    def tests(seed, name="d"):
        planned = plan(ms.StratifiedKFold(3, shuffle=True), name, DATA, seed, True)
        return [f.test.tolist() for f in planned.folds]

    assert tests(1) == tests(1)
    assert tests(1) != tests(2)
    assert tests(1) != tests(1, "e")
    fixed = ms.StratifiedKFold(3, shuffle=True, random_state=0)
    own = [t.tolist() for _, t in fixed.split(DATA.X, DATA.y)]
    assert [f.test.tolist() for f in plan(fixed, "d", DATA, 5, True).folds] == own


def test_the_splitter_that_was_given_is_not_changed():
    splitter = ms.ShuffleSplit(2)
    plan(splitter, "d", DATA, 1, True)
    assert splitter.random_state is None


def test_seeds_of_folds_are_distinct_and_do_not_depend_on_their_number():
    folds = plan(ms.RepeatedKFold(n_splits=4, n_repeats=5), "d", DATA, 1, True).folds
    assert len({f.seed for f in folds}) == 20
    fewer = plan(ms.RepeatedKFold(n_splits=4, n_repeats=2), "d", DATA, 1, True).folds
    assert [f.seed for f in fewer] == [f.seed for f in folds[:8]]


def test_left_to_us_classes_keep_their_shares():
    planned = plan(None, "d", Dataset(np.zeros((100, 1)), np.arange(100) < 20), 1, True)
    assert [(f.repeat, f.fold) for f in planned.folds] == runs(10, 10)
    assert all((f.test < 20).sum() == 2 for f in planned.folds)
    assert len(plan(None, "d", DATA, 1, False).folds) == 100
    assert len(plan(5, "d", DATA, 1, False).folds) == 5


def test_digest_tells_any_change():
    base = plan(3, "d", DATA, 1, True)
    first = base.folds[0]
    other = type(base)((Fold(1, 1, first.train, first.test, 1), *base.folds[1:]))
    assert len({digest(base), digest(other), digest(plan(3, "d", DATA, 2, True))}) == 3
    assert digest(base) == digest(plan(3, "d", DATA, 1, True))


# -- HoldoutResample ----------------------------------------------------------------------------


@given(st.integers(3, 12), st.integers(0, 99), st.booleans())
@settings(max_examples=30)
def test_holdout_has_one_test_set_and_resamples_the_rest(folds, seed, stratify):
    y = np.arange(90) % 3 == 0
    splitter = HoldoutResample(folds=folds, random_state=seed, stratify=stratify)
    splits = list(splitter.split(np.zeros((90, 1)), y))
    test = splits[0][1]
    assert len(splits) == splitter.get_n_splits() == folds
    assert len(test) == 30
    assert all(np.array_equal(t, test) for _, t in splits)
    rest = np.setdiff1d(np.arange(90), test)
    left_out = [np.setdiff1d(rest, train) for train, _ in splits]
    assert np.array_equal(np.sort(np.concatenate(left_out)), rest)  # each row once
    if stratify:
        assert y[test].sum() == 10
    else:
        assert 0 < y[test].sum() < 30


def test_holdout_as_a_splitter_of_scikit_learn():
    from sklearn.dummy import DummyClassifier

    y = np.arange(120) % 2
    actual = ms.cross_val_score(DummyClassifier(), np.zeros((120, 1)), y, cv=HoldoutResample())
    assert len(actual) == 30


def test_holdout_of_numbers_is_not_stratified():
    y = np.linspace(0, 1, 30)
    splits = list(HoldoutResample(folds=3, random_state=0).split(np.zeros((30, 1)), y))
    assert [len(train) for train, _ in splits] == [13, 13, 14]


@pytest.mark.parametrize(("k", "rho"), [(3, 0.5), (10, 8 / 9), (30, 28 / 29)])
def test_holdout_correlation_is_the_shared_part_of_training(k, rho):
    """Two training sets of k - 1 parts each share k - 2."""
    rows = np.arange(30 * k)
    splits = list(HoldoutResample(folds=k, random_state=0).split(rows[:, None], rows % 2))
    a, b = (train for train, _ in splits[:2])
    assert len(np.intersect1d(a, b)) / len(a) == pytest.approx(rho, abs=1e-3)
    assert HoldoutResample(folds=k).fold_correlation == pytest.approx(rho)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"test_size": 0}, "test_size=0; accepted"),
        ({"test_size": 30}, "test_size=30; accepted"),
        ({"folds": 2}, "folds=2; accepted: a whole number from 3"),
        ({"folds": True}, "folds=True"),
        ({"folds": "x"}, "folds='x'"),
        ({"folds": None}, "folds=None"),
        ({"test_size": "x"}, "test_size='x'"),
        ({"rho": 1.0}, r"rho=1 is outside \[0, 1\)"),
    ],
)
def test_holdout_refuses(options, message):
    with pytest.raises(bc.InputError, match=message):
        HoldoutResample(**options)


def test_holdout_says_that_it_ignores_groups():
    with pytest.warns(bc.DiagnosticWarning, match="ignores groups"):
        plan(HoldoutResample(folds=3), "d", Dataset(DATA.X, DATA.y, GROUPS), 1, True)


@pytest.mark.parametrize(
    ("cv", "message"),
    [
        (1, "cv=1; accepted: a whole number of at least 2"),
        ("10-fold", "cv='10-fold'; accepted: a number of folds"),
        (True, "cv=True; accepted"),
        ([], "cv holds no splits"),
        ([(1, 2, 3)], "cv holds no splits, or something else"),
        ([([0, 1], [1, 2])], "repeat 1, fold 1: the training and the test set share rows"),
        ([([0, 1], [])], "the test set is empty"),
        ([([0, 1], [99])], "the test set has row 99 of 24 rows"),
        ([([0, 1], [-3, 5])], "the test set has row -3 of 24 rows"),
        ([Fold(1, 1, [0], [1]), Fold(1, 1, [1], [2])], "repeat 1, fold 1 comes twice"),
        (ms.StratifiedKFold(20), "cv can't split data set 'd': n_splits=20"),
        (ms.KFold(99), "cv can't split data set 'd'"),
        ({"e": 3}, "unknown data set in cv 'd'"),
    ],
)
def test_refuses(cv, message):
    with pytest.raises(bc.InputError, match=message):
        plan(cv, "d", DATA, 1, True)
