"""`bayescmp keep`: may this change stay? The exit status gives the answer to loops."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from bayescmp.base.files import as_path, check_distinct
from bayescmp.commands.parser import Parser, add_group, add_shared
from bayescmp.commands.shared import GAP, Arguments
from bayescmp.errors import InputError

if TYPE_CHECKING:
    from pandas import Series

#: The exit status of each decision; 2 is for invalid input or options, in every command.
STATUS = {"keep": 0, "discard": 1, "measure": 3}

USAGE = "STATE.json --incumbent FILE --candidate FILE [options]"
EXAMPLE = "state.json --incumbent a.csv --candidate b.csv"


def add_options(parser: Parser) -> None:
    """Add the options of the command."""
    state = "the state of the loop, which is made if it does not exist"
    parser.add_argument("state", metavar="STATE.json", help=state)
    asked = parser.add_argument_group("what is compared")
    add = asked.add_argument
    scores = "CSV or Parquet file with a column of scores, one row per seed or question"
    add("--incumbent", metavar="PATH", required=True, help=scores)
    same = "the same for the change, in the order of measuring; a later look adds rows"
    add("--candidate", metavar="PATH", required=True, help=same)
    name = "the change (default: the name of the candidate's file, numbered)"
    add("--name", metavar="NAME", help=name)
    against = "the incumbent that was measured; refused if it is not the incumbent any more"
    add("--against", metavar="NAME", help=against)
    add_shared(asked, "--metric", help="column of scores (if the files have several)")
    add("--lower-is-better", action="store_true", help="whether a lower score is better")
    group = parser.add_argument_group("how it is decided, on the first call for a state")
    add = group.add_argument
    alpha = "probability of ever keeping a change that is not better (default 0.05)"
    add("--alpha", type=float, help=alpha)
    add("--margin", type=float, help="keep a change that is better by more than this (default 0)")
    budget = "the most seeds or questions per change (default: 20 seeds, 2000 questions)"
    add("--budget", type=int, metavar="N", help=budget)
    units = "what the rows are (default: found from a column such as seed or question)"
    add("--units", choices=("questions", "seeds"), help=units)
    output = add_group(parser, "output", "--full", "--json")
    add_shared(output, "--sep", "--decimal")


def run(args: Arguments) -> int:
    """May a change that an automated loop proposes stay?

    Exit status: 0 keep, 1 discard, 3 measure more and ask again, 2 invalid input or options. The
    state has the incumbent and what was decided, and makes the probability of ever keeping a
    change that is not better at most alpha. It survives a kill, and two processes may share it.
    """
    from bayescmp.study.referee import Referee
    from bayescmp.study.referee.referee import next_name

    given = {"--incumbent": args.incumbent, "--candidate": args.candidate}
    files = {option: as_path(option, path) for option, path in given.items()}
    check_distinct({"STATE.json": args.state}, files.values())
    incumbent, candidate = (_read_scores(path, option, args) for option, path in files.items())
    referee = Referee(
        args.state,
        lower_is_better=args.lower_is_better,
        **args.take_given("alpha", "margin", "budget", "units"),
    )
    name = args.name
    if name is None:
        name = next_name(referee, Path(args.candidate).stem, incumbent, candidate)
    decision = referee.propose(
        name, incumbent=incumbent, candidate=candidate, against=args.against
    )
    args.has_recipe = False  # it depends on the state, which it changes
    args.show(referee, lambda: {"decision": decision, "name": name, **referee.to_dict()}, GAP)
    return STATUS[decision]


def _read_scores(path: Path, option: str, args: Arguments) -> Series:
    """Read a column of scores, numbered by the column of seeds or questions if there is one."""
    import pandas as pd

    from bayescmp.scores.columns import plain_name
    from bayescmp.scores.questions import are_answers, read_grades
    from bayescmp.scores.readers.files import read_noted
    from bayescmp.study.referee.scores import UNITS

    every = [name for names in UNITS.values() for name in names]
    frame, _ = read_noted(path, lambda _: every, **args.take_options("sep", "decimal"))
    labels = [column for column in frame if plain_name(column) in every]
    scores = [c for c in frame if c not in labels and are_answers(frame[c])]
    metric = scores[0] if args.metric is None and len(scores) == 1 else args.metric
    if metric not in frame:
        found = ", ".join(map(repr, scores)) or "none"
        raise InputError(
            f"{option} {path!r} must have one column of scores (got {found}). Name it with "
            "--metric.",
            "metric",
        )
    values, wrong = read_grades(frame[metric])
    if wrong.any():
        raise InputError(
            f"{option} {path!r} must have numbers in the column {metric!r}.",
            option.removeprefix("--"),
        )
    return pd.Series(values, pd.Index(frame[labels[0]], name=labels[0]) if labels else None)
