"""`bayescmp check`: does a JSON answer follow from its table? It is computed again."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from bayescmp.base.arguments import must, spelling
from bayescmp.base.files import as_path
from bayescmp.commands.parser import Parser, add_group, add_shared
from bayescmp.commands.recipe import (
    RECIPE,
    hash_answer,
    list_deviations,
    list_versions,
)
from bayescmp.commands.shared import Arguments
from bayescmp.commands.spelling import OptionSpeller
from bayescmp.errors import EngineError, InputError
from bayescmp.wording.text import fill_lines, format_count, line_width

if TYPE_CHECKING:
    from argparse import Action

    from bayescmp.base.typing import Json

#: Exit status if the answer differs; 0 if it agrees, 2 if it cannot be checked.
DIFFERS = 1
EDITED = "The answer was edited after it was written: its digest is another."
OTHER_TABLE = "The table is another: its contents have another hash."
FAILED = "It cannot be computed again: {error}"

USAGE = "ANSWER.json [TABLE] [options]"
EXAMPLE = "answer.json scores.csv"


def add_options(parser: Parser) -> None:
    """Add the options of the command."""
    answer = "what a command printed with --json"
    parser.add_argument("answer", metavar="ANSWER.json", help=answer)
    table = "the table that it was computed from (not for typed counts, and plans without a table)"
    parser.add_argument("table", metavar="TABLE", nargs="?", help=table)
    group = parser.add_argument_group("how it is computed again")
    engine = "another engine, whose probabilities must agree within four stated errors"
    add_shared(group, "--engine", default=None, help=engine)
    output = add_group(parser, "output", "--json")
    add_shared(output, "--sep", "--decimal")


def run(args: Arguments) -> int:
    """Does a JSON answer follow from its table?

    The answer is computed again by its own recipe, and every deviation is listed: an edited
    number, name or option, another table, an engine that differs beyond the stated errors. Exit
    status: 0 it agrees, 1 it differs, 2 it cannot be checked.
    """
    answer = _read_answer(args.answer)
    deviations, notes = check_answer(answer, args)
    if args.json:
        print(json.dumps({"agrees": not deviations, "deviations": deviations, "notes": notes}))
        return DIFFERS if deviations else 0
    count = format_count(len(deviations), "deviation")
    command = answer[RECIPE]["command"]
    lines = [
        f"{args.answer} differs: {count}" if deviations else f"{args.answer} agrees",
        "",
        f"The answer of `bayescmp {command}` was computed again.",
        *deviations,
        *(f"note: {note}" for note in notes),
    ]
    width = line_width()
    print("\n".join(fill_lines(line, width, subsequent_indent="  ") for line in lines))
    return DIFFERS if deviations else 0


def check_answer(answer: Json, args: Arguments) -> tuple[list[str], list[str]]:
    """Return the deviations of an answer from what its recipe gives, and notes on versions."""
    recipe = answer[RECIPE]
    deviations = [] if recipe["digest"] == hash_answer(answer) else [EDITED]
    again = _again(recipe, args)
    try:
        found = _compute(again)
    except (InputError, EngineError, SystemExit) as error:
        if again.table_hash is None and not deviations:
            raise InputError(
                FAILED.format(error=error), getattr(error, "argument", None)
            ) from error
        other = again.table_hash is not None and again.table_hash != recipe["table"]
        failed = FAILED.format(error=error)
        return [*deviations, *([OTHER_TABLE] if other else []), failed], []
    if found[RECIPE]["table"] != recipe["table"]:
        deviations.append(OTHER_TABLE)
    versions = list(list_versions(recipe["versions"], found[RECIPE]["versions"]))
    loose = args.engine is not None or bool(versions)
    given = {name: value for name, value in answer.items() if name != RECIPE}
    computed = {name: value for name, value in found.items() if name != RECIPE}
    return [*deviations, *list_deviations(given, computed, loose=loose)], versions


def _read_answer(path: str) -> Json:
    try:
        answer = json.loads(as_path("answer", path).read_text(encoding="utf-8"))
    except OSError as error:
        raise InputError(
            f"{path!r} cannot be read: {error.strerror or error}.", "answer"
        ) from error
    except (ValueError, RecursionError) as error:
        raise InputError(
            f"{path!r} must be JSON, as --json prints it ({error}).", "answer"
        ) from error
    recipe = answer.get(RECIPE) if isinstance(answer, dict) else None
    kinds = {"command": str, "options": dict, "versions": dict, "digest": str}
    if (
        not isinstance(recipe, dict)
        or not all(isinstance(recipe.get(name), kind) for name, kind in kinds.items())
        or not {"table", "typed"} <= {*recipe}
    ):
        raise InputError(f"{path!r} must have a recipe, as the JSON of an answer has.", "answer")
    return dict(answer)


def _again(recipe: Json, args: Arguments) -> Arguments:
    """Return the arguments of the recorded command, for this table."""
    from bayescmp.commands.cli import COMMANDS, load_command

    name = recipe["command"]
    if name not in COMMANDS or name in ("check", "keep"):
        raise InputError(
            f"The command must be one whose answer can be computed (got {name!r}).", "answer"
        )
    parser, run_again = load_command(name)
    again = Arguments(parser=parser, run_again=run_again)
    known = {action.dest: action for action in parser.options}
    for unknown in {*recipe["options"]} - {*known}:
        raise InputError(
            f"The options must be those of `bayescmp {name}` (got {unknown!r}).", "answer"
        )
    for dest, action in known.items():
        default = list(action.default) if isinstance(action.default, list) else action.default
        if dest in recipe["options"]:
            _check_option(action, recipe["options"][dest])
        setattr(again, dest, recipe["options"].get(dest, default))
    again.json, again.full = True, False
    for option in ("sep", "decimal"):
        if option in known:
            setattr(again, option, getattr(args, option))
    if args.engine is not None:
        if "engine" not in known:
            raise must("engine", f"be left out, since `bayescmp {name}` has no engine")
        again.engine = args.engine
    if "table" in known:
        typed = recipe["typed"]
        if recipe["table"] is not None and args.table is None:
            raise InputError(
                "TABLE must be given, since the answer was computed from one.", "table"
            )
        again.table = typed if recipe["table"] is None else args.table
    return again


def _check_option(action: Action, value: object) -> None:
    """Refuse a recorded value that could not have been typed."""
    several = action.nargs in ("*", "+") or "Append" in type(action).__name__
    kinds: tuple[type, ...] = (bool,) if action.nargs == 0 else (int, float, str)
    if kinds != (bool,) and action.type in (None, int, float):
        kinds = {None: (str,), int: (int,), float: (int, float)}[action.type]
    values = value if several and isinstance(value, list) else [value]
    fit = all(isinstance(v, kinds) and isinstance(v, bool) == (bool in kinds) for v in values)
    if not fit or several != isinstance(value, list):
        raise InputError(f"The option {action.dest!r} must have a value that it takes.", "answer")


def _compute(again: Arguments) -> Any:
    again.captured = []
    with spelling(OptionSpeller.of(again.parser)):
        again.check()
        again.run_again(again)
    return again.captured[0]
