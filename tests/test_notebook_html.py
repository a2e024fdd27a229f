"""What a notebook shows of scores, posteriors and verdicts: escaped, with the numbers."""

from __future__ import annotations

from html.parser import HTMLParser

import numpy as np
import pandas as pd
import pytest

import bayescmp as bc

BAD = "<img src=x onerror=alert(1)> & \"B\" 'b'"
VOID = {"br", "img", "hr"}


class Page(HTMLParser):
    """Reads a page, and fails where a tag is closed that was not opened."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.seen: set[str] = set()
        self.text = ""
        self.feed(html)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag, attrs):
        self.seen.add(tag)
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.text += data + "\n"


@pytest.fixture(scope="module")
def scores() -> bc.Scores:
    rng = np.random.default_rng(3)
    rows = [
        {
            "dataset": d,
            "algorithm": a,
            "repeat": 1,
            "fold": f,
            "accuracy": rng.random(),
            "auc": rng.random(),
        }
        for d in (BAD, "iris", "wine")
        for a in (BAD, "knn", "svm")
        for f in range(1, 11)
    ]
    return bc.Scores(pd.DataFrame(rows))


def posteriors(scores: bc.Scores) -> dict:
    x = scores.differences(BAD, "knn", "accuracy")
    blocks = bc.scores_blocks(scores, metrics=["accuracy", "auc"], dataset="iris")
    return {
        "hierarchical_t": bc.bayesian.hierarchical_t(x, rope=0.01, engine="quadrature"),
        "correlated_t": bc.bayesian.correlated_t(x.row("iris"), rope=0.01),
        "sign": bc.bayesian.sign(x, rope=0.01),
        "signed_rank": bc.bayesian.signed_rank(x, rope=0.01, draws=1000),
        "multivariate_t": bc.bayesian.multivariate_t(
            bc.scores_blocks(
                scores, metrics=["accuracy", "auc"], dataset="iris", algorithms=[BAD, "knn"]
            ),
            rope=0.01,
        ),
        "groups": bc.bayesian.groups(blocks, rope=0.01),
        "confusion": bc.bayesian.confusion(
            (9, 1, 2, 8), (8, 2, 3, 7), metric="accuracy", rope=0.01, names=(BAD, "knn")
        ),
    }


def test_scores(scores):
    page = Page(scores._repr_html_())
    assert BAD in page.text
    assert "3 data sets, 3 algorithms, 90 rows" in page.text
    assert "img" not in page.seen


@pytest.mark.filterwarnings("ignore::bayescmp.DiagnosticWarning")
def test_posteriors_and_verdicts(scores):
    for name, post in posteriors(scores).items():
        page = Page(post._repr_html_())
        assert "img" not in page.seen, name
        assert BAD in page.text, name
        assert post.engine_version in page.text, name
        if name == "groups":
            verdict = post.verdict(BAD, "knn")
            assert f"{post.ranking()['expected_rank'].iloc[0]:.4g}" in page.text
        else:
            verdict = post.verdict()
            assert f"{max(verdict.probabilities.values()):.3f}" in page.text, name
        page = Page(verdict._repr_html_())
        assert "0.01" in page.text, name  # no probability of equivalence without its rope
        assert "img" not in page.seen, name
        assert verdict.decision.split("-")[0] in page.text or "better" in page.text, name
        for p in verdict.probabilities.values():
            assert f"{p:.3f}" in page.text or p < 1e-3 or p > 0.999, name
