"""`bayescmp procedure`: what it prints, writes and refuses."""

import json

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import bayescmp as bc
import bayescmp.frequentist as f
from bayescmp.commands import rank
from bayescmp.commands.cli import main
from bayescmp.errors import InputError
from bayescmp.summaries.chosen import describe_chosen
from tests.commands.conftest import answer_of, argv, call, each, run
from tests.rows import each_row
from tests.study.procedure.cases import many


def test_best_equals_the_api_and_writes(path, table, tmp_path, capsys):
    out_file, picture = tmp_path / "best.csv", tmp_path / "best.png"
    code, out, err = run(
        capsys, f"rank {path} --metric accuracy --rope 0.01 --out {out_file} --plot {picture}"
    )
    assert (code, err) == (0, "")
    own = bc.bayesian.bootstrap(bc.Scores(table), metric="accuracy", rope=0.01, seed=1)
    assert answer_of(own) in out
    assert " ".join(describe_chosen(own.chosen()).split()) in " ".join(out.split())
    written = pd.read_csv(out_file, index_col="algorithm")
    assert written["p_next"].to_dict() == pytest.approx(own.best())
    assert picture.stat().st_size > 1000


@pytest.mark.parametrize("method", ["bayesian_friedman", "bradley_terry", "plackett_luce"])
def test_other_methods_as_json(path, table, capsys, method):
    code, out, _ = run(capsys, "rank", path, "--metric", "accuracy", "--test", method, "--json")
    assert code == 0
    document = json.loads(out)
    own = getattr(bc.bayesian, method.removeprefix("bayesian_"))(
        bc.Scores(table), metric="accuracy", seed=1
    )
    assert document["best"] == {on: pytest.approx(own.best(on)) for on in own.targets}
    assert document["top_sets"][0]["size"] == 1
    ranks = {row.pop("algorithm"): row for row in document["rank_intervals"]}
    assert ranks == own.rank_intervals().to_dict("index")
    assert document["chosen"] is None


def test_the_chosen_one_and_a_margin_as_json(path, table, capsys):
    code, out, _ = run(capsys, f"rank {path} --metric accuracy --rope=-0.01,inf --seed 1 --json")
    document = json.loads(out)
    own = bc.bayesian.bootstrap(bc.Scores(table), metric="accuracy", rope=0.01, seed=1)
    assert code == 0
    assert document["rope"] == [-0.01, None]
    assert document["chosen"]["expected"] == pytest.approx(own.chosen().expected, abs=1e-9)
    sets = [row["p_joint"] for row in document["top_sets"]]
    assert sets == pytest.approx(own.top_sets()["p_joint"].tolist(), abs=1e-9)


def test_no_rope_is_needed(path, capsys):
    code, out, _ = run(capsys, f"rank {path} --metric accuracy --test bootstrap")
    assert code == 0
    assert "no ROPE" in out
    assert "near best" not in out


@each_row(
    ("words", "message"),
    [
        (
            "--rope 0.01 --adjust shaffer",
            "--adjust must be used with rank tests (got --test bootstrap)",
        ),
        ("--plot best.png", "(got --test friedman)"),
        ("--rope 0 --test bradley_terry --weight iris=2", "--weight must be used with --test "),
    ],
)
def test_options_of_the_other_answer_are_refused(words, message, path, capsys):
    code, out, err = run(capsys, f"rank {path} --metric accuracy {words}")
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert message in err


@pytest.fixture
def csv(tmp_path):
    """Eight data sets, four algorithms, 2 folds, auc and log_loss."""
    rng = np.random.default_rng(3)
    rows = [
        {
            "dataset": f"d{d}",
            "algorithm": a,
            "fold": k,
            "auc": 0.7 + 0.05 * i + rng.normal() / 20,
            "log_loss": 1 - 0.1 * i + rng.normal() / 10,
        }
        for d in range(8)
        for i, a in enumerate(("knn", "tree", "gbm", "svm"))
        for k in (1, 2)
    ]
    path = tmp_path / "scores.csv"
    pd.DataFrame(rows).to_csv(path, index=False)
    return path


def rank_run(*words):
    return call("rank", *words)


def means(csv, metric):
    return pd.read_csv(csv).groupby(["dataset", "algorithm"], sort=False)[metric].mean().unstack()


def test_the_call_of_the_issue(csv, tmp_path, capsys):
    picture = tmp_path / "cd.png"
    code = rank_run(
        *argv(f"{csv} --metric auc --test quade --adjust bergmann-hommel --diagram {picture}")
    )
    out = capsys.readouterr().out
    assert code == 0
    assert picture.read_bytes().startswith(b"\x89PNG")
    table = means(csv, "auc")
    assert f"{f.quade(table).statistic:.5g}" in out
    result = f.posthoc(table, test="quade", adjust="bergmann-hommel")
    assert result.underline() in out
    assert f"written {picture}" in out


def test_control_and_json(csv, tmp_path, capsys):
    heatmap = tmp_path / "p.svg"
    rank_run(csv, "--metric", "log_loss", "--control", "svm", "--json", "--heatmap", heatmap)
    document = json.loads(capsys.readouterr().out)
    table = means(csv, "log_loss")
    expected = f.posthoc(table, control="svm", lower_is_better=True)
    assert document["posthoc"]["control"] == "svm"
    assert [d["better"] for d in document["directions"]] == ["lower"]
    for part in ("omnibus", "posthoc"):
        assert [d["better"] for d in document[part]["directions"]] == ["lower"]
    by_name = {c["second"]: c["adjusted"] for c in document["posthoc"]["comparisons"]}
    assert by_name == pytest.approx(
        dict(zip(expected.frame["second"], expected.adjusted, strict=True))
    )
    assert document["omnibus"]["pvalue"] == f.friedman(table, lower_is_better=True).pvalue
    assert "<svg" in heatmap.read_text()


@each_row("test", rank.TESTS)
def test_every_test_runs(csv, capsys, test):
    assert rank_run(csv, "--metric", "auc", "--test", test) == 0
    assert " comes first, with a mean rank of " in capsys.readouterr().out


@each_row("options", [[], ["--control", "0"], ["--test", "page"]])
def test_long_names_fit_a_hundred_columns(tmp_path, capsys, options):
    names = [f"RandomForestClassifier(n_estimators={i}00, max_depth=None)" for i in range(1, 7)]
    values = np.random.default_rng(1).normal(0.8 + 0.02 * np.arange(6), 0.02, (12, 6))
    frame = pd.DataFrame(values, columns=names, index=[f"d{i}" for i in range(12)])
    frame.rename_axis("dataset").to_csv(tmp_path / "wide.csv")
    options = [names[0] if o == "0" else o for o in options]
    assert main(["rank", str(tmp_path / "wide.csv"), "--higher-is-better", "score", *options]) == 0
    assert max(map(len, capsys.readouterr().out.splitlines())) < 100


def test_exact_p(csv, capsys):
    rank_run(csv, "--metric", "auc", "--method", "exact", "--json")
    actual = json.loads(capsys.readouterr().out)["omnibus"]["pvalue"]
    assert actual == f.friedman(means(csv, "auc"), method="exact").pvalue


def test_trend_in_the_order_given(csv, capsys):
    names = ["svm", "knn", "gbm", "tree"]
    rank_run(
        *argv(f"{csv} --metric auc --test page"),
        *each("order", "svm", "knn", "gbm", "tree"),
        "--json",
    )
    document = json.loads(capsys.readouterr().out)
    assert document["omnibus"]["pvalue"] == f.page_trend(means(csv, "auc"), order=names).pvalue
    assert document["posthoc"] is None


def test_distribution_of_the_comparisons(csv, capsys):
    rank_run(csv, "--metric", "auc", "--distribution", "exact", "--json")
    actual = json.loads(capsys.readouterr().out)["posthoc"]["comparisons"]
    expected = f.posthoc(means(csv, "auc"), distribution="exact")
    assert [c["pvalue"] for c in actual] == expected.pvalue.tolist()


@each_row(
    ("words", "message"),
    [
        (["--metric", "auc", "--control", "svn"], "'svm'"),
        (["--metric", "auc", "--adjust", "bergman"], "bergmann"),
        (["--metric", "auc", "--diagram", "/no/such/place/cd.png"], "no directory"),
        (["--metric", "auc", "--test", "skillings-mack", "--diagram", "cd.png"], "compares pairs"),
        (["--metric", "auc", "--order", "knn"], "--order must be used with --test page"),
        ([], "metric must be given"),
    ],
)
def test_bad_input(csv, words, message):
    with pytest.raises(InputError, match=message):
        rank_run(csv, *words)


def test_missing_runs_are_named(csv, capsys):
    frame = pd.read_csv(csv)
    gone = (frame.dataset == "d2") & (frame.algorithm == "gbm")
    advised = ["--missing", "common", "--test", "skillings-mack"]
    for holes in (frame[~gone], frame.assign(auc=frame["auc"].mask(gone))):
        holes.to_csv(csv, index=False)
        with pytest.raises(
            InputError, match=f"'gbm' must have a score on .*'d2'.*{' '.join(advised)}"
        ):
            rank_run(csv, "--metric", "auc")
        assert rank_run(csv, "--metric", "auc", *advised) == 0
        assert "1 of 32 scores missing" in capsys.readouterr().out


@pytest.fixture
def procedure_csv(tmp_path):
    frame, _ = many(q=4, L=3, n=10, p=2, spread=2.0)
    path = tmp_path / "scores.csv"
    frame.rename(columns={"m0": "reward", "m1": "elbo"}).to_csv(path, index=False)
    return path


def procedure_run(*words):
    return call("procedure", *words)


def test_text_and_diagram(procedure_csv, tmp_path, capsys):
    picture = tmp_path / "wins.png"
    assert (
        procedure_run(
            procedure_csv,
            *each("metric", "reward", "elbo"),
            *argv(f"--cost reward=2 --cost elbo=-1 --wins {picture}"),
        )
        == 0
    )
    out = capsys.readouterr().out
    expected = bc.procedure(
        bc.Scores.read(procedure_csv), metrics=("reward", "elbo"), costs={"reward": 2, "elbo": -1}
    )
    assert out == f"{answer_of(expected)}\nmore: --full, --json\nwritten {picture}\n"
    assert picture.read_bytes().startswith(b"\x89PNG")


def test_json_and_options(procedure_csv, capsys):
    procedure_run(
        *argv(f"{procedure_csv} --metric elbo"),
        "A1",
        "A3",
        *each("dataset", "d0", "d2"),
        *argv("--plain --alpha 0.1 --json"),
    )
    document = json.loads(capsys.readouterr().out)
    expected = bc.procedure(
        bc.Scores.read(procedure_csv),
        metrics="elbo",
        algorithms=["A1", "A3"],
        datasets=["d0", "d2"],
        corrected=False,
        alpha=0.1,
    )
    assert document["datasets"] == ["d0", "d2"]
    assert [row["pvalue"] for row in document["pairwise"]] == pytest.approx(
        list(expected.pairwise["pvalue"])
    )
    assert document["corrected"] is False
    assert document["directions"] == [d.to_dict() for d in expected.directions] != []
    assert document["resampling"] == ""  # of no use to tests that ignore it
    procedure_run(
        *argv(f"{procedure_csv} --metric elbo --pairwise t --adjust holm --rho 0.3 --json")
    )
    document = json.loads(capsys.readouterr().out)
    expected = bc.procedure(
        bc.Scores.read(procedure_csv), metrics="elbo", pairwise="t", adjust="holm", rho=0.3
    )
    assert document["resampling"] == "rho 0.3: as given"
    assert [row["adjusted"] for row in document["pairwise"]] == pytest.approx(
        list(expected.pairwise["adjusted"])
    )


@each_row(
    ("words", "message"),
    [
        ([], r"--metric must be given if the table has several\. It has"),
        (["--metric", ""], "metric must hold names that are not empty .got ''"),
        (
            ["--metric", "reward", "--cost", "reward"],
            "--cost must be METRIC=NUMBER, e.g. fn=5 .got 'reward'",
        ),
        (["--metric", "reward", "--wins", "/no/such/place/w.png"], "there is no directory"),
        ([*each("metric", "reward", "elbo"), "--wins", "w.png"], "must be a procedure with costs"),
    ],
)
def test_procedure_bad_input(procedure_csv, words, message):
    with pytest.raises(InputError, match=message):
        procedure_run(procedure_csv, *words)


def test_scores_of_one_metric_need_no_name(tmp_path, capsys):
    frame, _ = many(q=2, L=2, p=1)
    path = tmp_path / "one.csv"
    pd.DataFrame(frame).rename(columns={"m0": "reward"}).to_csv(path, index=False)
    assert procedure_run(path) == 0
    assert "one metric, two algorithms, several data sets" in capsys.readouterr().out


@each_row("command", ["rank", "compare --rope 0 --test sign"])
def test_infinite_running_times_are_refused_with_the_way_out(tmp_path, capsys, command):
    """As the message states, a number beyond all others gives the p-value of infinite ranks."""
    rows = ["d1,1000,2000,inf", "d2,3000,2000,inf", "d3,1000,2000,3000", "d4,2000,1000,4000"]
    text = "\n".join(["dataset,a,b,c", *rows])
    file = tmp_path / "times.csv"
    file.write_text(text, encoding="utf-8")
    code, _, err = run(capsys, f"{command} {file} --lower-is-better score")
    assert "For a rank test such as friedman, replace an infinite score" in " ".join(err.split())
    if command == "rank":
        assert code == 2
        file.write_text(text.replace("inf", "10000"), encoding="utf-8")
        code, out, _ = run(capsys, f"rank {file} --lower-is-better score --json")
        times = [[1, 2, np.inf], [3, 2, np.inf], [1, 2, 3], [2, 1, 4]]
        expected = stats.friedmanchisquare(*np.array(times).T).pvalue
        assert json.loads(out)["omnibus"]["pvalue"] == pytest.approx(expected)
