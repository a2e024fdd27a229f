"""Designs inferred from labels and sizes, fold by fold."""

import numpy as np
import pytest

from bayescmp import InputError, Resampling
from bayescmp.evidence import Evidence, infer


def _evidence(repeats, folds, **sizes):
    repeat = np.repeat(np.arange(repeats), folds)
    sizes = {k: np.broadcast_to(np.asarray(v, float), len(repeat)) for k, v in sizes.items()}
    return Evidence(repeat, np.tile(np.arange(folds), repeats), where="iris", **sizes)


@pytest.mark.parametrize(("repeats", "folds"), [(1, 2), (10, 10), (5, 2), (1, 20)])
def test_labels(repeats, folds):
    posterior = infer(_evidence(repeats, folds))
    assert (posterior.design, posterior.folds, posterior.repeats) == ("k-fold", folds, repeats)
    assert posterior.rho == 1 / folds


@pytest.mark.parametrize("share", [0.02, 0.2, 1 / 3])
def test_sizes_of_random_splits(share):
    n = 300
    posterior = infer(_evidence(30, 1, n_train=n * (1 - share), n_test=n * share))
    assert (posterior.design, posterior.rho) == ("random splits", pytest.approx(share))


def test_share_of_sizes():
    assert _evidence(1, 4).share is None
    assert _evidence(1, 4, n_test=0.3).share == pytest.approx(0.3)
    assert _evidence(1, 4, n_test=30).share is None
    assert _evidence(1, 4, n_train=[70, 70, 70, np.nan], n_test=30).share is None
    with pytest.raises(InputError, match="'iris': n_train and n_test have to be positive"):
        _ = _evidence(1, 4, n_train=0, n_test=5).share


def test_growth_of_training_sets():
    assert _evidence(1, 4, n_train=[10, 20, 30, 40], n_test=10).grows
    assert not _evidence(1, 4, n_train=[10, 20, 30, 25], n_test=10).grows
    assert not _evidence(1, 4, n_train=30, n_test=10).grows
    assert _evidence(4, 1, n_train=[10, 20, 30, 40], n_test=10).grows  # each split a run


def test_runs_of_differing_length_need_their_sizes():
    repeat, fold = np.array([1, 1, 1, 2, 2]), np.array([1, 2, 3, 1, 2])
    with pytest.raises(InputError, match="'iris' has repeats of 2 to 3 folds: complete them"):
        infer(Evidence(repeat, fold, where="iris"))
    sizes = {"n_train": np.full(5, 20.0), "n_test": np.full(5, 10.0)}
    assert infer(Evidence(repeat, fold, **sizes)).rho == pytest.approx(1 / 3)


def test_a_declaration_is_completed():
    posterior = infer(_evidence(1, 30), Resampling.k_fold(10))
    assert (posterior.repeats, posterior.evidence) == (3, "declared")


def test_training_sets_that_grow_are_windows_even_without_the_test_sets_sizes():
    fold = np.arange(5)
    for sizes in (
        {"n_train": 20 * (fold + 1)},
        {"n_train": 20 * (fold + 1), "n_test": fold * 0 + 20},
    ):
        with pytest.raises(InputError, match="as windows in time do"):
            infer(Evidence(fold * 0, fold, **{k: v.astype(float) for k, v in sizes.items()}))


def test_sizes_that_do_not_add_up_are_no_splits_of_one_data_set():
    """Bootstrap samples are as large as the data set; what is out of the bag is tested."""
    rng = np.random.default_rng(0)
    oob = [100 - len(np.unique(rng.integers(100, size=100))) for _ in range(8)]
    evidence = Evidence(np.zeros(8), np.arange(8), np.full(8, 100.0), np.array(oob, dtype=float))
    with pytest.raises(InputError, match="as for bootstrap samples"):
        infer(evidence)
    assert infer(evidence, Resampling.bootstrap(0.4)).rho == 0.4


def test_folds_without_labels_ask():
    evidence = Evidence(np.zeros(5), np.arange(5), unlabelled=True, where="iris")
    with pytest.raises(InputError, match="rows of data set 'iris' are its 5 folds"):
        infer(evidence)
    assert infer(evidence, Resampling.k_fold(5)).rho == 0.2
    sized = Evidence(
        np.zeros(5), np.arange(5), np.full(5, 75.0), np.full(5, 25.0), unlabelled=True
    )
    assert infer(sized).rho == 0.25
