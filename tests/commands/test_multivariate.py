"""`bayescmp multivariate`: what it prints, writes and refuses."""

from __future__ import annotations

import argparse
import json

import numpy as np
import pandas as pd
import pytest

import bayescmp as bc
import bayescmp.frequentist as f
from bayescmp.commands import multivariate
from bayescmp.errors import InputError
from tests.commands.conftest import each
from tests.procedure.cases import counts_of, frame_of

TWO = each("metric", "tpr", "fpr")


@pytest.fixture
def csv(tmp_path):
    """Two data sets, three algorithms, 2 x 5 folds, confusion counts."""
    rng = np.random.default_rng(3)
    parts = []
    for d in ("one", "two"):
        x = rng.uniform(1, 9, size=(3, 10, 2)) + 2 * np.arange(3)[:, None, None]
        parts.append(frame_of(counts_of(x.round(3)), ["tp", "fn", "fp", "tn"], dataset=d,
                              algorithms=["knn", "svm", "nb"], folds=5))  # fmt: skip
    path = tmp_path / "scores.csv"
    pd.concat(parts).to_csv(path, index=False)
    return path


def run(*words):
    parser = argparse.ArgumentParser()
    multivariate.register(parser.add_subparsers())
    args = parser.parse_args(["multivariate", *map(str, words)])
    return args.run(args)


def blocks(csv, dataset, **options):
    return bc.scores_blocks(bc.Scores.read(csv), metrics=["tpr", "fpr"], dataset=dataset,
                            **options)  # fmt: skip


def test_the_call_of_the_issue(csv, tmp_path, capsys):
    picture = tmp_path / "ellipses.png"
    code = run(csv, *TWO, *each("algorithm", "knn", "svm", "nb"), "--block", "fold",
               "--dataset", "one", "--plot", picture)  # fmt: skip
    out = capsys.readouterr().out
    assert code == 0
    assert picture.read_bytes().startswith(b"\x89PNG")
    table = f.manova(blocks(csv, "one"), block=True)
    assert str(table) in out
    assert str(table.measures) in out
    assert str(f.pairwise_hotelling(blocks(csv, "one"), adjust="holm")) in out
    assert f"written {picture}" in out
    assert table.rho == pytest.approx(0.2)  # five folds


def test_two_algorithms_on_each_data_set(csv, capsys):
    assert run(csv, *TWO, *each("algorithm", "nb", "knn")) == 0
    out = capsys.readouterr().out
    for d in ("one", "two"):
        assert f"data set: {d}" in out
        assert str(f.hotelling_paired(blocks(csv, d, algorithms=["nb", "knn"]))) in out
    assert "each metric by itself" in out


def test_json(csv, capsys):
    run(csv, *TWO, "--json", "--rho", "0", "--adjust", "bonferroni")
    document = json.loads(capsys.readouterr().out)
    assert [r["dataset"] for r in document] == ["one", "two"]
    for r in document:
        table = f.manova(blocks(csv, r["dataset"]), block=True, rho=0.0)
        assert r["manova"]["tests"][0]["statistic"] == pytest.approx(table.statistic)
        assert r["dimension"] == table.dimension()
        pairs = table.pairwise(adjust="bonferroni")
        assert [c["adjusted"] for c in r["pairwise"]["comparisons"]] == pytest.approx(
            list(pairs.adjusted)
        )
    run(
        csv,
        *TWO,
        "--json",
        *each("algorithm", "knn", "nb"),
        "--dataset",
        "two",
    )
    (one,) = json.loads(capsys.readouterr().out)
    expected = f.hotelling_paired(blocks(csv, "two", algorithms=["knn", "nb"]))
    assert one["hotelling"]["pvalue"] == pytest.approx(expected.pvalue)
    assert [row["metric"] for row in one["univariate"]] == ["tpr", "fpr"]


def test_without_blocks(csv, capsys):
    run(csv, *TWO, "--dataset", "one", "--block", "none")
    assert str(f.manova(blocks(csv, "one"), block=False)) in capsys.readouterr().out
    run(csv, *TWO, "--dataset", "one", "--block", "none",
        *each("algorithm", "knn", "nb"), "--json")  # fmt: skip
    (actual,) = json.loads(capsys.readouterr().out)
    b = blocks(csv, "one", algorithms=["knn", "nb"])
    expected = f.hotelling_two_sample(b.x[0], b.x[1], rho=b.rho).pvalue
    assert actual["hotelling"]["pvalue"] == pytest.approx(expected)


def test_histograms_and_projection(csv, tmp_path, capsys):
    one, two = tmp_path / "e.svg", tmp_path / "p.pdf"
    run(csv, *TWO, "--dataset", "one", "--plot", one, "--histogram", "error",
        "--projection", two)  # fmt: skip
    assert "<svg" in one.read_text()
    assert two.read_bytes().startswith(b"%PDF")
    assert f"written {two}" in capsys.readouterr().out


def test_the_counts_are_the_default(csv, capsys):
    run(csv, "--dataset", "two")
    out = capsys.readouterr().out
    assert "on tp ↑, fn ↓, fp ↓, tn ↑" in out
    assert "subspace of rank 2 of 4" in out


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--metric", "tpr"], r"needed at least, as in --metric tpr --metric fpr"),
        (each("metric", "tpr", "fpq"), "unknown metric 'fpq'.*'fpr'"),
        (each("algorithm", "knn", "svn"), "unknown algorithm 'svn'"),
        (["--algorithm", "knn"], "one algorithm, 'knn'"),
        (["--dataset", "three"], "unknown data set 'three'"),
        (["--block", "folds"], "unknown --block 'folds'.*'fold'"),
        (["--adjust", "holms"], "holm"),
        (["--alpha", "1"], r"--alpha 1\.0"),
        (["--plot", "e.png"], "--plot draws one data set: name it with --dataset"),
        (["--plot", "/no/such/place/e.png", "--dataset", "one"], "there is no directory"),
        (["--histogram", "error"], "--histogram goes with --plot"),
        (["--dataset", "one", *each("algorithm", "knn", "nb"), "--projection", "p.png"],
         "three algorithms or more"),
        (["--rho", "1"], "rho=1"),
        (["--column", "dataset"], "PART=NAME"),
    ],
)  # fmt: skip
def test_bad_input(csv, words, message):
    with pytest.raises(InputError, match=message):
        run(csv, *words)


def test_unpaired_scores_keep_the_sign_convention(csv, capsys):
    """fpr is lower the better: positive is better for the second, with blocks and without."""
    assert run(csv, *TWO, "--dataset", "one", *each("algorithm", "knn", "svm"),
               "--block", "none", "--json") == 0  # fmt: skip
    actual = json.loads(capsys.readouterr().out)[0]["hotelling"]
    x = blocks(csv, "one", algorithms=["knn", "svm"]).x.mean(axis=1)
    assert actual["mean"]["tpr"] == pytest.approx(x[1, 0] - x[0, 0])
    assert actual["mean"]["fpr"] == pytest.approx(x[0, 1] - x[1, 1])
    assert actual["flipped"] == ["fpr"]
    assert [d["better"] for d in actual["directions"]] == ["higher", "lower"]
    assert actual["resampling"].startswith("rho ")


def test_every_part_is_at_the_level_asked_for(csv, capsys):
    words = (csv, *TWO, "--dataset", "one", "--alpha", "1e-9")
    assert run(*words) == 0
    out = capsys.readouterr().out
    assert "dimension 0 at 1e-09" in out
    assert "cliques at 1e-09: {(knn, svm, nb)}" in out
    assert "0.05" not in "".join(line for line in out.splitlines() if "cliques" in line)
    assert run(*words, "--json") == 0
    actual = json.loads(capsys.readouterr().out)[0]
    assert actual["manova"]["dimension"] == actual["dimension"] == 0
    assert actual["pairwise"]["cliques"] == actual["cliques"] == [["knn", "svm", "nb"]]


def test_a_histogram_does_not_change_what_is_scattered(csv, tmp_path, monkeypatch):
    from bayescmp.plots import ellipses

    drawn = []
    plot = ellipses.plot_ellipses
    monkeypatch.setattr(
        ellipses, "plot_ellipses", lambda *a, **k: drawn.append(plot(*a, **k)) or drawn[-1]
    )
    assert run(csv, *each("metric", "tpr", "precision"), "--dataset", "one", "--histogram", "fpr",
               "--plot", tmp_path / "e.png") == 0  # fmt: skip
    assert drawn[0].get_xlabel().startswith("tpr")
    assert drawn[0].get_ylabel().startswith("precision")


def test_errors_name_the_data_set(csv):
    scores = pd.read_csv(csv)
    few = scores[(scores["repeat"] == 1) & (scores["fold"] <= 2)]
    few.to_csv(csv, index=False)
    with pytest.raises(InputError, match=r"on data set 'two': x has .* Drop"):
        run(
            csv,
            *TWO,
            "--dataset",
            "two",
            *each("algorithm", "knn", "svm"),
        )


def test_a_rope_asks_for_the_bayesian_answer_too(csv, capsys):
    two = each("algorithm", "knn", "nb")
    given = (csv, *TWO, *two, "--dataset", "one", "--rope", "tpr=0.05", "--rope", "fpr=0.02")
    assert run(*given) == 0
    expected = bc.bayesian.multivariate_t(
        blocks(csv, "one", algorithms=["knn", "nb"]), rope=[0.05, 0.02], seed=1
    )
    assert str(expected.verdict()) in capsys.readouterr().out
    run(*given, "--json")
    (actual,) = json.loads(capsys.readouterr().out)
    shares = actual["bayesian"]["verdict"]["probabilities"]
    assert shares == pytest.approx(expected.verdict().probabilities)
    assert actual["hotelling"]["pvalue"] < 1


def test_a_rope_asks_for_the_bayesian_answer_of_several(csv, capsys):
    assert run(csv, *TWO, "--dataset", "one", "--rope", "0.05") == 0
    out = capsys.readouterr().out
    assert bc.bayesian.groups(blocks(csv, "one"), rope=0.05, seed=1).heading() in out
    assert "Wilks" in out
    run(csv, *TWO, "--rope", "0.05", "--json")
    document = json.loads(capsys.readouterr().out)
    assert [len(r["bayesian"]["pairs"]) for r in document] == [3, 3]
    with pytest.raises(InputError, match="--rope goes with --block fold"):
        run(csv, *TWO, "--rope", "0.05", "--block", "none")
