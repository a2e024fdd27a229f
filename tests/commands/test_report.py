"""`bayescmp report`: files, options, errors."""

from __future__ import annotations

import json
import re

import pytest

from bayescmp.commands.cli import main
from tests.commands.conftest import each
from tests.report.conftest import scores_of

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


def test_options_reach_the_report(csv, tmp_path, capsys):
    files = [tmp_path / "a.html", tmp_path / "a.tex"]
    arguments = [
        "report", csv, *each("metric", "accuracy", "log_loss"), "--rope", "accuracy=0.02",
        "--rope", "log_loss=-0.01,0.02", "--algorithm", "knn", "--algorithm", "svm",
        "--dataset", "iris", "--threshold", "0.9", "--alpha", "0.1", "--adjust", "bonferroni",
        "--seed", "7", "--title", "T & T", "--engine", "quadrature", "--prior", "benavoli2017",
        "--out", str(files[0]), "--out", str(files[1]),
    ]  # fmt: skip
    assert main(arguments) == 0
    assert capsys.readouterr().out.splitlines() == [f"written {f}" for f in files]
    actual = setting(files[0])
    assert actual["algorithms"] == ["knn", "svm"]
    assert actual["datasets"] == ["iris"]
    rope = actual["ropes"]["log_loss"]
    assert (rope["low"], rope["high"], rope["text"]) == (-0.01, 0.02, "[-0.01, 0.02]")
    assert (actual["threshold"], actual["alpha"], actual["adjust"]) == (0.9, 0.1, "bonferroni")
    assert actual["seed"] == 7
    assert "<h1>T &amp; T</h1>" in files[0].read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("more", "message"),
    [
        (["--rope", "0.02", "--metric", "acuracy"], "did you mean 'accuracy'"),
        (["--rope", "0.02", "--metric", "accuracy", "--out", "r.doc"], "accepted: .html, .md"),
        (["--rope", "0.02", "--rope", "auc=0.1"], "METRIC=ROPE"),
        (["--rope", "0.02", *each("metric", "accuracy", "auc")], "unknown metric 'auc'"),
        (["--rope", "wide", "--metric", "accuracy"], "'wide' is not a number"),
        (["--rope", "0.02", "--metric", "accuracy", "--prior", "flat"], "unknown prior 'flat'"),
    ],
)
def test_errors_are_one_line(csv, more, message, capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert main(["report", csv, *more]) == 2
    text = capsys.readouterr().err
    assert message in text
    assert text.count("\n") == 1
    assert list(tmp_path.iterdir()) == []
