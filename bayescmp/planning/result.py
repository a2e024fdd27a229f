"""The result of planning: how often each amount of data decides, and for what."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from bayescmp import _html
from bayescmp.planning.deciding import DECISIONS, UNDECIDED
from bayescmp.text import counted, listed, probability, share
from bayescmp.verdict import THREE

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

    from bayescmp.typing import Json

__all__ = ["Plan", "frame_of", "share_error"]

SHARES = ("decided", *DECISIONS)


@dataclass(frozen=True, eq=False, repr=False)
class Plan:
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

    def explain(self) -> str:
        """In words: what the data decide, how many are needed, and what no data can change.

        Examples
        --------
        >>> import bayescmp as bc
        >>> plan = bc.plan(delta0=0.03, sigma0=0.003, rope=0.01, rho=0.1, datasets=[3, 12],
        ...                simulations=10)
        >>> plan.explain().split(":")[0]
        'Chances of a decision at 0.95'
        """
        start = f"Chances of a decision at {self.threshold:g}: "
        if self.today:
            start = f"Today the verdict is {self._said(self.today)}. {start}"
        more_folds = self.frame["more_folds"].unique().tolist()
        groups = "; ".join(self._group(m) for m in more_folds)
        return f"{start}{groups}. {self._limit()}"

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

    def plot(self, *, ax: Axes | None = None, **options: object) -> Axes:
        """The chance of a decision against the number of data sets, with the limit.

        Examples
        --------
        >>> import bayescmp as bc
        >>> plan = bc.plan(delta0=0.03, sigma0=0.003, rope=0.01, rho=0.1, datasets=[3, 12],
        ...                simulations=10)
        >>> ax = plan.plot()

        See Also
        --------
        bayescmp.plots.plot_plan : What draws it.
        """
        from bayescmp.plots import plot_plan

        return plot_plan(self, ax=ax, **options)

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

    def __str__(self) -> str:
        table = self.shown().to_string(index=False)
        return f"{table}\n\n{self.explain()}"

    __repr__ = __str__

    def _repr_html_(self) -> str:
        return _html.titled("Plan", _html.escape(self.explain()), _html.table(self.shown()))


def _today(p: float) -> str:
    return "yes" if p else "-"


def frame_of(decided: Mapping[tuple[int, int], Sequence[str]]) -> pd.DataFrame:
    """A row for each number of data sets and of further folds, from the decisions made."""
    import pandas as pd

    rows = []
    for (datasets, more_folds), made in decided.items():
        shares = {way: made.count(way) / len(made) for way in DECISIONS}
        shares = {"decided": 1 - shares[UNDECIDED], **shares}
        simulated = bool(datasets or more_folds)  # no further data: today's verdict
        errors = {
            f"se_{k}": share_error(p, len(made)) if simulated else 0.0 for k, p in shares.items()
        }
        rows.append({"datasets": datasets, "more_folds": more_folds, **shares, **errors})
    return pd.DataFrame(rows)


def share_error(share: float, n: int) -> float:
    """Standard error of a share of n simulations; half of one is added so that it is never 0."""
    p = (share * n + 0.5) / (n + 1)
    return float(np.sqrt(p * (1 - p) / n))
