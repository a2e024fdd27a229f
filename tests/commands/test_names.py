"""Names that mean something else: of options, of summaries, of metrics, with signs."""

from __future__ import annotations

import re
import shlex

import numpy as np
import pandas as pd
import pytest

import bayescmp as bc
from tests.commands.conftest import run
from tests.rows import each_row


def folds(names, datasets=8, seed=1):
    """Scores of algorithms on ten folds, each later one better by 0.02."""
    rng = np.random.default_rng(seed)
    return pd.DataFrame(
        [
            (f"d{i}", name, fold, 0.6 + 0.02 * j + 0.01 * rng.normal())
            for i in range(datasets)
            for fold in range(10)
            for j, name in enumerate(names)
        ],
        columns=["dataset", "algorithm", "fold", "accuracy"],
    )


def means(*names, datasets=12):
    """One score of each algorithm on each data set."""
    columns = {name: np.linspace(0.6, 0.9, datasets) + 0.01 * j for j, name in enumerate(names)}
    return pd.DataFrame({"dataset": [f"d{i}" for i in range(datasets)], **columns})


@pytest.fixture
def named(tmp_path):
    """Write a table of folds whose algorithms have these names."""

    def write(*names, **options):
        folds(names, **options).to_csv(tmp_path / "named.csv", index=False)
        return str(tmp_path / "named.csv")

    return write


def test_an_algorithm_of_folds_may_be_called_as_a_summary(named, capsys):
    """Ranks are computed with it, as comparisons are; a column that is added is a summary."""
    path = named("knn", "p_value", "mean")
    code, out, err = run(capsys, "rank", path)
    assert (code, err) == (0, "")
    assert "mean comes first, with a mean rank of 1.000" in out
    out = run(capsys, "crosscheck", path, "--rope", "0.01")[1]
    assert "Iman-Davenport" in out
    means = bc.Scores.read(path).means()
    assert bc.frequentist.friedman(means).pvalue < 0.01
    with pytest.raises(
        bc.InputError, match="'average' of scores must be left out, since it summarises the others"
    ):
        bc.frequentist.friedman(means.assign(average=means.mean(axis=1)))


@each_row(
    "line",
    [
        "compare {} knn svm knn --rope 0.01",
        "rank {} knn svm knn",
        "crosscheck {} knn svm knn --rope 0.01",
        "plan {} knn knn --rope 0.01",
        "predictions {} knn knn",
    ],
)
def test_an_algorithm_is_named_once(named, capsys, line):
    code, _, err = run(capsys, line.format(named("knn", "svm", "gbm")))
    assert (code, err) == (2, "bayescmp: error: ALGORITHM must be given once (got 'knn' twice).\n")


@each_row(("typed", "meant"), [("0,01", "0.01"), ("1,05", "1.05")])
def test_a_decimal_comma_is_not_the_gap_of_two_bounds(named, capsys, typed, meant):
    """A ROPE of [0, 1] would make everything equivalent."""
    path = named("knn", "svm")
    code, out, err = run(capsys, "compare", path, "--rope", typed)
    assert (code, out) == (2, "")
    assert err.endswith(f"(got '{typed}'). Did you mean {meant}?\n")
    assert run(capsys, "compare", path, "--rope", meant)[0] == 0
    assert run(capsys, "compare", path, "--rope=-1,0", "--test", "sign")[0] == 0


@each_row("command", ["compare {} knn svm", "gate {} --margin 0.05"])
@each_row(("datasets", "test"), [(8, "sign")])
@each_row("option", ["--prior corani2017", "--engine gibbs"])
def test_an_option_that_the_test_lacks_is_refused_as_typed(
    named, capsys, command, datasets, test, option
):
    """Not as a wrong value of what Python takes under the same name."""
    line = command.format(named("knn", "svm", "gbm", datasets=datasets))
    given = "--baseline knn --candidate svm" if "gate" in line else "--rope 0.1"
    code, out, err = run(capsys, f"{line} {given} --test {test} {option}")
    assert (code, out) == (2, "")
    assert f"{option.split()[0]} must be left out for the test {test}.\n" in err


@each_row(
    ("table", "line", "typed"),
    [
        (folds(["knn", "svm", "gbm"], 1), "rank {} --rope 0.01", "compare"),
        (folds(["knn", "svm", "gbm"], 1), "rank {} --metric accuracy", "procedure"),
        (folds(["k, 1", "svm", "gbm"]), "rank {} 'k, 1' svm --metric accuracy", "crosscheck"),
        (means("knn", "svm"), "procedure {}", "crosscheck"),
        (
            folds(["knn", "svm", "gbm"]).assign(f1=lambda t: 1 - t["accuracy"]),
            "compare {} --metric accuracy --metric f1 --rope 0.01",
            "crosscheck",
        ),
        (folds(["knn", "svm"], 1), "plan {} --rope 0.01", "--delta0, --sigma0 and --rho"),
        (means("knn", "svm", "gbm"), "rank {} --test joint_t --rope 0.01", "--test bootstrap"),
    ],
)
def test_another_command_that_is_named_works(table, line, typed, tmp_path, capsys):
    """It is typed as printed, and runs on the same table."""
    table.to_csv(tmp_path / "a table.csv", index=False)
    words = shlex.split(line.format(shlex.quote(str(tmp_path / "a table.csv"))))
    code, _, err = run(capsys, "", *words)
    assert code == 2
    advice = re.search(r"use `bayescmp (.*)`\.$", err, re.IGNORECASE | re.MULTILINE)
    if advice is None:
        assert typed in err
        return
    assert advice[1].startswith(typed)
    assert run(capsys, "", *shlex.split(advice[1]))[0] == 0


def test_simulations_are_for_plans_of_data_sets(tmp_path, capsys):
    """Questions are planned in closed form: a number of simulations would be ignored."""
    rng = np.random.default_rng(0)
    answers = pd.DataFrame(rng.integers(0, 2, (60, 2)), columns=["gpt", "claude"])
    answers.rename_axis("question").reset_index().to_csv(tmp_path / "q.csv", index=False)
    for option in ("simulations", "n-jobs"):
        code, _, err = run(capsys, f"plan {tmp_path}/q.csv --rope 0.01 --{option} 3")
        assert code == 2
        assert err.endswith(f"--{option} must be used with several benchmarks (got one).\n")


def test_files_that_a_test_lacks_are_not_offered(named, capsys):
    path = named("knn", "svm", "gbm")
    out = run(capsys, f"rank {path} --test page --order knn --order svm --order gbm")[1]
    assert out.endswith("more: --full, --json\n")


def test_a_correlation_is_of_folds(tmp_path, capsys):
    """It would be ignored for one score per data set."""
    means("knn", "svm").to_csv(tmp_path / "means.csv", index=False)
    for command in ("compare", "crosscheck", "plan", "sensitivity"):
        code, _, err = run(capsys, f"{command} {tmp_path}/means.csv --rope 0.01 --rho 0.1")
        assert code == 2
        assert err.endswith(
            "--rho must be used with scores of folds (got one score per data set).\n"
        )


def test_a_missing_score_is_reported_once_and_a_missing_run_within_the_line(
    named, tmp_path, capsys
):
    """A gap in a run stops the work before it begins; pairs without a run are left out."""
    table = pd.read_csv(named("knn", "svm", "gbm"))
    path = tmp_path / "gaps.csv"
    table.assign(accuracy=table["accuracy"].where(table.index != 3)).to_csv(path, index=False)
    code, out, err = run(capsys, f"compare {path} --rope 0.01")
    assert (code, out) == (2, "")
    assert err.count("\n") == 1
    assert run(capsys, f"compare {path} --rope 0.01 --missing common")[0] == 0
    lost = (table["dataset"] == "d3") & (table["algorithm"] == "svm")
    table[~lost].to_csv(path, index=False)
    code, out, err = run(capsys, f"compare {path} --rope 0.01")
    assert code == 0
    assert "\nfailed: knn and svm: both algorithms must have the same folds" in out
    assert max(map(len, out.splitlines())) <= 80


def test_tests_on_each_data_set_are_not_listed_as_algorithms(named, tmp_path, capsys):
    """With several metrics and no costs there is no ranking: the rows are data sets."""
    table = pd.read_csv(named("knn", "svm", "gbm"))
    noise = np.random.default_rng(2).normal(0, 0.01, len(table))
    table.assign(f1=1 - table["accuracy"] + noise).to_csv(tmp_path / "two.csv", index=False)
    out = run(capsys, f"procedure {tmp_path}/two.csv --metric accuracy --metric f1")[1]
    assert re.search(r"^dataset +method", out, re.MULTILINE)
    assert "algorithm  dataset" not in out


def test_one_area_is_not_the_largest(tmp_path, capsys):
    path = tmp_path / "predictions.csv"
    pd.DataFrame({"truth": [0, 1] * 5, "knn": np.linspace(0, 1, 10)}).to_csv(path, index=False)
    assert run(capsys, f"predictions {path}")[1].startswith("Area under the ROC curve of knn")


def test_a_page_on_questions_is_html(tmp_path, capsys):
    rng = np.random.default_rng(0)
    answers = pd.DataFrame(rng.integers(0, 2, (60, 2)), columns=["gpt", "claude"])
    answers.rename_axis("question").reset_index().to_csv(tmp_path / "q.csv", index=False)
    code, _, err = run(capsys, f"report {tmp_path}/q.csv --rope 0.01 --out {tmp_path}/r.md")
    assert code == 2
    assert "--out must be one file that ends in .html" in err


def test_long_names_stay_within_the_line(named, capsys):
    """Also where a line under each group takes the place of a table."""
    names = ["x" * 60 + " and so on" * 9, "svm", "é" * 70]
    path = named(*names)
    for line in (
        "rank {}",
        "rank {} --rope 0.01",
        "compare {} --rope 0.01",
        "crosscheck {} --rope 0.01",
    ):
        code, out, _ = run(capsys, line.format(path))
        assert code == 0
        assert max(map(len, out.splitlines())) <= 80


@pytest.mark.parametrize(
    "line",
    [
        "compare {} --plot",
        "rank {} --diagram",
        "procedure {} --wins",
        "sensitivity {} --rope 0.01 --plot",
    ],
)
def test_a_figure_is_refused_before_the_work(named, tmp_path, capsys, monkeypatch, line):
    """By the option that names it, not as "path" once all is computed."""
    words = [*line.format(named("knn", "svm", "gbm")).split(), str(tmp_path / "f.txt")]
    monkeypatch.setattr(bc.Scores, "read", None)
    code, _, err = run(capsys, "", *words)
    assert code == 2
    assert f" {words[-2]} must be a figure that ends in " in err
    assert run(capsys, "", *words[:-1], str(tmp_path / "no" / "f.png"))[0] == 2


def test_a_missing_file_may_have_an_equals_sign(tmp_path, capsys):
    """It is not a log that is given the name before the sign."""
    code, _, err = run(capsys, f"compare {tmp_path}/lr=1e-3.csv")
    assert code == 2
    assert err.endswith(
        "lr=1e-3.csv' must be a file of scores (got a path that does not exist).\n"
    )


def test_an_unused_column_may_name_the_data_sets(named, tmp_path, capsys):
    table = pd.read_csv(named("knn", "svm")).rename(columns={"dataset": "corpus id"})
    table.to_csv(tmp_path / "unused.csv", index=False)
    code, _, err = run(capsys, f"compare {tmp_path}/unused.csv")
    assert code == 2
    advice = re.search(r"If it names the data sets: (.*)\.$", err)[1]
    assert advice == "--column 'dataset=corpus id'"
    code, out, _ = run(capsys, f"compare {tmp_path}/unused.csv", *shlex.split(advice))
    assert code == 0
    assert "8 data sets" in out


def test_a_difference_of_proportions_is_in_the_metric_that_was_read(tmp_path, capsys):
    rng = np.random.default_rng(0)
    answers = pd.DataFrame(rng.integers(0, 2, (60, 2)), columns=["gpt", "claude"])
    answers.rename_axis("question").reset_index().to_csv(tmp_path / "q.csv", index=False)
    line = f"compare {tmp_path}/q.csv --rope 0.01 --metric refused --lower-is-better refused"
    code, out, _ = run(capsys, line)
    assert code == 0
    assert "Difference in refused: " in out
    assert "accuracy" not in out
    assert "Difference in accuracy: " in run(capsys, f"compare {tmp_path}/q.csv --rope 0.01")[1]


def test_values_of_each_metric_or_data_set_are_refused_as_typed(tmp_path, capsys):
    means("knn", "svm", "gbm").to_csv(tmp_path / "means.csv", index=False)
    line = f"rank {tmp_path}/means.csv --rope 0.01 --test"
    for test, option in (("bootstrap", "weight"), ("leaderboard", "questions")):
        code, _, err = run(capsys, f"{line} {test} --{option} d0=5")
        assert code == 2
        assert f" --{option} must be one number, or one for each of d0, " in err
    table = folds(["knn", "svm"]).assign(f1=lambda t: t["accuracy"])
    table.to_csv(tmp_path / "two.csv", index=False)
    ropes = "--rope 0.01 --rope 0.02 --rope 0.03"
    _, _, err = run(capsys, f"compare {tmp_path}/two.csv --metric accuracy --metric f1 {ropes}")
    assert err.endswith("Use --rope METRIC=ROPE.\n")
    assert max(map(len, run(capsys, "info formats")[1].splitlines())) <= 80
