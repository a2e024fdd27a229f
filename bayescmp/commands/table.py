"""The table of all options, and what a command is: a line of usage and the function it runs.

To add a command, decorate its function in the file of its family:

    @command("best", "scores --metric --rope! --seed=2")
    def find_best(args: Arguments) -> None: ...

Its docstring is the help: its first line in the list of commands, the rest in the command's own.
An option that no command has yet is one more entry of `OPTIONS`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from inspect import cleandoc
from pkgutil import resolve_name
from typing import TYPE_CHECKING, Any, TypeAlias

if TYPE_CHECKING:
    from bayescmp.catalogue import BayesianTest

PRIORS = ("corani2017", "benavoli2017")

#: What a command does; its exit code, where that is not 0.
Run: TypeAlias = Callable[[Any], int | None]
#: What a command says of its own about an option: its help, or more of what argparse takes.
Own: TypeAlias = Mapping[str, str | Mapping[str, Any]]


@dataclass(frozen=True)
class Option:
    """What argparse needs of an option: its name as typed, its help, and the rest.

    ``each`` is what the help adds where the option may be given several times. In help, "{tests}"
    and the like stand for the lists in `LISTS`.
    """

    name: str
    help: str
    settings: Mapping[str, Any]
    each: str = ""

    @property
    def dest(self) -> str:
        """Its name among the parsed arguments."""
        return str(self.settings.get("dest", self.name.lstrip("-").replace("-", "_")))


def _option(help: str, each: str = "", **settings: Any) -> Option:
    return Option("", help, settings, each)


def _list(help: str, metavar: str, **settings: Any) -> Option:
    """Make an option that may be given several times in every command."""
    return _option(help, action="append", metavar=metavar, **settings)


def _file(help: str) -> Option:
    """Make an option that names a file to be written."""
    return _option(help, metavar="FILE")


def _flag(help: str, **settings: Any) -> Option:
    return _option(help, action="store_true", **settings)


_TABLE = {
    # what is read
    "scores": _option("CSV or Parquet table of scores, one row per fold"),
    "items": _option(
        "CSV or Parquet table, one row per model and item; files or folders of "
        "lm-evaluation-harness, Inspect, Every Eval Ever, HELM, SWE-bench, MTEB, promptfoo; "
        "NAME=PATH gives the model a name",
        nargs="+",
    ),
    "predictions": _option(
        "CSV or Parquet table: a row per test item with its label and a column of predicted "
        "scores per algorithm; or a row per item and algorithm, with columns algorithm and "
        "value. Columns dataset, repeat, fold and item are understood"
    ),
    "data": _option("CSV or Parquet table, one row per case"),
    "config": _option("TOML file: [estimators.NAME], [datasets.NAME], [cv], ..."),
    "algorithms": _option(
        "compare these only, named directly after the table (default: all)",
        nargs="*",
        metavar="ALGORITHM",
        default=None,  # without one argparse calls it required, in its message
    ),
    "--metric": _option(
        "column to compare by (may be left out if there is one)", "; may be given several times"
    ),
    "--format": _option(
        "the program that wrote the scores ({formats}; table for a plain table); auto "
        "(default) recognises it",
        default="auto",
    ),
    "--sep": _option(
        "what separates the fields of a text file, such as ';' or tab (default: found)",
        metavar="SIGN",
        type=lambda typed: "\t" if typed in ("tab", "\\t") else typed,
    ),
    "--decimal": _option(
        "the decimal sign of a text file (default: found)", metavar="SIGN", choices=(".", ",")
    ),
    "--read-option": _list(
        "further options of the format, e.g. constraint=1h8c", "NAME=VALUE", default=[]
    ),
    "--missing": _option(
        "common: compare only on folds and data sets for which every algorithm compared has a "
        "score, and count what is left out; error (default): refuse",
        choices=("error", "common"),
        default="error",
    ),
    "--column": _list(
        "which column is the dataset, algorithm, repeat or fold, if its name does not show it; "
        "e.g. --column dataset=dataset_id",
        "PART=NAME",
        default=[],
    ),
    "--lower-is-better": _list(
        "a metric for which lower is better, if its name does not show it", "METRIC", default=[]
    ),
    "--higher-is-better": _list(
        "a metric for which higher is better, if its name does not show it", "METRIC", default=[]
    ),
    "--resampling": _option(
        "how the folds were drawn, if the table does not show it: 10-fold, 10x10-fold (repeats "
        "x folds), 'random splits 0.33' (the share tested), leave-one-out, seeds, "
        "independent, 'windows rho 0.3'",
        metavar="HOW",
    ),
    "--pass-hat": _option("score by pass^K: all of K epochs right", type=int, metavar="K"),
    "--pass-at": _option("score by pass@K: any of K epochs right", type=int, metavar="K"),
    "--filter": _option("lm-evaluation-harness: the filter whose scores to use"),
    "--evals": _option("Inspect: the table of evaluations, from evals_df"),
    "--truth": _option("the column of labels (default truth)", default="truth"),
    "--positive": _option("the positive class (default: 1 or True)"),
    "--target": _option("column of the classes"),
    "--drop": _list("a column that is not a feature (repeatable)", "COLUMN", default=[]),
    "--nominal": _list("a numeric column of categories (repeatable)", "COLUMN", default=[]),
    # what is compared
    "--first": _option("the first algorithm (left)"),
    "--second": _option("the second algorithm (right)"),
    "--algorithm": _list("compare these only (repeatable)", "NAME", dest="algorithms"),
    "--control": _option("compare all others with this algorithm only"),
    "--baseline": _option("what the candidate is to replace"),
    "--candidate": _list("what is judged (repeatable)", "NAME"),
    "--margin": _list(
        "by how much the candidate may be worse, in units of the metric; of several metrics "
        "one for all, or one per metric, as --margin accuracy=0.01 --margin latency=5",
        "MARGIN",
    ),
    "--on": _option(
        "what must not be worse: the mean over data sets, or the next one (default: next if "
        "there are several)",
        choices=("mean", "next"),
    ),
    "--sequential": _flag(
        "of independent items in random order: pass, fail, or continue, however often you look"
    ),
    "--undecided": _option("what an undecided outcome counts as", choices=("pass", "fail")),
    "--items": _flag(
        "scores are answers: tables of a row per model and question, or logs of evaluations",
        dest="of_items",
    ),
    "--dataset": _option("use this data set only", " (repeatable)"),
    "--benchmark": _option("compare on this benchmark only"),
    "--scale": _option(
        "what differs: the scores (default), their logarithms, so that --rope 1%% is a ratio "
        "of 1.01, or the scores in standard deviations of a pair's differences",
        choices=("difference", "log_ratio", "standardised"),
        default="difference",
    ),
    "--rope": _option(
        "region of practical equivalence: half-width, or LOW,HIGH, as --rope=-0.005,0.01; "
        "with one infinite bound, --rope=-0.01,inf, whether the second is not worse",
        "; for several metrics one for all, or one per metric, as --rope tpr=0.01 --rope fpr=0.02",
    ),
    "--unpaired": _flag("runs have separate seeds and do not pair: tests for independent samples"),
    "--block": _option(
        "fold (default): all algorithms were run on the same folds; none: tests that make no "
        "use of that (the table still needs the same fold labels for all)",
        default="fold",
    ),
    # how
    "--test": _option(
        "auto (default), or one that takes the scores, as `bayescmp tests` says: {tests}",
        default="auto",
    ),
    "--rho": _option("correlation of folds, if not 1/folds", type=float),
    "--prior": _option(f"prior of the hierarchical test: {' (default) or '.join(PRIORS)}"),
    "--engine": _option("auto, {engines}", default="auto"),
    "--threshold": _option("decide at this probability (default 0.95)", type=float, default=0.95),
    "--alpha": _option("level of the tests (default 0.05)", type=float, default=0.05),
    "--adjust": _option("adjustment of the p-values: {adjustments}", default="holm"),
    "--seed": _option("seed of the draws (default 1)", type=int, default=1),
    "--draws": _option("draws per chain", type=int, default=5000),
    "--by": _option("the other: auto, {engines}", default="auto"),
    "--jobs": _option(
        "processes at most (default: one per core, where that saves time)",
        type=int,
        dest="n_jobs",
        metavar="JOBS",
    ),
    "--variances": _option("auto, equal (one for all algorithms) or own", default="auto"),
    "--method": _option("how the answer is found"),
    "--variance": _option(
        "permutation, or published: the formulas as printed, for reproducing papers",
        default="permutation",
    ),
    "--distribution": _option(
        "distribution of the comparisons: normal, t (Conover's test, Quade's) or exact",
        default="normal",
    ),
    "--order": _list(
        "an algorithm, from the worst to the best expected, for --test page (repeatable)", "NAME"
    ),
    "--cost": _list(
        "what a unit of a metric costs, e.g. --cost fp=1 --cost fn=5 (default: fp and fn 1 "
        "each; a single metric is its own risk)",
        "METRIC=NUMBER",
        default=[],
    ),
    "--pairwise": _option("{pairwise}; for several metrics {pairwise_several}"),
    "--plain": _flag("use tests that ignore the overlap of folds"),
    "--estimator": _option("a classifier"),
    "--n": _option("random data sets (default 1000)", type=int, default=1000),
    "--cv": _option("number of folds, or loo (default 10)", default="10"),
    "--repeats": _option("repeats of cross-validation", type=int, default=10),
    "--scoring": _option("scorer of scikit-learn (default: the error rate)"),
    "--stop": _option("{stops}: stop when the decision at alpha is settled"),
    "--allow": _list(
        "a package besides scikit-learn whose classes the file may name (repeatable); its "
        "classes are called with whatever the file says",
        "PACKAGE",
        default=[],
    ),
    "--retry-failed": _flag("run the checkpoint's failed folds again"),
    "--refit": _flag(
        "fit again where a sampler's reweighted draws cannot be relied on (k-hat over 0.7)"
    ),
    "--most": _option("leave out so many at most (default 10)", type=int, default=10),
    "--seconds": _option("search so long at most (default 10)", type=float, default=10.0),
    # what is simulated
    "--datasets": _option("numbers of (further) data sets", type=int, nargs="+", metavar="Q"),
    "--folds": _option("differences on each new data set", type=int),
    "--more-folds": _option(
        "further differences on each data set seen", type=int, nargs="+", metavar="N"
    ),
    "--delta0": _option("centre of the mean differences", type=float, nargs="+"),
    "--sigma0": _option("their scale", type=float, nargs="+"),
    "--nu": _option("their degrees of freedom (default 10)", type=float),
    "--noise": _option("sd of a fold (default 2 times the rope)"),
    "--simulations": _option("studies (default 400)", type=int, default=400),
    "--difference": _option("mean difference of the two models", type=float),
    "--between": _option("variance of the questions' true differences", type=float),
    "--within": _option(
        "variance of a question's difference over single answers (default 0)",
        type=float,
        default=0.0,
    ),
    "--questions": _option("numbers of questions", type=int, nargs="+", metavar="N"),
    "--weight": _list("how much a benchmark counts (repeatable)", "BENCHMARK=NUMBER", default=[]),
    "--epochs": _option("answers of each model to a question", type=int, nargs="+"),
    "--power": _option("of the detectable difference (default 0.8)", type=float, default=0.8),
    "--cost-question": _option("of a question, without its answers", type=float),
    "--cost-answer": _option("of one answer of both models", type=float),
    # what is written
    "--checkpoint": _file(
        "save every finished fold here at once, and resume from it; the other commands read "
        "it as a table of scores (an SQLite file, whatever its name)"
    ),
    "--out": _file("write the table as CSV"),
    "--plot": _file("write the test's plot (png, svg, pdf)"),
    "--shrinkage": _file("write the plot of all data sets"),
    "--density": _file("write the density of the mean difference"),
    "--rope-curve": _file("write the probabilities as the rope widens"),
    "--ladder": _file("write the ladder: the algorithms in order"),
    "--forest": _file("write all pairs' intervals"),
    "--bars": _file("write all pairs' verdicts as bars"),
    "--diagram": _file("write the critical-difference diagram"),
    "--heatmap": _file("write the heat map of p-values"),
    "--projection": _file("write the plot of the learned measures"),
    "--wins": _file("write the wins diagram"),
    "--csv": _file("write all columns as CSV"),
    "--junit": _file("write the checks as JUnit XML"),
    "--flips": _file("write the items that flip between right and wrong, as CSV"),
    "--save": _file("write the posterior, to be read by bayescmp.load"),
    "--figures": _option("write each pair's plots there, as PDF", metavar="DIR"),
    "--histogram": _option("with --plot: histograms of this metric above it", metavar="METRIC"),
    "--title": _option("heading of the report"),
    "--in-full": _option(
        "show at most N pairs with figures, those of the leading algorithms (default: all "
        "pairs of up to eight algorithms, of more the leading pair)",
        type=int,
        metavar="N",
    ),
    "--latex": _option(
        "length of .tex: compact (default: one table per metric for more than six pairs) or full",
        choices=("compact", "full"),
        default="compact",
    ),
    "--sensitivity": _flag("say for each pair what its decision depends on"),
    "--progress": _flag("show a progress bar, even in a file"),
    "--markdown": _flag("print the table in Markdown"),
    "--frequentist": _flag(
        "the frequentist tests instead: what each takes, and what a small p supports"
    ),
    "--json": _flag("print the whole result as JSON"),
    "--full": _flag("print all details, not only the summary"),
    # engines
    "--clear-cache": _flag("remove the compiled programs of this package"),
    "--version": _option("the release, e.g. 2.36.0", dest="cmdstan_version", metavar="RELEASE"),
    "--cores": _option("processes to build with", type=int, default=2),
}
OPTIONS = {name: replace(option, name=name) for name, option in _TABLE.items()}

#: Arguments that name files to be read.
INPUTS = ("scores", "items", "predictions", "data", "config", "evals")
#: Options that name files to be written.
OUTPUTS = tuple(o.dest for o in OPTIONS.values() if o.settings.get("metavar") == "FILE")

#: Settings of the table of scores for commands that take answers to questions as well.
SEVERAL_FILES = {
    "nargs": "+",
    "help": "CSV or Parquet table of scores, one row per fold; with --items what `bayescmp items` "
    "reads: tables, logs and folders, or NAME=PATH of each model's log",
}
#: Options that say what the columns of a table are, and those that say how to compare.
READING = (
    "--format --read-option --sep --decimal --missing --column --lower-is-better "
    "--higher-is-better --resampling"
)
TESTING = "--test --rho --prior --engine --threshold"
#: Help of --metric for commands that test by several.
RATES = (
    "metric to test by: a column, or a rate that follows from columns tp, fn, fp and tn "
    "(repeatable; default: these four)"
)


# Lists in help, each read where it is kept, and only when help is asked for.


def _tests(algorithms: str, *, of_items: bool = False) -> list[str]:
    """Return names of tests of TWO algorithms or of a GROUP: of folds that pair, or of items."""
    from bayescmp import catalogue

    span = getattr(catalogue, algorithms)
    known = (t for t in catalogue.bayesian_tests() if t.algorithms == span and t.paired)
    return [test.name for test in known if (test.unit != "folds") == of_items]


def tests_over_datasets() -> dict[str, BayesianTest]:
    """Return tests of several algorithms over data sets, by name; the first is the default."""
    from bayescmp.catalogue import GROUP, SEVERAL, bayesian_tests

    tests = (t for t in bayesian_tests() if (t.algorithms, t.datasets) == (GROUP, SEVERAL))
    named = {test.name.removeprefix("bayesian_"): test for test in tests}
    return {"bootstrap": named["bootstrap"], **named}


def tests_that_plan() -> dict[str, BayesianTest]:
    """Return tests of two algorithms over data sets by one metric, by their names as typed."""
    from bayescmp.catalogue import ONE, SEVERAL, TWO, bayesian_tests

    kind = ONE, TWO, SEVERAL
    tests = [t for t in bayesian_tests() if (t.metrics, t.algorithms, t.datasets) == kind]
    return {test.name.replace("_", "-"): test for test in tests}


class TestsOverDatasets(Iterable[str]):
    """The names of these tests, as argparse takes choices: read when a name is checked."""

    def __iter__(self) -> Iterator[str]:
        return iter(tests_over_datasets())


def _names_in(home: str) -> list[str]:
    """Return names of what a list at "module:name" holds."""
    return [getattr(one, "name", one) for one in resolve_name(home)]


def _pairwise(metrics: str) -> str:
    from bayescmp.study.procedure.decisions import PAIRWISE

    default, other = PAIRWISE[metrics]
    return f"{default} (default) or {other}"


LISTS: dict[str, Callable[[], str | Iterable[str]]] = {
    "tests": lambda: _tests("TWO"),
    "tests_of_items": lambda: _tests("TWO", of_items=True),
    "tests_of_several": lambda: _tests("GROUP"),
    "formats": lambda: _names_in("bayescmp.scores.readers.registry:FORMATS"),
    "item_formats": lambda: _names_in("bayescmp.scores.readers.items:ITEM_FORMATS"),
    "engines": lambda: resolve_name("bayescmp.engines:engines")(),
    "adjustments": lambda: _names_in("bayescmp.frequentist.multiplicity:METHODS"),
    "pairwise": lambda: _pairwise("one"),
    "pairwise_several": lambda: _pairwise("several"),
    "stops": lambda: " or ".join(_names_in("bayescmp.frequentist.permuting:RULES")),
    "tests_that_plan": tests_that_plan,
    "tests_over_datasets": lambda: ",".join(tests_over_datasets()),
    "metrics_by_weights": lambda: _names_in("bayescmp.bayesian.paired.weights:NAMED"),
}


# Commands.


@dataclass(frozen=True)
class Command:
    """A command: its name, help of one line and of several, its options, and what it runs."""

    name: str
    help: str
    description: str
    options: tuple[Option, ...]
    run: Run


COMMANDS: dict[str, Command] = {}


def command(name: str, usage: str, own: Own | None = None) -> Callable[[Run], Run]:
    """Add a command that runs the decorated function.

    Usage are names of `OPTIONS`: "--rope!" is required, "--metric..." may be given several times,
    "--jobs=1" has this default, and "scores?" may be left out. `own` has, for an option that means
    something else here, its help, or all that differs.
    """

    def add(run: Run) -> Run:
        options = tuple(_word_usage(word, own or {}) for word in usage.split())
        summary, _, description = cleandoc(run.__doc__ or "").partition("\n\n")
        help, description = summary.rstrip("."), " ".join(description.split())
        help = f"{help[:1].lower()}{help[1:]}"
        COMMANDS[name] = Command(name, help, description, options, run)
        return run

    return add


def _word_usage(word: str, own: Own) -> Option:
    """Return the option that a word of usage describes."""
    match = re.fullmatch(r"([\w-]+)(!?)(\?)?((?:\.\.\.)?)(?:=(.*))?", word)
    assert match is not None, word
    name, required, optional, several, default = match.groups()
    option, differs = OPTIONS[name], own.get(name, {})
    settings: dict[str, Any] = dict(option.settings)
    if required:
        settings["required"] = True
    if optional:
        settings["nargs"] = "?"
    if several:
        settings["action"] = "append"
    if default is not None:
        settings["default"] = default
    settings |= {"help": differs} if isinstance(differs, str) else differs
    help = settings.pop("help", option.help + (option.each if several else ""))
    return Option(name, help, settings)
