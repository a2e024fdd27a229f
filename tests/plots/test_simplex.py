"""The simplex: corners, densities, and the verdict written on it."""

import io
from types import SimpleNamespace

import matplotlib.pyplot as plt
import numpy as np
import pytest
from matplotlib.colors import to_rgb
from matplotlib.path import Path

import bayescmp as bc
from bayescmp import plots
from bayescmp.bayesian import confusion, multivariate_t
from bayescmp.bayesian.regions import REGIONS, classify
from bayescmp.plots.simplex import CORNERS, outlines, project
from bayescmp.wording.regions import COLOURS
from bayescmp.wording.text import format_probability
from tests.plots.measuring import axes


def test_the_outline_of_a_gaussian_is_the_ellipse_that_holds_the_share():
    """The radius's square is the quantile of chi-square with two degrees of freedom."""
    prob = 0.95
    draws = np.random.default_rng(1).normal(size=(40_000, 2)) * [1.0, 3.0]
    ((line,),) = outlines(draws, [prob])
    radius = np.hypot(*(line / [1.0, 3.0]).T)
    assert radius == pytest.approx(np.sqrt(-2 * np.log1p(-prob)), rel=0.12)
    assert Path(line).contains_points(draws).mean() == pytest.approx(prob, abs=0.02)


def test_two_clouds_have_two_outlines():
    draws = np.random.default_rng(1).normal(size=(4000, 2))
    draws[::2] += 40
    assert len(outlines(draws, [0.5])[0]) == 2


def test_the_triangle_is_equilateral_and_its_corners_are_the_regions():
    corners = np.array(list(CORNERS.values()))
    sides = [np.linalg.norm(corners[i] - corners[j]) for i, j in ((0, 1), (1, 2), (0, 2))]
    assert sides == pytest.approx([1, 1, 1])
    assert project(np.eye(3)) == pytest.approx(corners)
    assert project(np.full((1, 3), 1 / 3))[0] == pytest.approx(corners.mean(axis=0))


def test_the_densest_is_the_darkest(posterior):
    ax = bc.plots.plot_simplex(posterior, ax=axes())
    cells = ax.collections[0]
    ax.figure.savefig(io.BytesIO())
    counts = np.asarray(cells.get_array())
    darkness = -cells.get_facecolors()[:, :3].sum(axis=1)
    order = np.argsort(counts)
    assert np.all(np.diff(darkness[order]) >= -1e-9)
    of_each = [len(path.to_polygons()) for path in cells.get_paths()]
    assert counts @ of_each == posterior.draws["delta0"].size
    assert cells.get_facecolors()[np.argmin(counts), :3].sum() < 2.9  # one draw is not white


def test_corners_bear_the_verdict(posterior):
    ax = bc.plots.plot_simplex(posterior, ax=axes())
    text = " ".join(t.get_text() for t in ax.texts)
    v = posterior.verdict()
    for p in (v.p_left, v.p_rope, v.p_right):
        assert f"{p:.3f}" in text
    assert "equivalent" in text
    assert "k\\$nn\\$" in text  # no mathematics
    left, right = (next(t for t in ax.texts if n in t.get_text()) for n in ("nn", "gbm"))
    assert left.xy[0] < right.xy[0]


def test_another_rope_changes_the_simplex(posterior):
    text = " ".join(
        t.get_text() for t in bc.plots.plot_simplex(posterior, rope=0.03, ax=axes()).texts
    )
    assert f"{posterior.verdict(0.03).p_rope:.3f}" in text


def test_no_rope_has_no_simplex_but_plot_still_draws(posterior):
    with pytest.raises(bc.InputError, match="plot_density"):
        bc.plots.plot_simplex(posterior, rope=0)
    assert posterior.plot(rope=0, ax=axes()).get_xlabel().startswith("mean improvement of ")


def _fake(masses):
    verdict = bc.bayesian.sign([0.02, 0.03, -0.01], rope=0.01, seed=1).verdict()
    return SimpleNamespace(
        masses=lambda rope: masses,
        verdict=lambda rope: verdict,
        method="fake",
        names=("a", "b"),
        measured="",
        data_text="",
        subject="algorithm",
        rope=verdict.rope,
    )


def test_mass_in_a_corner_is_marked_and_mass_in_the_middle_is_not():
    corner = np.tile([0.995, 0.003, 0.002], (1, 400, 1))
    middle = np.random.default_rng(1).dirichlet([9, 9, 9], (1, 400))
    for masses, places in ((corner, [(0, 0)]), (middle, [])):
        ax = bc.plots.plot_simplex(_fake(masses), ax=axes())
        discs = [line for line in ax.lines if line.get_marker() == "o"]
        assert [(line.get_xdata()[0], line.get_ydata()[0]) for line in discs] == places


def test_contours_hold_half_and_nineteen_in_twenty_of_the_draws():
    masses = np.random.default_rng(1).dirichlet([30, 20, 25], (1, 20_000))
    ax = bc.plots.plot_simplex(_fake(masses), ax=axes())
    points = project(masses[0])
    for width, prob in ((1.5, 0.5), (0.9, 0.95)):
        (line,) = [x for x in ax.lines if x.get_linewidth() == width and x.get_zorder() == 2]
        inside = Path(np.transpose(line.get_data())).contains_points(points)
        assert inside.mean() == pytest.approx(prob, abs=0.02)


@pytest.fixture(scope="module")
def regions_posterior():
    x = np.random.default_rng(1).normal([0.02, 0.01, 0.0], 0.03, (30, 3))
    return multivariate_t(
        x,
        rho=0.1,
        rope=[0.01, 0.02, 0.01],
        metrics=("tpr", "fpr", "auc"),
        names=("knn", "gbm"),
        seed=1,
    )


def words(ax):
    return [t.get_text() for t in ax.texts]


def test_probabilities_stand_in_their_places(regions_posterior):
    ax = plots.plot_regions(regions_posterior, metrics=("tpr", "fpr"))
    v = regions_posterior.select(("tpr", "fpr")).verdict()
    for label, region in (
        ("knn dominates", "first"),
        ("gbm dominates", "second"),
        ("trade-off", "trade_off"),
        ("equivalent", "equivalent"),
    ):
        messages = [w for w in words(ax) if w.startswith(label)]
        assert len(messages) == (2 if region == "trade_off" else 1)
        for message in messages:
            assert message.split()[-1] == format_probability(v.probabilities[region], v.floor)
    across, marks = ax.get_xlabel().split("\n", 1)
    assert across == "improvement in tpr (right: gbm better)"
    assert marks.replace("\n", " ") == "lines: 50 and 95% of the posterior; dots: folds"
    assert ax.get_ylabel() == "improvement in fpr (up: gbm better)"


def test_fields_have_the_colours_of_their_regions(regions_posterior):
    ax = plots.plot_regions(regions_posterior, metrics=("tpr", "fpr"))
    ropes = regions_posterior.select(("tpr", "fpr")).ropes()
    fields = [p for p in ax.patches if p.get_width() > 0 and p.get_height() > 0]
    assert len(fields) == 9
    for field in fields:
        middle = np.array(
            [field.get_x() + field.get_width() / 2, field.get_y() + field.get_height() / 2]
        )
        region = REGIONS[classify(middle, ropes)]
        assert field.get_facecolor()[:3] == pytest.approx(to_rgb(COLOURS[region]))


def test_contours_are_the_ellipsoids_and_dots_the_folds(regions_posterior):
    chosen = regions_posterior.select(("tpr", "fpr"))
    ax = plots.plot_regions(chosen)
    for line, prob in zip(
        [li for li in ax.lines if len(li.get_xdata()) > 2], (0.5, 0.95), strict=True
    ):
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


def test_without_a_rope_nothing_is_equivalent(regions_posterior):
    ax = plots.plot_regions(regions_posterior, metrics=("tpr", "auc"), rope=0)
    assert not any(w.startswith("equivalent") for w in words(ax))


def test_two_metrics_are_needed(regions_posterior):
    with pytest.raises(bc.InputError, match=r"metrics must be two, metrics=\(a, b\)"):
        plots.plot_regions(regions_posterior)
    assert isinstance(regions_posterior.plot(metrics=("tpr", "fpr")), plt.Axes)
    assert isinstance(regions_posterior.plot(), plt.Axes)  # more than two: a bar


def test_names_with_dollars_are_text(regions_posterior, tmp_path):
    x = regions_posterior.x[:, :2]
    post = multivariate_t(x, rho=0.1, rope=0.01, names=("$a_", "b$"), metrics=("$x^", "y"))
    plots.save(post.plot(), tmp_path / "p.png", dpi=50)
    assert (tmp_path / "p.png").stat().st_size > 1000


def test_rope_curve_has_four_lines(regions_posterior):
    ax = plots.plot_rope_curve(regions_posterior, widths=[0, 1, 2])
    table = regions_posterior.rope_curve([0, 1, 2])
    lines = {line.get_label(): line for line in ax.lines}
    assert lines["knn dominates"].get_ydata() == pytest.approx(table["p_first"])
    assert lines["trade-off"].get_ydata() == pytest.approx(table["p_trade_off"])
    assert lines["equivalent"].get_ydata() == pytest.approx(table["p_equivalent"].iloc[1:])
    assert "multiple of the ropes" in ax.get_xlabel()
