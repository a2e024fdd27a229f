"""Each row of a sensitivity table is the verdict of a fit under that assumption."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

import bayescmp as bc
from bayescmp.bayesian import HierarchicalPrior, hierarchical_t
from bayescmp.bayesian.hierarchical.answers import masses_of
from bayescmp.verdict import as_rope, winners
from tests.bayesian.hierarchical.data import simulated

NAMES = ["d1", "d2", "d3", "d4", "d5", "d6"]


def differences(rows, rho=0.1):
    names = [f"d{i + 1}" for i in range(len(rows))]
    return bc.Differences(rows, rho=rho, metric="accuracy", names=("knn", "gbm"), datasets=names)


def fitted(rows, rope=0.01, rho=0.1, **options):
    return hierarchical_t(
        differences(rows, rho), rope=rope, engine="quadrature", seed=1, **options
    )


def p_of(posterior, rope=None):
    v = posterior.verdict(rope)
    return [v.p_left, v.p_rope, v.p_right]


@pytest.fixture(scope="module")
def rows():
    return simulated(q=6, seed=4)


@pytest.fixture(scope="module")
def posterior(rows):
    return fitted(rows)


@pytest.fixture(scope="module")
def table(posterior):
    frame = posterior.sensitivity().frame
    return frame.set_index(["question", "setting"])[["p_left", "p_rope", "p_right"]]


def test_every_question_has_its_rows(posterior):
    counts = posterior.sensitivity().frame["question"].value_counts().to_dict()
    assert counts == {"fit": 1, "prior": 4, "rho": 3, "rope": 3, "without": 6, "threshold": 3}


def test_a_left_out_data_set_is_a_fit_without_it(rows, table):
    for i, name in enumerate(NAMES):
        wanted = p_of(fitted(np.delete(rows, i, axis=0)))
        assert table.loc[("without", name)].tolist() == pytest.approx(wanted, abs=1e-9)


def test_other_settings_are_fits_with_them(rows, posterior, table):
    assert table.loc[("fit", "as fitted")].tolist() == pytest.approx(p_of(posterior), abs=1e-12)
    for rho in (0.0, 0.2, 0.5):
        wanted = p_of(fitted(rows, rho=rho))
        assert table.loc[("rho", f"{rho:g}")].tolist() == pytest.approx(wanted, abs=1e-9)
    for times in (0.5, 1.0, 2.0):
        wanted = p_of(fitted(rows, rope=0.01 * times))
        assert table.loc[("rope", f"{times:g} times")].tolist() == pytest.approx(wanted, abs=1e-9)
    wanted = p_of(fitted(rows, prior=HierarchicalPrior.benavoli2017()))
    assert table.loc[("prior", "benavoli2017")].tolist() == pytest.approx(wanted, abs=1e-9)
    bound = float(np.abs(rows).max())  # of differences whose range is not known
    wide = dataclasses.replace(posterior.prior, delta0_bound=10 * bound)
    wanted = p_of(fitted(rows, prior=wide))
    assert table.loc[("prior", "δ0 ten times as wide")].tolist() == pytest.approx(wanted, abs=1e-9)


def test_the_half_t_prior_is_a_reweighting_of_the_draws(rows, posterior, table):
    """Importance weights on draws of σ0, in units of the metric: another way to the same."""
    d = posterior.upper_draws
    scale = 2.5 * np.std([r.mean() for r in rows], ddof=1)
    w = (1 + (d["sigma0"] / scale) ** 2 / 3) ** -2
    shares = winners(masses_of(d, as_rope(0.01)))
    wanted = (w[..., None] * shares).sum(axis=(0, 1)) / w.sum()
    assert table.loc[("prior", "half-t(3, 2.5 sd) of σ0")].tolist() == pytest.approx(
        wanted, abs=0.015
    )  # ten thousand quasi-random draws


def test_there_is_no_half_t_without_a_spread_of_the_means(rows):
    """Its scale is that spread: of data sets whose means tie there is none."""
    tied = [np.asarray(r) - np.mean(r) + 0.005 for r in rows]
    frame = fitted(tied).sensitivity(datasets=False).frame
    assert not frame["setting"].str.startswith("half-t").any()
    assert frame.filter(like="p_").notna().all(axis=None)


def test_normal_data_sets_are_those_of_a_large_nu(rows, table):
    large = HierarchicalPrior(alpha=(900.0, 900.0), beta=(0.3, 0.3))  # ν about 3000
    wanted = p_of(fitted(rows, prior=large))
    assert table.loc[("prior", "ν about 1000 (normal)")].tolist() == pytest.approx(
        wanted, abs=2e-3
    )


def test_thresholds_change_decisions_only(posterior):
    own = posterior.verdict()
    largest = max(own.probabilities.values())
    asked = posterior.sensitivity(
        thresholds=[largest - 0.01, min(largest + 0.01, 0.999)], datasets=False, ropes=[1.0]
    ).frame
    asked = asked[asked["question"] == "threshold"]
    assert asked["change"].tolist() == [0, 0]
    assert (asked["decision"] != "undecided").tolist() == [True, False]


def test_two_data_sets_and_no_rope():
    two = fitted(simulated(q=2, seed=1), rope=0.0)
    questions = set(two.sensitivity().frame["question"])
    assert questions == {"fit", "prior", "rho", "threshold"}


@pytest.mark.parametrize(
    ("options", "message"),
    [({"rhos": [1.5]}, "rho=1.5"), ({"thresholds": [2.0]}, "threshold=2"),
     ({"threshold": 0.2}, "threshold=0.2")],
)  # fmt: skip
def test_bad_options(posterior, options, message):
    with pytest.raises(bc.InputError, match=message):
        posterior.sensitivity(**options, datasets=False)
