"""The result of planning: how often each amount of data decides, and for what."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from bayescmp.base.deferred import Sealed
from bayescmp.results.above import Pictured
from bayescmp.wording.markup import Exhibit, Exhibited, Explained, Told
from bayescmp.wording.regions import THREE
from bayescmp.wording.text import counted, listed, probability, share

if TYPE_CHECKING:
    import pandas as pd

    from bayescmp.base.typing import Json


DECISIONS = (*THREE.decisions.values(), "undecided")
UNDECIDED = "undecided"
SHARES = ("decided", *DECISIONS)


@dataclass(frozen=True, eq=False, repr=False)
class Plan(Exhibited, Explained, Sealed, Pictured):
    """How often each amount of data decides the verdict, and for which outcome.

    Attributes
    ----------
    frame : DataFrame
        One row per amount of data: datasets (further ones where there are data already),
        more_folds (further differences on each data set seen); shares of the simulated studies
        that are decided, decided for first, equivalent or second, and undecided; ``se_`` of each,
        their Monte Carlo standard errors.
    limit : mapping of str to float
        For each decision, the probability that infinitely many data sets end with it: that its
        region is the most probable outcome at the true parameters.
    names : (str, str)
        The two algorithms.
    threshold : float
        Probability at which the test decides.
    simulations : int
        Simulated studies.
    seed : int
        Of the simulations.
    today : str
        The decision of the data at hand; empty where there are none yet.
    """

    picture: ClassVar[str] = "plan"

    frame: pd.DataFrame
    limit: Mapping[str, float]
    names: tuple[str, str]
    threshold: float
    simulations: int
    seed: int
    today: str = ""

    def needed(self, probability: float = 0.8, *, more_folds: int = 0) -> int | None:
        """The smallest planned number of data sets that decides with at least this probability.

        Parameters
        ----------
        probability : float
            That the verdict is decided.
        more_folds : int
            Further differences on each data set seen.

        Returns
        -------
        int or None
            None if none of them does.

        Examples
        --------
        >>> import bayescmp as bc
        >>> plan = bc.plan(delta0=0.03, sigma0=0.003, rope=0.01, rho=0.1, datasets=[3, 12],
        ...                simulations=10)
        >>> plan.needed(0.8) in (3, 12)
        True
        """
        rows = self.frame[self.frame["more_folds"] == more_folds]
        enough = rows.loc[rows["decided"] >= probability, "datasets"]
        return int(enough.min()) if len(enough) else None

    def _told(self) -> Told:
        start = f"Chances of a decision at {self.threshold:g}: "
        if self.today:
            start = f"Today the verdict is {self._said(self.today)}. {start}"
        more_folds = self.frame["more_folds"].unique().tolist()
        groups = "; ".join(self._group(m) for m in more_folds)
        simulated = counted(self.simulations, "simulated study", "simulated studies")
        return Told(
            [f"{start}{groups}", self._limit()], methods=[f"Each chance is of {simulated}"]
        )

    def _group(self, more_folds: int) -> str:
        """The largest amount of data, and the least that is enough."""
        rows = self.frame[self.frame["more_folds"] == more_folds]
        last = rows.iloc[int(rows["datasets"].argmax())]
        ways = {d: last[d] for d in DECISIONS if d != UNDECIDED and last[d] > 0}
        split = listed([f"{self._said(d)} {self._share(p)}" for d, p in ways.items()])
        decided = self._share(last["decided"], last["se_decided"])
        amount = f"with {self._amount(int(last['datasets']), more_folds)} {decided}"
        enough = self.needed(more_folds=more_folds)
        least = (
            "none of these numbers reaches 0.80"
            if enough is None
            else f"0.80 is reached with {self._amount(enough, more_folds)}"
        )
        return f"{amount}{f' ({split})' if split else ''}, {least}"

    def _share(self, p: float, error: float = 0.0) -> str:
        return share(p, error, self.simulations)

    def _amount(self, datasets: int, more_folds: int) -> str:
        parts = []
        if datasets:
            parts.append(counted(datasets, "more data set" if self.today else "data set"))
        if more_folds:
            parts.append(f"{counted(more_folds, 'more fold')} on each data set seen")
        return listed(parts) or "no further data"

    def _limit(self) -> str:
        ways = [f"{self._said(d)} {probability(p)}" for d, p in self.limit.items() if p > 0]
        return f"With infinitely many data sets: {listed(ways)}."

    def _said(self, decision: str) -> str:
        if decision == UNDECIDED:
            return UNDECIDED
        region = next(r for r, d in THREE.decisions.items() if d == decision)
        first, second = self.names
        return f'"{THREE.labels[region].format(first=first, second=second)}"'

    def to_dict(self) -> Json:
        """Everything as plain numbers and strings, for JSON.

        Examples
        --------
        >>> import bayescmp as bc
        >>> plan = bc.plan(delta0=0.03, sigma0=0.003, rope=0.01, rho=0.1, datasets=[3],
        ...                simulations=5)
        >>> plan.to_dict()["limit"]["second"]
        1.0
        """
        return {
            "rows": self.frame.to_dict(orient="records"),
            "limit": dict(self.limit),
            "names": list(self.names),
            "threshold": self.threshold,
            "simulations": self.simulations,
            "seed": self.seed,
            "today": self.today,
            "text": self.explain(),
        }

    def shown(self) -> pd.DataFrame:
        """The table as it is printed: shares, that of decisions with its standard error.

        Today's verdict is not a share: its column says "yes".

        Examples
        --------
        >>> import bayescmp as bc
        >>> plan = bc.plan(delta0=0.03, sigma0=0.003, rope=0.01, rho=0.1, datasets=[3],
        ...                simulations=5)
        >>> plan.shown().columns.tolist()
        ['datasets', 'decided', 'first', 'equivalent', 'second', 'undecided']
        """
        folds = ["more_folds"] if self.frame["more_folds"].any() else []
        table = self.frame[["datasets", *folds, *SHARES]].copy()
        simulated = self.frame[["datasets", "more_folds"]].any(axis=1)
        for column in SHARES:
            errors = self.frame["se_decided"] if column == "decided" else [0.0] * len(table)
            rows = zip(self.frame[column], errors, simulated, strict=True)
            table[column] = [self._share(p, e) if s else _today(p) for p, e, s in rows]
        return table

    def _exhibit(self) -> Exhibit:
        folds = self.frame["more_folds"].unique().tolist()
        enough = {m: self.needed(more_folds=m) for m in folds}
        amounts = [self._amount(n, m) for m, n in enough.items() if n is not None]
        which = "enough to decide" if amounts else "no plan here decides"
        least = f": {amounts[0]}" if amounts else ""
        names = {d: self._said(d).strip('"') for d in DECISIONS}
        return Exhibit(
            f"{which} with a chance of 0.80{least}",
            self.shown(),
            label="plan",
            heads={d: name for d, name in names.items() if d != UNDECIDED},
            setting=" and ".join(self.names),
            sentences=[self.explain()],
            method=self.explain("methods"),
            more="more: .frame, .needed(), .explain(), .plot()",
        )

    def __repr__(self) -> str:
        return f"<Plan: {self._exhibit().title}>"


def _today(p: float) -> str:
    return "yes" if p else "-"
