"""The kinds of rows and columns of a table of scores: one decision, for every reader.

Rows
    *Folds*: labels such as "Fold01.Rep1", "rep1_fold2", "fold_3", "cv1", "split0" or "1/10" ...
    "10/10", in the index or in any column of text, are repeats and folds of one data set;
    "iris_fold1" names the data set as well. "Resample01", "Bootstrap01" and "run_1" are resamples
    drawn one by one, "seed_1" and "trial_1" are *runs*, which are taken as independent unless
    it is declared that they pair.
    *Data sets*: rows with any other name, one score per algorithm. Rows of one name are its folds,
    whose design has to be declared.
    *Summaries*: "Average", "Best", "Std", "p-value", "Avg. rank", "W/T/L" are refused by name.

Columns
    *Labels*, by their names (``columns.py``) or as declared with ``columns=``.
    *Algorithms*: the other columns of numbers of a wide table.
    *Metrics of an algorithm*: "rf~accuracy", "rf_accuracy" or "accuracy_rf", if each algorithm has
    each metric, at least two of both, and the metrics are known by name; or if every column ends
    in one known metric and the user named no other.
    *Metric and value*: a table with one row per metric has one column per metric afterwards.
    *Summaries and counts*: refused by name ("Best", "knn_std" next to "knn"; "successes" next to
    "trials", cells such as "14/20", which ``counts.py`` reads).

Refused because two readings are plausible
    - Every metric in the columns' names is also the name of a penalty, a training loss or a method
      ("svm_l1, svm_l2, lr_l1, lr_l2"; "focal_loss, dice_loss"): algorithms, or algorithm and
      metric.
    - Some of the metrics are not known ("rf_acc, rf_mine, ..."; "rf~a, rf~b, ..."), there is only
      one algorithm ("rf_auc, rf_f1"), or not every algorithm has every metric.
    - Some rows are labels of folds and others are not: folds with a summary, or data sets.
    - Folds in `Scores.from_means`, or declared as data sets: folds, or means of data sets.
    - "Best", "p", "N", "mean" among others: a summary, or an algorithm or data set of that name.
    - "successes" and "trials": counts, or two metrics.
    - One row per algorithm with columns of unknown names: metrics, or data sets (benchmarks and
      data sets known by name are a leaderboard, which is read). Rows of algorithms known by name
      in a column without a name.
    - Columns of folds with an index without its name: algorithms, or data sets.
    - Many scores of one data set whose number does not show how they were drawn.

A 2 x 2 design of algorithms ("svm_linear, svm_rbf, rf_linear, rf_rbf") is four algorithms.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import TypeAlias

import numpy as np
import pandas as pd

from bayescmp.base.arguments import arg, either, must
from bayescmp.errors import CountsError, InputError
from bayescmp.scores import metrics
from bayescmp.scores.columns import plain_name
from bayescmp.wording.text import format_count


class RowKind(StrEnum):
    """The kind of a row of a table; the value is its name in messages."""

    FOLD = "fold"
    DATASET = "data set"
    QUESTION = "question"
    RUN = "run"
    SUMMARY = "summary"


@dataclass(frozen=True)
class Layout:
    """The kinds of rows and columns of a table.

    `rows` is what a row is, `wide` whether each algorithm has a column. `datasets` counts data
    sets, `units` the least and most rows of one; `how` describes a wide table's reading.
    """

    rows: RowKind
    wide: bool = False
    datasets: int = 1
    units: tuple[int, int] = (1, 1)
    how: str = ""

    @property
    def counts(self) -> str:
        """The table's size: "14 data sets x 100 folds", "14 data sets", "300 questions"."""
        datasets = format_count(self.datasets, "data set")
        if self.rows is RowKind.DATASET:
            return datasets
        least, most = self.units
        each = format_count(most, self.rows.value)
        each = each if least == most else f"{least} to {each}"
        if self.rows is RowKind.QUESTION and self.datasets == 1:
            return each
        return f"{datasets} x {each}"

    def __str__(self) -> str:
        return self.how or self.counts


# Summaries: rows and columns that describe others, by their names.


_QUALIFIER = (
    r"(?:overall|grand|global|arithmetic|geometric|harmonic|macro|micro|weighted|mean|average|avg|"
    r"median|total|row|column|no of|number of)"
)
_SUMMARY = (
    r"(?:means?|averages?|avgs?|aver|mu|gmean|geomean|medians?|best|worst|max|maximum|min|minimum|"
    r"std|stds|stdev|stddev|std devs?|st dev|sd|standard deviations?|se|sem|stderr|std errs?|"
    r"std errors?|standard errors?|var|variances?|range|iqr|mad|ci|95 ci|ci 95|"
    r"lower ci|upper ci|ci lower|ci upper|ci low|ci high|q1|q3|"
    r"ranks?|p|p ?val|p ?values?|p adj|padj|q ?values?|significance|signif|sig|"
    r"[wltd] [wltd] [wltd]|wtl|wlt|wdl|win (?:tie|draw|loss) (?:tie|draw|loss)|"
    r"wins (?:ties|draws|losses) (?:ties|draws|losses)|wins?|losses|ties|draws|"
    r"count|counts|n|nobs|total|totals|sum|sums|subtotals?)"
)
_SUMMARY_NAME = re.compile(
    rf"(?:{_QUALIFIER} )*{_SUMMARY}(?: (?:score|accuracy|error|auc|rank|value)s?)?"
    r"|(?:mean|average|avg) (?:\+ )?(?:std|sd|se)"
)


def is_summary(name: Hashable) -> bool:
    """Whether a name ("Avg. rank", "p-value", but not "rank svm") describes other rows."""
    plain = re.sub(r"[^a-z0-9]+", " ", str(name).lower()).strip()
    percentile = re.fullmatch(r"\d+(?:\.\d+)?%", str(name).strip())
    return percentile is not None or _SUMMARY_NAME.fullmatch(plain) is not None


# Labels of folds, of any usual spelling.


_GAP = r"[\s_.:#=,;()/|-]*"
_NUMBER = r"(?:no\.? ?)?0*(\d+)"
_OF = r"(?:\s*(?:of|/)\s*\d+)?"
_FOLD_WORD = (
    r"(?:(?:outer|test|cv|k|val|validation)[\s_.-]*)*(?:folds?|cv|splits?|cv_?splits?|partition)"
)
_REPEAT_WORD = r"(?:repeats?|reps?|repetitions?|runs?|iter|iterations?|rounds?)"
_ONE_LETTER = re.compile(rf"{_GAP}r{_GAP}{_NUMBER}{_GAP}f{_GAP}{_NUMBER}{_GAP}", re.IGNORECASE)
_REPEAT_FIRST = re.compile(
    rf"{_GAP}{_REPEAT_WORD}{_GAP}{_NUMBER}{_OF}{_GAP}{_FOLD_WORD}{_GAP}{_NUMBER}{_OF}{_GAP}",
    re.IGNORECASE,
)
_FOLD_FIRST = re.compile(
    rf"{_GAP}{_FOLD_WORD}{_GAP}{_NUMBER}{_OF}{_GAP}{_REPEAT_WORD}{_GAP}{_NUMBER}{_OF}{_GAP}",
    re.IGNORECASE,
)
_FOLD_ONLY = re.compile(
    rf"{_GAP}(?:{_FOLD_WORD}{_GAP}{_NUMBER}{_OF}|0*(\d+)(?:st|nd|rd|th|\.)[\s_]+folds?){_GAP}"
    r"(?:(?:test|valid|val)?[\s_]*scores?)?",
    re.IGNORECASE,
)
#: Resamples that are each a new draw, so that they are repeats of a single split.
_DRAWN_ONLY = re.compile(
    rf"{_GAP}(?:resamples?|bootstraps?|boot|bag|slice|{_REPEAT_WORD}){_GAP}{_NUMBER}{_GAP}",
    re.IGNORECASE,
)
_SEED_ONLY = re.compile(
    rf"{_GAP}(?:(?:random )?seeds?|trials?|episodes?){_GAP}{_NUMBER}{_GAP}", re.IGNORECASE
)
_OF_ALL = re.compile(r"\s*(\d+)\s*/\s*(\d+)\s*")
_AFTER_NAME = re.compile(
    rf"(?P<name>.*?[^\s_.:/|#-])[\s_.:/|#(-]+(?P<label>(?:{_REPEAT_WORD}|r){_GAP}\d+.*|"
    rf"(?:[kc]v?[\s_-]?)?folds?{_GAP}\d+.*)",
    re.IGNORECASE,
)
_Numbers: TypeAlias = dict[str, np.ndarray]


def _parse_folds(labels: Iterable[Hashable]) -> _Numbers | None:
    """Return the numbers of repeat, fold or seed that all labels have; None if some have none."""
    names = [str(label) for label in labels]
    if not names:
        return None
    for pattern, order in (
        (_REPEAT_FIRST, ("repeat", "fold")),
        (_FOLD_FIRST, ("fold", "repeat")),
        (_ONE_LETTER, ("repeat", "fold")),
        (_FOLD_ONLY, ("fold",)),
        (_DRAWN_ONLY, ("repeat",)),
        (_SEED_ONLY, ("seed",)),
    ):
        matches = [match for match in map(pattern.fullmatch, names) if match]
        if len(matches) == len(names):
            numbers = [[int(n) for n in match.groups() if n is not None] for match in matches]
            return dict(zip(order, np.array(numbers).T, strict=True))
    parted = [match for match in map(_OF_ALL.fullmatch, names) if match]
    if len(parted) == len(names):
        fold, count = np.array([[int(m[1]), int(m[2])] for m in parted]).T
        if len(set(count)) == 1 and count[0] > 1 and set(fold) == {*range(1, count[0] + 1)}:
            return {"fold": fold}
    return None


def are_folds(labels: Iterable[Hashable]) -> tuple[np.ndarray, np.ndarray] | None:
    """Return the repeat and the fold that each label names; None if they are not labels of folds.

    "Fold01.Rep1", "rep1_fold2", "r1f2", "Repeat1Fold03", "fold_0", "CV_split 3", "cv1", "split0",
    "Resample01", and "1/10" to "10/10" are. Numbers, names of data sets, "f1" and "r2" are not.

    Examples
    --------
    >>> from bayescmp.scores.layout import are_folds
    >>> are_folds(["Fold01.Rep1", "Fold02.Rep1"])
    (array([1, 1]), array([1, 2]))
    >>> are_folds(["iris", "wine"])
    """
    numbers = _parse_folds(labels)
    if numbers is None or "seed" in numbers:
        return None
    ones = np.ones_like(next(iter(numbers.values())))
    return numbers.get("repeat", ones), numbers.get("fold", ones)


def read_folds(labels: Sequence[Hashable]) -> tuple[_Numbers, list[str] | None] | None:
    """Return numbers of repeat, fold or seed, and data sets ("iris_fold1"); None if not folds."""
    names: list[str] = [str(label) for label in labels]
    rest = [name for name in names if not is_summary(name)]
    numbers = _parse_folds(rest)
    if numbers is None:
        odd = [name for name in rest if _parse_folds([name]) is None]
        if len(rest) > 3 and len(odd) <= len(rest) // 2 and len(rest) - len(odd) > 2:
            raise (
                must(
                    "the rows",
                    f"all be folds, as {rest[0]!r} is by its label",
                    repr(odd[0]),
                    "Leave other rows out, or rename all if they are data sets.",
                )
                if odd
                else must(
                    "labels of folds",
                    "be written in the same way",
                    f"{rest[0]!r} and {rest[-1]!r}",
                )
            )
    if numbers is not None:
        if len(rest) < len(names):
            summary = next(name for name in names if is_summary(name))
            raise must(
                "the rows",
                "be single folds",
                f"{summary!r}, a summary by its name",
                "Leave it out.",
            )
        return numbers, None
    matches = [match for match in map(_AFTER_NAME.fullmatch, names) if match]
    if len(matches) < len(names):
        return None
    datasets = [match["name"] for match in matches]
    numbers = _parse_folds([match["label"] for match in matches])
    if numbers is None or len(set(datasets)) == len(names):
        return None
    return numbers, datasets


# Columns that are not algorithms.


_SPREAD = r"std|stdev|stddev|sd|se|sem|stderr|ranks?|ci|var|variance|iqr|mad|n|count"
_BESIDE = re.compile(rf"(?P<of>.+?)[ _.~/:|-]*[(\[]?(?P<what>{_SPREAD})[)\]]?", re.IGNORECASE)
_MEANS = re.compile(
    r"(?P<of>.+?)[ _.~/:|-]+[(\[]?(?:mean|avg|average|median)[)\]]?", re.IGNORECASE
)
_AGAIN = re.compile(r"(?P<of>.+)\.\d+")
_MARGINS = {"all", "all rows", "everything", "combined"}


#: Words in names of columns of errors of means, by the argument of `bayescmp.Means`.
_ERRORS = {
    "errors": {"se", "sem", "stderr", "err", "error", "errors"},
    "deviations": {"std", "sd", "stdev", "stddev", "deviation", "deviations"},
}


def spread_of(column: str) -> str:
    """Return which argument of `bayescmp.Means` a column is for, by its name; "" if for none.

    Examples
    --------
    >>> from bayescmp.scores.layout import spread_of
    >>> spread_of("std"), spread_of("svm_se"), spread_of("std. error"), spread_of("auc")
    ('deviations', 'errors', 'errors', '')
    """
    words = set(plain_name(column).split("_"))
    return next((argument for argument, own in _ERRORS.items() if words & own), "")


def advise_errors(name: str, algorithms: str = "") -> str:
    """Return what to write for means with a column of errors (and `algorithms`); else ""."""
    argument = spread_of(name)
    options: dict[str, object] = {argument: name} if argument else {}
    if argument == "deviations":
        options["runs"] = 5
    if algorithms:
        options["columns"] = {"algorithm": algorithms}
    written = ", ".join(f"{key}={value!r}" for key, value in options.items())
    return either(f"bc.Means(frame, {written})", **options) if argument else ""


def _is_summary_of(name: str, others: Iterable[str]) -> bool:
    """Whether a name is that of a summary; "p" and "q1" are not among names of their kind."""
    return is_summary(name) and not are_alike([name, *others])


def are_alike(names: Iterable[str]) -> bool:
    """Whether all names are single letters, or all are q and a number, and none is a summary."""
    names = list(names)
    return all(len(name) == 1 for name in names) or all(
        re.fullmatch(r"q\d+", name.strip(), re.IGNORECASE) for name in names
    )


def check_rows(names: Iterable[str], part: str = "data set") -> None:
    """Refuse data sets, folds or algorithms that summarise the others, by their names."""
    names = list(names)
    odd = [name for name in names if _is_summary_of(name, names)]
    if len(names) > 1 and odd:
        raise must(
            f"{part} {odd[0]!r}",
            "be left out, since it is by its name a summary of the others",
            hint=f"Rename it if it is a real {part}.",
        )


def _or_means(columns: Iterable[str], algorithms: str = "") -> str:
    """Return the advice to read means with errors, if one of these columns may hold errors."""
    found = filter(None, (advise_errors(c, algorithms) for c in columns))
    return "".join(f" For means with errors use {errors}." for errors in list(found)[:1])


def check_columns(frame: pd.DataFrame, algorithms: Sequence[str], rows: str) -> None:
    """Refuse columns of a wide table that describe or repeat another one, or hold a parameter."""
    means = {m["of"]: c for c in algorithms if (m := _MEANS.fullmatch(c))}
    for column in algorithms:
        others = [c for c in algorithms if c != column]
        beside, again = _BESIDE.fullmatch(column), _AGAIN.fullmatch(column)
        if beside and (beside["of"] in algorithms or beside["of"] in means):
            of = beside["of"] if beside["of"] in algorithms else means[beside["of"]]
            errors = advise_errors(beside["what"])
            raise must(
                f"column {column!r}",
                f"be left out, since it is by its name the {beside['what']} of {of!r}",
                hint=f"For means with errors use {errors}." if errors else "",
            )
        if again and again["of"] in algorithms and frame[column].equals(frame[again["of"]]):
            raise must(
                f"column {column!r}",
                f"be left out, since it repeats {again['of']!r}",
                hint="Pandas gives such names to the second of two columns of one name.",
            )
        if others and (
            _is_summary_of(column, others)
            or (column.strip().lower() in _MARGINS and _summarises(frame, column, others))
        ):
            raise must(
                f"column {column!r}",
                "be left out, since it is by its name a summary of the others",
                hint=f"Rename it if it is a real algorithm.{_or_means(algorithms, rows)}",
            )
    _check_parameters(frame[list(algorithms)])


def _summarises(frame: pd.DataFrame, column: str, others: Sequence[str]) -> bool:
    """Whether a column holds the means or the sums of others, as the margins of a pivot do."""
    cells = frame[column].to_numpy(dtype=float)
    numbers = frame[list(others)]
    return len(others) > 1 and any(
        np.allclose(cells, of.to_numpy(dtype=float), rtol=1e-3, atol=0, equal_nan=True)
        for of in (numbers.mean(axis=1), numbers.sum(axis=1))
    )


def check_margins(frame: pd.DataFrame, dataset: str, algorithms: Sequence[str]) -> None:
    """Refuse a last row of a wide table with the means or sums of the rows above it."""
    name = str(frame[dataset].iloc[-1])
    if len(frame) > 2 and name.strip().lower() in _MARGINS:
        above, last = frame[list(algorithms)].iloc[:-1], frame[list(algorithms)].iloc[-1]
        for sums in (above.mean(), above.sum()):
            if np.allclose(last.to_numpy(float), sums.to_numpy(float), rtol=1e-3, equal_nan=True):
                raise must(
                    f"data set {name!r}", "be left out, since it summarises the rows above it"
                )


def _check_parameters(numbers: pd.DataFrame) -> None:
    """Refuse whole numbers in a table whose other columns all lie between 0 and 1."""
    cells = numbers.to_numpy(dtype=float, na_value=np.nan)
    none, finite = np.isnan(cells), np.isfinite(cells)
    shares = (none | (cells >= 0) & (cells <= 1)).all(axis=0)
    whole = (none | (cells > 1) & finite & (np.floor(cells) == cells)).all(axis=0)
    whole &= ~none.all(axis=0)
    if shares.sum() > 1 and (shares | whole).all() and whole.any():
        column = numbers.columns[whole][0]
        raise must(
            f"column {column!r}",
            "hold scores between 0 and 1, as the others do",
            "whole numbers, as of a parameter or a size",
            "Leave it out, or put it into the names of the data sets.",
        )


def check_counters(frame: pd.DataFrame, dataset: str, algorithms: Sequence[str]) -> None:
    """Refuse a column that counts folds or runs (0 or 1, 2, ...) among columns of fractions."""
    whole = [c for c in algorithms if frame[c].dtype.kind in "iu"]
    for column in whole if len(whole) < len(algorithms) else []:
        counts = [
            np.unique(cells, return_counts=True) for _, cells in frame.groupby(dataset)[column]
        ]
        if all(
            len(seen) > 1
            and seen[0] in (0, 1)
            and np.ptp(seen) == len(seen) - 1
            and not np.ptp(often)
            for seen, often in counts
        ):
            raise must(
                f"column {column!r}",
                "hold scores of an algorithm",
                "numbers of the rows of each data set",
                f"Name the column of the fold with {arg('columns', {'fold': column})}, or leave "
                "it out.",
            )


def check_transposed(frame: pd.DataFrame, metrics: Sequence[str], known: bool) -> None:
    """Refuse a table of one row per algorithm whose columns may be data sets."""
    if len(metrics) > 1 and not known and not frame["algorithm"].duplicated().any():
        board = either("Scores.read(frame, format='leaderboard')", format="leaderboard")
        raise must(
            "the table",
            "have more than one row per algorithm, or metrics that are known by their names",
            ", ".join(metrics[:4]),
            f"Use {board} if these are data sets. "
            f"Declare {arg('lower_is_better')} or {arg('higher_is_better')} if they are "
            f"metrics.{_or_means(metrics)}",
        )


# Counts: successes among trials.


_SUCCESSES = re.compile(
    r"success(?:es)?|succeeded|succ|correct|right|pass(?:ed|es)?|wins?|won|hits|solved|resolved|"
    r"positives|yes|clicks|conversions|k|x"
)
_TRIALS = re.compile(
    r"trials?|totals?|attempt(?:s|ed)?|tries|runs|games|played|matches|episodes|rollouts|n|size|"
    r"samples|questions|tasks|items|tests|problems|instances|cases|visits|visitors|users|"
    r"impressions|counts?|denominator|support"
)
_FAILURES = re.compile(r"fail(?:s|ed|ures)?|losses|lost|wrong|incorrect")
#: Successes among trials in one cell: "14/20", "14 of 20 (70%)".
CELL = r"\s*\d+\s*(?:/|of|out of)\s*\d+\s*(?:\([^()]*\))?\s*"
_OF_MANY = {"n", "num", "number", "of", "no", "total", "count"}


def find_counts(frame: pd.DataFrame, columns: Sequence[str]) -> tuple[str, str] | None:
    """Return the columns of successes and of trials, if these are all the numbers of a table."""
    parts = count_columns(columns)
    other = parts.get("trials") or parts.get("failures")
    if "successes" not in parts or other is None or not _are_all_counts(columns):
        return None
    cells = frame[list(columns)].to_numpy(dtype=float)
    cells = cells[np.isfinite(cells)]
    whole = (cells >= 0).all() and (np.floor(cells) == cells).all()
    return (parts["successes"], other) if whole else None


def count_columns(columns: Iterable[str]) -> dict[str, str]:
    """Return the columns of successes, trials and failures, as far as their names tell."""
    parts: dict[str, str] = {}
    for column in columns:
        part = _count_part(column)
        if part is not None:
            parts.setdefault(part, column)
    return parts


def _are_all_counts(columns: Iterable[str]) -> bool:
    return all(_count_part(column) is not None for column in columns)


def _count_part(column: str) -> str | None:
    """Return what a column counts by its name; None if it is not known to count."""
    words = _count_words(column)
    kinds = {"successes": _SUCCESSES, "failures": _FAILURES, "trials": _TRIALS}
    return next((kind for kind, known in kinds.items() if any(map(known.fullmatch, words))), None)


def _count_words(column: str) -> set[str]:
    """Return the words of a name, without "number of" if there are others."""
    words = set(plain_name(column).split("_"))
    return words - _OF_MANY or words


def refuse_counts(successes: str, trials: str) -> CountsError:
    """Make the error about a table of counts."""
    return CountsError(
        f"the table must hold scores (got columns {successes!r} and {trials!r}, which look like "
        f"counts of successes among trials). Use {compare_counts()}. If {successes!r} is a "
        f"metric, name it: {arg('metric', successes)}."
    )


def compare_counts() -> str:
    """Name what compares counts, in Python or on the command line."""
    return either("bayescmp.compare_counts(frame)", "`bayescmp compare` with this table")


# Names of columns that join an algorithm and a metric: "rf~accuracy", "accuracy_rf".


#: In the order in which they are tried; an open bracket stands for "rf (accuracy)".
_SEPARATORS = ("~", "::", "__", "|", "/", ":", "@", "#", "(", "[", ".", "_", "-", " ")
#: Tried last: "knn.acc" next to "knn_f1".
_ANY_SEPARATOR = r"::|__|[~|/:@#._ -]"
#: Metrics whose names are also those of penalties, training losses or methods.
_ALSO_METHODS = re.compile(
    r"l1|l2|loss|hinge|squared_hinge|categorical_hinge|huber|log_cosh|pinball|quantile|em|sam|kid|"
    r"rank|cost|risk|return|reward|pass|memory|lift|far|der|mer|f|map|hits|elbo|aic|bic"
)


@dataclass(frozen=True)
class JoinedColumns:
    """Columns whose names join an algorithm and a metric: `pairs` maps each to the two names."""

    pairs: Mapping[str, tuple[str, str]]

    @property
    def algorithms(self) -> tuple[str, ...]:
        """The algorithms, in order of appearance."""
        return tuple(dict.fromkeys(algorithm for algorithm, _ in self.pairs.values()))

    @property
    def metrics(self) -> tuple[str, ...]:
        """The metrics, in order of appearance."""
        return tuple(dict.fromkeys(metric for _, metric in self.pairs.values()))

    @property
    def complete(self) -> bool:
        """Whether each algorithm has each metric, once."""
        pairs = set(self.pairs.values())
        return len(self.pairs) == len(pairs) == len(self.algorithms) * len(self.metrics)


def split_names(
    columns: Sequence[str], named: Collection[str] | None = None
) -> JoinedColumns | None:
    """Split names of columns into algorithm and metric, perhaps `named`; None for algorithms."""
    readings = [
        JoinedColumns(pairs)
        for separator in (*map(re.escape, _SEPARATORS), _ANY_SEPARATOR)
        for last in (True, False)
        for longest in (True, False)
        if (pairs := _split(columns, separator, last, longest, named))
    ]
    full = [one for one in readings if one.complete and len(one.pairs) == len(columns)]
    several = [one for one in full if len(one.metrics) > 1 and len(one.algorithms) > 1]
    best = next(iter(several), None)
    if named is not None:
        best = best or next(iter(full), None)
        if best is None:
            raise must(
                f"columns {', '.join(map(repr, columns))}",
                "each join the name of an algorithm and one of the metrics "
                f"{', '.join(map(repr, named))}",
            )
        return best
    if best is not None:
        if all(map(_is_method, best.metrics)):
            raise _two_readings(columns, best)
        return best
    return _split_in_part(columns, readings, full)


def _split(
    columns: Sequence[str],
    separator: str,
    last: bool,
    longest: bool,
    named: Collection[str] | None,
) -> dict[str, tuple[str, str]]:
    """Split those names with a metric after (or before) a separator, a pattern."""
    pairs = {}
    closing = {r"\(": ")", r"\[": "]"}.get(separator, "")
    for column in columns:
        name = column.removesuffix(closing)
        gaps = re.finditer(separator, name)
        cuts = [(name[: one.start()].strip(), name[one.end() :].strip()) for one in gaps]
        cuts = [c if last else c[::-1] for c in (cuts if last == longest else cuts[::-1])]
        known = [c for c in cuts if c[0] and _is_metric(c[1], named)]
        if known:
            pairs[column] = known[0]
    return pairs


def _is_metric(name: str, named: Collection[str] | None) -> bool:
    if named is not None:
        return name in named
    plain = re.sub(r"^neg[\W_]+", "", name, flags=re.IGNORECASE)
    return metrics.find_metric(plain) is not None or metrics.is_time(plain)


def _is_method(metric: str) -> bool:
    return _ALSO_METHODS.fullmatch(plain_name(metric)) is not None


def _split_in_part(
    columns: Sequence[str], readings: Sequence[JoinedColumns], full: Sequence[JoinedColumns]
) -> JoinedColumns | None:
    """Decide names of which some hold a metric, or all hold one metric or are of one algorithm."""
    tilde = [column for column in columns if re.fullmatch(r"[^~]+~[^~]+", column)]
    if len(tilde) == len(columns) > 1:  # as caret writes them, with metrics of any name
        joined = JoinedColumns({c: (c.split("~")[0], c.split("~")[1]) for c in columns})
        if joined.complete and len(joined.metrics) > 1:
            raise _two_readings(columns, joined)
    for one in readings:
        own = [m for m in one.metrics if not _is_method(m)]
        bare = [c for c in columns if c not in one.pairs and c in one.algorithms]
        repeated = len(one.pairs) > len(one.algorithms)
        if own and (grid := _unknown_metrics(columns, one)):
            raise _two_readings(columns, grid)
        if own and (bare or (len(one.metrics) > 1 and repeated)):
            column, (algorithm, metric) = next(iter(one.pairs.items()))
            raise must(
                "the columns",
                "have every metric of every algorithm, or one metric",
                f"{column!r}, which joins algorithm {algorithm!r} and metric {metric!r}, and not "
                "all others",
                "Keep the columns of one metric, or give each algorithm the same metrics. If all "
                f"columns are algorithms: {arg('columns', {'algorithm': list(columns)})}.",
            )
    single = [one for one in full if len(one.metrics) == 1]
    for one in single:
        column, (algorithm, metric) = next(iter(one.pairs.items()))
        if column.startswith(algorithm):
            if _is_method(metric):
                raise _two_readings(columns, one)
            return one
    return None


def _unknown_metrics(columns: Sequence[str], some: JoinedColumns) -> JoinedColumns | None:
    """Split all names if some metrics are known and others have the user's own names."""
    column, (algorithm, metric) = next(iter(some.pairs.items()))
    if not (column.startswith(algorithm) and column.endswith(metric)):
        return None
    separator = column[len(algorithm) : len(column) - len(metric)]
    pairs = {c: tuple(c.rsplit(separator, 1)) for c in columns if separator and separator in c}
    joined = JoinedColumns({c: (p[0], p[1]) for c, p in pairs.items()})
    whole = len(joined.pairs) == len(columns) and joined.complete
    return joined if whole and len(joined.metrics) > 1 else None


def _two_readings(columns: Sequence[str], joined: JoinedColumns) -> InputError:
    return must(
        f"columns {', '.join(map(repr, columns))}",
        "have one meaning",
        f"either {len(columns)} algorithms, or "
        f"{format_count(len(joined.algorithms), 'algorithm')} "
        f"({', '.join(map(repr, joined.algorithms))}) with "
        f"{format_count(len(joined.metrics), 'metric')} ({', '.join(map(repr, joined.metrics))})",
        f"If they are algorithms: {arg('columns', {'algorithm': list(columns)})}. If they join "
        f"both: {arg('columns', {'metric': list(joined.metrics)})}.",
    )
