"""All kinds of results, made of any scores of three algorithms on four data sets."""

from __future__ import annotations

import json

import pandas as pd

import bayescmp as bc
import bayescmp.bayesian as b
import bayescmp.frequentist as f
from bayescmp.scores.blocks import scores_blocks

NAMES = ("knn", "svm", "gbm")
DATASETS = "pqrs"
QUICK = {"rope": 0.01, "seed": 1}


def places(folds=5):
    """Data set, algorithm and fold of each row."""
    rows = [(d, a, k) for d in DATASETS for a in NAMES for k in range(folds)]
    return pd.DataFrame(rows, columns=["dataset", "algorithm", "fold"])


def results_of(scores):
    """Kind to a function without arguments that makes it, of scores in rmse and auc."""

    def pair(dataset=None):
        x = scores.differences("knn", "svm", "rmse")
        return x if dataset is None else x.row(dataset)

    def blocks(*metrics, dataset="p"):
        return scores_blocks(scores, metrics=list(metrics), dataset=dataset)

    def means():
        return scores.means("rmse")

    def ranked(test, **options):
        return lambda: test(means(), lower_is_better=True, **options)

    def fit():
        return b.hierarchical_t(pair(), engine="quadrature", **QUICK)

    def wins():
        return f.wins_table({d: blocks("rmse", dataset=d) for d in DATASETS})

    return {
        "Differences": pair,
        "Scores": lambda: scores,
        "paired_permutation": lambda: f.paired_permutation(pair("p"), n=99, seed=1),
        "corrected_t": lambda: f.corrected_t(pair("p")),
        "tost_means": lambda: f.tost_means(pair(), rope=0.1),
        "wilcoxon": lambda: f.wilcoxon(pair()),
        "cohens_d": lambda: f.cohens_d(pair("p")),
        "average_ranks": ranked(f.average_ranks),
        "contrast_estimation": ranked(f.contrast_estimation),
        "friedman": ranked(f.friedman),
        "posthoc": ranked(f.posthoc),
        "multiple_sign": ranked(f.multiple_sign, control="svm"),
        "wins_table": wins,
        "sign_tests": lambda: wins().sign_tests(),
        "anova": lambda: f.anova(blocks("rmse")),
        "mauchly": lambda: f.mauchly(blocks("rmse")),
        "tukey": lambda: f.tukey(blocks("rmse")),
        "manova": lambda: f.manova(blocks("rmse", "auc")),
        "pairwise_hotelling": lambda: f.pairwise_hotelling(blocks("rmse", "auc")),
        "learned_measures": lambda: f.learned_measures(blocks("rmse", "auc")),
        "correlated_t": lambda: b.correlated_t(pair("p"), **QUICK),
        "hierarchical_t": fit,
        "verdict": lambda: fit().verdict(),
        "sensitivity": lambda: fit().sensitivity(),
        "sign": lambda: b.sign(pair(), **QUICK),
        "signed_rank": lambda: b.signed_rank(pair(), draws=4000, **QUICK),
        "groups": lambda: b.groups(blocks("rmse", "auc"), rope=[0.01, 0.01], seed=1),
        "friedman, Bayesian": lambda: b.friedman(scores, metric="rmse", seed=1),
        "bootstrap": lambda: b.bootstrap(scores, metric="rmse", **QUICK),
        "bradley_terry": lambda: b.bradley_terry(scores, metric="rmse", seed=1),
        "plackett_luce": lambda: b.plackett_luce(scores, metric="rmse", seed=1),
    }


def shown(result):
    """Text, page, sentences and JSON of a result, and its tables as they are printed."""
    yield "text", str(result)
    yield "page", result._repr_html_() if hasattr(result, "_repr_html_") else str(result)
    for name in ("explain", "to_latex", "to_markdown"):
        if hasattr(result, name):
            yield name, getattr(result, name)()
    if hasattr(result, "to_dict"):
        yield "JSON", json.dumps(result.to_dict(), default=str, ensure_ascii=False)
    if hasattr(result, "summary"):
        yield "summary", result.summary().to_string()
    frame = getattr(result, "frame", None)
    if isinstance(frame, pd.DataFrame) and not isinstance(result, bc.Scores):
        yield "frame", frame.to_string()
