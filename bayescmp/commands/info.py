"""`bayescmp info`: which tests, engines and formats are available."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from bayescmp.base.typing import Json
from bayescmp.commands.parser import Parser
from bayescmp.commands.shared import Arguments
from bayescmp.wording.text import fold_text, in_columns, line_width

USAGE = "[tests | engines | formats] [options]"
EXAMPLE = "tests"


def add_options(parser: Parser) -> None:
    """Add the options of the command."""
    topic = "one of the three (default: all)"
    parser.add_argument("topic", nargs="?", choices=TOPICS, metavar="TOPIC", help=topic)
    add = parser.add_argument_group("output").add_argument
    frequentist = "tests: the frequentist ones instead, and what a small p-value supports"
    add("--frequentist", action="store_true", help=frequentist)
    add("--json", action="store_true", help="print as JSON")
    clear = "engines: remove the compiled programs of this package"
    add("--clear-cache", action="store_true", help=clear)


def run(args: Arguments) -> None:
    """List the available tests, engines and formats.

    The Bayesian tests with their frequentist counterparts, in the order in which --test auto
    prefers them; the engines, in the order in which --engine auto tries them, and what each
    missing one needs; and the formats of tables and logs.
    """
    if args.topic:
        args.keep_to({"tests": "frequentist", "engines": "clear_cache", "formats": ""}, args.topic)
    if args.clear_cache:
        _clear_cache()
        return
    topics = [args.topic] if args.topic else list(TOPICS)
    listed = {topic: TOPICS[topic](args) for topic in topics}
    if args.json:
        print(json.dumps(listed if args.topic is None else listed[args.topic], indent=2))
        return
    parts = [(topic, _as_text(topic, listed[topic])) for topic in topics]
    headed = [text if args.topic else f"{topic.capitalize()}\n{text}" for topic, text in parts]
    print("\n\n".join(headed))


def _as_text(topic: str, listed: Any) -> str:
    """Write a list as a table, or as lines."""
    import pandas as pd

    if topic == "tests":
        return in_columns(pd.DataFrame(listed), line_width())
    if topic == "formats":
        kinds = (f"{kind}: {', '.join(names)}" for kind, names in listed.items())
        return fold_text("\n".join(kinds))
    states = {
        name: f"ready    {a['version']}" if a["ok"] else f"missing  needs {a['needs']}"
        for name, a in listed.items()
    }
    root, size = _measure_cache()
    cache = f"compiled programs: {size / 1e6:.0f} MB in {root} (remove with --clear-cache)"
    lines = [*(f"{name:<12} {state}" for name, state in states.items()), cache]
    return fold_text("\n".join(lines))


# Tests.


def _list_tests(args: Arguments) -> list[dict[str, str]]:
    return _frequentist() if args.frequentist else _bayesian()


def _frequentist() -> list[dict[str, str]]:
    from bayescmp.catalogue import SCOPES, frequentist_tests

    return [
        {
            "test": test.name,
            "compares": SCOPES[test.scope],
            "small p supports": test.claims,
            "equivalence test": test.equivalence,
        }
        for test in frequentist_tests()
    ]


def _bayesian() -> list[dict[str, str]]:
    from bayescmp.catalogue import Span, bayesian_tests, twins_of

    def many(span: Span) -> str:
        least, most = span
        return f"{least}" if least == most else f"{least}+" if most is None else str(span)

    return [
        {
            "test": test.name,
            "metrics": many(test.metrics),
            "algorithms": many(test.algorithms),
            "data sets": many(test.datasets),
            "scores": many((test.folds, None)),
            "frequentist counterparts": ", ".join(
                dict.fromkeys(twin.name for twin in twins_of(test))
            ),
        }
        for test in bayesian_tests()
    ]


# Engines.


def _list_engines(_: Arguments) -> Json:
    from bayescmp.engines import engines

    return {name: vars(engine.available()) for name, engine in engines().items()}


def _measure_cache() -> tuple[Path, int]:
    """Return the folder of the compiled programs, and their size."""
    from bayescmp.engines.chains import cache_root, our_entries

    return cache_root(), sum(map(_size, our_entries()))


def _clear_cache() -> None:
    from bayescmp.engines.chains import clear_cache

    root, before = _measure_cache()
    clear_cache()
    freed = before - _measure_cache()[1]
    print(f"removed {freed / 1e6:.0f} MB of compiled programs from {root}")


def _size(path: Path) -> int:
    files = [path, *path.rglob("*")] if path.is_dir() else [path]
    return sum(file.lstat().st_size for file in files if file.is_symlink() or file.is_file())


# Formats.


def _list_formats(_: Arguments) -> dict[str, list[str]]:
    from bayescmp.scores.readers.items import ITEM_FORMATS
    from bayescmp.scores.readers.registry import FORMATS

    return {
        "scores": ["table", *(form.name for form in FORMATS)],
        "answers": ["table", *(form.name for form in ITEM_FORMATS)],
    }


#: The lists, by their names on the command line.
TOPICS = {"tests": _list_tests, "engines": _list_engines, "formats": _list_formats}
