"""Decisions of one table are those of the public tests; what is right follows from the truth."""

from __future__ import annotations

import pytest

from bayescmp import frequentist
from bayescmp.bayesian import HierarchicalPrior, hierarchical_t
from bayescmp.bayesian.hierarchical.grid import grid_probabilities
from bayescmp.bayesian.hierarchical.problem import pose
from bayescmp.engines.quadrature import Settings
from bayescmp.planning.deciding import Rule, decide, right_decisions
from bayescmp.planning.truth import Truth
from bayescmp.verdict import as_rope

RULE = Rule(as_rope(0.01), HierarchicalPrior.corani2017(), 0.95, 0.05)


@pytest.mark.parametrize("delta0", [-0.03, 0.0, 0.012, 0.03])
@pytest.mark.parametrize("q", [6, 20])
def test_each_test_decides_as_it_does_for_users(q, delta0):
    x = Truth(delta0, 0.004, 10.0, 0.02, 0.1, 10).simulate(q, [3])
    made = decide(x, RULE)
    verdict = hierarchical_t(x, rope=0.01, engine="quadrature", seed=1).verdict()
    p = grid_probabilities(pose(x, RULE.prior, RULE.rope), RULE.rope, Settings.quick())
    assert p == pytest.approx([verdict.p_left, verdict.p_rope, verdict.p_right], abs=2e-3)
    assert made["hierarchical_t"] == verdict.decision
    means = [row.mean() for row in x.x]
    rejected = frequentist.wilcoxon(means).pvalue < 0.05
    assert (made["wilcoxon"] != "undecided") == rejected
    assert (made["tost_means"] == "equivalent") == (
        frequentist.tost_means(means, rope=0.01).pvalue < 0.05
    )
    if rejected:
        assert made["wilcoxon"] == ("second" if sum(means) > 0 else "first")


def test_no_rope_no_test_of_equivalence():
    x = Truth(0.0, 0.004, 10.0, 0.02, 0.1, 10).simulate(6, [3])
    rule = Rule(as_rope(0), RULE.prior, 0.95, 0.05)
    assert list(decide(x, rule)) == ["hierarchical_t", "wilcoxon"]


@pytest.mark.parametrize(
    ("delta0", "sigma0", "hierarchical", "side", "equivalence"),
    [
        (0.0, 0.002, ("equivalent",), (), ("equivalent",)),
        (0.0, 0.05, (), (), ("equivalent",)),
        (0.005, 0.03, ("second",), ("second",), ("equivalent",)),
        (0.01, 0.03, ("second",), ("second",), ()),
        (-0.02, 0.002, ("first",), ("first",), ()),
    ],
)
def test_what_is_right(delta0, sigma0, hierarchical, side, equivalence):
    right = right_decisions(Truth(delta0, sigma0, 10.0, 0.02, 0.1, 10), RULE.rope)
    assert right == {"hierarchical_t": hierarchical, "wilcoxon": side, "tost_means": equivalence}
