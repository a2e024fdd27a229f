"""Many independent tasks on several processes, with a bar."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TypeVar

from bayescmp.errors import InputError

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
    from joblib import Parallel, delayed

    if n_jobs == 0:
        raise InputError("n_jobs=0; accepted: a number of jobs from 1 on, or -1 for all cores")
    tasks = list(tasks)
    done = Parallel(n_jobs=n_jobs, return_as="generator")(delayed(function)(*t) for t in tasks)
    if not progress:
        return list(done)
    from tqdm.auto import tqdm  # it warns in a notebook without widgets

    return list(tqdm(done, total=len(tasks), desc=title, leave=False))
