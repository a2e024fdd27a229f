"""Which test when: the kinds of comparison, and the tests each of them calls for."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from bayescmp.base.checks import choice, is_number
from bayescmp.base.declare import declare, flag
from bayescmp.catalogue import Sizes, bayesian_tests
from bayescmp.errors import InputError, unknown_name

__all__ = ["KINDS", "Kind", "kinds_table", "which_test"]


@dataclass(frozen=True)
class Kind:
    """A kind of comparison, and the tests it calls for.

    Attributes
    ----------
    metrics, datasets, thresholds : str
        "one" or "several".
    algorithms : str
        "two" or "several".
    omnibus : str
        The test of all algorithms at once, on each data set (and at each threshold).
    pairwise : str
        The test of each pair there; "" where the omnibus test is that of the only pair.
    over_thresholds, over_datasets : str
        What joins them; "" where there is one only.
    bayesian : str
        The Bayesian test that answers the same question, in `bayescmp.bayesian` or `bayescmp`.
    thesis : str
        Lines of figure 7.1 of Aslan (2009) that state it; "" for kinds the figure leaves out.
    paired : bool
        Whether scores of the same folds or seeds pair.
    unit : str
        What is scored: "folds"; "answers", right and wrong, to a test set's items; or "values",
        by which a test set's items are ranked.
    """

    metrics: str
    algorithms: str
    datasets: str
    thresholds: str
    omnibus: str
    pairwise: str
    over_thresholds: str
    over_datasets: str
    bayesian: str
    thesis: str
    paired: bool = True
    unit: str = "folds"

    @property
    def key(self) -> tuple[str, str, str, str]:
        """Metrics, algorithms, data sets, thresholds."""
        return self.metrics, self.algorithms, self.datasets, self.thresholds

    @property
    def tests(self) -> tuple[str, ...]:
        """The Bayesian tests of the catalogue for this kind, by name, the preferred first.

        Tests of two algorithms compare several pair by pair. Several thresholds are compared by
        the area under the curve, which is one metric.
        """
        sizes = Sizes(
            metrics=2 if (self.metrics, self.thresholds) == ("several", "one") else 1,
            algorithms=2 if self.algorithms == "two" else 3,
            datasets=1 if self.datasets == "one" else 2,
            paired=self.paired,
            unit=self.unit,
        )
        pairs = replace(sizes, algorithms=2)
        return tuple(t.name for t in bayesian_tests() if t.fits(sizes) or t.fits(pairs))

    def __str__(self) -> str:
        parts = (
            (self.metrics, "metric"),
            (self.algorithms, "algorithm"),
            (self.datasets, "data set"),
            (self.thresholds, "threshold"),
        )
        text = ", ".join(f"{size} {word if size == 'one' else f'{word}s'}" for size, word in parts)
        text += "" if self.paired else ", runs that do not pair"
        return text if self.unit == "folds" else f"{text}, {self.unit} to items"


_RIGHT = "right-tailed sign test on each data set"
_SIGN = "sign test on wins"
_PAIR_T, _ANOVA, _TUKEY = "paired t", "blocked ANOVA", "Tukey"
_PAIR_T2, _MANOVA, _PAIRS_T2 = "paired Hotelling T²", "blocked MANOVA", "Hotelling T²"

#: Every kind of comparison. The first four words say when, the others which test; Bayesian
#: counterparts of several thresholds take the area under the curve, the thresholds' summary.
KINDS: tuple[Kind, ...] = (
    Kind("one", "two", "one", "one", _PAIR_T, "", "", "", "correlated_t", "4-5"),
    Kind("one", "several", "one", "one", _ANOVA, _TUKEY, "", "", "groups", "6-8"),
    Kind("several", "two", "one", "one", _PAIR_T2, "", "", "", "multivariate_t", ""),
    Kind("several", "several", "one", "one", _MANOVA, _PAIRS_T2, "", "", "groups", "9-11"),
    Kind("one", "two", "several", "one", _PAIR_T, "", "", _SIGN, "hierarchical_t", ""),
    Kind("one", "several", "several", "one", _ANOVA, _TUKEY, "", _SIGN, "compare_all", "12-16"),
    Kind(
        "several",
        "two",
        "several",
        "one",
        _PAIR_T2,
        "",
        "",
        _SIGN,
        "hierarchical_multivariate_t",
        "",
    ),
    Kind(
        "several",
        "several",
        "several",
        "one",
        _MANOVA,
        _PAIRS_T2,
        "",
        _SIGN,
        "hierarchical_multivariate_t",
        "17-21",
    ),
    Kind("one", "two", "one", "several", _PAIR_T, "", _RIGHT, "", "correlated_t on auc", ""),
    Kind("one", "several", "one", "several", _ANOVA, _TUKEY, _RIGHT, "", "groups on auc", ""),
    Kind("several", "two", "one", "several", _PAIR_T2, "", _RIGHT, "", "correlated_t on auc", ""),
    Kind(
        "several", "several", "one", "several", _MANOVA, _PAIRS_T2, _RIGHT, "", "groups on auc", ""
    ),
    Kind(
        "one", "two", "several", "several", _PAIR_T, "", _RIGHT, _SIGN, "hierarchical_t on auc", ""
    ),
    Kind(
        "one",
        "several",
        "several",
        "several",
        _ANOVA,
        _TUKEY,
        _RIGHT,
        _SIGN,
        "compare_all on auc",
        "",
    ),
    Kind(
        "several",
        "two",
        "several",
        "several",
        _PAIR_T2,
        "",
        _RIGHT,
        _SIGN,
        "hierarchical_t on auc",
        "",
    ),
    Kind(
        "several",
        "several",
        "several",
        "several",
        _MANOVA,
        _PAIRS_T2,
        _RIGHT,
        _SIGN,
        "compare_all on auc",
        "22-26",
    ),
)

#: Runs with seeds of their own, which do not pair: one metric on one data set.
UNPAIRED: tuple[Kind, ...] = (
    Kind("one", "two", "one", "one", "Welch", "", "", "", "two_sample_t", "", paired=False),
    Kind("one", "several", "one", "one", "Kruskal-Wallis", "Brunner-Munzel", "", "",
         "two_sample_t", "", paired=False),
)  # fmt: skip

#: Right and wrong answers to the same items, and values that rank them.
ITEMS: tuple[Kind, ...] = (
    Kind("one", "two", "one", "one", "McNemar", "", "", "", "paired_proportions", "",
         unit="answers"),
    Kind("one", "several", "one", "one", "Cochran's Q", "McNemar", "", "", "paired_proportions",
         "", unit="answers"),
    Kind("one", "two", "one", "one", "DeLong", "", "", "", "correlated_t on auc", "",
         unit="values"),
    Kind("one", "several", "one", "one", "", "DeLong", "", "", "groups on auc", "",
         unit="values"),
)  # fmt: skip

_BY_KEY = {kind.key: kind for kind in KINDS}
_UNPAIRED_BY_KEY = {kind.key: kind for kind in UNPAIRED}
_ITEMS_BY_KEY = {(kind.unit, kind.key): kind for kind in ITEMS}


@declare(paired=flag)
def which_test(
    *,
    metrics: object = 1,
    algorithms: object = 2,
    datasets: object = 1,
    thresholds: object = 1,
    paired: bool = True,
    unit: object = "folds",
) -> Kind:
    """The tests that a comparison calls for.

    Parameters
    ----------
    metrics, datasets, thresholds : int or {"one", "several"}
        How many.
    algorithms : int or {"two", "several"}
        How many.
    paired : bool
        Whether the algorithms were run on the same folds or with the same seeds, so that their
        scores pair. If not, for one metric on one data set.
    unit : {"folds", "answers", "values"}
        What is scored: folds (or seeds); for one metric on one data set also right and wrong
        answers to a test set's items, or values such as probabilities by which they are ranked.

    Returns
    -------
    Kind
        One of `KINDS`, or one for runs that do not pair, or for items.

    Raises
    ------
    InputError
        Fewer than two algorithms or than one of the others, or an unknown word; runs that do not
        pair by several metrics, data sets or thresholds.

    References
    ----------
    Aslan 2009, figure 7.1; Yıldız & Alpaydın, sections 2.1 and 2.2 (two algorithms, several
    metrics).

    See Also
    --------
    procedure : Reads the kind from the scores, and does the tests.
    compare : Chooses among ``tests`` by itself.

    Examples
    --------
    >>> import bayescmp as bc
    >>> kind = bc.which_test(algorithms=3, datasets=20)
    >>> kind.omnibus, kind.pairwise, kind.over_datasets
    ('blocked ANOVA', 'Tukey', 'sign test on wins')
    >>> kind.tests[:4]
    ('hierarchical_t', 'signed_rank', 'sign', 'joint_t')
    >>> bc.which_test(paired=False).tests  # runs with seeds of their own
    ('two_sample_t',)
    >>> bc.which_test(unit="values").omnibus  # probabilities of a test set's items
    'DeLong'
    """
    sizes = {"metrics": metrics, "datasets": datasets, "thresholds": thresholds}
    size = {name: _size(name, given, "one") for name, given in sizes.items()}
    two = _size("algorithms", algorithms, "two")
    key = size["metrics"], two, size["datasets"], size["thresholds"]
    if choice("unit", str(unit), ("folds", "answers", "values")) != "folds":
        if (str(unit), key) not in _ITEMS_BY_KEY or not paired:
            raise InputError(f"unit={unit!r} is for one metric, data set and threshold, paired")
        return _ITEMS_BY_KEY[str(unit), key]
    if paired:
        return _BY_KEY[key]
    if key not in _UNPAIRED_BY_KEY:
        raise InputError(
            "paired=False is for one metric, data set and threshold; over several data sets the "
            "means of the runs pair"
        )
    return _UNPAIRED_BY_KEY[key]


def _size(name: str, given: Any, least: str) -> str:
    if isinstance(given, str):
        if given not in (least, "several"):
            raise unknown_name(name, given, (least, "several"))
        return given
    smallest = 2 if least == "two" else 1
    if not is_number(given) or given < smallest or given % 1:
        raise InputError(f"{name}={given!r}; accepted: an integer >= {smallest}")
    return least if given == smallest else "several"


def _code(bayesian: str) -> str:
    """A function's name in Markdown, and what it is given."""
    name, _, of = bayesian.partition(" on ")
    return f"`{name}` on AUC" if of else f"`{name}`"


def kinds_table() -> str:
    """The table of `KINDS` in Markdown: which test when, and its Bayesian counterpart."""
    head = (
        "metrics",
        "algorithms",
        "data sets",
        "thresholds",
        "on each data set",
        "then pairs by",
        "over thresholds",
        "over data sets",
        "Bayesian counterpart",
    )
    rows = [
        (*k.key, k.omnibus, k.pairwise, k.over_thresholds, k.over_datasets, _code(k.bayesian))
        for k in KINDS
    ]
    lines = [head, ("---",) * len(head), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def check_kind(kind: object, actual: Kind) -> Kind:
    """The kind that was read from the data, checked against the one that was given.

    Parameters
    ----------
    kind : Kind, str or None
        As given by the user: a kind, or its text.
    actual : Kind
        As read from the data.

    Returns
    -------
    Kind

    Raises
    ------
    InputError
        Unknown kind, or one that does not fit the data.
    """
    if kind is None:
        return actual
    named = {str(k): k for k in KINDS}
    given = named.get(" ".join(str(kind).split()))
    if given is None:
        raise unknown_name("kind", kind, named)
    if given != actual:
        raise InputError(
            f"kind is {str(given)!r}, but the data make it {str(actual)!r}: choose metrics, "
            "algorithms and datasets to fit, or leave kind out"
        )
    return actual
