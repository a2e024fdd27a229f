"""The recipe of an answer: what is needed to compute its JSON again, and how answers differ."""

from __future__ import annotations

import hashlib
import json
import math
import platform
from collections.abc import Iterable, Iterator
from importlib.metadata import version
from typing import TYPE_CHECKING, Any

from bayescmp.base.version import __version__

if TYPE_CHECKING:
    import pandas as pd

    from bayescmp.base.typing import Json

#: The key of the recipe in an answer, and of the results of an answer that is a list.
RECIPE, RESULTS = "recipe", "results"
#: Options that do not change an answer: how it is written, how a file is written, and processes.
NOT_ASKED = {"json", "full", "markdown", "sep", "decimal", "n_jobs"}
#: What differs between two runs that agree.
UNLIKE = {"seconds"}
#: What differs with another engine, or other versions.
OF_ENGINE = {"engine", "engine_version", "diagnostics"}
#: Numbers agree within these, relative to the larger one, and at all.
RELATIVE, ABSOLUTE = 1e-6, 1e-9
#: With another engine, or other versions, probabilities may differ by this many stated errors.
ERRORS = 4.0
#: Facts that state the errors of others, which are numbers by name.
STATED = {
    "probabilities": "errors",
    "predictive": "predictive_errors",
    "mean": "mean_errors",
}
#: Facts that follow from all numbers, and may turn where those of a sampler differ a little.
FOLLOWING = {"decision", "headline", "explanation", "evidence", "cause", "outcome", "settling"}


# Writing.


def hash_table(frame: pd.DataFrame) -> str:
    """Return a hash of a table's contents, without format or order, to twelve digits."""
    columns = sorted(map(str, frame.columns))
    named = frame.set_axis([str(c) for c in frame.columns], axis=1)
    cells = [named[column].map(_write_cell).tolist() for column in columns]
    rows = sorted(map("\x1f".join, zip(*cells, strict=True)))
    text = "\x1e".join(["\x1f".join(columns), *rows])
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def _write_cell(value: object) -> str:
    if isinstance(value, str):
        return value
    try:
        number = float(value)  # type: ignore[arg-type]
    except (TypeError, ValueError):
        return str(value)
    return "" if math.isnan(number) else f"{number + 0.0:.12g}"


def add_recipe(document: Any, args: Any) -> Json:
    """Add to a JSON document how it can be computed again, and a hash of it all."""
    answer: Json = {RESULTS: document} if isinstance(document, list) else dict(document)
    options = {
        action.dest: getattr(args, action.dest, None)
        for action in args.parser.options
        if action.dest not in {*NOT_ASKED, *args.outputs, "table"}
    }
    answer[RECIPE] = {
        "command": args.parser.prog.split(" ")[-1],
        "options": {name: value for name, value in options.items() if value not in (None, [])},
        "table": args.table_hash,
        "typed": None if args.table_hash else getattr(args, "table", None),
        "versions": {
            "bayescmp": __version__,
            "python": platform.python_version(),
            **{name: version(name) for name in ("numpy", "scipy")},
        },
    }
    answer[RECIPE]["digest"] = hash_answer(answer)
    return answer


def hash_answer(answer: Json) -> str:
    """Return a hash of all facts of an answer, however they are written."""
    recipe = {name: value for name, value in answer[RECIPE].items() if name != "digest"}
    plain = json.dumps(_as_floats({**answer, RECIPE: recipe}), sort_keys=True)
    return hashlib.sha256(plain.encode()).hexdigest()


def _as_floats(facts: Any) -> Any:
    """Return facts in which whole numbers are floats, as some programs write them."""
    if isinstance(facts, dict):
        return {name: _as_floats(value) for name, value in facts.items()}
    if isinstance(facts, list):
        return [_as_floats(value) for value in facts]
    whole = isinstance(facts, int) and not isinstance(facts, bool) and abs(facts) < 2**53
    return float(facts) if whole else facts


# Comparing.


def list_deviations(given: Any, found: Any, *, loose: bool = False) -> list[str]:
    """List where an answer differs from what was computed again.

    `given` is the answer, `found` the one computed again. If `loose`, probabilities may differ by
    four stated errors, as with another engine, and samples are compared only by these.
    """
    sampled = loose and not (_is_exact(given) and _is_exact(found))
    return list(_deviations(given, found, (), loose, sampled, (0.0, 0.0)))


def _is_exact(answer: Any) -> bool:
    """Whether an answer was computed without a sampler, as far as it states."""
    own = answer.get("diagnostics") if isinstance(answer, dict) else None
    return not isinstance(own, dict) or bool(own.get("exact", True))


def _deviations(
    given: Any,
    found: Any,
    path: tuple[str, ...],
    loose: bool,
    sampled: bool,
    errors: tuple[float, float],
) -> Iterator[str]:
    if isinstance(given, dict) and isinstance(found, dict):
        for name in dict.fromkeys((*given, *found)):
            at = (*path, str(name))
            if name in UNLIKE or (loose and name in OF_ENGINE) or (sampled and name in FOLLOWING):
                continue
            if name not in given or name not in found:
                where = "recomputed" if name not in given else "given"
                yield f"{'.'.join(at)}: only in the {where} answer"
                continue
            one, other = _error_of(name, given), _error_of(name, found)
            if one is None or other is None:
                yield from _named(name, given, found, at, loose, sampled)
            else:
                own = one, other
                yield from _deviations(given[name], found[name], at, loose, sampled, own)
    elif isinstance(given, list) and isinstance(found, list):
        if len(given) != len(found):
            yield f"{'.'.join(path)}: {len(given)} entries, recomputed {len(found)}"
        for i, (one, other) in enumerate(zip(given, found, strict=False)):
            last = f"{path[-1] if path else ''}[{i}]"
            yield from _deviations(one, other, (*path[:-1], last), loose, sampled, errors)
    elif not _agree(given, found, loose, sampled, errors):
        yield f"{'.'.join(path)}: {json.dumps(given)}, recomputed {json.dumps(found)}"


def _named(
    name: str, given: Json, found: Json, path: tuple[str, ...], loose: bool, sampled: bool
) -> Iterator[str]:
    """Compare probabilities by name, each with its own stated error."""
    one, other = given[name], found[name]
    errors = [facts.get(STATED[name]) or {} for facts in (given, found)]
    for region in dict.fromkeys((*one, *other)):
        at = (*path, str(region))
        if region not in one or region not in other:
            yield f"{'.'.join(at)}: only in one answer"
            continue
        own = tuple(_number(e.get(region)) for e in errors)
        yield from _deviations(one[region], other[region], at, loose, sampled, (own[0], own[1]))


def _error_of(name: str, facts: Json) -> float | None:
    """Return the stated error of a fact; None if its parts have their own."""
    if isinstance(facts[name], dict) and isinstance(facts.get(STATED.get(name, "")), dict):
        return None
    if name.startswith("p_"):
        return _number(facts.get(f"se_{name.removeprefix('p_')}"))
    return _number(facts.get("error")) if name in ("p", "not_worse") else 0.0


def _number(value: object) -> float:
    known = isinstance(value, int | float) and not isinstance(value, bool) and value == value
    return float(value) if known else 0.0  # type: ignore[arg-type]


def _agree(
    given: object, found: object, loose: bool, sampled: bool, errors: tuple[float, float]
) -> bool:
    """Whether two values agree: numbers nearly, all else exactly."""
    numbers = [isinstance(x, int | float) and not isinstance(x, bool) for x in (given, found)]
    if not all(numbers):
        return type(given) is type(found) and given == found
    one, other = float(given), float(found)  # type: ignore[arg-type]
    stated = math.hypot(*errors)
    if sampled and stated == 0:
        return True
    allowed = ABSOLUTE + RELATIVE * max(abs(one), abs(other)) + loose * ERRORS * stated
    return abs(one - other) <= allowed


def list_versions(recorded: Json, now: Json) -> Iterable[str]:
    """List programs that have another version now."""
    return [
        f"{name} was {was}, and is {now.get(name, 'missing')}"
        for name, was in recorded.items()
        if now.get(name) != was
    ]
