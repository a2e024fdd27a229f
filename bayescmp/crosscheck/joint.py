"""Several metrics, or all algorithms at once, on each data set with its folds as blocks."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from bayescmp.blocks import Blocks
from bayescmp.crosscheck.plan import GROUP, Pair, Plan
from bayescmp.crosscheck.rows import Draft, Test
from bayescmp.crosscheck.twins import Twin
from bayescmp.errors import InputError
from bayescmp.left_out import LeftOut
from bayescmp.score_blocks import scores_blocks
from bayescmp.verdict import Verdict

__all__ = ["group_drafts", "joint_drafts"]

Answer = tuple[Verdict | None, Test | None, str, LeftOut | None]
Read = Callable[[tuple[str, ...]], Blocks]


def group_drafts(plan: Plan, metric: str) -> list[Draft]:
    """All algorithms at once by one metric, on each data set."""
    twins = [t for t in plan.twins if t.scope == "groups"]
    if not twins or len(plan.algorithms) < GROUP or not plan.scores.has_folds:
        return []
    return [
        draft
        for dataset in plan.scores.datasets
        for draft in _on(plan, (metric,), dataset, twins, metric)
    ]


def joint_drafts(plan: Plan, dataset: str) -> list[Draft]:
    """Several metrics together on a data set: pair by pair, and all algorithms at once."""
    scopes = ["metrics", *(["groups_metrics"] if len(plan.algorithms) >= GROUP else [])]
    twins = [t for t in plan.twins if t.scope in scopes]
    return _on(plan, plan.joint, dataset, twins, plan.joint_name)


def _on(
    plan: Plan, metrics: tuple[str, ...], dataset: str, twins: list[Twin], name: str
) -> list[Draft]:
    """Every pair of twins on one data set; what fails has rows that say so."""

    def blocks_of(algorithms: tuple[str, ...]) -> Blocks:
        return scores_blocks(
            plan.scores, metrics=metrics, dataset=dataset, algorithms=algorithms, rho=plan.rho
        )

    drafts = []
    for twin in twins:
        answers = _pair_by_pair if twin.scope == "metrics" else _all_at_once
        drafts += [
            Draft(twin, name, dataset, pair, *answer)
            for pair, answer in answers(plan, twin, blocks_of).items()
        ]
    return drafts


def _pair_by_pair(plan: Plan, twin: Twin, blocks_of: Read) -> dict[Pair, Answer]:
    answers: dict[Pair, Answer] = {}
    for pair in plan.pairs:
        try:
            two = blocks_of(pair)
            verdict = _posterior(plan, twin, two).verdict(threshold=plan.threshold)
            answers[pair] = verdict, Test.run(twin.check, two), "", two.left_out
        except InputError as error:
            answers[pair] = None, None, str(error), None
    return answers


def _all_at_once(plan: Plan, twin: Twin, blocks_of: Read) -> dict[Pair, Answer]:
    try:
        blocks = blocks_of(plan.algorithms)
        verdicts = _posterior(plan, twin, blocks).verdicts(threshold=plan.threshold)
        tests = Test.of_pairs(twin.check.call(blocks))
    except InputError as error:
        return dict.fromkeys(plan.pairs, (None, None, str(error), None))
    answers = zip(plan.pairs, tests, strict=True)
    return {p: (verdicts[p], t, "", blocks.left_out) for p, t in answers}


def _posterior(plan: Plan, twin: Twin, blocks: Blocks) -> Any:
    ropes = {m: plan.ropes[m] for m in blocks.metrics}
    # These have a closed form, which is what is compared; samplers are for the main test.
    options = {k: v for k, v in twin.test.shared(plan.options).items() if k != "engine"}
    return twin.test.fit(blocks, rope=ropes, seed=plan.seed, options=options)
