"""Which pictures a report shows: simplices, or densities without a rope or on one data set."""

from __future__ import annotations

import json
import re
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

import bayescmp as bc
from bayescmp.crosscheck.twins import Twin
from bayescmp.report import figures, opening
from bayescmp.report.content import gather
from bayescmp.report.figures import rank_diagram
from bayescmp.text import probability
from tests.report.test_content import plan_of

QUIET = {"seed": 1, "engine": "quadrature", "progress": False}


def embedded(text):
    match = re.search(r'<script type="application/json" id="bayescmp-data">(.*?)</script>', text)
    return json.loads(match.group(1))


def test_one_data_set_has_densities(plain, tmp_path):
    file = bc.report(
        plain, tmp_path / "one.html", rope=0.02, metric="accuracy", datasets=["iris"], **QUIET
    )
    text = file.read_text(encoding="utf-8")
    assert text.count("Posterior density of the mean difference") == 3
    assert "Simplex: " not in text
    part = embedded(text)["pairs"][0]["parts"][0]
    assert part["test"] == "correlated_t"
    assert "from 10 scores of each (correlation" in text
    assert "times best" not in text  # ranks on one data set tell nothing
    assert "<tfoot>" not in text
    assert "by Holm&#39;s procedure (Tukey&#39;s by its own)" in text


def test_no_rope_has_densities_instead_of_simplices(plain, tmp_path):
    files = [tmp_path / f"none.{kind}" for kind in ("html", "md", "tex")]
    bc.report(plain, files, rope=0, metric="accuracy", **QUIET)
    text, *others = (file.read_text(encoding="utf-8") for file in files)
    assert "Simplex: " not in text
    assert text.count("Posterior density of the mean difference") == 3
    assert "No difference counts as practically equivalent" in text
    assert "without a region of practical equivalence in accuracy" in text
    assert "The band is practical equivalence" not in text
    assert "Verdicts in accuracy ↑, no rope, threshold" in text
    assert "= equivalent" not in text
    for text in others:
        assert "equivalent" not in text[text.index("second better") - 40 :].splitlines()[0]
        assert "o rope" in text


@pytest.fixture
def pictures(monkeypatch):
    """Pictures are recorded in place of being drawn: by name, what they were asked to be."""
    asked = {}

    def record(draw, size, *, name, title, description=""):
        asked[name] = SimpleNamespace(draw=draw, size=size, title=title, description=description)
        return {"svg": name, "caption": ""}

    for module in (figures, opening):
        monkeypatch.setattr(module, "picture", record)
    return asked


def test_each_picture_shows_its_pair(plain, pictures):
    """Of the leading pair the rope curve, too: to three times the wider side, from nothing."""
    ropes = {"accuracy": (-0.02, 0.01), "log_loss": 0}
    plan = plan_of(plain, ["log_loss", "accuracy"], ropes, datasets=["iris", "wine", "digits"],
                   twins=[Twin("hierarchical_t", "wilcoxon", "datasets"),
                          Twin("hierarchical_t", "corrected_t", "dataset")])  # fmt: skip
    whole = gather(plan, title="T", progress=False)
    leading = set(bc.frequentist.average_ranks(plan.scores.means("log_loss"),
                                               lower_is_better=True).frame.index[:2])  # fmt: skip
    for i, pair in enumerate(whole["pairs"], start=1):
        one, two = (part["figures"] for part in pair["parts"])
        curve = {"rope": f"pair-{i}-2-r"} if {pair["first"], pair["second"]} == leading else {}
        names = {"simplex": f"pair-{i}-2-s", "shrinkage": f"pair-{i}-2-h", **curve}
        assert {k: v["svg"] for k, v in one.items()} == {
            "density": f"pair-{i}-1-d", "shrinkage": f"pair-{i}-1-h",
        }  # fmt: skip
        assert {k: v["svg"] for k, v in two.items()} == names
        against = f"{pair['first']} against {pair['second']}"
        density, rows = pictures[f"pair-{i}-1-d"], pictures[f"pair-{i}-1-h"]
        assert density.title == f"Density: {against}, log_loss"
        part = pair["parts"][0]
        shown = (f"{part['labels'][r]} {probability(p)}"
                 for r, p in part["verdict"]["probabilities"].items())  # fmt: skip
        assert density.description == "; ".join(shown)
        assert density.size == (4.2, 2.4)
        assert rows.title == f"On each data set: {against}, log_loss"
        assert rows.size == (4.2, pytest.approx(1.1 + 0.155 * 3))
        if curve:
            drawn = pictures[curve["rope"]]
            assert (drawn.title, drawn.size) == (f"Rope curve: {against}, accuracy", (4.2, 2.6))
            widths = drawn.draw.keywords["widths"]
    of_all = [name for name in pictures if not name.startswith("pair-")]
    assert sorted(of_all) == ["ladder-1", "ladder-2", "ranks-1", "ranks-2"]
    assert (widths[0], widths[-1]) == (0, pytest.approx(0.06))
    assert np.diff(widths) == pytest.approx([widths[1]] * (len(widths) - 1))
    assert np.isclose(widths, 0.02).any()  # the report's own is among them


def test_differences_of_ranks_need_three_algorithms_on_two_data_sets(pictures):
    means = pd.DataFrame(
        {"knn": [0.7, 0.6, 0.8], "gbm": [0.8, 0.9, 0.9], "svm": [0.9, 0.7, 0.85]},
        index=list("pqr"),
    )
    assert rank_diagram(means[["knn", "gbm"]], False, 0.1, "few") == {}
    assert rank_diagram(means[:1], False, 0.1, "few") == {}
    assert rank_diagram(means.where(means > 0.6), False, 0.1, "few") == {}
    assert pictures == {}
    for lower, order in ((False, "gbm, svm, knn"), (True, "knn, svm, gbm")):
        assert rank_diagram(means[:2], lower, 0.1, "ranks") == {"svg": "ranks", "caption": ""}
        assert rank_diagram(means, lower, 0.1, "ranks")["svg"] == "ranks"
        diagram = pictures["ranks"]
        assert diagram.draw.keywords["alpha"] == 0.1
        assert diagram.title == "Critical differences of 3 algorithms"
        assert diagram.description == f"From the best mean rank to the worst: {order}."
    more = rank_diagram(means.assign(ada=0.1), False, 0.1, "more")
    assert more["svg"] == "more"
