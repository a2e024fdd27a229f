"""A bar counts the variations, and changes nothing."""

from __future__ import annotations

from bayescmp.bayesian import bootstrap, correlated_t, hierarchical_t
from bayescmp.sensitivity.progress import shown

X = [[0.04, 0.05, 0.03], [0.05, 0.04, 0.05], [0.06, 0.03, 0.05]]


def test_rows_pass_through(capsys):
    assert list(shown(iter("abc"), False)) == ["a", "b", "c"]
    assert capsys.readouterr().err == ""
    assert list(shown(iter("abc"), True)) == ["a", "b", "c"]
    assert "variations" in capsys.readouterr().err


def test_every_sensitivity_can_show_it(capsys):
    for posterior in (
        correlated_t(X[0], rho=0.3, rope=0.01),
        hierarchical_t(X, rho=0.3, rope=0.01, engine="quadrature"),
        bootstrap([[0.8, 0.9], [0.7, 0.6]], rope=0.01, seed=1, draws=100),
    ):
        posterior.sensitivity(datasets=False)
        assert capsys.readouterr().err == ""
        posterior.sensitivity(datasets=False, progress=True)
        assert "variations" in capsys.readouterr().err
