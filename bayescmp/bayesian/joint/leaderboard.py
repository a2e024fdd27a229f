"""Which of several models is best on given benchmarks, whose questions vary and which do not."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from bayescmp.base.checks import RhoLike, Seed
from bayescmp.base.declare import declare, optional, text
from bayescmp.bayesian.joint.bootstrap import BootstrapPosterior, ResamplingModel, resample
from bayescmp.bayesian.joint.standings import AVERAGE
from bayescmp.bayesian.joint.table import Questions, Weights
from bayescmp.scores.rope import RopeLike
from bayescmp.scores.scores import Scores
from bayescmp.wording.text import as_sentence

#: A note on every leaderboard.
OTHERS = "other benchmarks may rank the models differently: bootstrap asks that"


@declare(metric=optional(text))
def leaderboard(
    scores: Scores | ArrayLike,
    *,
    metric: str | None = None,
    rope: RopeLike,
    rho: RhoLike | None = None,
    questions: Questions | None = None,
    errors: ArrayLike | None = None,
    weights: Weights | None = None,
    lower_is_better: bool = False,
    draws: int = 4000,
    seed: Seed = None,
) -> BootstrapPosterior:
    """Which of several models is best on average over these benchmarks, given new questions.

    The benchmarks and their weights v are fixed; what varies is which questions they hold. Each
    model's score μ_bm on a benchmark is drawn from N(mean, standard error²), or from the
    correlated t posterior where there are scores of questions (or folds), which keeps their
    pairing. Models are compared by Σ v_b μ_bm. Whether another benchmark would put them in the
    same order is the question of `bootstrap`, whose probabilities are far less sure.

    Parameters
    ----------
    scores : Scores, or array_like of shape (q, L) or (q, n, L)
        Scores of L models on q benchmarks: means, or of n questions each, as `Items.scores` gives
        them. A model that is missing on one (NaN) takes, in each draw, its lead on another.
    metric : str, optional
        Which metric, where `Scores` has several.
    rope : float
        Half-width of the region of practical equivalence, in units of the metric.
    rho : float, array_like of shape (q,) or mapping of benchmark to float, optional
        Correlation of folds, where there are any; taken from the table if not given.
    questions : int, array_like of shape (q,) or (q, L), mapping of benchmark to int, optional
        Number of questions behind each mean, where means are shares of right answers.
    errors : float, array_like of shape (q,) or (q, L), DataFrame or mapping, optional
        Standard errors of the means, in units of the metric.
    weights : array_like of shape (q,) or mapping of benchmark to float, optional
        How much each benchmark counts, >= 0; all alike if not given.
    lower_is_better : bool
        Whether lower is better, for plain numbers.
    draws : int
        Number of independent draws, rounded up to a multiple of four.
    seed : int or numpy Generator, optional
        The same seed gives the same numbers.

    Returns
    -------
    BootstrapPosterior

    Raises
    ------
    InputError
        Bad scores, errors, weights, rope or seed; means alone, without questions or errors.

    See Also
    --------
    bootstrap : About other benchmarks like these.
    question_bootstrap : Of one benchmark's questions.
    bradley_terry : Of votes on pairs of answers.
    bayescmp.frequentist.posthoc : The frequentist twin, by ranks.

    Notes
    -----
    The standard error of a share of n questions is that of Jeffreys's posterior. Two models' means
    are taken to be independent. They share questions, which makes their difference surer than a
    table of means can show, so this is cautious.

    References
    ----------
    Miller (2024), Adding error bars to evals, arXiv:2411.00640.

    Examples
    --------
    >>> import pandas as pd
    >>> import bayescmp as bc
    >>> table = pd.DataFrame({"small": [0.61, 0.72], "tuned": [0.66, 0.71], "large": [0.67, 0.78]},
    ...                      index=["gsm8k", "arc"])
    >>> size = {"gsm8k": 1319, "arc": 1172}
    >>> board = bc.bayesian.leaderboard(table, rope=0.01, questions=size, seed=1)
    >>> {name: round(p, 2) for name, p in board.best().items()}
    {'small': 0.0, 'tuned': 0.0, 'large': 1.0}
    >>> board.verdict("small", "tuned").decision
    'undecided'
    """
    return resample(LEADERBOARD, "the leaderboard", **locals(), notes=(OTHERS,))


def _repeat_weights(posterior: BootstrapPosterior) -> np.ndarray:
    """Repeat the given weights for each draw."""
    q, given = len(posterior.x), posterior.importance
    return np.broadcast_to(np.full(q, 1 / q) if given is None else given, (posterior.size, q))


LEADERBOARD = BootstrapPosterior.answering(
    ResamplingModel(
        kind="leaderboard",
        method="Bayesian average over given benchmarks",
        reference="Miller 2024",
        target="new questions of these benchmarks",
        targets=(AVERAGE,),
        spoken={AVERAGE: "on new questions of these {unit}s"},
        fixed={
            "prior": "the scores have flat priors",
            "rho": "it widens the noise of the {p.sample}s only",
        },
        caveat=as_sentence(OTHERS),
        draw_weights=_repeat_weights,
        prior_words="flat on each model's score; the benchmarks are given, not drawn",
    )
)
