"""The report's part on several metrics together."""

from __future__ import annotations

import json
import re
import warnings

import numpy as np
import pandas as pd

import bayescmp as bc

QUIET = {"seed": 1, "engine": "quadrature", "progress": False}


def embedded(text):
    found = re.search(r'<script type="application/json" id="bayescmp-data">(.*?)</script>', text)
    return json.loads(found.group(1))


def test_several_metrics(tmp_path):
    rng = np.random.default_rng(2)
    rows = []
    for dataset in ("one", "two"):
        for fold in range(1, 21):
            for name, (tpr, fpr) in {"plain": (0.8, 0.2), "shy": (0.7, 0.1)}.items():
                tp, fp = rng.binomial(50, tpr), rng.binomial(50, fpr)
                counts = {"tp": tp, "fn": 50 - tp, "fp": fp, "tn": 50 - fp}
                rows.append({"dataset": dataset, "algorithm": name, "fold": fold, **counts})
    scores = pd.DataFrame(rows)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", bc.DiagnosticWarning)
        file, markdown, latex = bc.report(
            scores, [tmp_path / f"r.{kind}" for kind in ("html", "md", "tex")],
            rope={"error": 0.02, "tpr": 0.02, "fpr": 0.02},
            metric="error", metrics=["tpr", "fpr"], **QUIET,
        )  # fmt: skip
        found = bc.crosscheck(
            scores, "error", {"error": 0.02, "tpr": 0.02, "fpr": 0.02}, metrics=["tpr", "fpr"],
            **QUIET,
        ).frame  # fmt: skip
    text = file.read_text(encoding="utf-8")
    several = embedded(text)["several"]
    assert several["agreement"] == {"both": 0, "joint": 2, "single": 0, "none": 0, "failed": 0}
    assert several["pairs"][0]["trade_off"] == 2
    joint = found[found["metric"] == "tpr, fpr"]
    place = several["columns"].index("pvalue")
    assert [r[place] for r in several["rows"]] == list(joint["pvalue"])
    assert "significant only in (tpr, fpr) together" in text
    assert "<h1>2 algorithms compared by error, tpr, fpr</h1>" in text
    assert "Differences in fpr within ±0.02 count as practically equivalent." in text
    assert "of folds, taking differences within ±0.02 in tpr and ±0.02 in fpr as" in text
    assert "Hotelling" in text
    assert "Yıldız et al. 2011" in text
    assert "| plain | shy | 0 | 0 | 0 | 2 | 0 | 2 | 2 | 0 |" in markdown.read_text(
        encoding="utf-8"
    )
    assert r"plain & shy & 0 & 0 & 0 & 2 & 0 & 2 \\" in latex.read_text(encoding="utf-8")
