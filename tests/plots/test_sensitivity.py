"""The picture of a sensitivity analysis draws its table."""

from __future__ import annotations

import numpy as np
import pytest
from matplotlib.figure import Figure

from bayescmp.bayesian import hierarchical_t
from bayescmp.plots import plot_sensitivity
from bayescmp.plots.sensitivity import MOST, figure_size


@pytest.fixture(scope="module")
def result():
    rng = np.random.default_rng(2)
    x = rng.normal(0.012, 0.01, (11, 1)) + rng.normal(0, 0.01, (11, 5))
    post = hierarchical_t(x, rho=0.2, rope=0.01, engine="quadrature", names=("knn", "gbm"))
    return post.sensitivity()


def test_bars_are_the_tables_rows(result):
    ax = plot_sensitivity(result, ax=Figure(figsize=figure_size(result)).add_subplot())
    left, rope, right = ax.containers
    rows = result.frame
    without = rows[rows["question"] == "without"].sort_values("change", ascending=False)
    shown = [*rows[rows["question"] != "without"]["p_right"], *without["p_right"].head(MOST)]
    assert [bar.get_width() for bar in right] == pytest.approx(shown)
    ends = [bar.get_x() + bar.get_width() for bar in right]
    assert ends == pytest.approx([1.0] * len(shown), abs=1e-6)
    assert [c.get_label() for c in (left, rope, right)] == [
        "knn better",
        "equivalent",
        "gbm better",
    ]
    labels = [t.get_text() for t in ax.get_yticklabels()]
    assert labels[0] == "as fitted"
    assert sum(label.startswith("without") for label in labels) == MOST


def test_dots_and_bold_labels_mark_other_decisions(result):
    ax = plot_sensitivity(result, ax=Figure(figsize=figure_size(result)).add_subplot())
    bold = [t.get_position()[1] for t in ax.get_yticklabels() if t.get_fontweight() == "bold"]
    assert 0 < len(bold) < len(ax.get_yticklabels())
    np.testing.assert_allclose(ax.lines[0].get_ydata(), bold)
