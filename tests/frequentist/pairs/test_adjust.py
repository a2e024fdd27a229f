"""Adjusted p-values: R, definitions of the procedures, published sets, properties."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from bayescmp.errors import InputError
from bayescmp.frequentist import adjust
from bayescmp.frequentist.pairs.adjust import METHODS, canonical
from bayescmp.frequentist.pairs.rom import rom_critical

MARGINAL = [m for m in METHODS if m not in ("nemenyi", "shaffer", "bergmann-hommel")]
SIZES = {3: 3, 4: 6, 5: 10}

p_values = st.floats(0, 1, allow_nan=False) | st.sampled_from([0.0, 1.0, 0.05, 0.01])
families = st.lists(p_values, min_size=1, max_size=12)
all_pairs = st.sampled_from(sorted(SIZES)).flatmap(
    lambda k: st.lists(p_values, min_size=SIZES[k], max_size=SIZES[k])
)


# -- other programs and definitions ------------------------------------------------------------


@pytest.mark.parametrize("family", ["a", "b", "c"])
@pytest.mark.parametrize(
    ("method", "theirs"),
    [("bonferroni", "bonferroni"), ("holm", "holm"), ("hochberg", "hochberg"),
     ("hommel", "hommel"), ("benjamini-hochberg", "BH")],
)  # fmt: skip
def test_as_in_r(r, family, method, theirs):
    """R 4.2.2, p.adjust(p, method)."""
    actual = adjust(r[f"p_{family}"], method)
    assert actual == pytest.approx(r[f"padjust_{family}_{theirs}"], rel=1e-13)


def test_holland_as_in_statsmodels():
    """statsmodels 0.15.0, multipletests([...], method="holm-sidak")[1]."""
    p = [0.0004, 0.2, 0.6, 0.013, 0.013, 0.9, 0.04, 0.049]
    expected = [0.00319552, 0.488, 0.84, 0.0875269, 0.0875269, 0.9, 0.1846273, 0.1846273]
    assert adjust(p, "holland") == pytest.approx(expected, abs=5e-9)


def rejected_down(p, critical):
    """Step-down: from the smallest p, until one exceeds its critical value."""
    order = np.argsort(p, kind="stable")
    rejected = np.zeros(len(p), dtype=bool)
    for i, c in zip(order, critical, strict=True):
        if p[i] > c:
            break
        rejected[i] = True
    return rejected


def rejected_up(p, critical):
    """Step-up: all up to the largest p that is at most its critical value."""
    order = np.argsort(p, kind="stable")
    below = np.flatnonzero(p[order] <= critical)
    rejected = np.zeros(len(p), dtype=bool)
    if len(below):
        rejected[order[: below[-1] + 1]] = True
    return rejected


def rejected(method, p, alpha):
    """The procedures as García et al. 2010, section 4.3, put them: decisions, no adjusted p."""
    m, i = len(p), np.arange(1, len(p) + 1)
    if method == "holland":
        return rejected_down(p, 1 - (1 - alpha) ** (1 / (m - i + 1)))
    if method == "finner":
        return rejected_down(p, 1 - (1 - alpha) ** (i / m))
    if method == "rom":
        return rejected_up(p, rom_critical(np.array([alpha]), m)[::-1, 0])
    assert method == "li"
    if p.max() <= alpha:
        return np.ones(m, dtype=bool)
    return p <= (1 - p.max()) / (1 - alpha) * alpha


@pytest.mark.parametrize("method", ["holland", "finner", "li", "rom"])
def test_adjusted_p_is_the_level_at_which_the_procedure_rejects(method):
    """R has none of these: decisions at levels around each adjusted p are compared instead."""
    rng = np.random.default_rng(1)
    for size in (1, 2, 3, 7, 20):
        for _ in range(20):
            p = rng.uniform(size=size) ** 3
            adjusted = adjust(p, method)
            for level in adjusted[adjusted < 0.49]:
                above, below = level * (1 + 1e-7), level * (1 - 1e-7)
                assert np.array_equal(rejected(method, p, above), adjusted <= above)
                assert np.array_equal(rejected(method, p, below), adjusted <= below)


# -- all pairs ------------------------------------------------------------------------------------


def test_nemenyi_is_the_studentized_range():
    z = np.array([0.3, 1.0, 2.0, 2.5, 3.5, 5.0])
    actual = adjust(2 * stats.norm.sf(z), "nemenyi", n_algorithms=4)
    expected = stats.studentized_range.sf(z * np.sqrt(2), 4, np.inf)
    assert actual == pytest.approx(expected, rel=1e-9, abs=1e-14)


# -- properties -----------------------------------------------------------------------------------


def check(method, p):
    p = np.array(p)
    before = p.copy()
    adjusted = adjust(p, method)
    assert np.array_equal(p, before)
    assert np.all(adjusted >= p)
    assert np.all(adjusted <= 1)
    order = np.argsort(p, kind="stable")
    assert np.all(np.diff(adjusted[order]) >= -1e-12)
    return adjusted


@settings(max_examples=60)
@given(p=families)
def test_marginal_procedures(p):
    actual = {m: check(m, p) for m in MARGINAL}
    little = 1e-9  # rounding of the two sides
    for smaller, larger in (
        ("none", "benjamini-hochberg"), ("benjamini-hochberg", "hommel"), ("hommel", "hochberg"),
        ("rom", "hochberg"), ("hochberg", "holm"), ("holland", "holm"), ("holm", "bonferroni"),
    ):  # fmt: skip
        assert np.all(actual[smaller] <= actual[larger] + little), (smaller, larger)


@settings(max_examples=60)
@given(p=families, seed=st.integers(0, 1000))
def test_the_order_of_the_input_does_not_matter(p, seed):
    p = np.array(p)
    shuffled = np.random.default_rng(seed).permutation(len(p))
    for method in MARGINAL:
        assert adjust(p[shuffled], method) == pytest.approx(adjust(p, method)[shuffled])


@settings(max_examples=60)
@given(p=all_pairs)
def test_procedures_on_all_pairs(p):
    shaffer, bergmann = check("shaffer", p), check("bergmann-hommel", p)
    check("nemenyi", p)
    assert np.all(shaffer <= adjust(p, "holm") + 1e-12)
    assert np.all(bergmann <= shaffer + 1e-12)


@settings(max_examples=30)
@given(p=all_pairs, seed=st.integers(0, 1000))
def test_names_of_algorithms_do_not_matter(p, seed):
    """Pairs renumbered by a permutation of the algorithms keep their adjusted p-values."""
    k = next(k for k, m in SIZES.items() if m == len(p))
    first, second = np.triu_indices(k, 1)
    matrix = np.zeros((k, k))
    matrix[first, second] = matrix[second, first] = p
    new = np.random.default_rng(seed).permutation(k)
    for method in ("bergmann-hommel", "shaffer", "nemenyi"):
        adjusted = np.zeros((k, k))
        adjusted[first, second] = adjusted[second, first] = adjust(p, method)
        renamed = adjust(matrix[np.ix_(new, new)][first, second], method)
        assert renamed == pytest.approx(adjusted[np.ix_(new, new)][first, second])


def test_one_hypothesis_is_left_alone():
    for method in MARGINAL:
        assert adjust([0.03], method) == pytest.approx([0.03], rel=1e-12)
    for method in ("nemenyi", "shaffer", "bergmann-hommel"):
        assert adjust([0.03], method) == pytest.approx([0.03], rel=1e-9)


# -- names and errors -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("given_name", "own"),
    [("Bonferroni-Dunn", "bonferroni"), ("bergmann_hommel", "bergmann-hommel"), ("BH", METHODS[8]),
     ("Benjamini Hochberg", "benjamini-hochberg"), ("dunn", "bonferroni")],
)  # fmt: skip
def test_names(given_name, own):
    assert canonical(given_name) == own


@pytest.mark.parametrize(
    ("p", "options", "words"),
    [
        ([0.1, np.nan], {}, r"p\[1\] is nan"),
        ([0.1, 1.2], {}, r"p\[1\] is 1.2"),
        ([], {}, "shape"),
        ([[0.1]], {}, "shape"),
        (["a"], {}, "not numeric"),
        ([0.1] * 5, {"method": "shaffer"}, "all pairs"),
        ([0.1] * 6, {"method": "shaffer", "n_algorithms": 5}, "10 pairs"),
        ([0.1] * 55, {"method": "bergmann-hommel"}, "at most 10"),
        ([0.1], {"method": "holms"}, "holm"),
        ([0.1], {"method": "holm", "alpha": 0.05}, "'rom' only"),
        ([0.1], {"method": "rom", "alpha": 0.9}, "alpha"),
    ],
)
def test_bad_input(p, options, words):
    with pytest.raises(InputError, match=words):
        adjust(p, **options)
