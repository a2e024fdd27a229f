"""The picture of a plan draws its table and its limit."""

from __future__ import annotations

import numpy as np
import pytest
from matplotlib.colors import same_color
from matplotlib.figure import Figure

from bayescmp.palette import COLOURS
from bayescmp.planning.result import Plan, frame_of
from bayescmp.plots import plot_plan

LIMIT = {"first": 0.02, "equivalent": 0.18, "second": 0.8}
DECIDED = {
    (0, 0): ["undecided"] * 10,
    (5, 0): ["second"] * 4 + ["undecided"] * 6,
    (10, 0): ["second"] * 8 + ["equivalent", "undecided"],
    (0, 9): ["second"] * 2 + ["undecided"] * 8,
}


@pytest.fixture
def ax():
    plan = Plan(frame_of(DECIDED), LIMIT, ("knn", "gbm"), 0.95, 10, 1, "undecided")
    return plot_plan(plan, ax=Figure().add_subplot())


def test_curves_are_the_tables_columns(ax):
    lines = {line.get_label(): line for line in ax.lines}
    np.testing.assert_allclose(lines["gbm better"].get_ydata(), [0, 0.4, 0.8])
    np.testing.assert_allclose(lines["equivalent"].get_ydata(), [0, 0, 0.1])
    decided, with_folds = ax.containers
    np.testing.assert_allclose(decided.lines[0].get_ydata().astype(float), [0, 0.4, 0.9])
    np.testing.assert_allclose(with_folds.lines[0].get_ydata().astype(float), [0.2])
    assert with_folds.get_label() == "decided, 9 more folds"
    assert ax.get_xlabel() == "more data sets"


def test_marks_at_the_edge_are_the_limit(ax):
    marks = {line.get_ydata()[0]: line for line in ax.lines if line.get_marker() == "<"}
    assert sorted(marks) == sorted(LIMIT.values())
    assert same_color(marks[0.8].get_color(), COLOURS["right"])
