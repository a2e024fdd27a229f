"""Simulated data whose truth is known, what each test decides of them, and planning's result."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

import numpy as np

from bayescmp.base.checks import check_flags, is_number, processes
from bayescmp.base.deferred import Sealed
from bayescmp.base.workers import in_order
from bayescmp.bayesian.hierarchical.answers import grid_probabilities, masses_of
from bayescmp.bayesian.hierarchical.problem import HierarchicalPrior, pose
from bayescmp.engines.quadrature import Settings
from bayescmp.errors import InputError
from bayescmp.frequentist.paired.t import tost_means
from bayescmp.frequentist.signs import wilcoxon
from bayescmp.scores.differences import Differences
from bayescmp.scores.rope import Rope
from bayescmp.wording import html
from bayescmp.wording.regions import THREE, Shape
from bayescmp.wording.text import counted, listed, probability, share

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

    from bayescmp.base.typing import Json

__all__ = [
    "DECISIONS",
    "UNDECIDED",
    "Plan",
    "Rule",
    "Truth",
    "check_nu",
    "decide",
    "frame_of",
    "of_probabilities",
    "right_decisions",
    "run_all",
    "share_error",
]


# Simulated data sets whose truth is known: the model of the hierarchical correlated t test.


#: Masses that differ by less are alike: neither region is then the most probable.
ALIKE = 1e-9
#: Degrees of freedom below which data sets lie too far apart: at 0.01 half are within 1, and more
#: than a third beyond 1e40.
LEAST_NU = 0.5


@dataclass(frozen=True)
class Truth:
    """What is true of the differences of two algorithms over data sets.

    Attributes
    ----------
    delta0, sigma0, nu : float
        The data sets' mean differences are δ0 + σ0·t_ν; an infinite ν makes them normal.
    noise : float
        Standard deviation of a fold's difference.
    rho : float
        Correlation of two folds' differences.
    folds : int
        Differences on each data set.
    """

    delta0: float
    sigma0: float
    nu: float
    noise: float
    rho: float
    folds: int

    def masses(self, rope: Rope) -> np.ndarray:
        """Probabilities of left, rope and right on the next data set, shape (3,)."""
        at = {
            "delta0": np.array(self.delta0),
            "sigma0": np.array(self.sigma0),
            "nu": np.array(min(self.nu, 1e12)),
        }
        return masses_of(at, rope)

    def outcomes(self, rope: Rope) -> tuple[str, ...]:
        """Decisions that are right: the most probable outcome on the next data set."""
        masses = self.masses(rope)
        best = masses.max() - masses < ALIKE
        ways = [THREE.decisions[r] for r, b in zip(THREE.regions, best, strict=True) if b]
        return tuple(ways) if len(ways) == 1 else ()

    def simulate(self, datasets: int, seed: list[int]) -> Differences:
        """Simulated data sets; with the same seed, asking for more leaves the first ones alone."""
        effect, tail, shared, own = (np.random.default_rng([*seed, k]) for k in range(4))
        t = effect.standard_normal(datasets)
        if np.isfinite(self.nu):
            t /= np.sqrt(tail.chisquare(self.nu, datasets) / self.nu)
        z = np.sqrt(self.rho) * shared.standard_normal((datasets, 1))
        z = z + np.sqrt(1 - self.rho) * own.standard_normal((datasets, self.folds))
        x = self.delta0 + self.sigma0 * t[:, None] + self.noise * z
        return Differences(x, rho=self.rho)


def check_nu(nu: object) -> float:
    """Degrees of freedom of data sets that can be simulated; infinite ones are accepted.

    Raises
    ------
    InputError
        If they are fewer, or no number.
    """
    if not is_number(nu) or not nu >= LEAST_NU:
        raise InputError(f"nu={nu!r}; accepted: a number of at least {LEAST_NU:g}, or infinity")
    return float(nu)


# What each test decides of one table of differences, and whether that is right.


DECISIONS = (*THREE.decisions.values(), "undecided")
UNDECIDED = "undecided"


@dataclass(frozen=True)
class Rule:
    """How decisions are made.

    Attributes
    ----------
    rope : Rope
        Region of practical equivalence.
    prior : HierarchicalPrior
        Of the hierarchical test.
    threshold : float
        Probability at which it decides.
    alpha : float
        Level of the frequentist tests.
    """

    rope: Rope
    prior: HierarchicalPrior
    threshold: float
    alpha: float


def of_probabilities(p: np.ndarray, threshold: float, shape: Shape = THREE) -> str:
    """The decision that the probabilities of the regions allow: left, rope and right, or four."""
    best = int(np.argmax(p))
    return shape.decisions[shape.regions[best]] if p[best] >= threshold else UNDECIDED


def _hierarchical(x: Differences, rule: Rule) -> str:
    p = grid_probabilities(pose(x, rule.prior, rule.rope), rule.rope, Settings.quick())
    return of_probabilities(p, rule.threshold)


def _wilcoxon(x: Differences, rule: Rule) -> str:
    """A side, where "no difference" is rejected."""
    means = x.statistics().mean
    if wilcoxon(means).pvalue >= rule.alpha:
        return UNDECIDED
    return "second" if np.median(means) > 0 else "first"


def _tost(x: Differences, rule: Rule) -> str:
    """Equivalence, where both "no less" and "no more than the rope" are rejected."""
    rejected = tost_means(x.statistics().mean, rope=rule.rope).pvalue < rule.alpha
    return "equivalent" if rejected else UNDECIDED


TESTS: Mapping[str, Callable[[Differences, Rule], str]] = {
    "hierarchical_t": _hierarchical,
    "wilcoxon": _wilcoxon,
    "tost_means": _tost,
}


def decide(x: Differences, rule: Rule) -> dict[str, str]:
    """Each test's decision; with no rope nothing tests equivalence."""
    tests = {k: f for k, f in TESTS.items() if k != "tost_means" or not rule.rope.empty}
    return {name: test(x, rule) for name, test in tests.items()}


def right_decisions(truth: Truth, rope: Rope) -> dict[str, tuple[str, ...]]:
    """Decisions that are not errors, test by test; being undecided never is one.

    The hierarchical test is about the next data set: the most probable outcome there is right.
    The others are about the centre δ0: a side is right where δ0 is on it, equivalence where δ0 is
    inside the rope.
    """
    side = "second" if truth.delta0 > 0 else "first"
    return {
        "hierarchical_t": truth.outcomes(rope),
        "wilcoxon": (side,) if truth.delta0 else (),
        "tost_means": ("equivalent",) if rope.low < truth.delta0 < rope.high else (),
    }


# Many independent tasks on several processes, with a bar.


Result = TypeVar("Result")


def run_all(
    function: Callable[..., Result],
    tasks: Iterable[tuple[object, ...]],
    *,
    n_jobs: int | None,
    title: str,
    progress: bool,
) -> list[Result]:
    """Results of a function called with each task's arguments, in the tasks' order.

    Parameters
    ----------
    function : callable
        One that other processes can import.
    tasks : iterable of tuple
        Its positional arguments.
    n_jobs : int or None
        As joblib takes it.
    title : str
        What the bar is called.
    progress : bool
        Whether to show it.

    Raises
    ------
    InputError
        No processes.
    """
    check_flags(progress=progress)
    n_jobs = processes(n_jobs)
    tasks = list(tasks)
    results = in_order(function, tasks, n_jobs)
    try:
        if not progress:
            return list(results)
        from tqdm.auto import tqdm  # it warns in a notebook without widgets

        return list(tqdm(results, total=len(tasks), desc=title, leave=False))
    finally:
        results.close()  # an interruption ends the workers here and now


# The result of planning: how often each amount of data decides, and for what.


SHARES = ("decided", *DECISIONS)


@dataclass(frozen=True, eq=False, repr=False)
class Plan(Sealed):
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
        return html.titled("Plan", html.escape(self.explain()), html.table(self.shown()))


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
