"""The joint hierarchical correlated t test: several algorithms on several data sets."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property, partial

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike
from scipy.special import stdtr

from bayescmp.base.arguments import must
from bayescmp.base.checks import (
    RhoLike,
    Seed,
    flag,
    instance,
    optional,
    seed_of,
    text,
    validate_params,
)
from bayescmp.base.fields import about
from bayescmp.base.magnitudes import ROUNDING
from bayescmp.base.typing import Json, Pair, PairVariation
from bayescmp.bayesian.hierarchical.fit import hierarchical_t
from bayescmp.bayesian.joint.clouds import Cloud
from bayescmp.bayesian.joint.problem import (
    ADAPT_DELTA,
    JUDGED,
    MODEL,
    WARMUP,
    Contrasts,
    FoldNoise,
    JointPrior,
    JointProblem,
    pose,
    program_data,
    true_means,
)
from bayescmp.bayesian.joint.standings import AVERAGE, StandingsModel, StandingsPosterior
from bayescmp.bayesian.joint.table import FoldTable, as_shared_rope, in_order, order_of, read_table
from bayescmp.bayesian.sampling import check_settings, reweigh_setting, sample
from bayescmp.engines.base import find_engine
from bayescmp.results.arviz import ess, rhat, summarise_draws, summary_frame, summary_row
from bayescmp.results.posterior import name_engine
from bayescmp.results.verdict import DatasetSpread, winners
from bayescmp.scores.differences import Differences
from bayescmp.scores.resampling import other_rhos
from bayescmp.scores.rope import Rope, RopeLike
from bayescmp.scores.scores import Scores
from bayescmp.wording.text import words_of

#: Variables of the program from which the data sets' effects are drawn.
KEPT = ("mu", "Sigma0", "kappa", "lambda")


@validate_params(
    metric=optional(text),
    prior=optional(instance("a JointPrior", "bayescmp.bayesian.joint.problem:JointPrior")),
    progress=flag,
)
def joint_t(
    scores: Scores | ArrayLike,
    *,
    metric: str | None = None,
    rope: RopeLike | None = None,
    rho: RhoLike | None = None,
    prior: JointPrior | None = None,
    engine: str = "auto",
    seed: Seed = None,
    lower_is_better: bool = False,
    chains: int = 4,
    warmup: int = WARMUP,
    draws: int = 1000,
    adapt_delta: float = ADAPT_DELTA,
    progress: bool = False,
) -> JointPosterior:
    """Find the best of several algorithms by one hierarchical model of all of them.

    Folds are normal with correlated errors, as in `hierarchical_t`; the effects of all algorithms
    on a data set come from one multivariate t distribution over data sets. Every pair's next
    difference is then Student's t. First places, ranks, sets and pairs are computed from the same
    draws. Two algorithms are compared by `hierarchical_t` itself.

    Parameters
    ----------
    scores : Scores, or array_like of shape (q, n, L)
        n >= 2 folds of L algorithms on q >= 2 data sets. NaN where an algorithm was not run, for
        reasons assumed to be unrelated to its scores.
    metric : str, optional
        Of several in `Scores`.
    rope : float, optional
        Half-width of the region of practical equivalence; by default the direction is judged.
    rho : float, array_like of shape (q,) or mapping of data set to float, optional
        Correlation of two folds' differences; taken from the table if not given.
    prior : JointPrior, optional
        For three algorithms or more.
    engine : str
        "auto", or one of `bayescmp.engines.engines` that fits this model ("quadrature" for two).
    seed : int or numpy Generator, optional
        The same seed gives the same numbers on the same engine.
    lower_is_better : bool
        For plain numbers.
    chains, warmup, draws, adapt_delta, progress
        Settings of the sampler. The built-in one makes as many sweeps as it takes, at most four
        for every iteration of warm-up and draws.

    Returns
    -------
    JointPosterior

    Raises
    ------
    InputError
        Bad scores or options; one data set only (see `groups`); no folds (see `bootstrap`); an
        algorithm that was run on one data set only; algorithms that no common data sets link.
    EngineError, EngineNotFound
        If the engine named cannot fit the model or is not installed.

    Warns
    -----
    DiagnosticWarning
        If diagnostics of any effect, of ν or of the scale of any pair failed.

    See Also
    --------
    hierarchical_t, bootstrap, groups, bayescmp.frequentist.friedman

    Notes
    -----
    With three folds per algorithm or more, each data set's own scatter is used, and every pair has
    the kernel of the test of two. With fewer, the covariance of the folds' noise is pulled towards
    a shape common to the data sets.

    Effects on single data sets are pulled towards the average, and the averages towards one
    another, the more so the more algorithms there are, by a normal prior with nearly flat variance
    (Stein's harmonic prior); otherwise the luckiest of many similar algorithms would be called
    best too often. In simulations P(best) was calibrated, unless algorithms differed by less than
    data sets did and these were few: it was then overconfident, and the result reports this.

    References
    ----------
    Corani, Benavoli, Demšar, Mangili & Zaffalon (2017), Machine Learning 106:1817-1837, section 3;
    Gelman, Hill & Yajima (2012), Journal of Research on Educational Effectiveness 5:189-211, for
    why nothing is adjusted for multiplicity; Komaki (2001), Biometrika 88:859-864, for the prior
    of the averages.

    Examples
    --------
    >>> import bayescmp as bc
    >>> x = [[[0.80, 0.82], [0.78, 0.81], [0.79, 0.83]],
    ...      [[0.90, 0.91], [0.92, 0.95], [0.91, 0.92]],
    ...      [[0.70, 0.69], [0.72, 0.75], [0.71, 0.76]]]
    >>> posterior = bc.bayesian.joint_t(x, rho=1 / 3, rope=0.01, seed=1)
    >>> round(posterior.best()["A2"], 1)
    0.8
    """
    table = read_table(
        scores,
        metric=metric,
        rho=rho,
        test="the joint test",
        folds=True,
        lower_is_better=lower_is_better,
    )
    region = as_shared_rope(rope)
    chosen_prior = prior or JointPrior()
    settings = check_settings(chains, warmup, draws, adapt_delta)
    number = seed_of(seed)
    if table.L == 2:
        return _of_two(table, region, engine, number)
    _check_differences(table)
    chosen = find_engine(engine, MODEL)
    ordered, order = in_order(table)
    problem = pose(ordered, chosen_prior)
    fit, diagnostics = sample(chosen, problem.request(number, settings, progress), JUDGED)
    facts = _facts(table, region)
    facts |= order.restore_order(_in_units(problem, fit.draws, number))
    posterior = JointPosterior(
        **facts,
        prior_words=chosen_prior.in_words(f"K = {problem.data['K']}", problem.scale),
        **name_engine(fit, diagnostics, number),
        notes=(*table.notes, *_notes(problem, table.unit)),
        sample_stats=fit.sample_stats,
        contrasts=Contrasts.from_problem(problem, ordered, order, chosen_prior),
    )
    posterior.warn_if_doubtful()
    if not posterior.caveat:
        return posterior
    note = TOO_SURE.format(posterior.subject, posterior.unit)
    return replace(posterior, notes=(*posterior.notes, note))


def _check_differences(table: FoldTable) -> None:
    """Refuse scores that never differ: there is nothing to model."""
    spread = np.nanmax(table.x, axis=2, initial=-np.inf) - np.nanmin(
        table.x, axis=2, initial=np.inf
    )
    if not (spread > ROUNDING * np.nanmax(np.abs(table.x))).any():
        raise must(
            "scores",
            "differ between algorithms in a fold, to show how data sets differ",
            "the same score of all in every fold",
            "bayescmp.bayesian.bootstrap reports that all are equivalent.",
        )


def _facts(table: FoldTable, rope: Rope) -> Json:
    return {**table.described(), "seen": table.seen, "means": table.means, "rope": rope}


def _notes(problem: JointProblem, unit: str) -> list[str]:
    weight = problem.noise.weight
    if not weight:
        return []
    return [
        f"few folds: each {unit}'s covariance of the folds is pulled to the shape that {unit}s "
        f"have in common, which counts as {weight:g} folds"
    ]


def _in_units(
    problem: JointProblem, draws: Mapping[str, np.ndarray], seed: int
) -> dict[str, np.ndarray]:
    """Return draws in units of the metric, with the data sets' effects, which all sum to zero."""
    shape = draws["nu"].shape
    flat = {name: draws[name].reshape(-1, *draws[name].shape[2:]) for name in KEPT}
    u = true_means(problem.data, flat, np.random.default_rng([seed, 3]))
    u -= u.mean(axis=-1, keepdims=True)
    return {
        "mu": draws["mu"] * problem.scale,
        "Sigma0": draws["Sigma0"] * problem.scale**2,
        "nu": draws["nu"],
        "u": u.reshape(*shape, *u.shape[1:]) * problem.scale,
    }


def _of_two(table: FoldTable, rope: Rope, engine: str, seed: int) -> JointPosterior:
    """Fit the pairwise test, whose draws are also draws of the joint model of two."""
    both = [[table.x[i, : table.n[i], k] for i in range(table.q)] for k in range(2)]
    first, second = table.algorithms
    x = Differences.from_arrays(
        *both,
        rho=table.rho,
        names=(first, second),
        datasets=table.datasets,
        metric=table.metric,
        unit=table.unit,
    )
    pair = hierarchical_t(x, rope=rope, engine=engine, seed=seed)
    draws = {name: np.asarray(pair.draws[name]) for name in ("delta0", "sigma0", "nu", "delta")}
    halves = np.array([-0.5, 0.5])
    variance = draws["sigma0"][..., None, None] ** 2 * np.eye(2) / 2
    note = f"two {words_of(table.unit)['subject']}s: the pairwise test itself, hierarchical_t"
    return JointPosterior(
        **_facts(table, rope),
        mu=draws["delta0"][..., None] * halves,
        Sigma0=variance,
        nu=draws["nu"],
        u=draws["delta"][..., None] * halves,
        prior_words=pair.prior_text,
        **pair.computation,
        notes=(*table.notes, note, *pair.notes),
        sample_stats={},
    )


# When probabilities of being best, by the joint model, are too high.


#: The warning, with names for the algorithms and the data sets.
TOO_SURE = (
    "The {}s differ on average by less than the {}s do, and there are few of the latter. In "
    "simulations of this situation, probabilities of being best were too high."
)
#: Most data sets with which simulated probabilities of being best were too high.
FEW = 20


def is_too_sure(mu: np.ndarray, Sigma0: np.ndarray, datasets: int) -> bool:
    """Return whether P(best) is likely to be too high, from draws of μ (D, L) and Σ0 (D, L, L).

    In simulations it was, if algorithms differed on average by less than data sets do, and these
    were few. In the test of two, neither is the luckiest of many.
    """
    L = mu.shape[-1]
    if L == 2 or datasets > FEW:
        return False
    spread = np.trace(Sigma0, axis1=1, axis2=2) - Sigma0.sum(axis=(1, 2)) / L  # of contrasts
    return bool(np.median(mu.var(axis=1) * L / spread) < 1)


# Every pair's difference on a data set that was seen, from draws of the true effects there.


#: Batches of each chain, whose means show a probability's precision.
BATCHES = 10


def summarise_differences(d: np.ndarray, rope: Rope) -> dict[str, np.ndarray]:
    """Return means, 95% intervals and probabilities of P differences, (P,), from draws."""
    low, high = np.quantile(d, [0.025, 0.975], axis=(0, 1))
    sides = {
        "left": d < rope.low,
        "rope": (rope.low <= d) & (d <= rope.high),
        "right": d > rope.high,
    }
    columns = {"mean": d.mean(axis=(0, 1)), "low": low, "high": high}
    columns |= {f"p_{side}": there.mean(axis=(0, 1)) for side, there in sides.items()}
    return columns | {f"se_{side}": _batch_errors(inside) for side, inside in sides.items()}


def _batch_errors(inside: np.ndarray) -> np.ndarray:
    """Standard errors of shares by the means of batches of neighbouring draws, none of them 0."""
    means = [part.mean(axis=1) for part in np.array_split(inside, BATCHES, axis=1)]
    batches = np.concatenate(means)
    draws = inside.shape[0] * inside.shape[1]
    error = batches.std(axis=0, ddof=1) / np.sqrt(len(batches))
    return np.asarray(np.maximum(error, 0.5 / draws**1.5))


# Another fit of data sets as the joint model saw them, under other assumptions.


def fit_again(posterior: JointPosterior, contrasts: Contrasts) -> JointPosterior:
    """Fit the upper level of the same algorithms to other data sets or under another prior.

    The posterior lends its engine, seed, chains, draws, and the prior's unit. Warns if diagnostics
    fail; `EngineNotFound` if a posterior from a file has no engine here.
    """
    order = order_of(contrasts.means, contrasts.n, contrasts.rho)
    problem = _pose_contrasts(contrasts.reorder(order))
    chains, draws = posterior.nu.shape
    settings = check_settings(chains, WARMUP, draws, ADAPT_DELTA)
    request = problem.request(posterior.seed, settings)
    fit, diagnostics = sample(find_engine(posterior.engine, MODEL), request, JUDGED)
    back = np.argsort(order.algorithms)
    other = replace(
        posterior,
        mu=fit.draws["mu"][..., back] * problem.scale,
        Sigma0=fit.draws["Sigma0"][..., back[:, None], back] * problem.scale**2,
        nu=fit.draws["nu"],
        contrasts=contrasts,
        diagnostics=diagnostics,
        sample_stats=fit.sample_stats,
    )
    other.warn_if_doubtful()
    return other


def _pose_contrasts(contrasts: Contrasts) -> JointProblem:
    """Return the program's data, in units of the fit's."""
    c, scale = contrasts, float(contrasts.scale_prior[-1])
    pad = (~c.B.any(axis=2)).astype(float)
    noise = FoldNoise(c.y, c.B, c.C, pad, c.dof, weight=0.0)
    columns = int(c.scale_prior[0])
    return JointProblem(program_data(noise, c.means, scale, c.prior, columns), scale, noise)


# The joint model under other assumptions, by reweighting its draws or by another fit.


#: Draws that are reweighted by likelihoods, at most.
MOST = 1000
#: Another prior of ν − offset: Gamma of this shape and rate (Juárez & Steel 2010).
WEAK = 2.0, 0.1
#: Scale and floor with which the prior of μ is flat.
FLAT = 1e6, 1e6


@dataclass(frozen=True, eq=False)
class JointChange:
    """Data under a different assumption: `question`, `setting`, perhaps a `dropped` data set."""

    question: str
    setting: str
    contrasts: Contrasts
    dropped: int | None = None


def list_changes(contrasts: Contrasts, names: tuple[str, ...]) -> Iterator[JointChange]:
    """Yield other priors of ν and μ, other correlations, and each data set named left out."""
    (a, b), offset = WEAK, float(contrasts.nu_prior[-1])
    weak = replace(contrasts, nu_prior=np.array([a, a, b, b, offset]))
    yield JointChange("prior", f"ν − {offset:g} ~ Gamma({a:g}, {b:g})", weak)
    yield JointChange("prior", "μ flat", replace(contrasts, mean_prior=np.array(FLAT)))
    for rho in other_rhos(float(np.median(contrasts.rho))):
        yield JointChange("rho", f"{rho:.3g}", contrasts.with_rho(rho))
    for i, name in enumerate(names if len(contrasts.y) > 2 else ()):
        yield JointChange("without", name, contrasts.without(i), i)


def reweigh(
    posterior: JointPosterior, contrasts: Contrasts, *, datasets: bool, refit: bool
) -> Iterator[PairVariation]:
    """Vary the assumptions as `Fitted.pair_variations` does, with k-hat of the weights."""
    shares, mu, nu = posterior._shares(), posterior.mu, posterior.nu
    every = max(nu.size // MOST, 1)
    few = tuple(x[:, ::every] for x in (posterior.mu, posterior.Sigma0, nu))
    own = contrasts.log_likelihood(*few)
    for change in list_changes(contrasts, posterior.datasets if datasets else ()):
        other, thin = change.contrasts, every
        if change.question == "prior":
            ratios, thin = other.log_prior(mu, nu) - contrasts.log_prior(mu, nu), 1
        elif change.dropped is not None:
            ratios = -own[..., change.dropped]
        else:
            ratios = (other.log_likelihood(*few) - own).sum(axis=-1)
        average = partial(_average, posterior.pairs, shares[:, ::thin])
        again = partial(_average_again, posterior, other) if other.links else None
        yield (
            change.question,
            *reweigh_setting(change.setting, ratios, average, again, refit=refit),
        )


def _average(pairs: list[Pair], shares: np.ndarray, weights: np.ndarray) -> dict[Pair, np.ndarray]:
    return dict(zip(pairs, np.einsum("cd,cdpr->pr", weights, shares), strict=True))


def _average_again(posterior: JointPosterior, contrasts: Contrasts) -> dict[Pair, np.ndarray]:
    shares = fit_again(posterior, contrasts)._shares()
    return dict(zip(posterior.pairs, shares.mean(axis=(0, 1)), strict=True))


# Posterior of the joint hierarchical test: how algorithms stand, and how data sets differ.


#: Data sets that may come next, drawn for each draw of the posterior.
POINTS = 16


JOINT = StandingsModel(
    kind="joint_t",
    method="joint hierarchical correlated t test",
    reference="after Corani et al. 2017",
    prior="{p.prior_words}",
    shrinks=True,
    unplanned=(
        "It models all {p.subject}s at once. Compare two of them alone: the posterior of "
        "bayescmp.bayesian.hierarchical_t has .plan()."
    ),
    dims={
        "differences": ("dataset",),
        "mean_contrast": ("dataset", "contrast"),
    },
)


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class JointPosterior(StandingsPosterior):
    """Posterior of the joint hierarchical correlated t test.

    On a new data set effects are multivariate t with ν degrees of freedom around μ, with scale
    matrix Σ0. Only contrasts are known: μ and the effects of the data sets sum to zero.

    Attributes
    ----------
    mu : ndarray of shape (chain, draw, L)
        Effects on average over data sets.
    Sigma0 : ndarray of shape (chain, draw, L, L)
        Scale matrix of how effects vary from data set to data set.
    nu : ndarray of shape (chain, draw)
        Degrees of freedom.
    u : ndarray of shape (chain, draw, q, L)
        Effects on each data set, shrunken to the average.
    seen : ndarray of bool, shape (q, L)
        Which algorithms were run on which data set.
    prior_words : str
        The prior in words.
    sample_stats : mapping of str to ndarray
        Statistics of the sampler, shape (chain, draw); empty if nothing was sampled.
    contrasts : Contrasts or None
        The data sets as the model saw them; None with two algorithms.
    means : ndarray of shape (q, L), or None
        Observed mean scores, higher is better, if known.

    Examples
    --------
    >>> import bayescmp as bc
    >>> x = [[[0.80, 0.82], [0.78, 0.81], [0.79, 0.83]],
    ...      [[0.90, 0.91], [0.92, 0.95], [0.91, 0.92]],
    ...      [[0.70, 0.69], [0.72, 0.75], [0.71, 0.76]]]
    >>> posterior = bc.bayesian.joint_t(x, rho=1 / 3, rope=0.01, seed=1)
    >>> posterior.by_dataset()["lead"].round(2).tolist()
    [-0.01, 0.01, -0.01, 0.01, -0.01, 0.01]
    """

    mu: np.ndarray = field(metadata=about("algorithm", group="posterior"))
    Sigma0: np.ndarray = field(metadata=about("algorithm", "algorithm_", group="posterior"))
    nu: np.ndarray = field(metadata=about(group="posterior"))
    u: np.ndarray = field(metadata=about("dataset", "algorithm", group="posterior"))
    seen: np.ndarray = field(metadata=about("dataset", "algorithm"))
    prior_words: str
    sample_stats: Mapping[str, np.ndarray] = field(metadata=about(group="sample_stats"))
    contrasts: Contrasts | None = None
    means: np.ndarray | None = field(default=None, metadata=about("dataset", "algorithm"))

    model: StandingsModel = JOINT

    @property
    def fixed(self) -> Mapping[str, str]:
        """The settings that a sensitivity analysis cannot vary, with reasons."""
        if self.contrasts is not None:
            return {}
        two = len(self.algorithms) == 2
        why = (
            "of two algorithms, hierarchical_t varies it"
            if two
            else "the data that the model saw are not known"
        )
        return dict.fromkeys(("prior", "rho", "without"), why)

    @property
    def pooled(self) -> str:
        """The words for the units that share a hierarchical prior."""
        if len(self.algorithms) == 2:
            return f"the effects on all {self.unit}s"
        return super().pooled

    @property
    def caveat(self) -> str:
        """A sentence that P(best) is likely to be too high, or empty."""
        L, q = len(self.algorithms), len(self.datasets)
        alike = is_too_sure(self.averages, self.Sigma0.reshape(-1, L, L), q)
        return TOO_SURE.format(self.subject, self.unit) if alike else ""

    @property
    def chains(self) -> int:
        """Number of chains."""
        return int(self.nu.shape[0])

    @property
    def draws(self) -> Mapping[str, np.ndarray]:
        """Draws of mu, Sigma0, nu and u, shape (chain, draw, ...)."""
        return {"mu": self.mu, "Sigma0": self.Sigma0, "nu": self.nu, "u": self.u}

    @property
    def averages(self) -> np.ndarray:
        """Effect of each algorithm on average over data sets, draw by draw, shape (D, L)."""
        return self.mu.reshape(-1, self.mu.shape[-1])

    def clouds(self, on: str | None = None) -> Iterator[Cloud]:
        """Yield effects on 16 data sets that may come next, for each draw, or the average."""
        mu = self.averages
        if self._target(on) == AVERAGE:
            yield Cloud(mu[:, None, :], np.ones((len(mu), 1)))
            return
        rng = np.random.default_rng([self.seed, 2])
        root, nu = self._root, self.nu.ravel()
        z = rng.standard_normal((len(mu), POINTS, mu.shape[1]))
        z /= np.sqrt(rng.chisquare(nu[:, None], (len(mu), POINTS)) / nu[:, None])[..., None]
        u = mu[:, None, :] + np.matmul(z, np.swapaxes(root, 1, 2))
        yield Cloud(u, np.full((len(mu), POINTS), 1 / POINTS))

    @cached_property
    def _root(self) -> np.ndarray:
        L = self.mu.shape[-1]
        return np.asarray(np.linalg.cholesky(self.Sigma0.reshape(-1, L, L)))

    def _masses(self, pairs: np.ndarray, rope: float) -> tuple[np.ndarray, np.ndarray]:
        """Return masses of the regions: a pair's next difference is t_ν around μ_b − μ_a."""
        mu, nu = self.averages, self.nu.reshape(-1, 1)
        d = mu[:, pairs[:, 1]] - mu[:, pairs[:, 0]]
        s = np.sqrt(self._variances(pairs))
        return stdtr(nu, (-rope - d) / s), stdtr(nu, (d - rope) / s)

    def _variances(self, pairs: np.ndarray) -> np.ndarray:
        """Return the squared scale of pairs' differences in each draw, (D, P)."""
        L = self.mu.shape[-1]
        S = self.Sigma0.reshape(-1, L, L)
        a, b = pairs.T
        return np.maximum(S[:, a, a] + S[:, b, b] - 2 * S[:, a, b], 1e-300)

    def _spread(self, pair: np.ndarray) -> tuple[DatasetSpread, ...]:
        scale = np.sqrt(self._variances(pair[None])[:, 0])
        low, median, high = np.quantile(scale, [0.025, 0.5, 0.975])
        following = np.concatenate(
            [(cloud.u[..., pair[1]] - cloud.u[..., pair[0]]).ravel() for cloud in self.clouds()]
        )
        ends = np.quantile(following, [0.025, 0.975])
        return (
            DatasetSpread(
                float(median), (float(low), float(high)), (float(ends[0]), float(ends[1]))
            ),
        )

    def _vary(self, datasets: bool, refit: bool) -> Iterator[PairVariation]:
        """Vary priors of ν and μ, correlations, and the data sets, all by reweighting."""
        if self.contrasts is not None:
            yield from reweigh(self, self.contrasts, datasets=datasets, refit=refit)

    def _shares(self) -> np.ndarray:
        """Return whether each draw decides for each region, of every pair: (chain, draw, P, 3)."""
        masses = self._regions(self._places_of_pairs, self.rope)
        return winners(np.round(masses, 12)).reshape(*self.nu.shape, -1, 3)

    # Data sets.

    def by_dataset(self) -> pd.DataFrame:
        """Return leads over the mean of all algorithms on each data set, shrunken to the average.

        One row per data set and algorithm: lead (posterior mean), the bounds low and high of the
        central 95%, and seen, whether the algorithm was run there; else it is a prediction.
        """
        u = self.u.reshape(-1, *self.u.shape[2:])
        lead = u - u.mean(axis=-1, keepdims=True)
        low, high = np.quantile(lead, [0.025, 0.975], axis=0)
        index = pd.MultiIndex.from_product(
            [self.datasets, self.algorithms], names=["dataset", "algorithm"]
        )
        columns = {"lead": lead.mean(axis=0), "low": low, "high": high, "seen": self.seen}
        return pd.DataFrame({k: np.ravel(v) for k, v in columns.items()}, index=index)

    def pairs_by_dataset(self, rope: RopeLike | None = None) -> pd.DataFrame:
        """Differences of every pair on each data set, shrunken, with their three probabilities.

        One row per data set and pair: mean of second minus first, low and high of its central 95%
        interval; p_left, p_rope, p_right (of its own or another ``rope``), with Monte Carlo
        standard errors ``se_``; seen, whether both were run there; else it is a prediction.
        """
        region, pairs = self._region(rope), self._places_of_pairs
        tables = []
        for i, dataset in enumerate(self.datasets):
            u = self.u[:, :, i]
            table = pd.DataFrame(
                summarise_differences(u[..., pairs[:, 1]] - u[..., pairs[:, 0]], region)
            )
            table["seen"] = self.seen[i, pairs].all(axis=1)
            names = [(dataset, *pair) for pair in self.pairs]
            levels = ["dataset", "first", "second"]
            tables.append(table.set_index(pd.MultiIndex.from_tuples(names, names=levels)))
        return pd.concat(tables)

    def heterogeneity(self) -> pd.DataFrame:
        """Return how far data sets differ in each pair, with diagnostics of its sampling.

        One row per pair: the median of σ0, the scale of its differences over data sets, and low
        and high of its central 95% interval; next_low and next_high, which contain the next
        difference with probability 0.95; ess and rhat of log σ0².
        """
        rows = []
        for pair in self._places_of_pairs:
            spread = self._spread(pair)[0]
            log_v = np.log(self._variances(pair[None])[:, 0]).reshape(self.chains, -1)
            mixed = ess(log_v, "bulk"), rhat(log_v)
            rows.append((spread.median, *spread.interval, *spread.following, *mixed))
        index = pd.MultiIndex.from_tuples(self.pairs, names=["first", "second"])
        columns = ["sigma0", "low", "high", "next_low", "next_high", "ess", "rhat"]
        return pd.DataFrame(rows, index=index, columns=columns)

    def summary(self) -> pd.DataFrame:
        """Return each algorithm's average effect over data sets minus the mean of all, and ν.

        One row per algorithm and one for nu: mean, sd, median and 95% interval; from a sampler
        also effective sizes and r-hat.
        """
        row = summarise_draws if self.exact else summary_row
        effects = self.mu - self.mu.mean(axis=-1, keepdims=True)
        rows = {name: row(effects[..., column]) for column, name in enumerate(self.algorithms)}
        return summary_frame({**rows, "nu": row(self.nu)}, self.measured)

    def _predictive_groups(self) -> dict[str, dict[str, np.ndarray]]:
        if self.contrasts is None:
            return {}
        draws, contrasts = (self.mu, self.Sigma0, self.nu), self.contrasts
        groups = {
            "log_likelihood": {"differences": contrasts.log_likelihood(*draws)},
            "log_prior": {"nu": contrasts.log_prior_of_nu(self.nu)},
        }
        if not self.seen.all():  # what was not run is neither observed nor predicted
            return groups
        drawn = contrasts.replicates(*draws, np.random.default_rng([self.seed, 8]))
        return {
            **groups,
            "observed_data": {"mean_contrast": contrasts.y},
            "posterior_predictive": {"mean_contrast": drawn},
        }
