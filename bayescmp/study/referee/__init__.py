"""A referee for an automated loop: may this change stay?"""

from __future__ import annotations

import bayescmp.study.referee.summary  # noqa: F401 - registers how a referee is written
from bayescmp.study.referee.referee import Referee

__all__ = ["Referee"]


def __dir__() -> list[str]:
    return __all__
