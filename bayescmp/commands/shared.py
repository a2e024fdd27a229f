"""Shared by several commands: reading of scores and ropes, checks, plots, and printing."""

from __future__ import annotations

import argparse
import json
import os
import re
import shlex
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from bayescmp.base.arguments import arg, must, must_be
from bayescmp.base.checks import check_choice, make_generator
from bayescmp.base.files import as_path, check_distinct, check_writable, replace_when_whole
from bayescmp.commands.parser import INPUTS, PRIORS, Parser
from bayescmp.errors import InputError, QuestionsError
from bayescmp.present.forms import as_text
from bayescmp.present.summary import summarise
from bayescmp.wording.text import fill_lines, join_items, line_width

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

    from bayescmp.base.typing import Json
    from bayescmp.bayesian import HierarchicalPrior
    from bayescmp.catalogue import BayesianTest
    from bayescmp.items.items import Items
    from bayescmp.scores.means import Means
    from bayescmp.scores.predictions import Predictions
    from bayescmp.scores.readers.base import Format
    from bayescmp.scores.scores import Scores

#: Between "written" and a file's name, where other lines begin with a word and its column.
GAP = " " * 6

#: Exit code of interrupted work; finished parts were printed.
INTERRUPTED = 130

Size: TypeAlias = tuple[float, float]


@contextmanager
def stage(name: str) -> Iterator[None]:
    """Show what a command is doing on a line of the terminal, which disappears when it is done."""
    if not sys.stderr.isatty():
        yield
        return
    from tqdm import tqdm

    with tqdm(total=1, desc=name, leave=False, bar_format="{desc} [{elapsed}]"):
        yield


# The command line.


class Arguments(argparse.Namespace):
    """The command line: a command reads, checks, draws and prints by it."""

    parser: Parser
    #: The answers to questions before they are scored by pass^k.
    answers: Items
    #: Whether the table held answers to questions, once it is read.
    of_items: bool = False
    #: Options that do not belong to the answer, and are not offered after it.
    hidden: frozenset[str] = frozenset()
    #: The hash of the table, once it is read.
    table_hash: str | None = None
    #: Where the JSON is put if it is not printed, with its recipe.
    captured: list[Any] | None = None
    #: Whether the answer can be computed again.
    has_recipe: bool = True

    def note_table(self, frame: pd.DataFrame) -> None:
        """Keep the hash of the table that was read, for an answer in JSON."""
        if getattr(self, "json", False):
            from bayescmp.commands.recipe import hash_table

            self.table_hash = hash_table(frame)

    def take_options(self, *options: str) -> dict[str, Any]:
        """Return options under the names of the functions' arguments."""
        return {option: getattr(self, option) for option in options}

    def take_given(self, *options: str) -> dict[str, Any]:
        """Return the options that were given; the others keep their defaults."""
        return {
            name: value for name, value in self.take_options(*options).items() if value is not None
        }

    def is_given(self, option: str) -> bool:
        """Return whether an option was given, with a value other than its default."""
        return hasattr(self, option) and getattr(self, option) != self.parser.get_default(option)

    def refuse(self, options: Iterable[str], where: str, got: str, hint: str = "") -> None:
        """Refuse options that do not belong to this kind of comparison."""
        for option in options:
            if self.is_given(option):
                raise must_be_used(option, where, got, hint)

    def keep_to(self, takes: Mapping[str, str], kind: str, got: str = "") -> None:
        """Refuse options that belong only to other kinds of answers than what was `got`."""
        others = {option for options in takes.values() for option in options.split()}
        self.hidden = frozenset(others - {*takes[kind].split()})
        for option in sorted(self.hidden):
            where = [name for name, options in takes.items() if option in options.split()]
            self.refuse([option], join_items(where, "or"), got or kind)

    # The table.

    def read_scores(self) -> Scores:
        """Read the scores that the options name."""
        from bayescmp.scores.readers.registry import FORMATS, OF_SCORES
        from bayescmp.scores.scores import Scores

        columns = read_columns(self.column, "dataset=dataset_id")
        own = {*OF_SCORES} - {"metric"}  # which have separate options
        options = self._read_options(FORMATS, own, "constraint=1h8c")
        metric = getattr(self, "metric", None)
        metrics = [metric] if isinstance(metric, str) else metric or []
        if len(metrics) == 1:  # what a wide table is of
            options = {"metric": metrics[0], **options}
        options |= self.take_given("sep", "decimal")
        scores = Scores.read(
            self.table,
            self.format,
            **({"columns": columns} if columns else {}),
            lower_is_better=self.lower_is_better,
            higher_is_better=self.higher_is_better,
            resampling=self.resampling,
            missing=self.missing,
            **options,
        )
        hint = f"If rows are questions, name their column: {arg('columns', {'item': ...})}."
        self.refuse(ANSWERS, "answers to questions", "scores", hint)
        if not scores.has_folds:
            self.refuse(["rho"], "scores of folds", "one score per data set")
        tell(scores.notes)
        self.note_table(scores.frame)
        return scores.on_scale(self.scale) if hasattr(self, "scale") else scores

    def read_only_scores(self) -> Scores:
        """Read scores, and name the command for questions if the table holds answers."""
        try:
            return self.read_scores()
        except QuestionsError as error:
            compare = f"bayescmp compare {shlex.quote(str(self.table))} --rope 0.01"
            raise (
                self._ask_for_kind(error, f"{compare} ")
                if error.unclear
                else InputError(f"{error.reason}. Use `{compare}`.", "table")
            ) from None

    def _ask_for_kind(self, error: QuestionsError, command: str = "") -> InputError:
        """State how to declare what the rows of a table are, for questions after a command."""
        parts = [f"item={error.column}"]
        if error.column is None:
            parts = [f"model={model}" for model in error.models]
        items = " ".join(f"--column {shlex.quote(part)}" for part in parts)
        dataset = shlex.quote(f"dataset={'NAME' if error.column is None else error.column}")
        return InputError(
            f"{error.reason}. For questions use {command}{items}. If they are data sets, name "
            f"their column with --column {dataset}.",
            "table",
        )

    def read_any(self) -> Scores | Items | Means:
        """Read means with the errors that the options name; else as `read_table`."""
        return self.read_means() if self.has_errors() else self.read_table()

    def has_errors(self) -> bool:
        """Return whether the options name errors of means."""
        given = self.errors is not None or self.deviations is not None
        if not given:
            self.refuse(["runs"], "--errors or --deviations", "neither")
        return given

    def read_table(self) -> Scores | Items:
        """Read scores, or answers to questions if the table holds them or is a log."""
        if self.declares_answers():
            return self.read_items()
        try:
            return self.read_scores()
        except QuestionsError as error:
            if error.unclear:
                raise self._ask_for_kind(error) from None
            return self.read_items()
        except InputError as error:
            if self.table.endswith((".json", ".jsonl")):
                with suppress(InputError):
                    return self.read_items()
            raise error

    def read_means(self) -> Means:
        """Read means with the standard errors that the options name."""
        from bayescmp.scores.means import Means

        self.refuse(["resampling", *ANSWERS], "single scores", "means with errors")
        runs, metric = self.runs, self.named_metric()
        if isinstance(metric, list):
            raise must_be("metric", "one metric for means with errors", f"{len(metric)} metrics")
        means = Means.read(
            self.table,
            **self.take_given("errors", "deviations", "sep", "decimal"),
            runs=int(runs) if runs is not None and runs.isdecimal() else runs,
            columns=read_columns(self.column, "dataset=dataset_id") or None,
            metric=metric,
            lower_is_better=self.lower_is_better,
            higher_is_better=self.higher_is_better,
        )
        self.note_table(means.frame.reset_index())
        return means

    def declares_answers(self) -> bool:
        """Return whether the options show that the table holds answers, before it is read."""
        from bayescmp.scores.readers.items import ITEM_FORMATS

        log = self.also or os.path.isdir(self.table) or self.table.endswith(".eval")
        named = os.path.exists(self.table.partition("=")[2])
        log = log or (named and not os.path.exists(self.table))
        parts = {text.partition("=")[0] for text in self.column}
        formats = [form.name for form in ITEM_FORMATS]
        return bool(log or self.format in formats or parts & PARTS)

    def _read_options(
        self, formats: Iterable[Format], own: set[str], example: str
    ) -> dict[str, Any]:
        """Return the options of a format from --read-option; `own` are options of the command."""
        given = named_values("--read-option", self.read_option, f"NAME=VALUE, e.g. {example}")
        known = sorted({option for form in formats for option in form.options} - own)
        for name in given:
            check_choice("name in --read-option", name, known)
        return given

    def read_items(self, metric: str | None = None) -> Items:
        """Read the answers that the options name; of one of several metrics, if it is given."""
        from bayescmp.items.items import Items
        from bayescmp.scores.readers.items import ITEM_FORMATS
        from bayescmp.study.question import check_items

        self.of_items = True
        self.refuse(["resampling"], "scores of folds", "questions, which are independent units")
        own = self._read_options(ITEM_FORMATS, {"metric"}, "split=test")
        chosen = metric or _metric_of_items(self.metric)
        ways = {
            way: [name for name in getattr(self, way) if metric in (None, name)]
            for way in ("lower_is_better", "higher_is_better")
        }
        with stage("reading answers"):
            items = Items.read(
                _sources([self.table, *self.also]),
                self.format,
                columns=read_columns(self.column, "item=question_number"),
                missing=self.missing,
                **ways,
                **({} if chosen is None else {"metric": chosen}),
                **self.take_given("sep", "decimal", "filter", "evals"),
                **own,
            )
        check_items(items, None, getattr(self, "rho", None), getattr(self, "scale", None))
        tell(items.notes)
        self.note_table(items.frame)
        self.answers = items
        if self.pass_hat is not None and self.pass_at is not None:
            raise must("pass_at", "be left out with --pass-hat")
        if self.pass_hat is not None:
            return items.pass_hat(self.pass_hat)
        return items if self.pass_at is None else items.pass_at(self.pass_at)

    def read_prior(self) -> HierarchicalPrior | None:
        """Return the prior that the options name, None if they name none."""
        from bayescmp.bayesian import HierarchicalPrior

        if self.prior is None:
            return None
        check_choice("prior", self.prior, PRIORS)
        prior: HierarchicalPrior = getattr(HierarchicalPrior, self.prior)()
        return prior

    def read_rope(self) -> Any:
        """Read the one ROPE that is given."""
        return None if self.rope is None else read_rope(self.rope)

    def pair_of(self, scores: Scores | Items | Means | Predictions) -> tuple[str, str]:
        """Return the two algorithms that are named; the only two need not be named."""
        names = self.names_of(scores)
        if len(names) != 2:
            what = "models" if hasattr(scores, "models") else "algorithms"
            raise InputError(
                f"Two {what} must be named after the table (got {len(self.algorithms)}). It has "
                f"{', '.join(map(repr, known_names(scores)))}.",
                "algorithms",
            )
        return names[0], names[1]

    def names_of(self, scores: Scores | Items | Means | Predictions) -> tuple[str, ...]:
        """Return the algorithms that are named, or all."""
        known = known_names(scores)
        named = [check_choice("algorithm", name, known) for name in self.algorithms[:1]]
        if len(known) == 1 or len(self.algorithms) == 1:
            metric = getattr(self, "metric", None) or []
            metrics = [metric] if isinstance(metric, str) else list(metric)
            metric_words = [word for one in metrics[:1] for word in ("--metric", one)]
            words = ["bayescmp", "estimate", str(self.table), *named, *metric_words]
            where = "must be in the table" if len(known) == 1 else "must be named, or none"
            raise InputError(
                f"Two algorithms or more {where} (got only {[*named, *known][0]!r}). For only one "
                f"use {shlex.join(words)}",
                "algorithms",
            )
        return tuple(self.algorithms) or known

    def named_metric(self) -> str | list[str] | None:
        """Return the metric if one is named, all if several are; None of items, of one."""
        if getattr(self, "of_items", False):
            return None
        given: list[str] | None = self.metric
        return given[0] if given and len(given) == 1 else given

    @property
    def typed_metric(self) -> str:
        """The options that name the metrics, as another command takes them."""
        given = getattr(self, "metric", None) or []
        names = [given] if isinstance(given, str) else given
        return "".join(f" --metric {shlex.quote(name)}" for name in names)

    def check(self) -> None:
        """Refuse what no command can do: files, a threshold, an adjustment, an engine."""
        self.check_files()
        given = getattr(self, "algorithms", [])
        for name in given:
            if given.count(name) > 1:
                raise InputError(
                    f"ALGORITHM must be given once (got {name!r} twice).", argument="algorithms"
                )
        if hasattr(self, "threshold"):
            from bayescmp.results.verdict import check_threshold

            check_threshold(self.threshold)
        if self.is_given("adjust"):
            from bayescmp.frequentist.multiplicity import find_procedure

            find_procedure(self.adjust)
        if getattr(self, "engine", None) not in (None, "auto", "exact"):
            from bayescmp.engines import engines

            check_choice("engine", self.engine, ["auto", *engines()])

    def check_files(self, inputs: Iterable[object] = ()) -> None:
        """Refuse files that cannot be written, or are read."""
        read = [(name, path) for name in INPUTS for path in self.paths(name)]
        for name, path in read:
            as_path(name, path)
        outputs, figures = {}, []
        for option in self.outputs:
            for path in self.paths(option):
                name = f"--{option.replace('_', '-')}"
                check_writable(name, path)
                figures += [] if option in NO_FIGURES else [(name, path)]
                outputs[name if name not in outputs else f"{name} (again)"] = path
        check_distinct(outputs, [*inputs, *(path for _, path in read)])
        for name, path in figures:
            _check_figure(name, path)

    @property
    def outputs(self) -> list[str]:
        """The options that name files to be written."""
        return [action.dest for action in self.parser.options if action.metavar == "FILE"]

    def paths(self, option: str) -> list[str]:
        """Return the files that an option names."""
        given = getattr(self, option, None)
        return given if isinstance(given, list) else [] if given is None else [given]

    def check_level(self) -> None:
        """Refuse an invalid level or seed, even if it is not needed."""
        if not 0 < self.alpha < 1:
            raise must_be("alpha", "between 0 and 1, exclusive", self.alpha)
        make_generator(self.seed)

    def show(
        self,
        results: object,
        document: Callable[[], Json | list[Json] | str],
        gap: str = " ",
        further: str = "",
        **options: Any,
    ) -> None:
        """Print the answer, or all there is, as text with the files written; or as JSON.

        With ``--full`` each result prints its ``full()``; JSON prints the `document`. `gap` is
        between "written" and a file's name, `further` are next commands; `options` go to
        ``full()`` and ``exhibit()``.
        """
        if getattr(self, "json", False):
            given = document()
            self._show_json(json.loads(given) if isinstance(given, str) else given)
            return
        each = results if isinstance(results, (list, tuple)) else [results]
        text = "\n\n".join(shown_as(one, self.full, options) for one in each)
        print("\n".join([text, *self._asked_next(further)]))
        for path in (path for option in self.outputs for path in self.paths(option)):
            print(f"written{gap}{path}")

    def _show_json(self, document: Any) -> None:
        """Print a document as JSON with its recipe, or capture it."""
        from bayescmp.commands.recipe import add_recipe

        plain = json.loads(json.dumps(document, allow_nan=False))
        answer = add_recipe(plain, self) if self.has_recipe else plain
        if self.captured is None:
            print(json.dumps(answer, indent=2, allow_nan=False))
        else:
            self.captured.append(answer)

    def _asked_next(self, further: str) -> list[str]:
        """List in a line the options that show or write more and were not given."""
        left = [
            (action.option_strings[0], action.dest in self.outputs)
            for action in self.parser.options
            if action.option_strings
            and not getattr(self, action.dest, None)
            and action.dest not in self.hidden
        ]
        shows = [name for name, _ in left if name in ("--full", "--json")]
        files = [name for name, is_file in left if is_file]
        named = f"with a FILE {', '.join(files)}" if len(files) > 1 else f"{''.join(files)} FILE"
        parts = [", ".join(shows), named if files else "", further]
        more = "; ".join(part for part in parts if part)
        return [fill_lines(f"more: {more}", line_width(), subsequent_indent="  ")] if more else []

    def draw(
        self,
        option: str,
        size: Size | Callable[..., Size],
        draw: Callable[..., Axes],
        *shown: object,
        panels: Mapping[str, Any] | None = None,
        **options: object,
    ) -> None:
        """Draw on a figure that no window system knows of, and write it, where a file is named."""
        path = getattr(self, option)
        if not path:
            return
        from matplotlib.figure import Figure

        from bayescmp.plots import save

        figure = Figure(figsize=size(*shown) if callable(size) else size, layout="constrained")
        axes = figure.subplots(**(panels or {}), squeeze=False).ravel()
        save(draw(*shown, ax=axes if panels else axes[0], **options), path)

    def write_table(self, option: str, frame: pd.DataFrame, *, index: bool = False) -> None:
        """Write a table as CSV, in whole or not at all, where a file is named."""
        if path := getattr(self, option):
            with replace_when_whole(path) as part:
                frame.to_csv(part, index=index)


# Texts about options.


#: Options that name files to be written which are not figures.
NO_FIGURES = ("out", "save", "flips", "junit", "checkpoint")
#: Options of answers to questions only.
ANSWERS = ("also", "filter", "evals", "pass_hat", "pass_at")
#: Parts of a table that only answers have.
PARTS = {"model", "benchmark", "item", "cluster", "judge", "epoch", "score"}


def _check_figure(name: str, path: str) -> None:
    """Refuse an unknown format before the work is done, which may take an hour."""
    from matplotlib.backend_bases import FigureCanvasBase

    known = FigureCanvasBase.get_supported_filetypes()
    if Path(path).suffix.lower().lstrip(".") not in known:
        raise must(name, f"be a figure that ends in {', '.join(sorted(known))}", repr(path))


def must_be_used(option: str, where: str, got: str, hint: str = "") -> InputError:
    """Return the error for an option that does not belong to the data found."""
    return must(option, f"be used with {where}", got, hint)


def known_names(scores: Scores | Items | Means | Predictions) -> tuple[str, ...]:
    """Return all algorithms, or models, of a table."""
    known: tuple[str, ...] = getattr(scores, "models", ()) or getattr(scores, "algorithms", ())
    return known


def tell(notes: Iterable[str]) -> None:
    """Print notes on how a table is written, to standard error and not in the answer."""
    for note in notes:
        print(f"bayescmp: note: {note}", file=sys.stderr)


def read_file(args: Arguments, names: list[str]) -> pd.DataFrame:
    """Read a table with these columns of names, and print how it was read."""
    from bayescmp.scores.readers.files import read_noted

    table, notes = read_noted(args.table, lambda _: names, **args.take_options("sep", "decimal"))
    tell(notes)
    args.note_table(table)
    return table


def as_records(frame: pd.DataFrame, digits: int = 10) -> list[Json]:
    """Return the rows of a table as JSON has them."""
    rows: list[Json] = json.loads(frame.to_json(orient="records", double_precision=digits))
    return rows


def named_values(option: str, given: Sequence[str], accepted: str) -> dict[str, Any]:
    """Read NAME=VALUE, of an option that may be given several times."""
    parts = [text.partition("=") for text in given]
    for text, (name, equals, _) in zip(given, parts, strict=True):
        if not (name and equals):
            raise must_be(option, accepted, text)
    return {name: value for name, _, value in parts}


def _sources(given: str | Sequence[str]) -> object:
    """Read one path, several, or a mapping if all are NAME=PATH."""
    paths = [given] if isinstance(given, str) else list(given)
    named = [path.partition("=") for path in paths]
    if all(name and path for name, _, path in named) and not any(map(os.path.exists, paths)):
        return {name: path for name, _, path in named}
    return paths if len(paths) > 1 else paths[0]


def _metric_of_items(given: str | Sequence[str] | None) -> str | dict[str, str] | None:
    """Read one metric, or those of tasks if all are TASK=METRIC."""
    metrics = [given] if isinstance(given, str) else list(given or ())
    named = [metric.rpartition("=") for metric in metrics]
    if metrics and all(task and metric for task, _, metric in named):
        return {task: metric for task, _, metric in named}
    if len(metrics) > 1:
        raise must(
            "metric",
            "be one metric for items, or that of each task as TASK=METRIC",
            f"{len(metrics)} metrics",
        )
    return metrics[0] if metrics else None


def read_columns(given: Sequence[str], example: str) -> dict[str, str | list[str]]:
    """Read PART=NAME; a part that is given several times has several columns."""
    columns: dict[str, list[str]] = {}
    for text in given:
        one = named_values("--column", [text], f"PART=NAME, e.g. {example}")
        for part, name in one.items():
            columns.setdefault(part, []).append(name)
    return {part: names[0] if len(names) == 1 else names for part, names in columns.items()}


def read_rope(text: str) -> Any:
    """Read a ROPE as typed: ``0.01``, ``1%``, ``-0.005,0.01`` or ``-0.01,inf``."""
    if text.strip().endswith("%"):
        return text
    if re.fullmatch(r"[+-]?\d+,0\d*", text.strip()) and not text.strip().endswith(",0"):
        raise must_be(
            "rope",
            "a half-width (0.01) or LOW,HIGH (-0.01,0.02)",
            text,
            f"Did you mean {text.strip().replace(',', '.')}?",
        )
    try:
        ends = [float(part) for part in text.split(",")]
    except ValueError:
        raise must_be("rope", "a half-width (0.01) or LOW,HIGH (-0.01,inf)", text) from None
    return ends[0] if len(ends) == 1 else tuple(ends)


def read_ropes(given: Sequence[str] | None, metrics: Sequence[str] | None) -> Any:
    """Read ROPEs: one for all metrics, or one per metric, in order or as ``METRIC=0.01``."""
    from bayescmp.scores.rope import as_rope

    if given is None:
        return None
    if metrics is None or len(metrics) < 2:
        if len(given) > 1:
            raise must("rope", "be given once for one metric", f"{len(given)} times")
        name, _, value = given[0].rpartition("=")
        if name and list(metrics or ()) != [name]:
            raise must(
                "rope",
                "be for a requested metric",
                given[0],
                f"Give --metric {name}, or the region without a name.",
            )
        rope = read_rope(value)
        return rope if isinstance(rope, str) else as_rope(rope)
    return read_each("--rope", "ROPE", given, lambda text: as_rope(read_rope(text)))


def read_each(option: str, what: str, given: Sequence[str], read: Callable[[str], Any]) -> Any:
    """Read one value for all metrics, or one per metric, in order or as ``METRIC=VALUE``."""
    parts = [text.rpartition("=") for text in given]
    if all(name for name, _, _ in parts):
        return {name: read(value) for name, _, value in parts}
    if any(name for name, _, _ in parts):
        raise must(option, f"be METRIC={what} for every metric, or for none", " ".join(given))
    values = [read(text) for text in given]
    return values[0] if len(values) == 1 else values


def rope_of_test(test: BayesianTest, text: str, scores: Scores, metric: str | None) -> Any:
    """Read the ROPE of a test of several algorithms, in the test's units or the metric's."""
    from bayescmp.study.question import region_of_table

    rope = read_rope(text)
    return rope if test.own_units else region_of_table(rope, scores, scores.metric_named(metric))


# A result in the requested form.


def shown_as(result: Any, full: bool, options: Mapping[str, object]) -> str:
    """Write a result in the requested form; text without conversion."""
    if isinstance(result, str):
        return result
    if full:
        return str(result.full(**options))
    return as_text(summarise(result, **options)) if options else str(result)
