"""Two models on the same items: what their tests share, and right and wrong answers counted."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import betainc, betaincc, betaincinv, betaln, xlog1py, xlogy

from bayescmp.base.arguments import must, must_be
from bayescmp.base.checks import (
    Seed,
    are_swapped,
    check_level,
    check_names,
    check_unused,
    read_numbers,
    seed_of,
)
from bayescmp.base.fields import about
from bayescmp.base.records import Record, read_only
from bayescmp.base.typing import Json, Variation
from bayescmp.errors import InputError
from bayescmp.items.pair import ItemPair
from bayescmp.results.arviz import row_of
from bayescmp.results.plan import ItemPlan, QuestionDifference
from bayescmp.results.posterior import (
    CHAINS,
    DRAWS,
    Model,
    Posterior,
    name_closed_form,
    split_mass,
)
from bayescmp.results.verdict import Interval
from bayescmp.scores.frames import is_labelled, pair_of
from bayescmp.scores.pairing import AS_GIVEN, BY_QUESTION
from bayescmp.scores.rope import Rope, RopeLike, as_rope
from bayescmp.wording.text import format_count, format_exactly, words_of

# Shared parts of the tests of two models on the same items: reading them, posteriors' words.


@dataclass(frozen=True, kw_only=True)
class ItemModel(Model):
    """A test of two models on the same items, as data; `answer` is the class of its result."""

    target: str = "new questions of {p.dataset}"
    target_unnamed: str = "new questions"
    shows: tuple[str, ...] = ("density",)
    picture: str = "plot_density"


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class ItemPosterior(Posterior):
    """Posterior of δ, the mean difference over a benchmark's questions.

    All attributes of its answer are attributes of the posterior too.

    Attributes
    ----------
    dataset : str
        The benchmark; "" if it has no name.
    answer : Proportions, Clusters or Drawn
        δ's distribution (``ends``, ``tail``, ``quantile``, ``density``, ``draw``, ``rows``,
        ``others``), the least probability that it tells from 0 (``floor``), whether it is
        ``exact``, and ``questions``, ``size_text``, ``details`` and ``prior_text``.

    Examples
    --------
    >>> import bayescmp as bc
    >>> posterior = bc.bayesian.paired_proportions([[40, 5], [14, 25]], rope=0.02)
    >>> round(posterior.quantile(0.5), 3)
    0.104
    >>> posterior.plan(questions=[200, 800]).frame["decided"].is_monotonic_increasing
    True
    """

    model: ItemModel
    dataset: str
    answer: Any

    def __getattr__(self, name: str) -> Any:  # of the record
        if name.startswith("_") or name == "answer" or not hasattr(self.answer, name):
            raise AttributeError(f"{type(self).__name__} has no {name!r}", name=name, obj=self)
        return getattr(self.answer, name)

    @cached_property
    def draws(self) -> Mapping[str, np.ndarray]:
        """Independent draws of δ, "delta" of shape (chain, draw), and of its parts."""
        draws: Mapping[str, np.ndarray] = self.answer.draw(self.seed)
        return read_only(draws)

    @property
    def prior_text(self) -> str:
        """The prior in words."""
        return str(self.answer.prior_text)

    @property
    def details(self) -> str:
        """More to say about the data, in words."""
        return str(self.answer.details(self.names))

    def without(self, left_out: np.ndarray) -> ItemPosterior:
        """Answer for the clusters that remain, in `cluster_bootstrap`; see `Clusters.without`."""
        if not hasattr(self.answer, "without"):
            raise InputError(
                f"The {self.method} has no clusters to leave out. Use "
                "bayescmp.bayesian.cluster_bootstrap, or a fit of fewer questions."
            )
        return replace(self, answer=self.answer.without(left_out), notes=())

    def prior_facts(self) -> Json:
        """Return the prior as words and plain numbers, for JSON."""
        return {**super().prior_facts(), **self.answer.prior_numbers}

    def tail(self, x: float, *, upper: bool) -> tuple[float, float]:
        """P(δ > x), or P(δ < x) unless ``upper``, and its numerical error."""
        if np.isinf(x):  # an infinite bound of a ROPE
            beyond = (x < 0) == upper
            return float(beyond), 0.0
        mass, error = self.answer.tail(x, upper)
        return mass, error

    def density(self) -> tuple[np.ndarray, np.ndarray]:
        """Return the density of δ on a grid, both in units of the metric."""
        x, density = self.answer.density()
        return x, density

    def quantile(self, p: float) -> float:
        """Return the posterior quantile of δ at p in (0, 1)."""
        return float(self.answer.quantile(check_level(p, "p")))

    @cached_property
    def interval(self) -> Interval:
        """Central 95% interval of δ."""
        return self.quantile(0.025), self.quantile(0.975)

    @property
    def difference(self) -> QuestionDifference:
        """Mean and variance of δ, and the number of questions."""
        mean, sd = self.summary().loc["delta", ["mean", "sd"]].to_numpy(float)
        return QuestionDifference(self.names, float(mean), float(sd) ** 2, self.questions)

    def plan(
        self,
        first: str | None = None,
        second: str | None = None,
        *,
        questions: Iterable[int] = (0, 100, 200, 500, 1000, 2000),
        epochs: Iterable[int] | None = None,
        seen_epochs: int = 1,
        within: float | None = None,
        threshold: float = 0.95,
        power: float = 0.8,
    ) -> ItemPlan:
        """Predict how many more questions, or answers to each, decide the verdict.

        The later mean difference is normal around today's with variance V − V', where V is today's
        and V' = (σ²_b + σ²_w/k)/n what n questions with k epochs leave. Clusters grow in number.

        Parameters
        ----------
        first, second : str, optional
            The two models, in either order.
        questions : iterable of int
            Numbers of further questions.
        epochs : iterable of int, optional
            Numbers of answers of each model to every question, existing ones included; by default
            these.
        seen_epochs : int
            Number of answers that each existing score is the mean of.
        within : float, optional
            σ²_w, the variance of a question's difference over single answers: needed for epochs.
        threshold, power : float
            Probability required for a decision, and that with which the detectable difference is
            decided.

        Returns
        -------
        ItemPlan
            With a frame, ``further()``, ``needed()``, ``cheapest()`` and ``explain()``.

        Raises
        ------
        InputError
            Numbers outside their ranges; epochs without within; a variance that does not shrink
            so.

        See Also
        --------
        bayescmp.plan_items, bayescmp.frequentist.mcnemar

        References
        ----------
        Miller (2024), Adding error bars to evals, arXiv:2411.00640, section 5.
        """
        self.name_pair(first, second)
        if self.unplanned:
            return super().plan()
        from bayescmp.study.planning.means import plan_of_items

        return plan_of_items(
            self.difference,
            self.rope,
            questions=questions,
            epochs=epochs,
            seen_epochs=seen_epochs,
            within=within,
            threshold=threshold,
            power=power,
        )

    def weigh_tails(self, rope: RopeLike | None = None) -> tuple[np.ndarray, list[float]]:
        """Return the probabilities of the regions, which its tails tell, and their errors."""
        region = self._region(rope)
        left, below = self.tail(region.low, upper=False)
        right, above = self.tail(region.high, upper=True)
        p = split_mass(left, right, region)
        return p / p.sum(), [below, below + above, above]

    def _weigh_regions(self, rope: Rope) -> Json:
        p, errors = self.weigh_tails(rope)
        return {
            "p": p,
            "errors": errors,
            "estimate": (self.quantile(0.5),),
            "mean_interval": (self.interval,),
            "floor": self.answer.floor,
            "exact": self.answer.exact,
        }

    def _vary(self, datasets: bool, refit: bool) -> Iterator[Variation]:
        """Yield other weights of the prior, or of the clusters."""
        for setting, other in self.answer.vary_prior():
            yield "prior", setting, replace(self, answer=other).weigh_tails()[0]

    def _summary_rows(self) -> dict[str, dict[str, float]]:
        return self.answer.rows(self.interval)

    @property
    def data_details(self) -> str:
        """The size of the data, their benchmark, and more about them."""
        of_dataset = f" of {self.dataset}" if self.dataset else ""
        more = f": {self.details}" if self.details else ""
        return f"{self.size_text}{of_dataset}{more}"

    @property
    def own_draws(self) -> int:
        """Number of independent draws; 0 in closed form."""
        return 0 if self.answer.exact else round(1 / self.answer.floor)


def solve_quantile(answer: Any, p: float) -> float:
    """Find the quantile of a distribution that is known by its tails."""
    from scipy.optimize import brentq  # takes longer to import than many models to compare

    low, high = answer.ends
    upper = p > 0.5

    def beyond(x: float) -> float:
        mass: float = answer.tail(x, upper)[0]
        return (1 - p) - mass if upper else mass - p

    if beyond(low) >= 0 or beyond(high) <= 0:
        return float(low if beyond(low) >= 0 else high)
    return float(brentq(beyond, low, high, xtol=1e-14 * (high - low), rtol=1e-13))


def check_one_benchmark(x: ItemPair, test: str, *, humans: bool = False) -> ItemPair:
    """Return a pair of one benchmark; refuse human scores unless the test takes `humans`."""
    if not humans:
        x.check_no_humans()
    if len(x.benchmarks) > 1:
        raise must(
            "x",
            f"have one benchmark for {test}",
            str(len(x.benchmarks)),
            "Pick it with x.on(name), or compare them all by bayescmp.compare, which takes the "
            "hierarchical test.",
        )
    return x


def order_source(x: Any, names: Sequence[str] | None, name: str = "x") -> tuple[Any, Json]:
    """Put items of two models in this order, with what a posterior keeps; counts stay (2, 2)."""
    if not isinstance(x, ItemPair):
        own = check_names(names)
        counts = is_labelled(x) and np.shape(x) == (2, 2)
        if not counts and (pair := pair_of(x, name, "block")):
            x, own = pair[:2]
            if are_swapped(names, own):
                x, own = x[:, ::-1], own[::-1]
        return x, {"names": own, "dataset": "", "pairing": AS_GIVEN, **words_of("benchmark")}
    x = x.swapped() if are_swapped(names, x.names) else x
    return x, {
        "names": x.names,
        "dataset": x.benchmarks[0] if x.benchmarks != ("benchmark",) else "",
        "metric": x.direction.metric,
        "directions": (x.direction,),
        "pairing": BY_QUESTION,
        "left_out": x.left_out,
        **words_of("benchmark"),
    }


# Two models' right and wrong answers to the same items: the Dirichlet of the counts.


def paired_proportions(
    first: ItemPair | ArrayLike,
    second: ArrayLike | None = None,
    *,
    rope: RopeLike | None = None,
    prior: ArrayLike = 0.5,
    names: Sequence[str] | None = None,
    seed: Seed = None,
) -> ItemPosterior:
    """Bayesian comparison of two accuracies on the same items.

    Probabilities of right for both, only the first, only the second, neither, are θ ~
    Dirichlet(prior + counts), and δ = θ(only second) − θ(only first). With the default prior, ½ in
    each cell, either accuracy has a uniform prior.

    Parameters
    ----------
    first, second : array_like of bool, shape (n,)
        Whether each model answered each item right. Or only ``first``: an `ItemPair` of one
        benchmark, a DataFrame with one column per model, or counts [[both, only first], [only
        second, neither]].
    rope : float or (float, float), optional
        Region of practical equivalence, in accuracy; by default the direction is judged.
    prior : float or array_like of shape (2, 2)
        Weight of each cell, in items, > 0, in the order of the counts.
    names : (str, str), optional
        The two models, in the order of the differences.
    seed : int or numpy Generator, optional
        Of ``draws``; nothing else is random.

    Returns
    -------
    ItemPosterior

    Raises
    ------
    InputError
        Scores that are not right or wrong, samples that differ in length, no items, several
        benchmarks, bad options.

    See Also
    --------
    cluster_bootstrap, confusion, bayescmp.frequentist.mcnemar

    References
    ----------
    Agresti & Min (2005), Biometrics 61:515-523; Bowyer, Aitchison & Ivanova (2025),
    arXiv:2503.01747, for why not the normal approximation.

    Examples
    --------
    Among 84 questions, 14 are right only for the second model and 5 only for the first:

    >>> import bayescmp as bc
    >>> posterior = bc.bayesian.paired_proportions([[40, 5], [14, 25]], rope=0.02)
    >>> verdict = posterior.verdict()
    >>> round(verdict.p_right, 3), verdict.decision
    (0.956, 'second')
    """
    given = first
    first, source = order_source(given, names, "first")
    if first is not given and second is None and isinstance(first, np.ndarray):
        first, second = first.T
    if isinstance(first, ItemPair):
        check_unused("an ItemPair has both models' answers", second=second)
        counts = check_one_benchmark(first, "paired_proportions").counts()
    else:
        from bayescmp.frequentist.items import counts_of  # scipy.stats takes half a second

        counts = counts_of(first, second)
    if counts.sum() == 0:
        raise must("first", "count at least one item", "only zeros")
    return ItemPosterior(
        model=PROPORTIONS,
        answer=Proportions(counts.astype(float), _prior(prior)),
        rope=as_rope(rope),
        **name_closed_form(),
        seed=seed_of(seed),
        **source,
    )


def _prior(prior: ArrayLike) -> np.ndarray:
    values = read_numbers(prior, "prior", "a number > 0, or a (2, 2) table of them")
    good = values.shape in ((), (2, 2)) and bool(np.all((values > 0) & (values <= 1e9)))
    if not good:
        raise must_be(
            "prior",
            "a weight in items, over 0 and at most 1e9, or a (2, 2) table of them as "
            "the counts have it",
            prior,
        )
    return np.array(np.broadcast_to(values, (2, 2)))


@dataclass(frozen=True, eq=False)
class Proportions(Record):
    """The difference of two accuracies, by [[both, only first], [only second, neither]]."""

    counts: np.ndarray = field(metadata=about())
    prior: np.ndarray = field(metadata=about())

    floor, exact, ends = 1e-15, True, (-1.0, 1.0)

    @property
    def weights(self) -> np.ndarray:
        """Parameters of the Dirichlet posterior, shape (2, 2)."""
        return self.counts + self.prior

    @property
    def prior_text(self) -> str:
        """The prior in words."""
        return f"Dirichlet({', '.join(format_exactly(weight) for weight in self.prior.ravel())})"

    @property
    def prior_numbers(self) -> Json:
        """The prior as plain numbers, for JSON."""
        return {"weights": self.prior.tolist()}

    @property
    def questions(self) -> int:
        """Number of questions."""
        return int(self.counts.sum())

    @property
    def size_text(self) -> str:
        """Number of questions, in words."""
        return format_count(self.questions, "question")

    def details(self, names: tuple[str, str]) -> str:
        """Return the table of counts, in words."""
        (both, first), (second, neither) = self.counts.astype(int)
        one, other = names
        return (
            f"right for both {both}, only for {one} {first}, only for {other} {second}, for "
            f"neither {neither}"
        )

    def tail(self, x: float, upper: bool) -> tuple[float, float]:
        """P(δ > x) or P(δ < x), and its numerical error."""
        first, second = self.weights[0, 1], self.weights[1, 0]
        agree = float(self.weights[0, 0] + self.weights[1, 1])
        for_it, against = (second, first) if upper else (first, second)
        beyond = x if upper else -x
        if beyond >= 0:
            return upper_tail(for_it, against, agree, beyond)
        mass, error = upper_tail(against, for_it, agree, -beyond)
        return 1 - mass, error

    def quantile(self, p: float) -> float:
        """Return the quantile of δ."""
        return solve_quantile(self, p)

    def vary_prior(self) -> Iterator[tuple[str, Proportions]]:
        """Yield what is found under other priors, each with its words."""
        for weight, words in ((0.1, "a tenth"), (1.0, "one"), (2.0, "two")):
            yield f"{words} in each cell", replace(self, prior=np.full((2, 2), weight))

    def density(self) -> tuple[np.ndarray, np.ndarray]:
        """Return the density of δ on a grid."""
        x = np.linspace(self.quantile(1e-4), self.quantile(1 - 1e-4), 201)
        below = np.array([self.tail(at, False)[0] for at in x])
        return x, np.gradient(below, x)

    def draw(self, seed: int) -> Mapping[str, np.ndarray]:
        """Independent draws of the accuracies "first" and "second" and of "delta", by chain."""
        rng = np.random.default_rng(seed)
        theta = rng.dirichlet(self.weights.ravel(), (CHAINS, DRAWS))
        accuracy = {
            "first": theta[..., 0] + theta[..., 1],
            "second": theta[..., 0] + theta[..., 2],
        }
        return {**accuracy, "delta": theta[..., 2] - theta[..., 1]}

    def rows(self, interval: Interval) -> dict[str, dict[str, float]]:
        """Return the summary's numbers, of δ and of the accuracies."""
        w, total = self.weights, float(self.weights.sum())
        p_first, p_second = w[0, 1] / total, w[1, 0] / total
        variance = (p_first + p_second - (p_second - p_first) ** 2) / (total + 1)
        middle = self.quantile(0.5)
        rows = {"delta": row_of(p_second - p_first, np.sqrt(variance), middle, *interval)}
        for name, right in (("first", w[0].sum()), ("second", w[:, 0].sum())):
            mean = float(right / total)
            sd = np.sqrt(mean * (1 - mean) / (total + 1))
            rows[name] = row_of(mean, sd, *betaincinv(right, total - right, [0.5, 0.025, 0.975]))
        return rows


PROPORTIONS = ItemPosterior.answering(
    ItemModel(
        kind="paired_proportions",
        method="Bayesian comparison of paired proportions",
        reference="Agresti & Min 2005",
        quantity="difference in accuracy",
        answer=Proportions,
    )
)


#: Tanh-sinh nodes, as distances from the lower endpoint in half-widths of the interval, the weight
#: of each, and the step between them.
_STEP = 0.02
_T = _STEP * np.arange(-180, 181)
_FROM_LOW = 2 / (1 + np.exp(-np.pi * np.sinh(_T)))
_WEIGHT = np.pi / 2 * np.cosh(_T) / np.cosh(np.pi / 2 * np.sinh(_T)) ** 2


def upper_tail(a: float, b: float, c: float, x: float) -> tuple[float, float]:
    """P(θ_a − θ_b > x) for (θ_a, θ_b, θ_c) ~ Dirichlet(a, b, c) and x >= 0, and its error.

    s = θ_a + θ_b ~ Beta(a + b, c) and u = θ_a / s ~ Beta(a, b) are independent: the probability is
    E[P(u > (1 + x/s) / 2)], s > x, by tanh-sinh nodes; the error is the change from half of them.
    """
    if x == 0:
        return float(betaincc(a, b, 0.5)), 1e-15
    tiny = 1e-18
    low = max(x, float(betaincinv(a + b, c, tiny)))
    high = 1 - float(betaincinv(c, a + b, tiny))
    if low >= high:
        return 0.0, tiny
    half = (high - low) / 2
    s = low + half * _FROM_LOW
    log_density = xlogy(a + b - 1, s) + xlog1py(c - 1, -s) - betaln(a + b, c)
    below = np.clip((s - x) / (2 * s), 0, 1)  # of 1 − u
    terms = np.where(s < 1, np.exp(log_density) * betainc(b, a, below) * half * _WEIGHT, 0.0)
    whole, coarse = terms.sum() * _STEP, terms[::2].sum() * 2 * _STEP
    return float(min(whole, 1.0)), float(abs(whole - coarse)) + 1e-15
