"""How fragile is a verdict? The same data under other priors, correlations, ropes, without one."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import singledispatch
from itertools import chain
from typing import TYPE_CHECKING, TypeVar

import numpy as np

from bayescmp.base import checks
from bayescmp.base.checks import check_flags
from bayescmp.bayesian.groups.base import GroupsPosterior
from bayescmp.bayesian.groups.closed import BlockedPosterior
from bayescmp.bayesian.groups.fit import groups
from bayescmp.bayesian.groups.own import OwnVariancePosterior
from bayescmp.bayesian.hierarchical.answers import grid_probabilities, region_shares, solved
from bayescmp.bayesian.hierarchical.problem import HierarchicalPrior
from bayescmp.engines.quadrature import GridPosterior
from bayescmp.errors import unknown_name
from bayescmp.results.posterior import Pair, PairsPosterior, PairVariation, all_probabilities
from bayescmp.results.verdict import Verdict, check_threshold
from bayescmp.scores.metrics import headed
from bayescmp.scores.resampling import other_rhos
from bayescmp.scores.rope import Rope
from bayescmp.study.planning.deciding import of_probabilities
from bayescmp.wording import html
from bayescmp.wording.text import as_shown, counted, listed, probability

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

    from bayescmp.base.typing import Variation
    from bayescmp.bayesian.hierarchical.posterior import HierarchicalBase
    from bayescmp.results.posterior import Posterior

__all__ = [
    "PairsSensitivity",
    "Sensitivity",
    "pair_refits",
    "sensitivity_of",
    "sensitivity_of_any",
    "sensitivity_of_pairs",
    "shown",
]


# A bar for variations whose number is not known beforehand.


Row = TypeVar("Row")


def shown(rows: Iterable[Row], progress: bool) -> Iterator[Row]:
    """The same rows, counted on a bar as they are computed."""
    if not progress:
        yield from rows
        return
    from tqdm.auto import tqdm  # it warns in a notebook without widgets

    yield from tqdm(rows, desc="variations", leave=False)


# The result of a sensitivity analysis: one tidy table, a picture, a paragraph.


#: What is varied, and what a paragraph calls it.
QUESTIONS = {
    "prior": "the prior",
    "model": "the model",
    "rho": "the correlation of folds",
    "rope": "the rope",
    "without": "single data sets left out",
    "runs": "single runs left out",
    "threshold": "the threshold",
}
#: What a row of these questions leaves out.
LEFT_OUT = {"without": "data sets", "runs": "runs"}


@dataclass(frozen=True, eq=False, repr=False)
class Sensitivity:
    """A verdict, and how it changes under other assumptions.

    Attributes
    ----------
    frame : DataFrame
        The fit itself, then one row per variation: question ("fit", "prior", "model", "rho",
        "rope", "without", "runs", "threshold"), setting in words, p_left, p_rope, p_right (those
        that decide; with several metrics p_equivalent, p_first, p_second, p_trade_off), decision,
        change (the largest change of a probability), changes (whether the decision is another).
    verdict : Verdict
        The one that is varied.
    fixed : mapping of str to str
        Questions that the test can't be asked, and why.
    """

    frame: pd.DataFrame
    verdict: Verdict
    fixed: Mapping[str, str] = field(default_factory=dict)

    @property
    def holds(self) -> bool:
        """Whether the decision is the same under every variation."""
        return not bool(self.frame["changes"].any())

    def explain(self) -> str:
        """One paragraph: under what the decision holds, and what changes it.

        Examples
        --------
        >>> import bayescmp as bc
        >>> x = [[0.04, 0.05, 0.03], [0.05, 0.04, 0.05], [0.06, 0.03, 0.05], [0.04, 0.05, 0.04]]
        >>> post = bc.bayesian.hierarchical_t(x, rho=0.3, rope=0.01, engine="quadrature")
        >>> post.sensitivity().explain().split(":")[0]
        'Sensitivity of the decision "second is practically better"'
        """
        held, changed = [], []
        for question, words in QUESTIONS.items():
            rows = self.frame[self.frame["question"] == question]
            if not len(rows):
                continue
            other = rows[rows["changes"]]
            if other.empty:
                held.append(f"{words} ({_settings(rows)})")
            else:
                changed.append(f"{words} ({_outcomes(other)})")
        decision = self.fitted["decision"]
        outcome = self._outcome(decision)
        parts = [f'Sensitivity of the decision "{outcome}"{self._on_measured}:']
        if held:
            parts.append(f"it holds under every change of {listed(held)}.")
        if changed:
            parts.append(f"{'It' if held else 'it'} changes with {listed(changed)}.")
        return " ".join(part for part in (*parts, self._largest(), self._not_varied()) if part)

    def _not_varied(self) -> str:
        """What the test can't vary, and why."""
        why = [f"{QUESTIONS[question]} ({reason})" for question, reason in self.fixed.items()]
        return f"Not varied: {listed(why)}." if why else ""

    def brief(self) -> str:
        """One clause: under what the decision holds, and what changes it first.

        Examples
        --------
        >>> import bayescmp as bc
        >>> x = [[0.04, 0.05, 0.03], [0.05, 0.04, 0.05], [0.06, 0.03, 0.05], [0.04, 0.05, 0.04]]
        >>> post = bc.bayesian.hierarchical_t(x, rho=0.3, rope=0.01, engine="quadrature")
        >>> post.sensitivity(datasets=False).brief()
        '"second is practically better" holds under every change of ... and the threshold'
        """
        held, changed = [], []
        for question, words in QUESTIONS.items():
            rows = self.frame[self.frame["question"] == question]
            other = rows[rows["changes"]]
            if len(other):
                first = other.iloc[0]
                changed.append(f"{words} ({first['setting']}: {self._outcome(first['decision'])})")
            elif len(rows):
                held.append(words)
        decision = self.fitted["decision"]
        undecided = decision not in self.verdict.shape.decisions.values()
        own = decision if undecided else f'"{self._outcome(decision)}"'
        always = f" under every change of {listed(held)}" if held else ""
        holds = f"{own}{' holds' if held and not undecided else ''}{always}"
        return f"{holds}; it changes with {listed(changed)}" if changed else holds

    def _outcome(self, decision: str) -> str:
        """What was decided, by the algorithms' names; "undecided" and "borderline" as they are."""
        shape = self.verdict.shape
        region = next((r for r, d in shape.decisions.items() if d == decision), None)
        if region is None:
            return decision
        first, second = self.verdict.names
        return shape.outcomes[region].format(first=first, second=second)

    def _largest(self) -> str:
        """The data set, or the run, whose absence changes the verdict most."""
        rows = self.frame[self.frame["question"].isin(LEFT_OUT)].reset_index(drop=True)
        if rows.empty:
            return ""
        row = rows.iloc[int(rows["change"].argmax())]
        region = self.verdict.shape.regions[int(np.argmax(self._moves(row)))]
        was, now = (probability(r[f"p_{region}"]) for r in (self.fitted, row))
        return (
            f"Of all {LEFT_OUT[row['question']]} {row['setting']} matters most: without it the "
            f'probability of "{self.verdict.label(region)}" is {now} instead of {was}.'
        )

    @property
    def fitted(self) -> pd.Series:
        """The row of the fit itself."""
        return self.frame.iloc[0]

    def _moves(self, row: pd.Series) -> np.ndarray:
        columns = [f"p_{r}" for r in self.verdict.shape.regions]
        own, other = (r[columns].to_numpy(dtype=float) for r in (self.fitted, row))
        return np.asarray(np.abs(other - own))

    def plot(self, *, ax: Axes | None = None, **options: object) -> Axes:
        """One strip per question, one stacked bar per setting; a dot where the decision changes.

        Examples
        --------
        >>> import bayescmp as bc
        >>> x = [[0.04, 0.05, 0.03], [0.05, 0.04, 0.05], [0.06, 0.03, 0.05], [0.04, 0.05, 0.04]]
        >>> post = bc.bayesian.hierarchical_t(x, rho=0.3, rope=0.01, engine="quadrature")
        >>> ax = post.sensitivity().plot()

        See Also
        --------
        bayescmp.plots.plot_sensitivity : What draws it.
        """
        from bayescmp.plots import plot_sensitivity

        return plot_sensitivity(self, ax=ax, **options)

    def figure_size(self) -> tuple[float, float]:
        """Width and height, in inches, of the figure that `plot` needs.

        Examples
        --------
        >>> import bayescmp as bc
        >>> posterior = bc.bayesian.correlated_t([0.01, 0.03, 0.02], rho=0.1, rope=0.01)
        >>> posterior.sensitivity().figure_size()[0] > 0
        True

        See Also
        --------
        bayescmp.plots.plot_sensitivity
        """
        from bayescmp.plots.sensitivity import sensitivity_size

        return sensitivity_size(self)

    def shown(self) -> pd.DataFrame:
        """The table as it is printed: what changes the decision is marked.

        Examples
        --------
        >>> import bayescmp as bc
        >>> posterior = bc.bayesian.correlated_t([0.01, 0.03, 0.02], rho=0.1, rope=0.01)
        >>> posterior.sensitivity().shown().columns[-1]
        'changes'

        See Also
        --------
        bayescmp.study.sensitivity.Sensitivity : What the columns are.
        """
        shown = self.frame.drop(columns="change")
        shown["changes"] = np.where(self.frame["changes"], "changes", "")
        return shown

    def __str__(self) -> str:
        return f"{self._title}\n{as_shown(self.shown(), index=False)}\n\n{self.explain()}"

    __repr__ = __str__

    def _repr_html_(self) -> str:
        return html.titled(self._title, html.escape(self.explain()), html.table(self.shown()))

    @property
    def _title(self) -> str:
        first, second = self.verdict.names
        return f"Sensitivity: {first} (left) vs {second} (right){self._on_measured}"

    @property
    def _on_measured(self) -> str:
        return f" on {self.verdict.measured}" if self.verdict.measured else ""


def tabulated(
    rows: Sequence[Variation],
    verdict: Verdict,
    thresholds: Sequence[float],
    fixed: Mapping[str, str] = {},
) -> Sensitivity:
    """The result, from the fit's row first, the variations', and other thresholds.

    Parameters
    ----------
    rows : sequence of (str, str, ndarray)
        Question, setting, and the probabilities of the regions.
    verdict : Verdict
        The one that is varied.
    thresholds : sequence of float
        Probabilities at which a region is decided for.
    fixed : mapping of str to str
        Questions that the test can't be asked, and why.
    """
    import pandas as pd

    p, shape = rows[0][2], verdict.shape
    each = [(*row, verdict.threshold) for row in rows]
    each += [("threshold", f"{t:g}", p, check_threshold(t)) for t in thresholds]
    decided = of_probabilities(p, verdict.threshold, shape)
    columns = [f"p_{r}" for r in shape.regions]
    table = []
    for question, setting, other, at in each:
        decision = of_probabilities(other, at, shape)
        table.append(
            {
                "question": question,
                "setting": setting,
                **dict(zip(columns, map(float, other), strict=True)),
                "decision": decision,
                "change": float(np.abs(other - p).max()),
                "changes": decision != decided,
            }
        )
    return Sensitivity(headed(pd.DataFrame(table), verdict.measured), verdict, fixed)


def _settings(rows: pd.DataFrame) -> str:
    """Settings in words; of many only how many."""
    settings = list(rows["setting"])
    return listed(settings) if len(settings) <= 4 else f"each of {len(settings)}"


def _outcomes(rows: pd.DataFrame) -> str:
    """What decides otherwise, and how; of many the first."""
    shown = [f"{r.setting}: {r.decision}" for r in rows.head(3).itertuples()]
    more = len(rows) - len(shown)
    return "; ".join(shown) + (f"; and {counted(more, 'other')}" if more else "")


# The sensitivity of any verdict: the test's own variations, ropes and thresholds.


def sensitivity_of_any(
    posterior: Posterior,
    *,
    ropes: Sequence[float],
    thresholds: Sequence[float],
    threshold: float,
    datasets: bool,
    refit: bool = False,
    progress: bool = False,
) -> Sensitivity:
    """How a verdict changes under other assumptions; see `Posterior.sensitivity`."""
    check_flags(datasets=datasets, refit=refit, progress=progress)
    own = posterior.verdict(threshold=check_threshold(threshold))
    rows = [("fit", "as fitted", np.array(list(own.probabilities.values())))]
    rows += shown(posterior.variations(datasets=datasets, refit=refit), progress)
    rows += _ropes(posterior, ropes)
    return tabulated(rows, own, thresholds, posterior.fixed)


def _ropes(posterior: Posterior, multiples: Sequence[float]) -> Iterator[Variation]:
    """Multiples of the rope; none without one."""
    if posterior.rope.empty:
        return
    for m in multiples:
        verdict = posterior.verdict(posterior.rope.scaled(m))
        yield "rope", f"{m:g} times", np.array(list(verdict.probabilities.values()))


# The hierarchical test refitted on the grid under other assumptions, exactly.


#: ν − 1 ~ Gamma(400, 0.4): about 1000, which no data tell from normal.
NORMAL_ALPHA, NORMAL_BETA = (400.0, 400.0), (0.4, 0.4)
#: Degrees of freedom and scale, in standard deviations of the means, of the half-t prior of σ0.
HALF_T = (3.0, 2.5)
#: A spread of the means below it, in units of the problem, is rounding.
ROUNDING = 1e-12


def sensitivity_of(
    posterior: HierarchicalBase,
    *,
    rhos: Iterable[float] | None = None,
    ropes: Sequence[float] = (0.5, 1.0, 2.0),
    thresholds: Sequence[float] = (0.9, 0.95, 0.99),
    threshold: float = 0.95,
    datasets: bool = True,
    progress: bool = False,
) -> Sensitivity:
    """How a verdict changes under other assumptions; see `HierarchicalBase.sensitivity`."""
    checks.check_flags(datasets=datasets, progress=progress)
    own = posterior.verdict(threshold=check_threshold(threshold))
    grid, rope = _grid(posterior), _region(posterior)
    rows: list[Variation] = [
        ("fit", "as fitted", region_shares(grid, rope, posterior.problem.scale))
    ]
    each = chain(
        _priors(posterior, grid),
        _rhos(posterior, rhos),
        _ropes_on_grid(posterior, grid, ropes),
        _without(posterior) if datasets else (),
    )
    rows += shown(each, progress)
    return tabulated(rows, own, thresholds)


def _grid(post: HierarchicalBase) -> GridPosterior:
    """The density itself; that of a sampler's posterior is solved."""
    return solved(post.problem) if post.fit.density is None else post.fit.density


def _priors(post: HierarchicalBase, grid: GridPosterior) -> Iterator[Variation]:
    """Both presets, normal data sets, a half-t σ0, and the other bound of δ0."""
    prior, problem, rope = post.prior, post.problem, _region(post)
    presets = (HierarchicalPrior.corani2017(), HierarchicalPrior.benavoli2017())
    others = {p.name: p for p in presets if p != prior}
    others["ν about 1000 (normal)"] = replace(
        prior, alpha=NORMAL_ALPHA, beta=NORMAL_BETA, nu_offset=1.0, name="normal"
    )
    bound = float(problem.data["delta0_bound"]) * problem.scale
    others["δ0 ten times as wide"] = replace(prior, delta0_bound=10 * bound)
    for name, other in others.items():
        yield "prior", name, grid_probabilities(problem.changed(other), rope)
    df, factor = HALF_T
    spread = float(np.std(post.problem.data["xbar"], ddof=1))
    if spread > ROUNDING:  # else the half-t has no scale
        name = f"half-t({df:g}, {factor:g} sd) of σ0"
        yield "prior", name, _half_t(post, grid, df, factor * spread)


def _half_t(post: HierarchicalBase, grid: GridPosterior, df: float, scale: float) -> np.ndarray:
    """The grid's masses times the half-t density of σ0, whose prior was uniform."""
    unit, rope = post.problem.scale, _region(post)

    def density(sigma0: np.ndarray) -> np.ndarray:
        return np.asarray((1 + (sigma0 / scale) ** 2 / df) ** (-(df + 1) / 2))

    return grid.verdict_weighted(rope.low / unit, rope.high / unit, density)


def _rhos(post: HierarchicalBase, rhos: Iterable[float] | None) -> Iterator[Variation]:
    """Zero, the fit's own twice, and one half, if none are given."""
    own = float(np.median(post.statistics.rho))
    given = other_rhos(own) if rhos is None else rhos
    for rho in given:
        changed = post.problem.changed(post.prior, rho=checks.one_rho(rho))
        yield "rho", f"{rho:.3g}", grid_probabilities(changed, _region(post))


def _ropes_on_grid(
    post: HierarchicalBase, grid: GridPosterior, multiples: Sequence[float]
) -> Iterator[Variation]:
    """Multiples of the rope, read from the same grid unless the rope gave the resolution."""
    rope = _region(post)
    for m in multiples if not rope.empty else ():
        wider = rope.scaled(m)
        problem = post.problem.with_rope(wider, post.prior)
        at = grid if problem is post.problem else solved(problem)
        yield "rope", f"{m:g} times", region_shares(at, wider, problem.scale)


def _without(post: HierarchicalBase) -> Iterator[Variation]:
    """Each data set left out in turn; of two none can be."""
    rope = _region(post)
    for i, name in enumerate(post.datasets if len(post.datasets) > 2 else ()):
        problem = post.problem.changed(post.prior, without=i)
        yield "without", name, grid_probabilities(problem, rope)


def _region(post: HierarchicalBase) -> Rope:
    rope = post.rope
    assert isinstance(rope, Rope)  # one metric
    return rope


# Variations that take another fit, which results can't make by themselves.


@singledispatch
def pair_refits(posterior: PairsPosterior) -> Iterator[PairVariation]:
    """All pairs' probabilities in models that take another fit; none of most tests."""
    yield from ()


@pair_refits.register
def _(posterior: BlockedPosterior) -> Iterator[PairVariation]:
    if len(posterior.algorithms) > 2:
        yield "model", "own variances", _with_variances(posterior, "own")


@pair_refits.register
def _(posterior: OwnVariancePosterior) -> Iterator[PairVariation]:
    yield "model", "equal variances", _with_variances(posterior, "equal")


def _with_variances(posterior: GroupsPosterior, variances: str) -> dict[Pair, np.ndarray]:
    """The same scores, with one variance for all algorithms or one for each."""
    other = groups(
        posterior.x,
        list(posterior.metrics),
        rho=posterior.rho,
        rope=posterior.rope,
        names=posterior.names,
        variances=variances,
        seed=posterior.seed,
    )
    return all_probabilities(other)


# The sensitivity of verdicts on several pairs: a table each, and what they say together.


@dataclass(frozen=True, eq=False, repr=False)
class PairsSensitivity:
    """Verdicts on pairs of algorithms, and how they change under other assumptions.

    Attributes
    ----------
    pairs : mapping of (first, second) to Sensitivity
        Each pair's own.
    """

    pairs: Mapping[Pair, Sensitivity]

    def __getitem__(self, pair: Pair) -> Sensitivity:
        """That of a pair (first, second), in the order in which it was compared."""
        if pair not in self.pairs:
            raise unknown_name("pair", " / ".join(map(str, pair)), map(" / ".join, self.pairs))
        return self.pairs[pair]

    @property
    def frame(self) -> pd.DataFrame:
        """The pairs' tables one after the other: first, second, and the columns of each."""
        import pandas as pd

        tables = []
        for (first, second), each in self.pairs.items():
            table = each.frame.copy()
            table.insert(0, "first", first)
            table.insert(1, "second", second)
            tables.append(table)
        return pd.concat(tables, ignore_index=True)

    @property
    def holds(self) -> bool:
        """Whether all decisions are the same under every variation."""
        return all(each.holds for each in self.pairs.values())

    def explain(self) -> str:
        """One paragraph: which decisions hold under every change, and what changes the others.

        Examples
        --------
        >>> from bayescmp.bayesian import groups
        >>> x = [[0.71, 0.74, 0.69, 0.72], [0.72, 0.74, 0.70, 0.73], [0.80, 0.83, 0.79, 0.80]]
        >>> posterior = groups(x, rho=0.25, rope=0.02, names=["knn", "svm", "gbm"], seed=1)
        >>> posterior.sensitivity().explain().split(":")[0]
        'Sensitivity of 3 decisions'
        """
        firm = [f"{a} vs {b}" for (a, b), each in self.pairs.items() if each.holds]
        parts = [f"Sensitivity of {counted(len(self.pairs), 'decision')}:"]
        if firm:
            verb = "holds" if len(firm) == 1 else "hold"
            parts.append(f"{len(firm)} {verb} under every change ({listed(firm)}).")
        parts += [self._changes(pair) for pair, each in self.pairs.items() if not each.holds]
        fixed = next(iter(self.pairs.values())).fixed
        why = [f"{QUESTIONS[question]} ({reason})" for question, reason in fixed.items()]
        return " ".join([*parts, *([f"Not varied: {listed(why)}."] if why else [])])

    def _changes(self, pair: Pair) -> str:
        """What changes the decision on a pair, question by question."""
        frame = self.pairs[pair].frame
        changed = frame[frame["changes"]]
        asked = [q for q in QUESTIONS if q in set(changed["question"])]
        decision = frame["decision"].iloc[0]
        return f"{pair[0]} vs {pair[1]} ({decision}) changes with {self._named(changed, asked)}."

    @staticmethod
    def _named(changed: pd.DataFrame, asked: Sequence[str]) -> str:
        return listed(
            [
                f"{QUESTIONS[q]} ({counted(int((changed['question'] == q).sum()), 'setting')})"
                for q in asked
            ]
        )

    def plot(self, *, ax: Axes | None = None, **options: object) -> Axes:
        """One column per pair, one row per setting: the decision, with a dot where it changes.

        Examples
        --------
        >>> from bayescmp.bayesian import groups
        >>> x = [[0.71, 0.74, 0.69, 0.72], [0.72, 0.74, 0.70, 0.73], [0.80, 0.83, 0.79, 0.80]]
        >>> posterior = groups(x, rho=0.25, rope=0.02, names=["knn", "svm", "gbm"], seed=1)
        >>> ax = posterior.sensitivity().plot()

        See Also
        --------
        bayescmp.plots.plot_pairs_sensitivity : What draws it.
        """
        from bayescmp.plots import plot_pairs_sensitivity

        return plot_pairs_sensitivity(self, ax=ax, **options)

    def figure_size(self) -> tuple[float, float]:
        """Width and height, in inches, of the figure that `plot` needs.

        Examples
        --------
        >>> import bayescmp as bc
        >>> posterior = bc.bayesian.bootstrap([[0.8, 0.9], [0.7, 0.6]], rope=0.01)
        >>> posterior.sensitivity().figure_size()[0] > 0
        True

        See Also
        --------
        bayescmp.plots.plot_pairs_sensitivity
        """
        from bayescmp.plots.sensitivity import pairs_sensitivity_size

        return pairs_sensitivity_size(self)

    def changed(self) -> pd.DataFrame:
        """The rows whose decision is another than that of the fit.

        Examples
        --------
        >>> from bayescmp.bayesian import groups
        >>> x = [[0.71, 0.74, 0.69, 0.72], [0.72, 0.74, 0.70, 0.73], [0.80, 0.83, 0.79, 0.80]]
        >>> posterior = groups(x, rho=0.25, rope=0.02, names=["knn", "svm", "gbm"], seed=1)
        >>> posterior.sensitivity().changed()["question"].unique().tolist()
        ['rho', 'rope', 'threshold']
        """
        frame = self.frame
        return frame[frame["changes"]].reset_index(drop=True)

    def __str__(self) -> str:
        table = self.changed().drop(columns=["change", "changes"])
        shown_table = as_shown(table, index=False) if len(table) else "no decision changes"
        return f"Decisions that change\n{shown_table}\n\n{self.explain()}"

    __repr__ = __str__

    def _repr_html_(self) -> str:
        table = html.table(self.changed())
        return html.titled("Sensitivity", html.escape(self.explain()), table)


def sensitivity_of_pairs(
    posterior: PairsPosterior,
    *,
    ropes: Sequence[float],
    thresholds: Sequence[float],
    threshold: float,
    datasets: bool,
    refit: bool = False,
    progress: bool = False,
) -> PairsSensitivity:
    """How the verdicts on all pairs change; see `PairsPosterior.sensitivity`."""
    check_flags(datasets=datasets, refit=refit, progress=progress)
    own = posterior.verdicts(threshold=check_threshold(threshold))
    each = shown(_varied(posterior, ropes, datasets, refit), progress)
    rows: list[PairVariation] = [("fit", "as fitted", all_probabilities(posterior)), *each]
    return PairsSensitivity(
        {
            pair: tabulated(
                [(q, s, p[pair]) for q, s, p in rows], verdict, thresholds, posterior.fixed
            )
            for pair, verdict in own.items()
        }
    )


def _varied(
    posterior: PairsPosterior, ropes: Sequence[float], datasets: bool, refit: bool
) -> Iterator[PairVariation]:
    """The test's own variations, those that take another fit, and multiples of the rope."""
    yield from posterior.pair_variations(datasets=datasets, refit=refit)
    yield from pair_refits(posterior)
    rope = posterior.rope
    for m in () if rope.empty else ropes:
        yield "rope", f"{m:g} times", all_probabilities(posterior, rope.scaled(m))
