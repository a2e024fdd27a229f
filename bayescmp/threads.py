"""One thread for linear algebra: matrices as small as ours lose by being shared among cores."""

from __future__ import annotations

import sys
from collections.abc import Callable
from contextlib import AbstractContextManager
from functools import lru_cache, wraps
from typing import TYPE_CHECKING, ParamSpec, TypeVar

if TYPE_CHECKING:
    from threadpoolctl import ThreadpoolController

__all__ = ["at_most", "one_thread"]

P = ParamSpec("P")
R = TypeVar("R")


@lru_cache(maxsize=1)
def _libraries(modules: int) -> ThreadpoolController:
    """The libraries loaded with this many modules: looking for them takes milliseconds."""
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController()


def at_most(threads: int | None, user_api: str | None = None) -> AbstractContextManager[object]:
    """Limit the threads of BLAS, of OpenMP or, by default, of both; None is no limit.

    Examples
    --------
    >>> import numpy as np
    >>> from bayescmp.threads import at_most
    >>> with at_most(1):
    ...     print(np.trace(np.eye(2)))
    2.0
    """
    context: AbstractContextManager[object] = _libraries(len(sys.modules)).limit(
        limits=threads, user_api=user_api
    )
    return context


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
        with at_most(1, "blas"):
            return function(*args, **kwargs)

    return limited
