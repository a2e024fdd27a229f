"""One thread for linear algebra: matrices as small as ours lose by being shared among cores."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, wraps
from typing import TYPE_CHECKING, ParamSpec, TypeVar

if TYPE_CHECKING:
    from threadpoolctl import ThreadpoolController

__all__ = ["one_thread"]

P = ParamSpec("P")
R = TypeVar("R")


@cache
def _libraries() -> ThreadpoolController:
    """The BLAS libraries that are loaded: looked for once, which takes milliseconds."""
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController()


def one_thread(function: Callable[P, R]) -> Callable[P, R]:
    """A function for which BLAS has one thread; afterwards it has as many as before.

    Examples
    --------
    >>> import numpy as np
    >>> from bayescmp.threads import one_thread
    >>> float(one_thread(np.trace)(np.eye(2)))
    2.0
    """

    @wraps(function)
    def limited(*args: P.args, **kwargs: P.kwargs) -> R:
        with _libraries().limit(limits=1, user_api="blas"):
            return function(*args, **kwargs)

    return limited
