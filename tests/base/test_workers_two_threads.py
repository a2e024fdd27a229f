"""BLAS has one thread inside, and as many as before afterwards."""

from __future__ import annotations

import sys
from unittest.mock import MagicMock

import numpy as np
import pytest
from threadpoolctl import threadpool_info, threadpool_limits

import bayescmp as bc
from bayescmp.base.workers import at_most, one_thread
from bayescmp.engines.quadrature import grid


def _threads() -> list[int]:
    return [pool["num_threads"] for pool in threadpool_info() if pool["user_api"] == "blas"]


@pytest.fixture(autouse=True)
def two_threads():
    np.linalg.inv(np.eye(2))  # a BLAS is loaded
    with threadpool_limits(2, user_api="blas"):
        yield


def test_one_inside_and_as_many_as_before_afterwards():
    before = _threads()
    assert set(one_thread(_threads)()) == {1}
    assert _threads() == before


def test_at_most_limits_all_libraries_and_gives_them_back():
    before = threadpool_info()
    with at_most(1):
        assert {pool["num_threads"] for pool in threadpool_info()} == {1}
    with at_most(None):
        assert threadpool_info() == before
    assert threadpool_info() == before


def test_libraries_are_looked_for_again_only_where_modules_came_in(monkeypatch):
    controller = MagicMock()
    monkeypatch.setattr("threadpoolctl.ThreadpoolController", controller)
    monkeypatch.setitem(sys.modules, "a_first_module", sys)
    at_most(1)
    at_most(2)
    assert controller.call_count == 1
    monkeypatch.setitem(sys.modules, "a_new_module", sys)
    at_most(1)
    assert controller.call_count == 2
    monkeypatch.undo()
    assert at_most(None) is not controller.return_value.limit.return_value


def test_also_when_it_fails():
    before = _threads()
    with pytest.raises(ZeroDivisionError):
        one_thread(lambda: 1 / 0)()
    assert _threads() == before


def test_a_fit_holds_to_one_thread(monkeypatch):
    seen = []
    evaluate = grid.log_likelihood

    def watched(*args):
        seen.extend(_threads())
        return evaluate(*args)

    monkeypatch.setattr(grid, "log_likelihood", watched)
    x = [[0.02, 0.03, 0.01, 0.04], [0.01, 0.0, 0.02, 0.01], [0.03, 0.05, 0.02, 0.03]]
    bc.bayesian.hierarchical_t(x, rho=0.25, rope=0.01, engine="quadrature")
    assert set(seen) == {1}
