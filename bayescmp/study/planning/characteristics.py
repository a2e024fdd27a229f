"""How often is each verdict given, and how often is it wrong, where the truth is known?"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import product

import numpy as np
import pandas as pd

from bayescmp.base import checks
from bayescmp.base.checks import Seed
from bayescmp.base.declare import count, declare, optional
from bayescmp.bayesian.hierarchical.problem import PRIOR, HierarchicalPrior
from bayescmp.errors import InputError
from bayescmp.results.plan import UNDECIDED, decisions_of, shape_within
from bayescmp.results.verdict import check_threshold
from bayescmp.scores.rope import Rope, RopeLike, as_rope, rope_phrase
from bayescmp.study.planning.deciding import (
    Rule,
    Test,
    Truth,
    check_nu,
    decide,
    right_decisions,
    run_all,
    share_error,
    simulated_tests,
    size_of,
)
from bayescmp.wording.markup import Exhibit, Exhibited
from bayescmp.wording.text import format_count, format_share, join_items

#: Simulations that one task makes.
BATCH = 10


@declare(prior=optional(PRIOR), folds=count(3), simulations=count())
def calibrate(
    *,
    rope: RopeLike,
    rho: float,
    datasets: Iterable[int] = (5, 10, 20, 54),
    folds: int = 10,
    delta0: Iterable[float] | None = None,
    sigma0: Iterable[float] | None = None,
    nu: float = 10.0,
    noise: float | None = None,
    prior: HierarchicalPrior | None = None,
    threshold: float = 0.95,
    alpha: float = 0.05,
    simulations: int = 200,
    seed: Seed = None,
    n_jobs: int | None = 1,
    progress: bool = False,
) -> Calibration:
    """Return operating characteristics of the decision rule and of the frequentist tests.

    Data are simulated from the model of the hierarchical correlated t test, with a known truth.
    Each simulated table is decided by `hierarchical_t` at the threshold, by Wilcoxon's signed-rank
    test of no difference, and by two one-sided tests of equivalence, the latter two on the data
    sets' means at level alpha. All truths and all numbers of data sets share their random numbers,
    so that rows can be compared.

    Parameters
    ----------
    rope : float, (float, float) or Rope
        Region of practical equivalence.
    rho : float
        Correlation of two folds' differences, 1/folds for cross-validation.
    datasets : iterable of int
        Numbers of data sets.
    folds : int
        Differences on each data set: folds times repeats.
    delta0 : iterable of float, optional
        Centres of the data sets' mean differences; 0, the upper end of the rope and twice that if
        not given.
    sigma0 : iterable of float, optional
        Their scales; a quarter of the upper end of the rope, and twice that end, if not given.
    nu : float
        Their degrees of freedom, at least 0.5; infinity makes them normal.
    noise : float, optional
        Standard deviation of a fold's difference; twice the upper end of the rope if not given.
    prior : HierarchicalPrior, optional
        ``HierarchicalPrior.corani2017()`` if not given.
    threshold : float
        Probability at which the hierarchical test decides.
    alpha : float
        Level of the frequentist tests.
    simulations : int
        Simulated tables for each number of data sets and each truth.
    seed : int or numpy Generator, optional
        The same seed gives the same table.
    n_jobs : int, optional
        Processes, as joblib takes it.
    progress : bool
        Whether to show a progress bar.

    Returns
    -------
    Calibration
        With a frame: one row per truth, number of data sets and test.

    Raises
    ------
    InputError
        No rope and no delta0, sigma0 and noise; numbers outside their ranges.

    See Also
    --------
    bayescmp.bayesian.hierarchical_t : The test.
    bayescmp.frequentist.wilcoxon, bayescmp.frequentist.tost_means : Its frequentist twins.

    References
    ----------
    Kruschke (2013), Journal of Experimental Psychology: General 142:573-603, for operating
    characteristics of a rule with a rope.

    Examples
    --------
    Only ten simulations, for speed; 400 or more tell something.

    >>> import bayescmp as bc
    >>> table = bc.calibrate(
    ...     rope=0.01, rho=0.1, datasets=[8], delta0=[0.03], sigma0=[0.005],
    ...     simulations=10, seed=1,
    ... )
    >>> table.frame.set_index("test")["second"].to_dict()
    {'hierarchical_t': 1.0, 'wilcoxon': 1.0, 'tost_means': 0.0}
    """
    region = as_rope(rope)
    rule = Rule(
        region,
        prior or HierarchicalPrior.corani2017(),
        check_threshold(threshold),
        checks.check_level(alpha, "alpha"),
    )
    sizes = checks.check_wholes("datasets", datasets, 2, each=folds)
    known = None if noise is None else [noise]
    truths = [
        Truth(d, s, check_nu(nu), w, checks.one_rho(rho), folds)
        for d, s, w in product(
            _values("delta0", delta0, region, (0, 1, 2)),
            [_positive("sigma0", s) for s in _values("sigma0", sigma0, region, (0.25, 2))],
            [_positive("noise", w) for w in _values("noise", known, region, (2,))],
        )
    ]
    number, tests = checks.seed_of(seed), simulated_tests(region)
    starts = range(0, simulations, BATCH)
    tasks = [
        (truth, q, rule, tests, [number], range(start, min(start + BATCH, simulations)))
        for truth, q, start in product(truths, sizes, starts)
    ]
    batches = iter(
        run_all(_batch, tasks, n_jobs=n_jobs, title="simulated tables", progress=progress)
    )
    rows = []
    for truth, q in product(truths, sizes):
        decided = [one for _ in starts for one in next(batches)]
        rows += _rows(truth, q, right_decisions(truth, region, tests), decided, region)
    return Calibration(pd.DataFrame(rows), rule, simulations, number)


@dataclass(frozen=True, eq=False, repr=False)
class Calibration(Exhibited):
    """How often each decision was made, and how often it was wrong.

    Attributes
    ----------
    frame : DataFrame
        One row per truth (delta0, sigma0, nu, noise, rho, folds), number of datasets and test:
        right, what is true, by `bayescmp.study.planning.deciding.right_decisions`; shares of the
        simulations decided as first, equivalent, second or undecided, and wrongly; the Monte Carlo
        standard error ``se_`` of each.
    rule : Rule
        Rope, prior, threshold and level.
    simulations : int
        Simulations behind each row.
    seed : int
        Seed of the simulations.
    """

    frame: pd.DataFrame
    rule: Rule
    simulations: int
    seed: int

    @property
    def heading(self) -> str:
        """Say what was simulated and how it was decided, in a line."""
        r = self.rule
        return (
            f"{format_count(self.simulations, 'simulated table')} a row (seed {self.seed}), "
            f"{rope_phrase(r.rope)}, threshold {r.threshold:g}, level {r.alpha:g}, "
            f"prior {r.prior.name}"
        )

    def shown(self) -> pd.DataFrame:
        """Return the table as it is printed: shares with their standard errors, or bounds."""
        shown = self.frame[["datasets", "delta0", "sigma0", "right", "test"]].copy()
        for column in (*decisions_of(shape_within(self.rule.rope)), "wrong"):
            pairs = zip(self.frame[column], self.frame[f"se_{column}"], strict=True)
            shown[column] = [format_share(p, e, self.simulations) for p, e in pairs]
        return shown

    def to_markdown(self) -> str:
        """Return the table in Markdown."""
        shown = self.shown()
        cells = [list(shown.columns), ["---"] * shown.shape[1]]
        cells += [
            [f"{v:g}" if isinstance(v, float) else str(v) for v in row]
            for row in shown.itertuples(index=False)
        ]
        return "\n".join(f"| {' | '.join(row)} |" for row in cells) + "\n"

    def _exhibit(self) -> Exhibit:
        worst = self.frame.loc[self.frame.groupby("test", sort=False)["wrong"].idxmax()]
        errors = [
            f"{test} {format_share(wrong, error, self.simulations)}"
            for test, wrong, error in worst[["test", "wrong", "se_wrong"]].to_numpy()
        ]
        return Exhibit(
            f"wrong decisions in each test's worst row: {join_items(errors)}",
            self.shown()[["datasets", "delta0", "sigma0", "right", "test", "undecided", "wrong"]],
            label="calibration",
            sentences=[
                f"Left undecided, from row to row: {join_items(self._describe_undecided())}."
            ],
            legend="shares of a row's simulated tables that stay undecided, and that are decided "
            "for what is not true; delta0, sigma0: mean difference and its spread between data "
            "sets; right: what is true and may be decided",
            method=self.heading,
            more="more: .frame, .shown(), .to_markdown()",
        )

    def _describe_undecided(self) -> list[str]:
        """Give the smallest and the largest share that each test leaves undecided."""
        spans = []
        for test, rows in self.frame.groupby("test", sort=False):
            ends = (float(rows["undecided"].min()), float(rows["undecided"].max()))
            shares = dict.fromkeys(format_share(p, 0.0, self.simulations) for p in ends)
            spans.append(f"{test} {' to '.join(shares)}")
        return spans

    def _list_further(self) -> list[Exhibit]:
        return [Exhibit("Shares of all decisions", self.shown(), method=self.heading)]

    def __repr__(self) -> str:
        return f"<Calibration: {self._exhibit().title}>"


def _batch(
    truth: Truth,
    datasets: int,
    rule: Rule,
    tests: Sequence[Test],
    seed: list[int],
    which: range,
) -> list[dict[str, str]]:
    """Decide some simulations."""
    return [
        decide(truth.simulate(datasets, [*seed, simulation]), rule, tests) for simulation in which
    ]


def _rows(
    truth: Truth,
    datasets: int,
    right: Mapping[str, tuple[str, ...]],
    decided: Sequence[dict[str, str]],
    rope: Rope,
) -> list[dict[str, object]]:
    """Return one row per test."""
    rows = []
    for test in right:
        made = [d[test] for d in decided]
        shares = {way: made.count(way) / len(made) for way in decisions_of(shape_within(rope))}
        fine = (*right[test], UNDECIDED)
        shares["wrong"] = float(np.mean([way not in fine for way in made]))
        errors = {f"se_{k}": share_error(p, len(made)) for k, p in shares.items()}
        what = {"right": " ".join(right[test]) or "none", "test": test}
        rows.append({"datasets": datasets, **asdict(truth), **what, **shares, **errors})
    return rows


def _values(
    name: str, given: Iterable[float] | None, rope: Rope, multiples: tuple[float, ...]
) -> list[float]:
    """Return the values given, else multiples of the rope's upper end, or of its only one."""
    if given is not None:
        values = np.atleast_1d(checks.read_numbers(given, name, "one finite number or more"))
        if values.ndim != 1 or not len(values) or not np.all(np.isfinite(values)):
            raise InputError(f"{name}={given!r}; accepted: one finite number or more")
        return [float(v) for v in values]
    size = size_of(rope, name)
    return [m * (-size if name == "delta0" and np.isinf(rope.high) else size) for m in multiples]


def _positive(name: str, value: float) -> float:
    if not value > 0:
        raise InputError(f"{name}={value!r}; accepted: positive numbers")
    return float(value)
