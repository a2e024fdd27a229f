"""Verdicts from given numbers."""

import bayescmp as bc
from bayescmp.results.verdict import DatasetSpread, IfKnown
from bayescmp.scores.rope import as_rope


def verdict(left, rope, right, **options):
    """A verdict on knn and gbm over three regions."""
    p = dict(zip(("left", "rope", "right"), (left, rope, right), strict=True))
    return bc.Verdict(
        p,
        dict.fromkeys(p, options.pop("error", 0.0)),
        ("knn", "gbm"),
        as_rope(0.01),
        **{"floor": 1e-3, **options},
    )


def full(**options):
    """A verdict with all that a test over data sets knows."""
    regions = ("left", "rope", "right")
    known = {
        "expected": dict(zip(regions, (0.2, 0.3, 0.5), strict=True)),
        "location": dict(zip(regions, (0.0, 0.1, 0.9), strict=True)),
        "mean_interval": ((0.004, 0.02),),
        "known": IfKnown(0.52, (0.4, 0.6)),
        "spread": (DatasetSpread(0.03, (0.02, 0.04), (-0.05, 0.07)),),
    }
    return verdict(0.1, 0.2, 0.7, **{**known, **options})
