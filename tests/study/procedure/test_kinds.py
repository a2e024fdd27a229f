"""Which test when: the declared table is complete, and agrees with what was published."""

from __future__ import annotations

from itertools import product

import pytest

import bayescmp as bc
from bayescmp.errors import InputError
from bayescmp.study.procedure import KINDS, kinds_table, which_test
from bayescmp.study.procedure.kinds import check_kind

# Figure 7.1 of Aslan (2009): lines, metrics, algorithms, data sets, thresholds, and what each
# line names, in order.
FIGURE = {
    "4-5": (("one", "two", "one", "one"), ["paired t"]),
    "6-8": (("one", "several", "one", "one"), ["blocked ANOVA", "Tukey"]),
    "9-11": (("several", "several", "one", "one"), ["blocked MANOVA", "Hotelling T²"]),
    "12-16": (("one", "several", "several", "one"), ["blocked ANOVA", "Tukey", "sign test"]),
    "17-21": (
        ("several", "several", "several", "one"),
        ["blocked MANOVA", "Hotelling T²", "sign test"],
    ),
    "22-26": (
        ("several", "several", "several", "several"),
        ["blocked MANOVA", "Hotelling T²", "right-tailed sign test", "sign test"],
    ),
}


def test_every_kind_is_there_once():
    every = set(product(("one", "several"), ("two", "several"), *[("one", "several")] * 2))
    assert {k.key for k in KINDS} == every
    assert len(KINDS) == len(every)


@pytest.mark.parametrize("lines", FIGURE)
def test_the_figure_of_the_thesis(lines):
    key, tests = FIGURE[lines]
    kind = which_test(metrics=key[0], algorithms=key[1], datasets=key[2], thresholds=key[3])
    assert kind.thesis == lines
    named = [
        t for t in (kind.omnibus, kind.pairwise, kind.over_thresholds, kind.over_datasets) if t
    ]
    assert len(named) == len(tests)
    assert all(result.startswith(test) for result, test in zip(named, tests, strict=True))


def test_no_other_kind_claims_to_be_in_the_figure():
    assert {k.thesis for k in KINDS if k.thesis} == set(FIGURE)


@pytest.mark.parametrize("kind", KINDS, ids=str)
def test_a_step_is_named_if_and_only_if_it_is_taken(kind):
    assert bool(kind.pairwise) == (kind.algorithms == "several")
    assert bool(kind.over_datasets) == (kind.datasets == "several")
    assert bool(kind.over_thresholds) == (kind.thresholds == "several")


@pytest.mark.parametrize("kind", KINDS, ids=str)
def test_the_bayesian_counterpart_is_a_public_function(kind):
    name = kind.bayesian.split()[0]
    assert name in bc.bayesian.__all__ or name in bc.__all__


def test_counts_choose_the_kind():
    assert which_test().key == ("one", "two", "one", "one")
    kind = which_test(metrics=2, algorithms=5, datasets=14, thresholds=21)
    assert kind.key == ("several",) * 4
    assert (
        str(kind) == "several metrics, several algorithms, several data sets, several thresholds"
    )


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"algorithms": 1}, "algorithms=1; accepted: an integer >= 2"),
        ({"metrics": 0}, "metrics=0"),
        ({"datasets": 1.5}, r"datasets=1\.5"),
        ({"metrics": "many"}, "unknown metrics 'many'.*'several'"),
        ({"algorithms": "one"}, "unknown algorithms 'one'.*'two'"),
    ],
)
def test_bad_sizes(options, message):
    with pytest.raises(InputError, match=message):
        which_test(**options)


def test_a_given_kind_is_checked():
    result = which_test(metrics=2)
    assert check_kind(None, result) is result
    assert check_kind(result, result) is result
    assert check_kind("several metrics,  two algorithms, one data set, one threshold", result)
    with pytest.raises(InputError, match="data make it 'several metrics, two algorithms"):
        check_kind(which_test(), result)
    with pytest.raises(InputError, match="unknown kind 'several metric'"):
        check_kind("several metric", result)


def test_the_table_has_a_row_a_kind():
    lines = kinds_table().splitlines()
    assert len(lines) == 2 + len(KINDS)
    assert {line.count("|") for line in lines} == {10}
    for line, kind in zip(lines[2:], KINDS, strict=True):
        cells = [c.strip() for c in line.strip("|").split("|")]
        assert tuple(cells[:4]) == kind.key
        assert cells[4] == kind.omnibus
        assert cells[-1].replace("`", "").replace("AUC", "auc") == kind.bayesian


@pytest.mark.parametrize("given", [None, 2.5, True, [2], float("nan"), 1])
def test_sizes_that_are_none(given):
    with pytest.raises(InputError, match=r"algorithms=.*; accepted: an integer >= 2"):
        which_test(algorithms=given)


def test_runs_that_do_not_pair():
    two, several = (which_test(algorithms=n, paired=False) for n in (2, 4))
    assert (two.omnibus, two.tests) == ("Welch", ("two_sample_t",))
    assert (several.omnibus, several.pairwise) == ("Kruskal-Wallis", "Brunner-Munzel")
    assert str(two).endswith("runs that do not pair")
    assert "two_sample_t" not in which_test().tests
    with pytest.raises(InputError, match="paired=False is for one metric"):
        which_test(datasets=3, paired=False)


def test_values_that_rank_items():
    two, several = (which_test(algorithms=n, unit="values") for n in (2, 4))
    assert (two.omnibus, several.pairwise) == ("DeLong", "DeLong")
    assert two.tests == ("correlated_t", "robust_t")
    assert two.bayesian == "correlated_t on auc"


def test_answers_to_items():
    two, several = (which_test(algorithms=n, unit="answers") for n in (2, 4))
    assert (two.omnibus, two.tests[0]) == ("McNemar", "paired_proportions")
    assert (several.omnibus, several.pairwise) == ("Cochran's Q", "McNemar")
    assert str(two).endswith("answers to items")
    assert "paired_proportions" not in which_test().tests
    for options in ({"datasets": 3}, {"paired": False}):
        with pytest.raises(InputError, match="unit='answers' is for one metric"):
            which_test(unit="answers", **options)
    with pytest.raises(InputError, match="unknown unit 'items'"):
        which_test(unit="items")
