"""Tables that were once misread are not misread by any study that takes a table."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import bayescmp as bc
from bayescmp.commands.cli import main
from tests.rows import each_row

RNG = np.random.default_rng(5)
#: What caret's resamples() writes: five repeats of ten folds of one data set.
FOLDS = pd.DataFrame(RNG.uniform(0.7, 0.9, (50, 2)), columns=["svm", "rf"]).assign(
    Resample=[f"Fold{f:02}.Rep{r}" for r in range(1, 6) for f in range(1, 11)]
)
QUESTIONS = pd.DataFrame(RNG.integers(0, 2, (300, 2)), columns=["svm", "rf"])
JOINED = FOLDS.rename(columns={"svm": "svm~accuracy", "rf": "rf~accuracy"}).assign(
    **{"svm~kappa": FOLDS["svm"] - 0.2, "rf~kappa": FOLDS["rf"] - 0.2}
)
SUMMARY = pd.DataFrame(RNG.uniform(0.7, 0.9, (8, 2)), columns=["svm", "rf"]).assign(
    Best=0.9, dataset=[f"d{i}" for i in range(8)]
)
COUNTS = pd.DataFrame({"policy": ["svm", "rf"], "successes": [14, 17], "trials": [20, 20]})

#: Studies that take a table of two algorithms, without a ROPE where they need none.
STUDIES = {
    "compare": lambda t, metric=None: bc.compare(t, "svm", "rf", metric, seed=1),
    "compare_all": lambda t, metric=None: bc.compare_all(t, metric, seed=1),
    "gate": lambda t, metric=None: bc.gate(t, "svm", "rf", metric, margin=0.02, seed=1),
}


def words(result):
    """Everything that a result prints, on one line."""
    return " ".join(f"{result} {result.full()}".split())


@pytest.mark.filterwarnings("ignore::bayescmp.errors.DirectionWarning")
@pytest.mark.parametrize("study", STUDIES.values(), ids=STUDIES)
class TestEveryStudy:
    def test_folds_are_not_data_sets(self, study):
        text = words(study(FOLDS))
        assert "50 data sets" not in text
        assert "10 folds, 5 repeats" in text

    def test_questions_are_not_data_sets(self, study):
        text = words(study(QUESTIONS))
        assert "300 data sets" not in text
        assert "question" in text

    def test_an_algorithm_and_its_metric_are_two(self, study):
        text = words(study(JOINED, "accuracy"))
        assert "~" not in text

    def test_summaries_are_not_algorithms(self, study):
        with pytest.raises(
            bc.InputError, match="'Best' must be left out, since it is by its name a summary"
        ):
            study(SUMMARY)

    def test_counts_are_not_scores(self, study):
        with pytest.raises(bc.InputError, match=r"'successes' and 'trials'.*counts"):
            study(COUNTS)


@each_row(
    ("table", "message"),
    [
        (FOLDS.assign(svm_se=0.01, rf_se=0.01), "must name data sets, since the rows are means"),
        (SUMMARY.assign(svm_se=0.01, rf_se=0.01), "'Best'"),
    ],
    ids=["folds", "summary"],
)
def test_means_with_errors_are_not_folds_or_summaries(table, message):
    with pytest.raises(bc.InputError, match=message):
        bc.Means(table, errors="se")


@pytest.mark.filterwarnings("ignore::bayescmp.errors.DirectionWarning")
def test_folds_and_questions_of_one_model_are_found_as_well():
    folds, questions = bc.estimate(FOLDS, "svm"), bc.estimate(QUESTIONS, "svm")
    assert "50 data sets" not in words(folds)
    assert "question" in words(questions)
    with pytest.raises(
        bc.InputError, match="'Best' must be left out, since it is by its name a summary"
    ):
        bc.estimate(SUMMARY)


def test_runs_that_a_column_numbers_are_not_paired_silently():
    """Without a ROPE as with one: the answer states that they do not pair, and why."""
    runs = [(a, s, RNG.uniform(0.7, 0.9)) for a in ("svm", "rf") for s in range(1, 9)]
    table = pd.DataFrame(runs, columns=["algorithm", "seed", "accuracy"])
    text = words(bc.compare(table, "svm", "rf", seed=1))
    assert "not paired" in text
    assert "column 'seed' numbers each algorithm's runs" in text


def test_proportions_are_not_counts():
    for pair in ((0.85, 20), (21, 20), ("85%", 20)):
        with pytest.raises(bc.InputError):
            bc.compare_counts({"svm": pair, "rf": (17, 20)})


def test_typed_words_that_are_no_counts_are_refused_in_one_line(capsys):
    for typed in ("0.85", "21/20", "85%", "-1/20", "0/0", "a/20"):
        assert main(["compare", "14/20", typed]) == 2
        (line,) = capsys.readouterr().err.splitlines()
        assert "Write 17/20 for 17 successes of 20 trials." in line


@pytest.mark.filterwarnings("ignore::bayescmp.errors.DirectionWarning")
def test_a_leaderboard_is_of_models_and_questions_only():
    """Three wide columns of 0 and 1 are models; their mean beside them is not a fourth."""
    answers = QUESTIONS.assign(nb=QUESTIONS["rf"] & QUESTIONS["svm"])
    board = bc.compare(answers, seed=1).scoreboard()
    assert sorted(board.index) == ["nb", "rf", "svm"]
    means = answers.mean()
    assert board["mean"][means.index].to_numpy() == pytest.approx(means.to_numpy(), abs=0.01)
    with pytest.raises(bc.InputError):
        bc.compare(answers.assign(Average=answers.mean(axis=1)), seed=1)


@pytest.mark.filterwarnings("ignore::bayescmp.errors.DirectionWarning")
def test_runs_on_several_data_sets_are_not_paired_by_their_numbers():
    rows = [(g, a, s, RNG.normal()) for g in "uvwxyz" for a in ("svm", "rf") for s in range(3)]
    table = pd.DataFrame(rows, columns=["dataset", "algorithm", "seed", "reward"])
    text = words(bc.compare(table, "svm", "rf", seed=1))
    assert "6 data sets with 3 runs of each algorithm, not paired" in text
    renumbered = table.assign(
        seed=table["seed"].where(table["algorithm"] == "svm", 2 - table.seed)
    )
    again = bc.compare(renumbered, "svm", "rf", seed=1).verdict()
    assert again == bc.compare(table, "svm", "rf", seed=1).verdict()
    with pytest.raises(bc.InputError, match="does not show whether run"):
        bc.compare(table.rename(columns={"seed": "run"}), "svm", "rf", seed=1)
