"""Probabilities, counts and lists as text; the regions' names; works that are cited."""

import json
import math
import re

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from matplotlib.colors import rgb_to_hsv, to_rgb

import bayescmp as bc
from bayescmp.results.regions import FOUR, THREE, shape_of
from bayescmp.scores.rope import Ropes, as_ropes, rope_from_ends
from bayescmp.summaries.verdict import list_odds
from bayescmp.wording.references import REFERENCES, add_reference, cite_short
from bayescmp.wording.regions import (
    ALGORITHMS,
    COLOURS,
    DASHES,
    HATCHES,
    MARKERS,
    ORDER,
    SIGNS,
    WORDS,
)
from bayescmp.wording.text import (
    adjusted_by,
    cut_all,
    cut_name,
    fill_lines,
    fold_text,
    format_cells,
    format_count,
    format_exactly,
    format_probability,
    format_pvalue,
    in_columns,
    join_items,
    justify_line,
    line_width,
    plus_minus,
    side_by_side,
)
from tests.rows import each_row

# Probabilities, errors, counts and lists as text.


def test_probability():
    for p, floor, text in [
        (0.5, 0.0, "0.500"),
        (0.0, 0.0, "<0.001"),
        (1.0, 0.0, ">0.999"),
        (0.001, 0.0, "0.001"),
        (0.00099, 0.0, "<0.001"),
        (0.999, 0.0, "0.999"),
        (0.99901, 0.0, ">0.999"),
        (0.9994, 0.0, ">0.999"),
        (0.0, 1 / 4000, "<0.001"),
        (0.0, 0.001, "<0.001"),
        (0.0, 1 / 900, "<0.002"),
        (1.0, 1 / 100, ">0.990"),
        (0.0, 1 / 300, "<0.004"),
        (0.005, 1 / 100, "<0.010"),
        (math.nan, 0.0, "-"),
    ]:
        assert format_probability(p, floor) == text


@given(st.floats(0, 1), st.floats(1e-9, 0.3))
def test_a_probability_never_reads_zero_or_one_and_its_bound_is_true(p, floor):
    text = format_probability(p, floor)
    assert text not in ("0.000", "1.000")
    if text[0] == "<":
        assert p < float(text[1:])
        assert float(text[1:]) >= floor - 1e-9
    elif text[0] == ">":
        assert p > float(text[1:])
    else:
        assert abs(p - float(text)) <= 0.0005 + 1e-9


@each_row(
    ("error", "exact", "text"),
    [(0.0123, False, "± 0.01"), (0.00099, False, "± <0.001"), (math.nan, False, "")],
)
def test_errors(error, exact, text):
    assert plus_minus(error, exact=exact) == text


@each_row(
    ("n", "words", "text"),
    [(0, ("pair",), "0 pairs"), (2, ("pair",), "2 pairs"), (3, ("match", "matches"), "3 matches")],
)
def test_counts(n, words, text):
    assert format_count(n, *words) == text


@each_row(("items", "text"), [([], ""), (["a", "b"], "a and b"), (["a", "b", "c"], "a, b and c")])
def test_lists(items, text):
    assert join_items(items) == text


def test_lists_with_another_word():
    assert join_items(["a", "b", "c"], "or") == "a, b or c"


@given(st.floats(1e-12, 1e12), st.floats(1e-12, 1e12))
def test_settings_that_differ_read_differently(a, b):
    assert (format_exactly(a) == format_exactly(b)) == (a == b)
    assert float(format_exactly(a)) == a


NAN = float("nan")
REGIONS = ("left", "rope", "right", "trade_off")


def row(p, predictive=(NAN,) * 3, mean=(NAN,) * 3, **more):
    parts = zip(("p", "predictive", "mean"), (p, predictive, mean), strict=True)
    columns = {
        f"{part}_{r}": v for part, values in parts for r, v in zip(REGIONS, values, strict=False)
    }
    return {"first": "a", **columns, "last": 1, **more}


def test_kinds_of_probabilities_stand_side_by_side_in_their_place():
    result = side_by_side(pd.DataFrame([row((0.0, 0.25, 0.75), (0.1, 0.2, 0.7), (0.3, 0.3, 0.4))]))
    assert list(result.columns) == ["first", "most probable outcome", "predictive", "mean", "last"]
    assert result.iloc[0, 1:4].tolist() == [
        "<0.001 0.250 0.750",
        "0.100 0.200 0.700",
        "0.300 0.300 0.400",
    ]


def test_a_kind_stands_where_its_first_region_stood():
    frame = pd.DataFrame([{"p_left": 0.1, "between": "x", "p_rope": 0.2, "p_right": 0.7}])
    assert list(side_by_side(frame).columns) == ["mean difference", "between"]


@each_row(
    ("rows", "title"),
    [
        ([row((0.1, 0.2, 0.7))], "mean difference"),
        ([row((0.1, 0.2, 0.7), (0.1, 0.2, 0.7))], "most probable outcome"),
        ([row((0.1, 0.2, 0.7)), row((0.1, 0.2, 0.7), (0.1, 0.2, 0.7))], "that decides"),
    ],
)
def test_what_decides_has_its_own_name(rows, title):
    assert list(side_by_side(pd.DataFrame(rows)).columns)[1] == title


def test_a_region_that_is_not_there_is_not_shown():
    frame = pd.DataFrame([row((0.3, 0.0, 0.7, NAN)), row((0.5, 0.0, 0.5, NAN))])
    assert side_by_side(frame, ("left", "right"))["mean difference"].tolist() == [
        "0.300 0.700",
        "0.500 0.500",
    ]
    missing = pd.DataFrame([row((0.1, 0.2, 0.3, 0.4)), row((NAN, NAN, NAN, NAN))])
    assert side_by_side(missing)["mean difference"].tolist() == [
        "0.100 0.200 0.300 0.400",
        "- - - -",
    ]
    assert list(side_by_side(pd.DataFrame([row((NAN,) * 3)])).columns) == ["first", "last"]


def test_a_line_begins_with_no_value_and_no_unit():
    text = "adjusted by Bonferroni, n = 8, p < 0.01, ahead by 30 %"
    for width in range(14, len(text)):
        lines = fill_lines(text, width).split("\n")
        assert " ".join(lines) == text
        assert not [line for line in lines if line[0] in "8=<%" or line.startswith("0.01")]


def test_a_table_that_is_too_wide_goes_on_below_with_its_names():
    table = pd.DataFrame({"": ["svm", "logistic"], "mean": ["0.9", "0.85"], "rank": ["1", "2"]})
    assert in_columns(table, 20).splitlines() == [
        "          mean  rank",
        "svm        0.9     1",
        "logistic  0.85     2",
    ]
    assert in_columns(table, 19).splitlines() == [
        "          mean",
        "svm        0.9",
        "logistic  0.85",
        "",
        "          rank",
        "svm          1",
        "logistic     2",
    ]


def test_columns_of_wide_characters_are_aligned():
    """A Chinese character takes two columns of a terminal, an accent of its own none."""
    table = pd.DataFrame({"": ["随机森林", "svm", "e\u0301"], "mean": ["0.9", "0.85", "0.8"]})
    assert in_columns(table).splitlines() == [
        "          mean",
        "随机森林   0.9",
        "svm       0.85",
        "e\u0301          0.8",
    ]
    assert justify_line("随机森林 leads", "accuracy", 24) == "随机森林 leads  accuracy"
    assert justify_line("随机森林 leads", "accuracy", 23).count("\n") == 1


@pytest.mark.parametrize("inset", [0, 2, 3])
def test_lines_that_go_on_are_set_in_by_two_more(inset, monkeypatch):
    monkeypatch.setenv("COLUMNS", "60")
    first, *others = fold_text(" " * inset + "word " * 40).splitlines()
    assert re.fullmatch(rf" {{{inset}}}word( word)*", first)
    assert 55 < len(first) <= 60
    assert len(others) > 2
    assert all(line.startswith(" " * (inset + 2) + "word") for line in others)
    assert all(line == line.rstrip() and len(line) <= 60 for line in others)


@pytest.mark.parametrize(("columns", "width"), [(10, 40), (60, 60), (500, 120)])
def test_lines_are_as_wide_as_the_terminal_within_reason(columns, width, monkeypatch):
    monkeypatch.setenv("COLUMNS", str(columns))
    assert line_width() == width


@each_row(("width", "line"), [(19, "svm leads  accuracy"), (18, "svm leads\naccuracy")])
def test_two_texts_share_a_line_with_two_spaces_between_them(width, line):
    assert justify_line("svm leads", "accuracy", width) == line


def test_signs_in_ascii():
    from bayescmp.wording.text import spell_sign

    assert "".join(map(spell_sign, "ν = 3 ± 0.1 ↑ é 漢")) == "nu = 3 +- 0.1 (higher is better) e ?"
    assert all(spell_sign(chr(i)).isascii() for i in range(0x3000))


def test_a_pair_that_failed_does_not_change_what_the_others_are_called():
    rows = [row((0.0, 0.25, 0.75), (0.1, 0.2, 0.7)), row((NAN,) * 3, (NAN,) * 3)]
    shown = side_by_side(pd.DataFrame(rows))
    assert shown["most probable outcome"].tolist() == ["<0.001 0.250 0.750", "- - -"]


def test_pvalues():
    for p, shown in [
        (None, "–"),
        (0.0, "<0.0001"),
        (0.00009, "<0.0001"),
        (0.0001, "0.0001"),
        (0.0123, "0.012"),
        (0.099, "0.099"),
        (0.1, "0.10"),
        (0.5, "0.50"),
        (0.998, "1.00"),
        (1.0, "1.00"),
    ]:
        assert format_pvalue(p) == shown


@each_row(
    ("procedure", "words"),
    [
        ("benjamini-hochberg", "adjusted with Benjamini-Hochberg's method"),
        ("holm", "adjusted over the pairs with Holm's method"),
        ("none", "not adjusted"),
    ],
)
def test_adjustments(procedure, words):
    assert adjusted_by(procedure, "the pairs" if "pairs" in words else "") == words


def test_p_values_are_no_probabilities():
    """A column's format is declared with its table, whatever the column is called."""
    frame = pd.DataFrame({name: [2e-4, 0.99991] for name in ("p", "pvalue", "p_best")})
    declared = {"p": format_pvalue, "pvalue": format_probability}
    assert format_cells(frame, declared).to_numpy().tolist() == [
        ["0.0002", "<0.001", "0.0002"],
        ["1.00", ">0.999", "0.9999"],
    ]


def test_infinite_numbers_have_their_sign():
    assert format_cells(pd.DataFrame({"t": [np.inf, -np.inf, -0.0, 12345.6]}))["t"].tolist() == [
        "∞",
        "−∞",
        "0",
        "1.235e+04",
    ]


NAMES = st.lists(
    st.text("abcdef_=() 0123456789", min_size=1, max_size=60), max_size=8, unique=True
)


@given(NAMES, st.integers(10, 30))
def test_names_stay_different_and_fit(names, most):
    labels = cut_all(names, most)
    assert len(set(labels)) == len(names)
    assert all(len(label) <= most for label in labels)
    assert [n for n in names if len(n) <= most] == [
        label for n, label in zip(names, labels, strict=True) if len(n) <= most
    ] or len({cut_name(n, most) for n in names}) < len(names)


ALIKE = {
    "words in the middle differ": (
        [f"RandomForestClassifier(n_estimators={k}00, n_jobs=-1)" for k in (1, 2)],
        20,
        ["RandomFo…100…obs=-1)", "RandomFo…200…obs=-1)"],
    ),
    "words in the middle are too long": (
        [f"RandomForest(criterion={k}, n_jobs=-1)" for k in ("squared_error_of_all", "poisson")],
        14,
        ["Ra…squared_…1)", "Ra…poisson…1)"],
    ),
    "nothing short differs": (
        [f"{'x' * 30}{k}{'x' * 30}" for k in "ab"],
        12,
        ["xxxx…xxxx #1", "xxxx…xxxx #2"],
    ),
}


@each_row("case", ALIKE)
def test_names_that_begin_and_end_alike(case):
    names, most, labels = ALIKE[case]
    assert cut_all(names, most) == labels
    assert max(map(len, labels)) <= most


@each_row(("most", "shown"), [(22, "RandomForestClassifier"), (12, "Random…ifier")])
def test_both_ends_are_kept(most, shown):
    assert cut_name("RandomForestClassifier", most) == shown


# Verdicts over the four regions of several metrics; one rope per metric.


ALL_REGIONS = [*THREE.regions, *FOUR.regions]


@each_row("region", ALL_REGIONS)
def test_every_region_has_its_marks(region):
    for marks in (COLOURS, MARKERS, DASHES):
        assert region in marks
    assert region in ORDER


@each_row("regions", [THREE.regions, FOUR.regions])
def test_no_two_regions_look_the_same(regions):
    for marks in (COLOURS, MARKERS, DASHES):
        assert len({marks[r] for r in regions}) == len(regions)


def test_the_same_answer_looks_the_same_by_one_metric_and_by_several():
    for one, several in (("left", "first"), ("rope", "equivalent"), ("right", "second")):
        for marks in (COLOURS, MARKERS, DASHES):
            assert marks[one] == marks[several]
        assert HATCHES.get(one) == HATCHES.get(several)


def test_equivalence_has_no_colour_of_its_own():
    assert rgb_to_hsv(to_rgb(COLOURS["rope"]))[1] == 0
    assert rgb_to_hsv(to_rgb(COLOURS["left"]))[1] > 0.9


def test_signs_and_words_are_of_the_regions_of_one_metric():
    assert set(SIGNS) == set(WORDS) == set(THREE.regions)


def test_algorithms_have_distinct_colours():
    assert len(set(ALGORITHMS)) == len(ALGORITHMS)


METRICS = ("tpr", "fpr")
SHAPES_REGIONS = ("equivalent", "first", "second", "trade_off")


def verdict(*p, rope=(0.01, 0.02), **options):
    named = dict(zip(SHAPES_REGIONS, p, strict=True))
    options = {"metric": "tpr, fpr", "metrics": METRICS, "floor": 1e-3, **options}
    errors = dict.fromkeys(named, 0.0)
    return bc.Verdict(named, errors, ("knn", "gbm"), as_ropes(rope, METRICS), **options)


@each_row(
    ("given", "ends"),
    [
        (0.01, [[-0.01, 0.01]] * 2),
        ((0.01, 0.02), [[-0.01, 0.01], [-0.02, 0.02]]),
        ({"fpr": 0.02, "tpr": 0}, [[0, 0], [-0.02, 0.02]]),
    ],
)
def test_one_rope_a_metric(given, ends):
    ropes = as_ropes(given, METRICS)
    assert ropes.ends == ends
    assert rope_from_ends(json.loads(json.dumps(ropes.ends))) == ropes
    assert isinstance(ropes, tuple)


@each_row(
    ("bad", "message"),
    [
        ([0.01], "got 1 for 2 metrics"),
        ([0.01, -0.02], "metric 'fpr': rope must .*got -0.02"),
        ({"tpr": 0.01}, "got none for 'fpr'"),
        ("wide", "rope must be a finite half-width"),
    ],
)
def test_bad_ropes(bad, message):
    with pytest.raises(bc.InputError, match=message):
        as_ropes(bad, METRICS)


def test_ropes_answer_as_one_rope_does():
    ropes = as_ropes([0.01, (-0.02, 0.03)], METRICS)
    assert ropes.swapped() == Ropes([bc.Rope(-0.01, 0.01), bc.Rope(-0.03, 0.02)])
    assert ropes.scaled(2).high.tolist() == [0.02, 0.06]
    assert not ropes.empty
    assert as_ropes([0, 0.02], METRICS).empty
    assert str(as_ropes(0.01, METRICS)) == "±0.01"


def test_as_for_one_metric_a_pair_is_a_pair_of_ends():
    assert as_ropes((-0.01, 0.02), ("acc",)) == (bc.Rope(-0.01, 0.02),)


@each_row(
    ("p", "decision"),
    [
        ((0.96, 0.02, 0.01, 0.01), "equivalent"),
        ((0.01, 0.02, 0.96, 0.01), "second"),
        ((0.94, 0.02, 0.02, 0.02), "undecided"),
    ],
)
def test_decision(p, decision):
    v = verdict(*p)
    assert v.decision == decision
    assert json.loads(json.dumps(v.to_dict(), allow_nan=False))["decision"] == decision


def test_odds_between_any_two_regions():
    v = verdict(0.1, 0.2, 0.6, 0.1)
    assert len(v.odds) == 6
    assert v.odds["first", "second"].value == pytest.approx(1 / 3)
    assert v.odds["equivalent", "trade_off"].value == pytest.approx(1)
    assert v.evidence == "weak"
    # without a rope in one metric equivalence cannot be, so no odds speak of it
    assert len(verdict(0, 0.2, 0.7, 0.1, rope=[0, 0.02]).odds) == 3


def test_words_name_the_regions():
    v = verdict(0.1, 0.2, 0.6, 0.1)
    assert "gbm dominates : knn dominates = 3 (weak)" in list_odds(v)
    assert v.label("trade_off") == "trade-off"
    head, *_, regions, shares = str(v).splitlines()
    assert head.startswith("knn and gbm: undecided")
    assert regions.split("  ")[-3:] == ["knn dominates", "gbm dominates", "trade-off"]
    assert shares.split()[-4:] == ["0.100", "0.200", "0.600", "0.100"]
    assert (v.decision, v.evidence) == ("undecided", "weak")


def test_of_one_metric_only_and_of_several_only():
    v = verdict(0.1, 0.2, 0.6, 0.1)
    with pytest.raises(AttributeError, match=r"no region 'left'.*trade_off"):
        _ = v.p_left
    with pytest.raises(bc.InputError, match="must be of the regions"):
        shape_of(["left", "right"])


@given(st.tuples(*[st.floats(0.001, 1)] * 4))
def test_swapping_the_algorithms_swaps_who_dominates(weights):
    p = np.array(weights) / sum(weights)
    v = verdict(*p, rope=[0.01, (-0.02, 0.03)])
    w = v.swapped()
    turned = [p[0], p[2], p[1], p[3]]
    assert [w.probabilities[r] for r in SHAPES_REGIONS] == turned
    assert w.rope[1] == bc.Rope(-0.03, 0.02)
    assert w.swapped() == v
    mirror = {"first": "second", "second": "first"}
    assert w.decision == mirror.get(v.decision, v.decision)


# Works that tests cite.


def test_every_work_has_what_bibtex_wants():
    for key, (kind, fields) in REFERENCES.items():
        assert {"author", "title", "year"} <= set(fields), key
        where = {"article": "journal", "misc": "eprint"}.get(kind, "booktitle")
        assert where in fields, key
        assert key.endswith(fields["year"])


@each_row(
    ("key", "text"),
    [
        ("holm1979", "Holm 1979"),
        ("nadeau2003", "Nadeau & Bengio 2003"),
        ("corani2017", "Corani et al. 2017"),
    ],
)
def test_short_form(key, text):
    assert cite_short(key) == text


@each_row(
    ("key", "fields", "message"),
    [
        ("corani2017", {"author": "A", "title": "T", "year": "2026"}, "key must be new"),
        ("new2026", {"author": "A", "year": "2026"}, "title must be given"),
    ],
)
def test_bad_references_are_refused(key, fields, message):
    with pytest.raises(bc.InputError, match=message):
        add_reference(key, "article", **fields)
