"""Warnings of the functions that compare point at the line of the user that called them."""

from __future__ import annotations

import inspect
import warnings

import numpy as np
import pandas as pd
import pytest

import bayescmp as bc
from bayescmp import bayesian
from bayescmp.errors import warn_user
from tests.catalogue.swap import swap


@pytest.fixture
def means():
    rng = np.random.default_rng(3)
    values = rng.normal([0.7, 0.72, 0.78], 0.03, (14, 3))
    frame = pd.DataFrame(values, columns=["knn", "gbm", "svm"])
    return bc.Scores.from_means(frame, metric="accuracy")


@pytest.fixture
def _doubtful(monkeypatch):
    """Tests on means whose posteriors warn."""
    for name in ("sign", "signed_rank"):
        function = getattr(bayesian, name)

        def warning(x, *, rope, seed=None, function=function):
            warn_user("the chains disagree")
            return function(x, rope=rope, seed=seed, draws=200)

        swap(monkeypatch, name, warning)


def where(call):
    """File and line of the one warning, and the line of the call."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        call()
    (warning,) = [w for w in caught if w.category is bc.DiagnosticWarning]
    return (warning.filename, warning.lineno), str(warning.message)


CALLS = {
    "compare": lambda s, _: bc.compare(s, "knn", "gbm", rope=0.01, test="sign"),
    "compare_all": lambda s, _: bc.compare_all(s, rope=0.01, test="sign", n_jobs=1),
    "compare_all, with a bar": lambda s, _: bc.compare_all(
        s, rope=0.01, test="sign", n_jobs=1, progress=True
    ),
    "crosscheck": lambda s, _: bc.crosscheck(s, rope=0.01, progress=False),
    "report": lambda s, folder: bc.report(s, folder / "r.md", rope=0.01, progress=False),
}


@pytest.mark.usefixtures("_doubtful")
@pytest.mark.parametrize("name", CALLS)
def test_the_users_line(means, tmp_path, name):
    function = CALLS[name]
    lines, first = inspect.getsourcelines(function)
    place, message = where(lambda: function(means, tmp_path))
    assert place[0] == __file__
    assert first <= place[1] < first + len(lines)
    assert "the chains disagree" in message
