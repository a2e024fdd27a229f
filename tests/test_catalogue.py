"""The catalogue: a test is a line, and what is on the line is met everywhere."""

from __future__ import annotations

import json

import numpy as np
import pytest
from scipy import stats

import bayescmp as bc
from bayescmp import bayesian, catalogue, frequentist
from bayescmp.catalogue import BayesianTest, FrequentistTest
from bayescmp.cli import main
from bayescmp.references import REFERENCES, add_reference
from bayescmp.verdict import Rope

QUIET = {"seed": 1, "progress": False}


def plain_t(x, *, rope, seed=None):
    """Student's t posterior of one data set, as if folds were independent."""
    return bayesian.correlated_t(x.x[0], rho=0, rope=rope, names=x.names, seed=seed)


def median_sign(x, *, rope, seed=None, draws=1000):
    """A test over data sets, on their medians."""
    medians = np.array([np.median(row) for row in x.x])
    return bayesian.sign(medians, rope=rope, seed=seed, draws=draws, names=x.names)


def signed_t(x):
    """A frequentist twin of its own: the t test of the data sets' means."""
    result = stats.ttest_1samp(x.means, 0.0)
    return frequentist.TestResult(
        method="t test of means", statistic=float(result.statistic), df=x.q - 1.0,
        pvalue=float(result.pvalue), alternative="two-sided", estimate=float(x.means.mean()),
        names=x.names,
    )  # fmt: skip


@pytest.fixture
def scores(table):
    return bc.Scores(table)


@pytest.fixture
def new_tests():
    """Two tests of a user's: one of a data set, one over data sets with a twin of its own."""
    add_reference("doe2026", "article", author="Doe, Jo", title="Plain t", year="2026")
    catalogue.register(
        FrequentistTest("t_of_means", signed_t, "t of means", "datasets"),
        BayesianTest("plain_t", plain_t, "plain t", "the plain Bayesian t test", ("doe2026",),
                     ("paired_t",)),
        BayesianTest("median_sign", median_sign, "median sign", cites=("doe2026",),
                     twins=("t_of_means",), datasets=catalogue.SEVERAL, folds=2),
    )  # fmt: skip
    yield
    for name in ("plain_t", "median_sign", "t_of_means"):
        catalogue.unregister(name)
    del REFERENCES["doe2026"]


@pytest.mark.usefixtures("new_tests")
def test_a_new_test_is_met_in_compare(scores):
    posterior = bc.compare(scores, "knn", "gbm", "accuracy", 0.05, dataset="iris", test="plain")
    d = scores.differences("knn", "gbm", "accuracy").row("iris").x[0]
    scale = d.std(ddof=1) / np.sqrt(len(d))
    expected = stats.t.cdf((-0.05 - d.mean()) / scale, len(d) - 1)
    assert posterior.verdict().p_left == pytest.approx(expected, rel=1e-9)
    with pytest.raises(bc.InputError, match=r"unknown option of plain_t 'prior'"):
        bc.compare(scores, "knn", "gbm", "accuracy", 0.05, dataset="iris", test="plain", prior=1)


@pytest.mark.usefixtures("new_tests")
def test_a_new_test_is_met_in_compare_all_also_in_other_processes(scores):
    here, there = (
        bc.compare_all(scores, "accuracy", 0.05, test="median_sign", seed=1, n_jobs=n)
        for n in (1, 2)
    )
    assert set(here.frame["test"]) == {"median_sign"}
    assert here.frame.equals(there.frame)


@pytest.mark.usefixtures("new_tests")
def test_a_new_test_is_met_in_the_crosscheck(scores):
    frame = bc.crosscheck(scores, "accuracy", 0.05, engine="quadrature", **QUIET).frame
    rows = frame[frame["bayesian"] == "median_sign"]
    assert set(rows["frequentist"]) == {"t_of_means"}
    assert len(rows) == 3
    means = scores.differences("knn", "svm", "accuracy").means
    row = rows[(rows["first"] == "knn") & (rows["second"] == "svm")].iloc[0]
    assert row["pvalue"] == pytest.approx(stats.ttest_1samp(means, 0).pvalue, rel=1e-12)
    alone = frame[frame["bayesian"] == "plain_t"]
    assert set(alone["dataset"]) == {"iris", "wine", "digits"}
    assert set(alone["frequentist"]) == {"paired_t"}


@pytest.mark.usefixtures("new_tests", "without_pictures")
def test_a_new_test_is_met_in_the_report(scores, tmp_path):
    file = bc.report(
        scores, tmp_path / "r.html", metric="accuracy", rope=0.05, engine="quadrature", **QUIET
    )
    text = file.read_text(encoding="utf-8")
    assert "median sign" in text
    assert "t of means" in text
    assert "the Bayesian median sign test" in text
    assert "Doe 2026" in text
    assert "@article{doe2026," in text


@pytest.mark.usefixtures("new_tests")
def test_a_new_test_is_met_in_which_test():
    assert "plain_t" in bc.which_test(datasets=1).tests
    assert "median_sign" in bc.which_test(datasets=5, algorithms=4).tests
    assert "median_sign" not in bc.which_test(metrics=2, datasets=5).tests


@pytest.mark.usefixtures("new_tests")
def test_a_new_test_is_met_on_the_command_line(table, tmp_path, capsys):
    file = tmp_path / "scores.csv"
    table.to_csv(file, index=False)
    options = ["--metric", "accuracy", "--first", "knn", "--second", "gbm", "--rope", "0.05"]
    assert main(["compare", str(file), *options, "--test", "median-sign", "--json"]) == 0
    text = json.loads(capsys.readouterr().out)
    own = bc.compare(bc.Scores(table), "knn", "gbm", "accuracy", 0.05, test="median_sign", seed=1)
    assert text["verdict"]["probabilities"] == own.verdict().to_dict()["probabilities"]
    assert main(["tests", "--json"]) == 0
    listed = {row["test"]: row for row in json.loads(capsys.readouterr().out)}
    assert listed["median_sign"]["twins"] == "t_of_means"
    assert listed["plain_t"]["data sets"] == "1"


def test_a_rope_reaches_the_test_as_a_region(scores):
    seen = []

    def looking(x, *, rope, seed=None):
        seen.append(rope)
        return plain_t(x, rope=rope, seed=seed)

    catalogue.register(BayesianTest("looking_t", looking, "looking"))
    try:
        bc.compare(scores, "knn", "gbm", "accuracy", 0.05, dataset="iris", test="looking_t")
    finally:
        catalogue.unregister("looking_t")
    assert seen == [Rope(-0.05, 0.05)]
