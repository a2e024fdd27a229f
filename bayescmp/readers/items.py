"""The formats of tables of items, and the choice between them."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from bayescmp.errors import InputError, unknown_name
from bayescmp.readers import inspect_ai, lm_eval
from bayescmp.readers.base import Format, Reading, Source

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["ITEM_FORMATS", "read_items"]

#: In the order in which they are tried.
ITEM_FORMATS: tuple[Format, ...] = (
    Format("lm-eval", lm_eval.matches, lm_eval.read, ("filter", "metric")),
    Format("inspect", inspect_ai.matches, inspect_ai.read, ("evals", "metric")),
)


def read_items(
    value: object, format: str = "auto", **options: object
) -> tuple[Reading, dict[str, object]]:
    """Read items in any of the formats.

    Parameters
    ----------
    value : object
        A path, several of them, a folder, or a DataFrame.
    format : str
        Name of the format, or "table"; "auto" asks each, and takes a table as it is where none is
        known.
    **options
        Those of the format are taken from them.

    Returns
    -------
    Reading
    dict
        The options that are left for `bayescmp.Items`.

    Raises
    ------
    InputError
        An unknown format, or a source that is not in it.

    Examples
    --------
    >>> import pandas as pd
    >>> from bayescmp.readers.items import read_items
    >>> samples = pd.DataFrame({"eval_id": ["e"], "id": ["1"], "epoch": [1], "score_match": ["C"],
    ...                         "model": ["m"], "task_name": ["gsm8k"]})
    >>> read_items(samples)[0].recognised
    'samples of Inspect, scorer match'
    """
    source = _source(value)
    known = {f.name: f for f in ITEM_FORMATS}
    format = str(format)
    if format not in ("auto", "table", *known):
        raise unknown_name("format", format, ["auto", "table", *known])
    form = next((f for f in ITEM_FORMATS if f.matches(source)), None)
    if format in known:
        form = known[format]
        if not form.matches(source):
            raise InputError(f"the source is not in the format {format!r}")
    form = None if format == "table" else form
    _refuse_foreign(form, options)
    if form is None:
        return Reading(_table(source), ""), dict(options)
    taken = {name: options[name] for name in form.options if options.get(name) is not None}
    return form.read(source, **taken), {k: v for k, v in options.items() if k not in form.options}


def _refuse_foreign(form: Format | None, options: Mapping[str, object]) -> None:
    """Refuse options that only another format has."""
    own = {"metric", *(() if form is None else form.options)}
    for other in ITEM_FORMATS:
        for name in (n for n in other.options if n in options and n not in own):
            what = "a table" if form is None else f"in the format {form.name!r}"
            raise InputError(f"{name} is an option of {other.name!r}, but the source is {what}")


def _source(value: object) -> Source:
    """A table where it is one or a file of one; samples in JSON lines and folders are left."""
    if isinstance(value, (list, tuple)):
        return _source(value[0]) if len(value) == 1 else Source(value)
    if isinstance(value, (str, os.PathLike)):
        path = Path(value)
        if path.is_dir() or path.suffix == ".jsonl":
            return Source(value)
    return Source.of(value)


def _table(source: Source) -> pd.DataFrame:
    """The table, of several files put together."""
    import pandas as pd

    if source.frame is not None:
        return source.frame
    value = source.value
    if isinstance(value, (list, tuple)) and value and not isinstance(value, Mapping):
        return pd.concat([_table(_source(v)) for v in value], ignore_index=True)
    if isinstance(value, (str, os.PathLike)):
        where = str(value)
        if not Path(value).exists():
            raise InputError(f"cannot read items from {where!r}: it does not exist")
        raise InputError(
            f"{where!r} holds no items that a reader knows; accepted: a CSV or Parquet table, "
            "samples_*.jsonl of lm-evaluation-harness, or a folder of them"
        )
    raise InputError(
        f"items are {type(value).__name__}, which no reader knows; accepted: a path, several of "
        f"them, or a DataFrame; formats: {', '.join(f.name for f in ITEM_FORMATS)}"
    )
