"""Say how judges were trained, and whether labels show one better than the judge that it stands beside."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from annotate.analysis.trained_judges.contrasts import TrainedContrast
from annotate.domain.message import Code, EvidenceText, Kind, Listing, Message, Name, Number, Step, Value, message
from annotate.present.actions import command_document
from annotate.present.document import Block, Column, Document, Table
from annotate.present.quantity import cell
from proxy.judges.trained.training import FEWEST

if TYPE_CHECKING:
    from annotate.workflow.judging.trained_judges import TrainedHere, TrainingRun

ESTIMATES = ("trained", "stock", "difference")


def training(result: TrainingRun, steps: Sequence[Step] = ()) -> Document:
    """Build the document.

    Parameters
    ----------
    result : TrainingRun
        The judges, with what was read.
    steps : sequence of Step
        What to do next.
    """
    return command_document(
        message("trained_judges.answer", count=len(result.judges), answers=len(result.read.answers)),
        *_basis(result),
        *(_measured(result.judges) if result.judges else ()),
        *_not_trained(result),
        steps=steps,
    )


def _basis(result: TrainingRun) -> Iterator[Message]:
    read = result.read
    yield message("trained_judges.read", gold=read.of_gold, traffic=read.of_traffic, questions=read.of_questions)
    if read.unreviewed:
        yield message("trained_judges.unreviewed", count=read.unreviewed)
    if read.scoring:
        yield message("trained_judges.scoring", count=read.scoring)
    if read.unsupported:
        yield message("trained_judges.unsupported", count=read.unsupported)


def _measured(judges: Sequence[TrainedHere]) -> Iterator[Block]:
    columns = (
        Column(message("trained_judges.judge")),
        *(Column(message(f"trained_judges.{name}"), is_number=True) for name in ("taught", "pairs", *ESTIMATES)),
    )
    yield Table(columns, tuple(_row(judge) for judge in judges), caption=message("trained_judges.caption"))
    if same := tuple(Code(judge.judge) for judge in judges if judge.shrinkage is None):
        yield message("trained_judges.same", judges=Listing(same, "values.and"))
    yield message("trained_judges.synthetic")


def _row(judge: TrainedHere) -> tuple[Value, ...]:
    held_out = judge.held_out
    trained, stock, difference = (getattr(held_out, name) for name in ESTIMATES)
    return (
        Name(judge.judge),
        judge.taught,
        trained.n,
        cell(trained, Kind.COEFFICIENT),
        cell(stock, Kind.COEFFICIENT),
        cell(difference, Kind.COEFFICIENT, is_signed=True),
    )


def _not_trained(result: TrainingRun) -> Iterator[Message]:
    for criterion in result.not_trained:
        counts = {"positives": criterion.positives, "negatives": criterion.negatives, "fewest": FEWEST}
        yield message("trained_judges.few", judge=Name(f"{criterion.criterion}"), **counts)


def contrasts(compared: Sequence[TrainedContrast]) -> Iterator[Message]:
    """Give the difference of each, with the bound that holds however often one looks."""
    for trained_contrast in compared:
        contrast = trained_contrast.contrast
        values: dict[str, Value] = {
            "judge": Code(trained_contrast.trained.judge),
            "beside": Code(trained_contrast.beside.judge),
            "evidence": EvidenceText(contrast.difference, Kind.COEFFICIENT, is_signed=True),
        }
        if contrast.lowest is None:
            yield message("trained_judges.unknown", **values)
        else:
            key = "trained_judges.better" if contrast.is_better else "trained_judges.not_better"
            yield message(key, **values, lowest=Number(contrast.lowest, Kind.COEFFICIENT, is_signed=True))
