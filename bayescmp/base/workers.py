"""Worker processes and threads, which are gone with what started them."""

from __future__ import annotations

import functools
import multiprocessing
import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager
from contextvars import copy_context
from functools import lru_cache
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar

from bayescmp.base.arguments import spelled_alike

if TYPE_CHECKING:
    from joblib import Parallel
    from threadpoolctl import ThreadpoolController


# One thread for linear algebra: matrices as small as ours lose by being shared among cores.


P = ParamSpec("P")
R = TypeVar("R")


@lru_cache(maxsize=1)
def _libraries(modules: int) -> ThreadpoolController:
    """Find the libraries loaded with this many modules, once: it takes milliseconds."""
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController()


def at_most(threads: int | None, user_api: str | None = None) -> AbstractContextManager[object]:
    """Limit the threads of BLAS, of OpenMP or, by default, of both; None leaves them unlimited."""
    context: AbstractContextManager[object] = _libraries(len(sys.modules)).limit(
        limits=threads, user_api=user_api
    )
    return context


@contextmanager
def _one_thread() -> Iterator[None]:
    with at_most(1, "blas"):
        yield


def one_thread(function: Callable[P, R]) -> Callable[P, R]:
    """Give BLAS one thread while a function runs; afterwards it has as many as before."""
    return _one_thread()(function)


@contextmanager
def in_threads(tasks: int) -> Iterator[Callable[..., Iterable[Any]]]:
    """Give a `map` for as many tasks of NumPy at once as there are processors."""
    if tasks < 2:
        yield map
        return
    from concurrent.futures import ThreadPoolExecutor

    import joblib

    threads = min(tasks, joblib.effective_n_jobs(-1))
    with at_most(1, "blas"), ThreadPoolExecutor(threads) as pool:
        yield pool.map


# Worker processes of joblib's own: deaf to Ctrl-C, and gone with what started them.


Result = TypeVar("Result")


@functools.cache
def end_with(parent: int) -> None:
    """End a worker process of joblib when its `parent` (a process id) has ended.

    A killed process cannot notify its workers, which would wait five minutes for more tasks.
    """
    if _is_lokys(multiprocessing.current_process()):
        threading.Thread(target=_watch, args=(parent,), daemon=True).start()


def _is_lokys(process: multiprocessing.process.BaseProcess) -> bool:
    return process.name.startswith("Loky")


def _watch(parent: int) -> None:
    while os.getppid() == parent:
        time.sleep(0.2)
    os._exit(1)


def watch_parent() -> dict[str, object]:
    """Return options of `joblib.Parallel` by which workers watch us before their first task."""
    from joblib.parallel import get_active_backend

    backend, _ = get_active_backend()
    loky = type(backend).__name__ == "LokyBackend"
    return {"initializer": end_with, "initargs": (os.getpid(),)} if loky else {}


def in_order(
    function: Callable[..., Result], tasks: Iterable[tuple[object, ...]], n_jobs: int | None
) -> Generator[Result, None, None]:
    """Yield results of a function called by joblib with each task's arguments, in their order."""
    return run_workers(one_by_one(n_jobs), function, tasks)


def one_by_one(n_jobs: int | None, return_as: str = "generator", **options: object) -> Parallel:
    """Make a `joblib.Parallel` that hands results over one by one if its backend can."""
    from joblib import Parallel
    from joblib.parallel import get_active_backend

    can = get_active_backend()[0].supports_return_generator
    form = return_as if can else "list"
    return Parallel(jobs_of(n_jobs), return_as=form, **options, **watch_parent())


def jobs_of(n_jobs: int | None) -> int | None:
    """Use all of a Dask cluster's processes if it was chosen and no number was given."""
    from joblib.parallel import get_active_backend

    backend, configured = get_active_backend()
    elsewhere = type(backend).__module__.partition(".")[0] != "joblib"
    return -1 if n_jobs is None and elsewhere and configured in (None, 1) else n_jobs


def run_workers(
    parallel: Parallel, function: Callable[..., Result], tasks: Iterable[tuple[object, ...]]
) -> Generator[Result, None, None]:
    """Yield results from workers that Ctrl-C does not reach even as they start."""
    from joblib import delayed

    called, context, waiting = delayed(spelled_alike(function)), copy_context(), iter(tasks)

    def take() -> tuple[Any, ...] | None:
        # joblib calls this in threads of its own, where a command's spelling is not set
        return context.run(next, waiting, None)

    calls = (called(*task) for task in iter(take, None))
    if not parallel.return_generator:
        return (result for result in parallel(calls))
    with ignore_interrupts():
        results: Generator[Result, None, None] = parallel(calls)
    return results


@contextmanager
def ignore_interrupts() -> Iterator[None]:
    """Have processes that are started meanwhile ignore Ctrl-C; ours is raised afterwards."""
    if not hasattr(signal, "pthread_sigmask"):  # Windows
        yield
        return
    if watch_parent():
        from multiprocessing import resource_tracker  # not on Windows

        resource_tracker.ensure_running()  # older Pythons unblock the signal when they start it
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def with_bar(
    steps: Iterable[R], what: str, progress: bool | None, total: int | None = None
) -> Iterable[R]:
    """Iterate over the steps with a progress bar; on a terminal only, if that is left open."""
    from tqdm import tqdm

    hidden = None if progress is None else not progress
    shown: Iterable[R] = tqdm(steps, desc=what, total=total, disable=hidden)
    return shown


# Many tasks, in this process or in as many as the user names.


#: Tasks above which all cores are used if no number of processes is given.
MANY = 500


def count_processes(n_jobs: int | None, tasks: int) -> int:
    """Return the number of processes for so many tasks: joblib's, or all cores over `MANY`."""
    import joblib

    given = joblib.effective_n_jobs(n_jobs)
    if n_jobs is None and given == 1 and tasks > MANY:
        given = joblib.effective_n_jobs(-1)
    return max(1, min(given, tasks))


def solve_tasks(
    solve: Callable[..., Result],
    tasks: Iterator[tuple[object, ...]],
    total: int,
    n_jobs: int | None,
) -> Generator[Result, None, None]:
    """Yield a function's result for each task, in order, by the backend of parallel_config."""
    import joblib
    from joblib.parallel import BACKENDS, DEFAULT_BACKEND, get_active_backend

    if not isinstance(get_active_backend()[0], BACKENDS[DEFAULT_BACKEND]):
        yield from in_order(solve, tasks, n_jobs)
        return
    processes = count_processes(n_jobs, total)
    if processes == 1:
        for task in tasks:
            yield solve(*task)
        return
    # BLAS gets one thread in each process: more would fight for the same cores.
    with joblib.parallel_config(backend="loky", inner_max_num_threads=1):
        yield from in_order(solve, tasks, processes)
