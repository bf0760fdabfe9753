"""The options of a run: what comes in, and those of each stage, as the project's method of that stage has them."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pandas as pd

    from annotate.workflow.judging.model_request import ModelRequest
    from annotate.workflow.labelling.push import PushRequest
    from annotate.workflow.sampling.waves import WaveRequest

    Traffic = pd.DataFrame | str | Path


@dataclass(frozen=True, kw_only=True, slots=True)
class IngestStage:
    """How traffic is read (`Project.ingest`)."""

    fields: Mapping[str, str] | None = None
    file_format: str = "auto"
    revisions: bool = False
    as_named: bool = False
    scales: Mapping[str, str] | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class FeedbackStage:
    """How feedback is read (`Project.import_feedback`)."""

    fields: Mapping[str, str] | None = None
    file_format: str = "auto"
    names: Collection[str] = ()


@dataclass(frozen=True, kw_only=True, slots=True)
class PushStage:
    """Where tasks are sent, and what the form is like (`Project.push`)."""

    url: str | None = None
    request: PushRequest | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class PullStage:
    """From where annotations are fetched (`Project.pull`)."""

    url: str | None = None
    project: int | None = None
    full: bool = False


@dataclass(frozen=True, kw_only=True, slots=True)
class ReportStage:
    """What the report is held to and of which part (`Project.report`), and the file that it is written to as HTML."""

    limit: float | None = None
    noise: bool = False
    html: str | None = None
    system: str | None = None
    since: str | None = None
    until: str | None = None
    worst: int | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class DriftStage:
    """How a change is looked for (`Project.drift`)."""

    by: str = "week"
    baseline: int = 4
    good: float | None = None
    bad: float | None = None
    false_alarms: float = 0.05
    weeks: int = 26
    since: str | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class RunOptions:
    """What a run does; by default it judges what is there, looks at Label Studio where there is one, and reports.

    Attributes
    ----------
    traffic, feedback
        Files or frames to take in.
    ingest, read_feedback
        How they are read.
    judge
        Offline judges by name, none for the usual ones; or the model to ask.
    sample
        A wave of so many labels, which is left out while earlier draws are open, or each new answer at a rate; None: nothing is
        drawn.
    push, pull
        Send to and fetch from Label Studio; None: neither is looked at. Where neither names a server and the store never knew
        one, both are left out.
    report, drift
        How is measured.
    gates
        "report" and "drift", where their gate counts.
    """

    traffic: Collection[Traffic] = ()
    feedback: Collection[Traffic] = ()
    ingest: IngestStage = field(default_factory=IngestStage)
    read_feedback: FeedbackStage = field(default_factory=FeedbackStage)
    judge: Sequence[str] | ModelRequest = ()
    sample: WaveRequest | None = None
    push: PushStage | None = field(default_factory=PushStage)
    pull: PullStage | None = field(default_factory=PullStage)
    report: ReportStage = field(default_factory=ReportStage)
    drift: DriftStage = field(default_factory=DriftStage)
    gates: Collection[str] = ()

    @property
    def is_server_named(self) -> bool:
        """Whether a Label Studio is named."""
        return any(stage is not None and bool(stage.url) for stage in (self.push, self.pull))
