"""Scores with plain names and with hostile ones, and a browser."""

import json
import os
import re
import shutil

import numpy as np
import pandas as pd
import pytest

import bayescmp as bc
from bayescmp.report.content import gather
from bayescmp.study.question import ask_question

#: Names as nobody should choose and somebody will.
HOSTILE = (
    '<script>alert("1")</script>',
    r"50% & $x_1^2$ # {y} ~ \input{/etc/passwd}",
    "🦊 forest \u202eright to left",
    "x" * 200,
    "../../a/b\\c:d*?.html",
    "</script><!-- | `code` *bold* -->",
)


def scores_of(names, datasets=("iris", "wine", "digits", "cancer"), seed=3):
    """Scores by 2 x 5 folds, the algorithms of slightly different skill."""
    rng = np.random.default_rng(seed)
    rows = [
        {"dataset": d, "algorithm": a, "repeat": r, "fold": f}
        for d in datasets
        for a in names
        for r in (1, 2)
        for f in range(1, 6)
    ]
    frame = pd.DataFrame(rows)
    skill = dict(zip(names, np.linspace(0.7, 0.85, len(names)), strict=True))
    level = frame["algorithm"].map(skill) + rng.normal(0, 0.04, len(frame))
    frame["accuracy"] = (np.clip(level, 0, 1) * 50).round() / 50
    frame["log_loss"] = (0.5 - 0.4 * frame["accuracy"] + rng.normal(0, 0.01, len(frame))).round(4)
    return bc.Scores(frame)


def embedded(text):
    """The numbers that a page holds for machines."""
    match = re.search(r'<script type="application/json" id="bayescmp-data">(.*?)</script>', text)
    return json.loads(match.group(1))


def plan_of(scores, metric, rope, **changes):
    """What a cross-check of the scores would do, by the defaults but for the changes."""
    return ask_question(scores, metric, rope, **{"seed": 1, **changes})


@pytest.fixture(scope="session")
def plain():
    return scores_of(("knn", "gbm", "svm"))


@pytest.fixture(scope="session")
def hostile():
    return scores_of(HOSTILE, ("iris", "<b>wine</b> & \\co_", "data/../set"))


@pytest.fixture(scope="session")
def browser():
    """Headless Chromium; its absence fails the run where BAYESCMP_REQUIRE_BROWSER=1."""
    path = shutil.which("chromium") or shutil.which("chromium-browser")
    required = os.environ.get("BAYESCMP_REQUIRE_BROWSER") == "1"
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        path = None
    if path is None:
        if required:
            pytest.fail("playwright or chromium is missing, and BAYESCMP_REQUIRE_BROWSER=1")
        pytest.skip("no playwright or no chromium")
    with sync_playwright() as play:
        running = play.chromium.launch(executable_path=path, args=["--no-sandbox"])
        yield running
        running.close()


QUIET = {"seed": 1, "engine": "quadrature", "progress": False}


@pytest.fixture(scope="session")
def plain_reports(plain, tmp_path_factory):
    """HTML, Markdown and LaTeX, written at once."""
    folder = tmp_path_factory.mktemp("report")
    files = [folder / f"report.{kind}" for kind in ("html", "md", "tex")]
    assert bc.report(plain, files, rope=0.02, metric="accuracy", **QUIET) == files
    return files


@pytest.fixture(scope="session")
def text(plain_reports):
    return plain_reports[0].read_text(encoding="utf-8")


@pytest.fixture(scope="session")
def planned(plain):
    """Two metrics, one of them a loss, each with a rope of its own."""
    ropes = {"accuracy": 0.02, "log_loss": 0.03}
    return plan_of(plain, ["accuracy", "log_loss"], ropes, options={"engine": "quadrature"})


@pytest.fixture(scope="session")
def gathered(planned):
    """What a report of the question says, without pictures."""
    return gather(planned, title="Two metrics", progress=False, most=0)


@pytest.fixture(scope="session")
def crosschecked(plain):
    """The cross-check of the same question."""
    return bc.crosscheck(
        plain, ["accuracy", "log_loss"], {"accuracy": 0.02, "log_loss": 0.03}, **QUIET
    )


@pytest.fixture(scope="session")
def hostile_reports(hostile, tmp_path_factory):
    """HTML, Markdown and LaTeX, also with a hostile title and in a folder of such a name."""
    folder = tmp_path_factory.mktemp("<script> & 🦊")
    files = [folder / f"re <port> 🦊.{kind}" for kind in ("html", "md", "tex")]
    bc.report(
        hostile,
        files,
        rope=0.02,
        metric="accuracy",
        title=HOSTILE[0] + HOSTILE[5],
        in_full=6,
        latex="full",
        **QUIET,
    )
    return files
