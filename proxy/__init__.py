"""Judge answers and estimate how far the verdicts can be trusted: pure, usable without a database.

`judge` scores the answers of a DataFrame, `measure` holds a rule against its labels; `judge_one` judges one answer.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from proxy.evaluation.estimate import Estimate
    from proxy.frames.judging import judge
    from proxy.frames.labelled_rows import Design
    from proxy.frames.measurement import Report, measure
    from proxy.guard import Reflector, judge_one
    from proxy.rule import Rule

__all__ = ["Design", "Estimate", "Reflector", "Report", "Rule", "judge", "judge_one", "measure"]
HOMES = {
    "Design": "proxy.frames.labelled_rows",
    "Estimate": "proxy.evaluation.estimate",
    "Reflector": "proxy.guard",
    "Report": "proxy.frames.measurement",
    "Rule": "proxy.rule",
    "judge": "proxy.frames.judging",
    "judge_one": "proxy.guard",
    "measure": "proxy.frames.measurement",
}


def __getattr__(name: str) -> object:
    """Load a name on use, as whoever imports a part of this package does not want all of it."""
    if name in HOMES:
        return getattr(import_module(HOMES[name]), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
