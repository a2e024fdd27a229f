"""`bayescmp groups` and `bayescmp compare` with several metrics: what they print and refuse."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest

import bayescmp as bc
from bayescmp.bayesian import groups
from bayescmp.cli import main
from bayescmp.text import probability


@pytest.fixture
def csv(tmp_path):
    """Two data sets, three algorithms, 10 folds of confusion counts and auc."""
    rng = np.random.default_rng(3)
    rows = []
    for d in ("iris", "wine"):
        for i, a in enumerate(("knn", "gbm", "svm")):
            for f in range(1, 11):
                tp, fp = rng.binomial(40, 0.6 + 0.15 * i), rng.binomial(40, 0.2)
                rows.append((d, a, f, tp, 40 - tp, fp, 40 - fp, rng.normal(0.7 + 0.05 * i, 0.02)))
    columns = ["dataset", "algorithm", "fold", "tp", "fn", "fp", "tn", "auc"]
    path = tmp_path / "scores.csv"
    pd.DataFrame(rows, columns=columns).to_csv(path, index=False)
    return str(path)


def test_groups_prints_what_the_function_finds(csv, capsys):
    words = ["groups", csv, "--dataset", "iris", "--metric", "auc", "--rope", "0.02"]
    assert main(words) == 0
    printed = capsys.readouterr().out
    post = groups(bc.Scores.read(csv), ["auc"], dataset="iris", rope=0.02, seed=1)
    best = post.ranking().index[0]
    assert printed.index("ranked by auc") < printed.index(best, printed.index("ranked by auc"))
    assert probability(post.p_best()[best]) in printed
    assert probability(post.verdict("knn", "svm").p_right) in printed
    assert "Bayesian blocked ANOVA: 3 algorithms on auc" in printed


def test_groups_json_and_files(csv, capsys, tmp_path):
    files = {o: str(tmp_path / f"{o}.png") for o in ("plot", "forest", "bars")}
    words = ["groups", csv, "--dataset", "wine", "--metric", "tpr", "--metric", "fpr", "--rope",
             "tpr=0.02", "--rope", "fpr=0.05", "--by", "tpr", "--json"]  # fmt: skip
    assert main([*words, *[w for o, f in files.items() for w in (f"--{o}", f)]]) == 0
    document = json.loads(capsys.readouterr().out)
    assert document["rope"] == [[-0.02, 0.02], [-0.05, 0.05]]
    assert document["algorithms"] == ["knn", "gbm", "svm"]
    assert [(d["metric"], d["better"]) for d in document["directions"]] == [
        ("tpr", "higher"), ("fpr", "lower")
    ]  # fmt: skip
    assert len(document["pairs"]) == 3
    for row in document["pairs"]:
        total = sum(row[f"p_{r}"] for r in ("equivalent", "first", "second", "trade_off"))
        assert total == pytest.approx(1)
    post = groups(bc.Scores.read(csv), ["tpr", "fpr"], dataset="wine", rope=[0.02, 0.05], seed=1)
    assert document["resampling"] == post.resampling != ""
    assert document["rank_probabilities"]["svm"][0] == pytest.approx(post.p_best("tpr")["svm"])
    for path in files.values():
        with open(path, "rb") as file:
            assert file.read(4) == b"\x89PNG"


def test_compare_takes_several_metrics(csv, capsys, tmp_path):
    words = ["compare", csv, "--dataset", "iris", "--first", "knn", "--second", "svm", "--metric",
             "tpr", "--metric", "fpr", "--rope", "0.02", "--rope", "0.05"]  # fmt: skip
    assert main([*words, "--plot", str(tmp_path / "r.png"), "--rope-curve",
                 str(tmp_path / "c.png"), "--save", str(tmp_path / "p.nc")]) == 0  # fmt: skip
    printed = capsys.readouterr().out
    assert "svm dominates" in printed
    assert "±0.02 in tpr and ±0.05 in fpr" in printed
    result = bc.compare(bc.Scores.read(csv), "knn", "svm", ["tpr", "fpr"], [0.02, 0.05],
                       dataset="iris", seed=1)  # fmt: skip
    assert probability(result.verdict().probabilities["second"]) in printed
    assert bc.load(tmp_path / "p.nc").verdict() == result.verdict()
    assert main([*words, "--json"]) == 0
    verdict = json.loads(capsys.readouterr().out)["verdict"]
    assert verdict["probabilities"] == result.verdict().probabilities
    assert verdict["metrics"] == ["tpr", "fpr"]


def test_one_metric_is_as_before(csv, capsys):
    words = ["compare", csv, "--dataset", "iris", "--first", "knn", "--second", "gbm", "--metric",
             "auc", "--rope", "0.01"]  # fmt: skip
    assert main(words) == 0
    assert (
        "Bayesian correlated t test: knn (left) vs gbm (right) on auc" in capsys.readouterr().out
    )


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["groups", "--rope", "0.01", "--metric", "auc"], "dataset is missing"),
        (["groups", "--rope", "0.01", "--dataset", "iris"], "metric is missing"),
        (["groups", "--rope", "0.01", "--metric", "auk", "--dataset", "iris"], "unknown metric"),
        (["groups", "--rope", "0.01", "--metric", "auc", "--dataset", "iris", "--algorithm",
          "knn"], "at least two"),
        (["groups", "--rope", "0.01", "--rope", "0.02", "--metric", "auc"], "2 times for one"),
        (["groups", "--rope", "0.01", "--metric", "auc", "--threshold", "0.2"], "threshold"),
        (["groups", "--rope", "0.01", "--metric", "auc", "--dataset", "iris", "--by", "f1"],
         "rank by"),
        (["compare", "--rope", "tpr=0.01", "--rope", "0.02", "--metric", "tpr", "--metric", "fpr",
          "--first", "knn", "--second", "gbm", "--dataset", "iris"], "for every metric, or"),
        (["compare", "--rope", "tpr=0.01", "--metric", "tpr", "--metric", "fpr",
          "--first", "knn", "--second", "gbm", "--dataset", "iris"], "no region for 'fpr'"),
        (["compare", "--rope", "0.01", "--metric", "tpr", "--metric", "fpr", "--density", "x.png",
          "--first", "knn", "--second", "gbm", "--dataset", "iris"], "no such plot"),
        (["compare", "--rope", "0.01", "--metric", "tpr", "--metric", "fpr", "--prior",
          "corani2017", "--first", "knn", "--second", "gbm", "--dataset", "iris"], "option"),
        (["compare", "--rope", "fpr=0.01", "--metric", "tpr", "--first", "knn", "--second", "gbm",
          "--dataset", "iris"], "give --metric fpr"),
    ],
)  # fmt: skip
def test_refused(csv, capsys, words, message):
    assert main([words[0], csv, *words[1:]]) == 2
    assert message in capsys.readouterr().err


def test_a_region_may_name_the_only_metric(csv, capsys):
    words = ["groups", csv, "--dataset", "iris", "--metric", "auc", "--rope"]
    assert main([*words, "auc=0.02"]) == 0
    named = capsys.readouterr().out
    assert main([*words, "0.02"]) == 0
    assert named == capsys.readouterr().out


def test_no_shrinkage_plot_of_several_metrics(tmp_path):
    from types import SimpleNamespace

    from bayescmp import plots
    from bayescmp.commands import compare

    several = SimpleNamespace(metrics=("tpr", "fpr"), method="test", shows=("regions",))
    args = SimpleNamespace(shrinkage=str(tmp_path / "s.png"), density=None)
    with pytest.raises(bc.InputError, match="--shrinkage: the test has no such plot"):
        compare._check_plots(several, args)
    with pytest.raises(bc.InputError, match="of 2 metrics, this plot of one"):
        plots.plot_shrinkage(several)
