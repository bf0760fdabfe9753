"""Name the first stage of the loop that has work waiting."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

from annotate.analysis.next_step.better_judge import confirm_or_use
from annotate.analysis.next_step.commands import (
    ACCEPT_ALL,
    DISAGREEMENTS,
    INGEST,
    JUDGE,
    NEW_TRAFFIC,
    RELEASE,
    REVIEW,
    SAMPLE,
    SET_RULE,
    USUAL_DRAW,
    Way,
)
from annotate.analysis.next_step.labelling import ALL_LABELLED, after_labels
from annotate.analysis.next_step.learned_rule import offered
from annotate.analysis.next_step.trained_judges import offered_trained
from annotate.analysis.report.report import ProjectReport
from annotate.domain.message import Message, Step, message
from proxy.evaluation.trust import Case, Trust
from proxy.planning.allocation import MOST_AUDIT

NOTHING_YET = Step(message("steps.ingest"), (INGEST,))
FOR_THE_OTHERS = 10  # so that strata beside the passed one get their least, however few are left of it


@dataclass(frozen=True, kw_only=True, slots=True)
class StepState:
    """What decides the next step: the report, and how draws come to annotators here."""

    report: ProjectReport
    way: Way


def next_step(state: StepState) -> tuple[Step, ...]:
    """Name the first stage of the loop that has work waiting, then what waits for a decision at any stage."""
    report = state.report
    decisions = [
        *offered(report.learned),
        *offered_trained(report.trained, report.rule),
        *after_labels(report.disputed),
    ]
    if report.flagged:
        decisions.append(Step(message("steps.flagged", count=report.flagged), (REVIEW,)))
    return (_stage(report, state.way), *decisions)


def _stage(report: ProjectReport, way: Way) -> Step:
    progress = report.progress
    if not report.items:
        return NOTHING_YET
    if not report.judged:
        return Step(message("steps.judge"), (JUDGE,))
    if not report.waves:
        return Step(message("steps.draw"), (_draw(report),))
    if not progress.labelled:
        return Step(message("steps.label", count=progress.drawn), way.commands)
    if progress.open:
        return Step(_waiting(report), way.commands)
    if step := confirm_or_use(report.better_judge, way):
        return step
    if report.uncovered:
        return Step(message("steps.uncovered", count=report.uncovered), (_draw(report), way.send))
    return _after_labels(report, way)


def _waiting(report: ProjectReport) -> Message:
    """Say how many draws wait for a label, and where labels were timed how long these will take."""
    counts = {"count": report.progress.open, "drawn": report.progress.drawn}
    if report.label_seconds is None:
        return message("steps.waiting", **counts)
    minutes = math.ceil(report.progress.open * report.label_seconds / 60)
    return message("steps.waiting_timed", **counts, minutes=minutes)


def _after_labels(report: ProjectReport, way: Way) -> Step:
    """What helps once every drawn answer is labelled."""
    if report.progress.drawn >= report.items:
        return ALL_LABELLED
    if report.trust.status is Trust.YES:
        return Step(message("steps.keep_watching"), (*NEW_TRAFFIC, _draw(report)))
    if report.trust.status is Trust.NO:
        return _improve(report)
    return _more_labels(report, way)


def gold_steps(report: ProjectReport) -> Iterator[Step]:
    """What a gold set lacks that new versions of the app are checked against, once the proxy is trusted."""
    gold = report.gold
    if report.trust.status is not Trust.YES or report.progress.open:
        return
    if gold.candidates and not gold.accepted:
        yield Step(message("steps.gold_begin", count=gold.candidates), (ACCEPT_ALL, REVIEW))
    elif gold.unreleased:
        yield Step(message("steps.gold_release", count=gold.unreleased), (RELEASE,))


def _improve(report: ProjectReport) -> Step:
    """What helps a proxy that is shown not to do: a better rule, and where too little of what passes is right, a stricter one."""
    if report.trust.case is not Case.BELOW:
        return Step(message("steps.improve"), (SET_RULE,))
    return Step(message("steps.stricter"), (f"assay calibrate --precision {report.trust.limit:g} --dry-run", SET_RULE))


def _more_labels(report: ProjectReport, way: Way) -> Step:
    """As many as the verdict asks for: its number is of passed answers, and a draw takes failed ones beside."""
    needed = report.trust.needed
    if report.trust.case is Case.DOUBT:
        return Step(message("steps.annotators"), (DISAGREEMENTS,))
    if needed is not None and needed.few_questions:
        return Step(message("steps.more_questions"), NEW_TRAFFIC)
    if needed is not None and needed.left == 0:
        return Step(message("steps.none_left"), NEW_TRAFFIC)
    if needed is None or needed.more is None or needed.is_early:
        return Step(message("steps.more_labels"), (_draw(report), way.send))
    wanted = needed.more if needed.left is None else needed.left
    spare = FOR_THE_OTHERS if needed.left is not None else 0
    draws = min(10 * math.ceil((wanted / (1 - MOST_AUDIT) + spare) / 10), report.items - report.progress.drawn)
    if needed.left is not None:
        step = message("steps.all_passed", count=wanted, draws=draws)
        return Step(step, (f"{SAMPLE} {draws} --all-passed", way.send))
    return Step(message("steps.so_many", count=wanted, draws=draws), (f"{SAMPLE} {draws}", way.send))


def _draw(report: ProjectReport) -> str:
    """The command that draws as many as usual, and never more than are left."""
    return f"{SAMPLE} {min(USUAL_DRAW, report.items - report.progress.drawn)}"
