"""List the limits of a report with what was measured against each."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from annotate.analysis.report.limits import ANNOTATORS, BEYOND_CHANCE, HARM, LimitCheck, LimitStatus
from annotate.domain.message import Between, EvidenceText, Kind, Message, Number, Value, message
from annotate.present.document import Column, Section, Table
from annotate.present.quantity import kind_of

OWN = {BEYOND_CHANCE, ANNOTATORS, HARM}  # limits that are no quantity of the report


class LimitLine(NamedTuple):
    """A limit in brief: what must hold, whether it does, and what was found."""

    wanted: Value
    standing: Value
    found: Value


def limits(held: tuple[LimitCheck, ...]) -> Section:
    """List every limit with what was measured against it, and why that is not measurable."""
    return Section(title(held), (_limits(held), *_reasons(held)))


def title(held: tuple[LimitCheck, ...]) -> Message:
    """Count the limits that are met."""
    met = sum(limit.standing is LimitStatus.MET for limit in held)
    return message("report.limits", met=met, count=len(held))


def checklist(held: tuple[LimitCheck, ...]) -> tuple[LimitLine, ...]:
    """Say each limit in brief."""
    lines = []
    for limit in held:
        name, standing, wanted, *_ = _limit(limit)
        found: Value = limit.count
        if limit.estimate is not None:
            found = message("overview.not_measurable")
        if limit.estimate is not None and limit.standing is not LimitStatus.UNMEASURABLE:
            found = EvidenceText(limit.estimate, _kind(limit))
        lines.append(LimitLine(message("overview.check", name=name, wanted=wanted), standing, found))
    return tuple(lines)


def _reasons(held: tuple[LimitCheck, ...]) -> Iterator[Message]:
    """Say why limits cannot be checked."""
    for limit in held:
        if limit.estimate and limit.estimate.reason and limit.standing is LimitStatus.UNMEASURABLE:
            yield message("values.colon", label=_limit(limit)[0], words=limit.estimate.reason)


def _limits(held: tuple[LimitCheck, ...]) -> Table:
    columns = (
        Column(message("overview.limit_what"), is_wide=True),
        Column(message("overview.limit_standing")),
        *(
            Column(message(f"overview.limit_{name}"), is_number=True)
            for name in ("wanted", "found", "interval", "labels")
        ),
    )
    return Table(columns, tuple(map(_limit, held)), name="limits")


def _kind(held: LimitCheck) -> Kind:
    return Kind.COEFFICIENT if held.name in OWN else kind_of(held.name)


def _limit(held: LimitCheck) -> tuple[Value, ...]:
    standing = message(f"overview.standing_{held.standing.value}")
    if held.estimate is None:
        wanted = message("overview.at_most", value=int(held.limit))
        return message(f"overview.limit_{held.name}"), standing, wanted, held.count, message("overview.counted"), ""
    kind = _kind(held)
    name = message(f"overview.limit_{held.name}" if held.name in OWN else f"measures.{held.name}")
    wanted_key = {BEYOND_CHANCE: "overview.above", ANNOTATORS: "overview.reliable"}.get(held.name, "overview.at_least")
    wanted = message(wanted_key, value=Number(held.limit, kind))
    span = Between(*held.estimate.long_run, kind, limit=held.limit) if held.estimate.long_run else None
    return name, standing, wanted, Number(held.estimate.estimate, kind), span, held.estimate.n
