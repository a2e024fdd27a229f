"""Names cut to a length: different names stay different, short ones stay whole."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bayescmp.shortened import cut, cut_all

NAMES = st.lists(
    st.text("abcdef_=() 0123456789", min_size=1, max_size=60), max_size=8, unique=True
)


@given(NAMES, st.integers(10, 30))
def test_names_stay_different_and_fit(names, most):
    labels = cut_all(names, most)
    assert len(set(labels)) == len(names)
    assert all(len(label) <= most for label in labels)
    assert [n for n in names if len(n) <= most] == [
        label for n, label in zip(names, labels, strict=True) if len(n) <= most
    ] or len({cut(n, most) for n in names}) < len(names)


@pytest.mark.parametrize(("most", "shown"), [(22, "RandomForestClassifier"), (12, "Random…ifier")])
def test_both_ends_are_kept(most, shown):
    assert cut("RandomForestClassifier", most) == shown
