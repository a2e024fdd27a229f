"""Pairs of which not all scores are there, and correlations by name."""

from __future__ import annotations

import warnings

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
    result = bc.compare_all(scores, rope=0.01, seed=1, test="signed_rank")
    columns = result.frame.set_index(["first", "second"])[["datasets_left_out", "folds_left_out"]]
    assert columns.loc[("knn", "svm")].tolist() == [1, 2]
    assert columns.loc[("knn", "gbm")].tolist() == [0, 1]
    assert "\nleft out of knn and svm: 1 data set ('wine') and 2 folds\n" in str(result)
    one = bc.compare(scores, "knn", "svm", rope=0.01, seed=1, test="signed_rank")
    assert one.left_out == scores.differences("knn", "svm").left_out
    assert "left out     1 data set ('wine') and 2 folds, without a score of both" in str(one)
    assert "1 data set (&#x27;wine&#x27;) and 2 folds" in one._repr_html_()
    verdict = one.verdict()
    assert "Left out, without a score of both: 1 data set ('wine') and 2 folds." in (
        verdict.explain()
    )
    assert verdict.to_dict()["left_out"] == scores.differences("knn", "svm").left_out.to_dict()


def test_what_was_left_out_survives_on_disk(holes, tmp_path):
    scores = bc.Scores(holes, missing="common")
    one = bc.compare(scores, "knn", "svm", rope=0.01, seed=1, test="signed_rank")
    one.save(tmp_path / "one.nc")
    assert bc.load(tmp_path / "one.nc").left_out == one.left_out


def test_complete_pairs_say_nothing_of_what_was_left_out(frame):
    result = bc.compare_all(bc.Scores(frame), rope=0.01, seed=1, test="signed_rank")
    assert "left out" not in str(result)
    assert result.frame[["datasets_left_out", "folds_left_out"]].to_numpy().max() == 0


def test_a_choice_of_data_sets_stays_with_what_is_common(holes):
    assert bc.Scores(holes, missing="common").select(datasets=["iris"]).on_missing == "common"


def test_the_frame_counts_what_each_pair_left_out(holes):
    scores = bc.Scores(holes, missing="common")
    shown = ["first", "second", "datasets_left_out", "folds_left_out"]
    expected = {("knn", "svm"): (1, 2), ("knn", "gbm"): (0, 1), ("svm", "gbm"): (1, 1)}
    all_pairs = bc.compare_all(scores, rope=0.01, seed=1, test="signed_rank").frame[shown]
    check = bc.crosscheck(scores, rope=0.01, seed=1, progress=False, engine="quadrature")
    over = check.frame[check.frame["dataset"] == ""][shown].drop_duplicates()
    for frame in (all_pairs, over):
        actual = {(a, b): (d, f) for a, b, d, f in frame.itertuples(index=False)}
        assert {tuple(sorted(k)): v for k, v in actual.items()} == {
            tuple(sorted(k)): v for k, v in expected.items()
        }
    alone = check.frame[(check.frame["dataset"] == "iris") & (check.frame["first"] == "knn")]
    counts = alone.groupby("second")["folds_left_out"].first().to_dict()
    assert counts == {"svm": 2, "gbm": 1}


@pytest.fixture
def two_metrics(holes):
    """Where another metric is missing too, in a fold of its own."""
    table = holes.assign(tpr=holes["accuracy"] ** 2)
    where = (table.dataset == "digits") & (table.algorithm == "knn") & (table.fold == 4)
    table.loc[where, "tpr"] = np.nan
    return table


def test_several_metrics_are_compared_on_what_both_have(two_metrics):
    scores = bc.Scores(two_metrics, missing="common")
    blocks = bc.bayesian.pair_blocks(scores, "knn", "svm", metrics=["accuracy", "tpr"])
    wide = two_metrics.pivot(
        index=["dataset", "fold"], columns="algorithm", values=["accuracy", "tpr"]
    )
    wide = wide.loc[:, [(m, a) for m in ("accuracy", "tpr") for a in ("knn", "svm")]].dropna()
    assert [b.dataset for b in blocks] == ["iris", "digits"]
    for b in blocks:
        expected = wide.loc[b.dataset].to_numpy().T.reshape(2, 2, -1)  # metric, algorithm, fold
        np.testing.assert_allclose(b.x, np.moveaxis(expected, 0, -1), rtol=1e-14)
        assert b.rho == 0.2
        assert str(b.left_out).endswith("1 data set ('wine') and 3 folds")
    posterior = bc.compare(
        scores.select(datasets=["digits"]), "knn", "svm", ["accuracy", "tpr"], rope=0.01
    )
    assert str(posterior.left_out) == "left out, without a score of both: 1 fold"
    with pytest.raises(bc.InputError, match=r"missing \(NaN\)"):
        bc.scores_blocks(bc.Scores(two_metrics), dataset="digits")


def test_groups_and_procedures_compare_on_what_all_have(two_metrics):
    scores = bc.Scores(two_metrics, missing="common")
    posterior = bc.bayesian.groups(scores, "accuracy", rope=0.01, dataset="iris", seed=1)
    wide = two_metrics.pivot(index=["dataset", "fold"], columns="algorithm", values="accuracy")
    common = wide.loc["iris"].dropna()
    assert posterior.x.shape == (3, len(common), 1) == (3, 3, 1)
    expected = common[list(posterior.names)].to_numpy()
    np.testing.assert_allclose(posterior.x[..., 0], expected.T, rtol=1e-14)
    assert str(posterior.left_out) == "left out, without a score of all 3 algorithms: 2 folds"
    result = bc.procedure(scores, metrics="accuracy")
    assert result.datasets == ("iris", "digits")
    risk = result.risk.set_index("dataset").loc["iris", list(common)]
    assert risk.to_dict() == pytest.approx((-common.mean()).to_dict())
    assert any("1 data set ('wine') and 2 folds" in note for note in result.notes)


def test_metrics_together_in_a_crosscheck(two_metrics):
    scores = bc.Scores(two_metrics, missing="common")
    check = bc.crosscheck(
        scores, metric=["accuracy", "tpr"], rope=0.01, seed=1, progress=False, engine="quadrature"
    )
    joint = check.frame[check.frame["scope"] == "metrics"].set_index(
        ["dataset", "first", "second"]
    )
    assert joint.loc[("digits", "knn", "svm"), "folds_left_out"] == 1
    assert (
        joint.loc[
            ("digits", "gbm", "svm")
            if ("digits", "gbm", "svm") in joint.index
            else ("digits", "svm", "gbm"),
            "folds_left_out",
        ]
        == 0
    )
    assert "no scores on data set 'wine'" in joint.loc[("wine", "knn", "svm"), "error"]


def test_means_over_the_folds_that_all_have(holes):
    result = bc.Scores(holes, missing="common").means()
    wide = holes.pivot(index=["dataset", "fold"], columns="algorithm", values="accuracy")
    assert result.loc["iris"].to_dict() == pytest.approx(
        wide.loc["iris"].dropna().mean().to_dict()
    )
    assert np.isnan(result.loc["wine", "svm"])
    assert result.loc["wine", "knn"] == pytest.approx(wide.loc["wine", "knn"].mean())


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
    result = bc.compare_all(scores, rope=0.01, seed=1, test="sign", datasets=["iris", "wine"])
    expected = bc.compare_all(
        bc.Scores(frame[frame.dataset != "digits"]), rope=0.01, seed=1, test="sign"
    )
    assert result.frame["p_rope"].tolist() == expected.frame["p_rope"].tolist()
    with pytest.raises(bc.InputError, match="unknown data set 'wines'"):
        bc.compare_all(scores, rope=0.01, datasets=["wines"])
    with pytest.raises(bc.InputError, match="datasets is empty"):
        bc.compare_all(scores, rope=0.01, datasets=[])


def test_the_step_of_folds_of_unequal_size_is_that_of_their_mean_size(frame):
    """53 items in five folds: 10.6 a fold."""
    sizes = frame["fold"].map({0: 11, 1: 11, 2: 11, 3: 10, 4: 10})
    d = bc.Scores(frame.assign(n_test=sizes)).differences("knn", "svm")
    assert d.resolution == pytest.approx([5 / 53] * 3)


@pytest.mark.parametrize("name", ["knn", "svm"])
def test_a_score_that_is_not_there_is_named_before_folds_that_do_not_pair(frame, name):
    """Whichever of the two it is of."""
    own = (frame.dataset == "iris") & (frame.algorithm == name)
    frame.loc[own & (frame.fold == 2), "accuracy"] = np.nan
    with pytest.raises(bc.InputError, match=f"'iris', algorithm '{name}', repeat 1, fold 2"):
        bc.Scores(frame[~(own & (frame.fold == 4))]).differences("knn", "svm")


def test_the_step_of_ratios_is_that_of_logarithms(frame):
    """1/n_test is one of the metric's own, also in standard deviations."""
    frame = frame.assign(accuracy=frame.accuracy.round(2), n_test=100)
    rows = frame[(frame.dataset == "iris") & frame.algorithm.isin(["knn", "svm"])]
    steps = np.diff(np.unique(np.log(rows.accuracy)))
    scores = bc.Scores(frame)
    logs = scores.differences("knn", "svm", scale="log_ratio")
    assert logs.resolution[0] == pytest.approx(steps[steps > 1e-9].min())
    assert scores.differences("knn", "svm").resolution[0] == pytest.approx(0.01)


def test_rounding_is_standardised_as_the_differences_are(frame):
    scores = bc.Scores(frame)
    plain, scaled = (
        scores.differences("knn", "svm", scale=s) for s in ("difference", "standardised")
    )
    units = [a[0] / b[0] for a, b in zip(plain.x, scaled.x, strict=True)]
    assert scaled.noise == pytest.approx(plain.noise / units)
    assert (scaled.noise > 0).all()


@pytest.mark.parametrize(("scale", "span"), [("difference", 1), ("log_ratio", None)])
def test_only_differences_have_the_metrics_range(frame, scale, span):
    assert bc.Scores(frame).differences("knn", "svm", scale=scale).span == span


def test_differences_carry_what_is_known_of_them(frame):
    """Names, direction and sizes; of a loss the sides are turned, its scores are not."""
    table = frame.assign(rmse=4 - 3 * frame.accuracy)
    both = table[table.algorithm.isin(["svm", "gbm"])]
    d = bc.Scores(table).differences("svm", "gbm", "rmse", scale="standardised")
    assert (d.names, d.datasets) == (("svm", "gbm"), ("iris", "wine", "digits"))
    assert (d.metric, d.scale) == ("rmse (standard deviations)", "standardised")
    assert (d.direction.metric, d.direction.lower) == (d.metric, True)
    assert d.scores == pytest.approx((np.ptp(both.rmse), both.rmse.max()))
    losses = bc.Scores(table).differences("svm", "gbm", "rmse")
    gains = bc.Scores(table).differences("svm", "gbm", "accuracy")
    assert losses.matrix == pytest.approx(3 * gains.matrix)
    assert (losses.metric, losses.direction.lower, gains.direction.lower) == ("rmse", True, False)


def test_only_differences_of_unlike_sizes_are_warned_of(frame):
    table = frame.rename(columns={"accuracy": "rmse"})
    table.loc[table.dataset == "wine", "rmse"] *= 200
    scores = bc.Scores(table)
    with pytest.warns(bc.DiagnosticWarning, match="set 'digits' and .* on 'wine'") as caught:
        scores.differences("knn", "svm")
    assert len(caught) == 1
    scores.differences("knn", "svm", scale="log_ratio")  # another warning would be an error
    scores.differences("knn", "svm", scale="standardised")


def test_typical_sizes_are_those_of_both_algorithms(frame):
    """Means of 1 and 250 beside 1 and 1: over a hundredfold, which neither alone would be."""
    table = frame.rename(columns={"accuracy": "rmse"}).assign(rmse=lambda t: 1 + 1e-3 * t.rmse)
    table.loc[(table.dataset == "wine") & (table.algorithm == "knn"), "rmse"] += 249
    with pytest.warns(bc.DiagnosticWarning, match="and 126 on 'wine'"):
        bc.Scores(table).differences("knn", "svm")


def test_a_score_that_a_ratio_has_no_place_for_is_named(frame):
    frame.loc[(frame.dataset == "wine") & (frame.fold == 3), "accuracy"] = 0.0
    with pytest.raises(bc.InputError, match=r"'wine', algorithm 'knn', repeat 1, fold 3 has"):
        bc.Scores(frame).differences("knn", "svm", scale="log_ratio")


@pytest.mark.parametrize("n_test", [50, 1, 0.2])
def test_the_step_is_of_items_and_a_share_is_none(frame, n_test):
    """With a share of the items it is the smallest step seen."""
    frame = frame.assign(accuracy=frame.accuracy.round(2), n_test=n_test)
    pair = frame[frame.algorithm.isin(["knn", "svm"])].groupby("dataset", sort=False)
    seen = pair["accuracy"].apply(lambda s: np.diff(np.unique((100 * s).round())).min() / 100)
    expected = [1 / n_test] * 3 if n_test >= 1 else list(seen)
    d = bc.Scores(frame).differences("knn", "svm", rho=0.2)
    assert d.resolution == pytest.approx(expected)


def test_the_step_of_a_metric_without_a_range_is_the_smallest_seen(frame):
    """Of both algorithms' scores on that data set, however many items there are."""
    table = frame.assign(rmse=(frame.accuracy * 37).round(1), n_test=50).drop(columns="accuracy")
    pair = table[table.algorithm.isin(["knn", "gbm"])]
    expected = [np.diff(np.unique(rows)).min() for _, rows in pair.groupby("dataset", sort=False)[
        "rmse"]]  # fmt: skip
    d = bc.Scores(table).differences("knn", "gbm", "rmse")
    assert d.resolution == pytest.approx(expected)


def test_rounding_is_that_of_each_data_sets_largest_score(frame):
    """2^-42 of it; of a logarithm no less than that of one."""
    table = frame.rename(columns={"accuracy": "rmse"})
    table.loc[table.dataset == "wine", "rmse"] *= 50
    pair = table[table.algorithm.isin(["knn", "svm"])].groupby("dataset", sort=False)["rmse"]
    noise = bc.Scores(table).differences("knn", "svm", rho=0.2).noise
    assert noise == pytest.approx(2.0**-42 * pair.max().to_numpy())
    logs = bc.Scores(table).differences("knn", "svm", scale="log_ratio").noise
    sizes = np.maximum(1, pair.apply(lambda s: np.abs(np.log(s)).max()).to_numpy())
    assert logs == pytest.approx(2.0**-42 * sizes)
    assert sizes[0] == 1 < sizes[1]


def test_folds_of_a_design_that_is_given_are_not_asked_about(frame):
    one = frame[frame.fold == 0]
    with pytest.raises(bc.InputError, match="single fold"):
        bc.Scores(one).differences("knn", "svm")
    d = bc.Scores(one).differences("knn", "svm", rho=[0.1, 0.2, 0.3])
    assert d.rho.tolist() == [0.1, 0.2, 0.3]


def test_an_unknown_scale_or_pair_is_refused(frame):
    scores = bc.Scores(frame)
    with pytest.raises(bc.InputError, match="scale"):
        scores.differences("knn", "svm", scale="ratio")
    with pytest.raises(bc.InputError, match="both 'svm'"):
        scores.differences("svm", "svm")
    with pytest.raises(bc.InputError, match="both 'svm'"):
        bc.Scores(frame, missing="common").differences("svm", "svm")


def test_single_scores_a_hundredfold_apart_are_no_sizes_apart():
    """The warning is about medians: one score near zero on a data set is nothing."""
    rows = [{"dataset": d, "algorithm": a, "fold": f, "rmse": 0.001 if f == 0 else 1.0 + f}
            for d in "xy" for a in ("knn", "svm") for f in range(5)]  # fmt: skip
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        bc.Scores(pd.DataFrame(rows)).differences("knn", "svm")
