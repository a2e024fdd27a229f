"""Result of Hotelling's test: univariate tests and intervals."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

import bayescmp.frequentist as f
from bayescmp.errors import InputError
from tests.frequentist.mixing import mixing


def normal(seed, n=12, p=3):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(n, p)) @ mixing(rng, p) + rng.normal(size=p)


def test_univariate_tests(counts):
    d = counts[1] - counts[0]
    table = f.hotelling_paired(d, metrics=["tp", "fp", "auc"]).univariate("holm")
    t = stats.ttest_1samp(d, 0)
    assert table["t"].to_numpy() == pytest.approx(t.statistic)
    assert table["pvalue"].to_numpy() == pytest.approx(t.pvalue)
    assert table["adjusted"].to_numpy() == pytest.approx(f.adjust(t.pvalue, "holm"))
    corrected = f.hotelling_paired(d, rho=0.125, metrics=["tp", "fp", "auc"]).univariate("none")
    assert corrected.loc["fp", "pvalue"] == pytest.approx(f.corrected_t(d[:, 1], rho=0.125).pvalue)


def test_intervals():
    """Bonferroni's are t intervals at 1 - α/p; T²'s are those of the worst direction, wider."""
    x = normal(3)
    result = f.hotelling_paired(x)
    single = [stats.ttest_1samp(c, 0).confidence_interval(1 - 0.05 / 3) for c in x.T]
    actual = result.confidence_interval(method="bonferroni")[["low", "high"]].to_numpy()
    assert actual == pytest.approx(np.array(single))
    widths = {
        m: (t := result.confidence_interval(method=m))["high"] - t["low"]
        for m in ("none", "bonferroni", "T2")
    }
    assert (widths["none"] < widths["bonferroni"]).all()
    assert (widths["bonferroni"] < widths["T2"]).all()
    critical = 11 * 3 / 9 * stats.f.isf(0.05, 3, 9)
    half = np.sqrt(critical * x.var(axis=0, ddof=1) / 12)
    assert (widths["T2"] / 2).to_numpy() == pytest.approx(half)


def test_bad_interval():
    result = f.hotelling_paired(normal(1))
    with pytest.raises(InputError, match="level"):
        result.confidence_interval(95)
    with pytest.raises(InputError, match="unknown method 'tukey'"):
        result.confidence_interval(method="tukey")
