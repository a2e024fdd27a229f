"""A verdict on the screen and in a notebook."""

from __future__ import annotations

import bayescmp as bc
from bayescmp.left_out import LeftOut
from bayescmp.metrics import Direction
from bayescmp.verdict import as_rope
from tests.verdict.made import full, verdict


def test_the_screen_names_each_probability():
    assert str(full(error=0.004)) == (
        "            most probable outcome  predictive  mean\n"
        "knn better  0.100  ± 0.004         0.200       <0.001\n"
        "equivalent  0.200  ± 0.004         0.300       0.100\n"
        "gbm better  0.700  ± 0.004         0.500       0.900\n"
        "  decision  undecided: data sets differ (threshold 0.95, evidence positive)"
    )


def test_the_screen_names_the_only_probability_and_no_error_of_closed_forms():
    assert str(verdict(0.1, 0.0, 0.9, error=1e-15, exact=True)) == (
        "            mean difference\n"
        "knn better  0.100\n"
        "equivalent  <0.001\n"
        "gbm better  0.900\n"
        "  decision  undecided (threshold 0.95, evidence positive)"
    )


def test_a_region_that_is_not_there_is_not_shown():
    v = bc.Verdict({"left": 0.2, "rope": 0.0, "right": 0.8}, {}, ("a", "b"), as_rope(0))
    assert "equivalent" not in str(v)
    assert "equivalent" not in v._repr_html_()


def test_the_notebook_names_each_probability():
    html = full()._repr_html_()
    order = [html.index(f">{t}</") for t in ("most probable outcome", "predictive", "mean")]
    assert order == sorted(order)
    for text in ("0.700", "0.500", "0.900", "&lt;0.001"):
        assert f">{text}</td>" in html


def test_the_notebook_says_where_the_numbers_come_from():
    ways, gone = (Direction("rmse", lower=True),), LeftOut((), {"iris": 3})
    html = full(
        metric="rmse", directions=ways, resampling="rho 0.2: 5 folds", left_out=gone
    )._repr_html_()
    assert "knn and gbm in rmse ↓" in html
    assert ">rho 0.2: 5 folds</td>" in html
    assert ">3 folds</td>" in html
