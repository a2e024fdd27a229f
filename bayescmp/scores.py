"""Scores: the validated tidy table (data set, algorithm, repeat, fold, metrics...)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from bayescmp import _html, checks
from bayescmp import columns as _columns
from bayescmp import cv_results as _cv_results
from bayescmp import metrics as _metrics
from bayescmp.cv_results import from_cv_results
from bayescmp.differences import Differences, smallest_step
from bayescmp.errors import InputError, unknown_name
from bayescmp.metrics import Direction

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["Scores"]


class Scores:
    """Scores of algorithms on data sets, one row a fold and one column a metric.

    Parameters
    ----------
    frame : DataFrame
        Long table with a column for the data set and the algorithm, columns for repeat and fold
        where scores come from cross-validation, and one column of numbers a metric. Common
        spellings of those columns are accepted (``renamed`` reports them). Without a repeat
        column there is one repeat. A wide table of means (data sets x algorithms) is accepted too.
    columns : mapping of str to str, optional
        Which column plays which part ("dataset", "algorithm", "repeat", "fold", "n_test",
        "n_train"), where its name does not tell: ``{"dataset": "dataset_id"}``.
    metric : str
        Name of the metric of a wide table.
    lower_is_better, higher_is_better : iterable of str
        Metrics whose direction their name does not tell, or tells wrong.

    Attributes
    ----------
    datasets, algorithms, metrics : tuple of str
        What is compared, in order of appearance.
    renamed : dict of str to str
        Columns that were recognised under another name.
    ignored : tuple of str
        Columns of text that are neither a label nor a metric.

    Notes
    -----
    Two more columns are understood, which `bayescmp.run_experiment` writes where they are needed:
    ``failure``, why a fold's scores are missing, and ``fold_correlation``, the correlation of a
    data set's folds where their labels do not tell it.

    Raises
    ------
    InputError
        No rows, a missing column, a missing label, duplicate (data set, algorithm, repeat, fold)
        rows, no numeric metric. Scores themselves (missing, infinite) are checked for the metric
        and the algorithms that are asked for.
    """

    def __init__(
        self,
        frame: pd.DataFrame,
        *,
        columns: Mapping[str, str] | None = None,
        metric: str = "score",
        lower_is_better: Iterable[str] = (),
        higher_is_better: Iterable[str] = (),
    ) -> None:
        parts = _columns.recognise(_columns.check_frame(frame).columns, columns)
        if _columns.is_wide(frame, parts):
            frame = _columns.long_from_wide(frame, parts, metric)
            parts = {"dataset": "dataset", "algorithm": "algorithm"}
        self.renamed = {old: new for new, old in parts.items() if old != new}
        self._frame = _columns.tidy(frame, parts)
        self.has_folds = "fold" in parts or "repeat" in parts
        self._codes, self.datasets = _columns.factorise(self._frame, "dataset")
        self._algorithm_codes, self.algorithms = _columns.factorise(self._frame, "algorithm")
        self._fold_codes = _columns.fold_codes(self._frame)
        labels = {*_columns.KEYS, *_columns.NOTES, "n_test", "n_train"}
        others = [c for c in self._frame.columns if c not in labels]
        numeric = [
            c for c in others
            if self._frame[c].dtype.kind in "fiub" and not _columns.is_label(c)
        ]  # fmt: skip
        self.metrics: tuple[str, ...] = tuple(map(str, numeric))
        self.ignored: tuple[str, ...] = tuple(str(c) for c in others if c not in numeric)
        if not self.metrics:
            raise InputError(
                "the table has no column of numbers to compare; found: "
                + ", ".join(map(repr, self._frame.columns))
            )
        self._check_duplicates()
        self._lower = self._declared(lower_is_better)
        self._higher = self._declared(higher_is_better)
        if self._lower & self._higher:
            both = min(self._lower & self._higher)
            raise InputError(f"metric {both!r} is declared lower-is-better and higher-is-better")
        self._warned: set[str] = set()

    @classmethod
    def read(cls, path: Any, **options: Any) -> Scores:
        """Scores from a CSV or Parquet file.

        Parameters
        ----------
        path : path-like
            The file.
        **options
            As for `Scores`.

        Returns
        -------
        Scores

        Raises
        ------
        InputError
            If the file does not exist, is empty or is no table, or as for `Scores`.
        """
        try:
            return cls(_columns.read_table(path), **options)
        except InputError as error:
            if str(path) in str(error):
                raise
            raise InputError(f"{str(path)!r}: {error}") from None

    @classmethod
    def from_cv_results(
        cls, results: Mapping[Any, Any], *, folds: int | None = None, **options: Any
    ) -> Scores:
        """Scores from what scikit-learn's ``cross_validate`` returned.

        Parameters
        ----------
        results : mapping
            ``{dataset: {algorithm: result}}``, ``{(dataset, algorithm): result}``, or
            ``{algorithm: result}`` for one data set. Splits have to be the same for all
            algorithms on a data set.
        folds : int, optional
            Folds of one run, for repeated cross-validation. Read from the indices where the
            result has them (``return_indices=True``); else up to ten scores are taken as one run.
        **options
            As for `Scores`.

        Returns
        -------
        Scores

        Raises
        ------
        InputError
            Where a result holds no scores, or the number of folds can't be told.
        """
        frame = from_cv_results(results, folds)
        declared = {*_listed(options.get("lower_is_better")),
                    *_listed(options.get("higher_is_better"))}  # fmt: skip
        higher = _cv_results.higher_is_better(frame, declared)
        options["higher_is_better"] = [*_listed(options.get("higher_is_better")), *higher]
        return cls(frame, **options)

    @classmethod
    def from_means(cls, frame: pd.DataFrame, *, metric: str = "score", **options: Any) -> Scores:
        """Scores from a wide table of means: one row a data set, one column an algorithm.

        Parameters
        ----------
        frame : DataFrame of shape (data sets, algorithms)
            The index, or a column named as a data set, names the data sets.
        metric : str
            What the means are of.
        **options
            As for `Scores`.

        Returns
        -------
        Scores
        """
        parts = _columns.recognise(_columns.check_frame(frame).columns)
        if "dataset" not in parts:
            frame = frame.rename_axis("dataset").reset_index()
            parts = {"dataset": "dataset"}
        return cls(_columns.long_from_wide(frame, parts, metric), **options)

    @property
    def frame(self) -> pd.DataFrame:
        """A copy of the table, with the columns under their own names."""
        return self._frame.copy()

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
            dataset, algorithm, repeat, fold, metrics (those that are missing), and why, as far as
            the table's column ``failure`` tells. A fold that another algorithm has on the same
            data set is missing where it has no row.
        """
        return _columns.missing_folds(
            self._frame, self._codes, self._algorithm_codes, self._fold_codes, self.metrics
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
        metric = self._known("metric", metric, self.metrics)
        declared = metric in self._lower or metric in self._higher
        return _metrics.direction(metric, metric in self._lower if declared else None)

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
        """
        found = self.direction(metric)
        _metrics.check_sign(found, self._frame[metric].to_numpy(dtype=float))
        if found.assumed and metric not in self._warned:
            self._warned.add(metric)
            _metrics.warn_assumed(found)
        return found.lower

    def replaced(self, frame: pd.DataFrame, *, lower_is_better: Iterable[str] = ()) -> Scores:
        """The same declarations for another table, such as some of the rows of this one.

        Parameters
        ----------
        frame : DataFrame
            As `frame` is.
        lower_is_better : iterable of str
            Metrics that are new in it, and for which lower is better.
        """
        declared = [(self._lower | set(lower_is_better)), self._higher]
        lower, higher = ([m for m in names if m in frame] for names in declared)
        scores = Scores(frame, lower_is_better=lower, higher_is_better=higher)
        scores._warned = self._warned
        return scores

    def span(self, metric: str) -> float | None:
        """Length of the metric's range: 1 for accuracy, 100 for percent, None if unbounded."""
        ends = _metrics.known_range(self._known("metric", metric, self.metrics))
        if ends is None:
            return None
        largest = np.nanmax(np.abs(self._frame[metric].to_numpy(dtype=float)))
        length = ends[1] - ends[0]
        return length * 100 if 1 < largest <= 100 else length if largest <= 1 else None

    def means(self, metric: str | None = None) -> pd.DataFrame:
        """Mean score of each algorithm on each data set, in the metric's own direction.

        Parameters
        ----------
        metric : str, optional
            May be left out where the table has one metric only.

        Returns
        -------
        DataFrame of shape (data sets, algorithms)
            NaN where an algorithm has no score on a data set.

        Raises
        ------
        InputError
            Unknown metric, missing or infinite scores.
        """
        import pandas as pd

        metric = self._known("metric", metric or self.sole_metric, self.metrics)
        values = self._frame[metric].to_numpy(dtype=float)
        self._check_finite(metric, values, np.arange(len(values)))
        shape = (len(self.datasets), len(self.algorithms))
        cell = self._codes * shape[1] + self._algorithm_codes
        total = np.bincount(cell, weights=values, minlength=shape[0] * shape[1])
        count = np.bincount(cell, minlength=shape[0] * shape[1])
        mean = np.divide(total, count, out=np.full(len(total), np.nan), where=count > 0)
        return pd.DataFrame(
            mean.reshape(shape),
            index=pd.Index(self.datasets, name="dataset"),
            columns=pd.Index(self.algorithms, name="algorithm"),
        )

    def differences(
        self, first: str, second: str, metric: str | None = None, *, rho: Any = None
    ) -> Differences:
        """Fold-by-fold differences of two algorithms, second minus first.

        Scores are paired by (repeat, fold). Metrics for which lower is better are flipped, so that
        a positive difference always says that the second is better.

        Parameters
        ----------
        first, second : str
            The two algorithms.
        metric : str, optional
            May be left out where the table has one metric only.
        rho : float or array_like of shape (q,), optional
            Correlation of two folds' differences; 1/folds from the labels if not given, or
            n_test / (n_train + n_test) for single splits where the table has those columns.

        Returns
        -------
        Differences
            Rows in the order of `datasets`, each in the order of (repeat, fold).

        Raises
        ------
        InputError
            Unknown names, scores missing or infinite, folds that do not pair, a data set that
            only one of the two was run on, a number of folds that can't be told.
        """
        metric = self._known("metric", metric or self.sole_metric, self.metrics)
        a, b = (self._rows_of(name, metric) for name in (first, second))
        self._check_pairs(a, b, (first, second))
        sign = -1.0 if self.lower_is_better(metric) else 1.0
        values = self._frame[metric].to_numpy(dtype=float)
        delta = sign * (values[b] - values[a])
        starts = np.flatnonzero(np.r_[True, np.diff(self._codes[a]) != 0])
        datasets = [self.datasets[i] for i in self._codes[a][starts]]
        groups = list(zip(np.split(a, starts[1:]), np.split(b, starts[1:]), strict=True))
        return Differences(
            np.split(delta, starts[1:]),
            rho=self._rho(groups, datasets) if rho is None else checks.rho(rho, len(datasets)),
            names=(str(first), str(second)),
            datasets=datasets,
            metric=metric,
            direction=self.direction(metric),
            span=self.span(metric),
            resolution=[self._resolution(metric, np.r_[g], values) for g in groups],
        )

    # -- helpers -------------------------------------------------------------------------------

    def _known(self, what: str, name: str, known: tuple[str, ...]) -> str:
        if name not in known:
            raise unknown_name(what, name, known)
        return name

    def _declared(self, names: Iterable[str]) -> frozenset[str]:
        return frozenset(self._known("metric", m, self.metrics) for m in _listed(names))

    def _rows_of(self, algorithm: str, metric: str) -> np.ndarray:
        """Row numbers of an algorithm, sorted by (data set, repeat, fold)."""
        code = self.algorithms.index(self._known("algorithm", str(algorithm), self.algorithms))
        rows = np.flatnonzero(self._algorithm_codes == code)
        self._check_finite(metric, self._frame[metric].to_numpy(dtype=float)[rows], rows)
        return rows[np.lexsort((self._fold_codes[rows], self._codes[rows]))]

    def _where(self, row: int) -> str:
        label = self._frame.iloc[row]
        parts = [f"{k} {label[k]!r}" for k in ("dataset", "algorithm")]
        if self.has_folds:
            parts += [f"{k} {label[k]}" for k in ("repeat", "fold")]
        return ", ".join(parts)

    def _check_finite(self, metric: str, values: np.ndarray, rows: np.ndarray) -> None:
        bad = np.flatnonzero(~np.isfinite(values))
        if len(bad):
            kind = "missing (NaN)" if np.isnan(values[bad[0]]) else "infinite"
            row = int(rows[bad[0]])
            why = _columns.failure_of(self._frame, row)
            more = f", and {len(bad) - 1} more like it" if len(bad) > 1 else ""
            raise InputError(
                f"metric {metric!r} is {kind} for {self._where(row)}{why}{more}; every "
                "fold needs a finite score: complete the runs, or drop the data set for all"
            )

    def _check_duplicates(self) -> None:
        key = (self._codes * len(self.algorithms) + self._algorithm_codes) * (
            int(self._fold_codes.max()) + 1
        ) + self._fold_codes
        order = np.argsort(key, kind="stable")
        again = np.flatnonzero(np.diff(key[order]) == 0)
        if len(again):
            row = int(order[again[0] + 1])
            hint = "" if self.has_folds else "; several scores each need repeat and fold columns"
            raise InputError(
                f"{len(again)} duplicate row{'s' if len(again) > 1 else ''}: {self._where(row)} "
                f"appears more than once{hint}"
            )

    def _check_pairs(self, a: np.ndarray, b: np.ndarray, names: tuple[str, str]) -> None:
        """The two algorithms were run on the same data sets, repeats and folds."""
        if names[0] == names[1]:
            raise InputError(f"first and second are both {names[0]!r}: nothing to compare")
        width = int(self._fold_codes.max()) + 1
        keys = [self._codes[rows] * width + self._fold_codes[rows] for rows in (a, b)]
        for i, j in ((0, 1), (1, 0)):
            alone = np.setdiff1d(keys[i], keys[j])
            if len(alone):
                row = (a, b)[i][np.flatnonzero(keys[i] == alone[0])[0]]
                raise InputError(
                    f"folds don't pair: {self._where(int(row))} has no partner among the scores "
                    f"of {names[j]!r} ({len(alone)} such); both need the same folds"
                )

    def _rho(self, groups: list[Any], datasets: list[str]) -> list[float]:
        return [self._rho_of(a, dataset) for (a, _), dataset in zip(groups, datasets, strict=True)]

    def _rho_of(self, rows: np.ndarray, dataset: str) -> float:
        """1/folds of a data set, its folds being those of one repeat."""
        if not self.has_folds:
            return 0.0
        told = _columns.told_correlation(self._frame, rows, dataset)
        if told is not None:
            return told
        per_repeat = np.unique(self._frame["repeat"].to_numpy()[rows], return_counts=True)[1]
        if len(set(per_repeat)) > 1:
            raise InputError(
                f"data set {dataset!r} has repeats of {per_repeat.min()} to {per_repeat.max()} "
                "folds: complete them, or give rho"
            )
        if per_repeat[0] > 1:
            return 1.0 / float(per_repeat[0])
        if {"n_train", "n_test"} <= set(self._frame.columns):
            train, test = (self._frame[c].to_numpy()[rows].mean() for c in ("n_train", "n_test"))
            return float(test / (train + test))
        raise InputError(
            f"data set {dataset!r} has a single fold{'' if len(rows) == 1 else ' a repeat'}: the "
            "correlation can't be told from it. Give rho = n_test/(n_train + n_test) for random "
            "splits (or columns n_train and n_test), or scores of every fold"
        )

    def _resolution(self, metric: str, rows: np.ndarray, values: np.ndarray) -> float:
        """Step of a metric on a data set: 1/n_test where known, else the smallest step seen."""
        step, n_test = smallest_step(values[rows.ravel()]), self._n_test(rows.ravel())
        span = self.span(metric)
        if n_test is None or span is None:
            return step
        return span / n_test

    def _n_test(self, rows: np.ndarray) -> float | None:
        if "n_test" in self._frame.columns:
            return float(self._frame["n_test"].to_numpy(dtype=float)[rows].mean())
        if {"tp", "fn", "fp", "tn"} <= set(self.metrics):
            counts = self._frame[["tp", "fn", "fp", "tn"]].to_numpy(dtype=float)[rows]
            return float(counts.sum(axis=1).mean())
        return None

    def __repr__(self) -> str:
        told = [
            f"<Scores: {len(self.datasets)} data sets, {len(self.algorithms)} algorithms, "
            f"{len(self._frame)} rows>",
            f"  algorithms: {', '.join(self.algorithms)}",
            f"  metrics: {', '.join(str(self.direction(m)) for m in self.metrics)}",
        ]
        if self.renamed:
            told.append("  read " + ", ".join(f"{o!r} as {n}" for o, n in self.renamed.items()))
        if self.ignored:
            told.append(f"  ignored: {', '.join(self.ignored)}")
        missing = self.missing
        if len(missing):
            first = missing.iloc[0]
            where = ", ".join(f"{k} {first[k]}" for k in _columns.KEYS)
            told.append(f"  missing: {len(missing)} folds, e.g. {where}: {first['reason']}")
        return "\n".join(told)

    def _repr_html_(self) -> str:
        title = (
            f"Scores: {len(self.datasets)} data sets, {len(self.algorithms)} algorithms, "
            f"{len(self._frame)} rows"
        )
        missing = f"{len(self.missing)} folds" if len(self.missing) else ""
        metrics = ", ".join(str(self.direction(m)) for m in self.metrics)
        facts = {"algorithms": ", ".join(self.algorithms), "metrics": metrics,
                 "data sets": ", ".join(self.datasets), "ignored": ", ".join(self.ignored),
                 "missing": missing}  # fmt: skip
        return _html.titled(title, _html.facts(facts))


def _listed(names: Iterable[str] | None) -> list[str]:
    return [names] if isinstance(names, str) else list(names or ())
