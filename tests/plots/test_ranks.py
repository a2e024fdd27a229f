"""Several algorithms: their ranks, which is best, and sets of the best."""

from __future__ import annotations

import numpy as np
import pytest

import bayescmp as bc
from bayescmp.bayesian import bootstrap, groups
from bayescmp.plots import plot_rank_probabilities, plot_ranks, plot_top_sets
from bayescmp.plots.ranks import MOST, MOST_SETS, plot_best, ranks_size
from bayescmp.wording.text import probability


@pytest.fixture(scope="module")
def posterior():
    rng = np.random.default_rng(1)
    x = 0.7 + 0.02 * np.array([2, 0, 1])[:, None, None] + rng.normal(size=(3, 20, 2)) * 0.03
    return groups(
        x, rho=0.1, rope=0.01, metrics=("tpr", "tnr"), seed=1, names=("gbm", "knn", "$x_1")
    )


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
    assert ranks_size(more)[1] > ranks_size(posterior)[1]
    assert len(more.plot().get_yticks()) == 12


MEANS = [[0.50, 0.51, 0.10], [0.60, 0.61, 0.20], [0.90, 0.40, 0.30]]


@pytest.mark.parametrize("on", ["next", "average"])
def test_cells_are_the_probabilities_by_expected_rank(on):
    posterior = bc.bayesian.bootstrap(MEANS, rope=0.02, seed=1)
    ax = plot_ranks(posterior, on=on)
    names = [t.get_text() for t in ax.get_yticklabels()]
    np.testing.assert_allclose(ax.images[0].get_array(), posterior.ranks(on).loc[names])
    assert posterior.spoken[on] in ax.get_xlabel()


def test_an_unknown_target_is_named():
    with pytest.raises(bc.InputError, match="unknown on 'all'"):
        plot_ranks(bc.bayesian.bootstrap(MEANS, rope=0.02, seed=1), on="all")


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


def test_of_many_algorithms_the_first_are_drawn_and_it_is_said():
    means = np.random.default_rng(1).random((6, MOST + 5))
    posterior = bootstrap(means, rope=0.02, seed=1)
    for plot, most, one in ((plot_best, MOST, "algorithms"), (plot_top_sets, MOST_SETS, "sets")):
        ax = plot(posterior)
        assert len(ax.get_yticks()) == most
        part = f"the first {most} of {MOST + 5} {one}"
        assert part in ax.get_xlabel()
        assert part in bc.plots.caption(ax)


def test_bars_are_the_joint_probabilities_filled_above_the_threshold():
    posterior = bootstrap(MEANS, rope=0.02, seed=1)
    ax = plot_top_sets(posterior, threshold=0.6)
    sets = posterior.top_sets()
    np.testing.assert_allclose([bar.get_width() for bar in ax.patches], sets["p_joint"])
    assert [t.get_text() for t in ax.get_yticklabels()] == ["A1", "+ A2", "+ A3"]
    white = [bar.get_facecolor()[:3] == (1, 1, 1) for bar in ax.patches]
    assert white == [False, False, True]
    assert ax.lines[0].get_xdata()[0] == 0.6


def test_another_rope_and_target():
    posterior = bootstrap(MEANS, rope=0.02, seed=1)
    ax = plot_top_sets(posterior, on="average", rope=0.5)
    assert ax.patches[1].get_width() > 0.9
    assert "on average" in ax.get_xlabel()
