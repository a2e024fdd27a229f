"""`bayescmp crosscheck` and `report`: files, options, errors."""

import json
import re

import pandas as pd
import pytest

import bayescmp as bc
from bayescmp.commands.cli import main
from tests.commands.conftest import answer_of, argv, each
from tests.report.conftest import scores_of
from tests.rows import each_row

pytestmark = pytest.mark.usefixtures("without_pictures")


@pytest.fixture(scope="module")
def csv(tmp_path_factory):
    path = tmp_path_factory.mktemp("scores") / "scores.csv"
    scores_of(("knn", "gbm", "svm"), ("iris", "wine")).frame.to_csv(path, index=False)
    return str(path)


def setting(path):
    match = re.search(r'id="bayescmp-data">(.*?)</script>', path.read_text(encoding="utf-8"))
    return json.loads(match.group(1))["setting"]


def test_writes_a_report(csv, tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert main(["report", csv, "--rope", "0.02", "--metric", "accuracy"]) == 0
    assert capsys.readouterr().out == "written report.html\n"
    assert setting(tmp_path / "report.html")["seed"] == 1


def test_plots_go_into_a_folder(csv, tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    given = f"report {csv} --rope 0.02 --metric accuracy knn svm"
    assert main(argv(f"{given} --figures figures")) == 0
    assert capsys.readouterr().out == "written report.html\nwritten plots in figures\n"
    assert any((tmp_path / "figures").iterdir())


def test_options_reach_the_report(csv, tmp_path, capsys):
    files = [tmp_path / "a.html", tmp_path / "a.tex"]
    arguments = [
        "report",
        csv,
        *each("metric", "accuracy", "log_loss"),
        *argv(
            "--rope accuracy=0.02 --rope log_loss=-0.01,0.02 knn "
            "svm --dataset iris --threshold 0.9 --alpha 0.1 "
            "--adjust bonferroni --seed 7 --title"
        ),
        "T & T",
        *argv("--engine quadrature --prior benavoli2017 --out"),
        str(files[0]),
        "--out",
        str(files[1]),
    ]
    assert main(arguments) == 0
    assert capsys.readouterr().out.splitlines() == [f"written {f}" for f in files]
    actual = setting(files[0])
    assert actual["algorithms"] == ["knn", "svm"]
    assert actual["datasets"] == ["iris"]
    rope = actual["ropes"]["log_loss"]
    assert (rope["low"], rope["high"], rope["text"]) == (-0.01, 0.02, "[−0.01, 0.02]")
    assert (actual["threshold"], actual["alpha"], actual["adjust"]) == (0.9, 0.1, "bonferroni")
    assert actual["seed"] == 7
    assert "<h1>T &amp; T</h1>" in files[0].read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("more", "message"),
    [
        (["--rope", "0.02", "--metric", "accuracy", "--out", "r.doc"], "must end in .html, .md"),
        (["--rope", "0.02", "--rope", "auc=0.1"], "METRIC=ROPE"),
        (["--rope", "wide", "--metric", "accuracy"], "(-0.01,inf) (got 'wide')"),
    ],
)
def test_errors_are_one_line(csv, more, message, capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert main(["report", csv, *more]) == 2
    text = capsys.readouterr().err
    assert message in text
    assert text.count("\n") == 1
    assert list(tmp_path.iterdir()) == []


# The command "crosscheck".


def crosscheck(csv, *more):
    names = ["knn", "svm"]
    return ["crosscheck", csv, *names, "--metric", "accuracy", "--rope", "0.02", *map(str, more)]


def test_crosscheck_prints_what_the_function_finds(csv, capsys):
    check = bc.crosscheck(
        bc.Scores.read(csv), "accuracy", rope=0.02, algorithms=["knn", "svm"], seed=1
    )
    assert main(crosscheck(csv)) == 0
    asked = "more: --full, --json; --out FILE"
    assert capsys.readouterr().out == f"{answer_of(check)}\n{asked}\n"
    assert main(crosscheck(csv, "--json")) == 0
    document = json.loads(capsys.readouterr().out)
    assert document.pop("recipe")["command"] == "crosscheck"
    assert document == check.to_dict()


def test_options_reach_the_crosscheck(csv, tmp_path, capsys):
    more = [
        *argv("--metric log_loss --dataset iris --threshold"),
        0.9,
        "--alpha",
        0.1,
        *argv("--adjust bonferroni --rho"),
        0.3,
        "--seed",
        7,
    ]
    out = tmp_path / "all.csv"
    assert main([*crosscheck(csv, *more, "--out", out)]) == 0
    assert capsys.readouterr().out.splitlines()[-1] == f"written {out}"
    assert main([*crosscheck(csv, *more, "--json")]) == 0
    answer = json.loads(capsys.readouterr().out)
    expected = {
        "algorithms": ["knn", "svm"],
        "datasets": ["iris"],
        "threshold": 0.9,
        "seed": 7,
        "metrics": ["accuracy", "log_loss"],
        "joint": ["accuracy", "log_loss"],
        "alpha": 0.1,
        "adjust": "bonferroni",
    }
    assert {key: answer[key] for key in expected} == expected
    assert "rho 0.3" in answer["rows"][0]["resampling"]
    written = pd.read_csv(out)["pvalue"]
    assert list(written) == pytest.approx([row["pvalue"] for row in answer["rows"]], rel=1e-12)


def test_all_algorithms_are_crosschecked_if_none_are_named(csv, capsys):
    given = ["crosscheck", csv, "--metric", "accuracy", "--rope", "0.02", "--dataset", "iris"]
    assert main([*given, "--json"]) == 0
    assert len(json.loads(capsys.readouterr().out)["algorithms"]) == 3


@each_row(
    ("more", "message"),
    [
        (["--rope", "auc=0.1"], "METRIC=ROPE"),
        (["--unpaired", "--rho", "0.1"], "--unpaired must be without --rho and --scale"),
        (["--threshold", "0.2"], "over 0.5 and at most 1"),
    ],
)
def test_crosscheck_errors_are_one_line(csv, more, message, capsys):
    assert main(crosscheck(csv, *more)) == 2
    text = capsys.readouterr().err
    assert message in text
    assert text.count("\n") == 1
