"""Verdicts on the next data set and on each of those seen."""

from __future__ import annotations

import numpy as np
import pytest

import bayescmp as bc
from tests.bayesian.hierarchical_multivariate.cases import REGIONS, fitted, simulated


def test_verdict_is_the_share_of_draws_in_which_a_region_is_largest(fake):
    posterior = fitted(simulated(), rope=0.02)
    masses = posterior.masses()
    v = posterior.verdict()
    largest = masses.argmax(axis=-1)
    wanted = [(largest == i).mean() for i in range(4)]
    assert [v.probabilities[r] for r in REGIONS] == pytest.approx(wanted, abs=1e-12)
    assert [v.expected[r] for r in REGIONS] == pytest.approx(masses.mean(axis=(0, 1)))
    location = posterior.draws["delta0"]
    assert v.location["equivalent"] == pytest.approx(np.mean(np.all(abs(location) <= 0.02, -1)))
    assert "a new data set" in v.explain()
    assert min(v.errors.values()) > 0
    none = posterior.verdict(0)
    assert none.probabilities["equivalent"] == 0
    assert sum(none.probabilities.values()) == pytest.approx(1)


def test_verdicts_of_the_data_sets(fake):
    posterior = fitted(simulated(), rope=0.02, datasets=list("abcdef"))
    table = posterior.by_dataset()
    delta = posterior.draws["delta"][:, :, 2]
    worse, better = (delta < -0.02).any(-1), (delta > 0.02).any(-1)
    wanted = [np.mean(~worse & ~better), np.mean(worse & ~better), np.mean(better & ~worse),
              np.mean(worse & better)]  # fmt: skip
    assert table.loc["c", [f"p_{r}" for r in REGIONS]].to_numpy(float) == pytest.approx(wanted)
    v = posterior.dataset_verdict("c")
    assert list(v.probabilities.values()) == pytest.approx(wanted)
    assert "data set c" in v.explain()
    assert table["observed m1"].to_numpy() == pytest.approx(posterior.means[:, 0])
    with pytest.raises(bc.InputError, match="unknown data set 'g'"):
        posterior.dataset_verdict("g")


@pytest.mark.parametrize("p", [2, 3])
def test_plots(fake, p):
    ax = fitted(simulated(p=p), rope=0.02).plot()
    assert ax.get_xlim()[0] < ax.get_xlim()[1]
    message = "".join(t.get_text() for t in ax.figure.findobj(lambda o: hasattr(o, "get_text")))
    assert "first" in message
