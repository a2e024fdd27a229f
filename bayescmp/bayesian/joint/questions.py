"""Several models on the same questions: of one benchmark, or of the benchmarks of a board."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from bayescmp.base import checks
from bayescmp.base.arguments import must
from bayescmp.base.checks import RhoLike, Seed, optional, text, validate_params
from bayescmp.base.fields import about
from bayescmp.base.magnitudes import TIED
from bayescmp.base.records import read_only
from bayescmp.base.typing import PairVariation
from bayescmp.bayesian.joint.bootstrap import BootstrapPosterior, ResamplingModel, resample
from bayescmp.bayesian.joint.clouds import Cloud
from bayescmp.bayesian.joint.standings import AVERAGE, StandingsModel, StandingsPosterior
from bayescmp.bayesian.joint.table import Questions, Weights, as_shared_rope
from bayescmp.bayesian.paired.clusters import (
    JUDGED,
    WeightedUnits,
    check_enough,
    cluster_bootstrap,
    judges_in_words,
)
from bayescmp.bayesian.paired.items import ItemPosterior
from bayescmp.errors import InputError
from bayescmp.items.pair import ItemGroup
from bayescmp.results.plan import ItemPlan, QuestionDifference
from bayescmp.results.posterior import all_probabilities, name_closed_form
from bayescmp.results.scoreboard import draw_unvaried, find_ends
from bayescmp.results.verdict import Verdict, check_threshold
from bayescmp.scores.differences import own_labels
from bayescmp.scores.frames import arrange
from bayescmp.scores.metrics import Direction
from bayescmp.scores.pairing import BY_QUESTION
from bayescmp.scores.rope import Rope, RopeLike
from bayescmp.scores.scores import Scores
from bayescmp.wording.text import format_count, words_of


def question_bootstrap(
    x: ItemGroup | ArrayLike,
    *,
    rope: RopeLike | None = None,
    clusters: ArrayLike | None = None,
    names: Sequence[str] | None = None,
    draws: int = 4000,
    seed: Seed = None,
) -> QuestionsPosterior:
    """Find the best of several models on a benchmark's questions, and compare every pair.

    As in `cluster_bootstrap`, the questions (or their clusters) have Dirichlet weights; all models
    share them in each draw, so that pairs, first places and sets are valid jointly. Nothing is
    assumed about how scores are distributed or correlated.

    Parameters
    ----------
    x : ItemGroup, DataFrame with one column per model, or array_like of shape (n, L)
        Scores of one benchmark's questions, from `bayescmp.Items.group`; or higher is better.
    rope : float, optional
        Half-width of the region of practical equivalence; by default the direction is judged.
    clusters : array_like of shape (n,), optional
        For plain scores: a label for each question.
    names : sequence of str, optional
        For plain scores: the models.
    draws : int
        Number of independent draws, rounded up to a multiple of four.
    seed : int or numpy Generator, optional
        The same seed gives the same numbers.

    Returns
    -------
    QuestionsPosterior

    Raises
    ------
    InputError
        Bad scores, fewer than six questions or clusters, one or two judges, bad options.

    See Also
    --------
    cluster_bootstrap, groups, bayescmp.frequentist.cochran_q

    Notes
    -----
    Weights are as concentrated as in `cluster_bootstrap`, by the residuals of all pairs together.
    Two models that differ by the same on all questions are decided as there, which adds what was
    not observed. With several judges weights multiply; see there.

    References
    ----------
    Rubin (1981), Annals of Statistics 9:130-134; Miller (2024), arXiv:2411.00640; Owen (2007),
    Annals of Applied Statistics 1:386-411.

    Examples
    --------
    >>> import numpy as np
    >>> import bayescmp as bc
    >>> right = np.random.default_rng(1).random((200, 3)) < [0.6, 0.7, 0.75]
    >>> posterior = bc.bayesian.question_bootstrap(
    ...     right, rope=0.02, names=["small", "tuned", "large"], seed=1)
    >>> posterior.verdict("small", "large").decision
    'second'
    >>> posterior.top_set()
    ('large',)
    """
    if isinstance(x, ItemGroup):
        checks.check_unused("an ItemGroup has its own", clusters=clusters, names=names)
    group = x if isinstance(x, ItemGroup) else _group_of(x, clusters, names)
    region, size = as_shared_rope(rope), checks.check_whole("draws", draws, least=8)
    units = WeightedUnits.from_numbers(
        group.scores.T * group.direction.sign, group.cluster, group.judge
    )
    factors = [np.unique(code).size for code, _ in units.factors]
    n = round(float(units.sizes.sum()))
    check_enough(factors[0], "question" if factors[0] == n else "cluster", n)
    judge = units.factors[1] if group.judge is not None else None
    seen = np.r_[group.scores.min(), group.scores.max()]
    return QuestionsPosterior(
        model=QUESTIONS,
        names=group.models,
        datasets=(group.benchmark,),
        rope=region,
        x=units.means,
        sizes=units.sizes,
        cluster=units.factors[0][0],
        judge=None if judge is None else judge[0],
        concentration=units.factors[0][1],
        of_judges=0.0 if judge is None else judge[1],
        span=group.span or float(np.ptp(seen)),
        size=size + -size % 4,
        metric=group.direction.metric,
        directions=(group.direction,) if group.direction.metric else (),
        pairing=BY_QUESTION,
        left_out=group.left_out,
        notes=() if judge is None else judges_in_words(factors[1]),
        seed=checks.seed_of(seed),
        **name_closed_form(),
        **words_of("benchmark"),
    )


def _group_of(x: ArrayLike, clusters: ArrayLike | None, names: Sequence[str] | None) -> ItemGroup:
    """Check plain scores, and return them as a group."""
    cells, (_, own) = arrange(x, "x", "block", "algorithm")
    values = checks.read_numbers(cells, "x", "scores, a column for each model")
    if values.ndim != 2 or values.shape[1] < 2 or not np.all(np.isfinite(values)):
        raise must(
            "x",
            "be finite and of shape (n, L)",
            f"shape {values.shape}{'' if np.all(np.isfinite(values)) else ' with gaps'}",
            "Give a row for each question and a column for each of at least two models.",
        )
    labels = None if clusters is None else np.asarray(clusters)
    if labels is not None and labels.shape != (len(values),):
        raise must(
            "clusters",
            "have one label for each question",
            f"shape {labels.shape} for {format_count(len(values), 'question')}",
        )
    cluster = None if labels is None else np.unique(labels, return_inverse=True)[1]
    models = own_labels("names", names, own, values.shape[1], "M")
    known = Direction("", False, "assumed")
    return ItemGroup(tuple(models), "", values.T, cluster, None, known)


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class QuestionsPosterior(StandingsPosterior):
    """Posterior of several models' mean scores over a benchmark's questions: independent draws.

    Attributes
    ----------
    x : ndarray of shape (U, L)
        Mean scores on each unit, higher is better: a question or a cluster, before one judge.
    sizes : ndarray of shape (U,)
        Number of questions in each unit.
    cluster, judge : ndarray of int, shape (U,)
        Each unit's cluster (its own number without clusters), and its judge, if several, or None.
    concentration, of_judges : float
        Parameters of the Dirichlet weights of clusters and of judges.
    span : float
        The largest possible difference.
    size : int
        Number of draws.
    """

    datasets: tuple[str, ...]
    x: np.ndarray = field(metadata=about("item", "algorithm"))
    sizes: np.ndarray = field(metadata=about("item"))
    cluster: np.ndarray = field(metadata=about("item"))
    judge: np.ndarray | None = field(default=None, metadata=about("item"))
    concentration: float
    of_judges: float
    span: float
    size: int

    @property
    def target(self) -> str:
        """The subject of a verdict."""
        return f"new questions of {self.datasets[0]}" if self.datasets[0] else "new questions"

    @property
    def prior_text(self) -> str:
        """The prior in words."""
        whose = "clusters" if self._clusters < self._questions else "questions"
        judges = "" if self.judge is None else f", times those of the judges, {self.of_judges:.4g}"
        return f"Dirichlet weights of the {whose}, concentration {self.concentration:.4g}{judges}"

    @property
    def _clusters(self) -> int:
        return int(self.cluster.max()) + 1

    @property
    def _questions(self) -> int:
        """Number of questions, each counted once where several judges scored it."""
        most = np.zeros(self._clusters)
        np.maximum.at(most, self.cluster, self.sizes)
        return round(float(most.sum()))

    @property
    def data_text(self) -> str:
        """The size of the data in words: "500 questions in 50 clusters"."""
        text = format_count(self._questions, "question")
        if self._clusters < self._questions:
            text += f" in {format_count(self._clusters, 'cluster')}"
        if self.judge is not None:
            text += f" before {format_count(int(self.judge.max()) + 1, 'judge')}"
        return text

    @cached_property
    def _units(self) -> WeightedUnits:
        factors = [(self.cluster, self.concentration)]
        factors += [] if self.judge is None else [(self.judge, self.of_judges)]
        return WeightedUnits(self.x, self.sizes, tuple(factors))

    @property
    def has_levels(self) -> bool:
        """Averages are scores."""
        return True

    @cached_property
    def averages(self) -> np.ndarray:
        """Mean score of each model over the weighted questions, draw by draw, shape (D, L)."""
        return read_only(self._units.draw(self.size, self.seed))

    @cached_property
    def levels_drawn(self) -> np.ndarray:
        """Draws of each model's mean score, (D, L), of which none is without spread.

        A model that scored the same on all questions gets half a question at each end of the
        range.
        """
        drawn = self.averages.copy()
        ends = find_ends(self.metric, self.sign * self.x)
        weight = self.concentration * self._clusters
        for k in np.flatnonzero(np.ptp(self.x, axis=0) <= TIED * np.abs(self.x).max(axis=0)):
            level = self.sign * float(self.x[0, k])
            drawn[:, k] = self.sign * draw_unvaried(level, ends, weight, self.size, self.seed)
        return read_only(drawn)

    def _find_means(self) -> np.ndarray:
        return self.sign * self.means[0]

    def count_asked(self, i: int, j: int) -> int:
        """Count the questions, which all models were asked."""
        if self.unplanned:
            raise InputError(self.unplanned)
        return self._questions

    def difference_of(self, first: str, second: str) -> QuestionDifference:
        """Return mean and variance of two models' difference, and the number of questions."""
        found = super().difference_of(first, second)
        if self._is_unvaried(found.mean, float(np.sqrt(found.variance))):
            return self._pair_unvaried(*self._places(first, second), self.rope).difference
        return found

    def plan(
        self, first: str | None = None, second: str | None = None, **options: Any
    ) -> ItemPlan:
        """Predict how many more questions, or answers to each, decide the verdict on a pair.

        Parameters
        ----------
        first, second : str, optional
            The two models; the first two of `scoreboard` if not given.
        **options
            Those of `ItemPosterior.plan`; questions are none, as many as there are, and three,
            nine and nineteen times as many, if not given.

        Returns
        -------
        ItemPlan
            With a frame, ``further()``, ``needed()``, ``cheapest()`` and ``explain()``.

        Raises
        ------
        InputError
            Unknown names, several judges, numbers outside their ranges.

        References
        ----------
        Miller (2024), Adding error bars to evals, arXiv:2411.00640, section 5.
        """
        if self.unplanned:
            return super().plan()
        from bayescmp.study.planning.means import plan_of_board

        return plan_of_board(self, first, second, **options)

    @property
    def unplanned(self) -> str:
        """Why there is no plan: a part of the variance is the judges'."""
        return "" if self.judge is None else JUDGED.unplanned

    @property
    def means(self) -> np.ndarray:
        """Observed mean scores, shape (1, L), higher is better."""
        return (self.sizes @ self.x / self.sizes.sum())[None]

    @property
    def draws(self) -> Mapping[str, np.ndarray]:
        """Mean scores, "average" of shape (chain, draw, L)."""
        return {"average": self.averages.reshape(self.chains, -1, len(self.names))}

    def clouds(self, on: str | None = None) -> Iterator[Cloud]:
        """Yield the mean scores, a point of weight one for each draw."""
        self._target(on)
        yield Cloud(self.averages[:, None, :], np.ones((self.size, 1)))

    def _verdicts(self, pairs: np.ndarray, rope: Rope, threshold: float) -> list[Verdict]:
        verdicts = super()._verdicts(pairs, rope, threshold)
        least = check_threshold(threshold)
        for k, (pair, verdict) in enumerate(zip(pairs, verdicts, strict=True)):
            (low, high), (middle,) = verdict.mean_interval[0], verdict.estimate
            if self._is_unvaried(middle, high - low):
                verdicts[k] = self._pair_unvaried(int(pair[0]), int(pair[1]), rope).verdict(
                    threshold=least
                )
        return verdicts

    def _is_unvaried(self, mean: float, spread: float) -> bool:
        """Return whether two models differ by the same everywhere: no spread was observed."""
        return bool(spread <= 1e-9 * max(abs(mean), self.span))

    def _pair_unvaried(self, i: int, j: int, rope: Rope) -> ItemPosterior:
        """Return the posterior of a pair without spread, which adds what was not observed."""
        cluster = np.repeat(self.cluster, np.round(self.sizes).astype(int))
        d = np.repeat(self.x[:, j] - self.x[:, i], np.round(self.sizes).astype(int))
        return cluster_bootstrap(
            d, clusters=cluster, rope=rope, span=self.span, names=(self.names[i], self.names[j])
        )

    @property
    def own_draws(self) -> int:
        """Number of independent draws."""
        return self.size

    def _vary(self, datasets: bool, refit: bool) -> Iterator[PairVariation]:
        """Yield other concentrations of the weights: half as much, and Rubin's."""
        for a in (self.concentration / 2, 1.0):
            yield (
                "prior",
                f"concentration {a:.4g}",
                all_probabilities(replace(self, concentration=a)),
            )


QUESTIONS = QuestionsPosterior.answering(
    StandingsModel(
        kind="question_bootstrap",
        method="Bayesian bootstrap over questions",
        reference="Rubin 1981",
        targets=(AVERAGE,),
        spoken={AVERAGE: "on new questions"},
        dims={"average": ("algorithm",)},
    )
)


# A leaderboard: the benchmarks are given, and their questions vary.


#: A note on every leaderboard.
OTHERS = (
    "Other benchmarks may rank the models differently, which bayescmp.bayesian.bootstrap takes "
    "into account."
)


@validate_params(metric=optional(text))
def leaderboard(
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
    """Find the best of several models on average over these benchmarks, given new questions.

    The benchmarks and their weights v are fixed; only their questions vary. Each model's score
    μ_bm on a benchmark is drawn from N(mean, standard error²), or from the correlated t posterior
    of scores of questions (or folds), which keeps their pairing. Models are compared by Σ v_b
    μ_bm. `bootstrap` instead treats the benchmarks as a sample, and is far less certain.

    Parameters
    ----------
    scores : Scores, DataFrame, or array_like of shape (q, L) or (q, n, L)
        Scores of L models on q benchmarks: means, or of n questions each, as from `Items.scores`.
        A model that is missing on one (NaN) takes, in each draw, its lead on another.
    metric : str, optional
        Of several in `Scores`.
    rope : float, optional
        Half-width of the region of practical equivalence; by default the direction is judged.
    rho : float, array_like of shape (q,) or mapping of benchmark to float, optional
        Correlation of folds, if any; taken from the table if not given.
    questions : int, array_like of shape (q,) or (q, L), mapping of benchmark to int, optional
        Number of questions behind each mean, if means are shares of right answers.
    errors : float, array_like of shape (q,) or (q, L), DataFrame or mapping, optional
        Standard errors of the means, in units of the metric.
    weights : array_like of shape (q,) or mapping of benchmark to float, optional
        How much each benchmark counts, >= 0; all alike if not given.
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
        Bad scores, errors, weights, ROPE or seed; means without questions or errors.

    See Also
    --------
    bootstrap, question_bootstrap, bradley_terry, bayescmp.frequentist.posthoc

    Notes
    -----
    The standard error of a proportion is from Jeffreys's posterior. Two models' means are taken to
    be independent, which is cautious: they share questions.

    References
    ----------
    Miller (2024), Adding error bars to evals, arXiv:2411.00640.

    Examples
    --------
    >>> import pandas as pd
    >>> import bayescmp as bc
    >>> table = pd.DataFrame({"small": [0.61, 0.72], "tuned": [0.66, 0.71], "large": [0.67, 0.78]},
    ...                      index=["gsm8k", "arc"])
    >>> size = {"gsm8k": 1319, "arc": 1172}
    >>> board = bc.bayesian.leaderboard(table, rope=0.01, questions=size, seed=1)
    >>> {name: round(p, 2) for name, p in board.best().items()}
    {'small': 0.0, 'tuned': 0.0, 'large': 1.0}
    """
    return resample(
        LEADERBOARD,
        "the leaderboard",
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
        notes=(OTHERS,),
    )


def _repeat_weights(posterior: BootstrapPosterior) -> np.ndarray:
    q, given = len(posterior.x), posterior.importance
    return np.broadcast_to(np.full(q, 1 / q) if given is None else given, (posterior.size, q))


LEADERBOARD = BootstrapPosterior.answering(
    ResamplingModel(
        kind="leaderboard",
        method="Bayesian average over given benchmarks",
        reference="Miller 2024",
        target="new questions of these benchmarks",
        targets=(AVERAGE,),
        spoken={AVERAGE: "on new questions of these {unit}s"},
        fixed={
            "prior": "the scores have flat priors",
            "rho": "it widens the noise of the {p.sample}s only",
        },
        caveat=OTHERS,
        draw_weights=_repeat_weights,
        prior_words="flat on each model's score; the benchmarks are given, not drawn",
    )
)
