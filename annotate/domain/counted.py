"""Give a count of labelled answers the code by which an address asks for them.

`analysis/counted_answers.py` finds the answers.
"""

from __future__ import annotations

from dataclasses import replace

from annotate.domain.message import Counted
from proxy.evaluation.estimate import Estimate

BETWEEN = "~"
# The answers whose label says serious harm, whatever the proxy says of them.
HARMFUL = "harmful"


def code(kind: str, *parts: object) -> str:
    """Write what was counted: a kind of count, and what tells it from others of its kind; what others wrote stands last."""
    return BETWEEN.join((kind, *map(str, parts)))


def resting_on(estimate: Estimate, kind: str, *parts: object) -> Estimate:
    """Give an estimate the code of the labels that it rests on; one that is not known rests on none."""
    return estimate if estimate.estimate is None else replace(estimate, n=counted(estimate.n, kind, *parts))


def counted(count: int, kind: str, *parts: object) -> Counted:
    """Give a count its code."""
    return Counted(count, code(kind, *parts))
