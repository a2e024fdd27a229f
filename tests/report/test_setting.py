"""The first section of a report: data, metrics, how folds were drawn."""

from __future__ import annotations

import json
import re

import pytest

import bayescmp as bc
from bayescmp.crosscheck.plan import make_plan
from bayescmp.report.setting import setting

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
        plan = make_plan(
            bc.Scores(short), "accuracy", 0.02, metrics=None, algorithms=algorithms, datasets=None,
            twins=None, threshold=0.95, alpha=0.05, adjust_by="holm", rho=None, seed=1, options={},
        )  # fmt: skip
        known = setting(plan)
        assert (known["folds"], known["rows"]) == (folds, rows)
        uneven = [{"dataset": "iris", "algorithm": "knn", "scores": 6, "of": 10}]
        assert known["uneven"] == (uneven if "knn" in algorithms else [])
