"""Tell what the value of a rule says of P(right): a band of values a row, and which map to read."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from annotate.analysis.calibration.reliability import Explained
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
from proxy.evaluation.bands import holds, nearest
from proxy.evaluation.reliability_curve import Band, Meaning
from proxy.evaluation.threshold import value_of

COLUMNS = ("band", "labels", "mean", "right", "interval", "map_platt", "map_isotonic")


def document(explained: Explained, steps: Sequence[Step] = ()) -> Document:
    """Tell the reliability of the rule's value.

    Parameters
    ----------
    explained : Explained
        What the labels say of it.
    steps : sequence of Step
        What to do next.
    """
    meaning = explained.meaning
    if why := _why_unknown(explained):
        answer = message("calibration.no_meaning", value=Code(value_of(explained.rule)))
        blocks: tuple[Block, ...] = (message("report.reason", reason=why),)
        if meaning.reason or explained.unscored:
            return Document(answer, Status.UNMEASURABLE, (Section(None, blocks),), next=tuple(steps))
    else:
        answer, blocks = _answer(explained), tuple(_reading(meaning))
    sections = (
        Section(None, (*blocks, bands(meaning))),
        Section(message("calibration.quality"), tuple(quality(meaning)), Detail.FULL),
    )
    return Document(answer, _status(explained), sections, tuple(_notes(explained)), tuple(steps))


def of_value(meaning: Meaning, value: float) -> Message:
    """Say what a value of the rule means."""
    band = nearest(meaning, value)
    if meaning.reason or band is None:
        return message("calibration.answer_no_meaning", reason=meaning.reason)
    return of_band(band, value) if meaning.tells else message("calibration.answer_tells_nothing")


def of_band(band: Band, value: float) -> Message:
    """Say what the labels of a band say of answers with about this value; otherwise where no label has such a value."""
    return message(
        "calibration.answer_near" if holds(band, value) else "calibration.answer_nearest",
        value=Number(value, Kind.THRESHOLD),
        mean=Number(band.mean, Kind.THRESHOLD),
        evidence=_evidence(band),
    )


def of_value_by(band: Band, value: float, mapped: str) -> Message:
    """Say what a value means by the labels of its band, and by a map."""
    chance = message(
        "calibration.map_says", map=message(f"calibration.map_{mapped}"), share=share(by_map(band, mapped))
    )
    return message("calibration.value_means", meaning=of_band(band, value), map=chance)


def by_map(band: Band, mapped: str) -> float:
    """Return what a map says of the answers of a band."""
    return band.isotonic if mapped == "isotonic" else band.platt


def picture(shown: Sequence[Band]) -> Message:
    """Say what the reliability diagram shows."""
    each = tuple(of_band(band, band.mean) for band in shown)
    return message("calibration.diagram_alt", bands=Listing(each, "values.semicolon"))


def bands(meaning: Meaning) -> Table:
    """Each band with what annotators say and what both maps say."""
    columns = tuple(Column(message(f"calibration.{name}"), is_number=True) for name in COLUMNS)
    return Table(columns, tuple(map(_row, meaning.bands)), name="bands")


def quality(meaning: Meaning) -> Iterator[Message | str]:
    """Say how far the value is from a probability, and which map predicts unseen questions better."""
    if not meaning.unseen:
        yield from _off(meaning)
    yield message("calibration.cross_fitted")
    yield message("calibration.fitted", n=meaning.n)


def tells_nothing(meaning: Meaning) -> Message:
    """Say that neither map beats the mean of all answers."""
    return message("calibration.tells_nothing", right=share(meaning.right))


def _off(meaning: Meaning) -> Iterator[Message]:
    if meaning.gap:
        ece, perfect = Number(meaning.gap.ece, Kind.SCORE), Number(meaning.gap.if_perfect, Kind.SCORE)
        yield message("calibration.gap", ece=ece, perfect=perfect, n=meaning.n)
    else:
        yield message("calibration.no_gap")
    if meaning.briers:
        names = ("raw", "platt", "isotonic", "base")
        yield message(
            "calibration.brier", **{name: Number(getattr(meaning.briers, name), Kind.SCORE) for name in names}
        )


def _why_unknown(explained: Explained) -> str | None:
    """Why nothing can be said of the value; None where something can."""
    if explained.unscored:
        return explained.unscored.reason
    return explained.meaning.reason or (explained.objection.words if explained.objection else None)


def _status(explained: Explained) -> Status:
    if explained.objection:
        return Status.UNMEASURABLE
    return Status.DONE if explained.meaning.tells else Status.OPEN


def _answer(explained: Explained) -> Message:
    meaning = explained.meaning
    if not meaning.tells:
        return message("calibration.says_nothing", value=Code(value_of(explained.rule)))
    first, last = meaning.bands[0], meaning.bands[-1]
    if first is last:
        return message("calibration.only_band", evidence=_evidence(first))
    return message("calibration.ends", first=_evidence(first), last=_evidence(last))


def _reading(meaning: Meaning) -> Iterator[Message]:
    """Which map to read, where either says anything."""
    if not meaning.tells:
        yield tells_nothing(meaning)
        return
    better = "isotonic" if meaning.prefers_isotonic else "platt"
    yield message("calibration.read_by", map=message(f"calibration.map_{better}"))


def _evidence(band: Band) -> EvidenceText:
    return EvidenceText(band.right, Kind.SHARE, IntervalBasis.WINDOW)


def _row(band: Band) -> tuple[Value, ...]:
    least, right = Number(band.least, Kind.THRESHOLD), band.right
    return (
        least if band.least == band.most else Between(band.least, band.most, Kind.THRESHOLD),
        right.n,
        Number(band.mean, Kind.THRESHOLD),
        share(right.estimate),
        Between(right.low, right.high, Kind.SHARE),
        share(band.platt),
        share(band.isotonic),
    )


def _notes(explained: Explained) -> Iterator[Message | str]:
    """Of which values and draws no share in the table speaks."""
    if explained.meaning.unseen:
        yield explained.meaning.unseen
    if explained.unsure or explained.open:
        counts = {"unsure": explained.unsure, "open": explained.open, "drawn": explained.drawn}
        yield message("calibration.left_out_draws", count=explained.unsure + explained.open, **counts)
