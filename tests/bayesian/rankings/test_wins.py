"""Who beat whom, in all the forms that people have it."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import bayescmp as bc
from bayescmp.bayesian.rankings.wins import read_wins

MATCHES = pd.DataFrame(
    [("a", "b", "a"), ("a", "b", "tie"), ("b", "c", "c"), ("a", "c", "a"), ("c", "b", "b")],
    columns=["model_a", "model_b", "winner"],
)
WINS = [[0, 1, 1], [0, 0, 1], [0, 1, 0]]


def test_a_list_of_matches_by_name_by_side_and_by_winner_and_loser():
    table = read_wins(MATCHES)
    assert table.algorithms == ("a", "b", "c")
    assert table.wins.tolist() == WINS
    assert table.ties[0, 1] == table.ties[1, 0] == 1
    assert table.matches == 5
    sides = MATCHES.assign(winner=["model_a", "tie (bothbad)", "model_b", "model_a", "model_b"])
    again = read_wins(sides)
    assert again.wins.tolist() == WINS
    assert again.ties.sum() == 2
    lost = pd.DataFrame({"winner": ["a", "c", "a", "b"], "loser": ["b", "b", "c", "c"]})
    assert read_wins(lost).wins.sum() == 4


def test_a_table_of_pairs_and_a_square_of_wins_are_the_same():
    pairs = pd.DataFrame(
        [("a", "b", 3, 1, 2), ("b", "c", 0, 4, 0)],
        columns=["alg1", "alg2", "win1", "win2", "ties"],
    )
    table = read_wins(pairs)
    assert table.wins.tolist() == [[0, 3, 0], [1, 0, 0], [0, 4, 0]]
    square = pd.DataFrame(table.wins, index=list("abc"), columns=list("abc"))
    assert read_wins(square).wins.tolist() == table.wins.tolist()
    shuffled = square.loc[["c", "a", "b"]]
    assert read_wins(shuffled).wins.tolist() == table.wins.tolist()


def test_scores_are_wins_by_data_set_and_noise_is_a_tie():
    rng = np.random.default_rng(1)
    rows = [
        {"dataset": d, "algorithm": a, "fold": f, "rmse": m + s * rng.normal()}
        for d in range(4) for a, m, s in (("x", 1.0, 0.1), ("y", 1.02, 0.1), ("z", 2.0, 0.1))
        for f in range(10)
    ]  # fmt: skip
    scores = bc.Scores(pd.DataFrame(rows))
    means = scores.means("rmse")
    table = read_wins(scores, metric="rmse")
    assert table.wins[0, 1] == (means["x"] < means["y"]).sum()
    assert table.wins[0, 2] == 4
    wide = read_wins(scores, metric="rmse", local_rope=2.0)
    assert wide.ties[0, 1] == 4
    assert wide.wins[0, 2] == 4


def test_ties_as_wins():
    table = read_wins(MATCHES)
    assert table.without_ties("spread").wins[0, 1] == 2  # half, rounded up
    assert table.without_ties("add").wins[1, 0] == 1
    assert table.without_ties("forget").wins[0, 1] == 1


def test_a_million_matches_are_read_in_seconds():
    rng = np.random.default_rng(1)
    a = rng.integers(0, 50, 1_000_000)
    b = (a + rng.integers(1, 50, 1_000_000)) % 50
    names = np.array([f"model-{i}" for i in range(50)])
    won = np.where(rng.random(1_000_000) < 0.5, "model_a", "model_b")
    frame = pd.DataFrame({"model_a": names[a], "model_b": names[b], "winner": won})
    assert read_wins(frame).matches == 1_000_000


@pytest.mark.parametrize(
    ("frame", "says"),
    [
        ([[0, 1], [1, 0]], "wins is a list"),
        (pd.DataFrame({"x": [1]}), "wins has the columns 'x'"),
        (pd.DataFrame({"winner": ["a"], "x": [1]}), "no other player"),
        (MATCHES.assign(winner="d"), "'d' in row 0, which is neither"),
        (MATCHES.assign(model_b="a"), "'a' against itself"),
        (MATCHES.assign(model_b=[None, *"bcca"]), "'model_b' is missing in row 0"),
        (pd.DataFrame({"winner": ["a", "c"], "loser": ["b", "d"]}), "links 'a', 'b' and 'c', 'd'"),
        (pd.DataFrame([[0, -1], [1, 0]], index=list("ab"), columns=list("ab")), "negative"),
        (pd.DataFrame([[0, 0], [0, 0]], index=list("ab"), columns=list("ab")), "no match"),
    ],
)  # fmt: skip
def test_what_is_no_table_of_wins_is_refused_by_place(frame, says):
    with pytest.raises(bc.InputError, match=says):
        read_wins(frame)
