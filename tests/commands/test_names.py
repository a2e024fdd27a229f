"""Names that mean something else: of options, of summaries, of metrics, with signs."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import bayescmp as bc
from tests.commands.conftest import run

#: Names of algorithms that are read as something else if taken carelessly.
NAMES = ("lr=1e-3", "practically free", "p_value", "a, b", "--x", "-1")


def folds(names, datasets=8, seed=1):
    """Scores of algorithms on ten folds, each later one better by 0.02."""
    rng = np.random.default_rng(seed)
    return pd.DataFrame(
        [
            (f"d{i}", name, fold, 0.6 + 0.02 * j + 0.01 * rng.normal())
            for i in range(datasets)
            for fold in range(10)
            for j, name in enumerate(names)
        ],
        columns=["dataset", "algorithm", "fold", "accuracy"],
    )


@pytest.fixture
def named(tmp_path):
    """Write a table of folds whose algorithms have these names."""

    def write(*names, **options):
        folds(names, **options).to_csv(tmp_path / "named.csv", index=False)
        return str(tmp_path / "named.csv")

    return write


def test_an_algorithm_of_folds_may_be_called_as_a_summary(named, capsys):
    """Ranks are computed with it, as comparisons are; a column that is added is a summary."""
    path = named("knn", "p_value", "mean")
    code, out, err = run(capsys, "rank", path)
    assert (code, err) == (0, "")
    assert "mean comes first, with a mean rank of 1.000" in out
    out = run(capsys, "crosscheck", path, "--rope", "0.01")[1]
    assert "Iman-Davenport" in out
    means = bc.Scores.read(path).means()
    assert bc.frequentist.friedman(means).pvalue < 0.01
    with pytest.raises(bc.InputError, match="'average' of scores summarises the others"):
        bc.frequentist.friedman(means.assign(average=means.mean(axis=1)))


@pytest.mark.parametrize(
    "line",
    [
        "compare {} knn svm knn --rope 0.01",
        "compare {} knn knn --rope 0.01",
        "rank {} knn svm knn",
        "crosscheck {} knn svm knn --rope 0.01",
        "plan {} knn knn --rope 0.01",
        "predictions {} knn knn",
    ],
)
def test_an_algorithm_is_named_once(named, capsys, line):
    code, _, err = run(capsys, line.format(named("knn", "svm", "gbm")))
    assert (code, err) == (2, "bayescmp: error: ALGORITHM must be given once (got 'knn' twice).\n")


@pytest.mark.parametrize(
    ("typed", "meant"), [("0,01", "0.01"), ("0,005", "0.005"), ("1,05", "1.05")]
)
def test_a_decimal_comma_is_not_the_gap_of_two_bounds(named, capsys, typed, meant):
    """A ROPE of [0, 1] would make everything equivalent."""
    path = named("knn", "svm")
    code, out, err = run(capsys, "compare", path, "--rope", typed)
    assert (code, out) == (2, "")
    assert err.endswith(f"(got '{typed}'). Did you mean {meant}?\n")
    assert run(capsys, "compare", path, "--rope", meant)[0] == 0
    assert run(capsys, "compare", path, "--rope=-1,0", "--test", "sign")[0] == 0


@pytest.mark.parametrize("command", ["compare {} knn svm", "compare {}", "gate {} --margin 0.05"])
@pytest.mark.parametrize(
    ("datasets", "test"), [(8, "sign"), (8, "signed_rank"), (1, "correlated_t")]
)
@pytest.mark.parametrize("option", ["--prior corani2017", "--engine gibbs"])
def test_an_option_that_the_test_lacks_is_refused_as_typed(
    named, capsys, command, datasets, test, option
):
    """Not as a wrong value of what Python takes under the same name."""
    line = command.format(named("knn", "svm", "gbm", datasets=datasets))
    given = "--baseline knn --candidate svm" if "gate" in line else "--rope 0.1"
    code, out, err = run(capsys, f"{line} {given} --test {test} {option}")
    assert (code, out) == (2, "")
    assert f"{option.split()[0]} must be left out: the test {test} does not take it.\n" in err
