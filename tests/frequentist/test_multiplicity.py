"""Adjusted p-values: R, definitions of the procedures, published sets, properties."""

import itertools
import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.polynomial import Polynomial
from scipy import integrate, stats

from bayescmp.errors import InputError
from bayescmp.frequentist import adjust
from bayescmp.frequentist.multiplicity import (
    METHODS,
    bergmann_hommel,
    exhaustive_sets,
    find_procedure,
    largest_t_ppf,
    largest_t_sf,
    normal_range_ppf,
    normal_range_sf,
    rom_critical,
    shaffer_counts,
    studentized_range_sf,
)
from tests.rows import each_row

Q = np.array([0.0, 0.05, 0.3, 1.0, 2.0, 3.0, 4.5, 6.0, 9.0])


@each_row("k", [2, 3, 5, 10, 30])
@each_row("df", [1, 2, 5, 36, 841])
def test_beside_scipy(k, df):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", integrate.IntegrationWarning)
        expected = stats.studentized_range.sf(Q, k, df)
    assert studentized_range_sf(Q, k, df) == pytest.approx(expected, abs=1e-9)


@each_row("df", [1, 2, 7, 100, 5000])
def test_two_means_are_a_t_test(df):
    """The range of two is √2·|t|: exact, also far in the tail."""
    q = np.concatenate([Q, np.linspace(9.5, 14.0, 10)])
    exact = 2 * stats.t.sf(q / np.sqrt(2), df)
    assert studentized_range_sf(q, 2, df) == pytest.approx(exact, rel=1e-8, abs=0)


@each_row(("q", "k", "df"), [(12.0, 5, 10), (9.0, 8, 60), (15.0, 3, 40)])
def test_the_tail_beside_a_double_integral(q, k, df):
    """∫ f(s) k ∫ φ(z) {Φ(z)^{k-1} - [Φ(z) - Φ(z - qs)]^{k-1}} dz ds, on fine fixed grids."""
    s = np.linspace(1e-3, 2.2, 1500)
    z = np.linspace(-12, 12, 2401)
    cdf, below = stats.norm.cdf(z), stats.norm.cdf(z - q * s[:, None])
    share = np.minimum(below / cdf, 1 - 1e-16)
    inner = cdf ** (k - 1) * -np.expm1((k - 1) * np.log1p(-share))
    range_sf = k * integrate.simpson(stats.norm.pdf(z) * inner, x=z, axis=1)
    density = stats.chi2.pdf(df * s**2, df) * 2 * df * s
    expected = integrate.simpson(density * range_sf, x=s)
    assert studentized_range_sf(q, k, df) == pytest.approx(expected, rel=1e-7, abs=0)


def test_shape_and_many_values():
    q = np.linspace(0, 8, 5000).reshape(50, 100)
    p = studentized_range_sf(q, 6, 20)
    assert p.shape == q.shape
    assert np.all(np.diff(p.ravel()) <= 1e-9)
    assert studentized_range_sf(3.0, 6, 20).shape == ()
    assert p[7, 9] == pytest.approx(float(studentized_range_sf(q[7, 9], 6, 20)))


@each_row("k", [2, 3, 10, 50])
def test_range_as_in_r(r, k):
    """R 4.2.2, ptukey(q, k, Inf, lower.tail = FALSE), which is good to 3e-7 for k = 50; SciPy."""
    q = [0.5, 1, 2, 3, 3.5, 4, 5, 6]
    assert normal_range_sf(q, k) == pytest.approx(r[f"ptukey_{k}"], abs=5e-7)
    expected = stats.studentized_range.sf(q, k, np.inf)
    assert normal_range_sf(q, k) == pytest.approx(expected, abs=1e-14)


def test_range_quantiles_as_in_r(r):
    for k in (2, 3, 5, 10, 20):
        assert normal_range_ppf(0.05, k) == pytest.approx(r[f"qtukey_{k}"][0], rel=1e-6)


def test_range_of_two_normals_in_the_far_tail():
    """The range of two is |N(0, 2)|: SciPy's normal tail, down to 1e-200."""
    q = np.array([0.0, 1.0, 10.0, 20.0, 40.0])
    assert normal_range_sf(q, 2) == pytest.approx(2 * stats.norm.sf(q / np.sqrt(2)), rel=1e-9)


HALF = np.sqrt(0.5)


@each_row("two_sided", [True, False])
@each_row("df", [3, 12, 200])
def test_one_comparison_is_students(two_sided, df):
    for c in (0.5, 2.0, 6.0):
        actual = largest_t_sf(c, np.array([HALF]), df, two_sided=two_sided)
        expected = stats.t.sf(c, df) * (2 if two_sided else 1)
        assert actual == pytest.approx(expected, rel=1e-8)


def test_as_the_multivariate_t():
    """SciPy 1.17.1, multivariate_t.cdf, loadings of unequal samples; its error is about 1e-4."""
    loadings, df, c = np.array([0.4, 0.7, 0.8]), 9, 1.9
    shape = np.outer(loadings, loadings)
    np.fill_diagonal(shape, 1)
    t = stats.multivariate_t(shape=shape, df=df, seed=1)
    one = 1 - t.cdf(np.full(3, c), maxpts=200_000)
    two = 1 - t.cdf(np.full(3, c), lower_limit=np.full(3, -c), maxpts=200_000)
    assert largest_t_sf(c, loadings, df, two_sided=False) == pytest.approx(one, abs=2e-4)
    assert largest_t_sf(c, loadings, df) == pytest.approx(two, abs=2e-4)


@each_row(
    ("m", "df", "two_sided", "printed"),
    [(9, 20, True, 2.95), (2, 5, False, 2.44), (4, 15, False, 2.36), (9, np.inf, False, 2.42)],
)
def test_printed_quantiles(m, df, two_sided, printed):
    """Dunnett 1955, table 1a (one-sided), and 1964, table II (two-sided), 5%."""
    loadings = np.full(m, HALF)
    below, above = (
        largest_t_sf(printed + by, loadings, df, two_sided=two_sided) for by in (-0.0051, 0.0051)
    )
    assert above < 0.05 < below
    if two_sided:
        assert largest_t_ppf(0.05, loadings, df) == pytest.approx(printed, abs=0.0051)


def test_far_tail():
    """With many degrees of freedom the largest of m is nearly m times as probable as one."""
    loadings = np.full(4, HALF)
    actual = largest_t_sf(9.0, loadings, 500)
    assert actual == pytest.approx(4 * 2 * stats.t.sf(9.0, 500), rel=1e-3)
    assert largest_t_sf(np.inf, loadings, 5) == 0
    assert largest_t_sf(0.0, loadings, 5) == pytest.approx(1, abs=1e-9)


def closed_subsets(k):
    """Sets of pairs that are all the equalities of some k values, by trying every subset."""
    pairs = list(itertools.combinations(range(k), 2))
    actual = set()
    for bits in itertools.product([False, True], repeat=len(pairs)):
        equal = {p for p, b in zip(pairs, bits, strict=True) if b}
        near = lambda a, b: a == b or (min(a, b), max(a, b)) in equal  # noqa: B023, E731
        transitive = all(
            near(a, c)
            for a, b, c in itertools.permutations(range(k), 3)
            if near(a, b) and near(b, c)
        )
        if transitive and equal:
            actual.add(bits)
    return actual


@each_row("k", [2, 3, 4])
def test_exhaustive_sets_by_trying_all(k):
    assert {tuple(row) for row in exhaustive_sets(k).tolist()} == closed_subsets(k)


@each_row(("k", "bell"), [(3, 5), (4, 15), (5, 52), (6, 203), (9, 21147)])
def test_as_many_exhaustive_sets_as_partitions(k, bell):
    """Bell's numbers (OEIS A000110), less the partition without equalities."""
    assert exhaustive_sets(k).shape == (bell - 1, k * (k - 1) // 2)


@each_row(
    ("k", "possible"),
    [
        (3, {0, 1, 3}),
        (4, {0, 1, 2, 3, 6}),
        (5, {0, 1, 2, 3, 4, 6, 10}),
        (6, {0, 1, 2, 3, 4, 6, 7, 10, 15}),
    ],
)
def test_shaffers_counts_by_hand(k, possible):
    """Sums of C(g, 2) over the groups g of each partition of k, by hand."""
    m = k * (k - 1) // 2
    expected = [max(s for s in possible if s <= m - i + 1) for i in range(1, m + 1)]
    assert shaffer_counts(k).tolist() == expected


def test_shaffers_counts_of_many_are_those_of_the_partitions():
    sizes = set(exhaustive_sets(8).sum(axis=1).tolist()) | {0}
    expected = [max(s for s in sizes if s <= 28 - i) for i in range(28)]
    assert shaffer_counts(8).tolist() == expected
    assert shaffer_counts(60)[0] == 60 * 59 / 2


def test_bergmann_hommel_by_the_definition():
    """Every exhaustive set that holds the pair; then no larger p with a smaller adjusted one."""
    rng = np.random.default_rng(2)
    for _ in range(50):
        p = rng.uniform(size=6) ** 2
        actual = np.array(
            [
                max(
                    sum(s) * min(p[j] for j in range(6) if s[j]) for s in closed_subsets(4) if s[i]
                )
                for i in range(6)
            ]
        )
        expected = [min(1.0, max(actual[p <= p[i]])) for i in range(6)]
        assert adjust(p, "bergmann-hommel") == pytest.approx(expected, rel=1e-13)


def closed_test(p, k):
    """Every intersection of hypotheses, tested by Bonferroni over all that it implies."""
    pairs = list(itertools.combinations(range(k), 2))
    adjusted = np.zeros(len(pairs))
    for chosen in itertools.product([False, True], repeat=len(pairs)):
        group = list(range(k))
        for (a, b), equal in zip(pairs, chosen, strict=True):
            if equal:
                group = [group[a] if g == group[b] else g for g in group]
        implied = [p[i] for i, (a, b) in enumerate(pairs) if group[a] == group[b]]
        if implied:
            local = min(1.0, len(implied) * min(implied))
            adjusted = np.maximum(adjusted, np.where(chosen, local, 0.0))
    return adjusted


def test_bergmann_hommel_is_the_closed_test_until_it_is_stepped():
    """Stepped it is never under the closed test, and on some p-values over it, as documented."""
    rng = np.random.default_rng(3)
    for _ in range(20):
        p = rng.uniform(size=6) ** 3
        closed = closed_test(p, 4)
        assert np.minimum(bergmann_hommel(p, 4), 1) == pytest.approx(closed, rel=1e-13)
        assert np.all(adjust(p, "bergmann-hommel") >= closed * (1 - 1e-13))
    p = [0.001, 0.011, 0.031, 0.681, 0.041, 0.011]
    assert closed_test(p, 4)[4] == pytest.approx(0.041)
    assert adjust(p, "bergmann-hommel")[4] == pytest.approx(0.062)


def probability_of_no_rejection(critical):
    """P(U_(1) > c_m, ..., U_(m) > c_1) of m independent uniforms, by iterated integration."""
    m = len(critical)
    inner = Polynomial([1.0])
    for c in critical[::-1]:  # smallest order statistic first
        integral = inner.integ()
        inner = integral - integral(c)
    return float(np.prod(np.arange(1, m + 1)) * inner(1.0))


@each_row("alpha", [0.01, 0.05, 0.2, 0.5])
def test_roms_level_is_exact_under_independence(alpha):
    critical = rom_critical(np.array([alpha]), 8)[:, 0]
    for m in range(1, 9):
        assert 1 - probability_of_no_rejection(critical[:m]) == pytest.approx(alpha, rel=1e-9)


def test_roms_first_critical_values_by_hand():
    """Rom 1990, eq. 4 written out for up to four hypotheses."""
    a = 0.05
    c3 = (a + a**2 - 3 * (a / 2) ** 2) / 3
    c4 = (a + a**2 + a**3 - 4 * (a / 2) ** 3 - 6 * c3**2) / 4
    assert c3 == pytest.approx(0.016875)
    assert rom_critical(np.array([a]), 4)[:, 0] == pytest.approx([a, a / 2, c3, c4], rel=1e-13)


def test_rom_of_many():
    """The recursion stays stable: r·c_r grows to -log(1-α), as e^x - 1 = α/(1-α) in the limit."""
    scaled = rom_critical(np.array([0.05, 0.5]), 2000) * np.arange(1, 2001)[:, None]
    assert scaled[-1] == pytest.approx(-np.log1p([-0.05, -0.5]), rel=1e-3)
    assert np.all(np.diff(scaled, axis=0) > -1e-12)


MARGINAL = [m for m in METHODS if m not in ("nemenyi", "shaffer", "bergmann-hommel")]
SIZES = {3: 3, 4: 6, 5: 10}

p_values = st.floats(0, 1, allow_nan=False) | st.sampled_from([0.0, 1.0, 0.05, 0.01])
families = st.lists(p_values, min_size=1, max_size=12)
all_pairs = st.sampled_from(sorted(SIZES)).flatmap(
    lambda k: st.lists(p_values, min_size=SIZES[k], max_size=SIZES[k])
)


# Other programs and definitions.


@each_row("family", ["a", "b", "c"])
@each_row(
    ("method", "theirs"),
    [
        ("bonferroni", "bonferroni"),
        ("holm", "holm"),
        ("hochberg", "hochberg"),
        ("hommel", "hommel"),
        ("benjamini-hochberg", "BH"),
    ],
)
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


@each_row("method", ["holland", "finner", "li", "rom"])
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


# All pairs.


def test_nemenyi_is_the_studentized_range():
    z = np.array([0.3, 1.0, 2.0, 2.5, 3.5, 5.0])
    actual = adjust(2 * stats.norm.sf(z), "nemenyi", n_algorithms=4)
    expected = stats.studentized_range.sf(z * np.sqrt(2), 4, np.inf)
    assert actual == pytest.approx(expected, rel=1e-9, abs=1e-14)


# Properties.


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
        ("none", "benjamini-hochberg"),
        ("benjamini-hochberg", "hommel"),
        ("hommel", "hochberg"),
        ("rom", "hochberg"),
        ("hochberg", "holm"),
        ("holland", "holm"),
        ("holm", "bonferroni"),
    ):
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


# Names and errors.


@each_row(
    ("given_name", "own"),
    [
        ("Bonferroni-Dunn", "bonferroni"),
        ("bergmann_hommel", "bergmann-hommel"),
        ("BH", METHODS[8]),
        ("Benjamini Hochberg", "benjamini-hochberg"),
        ("dunn", "bonferroni"),
    ],
)
def test_names(given_name, own):
    assert find_procedure(given_name) == own


@each_row(
    ("p", "options", "words"),
    [
        ([0.1, np.nan], {}, r"p\[1\] must be from 0 to 1 \(got nan\)"),
        ([0.1, 1.2], {}, r"p\[1\] must be from 0 to 1 \(got 1.2\)"),
        ([], {}, "shape"),
        ([[0.1]], {}, "shape"),
        (["a"], {}, "p must be a vector of numbers"),
        ([0.1] * 5, {"method": "shaffer"}, "all pairs"),
        (
            [0.1] * 6,
            {"method": "shaffer", "n_algorithms": 5},
            "n_algorithms must be 4 for 6 p-values",
        ),
        (
            [0.1] * 55,
            {"method": "bergmann-hommel"},
            "method must not be 'bergmann-hommel' for more than 10",
        ),
        ([0.1], {"method": "holms"}, "holm"),
        ([0.1], {"method": "holm", "alpha": 0.05}, "None for method 'holm'"),
        ([0.1], {"method": "rom", "alpha": 0.9}, "alpha"),
    ],
)
def test_bad_input(p, options, words):
    with pytest.raises(InputError, match=words):
        adjust(p, **options)
