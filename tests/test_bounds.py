"""Numbers that memory or arithmetic can't hold, and types that arguments can't be."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import bayescmp as bc
from bayescmp import bayesian as b
from bayescmp import frequentist as f
from bayescmp.bounds import check_size, span, underflow_is_zero

rng = np.random.default_rng(1)
X, Z = rng.normal(0.01, 0.02, (5, 10)), rng.normal(0.01, 0.02, 12)
TABLE = pd.DataFrame(
    [
        {"dataset": d, "algorithm": a, "fold": k, "accuracy": rng.uniform(0.7, 0.9)}
        for d in "abc" for a in ("p", "q") for k in range(10)
    ]
)  # fmt: skip


def hierarchical(**options):
    return b.hierarchical_t(X, **{"rho": 0.1, "rope": 0.01, "engine": "quadrature", **options})


def robust(**options):
    return b.robust_t(X[0], rho=0.1, rope=0.01, **options)


def compared(**options):
    return bc.compare(TABLE, "p", "q", **{"rope": 0.01, "engine": "quadrature", **options})


WRONG = [
    *(("threshold", lambda v: b.correlated_t(X[0], rho=0.1, rope=0.01).verdict(threshold=v), v)
      for v in (None, "0.95", True, [0.95], np.nan, 2)),
    *(("engine", lambda v: hierarchical(engine=v), v) for v in (3, ["quadrature"], "", True)),
    *(("engine", lambda v: robust(engine=v), v) for v in (3, ["auto"])),
    *(("names", lambda v: hierarchical(names=v), v)
      for v in (3, "ab", ["a"], {"a": 1, "b": 2}, [None, "a"], (["a"], "b"))),
    *(("resolution", lambda v: robust(resolution=v), v) for v in ("x", -1, True, {}, np.inf)),
    *(("resolution", lambda v: bc.Differences(X, rho=0.1, resolution=v), v) for v in (True, "1")),
    *(("span", lambda v: bc.Differences(X, rho=0.1, span=v), v)
      for v in ("x", -1, 0, [1, 2], {}, True, np.inf, 1j)),
    *(("prior", lambda v: hierarchical(prior=v), v) for v in ("corani2017", 3, {}, True, [1])),
    *(("prior", lambda v: b.signed_rank(Z, rope=0.01, prior=v), v)
      for v in ("x", [1], True, {}, np.nan, -1, 1e300)),
    *(("draws", lambda v: b.signed_rank(Z, rope=0.01, draws=v), v) for v in (10**9, "x", 0, None)),
    *(("draws", lambda v: b.sign(Z, rope=0.01, draws=v), v) for v in (10**9, True)),
    *(("chains", lambda v: robust(chains=v), v) for v in (10**9, "x", 0, None, 1.5)),
    *(("draws", lambda v: robust(draws=v), v) for v in (10**9, 0)),
    *(("warmup", lambda v: robust(warmup=v), v) for v in (10**9, -1)),
    *(("metric", lambda v: compared(metric=v), v) for v in (3, True, {}, [], "nope", [3])),
    *(("rope", lambda v: compared(rope=v), v) for v in ("x", {}, [], 1j, np.nan)),
    *(("cannot read|source|path", bc.Scores.read, v) for v in (3, None, "a\0b", "none.csv")),
]  # fmt: skip


@pytest.mark.parametrize(("argument", "call", "value"), WRONG)
def test_wrong_types_are_one_line_that_names_the_argument(argument, call, value):
    with pytest.raises(bc.InputError, match=argument) as caught:
        call(value)
    assert "\n" not in str(caught.value)


CALLS = {
    "correlated": lambda: b.correlated_t(X[0], rho=0.1, rope=0.01),
    "hierarchical": hierarchical,
    "signed rank": lambda: b.signed_rank(Z, rope=0.01, seed=1),
    "groups": lambda: b.groups(np.abs(X), rho=0.1, rope=0.01),
    "multivariate": lambda: b.multivariate_t(X.T[:, :2], rho=0.1, rope=0.01),
    "all pairs": lambda: bc.compare_all(TABLE, "accuracy", 0.01, engine="quadrature"),
    "tukey": lambda: f.tukey(np.abs(X)),
    "corrected": lambda: f.corrected_t(X[0], rho=0.1),
}


@pytest.mark.parametrize("name", CALLS)
def test_numpys_error_state_does_not_matter(name):
    expected = str(CALLS[name]().__class__)
    with np.errstate(all="raise"):
        result = CALLS[name]()
        assert str(result)
        for part in ("summary", "by_dataset"):
            if hasattr(result, part):
                getattr(result, part)()
    assert str(result.__class__) == expected


@pytest.mark.parametrize("scale", [1e-200, 1e-320, 1e200])
@pytest.mark.parametrize(
    "fit",
    [
        lambda s: b.hierarchical_t(X * s, rho=0.1, rope=0, engine="quadrature"),
        lambda s: b.correlated_t(X[0] * s, rho=0.1, rope=0),
        lambda s: b.signed_rank(Z * s, rope=0),
        lambda s: b.multivariate_t(X.T[:, :2] * s, rho=0.1, rope=0),
        lambda s: b.groups(X * s, rho=0.1, rope=0),
        lambda s: f.hotelling_paired(X.T[:, :2] * s),
    ],
)
def test_numbers_whose_squares_vanish_or_overflow(fit, scale):
    with pytest.raises(bc.InputError, match=r"accepted: 1e-70 to 1e[+]70, so give the metric in"):
        fit(scale)


def test_sizes_and_spans():
    check_size(np.zeros(3), "x")
    check_size(np.array([0, 1e-300, 1.0]), "x")
    assert span(None) is None
    assert span(np.float64(2)) == 2


def test_only_underflow_is_forgiven():
    with np.errstate(all="raise"), pytest.raises(FloatingPointError):
        underflow_is_zero(np.exp)(1e4)


@pytest.mark.parametrize("name", [5, 3.5, pd.Timestamp("2020")])
def test_a_column_that_is_no_text_is_read_by_its_text(name):
    frame = TABLE.rename(columns={"accuracy": name})
    scores = bc.Scores(frame, higher_is_better=[str(name)])
    posterior = bc.compare(scores, "p", "q", rope=0.01, engine="quadrature")
    assert posterior.metric == str(name)


@pytest.mark.parametrize(
    "columns",
    [[0, 1, 2, 3], [b"dataset", "algorithm", "fold", "accuracy"],
     [("dataset", 1), "algorithm", "fold", "accuracy"]],
)  # fmt: skip
def test_columns_that_name_nothing_are_one_line(columns):
    frame = TABLE.set_axis(pd.Index(columns, dtype=object), axis=1)
    with pytest.raises(bc.InputError, match=r"dataset|column") as caught:
        bc.Scores(frame)
    assert "\n" not in str(caught.value)
