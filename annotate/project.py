"""Everything that the command does, from Python: a project is a store with what reads it and what changes it.

from annotate import Project

project = Project.open("assay.db")
project.ingest(frame)
project.judge()
project.sample(labels=200)
project.report()
"""

from __future__ import annotations

import getpass
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from annotate.present.answer import Answer
from annotate.present.old_answer import OldAnswer

if TYPE_CHECKING:
    import pandas as pd

    from annotate.analysis.calibration.certify import Calibrated
    from annotate.analysis.calibration.reliability import Explained
    from annotate.analysis.comparison.compare import Compared
    from annotate.analysis.comparison.rank import Ranked
    from annotate.analysis.diagnosis import Diagnoses
    from annotate.analysis.drift.windows import Drift
    from annotate.analysis.planning.plan import Plan
    from annotate.analysis.report.report import Report
    from annotate.analysis.slices.find import Slices
    from annotate.domain.label_studio_sync import Pulled, Pushed
    from annotate.domain.message import Step
    from annotate.domain.sampling.outcomes import Proposed
    from annotate.store import Store
    from annotate.workflow.ingest.batches import Intake
    from annotate.workflow.ingest.ingest import Imported
    from annotate.workflow.judging.offline import Judged
    from proxy.rule import Rule


class Project:
    """A store and what can be done with it.

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

    # what changes the store

    def ingest(
        self,
        *sources: pd.DataFrame | str | Path,
        fields: Mapping[str, str] | None = None,
        revisions: bool = False,
        as_named: bool = False,
    ) -> Intake:
        """Take traffic in, from frames or files.

        Parameters
        ----------
        sources
            Frames with a row an answer, or files (JSONL, CSV, Parquet).
        fields
            Where our fields lie: ``{"question": "input.query"}``.
        revisions
            Rows that repeat an id with other content correct the row before.
        as_named
            Take a source as it is that has a field under nearly the right name.

        Returns
        -------
        Intake
            Rows that were read, refused and repaired, with the reasons.

        Raises
        ------
        FileError
            For sources that would lose data without a word; nothing is kept of them.
        """
        from annotate.workflow.ingest import receive
        from annotate.workflow.ingest.sources import opened_sources

        with self.writing(make=True) as store, opened_sources(sources, fields) as opened:
            intake, _ = receive.traffic(store, opened, who=self.who, now=_now(), revisions=revisions, as_named=as_named)
        return intake

    def import_scores(self, source: pd.DataFrame | str | Path, *, fields: Mapping[str, str] | None = None) -> Intake:
        """Take other tools' scores in: item_id, judge, value in [0, 1], signature."""
        from annotate.workflow.ingest import receive
        from annotate.workflow.ingest.sources import opened_sources

        with self.writing() as store, opened_sources([source], fields) as [opened]:
            return receive.scores(store, opened, who=self.who, now=_now())[0]

    def import_feedback(self, source: pd.DataFrame | str | Path, *, fields: Mapping[str, str] | None = None) -> Intake:
        """Take end users' thumbs in: item_id, value, comment, correction."""
        from annotate.workflow.ingest import receive
        from annotate.workflow.ingest.sources import opened_sources

        with self.writing(make=True) as store, opened_sources([source], fields) as [opened]:
            return receive.feedback(store, opened, who=self.who, now=_now())[0]

    def import_labels(self, source: pd.DataFrame | str | Path, *, fields: Mapping[str, str] | None = None) -> Imported:
        """Take labels in: item_id, label (right, wrong, unsure), annotator, reference."""
        from annotate.workflow.ingest import receive
        from annotate.workflow.ingest.sources import opened_sources

        with self.writing() as store, opened_sources([source], fields) as [opened]:
            return receive.labels(store, opened, who=self.who, now=_now())

    def judge(self, judges: Sequence[str] = ()) -> Judged:
        """Score every item that lacks a score of these offline judges; without names, of those that usually run."""
        from annotate.workflow.judging import offline

        chosen = offline.named(judges)
        with self.writing() as store:
            return offline.judge(store, chosen, now=_now())

    def set_rule(self, expression: str, *, name: str = "custom", signatures: Mapping[str, str] | None = None) -> Rule:
        """Put a rule in force, such as ``"min(context_relevance, faithfulness) > 0.5"``."""
        from annotate.workflow.judging import rules

        with self.writing() as store:
            return rules.set_rule(store, name, expression, signatures or {}, who=self.who, now=_now())[1]

    def sample(self, labels: int, *, audit: float = 0.25, seed: int | None = None, dry_run: bool = False) -> Proposed:
        """Draw a wave of about so many items for labelling; `audit` is the least share of it from failed items."""
        from annotate.workflow.sampling import waves

        asked = waves.Asked(labels=labels, seed=seed, audit=audit)
        waves.check(asked)
        if dry_run:
            with self.reading() as store:
                return waves.propose(store, waves.request_of(store, asked), now=_now())
        with self.writing() as store:
            return waves.draw(store, waves.request_of(store, asked), who=self.who, now=_now())

    def push(self, url: str | None = None, **request: Any) -> Pushed:
        """Send the open draws to Label Studio; the token comes from LABEL_STUDIO_API_KEY.

        Parameters
        ----------
        url
            The server; None: LABEL_STUDIO_URL, or the one that `assay up` started.
        request
            Fields of `annotate.workflow.labelling.push.PushRequest`, such as ``readers=("ann", "ben")``.
        """
        from annotate.label_studio.address import connect
        from annotate.workflow.labelling import noting, push
        from annotate.workflow.labelling.push import PushRequest

        studio, server = connect(self.path, url)
        with studio, self.writing(sends=True) as store:
            pushed = push.push(store, studio, server, PushRequest(**request), now=_now())
            noting.push(store, server, pushed, who=self.who, now=_now())
        return pushed

    def pull(self, url: str | None = None, *, full: bool = False) -> Pulled:
        """Bring annotations back from Label Studio; `full` reads everything anew."""
        from annotate.label_studio.address import connect
        from annotate.workflow.labelling import noting, pull

        studio, server = connect(self.path, url)
        with studio, self.writing() as store:
            pulled = pull.pull(store, studio, server, now=_now(), full=full)
            noting.pull(store, server, pulled, who=self.who, now=_now())
        return pulled

    def calibrate(
        self,
        precision: float,
        *,
        confidence: float = 0.9,
        share: float = 0.5,
        seed: int = 0,
        claim: str | None = None,
        dry_run: bool = False,
    ) -> OldAnswer[Calibrated]:
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
        from annotate.present import calibration
        from annotate.workflow.judging import threshold
        from proxy.stats.calibration.threshold_tests import Claim

        asked = None if claim is None else Claim(claim.replace("-", "_"))
        request = certify.Request(precision=precision, confidence=confidence, share=share, seed=seed, claim=asked)
        if dry_run:
            with self.reading() as store:
                result = certify.calibrate(store, request, now=_now())
        else:
            with self.writing() as store:
                result = threshold.put_certified(store, request, who=self.who, now=_now())
        lines = calibration.cut(result, is_dry=dry_run)
        return OldAnswer(result=result, text="\n".join(lines), data=calibration.cut_json(result, is_dry=dry_run))

    # what only reads

    def report(self, *, limit: float | None = None, noise: bool = False) -> Answer[Report]:
        """Say whether the proxy can be trusted, and measure everything; `limit` is on right answers among passed ones."""
        from annotate.analysis.next_step import State, next_step, way_of
        from annotate.analysis.report import report as reports
        from annotate.domain import gate_limits
        from annotate.present import report as present_report

        wanted = gate_limits.of_report()
        with self.reading() as store:
            asked = gate_limits.of_verdict() if limit is None else limit
            result = reports.build(store, limit=asked, limits=wanted)
        steps = next_step(State(report=result, way=way_of(self.path)))
        return Answer(result, present_report.document(result, steps, with_noise=noise), "report")

    def next(self) -> Answer[tuple[Step, ...]]:
        """Say what to do next: the first stage of the loop that has work waiting, then what waits for a decision."""
        from annotate.analysis.next_step import State, next_step, way_of
        from annotate.analysis.report import report as reports
        from annotate.domain import gate_limits
        from annotate.present import next_step as present_next

        with self.reading() as store:
            result = reports.build(store, limit=gate_limits.of_verdict(), limits=gate_limits.of_report())
        steps = next_step(State(report=result, way=way_of(self.path)))
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
            printed = gather(store, now=_now(), limit=limit, limits=wanted)
        title = f"{text(printed_report.HEADING)} {printed.store}, {printed.now[:10]}"
        return html.page(
            printed_report.document(printed),
            heading=printed_report.HEADING,
            title=title,
            footer=printed_report.footer(printed),
        )

    def reliability(self) -> OldAnswer[Explained]:
        """Show what the value of the rule says of P(right)."""
        from annotate.analysis.calibration import reliability
        from annotate.present import reliability as present_reliability

        with self.reading() as store:
            result = reliability.explain(store)
        text = "\n".join(present_reliability.meaning(result))
        return OldAnswer(result=result, text=text, data=present_reliability.meaning_json(result))

    def compare(self, first: str, second: str, *, judge: str | None = None) -> OldAnswer[Compared]:
        """Say whether the second system is better than the first, on the same questions."""
        from annotate.analysis.comparison import compare
        from annotate.domain.gate_limits import of_compare
        from annotate.present import comparison

        with self.reading() as store:
            result = compare.compare(store, (first, second), judge=judge)
        data = {**comparison.as_json(result), "gate": compare.gate_of(result, of_compare()).as_json()}
        return OldAnswer(result=result, text="\n".join(comparison.lines(result)), data=data)

    def rank(self, *systems: str) -> OldAnswer[Ranked]:
        """Rank these systems by the share of right answers."""
        from annotate.analysis.comparison import rank
        from annotate.domain.gate_limits import of_compare
        from annotate.present import ranking

        with self.reading() as store:
            result = rank.rank(store, systems)
        data = {**ranking.as_json(result), "gate": rank.gate_of(result, of_compare()).as_json()}
        return OldAnswer(result=result, text="\n".join(ranking.lines(result)), data=data)

    def slices(self, *, by: Sequence[str] = (), level: float = 0.05) -> OldAnswer[Slices]:
        """Name the slices of the traffic where the proxy errs more than elsewhere."""
        from annotate.analysis.slices import find
        from annotate.present import slices

        with self.reading() as store:
            result = find.build(store, by=by, level=level)
        return OldAnswer(result=result, text="\n".join(slices.text(result)), data=slices.as_json(result))

    def diagnose(
        self, *, relevance_above: float = 0.5, faithfulness_above: float = 0.5, system: str | None = None
    ) -> OldAnswer[Diagnoses]:
        """Say which stage of the app to mend first, where the labels show it."""
        from annotate.analysis import diagnosis
        from annotate.analysis.diagnosis import Cuts
        from annotate.present import diagnosis as present_diagnosis
        from annotate.present import diagnosis_json, naming

        with self.reading() as store:
            result = diagnosis.build(store, cuts=Cuts(relevance_above, faithfulness_above), system=system)
        sentence = naming.comparison([each.naming for each in result.each], result.whole)
        data = diagnosis_json.as_json(result, sentence, present_diagnosis.commands(result))
        return OldAnswer(result=result, text="\n".join(present_diagnosis.page(result)), data=data)

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
    ) -> OldAnswer[Drift]:
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
        from annotate.domain import gate_limits
        from annotate.present import drift as present_drift
        from annotate.present import drift_json, drift_lines
        from proxy.drift.drift import Plan

        size = By(by)
        plan = Plan(baseline=baseline, horizon=size.windows_in(weeks), good=good, bad=bad, false_alarms=false_alarms)
        with self.reading() as store:
            result = drift(store, plan, by=size, weeks=weeks, since=since)
        gate = present_drift.gate(result, gate_limits.of_drift())
        return OldAnswer(result=result, text="\n".join(drift_lines.page(result)), data=drift_json.as_json(result, gate))

    def plan(self, *, quantity: str = "correctness", width: float = 0.1, audit: float = 0.25) -> OldAnswer[Plan]:
        """Say how many labels a wanted width of an interval asks for, where, and how long they take."""
        from annotate.analysis.planning import plan
        from annotate.present import planning, waves

        with self.reading() as store:
            result = plan.build(store, quantity=quantity, wanted=width, audit=audit)
        strata = [waves.stratum_line(part) for part in result.strata]
        return OldAnswer(result=result, text="\n".join(planning.plan(result, strata)), data=planning.as_json(result))

    # frames

    def items(self) -> pd.DataFrame:
        """Return every current answer, one row each."""
        from annotate.analysis.labelling.rows import ITEM_COLUMNS, item_rows

        with self.reading() as store:
            return _frame(item_rows(store), ITEM_COLUMNS)

    def scores(self) -> pd.DataFrame:
        """Return every score and failure of the current answers, one row each."""
        with self.reading() as store:
            return _frame(store.scores.rows(), ("item_id", "judge", "value", "reason", "signature", "reply"))

    def draws(self) -> pd.DataFrame:
        """Return every drawn answer with its wave, stratum and inclusion probability; texts as they may leave the house."""
        from annotate.workflow.sampling import export

        with self.reading() as store:
            return _frame(export.rows(store, every=True, blind=False, is_table=False), export.columns(blind=False))

    def labels(self) -> pd.DataFrame:
        """Return the label of every answer that has one, with what it rests on."""
        from annotate.analysis.labelling.rows import LABEL_COLUMNS, label_rows

        with self.reading() as store:
            return _frame(label_rows(store), LABEL_COLUMNS)

    def gold(self) -> pd.DataFrame:
        """Return every entry of the gold set, with where it comes from."""
        from annotate.domain.gold.export import EXPORT_COLUMNS
        from annotate.workflow.gold.export import rows

        with self.reading() as store:
            return _frame(rows(store, None), EXPORT_COLUMNS)

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
                    masking_policy.hold(store, now=_now())
                yield store
        finally:
            store.close()


def _now() -> str:
    """The time, ISO 8601 in UTC."""
    return datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def _frame(rows: Iterable[Mapping[str, object]], columns: Sequence[str]) -> pd.DataFrame:
    import pandas as pd

    return pd.DataFrame.from_records(list(rows), columns=list(columns))
