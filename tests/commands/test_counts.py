"""Counts on the command line: typed, in tables, by data set, and wrong turns."""

import json

import pytest

import bayescmp as bc
from tests.commands.conftest import answer_of, run
from tests.rows import each_row

TABLE = """task,model,correct,total
x,a,14,20
x,b,17,20
y,a,5,10
y,b,9,10
z,a,30,50
z,b,31,40
u,a,8,10
u,b,9,10
v,a,12,20
v,b,15,20
q,a,7,10
q,b,6,10
r,a,3,9
r,b,8,20
w,a,4,10
w,b,6,10
"""


@pytest.fixture
def counts(tmp_path):
    (tmp_path / "counts.csv").write_text(TABLE)
    return str(tmp_path / "counts.csv")


def test_typed_counts_are_compared_as_in_python(capsys):
    """The same numbers, with and without a ROPE, as text and as JSON."""
    code, out, err = run(capsys, "compare old=14/20 new=17/20 --rope 0.05")
    assert (code, err) == (0, "")
    own = bc.compare_counts({"old": (14, 20), "new": (17, 20)}, 0.05, seed=1)
    told = answer_of(own).replace("bayescmp.Items", "a table of answers")
    assert out.split("note:")[0] == told.split("note:")[0]
    code, out, _ = run(capsys, "compare 14/20 17/20 --json")
    found = json.loads(out)
    assert found["verdict"]["probabilities"]["right"] == pytest.approx(0.8721, abs=5e-5)
    assert found["counts"][0]["17/20"] == [17, 20]
    code, out, _ = run(capsys, "compare a=1/2 b=3/4 c=90/100 --rope 0.1")
    assert code == 0
    assert "Probability of being best on new trials: c 0." in out


def test_files_are_written(capsys, tmp_path):
    line = "compare old=14/20 new=17/20 --rope 0.05"
    files = {name: tmp_path / f"{name}.svg" for name in ("plot", "density", "rope-curve")}
    options = [word for name, path in files.items() for word in (f"--{name}", path)]
    assert run(capsys, line, *options, "--save", tmp_path / "own.npz")[0] == 0
    assert all(path.stat().st_size for path in files.values())
    assert bc.load(tmp_path / "own.npz").kind == "proportions"
    more = [
        "--out",
        tmp_path / "all.csv",
        "--ladder",
        tmp_path / "l.svg",
        "--plot",
        tmp_path / "v.svg",
    ]
    assert run(capsys, "compare 1/2 3/4 5/9", *more)[0] == 0
    assert (tmp_path / "all.csv").read_text().count("proportions") == 3


def test_tables_of_counts_over_data_sets_and_on_one(capsys, counts):
    """Over data sets by their proportions, and each one by its own counts."""
    code, out, _ = run(capsys, "compare", counts, "--rope", 0.02)
    assert code == 0
    assert (
        "each data set has the same weight, whatever its number of trials (9 to 50 trials)"
        in " ".join(out.split())
    )
    assert "Each data set by its own counts" in out
    assert "y 5/10 9/10 0.018 0.011 0.971 b better" in " ".join(out.split())
    code, out, _ = run(capsys, "compare", counts, "b", "a", "--dataset", "x")
    assert "b better  a better\nDifference in success rate     0.872     0.128" in out
    code, out, _ = run(capsys, "compare", counts, "--json", "--rope", 0.02)
    assert [row["dataset"] for row in json.loads(out)["counts"]] == [*"xyzuvqrw"]


def test_columns_of_other_names_are_declared(capsys, tmp_path):
    (tmp_path / "own.csv").write_text("arm;good;all tries\nold;14;20\nnew;17;20\n")
    declared = ["--column", "successes=good", "--column", "trials=all tries"]
    code, out, _ = run(capsys, "compare", tmp_path / "own.csv", *declared, "--rope", 0.05)
    assert code == 0
    assert "old 14/20, new 17/20" in " ".join(out.split())


def test_a_file_of_that_name_is_a_table(capsys, tmp_path, monkeypatch):
    """What was read is stated."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "14").mkdir()
    (tmp_path / "14" / "20").write_text(TABLE)
    code, out, err = run(capsys, "compare 14/20 --dataset x")
    assert code == 0
    assert "14/20 is a file, and was read as a table" in err
    assert "a 14/20, b 17/20" in " ".join(out.split())


def test_crosscheck_of_counts(capsys, counts):
    code, out, _ = run(capsys, "crosscheck 14/20 17/20 --rope 0.05")
    assert code == 0
    assert "Barnard  Boschloo  Fisher" in out
    assert "confidence interval −0.11 to 0.39, Newcombe's" in " ".join(out.split())
    assert run(capsys, "crosscheck", counts, "--rope", 0.05, "--dataset", "x")[0] == 0


@each_row(
    ("line", "message"),
    [
        ("compare 14/20", "got only '14/20'). Add another one, as in `bayescmp compare "),
        ("compare 21/20 1/20", "at most as many successes as trials (got 21/20)"),
        ("compare -1/20 3/20", "(got -1/20)"),
        ("compare 14/20 14/20", "got '14/20' twice"),
        ("compare 14/20 17/20 --metric acc", "used with a table (got counts, 14/20)"),
        ("compare 14/20 17/20 --shrinkage x.png", "(got counts of two algorithms)"),
        ("compare 1/2 3/4 4/5 --save x.npz", "(got counts of several algorithms)"),
        ("crosscheck 1/2 3/4 --rope 0 --rho 0.1", "--rho must be used with a table"),
    ],
)  # fmt: skip
def test_wrong_turns(capsys, line, message):
    code, out, err = run(capsys, line)
    assert (code, out) == (2, "")
    assert message in err
    assert err.count("\n") == 1


def test_other_commands_name_the_one_for_counts(capsys, counts):
    for line in ("rank", "sensitivity", "report"):
        code, _, err = run(
            capsys, line, counts, "--rope", 0.01, *(["--out", "x.html"] * (line == "report"))
        )
        assert code == 2
        assert "Use `bayescmp compare` with this table" in err
    code, _, err = run(capsys, "compare", counts, "--rope", 0.01, "--scale", "log_ratio")
    assert "--scale must be used with scores (got counts of successes)" in err
    code, _, err = run(capsys, "crosscheck", counts, "--rope", 0.05)
    assert "--dataset must name one data set of counts (got 8)" in err


@each_row("command", ["rank", "plan"])
def test_commands_for_scores_name_those_for_counts(capsys, command):
    code, _, err = run(capsys, f"{command} 14/20 17/20")
    assert code == 2
    assert "`bayescmp compare` and `bayescmp estimate` take counts" in err
