"""The public API: one method for each thing that can be done with a store."""

from __future__ import annotations

import getpass
import os
import secrets
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from annotate.present.answer import Answer
from annotate.project.frames import frame
from annotate.project.gold import ProjectGold
from annotate.project.labels import ProjectLabels
from annotate.project.maintenance import Maintenance
from annotate.project.scores import ProjectDraws, ProjectRules, ProjectScores

if TYPE_CHECKING:
    import pandas as pd

    from annotate.analysis.calibration.certify import Calibrated
    from annotate.analysis.calibration.reliability import Explained
    from annotate.analysis.comparison.compare import Alone, ComparedSystems
    from annotate.analysis.comparison.rank import Ranked
    from annotate.analysis.comparison.selections import Names
    from annotate.analysis.diagnosis import Diagnoses
    from annotate.analysis.drift.windows import Drift
    from annotate.analysis.planning.plan import LabellingPlan
    from annotate.analysis.planning.simulate import Simulated, Simulation
    from annotate.analysis.report.report import Report
    from annotate.analysis.slices.find import Slices
    from annotate.domain import message
    from annotate.domain.sampling.outcomes import PairsDrawn, Proposed
    from annotate.label_studio.client import LabelStudio
    from annotate.project.run import Run, Stages, Step
    from annotate.store import Store
    from annotate.workflow.ingest.receive import ImportedFeedback, ImportedLabels, ImportedScores, Ingested
    from annotate.workflow.judging.cost_estimate import CallEstimate
    from annotate.workflow.judging.model_request import ModelRequest, ModelRun
    from annotate.workflow.judging.offline import JudgingResult
    from annotate.workflow.labelling.push import PushRequest
    from annotate.workflow.labelling.sync import Delivered, Exchanged, Fetched, Sent


class Project:
    """A store and what can be done with it.

    Attributes
    ----------
    scores, draws, labels, gold
        Each returns a frame where it is called, and has methods of its own.
    rules
        The rule that turns scores into verdicts.
    maintenance
        What keeps the store sound: doctor, events, backup, forget.

    Parameters
    ----------
    path
        The store's file; `ingest` makes it where there is none.
    who
        In whose name things are changed: ASSAY_USER or the login name, unless it is given.
    """

    def __init__(self, path: str | Path, *, who: str | None = None) -> None:
        self.path = Path(path)
        self._who = who
        self.scores = ProjectScores(self)
        self.rules = ProjectRules(self)
        self.draws = ProjectDraws(self)
        self.labels = ProjectLabels(self)
        self.gold = ProjectGold(self)
        self.maintenance = Maintenance(self)

    @classmethod
    def open(cls, path: str | Path = "assay.db", *, who: str | None = None) -> Project:
        """Return the project whose store is this file."""
        return cls(path, who=who)

    def __repr__(self) -> str:
        return f"Project({str(self.path)!r})"

    @property
    def who(self) -> str:
        """In whose name things are changed."""
        try:
            return self._who or os.environ.get("ASSAY_USER") or getpass.getuser()
        except (KeyError, OSError):
            return "unknown"

    @property
    def now(self) -> str:
        """The time, ISO 8601 in UTC."""
        return datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")

    # what changes the store

    def ingest(
        self,
        *sources: pd.DataFrame | str | Path,
        fields: Mapping[str, str] | None = None,
        file_format: str = "auto",
        revisions: bool = False,
        as_named: bool = False,
    ) -> Ingested:
        """Take traffic in, from frames or files.

        Parameters
        ----------
        sources
            Frames with a row an answer, or files (JSONL, CSV, Parquet; ``-`` is standard input).
        fields
            Where our fields lie: ``{"question": "input.query"}``.
        file_format
            jsonl, csv or parquet; auto looks at the content.
        revisions
            Rows that repeat an id with other content correct the row before.
        as_named
            Take a source as it is that has a field under nearly the right name.

        Returns
        -------
        Ingested
            Rows that were read, refused and repaired, with the reasons, and what they added.

        Raises
        ------
        FileError
            For sources that would lose data without a word; nothing is kept of them.
        """
        from annotate.workflow.ingest import receive
        from annotate.workflow.ingest.sources import opened_sources

        folder = self.path.absolute().parent
        with (
            opened_sources(sources, fields, file_format, copies=folder) as opened,
            self.writing(make=True) as store,
        ):
            return receive.traffic(store, opened, who=self.who, now=self.now, revisions=revisions, as_named=as_named)

    def import_scores(
        self,
        source: pd.DataFrame | str | Path,
        *,
        fields: Mapping[str, str] | None = None,
        file_format: str = "auto",
    ) -> ImportedScores:
        """Take other tools' scores in: item_id, judge, value in [0, 1], signature."""
        from annotate.workflow.ingest import receive
        from annotate.workflow.ingest.sources import opened_sources

        with opened_sources([source], fields, file_format) as [opened], self.writing() as store:
            return receive.scores(store, opened, who=self.who, now=self.now)

    def import_feedback(
        self,
        source: pd.DataFrame | str | Path,
        *,
        fields: Mapping[str, str] | None = None,
        file_format: str = "auto",
    ) -> ImportedFeedback:
        """Take end users' thumbs in: item_id, value, comment, correction."""
        from annotate.workflow.ingest import receive
        from annotate.workflow.ingest.sources import opened_sources

        with opened_sources([source], fields, file_format) as [opened], self.writing(make=True) as store:
            return receive.feedback(store, opened, who=self.who, now=self.now)

    def import_labels(
        self,
        source: pd.DataFrame | str | Path,
        *,
        fields: Mapping[str, str] | None = None,
        file_format: str = "auto",
    ) -> ImportedLabels:
        """Take labels in: item_id, label (right, wrong, unsure), annotator, reference."""
        from annotate.workflow.ingest import receive
        from annotate.workflow.ingest.sources import opened_sources

        with opened_sources([source], fields, file_format) as [opened], self.writing() as store:
            return receive.labels(store, opened, who=self.who, now=self.now)

    def judge(self, judges: Sequence[str] = ()) -> JudgingResult:
        """Score every item that lacks a score of these offline judges; without names, of those that usually run."""
        from annotate.workflow.judging import offline

        chosen = offline.named(judges)
        with self.writing() as store:
            return offline.judge(store, chosen, now=self.now)

    def judge_with_model(self, request: ModelRequest) -> ModelRun:
        """Ask a model for every score that is missing; its key comes from OPENAI_API_KEY.

        Raises
        ------
        EndpointError
            Where the endpoint cannot be used at all. A run that stopped on the way says so in what it returns.
        """
        from annotate.workflow.judging import model_request

        with self.writing() as store:
            return model_request.run(store, request, who=self.who, clock=lambda: self.now)

    def estimate_calls(self, request: ModelRequest) -> CallEstimate:
        """Work out what `judge_with_model` would take, in calls, tokens and money; nothing is sent."""
        from annotate.workflow.judging import model_request

        with self.reading() as store:
            return model_request.estimate(store, request)

    def sample(
        self,
        labels: int | None = None,
        *,
        audit: float = 0.25,
        all_passed: bool = False,
        part: str | None = None,
        active: bool = False,
        rate: float | None = None,
        rate_failed: float | None = None,
        seed: int | None = None,
        dry_run: bool = False,
    ) -> Answer[Proposed]:
        """Draw a wave of answers for labelling; never one that was drawn before.

        Parameters
        ----------
        labels
            About how many answers to draw.
        audit
            The least share of them from failed answers.
        all_passed
            Take every passed answer.
        part
            Draw of this slice only, by its name in `slices`.
        active
            Favour answers of which earlier labels leave us unsure.
        rate, rate_failed
            A stream in place of `labels`: the chance of each new answer, and of a failed one.
        seed
            The same seed on the same store draws the same answers; None: a new one.
        dry_run
            Propose the wave and draw nothing.
        """
        from annotate.analysis.next_step import after_wave, way_of
        from annotate.present import waves as present_waves
        from annotate.workflow.sampling import waves

        asked = waves.Asked(
            labels=labels,
            audit=audit,
            all_passed=all_passed,
            part=part,
            active=active,
            rate=rate,
            rate_failed=rate_failed,
            seed=seed,
        )
        waves.check(asked)
        if dry_run:
            with self.reading() as store:
                result = waves.propose(store, waves.request_of(store, asked), now=self.now)
        else:
            with self.writing() as store:
                result = waves.draw(store, waves.request_of(store, asked), who=self.who, now=self.now)
        return Answer(result, present_waves.document(result, after_wave(result, way_of(self.path))), "waves")

    def sample_pairs(
        self, systems: Sequence[str], labels: int, *, seed: int | None = None, dry_run: bool = False
    ) -> PairsDrawn:
        """Draw about so many answers of these systems: those that tell most about which is better.

        Parameters
        ----------
        systems
            Two systems or more, as for `compare`.
        labels
            About how many answers.
        seed
            The lots are drawn by it; None: a new one.
        dry_run
            Propose the wave and draw nothing.
        """
        from annotate.workflow.sampling import paired_waves

        seed = secrets.randbelow(1_000_000) if seed is None else seed
        with self.reading() if dry_run else self.writing() as store:
            return paired_waves.draw(store, systems, labels, seed=seed, now=self.now, who=self.who, dry_run=dry_run)

    def push(self, url: str | None = None, request: PushRequest | None = None) -> Sent:
        """Send the open draws to Label Studio; the token comes from LABEL_STUDIO_API_KEY.

        Parameters
        ----------
        url
            The server; None: the one that `assay up` started.
        request
            Which project, for whom, and what the form is like; None: as the last time.
        """
        from annotate.workflow.labelling import sync
        from annotate.workflow.labelling.push import PushRequest

        with self.writing() as store:
            return sync.send(store, url, request or PushRequest(), who=self.who, now=self.now)

    def pull(self, url: str | None = None, *, project: int | None = None, full: bool = False) -> Fetched:
        """Bring annotations back from Label Studio, of one project or all of ours; `full` reads everything anew."""
        from annotate.workflow.labelling import sync

        with self.writing() as store:
            return sync.fetch(store, url, project=project, full=full, who=self.who, now=self.now)

    def deliver(self, studio: LabelStudio, server: str, request: PushRequest) -> Delivered:
        """Send the open draws over a connection that is there, to the server of this name."""
        from annotate.workflow.labelling import sync

        with self.writing() as store:
            return sync.deliver(store, studio, server, request, who=self.who, now=self.now)

    def exchange(self, studio: LabelStudio, server: str) -> Exchanged:
        """Bring annotations back over a connection that is there, then send the open draws."""
        from annotate.workflow.labelling import sync

        with self.writing() as store:
            return sync.exchange(store, studio, server, who=self.who, now=self.now)

    def calibrate(
        self,
        precision: float,
        *,
        confidence: float = 0.9,
        share: float = 0.5,
        seed: int = 0,
        claim: str | None = None,
        dry_run: bool = False,
    ) -> Answer[Calibrated]:
        """Find the lowest threshold that is certified to keep the precision, and put it in force.

        Parameters
        ----------
        precision
            The least share of right answers among passed ones.
        confidence
            How sure the certificate is to be.
        share
            The share of the labels that choose; the others score the rule.
        claim
            ``"window"`` or ``"long-run"``: the guarantee that it must have. None: the strongest that is shown.
        dry_run
            Change nothing.
        """
        from annotate.analysis.calibration import certify
        from annotate.analysis.next_step import after_calibration, way_of
        from annotate.present import calibration
        from annotate.workflow.judging import threshold
        from proxy.stats.calibration.threshold_tests import Claim

        asked = None if claim is None else Claim(claim.replace("-", "_"))
        request = certify.Request(precision=precision, confidence=confidence, share=share, seed=seed, claim=asked)
        if dry_run:
            with self.reading() as store:
                result = certify.calibrate(store, request, now=self.now)
        else:
            with self.writing() as store:
                result = threshold.put_certified(store, request, who=self.who, now=self.now)
        steps = after_calibration(result, way_of(self.path))
        return Answer(result, calibration.document(result, steps), "calibration")

    def demo(self, tell: Callable[[str], None], *, leave_open: int = 0) -> None:
        """Take the demo's sixteen answers through every stage; `leave_open` draws are left for a person to label."""
        from annotate.workflow import demo

        with self.writing(make=True) as store:
            demo.walk(store, tell, now=self.now, leave_open=leave_open)

    def run(self, stages: Stages | None = None, *, on_step: Callable[[Step], None] | None = None) -> Run:
        """Run every stage of the loop once: ingest, judge, sample, push, pull, report and drift.

        Running it again adds nothing twice. A stage that fails is recorded and the rest goes on, except past a broken store.

        Parameters
        ----------
        stages
            What to take in and draw, and what each stage does; None: judge what is there and report.
        on_step
            Called with each step as it ends.

        Raises
        ------
        StoreError
            Where there is no store, or another run is at work on it.
        """
        from annotate.project.run import Stages, run

        return run(self, stages or Stages(), on_step or (lambda step: None))

    # what only reads

    def report(self, *, limit: float | None = None, noise: bool = False) -> Answer[Report]:
        """Say whether the proxy can be trusted, and measure everything; `limit` is on right answers among passed ones."""
        from annotate.analysis.next_step import StepState, next_step, way_of
        from annotate.analysis.report import report as reports
        from annotate.domain import gate_limits
        from annotate.present import report as present_report

        wanted = gate_limits.of_report()
        with self.reading() as store:
            asked = gate_limits.of_verdict() if limit is None else limit
            result = reports.build(store, limit=asked, limits=wanted)
        steps = next_step(StepState(report=result, way=way_of(self.path)))
        return Answer(result, present_report.document(result, steps, with_noise=noise), "report")

    def next(self) -> Answer[tuple[message.Step, ...]]:
        """Say what to do next: the first stage of the loop that has work waiting, then what waits for a decision."""
        from annotate.analysis.next_step import StepState, next_step, way_of
        from annotate.analysis.report import report as reports
        from annotate.domain import gate_limits
        from annotate.present import next_step as present_next

        with self.reading() as store:
            result = reports.build(store, limit=gate_limits.of_verdict(), limits=gate_limits.of_report())
        steps = next_step(StepState(report=result, way=way_of(self.path)))
        return Answer(steps, present_next.document(steps), "next_step")

    def print_report(self, *, limit: float | None = None, is_plain: bool = False) -> str:
        """Return the report as one HTML file to send or print; it shows no question, answer or name of an annotator.

        `is_plain` takes the usual limits, whatever assay.toml says.
        """
        from annotate.analysis.printed_report import gather
        from annotate.domain import gate_limits
        from annotate.present import html, printed_report
        from annotate.present.messages import text
        from proxy.evaluation.trust import DEFAULT_LIMIT

        wanted = gate_limits.ReportLimits() if is_plain else gate_limits.of_report()
        if limit is None:
            limit = DEFAULT_LIMIT if is_plain else gate_limits.of_verdict()
        with self.reading() as store:
            printed = gather(store, now=self.now, limit=limit, limits=wanted)
        title = f"{text(printed_report.HEADING)} {printed.store}, {printed.now[:10]}"
        return html.page(
            printed_report.document(printed),
            heading=printed_report.HEADING,
            title=title,
            footer=printed_report.footer(printed),
        )

    def write_report(self, file: str, *, limit: float | None = None) -> None:
        """Write the same page to an .html file; ``-`` is standard output."""
        from annotate.files.whole import write_whole

        page = self.print_report(limit=limit)
        if file == "-":
            sys.stdout.write(page)
        else:
            write_whole(file, ".html", lambda stream: stream.write(page.encode("utf-8", "replace")))

    def reliability(self) -> Answer[Explained]:
        """Show what the value of the rule says of P(right)."""
        from annotate.analysis.calibration import reliability
        from annotate.analysis.next_step import after_reliability, way_of
        from annotate.present import reliability as present_reliability

        with self.reading() as store:
            result = reliability.explain(store)
        steps = after_reliability(result, way_of(self.path))
        return Answer(result, present_reliability.document(result, steps), "reliability")

    def compare(self, first: str, second: str, *, judge: str | None = None) -> Answer[ComparedSystems]:
        """Say whether the second system is better than the first, on the same questions."""
        from annotate.analysis.comparison import compare
        from annotate.analysis.next_step import after_comparison, way_of
        from annotate.domain.gate_limits import of_compare
        from annotate.present import comparison

        limits = of_compare()
        with self.reading() as store:
            result = compare.compare(store, (first, second), judge=judge, limits=limits)
        steps = after_comparison(result, way_of(self.path))
        return Answer(result, comparison.document(result, steps), "comparison")

    def rank(self, *systems: str) -> Answer[Ranked]:
        """Rank these systems by the share of right answers."""
        from annotate.analysis.comparison import rank
        from annotate.analysis.next_step import after_ranking, way_of
        from annotate.domain.gate_limits import of_compare
        from annotate.present import ranking

        limits = of_compare()
        with self.reading() as store:
            result = rank.rank(store, systems, limits)
        return Answer(result, ranking.document(result, after_ranking(result, way_of(self.path))), "ranking")

    def systems(self) -> Names:
        """Return the systems that the store has answers of."""
        from annotate.analysis.comparison.selections import Names

        with self.reading() as store:
            return Names.of(store)

    def alone(self, name: str) -> Alone:
        """Return what this system alone could be compared with."""
        from annotate.analysis.comparison import compare

        with self.reading() as store:
            return compare.alone(store, name)

    def slices(self, *, by: Sequence[str] = (), level: float = 0.05) -> Answer[Slices]:
        """Name the slices of the traffic where the proxy errs more than elsewhere."""
        from annotate.analysis.next_step import after_slices, way_of
        from annotate.analysis.slices import find
        from annotate.present import slices

        with self.reading() as store:
            result = find.build(store, by=by, level=level)
        return Answer(result, slices.document(result, after_slices(result, way_of(self.path))), "slices")

    def diagnose(
        self, *, relevance_above: float = 0.5, faithfulness_above: float = 0.5, system: str | None = None
    ) -> Answer[Diagnoses]:
        """Say which stage of the app to mend first, where the labels show it."""
        from annotate.analysis import diagnosis
        from annotate.analysis.diagnosis import Thresholds
        from annotate.analysis.next_step import after_diagnosis, way_of
        from annotate.present import diagnosis as present_diagnosis

        with self.reading() as store:
            result = diagnosis.build(store, thresholds=Thresholds(relevance_above, faithfulness_above), system=system)
        steps = after_diagnosis(result, way_of(self.path))
        return Answer(result, present_diagnosis.document(result, steps), "diagnosis")

    def drift(
        self,
        *,
        by: str = "week",
        baseline: int = 4,
        good: float | None = None,
        bad: float | None = None,
        false_alarms: float = 0.05,
        weeks: int = 26,
        since: str | None = None,
    ) -> Answer[Drift]:
        """Say whether quality has dropped or a judge has changed.

        Parameters
        ----------
        by
            The windows: day, week or month.
        baseline
            How many windows at first are the measure of the later ones.
        good, bad
            Rates of right answers: watch that it stays at `good`, and raise an alarm where it has fallen to `bad`.
        false_alarms
            The chance of an alarm in `weeks` weeks without any change.
        since
            Watch anew from this day, ``"2026-11-01"``.
        """
        from annotate.analysis.drift.windows import By, drift
        from annotate.analysis.next_step import after_drift, way_of
        from annotate.domain.gate_limits import of_drift
        from annotate.present import drift as present_drift
        from proxy.drift.drift import Plan

        size = By(by)
        plan = Plan(baseline=baseline, horizon=size.windows_in(weeks), good=good, bad=bad, false_alarms=false_alarms)
        limits = of_drift()
        with self.reading() as store:
            result = drift(store, plan, by=size, weeks=weeks, since=since, limits=limits)
        return Answer(result, present_drift.document(result, after_drift(result, way_of(self.path))), "drift")

    def plan(self, *, quantity: str = "correctness", width: float = 0.1, audit: float = 0.25) -> Answer[LabellingPlan]:
        """Say how many labels a wanted width of an interval asks for, where, and how long they take."""
        from annotate.analysis.next_step import after_plan, way_of
        from annotate.analysis.planning import plan
        from annotate.present import planning

        with self.reading() as store:
            result = plan.build(store, quantity=quantity, wanted=width, audit=audit)
        return Answer(result, planning.document(result, after_plan(result, way_of(self.path))), "planning")

    def simulate(self, simulation: Simulation) -> Answer[Simulated]:
        """Rehearse a sample on the traffic: how wide the intervals would be, and how often they would hold the truth."""
        from annotate.analysis.next_step import after_simulation, way_of
        from annotate.analysis.planning import simulate
        from annotate.present import simulation as present_simulation

        with self.reading() as store:
            result = simulate.run(store, simulation)
        steps = after_simulation(result, way_of(self.path))
        return Answer(result, present_simulation.document(result, steps), "simulation")

    # rows

    def items(self) -> pd.DataFrame:
        """Return every current answer, one row each."""
        from annotate.analysis.labelling.rows import ITEM_COLUMNS, item_rows

        with self.reading() as store:
            return frame(item_rows(store), ITEM_COLUMNS)

    def quarantine(self, *, repaired: bool = False) -> list[tuple[str, str, int, str, str]]:
        """Return the rows that could not be read, or those of them that have come in repaired since."""
        with self.reading() as store:
            return store.traffic.quarantine.all(repaired=repaired)

    def export_quarantine(self, file: str, *, repaired: bool = False) -> int:
        """Write the same rows to a .jsonl or .csv file, with what they held; return how many."""
        from annotate.files import write_rows

        columns = ("stage", "source", "line", "reason", "at", "raw")
        with self.reading() as store:
            return write_rows(file, columns, store.traffic.quarantine.rows(repaired=repaired))

    # the store itself

    @contextmanager
    def reading(self) -> Iterator[Store]:
        """Open the store for reading: whatever answers a question gets this one, which refuses to be written."""
        from annotate.store import Store
        from annotate.store.engine.database import readable_errors

        store = Store(self.path, reads_only=True)
        try:
            with readable_errors(str(self.path)):
                yield store
        finally:
            store.close()

    @contextmanager
    def writing(self, *, make: bool = False, sends: bool = False) -> Iterator[Store]:
        """Open the store to change it; only what brings data in makes a new one.

        With `make`, or with `sends` for what lets texts out, what the folder asks to have masked is recorded first.
        """
        from annotate.store import Store
        from annotate.store.engine.database import readable_errors
        from annotate.workflow import masking_policy
        from proxy.errors import StoreError

        if not make and not self.path.exists():
            raise StoreError(f"there is no store at {self.path}: start with `assay ingest FILE --db {self.path}`")
        store = Store(self.path)
        try:
            with readable_errors(str(self.path)):
                if make or sends:
                    masking_policy.hold(store, now=self.now)
                yield store
        finally:
            store.close()
