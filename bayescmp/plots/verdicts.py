"""Verdicts as bars: alone, under other assumptions, and as more data come."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.patches import Patch

from bayescmp.base.arguments import must, must_be
from bayescmp.plots.captions import Facts, facts_of_verdicts, note
from bayescmp.plots.drawing import (
    COLUMN,
    Look,
    axes_for,
    column,
    fill,
    frame_axes,
    ink,
    label_below,
    legend_above,
    legend_columns,
    letters,
    made_of,
    measure_widest,
    paper,
    pitch,
    region_labels,
    room,
    row_text,
    shorten_all,
    size_figure,
    write_inside,
)
from bayescmp.results.plan import Plan
from bayescmp.results.sensitivity import PairsSensitivity, Sensitivity
from bayescmp.results.verdict import Verdict
from bayescmp.study.comparisons import PairResult
from bayescmp.summaries.sensitivity import name_setting
from bayescmp.wording.regions import COLOURS, LABELS, MARKERS, ORDER, fill_in
from bayescmp.wording.text import format_count, format_probability, join_items, words_of

# Verdicts as labelled bars: every region's probability on one line.


#: Inches of a bar with its gap, of all bars at most, and of a row of the legend.
BAR, BARS, LEGEND = 0.34, 7.4, 0.15


@made_of("a verdict, or a mapping of labels to verdicts")
def plot_verdict_bar(verdicts: Any, *, ax: Axes | None = None) -> Axes:
    """Draw one verdict, or several below each other, as stacked bars.

    Parameters
    ----------
    verdicts : Verdict, or mapping of label or (first, second) to Verdict or PairResult
        All over the same regions; `Comparisons.results` is such a mapping.
    ax : matplotlib Axes, optional

    Returns
    -------
    matplotlib Axes
        Lengths are probabilities. For a single verdict the legend has all numbers; a bold label
        marks a decision. Pairs with one control are named by the other algorithm, the best first.

    Raises
    ------
    InputError
        If there is none, or they have different regions.

    See Also
    --------
    plot_verdicts : All pairs as a matrix.

    Examples
    --------
    >>> from bayescmp import bayesian, plots
    >>> x = [0.01, 0.03, 0.02, 0.00, 0.02]
    >>> posterior = bayesian.correlated_t(x, rho=0.2, rope=0.01, names=("knn", "gbm"))
    >>> ax = plots.plot_verdict_bar(posterior.verdict())
    >>> [text.get_text().split("  ")[0] for text in ax.get_legend().get_texts()]
    ['knn better', 'equivalent', 'gbm better']
    """
    rows = _verdicts_by_key(verdicts)
    each = list(rows.values())
    ax = axes_for(ax, verdict_bar_size(verdicts))
    single = len(rows) == 1
    control = _control_of(rows)
    size = row_text(pitch(len(rows), BAR, BARS), 7)
    for i, v in enumerate(each):
        _bar(ax, v, i, 0.0 if single else size)
    ax.set(xlim=(0, 1), ylim=(len(rows) - 0.45, -0.55))
    most = letters(0.45 * room(ax) / 2, size, 14, 7)
    ax.set_yticks([] if single else range(len(rows)), None if single else _bar_labels(rows, most))
    if not single:
        for label, v in zip(ax.get_yticklabels(), each, strict=True):
            label.set_fontweight("bold" if v.decided else "normal")
    ax.set_xticks([0, 0.25, 0.5, 0.75, 1], ["0", "¼", "½", "¾", "1"])
    frame_axes(ax, "bottom", labelsize=7, length=2)
    ax.tick_params(axis="y", length=0, labelsize=size)
    decides = join_items(list(dict.fromkeys(verdict.decides for verdict in each)), "or")
    against = f"\neach against {_short_names(rows, 28)[control]}" if control else ""
    label_below(ax, f"probability: {decides}{_metric_of(each)}{against}", 7)
    legend = _legend_rows(rows)
    legend_above(ax, [Patch(**fill(r)) for r, _ in legend], [text for _, text in legend])
    bold = "" if single else "bold: decided"
    return note(ax, f"Posterior probabilities of the {decides}", facts_of_verdicts(each), bold)


def _metric_of(verdicts: list[Verdict]) -> str:
    """Return the metric that all verdicts are by, after a comma."""
    measured = {verdict.measured for verdict in verdicts}
    metric = measured.pop() if len(measured) == 1 else ""
    return f", {metric}" if metric else ""


def verdict_bar_size(verdicts: Any) -> tuple[float, float]:
    """Return width and height, in inches, of a figure that fits the plot."""
    rows = _verdicts_by_key(verdicts)
    words = [text for _, text in _legend_rows(rows)]
    width = column()
    if len(rows) > 1:
        beside = measure_widest(_bar_labels(rows, 14), 7)
        width, _ = size_figure(max(column(), beside + 2.4), 0.0)
    lines = -(-len(words) // legend_columns(words, width - 0.25, 7))
    lines += bool(_control_of(rows))
    return width, 0.55 + LEGEND * lines + pitch(len(rows), BAR, BARS) * len(rows)


def _verdicts_by_key(verdicts: Any) -> dict[object, Verdict]:
    if not isinstance(verdicts, Mapping):
        verdicts = {"": verdicts}
    if not verdicts:
        raise must_be("verdicts", "a verdict, or a mapping of labels to them", verdicts)
    rows = {key: v.verdict if isinstance(v, PairResult) else v for key, v in verdicts.items()}
    if len({tuple(verdict.probabilities) for verdict in rows.values()}) > 1:
        raise must("verdicts", "all be of one metric, or all of several", "different regions")
    if not _control_of(rows):
        return rows
    lead = {
        key: v.probabilities[_ends(v)[1]] - v.probabilities[_ends(v)[0]] for key, v in rows.items()
    }
    return {key: rows[key] for key in sorted(rows, key=lambda key: -lead[key])}


def _ends(v: Verdict) -> tuple[str, str]:
    """Return the regions in which the first, and the second, is better."""
    first, second = (r for r, decision in v.shape.decisions.items() if decision in SIDES)
    return first, second


#: Decisions for one of the two.
SIDES = "first", "second"


def _control_of(rows: Mapping[object, object]) -> str:
    """Return the first algorithm of the pairs, if it is the same in all; else ""."""
    firsts = {key[0] if isinstance(key, tuple) and len(key) == 2 else None for key in rows}
    name = firsts.pop() if len(firsts) == 1 and len(rows) > 1 else None
    return "" if name is None else str(name)


def _bar_labels(rows: Mapping[object, object], most: int) -> list[str]:
    """Label each bar, of a control's pairs by the other; a pair's names are shortened apart."""
    own = 1 if _control_of(rows) else 0
    parts = [key[own:] if isinstance(key, tuple) else (key,) for key in rows]
    short = _short_names(rows, most)
    return [" – ".join(short[str(name)] for name in part) for part in parts]


def _short_names(rows: Mapping[object, object], most: int) -> dict[str, str]:
    """Return what fits of each name in the bars' keys, no two alike."""
    parts = (key if isinstance(key, tuple) else (key,) for key in rows)
    names = list(dict.fromkeys(str(name) for part in parts for name in part))
    return dict(zip(names, shorten_all(names, most), strict=True))


def _regions(v: Verdict) -> list[str]:
    return [r for r in ORDER if r in v.possible]


def _bar(ax: Axes, v: Verdict, row: int, size: float) -> None:
    """Draw the parts of a bar, with numbers of that size where there is room for them."""
    left = 0.0
    for region in _regions(v):
        p = v.probabilities[region]
        ax.barh(row, p, left=left, height=0.62, zorder=2, **fill(region))
        ax.barh(
            row, p, left=left, height=0.62, fill=False, edgecolor=paper(), linewidth=0.8, zorder=4
        )
        if size and p >= 0.16:
            box: Look = {
                "facecolor": paper(),
                "edgecolor": "none",
                "pad": 0.8,
                "alpha": 0.85,
            }
            number = number_in_cell(p, v.threshold)
            write_inside(ax, left + p / 2, row, number, size, ink(), zorder=5, bbox=box)
        left += p


def number_in_cell(p: float, limit: float) -> str:
    """Write a number to three digits, but never rounded up to a limit that is not reached."""
    return format_probability(np.floor(1000 * p) / 1000 if p < limit <= round(p, 3) else p)


def _legend_rows(rows: Mapping[object, Verdict]) -> list[tuple[str, str]]:
    v, control = next(iter(rows.values())), _control_of(rows)
    if len(rows) > 1:
        first, second = (_short_names(rows, 16)[control], "other") if control else SIDES
        pair = first, second
        return [(r, fill_in(LABELS, v.shape.name, r, pair)) for r in _regions(v)]
    words = region_labels(v.shape, v.names, 16)
    return [
        (r, f"{words[r]}  {format_probability(v.probabilities[r], v.floor)}") for r in _regions(v)
    ]


# Sensitivity: a strip a question, a stacked bar a setting.


#: Data sets, or runs, left out that are shown: those that change the verdict most.
MOST = 8
#: Inches of a bar and of what stands around the bars; gap between questions, in bars.
SETTING, AROUND_SETTINGS, GAP = 0.17, 0.75, 0.8
#: Questions whose settings name what was left out.
LEFT_OUT = ("without", "runs")


@made_of(
    "a sensitivity analysis, posterior.sensitivity()", "bayescmp.results.sensitivity:Sensitivity"
)
def plot_sensitivity(sensitivity: Sensitivity, *, ax: Axes | None = None) -> Axes:
    """Draw how a verdict changes under other assumptions.

    Parameters
    ----------
    sensitivity : Sensitivity
        What ``posterior.sensitivity()`` returned.
    ax : matplotlib Axes, optional

    Returns
    -------
    matplotlib Axes
        One bar per setting, its parts the probabilities of the three regions, by question; bold,
        with a dot, if the verdict changes. Of the data sets left out, the eight that matter most
        are shown.

    See Also
    --------
    plot_rope_curve : The ROPE alone, continuously.

    Examples
    --------
    >>> from bayescmp import bayesian, plots
    >>> x = [[0.04, 0.05, 0.03], [0.05, 0.04, 0.05], [0.06, 0.03, 0.05], [0.04, 0.05, 0.04]]
    >>> posterior = bayesian.hierarchical_t(x, rho=0.3, rope=0.01, engine="quadrature")
    >>> ax = plots.plot_sensitivity(posterior.sensitivity())
    >>> ax.get_yticklabels()[0].get_text()
    'as fitted'
    """
    rows = _select_rows(sensitivity.frame)
    at = _places(rows)
    ax = axes_for(ax, sensitivity_size(sensitivity))
    start = [0.0] * len(rows)
    labels = region_labels(sensitivity.verdict.shape, sensitivity.verdict.names, 14)
    for region in _regions(sensitivity.verdict):
        p = rows[f"p_{region}"].tolist()
        ax.barh(at, p, left=start, height=0.8, label=labels[region], **fill(region, 0.7))
        start = [left + width for left, width in zip(start, p, strict=True)]
    changes = [y for y, c in zip(at, rows["changes"], strict=True) if c]
    ax.plot([1.02] * len(changes), changes, "o", color=ink(), markersize=3, clip_on=False)
    part = _part_shown(sensitivity.frame[["question", "setting"]])
    names = [name_setting(sensitivity, row) for row in rows.to_dict(orient="records")]
    _finish_sensitivity(ax, rows.assign(setting=names), at, part)
    facts = facts_of_verdicts([sensitivity.verdict])
    return note(
        ax, "Verdict under other assumptions", facts, "dot and bold: the verdict changes", part
    )


def sensitivity_size(sensitivity: Sensitivity) -> tuple[float, float]:
    """Return width and height, in inches, of a figure that fits the plot."""
    part = _part_shown(sensitivity.frame[["question", "setting"]])
    around = AROUND_SETTINGS + (0.13 if part else 0.0)
    return size_figure(
        COLUMN + 1.2, around + SETTING * (_places(_select_rows(sensitivity.frame))[-1] + 1)
    )


def _part_shown(settings: pd.DataFrame) -> str:
    """State how many of the parts left out are shown; "" if all are."""
    left_out = settings[settings["question"].isin(LEFT_OUT)].drop_duplicates()
    return (
        f"without: the {MOST} of {len(left_out)} that change most" if len(left_out) > MOST else ""
    )


def _select_rows(frame: pd.DataFrame) -> pd.DataFrame:
    """Select all rows, but only those data sets left out that matter most."""
    left_out = frame["question"].isin(LEFT_OUT)
    most = frame[left_out].sort_values("change", ascending=False, kind="stable").head(MOST)
    return pd.concat([frame[~left_out], most])


def _places(rows: pd.DataFrame) -> list[float]:
    """Return the heights of the bars, with a gap before each question."""
    at, y, last = [], -1.0, None
    for question in rows["question"]:
        y += 1.0 if question == last or last is None else 1.0 + GAP
        at.append(y)
        last = question
    return at


def _setting_labels(questions: Iterable[str], settings: Iterable[str], most: int) -> list[str]:
    titles = ("without" if q in LEFT_OUT else q for q in questions)
    pairs = zip(titles, shorten_all(settings, most), strict=True)
    own: dict[str, Callable[[str], str]] = {"fit": str, "rope": "ROPE {}".format}
    return [own[t](s) if t in own else f"{t} {s}" for t, s in pairs]


def _finish_sensitivity(ax: Axes, rows: pd.DataFrame, at: list[float], part: str) -> None:
    most = letters(0.5 * room(ax) - 0.3, 7, 30)
    ax.set_yticks(at, _setting_labels(rows["question"], rows["setting"], most))
    for label, changes in zip(ax.get_yticklabels(), rows["changes"], strict=True):
        label.set_fontweight("bold" if changes else "normal")
    ax.set(xlim=(0, 1), ylim=(at[-1] + 0.6, -0.6))
    frame_axes(ax, "bottom", labelsize=7, length=2)
    ax.tick_params(axis="y", length=0)
    label_below(ax, "probability; a dot: the verdict changes", 7, part)
    legend_above(ax, *ax.get_legend_handles_labels())


# Sensitivity of several pairs: one column per pair, one row per setting, decisions in the cells.


#: Inches of a row, of a column, and of what stands around them; the most columns.
PAIR_ROW, PAIR_COLUMN, PAIRS_AROUND, BESIDE, COLUMNS = 0.17, 0.24, 0.8, 2.4, 30


@made_of(
    "the sensitivity of all pairs, bc.compare_all(...).sensitivity()",
    "bayescmp.results.sensitivity:PairsSensitivity",
)
def plot_pairs_sensitivity(sensitivity: PairsSensitivity, *, ax: Axes | None = None) -> Axes:
    """Draw the decision on each pair under other assumptions.

    Parameters
    ----------
    sensitivity : PairsSensitivity
        What ``posterior.sensitivity()`` of several algorithms returned.
    ax : matplotlib Axes, optional

    Returns
    -------
    matplotlib Axes
        A cell is filled with the decided region, if any; a dot marks a different decision from the
        fit's. The eight data sets that matter most when left out are shown, and the first thirty
        pairs that are decided under any assumption; a line below counts the others.

    See Also
    --------
    plot_sensitivity : One pair, with its probabilities.

    Examples
    --------
    >>> from bayescmp import bayesian, plots
    >>> x = [[0.71, 0.74, 0.69, 0.72], [0.72, 0.74, 0.70, 0.73], [0.80, 0.83, 0.79, 0.80]]
    >>> posterior = bayesian.groups(x, rho=0.25, rope=0.02, names=["knn", "svm", "gbm"], seed=1)
    >>> ax = plots.plot_pairs_sensitivity(posterior.sensitivity())
    >>> [label.get_text() for label in ax.get_xticklabels()]
    ['knn, svm', 'knn, gbm', 'svm, gbm']
    """
    rows = _settings_of_pairs(sensitivity)
    deciding, pairs = _find_deciding(sensitivity), _columns_of(sensitivity)
    ax = axes_for(ax, pairs_sensitivity_size(sensitivity))
    shape = sensitivity.pairs[pairs[0]].verdict.shape
    decided = {shape.decisions[r]: r for r in shape.regions}
    labels = region_labels(shape, ("first", "second"), 14)
    cells: dict[str, list[tuple[int, int]]] = {region: [] for region in ORDER}
    dots = []
    for across, pair in enumerate(pairs):
        frame = sensitivity.pairs[pair].frame.set_index(["question", "setting"])
        for row, key in enumerate(rows):
            if key not in frame.index:
                continue
            decision = str(frame.loc[key, "decision"])
            if decision in decided:
                cells[decided[decision]].append((across, row))
            if frame.loc[key, "changes"]:
                dots.append((across, row))
    for region, places in cells.items():
        if places:
            x, y = zip(*places, strict=True)
            low, style = [at - 0.4 for at in y], fill(region, 0.7)
            ax.bar(x, [0.8] * len(x), 0.8, low, label=labels[region], **style)
    ax.plot([x for x, _ in dots], [y for _, y in dots], "o", color=ink(), markersize=3)
    _finish_pairs(ax, [*_name_settings(sensitivity, rows)], _pair_labels(pairs))
    blank = sum(map(len, cells.values())) < len(rows) * len(pairs)
    lines = [
        "blank: undecided" * blank,
        "a dot: the verdict changes" * bool(dots),
        *_missing_pairs(sensitivity, len(deciding)),
        _part_shown(sensitivity.frame[["question", "setting"]]),
    ]
    label_below(ax, "\n".join(filter(None, lines)), 7)
    facts = facts_of_verdicts(s.verdict for s in sensitivity.pairs.values())
    return note(ax, "Decisions on pairs under other assumptions", facts, *lines)


def pairs_sensitivity_size(sensitivity: PairsSensitivity) -> tuple[float, float]:
    """Return width and height, in inches, of a figure that fits the plot."""
    pairs = _columns_of(sensitivity)
    around = PAIRS_AROUND + measure_widest(_pair_labels(pairs), 7)
    rows = len(_settings_of_pairs(sensitivity))
    return size_figure(BESIDE + PAIR_COLUMN * len(pairs), around + PAIR_ROW * rows)


def _pair_labels(pairs: list[tuple[str, str]]) -> list[str]:
    """Write both names of each pair, cut alike in all of them."""
    names = list(dict.fromkeys(name for pair in pairs for name in pair))
    short = dict(zip(names, shorten_all(names, 14), strict=True))
    return [f"{short[a]}, {short[b]}" for a, b in pairs]


def _find_deciding(sensitivity: PairsSensitivity) -> list[tuple[str, str]]:
    """List the pairs on which something is decided under any assumption."""
    return [
        pair
        for pair, each in sensitivity.pairs.items()
        if each.frame["decision"].isin(each.verdict.shape.decisions.values()).any()
    ]


def _columns_of(sensitivity: PairsSensitivity) -> list[tuple[str, str]]:
    """List the pairs that are drawn: those that are ever decided, or all if none is."""
    return (_find_deciding(sensitivity) or list(sensitivity.pairs))[:COLUMNS]


def _missing_pairs(sensitivity: PairsSensitivity, deciding: int) -> list[str]:
    """State how many pairs are not drawn, and why."""
    every = len(sensitivity.pairs)
    if not deciding:
        shown = f", {COLUMNS} of them drawn" if every > COLUMNS else ""
        return [f"none of {format_count(every, 'pair')} is ever decided{shown}"]
    never, beyond = every - deciding, max(deciding - COLUMNS, 0)
    lines = {
        f"not drawn: {never} of {format_count(every, 'pair')}, never decided": never,
        f"not drawn: {format_count(beyond, 'pair')} beyond the first {COLUMNS}": beyond,
    }
    return [text for text, number in lines.items() if number]


def _settings_of_pairs(sensitivity: PairsSensitivity) -> list[tuple[str, str]]:
    """List questions and settings; among sets left out, those that change any pair most."""
    keys = ["question", "setting"]
    largest = sensitivity.frame.groupby(keys, sort=False)["change"].max().reset_index()
    return list(_select_rows(largest)[keys].itertuples(index=False, name=None))


def _name_settings(
    sensitivity: PairsSensitivity, keys: list[tuple[str, str]]
) -> Iterator[tuple[str, str]]:
    known: dict[tuple[str, str], str] = {}
    for each in sensitivity.pairs.values():
        for row in each.frame.to_dict(orient="records"):
            key = str(row["question"]), str(row["setting"])
            if key not in known:
                known[key] = name_setting(each, row)
    yield from ((question, known[question, setting]) for question, setting in keys)


def _finish_pairs(ax: Axes, rows: list[tuple[str, str]], pairs: list[str]) -> None:
    labels = _setting_labels([q for q, _ in rows], [s for _, s in rows], 24)
    ax.set_yticks(range(len(rows)), labels)
    ax.set_xticks(range(len(pairs)), pairs, rotation=90)
    ax.set(xlim=(-0.6, len(pairs) - 0.4), ylim=(len(rows) - 0.4, -0.6))
    frame_axes(ax, labelsize=7, length=0)
    handles, names = ax.get_legend_handles_labels()
    if handles:  # nothing may be decided
        legend_above(ax, handles, names)


# Planning: the probability of a decision against the amount of data, with its limit.


#: Lines of further folds on the data sets seen, fewest first.
STYLES = ("-", "--", "-.", ":")


@made_of("a plan, of bc.plan", "bayescmp.results.plan:Plan")
def plot_plan(plan: Plan, *, ax: Axes | None = None) -> Axes:
    """Draw how the probability of a decision grows with the number of data sets.

    Parameters
    ----------
    plan : Plan
        What ``posterior.plan()`` or `bayescmp.plan` returned.
    ax : matplotlib Axes, optional
        Where to draw; a new figure if not given.

    Returns
    -------
    matplotlib Axes
        In the colour of text, the share of simulated studies that are decided, with two standard
        errors; in colour, by decision. A mark at the right edge is the limit for infinitely many
        data sets. Each number of further folds has its own line style.

    See Also
    --------
    plot_sensitivity : How the verdict on the available data depends on assumptions.

    Examples
    --------
    >>> import bayescmp as bc
    >>> plan = bc.plan(delta0=0.03, sigma0=0.003, rope=0.01, rho=0.1, datasets=[3, 12],
    ...                simulations=10)
    >>> ax = bc.plots.plot_plan(plan)
    >>> ax.get_ylabel()
    'power (probability of a decision)'
    """
    labels, whole = (region_labels(plan.shape, plan.names, most) for most in (12, 999))
    more_folds, sample = plan.frame["more_folds"].unique().tolist(), words_of(plan.unit)["sample"]
    words = [*labels.values(), *(f"decided, {more} more {sample}s" for more in more_folds)]
    lines = -(-len(words) // legend_columns(words, column() - 0.2, 7))
    ax = axes_for(ax, (column(), 2.4 + LEGEND * lines))
    for more, style in zip(more_folds, STYLES * len(more_folds), strict=False):
        rows = plan.frame[plan.frame["more_folds"] == more]
        of_folds = f", {more} more {sample}s" if more else ""
        line: Look = {"linestyle": style, "markersize": 3}
        own: Look = {"marker": "o", "linewidth": 1.2, "elinewidth": 0.8, "zorder": 3}
        x, error, label = rows["datasets"], 2 * rows["se_decided"], f"decided{of_folds}"
        ax.errorbar(x, rows["decided"], error, color=ink(), label=label, **line, **own)
        for region, decision in plan.shape.possible.items():  # a label only for the fewest folds
            own = {"color": COLOURS[region], "marker": MARKERS[region], "linewidth": 1.0}
            ax.plot(x, rows[decision], label=None if of_folds else labels[region], **line, **own)
    for region, decision in plan.shape.possible.items():
        place, across = (1.02, plan.limit[decision]), ax.get_yaxis_transform()
        look: Look = {"color": COLOURS[region], "marker": MARKERS[region]}
        ax.plot(*place, transform=across, clip_on=False, markersize=6, **look)
    _finish_plan(ax, plan, _limit(plan, labels))
    facts = Facts(
        names=tuple(plan.names),
        sample=format_count(plan.simulations, "simulated study", "simulated studies"),
        threshold=plan.threshold,
    )
    shown = f"Power by the number of {plan.unit}s"
    return note(ax, shown, facts, "bars: two standard errors", _limit(plan, whole))


def _limit(plan: Plan, labels: dict[str, str]) -> str:
    """State what the marks at the right edge are, with their numbers."""
    possible = plan.shape.possible.items()
    chances = [f"{labels[r]} {format_probability(plan.limit[d])}" for r, d in possible]
    return f"right edge, with infinitely many {plan.unit}s: {', '.join(chances)}"


def _finish_plan(ax: Axes, plan: Plan, limit: str) -> None:
    ax.set_ylim(-0.02, 1.02)
    across = f"{'more ' * bool(plan.today)}{plan.unit}s"
    label_below(ax, f"{across}\n{limit}", 7)
    ax.set_ylabel("power (probability of a decision)", fontsize=8)
    ax.locator_params(axis="x", integer=True)
    frame_axes(ax, "left", "bottom", labelsize=7)
    legend_above(ax, *ax.get_legend_handles_labels())
