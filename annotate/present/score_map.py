"""Say how a judge's score was mapped to P(right), how the map was measured, and whether it is in force."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from annotate.analysis.aligned_judges.alignment import Kinds
from annotate.domain.message import (
    Code,
    Command,
    EvidenceText,
    Kind,
    Listing,
    Message,
    Name,
    Number,
    Step,
    Value,
    coefficient,
    message,
)
from annotate.domain.score_map import MeasuredMap
from annotate.present.actions import command_document
from annotate.present.document import Block, Column, Document, Section, Table
from proxy.evaluation.alignment import FEWEST_MEASURING, FEWEST_TUNING
from proxy.evaluation.score_map import ScoreMap

if TYPE_CHECKING:
    from annotate.workflow.judging.score_map import ScoreMapping

# Scores at which a map is shown.
SHOWN = (0.0, 0.25, 0.5, 0.75, 1.0)


def mapped(mapping: ScoreMapping, steps: Sequence[Step] = ()) -> Document:
    """Build the document of what mapping a score came to.

    Parameters
    ----------
    mapping : ScoreMapping
        What it came to.
    steps : sequence of Step
        What to do next.
    """
    measured = mapping.measured
    are_few = mapping.not_mapped is not None and mapping.not_mapped.value.startswith("few")
    return command_document(
        _answer(mapping),
        *(_measured(measured) if measured else ()),
        *labels_of_each(mapping.tuning, mapping.measuring, mapping.share, are_few=are_few),
        *([_back(measured)] if measured and measured.is_in_force else ()),
        steps=steps,
    )


def undone(measured: MeasuredMap) -> Document:
    """Say that a score is mapped no longer."""
    return command_document(message("score_map.undone", judge=Code(measured.judge), base=Code(measured.base)))


def sections(maps: Sequence[MeasuredMap]) -> Iterator[Section]:
    """Count the maps that were measured, and build a section of each, the newest first; nothing where there is none."""
    if maps:
        in_force = sum(measured.is_in_force for measured in maps)
        yield Section(None, (message("score_map.maps", count=len(maps), in_force=in_force),))
    for measured in reversed(maps):
        state = message("alignment.state_in_force" if measured.is_in_force else "alignment.state_not")
        title = message("score_map.title", judge=Name(measured.judge), at=Code(measured.at[:10]), state=state)
        yield Section(title, tuple(_measured(measured)))


def labels_of_each(tuning: Kinds, measuring: Kinds, share: float, *, are_few: bool) -> Iterator[Message]:
    """Say how many labels tune a judge and how many measure it, and how many it takes where they are too few."""
    yield message(
        "alignment.labels_of_each",
        tuning=sum(tuning),
        measuring=sum(measuring),
        share=Number(share, Kind.SHARE),
        tuning_right=tuning.right,
        measuring_right=measuring.right,
    )
    if are_few:
        yield message("alignment.needs", tuning=FEWEST_TUNING, measuring=FEWEST_MEASURING)


def _answer(mapping: ScoreMapping) -> Message:
    values: dict[str, Value] = {"judge": Code(mapping.judge)}
    if mapping.not_mapped is None:
        return message("score_map.in_force", **values, count=mapping.mapped)
    if mapping.objection:
        values["reason"] = mapping.objection
    return message(f"score_map.{mapping.not_mapped.value}", **values)


def _measured(measured: MeasuredMap) -> Iterator[Block]:
    """Give the gain on measuring labels, the bound that holds however often one looks, and what scores are mapped to."""
    contrast = measured.contrast
    yield message(
        "score_map.brier",
        after=EvidenceText(contrast.after, Kind.COEFFICIENT),
        before=EvidenceText(contrast.before, Kind.COEFFICIENT),
        right=measured.right,
        wrong=measured.wrong,
    )
    yield message("score_map.gain", evidence=EvidenceText(contrast.gain, Kind.COEFFICIENT, is_signed=True))
    if contrast.lowest is not None:
        key = "lowest" if contrast.is_better else "lowest_below"
        yield message(f"score_map.{key}", lowest=Number(contrast.lowest, Kind.COEFFICIENT, is_signed=True))
    yield message(
        "score_map.wrong_side",
        after=EvidenceText(contrast.wrong_after, Kind.SHARE),
        before=EvidenceText(contrast.wrong_before, Kind.SHARE),
    )
    if not measured.maps.separates:
        yield message("score_map.separates_nothing")
    if measured.maps.languages:
        names = Listing(tuple(Name(language) for language in sorted(measured.maps.languages)))
        yield message("score_map.languages", languages=names)
    yield _table(measured)


def _table(measured: MeasuredMap) -> Table:
    """List P(right) at some scores, for all answers and for each language with a map of its own."""
    columns = (Column(message("score_map.answers")), *(Column(coefficient(score), is_number=True) for score in SHOWN))
    rows = [_row(message("score_map.whole"), measured.maps.whole)]
    for name, own in sorted(measured.maps.languages.items()):
        rows.append(_row(message("score_map.language", language=Name(name)), own))
    return Table(columns, tuple(rows), caption=message("score_map.shares"))


def _row(name: Message, own: ScoreMap) -> tuple[Value, ...]:
    return (name, *(coefficient(float(share)) for share in own.at(SHOWN)))


def _back(measured: MeasuredMap) -> Message:
    return message("score_map.back", command=Command(f"assay align {measured.judge} --map --undo"))
