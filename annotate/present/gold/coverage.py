"""Say what the gold set covers: of how much of the traffic, what became of wrong answers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from annotate.analysis.gold.coverage import Coverage, ReferenceState, TrafficPart
from annotate.domain.gold import GoldRole
from annotate.domain.message import Message, Name, Value, message, share
from annotate.present import naming
from annotate.present.document import Column, Document, Status, Table

if TYPE_CHECKING:
    from annotate.store.gold.statistics import RoleCount

WHOLE, CAUSE = "none", "cause"
FIELDS = ("system", "language", CAUSE, "harm")
STATES = (ReferenceState.ACCEPTED, ReferenceState.REVIEW, ReferenceState.MISSING)


def document(result: Coverage, *, missing: int, flagged: int, candidates: int) -> Document:
    """Say of how many questions and how much of the traffic the answer is known, and how many questions miss one."""
    answers = result.whole.states.get(ReferenceState.MISSING, 0)
    if not result.questions:
        answer = message("gold.answer_none", missing=missing, answers=answers, candidates=candidates)
        return Document(answer, Status.UNMEASURABLE)
    items, covered = result.whole.items or 0, result.whole.covered or 0
    counts = {"questions": result.questions, "covered": covered, "items": items, "missing": missing, "answers": answers}
    answer = message("gold.answer", share=_share(result.whole), **counts)
    return Document(answer, Status.OPEN if missing or flagged else Status.MET)


def roles(result: Sequence[RoleCount]) -> Table:
    """List what the accepted entries are used for."""
    columns = (
        Column(message("gold.role")),
        *(Column(message(f"gold.{name}"), is_number=True) for name in ("accepted_entries", "clusters")),
    )
    rows = tuple(
        (role(covered.role), covered.accepted, covered.clusters if covered.role else None) for covered in result
    )
    return Table(columns, rows, caption=message("gold.roles_how"))


def parts(result: Sequence[TrafficPart], field: str) -> Table:
    """List the parts of a field with what is covered of the traffic, and what became of the wrong answers."""
    of_traffic = any(part.items is not None for part in result)
    has_aside = any(part.states.get(ReferenceState.ASIDE) for part in result)
    states = (*STATES, ReferenceState.ASIDE) if has_aside else STATES
    names = (*(("traffic", "covered", "share") if of_traffic else ()), "wrong", *(f"state_{state}" for state in states))
    columns = (Column(field_name(field)), *(Column(message(f"gold.{name}"), is_number=True) for name in names))
    rows = tuple(
        (
            part_name(part, field),
            *((part.items, part.covered, _share(part)) if of_traffic else ()),
            part.wrong,
            *(part.states.get(state, 0) for state in states),
        )
        for part in result
    )
    return Table(columns, rows)


def role(of: GoldRole | str | None) -> Message:
    """Name what an entry is used for."""
    return message(f"gold.role_{of.split()[0]}") if of else message("gold.role_none")


def field_name(field: str) -> Message:
    """Name a field; one of the traffic's own as it is."""
    is_ours = field in (WHOLE, *FIELDS)
    return message(f"gold.by_{field}") if is_ours else message("gold.own_field", name=Name(field))


def part_name(part: TrafficPart, field: str) -> Value:
    """Name a part of a field."""
    if part.value is None:
        return message({WHOLE: "gold.everything", CAUSE: "gold.not_said"}.get(field, "gold.not_given"))
    return naming.cause(part.value) if field == CAUSE else Name(part.value)


def _share(part: TrafficPart) -> Value:
    return share((part.covered or 0) / part.items) if part.items else None
