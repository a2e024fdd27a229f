"""Density: the rope and the masses beside it."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy.stats import t

import bayescmp as bc
from bayescmp.bayesian import correlated_t
from tests.plots.drawing import axes, texts


def test_density_marks_the_rope_and_its_masses(posterior):
    ax = bc.plots.plot_density(posterior, ax=axes())
    edges = sorted(line.get_xdata()[0] for line in ax.lines
                   if len(line.get_xdata()) == 2 and len(set(line.get_xdata())) == 1)  # fmt: skip
    assert edges == pytest.approx([-0.01, 0.01])
    text = " ".join(texts(ax))
    for p in posterior.verdict().location.values():
        assert f"{p:.3f}" in text


def test_density_of_the_correlated_t():
    posterior = correlated_t([0.01, 0.03, 0.02, -0.01], rho=0.1, rope=0.01, names=("a", "b"))
    v = posterior.verdict()
    message = " ".join(texts(posterior.plot()))
    for p in v.probabilities.values():
        assert f"{p:.3f}" in message
    point = correlated_t([0.0, 0.0], rho=0.1, rope=0.01, resolution=1e-6)
    assert ">0.999" in " ".join(texts(point.plot()))


@pytest.mark.parametrize("metric", ["rmse", "accuracy"])
def test_the_axis_holds_for_either_direction(metric):
    """Scores of gbm are 0.1 better than those of knn; the density is right of zero."""
    better = -0.1 if metric == "rmse" else 0.1
    rows = [
        ("iris", name, fold, 0.5 + shift + fold / 100)
        for name, shift in (("knn", 0), ("gbm", better))
        for fold in range(5)
    ]
    rows[0] = (*rows[0][:3], 0.49)
    table = pd.DataFrame(rows, columns=["dataset", "algorithm", "fold", metric])
    x = bc.Scores(table, resampling="5-fold").differences("knn", "gbm")
    posterior = correlated_t(x, rope=0.01)
    ax = posterior.plot()
    arrow = "↓" if metric == "rmse" else "↑"
    assert ax.get_xlabel().startswith(f"mean improvement of gbm over knn in {metric} {arrow}\n")
    assert posterior.summary()["mean"].iloc[0] == pytest.approx(0.1, abs=0.01)


def test_mean_and_interval_are_those_of_student_t():
    """Corani & Benavoli (2015): Student's t with mean, scale and n - 1 degrees of freedom."""
    x = np.array([0.010, 0.030, 0.020, -0.010, 0.024, 0.008])
    rho = 0.1
    ax = correlated_t(x, rho=rho, rope=0.01).plot(ax=axes())
    scale = np.sqrt((1 / len(x) + rho / (1 - rho)) * x.var(ddof=1))
    low, high = t(len(x) - 1, x.mean(), scale).interval(0.95)
    (dot,) = [line for line in ax.lines if line.get_marker() == "o"]
    assert dot.get_xdata()[0] == pytest.approx(x.mean(), abs=2e-4)
    assert f"mean {x.mean():.3g}, 95 % in" in ax.get_xlabel()
    (bar,) = [line for line in ax.lines if line.get_linewidth() == 1.4]
    assert bar.get_xdata() == pytest.approx([low, high], abs=5e-4)
