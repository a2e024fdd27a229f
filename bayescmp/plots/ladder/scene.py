"""What the ladder shows: the order, arrows and brackets, and how far each is behind the first."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from bayescmp.plots.captions import Facts, facts_of_pairs, facts_of_posterior
from bayescmp.plots.critical_difference import lanes_of
from bayescmp.results.ladder import Ladder
from bayescmp.results.posterior import Fitted
from bayescmp.scores.rope import Rope
from bayescmp.study.comparisons import Comparisons
from bayescmp.wording.text import counted

if TYPE_CHECKING:
    from bayescmp.results.verdict import Verdict


@dataclass(frozen=True)
class Lead:
    """By how much the first algorithm leads another; what is not known is NaN.

    Attributes
    ----------
    place : int
        Of the other.
    middle, low, high : float
        The lead and its central 95 % interval.
    region : str
        What is decided, as `THREE` names it with the leader first; "" if nothing is.
    """

    place: int
    middle: float
    low: float
    high: float
    region: str


@dataclass(frozen=True)
class Scene:
    """What is drawn.

    Attributes
    ----------
    ladder : Ladder
    facts : Facts
        For the title and the caption.
    leader : str
        The first in order, or the control.
    leads : tuple of Lead
        Empty where no magnitudes are known.
    quantity : str
        What the leads are.
    rope : Rope or None
        The band.
    numbers : bool
        Whether probabilities stand between neighbours.
    compared : int
        Pairs of which there is a verdict.
    """

    ladder: Ladder
    facts: Facts
    leader: str
    leads: tuple[Lead, ...]
    quantity: str
    rope: Rope | None
    numbers: bool
    compared: int

    @property
    def known(self) -> bool:
        """Whether the leads have intervals."""
        return any(np.isfinite(lead.low) for lead in self.leads)

    @property
    def of_ratios(self) -> bool:
        """Whether differences are of logarithms."""
        return "(log ratio)" in self.facts.measured

    @property
    def better(self) -> str:
        """What an arrow says."""
        return "better" if self.rope is not None and self.rope.empty else "practically better"


def scene_of(result: Any, numbers: bool) -> Scene:
    """What is drawn of a result, with numbers between neighbours or without."""
    ladder = result if isinstance(result, Ladder) else result.ladder()
    leader, facts, compared = ladder.names[0], Facts(names=ladder.names), ladder.pairs
    verdicts: dict[int, tuple[Verdict, float]] = {}
    if isinstance(result, Comparisons):
        leader, facts, compared = result.control or leader, facts_of_pairs(result), 0
        compared = len(result.results)
        verdicts = _of_comparisons(result, ladder, leader)
    elif isinstance(result, Fitted):
        posterior: Any = result
        others = [name for name in ladder.names if name != leader]
        verdicts = {ladder.names.index(n): (posterior.verdict(leader, n), np.nan) for n in others}
    some = next((v for v, _ in verdicts.values()), None)
    if isinstance(result, Fitted):
        facts = facts_of_posterior(result, some)
    rope = some.rope if some is not None and isinstance(some.rope, Rope) else None
    leads = () if rope is None else tuple(_lead(j, *pair) for j, pair in verdicts.items())
    return Scene(
        ladder,
        facts,
        leader,
        leads if any(np.isfinite(lead.middle) for lead in leads) else (),
        "" if some is None else some.quantity,
        rope,
        numbers,
        compared,
    )


def _of_comparisons(
    comparisons: Comparisons, ladder: Ladder, leader: str
) -> dict[int, tuple[Verdict, float]]:
    """Verdicts of the leader against each, with the mean difference over the data sets."""
    verdicts = {}
    for place, name in enumerate(ladder.names):
        pair = (leader, name) if (leader, name) in comparisons.results else (name, leader)
        if pair in comparisons.results:
            means = comparisons.results[pair].means
            sign = 1 if pair[0] == leader else -1
            middle = sign * float(np.mean(means)) if len(means) else np.nan
            verdicts[place] = comparisons.verdict(leader, name), middle
    return verdicts


def _lead(place: int, verdict: Verdict, middle: float) -> Lead:
    """Of a verdict with the leader first, whose differences are the other minus the leader."""
    low, high = verdict.mean_interval[0] if verdict.mean_interval else (np.nan, np.nan)
    if verdict.mean_interval:
        middle = verdict.estimate[0] if verdict.estimate else (low + high) / 2
    region = verdict.ranked[0] if verdict.decided else ""
    return Lead(place, -middle, -high, -low, region)


def arrow_lanes(ladder: Ladder) -> list[tuple[int, int, tuple[int, ...], bool]]:
    """Lane, tail, heads and whether it stands for many pairs, of each arrow beside the rail."""
    links: list[tuple[int, tuple[int, ...], bool]] = [
        (i, (j,), True) for i, j in ladder.steps if j != i + 1
    ]  # those are on the rail
    links += [(i, heads, False) for i, heads in single_arrows(ladder)]
    spans = [(min(i, *heads), max(i, *heads)) for i, heads, _ in links]
    return [(lane, *link) for lane, link in zip(lanes_of(spans, 0.3), links, strict=True)]


def single_arrows(ladder: Ladder) -> list[tuple[int, tuple[int, ...]]]:
    """Pairs by themselves, those of one algorithm together; none where they are too many."""
    heads: dict[tuple[int, bool], list[int]] = {}
    for i, j in ladder.single:
        if j != i + 1:  # neighbours are on the rail
            heads.setdefault((i, j > i), []).append(j)
    drawn = [(i, tuple(sorted(places))) for (i, _), places in heads.items()]
    return drawn if len(drawn) <= len(ladder.names) else []


def hidden_pairs(ladder: Ladder) -> int:
    """How many pairs that are decided have no arrow."""
    alone = sum(j != i + 1 for i, j in ladder.single)
    return alone if alone and not single_arrows(ladder) else 0


def brackets_of(ladder: Ladder, joint: bool) -> list[tuple[int, tuple[int, ...], float]]:
    """Lane, members and joint probability of each set; two neighbours are joined on the rail."""
    numbers = ladder.joint or (np.nan,) * len(ladder.equivalent)
    sets = [
        (members, p)
        for members, p in zip(ladder.equivalent, numbers, strict=True)
        if joint or members != (members[0], members[0] + 1)
    ]
    lanes = lanes_of([(members[0], members[-1]) for members, _ in sets], 0.3)
    return [(lane, *each) for lane, each in zip(lanes, sets, strict=True)]


def counts_of(scene: Scene) -> str:
    """How much is decided, and what is not drawn of it or not known."""
    hidden, gone = hidden_pairs(scene.ladder), scene.ladder.pairs - scene.compared
    text = f"{scene.ladder.decided} of {counted(scene.compared, 'pair')} decided"
    text += f", {hidden} of them not drawn" if hidden else ""
    return f"{text}; {gone} not compared" if gone else text


def caption_of(scene: Scene) -> str:
    """What the caption says of the marks."""
    if not scene.leads:
        return counts_of(scene)
    band = "" if scene.rope is None or scene.rope.empty else ", on the band of the rope"
    return f"{counts_of(scene)}; right: {panel_words(scene, scene.leader)}{band}"


def panel_words(scene: Scene, leader: str) -> str:
    """What the panel shows, with the leader's name as it fits."""
    if scene.of_ratios:
        metric = scene.facts.measured.partition(" (")[0]
        own = f"{leader}'s {metric} larger by", f"{metric} larger than {leader}'s by"
        lead = own["↓" in scene.facts.measured]
    elif scene.quantity == "mean difference":
        lead = f"mean lead of {leader}"
    else:
        lead = f"lead of {leader} ({scene.quantity})"
    return f"{lead}, 95 % intervals" if scene.known else lead
