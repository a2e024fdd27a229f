"""Rankings from scores, ranks and lists of names, and what is refused."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

import bayescmp as bc
from bayescmp.bayesian import plackett_luce
from bayescmp.bayesian.rankings.outcomes import RankTable, read_rankings, read_wins
from bayescmp.errors import InputError
from tests.rows import each_row

MATCHES = pd.DataFrame(
    [("a", "b", "a"), ("a", "b", "tie"), ("b", "c", "c"), ("a", "c", "a"), ("c", "b", "b")],
    columns=["model_a", "model_b", "winner"],
)
WINS = [[0, 1, 1], [0, 0, 1], [0, 1, 0]]


def test_a_list_of_matches_by_name_by_side_and_by_winner_and_loser():
    table = read_wins(MATCHES)
    assert table.algorithms == ("a", "b", "c")
    assert table.wins.tolist() == WINS
    assert table.tied[0, 1] == table.tied[1, 0] == 1
    assert table.matches == 5
    sides = MATCHES.assign(winner=["model_a", "tie (bothbad)", "model_b", "model_a", "model_b"])
    again = read_wins(sides)
    assert again.wins.tolist() == WINS
    assert again.tied.sum() == 2
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
        for d in range(4)
        for a, m, s in (("x", 1.0, 0.1), ("y", 1.02, 0.1), ("z", 2.0, 0.1))
        for f in range(10)
    ]
    scores = bc.Scores(pd.DataFrame(rows))
    means = scores.means("rmse")
    table = read_wins(scores, metric="rmse")
    assert table.wins[0, 1] == (means["x"] < means["y"]).sum()
    assert table.wins[0, 2] == 4
    wide = read_wins(scores, metric="rmse", local_rope=2.0)
    assert wide.tied[0, 1] == 4
    assert wide.wins[0, 2] == 4


def test_ties_as_wins():
    table = read_wins(MATCHES)
    assert replace(table, ties="spread").count_ties().wins[0, 1] == 2  # half, rounded up
    assert replace(table, ties="add").count_ties().wins[1, 0] == 1
    assert replace(table, ties="forget").count_ties().wins[0, 1] == 1


@pytest.mark.slow
def test_a_million_matches_are_read_in_seconds():
    rng = np.random.default_rng(1)
    a = rng.integers(0, 50, 1_000_000)
    b = (a + rng.integers(1, 50, 1_000_000)) % 50
    names = np.array([f"model-{i}" for i in range(50)])
    won = np.where(rng.random(1_000_000) < 0.5, "model_a", "model_b")
    frame = pd.DataFrame({"model_a": names[a], "model_b": names[b], "winner": won})
    assert read_wins(frame).matches == 1_000_000


@each_row(
    ("frame", "says"),
    [
        ([[0, 1], [1, 0]], r"wins must be Scores or a DataFrame \(got \[\["),
        (pd.DataFrame({"x": [1]}), "wins must have the columns .*got 'x'"),
        (pd.DataFrame({"winner": ["a"], "x": [1]}), "wins must have the other player"),
        (MATCHES.assign(winner="d"), "column 'winner' must hold one of the two players, or a tie"),
        (MATCHES.assign(model_b="a"), "'a' against itself"),
        (MATCHES.assign(model_b=[None, *"bcca"]), "got none in column 'model_b', row 0"),
        (pd.DataFrame({"winner": ["a", "c"], "loser": ["b", "d"]}), "links 'a', 'b' and 'c', 'd'"),
        (pd.DataFrame([[0, -1], [1, 0]], index=list("ab"), columns=list("ab")), "negative"),
        (
            pd.DataFrame([[0, 0], [0, 0]], index=list("ab"), columns=list("ab")),
            "wins must have a match between two algorithms",
        ),
        (
            pd.DataFrame([[0, 1], [1, 3]], index=list("ab"), columns=list("ab")),
            r"got 3 at \[1, 1\].*Nothing is compared with itself",
        ),
        (MATCHES.assign(model_a="a\n"), "column 'model_a' must hold names on one line"),
    ],
)
def test_what_is_no_table_of_wins_is_refused_by_place(frame, says):
    with pytest.raises(bc.InputError, match=says):
        read_wins(frame)


NAN = np.nan


def rows(table):
    """Places with their counts, in any order."""
    return {tuple(p): c for p, c in zip(table.places.tolist(), table.counts.tolist(), strict=True)}


def test_lists_and_ranks_say_the_same():
    lists = read_rankings([["a", "b", "c"], ["a", "b", "c"], ["b", ("a", "c")], ["c", "a"]])
    assert lists.algorithms == ("a", "b", "c")
    assert rows(lists) == {(1, 2, 3): 2, (2, 1, 2): 1, (2, 0, 1): 1}
    assert (lists.matches, lists.tie_sizes) == (4, (2,))
    ranks = pd.DataFrame([[1, 2, 3], [1, 5, 9], [2.5, 1, 2.5], [2, 0, 1]], columns=list("abc"))
    assert rows(read_rankings(ranks)) == rows(lists)
    assert rows(read_rankings(ranks.replace(0, NAN))) == rows(lists)


def test_those_not_named_may_come_last():
    table = read_rankings([["a"], ["b", "a"], ["c", "b", "a"]], unranked="last")
    assert rows(table) == {(1, 2, 2): 1, (2, 1, 3): 1, (3, 2, 1): 1}
    assert dict(zip(map(tuple, table.places.tolist()), table.censored, strict=True)) == {
        (1, 2, 2): True,
        (2, 1, 3): True,
        (3, 2, 1): False,
    }
    assert table.tie_sizes == ()  # the two below a in no known order are no tie


def scores(x, algorithms="abc"):
    places = np.indices(x.shape).reshape(3, -1)
    frame = pd.DataFrame(
        {
            "dataset": places[0],
            "fold": places[1],
            "algorithm": np.array(list(algorithms))[places[2]],
            "rmse": x.ravel(),
        }
    )
    return bc.Scores(frame.dropna())


def test_scores_are_ranked_by_their_means_in_the_metrics_direction():
    x = np.array(
        [
            [[0.1, 0.2, 0.3], [0.3, 0.2, 0.4]],
            [[0.5, NAN, 0.4], [0.5, NAN, 0.4]],
            [[0.3, 0.2, 0.1], [0.3, 0.2, 0.1]],
        ]
    )
    table = read_rankings(scores(x), metric="rmse")
    assert rows(table) == {(1, 1, 2): 1, (2, 0, 1): 1, (3, 2, 1): 1}
    assert table.metric == "rmse"
    assert table.directions[0].lower


def test_a_local_rope_ties_what_is_near_the_best_of_a_tie():
    """sd of every pair's fold differences 0.2·√2 by hand; leads 0.1 and 0.2 of the first."""
    noise = np.array([[0.1, -0.1, 0.0], [-0.1, 0.1, 0.0]])
    x = np.tile(0.5 + np.array([0.0, 0.1, 0.2]) + noise, (2, 1, 1))
    by_rope = {r: rows(read_rankings(scores(x), local_rope=r)) for r in (0.0, 0.4, 0.8, 1.5)}
    # differences: a−b ±0.2 (sd 0.283), a−c and b−c ±0.1 (sd 0.141)
    assert by_rope[0.0] == {(1, 2, 3): 2}
    assert by_rope[0.4] == {(1, 1, 2): 2}  # 0.1 <= 0.4·0.283, 0.2 > 0.4·0.141
    assert by_rope[0.8] == {(1, 1, 2): 2}  # c is within 0.8·0.141 of b, but not of the best, a
    assert by_rope[1.5] == {(1, 1, 1): 2}


@each_row(
    ("rankings", "says"),
    [
        ("abc", "rankings must be Scores, .*got 'abc'"),
        (7, "rankings must be Scores, .*got 7"),
        ([], "rankings must have at least one name"),
        (["ab", "ba"], r"rankings\[0\] must be a list of names .got 'ab'"),
        ([["a", "b"], ["b", "a", "b"]], "'b' twice in ranking 1"),
        ([["a", "b"], ["c", "d"]], "rankings must link every algorithm with every other"),
        (pd.DataFrame([[1, np.inf]], columns=["a", "b"]), "ranks, .*got inf for 'b'"),
        (pd.DataFrame([["x", "y"]], columns=["a", "b"]), "rankings"),
        (pd.DataFrame({"a": [1, 2]}), r"rankings\[0\] must have at least 2 algorithms .got 1"),
        (pd.DataFrame(columns=["a", "b"]), r"rankings must have rows .*shape \(0, 2\)"),
    ],
)
def test_bad_rankings_are_named(rankings, says):
    with pytest.raises(InputError, match=says):
        read_rankings(rankings)


def test_bad_options_are_named():
    for options, says in (
        ({"unranked": "first"}, r"unranked must be"),
        ({"local_rope": -1}, "local_rope must be"),
    ):
        with pytest.raises(InputError, match=says):
            plackett_luce([["a", "b"]], **options)
    with pytest.raises(InputError, match=r"rankings must have at least two algorithms .got 1"):
        read_rankings([["a"]], unranked="last")


def test_a_table_of_ranks_counts_what_is_the_same():
    table = RankTable.from_ranks(("a", "b"), np.array([[1.0, 2.0], [3.0, 9.0], [2.0, 1.0]]))
    assert rows(table) == {(1, 2): 2, (2, 1): 1}
