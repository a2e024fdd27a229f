"""Wins tables: counted by hand, gated by the ANOVA, sign tests, bad counts."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import bayescmp.frequentist as f
from bayescmp.errors import InputError


def test_wins_are_counted():
    """good beats bad on all three data sets, plain beats bad on one."""
    rng = np.random.default_rng(0)
    noise = rng.normal(size=(3, 3, 10)) * 0.1
    level = np.array([[3.0, 1, 0], [3, 0.0, 0], [3, 0, 0]])[:, :, None]
    names = ["good", "plain", "bad"]
    for test in ("tukey", "t"):
        table = f.wins_table(noise + level, test=test, names=names, alpha=1e-3)
        assert table.wins.tolist() == [[0, 3, 3], [0, 0, 1], [0, 0, 0]]
        assert table.total.tolist() == [3, 1, 0]
        assert table.ties[1, 2] == 2
        assert table.frame.loc["good", "total"] == 3
        upside_down = f.wins_table(
            -noise - level, test=test, names=names, alpha=1e-3, lower_is_better=True
        )
        assert upside_down.wins.tolist() == table.wins.tolist()
    tests = table.sign_tests(adjust="none")
    assert tests.pvalue[0] == pytest.approx(stats.binomtest(0, 3).pvalue)
    assert tests.difference[0] == -1  # plain, the second, lost all three
    assert "row beats column" in str(table)


def test_wins_of_a_mapping_and_of_the_anova():
    rng = np.random.default_rng(1)
    xs = {
        d: pd.DataFrame(rng.normal(size=(3, n)), index=list("abc"))
        for d, n in (("iris", 10), ("wine", 5))
    }
    gated = f.wins_table(xs, alpha=0.9, require_anova=True)
    free = f.wins_table(xs, alpha=0.9)
    assert np.all(gated.wins <= free.wins)
    xs["zoo"] = xs["iris"].loc[["b", "a", "c"]]
    with pytest.raises(InputError, match="'zoo' has the algorithms b, a, c"):
        f.wins_table(xs)
    with pytest.raises(InputError, match="no data sets"):
        f.wins_table([])
    with pytest.raises(InputError, match="test"):
        f.wins_table(np.ones((2, 2, 2)), test="anova")


def test_sides_of_the_sign_tests():
    table = f.WinsTable.from_counts([[0, 12], [2, 0]], 15)
    assert table.sign_tests().pvalue[0] == pytest.approx(0.012939, abs=5e-7)  # thesis table 6.6
    right = table.sign_tests(alternative="less").pvalue[0]
    assert right == pytest.approx(stats.binomtest(2, 14, alternative="less").pvalue)


@pytest.mark.parametrize(
    ("wins", "words"),
    [
        ([[0, 1, 2]], "shape"),
        ([[0, -1], [1, 0]], "counts"),
        ([[0, 0.5], [1, 0]], "counts"),
        ([[0, 9], [9, 0]], "more than n_datasets=15"),
        ([[1, 0], [2, 0]], r"wins\[0, 0\] is 1: nothing is compared with itself"),
    ],
)
def test_bad_counts(wins, words):
    with pytest.raises(InputError, match=words):
        f.WinsTable.from_counts(wins, 15)


@pytest.mark.parametrize("n", [2.5, float("inf"), "15", True, None])
def test_numbers_of_data_sets_that_are_none(n):
    with pytest.raises(InputError, match="n_datasets="):
        f.WinsTable.from_counts([[0, 1], [0, 0]], n)


def test_names_of_counts_are_as_many_as_they():
    with pytest.raises(InputError, match="accepted: 2 different names"):
        f.WinsTable.from_counts([[0, 1], [0, 0]], 15, names=["a"])
