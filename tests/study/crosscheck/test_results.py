"""Cross-checks as text, HTML and JSON."""

from __future__ import annotations

import json

import pytest

import bayescmp as bc
from bayescmp.study.crosscheck import TWINS, crosscheck
from bayescmp.study.crosscheck.results import WIDTH, as_text
from bayescmp.wording.text import probability

QUIET = {"seed": 1, "engine": "quadrature", "progress": False}


@pytest.fixture
def check(scores):
    return crosscheck(scores, "accuracy", 0.05, **QUIET)


def test_it_fits_a_hundred_columns(check, together):
    for shown in (check, together):
        assert max(map(len, str(shown).splitlines())) <= WIDTH


def test_every_pair_has_its_probabilities_p_values_and_wins(check):
    verdicts, pvalues = (block.splitlines() for block in as_text(check) if "first second" in block)
    assert len(verdicts) == len(pvalues) == 1 + len(check.pairs)
    for line, pair in zip(verdicts[1:], check.pairs.to_dict(orient="records"), strict=True):
        numbers = [probability(pair[f"p_{r}"]) for r in ("left", "rope", "right")]
        assert line.split()[:5] == [pair["first"], pair["second"], *numbers]
        assert line.endswith(pair["decision"])
    for line, pair in zip(pvalues[1:], check.pairs.to_dict(orient="records"), strict=True):
        assert f"{pair['for_first']} : {pair['for_second']}" in line
        assert line.split()[2] == f"{pair['wilcoxon']:.3g}"


def test_who_is_best_and_the_test_of_all_stand_first(check):
    first, *lines = as_text(check)
    assert first == "which is best (Bayesian bootstrap over data sets):"
    (line,) = (text for text in lines if text.startswith("all algorithms alike"))
    assert line.endswith(f"p = {check.omnibus['accuracy'].pvalue:.2g}")
    best = check.comparisons["accuracy"].best.overview()
    assert f": {best.index[0]} {probability(best['p_next'].iloc[0])}" in lines[0]


def test_where_answers_disagree_it_is_said_in_words(check):
    text = " ".join(str(check).split())
    odd = check.pairs[~check.pairs["agreement"].isin(["agree", "open", "equivalent"])]
    assert ("where Bayesian and frequentist disagree" in text) == bool(len(odd))
    for row in odd.to_dict(orient="records"):
        assert " ".join(f"{row['first']} and {row['second']}: {row['words']}".split()) in text


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
    actual = together.frame.query("scope == 'metrics' and first == 'plain' and second == 'shy'")
    rejected = int(actual["significant"].astype(bool).sum())
    decided = int((~actual["decision"].isin(["undecided", "failed"])).sum())
    line = (
        f"tpr, fpr together, plain and shy: significant on {rejected} of {len(actual)} data "
        f"sets, decided on {decided}"
    )
    assert rejected > 0
    assert line in str(together)
    assert line in together._repr_html_()
