"""Cross-checks as text, HTML and JSON."""

from __future__ import annotations

import json

import pytest

import bayescmp as bc
from bayescmp.crosscheck import TWINS, crosscheck

QUIET = {"seed": 1, "engine": "quadrature", "progress": False}


def test_json_holds_everything(checked):
    back = json.loads(json.dumps(checked.to_dict(), allow_nan=False))
    assert len(back["rows"]) == len(checked.frame)
    assert back["rows"][0]["p_right"] == checked.frame.loc[0, "p_right"]
    assert back["ropes"] == {"accuracy": [-0.05, 0.05]}


def test_text_and_html_escape_names(table):
    bad = "<script>alert(1)</script>"
    frame = table.replace({"algorithm": {"knn": bad}})
    result = crosscheck(bc.Scores(frame), "accuracy", 0.05, **QUIET)
    assert bad in str(result)
    assert "<script" not in result._repr_html_()
    assert "&lt;script&gt;" in result._repr_html_()


@pytest.mark.parametrize("scope", ["dataset", "groups"])
def test_tests_of_each_data_set_alone(scores, scope):
    """No test speaks of the pair as a whole: there is no row a pair, and all rows are shown."""
    twins = [t for t in TWINS if t.scope == scope]
    result = crosscheck(scores, "accuracy", 0.05, twins=twins, **QUIET)
    assert set(result.frame["dataset"]) == {"iris", "wine", "digits"}
    assert result.pairs.empty
    assert "words" in result.pairs
    for shown in (str(result), result._repr_html_()):
        assert all(name in shown for name in ("knn", "svm", "iris", "digits"))


def test_what_is_shown_tells_of_the_metrics_together(together):
    actual = together.frame.query(
        "scope == 'metrics' and first == 'plain' and second == 'shy'"
    )  # fmt: skip
    rejected = int(actual["significant"].astype(bool).sum())
    decided = int((~actual["decision"].isin(["undecided", "failed"])).sum())
    line = (f"tpr, fpr together, plain and shy: significant on {rejected} of {len(actual)} data "
            f"sets, decided on {decided}")  # fmt: skip
    assert rejected > 0
    assert line in str(together)
    assert line in together._repr_html_()
