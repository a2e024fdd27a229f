"""A table of scores: what it holds, which way its metrics go, and what it shows of itself."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from bayescmp import _html, checks
from bayescmp import columns as _columns
from bayescmp import metrics as _metrics
from bayescmp.deferred import Lean
from bayescmp.designs import Designs
from bayescmp.errors import InputError, unknown_name
from bayescmp.metric_columns import MetricColumn
from bayescmp.metrics import Direction
from bayescmp.paired import MISSING
from bayescmp.pairing import Pairing
from bayescmp.rates import canonical
from bayescmp.summaries import check_rows, check_transposed
from bayescmp.tables import ATTRS, Long, check_names, read_long
from bayescmp.text import counted
from bayescmp.units import warn_of_units

if TYPE_CHECKING:
    import pandas as pd
    from typing_extensions import Self

__all__ = ["ScoreTable"]


class ScoreTable(Lean):
    """The validated tidy table beneath `bayescmp.Scores`, whose parameters it takes."""

    def __init__(
        self,
        frame: pd.DataFrame,
        *,
        columns: Mapping[str, str] | None = None,
        metric: str | None = None,
        lower_is_better: Iterable[str] = (),
        higher_is_better: Iterable[str] = (),
        resampling: object = None,
        missing: str = "error",
    ) -> None:
        self.on_missing = checks.choice("missing", missing, MISSING)
        table = read_long(frame, columns, metric)
        only = None if table.wide else metric
        self._take(table, lower_is_better, higher_is_better, resampling, only)

    @classmethod
    def _of(cls, table: Long, lower: Iterable[str], higher: Iterable[str]) -> Self:
        """From a long table that has been read already."""
        scores = cls.__new__(cls)
        scores.on_missing = "error"
        scores._take(table, lower, higher, None)
        return scores

    def _take(
        self,
        table: Long,
        lower: Iterable[str],
        higher: Iterable[str],
        resampling: object,
        only: str | None = None,
    ) -> None:
        self.scale = "difference"
        frame, parts = table.frame, table.parts
        named = _columns.with_folds(frame, parts)
        seeds = "seed" in parts and named["repeat"] == parts["seed"] and "fold" in named
        parts = named
        own = {old: new for new, old in parts.items() if old != new}
        self.renamed = {**table.renamed, **own}
        self.layout = table.wide
        self._frame = _columns.tidy(frame, parts)
        for part in _columns.KEYS:
            check_names(self._frame, part, parts.get(part, part))
        self.pairing = Pairing(self._frame, "fold" in parts or "repeat" in parts)
        self.datasets, self.algorithms = self.pairing.datasets, self.pairing.algorithms
        check_rows(self.datasets)
        labels = {*_columns.KEYS, *_columns.NOTES, "n_test", "n_train"}
        others = [c for c in self._frame.columns if c not in labels]
        numeric = [
            c for c in others if self._frame[c].dtype.kind in "fiub" and not _columns.is_label(c)
        ]
        names = tuple(map(str, numeric))
        if only is not None and only not in names and canonical(only) is None and names:
            raise unknown_name("metric", only, names)
        if only in names:  # what follows from several columns needs them
            self._frame = self._frame.drop(columns=[c for c in numeric if str(c) != only])
            numeric = [only]
        self.metrics: tuple[str, ...] = tuple(map(str, numeric))
        text = (str(c) for c in others if c not in numeric)
        self.ignored: tuple[str, ...] = (*table.row_numbers, *text)
        if not self.metrics:
            columns = ", ".join(f"{c!r} ({frame[c].dtype})" for c in frame.columns)
            raise InputError(f"the table has no column of numbers to compare; found: {columns}")
        self._lower, self._higher = self._declared(lower), self._declared(higher)
        if self._lower & self._higher:
            both = min(self._lower & self._higher)
            raise InputError(f"metric {both!r} is declared lower-is-better and higher-is-better")
        if not {"dataset", "repeat", "fold"} & set(parts):
            known = bool(self._lower | self._higher)
            known |= any(not _metrics.direction(m).assumed for m in self.metrics)
            check_transposed(self._frame, self.metrics, known)
        if table.metric in self.metrics and table.metric not in self._lower | self._higher:
            self._lower |= {table.metric} if table.better == "lower" else set()
            self._higher |= {table.metric} if table.better == "higher" else set()
        self._warned: set[str] = set()
        self.recognised = ""
        self.resampling = Designs(self.pairing, resampling, seeds=seeds)

    @property
    def has_folds(self) -> bool:
        """Whether the table has repeats or folds; a row is a mean where it has none."""
        return self.pairing.has_folds

    @property
    def frame(self) -> pd.DataFrame:
        """A copy of the table, with the columns under their own names."""
        added = [] if self.has_folds else ["repeat", "fold"]
        return self._frame.drop(columns=added)

    @property
    def sole_metric(self) -> str:
        """The metric, where there is one only, columns of times left aside.

        Raises
        ------
        InputError
            If there are several: one has to be named.
        """
        scores = [m for m in self.metrics if not _metrics.is_time(m)] or list(self.metrics)
        if len(scores) > 1:
            raise InputError(
                "metric is missing: the table has several, "
                + ", ".join(repr(m) for m in self.metrics)
            )
        return scores[0]

    @property
    def missing(self) -> pd.DataFrame:
        """Folds without a score, or without some: one row each; empty if the table is complete.

        Returns
        -------
        DataFrame
            dataset, algorithm, repeat, fold, metrics (those that are missing), and the reason, as
            far as the table's column ``failure`` gives it. A fold that another algorithm has on
            the same data set is missing where it has no row.
        """
        codes = self.pairing
        return _columns.missing_folds(
            self._frame, codes.dataset_codes, codes.algorithm_codes, codes.fold_codes, self.metrics
        )

    def direction(self, metric: str) -> Direction:
        """Which way the metric is better: declared, known by its name, or assumed.

        Examples
        --------
        >>> import pandas as pd
        >>> import bayescmp as bc
        >>> table = pd.DataFrame({"dataset": ["a", "a"], "algorithm": ["knn", "svm"],
        ...                       "rmse": [1.5, 1.2], "foo": [3.0, 4.0]})
        >>> scores = bc.Scores(table)
        >>> print(scores.direction("rmse"), "|", scores.direction("foo"))
        rmse ↓ | foo ↑ (assumed)
        """
        return self._column(metric).direction

    def lower_is_better(self, metric: str) -> bool:
        """Whether lower values are better; see `direction`.

        Warns
        -----
        DirectionWarning
            Once for a metric that is neither declared nor known by its name.

        Raises
        ------
        InputError
            If the sign of the values contradicts the metric's name: a negated loss.

        Examples
        --------
        >>> import bayescmp as bc
        >>> scores = bc.Scores.read(
        ...     {"knn": [0.75, 0.5], "svm": [0.5, 1.0]}, metric="accuracy", resampling="2-fold"
        ... )
        >>> scores.lower_is_better("accuracy")
        False
        """
        column = self._column(metric)
        lower = column.lower
        if metric not in self._warned:
            self._warned.add(metric)
            _metrics.warn_assumed(column.direction)
            codes = self.pairing.dataset_codes
            warn_of_units(column.direction, column.values, codes, self.datasets)
        return lower

    def span(self, metric: str) -> float | None:
        """Length of the metric's range: 1 for accuracy, 100 for percent, None if unbounded.

        Examples
        --------
        >>> import bayescmp as bc
        >>> scores = bc.Scores.read(
        ...     {"knn": [0.75, 0.5], "svm": [0.5, 1.0]}, metric="accuracy", resampling="2-fold"
        ... )
        >>> scores.span("accuracy")
        1.0
        """
        return self._column(metric).span

    def means(self, metric: str | None = None) -> pd.DataFrame:
        """Mean score of each algorithm on each data set, in the metric's own direction.

        On the scale "log_ratio" it is the geometric mean.

        Parameters
        ----------
        metric : str, optional
            May be left out where the table has one metric only.

        Returns
        -------
        DataFrame of shape (data sets, algorithms)
            NaN where an algorithm has no score on a data set. Of a table that was read with
            missing="common": over the folds that all algorithms with scores on the data set have.

        Raises
        ------
        InputError
            Unknown metric, missing or infinite scores.

        Examples
        --------
        >>> import bayescmp as bc
        >>> scores = bc.Scores.read(
        ...     {"knn": [0.75, 0.5], "svm": [0.5, 1.0]}, metric="accuracy", resampling="2-fold"
        ... )
        >>> scores.means().loc["data"].tolist()
        [0.625, 0.75]
        """
        import pandas as pd

        metric = self.metric_named(metric)
        values = self._column(metric).values
        if self.on_missing == "common":
            kept = self.pairing.in_common(self.there(metric))
        else:
            kept = np.ones(len(values), dtype=bool)
        values = np.where(kept, values, 0.0)
        self.pairing.check_finite(values, f"metric {metric!r}", np.arange(len(values)))
        values = self._logs(metric, values, kept) if self.scale == "log_ratio" else values
        shape = (len(self.datasets), len(self.algorithms))
        cell = self.pairing.dataset_codes * shape[1] + self.pairing.algorithm_codes
        total = np.bincount(cell, weights=values, minlength=shape[0] * shape[1])
        count = np.bincount(cell[kept], minlength=shape[0] * shape[1])
        mean = np.divide(total, count, out=np.full(len(total), np.nan), where=count > 0)
        mean = np.exp(mean) if self.scale == "log_ratio" else mean
        table = pd.DataFrame(
            mean.reshape(shape),
            index=pd.Index(self.datasets, name="dataset"),
            columns=pd.Index(self.algorithms, name="algorithm"),
        )
        known = self.direction(metric)
        better = None if known.assumed else "lower" if known.lower else "higher"
        table.attrs[ATTRS] = {"metric": metric, "better": better}
        return table

    def there(self, metric: str) -> np.ndarray:
        """Which rows of the table have a score of the metric, shape (n,)."""
        return np.asarray(~np.isnan(self._column(self.metric_named(metric)).values))

    def metric_named(self, metric: str | None = None) -> str:
        """The metric of this name, or the only one there is if none is given.

        Raises
        ------
        InputError
            Unknown metric, or none given where there are several.

        Examples
        --------
        >>> import bayescmp as bc
        >>> scores = bc.Scores.read(
        ...     {"knn": [0.75, 0.5], "svm": [0.5, 1.0]}, metric="accuracy", resampling="2-fold"
        ... )
        >>> scores.metric_named()
        'accuracy'
        """
        return self._known("metric", metric or self.sole_metric, self.metrics)

    def values(self, metric: str, rows: np.ndarray | None = None) -> np.ndarray:
        """Scores of a metric, in its own direction.

        Parameters
        ----------
        metric : str
        rows : ndarray of int, optional
            Which rows of the table, in any shape; all if not given.

        Returns
        -------
        ndarray of the shape of ``rows``

        Raises
        ------
        InputError
            Unknown metric, missing or infinite scores.

        Examples
        --------
        >>> import bayescmp as bc
        >>> scores = bc.Scores.read(
        ...     {"knn": [0.75, 0.5], "svm": [0.5, 1.0]}, metric="accuracy", resampling="2-fold"
        ... )
        >>> scores.values("accuracy").tolist()
        [0.75, 0.5, 0.5, 1.0]
        """
        column = self._column(metric)
        rows = np.arange(len(column.values)) if rows is None else rows
        values = np.asarray(column.values[rows])
        if not column.finite:
            self.pairing.check_finite(values.ravel(), f"metric {metric!r}", rows.ravel())
        return values

    # -- helpers -------------------------------------------------------------------------------

    @cached_property
    def _columns(self) -> dict[str, MetricColumn]:
        return {}

    def _column(self, metric: str) -> MetricColumn:
        """A metric's numbers and direction, looked up when they are first asked for."""
        name = self._known("metric", metric, self.metrics)
        if name not in self._columns:
            declared = name in self._lower or name in self._higher
            direction = _metrics.direction(name, name in self._lower if declared else None)
            values = self._frame[name].to_numpy(dtype=float)
            self._columns[name] = MetricColumn(values, direction)
        return self._columns[name]

    def _logs(self, metric: str, values: np.ndarray, kept: np.ndarray) -> np.ndarray:
        low = np.flatnonzero(kept & (values <= 0))
        if len(low):
            raise InputError(
                f"scale='log_ratio' needs positive scores; metric {metric!r} is "
                f"{values[low[0]]:.4g} for {self.pairing.where(int(low[0]))}"
            )
        return np.log(np.where(kept, values, 1.0))

    def _known(self, what: str, name: str, known: tuple[str, ...]) -> str:
        if name not in known:
            raise unknown_name(what, name, known)
        return name

    def _declared(self, names: Iterable[str]) -> frozenset[str]:
        return frozenset(self._known("metric", m, self.metrics) for m in checks.as_names(names))

    @property
    def _size(self) -> str:
        """Data sets, algorithms and rows, counted."""
        parts = (self.datasets, "data set"), (self.algorithms, "algorithm"), (self._frame, "row")
        return ", ".join(counted(len(things), one) for things, one in parts)

    def __repr__(self) -> str:
        lines = [
            f"<Scores: {self._size}>",
            f"  algorithms: {', '.join(self.algorithms)}",
            f"  metrics: {', '.join(str(self.direction(m)) for m in self.metrics)}",
        ]
        if self.layout:
            lines.append(f"  read as a wide table: {self.layout}")
        if self.recognised:
            lines.append(f"  read as {self.recognised}")
        if self.renamed:
            lines.append("  read " + ", ".join(f"{o!r} as {n}" for o, n in self.renamed.items()))
        if self.ignored:
            lines.append(f"  ignored: {', '.join(self.ignored)}")
        missing = self.missing
        if len(missing):
            first = missing.iloc[0]
            where = ", ".join(f"{k} {first[k]}" for k in _columns.KEYS)
            lines.append(
                f"  missing: {counted(len(missing), 'fold')}, e.g. {where}: {first['reason']}"
            )
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        title = f"Scores: {self._size}"
        missing = f"{counted(len(self.missing), 'fold')}" if len(self.missing) else ""
        metrics = ", ".join(str(self.direction(m)) for m in self.metrics)
        facts = {
            "algorithms": ", ".join(self.algorithms),
            "metrics": metrics,
            "data sets": ", ".join(self.datasets),
            "ignored": ", ".join(self.ignored),
            "missing": missing,
        }
        return _html.titled(title, _html.facts(facts))
