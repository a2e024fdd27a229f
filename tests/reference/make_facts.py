"""Derive tests/reference/tables from the reference data, which stand beside the checkout.

    python -m tests.reference.make_facts ../shared/reference

Sources, as the README of the reference data names them. uci54_statistics.csv,
accuracy_means_uci54.csv, anneal_two_decimals.csv: means and sums of squares and products of the
accuracies of five classifiers on 54 UCI data sets, 10 x 10 folds (BayesianTestsML/tutorial, the
data of Benavoli, Corani, Demšar & Zaffalon 2017, JMLR 18(77)). nhst_slides_two_algorithms.csv:
slides of that tutorial. friedman_gh2008.csv, friedman_gh2010.csv: tables printed in García &
Herrera (2008, JMLR 9:2677) and García, Fernández, Luengo & Herrera (2010, Information Sciences
180:2044), as scmamp has them. demsar2006_*.csv: areas under the curve of four variants of C4.5 on
14 data sets and their ranks, printed in Demšar (2006, JMLR 7:1). aslan_thesis_sign_tests.csv:
tables of wins in chapters 6 and 7 of Aslan's MSc thesis (2009). ojala_garriga_fig1.csv: figure 1
of Ojala & Garriga (2009). rootstock_rencher.csv: Rencher, Methods of Multivariate Analysis,
example 6.1, as heplots has it. effluent_johnson_wichern.csv: Johnson & Wichern, example 6.1.
handcream_quade.csv: Conover (1999, p. 375), the example of R's quade.test.
baycomp_docs_means_percent.csv: the example of baycomp's documentation. iris_5x2cv_mlxtend.csv:
scores of an example of mlxtend's documentation, run with mlxtend 0.25.0. cv_confusion_sklearn.csv:
counts of five scikit-learn classifiers on four tasks, first of ten repeats. expected.json: values
of R's manova and TukeyHSD and of psych::mardia for these counts.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import numpy as np
import pandas as pd

from tests.reference.tables import CLASSIFIERS, TABLES, blocks_of

PRINTED = (
    "accuracy_means_uci54",
    "aslan_thesis_sign_tests",
    "baycomp_docs_means_percent",
    "demsar2006_auc",
    "demsar2006_published_ranks",
    "effluent_johnson_wichern",
    "friedman_gh2008",
    "friedman_gh2010",
    "handcream_quade",
    "iris_5x2cv_mlxtend",
    "nhst_slides_two_algorithms",
    "ojala_garriga_fig1",
    "rootstock_rencher",
)
#: Kinds of expected values on the counts that tests read from expected.json.
KINDS = ("mardia", "pairedT2", "oneway", "blocked", "rank4oneway")


def statistics(data: Path) -> pd.DataFrame:
    """Means and scatter of the five accuracies, by data set and block of folds."""
    frame = pd.read_csv(data / "accuracy_10x10cv_uci54.csv")
    wide = frame.pivot(
        index=["dataset_id", "repeat", "fold"], columns="algorithm", values="accuracy"
    )[list(CLASSIFIERS)]
    upper = np.triu_indices(5)
    names = [f"ss_{CLASSIFIERS[a]}_{CLASSIFIERS[b]}" for a, b in zip(*upper, strict=True)]
    rows = []
    for dataset, part in wide.groupby(level="dataset_id"):
        for at in blocks_of(int(dataset)):
            x = part.to_numpy()[at]
            e = x - x.mean(axis=0)
            scatter = (e.T @ e)[upper]
            rows.append(
                {
                    "dataset_id": dataset,
                    "folds": len(x),
                    **{
                        n: float(f"{m:.13g}")
                        for n, m in zip(CLASSIFIERS, x.mean(axis=0), strict=True)
                    },
                    **{n: float(f"{s:.10g}") for n, s in zip(names, scatter, strict=True)},
                }
            )
    return pd.DataFrame(rows)


def rounded_differences(data: Path) -> pd.DataFrame:
    """Statistics of nbc - aode on anneal, of percentages rounded to two decimals.

    A notebook of the tutorial stores its accuracies so.
    """
    frame = pd.read_csv(data / "accuracy_10x10cv_uci54.csv").query("dataset_id == 1")
    wide = frame.pivot(index=["repeat", "fold"], columns="algorithm", values="accuracy")
    x = (100 * wide["nbc"]).round(2) / 100 - (100 * wide["aode"]).round(2) / 100
    return pd.DataFrame({"n": [len(x)], "mean": [x.mean()], "ss": [((x - x.mean()) ** 2).sum()]})


def expected(reference: Path) -> list[dict]:
    entries = json.loads((reference / "expected.json").read_text(encoding="utf-8"))
    return [
        {k: e[k] for k in ("name", "expected", "tolerance", "kind", "source") if k in e}
        for e in entries
        if e["name"].startswith("cvconf|") and set(KINDS) & set(e["name"].split("|"))
    ]


def facts(reference: Path) -> dict[str, str]:
    """Every file of tests/reference/tables, as text."""
    data = reference / "data"
    counts = pd.read_csv(data / "cv_confusion_sklearn.csv").query("repeat == 1")
    files = {f"{name}.csv": (data / f"{name}.csv").read_text("utf-8") for name in PRINTED}
    return {
        **files,
        "uci54_statistics.csv": statistics(data).to_csv(index=False),
        "anneal_two_decimals.csv": rounded_differences(data).to_csv(
            index=False, float_format="%.14g"
        ),
        "cv_confusion_sklearn.csv": counts.to_csv(index=False),
        "expected.json": json.dumps(expected(reference), indent=0) + "\n",
    }


if __name__ == "__main__":
    TABLES.mkdir(exist_ok=True)
    for name, text in facts(Path(sys.argv[1])).items():
        (TABLES / name).write_text(text, encoding="utf-8")
