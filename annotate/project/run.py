"""Run every stage of the loop once, one after the other, as a nightly job does.

What fails is recorded and the rest goes on, unless the store itself is broken.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from annotate.domain.run_record import Run, RunStage, RunStatus
from annotate.label_studio.address import address_file
from annotate.present import drift
from proxy.errors import AssayError, StoreError
from proxy.planning.allocation import NothingToDraw

if TYPE_CHECKING:
    import pandas as pd

    from annotate.analysis.report.gate import Gate
    from annotate.domain.sampling.outcomes import Proposed
    from annotate.present.answer import Answer
    from annotate.present.judging import ModelVerdicts, OfflineRun
    from annotate.project.stages import StageMethods
    from annotate.store import Store
    from annotate.workflow.ingest.receive import ImportedFeedback, Ingested
    from annotate.workflow.labelling.sync import PullResult, PushResult

    Traffic = pd.DataFrame | str | Path
    Judged = Answer[OfflineRun] | Answer[ModelVerdicts]
    Measured = Answer[Any]

INGEST, FEEDBACK, JUDGE, SAMPLE = "ingest", "feedback", "judge", "sample"
PUSH, PULL, REPORT, DRIFT = "push", "pull", "report", "drift"
EVENT = "run"
NO_SERVER = "no Label Studio is named (--url, LABEL_STUDIO_URL or `assay up`)"


@dataclass(frozen=True, kw_only=True, slots=True)
class Stages:
    """What each stage of a run does; by default, what the project's method does without options.

    Attributes
    ----------
    traffic, feedback
        Files or frames to take in.
    sample
        Draws for labelling; None: nothing is drawn. With `waits` it is left out while earlier draws are open.
    push, pull
        Send to and fetch from Label Studio; None: neither is looked at.
    is_server_named
        Whether `push` and `pull` name a server themselves. Otherwise both are left out where the store never knew one.
    gates
        "report" and "drift", where their gate counts.
    """

    traffic: Collection[Traffic] = ()
    feedback: Collection[Traffic] = ()
    ingest: Callable[[StageMethods, Traffic], Answer[Ingested]] = lambda project, source: project.ingest(source)
    import_feedback: Callable[[StageMethods, Traffic], Answer[ImportedFeedback]] = lambda project, source: (
        project.import_feedback(source)
    )
    judge: Callable[[StageMethods], Judged] = lambda project: project.judge()
    sample: Callable[[StageMethods], Answer[Proposed]] | None = None
    waits: bool = False
    push: Callable[[StageMethods], Answer[PushResult]] | None = lambda project: project.push()
    pull: Callable[[StageMethods], Answer[PullResult]] | None = lambda project: project.pull()
    is_server_named: bool = False
    report: Callable[[StageMethods], Measured] = lambda project: project.report()
    drift: Callable[[StageMethods], Measured] = lambda project: project.drift()
    gates: Collection[str] = ()


def run(project: StageMethods, stages: Stages, on_step: Callable[[RunStage], None]) -> Run:
    """Run the stages; StoreError where the store cannot be opened, or another run is at work on it."""
    night = _Night(project, on_step)
    with project.writing(make=bool(stages.traffic or stages.feedback)) as store, store.only_one(EVENT):
        try:
            night.run(stages, store)
        except StoreError:
            return night.record()  # its step says so
        record = night.record()
        with store.atomic():
            ended = [[step.stage, int(step.status)] for step in record.steps]
            detail = {"stages": ended, "status": int(record.status)}
            store.audit.events.append(EVENT, detail, who=project.who, now=project.now)
    return record


class _Night:
    """The steps of a run so far."""

    def __init__(self, project: StageMethods, on_step: Callable[[RunStage], None]) -> None:
        self._project, self._on_step = project, on_step
        self._steps: list[RunStage] = []

    def record(self) -> Run:
        return Run(steps=tuple(self._steps))

    def run(self, stages: Stages, store: Store) -> None:
        project = self._project
        for source in stages.traffic:
            self._stage(INGEST, partial(stages.ingest, project, source))
        for source in stages.feedback:
            self._stage(FEEDBACK, partial(stages.import_feedback, project, source))
        self._stage(JUDGE, partial(_judge, project, stages))
        self._sample(stages, store)
        self._label(stages, store)
        self._stage(REPORT, partial(stages.report, project), has_gate=REPORT in stages.gates)
        if DRIFT in stages.gates and not store.traffic.windows.has_times():
            self._leave_out(DRIFT, "no item has a timestamp")  # a gate does not wait for what traffic can never tell
        else:
            self._stage(DRIFT, partial(stages.drift, project), has_gate=DRIFT in stages.gates)

    def _sample(self, stages: Stages, store: Store) -> None:
        if stages.sample is None:
            return
        waiting = len(store.sampling.waves.open_draws()) if stages.waits else 0
        if waiting:
            self._leave_out(SAMPLE, f"{waiting:,} draws still wait for a label")
        else:
            self._stage(SAMPLE, partial(stages.sample, self._project))

    def _label(self, stages: Stages, store: Store) -> None:
        """Send and fetch; where Label Studio is down, both report it, and where there never was one, both are left out."""
        is_known = (
            stages.is_server_named or address_file(self._project.path).exists() or store.labels.outbox.has_projects()
        )
        for stage, work in ((PUSH, stages.push), (PULL, stages.pull)):
            if work is not None and is_known:
                self._stage(stage, partial(work, self._project))
            elif work is not None:
                self._leave_out(stage, NO_SERVER)

    def _stage(self, stage: str, work: Callable[[], Answer[Any]], *, has_gate: bool = False) -> None:
        """Do the work of a stage; StoreError if the store is broken, every other failure is recorded."""
        step = RunStage(stage=stage, at=self._project.now, status=RunStatus.FAILED)
        try:
            answer = work()
            status = _status(answer, _gate(stage, answer) if has_gate else None)
        except StoreError as error:
            self._add(replace(step, reason=f"{error}; the stages after it were not run"))
            raise
        except NothingToDraw:  # no failure of a night
            self._leave_out(stage, "every item has had its chance")
        except AssayError as error:
            self._add(replace(step, reason=f"failed: {error}"))
        else:
            self._add(replace(step, status=status, result=answer))

    def _leave_out(self, stage: str, why: str) -> None:
        self._add(RunStage(stage=stage, at=self._project.now, status=RunStatus.DONE, reason=f"left out: {why}"))

    def _add(self, step: RunStage) -> None:
        self._steps.append(step)
        self._on_step(step)


def _judge(project: StageMethods, stages: Stages) -> Judged:
    from annotate.present.judging import ModelVerdicts

    answer = stages.judge(project)
    if isinstance(answer.result, ModelVerdicts):
        answer.result.run.raise_for_fault()
    return answer


def _gate(stage: str, answer: Measured) -> Gate:
    if stage == REPORT:
        gate: Gate = answer.result.gate
        return gate
    return drift.gate(answer.result)


def _status(answer: Answer[Any], gate: Gate | None) -> RunStatus:
    if gate is not None and gate.reasons:
        return RunStatus.GATE_FAILED
    return RunStatus.DONE if getattr(answer.result, "is_complete", True) else RunStatus.PARTIAL
