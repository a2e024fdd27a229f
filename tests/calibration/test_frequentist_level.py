"""False positives of the frequentist tests, counted in simulated tables.

Run with ``pytest -m calibration -s tests/calibration/test_frequentist_level.py`` to see the tables
of rates. Every data set has a level and a spread of its own; with ties scores are rounded.
"""

from __future__ import annotations

import itertools
from collections import Counter

import numpy as np
import pytest

import bayescmp.frequentist as f
from bayescmp.frequentist.multiplicity import METHODS
from bayescmp.frequentist.omnibus import block_scores
from bayescmp.frequentist.ranks import as_table

pytestmark = pytest.mark.calibration


TABLES = 10_000
LEVEL, OMNIBUS_ROOM, FAMILY_MOST = 0.05, 0.012, 0.057

#: Li's rule needs independent p-values, and those against one control are correlated by a half:
#: it is measured at up to 0.076, as the docstring of `adjust` says. No other rule is excepted.
LI_MOST = 0.085

TESTS = {
    "friedman": f.friedman,
    "iman_davenport": f.iman_davenport,
    "aligned": f.friedman_aligned_ranks,
    "quade": f.quade,
}
KINDS = ("friedman", "aligned", "quade")
MARGINAL = [m for m in METHODS if m not in ("none", "nemenyi", "shaffer", "bergmann-hommel")]
ALL_PAIRS = ["nemenyi", "shaffer", "bergmann-hommel"]


def null_tables(k, n, ties, seed, count=TABLES):
    """Tables in which all algorithms are alike."""
    rng = np.random.default_rng([seed, k, n, ties])
    for _ in range(count):
        spread = rng.gamma(3, size=(n, 1)) / 3
        x = 3 * rng.normal(size=(n, 1)) + spread * rng.normal(size=(n, k))
        yield np.round(x / 0.7) if ties else x


def show(title, rates):
    rows = "".join(f"\n  {name:<44}{rate:8.4f}" for name, rate in rates.items())
    print(f"\n{title}{rows}")


CASES = list(itertools.product((3, 5, 10), (10, 30), (False, True)))


@pytest.mark.parametrize(("k", "n", "ties"), CASES)
def test_omnibus_and_unadjusted_pairs(k, n, ties):
    """5% tests within 0.05 ± 0.012: the omnibus tests, and z of a pair under each of them."""
    hits: Counter[str] = Counter()
    for x in null_tables(k, n, ties, seed=1):
        for name, test in TESTS.items():
            hits[name] += test(x).pvalue <= LEVEL
        for kind in KINDS:
            raw = f.posthoc(x, test=kind, adjust="none").pvalue
            hits[f"z, {kind}"] += np.mean(raw <= LEVEL)
    rates = {name: hits[name] / TABLES for name in hits}
    show(
        f"k = {k}, n = {n}, {'ties' if ties else 'no ties'}: rejected true null hypotheses", rates
    )
    for name, rate in rates.items():
        assert abs(rate - LEVEL) <= OMNIBUS_ROOM, (name, rate)


@pytest.mark.parametrize(("k", "n", "ties"), CASES)
def test_family_wise_errors(k, n, ties):
    """Any false rejection among all pairs, or among those with a control: at most 0.057.

    But for Li's rule, see above.

    Where the smallest p is above α no procedure rejects, so that those tables are not adjusted.
    """
    hits: Counter[str] = Counter()
    count = TABLES
    for x in null_tables(k, n, ties, seed=2, count=count):
        for kind in KINDS:
            pairs = f.posthoc(x, test=kind, adjust="none").pvalue
            control = f.posthoc(x, test=kind, adjust="none", control=0).pvalue
            for scope, p in (("pairs", pairs), ("control", control)):
                if p.min() > LEVEL:
                    continue
                for method in MARGINAL + (ALL_PAIRS if scope == "pairs" else []):
                    if method == "bergmann-hommel" and p.min() * len(p) > LEVEL:
                        continue  # the set of all pairs is exhaustive: no adjusted p is below m·p
                    hits[f"{method}, {kind}, {scope}"] += np.any(f.adjust(p, method) <= LEVEL)
    rates = {name: hits[name] / count for name in sorted(hits)}
    title = f"k = {k}, n = {n}, {'ties' if ties else 'no ties'}: family-wise error, all alike"
    show(title, rates)
    for name, rate in rates.items():
        assert rate <= (LI_MOST if name.startswith("li,") else FAMILY_MOST), (name, rate)


@pytest.mark.parametrize(("k", "n"), [(3, 5), (4, 4), (3, 10)])
def test_exact_tests_are_never_above_their_level(k, n):
    """Exact p-values; the Monte Carlo error of the rate is three standard errors."""
    count, hits = 2000, Counter()
    for x in null_tables(k, n, True, seed=3, count=count):
        for name in ("friedman", "quade"):
            hits[name] += TESTS[name](x, method="exact").pvalue <= LEVEL
    rates = {name: hits[name] / count for name in hits}
    show(f"k = {k}, n = {n}, ties: exact p-values", rates)
    for rate in rates.values():
        assert rate <= LEVEL + 3 * np.sqrt(LEVEL * (1 - LEVEL) / count)


@pytest.mark.parametrize(("m", "true"), [(10, 5), (9, 3), (45, 20)])
def test_partly_true_families(m, true):
    """Some hypotheses are false beyond doubt: Finner's rule and Benjamini-Hochberg's are no FWER.

    That they exceed the level is asserted too, so that the docstring of `adjust` stays true.
    """
    rng, count, hits = np.random.default_rng([m, true]), 8000, Counter()
    for _ in range(count):
        p = np.r_[rng.uniform(size=true), np.full(m - true, 1e-12)]
        for method in MARGINAL:
            hits[method] += np.any(f.adjust(p, method)[:true] <= LEVEL)
    rates = {name: hits[name] / count for name in hits}
    show(f"{true} of {m} hypotheses true, independent: family-wise error", rates)
    for name, rate in rates.items():
        if name in ("finner", "benjamini-hochberg"):
            assert rate > 0.09, (name, rate)
        else:
            assert rate <= LEVEL + 3 * np.sqrt(LEVEL * (1 - LEVEL) / count), (name, rate)


def test_printed_standard_errors_do_not_hold_their_level():
    """Why they are for reproducing papers only: k = 4 algorithms, n = 24 data sets."""
    k, n, count, hits = 4, 24, 4000, Counter()
    for x in null_tables(k, n, False, seed=4, count=count):
        for kind in KINDS:
            p = f.posthoc(x, test=kind, adjust="none", variance="published").pvalue
            hits[kind] += np.mean(p <= LEVEL)
        blocks = block_scores("aligned", as_table(x, "calibration"))
        gap = np.abs(np.subtract.outer(blocks.centres, blocks.centres))[np.triu_indices(k, 1)]
        hits["aligned, as printed"] += np.mean(gap / np.sqrt(k * (n + 1) / 6) >= 1.959964)
    rates = {name: hits[name] / count for name in hits}
    show("published standard errors: rejected true null hypotheses", rates)
    assert rates["friedman"] == pytest.approx(LEVEL, abs=OMNIBUS_ROOM)
    assert rates["aligned, as printed"] > 0.3
    assert rates["quade"] < 0.03


def test_the_other_algorithms_matter_to_rank_tests():
    """Two algorithms alike but noisy, three steady ones in between: only pairwise tests hold."""
    k, n, count, hits = 5, 30, 4000, Counter()
    rng = np.random.default_rng(5)
    for _ in range(count):
        x = rng.normal(size=(n, k)) * np.r_[5, 5, np.full(k - 2, 0.1)]
        for kind in (*KINDS, "wilcoxon", "sign"):
            hits[kind] += f.posthoc(x, test=kind, adjust="none").pvalue[0] <= LEVEL
    rates = {name: hits[name] / count for name in hits}
    show("noisy pair, k = 5, n = 30: rejected though alike", rates)
    for kind in KINDS:
        assert rates[kind] > 0.08
    for kind in ("wilcoxon", "sign"):
        assert rates[kind] <= LEVEL + OMNIBUS_ROOM


@pytest.mark.parametrize("folds", [10])
def test_corrected_t_and_blocked_tests(folds):
    """Differences of overlapping folds: the plain t rejects far too often, the corrected doesn't.

    Folds have the correlation that the correction assumes, so that its level is exact.
    """
    count, rho, hits = 20_000, 0.1, Counter()
    rng = np.random.default_rng(6)
    n = 10 * folds
    x = np.sqrt(1 - rho) * rng.normal(size=(count, n)) + np.sqrt(rho) * rng.normal(size=(count, 1))
    for row in x:
        hits["paired t"] += f.paired_t(row).pvalue <= LEVEL
        hits["corrected t"] += f.corrected_t(row, rho=rho).pvalue <= LEVEL
    y = np.sqrt(1 - rho) * rng.normal(size=(2000, 4, n)) + np.sqrt(rho) * rng.normal(
        size=(2000, 4, 1)
    )
    for groups in y:
        hits["ANOVA, blocked, rho"] += 10 * (f.anova(groups, rho=rho).pvalue <= LEVEL)
        hits["ANOVA, blocked"] += 10 * (f.anova(groups).pvalue <= LEVEL)
        actual = f.tukey(groups, rho=rho).adjusted
        hits["Tukey, blocked, rho"] += 10 * np.any(actual <= LEVEL)
    rates = {name: hits[name] / count for name in hits}
    show("10 x 10 folds, rho = 0.1", rates)
    assert rates["paired t"] > 0.4
    for name in ("corrected t", "ANOVA, blocked, rho", "Tukey, blocked, rho"):
        assert rates[name] == pytest.approx(LEVEL, abs=OMNIBUS_ROOM), name


# How often DeLong's test rejects equal areas of correlated scores.


RUNS = 4000


@pytest.mark.parametrize(("cases", "shift"), [(60, 1.0), (200, 1.0), (200, 0.0)])
def test_equal_areas(cases, shift):
    """Two noisy versions of one score, half of the cases positive: about 0.05."""
    rng = np.random.default_rng([4, cases, int(10 * shift)])
    y = np.arange(cases) % 2
    hits = 0
    for _ in range(RUNS):
        shared = rng.normal(size=cases)
        a, b = shift * y + 0.7 * shared + 0.7 * rng.normal(size=(2, cases))
        hits += f.delong(y, a, b).pvalue <= 0.05
    print(f"{cases} cases, shift {shift}: {hits / RUNS:.4f}")
    assert abs(hits / RUNS - 0.05) < 3 * np.sqrt(0.05 * 0.95 / RUNS) + 0.01


# How often two one-sided tests find equivalence at the edge of the rope: at most the level.


EQUIVALENCE_RUNS, ROPE = 4000, 0.01


@pytest.mark.parametrize(("rho", "spread"), [(0.1, 0.01), (0.1, 0.003), (0.5, 0.003)])
def test_corrected_at_the_edge(rho, spread):
    """Ten folds of correlation rho, the mean difference on an end of the rope: rate <= 0.05."""
    rng = np.random.default_rng([7, int(100 * rho), int(1e4 * spread)])
    shared = np.sqrt(rho) * rng.normal(size=(EQUIVALENCE_RUNS, 1))
    own = np.sqrt(1 - rho) * rng.normal(size=(EQUIVALENCE_RUNS, 10))
    x = ROPE + spread * (shared + own)
    rate = np.mean([f.tost_paired(row, rope=ROPE, rho=rho).pvalue <= 0.05 for row in x])
    plain = np.mean([f.tost_means(row, rope=ROPE).pvalue <= 0.05 for row in x])
    print(f"rho {rho}, spread {spread}: corrected {rate:.4f}, plain {plain:.4f}")
    assert rate <= 0.05 + 3 * np.sqrt(0.05 * 0.95 / EQUIVALENCE_RUNS)
    if spread < ROPE / 3:  # the other end is far: the corrected level is exact, the plain one not
        assert rate >= 0.05 - 3 * np.sqrt(0.05 * 0.95 / EQUIVALENCE_RUNS)
        assert plain > 0.1


@pytest.mark.parametrize("method", ["t", "wilcoxon"])
def test_over_data_sets_at_the_edge(method):
    rng = np.random.default_rng(8)
    x = ROPE + 0.003 * rng.standard_t(5, size=(EQUIVALENCE_RUNS, 14))
    rate = np.mean([f.tost_means(r, rope=ROPE, method=method).pvalue <= 0.05 for r in x])
    print(f"{method}: {rate:.4f}")
    assert 0.035 <= rate <= 0.05 + 3 * np.sqrt(0.05 * 0.95 / EQUIVALENCE_RUNS)


# How often tests of right and wrong answers reject equal algorithms.


def answers(rng, n, L):
    """Items of varying difficulty, algorithms alike."""
    return rng.uniform(size=(n, L)) < rng.beta(2, 1, size=(n, 1))


@pytest.mark.parametrize("n", [40, 200])
def test_mcnemar(n):
    """Exact: at most the level; mid-p: near it, hardly ever over."""
    rng = np.random.default_rng([1, n])
    rates = dict.fromkeys(("exact", "midp", "chi2"), 0)
    for _ in range(RUNS):
        a, b = answers(rng, n, 2).T
        for method in rates:
            rates[method] += f.mcnemar(a, b, method=method).pvalue <= 0.05
    print(f"n = {n}: " + ", ".join(f"{m} {k / RUNS:.4f}" for m, k in rates.items()))
    room = 3 * np.sqrt(0.05 * 0.95 / RUNS)
    assert rates["exact"] / RUNS <= 0.05 + room
    assert rates["exact"] < rates["midp"]
    assert abs(rates["midp"] / RUNS - 0.05) < room + 0.01
    assert abs(rates["chi2"] / RUNS - 0.05) < room + 0.01


@pytest.mark.parametrize("L", [3, 8])
def test_cochran(L):
    rng = np.random.default_rng([2, L])
    rate = np.mean([f.cochran_q(answers(rng, 60, L)).pvalue <= 0.05 for _ in range(RUNS)])
    print(f"L = {L}: {rate:.4f}")
    assert abs(rate - 0.05) < 3 * np.sqrt(0.05 * 0.95 / RUNS) + 0.01
