"""`assay run`: run every stage of the loop once, one after the other, for cron.

Each stage is the command of its name, as it would be typed, with its own table of assay.toml. What fails is reported and the rest
goes on, unless the store itself is broken.
"""

from __future__ import annotations

import io
import json
import sys
from collections.abc import Sequence
from contextlib import redirect_stdout
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import click

from annotate.cli.context import GATE_FAILED, PARTIAL, Run, common
from annotate.cli.label_studio import url_option
from proxy.errors import AssayError, StoreError, UsageError

if TYPE_CHECKING:
    from annotate.store import Store

FAILED = 1
MEASURING = ("report", "drift")
# The exit status is the first of these that a stage ended with.
MOST_SERIOUS = (FAILED, GATE_FAILED, PARTIAL)


@dataclass(frozen=True, kw_only=True, slots=True)
class Step:
    """A command that was run, or left out: when, what it said, and its exit status."""

    stage: str
    at: str
    status: int
    line: str
    result: Any = None

    def as_json(self) -> dict[str, object]:
        """For machines; `result` is what the command says with --json."""
        words = {"result": self.result} if self.result is not None else {"line": self.line}
        return {"at": self.at, "status": self.status, **words}


@dataclass
class Night:
    """The steps of one run; each is said as it ends."""

    run: Run
    steps: list[Step] = field(default_factory=list)

    @property
    def status(self) -> int:
        """The most serious of all."""
        return next((status for status in MOST_SERIOUS if status in {step.status for step in self.steps}), 0)

    def stage(self, stage: str, *args: str) -> None:
        """Run a command; StoreError if the store is broken, every other failure is noted."""
        from annotate.domain.sampling.allocation import NothingToDraw

        at = self.run.now
        words = [*args, "--db", str(self.run.db), *(["--json"] if self.run.as_json else [])]
        output, status, failure = io.StringIO(), 0, ""
        try:
            with redirect_stdout(output):
                status = _invoke(stage, words)
        except StoreError as error:
            self._note(Step(stage=stage, at=at, status=FAILED, line=f"{error}; the stages after it were not run"))
            raise
        except NothingToDraw:  # no failure of a night
            self.leave_out(stage, "every item has had its chance")
            return
        except AssayError as error:
            status, failure = FAILED, str(error)
        except click.ClickException as error:
            status, failure = FAILED, error.format_message()
        self._note(_step(stage, at, status, failure, output.getvalue(), is_json=self.run.as_json))

    def leave_out(self, stage: str, why: str) -> None:
        """Note that a stage was not needed."""
        self._note(Step(stage=stage, at=self.run.now, status=0, line=f"left out: {why}"))

    def _note(self, step: Step) -> None:
        self.steps.append(step)
        if not self.run.as_json:
            click.echo(f"{step.at}  {step.stage}: {step.line}", err=step.status == FAILED)
        elif step.status == FAILED:
            click.echo(f"assay: {step.stage}: {step.line}", err=True)

    def as_json(self) -> dict[str, object]:
        """Return a key for each stage, with its steps."""
        stages = dict.fromkeys(step.stage for step in self.steps)
        by_stage = {stage: [step.as_json() for step in self.steps if step.stage == stage] for stage in stages}
        return {"status": self.status, **by_stage}


def _invoke(stage: str, words: Sequence[str]) -> int:
    """Run a command as if it were typed, settings and environment included; its exit status."""
    context = click.get_current_context()
    group = context.parent
    if group is None or not isinstance(group.command, click.Group):
        raise UsageError("`assay run` is a command of `assay`")
    command = group.command.commands[stage]
    try:
        with command.make_context(stage, list(words), parent=group) as inner:
            command.invoke(inner)
    except SystemExit as ended:
        return ended.code if isinstance(ended.code, int) else FAILED
    except click.exceptions.Exit as ended:
        return ended.exit_code
    return 0


def _step(stage: str, at: str, status: int, failure: str, output: str, *, is_json: bool) -> Step:
    """Summarise a command in one line and as data; of a page the first line says most, of a list the last."""
    status = FAILED if status == 2 else status
    lines = [line for line in output.splitlines() if line.strip()] or [""]
    result = json.loads(output) if is_json and output.strip() else None
    line = lines[0] if stage in MEASURING else lines[-1]
    if failure:
        line = f"failed: {failure}"
    elif status == PARTIAL:
        line += " (not everything could be done)"
    elif status == GATE_FAILED:
        line += " (the gate failed)"
    return Step(stage=stage, at=at, status=status, line=line, result=None if failure else result)


@click.command("run")
@click.option("--traffic", multiple=True, metavar="FILE", help="Traffic to take in first; repeat it.")
@click.option("--feedback", multiple=True, metavar="FILE", help="End users' feedback to take in; repeat it.")
@click.option(
    "--labels", type=click.IntRange(min=1), metavar="N", help="Draw a wave of N, but only when no draw is open."
)
@click.option("--rate", type=click.FloatRange(0, 1, min_open=True), help="Draw each new item with this chance.")
@click.option(
    "--rate-failed", type=click.FloatRange(0, 1, min_open=True), help="With --rate: the chance of a failed item."
)
@click.option("--gate", is_flag=True, help="Exit with 3 if the gate of the report or of drift fails.")
@click.option("--without-labelling", is_flag=True, help="Leave push and pull out, also where a Label Studio is named.")
@url_option
@common
def nightly(
    run: Run,
    traffic: tuple[str, ...],
    feedback: tuple[str, ...],
    labels: int | None,
    rate: float | None,
    rate_failed: float | None,
    url: str | None,
    *,
    gate: bool,
    without_labelling: bool,
) -> None:
    """Ingest, judge, sample, push, pull, report and look for drift, every night. Running it again adds nothing twice.

    Each stage reads its own table of assay.toml, so [judge] says which judges. A stage that fails is said and the rest goes on,
    except past a broken store. Exit status: 1 if a stage failed, else 3 if the gate failed, else 4 if some rows or items did.
    """
    if labels is not None and rate is not None:
        raise click.UsageError("give either --labels N for waves, or --rate R for a stream")
    if rate_failed is not None and rate is None:
        raise click.UsageError("--rate-failed goes with --rate")
    night = Night(run)
    with run.store(make=bool(traffic or feedback)) as store, store.only_one("run"):
        try:
            for path in traffic:
                night.stage("ingest", path)
            for path in feedback:
                night.stage("feedback", path)
            night.stage("judge")
            _sample(night, store, labels, rate, rate_failed)
            _label(night, store, url, without_labelling=without_labelling)
            _measure(night, store, gate=gate)
        except StoreError:
            pass  # said with its stage
        else:
            _log(run, store, night)
    if run.as_json:
        run.say("", night.as_json())
    if night.status:
        sys.exit(night.status)


def _sample(night: Night, store: Store, labels: int | None, rate: float | None, rate_failed: float | None) -> None:
    """Draw for labelling where that was asked for."""
    if labels is not None:
        waiting = len(store.waves.open_draws())
        if waiting:
            night.leave_out("sample", f"{waiting:,} draws still wait for a label")
        else:
            night.stage("sample", "--labels", str(labels))
    elif rate is not None:
        more = ["--rate-failed", str(rate_failed)] if rate_failed is not None else []
        night.stage("sample", "--rate", str(rate), *more)


def _label(night: Night, store: Store, url: str | None, *, without_labelling: bool) -> None:
    """Send and fetch; where Label Studio is down, both report it, and where there never was one, both are left out."""
    if without_labelling:
        return
    if url is None and not _has_label_studio(night.run, store):
        for stage in ("push", "pull"):
            night.leave_out(stage, "no Label Studio is named (--url, LABEL_STUDIO_URL or `assay up`)")
        return
    address = ["--url", url] if url is not None else []
    night.stage("push", *address)
    night.stage("pull", *address)


def _has_label_studio(run: Run, store: Store) -> bool:
    """Whether a server is named in the settings, runs beside the store, or has had tasks of this store."""
    from annotate.label_studio.address import address_file
    from annotate.options import Options

    named = any(Options(stage).text("url") for stage in ("push", "pull"))
    return named or address_file(run.db).exists() or store.outbox.has_projects()


def _measure(night: Night, store: Store, *, gate: bool) -> None:
    """Report and look for drift; a gate does not wait for what this traffic can never tell."""
    for stage in MEASURING:
        if gate and stage == "drift" and not store.windows.has_times():
            night.leave_out(stage, "no item has a timestamp")
        else:
            night.stage(stage, *(["--gate"] if gate else []))


def _log(run: Run, store: Store, night: Night) -> None:
    with store.atomic():
        ended = [[step.stage, step.status] for step in night.steps]
        store.events.append("run", {"stages": ended, "status": night.status}, who=run.who, now=run.now)
