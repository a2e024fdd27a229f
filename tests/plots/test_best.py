"""P(best) of each algorithm, on both targets."""

from __future__ import annotations

import numpy as np
import pytest

from bayescmp.bayesian import bootstrap
from bayescmp.plots.best import MOST, plot_best

MEANS = [[0.50, 0.51, 0.10], [0.60, 0.61, 0.20], [0.90, 0.40, 0.30]]


def test_dots_are_the_probabilities_and_lines_two_errors():
    posterior = bootstrap(MEANS, rope=0.02, seed=1)
    ax = posterior.plot()
    table = posterior.overview()
    assert [t.get_text() for t in ax.get_yticklabels()] == list(table.index)
    for container, on in zip(ax.containers, ("next", "average"), strict=True):
        line, _, bars = container
        np.testing.assert_allclose(line.get_xdata(), table[f"p_{on}"])
        ends = bars[0].get_segments()[0][:, 0]
        p, error = table[f"p_{on}"].iloc[0], table[f"se_{on}"].iloc[0]
        assert ends[1] - p == pytest.approx(2 * error)
    assert [t.get_text() for t in ax.get_legend().get_texts()] == ["next data set", "on average"]


def test_of_many_algorithms_the_first_are_drawn():
    means = np.random.default_rng(1).random((6, MOST + 5))
    assert len(plot_best(bootstrap(means, rope=0.02, seed=1)).get_yticks()) == MOST
