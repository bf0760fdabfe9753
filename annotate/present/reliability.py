"""Say what the value of a rule says of P(right): a band of values a row, and which map to read."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from annotate.analysis.calibration.reliability import RuleReliability
from annotate.domain.counted import counted
from annotate.domain.message import (
    Between,
    Code,
    EvidenceText,
    IntervalBasis,
    Kind,
    Listing,
    Message,
    Number,
    Step,
    Value,
    message,
    share,
)
from annotate.present.document import Block, Column, Detail, Document, Section, Status, Table
from annotate.present.quantity import cell
from proxy.evaluation.bands import holds
from proxy.evaluation.reliability_curve import Band, ReliabilityCurve
from proxy.evaluation.threshold import value_of

COLUMNS = ("band", "labels", "mean", "right", "interval")
MAPS = ("map_platt", "map_isotonic")


def document(explained: RuleReliability, steps: Sequence[Step] = ()) -> Document:
    """Build the document of the reliability of the rule's value.

    Parameters
    ----------
    explained : RuleReliability
        What the labels say of it.
    steps : sequence of Step
        What to do next.
    """
    curve = explained.curve
    if why := _why_unknown(explained):
        answer = message("calibration.no_reliability", value=Code(value_of(explained.rule)))
        blocks: tuple[Block, ...] = (message("report.reason", reason=why),)
        if curve.reason or explained.unscored:
            return Document(answer, Status.UNMEASURABLE, (Section(None, blocks),), next=tuple(steps))
    else:
        answer, blocks = _answer(explained), tuple(_reading(curve))
    sections = (
        Section(None, (*blocks, bands(curve))),
        Section(message("calibration.quality"), tuple(quality(curve)), Detail.FULL),
    )
    return Document(answer, _status(explained), sections, tuple(_notes(explained)), tuple(steps))


def of_band(band: Band, value: float) -> Message:
    """Say the share of right answers in the band of a value; otherwise that no label has such a value."""
    return message(
        "calibration.answer_near" if holds(band, value) else "calibration.answer_nearest",
        value=Number(value, Kind.THRESHOLD),
        mean=Number(band.mean, Kind.THRESHOLD),
        evidence=_evidence(band),
    )


def of_value(band: Band, value: float, mapped: str | None) -> Message:
    """Say P(right) at a value by the labels of its band, and by a map if there is one."""
    if mapped is None:
        return message("calibration.value_means", reliability=of_band(band, value), map="")
    chance = message(
        "calibration.map_says", map=message(f"calibration.map_{mapped}"), share=share(by_map(band, mapped))
    )
    return message("calibration.value_means", reliability=of_band(band, value), map=chance)


def by_map(band: Band, mapped: str) -> float:
    """Return P(right) of a band's answers by a map."""
    return band.isotonic if mapped == "isotonic" else band.platt


def picture(shown: Sequence[Band]) -> Message:
    """Say what the reliability diagram shows."""
    bands = tuple(of_band(band, band.mean) for band in shown)
    return message("calibration.diagram_alt", bands=Listing(bands, "values.semicolon"))


def bands(curve: ReliabilityCurve) -> Table:
    """Return the table of bands: the share of right answers by labels, and by both maps where one tells anything."""
    columns = tuple(Column(message(f"calibration.{name}"), is_number=True) for name in (*COLUMNS, *MAPS))
    shown = len(COLUMNS) + (len(MAPS) if curve.tells else 0)
    rows = tuple(_row(band)[:shown] for band in curve.bands)
    return Table(columns[:shown], rows, name="bands")


def quality(curve: ReliabilityCurve) -> Iterator[Message | str]:
    """Say how far the value is from a probability, and which map predicts unseen questions better."""
    if not curve.unseen:
        yield from _off(curve)
    yield message("calibration.cross_fitted")
    yield message("calibration.fitted", n=curve.n)


def tells_nothing(curve: ReliabilityCurve) -> Message:
    """Say that neither map beats the mean of all answers."""
    return message("calibration.tells_nothing", right=share(curve.right))


def _off(curve: ReliabilityCurve) -> Iterator[Message]:
    if curve.gap:
        ece, perfect = Number(curve.gap.observed, Kind.SCORE), Number(curve.gap.if_perfect, Kind.SCORE)
        yield message("calibration.gap", ece=ece, perfect=perfect, n=curve.n)
    else:
        yield message("calibration.no_gap")
    if curve.briers:
        names = ("raw", "platt", "isotonic", "base")
        briers = {name: getattr(curve.briers, name) for name in names}
        yield message(
            "calibration.brier", **{name: brier and cell(brier, Kind.SCORE) for name, brier in briers.items()}
        )


def _why_unknown(explained: RuleReliability) -> str | None:
    """Return why the reliability of the value is unknown; None where it is known."""
    if explained.unscored:
        return explained.unscored.reason
    return explained.curve.reason or (explained.objection.words if explained.objection else None)


def _status(explained: RuleReliability) -> Status:
    if explained.objection:
        return Status.UNMEASURABLE
    return Status.DONE if explained.curve.tells else Status.OPEN


def _answer(explained: RuleReliability) -> Message:
    curve = explained.curve
    if not curve.tells:
        return message("calibration.says_nothing", value=Code(value_of(explained.rule)))
    first, last = curve.bands[0], curve.bands[-1]
    if first is last:
        return message("calibration.only_band", evidence=_evidence(first))
    return message("calibration.ends", first=_evidence(first), last=_evidence(last))


def _reading(curve: ReliabilityCurve) -> Iterator[Message]:
    """Yield which map to read, where either predicts better than the mean."""
    if not curve.tells:
        yield tells_nothing(curve)
        return
    better = "isotonic" if curve.prefers_isotonic else "platt"
    yield message("calibration.read_by", map=message(f"calibration.map_{better}"))


def _evidence(band: Band) -> EvidenceText:
    return EvidenceText(band.right, Kind.SHARE, IntervalBasis.WINDOW)


def _row(band: Band) -> tuple[Value, ...]:
    least, right = Number(band.least, Kind.THRESHOLD), band.right
    return (
        least if band.least == band.most else Between(band.least, band.most, Kind.THRESHOLD),
        counted(right.n, "band", repr(band.least), repr(band.most)),
        Number(band.mean, Kind.THRESHOLD),
        share(right.estimate),
        Between(right.low, right.high, Kind.SHARE),
        share(band.platt),
        share(band.isotonic),
    )


def _notes(explained: RuleReliability) -> Iterator[Message | str]:
    """Yield which values and draws the table leaves out."""
    if explained.curve.unseen:
        yield explained.curve.unseen
    if explained.unsure or explained.open:
        counts = {"unsure": explained.unsure, "open": explained.open, "drawn": explained.drawn}
        yield message("calibration.left_out_draws", count=explained.unsure + explained.open, **counts)
