"""Axes that are given are drawn on, others are made; pictures are written whole."""

from __future__ import annotations

import pytest
from matplotlib import pyplot as plt

import bayescmp as bc
from tests.plots.drawing import axes

PLOTS = [bc.plots.plot_simplex, bc.plots.plot_shrinkage, bc.plots.plot_density]


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


def test_unknown_format_and_missing_folder(posterior, tmp_path):
    ax = posterior.plot(ax=axes())
    with pytest.raises(bc.InputError, match=r"unknown picture format 'bmp2'.*png"):
        bc.plots.save(ax, tmp_path / "a.bmp2")
    with pytest.raises(bc.InputError, match="no directory"):
        bc.plots.save(ax, tmp_path / "none" / "a.png")
