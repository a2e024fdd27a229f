"""Which test when: the kinds of comparison, and the tests each of them calls for."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import product
from typing import Any

from bayescmp.base.arguments import must_be
from bayescmp.base.checks import check_choice, flag, is_number, validate_params
from bayescmp.catalogue import OWN, Sizes, bayesian_tests
from bayescmp.errors import unknown_name

#: By whether scores pair, their kind and the number of metrics: the tests of two algorithms, of
#: all at once, and then of each pair.
_STEPS = {
    (True, "folds", "one"): ("paired t", "blocked ANOVA", "Tukey"),
    (True, "folds", "several"): ("paired Hotelling T²", "blocked MANOVA", "Hotelling T²"),
    (False, "folds", "one"): ("Welch", "Kruskal-Wallis", "Brunner-Munzel"),
    (True, "answers", "one"): ("McNemar", "Cochran's Q", "McNemar"),
    (True, "values", "one"): ("DeLong", "", "DeLong"),
    (True, "counts", "one"): ("Barnard", "", "Barnard"),
}
_OVER_THRESHOLDS = "right-tailed sign test on each data set"
_OVER_DATASETS = "sign test on wins"
#: Lines of figure 7.1 that state a kind: metrics, algorithms, data sets, thresholds.
_THESIS = {
    ("one", "two", "one", "one"): "4-5",
    ("one", "several", "one", "one"): "6-8",
    ("several", "several", "one", "one"): "9-11",
    ("one", "several", "several", "one"): "12-16",
    ("several", "several", "several", "one"): "17-21",
    ("several", "several", "several", "several"): "22-26",
}


@dataclass(frozen=True)
class ComparisonKind:
    """A kind of comparison, and the tests it calls for.

    Attributes
    ----------
    metrics, datasets, thresholds, algorithms : str
        "one" (algorithms: "two") or "several".
    omnibus, pairwise : str
        Tests of all algorithms at once, on each data set (and at each threshold), and of each pair
        there (empty if there is only one).
    over_thresholds, over_datasets : str
        What joins them; empty if there is only one.
    bayesian : str
        The Bayesian test that answers the same question, in `bayescmp.bayesian` or `bayescmp`.
    thesis : str
        Lines of figure 7.1 of Aslan (2009) that state it; empty for kinds it leaves out.
    paired : bool
        Whether scores of the same folds or seeds pair.
    unit : str
        What is scored: "folds", "answers", "values" or "counts"; see `which_test`.
    """

    metrics: str
    algorithms: str
    datasets: str = "one"
    thresholds: str = "one"
    paired: bool = True
    unit: str = "folds"

    @property
    def omnibus(self) -> str:
        """The test of all algorithms at once."""
        return _STEPS[self.paired, self.unit, self.metrics][self.algorithms != "two"]

    @property
    def pairwise(self) -> str:
        """The test of each pair; empty for two algorithms."""
        return "" if self.algorithms == "two" else _STEPS[self.paired, self.unit, self.metrics][2]

    @property
    def over_thresholds(self) -> str:
        """The test that joins several thresholds."""
        return "" if self.thresholds == "one" else _OVER_THRESHOLDS

    @property
    def over_datasets(self) -> str:
        """The test that joins several data sets."""
        return "" if self.datasets == "one" else _OVER_DATASETS

    @property
    def bayesian(self) -> str:
        """The first test of the catalogue; `compare_all` for all pairs over data sets."""
        sizes = self.sizes
        if sizes.algorithms > 2 and sizes.datasets > 1 and sizes.metrics == 1:
            name = "compare_all"
        else:
            tries = product((sizes, replace(sizes, algorithms=2)), OWN)
            name = next(test.name for size, test in tries if test.fits(size))
        ranked = self.thresholds == "several" or self.unit == "values"
        return f"{name} on auc" if ranked else name

    @property
    def thesis(self) -> str:
        """Lines of figure 7.1 that state this kind."""
        return _THESIS.get(self.key, "") if self.paired and self.unit == "folds" else ""

    @property
    def key(self) -> tuple[str, str, str, str]:
        """Metrics, algorithms, data sets, thresholds."""
        return self.metrics, self.algorithms, self.datasets, self.thresholds

    @property
    def sizes(self) -> Sizes:
        """Sizes by which the catalogue's tests decide; several thresholds are one metric."""
        return Sizes(
            metrics=2 if (self.metrics, self.thresholds) == ("several", "one") else 1,
            algorithms=2 if self.algorithms == "two" else 3,
            datasets=1 if self.datasets == "one" else 2,
            paired=self.paired,
            unit=self.unit,
        )

    @property
    def tests(self) -> tuple[str, ...]:
        """The catalogue's Bayesian tests for this kind, the preferred first, or pair by pair."""
        pairs = replace(self.sizes, algorithms=2)
        return tuple(t.name for t in bayesian_tests() if t.fits(self.sizes) or t.fits(pairs))

    def __str__(self) -> str:
        parts = (
            (self.metrics, "metric"),
            (self.algorithms, "algorithm"),
            (self.datasets, "data set"),
            (self.thresholds, "threshold"),
        )
        text = ", ".join(f"{size} {word if size == 'one' else f'{word}s'}" for size, word in parts)
        text += "" if self.paired else ", runs that do not pair"
        units = {"folds": "", "counts": ", counts of successes"}
        return text + units.get(self.unit, f", {self.unit} to items")


_MANY = ("one", "several")
_ALGORITHMS = ("two", "several")
#: Every kind of comparison. The first four words say when, the others which test; Bayesian
#: counterparts of several thresholds take the area under the curve, the thresholds' summary.
KINDS: tuple[ComparisonKind, ...] = tuple(
    ComparisonKind(metrics, algorithms, datasets, thresholds)
    for thresholds, datasets, metrics, algorithms in product(_MANY, _MANY, _MANY, _ALGORITHMS)
)
#: Independent runs, which do not pair: by one metric.
UNPAIRED: tuple[ComparisonKind, ...] = tuple(
    ComparisonKind("one", n, datasets, paired=False) for datasets in _MANY for n in _ALGORITHMS
)
#: Right and wrong answers to the same items, values that rank them, and counts of successes.
ITEMS: tuple[ComparisonKind, ...] = tuple(
    ComparisonKind("one", n, unit=unit)
    for unit in ("answers", "values", "counts")
    for n in _ALGORITHMS
)


@validate_params(paired=flag)
def which_test(
    *,
    metrics: object = 1,
    algorithms: object = 2,
    datasets: object = 1,
    thresholds: object = 1,
    paired: bool = True,
    unit: object = "folds",
) -> ComparisonKind:
    """Return the tests that a comparison calls for.

    Parameters
    ----------
    metrics, datasets, thresholds : int or {"one", "several"}
    algorithms : int or {"two", "several"}
        How many there are.
    paired : bool
        Whether scores of the same folds or seeds pair; False is for one metric and threshold.
    unit : {"folds", "answers", "values", "counts"}
        What is scored: folds (or seeds); for one metric on one data set also right and wrong
        answers to items, values by which items are ranked, or counts of successes in separate
        trials.

    Returns
    -------
    Kind
        One of `KINDS`, or one for runs that do not pair, or for items.

    Raises
    ------
    InputError
        Too few of something, an unknown word; unpaired runs with several metrics or thresholds.

    References
    ----------
    Aslan 2009, figure 7.1; Yıldız & Alpaydın, sections 2.1 and 2.2.

    See Also
    --------
    procedure, compare, bayescmp.frequentist.confidence_sequence

    Examples
    --------
    >>> import bayescmp as bc
    >>> kind = bc.which_test(algorithms=3, datasets=20)
    >>> kind.omnibus, kind.pairwise, kind.over_datasets
    ('blocked ANOVA', 'Tukey', 'sign test on wins')
    """
    sizes = {"metrics": metrics, "datasets": datasets, "thresholds": thresholds}
    size = {name: _size(name, given, "one") for name, given in sizes.items()}
    two = _size("algorithms", algorithms, "two")
    scored = check_choice("unit", str(unit), ("folds", "answers", "values", "counts"))
    kind = ComparisonKind(**size, algorithms=two, paired=paired, unit=scored)
    known = kind in (*KINDS, *UNPAIRED, *ITEMS)
    if not known and scored != "folds":
        raise must_be(
            "unit",
            "'folds' unless there is one metric, one data set, one threshold, and pairs",
            unit,
        )
    if not known:
        raise must_be("paired", "True, unless there is one metric and one threshold", paired)
    return kind


def _size(name: str, given: Any, least: str) -> str:
    if isinstance(given, str):
        if given not in (least, "several"):
            raise unknown_name(name, given, (least, "several"))
        return given
    smallest = 2 if least == "two" else 1
    if not is_number(given) or given < smallest or given % 1:
        raise must_be(name, f"an integer >= {smallest}", given)
    return least if given == smallest else "several"


def _code(bayesian: str) -> str:
    """Write a function's name and arguments in Markdown."""
    name, _, data = bayesian.partition(" on ")
    return f"`{name}` on AUC" if data else f"`{name}`"


def kinds_table() -> str:
    """Write `KINDS` as a table in Markdown: which test when, and its Bayesian counterpart."""
    head = (
        *("metrics", "algorithms", "data sets", "thresholds", "on each data set"),
        *("then pairs by", "over thresholds", "over data sets", "Bayesian counterpart"),
    )
    rows = [
        (*k.key, k.omnibus, k.pairwise, k.over_thresholds, k.over_datasets, _code(k.bayesian))
        for k in KINDS
    ]
    lines = [head, ("---",) * len(head), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def check_kind(kind: object, actual: ComparisonKind) -> ComparisonKind:
    """Return the kind of the data, checked against `kind`: a Kind, its text, or None."""
    if kind is None:
        return actual
    named = {str(k): k for k in KINDS}
    given = named.get(" ".join(str(kind).split()))
    if given is None:
        raise unknown_name("kind", kind, named)
    if given != actual:
        raise must_be(
            "kind",
            f"{str(actual)!r} for these data",
            str(given),
            "Choose metrics, algorithms and datasets to fit, or leave kind out.",
        )
    return actual
