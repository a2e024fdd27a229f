"""Skillings-Mack and Durbin: papers, R, Friedman's test as a special case, permutations."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import bayescmp.frequentist as f
from bayescmp.errors import InputError

NAN = np.nan

#: Skillings & Mack 1981, table 1: times to assemble, 9 persons x 4 methods; T = 15.493,
#: p = .0014 (also the example of the R packages Skillings.Mack and PMCMRplus).
ASSEMBLY = np.array(
    [
        [3.2, 4.1, 3.8, 4.2],
        [3.1, 3.9, 3.4, 4.0],
        [4.3, 3.5, 4.6, 4.8],
        [3.5, 3.6, 3.9, 4.0],
        [3.6, 4.2, 3.7, 3.9],
        [4.5, 4.7, 3.7, NAN],
        [NAN, 4.2, 3.4, NAN],
        [4.3, 4.6, 4.4, 4.9],
        [3.5, NAN, 3.7, 3.9],
    ]
)


def test_assembly_times():
    result = f.skillings_mack(ASSEMBLY, lower_is_better=True)
    assert result.statistic == pytest.approx(15.493, abs=5e-4)
    assert result.pvalue == pytest.approx(0.0014, abs=5e-5)
    assert (result.df, result.n) == (3, 9)
    assert "4 of 36 scores missing" in result.notes


@pytest.mark.parametrize("ties", [False, True])
def test_complete_tables_give_friedmans(ties):
    x = np.random.default_rng(3).normal(size=(11, 5))
    x = x.round() if ties else x
    expected = stats.friedmanchisquare(*x.T)
    result = f.skillings_mack(x)
    assert result.statistic == pytest.approx(expected.statistic, rel=1e-10)
    assert result.pvalue == pytest.approx(expected.pvalue, rel=1e-9)


@pytest.mark.slow
def test_the_covariance_is_that_of_permutations_within_data_sets():
    """Mean of T over permutations is its degrees of freedom, with ties and gaps."""
    rng = np.random.default_rng(5)
    x = rng.integers(0, 4, (9, 4)).astype(float)
    x[rng.uniform(size=x.shape) < 0.2] = NAN
    statistics = []
    for _ in range(1000):
        y = x.copy()
        for row in y:
            seen = np.isfinite(row)
            row[seen] = rng.permutation(row[seen])
        statistics.append(f.skillings_mack(y).statistic)
    error = np.std(statistics) / np.sqrt(len(statistics))
    assert np.mean(statistics) == pytest.approx(3, abs=4 * error)


def test_what_is_left_out_is_counted():
    x = np.vstack([ASSEMBLY, [[1.0, NAN, NAN, NAN]]])
    result = f.skillings_mack(x, lower_is_better=True)
    assert result.statistic == pytest.approx(15.493, abs=5e-4)
    assert result.n == 9
    assert any("1 data set with fewer than 2 scores left out" in note for note in result.notes)


def test_bad_input():
    with pytest.raises(InputError, match="at least 3"):
        f.skillings_mack([[1, 2], [2, 1]])
    with pytest.raises(InputError, match="1 data sets with at least 2"):
        f.skillings_mack([[1, 2, 3], [NAN, NAN, 1]])
    with pytest.raises(InputError, match="infinite"):
        f.skillings_mack([[1, 2, 3], [np.inf, 1, 2]])
    with pytest.raises(InputError, match="tie"):
        f.skillings_mack([[1, 1, 1], [2, 2, 2]])
    apart = pd.DataFrame(
        [[1, 2, NAN, NAN], [NAN, NAN, 1, 2], [2, 1, NAN, NAN]], columns=list("abcd")
    )
    with pytest.raises(InputError, match="'a' and 'c'"):
        f.skillings_mack(apart)


ICE = [
    [2, 3, NAN, 1, NAN, NAN, NAN],
    [NAN, 3, 1, NAN, 2, NAN, NAN],
    [NAN, NAN, 2, 1, NAN, 3, NAN],
    [NAN, NAN, NAN, 1, 2, NAN, 3],
    [3, NAN, NAN, NAN, 1, 2, NAN],
    [NAN, 3, NAN, NAN, NAN, 1, 2],
    [3, NAN, 1, NAN, NAN, NAN, 2],
]
FOUR = [
    [5, 5, 2, NAN],
    [4, 6, NAN, 6],
    [3, NAN, 3, 7],
    [NAN, 8, 1, 2],
    [2, 4, 4, NAN],
    [5, 1, NAN, 3],
    [7, NAN, 2, 2],
    [NAN, 6, 3, 9],
]


UNEVEN = [[1, 2, 3], [2, 1, NAN], [3, 1, 2]]
TABLES = pytest.mark.parametrize(("name", "x"), [("ice", ICE), ("four", FOUR)])


@TABLES
def test_durbin_as_in_pmcmrplus(rr, name, x):
    """PMCMRplus 1.9.10, durbinTest(x); "four" has ties."""
    result = f.durbin(x, lower_is_better=True)
    assert [result.statistic, result.df, result.pvalue] == pytest.approx(rr[f"durbin_{name}"])


def test_durbins_f_is_that_of_conover():
    """Conover 1999, sec. 5.9: T1 = 12 and T2 = 8 with 6 and 8 degrees of freedom."""
    result = f.durbin(ICE, lower_is_better=True, form="f")
    assert result.statistic == pytest.approx(8)
    assert result.df == (6, 8)
    assert result.pvalue == pytest.approx(stats.f.sf(8, 6, 8))


def test_durbin_without_ties_is_skillings_and_macks():
    expected = f.skillings_mack(ICE)
    result = f.durbin(ICE)
    assert (result.statistic, result.df) == (pytest.approx(expected.statistic), expected.df)


def test_durbin_of_a_complete_table_is_friedmans():
    x = np.random.default_rng(8).normal(size=(9, 4)).round(1)
    assert f.durbin(x).statistic == pytest.approx(f.friedman(x).statistic)
    assert f.durbin(x, form="f").pvalue == pytest.approx(f.iman_davenport(x).pvalue)


@pytest.mark.parametrize(
    ("x", "message"),
    [
        (UNEVEN, "not a balanced incomplete design: data sets have 2 to 3"),
        (
            [[1, 2, NAN, NAN], [NAN, 1, 2, NAN], [NAN, NAN, 1, 2], [2, NAN, NAN, 1]],
            "pairs meet 0 to 1 times",
        ),
        ([[1, NAN, NAN], [NAN, 1, NAN], [NAN, NAN, 1]], "one algorithm on each"),
        ([[1, 1, NAN], [NAN, 1, 1], [1, NAN, 1]], "tie on every data set"),
    ],
)
def test_durbin_refuses(x, message):
    with pytest.raises(InputError, match=message):
        f.durbin(x)


# Pairs.


@TABLES
def test_published_pairs_as_in_pmcmrplus(rr, name, x):
    """PMCMRplus 1.9.10, durbinAllPairsTest(x, p.adjust.method = "none")."""
    result = f.pairwise_durbin(x, adjust="none", variance="published", lower_is_better=True)
    assert result.pvalue == pytest.approx(rr[f"durbin_pairs_{name}"], rel=1e-12)


@pytest.mark.parametrize("variance", ["design", "published"])
def test_pairs_of_a_complete_table_are_conovers(variance):
    x = np.random.default_rng(8).normal(size=(9, 4)).round(1)
    result = f.pairwise_durbin(x, variance=variance)
    expected = f.posthoc(x, distribution="t")
    assert result.adjusted == pytest.approx(expected.adjusted, rel=1e-12)
    assert result.difference == pytest.approx(expected.difference)


@pytest.mark.parametrize("x", [ICE, FOUR])
def test_pairs_are_those_of_least_squares_on_the_ranks(x):
    """Ordinary least squares of the ranks on data sets and algorithms, by the normal equations."""
    ranks = stats.rankdata(x, axis=1, nan_policy="omit")
    rows, columns = np.nonzero(np.isfinite(ranks))
    b, t = ranks.shape
    design = np.c_[np.eye(b)[rows], np.eye(t)[columns][:, 1:]]
    y = ranks[rows, columns]
    beta, rest, rank, _ = np.linalg.lstsq(design, y, rcond=None)
    covariance = np.linalg.inv(design.T @ design) * rest / (len(y) - rank)
    places = b + np.arange(t - 1)
    expected = beta[places] / np.sqrt(np.diag(covariance)[places])
    result = f.pairwise_durbin(x, adjust="none", control=0, lower_is_better=True)
    assert -result.statistic == pytest.approx(expected, rel=1e-10)
    assert result.pvalue == pytest.approx(2 * stats.t.sf(abs(expected), len(y) - rank), rel=1e-10)


@pytest.mark.parametrize(
    ("x", "options", "message"),
    [
        (UNEVEN, {}, "not a balanced incomplete design"),
        (ICE, {"adjust": "nemenyi"}, r"adjust must be .*\(got 'nemenyi'\).*normal ranks"),
        (ICE, {"control": "x"}, "unknown algorithm"),
        (ICE, {"variance": "permutation"}, "unknown variance 'permutation'"),
        ([[1, 2, 3]] * 4, {}, "leave no error"),
        ("abc", {}, "scores"),
    ],
)
def test_pairs_that_can_not_be_compared(x, options, message):
    with pytest.raises(InputError, match=message):
        f.pairwise_durbin(x, **options)


def test_algorithms_of_one_mean_rank_share_first_place():
    cycle = [[1, 2, np.nan], [np.nan, 1, 2], [2, np.nan, 1]]
    answer = f.pairwise_durbin(cycle).answer()
    assert answer == "A1, A2 and A3 share first place; no pair of 3 differs at 0.05"
