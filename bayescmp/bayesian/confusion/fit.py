"""Two algorithms by their confusion counts on a test set: Dirichlet posteriors of any metric."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from bayescmp import bounds, checks
from bayescmp._version import built_in
from bayescmp.bayesian.confusion.cells import compared, drawn_cells
from bayescmp.bayesian.confusion.chosen import chosen_metrics
from bayescmp.bayesian.confusion.counts import read_counts
from bayescmp.bayesian.confusion.posterior import ConfusionPosterior
from bayescmp.diagnostics import Diagnostics
from bayescmp.errors import InputError
from bayescmp.verdict import as_ropes

if TYPE_CHECKING:
    from bayescmp.checks import Seed
    from bayescmp.verdict.rope import RopesLike


__all__ = ["confusion"]


def confusion(
    counts_first: Any = None,
    counts_second: Any = None,
    metric: object = "accuracy",
    *,
    rope: RopesLike,
    prior: Any = 1.0,
    joint: Any = None,
    predictions: object = None,
    repeats: int | None = None,
    names: Sequence[str] | None = None,
    lower_is_better: bool | Sequence[bool] | None = None,
    draws: int = 50_000,
    seed: Seed = None,
) -> ConfusionPosterior:
    """Bayesian comparison of two classifiers by their confusion counts on one test set.

    (tp, fn, fp, tn) are multinomial; with a Dirichlet(prior) prior, their probabilities have the
    posterior Dirichlet(prior + counts), and draws of them give the posterior of any metric that is
    a function of them. Where the two classifiers' predictions are known item by item, the eight
    cells of (truth, first, second) are drawn jointly, so that what they share cancels in the
    difference. Otherwise the two are treated as independent, which is too cautious if they err on
    the same items.

    Parameters
    ----------
    counts_first, counts_second : array_like of shape (4,) or (m, 4), mapping, Series or DataFrame
        tp, fn, fp, tn of each, by name where they have names; the rows of several test sets are
        added up, and divided by ``repeats``. Not needed with ``joint`` or ``predictions``.
    metric : str, callable, or sequence of them
        By name ("accuracy", "tpr", "f1", "mcc", ...; see `bayescmp.rates.rates`) or a function of
        arrays tp, fn, fp, tn, which are expected counts on as many items as there were. Several
        metrics give a verdict over four regions.
    rope : float, sequence or mapping of metric to rope
        Region of practical equivalence, in units of the metric; one per metric.
    prior : float or array_like of shape (4,)
        Weights of the Dirichlet prior, > 0: 1 is uniform, 1/2 Jeffreys'.
    joint : array_like of shape (2, 2, 2), optional
        Items by truth, first and second prediction, each 0 (negative) or 1 (positive).
    predictions : (truth, first, second), optional
        Three vectors of 0 and 1, item by item, in place of ``joint``.
    repeats : int, optional
        How often each item was tested, by which the counts are divided: repeats of
        cross-validation test the same items again. Read from a column "repeat" or from "fold"
        labels that recur. 1 where rows can't be repeats of one another (repeats have the same
        positives and negatives); required where they might be.
    names : (str, str), optional
        The two algorithms.
    lower_is_better : bool or sequence of bool, optional
        One per metric; taken from the metrics' names if not given, False for functions.
    draws : int
        Number of draws.
    seed : int or numpy Generator, optional
        The same seed gives the same numbers.

    Returns
    -------
    ConfusionPosterior

    Raises
    ------
    InputError
        Counts that are negative, not finite or not four; rows that may be repeats; a joint table
        that contradicts them; predictions other than 0 and 1; an unknown metric, or one that is
        0/0 in some draw; a bad prior, rope, number of draws or seed.

    Notes
    -----
    The posterior is about new items for the classifiers as they are. It does not include how they
    would vary with another training set; for that see `multivariate_t` and `groups`.

    References
    ----------
    Caelen (2017), A Bayesian interpretation of the confusion matrix, Annals of Mathematics and
    Artificial Intelligence 81:429-450; Tötsch & Hoffmann (2020), Classifier uncertainty: evidence,
    potential impact, and probabilistic treatment, PeerJ Computer Science 7:e398.

    See Also
    --------
    bayescmp.frequentist.sign_test : Of the items on which one of the two errs (McNemar's test).
    multivariate_t : Which allows for other training sets.

    Examples
    --------
    >>> from bayescmp.bayesian import confusion
    >>> first, second = (40, 10, 5, 45), (45, 5, 5, 45)
    >>> posterior = confusion(first, second, "accuracy", rope=0.01, seed=1)
    >>> posterior.verdict().ranked[0]
    'right'
    """
    counts, notes = read_counts(counts_first, counts_second, joint, predictions, repeats)
    weights, number = _prior(prior), checks.seed_of(seed)
    chosen = chosen_metrics(metric, lower_is_better)
    labels = tuple(m.name for m in chosen)
    size = checks.whole("draws", draws, least=100, most=bounds.MOST_DRAWS)
    values = compared(drawn_cells(counts, weights, size, number), chosen)
    return ConfusionPosterior(
        values=values,
        counts=counts,
        prior=weights,
        chosen=chosen,
        metrics=labels,
        metric=", ".join(labels),
        directions=tuple(m.direction for m in chosen),
        rope=as_ropes(rope, labels),
        names=checks.names(names),
        engine="exact",
        engine_version=built_in(),
        diagnostics=Diagnostics(exact=True),
        seed=number,
        notes=notes,
    )


# -- reading -----------------------------------------------------------------------------------


def _prior(prior: ArrayLike) -> np.ndarray:
    accepted = "a weight > 0, or four of tp, fn, fp, tn"
    weights = checks.numbers(prior, "prior", accepted)
    if weights.shape not in ((), (4,)) or not np.all((weights > 0) & np.isfinite(weights)):
        raise InputError(f"prior={prior!r}; accepted: {accepted}")
    return np.array(np.broadcast_to(weights, (4,)))
