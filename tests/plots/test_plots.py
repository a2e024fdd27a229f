"""Simplex, shrinkage and density: what is drawn, where, and how it is written."""

from __future__ import annotations

import io

import numpy as np
import pytest
from matplotlib import pyplot as plt
from matplotlib.figure import Figure

import bayescmp as bc
from bayescmp.plots.simplex import CORNERS, project
from tests.bayesian.hierarchical.data import simulated

PLOTS = [bc.plots.plot_simplex, bc.plots.plot_shrinkage, bc.plots.plot_density]


@pytest.fixture(scope="module")
def posterior():
    return bc.bayesian.hierarchical_t(
        simulated(),
        rho=0.1,
        rope=0.01,
        seed=5,
        names=("k$nn$", "gbm with a rather long name here"),
    )


@pytest.fixture(autouse=True)
def _close():
    yield
    plt.close("all")


def axes():
    return Figure(figsize=(3.4, 3.4), layout="constrained").add_subplot()


@pytest.mark.parametrize("plot", PLOTS)
def test_the_axes_given_are_drawn_on_and_pyplot_is_left_alone(posterior, plot):
    ax = axes()
    assert plot(posterior, ax=ax) is ax
    assert plt.get_fignums() == []


@pytest.mark.parametrize("plot", PLOTS)
def test_without_axes_one_figure_is_made(posterior, plot):
    before = plt.figure()
    ax = plot(posterior)
    assert len(plt.get_fignums()) == 2
    assert ax.figure is not before
    assert len(ax.figure.axes) == 1


@pytest.mark.parametrize("plot", PLOTS)
@pytest.mark.parametrize("ending", ["png", "svg", "pdf"])
def test_pictures_are_written(posterior, plot, ending, tmp_path):
    path = tmp_path / f"picture.{ending}"
    bc.plots.save(plot(posterior, ax=axes()), path)
    start = {"png": b"\x89PNG", "svg": b"<?xml", "pdf": b"%PDF"}[ending]
    assert path.read_bytes().startswith(start)
    assert [p.name for p in tmp_path.iterdir()] == [path.name]


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
    assert counts.sum() == posterior.draws["delta0"].size
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
    assert left.get_position()[0] < right.get_position()[0]


def test_another_rope_changes_the_simplex(posterior):
    text = " ".join(
        t.get_text() for t in bc.plots.plot_simplex(posterior, rope=0.03, ax=axes()).texts
    )
    assert f"{posterior.verdict(0.03).p_rope:.3f}" in text


def test_no_rope_has_no_simplex_but_plot_still_draws(posterior):
    with pytest.raises(bc.InputError, match="plot_density"):
        bc.plots.plot_simplex(posterior, rope=0)
    assert posterior.plot(rope=0, ax=axes()).get_xlabel().startswith("mean difference")


def test_shrinkage_is_sorted_and_holds_every_data_set(posterior):
    ax = bc.plots.plot_shrinkage(posterior, ax=axes())
    table = posterior.by_dataset().sort_values(["mean", "observed"])
    assert [t.get_text() for t in ax.get_yticklabels()] == list(table.index)
    means, measured = (np.asarray(c.get_offsets()) for c in ax.collections[-2:])
    assert means[:, 0] == pytest.approx(table["mean"].to_numpy())
    assert measured[:, 0] == pytest.approx(table["observed"].to_numpy())
    assert np.all(np.diff(means[:, 0]) >= 0)


def test_density_marks_the_rope_and_its_masses(posterior):
    ax = bc.plots.plot_density(posterior, ax=axes())
    edges = sorted(line.get_xdata()[0] for line in ax.lines if len(set(line.get_xdata())) == 1)
    assert edges == pytest.approx([-0.01, 0.01])
    text = " ".join(t.get_text() for t in ax.texts)
    for p in posterior.verdict().location.values():
        assert f"{p:.3f}" in text


def test_unknown_format_and_missing_folder(posterior, tmp_path):
    ax = posterior.plot(ax=axes())
    with pytest.raises(bc.InputError, match=r"unknown picture format 'bmp2'.*png"):
        bc.plots.save(ax, tmp_path / "a.bmp2")
    with pytest.raises(bc.InputError, match="no directory"):
        bc.plots.save(ax, tmp_path / "none" / "a.png")
