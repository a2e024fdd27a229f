"""A cross-check fits a terminal: who is best, what is decided, where the answers differ."""

from __future__ import annotations

import pytest

from bayescmp.crosscheck import crosscheck
from bayescmp.crosscheck.printed import WIDTH, as_text
from bayescmp.text import probability

QUIET = {"seed": 1, "engine": "quadrature", "progress": False}


@pytest.fixture
def check(scores):
    return crosscheck(scores, "accuracy", 0.05, **QUIET)


def test_it_fits_a_hundred_columns(check, together):
    for shown in (check, together):
        assert max(map(len, str(shown).splitlines())) <= WIDTH


def test_every_pair_has_its_probabilities_p_values_and_wins(check):
    verdicts, pvalues = (block.splitlines() for block in as_text(check) if "first second" in block)
    assert len(verdicts) == len(pvalues) == 1 + len(check.pairs)
    for line, pair in zip(verdicts[1:], check.pairs.to_dict(orient="records"), strict=True):
        numbers = [probability(pair[f"p_{r}"]) for r in ("left", "rope", "right")]
        assert line.split()[:5] == [pair["first"], pair["second"], *numbers]
        assert line.endswith(pair["decision"])
    for line, pair in zip(pvalues[1:], check.pairs.to_dict(orient="records"), strict=True):
        assert f"{pair['for_first']} : {pair['for_second']}" in line
        assert line.split()[2] == f"{pair['wilcoxon']:.3g}"


def test_who_is_best_and_the_test_of_all_stand_first(check):
    first, *lines = as_text(check)
    assert first == "which is best (Bayesian bootstrap over data sets):"
    (line,) = (text for text in lines if text.startswith("all algorithms alike"))
    assert line.endswith(f"p = {check.omnibus['accuracy'].pvalue:.2g}")
    best = check.comparisons["accuracy"].best.overview()
    assert f": {best.index[0]} {probability(best['p_next'].iloc[0])}" in lines[0]


def test_where_answers_disagree_it_is_said_in_words(check):
    text = " ".join(str(check).split())
    odd = check.pairs[~check.pairs["agreement"].isin(["agree", "open", "equivalent"])]
    assert ("where Bayesian and frequentist disagree" in text) == bool(len(odd))
    for row in odd.to_dict(orient="records"):
        assert " ".join(f"{row['first']} and {row['second']}: {row['words']}".split()) in text
