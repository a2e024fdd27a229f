"""Counts of successes compared: pairs, several algorithms, tables by data set, wrong turns."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import bayescmp as bc
from bayescmp.bayesian import proportions, signed_rank
from bayescmp.study.counts import judge_datasets, read_by_dataset
from tests.rows import each_row

TWO = {"old": (14, 20), "new": (17, 20)}
TABLE = pd.DataFrame(
    {
        "task": np.repeat(["x", "y", "z", "u", "v", "q", "r", "w"], 2),
        "model": ["a", "b"] * 8,
        "correct": [14, 17, 5, 9, 30, 31, 8, 9, 12, 15, 7, 6, 3, 8, 4, 6],
        "total": [20, 20, 10, 10, 50, 40, 10, 10, 20, 20, 10, 10, 9, 20, 10, 10],
    }
)


def test_two_are_compared_by_their_test():
    """Every form of the same counts gives the posterior of the test itself."""
    for counts in [
        TWO,
        ["old=14/20", "new=17/20"],
        {"old": "14/20", "new": [np.int32(17), np.int64(20)]},
        pd.DataFrame({"arm": ["old", "new"], "wins": [14, 17], "losses": [6, 3]}),
        pd.DataFrame({"successes": [14, 17], "trials": [20, 20]}, index=["old", "new"]),
        pd.DataFrame({"old": ["14/20"], "new": ["17 of 20"]}),
    ]:
        own = bc.compare_counts(counts, 0.05, seed=1)
        expected = proportions(
            (14, 20), (17, 20), rope=0.05, names=("old", "new"), seed=1
        ).verdict()
        assert own.verdict().probabilities == expected.probabilities
        assert own.names == ("old", "new")
        assert "different, independent trials" in str(own)
        assert "same questions" in " ".join(own.notes)


def test_names_choose_and_order():
    counts = {**TWO, "none": (0, 20)}
    posterior = bc.compare_counts(counts, algorithms=["new", "old"])
    assert posterior.names == ("new", "old")
    assert posterior.verdict().p_left == pytest.approx(0.8721, abs=5e-5)
    uniform = bc.compare_counts(TWO, prior=(1, 1)).verdict()
    assert uniform.p_right == pytest.approx(0.8614, abs=5e-5)


@each_row("names", [("fold", "model"), ("svm", "svm_sd"), (" a", "b")])
def test_names_that_columns_of_tables_have_are_names(names):
    post = bc.compare_counts(dict(zip(names, [(14, 20), (17, 20)], strict=True)), 0.05)
    assert post.names == tuple(name.strip() for name in names)
    assert post.verdict().p_right == bc.compare_counts(TWO, 0.05).verdict().p_right


def test_names_of_summaries_are_refused_as_algorithms():
    with pytest.raises(
        bc.InputError, match="algorithm '100%' must be left out, since it is by its name a summary"
    ):
        bc.compare_counts({"100%": (14, 20), "b": (17, 20)})


def test_three_are_compared_in_pairs():
    """Each pair is that of two; the probability of being best is by draws within their error."""
    counts = {"a": (14, 20), "b": (17, 20), "c": (150, 200)}
    result = bc.compare_counts(counts, rope=0.02, seed=1)
    rng = np.random.default_rng(1)
    draws = [rng.beta(s + 0.5, n - s + 0.5, 1_000_000) for s, n in counts.values()]
    best = np.bincount(np.argmax(draws, axis=0), minlength=3) / 1e6
    assert [*result.p_best.values()] == pytest.approx(best, abs=0.002)
    two = bc.compare_counts({name: counts[name] for name in ("b", "c")}, rope=0.02)
    pair = next(v for p, v in result.results.items() if set(p) == {"b", "c"})
    assert max(pair.verdict.probabilities.values()) == pytest.approx(
        max(two.verdict().probabilities.values()), abs=1e-12
    )
    assert result.means == pytest.approx({"a": 0.7, "b": 0.85, "c": 0.75})
    assert f"b {result.p_best['b']:.3f}" in str(result)
    assert "same questions" in str(result)
    assert result.posterior(*next(iter(result.results))).kind == "proportions"
    assert len(result.sensitivity().frame)


def test_several_data_sets_are_compared_by_their_proportions():
    """As the signed-rank test of the proportions; one data set by its own counts."""
    posterior = bc.compare_counts(TABLE, rope=0.02, seed=1)
    rates = TABLE.assign(rate=TABLE["correct"] / TABLE["total"])
    wide = rates.pivot(index="task", columns="model", values="rate").loc[TABLE["task"].unique()]
    own = signed_rank((wide["b"] - wide["a"]).to_numpy(), rope=0.02, seed=1)
    assert posterior.verdict().probabilities == own.verdict().probabilities
    assert "the same weight" in posterior.notes[0]
    alone = bc.compare_counts(TABLE, rope=0.02, dataset="x")
    assert alone.verdict().p_right == pytest.approx(0.8362, abs=5e-5)
    each = judge_datasets(read_by_dataset(TABLE), alone.rope, 0.95)
    assert each["x"][0] == alone.verdict()
    several = bc.compare_counts(pd.concat([TABLE, TABLE.replace({"a": "c", "b": "d"})]), rope=0.02)
    assert len(several) == 6


def test_saved_and_drawn(tmp_path):
    posterior = bc.compare_counts(TWO, rope=0.05, seed=3)
    posterior.save(tmp_path / "counts.npz")
    again = bc.load(tmp_path / "counts.npz")
    assert again.verdict() == posterior.verdict()
    assert again.full() == posterior.full()
    posterior.plot()
    assert posterior.to_arviz()["posterior"]["delta"].shape == (4, 2500)


@each_row(
    ("counts", "message"),
    [
        ({"a": (21, 20), "b": (1, 2)}, "'a' must have at most as many successes"),
        ({"a": (-1, 20), "b": (1, 2)}, "'a' must have two whole numbers"),
        ({"a": 0.85, "b": 0.7}, "does not show the number of trials"),
        (["14/20", "14/20"], r"\(got '14/20' twice\)"),
        ({"a": (14, 20)}, r"at least two algorithms \(got only 'a'\)"),
        (TABLE.iloc[:-1], "no row of 'b' on 'w'"),
        (pd.concat([TABLE, TABLE[:1]]), r"on data set 'x' \(got 'a' twice\)"),
        (TABLE.assign(correct=0.5), "'correct' must hold whole numbers"),
        (TABLE.drop(columns="total"), "one of trials"),
        (TABLE[:14], r"at least 8 .* \(got 7\).* Name one with dataset='x'"),
        (TABLE.drop(columns="model"), "names of the algorithms"),
        (TABLE.assign(wrong=1), "successes and failures together"),
        (TABLE[:0], "a table with rows"),
    ],
)
def test_wrong_counts_are_refused_in_one_line(counts, message):
    with pytest.raises(bc.InputError, match=message) as error:
        bc.compare_counts(counts)
    assert "\n" not in str(error.value)


def test_other_functions_name_the_one_for_counts():
    """Wherever counts are given instead of scores; and a table's columns can be named."""
    for given in (TWO, TABLE):
        for function in (bc.compare, bc.compare_all, bc.report):
            options = {"path": "x.html"} if function is bc.report else {}
            with pytest.raises(bc.InputError, match=r"bayescmp\.compare_counts"):
                function(given, rope=0.01, **options)
    renamed = TABLE.rename(columns={"correct": "good", "total": "all of them"})
    named = {"successes": "good", "trials": "all of them"}
    with pytest.raises(bc.InputError, match=r"columns={'successes': \.\.\., 'trials'"):
        bc.compare_counts(renamed)
    assert bc.compare_counts(renamed, 0.02, columns=named, dataset="x").verdict().p_right > 0.8
    with pytest.raises(
        bc.InputError, match=r"prior must be left out for several data sets.*dataset='x'"
    ):
        bc.compare_counts(TABLE, prior=(1, 1))


def test_crosscheck_of_counts():
    """SciPy's p-values, adjusted over the pairs by Holm's method, and Newcombe's interval."""
    check = bc.crosscheck(TWO, rope=0.05)
    row = check.pairs.iloc[0]
    assert row["p_right"] == pytest.approx(0.7707, abs=5e-5)
    found = row[["barnard", "boschloo", "fisher"]].to_list()
    assert found == pytest.approx([0.28942, 0.28715, 0.45058], abs=1e-5)
    assert (
        "0.15 in favour of new (95% confidence interval −0.11 to 0.39, Newcombe" in check.notes[0]
    )
    counts = {"a": (140, 200), "b": (170, 200), "c": (100, 200)}
    tables = [[[140, 170], [60, 30]], [[140, 100], [60, 100]], [[170, 100], [30, 100]]]
    p = np.array([stats.fisher_exact(table).pvalue for table in tables])
    holm = np.maximum.accumulate(np.sort(p) * [3, 2, 1])[np.argsort(np.argsort(p))]
    pairs = bc.crosscheck(counts, rope=0).pairs
    assert sorted(pairs["fisher"]) == pytest.approx(sorted(holm), rel=1e-6)


def test_crosscheck_of_many_trials_leaves_two_tests_out():
    check = bc.crosscheck({"a": (14_000, 20_000), "b": (17_000, 20_000)}, rope=0.05)
    assert set(check.frame["frequentist"]) == {"fisher"}
    with pytest.raises(bc.InputError, match="datasets must be one for counts"):
        bc.crosscheck(TABLE, rope=0.05)
    assert bc.crosscheck(TABLE, rope=0.05, datasets=["x"]).datasets == ("x",)
    with pytest.raises(bc.InputError, match=r"rho must be used with scores"):
        bc.crosscheck(TWO, rope=0.05, rho=0.1)
