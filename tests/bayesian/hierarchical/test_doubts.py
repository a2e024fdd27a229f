"""What a verdict hangs on besides the data: the prior, and the resolution of constant rows."""

from __future__ import annotations

import re

import numpy as np
import pytest

import bayescmp as bc
from bayescmp.bayesian import HierarchicalPrior
from bayescmp.bayesian.hierarchical import grid
from bayescmp.engines import quadrature
from bayescmp.engines.quadrature import solve
from tests.bayesian.hierarchical.data import by_grid, probabilities, simulated

PRESETS = {"corani2017": HierarchicalPrior.corani2017(),
           "benavoli2017": HierarchicalPrior.benavoli2017()}  # fmt: skip


def test_an_answer_that_hangs_on_the_resolution_is_said_to():
    """Eight equal rows of twenty: the smaller their spread, the more they draw sigma0 to zero."""
    x = simulated(q=20, n=100, location=0.02, spread=0.02)
    x[:8] = 0.0
    with pytest.warns(bc.DiagnosticWarning, match="depends on it: at h/10"):
        posterior = by_grid(x, rho=0.1, rope=0.01, resolution=0.01)
    assert "depends on it" in posterior.notes[-1]


@pytest.mark.parametrize("q", [2, 3, 5])
@pytest.mark.parametrize("rope", [0.01, 0])
def test_few_data_sets_say_the_verdict_under_the_other_preset(q, rope):
    d = bc.Differences(simulated(q=q), rho=0.1, names=("knn", "gbm"))
    fit = by_grid(d, rope=rope)
    other = by_grid(d, rope=rope, prior=PRESETS["benavoli2017"])
    for posterior, name, p in (
        (fit, "benavoli2017", probabilities(other)), (other, "corani2017", probabilities(fit)),
    ):  # fmt: skip
        (note,) = posterior.notes
        assert f"under {name} the probabilities are" in note
        stated = [float(v) for v in re.findall(r"\d\.\d{3}", note)]
        assert stated == pytest.approx(p if rope else p[[0, 2]], abs=5.1e-4)
        assert "(gbm better)" in note
        assert note in " ".join(str(posterior).split())


def test_a_prior_of_ones_own_is_set_beside_both_presets():
    prior = HierarchicalPrior(alpha=(2, 2), beta=(0.1, 0.1))
    (note,) = by_grid(simulated(q=4), rho=0.1, rope=0.01, prior=prior).notes
    assert note.startswith("four data sets: the answer may still depend on the prior")
    for name in PRESETS:
        assert f"under {name} the probabilities are" in note


def test_a_probability_beside_another_prior_is_never_zero():
    x = [[0.10, 0.12, 0.09, 0.11], [0.11, 0.09, 0.12, 0.10]]
    (note,) = by_grid(x, rho=0.25, rope=0.01).notes
    assert "<0.001 (equivalent)" in note
    assert "0.000" not in note


def test_six_data_sets_need_no_such_note():
    assert by_grid(simulated(q=6), rho=0.1, rope=0.01).notes == ()


def test_a_resolution_on_which_nothing_hangs_is_named():
    x = simulated(q=12)
    x[0] = 0.0
    (note,) = by_grid(x, rho=0.1, rope=0.01, resolution=0.02).notes
    assert "1 data set with all differences equal (1)" in note
    assert "h = 0.02" in note
    assert np.isfinite(probabilities(by_grid(x, rho=0.1, rope=0.01, resolution=0.02))).all()


@pytest.fixture
def solves(monkeypatch):
    """Each problem that is solved."""
    problems = []

    def counted(problem, settings=None):
        problems.append(problem)
        return solve(problem, settings=settings)

    monkeypatch.setattr(quadrature, "solve", counted)  # the engine's, imported when it fits
    monkeypatch.setattr(grid, "solve", counted)
    return problems


def test_a_constant_row_on_which_nothing_hangs_costs_no_further_solve(solves):
    """A tenth of the resolution is asked of the grid that is there."""
    x = simulated(q=12)
    x[0] = 0.0
    by_grid(x, rho=0.1, rope=0.01, resolution=0.02)
    assert len(solves) == 1


def test_where_the_answer_may_hang_on_the_resolution_a_tenth_is_solved(solves):
    x = simulated(q=20, n=100, location=0.02, spread=0.02)
    x[:8] = 0.0
    with pytest.warns(bc.DiagnosticWarning, match="at h/10"):
        by_grid(x, rho=0.1, rope=0.01, resolution=0.01)
    one, tenth = solves
    np.testing.assert_allclose(np.sort(tenth.ss / one.ss), [0.01] * 8 + [1] * 12)
