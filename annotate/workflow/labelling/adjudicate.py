"""Record or withdraw the adjudication of an item.

The annotation, the label, the candidate for the gold set and the event are written in one durable transaction. Repeating a
decision adds nothing. A decision is refused where the item's annotations have changed since they were displayed.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

from annotate.domain.adjudication import NO_NAME, AdjudicationCase, Decision, Waits, check, name_of, says_the_same
from annotate.domain.annotation import ADJUDICATION, Annotation
from annotate.domain.identity import is_among
from annotate.store import Store
from annotate.store.labels.resolution import PlacedAnnotation
from proxy.errors import UsageError
from proxy.records import Label
from proxy.text.times import iso

OVERTAKEN = "someone else has just adjudicated this one: look at it again"
CHANGED = "a reading changed while you were looking: look at it again"
EVENT = "labels adjudicate"


@dataclass(frozen=True, kw_only=True, slots=True)
class Adjudicated:
    """The result of an adjudication.

    Attributes
    ----------
    item_id
        The item.
    label
        Its label now, None where it has none.
    is_new
        Whether the decision was recorded; False where the same one stood already.
    waiting
        The number of items that still wait for adjudication.
    """

    item_id: str
    label: Label | None
    is_new: bool
    waiting: int


def adjudicate(store: Store, item: int, decision: Decision, *, who: str, now: str, seen: int | None = None) -> bool:
    """Record the decision of a person on an item.

    Parameters
    ----------
    store : Store
        The store, open for writing.
    item : int
        The row of the item.
    decision : Decision
        The judgement with its reason, and what goes with it.
    who : str
        The name of the person who decides.
    now : str
        The time, ISO 8601 in UTC.
    seen : int, optional
        The last entry of the item's log that the person saw.

    Returns
    -------
    bool
        False where the same decision stands already.

    Raises
    ------
    UsageError
        Where the person may not decide, or the log has grown since `seen`.
    """
    who = who.strip()
    with store.atomic(durable=True):
        case = _case(store, item)
        if says_the_same(case, decision, who) and case.why is not Waits.CHANGED:
            return False
        if seen is not None and seen != case.seen:
            raise UsageError(OVERTAKEN if case.was_adjudicated_last else CHANGED)
        check(case, decision, who)
        annotation = Annotation(
            source=ADJUDICATION,
            id=store.labels.adjudication.name(case),
            item_id=case.item_id,
            annotator=who,
            judgement=decision.judgement,
            reference=decision.reference,
            causes=decision.causes,
            harm=decision.harm,
            rationale=decision.why.strip(),
            at=_after(case, now),
        )
        _keep(store, case, annotation, decision.judgement.value, who=who, now=now)
    return True


def take_back(store: Store, item: int, why: str, *, who: str, now: str) -> None:
    """Withdraw the adjudication of an item, so that its annotations decide again.

    Parameters
    ----------
    store : Store
        The store, open for writing.
    item : int
        The row of the item.
    why : str
        The reason, which is kept.
    who : str
        The name of the person who withdraws it.
    now : str
        The time, ISO 8601 in UTC.

    Raises
    ------
    UsageError
        Where the item has no adjudication, the person has annotated it, or the name or the reason is missing.
    """
    who = who.strip()
    with store.atomic(durable=True):
        case = _case(store, item)
        if not who:
            raise UsageError(NO_NAME)
        if case.adjudicated is None:
            raise UsageError(f"nobody has adjudicated {case.item_id}: there is nothing to take back")
        if is_among(who, case.annotators) and not is_among(who, [case.adjudicated.annotator]):
            raise UsageError("you have read this one yourself: somebody who has not must take it back")
        if not why.strip():
            raise UsageError("the reason is empty: say in a few words why it is taken back")
        annotation = Annotation(
            source=ADJUDICATION,
            id=store.labels.adjudication.name(case),
            item_id=case.item_id,
            annotator=case.adjudicated.annotator,
            judgement=None,
            rationale=why.strip(),
            at=_after(case, now),
            edited_by=None if who == case.adjudicated.annotator else who,
            deleted=True,
        )
        _keep(store, case, annotation, "taken back", who=who, now=now)


def reference_of(store: Store, item: int, annotator: str) -> str:
    """Return the reference that an annotator of an item wrote.

    Parameters
    ----------
    store : Store
        The store.
    item : int
        The row of the item.
    annotator : str
        The letter of the annotator, such as "A" or "Annotator A": names are hidden.

    Returns
    -------
    str
        The reference.

    Raises
    ------
    UsageError
        Where this annotator wrote none.
    """
    case = store.labels.adjudication.of_item(item)
    by_name = {name_of(place): reading.reference for place, reading in enumerate(case.readings if case else ())}
    text = by_name.get(f"Annotator {annotator.removeprefix('Annotator ').upper()}")
    if not text:
        raise UsageError(f"--annotator: {annotator} wrote no reference for this item: see `assay labels disagreements`")
    return text


def _case(store: Store, item: int) -> AdjudicationCase:
    case = store.labels.adjudication.of_item(item)
    if case is None:
        raise UsageError("nobody has said anything of this item yet: there is nothing to adjudicate")
    if store.audit.forgetting.has_item(case.item_id):
        raise UsageError(f"the texts of {case.item_id} were forgotten: nobody can judge it any more")
    return case


def _after(case: AdjudicationCase, now: str) -> str:
    """Return the time of the decision: always after the one before, also when the clock was set back."""
    if not case.last_adjudicated or now > case.last_adjudicated:
        return now
    return iso(datetime.fromisoformat(case.last_adjudicated) + timedelta(milliseconds=1))


def _keep(store: Store, case: AdjudicationCase, annotation: Annotation, outcome: str, *, who: str, now: str) -> None:
    """Store the annotation with its label, and log the event."""
    store.labels.keep([PlacedAnnotation(annotation, case.item, case.draw)], now=now)
    store.audit.events.append(EVENT, {"annotation": annotation.id, "label": outcome}, who=who, now=now)
