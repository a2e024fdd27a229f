"""What is compared of a table of items."""

import numpy as np
import pandas as pd
import pytest

import bayescmp as bc
from bayescmp import InputError
from bayescmp.items.answers import Answers, in_common, recognise
from tests.items.tables import TWO, answers
from tests.rows import each_row


def test_right_or_wrong_is_accuracy():
    assert str(bc.Items(TWO).direction) == "accuracy ↑"


def test_a_named_metric_keeps_its_name_and_direction():
    loss = TWO.rename(columns={"score": "log_loss"})
    assert str(bc.Items(loss).direction) == "log_loss ↓"


def test_an_unknown_direction_is_assumed_once_and_said():
    items = bc.Items(TWO.rename(columns={"score": "flair"}))
    with pytest.warns(bc.DirectionWarning, match="'flair' does not show which way"):
        items.pair("a", "b")
    items.pair("a", "b")  # without another warning, which would be an error here


def test_declarations_are_of_the_score():
    with pytest.raises(bc.InputError, match="lower_is_better must be the score, 'score'"):
        bc.Items(TWO, lower_is_better="acc")
    with pytest.raises(bc.InputError, match="metric 'score' must be declared once"):
        bc.Items(TWO, lower_is_better="score", higher_is_better="score")


def test_what_is_printed():
    table = answers({"a": [1.0, np.nan], "b": [1.0, 0.0]}, passage=["p", "p"], trial=1)
    shown = repr(bc.Items(table, missing="common"))
    assert shown.splitlines() == [
        "<Items: 2 questions of 1 benchmark, 2 models>",
        "  models: a, b",
        "  1 cluster of questions",
        "  metric: accuracy ↑",
        "  read 'passage' as cluster, 'trial' as epoch",
        "  missing: 1 score",
    ]
    assert "benchmarks: x (3), y (3)" in repr(bc.Items(TWO))
    assert "1 score" in bc.Items(table, missing="common")._repr_html_()
    judged = [answers({"a": [0.5, 0.2]}, rater=name, epoch=e) for name in "uv" for e in (1, 2)]
    first, *lines = repr(bc.Items(pd.concat([*judged, judged[0].assign(epoch=3)]))).splitlines()
    assert first == "<Items: 2 questions before 2 judges of 1 benchmark, 1 model>"
    assert "  epochs: 2 to 3, averaged" in lines


def test_nothing_can_be_set():
    with pytest.raises(AttributeError):
        bc.Items(TWO).models = ("c",)


def test_the_frame_is_the_table_with_epochs_averaged():
    twice = pd.concat([answers({"a": [1, 0]}, epoch=1), answers({"a": [0, 0]}, epoch=2)])
    frame = bc.Items(twice).frame
    assert frame["accuracy"].tolist() == [0.5, 0.0]
    assert frame["epochs"].tolist() == [2, 2]


def test_means_by_benchmark_and_model():
    expected = TWO.pivot_table(index="benchmark", columns="model", values="score")
    np.testing.assert_allclose(bc.Items(TWO).means(), expected)


@each_row("frame", [None, "items.csv", [1, 2]])
def test_what_is_no_table_is_refused(frame):
    with pytest.raises(bc.InputError, match="frame must be a DataFrame"):
        bc.Items(frame)


def test_missing_is_one_of_two():
    with pytest.raises(bc.InputError, match=r"missing must be .*\(got 'drop'\)"):
        bc.Items(TWO, missing="drop")


def read(frame):
    return Answers.read(frame, recognise(frame))


def test_the_same_item_stands_at_the_same_place():
    shuffled = TWO.iloc[[11, 3, 5, 1, 7, 9, 0, 2, 4, 6, 8, 10]]
    shared = in_common(read(shuffled), ["a", "b"], None, "error")
    pairs = sorted(zip(shared.benchmark, *shared.scores.tolist(), strict=True))
    names = read(shuffled).benchmarks
    expected = TWO.pivot(index=["benchmark", "item"], columns="model", values="score")
    own = sorted((names[b], x, y) for b, x, y in pairs)
    assert own == sorted(
        (b, x, y) for (b, _), (x, y) in zip(expected.index, expected.to_numpy(), strict=True)
    )


def test_an_item_of_one_model_only_is_refused_by_name():
    with pytest.raises(
        InputError,
        match=r"item '3' of benchmark 'y' with a score of 'a' and none "
        r"of 'b', 1 in all",
    ):
        in_common(read(TWO.iloc[:-1]), ["a", "b"], None, "error")


def test_what_only_one_has_is_left_out_and_counted():
    table = TWO.drop(index=[2, 9, 10, 11])  # item 3 of x for a, all of y for b
    shared = in_common(read(table), ["a", "b"], None, "common")
    assert shared.scores.tolist() == [[0, 0], [1, 0]]
    assert str(shared.left_out) == (
        "left out, without a score of both: 1 benchmark ('y') and 1 question"
    )


def test_nothing_in_common():
    table = TWO[(TWO["model"] == "a") == (TWO["benchmark"] == "x")]
    with pytest.raises(InputError, match="'a', 'b' must have an item in common"):
        in_common(read(table), ["a", "b"], None, "common")


def test_benchmarks_may_be_named():
    shared = in_common(read(TWO), ["a", "b"], ["y"], "error")
    assert shared.scores.tolist() == [[1, 1, 1], [0, 1, 1]]
    with pytest.raises(InputError, match=r"benchmark must be .*\(got 'z'\)"):
        in_common(read(TWO), ["a", "b"], ["z"], "error")
    with pytest.raises(InputError, match="benchmarks must name at least one"):
        in_common(read(TWO), ["a", "b"], [], "error")


def test_epochs_are_those_of_the_items_in_common():
    epochs = TWO.assign(epoch=1)
    table = read(pd.concat([epochs, epochs.iloc[[0]].assign(epoch=2)]))
    assert in_common(table, ["a", "b"], ["x"], "error").epochs == (1, 2)
    assert in_common(table, ["a", "b"], ["y"], "error").epochs == (1, 1)


THREE = answers({"a": [1, 0, 1, 1], "b": [0, 0, 1, 1], "c": [1, 1, 1, 0]})


def test_a_pair_is_of_two_known_models():
    items = bc.Items(TWO)
    with pytest.raises(bc.InputError, match="second must differ from first"):
        items.pair("a", "a")
    with pytest.raises(bc.InputError, match=r"model must be .*\(got 'c'\)"):
        items.pair("a", "c")


def test_blocks_are_items():
    blocks = bc.Items(THREE).blocks()
    assert blocks.x[..., 0].tolist() == [[1, 0, 1, 1], [0, 0, 1, 1], [1, 1, 1, 0]]
    assert (blocks.rho, blocks.algorithms, blocks.metrics) == (0, ("a", "b", "c"), ("accuracy",))


def test_blocks_are_of_one_benchmark():
    with pytest.raises(bc.InputError, match=r"benchmark must be given .* 'x', 'y'"):
        bc.Items(TWO).blocks()
    assert bc.Items(TWO).blocks("y", ["b", "a"]).x[..., 0].tolist() == [[0, 1, 1], [1, 1, 1]]


def test_models_are_two_or_more_each_once():
    for models in (["a"], ["a", "a"], []):
        with pytest.raises(bc.InputError, match="at least two, each once"):
            bc.Items(THREE).blocks(models=models)


def test_scores_are_of_benchmarks_and_items():
    scores = bc.Items(TWO).scores()
    x = scores.differences("a", "b")
    assert x.datasets == ("x", "y")
    assert [row.tolist() for row in x.x] == [[1, 0, 0], [-1, 0, 0]]
    assert x.rho.tolist() == [0, 0]


def test_scores_of_clusters_have_the_means_of_the_items():
    items = bc.Items(TWO.assign(cluster=["p", "p", "q"] * 4))
    np.testing.assert_allclose(items.scores().means(), items.means())


def test_scores_keep_the_direction():
    scores = bc.Items(TWO.rename(columns={"score": "zzz"}), lower_is_better="zzz").scores()
    assert scores.lower_is_better("zzz")


@each_row(
    ("option", "odd"),
    [("columns", 7), ("metric", 1 + 2j), ("lower_is_better", np.array([1, 2])), ("missing", {1})],
)
def test_odd_options_are_refused(option, odd):
    with pytest.raises(bc.InputError):
        bc.Items(TWO, **{option: odd})


@each_row("odd", [7, np.array([1, 2])], ids=str)
def test_odd_names_are_refused(odd):
    items = bc.Items(TWO)
    with pytest.raises(bc.InputError):
        items.pair("a", odd)
    with pytest.raises(bc.InputError):
        items.pair("a", "b", benchmarks=odd)


def test_a_column_of_means_is_no_model():
    rng = np.random.default_rng(0)
    wide = pd.DataFrame(rng.integers(0, 2, (30, 2)), columns=["a", "b"]).rename_axis("question")
    wide["Mean"] = wide.mean(axis=1)
    long = wide.reset_index().melt("question", var_name="model", value_name="score")
    for table in (wide.reset_index(), long, long.rename(columns={"model": "llm"})):
        with pytest.raises(bc.InputError, match="model 'Mean' must be left out"):
            bc.Items(table)
    for models in (["a", "b"], ["a", "b", "Mean"]):
        assert bc.Items(wide.reset_index(), columns={"model": models}).models == tuple(models)
