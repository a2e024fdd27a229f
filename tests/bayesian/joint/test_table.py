"""What the joint tests read: means and folds, gaps, and tables that allow no comparison."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import bayescmp as bc
from bayescmp.bayesian.joint.table import FoldTable, as_shared_rope, in_order, read_table
from tests.rows import each_row


def read(scores, **options):
    return read_table(scores, metric=None, rho=options.pop("rho", None), test="it", **options)


def long(gaps=()):
    rng = np.random.default_rng(1)
    rows = [
        {"dataset": d, "algorithm": a, "fold": f, "rmse": rng.random()}
        for d in ("iris", "wine", "digits")
        for a in ("knn", "svm", "gbm")
        for f in range(4)
        if (d, a) not in gaps
    ]
    return pd.DataFrame(rows)


def test_scores_are_read_higher_the_better_with_their_correlation():
    frame = long()
    table = read(bc.Scores(frame))
    assert table.x.shape == (3, 4, 3)
    assert table.rho.tolist() == [0.25] * 3
    expected = -frame.groupby(["dataset", "algorithm"])["rmse"].mean()
    for i, d in enumerate(table.datasets):
        for k, a in enumerate(table.algorithms):
            assert table.means[i, k] == pytest.approx(expected[d, a])
    assert table.resampling == "rho 0.25: 4 folds"


def test_missing_runs_are_counted_and_small_data_sets_left_out():
    gaps = [("iris", "gbm"), ("digits", "gbm"), ("digits", "svm")]
    frame = pd.concat(
        [
            long(gaps),
            long().query("dataset != 'digits'").replace({"iris": "glass", "wine": "yeast"}),
        ]
    )
    table = read(bc.Scores(frame))
    assert table.datasets == ("iris", "wine", "glass", "yeast")
    assert "1 data set with fewer than two algorithms ('digits')" in table.notes[0]
    assert table.notes[1].startswith("missing: 1 of 12 runs")
    assert table.seen[0].tolist() == [True, True, False]


def test_folds_that_not_all_have_are_left_out_where_that_was_asked_for():
    frame = long()
    frame.loc[0, "rmse"] = np.nan
    with pytest.raises(bc.InputError, match=r"got nan"):
        read(bc.Scores(frame))
    table = read(bc.Scores(frame, missing="common"))
    assert table.n.tolist() == [3, 4, 4]
    assert table.rho.tolist() == [0.25] * 3
    assert table.notes == ("left out: 3 rows in folds that not all have",)


def test_a_data_set_without_a_fold_that_all_have_is_left_out():
    frame = long()
    one = frame["dataset"] == frame["dataset"].iloc[0]
    first = frame["algorithm"] == frame["algorithm"].iloc[0]
    halves = frame[~one | (first == (frame["fold"] < 2))]
    table = read(bc.Scores(halves, missing="common"))
    assert table.datasets == tuple(frame["dataset"].unique()[1:])
    assert table.notes == ("left out: 6 rows in folds that not all have",)


def test_one_data_set_of_two_algorithms_is_too_few():
    nan = np.nan
    x = [[1, 2, 3], [1, nan, nan], [nan, 2, nan], [nan, nan, 3]]
    with pytest.raises(
        bc.InputError, match="scores must have at least two data sets with scores of two"
    ):
        read(x)


def test_ratios_are_compared_by_logarithms():
    table = read(bc.Scores(long()).on_scale("log_ratio"))
    raw = read(bc.Scores(long()))
    np.testing.assert_allclose(table.x, -np.log(-raw.x))
    zero = long()
    zero.loc[0, "rmse"] = 0.0
    with pytest.raises(bc.InputError, match=r"scores must be positive .*got 0 of metric 'rmse'"):
        read(bc.Scores(zero).on_scale("log_ratio"))
    with pytest.raises(
        bc.InputError, match=r"must be .* for several algorithms .got 'standardised'"
    ):
        read(bc.Scores(long()).on_scale("standardised"))


@each_row(
    ("scores", "says"),
    [
        ([0.1, 0.2], r"scores must .*shape \(2,\)"),
        ([[0.1, 0.2]], r"at least two data sets for it.*\(got 1\)\..*bayescmp\.bayesian\.groups"),
        ([[0.1], [0.2]], r"scores must have at least two algorithms for it \(got 1\)"),
        ([[0.1, np.inf], [0.1, 0.2]], "infinite one for 'A2' on data set '1'"),
        (
            [[0.1, 0.2, np.nan], [0.1, 0.2, 0.1]],
            "every algorithm on at least two data sets .*for 'A3'.*Leave it out",
        ),
        (
            [
                [1, 2, np.nan, np.nan],
                [2, 1, np.nan, np.nan],
                [np.nan, np.nan, 1, 2],
                [np.nan, np.nan, 2, 1],
            ],
            "scores must link all algorithms by data sets .*'A1', 'A2' and 'A3', 'A4'",
        ),
        ([[[0.1, 0.2]] * 3] * 3, "rho must be given"),
        ([["a", "b"], ["c", "d"]], "must hold real numbers .got text"),
    ],
)
def test_bad_tables_are_refused_by_place(scores, says):
    with pytest.raises(bc.InputError, match=says):
        read(scores)


def test_an_algorithm_has_all_folds_or_none():
    x = np.full((3, 4, 2), 0.5)
    x[1, 2, 0] = np.nan
    with pytest.raises(bc.InputError, match="'A1' on data set '2' in fold 3"):
        read(x, rho=0.25)
    x[1, 2:] = np.nan
    assert read(x, rho=0.25).n.tolist() == [4, 2, 4]


def test_ropes_of_several_algorithms_are_symmetric():
    assert as_shared_rope(0.02) == bc.Rope(-0.02, 0.02)
    assert as_shared_rope((-0.02, np.inf)) == bc.Rope(-0.02, np.inf)
    with pytest.raises(bc.InputError, match="none is the first"):
        as_shared_rope((-0.01, 0.02))


def test_a_tidy_table_is_named_as_one():
    tidy = pd.DataFrame({"dataset": ["d"], "algorithm": ["knn"], "accuracy": [0.9]})
    with pytest.raises(bc.InputError, match=r"got a tidy table.* bayescmp.Scores\(scores\)"):
        bc.bayesian.bootstrap(tidy, rope=0.01)


def _table(seed: int = 1) -> FoldTable:
    rng = np.random.default_rng(seed)
    x = rng.normal(0.8, 0.05, (6, 4, 3))
    x[2, 3] = np.nan  # fewer folds
    x[4, :, 1] = np.nan  # an algorithm that was not run
    return FoldTable(x, rng.uniform(0, 0.3, 6), ("a", "b", "c"), tuple("uvwxyz"))


def test_only_the_scores_decide():
    for seed in range(5):
        table, rng = _table(), np.random.default_rng(seed)
        d, a = rng.permutation(6), rng.permutation(3)
        moved = FoldTable(
            100 * table.x[d][:, :, a],
            table.rho[d],
            tuple(table.algorithms[k] for k in a),
            tuple(table.datasets[i] for i in d),
        )
        one, _ = in_order(table)
        other, _ = in_order(moved)
        assert other.algorithms == one.algorithms
        assert other.datasets == one.datasets
        np.testing.assert_allclose(other.x, 100 * one.x)
        assert np.array_equal(other.rho, one.rho)


def test_draws_come_back_where_they_stood():
    table = _table()
    ordered, order = in_order(table)
    at = {name: k for k, name in enumerate(ordered.algorithms)}
    sets = {name: i for i, name in enumerate(ordered.datasets)}
    mu = np.arange(3.0)[None, None]
    draws = order.restore_order(
        {
            "mu": mu,
            "Sigma0": mu[..., None] * 10 + mu[..., None, :],
            "nu": np.ones((1, 1)),
            "u": 10 * np.arange(6.0)[:, None] + mu[..., None, :],
        }
    )
    own = np.array([at[name] for name in table.algorithms])
    rows = np.array([sets[name] for name in table.datasets])
    assert np.array_equal(draws["mu"][0, 0], own)
    assert np.array_equal(draws["Sigma0"][0, 0], 10 * own[:, None] + own)
    assert np.array_equal(draws["u"][0, 0], 10 * rows[:, None] + own)


def test_equal_algorithms_keep_their_order():
    x = np.repeat(np.random.default_rng(2).normal(size=(3, 4, 1)), 3, axis=2)
    ordered, _ = in_order(FoldTable(x, np.zeros(3), ("a", "b", "c"), ("u", "v", "w")))
    assert ordered.algorithms == ("a", "b", "c")
