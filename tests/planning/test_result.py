"""What a plan says and shows."""

from __future__ import annotations

import json

import numpy as np
import pytest

from bayescmp.planning.result import Plan, frame_of, share_error

LIMIT = {"first": 0.0, "equivalent": 0.1, "second": 0.9}


def plan(decided, n=10, **options):
    return Plan(frame_of(decided), LIMIT, ("knn", "gbm"), 0.95, n, 1, **options)


@pytest.fixture
def after():
    decided = {
        (0, 0): ["undecided"] * 10,
        (5, 0): ["second"] * 4 + ["undecided"] * 6,
        (10, 0): ["second"] * 8 + ["equivalent"] + ["undecided"],
    }
    return plan(decided, today="undecided")


def test_shares_and_errors(after):
    row = after.frame.iloc[2]
    assert (row["decided"], row["second"], row["equivalent"]) == pytest.approx((0.9, 0.8, 0.1))
    assert row["se_second"] == share_error(0.8, 10)
    assert after.frame["se_decided"].iloc[0] == 0  # today's verdict: nothing is simulated
    assert share_error(0.8, 4000) == pytest.approx(np.sqrt(0.16 / 4000), rel=1e-3)


def test_what_is_needed(after):
    assert after.needed() == 10
    assert after.needed(0.3) == 5
    assert after.needed(0.95) is None


def test_explained(after):
    assert after.explain() == (
        "Today the verdict is undecided. Chances of a decision at 0.95: with 10 more data sets "
        '0.900 ± 0.1 ("equivalent" 0.100 and "gbm better" 0.800), 0.80 is reached with 10 more '
        'data sets. With infinitely many data sets: "equivalent" 0.100 and "gbm better" 0.900.'
    )


def test_explained_before_any_data_and_with_more_folds():
    text = plan({(5, 0): ["undecided"] * 10}).explain()
    assert text.startswith("Chances of a decision at 0.95: with 5 data sets <0.100, none of")
    text = plan({(0, 9): ["first"] * 10}, today="first").explain()
    assert "with 9 more folds on each data set seen >0.900" in text
    assert 'Today the verdict is "knn better".' in text


def test_shares_of_none_and_of_all_are_bounds_and_today_is_none():
    made = {
        (0, 0): ["undecided"] * 20,
        (5, 0): ["second"] * 20,
        (9, 0): ["second"] * 10 + ["first"] * 10,
    }
    shown = plan(made, today="undecided", n=20).shown()
    assert shown.iloc[0].tolist() == [0, "-", "-", "-", "-", "yes"]
    assert shown.iloc[1].tolist() == [5, ">0.950", "<0.050", "<0.050", ">0.950", "<0.050"]
    assert shown.iloc[2].tolist() == [9, ">0.950", "0.500", "<0.050", "0.500", "<0.050"]


def test_shown_as_text_html_and_json(after):
    assert str(after).splitlines()[0].split()[:3] == ["datasets", "decided", "first"]
    assert "0.900 ± 0.1" in str(after)
    assert "<table" in after._repr_html_()
    facts = json.loads(json.dumps(after.to_dict()))
    assert facts["rows"][2]["datasets"] == 10
    assert facts["text"] == after.explain()
    folds = plan({(0, 9): ["first"] * 10}, today="first")
    assert "more_folds" in folds.shown()
