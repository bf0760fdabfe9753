"""Count answers by what the judges say, by stratum and by judge."""

from __future__ import annotations

from collections.abc import Iterator

from annotate.analysis.report.report import ProjectReport
from annotate.domain.counted import counted
from annotate.domain.message import Code, Counted, Message, Name, Value, coefficient, message, share
from annotate.present import naming
from annotate.present.document import Block, Column, Table
from annotate.present.waves import stratum as stratum_name
from proxy.diagnosis import Quadrant


def by_quadrant(report: ProjectReport) -> Iterator[Block]:
    """Count labels by what the judges say, and the stage that is named or why none is."""
    columns = (
        Column(message("report.wrong"), is_number=True),
        Column(message("report.right"), is_number=True),
        Column(message("report.scored_as")),
    )
    rows = tuple(
        (_labels(quadrant, "wrong"), _labels(quadrant, "right"), quadrant_words(quadrant))
        for quadrant in report.quadrants
        if quadrant.wrong or quadrant.right
    )
    yield Table(columns, rows, name="quadrants")
    if report.stages:
        yield from naming.lines(list(report.stages.each.values()), report.stages.whole)


def _labels(quadrant: Quadrant, judgement: str) -> Counted:
    place = (quadrant.is_relevant, quadrant.is_faithful, quadrant.has_passages)
    return counted(getattr(quadrant, judgement), "quadrant", judgement, *place)


def quadrant_words(quadrant: Quadrant) -> Message:
    """Say what the judges say of the answers of a quadrant."""
    if not quadrant.has_passages:
        return message("report.quadrant_no_passages")
    if quadrant.is_relevant is None:
        return message("report.quadrant_unscored")
    relevance = "high" if quadrant.is_relevant else "low"
    faithfulness = {None: "unscored", True: "faithful", False: "unfaithful"}[quadrant.is_faithful]
    return message(f"report.quadrant_{relevance}_{faithfulness}")


def by_stratum(report: ProjectReport) -> Table:
    """Count what was drawn from each stratum, and what became of it."""
    columns = (
        Column(message("report.stratum"), is_wide=True),
        *(
            Column(message(f"report.{name}"), is_number=True)
            for name in ("items", "drawn", "right", "wrong", "unsure", "response")
        ),
    )
    rows: tuple[tuple[Value, ...], ...] = tuple(
        (
            stratum_name(stratum.stratum),
            stratum.size,
            stratum.drawn,
            *(
                counted(getattr(stratum, name), "stratum", name, stratum.stratum)
                for name in ("right", "wrong", "unsure")
            ),
            share(stratum.response),
        )
        for stratum in report.agreement.strata
    )
    return Table(columns, rows, name="strata")


def by_judge(report: ProjectReport) -> Table:
    """List each judge with its signature and what it has scored."""
    columns = (
        Column(message("report.judge")),
        Column(message("report.signature"), is_wide=True),
        *(Column(message(f"report.{name}"), is_number=True) for name in ("scored", "failed", "mean")),
    )
    rows = tuple(
        (
            Name(judge.totals.judge),
            Code(judge.totals.signature),
            judge.totals.scored,
            judge.totals.failed,
            coefficient(judge.totals.mean),
        )
        for judge in report.judges
    )
    return Table(columns, rows, name="judges")
