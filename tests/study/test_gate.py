"""Pass, fail or undecided: what a gate says, by what, and that it has no truth of its own."""

from __future__ import annotations

import json
import re
from math import inf
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import bayescmp as bc
from bayescmp.errors import InputError
from bayescmp.study.gate import ALL, MORE_DATA_SETS, NOT_JOINT
from tests.rows import each_row

S = {"seed": 1, "engine": "quadrature"}
GUIDE = Path(__file__).parents[2] / "docs" / "guide" / "gate.md"


@pytest.fixture(scope="module")
def scores():
    return bc.Scores.read("examples/data/scores.csv")


def answers(lost, gained, n):
    """Questions of which the new model lost and gained so many."""
    first = np.r_[np.ones(lost), np.zeros(gained), np.ones(n - lost - gained)]
    second = np.r_[np.zeros(lost), np.ones(gained), np.ones(n - lost - gained)]
    parts = {"old": first, "new": second}
    return bc.Items(
        pd.concat(
            pd.DataFrame({"model": m, "benchmark": "b", "item": range(n), "correct": c})
            for m, c in parts.items()
        )
    )


@each_row("sequential", [False, True])
def test_another_metric_than_that_of_the_scores_is_refused(sequential):
    """It would stand beside probabilities of accuracy."""
    d = bc.Differences([[0.1, 0.2, 0.1]], rho=0.0, names=("old", "new"), metric="accuracy")
    for given in (answers(3, 5, 40), d):
        for metric in ("f1", ["accuracy", "f1"]):
            with pytest.raises(bc.InputError, match=r"metric must be 'accuracy', by"):
                bc.gate(given, "old", "new", metric, margin=0.1, sequential=sequential)


def test_the_probability_is_that_of_a_one_sided_rope(scores):
    verdict = bc.compare(scores, "knn", "gbm", "accuracy", (-0.01, inf), **S).verdict()
    for given, on, part in (
        ({"on": "mean"}, "mean", verdict.location),
        ({}, "next", verdict.expected),
    ):
        result = bc.gate(scores, "knn", "gbm", "accuracy", 0.01, **given, **S)
        (check,) = result.checks
        assert (result.on, check.p) == (on, part["rope"])


def test_on_one_data_set_it_is_one_minus_the_p_value_of_non_inferiority():
    x = bc.Differences([0.01, 0.03, -0.02, 0.02, 0.0], rho=0.2, names=("v1", "v2"))
    scale = np.sqrt((1 / 5 + 0.25) * np.var(x.x[0], ddof=1))  # Nadeau & Bengio 2003
    p = stats.t.sf((-0.01 - np.mean(x.x[0])) / scale, 4)
    result = bc.gate(x, margin=0.01)
    assert result.checks[0].p == pytest.approx(p, abs=1e-12)
    assert (result.on, result.baseline, result.candidates) == ("mean", "v1", ("v2",))


def test_three_outcomes_of_questions():
    """Dirichlet(1/2, ...) of the cells: P(gained − lost > −0.02) by draws."""
    for lost, gained, outcome in ((10, 30, "pass"), (60, 10, "fail"), (25, 20, "undecided")):
        result = bc.gate(answers(lost, gained, 400), "old", "new", margin=0.02)
        w = np.random.default_rng(1).dirichlet(
            [lost + 0.5, gained + 0.5, 401 - lost - gained], 10**6
        )
        share = np.mean(w[:, 1] - w[:, 0] > -0.02)
        assert result.checks[0].p == pytest.approx(share, abs=2e-3)
        assert (result.outcome, result.passed) == (outcome, outcome == "pass")
        assert result.on == "mean"


def test_it_has_no_truth():
    result = bc.gate(answers(25, 20, 400), "old", "new", margin=0.02)
    with pytest.raises(TypeError, match=r"use \.passed"):
        bool(result)


def test_lower_is_better():
    frame = pd.DataFrame(
        [
            ("d", name, fold, value + 0.001 * fold)
            for name, value in (("old", 10.0), ("new", 10.2))
            for fold in range(5)
        ],
        columns=["dataset", "algorithm", "fold", "rmse"],
    )
    frame.loc[frame["fold"] == 2, "rmse"] += np.array([0.01, 0.0])
    assert bc.gate(frame, "old", "new", margin=0.5).passed
    assert bc.gate(frame, "old", "new", margin=0.1).outcome == "fail"
    assert bc.gate(frame, "new", "old", margin=0.0).passed


def test_what_would_settle_it(scores):
    x = np.random.default_rng(3).normal(0, 0.02, 60)
    x += 0.003 - 0.01 - x.mean()  # above the margin by a little
    few = bc.gate(bc.Differences(x, rho=0.0), margin=0.01)
    factor = float(re.search(r"about ([\d.]+) times", few.explain())[1])
    for times, passed in ((1.1, True), (0.8, False)):
        more = np.resize(x, round(60 * factor * times))
        more += x.mean() - more.mean()
        assert bc.gate(bc.Differences(more, rho=0.0), margin=0.01).passed is passed
    at = bc.gate(bc.Differences(x - 0.003, rho=0.0), margin=0.01)
    assert "is at the margin" in at.explain()
    x = np.random.default_rng(3).normal(0, 0.02, 20)
    x += 0.01 - x.mean()  # of folds, which share training data: 1/n + ρ/(1 − ρ) has a floor
    for rho, margin, enough in ((0.02, 0.0, True), (0.1, 0.0, False)):
        text = bc.gate(bc.Differences(x, rho=rho), margin=margin).explain()
        match = re.search(r"about ([\d.]+) times as many folds", text)
        assert (match is not None) == enough
        assert ("More folds would not settle this" in text) != enough
        factor = float(match[1]) if match else 100
        for times, passed in ((1.15, enough), (0.8, False)):
            more = np.resize(x, round(20 * factor * times))
            more = 0.01 + (more - more.mean()) * x.std(ddof=1) / more.std(ddof=1)
            assert bc.gate(bc.Differences(more, rho=rho), margin=margin).passed is passed
    text = bc.gate(scores, "knn", "gbm", "accuracy", 0.01, **S).explain()
    assert "However many there are, the probability on a new data set stays" in text


@pytest.mark.slow
def test_so_many_more_data_sets_settle_it_as_often_as_told():
    """Data sets drawn from the model at draws of its parameters, and the mean's own verdict."""
    rng = np.random.default_rng(4)
    x = rng.normal(rng.normal(0.0, 0.012, (7, 1)), 0.02, (7, 10))
    text = bc.gate(bc.Differences(x, rho=0.1), margin=0.01, on="mean", **S).explain()
    match = re.search(r"about (\d+) times as many data sets, .* decision is ([\d.]+) \(pass", text)
    times, chance = int(match[1]), float(match[2])
    fit = bc.bayesian.hierarchical_t(x, rho=0.1, rope=(-0.01, np.inf), engine="quadrature", seed=2)
    draws = {name: np.asarray(v).reshape(-1, *v.shape[2:]) for name, v in fit.draws.items()}
    settled = []
    for k in rng.choice(len(draws["nu"]), 120, replace=False):
        size = 7 * (times - 1)
        t = draws["delta0"][k] + draws["sigma0"][k] * rng.standard_t(draws["nu"][k], (size, 1))
        sigma = rng.choice(draws["sigma"][k], (size, 1))
        shared, own = rng.normal(size=(size, 1)), rng.normal(size=(size, 10))
        new = t + sigma * (np.sqrt(0.1) * shared + np.sqrt(0.9) * own)
        later = bc.bayesian.hierarchical_t(
            np.vstack([x, new]), rho=0.1, rope=(-0.01, np.inf), engine="quadrature", seed=1
        )
        settled.append(max(later.verdict().location.values()) >= 0.95)
    error = np.sqrt(chance * (1 - chance) * (1 / 100 + 1 / 120))
    assert 0.1 < chance < 0.97
    assert np.mean(settled) == pytest.approx(chance, abs=3 * error)


def test_of_the_next_data_set_the_limit_is_told():
    """By the mass within the margin at draws of the parameters, which ever more data show."""
    rng = np.random.default_rng(4)
    shares, words = {}, {"unit": "data set", "threshold": 0.95, "mean": "on='mean'"}
    for spread in (0.002, 0.005, 0.008, 0.010, 0.012, 0.015, 0.02):
        x = rng.normal(rng.normal(0.0, spread, (6, 1)), 0.02, (6, 10))
        check = bc.gate(bc.Differences(x, rho=0.1), margin=0.01, **S).checks[0]
        assert check.outcome == "undecided"
        fit = bc.bayesian.hierarchical_t(x, rho=0.1, rope=0, engine="quadrature", seed=1)
        delta0, sigma0, nu = (np.ravel(fit.draws[k]) for k in ("delta0", "sigma0", "nu"))
        worse = stats.t.cdf((-0.01 - delta0) / sigma0, nu)
        settled = np.mean(np.maximum(worse, 1 - worse) >= 0.95)
        shares.setdefault(check.settling, []).append(settled)
    never, rather, settled = (
        shares.pop(MORE_DATA_SETS[kind].format(**words))
        for kind in ("never", "hardly", "probably")
    )
    assert not shares
    assert max(never) < 0.03 < np.median(rather)
    assert max(rather) < 0.52
    assert min(settled) > 0.48


def test_so_many_more_questions_settle_it_as_often_as_told():
    """Answers drawn by the Dirichlet of those at hand; δ as normal, by a Dirichlet's moments."""
    lost, gained = (28, 20)
    text = bc.gate(answers(lost, gained, 400), "old", "new", margin=0.02).explain()
    match = re.search(
        r"about ([\d.]+) times.* probability of a decision is ([\d.]+) "
        r"\(pass ([\d.]+), fail ([\d.]+)\)",
        text,
    )
    factor, decided, passes, fails = map(float, match.groups())
    assert 0.8 <= decided < 0.83
    alpha = np.array([lost + 0.5, gained + 0.5, 401 - lost - gained])
    rng = np.random.default_rng(5)
    further = round(400 * (factor - 1))
    made = alpha + [rng.multinomial(further, w) for w in rng.dirichlet(alpha, 20_000)]
    total = made.sum(axis=1)
    share = made / total[:, None]
    mean = share[:, 1] - share[:, 0]
    sd = np.sqrt((share[:, 0] + share[:, 1] - mean**2) / (total + 1))
    p = stats.norm.sf((-0.02 - mean) / sd)
    assert np.mean(p >= 0.95) == pytest.approx(passes, abs=0.03)
    assert np.mean(p <= 0.05) == pytest.approx(fails, abs=0.03)


def test_beyond_what_is_affordable_the_chance_is_told():
    text = bc.gate(answers(28, 20, 400), "old", "new", margin=0.02, threshold=0.999).explain()
    assert float(re.search(r"100 times .* probability of a decision is ([\d.]+)", text)[1]) < 0.8


def test_several_metrics_are_asked_at_once(scores):
    one = scores.select(datasets=[scores.datasets[0]])
    margins = {"accuracy": 0.01, "auc": 0.02}
    result = bc.gate(one, "knn", "svm", list(margins), margins, seed=1)
    by = {check.metric: check for check in result.checks}
    assert list(by) == ["accuracy", "auc", ALL]
    assert by["auc"].margin == 0.02
    asked = bc.gate(one, "knn", "svm", list(margins), margins.values(), seed=1)
    assert asked.to_dict() == result.to_dict()
    assert str(result).count(" to ") == 2  # the interval of each metric, and none of both
    alone = bc.gate(one, "knn", "svm", "accuracy", 0.01, seed=1).checks[0]
    assert by["accuracy"].p == alone.p
    assert by["accuracy"].p + by["auc"].p - 1 - 1e-3 <= by[ALL].p
    assert by[ALL].p <= min(by["accuracy"].p, by["auc"].p) + 1e-3
    assert result.outcome == by[ALL].outcome
    failing = bc.gate(one, "svm", "knn", list(margins), {"accuracy": "50%", "auc": 0.0}, seed=1)
    outcomes = [check.outcome for check in failing.checks]
    assert failing.outcome == ("fail" if "fail" in outcomes else outcomes[-1])


def test_of_all_metrics_at_once_it_is_told_what_would_settle_it(scores):
    margins = {"accuracy": 0.01, "auc": 0.02}
    result = bc.gate(scores, "knn", "gbm", list(margins), margins, seed=1)
    assert result.checks[-1].metric == ALL
    assert (
        "However many there are, the probability on a new data set stays"
        in result.checks[-1].settling
    )


def test_several_candidates_are_no_joint_statement(scores):
    result = bc.gate(scores, "knn", ["svm", "gbm"], "accuracy", 0.01, **S)
    assert [result.outcome_of(c) for c in ("svm", "gbm")] == ["pass", "undecided"]
    assert result.outcome == "undecided"
    assert NOT_JOINT in result.notes
    assert "compared with the baseline separately" in " ".join(str(result).split())
    with pytest.raises(InputError, match="candidate"):
        result.outcome_of("nb")


def test_forms(scores):
    result = bc.gate(scores, "knn", "gbm", "accuracy", 0.01, **S)
    read = json.loads(json.dumps(result.to_dict(), allow_nan=False))
    assert (read["outcome"], read["passed"]) == ("undecided", False)
    assert read["checks"][0]["not_worse"] == result.checks[0].p
    suite = ElementTree.fromstring(result.to_junit())
    assert (suite.get("tests"), suite.get("failures"), suite.get("errors")) == ("1", "0", "1")
    assert suite.find("testcase/error").get("type") == "undecided"
    failed = bc.gate(answers(60, 10, 400), "old", "new", margin=0.02)
    assert ElementTree.fromstring(failed.to_junit()).find("testcase/failure") is not None
    assert "**fail: new is practically worse than old**" in failed.to_markdown()
    assert failed.to_markdown().count("| 0.02 |") == 1  # its margin
    assert max(map(len, str(result).splitlines())) <= 80


@each_row(
    ("change", "message"),
    [
        ({"margin": -0.1}, "margin must be"),
        (
            {"margin": (-0.1, 0.2)},
            "margin must be one number for all, or one for each of accuracy",
        ),
        ({"margin": {"auc": 0.1}}, "metric of margin"),
        ({"baseline": None}, "baseline must be given"),
        ({"candidate": ["svm", "svm"]}, "candidate must have different names"),
        ({"rope": 0.01}, "rope must be left out. Give margin"),
        ({"on": "median"}, "on"),
    ],
)
def test_refused(scores, change, message):
    asked = {"baseline": "knn", "candidate": "svm", "metric": "accuracy", "margin": 0.01, **change}
    with pytest.raises(InputError, match=message):
        bc.gate(scores, **asked)


def test_on_what_there_is_not(scores):
    with pytest.raises(InputError, match="on must be 'mean'"):
        bc.gate(answers(3, 3, 50), "old", "new", margin=0.05, on="next")
    with pytest.raises(InputError, match="on must be 'next'"):
        bc.gate(scores, "knn", "svm", "accuracy", 0.01, on="mean", test="sign")
    assert bc.gate(scores, "knn", "svm", "accuracy", 0.01, on="next", test="sign").passed


def shuffled(lost, gained, n, seed=1):
    """Differences of the questions in random order."""
    d = np.r_[-np.ones(lost), np.ones(gained), np.zeros(n - lost - gained)]
    return np.random.default_rng(seed).permutation(d)


def items_of(d):
    first, second = (d < 0).astype(int), (d > 0).astype(int)
    columns = ["model", "item", "correct"]
    rows = [("old", f"q{i}", c) for i, c in enumerate(first)]
    rows += [("new", f"q{i}", c) for i, c in enumerate(second)]
    return bc.Items(pd.DataFrame(rows, columns=columns).assign(benchmark="b"))


@each_row(
    ("lost", "gained", "outcome"), [(20, 60, "pass"), (120, 20, "fail"), (30, 25, "undecided")]
)
def test_sequential_stops_where_the_sequence_leaves_the_margin(lost, gained, outcome):
    """Each side has the whole of 1 - threshold: a sequence of 90%."""
    d = shuffled(lost, gained, 500)
    result = bc.gate(items_of(d), "old", "new", margin=0.02, sequential=True)
    (check,) = result.checks
    sequence = bc.frequentist.confidence_sequence(d, alpha=0.1)
    assert (result.outcome, result.on) == (outcome, "mean")
    assert check.settled_after == sequence.left_at(-0.02)
    at = (check.settled_after or 500) - 1
    assert check.interval == pytest.approx((sequence.low[at], sequence.high[at]), abs=1e-9)
    assert check.estimate == pytest.approx(d[: at + 1].mean())
    assert {"pass": check.interval[0] > -0.02, "fail": check.interval[1] < -0.02}.get(
        outcome, True
    )
    read = json.loads(json.dumps(result.to_dict(), allow_nan=False))["checks"][0]
    assert (read["not_worse"], read["settled_after"]) == (None, check.settled_after)
    assert ("Continue with more questions." in result.explain()) == (outcome == "undecided")
    assert ElementTree.fromstring(result.to_junit()).get("errors") == str(
        int(outcome == "undecided")
    )
    after = r"\-" if outcome == "undecided" else check.settled_after
    assert result.to_markdown().count(f"| {after} | {outcome} |") == 1
    assert max(map(len, str(result).splitlines())) <= 80


def test_sequential_keeps_the_order_and_what_was_settled():
    d = shuffled(20, 60, 500)
    first = bc.gate(items_of(d), "old", "new", margin=0.02, sequential=True).checks[0]
    longer = np.r_[d, -np.ones(500)]  # all that came later was lost
    later = bc.gate(items_of(longer), "old", "new", margin=0.02, sequential=True)
    assert later.passed
    assert later.checks[0].settled_after == first.settled_after


def test_sequential_of_differences_and_several_candidates():
    d = shuffled(20, 60, 500)
    x = bc.Differences([d], rho=0.0, names=("old", "new"))
    result = bc.gate(x, margin=0.02, sequential=True, bounds=(-1, 1))
    assert result.outcome == "pass"
    parts = {"old": d < 0, "new": d > 0, "worse": d < -1}
    rows = [(name, i, int(c)) for name, right in parts.items() for i, c in enumerate(right)]
    table = bc.Items(
        pd.DataFrame(rows, columns=["model", "item", "correct"]).assign(benchmark="b")
    )
    several = bc.gate(table, "old", ["new", "worse"], margin=0.02, sequential=True)
    assert NOT_JOINT in several.notes
    assert several.outcome_of("new") == "pass"


@each_row(
    ("change", "message"),
    [
        ({"on": "next"}, "on must be 'mean'"),
        ({"threshold": 1.0}, "below 1"),
        (
            {"test": "cluster_bootstrap"},
            "test must be left out with sequential=True, which has no",
        ),
        ({"bounds": (-0.1, 0.1)}, "bounds must contain every difference"),
    ],
)
def test_sequential_refuses(change, message):
    asked = {"margin": 0.02, "sequential": True, **change}
    with pytest.raises(InputError, match=message):
        bc.gate(items_of(shuffled(5, 5, 50)), "old", "new", **asked)


def test_sequential_refuses_what_is_in_no_random_order(scores):
    with pytest.raises(InputError, match=r"[Tt]raining sets of folds overlap"):
        bc.gate(scores, "knn", "svm", "accuracy", 0.01, sequential=True)
    with pytest.raises(InputError, match="one metric"):
        bc.gate(scores, "knn", "svm", ["accuracy", "auc"], 0.01, sequential=True)
    d = shuffled(5, 5, 50)
    parts = {"old": d < 0, "new": d > 0}
    rows = [(m, i // 5, i, int(c)) for m, right in parts.items() for i, c in enumerate(right)]
    clustered = bc.Items(
        pd.DataFrame(rows, columns=["model", "cluster", "item", "correct"]).assign(benchmark="b")
    )
    with pytest.raises(InputError, match="in clusters"):
        bc.gate(clustered, "old", "new", margin=0.02, sequential=True)
    with pytest.raises(InputError, match="bounds"):
        bc.gate(bc.Differences([0.1, 0.2, 0.3], rho=0.0), margin=0.02, sequential=True)


def test_percent(scores):
    share = bc.gate(scores, "knn", "svm", "accuracy", "1%", **S)
    assert share.checks[0].margin == pytest.approx(0.01)


def test_ratios_are_told_in_percent(scores):
    result = bc.gate(scores, "knn", "svm", "accuracy", 0.02, scale="log_ratio", **S)
    check, text = result.checks[0], str(result)
    less = -100 * np.expm1(-0.02)
    assert f"worse than knn by more than {less:.2g}% in accuracy" in " ".join(text.split())
    ends = [f"{100 * np.expm1(v):.1f}%" for v in (check.estimate, *check.interval)]
    assert "{} ({} to {})".format(*ends) in text


def test_ratios_of_errors_are_changes_of_the_error(scores):
    """A margin of 10% is an error 1.1 times as large; a difference -d makes it exp(d) as large."""
    frame = scores.frame.assign(rmse=lambda t: 2 - t["accuracy"])
    errors = bc.Scores(frame[["dataset", "algorithm", "repeat", "fold", "rmse"]])
    result = bc.gate(errors, "svm", "knn", "rmse", "10%", scale="log_ratio", **S)
    check, text = result.checks[0], " ".join(str(result).split())
    assert check.margin == pytest.approx(np.log(1.1))
    assert "worse than svm by more than 10% in rmse" in text
    ends = [100 * (1 - np.exp(-v)) for v in (check.estimate, *check.interval)]
    assert "{} ({} to {})".format(*(f"{end:.1f}%".replace("-", "−") for end in ends)) in text


@each_row(
    ("names", "prior"),
    [("svm", "σ0 ~ U(0,"), (["svm", "gbm"], "corani2017, with bounds taken from each pair's")],
)
def test_methods_have_the_prior(scores, names, prior):
    assert prior in bc.gate(scores, "knn", names, "accuracy", 0.01, **S).explain("paper")


def test_the_pytest_lines_of_the_guide():
    (block,) = re.findall(r"```python\n# test_model.py\n(.*?)```", GUIDE.read_text(), re.DOTALL)
    space: dict[str, object] = {}
    exec(block, space)  # what the reader copies
    space["test_the_candidate_is_not_worse"]()


# Margins that are mostly meant in percent.


def test_a_margin_of_a_tenth_of_the_range_is_refused_unless_its_unit_is_written(scores):
    """0.5 of an accuracy was meant as half a percentage point; the hint works as it is typed."""
    asked = (scores, "knn", "gbm", "accuracy")
    with pytest.raises(bc.InputError, match=r"below 0\.1.* \(got 0\.5\)") as refused:
        bc.gate(*asked, margin=0.5)
    for hint in re.findall(r"write (\S+) or ([\d.]+%);.*write ([\d.]+%)", str(refused.value))[0]:
        margin = hint if hint.endswith("%") else float(hint)
        assert bc.gate(*asked, margin=margin, seed=1).checks[0].margin == pytest.approx(
            float(hint.rstrip("%")) / (100 if hint.endswith("%") else 1)
        )
    with pytest.warns(bc.DiagnosticWarning, match="for half a percentage point write 0.005"):
        bc.compare(*asked, rope=0.1, seed=1)


def test_the_reason_is_the_margin_only_if_independent_runs_could_not_settle_it_either():
    """The same differences, 0.004 above the margin: runs settle it, overlapping folds never do."""
    x = np.random.default_rng(3).normal(0, 0.02, 20)
    x += 0.004 - x.mean()
    runs = bc.gate(bc.Differences(x, rho=0.0), margin=0.0).explain()
    assert re.search(r"about [\d.]+ times as many folds the check would pass", runs)
    for rho in (0.5, 0.9):
        text = bc.gate(bc.Differences(x, rho=rho), margin=0.0).explain()
        assert "because folds share their training data" in text
    x -= 0.004
    at = bc.gate(bc.Differences(x, rho=0.9), margin=0.0).explain()
    assert "is at the margin" in at
