"""The table itself: labels, metrics, directions, ranges, means."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import bayescmp as bc
from bayescmp.columns import KEYS


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


@pytest.mark.parametrize("declared", ["lower_is_better", "higher_is_better"])
def test_direction_can_be_declared(table, declared):
    table = table.rename(columns={"log_loss": "badness"})
    scores = bc.Scores(table, **{declared: ["badness"]})
    assert scores.lower_is_better("badness") == (declared == "lower_is_better")


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


@pytest.mark.parametrize(("value", "word"), [(np.nan, r"missing \(NaN\)"), (np.inf, "infinite")])
def test_missing_and_infinite_scores_name_the_cell(table, value, word):
    table.loc[(table.dataset == "wine") & (table.algorithm == "gbm") & (table.repeat == 2)
              & (table.fold == 3), "accuracy"] = value  # fmt: skip
    scores = bc.Scores(table)
    where = f"'accuracy' is {word} for dataset 'wine', algorithm 'gbm', repeat 2, fold 3"
    with pytest.raises(bc.InputError, match=where):
        scores.differences("knn", "gbm", "accuracy")
    with pytest.raises(bc.InputError, match=where):
        scores.means("accuracy")
    assert scores.differences("knn", "svm", "accuracy").q == 3


def test_unknown_names_suggest_the_nearest(table):
    scores = bc.Scores(table)
    with pytest.raises(bc.InputError, match="unknown algorithm 'gmb': did you mean 'gbm'"):
        scores.differences("knn", "gmb", "accuracy")
    with pytest.raises(bc.InputError, match="unknown metric 'acuracy': did you mean 'accuracy'"):
        scores.differences("knn", "gbm", "acuracy")
    with pytest.raises(bc.InputError, match="metric is missing: the table has several"):
        scores.differences("knn", "gbm")
    with pytest.raises(bc.InputError, match="both 'knn'"):
        scores.differences("knn", "knn", "accuracy")
    with pytest.raises(bc.InputError, match="unknown column 'data'"):
        bc.Scores(table, columns={"dataset": "data"})
    with pytest.raises(bc.InputError, match="unknown part of a score table 'datset'"):
        bc.Scores(table, columns={"datset": "dataset"})


def test_the_metric_declared_both_ways_is_named(table):
    with pytest.raises(bc.InputError, match=r"'log_loss' is declared lower-is-better and higher"):
        bc.Scores(table, lower_is_better=["accuracy", "log_loss"], higher_is_better="log_loss")


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
        "<Scores: 3 data sets, 3 algorithms, 90 rows>",
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
    assert "Scores: 3 data sets, 3 algorithms, 90 rows" in whole
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
    with pytest.raises(bc.InputError, match=r"has several, 'accuracy', 'log_loss'$"):
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


def test_a_negated_loss_is_refused(table):
    with pytest.raises(bc.InputError, match="log_loss"):
        bc.Scores(table.assign(log_loss=-table.log_loss - 0.1)).lower_is_better("log_loss")


@pytest.mark.parametrize(
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
    with pytest.raises(bc.InputError, match=r"no column \(p, q\) is a metric"):
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
        match=f"positive scores; metric 'log_loss' is 0 for dataset '{first.dataset}', algorithm "
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
    with pytest.raises(bc.InputError, match=f"fold {table.iloc[3].fold};"):
        holes.values("accuracy", rows)
