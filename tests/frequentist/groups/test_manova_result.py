"""Result of MANOVA: dimension of the means, words, levels."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

import bayescmp.frequentist as f
from tests.frequentist.mixing import mixing


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


@pytest.mark.parametrize("dimension", [0, 1, 2])
def test_dimension_of_means_is_found(dimension):
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
    assert line.endswith("no F: too few degrees of freedom of the error")
    assert result.to_dict()["tests"][2]["pvalue"] is None


def test_the_level_of_the_words():
    x = np.random.default_rng(0).normal(size=(3, 12, 2)) + np.arange(3)[:, None, None]
    result = f.manova(x, block=False)
    tiny = result.pvalue / 1e6
    assert result.dimension() > result.dimension(tiny) == 0
    assert f"dimension 0 at {tiny:g}" in result.text(tiny)
    assert result.to_dict(tiny)["dimension"] == 0
    pairs = result.pairwise()
    assert f"cliques at {tiny:g}: {{(A1, A2, A3)}}" in pairs.text(tiny)
    assert pairs.to_dict(tiny)["cliques"] == [["A1", "A2", "A3"]] != pairs.to_dict()["cliques"]
