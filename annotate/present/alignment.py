"""Say how a judge was aligned with experts: what was tried, how the one version was measured, and whether it is in force."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from annotate.analysis.aligned_judges.alignment_plan import AlignmentOutlook
from annotate.domain.alignment import Alignment
from annotate.domain.message import (
    Code,
    Command,
    EvidenceText,
    Kind,
    Message,
    Name,
    Number,
    Quote,
    Step,
    Value,
    coefficient,
    message,
)
from annotate.present import learning_curve, score_map
from annotate.present.actions import command_document
from annotate.present.document import Block, Column, Document, Section, Status, Table

if TYPE_CHECKING:
    from annotate.analysis.aligned_judges.learning_curve import MeasuredVersions
    from annotate.workflow.judging.alignment import AlignmentRun
    from annotate.workflow.judging.alignment_estimate import AlignmentEstimate
    from annotate.workflow.judging.version_search import TriedVersion


def aligned(run: AlignmentRun, steps: Sequence[Step] = ()) -> Document:
    """Build the document of a run.

    Parameters
    ----------
    run : AlignmentRun
        What it came to.
    steps : sequence of Step
        What to do next.
    """
    return command_document(
        _answer(run),
        *(_measured(run.alignment) if run.alignment else ()),
        *score_map.labels_of_each(run.tuning, run.measuring, run.share, are_few=run.has_few),
        *(_tried(run.tried) if run.tried else ()),
        *(_used(run) if run.tokens else ()),
        *(_back(run.alignment) if run.alignment and run.alignment.is_in_force else ()),
        steps=steps,
    )


def _answer(run: AlignmentRun) -> Message:
    judge = Code(run.judge)
    if run.not_aligned is None:
        return message("alignment.in_force", judge=judge)
    values: dict[str, Value] = {"judge": judge}
    if run.stopped:
        values["reason"] = Quote(run.stopped)
    if run.objection:
        values["reason"] = run.objection
    return message(f"alignment.{run.not_aligned.value}", **values)


def _measured(alignment: Alignment) -> Iterator[Block]:
    """Give the difference on measuring labels, with the bound that holds however often one looks; and the guidelines."""
    figures = alignment.figures
    yield message(
        "alignment.aurocs",
        aligned=EvidenceText(figures.aligned, Kind.COEFFICIENT),
        base=EvidenceText(figures.base, Kind.COEFFICIENT),
        right=figures.right,
        wrong=figures.wrong,
    )
    yield message("alignment.difference", evidence=EvidenceText(figures.difference, Kind.COEFFICIENT, is_signed=True))
    if figures.lowest is not None:
        key = "lowest" if figures.lowest > 0 else "lowest_below"
        yield message(f"alignment.{key}", lowest=Number(figures.lowest, Kind.COEFFICIENT, is_signed=True))
    yield message(f"alignment.given_{alignment.kind.value}", examples=len(alignment.examples))
    for number, line in enumerate(alignment.guidelines, start=1):
        yield message("alignment.guideline", number=number, text=Quote(line))


def _tried(versions: Sequence[TriedVersion]) -> Iterator[Block]:
    columns = (
        Column(message("alignment.version")),
        Column(message("alignment.tuning_labels"), is_number=True),
        Column(message("alignment.auroc"), is_number=True),
    )
    rows = tuple(
        (message(f"alignment.kind_{version.kind.value}"), version.labels, coefficient(version.auroc))
        for version in versions
    )
    yield Table(columns, rows, caption=message("alignment.tried"))


def _used(run: AlignmentRun) -> Iterator[Message]:
    if run.cost is None:
        yield message("alignment.tokens", tokens=run.tokens)
    else:
        yield message("alignment.money", tokens=run.tokens, cost=Number(run.cost, Kind.MONEY))


def _back(alignment: Alignment) -> Iterator[Message]:
    yield message("alignment.back", command=Command(f"assay align {alignment.judge} --undo"))


def estimate(result: AlignmentEstimate) -> Document:
    """Say what the labels allow, and what it would take."""
    outlook = result.outlook
    blocks = [
        *score_map.labels_of_each(outlook.tuning, outlook.measuring, outlook.share, are_few=outlook.has_few),
        _power(outlook),
    ]
    if result.cost is not None:
        blocks.append(message("judging.cost", cost=Number(result.cost, Kind.MONEY)))
    answer = message(
        "alignment.estimate",
        judge=Code(outlook.judge),
        calls=result.calls,
        prompt=result.prompt_tokens,
        completion=result.completion_tokens,
    )
    return command_document(answer, *blocks, message("judging.nothing_sent"))


def _power(outlook: AlignmentOutlook) -> Message:
    if outlook.smallest_gain is None:
        return message("alignment.no_power", judge=Code(outlook.judge))
    gain = Number(outlook.smallest_gain, Kind.COEFFICIENT, is_signed=True)
    key = "power" if outlook.can_show else "power_beyond"
    return message(f"alignment.{key}", gain=gain, base=EvidenceText(outlook.base, Kind.COEFFICIENT))


def undone(alignment: Alignment) -> Document:
    """Say that a judge is asked as before."""
    return command_document(message("alignment.undone", judge=Code(alignment.judge), back=Code(alignment.base)))


def versions(result: MeasuredVersions) -> Document:
    """List the versions that were measured, each with its guidelines, and how those of a judge agree with experts."""
    known = result.versions
    in_force = sum(version.is_in_force for version in known)
    sections = tuple(Section(_title(version), tuple(_measured(version))) for version in reversed(known))
    curves = tuple(learning_curve.section(curve) for curve in result.curves)
    maps = tuple(score_map.sections(result.maps))
    return Document(
        message("alignment.versions", count=len(known), in_force=in_force), Status.DONE, (*sections, *curves, *maps)
    )


def _title(version: Alignment) -> Message:
    state = message("alignment.state_in_force" if version.is_in_force else "alignment.state_not")
    return message("alignment.version_title", judge=Name(version.judge), at=Code(version.at[:10]), state=state)
