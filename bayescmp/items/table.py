"""A table of items: what it holds, which way its metric goes, and what it shows of itself."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from bayescmp import _html, checks
from bayescmp import metrics as _metrics
from bayescmp.errors import InputError
from bayescmp.items.answers import Answers
from bayescmp.items.roles import recognise
from bayescmp.metrics import Direction
from bayescmp.paired import MISSING
from bayescmp.readers.base import Reading
from bayescmp.readers.items import read_items
from bayescmp.text import counted

if TYPE_CHECKING:
    import pandas as pd
    from typing_extensions import Self

__all__ = ["ItemTable"]

#: Names that say nothing of a metric but that an answer is right.
_PLAIN = {"score", "correct", "iscorrect", "right", "passed", "resolved", "value"}


class ItemTable:
    """The validated table beneath `bayescmp.Items`, whose parameters it takes.

    Nothing of it changes once it is read.
    """

    def __init__(
        self,
        frame: pd.DataFrame,
        *,
        columns: Mapping[str, str] | None = None,
        metric: str | None = None,
        lower_is_better: Iterable[str] = (),
        higher_is_better: Iterable[str] = (),
        missing: str = "error",
    ) -> None:
        if not hasattr(frame, "columns"):
            raise InputError(
                f"frame is {type(frame).__name__}; accepted: a DataFrame, one row per model and "
                "item (files: Items.read)"
            )
        checks.choice("missing", missing, MISSING)
        roles = recognise(frame, columns, metric)
        self._answers = Answers.read(frame, roles, missing)
        self._direction = _direction(
            roles["score"],
            self._answers.score,
            checks.as_names(lower_is_better),
            checks.as_names(higher_is_better),
        )
        self._renamed = {c: p for p, c in roles.items() if c != p}
        self._missing, self._recognised, self._warned = missing, "", False

    @classmethod
    def read(cls, source: object, format: str = "auto", **options: object) -> Self:
        """Items from a file, or from what another program wrote.

        Parameters
        ----------
        source : object
            A CSV or Parquet file, one row per model and item; ``samples_*.jsonl`` of
            lm-evaluation-harness, or a folder of them; a table of Inspect's samples, or a file of
            one; a list of such files; a DataFrame.
        format : {"auto", "table", "lm-eval", "inspect"}
            The program that wrote it. With "auto" the format is recognised by its columns, and
            shown with the items.
        **options
            As for `Items`; for lm-evaluation-harness also ``filter``, and ``metric`` may be a
            mapping of task to metric; for Inspect ``evals``, the output of ``evals_df`` for the
            same logs.

        Returns
        -------
        Items

        Raises
        ------
        InputError
            If the file does not exist, is empty or is not a table, several filters, metrics or
            scorers leave a choice, or as for `Items`.

        Examples
        --------
        >>> import pandas as pd
        >>> import bayescmp as bc
        >>> samples = pd.DataFrame({"model": ["a", "b"], "task_name": "gsm8k", "eval_id": [1, 2],
        ...                         "id": "q1", "epoch": 1, "score_match": ["C", "I"]})
        >>> bc.Items.read(samples).recognised
        'samples of Inspect, scorer match'
        """
        where = f"{str(source)!r}: " if isinstance(source, (str, os.PathLike)) else ""
        try:
            reading, left = read_items(source, format, **options)
            items = cls(reading.frame, **_settled(reading, left))
        except InputError as error:
            if not where or str(source) in str(error):
                raise
            raise InputError(f"{where}{error}") from None
        items._recognised = reading.recognised
        return items

    @property
    def answers(self) -> Answers:
        """The scores, epochs averaged."""
        return self._answers

    @property
    def models(self) -> tuple[str, ...]:
        """In order of appearance."""
        return self._answers.models

    @property
    def benchmarks(self) -> tuple[str, ...]:
        """In order of appearance."""
        return self._answers.benchmarks

    @property
    def direction(self) -> Direction:
        """The metric, and which way it is better."""
        return self._direction

    @property
    def renamed(self) -> dict[str, str]:
        """Columns that were recognised under another name."""
        return dict(self._renamed)

    @property
    def recognised(self) -> str:
        """The program that wrote the table; empty where none was recognised."""
        return self._recognised

    @property
    def on_missing(self) -> str:
        """What was given as ``missing``."""
        return self._missing

    @property
    def clustered(self) -> bool:
        """Whether the table has clusters of items."""
        return self._answers.cluster is not None

    @property
    def frame(self) -> pd.DataFrame:
        """One row per model and item, epochs averaged, under the columns' own names.

        Returns
        -------
        DataFrame
            model, benchmark, item, cluster (its number) where there are any, epochs, and the
            metric.
        """
        import pandas as pd

        known, question = self._answers, self._answers.question
        model = np.repeat(np.arange(len(self.models)), np.diff(known.starts))
        columns = {
            "model": np.array(self.models, dtype=object)[model],
            "benchmark": np.array(self.benchmarks, dtype=object)[known.benchmark[question]],
            "item": known.items[question],
        }
        if known.cluster is not None:
            columns["cluster"] = known.cluster[question]
        scores = {"epochs": known.epochs, self.direction.metric: known.score}
        return pd.DataFrame({**columns, **scores})

    @property
    def span(self) -> float | None:
        """Length of the metric's range; None if it is unbounded or the scores exceed it."""
        return _metrics.span_of(self.direction.metric, self._answers.score)

    def means(self) -> pd.DataFrame:
        """Mean score of each model on each benchmark, over the items that it has.

        Returns
        -------
        DataFrame of shape (benchmarks, models)
            NaN where a model has no item of a benchmark.

        Examples
        --------
        >>> import pandas as pd
        >>> import bayescmp as bc
        >>> table = pd.DataFrame({"model": ["a", "a", "b", "b"], "item": [1, 2] * 2,
        ...                       "benchmark": "gsm8k", "correct": [0, 1, 1, 1]})
        >>> bc.Items(table).means().loc["gsm8k"].to_dict()
        {'a': 0.5, 'b': 1.0}
        """
        table = self.frame.groupby(["benchmark", "model"], sort=False)[self.direction.metric]
        return table.mean().unstack().reindex(index=self.benchmarks, columns=self.models)

    # -- what it shows -------------------------------------------------------------------------

    def _warn_of_direction(self) -> None:
        """Say once that the metric's direction is assumed, where it is."""
        if not self._warned:
            self._warned = True
            _metrics.warn_assumed(self.direction)

    @property
    def _size(self) -> str:
        items = counted(len(self._answers.items), "item")
        return (
            f"{items} of {counted(len(self.benchmarks), 'benchmark')}, "
            f"{counted(len(self.models), 'model')}"
        )

    def __repr__(self) -> str:
        known = self._answers
        lines = [f"<Items: {self._size}>", f"  models: {', '.join(self.models)}"]
        if len(self.benchmarks) > 1:
            sizes = np.bincount(known.benchmark, minlength=len(self.benchmarks))
            named = [f"{b} ({n})" for b, n in zip(self.benchmarks, sizes, strict=True)]
            lines.append(f"  benchmarks: {', '.join(named)}")
        if known.cluster is not None:
            lines.append(f"  {counted(len(np.unique(known.cluster)), 'cluster')} of items")
        if known.epochs.max() > 1:
            least, most = int(known.epochs.min()), int(known.epochs.max())
            lines.append(f"  epochs: {least if least == most else f'{least} to {most}'}, averaged")
        lines.append(f"  metric: {self.direction}")
        if self.recognised:
            lines.append(f"  read as {self.recognised}")
        if self.renamed:
            lines.append("  read " + ", ".join(f"{o!r} as {n}" for o, n in self.renamed.items()))
        if known.empty:
            lines.append(f"  missing: {counted(known.empty, 'score')}")
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        known = self._answers
        facts = {
            "models": ", ".join(self.models),
            "benchmarks": ", ".join(self.benchmarks),
            "clusters": "" if known.cluster is None else str(len(np.unique(known.cluster))),
            "metric": str(self.direction),
            "missing": counted(known.empty, "score") if known.empty else "",
        }
        return _html.titled(f"Items: {self._size}", _html.facts(facts))


def _settled(reading: Reading, options: Mapping[str, Any]) -> dict[str, Any]:
    """The options with what the format tells; what the user says goes first."""
    lower, higher = (checks.as_names(options.get(f"{w}_is_better")) for w in ("lower", "higher"))
    return {
        **options,
        "columns": {**(reading.columns or {}), **(options.get("columns") or {})},
        "higher_is_better": [*higher, *(n for n in reading.higher if n not in {*lower, *higher})],
    }


def _direction(column: str, values: np.ndarray, lower: list[str], higher: list[str]) -> Direction:
    """The metric and its direction; right or wrong under a plain name is accuracy."""
    for way, names in (("lower", lower), ("higher", higher)):
        wrong = [n for n in names if n != column]
        if wrong:
            raise InputError(f"{way}_is_better={wrong[0]!r}; the score is {column!r}")
    if lower and higher:
        raise InputError(f"metric {column!r} is declared lower-is-better and higher-is-better")
    plain = "".join(c for c in column.lower() if c.isalnum())
    if plain in _PLAIN and not lower and bool(np.all((values >= 0) & (values <= 1))):
        return _metrics.direction("accuracy")
    return _metrics.direction(column, bool(lower) if lower or higher else None)
