"""Judge answers and estimate how far the verdicts can be trusted: pure, usable without a database.

`judge` scores the answers of a DataFrame, `measure` measures a rule against its labels, `calibrate` gives the rule a threshold
with a guarantee, `compare` and `rank` compare systems, `find_slices` finds where the rule errs more than elsewhere, `plan` says
how many more labels are needed. `judge_one` judges one answer. `metrics` lists metrics with standard names, `metric` is one as a
judge.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from proxy.evaluation.estimate import Estimate
    from proxy.frames.calibration import Calibration, calibrate
    from proxy.frames.comparison import SystemComparison, compare
    from proxy.frames.judging import judge
    from proxy.frames.labelled_rows import Design
    from proxy.frames.measurement import Report, measure
    from proxy.frames.metrics import metric, metrics
    from proxy.frames.planning import LabelPlan, plan
    from proxy.frames.ranking import Ranking, rank
    from proxy.frames.slices import SliceSearch, find_slices
    from proxy.guard import Reflector, judge_one
    from proxy.rule import Rule

__all__ = [
    "Calibration",
    "Design",
    "Estimate",
    "LabelPlan",
    "Ranking",
    "Reflector",
    "Report",
    "Rule",
    "SliceSearch",
    "SystemComparison",
    "calibrate",
    "compare",
    "find_slices",
    "judge",
    "judge_one",
    "measure",
    "metric",
    "metrics",
    "plan",
    "rank",
]
HOMES = {
    "Calibration": "proxy.frames.calibration",
    "Design": "proxy.frames.labelled_rows",
    "Estimate": "proxy.evaluation.estimate",
    "LabelPlan": "proxy.frames.planning",
    "Ranking": "proxy.frames.ranking",
    "Reflector": "proxy.guard",
    "Report": "proxy.frames.measurement",
    "Rule": "proxy.rule",
    "SliceSearch": "proxy.frames.slices",
    "SystemComparison": "proxy.frames.comparison",
    "calibrate": "proxy.frames.calibration",
    "compare": "proxy.frames.comparison",
    "find_slices": "proxy.frames.slices",
    "judge": "proxy.frames.judging",
    "judge_one": "proxy.guard",
    "measure": "proxy.frames.measurement",
    "metric": "proxy.frames.metrics",
    "metrics": "proxy.frames.metrics",
    "plan": "proxy.frames.planning",
    "rank": "proxy.frames.ranking",
}


def __getattr__(name: str) -> object:
    """Load a name on use, as an import of one part should not load all of it."""
    if name in HOMES:
        return getattr(import_module(HOMES[name]), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
