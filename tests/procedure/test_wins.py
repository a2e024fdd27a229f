"""Wins and sign tests: the thesis's tables, and brute force."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import bayescmp.frequentist as f
from bayescmp.frequentist.pairs.places import pairs_of
from bayescmp.procedure.wins import (
    beats,
    over_datasets,
    over_thresholds,
    ranking,
    right_tailed,
    smallest_pvalue,
)


def brute_right_tailed(wins, losses, n):
    """Ties split evenly, an odd one dropped, by SciPy's binomial test."""
    half = (n - wins - losses) // 2
    trials = wins + losses + 2 * half
    if trials == 0:
        return 1.0
    return stats.binomtest(wins + half, trials, 0.5, alternative="greater").pvalue


@pytest.mark.parametrize("n", [1, 2, 5, 21])
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
    table = ranking(won, risk, tuple("abcd"))
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
