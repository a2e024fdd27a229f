"""The list of metric names contradicts itself nowhere."""

import re

from bayescmp import metric_names as names


def _lines(lists):
    """Each metric with its spellings, without separators."""
    lines = [line for block in lists.values() for line in block.strip().splitlines()]
    return [{re.sub(r"[^a-z0-9]", "", w) for w in line.replace(":", " ").split()}
            for line in lines]  # fmt: skip


def test_every_spelling_stands_for_one_metric():
    lines = [*_lines(names.HIGHER), *_lines(names.LOWER), set(names.NEAR_ZERO.split())]
    actual = [w for line in lines for w in line]
    assert sorted(w for w in set(actual) if actual.count(w) > 1) == []


def test_no_word_tells_both_directions_or_is_blurred_too():
    higher, lower = (set(t.split()) for t in (names.TOKENS_HIGHER, names.TOKENS_LOWER))
    assert not higher & lower
    assert not (higher | lower) & set(names.BLURRING.split())
