"""Mauchly's test and the corrections: R, invariances, what is refused."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

import bayescmp.frequentist as f
from bayescmp.errors import InputError


def test_mauchly_as_in_r(gr):
    """R 4.2.2, mauchly.test(lm(t(x) ~ 1), X = ~1).

    In Box's second-order term R takes 3·4, of the columns, where all others are of the three
    contrasts that are tested: its p is 0.000868 where that of 3·3 is 0.000866.
    """
    result = f.mauchly(gr["folds"].reshape(4, 10))
    p, df = 3, 9
    rho = 1 - (2 * p**2 + p + 2) / (6 * p * df)
    chi2 = -df * rho * np.log(result.statistic)
    share = (p + 2) * (p - 1) * (p - 2) / (288 * (df * p * rho) ** 2)
    slip = 3 * (4 - 3) * share * (stats.chi2.sf(chi2, 9) - stats.chi2.sf(chi2, 5))
    assert result.statistic == pytest.approx(gr["mauchly"][0], rel=1e-10)
    assert result.pvalue + slip == pytest.approx(gr["mauchly"][1], rel=1e-10)


def test_mauchlys_level():
    """Spherical normal scores are rejected at 5 % in 5 % of cases."""
    rng = np.random.default_rng(4)
    p = [f.mauchly(x).pvalue for x in rng.normal(size=(2000, 4, 10))]
    assert np.mean(np.array(p) <= 0.05) == pytest.approx(0.05, abs=3 * 0.0049)


def test_corrected_anova_as_in_r(gr):
    """R 4.2.2, anova(lm(t(x) ~ 1), X = ~1, test = "Spherical")."""
    x = gr["folds"].reshape(4, 10)
    statistic, df1, df2, plain, gg, hf = gr["spherical"]
    tables = [f.anova(x, sphericity=s) for s in ("assumed", "greenhouse-geisser", "huynh-feldt")]
    assert [t.pvalue for t in tables] == pytest.approx([plain, gg, hf], rel=1e-9)
    assert [t.statistic for t in tables] == pytest.approx([statistic] * 3)
    assert tables[0].df == (df1, df2)
    assert [t.epsilon for t in tables[1:]] == pytest.approx(gr["epsilons"], abs=5e-5)
    assert tables[1].df == pytest.approx((df1 * tables[1].epsilon, df2 * tables[1].epsilon))
    assert "greenhouse-geisser: ε = " in str(tables[1])


def test_two_algorithms_are_spherical():
    x = np.random.default_rng(1).random((2, 6))
    assert f.anova(x, sphericity="greenhouse-geisser").pvalue == f.anova(x).pvalue


def test_order_and_levels_of_folds_do_not_matter():
    rng = np.random.default_rng(2)
    x = rng.normal(size=(4, 12))
    moved = (3 * x + rng.normal(size=12))[[2, 0, 3, 1]]
    assert f.mauchly(moved).pvalue == pytest.approx(f.mauchly(x).pvalue)


@pytest.mark.parametrize(
    ("x", "message"),
    [
        (np.random.default_rng(3).random((2, 9)), "at least 3"),
        (np.random.default_rng(3).random((5, 4)), "at least 5"),
        (np.tile(np.arange(6.0), (3, 1)), "don't vary"),
    ],
)
def test_refused(x, message):
    with pytest.raises(InputError, match=message):
        f.mauchly(x)
    with pytest.raises(InputError, match="is for blocks"):
        f.anova(x, block=False, sphericity="huynh-feldt")
