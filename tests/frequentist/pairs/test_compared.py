"""Groups of algorithms that comparisons of pairs do not tell apart."""

from __future__ import annotations

import numpy as np
import pandas as pd

import bayescmp.frequentist as f


def scores_of(seed, n, k, ties=False):
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(n, k)) + 2 * rng.normal(size=(n, 1)) + 0.3 * np.arange(k)
    return np.round(x, 0) if ties else x


def test_many_cliques_are_quick():
    """Nemenyi with 60 algorithms: an interval graph, with at most as many cliques."""
    result = f.nemenyi(scores_of(8, 40, 60))
    cliques = result.cliques()
    assert 2 <= len(cliques) <= 60
    apart = result.matrix().to_numpy() <= 0.05
    for clique in cliques:
        at = [result.names.index(name) for name in clique]
        assert not apart[np.ix_(at, at)].any()


def test_groups_that_are_no_neighbours():
    """b is between a and c in mean rank, and differs from both; a and c don't."""
    result = f.PosthocResult(
        method="test", adjust="none", names=("c", "b", "a"),
        pairs=np.array([[0, 1], [0, 2], [1, 2]]), difference=np.zeros(3), statistic=np.zeros(3),
        pvalue=np.array([0.01, 0.5, 0.01]), adjusted=np.array([0.01, 0.5, 0.01]),
        centres=np.array([3.0, 2.0, 1.0]),
    )  # fmt: skip
    assert result.cliques() == (("a", "c"),)
    assert result.underline(digits=1) == "a    b    c\n1.0  2.0  3.0\n───       ───"


def test_group_of_a_control():
    x = pd.DataFrame(scores_of(3, 30, 4) * 0.3, columns=list("abcd"))
    x["d"] += 3
    (group,) = f.posthoc(x, control="c").cliques()
    assert "c" in group
    assert "d" not in group
    assert f.posthoc(x, control="d").cliques() == ()
