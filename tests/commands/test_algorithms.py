"""`bayescmp compare` with --test groups and --test manova."""

import json

import numpy as np
import pandas as pd
import pytest

import bayescmp as bc
import bayescmp.frequentist as f
from bayescmp.bayesian import groups
from bayescmp.commands.cli import main
from bayescmp.errors import InputError
from bayescmp.wording.text import format_probability
from tests.commands.conftest import answer_of, argv, call, each
from tests.rows import each_row
from tests.study.procedure.cases import counts_of, frame_of


@pytest.fixture
def csv(tmp_path):
    """Two data sets, three algorithms, 10 folds of confusion counts and auc."""
    rng = np.random.default_rng(3)
    rows = []
    for d in ("iris", "wine"):
        for i, a in enumerate(("knn", "gbm", "svm")):
            for fold in range(1, 11):
                tp, fp = rng.binomial(40, 0.6 + 0.15 * i), rng.binomial(40, 0.2)
                rows.append(
                    (d, a, fold, tp, 40 - tp, fp, 40 - fp, rng.normal(0.7 + 0.05 * i, 0.02))
                )
    columns = ["dataset", "algorithm", "fold", "tp", "fn", "fp", "tn", "auc"]
    path = tmp_path / "scores.csv"
    pd.DataFrame(rows, columns=columns).to_csv(path, index=False)
    return str(path)


def test_groups_prints_what_the_function_finds(csv, capsys):
    words = [
        "compare",
        csv,
        "--test",
        "groups",
        "--dataset",
        "iris",
        "--metric",
        "auc",
        "--rope",
        "0.02",
    ]
    assert main(words) == 0
    printed = capsys.readouterr().out
    post = groups(bc.Scores.read(csv), ["auc"], dataset="iris", rope=0.02, seed=1)
    best = post.ranking().index[0]
    assert printed.startswith(f"{best} ranks first by auc")
    assert format_probability(post.p_best()[best]) in printed
    assert main([*words, "--full"]) == 0
    full = capsys.readouterr().out
    assert format_probability(post.verdict("knn", "svm").p_right) in full
    assert "Bayesian blocked ANOVA: 3 algorithms on auc" in full


def test_groups_json_and_files(csv, capsys, tmp_path):
    files = {o: str(tmp_path / f"{o}.png") for o in ("plot", "forest", "bars")}
    saved = tmp_path / "groups.npz"
    words = argv(
        f"compare {csv} --test groups --save {saved} --dataset wine --metric tpr --metric fpr "
        "--rope tpr=0.02 --rope fpr=0.05 --by tpr --json"
    )
    assert main([*words, *[w for o, f in files.items() for w in (f"--{o}", f)]]) == 0
    document = json.loads(capsys.readouterr().out)
    assert document["rope"] == [[-0.02, 0.02], [-0.05, 0.05]]
    assert document["algorithms"] == ["knn", "gbm", "svm"]
    assert [(d["metric"], d["better"]) for d in document["directions"]] == [
        ("tpr", "higher"),
        ("fpr", "lower"),
    ]
    assert len(document["pairs"]) == 3
    for row in document["pairs"]:
        total = sum(row[f"p_{r}"] for r in ("equivalent", "first", "second", "trade_off"))
        assert total == pytest.approx(1)
    post = groups(bc.Scores.read(csv), ["tpr", "fpr"], dataset="wine", rope=[0.02, 0.05], seed=1)
    assert document["resampling"] == post.resampling != ""
    assert bc.load(saved).summary().equals(post.summary())
    assert document["rank_probabilities"]["svm"][0] == pytest.approx(post.p_best("tpr")["svm"])
    for path in files.values():
        with open(path, "rb") as file:
            assert file.read(4) == b"\x89PNG"


def test_compare_takes_several_metrics(csv, capsys, tmp_path):
    words = argv(
        f"compare {csv} --dataset iris knn svm --metric tpr --metric fpr --rope 0.02 --rope 0.05"
    )
    assert (
        main(
            [
                *words,
                *argv(
                    f"--plot {tmp_path}/r.png --rope-curve {tmp_path}/c.png --save {tmp_path}/p"
                ),
            ]
        )
        == 0
    )
    printed = capsys.readouterr().out
    assert "svm dominates" in printed
    assert "±0.02 in tpr and ±0.05 in fpr" in printed
    result = bc.compare(
        bc.Scores.read(csv), "knn", "svm", ["tpr", "fpr"], [0.02, 0.05], dataset="iris", seed=1
    )
    assert format_probability(result.verdict().probabilities["second"]) in printed
    assert bc.load(tmp_path / "p").verdict() == result.verdict()
    assert main([*words, "--json"]) == 0
    verdict = json.loads(capsys.readouterr().out)["verdict"]
    assert verdict["probabilities"] == result.verdict().probabilities
    assert verdict["metrics"] == ["tpr", "fpr"]


def test_one_metric_is_as_before(csv, capsys):
    words = argv(f"compare {csv} --dataset iris knn gbm --metric auc --rope 0.01")
    assert main(words) == 0
    out = " ".join(capsys.readouterr().out.split())
    assert out.startswith(
        "gbm is practically better than knn auc ↑, ROPE ±0.01 Most probable outcome on the data "
        "set iris"
    )
    assert "Bayesian correlated t test" in out


@each_row(
    ("words", "message"),
    [
        (
            argv("compare --test groups --rope 0.01 --metric auc"),
            "--dataset must be given, since several algorithms are compared together",
        ),
        (argv("compare --test groups --rope 0.01 --dataset iris"), "metric must be given"),
        (
            argv("compare --test groups --rope 0.01 --metric auc --dataset iris knn"),
            "Two algorithms or more must be named",
        ),
        (
            argv("compare --test groups --rope 0.01 --rope 0.02 --metric auc"),
            "must be given once for one metric (got 2 times)",
        ),
        (
            argv("compare --test groups --rope 0.01 --metric auc --threshold 0.2"),
            "threshold",
        ),
        (
            argv("compare --test groups --rope 0.01 --metric auc --dataset iris --by f1"),
            "rank by",
        ),
        (
            argv(
                "compare --rope tpr=0.01 --rope 0.02 --metric tpr --metric fpr knn "
                "gbm --dataset iris"
            ),
            "for every metric, or",
        ),
        (
            argv("compare --rope tpr=0.01 --metric tpr --metric fpr knn gbm --dataset iris"),
            "--rope must have one region per metric (got none for 'fpr')",
        ),
        (
            argv(
                "compare --rope 0.01 --metric tpr --metric fpr --density x.png knn "
                "gbm --dataset iris"
            ),
            "does not have this plot",
        ),
        (
            argv(
                "compare --rope 0.01 --metric tpr --metric fpr --prior corani2017 knn "
                "gbm --dataset iris"
            ),
            "--prior must be left out",
        ),
        (argv("compare --rope fpr=0.01 --metric tpr knn gbm --dataset iris"), "Give --metric fpr"),
    ],
)
def test_refused(csv, capsys, words, message):
    assert main([words[0], csv, *words[1:]]) == 2
    assert message in capsys.readouterr().err


def test_a_region_may_name_the_only_metric(csv, capsys):
    words = ["compare", csv, "--test", "groups", "--dataset", "iris", "--metric", "auc", "--rope"]
    assert main([*words, "auc=0.02"]) == 0
    named = capsys.readouterr().out
    assert main([*words, "0.02"]) == 0
    assert named == capsys.readouterr().out


def test_no_shrinkage_plot_of_several_metrics(tmp_path):
    from types import SimpleNamespace

    from bayescmp import plots
    from bayescmp.commands import compare

    several = SimpleNamespace(metrics=("tpr", "fpr"), method="test", shows=("regions",))
    args = SimpleNamespace(shrinkage=str(tmp_path / "s.png"), density=None, hidden=frozenset())
    with pytest.raises(
        bc.InputError, match="shrinkage must be left out, since the test does not have this plot"
    ):
        compare.draw_pair(several, args)
    with pytest.raises(bc.InputError, match="posterior must be of one metric"):
        plots.plot_shrinkage(several)


TWO = each("metric", "tpr", "fpr")


@pytest.fixture
def multivariate_csv(tmp_path):
    """Two data sets, three algorithms, 2 x 5 folds, confusion counts."""
    rng = np.random.default_rng(3)
    parts = []
    for d in ("one", "two"):
        x = rng.uniform(1, 9, size=(3, 10, 2)) + 2 * np.arange(3)[:, None, None]
        parts.append(
            frame_of(
                counts_of(x.round(3)),
                ["tp", "fn", "fp", "tn"],
                dataset=d,
                algorithms=["knn", "svm", "nb"],
                folds=5,
            )
        )
    path = tmp_path / "scores.csv"
    pd.concat(parts).to_csv(path, index=False)
    return path


def run(*words):
    return call("compare", *words, "--test", "manova")


def blocks(csv, dataset, **options):
    return bc.scores_blocks(
        bc.Scores.read(csv), metrics=["tpr", "fpr"], dataset=dataset, **options
    )


def test_the_call_of_the_issue(multivariate_csv, tmp_path, capsys):
    picture = tmp_path / "ellipses.png"
    code = run(
        multivariate_csv,
        *TWO,
        "knn",
        "svm",
        "nb",
        *argv(f"--block fold --dataset one --plot {picture}"),
    )
    out = capsys.readouterr().out
    assert code == 0
    assert picture.read_bytes().startswith(b"\x89PNG")
    table = f.manova(blocks(multivariate_csv, "one"), block=True)
    assert str(table) in out
    assert str(table.measures) in out
    assert str(f.pairwise_hotelling(blocks(multivariate_csv, "one"), adjust="holm")) in out
    assert f"written {picture}" in out
    assert table.rho == pytest.approx(0.2)  # five folds


def test_two_algorithms_on_each_data_set(multivariate_csv, capsys):
    assert run(multivariate_csv, *TWO, "nb", "knn") == 0
    out = capsys.readouterr().out
    for d in ("one", "two"):
        assert f"data set: {d}" in out
        assert (
            str(f.hotelling_paired(blocks(multivariate_csv, d, algorithms=["nb", "knn"]))) in out
        )
    assert "The column 'adjusted' has p-values adjusted with Holm's method" in out


def test_json(multivariate_csv, capsys):
    run(multivariate_csv, *TWO, "--json", "--rho", "0", "--adjust", "bonferroni")
    document = json.loads(capsys.readouterr().out)["results"]
    assert [r["dataset"] for r in document] == ["one", "two"]
    for r in document:
        table = f.manova(blocks(multivariate_csv, r["dataset"]), block=True, rho=0.0)
        assert r["manova"]["tests"][0]["statistic"] == pytest.approx(table.statistic)
        assert r["dimension"] == table.dimension()
        pairs = table.pairwise(adjust="bonferroni")
        assert [c["adjusted"] for c in r["pairwise"]["comparisons"]] == pytest.approx(
            list(pairs.adjusted)
        )
    run(multivariate_csv, *TWO, "--json", "knn", "nb", "--dataset", "two")
    (one,) = json.loads(capsys.readouterr().out)["results"]
    expected = f.hotelling_paired(blocks(multivariate_csv, "two", algorithms=["knn", "nb"]))
    assert one["hotelling"]["pvalue"] == pytest.approx(expected.pvalue)
    assert [row["metric"] for row in one["univariate"]] == ["tpr", "fpr"]


def test_without_blocks(multivariate_csv, capsys):
    run(multivariate_csv, *TWO, "--dataset", "one", "--block", "none")
    assert str(f.manova(blocks(multivariate_csv, "one"), block=False)) in capsys.readouterr().out
    run(multivariate_csv, *TWO, *argv("--dataset one --block none"), "knn", "nb", "--json")
    (actual,) = json.loads(capsys.readouterr().out)["results"]
    b = blocks(multivariate_csv, "one", algorithms=["knn", "nb"])
    expected = f.hotelling_two_sample(b.x[0], b.x[1], rho=b.rho).pvalue
    assert actual["hotelling"]["pvalue"] == pytest.approx(expected)


def test_histograms_and_projection(multivariate_csv, tmp_path, capsys):
    one, two = tmp_path / "e.svg", tmp_path / "p.pdf"
    run(
        multivariate_csv,
        *TWO,
        *argv(f"--dataset one --plot {one} --histogram error --projection {two}"),
    )
    assert "<svg" in one.read_text()
    assert two.read_bytes().startswith(b"%PDF")
    assert f"written {two}" in capsys.readouterr().out


def test_the_counts_are_the_default(multivariate_csv, capsys):
    run(multivariate_csv, "--dataset", "two")
    out = capsys.readouterr().out
    assert "on tp ↑, fn ↓, fp ↓, tn ↑" in out
    assert "subspace of rank 2 of 4" in out


@each_row(
    ("words", "message"),
    [
        (
            ["--metric", "tpr"],
            r"must be given twice or more for --test manova, as in --metric tpr --metric fpr",
        ),
        (["knn"], "or none \\(got only 'knn'\\)"),
        (["--adjust", "holms"], "holm"),
        (["--alpha", "1"], r"--alpha must be between 0 and 1, exclusive \(got 1"),
        (["--plot", "e.png"], "--dataset must be given with --plot, which draws one data set"),
        (["--plot", "/no/such/place/e.png", "--dataset", "one"], "there is no directory"),
        (["--histogram", "error"], "--histogram must be used with --plot"),
        (
            ["--dataset", "one", "knn", "nb", "--projection", "p.png"],
            "three or more algorithms",
        ),
        (["--rho", "1"], "rho must be"),
        (["--column", "dataset"], "PART=NAME"),
    ],
)
def test_bad_input(multivariate_csv, words, message):
    with pytest.raises(InputError, match=message):
        run(multivariate_csv, *words)


def test_hotellings_tests_have_one_name(multivariate_csv):
    with pytest.raises(InputError, match=r"must be hotelling .*hotelling_paired.*--block none"):
        call("compare", multivariate_csv, "--test", "hotelling_paired")


def test_unpaired_scores_keep_the_sign_convention(multivariate_csv, capsys):
    """fpr is lower the better: positive is better for the second, with blocks and without."""
    assert (
        run(multivariate_csv, *TWO, "--dataset", "one", "knn", "svm", *argv("--block none --json"))
        == 0
    )
    actual = json.loads(capsys.readouterr().out)["results"][0]["hotelling"]
    x = blocks(multivariate_csv, "one", algorithms=["knn", "svm"]).x.mean(axis=1)
    assert actual["mean"]["tpr"] == pytest.approx(x[1, 0] - x[0, 0])
    assert actual["mean"]["fpr"] == pytest.approx(x[0, 1] - x[1, 1])
    assert actual["flipped"] == ["fpr"]
    assert [d["better"] for d in actual["directions"]] == ["higher", "lower"]
    assert actual["resampling"].startswith("rho ")


def test_every_part_is_at_the_level_asked_for(multivariate_csv, capsys):
    words = (multivariate_csv, *TWO, "--dataset", "one", "--alpha", "1e-9")
    assert run(*words) == 0
    out = capsys.readouterr().out
    assert "dimension: 0 at 1e-09" in out
    assert "groups of algorithms that do not differ at 1e-09: {(knn, svm, nb)}" in out
    assert "0.05" not in "".join(line for line in out.splitlines() if "do not differ" in line)
    assert run(*words, "--json") == 0
    actual = json.loads(capsys.readouterr().out)["results"][0]
    assert actual["manova"]["dimension"] == actual["dimension"] == 0
    assert actual["pairwise"]["cliques"] == actual["cliques"] == [["knn", "svm", "nb"]]


@pytest.mark.parametrize("metric", ["fpr", "tpr"])
def test_a_histogram_does_not_change_what_is_scattered(
    metric, multivariate_csv, tmp_path, monkeypatch
):
    from bayescmp.plots import metrics

    drawn = []
    plot = metrics.plot_ellipses
    monkeypatch.setattr(
        metrics, "plot_ellipses", lambda *a, **k: drawn.append(plot(*a, **k)) or drawn[-1]
    )
    assert (
        run(
            multivariate_csv,
            *each("metric", "tpr", "precision"),
            *argv(f"--dataset one --histogram {metric} --plot {tmp_path}/e.png"),
        )
        == 0
    )
    assert drawn[0].get_xlabel().startswith("tpr")
    assert drawn[0].get_ylabel().startswith("precision")


def test_errors_name_the_data_set(multivariate_csv):
    scores = pd.read_csv(multivariate_csv)
    few = scores[(scores["repeat"] == 1) & (scores["fold"] <= 2)]
    few.to_csv(multivariate_csv, index=False)
    with pytest.raises(InputError, match=r"on data set 'two': x must have .* Drop"):
        run(multivariate_csv, *TWO, "--dataset", "two", "knn", "svm")


def test_a_rope_asks_for_the_bayesian_answer_too(multivariate_csv, capsys):
    two = ["knn", "nb"]
    given = (
        multivariate_csv,
        *TWO,
        *two,
        "--dataset",
        "one",
        "--rope",
        "tpr=0.05",
        "--rope",
        "fpr=0.02",
    )
    assert run(*given) == 0
    expected = bc.bayesian.multivariate_t(
        blocks(multivariate_csv, "one", algorithms=["knn", "nb"]), rope=[0.05, 0.02], seed=1
    )
    assert answer_of(expected) in capsys.readouterr().out
    run(*given, "--json")
    (actual,) = json.loads(capsys.readouterr().out)["results"]
    shares = actual["bayesian"]["verdict"]["probabilities"]
    assert shares == pytest.approx(expected.verdict().probabilities)
    assert actual["hotelling"]["pvalue"] < 1


def test_a_rope_asks_for_the_bayesian_answer_of_several(multivariate_csv, capsys):
    assert run(multivariate_csv, *TWO, "--dataset", "one", "--rope", "0.05") == 0
    out = capsys.readouterr().out
    own = bc.bayesian.groups(blocks(multivariate_csv, "one"), rope=0.05, seed=1)
    assert answer_of(own) in out
    assert "Wilks" in out
    run(multivariate_csv, *TWO, "--rope", "0.05", "--json")
    document = json.loads(capsys.readouterr().out)["results"]
    assert [len(r["bayesian"]["pairs"]) for r in document] == [3, 3]
    with pytest.raises(InputError, match="--rope must be used with --block fold"):
        run(multivariate_csv, *TWO, "--rope", "0.05", "--block", "none")
