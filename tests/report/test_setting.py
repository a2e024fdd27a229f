"""The first section of a report: data, metrics, how folds were drawn."""

from __future__ import annotations

import json
import re

import pytest

import bayescmp as bc
from bayescmp.report.setting import setting
from bayescmp.unpaired import RUNS
from tests.report.conftest import plan_of

pytestmark = pytest.mark.usefixtures("without_pictures")

QUIET = {"seed": 1, "engine": "quadrature", "progress": False}


def test_the_setting_is_that_of_the_scores(text, plain):
    data = re.search(r'<script type="application/json" id="bayescmp-data">(.*?)</script>', text)
    setting = json.loads(data.group(1))["setting"]
    assert setting["datasets"] == list(plain.datasets)
    assert setting["algorithms"] == list(plain.algorithms)
    assert setting["uneven"] == []
    assert (
        f"{plain.differences(*plain.algorithms[:2], 'accuracy').rho[0]:g}" in setting["resampling"]
    )


def test_every_setting_is_the_plans(gathered, plain):
    setting = gathered["setting"]
    ropes = {m: (r["low"], r["high"], r["phrase"]) for m, r in setting["ropes"].items()}
    assert ropes == {
        "accuracy": (-0.02, 0.02, "rope ±0.02"), "log_loss": (-0.03, 0.03, "rope ±0.03"),
    }  # fmt: skip
    assert setting["measured"] == ["accuracy (higher is better)", "log_loss (lower is better)"]
    assert (setting["folds"], setting["rows"]) == ([10], len(plain.frame))
    assert (setting["threshold"], setting["alpha"], setting["adjust"]) == (0.95, 0.05, "holm")
    assert (setting["seed"], setting["prior"]) == (1, "")


def test_algorithms_that_are_not_compared_are_not_counted(plain):
    frame = plain.frame
    short = frame[~((frame.algorithm == "knn") & (frame.dataset == "iris") & (frame.fold > 3))]
    for algorithms, folds, rows in ((["gbm", "svm"], [10], 80), (["knn", "svm"], [6, 10], 76)):
        plan = plan_of(bc.Scores(short), "accuracy", 0.02, algorithms=algorithms)
        known = setting(plan)
        assert (known["folds"], known["rows"]) == (folds, rows)
        uneven = [{"dataset": "iris", "algorithm": "knn", "scores": 6, "of": 10}]
        assert known["uneven"] == (uneven if "knn" in algorithms else [])


def test_ropes_are_worded_on_their_scale(plain):
    ropes = {"accuracy": (-0.01, 0.02), "log_loss": 0}
    known = setting(plan_of(plain, ["accuracy", "log_loss"], ropes, threshold=0.9, alpha=0.1))
    assert known["ropes"] == {
        "accuracy": {"low": -0.01, "high": 0.02, "text": "[-0.01, 0.02]", "empty": False,
                     "phrase": "rope [-0.01, 0.02]"},
        "log_loss": {"low": 0, "high": 0, "text": "no region (rope = 0)", "empty": True,
                     "phrase": "no rope"},
    }  # fmt: skip
    assert (known["threshold"], known["alpha"]) == (0.9, 0.1)
    assert known["joint"] == ["accuracy", "log_loss"]
    ratios = setting(plan_of(plain, "accuracy", "1%", scale="log_ratio"))
    assert ratios["ropes"]["accuracy"]["phrase"].endswith("(0.99 to 1.01 times)")


def test_where_an_algorithm_has_fewer_scores_than_another(plain):
    frame = plain.frame
    gone = (frame.algorithm == "gbm") & (frame.dataset == "wine")
    gone |= (frame.algorithm == "svm") & (frame.dataset == "digits") & (frame.fold == 5)
    known = setting(plan_of(bc.Scores(frame[~gone]), "accuracy", 0.02))
    assert known["uneven"] == [
        {"dataset": "wine", "algorithm": "gbm", "scores": 0, "of": 10},
        {"dataset": "digits", "algorithm": "svm", "scores": 8, "of": 10},
    ]  # fmt: skip
    assert (known["folds"], known["rows"]) == ([8, 10], 108)


def test_how_folds_were_drawn_is_of_the_first_pair_that_can_be_compared(plain):
    frame = plain.frame
    first = frame.algorithm == plain.algorithms[0]
    assert setting(plan_of(bc.Scores(frame[~(first & (frame.fold == 1))]), "accuracy", 0.02))[
        "resampling"
    ].startswith("rho 0.2: 5 folds")
    given = setting(plan_of(plain, "accuracy", 0.02, rho=0.3))
    assert given["resampling"] == "rho 0.3: as given"
    apart = frame[frame.fold == frame.algorithm.map({"knn": 1, "gbm": 2, "svm": 3})]
    assert setting(plan_of(bc.Scores(apart), "accuracy", 0.02))["resampling"] == ""


def test_runs_that_do_not_pair_have_no_correlation(plain):
    runs = plain.frame[plain.frame.dataset == "iris"]
    known = setting(plan_of(bc.Scores(runs), "accuracy", 0.02, paired=False))
    assert known["resampling"] == RUNS


def test_a_prior_that_was_given_is_named(plain):
    prior = bc.bayesian.HierarchicalPrior.benavoli2017()
    known = setting(plan_of(plain, "accuracy", 0.02, options={"prior": prior}))
    assert known["prior"] == str(prior)
