"""Works that tests cite."""

from __future__ import annotations

import pytest

import bayescmp as bc
from bayescmp.wording.references import REFERENCES, add_reference, short


@pytest.mark.parametrize("key", REFERENCES)
def test_every_work_has_what_bibtex_wants(key):
    kind, fields = REFERENCES[key]
    assert {"author", "title", "year"} <= set(fields)
    assert ("journal" if kind == "article" else "booktitle") in fields
    assert key.endswith(fields["year"])


@pytest.mark.parametrize(
    ("key", "text"),
    [
        ("holm1979", "Holm 1979"),
        ("nadeau2003", "Nadeau & Bengio 2003"),
        ("corani2017", "Corani et al. 2017"),
    ],
)
def test_short_form(key, text):
    assert short(key) == text


@pytest.mark.parametrize(
    ("key", "fields", "message"),
    [
        ("corani2017", {"author": "A", "title": "T", "year": "2026"}, "already"),
        ("new2026", {"author": "A", "year": "2026"}, "has no title"),
    ],
)
def test_bad_references_are_refused(key, fields, message):
    with pytest.raises(bc.InputError, match=message):
        add_reference(key, "article", **fields)
