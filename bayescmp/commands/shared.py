"""What several commands do alike: read scores and ropes, check, draw, and print."""

from __future__ import annotations

import argparse
import json
import re
import shlex
import sys
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, TypeAlias

from bayescmp.base.checks import choice, generator
from bayescmp.base.files import as_path, check_distinct, check_writable, replacing
from bayescmp.commands.table import INPUTS, OUTPUTS, PRIORS
from bayescmp.errors import InputError

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

    from bayescmp.base.typing import Json
    from bayescmp.bayesian import HierarchicalPrior
    from bayescmp.catalogue import BayesianTest
    from bayescmp.items.items import Items
    from bayescmp.scores.predictions import Predictions
    from bayescmp.scores.scores import Scores

#: Between "written" and a file's name, where other lines begin with a word and its column.
GAP = " " * 6

Size: TypeAlias = tuple[float, float]


# Stages of a command's work, on a bar.


@contextmanager
def stages(*names: str) -> Iterator[Callable[[], None]]:
    """Name the stage that a command is at, on a bar that goes when all is done.

    Nothing is shown where the errors do not go to a terminal.
    """
    if not sys.stderr.isatty():
        yield lambda: None
        return
    from tqdm import tqdm

    layout = "{desc}: stage {n_fmt} of {total_fmt} [{elapsed}]"
    with tqdm(total=len(names), initial=1, desc=names[0], leave=False, bar_format=layout) as bar:

        def ended() -> None:
            bar.set_description_str(names[int(bar.n)], refresh=False)
            bar.update()
            bar.refresh()

        yield ended


# What the options say.


def taken(args: argparse.Namespace, *options: str) -> dict[str, Any]:
    """Return options by name, as the functions that they go to call them."""
    return {option: getattr(args, option) for option in options}


def read_scores(args: argparse.Namespace) -> Scores:
    """Read the scores that the options name."""
    from bayescmp.scores.readers.registry import FORMATS, OF_SCORES
    from bayescmp.scores.scores import Scores

    columns = named_values("--column", args.column, "PART=NAME, e.g. dataset=dataset_id")
    read_option = args.read_option
    options = named_values("--read-option", read_option, "NAME=VALUE, e.g. constraint=1h8c")
    own = {*OF_SCORES} - {"metric"}  # which have an option of their own
    known = sorted({option for form in FORMATS for option in form.options} - own)
    for name in options:
        choice("name in --read-option", name, known)
    metric = getattr(args, "metric", None)
    metrics = [metric] if isinstance(metric, str) else metric or []
    if len(metrics) == 1:  # what a wide table is of
        options = {"metric": metrics[0], **options}
    options |= {k: v for k, v in taken(args, "sep", "decimal").items() if v is not None}
    scores = Scores.read(
        args.scores,
        args.format,
        **({"columns": columns} if columns else {}),
        lower_is_better=args.lower_is_better,
        higher_is_better=args.higher_is_better,
        resampling=args.resampling,
        missing=args.missing,
        **options,
    )
    tell(scores.notes)
    return scores.on_scale(args.scale) if hasattr(args, "scale") else scores


def read_items(args: argparse.Namespace, metric: str | None = None) -> Items:
    """Read the table of items that the options name, of one of its metrics."""
    from bayescmp.items.items import Items

    lower = args.lower_is_better or []
    return Items.read(
        args.scores,
        args.format,
        columns=named_values("--column", args.column, "PART=NAME, e.g. item=question_number"),
        missing=args.missing,
        lower_is_better=[name for name in lower if metric in (None, name)],
        **({} if metric is None else {"metric": metric}),
    )


def tell(notes: Iterable[str]) -> None:
    """Print what was found of how a table is written, beside the answer and not in it."""
    for note in notes:
        print(f"bayescmp: note: {note}", file=sys.stderr)


def named_values(option: str, given: Sequence[str], accepted: str) -> dict[str, Any]:
    """Read NAME=VALUE, of an option that may be given several times."""
    parts = [text.partition("=") for text in given]
    for text, (name, equals, _) in zip(given, parts, strict=True):
        if not (name and equals):
            raise InputError(f"{option} {text!r}; accepted: {accepted}")
    return {name: value for name, _, value in parts}


def read_rope(text: str) -> Any:
    """Read a rope as typed: ``0.01``, ``1%``, ``-0.005,0.01`` or ``-0.01,inf``."""
    if text.strip().endswith("%"):
        return text
    try:
        ends = [float(part) for part in text.split(",")]
    except ValueError:
        raise InputError(
            f"--rope {text!r} is not a number; accepted: a half-width (0.01) or LOW,HIGH "
            "(-0.01,inf)"
        ) from None
    return ends[0] if len(ends) == 1 else tuple(ends)


def read_ropes(given: Sequence[str], metrics: Sequence[str] | None) -> Any:
    """Read ropes as typed: one for all metrics, or one each, in order or as ``METRIC=0.01``."""
    from bayescmp.scores.rope import as_rope

    if metrics is None or len(metrics) < 2:
        if len(given) > 1:
            raise InputError(f"--rope was given {len(given)} times for one metric")
        name, _, value = given[0].rpartition("=")
        if name and list(metrics or ()) != [name]:
            raise InputError(
                f"--rope {given[0]!r} is for a metric that was not requested; give --metric "
                f"{name}, or the region without a name"
            )
        rope = read_rope(value)
        return rope if isinstance(rope, str) else as_rope(rope)
    return read_each("--rope", "ROPE", given, lambda text: as_rope(read_rope(text)))


def read_each(option: str, what: str, given: Sequence[str], read: Callable[[str], Any]) -> Any:
    """Read one value for all metrics, or one each, in order or as ``METRIC=VALUE``."""
    parts = [text.rpartition("=") for text in given]
    if all(name for name, _, _ in parts):
        return {name: read(value) for name, _, value in parts}
    if any(name for name, _, _ in parts):
        raise InputError(f"{option}: give METRIC={what} for every metric, or for none")
    values = [read(text) for text in given]
    return values[0] if len(values) == 1 else values


def rope_of_test(test: BayesianTest, text: str, scores: Scores, metric: str | None) -> Any:
    """Read the rope of a test of several algorithms, in units of its own or of the metric."""
    from bayescmp.study.question import region_of_table

    rope = read_rope(text)
    return rope if test.own_units else region_of_table(rope, scores, scores.metric_named(metric))


def pair_of(scores: Scores | Predictions, args: argparse.Namespace) -> tuple[str, str]:
    """Return the two algorithms that the options name; the only two need not be named."""
    names = (args.first, args.second)
    if names == (None, None) and len(scores.algorithms) == 2:
        return scores.algorithms[0], scores.algorithms[1]
    if None in names:
        raise InputError(
            "--first and --second are needed: the table has the algorithms "
            + ", ".join(map(repr, scores.algorithms))
        )
    return names


def metric_of(args: argparse.Namespace) -> str | list[str] | None:
    """Return the metric where one is named, all where several are."""
    given: list[str] | None = args.metric
    return given[0] if given and len(given) == 1 else given


def prior_of(args: argparse.Namespace) -> HierarchicalPrior | None:
    """Return the prior that the options name, None if they name none."""
    from bayescmp.bayesian import HierarchicalPrior

    if args.prior is None:
        return None
    choice("prior", args.prior, PRIORS)
    prior: HierarchicalPrior = getattr(HierarchicalPrior, args.prior)()
    return prior


# What a message says of arguments, in terms of options.


#: An argument and its value, as messages name them; and the call that it is in, left open.
_ARGUMENT = re.compile(r"(?<![\w.'\"])(\w+)=('[^']*'|\[[^][]*\]|\{[^{}]*\}|[\w.]*[\w%])")
_CALL = re.compile(r"\b(?:bc\.)?(?:Scores|compare)(?:\.\w+)?\((?:results|\.\.\.), ([^()]*)\)")

#: Options whose names are not those of the arguments.
_SPELLED = {"columns": "column"}


def as_typed(message: str, options: Collection[str]) -> str:
    """Spell the arguments in a message as options, where there are such.

    Parameters
    ----------
    options : collection of str
        Those of the command: "--missing", ...
    """
    from bayescmp.scores.readers.registry import FORMATS

    of_formats = {name for form in FORMATS for name in form.options}

    def spell(match: re.Match[str]) -> str:
        name, value = match.groups()
        option = f"--{_SPELLED.get(name, name).replace('_', '-')}"
        if option in options:
            return " ".join(f"{option} {one}" for one in _values(value))
        if "--read-option" in options and name in of_formats:
            return " ".join(f"--read-option {name}={one}" for one in _values(value))
        return match[0]

    return _ARGUMENT.sub(spell, _CALL.sub(r"\1", message)).replace(", --", " --")


def _values(text: str) -> list[str]:
    """The values that an argument's text holds, as a shell takes them."""
    if text[0] == "{":
        pairs = re.findall(r"'([^']*)': ('[^']*'|[^,}]+)", text)
        return [shlex.quote(f"{part}={_values(value)[0]}") for part, value in pairs]
    if text[0] == "[":
        return [shlex.quote(one) for one in re.findall(r"'([^']*)'", text)] or [text]
    return [shlex.quote(text.strip("'"))]


# Checks before the work is done.


def check_options(args: argparse.Namespace) -> None:
    """Refuse what no command can do: files, a threshold, an adjustment, an engine."""
    check_files(args)
    if hasattr(args, "threshold"):
        from bayescmp.results.verdict import check_threshold

        check_threshold(args.threshold)
    if hasattr(args, "adjust"):
        from bayescmp.frequentist.multiplicity import canonical

        canonical(args.adjust)
    if getattr(args, "engine", None) not in (None, "auto", "exact"):
        from bayescmp.engines import engines

        choice("engine", args.engine, ["auto", *engines()])


def check_files(args: argparse.Namespace, inputs: Iterable[object] = ()) -> None:
    """Refuse files that can't be written, or are read."""
    read = [(name, path) for name in INPUTS for path in _paths(args, name)]
    for name, path in read:
        as_path(name, path)
    outputs = {}
    for option in OUTPUTS:
        for path in _paths(args, option):
            name = f"--{option.replace('_', '-')}"
            check_writable(name, path)
            outputs[name if name not in outputs else f"{name} (again)"] = path
    check_distinct(outputs, [*inputs, *(path for _, path in read)])


def _paths(args: argparse.Namespace, option: str) -> list[str]:
    given = getattr(args, option, None)
    return given if isinstance(given, list) else [] if given is None else [given]


def check_level(args: argparse.Namespace) -> None:
    """Refuse a level or a seed that is none, also where it is not needed."""
    if not 0 < args.alpha < 1:
        raise InputError(f"--alpha {args.alpha}; accepted: between 0 and 1, exclusive")
    generator(args.seed)


# What comes of it.


def show(
    args: argparse.Namespace,
    results: object,
    document: Callable[[], Json | list[Json] | str],
    gap: str = " ",
    **options: Any,
) -> None:
    """Print the answer, or all there is, as text with the files written; or as JSON.

    Parameters
    ----------
    results : result, str or sequence of them
        With ``--full`` each result prints everything, by its ``full()``.
    document : callable
        What is printed as JSON.
    gap : str
        Between "written" and a file's name.
    **options
        Of ``full()`` and ``exhibit()``: the threshold.
    """
    if getattr(args, "json", False):
        given = document()
        plain = given if isinstance(given, str) else json.dumps(given, indent=2, allow_nan=False)
        print(plain)
        return
    each = results if isinstance(results, (list, tuple)) else [results]
    print("\n\n".join(shown_as(one, args.full, options) for one in each))
    for path in (path for option in OUTPUTS for path in _paths(args, option)):
        print(f"written{gap}{path}")


def shown_as(result: Any, full: bool, options: Mapping[str, object]) -> str:
    """A result in the form that is asked for; text as it is."""
    if isinstance(result, str):
        return result
    if full:
        return str(result.full(**options))
    return str(result.exhibit(**options).text() if options else result)


def draw_to(
    path: str | None,
    size: Size | Callable[..., Size],
    draw: Callable[..., Axes],
    *shown: object,
    panels: Mapping[str, Any] | None = None,
    **options: object,
) -> None:
    """Draw on a figure that no window system knows of, and write it, where a file is named."""
    if not path:
        return
    from matplotlib.figure import Figure

    from bayescmp.plots import save

    figure = Figure(figsize=size(*shown) if callable(size) else size, layout="constrained")
    axes = figure.subplots(**(panels or {}), squeeze=False).ravel()
    save(draw(*shown, ax=axes if panels else axes[0], **options), path)


def write_table(path: str | None, frame: pd.DataFrame, *, index: bool = False) -> None:
    """Write a table as CSV, in whole or not at all, where a file is named."""
    if path:
        with replacing(path) as part:
            frame.to_csv(part, index=index)
