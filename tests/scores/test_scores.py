"""Scores: reading, validation, pairing, rho from fold labels."""

import io
import pickle
import warnings
from inspect import Parameter, signature
from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import bayescmp as bc
from bayescmp.scores.columns import KEYS
from bayescmp.scores.metrics import direction
from bayescmp.scores.scores import MetricColumn
from tests.rows import each_row


def _scores(metric, by_dataset):
    rows = [
        {"dataset": d, "algorithm": a, "fold": f, metric: value + (a == "y") * value / 100}
        for d, value in by_dataset.items()
        for a in "xy"
        for f in (1, 2)
    ]
    return bc.Scores(pd.DataFrame(rows))


def test_percent_on_some_data_sets():
    with pytest.warns(bc.DiagnosticWarning, match=r"'accuracy' seems to be in percent on 1 of 2"):
        _scores("accuracy", {"a": 0.9, "b": 90}).differences("x", "y")


@each_row(
    ("metric", "value", "ends"),
    [("accuracy", 140, "0 to 1"), ("accuracy", -0.2, "0 to 1"), ("mcc", -150, "-1 to 1")],
)
def test_values_outside_the_range(metric, value, ends):
    outside = rf"{metric!r} is .* outside its range, {ends} \(or 100 in percent\)"
    with pytest.warns(bc.DiagnosticWarning, match=outside):
        _scores(metric, {"a": value, "b": value}).differences("x", "y")


@each_row(
    ("metric", "values"),
    [
        ("accuracy", {"a": 0.9, "b": 0.2}),
        ("accuracy", {"a": 90, "b": 20}),
        ("error", {"a": 12, "b": 5, "c": 0.4}),  # per cent, one of which is under 1%
        ("rmse", {"a": 1.0, "b": 50.0}),  # no range
        ("mcc", {"a": -0.3, "b": 0.9}),
    ],
)
def test_one_unit_is_no_news(metric, values):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        _scores(metric, values).differences("x", "y")


def test_a_negated_loss_is_in_its_range():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        x = {"knn": [-0.1, -0.2], "svm": [-0.2, -0.3]}
        bc.Scores.read(x, metric="error", resampling=2).differences("knn", "svm")


def test_a_metric_declared_the_other_way_keeps_its_sign():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        x = {"knn": [0.1, 0.2], "svm": [0.2, 0.3]}
        scores = bc.Scores.read(x, metric="accuracy", lower_is_better=["accuracy"], resampling=2)
        scores.differences("knn", "svm")


def test_the_metric_declared_both_ways_is_named(table):
    frame = table.assign(alpha=0.1)
    ways = {"lower_is_better": ["accuracy", "alpha"], "higher_is_better": ["alpha", "log_loss"]}
    with pytest.raises(bc.InputError, match="metric 'alpha' must be declared once"):
        bc.Scores(frame, resampling=10, **ways)
    with pytest.raises(bc.InputError, match="lower_is_better must be a selected metric") as caught:
        bc.Scores(frame, resampling=10, metric="accuracy", lower_is_better=["alpha"])
    assert caught.value.argument == "lower_is_better"


def test_it_is_said_once():
    scores = _scores("accuracy", {"a": 0.9, "b": 90})
    with pytest.warns(bc.DiagnosticWarning):
        scores.differences("x", "y")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        scores.differences("y", "x")


@each_row(
    ("values", "span"), [([0.5, np.nan, 1.0], 1), ([50.0, 100.0], 100), ([0.5, 101.0], None)]
)
def test_span_follows_from_the_values(values, span):
    column = MetricColumn(np.array(values), direction("accuracy"))
    assert column.span == span
    assert column.finite == (not np.isnan(values).any())


def test_a_sign_that_the_name_rules_out_is_refused_every_time():
    column = MetricColumn(np.array([-1.0, -2.0]), direction("rmse"))
    for _ in range(2):
        with pytest.raises(bc.InputError, match="negative"):
            _ = column.lower
    assert MetricColumn(np.array([1.0, 2.0]), direction("rmse")).lower


def test_pairs_do_not_read_the_frame_again(table, monkeypatch):
    scores = bc.Scores(table)
    scores.differences("knn", "gbm", "accuracy")
    monkeypatch.setattr(pd.DataFrame, "__getitem__", lambda *_: pytest.fail("read again"))
    later = scores.differences("knn", "svm", "accuracy")
    assert later.span == 1
    assert str(later.resampling[0]) == "rho 0.2: 5 folds, 2 repeats"


def test_what_pairs_have_looked_up_is_neither_saved_nor_copied(table):
    scores = bc.Scores(table)
    parts = (scores.pairing, scores.resampling)
    before = [len(pickle.dumps(part)) for part in parts]
    for pair in combinations(scores.algorithms, 2):
        expected = scores.differences(*pair, "log_loss").matrix
    assert [len(pickle.dumps(part)) for part in parts] == before
    again = pickle.loads(pickle.dumps(scores))
    assert vars(again).keys() == vars(bc.Scores(table)).keys()
    np.testing.assert_array_equal(again.differences(*pair, "log_loss").matrix, expected)
    logs = scores.on_scale("log_ratio").differences(*pair, "log_loss").matrix
    assert not np.allclose(logs, expected)


def test_two_metrics_of_a_table_are_kept_apart(table):
    scores = bc.Scores(table)
    for metric in ("accuracy", "log_loss", "accuracy"):
        np.testing.assert_array_equal(scores.values(metric), table[metric])
        assert scores.lower_is_better(metric) == (metric == "log_loss")


def test_values_that_were_handed_out_may_be_changed(table):
    scores = bc.Scores(table)
    scores.values("accuracy")[:] = 0
    np.testing.assert_array_equal(scores.values("accuracy"), table["accuracy"])


@pytest.fixture
def frame():
    rng = np.random.default_rng(5)
    rows = [
        {"dataset": d, "algorithm": a, "fold": f, "accuracy": rng.uniform(0.7, 0.9)}
        for d in ("iris", "wine", "digits")
        for a in ("knn", "svm", "gbm")
        for f in range(5)
    ]
    return pd.DataFrame(rows)


@pytest.fixture
def holes(frame):
    """knn misses a fold of iris, svm has NaN in another and no wine at all."""

    def rows(d, a):
        return (frame.dataset == d) & (frame.algorithm == a)

    frame.loc[rows("iris", "svm") & (frame.fold == 3), "accuracy"] = np.nan
    gone = (rows("iris", "knn") & (frame.fold == 0)) | rows("wine", "svm")
    return frame[~gone]


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
    assert "\nnote: left out of knn and svm: 1 data set ('wine') and 2 folds\n" in result.full()
    one = bc.compare(scores, "knn", "svm", rope=0.01, seed=1, test="signed_rank")
    assert one.left_out == scores.differences("knn", "svm").left_out
    assert "left out: 1 data set ('wine') and 2 folds, without a score of both" in str(one)
    assert "1 data set (&#x27;wine&#x27;) and 2 folds" in one._repr_html_()
    verdict = one.verdict()
    assert "Left out: 1 data set ('wine') and 2 folds, without a score of both." in (
        verdict.explain("paper")
    )
    assert verdict.to_dict()["left_out"] == scores.differences("knn", "svm").left_out.to_dict()


def test_what_was_left_out_survives_on_disk(holes, tmp_path):
    scores = bc.Scores(holes, missing="common")
    one = bc.compare(scores, "knn", "svm", rope=0.01, seed=1, test="signed_rank")
    one.save(tmp_path / "one.npz")
    assert bc.load(tmp_path / "one.npz").left_out == one.left_out


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
    with pytest.raises(bc.InputError, match=r"got nan"):
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
    assert "must have scores on data set 'wine'" in joint.loc[("wine", "knn", "svm"), "error"]


def test_means_over_the_folds_that_all_have(holes):
    result = bc.Scores(holes, missing="common").means()
    wide = holes.pivot(index=["dataset", "fold"], columns="algorithm", values="accuracy")
    assert result.loc["iris"].to_dict() == pytest.approx(
        wide.loc["iris"].dropna().mean().to_dict()
    )
    assert np.isnan(result.loc["wine", "svm"])
    assert result.loc["wine", "knn"] == pytest.approx(wide.loc["wine", "knn"].mean())


def test_a_mean_that_is_missing_has_no_fold():
    frame = pd.DataFrame({"knn": [0.7, np.nan], "svm": [0.8, 0.9]}, ["iris", "wine"])
    shown = repr(bc.Scores(frame, metric="accuracy"))
    assert "missing: 1 mean, e.g. dataset wine, algorithm knn: NaN" in shown


def test_infinite_scores_are_not_missing(holes):
    holes.loc[holes.index[0], "accuracy"] = np.inf
    with pytest.raises(bc.InputError, match="got inf"):
        bc.Scores(holes, missing="common").differences("knn", "gbm")


def test_correlations_by_name(frame):
    scores = bc.Scores(frame)
    by_name = {"wine": 0.3, "iris": 0.1, "digits": 0.2}
    assert scores.differences("knn", "svm", rho=by_name).rho.tolist() == [0.1, 0.3, 0.2]
    restricted = scores.select(datasets=["wine", "iris"])
    assert set(restricted.datasets) == {"wine", "iris"}
    with pytest.raises(bc.InputError, match=r"name in rho must be .*\(got 'wines'\)\. .*'wine'"):
        scores.differences("knn", "svm", rho={"wines": 0.1})
    with pytest.raises(bc.InputError, match=r"rho must .*got none for 'wine'"):
        scores.differences("knn", "svm", rho={"iris": 0.1, "digits": 0.1})


def test_some_data_sets_only(frame):
    scores = bc.Scores(frame)
    result = bc.compare_all(scores, rope=0.01, seed=1, test="sign", datasets=["iris", "wine"])
    expected = bc.compare_all(
        bc.Scores(frame[frame.dataset != "digits"]), rope=0.01, seed=1, test="sign"
    )
    assert result.frame["p_rope"].tolist() == expected.frame["p_rope"].tolist()
    with pytest.raises(bc.InputError, match=r"data set must be .*\(got 'wines'\)"):
        bc.compare_all(scores, rope=0.01, datasets=["wines"])
    with pytest.raises(bc.InputError, match="datasets must name at least one"):
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
    assert (d.direction.metric, d.direction.lower) == ("rmse", True)
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
    with pytest.raises(bc.InputError, match="scores must be positive for scale='log_ratio'"):
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
    expected = [
        np.diff(np.unique(rows)).min() for _, rows in pair.groupby("dataset", sort=False)["rmse"]
    ]
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
    with pytest.raises(bc.InputError, match="second must differ from first"):
        scores.differences("svm", "svm")
    with pytest.raises(bc.InputError, match="second must differ from first"):
        bc.Scores(frame, missing="common").differences("svm", "svm")


def test_single_scores_a_hundredfold_apart_are_no_sizes_apart():
    """The warning is about medians: one score near zero on a data set is nothing."""
    rows = [
        {"dataset": d, "algorithm": a, "fold": f, "rmse": 0.001 if f == 0 else 1.0 + f}
        for d in "xy"
        for a in ("knn", "svm")
        for f in range(5)
    ]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        bc.Scores(pd.DataFrame(rows)).differences("knn", "svm")


def test_labels_and_metrics(table):
    scores = bc.Scores(table)
    assert scores.datasets == ("iris", "wine", "digits")
    assert scores.algorithms == ("knn", "gbm", "svm")
    assert scores.metrics == ("accuracy", "log_loss")
    assert scores.renamed == {}


def test_a_second_label_column_is_no_metric(table):
    scores = bc.Scores(table.assign(dataset_id=1, note="x"))
    assert scores.metrics == ("accuracy", "log_loss")
    assert scores.ignored == ("dataset_id", "note")


def test_span_of_known_metrics(table):
    scores = bc.Scores(table.assign(percent=table.accuracy * 100, mcc=table.accuracy))
    assert scores.span("accuracy") == 1
    assert scores.span("mcc") == 2
    assert scores.span("log_loss") is None
    renamed = bc.Scores(table.assign(accuracy=table.accuracy * 100))
    assert renamed.span("accuracy") == 100


def test_means_agree_with_pandas(table):
    result = bc.Scores(table).means("accuracy")
    expected = table.pivot_table(index="dataset", columns="algorithm", values="accuracy")
    pd.testing.assert_frame_equal(
        result.sort_index().sort_index(axis=1), expected, check_names=False
    )


@pytest.mark.parametrize(("value", "word"), [(np.nan, r"got nan"), (np.inf, "got inf")])
def test_missing_and_infinite_scores_name_the_cell(table, value, word):
    table.loc[
        (table.dataset == "wine")
        & (table.algorithm == "gbm")
        & (table.repeat == 2)
        & (table.fold == 3),
        "accuracy",
    ] = value
    scores = bc.Scores(table)
    where = f"must be finite .*{word} for dataset 'wine', algorithm 'gbm', repeat 2, fold 3"
    with pytest.raises(bc.InputError, match=where):
        scores.differences("knn", "gbm", "accuracy")
    with pytest.raises(bc.InputError, match=where):
        scores.means("accuracy")
    assert scores.differences("knn", "svm", "accuracy").q == 3


def test_unknown_names_suggest_the_nearest(table):
    scores = bc.Scores(table)
    with pytest.raises(
        bc.InputError, match=r"algorithm must be .*\(got 'gmb'\)\. Did you mean 'gbm'"
    ):
        scores.differences("knn", "gmb", "accuracy")
    with pytest.raises(
        bc.InputError, match=r"metric must be .*\(got 'acuracy'\)\. Did you mean 'accuracy'"
    ):
        scores.differences("knn", "gbm", "acuracy")
    with pytest.raises(bc.InputError, match="metric must be given if the table has"):
        scores.differences("knn", "gbm")
    with pytest.raises(bc.InputError, match="second must differ from first"):
        scores.differences("knn", "knn", "accuracy")
    with pytest.raises(bc.InputError, match=r"column must be .*\(got 'data'\)"):
        bc.Scores(table, columns={"dataset": "data"})
    with pytest.raises(bc.InputError, match=r"part of a score table must be .*\(got 'datset'\)"):
        bc.Scores(table, columns={"datset": "dataset"})
    with pytest.raises(bc.InputError, match=r"must have one role.*got algorithm and fold"):
        bc.Scores(table, columns={"fold": "algorithm"})


@pytest.mark.parametrize(
    ("labels", "seeds"),
    [
        ({"seed": "repeat", "split": "fold"}, True),
        ({"seed": "repeat"}, False),
        ({"repeat": "repeat", "split": "fold"}, False),
        ({"repeat": "repeat", "seed": "fold", "split": "fold"}, False),
    ],
)
def test_seeds_are_repeats_on_a_split_that_is_named(table, labels, seeds):
    """A seed beside a column of repeats is a note on them."""
    rest = table.drop(columns=["repeat", "fold"])
    if "split" not in labels:
        rest = rest[table.fold == 1]
    assert bc.Scores(rest.assign(**{k: table[v] for k, v in labels.items()})).resampling.seeds == (
        seeds
    )


def test_means_of_the_last_cell_are_missing_where_it_is(table):
    last = (table.dataset == "digits") & (table.algorithm == "svm")
    means = bc.Scores(table[~last], missing="common").means("accuracy")
    assert means.shape == (3, 3)
    assert np.isnan(means.loc["digits", "svm"])
    assert means.isna().to_numpy().sum() == 1


def test_a_table_is_shown_with_all_that_was_understood_of_it(table):
    """In a terminal a line a fact, none of what is empty."""
    shown = repr(bc.Scores(table)).splitlines()
    assert shown == [
        "<Scores: 3 data sets x 10 folds, 3 algorithms, 90 rows>",
        "  algorithms: knn, gbm, svm",
        "  metrics: accuracy ↑, log_loss ↓",
    ]
    holes = table.rename(columns={"algorithm": "classifier"}).assign(note="x")
    holes.loc[holes.index[3], "accuracy"] = np.nan
    place = ", ".join(f"{k} {table.loc[table.index[3], k]}" for k in KEYS)
    assert repr(bc.Scores(holes)).splitlines()[3:] == [
        "  read 'classifier' as algorithm",
        "  ignored: note",
        f"  missing: 1 fold, e.g. {place}: NaN",
    ]
    read = bc.Scores.read({"x": [0.75, 0.5], "y": [0.5, 1.0]}, metric="auc", resampling="2-fold")
    assert "  read as arrays of scikit-learn scores" in repr(read).splitlines()


def test_a_page_shows_the_same(table):
    facts = (">knn, gbm, svm<", ">accuracy ↑, log_loss ↓<", ">iris, wine, digits<")
    whole = bc.Scores(table)._repr_html_()
    assert "Scores: 3 data sets x 10 folds, 3 algorithms, 90 rows" in whole
    assert all(fact in whole for fact in facts)
    assert ">ignored<" not in whole
    assert ">missing<" not in whole
    table.loc[table.index[:2], "accuracy"] = np.nan
    holes = bc.Scores(table.assign(note="x", remark="y"))._repr_html_()
    assert ">note, remark<" in holes
    assert ">2 folds<" in holes


def test_missing_scores_are_listed_with_their_reason(table):
    failed = (table.dataset == "wine") & (table.algorithm == "gbm") & (table.fold == 2)
    absent = (table.dataset == "iris") & (table.algorithm == "knn") & (table.fold == 1)
    table.loc[failed, "log_loss"] = np.nan
    table.loc[failed & (table.repeat == 1), "failure"] = "timeout"
    listed = bc.Scores(table[~absent]).missing
    keys = [tuple(row) for row in listed[[*KEYS]].itertuples(index=False)]
    expected = table[failed | absent][[*KEYS]].itertuples(index=False)
    assert sorted(keys) == sorted(tuple(row) for row in expected)
    reasons = listed.set_index(["algorithm", "repeat"])[["metrics", "reason"]]
    assert reasons.loc["gbm", 1].tolist() == ["log_loss", "timeout"]
    assert reasons.loc["gbm", 2].tolist() == ["log_loss", "NaN"]
    assert reasons.loc["knn", 1].tolist() == ["accuracy, log_loss", "no row"]


def test_times_are_no_rivals_of_the_only_score(table):
    timed = table.drop(columns="log_loss").assign(fit_time=1.0)
    assert bc.Scores(timed).sole_metric == "accuracy"
    assert bc.Scores(timed.drop(columns="accuracy")).sole_metric == "fit_time"
    with pytest.raises(bc.InputError, match="metric must be given if the table has"):
        _ = bc.Scores(table).sole_metric


def test_the_frame_has_the_labels_that_were_given_and_no_others(table):
    means = table.groupby(["dataset", "algorithm"], as_index=False)[["accuracy"]].mean()
    assert list(bc.Scores(means).frame) == ["dataset", "algorithm", "accuracy"]
    assert not bc.Scores(means).has_folds
    assert list(bc.Scores(table).frame) == list(table)
    own = bc.Scores(table).frame
    own["accuracy"] = 0.0
    assert bc.Scores(table).frame["accuracy"].tolist() == table["accuracy"].tolist()


@pytest.mark.parametrize(
    ("largest", "span"), [(1.0, 1.0), (1.01, 100.0), (100.0, 100.0), (100.5, None)]
)
def test_a_share_is_of_one_or_of_a_hundred(table, largest, span):
    """And of neither where it is larger."""
    table["accuracy"] *= largest / table["accuracy"].max()
    assert bc.Scores(table).span("accuracy") == span


def test_a_name_that_tells_nothing_is_warned_of_once(table):
    scores = bc.Scores(table.rename(columns={"accuracy": "foo"}))
    with pytest.warns(bc.DirectionWarning, match="'foo'"):
        assert scores.lower_is_better("foo") is False
    assert scores.lower_is_better("foo") is False  # a second warning would be an error


def test_percent_beside_fractions_are_warned_of(table):
    table.loc[table.dataset == "wine", "accuracy"] *= 100
    with pytest.warns(bc.DiagnosticWarning, match=r"percent on 1 of 3 data sets \('wine'"):
        bc.Scores(table).lower_is_better("accuracy")


@each_row(
    ("names", "options", "refused"),
    [
        (["p", "q"], {}, True),
        (["p"], {}, False),
        (["p", "auc"], {}, False),
        (["p", "q"], {"lower_is_better": ["q"]}, False),
        (["p", "q"], {"higher_is_better": ["q"]}, False),
    ],
)
def test_columns_that_may_be_data_sets_are_asked_about(names, options, refused):
    """One row an algorithm, and no name that is known: most likely the table lies on its side."""
    frame = pd.DataFrame(0.5, index=range(2), columns=names).assign(algorithm=["a", "b"])
    if not refused:
        assert bc.Scores(frame, **options).metrics == tuple(names)
        return
    with pytest.raises(bc.InputError, match=r"metrics that are known by their names.*got p, q"):
        bc.Scores(frame, **options)


@pytest.mark.parametrize("better", ["lower", "higher"])
def test_means_remember_what_they_are_of(table, better):
    """Metric and direction of a table of means survive the way back, unless they are assumed."""
    declared = {f"{better}_is_better": ["foo"]}
    means = bc.Scores(table.rename(columns={"log_loss": "foo"}), **declared).means("foo")
    assert (means.index.name, means.columns.name) == ("dataset", "algorithm")
    again = bc.Scores.from_means(means)
    assert again.metrics == ("foo",)
    assert again.lower_is_better("foo") == (better == "lower")
    assert not again.direction("foo").assumed
    other = "higher" if better == "lower" else "lower"
    turned = bc.Scores.from_means(means, **{f"{other}_is_better": ["foo"]})
    assert turned.lower_is_better("foo") == (other == "lower")
    assumed = bc.Scores(table.rename(columns={"log_loss": "foo"})).means("foo")
    assert bc.Scores.from_means(assumed).direction("foo").assumed


def test_means_of_ratios_are_geometric(table):
    means = bc.Scores(table).on_scale("log_ratio").means("log_loss")
    expected = table.groupby(["dataset", "algorithm"])["log_loss"].apply(stats.gmean).unstack()
    assert means.to_numpy() == pytest.approx(expected.loc[means.index, means.columns].to_numpy())
    table.loc[table.index[7], "log_loss"] = 0.0
    first = table.iloc[7]
    with pytest.raises(
        bc.InputError,
        match=f"got 0 of metric 'log_loss' for dataset '{first.dataset}', algorithm "
        f"'{first.algorithm}', repeat {first['repeat']}, fold {first.fold}",
    ):
        bc.Scores(table).on_scale("log_ratio").means("log_loss")


def test_geometric_means_pass_over_what_is_not_in_common(table):
    """A fold that one algorithm lacks counts for none; the others' zero there is no error."""
    fold = (table.dataset == "iris") & (table.repeat == 1) & (table.fold == 1)
    table.loc[fold & (table.algorithm == "gbm"), "accuracy"] = np.nan
    table.loc[fold & (table.algorithm == "knn"), "accuracy"] = 0.0
    means = bc.Scores(table, missing="common").on_scale("log_ratio").means("accuracy")
    rest = table[~fold].groupby(["dataset", "algorithm"])["accuracy"].apply(stats.gmean).unstack()
    assert means.to_numpy() == pytest.approx(rest.loc[means.index, means.columns].to_numpy())


def test_values_are_those_of_the_rows_that_are_asked_for(table):
    scores = bc.Scores(table)
    assert scores.values("log_loss").tolist() == table["log_loss"].tolist()
    rows = np.array([[5, 3], [1, 80]])
    assert scores.values("accuracy", rows).tolist() == table["accuracy"].to_numpy()[rows].tolist()
    table.loc[table.index[3], "accuracy"] = np.nan
    holes = bc.Scores(table)
    assert holes.there("accuracy").tolist() == [i != 3 for i in range(len(table))]
    assert holes.values("accuracy", np.array([[4, 5]])).shape == (1, 2)
    with pytest.raises(bc.InputError, match=f"fold {table.iloc[3].fold}[)]"):
        holes.values("accuracy", rows)


def test_common_spellings_are_accepted_and_reported(table):
    renamed = table.rename(
        columns={
            "dataset": "Data Set",
            "algorithm": "classifier",
            "repeat": "run",
            "fold": "split",
        }
    )
    scores = bc.Scores(renamed)
    assert scores.renamed == {
        "Data Set": "dataset",
        "classifier": "algorithm",
        "run": "repeat",
        "split": "fold",
    }
    assert "'classifier' as algorithm" in repr(scores)
    same = scores.differences("knn", "gbm", "accuracy")
    assert np.array_equal(
        same.matrix, bc.Scores(table).differences("knn", "gbm", "accuracy").matrix
    )


def test_lower_is_better_metrics_are_flipped(table):
    scores = bc.Scores(table)
    assert scores.lower_is_better("log_loss")
    assert not scores.lower_is_better("accuracy")
    first = table[(table.algorithm == "knn") & (table.dataset == "iris")].log_loss.to_numpy()
    second = table[(table.algorithm == "gbm") & (table.dataset == "iris")].log_loss.to_numpy()
    differences = scores.differences("knn", "gbm", "log_loss")
    assert differences.row("iris").x[0] == pytest.approx(first - second)


def test_rho_is_one_over_folds_not_over_columns(table):
    differences = bc.Scores(table).differences("knn", "gbm", "accuracy")
    assert differences.n.tolist() == [10, 10, 10]
    assert differences.rho.tolist() == [0.2, 0.2, 0.2]


def test_rho_differs_by_data_set(table):
    ragged = table[~((table.dataset == "wine") & (table.fold > 2))]
    differences = bc.Scores(ragged).differences("knn", "gbm", "accuracy")
    assert differences.rho.tolist() == [0.2, 0.5, 0.2]
    assert differences.n.tolist() == [10, 4, 10]


def test_a_single_fold_asks_for_rho(table):
    splits = bc.Scores(table[table.fold == 1])
    with pytest.raises(bc.InputError, match=r"one fold per repeat.*State how.*or rho"):
        splits.differences("knn", "gbm", "accuracy")
    assert splits.differences("knn", "gbm", "accuracy", rho=0.1).rho.tolist() == [0.1] * 3


def test_resolution_is_one_over_n_test_or_the_smallest_step(table):
    differences = bc.Scores(table).differences("knn", "gbm", "accuracy")
    assert differences.resolution == pytest.approx([1 / 50] * 3)
    counts = table.assign(tp=10, fn=5, fp=5, tn=20)
    assert bc.Scores(counts).differences("knn", "gbm", "accuracy").resolution == pytest.approx(
        [1 / 40] * 3
    )


def test_wide_table_of_means(tmp_path):
    wide = pd.DataFrame({"Dataset": ["a", "b"], "knn": [0.8, 0.9], "gbm": [0.85, 0.7]})
    wide.to_csv(tmp_path / "means.csv", index=False)
    scores = bc.Scores.read(tmp_path / "means.csv", metric="accuracy")
    assert scores.algorithms == ("knn", "gbm")
    differences = scores.differences("knn", "gbm")
    assert differences.means == pytest.approx([0.05, -0.2])
    indexed = bc.Scores.from_means(wide.set_index("Dataset"), metric="accuracy")
    assert indexed.means().to_numpy() == pytest.approx(scores.means().to_numpy())


def test_inputs_are_not_modified(table):
    before = table.copy()
    bc.Scores(table).differences("knn", "gbm", "accuracy")
    pd.testing.assert_frame_equal(table, before)


# Bad input.


def test_several_scores_without_fold_labels(table):
    with pytest.raises(bc.InputError, match="need repeat and fold columns"):
        bc.Scores(table.drop(columns=["repeat", "fold"]))


@each_row(
    ("content", "message"),
    [
        (b"", "empty file"),
        (b"dataset,algorithm,repeat,fold,accuracy\n", "must have rows"),
        (b"\x89PNG\r\n\x1a\n\x00\xff\xfe\x00", "cannot be read as a table"),
        (b"hello world\nthis is, no, table\nat all\n", "cannot be read as a table|no column"),
    ],
)
def test_bad_files(tmp_path, content, message):
    path = tmp_path / "scores.csv"
    path.write_bytes(content)
    with pytest.raises(bc.InputError, match=message) as caught:
        bc.Scores.read(path)
    assert "scores.csv" in str(caught.value)


def test_files_that_are_not_there(tmp_path):
    with pytest.raises(bc.InputError, match="does not exist"):
        bc.Scores.read(tmp_path / "nothing.csv")
    with pytest.raises(bc.InputError, match="got a directory"):
        bc.Scores.read(tmp_path)
    (tmp_path / "fake.parquet").write_bytes(b"no parquet")
    with pytest.raises(bc.InputError, match="cannot be read as a table"):
        bc.Scores.read(tmp_path / "fake.parquet")


def test_text_in_a_metric_column_names_the_cell_and_no_other_metric_takes_its_place():
    text = "dataset,algorithm,fold,accuracy,f1\na,x,1,0.5,oops\na,y,1,0.6,0.7\n"
    with pytest.raises(bc.InputError, match=r"column 'f1' must .*text in row 0: 'oops'"):
        bc.Scores(pd.read_csv(io.StringIO(text)))


def test_a_named_metric_is_the_only_one_kept_of_a_long_table(table):
    scores = bc.Scores(table, metric="log_loss")
    assert scores.metrics == ("log_loss",)
    assert "accuracy" not in scores.frame
    with pytest.raises(bc.InputError, match=r"metric must be 'accuracy' .*'nonsense'"):
        bc.Scores(table, metric="nonsense")


def test_a_named_rate_keeps_the_columns_it_follows_from(table):
    assert bc.Scores(table, metric="error").metrics == ("accuracy", "log_loss")


def test_errors_of_a_file_name_it_once_and_of_arrays_none(tmp_path, table):
    file = tmp_path / "scores.csv"
    table.drop(columns="algorithm").to_csv(file, index=False)
    with pytest.raises(bc.InputError) as of_file:
        bc.Scores.read(file)
    assert str(of_file.value).startswith(f"{str(file)!r}: ")
    assert str(of_file.value).count(str(file)) == 1
    with pytest.raises(bc.InputError) as of_arrays:
        bc.Scores.read({"knn": [0.8, 0.9], "svm": [0.7, 0.8]}, metric="accuracy")
    assert not str(of_arrays.value).startswith(("'", '"', "{"))


def test_a_table_of_means_is_taken_by_name(table):
    means = bc.Scores(table).means("accuracy")
    assert (
        bc.Scores.from_means(frame=means, metric="accuracy")
        .means()
        .equals(bc.Scores.from_means(means, metric="accuracy").means())
    )


def test_what_is_replaced_keeps_every_declaration(table):
    renamed = table.rename(columns={"accuracy": "up", "log_loss": "down"})
    scores = bc.Scores(renamed, lower_is_better="down", higher_is_better="up", missing="common")
    scores = scores.on_scale("log_ratio")
    scores.test_items, scores.resampling.seeds = object(), True
    frame = renamed[renamed.dataset != "iris"].assign(cost=1.0, gain=1.0)
    with_cost = scores.replaced(frame, lower_is_better=["gain"])
    assert with_cost.datasets == ("wine", "digits")
    ways = {m: with_cost.direction(m) for m in with_cost.metrics}
    assert {m: (d.lower, d.assumed) for m, d in ways.items()} == {
        "up": (False, False),
        "down": (True, False),
        "cost": (True, False),
        "gain": (True, False),
    }
    assert (with_cost.scale, with_cost.on_missing) == ("log_ratio", "common")
    assert with_cost.test_items is scores.test_items
    assert with_cost.resampling.seeds is True
    assert scores.replaced(frame.drop(columns="down")).metrics == ("up", "cost", "gain")
    assert scores.scale == "log_ratio"


def test_a_table_on_another_scale_is_another_table(table):
    scores = bc.Scores(table)
    logs = scores.on_scale("log_ratio")
    assert (scores.scale, logs.scale) == ("difference", "log_ratio")
    first, second = (table[table.algorithm == a].accuracy.to_numpy() for a in ("knn", "svm"))
    actual = logs.differences("knn", "svm", "accuracy")
    assert actual.matrix.ravel() == pytest.approx(np.log(second / first))
    own = logs.differences("knn", "svm", "accuracy", scale="difference")
    assert own.matrix.ravel() == pytest.approx(second - first)
    with pytest.raises(bc.InputError, match="scale"):
        scores.on_scale("ratio")


def test_what_is_warned_of_in_a_table_is_not_again_in_its_parts(table):
    scores = bc.Scores(table.rename(columns={"accuracy": "foo"}))
    with pytest.warns(bc.DirectionWarning):
        scores.lower_is_better("foo")
    scores.select(datasets=["iris"]).lower_is_better("foo")  # a warning would be an error


def test_data_sets_and_algorithms_are_selected_together(table):
    scores = bc.Scores(table)
    part = scores.select(datasets=["digits", "iris"], algorithms=["svm", "knn"])
    assert (part.datasets, part.algorithms) == (("iris", "digits"), ("knn", "svm"))
    wanted = table.dataset.isin(["iris", "digits"]) & table.algorithm.isin(["knn", "svm"])
    assert part.frame.to_numpy().tolist() == table[wanted].to_numpy().tolist()
    assert scores.select(algorithms=["knn", "gbm", "svm"]) is scores
    assert scores.select() is scores
    assert scores.select(datasets="wine").datasets == ("wine",)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"datasets": []}, "^datasets must name at least one"),
        ({"algorithms": []}, "^algorithms must name at least one"),
        ({"datasets": ["wines"]}, r"data set must be .*\(got 'wines'\)\. Did you mean 'wine'"),
        ({"algorithms": ["gmb"]}, r"algorithm must be .*\(got 'gmb'\)\. Did you mean 'gbm'"),
    ],
)
def test_a_selection_names_what_there_is(table, options, message):
    with pytest.raises(bc.InputError, match=message):
        bc.Scores(table).select(**options)


def test_arrays_say_as_what_they_were_read(table, tmp_path):
    arrays = {"knn": [0.8, 0.9, 0.7], "svm": [0.7, 0.8, 0.8]}
    read = bc.Scores.read(arrays, metric="accuracy", resampling="3-fold", missing="common")
    assert (read.recognised, read.on_missing) == ("arrays of scikit-learn scores", "common")
    assert read.differences("knn", "svm").rho.tolist() == pytest.approx([1 / 3])
    table.to_csv(tmp_path / "scores.csv", index=False)
    assert bc.Scores.read(tmp_path / "scores.csv").recognised == ""


def test_results_of_cross_validate_tell_their_folds_or_are_told(table):
    results = {"knn": {"test_score": [0.75, 0.5]}, "svm": {"test_score": [0.5, 1.0]}}
    for options in ({"folds": 2}, {"resampling": "2-fold"}):
        d = bc.Scores.from_cv_results(results, metric="accuracy", **options).differences(
            "knn", "svm"
        )
        assert (d.rho.tolist(), d.matrix.tolist()) == ([0.5], [[-0.25, 0.5]])
    with pytest.raises(bc.InputError):
        bc.Scores.from_cv_results(results)


@each_row(
    ("function", "by_place"),
    [
        (bc.Scores, 1),
        (bc.Scores.read, 2),
        (bc.Scores.from_cv_results, 1),
        (bc.Scores.from_means, 1),
        (bc.Scores.replaced, 2),
        (bc.Scores.differences, 4),
        (bc.Scores.select, 1),
        (bc.scores_blocks, 1),
    ],
)
def test_options_are_given_by_name(function, by_place):
    """And what is not an option by either."""
    kinds = [p.kind for p in signature(function).parameters.values()]
    assert kinds[:by_place] == [Parameter.POSITIONAL_OR_KEYWORD] * by_place
    assert set(kinds[by_place:]) <= {Parameter.KEYWORD_ONLY, Parameter.VAR_KEYWORD}


@each_row("case", [str.upper, str.title])
def test_confusion_counts_are_read_in_any_case(case):
    """With their rates: 8 of 10 positives of knn are found, 9 of 10 of svm's."""
    counts = {"tp": [8, 9], "fn": [2, 1], "fp": [3, 0], "tn": [7, 10]}
    frame = pd.DataFrame({"dataset": "iris", "algorithm": ["knn", "svm"], **counts})
    scores = bc.Scores(frame.rename(columns={name: case(name) for name in counts}))
    assert scores.metrics == ("tp", "fn", "fp", "tn")
    assert scores.renamed == {case(name): name for name in counts}
    assert scores.means(case("tp")).loc["iris"].tolist() == [8, 9]
    blocks = bc.scores_blocks(scores, metrics=["tpr", case("fp")], rho=0)
    assert blocks.x[:, 0].tolist() == [[0.8, 3.0], [0.9, 0.0]]
    of_svm = {case(name): values[1] for name, values in counts.items()}
    post = bc.bayesian.confusion(of_svm, {n: v[0] for n, v in counts.items()}, "tpr", rope=0.05)
    assert post.verdict().p_left > 0.5  # svm, the first, finds more
