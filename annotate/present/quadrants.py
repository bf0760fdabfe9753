"""Say where the wrong answers lie when two judges are crossed at their thresholds."""

from __future__ import annotations

from collections.abc import Iterator

from annotate.analysis.judges.quadrants import POSITIONS, CrossedJudges, CrossedQuadrant, CrossedQuadrants
from annotate.domain.counted import counted
from annotate.domain.message import (
    Counted,
    EvidenceText,
    IntervalBasis,
    Kind,
    Listing,
    Message,
    Name,
    Number,
    message,
    share,
)
from annotate.present.document import Section
from proxy.diagnosis import StageEvidence


def quadrant_name(pair: CrossedJudges, place: StageEvidence | None) -> Message:
    """Name a quadrant by what is below its threshold."""
    names = {axis: Name(judge.replace("_", " ")) for axis, judge in pair._asdict().items()}
    return message(f"judges.quadrant_{_position(place)}", **names)


def quadrant(crossed: CrossedQuadrants, part: CrossedQuadrant) -> Section:
    """Say how much is in a quadrant, how much of the wrong answers, and what that means."""
    answers = message(
        "judges.quadrant_answers",
        answers=part.answers,
        framed=crossed.framed,
        share=share(part.of_answers),
        right=_counted(crossed, part, "right", part.right),
        wrong=_counted(crossed, part, "wrong", part.wrong),
    )
    wrong = message("judges.quadrant_wrong", share=EvidenceText(part.of_wrong, Kind.SHARE, IntervalBasis.WINDOW))
    return Section(quadrant_name(crossed.pair, part.place), (answers, wrong, *_implications(crossed, part)))


def chart_notes(crossed: CrossedQuadrants) -> Iterator[Message]:
    """Say what the chart shows, and what it leaves out."""
    yield message("judges.quadrants_picture", threshold=Number(crossed.thresholds.relevance, Kind.THRESHOLD))
    if len(crossed.points) < crossed.labelled:
        yield message("judges.quadrants_part", shown=len(crossed.points), labelled=crossed.labelled)


def chart_alt_text(crossed: CrossedQuadrants) -> Message:
    """Say how many right and wrong answers lie in each quadrant."""
    parts = tuple(
        message(
            "judges.quadrants_part_alt",
            quadrant=quadrant_name(crossed.pair, part.place),
            right=part.right,
            wrong=part.wrong,
        )
        for part in crossed.quadrants
        if part.place is not None
    )
    axes = {axis: Name(judge) for axis, judge in crossed.pair._asdict().items()}
    return message("judges.quadrants_alt", parts=Listing(parts, "values.semicolon"), **axes)


def _counted(crossed: CrossedQuadrants, part: CrossedQuadrant, outcome: str, count: int) -> Counted:
    return counted(count, "crossed", outcome, _position(part.place), *crossed.pair)


def _position(place: StageEvidence | None) -> str:
    """Name a quadrant's position in the keys of messages; `across` is the axis of relevance, `up` that of faithfulness."""
    return next(name for name, quadrant in POSITIONS.items() if quadrant == place)


def _implications(crossed: CrossedQuadrants, part: CrossedQuadrant) -> Iterator[Message]:
    """What a wrong answer here points to, and why scores are missing."""
    if crossed.pair.tells_stages:
        parts = {"from_retrieval": part.to_retrieval, "unattributed": part.wrong - part.to_retrieval}
        counts = {name: _counted(crossed, part, name, count) for name, count in parts.items()}
        yield message(f"judges.means_{_position(part.place)}", **counts)
    if part.place is None:
        yield message("judges.why_unscored", why=crossed.why_unscored)
    elif not crossed.pair.tells_stages:
        yield message("judges.means_other")
