"""Counts: what is read as successes of trials, and what is refused, in one line."""

import numpy as np
import pytest

import bayescmp as bc
from bayescmp.scores.counts import SuccessCounts, are_typed, read_counts
from tests.rows import each_row


def test_python_and_typed_counts_are_the_same():
    """Names keep their order; a pair without a name is named by its text."""
    pairs = {"old": (14, 20), "new": (np.int64(17), 20.0)}
    assert read_counts(pairs) == read_counts(["old=14/20", "new=17 / 20"])
    assert read_counts(pairs) == {"old": (14, 20), "new": (17, 20)}
    assert read_counts((17, 20)) == read_counts("17/20") == {"17/20": SuccessCounts(17, 20)}
    assert read_counts(["a=b=1/2"]) == {"a=b": (1, 2)}


@each_row(
    ("given", "message"),
    [
        (["21/20"], r"^The counts must have at most as many successes as trials \(got 21/20\)"),
        ({"old": (21, 20)}, r"^The counts of 'old' must have at most .* \(got \(21, 20\)\)"),
        (0.85, r"\(got 0.85\)\. A proportion does not show the number of trials\."),
    ],
)
def test_wrong_counts_are_refused_in_one_line(given, message):
    """Each message says what is wrong, what was found, and what to write."""
    with pytest.raises(bc.InputError, match=message) as error:
        read_counts(given)
    assert "\n" not in str(error.value)


def test_typed_counts_and_files_are_told_apart(tmp_path, monkeypatch):
    """A file of that name is a file; what begins or ends like counts is not one by mistake."""
    counts = ["17/20", "old=17/20", "a/20", "85%", "0.85", "-1/20", "1.5/20"]
    assert all(map(are_typed, counts))
    assert not any(map(are_typed, ["scores.csv", "run_1=log.json", "./scores", "x=logs/run"]))
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "20").write_text("dataset,knn\n")
    assert not are_typed("a/20")
