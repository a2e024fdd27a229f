"""Shrinkage: every data set, measured and estimated, in order."""

import matplotlib.pyplot as plt
import numpy as np
import pytest
from matplotlib.collections import LineCollection, PathCollection
from matplotlib.colors import to_hex, to_rgb

import bayescmp as bc
from bayescmp.bayesian import groups
from bayescmp.plots import caption, plot_forest
from bayescmp.plots.intervals import shrinkage_size
from bayescmp.results.regions import THREE
from bayescmp.wording.regions import COLOURS
from tests.plots.measuring import axes


@pytest.fixture(scope="module")
def forest_posterior():
    rng = np.random.default_rng(1)
    x = 0.7 + 0.05 * np.array([2, 0, 1])[:, None, None] + rng.normal(size=(3, 20, 2)) * 0.03
    return groups(
        x, rho=0.1, rope=[0.01, 0], metrics=("tpr", "tnr"), seed=1, names=("gbm", "knn", "svm")
    )


def test_lines_are_the_intervals(forest_posterior):
    ax = plot_forest(forest_posterior)
    table = forest_posterior.intervals(0.95)
    panels = ax.figure.axes
    assert len(panels) == 2
    labels = [t.get_text() for t in ax.get_yticklabels()]
    for panel, metric in zip(panels, ("tpr", "tnr"), strict=True):
        spans = [
            li
            for li in panel.lines
            if len(li.get_xdata()) == 2 and li.get_ydata()[0] == li.get_ydata()[1]
        ]
        assert len(spans) == 3
        for line in spans:
            second, first = labels[round(line.get_ydata()[0])].split(" over ")
            if (first, second) in forest_posterior.pairs:
                ends = table.loc[(first, second, metric), ["low", "high"]].tolist()
            else:  # turned, so that the better one comes first in words
                ends = (-table.loc[(second, first, metric), ["high", "low"]]).tolist()
            np.testing.assert_allclose(line.get_xdata(), ends)
            v = forest_posterior.verdict(second, first)  # the row's first-named is the first
            decided = v.decision != "undecided"
            colour = to_rgb(COLOURS[v.ranked[0]]) if decided else (0.35,) * 3
            assert to_rgb(line.get_color()) == pytest.approx(colour)


def test_intervals_are_the_pairs_own(forest_posterior):
    table = forest_posterior.intervals(0.9)
    pair = forest_posterior.pair("gbm", "svm").marginal("tnr")
    row = table.loc[("gbm", "svm", "tnr")]
    assert tuple(row[["low", "high"]]) == pytest.approx(pair.hdi(0.9))
    assert row["mean"] == pytest.approx(pair.location)
    with pytest.raises(bc.InputError, match="prob"):
        forest_posterior.intervals(1.0)


def test_control_metrics_and_axes(forest_posterior):
    ax = plot_forest(forest_posterior, control="knn", metrics=["tnr"])
    assert len(ax.get_yticks()) == 2
    figure, ax = plt.subplots()
    assert plot_forest(forest_posterior, metrics=["tpr"], ax=ax) is ax
    assert len(ax.get_yticks()) == 3
    for options, message in (
        ({"control": "gbn"}, r"control must be .*\(got 'gbn'\)\. Did you mean 'gbm'"),
        ({"metrics": ["auc"]}, r"metric must be"),
        ({"ax": ax}, r"one axes per metric \(got 1 for 2 metrics\)"),
    ):
        with pytest.raises(bc.InputError, match=message):
            plot_forest(forest_posterior, **options)
    plt.close(figure)


def test_one_metric():
    x = np.random.default_rng(1).normal(size=(4, 15))
    ax = plot_forest(groups(x, rho=0.1, rope=0.5, seed=1))
    assert len(ax.get_yticks()) == 6


def test_legend_says_which_of_a_rows_two_is_better(forest_posterior):
    """Rows are turned so that the better one comes first."""
    ax = plot_forest(forest_posterior)
    labels = {t.get_text() for t in ax.figure.legends[0].get_texts()}
    decided = {v.decision for v in forest_posterior.verdicts().values()}
    assert decided & {"first", "second"}
    assert "first-named dominates" in labels  # turned so that the better one comes first
    assert not {"first dominates", "second dominates", "second-named dominates"} & labels


def test_means_of_the_first_metric_are_all_on_the_right(forest_posterior):
    panel = plot_forest(forest_posterior).figure.axes[0]
    means = [line.get_xdata()[0] for line in panel.lines if len(line.get_xdata()) == 1]
    assert len(means) == 3
    assert all(mean >= 0 for mean in means)


def test_of_many_pairs_those_with_the_best_are_drawn():
    x = np.random.default_rng(1).normal(size=(11, 8)) + np.arange(11)[:, None]
    ax = plot_forest(groups(x, rho=0.1, rope=0.5, seed=1))
    labels = [t.get_text() for t in ax.get_yticklabels()]
    assert sorted(labels) == sorted(f"A11 over A{i}" for i in range(1, 11))
    assert (
        ax.figure.legends[0].get_title().get_text() == "10 of 55 pairs: those with A11, the best"
    )
    assert "10 of 55 pairs: those with A11, the best" in caption(ax)
    ax = plot_forest(groups(x, rho=0.1, rope=0.5, seed=1), control="A2")
    assert "10 of 55 pairs: those with A2." in caption(ax)
    assert ax.figure.get_figheight() < 9


def test_rows_hold_for_metrics_of_either_direction():
    """b has more of both tpr and fpr than a: an improvement, and the reverse of one."""
    rng = np.random.default_rng(0)
    x = 0.4 + 0.2 * np.arange(2)[:, None, None] + rng.normal(size=(2, 20, 2)) * 0.01
    posterior = groups(x, rho=0.1, rope=0.01, metrics=("tpr", "fpr"), seed=1, names=("a", "b"))
    ax = plot_forest(posterior)
    assert [t.get_text() for t in ax.get_yticklabels()] == ["b over a"]
    across = [p.get_xlabel().replace("\n", " ") for p in ax.figure.axes]
    assert across == ["mean improvement in tpr ↑", "mean improvement in fpr ↓"]
    means = [
        line.get_xdata()[0]
        for p in ax.figure.axes
        for line in p.lines
        if line.get_marker() not in ("None", "")
    ]
    assert means == pytest.approx([0.2, -0.2], abs=0.02)


def test_shrinkage_is_sorted_and_holds_every_data_set(posterior):
    ax = bc.plots.plot_shrinkage(posterior, ax=axes())
    table = posterior.by_dataset().sort_values(["mean", "observed"])
    assert [t.get_text() for t in ax.get_yticklabels()] == list(table.index)
    *regions, measured = (c for c in ax.collections if isinstance(c, PathCollection))
    means = np.concatenate([np.asarray(c.get_offsets()) for c in regions])
    means = means[np.argsort(means[:, 1])]
    assert means[:, 0] == pytest.approx(table["mean"].to_numpy())
    assert np.asarray(measured.get_offsets())[:, 0] == pytest.approx(table["observed"].to_numpy())
    assert np.all(np.diff(means[:, 0]) >= 0)


def test_data_sets_have_the_colour_of_their_likeliest_region(posterior):
    ax = bc.plots.plot_shrinkage(posterior, ax=axes())
    table = posterior.by_dataset()
    best = table[[f"p_{r}" for r in THREE.regions]].to_numpy().argmax(axis=1)
    lines = [c for c in ax.collections if isinstance(c, LineCollection)]
    assert [len(c.get_segments()) for c in lines] == [(best == k).sum() for k in range(3)]
    assert [to_hex(c.get_color()[0]).upper() for c in lines if len(c.get_segments())] == [
        COLOURS[r].upper() for k, r in enumerate(THREE.regions) if (best == k).any()
    ]


def test_sixty_data_sets_fit_a_page():
    assert shrinkage_size(60)[1] < 9
    assert shrinkage_size(12)[1] == pytest.approx(1.35 + 12 * 0.155)


def test_each_mark_of_the_shrinkage_is_named_and_directions_start_at_zero(posterior):
    ax = bc.plots.plot_shrinkage(posterior)
    named = [t.get_text() for t in ax.get_legend().get_texts()]
    mean = posterior.summary().loc["delta0", "mean"]
    assert named[0] == "measured"
    assert "ROPE ±0.01" in named
    assert f"mean over data sets {mean:.3g}".replace("-", "−") in named
    best = posterior.by_dataset()[[f"p_{r}" for r in THREE.regions]].to_numpy().argmax(axis=1)
    assert len(named) == 3 + len(set(best))
    toward = {t.get_text(): t for t in ax.texts}
    left = next(t for words, t in toward.items() if words.startswith("←"))
    assert (left.xy[0], left.get_ha()) == (0, "right")
    assert any(words.endswith("→") for words in toward)
