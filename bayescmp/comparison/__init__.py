"""From scores to verdicts: one pair of algorithms, all pairs, or all against a control."""

from bayescmp._lazy import lazily

__getattr__, __dir__, __all__ = lazily(__name__)
