"""Which rows belong together, what does not pair, and what is left out."""

from __future__ import annotations

import itertools
import time

import numpy as np
import pandas as pd
import pytest

import bayescmp as bc
from bayescmp.scores.pairing import LeftOut, Pairing, starts_of
from tests.rows import each_row


@pytest.fixture
def pairing(table):
    return Pairing(table.sample(frac=1, random_state=5).reset_index(drop=True))


def test_pairs_agree_with_a_merge(pairing):
    """pandas' own merge on the labels gives the same pairs of rows."""
    frame = pairing.frame.assign(row=np.arange(len(pairing.frame)))
    keys = ["dataset", "repeat", "fold"]
    one, other = (frame[frame.algorithm == name] for name in ("gbm", "knn"))
    merged = one.merge(other, on=keys)[["row_x", "row_y"]].to_numpy()
    assert {tuple(map(int, p)) for p in pairing.align(["gbm", "knn"])[0].T} == {
        tuple(map(int, p)) for p in merged
    }


def test_blocks_hold_one_fold_a_column(pairing):
    rows = pairing.align(["svm", "knn", "gbm"], "wine")[0]
    frame = pairing.frame
    assert (frame["dataset"].to_numpy()[rows] == "wine").all()
    assert frame["algorithm"].to_numpy()[rows].tolist() == [
        [name] * rows.shape[1] for name in ("svm", "knn", "gbm")
    ]
    for label in ("repeat", "fold"):
        seen = frame[label].to_numpy()[rows]
        assert (seen == seen[0]).all()


def test_repeats_of_rows(pairing):
    rows = pairing.rows("knn", "iris")
    assert pairing.repeats(rows).tolist() == pairing.frame["repeat"].to_numpy()[rows].tolist()
    assert (np.diff(pairing.repeats(rows)) >= 0).all()


def test_a_place_has_no_fold_where_the_table_has_none():
    means = pd.DataFrame({"dataset": ["a"], "algorithm": ["x"], "repeat": [1], "fold": [1]})
    assert Pairing(means, has_folds=False).describe_row(0) == "dataset 'a', algorithm 'x'"
    assert Pairing(means).describe_row(0) == "dataset 'a', algorithm 'x', repeat 1, fold 1"


def test_starts_of_runs():
    assert starts_of(np.array([1, 1, 2, 2, 2])).tolist() == [0, 2]
    assert starts_of(np.array([1, 1, 2]), np.array(["a", "b", "b"])).tolist() == [0, 1, 2]


def test_unknown_names(pairing):
    with pytest.raises(bc.InputError, match=r"data set must be .*\(got 'wines'\)\. .*'wine'"):
        pairing.rows("knn", "wines")
    with pytest.raises(bc.InputError, match=r"algorithm must be .*\(got 'kn'\)\. .*'knn'"):
        pairing.rows("kn")


def _large(q: int, sizes: bool) -> bc.Scores:
    """Two algorithms on q data sets of 100 folds."""
    n = 10
    return bc.Scores(
        pd.DataFrame(
            {
                "dataset": np.repeat([f"d{i}" for i in range(q)], 2 * n),
                "algorithm": np.tile(np.repeat(["a", "b"], n), q),
                "repeat": 1,
                "fold": np.tile(np.arange(n), 2 * q),
                "accuracy": np.random.default_rng(0).integers(0, 1000, 2 * n * q) / 1000,
                **({"n_test": 100, "n_train": 900} if sizes else {}),
            }
        )
    )


def _seconds(scores: bc.Scores) -> float:
    """Of the processor, the least of three: other work on the machine should not fail a test."""
    times = []
    for _ in range(3):
        start = time.process_time()
        d = scores.differences("a", "b")
        times.append(time.process_time() - start)
    assert d.q == len(scores.datasets)
    assert set(d.rho) == {0.1}
    return min(times)


@pytest.mark.slow
@pytest.mark.parametrize("sizes", [False, True])
def test_cost_is_linear_in_the_table(sizes):
    """5,000 data sets: with the square of their number, were rows not sorted once for all."""
    few, many = _large(500, sizes), _large(5000, sizes)
    assert _seconds(many) < 40 * _seconds(few)  # linear would be 10, the square 100


def test_columns_that_would_make_duplicates_distinct_are_named():
    """Those that pandas finds to leave no duplicate; a column that changes elsewhere is none."""
    keys = ["dataset", "algorithm", "repeat", "fold"]
    rows = itertools.product(["a", "b"], ["knn", "svm", "gbm"], [1], [1, 2, 3], ["lin", "rbf"])
    frame = pd.DataFrame(rows, columns=[*keys, "kernel"])
    frame["batch"] = np.arange(len(frame)) // 2  # differs by fold, not within one
    frame["depth"] = frame["kernel"].eq("rbf") * frame["fold"]
    unused = ["kernel", "batch", "depth"]
    named = [c for c in unused if not frame.duplicated([*keys, c]).any()]
    assert named == ["kernel", "depth"]
    with pytest.raises(bc.InputError, match=r"unused columns 'kernel', 'depth'"):
        Pairing(frame)


@pytest.mark.parametrize("dataset", ["iris", "wine", "digits"])
def test_a_row_a_fold_is_of_that_data_set(pairing, dataset):
    frame = pairing.frame.iloc[pairing.one_a_fold(dataset)]
    assert set(frame["dataset"]) == {dataset}
    wanted = pairing.frame[pairing.frame["dataset"] == dataset][["repeat", "fold"]]
    wanted = wanted.drop_duplicates()
    assert len(frame) == len(wanted)
    assert set(frame[["repeat", "fold"]].itertuples(index=False, name=None)) == set(
        wanted.itertuples(index=False, name=None)
    )


@pytest.mark.parametrize(("lacks", "has"), [("knn", "gbm"), ("gbm", "knn")])
def test_a_fold_of_one_alone_is_named_whichever_it_is(table, lacks, has):
    short = table[~((table.algorithm == lacks) & (table.dataset == "wine") & (table.fold > 3))]
    alone = (
        f"'wine', algorithm '{has}', repeat 1, fold 4, which has no partner among the scores of "
    )
    with pytest.raises(bc.InputError, match=rf"both .*{alone}'{lacks}', 4 in all"):
        Pairing(short).align(["knn", "gbm"])
    for names in (["svm", "knn", "gbm"], ["knn", "svm", "gbm"], ["knn", "gbm", "svm"]):
        with pytest.raises(bc.InputError, match=rf"no partner among .*'{lacks}', 4 in all"):
            Pairing(short).align(names, "wine")
    assert Pairing(short).align(names, "iris")[0].shape == (3, 10)


def test_an_algorithm_is_not_compared_with_itself(pairing):
    every = np.ones(len(pairing.frame), dtype=bool)
    for there in (None, every):
        with pytest.raises(bc.InputError, match="second must differ from first"):
            pairing.align(["svm", "svm"], there=there)


def test_rows_are_sorted_by_data_set_repeat_and_fold(pairing):
    frame = pairing.frame
    labels = frame.iloc[pairing.rows("gbm")]
    place = labels["dataset"].map(pairing.datasets.index)
    keys = list(zip(place, labels["repeat"], labels["fold"], strict=True))
    assert keys == sorted(keys)
    assert (len(keys), set(labels["algorithm"])) == (30, {"gbm"})
    for name in pairing.datasets:
        own = frame.iloc[pairing.rows("gbm", name)]
        assert (len(own), set(own["dataset"]), set(own["algorithm"])) == (10, {name}, {"gbm"})


def test_no_scores_on_a_data_set(table):
    rest = table[~((table.algorithm == "svm") & (table.dataset == "wine"))]
    with pytest.raises(
        bc.InputError, match=r"'svm' must have scores on data set 'wine'.*Name those"
    ):
        Pairing(rest).rows("svm", "wine")


def with_holes(table):
    """The pairing and which rows have a score: wine's folds differ, digits lacks svm's."""
    wine = table.dataset == "wine"
    gone = (table.algorithm == "knn") & wine & (table.fold == 1)
    there = ~((table.algorithm == "svm") & wine & (table.fold == 2))
    there &= ~((table.algorithm == "svm") & (table.dataset == "digits"))
    return Pairing(table[~gone].reset_index(drop=True)), there[~gone].to_numpy(), table[~gone]


def test_folds_in_common_are_those_that_all_have_a_score_in(table):
    pairing, there, frame = with_holes(table)
    assert pairing.in_common(np.ones(len(frame), dtype=bool)).sum() == 90 - 2 - 2 * 2
    counts = frame[there].groupby(["dataset", "repeat", "fold"])["algorithm"].nunique()
    whole = {"iris": 3, "wine": 3, "digits": 2}  # algorithms with scores there
    labels = frame[["dataset", "repeat", "fold"]].itertuples(index=False, name=None)
    expected = [
        ok and counts.get(key, 0) == whole[key[0]] for ok, key in zip(there, labels, strict=True)
    ]
    kept = pairing.in_common(there)
    assert kept.dtype == bool
    assert kept.tolist() == expected


def test_pairs_of_folds_in_common_count_what_was_lost(table):
    pairing, there, frame = with_holes(table)
    (first, second), lost = pairing.align(["knn", "svm"], there=there)
    keys = ["dataset", "repeat", "fold"]
    one, other = (frame[there & (frame.algorithm == name)] for name in ("knn", "svm"))
    merged = one.merge(other, on=keys)
    for rows, name in ((first, "knn"), (second, "svm")):
        own = pairing.frame.iloc[rows]
        assert set(own["algorithm"]) == {name}
        assert list(own[keys].itertuples(index=False, name=None)) == list(
            merged[keys].itertuples(index=False, name=None)
        )
    # Of wine fold 1 is the second's alone and fold 2 has no score of it, in two repeats.
    assert (lost.datasets, lost.by_dataset, lost.algorithms) == (("digits",), {"wine": 4}, 2)


def test_blocks_of_folds_in_common(table):
    pairing, there, _ = with_holes(table)
    rows, lost = pairing.align(["svm", "gbm", "knn"], "wine", there)
    labels = pairing.frame.iloc[rows.ravel()].to_numpy()[:, :4].reshape(3, 6, 4)
    assert [set(row) for row in labels[:, :, 1]] == [{"svm"}, {"gbm"}, {"knn"}]
    assert (labels[:, :, 2:] == labels[:1, :, 2:]).all()
    assert sorted(set(labels[0, :, 3])) == [3, 4, 5]
    assert (lost.datasets, lost.by_dataset, lost.algorithms) == ((), {"wine": 4}, 3)
    assert pairing.align(["svm", "gbm"], "iris", there)[1].by_dataset == {}
    with pytest.raises(
        bc.InputError, match=r"^algorithms 'svm', 'gbm' must have a fold of data set 'digits'"
    ):
        pairing.align(["svm", "gbm"], "digits", there)
    having = {
        (d, a): pairing.has_common_fold(d, ["knn", a], there)
        for d in ("wine", "digits")
        for a in ("svm", "gbm")
    }
    assert [key for key, has in having.items() if not has] == [("digits", "svm")]


def test_one_fold_in_common_is_one(table):
    pairing = Pairing(table)
    there = np.ones(len(table), dtype=bool)
    there[(table.dataset == "wine") & (table.algorithm == "svm")] = False
    there[np.flatnonzero((table.dataset == "wine") & (table.algorithm == "svm"))[4]] = True
    assert pairing.has_common_fold("wine", ["svm", "knn"], there)
    rows, lost = pairing.align(["svm", "knn"], "wine", there)
    assert (
        pairing.describe_row(int(rows[1, 0]))
        == "dataset 'wine', algorithm 'knn', repeat 1, fold 5"
    )
    assert (rows.shape, lost.folds) == ((2, 1), 9)


@pytest.mark.parametrize(
    ("bad", "message"),
    [
        ({4: np.nan}, "nan for dataset 'iris', algorithm 'knn', repeat 1, fold 5[)]"),
        ({4: np.inf}, "inf for .*, fold 5[)]"),
        ({4: -np.inf, 6: np.nan}, "-inf for .*, fold 5, and 1 more[)]"),
        ({6: np.nan, 7: 1.0, 8: np.inf}, "nan .*, repeat 2, fold 2, and 1 more[)]"),
    ],
)
def test_the_first_score_that_is_none_is_named_and_the_others_counted(table, bad, message):
    values = np.arange(90.0)
    values[list(bad)] = list(bad.values())
    with pytest.raises(
        bc.InputError, match=rf"metric 'auc' must be finite in every fold \(got {message}"
    ):
        Pairing(table).check_finite(values, "metric 'auc'", np.arange(90))


def test_the_row_of_a_score_is_where_it_came_from(table):
    """Values of some rows only: the place is that of the row, not of the value."""
    with pytest.raises(bc.InputError, match="dataset 'digits', algorithm 'svm', repeat 2, fold 5"):
        Pairing(table).check_finite(np.array([1.0, np.nan]), "tpr", np.array([3, 89]))


def test_duplicates_are_counted_and_the_first_is_named(table):
    doubled = pd.concat([table, table.iloc[[30, 4, 4]]], ignore_index=True)
    with pytest.raises(
        bc.InputError,
        match=r"^the table must have each row once \(got 3 duplicate rows, dataset 'iris', "
        r"algorithm 'knn', repeat 1, fold 5 more than once\)\.$",
    ):
        Pairing(doubled)
    means = doubled.iloc[[4, 4]].assign(repeat=1, fold=1)
    with pytest.raises(bc.InputError, match="Several scores each need repeat and fold col"):
        Pairing(means, has_folds=False)
    with pytest.raises(bc.InputError, match="They differ in the unused column 'kernel'"):
        Pairing(means.assign(kernel=["rbf", "lin"], shrink=[0.1, 0.2]))


def test_a_column_of_numbers_that_never_repeat_tells_duplicates_apart(table):
    doubled = pd.concat([table, table.iloc[[4]]], ignore_index=True)
    with pytest.raises(bc.InputError, match="the unused column 'run'"):
        Pairing(doubled.assign(run=np.arange(len(doubled))))


# Sizes of a fold.


def _sized(column, first, second):
    """Two algorithms in five folds of 100 items, and a third as the first."""
    rows = [
        {
            "dataset": "iris",
            "algorithm": a,
            "fold": f,
            "accuracy": 0.01 * f * i,
            "n_test": 20,
            "n_train": 80,
            column: first if a != "svm" else second,
        }
        for i, a in enumerate(("knn", "svm", "gbm"), 1)
        for f in range(1, 6)
    ]
    return bc.Scores(pd.DataFrame(rows))


WAYS = {
    "pair": lambda s: s.differences("knn", "svm"),
    "pair in common": lambda s: bc.Scores(s.frame, missing="common").differences("knn", "svm"),
    "blocks": bc.scores_blocks,
    "blocks in common": lambda s: bc.scores_blocks(bc.Scores(s.frame, missing="common")),
    "joint": lambda s: bc.bayesian.bootstrap(s, rope=0.1, rho=0.2, draws=10),
    "rho": lambda s: s.differences("knn", "svm", rho=0.2),
}


@each_row(
    ("way", "column", "first", "second"),
    [
        *((way, "n_test", 20, 40) for way in WAYS.values()),
        (WAYS["pair"], "n_train", 80, 60),
        (WAYS["blocks"], "n_test", 0.2, 0.4),
    ],
)
def test_a_fold_of_two_sizes_is_not_one_fold(way, column, first, second):
    scores = _sized(column, first, second)
    with pytest.raises(
        bc.InputError,
        match=rf"^{column} must be the same .*{first} for dataset 'iris', algorithm 'knn', .* "
        rf"{second} for dataset 'iris', algorithm 'svm', repeat 1, fold 1.",
    ):
        way(scores)
    assert scores.differences("knn", "gbm").rho.tolist() == [0.2]


def test_counts_of_a_fold_that_sum_to_two_sizes():
    rows = [
        {"dataset": "iris", "algorithm": a, "fold": f, "tp": 5, "fn": 1, "fp": 2, "tn": tn}
        for a, tn in (("knn", 12), ("svm", 32))
        for f in range(1, 6)
    ]
    with pytest.raises(
        bc.InputError, match=r"^tp \+ fn \+ fp \+ tn must be the same .*20 for .* and 40 for "
    ):
        bc.Scores(pd.DataFrame(rows)).differences("knn", "svm", "tp")


def test_a_share_may_be_rounded_and_a_size_unknown():
    assert _sized("n_test", 0.2, 0.2001).differences("knn", "svm").rho.tolist() == [0.2]
    frame = _sized("n_test", 20, 20).frame
    frame.loc[frame["algorithm"] == "svm", ["n_test", "n_train"]] = np.nan
    assert bc.Scores(frame).differences("knn", "svm").rho.tolist() == [0.2]


def test_of_one_data_set():
    whole = LeftOut(("wine",), {"iris": 2, "digits": 1})
    assert whole.folds == 3
    assert whole.select_dataset("iris") == LeftOut((), {"iris": 2})
    assert whole.select_dataset("glass") is None
    assert not LeftOut()
    assert str(LeftOut()) == "left out, without a score of both: nothing"


def test_joined_over_tables_of_the_same_folds():
    """A fold that is missing at each of two thresholds is one fold."""
    parts = [LeftOut(("wine",), {"iris": 2}, 3), None, LeftOut(("wine",), {"iris": 1, "glass": 4})]
    result = LeftOut.join(parts)
    assert (result.datasets, dict(result.by_dataset)) == (("wine",), {"iris": 2, "glass": 4})
    assert str(result) == (
        "left out, without a score of all 3 algorithms: 1 data set ('wine') and 6 folds"
    )


def test_what_was_left_out_of_items_is_without_a_score_of_all_models():
    left_out = LeftOut((), {"gsm8k": 2}, 3, units=("benchmark", "question"))
    assert left_out.why == "without a score of all 3 models"
