"""What several epochs of an item tell: a model's own noise, and how often k answers are right."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
from scipy.special import comb

from bayescmp.base import checks
from bayescmp.base.deferred import Sealed
from bayescmp.errors import InputError
from bayescmp.items.pair import totals
from bayescmp.wording.markup import Exhibit, Tabled, Told
from bayescmp.wording.text import counted

if TYPE_CHECKING:
    from bayescmp.base.checks import Seed
    from bayescmp.base.typing import Json
    from bayescmp.items.answers import Answers, Shared

#: Draws of the weights behind an interval.
DRAWS = 4000


# How often all of k answers are right, or any of them: a score for each question.


def of_k(answers: Answers, k: int, *, lower: bool, every: bool) -> Answers:
    """The answers with the unbiased estimate of pass^k (``every``) or pass@k for their scores.

    With c of K epochs right, C(c, k)/C(K, k) of the choices of k epochs are right throughout, and
    C(K − c, k)/C(K, k) are wrong throughout.

    Parameters
    ----------
    answers : Answers
        Right or wrong, 1 or 0, in each epoch.
    k : int
    lower : bool
        Whether 0 is right.
    every : bool
    """
    k = checks.whole("k", k)
    score = answers.score if answers.attempts is None else answers.attempts.score
    graded = score[(score != 0) & (score != 1)]
    if len(graded):
        raise InputError(
            f"a score is {graded[0]:g}; accepted: 0 and 1, since only right answers are counted"
        )
    K = answers.epochs
    few = np.flatnonzero(k > K)
    if len(few):
        model = int(np.searchsorted(answers.starts, few[0], side="right")) - 1
        raise InputError(
            f"k={k}, but model {answers.models[model]!r} has {counted(int(K[few[0]]), 'epoch')} "
            f"of {answers.where(int(answers.question[few[0]]))} ({len(few)} such); accepted: at "
            f"most {int(K.min())}"
        )
    right = np.round(answers.score * K)
    right = K - right if lower else right
    chosen = comb(right, k) / comb(K, k) if every else 1 - comb(K - right, k) / comb(K, k)
    return replace(answers, score=chosen, epochs=np.ones_like(K), attempts=None)


# Answer noise beside question noise: of what the variance of two models' difference is made.


@dataclass(frozen=True, eq=False, repr=False)
class Noise(Sealed, Tabled):
    """What the variance of two models' mean difference is made of, as `Items.noise` finds it.

    Attributes
    ----------
    names : (str, str)
        The first and the second model.
    questions : int
        How many both models have.
    epochs : float
        Answers of each model to a question, the harmonic mean.
    between : float
        σ²_b, variance of the questions' true differences; 0 where its estimate is negative. Of
        clusters it is what the mean's variance has beside the noise, times the questions.
    within : float
        σ²_w, variance of a question's difference over single answers of both models.
    interval : (float, float)
        95 % of the Bayesian bootstrap of ``between``, over questions or clusters.
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
    >>> noise.explain().split(":")[0]
    "Of the variance of the difference between a and b, 18 % is questions and 82 % the models' ..."
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
        """How much of the variance of the mean difference is the models' own noise."""
        noise = self.within / self.epochs
        return noise / (noise + self.between) if noise + self.between > 0 else 0.0

    def _exhibit(self) -> Exhibit:
        table = pd.DataFrame(
            {
                "variance": ["between questions", "of single answers"],
                "estimate": [self.between, self.within],
                "low": [self.interval[0], np.nan],
                "high": [self.interval[1], np.nan],
            }
        )
        own = round(100 * self.share)
        return Exhibit(
            f"{100 - own} % of the variance is questions, {own} % the models' own noise",
            table,
            setting=f"{counted(self.questions, 'question')}",
            sentences=[self._sentence],
        )

    def _told(self) -> Told:
        return Told([self._sentence])

    @property
    def _sentence(self) -> str:
        """The split, and what more epochs would give."""
        own = round(100 * self.share)
        each = f"{self.epochs:.3g} {'epoch' if self.epochs == 1 else 'epochs'}"
        low, high = self.interval
        shrink = (
            f"with ever more epochs the interval would shrink to {(1 - self.share) ** 0.5:.2f} of "
            "its width, no further"
            if 0 < own < 100
            else "more epochs would not narrow the interval"
            if own == 0
            else "the questions do not differ beyond it, and more epochs narrow the interval as "
            "more questions would"
        )
        pairs = ", epochs paired by name" if self.paired else ""
        return (
            f"Of the variance of the difference between {self.names[0]} and {self.names[1]}, "
            f"{100 - own} % is questions and {own} % the models' own noise: {shrink}. Variance "
            f"between questions {self.between:.3g} (95 %: {low:.3g} to {high:.3g}), of single "
            f"answers {self.within:.3g}; {counted(self.questions, 'question')}, {each}{pairs}."
        )

    def to_dict(self) -> Json:
        """Plain numbers, for JSON.

        Examples
        --------
        >>> from bayescmp.items.noise import Noise
        >>> Noise(("a", "b"), 100, 2.0, 0.058, 0.084, (0.04, 0.08)).to_dict()["within"]
        0.084
        """
        own = {**vars(self), "names": list(self.names), "interval": list(self.interval)}
        return {**own, "share": self.share, "text": self.explain()}


def noise_of(
    answers: Answers, shared: Shared, names: tuple[str, str], paired: bool, seed: Seed
) -> Noise:
    """Split the variance of two models' mean difference; see `Items.noise`."""
    checks.check_flags(paired=paired)
    variances, epochs = _within_questions(answers, shared, names, paired)
    mean_noise = variances / epochs
    if paired:
        within, own = variances[0], mean_noise[0]
    else:
        within, own = variances.sum(axis=0), mean_noise.sum(axis=0)
    difference = shared.scores[1] - shared.scores[0]
    sums, sizes = totals(difference, shared.cluster)
    noise, _ = totals(own, shared.cluster)
    if len(sums) < 2:
        raise InputError(
            f"there is {counted(len(sums), 'question' if shared.cluster is None else 'cluster')}; "
            "accepted: at least two, whose differences vary"
        )
    rng = np.random.default_rng(checks.seed_of(seed))
    weights = rng.dirichlet(np.ones(len(sums)), DRAWS)
    drawn = _between(weights, sums, sizes, noise)
    low, high = np.maximum(np.quantile(drawn, [0.025, 0.975]), 0.0)
    even = np.full((1, len(sums)), 1 / len(sums))
    return Noise(
        names=names,
        questions=len(difference),
        epochs=float(1 / np.mean(1 / epochs)),
        between=float(max(_between(even, sums, sizes, noise)[0], 0.0)),
        within=float(within.mean()),
        interval=(float(low), float(high)),
        paired=bool(paired),
    )


def _between(
    weights: np.ndarray, sums: np.ndarray, sizes: np.ndarray, noise: np.ndarray
) -> np.ndarray:
    """σ²_b under weights of the K clusters, (D, K): n times the mean's variance, less the noise.

    The variance of a mean m of clusters is that of their S_k − m·n_k, over K and the squared mean
    size, with K/(K − 1).
    """
    K = len(sums)
    size, total = weights @ sizes, weights @ sums
    mean = total / size
    squares = (
        weights @ sums**2 - 2 * mean * (weights @ (sums * sizes)) + mean**2 * (weights @ sizes**2)
    )
    return np.asarray(squares * (K / (K - 1)) / size - weights @ noise / size)


def _within_questions(
    answers: Answers, shared: Shared, names: tuple[str, str], paired: bool
) -> tuple[np.ndarray, np.ndarray]:
    """Unbiased variances over the epochs, and the epochs, of the models or of their difference."""
    epochs = answers.epochs[shared.places]
    single = np.argwhere(epochs < 2)
    attempts = answers.attempts
    if attempts is None or len(single):
        model, at = (0, 0) if attempts is None else single[0]
        question = answers.where(int(answers.question[shared.places[model, at]]))
        raise InputError(
            f"model {names[model]!r} has 1 epoch of {question} ({len(single)} such); accepted: at "
            "least two epochs of every item, which tell a model's own noise from the items'"
        )
    if paired:
        return _of_pairs(answers, shared, names)
    count = answers.epochs
    centred = attempts.score - answers.score[attempts.answer]
    squares = np.bincount(attempts.answer, weights=centred**2, minlength=len(count))
    return squares[shared.places] / (epochs - 1), epochs


def _of_pairs(
    answers: Answers, shared: Shared, names: tuple[str, str]
) -> tuple[np.ndarray, np.ndarray]:
    """The same of the differences of epochs of one name, shape (1, n)."""
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
            f"paired=True, but models {names[0]!r} and {names[1]!r} have different epochs of some "
            "item; accepted: the same epochs of every item, which share a seed"
        )
    count = np.bincount(question)
    d = second - first
    centred = d - (np.bincount(question, weights=d) / count)[question]
    squares = np.bincount(question, weights=centred**2)
    return (squares / (count - 1))[None], count[None]
