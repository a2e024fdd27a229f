"""`bayescmp estimate`: what it prints, writes and refuses."""

import json
import shlex

import pandas as pd
import pytest

import bayescmp as bc
from bayescmp.commands.cli import main
from tests.commands.conftest import answer_of, run
from tests.rows import each_row


def test_a_table_has_the_means_of_the_api(path, table, tmp_path, capsys):
    out_file, picture = tmp_path / "means.csv", tmp_path / "means.png"
    code, out, err = run(
        capsys, f"estimate {path} --metric accuracy --out {out_file} --plot {picture}"
    )
    assert (code, err) == (0, "")
    own = bc.estimate(bc.Scores(table), metric="accuracy")
    assert answer_of(own) in out.replace("`bayescmp compare`", "bayescmp.compare")
    written = pd.read_csv(out_file)
    assert written["mean"].tolist() == pytest.approx(own.frame["mean"].tolist())
    assert picture.stat().st_size > 1000


def test_counts_are_typed_or_a_table(tmp_path, capsys):
    typed = run(capsys, "estimate old=14/20 new=17/20 --json")
    (tmp_path / "c.csv").write_text("model,successes,trials\nold,14,20\nnew,17,20\n")
    read = run(capsys, "estimate", tmp_path / "c.csv", "--json")
    for code, out, err in (typed, read):
        assert (code, err) == (0, "")
        rows = json.loads(out)["estimates"]
        assert [row["name"] for row in rows] == ["old", "new"]
        assert rows[1]["low"] == pytest.approx(0.6514223, abs=1e-7)


@each_row(
    ("line", "message"),
    [
        ("21/20", "at most as many successes as trials (got 21/20)"),
        ("85%", "A proportion does not show the number of trials. Write 17/20"),
        ("17/20 --level 95", "--level must be a number between 0 and 1, exclusive (got 95)"),
        ("17/20 --metric accuracy", "--metric must be used with a table (got counts, 17/20)"),
        ("nothing.csv", "does not exist"),
    ],
)
def test_wrong_turns_are_one_line(line, message, capsys):
    code, out, err = run(capsys, f"estimate {line}")
    assert (code, out) == (2, "")
    assert message in err
    assert err.count("\n") == 1


def test_one_algorithm_is_sent_here_and_the_hint_works(path, capsys):
    code, _, err = run(capsys, f"compare {path} knn --metric accuracy --rope 0.01")
    assert code == 2
    words = shlex.split(err.partition("For only one use ")[2])
    assert main(words[1:]) == 0
    assert "knn: mean accuracy" in capsys.readouterr().out
