"""False positives of the multivariate tests, counted in simulated cross-validations.

Run with ``pytest -m calibration -s tests/calibration/test_multivariate_level.py`` to see the
rates (four minutes on a free core). All algorithms are alike; metrics are correlated and of
differing spread. Folds are independent, or of every two the same correlation rho, as the corrected
tests suppose.
"""

from __future__ import annotations

import numpy as np
import pytest

import bayescmp.frequentist as f
from bayescmp.frequentist.multivariate import hotelling_all_pairs

TABLES = 4000
LEVEL, ROOM = 0.05, 0.012

#: Algorithms, folds, metrics.
DESIGNS = [(3, 10, 2), (5, 10, 3), (4, 6, 3), (6, 30, 5), (5, 5, 4)]

pytestmark = pytest.mark.calibration


def tables(L, n, p, rho, seed, effect=1.0, count=TABLES):
    """Scores (L, n, p): an effect of each fold, and errors of correlation rho between folds."""
    rng = np.random.default_rng([seed, L, n, p, int(100 * rho)])
    A = np.diag(10.0 ** rng.uniform(-3, 2, p)) @ (np.eye(p) + 0.5 * rng.normal(size=(p, p)))
    for _ in range(count):
        own = np.sqrt(1 - rho) * rng.normal(size=(L, n, p))
        common = np.sqrt(rho) * rng.normal(size=(L, 1, p))
        fold = effect * rng.normal(size=(1, n, p))
        yield (own + common + fold) @ A.T


def manova_rates(L, n, p, block, rho, used, seed):
    """Share of p-values under 0.05: four F tests, the refined ones, Bartlett's χ²."""
    hits = np.zeros(9)
    for x in tables(L, n, p, rho, seed, effect=float(block)):
        result = f.manova(x, block=block, rho=used)
        actual = [t.pvalue for t in result.tests] + [t.refined for t in result.tests]
        hits += np.array([*actual, result.bartlett.pvalue]) < 0.05
    names = [*(f"{t.name}, F" for t in result.tests), *(t.name for t in result.tests), "Bartlett"]
    return dict(zip(names, hits / TABLES, strict=True))


def show(record, title, rates, count=TABLES):
    """Print the rates, and record them as rows of a table of evidence."""
    print(f"\n{title}" + "".join(f"\n  {name:<44}{rate:8.4f}" for name, rate in rates.items()))
    for name, rate in rates.items():
        record("multivariate_levels", setting=title, test=name, tables=count, rate=rate)


@pytest.mark.parametrize("block", [False, True])
@pytest.mark.parametrize(("L", "n", "p"), DESIGNS)
def test_manova_with_independent_folds(L, n, p, block, evidence):
    """Each of the four at 0.05 ± 0.012 by its refined p-value; Roy's bound is none.

    R's F approximations of Pillai and Hotelling-Lawley are shown: with few folds they leave the
    band. Bartlett's χ² needs ν_e well over p.
    """
    rates = manova_rates(L, n, p, block, 0.0, 0.0, 1)
    show(evidence, f"L = {L}, n = {n}, p = {p}, {'blocks' if block else 'one-way'}", rates)
    for name in ("Wilks", "Pillai", "Hotelling-Lawley", "Roy"):
        assert rates[name] == pytest.approx(LEVEL, abs=ROOM), name
    assert rates["Bartlett"] == pytest.approx(LEVEL, abs=ROOM)
    assert rates["Roy, F"] > 0.1


@pytest.mark.parametrize("block", [False, True])
@pytest.mark.parametrize(("L", "n", "p", "rho"), [(5, 10, 3, 0.1), (3, 30, 2, 0.1)])
def test_manova_with_correlated_folds(L, n, p, rho, block, evidence):
    """The plain tests reject far too often; the corrected ones hold."""
    plain = manova_rates(L, n, p, block, rho, 0.0, 2)
    corrected = manova_rates(L, n, p, block, rho, rho, 2)
    kind = "blocks" if block else "one-way"
    show(evidence, f"L = {L}, n = {n}, p = {p}, {kind}, folds of rho = {rho}, plain", plain)
    show(
        evidence, f"L = {L}, n = {n}, p = {p}, {kind}, folds of rho = {rho}, corrected", corrected
    )
    for name in ("Wilks", "Pillai", "Hotelling-Lawley", "Roy"):
        assert plain[name] > 0.12, name
        assert corrected[name] == pytest.approx(LEVEL, abs=ROOM), name


@pytest.mark.parametrize("rho", [0.0, 0.1])
@pytest.mark.parametrize(("n", "p"), [(10, 2), (10, 6), (30, 3), (5, 4)])
def test_hotelling(n, p, rho, evidence):
    """Paired and of two samples, plain and corrected."""
    hits = np.zeros(4)
    for x in tables(2, n, p, rho, 3):
        paired = [f.hotelling_paired(x[1] - x[0], rho=r).pvalue for r in (0.0, rho)]
        hits[:2] += np.array(paired) < 0.05
    for x in tables(2, n, p, rho, 4, effect=0.0):
        two = [f.hotelling_two_sample(x[0], x[1], rho=r).pvalue for r in (0.0, rho)]
        hits[2:] += np.array(two) < 0.05
    names = ("paired, plain", "paired, corrected", "two samples, plain", "two samples, corrected")
    rates = dict(zip(names, hits / TABLES, strict=True))
    show(evidence, f"n = {n}, p = {p}, folds of rho = {rho}", rates)
    assert rates["paired, corrected"] == pytest.approx(LEVEL, abs=ROOM)
    assert rates["two samples, corrected"] == pytest.approx(LEVEL, abs=ROOM)
    if rho:
        assert rates["paired, plain"] > (0.055 if n == 5 else 0.1)  # one d.o.f. has no power


@pytest.mark.parametrize("rho", [0.0, 0.1])
def test_pairs_and_families(rho, evidence):
    """Each pair at 0.05, the family at most: Bonferroni and Holm; pooled and separate errors."""
    single, family, count = np.zeros(3), np.zeros(3), 2000
    designs: list[dict] = [{}, {"pooled": True}, {"block": False}]
    for k, options in enumerate(designs):
        effect = 0.0 if options.get("block") is False else 1.0
        for x in tables(4, 10, 3, rho, 5, effect, count):
            result = f.pairwise_hotelling(x, rho=rho, adjust="holm", **options)
            single[k] += np.mean(result.pvalue < 0.05)
            family[k] += result.different().any()
    names = ("paired", "pooled", "two samples")
    show(evidence, f"pairs, rho = {rho}", dict(zip(names, single / count, strict=True)), count)
    show(
        evidence,
        f"families (Holm), rho = {rho}",
        dict(zip(names, family / count, strict=True)),
        count,
    )
    assert single / count == pytest.approx(np.full(3, LEVEL), abs=ROOM)
    assert np.all(family / count < LEVEL + ROOM)


def test_dependent_counts(evidence):
    """tp, fn, fp, tn: the level holds in the subspace, to the grain of counts."""
    rng = np.random.default_rng(6)
    hits, pairs, count = 0.0, 0.0, 3000
    for _ in range(count):
        tp, fp = rng.binomial(200, 0.8, size=(4, 10)), rng.binomial(300, 0.1, size=(4, 10))
        x = np.stack([tp, 200 - tp, fp, 300 - fp], axis=-1).astype(float)
        hits += f.manova(x, block=True).pvalue < 0.05
        pairs += np.mean(hotelling_all_pairs(x)[1] < 0.05)
    rates = {"blocked MANOVA": hits / count, "paired Hotelling": pairs / count}
    show(evidence, "counts of rank two", rates, count)
    assert list(rates.values()) == pytest.approx([LEVEL, LEVEL], abs=ROOM)


def test_dimension(evidence):
    """Means truly on a line: r = 1 is rejected in about 1 of 20 cases."""
    rng = np.random.default_rng(7)
    means = 3 * rng.normal(size=(5, 1)) @ rng.normal(size=(1, 3))
    rejected = {"one-way": 0.0, "blocks": 0.0}
    for x in tables(5, 10, 3, 0.0, 8, 0.0):
        x = x / x.std() + means[:, None, :]
        for name, block in (("one-way", False), ("blocks", True)):
            rejected[name] += f.manova(x, block=block).dimensionality()["pvalue"].loc[1] < 0.05
    rates = {name: hits / TABLES for name, hits in rejected.items()}
    show(evidence, "D_1² of means on a line", rates)
    assert list(rates.values()) == pytest.approx([LEVEL, LEVEL], abs=ROOM)


def test_mardia(evidence):
    """With simulation exact; the limits' rates are shown, as they are far off with few folds."""
    hits, count = np.zeros(5), 1500
    rng = np.random.default_rng(9)
    for k in range(count):
        x = rng.normal(size=(10, 2))
        limits, exact = f.mardia(x), f.mardia(x, simulations=399, seed=k)
        actual = (
            limits.skewness_pvalue,
            limits.small_sample_pvalue,
            limits.kurtosis_pvalue,
            exact.skewness_pvalue,
            exact.kurtosis_pvalue,
        )
        hits += np.array(actual) <= 0.05
    names = (
        "skewness",
        "skewness, small sample",
        "kurtosis",
        "skewness, simulated",
        "kurtosis, simulated",
    )
    rates = dict(zip(names, hits / count, strict=True))
    show(evidence, "Mardia, n = 10, p = 2", rates, count)
    assert rates["skewness, simulated"] == pytest.approx(LEVEL, abs=0.017)
    assert rates["kurtosis, simulated"] == pytest.approx(LEVEL, abs=0.017)


def test_one_metric_of_a_learned_measure(evidence):
    """What selection does: M1's ANOVA under equal means, on its own and on other folds."""
    learned = other = 0
    for x in tables(5, 20, 3, 0.0, 10, 0.0):
        measures = f.learned_measures(x[:, :10], block=False)
        learned += measures.anova().pvalue < 0.05
        fresh = measures.project(x[:, 10:])[..., 0]
        other += f.anova(fresh, block=False).pvalue < 0.05
    rates = {"same folds": learned / TABLES, "other folds": other / TABLES}
    show(evidence, "ANOVA of M1", rates)
    assert rates["same folds"] > 0.2
    assert rates["other folds"] == pytest.approx(LEVEL, abs=ROOM)
