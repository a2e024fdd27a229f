"""The state of a referee: its settings, its proposals, and the file that holds both."""

from __future__ import annotations

import json
import math
from copy import deepcopy
from pathlib import Path

from bayescmp.base.arguments import must, must_be
from bayescmp.base.checks import check_whole, is_number
from bayescmp.base.typing import Json
from bayescmp.base.version import __version__
from bayescmp.errors import InputError
from bayescmp.study.referee.scores import UNITS

#: Settings of a new state.
DEFAULTS: Json = {"alpha": 0.05, "margin": 0.0, "budget": None, "units": None}
DECISIONS = ("keep", "discard", "measure")
FIELDS = ("labels", "selected", "scores")
PROPOSAL = {
    *("name", "against", "level", "n", "digest", "difference", "low", "high"),
    *("decision", "why"),
}


def check_settings(alpha: object, margin: object, budget: object, units: object) -> Json:
    """Return the settings that were given, checked."""
    given: Json = {}
    if alpha is not None:
        if not is_number(alpha) or not 0 < alpha < 1:
            raise must_be("alpha", "between 0 and 1, exclusive", alpha)
        given["alpha"] = float(alpha)
    if margin is not None:
        if not is_number(margin) or not 0 <= margin < math.inf:
            raise must_be("margin", "a finite number of at least 0", margin)
        given["margin"] = float(margin)
    if budget is not None:
        given["budget"] = check_whole("budget", budget, 2)
    if units is not None:
        if not isinstance(units, str) or units not in UNITS:
            raise must_be("units", "'questions' or 'seeds'", units)
        given["units"] = units
    return given


def new_state(given: Json) -> Json:
    """Return the state before any proposal, with the settings that were given."""
    start: Json = {"name": "start", "labels": [], "selected": [], "scores": []}
    return {
        "bayescmp": __version__,
        "kind": "referee",
        **DEFAULTS,
        "lower_is_better": False,
        **given,
        "start": start,
        "incumbent": deepcopy(start),
        "proposals": [],
    }


def read_state(path: Path) -> Json:
    """Read a state, or refuse what is none."""
    try:
        state = json.loads(path.read_text(encoding="utf-8"))
        kept = ("start", "incumbent")
        complete = state["kind"] == "referee" and all(
            isinstance(state[part][field], list) for part in kept for field in FIELDS
        )
        complete &= all(
            set(p) == PROPOSAL and p["decision"] in DECISIONS for p in state["proposals"]
        )
        check_settings(*(state[name] for name in DEFAULTS))
        complete &= isinstance(state["lower_is_better"], bool)
    except OSError as error:
        found = f"{str(path)!r}: {error.strerror or error}"
        raise must("path", "be a file that can be read", found) from error
    except (ValueError, KeyError, TypeError) as error:
        raise _no_state(path) from error
    if not complete:
        raise _no_state(path)
    return dict(state)


def _no_state(path: Path) -> InputError:
    return must_be("path", "the state of a Referee, or a new file", str(path))
