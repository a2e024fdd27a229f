"""Scores: reading, validation, pairing, rho from fold labels."""

from __future__ import annotations

import io
from inspect import Parameter, signature

import numpy as np
import pandas as pd
import pytest

import bayescmp as bc


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
        "Data Set": "dataset", "classifier": "algorithm", "run": "repeat", "split": "fold",
    }  # fmt: skip
    assert "'classifier' as algorithm" in repr(scores)
    same = scores.differences("knn", "gbm", "accuracy")
    assert np.array_equal(
        same.matrix, bc.Scores(table).differences("knn", "gbm", "accuracy").matrix
    )


def test_pairs_by_labels_and_never_by_position(table):
    """A shuffled table gives the same differences, computed here by pandas' own merge."""
    shuffled = table.sample(frac=1, random_state=3)
    differences = bc.Scores(shuffled).differences("knn", "gbm", "accuracy")
    keys = ["dataset", "repeat", "fold"]
    merged = table[table.algorithm == "knn"].merge(table[table.algorithm == "gbm"], on=keys)
    expected = (merged.accuracy_y - merged.accuracy_x).groupby(merged.dataset).mean()
    assert dict(zip(differences.datasets, differences.means, strict=True)) == pytest.approx(
        dict(expected)
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


def test_rho_from_sizes_of_random_splits(table):
    splits = table[table.fold == 1].assign(n_test=10, n_train=90)
    differences = bc.Scores(splits).differences("knn", "gbm", "accuracy")
    assert differences.rho == pytest.approx([0.1] * 3)
    assert differences.resolution == pytest.approx([0.1] * 3)


def test_a_single_fold_asks_for_rho(table):
    splits = bc.Scores(table[table.fold == 1])
    with pytest.raises(bc.InputError, match=r"single fold.*say how.*or rho"):
        splits.differences("knn", "gbm", "accuracy")
    assert splits.differences("knn", "gbm", "accuracy", rho=0.1).rho.tolist() == [0.1] * 3


def test_incomplete_repeats_ask_for_rho(table):
    partial = table[~((table.dataset == "iris") & (table.repeat == 2) & (table.fold == 5))]
    with pytest.raises(bc.InputError, match="'iris' has repeats of 4 to 5 folds"):
        bc.Scores(partial).differences("knn", "gbm", "accuracy")


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


@pytest.mark.parametrize("ending", [".csv", ".csv.gz", ".tsv", ".parquet"])
def test_files(table, tmp_path, ending):
    path = tmp_path / f"scores{ending}"
    if ending == ".parquet":
        table.to_parquet(path)
    else:
        table.to_csv(path, index=False, sep="\t" if ending == ".tsv" else ",")
    differences = bc.Scores.read(path).differences("knn", "svm", "accuracy")
    assert np.allclose(
        differences.matrix, bc.Scores(table).differences("knn", "svm", "accuracy").matrix
    )


def test_inputs_are_not_modified(table):
    before = table.copy()
    bc.Scores(table).differences("knn", "gbm", "accuracy")
    pd.testing.assert_frame_equal(table, before)


# -- bad input ---------------------------------------------------------------------------------


def test_duplicate_rows(table):
    doubled = pd.concat([table, table.iloc[[4]]])
    with pytest.raises(
        bc.InputError, match="1 duplicate row: dataset 'iris', algorithm 'knn', repeat 1, fold 5"
    ):
        bc.Scores(doubled)


def test_several_scores_without_fold_labels(table):
    with pytest.raises(bc.InputError, match="need repeat and fold columns"):
        bc.Scores(table.drop(columns=["repeat", "fold"]))


def test_missing_fold_on_one_side(table):
    partial = table[
        ~((table.dataset == "digits") & (table.algorithm == "gbm") & (table.fold == 2))
    ]
    with pytest.raises(
        bc.InputError,
        match="folds don't pair: dataset 'digits', algorithm 'knn', repeat 1, fold 2 has no "
        "partner among the scores of 'gbm' \\(2 such\\)",
    ):
        bc.Scores(partial).differences("knn", "gbm", "accuracy")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda t: t.drop(columns="algorithm"), "no column for the algorithm"),
        (lambda t: t[["dataset", "algorithm", "repeat", "fold"]], "no column of numbers"),
        (lambda t: t.iloc[:0], "no rows"),
        (lambda t: pd.concat([t, t[["accuracy"]]], axis=1), "two columns named 'accuracy'"),
        (lambda t: t.assign(fold=[None, *t.fold[1:]]), "'fold' is empty in row 0"),
        (lambda t: t.to_numpy(), "frame is ndarray; accepted: a pandas DataFrame"),
    ],
)
def test_bad_tables(table, change, message):
    with pytest.raises(bc.InputError, match=message):
        bc.Scores(change(table))


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "is empty"),
        (b"dataset,algorithm,repeat,fold,accuracy\n", "header but no rows"),
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
    with pytest.raises(bc.InputError, match="is a directory"):
        bc.Scores.read(tmp_path)
    (tmp_path / "fake.parquet").write_bytes(b"no parquet")
    with pytest.raises(bc.InputError, match="cannot be read as a table"):
        bc.Scores.read(tmp_path / "fake.parquet")


def test_text_in_a_metric_column_names_the_cell_and_no_other_metric_takes_its_place():
    text = "dataset,algorithm,fold,accuracy,f1\na,x,1,0.5,oops\na,y,1,0.6,0.7\n"
    with pytest.raises(bc.InputError, match="column 'f1' holds text in row 0: 'oops'"):
        bc.Scores(pd.read_csv(io.StringIO(text)))


def test_a_named_metric_is_the_only_one_kept_of_a_long_table(table):
    scores = bc.Scores(table, metric="log_loss")
    assert scores.metrics == ("log_loss",)
    assert "accuracy" not in scores.frame
    with pytest.raises(bc.InputError, match=r"metric 'nonsense'.*'accuracy'"):
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
        "up": (False, False), "down": (True, False), "cost": (True, False), "gain": (True, False),
    }  # fmt: skip
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
        ({"datasets": []}, "^datasets is empty; name at least one"),
        ({"algorithms": []}, "^algorithms is empty; name at least one"),
        ({"datasets": ["wines"]}, "unknown data set 'wines': did you mean 'wine'"),
        ({"algorithms": ["gmb"]}, "unknown algorithm 'gmb': did you mean 'gbm'"),
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


@pytest.mark.parametrize(
    ("function", "by_place"),
    [
        (bc.Scores, 1), (bc.Scores.read, 2), (bc.Scores.from_cv_results, 1),
        (bc.Scores.from_means, 1), (bc.Scores.replaced, 2), (bc.Scores.differences, 4),
        (bc.Scores.select, 1), (bc.scores_blocks, 1),
    ],
)  # fmt: skip
def test_options_are_given_by_name(function, by_place):
    """And what is not an option by either."""
    kinds = [p.kind for p in signature(function).parameters.values()]
    assert kinds[:by_place] == [Parameter.POSITIONAL_OR_KEYWORD] * by_place
    assert set(kinds[by_place:]) <= {Parameter.KEYWORD_ONLY, Parameter.VAR_KEYWORD}
