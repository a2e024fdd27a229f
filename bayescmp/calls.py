"""Calls in the style of other packages, and what to write instead."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import ParamSpec, TypeVar

from bayescmp.errors import InputError

__all__ = ["one_table"]

P = ParamSpec("P")
R = TypeVar("R")


def one_table(test: Callable[P, R]) -> Callable[P, R]:
    """Tell those who call a test with two arrays, or with ``runs``, what to write instead.

    Parameters
    ----------
    test : callable
        A test that takes differences as its one positional argument.
    """

    @wraps(test)
    def called(*args: P.args, **options: P.kwargs) -> R:
        if len(args) > 1 or "runs" in options:
            name = getattr(test, "__name__", "test")
            raise InputError(
                f"{name} takes differences, second minus first, "
                "as its only array, and rho in place of runs: "
                f"{name}(bc.Differences.from_arrays(a, b, runs=10), rope=0.01), "
                "where each row holds 10 runs of cross-validation"
            )
        return test(*args, **options)

    return called
