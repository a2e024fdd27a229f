"""Fields that wait until they are read: computed once, compared and saved like others."""

from __future__ import annotations

import gc
import pickle
import weakref
from copy import copy, deepcopy
from dataclasses import asdict, dataclass, replace
from functools import cached_property, partial

import numpy as np
import pandas as pd
import pytest

import bayescmp as bc
from bayescmp.deferred import Deferred, Kept, Lean, changed, computed

CALLS = []


def counted(value):
    CALLS.append(value)
    return value


@pytest.fixture(autouse=True)
def none_yet():
    CALLS.clear()


@dataclass(frozen=True)
class Result:
    name: str
    value: Deferred[int] = Deferred(0)


def test_a_function_is_called_once_and_only_when_it_is_read():
    result = Result("a", partial(counted, 3))
    assert not CALLS
    assert (result.value, result.value) == (3, 3)
    assert CALLS == [3]
    assert Result("a").value == 0


def test_it_compares_prints_and_saves_like_a_value():
    def fresh():
        return Result("a", partial(counted, 3))

    assert fresh() == Result("a", 3)
    assert repr(fresh()) == repr(Result("a", 3))
    assert asdict(fresh()) == {"name": "a", "value": 3}
    assert pickle.loads(pickle.dumps(fresh())) == Result("a", 3)


def test_a_changed_copy_still_waits_where_a_replaced_one_has_been_computed():
    result = Result("a", partial(counted, 3))
    copy = changed(result, name="b")
    assert not CALLS
    assert copy == Result("b", 3)
    assert replace(result, name="c") == Result("c", 3)


def test_named_fields_can_be_computed_ahead():
    result = computed(Result("a", partial(counted, 3)), "value")
    assert CALLS == [3]
    assert result == Result("a", 3)


def test_what_is_kept_holds_on_to_nothing():
    first = np.array([1])
    kept = Kept(first, partial(np.array, [2]))
    assert kept() is first
    assert pickle.loads(pickle.dumps(kept))() == [2]
    del first
    assert kept() == [2]


@pytest.fixture(scope="module")
def x():
    return np.random.default_rng(3).normal(0.01, 0.02, (8, 10))


def fitted(x):
    return bc.bayesian.hierarchical_t(x, rho=0.1, rope=0.01, engine="quadrature", seed=1)


def test_a_verdict_lets_its_posterior_go_and_has_the_same_to_say(x):
    posterior = fitted(x)
    verdict, other = posterior.verdict(), posterior.verdict()
    held = weakref.ref(posterior.fit.density)
    whole = verdict.explain()
    diagnostics, saved = posterior.diagnostics, pickle.dumps(other)
    del posterior
    gc.collect()
    assert held() is None
    assert (other.explain(), pickle.loads(saved)) == (whole, verdict)
    assert diagnostics.misfit == fitted(x).diagnostics.misfit


def test_nothing_is_drawn_for_a_verdict(x, monkeypatch):
    from bayescmp.engines.quadrature import posterior as engine

    monkeypatch.setattr(engine, "draw_parameters", lambda *_: pytest.fail("draws"))
    verdict = fitted(x).verdict().swapped()
    assert sum(verdict.expected.values()) == pytest.approx(1)


def test_pairs_explain_what_is_open_without_another_fit(x, monkeypatch):
    from bayescmp.bayesian.hierarchical import answers

    table = pd.DataFrame(
        [
            {"dataset": d, "algorithm": a, "fold": k, "accuracy": 0.8 + (a == "b") * x[d, k]}
            for d in range(len(x)) for a in "ab" for k in range(x.shape[1])
        ]
    )  # fmt: skip
    pairs = bc.compare_all(
        table, rope=0.01, seed=1, engine="quadrature", n_jobs=1, keep_posteriors=True
    )
    assert pairs.results["a", "b"].verdict.decision == "undecided"
    monkeypatch.setattr(answers, "solved", lambda *_: pytest.fail("another fit"))
    assert pairs.results["a", "b"].verdict.cause in pairs.explain()


class _Table(Lean):
    def __init__(self, numbers):
        self.numbers = numbers

    @cached_property
    def total(self):
        return sum(self.numbers)


def test_what_was_computed_does_not_travel():
    table = _Table([1, 2])
    assert table.total == 3
    for other in (copy(table), deepcopy(table), pickle.loads(pickle.dumps(table))):
        assert vars(other) == {"numbers": [1, 2]}
        assert other.total == 3
    assert vars(table) == {"numbers": [1, 2], "total": 3}
