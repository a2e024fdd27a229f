"""Density: the rope and the masses beside it."""

from __future__ import annotations

import pytest

import bayescmp as bc
from bayescmp.bayesian import correlated_t
from tests.plots.drawing import axes, texts


def test_density_marks_the_rope_and_its_masses(posterior):
    ax = bc.plots.plot_density(posterior, ax=axes())
    edges = sorted(line.get_xdata()[0] for line in ax.lines if len(set(line.get_xdata())) == 1)
    assert edges == pytest.approx([-0.01, 0.01])
    text = " ".join(t.get_text() for t in ax.texts)
    for p in posterior.verdict().location.values():
        assert f"{p:.3f}" in text


def test_density_of_the_correlated_t():
    posterior = correlated_t([0.01, 0.03, 0.02, -0.01], rho=0.1, rope=0.01, names=("a", "b"))
    v = posterior.verdict()
    told = " ".join(texts(posterior.plot()))
    for p in v.probabilities.values():
        assert f"{p:.3f}" in told
    point = correlated_t([0.0, 0.0], rho=0.1, rope=0.01, resolution=1e-6)
    assert ">0.999" in " ".join(texts(point.plot()))
