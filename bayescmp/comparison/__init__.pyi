from bayescmp.comparison.all_pairs import compare_all
from bayescmp.comparison.compare import compare
from bayescmp.comparison.results import Comparisons, PairResult

__all__ = ["Comparisons", "PairResult", "compare", "compare_all"]
