"""Worker processes of joblib's own."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import threading
from pathlib import Path
from unittest.mock import MagicMock

import joblib
import numpy as np
import pytest
from joblib.parallel import ThreadingBackend
from threadpoolctl import threadpool_info, threadpool_limits

import bayescmp as bc
from bayescmp.base.workers import (
    at_most,
    count_processes,
    end_with,
    ignore_interrupts,
    in_order,
    one_thread,
    watch_parent,
)
from bayescmp.engines.quadrature import grid
from tests.rows import each_row

ROOT = Path(__file__).parents[2]
BLOCKED = "import signal; print(signal.SIGINT in signal.pthread_sigmask(signal.SIG_BLOCK, []))"
POSIX = pytest.mark.skipif(sys.platform == "win32", reason="Windows has no signal masks")


@POSIX
def test_what_is_started_meanwhile_ignores_an_interruption():
    for context, wanted in ((ignore_interrupts, "True"), (None, "False")):
        command = [sys.executable, "-I", "-S", "-c", BLOCKED]
        if context is None:
            done = subprocess.run(command, capture_output=True, text=True, check=True)
        else:
            with context():
                done = subprocess.run(command, capture_output=True, text=True, check=True)
        assert done.stdout.strip() == wanted


@pytest.fixture
def heeded():
    """Python's own handling of Ctrl-C: a run in the background inherits that it is ignored."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@POSIX
@pytest.mark.usefixtures("heeded")
def test_our_own_interruption_comes_afterwards():
    reached = []

    def interrupted():
        with ignore_interrupts():
            signal.pthread_kill(threading.main_thread().ident, signal.SIGINT)
            reached.append("the end")

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert reached
    assert signal.SIGINT not in signal.pthread_sigmask(signal.SIG_BLOCK, [])


def test_only_workers_watch():
    """This process is none: it does not end with one that is not there."""
    assert end_with(-1) is None
    assert watch_parent() == {"initializer": end_with, "initargs": (os.getpid(),)}


class InOnePiece(ThreadingBackend):
    """Hands its results over as multiprocessing's and Ray's backends do."""

    supports_return_generator = False


@each_row("backend", ["threading", "in one piece"])
def test_results_come_in_order_from_every_backend(backend):
    joblib.register_parallel_backend("in one piece", InOnePiece)
    with joblib.parallel_config(backend=backend):
        results = in_order(abs, ((-i,) for i in range(5)), n_jobs=2)
        assert list(results) == [0, 1, 2, 3, 4]
    results.close()


# In a process of its own: what else Python starts with the first workers is not there yet.
MASKED = """
import signal
from bayescmp.base.workers import in_order
masks = in_order(signal.pthread_sigmask, [(signal.SIG_BLOCK, [])] * 4, n_jobs=2)
print(all(signal.SIGINT in mask for mask in masks))
"""


@POSIX
@pytest.mark.slow
def test_the_first_workers_ignore_an_interruption():
    command = [sys.executable, "-c", MASKED]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "True"


@pytest.mark.parametrize(
    ("n_jobs", "tasks", "processes"),
    [(None, 500, 1), (None, 501, 8), (-1, 100, 8), (2, 6, 2), (4, 3, 3), (2, 0, 1)],
)
def test_many_tasks_take_all_cores(n_jobs, tasks, processes, monkeypatch):
    monkeypatch.setattr("joblib.effective_n_jobs", lambda n: {None: 1, -1: 8}.get(n, n))
    assert count_processes(n_jobs, tasks) == processes


def test_all_workers_watch():
    sources = [path.read_text("utf-8") for path in (ROOT / "bayescmp").rglob("*.py")]
    calls = [call for text in sources for call in re.findall(r"(?<!`)\bParallel\(.*", text)]
    assert calls
    assert [call for call in calls if "**watch_parent()" not in call] == []


# BLAS has one thread inside, and as many as before afterwards.


def _threads() -> list[int]:
    return [pool["num_threads"] for pool in threadpool_info() if pool["user_api"] == "blas"]


@pytest.fixture
def two_threads():
    np.linalg.inv(np.eye(2))  # a BLAS is loaded
    with threadpool_limits(2, user_api="blas"):
        yield


@pytest.mark.usefixtures("two_threads")
def test_one_inside_and_as_many_as_before_afterwards():
    before = _threads()
    assert set(one_thread(_threads)()) == {1}
    assert _threads() == before


@pytest.mark.usefixtures("two_threads")
def test_at_most_limits_all_libraries_and_gives_them_back():
    before = threadpool_info()
    with at_most(1):
        assert {pool["num_threads"] for pool in threadpool_info()} == {1}
    with at_most(None):
        assert threadpool_info() == before
    assert threadpool_info() == before


@pytest.mark.usefixtures("two_threads")
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


@pytest.mark.usefixtures("two_threads")
def test_also_when_it_fails():
    before = _threads()
    with pytest.raises(ZeroDivisionError):
        one_thread(lambda: 1 / 0)()
    assert _threads() == before


@pytest.mark.usefixtures("two_threads")
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
