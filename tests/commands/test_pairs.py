"""`bayescmp compare`: two algorithms, all pairs, and answers to questions."""

import json
import re

import matplotlib
import numpy as np
import pandas as pd
import pytest

import bayescmp as bc
from bayescmp.commands.cli import main
from tests.commands.conftest import argv, compare, each, run
from tests.items.test_pair import drawn
from tests.rows import each_row


def test_compare_prints_the_whole_verdict(path, capsys):
    code, out, err = run(capsys, *compare(path, "--engine", "quadrature", "--full"))
    assert (code, err) == (0, "")
    for part in (
        "knn better",
        "equivalent",
        "gbm better",
        "±",
        "undecided",
        "odds",
        "engine",
        "quadrature",
        "diagnostics",
        "from other starts",
        "prior",
        "corani2017",
        "delta0",
    ):
        assert part in out


def test_compare_equals_the_api(path, table, capsys):
    code, out, _ = run(capsys, *compare(path, "--json", "--engine", "quadrature"))
    document = json.loads(out)
    x = bc.Scores(table).differences("knn", "gbm", "accuracy")
    posterior = bc.bayesian.hierarchical_t(x, rope=0.05, seed=1, engine="quadrature")
    assert code == 0
    assert document["verdict"]["probabilities"] == pytest.approx(posterior.verdict().probabilities)
    assert document["engine"]["name"] == "quadrature"
    assert document["diagnostics"]["exact"] is True
    assert [d["dataset"] for d in document["datasets"]] == ["iris", "wine", "digits"]
    assert document["prior"]["name"] == "corani2017"


def test_compare_writes_pictures_and_posterior(path, tmp_path, capsys):
    files = {
        o: tmp_path / f"{o}.{e}"
        for o, e in (("plot", "png"), ("shrinkage", "svg"), ("density", "pdf"), ("save", "nc"))
    }
    options = [part for o, f in files.items() for part in (f"--{o}", f)]
    code, out, _ = run(capsys, *compare(path, *options))
    assert code == 0
    for file in files.values():
        assert file.stat().st_size > 1000
        assert str(file) in out
    assert bc.load(files["save"]).names == ("knn", "gbm")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (["--rope", "-0.1"], "--rope must be a finite half-width"),
        (["--rope", "wide"], "--rope must be a half-width (0.01)"),
        (["--rho", "1.5"], "--rho must be at least 0"),
        (["--threshold", "2"], "--threshold must be"),
        (["--column", "dataset"], "PART=NAME"),
        (["--plot", "nowhere/simplex.png"], "there is no directory"),
        (["--plot", "picture.xyz"], "svgz, tif, tiff, webp (got 'picture.xyz')"),
        (["--seed", "-4"], "--seed must be"),
    ],
)
def test_bad_input_is_code_2_and_one_line(path, change, message, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    if change[0] == "--rope":
        args = [*compare(path)[:-2], f"--rope={change[1]}"]
    else:
        args = [*compare(path), *change]
        if change[0] == "ALGORITHM":
            args = ["gmb" if word == "gbm" else word for word in compare(path)]
        elif change[0] in args[:-2]:
            at = args.index(change[0])
            args = [*args[:at], *args[at + 2 :]]
    code, out, err = run(capsys, *args)
    assert (code, out) == (2, "")
    assert err.startswith("bayescmp: error: ")
    assert err.count("\n") == 1
    assert message in err


def test_one_data_set(table, tmp_path, capsys):
    table[table.dataset == "iris"].to_csv(tmp_path / "one.csv", index=False)
    args = compare(str(tmp_path / "one.csv"), "--test", "hierarchical")
    code, _, err = run(capsys, *args)
    assert code == 2
    assert "at least two data sets, which show how data sets differ (got 1)" in err
    assert "For one use --test correlated_t." in err


def test_names_are_those_that_the_file_writes(tmp_path, capsys):
    """Data sets 07 and 7 are two, and so are versions 1.10 and 1.1."""
    path = tmp_path / "scores.csv"
    rows = [
        f"{d},{a},{k},0.{k * (i + 1)}"
        for d in ("07", "7")
        for i, a in enumerate(("1.10", "1.1"))
        for k in range(1, 6)
    ]
    path.write_text("\n".join(["task,release,fold,accuracy", *rows]))
    code, out, err = run(
        capsys,
        f"compare {path} 1.10 1.1 --rope 0.01 --json "
        "--column dataset=task --column algorithm=release --engine quadrature",
    )
    assert (code, err) == (0, "")
    document = json.loads(out)
    assert document["verdict"]["names"] == ["1.10", "1.1"]
    assert (
        main(
            argv(
                f"report {path} --column dataset=task --column algorithm=release --rope 0.01 "
                f"--out {tmp_path}/r.md"
            )
        )
        == 0
    )
    assert "on 2 data sets" in (tmp_path / "r.md").read_text("utf-8")


def test_compare_all_equals_the_api_and_writes(path, table, tmp_path, capsys):
    out_file, picture = tmp_path / "verdicts.csv", tmp_path / "verdicts.png"
    ladder = tmp_path / "ladder.svg"
    code, out, err = run(
        capsys,
        f"compare {path} --metric accuracy --rope 0.05 --control knn "
        f"--test signed-rank --out {out_file} --plot {picture} --ladder {ladder}",
    )
    assert (code, err) == (0, "")
    assert re.match("knn against 2 others +accuracy ↑, ROPE ±0.05, 3 data sets\n", out)
    assert str(out_file) in out
    assert picture.stat().st_size > 1000
    assert all(f"<!-- {name} -->" in ladder.read_text() for name in ("knn", "gbm", "svm"))
    own = bc.compare_all(table, "accuracy", 0.05, control="knn", test="signed_rank", seed=1)
    written = pd.read_csv(out_file, keep_default_na=False, dtype=str)
    assert list(written.columns) == list(own.frame.columns)
    for column in ("p_left", "p_rope", "p_right", "se_left"):
        assert np.array_equal(written[column].astype(float), own.frame[column])
    assert [p.name for p in tmp_path.iterdir() if p.name.startswith(".")] == []


def test_compare_all_as_json(path, capsys):
    code, out, _ = run(
        capsys, f"compare {path} --metric accuracy --rope 0.05 --test sign --json svm knn gbm"
    )
    assert code == 0
    rows = json.loads(out)["results"]
    pairs = {frozenset((row["first"], row["second"])) for row in rows}
    assert pairs == {frozenset(p) for p in (("svm", "knn"), ("svm", "gbm"), ("knn", "gbm"))}
    assert {row["test"] for row in rows} == {"sign"}


def test_a_failing_pair_is_told(table, tmp_path, capsys):
    lost = table.drop(table[(table.dataset == "wine") & (table.algorithm == "svm")].index[:1])
    lost.to_csv(tmp_path / "lost.csv", index=False)
    code, out, err = run(
        capsys, f"compare {tmp_path}/lost.csv --metric accuracy --rope 0.05 --test sign"
    )
    assert code == 0
    assert "failed: knn and svm: both algorithms must have the same folds" in out
    assert "2 of 3 pairs could not be compared" in err


RNG = np.random.default_rng(1)
TABLE = pd.DataFrame(
    [
        {"model": m, "benchmark": b, "item": i, "correct": int(RNG.random() < p)}
        for m, p in (("a", 0.4), ("b", 0.7), ("c", 0.6))
        for b in ("x", "y", "z")
        for i in range(40)
    ]
)
PAIR = ["a", "b", "--rope", "0.02"]


@pytest.fixture
def items_path(tmp_path):
    file = tmp_path / "items.csv"
    TABLE.to_csv(file, index=False)
    return str(file)


def test_a_pair_on_one_benchmark(items_path, tmp_path, capsys):
    picture, saved = tmp_path / "p.png", tmp_path / "p.npz"
    more = ["--plot", str(picture), "--save", str(saved)]
    assert main(["compare", items_path, *PAIR, "--dataset", "x", *more]) == 0
    out = capsys.readouterr().out
    assert "Difference in accuracy" in out
    assert f"written      {picture}" in out
    assert bc.load(saved).kind == "paired_proportions"
    assert picture.stat().st_size > 1000


def test_a_pair_on_several_benchmarks(items_path, capsys):
    assert main(["compare", items_path, *PAIR, "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    own = bc.compare(bc.Items(TABLE), "a", "b", rope=0.02, seed=1).verdict()
    assert document["test"] == "hierarchical_t"
    assert document["verdict"]["probabilities"] == dict(own.probabilities)
    assert main(["compare", items_path, *PAIR, "--full"]) == 0
    assert "data: 3 benchmarks" in capsys.readouterr().out


def test_all_models(items_path, capsys):
    assert main(["compare", items_path, "--rope", "0.02", "--dataset", "y", "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert (document["test"], document["models"]) == ("groups", ["a", "b", "c"])
    assert len(document["pairs"]) == 3
    assert main(["compare", items_path, "--rope", "0.02", "--test", "bootstrap"]) == 0
    assert "Bayesian bootstrap over benchmarks" in capsys.readouterr().out


def test_all_models_are_saved_and_flips_of_two_are_written(items_path, tmp_path, capsys):
    saved, flips = tmp_path / "g.npz", tmp_path / "flips.csv"
    line = f"compare {items_path} --rope 0.02 --dataset y --save {saved}"
    assert main(argv(line)) == 0
    assert bc.load(saved).names == ("a", "b", "c")
    assert main(["compare", items_path, *PAIR, "--dataset", "x", "--flips", str(flips)]) == 0
    counts = bc.Items(TABLE).pair("a", "b", benchmarks="x").flips()["flip"].value_counts()
    assert pd.read_csv(flips)["flip"].value_counts().to_dict() == counts.to_dict()
    assert f"Flips from a to b: harmful {counts['harmful']}" in capsys.readouterr().out


def test_several_files_and_named_columns(tmp_path, capsys):
    paths = []
    for name, part in TABLE.groupby("model"):
        paths.append(str(tmp_path / f"{name}.csv"))
        part.rename(columns={"item": "nr", "correct": "loss"}).to_csv(paths[-1], index=False)
    more = ["--column", "item=nr", "--metric", "loss", "--dataset", "x"]
    assert main(["compare", paths[0], *each("also", *paths[1:]), *PAIR, *more]) == 0
    assert "loss ↓" in capsys.readouterr().out


@each_row(
    ("change", "message"),
    [
        (
            ["--column", "item"],
            "--column must be PART=NAME, e.g. item=question_number (got 'item')",
        ),
        (["--format", "inspect"], "must be in the format 'inspect'"),
        (
            ["--evals", "x.csv"],
            "--evals must be left out unless the format is 'inspect' (got a table)",
        ),
    ],
)
def test_bad_input_is_one_line(items_path, change, message, capsys):
    given = ["a", "d", "--rope", "0.02"] if change[0] == "ALGORITHM" else [*PAIR, *change]
    assert main(["compare", items_path, *given]) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.count("\n") == 1
    assert message in captured.err


def test_a_file_that_is_not_there(capsys):
    assert main(["compare", "nothing.csv", *PAIR]) == 2
    assert "does not exist" in capsys.readouterr().err


def test_an_output_does_not_overwrite_the_input(items_path, capsys):
    assert main(["compare", items_path, *PAIR, "--save", items_path]) == 2
    assert "must not overwrite" in capsys.readouterr().err


def test_several_epochs_of_each_item(tmp_path, capsys):
    """The scores of tests/items/test_pair.py, and what the package says of them."""
    table = drawn(5, 40, 3).assign(family=lambda t: t["item"] % 8, part=lambda t: t["item"] % 24)
    table.to_csv(path := tmp_path / "epochs.csv", index=False)
    flips = tmp_path / "flips.csv"
    options = ["--rope", "0.02", "a", "b"]
    more = ["--pass-hat", "2", "--own-noise", "--flips", str(flips), "--seed", "1"]
    assert main(["compare", str(path), *options, *more]) == 0
    output = " ".join(capsys.readouterr().out.split())
    items = bc.Items(table)
    assert "pass^2" in output
    assert items.noise("a", "b", seed=1).explain() in output
    kinds = pd.read_csv(flips)["flip"].value_counts()
    assert f"harmful {kinds['harmful']}, beneficial {kinds['beneficial']}." in output
    columns = ["--column", "cluster=family", "--column", "cluster=part"]
    assert main(["compare", str(path), *options, *columns, "--pass-at", "3"]) == 0
    output = capsys.readouterr().out
    assert "40 questions of 1 benchmark in 8 clusters" in " ".join(output.split())
    assert "pass@3" in output


@each_row(
    ("more", "message"),
    [
        (["--pass-hat", "2", "--pass-at", "2"], "--pass-at must be left out with --pass-hat"),
        (["--pass-hat", "4"], "must be at most 3 (got 4). Model 'a' has 3 epochs"),
        (
            ["--own-noise"],
            "--own-noise must be used with two models by their answers (got 4 models)",
        ),
    ],
)
def test_epochs_that_are_not_there(more, message, tmp_path, capsys):
    table = pd.concat([drawn(5, 40, 3), drawn(6, 40, 3).replace({"model": {"a": "c", "b": "d"}})])
    table.to_csv(path := tmp_path / "epochs.csv", index=False)
    assert main(["compare", str(path), "--rope", "0.02", *more]) == 2
    assert message in capsys.readouterr().err


def test_noise_and_flips_stand_in_the_json_and_below_the_picture(tmp_path, capsys):
    table = drawn(5, 40, 3)
    table.to_csv(path := tmp_path / "epochs.csv", index=False)
    args = ["compare", str(path), "--rope", "0.02", "--seed", "1", "--own-noise"]
    args += argv(f"--flips {tmp_path}/flips.csv --plot {tmp_path}/plot.svg --json")
    with matplotlib.rc_context({"svg.fonttype": "none"}):
        assert main(args) == 0
    printed = json.loads(capsys.readouterr().out)
    items = bc.Items(table)
    noise = items.noise("a", "b", seed=1)
    assert printed["noise"] == noise.to_dict()
    flips = items.pair("a", "b").flips()["flip"].value_counts()
    assert {k: printed["flips"][k] for k in flips.index} == flips.to_dict()
    drawn_text = (tmp_path / "plot.svg").read_text()
    for word in (
        "of the variance is between questions",
        f"harmful {flips['harmful']}, beneficial",
    ):
        assert word in drawn_text


# What is compared is found out, and options of something else are refused.


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("knn gbm --control knn", "--control must be used with all pairs of several algorithms"),
        ("--density d.png", "--density must be used with two algorithms, named after the table"),
        (
            "--test manova --metric log_loss --threshold 0.9 --scale log_ratio",
            "(got --test manova)",
        ),
        (
            "--test hotelling --metric log_loss",
            "got hotelling for 3). Use --test manova",
        ),
        ("knn", "Two algorithms or more must be named, or none (got only 'knn')"),
        ("knn gbm --pass-hat 2", "--pass-hat must be used with answers to questions (got"),
        ("--metric log_loss", "--dataset must be given, since several algorithms"),
    ],
)
def test_an_option_of_another_answer_is_refused(
    words, message, path, tmp_path, capsys, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    code, out, err = run(capsys, f"compare {path} --metric accuracy --rope 0.05 {words}")
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert message in err


def test_a_test_that_ranks_names_the_command_that_takes_it(path, capsys):
    code, _, err = run(capsys, f"compare {path} --metric accuracy --rope 0.05 --test bootstrap")
    assert code == 2
    assert main(re.search(r"`bayescmp (rank .*)`", err)[1].split()) == 0
    assert "best" in capsys.readouterr().out


def test_algorithms_may_be_named_anywhere_and_metrics_be_several(path, capsys):
    words = "--metric accuracy --rope 0.05 --dataset iris"
    answers = [
        run(capsys, f"compare {line}")
        for line in (
            f"{path} knn gbm {words}",
            f"{path} {words} knn gbm",
            f"{words} {path} knn gbm",
        )
    ]
    assert answers[0][0] == 0
    assert answers[0] == answers[1] == answers[2]
    code, out, _ = run(capsys, f"compare {path} {words} --metric log_loss --json")
    assert code == 0
    assert json.loads(out)["metrics"] == ["accuracy", "log_loss"]


def test_models_are_compared_in_pairs_with_a_control_or_by_name(items_path, capsys):
    line = f"compare {items_path} --rope 0.02 --dataset x --json"
    pairs = {
        more: {
            (row["first"], row["second"])
            for row in json.loads(run(capsys, f"{line} {more}")[1])["results"]
        }
        for more in ("--control b", "--test correlated_t")
    }
    assert pairs["--control b"] == {("b", "a"), ("b", "c")}
    assert len(pairs["--test correlated_t"]) == 3


def test_all_models_have_a_ladder_and_a_table(items_path, tmp_path, capsys):
    ladder, out = tmp_path / "ladder.svg", tmp_path / "pairs.csv"
    line = f"compare {items_path} --rope 0.02 --dataset y --ladder {ladder} --out {out}"
    code, _, err = run(capsys, line)
    assert code == 0, err
    assert all(f"<!-- {name} -->" in ladder.read_text() for name in "abc")
    own = bc.compare(bc.Items(TABLE), rope=0.02, dataset="y", seed=1).frame
    assert pd.read_csv(out)["decision"].tolist() == own["decision"].tolist()
