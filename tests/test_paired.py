"""Pairs of which not all scores are there, and correlations by name."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import bayescmp as bc
from bayescmp.paired import rho_by_name


@pytest.fixture
def frame():
    rng = np.random.default_rng(5)
    rows = [
        {"dataset": d, "algorithm": a, "fold": f, "accuracy": rng.uniform(0.7, 0.9)}
        for d in ("iris", "wine", "digits") for a in ("knn", "svm", "gbm") for f in range(5)
    ]  # fmt: skip
    return pd.DataFrame(rows)


@pytest.fixture
def holes(frame):
    """knn misses a fold of iris, svm has NaN in another and no wine at all."""

    def rows(d, a):
        return (frame.dataset == d) & (frame.algorithm == a)

    frame.loc[rows("iris", "svm") & (frame.fold == 3), "accuracy"] = np.nan
    gone = (rows("iris", "knn") & (frame.fold == 0)) | rows("wine", "svm")
    return frame[~gone]


def test_missing_scores_are_an_error_that_names_the_way_out(holes):
    with pytest.raises(bc.InputError, match="missing='common'"):
        bc.Scores(holes).differences("knn", "svm")


def test_pairs_are_compared_on_what_both_have(holes):
    d = bc.Scores(holes, missing="common").differences("knn", "svm")
    wide = holes.pivot(index=["dataset", "fold"], columns="algorithm", values="accuracy")
    expected = (wide["svm"] - wide["knn"]).dropna()
    assert d.datasets == ("iris", "digits")
    for name, row in zip(d.datasets, d.x, strict=True):
        assert row == pytest.approx(expected[name].to_numpy())
    assert d.n.tolist() == [3, 5]
    assert d.rho.tolist() == [0.2, 0.2]  # five folds were drawn, whatever is missing of them
    assert (d.left_out.datasets, d.left_out.folds) == (("wine",), 2)
    assert str(d.left_out) == (
        "left out, without a score of both: 1 data set ('wine') and 2 folds"
    )
    assert "1 data set ('wine') and 2 folds" in repr(d)


def test_complete_pairs_leave_nothing_out(frame):
    d = bc.Scores(frame, missing="common").differences("knn", "svm")
    assert d.left_out is None
    assert d.matrix == pytest.approx(bc.Scores(frame).differences("knn", "svm").matrix)


def test_every_pair_counts_what_it_left_out(holes):
    scores = bc.Scores(holes, missing="common")
    found = bc.compare_all(scores, rope=0.01, seed=1, test="signed_rank")
    notes = {pair: " ".join(r.notes) for pair, r in found.results.items()}
    assert "1 data set ('wine') and 2 folds" in notes["knn", "svm"]
    assert "left out, without a score of both: 1 fold" in notes["knn", "gbm"]
    one = bc.compare(scores, "knn", "svm", rope=0.01, seed=1, test="signed_rank")
    assert any("left out" in n for n in one.notes)
    assert bc.Scores(holes, missing="common").select(datasets=["iris"]).on_missing == "common"


def test_means_over_the_folds_that_all_have(holes):
    found = bc.Scores(holes, missing="common").means()
    wide = holes.pivot(index=["dataset", "fold"], columns="algorithm", values="accuracy")
    assert found.loc["iris"].to_dict() == pytest.approx(wide.loc["iris"].dropna().mean().to_dict())
    assert np.isnan(found.loc["wine", "svm"])
    assert found.loc["wine", "knn"] == pytest.approx(wide.loc["wine", "knn"].mean())


def test_infinite_scores_are_not_missing(holes):
    holes.loc[holes.index[0], "accuracy"] = np.inf
    with pytest.raises(bc.InputError, match="infinite"):
        bc.Scores(holes, missing="common").differences("knn", "gbm")


def test_nothing_in_common(frame):
    halves = frame[(frame.algorithm == "knn") == (frame.dataset == "iris")]
    with pytest.raises(bc.InputError, match="no fold of any data set in common"):
        bc.Scores(halves, missing="common").differences("knn", "svm")
    with pytest.raises(bc.InputError, match="unknown missing 'commn'"):
        bc.Scores(frame, missing="commn")


def test_correlations_by_name(frame):
    scores = bc.Scores(frame)
    by_name = {"wine": 0.3, "iris": 0.1, "digits": 0.2}
    assert scores.differences("knn", "svm", rho=by_name).rho.tolist() == [0.1, 0.3, 0.2]
    restricted = scores.select(datasets=["wine", "iris"])
    assert set(restricted.datasets) == {"wine", "iris"}
    with pytest.raises(bc.InputError, match=r"unknown data set in rho 'wines'.*'wine'"):
        scores.differences("knn", "svm", rho={"wines": 0.1})
    with pytest.raises(bc.InputError, match="no correlation for data set 'wine'"):
        scores.differences("knn", "svm", rho={"iris": 0.1, "digits": 0.1})
    assert rho_by_name(0.1, ["a"], ["a"]) == 0.1


def test_some_data_sets_only(frame):
    scores = bc.Scores(frame)
    found = bc.compare_all(scores, rope=0.01, seed=1, datasets=["iris", "wine"])
    expected = bc.compare_all(bc.Scores(frame[frame.dataset != "digits"]), rope=0.01, seed=1)
    assert found.frame["p_rope"].tolist() == expected.frame["p_rope"].tolist()
    with pytest.raises(bc.InputError, match="unknown data set 'wines'"):
        bc.compare_all(scores, rope=0.01, datasets=["wines"])
    with pytest.raises(bc.InputError, match="datasets is empty"):
        bc.compare_all(scores, rope=0.01, datasets=[])
