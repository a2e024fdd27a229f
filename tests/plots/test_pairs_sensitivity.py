"""The picture of many pairs' sensitivities shows decisions, and where they change."""

from __future__ import annotations

import numpy as np
import pytest

from bayescmp.bayesian import bootstrap, groups
from bayescmp.plots import plot_pairs_sensitivity
from bayescmp.plots.pairs_sensitivity import COLUMNS, figure_size

X = np.random.default_rng(1).normal([[0.70], [0.71], [0.75]], 0.02, (3, 10))


@pytest.fixture(scope="module")
def result():
    return groups(X, rho=0.1, rope=0.01, variances="equal", seed=3).sensitivity()


def test_cells_are_decisions_and_dots_are_changes(result):
    ax = plot_pairs_sensitivity(result)
    frame = result.frame
    assert [t.get_text() for t in ax.get_xticklabels()] == ["A1, A2", "A1, A3", "A2, A3"]
    settings = len(frame) // 3
    assert len(ax.get_yticklabels()) == settings
    decided = frame[frame["decision"] != "undecided"]
    assert len(ax.patches) == len(decided)
    place = {pair: k for k, pair in enumerate(result.pairs)}
    changed = frame[frame["changes"]]
    wanted = {(place[r.first, r.second], r.Index % settings) for r in changed.itertuples()}
    x, y = ax.lines[0].get_data()
    assert set(zip(x, y, strict=True)) == wanted


def test_nothing_decided_has_no_legend():
    result = bootstrap([[0.8, 0.9], [0.9, 0.8]], rope=0.01, seed=1, draws=100).sensitivity()
    assert set(result.frame["decision"]) == {"undecided"}
    assert plot_pairs_sensitivity(result).get_legend() is None


def test_of_many_pairs_the_first_are_shown():
    means = np.random.default_rng(1).normal(0.7, 0.1, (3, 10))
    result = bootstrap(means, rope=0.01, seed=1, draws=100).sensitivity(datasets=False)
    assert len(plot_pairs_sensitivity(result).get_xticklabels()) == COLUMNS < len(result.pairs)
    assert figure_size(result)[0] < 12
