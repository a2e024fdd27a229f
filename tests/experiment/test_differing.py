"""What differs between two descriptions, in words."""

from __future__ import annotations

from bayescmp.experiment.differing import differing, short


def test_equal_descriptions_do_not_differ():
    assert differing({"seed": 1, "folds": {"d": 3}}, {"seed": 1, "folds": {"d": 3}}) == []


def test_each_kind_of_difference_is_told():
    there = {"seed": 1, "estimators": {"svm": {"C": 1.0}, "nb": {}}, "scoring": {"a": "auc"}}
    here = {"seed": 2, "estimators": {"svm": {"C": 3.0}}, "scoring": {"a": "f1", "b": "tpr"}}
    assert differing(there, here) == [
        "seed is 1 there, 2 here",
        "estimators: 'nb' there only",
        "estimators: 'svm' has C 1.0 there, 3.0 here",
        "scoring: 'b' here only",
        "scoring: 'a' is auc there, f1 here",
    ]


def test_folds_follow_from_the_rest():
    there, here = {"seed": 1, "folds": {"d": 3}}, {"seed": 2, "folds": {"d": 4}}
    assert differing(there, here) == ["seed is 1 there, 2 here"]
    assert differing(there | {"seed": 2}, here) == ["folds: 'd' is 3 there, 4 here"]


def test_more_than_six_are_counted():
    there, here = dict.fromkeys("abcdefgh", 0), dict.fromkeys("abcdefgh", 1)
    assert differing(there, here)[5:] == ["f is 0 there, 1 here", "and 2 more"]


def test_long_values_are_cut():
    assert short(None) == "none"
    assert short("x" * 60) == "x" * 60
    assert short("x" * 61) == "x" * 57 + "..."
