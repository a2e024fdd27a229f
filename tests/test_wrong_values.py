"""Whatever somebody hands in by mistake, the package answers, or refuses it in its own words."""

from __future__ import annotations

import inspect
import warnings
from functools import cache

import matplotlib.pyplot as plt
import pytest

from bayescmp.errors import EngineError, InputError
from tests.wrong import WRONG, Call, call_in_examples, public

#: What takes long in the examples, and is as good with less.
QUICKER = {
    "plan": {"simulations": 1, "datasets": [3]},
    "calibrate": {"simulations": 1, "datasets": [3]},
    "frequentist.permutation_test": {"n": 3},
    "crosscheck": {"keep_posteriors": False},
}
#: Of all kinds, so many are tried for each argument in the fast suite.
TRIED = 3
#: Not tried: processes on all cores, and what other rooms give.
UNTRIED = {
    ("frequentist.permutation_test", "n_jobs"),
    ("plan", "n_jobs"),
    *(("catalogue.bayesian_test", name) for name in ("among", "what", "more")),
}


#: Where a function of the user's own is accepted, and called as it is.
CALLED = {("bayesian.confusion", "metric")}


@cache
def _call(name: str) -> Call | None:
    call = call_in_examples(name, dict(public())[name])
    return call and call.quicker(QUICKER.get(name, {}))


def _refusal(call: Call, argument: str, kind: str) -> str:
    """What is wrong with how the package takes a wrong value; nothing if it is right."""
    try:
        call.with_wrong(argument, WRONG[kind])
    except (InputError, EngineError) as error:
        message = str(error)
        return f"several lines: {message}" if "\n" in message or not message else ""
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    return ""


def _wrong(name: str, offset: int, step: int) -> list[str]:
    call = _call(name)
    if call is None:
        return []
    wrong = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for i, (argument, own) in enumerate(call.arguments.items()):
            for kind in list(WRONG)[(offset + i) % step :: step]:
                theirs = (name, argument) in CALLED and callable(WRONG[kind])
                if WRONG[kind] is own or theirs or (name, argument) in UNTRIED:
                    continue
                if fault := _refusal(call, argument, kind):
                    wrong.append(f"{argument} = {kind}: {fault}")
    plt.close("all")
    return wrong


NAMES = [name for name, _ in public()]


@pytest.mark.usefixtures("without_cmdstan")
@pytest.mark.parametrize("name", NAMES)
def test_a_wrong_value_is_refused_in_one_line(name, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    assert _wrong(name, NAMES.index(name), len(WRONG) // TRIED) == []


@pytest.mark.slow
@pytest.mark.usefixtures("without_cmdstan")
@pytest.mark.parametrize("name", NAMES)
def test_every_wrong_value_is_refused_in_one_line(name, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    assert _wrong(name, 0, 1) == []


def test_functions_are_called_as_their_examples_do():
    """Every public function has an example that calls it, which is what is tried."""
    functions = [name for name, thing in public() if inspect.isfunction(thing)]
    assert [name for name in functions if _call(name) is None] == ["engines.register"]
