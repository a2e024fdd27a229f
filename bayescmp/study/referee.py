"""May this change stay? A referee for an automated loop that proposes changes one after another.

Each proposal is compared with the incumbent on paired units, and is kept, discarded, or measured
once more. The probability that the loop *ever* keeps a change that is not better is at most alpha:
proposal k has the share α_k = α·6/(π²k²), and its interval is valid at every look.
"""

from __future__ import annotations

import hashlib
import json
import math
import os
from collections.abc import Iterator
from contextlib import contextmanager
from copy import deepcopy
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from bayescmp.base.arguments import arg, either, must, must_be
from bayescmp.base.checks import check_flags, check_label, check_vector, check_whole, is_number
from bayescmp.base.files import as_path, check_writable, replace_when_whole
from bayescmp.base.typing import Json, as_json
from bayescmp.base.version import __version__
from bayescmp.errors import InputError
from bayescmp.frequentist.sequences import confidence_sequence, find_crossings, student_bounds
from bayescmp.present.summarised import Summarised
from bayescmp.present.summary import Cells, Column, Summary, summarise
from bayescmp.results.verdict import Interval
from bayescmp.scores.columns import ITEM_NAMES, plain_name
from bayescmp.wording.text import format_count, format_estimate, format_number

#: What is measured, by the names of the column that numbers it.
UNITS = {
    "questions": ITEM_NAMES["item"],
    "seeds": ("seed", "random_seed", "run", "run_id", "trial"),
}
#: The most units that a proposal is measured on, if the budget is not given.
BUDGETS = {"questions": 2000, "seeds": 20}
#: Settings of a new state.
DEFAULTS: Json = {"alpha": 0.05, "margin": 0.0, "budget": None, "units": None}
DECISIONS = ("keep", "discard", "measure")
#: Why a proposal was discarded without being worse.
SPENT, OVERTAKEN = "the budget is used up", "the incumbent changed meanwhile"
#: Seconds that another process may hold the state.
PATIENCE = 60.0


class Referee(Summarised):
    """A referee that keeps or discards the changes that an automated loop proposes.

    The state is a file: it survives a loop that is stopped at any moment, and several processes
    may share it.

    Parameters
    ----------
    path : path-like
        The state, a JSON file; it is made by the first proposal if it does not exist.
    alpha : float, optional
        Probability of ever keeping a change that is not better; 0.05 if not given.
    margin : float, optional
        A change is kept if it is better by more than this; 0 if not given.
    budget : int, optional
        The most units that a proposal is measured on; 20 seeds or 2,000 questions if not given.
    units : {"questions", "seeds"}, optional
        "questions" have scores from 0 to 1; "seeds" have scores of any size, whose differences are
        about normal. May be left out if the scores are Series whose index has such a name.
    lower_is_better : bool
        Whether a lower score is better.

    Raises
    ------
    InputError
        Another alpha, margin, budget or units than those of the file; a file that is not a state.

    See Also
    --------
    gate : One candidate, which must not be worse.
    bayescmp.frequentist.confidence_sequence : The interval that it looks at.

    Notes
    -----
    A proposal is kept once the lower bound of the mean difference exceeds the margin, and
    discarded once its upper bound does not, or the budget is used up. The bounds are valid at
    every look, at the level 1 − α_k: for questions a confidence sequence by betting, for seeds the
    e-process of the t test. Questions must be in random order; seeds must be fresh, and may be
    shared by incumbent and candidate. A change that is not better at all is kept by the whole loop
    with a probability of at most alpha, however many are proposed. Many useless proposals before a
    good one make it more expensive to keep.

    The scores that led to a keep are too good. So the gain of the incumbent over the start is
    estimated only from units on which they were the incumbent of a proposal that was discarded,
    and from `record`.

    References
    ----------
    Waudby-Smith & Ramdas (2024), Journal of the Royal Statistical Society B 86:1-27;
    Pérez-Ortiz, Lardy, de Heide & Grünwald (2024), Annals of Statistics 52:1410-1434; Foster &
    Stine (2008), α-investing, Journal of the Royal Statistical Society B 70:429-444, for budgets
    of errors over a stream.

    Examples
    --------
    >>> import os, tempfile
    >>> import bayescmp as bc
    >>> folder = tempfile.mkdtemp()
    >>> referee = bc.Referee(os.path.join(folder, "state.json"), units="seeds")
    >>> old, new = [0.71, 0.70, 0.72, 0.71], [0.75, 0.74, 0.77, 0.75]
    >>> referee.propose("lr=3e-4", incumbent=old[:3], candidate=new[:3])
    'measure'
    >>> referee.propose("lr=3e-4", incumbent=old * 2, candidate=new * 2)
    'keep'
    >>> referee.incumbent
    'lr=3e-4'
    """

    def __init__(
        self,
        path: str | os.PathLike[str],
        *,
        alpha: float | None = None,
        margin: float | None = None,
        budget: int | None = None,
        units: str | None = None,
        lower_is_better: bool = False,
    ) -> None:
        check_flags(lower_is_better=lower_is_better)
        self.path = check_writable("path", as_path("path", path))
        self._given = _check_settings(alpha, margin, budget, units) | (
            {"lower_is_better": True} if lower_is_better else {}
        )
        self._refuse_other_settings(self.state)

    # The state, in its file.

    @property
    def state(self) -> Json:
        """Return the state as the file has it now, or that of a new file."""
        if not self.path.exists():
            new = DEFAULTS | {"lower_is_better": False} | self._given
            start: Json = {"name": "start", "labels": [], "selected": [], "scores": []}
            return {
                "bayescmp": __version__,
                "kind": "referee",
                **new,
                "start": start,
                "incumbent": deepcopy(start),
                "proposals": [],
            }
        return _read_state(self.path)

    @contextmanager
    def _changing(self) -> Iterator[Json]:
        """Change the state, which no other process does meanwhile; whole or not at all."""
        from filelock import FileLock, Timeout

        try:
            with FileLock(f"{self.path}.lock", timeout=PATIENCE):
                state = self.state
                self._refuse_other_settings(state)
                before = deepcopy(state)
                yield state
                if state != before:
                    text = json.dumps(state, indent=1, allow_nan=False)
                    with replace_when_whole(self.path) as part:
                        part.write_text(text, encoding="utf-8")
        except Timeout as error:
            raise InputError(
                f"The state {str(self.path)!r} must be free (another process has held "
                f"{self.path.name + '.lock'!r} for {PATIENCE:g} s)."
            ) from error

    def _refuse_other_settings(self, state: Json) -> None:
        for name, value in self._given.items():
            known = state[name]
            if known != value and not (known is None and name in ("budget", "units")):
                raise must_be(name, f"{known!r}, as in {str(self.path)!r}", value)

    # Proposals.

    def propose(
        self,
        name: str,
        *,
        incumbent: ArrayLike | pd.Series,
        candidate: ArrayLike | pd.Series,
        against: str | None = None,
    ) -> str:
        """Decide whether a change stays.

        Parameters
        ----------
        name : str
            The change. If it has to be measured more, propose it again under the same name, with
            the former scores first.
        incumbent, candidate : array_like of shape (n,), or Series
            Scores on the same units, in the order in which they were measured. Series are paired
            by their index, where the incumbent may have more.
        against : str, optional
            The name of the incumbent that was measured; refused if it is not the incumbent any
            more. For several processes that share a state.

        Returns
        -------
        str
            "keep": the change is the incumbent from now on; "discard"; or "measure": it is not
            decided, measure more units. The same proposal has the same answer if it is made again.

        Raises
        ------
        InputError
            Scores that do not pair, are missing or, for questions, outside 0 to 1; other scores
            than before for a proposal that is measured once more; the name of an earlier proposal.
        """
        name = check_label(name, "name").strip()
        pairs = _pair(incumbent, candidate)
        _check_question(self.state, pairs, against)
        with self._changing() as state:
            _check_question(state, pairs, against)
            known = next((p for p in state["proposals"] if p["name"] == name), None)
            if known is not None and known["decision"] != "measure":
                if (known["n"], known["digest"]) == (pairs.n, pairs.digest(pairs.n)):
                    return str(known["decision"])
                raise must(
                    "name",
                    "be new",
                    f"{name!r}, which was decided: {known['decision']}",
                    "Choose another name.",
                )
            proposal = _open(state, name) if known is None else known
            _check_continued(proposal, pairs)
            _judge(state, proposal, pairs)
            return str(proposal["decision"])

    def record(
        self, *, start: ArrayLike | None = None, incumbent: ArrayLike | None = None
    ) -> None:
        """Add scores that no proposal was decided on, from which the gain is estimated.

        Parameters
        ----------
        start, incumbent : array_like of shape (n,) or Series, optional
            Fresh scores of the start, and of the incumbent.
        """
        given = {"start": start, "incumbent": incumbent}
        runs = {name: _Runs.read(x, name) for name, x in given.items() if x is not None}
        with self._changing() as state:
            for name, own in runs.items():
                _add_fresh(state, state[name], own)

    # Answers.

    @property
    def incumbent(self) -> str:
        """The name of the change that was kept last; "start" before."""
        return str(self.state["incumbent"]["name"])

    @property
    def spent(self) -> float:
        """The part of alpha that the proposals so far have used."""
        return float(sum(p["level"] for p in self.state["proposals"]))

    @property
    def frame(self) -> pd.DataFrame:
        """One row per proposal.

        Returns
        -------
        DataFrame
            name; against, the incumbent; n units; mean difference, positive if the proposal is
            better, and its bounds low and high, which are valid at every look at the level;
            decision, and why.
        """
        columns = ["name", "against", "n", "difference", "low", "high", "level", "decision", "why"]
        frame = pd.DataFrame(self.state["proposals"]).reindex(columns=columns)
        return frame.astype(dict.fromkeys(columns[3:7], float))

    @property
    def gain(self) -> tuple[float, Interval] | None:
        """The gain of the incumbent over the start, and its 95% interval; None if not measured.

        It comes from units measured after the last keep, and from those of the start that did not
        lead to one.
        """
        return _find_gain(self.state)

    def to_dict(self) -> Json:
        """Return the answers as plain numbers and text, for JSON."""
        state = self.state
        gain, fresh = _find_gain(state), len(state["incumbent"]["scores"])
        known = None if gain is None else {"estimate": gain[0], "interval": gain[1], "n": fresh}
        settings = {name: state[name] for name in (*DEFAULTS, "lower_is_better")}
        facts = {
            "incumbent": state["incumbent"]["name"],
            **settings,
            "spent": self.spent,
            "gain": known,
            "proposals": self.frame.to_dict(orient="records"),
        }
        document: Json = as_json(facts)
        return document


def _check_settings(alpha: object, margin: object, budget: object, units: object) -> Json:
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


def _read_state(path: Path) -> Json:
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
        _check_settings(*(state[name] for name in DEFAULTS))
        complete &= isinstance(state["lower_is_better"], bool)
    except OSError as error:
        raise InputError(f"cannot read {str(path)!r}: {error.strerror or error}") from error
    except (ValueError, KeyError, TypeError) as error:
        raise _no_state(path) from error
    if not complete:
        raise _no_state(path)
    return dict(state)


FIELDS = ("labels", "selected", "scores")
PROPOSAL = {
    *("name", "against", "level", "n", "digest", "difference", "low", "high"),
    *("decision", "why"),
}


def _no_state(path: Path) -> InputError:
    return must_be("path", "the state of a Referee, or a new file", str(path))


# Scores, paired.


class _Runs:
    """Scores of one algorithm, with the labels of their units if they have any."""

    def __init__(self, scores: np.ndarray, labels: list[str] | None, kind: str | None) -> None:
        self.scores, self.labels, self.kind = scores, labels, kind

    @classmethod
    def read(cls, x: Any, name: str) -> _Runs:
        """Read an array, or a Series whose index may number the units."""
        if isinstance(x, pd.DataFrame):
            raise must_be(name, "one column of scores, an array or a Series", x)
        scores = check_vector(x, name=name, least=1, test="a proposal")
        if not isinstance(x, pd.Series) or x.index.name is None:
            return cls(scores, None, None)
        if not x.index.is_unique:
            twice = x.index[x.index.duplicated()][0]
            raise must(name, f"have one score for each {x.index.name}", f"{twice!r} twice")
        kinds = (k for k, names in UNITS.items() if plain_name(x.index.name) in names)
        return cls(scores, [str(label) for label in x.index], next(kinds, None))


class _Pairs:
    """Scores of incumbent and candidate on the same units."""

    def __init__(self, incumbent: _Runs, candidate: _Runs) -> None:
        self.incumbent, self.candidate = incumbent, candidate
        self.n = len(candidate.scores)

    def digest(self, n: int) -> str:
        """Return a hash of the first n pairs."""
        both = np.stack([self.incumbent.scores[:n], self.candidate.scores[:n]])
        labels = "" if self.candidate.labels is None else json.dumps(self.candidate.labels[:n])
        return hashlib.sha256(both.astype("<f8").tobytes() + labels.encode()).hexdigest()

    def differences(self, *, lower_is_better: bool) -> np.ndarray:
        """Return how much better the candidate is on each unit."""
        x = self.candidate.scores - self.incumbent.scores
        return np.asarray(-x if lower_is_better else x)


def _pair(incumbent: Any, candidate: Any) -> _Pairs:
    one, other = _Runs.read(incumbent, "incumbent"), _Runs.read(candidate, "candidate")
    if one.labels is not None and other.labels is not None:
        places = {label: i for i, label in enumerate(one.labels)}
        missing = [label for label in other.labels if label not in places]
        if missing:
            raise must(
                "incumbent",
                "have a score on each unit of the candidate",
                f"none on {missing[0]!r}, the first of {len(missing)}",
                "Measure both on the same ones.",
            )
        chosen = [places[label] for label in other.labels]
        return _Pairs(_Runs(one.scores[chosen], other.labels, one.kind), other)
    if len(one.scores) != len(other.scores):
        raise must(
            "candidate",
            f"have as many scores as the incumbent, {len(one.scores)}",
            str(len(other.scores)),
        )
    return _Pairs(one, other)


def _check_question(state: Json, pairs: _Pairs, against: str | None) -> None:
    """Refuse a proposal against a former incumbent, and scores that the state does not take."""
    incumbent = state["incumbent"]["name"]
    if against is not None and not (isinstance(against, str) and against == incumbent):
        raise must_be("against", f"the incumbent, {incumbent!r}", against)
    _settle_units(state, pairs)


def _settle_units(state: Json, pairs: _Pairs) -> None:
    """Find whether units are questions or seeds, once for a state; refuse scores of other ones."""
    kind = pairs.candidate.kind or pairs.incumbent.kind
    if state["units"] is None:
        if kind is None:
            numbered = either("a Series with the index 'seed' or 'question'", "a column 'seed'")
            raise must(
                "units",
                "be 'questions' or 'seeds'",
                "scores that do not show what they are of",
                f"Give {arg('units', 'seeds')}, or {numbered}.",
            )
        state["units"] = kind
    elif kind not in (None, state["units"]):
        raise must("units", f"be {state['units']!r}, as before", kind or "")
    if state["budget"] is None:
        state["budget"] = BUDGETS[state["units"]]
    if state["units"] == "questions":
        for name, runs in (("incumbent", pairs.incumbent), ("candidate", pairs.candidate)):
            outside = runs.scores[(runs.scores < 0) | (runs.scores > 1)]
            if len(outside):
                raise must(
                    name,
                    "have scores from 0 to 1 on questions",
                    f"{outside[0]:g}",
                    f"For scores of any size give {arg('units', 'seeds')}.",
                )


def next_name(referee: Referee, base: str, incumbent: Any, candidate: Any) -> str:
    """Return a name for a change that has none: `base`, numbered if that was decided."""
    taken = [
        p
        for p in referee.state["proposals"]
        if p["name"] == base or p["name"].startswith(f"{base} (")
    ]
    if not taken:
        return base
    last, pairs = taken[-1], _pair(incumbent, candidate)
    is_new = last["decision"] != "measure" and last["digest"] != pairs.digest(pairs.n)
    return f"{base} ({len(taken) + 1})" if is_new else str(last["name"])


# Decisions.


def level_of(k: int, alpha: float) -> float:
    """Return the share of alpha that proposal k = 1, 2, ... may use: α·6/(π²k²)."""
    return alpha * 6 / (math.pi * k) ** 2


def _open(state: Json, name: str) -> Json:
    """Add a proposal, which has its share of alpha from now on."""
    level = level_of(len(state["proposals"]) + 1, state["alpha"])
    proposal = dict.fromkeys(PROPOSAL) | {"name": name, "level": level, "n": 0, "digest": ""}
    proposal |= {"against": state["incumbent"]["name"], "decision": "measure", "why": ""}
    state["proposals"].append(proposal)
    return proposal


def _check_continued(proposal: Json, pairs: _Pairs) -> None:
    """Refuse scores that do not begin with those of the look before."""
    n = proposal["n"]
    if n and (pairs.n < n or pairs.digest(n) != proposal["digest"]):
        raise must(
            "candidate",
            f"begin with the {n} scores that {proposal['name']!r} was measured on before",
            f"{pairs.n} scores" if pairs.n < n else "other scores",
            "For another change choose another name.",
        )


def _judge(state: Json, proposal: Json, pairs: _Pairs) -> None:
    """Decide a proposal, and put it in place if it is kept."""
    x = pairs.differences(lower_is_better=state["lower_is_better"])
    better, worse = look(x, state["units"], state["margin"], proposal["level"])
    proposal |= {"n": pairs.n, "digest": pairs.digest(pairs.n), "difference": float(x.mean())}
    bounds = _find_bounds(x, state["units"], proposal["level"])
    low, high = (end if math.isfinite(end) else None for end in bounds)
    proposal |= {"low": low, "high": high}
    if proposal["against"] != state["incumbent"]["name"]:
        proposal |= {"decision": "discard", "why": OVERTAKEN}
        return
    if better:
        proposal["decision"] = "keep"
        state["incumbent"] = {
            "name": proposal["name"],
            "labels": [],
            "scores": [],
            "selected": pairs.candidate.labels or pairs.candidate.scores.tolist(),
        }
    elif worse or pairs.n >= state["budget"]:
        proposal |= {"decision": "discard", "why": "" if worse else SPENT}
        _add_fresh(state, state["incumbent"], pairs.incumbent)


def look(x: np.ndarray, units: str, margin: float, level: float) -> tuple[bool, bool]:
    """Return whether a mean is above a margin, and whether it is not above it.

    Parameters
    ----------
    x : ndarray of shape (n,)
        Differences; of questions between -1 and 1.
    units : {"questions", "seeds"}
    margin, level : float
        Each side errs, at any look, with a probability of at most the level.
    """
    if units == "seeds":
        low, high = student_bounds(x, level)
        return low > margin, high <= margin
    if not -1 < margin < 1:
        return margin <= -1, margin >= 1
    above, below = find_crossings(x, margin, level)
    return above, below and not above


def _find_bounds(x: np.ndarray, units: str, level: float) -> Interval:
    """Return the bounds of a mean that `look` looks at."""
    if units == "seeds":
        return student_bounds(x, level)
    return confidence_sequence(x, alpha=level).interval


# The gain, from scores that did not lead to a keep.


def _add_fresh(state: Json, holder: Json, runs: _Runs) -> None:
    """Add an incumbent's scores, except those that it was kept for and those that are there."""
    if runs.labels is not None:
        known = {*map(str, holder["selected"]), *holder["labels"]}
        new = [i for i, label in enumerate(runs.labels) if label not in known]
        holder["labels"] += [runs.labels[i] for i in new]
        holder["scores"] += [float(runs.scores[i]) for i in new]
    else:
        own = runs.scores.tolist()
        if not any(_overlap(own, there) for there in (holder["selected"], holder["scores"])):
            holder["scores"] += own
    if holder is state["incumbent"] and holder["name"] == state["start"]["name"]:
        state["start"] = deepcopy(holder)


def _overlap(one: list[float], other: list[Any]) -> bool:
    """Whether the shorter of two lists is the beginning, or the end, of the other."""
    n = min(len(one), len(other))
    return n > 0 and (one[:n] == other[:n] or one[:n] == other[-n:])


def _find_gain(state: Json) -> tuple[float, Interval] | None:
    if state["incumbent"]["name"] == state["start"]["name"]:
        return None
    sign = -1 if state["lower_is_better"] else 1
    start, now = (sign * np.array(state[part]["scores"], float) for part in ("start", "incumbent"))
    if min(len(start), len(now)) < 2:
        return None
    from bayescmp.bayesian.unpaired import two_sample_t

    posterior = two_sample_t(start, now)
    low, high = (posterior.distribution.quantile(p) for p in (0.025, 0.975))
    return float(now.mean() - start.mean()), (float(low), float(high))


# Summary.

HEADLINES = {
    "none": "no proposals yet",
    "keep": "keep: {name} replaces {against}",
    "discard": "discard: {name} does not replace {against}",
    "measure": "measure more: {name} against {against} is undecided",
}
LAST = {
    "keep": "After {n}, {name} is better than {against}{margin} ({numbers}).",
    "discard": "After {n}, {name} is not shown to be better than {against}{margin} ({numbers}).",
    "measure": "After {n} of at most {budget}, it is undecided whether {name} is better than "
    "{against}{margin} ({numbers}).",
}
NUMBERS = {
    True: "mean difference {estimate}, {level:g}% confidence sequence {low} to {high}",
    False: "mean difference {estimate}, too few {unit}s for bounds",
}
WHY = "It was discarded because {why}."
GAINS = {
    "known": "Gain of {name} over the start: {estimate} (95% credible interval {low} to {high}), "
    "from {runs} that did not lead to its keep.",
    "unknown": "The gain of {name} over the start is not known yet: the {unit}s that led to its "
    "keep are too good. Measure it on others.",
}
VALID = (
    "The probability of ever keeping a change that is not better is {alpha:g} or less, over all "
    "proposals and looks; {spent:.2g} of it is used."
)
METHOD = {
    "questions": "betting, hedged capital with plug-in bets (Waudby-Smith & Ramdas 2024), level "
    "alpha·6/(π²k²) for proposal k",
    "seeds": "e-process of the t test (Pérez-Ortiz et al. 2024), level alpha·6/(π²k²) for "
    "proposal k",
    None: "",
}
#: Proposals that the text shows.
SHOWN = 8


@summarise.register
def _summarise_referee(referee: Referee) -> Summary:
    state, history = referee.state, referee.frame
    margin = f", margin {state['margin']:g}" if state["margin"] else ""
    setting = f"{format_count(len(history), 'proposal')}, alpha {state['alpha']:g}{margin}"
    valid = VALID.format(alpha=state["alpha"], spent=referee.spent)
    if not len(history):
        return Summary(HEADLINES["none"], history, setting=setting, sentences=[valid])
    last = state["proposals"][-1]
    named = {name: last[name] for name in ("name", "against")}
    unit = state["units"].removesuffix("s")
    sentence = LAST[last["decision"]].format(
        **named,
        n=format_count(last["n"], unit),
        margin=f" by more than {state['margin']:g}" if state["margin"] else "",
        budget=state["budget"],
        numbers=_write_numbers(last, unit),
    )
    why = [WHY.format(why=last["why"])] if last["why"] else []
    shown = history[["name", "against", "n", "difference", "low", "high", "decision"]]
    return Summary(
        HEADLINES[last["decision"]].format(**named),
        shown.iloc[-SHOWN:].reset_index(drop=True),
        {
            "name": Column(Cells.NAME, "proposal"),
            "against": Column(Cells.NAME),
            "decision": Column(Cells.WORDS),
        },
        label="referee",
        setting=setting,
        sentences=[" ".join([sentence, *why]), *_describe_gain(referee), valid],
        legend="low, high: bounds of the mean difference that are valid at every look",
        method=METHOD[state["units"]],
    )


def _write_numbers(last: Json, unit: str) -> str:
    """Write the difference of a proposal, and its bounds if it has any yet."""
    ends = last["low"], last["high"]
    if None in ends:
        estimate = format_number(last["difference"])
        return NUMBERS[False].format(estimate=estimate, unit=unit)
    estimate, low, high = format_estimate(last["difference"], ends)
    level = round(100 * (1 - last["level"]), 4)
    return NUMBERS[True].format(estimate=estimate, low=low, high=high, level=level)


def _describe_gain(referee: Referee) -> list[str]:
    state, gain = referee.state, referee.gain
    name = state["incumbent"]["name"]
    if name == state["start"]["name"]:
        return []
    unit = state["units"].removesuffix("s")
    if gain is None:
        return [GAINS["unknown"].format(name=name, unit=unit)]
    estimate, low, high = format_estimate(*gain)
    runs = format_count(len(state["incumbent"]["scores"]), unit)
    return [GAINS["known"].format(name=name, estimate=estimate, low=low, high=high, runs=runs)]
