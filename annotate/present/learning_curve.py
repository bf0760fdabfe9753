"""Show how the versions of a judge agree with experts on common labels, and what more labels are expected to bring."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from annotate.analysis.aligned_judges.learning_curve import ExpectedPrecision, LearningCurve, VersionPoint
from annotate.domain.message import Code, EvidenceText, Kind, Message, Number, Value, message
from annotate.present.document import Block, Column, Detail, Section, Table
from proxy.evaluation.discrimination import CHANCE


def section(curve: LearningCurve, detail: Detail = Detail.BRIEF) -> Section:
    """Build the section of a judge, with times in UTC.

    Parameters
    ----------
    curve : LearningCurve
        Its versions on the labels that measure all of them.
    detail : Detail
        Whether it is shown by default.
    """
    title = message("teaching.curve_of", judge=Code(curve.judge))
    return Section(title, tuple(blocks(curve, _in_utc)), detail)


def _in_utc(at: str | None) -> str:
    """Write the day and the minute."""
    return (at or "")[:16].replace("T", " ")


def blocks(curve: LearningCurve, moment: Callable[[str | None], str]) -> Iterator[Block]:
    """Give the table, what it rests on, and what more labels are expected to bring."""
    yield table(curve, moment)
    yield from notes(curve)


def table(curve: LearningCurve, moment: Callable[[str | None], str]) -> Table:
    """List the versions, each with its AUROC, interval and number of labels."""
    columns = (
        Column(message("teaching.curve_version")),
        Column(message("teaching.curve_auroc"), is_number=True, has_bars=True, mark=CHANCE),
        Column(message("teaching.curve_signature")),
    )
    rows = tuple(
        (_name(point, moment), EvidenceText(point.auroc, Kind.COEFFICIENT), Code(point.signature))
        for point in curve.points
    )
    return Table(columns, rows, name="curve")


def notes(curve: LearningCurve) -> Iterator[Message]:
    """Say which labels these are, and what more are expected to bring."""
    yield message("teaching.curve_basis", labels=curve.right + curve.wrong, right=curve.right, wrong=curve.wrong)
    if len(curve.points) > 1:
        yield message("teaching.curve_flatters")
    if curve.expected is not None:
        yield _expected(curve.expected)
        yield message("teaching.expected_basis")


def _name(point: VersionPoint, moment: Callable[[str | None], str]) -> Message:
    state = "_in_force" if point.is_in_force else ""
    if point.at is None:
        return message(f"teaching.curve_bare{state}")
    return message(f"teaching.curve_at{state}", at=Code(moment(point.at)))


def _expected(expected: ExpectedPrecision) -> Message:
    values: dict[str, Value] = {
        "more": expected.more,
        "measuring": expected.measuring,
        "half": Number(expected.half_width, Kind.COEFFICIENT),
        "half_then": Number(expected.half_width_then, Kind.COEFFICIENT),
        "gain_then": Number(expected.gain_then, Kind.COEFFICIENT, is_signed=True),
    }
    if not expected.can_show:
        return message("teaching.expected_beyond", **values)
    return message("teaching.expected", **values, gain=Number(expected.gain, Kind.COEFFICIENT, is_signed=True))
