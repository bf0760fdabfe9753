"""Run every stage of the loop once, one after the other, as a nightly job does.

What fails is recorded and the rest goes on, unless the store itself is broken.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from annotate.domain.run_record import Run, RunStage, RunStatus
from annotate.label_studio.address import address_file
from annotate.present import drift
from proxy.errors import AssayError, StoreError
from proxy.planning.allocation import NothingToDraw

if TYPE_CHECKING:
    from annotate.analysis.drift.windows import Drift
    from annotate.analysis.report.gate import Gate
    from annotate.analysis.report.report import ProjectReport
    from annotate.domain.sampling.outcomes import Proposed
    from annotate.present.answer import Answer
    from annotate.present.judging import ModelVerdicts, OfflineRun
    from annotate.project.run_options import (
        DriftStage,
        FeedbackStage,
        IngestStage,
        PullStage,
        PushStage,
        ReportStage,
        RunOptions,
        Traffic,
    )
    from annotate.project.stages import StageMethods
    from annotate.store import Store
    from annotate.workflow.ingest.receive import ImportedFeedback, Ingested
    from annotate.workflow.judging.model_request import ModelRequest
    from annotate.workflow.labelling.sync import PullResult, PushResult
    from annotate.workflow.sampling.waves import WaveRequest

INGEST, FEEDBACK, JUDGE, SAMPLE = "ingest", "feedback", "judge", "sample"
PUSH, PULL, REPORT, DRIFT = "push", "pull", "report", "drift"
EVENT = "run"
NO_SERVER = "no Label Studio is named (--url, LABEL_STUDIO_URL or `assay up`)"


def run(project: StageMethods, options: RunOptions, on_step: Callable[[RunStage], None]) -> Run:
    """Run the stages; StoreError where the store cannot be opened, or another run is at work on it."""
    night = _Night(project, options, on_step)
    with project.writing(make=bool(options.traffic or options.feedback)) as store, store.only_one(EVENT):
        try:
            night.run(store)
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

    def __init__(self, project: StageMethods, options: RunOptions, on_step: Callable[[RunStage], None]) -> None:
        self._project, self._options, self._on_step = project, options, on_step
        self._steps: list[RunStage] = []

    def record(self) -> Run:
        return Run(steps=tuple(self._steps))

    def run(self, store: Store) -> None:
        project, options = self._project, self._options
        for source in options.traffic:
            self._stage(INGEST, partial(_ingest, project, source, options.ingest))
        for source in options.feedback:
            self._stage(FEEDBACK, partial(_feedback, project, source, options.read_feedback))
        self._stage(JUDGE, partial(_judge, project, options.judge))
        self._sample(options.sample, store)
        self._label(options, store)
        self._stage(REPORT, partial(_report, project, options.report), has_gate=REPORT in options.gates)
        if DRIFT in options.gates and not store.traffic.windows.has_times():
            self._leave_out(DRIFT, "no item has a timestamp")  # a gate does not wait for what traffic can never tell
        else:
            self._stage(DRIFT, partial(_drift, project, options.drift), has_gate=DRIFT in options.gates)

    def _sample(self, options: WaveRequest | None, store: Store) -> None:
        """Draw, a wave only where no draw is open; a rate is for each new answer, and waits for none."""
        if options is None:
            return
        waiting = len(store.sampling.waves.open_draws()) if options.rate is None else 0
        if waiting:
            self._leave_out(SAMPLE, f"{waiting:,} draws still wait for a label")
        else:
            self._stage(SAMPLE, partial(_sample, self._project, options))

    def _label(self, options: RunOptions, store: Store) -> None:
        """Send and fetch; where Label Studio is down, both report it, and where there never was one, both are left out."""
        project = self._project
        work: dict[str, Callable[[], Answer[Any]]] = {}
        if options.push is not None:
            work[PUSH] = partial(_push, project, options.push)
        if options.pull is not None:
            work[PULL] = partial(_pull, project, options.pull)
        is_known = options.is_server_named or address_file(project.path).exists() or store.labels.outbox.has_projects()
        for stage, exchange in work.items():
            if is_known:
                self._stage(stage, exchange)
            else:
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


def _ingest(project: StageMethods, source: Traffic, options: IngestStage) -> Answer[Ingested]:
    return project.ingest(
        source,
        fields=options.fields,
        file_format=options.file_format,
        revisions=options.revisions,
        as_named=options.as_named,
        scales=options.scales,
    )


def _feedback(project: StageMethods, source: Traffic, options: FeedbackStage) -> Answer[ImportedFeedback]:
    return project.import_feedback(source, fields=options.fields, file_format=options.file_format, names=options.names)


def _judge(project: StageMethods, judges: Sequence[str] | ModelRequest) -> Answer[OfflineRun] | Answer[ModelVerdicts]:
    from annotate.workflow.judging.model_request import ModelRequest

    if not isinstance(judges, ModelRequest):
        return project.judge(judges)
    answer = project.judge_with_model(judges)
    answer.result.run.raise_for_fault()
    return answer


def _sample(project: StageMethods, options: WaveRequest) -> Answer[Proposed]:
    return project.sample(
        options.labels,
        audit=options.audit,
        all_passed=options.all_passed,
        part=options.part,
        active=options.active,
        rate=options.rate,
        rate_failed=options.rate_failed,
        seed=options.seed,
    )


def _push(project: StageMethods, options: PushStage) -> Answer[PushResult]:
    return project.push(options.url, options.request)


def _pull(project: StageMethods, options: PullStage) -> Answer[PullResult]:
    return project.pull(options.url, project=options.project, full=options.full)


def _report(project: StageMethods, options: ReportStage) -> Answer[ProjectReport]:
    system, since, until = options.system, options.since, options.until
    if options.html:
        project.write_report(options.html, limit=options.limit, system=system, since=since, until=until)
    return project.report(
        limit=options.limit, noise=options.noise, system=system, since=since, until=until, worst=options.worst
    )


def _drift(project: StageMethods, options: DriftStage) -> Answer[Drift]:
    return project.drift(
        by=options.by,
        baseline=options.baseline,
        good=options.good,
        bad=options.bad,
        false_alarms=options.false_alarms,
        weeks=options.weeks,
        since=options.since,
    )


def _gate(stage: str, answer: Answer[Any]) -> Gate:
    if stage == REPORT:
        gate: Gate = answer.result.gate
        return gate
    return drift.gate(answer.result)


def _status(answer: Answer[Any], gate: Gate | None) -> RunStatus:
    if gate is not None and gate.reasons:
        return RunStatus.GATE_FAILED
    return RunStatus.DONE if getattr(answer.result, "is_complete", True) else RunStatus.PARTIAL
