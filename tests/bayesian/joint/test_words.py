"""Which is best, in sentences."""

from __future__ import annotations

import pytest

from bayescmp.bayesian import bootstrap
from bayescmp.bayesian.joint.words import multiplicity, sentences, top_sets_in_words
from bayescmp.references import REFERENCES

MEANS = [[0.50, 0.51, 0.10], [0.60, 0.61, 0.20], [0.90, 0.40, 0.30]]


def test_sentences_keep_next_and_average_apart():
    posterior = bootstrap(MEANS, rope=0.02, seed=1)
    first, rough, near, best_set, *_ = sentences(posterior, "3 algorithms on 3 data sets", 0.5)
    assert first.startswith("Of 3 algorithms on 3 data sets, A2 is the likeliest to be best on")
    assert "; A1 is the likeliest to be best on average over data sets" in first
    assert rough.startswith("Probabilities of being best are rough: in simulated studies")
    assert near.startswith("Within 0.02 of the best on the next data set: A1 with >0.999")
    assert best_set.startswith("A1 and A2 are all within 0.02 of the best at once")
    none = sentences(bootstrap(MEANS, rope=0.0001, seed=1), "it", 0.9)[3]
    assert none.startswith("No algorithm is within 0.0001 of the best")


@pytest.mark.parametrize("shrinks", [True, False])
def test_multiplicity_is_two_sentences_with_a_reference(shrinks):
    text = multiplicity(shrinks=shrinks)
    assert text.count(". ") == 1
    assert "Gelman, Hill & Yajima 2012" in text
    assert REFERENCES["gelman2012"][1]["year"] == "2012"
    assert ("does not shrink" in text) is not shrinks


def test_nested_sets_in_one_line():
    text = top_sets_in_words([("svm",), ("svm", "lda")], [0.62, 0.24])
    assert text == "{svm} 0.620, + lda 0.240"
