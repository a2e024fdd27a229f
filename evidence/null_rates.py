"""Rejections of true null hypotheses at 5 %, test by test; true values that 95 % intervals miss.

``python evidence/null_rates.py 2000 > null_rates.csv``. Scores are simulated as the test's
null hypothesis has them; every data set, fold or run has a level of its own where the test takes
it out. A rate's standard error is 0.0049 for 2,000 tables.
"""

from __future__ import annotations

import sys
from collections.abc import Callable

import measured
import numpy as np
from scipy import stats
from sklearn.base import BaseEstimator, ClassifierMixin

import bayescmp.frequentist as f
from bayescmp import bayesian

Rng = np.random.Generator
TABLES = int(sys.argv[1]) if len(sys.argv) > 1 else 2000


def table(rng: Rng) -> np.ndarray:
    """Twelve data sets, four algorithms, levels and spreads of the data sets' own."""
    spread = rng.gamma(3, size=(12, 1))
    return 3 * rng.normal(size=(12, 1)) + spread * rng.normal(size=(12, 4))


def folds(rng: Rng, rho: float, rows: int = 4) -> np.ndarray:
    """Ten folds of correlation rho for each algorithm, and levels of the folds."""
    shared, own = rng.normal(size=(rows, 1)), rng.normal(size=(rows, 10))
    return 2 * rng.normal(size=10) + np.sqrt(rho) * shared + np.sqrt(1 - rho) * own


def runs(rng: Rng, *spreads: float) -> list[np.ndarray]:
    """Runs with seeds of their own, of one centre and unlike spreads."""
    return [s * rng.normal(size=n) for s, n in zip(spreads, (9, 14, 11), strict=False)]


def answers(rng: Rng, algorithms: int) -> np.ndarray:
    """Eighty items of varying difficulty, algorithms alike."""
    return rng.uniform(size=(80, algorithms)) < rng.beta(2, 1, size=(80, 1))


def areas(rng: Rng) -> float:
    """Predicted scores of two classifiers that are equally good and correlated."""
    y = np.repeat([0, 1], 30)
    shared = rng.normal(size=60)
    a, b = (y + 0.7 * shared + 0.7 * rng.normal(size=60) for _ in range(2))
    return f.delong(y, a, b).pvalue


def missing(rng: Rng) -> np.ndarray:
    """The same, three of four algorithms on each data set by a balanced design."""
    x = table(rng)
    x[np.arange(12), np.arange(12) % 4] = np.nan
    return x


def pair(result: object) -> float:
    """The p-value of one comparison."""
    return float(result.pvalue[0])  # type: ignore[attr-defined]


def family(result: object) -> float:
    """The smallest adjusted p-value: any rejection is a false one."""
    return float(result.adjusted.min())  # type: ignore[attr-defined]


class Centroids(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """The nearest of two class means: the cheapest classifier there is."""

    def fit(self, X: np.ndarray, y: np.ndarray) -> Centroids:
        """Take the means of the classes 0 and 1."""
        self.classes_ = np.array([0, 1])
        self.means_ = np.array([X[y == c].mean(axis=0) for c in self.classes_])
        return self

    def decision_function(self, X: np.ndarray) -> np.ndarray:
        """How much nearer the mean of class 1 is."""
        return np.asarray((X - self.means_.mean(axis=0)) @ (self.means_[1] - self.means_[0]))

    def predict(self, X: np.ndarray) -> np.ndarray:
        """The class of the nearer mean."""
        return np.asarray((self.decision_function(X) > 0).astype(int))


def margin(estimator: Centroids, X: np.ndarray, y: np.ndarray) -> float:
    """How far cases lie on the right side, on average: without the ties of an error rate."""
    return float(np.mean((2 * y - 1) * estimator.decision_function(X)))


def subjects(rng: Rng, labels: str, test: str = "labels", grouped: bool = True) -> float:
    """Sixteen subjects of four cases that are alike; a label each, or labels within subjects."""
    groups = np.repeat(np.arange(16), 4)
    X = rng.normal(size=(16, 2))[groups] + rng.normal(size=(64, 2))
    halves = rng.permutation(np.repeat([0, 1], 8))[groups]
    y = halves if labels == "between" else rng.permuted(np.tile([0, 0, 1, 1], (16, 1)), axis=1)
    result = f.permutation_test(
        Centroids(), X, y.ravel(), test=test, n=19, repeats=1, cv=4, scoring=margin,
        groups=groups if grouped else None, seed=rng,
    )  # fmt: skip
    return result.pvalue


def differences(rng: Rng) -> np.ndarray:
    """Mean differences of two algorithms on fourteen data sets."""
    return rng.standard_t(5, size=14)


def misses(low: float, high: float, value: float) -> float:
    """0 where an interval misses the true value, which counts as a rejection, or else 1."""
    return float(low <= value <= high)


def effect(result: object, value: float = 0.0) -> float:
    """Whether an effect's 95 % interval misses its true value."""
    return misses(*result.confidence_interval(), value)  # type: ignore[attr-defined]


def repeated(rng: Rng) -> float:
    """Equally good classifiers in two repeats of a five-fold cross-validation of 100 items."""
    y, shared = np.arange(100) % 2, rng.normal(size=100)
    items = np.concatenate([rng.permutation(50).reshape(5, 10, 1) * 2 + [0, 1] for _ in range(2)])
    items = items.reshape(10, 20)
    scores = y + 0.7 * shared + 0.7 * rng.normal(size=(2, 2, 100))
    a, b = (np.concatenate([s[r][items[5 * r : 5 * r + 5]] for r in (0, 1)]) for s in scores)
    return f.delong(y[items], a, b, items=items).pvalue


def aggregated(rng: Rng, measure: str) -> float:
    """Ten runs on each of 26 tasks, all of one gamma distribution."""
    result = f.aggregate_runs({"a": rng.gamma(2, 0.5, (10, 26))}, measure=measure, resamples=500,
                              seed=rng)  # fmt: skip
    gamma = stats.gamma(2, scale=0.5)
    quartiles = gamma.ppf([0.25, 0.75])
    value = gamma.expect(lb=quartiles[0], ub=quartiles[1], conditional=True)
    return misses(*result.frame.loc["a", ["low", "high"]], value if measure == "iqm" else 1.0)


def improved(rng: Rng) -> float:
    """Ten runs each of two equally good algorithms on eight tasks."""
    result = f.probability_of_improvement(*rng.normal(size=(2, 10, 8)), resamples=500, seed=rng)
    return misses(*result.frame[["low", "high"]].iloc[0], 0.5)


def profiled(rng: Rng) -> float:
    """Ten runs on eight tasks, half of which come over the threshold."""
    result = f.performance_profiles({"a": rng.normal(size=(10, 8))}, [0.0], resamples=500,
                                    seed=rng)  # fmt: skip
    return misses(*result.frame[["low", "high"]].iloc[0], 0.5)


def two_samples(rng: Rng) -> float:
    """Whether the 95 % interval of the Bayesian difference misses 0."""
    posterior = bayesian.two_sample_t(*runs(rng, 1, 3), rope=0.1)
    return misses(*posterior.summary().loc["delta", ["2.5%", "97.5%"]], 0.0)


#: A case is seeded by its place: new ones come last.
CASES: dict[str, Callable[[Rng], float]] = {
    "paired_t": lambda g: f.paired_t(g.normal(size=10)).pvalue,
    "corrected_t (rho 0.1)": lambda g: f.corrected_t(np.diff(folds(g, 0.1, 2), axis=0)[0],
                                                     rho=0.1).pvalue,
    "cv52_t": lambda g: f.cv52_t(g.normal(size=(5, 2))).pvalue,
    "cv52_f": lambda g: f.cv52_f(g.normal(size=(5, 2))).pvalue,
    "wilcoxon": lambda g: f.wilcoxon(differences(g)).pvalue,
    "wilcoxon (ties, zeros)": lambda g: f.wilcoxon(np.round(differences(g))).pvalue,
    "wilcoxon (pratt)": lambda g: f.wilcoxon(np.round(differences(g)), zeros="pratt").pvalue,
    "sign_test": lambda g: f.sign_test(w := int((differences(g) > 0).sum()), 14 - w).pvalue,
    "paired_permutation": lambda g: f.paired_permutation(g.normal(size=9), n=512, seed=1).pvalue,
    "tost_paired (edge, rho 0.1)": lambda g: f.tost_paired(
        1 + 0.15 * np.diff(folds(g, 0.1, 2), axis=0)[0], rope=1, rho=0.1).pvalue,
    "tost_means (edge)": lambda g: f.tost_means(1 + 0.2 * differences(g), rope=1).pvalue,
    "tost_means (edge, wilcoxon)": lambda g: f.tost_means(1 + 0.2 * differences(g), rope=1,
                                                          method="wilcoxon").pvalue,
    "delong": areas,
    "mcnemar (exact)": lambda g: f.mcnemar(*answers(g, 2).T).pvalue,
    "mcnemar (mid-p)": lambda g: f.mcnemar(*answers(g, 2).T, method="midp").pvalue,
    "mcnemar (chi2)": lambda g: f.mcnemar(*answers(g, 2).T, method="chi2").pvalue,
    "cochran_q": lambda g: f.cochran_q(answers(g, 4)).pvalue,
    "friedman": lambda g: f.friedman(table(g)).pvalue,
    "iman_davenport": lambda g: f.iman_davenport(table(g)).pvalue,
    "friedman_aligned_ranks": lambda g: f.friedman_aligned_ranks(table(g)).pvalue,
    "quade": lambda g: f.quade(table(g)).pvalue,
    "page_trend": lambda g: f.page_trend(table(g)).pvalue,
    "skillings_mack": lambda g: f.skillings_mack(missing(g)).pvalue,
    "posthoc (friedman, z)": lambda g: pair(f.posthoc(table(g))),
    "posthoc (friedman, t: Conover)": lambda g: pair(f.posthoc(table(g), distribution="t")),
    "posthoc (friedman, exact)": lambda g: pair(f.posthoc(table(g), distribution="exact")),
    "posthoc (quade, t)": lambda g: pair(f.posthoc(table(g), test="quade", distribution="t")),
    "posthoc (quade, exact)": lambda g: pair(f.posthoc(table(g), test="quade",
                                                       distribution="exact")),
    "posthoc (aligned, exact)": lambda g: pair(f.posthoc(table(g), test="aligned",
                                                         distribution="exact")),
    "posthoc (wilcoxon)": lambda g: pair(f.posthoc(table(g), test="wilcoxon")),
    "nemenyi (any pair)": lambda g: family(f.nemenyi(table(g))),
    "multiple_sign (any pair)": lambda g: family(f.multiple_sign(table(g), control=0)),
    "anova (rho 0.1)": lambda g: f.anova(folds(g, 0.1), rho=0.1).pvalue,
    "anova (Greenhouse-Geisser)": lambda g: f.anova(folds(g, 0), sphericity="greenhouse-geisser")
    .pvalue,
    "mauchly": lambda g: f.mauchly(folds(g, 0)).pvalue,
    "tukey (any pair, rho 0.1)": lambda g: family(f.tukey(folds(g, 0.1), rho=0.1)),
    "dunnett (any pair, rho 0.1)": lambda g: family(f.dunnett(folds(g, 0.1), control=0, rho=0.1)),
    "welch (spreads 1 and 3)": lambda g: f.welch(*runs(g, 1, 3)).pvalue,
    "mann_whitney": lambda g: f.mann_whitney(*runs(g, 1, 1)).pvalue,
    "mann_whitney (spreads 3 and 1)": lambda g: f.mann_whitney(*runs(g, 3, 1)).pvalue,
    "brunner_munzel (spreads 3 and 1)": lambda g: f.brunner_munzel(*runs(g, 3, 1)).pvalue,
    "kruskal_wallis": lambda g: f.kruskal_wallis(runs(g, 1, 1, 1)).pvalue,
    "permutation_test (groups, a label each)": lambda g: subjects(g, "between"),
    "permutation_test (groups ignored, a label each)": lambda g: subjects(g, "between",
                                                                          grouped=False),
    "permutation_test (groups, labels within)": lambda g: subjects(g, "within"),
    "permutation_test (groups, columns)": lambda g: subjects(g, "within", "columns"),
    "delong (5 folds, 2 repeats)": repeated,
    "cohens_d (interval, d 0.5, rho 0.1)": lambda g: effect(
        f.cohens_d(np.sqrt(0.5) + np.diff(folds(g, 0.1, 2), axis=0)[0], rho=0.1), 0.5),
    "rank_biserial (interval)": lambda g: effect(f.rank_biserial(differences(g))),
    "cliffs_delta (interval)": lambda g: effect(f.cliffs_delta(*runs(g, 1, 1))),
    "cliffs_delta (interval, delta 0.52)": lambda g: effect(
        f.cliffs_delta(runs(g, 1)[0], 1 + g.normal(size=14)), 2 * stats.norm.cdf(0.5**0.5) - 1),
    "kendalls_w (interval)": lambda g: effect(f.kendalls_w(table(g)), 1 / 12),
    "partial_eta_squared (interval, rho 0.1)": lambda g: effect(
        f.partial_eta_squared(folds(g, 0.1), rho=0.1)),
    "contrast_estimation (second ahead of first)": lambda g: float(
        f.contrast_estimation(table(g)).frame.iloc[0, 1] <= 0),
    "two_sample_t (interval, spreads 1 and 3)": two_samples,
    "aggregate_runs (interval, iqm)": lambda g: aggregated(g, "iqm"),
    "aggregate_runs (interval, mean)": lambda g: aggregated(g, "mean"),
    "probability_of_improvement (interval)": improved,
    "performance_profiles (interval)": profiled,
}  # fmt: skip


def main() -> None:
    """Write a line for each test."""
    sys.stdout.write(measured.head() + "test,tables,rate\n")
    for number, (name, case) in enumerate(CASES.items()):
        rng = np.random.default_rng([18, number])
        tables = TABLES // 10 if name.startswith("dunnett") else TABLES
        hits = sum(case(rng) <= 0.05 for _ in range(tables))
        sys.stdout.write(f'"{name}",{tables},{hits / tables:.4f}\n')
        sys.stdout.flush()


if __name__ == "__main__":
    main()
