"""`bayescmp verify`."""

from __future__ import annotations

import json

import pandas as pd
import pytest

import bayescmp as bc
from bayescmp.commands.cli import main
from bayescmp.engines import register
from bayescmp.results.posterior import Posterior
from bayescmp.study.planning import plan_items
from tests.commands.conftest import answer_of, argv, run
from tests.engines.fake import FakeEngine
from tests.rows import each_row

BEFORE = argv(
    "plan --delta0 0.02 --sigma0 0.01 --rho 0.1 --rope 0.01 --datasets 5 --simulations 4"
)


def given(path, *more):
    return [
        *argv(f"plan {path} --metric accuracy knn gbm --rope 0.05 --datasets 0 3 --simulations 4"),
        *more,
    ]


def test_with_scores(path, table, tmp_path, capsys):
    picture = tmp_path / "plan.png"
    assert main(given(path, "--json", "--plot", str(picture))) == 0
    facts = json.loads(capsys.readouterr().out)
    assert facts.pop("recipe")["options"]["datasets"] == [0, 3]
    x = bc.Scores(table).differences("knn", "gbm", "accuracy")
    post = bc.bayesian.hierarchical_t(x, rope=0.05, engine="quadrature", seed=1)
    assert facts == json.loads(json.dumps(post.plan(datasets=[0, 3], simulations=4).to_dict()))
    assert picture.stat().st_size > 1000


def test_before_any_data(capsys):
    assert main(BEFORE) == 0
    out = capsys.readouterr().out
    wanted = bc.plan(delta0=0.02, sigma0=0.01, rho=0.1, rope=0.01, datasets=[5], simulations=4)
    assert out == f"{answer_of(wanted)}\nmore: --full, --json; --plot FILE\n"


@each_row(
    ("args", "message"),
    [
        (["plan", "--rope", "0.01", "--delta0", "0"], "--sigma0 must be given without a table"),
        (
            [*BEFORE, "--more-folds", "3"],
            "--more-folds must be used with a table of scores (got a plan of data sets",
        ),
        ([*BEFORE, "--threshold", "2"], "--threshold must be"),
        ([*BEFORE, "--plot", "nowhere/a.png"], "there is no directory"),
    ],
)
def test_bad_input_is_one_line(args, message, capsys):
    assert main(args) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.count("\n") == 1
    assert message in captured.err


def test_assumptions_do_not_go_with_scores(path, capsys):
    assert main(given(path, "--delta0", "0.1")) == 2
    assert (
        "--delta0 must be used with a plan of data sets without a table (got a table"
        in capsys.readouterr().err
    )


@pytest.mark.parametrize(
    ("end", "code", "words"),
    [
        (KeyboardInterrupt, 130, "interrupted"),
        (MemoryError, 1, "there is not enough memory for this"),
    ],
)
def test_an_end_before_the_end_is_one_line(end, code, words, monkeypatch, capsys):
    def ended(**_: object) -> None:
        raise end

    monkeypatch.setattr("bayescmp.study.planning.plan", ended)
    assert main(BEFORE) == code
    assert capsys.readouterr().err == f"bayescmp: error: {words}\n"


def test_the_cheapest_numbers_of_questions_and_answers(capsys):
    line = (
        "plan --difference 0.02 --between 0.2 --within 0.3 --rope 0.01 --questions 100 "
        "--epochs 1 --cost-question 1 --cost-answer 0.1"
    )
    code, out, _ = run(capsys, line)
    best = plan_items(
        difference=0.02, between=0.2, within=0.3, rope=0.01, questions=[100], epochs=[1]
    ).cheapest(cost_question=1, cost_answer=0.1)
    assert code == 0
    numbers = f"{best.questions} questions and {best.epochs} epochs, for {best.cost:g}."
    assert f"Cheapest with power 0.8: {numbers}" in out
    facts = json.loads(run(capsys, line, "--json")[1])
    assert facts["cheapest"] == best._asdict()


GIVEN = argv(
    "calibrate --rope 0.01 --rho 0.1 --datasets 6 --delta0 0.03 --sigma0 0.002 "
    "--simulations 4 --seed 2"
)


def test_prints_the_table_and_writes_all_columns(tmp_path, capsys):
    path = tmp_path / "table.csv"
    assert main([*GIVEN, "--out", str(path)]) == 0
    out = capsys.readouterr().out
    assert "4 simulated tables a row (seed 2)" in out
    wanted = bc.calibrate(
        rope=0.01, rho=0.1, datasets=[6], delta0=[0.03], sigma0=[0.002], simulations=4, seed=2
    ).frame
    pd.testing.assert_frame_equal(pd.read_csv(path), wanted)
    assert main([*GIVEN, "--markdown"]) == 0
    assert capsys.readouterr().out.startswith("| datasets | delta0 ")


def sensitivity_given(path, *more):
    return [*argv(f"sensitivity {path} --metric accuracy knn gbm --rope 0.05"), *more]


def test_prints_the_table_and_draws(path, table, tmp_path, capsys):
    picture = tmp_path / "strips.png"
    assert main(sensitivity_given(path, "--plot", str(picture))) == 0
    out = capsys.readouterr().out
    assert "unchanged in all 16 settings" in out
    assert picture.stat().st_size > 1000
    assert main(sensitivity_given(path, "--json")) == 0
    document = json.loads(capsys.readouterr().out)
    x = bc.Scores(table).differences("knn", "gbm", "accuracy")
    post = bc.bayesian.hierarchical_t(x, rope=0.05, engine="quadrature", seed=1)
    wanted = post.sensitivity()
    assert document["text"] == wanted.explain()
    assert [r["p_right"] for r in document["rows"]] == pytest.approx(
        wanted.frame["p_right"].tolist()
    )


def test_fragility_prints_the_smallest_set(path, table, capsys):
    args = sensitivity_given(path)
    assert main(args) == 0
    printed = capsys.readouterr().out.replace("\n", " ")
    assert (
        "knn and gbm: undecided, there is not enough data; no set tried changes the verdict"
        in printed
    )
    assert main([*args, "--most", "1", "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    x = bc.Scores(table).differences("knn", "gbm", "accuracy")
    post = bc.bayesian.hierarchical_t(x, rope=0.05, engine="quadrature", seed=1)
    assert document["fragility"]["text"] == post.fragility(most=1).explain()
    assert main([*args, "--most", "0"]) == 2
    assert "--most must be" in capsys.readouterr().err
    pair = argv(f"sensitivity {path} --metric accuracy --rope 0.05 --test bootstrap --json")
    assert main(pair) == 0
    assert json.loads(capsys.readouterr().out)["fragility"] is None


def test_a_refit_is_asked_for(path, monkeypatch):
    asked, own = [], Posterior.sensitivity

    def remembered(self, **options):
        asked.append(options["refit"])
        return own(self, **options)

    monkeypatch.setattr(Posterior, "sensitivity", remembered)
    args = sensitivity_given(path, "--test", "correlated", "--dataset", "iris")
    assert main(args) == main([*args, "--refit"]) == 0
    assert asked == [False, True]


@each_row("test", ["correlated", "signed-rank"])
def test_every_test_by_its_name(path, test, capsys):
    """The same table as that of the comparison's own result."""
    one = ["--dataset", "iris"] if test in ("correlated", "two_sample_t") else []
    assert main(sensitivity_given(path, "--test", test, *one, "--json")) == 0
    document = json.loads(capsys.readouterr().out)
    options = {"engine": "quadrature"} if test == "hierarchical" else {}
    posterior = bc.compare(
        bc.Scores.read(path),
        "knn",
        "gbm",
        "accuracy",
        0.05,
        test=test,
        seed=1,
        dataset=one[1] if one else None,
        **options,
    )
    assert document["test"] == posterior.kind
    assert document["text"] == posterior.sensitivity().explain()


def test_all_algorithms_at_once(path, table, tmp_path, capsys):
    picture = tmp_path / "pairs.png"
    args = ["sensitivity", path, "--metric", "accuracy", "--rope", "0.05"]
    assert main([*args, "--test", "bootstrap", "--plot", str(picture)]) == 0
    assert "unchanged in all settings" in capsys.readouterr().out
    assert picture.stat().st_size > 1000
    dataset = str(table["dataset"].iloc[0])
    assert main([*args, "--test", "groups", "--dataset", dataset, "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert {row["question"] for row in document["rows"]} >= {"fit", "rho", "rope", "threshold"}
    own = bc.bayesian.groups(
        bc.Scores(table), metrics="accuracy", dataset=dataset, rope=0.05, seed=1
    )
    assert document["text"] == own.sensitivity().explain()  # in closed form
    assert main([*args, "--test", "groups", "--prior", "corani2017"]) == 2
    assert "--prior must be used with a test of two algorithms (got --test groups)" in (
        capsys.readouterr().err
    )
    assert main([*args, "--test", "bootstrap", "--engine", "quadrature"]) == 2
    assert "--engine must be left out for the test bootstrap" in capsys.readouterr().err


def test_verify_prints_both_and_its_code_says_whether_they_agree(path, capsys):
    common = argv(f"verify {path} --metric accuracy knn gbm --rope 0.05")
    code, out, _ = run(capsys, *common, "--by", "quadrature")
    assert code == 0
    assert "The engines agree" in out
    remove = register("fake", FakeEngine)
    try:
        code, out, _ = run(capsys, *common, "--by", "fake", "--draws", "500")
    finally:
        remove()
    assert code == 3
    assert "DO NOT AGREE" in out
