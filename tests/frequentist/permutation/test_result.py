"""The result: counts with ties and failures, decisions, text, JSON."""

from __future__ import annotations

import json

import numpy as np
import pytest

from bayescmp.errors import InputError
from bayescmp.frequentist.permutation.result import PermutationResult, as_good
from bayescmp.frequentist.permutation.stopping import Settled


def result_of(**changes):
    fields = {
        "test": "columns", "estimator": "Tree<b>", "metric": "error", "higher_is_better": False,
        "original": np.array([0.2, 0.3]), "null": np.array([0.1, 0.2, 0.25, 0.5]), "n": 4,
        "alpha": 0.5, "stop": None, "ended": "complete", "settled": None, "failures": (),
        "notes": (),
    }  # fmt: skip
    return PermutationResult(**{**fields, **changes})


def test_counts_and_p_values_by_hand():
    result = result_of()
    assert result.counts.tolist() == [2, 3]
    np.testing.assert_allclose(result.pvalues, [3 / 5, 4 / 5])
    assert result.pvalue == pytest.approx(0.7)
    assert result.statistic == pytest.approx(0.25)
    assert not result.significant
    turned = result_of(higher_is_better=True)
    assert turned.counts.tolist() == [3, 1]


def test_rounding_makes_no_difference_and_failures_count():
    null = np.array([0.1 + 0.2, 0.3, np.nan, 0.31])
    assert as_good(null, np.array([0.3]), False)[:, 0].tolist() == [True, True, True, False]
    assert as_good(null, np.array([0.1 + 0.2]), True)[:, 0].tolist() == [True, True, True, True]
    assert result_of(null=null, original=np.array([0.3])).counts.tolist() == [3]


def test_the_rules_decision_goes_before_p():
    assert result_of(settled=Settled(4, True)).significant
    assert "significant at level 0.5" in str(result_of(settled=Settled(4, True)))


def test_intervals():
    low, high = result_of().monte_carlo_interval()
    assert low < 2.5 / 4 < high
    result = result_of(null=np.append(np.arange(101.0), np.nan)).null_interval()
    assert result == pytest.approx((1.0, 99.0))
    with pytest.raises(InputError, match="level"):
        result_of().monte_carlo_interval(95)


def test_text_and_json():
    result = result_of(null=np.array([0.1, np.nan]), n=9, ended="interrupted", notes=("a note",))
    text = str(result)
    assert "test 2 (columns permuted within classes)" in text
    assert "2 permutations of 9, interrupted" in text
    assert "a note" in text
    assert "Tree&lt;b&gt;" in result._repr_html_()
    values = json.loads(json.dumps(result.to_dict(), allow_nan=False))
    assert values["null"] == [0.1, None]
    assert values["pvalue"] == result.pvalue
