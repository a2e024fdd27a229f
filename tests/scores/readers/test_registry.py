"""Whatever layout the same scores are handed in, the verdict is the same."""

from itertools import cycle

import pandas as pd
import pytest

import bayescmp as bc
from bayescmp.scores.readers.base import (
    Source,
    failures,
    from_long,
    numbers,
    parts_of,
    short_names,
)
from bayescmp.scores.readers.registry import FORMATS
from tests.rows import each_row
from tests.scores.readers.layouts import LAYOUTS, RUNS, long_table


def _differences(scores):
    metric = scores.sole_metric
    return scores.differences("knn", "svm", metric)


def _verdicts(differences):
    posteriors = [
        bc.bayesian.correlated_t(differences.row(d), rope=0.02) for d in differences.datasets
    ]
    verdicts = [p.verdict() for p in posteriors]
    return [(v.p_left, v.p_rope, v.p_right) for v in verdicts]


def _check_same(scores, table, independent):
    result = _differences(scores)
    rho = 0.0 if independent else None
    expected = bc.Scores(table).differences("knn", "svm", "accuracy", rho=rho)
    assert result.datasets == expected.datasets
    assert result.rho.tolist() == pytest.approx(expected.rho.tolist(), abs=1e-15)
    for a, b in zip(result.x, expected.x, strict=True):
        assert a == pytest.approx(b, abs=1e-12)
    for a, b in zip(_verdicts(result), _verdicts(expected), strict=True):
        assert a == pytest.approx(b, abs=1e-12)


@each_row("name", LAYOUTS)
def test_every_layout_gives_the_same_verdict(name):
    layout, options, independent = LAYOUTS[name]
    table = long_table()
    scores = bc.Scores.read(layout(table), **options)
    assert (scores.recognised == "") == (name == "table")
    _check_same(scores, table, independent)


@each_row(
    ("name", "kind"),
    list(
        zip(
            [name for name in LAYOUTS if name not in ("cross_validate", "cross_val_score")],
            cycle(["csv", "csv.gz", "tsv", "parquet"]),
            strict=False,
        )
    ),
)
def test_through_files(name, kind, tmp_path):
    layout, options, independent = LAYOUTS[name]
    table = long_table()
    path = tmp_path / f"scores.{kind}"
    frame = layout(table)
    if kind == "parquet":
        if name == "wandb":
            frame = frame.map(str)  # dicts of differing keys are no columns of Parquet
        frame.to_parquet(path)
    else:
        frame.to_csv(path, index=False, sep="\t" if kind == "tsv" else ",")
    _check_same(bc.Scores.read(path, **options), table, independent)


@each_row("name", ["mlr3", "weka", "cross_validate"])
def test_a_format_by_its_name(name):
    layout, options, independent = LAYOUTS[name]
    table = long_table()
    _check_same(bc.Scores.read(layout(table), format=name, **options), table, independent)


@each_row("name", LAYOUTS)
def test_each_source_is_known_by_one_reader(name):
    from bayescmp.scores.readers.base import Source

    source = Source.from_value(LAYOUTS[name][0](long_table()))
    known = [f.name for f in FORMATS if f.matches(source)]
    assert known == ([] if name == "table" else [name])


@each_row("name", [n for n, (_, o, _) in LAYOUTS.items() if "resampling" in o][::3])
def test_what_a_format_does_not_tell_is_asked_for(name):
    layout, options, _ = LAYOUTS[name]
    if name == "automlbenchmark":  # its folds are labelled: 6 folds of one run
        assert _differences(bc.Scores.read(layout(long_table()))).rho.tolist() == [1 / 6] * 2
        return
    left = {k: v for k, v in options.items() if k != "resampling"}
    asked = (
        "does not show how they were drawn"
        if name == "wide"
        else "give .*resampling=|resampling must"
    )
    with pytest.raises(bc.InputError, match=asked):
        _differences(bc.Scores.read(layout(long_table()), **left))


def test_what_was_recognised_is_said():
    scores = bc.Scores.read(LAYOUTS["tabarena"][0](long_table()), resampling="2x3-fold")
    assert "read as results_per_split.csv of TabArena, metric_error lower is better" in repr(
        scores
    )
    assert str(scores.direction("metric_error")) == "metric_error ↓"


def test_several_files_of_one_table(tmp_path):
    table = long_table()
    for name, part in table.groupby("algorithm"):
        part.to_csv(tmp_path / f"{name}.csv", index=False)
    scores = bc.Scores.read([tmp_path / "knn.csv", tmp_path / "svm.csv"])
    _check_same(scores, table, False)


def test_files_of_several_formats(tmp_path):
    long_table().to_csv(tmp_path / "a.csv", index=False)
    LAYOUTS["saes"][0](long_table()).to_csv(tmp_path / "b.csv", index=False)
    with pytest.raises(bc.InputError, match=r"one format.*got a table; runs of SAES"):
        bc.Scores.read([tmp_path / "a.csv", tmp_path / "b.csv"])


@each_row(
    ("source", "options", "message"),
    [
        (
            pd.DataFrame({"a": [1]}),
            {"format": "wekka"},
            r"format must be .*\(got 'wekka'\)\. Did you mean 'weka",
        ),
        (pd.DataFrame({"a": [1]}), {"format": "weka"}, "must be in the format 'weka'"),
        (
            pd.DataFrame({"a": [1]}),
            {"constraint": "1h8c"},
            r"option of a table must be .*\(got 'constraint'\)",
        ),
        (
            pd.DataFrame({"a": [1]}),
            {"lower_is_beter": "a"},
            r"table must be .*\(got 'lower_is_beter'\)\. Did you mean 'lower_is_better'",
        ),
        (object(), {}, "source must be a path, .*got an object"),
        ([], {}, r"source must be a path, .*got \[\]"),
        ({"a": {"b": [1, "x"]}}, {}, "source must be a path, .*got {'a': "),
        ("nothing.csv", {}, "'nothing.csv' must be a file of scores"),
    ],
)
def test_refused(source, options, message):
    with pytest.raises(bc.InputError, match=message):
        bc.Scores.read(source, **options)


def test_the_layouts_hold_several_runs():
    assert RUNS > 1
    assert set(LAYOUTS) - {"table"} <= {f.name for f in FORMATS}


# What readers share.


def test_sources(tmp_path):
    frame = pd.DataFrame({"a": [1], "b": [2]})
    frame.to_csv(tmp_path / "x.y.csv", index=False)
    source = Source.from_value(tmp_path / "x.y.csv")
    assert (source.name, source.columns, source.has("a", "b")) == ("x", ["a", "b"], True)
    assert Source.from_value({"a": 1}).columns == []
    assert not Source.from_value(frame).has("c")


def test_long_tables_and_their_duplicates():
    frame = pd.DataFrame({"d": [1, 1, 2, 2], "m": ["f1", "auc", "f1", "auc"], "v": range(4)})
    wide = from_long(frame, ["d"], "m", "v", "the table")
    assert wide.to_dict("list") == {"d": [1, 2], "auc": [1, 3], "f1": [0, 2]}
    with pytest.raises(bc.InputError, match=r"4 scores twice, e.g. 'f1' for d '1'"):
        from_long(pd.concat([frame, frame]), ["d"], "m", "v", "the table")


def test_short_names_stay_distinct():
    assert short_names(["a.b.C", "d.C", "e.F"]) == {"a.b.C": "a.b.C", "d.C": "d.C", "e.F": "F"}


def test_parts_by_their_last_names():
    columns = ["params.model", "params.k", "tags.data"]
    assert parts_of(columns, None, "runs") == {"algorithm": "params.model", "dataset": "tags.data"}
    assert parts_of(columns, {"fold": "k"}, "runs")["fold"] == "params.k"
    assert parts_of(columns, {"algorithm": "params.k"}, "runs")["algorithm"] == "params.k"
    with pytest.raises(bc.InputError, match=r"got 'params.k'.*columns=\{"):
        parts_of(["params.k"], None, "runs")
    with pytest.raises(bc.InputError, match=r"column must be .*\(got 'q'\)"):
        parts_of(columns, {"fold": "q"}, "runs")


def test_numbers_and_failures():
    assert numbers("fold", pd.Series(["10", "2"])).tolist() == [10, 2]
    assert numbers("fold", pd.Series(["10", "x"])).tolist() == ["10", "x"]
    assert numbers("dataset", pd.Series(["1.10", "07"])).tolist() == ["1.10", "07"]
    assert failures(pd.Series([True, False]), "why").tolist() == ["why", None]
