"""The catalogue: a test is a line, and what is on the line is met everywhere."""

import dataclasses
import inspect
import json
import os
import subprocess
import sys
from functools import cache

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import bayescmp as bc
from bayescmp import bayesian, catalogue, frequentist
from bayescmp.catalogue import (
    BAYESIAN,
    FREQUENTIST,
    SCOPES,
    BayesianTest,
    FrequentistTest,
    twins_of,
)
from bayescmp.commands.cli import main
from bayescmp.experiment.run import ExperimentScores
from bayescmp.scores.rope import Rope
from bayescmp.study.crosscheck import Twin, twins
from bayescmp.wording.references import REFERENCES, add_reference
from tests.rows import each_row

# The catalogue: a test is a line, and what is on the line is met everywhere.


@each_row(
    ("sizes", "name"),
    [
        ({"datasets": 1, "folds": 10}, "correlated_t"),
        ({"metrics": 2, "datasets": 1, "folds": 10}, "multivariate_t"),
        ({"metrics": 1, "algorithms": 4, "datasets": 1, "folds": 10}, "groups"),
    ],
)
def test_the_first_that_fits(sizes, name):
    fitting = [t.name for t in catalogue.bayesian_tests() if t.fits(catalogue.Sizes(**sizes))]
    assert fitting[0] == name


def test_nothing_fits_a_single_difference():
    sizes = catalogue.Sizes(datasets=1, folds=1)
    assert not [t.name for t in catalogue.bayesian_tests() if t.fits(sizes)]


def test_a_prior_goes_to_the_hierarchical_test_only():
    shared = {t.name for t in catalogue.bayesian_tests() if "prior" in t.shared_options()}
    assert shared == {"hierarchical_t", "hierarchical_two_sample_t"}
    assert "prior" in BAYESIAN["sign"].options()


def test_the_estimate_where_neither_is_better():
    """The sign test's estimate is a share of wins: one half favours neither."""
    half = frequentist.sign_test(5, 5)
    assert FREQUENTIST["sign_test", "datasets"].favours(half) == ""
    assert FREQUENTIST["sign_test", "datasets"].favours(frequentist.sign_test(6, 2)) == "second"
    assert (
        FREQUENTIST["wilcoxon", "datasets"].favours(dataclasses.replace(half, estimate=-1.0))
        == "first"
    )


@each_row(
    ("options", "kept"),
    [({"draws": 500, "prior": None}, {"draws": 500}), ({"engine": "auto", "progress": True}, {})],
)
def test_options_not_given_or_without_effect_are_dropped(options, kept):
    assert BAYESIAN["sign"].checked(options) == kept


def test_names():
    assert BAYESIAN["hierarchical_multivariate_t"].names == (
        "hierarchical_multivariate_t",
        "hierarchical_multivariate",
        "hierarchical",
        "hierarchical_t",
    )


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
        method="t test of means",
        statistic=float(result.statistic),
        df=x.q - 1.0,
        pvalue=float(result.pvalue),
        alternative="two-sided",
        estimate=float(x.means.mean()),
        names=x.names,
    )


@pytest.fixture
def scores(table):
    return bc.Scores(table)


@pytest.fixture
def new_tests():
    """Two tests of a user's: one of a data set, one over data sets with a twin of its own."""
    add_reference("doe2026", "article", author="Doe, Jo", title="Plain t", year="2026")
    catalogue.register(
        FrequentistTest("t_of_means", signed_t, "t of means", "datasets"),
        BayesianTest(
            "plain_t",
            plain_t,
            "plain t",
            "the plain Bayesian t test",
            ("doe2026",),
            ("paired_t",),
            by_default=True,
        ),
        BayesianTest(
            "median_sign",
            median_sign,
            "median sign",
            cites=("doe2026",),
            twins=("t_of_means",),
            datasets=catalogue.SEVERAL,
            folds=2,
            by_default=True,
        ),
    )
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
    with pytest.raises(bc.InputError, match=r"option of plain_t must be .*\(got 'prior'\)"):
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


def test_a_test_that_only_names_its_twins_is_in_no_crosscheck_but_where_it_is_asked_for(scores):
    def check(**options):
        check = bc.crosscheck(scores, "accuracy", 0.05, datasets=["iris"], **options, **QUIET)
        return check.frame[["bayesian", "frequentist", "pvalue"]]

    before = check()
    catalogue.register(BayesianTest("plain_t", plain_t, "plain t", twins=("corrected_t",)))
    try:
        assert check().equals(before)
        asked = check(twins=[Twin("plain_t", "corrected_t", "dataset")])
        assert Twin("plain_t", "corrected_t", "dataset") in twins()
    finally:
        catalogue.unregister("plain_t")
    assert set(asked["bayesian"]) == {"plain_t"}
    assert len(asked) == 3


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
    options = ["--metric", "accuracy", "knn", "gbm", "--rope", "0.05"]
    assert main(["compare", str(file), *options, "--test", "median-sign", "--json"]) == 0
    text = json.loads(capsys.readouterr().out)
    own = bc.compare(bc.Scores(table), "knn", "gbm", "accuracy", 0.05, test="median_sign", seed=1)
    assert text["verdict"]["probabilities"] == own.verdict().to_dict()["probabilities"]
    assert main(["info", "tests", "--json"]) == 0
    listed = {row["test"]: row for row in json.loads(capsys.readouterr().out)}
    assert listed["median_sign"]["frequentist counterparts"] == "t_of_means"
    assert listed["plain_t"]["data sets"] == "1"


def always_second(x, rule):
    """A decision that is right where the second is the better."""
    return "second"


def test_a_new_test_that_decides_is_met_in_calibrate_also_in_other_processes():
    catalogue.register(BayesianTest("plain_t", plain_t, "plain t", decides=always_second))
    try:
        settings = {
            "rope": 0.01,
            "rho": 0.1,
            "datasets": [4],
            "delta0": [-0.05, 0.05],
            "sigma0": [0.001],
            "simulations": 3,
            "seed": 1,
        }
        here, there = (bc.calibrate(**settings, n_jobs=n).frame for n in (1, 2))
    finally:
        catalogue.unregister("plain_t")
    assert here.equals(there)
    own = here[here["test"] == "plain_t"].set_index("delta0")
    assert dict(own["right"]) == {-0.05: "first", 0.05: "second"}
    assert dict(own["wrong"]) == {-0.05: 1.0, 0.05: 0.0}


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


def test_every_line_is_whole():
    """Functions take what they are given, and there is something to say and to cite."""
    for name, test in BAYESIAN.items():
        assert {"rope", "seed"} <= set(inspect.signature(test.call).parameters), name
        assert test.sentence.startswith("the ")
        assert set(test.cites) <= set(REFERENCES), name
        assert not {"x", "xs", "rope", "seed", "names", "rho"} & test.options(), name
        for twin in catalogue.twins_of(test):
            assert FREQUENTIST[twin.name, twin.scope] is twin


@each_row(
    ("test", "message"),
    [
        (BayesianTest("sign", plain_t, "sign"), "must have new names .*Bayesian test 'sign'"),
        (BayesianTest("a", plain_t, "a", twins=("wilcoxn",)), "Did you mean 'wilcoxon'"),
        (FrequentistTest("quade", signed_t, "a", "table"), "frequentist test 'quade' of 'table'"),
    ],
)
def test_bad_lines_are_refused(test, message):
    before = list(BAYESIAN), list(FREQUENTIST)
    with pytest.raises(bc.InputError, match=message):
        catalogue.register(test)
    assert (list(BAYESIAN), list(FREQUENTIST)) == before


#: A package that is installed beside ours: it says when it is imported.
ANNOUNCED = """
from bayescmp import bayesian
from bayescmp.catalogue import BayesianTest

def later_t(x, *, rope, seed=None):
    return bayesian.correlated_t(x.x[0], rho=0, rope=rope, names=x.names, seed=seed)

TEST = BayesianTest("later_t", later_t, "later t", twins=("paired_t",), folds=1)
print("imported")
"""
#: What is built in comes first, and then nothing installed is looked for.
ASKED = """
from bayescmp import catalogue
print(catalogue.preferred(catalogue.Sizes(datasets=3)).name)
print(catalogue.preferred(catalogue.Sizes(folds=1)).name)
print([test.name for test in catalogue.bayesian_tests()][-1])
"""


def test_installed_packages_announce_their_tests(tmp_path):
    """An entry point of the group bayescmp.tests, registered when it is needed, and once."""
    (tmp_path / "later.py").write_text(ANNOUNCED)
    (tmp_path / "later-1.0.dist-info").mkdir()
    for file, text in (
        ("METADATA", "Metadata-Version: 2.1\nName: later\nVersion: 1.0\n"),
        ("entry_points.txt", "[bayescmp.tests]\nlater = later:TEST\n"),
    ):
        (tmp_path / "later-1.0.dist-info" / file).write_text(text)
    path = os.pathsep.join([str(tmp_path), *filter(None, sys.path)])
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", ASKED],
        env={**os.environ, "PYTHONPATH": path},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.split() == ["hierarchical_t", "imported", "later_t", "later_t"]


def test_titles():
    assert catalogue.title("signed_rank") == "signed rank"
    assert catalogue.title("wilcoxon") == "Wilcoxon"
    assert catalogue.title("nothing_known") == "nothing known"


def test_a_test_of_equivalence_beside_another_takes_the_rope():
    """It is of the same scope, and says what a small p-value speaks for."""
    for key, test in FREQUENTIST.items():
        assert test.claims in ("difference", "equivalence")
        parameters = inspect.signature(test.call).parameters
        assert ("rope" in parameters) == (test.claims == "equivalence"), key
        if test.equivalence:
            assert FREQUENTIST[test.equivalence, test.scope].claims == "equivalence"


def test_a_test_of_runs_that_do_not_pair_is_never_chosen_for_folds():
    assert BAYESIAN["two_sample_t"].fits(catalogue.Sizes(paired=False))
    assert not BAYESIAN["correlated_t"].fits(catalogue.Sizes(paired=False))


# Every line of the catalogue is met: on the command line, in `which_test`, in the cross-check.


def folds(rng, names="abc", datasets=("one", "two", "three")):
    rows = [
        {
            "dataset": d,
            "algorithm": a,
            "repeat": 1,
            "fold": f,
            "tpr": rng.uniform(0.6, 0.9),
            "fpr": rng.uniform(0.1, 0.4),
        }
        for d in datasets
        for a in names
        for f in range(1, 6)
    ]
    return bc.Scores(pd.DataFrame(rows))


def one(values, resampling):
    wide = dict(zip("abc", np.asarray(values, dtype=float).T.tolist(), strict=True))
    return bc.Scores.read(wide, metric="accuracy", resampling=resampling)


def with_predictions(rng, names="abc"):
    """Areas of five folds of twenty items, and the values by which these are ranked."""
    rows = [
        {
            "dataset": "one",
            "algorithm": a,
            "repeat": 1,
            "fold": f,
            "item": 20 * f + i,
            "truth": i % 2,
            "value": rng.normal() + i % 2,
        }
        for a in names
        for f in range(1, 6)
        for i in range(20)
    ]
    values = pd.DataFrame(rows)
    folds = values.groupby(["dataset", "algorithm", "repeat", "fold"])
    areas = [bc.curves.auc(part["truth"], part["value"]) for _, part in folds]
    return ExperimentScores(
        folds.size().rename("n").reset_index().drop(columns="n").assign(auc=areas),
        seed=1,
        predictions=values,
        positive={"one": 1},
    )


@cache
def checks():
    """A cross-check of each kind of scores: over data sets, on one, of items, runs and areas."""
    rng = np.random.default_rng(1)
    many = folds(rng)
    runs = one(rng.uniform(0.5, 0.9, (6, 3)), "seeds")
    items = one(rng.uniform(size=(30, 3)) < 0.7, "independent")
    return [
        bc.crosscheck(many, "tpr", 0.02, metrics=("tpr", "fpr"), engine="quadrature", **QUIET),
        bc.crosscheck(many, "tpr", 0.02, datasets=["one"], **QUIET),
        bc.crosscheck(items, rope=0.05, **QUIET),
        bc.crosscheck(runs, rope=0.05, paired=False, **QUIET),
        bc.crosscheck(many, "tpr", 0.02, paired=False, engine="quadrature", **QUIET),
        bc.crosscheck(with_predictions(rng), "auc", 0.05, **QUIET),
        bc.crosscheck({"a": (14, 20), "b": (17, 20), "c": (9, 30)}, rope=0.05, **QUIET),
    ]


def test_frequentist_tests_are_met_in_the_crosscheck():
    """In a row of its own, beside one as a test of equivalence, or before the pairs."""
    rows = [row for check in checks() for row in check.rows]
    methods = {c.omnibus[m].method.lower() for c in checks() for m in c.omnibus}
    named = {(t.name, t.scope) for b in BAYESIAN.values() for t in twins_of(b)}
    for key, test in FREQUENTIST.items():
        own = [r for r in rows if (r["frequentist"], r["scope"]) == key]
        if test.claims == "equivalence":
            names = [t.name for t in FREQUENTIST.values() if (t.equivalence, t.scope) == key]
            own = [r for r in rows if r["scope"] == test.scope and r["frequentist"] in names]
            assert own, key
            assert np.all(np.isfinite([r["tost"] for r in own])), key
        elif test.scope.startswith("all_"):
            title = test.title.split("-")[0].lower()
            assert any(title in method for method in methods), key
        elif own:
            assert all(np.isfinite(r["pvalue"]) for r in own), key
        else:  # no Bayesian test names it a twin: it can be asked for as one
            assert key not in named


def test_bayesian_tests_with_twins_are_met_in_the_crosscheck():
    rows = {(r["bayesian"], r["frequentist"]) for check in checks() for r in check.rows}
    wanted = {(name, twin.name) for name in BAYESIAN for twin in twins_of(BAYESIAN[name])}
    assert wanted <= rows


def test_every_line_is_listed_on_the_command_line(capsys):
    assert main(["info", "tests", "--json"]) == 0
    assert {row["test"] for row in json.loads(capsys.readouterr().out)} == set(BAYESIAN)
    assert main(["info", "tests", "--frequentist", "--json"]) == 0
    listed = {(row["test"], row["compares"]) for row in json.loads(capsys.readouterr().out)}
    assert listed == {(name, SCOPES[scope]) for name, scope in FREQUENTIST}


def test_every_bayesian_test_is_chosen_for_some_scores():
    kinds = [
        bc.which_test(metrics=m, algorithms=a, datasets=d)
        for m in (1, 2)
        for a in (2, 3)
        for d in (1, 2)
    ] + [bc.which_test(paired=False, datasets=d) for d in (1, 2)]
    kinds += [bc.which_test(unit=u, algorithms=a) for u in ("answers", "counts") for a in (2, 3)]
    chosen = {name for kind in kinds for name in kind.tests}
    chosen |= {
        catalogue.preferred(catalogue.Sizes(datasets=q, unit=unit)).name
        for q, unit in ((1, "means"), (2, "means"), (1, "judged"))
    }  # with errors, and with human scores
    assert set(BAYESIAN) <= chosen
