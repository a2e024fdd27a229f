"""Tables of other libraries (polars, Arrow, and what speaks their languages) as pandas' own."""

from __future__ import annotations

from typing import Any

from bayescmp.errors import InputError


def as_frame(value: object) -> Any:
    """Convert a table of another library to a DataFrame; whatever else it is stays as it is.

    Raises
    ------
    InputError
        For a table that is not computed yet, or that needs another package to be converted.

    Examples
    --------
    >>> import pyarrow as pa
    >>> from bayescmp.base.frames import as_frame
    >>> as_frame(pa.table({"dataset": ["iris"], "accuracy": [0.9]})).shape
    (1, 2)
    >>> as_frame([1, 2])
    [1, 2]
    """
    if hasattr(value, "iloc") or isinstance(value, type):
        return value
    kind = f"{type(value).__module__.partition('.')[0]} {type(value).__name__}"
    if hasattr(value, "collect") and hasattr(value, "collect_schema"):
        raise InputError(f"the table is a {kind}, not computed yet: give table.collect()")
    try:
        if hasattr(value, "to_pandas"):
            return value.to_pandas()
        if hasattr(value, "__arrow_c_stream__"):
            import pyarrow

            return pyarrow.table(value).to_pandas()
    except ImportError as error:
        package = error.name or "pyarrow"
        raise InputError(f"a {kind} is read by {package}: pip install {package}") from error
    return value
