"""Renaming algorithms, metrics and data sets changes nothing else of what is shown.

Every kind of result is made with plain names, and again with names of the same length that look
like the package's own words, columns, numbers or markup. In each form, putting the second names
in the places of the first has to give the second text.
"""

from __future__ import annotations

import json
import re
import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from matplotlib.text import Text

import bayescmp as bc
from bayescmp import bayesian as b
from bayescmp import catalogue, curves, plots
from bayescmp import frequentist as f
from bayescmp.engines import register
from bayescmp.present.forms import Summarised
from bayescmp.results.posterior import Fitted
from bayescmp.scores.blocks import scores_blocks
from bayescmp.wording.markup import escape, latex, markdown
from tests.engines.fake import FakeEngine
from tests.frequentist.test_permutation import result_of
from tests.reference import printed_results

QUICK: dict[str, Any] = {"rope": 0.01, "seed": 1}
#: An engine that needs no compiler.
FAKE: dict[str, Any] = {"engine": "fake", "draws": 250, **QUICK}

#: Words of the package, columns of its tables, numbers with signs, and markup.
HOSTILE = (
    {
        "algorithms": ("practically free", "lr=1e-3", "p_tuning", "neither"),
        "metrics": ("a (log ratio)", "p_average"),
        "datasets": ("first", "{x}", "A_b%", "<b>", "p_right", "data set"),
    },
    {
        "algorithms": ("first", "<b>{0}", "A_b%", "second"),
        "metrics": ("F1 (macro)", "p_at_5"),
        "datasets": ("equivalent", "neither", "decision", "-1", "a practically b", "is"),
    },
)


# Two worlds that differ in nothing but names.


@dataclass(frozen=True)
class World:
    """What is compared, with the names that it goes by."""

    algorithms: tuple[str, ...]
    metrics: tuple[str, ...]
    datasets: tuple[str, ...]

    @property
    def names(self) -> tuple[str, ...]:
        return (*self.algorithms, *self.metrics, *self.datasets)

    @cached_property
    def table(self) -> pd.DataFrame:
        """Five folds of four algorithms on six data sets; the second metric is an error."""
        rng = np.random.default_rng(3)
        rows = []
        for d, dataset in enumerate(self.datasets):
            easy = 0.6 + 0.03 * d + rng.normal(0, 0.01, 5)
            for k, algorithm in enumerate(self.algorithms):
                good = easy + (0.02 * k + rng.normal(0, 0.01)) + rng.normal(0, 0.005, 5)
                bad = 1.2 - good + rng.normal(0, 0.02, 5)
                rows += [
                    {"dataset": dataset, "algorithm": algorithm, "fold": i}
                    | dict(zip(self.metrics, (good[i], bad[i]), strict=True))
                    for i in range(5)
                ]
        return pd.DataFrame(rows)

    @cached_property
    def scores(self) -> bc.Scores:
        better, worse = self.metrics
        return bc.Scores(self.table, higher_is_better=[better], lower_is_better=[worse])

    @cached_property
    def pair(self) -> tuple[str, str]:
        return self.algorithms[0], self.algorithms[1]

    @cached_property
    def differences(self) -> bc.Differences:
        return self.scores.differences(*self.pair, self.metrics[1])

    def mean_differences(self, q: int) -> bc.MeanDifferences:
        means = self.means[list(self.pair)].to_numpy()[:q]
        return bc.MeanDifferences(
            means=means,
            errors=np.full(means.shape, 0.01),
            names=self.pair,
            datasets=self.datasets[:q],
        )

    def blocks(self, *metrics: str, dataset: int = 0) -> bc.Blocks:
        return scores_blocks(
            self.scores, metrics=list(metrics or self.metrics), dataset=self.datasets[dataset]
        )

    @cached_property
    def means(self) -> pd.DataFrame:
        return self.scores.means(self.metrics[0])

    def items(self, benchmarks: int = 1, models: int = 2, epochs: int = 1) -> bc.Items:
        rng = np.random.default_rng(4)
        rows = []
        for benchmark in self.datasets[:benchmarks]:
            hard = np.tile(rng.normal(0, 1, 60), epochs)
            for k, model in enumerate(self.algorithms[:models]):
                right = rng.random(60 * epochs) < 1 / (1 + np.exp(hard - 0.8 * k))
                rows.append(
                    {
                        "model": model,
                        "benchmark": benchmark,
                        "item": np.tile(np.arange(60), epochs),
                    }
                )
                rows[-1] |= {"epoch": np.repeat(np.arange(epochs), 60)} if epochs > 1 else {}
                rows[-1][self.metrics[0]] = right.astype(int)
        table = pd.concat(map(pd.DataFrame, rows))
        return bc.Items(table, higher_is_better=[self.metrics[0]])

    def judged(self) -> bc.Items:
        """The same with human scores of half of the questions, most of which agree."""
        table = self.items().frame.drop(columns="epochs")
        right = np.where(table["item"] % 5 == 1, 0, table[self.metrics[0]])
        table = table.assign(human=np.where(table["item"] < 30, right, np.nan))
        return bc.Items(table, metric=self.metrics[0], higher_is_better=[self.metrics[0]])

    @cached_property
    def predictions(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        rng = np.random.default_rng(1)
        y = rng.permuted(np.tile(np.arange(50) < 20, (5, 1)), axis=1).astype(int)
        return y, rng.normal(size=y.shape) + 0.5 * y, rng.normal(size=y.shape) + 1.2 * y

    def runs(self) -> dict[str, np.ndarray]:
        return {a: self.means[[a]].to_numpy() for a in self.algorithms[:3]}

    @cached_property
    def two_samples(self) -> list[np.ndarray]:
        return list(np.random.default_rng(2).normal([[0.7], [0.75]], 0.02, (2, 12)))


@cache
def kinds(w: World) -> dict[str, Callable[[], Any]]:
    """Each kind of result, by its name; tests of the catalogue by theirs."""
    first, second = w.pair
    good, bad = w.metrics
    x, row = w.differences, w.differences.row(w.datasets[0])
    one, two = w.two_samples
    y, low, high = w.predictions
    correct = (np.random.default_rng(5).random((60, 3)) < [0.5, 0.6, 0.8]).astype(int)
    named = {"names": w.pair}
    all_named = {"names": w.algorithms[:3]}
    quick = {"engine": "quadrature", "progress": False, **QUICK}
    hierarchical = cache(lambda: b.hierarchical_t(x, engine="quadrature", **QUICK))
    bootstrap = cache(lambda: b.bootstrap(w.scores, metric=good, **QUICK))
    pairs = cache(lambda: bc.compare_all(w.scores, good, **quick))
    simple = {"metric": good, "test": "signed_rank", "draws": 2000, "progress": False, **QUICK}
    return {
        "Scores": lambda: w.scores,
        "Differences": lambda: x,
        "Items": lambda: w.items(),
        "noise": lambda: w.items(epochs=2).noise(*w.pair, seed=1),
        # Two algorithms.
        "correlated_t": lambda: b.correlated_t(row, **QUICK),
        "correlated_t without a rope": lambda: b.correlated_t(row, rope=0, seed=1),
        "correlated_t by a margin": lambda: b.correlated_t(row, rope=(-0.01, np.inf), seed=1),
        "correlated_t of others": lambda: b.correlated_t(
            w.scores.differences(*w.algorithms[2:], good).row(w.datasets[1]), **QUICK
        ),
        "robust_t": lambda: b.robust_t(row, **FAKE),
        "hierarchical_t": hierarchical,
        "hierarchical_t of ratios": lambda: bc.compare(
            w.scores, *w.pair, bad, scale="log_ratio", **QUICK, engine="quadrature"
        ),
        "hierarchical_t without a rope": lambda: hierarchical().verdict(rope=0),
        "hierarchical_t by a margin": lambda: hierarchical().verdict(rope=(-0.01, np.inf)),
        "hierarchical_t, equivalent": lambda: hierarchical().verdict(rope=0.2),
        "signed_rank": lambda: b.signed_rank(x, draws=2000, **QUICK),
        "sign": lambda: b.sign(x, draws=2000, **QUICK),
        "two_sample_t": lambda: b.two_sample_t(one, two, **named, metric=good, **QUICK),
        "hierarchical_two_sample_t": lambda: b.hierarchical_t(
            bc.Runs([one, one[:9]], [two, two[3:]], **named, datasets=w.datasets[:2]),
            engine="quadrature",
            **QUICK,
        ),
        "means_with_errors": lambda: b.means_with_errors(w.mean_differences(1), **QUICK),
        "hierarchical_means_with_errors": lambda: b.means_with_errors(
            w.mean_differences(6), **QUICK
        ),
        "multivariate_t": lambda: bc.compare(
            w.scores, *w.pair, list(w.metrics), dataset=w.datasets[0], **QUICK
        ),
        "multivariate_t by a margin": lambda: bc.compare(
            w.scores, *w.pair, list(w.metrics), (-0.01, np.inf), dataset=w.datasets[0], seed=1
        ),
        "robust_multivariate_t": lambda: b.multivariate_t(
            w.blocks().select(algorithms=w.pair), noise="t", **FAKE
        ),
        "hierarchical_multivariate_t": lambda: bc.compare(
            w.scores, *w.pair, list(w.metrics), **FAKE
        ),
        "paired_proportions": lambda: bc.compare(w.items(), *w.pair, **QUICK),
        "proportions": lambda: bc.compare_counts({first: (14, 20), second: (17, 20)}, **QUICK),
        "cluster_bootstrap": lambda: b.cluster_bootstrap(w.items().pair(*w.pair), **QUICK),
        "judge_corrected": lambda: bc.compare(w.judged(), *w.pair, **QUICK),
        "items of several": lambda: bc.compare(w.items(4), *w.pair, **QUICK),
        "confusion": lambda: b.confusion((9, 1, 2, 8), (8, 2, 3, 7), **named, **QUICK),
        "metric_by_weights": lambda: b.metric_by_weights(
            y[0], [low[0] > 0, high[0] > 0], "accuracy", **named, **QUICK
        ),
        "verdict": lambda: hierarchical().verdict(),
        "direction": lambda: made(w, "multivariate_t").direction(),
        "verification": lambda: hierarchical().verify(engine="fake", seed=1),
        "sensitivity": lambda: b.correlated_t(row, **QUICK).sensitivity(),
        "moderators": lambda: b.hierarchical_t(
            bc.Differences(np.resize(row.x[0], (15, 7)), rho=0.1, names=w.pair),
            engine="quadrature",
            **QUICK,
        ).moderators(
            pd.DataFrame({good: range(15)}, [str(i + 1) for i in range(15)]), engine="fake", seed=1
        ),
        "fragility": lambda: bc.compare(
            bc.Scores.from_means(w.means, metric=good, higher_is_better=[good]), *w.pair, **QUICK
        ).fragility(seconds=600),
        "plan": lambda: b.signed_rank(x, draws=500, **QUICK).plan(
            datasets=[0, 3], simulations=5, seed=1
        ),
        "plan ahead": lambda: bc.plan(
            delta0=0.03,
            sigma0=0.003,
            rope=0.01,
            rho=0.1,
            datasets=[3],
            simulations=5,
            **named,
            progress=False,
        ),
        "plan_items": lambda: bc.plan_items(
            difference=0.03, between=0.06, within=0.24, rope=0.01, questions=[500], **named
        ),
        "calibrate": lambda: bc.calibrate(
            rope=0.01, rho=0.1, datasets=[3], delta0=[0.03], sigma0=[0.001], simulations=5, seed=1
        ),
        # All algorithms.
        "compare_all": pairs,
        "compare_all with a control": lambda: bc.compare_all(w.scores, control=second, **simple),
        "compare_all without a rope": lambda: bc.compare_all(w.scores, **{**simple, "rope": 0}),
        "compare_all of ratios": lambda: bc.compare_all(w.scores, scale="log_ratio", **simple),
        "compare_all on one": lambda: bc.compare_all(
            w.scores, bad, datasets=[w.datasets[1]], progress=False, **QUICK
        ),
        "compare_all by a margin": lambda: bc.compare_all(
            w.scores, control=first, **{**simple, "rope": (-0.01, np.inf)}
        ),
        "ladder": lambda: pairs().ladder(),
        "groups": lambda: b.groups(w.blocks(), rope=[0.01, 0.01], seed=1),
        "groups of one metric": lambda: b.groups(w.blocks(bad), **QUICK),
        "groups by sampling": lambda: b.groups(w.blocks(), noise="t", **FAKE),
        "groups with own variances": lambda: b.groups(w.blocks(bad), variances="own", **QUICK),
        "pair with own variances": lambda: made(w, "groups with own variances").pair(*w.pair),
        "joint_t": lambda: b.joint_t(w.scores, metric=good, rho=0.2, **FAKE),
        "bootstrap": bootstrap,
        "chosen": lambda: bootstrap().chosen(),
        "sensitivity of pairs": lambda: bootstrap().sensitivity(),
        "leaderboard": lambda: b.leaderboard(w.items(3, 3).scores(), **QUICK),
        "bayesian_friedman": lambda: b.friedman(w.scores, metric=bad, seed=1),
        "bradley_terry": lambda: b.bradley_terry(w.scores, metric=bad, seed=1),
        "plackett_luce": lambda: b.plackett_luce(w.scores, metric=bad, seed=1),
        "question_bootstrap": lambda: b.question_bootstrap(
            w.items(1, 3).group(), draws=500, **QUICK
        ),
        "undominated": lambda: bc.undominated(w.scores, rope=[0.01, 0.02], draws=500, seed=1),
        "estimate": lambda: bc.estimate(w.scores, metric=good),
        "crosscheck": lambda: bc.crosscheck(w.scores, good, algorithms=w.algorithms[1:], **quick),
        "crosscheck of two": lambda: bc.crosscheck(w.scores, bad, algorithms=w.pair, **quick),
        "crosscheck of two metrics": lambda: bc.crosscheck(
            w.scores, list(w.metrics), datasets=w.datasets[:1], **QUICK, progress=False
        ),
        "crosscheck on one": lambda: bc.crosscheck(
            w.scores, good, datasets=w.datasets[:1], **QUICK, progress=False
        ),
        "crosscheck of items": lambda: bc.crosscheck(w.items(), **QUICK, progress=False),
        "gate": lambda: bc.gate(w.scores, first, second, good, 0.01, seed=1),
        "referee": lambda: printed_results.referee(first, second),
        "gate of several": lambda: bc.gate(
            w.scores, first, w.algorithms[1:], good, 0.01, on="next", seed=1
        ),
        "gate of two metrics": lambda: bc.gate(
            w.scores, first, second, list(w.metrics), 0.01, seed=1, engine="fake", draws=250
        ),
        "gate of items": lambda: bc.gate(w.items(), first, second, margin=0.02, seed=1),
        "procedure": lambda: bc.procedure(w.scores, metrics=good, rho=0.2),
        "procedure of two metrics": lambda: bc.procedure(w.scores, metrics=w.metrics, rho=0.2),
        "decision_agreement": lambda: bc.decision_agreement(
            w.scores, univariate=bad, multivariate=w.metrics, by="all", rho=0.2
        ),
        # Frequentist tests.
        "wilcoxon": lambda: f.wilcoxon(x),
        "sign_test": lambda: catalogue.frequentist_test("sign_test").call(x),
        "corrected_t": lambda: f.corrected_t(row),
        "paired_t": lambda: f.paired_t(row),
        "tost_paired": lambda: f.tost_paired(row, rope=0.01),
        "tost_means": lambda: f.tost_means(x, rope=0.01),
        "tost_signed_rank": lambda: catalogue.frequentist_test("tost_signed_rank").call(
            x, rope=0.01
        ),
        "paired_permutation": lambda: f.paired_permutation(row, n=99, seed=1),
        "cohens_d": lambda: f.cohens_d(row),
        "rank_biserial": lambda: f.rank_biserial(x),
        "friedman": lambda: f.friedman(w.scores, metric=good),
        "quade": lambda: f.quade(w.scores, metric=bad),
        "aligned": lambda: f.friedman_aligned_ranks(w.scores, metric=good),
        "multiple_sign": lambda: f.multiple_sign(w.means, control=second),
        "iman_davenport": lambda: f.iman_davenport(w.scores, metric=good),
        "skillings_mack": lambda: f.skillings_mack(w.scores, metric=good),
        "page_trend": lambda: f.page_trend(w.means, order=w.algorithms),
        "kendalls_w": lambda: f.kendalls_w(w.means),
        "posthoc": lambda: f.posthoc(w.scores, metric=good),
        "posthoc with a control": lambda: f.posthoc(w.means, control=second),
        "nemenyi": lambda: f.nemenyi(w.means),
        "average_ranks": lambda: f.average_ranks(w.scores, metric=bad),
        "contrast_estimation": lambda: f.contrast_estimation(w.scores, metric=bad),
        "anova": lambda: f.anova(w.blocks(bad)),
        "mauchly": lambda: f.mauchly(w.blocks(bad)),
        "partial_eta_squared": lambda: f.partial_eta_squared(w.blocks(bad)),
        "tukey": lambda: f.tukey(w.blocks(bad)),
        "dunnett": lambda: f.dunnett(w.blocks(bad), control=first),
        "pairwise_t": lambda: f.pairwise_t(w.blocks(bad)),
        "wins_table": lambda: f.wins_table(
            {d: w.blocks(bad, dataset=i) for i, d in enumerate(w.datasets)}
        ),
        "hotelling_paired": lambda: f.hotelling_paired(w.blocks().select(algorithms=w.pair)),
        "hotelling_two_sample": lambda: f.hotelling_two_sample(
            w.blocks().select(algorithms=w.pair)
        ),
        "pairwise_hotelling": lambda: f.pairwise_hotelling(w.blocks()),
        "manova": lambda: f.manova(w.blocks()),
        "mardia": lambda: f.mardia(w.blocks().select(algorithms=w.pair)),
        "learned_measures": lambda: f.learned_measures(w.blocks()),
        "diebold_mariano": lambda: f.diebold_mariano(one, two[: len(one)], names=w.pair),
        "welch": lambda: f.welch(one, two),
        "mann_whitney": lambda: f.mann_whitney(one, two),
        "brunner_munzel": lambda: f.brunner_munzel(one, two),
        "cliffs_delta": lambda: f.cliffs_delta(w.means[first], w.means[second]),
        "kruskal_wallis": lambda: f.kruskal_wallis([one, two, one + two], **all_named),
        "mcnemar": lambda: catalogue.frequentist_test("mcnemar").call(w.items().pair(*w.pair)),
        **{
            g.__name__: lambda g=g: g({first: (14, 20), second: (17, 20)})
            for g in (f.barnard, f.boschloo, f.fisher, f.newcombe)
        },
        "cochran_q": lambda: f.cochran_q(correct, **all_named),
        "confidence_sequence": lambda: f.confidence_sequence(w.items().pair(*w.pair)),
        "delong": lambda: f.delong(y, low, high, **named),
        "area_tests": lambda: f.area_tests(y, low, high, rho=0.2, **named),
        "aggregate_runs": lambda: f.aggregate_runs(w.runs(), resamples=50, seed=1),
        "performance_profiles": lambda: f.performance_profiles(
            w.runs(), [0.6, 0.7], resamples=50, seed=1
        ),
        "probability_of_improvement": lambda: f.probability_of_improvement(
            *[*w.runs().values()][:2], resamples=50, seed=1
        ),
        "permutation_test": lambda: result_of(estimator=first, metric=good),
    }


PLOTS: dict[str, Callable[[World, Callable[[str], Any]], Any]] = {
    "density": lambda w, made: plots.plot_density(made("correlated_t")),
    "density of ratios": lambda w, made: plots.plot_density(made("hierarchical_t of ratios")),
    "rope curve": lambda w, made: plots.plot_rope_curve(made("correlated_t")),
    "simplex": lambda w, made: plots.plot_simplex(made("hierarchical_t")),
    "histogram": lambda w, made: plots.plot_histogram(made("signed_rank"), rope=0),
    "shrinkage": lambda w, made: plots.plot_shrinkage(made("hierarchical_t")),
    "regions": lambda w, made: plots.plot_regions(made("multivariate_t")),
    "verdict bar": lambda w, made: plots.plot_verdict_bar(made("verdict")),
    "verdict bars": lambda w, made: plots.plot_verdict_bar(
        made("compare_all with a control").results
    ),
    "sensitivity": lambda w, made: plots.plot_sensitivity(made("sensitivity")),
    "sensitivity of pairs": lambda w, made: plots.plot_pairs_sensitivity(
        made("sensitivity of pairs")
    ),
    "plan": lambda w, made: plots.plot_plan(made("plan")),
    "ladder": lambda w, made: plots.plot_ladder(made("compare_all")),
    "ladder of ratios": lambda w, made: plots.plot_ladder(made("compare_all of ratios")),
    "ladder on a control": lambda w, made: plots.plot_ladder(made("compare_all with a control")),
    "joint ladder": lambda w, made: plots.plot_ladder(made("bootstrap"), probabilities=True),
    "verdicts": lambda w, made: plots.plot_verdicts(made("compare_all")),
    "verdicts of ratios": lambda w, made: plots.plot_verdicts(made("compare_all of ratios")),
    "verdicts on a control": lambda w, made: plots.plot_verdicts(
        made("compare_all with a control")
    ),
    "critical difference": lambda w, made: plots.plot_critical_difference(
        made("nemenyi"), layout="list"
    ),
    "p-values": lambda w, made: plots.plot_pvalues(made("posthoc")),
    "p-values, control": lambda w, made: plots.plot_pvalues(made("posthoc with a control")),
    "wins": lambda w, made: plots.plot_wins(made("wins_table")),
    "best": lambda w, made: plots.plot_best(made("bootstrap")),
    "ranks": lambda w, made: plots.plot_ranks(made("bootstrap")),
    "top sets": lambda w, made: plots.plot_top_sets(made("bootstrap")),
    "forest": lambda w, made: plots.plot_forest(made("groups")),
    "rank probabilities": lambda w, made: plots.plot_rank_probabilities(made("groups")),
    "ellipses": lambda w, made: plots.plot_ellipses(w.blocks()),
    "ellipses and histograms": lambda w, made: plots.plot_ellipses(
        w.blocks(), histogram=w.metrics[1]
    ),
    "means": lambda w, made: plots.plot_means(made("estimate")),
    "front": lambda w, made: plots.plot_front(made("undominated")),
    "projection": lambda w, made: plots.plot_projection(made("learned_measures")),
    "roc": lambda w, made: plots.plot_curves(
        *(curves.roc_curves(w.predictions[0], s) for s in w.predictions[1:]),
        names=w.pair,
        rho=0.1,
        band=True,
    ),
    "null distribution": lambda w, made: plots.plot_null_distribution([made("permutation_test")]),
    "permutation power": lambda w, made: plots.plot_permutation_power(_power(w)),
}


def _power(w: World) -> pd.DataFrame:
    rows = [
        (name, rho, 0.5 - 0.4 * rho, test, mean, mean - 0.05, mean + 0.05)
        for name in w.algorithms
        for rho in (0.0, 0.5)
        for test, mean in (("labels", 0.5), ("columns", 0.5 - 0.3 * rho))
    ]
    columns = ["classifier", "rho", "error", "test", "null_mean", "null_low", "null_high"]
    return pd.DataFrame(rows, columns=columns)


# From the first names to the second.


def plain(name: str, place: int) -> str:
    """Make a name of as many letters, with spaces in the same places, that is in no text."""
    if name in KNOWN:
        return KNOWN[name]
    letter = "BCDFGHJKLMRZ"[place]
    middle = "".join(" " if c == " " else "q" for c in name[1:-1])
    return f"{letter}{middle}{letter.lower()}"


#: Of a metric that the package knows, another name: its range is known too.
KNOWN = {"F1 (macro)": "F1 (micro)"}


def pair_of_worlds(names: Mapping[str, tuple[str, ...]]) -> tuple[World, World]:
    second = World(**names)
    places = iter(range(len(second.names)))
    first = {part: tuple(plain(n, next(places)) for n in names[part]) for part in names}
    return World(**first), second


WORLDS = [pair_of_worlds(names) for names in HOSTILE]


def rename(text: str, worlds: tuple[World, World], written: Callable[[str], str] = str) -> str:
    """Put the second names in the places of the first, also where they are cut in the middle."""
    known, cut = {}, re.escape(written("…"))
    for a, z in zip(*(world.names for world in worlds), strict=True):
        ends = range(2, len(a) if written("…") in text else 0)
        known |= {f"(?<={cut}){_spaced(a[-k:], written)}": z[-k:] for k in ends}
        known |= {f"{_spaced(a[:k], written)}(?={cut})": z[:k] for k in ends}
        known[_spaced(a, written)] = z
    longest = sorted(known, key=len, reverse=True)
    either = re.compile("|".join(f"(?P<_{i}>{one})" for i, one in enumerate(longest)))

    def other(match: re.Match[str]) -> str:
        name = known[longest[int(str(match.lastgroup)[1:])]]
        spaces = re.findall(r"\s+", match[0])
        words = [written(word) for word in name.split(" ")]
        return "".join(f"{word}{space}" for word, space in zip(words, [*spaces, ""], strict=True))

    return either.sub(other, text)


def _spaced(name: str, written: Callable[[str], str]) -> str:
    """Return a pattern for a name that may be broken over lines."""
    return r"\s+".join(re.escape(written(word)) for word in name.split(" "))


#: How a name is written in each form.
WRITTEN: dict[str, Callable[[str], str]] = {
    "to_latex": latex,
    "to_markdown": markdown,
    "html": escape,
}


def forms(result: Any) -> Iterator[tuple[str, str]]:
    """Every form in which a result shows itself."""
    yield "str", str(result)
    yield "repr", repr(result)
    if hasattr(result, "_repr_html_"):
        yield "html", result._repr_html_()
    if hasattr(result, "explain"):
        for form in ("short", "paper"):
            yield f"explain {form}", result.explain(form)
    for name in ("full", "to_latex", "to_markdown"):
        if hasattr(result, name):
            yield name, getattr(result, name)()
    if hasattr(result, "to_dict"):
        yield "to_dict", _json(result.to_dict())
    for name in ("frame", "table"):
        frame = getattr(result, name, None)
        if isinstance(frame, pd.DataFrame) and not isinstance(result, bc.Scores | bc.Items):
            yield name, _json(frame.to_dict("tight"))
    if hasattr(result, "summary"):
        yield "summary", _json(result.summary().to_dict("tight"))
    if isinstance(result, Fitted) and hasattr(result, "verdicts"):
        for verdict in result.verdicts().values():
            yield "verdicts", f"{verdict}\n{verdict.explain('paper')}"


def _json(values: object) -> str:
    return json.dumps(values, default=str, ensure_ascii=False, indent=1)


def drawn(ax: Any) -> str:
    """All texts of a figure, and its caption; lines and ticks depend on letters' widths."""
    texts = [t.get_text() for t in ax.figure.findobj(Text) if not t.get_text().isdigit()]
    return " ".join(" ".join([*texts, plots.caption(ax)]).split())


@contextmanager
def quiet() -> Iterator[None]:
    """The fake engine, without warnings: whether a result can be trusted is in its text."""
    remove = register("fake", FakeEngine)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        remove()


@cache
def made(w: World, kind: str) -> Any:
    with quiet():
        return kinds(w)[kind]()


KINDS = list(kinds(WORLDS[0][0]))


#: Variants that print names as another kind does.
VARIANTS = {
    "correlated_t of others",
    "correlated_t without a rope",
    "correlated_t by a margin",
    "multivariate_t by a margin",
    "hierarchical_t by a margin",
    "hierarchical_t without a rope",
    "hierarchical_t, equivalent",
    "plackett_luce",
    "leaderboard",
    "compare_all without a rope",
    "compare_all of ratios",
    "compare_all on one",
    "compare_all by a margin",
    "crosscheck of two",
    "crosscheck on one",
    "crosscheck of items",
    "gate of items",
    "procedure of two metrics",
    "tost_signed_rank",
}
#: One of each way in which names are printed, made with the second names too.
AGAIN = [
    "multivariate_t",
    "compare_all with a control",
    "groups of one metric",
    "bootstrap",
    "wins_table",
    "area_tests",
]


@pytest.mark.parametrize(
    ("kind", "worlds"),
    [
        *(
            pytest.param(kind, WORLDS[0], marks=[pytest.mark.slow] * (kind in VARIANTS))
            for kind in KINDS
        ),
        *((kind, WORLDS[1]) for kind in AGAIN),
    ],
    ids=[*KINDS, *(f"{kind}-again" for kind in AGAIN)],
)
def test_names_change_nothing_else_of_a_result(kind, worlds):
    with quiet():
        first, second = (dict(forms(made(w, kind))) for w in worlds)
    assert list(first) == list(second)
    for form, text in first.items():
        assert rename(text, worlds, WRITTEN.get(form, str)) == second[form], form


DRAWN_AGAIN = ["p-values", "joint ladder"]


@pytest.mark.parametrize(
    ("name", "worlds"),
    [*((name, WORLDS[0]) for name in PLOTS), *((name, WORLDS[1]) for name in DRAWN_AGAIN)],
    ids=[*PLOTS, *(f"{name}-again" for name in DRAWN_AGAIN)],
)
def test_names_change_nothing_else_of_a_figure(name, worlds, monkeypatch):
    monkeypatch.setattr("bayescmp.plots.ladder.wrap_text", lambda text, inches, size: text)
    texts = []
    for w in worlds:
        texts.append(drawn(PLOTS[name](w, lambda kind, w=w: made(w, kind))))
        plt.close("all")
    assert rename(texts[0], worlds, lambda n: n.replace("$", r"\$")) == texts[1]


@pytest.mark.parametrize("form", ["html", "md", "tex"])
def test_names_change_nothing_else_of_a_report(form, tmp_path, monkeypatch):
    monkeypatch.setattr("bayescmp.study.compare.perf_counter", lambda: 0.0)  # pages tell the time
    worlds, texts = WORLDS[0], []
    for w in worlds:
        path = tmp_path / f"report.{form}"
        how = {"metric": w.metrics[0], "algorithms": w.pair, "engine": "quadrature", **QUICK}
        with quiet():
            bc.report(w.scores, path, progress=False, title="Report", **how)
        texts.append(path.read_text(encoding="utf-8"))
    if form == "html":  # figures' texts are above, and names may be wider
        own = r"(?s)<svg.*?</svg>|padding-left:[\d.]+%"
        texts = [re.sub(own, "", text) for text in texts]
        embedded = [_json(_embedded(text)) for text in texts]
        assert rename(embedded[0], worlds) == embedded[1]
        texts = [SCRIPT.sub("", text) for text in texts]
    if form == "tex":  # a label is no text: it has letters, digits and hyphens only
        texts = [re.sub(r"\\label\{.*?\}", "", text) for text in texts]
    written = {"html": escape, "md": markdown, "tex": latex}[form]
    assert rename(texts[0], worlds, written) == texts[1]


def _embedded(page: str) -> Any:
    """What a page embeds, without the labels that LaTeX would be given."""
    script = SCRIPT.search(page)
    assert script is not None
    data = json.loads(script[1])
    for metric in data["metrics"]:
        del metric["label"]
    return data


#: What a page embeds for programs.
SCRIPT = re.compile(r'(?s)<script type="application/json"[^>]*>(.*?)</script>')


# Columns of users' names beside columns of the package's own.


HIGHER: dict[str, Any] = {"lower_is_better": [False] * 3}


def test_metrics_never_replace_results():
    """Metrics called like columns of the result, or like each other's interval."""
    x = np.random.default_rng(1).normal(0.7, 0.1, (3, 8, 3))
    blocks = bc.Blocks(x, rho=0.1, metrics=["p_average", "acc", "acc_low"], **HIGHER)
    result = bc.undominated(blocks, rope=0.01, draws=400, seed=1)
    named = bc.Blocks(x, rho=0.1, metrics=["m1", "m2", "m3"], **HIGHER)
    other = bc.undominated(named, rope=0.01, draws=400, seed=1)
    pd.testing.assert_frame_equal(result.frame, other.frame)
    means = result.draws.mean(axis=0)
    for k, metric in enumerate(result.metrics):
        own = result.means[metric].loc[list(result.algorithms)]
        np.testing.assert_array_equal(own["mean"], means[:, k])
        assert (own["low"] < own["mean"]).all()
        assert (own["mean"] < own["high"]).all()


def test_a_table_has_room_for_an_algorithm_called_total_or_algorithm():
    wins = f.WinsTable.from_counts([[0, 3], [1, 0]], 5, names=["total", "algorithm"])
    assert wins.frame.columns.tolist() == wins.frame.index.tolist() == ["total", "algorithm"]
    assert "total" in str(wins)


def test_differences_of_an_algorithm_called_like_a_p_value_are_numbers():
    means = pd.DataFrame(
        {"p_tuning": [0.9, 0.8, 0.7, 0.6], "p_right": [0.7, 0.6, 0.6, 0.5], "b": [0.6] * 4}
    )
    table = f.contrast_estimation(means)
    best = table.frame.loc["b", "p_tuning"]
    assert f"{best:.4g}" in str(table)
    assert "<0.001" not in str(table)


# Nothing is left out.


def test_every_kind_of_result_is_renamed():
    """The classes that show themselves, and the tests of the catalogue."""
    kinds = set(KINDS) - VARIANTS
    seen = {cls for kind in kinds for cls in type(made(WORLDS[0][0], kind)).__mro__}
    missing = {cls.__name__ for cls in _leaves(Summarised)} - {cls.__name__ for cls in seen}
    assert missing == set()
    tests = [*catalogue.BAYESIAN, *(name for name, _ in catalogue.FREQUENTIST)]
    assert set(tests) <= set(KINDS)


def _leaves(cls: type) -> Iterator[type]:
    below = [sub for sub in cls.__subclasses__() if sub.__module__.startswith("bayescmp.")]
    yield from (leaf for sub in below for leaf in _leaves(sub)) if below else [cls]
