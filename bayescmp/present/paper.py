"""Explanations: a few sentences for any reader, or paragraphs and references for a paper."""

from __future__ import annotations

from collections.abc import Iterable

from bayescmp.base.checks import check_choice
from bayescmp.base.version import __version__
from bayescmp.present.summary import Explanation
from bayescmp.wording.references import REFERENCES, cite_short

#: The forms that `explain` accepts.
FORMS = ("short", "paper")

#: The package itself, as BibTeX has it.
SOFTWARE = f"""@software{{bayescmp,
  author = {{{{The bayescmp developers}}}},
  title = {{bayescmp: {{B}}ayesian comparison of learning algorithms from cross-validated scores}},
  version = {{{__version__}}},
  year = {{2026}},
}}"""

COMPUTED = f"Computed with bayescmp {__version__}."


def write_explanation(form: str, explanation: Explanation) -> str:
    """Write an explanation, or in the form "paper" results, methods, and BibTeX entries."""
    if check_choice("form", form, FORMS) == "short":
        return _join(explanation.short or ())
    texts = [_join(explanation.results or ()), _join([*explanation.methods, COMPUTED])]
    entries = map(write_bibtex, find_cited(" ".join(texts)))
    return "\n\n".join([*texts, *entries, SOFTWARE])


def split_paragraphs(explanation: str) -> list[str]:
    """Split an explanation for a paper into its two paragraphs, without the BibTeX entries."""
    return explanation.split("\n\n")[:2]


def _join(sentences: Iterable[str]) -> str:
    return " ".join(sentence for sentence in sentences if sentence)


def find_cited(text: str) -> list[str]:
    """Find the works that a text cites, as `cite_short` writes them."""
    return [key for key in REFERENCES if cite_short(key) in text]


def write_bibtex(key: str) -> str:
    """Write a work as a BibTeX entry."""
    kind, fields = REFERENCES[key]
    lines = (f"  {name} = {{{value}}}," for name, value in fields.items())
    return "\n".join([f"@{kind}{{{key},", *lines, "}"])
