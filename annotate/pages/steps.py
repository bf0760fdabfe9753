"""A Report in, what to do next out, with the commands that do it."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import NamedTuple

from annotate.report import Report
from proxy.trust import Trust

DEFAULT_STORE = "assay.db"
DRAW = "assay sample --labels 100"


class Step(NamedTuple):
    """What to do next, why, and its commands."""

    words: str
    commands: tuple[str, ...]


def next_step(report: Report) -> Step:
    """The first stage of the loop that has work waiting, with what waits for a decision beside it."""
    stage, beside = _stage(report), _decisions(report)
    return Step(
        " ".join([stage.words, *(one.words for one in beside)]),
        (*stage.commands, *(command for one in beside for command in one.commands)),
    )


def _decisions(report: Report) -> list[Step]:
    """What only a person can settle, at any stage."""
    found = []
    if report.disputed:
        words = f"Answers on which somebody must decide: {report.disputed:,} (page Labelling)."
        found.append(Step(words, ("assay labels disputed",)))
    if report.flagged:
        words = f"Gold entries behind which something changed: {report.flagged:,} (page Gold set)."
        found.append(Step(words, ("assay gold review",)))
    return found


def _stage(report: Report) -> Step:
    """The first stage of the loop that has work waiting."""
    progress = report.progress
    if not report.items:
        return Step("Bring in what your app was asked, what it found and what it answered.", ("assay ingest FILE",))
    if not report.judged:
        return Step("Let the automatic judges score the answers.", ("assay judge",))
    if not report.waves:
        why = "Draw the answers that people should label, each with a known chance: so a few labels speak for all traffic."
        return Step(why, (DRAW,))
    if not progress.labelled:
        why = f"Have the {progress.drawn:,} drawn answers labelled in Label Studio, and bring the labels back."
        return Step(why, ("assay push", "assay pull"))
    if progress.open:
        why = f"{progress.open:,} of {progress.drawn:,} drawn answers wait for a label. Label them, and bring the labels back."
        return Step(why, ("assay push", "assay pull"))
    if report.uncovered:
        why = (
            f"{report.uncovered:,} answers came after the last draw. Draw again, so that the numbers speak of them too."
        )
        return Step(why, (DRAW, "assay push"))
    return _after_labels(report)


def _after_labels(report: Report) -> Step:
    """What helps once every drawn answer is labelled."""
    if report.progress.drawn >= report.items:
        return Step(
            "Every answer here is labelled. Bring in new traffic and judge it.", ("assay ingest FILE", "assay judge")
        )
    if report.trust.status is Trust.YES:
        return Step(
            "Keep watching: bring in new traffic, judge it and label a few.", ("assay ingest FILE", "assay judge", DRAW)
        )
    if report.trust.status is Trust.NO:
        return Step("Read the missed answers below, improve the rule, and look again.", ("assay rule set EXPRESSION",))
    return Step("More labels make the intervals narrower. Draw some more.", (DRAW, "assay push"))


def for_store(command: str, store: Path) -> str:
    """The command as it must be typed for this store."""
    here = Path.cwd()
    path = store.resolve()
    name = str(path.relative_to(here) if path.is_relative_to(here) else path)
    return command if name == DEFAULT_STORE else f"{command} --db {shlex.quote(name)}"
