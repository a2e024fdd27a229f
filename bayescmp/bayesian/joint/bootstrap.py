"""The Bayesian bootstrap over data sets; the Bayesian Friedman test shares its weights."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike
from scipy.special import stdtrit

from bayescmp.base.arguments import arg, either, must, must_be
from bayescmp.base.checks import (
    RhoLike,
    Seed,
    check_whole,
    optional,
    seed_of,
    text,
    validate_params,
)
from bayescmp.base.fields import about
from bayescmp.base.magnitudes import MOST
from bayescmp.base.records import read_only
from bayescmp.base.typing import Json, PairVariation
from bayescmp.bayesian.joint.clouds import (
    Cloud,
    first_places,
    rank_points,
    separated_ranks,
    standing_of,
)
from bayescmp.bayesian.joint.standings import AVERAGE, NEXT, StandingsModel, StandingsPosterior
from bayescmp.bayesian.joint.table import (
    FoldTable,
    Questions,
    Weights,
    as_shared_rope,
    cells_of,
    check_whole_cells,
    errors_of_means,
    read_table,
    weights_of,
)
from bayescmp.errors import InputError
from bayescmp.results.arviz import summarise_draws
from bayescmp.results.plan import ItemPlan, Plan
from bayescmp.results.posterior import all_probabilities, name_closed_form
from bayescmp.scores.rope import RopeLike
from bayescmp.scores.scores import Scores
from bayescmp.wording.text import format_exactly, words_of

# Draws of the true mean scores on each data set, only from its own folds.


@dataclass(frozen=True, eq=False)
class TrueMeans:
    """Posterior of the mean scores on each data set given its folds.

    With X the centred folds of a data set, its contrasts are multivariate t with n − 1 degrees of
    freedom (`df`, (q,)) around those of the means, with scale matrix (1/n + rho/(1 − rho)) XᵀX /
    (n − 1), as in the correlated t test. `roots` (q, r, L) has r vectors on each data set whose
    outer products sum to (1/n + rho/(1 − rho)) XᵀX, even with fewer folds than algorithms.
    """

    table: FoldTable
    roots: np.ndarray
    df: np.ndarray

    @classmethod
    def from_table(cls, table: FoldTable, errors: np.ndarray | None = None) -> TrueMeans:
        """Read a table of folds, or of means, whose standard errors may be known."""
        if errors is not None:
            roots = np.sqrt(KNOWN) * errors[:, :, None] * np.eye(table.L)
            return cls(table, roots, np.full(table.q, KNOWN))
        r = max(min(int(table.n.max()) - 1, table.L), 0)
        roots = np.zeros((table.q, r, table.L))
        for i, c in enumerate(table.inflation()):
            X = table.centre_folds(i)
            root = X if len(X) <= r else np.asarray(np.linalg.qr(X, mode="r"))
            if len(root) > r:  # n folds about their mean span n − 1 dimensions
                root = _compress_root(root, r)
            roots[i, : len(root)] = np.sqrt(c) * root
        return cls(table, roots, table.n - 1.0)

    @property
    def fixed(self) -> bool:
        """Whether all draws are the means themselves: no folds, and no runs missing."""
        return not self.roots.any() and bool(self.table.seen.all())

    def draw_means(self, size: int, rng: np.random.Generator) -> np.ndarray:
        """Draw all data sets' means: shape (size, q, L), or (1, q, L) if they are fixed."""
        means = np.where(self.table.seen, self.table.means, 0.0)
        if self.fixed:
            return means[None]
        u = np.broadcast_to(means, (size, *means.shape)).copy()
        if self.roots.any():
            g = rng.standard_normal((size, *self.roots.shape[:2]))
            g /= np.sqrt(rng.chisquare(np.maximum(self.df, 1.0), (size, len(self.df))))[..., None]
            u += np.matmul(g.swapaxes(0, 1), self.roots).swapaxes(0, 1)
        if not self.table.seen.all():
            self._fill(u, rng)
        return u

    def _fill(self, u: np.ndarray, rng: np.random.Generator) -> None:
        """Give algorithms that were not run on a data set the leads that they have on others."""
        seen = self.table.seen
        shared = seen.astype(int) @ seen.T.astype(int)
        draw = np.arange(len(u))
        for i in np.flatnonzero(~seen.all(axis=1)):
            for k in np.flatnonzero(~seen[i]):
                donors = np.flatnonzero(seen[:, k] & (shared[i] > 0))
                if not len(donors):
                    raise must(
                        "outcomes",
                        "link every algorithm with those run on a data set",
                        f"no link of {self.table.algorithms[k]!r} with those on "
                        f"{self.table.datasets[i]!r}",
                        "Leave out the data set, or complete its runs.",
                    )
                donor = donors[rng.integers(len(donors), size=len(u))]
                both = seen[donor] & seen[i]
                count = both.sum(axis=1)
                there = (u[draw, donor] * both).sum(axis=1) / count
                here = (u[:, i] * both).sum(axis=1) / count
                u[:, i, k] = here + u[draw, donor, k] - there

    def leads(self) -> pd.DataFrame:
        """Return leads over the mean of the algorithms run on a data set, with 95% intervals."""
        rows = []
        for i, dataset in enumerate(self.table.datasets):
            seen = np.flatnonzero(self.table.seen[i])
            means, root = self.table.means[i, seen], self.roots[i][:, seen]
            lead = means - means.mean()
            root = root - root.mean(axis=1, keepdims=True)
            df = max(self.df[i], 1.0)
            half = stdtrit(df, 0.975) * np.sqrt((root**2).sum(axis=0) / df)
            rows += [
                (dataset, self.table.algorithms[k], x, x - h, x + h)
                for k, x, h in zip(seen, lead, half, strict=True)
            ]
        columns = ["dataset", "algorithm", "lead", "low", "high"]
        return pd.DataFrame(rows, columns=columns).set_index(columns[:2])


def _compress_root(root: np.ndarray, size: int) -> np.ndarray:
    """Find fewer vectors with the same sum of outer products, if its rank allows it."""
    _, values, axes = np.linalg.svd(root, full_matrices=False)
    return np.asarray(values[:size, None] * axes[:size])


#: Degrees of freedom of errors that are known: the t distribution is the normal to 1e-9.
KNOWN = 1e9
#: Fewer data sets make the bootstrap overconfident.
ENOUGH = 20
#: A note with few data sets: simulated probabilities of being best between 0.6 and 0.8.
ROUGH = (
    "Probabilities of being best are approximate: in simulations, leaders with probability 0.7 "
    "were truly best in 50% to 90% of cases."
)
#: A note on means without folds: a table does not show their correlation.
APART = (
    "errors of means on one benchmark are taken to be independent, which is cautious where models "
    "answer the same questions"
)
#: Most numbers of a cloud in memory at a time.
AT_ONCE = 1_000_000


@validate_params(metric=optional(text))
def bootstrap(
    scores: Scores | ArrayLike,
    *,
    metric: str | None = None,
    rope: RopeLike | None = None,
    rho: RhoLike | None = None,
    questions: Questions | None = None,
    errors: ArrayLike | None = None,
    weights: Weights | None = None,
    lower_is_better: bool = False,
    draws: int = 4000,
    seed: Seed = None,
) -> BootstrapPosterior:
    """Find the best of several algorithms by the Bayesian bootstrap over data sets.

    The data sets' weights w are Dirichlet(1, ..., 1) a posteriori; each algorithm's score on a
    data set is drawn from the correlated t posterior of its folds, or is its mean without folds.
    In each draw, a new data set is like data set i with probability w_i. This needs no sampler and
    no model of how data sets differ. It is about data sets like those seen; its probabilities of
    being best are rough, and too high for similar algorithms on few data sets.

    Parameters
    ----------
    scores : Scores, DataFrame, or array_like of shape (q, L) or (q, n, L)
        Scores of L algorithms on q >= 2 data sets: means, or n folds. An algorithm that was not
        run (NaN) gets, in each draw, its lead on another, random data set.
    metric : str, optional
        Of several in `Scores`.
    rope : float, optional
        Half-width of the region of practical equivalence; by default the direction is judged.
    rho : float, array_like of shape (q,) or mapping of data set to float, optional
        Correlation of two folds' differences; taken from the table if not given.
    questions, errors, weights
        As for `leaderboard`: how precise the means are, and how much each data set counts.
    lower_is_better : bool
        For plain numbers.
    draws : int
        Number of independent draws, rounded up to a multiple of four.
    seed : int or numpy Generator, optional
        The same seed gives the same numbers.

    Returns
    -------
    BootstrapPosterior

    Raises
    ------
    InputError
        Bad scores or options; one data set only; an algorithm that was run on one data set only;
        algorithms that no common data sets link.

    See Also
    --------
    joint_t, leaderboard, friedman, bayescmp.frequentist.friedman

    Notes
    -----
    Nothing is shrunken. In simulations of similar algorithms on 8 data sets, those with P(best) of
    about 0.7 on average were best in 0.63 of the cases; of 20 algorithms, in 0.49. With more data
    sets, algorithms that differ, or for a new data set it is too cautious (0.76 to 0.95).

    References
    ----------
    Rubin (1981), Annals of Statistics 9:130-134; Corani & Benavoli (2015), Machine Learning
    100:285-304, for the posterior of each data set; Rubin & Schenker (1986), JASA 81:366-374, for
    missing runs.

    Examples
    --------
    >>> import pandas as pd
    >>> import bayescmp as bc
    >>> means = pd.DataFrame({"knn": [0.81, 0.74, 0.90, 0.66, 0.71, 0.83],
    ...                       "svm": [0.84, 0.79, 0.91, 0.70, 0.70, 0.85],
    ...                       "gbm": [0.86, 0.77, 0.95, 0.71, 0.74, 0.86]})
    >>> posterior = bc.bayesian.bootstrap(means, rope=0.01, seed=1)
    >>> {name: round(p, 2) for name, p in posterior.best().items()}
    {'knn': 0.0, 'svm': 0.17, 'gbm': 0.83}
    """
    return resample(
        BOOTSTRAP,
        "the bootstrap over data sets",
        scores=scores,
        metric=metric,
        rope=rope,
        rho=rho,
        questions=questions,
        errors=errors,
        weights=weights,
        lower_is_better=lower_is_better,
        draws=draws,
        seed=seed,
        notes=(ROUGH,),
    )


def resample(
    model: ResamplingModel,
    test: str,
    scores: Scores | ArrayLike,
    *,
    metric: str | None,
    rope: RopeLike | None = None,
    rho: RhoLike | None,
    lower_is_better: bool,
    draws: int,
    seed: Seed,
    prior: float | None = None,
    questions: Questions | None = None,
    errors: ArrayLike | None = None,
    weights: Weights | None = None,
    notes: tuple[str, ...] = (),
) -> BootstrapPosterior:
    """Put weights on the data sets of a table, as the model draws them; `test` is its name."""
    over = NEXT in model.targets
    table = read_table(
        scores,
        metric=metric,
        rho=rho,
        test=test,
        fixed=not over,
        lower_is_better=lower_is_better,
    )
    if not over and questions is None and errors is None and table.n.min() < 2:
        raise must(
            "scores",
            "show how precise they are",
            "only means",
            f"Give {arg('questions')} (how many each is of), "
            f"{either('errors= (their standard errors), ', '')}or scores of questions.",
        )
    region = as_shared_rope(rope)
    size = check_whole("draws", draws, least=8, each=table.q)
    known = errors_of_means(table, questions, errors)
    remarks = list(table.notes) + ([] if known is None else [APART])
    words = words_of("benchmark" if questions is not None or not over else table.unit)
    unit, subject = words["unit"], words["subject"]
    if over and table.L == 2:
        remarks.append(
            f"two {subject}s: signed_rank (means) and hierarchical_t (folds) are the tests of a "
            "pair"
        )
    if over and table.q < ENOUGH:
        remarks.append(
            f"{table.q} {unit}s: with fewer than {ENOUGH} the bootstrap is overconfident "
            f"about which of similar {subject}s is best"
            + (f"; joint_t models how {unit}s differ" if (table.n > 1).all() else "")
        )
    return BootstrapPosterior(
        model=model,
        rope=region,
        x=table.x,
        rho=table.rho,
        notes=(*remarks, *notes),
        size=size + -size % 4,
        prior=prior,
        errors=known,
        questions=None if questions is None else cells_of(table, "questions", questions, 1.0),
        importance=weights_of(table, weights),
        seed=seed_of(seed),
        **name_closed_form(),
        **{**table.described(), **words},
    )


@dataclass(frozen=True, kw_only=True)
class ResamplingModel(StandingsModel):
    """A test that draws weights of the data sets, as data.

    `draw_weights` turns the posterior into weights (D, q), or (D, q + 1) with a prior; `cloud_of`
    turns true mean scores and weights into points. `prior_words` has ``{weight}``; `has_prior` is
    whether a data set where all tie has a weight.
    """

    draw_weights: Callable[[BootstrapPosterior], np.ndarray]
    cloud_of: Callable[[np.ndarray, np.ndarray], Cloud] = Cloud
    prior_words: str
    has_prior: bool = False
    dims: Mapping[str, tuple[str, ...]] = field(
        default_factory=lambda: {"average": ("algorithm",), "p_best": ("algorithm",)}, hash=False
    )


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class BootstrapPosterior(StandingsPosterior):
    """Posterior of random weights of the data sets: independent draws.

    The bootstrap compares scores, the Bayesian Friedman test negative ranks.

    Attributes
    ----------
    x : ndarray of shape (q, n, L)
        The scores, higher is better; NaN where there are none.
    rho : ndarray of shape (q,)
        Correlation of two folds' differences.
    size : int
        Number of draws.
    prior : float or None
        Weight of a data set where all algorithms tie; the bootstrap has none.
    errors, questions : ndarray of shape (q, L), or None
        Standard errors of means, and numbers of questions behind them, if known.
    importance : ndarray of shape (q,), or None
        Weights of the data sets, with sum 1; None if all weights are equal.

    Examples
    --------
    >>> import bayescmp as bc
    >>> means = [[0.81, 0.84, 0.86], [0.74, 0.79, 0.77], [0.90, 0.91, 0.95], [0.6, 0.7, 0.8]]
    >>> posterior = bc.bayesian.bootstrap(means, rope=0.02, seed=1)
    >>> {name: round(p, 2) for name, p in posterior.best().items()}
    {'A1': 0.0, 'A2': 0.25, 'A3': 0.75}
    >>> posterior.top_set(0.4), posterior.top_set(0.9)
    (('A3', 'A2'), ('A3',))
    """

    model: ResamplingModel
    x: np.ndarray = field(metadata=about("dataset", "fold", "algorithm", gaps=True))
    rho: np.ndarray = field(metadata=about("dataset"))
    size: int = field(metadata=about(least=4, below=MOST + 5))
    prior: float | None = None
    errors: np.ndarray | None = field(default=None, metadata=about("dataset", "algorithm"))
    importance: np.ndarray | None = field(default=None, metadata=about("dataset"))
    questions: np.ndarray | None = field(default=None, metadata=about("dataset", "algorithm"))

    def __post_init__(self) -> None:
        if self.size % 4:
            raise must_be("size", "a multiple of 4, the number of chains", self.size)
        super().__post_init__()
        if self.prior is None and self.model.has_prior:
            raise must_be("prior", "a number for this test", self.prior)
        check_whole_cells(self.x, self.names, self.datasets)

    @property
    def prior_text(self) -> str:
        """The prior in words."""
        words = self.model.prior_words.format(weight=format_exactly(self.prior or 0.0), p=self)
        if self.importance is None:
            return words
        counts = zip(self.datasets, self.importance, strict=True)
        return f"{words}; they count {', '.join(f'{name} {w:.3g}' for name, w in counts)}"

    @cached_property
    def table(self) -> FoldTable:
        """The table of scores."""
        return FoldTable(self.x, self.rho, self.algorithms, self.datasets, self.metric)

    @property
    def means(self) -> np.ndarray | None:
        """Observed mean scores, (q, L); None where algorithms are compared by ranks."""
        whole = self.importance is None or NEXT not in self.targets
        return self.table.means if self.model.cloud_of is Cloud and whole else None

    @cached_property
    def weights(self) -> np.ndarray:
        """Draws of the data sets' weights, shape (D, q), or (D, q + 1) with the prior's."""
        return read_only(self.model.draw_weights(self))

    @cached_property
    def _true_means(self) -> TrueMeans:
        return TrueMeans.from_table(self.table, self.errors)

    def clouds(self, on: str | None = None) -> Iterator[Cloud]:
        """Yield points with weights, some draws at a time: the data sets, or their average."""
        if self._target(on) == AVERAGE:
            yield Cloud(self.averages[:, None, :], np.ones((self.size, 1)))
        else:
            yield from self._by_weight()

    def _by_weight(self) -> Iterator[Cloud]:
        """Yield the data sets with their weights."""
        q, L = len(self.x), len(self.algorithms)
        step = self.size if self._true_means.fixed else max(AT_ONCE // (q * L), 1)
        rng = np.random.default_rng([self.seed, 1])
        for start in range(0, self.size, step):
            w = self.weights[start : start + step]
            yield self.model.cloud_of(self._true_means.draw_means(len(w), rng), w)

    @property
    def has_levels(self) -> bool:
        """Whether averages are scores, not ranks."""
        return self.model.cloud_of is Cloud

    @property
    def averages(self) -> np.ndarray:
        """Utility of each algorithm on average over data sets, draw by draw, shape (D, L)."""
        return read_only(self._on_next[1])

    @cached_property
    def _on_next(self) -> tuple[np.ndarray, np.ndarray]:
        """First places and averages, which are needed far more often than all ranks."""
        known = self._standings.get((NEXT, self.rope.size))
        return first_places(self._by_weight()) if known is None else (known.best, known.average)

    def _first_places(self, on: str) -> np.ndarray:
        return self._on_next[0] if on == NEXT else first_places(self.clouds(on))[0]

    @property
    def draws(self) -> Mapping[str, np.ndarray]:
        """Average utility and share of first places, shape (chain, draw, L)."""
        shape = (self.chains, -1, len(self.algorithms))
        return {
            "average": self.averages.reshape(shape),
            "p_best": self.standing().best.reshape(shape),
        }

    def _vary(self, datasets: bool, refit: bool) -> Iterator[PairVariation]:
        """Yield other priors, where the test has any; then each data set left out in turn."""
        for weight in () if self.prior is None else sorted({0.0, 2 * self.prior or 1.0}):
            yield "prior", f"weight {weight:g}", all_probabilities(replace(self, prior=weight))
        for i, name in enumerate(self.datasets if datasets and len(self.x) > 2 else ()):
            other = self._leave_out(i)
            counts = other.importance is None or other.importance.any()
            if np.isnan(other.x).all(axis=(0, 1)).any() or not counts:
                continue  # the only data set of an algorithm, or that counts
            yield "without", name, all_probabilities(other)

    def _leave_out(self, i: int) -> BootstrapPosterior:
        """Return the posterior of all data sets but one."""
        parts = {
            name: getattr(self, name) for name in ("x", "rho", "errors", "importance", "questions")
        }
        fewer: Json = {n: None if v is None else np.delete(v, i, axis=0) for n, v in parts.items()}
        return replace(self, datasets=(*self.datasets[:i], *self.datasets[i + 1 :]), **fewer)

    def plan(
        self,
        first: str | None = None,
        second: str | None = None,
        *,
        datasets: Iterable[int] | None = None,
        questions: Iterable[int] | None = None,
        threshold: float = 0.95,
        simulations: int = 400,
        seed: Seed = 1,
        n_jobs: int | None = 1,
        progress: bool = True,
    ) -> Plan | ItemPlan:
        """Predict how many more data sets decide the verdict on a pair, and for which outcome.

        Means of further data sets are simulated and decided as in `MeansPosterior.plan`. On a
        leaderboard the benchmarks are fixed, and grow in proportion: errors shrink as one over the
        square root of the number of questions, and probabilities are closed forms.

        Parameters
        ----------
        first, second : str
            The two algorithms; required.
        datasets : iterable of int, optional
            Numbers of further data sets; by default 0, 5, ..., 40.
        questions : iterable of int, optional
            For a leaderboard: numbers of further questions of all benchmarks together, by default
            0, 1, 3, 9 and 19 times the present ones.
        threshold, simulations, seed, n_jobs, progress
            As for `HierarchicalPosterior.plan`.

        Raises
        ------
        InputError
            Scores of folds, whose pairs `hierarchical_t` tests; a leaderboard without known
            numbers of questions; unknown names; numbers outside their ranges.

        See Also
        --------
        bayescmp.plan : Before there are any data.

        References
        ----------
        O'Hagan, Stevens & Campbell (2005), Pharmaceutical Statistics 4:187-201 ("assurance").
        """
        from bayescmp.study.planning.means import plan_of_pair

        return plan_of_pair(
            self,
            first,
            second,
            datasets=datasets,
            questions=questions,
            threshold=threshold,
            simulations=simulations,
            seed=seed,
            n_jobs=n_jobs,
            progress=progress,
        )

    def _find_means(self) -> np.ndarray:
        """Return the weighted averages of the observed means, or with gaps of their draws."""
        if not self.table.seen.all():
            return super()._find_means()
        return self.sign * np.average(self.table.means, axis=0, weights=self.importance)

    def count_asked(self, i: int, j: int) -> int:
        """Count the questions behind two models' means, by their places."""
        if self.questions is not None:
            return int(self.questions[:, [i, j]].max(axis=1).sum())
        if self.errors is None:
            return int(self.table.n.sum())
        raise InputError(
            "The number of questions behind each mean must be known for a plan (got only "
            f"errors=). Use leaderboard(..., {arg('questions', ...)}), or scores of questions."
        )

    def by_dataset(self) -> pd.DataFrame:
        """Return leads by data set, from its own folds, over the mean of the algorithms run there.

        One row per data set and algorithm: lead, and low and high of its central 95% interval (the
        lead itself without folds). Nothing is shrunken, unlike in `joint_t`.
        """
        return self._true_means.leads()

    def mean_ranks(self) -> pd.DataFrame:
        """Return the posterior of each algorithm's mean rank over data sets, 1 being the best.

        On a leaderboard the mean is over its weighted benchmarks, given new questions. One row per
        algorithm: mean, sd, median, and the bounds of the central 95% interval.

        See Also
        --------
        bayescmp.frequentist.average_ranks
        """
        known = NEXT in self.targets
        standing = self.standing(NEXT) if known else standing_of(self._by_weight(), self.rope.size)
        by_chain = standing.rank.reshape(self.chains, -1, len(self.algorithms))
        rows = {name: summarise_draws(by_chain[..., k]) for k, name in enumerate(self.algorithms)}
        return pd.DataFrame.from_dict(rows, orient="index").rename_axis("algorithm")

    def _bound_ranks(self, level: float) -> tuple[np.ndarray, np.ndarray]:
        """Bound the ranks of a table of means by the pairs that differ: draws are too certain."""
        if NEXT not in self.targets or self.errors is not None or self.table.n.max() > 1:
            return super()._bound_ranks(level)
        values = self.table.means
        if self.model.cloud_of is not Cloud:
            above, tied = rank_points(values)
            values = -(above + (tied + 1) / 2)
        q = len(values)
        return separated_ranks(
            values, np.full(q, 1 / q) if self.importance is None else self.importance, level
        )

    @property
    def own_draws(self) -> int:
        """Number of independent draws."""
        return self.size


def _draw_dirichlet(posterior: BootstrapPosterior) -> np.ndarray:
    """Draw weights of the data sets, whose means are how much each counts."""
    rng = np.random.default_rng([posterior.seed, 0])
    w = rng.dirichlet(np.ones(len(posterior.x)), posterior.size)
    if posterior.importance is None:
        return w
    w = w * posterior.importance
    return np.asarray(w / w.sum(axis=1, keepdims=True))


BOOTSTRAP = BootstrapPosterior.answering(
    ResamplingModel(
        kind="bootstrap",
        method="Bayesian bootstrap over {p.unit}s",
        reference="Rubin 1981",
        fixed={
            "prior": "the weights of the {p.unit}s are those of the bootstrap",
            "rho": "it widens the noise of the {p.sample}s only",
        },
        caveat=ROUGH,
        draw_weights=_draw_dirichlet,
        prior_words=(
            "weights of the {p.unit}s ~ Dirichlet(0, ..., 0), a posteriori Dirichlet(1, ..., 1)"
        ),
    )
)
