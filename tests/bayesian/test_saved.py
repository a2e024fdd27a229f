"""Posteriors saved by earlier versions are read by this one."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import bayescmp as bc
from bayescmp.errors import InputError

# Made by tests/reference/make_saved.py with bayescmp 0.1.0, ArviZ 0.23.4, PyStan 3.10.0.
FOLDER = Path(__file__).parents[1] / "reference" / "saved_0.1"
FILES = {path.stem: path for path in sorted(FOLDER.glob("*.nc"))}
SAMPLED = [name for name in FILES if name.endswith("draws") or name == "robust_t"]


LATER = {  # there is none of 0.1
    "bootstrap", "bradley_terry", "friedman", "groups_own", "groups_pair", "groups_pair_t",
    "joint_t", "marginal_t", "plackett_luce", "two_sample_t", "paired_proportions",
    "cluster_bootstrap",
}  # fmt: skip


def test_every_kind_is_there():
    kinds = {bc.load(path).kind for path in FILES.values()}
    assert kinds == set(bc.Posterior.kinds) - LATER


@pytest.mark.parametrize("name", FILES)
def test_it_speaks_as_a_new_one(name):
    posterior = bc.load(FILES[name])
    assert posterior.method in str(posterior)
    assert posterior.method in posterior._repr_html_()
    assert len(posterior.summary()) > 0
    verdicts = posterior.verdicts().values() if "groups" in name else [posterior.verdict()]
    for verdict in verdicts:
        assert sum(verdict.probabilities.values()) == pytest.approx(1)


@pytest.mark.parametrize("name", SAMPLED)
def test_its_draws_are_those_of_the_file(name):
    import h5py

    posterior = bc.load(FILES[name])
    with h5py.File(FILES[name]) as file:
        for variable, draws in posterior.draws.items():
            assert np.array_equal(draws, file["posterior"][variable])


@pytest.mark.parametrize(
    ("name", "fit"),
    [
        ("correlated_t", lambda x: bc.bayesian.correlated_t(x, rope=0.01)),
        ("hierarchical_t_grid", lambda x: bc.bayesian.hierarchical_t(
            x, rope=0.01, engine="quadrature", seed=1)),
        ("sign", lambda x: bc.bayesian.sign(x, rope=0.01, seed=1, draws=200)),
        ("signed_rank", lambda x: bc.bayesian.signed_rank(x, rope=0.01, seed=1, draws=200)),
    ],
)  # fmt: skip
def test_its_verdict_is_that_of_the_same_data_today(name, fit):
    x = bc.Differences(
        np.random.default_rng(1).normal(0.01, 0.02, (4, 10)), rho=0.1, names=("knn", "gbm"),
        metric="accuracy", datasets=("iris", "wine", "digits", "glass"), span=1.0,
    )  # fmt: skip
    saved = bc.load(FILES[name]).verdict()
    fresh = fit(x.row("wine") if name == "correlated_t" else x).verdict()
    assert saved.probabilities == pytest.approx(fresh.probabilities, abs=1e-9)
    assert saved.names == ("knn", "gbm")


def test_a_file_that_is_not_there_or_of_something_else(tmp_path):
    with pytest.raises(InputError, match="does not exist"):
        bc.load(tmp_path / "posterior.nc")
    (tmp_path / "posterior.nc").write_text("x")
    with pytest.raises(InputError, match="holds no posterior saved by bayescmp"):
        bc.load(tmp_path / "posterior.nc")


def test_saving_where_it_is_not_allowed(tmp_path):
    posterior = bc.bayesian.correlated_t([0.01, 0.03, 0.02], rho=0.1, rope=0.01, seed=1)
    with pytest.raises(InputError, match="there is no directory"):
        posterior.save(tmp_path / "no" / "such" / "place.nc")
