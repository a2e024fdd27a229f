"""ROC and precision-recall curves of cross-validated scores, their areas, and threshold sweeps.

Everything is vectorised over folds: labels and scores are (folds, n) arrays, or one array per fold
where folds differ in size. Ties of the score are one point of a curve (Fawcett 2006).
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
