"""Arguments are spelled in Python, or as the options of the command that runs."""

import ast
import re
import shlex
from collections import Counter

import numpy as np
import pandas as pd
import pytest

import bayescmp as bc
from bayescmp.base.arguments import (
    arg,
    either,
    must,
    must_be,
    read_option,
    spelled_alike,
    spelling,
)
from bayescmp.base.workers import in_order
from bayescmp.commands.cli import load_command
from bayescmp.commands.shared import Arguments
from bayescmp.commands.spelling import OptionSpeller
from tests.rows import each_row
from tests.sources import modules, nodes


@pytest.fixture
def typed():
    """Spell as a command does."""

    def inside(command, spell):
        with spelling(OptionSpeller.of(load_command(command)[0])):
            return spell()

    return inside


#: The argument, its value, in Python, and as a shell takes it.
SPELLED = [
    ("missing", "common", "missing='common'", "--missing common"),
    ("dataset", "a b", "dataset='a b'", "--dataset 'a b'"),
    ("dataset", "it's", 'dataset="it\'s"', "--dataset 'it'\"'\"'s'"),
    ("columns", {"fold": "x"}, "columns={'fold': 'x'}", "--column fold=x"),
    ("columns", {"fold": ...}, "columns={'fold': ...}", "--column fold=..."),
    (
        "columns",
        {"algorithm": ["a", "b c"]},
        "columns={'algorithm': ['a', 'b c']}",
        "--column algorithm=a --column 'algorithm=b c'",
    ),
    (
        "lower_is_better",
        ["a", "b"],
        "lower_is_better=['a', 'b']",
        "--lower-is-better a --lower-is-better b",
    ),
    ("rope", (-0.01, np.inf), "rope=(-0.01, inf)", "--rope=-0.01,inf"),
    ("rope", np.float64(0.5), "rope=0.5", "--rope 0.5"),
    ("resolution", 0.01, "resolution=0.01", "resolution=0.01 in Python"),
]


@each_row(("name", "value", "python", "option"), SPELLED)
def test_a_value_is_spelled_for_its_reader(name, value, python, option, typed):
    assert arg(name, value) == python
    assert typed("compare", lambda: arg(name, value)) == option


@each_row(("name", "value", "python", "option"), SPELLED[:-1])
def test_the_parser_reads_what_was_spelled(name, value, python, option, typed):
    words = shlex.split(option)
    rope = [] if name == "rope" else ["--rope", "1"]
    parser = load_command("compare")[0]
    given = parser.read(["x.csv", *rope, *words], Arguments())
    assert getattr(given, name.replace("columns", "column"))


@each_row(
    ("command", "name", "value", "option"),
    [
        ("gate", "sequential", True, "--sequential"),
        ("crosscheck", "paired", False, "--unpaired"),
        ("procedure", "corrected", False, "--plain"),
        ("gate", "n_jobs", 2, "n_jobs=2 in Python"),
        ("compare", "n_jobs", 2, "--n-jobs 2"),
    ],
)
def test_flags_and_other_names(command, name, value, option, typed):
    assert typed(command, lambda: arg(name, value)) == option


def test_names_without_values(typed):
    assert arg("rho") == "rho"
    assert typed("compare", lambda: arg("rho")) == "--rho"
    assert typed("rank", lambda: arg("rho")) == "rho"
    assert typed("compare", lambda: arg("--out")) == "--out"


def test_options_of_formats(typed):
    assert read_option("constraint", "1h8c") == "constraint='1h8c'"
    spelled = typed("compare", lambda: read_option("constraint", "1h8c"))
    assert spelled == "--read-option constraint=1h8c"
    assert typed("compare", lambda: read_option("filter", ...)) == "--filter ..."


def test_a_call_becomes_options_or_another_command(typed):
    call = "compare(..., test='two_sample_t')"
    assert either(call, test="two_sample_t") == call
    assert typed("compare", lambda: either(call, test="x")) == "--test x"
    assert typed("procedure", lambda: either(call, "`bayescmp compare`", test="x")) == (
        "`bayescmp compare`"
    )
    assert typed("procedure", lambda: either(call, test="x")) == f"{call} in Python"


@each_row(
    ("value", "shown"),
    [
        (3, "got 3"),
        ("x", "got 'x'"),
        (np.float64(0.5), "got 0.5"),
        (np.zeros(3), "got an array of shape (3,)"),
        (dict, "got the class dict"),
        (len, "got the function len"),
    ],
)
def test_errors_say_what_must_be_and_carry_the_argument(value, shown, typed):
    error = must_be("rope", "a number", value, "Give 0.01.")
    assert str(error) == f"rope must be a number ({shown}). Give 0.01."
    assert error.argument == "rope"
    on_the_command_line = typed("compare", lambda: must_be("rope", "a number", value))
    assert str(on_the_command_line) == f"--rope must be a number ({shown})."
    assert on_the_command_line.argument == "rope"


@each_row(
    ("name", "argument"),
    [("x", "x"), ("x, row 'a',", "x"), ("--cost-question", "cost_question")],
)
def test_errors_carry_the_argument_that_their_subject_begins_with(name, argument):
    error = must(name, "have 2 folds", "1", "Use means.")
    assert str(error) == f"{name} must have 2 folds (got 1). Use means."
    assert error.argument == argument


#: Readers, below functions that name the argument: a frame, a source, a path.
BELOW = re.compile(
    r"scores\.(columns|frames|layout|questions|readers\..*|tables)|experiment\.config"
)
PARTS = {"scores", "commands", "experiment", "items", "curves", "base", "sklearn"}
ERRORS = {"InputError", "CountsError", "CheckpointError"}


def test_every_refusal_names_its_argument():
    unnamed = Counter()
    for module, path in modules().items():
        own = module.removeprefix("bayescmp.")
        if own.partition(".")[0] in PARTS and not BELOW.fullmatch(own):
            calls = (n for n in nodes(path) if isinstance(n, ast.Call) and len(n.args) < 2)
            unnamed[own] += sum(
                getattr(n.func, "id", "") in ERRORS and not n.keywords for n in calls
            )
    assert +unnamed == {"commands.gate": 1, "commands.permute": 1}  # memory, and a package


@each_row(
    ("call", "argument"),
    [
        (bc.Scores, "frame"),
        (bc.Scores.from_means, "frame"),
        (bc.Scores.read, "source"),
        (bc.compare, "scores"),
        (bc.crosscheck, "scores"),
        (bc.estimate, "data"),
        (bc.frequentist.friedman, "scores"),
    ],
)
def test_functions_name_the_table_as_their_own_argument(call, argument):
    table = pd.DataFrame({"dataset": list("abc"), "knn": 0.1, "svm": 0.2, "Mean": 0.15})
    with pytest.raises(bc.InputError, match="'Mean'") as caught:
        call(table)
    assert caught.value.argument == argument


def test_errors_that_name_a_place_keep_the_argument():
    with pytest.raises(bc.InputError) as caught:
        bc.bayesian.groups(np.zeros((3, 4)), rope=0.01, rho=0.1, noise="cauchy")
    assert caught.value.argument == "noise"


def _spell(name, value):
    return arg(name, value)


@each_row("n_jobs", [1, 2])
def test_workers_spell_as_their_command_does(n_jobs, typed):
    tasks = [("missing", "common")] * 2
    assert list(in_order(_spell, tasks, n_jobs)) == ["missing='common'"] * 2
    assert typed("compare", lambda: list(in_order(_spell, tasks, n_jobs))) == (
        ["--missing common"] * 2
    )
    assert spelled_alike(_spell) is _spell
