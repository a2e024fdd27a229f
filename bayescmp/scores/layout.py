"""What the rows and the columns of a table of scores are: one decision, for every reader."""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterable
from dataclasses import dataclass
from enum import Enum

import numpy as np

from bayescmp.wording.text import format_count


class RowKind(str, Enum):
    """What a row of a table is; the value is its name in messages."""

    FOLD = "fold"
    DATASET = "data set"
    QUESTION = "question"
    RUN = "run"
    SUMMARY = "summary"


@dataclass(frozen=True)
class Layout:
    """What the rows and columns of a table are.

    `rows` is what a row is, `wide` whether each algorithm has its own column. `datasets` counts
    the data sets, `units` is the least and the greatest number of rows of one. `paired_by` names
    what shows that two algorithms' rows belong together, empty if nothing does. `how` says how a
    wide table was read, and is empty for a long one.
    """

    rows: RowKind
    wide: bool = False
    datasets: int = 1
    units: tuple[int, int] = (1, 1)
    paired_by: str = ""
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
    r"lower ci|upper ci|ci lower|ci upper|ci low|ci high|q1|q3|25|50|75|"
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
    """Whether a row or column describes the others, by its name: "Avg. rank", "W/T/L", "p-value".

    Algorithms such as "mean shift", "max entropy", "rank svm" and "MinMax" are not summaries.
    """
    plain = re.sub(r"[^a-z0-9]+", " ", str(name).lower()).strip()
    return _SUMMARY_NAME.fullmatch(plain) is not None


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
#: Resamples that are each drawn anew, so that they are repeats of a single split.
_DRAWN_ONLY = re.compile(
    rf"{_GAP}(?:resamples?|bootstraps?|boot|bag|slice|{_REPEAT_WORD}){_GAP}{_NUMBER}{_GAP}",
    re.IGNORECASE,
)
_OF_ALL = re.compile(r"\s*(\d+)\s*/\s*(\d+)\s*")


def are_folds(labels: Iterable[Hashable]) -> tuple[np.ndarray, np.ndarray] | None:
    """Return the repeat and the fold that each label names; None if they are not labels of folds.

    "Fold01.Rep1", "rep1_fold2", "r1f2", "Repeat1Fold03", "fold_0", "CV_split 3", "cv1", "split0",
    "Resample01" and "1/10" are. Numbers, names of data sets, "f1" and "r2" are not.

    Examples
    --------
    >>> from bayescmp.scores.layout import are_folds
    >>> are_folds(["Fold01.Rep1", "Fold02.Rep1"])
    (array([1, 1]), array([1, 2]))
    >>> are_folds(["iris", "wine"])
    """
    names = [str(label) for label in labels]
    if not names:
        return None
    for pattern, order in (
        (_REPEAT_FIRST, (0, 1)),
        (_FOLD_FIRST, (1, 0)),
        (_ONE_LETTER, (0, 1)),
        (_FOLD_ONLY, (None, 0)),
        (_DRAWN_ONLY, (0, None)),
    ):
        found = [pattern.fullmatch(name) for name in names]
        if all(found):
            numbers = [[int(n) for n in m.groups() if n is not None] for m in found if m]
            ones = np.ones(len(names), dtype=int)
            columns = [ones if i is None else np.array([n[i] for n in numbers]) for i in order]
            return columns[0], columns[1]
    parts = [_OF_ALL.fullmatch(name) for name in names]
    if all(parts):
        fold, count = np.array([[int(m[1]), int(m[2])] for m in parts if m]).T
        if len(set(count)) == 1 and count[0] > 1 and fold.min() >= 1 and fold.max() <= count[0]:
            return np.ones(len(names), dtype=int), fold
    return None
