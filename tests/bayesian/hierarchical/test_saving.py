"""A saved hierarchical posterior comes back whole, from a grid or from draws."""

from __future__ import annotations

import numpy as np
import pytest

import bayescmp as bc
from bayescmp.bayesian import hierarchical_t
from tests.bayesian.hierarchical.data import by_grid, simulated


@pytest.fixture(scope="module")
def posterior():
    return by_grid(simulated(), rho=0.1, rope=0.01, seed=5, names=("knn", "gbm"))


@pytest.mark.parametrize("engine", ["quadrature", "fake"])
def test_saving_and_loading(engine, fake, tmp_path):
    d = bc.Differences(simulated(), rho=0.1, names=("a/b", "<c>"), metric="auc",
                       datasets=[f"data {i}" for i in range(12)])  # fmt: skip
    saved = hierarchical_t(d, rope=(-0.01, 0.02), engine=engine, seed=9)
    path = tmp_path / "posterior.nc"
    saved.save(path)
    if engine == "fake":
        path_free = bc.load(path)  # no engine is needed to read draws
        assert path_free.engine == "fake"
    loaded = bc.load(path)
    assert loaded.verdict().to_dict() == saved.verdict().to_dict()
    assert loaded.verdict(0.005).probabilities == saved.verdict(0.005).probabilities
    assert loaded.prior == saved.prior
    assert loaded.datasets == saved.datasets
    assert loaded.diagnostics == saved.diagnostics
    assert np.allclose(loaded.draws["delta"], saved.draws["delta"])
    assert loaded.by_dataset().equals(saved.by_dataset()) or np.allclose(
        loaded.by_dataset(), saved.by_dataset()
    )


def test_arviz_gets_names_and_groups(posterior):
    data = posterior.to_arviz()
    group = data["posterior"]
    assert group["delta"].dims == ("chain", "draw", "dataset")
    assert list(group["delta"].coords["dataset"].to_numpy()) == list(posterior.datasets)
    assert set(data["constant_data"].data_vars) >= {"n", "mean", "ss", "rho"}


def test_the_problem_comes_back(posterior, tmp_path):
    posterior.save(tmp_path / "p.nc")
    again = bc.load(tmp_path / "p.nc").problem
    for name, value in posterior.problem.data.items():
        assert np.allclose(again.data[name], value, rtol=1e-14), name
    assert again.scale == posterior.problem.scale
    assert np.array_equal(again.statistics.constant, posterior.statistics.constant)
