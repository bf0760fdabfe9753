"""Set a thumb down aside in the inbox after a person has looked at it, or take that back.

It is no label and changes no chance. The answer stays in its stratum, so the next wave may draw it as any other; what is set
aside waits again once its content changes or another thumb comes in.
"""

from __future__ import annotations

from annotate.domain.complaints import Complaint, ComplaintState
from annotate.store import Store
from proxy.errors import UsageError

EVENT = "feedback aside"
NO_NAME = "give your name first: it is kept with what you set aside"
NO_REASON = "the reason is empty: say in a few words why nothing is to be done"
CHANGED = "this has changed since you looked (another thumb, a draw or a label): look at it again"


def set_aside(store: Store, seen: Complaint, why: str, *, who: str, now: str) -> bool:
    """Note that `who` has looked at this complaint as it was on screen; False where it is set aside already.

    UsageError without a name or a reason, and where it is not as it was seen.
    """
    with store.atomic(durable=True):
        _check(who, why)
        complaint = store.traffic.complaints.of(seen.item_id)
        if complaint is None or (complaint.item, complaint.thumbs) != (seen.item, seen.thumbs):
            raise UsageError(CHANGED)
        if complaint.state is ComplaintState.SEEN:
            return False
        if complaint.state not in {ComplaintState.WAITING, ComplaintState.UNKNOWN}:
            raise UsageError(CHANGED)
        store.traffic.complaints.set_aside(complaint, why.strip(), who=who.strip(), now=now)
        store.audit.events.append(EVENT, {"item_id": complaint.item_id, "aside": True}, who=who.strip(), now=now)
    return True


def take_back(store: Store, item_id: str, *, who: str, now: str) -> bool:
    """Let it wait again; False where it is not set aside. UsageError without a name."""
    with store.atomic(durable=True):
        if not who.strip():
            raise UsageError(NO_NAME)
        complaint = store.traffic.complaints.of(item_id)
        if complaint is None or complaint.state is not ComplaintState.SEEN:
            return False
        store.traffic.complaints.take_back(item_id)
        store.audit.events.append(EVENT, {"item_id": item_id, "aside": False}, who=who.strip(), now=now)
    return True


def _check(who: str, why: str) -> None:
    """Raise UsageError without a name or a reason."""
    if not who.strip():
        raise UsageError(NO_NAME)
    if not why.strip():
        raise UsageError(NO_REASON)
