"""Numbers that results print are those computed."""

import math
import re
from contextlib import suppress
from functools import cache
from itertools import pairwise

import numpy as np
import pandas as pd
import pytest

import bayescmp as bc
from bayescmp.present.paper import FORMS
from bayescmp.study.comparisons import Comparisons
from bayescmp.study.crosscheck import CrossCheck
from tests.reference import printed_results, verdict_cases
from tests.rows import each_row

# What some forty results print stands in files, for a person to read; each of its numbers is
# one of the result's.


RESULTS = printed_results.results()
#: Numbers of words: a test's year, a level, the interval's probability, the threshold.
PRINTED = re.compile(r"(?<![\w.#…])[<>]?[-−]?\d+(?:\.\d+)?(?:e[-−+]\d+)?(?![\w…])")


@pytest.mark.parametrize("name", RESULTS)
def test_a_result_prints_what_it_computed(name):
    """The text is the file's, its numbers are the result's, and it claims what was decided.

    In full it contains at least what the answer does. A terminal shows it in 80 columns, without
    colours, with minus signs that are minus signs.
    """
    result = printed_results.made(name)
    text, full = printed_results.printed(result), result.full()
    assert text == (printed_results.HERE / f"{name}.txt").read_text(encoding="utf-8")
    quoted = set(PRINTED.findall(" ".join(facts_in(result))))
    unexplained = [n for n in PRINTED.findall(text) if n not in quoted]
    assert not_among(unexplained, numbers_in(result)) == []
    assert "\n" not in repr(result)  # a line in a list
    for shown in (repr(result), text, full):
        assert "\x1b" not in shown
    for shown in (text, full):
        assert [line for line in shown.splitlines() if len(line) > 80] == []
        assert re.findall(r"(?<![\w.)\]…-])-(?=[\d.∞])", shown) == []
    assert text.splitlines()[0] in full
    for form in FORMS:
        assert isinstance(result.explain(form), str)
    assert isinstance(result.frame, pd.DataFrame)
    assert len(result.frame)
    check_decision(result, " ".join(text.split()))
    if name in OF_MANY:
        check_rows(result)


#: Results of many, whose rows belong to an algorithm or to a pair.
OF_MANY = [name for name in RESULTS if name.startswith(("all_", "bootstrap", "friedman_of"))]
OF_MANY += [name for name in RESULTS if name.startswith("crosscheck") and "metrics" not in name]


def check_rows(result):
    """Check that each number of a row is of its algorithm or its pair."""
    rows = list(rows_of(result, str(result)))
    algorithms = len(result.algorithms)
    pairs = algorithms * (algorithms - 1) // 2
    assert (
        len(rows) == pairs if isinstance(result, CrossCheck) else len(rows) >= min(algorithms, 15)
    )
    for line, known in rows:
        assert foreign(line, known) == [], line


@each_row("name", ["all_of_four", "bootstrap_of_four", "crosscheck_of_four"])
def test_a_number_of_another_row_is_missed(name):
    """Another number in every place, and all those of the row below it."""
    result = printed_results.made(name)
    rows = list(rows_of(result, str(result)))
    for (line, known), (_, others) in pairwise(rows):
        quoted = PRINTED.findall(numbers_of_row(line))
        assert quoted
        for number in quoted:
            assert foreign(line.replace(number, "77.7", 1), known), number
        assert foreign(line, others)


def rows_of(result, text):
    """Rows of a printed table, each with the numbers of its algorithm or of its pair."""
    known = {(name,): list(numbers_of(result, name)) for name in result.algorithms}
    if isinstance(result, CrossCheck):
        frames = result.frame.groupby(["first", "second"])
        known = {pair: list(in_frame(rows)) for pair, rows in frames}
    for line in text.splitlines():
        cells = re.split(r"  +", line)
        for names, numbers in known.items():
            here = cells[: len(names)]
            if len(cells) > len(names) and any(
                all(map(stands_for, here, order)) for order in (names, names[::-1])
            ):
                yield line, numbers


def stands_for(printed, name):
    """Whether a name is printed so, whole or cut."""
    start, *middle, end = printed.split("…") if "…" in printed else (printed, printed)
    whole = "…" in printed or printed == name
    parts = all(part in name for part in middle)
    return whole and name.startswith(start) and name.endswith(end) and parts


def numbers_of(result, name):
    """Those of an algorithm: its mean and its lead, or its chances of being best."""
    if isinstance(result, CrossCheck):
        return
    if isinstance(result, Comparisons):
        yield result.means[name]
        yield from range(len(result.algorithms))  # how many more it is better than
        for pair, each in result.results.items():
            if name in pair:
                v = each.verdict
                yield from (*v.estimate, *(e for ends in v.mean_interval for e in ends))
                yield float(np.mean(each.means or 0.0))
                yield from rounded_limits(result.limits.get(pair))
    else:
        for on in result.targets:
            yield from in_frame(result.ranking(on).loc[[name]])
        yield from in_frame(result.overview().loc[[name]])


def numbers_of_row(line):
    """What stands behind the names."""
    return re.split(r"  +", line, maxsplit=1)[1] if "  " in line else ""


def foreign(line, known):
    """Numbers of a row that are none of these."""
    words = [w for w in PRINTED.findall(numbers_of_row(line)) if w not in ("1", "0")]
    return not_among(words, known)


# A sentence that decides stands only where it is decided.


def check_decision(result, text):
    """Raise if a sentence that decides stands where nothing is decided, or the reverse."""
    if isinstance(result, Comparisons | CrossCheck):
        several = isinstance(result, CrossCheck)
        each = list(result.comparisons.values()) if several else [result]
        for comparisons, part in zip(each, text.split("more: .full()"), strict=False):
            check_lead(comparisons, part)
    elif isinstance(result, bc.Verdict | bc.Posterior):
        verdict = result if isinstance(result, bc.Verdict) else result.verdict()
        head = text.split("Most probable outcome on")[0].split("No outcome on")[0]
        decides = (" better than ", "are practically", " dominates ", "trade-off")
        assert any(words in head for words in decides) == verdict.decided
        assert (": undecided" in head or ": borderline" in head) == (not verdict.decided)


#: How the answer about all says how its first does against others, and what is decided then.
SAYS = {
    r"[Pp]ractically better than|Better than": "better",
    r"[Pp]ractically worse than|[Ww]orse than": "worse",
    r"[Pp]ractically equivalent to": "equivalent",
    r"[Uu]ndecided against": "undecided",
}


def check_lead(comparisons, text):
    """Whom the first is said to be better than, equivalent to, undecided against."""
    names = sorted(comparisons.algorithms, key=len, reverse=True)
    order = re.search(r"(\S+) comes first in order", text) or re.search(r"(\S+) leads", text)
    first = comparisons.control or order[1]
    answer = re.split(
        r"Best on average|All algorithms together|Of \d+ pair|mean +(?:behind|ahead of)", text
    )[0]
    for words, decision in SAYS.items():
        for part in re.findall(rf"(?:{words}) ([^;.]*?)(?: and \d+ more)?[;.]", answer):
            named = [n for n in names if re.search(rf"(?<![\w]){re.escape(n)}(?!\w)", part)]
            assert named, part
            for other in named:
                assert outcome_for(comparisons, first, other) == decision, (first, other, part)


def outcome_for(comparisons, first, other):
    """How the first does against the other, from the verdict itself."""
    turned = (first, other) not in comparisons.results
    verdict = comparisons[(other, first) if turned else (first, other)].verdict
    decision = verdict.decision
    if decision in ("first", "second"):
        return "better" if (decision == "first") != turned else "worse"
    return decision if decision == "equivalent" else "undecided"


def test_a_number_that_is_not_there_is_missed():
    assert not_among(["0.726", "0.727", "0.73", "−0.7"], [0.72613]) == ["0.727"]
    assert not_among(["<0.001"], [0.5, 0.0002]) == not_among([">0.999"], [0.9992]) == []
    assert not_among(["<0.001", ">0.999"], [0.002, 0.5]) == ["<0.001", ">0.999"]
    assert not_among(["1.5"], [math.log(1.0152)]) == []  # percent, of a logarithm


def test_there_is_a_file_for_each_result_and_no_other():
    files = sorted(path.stem for path in printed_results.HERE.glob("*.txt"))
    assert files == sorted(RESULTS)


def not_among(printed, values):
    """Printed numbers that are no value, and no change in percent, to the digits shown."""
    values = set(values)
    changes = [100 * math.expm1(abs(value)) for value in values if abs(value) < 1]
    either = [*values, *(-value for value in values), *changes]
    significant = {f"{v:.{digits}g}" for v in either for digits in (1, 2, 3)}

    @cache
    def rounded(digits):
        return {f"{v:.{digits}f}" for v in either}

    def is_there(text):
        number = text.lstrip("<>").replace("−", "-")
        if text[0] in "<>":
            return min(values) < float(number) if text[0] == "<" else max(values) > float(number)
        digits = len(number.partition(".")[2]) if "e" not in number else 0
        return number in significant or number in rounded(digits)

    return [text for text in printed if not is_there(text)]


def facts_in(result):
    """Words that it prints as they are: its method, notes, data; and what is said beside them."""
    yield "95 0.95 0.05"
    if isinstance(result, CrossCheck):
        for comparisons in result.comparisons.values():
            yield from facts_in(comparisons)
        yield " ".join(test.method for test in result.omnibus.values())
    elif isinstance(result, Comparisons):
        yield from (*result.methods, *result.doubts, *result.algorithms)
    elif isinstance(result, bc.Verdict):
        yield from (result.method, result.resampling, result.target, *result.names)
        yield "0.5" if "minus one half" in result.quantity else ""
    elif isinstance(result, bc.Undominated):
        yield result.method
    elif isinstance(result, bc.Estimates):
        yield f"{result.resampling} 1981 2001 2015"
    elif not hasattr(result, "diagnostics"):
        yield from (str(getattr(result, "names", "")), getattr(result, "method", ""))
        yield from (*getattr(result, "notes", ()), getattr(result, "resampling", ""))
        yield "0.80 0.8 2024"  # a planned chance, and a year
        if hasattr(result, "verdict") and not callable(result.verdict):
            yield from (str(result.verdict.rope), *map(str, result.frame.get("setting", ())))
            yield "2.5 1000 00 3"  # how priors are called
    else:
        diagnosis = (*result.diagnostics.messages, *result.diagnostics.misfit)
        yield from (*result.notes, *diagnosis, result.data_text, result.resampling)
        yield from (result.method, result.reference, result.engine_version, str(result.names))
        yield f"{result.diagnostics} {getattr(result, 'size', '')}"


def numbers_in(result):
    """All numbers of a result, unrounded."""
    if isinstance(result, CrossCheck):
        yield from in_frame(result.frame)
        yield from in_frame(result.pairs)
        agreed = result.pairs.groupby("metric")["agreement"].value_counts()
        yield from [*agreed, *result.pairs["metric"].value_counts(), len(result.datasets)]
        yield from (test.pvalue for test in result.omnibus.values())
        for comparisons in result.comparisons.values():
            yield from numbers_in(comparisons)
    elif isinstance(result, Comparisons):
        yield from (*result.means.values(), len(result), len(result.algorithms))
        yield from (
            len(result.algorithms) - 1,
            sum(r.verdict.decided for r in result.results.values()),
        )
        yield from range(len(result.algorithms))  # how many more names there are
        for pair in result.results.values():
            yield from (pair.datasets, float(np.mean(pair.means or 0.0)))
            yield from numbers_in(pair.verdict)
        for limits in result.limits.values():
            yield from rounded_limits(limits)
        if result.best is not None:
            yield from numbers_in(result.best)
    elif isinstance(result, bc.Verdict | bc.Undominated):
        yield from in_json(result.to_dict())
    elif isinstance(result, bc.Estimates):
        yield from (*in_json(result.to_dict()), len(result.main))
        for noise in filter(None, (one.own_noise for one in result.main)):
            yield from (100 * noise, 100 - 100 * noise, (1 - noise) ** 0.5)
    elif not hasattr(result, "diagnostics"):
        yield from in_any(result)
    elif hasattr(result, "ranking"):
        yield from in_posterior_of_all(result)
    else:
        verdict = result.verdict()
        yield from in_json(verdict.to_dict())
        yield from rounded_limits(verdict.limits)


def rounded_limits(limits):
    """Yield limits of ROPEs to two digits: one is rounded down, the other up."""
    for limit, direct in (
        ()
        if limits is None
        else zip((limits.better_up_to, limits.equivalent_from), (np.floor, np.ceil), strict=True)
    ):
        if limit > 0:
            unit = 10 ** (np.floor(np.log10(limit)) - 1)
            yield float(direct(limit / unit) * unit)


def in_any(result):
    """Of what is neither a verdict nor a posterior: its tables, and what it saves."""
    parts = [getattr(result, name) for name in dir(result) if name in PARTS]
    for table in (getattr(part, "frame", part) for part in parts):
        if isinstance(table, pd.DataFrame):
            yield from in_frame(table.reset_index())
            yield len(table)
            yield from (100 * table.select_dtypes(bool)).mean()
    if hasattr(result, "to_dict"):
        yield from in_json(result.to_dict())
    with suppress(bc.InputError, AttributeError):
        yield from result.confidence_interval()
    if hasattr(result, "rule"):
        yield from (result.rule.threshold, result.rule.alpha, result.rule.rope.high)
        yield from (result.simulations, result.seed)
    if isinstance(result, bc.ItemPlan):
        yield from (n for n in (result.further(0.8), result.frame["total_questions"].max()) if n)
        yield (result.further(0.8) or 0) + result.seen
    if isinstance(result, bc.Referee):
        yield from (6, *(100 * (1 - result.frame["level"])))  # of alpha·6/(π²k²), and levels
    if isinstance(result, bc.Moderators):
        yield from (100 * share for share in result.explained)
        yield from (len(result.posterior.datasets), 2017)
    if isinstance(result, bc.Sensitivity):
        yield from (result.verdict.rope.high * times for times in (0.5, 1, 2))
        yield from (result.frame["question"].value_counts(),)[0].tolist()


#: What a result may have tables in.
PARTS = ("frame", "pairwise", "ranking", "wins", "sign_tests", "overall", "anova", "by_dataset")


def in_posterior_of_all(result):
    """Of one posterior of many algorithms."""
    targets = getattr(result, "targets", (None,))
    for on in targets:
        yield from in_frame(result.ranking(*([] if on is None else [on])))
        if on is not None:
            yield from in_frame(result.top_sets(on).drop(columns="members"))
    if getattr(result, "is_board", False):
        board = result.scoreboard()
        yield from in_frame(board)
        yield from (*on_a_board(board), 0.8)  # the power
    yield from (0.5, getattr(result, "size", 0), getattr(result, "pareto_k", 0))
    yield len(result.names)
    for verdict in result.verdicts().values() if hasattr(result, "verdicts") else ():
        yield from in_json(verdict.to_dict())


def on_a_board(board):
    """Numbers of further questions, rounded up to three digits, and with the present ones."""
    for further, total in zip(board["further_questions"], board["total_questions"], strict=True):
        if not pd.isna(further) and further > 0:
            unit = 10 ** max(int(np.floor(np.log10(further))) - 2, 0)
            rounded = float(np.ceil(further / unit) * unit)
            yield from (rounded, rounded + total - further)


def in_frame(frame):
    values = frame.select_dtypes("number").to_numpy(dtype=float).ravel()
    return values[np.isfinite(values)].tolist()


def in_json(value):
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, list | tuple):
        for part in value:
            yield from in_json(part)
    elif isinstance(value, int | float) and not isinstance(value, bool):
        yield float(value)


# Verdicts of every kind, whose text is in tests/reference/printed.


def test_they_are_of_every_kind():
    verdicts = [p.verdict() for _, p in verdict_cases.posteriors()]
    assert len(verdicts) == 18
    assert {v.cause for v in verdicts} == {
        "",
        "data sets differ",
        "edge of the ROPE",
        "too little data",
    }
    assert {v.decision for v in verdicts} == {
        "second",
        "equivalent",
        "trade-off",
        "undecided",
        "borderline",
    }
