"""Splitters of scikit-learn through run_experiment and cross_validate: right, or refused."""

import sqlite3
from contextlib import closing

import numpy as np
import pytest
from sklearn import model_selection as ms
from sklearn.dummy import DummyClassifier

import bayescmp as bc
from tests.rows import each_row

N = 12
X, Y = np.arange(2.0 * N).reshape(N, 2), np.arange(N) % 2
GROUPS = np.arange(N) // 3
MODELS = {"prior": DummyClassifier(), "noise": DummyClassifier(strategy="uniform", random_state=0)}
DRAWN = {"test_size": 0.25, "random_state": 0}


def experiment(cv, data=(X, Y), **options):
    return bc.run_experiment(MODELS, {"d": data}, cv=cv, scoring="accuracy", seed=1, **options)


def cross_validated(cv, groups=None):
    return {
        name: ms.cross_validate(model, X, Y, cv=cv, groups=groups, return_indices=True)
        for name, model in MODELS.items()
    }


def compared(scores):
    return scores.differences("prior", "noise", scores.sole_metric)


def windows(width):
    """Windows of one width that slide by two items."""
    starts = range(0, N - width - 3, 2)
    return [(np.arange(i, i + width), np.arange(i + width, i + width + 4)) for i in starts]


def bootstrap():
    rng = np.random.default_rng(0)
    trains = [rng.integers(0, N, N) for _ in range(5)]
    return [(train, np.setdiff1d(np.arange(N), train)) for train in trains]


#: Splits, and the correlation of their folds: 1/folds, the proportion tested, 0 for items, seeds.
RIGHT = {
    "KFold": (ms.KFold(4), 1 / 4),
    "GroupKFold": (ms.GroupKFold(4), 1 / 4),
    "StratifiedGroupKFold": (ms.StratifiedGroupKFold(4), 1 / 4),
    "RepeatedKFold": (ms.RepeatedKFold(n_splits=4, n_repeats=2, random_state=0), 1 / 4),
    "RepeatedStratifiedKFold": (
        ms.RepeatedStratifiedKFold(n_splits=3, n_repeats=2, random_state=0),
        1 / 3,
    ),
    "ShuffleSplit": (ms.ShuffleSplit(4, **DRAWN), 1 / 4),
    "StratifiedShuffleSplit": (ms.StratifiedShuffleSplit(4, **DRAWN), 1 / 4),
    "GroupShuffleSplit": (ms.GroupShuffleSplit(4, **DRAWN), 1 / 4),
    "PredefinedSplit": (ms.PredefinedSplit(np.arange(N) % 4), 1 / 4),
    "PredefinedSplit of a half": (
        ms.PredefinedSplit(np.where(np.arange(N) < 6, -1, np.arange(N) % 3)),
        2 / N,
    ),
    "LeaveOneOut": (ms.LeaveOneOut(), 0),
    "LeavePOut": (ms.LeavePOut(N - 1), (N - 1) / N),
    "LeaveOneGroupOut": (ms.LeaveOneGroupOut(), 1 / 4),
    "LeavePGroupsOut": (ms.LeavePGroupsOut(2), 2 / 4),
    "a list of splits": (list(ms.KFold(4).split(X)), 1 / 4),
    "one split, several seeds": ([(np.arange(8), np.arange(8, N))] * 4, 0),
}

REFUSED = {
    "TimeSeriesSplit": (ms.TimeSeriesSplit(4), "windows"),
    "TimeSeriesSplit with a gap": (ms.TimeSeriesSplit(3, gap=1), "windows"),
    "TimeSeriesSplit of one width": (ms.TimeSeriesSplit(4, max_train_size=2), "windows"),
    "sliding windows": (windows(4), "windows"),
    "bootstrap samples": (bootstrap(), "bootstrap"),
}


@each_row("name", RIGHT)
def test_right_both_ways(name):
    cv, rho = RIGHT[name]
    groups = GROUPS if "Group" in name else None
    differences = compared(experiment(cv, (X, Y) if groups is None else (X, Y, groups)))
    other = compared(bc.Scores.from_cv_results(cross_validated(cv, groups)))
    assert differences.rho.tolist() == pytest.approx([rho])
    assert other.rho.tolist() == pytest.approx([rho])
    assert differences.n.tolist() == other.n.tolist()


@pytest.mark.parametrize("name", REFUSED)
def test_refused_with_the_ways_out_both_ways(name, tmp_path):
    """The folds are run and kept; a comparison of them asks, also of the file they are kept in."""
    cv, design = REFUSED[name]
    file = tmp_path / "scores.sqlite"
    scores = experiment(cv, checkpoint=file)
    message = rf"'d', .*{design}.* Give it, or resampling='{design} rho"
    for kept in (scores, bc.Scores(scores.frame), bc.Scores.read(file)):
        with pytest.raises(bc.InputError, match=message):
            compared(kept)
    with pytest.raises(bc.InputError, match=rf"{design}.*Give it, or resampling='{design} rho"):
        bc.Scores.from_cv_results(cross_validated(cv))
    given = scores.differences("prior", "noise", "accuracy", rho=0.3)
    assert given.rho.tolist() == [0.3]
    declared = bc.Scores(scores.frame, resampling=f"{design} rho 0.4")
    assert declared.differences("prior", "noise", "accuracy").rho.tolist() == [0.4]


def test_splits_declare_the_design_of_bare_scores():
    cv = list(ms.KFold(4).split(X))
    arrays = {name: ms.cross_val_score(model, X, Y, cv=cv) for name, model in MODELS.items()}
    assert compared(bc.Scores.read(arrays, resampling=cv)).rho.tolist() == [0.25]
    with pytest.raises(bc.InputError, match="windows in time do") as caught:
        bc.Scores.read(arrays, resampling=windows(4))
    assert len(str(caught.value)) < 300


def test_a_checkpoint_of_an_earlier_version_goes_on(tmp_path):
    """Its table has no column for the design."""
    file = tmp_path / "scores.sqlite"
    scores = experiment(4, checkpoint=file)
    with closing(sqlite3.connect(file)) as database, database:
        database.execute("ALTER TABLE scores DROP COLUMN resampling")
        database.execute("DELETE FROM scores WHERE fold > 2")
    again = experiment(4, checkpoint=file)
    assert again.frame["accuracy"].tolist() == scores.frame["accuracy"].tolist()
