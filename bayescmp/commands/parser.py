"""The argument parser that all commands share, and the arguments that most of them take."""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Iterable, Sequence
from difflib import get_close_matches
from itertools import takewhile
from typing import Any, NoReturn, TypeAlias

from bayescmp.wording.text import join_items

#: Exit code of bad input.
BAD_INPUT = 2
PRIORS = ("corani2017", "benavoli2017")
#: Arguments that name files to be read.
INPUTS = ("table", "also", "evals", "config")

#: A group of arguments, whose class argparse keeps to itself.
Group: TypeAlias = Any


class _Once(argparse.Action):
    """An option that may be given only once: a second value would silently replace the first."""

    def __call__(
        self,
        parser: argparse.ArgumentParser,
        namespace: argparse.Namespace,
        values: object,
        option_string: str | None = None,
    ) -> None:
        given = namespace.__dict__.setdefault("_given", set())
        if option_string is not None and self.dest in given:
            parser.error(f"{option_string} must be given once (got it twice).")
        given.add(self.dest)
        setattr(namespace, self.dest, values)


class _HelpFormatter(argparse.HelpFormatter):
    """Help that calls values N or NAME, not by the name of their option."""

    def _get_default_metavar_for_optional(self, action: argparse.Action) -> str:
        return "N" if action.type in (int, float) else "NAME"


class Parser(argparse.ArgumentParser):
    """The parser of one command; it accepts options only with their full names.

    `usage` is what is typed, `description` what the command answers, `example` a call.
    """

    def __init__(self, usage: str, description: str | None, example: str = "") -> None:
        super().__init__(
            prog=re.split(r" [A-Z[-]", usage)[0],
            usage=f"{usage}\ne.g.:  {example}" if example else usage,
            description=description,
            formatter_class=_HelpFormatter,
            allow_abbrev=False,
        )
        self.example = example
        # what begins like a number is a value: --rope -0.01,inf
        self._negative_number_matcher = re.compile(r"-(\d|\.\d|inf\b)")
        for name in (None, "store"):
            self.register("action", name, _Once)

    @property
    def options(self) -> list[argparse.Action]:
        """The options and positional arguments, without --help."""
        return [action for action in self._actions if action.dest != "help"]

    def read(self, words: Sequence[str], namespace: Any) -> Any:
        """Return the arguments; options and names may be typed in any order."""
        self._check_options(words)
        return self.parse_intermixed_args(words, namespace)

    def _check_options(self, words: Sequence[str]) -> None:
        """Refuse an unknown option and name the nearest, before a missing one is reported."""
        known = self._option_string_actions
        for word in takewhile(lambda word: word != "--", words):
            option, _, value = word.partition("=")
            if value == "--" and option in known:  # which argparse drops, and stores a list
                self.error(f"argument {option}: '--' is not a value")
            if re.fullmatch(r"-[a-zA-Z]|--\S*", option) and option not in known:
                self.error(f"unrecognized arguments: {option}{nearest(option, known)}")

    def error(self, message: str) -> NoReturn:
        """Print one line, and exit."""
        print(f"{self.prog}: error: {one_line(message)} (see {self.prog} --help)", file=sys.stderr)
        raise SystemExit(BAD_INPUT)


def one_line(message: str) -> str:
    """Return a message in one line; of a word of hundreds of letters, only start and end."""
    return re.sub(r"(\S{60})\S{200,}(\S{20})", r"\1...\2", " ".join(message.split()))


def nearest(name: str, known: Iterable[str]) -> str:
    """Return a question that names the known names nearest to one that is unknown."""
    near = get_close_matches(name, known, n=1) or [k for k in known if k.startswith(f"-{name}")]
    return f"; did you mean {join_items(sorted(near), 'or')}?" if near else ""


# Arguments of several commands.


#: Options of several commands, with what argparse takes.
SHARED: dict[str, dict[str, Any]] = {
    "--metric": {"metavar": "METRIC", "help": "column to compare by (if the table has several)"},
    "--rope": {
        "metavar": "ROPE",
        "help": "differences too small to matter (region of practical equivalence), in units of "
        "the metric: 0.01, 1%%, or LOW,HIGH as --rope=-0.005,0.01 (default: none, the direction "
        "is judged)",
    },
    "--dataset": {"metavar": "NAME", "help": "use only this data set or benchmark"},
    "--scale": {
        "choices": ("difference", "log_ratio", "standardised"),
        "default": "difference",
        "help": "differences of scores (default), of their logarithms, so that --rope 1%% is a "
        "ratio of 1.01, or in standard deviations",
    },
    "--test": {
        "metavar": "TEST",
        "default": "auto",
        "help": "auto (default), or one that `bayescmp info tests` lists",
    },
    "--threshold": {
        "type": float,
        "default": 0.95,
        "help": "probability that a verdict requires (default 0.95)",
    },
    "--rho": {
        "type": float,
        "help": "correlation of two folds' differences (default: 1/folds, from the fold labels)",
    },
    "--prior": {
        "metavar": "PRIOR",
        "help": "prior of the hierarchical test: corani2017 (default) or benavoli2017",
    },
    "--engine": {
        "metavar": "ENGINE",
        "default": "auto",
        "help": "auto (default), or one that `bayescmp info engines` lists",
    },
    "--seed": {"type": int, "default": 1, "help": "seed of random numbers (default 1)"},
    "--n-jobs": {
        "type": int,
        "metavar": "N",
        "help": "processes, -1 for one per core (default: 1, or one per core for over 500 pairs)",
    },
    "--alpha": {"type": float, "default": 0.05, "help": "level of the tests (default 0.05)"},
    "--adjust": {
        "metavar": "METHOD",
        "default": "holm",
        "help": "adjustment of the p-values (default %(default)s): none, bonferroni, holm, "
        "holland, hochberg, hommel, finner, li, benjamini-hochberg, rom, nemenyi, shaffer or "
        "bergmann-hommel",
    },
    "--full": {"action": "store_true", "help": "print all details, not only the summary"},
    "--json": {"action": "store_true", "help": "print the whole result as JSON"},
    "--plot": {"metavar": "FILE", "help": "write the figure (png, svg, pdf)"},
    "--save": {"metavar": "FILE", "help": "write the posterior, which bayescmp.load reads"},
    "--sep": {
        "metavar": "SIGN",
        "type": lambda typed: "\t" if typed in ("tab", "\\t") else typed,
        "help": "separator of the fields, such as ';' or tab (default: found)",
    },
    "--decimal": {
        "metavar": "SIGN",
        "choices": (".", ","),
        "help": "decimal sign of the numbers (default: found)",
    },
}
#: Help for options that may be given several times.
SEVERAL = {
    "--metric": "; repeat it to compare by several",
    "--rope": "; of several metrics one for all, or --rope tpr=0.01 --rope fpr=0.02",
    "--dataset": " (repeatable)",
}
#: Options of the Bayesian tests.
BAYESIAN = ("--test", "--threshold", "--rho", "--prior", "--engine", "--seed")
#: Settings of an option that may be given several times.
REPEATED: dict[str, Any] = {"action": "append", "default": []}


def add_shared(group: Group, *names: str, several: bool = False, **changes: Any) -> None:
    """Add shared options to a group of a command, with the settings that differ there."""
    for name in names:
        settings = SHARED[name] | changes
        if several:
            settings |= {"action": "append", "help": settings["help"] + SEVERAL[name]}
        group.add_argument(name, **settings)


def add_group(parser: Parser, title: str, *names: str) -> Group:
    """Add a group with shared options."""
    group = parser.add_argument_group(title)
    add_shared(group, *names)
    return group


def add_table(
    parser: Parser, algorithms: str = "compare only these (default: all)", *, answers: bool = True
) -> None:
    """Add the table, and the algorithms that are named after it."""
    kinds = "scores or of answers to questions, or a log" if answers else "scores"
    table = f"CSV or Parquet file of {kinds} (see the last options)"
    parser.add_argument("table", metavar="TABLE", help=table)
    add_algorithms(parser, algorithms)


def add_algorithms(parser: Parser, help: str) -> None:
    """Add algorithms, as names after the table."""
    help = f"{help}; last, after --, if a name begins with -"
    parser.add_argument("algorithms", metavar="ALGORITHM", nargs="*", default=[], help=help)


def add_reading(parser: Parser, *, answers: bool = True) -> None:
    """Add how a table of scores is read, and how answers to questions are, as the last groups."""
    group = parser.add_argument_group(
        "how the table is read",
        "One row per fold, or one row per data set. These options are rarely needed: "
        "what the table holds is found from its columns and their names.",
    )
    add = group.add_argument
    program = "the program that wrote the table, as `bayescmp info formats` lists (default: found)"
    add("--format", metavar="FORMAT", default="auto", help=program)
    part = "the column of a part, e.g. dataset=where"
    add("--column", metavar="PART=NAME", help=part, **REPEATED)
    how = (
        "how the folds were drawn: 10-fold, 10x10-fold (repeats x folds), 'random splits 0.33' "
        "(the proportion tested), leave-one-out, seeds, independent, 'windows rho 0.3'"
    )
    add("--resampling", metavar="HOW", help=how)
    missing = "common: leave out what some algorithm lacks, and count it (default: error, refuse)"
    add("--missing", choices=("error", "common"), default="error", help=missing)
    for way in ("lower", "higher"):
        better = f"a metric for which {way} is better"
        add(f"--{way}-is-better", metavar="METRIC", help=better, **REPEATED)
    add_shared(group, "--sep", "--decimal")
    option = "an option of the format, e.g. constraint=1h8c"
    add("--read-option", metavar="NAME=VALUE", help=option, **REPEATED)
    if answers:
        _add_answers(parser)


def add_errors(parser: Parser) -> None:
    """Add how means with standard errors are read."""
    add = parser.add_argument_group(
        "if the table has means with standard errors",
        "As papers report them: one row per algorithm (and data set) with a column of errors, or "
        "one row per data set with columns such as svm and svm_se.",
    ).add_argument
    errors = "the column of standard errors, e.g. se (also of svm_se); ± for cells 0.81 ± 0.02"
    add("--errors", metavar="NAME", help=errors)
    deviations = "the same for standard deviations of single runs; needs --runs"
    add("--deviations", metavar="NAME", help=deviations)
    runs = "independent runs behind each mean, a number or a column (default: errors are known)"
    add("--runs", metavar="N", help=runs)


def _add_answers(parser: Parser) -> None:
    """Add how answers to questions are read."""
    add = parser.add_argument_group(
        "if rows are answers to questions",
        "One row per model and question, or a log of lm-evaluation-harness, Inspect, "
        "Every Eval Ever, HELM, SWE-bench, MTEB or promptfoo. Algorithms are models, and "
        "data sets are benchmarks. Parts for --column are model, benchmark, item, "
        "cluster, judge, epoch and score; naming one of them declares answers.",
    ).add_argument
    also = "a further table or log; NAME=PATH, as for TABLE, names its model (repeatable)"
    add("--also", metavar="PATH", help=also, **REPEATED)
    add("--pass-hat", type=int, metavar="K", help="score: all of K epochs right")
    add("--pass-at", type=int, metavar="K", help="score: any of K epochs right")
    add("--filter", help="lm-evaluation-harness: the filter whose scores are used")
    add("--evals", metavar="PATH", help="Inspect: the table from evals_df")
