"""Whatever is computed from a labelled metric prints which way it is better."""

from __future__ import annotations

import json
from functools import cache

import numpy as np
import pandas as pd
import pytest

import bayescmp as bc
import bayescmp.bayesian as b
import bayescmp.frequentist as f
from bayescmp.score_blocks import scores_blocks

NAMES = ("knn", "svm", "gbm")
QUICK = {"rope": 0.01, "seed": 1}


@cache
def scores():
    """Errors and times of three algorithms, five folds of each of four data sets."""
    rng = np.random.default_rng(3)
    places = [(d, a, k) for d in "pqrs" for a in NAMES for k in range(5)]
    table = pd.DataFrame(places, columns=["dataset", "algorithm", "fold"])
    return bc.Scores(table.assign(rmse=rng.uniform(1, 2, 60), auc=rng.uniform(0.6, 0.9, 60)))


def pair(dataset=None):
    x = scores().differences("knn", "svm", "rmse")
    return x if dataset is None else x.row(dataset)


def blocks(*metrics, dataset="p"):
    return scores_blocks(scores(), metrics=list(metrics), dataset=dataset)


def means():
    return scores().means("rmse")


def ranked(test, **options):
    return lambda: test(means(), lower_is_better=True, **options)


def fit():
    return b.hierarchical_t(pair(), engine="quadrature", **QUICK)


def wins():
    return f.wins_table({d: blocks("rmse", dataset=d) for d in "pqrs"})


RESULTS = {
    "Differences": pair,
    "Scores": scores,
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
    "friedman, Bayesian": lambda: b.friedman(scores(), metric="rmse", seed=1),
    "bootstrap": lambda: b.bootstrap(scores(), metric="rmse", **QUICK),
    "bradley_terry": lambda: b.bradley_terry(scores(), metric="rmse", seed=1),
    "plackett_luce": lambda: b.plackett_luce(scores(), metric="rmse", seed=1),
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


@pytest.mark.parametrize("name", RESULTS)
def test_lower_is_better_is_printed_everywhere(name):
    printed = dict(shown(RESULTS[name]()))
    expected = {
        "to_latex": (r"rmse $\downarrow$",),
        "page": ("rmse ↓", "lower"),
        "JSON": ("lower",),
        "explain": ("rmse ↓", "(lower"),
    }
    for part, text in printed.items():
        assert any(words in text for words in expected.get(part, ["rmse ↓"])), part


def test_tables_of_bare_numbers_have_no_direction():
    assert f.average_ranks(means().to_numpy()).frame.columns.name is None
    assert f.contrast_estimation(means().to_numpy()).directions == ()
    assert str(f.WinsTable.from_counts([[0, 3], [1, 0]], 5)).startswith("Wins over 5 data sets")


def test_differences_say_who_improves_on_whom():
    """They are flipped: minus would turn them round."""
    text = repr(pair())
    assert "of rmse ↓: improvement of svm over knn" in text
    assert "minus" not in text
    hotelling = f.hotelling_paired(blocks("rmse", "auc").select(algorithms=["knn", "svm"]))
    assert "  improvement of svm over knn: rmse " in str(hotelling)
    assert "improvement of svm over knn" in hotelling._repr_html_()
    gain = -(means()["svm"] - means()["knn"]).median()  # of the two, where lower is better
    contrasts = f.contrast_estimation(means(), lower_is_better=True)
    assert contrasts.medians[0, 1] == pytest.approx(gain)
