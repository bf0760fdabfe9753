"""What annotators say of an answer, and where everything is kept: every door to the outside is here.

`Project.open(path)` is the way in from Python.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from annotate.present.answer import Answer
    from annotate.project import Project
    from annotate.project.run_options import (
        DriftStage,
        FeedbackStage,
        IngestStage,
        PullStage,
        PushStage,
        ReportStage,
        RunOptions,
    )
    from annotate.workflow.sampling.waves import WaveRequest

__all__ = [
    "Answer",
    "DriftStage",
    "FeedbackStage",
    "IngestStage",
    "Project",
    "PullStage",
    "PushStage",
    "ReportStage",
    "RunOptions",
    "WaveRequest",
]
HOMES = {
    "Answer": "annotate.present.answer",
    "Project": "annotate.project",
    "WaveRequest": "annotate.workflow.sampling.waves",
}
OPTIONS = "annotate.project.run_options"


def __getattr__(name: str) -> object:
    """Load a name on use, as an import of one part should not load all of it."""
    if name in __all__:
        return getattr(import_module(HOMES.get(name, OPTIONS)), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
