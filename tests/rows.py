"""Tests of many rows that each take milliseconds, as one case of the suite."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable
from functools import wraps
from typing import Any


def each_row(
    names: str | tuple[str, ...],
    rows: Iterable[Any],
    ids: Iterable[Any] | Callable[[Any], Any] | None = None,
) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Run a test on every row, and name the row that fails.

    The arguments are those of ``pytest.mark.parametrize``. Fixtures are shared by the rows.
    """
    words = [name.strip() for name in names.split(",")] if isinstance(names, str) else [*names]
    rows = list(rows)
    assert rows, "a test without rows would pass"
    labels = [*map(ids, rows)] if callable(ids) else [*(ids or rows)]

    def decorate(test: Callable[..., None]) -> Callable[..., None]:
        @wraps(test)
        def run(**fixtures: Any) -> None:
            for label, row in zip(labels, rows, strict=True):
                values = row if len(words) > 1 else (row,)
                try:
                    test(**dict(zip(words, values, strict=True)), **fixtures)
                except BaseException as error:
                    error.add_note(f"{', '.join(words)}: {label!r}")
                    raise

        signature = inspect.signature(test)
        left = [p for name, p in signature.parameters.items() if name not in words]
        run.__signature__ = signature.replace(parameters=left)  # of pytest's fixtures
        return run

    return decorate
