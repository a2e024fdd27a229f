"""Read-only results, copies without caches, and printing without inference."""

from __future__ import annotations

import gc
import pickle
import weakref
from contextlib import suppress
from copy import copy, deepcopy
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pandas as pd
import pytest

import bayescmp as bc
from bayescmp.base.records import Record, without_caches
from tests.rows import each_row


@pytest.fixture(scope="module")
def x():
    return np.random.default_rng(3).normal(0.01, 0.02, (8, 10))


def fitted(x):
    return bc.bayesian.hierarchical_t(x, rho=0.1, rope=0.01, engine="quadrature", seed=1)


def test_a_verdict_lets_its_posterior_go(x):
    posterior = fitted(x)
    verdict = posterior.verdict()
    held = weakref.ref(posterior.fit.density)
    whole, saved = verdict.explain("paper"), pickle.dumps(verdict)
    del posterior
    gc.collect()
    assert held() is None
    assert pickle.loads(saved) == verdict
    assert verdict.explain("paper") == whole


def test_printing_starts_no_inference(x, monkeypatch):
    """Everything that a printed answer needs is computed with the verdict."""
    from bayescmp.engines.quadrature import posterior as engine

    posterior = fitted(x)
    verdict = posterior.verdict()
    assert verdict.decision == "undecided"
    monkeypatch.setattr(engine, "draw_parameters", lambda *_: pytest.fail("draws"))
    monkeypatch.setattr(engine, "kite_shares", lambda *_: pytest.fail("integrates"))
    for result in (verdict, posterior):
        for written in (str(result), repr(result), result._repr_html_(), result.to_latex()):
            assert written
        for text in (result.explain(), result.explain("paper"), result.to_markdown()):
            assert text


def test_pairs_explain_what_is_open_without_another_fit(x, monkeypatch):
    from bayescmp.bayesian.hierarchical import answers

    table = pd.DataFrame(
        [
            {"dataset": d, "algorithm": a, "fold": k, "accuracy": 0.8 + (a == "b") * x[d, k]}
            for d in range(len(x))
            for a in "ab"
            for k in range(x.shape[1])
        ]
    )
    pairs = bc.compare_all(
        table, rope=0.01, seed=1, engine="quadrature", n_jobs=1, keep_posteriors=True
    )
    assert pairs.results["a", "b"].verdict.decision == "undecided"
    monkeypatch.setattr(answers, "solve_problem", lambda *_: pytest.fail("another fit"))
    assert pairs.results["a", "b"].verdict.cause in pairs.explain("paper")


class _Table:
    def __init__(self, numbers):
        self.numbers = numbers

    def __getstate__(self):
        return without_caches(self)

    @cached_property
    def total(self):
        return sum(self.numbers)


def test_a_posterior_that_was_asked_and_sent_answers_other_questions():
    posterior = bc.bayesian.bootstrap(np.random.default_rng(1).normal(size=(9, 3)), rope=0.1)
    own, wide = posterior.verdicts(), posterior.ranking(rope=0.5)
    sent = pickle.loads(pickle.dumps(posterior))
    assert sent.verdicts() == own
    pd.testing.assert_frame_equal(sent.ranking(rope=0.5), wide)


def test_what_was_computed_does_not_travel():
    table = _Table([1, 2])
    assert table.total == 3
    for other in (copy(table), deepcopy(table), pickle.loads(pickle.dumps(table))):
        assert vars(other) == {"numbers": [1, 2]}
        assert other.total == 3
    assert vars(table) == {"numbers": [1, 2], "total": 3}


# Results in which nothing can be assigned.

X = np.array([0.01, 0.03, 0.02, 0.0, 0.05, 0.02])
TABLE = np.random.default_rng(0).random((8, 3))


def _of_blocks():
    return bc.Blocks(np.random.default_rng(1).random((3, 8, 2)), metrics=["f1", "auc"], rho=0.1)


RESULTS = {
    "a verdict": lambda: bc.bayesian.correlated_t(X, rho=0.1, rope=0.01).verdict(),
    "a correlated t": lambda: bc.bayesian.correlated_t(X, rho=0.1, rope=0.01),
    "a hierarchical t": lambda: bc.bayesian.hierarchical_t(
        [X, -X], rho=0.1, rope=0.01, engine="quadrature", seed=1
    ),
    "a signed rank": lambda: bc.bayesian.signed_rank(X, rope=0.01, draws=100, seed=1),
    "a bootstrap": lambda: bc.bayesian.bootstrap(TABLE, rope=0.01, draws=100, seed=1),
    "groups": lambda: bc.bayesian.groups(_of_blocks(), rope=0.01),
    "a multivariate t": lambda: bc.bayesian.multivariate_t(_of_blocks().pair(0, 1), rope=0.01),
    "proportions": lambda: bc.bayesian.paired_proportions([[5, 2], [1, 7]], rope=0.1, seed=1),
    "clusters": lambda: bc.bayesian.cluster_bootstrap(
        [*X, *X], clusters=[*range(6), *range(6)], rope=0.1, seed=1
    ),
    "nemenyi": lambda: bc.frequentist.nemenyi(TABLE),
    "average ranks": lambda: bc.frequentist.average_ranks(TABLE),
    "wins": lambda: bc.frequentist.WinsTable.from_counts([[0, 5], [1, 0]], 8),
    "anova": lambda: bc.frequentist.anova(TABLE.T),
    "hotelling": lambda: bc.frequentist.hotelling_paired(_of_blocks().pair(0, 1)),
    "manova": lambda: bc.frequentist.manova(_of_blocks()),
    "all pairs": lambda: bc.compare_all(_scores(), rope=0.01, seed=1, test="sign", progress=False),
}


def _scores():
    frame = pd.DataFrame(TABLE, index=[f"d{i}" for i in range(8)], columns=["a", "b", "c"])
    return bc.Scores.from_means(frame, metric="accuracy")


def _kept(result):
    """Arrays and mappings of its fields, and those that its public properties give twice."""
    records = [v for v in vars(result).values() if isinstance(v, Record)]
    for one in (result, *records):
        yield from ((n, v) for n, v in vars(one).items() if not n.startswith("_"))
    for name in dir(type(result)):
        if not name.startswith("_") and isinstance(getattr(type(result), name), property):
            with suppress(Exception):  # of another number of metrics, say
                value, again = getattr(result, name), getattr(result, name)
                if value is again or _shared(value, again):
                    yield name, value


def _shared(value, again):
    return isinstance(value, np.ndarray) and np.shares_memory(value, again)


def _inside(result):
    for name, value in _kept(result):
        parts = value.values() if isinstance(value, dict) else value
        several = parts if isinstance(value, dict | tuple | list) else ()
        yield from ((name, v) for v in (value, *several) if isinstance(v, np.ndarray))


@each_row("make", RESULTS.values(), ids=RESULTS)
def test_nothing_in_a_frozen_result_can_be_assigned(make):
    result = make()
    for one in (result, copy(result), deepcopy(result), pickle.loads(pickle.dumps(result))):
        with pytest.raises(AttributeError):
            setattr(one, next(iter(vars(one))), None)
        inside = list(_inside(one))
        assert inside or isinstance(one, bc.Verdict)  # which has no arrays
        for name, value in inside:
            assert not value.flags.writeable, name


def test_what_the_user_gave_can_still_be_changed():
    @dataclass(frozen=True)
    class Ranks(Record):
        mean: np.ndarray
        by_name: dict

    mean, by_name = np.ones(2), {"a": np.ones(1)}
    ranks = Ranks(mean, by_name)
    mean[0], by_name["b"] = 2, 3
    assert mean.flags.writeable
    assert not ranks.mean.flags.writeable
    assert set(ranks.by_name) == {"a"}
