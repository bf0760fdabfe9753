"""Say where the wrong answers lie when two judges are crossed at their thresholds."""

from __future__ import annotations

from collections.abc import Iterator

from annotate.analysis.judges.quadrants import Corners, CrossedJudges, QuadrantCorner
from annotate.domain.message import EvidenceText, IntervalBasis, Kind, Listing, Message, Name, Number, message, share
from annotate.present.document import Section
from proxy.diagnosis import StageEvidence


def corner_name(pair: CrossedJudges, place: StageEvidence | None) -> Message:
    """Name a corner by what is below its threshold."""
    names = {axis: Name(judge.replace("_", " ")) for axis, judge in pair._asdict().items()}
    return message(f"judges.corner_{_code(place)}", **names)


def corner(crossed: Corners, part: QuadrantCorner) -> Section:
    """Say how much is in a corner, how much of the wrong answers, and what that means."""
    answers = message(
        "judges.corner_answers",
        answers=part.answers,
        framed=crossed.framed,
        share=share(part.of_answers),
        right=part.right,
        wrong=part.wrong,
    )
    wrong = message("judges.corner_wrong", share=EvidenceText(part.of_wrong, Kind.SHARE, IntervalBasis.WINDOW))
    return Section(corner_name(crossed.pair, part.place), (answers, wrong, *_implications(crossed, part)))


def below(crossed: Corners) -> Iterator[Message]:
    """Say what the picture shows, and what it leaves out."""
    yield message("judges.corners_picture", threshold=Number(crossed.thresholds.relevance, Kind.THRESHOLD))
    if len(crossed.points) < crossed.labelled:
        yield message("judges.corners_part", shown=len(crossed.points), labelled=crossed.labelled)


def picture(crossed: Corners) -> Message:
    """Say how many right and wrong answers lie in each corner."""
    parts = tuple(
        message(
            "judges.corners_part_alt",
            corner=corner_name(crossed.pair, part.place),
            right=part.right,
            wrong=part.wrong,
        )
        for part in crossed.corners
        if part.place is not None
    )
    axes = {axis: Name(judge) for axis, judge in crossed.pair._asdict().items()}
    return message("judges.corners_alt", parts=Listing(parts, "values.semicolon"), **axes)


def _code(place: StageEvidence | None) -> str:
    return "none" if place is None else f"{int(bool(place.is_relevant))}{int(bool(place.is_faithful))}"


def _implications(crossed: Corners, part: QuadrantCorner) -> Iterator[Message]:
    """What a wrong answer here points to, and why scores are missing."""
    if crossed.pair.tells_stages:
        counts = {"told": part.to_retrieval, "untold": part.wrong - part.to_retrieval}
        yield message(f"judges.means_{_code(part.place)}", **counts)
    if part.place is None:
        yield message("judges.why_unscored", why=crossed.why_unscored)
    elif not crossed.pair.tells_stages:
        yield message("judges.means_other")
