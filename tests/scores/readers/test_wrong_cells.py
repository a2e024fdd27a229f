"""One wrong value anywhere in what a program wrote: read, or refused in one line."""

from itertools import cycle

import numpy as np
import pandas as pd
import pytest

import bayescmp as bc
from tests.scores.readers.layouts import LAYOUTS, long_table
from tests.scores.readers.test_handed_in import _search

TABLE = long_table()
WRONG = {
    "text": "a",
    "no text": "",
    "nothing": None,
    "a list": [1],
    "an object": object(),
    "a date": pd.Timestamp("2020-01-01"),
    "imaginary": 1j,
    "too large": 10**400,
    "half of a character": "\ud800",
}
FAST = ("text", "a list", "too large", "half of a character")
every_wrong_value = pytest.mark.parametrize(
    "value",
    [
        pytest.param(value, id=name, marks=[] if name in FAST else pytest.mark.slow)
        for name, value in WRONG.items()
    ],
)
FRAMES = [name for name, (make, _, _) in LAYOUTS.items() if hasattr(make(TABLE), "columns")]
#: What the fast suite tries: a kind of value for each frame, and what only one program refuses.
CHOSEN = {*zip(FRAMES, cycle(FAST), strict=False), ("mlflow", "too large"), ("wandb", "a list")}


def read_or_refuse(read, *given, **options):
    """Any error but a refusal in one line is ours."""
    message = ""
    try:
        read(*given, **options)
    except bc.InputError as error:
        message = str(error)
    assert "\n" not in message


@pytest.mark.filterwarnings("ignore")  # of what is read, which is not the question here
@pytest.mark.parametrize(
    ("name", "value"),
    [
        pytest.param(name, value, marks=[pytest.mark.slow] * ((name, kind) not in CHOSEN))
        for name in FRAMES
        for kind, value in WRONG.items()
    ],
)
def test_in_any_column(name, value):
    make, options, _ = LAYOUTS[name]
    table = make(TABLE)
    for column in table:
        cells = table[column].tolist()
        cells[3] = value
        other = table.assign(**{column: pd.Series(cells, table.index, dtype=object)})
        read_or_refuse(bc.Scores.read, other, **options)


@every_wrong_value
def test_in_results_of_scikit_learn(value):
    right = {"test_score": [0.5, 0.75, 1.0, 0.5]}
    for changes in (
        {"test_score": [0.5, value, 1.0, 0.5]},
        {"test_score": value},
        {"fit_time": [value] * 4},
        {"indices": value},
        {"indices": {"train": value, "test": value}},
        {"indices": {"train": [value] * 4, "test": [value] * 4}},
        {1: value},
    ):
        results = {"knn": right, "svm": {**right, **changes}}
        read_or_refuse(bc.Scores.from_cv_results, results, folds=4)
    for arrays in ({"svm": [value] * 4}, {"svm": value}):
        given = {"knn": [0.5] * 4, **arrays}
        read_or_refuse(bc.Scores.read, given, "cross_val_score", resampling=4)
    for changes in ({"split1_test_accuracy": [value, 0.5]}, {"params": [value, value]}):
        search = {**_search(TABLE[TABLE["dataset"] == "iris"]), **changes}
        read_or_refuse(bc.Scores.read, search, resampling="2x3-fold")


def test_what_is_no_score_is_named_with_its_place():
    results = {"knn": {"test_auc": [0.5, 0.75]}, "svm": {"test_auc": [0.5, "a"]}}
    with pytest.raises(bc.InputError) as error:
        bc.Scores.from_cv_results(results, folds=2)
    assert str(error.value).endswith(
        "'test_auc' of 'svm' on 'data' must be numbers (got 'a' in place 2). Give NaN where a "
        "score is missing."
    )
    results["svm"]["test_auc"] = [0.5, np.nan]  # as the hint has it
    scores = bc.Scores.from_cv_results(results, folds=2, missing="common")
    assert scores.missing["fold"].tolist() == [2]


def test_arrays_of_one_result_have_one_length():
    results = {"knn": {"test_auc": [0.5, 0.75]}, "svm": {"test_auc": [0.5, 0.7], "fit_time": [1]}}
    with pytest.raises(bc.InputError, match=r"one number per fold .* \(got 2 in 'auc', 1 in 'fit"):
        bc.Scores.from_cv_results(results, folds=2)


def test_half_of_a_character_is_refused_and_the_hint_mends_it():
    text = "caf\udce9"  # the byte E9 of Latin-1, which os.fsdecode reads so
    names = [text if name == "iris" else name for name in TABLE["dataset"]]
    frame = TABLE.assign(dataset=pd.Series(names, dtype=object))
    with pytest.raises(bc.InputError, match=r"column 'dataset' must hold whole characters \(got"):
        bc.Scores(frame)
    mended = frame["dataset"].map(lambda text: text.encode("utf-8", "replace").decode())
    assert bc.Scores(frame.assign(dataset=mended)).datasets == ("caf?", "wine")
