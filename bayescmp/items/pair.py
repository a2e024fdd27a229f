"""Two models on the same items: paired, counted, differenced, and how much of that is noise."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from bayescmp.base.arguments import arg
from bayescmp.base.checks import check_choice, check_flags, seed_of
from bayescmp.base.magnitudes import steps_of_runs
from bayescmp.base.records import Record
from bayescmp.errors import InputError
from bayescmp.present.forms import Summarised
from bayescmp.present.summary import Column, Summary, summarise
from bayescmp.scores import metrics
from bayescmp.scores.blocks import scores_blocks
from bayescmp.scores.differences import Differences
from bayescmp.scores.pairing import BY_QUESTION
from bayescmp.scores.resampling import Resampling
from bayescmp.wording.text import format_count

if TYPE_CHECKING:
    from bayescmp.base.checks import RhoLike, Seed
    from bayescmp.base.typing import Json
    from bayescmp.items.answers import Answers, SharedAnswers
    from bayescmp.scores.metrics import Direction
    from bayescmp.scores.pairing import LeftOut
    from bayescmp.scores.scores import Scores


#: The refusal of a test that does not allow for judges.
NO_JUDGES = (
    "The items must have one judge (got several, which are crossed with the items). Average over "
    "the judges, or compare by one of them. Only cluster_bootstrap takes several judges, on one "
    "benchmark."
)

#: The refusal of what does not allow for human scores next to a judge's.
NO_HUMANS = (
    "The items must have no human scores (got some, with which only judge_corrected corrects one "
    "judge of two models on one benchmark). Leave their column out to compare by the other scores."
)


# Items that belong together: sums over clusters, and what each adds to the mean.


def totals(x: np.ndarray, cluster: np.ndarray | None) -> tuple[np.ndarray, np.ndarray]:
    """Sum the numbers in each cluster, and count them."""
    if cluster is None:
        return x, np.ones(len(x))
    codes = np.unique(cluster, return_inverse=True)[1]
    return np.bincount(codes, weights=x), np.bincount(codes).astype(float)


def contributions(x: np.ndarray, cluster: np.ndarray | None) -> np.ndarray:
    """Return one value per cluster, (K, L), of which the mean is that of all items.

    From `x` (n, L), of models or differences. The mean of n items in K clusters is Σ S_k / Σ n_k
    (Cochran 1977, Sampling techniques, section 9A). Its linear approximation is the mean of y_k =
    m + (S_k − m·n_k)·K/n, so that the variance of y over K is the clustered variance of m (Miller
    2024, arXiv:2411.00640, eq. 4, with K/(K − 1)).
    """
    if cluster is None:
        return x
    codes, sizes = np.unique(cluster, return_inverse=True, return_counts=True)[1:]
    if len(sizes) == len(x):
        return x
    mean = x.mean(axis=0)
    sums = np.column_stack([np.bincount(codes, weights=column) for column in x.T])
    return np.asarray(mean + (sums - mean * sizes[:, None]) * (len(sizes) / len(x)))


# Two models on the same items: their scores paired, the table of counts, the differences.


@dataclass(frozen=True, eq=False)
class ItemPair(Record):
    """Scores of two models on the same n items, as `bayescmp.Items.pair` makes it.

    Attributes
    ----------
    names : (str, str)
    benchmarks : tuple of str
        Those of which both have items.
    first, second : ndarray of shape (n,)
        Scores in the metric's own direction, means over epochs, sorted by benchmark.
    benchmark : ndarray of int, shape (n,)
        Place of each item's benchmark in ``benchmarks``.
    cluster, judge, items : ndarray of shape (n,), or None
        Each item's cluster (None: independent), judge of several, and name in the table.
    human : ndarray of shape (2, n), or None
        Human scores of both models, NaN if there is none; None without any.
    epochs : (int, int)
        Least and most attempts at an item.
    direction : Direction
        The metric, and which way it is better.
    left_out : LeftOut or None
        What was left out because only one of the two has a score.

    Examples
    --------
    >>> import pandas as pd
    >>> import bayescmp as bc
    >>> table = pd.DataFrame({"model": ["a"] * 4 + ["b"] * 4, "item": [1, 2, 3, 4] * 2,
    ...                       "correct": [1, 0, 0, 1, 0, 1, 0, 1]})
    >>> pair = bc.Items(table).pair("a", "b")
    >>> pair.counts().tolist()
    [[1, 1], [1, 1]]
    """

    names: tuple[str, str]
    benchmarks: tuple[str, ...]
    first: np.ndarray
    second: np.ndarray
    benchmark: np.ndarray
    cluster: np.ndarray | None
    epochs: tuple[int, int]
    direction: Direction
    left_out: LeftOut | None = None
    judge: np.ndarray | None = None
    items: np.ndarray | None = None
    human: np.ndarray | None = None

    @property
    def n(self) -> int:
        """Number of items."""
        return len(self.first)

    @property
    def questions(self) -> int:
        """Number of items, each counted once where several judges scored it."""
        if self.judge is None or self.items is None:
            return self.n
        return len(set(zip(self.benchmark.tolist(), self.items.tolist(), strict=True)))

    @property
    def x(self) -> np.ndarray:
        """Difference on each item, second minus first, positive where the second is better."""
        return (self.second - self.first) * self.direction.sign

    @property
    def human_x(self) -> np.ndarray:
        """Difference of the human scores on each item; NaN unless both models have one."""
        if self.human is None:
            return np.full(self.n, np.nan)
        return np.asarray((self.human[1] - self.human[0]) * self.direction.sign)

    def check_no_humans(self) -> None:
        """Refuse human scores, for what would ignore them."""
        if self.human is not None:
            raise InputError(NO_HUMANS, "items")

    @property
    def binary(self) -> bool:
        """Whether every score is 0 or 1."""
        return all(bool(np.all((s == 0) | (s == 1))) for s in self._both_scores)

    @property
    def flippable(self) -> bool:
        """Whether answers are right or wrong, or the share of epochs that are right."""
        return self.binary or (
            self.epochs[1] > 1
            and all(bool(np.all((s >= 0) & (s <= 1))) for s in self._both_scores)
        )

    @property
    def _both_scores(self) -> tuple[np.ndarray, np.ndarray]:
        return self.first, self.second

    @property
    def clustered(self) -> bool:
        """Whether some items belong together."""
        return self.cluster is not None and len(np.unique(self.cluster)) < self.n

    @property
    def span(self) -> float | None:
        """Length of the metric's range; None if it is unbounded or the scores exceed it."""
        return metrics.span_of(self.direction.metric, np.r_[self._both_scores])

    def counts(self) -> np.ndarray:
        """Count items that both answer right, only the first, only the second, and neither."""
        self.check_no_humans()
        if not self.binary:
            raise InputError(
                f"metric {self.direction.metric!r} must be 0 or 1 on each item to be counted (got "
                "graded scores, or averages over epochs).",
                "items",
            )
        first, second = ((s == 1) == self.direction.lower for s in self._both_scores)  # wrong
        return np.bincount(2 * first + second, minlength=4).reshape(2, 2)

    def flips(self) -> pd.DataFrame:
        """List the items that one model has right and the other wrong.

        The columns are benchmark, item; first and second, the share of epochs that each has right;
        flip, "harmful" if the first is mostly right and the second mostly wrong, or "beneficial".
        The largest differences come first. Scores have to be 0 and 1, or shares of epochs.
        """
        if not self.flippable:
            raise InputError(
                f"metric {self.direction.metric!r} must be right or wrong on each item, so that "
                "answers flip (got graded scores).",
                "items",
            )
        both = np.stack(self._both_scores)
        first, second = 1 - both if self.direction.lower else both
        flipped = (first - 0.5) * (second - 0.5) < 0
        places = np.flatnonzero(flipped)
        places = places[np.argsort(-np.abs(self.x[places]), kind="stable")]
        names = np.arange(1, self.n + 1) if self.items is None else self.items
        return pd.DataFrame(
            {
                "benchmark": np.array(self.benchmarks, dtype=object)[self.benchmark[places]],
                "item": names[places],
                "first": first[places],
                "second": second[places],
                "flip": np.where(first > second, "harmful", "beneficial")[places],
            }
        )

    def swapped(self) -> ItemPair:
        """Return the pair with the models in the other order."""
        human = None if self.human is None else self.human[::-1]
        names = self.names[::-1]
        return replace(self, names=names, first=self.second, second=self.first, human=human)

    def on(self, benchmark: str) -> ItemPair:
        """Return the pair on one benchmark."""
        check_choice("benchmark", benchmark, self.benchmarks)
        here = self.benchmark == self.benchmarks.index(benchmark)
        return replace(
            self,
            benchmarks=(benchmark,),
            first=self.first[here],
            second=self.second[here],
            benchmark=np.zeros(int(here.sum()), dtype=np.int64),
            cluster=None if self.cluster is None else self.cluster[here],
            judge=None if self.judge is None else self.judge[here],
            items=None if self.items is None else self.items[here],
            human=None if self.human is None else self.human[:, here],
            left_out=None if self.left_out is None else self.left_out.select_dataset(benchmark),
        )

    def totals(self) -> tuple[np.ndarray, np.ndarray]:
        """Sums of the differences in each cluster, or item without any, and the sizes."""
        return totals(self.x, self.cluster)

    def differences(self) -> Differences:
        """Differences in one row per benchmark, of independent units with rho 0.

        Units are items or clusters, each with its contribution to the benchmark's mean. Several
        judges, and human scores next to a judge's, are refused.
        """
        self.check_no_humans()
        if self.judge is not None:
            raise InputError(NO_JUDGES, "items")
        starts = np.flatnonzero(np.diff(self.benchmark, prepend=-1))
        rows = np.split(self.x, starts[1:])
        if self.cluster is not None:
            clusters = np.split(self.cluster, starts[1:])
            rows = [
                contributions(r[:, None], c)[:, 0] for r, c in zip(rows, clusters, strict=True)
            ]
        scores = np.stack([self.first, self.second])
        return Differences(
            rows,
            rho=0.0,
            names=self.names,
            datasets=self.benchmarks,
            metric=self.direction.metric,
            direction=self.direction,
            span=self.span,
            resolution=steps_of_runs(scores, starts),
            resampling=[Resampling.independent()] * len(self.benchmarks),
            scores=(float(np.ptp(scores)), float(np.abs(scores).max())),
            left_out=self.left_out,
            unit="benchmark",
            pairing=BY_QUESTION,
        )


def count_flips(flips: pd.DataFrame, names: tuple[str, str]) -> tuple[dict[str, int], str]:
    """Count a pair's `flips` of each kind: "Flips from a to b: harmful 2, beneficial 0."."""
    counts = {kind: int((flips["flip"] == kind).sum()) for kind in ("harmful", "beneficial")}
    kinds = ", ".join(f"{kind} {count}" for kind, count in counts.items())
    return counts, f"Flips from {names[0]} to {names[1]}: {kinds}."


@dataclass(frozen=True, eq=False)
class ItemGroup(Record):
    """Scores (L, n) of L models on n items of one benchmark, as from `Items.group`."""

    models: tuple[str, ...]
    benchmark: str
    scores: np.ndarray
    cluster: np.ndarray | None
    judge: np.ndarray | None
    direction: Direction
    span: float | None = None
    left_out: LeftOut | None = None


def answers_of(
    scores: Scores, pair: tuple[str, str], metric: str, dataset: str, *, rho: RhoLike | None = None
) -> ItemPair:
    """Take rows of a table of scores as items: right and wrong answers; `rho` 0 if independent."""
    blocks = scores_blocks(scores, metrics=(metric,), dataset=dataset, algorithms=pair, rho=rho)
    return ItemPair(
        names=pair,
        benchmarks=(dataset,),
        first=blocks.x[0, :, 0],
        second=blocks.x[1, :, 0],
        benchmark=np.zeros(blocks.n, dtype=int),
        cluster=None,
        epochs=(1, 1),
        direction=scores.direction(metric),
        left_out=blocks.left_out,
    )


# Answer noise and question noise: the parts of the variance of two models' difference.


#: Draws of the weights behind an interval.
DRAWS = 4000


@dataclass(frozen=True, eq=False, repr=False)
class Noise(Record, Summarised):
    """The parts of the variance of two models' mean difference, as `Items.noise` finds them.

    Attributes
    ----------
    names : (str, str)
    questions : int
        Number of questions that both models have.
    epochs : float
        Answers of each model to a question, the harmonic mean.
    between : float
        σ²_b, variance of the questions' true differences, at least 0. For clusters, the part of
        the mean's variance that is not noise, times the number of questions.
    within : float
        σ²_w, variance of a question's difference over single answers of both models.
    interval : (float, float)
        95% of the Bayesian bootstrap of ``between``, over questions or clusters.
    paired : bool
        Whether epochs of one name were taken to belong together.

    Examples
    --------
    >>> import pandas as pd
    >>> import bayescmp as bc
    >>> table = pd.DataFrame({"model": ["a"] * 8 + ["b"] * 8, "item": [1, 1, 2, 2, 3, 3, 4, 4] * 2,
    ...                       "epoch": [1, 2] * 8,
    ...                       "correct": [1, 0, 0, 0, 1, 1, 0, 1, 1, 1, 1, 0, 1, 1, 0, 0]})
    >>> noise = bc.Items(table).noise("a", "b", seed=1)
    >>> noise.within, round(noise.between, 3)
    (0.375, 0.042)
    """

    names: tuple[str, str]
    questions: int
    epochs: float
    between: float
    within: float
    interval: tuple[float, float]
    paired: bool = False

    @property
    def share(self) -> float:
        """Proportion of the mean difference's variance that is the models' own noise."""
        noise = self.within / self.epochs
        return noise / (noise + self.between) if noise + self.between > 0 else 0.0

    @property
    def frame(self) -> pd.DataFrame:
        """The two variances, with the bounds low and high of the interval."""
        return pd.DataFrame(
            {
                "variance": ["between questions", "of single answers"],
                "estimate": [self.between, self.within],
                "low": [self.interval[0], np.nan],
                "high": [self.interval[1], np.nan],
            }
        )

    def to_dict(self) -> Json:
        """Return plain numbers, for JSON."""
        own = {**vars(self), "names": list(self.names), "interval": list(self.interval)}
        return {**own, "share": self.share, "text": self.explain()}


SPLIT = "{between}% of the variance is between questions, {own}% is the models' own noise"
EPOCHS = {
    "all": "The questions do not differ beyond the noise, so that more epochs would narrow the "
    "interval as more questions would.",
    "some": "With many more epochs, the interval would shrink to {width:.2f} of its width and no "
    "further.",
    "none": "More epochs would not narrow the interval.",
}
DATA = {
    False: "{questions}, {epochs} of each",
    True: "{questions}, {epochs} of each, paired by name",
}


@summarise.register
def _summarise_noise(noise: Noise) -> Summary:
    own = round(100 * noise.share)
    epochs = f"{noise.epochs:.3g} {'epoch' if noise.epochs == 1 else 'epochs'}"
    return Summary(
        SPLIT.format(between=100 - own, own=own),
        noise.frame,
        {"low": Column(head="95% CrI low"), "high": Column(head="95% CrI high")},
        label="noise",
        setting=f"difference of {noise.names[0]} and {noise.names[1]}",
        sentences=[
            EPOCHS["all" if own == 100 else "some" if own else "none"].format(
                width=(1 - noise.share) ** 0.5
            )
        ],
        method=DATA[noise.paired].format(
            questions=format_count(noise.questions, "question"), epochs=epochs
        ),
    )


def noise_of(
    answers: Answers, shared: SharedAnswers, names: tuple[str, str], paired: bool, seed: Seed
) -> Noise:
    """Split the variance of two models' mean difference; see `Items.noise`."""
    check_flags(paired=paired)
    variances, epochs = _within_questions(answers, shared, names, paired)
    mean_noise = variances / epochs
    if paired:
        within, own = variances[0], mean_noise[0]
    else:
        within, own = variances.sum(axis=0), mean_noise.sum(axis=0)
    difference = shared.scores[1] - shared.scores[0]
    sums, sizes = totals(difference, shared.cluster)
    if len(sums) < 2:
        raise InputError(
            f"There must be at least two {'questions' if shared.cluster is None else 'clusters'}, "
            f"whose differences vary (got {len(sums)}).",
            "items",
        )
    rng = np.random.default_rng(seed_of(seed))
    weights = rng.dirichlet(np.ones(len(sums)), DRAWS)
    drawn = _estimate_between(weights, sums, sizes, totals(own, shared.cluster)[0])
    low, high = np.maximum(np.quantile(drawn, [0.025, 0.975]), 0.0)
    return Noise(
        names=names,
        questions=len(difference),
        epochs=float(1 / np.mean(1 / epochs)),
        between=between_questions(difference, own, shared.cluster),
        within=float(within.mean()),
        interval=(float(low), float(high)),
        paired=bool(paired),
    )


def between_questions(x: np.ndarray, own: np.ndarray, cluster: np.ndarray | None) -> float:
    """Estimate σ²_b of n questions' means `x`, whose variances over epochs are `own`."""
    sums, sizes = totals(x, cluster)
    even = np.full((1, len(sums)), 1 / len(sums))
    noise, _ = totals(own, cluster)
    return float(max(_estimate_between(even, sums, sizes, noise)[0], 0.0))


def _estimate_between(
    weights: np.ndarray, sums: np.ndarray, sizes: np.ndarray, noise: np.ndarray
) -> np.ndarray:
    """σ²_b under weights (D, K) of clusters: n times the mean's variance, minus noise."""
    K = len(sums)
    size, total = weights @ sizes, weights @ sums
    mean = total / size
    squares = (
        weights @ sums**2 - 2 * mean * (weights @ (sums * sizes)) + mean**2 * (weights @ sizes**2)
    )
    return np.asarray(squares * (K / (K - 1)) / size - weights @ noise / size)


def _within_questions(
    answers: Answers, shared: SharedAnswers, names: tuple[str, str], paired: bool
) -> tuple[np.ndarray, np.ndarray]:
    """Unbiased variances over the epochs, and the epochs, of the models or of their difference."""
    epochs = answers.epochs[shared.places]
    single = np.argwhere(epochs < 2)
    attempts = answers.attempts
    if attempts is None or len(single):
        model, at = (0, 0) if attempts is None else single[0]
        question = answers.describe_question(int(answers.question[shared.places[model, at]]))
        raise InputError(
            f"model {names[model]!r} must have at least two epochs of every item (got 1 of "
            f"{question}, {len(single)} in all). They tell a model's own noise from the items'.",
            "items",
        )
    if paired:
        return _of_pairs(answers, shared, names)
    return variances_of_epochs(answers)[shared.places], epochs


def variances_of_epochs(answers: Answers) -> np.ndarray:
    """Return the unbiased variance of each answer's epochs, shape (m,); NaN of single epochs."""
    count, attempts = answers.epochs, answers.attempts
    if attempts is None:
        return np.full(len(count), np.nan)
    centred = attempts.score - answers.score[attempts.answer]
    squares = np.bincount(attempts.answer, weights=centred**2, minlength=len(count))
    return np.divide(squares, count - 1, out=np.full(len(count), np.nan), where=count > 1)


def _of_pairs(
    answers: Answers, shared: SharedAnswers, names: tuple[str, str]
) -> tuple[np.ndarray, np.ndarray]:
    """Return variances of the differences of epochs of one name, shape (1, n)."""
    attempts = answers.attempts
    assert attempts is not None
    sides = []
    for places in shared.places:
        at = np.full(len(answers.score), -1)
        at[places] = np.arange(len(places))
        here = at[attempts.answer] >= 0
        question = at[attempts.answer[here]]
        order = np.lexsort((attempts.epoch[here], question))
        sides.append((question[order], attempts.epoch[here][order], attempts.score[here][order]))
    (question, epoch, first), (other, its, second) = sides
    if not (np.array_equal(question, other) and np.array_equal(epoch, its)):
        raise InputError(
            f"models {names[0]!r} and {names[1]!r} must have the same epochs of every item, which "
            f"share a seed, with {arg('paired', True)} (got different epochs of some item).",
            "paired",
        )
    count = np.bincount(question)
    d = second - first
    centred = d - (np.bincount(question, weights=d) / count)[question]
    squares = np.bincount(question, weights=centred**2)
    return (squares / (count - 1))[None], count[None]
