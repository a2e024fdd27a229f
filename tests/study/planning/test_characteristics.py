"""Operating characteristics: shares, errors, settings, and the committed table."""

from __future__ import annotations

import runpy
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import bayescmp as bc
from bayescmp.study.planning.deciding import share_error

MAKE = runpy.run_path(str(Path(__file__).parents[3] / "evidence" / "operating_characteristics.py"))
SETTINGS, TABLE, PAGE = MAKE["SETTINGS"], MAKE["TABLE"], MAKE["PAGE"]
DECISIONS = ["first", "equivalent", "second", "undecided"]
SMALL = {
    "rope": 0.01,
    "rho": 0.1,
    "datasets": [4, 12],
    "delta0": [0.0, 0.03],
    "sigma0": [0.002],
    "simulations": 12,
    "seed": 1,
}


@pytest.fixture(scope="module")
def small():
    return bc.calibrate(**SMALL)


def test_shares_sum_to_one_and_errors_are_binomial(small):
    frame = small.frame
    assert len(frame) == 2 * 2 * 3
    np.testing.assert_allclose(
        frame[["first", "equivalent", "second", "undecided"]].sum(axis=1), 1
    )
    assert (frame["wrong"] <= 1 - frame["undecided"] + 1e-12).all()
    assert share_error(0.5, 100) == pytest.approx(0.05, rel=0.01)
    assert 0 < share_error(0.0, 100) < 0.01


def test_plain_truths_are_seen(small):
    at = small.frame.set_index(["datasets", "delta0", "test"])
    assert at.loc[(12, 0.0, "hierarchical_t"), "equivalent"] > 0.5
    assert at.loc[(12, 0.03, "hierarchical_t"), "second"] == 1
    assert at.loc[(12, 0.03, "wilcoxon"), ["second", "wrong"]].tolist() == [1, 0]
    assert (at.loc[(4, slice(None), "wilcoxon"), "undecided"] == 1).all()  # p is .125 at best


def test_the_same_seed_on_one_process_or_two():
    few = {**SMALL, "datasets": [4], "delta0": [0.01], "simulations": 14}
    once, again, other = (
        bc.calibrate(**few, **more).frame for more in ({}, {"n_jobs": 2}, {"noise": 0.05})
    )
    pd.testing.assert_frame_equal(again, once)
    assert not other.equals(once)


@pytest.mark.calibration
def test_the_frequentist_error_rate_is_the_level():
    """Wilcoxon at δ0 = 0: each rejection is an error; 400 tables of eight data sets."""
    table = bc.calibrate(
        rope=0.01,
        rho=0.1,
        datasets=[8],
        delta0=[0],
        sigma0=[0.02],
        folds=3,
        simulations=400,
        seed=3,
    )
    row = table.frame.set_index("test").loc["wilcoxon"]
    exact = 10 / 256  # 2 P(V <= 3), the largest attainable level under .05
    assert row["wrong"] == pytest.approx(exact, abs=3.5 * np.sqrt(exact / 400))


def test_shown_in_every_way(small):
    lines = small.to_markdown().splitlines()
    assert len(lines) == 2 + len(small.frame)
    assert "hierarchical_t" in lines[2]
    assert "12 simulated tables a row (seed 1), rope [-0.01, 0.01]" in str(small)
    assert "<table" in small._repr_html_()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"rope": 0.0, "delta0": None}, "delta0 is missing"),
        ({"sigma0": [0.0]}, "sigma0=0.0; accepted: positive"),
        ({"datasets": [1]}, "datasets"),
        ({"simulations": 0}, "simulations"),
        ({"delta0": [float("nan")]}, "delta0=.*finite"),
        ({"delta0": []}, "delta0="),
        ({"threshold": 2}, "threshold=2"),
        ({"rho": 1.0}, "rho=1 is outside"),
        ({"nu": -1.0}, "nu=-1.0"),
    ],
)
def test_bad_settings(change, message):
    with pytest.raises(bc.InputError, match=message):
        bc.calibrate(**{**SMALL, **change})


def test_the_committed_table_is_what_its_command_makes():
    """A few of its rows again, by another seed: within four standard errors of both."""
    committed = pd.read_csv(TABLE, comment="#")
    again = bc.calibrate(
        **{**SETTINGS, "datasets": [10], "delta0": [0.0, 0.02], "simulations": 20, "seed": 1}
    ).frame
    keys = ["datasets", "delta0", "sigma0", "test"]
    both = again.merge(committed, on=keys, suffixes=("", "_was"), validate="one_to_one")
    assert len(both) == len(again)
    for column in (*DECISIONS, "wrong"):
        error = np.hypot(both[f"se_{column}"], both[f"se_{column}_was"])
        z = (both[column] - both[f"{column}_was"]) / error
        assert np.abs(z).max() < 4, column


def test_the_page_is_made_of_the_table():
    assert PAGE.read_text() == MAKE["page"](pd.read_csv(TABLE, comment="#"))
