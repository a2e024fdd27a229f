"""Tables that go wrong in one or two ways: a right answer, or one line of what is wrong."""

from __future__ import annotations

import warnings
from itertools import combinations

import numpy as np
import pandas as pd
import pytest

import bayescmp as bc


def _table():
    rng = np.random.default_rng(7)
    rows = [
        (d, a, f, round(rng.uniform(0.7, 0.9), 3))
        for d in ("iris", "wine")
        for a in ("knn", "svm")
        for f in range(5)
    ]
    return pd.DataFrame(rows, columns=["dataset", "algorithm", "fold", "accuracy"])


def _put(column, value, row=3):
    def change(t):
        t = t.astype({column: object})
        t.iloc[row, t.columns.get_loc(column)] = value
        return t

    return change


ODD = (None, "", " ", "x", "0.5", [1], {}, 1j, np.inf, -np.inf, np.nan, 10**400, True, pd.NaT)
CHANGES = {
    **{
        f"{c}={v!r}"[:40]: _put(c, v)
        for c in ("dataset", "algorithm", "fold", "accuracy")
        for v in ODD
    },
    "shuffled": lambda t: t.sample(frac=1, random_state=1),
    "index": lambda t: t.set_index(list(t.columns[:2])),
    "no algorithm": lambda t: t.iloc[:, [0, 2, 3]],
    "twice": lambda t: pd.concat([t, t]),
    "a row less": lambda t: t.iloc[1:],
    "no rows": lambda t: t.iloc[:0],
    "text": lambda t: t.astype(str),
    "category": lambda t: t.astype({t.columns[0]: "category"}),
    "numbers for names": lambda t: t.set_axis(range(t.shape[1]), axis=1),
    "one name twice": lambda t: pd.concat([t, t.iloc[:, -1:]], axis=1),
    "a blank in a name": lambda t: t.rename(columns=lambda c: f" {c} "),
    "upper case": lambda t: t.rename(columns=lambda c: str(c).upper()),
    "a note": lambda t: t.assign(note="x"),
    "row numbers": lambda t: t.reset_index(),
    "levels": lambda t: pd.concat({"a": t}, axis=1),
}
CASES = [*combinations(CHANGES, 1), *combinations(CHANGES, 2)][::8]


def test_there_are_three_hundred():
    assert len(CASES) >= 300


@pytest.mark.parametrize("names", CASES, ids=" + ".join)
def test_a_right_answer_or_one_line(names):
    table = _table()
    expected = bc.Scores(table).differences("knn", "svm")
    try:
        for name in names:
            table = CHANGES[name](table)
    except (KeyError, ValueError, TypeError, IndexError, OverflowError):
        return  # the two changes don't go together: there is no table
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", bc.DiagnosticWarning)
            scores = bc.Scores(table)
            differences = scores.differences("knn", "svm", scores.sole_metric)
    except bc.InputError as error:
        message = str(error)
    else:
        message = "one right answer"
        assert all(np.isfinite(row).all() for row in differences.x)
        if not any("=" in name for name in names):
            means = dict(zip(expected.datasets, expected.means, strict=True))
            assert dict(
                zip(differences.datasets, differences.means, strict=True)
            ) == pytest.approx(means)
    assert "\n" not in message
    assert len(message) > 15
