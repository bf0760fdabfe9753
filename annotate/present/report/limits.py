"""List the limits of a report with what was measured against each."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from annotate.analysis.report.limits import ANNOTATORS, BEYOND_CHANCE, HARM, VERDICT, LimitCheck, LimitStatus
from annotate.domain.message import Between, EvidenceText, Kind, Listing, Message, Number, Value, message
from annotate.present.document import Column, Condition, Section, Status, Table
from annotate.present.quantity import kind_of

STATUSES = {
    LimitStatus.MET: Status.MET,
    LimitStatus.MISSED: Status.MISSED,
    LimitStatus.OPEN: Status.OPEN,
    LimitStatus.UNMEASURABLE: Status.UNMEASURABLE,
    LimitStatus.UNEXAMINED: Status.UNMEASURABLE,
}
OWN = {BEYOND_CHANCE, ANNOTATORS, HARM}  # limits that are no quantity of the report


class LimitLine(NamedTuple):
    """A limit in brief: what must hold, whether it does, and what was found."""

    wanted: Value
    standing: Value
    measured: Value


def limits(checks: tuple[LimitCheck, ...], missing: int) -> Section:
    """List every limit with what was measured against it, and why that is not measurable; `missing` draws have no label."""
    return Section(title(checks), (_limits(checks), *_reasons(checks), *allowance(missing)))


def allowance(missing: int) -> tuple[Message, ...]:
    """Say why these intervals are wider than others of the same quantities, where drawn answers have no right or wrong."""
    return (message("overview.limits_allow", count=missing),) if missing else ()


def title(checks: tuple[LimitCheck, ...]) -> Message:
    """Count the limits that are met, then those of every other state that there is."""
    counts = {status: sum(limit.standing is status for limit in checks) for status in LimitStatus}
    met = message("report.limits", met=counts[LimitStatus.MET], count=len(checks))
    others = [
        message(f"report.limits_{status.value}", count=counts[status])
        for status in LimitStatus
        if status is not LimitStatus.MET and counts[status]
    ]
    return message("report.limits_all", parts=Listing((met, *others)))


def checklist(checks: tuple[LimitCheck, ...]) -> tuple[LimitLine, ...]:
    """Say each limit in brief; of the verdict's own the first tile says what was found, with the limit in its bar."""
    lines = []
    for limit in checks:
        name, standing, wanted, *_ = _limit(limit)
        what: Value = message("overview.check", name=name, wanted=wanted)
        measured: Value = _measured(limit)
        if limit.standing is LimitStatus.UNEXAMINED:
            what = name
        elif limit.name == VERDICT and limit.standing is not LimitStatus.UNMEASURABLE:
            measured = ""
        lines.append(LimitLine(what, standing, measured))
    return tuple(lines)


def conditions(checks: tuple[LimitCheck, ...]) -> tuple[Condition, ...]:
    """Make each limit a condition of the gate."""
    return tuple(map(_condition, checks))


def _condition(limit: LimitCheck) -> Condition:
    name, _, wanted, *_ = _limit(limit)
    is_unmeasurable = limit.standing is LimitStatus.UNMEASURABLE
    reason = limit.estimate.reason if is_unmeasurable and limit.estimate else None
    return Condition(
        wanted=message("overview.check", name=name, wanted=wanted),
        status=STATUSES[limit.standing],
        standing=_standing(limit),
        measured=reason or _measured(limit),
    )


def _measured(limit: LimitCheck) -> Message:
    """Say what was found; a number that is not the limit is never written like it."""
    if limit.standing is LimitStatus.UNEXAMINED:
        return message(f"overview.unexamined_{limit.name}")
    if limit.standing is LimitStatus.UNMEASURABLE:
        return message("overview.not_measurable")
    if limit.estimate is not None:
        return message("overview.now", value=EvidenceText(limit.estimate, _kind(limit), limit=limit.limit))
    if limit.behind is not None and limit.behind.estimate is not None:
        return message("overview.now_harm", value=limit.count, share=EvidenceText(limit.behind, Kind.SHARE))
    return message("overview.now", value=limit.count)


def _reasons(checks: tuple[LimitCheck, ...]) -> Iterator[Message]:
    """Say why limits cannot be checked."""
    for limit in checks:
        if limit.estimate and limit.estimate.reason and limit.standing is LimitStatus.UNMEASURABLE:
            yield message("values.colon", label=_limit(limit)[0], words=limit.estimate.reason)


def _limits(checks: tuple[LimitCheck, ...]) -> Table:
    columns = (
        Column(message("overview.limit_what"), is_wide=True),
        Column(message("overview.limit_standing")),
        *(
            Column(message(f"overview.limit_{name}"), is_number=True)
            for name in ("wanted", "found", "interval", "labels")
        ),
    )
    return Table(columns, tuple(map(_limit, checks)), name="limits")


def _standing(check: LimitCheck) -> Message:
    return message(f"overview.standing_{check.standing.value}")


def _kind(check: LimitCheck) -> Kind:
    return Kind.COEFFICIENT if check.name in OWN else kind_of(check.name)


def _limit(check: LimitCheck) -> tuple[Value, ...]:
    standing = _standing(check)
    if check.estimate is None:
        wanted = message("overview.at_most", value=int(check.limit))
        name = message(f"overview.limit_{check.name}")
        behind = None if check.standing is LimitStatus.UNEXAMINED else check.behind
        if behind is None or behind.long_run is None:
            return name, standing, wanted, check.count, message("overview.counted"), ""
        return name, standing, wanted, check.count, Between(*behind.long_run, Kind.SHARE), behind.n
    kind = _kind(check)
    name = message(f"overview.limit_{check.name}" if check.name in OWN else f"measures.{check.name}")
    wanted_key = {BEYOND_CHANCE: "overview.above", ANNOTATORS: "overview.reliable"}.get(check.name, "overview.at_least")
    wanted = message(wanted_key, value=Number(check.limit, kind))
    span = Between(*check.estimate.long_run, kind, limit=check.limit) if check.estimate.long_run else None
    return name, standing, wanted, Number(check.estimate.estimate, kind), span, check.estimate.n
