"""Verdicts as bars: lengths are probabilities."""

from __future__ import annotations

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest

import bayescmp as bc
from bayescmp.bayesian import groups
from bayescmp.palette import COLOURS
from bayescmp.plots import plot_verdict_bar
from bayescmp.plots._ink import fill
from bayescmp.verdict import as_rope, as_ropes


@pytest.fixture(autouse=True)
def _close():
    yield
    plt.close("all")


def four(rope=(0.01, 0.02)):
    p = {"equivalent": 0.1, "first": 0.25, "second": 0.6, "trade_off": 0.05}
    if 0 in rope:
        p |= {"equivalent": 0.0, "first": 0.35}
    metrics = ("tpr", "fpr")
    return bc.Verdict(p, dict.fromkeys(p, 0.01), ("knn", "gbm"), as_ropes(rope, metrics),
                      metrics=metrics, floor=1e-4)  # fmt: skip


def lengths(ax, row=0):
    """Region to length of a row's coloured parts."""
    result = {}
    for patch in ax.patches:
        if patch.get_fill() and abs(patch.get_y() + patch.get_height() / 2 - row) < 1e-9:
            region = next(
                r
                for r in COLOURS
                if patch.get_facecolor()[:3] == pytest.approx(fill(r)["facecolor"])
            )
            result[region] = patch.get_width()
    return result


def test_one_verdict():
    ax = plot_verdict_bar(four())
    actual = lengths(ax)
    # colours of the first of equal names: "left" is the first's, "rope" that of equivalence
    assert actual == pytest.approx({"left": 0.25, "rope": 0.1, "trade_off": 0.05, "right": 0.6})
    labels = [t.get_text() for t in ax.get_legend().get_texts()]
    assert "gbm dominates  0.600" in labels
    assert "trade-off  0.050" in labels
    assert len(labels) == 4


def test_a_region_that_can_not_be_is_not_drawn():
    ax = plot_verdict_bar(four(rope=(0, 0.02)))
    assert "rope" not in lengths(ax)
    assert len(ax.get_legend().get_texts()) == 3


def test_one_metric_has_three_regions():
    p = {"left": 0.7, "rope": 0.2, "right": 0.1}
    v = bc.Verdict(p, dict.fromkeys(p, 0.01), ("a", "b"), as_rope(0.01))
    assert lengths(plot_verdict_bar(v)) == pytest.approx(p)


def test_all_pairs_and_bold_where_decided():
    rng = np.random.default_rng(1)
    x = 0.7 + rng.normal(size=(3, 20, 2)) * 0.02
    x[2] += 0.1
    post = groups(x, rho=0.1, rope=0.01, seed=1)
    verdicts = post.verdicts()
    ax = plot_verdict_bar(verdicts)
    labels = ax.get_yticklabels()
    assert [t.get_text() for t in labels] == ["A1 – A2", "A1 – A3", "A2 – A3"]
    for row, (label, v) in enumerate(zip(labels, verdicts.values(), strict=True)):
        assert (label.get_fontweight() == "bold") == (v.decision != "undecided")
        assert lengths(ax, row)["right"] == pytest.approx(v.probabilities["second"])
        assert sum(lengths(ax, row).values()) == pytest.approx(1)


def test_bad_input():
    with pytest.raises(bc.InputError, match="empty"):
        plot_verdict_bar({})
    p = {"left": 0.7, "rope": 0.2, "right": 0.1}
    three = bc.Verdict(p, dict.fromkeys(p, 0.01), ("a", "b"), as_rope(0.01))
    with pytest.raises(bc.InputError, match="different regions"):
        plot_verdict_bar({"a": four(), "b": three})


def test_results_of_comparisons_are_drawn_as_their_verdicts():
    x = np.random.default_rng(1).normal([0.80, 0.81, 0.87], 0.02, (15, 3))
    scores = bc.Scores.from_means(
        pd.DataFrame(x, columns=["knn", "gbm", "svm"]), metric="accuracy"
    )
    comparisons = bc.compare_all(scores, rope=0.01, seed=1)
    ax = plot_verdict_bar(comparisons.results)
    for row, result in enumerate(comparisons.results.values()):
        assert lengths(ax, row)["left"] == pytest.approx(result.verdict.p_left)
