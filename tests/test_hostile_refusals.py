"""Tables that can't be read without a guess: one line of what, where and what is accepted."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn import model_selection as ms

import bayescmp as bc
from tests.hostile import KEYS, emptied, runs, table, wide, without


def _cell(column, value, row=7):
    def change(t):
        t = t.astype({column: object})
        t.iloc[row, t.columns.get_loc(column)] = value
        return t

    return change


def _splits(n, **columns):
    return lambda t: pd.concat([t[t["fold"] == 0].assign(fold=i) for i in range(n)]).assign(
        accuracy=np.linspace(0.5, 0.9, 9 * n), **columns
    )


#: What is handed in, options, and what the message has to name.
REFUSED = {
    "a word": (_cell("accuracy", "n/a"), {}, ["'accuracy'", "text in row 7", "'n/a'", "accepted"]),
    "a decimal comma": (_cell("accuracy", "0,75"), {}, ["'accuracy'", "row 7", "decimal=','"]),
    "a percent sign": (_cell("accuracy", "75 %"), {}, ["'accuracy'", "row 7", "percent"]),
    "a list": (_cell("accuracy", [0.5]), {}, ["'accuracy'", "list in row 7", "accepted"]),
    "a date": (_cell("accuracy", pd.Timestamp("2020")), {}, ["'accuracy'", "row 7", "accepted"]),
    "a complex number": (_cell("accuracy", 1j), {}, ["'accuracy'", "row 7", "accepted"]),
    "a huge number": (_cell("accuracy", 10**400), {}, ["'accuracy'", "too large"]),
    "infinity": (_cell("accuracy", np.inf), {}, ["infinite", "'iris'", "'svm'", "fold 2"]),
    "a gap": (_cell("accuracy", None), {}, ["missing", "'iris'", "'svm'", "missing='common'"]),
    "a text in another metric": (
        lambda t: t.assign(f1=["?", *t["accuracy"][1:]]),
        {},
        ["'f1'", "text in row 0", "accepted"],
    ),
    "no data set": (_cell("dataset", None), {}, ["'dataset' is empty in row 7"]),
    "no algorithm": (_cell("algorithm", np.nan), {}, ["'algorithm' is empty in row 7"]),
    "no fold": (_cell("fold", None), {}, ["'fold' is empty in row 7"]),
    "an empty name": (_cell("algorithm", " "), {}, ["'algorithm' is empty in row 7", "accepted"]),
    "a list for a name": (_cell("dataset", ["iris"]), {}, ["'dataset' holds a list in row 7"]),
    "1 and '1'": (lambda t: t.assign(dataset=[1, "1", 1] * 15), {}, ["'dataset'", "1 and '1'"]),
    "1 and 1.0 in text": (lambda t: t.assign(fold=["1", 1, 2] * 15), {}, ["'fold'", "'1' and 1"]),
    "blanks": (
        _cell("algorithm", "svm "),
        {},
        ["'svm' and 'svm '", "accepted: names that differ"],
    ),
    "two columns of one name": (
        lambda t: pd.concat([t, t["accuracy"]], axis=1),
        {},
        ["two columns named 'accuracy'"],
    ),
    "two columns but for blanks": (
        lambda t: t.assign(**{" accuracy": 1.0}),
        {},
        ["'accuracy' and ' accuracy'", "accepted"],
    ),
    "twice": (
        lambda t: pd.concat([t, t[:1]]),
        {},
        ["1 duplicate row", "'iris'", "'knn'", "fold 0"],
    ),
    "twice, told apart by a column": (
        lambda t: pd.concat([t.assign(C=1), t.assign(C=10)]),
        {},
        ["duplicate", "'C'", "tell them apart"],
    ),
    "train and test as folds": (
        lambda t: t.assign(fold=["train", "test", "val"] * 15),
        {},
        ["'fold'", "'train'", "not folds"],
    ),
    "train beside test": (
        lambda t: pd.concat([t.assign(split="train"), t.assign(split="test")]),
        {},
        ["duplicate", "'split'"],
    ),
    "no algorithms": (
        lambda t: t.drop(columns="algorithm"),
        {},
        ["no column for the algorithm", "columns={'algorithm'"],
    ),
    "no scores": (lambda t: t[KEYS], {}, ["no column of numbers"]),
    "no rows": (lambda t: t[:0], {}, ["no rows"]),
    "no columns": (lambda t: t[[]], {}, ["no columns", "accepted"]),
    "a Series": (lambda t: t["accuracy"], {}, ["Series", "to_frame"]),
    "an array": (lambda t: t.to_numpy(), {}, ["ndarray", "DataFrame"]),
    "sparse": (
        lambda t: t.assign(accuracy=t["accuracy"].astype("Sparse[float]")),
        {},
        ["'accuracy' is sparse", "to_dense"],
    ),
    "complex": (lambda t: t.astype({"accuracy": complex}), {}, ["complex", "accepted: real"]),
    "numbers in text": (lambda t: t.astype({"accuracy": str}), {}, ["'accuracy'", "to_numeric"]),
    "metrics for algorithms": (
        lambda t: (
            t.pivot_table(index="dataset", values=["accuracy"]).assign(f1=1.0).rename_axis(None)
        ),
        {},
        ["'accuracy' is a metric by its name"],
    ),
    "rows without names": (
        lambda t: wide(t).reset_index(drop=True).rename_axis(columns=None),
        {},
        ["neither data sets nor algorithms", "from_means"],
    ),
    "levels without names": (
        lambda t: t.set_index(KEYS).rename_axis([None] * 3),
        {},
        ["3 levels", "rename_axis"],
    ),
    "an index that contradicts": (
        lambda t: t.set_index(t["dataset"].to_numpy()[::-1]).rename_axis("dataset"),
        {},
        ["'dataset' differ", "drop one"],
    ),
    "an unknown part": (
        lambda t: t,
        {"columns": {"folds": "fold"}},
        ["part of a score table", "'fold'"],
    ),
    "an unknown column": (
        lambda t: t,
        {"columns": {"fold": "flod"}},
        ["'flod'", "did you mean 'fold'"],
    ),
    "an unknown metric": (
        lambda t: t,
        {"lower_is_better": ["acuracy"]},
        ["'acuracy'", "'accuracy'"],
    ),
    "both directions": (
        lambda t: t,
        {"lower_is_better": "accuracy", "higher_is_better": "accuracy"},
        ["'accuracy'", "lower-is-better and higher-is-better"],
    ),
    "a negated loss": (
        lambda t: t.assign(rmse=-t["accuracy"])[[*KEYS, "rmse"]],
        {},
        ["'rmse' is never negative", "'neg_rmse'"],
    ),
    "a size in text": (
        lambda t: t.assign(n_test="many"),
        {},
        ["'n_test'", "'many' in row 0", "accepted"],
    ),
    "a negative size": (
        lambda t: t.assign(n_test=-30),
        {},
        ["'n_test'", "-30 in row 0", "accepted"],
    ),
    "no size": (lambda t: t.assign(n_train=0, n_test=3), {}, ["'n_train'", "0 in row 0"]),
    "a correlation in text": (
        lambda t: t.assign(fold_correlation="x"),
        {},
        ["'fold_correlation'", "row 0"],
    ),
    "a correlation of 1": (
        lambda t: t.assign(fold_correlation=1.0),
        {},
        ["fold_correlation", "'iris'", "[0, 1)"],
    ),
    "several correlations": (
        lambda t: t.assign(fold_correlation=t["fold"] / 10),
        {},
        ["fold_correlation", "'iris'", "one number"],
    ),
    "thirty splits": (_splits(30), {}, ["'iris' has 30 folds of one run", "resampling='10-fold'"]),
    "a hundred folds": (_splits(100), {}, ["100 folds", "'10x10-fold'"]),
    "windows": (
        _splits(5, n_train=np.tile(np.repeat(np.arange(20, 120, 20), 9), 1), n_test=20),
        {},
        ["'iris'", "windows in time", "give rho"],
    ),
    "windows of training sets": (
        _splits(5, n_train=np.repeat(np.arange(20, 120, 20), 9)),
        {},
        ["'iris'", "windows in time", "give rho"],
    ),
    "out of bag": (
        _splits(5, n_train=100, n_test=np.repeat([36, 40, 33, 37, 35], 9)),
        {},
        ["'iris'", "bootstrap", "give rho"],
    ),
    "runs": (runs, {}, ["'iris' has a single fold a repeat", "resampling="]),
    "uneven runs": (
        lambda t: pd.concat([t.assign(run=1), t[t["fold"] < 3].assign(run=2)]),
        {},
        ["'iris' has repeats of 3 to 5 folds", "give rho"],
    ),
    "three folds of five": (
        lambda t: t,
        {"resampling": "3-fold"},
        ["'3-fold'", "'iris'", "5 folds"],
    ),
    "folds against sizes": (
        lambda t: t.assign(n_train=100, n_test=50),
        {"resampling": "5-fold"},
        ["'5-fold'", "33.3% are tested"],
    ),
    "items against sizes": (
        lambda t: t.assign(n_train=100, n_test=50),
        {"resampling": "leave-one-out"},
        ["leave-one-out", "n_test is up to 50"],
    ),
    "shares against sizes": (
        lambda t: t.assign(n_train=100, n_test=50),
        {"resampling": "random splits 0.1"},
        ["33.3% are tested"],
    ),
    "bootstrap without rho": (
        lambda t: t,
        {"resampling": "bootstrap"},
        ["'bootstrap'", "has to be given"],
    ),
    "windows without rho": (
        lambda t: t,
        {"resampling": ms.TimeSeriesSplit(5)},
        ["TimeSeriesSplit", "rho"],
    ),
    "sizes in items": (
        lambda t: t,
        {"resampling": ms.ShuffleSplit(5, test_size=30)},
        ["in items"],
    ),
    "a splitter that does not tell": (
        lambda t: t,
        {"resampling": ms.LeaveOneGroupOut()},
        ["LeaveOneGroupOut", "return_indices=True"],
    ),
    "a design of an unknown data set": (
        lambda t: t,
        {"resampling": {"irsi": 5}},
        ["'irsi'", "'iris'"],
    ),
    "a design that is none": (
        lambda t: t,
        {"resampling": "tenfold"},
        ["'tenfold'", "accepted: '10-fold'"],
    ),
    "a share that is none": (lambda t: t, {"resampling": "random splits 33"}, ["33", "(0, 1)"]),
    "two designs": (
        lambda t: t.assign(resampling=["5-fold", "rho 0.1", "5-fold"] * 15),
        {},
        ["'resampling'", "'5-fold' and 'rho 0.1'", "'iris'"],
    ),
    "rows of a wide table": (
        lambda t: wide(t).reset_index("fold", drop=True),
        {"metric": "accuracy"},
        ["'glass' are its 5 folds", "does not say how they were drawn"],
    ),
    "a row that is gone": (
        lambda t: without(t, dataset="wine", algorithm="svm", fold=3),
        {},
        ["don't pair", "'wine'", "'knn'", "fold 3", "'svm'", "missing='common'"],
    ),
    "a data set that is gone": (
        lambda t: without(t, dataset="wine", algorithm="svm"),
        {},
        ["don't pair", "'wine'", "'svm'", "missing='common'"],
    ),
    "other folds": (
        lambda t: t.assign(fold=t["fold"] + 10 * (t["algorithm"] == "svm")),
        {},
        ["don't pair", "'iris'", "fold 0"],
    ),
    "nothing in common": (
        lambda t: emptied(emptied(t, algorithm="svm"), algorithm="x"),
        {"missing": "common"},
        ["'knn' and 'svm' have no fold", "in common"],
    ),
    "a way that is none": (lambda t: t, {"missing": "drop"}, ["missing 'drop'", "'common'"]),
}


def _compared(given, options):
    scores = bc.Scores(given, **options)
    metric = "accuracy" if "accuracy" in scores.metrics else scores.sole_metric
    return scores.differences("knn", "svm", metric)


@pytest.mark.parametrize("name", REFUSED)
@pytest.mark.filterwarnings("ignore::bayescmp.errors.DirectionWarning")
def test_refused_in_one_line_that_names_what_and_where(name):
    make, options, parts = REFUSED[name]
    given = make(table())
    with pytest.raises(bc.InputError) as caught:
        _compared(given, options)
    message = str(caught.value)
    assert "\n" not in message
    assert [part for part in parts if part not in message] == []
