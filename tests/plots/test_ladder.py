"""The picture of the ladder: order, arrows, brackets, and no text outside it."""

from __future__ import annotations

import matplotlib.pyplot as plt
import pytest

from bayescmp.plots import plot_ladder
from bayescmp.plots.ladder import figure_size
from bayescmp.results.ladder import Ladder, Rung

RUNGS = tuple(
    Rung(relation, "a better", 0.9)
    for relation in ("better", "equivalent", "undecided", "worse", "failed")
)
NAMES = ("svm", "knn", "$gbm$", "tree", "RandomForestClassifier(n_estimators=1000, a=1)", "lda")


def ladder(**changes) -> Ladder:
    given = {
        "names": NAMES,
        "rungs": RUNGS,
        "steps": ((0, 1), (1, 3)),
        "single": ((2, 5),),
        "equivalent": ((1, 2), (2, 3, 5)),
        "joint": (0.97, 0.5),
        "pairs": 15,
        "decided": 9,
    }
    return Ladder(**{**given, **changes})


@pytest.mark.parametrize("probabilities", [False, True])
def test_all_text_is_inside_the_figure(probabilities):
    ax = plot_ladder(ladder(), probabilities=probabilities)
    figure = ax.figure
    figure.canvas.draw()
    frame = figure.bbox
    for text in ax.texts:
        if text.get_text():
            box = text.get_window_extent()
            assert box.x0 >= frame.x0 - 1, text.get_text()
            assert box.x1 <= frame.x1 + 1, text.get_text()
            assert box.y0 >= frame.y0 - 1, text.get_text()
            assert box.y1 <= frame.y1 + 1, text.get_text()


def test_arrows_lead_where_the_ladder_says():
    ax = plot_ladder(ladder())
    arrows = sorted((t.xyann[1], t.xy[1]) for t in ax.texts if not t.get_text())
    # on the rail 0 -> 1 and, as the lower one is better, 4 -> 3; then steps and the single pair
    assert arrows == [(0, 1), (0, 1), (1, 3), (2, 5), (4, 3)]


def test_probabilities_on_demand():
    assert [t.get_text() for t in plot_ladder(ladder()).texts].count("0.900") == 0
    texts = [t.get_text() for t in plot_ladder(ladder(), probabilities=True).texts]
    assert texts.count("0.900") == 4
    assert texts.count("failed") == 1


def test_too_many_single_pairs_are_counted():
    single = tuple((i, j) for i in range(6) for j in range(6) if j not in (i, i + 1))
    ax = plot_ladder(ladder(single=single))
    assert ax.texts[-1].get_text() == f"9 of 15 pairs decided, {len(single)} of them not drawn"


def test_the_key_says_that_equivalence_is_of_pairs():
    key = " ".join(t.get_text() for t in plot_ladder(ladder()).texts)
    assert "practically equivalent, pair by pair dashes" in key


def test_the_axes_given_are_used():
    _, ax = plt.subplots(figsize=figure_size(ladder()))
    assert plot_ladder(ladder(), ax=ax) is ax
    assert ax.get_ylim()[0] > ax.get_ylim()[1]
