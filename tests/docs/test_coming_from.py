"""Coming from another package: the calls of every table run, and rank tests agree."""

from __future__ import annotations

import importlib
import json
import runpy
import warnings
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest

import bayescmp as bc
from tests.rows import each_row
from tests.scores.readers import layouts

PAGES = Path(__file__).parents[2] / "docs" / "coming-from"
CALLS = runpy.run_path(str(PAGES / "calls.py"))
SCORES = PAGES.parents[1] / "examples" / "data" / "scores.csv"
#: Compiles for a minute or more; the benchmarks run its program.
STAN = "two_on_multiple(X, Y, rope=0.01, runs=10)"


@pytest.fixture(scope="module")
def data() -> dict[str, object]:
    """What the tables call by name."""
    rng = np.random.default_rng(3)
    frame = pd.read_csv(SCORES).query("repeat <= 2 and algorithm in ['knn', 'gbm', 'svm']")
    scores = bc.Scores(frame[["dataset", "algorithm", "repeat", "fold", "accuracy"]])
    means = scores.means("accuracy").round(9)  # theirs takes rounding noise for a difference
    x, X = rng.normal(0.8, 0.03, 100), rng.normal(0.8, 0.03, (6, 20))
    return {
        "scores": scores,
        "means": means,
        "a": means.to_numpy(),
        "x": x,
        "X": X,
        "y": x + rng.normal(0.02, 0.03, 100),
        "Y": X + rng.normal(0.02, 0.03, X.shape),
        "x_means": means["knn"].to_numpy(),
        "y_means": means["svm"].to_numpy(),
    }


def rliable(data):
    games = {name: np.random.default_rng(k).random((5, 4)) for k, name in enumerate("ab")}
    return {"scores": games, "tau": np.linspace(0, 1, 5), "x": games["a"], "y": games["b"]}


def tidyposterior(data):
    table = pd.concat(
        [
            layouts.long_table(),
            layouts.long_table(1)[lambda t: t.algorithm == "svm"].assign(algorithm="mlp"),
        ]
    )
    table["algorithm"] = table["algorithm"].replace({"knn": "glmnet", "svm": "ranger"})
    layouts.tidymodels(table[table["dataset"] == "iris"]).to_csv("metrics.csv", index=False)
    scores = bc.Scores.read("metrics.csv", format="tidymodels")
    post = bc.compare(scores, "glmnet", "ranger", "accuracy", rope=0.01)
    blocks = bc.scores_blocks(scores, metrics=["accuracy"])
    return {"scores": scores, "post": post, "groups": bc.bayesian.groups(blocks, rope=0.01)}


def of_means(data):
    nemenyi = bc.frequentist.nemenyi(data["means"])
    return data | {"nemenyi": nemenyi, "result": nemenyi}


def bbtcomp(data):
    return data | {"post": bc.bayesian.bradley_terry(data["scores"], seed=1)}


NAMES = {
    "baycomp": dict,
    "autorank": of_means,
    "scikit-posthocs": lambda d: of_means(d) | {"scores": d["means"]},
    "scmamp": dict,
    "tidyposterior": tidyposterior,
    "bbtcomp": bbtcomp,
    "rliable": rliable,
}


def test_every_page_is_run():
    assert set(NAMES) == {page.stem for page in PAGES.glob("*.md")} - {"index"}


@pytest.mark.slow
@pytest.mark.parametrize("page", NAMES)
def test_our_calls_run(page, data, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    names = {name: getattr(bc, name) for name in bc.__all__} | NAMES[page](data)
    right = CALLS["calls"](page)[1]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", bc.DiagnosticWarning)  # few rows, ties
        values = CALLS["run"](right, names)
    plt.close("all")
    assert len(values) >= 4
    assert all(value is not None for value in values if not isinstance(value, Path))


@each_row(("package", "which"), [("rliable", ""), ("bbtcomp", "make_wintable")])
def test_calls_run_elsewhere_are_those_of_the_page(package, which):
    """docs/coming-from/peers.py runs them in an environment of its own."""
    answers = json.loads((PAGES / "peers.json").read_text("utf-8"))
    on_page = [call for call in CALLS["calls"](package)[0] if call.startswith(which)]
    assert answers["ran"][package] == on_page
    index = (PAGES / "index.md").read_text("utf-8")
    assert f"[{package}]({package}.md) | {answers['versions'][package]} |" in index


@pytest.mark.site
@pytest.mark.parametrize("package", ["baycomp", "autorank", "scikit-posthocs"])
def test_their_calls_run(package, data):
    module = importlib.import_module(package.replace("-", "_"))
    names = vars(module) | data
    left = [call for call in CALLS["calls"](package)[0] if call != STAN]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        if package == "autorank":
            names["result"] = module.autorank(data["means"], force_mode="nonparametric")
        if package == "scikit-posthocs":
            names["p"] = module.posthoc_nemenyi_friedman(data["means"].to_numpy())
            names["ranks"] = dict(enumerate(data["means"].rank(axis=1).mean()))
        assert len(CALLS["run"](left, names)) == len(left) >= 4


@pytest.mark.site
def test_rank_tests_are_those_of_scikit_posthocs(data):
    import scikit_posthocs

    left, right = (calls[:4] for calls in CALLS["calls"]("scikit-posthocs"))
    ours = CALLS["run"](right, {"frequentist": bc.frequentist, "scores": data["means"]})
    theirs = CALLS["run"](left, vars(scikit_posthocs) | data)
    for call, our, their in zip(right, ours, theirs, strict=True):
        np.testing.assert_allclose(our.matrix(), their, rtol=1e-6, atol=1e-9, err_msg=call)
