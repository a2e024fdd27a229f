"""Two metrics and their four regions: what is drawn is what was computed."""

from __future__ import annotations

import matplotlib.pyplot as plt
import numpy as np
import pytest
from matplotlib.colors import to_rgb

import bayescmp as bc
from bayescmp import plots
from bayescmp.bayesian import confusion, multivariate_t
from bayescmp.bayesian.regions.membership import REGIONS, classify
from bayescmp.palette import COLOURS
from bayescmp.text import probability


@pytest.fixture(autouse=True)
def _close():
    yield
    plt.close("all")


@pytest.fixture(scope="module")
def posterior():
    x = np.random.default_rng(1).normal([0.02, 0.01, 0.0], 0.03, (30, 3))
    return multivariate_t(x, rho=0.1, rope=[0.01, 0.02, 0.01], metrics=("tpr", "fpr", "auc"),
                          names=("knn", "gbm"), seed=1)  # fmt: skip


def words(ax):
    return [t.get_text() for t in ax.texts]


def test_probabilities_stand_in_their_places(posterior):
    ax = plots.plot_regions(posterior, metrics=("tpr", "fpr"))
    v = posterior.select(("tpr", "fpr")).verdict()
    for label, region in (("knn dominates", "first"), ("gbm dominates", "second"),
                          ("trade-off", "trade_off"), ("equivalent", "equivalent")):  # fmt: skip
        message = next(w for w in words(ax) if w.startswith(label))
        assert message.split()[-1] == probability(v.probabilities[region], v.floor)
    assert ax.get_xlabel() == "improvement in tpr (right: gbm better)"
    assert ax.get_ylabel() == "improvement in fpr (up: gbm better)"


def test_fields_have_the_colours_of_their_regions(posterior):
    ax = plots.plot_regions(posterior, metrics=("tpr", "fpr"))
    ropes = posterior.select(("tpr", "fpr")).ropes()
    fields = [p for p in ax.patches if p.get_width() > 0 and p.get_height() > 0]
    assert len(fields) == 9
    for field in fields:
        middle = np.array([field.get_x() + field.get_width() / 2,
                           field.get_y() + field.get_height() / 2])  # fmt: skip
        region = REGIONS[classify(middle, ropes)]
        assert field.get_facecolor()[:3] == pytest.approx(to_rgb(COLOURS[region]))


def test_contours_are_the_ellipsoids_and_dots_the_folds(posterior):
    chosen = posterior.select(("tpr", "fpr"))
    ax = plots.plot_regions(chosen)
    for line, prob in zip([li for li in ax.lines if len(li.get_xdata()) > 2], (0.5, 0.95),
                          strict=True):  # fmt: skip
        np.testing.assert_allclose(np.array(line.get_data()).T, chosen.ellipsoid(prob).outline())
    np.testing.assert_allclose(
        np.sort(ax.collections[0].get_offsets(), axis=0), np.sort(chosen.x, axis=0), atol=1e-12
    )
    assert len(plots.plot_regions(chosen, folds=False).collections) == 0


def test_contours_of_draws_hold_their_share():
    post = confusion((400, 100, 50, 450), (430, 70, 60, 440), ["tpr", "fpr"], rope=0.01, seed=1)
    ax = plots.plot_regions(post)
    from matplotlib.path import Path

    draws = post.draws["delta"].reshape(-1, 2)
    lines = [li for li in ax.lines if len(li.get_xdata()) > 2]
    for line, prob in zip(lines, (0.5, 0.95), strict=True):
        inside = Path(np.array(line.get_data()).T).contains_points(draws).mean()
        assert inside == pytest.approx(prob, abs=0.03)


def test_without_a_rope_nothing_is_equivalent(posterior):
    ax = plots.plot_regions(posterior, metrics=("tpr", "auc"), rope=0)
    assert not any(w.startswith("equivalent") for w in words(ax))


def test_two_metrics_are_needed(posterior):
    with pytest.raises(bc.InputError, match="name two of them"):
        plots.plot_regions(posterior)
    assert isinstance(posterior.plot(metrics=("tpr", "fpr")), plt.Axes)
    assert isinstance(posterior.plot(), plt.Axes)  # more than two: a bar


def test_names_with_dollars_are_text(posterior, tmp_path):
    x = posterior.x[:, :2]
    post = multivariate_t(x, rho=0.1, rope=0.01, names=("$a_", "b$"), metrics=("$x^", "y"))
    plots.save(post.plot(), tmp_path / "p.png", dpi=50)
    assert (tmp_path / "p.png").stat().st_size > 1000


def test_rope_curve_has_four_lines(posterior):
    ax = plots.plot_rope_curve(posterior, widths=[0, 1, 2])
    table = posterior.rope_curve([0, 1, 2])
    lines = {line.get_label(): line for line in ax.lines}
    assert lines["knn dominates"].get_ydata() == pytest.approx(table["p_first"])
    assert lines["trade-off"].get_ydata() == pytest.approx(table["p_trade_off"])
    assert lines["equivalent"].get_ydata() == pytest.approx(table["p_equivalent"].iloc[1:])
    assert "multiple of the ropes" in ax.get_xlabel()
