"""May this change stay? A referee for an automated loop that proposes changes one after another.

Proposals are compared with the incumbent on paired units, and kept, discarded, or measured
again. The probability of *ever* keeping a change that is not better is at most alpha: proposal k
has the share α_k = α·6/(π²k²), and its interval is valid at every look.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from copy import deepcopy
from typing import Any

import pandas as pd
from numpy.typing import ArrayLike

from bayescmp.base.arguments import must, must_be
from bayescmp.base.checks import check_flags, check_label
from bayescmp.base.files import as_path, check_writable, replace_when_whole
from bayescmp.base.typing import Json, as_json
from bayescmp.present.forms import Summarised
from bayescmp.results.verdict import Interval
from bayescmp.study.referee.decisions import (
    add_fresh,
    check_continued,
    check_proposed,
    find_gain,
    judge,
    open_proposal,
)
from bayescmp.study.referee.scores import UnitScores, pair_scores
from bayescmp.study.referee.state import DEFAULTS, check_settings, new_state, read_state

#: Seconds that another process may hold the state.
PATIENCE = 60.0


class Referee(Summarised):
    """A referee that keeps or discards the changes that an automated loop proposes.

    The state is a file, which several processes may share.

    Parameters
    ----------
    path : path-like
        The state, a JSON file; the first proposal makes it.
    alpha : float, optional
        Probability of ever keeping a change that is not better; 0.05 if not given.
    margin : float, optional
        A change is kept if it is better by more than this; 0 if not given.
    budget : int, optional
        The most units for a proposal, by default 20 seeds or 2,000 questions.
    units : {"questions", "seeds"}, optional
        "questions" have scores from 0 to 1; "seeds" any, with about normal differences. May be
        left out if the scores are Series whose index has this name.
    lower_is_better : bool
        Whether a lower score is better.

    Raises
    ------
    InputError
        Settings that differ from the file's; a file that is not a state.

    See Also
    --------
    gate, bayescmp.frequentist.confidence_sequence

    Notes
    -----
    A proposal is kept once the lower bound of the mean difference exceeds the margin, and
    discarded once its upper bound does not, or the budget is used up. The bounds are valid at
    every look, at the level 1 − α_k: for questions a confidence sequence by betting, for seeds the
    e-process of the t test. Questions must be in random order; seeds must be fresh, and may be
    shared by incumbent and candidate. Many useless proposals make it more expensive to keep a good
    one.

    The scores that led to a keep are too good, so the gain over the start is estimated only from
    units of incumbents whose challenger was discarded, and from `record`.

    References
    ----------
    Waudby-Smith & Ramdas (2024), JRSS B 86:1-27; Pérez-Ortiz, Lardy, de Heide & Grünwald (2024),
    Annals of Statistics 52:1410-1434; Foster & Stine (2008), α-investing, JRSS B 70:429-444.

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
        self._given = check_settings(alpha, margin, budget, units) | (
            {"lower_is_better": True} if lower_is_better else {}
        )
        self._refuse_other_settings(self.state)

    # The state, in its file.

    @property
    def state(self) -> Json:
        """Return the state as the file has it now, or that of a new file."""
        return read_state(self.path) if self.path.exists() else new_state(self._given)

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
            raise must(
                f"path, {str(self.path)!r},",
                "be free",
                f"{self.path.name + '.lock'!r}, which another process has held for {PATIENCE:g} s",
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
            The change; to measure it more, propose it again with the former scores first.
        incumbent, candidate : array_like of shape (n,), or Series
            Scores on the same units, in the order of measurement. Series pair by their index,
            where the incumbent may have more.
        against : str, optional
            The incumbent that was measured, refused if replaced; for processes that share a state.

        Returns
        -------
        str
            "keep": the change becomes the incumbent; "discard"; or "measure" more units.
            The same proposal has the same answer again.

        Raises
        ------
        InputError
            Scores that do not pair or are out of range, or differ from before; an earlier
            proposal's name.
        """
        name = check_label(name, "name").strip()
        pairs = pair_scores(incumbent, candidate)
        check_proposed(self.state, pairs, against)
        with self._changing() as state:
            check_proposed(state, pairs, against)
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
            proposal = open_proposal(state, name) if known is None else known
            check_continued(proposal, pairs)
            judge(state, proposal, pairs)
            return str(proposal["decision"])

    def record(
        self, *, start: ArrayLike | None = None, incumbent: ArrayLike | None = None
    ) -> None:
        """Add scores that no proposal was decided on, from which the gain is estimated.

        Parameters
        ----------
        start, incumbent : array_like of shape (n,) or Series, optional
        """
        given = {"start": start, "incumbent": incumbent}
        runs = {name: UnitScores.read(x, name) for name, x in given.items() if x is not None}
        with self._changing() as state:
            for name, own in runs.items():
                add_fresh(state, state[name], own)

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

        name; against, the incumbent; n units; mean difference, positive if the proposal is better,
        and its always-valid bounds low and high; decision, and why.
        """
        columns = ["name", "against", "n", "difference", "low", "high", "level", "decision", "why"]
        frame = pd.DataFrame(self.state["proposals"]).reindex(columns=columns)
        return frame.astype(dict.fromkeys(columns[3:7], float))

    @property
    def gain(self) -> tuple[float, Interval] | None:
        """The gain of the incumbent over the start, and its 95% interval; None if not measured.

        Not from units that led to a keep.
        """
        return find_gain(self.state)

    def to_dict(self) -> Json:
        """Return the answers as plain numbers and text, for JSON."""
        state = self.state
        gain, fresh = find_gain(state), len(state["incumbent"]["scores"])
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


def next_name(referee: Referee, base: str, incumbent: Any, candidate: Any) -> str:
    """Return a name for a change that has none: `base`, numbered if that was decided."""
    taken = [
        p
        for p in referee.state["proposals"]
        if p["name"] == base or p["name"].startswith(f"{base} (")
    ]
    if not taken:
        return base
    last, pairs = taken[-1], pair_scores(incumbent, candidate)
    is_new = last["decision"] != "measure" and last["digest"] != pairs.digest(pairs.n)
    return f"{base} ({len(taken) + 1})" if is_new else str(last["name"])
