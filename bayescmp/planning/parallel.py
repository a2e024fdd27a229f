"""Many independent tasks on several processes, with a bar."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TypeVar

from bayescmp.checks import processes
from bayescmp.workers import in_order

__all__ = ["run_all"]

Result = TypeVar("Result")


def run_all(
    function: Callable[..., Result],
    tasks: Iterable[tuple[object, ...]],
    *,
    n_jobs: int | None,
    title: str,
    progress: bool,
) -> list[Result]:
    """Results of a function called with each task's arguments, in the tasks' order.

    Parameters
    ----------
    function : callable
        One that other processes can import.
    tasks : iterable of tuple
        Its positional arguments.
    n_jobs : int or None
        As joblib takes it.
    title : str
        What the bar is called.
    progress : bool
        Whether to show it.

    Raises
    ------
    InputError
        No processes.
    """
    n_jobs = processes(n_jobs)
    tasks = list(tasks)
    results = in_order(function, tasks, n_jobs)
    try:
        if not progress:
            return list(results)
        from tqdm.auto import tqdm  # it warns in a notebook without widgets

        return list(tqdm(results, total=len(tasks), desc=title, leave=False))
    finally:
        results.close()  # an interruption ends the workers here and now
