"""MANOVA: Rencher, R, statsmodels, least squares, ANOVA, invariances, dependence, bad input."""

import json

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import integrate, stats

import bayescmp as bc
import bayescmp.frequentist as f
from bayescmp.errors import InputError
from bayescmp.frequentist.multivariate_groups import four_tests, largest_root_sf
from tests.frequentist.conftest import mixing
from tests.rows import each_row


def null_roots(p, h, e, count, seed=0):
    """Eigenvalues of E⁻¹H of normal matrices, descending."""
    rng = np.random.default_rng([seed, p, h, e])
    H, E = rng.normal(size=(count, h, p)), rng.normal(size=(count, e, p))
    H, E = np.swapaxes(H, 1, 2) @ H, np.swapaxes(E, 1, 2) @ E
    return np.sort(np.linalg.eigvals(np.linalg.solve(E, H)).real)[:, ::-1][:, : min(p, h)]


@each_row(("p", "h", "e"), [(2, 3, 20), (3, 2, 30), (2, 6, 5)])
def test_two_roots_by_quadrature(p, h, e):
    """The joint density of two roots, integrated numerically."""
    m, k = (abs(p - h) - 1) / 2, (e - p - 1) / 2

    def density(y, x):
        return (x * y) ** m * ((1 - x) * (1 - y)) ** k * (x - y)

    total = integrate.dblquad(density, 0, 1, 0, lambda x: x)[0]
    for theta in (0.2, 0.5, 0.8):
        below = integrate.dblquad(density, 0, theta, 0, lambda x: x)[0] / total
        actual = largest_root_sf(theta / (1 - theta), p, h, e)
        assert actual == pytest.approx(1 - below, abs=1e-7)


def test_one_root_is_a_beta():
    for p, h, e in [(1, 4, 45), (3, 1, 9), (1, 1, 6)]:
        for root in (0.05, 0.5, 3.0):
            theta = root / (1 + root)
            expected = stats.beta.sf(theta, max(p, h) / 2, (e + min(p, h) - p) / 2)
            assert largest_root_sf(root, p, h, e) == pytest.approx(expected, abs=1e-12)


def test_largest_root_of_a_textbook_table():
    """Rencher 2002, table A.10 as used in ex. 6.1.4: θ.05 = 0.377 for s = 4, m = 0, N = 18.5."""
    assert largest_root_sf(0.377 / 0.623, 4, 5, 42) == pytest.approx(0.05, abs=0.004)


@pytest.mark.parametrize(
    ("p", "h", "e"), [(3, 5, 20), (6, 9, 54), pytest.param(7, 7, 100, marks=pytest.mark.slow)]
)
def test_largest_root_by_simulation(p, h, e):
    roots = null_roots(p, h, e, 20_000)[:, 0]
    for share in (0.5, 0.9, 0.99):
        actual = largest_root_sf(float(np.quantile(roots, share)), p, h, e)
        assert actual == pytest.approx(1 - share, abs=4 * np.sqrt(share * (1 - share) / 20_000))


def test_largest_root_is_a_distribution():
    """From 1 to 0, never rising; the constant of the density is that of the Pfaffian at 1."""
    for p, h, e in [(2, 4, 36), (10, 12, 300), (9, 10, 12)]:
        grid = [0.0, *np.geomspace(1e-3, 1e3, 60), 1e12]
        actual = np.array([largest_root_sf(root, p, h, e) for root in grid])
        assert actual[0] == 1
        assert actual[-1] == pytest.approx(0, abs=1e-6)
        assert np.all(np.diff(actual) <= 1e-6)
        assert largest_root_sf(np.inf, p, h, e) == 0


def test_symmetry_of_dimensions():
    """The roots for (p, ν_h, ν_e) are distributed as those for (ν_h, p, ν_e + ν_h - p)."""
    for root in (0.2, 0.9):
        a, b = largest_root_sf(root, 3, 5, 30), largest_root_sf(root, 5, 3, 32)
        assert a == pytest.approx(b, abs=1e-12)
    roots = np.array([0.9, 0.2, 0.05])
    for one, other in zip(four_tests(roots, 3, 5, 30), four_tests(roots, 5, 3, 32), strict=True):
        assert one.refined == pytest.approx(other.refined, rel=1e-9)


def test_moments_of_pillai():
    """Mean and variance behind the beta approximation."""
    p, h, e = 3, 4, 15
    roots = null_roots(p, h, e, 40_000)
    trace = (roots / (1 + roots)).sum(axis=1)
    N = h + e
    variance = 2 * p * h * e * (N - p) / (N**2 * (N - 1) * (N + 2))
    assert trace.mean() == pytest.approx(p * h / N, rel=0.01)
    assert trace.var() == pytest.approx(variance, rel=0.03)


def test_mckeon_as_in_statsmodels():
    """statsmodels 0.15.0, MANOVA.from_formula("tp+fp+ms ~ alg", data).mv_test(), and with folds.

    The trace's F = 19.092233 on 9 and 37.798883 d.o.f. one-way, 76.288965 on 9 and 26.846154
    with blocks, for the data of tests/reference/multivariate_r.R.
    """
    for roots, e, ratio, below in (
        (
            [6.5627030110549196, 0.21769638216218423, 0.00036247815384393977],
            28,
            19.092233,
            37.798883,
        ),
        (
            [36.773964915186198, 0.60437421566337202, 0.0010675613210761221],
            21,
            76.288965,
            26.846154,
        ),
    ):
        actual = four_tests(np.array(roots), 3, 3, e)[2].refined
        assert actual == pytest.approx(stats.f.sf(ratio, 9, below), rel=1e-5)


def test_exact_where_said():
    """Two roots or fewer: Wilks exact; one root: all four, with one p."""
    alone = four_tests(np.array([0.7]), 1, 4, 20)
    assert {t.kind for t in alone} == {"exact"}
    assert len({round(t.pvalue, 12) for t in alone}) == 1
    assert alone[0].pvalue == pytest.approx(stats.f.sf(0.7 * 20 / 4, 4, 20))
    kinds = {t.name: t.kind for t in four_tests(np.array([0.7, 0.1]), 2, 4, 20)}
    assert kinds == {
        "Wilks": "exact",
        "Pillai": "approximate",
        "Hotelling-Lawley": "approximate",
        "Roy": "bound",
    }
    three = four_tests(np.array([0.7, 0.2, 0.1]), 3, 4, 20)
    assert three[0].kind == "approximate"
    assert three[3].refined > three[3].pvalue
    assert [t.pvalue for t in four_tests(np.zeros(0), 0, 3, 20)] == [1, 1, 1, 1]


def test_few_degrees_of_freedom():
    """McKeon's F has no variance to match at ν_e <= p + 3: the plain F's p-value stands."""
    test = four_tests(np.array([2.0, 0.5]), 3, 2, 6)[2]
    assert test.refined == test.pvalue


def test_no_f_where_the_error_has_as_many_degrees_of_freedom_as_metrics():
    """R 4.2.2, summary(manova(x ~ b + a), test="Hotelling-Lawley"): den Df 0 and no p-value."""
    wilks, pillai, trace, roy = four_tests(np.array([239.1, 0.69]), 2, 2, 2)
    assert trace.kind == "undefined"
    assert trace.statistic == pytest.approx(239.79)
    assert np.isnan([trace.f, trace.pvalue, trace.refined]).all()
    assert all(0 < t.refined < 1 for t in (wilks, pillai, roy))
    assert four_tests(np.array([5.0, 0.69]), 2, 2, 3)[2].kind == "approximate"


def normal(seed, L=4, n=6, p=3):
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(L, n, p)) @ mixing(rng, p)
    return x + rng.normal(size=(L, 1, p)) + rng.normal(size=(1, n, p))


def test_dimensionality():
    """Mardia, Kent & Bibby 1979, ex. 12.5.1 in form: factor N - 1 - (p + a)/2 in the one-way case.

    With a = 6 algorithms of 8 folds and p = 4: 48 - 1 - 5 = 42, χ² of 20, 12, 6 and 2 d.o.f.
    """
    x = normal(2, 6, 8, 4)
    result = f.manova(x, block=False)
    table = result.dimensionality()
    logs = np.log(1 + result.eigenvalues)
    assert table["df"].tolist() == [20, 12, 6, 2]
    assert table["statistic"].to_numpy() == pytest.approx([42 * logs[r:].sum() for r in range(4)])
    assert table["pvalue"].to_numpy() == pytest.approx(
        stats.chi2.sf(table["statistic"], table["df"])
    )
    bartlett = -(42 - (4 - 5 + 1) / 2) * np.log(result.statistic)
    assert result.bartlett.statistic == pytest.approx(bartlett)
    assert result.bartlett.df == 20
    blocked = f.manova(x, block=True)  # ν_e = 35, ν_h = 5
    assert blocked.dimensionality()["statistic"].iloc[0] == pytest.approx(
        -(35 + 5 - 5) * np.log(blocked.statistic)
    )


def test_dimension_of_means_is_found():
    for dimension in [0, 1, 2]:
        rng = np.random.default_rng(3)
        means = 4 * rng.normal(size=(6, dimension)) @ rng.normal(size=(dimension, 3))
        x = means[:, None, :] + rng.normal(size=(6, 30, 3))
        assert f.manova(x, block=False).dimension(0.01) == dimension
        assert f.manova(x, block=True).dimension(0.01) == dimension


def test_all_dimensions_found():
    x = normal(1, 4, 20, 2) + 50 * np.random.default_rng(1).normal(size=(4, 1, 2))
    assert f.manova(x, block=False).dimension() == 2


def test_a_trace_without_an_f_is_said_to_have_none():
    x = np.random.default_rng(0).normal(size=(3, 2, 2))
    result = f.manova(x, block=True)
    assert result.df == (2, 2)
    line = next(row for row in str(result).splitlines() if "Lawley" in row)
    assert line.split()[2:] == ["–", "4", "0", "–", "undefined", "–"]
    assert result.to_dict()["tests"][2]["pvalue"] is None


def test_the_level_of_the_words():
    x = np.random.default_rng(0).normal(size=(3, 12, 2)) + np.arange(3)[:, None, None]
    result = f.manova(x, block=False)
    tiny = result.pvalue / 1e6
    assert result.dimension() > result.dimension(tiny) == 0
    assert f"dimension: 0 at {tiny:g}" in result.text(tiny)
    assert result.to_dict(tiny)["dimension"] == 0
    pairs = result.pairwise()
    assert f"algorithms that do not differ at {tiny:g}: {{(A1, A2, A3)}}" in pairs.text(tiny)
    assert pairs.to_dict(tiny)["cliques"] == [["A1", "A2", "A3"]] != pairs.to_dict()["cliques"]


NAMES = ("Wilks", "Pillai", "Hotelling-Lawley", "Roy")
COUNTS = ("tp", "fn", "fp", "tn")


def four(result):
    return [t.statistic for t in result.tests]


# Values from outside.


def test_rootstock_as_printed(reference_dir):
    """Rencher 2002, ex. 6.1 and 8.4: Λ = .154, V = 1.305, U = 2.921, λ = 1.876, .791, .229, .026.

    The line of Pillai is printed by heplots, the others by R 4.2.2's summary.manova.
    """
    frame = pd.read_csv(reference_dir / "rootstock_rencher.csv")
    columns = ["girth4", "ext4", "girth15", "weight15"]
    result = f.manova([g[columns].to_numpy() for _, g in frame.groupby("rootstock")], block=False)
    assert four(result) == pytest.approx([0.154, 1.305, 2.921, 1.876], abs=5e-4)
    assert result.eigenvalues == pytest.approx([1.876, 0.791, 0.229, 0.026], abs=5e-4)
    assert result.df == (5, 42)
    table = result.table[["F", "df1", "df2", "pvalue"]].to_numpy()
    assert table == pytest.approx(
        np.array(
            [
                [4.93688803972955, 20, 130.298241194927, 7.71376578335337e-09],
                [4.06971832578323, 20, 168, 1.98284948720972e-07],
                [5.47756557049819, 20, 150, 2.568096344184e-10],
                [15.7556374071278, 5, 42, 1.0024767282241e-08],
            ]
        ),
        rel=1e-8,
    )
    assert result.roy.statistic / (1 + result.roy.statistic) == pytest.approx(0.652, abs=5e-4)


def test_as_in_r(counts, mr):
    """R 4.2.2: summary(manova(y ~ alg), test) and manova(y ~ alg + fold)."""
    for design in ["oneway", "blocked"]:
        result = f.manova(counts, block=design == "blocked")
        for name in NAMES:
            row = result.table.loc[name]
            actual = [result.df[0], *row[["statistic", "F", "df1", "df2", "pvalue"]]]
            assert actual == pytest.approx(mr[f"{design}_{name}"], rel=1e-8), name
        assert result.eigenvalues == pytest.approx(mr[f"{design}_eigenvalues"], rel=1e-7)


def test_matrices_as_in_r(counts, mr):
    result = f.manova(counts, block=True)
    assert pytest.approx(mr["blocked_H"].reshape(3, 3)) == result.H
    assert pytest.approx(mr["blocked_E"].reshape(3, 3)) == result.E
    assert result.df == tuple(mr["blocked_df"])


def test_iris_as_in_r(mr):
    """The eigenvalues 32.19 and 0.285 of Fisher's iris data, as R and Mardia et al. have them."""
    result = f.manova(mr["iris"].reshape(3, 50, 4), block=False)
    assert result.eigenvalues == pytest.approx(mr["iris_eigenvalues"][:2], rel=1e-9)
    row = result.table.loc["Wilks", ["statistic", "F", "df1", "df2"]].to_numpy(dtype=float)
    assert row == pytest.approx(mr["iris_wilks"][1:5])
    assert result.dimension() == 2


def test_confusion_counts_as_in_r(confusion_counts, of_confusion_counts):
    """R 4.2.2, manova(Y ~ algorithm) and manova(Y ~ algorithm + fold), on the cv table.

    Where nothing was predicted positive the reference took precision as 1.
    """
    known = of_confusion_counts("oneway", "blocked")
    assert len(known) == 36
    for (dataset, metrics, layout, statistic), expected in known:
        x = bc.scores_blocks(confusion_counts, dataset=dataset, metrics=COUNTS).x
        tp, fn, fp, tn = np.moveaxis(x, 2, 0)
        precision = np.divide(tp, tp + fp, out=np.ones_like(tp), where=tp + fp > 0)
        columns = {
            "tpr_fpr": (tp / (tp + fn), fp / (fp + tn)),
            "precision_recall": (precision, tp / (tp + fn)),
        }[metrics]
        result = f.manova(np.stack(columns, axis=-1), block=layout == "blocked")
        row = result.table.loc[statistic]
        assert result.df[0] == expected["Df"]
        actual = [row["statistic"], row["F"], row["df1"], row["df2"], row["pvalue"]]
        wanted = [expected[k] for k in (statistic, "approx F", "num Df", "den Df", "Pr(>F)")]
        assert actual == pytest.approx(wanted, rel=1e-8), (dataset, metrics, layout, statistic)


def test_four_counts_one_way_as_in_r(confusion_counts, of_confusion_counts):
    """The raw counts, one-way: folds differ in their positives, so the rank is what R takes."""
    known = of_confusion_counts("rank4oneway")
    assert len(known) == 3
    for (dataset, *_), expected in known:
        blocks = bc.scores_blocks(confusion_counts, dataset=dataset, metrics=COUNTS)
        row = f.manova(blocks, rho=0.0, block=False).table.loc["Pillai"]
        assert row["statistic"] == pytest.approx(expected["Pillai"], rel=1e-8), dataset
        assert (row["df1"], row["df2"]) == (expected["num Df"], expected["den Df"])
        assert row["pvalue"] == pytest.approx(expected["Pr(>F)"], rel=1e-8)


@settings(max_examples=20)
@given(seed=st.integers(0, 10_000), L=st.integers(2, 5), n=st.integers(4, 8))
def test_scatter_by_least_squares(seed, L, n):
    """H and E are differences of residual scatters of the nested linear models."""
    x = normal(seed, L, n, 3)
    y = x.reshape(L * n, 3)
    algorithm, fold = np.kron(np.eye(L), np.ones((n, 1))), np.kron(np.ones((L, 1)), np.eye(n))
    one = np.ones((L * n, 1))

    def scatter(design):
        rest = y - design @ np.linalg.lstsq(design, y, rcond=None)[0]
        return rest.T @ rest

    for block, full, null in ((False, algorithm, one), (True, np.hstack([algorithm, fold]), fold)):
        result = f.manova(x, block=block)
        assert pytest.approx(scatter(full), rel=1e-7, abs=1e-9) == result.E
        assert pytest.approx(scatter(null) - scatter(full), rel=1e-7, abs=1e-9) == result.H
        assert result.df[1] == ((L - 1) * (n - 1) if block else L * (n - 1))
        wilks = np.linalg.det(result.E) / np.linalg.det(result.E + result.H)
        assert result.statistic == pytest.approx(wilks, rel=1e-7)


# Reductions.


@settings(max_examples=25)
@given(
    seed=st.integers(0, 10_000),
    block=st.booleans(),
    rho=st.sampled_from([0.0, 0.1]),
    L=st.integers(2, 5),
)
def test_one_metric_is_anova(seed, block, rho, L):
    x = normal(seed, L, 7, 1)
    table = f.anova(x[:, :, 0], block=block, rho=rho)
    result = f.manova(x, block=block, rho=rho)
    for test in result.tests:
        assert test.f == pytest.approx(table.statistic, rel=1e-9)
        assert test.df == table.df
        assert test.pvalue == pytest.approx(table.pvalue, rel=1e-8)
        assert test.kind == "exact"


def test_one_metric_as_in_r(counts, mr):
    result = f.manova(counts[:, :, :1], block=True)
    df, _, _, statistic, pvalue = mr["anova_tp"]
    assert result.df[0] == df
    assert result.wilks.f == pytest.approx(statistic)
    assert result.pvalue == pytest.approx(pvalue)


@settings(max_examples=25)
@given(seed=st.integers(0, 10_000), rho=st.sampled_from([0.0, 0.1]))
def test_two_algorithms_are_hotelling(seed, rho):
    """Blocked: the paired test; one-way: that of two samples. T² = ν_e·λ."""
    x = normal(seed, 2, 8, 3)
    for block, other in (
        (True, f.hotelling_paired(x[1] - x[0], rho=rho)),
        (False, f.hotelling_two_sample(x[0], x[1], rho=rho)),
    ):
        result = f.manova(x, block=block, rho=rho)
        assert result.df[1] * result.eigenvalues[0] == pytest.approx(other.statistic, rel=1e-8)
        assert {t.kind for t in result.tests} == {"exact"}
        for test in result.tests:
            assert test.pvalue == pytest.approx(other.pvalue, rel=1e-7)


# Overlapping folds.


def test_correction_for_overlap(counts):
    """H, and with it every eigenvalue, is divided by n·c = 1 + nρ/(1-ρ)."""
    plain, corrected = f.manova(counts, block=True), f.manova(counts, block=True, rho=0.125)
    factor = 8 * (1 / 8 + 0.125 / 0.875)
    assert corrected.inflation == pytest.approx(factor)
    assert corrected.eigenvalues == pytest.approx(plain.eigenvalues / factor)
    assert pytest.approx(plain.H) == corrected.H
    wilks = np.prod(1 / (1 + plain.eigenvalues / factor))
    assert corrected.statistic == pytest.approx(wilks)
    assert "corrected for rho = 0.125" in str(corrected)


# Invariances.


@settings(max_examples=25)
@given(seed=st.integers(0, 10_000), block=st.booleans(), rho=st.sampled_from([0.0, 0.1]))
def test_linear_maps_leave_all_four(seed, block, rho):
    rng = np.random.default_rng(seed)
    A = mixing(rng, 3)
    x = normal(seed)
    plain = f.manova(x, block=block, rho=rho)
    mapped = f.manova(x @ A + rng.normal(size=3), block=block, rho=rho)
    assert four(mapped) == pytest.approx(four(plain), rel=1e-8)
    assert mapped.pvalue == pytest.approx(plain.pvalue, rel=1e-7)


@settings(max_examples=25)
@given(seed=st.integers(0, 10_000), block=st.booleans())
def test_order_of_folds_algorithms_and_metrics(seed, block):
    rng = np.random.default_rng(seed)
    x = normal(seed)
    moved = x[rng.permutation(4)][:, rng.permutation(6)][:, :, rng.permutation(3)]
    assert four(f.manova(moved, block=block)) == pytest.approx(
        four(f.manova(x, block=block)), rel=1e-8
    )


def test_blocks_take_out_fold_effects():
    x = normal(4)
    moved = x + 100 * np.random.default_rng(0).normal(size=(1, 6, 3))
    assert four(f.manova(moved, block=True)) == pytest.approx(
        four(f.manova(x, block=True)), rel=1e-8
    )
    assert f.manova(moved, block=False).pvalue > 0.5


# Dependent and constant metrics.


def test_all_four_counts_are_of_rank_two(counts, mr):
    """With blocks the totals of positives and negatives go out: R on (tp, fp) is the reference."""
    tp, fp = counts[:, :, 0], counts[:, :, 1]
    x = np.stack([tp, 20 - tp, fp, 30 - fp], axis=-1)
    result = f.manova(x, block=True, metrics=COUNTS)
    assert result.rank == 2
    assert len(result.eigenvalues) == 2
    assert result.dependent == ("fn", "tn")
    assert "rank 2 of 4 metrics" in str(result)
    for name in NAMES:
        row = result.table.loc[name, ["statistic", "F", "df1", "df2", "pvalue"]]
        assert row.to_numpy(dtype=float) == pytest.approx(mr[f"two_{name}"][1:], rel=1e-8)
    assert result.dimensionality()["df"].tolist() == [6, 2]


def test_constant_metrics():
    x = normal(6)
    flat = np.concatenate([x, np.full((4, 6, 1), 0.3)], axis=2)
    result = f.manova(flat, metrics=["tp", "tn", "tpr", "tnr"], block=False)
    assert result.constant == ("tnr",)
    assert four(result) == pytest.approx(four(f.manova(x, block=False)), rel=1e-9)
    steps = np.concatenate([x, np.broadcast_to(np.arange(4.0)[:, None, None], (4, 6, 1))], axis=2)
    infinite = f.manova(steps, block=False)
    assert infinite.eigenvalues[0] == np.inf
    assert infinite.statistic == 0
    assert [t.pvalue for t in infinite.tests] == [0, 0, 0, 0]
    assert infinite.dimensionality()["pvalue"].iloc[0] == 0
    assert infinite.dimension() >= 1
    assert "without error" in str(infinite)
    assert json.dumps(infinite.to_dict())
    nothing = f.manova(np.ones((3, 4, 2)), block=False)
    assert (nothing.rank, nothing.pvalue, nothing.dimension()) == (0, 1, 0)


def test_roots_that_are_rounding_are_zero():
    """Two metrics, in one of which the algorithms tie but for the last place."""
    x = normal(6)[..., :2]
    x[..., 1] = x[..., 1].mean(axis=0)  # the same for all: effects of rounding only
    x[1:, :, 1] += 1e-17 + np.array([0.3, -0.1, 0.2, -0.2, 0.1, -0.3])
    x[0, :, 1] += np.array([-0.3, 0.1, 0.3, -0.2, -0.1, 0.2])
    result = f.manova(x)
    assert result.eigenvalues[0] > 0.01
    assert result.eigenvalues[1] == 0 or result.eigenvalues[1] > 1e-9
    assert "e-3" not in str(result)


# Labels and input.


def test_labels(counts):
    blocks = bc.Blocks(counts, metrics=["tp", "fp", "auc"], algorithms=list("wxyz"), rho=0.1)
    result = f.manova(blocks, block=True)
    assert result.names == tuple("wxyz")
    assert result.rho == 0.1
    assert f.manova(blocks, block=True, rho=0.0).rho == 0
    some = f.manova(blocks, names=["x", "z"], metrics=["auc"], block=False)
    assert (some.names, some.metrics) == (("x", "z"), ("auc",))
    assert "<table" in result._repr_html_()
    assert json.dumps(result.to_dict())
    assert f.manova(counts, names=list("abcd"), block=False).names == tuple("abcd")


def test_unequal_groups():
    """One-way with 4, 6 and 9 folds: by the same determinants."""
    rng = np.random.default_rng(1)
    samples = [rng.normal(size=(n, 2)) for n in (4, 6, 9)]
    result = f.manova(samples, block=False)
    y = np.concatenate(samples)
    within = sum((len(s) - 1) * np.cov(s.T) for s in samples)
    total = (len(y) - 1) * np.cov(y.T)
    assert result.statistic == pytest.approx(np.linalg.det(within) / np.linalg.det(total))
    assert result.df == (2, 16)
    with pytest.raises(
        InputError, match="rho must be left out if the algorithms differ in their number"
    ):
        f.manova(samples, rho=0.1, block=False)


@each_row(
    ("x", "options", "message"),
    [
        (normal(1, 3, 4, 8), {"block": True}, "8 metrics and 4 folds of 3 algorithms.*Drop 2"),
        (normal(1, 2, 3, 5), {}, "at most 4 metrics.*Drop 1 of 'm1'"),
        (
            [np.ones((3, 2)), np.ones((4, 2))],
            {"block": True},
            "x must have as many folds of every algorithm, for blocks",
        ),
        ([np.ones((3, 2)), np.ones((3, 1))], {}, "algorithms of 1 to 2 metrics"),
        (normal(1)[:1], {}, "x must have at least 2 algorithms for manova"),
        (np.ones(4), {}, "x must be an array .* of algorithms, folds and metrics"),
        (normal(1), {"rho": 1.5}, r"rho must be .*\(got 1\.5\)"),
        (normal(1), {"names": ["a", "b"]}, "4 different names"),
    ],
)
def test_bad_input(x, options, message):
    with pytest.raises(InputError, match=message):
        f.manova(x, **{"block": False} | options)
