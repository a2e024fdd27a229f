"""Heat map of the ranks on the next data set, or on average."""

from __future__ import annotations

import numpy as np
import pytest

import bayescmp as bc
from bayescmp.plots import plot_ranks

MEANS = [[0.50, 0.51, 0.10], [0.60, 0.61, 0.20], [0.90, 0.40, 0.30]]


@pytest.mark.parametrize("on", ["next", "average"])
def test_cells_are_the_probabilities_by_expected_rank(on):
    posterior = bc.bayesian.bootstrap(MEANS, rope=0.02, seed=1)
    ax = plot_ranks(posterior, on=on)
    names = [t.get_text() for t in ax.get_yticklabels()]
    np.testing.assert_allclose(ax.images[0].get_array(), posterior.ranks(on).loc[names])
    assert posterior.spoken[on] in ax.get_xlabel()


def test_an_unknown_target_is_named():
    with pytest.raises(bc.InputError, match="unknown on 'all'"):
        plot_ranks(bc.bayesian.bootstrap(MEANS, rope=0.02, seed=1), on="all")
