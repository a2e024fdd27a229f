"""Means with standard errors, as papers report them, and the differences of two algorithms."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeAlias

import numpy as np
import pandas as pd

from bayescmp.base import checks, magnitudes
from bayescmp.base.arguments import arg, must, must_be
from bayescmp.base.checks import optional, text, validate_params
from bayescmp.base.files import as_path
from bayescmp.errors import InputError, name_argument
from bayescmp.scores import columns as _columns
from bayescmp.scores.differences import SufficientStatistics, copy_readonly
from bayescmp.scores.layout import spread_of
from bayescmp.scores.metrics import Direction
from bayescmp.scores.pairing import check_differ
from bayescmp.scores.readers.base import name_file_in_errors
from bayescmp.scores.readers.files import read_noted
from bayescmp.scores.scores import Scores
from bayescmp.wording.text import format_count

#: Degrees of freedom that stand for a standard error that is known: the t distribution with so
#: many differs from the normal by less than 1e-6 in any probability.
KNOWN = 1_000_000

#: Note that the means of two algorithms do not pair.
INDEPENDENT = "not paired: independent means"

# The columns of means, of their errors, and of numbers of runs.


#: How a cell with a mean and its error is written, and what stands for it in ``errors``.
_CELL = re.compile(
    r"\s*\$?\s*(?P<mean>[-+−]?\d*\.?\d+(?:e[-+]?\d+)?)\s*(?:±|\+/-|\+-|\\pm)\s*"
    r"(?P<error>\d*\.?\d+(?:e[-+]?\d+)?)\s*\$?\s*",
    re.IGNORECASE,
)
_CELLS = ("±", "+-", "+/-", "\\pm")
_MEAN = re.compile(r"(?P<of>.+?)[ _.~/:|-]*[(\[]?(?:mean|avg|average)[)\]]?", re.IGNORECASE)
#: Words of names of columns with other spreads, and advice.
_OTHERS = {
    **dict.fromkeys(("var", "variance", "variances"), "Use its square root."),
    **dict.fromkeys(
        ("ci", "ci95", "95_ci", "ci_95", "half_width"),
        "The half-width of a 95% interval is about 1.96 standard errors: divide by that.",
    ),
    **dict.fromkeys(("iqr", "mad", "range"), "It does not show the standard error of a mean."),
}


def _words(name: str) -> set[str]:
    plain = _columns.plain_name(name)
    return {plain, *plain.split("_")}


def check_spread(errors: object, deviations: object, runs: object) -> tuple[str, str]:
    """Return the argument that names the spread and the name; a standard deviation needs runs."""
    given = {"errors": errors, "deviations": deviations}
    named = {argument: name for argument, name in given.items() if name is not None}
    if len(named) != 1:
        raise must(
            "errors",
            f"be given for means, or {arg('deviations')} of single runs",
            "both" if named else "neither",
            f"For standard errors: {arg('errors', 'se')}. For standard deviations: "
            f"{arg('deviations', 'sd')} {arg('runs', 5)}.",
        )
    ((argument, value),) = named.items()
    name = checks.check_label(value, argument)
    words = _words(name)
    if argument == "errors" and spread_of(name) == "deviations":
        raise must_be(
            argument,
            "standard errors of means",
            name,
            "Standard deviations of single runs are larger. Give them with the number of runs: "
            f"{arg('deviations', name)} {arg('runs', 5)}.",
        )
    if argument == "deviations" and words & {"se", "sem", "stderr", "std_error"}:
        accepted = "standard deviations of single runs"
        raise must_be(argument, accepted, name, f"For standard errors: {arg('errors', name)}.")
    for other in sorted(words & {*_OTHERS}):
        raise must_be(argument, "standard errors or deviations", name, _OTHERS[other])
    if argument == "deviations" and runs is None:
        raise must(
            "runs",
            f"be given with {arg('deviations')}, as the number of runs behind each mean",
            hint=f"For example {arg('runs', 5)}.",
        )
    return argument, name


def _split_cells(frame: pd.DataFrame) -> tuple[pd.DataFrame, dict[str, pd.Series]]:
    """Split cells such as "0.81 ± 0.02" into means, and errors for each column of such cells."""
    means, errors = frame.copy(), {}
    for column in frame.columns:
        cells = frame[column].astype(str).map(_CELL.fullmatch)
        if frame[column].dtype.kind in "fiub" or not cells.notna().any():
            continue
        if cells.isna().any():
            row = int(np.flatnonzero(cells.isna())[0])
            raise must(
                f"column {column!r}",
                "have a mean and an error in each cell, as in '0.81 ± 0.02'",
                f"{frame[column].iloc[row]!r} in row {row}",
            )
        means[column] = [float(m["mean"].replace("−", "-")) for m in cells]
        errors[column] = pd.Series([float(m["error"]) for m in cells], name=f"{column} ±")
    if not errors:
        raise must("the table", "have means with errors, as in '0.81 ± 0.02'", "none")
    return means, errors


def _of_algorithms(columns: Sequence[str], what: str) -> dict[str, str]:
    """Return the column of the errors (or runs) of each algorithm, by names as "svm_se"."""
    gap, name = r"[ _.~/:|-]*", re.escape(what)
    patterns = [
        re.compile(rf"(?P<of>.+?){gap}[(\[]?{name}[)\]]?", re.IGNORECASE),
        re.compile(rf"{name}{gap}[(\[]?(?P<of>.+?)[)\]]?", re.IGNORECASE),
    ]
    means = {m["of"]: c for c in columns if (m := _MEAN.fullmatch(c))}
    found = {}
    for column in columns:
        for match in filter(None, (pattern.fullmatch(column) for pattern in patterns)):
            of = match["of"] if match["of"] in columns else means.get(match["of"])
            if of is not None and of != column:
                found[of] = column
                break
    return found


class Means:
    """Means of algorithms on data sets, each with its standard error, as papers report them.

    The means of two algorithms are taken as independent: from different papers or separate runs.

    Parameters
    ----------
    frame : DataFrame
        Long table with columns for the algorithm, the mean, its error, and perhaps the data set;
        or one row per data set, one column per algorithm and one for its errors ("svm", "svm_se").
    errors, deviations : str, optional
        The column of standard errors, or of standard deviations of single runs; of a wide table
        the word that its names add ("se"); "±" for cells such as "0.81 ± 0.02".
    runs : int or str, optional
        Number of independent runs behind each mean, or the column that has it (of a wide table the
        word). Needed with deviations. Without it, standard errors are taken as known.
    columns, lower_is_better, higher_is_better
        As for `Scores`.
    metric : str, optional
        The name of the metric; of a long table, the column of the means.

    Attributes
    ----------
    scores : Scores
        The means.
    errors, runs : DataFrame
        Standard errors, one row per data set and one column per algorithm; runs likewise, or None.

    Raises
    ------
    InputError
        Neither errors nor deviations, or both; deviations without a number of runs; a mean without
        an error; folds or questions; otherwise as for `Scores`.

    Notes
    -----
    For independent runs: the standard error that k folds suggest is too small, because training
    sets overlap. Give folds to `Scores`.

    Examples
    --------
    >>> import pandas as pd
    >>> import bayescmp as bc
    >>> table = pd.DataFrame({"model": ["ours", "theirs"], "accuracy": [0.842, 0.815],
    ...                       "se": [0.006, 0.008]})
    >>> means = bc.Means(table, errors="se")
    >>> round(bc.compare(means, "theirs", "ours", rope=0.005).verdict().p_right, 4)
    0.9861
    """

    @name_argument("frame")
    @validate_params(metric=optional(text))
    def __init__(
        self,
        frame: pd.DataFrame,
        *,
        errors: str | None = None,
        deviations: str | None = None,
        runs: int | str | None = None,
        columns: Mapping[str, str] | None = None,
        metric: str | None = None,
        lower_is_better: Iterable[str] = (),
        higher_is_better: Iterable[str] = (),
    ) -> None:
        argument, name = check_spread(errors, deviations, runs)
        if runs is not None and not isinstance(runs, str) and not checks.is_number(runs):
            raise must_be("runs", "a whole number, or the name of a column", runs)
        frame = _columns.as_frame(frame)
        if not isinstance(frame, pd.DataFrame):
            raise must_be("frame", "a DataFrame", frame)
        frame = frame.set_axis([str(c).strip() for c in frame.columns], axis=1)
        options = {
            "columns": columns,
            "metric": metric,
            "lower_is_better": lower_is_better,
            "higher_is_better": higher_is_better,
        }
        is_long = "algorithm" in _columns.recognise(frame.columns, columns)
        read = _read_long if is_long else _read_wide
        self.scores, spread, self.runs = read(frame, name, runs, options)
        if self.scores.has_folds:
            raise must(
                "frame",
                "have one row for each data set and algorithm",
                "folds or runs",
                "Compare single scores without their errors.",
            )
        if argument == "deviations":
            assert self.runs is not None  # checked above
            spread = spread / self.runs**0.5
        self.errors = spread

    @classmethod
    def read(
        cls,
        source: object,
        *,
        sep: str | None = None,
        decimal: str | None = None,
        **options: Any,
    ) -> Means:
        """Read means with standard errors from a CSV or Parquet file, or from a table.

        Parameters
        ----------
        source : path-like or DataFrame
        sep, decimal : str, optional
            A text's separator and decimal sign, detected if not given.
        **options
            As for `Means`.
        """
        if not isinstance(source, str | os.PathLike):
            frame = _columns.as_frame(source)
            if not isinstance(frame, pd.DataFrame):
                raise must_be("source", "a file or a DataFrame", source)
            return cls(frame, **options)
        as_path("source", source)
        with name_file_in_errors(source):
            given = options.get("columns")
            frame, _ = read_noted(
                source,
                lambda header: _columns.names_in(header, given),
                sep=sep,
                decimal=decimal,
            )
            return cls(frame, **options)

    @property
    def algorithms(self) -> tuple[str, ...]:
        """The algorithms, in order of appearance."""
        return self.scores.algorithms

    @property
    def datasets(self) -> tuple[str, ...]:
        """The data sets, in order of appearance."""
        return self.scores.datasets

    @property
    def metric(self) -> str:
        """What the means are of."""
        return self.scores.sole_metric

    @property
    def frame(self) -> pd.DataFrame:
        """One row per data set: for each algorithm its mean, its error, and its runs if known."""
        parts = {"mean": self.scores.means(self.metric), "error": self.errors}
        parts |= {} if self.runs is None else {"runs": self.runs}
        names = [f"{name} {part}" for part, table in parts.items() for name in table.columns]
        return pd.concat(parts, axis=1).set_axis(names, axis=1)

    def pair(
        self, first: str, second: str, *, datasets: Iterable[str] | None = None
    ) -> MeanDifferences:
        """Return the means of two algorithms with their errors, turned so that higher is better.

        Parameters
        ----------
        first, second : str
            The two algorithms.
        datasets : iterable of str, optional
            Only these data sets.

        Raises
        ------
        InputError
            Unknown names, or a mean that one of the two lacks.
        """
        pair = [str(first), str(second)]
        for name in pair:
            checks.check_choice("algorithm", name, self.algorithms)
        check_differ(*pair)
        names = list(self.datasets) if datasets is None else checks.names("datasets", datasets)
        for name in names:
            checks.check_choice("data set", name, self.datasets, "datasets")
        means = self.scores.means(self.metric).loc[names, pair]
        for name in pair:
            absent = means.index[means[name].isna()]
            if len(absent):
                raise InputError(
                    f"{name!r} must have a mean on each data set (got none on {absent[0]!r}). "
                    "Leave this data set out of the table, or add the mean.",
                    "frame",
                )
        sign = -1.0 if self.scores.lower_is_better(self.metric) else 1.0
        return MeanDifferences(
            means=sign * means.to_numpy(),
            errors=self.errors.loc[names, pair].to_numpy(),
            runs=None if self.runs is None else self.runs.loc[names, pair].to_numpy(),
            names=(pair[0], pair[1]),
            datasets=tuple(names),
            direction=self.scores.direction(self.metric),
            span=self.scores.span(self.metric),
        )

    def __repr__(self) -> str:
        sets = format_count(len(self.datasets), "data set")
        known = self.scores.direction(self.metric)
        names = ", ".join(self.algorithms)
        return f"<Means: {sets}, algorithms {names}, {known} with standard errors>"


#: The means, their errors, and the numbers of runs, of each algorithm on each data set.
_Parts: TypeAlias = tuple[Scores, pd.DataFrame, pd.DataFrame | None]


def _read_long(
    frame: pd.DataFrame, name: str, runs: float | str | None, options: Mapping[str, Any]
) -> _Parts:
    if name in _CELLS:
        frame, of_cells = _split_cells(frame)
        if len(of_cells) > 1:
            raise must(
                "one column",
                "have means with errors",
                ", ".join(map(repr, of_cells)),
                "Leave the other columns out.",
            )
        (errors,) = of_cells.values()
    else:
        checks.check_choice("column of errors", name, frame.columns)
        errors, frame = frame[name], frame.drop(columns=name)
    values = _read_spread(errors)
    counts = None if runs is None else np.full(len(frame), runs, dtype=object)
    if isinstance(runs, str):
        checks.check_choice("column of runs", runs, frame.columns)
        counts, frame = frame[runs].to_numpy(), frame.drop(columns=runs)
    scores = Scores(frame, **options)
    cells = pd.MultiIndex.from_frame(scores.frame[["dataset", "algorithm"]].astype(str))

    def arranged(numbers: np.ndarray) -> pd.DataFrame:
        table = pd.Series(numbers, cells).unstack()
        return table.reindex(list(scores.datasets), columns=list(scores.algorithms))

    return scores, arranged(values), None if counts is None else arranged(_read_runs(counts))


def _read_wide(
    frame: pd.DataFrame, name: str, runs: float | str | None, options: Mapping[str, Any]
) -> _Parts:
    """Read a table with one row per data set, with columns of means and of their errors."""
    if name in _CELLS:
        means, errors = _split_cells(frame)
    else:
        own = _of_algorithms(list(frame.columns), name)
        if not own:
            raise must(
                "the table",
                f"have a column of errors for each algorithm, such as {f'svm_{name}'!r} next to "
                "'svm'",
                ", ".join(map(repr, frame.columns)),
            )
        errors = {algorithm: frame[column] for algorithm, column in own.items()}
        means = frame.drop(columns=list(own.values()))
    counts: dict[str, Any] = dict.fromkeys(errors, np.full(len(frame), runs, dtype=object))
    if isinstance(runs, str):
        of_runs = _of_algorithms(list(means.columns), runs)
        if not of_runs:
            checks.check_choice("column of runs", runs, means.columns)
            of_runs = dict.fromkeys(errors, runs)
        for algorithm in errors:
            if algorithm not in of_runs:
                raise must(f"algorithm {algorithm!r}", "have a column of runs", "none", "Add it.")
        counts = {algorithm: frame[column].to_numpy() for algorithm, column in of_runs.items()}
        means = means.drop(columns=list({*of_runs.values()}))
    bare = {
        column: match["of"]
        for column, own in errors.items()
        if (match := _MEAN.fullmatch(column))
        and match["of"] not in means
        and column not in str(own.name)  # "average_se" is of the algorithm "average"
    }
    means = means.rename(columns=bare)
    errors = {bare.get(column, column): own for column, own in errors.items()}
    counts = {bare.get(column, column): own for column, own in counts.items()}
    if len(means) == 1 and "dataset" not in _columns.recognise(means.columns, options["columns"]):
        means = means.assign(dataset=_columns.UNNAMED)
    scores = Scores.from_means(means, **options)
    for algorithm in scores.algorithms:
        if algorithm not in errors:
            raise must(
                f"algorithm {algorithm!r}",
                "have a column of errors",
                "none",
                f"Add it, or leave the column of this algorithm out.{_advise_runs(algorithm)}",
            )
    table = {a: _read_spread(errors[a]) for a in scores.algorithms}
    spread = pd.DataFrame(table, index=list(scores.datasets))
    if runs is None:
        return scores, spread, None
    of_runs_table = {a: _read_runs(counts[a]) for a in scores.algorithms}
    return scores, spread, pd.DataFrame(of_runs_table, index=list(scores.datasets))


def _advise_runs(column: str) -> str:
    """Return how to declare a column that has numbers of runs by its name."""
    if not _words(column) & {"runs", "seeds", "n"}:
        return ""
    return f" If it has the numbers of runs, declare it: {arg('runs', column)}."


def _read_spread(cells: pd.Series) -> np.ndarray:
    """Return standard errors or deviations; refuse what is not a number >= 0."""
    values = _columns.as_numbers(cells).to_numpy(dtype=float, na_value=np.nan)
    bad = np.flatnonzero(~(np.isfinite(values) & (values >= 0)))
    if len(bad):
        raise must(
            f"column {cells.name!r}",
            "have numbers >= 0",
            f"{cells.iloc[bad[0]]!r} in row {bad[0]}",
        )
    return values


def _read_runs(counts: np.ndarray) -> np.ndarray:
    """Return numbers of runs; refuse what is not a whole number of at least 2."""
    values = _columns.as_numbers(pd.Series(counts, name="runs")).to_numpy(float, na_value=np.nan)
    bad = np.flatnonzero(~(np.isfinite(values) & (values >= 2) & (values == np.floor(values))))
    if len(bad):
        got = counts[bad[0]]
        hint = "One run has no standard error." if values[bad[0]] == 1 else ""
        raise must_be("runs", "whole numbers >= 2, one per mean or one for all", got, hint)
    return values.astype(int)


# Two algorithms.


@dataclass(frozen=True, eq=False, kw_only=True)
class MeanDifferences:
    """Means of two algorithms on q data sets with their standard errors; higher is better.

    Parameters
    ----------
    means, errors : array_like of shape (q, 2)
        The means and their standard errors, >= 0 and not both 0 on a data set.
    runs : array_like of int, shape (q, 2), optional
        Numbers of independent runs behind the means; by default the errors are known.
    names : (str, str)
    datasets : sequence of str, optional
        Names of the rows; "1", "2", ..., by default.
    direction : Direction, optional
        Which way the means were better before they were turned.
    span : float, optional
        Length of the metric's range; None if it is unbounded.

    Raises
    ------
    InputError
        Arrays of another shape, missing or infinite numbers, no error at all.

    Examples
    --------
    >>> import bayescmp as bc
    >>> x = bc.MeanDifferences(means=[[0.815, 0.842]], errors=[[0.008, 0.006]])
    >>> x.difference.round(3).tolist(), x.error.round(3).tolist()
    ([0.027], [0.01])
    """

    means: Any
    errors: Any
    runs: Any = None
    names: tuple[str, str] = ("first", "second")
    datasets: Any = None
    direction: Direction | None = None
    span: float | None = None
    unit: str = "data set"

    def __post_init__(self) -> None:
        accepted = "numbers of shape (q, 2)"
        numbers = {
            n: checks.read_numbers(getattr(self, n), n, accepted) for n in ("means", "errors")
        }
        shape = numbers["means"].shape
        for name, values in numbers.items():
            if (
                values.ndim != 2
                or values.shape[1] != 2
                or not len(values)
                or values.shape != shape
            ):
                raise must_be(name, f"{accepted}, means and errors alike", getattr(self, name))
            if not np.isfinite(values).all():
                raise must_be(
                    name, "finite numbers", values.ravel()[~np.isfinite(values.ravel())][0]
                )
        errors = numbers["errors"]
        datasets = checks.check_labels("datasets", self.datasets, len(errors))
        if (errors < 0).any():
            raise must_be("errors", "numbers >= 0", float(errors.min()))
        none = np.flatnonzero(errors.max(axis=1) == 0)
        if len(none):
            raise must(
                "errors",
                "have a number over 0 on each data set",
                f"none on data set {datasets[none[0]]!r}",
            )
        runs = self.runs
        if runs is not None:
            counts = checks.read_numbers(runs, "runs", "one per mean or one for all")
            if counts.shape not in ((), shape):
                raise must_be("runs", f"one number or {accepted}, as the means are", runs)
            runs = _read_runs(np.broadcast_to(counts, shape).ravel()).reshape(shape)
        checked = {
            "means": copy_readonly(numbers["means"]),
            "errors": copy_readonly(errors),
            "runs": None if runs is None else copy_readonly(runs),
            "names": checks.check_names(self.names),
            "datasets": datasets,
            "span": magnitudes.span(self.span),
        }
        vars(self).update(checked)
        magnitudes.check_size(numbers["means"].ravel(), "the means")

    @property
    def q(self) -> int:
        """Number of data sets."""
        return len(self.means)

    @cached_property
    def difference(self) -> np.ndarray:
        """Difference of the means on each data set, shape (q,), second minus first."""
        return copy_readonly(self.means[:, 1] - self.means[:, 0])

    @cached_property
    def error(self) -> np.ndarray:
        """Standard error of each difference, shape (q,): that of independent means."""
        return copy_readonly(np.hypot(*self.errors.T))

    @cached_property
    def df(self) -> np.ndarray:
        """Degrees of freedom by Welch and Satterthwaite, (q,); infinite for known errors."""
        if self.runs is None:
            return copy_readonly(np.full(self.q, np.inf))
        parts = (self.errors / self.error[:, None]) ** 4 / (self.runs - 1)
        return copy_readonly(1 / parts.sum(axis=1))

    @property
    def metric(self) -> str:
        """What the means are of; "" if not known."""
        return "" if self.direction is None else self.direction.metric

    @property
    def largest(self) -> np.ndarray:
        """Largest difference of each data set, without its sign, shape (q,)."""
        return np.abs(self.difference)

    def statistics(self) -> SufficientStatistics:
        """Return rows of the hierarchical model whose mean has the given standard error."""
        whole = np.maximum(np.floor(self.df * (1 + 1e-12)), 1)  # 8 may have come out as 7.999...
        n = np.where(np.isfinite(self.df), whole, KNOWN).astype(int) + 1
        ss = self.error**2 * n * (n - 1.0)
        return SufficientStatistics(
            n, self.difference, ss, np.zeros(self.q), np.zeros(self.q, bool)
        )

    def described(self) -> dict[str, Any]:
        """Describe, for a result, where its numbers come from: metric and direction."""
        return {
            "metric": self.metric,
            "directions": () if self.direction is None else (self.direction,),
            "pairing": INDEPENDENT,
        }
