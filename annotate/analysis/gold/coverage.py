"""Count how the gold set has grown, and what of the traffic and of the wrong answers it covers.

Everything is counted with its base, nothing is estimated; an entry counts under the role that it has today, and an answer as
covered where an accepted entry asks the same words.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, tzinfo
from enum import StrEnum
from typing import NamedTuple

from annotate.analysis.slices.fields import TOPIC, fields
from annotate.domain.gold import GoldRole, GoldSource, GoldStatus
from annotate.store import Store
from annotate.store.gold.statistics import RevisionStep, RoleCount, TrafficCoverage, WrongAnswer

# Chosen: four months by day are what the width of a chart shows apart.
MOST_DAYS = 120


class ReferenceState(StrEnum):
    """The state of a wrong answer: with an accepted reference, with one that waits for review, without, or set aside."""

    ACCEPTED = "accepted"
    REVIEW = "review"
    MISSING = "missing"
    ASIDE = "aside"


class GoldSetDay(NamedTuple):
    """The gold set at the end of a day: accepted entries by role, None for no role, and candidates."""

    day: date
    accepted: Mapping[GoldRole | None, int]
    candidates: int


class TrafficPart(NamedTuple):
    """A part of the traffic: its items and those covered, None where the field is not of the traffic; wrong answers by state."""

    value: str | None
    items: int | None
    covered: int | None
    wrong: int
    states: Mapping[ReferenceState, int]


@dataclass(frozen=True, kw_only=True, slots=True)
class Coverage:
    """The coverage of everything, and by field; `parts` holds the fields that divide the traffic or the wrong answers."""

    questions: int
    whole: TrafficPart
    parts: Mapping[str, Sequence[TrafficPart]]


def growth(store: Store, zone: tzinfo = UTC) -> list[GoldSetDay]:
    """Return the gold set at the end of each day on which it changed, in this zone."""
    return course(store.gold.statistics.steps(), zone)


def course(steps: Iterable[RevisionStep], zone: tzinfo) -> list[GoldSetDay]:
    """Return a point for each day with a step; for each week, by its last day with one, beyond MOST_DAYS."""
    status: dict[str, GoldStatus] = {}
    accepted: Counter[GoldRole | None] = Counter()
    waiting = 0
    points: dict[date, GoldSetDay] = {}
    day = date.min
    for step in steps:
        before = status.get(step.gold_id)
        accepted[step.role] += (step.status is GoldStatus.ACCEPTED) - (before is GoldStatus.ACCEPTED)
        waiting += (step.status is GoldStatus.CANDIDATE) - (before is GoldStatus.CANDIDATE)
        status[step.gold_id] = step.status
        # Revisions are in order even where a clock was put back.
        day = max(day, _day(step.at, zone))
        points[day] = GoldSetDay(day, dict(accepted), waiting)
    if len(points) <= MOST_DAYS:
        return list(points.values())
    return list({point.day.isocalendar()[:2]: point for point in points.values()}.values())


def _day(at: str, zone: tzinfo) -> date:
    moment = datetime.fromisoformat(at)
    return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).astimezone(zone).date()


def roles(store: Store) -> list[RoleCount]:
    """Return the accepted entries by role."""
    return store.gold.statistics.roles()


def coverage(store: Store) -> Coverage:
    """Count what is covered of the traffic and of the wrong answers: of all, by system, language and cause, and by harm."""
    with store.snapshot():
        wrong, missing = store.gold.statistics.wrong(), set(store.gold.without_reference())
        questions = store.gold.statistics.questions()
    # The roll-up of the traffic may write, so it stands outside the snapshot.
    traffic = store.gold.statistics.traffic()
    states = {answer.item: state(answer, missing) for answer in wrong}
    parts_by_field = {
        "system": _parts(traffic, wrong, states, lambda row: row.system),
        "language": _parts(traffic, wrong, states, lambda row: row.language),
        "cause": _parts_by_label(
            [(cause, states[answer.item]) for answer in wrong for cause in answer.causes or (None,)]
        ),
        "harm": _parts_by_label([(answer.harm, states[answer.item]) for answer in wrong]),
    }
    return Coverage(
        questions=questions,
        whole=TrafficPart(
            None,
            sum(row.items for row in traffic),
            sum(row.covered for row in traffic),
            len(wrong),
            Counter(states.values()),
        ),
        parts={name: parts for name, parts in parts_by_field.items() if any(part.value is not None for part in parts)},
    )


def state(answer: WrongAnswer, missing: Collection[int]) -> ReferenceState:
    """Return what became of a wrong answer; `missing` are the items that need a reference."""
    if answer.item in missing:
        return ReferenceState.MISSING
    if answer.status is GoldStatus.ACCEPTED:
        # The wrong answer itself, accepted before anybody called it wrong: flagged, and a person decides.
        return ReferenceState.REVIEW if answer.source is GoldSource.RIGHT_ANSWER else ReferenceState.ACCEPTED
    return ReferenceState.REVIEW if answer.status is GoldStatus.CANDIDATE else ReferenceState.ASIDE


def by_slices(store: Store) -> dict[str, list[TrafficPart]]:
    """Count by every slice of the traffic that is known before anyone reads it: topics, kinds, lengths, own fields.

    Reads every question: takes seconds on a large store. Topics stand at their finest level.
    """
    with store.snapshot():
        wrong, missing = store.gold.statistics.wrong(), set(store.gold.without_reference())
        covered = store.gold.statistics.covered()
        states = {answer.item: state(answer, missing) for answer in wrong}
        known = fields(store, states)
    parts: dict[str, list[TrafficPart]] = {}
    for field in known:
        items = Counter(field.of_item.values())
        inside = Counter(value for item, value in field.of_item.items() if item in covered)
        by_value = {value: Counter[ReferenceState]() for value in items}
        for item, outcome in states.items():
            if item in field.of_item:
                by_value[field.of_item[item]][outcome] += 1
        # Fields of one name are the levels of topics, coarse ones first: the last stays.
        parts[field.name] = [
            TrafficPart(value, count, inside[value], by_value[value].total(), by_value[value])
            for value, count in items.most_common()
        ]
    return dict(sorted(parts.items(), key=lambda entry: entry[0] != TOPIC))


def _parts(
    traffic: Sequence[TrafficCoverage],
    wrong: Sequence[WrongAnswer],
    states: Mapping[int, ReferenceState],
    field: Callable[[TrafficCoverage | WrongAnswer], str | None],
) -> list[TrafficPart]:
    """Return the parts by a field that traffic and wrong answers have, the largest first."""
    items, covered = Counter[str | None](), Counter[str | None]()
    for row in traffic:
        items[field(row)] += row.items
        covered[field(row)] += row.covered
    by_value = _grouped((field(answer), states[answer.item]) for answer in wrong)
    none = Counter[ReferenceState]()
    return [
        TrafficPart(value, count, covered[value], by_value.get(value, none).total(), by_value.get(value, none))
        for value, count in items.most_common()
    ]


def _parts_by_label(pairs: Sequence[tuple[str | None, ReferenceState]]) -> list[TrafficPart]:
    """Return the parts by what only labels say, the largest first."""
    parts = [TrafficPart(value, None, None, counts.total(), counts) for value, counts in _grouped(pairs).items()]
    return sorted(parts, key=lambda part: (-part.wrong, part.value or ""))


def _grouped(pairs: Iterable[tuple[Hashable, ReferenceState]]) -> dict[str | None, Counter[ReferenceState]]:
    grouped: dict[str | None, Counter[ReferenceState]] = {}
    for value, outcome in pairs:
        grouped.setdefault(value, Counter())[outcome] += 1  # type: ignore[arg-type]
    return grouped
