"""Each row of a table over pairs is the verdict of a fit under that assumption."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import bayescmp as bc
from bayescmp.bayesian import bootstrap, bradley_terry, friedman, groups
from bayescmp.pairs import all_probabilities
from bayescmp.sensitivity import PairsSensitivity

X = np.random.default_rng(1).normal([[0.70], [0.71], [0.75]], 0.02, (3, 10))
MEANS = np.random.default_rng(2).normal([0.70, 0.71, 0.75], 0.02, (6, 3))
PAIR = ("A1", "A3")
WIDTH = np.log(0.55 / 0.45)  # of abilities, for a chance of winning of 0.55


def rows_of(posterior, pair=PAIR, **options):
    frame = posterior.sensitivity(**options)[pair].frame
    columns = [c for c in frame.columns if c.startswith("p_")]
    return {(r.question, r.setting): [getattr(r, c) for c in columns] for r in frame.itertuples()}


def p_of(posterior, rope=None):
    return all_probabilities(posterior, rope)[PAIR].tolist()


def test_groups_of_several_metrics():
    x = np.random.default_rng(1).normal([0.7, 0.8], 0.01, size=(3, 10, 2))
    posterior = groups(x, ["tpr", "auc"], rho=0.1, rope=0.01, seed=1)
    rows = rows_of(posterior)
    wanted = p_of(groups(x, ["tpr", "auc"], rho=0.5, rope=0.01, seed=1))
    assert rows["rho", "0.5"] == pytest.approx(wanted, abs=1e-12)


@pytest.mark.parametrize("test", [bootstrap, friedman])
def test_a_data_set_left_out_is_a_fit_without_it(test):
    options = {"rope": 0.01, "seed": 1, "draws": 400}
    rows = rows_of(test(MEANS, **options))
    names = [setting for question, setting in rows if question == "without"]
    assert len(names) == len(MEANS)
    assert rows["without", names[2]] == p_of(test(np.delete(MEANS, 2, axis=0), **options))
    assert not [q for q, _ in rows_of(test(MEANS, **options), datasets=False) if q == "without"]


def test_the_prior_of_friedmans_test():
    rows = rows_of(friedman(MEANS, seed=1, draws=400))
    for weight in (0, 2):
        wanted = p_of(friedman(MEANS, prior=weight, seed=1, draws=400))
        assert rows["prior", f"weight {weight}"] == wanted


def test_abilities_under_a_wider_prior_and_with_ties_counted_otherwise():
    wins = np.array([[0, 7, 2], [3, 0, 2], [1, 1, 0]])
    frame = pd.DataFrame(
        [("A1", "A2", 7, 3, 2), ("A1", "A3", 2, 1, 1), ("A2", "A3", 2, 1, 0)],
        columns=["first", "second", "win1", "win2", "ties"],
    )
    posterior = bradley_terry(frame, seed=1)
    assert posterior.wins.tolist() == wins.tolist()
    rows = rows_of(posterior)
    # Wider, by the own draws' weights: normal densities of log σ with sd 1 and 0.5
    log_sigma = np.log(posterior.sigma).ravel()
    weights = np.exp(-0.5 * log_sigma**2 * (1 - 4))
    gap = posterior.abilities.reshape(-1, 3)[:, 2] - posterior.abilities.reshape(-1, 3)[:, 0]
    shares = np.stack([gap < -WIDTH, abs(gap) <= WIDTH, gap > WIDTH], axis=1)
    wanted = weights @ shares / weights.sum()
    error = np.sqrt(weights**2 @ (shares - wanted) ** 2) / weights.sum()
    away = abs(np.array(rows["prior", "σ ~ LogNormal(0, 1)"]) - wanted)
    np.testing.assert_array_less(away, 4 * error + 0.01)
    assert rows["model", "ties: forget"] == p_of(bradley_terry(frame, ties="forget", seed=1))


def test_several_algorithms_with_t_noise(fake):
    """Against weighted draws, and draws that are the centre itself where folds are independent."""
    posterior = groups(X, rho=0.1, rope=0.01, noise="t", engine="fake", seed=4)
    rows = rows_of(posterior)
    nu, tau = posterior.draws["nu"], posterior.draws["tau"]
    weights = np.exp(-(nu - 1) * (1 / 10 - 1 / 29))
    gap = tau[..., 2, 0] - tau[..., 0, 0]
    (prior,) = [p for (q, s), p in rows.items() if s.startswith("mean of ν − 1 10 (k-hat ")]
    assert prior[2] == pytest.approx((weights * (gap > 0.01)).sum() / weights.sum(), abs=0.01)
    centre = posterior.draws["centre"]
    apart = centre[..., 2, 0] - centre[..., 0, 0]
    assert rows["rho", "0"][2] == (apart > 0.01).mean()
    moved = posterior.moved("tau", 0.5)
    np.testing.assert_allclose(moved["tau"].sum(axis=-2), centre.sum(axis=-2), atol=1e-12)
    np.testing.assert_allclose(0.5 * moved["Sigma"], 0.9 * posterior.draws["Sigma"])


def test_all_pairs_of_a_comparison(table):
    scores = bc.Scores(table)
    options = {"metric": "accuracy", "rope": 0.05, "test": "sign", "seed": 1, "progress": False}
    kept = bc.compare_all(scores, keep_posteriors=True, **options)
    result = kept.sensitivity(datasets=False)
    assert isinstance(result, PairsSensitivity)
    pair = next(iter(kept.results))
    wanted = kept[pair].posterior.sensitivity(datasets=False).frame
    pd.testing.assert_frame_equal(result[pair].frame, wanted)
    refitted = bc.compare_all(scores, **options).sensitivity(datasets=False)[pair]
    pd.testing.assert_frame_equal(refitted.frame, wanted)
    with pytest.raises(bc.InputError, match="pair"):
        result["knn", "nobody"]


def test_in_words_and_pictures():
    result = groups(X, rho=0.1, rope=0.01, variances="equal", seed=3).sensitivity()
    assert not result.holds
    text = result.explain()
    assert text.startswith("Sensitivity of 3 decisions: 1 holds under every change (A1 vs A2).")
    assert "A1 vs A3 (second) changes with the correlation of folds" in text
    assert text.endswith("Not varied: the prior (Jeffreys' has nothing to set).")
    changed = result.changed()
    assert set(zip(changed["first"], changed["second"], strict=True)) == {PAIR, ("A2", "A3")}
    assert str(result).count("\n") == len(changed) + 3
    assert "<table" in result._repr_html_()
