"""Histogram of null distributions: heights, the original's place, discrete values."""

from __future__ import annotations

import numpy as np
import pytest

from bayescmp.errors import InputError
from bayescmp.plots import plot_null_distribution
from tests.frequentist.permutation.test_result import result_of


@pytest.fixture(autouse=True)
def _close():
    yield
    import matplotlib.pyplot as plt

    plt.close("all")


def results():
    rng = np.random.default_rng(0)
    labels = result_of(test="labels", null=rng.integers(40, 60, 300) / 100, n=300)
    return [labels, result_of(null=rng.integers(10, 30, 300) / 100, n=300)]


def test_bars_hold_all_random_data_sets():
    ax = plot_null_distribution(results())
    for container in ax.containers:
        assert sum(bar.get_height() for bar in container) == pytest.approx(1.0)
    words = [t.get_text() for t in ax.get_legend().get_texts()]
    assert len(words) == 3
    assert any("test 1: labels permuted, p = 0.00332" in w for w in words)
    assert any("on the data: 0.25" in w for w in words)


def test_line_at_the_original():
    ax = plot_null_distribution(results()[0])
    (line,) = [line for line in ax.lines if len(set(line.get_xdata())) == 1]
    assert line.get_xdata()[0] == pytest.approx(0.25)
    ticks = ax.lines[1]
    np.testing.assert_allclose(ticks.get_xdata(), [0.2, 0.3])


def test_discrete_errors_fall_in_the_middle_of_bars():
    """Errors of 20 cases come in steps of 0.05: no bar stays empty between two of them."""
    null = np.repeat(np.arange(4, 12) / 20, [1, 2, 3, 4, 4, 3, 2, 1])
    ax = plot_null_distribution(result_of(null=null, n=20, original=np.array([0.1])))
    heights = {
        round(float(bar.get_x() + bar.get_width() / 2), 3): round(bar.get_height() * 20)
        for bar in ax.containers[0]
    }
    assert heights[0.35] == 4
    assert [heights[k / 20] for k in range(4, 12)] == [1, 2, 3, 4, 4, 3, 2, 1]


@pytest.mark.parametrize("null", [np.full(5, 0.3), np.array([0.3, np.nan])])
def test_one_value_only(null):
    result = result_of(null=null, original=np.array([0.3]))
    assert len(plot_null_distribution(result).containers) == 1
    assert len(result.plot().containers) == 1


def test_bad_input():
    with pytest.raises(InputError, match="error, auc"):
        plot_null_distribution([result_of(), result_of(metric="auc")])
    with pytest.raises(InputError, match="none"):
        plot_null_distribution([])
