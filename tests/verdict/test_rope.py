"""Regions of practical equivalence check themselves."""

from __future__ import annotations

import numpy as np
import pytest

from bayescmp import InputError, Rope
from bayescmp.verdict import Ropes, as_rope, as_ropes, rope_from_ends


@pytest.mark.parametrize(
    ("ends", "message"),
    [
        ((0.1, 0.2), r"Rope\(0.1, 0.2\) does not hold zero"),
        ((0.1, -0.1), "does not hold zero"),
        ((np.nan, 0.1), "is not finite"),
        ((-0.1, np.inf), "is not finite"),
        (("a", 0.1), "is not a number"),
    ],
)
def test_a_rope_checks_itself(ends, message):
    with pytest.raises(InputError, match=message):
        Rope(*ends)


def test_a_rope_holds_plain_floats():
    rope = Rope(np.float32(-0.5), 1)
    assert (type(rope.low), type(rope.high)) == (float, float)
    assert rope == Rope(-0.5, 1.0)
    assert as_rope(rope) is rope
    assert as_rope((-0.5, 1)) == rope
    assert rope_from_ends(rope.ends) == rope


def test_one_a_metric():
    ropes = as_ropes({"tpr": 0.01, "fpr": (-0.1, 0.2)}, ["tpr", "fpr"])
    assert ropes == Ropes([Rope(-0.01, 0.01), Rope(-0.1, 0.2)])
    assert ropes.swapped()[1] == Rope(-0.2, 0.1)
    assert ropes.scaled(2).high.tolist() == [0.02, 0.4]
