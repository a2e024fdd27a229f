"""Which algorithm is best, in sentences for a paper."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from bayescmp.text import listed, plus_minus, probability

if TYPE_CHECKING:
    from bayescmp.bayesian.joint.standings import StandingPosterior

__all__ = ["multiplicity", "sentences", "top_sets_in_words"]


def sentences(p: StandingPosterior, compared: str, threshold: float) -> list[str]:
    """Which is best on each target, which are as good, and why nothing is adjusted.

    Parameters
    ----------
    p : StandingPosterior
    compared : str
        What was compared: "3 algorithms on 12 data sets".
    threshold : float
        Least joint probability of the top set that is named.
    """
    parts = [f"Of {compared}, {'; '.join(_best(p, on) for on in p.targets)}."]
    parts += [p.caveat] if p.caveat else []
    main = p.targets[0]
    if p.rope.high > 0:
        parts += [_near(p, main), _set(p, main, threshold)]
    return [*parts, multiplicity(shrinks=p.shrinks, shared=p.pooled)]


def _best(p: StandingPosterior, on: str) -> str:
    table = p.ranking(on)
    name, row = table.index[0], table.iloc[0]
    chance = f"{probability(row['p_best'])} {plus_minus(row['se_best'])}".rstrip()
    return f"{name} is the likeliest to be best {p.spoken[on]} ({chance})"


def _near(p: StandingPosterior, on: str) -> str:
    table = p.ranking(on).sort_values("p_near", ascending=False, kind="stable").head(3)
    each = [f"{name} with {probability(row['p_near'])}" for name, row in table.iterrows()]
    return f"Within {p.rope.high:g} of the best {p.spoken[on]}: {listed(each)}."


def _set(p: StandingPosterior, on: str, threshold: float) -> str:
    members = p.top_set(threshold, on=on)
    if not members:
        return (
            f"No {p.subject} is within {p.rope.high:g} of the best {p.spoken[on]} with "
            f"probability {threshold:g} or more."
        )
    joint = p.top_sets(on)["p_joint"].iloc[len(members) - 1]
    chance = f"with probability {probability(joint)}; no larger nested set reaches {threshold:g}."
    if len(members) == 1:
        return f"{members[0]} alone is within {p.rope.high:g} of the best {chance}"
    return f"{listed(members)} are all within {p.rope.high:g} of the best at once {chance}"


def multiplicity(*, shrinks: bool, shared: str = "algorithms and data sets") -> str:
    """Why probabilities of one joint posterior are not adjusted, in two sentences."""
    if shrinks:
        return (
            "No adjustment for multiple comparisons is made: all statements are read off one "
            f"joint posterior, in which {shared} share a hierarchical prior that "
            "pulls extreme estimates in. The more there are to compare, the more it pulls, which "
            "is what adjusting p-values is for (Gelman, Hill & Yajima 2012)."
        )
    return (
        "No adjustment for multiple comparisons is made: all statements are read off one joint "
        "posterior, and hold jointly, however many are made. This posterior does not "
        "shrink extreme estimates as a hierarchical model does (Gelman, Hill & Yajima 2012), so "
        "the probability of being best is somewhat optimistic for the one that looks best of many."
    )


def top_sets_in_words(members: Sequence[Sequence[str]], joint: Sequence[float]) -> str:
    """The nested sets in one line: "{svm} 0.62, + logistic 0.37, + lda 0.24"."""
    parts = [
        f"{{{names[0]}}} {probability(p)}" if k == 0 else f"+ {names[-1]} {probability(p)}"
        for k, (names, p) in enumerate(zip(members, joint, strict=True))
    ]
    return ", ".join(parts)
