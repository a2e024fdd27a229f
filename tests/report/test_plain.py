"""Numbers of a report are those of JSON: plain, and None where they are not finite."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest

from bayescmp.report.plain import by_row, named_rows, number

FRAME = pd.DataFrame({"knn": [0.5, np.nan], 3: [1.0, np.inf]}, index=["iris", "wine"])


@pytest.mark.parametrize(
    ("value", "plain"),
    [
        (np.float64(0.25), 0.25),
        (np.float32(0.5), 0.5),
        (np.nan, None),
        (-np.inf, None),
        (np.int64(3), 3),
        (np.bool_(True), True),
        ("svm", "svm"),
        (None, None),
    ],
)
def test_numbers_are_plain(value, plain):
    assert number(value) == plain
    assert type(number(value)) is type(plain)


def test_tables_go_into_json_by_row():
    assert by_row(FRAME) == {"iris": {"knn": 0.5, "3": 1.0}, "wine": {"knn": None, "3": None}}
    assert named_rows(FRAME) == [
        {"name": "iris", "values": [0.5, 1.0]}, {"name": "wine", "values": [None, None]},
    ]  # fmt: skip
    json.dumps([by_row(FRAME), named_rows(FRAME)], allow_nan=False)
