"""Which test when, which are made on one data set, and what they say in the end cases."""

from itertools import product

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import bayescmp as bc
import bayescmp.frequentist as f
from bayescmp.errors import InputError
from bayescmp.frequentist.results import pairs_of
from bayescmp.scores.blocks import Blocks
from bayescmp.study.procedure import KINDS, kinds_table, procedure, which_test
from bayescmp.study.procedure.decisions import (
    beats,
    decide,
    over_datasets,
    over_thresholds,
    pairwise_of,
    rank_algorithms,
    right_tailed,
    smallest_pvalue,
)
from bayescmp.study.procedure.kinds import check_kind
from tests.rows import each_row
from tests.study.procedure.cases import counts_of, declared, many

# Which test when: the declared table is complete, and agrees with what was published.


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


def test_the_figure_of_the_thesis():
    for lines in FIGURE:
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


def test_a_step_is_named_if_and_only_if_it_is_taken():
    for kind in KINDS:
        assert bool(kind.pairwise) == (kind.algorithms == "several")
        assert bool(kind.over_datasets) == (kind.datasets == "several")
        assert bool(kind.over_thresholds) == (kind.thresholds == "several")


def test_the_bayesian_counterpart_is_a_public_function():
    names = {kind.bayesian.split()[0] for kind in KINDS}
    assert names <= {*bc.bayesian.__all__, *bc.__all__}


def test_counts_choose_the_kind():
    assert which_test().key == ("one", "two", "one", "one")
    kind = which_test(metrics=2, algorithms=5, datasets=14, thresholds=21)
    assert kind.key == ("several",) * 4
    assert (
        str(kind) == "several metrics, several algorithms, several data sets, several thresholds"
    )


@each_row(
    ("options", "message"),
    [
        ({"algorithms": 1}, "algorithms must be an integer >= 2"),
        ({"metrics": "many"}, r"metrics must be .*'several' \(got 'many'\)"),
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
    message = r"kind must be 'several metrics, two algorithms.*got 'one metric, .*leave kind out"
    with pytest.raises(InputError, match=message):
        check_kind(which_test(), result)
    with pytest.raises(InputError, match=r"kind must be .*\(got 'several metric'\)"):
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


def test_runs_that_do_not_pair():
    two, several = (which_test(algorithms=n, paired=False) for n in (2, 4))
    assert (two.omnibus, two.tests) == ("Welch", ("two_sample_t",))
    assert (several.omnibus, several.pairwise) == ("Kruskal-Wallis", "Brunner-Munzel")
    assert str(two).endswith("runs that do not pair")
    assert "two_sample_t" not in which_test().tests
    several = which_test(datasets=3, paired=False)
    assert several.tests == ("hierarchical_two_sample_t",)
    for options in ({"metrics": 2}, {"thresholds": 3}):
        with pytest.raises(
            InputError, match="paired must be True, unless there is one metric"
        ) as raised:
            which_test(**options, paired=False)
        assert raised.value.argument == "paired"


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
        with pytest.raises(
            InputError, match="unit must be 'folds' unless there is one metric, one data"
        ):
            which_test(unit="answers", **options)
    with pytest.raises(InputError, match=r"unit must be .*\(got 'items'\)"):
        which_test(unit="items")


# The tests on one data set: which are made, and what they say in the end cases.


OPTIONS = {"adjust": "holm", "rho": 0.0, "alpha": 0.05}


def blocks(L=3, n=12, p=2, seed=0, spread=1.0):
    rng = np.random.default_rng(seed)
    return Blocks(rng.normal(size=(L, n, p)) + spread * rng.normal(size=(L, 1, p)), rho=0.1)


def test_the_pairwise_test_that_fits():
    assert pairwise_of(None, n_metrics=1) == "tukey"
    assert pairwise_of(None, n_metrics=2) == "hotelling"
    assert pairwise_of("Two_Sample", n_metrics=4) == "two-sample"
    with pytest.raises(
        InputError, match=r"pairwise test for one metric must be .*\(got 'two-sample'\)"
    ):
        pairwise_of("two-sample", n_metrics=1)


def test_equal_scores_are_not_tested():
    x = np.broadcast_to(np.random.default_rng(0).normal(size=(1, 6, 2)), (4, 6, 2))
    d = decide(Blocks(x), pairwise="hotelling", **OPTIONS)
    assert (d.omnibus_pvalue, d.rank, d.dimension) == (1.0, 0, 0)
    assert d.adjusted == pytest.approx(np.ones(6))
    two = decide(Blocks(x[:2]), pairwise="hotelling", **OPTIONS)
    assert two.dimension is None


def test_two_equal_among_others_are_not_different():
    b = blocks(L=4, spread=4.0)
    x = b.x.copy()
    x[1] = x[0]
    d = decide(Blocks(x), pairwise="hotelling", **OPTIONS)
    assert d.pvalue[0] == 1.0
    assert d.statistic[0] == 0.0
    assert d.omnibus_pvalue < 0.05


def test_two_algorithms_have_one_test():
    b = blocks(L=2)
    d = decide(b, pairwise="hotelling", **OPTIONS)
    delta = b.x[1] - b.x[0]
    t2 = 12 * delta.mean(axis=0) @ np.linalg.solve(np.cov(delta.T), delta.mean(axis=0))
    assert d.omnibus_statistic == pytest.approx(t2, rel=1e-10)
    assert d.omnibus_pvalue == pytest.approx(stats.f.sf(10 / 22 * t2, 2, 10), rel=1e-9)
    assert d.omnibus_df == (2.0, 10.0)
    assert d.pvalue == pytest.approx([d.omnibus_pvalue])


def test_one_metric_of_two_algorithms_needs_no_tukey():
    b = blocks(L=2, p=1)
    for test in ("tukey", "t"):
        d = decide(b, pairwise=test, **OPTIONS)
        expected = stats.ttest_rel(b.x[1, :, 0], b.x[0, :, 0])
        assert d.omnibus_statistic == pytest.approx(expected.statistic)
        assert d.pvalue == pytest.approx([expected.pvalue])


def test_the_dimension_of_means_on_a_line():
    """Four algorithms that differ along one direction only, far beyond the noise."""
    rng = np.random.default_rng(3)
    x = rng.normal(size=(4, 40, 3)) + 5 * np.arange(4)[:, None, None] * np.array([1, -1, 2])
    assert decide(Blocks(x), pairwise="hotelling", **OPTIONS).dimension == 1
    x[0] += np.array([0, 9, 0])
    assert decide(Blocks(x), pairwise="hotelling", **OPTIONS).dimension == 2


def test_counts_have_the_rank_of_their_independent_part():
    fp_fn = np.random.default_rng(1).uniform(1, 9, size=(3, 10, 2))
    d = decide(Blocks(counts_of(fp_fn)), pairwise="hotelling", **OPTIONS)
    same = decide(Blocks(fp_fn), pairwise="hotelling", **OPTIONS)
    assert d.rank == same.rank == 2
    assert d.pvalue == pytest.approx(same.pvalue, rel=1e-8)
    assert d.omnibus_pvalue == pytest.approx(same.omnibus_pvalue, rel=1e-8)


def test_adjusted_by_the_procedure_named():
    b = blocks(L=4)
    d = decide(b, pairwise="hotelling", adjust="bonferroni", rho=0.0, alpha=0.05)
    assert d.adjusted == pytest.approx(np.minimum(1, 6 * d.pvalue))


@pytest.fixture(scope="module")
def case():
    frame, x = many(q=3, L=3, n=10, p=1, spread=2.0)
    return procedure(declared(frame), metrics="m0"), x[..., 0]


def test_rows_of_the_omnibus_are_anovas(case):
    result, x = case
    assert result.omnibus["dataset"].tolist() == ["d0", "d1", "d2"]
    for i, row in enumerate(result.omnibus.itertuples()):
        single = f.anova(x[i], rho=float(result.rho[i]))
        assert row.statistic == pytest.approx(single.statistic)
        assert row.pvalue == pytest.approx(single.pvalue)
        assert row.reject == (single.pvalue < result.alpha)


def test_rows_of_pairs_are_tukeys_in_the_order_of_data_sets(case):
    result, x = case
    pairs = result.pairwise
    assert pairs["dataset"].tolist() == [d for d in ("d0", "d1", "d2") for _ in range(3)]
    assert list(zip(pairs["first"], pairs["second"], strict=True))[:3] == [
        ("A1", "A2"),
        ("A1", "A3"),
        ("A2", "A3"),
    ]
    for i in range(3):
        single = f.tukey(x[i], rho=float(result.rho[i]))
        here = pairs[pairs["dataset"] == f"d{i}"]
        assert here["adjusted"].to_numpy() == pytest.approx(single.adjusted)
        # one metric, higher better: the risk is its negative
        means = x[i].mean(axis=1)
        assert here["difference"].iloc[0] == pytest.approx(means[1] - means[0])


def test_winners_are_the_better_of_pairs_that_differ(case):
    result, _ = case
    for row in result.pairwise.itertuples():
        better = row.second if row.difference > 0 else row.first
        assert row.winner == (better if row.different else "")


def test_mean_risks_have_a_column_an_algorithm(case):
    result, x = case
    assert list(result.risk.columns) == ["dataset", "A1", "A2", "A3"]
    assert result.risk[["A1", "A2", "A3"]].to_numpy() == pytest.approx(-x.mean(axis=2))


def test_several_metrics_have_dimensions_and_one_has_none(case):
    result, _ = case
    assert result.dimensions is None
    frame, _ = many(q=2, L=3, n=12, p=2, spread=3.0)
    both = procedure(declared(frame), metrics=("m0", "m1"))
    assert both.dimensions["dataset"].tolist() == ["d0", "d1"]
    assert set(both.dimensions["dimension"]) <= {0, 1, 2}
    single = f.manova(
        bc.scores_blocks(declared(frame), metrics=["m0", "m1"], dataset="d0"), block=True
    )
    assert both.dimensions["dimension"].iloc[0] == single.dimension()
    assert np.isnan(both.pairwise["difference"]).all()


def brute_right_tailed(wins, losses, n):
    """Ties split evenly, an odd one dropped, by SciPy's binomial test."""
    half = (n - wins - losses) // 2
    trials = wins + losses + 2 * half
    if trials == 0:
        return 1.0
    return stats.binomtest(wins + half, trials, 0.5, alternative="greater").pvalue


@each_row("n", [2, 21])
def test_right_tailed_beside_scipy(n):
    cases = [(w, v) for w in range(n + 1) for v in range(n + 1 - w)]
    wins, losses = np.array(cases).T
    expected = [brute_right_tailed(w, v, n) for w, v in cases]
    assert right_tailed(wins, losses, n) == pytest.approx(expected, rel=1e-12)
    one_by_one = [f.sign_test(w, v, n - w - v, alternative="greater").pvalue for w, v in cases]
    assert right_tailed(wins, losses, n) == pytest.approx(one_by_one, rel=1e-12)


def test_beats_beside_a_loop():
    rng = np.random.default_rng(1)
    risk = rng.integers(0, 4, size=(3, 5, 6)).astype(float)  # with equal risks
    different = rng.random((3, 5, 15)) < 0.6
    won = beats(different, risk)
    for t, d in np.ndindex(3, 5):
        expected = np.zeros((6, 6), bool)
        for m, (i, j) in enumerate(pairs_of(6)):
            if different[t, d, m] and risk[t, d, i] != risk[t, d, j]:
                best, other = (i, j) if risk[t, d, i] < risk[t, d, j] else (j, i)
                expected[best, other] = True
        assert np.array_equal(won[t, d], expected)


def thesis_tables(reference_dir):
    kept = {"wins_table": str, "verdict_table": str}
    frame = pd.read_csv(reference_dir / "aslan_thesis_sign_tests.csv", dtype=kept)
    return dict(list(frame.groupby("wins_table")))


def test_the_ten_sign_test_tables_of_the_thesis(reference_dir):
    """Tables 6.4 to 7.10 of Aslan (2009) from tables 6.3 to 7.9, by the procedure's last step."""
    tables = thesis_tables(reference_dir)
    assert len(tables) == 10
    for rows in tables.values():
        names = tuple(dict.fromkeys([*rows["alg1"], *rows["alg2"]]))
        won = np.zeros((15, 5, 5), bool)
        for row in rows.itertuples():
            i, j = names.index(row.alg1), names.index(row.alg2)
            won[: row.wins1, i, j] = True
            won[row.wins1 : row.wins1 + row.wins2, j, i] = True
        wins, tests = over_datasets(won, names, adjust="bonferroni")
        assert wins.n_datasets == 15
        actual = {
            frozenset(pair): bool(different)
            for pair, different in zip(
                tests.frame[["first", "second"]].to_numpy(), tests.different(0.05), strict=True
            )
        }
        for row in rows.itertuples():
            assert actual[frozenset((row.alg1, row.alg2))] == bool(row.different)


def test_over_thresholds_beside_a_loop():
    rng = np.random.default_rng(2)
    T, q, L = 21, 3, 4
    risk = rng.normal(size=(T, q, L)) + 0.9 * np.arange(L)
    won = beats(rng.random((T, q, 6)) < 0.9, risk)
    names = tuple("abcd")
    for adjust, factor in (("none", 1), ("bonferroni", L * (L - 1))):
        frame, overall = over_thresholds(won, ("x", "y", "z"), names, alpha=0.05, adjust=adjust)
        assert len(frame) == q * 6
        for d in range(q):
            for i in range(L):
                for j in range(L):
                    if i == j:
                        assert not overall[d, i, j]
                        continue
                    w, v = won[:, d, i, j].sum(), won[:, d, j, i].sum()
                    p = min(1.0, factor * brute_right_tailed(w, v, T))
                    assert overall[d, i, j] == (p <= 0.05)
        assert overall.any()
        row = frame.iloc[6 + 2]  # data set y, a and d
        assert (row["dataset"], row["first"], row["second"]) == ("y", "a", "d")
        assert row["wins_first"] == won[:, 1, 0, 3].sum()
        assert row["wins_second"] == won[:, 1, 3, 0].sum()
        assert row["ties"] == T - row["wins_first"] - row["wins_second"]
        assert row["winner"] == ("a" if overall[1, 0, 3] else "d" if overall[1, 3, 0] else "")


def test_ranking_by_the_union_of_wins():
    """Two data sets won beat one, whatever the risks; then wins minus losses, then ranks."""
    won = np.zeros((2, 4, 4), bool)
    won[0, 2, 0] = won[1, 2, 1] = True  # c wins on both
    won[0, 1, 0] = won[0, 1, 3] = True  # b on one, over two
    won[1, 0, 3] = True  # a on one, over one
    risk = np.array([[1.0, 2.0, 9.0, 3.0], [1.0, 2.0, 9.0, 3.0]])
    table = rank_algorithms(won, risk, tuple("abcd"))
    assert list(table.index) == ["c", "b", "a", "d"]
    assert list(table["won"]) == [2, 1, 1, 0]
    assert list(table["beats"]) == [2, 2, 1, 0]
    assert list(table["beaten"]) == [0, 1, 2, 2]
    assert list(table["mean_rank"]) == [4.0, 2.0, 1.0, 3.0]


def test_the_smallest_p():
    """Who wins on 5 of 5: 2/32, times 10 pairs; on 15 of 15 under Bonferroni 10/2^14."""
    assert smallest_pvalue(5, 10, "bonferroni") == pytest.approx(10 / 16)
    assert smallest_pvalue(15, 10, "bonferroni") == pytest.approx(10 / 2**14)
    assert smallest_pvalue(1, 1, "none") == 1.0
    assert f.sign_test(5, 0).pvalue == pytest.approx(smallest_pvalue(5, 1, "none"))


@each_row("given", [None, 2.5, True, [2], float("nan"), 1])
def test_sizes_that_are_none(given):
    with pytest.raises(InputError, match=r"algorithms must be an integer >= 2"):
        which_test(algorithms=given)
