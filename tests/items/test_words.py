"""What is said of models that answer questions never speaks of algorithms on folds."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from functools import cache

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from matplotlib.text import Text

import bayescmp as bc
from bayescmp.commands.cli import main
from tests.reference.printed_results import by_fake
from tests.rows import each_row

#: Words of other comparisons. "item" stays what a column is called, and "Items" the class.
WRONG = re.compile(r"\b(algorithms?|folds?|data\s+sets?|datasets?|items?)\b", re.IGNORECASE)
ROLES = re.compile(r"'[^']*' as \w+|Items: ")
#: Five, since up to four are named where more are counted.
MODELS = ("m0", "m1", "m2", "m3", "m4")


def frame(benchmarks=("gsm8k",), n: int = 110, epochs: int = 1, cluster: int = 0) -> pd.DataFrame:
    """Answers of five models, each somewhat better than the one before."""
    rng, rows = np.random.default_rng(1), []
    for benchmark in benchmarks:
        hard = rng.normal(size=n)
        for k, model in enumerate(MODELS):
            p = 1 / (1 + np.exp(hard - 0.25 * k))
            for i, epoch in np.ndindex(n, epochs):
                rows.append((model, benchmark, i, epoch, int(rng.random() < p[i])))
    table = pd.DataFrame(rows, columns=["model", "benchmark", "question_id", "epoch", "correct"])
    if cluster:
        table["passage"] = table["question_id"] // cluster
    return table if epochs > 1 else table.drop(columns="epoch")


@cache
def items(kind: str) -> bc.Items:
    shapes = {
        "one": frame(),
        "few": frame(n=40),
        "two": frame(("gsm8k", "arc"), n=60),
        "epochs": frame(n=40, epochs=3),
        "clusters": frame(cluster=5),
    }
    table = shapes[kind]
    columns = {"cluster": "passage"} if "passage" in table else None
    return bc.Items(table, columns=columns)


@cache
def many(kind: str, test: str = "auto"):
    if test == "joint_t":  # its own engine takes seconds
        return by_fake(bc.compare, items(kind), rope=0.02, test=test)
    return bc.compare(items(kind), rope=0.02, seed=1, test=test)


@cache
def pair(kind: str):
    return bc.compare(items(kind), "m0", "m1", rope=0.02, seed=1)


@cache
def board():
    """A table of means alone, on benchmarks."""
    means = items("two").means()
    return bc.bayesian.leaderboard(means, rope=0.02, questions=60, seed=1)


@cache
def every_pair(kind: str):
    return bc.compare_all(items(kind), rope=0.02, seed=1)


def costs() -> bc.Items:
    rng = np.random.default_rng(2)
    table = frame()
    return bc.Items(
        table.assign(correct=rng.random(len(table))).rename(columns={"correct": "latency"})
    )


PAIRS = {
    f"{what} of a pair, {kind}": (lambda kind=kind, ask=ask: ask(pair(kind)))
    for kind in ("two", "epochs")
    for what, ask in {
        "posterior": lambda p: p,
        "verdict": lambda p: p.verdict(),
        "undecided": lambda p: p.verdict(threshold=0.9999),
        "sensitivity": lambda p: p.sensitivity(),
        "fragility": lambda p: p.fragility(most=2),
        "plan": lambda p: p.plan(**({"simulations": 4} if p.kind == "hierarchical_t" else {})),
    }.items()
}
ALL = {
    f"{what} of {test}, {kind}": (lambda kind=kind, test=test, ask=ask: ask(many(kind, test)))
    for kind, test in (
        ("one", "question_bootstrap"),
        ("few", "groups"),
        ("two", "joint_t"),
        ("two", "bootstrap"),
        ("two", "leaderboard"),
    )
    for what, ask in {
        "posterior": lambda p: p,
        "undecided": lambda p: p.verdict("m0", "m1", threshold=0.9999),
        "sensitivity": lambda p: p.sensitivity(),
    }.items()
}
OTHERS = {
    "posterior of a pair, one": lambda: pair("one"),
    "posterior of a pair, clusters": lambda: pair("clusters"),
    "verdict of questions": lambda: many("one").verdict("m0", "m4"),
    "chosen of a leaderboard": lambda: many("two", "leaderboard").chosen(),
    "chosen of joint_t": lambda: many("two", "joint_t").chosen(),
    "chosen of questions": lambda: many("one").chosen(),
    "plan of a leaderboard": lambda: many("two", "leaderboard").plan("m0", "m1"),
    "leaderboard of means": board,
    "verdict of means": lambda: board().verdict("m0", "m1"),
    "all pairs on one": lambda: every_pair("one"),
    "all pairs on two": lambda: every_pair("two"),
    "against a control": lambda: bc.compare_all(items("two"), rope=0.02, seed=1, control="m0"),
    "gate": lambda: bc.gate(items("one"), "m0", "m1", margin=0.02, seed=1),
    "gate on two": lambda: bc.gate(items("two"), "m0", "m1", margin=0.02, seed=1),
    "gate, looked at": lambda: bc.gate(items("one"), "m0", "m1", margin=0.02, sequential=True),
    "crosscheck": lambda: bc.crosscheck(items("one"), rope=0.02, seed=1),
    "crosscheck on two": lambda: bc.crosscheck(items("two"), rope=0.02, seed=1),
    "sequence": lambda: bc.frequentist.confidence_sequence(items("one").pair("m0", "m1")),
    "undominated": lambda: bc.undominated([items("one"), costs()], rope=[0.02, 0.02], seed=1),
    "noise": lambda: items("epochs").noise("m0", "m1", seed=1),
    "estimate": lambda: bc.estimate(items("epochs")),
    "estimate on two": lambda: bc.estimate(items("two")),
    "pass^k": lambda: bc.compare(items("epochs").pass_hat(2), "m0", "m1", rope=0.02, seed=1),
    "items": lambda: items("clusters"),
}


def forms(result: object) -> Iterator[tuple[str, str]]:
    """Everything there is to read of a result: text, page, sentences, pictures."""
    yield "str", str(result)
    yield "repr", repr(result)
    if hasattr(result, "_repr_html_"):
        yield "notebook", html.unescape(re.sub(r"<[^>]+>", " ", result._repr_html_()))
    for name in ("full", "to_markdown", "to_latex"):
        if hasattr(result, name):
            yield name, getattr(result, name)()
    if hasattr(result, "explain"):
        for form in ("short", "paper"):
            yield f"explain {form}", result.explain(form).partition("@")[0]
    if hasattr(result, "plot"):
        ax = np.ravel(result.plot())[0]
        yield "caption", bc.plots.caption(ax)
        yield "picture", " | ".join(t.get_text() for t in ax.figure.findobj(Text))
        plt.close("all")


def wrong(text: str) -> list[str]:
    """Where a text has a word of another comparison, with what stands around it."""
    plain = " ".join(ROLES.sub("", text).split())
    return [plain[max(m.start() - 40, 0) : m.end() + 30] for m in WRONG.finditer(plain)]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", [*PAIRS, *ALL, *OTHERS])
def test_results_speak_of_models_and_questions(name):
    result = {**PAIRS, **ALL, **OTHERS}[name]()
    assert {form: wrong(text) for form, text in forms(result) if wrong(text)} == {}


@pytest.mark.filterwarnings("ignore")
@each_row(
    ("draw", "of"),
    [
        *(("plot_ladder", of) for of in ("one", "two", "leaderboard", "groups", "all pairs")),
        *((draw, of) for draw in ("plot_ranks", "plot_top_sets") for of in ("one", "two")),
        ("plot_verdicts", "all pairs"),
    ],
)
def test_pictures_of_several_models(draw, of):
    results = {
        "one": lambda: many("one"),
        "two": lambda: many("two", "bootstrap"),
        "leaderboard": lambda: many("two", "leaderboard"),
        "groups": lambda: many("few", "groups"),
        "all pairs": lambda: every_pair("two"),
    }
    ax = np.ravel(getattr(bc.plots, draw)(results[of]()))[0]
    assert wrong(bc.plots.caption(ax)) == []
    assert wrong(" | ".join(t.get_text() for t in ax.figure.findobj(Text))) == []


@pytest.mark.usefixtures("without_pictures")
@pytest.mark.parametrize(
    ("models", "kind"),
    [
        *(((*MODELS[:2],), kind) for kind in ("one", "few", "two", "epochs")),
        *((None, kind) for kind in ("one", "few", "epochs")),
        pytest.param(None, "two", marks=pytest.mark.slow),  # of the joint test by its own engine
    ],
)
def test_the_page_speaks_of_models_and_questions(kind, models, tmp_path):
    page = bc.report(items(kind), tmp_path / "x.html", rope=0.02, seed=1, algorithms=models)
    text = re.sub(r"(?s)<(style|script).*?</\1>|<[^>]+>", " ", page.read_text(encoding="utf-8"))
    assert wrong(html.unescape(text)) == []


@each_row(
    ("kind", "command"),
    [
        ("one", "compare {} --rope 0.02 m0 m1 --full"),
        ("one", "compare {} --rope 0.02 --full"),
        ("few", "compare {} --rope 0.02 --full"),
        ("two", "compare {} --rope 0.02 m0 m1 --full"),
        ("two", "compare {} --rope 0.02 --test leaderboard --full"),
        ("epochs", "compare {} --rope 0.02 m0 m1 --own-noise --pass-hat 2 --full"),
        ("one", "gate {} --baseline m0 --candidate m1 --margin 0.02 --full"),
        ("one", "sensitivity {} --rope 0.02 m0 m1 --most 2"),
        ("two", "sensitivity {} --rope 0.02 m0 m1"),
        ("one", "sensitivity {} --rope 0.02"),
    ],
)
def test_commands_speak_of_models_and_questions(kind, command, tmp_path, capsys):
    path = tmp_path / "answers.csv"
    shapes = {"one": frame(), "few": frame(n=40), "two": frame(("gsm8k", "arc"), n=60)}
    shapes.get(kind, frame(n=40, epochs=3)).to_csv(path, index=False)
    assert main(command.format(path).split()) in (0, 1, 3)
    assert wrong(capsys.readouterr().out) == []
