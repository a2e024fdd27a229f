"""When is the second algorithm better? Features of the data sets that moderate the difference."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from bayescmp.base.arguments import either, must, must_be
from bayescmp.base.checks import Seed, check_label, check_vector, number, seed_of
from bayescmp.base.records import Record
from bayescmp.base.typing import Json, as_facts
from bayescmp.bayesian.hierarchical.answers import on_the_problems_scale
from bayescmp.bayesian.hierarchical.posterior import HierarchicalPosterior
from bayescmp.bayesian.hierarchical.problem import ScaledProblem
from bayescmp.bayesian.sampling import round_for_sampler, sample
from bayescmp.engines.base import Fit, FitRequest, SamplerSettings, find_engine
from bayescmp.errors import InputError, unknown_name, warn_user
from bayescmp.present.forms import Summarised
from bayescmp.present.summary import Cells, Column, Explanation, Summary, summarise
from bayescmp.results.plotted import Plotted
from bayescmp.results.posterior import name_engine
from bayescmp.results.verdict import Verdict
from bayescmp.scores.rope import RopeLike
from bayescmp.summaries.fitted import describe_method, list_doubts
from bayescmp.wording.text import format_count, format_estimate, format_number, join_items

#: Features of the data sets: a table, or a column for each feature.
FeaturesLike = pd.DataFrame | pd.Series | Mapping[str, Any]

MODEL = "moderated_correlated_t"
#: Parameters by which draws are judged, and variables of the program, with whether each is a
#: scalar.
JUDGED = ("delta0", "sigma0", "nu", "beta")
KEEP = {"delta0": True, "sigma0": True, "nu": True, "beta": False, "delta": False, "sigma": False}

#: The prior's standard deviation of a coefficient is δ0's bound over this, or that of the data
#: sets' mean differences if that is larger: no feature explains more.
PART = 10
#: Data sets at least: so many, and more for each feature.
LEAST, EACH = 10, 5
#: Letters of the features that a verdict lists.
MOST_LISTED = 30
#: Points of a curve.
POINTS = 41


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Moderators(Record, Summarised, Plotted):
    """How the difference between two algorithms depends on features of the data sets.

    On a data set with features z, each standardised over the data sets seen, it is t_ν(δ0 + z'β,
    σ0).

    Attributes
    ----------
    posterior : HierarchicalPosterior
        For data sets with average features, with the difference δ0 + t_ν(0, σ0).
    features : tuple of str
    values : ndarray of shape (q, k)
        The features of the data sets, in their own units.
    coefficients : ndarray of shape (chain, draw, k)
        Draws of β, in units of the metric for a standard deviation of the feature.

    Examples
    --------
    >>> import numpy as np, pandas as pd
    >>> import bayescmp as bc
    >>> rng = np.random.default_rng(1)
    >>> names = [f"d{i}" for i in range(20)]
    >>> features = pd.DataFrame({"log10_rows": rng.uniform(2, 5, 20)}, index=names)
    >>> centre = 0.02 * (features["log10_rows"].to_numpy() - 3.5)
    >>> x = centre[:, None] + rng.normal(0, 0.01, (20, 10))
    >>> differences = bc.Differences(x, rho=0.1, datasets=names)
    >>> posterior = bc.bayesian.hierarchical_t(differences, rope=0.01, seed=1)
    >>> moderators = posterior.moderators(features, seed=1)
    >>> [moderators.verdict(log10_rows=rows).decision for rows in (2.1, 3.5, 4.8)]
    ['first', 'equivalent', 'second']
    """

    picture = "plot_moderators"

    posterior: HierarchicalPosterior
    features: tuple[str, ...]
    values: np.ndarray
    coefficients: np.ndarray
    notes: tuple[str, ...] = ()

    @cached_property
    def centre(self) -> np.ndarray:
        """Mean of each feature over the data sets, shape (k,)."""
        return np.asarray(self.values.mean(axis=0))

    @cached_property
    def spread(self) -> np.ndarray:
        """Standard deviation of each feature over the data sets, shape (k,)."""
        return np.asarray(self.values.std(axis=0))

    @property
    def frame(self) -> pd.DataFrame:
        """The coefficients, one row per feature.

        effect, the change of the mean difference (second minus first) with one standard deviation
        of the feature, and its central 95% credible interval low to high; p_positive; mean and sd
        of the feature over the data sets; per_unit, the change with one unit of the feature.
        """
        beta = self.coefficients.reshape(-1, len(self.features))
        low, high = np.quantile(beta, [0.025, 0.975], axis=0)
        effect = beta.mean(axis=0)
        columns = {
            "effect": effect,
            "low": low,
            "high": high,
            "p_positive": (beta > 0).mean(axis=0),
            "mean": self.centre,
            "sd": self.spread,
            "per_unit": effect / self.spread,
        }
        return pd.DataFrame(columns, index=pd.Index(self.features, name="feature"))

    @property
    def strongest(self) -> str:
        """The feature with the largest effect, in size."""
        return str(self.frame["effect"].abs().idxmax())

    @cached_property
    def explained(self) -> tuple[float, float, float]:
        """Share of the spread between data sets that the features explain: median, low, high.

        It is the variance of z'β over the data sets, divided by itself plus σ0²; the interval is
        the central 95%, and begins near 0 without any effect.
        """
        z = (self.values - self.centre) / self.spread
        fitted = (self.coefficients @ z.T).var(axis=-1)
        share = fitted / (fitted + self.posterior.draws["sigma0"] ** 2)
        low, middle, high = np.quantile(share, [0.025, 0.5, 0.975])
        return float(middle), float(low), float(high)

    def verdict(
        self,
        values: Mapping[str, float] | None = None,
        *,
        rope: RopeLike | None = None,
        threshold: float = 0.95,
        **features: float,
    ) -> Verdict:
        """Return the verdict about a new data set with these features.

        Parameters
        ----------
        values : mapping of str to float, optional
            Features that are not argument names, such as "number of rows".
        rope : float or (float, float), optional
            Another region than the posterior's own.
        threshold : float
            Probability required for a decision.
        **features : float
            In their own units; one that is left out is at its mean over the data sets.

        Returns
        -------
        Verdict
            About a new data set, and ``location`` about the mean difference, with these features.

        Warns
        -----
        DiagnosticWarning
            If a feature is outside the range of the data sets seen.
        """
        if not isinstance(values, Mapping | None):
            raise must_be("values", "a mapping of feature to number", values)
        given = self._read({**(values or {}), **features})
        for text in self._beyond(given):
            warn_user(text)
        return self._at(given).verdict(rope, threshold=threshold)

    def _at(self, given: Mapping[str, float]) -> HierarchicalPosterior:
        """Return the posterior for data sets with these features, of which a verdict is made."""
        z = self._standardise(given)
        own = self.posterior
        draws = {**own.draws, "delta0": own.draws["delta0"] + self.coefficients @ z}
        fit = replace(own.fit, draws=on_the_problems_scale(draws, own.problem))
        listed = join_items([f"{name} {format_number(given[name])}" for name in given])
        listed = listed if len(listed) <= MOST_LISTED else "these features"
        listed = (listed or "average features").replace("{", "{{").replace("}", "}}")
        model = replace(own.model, target=f"a new {own.unit} with {listed}")
        return replace(own, fit=fit, model=model, unit=f"similar {own.unit}")

    def curve(self, feature: str | None = None, at: ArrayLike | None = None) -> pd.DataFrame:
        """Return the mean difference along a feature, the others at their means.

        Parameters
        ----------
        feature : str, optional
            The one with the largest effect if not given.
        at : array_like, optional
            Values of the feature; if not given, 41 from its smallest to its largest.

        Returns
        -------
        DataFrame
            One row per value: mean, and low and high, the bounds of the central 95% credible
            interval at that value.
        """
        place = self._place(feature)
        own = self.values[:, place]
        x = np.linspace(own.min(), own.max(), POINTS) if at is None else at
        x = check_vector(x, name="at", least=1, test="a curve")
        z = (x - self.centre[place]) / self.spread[place]
        level, slope = (
            self.posterior.draws["delta0"].ravel(),
            self.coefficients[..., place].ravel(),
        )
        difference = level[:, None] + slope[:, None] * z
        low, high = np.quantile(difference, [0.025, 0.975], axis=0)
        columns = {"mean": difference.mean(axis=0), "low": low, "high": high}
        return pd.DataFrame(columns, index=pd.Index(x, name=self.features[place]))

    def adjusted(self, feature: str | None = None) -> pd.DataFrame:
        """Return the data sets' observed mean differences, with the other features at their means.

        Parameters
        ----------
        feature : str, optional
            The one with the largest effect if not given.

        Returns
        -------
        DataFrame
            One row per data set: the feature, and difference, the observed mean difference minus
            the mean effects of the other features.
        """
        place = self._place(feature)
        z = (self.values - self.centre) / self.spread
        others = np.delete(z, place, axis=1) @ np.delete(self.frame["effect"].to_numpy(), place)
        columns = {
            self.features[place]: self.values[:, place],
            "difference": self.posterior.statistics.mean - others,
        }
        return pd.DataFrame(columns, index=pd.Index(self.posterior.datasets, name="dataset"))

    def _place(self, feature: str | None) -> int:
        """Return the place of a feature, or of the one with the largest effect."""
        name = self.strongest if feature is None else feature
        if name not in self.features:
            raise unknown_name("feature", name, self.features)
        return self.features.index(name)

    def to_dict(self) -> Json:
        """Return everything as plain numbers and strings, for JSON."""
        middle, low, high = self.explained
        return as_facts(
            self,
            "features",
            "notes",
            coefficients=self.frame.reset_index(),
            explained={"median": middle, "low": low, "high": high},
        )

    def _read(self, given: Mapping[str, float]) -> dict[str, float]:
        """Check the features of a new data set."""
        for name, value in given.items():
            if name not in self.features:
                raise unknown_name("feature", name, self.features)
            number()(name, value)
        return {name: float(given[name]) for name in self.features if name in given}

    def _standardise(self, given: Mapping[str, float]) -> np.ndarray:
        values = [given.get(name, at) for name, at in zip(self.features, self.centre, strict=True)]
        return np.asarray((values - self.centre) / self.spread)

    def _beyond(self, given: Mapping[str, float]) -> list[str]:
        """State what lies outside the features seen."""
        columns = dict(zip(self.features, self.values.T, strict=True))
        return [
            BEYOND.format(
                name=name,
                value=format_number(value),
                unit=self.posterior.unit,
                low=format_number(columns[name].min()),
                high=format_number(columns[name].max()),
            )
            for name, value in given.items()
            if not columns[name].min() <= value <= columns[name].max()
        ]


#: A warning of extrapolation.
BEYOND = (
    "{name} {value} is outside the range of the {unit}s seen, {low} to {high}: the line is "
    "extrapolated"
)
#: A note on rows of the table of features that belong to no data set.
UNUSED = "the features of {others} that were not compared are not used"


def moderators_of(
    posterior: HierarchicalPosterior,
    features: FeaturesLike,
    *,
    engine: str,
    seed: Seed,
    progress: bool,
) -> Moderators:
    """Fit the model with features; see `HierarchicalPosterior.moderators`."""
    problem = posterior.problem
    if problem.from_rope:
        raise InputError(
            "The differences must not all be zero (got only zeros). There is nothing to explain."
        )
    names, values, notes = read_features(features, posterior.datasets, posterior.unit)
    _check_size(len(values), names, posterior.unit)
    z = (values - values.mean(axis=0)) / values.std(axis=0)
    if np.linalg.matrix_rank(z, tol=1e-8 * np.sqrt(len(z))) < len(names):
        raise must("features", "not follow from each other", join_items(names), "Leave one out.")
    chosen = find_engine(engine, MODEL)
    number = posterior.seed if seed is None else seed_of(seed)
    posed, sign, rows = problem.orient_canonically()
    request = _request(posed, round_for_sampler(z[posed.order]), number, progress)
    fit, diagnostics = sample(chosen, request, JUDGED)
    back = np.argsort(rows)
    draws: dict[str, np.ndarray] = {
        **fit.draws,
        "delta0": sign * fit.draws["delta0"],
        "delta": sign * fit.draws["delta"][..., back],
        "sigma": fit.draws["sigma"][..., back],
    }
    beta = sign * problem.scale * draws.pop("beta")
    own = Fit(fit.engine, fit.version, draws, fit.sample_stats)
    sd = format_number(request.data["beta_sd"] * problem.scale, 3)
    model = replace(
        posterior.model,
        method=f"{posterior.model.method} with features",
        prior=f", effect of each standardised feature ~ N(0, {sd}²)",
    )
    average = replace(posterior, fit=own, model=model, **name_engine(own, diagnostics, number))
    average.warn_if_doubtful()
    return Moderators(
        posterior=average, features=names, values=values, coefficients=beta, notes=notes
    )


def _request(posed: ScaledProblem, z: np.ndarray, seed: int, progress: bool) -> FitRequest:
    """Return the request for an engine, on the problem's scale."""
    data = {
        **posed.data,
        "k": z.shape[1],
        "features": z,
        "beta_sd": max(posed.data["delta0_bound"] / PART, float(np.std(posed.data["xbar"]))),
    }
    inits = []
    for init in posed.inits(seed, SamplerSettings().chains):
        init["rate_unit"] = init.pop("beta_unit")
        inits.append({**init, "beta": [0.0] * z.shape[1]})
    return FitRequest(MODEL, data, seed, KEEP, inits, SamplerSettings(), progress)


def _check_size(q: int, names: Sequence[str], unit: str) -> None:
    """Refuse more features than the data sets can tell apart."""
    k = len(names)
    if q >= LEAST + EACH * k:
        return
    most = max((q - LEAST) // EACH, 0)
    raise must(
        "features",
        f"be at most {most} for {q} {unit}s",
        str(k),
        f"{format_count(k, 'feature')} need{'s' * (k == 1)} at least {LEAST + EACH * k} {unit}s.",
    )


def read_features(
    features: FeaturesLike, datasets: Sequence[str], unit: str
) -> tuple[tuple[str, ...], np.ndarray, tuple[str, ...]]:
    """Read the features' names, their values in the data sets' order, and notes."""
    if not isinstance(features, pd.DataFrame | pd.Series | Mapping) or not len(features):
        raise must_be(
            "features", "a table with one row per data set and one column per feature", features
        )
    table = pd.DataFrame(features)
    if "dataset" in table:
        table = table.set_index("dataset")
    table.index = table.index.map(str)
    repeated = table.index[table.index.duplicated()]
    if len(repeated):
        raise must("features", f"have one row per {unit}", f"several rows for {repeated[0]!r}")
    missing = [name for name in datasets if name not in table.index]
    if missing:
        raise must(
            "features",
            f"have a row for each {unit}, by its name",
            f"none for {missing[0]!r}, {len(missing)} in all",
            f"The {unit}s are {join_items([repr(name) for name in datasets[:3]])}"
            f"{', ...' * (len(datasets) > 3)}.",
        )
    others = len(table) - len(datasets)
    names = tuple(check_label(name, "features") for name in table.columns)
    if len(set(names)) < len(names):
        raise must("features", "have different names", join_items(names))
    columns = [
        _read_column(name, table.iloc[:, i].loc[list(datasets)]) for i, name in enumerate(names)
    ]
    unused = (UNUSED.format(others=format_count(others, unit)),) if others else ()
    return names, np.column_stack(columns), unused


def _read_column(name: str, column: pd.Series) -> np.ndarray:
    """Check one feature: finite numbers that differ."""
    where = f"features[{name!r}]"
    if not pd.api.types.is_numeric_dtype(column) or pd.api.types.is_complex_dtype(column):
        raise must(
            where,
            "be numbers",
            f"{column.iloc[0]!r} for {column.index[0]!r}",
            "Write a category as columns of 0 and 1.",
        )
    values = column.to_numpy(dtype=float, na_value=np.nan)
    bad = np.flatnonzero(~np.isfinite(values))
    if len(bad):
        raise must(
            where,
            "be finite numbers",
            f"{values[bad[0]]} for {column.index[bad[0]]!r}, {len(bad)} in all",
            "Leave the feature out, or compare only data sets whose features are known.",
        )
    if np.ptp(values) <= 1e-10 * np.abs(values).max():
        raise must(where, "differ between data sets", f"{format_number(values[0])} for all")
    return values


# Its summary.


HEADLINES = {
    True: "The difference between {first} and {second} depends on {features}",
    False: "{first} and {second}: undecided whether the difference depends on {features}",
}
EFFECT = {
    "difference": "One standard deviation more of {feature} ({sd}) changes the mean difference by "
    "{effect} in favour of {leader} (95% credible interval {low} to {high}).",
    "ratio": "One standard deviation more of {feature} ({sd}) changes the mean log ratio by "
    "{effect} in favour of {leader} (95% credible interval {low} to {high}).",
}
EXPLAINED = (
    "{features} {share} of the spread between {unit}s (95% credible interval {low} to {high})."
)
METHODS = (
    "{method}, {reference}, in which the mean difference is linear in {count} of the {unit}s, "
    "each standardised. {rows}. Prior: {prior}."
)
MORE = "more: .verdict(feature=value), .frame, .curve(), .explain(), .plot()"
LEGEND = (
    "effect: change of the mean difference, positive in favour of {second}, with one standard "
    "deviation more of the feature"
)


@summarise.register
def summarise_moderators(result: Moderators) -> Summary:
    """Summarise the coefficients of features, and what they explain."""
    posterior, frame = result.posterior, result.frame
    first, second = posterior.names
    clear = frame.index[(frame["low"] > 0) | (frame["high"] < 0)].tolist()
    return Summary(
        HEADLINES[bool(clear)].format(
            first=first,
            second=second,
            features=join_items(clear or result.features, "and" if clear else "or"),
        ),
        frame.drop(columns=["mean", "per_unit"]).reset_index(),
        {
            "feature": Column(Cells.NAME),
            "low": Column(head="95% CrI low"),
            "high": Column(head="95% CrI high"),
            "p_positive": Column(Cells.PROBABILITY, "P(effect > 0)"),
            "sd": Column(head="sd of feature"),
        },
        notes=[*list_doubts(posterior), *result.notes],
        label="moderators",
        setting=posterior.measured,
        sentences=[" ".join([*(_state_effect(result, f) for f in clear), _state_share(result)])],
        legend=LEGEND.format(second=second),
        method="; ".join(describe_method(posterior, posterior.data_text)),
        more=either(MORE, ""),
        explanation=lambda: Explanation(methods=[_state_methods(result)]),
    )


def _state_effect(result: Moderators, feature: str) -> str:
    names = ["effect", "low", "high", "sd"]
    value, low, high, sd = map(float, result.frame.loc[feature, names])
    ahead = value > 0
    bounds = (low, high) if ahead else (-high, -low)
    effect, low_text, high_text = format_estimate(abs(value), bounds)
    return EFFECT["ratio" if result.posterior.of_ratios else "difference"].format(
        feature=feature,
        sd=format_number(sd, 3),
        effect=effect,
        leader=result.posterior.names[ahead],
        low=low_text,
        high=high_text,
    )


def _state_share(result: Moderators) -> str:
    share, low, high = map(_write_share, result.explained)
    return EXPLAINED.format(
        features="The feature explains" if len(result.features) == 1 else "The features explain",
        share=share,
        low=low,
        high=high,
        unit=result.posterior.unit,
    )


def _write_share(value: float) -> str:
    """Write a share in percent, of which neither none nor all is ever known."""
    return "<1%" if value < 0.005 else ">99%" if value > 0.995 else f"{100 * value:.0f}%"


def _state_methods(result: Moderators) -> str:
    posterior = result.posterior
    return METHODS.format(
        method=posterior.method,
        reference=posterior.reference,
        count=format_count(len(result.features), "feature"),
        unit=posterior.unit,
        rows="; ".join(describe_method(posterior, posterior.data_text)[1:]),
        prior=posterior.prior_text,
    )
