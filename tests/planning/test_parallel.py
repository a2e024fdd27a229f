"""Tasks on several processes."""

from __future__ import annotations

import operator

from bayescmp.planning.parallel import run_all


def test_results_come_in_order_and_the_bar_is_called_as_asked(capsys):
    tasks = [(i, 2) for i in range(8)]
    wanted = [i**2 for i in range(8)]
    assert run_all(operator.pow, tasks, n_jobs=1, title="powers", progress=False) == wanted
    assert capsys.readouterr().err == ""
    assert run_all(operator.pow, tasks, n_jobs=2, title="powers", progress=True) == wanted
    assert "powers" in capsys.readouterr().err
