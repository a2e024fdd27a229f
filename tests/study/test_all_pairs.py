"""All pairs at once: failures, seeds, processes; what is kept and shown of them."""

from __future__ import annotations

import math
import pickle
import warnings
from dataclasses import replace
from functools import partial
from itertools import combinations, cycle, product
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

import bayescmp as bc
from bayescmp import bayesian, catalogue
from bayescmp.base import workers
from bayescmp.bayesian import sign
from bayescmp.catalogue import BayesianTest
from bayescmp.scores.rope import Rope
from bayescmp.study.compare import PairedScores, PairQuestion, record_result, warn_of_pairs
from bayescmp.study.comparisons import (
    PARTS,
    REGIONS,
    best_of,
    count_doubtful,
    describe_order,
    describe_rivals,
    describe_tests,
    find_intransitive,
    open_pairs,
    tabulate_failure,
    tabulate_pair,
)
from bayescmp.summaries.rivals import list_first_names
from bayescmp.wording.text import format_probability, join_items
from tests.plots.scenes import comparisons
from tests.rows import each_row
from tests.study.conftest import swap

# All pairs at once: failures, seeds, processes.


X = np.array([0.02, 0.04, -0.01, 0.03, 0.05])


def fit():
    return bayesian.correlated_t(X, rho=0.2, rope=0.01, names=("A", "B"))


def doubtful():
    warnings.warn("the chains disagree", bc.DiagnosticWarning, stacklevel=1)
    return fit()


def result_of(function, test="correlated_t"):
    named = BayesianTest(test, lambda x, *, rope, seed: function(), "") if test else None
    x = PairedScores(bc.Differences([X], rho=0.2, names=("A", "B")))
    return record_result(PairQuestion(x, Rope(-0.01, 0.01), named), 0.9)


def test_what_is_kept():
    result, own = result_of(fit), fit()
    assert result.verdict == own.verdict(threshold=0.9)
    assert result.posterior is not None
    assert result.without_posterior().posterior is None
    assert (result.test, result.engine, result.datasets) == ("correlated_t", own.engine, 1)
    assert result.trouble == ()
    assert result.seconds > 0


def test_a_test_that_is_not_named_is_called_as_its_posterior_is():
    assert result_of(None, test="").test == "correlated_t"


def test_warnings_are_kept_and_do_not_reach_the_user():
    result = result_of(doubtful)
    assert result.trouble == ("the chains disagree",)


def test_errors_are_raised():
    def broken():
        raise bc.InputError("no")

    with pytest.raises(bc.InputError, match="no"):
        result_of(broken)


def test_one_warning_for_all():
    for results, failures, messages in [
        ([fit], [], []),
        (
            [doubtful],
            [],
            ["1 of 1 pair cannot be trusted, e.g. A and B0: the chains disagree; see x"],
        ),
        (
            [fit, doubtful],
            [ValueError("no folds")],
            [
                "1 of 3 pairs could not be compared, e.g. A and C0: no folds; see x",
                "1 of 3 pairs cannot be trusted, e.g. A and B1: the chains disagree; see x",
            ],
        ),
    ]:
        kept = [(("A", f"B{i}"), result_of(f)) for i, f in enumerate(results)]
        lost = [(("A", f"C{i}"), error) for i, error in enumerate(failures)]
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            warn_of_pairs(kept, lost, "; see x")
        assert [str(w.message) for w in caught] == messages
        assert {w.filename for w in caught} <= {__file__}


def test_every_pair_is_what_compare_gives(means):
    result = bc.compare_all(means, rope=0.01, seed=5)
    frame = result.frame
    pairs = list(zip(frame["first"], frame["second"], strict=True))
    assert set(pairs) == set(combinations(("knn", "gbm", "svm", "nb"), 2))
    places = [sorted(map(result.order.index, pair)) for pair in pairs]
    assert places == sorted(places)  # those of the best algorithms first
    assert "Data: 14 data sets." in result.explain("paper")
    for pair in frame.itertuples():
        v = bc.compare(means, pair.first, pair.second, rope=0.01, seed=5).verdict()
        x = means.differences(pair.first, pair.second)
        assert result[pair.first, pair.second].means == tuple(x.means)
        assert (pair.p_left, pair.p_rope, pair.p_right) == tuple(v.probabilities.values())
        assert (pair.se_left, pair.se_rope, pair.se_right) == tuple(v.errors.values())
        assert (pair.decision, pair.evidence) == (v.decision, v.evidence)
        assert (pair.test, pair.engine, pair.datasets) == ("signed_rank", "exact", 14)
        top, runner = sorted(v.probabilities.values())[:-3:-1]
        assert pair.odds == pytest.approx(top / max(runner, v.floor))
        assert pair.odds_bound == (runner < v.floor)
        assert (pair.metric, pair.rope_low, pair.rope_high) == ("accuracy", -0.01, 0.01)
    assert frame["ok"].all()
    assert (frame["error"] == "").all()


def test_every_pair_of_folds_is_what_the_hierarchical_test_gives():
    """Probabilities, stated errors and diagnostics, of pairs that are solved one after another."""
    rng = np.random.default_rng(2)
    x = rng.normal(0.8, 0.03, (4, 12, 10)) + np.array([0.0, 0.0, 0.01, 0.05])[:, None, None]
    keys = product("abcd", range(12), range(10))
    columns = ["algorithm", "dataset", "fold"]
    frame = pd.DataFrame(keys, columns=columns).assign(accuracy=x.ravel())
    scores = bc.Scores.read(frame, resampling="1x10-fold")
    result = bc.compare_all(scores, rope=0.01, seed=5, n_jobs=1)
    assert len(result) == 6
    for pair, kept in reversed(result.results.items()):
        differences = scores.differences(*pair)
        own = bc.bayesian.hierarchical_t(differences, rope=0.01, seed=5)
        v, w = kept.verdict, own.verdict()
        for one, other in (
            (v.probabilities, w.probabilities),
            (v.errors, w.errors),
            (v.expected, w.expected),
            (v.location, w.location),
        ):
            assert [*one.values()] == pytest.approx([*other.values()], abs=1e-9)
        assert v.decision == w.decision
        assert kept.diagnostics.ok == own.diagnostics.ok
        assert kept.diagnostics.apart == pytest.approx(own.diagnostics.apart, abs=1e-9)


def test_all_against_a_control(means):
    result = bc.compare_all(means, rope=0.01, seed=5, control="svm")
    assert list(result.results) == [("svm", "knn"), ("svm", "gbm"), ("svm", "nb")]
    assert result.control == "svm"
    assert (result.frame["first"] == "svm").all()
    assert (result.frame["p_left"] > result.frame["p_right"]).all()  # svm was made the best


def test_some_algorithms_only(means):
    result = bc.compare_all(means, rope=0.01, algorithms=["nb", "svm"], seed=1)
    assert list(result.results) == [("nb", "svm")]


def test_algorithms_with_numbers_for_names_are_asked_for_by_number(means):
    table = means.means("accuracy").set_axis([0, 1, 2, 3], axis=1)
    numbered = bc.Scores.from_means(table, metric="accuracy")
    result = bc.compare_all(
        numbered, rope=0.01, seed=5, algorithms=[0, 2], control=2, keep_posteriors=True
    )
    assert list(result.results) == [("2", "0")]
    assert result[2, 0] is result["2", "0"]
    assert result.verdict(0, 2).p_left == result["2", "0"].verdict.p_right
    assert result.posterior(2, 0) is result["2", "0"].posterior


def test_the_test_is_chosen_for_each_table(scores):
    result = bc.compare_all(scores, "accuracy", 0.05, seed=1, engine="quadrature")
    assert set(result.frame["test"]) == {"hierarchical_t"}
    assert set(result.frame["engine"]) == {"quadrature"}


def test_one_failing_pair_is_reported_and_the_others_kept(table):
    lost = table.drop(table[(table.dataset == "wine") & (table.algorithm == "svm")].index[:1])
    with pytest.warns(bc.DiagnosticWarning, match=r"2 of 3 pairs could not be compared.*folds"):
        result = bc.compare_all(lost, "accuracy", 0.05, test="sign")
    assert list(result.results) == [("knn", "gbm")]
    assert set(result.failures) == {("knn", "svm"), ("gbm", "svm")}
    frame = result.frame.set_index(["first", "second"])
    bad = frame.loc[("knn", "svm")]
    assert bad["decision"] == "failed"
    assert math.isnan(bad["p_left"])
    assert "InputError: both algorithms must have the same folds" in bad["error"]
    assert "Not compared: " in str(result)
    with pytest.raises(bc.InputError, match="must have the same folds"):
        result["knn", "svm"]
    with pytest.raises(bc.InputError, match="must have the same folds"):
        result.verdict("svm", "knn")


def test_a_test_that_breaks_is_reported_like_bad_input(means, monkeypatch):
    def broken(x, **options):
        if "nb" in x.names:
            raise ZeroDivisionError("oops")
        return sign(x, rope=options["rope"])

    swap(monkeypatch, "sign", broken)
    with pytest.warns(bc.DiagnosticWarning, match="3 of 6 pairs could not be compared.*oops"):
        result = bc.compare_all(means, rope=0.01, test="sign", n_jobs=1)
    assert len(result.results) == 3
    assert "ZeroDivisionError: oops" in set(result.frame["error"])


def test_where_all_fail_the_first_error_is_raised(scores):
    with pytest.raises(bc.InputError, match="x must have one data set for this test"):
        bc.compare_all(scores, "accuracy", 0.05, test="correlated_t")


def test_warnings_of_the_pairs_become_one(scores, monkeypatch):
    import warnings

    def doubtful(x, **options):
        warnings.warn("the chains disagree", bc.DiagnosticWarning, stacklevel=2)
        return sign(x, rope=options["rope"])

    swap(monkeypatch, "sign", doubtful)
    with pytest.warns(bc.DiagnosticWarning) as caught:
        result = bc.compare_all(scores, "accuracy", 0.05, test="sign", n_jobs=1)
    assert len(caught) == 1
    assert "3 of 3 pairs cannot be trusted" in str(caught[0].message)
    assert not result.frame["ok"].any()
    assert set(result.frame["notes"]) == {"the chains disagree"}


@each_row(
    ("options", "message"),
    [
        ({"control": "smv"}, "Did you mean 'svm'"),
        ({"algorithms": ["svm"]}, r"at least two algorithms .*only 'svm'.*bayescmp\.estimate"),
        ({"algorithms": []}, "algorithms must name at least two"),
        ({"n_jobs": "two"}, "n_jobs must be a number of processes"),
        ({"rope": -1}, "rope must .*got -1"),
    ],
)
def test_bad_input_to_all_pairs(means, options, message):
    with pytest.raises(bc.InputError, match=message):
        bc.compare_all(means, **{"rope": 0.01, **options})


HERE: list[str] = []


def counted(x, *, rope, seed=None):
    """The sign test, which says in which process it was asked; others have a list of their own."""
    HERE.append(" ".join(x.names))
    return sign(x, rope=rope, seed=seed)


@pytest.fixture
def here():
    """Pairs solved in this process, by a test of the catalogue."""
    HERE.clear()
    catalogue.register(
        BayesianTest("counted", counted, "counted", datasets=catalogue.SEVERAL, folds=1)
    )
    yield HERE
    catalogue.unregister("counted")


@pytest.mark.slow
@pytest.mark.parametrize("n_jobs", [None, 2])
def test_numbers_do_not_depend_on_the_processes(means, monkeypatch, n_jobs, here):
    run = partial(bc.compare_all, means, rope=0.01, seed=5, test="counted")
    own = run(n_jobs=1)
    assert len(here) == 6
    monkeypatch.setattr(workers, "count_processes", lambda *_: 2)
    there = run(n_jobs=n_jobs)
    assert len(here) == 6
    assert own.frame.equals(there.frame)


def test_few_pairs_start_no_process(means, monkeypatch):
    monkeypatch.setattr("joblib.Parallel", None)
    assert len(bc.compare_all(means, rope=0.01, seed=5, test="sign")) == 6


def test_progress_bar_only_where_asked_for(means, capsys):
    bc.compare_all(means, rope=0.01, seed=5, progress=True)
    assert "6/6" in capsys.readouterr().err
    bc.compare_all(means, rope=0.01, seed=5)
    assert capsys.readouterr().err == ""


def test_which_is_best_stands_above_the_algorithms_and_above_the_pairs(table):
    scores = bc.Scores(table)
    result = bc.compare_all(scores, "accuracy", 0.05, test="sign", seed=1)
    own = bc.bayesian.bootstrap(scores, metric="accuracy", rope=0.05, seed=1)
    assert result.best.best() == own.best()
    name, p = max(own.best("average").items(), key=lambda item: item[1])
    assert f"best on average over data sets: {name} {p:.3f}" in str(result)
    text = result.full()
    assert text.index("best (average)") < text.index("probabilities of:")
    assert "best (new)" in text
    assert "note: 3 data sets: with fewer than 20 the bootstrap is overconfident" in text


@pytest.mark.parametrize("options", [{"control": "knn"}, {"rope": (-0.01, 0.05)}])
def test_where_it_cannot_be_asked_pairs_stand_alone(table, options):
    result = bc.compare_all(
        bc.Scores(table), "accuracy", **{"rope": 0.05, "test": "sign", "seed": 1, **options}
    )
    assert result.best is None
    assert "best next" not in result.full()
    assert "Best on" not in str(result)


# Results of many pairs: kept, light, shown.


@pytest.fixture
def best_scores(table):
    return bc.Scores(table)


def test_it_is_the_bootstrap_and_its_lines_quote_it(best_scores):
    best = best_of(best_scores, "accuracy", Rope(-0.05, 0.05), 1, None)
    own = bc.bayesian.bootstrap(best_scores, metric="accuracy", rope=0.05, seed=1)
    assert best.overview().equals(own.overview())
    for on in ("next", "average"):
        name, p = own.ranking(on).index[0], own.ranking(on)["p_best"].iloc[0]
        rows = [line for line in str(best).splitlines() if line.split()[:1] == [name]]
        assert any(format_probability(p) in row for row in rows)


@pytest.mark.parametrize("rope", [Rope(-0.05, 0.05), Rope(-0.01, 0.05)])
def test_two_algorithms_one_data_set_and_lopsided_ropes_have_no_best(best_scores, rope):
    two, one = best_scores.select(algorithms=["knn", "svm"]), best_scores.select(datasets=["iris"])
    assert best_of(two, "accuracy", rope, 1, None) is None
    assert best_of(one, "accuracy", rope, 1, None) is None
    assert (best_of(best_scores, "accuracy", rope, 1, None) is None) == (rope.low == -0.01)


def test_failed_pairs_have_the_columns_of_the_others(means):
    result = bc.compare_all(means, rope=0.01, seed=1)["knn", "svm"]
    there = tabulate_pair(("knn", "svm"), result, {})
    failed = tabulate_failure(("knn", "svm"), bc.InputError("folds don't pair"), {})
    assert list(failed) == list(there)
    assert failed["error"] == "InputError: folds don't pair"
    assert all(math.isnan(failed[f"{part}_{r}"]) for part in PARTS for r in REGIONS)
    assert (there["error"], there["p_right"]) == ("", result.verdict.p_right)


def test_odds_are_of_the_most_probable_region_over_the_next(means):
    for pair, result in bc.compare_all(means, rope=0.01, seed=1).results.items():
        line, probabilities = tabulate_pair(pair, result, {}), result.verdict.probabilities
        top, following = sorted(probabilities.values())[:-3:-1]
        assert probabilities[line["most_probable"]] == top
        assert math.isclose(line["odds"], top / max(following, result.verdict.floor))


NAMES = ("a", "b", "c", "d")


@pytest.fixture(scope="module")
def result():
    return comparisons(NAMES)


def test_against_a_control_the_sentence_is_about_the_control():
    control = NAMES[0]
    against = comparisons(NAMES, control=control)
    worse = [name for name in NAMES if name != control and _is_beaten(against, control, name)]
    text = describe_rivals(against)
    assert worse
    assert f"{control} is practically worse than {join_items(worse[::-1])}." in text
    start = f"{control} against {len(NAMES) - 1} others. {text}"
    assert against.explain("paper").startswith(start)


def _is_beaten(pairs, control, name):
    return pairs.verdict(control, name).decision == "second"


def test_open_pairs_are_all_that_are_undecided(result):
    undecided = {p for p, r in result.results.items() if not r.verdict.decided}
    assert {p for o in open_pairs(result) for p in o.pairs} == undecided


def test_of_a_single_data_set_no_more_data_sets_are_advised():
    scores = bc.Scores.read("examples/data/scores.csv").select(datasets=["wine"])
    pairs = bc.compare_all(scores, "accuracy", rope=0.01, seed=1, progress=False)
    few = next(o for o in open_pairs(pairs) if o.cause == "too little data")
    assert few.advice == "the interval of the difference is too wide"
    for first, second in few.pairs:
        low, high = pairs.verdict(first, second).mean_interval[0]
        assert high - low > 0.02


@pytest.mark.parametrize(
    ("exact", "advice"),
    [
        (True, "within numerical error of the threshold"),
        (False, "within Monte Carlo error of the threshold; more draws would decide"),
    ],
)
def test_more_draws_are_advised_where_there_are_draws(result, exact, advice):
    p = {"left": 0.0, "rope": 0.049, "right": 0.951}
    near = replace(fit().verdict(), probabilities=p, errors=dict.fromkeys(p, 0.01), exact=exact)
    (pair, kept), *_ = result.results.items()
    (only,) = open_pairs(replace(result, results={pair: replace(kept, verdict=near)}))
    assert (only.cause, only.advice) == ("borderline", advice)


def test_counts_add_up_to_all_pairs(result):
    decided = sum(r.verdict.decided for r in result.results.values())
    assert f"Of 6 pairs: one is better in {decided}," in result.explain("paper")
    assert f"undecided in {6 - decided}." in result.explain("paper")


def test_methods_are_those_that_pairs_share(result):
    def with_priors(*priors):
        results = {
            pair: replace(each, verdict=replace(each.verdict, prior=prior))
            for prior, (pair, each) in zip(cycle(priors), result.results.items())
        }
        return replace(result, results=results).explain("paper")

    assert "Prior: mine: b = 1." in with_priors("mine: b = 1")
    shared = "Prior: mine, with bounds taken from each pair's scores."
    assert shared in with_priors("mine: b = 1", "mine: b = 2")


def test_a_pair_that_failed_is_a_caution(result):
    results = dict(result.results)
    del results["a", "b"]
    failed = replace(result, results=results, failures={("a", "b"): ValueError("no")})
    assert count_doubtful(failed) == ["1 of 6 pairs could not be compared"]
    assert "Caution: 1 of 6 pairs could not be compared." in failed.explain("paper")
    assert count_doubtful(result) == []


def test_the_setting_names_metric_test_rope_and_threshold(result):
    assert describe_tests(result) == "accuracy by the signed-rank test, ROPE ±0.01, threshold 0.95"


def test_many_names_are_counted():
    assert list_first_names(["a", "b"]) == "a and b"
    assert list_first_names(["a, b", "c"]) == "'a, b' and 'c'"
    assert list_first_names([f"a{i}" for i in range(9)]) == "a0, a1, a2, a3, a4, a5 and 3 more"


def decided(*decisions):
    """Comparisons of knn, gbm and svm, in this order, that were decided so."""
    pairs = [("knn", "gbm"), ("gbm", "svm"), ("knn", "svm")]
    results = {
        pair: SimpleNamespace(verdict=SimpleNamespace(decision=d), trouble=())
        for pair, d in zip(pairs, decisions, strict=True)
        if d is not None
    }
    turned = {"first": "second", "second": "first"}

    def verdict(a, b):
        if (a, b) in results:
            return results[a, b].verdict
        decision = results[b, a].verdict.decision
        return SimpleNamespace(decision=turned.get(decision, decision))

    return SimpleNamespace(
        order=("knn", "gbm", "svm"), results=results, verdict=verdict, failures={}
    )


def test_where_pairs_are_not_transitive():
    for decisions, odd, words in [
        (("first", "first", "first"), [], "are not a joint statement."),
        (("first", "first", "undecided"), [], "are not a joint statement."),
        (("first", "first", None), [], "are not a joint statement."),
        (("equivalent", "equivalent", "first"), [], "are not a joint statement."),
        (
            ("first", "first", "equivalent"),
            [("knn", "gbm", "svm")],
            "knn is better than gbm and gbm than svm, but knn is equivalent to svm.",
        ),
        (
            ("first", "first", "second"),
            [("knn", "gbm", "svm")],
            "knn is better than gbm and gbm than svm, but svm is better than knn.",
        ),
        (
            ("second", "second", "equivalent"),
            [("svm", "gbm", "knn")],
            "svm is better than gbm and gbm than knn, but svm is equivalent to knn.",
        ),
    ]:
        comparisons = decided(*decisions)
        assert find_intransitive(comparisons) == odd
        assert describe_order(comparisons).endswith(words)


def test_that_pairs_are_no_joint_statement_is_said_of_several(result):
    assert "The verdicts are not a joint statement." in result.explain("paper")
    first = dict([next(iter(result.results.items()))])
    assert describe_order(replace(result, results=first)) == ""


def test_a_result_is_kept_for_each_pair(means):
    outcome = bc.compare_all(means, rope=0.01, seed=5)
    result = outcome["knn", "svm"]
    own = bc.compare(means, "knn", "svm", rope=0.01, seed=5)
    assert result.verdict.to_dict() == own.verdict().to_dict()
    assert outcome.posterior("knn", "svm").summary().equals(own.summary())
    assert "signed_rank" in result.notes[0]
    assert result.posterior is None
    assert outcome.verdict("svm", "knn").p_left == outcome.verdict("knn", "svm").p_right
    for wrong in [("svm", "knn"), ("knn", "svm", "nb"), "knn", ()]:
        with pytest.raises(bc.InputError, match=r"pair must be"):
            outcome[wrong]
    with pytest.raises(bc.InputError, match="pair must be"):
        outcome[3]


def test_results_are_light_unless_posteriors_are_asked_for(means):
    light = bc.compare_all(means, rope=0.01, seed=5)
    heavy = bc.compare_all(means, rope=0.01, seed=5, keep_posteriors=True)
    assert len(pickle.dumps(light["knn", "svm"])) < 20_000
    assert heavy["knn", "svm"].posterior.verdict(0.05).rope.high == 0.05


@pytest.mark.parametrize("keep", [True, False])
def test_behind_every_number_is_a_posterior(table, keep):
    """Kept or fitted again, it gives the row's numbers to the last bit."""
    scores, options = bc.Scores(table), {"rope": 0.05, "seed": 5, "engine": "quadrature"}
    outcome = bc.compare_all(scores, "accuracy", keep_posteriors=keep, **options)
    again = pickle.loads(pickle.dumps(outcome))
    for each in (outcome, again):
        for pair, result in each.results.items():
            posterior = each.posterior(*pair)
            assert (posterior is result.posterior) == keep
            assert posterior.verdict().to_dict() == result.verdict.to_dict()
    with pytest.raises(bc.InputError, match=r"pair must be .*\(got 'svm / knn'\)"):
        outcome.posterior("svm", "knn")


def test_posteriors_of_a_crosscheck_are_those_it_kept(scores):
    light, kept = (
        bc.crosscheck(scores, "accuracy", 0.05, seed=1, engine="quadrature", keep_posteriors=keep)
        for keep in (False, True)
    )
    pair = ("knn", "svm")
    with pytest.raises(bc.InputError, match="keep_posteriors=True"):
        light.comparisons["accuracy"].posterior(*pair)
    comparisons = kept.comparisons["accuracy"]
    assert comparisons.posterior(*pair) is comparisons[pair].posterior
