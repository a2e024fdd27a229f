"""Whatever somebody hands in by mistake, the package answers, or refuses it in its own words."""

from __future__ import annotations

import ast
import doctest
import inspect
import re
import tempfile
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from enum import Enum
from functools import cache
from itertools import combinations
from pathlib import Path
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest

import bayescmp as bc
from bayescmp import bayesian, curves, frequentist, plots
from bayescmp.catalogue import bayesian_test, frequentist_test, title, twins_of
from bayescmp.errors import EngineError, InputError
from bayescmp.results.posterior import Fitted
from tests.reference.printed_results import moderated
from tests.rows import each_row
from tests.test_docstrings import FOR_OTHER_PARTS


def _nested(depth: int) -> list:
    inner: list = []
    for _ in range(depth):
        inner = [inner]
    return inner


#: A value of each kind that somebody might hand in by mistake.
WRONG: dict[str, object] = {
    "None": None,
    "True": True,
    "0": 0,
    "-1": -1,
    "2.5": 2.5,
    "10**400": 10**400,
    "nan": np.nan,
    "inf": np.inf,
    "text": "text",
    "'10'": "10",
    "empty text": "",
    "lone surrogate": "\ud800",
    "bytes": b"text",
    "complex": 1j,
    "empty list": [],
    "texts": ["a", "b"],
    "flags": np.array([True, False]),
    "cube": np.zeros((2, 2, 2)),
    "huge in a list": [10**400, 1],
    "none in a list": [None, None],
    "nested": _nested(20),
    "dict": {"a": [1.0, 2.0]},
    "set": {1.0, 2.0},
    "DataFrame": pd.DataFrame({"a": [1.0, 2.0, 4.0], "b": [2.0, 3.0, 3.0]}, list("xyz")),
    "Series": pd.Series([0.1, 0.2, 0.4], list("xyz")),
    "object": object(),
    "class": Enum,
    "function": len,
    "date": pd.Timestamp("2020-01-01"),
}


@dataclass(frozen=True)
class Call:
    """A call that works, with each of its arguments under its name.

    Parameters
    ----------
    name : str
        What is called.
    function : callable
    arguments : dict
        By name, those that were left out at their default.
    """

    name: str
    function: Callable
    arguments: dict[str, object]

    def quicker(self, options: dict[str, object]) -> Call:
        """The same call with other values of some arguments."""
        return Call(self.name, self.function, {**self.arguments, **options})

    def with_wrong(self, argument: str, value: object) -> object:
        """What comes of it with another value of one argument."""
        given = {**self.arguments, argument: value}
        parameters = inspect.signature(self.function).parameters
        place, options = [], {k: v for k, v in given.items() if k not in parameters}
        for parameter in parameters.values():
            if parameter.name in given:
                if parameter.kind in (parameter.POSITIONAL_ONLY, parameter.POSITIONAL_OR_KEYWORD):
                    place.append(given[parameter.name])
                else:
                    options[parameter.name] = given[parameter.name]
        return self.function(*place, **options)


def public() -> Iterator[tuple[str, Callable]]:
    """Every public function and class that is called by users, under its public name."""
    seen: set[int] = set()
    for prefix, module in (
        ("", bc),
        ("bayesian.", bayesian),
        ("frequentist.", frequentist),
        ("plots.", plots),
        ("curves.", curves),
        ("sklearn.", bc.sklearn),
        ("engines.", bc.engines),
    ):
        for name in module.__all__:
            thing = getattr(module, name)
            if (inspect.isfunction(thing) or inspect.isclass(thing)) and id(thing) not in seen:
                seen.add(id(thing))
                yield f"{prefix}{name}", thing
    for thing in (bayesian_test, frequentist_test, title, twins_of):
        yield f"catalogue.{thing.__name__}", thing


def _table():
    rng = np.random.default_rng(7)
    rows = [
        (d, a, f, round(rng.uniform(0.7, 0.9), 3))
        for d in ("iris", "wine")
        for a in ("knn", "svm")
        for f in range(5)
    ]
    return pd.DataFrame(rows, columns=["dataset", "algorithm", "fold", "accuracy"])


def _by_hand() -> dict[str, dict[str, object]]:
    """Arguments of what is called in the examples of a whole module alone."""
    y, score = [0, 1, 0, 1], [0.1, 0.4, 0.5, 0.9]
    folds = {"y": y, "score": score}
    return {
        "Blocks": {"x": [[0.8, 0.9], [0.6, 0.7]], "metrics": ["f1"], "rho": 0.1},
        "Differences": {"x": [[0.1, 0.2, 0.1]], "rho": 0.1},
        "Scores": {"frame": _table()},
        "HierarchicalPrior": {},
        "bayesian.MultivariatePrior": {},
        "curves.auc_interval": {"auc": 0.8, "n_pos": 10, "n_neg": 20},
        "curves.auc_pr": folds,
        "curves.pr_curves": folds,
        "curves.roc_curves": folds,
        "curves.threshold_sweep": {"y": y, "probability": score},
        "catalogue.bayesian_test": {"name": "sign"},
        "catalogue.frequentist_test": {"name": "wilcoxon"},
        "catalogue.title": {"name": "sign"},
        "catalogue.twins_of": {"test": bayesian_test("sign")},
    }


class _FoundError(Exception):
    """Raised in place of the call that was looked for."""


class _Recorded(ast.NodeTransformer):
    """Every call of an example goes through ``_record``."""

    def visit_Call(self, node: ast.Call) -> ast.Call:
        self.generic_visit(node)
        call = ast.Call(ast.Name("_record", ast.Load()), [node.func, *node.args], node.keywords)
        return ast.copy_location(call, node)


def call_in_examples(name: str, thing: Callable) -> Call | None:
    """The first call of it in its own examples, or by hand; None if there is none."""
    calls: list[Call] = []
    if name in _by_hand():
        bound = inspect.signature(thing).bind(**_by_hand()[name])
        bound.apply_defaults()
        return Call(name, thing, bound.arguments)

    def record(function, /, *args, **options):
        if function is thing and not calls:
            signature = inspect.signature(thing)
            bound = signature.bind(*args, **options)
            bound.apply_defaults()
            various = (inspect.Parameter.VAR_KEYWORD, inspect.Parameter.VAR_POSITIONAL)
            kinds = {p.name: p.kind for p in signature.parameters.values()}
            given = {k: v for k, v in bound.arguments.items() if kinds[k] not in various}
            calls.append(Call(name, thing, given))
            raise _FoundError
        return function(*args, **options)

    space = {**vars(inspect.getmodule(thing)), "_record": record}
    for example in doctest.DocTestParser().get_examples(inspect.getdoc(thing) or ""):
        tree = _Recorded().visit(ast.parse(example.source))
        with suppress(_FoundError):
            exec(compile(ast.fix_missing_locations(tree), f"<{name}>", "exec"), space)
        if calls:
            break
    return calls[0] if calls else None


# Whatever somebody hands in by mistake, the package answers, or refuses it in its own words.


#: What takes long in the examples, and is as good with less.
QUICKER = {
    "plan": {"simulations": 1, "datasets": [3]},
    "calibrate": {"simulations": 1, "datasets": [3]},
    "frequentist.permutation_test": {"n": 3},
    "crosscheck": {"keep_posteriors": False},
    "bayesian.hierarchical_multivariate_t": {"engine": "fake", "draws": 100},
    "bayesian.joint_t": {
        "scores": np.random.default_rng(1).random((3, 5, 3)),
        "engine": "fake",
        "draws": 250,
    },
}
#: Of all kinds, so many are tried for each argument in the fast suite.
TRIED = 2
#: Not tried: processes on all cores, and what other rooms give.
UNTRIED = {*(("catalogue.bayesian_test", name) for name in ("among", "what", "more"))}


#: Where a function of the user's own is accepted, and called as it is.
CALLED = {("bayesian.confusion", "metric")}


@cache
def _call(name: str) -> Call | None:
    call = call_in_examples(name, dict(public())[name])
    return call and call.quicker(QUICKER.get(name, {}))


#: What an argument is, which a refusal may name instead: "algorithm must be 'a' or 'b'".
MEANS = {
    **dict.fromkeys(
        ("first", "second", "baseline", "candidate"),
        ("algorithm", "algorithms", "model", "difference", "counts", "first", "second"),
    ),
    **dict.fromkeys(("low", "high"), ("rope",)),
    **dict.fromkeys(("algorithms", "control", "names"), ("algorithm",)),
    **dict.fromkeys(("dataset", "datasets"), ("data set", "dataset")),
    **dict.fromkeys(("metrics", "univariate", "multivariate"), ("metric",)),
    **dict.fromkeys(("adjust", "threshold_adjust", "method"), ("adjustment", "method")),
    "models": ("model",),
    "metric": ("column", "metrics"),
    "name": ("engine", "test", "parameter"),
    "matrix": ("weights",),
    "path": ("cannot read",),
    **dict.fromkeys(("scores", "data"), ("source", "path", "frame", "counts", "a file of scores")),
    "resampling": ("rho", "folds"),
    "rhos": ("rho",),
    "source": ("cannot be read", "cannot read", "a file of scores"),
    "errors": ("frame",),
    "results": ("source", "cannot read", "path"),
    "benchmarks": ("benchmark",),
    "text": ("resampling",),
    "frame": ("table",),
    "losses": ("loss",),
}
#: How a refusal says what is accepted.
ACCEPTED = re.compile(
    r"\b(must|accepted|known|missing|needs?|needed|at least|use|used|give|name|leave|plot|have to|"
    r"nothing to|failed|exist|pass)\b",
    re.IGNORECASE,
)


def _refusal(call: Call, argument: str, kind: str) -> str:
    """What is wrong with how the package takes a wrong value; nothing if it is right."""
    try:
        call.with_wrong(argument, WRONG[kind])
    except EngineError as error:
        return "" if "\n" not in str(error) else f"several lines: {error}"
    except InputError as error:
        named = [w for a in call.arguments for w in (a, *MEANS.get(a, ()))]
        carried = error.argument in named
        return _fault(str(error), named) or ("" if carried else f"carries {error.argument}")
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    return ""


def _fault(message: str, named: list[str]) -> str:
    """What a refusal lacks; two arguments that do not fit may be refused by either's name."""
    if "\n" in message or len(message) > 1100:
        return f"several lines: {message}"
    if not re.search(rf"(?<![\w'])({'|'.join(map(re.escape, named))})(?!\w)", message):
        return f"names no argument: {message}"
    return "" if ACCEPTED.search(message) else f"does not say what is accepted: {message}"


def _wrong(call: Call | None, offset: int, step: int) -> list[str]:
    """What is wrong with how a call takes wrong values, every so manyth of them."""
    if call is None:
        return []
    name, wrong = call.name, []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for i, (argument, own) in enumerate(call.arguments.items()):
            for kind in list(WRONG)[(offset + i) % step :: step]:
                theirs = (name, argument) in CALLED and callable(WRONG[kind])
                untried = argument == "n_jobs" or (name, argument) in UNTRIED
                if WRONG[kind] is own or theirs or untried:
                    continue
                if fault := _refusal(call, argument, kind):
                    wrong.append(f"{argument} = {kind}: {fault}")
    plt.close("all")
    return wrong


def _is_called(name: str, thing: Callable) -> bool:
    """Whether there is a call of it, in its own examples or by hand; results are made by tests."""
    examples = inspect.getdoc(thing) or ""
    return inspect.isfunction(thing) or name in _by_hand() or f"{thing.__name__}(" in examples


NAMES = [name for name, thing in public() if _is_called(name, thing)]


def _flags(function: Callable) -> Iterator[tuple[str, bool]]:
    """Parameters that are True or False, and whether None is too."""
    for parameter in inspect.signature(function).parameters.values():
        if "bool" in (annotation := str(parameter.annotation)):
            yield parameter.name, "None" in annotation


@pytest.mark.usefixtures("without_cmdstan", "without_pictures", "fake")
@pytest.mark.parametrize("name", NAMES)
def test_a_wrong_value_is_refused_in_one_line(name, monkeypatch, tmp_path):
    """Also for what is True or False, and nothing else."""
    monkeypatch.chdir(tmp_path)
    call = _call(name)
    assert _wrong(call, NAMES.index(name), len(WRONG) // TRIED) == []
    for flag, optional in _flags(call.function) if call else ():
        for value in ("no", *(() if optional else (None,))):
            with pytest.raises(InputError, match=rf"{flag} must be True or False"):
                call.with_wrong(flag, value)


@pytest.mark.slow
@pytest.mark.usefixtures("without_cmdstan", "without_pictures", "fake")
@pytest.mark.parametrize("name", NAMES)
def test_every_wrong_value_is_refused_in_one_line(name, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    assert _wrong(_call(name), 0, 1) == []


def test_functions_are_called_as_their_examples_do():
    """Every public function has an example that calls it, which is what is tried."""
    functions = [name for name, thing in public() if inspect.isfunction(thing)]
    assert [name for name in functions if _call(name) is None] == ["engines.register"]


# Methods, of results as they come out of those calls.

SAVED = Path(__file__).parent / "reference" / "saved"
X_BLOCKS = np.random.default_rng(3).normal(0.7, 0.05, (3, 10, 2))


@cache
def _correlated() -> bayesian.CorrelatedPosterior:
    return bayesian.correlated_t([0.02, 0.04, 0.03, 0.03], rho=0.1, rope=0.01, seed=1)


#: How one comes about, where no function's return type names it, or another way is quicker.
#: What goes to a method where its defaults take long, or where others are right than elsewhere.
OF_METHODS: dict[str, dict[str, object]] = {
    "Differences.from_arrays": {"first": [[0.8, 0.9]], "second": [[0.7, 0.9]], "rho": 0.1},
    "Items.read": {"source": pd.DataFrame({"model": list("ab"), "item": 0, "score": [1, 0]})},
    "Means.read": {
        "source": pd.DataFrame({"model": ["a", "b"], "accuracy": [0.8, 0.9], "se": [0.01, 0.02]}),
        "errors": "se",
    },
    "Scores.from_means": {"frame": pd.DataFrame({"a": [0.8, 0.9], "b": [0.7, 0.9]})},
    "Scores.from_cv_results": {
        "results": {"a": {"test_score": [0.8, 0.9]}, "b": {"test_score": [0.7, 0.9]}},
        "resampling": "2-fold",
    },
    "bayesian.BlockedPosterior.transform": {"matrix": [[1.0, 0.0]]},
    "bayesian.BlockedPosterior.verdict": {"first": "A1", "second": "A2"},
    "bayesian.HierarchicalErrorsPosterior.plan": {"simulations": 1, "datasets": [3]},
    "bayesian.HierarchicalPosterior.sensitivity": {"datasets": False},
    "bayesian.HierarchicalErrorsPosterior.verify": {"engine": "fake"},
    "bayesian.AbilityPosterior.find_top_set": {"threshold": 0.9},
    "bayesian.BootstrapPosterior.plan": {
        "first": "knn",
        "second": "svm",
        "simulations": 1,
        "datasets": [3],
    },
    "bayesian.HierarchicalPosterior.plan": {"simulations": 1, "datasets": [3]},
    "bayesian.MeansPosterior.plan": {"simulations": 1, "datasets": [3]},
    "bayesian.MultivariatePosterior.project": {"weights": [1.0, 0.0]},
    "bayesian.MultivariatePosterior.transform": {"matrix": [[1.0, 0.0]]},
    "frequentist.WinsTable.from_counts": {"wins": [[0, 3], [1, 0]], "n_datasets": 4},
}

MADE: dict[str, Callable[[], Any]] = {
    "Estimates": lambda: bc.estimate(bc.Scores(_table()), rho=0.2),
    "Fragility": lambda: _correlated().fragility(),
    "HoldoutResample": lambda: bc.HoldoutResample([(range(4), range(4, 8))]),
    "Items": lambda: bc.Items(
        pd.DataFrame(
            [
                (m, i, e, (i + k + e) % 3 > 0)
                for k, m in enumerate("ab")
                for i in range(9)
                for e in (0, 1)
            ],
            columns=["model", "item", "epoch", "score"],
        )
    ),
    "PairsSensitivity": lambda: _made("bayesian.AbilityPosterior").sensitivity(progress=False),
    "Plan": lambda: _made("bayesian.HierarchicalPosterior").plan(
        datasets=[5], simulations=2, seed=1, progress=False
    ),
    "Posterior": _correlated,
    "Referee": lambda: bc.Referee(Path(tempfile.mkdtemp()) / "state.json", units="seeds"),
    "Resampling": lambda: bc.Resampling.k_fold(10),
    "Rope": lambda: bc.Rope(-0.01, 0.01),
    "Ropes": lambda: bc.Ropes((bc.Rope(-0.01, 0.01),)),
    "Scores": lambda: bc.Scores(_table()),
    "Sensitivity": lambda: _correlated().sensitivity(progress=False),
    "Verdict": lambda: _correlated().verdict(),
    "bayesian.BlockedPosterior": lambda: bayesian.groups(
        X_BLOCKS, rho=0.1, rope=[0.1, 0.1], variances="equal", seed=1
    ),
    "bayesian.HierarchicalErrorsPosterior": lambda: bayesian.means_with_errors(
        bc.MeanDifferences(
            means=[[0.81, 0.84], [0.62, 0.66], [0.93, 0.93]], errors=[[0.008, 0.006]] * 3
        ),
        rope=0.01,
        seed=1,
    ),
    "bayesian.HierarchicalMultivariatePosterior": lambda: bc.load(
        SAVED / "hierarchical_multivariate_t.npz"
    ),
    "bayesian.HierarchicalPosterior": lambda: bc.load(SAVED / "hierarchical_t_draws.npz"),
    "Moderators": moderated,
    "bayesian.OwnVariancePosterior": lambda: bayesian.groups(
        X_BLOCKS, rho=0.1, rope=[0.1, 0.1], variances="own", seed=1
    ),
    "bayesian.RobustPosterior": lambda: bc.load(SAVED / "robust_t.npz"),
    "bayesian.SampledGroupsPosterior": lambda: bc.load(SAVED / "groups_draws.npz"),
    "bayesian.SampledMultivariatePosterior": lambda: bc.load(SAVED / "multivariate_t_draws.npz"),
}


@cache
def _made(name: str) -> Any:
    """One of a class, under its public name."""
    if name in MADE:
        return MADE[name]()
    cls = dict(public())[name]
    for other, thing in public():
        returned = getattr(thing, "__annotations__", {}).get("return", "")
        if inspect.isfunction(thing) and re.search(rf"\b{cls.__name__}\b", returned):
            call = _call(other)
            if call and isinstance(made := call.function(**call.arguments), cls):
                return made
    call = _call(name)
    return call.function(**call.arguments)


#: What parts of the package ask of one another, too.
FOR_ONE_ANOTHER = {
    "clouds",
    "columns",
    "count_asked",
    "decide",
    "described",
    "heights",
    "in_words",
    "pair_variations",
    "replaced",
    "resolved_rule",
    "tail",
    "values",
    "variations",
    "without",
}


#: Not tried: their methods are others', or refuse whatever they are given.
SILENT = {"engines.Engine"}


#: What is refused whatever is given, because of what it is asked of, and the reason that is given.
REFUSED = {
    "bayesian.AbilityPosterior.difference_of": "The number of questions must be known",
    "bayesian.AbilityPosterior.scoreboard": "mean scores on given benchmarks",
    "bayesian.BlockedPosterior.difference_of": "about one data set",
    "bayesian.BlockedPosterior.plan": "no plan for the Bayesian blocked MANOVA",
    "bayesian.HierarchicalErrorsPosterior.moderators": "be at most 0 for 3 data sets",
    "bayesian.BlockedPosterior.scoreboard": "of one metric's scores of questions",
}


@cache
def methods() -> dict[str, list[str]]:
    """Public class to its methods that take arguments; an inherited one once."""
    refusing = {Fitted.plan, bayesian.ProportionsPosterior.plan}
    seen: set[object] = FOR_OTHER_PARTS | FOR_ONE_ANOTHER | refusing
    result: dict[str, list[str]] = {}
    for name, cls in public():
        if not inspect.isclass(cls) or issubclass(cls, BaseException) or name in SILENT:
            continue
        for attribute in dir(cls):
            raw = inspect.getattr_static(cls, attribute)
            function = inspect.unwrap(getattr(raw, "__func__", raw))
            if attribute.startswith("_") or not inspect.isfunction(function):
                continue
            new = attribute not in seen and function not in seen
            if new and set(inspect.signature(function).parameters) - {"self", "cls"}:
                seen.add(function)
                result.setdefault(name, []).append(attribute)
    return result


#: What is right for the parameters of methods that have no default, by what it is asked of.
RIGHT: dict[str, Callable[[Any], object]] = {
    "candidate": lambda made: getattr(made, "candidates", [[0.1, 0.2]])[0],
    "cost_answer": lambda _: 1.0,
    "cost_question": lambda _: 1.0,
    "dataset": lambda made: made.datasets[0],
    "factor": lambda _: 2.0,
    "features": lambda made: pd.DataFrame({"size": range(len(made.datasets))}, made.datasets),
    "folds": lambda _: 10,
    "first": lambda made: _compared(made)[0],
    "frame": lambda _: _table(),
    "incumbent": lambda _: [0.1, 0.2],
    "k": lambda _: 1,
    "metric": lambda made: made.metrics[0],
    "metrics": lambda made: made.metrics,
    "name": lambda _: "delta0",
    "path": lambda _: "result.npz",
    "p": lambda _: 0.5,
    "points": lambda _: [0.0, 0.0],
    "probs": lambda _: 0.5,
    "region": lambda _: "rope",
    "rho": lambda _: 0.1,
    "scale": lambda _: "log_ratio",
    "second": lambda made: _compared(made)[1],
    "source": lambda made: getattr(made, "frame", None),
    "test_share": lambda _: 0.1,
    "text": lambda _: "10-fold",
    "upper": lambda _: True,
    "value": lambda _: 0.5,
    "x": lambda _: 0.01,
}


def _compared(made: Any) -> Sequence[str]:
    """Names of what it compares."""
    for kind in ("names", "algorithms", "models"):
        if names := getattr(made, kind, ()):
            return names
    return "ab"


def call_of_method(name: str, method: str) -> Call:
    """A call that works, of a method of what has this public name."""
    made = _made(name)
    function = getattr(made, method)
    given = {
        parameter.name: RIGHT.get(parameter.name, lambda _: None)(made)
        if parameter.default is parameter.empty
        else parameter.default
        for parameter in inspect.signature(function).parameters.values()
        if parameter.kind not in (parameter.VAR_KEYWORD, parameter.VAR_POSITIONAL)
    }
    full = f"{name}.{method}"
    return Call(full, function, {**given, **OF_METHODS.get(full, {})})


@pytest.mark.usefixtures("without_cmdstan", "fake")
@pytest.mark.parametrize("name", methods())
def test_methods_refuse_a_wrong_value_in_one_line(name, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    for i, method in enumerate(methods()[name]):
        call = call_of_method(name, method)
        if call.name in REFUSED:
            with pytest.raises(InputError, match=REFUSED[call.name]):
                call.function(**call.arguments)
        else:
            call.function(**call.arguments)  # what is not wrong is taken
        wrong = _wrong(call, i, len(WRONG) // TRIED)
        reason = REFUSED.get(call.name)
        assert [w for w in wrong if not reason or not re.search(reason, w)] == []


# Tables that go wrong in one or two ways: a right answer, or one line of what is wrong.


def _put(column, value, row=3):
    def change(t):
        t = t.astype({column: object})
        t.iloc[row, t.columns.get_loc(column)] = value
        return t

    return change


ODD = (None, "x", "0.5", [1], 1j, np.inf, 10**400, True)
CHANGES = {
    **{f"{c}={v!r}"[:40]: _put(c, v) for c in ("dataset", "accuracy") for v in ODD},
    "shuffled": lambda t: t.sample(frac=1, random_state=1),
    "index": lambda t: t.set_index(list(t.columns[:2])),
    "no algorithm": lambda t: t.iloc[:, [0, 2, 3]],
    "twice": lambda t: pd.concat([t, t]),
    "a row less": lambda t: t.iloc[1:],
    "no rows": lambda t: t.iloc[:0],
    "text": lambda t: t.astype(str),
    "category": lambda t: t.astype({t.columns[0]: "category"}),
    "numbers for names": lambda t: t.set_axis(range(t.shape[1]), axis=1),
    "one name twice": lambda t: pd.concat([t, t.iloc[:, -1:]], axis=1),
    "a blank in a name": lambda t: t.rename(columns=lambda c: f" {c} "),
    "upper case": lambda t: t.rename(columns=lambda c: str(c).upper()),
    "a note": lambda t: t.assign(note="x"),
    "row numbers": lambda t: t.reset_index(),
    "levels": lambda t: pd.concat({"a": t}, axis=1),
}
CASES = [*combinations(CHANGES, 1), *[*combinations(CHANGES, 2)][::20]]


@cache
def _differences():
    return bc.Scores(_table()).differences("knn", "svm")


@each_row("names", CASES, ids=" + ".join)
def test_a_right_answer_or_one_line(names):
    table, expected = _table(), _differences()
    try:
        for name in names:
            table = CHANGES[name](table)
    except (KeyError, ValueError, TypeError, IndexError, OverflowError):
        return  # the two changes don't go together: there is no table
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", bc.DiagnosticWarning)
            scores = bc.Scores(table)
            differences = scores.differences("knn", "svm", scores.sole_metric)
    except bc.InputError as error:
        message = str(error)
    else:
        message = "one right answer"
        assert all(np.isfinite(row).all() for row in differences.x)
        if not any("=" in name for name in names):
            means = dict(zip(expected.datasets, expected.means, strict=True))
            assert dict(
                zip(differences.datasets, differences.means, strict=True)
            ) == pytest.approx(means)
    assert "\n" not in message
    assert len(message) > 15


# Calls that once ended in a traceback: the argument that is refused, and the call.

X = [0.01, 0.03, 0.02, 0.0]
FOLDS = {"rho": 0.1, "rope": 0.01}
ONCE = {
    "numbers for names": ("names", lambda: bayesian.correlated_t(X, names=5, **FOLDS)),
    "numbers for metrics": (
        "metrics",
        lambda: bayesian.multivariate_t(
            np.random.default_rng(1).random((9, 2)), metrics=7, **FOLDS
        ),
    ),
    "a text in a joint prior": ("beta", lambda: bayesian.JointPrior(beta="x")),
    "a text in a multivariate prior": (
        "within_sd",
        lambda: bayesian.MultivariatePrior(within_sd="x"),
    ),
    "a list in a hierarchical prior": ("alpha", lambda: bc.HierarchicalPrior(alpha=[])),
    "plan of any prior": (
        "prior",
        lambda: bc.plan(rope=0.01, rho=0.1, delta0=0, sigma0=0.1, datasets=5, prior=object()),
    ),
    "tie_tolerance": ("tie_tolerance", lambda: frequentist.friedman([X, X], tie_tolerance="x")),
    "twins": ("twins", lambda: bc.crosscheck(_table(), rope=0.01, twins=True)),
    "sizes as text": ("n_test", lambda: frequentist.corrected_t(X, n_test="10", n_train="90")),
    "a huge integer": ("draws", lambda: bayesian.signed_rank(X, rope=0.01, draws=10**400)),
    "an array for a flag": ("block", lambda: frequentist.anova([X, X[::-1]], block=np.array(X))),
    "columns in a list": ("columns", lambda: bc.Scores(_table(), columns=["a", "b"])),
    "a zero byte in a path": ("path", lambda: bc.load("a\0b")),
    "a path of 5,000 letters": ("path", lambda: bc.load("a" * 5000)),
    "pair_blocks of a table": (
        "scores",
        lambda: bayesian.pair_blocks(pd.DataFrame({"a": X}), "a", "b", metrics=["a"]),
    ),
    "sizes of unlike lengths": ("n_train", lambda: bc.rho_from_sizes([90, 90], [10, 10, 10])),
    "thresholds of a table": (
        "counts",
        lambda: bc.scores_at_thresholds(pd.DataFrame({"a": X}), thresholds=[0.5]),
    ),
    "differences in a dict": ("x", lambda: bayesian.correlated_t({"a": X}, **FOLDS)),
    "half a letter in a report": (
        "algorithm",
        lambda: bc.report(_put("algorithm", "k\ud800")(_table()), rope=0.01, path="r.html"),
    ),
    "a plot of anything": ("posterior", lambda: plots.plot_density(object())),
}


@pytest.mark.parametrize("name", ONCE)
def test_what_once_ended_in_a_traceback_is_refused(name, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    argument, call = ONCE[name]
    with pytest.raises(InputError, match=rf"^[^;]*\b{argument}") as refused:
        call()
    assert "\n" not in str(refused.value)
    assert len(str(refused.value)) < 1100
