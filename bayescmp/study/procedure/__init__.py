"""Which test when: the decision procedure, and the agreement of one metric's test with several's.

The procedure reads the kind of comparison from the scores, and runs the tests of `KINDS` for it.
"""

from bayescmp.study.procedure.agreement import AgreementResult, decision_agreement
from bayescmp.study.procedure.kinds import KINDS, ComparisonKind, kinds_table, which_test
from bayescmp.study.procedure.run import ProcedureResult, procedure
from bayescmp.study.procedure.study import scores_at_thresholds

__all__ = [
    "KINDS",
    "AgreementResult",
    "ComparisonKind",
    "ProcedureResult",
    "decision_agreement",
    "kinds_table",
    "procedure",
    "scores_at_thresholds",
    "which_test",
]


def __dir__() -> list[str]:
    return __all__
