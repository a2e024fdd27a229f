"""The page: sections, access, numbers as shown."""

from __future__ import annotations

import base64
import hashlib
import html
import json
import re
from html.parser import HTMLParser

import numpy as np
import pandas as pd
import pytest

import bayescmp as bc
from bayescmp.report.render import cut, score

pytestmark = pytest.mark.usefixtures("without_pictures")

QUIET = {"seed": 1, "engine": "quadrature", "progress": False}


SECTIONS = ("brief", "scores", "verdicts", "crosscheck", "pairs", "diagnostics", "methods",
            "versions")  # fmt: skip


def embedded(text):
    match = re.search(r'<script type="application/json" id="bayescmp-data">(.*?)</script>', text)
    return json.loads(match.group(1))


class _Accessible(HTMLParser):
    """Collects what a screen reader relies on."""

    def __init__(self):
        super().__init__()
        self.ids, self.labelled, self.unscoped, self.images = [], [], 0, 0

    def handle_starttag(self, tag, attrs):
        given = dict(attrs)
        self.ids += [given["id"]] if "id" in given else []
        self.labelled += given.get("aria-labelledby", "").split()
        self.unscoped += tag == "th" and "scope" not in given
        if tag == "svg":
            self.images += 1
            assert given["role"] == "img"
            assert given["aria-labelledby"]


def test_all_sections_are_there(text):
    for section in SECTIONS:
        assert f'<section id="{section}"' in text
    assert text.count('<section class="pair"') == 3
    # two of each pair, the ladder, critical differences, and a rope curve of the leading pair
    assert text.count("<svg ") == 9


def test_nothing_is_loaded_from_anywhere(text):
    assert not re.search(r"""(src|href)=["'](?!#)""", text)
    assert "@import" not in text
    assert not re.search(r"url\((?!#)", text)
    assert "http://" not in text.split('<pre id="bibtex">')[0]
    assert "fetch(" not in text


def test_the_policy_allows_the_reports_own_script_alone(text):
    """Nothing is loaded or sent; a script that a name would smuggle in has another hash."""
    policy = html.unescape(re.search(r'Content-Security-Policy" content="([^"]*)"', text)[1])
    rules = dict(rule.strip().split(" ", 1) for rule in policy.split(";"))
    (script,) = re.findall(r"<script>(.*?)</script>", text, re.DOTALL)
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    assert rules["script-src"] == f"'sha256-{digest}'"
    assert rules["default-src"] == rules["base-uri"] == rules["form-action"] == "'none'"
    assert text.index("Content-Security-Policy") < text.index("<style>")


def test_headers_have_scopes_and_pictures_have_texts(text):
    seen = _Accessible()
    seen.feed(text)
    assert seen.unscoped == 0
    assert seen.images == 9
    assert len(set(seen.ids)) == len(seen.ids)
    assert set(seen.labelled) <= set(seen.ids)
    assert '<html lang="en">' in text
    assert text.count("<title id=") == text.count("<desc id=") == 9


def test_shown_numbers_are_the_embedded_ones(text):
    pair = embedded(text)["pairs"][0]
    body = text[text.index('id="pair-1"') : text.index('id="pair-2"')]
    for p in pair["parts"][0]["verdict"]["probabilities"].values():
        shown = "&lt;0.001" if p < 0.001 else "&gt;0.999" if p > 0.999 else f"{p:.3f}"
        assert shown in body


@pytest.mark.parametrize(
    ("value", "shown"),
    [(None, "–"), (0.81234, "0.8123"), (-0.5, "−0.5000"), (9.99994, "9.9999"), (10.0, "10"),
     (-123.456, "−123.5"), (0.0, "0.0000")],
)  # fmt: skip
def test_scores(value, shown):
    assert score(value) == shown


def test_names_are_cut_to_a_length():
    assert cut("knn", 4) == "knn"
    assert cut("forest", 6) == "forest"
    assert cut("forests", 6) == "fores…"
    assert cut("x" * 24) == "x" * 24
    assert cut("x" * 25) == "x" * 23 + "…"


@pytest.mark.parametrize(("gap", "shown"), [(0.01, r"p = 0\.\d+"), (0.1, r"p &lt; 0\.0001")])
def test_the_omnibus_test_is_read_as_a_sentence(tmp_path, gap, shown):
    noise = np.random.default_rng(3).normal(0, 0.02, (20, 3))
    means = pd.DataFrame(0.7 + noise + gap * np.arange(3), columns=["knn", "gbm", "svm"])
    p = bc.frequentist.iman_davenport(means).pvalue
    assert (p < 0.0001) == (gap == 0.1)
    scores = bc.Scores.from_means(means, metric="accuracy")
    file = bc.report(scores, tmp_path / "r.html", rope=0.02, seed=1, progress=False)
    effect = r"Kendall&#39;s W [\d.]+ \([\d.]+ to [\d.]+\)\."
    assert re.search(
        f"of all algorithms: {shown}, {effect}</caption>", file.read_text(encoding="utf-8")
    )
