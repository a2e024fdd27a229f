"""A judge's scores of two models, corrected by the human scores of some of the questions."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import stdtr, stdtrit

from bayescmp.base.arguments import arg, must
from bayescmp.base.checks import Seed, check_paired, check_vector, seed_of
from bayescmp.base.fields import about
from bayescmp.base.magnitudes import ROUNDING
from bayescmp.base.records import Record
from bayescmp.base.typing import Json, Variation
from bayescmp.bayesian.paired.items import (
    ItemModel,
    ItemPosterior,
    check_one_benchmark,
    order_source,
)
from bayescmp.errors import InputError
from bayescmp.items.pair import NO_HUMANS, ItemPair, contributions
from bayescmp.results.arviz import row_of
from bayescmp.results.posterior import CHAINS, DRAWS, name_closed_form, split_student
from bayescmp.results.verdict import Interval
from bayescmp.scores.rope import Rope, RopeLike, as_rope
from bayescmp.wording.text import format_count, format_estimate

#: Fewest questions with a human score, or clusters of them.
FEWEST = 20
#: Below this probability of a larger gap between the judge's two means, a note doubts the sample.
ODD = 0.01

#: Notes on the correction.
ASSUMED = "the questions with a human score are taken to be a random sample of all questions"
DOUBTED = (
    "the judge's mean is {labelled} on the questions with a human score and {judged} on the "
    "others, which random samples show with a probability of {p:.1g}: the questions with a human "
    "score may not be a random sample"
)
BIAS = "the judge's bias is {estimate} in favour of {name} (95% interval {low} to {high})"
ONE_LABEL = "{questions} with a human score of only one model count as not labelled"


def judge_corrected(
    human: ArrayLike,
    judge: ArrayLike,
    judge_only: ArrayLike,
    *,
    rope: RopeLike | None = None,
    clusters: ArrayLike | None = None,
    names: Sequence[str] | None = None,
    seed: Seed = None,
) -> JudgePosterior:
    """Bayesian comparison of two models by a judge's scores and a few human ones.

    A judge, such as a language model, scores all questions; humans score a random sample. The
    human scores of the n labelled questions show the judge's bias, and its scores of all others
    make the answer more precise: θ = λ·mean(F) + mean(y − λf), where y and f are the human and the
    judge's differences on the labelled questions, F the judge's on the N others.

    Parameters
    ----------
    human, judge : array_like of shape (n,), or DataFrame of two models
        Differences on the labelled questions, second minus first, or the scores of both models.
        For one model, its scores.
    judge_only : array_like of shape (N,), or DataFrame of two models
        The judge's on the other questions.
    rope : float or (float, float), optional
        Region of practical equivalence, in units of the human scores; by default the direction is
        judged.
    clusters : array_like of shape (n + N,), optional
        A label for each question, the labelled questions first.
    names : (str, str), optional
    seed : int or numpy Generator, optional
        Of ``draws``; nothing else is random.

    Returns
    -------
    JudgePosterior
        Its ``answer`` has the bias of the judge, and what humans and judge find separately.

    Raises
    ------
    InputError
        Fewer than 20 labelled questions (or clusters of them); human differences that are all
        equal; bad numbers, a label too few, bad options.

    See Also
    --------
    cluster_bootstrap, bayescmp.compare

    Notes
    -----
    The posterior is approximated by Student's t with location θ, scale se and n − 1 degrees of
    freedom, se² = var(y − λf)/n + λ²·var(F)/N. The weight λ = cov(y, f)/((1 + n/N)·var(f and F)),
    within [0, 1], is 0 for a judge that does not follow the humans. With clusters the variances
    are of their contributions to the means. In simulations with a biased judge, 95% intervals
    cover the truth in 0.94 to 0.96 of studies with 50 to 200 labelled questions.

    References
    ----------
    Angelopoulos, Bates, Fannjiang, Jordan & Zrnic (2023), Prediction-powered inference, Science
    382:669-674; Angelopoulos, Duchi & Zrnic (2023), PPI++, arXiv:2311.01453, for λ.

    Examples
    --------
    >>> import bayescmp as bc
    >>> import numpy as np
    >>> rng = np.random.default_rng(1)
    >>> truth = rng.choice([-1, 0, 1], 1000, p=[0.3, 0.5, 0.2])
    >>> judge = np.maximum(truth, rng.choice([-1, 1], 1000, p=[0.8, 0.2]))
    >>> posterior = bc.bayesian.judge_corrected(truth[:100], judge[:100], judge[100:])
    >>> posterior.summary()["mean"].round(2).to_dict()
    {'delta': -0.11, 'human': -0.07, 'judge': 0.13, 'bias': 0.26}
    """
    human, source = order_source(human, names, "human")
    own = names if names is not None else source["names"]
    y = _read(human, "human")
    f = _read_like(judge, "judge", own, source["names"])
    other = _read_like(judge_only, "judge_only", own, source["names"])
    check_paired(human=human, judge=judge)
    if len(f) != len(y):
        raise must("judge", f"have a score for each of {len(y)} human ones", str(len(f)))
    labels = _read_clusters(clusters, len(y), len(other))
    return _correct(y, f, other, labels, rope, seed, source)


def judge_corrected_of_pair(
    x: ItemPair, *, rope: RopeLike | None = None, seed: Seed = None
) -> JudgePosterior:
    """Do `judge_corrected` for two models on one benchmark with human scores of some items."""
    check_one_benchmark(x, "judge_corrected", humans=True)
    if x.human is None:
        raise must(
            "x",
            "have human scores for judge_corrected",
            hint=f"Name their column with {arg('columns', {'human': ...})}.",
        )
    if x.judge is not None:
        raise InputError(NO_HUMANS, "x")
    y = x.human_x
    labelled = ~np.isnan(y)
    half = int((np.isnan(x.human).sum(axis=0) == 1).sum())
    order = np.r_[np.flatnonzero(labelled), np.flatnonzero(~labelled)]
    n, f = int(labelled.sum()), x.x[order]
    clusters = x.cluster if x.clustered else None
    posterior = _correct(
        y[order][:n],
        f[:n],
        f[n:],
        None if clusters is None else clusters[order],
        rope,
        seed,
        order_source(x, None)[1],
    )
    if not half:
        return posterior
    note = ONE_LABEL.format(questions=format_count(half, "question"))
    return replace(posterior, notes=(*posterior.notes, note))


def _read(x: Any, name: str) -> np.ndarray:
    """Read differences, or the scores of both models."""
    values = np.asarray(x)
    return check_vector(values[:, 1] - values[:, 0] if values.ndim == 2 else x, name=name, least=1)


def _read_like(x: Any, name: str, names: Sequence[str], known: tuple[str, str]) -> np.ndarray:
    """Read what is of the same two models as the human scores."""
    given = x
    x, source = order_source(x, names, name)
    if x is not given and set(source["names"]) != set(known):
        raise must(name, f"have the columns {known[0]!r} and {known[1]!r}", str(source["names"]))
    return _read(x, name)


def _read_clusters(clusters: ArrayLike | None, n: int, others: int) -> np.ndarray | None:
    if clusters is None:
        return None
    labels = np.asarray(clusters)
    if labels.shape != (n + others,):
        raise must(
            "clusters",
            f"have one label for each of {n + others} questions, the labelled first",
            f"shape {labels.shape}",
        )
    return np.asarray(np.unique(labels, return_inverse=True)[1])


def _correct(
    y: np.ndarray,
    f: np.ndarray,
    other: np.ndarray,
    clusters: np.ndarray | None,
    rope: RopeLike | None,
    seed: Seed,
    source: Json,
) -> JudgePosterior:
    """Return the posterior, with what a reader has to know of the judge."""
    answer, p = correct(y, f, other, clusters)
    notes = (_describe_bias(answer, source["names"]), ASSUMED)
    if p < ODD:
        labelled, judged = (f"{values.mean():.3g}" for values in (f, other))
        notes = (notes[0], DOUBTED.format(labelled=labelled, judged=judged, p=p))
    return JudgePosterior(
        answer=answer,
        rope=as_rope(rope),
        **name_closed_form(),
        seed=seed_of(seed),
        notes=notes,
        **source,
    )


def _describe_bias(answer: Corrected, names: tuple[str, str]) -> str:
    low, high = answer.interval_of(answer.bias, answer.bias_scale)
    ahead = answer.bias >= 0
    ends = (low, high) if ahead else (-high, -low)
    estimate, start, end = format_estimate(abs(answer.bias), ends)
    return BIAS.format(estimate=estimate, name=names[int(ahead)], low=start, high=end)


# The estimate: a mean that the judge makes more precise, and humans make right.


def correct(
    y: np.ndarray, f: np.ndarray, other: np.ndarray, clusters: np.ndarray | None = None
) -> tuple[Corrected, float]:
    """Correct a judge's mean by human scores; see `judge_corrected`.

    `y` and `f` (n,) are the humans' and the judge's scores of labelled questions, `other` (N,) the
    judge's of others, `clusters` (n + N,) of both. The second result is the p-value of the
    difference between the judge's means on both.
    """
    n, N = len(y), len(other)
    labels = np.arange(n + N) if clusters is None else clusters
    units = len(np.unique(labels[:n]))
    if units < FEWEST:
        found = format_count(n, "question") + (f" in {units} clusters" if units < n else "")
        kind = "clusters of labelled questions" if units < n else "labelled questions"
        raise must("human", f"have at least {FEWEST} {kind}", found, "Label more questions.")
    if len(np.unique(labels[n:])) < 2:
        raise must(
            "judge_only",
            "have at least two questions, or clusters of them",
            format_count(N, "question"),
            "If humans scored all of them, compare the human scores.",
        )
    if np.ptp(y) <= ROUNDING * np.abs(y).max():
        raise must(
            "human",
            "hold differences that vary",
            f"{format_count(n, 'question')} with the difference {y[0]:g}",
            "Label more questions.",
        )
    of_y, of_f, of_other = (
        contributions(x[:, None], own)[:, 0]
        for x, own in ((y, labels[:n]), (f, labels[:n]), (other, labels[n:]))
    )
    pooled = float(np.var(np.r_[of_f, of_other], ddof=1))
    shared = float(np.cov(of_y, of_f)[0, 1]) / (1 + len(of_f) / len(of_other))
    weight = min(max(shared / pooled, 0.0), 1.0) if pooled > 0 else 0.0
    of_all = contributions(np.r_[f, other][:, None], labels)[:, 0]
    answer = Corrected(
        labelled=n,
        judged=N,
        clusters=None if clusters is None else len(np.unique(labels)),
        weight=weight,
        location=float(weight * other.mean() + np.mean(y - weight * f)),
        scale=_error(of_y - weight * of_f, weight * of_other, labels, n),
        df=units - 1,
        human=float(y.mean()),
        human_scale=_error(of_y, None, labels, n),
        judge=float(of_all.mean()),
        judge_scale=float(of_all.std(ddof=1)) / len(of_all) ** 0.5,
        bias=float(np.mean(f - y)),
        bias_scale=_error(of_f - of_y, None, labels, n),
    )
    gap = _error(-of_f, of_other, labels, n)
    t = abs(f.mean() - other.mean()) / gap if gap > 0 else 0.0
    return answer, 2 * float(stdtr(units - 1, -t))


def _error(labelled: np.ndarray, other: np.ndarray | None, labels: np.ndarray, n: int) -> float:
    """Return the standard error of a mean over labelled questions plus one over others."""
    parts = np.zeros(int(labels.max()) + 1)
    for x, own in ((labelled, labels[:n]), (other, labels[n:])):
        if x is not None:
            K = len(x)
            parts[np.unique(own)] += (x - x.mean()) / np.sqrt(K * (K - 1))
    return float(np.sqrt(np.sum(parts**2)))


@dataclass(frozen=True, eq=False)
class Corrected(Record):
    """A judge's mean, corrected by human scores.

    Attributes
    ----------
    labelled, judged : int
        Questions with and without a human score.
    clusters : int or None
        Number of clusters of all questions, if there are any.
    weight : float
        λ, from 0 (the human scores alone) to 1.
    location, scale : float
        The corrected mean, and its standard error.
    df : int
        Degrees of freedom: labelled questions, or clusters of them, minus 1.
    human, human_scale, judge, judge_scale, bias, bias_scale : float
        Means, with standard errors, of the human scores, of the judge's over all questions
        (ignoring the bias), and of the judge's minus the humans' on the labelled ones.
    """

    labelled: int = field(metadata=about(least=1))
    judged: int = field(metadata=about(least=1))
    clusters: int | None
    weight: float = field(metadata=about(least=0))
    location: float
    scale: float = field(metadata=about(over=0))
    df: int = field(metadata=about(least=3))
    human: float
    human_scale: float = field(metadata=about(least=0))
    judge: float
    judge_scale: float = field(metadata=about(least=0))
    bias: float
    bias_scale: float = field(metadata=about(least=0))

    floor, exact = 1e-15, True

    @property
    def questions(self) -> int:
        """Number of questions."""
        return self.labelled + self.judged

    @property
    def share(self) -> float:
        """Proportion of the questions that have a human score."""
        return self.labelled / self.questions

    @property
    def size_text(self) -> str:
        """Number of questions and clusters, in words."""
        among = "" if self.clusters is None else f" in {format_count(self.clusters, 'cluster')}"
        return f"{format_count(self.questions, 'question')}{among}"

    def details(self, names: tuple[str, str]) -> str:
        """Return how many questions have a human score, in words."""
        return f"{self.labelled} with a human score ({self.share:.0%})"

    @property
    def prior_text(self) -> str:
        """There is no prior to state."""
        return ""

    @property
    def prior_numbers(self) -> Json:
        """No numbers: there is no prior."""
        return {}

    def vary_prior(self) -> Iterator[tuple[str, Corrected]]:
        """Yield nothing: there is no prior."""
        return iter(())

    def interval_of(self, location: float, scale: float, level: float = 0.95) -> Interval:
        """Return the central interval of a t distribution with the degrees of freedom here."""
        half = -float(stdtrit(self.df, (1 - level) / 2)) * scale
        return location - half, location + half

    @property
    def ends(self) -> tuple[float, float]:
        """δ has no bounds."""
        return -np.inf, np.inf

    def tail(self, x: float, upper: bool) -> tuple[float, float]:
        """P(δ > x) or P(δ < x), and its numerical error."""
        z = (x - self.location) / self.scale
        return float(stdtr(self.df, -z if upper else z)), 1e-15

    def quantile(self, p: float) -> float:
        """Return the quantile of δ."""
        return self.location + self.scale * float(stdtrit(self.df, p))

    def density(self) -> tuple[np.ndarray, np.ndarray]:
        """Return the density of δ on a grid."""
        x = np.linspace(self.quantile(1e-4), self.quantile(1 - 1e-4), 401)
        return x, np.gradient(stdtr(self.df, (x - self.location) / self.scale), x)

    def draw(self, seed: int) -> Mapping[str, np.ndarray]:
        """Return independent draws of δ, "delta" of shape (chain, draw)."""
        z = np.random.default_rng(seed).standard_t(self.df, (CHAINS, DRAWS))
        return {"delta": self.location + self.scale * z}

    def rows(self, interval: Interval) -> dict[str, dict[str, float]]:
        """Return the summary: δ, the means of humans and of the judge alone, and the bias."""
        named = {
            "delta": (self.location, self.scale),
            "human": (self.human, self.human_scale),
            "judge": (self.judge, self.judge_scale),
            "bias": (self.bias, self.bias_scale),
        }
        sd = (self.df / (self.df - 2)) ** 0.5
        return {
            name: row_of(at, scale * sd, at, *self.interval_of(at, scale))
            for name, (at, scale) in named.items()
        }


CORRECTED = ItemModel(
    kind="judge_corrected",
    method="Bayesian correction of a judge's scores by human scores",
    reference="Angelopoulos et al. 2023",
    answer=Corrected,
    fixed={"prior": "there is no prior to set"},
    unplanned=(
        "Label more questions: with twice as many human scores, the interval is up to 1.4 times "
        "narrower. More questions without a human score help less."
    ),
)


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class JudgePosterior(ItemPosterior):
    """Posterior of a mean difference by a judge's scores, corrected by human ones.

    Attributes
    ----------
    answer : Corrected
        The corrected mean; what humans and judge find separately; the judge's bias.

    Examples
    --------
    >>> import bayescmp as bc
    >>> human = [1, 0, 0, 1, -1, 0, 1, 1, 0, 0, 1, 0, -1, 0, 1, 0, 0, 1, 0, 1]
    >>> judge = [1, 0, 1, 1, -1, 0, 1, 1, 0, 0, 1, 0, 0, 0, 1, 1, 0, 1, 0, 1]
    >>> posterior = bc.bayesian.judge_corrected(human, judge, judge * 10)
    >>> posterior.bias, round(posterior.weight, 2)
    (0.15, 0.86)
    """

    model: ItemModel = CORRECTED

    @property
    def data_text(self) -> str:
        """The questions, and how many have a human score."""
        return f"{self.size_text}, {self.details}"

    @property
    def data_details(self) -> str:
        """The same, with the benchmark."""
        return self.data_text + (f" ({self._dataset})" if self._dataset else "")

    def _vary(self, datasets: bool, refit: bool) -> Iterator[Variation]:
        """Yield what the human scores show alone."""
        a, rope = self.answer, self.rope
        assert isinstance(rope, Rope)
        yield "model", "human scores alone", split_student(a.df, a.human, a.human_scale, rope)
