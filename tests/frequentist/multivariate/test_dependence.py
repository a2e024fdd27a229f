"""What a result says of metrics that add nothing."""

from __future__ import annotations

import numpy as np

from bayescmp.frequentist.multivariate.dependence import Dependence
from bayescmp.whitening import whiten


def test_each_kind_has_its_sentence():
    """b is -2a and d is constant: two of the four metrics are left."""
    a, c = np.random.default_rng(4).normal(size=(2, 10))
    x = np.column_stack([a, -2 * a, c, np.zeros(10)])
    x -= x.mean(axis=0)
    dependence = Dependence.of(x, whiten(x, np.ones(4)), ("a", "b", "c", "d"))
    assert (dependence.constant, dependence.dependent, dependence.rank) == (("d",), ("b",), 2)
    assert dependence.notes == ("'d' does not vary", "'b' is a linear combination of 'a' and 'c'")
    assert dependence.notes_with_rank[2] == "tested in the subspace of rank 2 of 4 metrics"


def test_several_of_a_kind_are_named_together():
    x = np.column_stack([np.arange(4.0), 3 * np.arange(4.0), -np.arange(4.0), *np.zeros((2, 4))])
    x -= x.mean(axis=0)
    dependence = Dependence.of(x, whiten(x, np.ones(5)), tuple("abcde"))
    assert dependence.notes[0] == "'d' and 'e' do not vary"
    assert dependence.notes[1] == "'b' and 'c' are each a linear combination of 'a'"


def test_nothing_is_said_of_independent_metrics():
    x = np.random.default_rng(0).normal(size=(9, 3))
    x -= x.mean(axis=0)
    dependence = Dependence.of(x, whiten(x, np.ones(3)), tuple("abc"))
    assert dependence.notes == dependence.notes_with_rank == ()
