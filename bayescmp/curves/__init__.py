"""ROC and precision-recall curves of cross-validated scores, their areas, and threshold sweeps.

Everything is vectorised over folds: labels and scores are (folds, n) arrays, or one array per fold
where folds differ in size. Ties of the score are one point of a curve (Fawcett 2006).
"""

from bayescmp.base.lazy import load_lazily

__getattr__, __dir__, __all__ = load_lazily(__name__)
