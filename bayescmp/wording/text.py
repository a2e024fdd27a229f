"""Pieces of text that every part writes alike: probabilities, errors, counts, names that fit."""

from __future__ import annotations

import math
import re
import shutil
import textwrap
import unicodedata
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from itertools import takewhile
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    import pandas as pd


# Pieces of text that every part of the package writes alike: probabilities, errors, counts.


#: A probability below this, or as close to 1, is shown as a bound: others have three digits.
SMALLEST = 0.001
#: P-values below this are shown as a bound: no tail is computed that far with meaningful digits.
SMALLEST_P = 1e-10
#: Endings of columns of probabilities, in the order in which they are shown.
REGIONS = ("left", "rope", "right", "trade_off")
#: Their endings where several metrics are compared as well.
OUTCOMES = (*REGIONS, "first", "equivalent", "second")
#: Width of a line without a terminal, and of the longest line, in columns.
WIDTH, WIDEST = 80, 120
#: Beginnings of their names.
PROBABILITIES = ("p_", "predictive_", "mean_")
#: How a column's numbers are written, by the column's key; others by their type.
Formats = Mapping[Any, Callable[[float], str]]


def format_probability(p: float, floor: float = 0.0) -> str:
    """Write a probability to three digits, or the bound (`floor`) that replaces zero and one."""
    if math.isnan(p):
        return "-"
    bound = max(SMALLEST, math.ceil(1000 * floor - 1e-9) / 1000)
    if p < bound:
        return f"<{bound:.3f}"
    return f">{1 - bound:.3f}" if p > 1 - bound else f"{p:.3f}"


def plus_minus(error: float, *, exact: bool = False) -> str:
    """Write a probability's standard error, "" if it is exact to the three digits shown."""
    if error >= SMALLEST:
        return f"± {error:.1g}"
    return "" if exact or not error > 0 else f"± <{SMALLEST:.3f}"


def format_share(p: float, error: float, n: int) -> str:
    """Write a share of n simulations with its standard error, or a bound where none or all are.

    Examples
    --------
    >>> from bayescmp.wording.text import format_share
    >>> format_share(0.78, 0.021, 400), format_share(1.0, 0.003, 400), format_share(0.0, 0.02, 20)
    ('0.780 ± 0.02', '>0.997', '<0.050')
    """
    text = format_probability(p, floor=1 / n)
    return text if text[0] in "<>" else f"{text} {plus_minus(error)}".rstrip()


def format_test_pvalue(p: float) -> str:
    """Write a p-value with its statistic, to three significant digits down to 1e-10.

    Examples
    --------
    >>> from bayescmp.wording.text import format_test_pvalue
    >>> [format_test_pvalue(p) for p in (0.03124, 2.345e-9, 5e-14, 1.0)]
    ['0.0312', '2.35e−09', '<1e−10', '1']
    """
    if math.isnan(p):
        return "-"
    return write_number(p, ".3g") if p >= SMALLEST_P else f"<{write_number(SMALLEST_P, '.0e')}"


def format_pvalue(p: float | None) -> str:
    """Write a p-value with two significant digits, down to 0.0001."""
    if p is None or math.isnan(p):
        return "–"
    if p < 0.0001:
        return "<0.0001"
    return f"{p:.2f}" if p >= 0.1 else f"{p:.2g}"


#: Columns of p-values, in tables of tests.
PVALUES: Formats = dict.fromkeys(("pvalue", "adjusted"), format_pvalue)


def state_pvalue(p: float | None) -> str:
    """Write a p-value for running text."""
    shown = format_pvalue(p)
    return f"p {shown[0]} {shown[1:]}" if shown[0] in "<>" else f"p = {shown}"


def format_cells(
    frame: pd.DataFrame, formats: Formats | None = None, *, missing: str = "–"
) -> pd.DataFrame:
    """Write a table's cells: numbers as `formats` declares them for their column, else short."""
    shown = frame.astype(object)
    for place, column in enumerate(frame.columns):
        write = (formats or {}).get(column, format_number)
        shown.isetitem(place, [_cell(value, write, missing) for value in frame.iloc[:, place]])
    return shown


def _cell(value: object, write: Callable[[float], str], missing: str) -> str:
    if isinstance(value, (bool, np.bool_)):
        return "yes" if value else "no"
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return missing
    if isinstance(value, (int, np.integer)):
        return write_number(value, "d")
    return write(value) if isinstance(value, float) else str(value)


def write_number(value: float | np.integer, form: str) -> str:
    """Write a number by a format specification, with the sign of mathematics for a minus.

    Examples
    --------
    >>> from bayescmp.wording.text import write_number
    >>> write_number(-0.25, "g"), write_number(1e-05, "g"), write_number(0.25, "+.1f")
    ('−0.25', '1e−05', '+0.2')
    """
    return f"{value:{form}}".replace("-", "−")


def format_number(value: float, digits: int = 4) -> str:
    """Write a number with its significant digits, without a negative zero; or ∞."""
    return write_number(value + 0.0, f".{digits}g").replace("inf", "∞")


def format_limit(value: float, *, up: bool, of_ratios: bool = False) -> str:
    """Write a limit with two digits, rounded so that what it limits stays true.

    Examples
    --------
    >>> from bayescmp.wording.text import format_limit
    >>> format_limit(0.01499, up=False), format_limit(0.0251, up=True)
    ('0.014', '0.026')
    >>> format_limit(0.0251, up=True, of_ratios=True)
    '2.6%'
    """
    number = 100 * math.expm1(value) if of_ratios else value
    if number:
        unit = 10.0 ** (math.floor(math.log10(number)) - 1)
        steps = number / unit
        number = unit * (math.ceil(steps - 1e-9) if up else math.floor(steps + 1e-9))
    return f"{number:.2g}{'%' if of_ratios else ''}"


def side_by_side(frame: pd.DataFrame, regions: Collection[str] = REGIONS) -> pd.DataFrame:
    """Write one column of texts for each kind of probability, its regions side by side.

    The frame has columns p_left, p_rope, p_right, predictive_left, ... Each kind of the verdict's
    `regions` replaces its first column, under its name; empty kinds are left out.
    """
    shown = frame.copy()
    made = frame[frame["p_left"].notna()] if "p_left" in frame else frame  # no pair that failed
    known = "predictive_left" in frame and made["predictive_left"].notna()
    first = "most probable outcome" if np.all(known) else "that decides"
    first = first if np.any(known) else "mean difference"
    for prefix, title in zip(PROBABILITIES, (first, "predictive", "mean"), strict=True):
        columns = [f"{prefix}{r}" for r in REGIONS if f"{prefix}{r}" in frame]
        kept = [c for c in columns if c.removeprefix(prefix) in regions]
        if columns and frame[kept].notna().any(axis=None):
            kept = [c for c in kept if frame[c].notna().any()]
            texts = [
                " ".join(map(format_probability, row)) for row in frame[kept].to_numpy(dtype=float)
            ]
            shown.insert(list(shown.columns).index(columns[0]), title, texts)
        shown = shown.drop(columns=columns)
    return shown


def line_width() -> int:
    """Return the terminal's columns, 80 if there is none, and never more than reads well."""
    columns = shutil.get_terminal_size((WIDTH, 24)).columns
    return min(max(columns, WIDTH // 2), WIDEST)


def justify_line(left: str, right: str, width: int) -> str:
    """Put texts at the left and right of a line, or on two lines if one is too short.

    Examples
    --------
    >>> from bayescmp.wording.text import justify_line
    >>> justify_line("svm leads", "accuracy", 20)
    'svm leads   accuracy'
    """
    if not right:
        return fill_lines(left, width)
    gap = width - screen_width(left) - screen_width(right)
    if gap >= 2:
        return left + " " * gap + right
    return f"{fill_lines(left, width)}\n{fill_lines(right, width)}"


def screen_width(text: str) -> int:
    """Return how many columns of a terminal a text takes; Chinese characters take two each.

    Examples
    --------
    >>> from bayescmp.wording.text import screen_width
    >>> screen_width("森"), screen_width("é"), screen_width("e\u0301")
    (2, 1, 1)
    """
    if text.isascii():
        return len(text)
    shown = (c for c in text if not unicodedata.combining(c))
    return sum(2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in shown)


def in_columns(
    frame: pd.DataFrame, width: int | None = None, keys: int = 1, words: Collection[int] = ()
) -> str:
    """Write a table of texts for a terminal: numbers to the right, words to the left.

    Columns beyond the width are below the others, after the first few (`keys`). `words` are places
    of columns with users' names, which can look like numbers.

    Examples
    --------
    >>> import pandas as pd
    >>> from bayescmp.wording.text import in_columns
    >>> print(in_columns(pd.DataFrame({"": ["svm", "logistic"], "mean": ["0.9", "0.85"]})))
              mean
    svm        0.9
    logistic  0.85
    """
    columns = []
    for i, (head, cells) in enumerate(frame.astype(str).items()):
        room = max(map(screen_width, [str(head), *cells]))
        named = i == 0 or i in words
        left = named or any(cell and cell[0] not in "0123456789.−-<>(±" for cell in cells)
        gaps = [(cell, " " * (room - screen_width(cell))) for cell in (str(head), *cells)]
        columns.append([cell + gap if left else gap + cell for cell, gap in gaps])
    parts = [columns[:keys]]
    for column in columns[keys:]:
        widths = [screen_width(c[0]) + 2 for c in [*parts[-1], column]]
        if width is not None and sum(widths) - 2 > width:
            parts.append(columns[:keys])
        parts[-1] = [*parts[-1], column]
    return "\n\n".join(
        "\n".join("  ".join(row).rstrip() for row in zip(*part, strict=True)) for part in parts
    )


def align_numbers(values: Sequence[float], digits: int = 3) -> list[str]:
    """Write numbers with the decimals that the largest needs, and "" for each missing number.

    Examples
    --------
    >>> from bayescmp.wording.text import align_numbers
    >>> align_numbers([0.9034, 0.9, float("nan")]), align_numbers([12.5, -3.25])
    (['0.903', '0.900', ''], ['12.5', '−3.2'])
    """
    largest = max((abs(value) for value in values if math.isfinite(value)), default=0.0)
    decimals = max(digits - 1 - (math.floor(math.log10(largest)) if largest else 0), 0)
    return ["" if math.isnan(v) else write_number(v, f".{min(decimals, 12)}f") for v in values]


def format_estimate(value: float, interval: tuple[float, float]) -> list[str]:
    """Write a value and the bounds of its interval, with the decimals that its width merits.

    Examples
    --------
    >>> from bayescmp.wording.text import format_estimate
    >>> format_estimate(0.0102, (0.00972, 0.01068)), format_estimate(1.5, (0.32, 2.7))
    (['0.01020', '0.00972', '0.01068'], ['1.5', '0.3', '2.7'])
    """
    low, high = interval
    width = high - low
    if not (math.isfinite(width) and width > 0):
        return [write_number(number, ".2g") for number in (value, low, high)]
    decimals = min(max(1 - math.floor(math.log10(width)), 0), 12)
    texts = [f"{number:.{decimals}f}" for number in (value, low, high)]
    return [text.replace("-", "−") if text.strip("-0.") else "0" for text in texts]


def as_percent(logarithm: float) -> str:
    """Write a difference of logarithms as a change in percent."""
    rounded = float(f"{100 * math.expm1(logarithm):.2g}")  # 230, not 2.3e+02
    return f"{write_number(rounded, 'g')}%"


def format_exactly(value: float) -> str:
    """Write a setting, not a result, with the fewest digits that identify the number."""
    return repr(float(value)).removesuffix(".0")


def describe_improvement(first: str, second: str) -> str:
    """Say what a difference is, whichever way its metric is better: positive where the second is.

    Examples
    --------
    >>> from bayescmp.wording.text import describe_improvement
    >>> describe_improvement("knn", "svm")
    'improvement of svm over knn'
    """
    return f"improvement of {second} over {first}"


def adjusted_by(procedure: str, over: str = "") -> str:
    """Write how p-values were adjusted: "adjusted with Holm's method"."""
    if procedure == "none":
        return "not adjusted"
    name = (
        "the single-step method" if procedure == "single-step" else f"{procedure.title()}'s method"
    )
    return f"adjusted over {over} with {name}" if over else f"adjusted with {name}"


def format_count(n: int, one: str, many: str = "") -> str:
    """Write a count with its noun in the singular or the plural."""
    return f"{n} {one}" if n == 1 else f"{n} {many or one + 's'}"


def words_of(unit: str) -> dict[str, Any]:
    """Return the nouns for a kind of unit: the compared subject and the scored sample.

    Examples
    --------
    >>> from bayescmp.wording.text import words_of
    >>> words_of("benchmark")
    {'unit': 'benchmark', 'subject': 'model', 'sample': 'question'}
    """
    subject, sample = ("model", "question") if unit == "benchmark" else ("algorithm", "fold")
    return {"unit": unit, "subject": subject, "sample": sample}


def sentence_of(text: str) -> str:
    """Begin a text with a capital: a text of the package, before a user's name is inserted."""
    return text[:1].upper() + text[1:]


class _Lines(textwrap.TextWrapper):
    """Breaks a text at spaces, but not before a number's unit or around a comparison's sign."""

    wordsep_simple_re = re.compile(r"((?<! [=<>]) +(?!%|[=<>] ))")


def fill_lines(text: str, width: int, **indents: Any) -> str:
    """Break a text into lines so wide; none begins with a number's unit or a letter's value."""
    return _Lines(width, break_on_hyphens=False, **indents).fill(text)


def fold_text(text: str) -> str:
    """Break a text into lines that fit the screen, and indent what continues a line.

    Examples
    --------
    >>> from bayescmp.wording.text import fold_text
    >>> print(fold_text("  mean ranks: " + ", ".join(["RandomForestClassifier 1.25"] * 4)))
      mean ranks: RandomForestClassifier 1.25, RandomForestClassifier 1.25,
        RandomForestClassifier 1.25, RandomForestClassifier 1.25
    """
    lines = []
    for line in text.split("\n"):
        start = " " * (len(line) - len(line.lstrip()) + 2)
        lines += textwrap.wrap(
            line,
            line_width(),
            subsequent_indent=start,
            break_long_words=False,
            break_on_hyphens=False,
            drop_whitespace=True,
        ) or [""]
    return "\n".join(lines)


def join_items(items: Sequence[str], last: str = "and") -> str:
    """Join items with commas, and a word before the last."""
    if len(items) < 2:
        return "".join(items)
    return f"{', '.join(items[:-1])} {last} {items[-1]}"


#: Signs of the field's notation in letters that every terminal has.
_SPELLED = {
    "α": "alpha", "β": "beta", "δ": "delta", "ε": "epsilon", "θ": "theta", "λ": "lambda",
    "μ": "mu", "ν": "nu", "π": "pi", "ρ": "rho", "σ": "sigma", "τ": "tau", "χ": "chi",
    "Δ": "Delta", "Σ": "Sigma", "Ω": "Omega", "±": "+-", "−": "-", "–": "-", "—": "-", "·": "*",
    "×": "x", "≤": "<=", "≥": ">=", "≠": "!=", "≈": "~", "∞": "inf", "√": "sqrt ", "∝": "~",
    "→": "->", "↑": "(higher is better)", "↓": "(lower is better)", "…": "...", "’": "'",
    "“": '"', "”": '"', "∈": "in",
}  # fmt: skip


def spell_sign(sign: str) -> str:
    """Write a character in ASCII: signs by name, accented letters without accents, else "?"."""
    if sign in _SPELLED:
        return _SPELLED[sign]
    plain = unicodedata.normalize("NFKD", sign).encode("ascii", "ignore").decode()
    return plain or "?"


# Names that fit a column or a picture: cut in the middle, and still different.


#: Letters of the least that is kept at either end.
END = 2


def cut_all(names: Iterable[object], most: int = 28) -> list[str]:
    """Cut names in the middle to a length that fits, and keep them different where they were."""
    whole = [str(n) for n in names]
    labels = {n: cut_name(n, most) for n in whole}
    for alike in _find_collisions(labels):
        labels |= dict(zip(alike, _tell_apart(alike, most), strict=True))
    for alike in _find_collisions(labels):  # nothing short tells them apart: numbers do
        labels |= {
            n: f"{cut_name(n, most - 2 - len(str(k)))} #{k}" for k, n in enumerate(alike, 1)
        }
    return [labels[n] for n in whole]


def cut_name(name: str, most: int) -> str:
    """Cut a name in the middle to a length."""
    if len(name) <= most:
        return name
    tail = max((most - 1) // 2, END)
    return f"{name[: most - 1 - tail]}…{name[-tail:]}"


def _find_collisions(labels: dict[str, str]) -> list[list[str]]:
    groups = defaultdict(list)
    for name, label in labels.items():
        groups[label].append(name)
    return [g for g in groups.values() if len(g) > 1]


def _tell_apart(names: list[str], most: int) -> list[str]:
    """Shorten names that begin and end alike, but keep the words in the middle that differ."""
    start = count_common_letters(names)
    end = count_common_letters([n[start:][::-1] for n in names])
    middles = [n[start : len(n) - end] for n in names]
    longest = min(max(map(len, middles)), most - 2 - 2 * END)
    tail = min((most - 2 - longest) // 2, end)
    head = most - 2 - longest - tail
    return [
        f"{n[:head]}…{m[:longest]}…{n[len(n) - tail :]}"
        for n, m in zip(names, middles, strict=True)
    ]


def count_common_letters(names: list[str]) -> int:
    """Count the letters that all names begin with, up to where a word ends."""
    alike = sum(
        1 for _ in takewhile(lambda letters: len(set(letters)) == 1, zip(*names, strict=False))
    )
    while alike and names[0][alike - 1].isalnum():
        alike -= 1
    return alike
