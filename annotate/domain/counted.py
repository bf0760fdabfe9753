"""Give a count of labelled answers the code by which an address asks for them.

`analysis/counted_answers.py` finds the answers.
"""

from __future__ import annotations

from annotate.domain.message import Counted

BETWEEN = "~"


def code(kind: str, *parts: object) -> str:
    """Write what was counted: a kind of count, and what tells it from others of its kind; what others wrote stands last."""
    return BETWEEN.join((kind, *map(str, parts)))


def counted(count: int, kind: str, *parts: object) -> Counted:
    """Give a count its code."""
    return Counted(count, code(kind, *parts))
