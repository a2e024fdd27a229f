"""Tables of means with standard errors: every layout is read alike, other spreads are refused."""

from __future__ import annotations

import re
import shlex

import numpy as np
import pandas as pd
import pytest

import bayescmp as bc
from bayescmp.commands.cli import main
from tests.rows import each_row

DATASETS = ["iris", "wine", "car"]
MEANS = np.array([[0.95, 0.97], [0.81, 0.80], [0.70, 0.75]])
ERRORS = np.array([[0.01, 0.02], [0.03, 0.01], [0.02, 0.02]])

LONG = pd.DataFrame(
    {
        "dataset": np.repeat(DATASETS, 2),
        "algorithm": ["knn", "svm"] * 3,
        "accuracy": MEANS.ravel(),
        "se": ERRORS.ravel(),
    }
)
WIDE = pd.DataFrame(
    {"dataset": DATASETS, "knn": MEANS[:, 0], "svm": MEANS[:, 1],
     "knn_se": ERRORS[:, 0], "svm_se": ERRORS[:, 1]}
)  # fmt: skip
CELLS = LONG.assign(
    accuracy=[f"{m} ± {e}" for m, e in zip(LONG["accuracy"], LONG["se"], strict=True)]
).drop(columns="se")

#: The same means and errors, and the options that read them.
LAYOUTS = {
    "wide, means named": (WIDE.rename(columns={"knn": "knn_mean", "svm": "svm_mean"}),
                          {"errors": "se"}),
    "cells": (CELLS, {"errors": "±"}),
    "wide cells": (CELLS.pivot(index="dataset", columns="algorithm", values="accuracy")
                   .reset_index(), {"errors": "±"}),
    "deviations of four runs": (LONG.assign(se=2 * LONG["se"]).rename(columns={"se": "std"}),
                                {"deviations": "std", "runs": 4}),
    "deviations and runs": (WIDE.assign(knn_se=2 * WIDE["knn_se"], svm_se=3 * WIDE["svm_se"],
                                        knn_n=4, svm_n=9)
                            .rename(columns={"knn_se": "knn_sd", "svm_se": "svm_sd"}),
                            {"deviations": "sd", "runs": "n"}),
}  # fmt: skip


@each_row(("table", "options"), LAYOUTS.values(), ids=LAYOUTS)
def test_every_layout_is_read_alike(table, options, tmp_path):
    table.to_csv(path := tmp_path / "means.csv", index=False)
    for means in (
        bc.Means(table, higher_is_better=["score"] if "accuracy" not in table else (), **options),
        bc.Means.read(path, metric="accuracy", **options),
    ):
        pair = means.pair("knn", "svm", datasets=DATASETS)
        assert pair.means == pytest.approx(MEANS)
        assert pair.errors == pytest.approx(ERRORS)
    if "deviations" in options:
        assert means.runs.loc["iris", "knn"] == 4


def test_names_that_end_in_average_are_kept():
    names = {"knn": "seed average", "knn_se": "seed average_se", "svm": "a (mean)",
             "svm_se": "a (mean)_se"}  # fmt: skip
    assert bc.Means(WIDE.rename(columns=names), errors="se").algorithms == (
        "seed average",
        "a (mean)",
    )


def test_lower_is_better_turns_the_means():
    table = LONG.rename(columns={"accuracy": "rmse"})
    pair = bc.Means(table, errors="se").pair("knn", "svm")
    assert pair.difference == pytest.approx(MEANS[:, 0] - MEANS[:, 1])


def test_one_data_set_needs_no_name():
    table = pd.DataFrame({"knn": [0.8], "knn_se": [0.01], "svm": [0.9], "svm_se": [0.02]})
    assert bc.Means(table, errors="se", metric="accuracy").pair("knn", "svm").q == 1


#: What is refused, and with which words.
WRONG = {
    "no errors": (LONG, {}, "errors must be given for means"),
    "deviations as errors": (LONG.rename(columns={"se": "std"}), {"errors": "std"},
                             "errors must be standard errors of means"),
    "errors as deviations": (LONG, {"deviations": "se", "runs": 4},
                             "deviations must be standard deviations of single runs"),
    "deviations alone": (LONG.rename(columns={"se": "sd"}), {"deviations": "sd"},
                         "runs must be given with deviations"),
    "variances": (LONG.rename(columns={"se": "var"}), {"errors": "var"}, "Use its square root"),
    "an unknown column": (LONG, {"errors": "sem"}, "column of errors must be .*'sem'"),
    "no error of one": (WIDE.drop(columns="svm_se"), {"errors": "se"},
                        "algorithm 'svm' must have a column of errors"),
    "an empty error": (LONG.assign(se=[0.1, np.nan] * 3), {"errors": "se"}, "must have numbers"),
    "a cell without an error": (CELLS.replace("0.95 ± 0.01", "0.95"), {"errors": "±"},
                                "must have a mean and an error in each cell"),
    "no cells": (LONG, {"errors": "±"}, "the table must have means with errors"),
    "folds": (LONG.assign(fold=1), {"errors": "se"}, "frame must have one row for each"),
    "two rows of one": (pd.concat([LONG, LONG]), {"errors": "se"}, "duplicate rows"),
    "one run": (LONG, {"errors": "se", "runs": 1}, "One run has no standard error"),
    "a mean too few": (LONG[1:], {"errors": "se"}, "'knn' must have a mean on each data set"),
}  # fmt: skip


@each_row(("table", "options", "message"), WRONG.values(), ids=WRONG)
def test_what_is_no_table_of_means_with_errors_is_refused(table, options, message):
    with pytest.raises(bc.InputError, match=message):
        bc.compare(bc.Means(table, **options), "knn", "svm")


@each_row(
    ("table", "words"),
    [
        (LONG, ["--errors se"]),
        (LONG.rename(columns={"se": "std"}), ["--deviations std --runs 5"]),
        (CELLS, ["--errors '±'"]),
        (WIDE, ["--errors se"]),
        (WIDE.rename(columns={"knn_se": "knn_std", "svm_se": "svm_std"}),
         ["--deviations std --runs 5"]),
    ],
    ids=["long", "deviations", "cells", "wide", "wide deviations"],
)  # fmt: skip
@pytest.mark.filterwarnings("ignore::bayescmp.errors.DirectionWarning")  # of a wide table
def test_a_command_without_errors_names_the_option_that_reads_them(table, words, tmp_path, capsys):
    table.to_csv(path := tmp_path / "means.csv", index=False)
    command = ["compare", str(path), "knn", "svm"]
    assert main(command) == 2
    message = capsys.readouterr().err
    (option,) = words
    assert option in message
    assert main([*command, *shlex.split(option)]) == 0
    assert "not paired: independent means" in " ".join(capsys.readouterr().out.split())


def test_errors_on_the_command_line(tmp_path, capsys):
    LONG.to_csv(path := tmp_path / "means.csv", index=False)
    gate = ["gate", str(path), "--baseline", "knn", "--candidate", "svm", "--margin", "0.02"]
    assert main([*gate, "--errors", "se"]) in (0, 1, 3)
    assert "3 data sets, with means and standard errors" in " ".join(
        capsys.readouterr().out.split()
    )
    assert main(["sensitivity", str(path), "--errors", "se", "--rope", "0.01"]) == 0
    capsys.readouterr()
    pair = ["compare", str(path), "knn", "svm"]
    for more, message in (
        (["--errors", "sd"], "--deviations sd --runs 5"),
        (["--runs", "5"], "--runs must be used with --errors or --deviations"),
        (["--errors", "se", "--rho", "0.1"], "--rho must be left out for means with errors"),
        (["--errors", "se", "--resampling", "10-fold"], "--resampling must be used with single"),
        (["--errors", "se", "--test", "signed-rank"], r"Bayesian test must be"),
        (["--errors", "se", "--metric", "f1"], "f1"),
    ):
        assert main([*pair, *more]) == 2
        assert re.search(re.escape(message), capsys.readouterr().err)


@each_row("runs", [2, 5, 20])
def test_equal_errors_have_all_degrees_of_freedom_whatever_their_size(runs):
    """Welch's are 2 (runs − 1), which rounding must not take below the whole number."""
    errors = np.tile(np.linspace(0.001, 1, 500)[:, None], 2)
    x = bc.MeanDifferences(means=np.zeros((500, 2)), errors=errors, runs=runs)
    assert set(x.statistics().n.tolist()) == {2 * (runs - 1) + 1}
