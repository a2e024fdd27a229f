"""Calls as SciPy's functions take them, with one array per algorithm, are answered with ours."""

from __future__ import annotations

import re

import numpy as np
import pytest
from scipy import stats

import bayescmp as bc

FIRST, SECOND, THIRD = np.random.default_rng(3).normal([[0.80], [0.82], [0.85]], 0.02, (3, 12))

#: What SciPy gives for the arrays as they are.
SAME = {
    "paired_t": lambda: stats.ttest_rel(SECOND, FIRST),
    "wilcoxon": lambda: stats.wilcoxon(SECOND, FIRST),
    "friedman": lambda: stats.friedmanchisquare(FIRST, SECOND, THIRD),
    "kruskal_wallis": lambda: stats.kruskal(FIRST, SECOND, THIRD),
}
#: Others that take one array.
MORE = [
    "cohens_d",
    "rank_biserial",
    "paired_permutation",
    "friedman_aligned_ranks",
    "iman_davenport",
    "kendalls_w",
    "quade",
    "nemenyi",
    "posthoc",
    "skillings_mack",
    "average_ranks",
    "contrast_estimation",
    "page_trend",
    "anova",
    "tukey",
    "pairwise_t",
]


def advised(name, *arrays):
    """The result of the call that the refusal shows, written for as many arrays."""
    test = getattr(bc.frequentist, name)
    with pytest.raises(bc.InputError, match=f"got {len(arrays)} arrays") as refused:
        test(*arrays)
    assert refused.value.argument in {"x", "scores", "samples"}
    call = re.search(rf"Write ({name}\(.*\))\.$", str(refused.value))[1]
    names = ["first", "second", "third"][: len(arrays)]
    call = call.replace("first, second", ", ".join(names))
    known = {name: test, "numpy": np, **dict(zip(names, arrays, strict=True))}
    return eval(call, known)


@pytest.mark.parametrize("name", SAME)
def test_the_call_that_is_shown_gives_scipys_p_value(name):
    two = name in ("paired_t", "wilcoxon")
    result = advised(name, FIRST, SECOND, *([] if two else [THIRD]))
    assert result.pvalue == pytest.approx(SAME[name]().pvalue, rel=1e-9)  # other order of sums


def test_every_call_that_is_shown_works():
    for name in MORE:
        two = name in ("cohens_d", "rank_biserial", "paired_permutation")
        assert str(advised(name, FIRST, SECOND, *([] if two else [THIRD]))), name
