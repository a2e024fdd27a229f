"""A referee of loops: how often it ever keeps what is not better, its power, and its gains.

Next to it are what such loops do by themselves: keep a change if its mean is better, or by a
paired t test at 0.05 for each proposal. All are shown the same numbers.
"""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

import bayescmp as bc
from bayescmp.study.referee.decisions import judge, level_of, look, open_proposal
from bayescmp.study.referee.scores import BUDGETS, ScorePairs, UnitScores

pytestmark = pytest.mark.calibration

LOOPS, PROPOSALS, ALPHA = 2000, 100, 0.05
SEEDS, QUESTIONS = BUDGETS["seeds"], 500
#: How often only the incumbent, neither alone, and only the candidate answers right.
ANSWERS = (0.15, 0.7, 0.15)


def differences(rng, units):
    """All proposals of a loop without effect."""
    if units == "seeds":
        return rng.normal(size=(PROPOSALS, SEEDS))
    return rng.choice([-1.0, 0.0, 1.0], p=ANSWERS, size=(PROPOSALS, QUESTIONS))


@pytest.mark.parametrize("units", ["seeds", "questions"])
def test_a_loop_without_effect_hardly_ever_keeps_anything(units, evidence):
    kept = np.zeros((LOOPS, 3))
    for loop in range(LOOPS):
        x = differences(np.random.default_rng([loop, 3]), units)
        mean, error = x.mean(axis=1), stats.sem(x, axis=1)
        kept[loop] = [
            sum(look(row, units, 0.0, level_of(k, ALPHA))[0] for k, row in enumerate(x, 1)),
            (mean > 0).sum(),
            (mean > stats.t.ppf(1 - ALPHA, x.shape[1] - 1) * error).sum(),
        ]
    for rule, own in zip(("referee", "mean is better", "t test at 0.05"), kept.T, strict=True):
        evidence(
            "referee_false_keeps",
            units=units,
            rule=rule,
            loops=LOOPS,
            proposals=PROPOSALS,
            any=(own > 0).mean(),
            kept=own.mean(),
        )
        print(f"\n{units}, {rule}: any {(own > 0).mean():.4f}, {own.mean():.2f} per loop")
    assert (kept[:, 0] > 0).mean() <= ALPHA
    assert (kept[:, 1] > 0).mean() > 0.99


@pytest.mark.parametrize("k", [1, 10, 100])
@pytest.mark.parametrize("effect", [0.5, 1.0, 2.0, 3.0])
def test_power_and_seeds_used(effect, k, evidence):
    kept, seeds, better = np.zeros(LOOPS, bool), np.full(LOOPS, SEEDS), np.zeros(LOOPS, bool)
    for loop in range(LOOPS):
        x = np.random.default_rng([loop, k, int(10 * effect)]).normal(effect, 1, SEEDS)
        kept[loop], _ = look(x, "seeds", 0.0, level_of(k, ALPHA))
        better[loop] = x.mean() > 0
        if kept[loop]:
            first = (
                n for n in range(2, SEEDS + 1) if look(x[:n], "seeds", 0.0, level_of(k, ALPHA))[0]
            )
            seeds[loop] = next(first)
    evidence(
        "referee_power",
        effect=effect,
        k=k,
        loops=LOOPS,
        kept=kept.mean(),
        seeds=seeds.mean(),
        better=better.mean(),
    )
    print(f"\neffect {effect}, proposal {k}: kept {kept.mean():.3f}, {seeds.mean():.1f} seeds")
    if (effect, k) == (2.0, 10):  # STATISTICS, simulated before: 0.99 with 13.8 seeds
        assert kept.mean() == pytest.approx(0.99, abs=0.01)
        assert seeds.mean() == pytest.approx(13.8, abs=0.5)


def test_the_reported_gain_is_not_that_of_the_selected_runs(tmp_path, evidence):
    """Every tenth proposal is better by 1.5; each is measured on four seeds at a time."""
    loops, errors, selected, inside = 400, [], [], []
    for loop in range(loops):
        rng = np.random.default_rng([loop, 4])
        state = bc.Referee(tmp_path / "none.json", units="seeds", budget=SEEDS).state
        now, seen = 0.0, 0.0
        for k in range(40):
            effect = 1.5 if k % 10 == 5 else 0.0
            old, new = rng.normal(now, 1, SEEDS), rng.normal(now + effect, 1, SEEDS)
            proposal = open_proposal(state, f"change {k}")
            for n in range(4, SEEDS + 1, 4):
                judge(
                    state,
                    proposal,
                    ScorePairs(*(UnitScores(x[:n], None, None) for x in (old, new))),
                )
                if proposal["decision"] != "measure":
                    break
            if proposal["decision"] == "keep":
                now, seen = now + effect, seen + proposal["difference"]
        gain = _gain_of(state)
        if gain is not None:
            errors.append(gain[0] - now)
            selected.append(seen - now)
            inside.append(gain[1][0] <= now <= gain[1][1])
    evidence(
        "referee_gain",
        loops=len(errors),
        error=np.mean(errors),
        selected=np.mean(selected),
        covered=np.mean(inside),
    )
    print(
        f"\n{len(errors)} loops: gain off by {np.mean(errors):.3f}, by the runs that led to keeps"
    )
    print(f"{np.mean(selected):.3f}; intervals cover {np.mean(inside):.3f}")
    assert abs(np.mean(errors)) < 0.05 < np.mean(selected)
    assert 0.93 <= np.mean(inside) <= 0.97


def _gain_of(state):
    from bayescmp.study.referee.decisions import find_gain

    return find_gain(state)
