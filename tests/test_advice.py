"""Every way out that a message of the package names is gone here, on the input that it is about.

A case has words of the message, the call that it refuses, and what it advises. Cases of tables,
items and the command line are in tests/scores/test_advice.py, tests/items and
tests/commands/test_advice.py.
"""

from __future__ import annotations

import sqlite3
from contextlib import closing
from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.cluster import FeatureAgglomeration
from sklearn.datasets import load_iris
from sklearn.ensemble import VotingClassifier
from sklearn.model_selection import GridSearchCV
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.tree import DecisionTreeClassifier

import bayescmp as bc
import bayescmp.bayesian as b
import bayescmp.frequentist as f
import bayescmp.study.crosscheck
from bayescmp import curves, plots
from bayescmp.commands.cli import main
from bayescmp.experiment.config import read_config
from bayescmp.experiment.store import CheckpointError
from tests.reference.printed_results import by_fake
from tests.study.procedure.test_study import counted_scores

RNG = np.random.default_rng(3)
X = [0.02, 0.035, 0.01, 0.04, 0.025, 0.03]
ROWS = [[0.02, 0.03, 0.01], [0.03, 0.01, 0.02], [0.01, 0.02, 0.04]]
FOLDS = {"rho": 0.1, "rope": 0.01}
ON_GRID = {"engine": "quadrature", "seed": 1}
P = RNG.normal(0.02, 0.01, (12, 2))
L3 = RNG.normal(0.8, 0.02, (3, 8))
MEANS = RNG.normal(0.8, 0.03, (9, 3))
BLOCKS = bc.Blocks(
    RNG.normal(0.8, 0.02, (3, 12, 2)), metrics=["tpr", "tnr"], algorithms=list("abc"), rho=0.1
)


def table(algorithms="abc", datasets="pq", folds=10, metrics=("accuracy",)):
    """Scores of each fold."""
    rows = [(d, a, k) for d in datasets for a in algorithms for k in range(folds)]
    frame = pd.DataFrame(rows, columns=["dataset", "algorithm", "fold"])
    values = RNG.normal(0.8, 0.02, (len(frame), len(metrics)))
    return frame.assign(**dict(zip(metrics, values.T, strict=True)))


SCORES, TWO = bc.Scores(table()), bc.Scores(table(metrics=("accuracy", "f1")))
#: Seeds of its own for each algorithm.
SEPARATE = bc.Scores(
    table().assign(seed=lambda t: t["fold"] + 100 * t["algorithm"].map(ord)).drop(columns="fold"),
    missing="common",
)
ONE_SET = bc.Scores(table(datasets="p"))
OF_MEANS = bc.Scores.from_means(pd.DataFrame(MEANS, columns=list("abc")), metric="accuracy")
PAIR = SCORES.differences("a", "b")
NO_SPREAD = np.c_[X, np.zeros(6)]
HAND = (20, 5, 4, 21), (22, 3, 5, 20)
Y = np.arange(20) % 2
ITEMS = bc.Items(
    pd.DataFrame(
        [
            (m, k, i, int(RNG.random() < 0.6))
            for m in "ab"
            for k in ("one", "two")
            for i in range(30)
        ],
        columns=["model", "benchmark", "item", "correct"],
    )
)
SPARSE_RANKS = [[0.9, 0.8, np.nan], [0.7, np.nan, 0.6], [np.nan, 0.5, 0.8], [0.8, 0.9, 0.7]]
PAIRS_OF_FOUR = [0.01, 0.02, 0.03, 0.04, 0.05, 0.06]
KIND = "one metric, two algorithms, one data set, one threshold"
EXACT = {"method": "exact"}
TIED = np.round(RNG.random((200, 12)), 1)


def fitted(rope=0.01, **options):
    return b.multivariate_t(P, rho=0.1, rope=rope, metrics=["tpr", "tnr"], **options)


def search():
    """A grid search over depths."""
    return GridSearchCV(DecisionTreeClassifier(random_state=0), {"max_depth": [1, 3]}, cv=5)


def found_by(**options):
    refit = bc.sklearn.practically_best(0.05, complexity="max_depth", **options)
    return search().set_params(refit=refit).fit(*load_iris(return_X_y=True))


#: Probabilities of the positive class.
SURE = np.linspace(0.05, 0.95, 20)
NEGATED = SCORES.frame.assign(rmse=lambda t: -t["accuracy"]).drop(columns="accuracy")
MEANS_AND_SE = pd.DataFrame({"model": ["a", "b"], "accuracy": [0.84, 0.81], "se": [0.01, 0.02]})


#: Words of the message, what it refuses, and each way that it names.
CASES = {
    "Leave out what is masked": (
        lambda: f.paired_t(np.ma.array(X, mask=[1, 0, 0, 0, 0, 0])),
        lambda: f.paired_t(np.ma.array(X, mask=[1, 0, 0, 0, 0, 0]).compressed()),
        lambda: f.paired_t(np.ma.array(X, mask=[1, 0, 0, 0, 0, 0]).filled(0.02)),
    ),
    "Pass x.toarray()": (
        lambda: f.hotelling_paired(sparse.csr_matrix(P)),
        lambda: f.hotelling_paired(sparse.csr_matrix(P).toarray()),
    ),
    "adjust must be left out": (
        lambda: f.wins_table([L3, L3], adjust="holm"),
        lambda: f.wins_table([L3, L3]),
    ),
    "Give the metric in another unit": (
        lambda: f.paired_t(np.multiply(X, 1e200)),
        lambda: f.paired_t(np.multiply(X, 1e200) / 1e200),
    ),
    "joint must be left out with predictions": (
        lambda: b.confusion(
            joint=np.ones((2, 2, 2)), predictions=(Y, Y, Y), metric="accuracy", rope=0.01
        ),
        lambda: b.confusion(predictions=(Y, Y, 1 - Y), metric="accuracy", rope=0.01),
    ),
    "Use repeats=1 for test sets": (
        lambda: b.confusion([HAND[0]] * 2, [HAND[1]] * 2, metric="accuracy", rope=0.01),
        lambda: b.confusion([HAND[0]] * 2, [HAND[1]] * 2, metric="accuracy", rope=0.01, repeats=1),
    ),
    "Give another metric, or a prior": (
        lambda: b.confusion(
            *HAND, metric=lambda tp, fn, fp, tn: tp / (0 * tp), rope=0.01, prior=1e-9
        ),
        lambda: b.confusion(*HAND, metric="accuracy", rope=0.01),
    ),
    "leave out engine and noise": (
        lambda: b.groups(L3, variances="own", noise="t", engine="fake", **FOLDS),
        lambda: b.groups(L3, variances="own", **FOLDS),
    ),
    "For one use bayescmp.bayesian.correlated_t": (
        lambda: b.hierarchical_t([X], **FOLDS),
        lambda: b.correlated_t([X], **FOLDS),
    ),
    "For means use bayescmp.bayesian.signed_rank": (
        lambda: b.hierarchical_t([[v] for v in X], **FOLDS),
        lambda: b.signed_rank([[v] for v in X], rope=0.01, seed=1),
    ),
    "Use rope=0.01, for instance": (
        lambda: b.hierarchical_t(np.zeros((3, 5)), rho=0.1, rope=0, **ON_GRID),
        lambda: b.hierarchical_t(np.zeros((3, 5)), rho=0.1, rope=0.01, **ON_GRID),
        lambda: b.hierarchical_t(np.zeros((3, 5)), rho=0.1, rope=0, resolution=0.01, **ON_GRID),
    ),
    "For Scores use pair_blocks": (
        lambda: b.hierarchical_multivariate_t(TWO, rope=[0.01, 0.01]),
        lambda: by_fake(
            b.hierarchical_multivariate_t,
            b.pair_blocks(TWO, "a", "b", metrics=["accuracy", "f1"]),
            rope=[0.01, 0.01],
        ),
    ),
    "Use bayescmp.bayesian.multivariate_t for": (
        lambda: b.hierarchical_multivariate_t([P], rho=0.1, rope=[0.01, 0.01]),
        lambda: b.multivariate_t(P, rho=0.1, rope=[0.01, 0.01]),
    ),
    "use bayescmp.bayesian.hierarchical_t metric by": (
        lambda: b.hierarchical_multivariate_t([P[:2], P[2:4]], rho=0.1, rope=[0.01, 0.01]),
        lambda: b.hierarchical_t([P[:2, 0], P[2:4, 0]], **FOLDS, **ON_GRID),
        lambda: by_fake(b.hierarchical_multivariate_t, [P[:6], P[6:]], rho=0.1, rope=[0.01, 0.01]),
    ),
    "Pick them with Blocks.pair": (
        lambda: b.hierarchical_multivariate_t([BLOCKS, BLOCKS], rope=[0.01, 0.01]),
        lambda: by_fake(
            b.hierarchical_multivariate_t,
            [BLOCKS.pair("a", "b"), BLOCKS.pair("a", "b")],
            rope=[0.01, 0.01],
        ),
    ),
    "bayescmp.bayesian.bootstrap reports that all": (
        lambda: by_fake(b.joint_t, np.full((4, 3, 5), 0.5), **FOLDS),
        lambda: b.bootstrap(np.full((4, 3, 5), 0.5), seed=1, **FOLDS),
    ),
    "For means use bayescmp.bayesian.bootstrap": (
        lambda: by_fake(b.joint_t, OF_MEANS, rope=0.01),
        lambda: b.bootstrap(OF_MEANS, rope=0.01, seed=1),
        lambda: b.friedman(OF_MEANS, seed=1),
    ),
    "Put them last": (
        lambda: b.bootstrap(np.r_["1", [[[np.nan] * 3] * 1] * 4, np.ones((4, 1, 3))], **FOLDS),
        lambda: b.bootstrap(RNG.random((4, 3, 3)), seed=1, **FOLDS),
    ),
    "On one data set use bayescmp.bayesian.groups": (
        lambda: b.bootstrap(ONE_SET, rope=0.01, seed=1),
        lambda: b.groups(ONE_SET, rope=0.01, seed=1),
    ),
    "Leave it out with scores.select": (
        lambda: b.bootstrap(lacking("c"), rope=0.01, seed=1),
        lambda: b.bootstrap(lacking("c").select(algorithms=["a", "b"]), rope=0.01, seed=1),
    ),
    "Fit again with that rope, or with resolution=": (
        lambda: b.multivariate_t(NO_SPREAD, rho=0.1, rope=[0.01, 0]).verdict(rope=[0.01, 0.02]),
        lambda: b.multivariate_t(NO_SPREAD, rho=0.1, rope=[0.01, 0.02]).verdict(),
        lambda: b.multivariate_t(
            NO_SPREAD, rho=0.1, rope=[0.01, 0], resolution=[0.001, 0.001]
        ).verdict(rope=[0.01, 0.02]),
    ),
    "Choose them with posterior.select": (
        lambda: three_metrics().ellipsoid().outline(),
        lambda: three_metrics().select(["m1", "m2"]).ellipsoid().outline(),
    ),
    "Pick them with x.pair(first, second)": (
        lambda: b.multivariate_t(BLOCKS, rope=[0.01, 0.01]),
        lambda: b.multivariate_t(BLOCKS.pair("a", "c"), rope=[0.01, 0.01]),
        lambda: b.groups(BLOCKS, rope=[0.01, 0.01], seed=1),
    ),
    "Use bayescmp.bayesian.cluster_bootstrap, or a fit": (
        lambda: b.paired_proportions(np.tile([1, 0], 10), np.ones(20), rope=0.01).without([0]),
        lambda: b.cluster_bootstrap(
            np.tile([0.1, 0.3, 0.2, 0.6], 5), clusters=np.arange(20) // 2, rope=0.01, seed=1
        ).without(np.array([0])),
    ),
    "Give e.g. 1 for scores from 0 to 1": (
        lambda: b.cluster_bootstrap(np.zeros(20), clusters=np.arange(20) // 2, rope=0.01, seed=1),
        lambda: b.cluster_bootstrap(
            np.zeros(20), clusters=np.arange(20) // 2, rope=0.01, seed=1, span=1
        ),
    ),
    "Pick it with x.row(name), or use": (
        lambda: b.correlated_t(PAIR, rope=0.01),
        lambda: b.correlated_t(PAIR.row("p"), rope=0.01),
        lambda: b.hierarchical_t(PAIR, rope=0.01, **ON_GRID),
    ),
    "Pick it with x.on(name), or compare them all": (
        lambda: b.paired_proportions(ITEMS.pair("a", "b"), rope=0.01),
        lambda: b.paired_proportions(ITEMS.pair("a", "b").on("one"), rope=0.01),
        lambda: bc.compare(ITEMS, "a", "b", rope=0.01, **ON_GRID),
    ),
    "or use correlated_t": (
        lambda: by_fake(b.robust_t, np.zeros(6), **FOLDS),
        lambda: by_fake(b.robust_t, np.zeros(6), resolution=0.01, **FOLDS),
        lambda: b.correlated_t(np.zeros(6), **FOLDS),
    ),
    "Leave one group out": (
        lambda: b.bradley_terry(won([("a", "b"), ("b", "a"), ("c", "d"), ("d", "c")]), seed=1),
        lambda: b.bradley_terry(won([("a", "b"), ("b", "a")]), seed=1),
    ),
    "Use bayescmp.bayesian.correlated_t on the folds": (
        lambda: b.signed_rank(PAIR.row("p"), rope=0.01),
        lambda: b.correlated_t(PAIR.row("p"), rope=0.01),
    ),
    "resolution must be given if first holds equal scores": (
        lambda: b.two_sample_t([0.5, 0.5], [0.5, 0.5], rope=0.01),
        lambda: b.two_sample_t([0.5, 0.5], [0.5, 0.5], rope=0.01, resolution=0.01),
    ),
    "pass the column of the positive class": (
        lambda: curves.auc([[0, 1, 0, 1]], RNG.random((1, 4, 2))),
        lambda: curves.auc([[0, 1, 0, 1]], RNG.random((1, 4, 2))[..., 1]),
    ),
    "Choose it with x.row(": (
        lambda: f.cohens_d(PAIR),
        lambda: f.cohens_d(PAIR.row("p")),
        lambda: f.wilcoxon(PAIR),
    ),
    "Without names give numbers, one row per algorithm: x.T.to_numpy()": (
        lambda: f.tukey(pd.DataFrame(MEANS)),
        lambda: f.tukey(pd.DataFrame(MEANS).T.to_numpy()),
    ),
    "For one side use method='exact'": (
        lambda: f.mcnemar(Y, 1 - Y, method="chi2", alternative="greater"),
        lambda: f.mcnemar(Y, 1 - Y, method="exact", alternative="greater"),
    ),
    "Use 'shaffer', which is nearly as powerful": (
        lambda: f.posthoc(RNG.random((5, 12)), adjust="bergmann-hommel"),
        lambda: f.posthoc(RNG.random((5, 12)), adjust="shaffer"),
        lambda: f.posthoc(RNG.random((5, 12)), control=0),
    ),
    "Against a control use 'holm', 'hommel' or 'bonferroni'": (
        lambda: f.adjust(PAIRS_OF_FOUR[:5], "shaffer"),
        *(partial(f.adjust, PAIRS_OF_FOUR[:5], m) for m in ("holm", "hommel", "bonferroni")),
    ),
    "For unpaired scores use block=False": (
        lambda: f.manova([P, P[:9]], block=True),
        lambda: f.manova([P, P[:9]], block=False),
    ),
    "for mardia (got 3). Use x.select(algorithms=[...]), with one": (
        lambda: f.mardia(BLOCKS),
        lambda: f.mardia(BLOCKS.select(algorithms=["a"])),
        lambda: f.mardia(BLOCKS.select(algorithms=["a", "b"])),
    ),
    "For all pairs use pairwise_hotelling(x)": (
        lambda: f.hotelling_paired(BLOCKS),
        lambda: f.hotelling_paired(BLOCKS.pair("a", "b")),
        lambda: f.pairwise_hotelling(BLOCKS),
    ),
    "for more than 8 algorithms": (
        lambda: f.friedman(RNG.random((3, 9)), **EXACT),
        lambda: f.friedman(RNG.random((3, 9)), method="permutation", seed=1),
    ),
    "which samples them, or 'asymptotic'": (
        lambda: f.friedman(RNG.random((40, 8)), **EXACT),
        lambda: f.friedman(RNG.random((40, 8)), method="permutation", seed=1),
        lambda: f.friedman(RNG.random((40, 8)), method="asymptotic"),
    ),
    "Use distribution='exact'": (
        lambda: f.posthoc([[1, 2, 3.0]] * 4, distribution="t"),
        lambda: f.posthoc([[1, 2, 3.0]] * 4, distribution="exact"),
    ),
    "'hommel' or 'bonferroni' (Dunn)": (
        lambda: f.posthoc(MEANS, control=0, adjust="shaffer"),
        *(partial(f.posthoc, MEANS, control=0, adjust=m) for m in ("holm", "hommel")),
    ),
    "'normal' or 'exact' with test='aligned'": (
        lambda: f.posthoc(MEANS, test="aligned", distribution="t"),
        lambda: f.posthoc(MEANS, test="aligned", distribution="exact"),
        lambda: f.posthoc(MEANS, test="quade", distribution="t"),
    ),
    "method='asymptotic', which is accurate at that size": (
        lambda: f.mann_whitney(RNG.random(150), RNG.random(150), **EXACT),
        lambda: f.mann_whitney(RNG.random(150), RNG.random(150), method="asymptotic"),
    ),
    "algorithms). Use method='asymptotic'": (
        lambda: f.kruskal_wallis(RNG.random((8, 8)), **EXACT),
        lambda: f.kruskal_wallis(RNG.random((8, 8)), method="asymptotic"),
    ),
    "for more than 12 algorithms": (
        lambda: f.page_trend(RNG.random((3, 13)), **EXACT),
        lambda: f.page_trend(RNG.random((3, 13)), method="asymptotic"),
    ),
    "algorithms). Use method='permutation'.": (
        lambda: f.multiple_sign(TIED, control=0, **EXACT),
        lambda: f.multiple_sign(TIED, control=0, method="permutation", resamples=999, seed=1),
    ),
    "Use skillings_mack(": (
        lambda: f.friedman(SPARSE_RANKS),
        lambda: f.skillings_mack(SPARSE_RANKS),
        lambda: f.friedman(pd.DataFrame([*SPARSE_RANKS, *MEANS]).dropna()),
    ),
    "For folds use bayescmp.bayesian.correlated_t": (
        lambda: f.confidence_sequence(PAIR.row("p")),
        lambda: b.correlated_t(PAIR.row("p"), rope=0.01),
    ),
    "Pick it with d.row": (
        lambda: f.confidence_sequence(bc.Differences(ROWS, rho=0)),
        lambda: f.confidence_sequence(bc.Differences(ROWS, rho=0).row("1")),
    ),
    "bounds must contain every difference": (
        lambda: f.confidence_sequence([0.1, 2.0, 0.3]),
        lambda: f.confidence_sequence([0.1, 2.0, 0.3], bounds=(-2, 2)),
    ),
    "Pick it with d.on": (
        lambda: f.confidence_sequence(ITEMS.pair("a", "b")),
        lambda: f.confidence_sequence(ITEMS.pair("a", "b").on("one")),
    ),
    "Use method='normal', which is accurate": (
        lambda: f.wilcoxon(RNG.normal(size=30_000), **EXACT),
        lambda: f.wilcoxon(RNG.normal(size=30_000), method="normal"),
    ),
    "Use mann_whitney or two_sample_permutation": (
        lambda: f.brunner_munzel([0.1, 0.2, 0.3], [0.7, 0.8, 0.9]),
        lambda: f.mann_whitney([0.1, 0.2, 0.3], [0.7, 0.8, 0.9]),
        lambda: f.two_sample_permutation([0.1, 0.2, 0.3], [0.7, 0.8, 0.9], seed=1),
    ),
    "(got rows of 4 to 6). For unpaired scores use block=False": (
        lambda: f.anova([X, X[:4]]),
        lambda: f.anova([X, X[:4]], block=False),
    ),
    "Use x.select(metrics=[...])": (
        lambda: f.anova(BLOCKS),
        lambda: f.anova(BLOCKS.select(metrics=["tpr"])),
    ),
    "With a ROPE use bayescmp.plots.plot_simplex": (
        lambda: plots.plot_histogram(b.signed_rank(X, rope=0, seed=1), rope=0.01),
        lambda: plots.plot_simplex(b.signed_rank(X, rope=0.01, seed=1)),
    ),
    "ax must have one axes per metric": (
        lambda: plots.plot_forest(b.groups(BLOCKS, rope=[0.01, 0.01], seed=1), ax=panels(3)),
        lambda: plots.plot_forest(b.groups(BLOCKS, rope=[0.01, 0.01], seed=1), ax=panels(2)),
    ),
    "Use bayescmp.plots.plot_density, or give a ROPE": (
        lambda: plots.plot_simplex(b.signed_rank(X, rope=0, seed=1)),
        lambda: plots.plot_density(hierarchical(0)),
        lambda: plots.plot_simplex(b.signed_rank(X, rope=0.01, seed=1)),
    ),
    "Use bayescmp.plots.plot_verdict_bar of the verdict, or plot_density": (
        lambda: plots.plot_simplex(hierarchical((-0.01, np.inf))),
        lambda: plots.plot_verdict_bar(hierarchical((-0.01, np.inf)).verdict()),
        lambda: plots.plot_density(hierarchical((-0.01, np.inf))),
    ),
    "bayescmp.plots.plot_verdict_bar for the verdict by one": (
        lambda: plots.plot_regions(b.multivariate_t(P[:, :1], rho=0.1, rope=[0.01])),
        lambda: plots.plot_verdict_bar(b.multivariate_t(P[:, :1], rho=0.1, rope=[0.01]).verdict()),
    ),
    "metrics must be two, metrics=(a, b)": (
        lambda: plots.plot_regions(three_metrics()),
        lambda: plots.plot_regions(three_metrics(), metrics=("m1", "m2")),
    ),
    "or give finite ropes": (
        lambda: plots.plot_regions(fitted(rope=[(-0.01, np.inf)] * 2)),
        lambda: plots.plot_verdict_bar(fitted(rope=[(-0.01, np.inf)] * 2).verdict()),
        lambda: plots.plot_regions(fitted()),
    ),
    "Give the search's own cv": (
        lambda: found_by(),
        lambda: found_by(resampling=5),
        lambda: found_by(rho=0.2),
    ),
    "For several give Scores": (
        lambda: bc.compare(PAIR, metric=["accuracy", "f1"], rope=0.01),
        lambda: bc.compare(
            bc.Scores(table(datasets="p", metrics=("accuracy", "f1"))),
            "a",
            "b",
            metric=["accuracy", "f1"],
            rope=0.01,
        ),
    ),
    "Name one with dataset=...": (
        lambda: bc.compare(TWO, "a", "b", ["accuracy", "f1"], 0.01, test="multivariate_t"),
        lambda: bc.compare(
            TWO, "a", "b", ["accuracy", "f1"], 0.01, test="multivariate_t", dataset="p"
        ),
    ),
    "compare on all with test='hierarchical_two_sample_t'": (
        lambda: bc.compare(SEPARATE, "a", "b", rope=0.01, test="two_sample_t"),
        lambda: bc.compare(SEPARATE, "a", "b", rope=0.01, test="two_sample_t", dataset="p"),
        lambda: bc.compare(SEPARATE, "a", "b", rope=0.01, test="hierarchical_two_sample_t"),
    ),
    "Give margin, the finite bound of the ROPE": (
        lambda: bc.gate(SCORES, "a", "b", rope=(-0.02, np.inf)),
        lambda: bc.gate(SCORES, "a", "b", margin=0.02),
    ),
    "whose posterior is a point). Use cdf, or fit with a ROPE": (
        lambda: b.correlated_t([0.0] * 3, rho=0.1).pdf(0.0),
        lambda: b.correlated_t([0.0] * 3, rho=0.1).cdf(0.0),
        lambda: b.correlated_t([0.0] * 3, rho=0.1, rope=0.01).pdf(0.0),
    ),
    "If they are scores, use metric='roc_auc', or give the labels": (
        lambda: b.metric_by_weights(Y, [SURE, SURE[::-1]], metric="accuracy", rope=0.01),
        lambda: b.metric_by_weights(Y, [SURE, SURE[::-1]], metric="roc_auc", rope=0.01),
        lambda: b.metric_by_weights(Y, [SURE > 0.5, SURE < 0.5], metric="accuracy", rope=0.01),
    ),
    "Use bayescmp.bayesian.leaderboard or question_bootstrap of the scores": (
        lambda: b.bootstrap(MEANS, rope=0.01, seed=1).scoreboard(),
        lambda: b.leaderboard(MEANS, rope=0.01, questions=100, seed=1).scoreboard(),
        lambda: b.question_bootstrap(TIED, rope=0.01, seed=1).scoreboard(),
    ),
    "have folds, or several data sets": (
        lambda: bc.compare(OF_MEANS.select(datasets=OF_MEANS.datasets[:1]), "a", "b", rope=0.01),
        lambda: bc.compare(ONE_SET, "a", "b", rope=0.01),
        lambda: bc.compare(OF_MEANS, "a", "b", rope=0.01, seed=1),
    ),
    "Give keep_posteriors=True": (
        lambda: checked(keep_posteriors=False).posterior("a", "b"),
        lambda: checked(keep_posteriors=True).posterior("a", "b"),
    ),
    "or scores of questions": (
        lambda: b.leaderboard(OF_MEANS, rope=0.01, errors=0.02, seed=1).plan("a", "b"),
        lambda: b.leaderboard(OF_MEANS, rope=0.01, questions=500, seed=1).plan("a", "b"),
        lambda: b.leaderboard(ITEMS.scores(), rope=0.01, seed=1).plan("a", "b"),
    ),
    "bayescmp.bayesian.bootstrap of the same scores": (
        lambda: b.friedman(OF_MEANS, seed=1).plan("a", "b", datasets=[5], simulations=3),
        lambda: b.bootstrap(OF_MEANS, rope=0.01, seed=1).plan(
            "a", "b", datasets=[5], simulations=3, progress=False
        ),
    ),
    "bayescmp.bayesian.hierarchical_t of the pair": (
        lambda: b.bootstrap(SCORES, rope=0.01, seed=1).plan("a", "b", datasets=[5]),
        lambda: b.hierarchical_t(PAIR, rope=0.01, **ON_GRID).plan(
            datasets=[5], simulations=3, progress=False
        ),
    ),
    "by='all' tests on the folds of all repeats": (
        lambda: bc.decision_agreement(
            repeated(), univariate="accuracy", multivariate=["accuracy", "f1"]
        ),
        lambda: bc.decision_agreement(
            repeated(), univariate="accuracy", multivariate=["accuracy", "f1"], by="all"
        ),
    ),
    "to fit, or leave kind out": (
        lambda: bc.procedure(SCORES, kind=KIND, metrics="accuracy"),
        lambda: bc.procedure(SCORES, metrics="accuracy"),
    ),
    "Name one, or those to be tested together": (
        lambda: bc.procedure(TWO),
        lambda: bc.procedure(TWO, metrics="f1"),
        lambda: bc.procedure(TWO, metrics=["accuracy", "f1"]),
    ),
    "use frequentist.friedman and posthoc, or wilcoxon": (
        lambda: bc.procedure(OF_MEANS, metrics="accuracy"),
        lambda: f.friedman(OF_MEANS),
        lambda: f.posthoc(OF_MEANS),
        lambda: f.wilcoxon(OF_MEANS.differences("a", "b")),
    ),
    "compare the means: Scores.from_means(scores.means(metric)": (
        lambda: b.bootstrap(SEPARATE, rope=0.01),
        lambda: b.bootstrap(
            bc.Scores.from_means(SEPARATE.means("accuracy"), metric="accuracy"), rope=0.01
        ),
    ),
    "Give more folds, or test fewer metrics": (
        lambda: f.mardia(RNG.random((4, 3))),
        lambda: f.mardia(RNG.random((9, 3))),
        lambda: f.mardia(RNG.random((4, 2))),
    ),
    "Give one mean difference for each cluster": (
        lambda: f.confidence_sequence(in_clusters()),
        lambda: f.confidence_sequence([0.1, 0.0, -0.2, 0.1]),
    ),
    "Use posterior.by_dataset() for the data sets, or compare by one": (
        lambda: plots.plot_shrinkage(two_metrics_of_sets()),
        lambda: two_metrics_of_sets().by_dataset(),
        lambda: plots.plot_shrinkage(hierarchical(0.01)),
    ),
    "Pass run_experiment(..., keep_predictions=True)": (
        lambda: f.correct_items("x"),
        lambda: f.correct_items(experiment(keep_predictions=True).predictions),
    ),
    "Give it another name": (
        lambda: experiment(scoring={"fold": "accuracy"}),
        lambda: experiment(scoring={"hits": "accuracy"}),
    ),
    "negative). Name it 'neg_": (
        lambda: experiment(scoring={"log_loss": "neg_log_loss"}),
        lambda: experiment(scoring={"neg_log_loss": "neg_log_loss"}),
    ),
    "is better). Name it": (
        lambda: experiment(scoring={"log_loss": "accuracy"}),
        lambda: experiment(scoring={"accuracy": "accuracy"}),
    ),
    "Name the positive one (positive=...)": (
        lambda: experiment(scoring="f1"),
        lambda: experiment(scoring="f1_macro"),
        lambda: experiment(scoring="f1", positive=1),
    ),
    "rho must be left out, since Blocks and Items know it": (
        lambda: bc.undominated(BLOCKS, rope=0.01, rho=0.1),
        lambda: bc.undominated(BLOCKS, rope=0.01),
    ),
    "algorithms must name at least two": (
        lambda: bc.compare_all(OF_MEANS, algorithms=[], rope=0.01, progress=False),
        lambda: bc.compare_all(OF_MEANS, algorithms=["a", "b"], rope=0.01, progress=False),
        lambda: bc.compare_all(OF_MEANS, rope=0.01, progress=False),
    ),
    "A configuration cannot name caches": (
        lambda: configured(CACHED),
        lambda: bc.run_experiment(**configured(CACHED.replace('memory = "./mem"', ""))),
        lambda: ran(caching()),
    ),
    "must not name pickles": (
        lambda: configured(SAVED),
        lambda: ran({"again": VotingClassifier([("tree", DecisionTreeClassifier())])}),
    ),
    "must have a class of an allowed package": (
        lambda: configured(OWN),
        lambda: bc.run_experiment(**configured(OWN, allowed=("sklearn", "tests"))),
        lambda: commanded(OWN, "--allow", "tests"),
    ),
    "must be of this experiment": (
        lambda: saved(cv=4),
        lambda: saved("other.db", cv=4),
        lambda: saved(),
    ),
    "not JSON. Use another file name": (lambda: saved("damaged.db"), lambda: saved("other.db")),
    "has no clusters to leave out": (
        lambda: b.paired_proportions([[30, 5], [8, 20]], rope=0.02).without(np.array([0])),
        lambda: b.cluster_bootstrap(
            np.array(X * 2) - 0.02, clusters=np.arange(12) // 2, rope=0.02
        ).without(np.array([0])),
        lambda: b.paired_proportions([[29, 5], [8, 20]], rope=0.02),
    ),
    "Leave out the data set, or complete its runs": (
        lambda: b.bootstrap(APART, rope=0.01, seed=1).best(),
        lambda: b.bootstrap(APART[1:], rope=0.01, seed=1).best(),
        lambda: b.bootstrap(np.where(np.isnan(APART), 0.8, APART), rope=0.01, seed=1).best(),
    ),
    "Leave out metrics, add repeats, or use": (  # of three; of two there is one left
        lambda: b.hierarchical_multivariate_t([P3[:3], P3[3:8]], rho=0.1, rope=0.01),
        lambda: by_fake(b.hierarchical_multivariate_t, [P3[:3, :2], P3[3:8, :2]], **FOLDS),
        lambda: by_fake(b.hierarchical_multivariate_t, [P3[:6], P3[6:]], **FOLDS),
        lambda: [
            b.hierarchical_t([P3[:3, k], P3[3:8, k]], rho=0.1, rope=0.01, **ON_GRID)
            for k in range(3)
        ],
    ),
    "Name those to be compared by": (
        lambda: bc.procedure(AT_THRESHOLDS),
        lambda: bc.procedure(AT_THRESHOLDS, algorithms=["A1", "A2"]),
    ),
    "must never be negative, by its name": (
        lambda: bc.Scores(NEGATED).differences("a", "b"),
        lambda: bc.Scores(NEGATED, higher_is_better=["rmse"]).differences("a", "b"),
        lambda: bc.Scores(NEGATED, lower_is_better=["rmse"]).differences("a", "b"),
        lambda: bc.Scores(NEGATED.rename(columns={"rmse": "neg_rmse"})).differences("a", "b"),
    ),
    "must be a selected metric": (
        lambda: bc.Scores(TWO.frame, metric="f1", lower_is_better=["accuracy"]),
        lambda: bc.Scores(TWO.frame, metric="f1", lower_is_better=[]),
        lambda: bc.Scores(TWO.frame, metric="accuracy", lower_is_better=["accuracy"]),
    ),
    "must be given for means, or deviations": (
        lambda: bc.Means(MEANS_AND_SE),
        lambda: bc.Means(MEANS_AND_SE, errors="se"),
        lambda: bc.Means(MEANS_AND_SE.rename(columns={"se": "sd"}), deviations="sd", runs=5),
    ),
    "at least one bayescmp.study.crosscheck.Twin": (
        lambda: checked(twins=[]),
        lambda: checked(
            twins=[bayescmp.study.crosscheck.Twin("signed_rank", "wilcoxon", "datasets")]
        ),
    ),
}

#: No data set has the last algorithm beside one of the first data set's.
NOT_RUN = np.nan
APART = np.array(
    [[0.5, 0.6, NOT_RUN, NOT_RUN]]
    + [[0.5, 0.6, 0.1, NOT_RUN]] * 2
    + [[NOT_RUN, NOT_RUN, 0.1, 0.3]] * 2
)
P3 = np.random.default_rng(5).normal(0.02, 0.01, (12, 3))
AT_THRESHOLDS = {at: counted_scores(L=algorithms)[0] for at, algorithms in ((0.2, 2), (0.7, 3))}
IRIS = """
cv = {folds = 3, repeats = 1}
[datasets.iris]
loader = "load_iris"
"""
CACHED = """
[[estimators.steps.steps]]
class = "sklearn.cluster.FeatureAgglomeration"
memory = "./mem"
[[estimators.steps.steps]]
class = "sklearn.naive_bayes.GaussianNB"
[estimators.nb]
class = "sklearn.naive_bayes.GaussianNB"
"""
SAVED = """
[estimators.again]
class = "sklearn.ensemble.VotingClassifier"
estimators = "model.pkl"
"""
OWN = """
[estimators.own]
class = "tests.experiment.fakes.Centroid"
[estimators.nb]
class = "sklearn.naive_bayes.GaussianNB"
"""


def written(text):
    path = Path("config.toml")
    path.write_text(IRIS + text, encoding="utf-8")
    return path


def configured(text, **options):
    """What a configuration says, in the folder of the test."""
    return read_config(written(text), **options)


def commanded(text, *options):
    assert main(["experiment", str(written(text)), *options]) == 0


def ran(models, **options):
    data = {"iris": load_iris(return_X_y=True)}
    models = {"nb": GaussianNB(), **models}
    return bc.run_experiment(models, data, **{"cv": 3, "seed": 1, "n_jobs": 1, **options})


def caching():
    return {"steps": make_pipeline(FeatureAgglomeration(memory="./mem"), GaussianNB())}


def saved(name="run.db", **options):
    """An experiment that goes on from its file; two such files are there."""
    tree = {"tree": DecisionTreeClassifier(random_state=0)}
    for there in ("run.db", "damaged.db"):
        if not Path(there).exists():
            ran(tree, checkpoint=there)
    with closing(sqlite3.connect("damaged.db")) as file, file:
        file.execute("UPDATE experiment SET value = '{'")
    return ran(tree, checkpoint=name, **options)


def lacking(algorithm):
    """Scores of an algorithm on one data set of three alone."""
    frame = table(datasets="pqr")
    return bc.Scores(frame[(frame["algorithm"] != algorithm) | (frame["dataset"] == "p")])


def three_metrics():
    return b.multivariate_t(RNG.normal(0.02, 0.01, (12, 3)), rho=0.1, rope=[0.01] * 3)


def two_metrics_of_sets():
    return by_fake(
        b.hierarchical_multivariate_t, [P[:4], P[4:8], P[8:]], rho=0.1, rope=[0.01, 0.01]
    )


def panels(n):
    import matplotlib.pyplot as plt

    return plt.subplots(1, n)[1]


def hierarchical(rope):
    return b.hierarchical_t(ROWS, rho=0.1, rope=rope, **ON_GRID)


def checked(**options):
    check = bc.crosscheck(OF_MEANS, rope=0.01, seed=1, progress=False, **options)
    return check.comparisons["accuracy"]


def in_clusters():
    rows = [(m, i, i // 3, int(RNG.random() < 0.6)) for m in "ab" for i in range(30)]
    frame = pd.DataFrame(rows, columns=["model", "item", "passage", "correct"])
    return bc.Items(frame).pair("a", "b")


def experiment(**options):
    """Two classifiers of irises."""
    models = {"nb": GaussianNB(), "tree": DecisionTreeClassifier(random_state=0)}
    data = {"iris": load_iris(return_X_y=True)}
    return bc.run_experiment(models, data, cv=3, seed=1, n_jobs=1, progress=False, **options)


def won(matches):
    return pd.DataFrame(matches, columns=["winner", "loser"])


def repeated():
    """Two repeats, of one fold each."""
    frame = (
        table(folds=6, metrics=("accuracy", "f1"))
        .rename(columns={"fold": "repeat"})
        .assign(fold=0)
    )
    return bc.Scores(frame, resampling="random splits 0.2")


@pytest.mark.usefixtures("without_cmdstan")
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("words", CASES)
def test_the_ways_that_a_message_names_lead_on(words, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    refused, *ways = CASES[words]
    with pytest.raises((bc.InputError, bc.EngineError, CheckpointError)) as message:
        refused()
    assert words in str(message.value)
    assert ways
    for way in ways:
        way()
