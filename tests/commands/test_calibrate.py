"""`bayescmp calibrate`."""

from __future__ import annotations

import pandas as pd
import pytest

import bayescmp as bc
from bayescmp.cli import main

GIVEN = ["calibrate", "--rope", "0.01", "--rho", "0.1", "--datasets", "6", "--delta0", "0.03",
         "--sigma0", "0.002", "--simulations", "4", "--seed", "2"]  # fmt: skip


def test_prints_the_table_and_writes_all_columns(tmp_path, capsys):
    path = tmp_path / "table.csv"
    assert main([*GIVEN, "--csv", str(path)]) == 0
    out = capsys.readouterr().out
    assert "4 simulated tables a row (seed 2)" in out
    wanted = bc.calibrate(rope=0.01, rho=0.1, datasets=[6], delta0=[0.03], sigma0=[0.002],
                          simulations=4, seed=2).frame  # fmt: skip
    pd.testing.assert_frame_equal(pd.read_csv(path), wanted)
    assert main([*GIVEN, "--markdown"]) == 0
    assert capsys.readouterr().out.startswith("| datasets | delta0 ")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (["--rho", "2"], "rho=2 is outside"),
        (["--rope", "wide"], "not a number"),
        (["--prior", "corani"], "unknown prior"),
        (["--csv", "nowhere/t.csv"], "there is no directory"),
        (["--jobs", "0"], "jobs"),
    ],
)
def test_bad_input_is_one_line(change, message, capsys):
    option, value = change
    args = list(GIVEN)
    if option in args:  # an option with one value is given once
        args[args.index(option) + 1] = value
    else:
        args += change
    assert main(args) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.count("\n") == 1
    assert message in captured.err
