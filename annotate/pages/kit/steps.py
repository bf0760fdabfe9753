"""A Report and the store that it is of in, what to do next out, with the commands that do it; the words stand in the strings."""

from __future__ import annotations

import math
import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from annotate.analysis.report.report import Report
from annotate.label_studio import configured
from annotate.pages.kit.messages import say
from annotate.present.next_commands import EXPORT, PUSH
from annotate.present.next_steps import SEND
from proxy.evaluation.trust import Case, Trust

DEFAULT_STORE = "assay.db"
DRAW = "assay sample --labels 100"
USUAL_AUDIT = 0.25  # the least share of a draw that goes to failed answers
FOR_THE_OTHERS = 10  # so that strata beside the passed one get their least, however few are left of it
NEW_TRAFFIC = ("assay ingest FILE", "assay judge")
PULL, IMPORT = "assay pull", "assay labels import FILE"


class Step(NamedTuple):
    """What to do next, why, and its commands."""

    words: str
    commands: tuple[str, ...]


def next_step(report: Report, db: Path) -> Step:
    """The first stage of the loop that has work waiting, with what waits for a decision beside it."""
    stage, beside = _stage(report, db), _decisions(report)
    return Step(
        " ".join([stage.words, *(one.words for one in beside)]),
        (*stage.commands, *(command for one in beside for command in one.commands)),
    )


def by_people(db: Path) -> Step:
    """How draws come to people and their labels back: by Label Studio where one is known, else by a file."""
    if configured.is_known(db):
        return Step("", (PUSH, PULL))
    return Step(say("steps.by_file"), (EXPORT, IMPORT))


def in_reach(commands: Sequence[str], db: Path) -> tuple[str, ...]:
    """The same commands, with the one way to people that leads somewhere from this store in place of all that are named."""
    ways = {PUSH, EXPORT, PULL, IMPORT}
    place = next((place for place, one in enumerate(commands) if one in {PUSH, EXPORT}), None)
    if place is None:
        return tuple(commands)
    return (*commands[:place], *by_people(db).commands, *(one for one in commands[place:] if one not in ways))


def words_in_reach(words: str, db: Path) -> str:
    """A sentence of a service, naming only the way to people that leads somewhere from this store."""
    return words.replace(SEND, f"`{PUSH}`" if configured.is_known(db) else f"`{EXPORT}`")


def _decisions(report: Report) -> list[Step]:
    """What only a person can settle, at any stage."""
    found = []
    if report.disputed:
        found.append(Step(say("steps.disputed", count=report.disputed), ("assay labels disputed",)))
    if report.flagged:
        found.append(Step(say("steps.flagged", count=report.flagged), ("assay gold review",)))
    return found


def _stage(report: Report, db: Path) -> Step:
    """The first stage of the loop that has work waiting."""
    progress, people = report.progress, by_people(db)
    if not report.items:
        return Step(say("steps.ingest"), ("assay ingest FILE",))
    if not report.judged:
        return Step(say("steps.judge"), ("assay judge",))
    if not report.waves:
        return Step(say("steps.draw"), (DRAW,))
    if not progress.labelled:
        return _with(say("steps.label", count=progress.drawn), people)
    if progress.open:
        return _with(say("steps.waiting", count=progress.open, drawn=progress.drawn), people)
    if report.uncovered:
        return Step(say("steps.uncovered", count=report.uncovered), (DRAW, *people.commands))
    return _after_labels(report, people)


def _with(words: str, people: Step) -> Step:
    """What is to be labelled, and how it comes to people."""
    return Step(f"{words} {people.words}".strip(), people.commands)


def _after_labels(report: Report, people: Step) -> Step:
    """What helps once every drawn answer is labelled."""
    if report.progress.drawn >= report.items:
        return Step(say("steps.all_labelled"), NEW_TRAFFIC)
    if report.trust.status is Trust.YES:
        return Step(say("steps.keep_watching"), (*NEW_TRAFFIC, DRAW))
    if report.trust.status is Trust.NO:
        return _improve(report)
    return _more_labels(report, people)


def _improve(report: Report) -> Step:
    """What helps a proxy that is shown not to do: a better rule, and where too little of what passes is right, a stricter cut."""
    better = "assay rule set EXPRESSION"
    if report.trust.case is not Case.BELOW:
        return Step(say("steps.improve"), (better,))
    promised = f"assay calibrate --precision {report.trust.limit:g} --dry-run"
    return Step(say("steps.stricter"), (promised, better))


def _more_labels(report: Report, people: Step) -> Step:
    """As many as the verdict asks for: its number is of passed answers, and a draw takes failed ones beside."""
    needed = report.trust.needed
    if report.trust.case is Case.DOUBT:
        return Step(say("steps.annotators"), ("assay labels disputed",))
    if needed is not None and needed.few_questions:
        return Step(say("steps.more_questions"), NEW_TRAFFIC)
    if needed is None or needed.more is None:
        return Step(say("steps.more_labels"), (DRAW, *people.commands))
    if needed.left == 0:
        return Step(say("steps.none_left"), NEW_TRAFFIC)
    wanted = needed.more if needed.left is None else needed.left
    spare = FOR_THE_OTHERS if needed.left is not None else 0
    draws = 10 * math.ceil((wanted / (1 - USUAL_AUDIT) + spare) / 10)
    if needed.left is not None:
        words, draw = say("steps.all_passed", count=wanted, draws=draws), f"assay sample --labels {draws} --all-passed"
    else:
        words, draw = say("steps.so_many", count=wanted, draws=draws), f"assay sample --labels {draws}"
    return Step(words, (draw, *people.commands))


def for_store(command: str, store: Path) -> str:
    """The command as it must be typed for this store."""
    here = Path.cwd()
    path = store.resolve()
    name = str(path.relative_to(here) if path.is_relative_to(here) else path)
    return command if name == DEFAULT_STORE else f"{command} --db {shlex.quote(name)}"
