"""Summary of the posterior of several algorithms on one data set."""

from __future__ import annotations

from numpy.typing import ArrayLike

from bayescmp.base.arguments import either
from bayescmp.bayesian.groups.base import GroupsPosterior
from bayescmp.present.summary import Cells, Column, Summary, summarise
from bayescmp.scores.metrics import list_metrics
from bayescmp.scores.rope import rope_phrase
from bayescmp.summaries.board import summarise_board
from bayescmp.summaries.fitted import (
    describe_method,
    describe_parameters,
    engine_details,
    list_doubts,
    tabulate_pairs,
)
from bayescmp.summaries.verdict import write_headline
from bayescmp.wording.text import (
    format_count,
    format_share,
    join_items,
)

TITLE = "{method}: {compared} on {measured}"
#: By whether anything is decided.
HEADLINES = {
    True: "{name} ranks first by {by}",
    False: "No verdict on any pair; {name} ranks first by {by}",
}
DECIDED = "{decided} of {pairs} decided, all at once with probability {p}: {verdicts}."
NONE_DECIDED = "None of {pairs} decided."
EQUIVALENT = "Practically equivalent: {names} (all at once with probability {p})."
MOST_VERDICTS = 6


@summarise.register
def summarise_groups(
    posterior: GroupsPosterior, *, by: str | ArrayLike | None = None, threshold: float = 0.95
) -> Summary:
    """Summarise which algorithm ranks first, `by` what, and which pairs are decided."""
    verdicts = posterior.verdicts(threshold=threshold)
    decided = {pair: v for pair, v in verdicts.items() if v.decided}
    table = posterior.ranking(by)[["expected_rank", "p_best"]]
    table = table.rename_axis(index="algorithm").reset_index()
    table["expected_rank"] = [f"{rank:.1f}" for rank in table["expected_rank"]]
    measured = list_metrics(posterior.metrics, posterior.directions)
    rope = rope_phrase(posterior.ropes(), metrics=posterior.metrics)
    compared = format_count(len(posterior.algorithms), posterior.subject)
    title = TITLE.format(method=posterior.method, compared=compared, measured=measured)
    own = Summary(
        HEADLINES[bool(decided)].format(
            name=table["algorithm"].iloc[0], by=posterior.name_criterion(by)
        ),
        table,
        {
            "algorithm": Column(Cells.NAME, ""),
            "expected_rank": Column(head="expected rank"),
            "p_best": Column(Cells.PROBABILITY, "best"),
        },
        notes=list_doubts(posterior),
        label="groups",
        setting=f"{measured}, {rope}",
        sentences=[_count_decided(posterior, threshold), *_list_equivalent(posterior, threshold)],
        legend="best: probability of being the best",
        method="; ".join(describe_method(posterior, posterior.data_text)),
        more=either("more: .verdict(a, b), .ranking(), .plot(), .sensitivity()", ""),
        details=engine_details(posterior),
        further=lambda: [
            describe_parameters(posterior, title),
            tabulate_pairs(posterior, threshold),
        ],
    )
    is_board = posterior.is_board and by is None
    return summarise_board(posterior, own, threshold) if is_board else own


def _count_decided(posterior: GroupsPosterior, threshold: float) -> str:
    verdicts = posterior.verdicts(threshold=threshold)
    decided = {pair: v for pair, v in verdicts.items() if v.decided}
    pairs = format_count(len(posterior.pairs), "pair")
    if not decided:
        return NONE_DECIDED.format(pairs=pairs)
    held = {pair: v.decision for pair, v in decided.items()}
    joint = posterior.joint(held), posterior.joint_error(held)
    named = [write_headline(v) for v in decided.values()]
    more = [f"and {len(named) - MOST_VERDICTS} more"] if len(named) > MOST_VERDICTS else []
    return DECIDED.format(
        decided=len(decided),
        pairs=pairs,
        p=format_share(*joint, len(posterior.effects)),
        verdicts="; ".join([*named[:MOST_VERDICTS], *more]),
    )


def _list_equivalent(posterior: GroupsPosterior, threshold: float) -> list[str]:
    """Name the groups in which every two are practically equivalent."""
    groups = posterior.cliques(threshold=threshold).to_dict(orient="records")
    size = len(posterior.effects)
    return [
        EQUIVALENT.format(
            names=join_items(group["members"]),
            p=format_share(group["joint"], group["se_joint"], size),
        )
        for group in groups
    ]
