"""Skillings-Mack: papers, R, Friedman's test as a special case, permutations."""

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


def test_complete_tables_give_friedmans():
    for ties in [False, True]:
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
    with pytest.raises(
        InputError, match="scores must have at least 2 data sets with at least 2 scores"
    ):
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


def test_a_balanced_incomplete_design_as_in_pmcmrplus(rr):
    """Seven tasters, three of seven ice creams each: Durbin's T1 = 12 (Conover 1999, sec. 5.9).

    PMCMRplus 1.9.10, durbinTest(x), which is the same test where nothing ties.
    """
    result = f.skillings_mack(ICE, lower_is_better=True)
    assert [result.statistic, result.df, result.pvalue] == pytest.approx(rr["durbin_ice"])
