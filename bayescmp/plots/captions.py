"""Captions: one or two sentences on the content of a figure, from the record that it draws."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

from matplotlib.axes import Axes

from bayescmp.base.arguments import must_be
from bayescmp.base.checks import validate_params
from bayescmp.plots.drawing import AXES
from bayescmp.scores.rope import rope_phrase
from bayescmp.summaries.verdict import merge_priors
from bayescmp.wording.text import adjusted_by, format_count, join_items, words_of

if TYPE_CHECKING:
    from bayescmp.frequentist.results import PosthocResult
    from bayescmp.results.posterior import Fitted
    from bayescmp.results.verdict import Verdict
    from bayescmp.study.comparisons import Comparisons

#: More algorithms are counted, not named.
NAMED = 4

#: First sentences, by whether the metric, and the test, algorithms or data are known.
QUANTITIES = {
    (True, True): "{quantity}, {measured} ({about}).",
    (True, False): "{quantity}, {measured}.",
    (False, True): "{quantity} ({about}).",
    (False, False): "{quantity}.",
}
#: Threshold and ROPE, and the meaning of marks.
SETTING, NOTES = "Setting: {}.", "Notes: {}."
SETTINGS = {
    "rope": "{}",
    "threshold": "threshold {:g}",
    "level": "level {:g}",
    "prior": "prior: {}",
}


@dataclass(frozen=True)
class Facts:
    """Facts for a caption in addition to the quantity; empty ones are left out.

    `names` are the algorithms, `measured` the metric with its direction, `sample` what was
    observed ("10 data sets"), `rope` the region in words; `threshold` and `level` decide;
    `subject` is what is compared.
    """

    test: str = ""
    names: tuple[str, ...] = ()
    measured: str = ""
    sample: str = ""
    rope: str = ""
    threshold: float | None = None
    level: float | None = None
    prior: str = ""
    subject: str = "algorithm"

    def sentences(self, quantity: str, marks: Iterable[str] = ()) -> str:
        """Write the caption of a figure of that quantity, with the meaning of its marks."""
        count = len(self.names)
        names = format_count(count, self.subject) if count > NAMED else join_items([*self.names])
        about = "; ".join(filter(None, (self.test, names, self.sample)))
        first = QUANTITIES[bool(self.measured), bool(about)].format(
            quantity=quantity, measured=self.measured, about=about
        )
        facts = {name: getattr(self, name) for name in SETTINGS}
        settings = [SETTINGS[name].format(x) for name, x in facts.items() if x not in ("", None)]
        lists = {SETTING: settings, NOTES: list(filter(None, marks))}
        more = [template.format("; ".join(items)) for template, items in lists.items() if items]
        return " ".join([first, *more])


_NOTED: WeakKeyDictionary[Axes, str] = WeakKeyDictionary()


def note(ax: Axes, quantity: str, facts: Facts, *marks: str, **others: Any) -> Axes:
    """Keep axes' caption, with explained `marks` and `others` for facts, and return them."""
    _NOTED[ax] = replace(facts, **others).sentences(quantity, marks)
    return ax


def facts_of_posterior(posterior: Fitted, verdict: Verdict | None = None) -> Facts:
    """Return what a posterior, and a verdict from it, keep of their origin."""
    return Facts(
        test=posterior.method,
        names=tuple(posterior.names),
        measured=posterior.measured,
        sample=posterior.data_text,
        rope=_rope_of(posterior if verdict is None else verdict),
        threshold=None if verdict is None else verdict.threshold,
        prior="" if verdict is None else verdict.prior,
        subject=posterior.subject,
    )


def _rope_of(result: Any) -> str:
    """Return the region in words."""
    metrics = getattr(result, "metrics", ())
    return rope_phrase(result.rope, metrics, of_ratios=result.of_ratios)


def facts_of_verdicts(verdicts: Iterable[Verdict]) -> Facts:
    """Return the origin of verdicts; if they differ, every origin."""
    every = list(verdicts)
    names = tuple(dict.fromkeys(name for verdict in every for name in verdict.names))
    return Facts(
        test=_merge_texts(verdict.method for verdict in every),
        names=names,
        measured=_merge_texts(verdict.measured for verdict in every),
        rope=_merge_texts(map(_rope_of, every)),
        threshold=every[0].threshold if len({v.threshold for v in every}) == 1 else None,
        prior=merge_priors(verdict.prior for verdict in every),
        subject=words_of(every[0].unit)["subject"],
    )


def facts_of_pairs(comparisons: Comparisons, threshold: float | None = None) -> Facts:
    """Return what the results of many pairs keep of their origin."""
    results = [*comparisons.results.values()]
    verdict = results[0].verdict
    sets = sorted({result.datasets for result in results})
    return Facts(
        test=_merge_texts(result.verdict.method for result in results),
        names=tuple(comparisons.algorithms),
        measured=comparisons.measured,
        sample=" to ".join([*map(str, sets[:-1][:1]), format_count(sets[-1], verdict.unit)]),
        subject=words_of(verdict.unit)["subject"],
        rope=_rope_of(comparisons),
        threshold=verdict.threshold if threshold is None else threshold,
        prior=merge_priors(result.verdict.prior for result in results),
    )


def _merge_texts(texts: Iterable[str]) -> str:
    """Return the text of all pairs; if they differ, every text."""
    return " or ".join(text for text in dict.fromkeys(texts) if text)


def facts_of_tests(result: PosthocResult, level: float) -> Facts:
    """Return what tests of pairs keep of their origin."""
    own = result.adjust in ("", "none") or result.adjust in result.method.lower()
    adjusted = "" if own else f", {adjusted_by(result.adjust)}"
    return Facts(
        test=f"{result.method}{adjusted}",
        names=tuple(result.names),
        measured=result.measured,
        sample=f"n = {result.n}" if result.n else "",
        level=level,
    )


@validate_params(ax=AXES)
def caption(ax: Axes) -> str:
    """Describe the content of a figure in one or two sentences for the caption of a paper.

    Parameters
    ----------
    ax : matplotlib Axes
        What a plot function returned.

    Returns
    -------
    str
        The quantity, the test, the algorithms and the sample; ROPE, threshold and prior, if any.

    Raises
    ------
    InputError
        If no plot of this package was drawn on the axes.

    See Also
    --------
    style : Figures as wide as a journal's column.

    Examples
    --------
    >>> from bayescmp import bayesian, plots
    >>> x = [0.01, 0.03, 0.02, 0.00]
    >>> posterior = bayesian.correlated_t(x, rho=0.2, rope=0.01, names=("knn", "gbm"))
    >>> text = plots.caption(plots.plot_density(posterior))
    >>> text.split(". ")[0]
    'Posterior density of the mean difference (Bayesian correlated t test; knn and gbm; 4 folds)'
    """
    text = _NOTED.get(ax)
    if text is None:
        raise must_be("ax", "axes that a plot of bayescmp returned", hint="It has no caption.")
    return text
