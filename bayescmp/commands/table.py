"""The table of all options, and what a command is: a line of usage and the function it runs.

To add a command, decorate its function in the file of its family:

    @command("best", "which algorithm is best", "Fits ...", "scores --metric --rope! --seed=2")
    def find_best(args: Arguments) -> None: ...

An option that no command has yet is one more entry of `OPTIONS`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
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
    """What argparse is told of an option: its name as typed, its help, and the rest.

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


def _option(name: str, help: str, each: str = "", **settings: Any) -> Option:
    return Option(name, help, settings, each)


def _list(name: str, help: str, metavar: str | None = None, **settings: Any) -> Option:
    """An option that may be given several times in every command."""
    return Option(name, help, {"action": "append", "metavar": metavar, **settings})


def _file(name: str, help: str, each: str = "") -> Option:
    """An option that names a file to be written."""
    return Option(name, help, {"metavar": "FILE"}, each)


def _flag(name: str, help: str) -> Option:
    return Option(name, help, {"action": "store_true"})


OPTIONS = {
    option.name: option
    for option in (
        # what is read
        _option("scores", "CSV or Parquet table of scores, one row per fold"),
        _option(
            "items",
            "CSV or Parquet table, one row per model and item; files or folders of "
            "lm-evaluation-harness, Inspect, Every Eval Ever, HELM, SWE-bench, MTEB, promptfoo; "
            "NAME=PATH gives the model a name",
            nargs="+",
        ),
        _option(
            "predictions",
            "CSV or Parquet table: a row per test item with its label and a column of predicted "
            "scores per algorithm; or a row per item and algorithm, with columns algorithm and "
            "value. Columns dataset, repeat, fold and item are understood",
        ),
        _option("data", "CSV or Parquet table, one row per case"),
        _option("config", "TOML file: [estimators.NAME], [datasets.NAME], [cv], ..."),
        _option(
            "algorithms",
            "compare these only, named directly after the table (default: all)",
            nargs="*",
            metavar="ALGORITHM",
            default=None,  # without one argparse calls it required, in its message
        ),
        _option(
            "--metric",
            "column to compare by (may be left out if there is one)",
            "; may be given several times",
        ),
        _option(
            "--format",
            "the program that wrote the scores ({formats}; table for a plain table); auto "
            "(default) recognises it",
            default="auto",
        ),
        _option(
            "--sep",
            "what separates the fields of a text file, such as ';' or tab (default: found)",
            metavar="SIGN",
            type=lambda typed: "\t" if typed in ("tab", "\\t") else typed,
        ),
        _option(
            "--decimal",
            "the decimal sign of a text file (default: found)",
            metavar="SIGN",
            choices=(".", ","),
        ),
        _list(
            "--read-option",
            "further options of the format, e.g. constraint=1h8c",
            "NAME=VALUE",
            default=[],
        ),
        _option(
            "--missing",
            "common: compare only on folds and data sets for which every algorithm compared has a "
            "score, and count what is left out; error (default): refuse",
            choices=("error", "common"),
            default="error",
        ),
        _list(
            "--column",
            "which column is the dataset, algorithm, repeat or fold, where its name does not say; "
            "e.g. --column dataset=dataset_id",
            "PART=NAME",
            default=[],
        ),
        _list(
            "--lower-is-better",
            "a metric for which lower is better, where its name does not say",
            "METRIC",
            default=[],
        ),
        _list(
            "--higher-is-better",
            "a metric for which higher is better, where its name does not say",
            "METRIC",
            default=[],
        ),
        _option(
            "--resampling",
            "how the folds were drawn, where the table does not say: 10-fold, 10x10-fold (repeats "
            "x folds), 'random splits 0.33' (the share tested), leave-one-out, seeds, "
            "independent, 'windows rho 0.3'",
            metavar="HOW",
        ),
        _option("--pass-hat", "score by pass^K: all of K epochs right", type=int, metavar="K"),
        _option("--pass-at", "score by pass@K: any of K epochs right", type=int, metavar="K"),
        _option("--filter", "lm-evaluation-harness: the filter whose scores to use"),
        _option("--evals", "Inspect: the table of evaluations, from evals_df"),
        _option("--truth", "the column of labels (default truth)", default="truth"),
        _option("--positive", "the positive class (default: 1 or True)"),
        _option("--target", "column of the classes"),
        _list("--drop", "a column that is not a feature (repeatable)", "COLUMN", default=[]),
        _list(
            "--nominal",
            "a numeric column that holds categories (repeatable)",
            "COLUMN",
            default=[],
        ),
        # what is compared
        _option("--first", "the first algorithm (left)"),
        _option("--second", "the second algorithm (right)"),
        _list("--algorithm", "compare these only (repeatable)", "NAME", dest="algorithms"),
        _option("--control", "compare all others with this algorithm only"),
        _option("--baseline", "what the candidate is to replace"),
        _list("--candidate", "what is judged (repeatable)", "NAME"),
        _list(
            "--margin",
            "by how much the candidate may be worse, in units of the metric; of several metrics "
            "one for all, or one each, as --margin accuracy=0.01 --margin latency=5",
            "MARGIN",
        ),
        _option(
            "--on",
            "what must not be worse: the mean over data sets, or the next one (default: next if "
            "there are several)",
            choices=("mean", "next"),
        ),
        _flag(
            "--sequential",
            "of independent items in random order: pass, fail, or go on, however often one looks",
        ),
        _option("--undecided", "what an undecided outcome counts as", choices=("pass", "fail")),
        Option(
            "--items",
            "scores are answers: tables of a row per model and question, or logs of evaluations",
            {"action": "store_true", "dest": "of_items"},
        ),
        _option("--dataset", "use this data set only", " (repeatable)"),
        _option("--benchmark", "compare on this benchmark only"),
        _option(
            "--scale",
            "what differs: the scores (default), their logarithms, so that --rope 1%% is a ratio "
            "of 1.01, or the scores in standard deviations of a pair's differences",
            choices=("difference", "log_ratio", "standardised"),
            default="difference",
        ),
        _option(
            "--rope",
            "region of practical equivalence: half-width, or LOW,HIGH, as --rope=-0.005,0.01; "
            "with one infinite end, --rope=-0.01,inf, whether the second is not worse",
            "; for several metrics one for all, or one each, as --rope tpr=0.01 --rope fpr=0.02",
        ),
        _flag(
            "--unpaired",
            "runs have seeds of their own and do not pair: tests for independent samples",
        ),
        _option(
            "--block",
            "fold (default): all algorithms were run on the same folds; none: tests that make no "
            "use of that (the table still needs the same fold labels for all)",
            default="fold",
        ),
        # how
        _option(
            "--test",
            "auto (default), or one that takes the scores, as `bayescmp tests` says: {tests}",
            default="auto",
        ),
        _option("--rho", "correlation of folds, if not 1/folds", type=float),
        _option("--prior", f"prior of the hierarchical test: {' (default) or '.join(PRIORS)}"),
        _option("--engine", "auto, {engines}", default="auto"),
        _option(
            "--threshold", "decide at this probability (default 0.95)", type=float, default=0.95
        ),
        _option("--alpha", "level of the tests (default 0.05)", type=float, default=0.05),
        _option("--adjust", "adjustment of the p-values: {adjustments}", default="holm"),
        _option("--seed", "seed of the draws (default 1)", type=int, default=1),
        _option("--draws", "draws per chain", type=int, default=5000),
        _option("--by", "the other: auto, {engines}", default="auto"),
        _option(
            "--jobs",
            "processes at most (default: one per core, where that saves time)",
            type=int,
            dest="n_jobs",
            metavar="JOBS",
        ),
        _option("--variances", "auto, equal (one for all algorithms) or own", default="auto"),
        _option("--method", "how the answer is found"),
        _option(
            "--variance",
            "permutation, or published: the formulas as printed, for reproducing papers",
            default="permutation",
        ),
        _option(
            "--distribution",
            "distribution of the comparisons: normal, t (Conover's test, Quade's) or exact",
            default="normal",
        ),
        _list(
            "--order",
            "an algorithm, from the worst to the best expected, for --test page (repeatable)",
            "NAME",
        ),
        _list(
            "--cost",
            "what a unit of a metric costs, e.g. --cost fp=1 --cost fn=5 (default: fp and fn 1 "
            "each; a single metric is its own risk)",
            "METRIC=NUMBER",
            default=[],
        ),
        _option("--pairwise", "{pairwise}; for several metrics {pairwise_several}"),
        _flag("--plain", "use tests that ignore the overlap of folds"),
        _option("--estimator", "a classifier"),
        _option("--n", "random data sets (default 1000)", type=int, default=1000),
        _option("--cv", "number of folds, or loo (default 10)", default="10"),
        _option("--repeats", "repeats of cross-validation", type=int, default=10),
        _option("--scoring", "scorer of scikit-learn (default: the error rate)"),
        _option("--stop", "{stops}: stop when the decision at alpha is settled"),
        _list(
            "--allow",
            "a package besides scikit-learn whose classes the file may name (repeatable); its "
            "classes are called with whatever the file says",
            "PACKAGE",
            default=[],
        ),
        _flag("--retry-failed", "run the checkpoint's failed folds again"),
        _flag(
            "--refit",
            "fit again where a sampler's reweighted draws can't be relied on (k-hat over 0.7)",
        ),
        _option("--most", "leave out so many at most (default 10)", type=int, default=10),
        _option("--seconds", "search so long at most (default 10)", type=float, default=10.0),
        # what is simulated
        _option("--datasets", "numbers of (further) data sets", type=int, nargs="+", metavar="Q"),
        _option("--folds", "differences on each new data set", type=int),
        _option(
            "--more-folds",
            "further differences on each data set seen",
            type=int,
            nargs="+",
            metavar="N",
        ),
        _option("--delta0", "centre of the mean differences", type=float, nargs="+"),
        _option("--sigma0", "their scale", type=float, nargs="+"),
        _option("--nu", "their degrees of freedom (default 10)", type=float),
        _option("--noise", "sd of a fold (default 2 times the rope)"),
        _option("--simulations", "studies (default 400)", type=int, default=400),
        _option("--difference", "mean difference of the two models", type=float),
        _option("--between", "variance of the questions' true differences", type=float),
        _option(
            "--within",
            "variance of a question's difference over single answers (default 0)",
            type=float,
            default=0.0,
        ),
        _option("--questions", "numbers of questions", type=int, nargs="+", metavar="N"),
        _list(
            "--weight", "how much a benchmark counts (repeatable)", "BENCHMARK=NUMBER", default=[]
        ),
        _option("--epochs", "answers of each model to a question", type=int, nargs="+"),
        _option("--power", "of the detectable difference (default 0.8)", type=float, default=0.8),
        _option("--cost-question", "of a question, beside its answers", type=float),
        _option("--cost-answer", "of one answer of both models", type=float),
        # what is written
        _file(
            "--checkpoint",
            "save every finished fold here at once, and resume from it; the other commands read "
            "it as a table of scores (an SQLite file, whatever its name)",
        ),
        _file("--out", "write the table as CSV"),
        _file("--plot", "write the test's plot (png, svg, pdf)"),
        _file("--shrinkage", "write the plot of all data sets"),
        _file("--density", "write the density of the mean difference"),
        _file("--rope-curve", "write the probabilities as the rope widens"),
        _file("--ladder", "write the ladder: the algorithms in order"),
        _file("--forest", "write all pairs' intervals"),
        _file("--bars", "write all pairs' verdicts as bars"),
        _file("--diagram", "write the critical-difference diagram"),
        _file("--heatmap", "write the heat map of p-values"),
        _file("--projection", "write the plot of the learned measures"),
        _file("--wins", "write the wins diagram"),
        _file("--csv", "write all columns as CSV"),
        _file("--junit", "write the checks as JUnit XML"),
        _file("--flips", "write the items that flip between right and wrong, as CSV"),
        _file("--save", "write the posterior as netCDF, for ArviZ"),
        _option("--figures", "write each pair's plots there, as PDF", metavar="DIR"),
        _option(
            "--histogram", "with --plot: histograms of this metric above it", metavar="METRIC"
        ),
        _option("--title", "heading of the report"),
        _option(
            "--in-full",
            "show at most N pairs with pictures, those of the leading algorithms (default: all "
            "pairs of up to eight algorithms, of more the leading pair)",
            type=int,
            metavar="N",
        ),
        _option(
            "--latex",
            "length of .tex: compact (default: one table a metric where there are more than six "
            "pairs) or full",
            choices=("compact", "full"),
            default="compact",
        ),
        _flag("--sensitivity", "say for each pair what its decision depends on"),
        _flag("--progress", "show a bar, also in a file"),
        _flag("--markdown", "print the table in Markdown"),
        _flag(
            "--frequentist",
            "the frequentist tests instead: what each takes, and what a small p supports",
        ),
        _flag("--json", "print the whole result as JSON"),
        _flag("--full", "print everything, not the answer alone"),
        # engines
        _flag("--clear-cache", "remove the compiled programs of this package"),
        _option(
            "--version", "the release, e.g. 2.36.0", dest="cmdstan_version", metavar="RELEASE"
        ),
        _option("--cores", "processes to build with", type=int, default=2),
    )
}

#: Arguments that name files to be read.
INPUTS = ("scores", "items", "predictions", "data", "config", "evals")
#: Options that name files to be written.
OUTPUTS = tuple(o.dest for o in OPTIONS.values() if o.settings.get("metavar") == "FILE")

#: Of the table of scores, for commands that take answers to questions as well.
SEVERAL_FILES = {
    "nargs": "+",
    "help": "CSV or Parquet table of scores, one row per fold; with --items what `bayescmp items` "
    "reads: tables, logs and folders, or NAME=PATH of each model",
}
#: Options that say what the columns of a table are, and those that say how to compare.
READING = (
    "--format --read-option --sep --decimal --missing --column --lower-is-better "
    "--higher-is-better --resampling"
)
TESTING = "--test --rho --prior --engine --threshold"
#: Of --metric, for commands that test by several.
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
    return [t.name for t in known if (t.unit != "folds") == of_items]


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


class TestsOverDatasets(Collection[str]):
    """Their names, as argparse takes choices: read when a name is checked."""

    def __contains__(self, name: object) -> bool:
        return name in tests_over_datasets()

    def __iter__(self) -> Iterator[str]:
        return iter(tests_over_datasets())

    def __len__(self) -> int:
        return len(tests_over_datasets())


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


def command(
    name: str, help: str, description: str, usage: str, own: Own | None = None
) -> Callable[[Run], Run]:
    """Add a command that runs the decorated function.

    Parameters
    ----------
    name, help, description : str
        As ``bayescmp --help`` and ``bayescmp NAME --help`` show them.
    usage : str
        Names of `OPTIONS`. "--rope!" is required, "--metric..." may be given several times,
        "--jobs=1" has this default, and "scores?" may be left out.
    own : mapping, optional
        Of an option that means something else here: its help, or all that differs.
    """

    def add(run: Run) -> Run:
        options = tuple(_used(word, own or {}) for word in usage.split())
        COMMANDS[name] = Command(name, help, description, options, run)
        return run

    return add


def _used(word: str, own: Own) -> Option:
    """Return an option as a word of usage has it."""
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
