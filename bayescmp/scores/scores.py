"""Scores: tables of them from anywhere, and the differences of two algorithms."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from bayescmp.base import checks
from bayescmp.base.arguments import arg, must
from bayescmp.base.checks import RhoLike, check_choice, optional, text, validate_params
from bayescmp.base.magnitudes import rounding_noise, steps_of_runs
from bayescmp.base.records import without_caches
from bayescmp.errors import InputError, name_argument, unknown_name, warn_user
from bayescmp.scores import columns as _columns
from bayescmp.scores import metrics as _metrics
from bayescmp.scores import rope, tables
from bayescmp.scores.designs import Designs, refuse_pairs, resampling_of_rho
from bayescmp.scores.differences import Differences, split_runs
from bayescmp.scores.layout import Layout, RowKind, advise_errors, check_rows, check_transposed
from bayescmp.scores.metrics import COUNTS, Direction, canonical_rate
from bayescmp.scores.pairing import LeftOut, Pairing, check_differ, paired_by, starts_of
from bayescmp.scores.questions import check_no_questions
from bayescmp.scores.readers.base import name_file_in_errors
from bayescmp.scores.resampling import Resampling
from bayescmp.scores.rope import SCALES
from bayescmp.scores.runs import Runs
from bayescmp.wording.markup import add_title, html_facts
from bayescmp.wording.text import format_count

if TYPE_CHECKING:
    from bayescmp.scores.predictions import Predictions


# Scores in unlike units: percent and fractions, and values outside a metric's range.


def warn_of_units(
    known: Direction, values: np.ndarray, codes: np.ndarray, datasets: Sequence[str]
) -> None:
    """Warn where data sets of a metric of known range are in percent, or outside that range."""
    ends = _metrics.known_range(known.metric)
    there = np.isfinite(values)
    if ends is None or not there.any():
        return
    values, codes = values[there], codes[there]
    if known.lower != _metrics.lower_is_better(known.metric) and (values <= 0).all():
        values = -values  # a loss that a scorer negated, as its direction says
    outside = (values < min(0.0, 100 * ends[0]) - _metrics.ROUNDING) | (values > 100 * ends[1])
    if outside.any():
        i = int(np.flatnonzero(outside)[0])
        warn_user(
            f"metric {known.metric!r} is {values[i]:.4g} on data set {datasets[codes[i]]!r}: "
            f"outside its range, {ends[0]:g} to {ends[1]:g} (or {100 * ends[1]:g} in percent)"
        )
        return
    largest = np.zeros(len(datasets))
    np.maximum.at(largest, codes, np.abs(values))
    percent, fraction = (np.flatnonzero(s) for s in (largest > ends[1], largest <= ends[1]))
    fraction = fraction[np.isin(fraction, codes)]
    # One error rate of half a percent is not a fraction; only many of them would look like one.
    many = len(fraction) >= (len(percent) if known.lower else 1)
    if len(percent) and len(fraction) and many:
        one, other = percent[0], fraction[0]
        warn_user(
            f"metric {known.metric!r} seems to be in percent on {len(percent)} of "
            f"{len(percent) + len(fraction)} data sets ({datasets[one]!r}: up to "
            f"{largest[one]:.4g}) and a fraction on the others ({datasets[other]!r}: up to "
            f"{largest[other]:.4g}); put all in one unit"
        )


# One metric of a table of scores: its numbers, and what every pair of algorithms asks of them.


@dataclass(frozen=True, eq=False)
class MetricColumn:
    """A metric's scores, `values` (n,), one for each row or NaN; read and checked once."""

    values: np.ndarray
    direction: Direction

    def __getstate__(self) -> dict[str, object]:
        return without_caches(self)

    @cached_property
    def finite(self) -> bool:
        """Whether no score is missing or infinite."""
        return bool(np.isfinite(self.values).all())

    @cached_property
    def lower(self) -> bool:
        """Whether lower is better."""
        _metrics.check_sign(self.direction, self.values)
        return self.direction.lower

    @cached_property
    def span(self) -> float | None:
        """Length of the metric's range: 1 for accuracy, 100 for percent, None if unbounded."""
        ends = _metrics.known_range(self.direction.metric)
        if ends is None:
            return None
        largest = np.nanmax(np.abs(self.values))
        length = ends[1] - ends[0]
        return length * 100 if 1 < largest <= 100 else length if largest <= 1 else None


#: The options for a score that only one of the two algorithms has.
MISSING = ("error", "common")


# A table of scores: its contents, the direction of its metrics, and its views.


class Scores:
    """Scores of algorithms on data sets, one row per fold and one column per metric.

    Parameters
    ----------
    frame : DataFrame
        Long table with columns for the data set and the algorithm, perhaps repeat and fold, and
        one column of numbers per metric. Common spellings of the labels are accepted (``renamed``
        reports them); they may also be levels of the index or of the columns. Or a wide table: one
        column per algorithm, one row per data set or fold.
    columns : mapping of str to str, optional
        The column of each part ("dataset", "algorithm", "repeat", "fold", "n_test", "n_train"), if
        its name does not show the part: ``{"dataset": "dataset_id"}``.
    metric : str, optional
        For a wide table, the metric's name; for a long one, the column to keep (all if not given).
    lower_is_better, higher_is_better : iterable of str
        Metrics whose name does not show their direction, or shows the wrong one.
    resampling : Resampling, str, splitter or mapping, optional
        How the folds were drawn, for all data sets or by data set, if the table does not specify
        it: "10-fold", "10x10-fold", "random splits 0.33", "seeds", a scikit-learn splitter, ...;
        see `bayescmp.Resampling`. It is kept in a column ``resampling``.
    missing : {"error", "common"}
        If one of two algorithms has no score in a fold: raise an error that names the fold, or
        compare on the folds and data sets that both have, and count those left out.

    Attributes
    ----------
    datasets, algorithms, metrics : tuple of str
        In order of appearance.
    renamed : dict of str to str
        Columns that were recognised under another name.
    ignored : tuple of str
        Columns that are neither a label nor a metric.
    scale, on_missing : str
        The scale on which pairs are compared (see `on_scale`), and the argument ``missing``.
    layout : Layout
        What a row is: ``scores.layout.counts`` is "14 data sets x 100 folds".
    pairing : Pairing
        Which rows belong together.
    recognised : str
        The program that wrote the table, if one was recognised; see `read`.
    notes : tuple of str
        How the file is written (semicolons, decimal commas), and repairs.
    resampling : Designs
        How each data set's folds were drawn: ``scores.resampling.of("iris")``.
    test_items : Predictions or None
        The predictions for each test item, if an experiment kept them.
    unit : str
        What a data set is called: "data set", or "benchmark".

    Notes
    -----
    Three more columns are understood, as `bayescmp.run_experiment` writes them: ``failure``, why a
    fold's scores are missing, ``fold_correlation``, and ``resampling``, each data set's design in
    words.

    Raises
    ------
    InputError
        No rows, a missing column or label, duplicate (data set, algorithm, repeat, fold) rows, no
        numeric metric. Bad scores are refused only when they are used.
    """

    test_items: Predictions | None = None
    unit: str = "data set"

    @name_argument("frame")
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
        self.on_missing = checks.check_choice("missing", missing, MISSING)
        metric = None if metric is None else checks.check_label(metric, "metric")
        if resampling is None and isinstance(frame := _columns.as_frame(frame), pd.DataFrame):
            check_no_questions(frame, columns)
        ways = {"lower_is_better": lower_is_better, "higher_is_better": higher_is_better}
        measures = [name for way, names in ways.items() for name in checks.as_names(names, way)]
        table = tables.read_long(frame, columns, metric, measures=measures)
        only = None if table.wide else metric
        self._take(table, lower_is_better, higher_is_better, resampling, only)

    def __getstate__(self) -> dict[str, object]:
        return without_caches(self)

    @classmethod
    @validate_params(format=text)
    def read(cls, source: object, format: str = "auto", **options: object) -> Scores:
        """Read scores from a file, or from what another program returned.

        Parameters
        ----------
        source : object
            A CSV or Parquet file, or a pipe of one; a DataFrame, also of polars or Arrow; the
            results of scikit-learn's ``cross_validate`` or ``cross_val_score``, or a fitted
            search, or a mapping of names to searches; a list of files, or a mapping of algorithm
            to file.
        format : str
            The program that wrote it: "cross_validate", "cross_val_score", "sklearn-search",
            "skore", "tidymodels", "mlr3", "openml", "automlbenchmark", "tabarena", "sktime",
            "aeon", "moabb", "weka", "saes", "mlflow", "wandb", "wide"; "leaderboard" for one row
            per algorithm and one column per data set; "table" for a table as `Scores` takes it.
            With "auto" it is recognised by its columns, and shown.
        **options
            As for `Scores`; ``sep`` and ``decimal`` of a text, detected if not given; ``best``,
            how many of a search's candidates to keep, the best first; and what else a format
            needs, as its message says.

        Raises
        ------
        InputError
            If the file is missing, empty or not a table; if neither the format nor ``resampling``
            specifies how the folds were drawn; or as for `Scores`.

        Examples
        --------
        >>> import bayescmp as bc
        >>> scores = bc.Scores.read({"knn": [0.8, 0.9, 0.7], "svm": [0.7, 0.8, 0.8]},
        ...                         metric="accuracy", resampling="3-fold")
        >>> scores.recognised
        'arrays of scikit-learn scores'
        """
        from bayescmp.scores.readers import registry  # a dozen formats: imported only to read one

        with name_file_in_errors(source):
            reading, own = registry.read(source, format, **options)
            scores = cls(reading.frame, **own)
        scores.recognised = reading.recognised
        scores.notes = (*reading.notes, *scores.notes)
        return scores

    @classmethod
    def from_cv_results(
        cls,
        results: Mapping[Any, object],
        *,
        folds: int | None = None,
        resampling: object = None,
        **options: object,
    ) -> Scores:
        """Read scores from what scikit-learn's ``cross_validate`` returned.

        Parameters
        ----------
        results : mapping
            ``{dataset: {algorithm: result}}``, ``{(dataset, algorithm): result}``, or
            ``{algorithm: result}`` for one data set. Splits have to be the same for all
            algorithms.
        folds : int, optional
            Folds of one run: short for ``resampling=Resampling.k_fold(folds)``.
        resampling : Resampling, str, splitter or mapping, optional
            How the splits were drawn: ``cv``, words such as "10x10-fold", or a mapping of data set
            to one of these. Not needed if the results have their indices
            (``return_indices=True``).
        **options
            As for `Scores`.

        Raises
        ------
        InputError
            If a result holds no scores, or it is not known how the splits were drawn, or they
            differ.

        Examples
        --------
        >>> import bayescmp as bc
        >>> results = {"knn": {"test_score": [0.75, 0.5]}, "svm": {"test_score": [0.5, 1.0]}}
        >>> bc.Scores.from_cv_results(results, folds=2).differences("knn", "svm").rho.tolist()
        [0.5]
        """
        options = {**options, "folds": folds, "resampling": resampling}
        return cls.read(results, "cross_validate", **options)

    @classmethod
    @name_argument("frame")
    @validate_params(metric=optional(text))
    def from_means(
        cls,
        frame: pd.DataFrame,
        *,
        metric: str | None = None,
        columns: Mapping[str, str] | None = None,
        lower_is_better: Iterable[str] = (),
        higher_is_better: Iterable[str] = (),
    ) -> Scores:
        """Read scores from a wide table of means: one row per data set, one column per algorithm.

        Parameters
        ----------
        frame : DataFrame of shape (data sets, algorithms)
            A column of text, or one named as a data set, names the data sets; else the index does.
        metric : str, optional
            The metric whose means these are, by default as the frame names it, or "score".
        columns, lower_is_better, higher_is_better
            As for `Scores`.

        Examples
        --------
        >>> import pandas as pd
        >>> import bayescmp as bc
        >>> means = pd.DataFrame({"knn": [0.8, 0.9], "svm": [0.85, 0.7]}, index=["iris", "wine"])
        >>> bc.Scores.from_means(means, metric="accuracy")
        <Scores: 2 data sets, 2 algorithms, 4 rows>
          algorithms: knn, svm
          metrics: accuracy ↑
          read as a wide table: one column per algorithm, data sets from the index
        """
        scores = cls.__new__(cls)
        scores.on_missing = "error"
        table = tables.read_long(frame, columns, metric, of_means=True)
        scores._take(table, lower_is_better, higher_is_better)
        return scores

    def _take(
        self,
        table: tables.LongTable,
        lower: Iterable[str],
        higher: Iterable[str],
        resampling: object = None,
        only: str | None = None,
    ) -> None:
        self.scale = "difference"
        frame, parts = table.frame, table.parts
        named = _columns.with_folds(frame, parts)
        seeds = "seed" in parts and named["repeat"] == parts["seed"] and "fold" in named
        parts = named
        self.renamed = table.renamed | {old: new for new, old in parts.items() if old != new}
        labels = (parts[part] for part in _columns.KEYS if part in parts)
        frame, self.notes = tables.strip_labels(frame, labels)
        self._frame = _columns.tidy(frame, parts)
        for part in _columns.KEYS:
            tables.check_names(self._frame, part, parts.get(part, part))
        try:
            self.pairing = Pairing(self._frame, "fold" in parts or "repeat" in parts)
        except InputError as error:
            raise InputError("; ".join([str(error), *self.notes]), error.argument) from None
        self.datasets, self.algorithms = self.pairing.datasets, self.pairing.algorithms
        self.layout = self._lay_out(table.wide, "seed" in table.parts)
        check_rows(self.datasets)
        if not self.pairing.has_folds:  # if the folds are labelled, "mean" is a forecaster
            check_rows(self.algorithms, "algorithm")
        own = {*_columns.KEYS, *_columns.NOTES, "n_test", "n_train"}
        others = [c for c in self._frame.columns if c not in own]
        numeric = [
            c for c in others if self._frame[c].dtype.kind in "fiub" and not _columns.is_label(c)
        ]
        names = checks.check_labels("the header", numeric, len(numeric))
        only = only if only is None or only in names else _metrics.plain_count(only)
        if only is not None and only not in names and canonical_rate(only) is None and names:
            raise unknown_name("metric", only, names)
        if only in names:  # what follows from several columns needs them
            self._frame = self._frame.drop(columns=[c for c in numeric if str(c) != only])
            numeric = [only]
        self.metrics: tuple[str, ...] = tuple(map(str, numeric))
        text = (str(c) for c in others if c not in numeric)
        self.ignored: tuple[str, ...] = (*table.row_numbers, *text)
        if not self.metrics:
            tables.check_plain(self._frame, own)
            columns = ", ".join(f"{c!r} ({frame[c].dtype})" for c in frame.columns)
            raise must("the table", "have a column of numbers to compare", columns)
        left_out = {*names} - {*self.metrics}
        self._lower = self._list_declared("lower_is_better", lower, left_out)
        self._higher = self._list_declared("higher_is_better", higher, left_out)
        if self._lower & self._higher:
            both = min(self._lower & self._higher)
            raise must(
                f"metric {both!r}", "be declared once", "lower-is-better and higher-is-better"
            )
        if not {"dataset", "repeat", "fold"} & set(parts):
            known = bool(self._lower | self._higher)
            known |= any(not _metrics.direction(m).assumed for m in self.metrics)
            check_transposed(self._frame, self.metrics, known)
        if table.metric in self.metrics and table.metric not in self._lower | self._higher:
            ways = {"lower": self._lower, "higher": self._higher}
            ways.get(str(table.better), set()).add(table.metric)
        self._warned: set[str] = set()
        self.recognised = ""
        runs = "" if "fold" in parts else _runs_of(parts.get("repeat"))
        self._pairs_by = "fold" if "fold" in parts else runs or "repeat"
        self.resampling = Designs(self.pairing, resampling, seeds=seeds, runs=runs)

    def _lay_out(self, how: str, runs: bool) -> Layout:
        """Return what a row of the table is, and how many there are of each data set."""
        rows = RowKind.RUN if runs else RowKind.FOLD if self.has_folds else RowKind.DATASET
        units = self.pairing.units
        size = int(units.min()), int(units.max())
        return Layout(rows, bool(how), len(self.datasets), size, how)

    @property
    def has_folds(self) -> bool:
        """Whether the table has repeats or folds; a row is a mean if it has none."""
        return self.pairing.has_folds

    @property
    def pairing_text(self) -> str:
        """The reason why two algorithms' scores belong together: "paired by fold"."""
        if not self.has_folds:
            return paired_by(self.unit)
        return paired_by("question" if self.unit == "benchmark" else self._pairs_by)

    @property
    def frame(self) -> pd.DataFrame:
        """A copy of the table, whose columns have their own names."""
        added = [] if self.has_folds else ["repeat", "fold"]
        return self._frame.drop(columns=added)

    @property
    def sole_metric(self) -> str:
        """The only metric, columns of times aside; an `InputError` if there are several."""
        scores = [m for m in self.metrics if not _metrics.is_time(m)] or list(self.metrics)
        if len(scores) > 1:
            errors = next(filter(None, map(advise_errors, scores)), "")
            known = f"It has {', '.join(map(repr, self.metrics))}."
            raise must(
                "metric",
                "be given if the table has several",
                hint=f"{known} For means with errors use {errors}." if errors else known,
            )
        return scores[0]

    @property
    def missing(self) -> pd.DataFrame:
        """Folds that lack some or all scores, one row each; empty if the table is complete.

        Columns: dataset, algorithm, repeat, fold, metrics (missing ones), and reason, from
        ``failure``. A fold without a row is missing if another algorithm has it on the same data
        set.
        """
        return self.pairing.list_missing(self.metrics)

    def direction(self, metric: str) -> Direction:
        """Which way the metric is better: declared, known by its name, or assumed."""
        return self._column(metric).direction

    def lower_is_better(self, metric: str) -> bool:
        """Whether lower values are better; see `direction`.

        A metric that is neither declared nor known by its name is warned of once; one whose values
        have the wrong sign (a negated loss) is refused.
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
        """Length of the metric's range: 1 for accuracy, 100 for percent, None if unbounded."""
        return self._column(metric).span

    def means(self, metric: str | None = None) -> pd.DataFrame:
        """Return the mean score of each algorithm on each data set, in the metric's own direction.

        One row per data set, one column per algorithm; geometric on the scale "log_ratio", NaN
        without a score, with missing="common" over the folds that all algorithms with scores there
        have. The metric may be left out if there is only one.
        """
        metric = self.metric_named(metric)
        values = self._column(metric).values
        common = self.on_missing == "common" and not self.unpaired
        there = self.there(metric) if common else np.ones(len(values), dtype=bool)
        kept = self.pairing.in_common(there) if common else there
        values = np.where(kept, values, 0.0)
        self.pairing.check_finite(values, f"metric {metric!r}", np.arange(len(values)))
        values = self._logs(metric, values, kept) if self.scale == "log_ratio" else values
        rows, columns = pd.Index(self.datasets), pd.Index(self.algorithms)
        cell = self.pairing.dataset_codes * len(columns) + self.pairing.algorithm_codes
        size = len(rows) * len(columns)
        total = np.bincount(cell, weights=values, minlength=size)
        count = np.bincount(cell[kept], minlength=size)
        mean = np.divide(total, count, out=np.full(size, np.nan), where=count > 0)
        mean = (np.exp(mean) if self.scale == "log_ratio" else mean).reshape(len(rows), -1)
        table = pd.DataFrame(mean, rows.rename("dataset"), columns.rename("algorithm"))
        known = self.direction(metric)
        better = None if known.assumed else "lower" if known.lower else "higher"
        note: dict[str, Any] = {"metric": metric, "better": better, "evidence": known.evidence}
        note["algorithms"] = list(self.algorithms)  # even if one is called "mean"
        table.attrs[_columns.ATTRS] = note
        return table

    def there(self, metric: str) -> np.ndarray:
        """Which rows of the table have a score of the metric, shape (n,)."""
        return np.asarray(~np.isnan(self._column(self.metric_named(metric)).values))

    def metric_named(self, metric: str | None = None) -> str:
        """Return the metric of this name, or the only one there is if none is given."""
        if metric is None:
            return self.sole_metric
        if isinstance(metric, str) and metric not in self.metrics:
            metric = _metrics.plain_count(metric)
        return check_choice("metric", metric, self.metrics)

    def values(self, metric: str, rows: np.ndarray | None = None) -> np.ndarray:
        """Return the scores of a metric, in its own direction, of ``rows``, or all."""
        column = self._column(metric)
        rows = np.arange(len(column.values)) if rows is None else rows
        values = np.asarray(column.values[rows])
        if not column.finite:
            self.pairing.check_finite(values.ravel(), f"metric {metric!r}", rows.ravel())
        return values

    def replaced(self, frame: pd.DataFrame, *, lower_is_better: Iterable[str] = ()) -> Scores:
        """Return another table with the same declarations; ``lower_is_better`` for new metrics."""
        declared = [(self._lower | set(lower_is_better)), self._higher]
        lower, higher = ([m for m in names if m in frame] for names in declared)
        scores = Scores(
            frame, lower_is_better=lower, higher_is_better=higher, missing=self.on_missing
        ).on_scale(self.scale)
        scores.resampling.seeds = self.resampling.seeds
        scores.resampling.runs = self.resampling.runs
        scores.layout = replace(scores.layout, rows=self.layout.rows)
        scores.test_items = self.test_items
        scores._warned, scores.notes = self._warned, self.notes
        scores._pairs_by, scores.unit = self._pairs_by, self.unit
        return scores

    def differences(
        self,
        first: str,
        second: str,
        metric: str | None = None,
        *,
        rho: RhoLike | None = None,
        scale: str | None = None,
    ) -> Differences:
        """Subtract two algorithms' scores fold by fold, second minus first.

        Scores are paired by (repeat, fold). A positive difference means that the second is better.

        Parameters
        ----------
        first, second : str
        metric : str, optional
            May be left out if the table has only one metric.
        rho : float, array_like of shape (q,) or mapping of data set to float, optional
            Correlation of two folds' differences; taken from the resampling if not given.
        scale : {"difference", "log_ratio", "standardised"}, optional
            What differs: the scores, their logarithms (exp of a difference is the factor by which
            the second is better), or the scores in standard deviations σ of the pair's differences
            on each data set, σ² = s²/(1 − rho). The table's own scale if not given.

        Returns
        -------
        Differences
            Rows in the order of `datasets`, each in the order of (repeat, fold).

        Raises
        ------
        InputError
            Unknown names, bad scores, folds that do not pair, a data set that only one of the two
            was run on (unless missing="common"), an unknown number of folds.

        Warns
        -----
        DiagnosticWarning
            If two data sets' scores differ in size over a hundredfold, on the scale "difference".

        Examples
        --------
        >>> import pandas as pd
        >>> import bayescmp as bc
        >>> table = pd.DataFrame({"dataset": ["a", "a", "b", "b"], "algorithm": ["x", "y"] * 2,
        ...                       "rmse": [0.02, 0.01, 40.0, 20.0]})
        >>> bc.Scores(table).differences("x", "y", scale="log_ratio").means.round(3)
        array([0.693, 0.693])
        """
        first, second, metric = str(first), str(second), self.metric_named(metric)
        scale = check_choice("scale", self.scale if scale is None else scale, SCALES)
        (a, b), left_out = _rows(self, first, second, metric)
        codes = self.pairing.dataset_codes[a]
        starts = starts_of(codes)
        names = [self.datasets[code] for code in codes[starts]]
        known = replace(self.direction(metric), scale=scale)
        lower = self.lower_is_better(metric)
        designs = _designs(self, first, names, rho, bool(left_out))
        values = np.stack([self.values(metric, rows) for rows in (a, b)])
        worse, better = values[::-1] if lower else values
        rhos = [d.rho for d in designs]
        x, unit = rope.on_scale(
            scale, worse, better, starts, rhos, lambda i: self.pairing.describe_row(int(a[i]))
        )
        if scale == "difference":
            rope.warn_of_sizes(metric, values.mean(axis=0), starts, names)
        # A logarithm has its own rounding and that of its score.
        size = np.maximum(np.abs(np.log(values)), 1.0) if scale == "log_ratio" else values
        return Differences(
            split_runs(x, starts),
            rho=rhos,
            resampling=designs,
            names=(first, second),
            datasets=names,
            metric=known.label,
            direction=known,
            span=self.span(metric) if scale == "difference" else None,
            resolution=_resolution(self, metric, values, a, b, starts, scale) / unit,
            scale=scale,
            scores=(float(np.ptp(values)), float(np.abs(values).max())),
            left_out=left_out or None,
            noise=rounding_noise(size, starts) / unit,
            unit=self.unit,
            pairing=self.pairing_text,
        )

    def runs(
        self, first: str, second: str, metric: str | None = None, *, scale: str | None = None
    ) -> Runs:
        """Return two algorithms' scores on each data set as independent runs, of which none pair.

        Metrics for which lower is better are flipped, so that higher is better.

        Parameters
        ----------
        first, second : str
        metric : str, optional
            May be left out if the table has only one metric.
        scale : {"difference", "log_ratio", "standardised"}, optional
            As for `differences`; σ is of the runs on each data set, pooled over both algorithms.

        Returns
        -------
        Runs
            Rows in the order of `datasets`.

        Names, scores and scale are checked as in `differences`.

        Examples
        --------
        >>> import pandas as pd
        >>> import bayescmp as bc
        >>> table = pd.DataFrame({"game": ["pong"] * 4 + ["qbert"] * 4, "seed": [1, 2] * 4,
        ...                       "agent": ["dqn", "dqn", "sac", "sac"] * 2,
        ...                       "reward": [1.0, 1.2, 1.5, 1.6, 0.3, 0.2, 0.7, 0.5]})
        >>> bc.Scores(table).runs("dqn", "sac")
        <Runs of dqn and sac: 2 data sets, 2 runs of each, not paired: independent runs>
        """
        first, second, metric = str(first), str(second), self.metric_named(metric)
        check_differ(first, second)
        scale = check_choice("scale", self.scale if scale is None else scale, SCALES)
        lower = self.lower_is_better(metric)
        names, left_out = _shared_datasets(self, (first, second))
        groups = [read_runs(self, (first, second), metric, name) for name in names]
        pairs = [
            rope.runs_on_scale(scale, a, b, lower, name)
            for (a, b), name in zip(groups, names, strict=True)
        ]
        if scale == "difference":
            each = [np.concatenate(group) for group in groups]
            starts = np.cumsum([0, *map(len, each[:-1])])
            rope.warn_of_sizes(metric, np.concatenate(each), starts, names)
        known = replace(self.direction(metric), scale=scale)
        return Runs(
            [a for a, _ in pairs],
            [b for _, b in pairs],
            names=(first, second),
            datasets=names,
            metric=known.label,
            direction=known,
            span=self.span(metric) if scale == "difference" else None,
            left_out=left_out or None,
            unit=self.unit,
        )

    @property
    def unpaired(self) -> bool:
        """Whether rows are independent runs, by ``resampling="runs"`` or ``seed``, ``trial``."""
        if not (self.has_folds and self.resampling.unpaired):
            return False
        cells = self._frame[list(self.metrics)].to_numpy(dtype=float)
        binary = np.isin(cells[np.isfinite(cells)], (0.0, 1.0)).all()
        return self.resampling.declared_as_runs or not binary

    def on_scale(self, scale: str) -> Scores:
        """Return the table with its pairs compared on another scale; see `differences`.

        Examples
        --------
        >>> import bayescmp as bc
        >>> scores = bc.Scores.read(
        ...     {"knn": [0.5, 0.25], "svm": [1.0, 0.5]}, metric="accuracy", resampling="2-fold"
        ... )
        >>> scores.on_scale("log_ratio").differences("knn", "svm").x[0].round(3).tolist()
        [0.693, 0.693]
        """
        other = copy(self)
        other.scale = checks.check_choice("scale", scale, SCALES)
        return other

    def select(
        self, *, datasets: Iterable[str] | None = None, algorithms: Iterable[str] | None = None
    ) -> Scores:
        """Return the scores of some data sets and algorithms (all if not given), declared as here.

        Examples
        --------
        >>> import bayescmp as bc
        >>> scores = bc.Scores.read(
        ...     {"knn": [0.5, 0.2], "svm": [1.0, 0.5], "gbm": [0.9, 0.4]}, metric="accuracy",
        ...     resampling="2-fold",
        ... )
        >>> scores.select(algorithms=["gbm", "svm"]).algorithms
        ('svm', 'gbm')
        """
        keep = np.ones(len(self._frame), dtype=bool)
        for what, names, known, codes in (
            ("data set", datasets, self.datasets, self.pairing.dataset_codes),
            ("algorithm", algorithms, self.algorithms, self.pairing.algorithm_codes),
        ):
            if names is None:
                continue
            plural = f"{what.replace(' ', '')}s"
            chosen = [check_choice(what, n, known, plural) for n in checks.as_names(names, plural)]
            if not chosen:
                raise must(plural, "name at least one", "none", "Leave it out for all.")
            keep &= np.isin(codes, [known.index(n) for n in chosen])
        return self if keep.all() else self.replaced(self.frame[keep])

    # Helpers.

    def _column(self, metric: str) -> MetricColumn:
        """Return a metric's numbers and direction, looked up at their first use."""
        name = self.metric_named(metric)
        if name not in self._columns:
            self._columns[name] = self._read_column(name)
        return self._columns[name]

    @cached_property
    def _columns(self) -> dict[str, MetricColumn]:
        return {}

    def _read_column(self, name: str) -> MetricColumn:
        declared = name in self._lower or name in self._higher
        direction = _metrics.direction(name, name in self._lower if declared else None)
        return MetricColumn(self._frame[name].to_numpy(dtype=float), direction)

    def _logs(self, metric: str, values: np.ndarray, kept: np.ndarray) -> np.ndarray:
        low = np.flatnonzero(kept & (values <= 0))
        if len(low):
            raise must(
                "scores",
                f"be positive for {arg('scale', 'log_ratio')}",
                f"{values[low[0]]:.4g} of metric {metric!r} for "
                f"{self.pairing.describe_row(int(low[0]))}",
            )
        return np.log(np.where(kept, values, 1.0))

    def _list_declared(self, way: str, names: Iterable[str], left_out: set[str]) -> set[str]:
        """Return the metrics declared in a way; refuse those unknown, or not selected."""
        declared = set(checks.as_names(names, way))
        for metric in declared & left_out:
            raise must(
                way, "be a selected metric", f"{metric!r}, which {arg('metric')} leaves out"
            )
        return {checks.check_choice("metric", m, self.metrics, way) for m in declared}

    @property
    def _size(self) -> str:
        """Data sets with their folds, algorithms and rows, counted."""
        parts = (self.algorithms, "algorithm"), (self._frame, "row")
        counted = [format_count(len(things), one) for things, one in parts]
        return ", ".join([self.layout.counts, *counted])

    def __repr__(self) -> str:
        lines = [
            f"<Scores: {self._size}>",
            f"  algorithms: {', '.join(self.algorithms)}",
            f"  metrics: {', '.join(str(self.direction(m)) for m in self.metrics)}",
        ]
        if self.layout.wide:
            lines.append(f"  read as a wide table: {self.layout.how}")
        if self.recognised:
            lines.append(f"  read as {self.recognised}")
        if self.renamed:
            lines.append("  read " + ", ".join(f"{o!r} as {n}" for o, n in self.renamed.items()))
        lines += [f"  {note}" for note in self.notes]
        if self.ignored:
            lines.append(f"  ignored: {', '.join(self.ignored)}")
        missing = self.missing
        if len(missing):
            first = missing.iloc[0]
            parts, what = (4, "fold") if self.pairing.has_folds else (2, "mean")
            where = ", ".join(f"{part} {first[part]}" for part in _columns.KEYS[:parts])
            lines.append(
                f"  missing: {format_count(len(missing), what)}, e.g. {where}: {first['reason']}"
            )
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        facts = {
            "algorithms": ", ".join(self.algorithms),
            "metrics": ", ".join(str(self.direction(m)) for m in self.metrics),
            "data sets": ", ".join(self.datasets),
            "ignored": ", ".join(self.ignored),
            "read": "; ".join(self.notes),
            "missing": format_count(len(self.missing), "fold") if len(self.missing) else "",
        }
        return add_title(f"Scores: {self._size}", html_facts(facts))


def _runs_of(column: str | None) -> str:
    """Return the name of a column that only numbers an algorithm's runs; "" of any other."""
    name = _columns.plain_name(column or "")
    return name if name == "run" or _columns.recognise([name]).keys() == {"seed"} else ""


# Differences of two algorithms from a table of scores: which folds, on which scale.


def _rows(scores: Scores, first: str, second: str, metric: str) -> tuple[np.ndarray, LeftOut]:
    """Return the rows of both algorithms that belong together, and the rows without a partner."""
    for argument, name in (("first", first), ("second", second)):
        check_choice("algorithm", name, scores.algorithms, argument)
    common = scores.on_missing == "common"
    for name in () if common else (first, second):
        scores.values(metric, scores.pairing.rows(name))
    return scores.pairing.align([first, second], there=scores.there(metric) if common else None)


def read_runs(scores: Scores, algorithms: Sequence[str], metric: str, dataset: str) -> list[Any]:
    """Return each algorithm's scores on a data set, in no common order."""
    values = scores._column(metric).values
    samples = []
    for name in algorithms:
        rows = scores.pairing.rows(name, dataset)
        bad = rows[~np.isfinite(values[rows])]
        if len(bad):
            raise InputError(
                f"metric {metric!r} must be a finite number (got {values[bad[0]]} for "
                f"{scores.pairing.describe_row(int(bad[0]))}). Leave this row out, or rerun it.",
                "scores",
            )
        samples.append(values[rows])
    return samples


def _shared_datasets(scores: Scores, names: tuple[str, str]) -> tuple[list[str], LeftOut]:
    """Return data sets with runs of both algorithms, or of either unless these are left out."""
    counts = {d: [len(scores.pairing.rows_on(n, d)) for n in names] for d in scores.datasets}
    ran = [d for d, n in counts.items() if any(n)]
    if scores.on_missing != "common":
        return ran, LeftOut()
    both = [d for d in ran if all(counts[d])]
    if not both:
        raise InputError(
            f"algorithms {names[0]!r} and {names[1]!r} must have a data set in common (got none).",
            "scores",
        )
    return both, LeftOut(tuple(d for d in ran if d not in both))


def _designs(
    scores: Scores, first: str, names: Sequence[str], rho: RhoLike | None, incomplete: bool
) -> list[Resampling]:
    """Find how the folds of each data set were drawn, which missing scores do not change."""
    if scores.resampling.declared_as_runs:
        raise refuse_pairs(names[0])
    if rho is not None:
        unchecked = scores.resampling.takes_pairing_for_granted(names)
        return resampling_of_rho(
            checks.by_name("rho", rho, names, scores.datasets), len(names), unchecked=unchecked
        )
    if not incomplete:
        return scores.resampling.of_algorithm(first)
    return [scores.resampling.of(name, scores.pairing.one_a_fold(name)) for name in names]


def _resolution(
    scores: Scores,
    metric: str,
    values: np.ndarray,
    a: np.ndarray,
    b: np.ndarray,
    starts: np.ndarray,
    scale: str,
) -> np.ndarray:
    """The step of a metric on each data set: 1/n_test where known, else the smallest step seen."""
    n_test, span = _n_test(scores), scores.span(metric)
    if n_test is None or span is None or scale == "log_ratio":
        return steps_of_runs(np.log(values) if scale == "log_ratio" else values, starts)
    counts = np.diff(starts, append=len(a))
    total = np.add.reduceat(n_test[a] + n_test[b], starts)
    return np.asarray(span / (total / (2 * counts)))


def _n_test(scores: Scores) -> np.ndarray | None:
    """Count the items that each row was tested on, as far as the table tells."""
    frame = scores.pairing.frame
    if "n_test" in frame.columns:
        sizes = frame["n_test"].to_numpy(dtype=float)
        return sizes if (sizes >= 1).all() else None  # a share is not a size
    if set(COUNTS) <= set(scores.metrics):
        return frame[list(COUNTS)].to_numpy(dtype=float).sum(axis=1)
    return None
