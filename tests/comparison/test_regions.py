"""The region of practical equivalence that a comparison is given."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import bayescmp as bc
from bayescmp.comparison.regions import check_rope, region_of, region_of_table, required_rope
from bayescmp.errors import DiagnosticWarning, InputError


def test_a_rope_is_required_and_none_is_no_region():
    with pytest.raises(InputError, match="rope is missing"):
        required_rope(None)
    assert required_rope(0) == 0


def test_a_rope_is_checked_before_the_scale_is_known():
    check_rope(0.01)
    check_rope("1%")
    with pytest.raises(InputError, match="negative"):
        check_rope(-0.01)


def test_a_rope_wider_than_the_scores_warns():
    assert region_of(0.01, "difference", 1.0, None, "accuracy") == bc.Rope(-0.01, 0.01)
    with pytest.warns(DiagnosticWarning, match="rope"):
        region_of(5, "difference", None, (0.1, 0.9), "accuracy")


def test_the_region_of_a_table_is_that_of_its_scores():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(
        {"dataset": "d", "algorithm": np.repeat(["a", "b"], 5), "fold": np.tile(range(5), 2),
         "accuracy": rng.uniform(0.8, 0.9, 10)}
    )  # fmt: skip
    scores = bc.Scores(frame)
    assert region_of_table((-0.01, 0.02), scores, "accuracy") == bc.Rope(-0.01, 0.02)
