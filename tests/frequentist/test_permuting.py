"""Folds, and what an evaluation makes of failures."""

from __future__ import annotations

from collections import Counter
from itertools import permutations, product

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse, stats

from bayescmp.errors import DiagnosticWarning, InputError
from bayescmp.frequentist import permutation_test
from bayescmp.frequentist.permuting import (
    BesagClifford,
    GandyRule,
    check_cv,
    columns_within_classes,
    gandy_boundaries,
    make_folds,
    make_rule,
    pvalue_interval,
    take_rows,
)
from tests.frequentist.estimators import Centroid
from tests.frequentist.test_permutation import two_classes
from tests.rows import each_row


@given(st.integers(0, 10**6), st.integers(2, 40), st.integers(1, 6), st.floats(0, 1))
def test_each_column_keeps_its_values_in_each_class(seed, n, m, density):
    """Arrays and sparse matrices, almost empty to full."""
    rng = np.random.default_rng(seed)
    codes = rng.integers(0, 3, n)
    codes = np.unique(codes, return_inverse=True)[1]
    X = rng.integers(1, 9, (n, m)) * (rng.random((n, m)) < density)
    for table in (X, sparse.csr_matrix(X)):
        actual = columns_within_classes(table, codes, rng)
        actual = actual.toarray() if sparse.issparse(actual) else actual
        for c in range(codes.max() + 1):
            np.testing.assert_array_equal(
                np.sort(actual[codes == c], axis=0), np.sort(X[codes == c], axis=0)
            )


def test_frames_keep_types_index_and_missing_values():
    frame = pd.DataFrame(
        {
            "n": [1.5, np.nan, 3.0, 4.0],
            "i": [1, 2, 3, 4],
            "s": ["a", "b", None, "d"],
            "c": pd.Categorical(["u", "v", "u", "w"]),
            "k": pd.array([1, None, 3, 4], dtype="Int64"),
        },
        index=[7, 3, 9, 1],
    )
    frame.columns = ["n", "i", "s", "c", "i"]  # names may repeat
    codes = np.array([0, 1, 0, 1])
    result = columns_within_classes(frame, codes, np.random.default_rng(0))
    assert list(result.columns) == list(frame.columns)
    assert result.dtypes.tolist() == frame.dtypes.tolist()
    assert list(result.index) == [7, 3, 9, 1]
    for c in (0, 1):
        for j in range(5):
            assert Counter(map(str, result.iloc[codes == c, j])) == Counter(
                map(str, frame.iloc[codes == c, j])
            )


def kinds():
    X = np.array([[1, 10], [2, 20], [3, 30], [9, 90]])
    return {
        "array": X,
        "object": X.astype(str).astype(object),
        "frame": pd.DataFrame(X),
        "full": sparse.csr_matrix(X),
    }


@each_row("kind", ["object", "full"])
def test_all_orders_of_columns_are_equally_likely(kind):
    """Three cases of one class: 6 x 6 orders of two columns, by a chi-square of 1800 draws."""
    X, codes, rng = kinds()[kind], np.array([0, 0, 0, 1]), np.random.default_rng(2)
    seen = Counter()
    for _ in range(1800):
        actual = columns_within_classes(X, codes, rng)
        actual = actual.toarray() if kind == "full" else np.asarray(actual)
        actual = actual.astype(str)
        assert actual[3].tolist() == ["9", "90"]
        seen[tuple(actual[:3, 0]), tuple(actual[:3, 1])] += 1
    assert len(seen) == 36 == len(list(permutations(range(3)))) ** 2
    assert stats.chisquare(list(seen.values())).pvalue > 1e-4


def test_places_in_sparse_columns_are_equally_likely():
    """Two stored values in a column of five rows: 20 ordered places."""
    X = sparse.csr_matrix(np.array([[1.0], [2.0], [0], [0], [0], [5.0]]))
    codes, rng = np.array([0, 0, 0, 0, 0, 1]), np.random.default_rng(3)
    seen = Counter()
    for _ in range(1500):
        result = columns_within_classes(X, codes, rng).toarray()[:, 0].tolist()
        seen[result.index(1.0), result.index(2.0)] += 1
        assert result[5] == 5.0
    assert len(seen) == 20
    assert stats.chisquare(list(seen.values())).pvalue > 1e-4


def test_a_large_sparse_matrix_stays_sparse():
    rng = np.random.default_rng(1)
    places = rng.integers(0, 2000, 50_000), rng.integers(0, 50_000, 50_000)
    X = sparse.csr_matrix((rng.random(50_000), places), shape=(2000, 50_000))
    codes = np.arange(2000) % 2
    result = columns_within_classes(X, codes, np.random.default_rng(0))
    assert result.nnz == X.nnz
    np.testing.assert_allclose(result[::2].sum(axis=0), X[::2].sum(axis=0))


def test_dependence_is_lost():
    rng = np.random.default_rng(5)
    z = rng.normal(size=500)
    X = np.column_stack([z, z])
    result = columns_within_classes(X, np.zeros(500, dtype=int), rng)
    assert abs(np.corrcoef(result.T)[0, 1]) < 0.15


def test_rows_of_each_kind():
    for X in kinds().values():
        picked = take_rows(X, np.array([2, 0]))
        picked = picked.toarray() if sparse.issparse(picked) else np.asarray(picked)
        assert picked.astype(int).tolist() == [[3, 30], [1, 10]]


def test_only_tables():
    with pytest.raises(InputError, match=r"X must be a table \(n, m\) for test='columns'"):
        columns_within_classes(np.zeros(3), np.zeros(3, dtype=int), np.random.default_rng(0))


@settings(max_examples=25)
@given(
    st.lists(st.integers(0, 3), min_size=4, max_size=60), st.integers(2, 10), st.integers(0, 99)
)
def test_folds_are_stratified(labels, k, seed):
    codes = np.unique(labels, return_inverse=True)[1]
    k = min(k, len(codes))
    folds = list(make_folds(k, None, codes, codes, np.random.default_rng(seed)))
    tests = [test for _, test in folds]
    assert sorted(np.concatenate(tests)) == list(range(len(codes)))
    for train, test in folds:
        assert sorted(np.r_[train, test]) == list(range(len(codes)))
    assert np.ptp([len(t) for t in tests]) <= 1
    for c in range(codes.max() + 1):
        assert np.ptp([np.sum(codes[t] == c) for t in tests]) <= 1


def test_leave_one_out():
    y = np.arange(5)
    folds = list(make_folds("loo", None, y, y, np.random.default_rng(0)))
    assert [test.tolist() for _, test in folds] == [[0], [1], [2], [3], [4]]
    assert folds[2][0].tolist() == [0, 1, 3, 4]


def test_folds_for_regression_are_random_and_even():
    rng = np.random.default_rng(0)
    sizes = [len(test) for _, test in make_folds(4, None, np.zeros(10), None, rng)]
    assert sorted(sizes) == [2, 2, 3, 3]
    one, two = (
        [t.tolist() for _, t in make_folds(2, None, np.zeros(10), None, rng)] for _ in "ab"
    )
    assert one != two


def test_check_cv():
    assert check_cv(np.int64(5), 10) == 5
    given_folds = check_cv([([0, 1], [2])], 3)
    assert given_folds[0][1].tolist() == [2]
    with pytest.raises(InputError, match=r"cv must be"):
        check_cv(3.5, 10)
    with pytest.raises(InputError, match="cv must be"):
        check_cv(True, 10)


# Runs: interrupts keep what is done, progress, stopping rules inside a test.


def exits(p, lower, upper):
    """Probability of leaving the corridor below and above, path by path of the count."""
    at, below, above = {0: 1.0}, 0.0, 0.0
    for low, high in zip(lower, upper, strict=True):
        moved: dict[int, float] = {}
        for count, mass in at.items():
            for step, share in ((0, 1 - p), (1, p)):
                moved[count + step] = moved.get(count + step, 0.0) + mass * share
        below += sum(m for c, m in moved.items() if c <= low)
        above += sum(m for c, m in moved.items() if c >= high)
        at = {c: m for c, m in moved.items() if low < c < high}
    return below, above


@each_row(("alpha", "risk", "n"), [(0.05, 1e-3, 1000), (0.01, 1e-3, 1000), (0.2, 0.05, 60)])
def test_gandys_risk_is_spent_and_not_exceeded(alpha, risk, n):
    lower, upper = gandy_boundaries(alpha, risk, n)
    for side in exits(alpha, lower, upper):
        assert 0.3 * risk < side <= risk
    assert exits(alpha * 0.7, lower, upper)[1] < risk  # p under α found over it
    assert exits(min(1, alpha * 1.4), lower, upper)[0] < risk


def test_gandys_corridor_is_as_narrow_as_the_risk_allows():
    """Moving any one boundary by one would spend more than is due by then."""
    alpha, risk, n = 0.1, 0.01, 60
    lower, upper = gandy_boundaries(alpha, risk, n)
    for i in range(n):
        spent = risk * (i + 1) / (100 + i + 1)
        tighter = lower[: i + 1].copy()
        tighter[i] += 1
        assert exits(alpha, tighter, upper[: i + 1])[0] > spent
        tighter = upper[: i + 1].copy()
        tighter[i] -= 1
        assert exits(alpha, lower[: i + 1], tighter)[1] > spent


def test_gandy_by_enumeration_of_all_paths():
    """All 2**10 sequences, with a corridor narrow enough to be left."""
    alpha, risk, n = 0.3, 0.2, 10
    lower, upper = gandy_boundaries(alpha, risk, n)
    rule = GandyRule(alpha, risk, n)
    over = under = 0.0
    for path in product((0, 1), repeat=n):
        settled = rule.find_stop(np.array(path, dtype=float), np.full(n, 0.5))
        chance = np.prod(np.where(path, alpha, 1 - alpha))
        if settled is not None:
            count = sum(path[: settled.n])
            assert (count <= lower[settled.n - 1]) == settled.significant
            assert (count >= upper[settled.n - 1]) != settled.significant
            under += chance * settled.significant
            over += chance * (not settled.significant)
    np.testing.assert_allclose((under, over), exits(alpha, lower, upper))
    assert max(under, over) <= risk


def test_gandy_stops_soon_where_the_answer_is_plain():
    rule = GandyRule(0.05, 1e-3, 1000)
    none = rule.find_stop(np.zeros(1000), np.full(1000, 0.5))
    assert none is not None
    assert none.significant
    assert 0.95**none.n < 1e-3
    assert none.n < 160
    all_as_good = rule.find_stop(np.ones(1000), np.full(1000, 0.5))
    assert all_as_good is not None
    assert not all_as_good.significant
    assert all_as_good.n < 8


def test_gandy_with_several_repeats_tosses_a_coin_of_the_averaged_p():
    """Shares of ½ with uniform draws are a fair coin."""
    rng = np.random.default_rng(0)
    decided = [
        GandyRule(0.3, 0.05, 200).find_stop(np.full(200, 0.5), rng.random(200)) for _ in range(200)
    ]
    assert np.mean([d is not None and d.significant for d in decided]) <= 0.05


def test_besag_clifford_decides_as_the_full_run():
    for n in [99, 100, 999]:
        rng = np.random.default_rng(n)
        stopped = 0
        for p in (0.01, 0.04, 0.05, 0.06, 0.3):
            for _ in range(60):
                hits = (rng.random(n) < p).astype(float)
                full = (hits.sum() + 1) / (n + 1) <= 0.05
                settled = BesagClifford(0.05, n).find_stop(hits, hits)
                if settled is None:
                    assert full or hits.sum() + 1 > 0.05 * (n + 1)
                    assert full
                else:
                    assert not full
                    stopped += 1
                    before = hits[: settled.n - 1].sum()
                    assert (before + 1) / (
                        n + 1
                    ) <= 0.05  # and not a draw later than it is certain
        assert stopped > 60


def test_interval_is_clopper_and_pearsons():
    for count, n in ((0, 50), (3, 50), (50, 50)):
        expected = stats.binomtest(count, n).proportion_ci(0.9, method="exact")
        assert pvalue_interval(count, n, 0.9) == pytest.approx((expected.low, expected.high))


def test_no_rule():
    assert make_rule(None, 0.05, 0.001, 100) is None
    with pytest.raises(InputError, match="risk must be"):
        make_rule("gandy", 0.05, 0, 100)


class Interrupted(Centroid):
    """As if Ctrl-C were pressed during the fit number ``at``."""

    fits = 0
    at = 0

    def fit(self, X, y):
        Interrupted.fits += 1
        if Interrupted.fits == Interrupted.at:
            raise KeyboardInterrupt
        return super().fit(X, y)


@pytest.fixture
def interrupt():
    def at(fit):
        Interrupted.fits, Interrupted.at = 0, fit

    yield at
    Interrupted.fits = Interrupted.at = 0


def test_what_is_done_before_an_interrupt_is_kept(interrupt):
    X, y = two_classes(shift=0.3)
    options = {"n": 20, "cv": 4, "repeats": 1, "seed": 6}
    whole = permutation_test(Centroid(), X, y, **options)
    interrupt(4 + 7 * 4 + 2)  # in the eighth random data set
    with pytest.warns(DiagnosticWarning, match="interrupted after 7 of 20 permutations"):
        result = permutation_test(Interrupted(), X, y, **options)
    assert result.ended == "interrupted"
    np.testing.assert_array_equal(result.null, whole.null[:7])
    assert result.pvalue == (np.sum(result.null <= result.statistic + 1e-12) + 1) / 8
    assert "7 permutations of 20, " in str(result)


def test_an_interrupt_before_anything_is_done_goes_on(interrupt):
    """In the original data, and in the first random data set."""
    for fit in [2, 6]:
        interrupt(fit)
        with pytest.raises(KeyboardInterrupt):
            permutation_test(Interrupted(), *two_classes(), n=5, cv=4, repeats=1)


def test_a_rule_keeps_a_beginning_of_the_full_run():
    X, y = two_classes(shift=1.5)
    options = {"n": 400, "cv": 3, "repeats": 3, "seed": 6}
    whole = permutation_test(Centroid(), X, y, **options)
    result = permutation_test(Centroid(), X, y, stop="gandy", **options)
    assert result.ended == "settled"
    assert result.significant
    assert whole.significant
    assert len(result.null) == result.settled.n < 200
    np.testing.assert_array_equal(result.null, whole.null[: len(result.null)])
    assert "settled at a risk of 0.001 (Gandy)" in str(result)


def test_besag_clifford_under_the_null_hypothesis():
    X, y = two_classes(seed=5, shift=0.0)
    options = {"n": 199, "cv": 3, "repeats": 2, "seed": 1}
    whole = permutation_test(Centroid(), X, y, **options)
    result = permutation_test(Centroid(), X, y, stop="besag-clifford", **options)
    assert not whole.significant
    assert not result.significant
    assert len(result.null) < 60
    assert "for certain" in result.notes[0]


def test_progress(capsys):
    permutation_test(Centroid(), *two_classes(), n=4, cv=2, repeats=1, progress=True)
    assert "permuted labels: 100%" in capsys.readouterr().err
    permutation_test(Centroid(), *two_classes(), n=4, cv=2, repeats=1)
    assert capsys.readouterr().err == ""


def test_joblibs_context_is_heeded():
    import joblib

    X, y = two_classes()
    alone = permutation_test(Centroid(), X, y, n=6, cv=2, repeats=1, seed=1)
    with joblib.parallel_config(backend="threading", n_jobs=2):
        result = permutation_test(Centroid(), X, y, n=6, cv=2, repeats=1, seed=1)
    np.testing.assert_array_equal(alone.null, result.null)
