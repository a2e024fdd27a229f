"""Which test is taken, all pairs at once, failures, seeds and processes."""

from __future__ import annotations

import math
import pickle

import numpy as np
import pandas as pd
import pytest

import bayescmp as bc
from bayescmp.bayesian import correlated_t, hierarchical_t, sign, signed_rank
from bayescmp.comparison import Comparisons, all_pairs
from tests.catalogue.swap import swap


def p_of(posterior):
    return dict(posterior.verdict().probabilities)


@pytest.fixture
def scores(table):
    return bc.Scores(table)


@pytest.fixture
def means():
    rng = np.random.default_rng(3)
    level = np.array([0.70, 0.72, 0.78, 0.71])
    values = np.clip(level + rng.normal(0, 0.03, (14, 4)), 0, 1)
    frame = pd.DataFrame(values, columns=["knn", "gbm", "svm", "nb"])
    return bc.Scores.from_means(frame, metric="accuracy")


# -- one pair ----------------------------------------------------------------------------------


def test_several_data_sets_with_folds_are_hierarchical(scores):
    found = bc.compare(scores, "knn", "gbm", "accuracy", 0.05, seed=1, engine="quadrature")
    x = scores.differences("knn", "gbm", "accuracy")
    assert found.kind == "hierarchical_t"
    assert found.notes[0] == "test hierarchical_t: 3 data sets, with 10 scores on each"
    own = hierarchical_t(x, rope=0.05, seed=1, engine="quadrature")
    assert p_of(found) == p_of(own)


def test_one_data_set_is_correlated(scores, table):
    found = bc.compare(scores, "knn", "gbm", "accuracy", 0.05, dataset="iris")
    x = scores.differences("knn", "gbm", "accuracy").row("iris")
    assert found.notes[0] == "test correlated_t: one data set, with 10 scores"
    assert p_of(found) == p_of(correlated_t(x, rope=0.05))
    alone = table[table.dataset == "iris"]
    assert p_of(bc.compare(alone, "knn", "gbm", "accuracy", 0.05)) == p_of(found)


def test_means_are_signed_rank(means):
    found = bc.compare(means, "knn", "svm", rope=0.01, seed=1)
    assert found.notes[0] == "test signed_rank: 14 data sets, with a single score on each"
    wide = means.means()
    assert p_of(found) == p_of(signed_rank(wide["svm"] - wide["knn"], rope=0.01, seed=1))


def test_some_single_scores_are_signed_rank():
    x = bc.Differences([[0.1, 0.2], [0.3], [0.1]], rho=0.1)
    found = bc.compare(x, rope=0.01, seed=1)
    assert "2 of which with a single score" in found.notes[0]
    assert p_of(found) == p_of(signed_rank([0.15, 0.3, 0.1], rope=0.01, seed=1))


def test_one_single_score_is_no_comparison():
    with pytest.raises(bc.InputError, match="no test can judge"):
        bc.compare(bc.Differences([[0.1]], rho=0.1), rope=0.01)


@pytest.mark.parametrize("name", ["sign", "signed_rank", "signed-rank"])
def test_a_named_test_needs_no_note(scores, name):
    found = bc.compare(scores, "knn", "gbm", "accuracy", 0.05, test=name, seed=1)
    assert found.kind == name.replace("-", "_")
    assert found.notes == ()


def test_short_names_of_tests(scores):
    found = bc.compare(scores, "knn", "gbm", "accuracy", 0.05, test="correlated", dataset="wine")
    assert found.kind == "correlated_t"


def test_tests_on_means_need_no_rho():
    frame = pd.DataFrame({
        "dataset": list("xyz") * 4, "algorithm": ["a"] * 6 + ["b"] * 6,
        "repeat": ([1] * 3 + [2] * 3) * 2, "accuracy": np.linspace(0.5, 0.9, 12),
    })  # fmt: skip
    with pytest.raises(bc.InputError, match="correlation can't be told"):
        bc.compare(frame, rope=0.01)
    # three wins and the rope's weight of one: P(Beta(3, 1) > 1/2) = 7/8
    assert bc.compare(frame, rope=0.01, test="sign").verdict().p_right == pytest.approx(7 / 8)


def test_options_reach_the_test(scores, means):
    prior = bc.HierarchicalPrior.benavoli2017()
    found = bc.compare(scores, "knn", "gbm", "accuracy", 0.05, prior=prior, engine="quadrature")
    assert found.prior is prior
    assert bc.compare(means, "knn", "gbm", rope=0.01, draws=10).masses().shape == (1, 10, 3)
    given_rho = bc.compare(scores, "knn", "gbm", "accuracy", 0.05, dataset="iris", rho=0.3)
    assert given_rho.rho == 0.3


def test_lower_is_better_is_known(scores, table):
    loss = bc.compare(scores, "knn", "gbm", "log_loss", 0.01, dataset="iris")
    own = table[(table.dataset == "iris")].groupby("algorithm")["log_loss"].mean()
    assert loss.location == pytest.approx(own["knn"] - own["gbm"])


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"test": "correlate"}, "unknown test 'correlate': did you mean 'correlated_t'"),
        ({"rope": None}, "rope is missing"),
        ({"first": None}, "first and second are needed"),
        ({"second": "gmb"}, "did you mean 'gbm'"),
        ({"dataset": "iri"}, "did you mean 'iris'"),
        ({"test": "sign", "engine": "pystan"}, "unknown option of sign 'engine'"),
        ({"test": "sign", "drawz": 5}, "did you mean 'draws'"),
        ({"test": "correlated"}, "3 data sets, this test takes one"),
    ],
)
def test_bad_input(scores, options, message):
    given = {"first": "knn", "second": "gbm", "metric": "accuracy", "rope": 0.01, **options}
    with pytest.raises(bc.InputError, match=message):
        bc.compare(scores, **given)


def test_other_things_than_scores():
    with pytest.raises(bc.InputError, match="scores is list"):
        bc.compare([[1, 2]], rope=0.01)
    x = bc.Differences([[0.1, 0.2]], rho=0.1, names=("a", "b"))
    with pytest.raises(bc.InputError, match="the differences are of"):
        bc.compare(x, "b", "a", rope=0.01)
    with pytest.raises(bc.InputError, match="differences of one pair"):
        bc.compare_all(x, rope=0.01)


# -- all pairs ---------------------------------------------------------------------------------


def test_every_pair_is_what_compare_gives(means):
    found = bc.compare_all(means, rope=0.01, seed=5)
    frame = found.frame
    pairs = [("knn", "gbm"), ("knn", "svm"), ("knn", "nb"), ("gbm", "svm"), ("gbm", "nb"),
             ("svm", "nb")]  # fmt: skip
    assert list(zip(frame["first"], frame["second"], strict=True)) == pairs
    for row in frame.itertuples():
        v = bc.compare(means, row.first, row.second, rope=0.01, seed=5).verdict()
        assert (row.p_left, row.p_rope, row.p_right) == tuple(v.probabilities.values())
        assert (row.se_left, row.se_rope, row.se_right) == tuple(v.errors.values())
        assert (row.decision, row.evidence) == (v.decision, v.evidence)
        assert (row.test, row.engine, row.datasets) == ("signed_rank", "exact", 14)
        top, runner = sorted(v.probabilities.values())[:-3:-1]
        assert row.odds == pytest.approx(top / max(runner, v.floor))
        assert row.odds_bound == (runner < v.floor)
        assert (row.metric, row.rope_low, row.rope_high) == ("accuracy", -0.01, 0.01)
    assert frame["ok"].all()
    assert (frame["error"] == "").all()


def test_a_result_is_kept_for_each_pair(means):
    found = bc.compare_all(means, rope=0.01, seed=5)
    result = found["knn", "svm"]
    own = bc.compare(means, "knn", "svm", rope=0.01, seed=5)
    assert result.verdict.to_dict() == own.verdict().to_dict()
    assert result.summary.equals(own.summary())
    assert "signed_rank" in result.notes[0]
    assert result.posterior is None
    assert found.verdict("svm", "knn").p_left == found.verdict("knn", "svm").p_right
    with pytest.raises(bc.InputError, match="unknown pair 'svm / knn'"):
        found["svm", "knn"]


def test_results_are_light_unless_posteriors_are_asked_for(means):
    light = bc.compare_all(means, rope=0.01, seed=5)
    heavy = bc.compare_all(means, rope=0.01, seed=5, keep_posteriors=True)
    assert len(pickle.dumps(light["knn", "svm"])) < 20_000
    assert heavy["knn", "svm"].posterior.verdict(0.05).rope.high == 0.05


def test_all_against_a_control(means):
    found = bc.compare_all(means, rope=0.01, seed=5, control="svm")
    assert list(found.results) == [("svm", "knn"), ("svm", "gbm"), ("svm", "nb")]
    assert found.control == "svm"
    assert (found.frame["first"] == "svm").all()
    assert (found.frame["p_left"] > found.frame["p_right"]).all()  # svm was made the best


def test_some_algorithms_only(means):
    found = bc.compare_all(means, rope=0.01, algorithms=["nb", "svm"], seed=1)
    assert list(found.results) == [("nb", "svm")]


def test_the_test_is_chosen_for_each_table(scores):
    found = bc.compare_all(scores, "accuracy", 0.05, seed=1, engine="quadrature")
    assert set(found.frame["test"]) == {"hierarchical_t"}
    assert set(found.frame["engine"]) == {"quadrature"}


def test_one_failing_pair_is_reported_and_the_others_kept(table):
    lost = table.drop(table[(table.dataset == "wine") & (table.algorithm == "svm")].index[:1])
    with pytest.warns(bc.DiagnosticWarning, match=r"2 of 3 pairs could not be compared.*folds"):
        found = bc.compare_all(lost, "accuracy", 0.05, test="sign")
    assert list(found.results) == [("knn", "gbm")]
    assert set(found.failures) == {("knn", "svm"), ("gbm", "svm")}
    frame = found.frame.set_index(["first", "second"])
    bad = frame.loc[("knn", "svm")]
    assert bad["decision"] == "failed"
    assert math.isnan(bad["p_left"])
    assert "InputError: folds don't pair" in bad["error"]
    assert "2 failed" in str(found)
    with pytest.raises(bc.InputError, match="folds don't pair"):
        found["knn", "svm"]


def test_a_test_that_breaks_is_reported_like_bad_input(means, monkeypatch):
    def broken(x, **options):
        if "nb" in x.names:
            raise ZeroDivisionError("oops")
        return sign(x, rope=options["rope"])

    swap(monkeypatch, "sign", broken)
    with pytest.warns(bc.DiagnosticWarning, match="3 of 6 pairs could not be compared.*oops"):
        found = bc.compare_all(means, rope=0.01, test="sign", n_jobs=1)
    assert len(found.results) == 3
    assert "ZeroDivisionError: oops" in set(found.frame["error"])


def test_where_all_fail_the_first_error_is_raised(scores):
    with pytest.raises(bc.InputError, match="this test takes one"):
        bc.compare_all(scores, "accuracy", 0.05, test="correlated_t")


def test_warnings_of_the_pairs_become_one(scores, monkeypatch):
    import warnings

    def doubtful(x, **options):
        warnings.warn("the chains disagree", bc.DiagnosticWarning, stacklevel=2)
        return sign(x, rope=options["rope"])

    swap(monkeypatch, "sign", doubtful)
    with pytest.warns(bc.DiagnosticWarning) as caught:
        found = bc.compare_all(scores, "accuracy", 0.05, test="sign", n_jobs=1)
    assert len(caught) == 1
    assert "3 of 3 pairs can't be trusted" in str(caught[0].message)
    assert not found.frame["ok"].any()
    assert set(found.frame["notes"]) == {"the chains disagree"}


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"control": "smv"}, "did you mean 'svm'"),
        ({"algorithms": ["svm"]}, "one algorithm only"),
        ({"algorithms": ["svm", "x"]}, "unknown algorithm 'x'"),
        ({"metric": "auc"}, "unknown metric 'auc'"),
        ({"rope": None}, "rope is missing"),
        ({"rope": -1}, "negative"),
        ({"threshold": 0.2}, r"threshold=0\.2"),
        ({"test": "signs"}, "did you mean 'sign'"),
        ({"seed": -1}, "seed=-1"),
    ],
)
def test_bad_input_to_all_pairs(means, options, message):
    with pytest.raises(bc.InputError, match=message):
        bc.compare_all(means, **{"rope": 0.01, **options})


def test_numbers_do_not_depend_on_the_processes(means):
    one, two = (bc.compare_all(means, rope=0.01, seed=5, n_jobs=n) for n in (1, 2))
    assert one.frame.equals(two.frame)


def test_slow_work_goes_on_in_other_processes(means, monkeypatch):
    """With no patience at all the first two pairs are done here, the others elsewhere."""
    here = []
    solve = all_pairs._solve
    monkeypatch.setattr(all_pairs, "START_UP", -1.0)
    monkeypatch.setattr(all_pairs, "_solve", lambda task: here.append(task) or solve(task))
    monkeypatch.setattr("joblib.effective_n_jobs", lambda n: 2)
    monkeypatch.setattr(
        "joblib.delayed", lambda f: lambda *a: (solve, a, {})  # the real one can be pickled
    )  # fmt: skip
    found = bc.compare_all(means, rope=0.01, seed=5)
    assert len(here) == 2
    assert found.frame.equals(bc.compare_all(means, rope=0.01, seed=5, n_jobs=1).frame)


def test_progress_bar_only_where_asked_for(means, capsys):
    bc.compare_all(means, rope=0.01, seed=5, progress=True)
    assert "6/6" in capsys.readouterr().err
    bc.compare_all(means, rope=0.01, seed=5)
    assert capsys.readouterr().err == ""


def test_shown_as_a_table(means):
    found = bc.compare_all(means, rope=0.01, seed=5, control="svm")
    assert isinstance(found, Comparisons)
    assert len(found) == 3
    told = repr(found)
    assert told.startswith("3 comparisons with svm on accuracy, rope ±0.01")
    assert "signed_rank" in told
