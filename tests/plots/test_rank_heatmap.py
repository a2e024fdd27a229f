"""Heat map of rank probabilities."""

from __future__ import annotations

import matplotlib.pyplot as plt
import numpy as np
import pytest

from bayescmp.bayesian import groups
from bayescmp.plots import plot_rank_probabilities
from bayescmp.plots.rank_heatmap import figure_size
from bayescmp.text import probability


@pytest.fixture(autouse=True)
def _close():
    yield
    plt.close("all")


@pytest.fixture(scope="module")
def posterior():
    rng = np.random.default_rng(1)
    x = 0.7 + 0.02 * np.array([2, 0, 1])[:, None, None] + rng.normal(size=(3, 20, 2)) * 0.03
    return groups(x, rho=0.1, rope=0.01, metrics=("tpr", "tnr"), seed=1,
                  names=("gbm", "knn", "$x_1"))  # fmt: skip


def test_cells_are_the_probabilities_sorted_by_expected_rank(posterior):
    ax = posterior.plot(by="tpr")
    table, ranking = posterior.rank_probabilities("tpr"), posterior.ranking("tpr")
    names = [t.get_text().replace("\\$", "$") for t in ax.get_yticklabels()]
    assert names == list(ranking.index)
    np.testing.assert_allclose(ax.images[0].get_array(), table.loc[names])
    np.testing.assert_allclose(ax.lines[0].get_xdata() + 1, ranking["expected_rank"])
    for t in ax.texts:
        x, y = t.get_position()
        p = table.loc[names[round(y)], round(x) + 1]
        assert t.get_text() == probability(p)


@pytest.mark.parametrize(
    ("by", "message"), [(None, "dominance"), ("tnr", "tnr"), ([1, 1], "a weighted sum of metrics")]
)
def test_says_what_was_ranked_by(posterior, by, message):
    ax = plot_rank_probabilities(posterior, by=by)
    assert ax.get_xlabel().replace("\n", " ") == f"columns: rank by {message}; ▲ expected rank"


def test_grows_with_the_algorithms(posterior):
    more = groups(np.random.default_rng(1).normal(size=(12, 9)), rho=0.1, rope=0.01, seed=1)
    assert figure_size(more)[1] > figure_size(posterior)[1]
    assert len(more.plot().get_yticks()) == 12
