"""A release made from the gold set as it stands: rechecked, in doubt left out, roles settled, hashed.

The rule: everything happens in the one transaction of the release, so that what is released is what was checked.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from annotate.gold import GoldEntry, GoldRole, GoldStatus
from annotate.gold_conflicts import differ
from annotate.gold_export import released_row
from annotate.gold_release import Release, Released, checked_name, content_hash
from annotate.gold_roles import Member, Settled, Shares, settle
from annotate.gold_similarity import classes, pairs_of
from annotate.store import Store
from annotate.store.releases import settled


@dataclass(frozen=True, kw_only=True, slots=True)
class Made:
    """A release and what was left out of it; `roles` counts its entries by role."""

    release: Release
    roles: dict[str, int]
    flagged: int
    conflicting: int


def release(store: Store, name: str, shares: Shares, *, with_doubts: bool, who: str, now: str) -> Made:
    """Release the accepted entries; those that are flagged or in conflict only with `with_doubts`."""
    with store.atomic(durable=True):
        plain = checked_name(name)
        store.gold.recheck(now=now)
        every, questions = store.gold.entries(), store.gold.questions()
        relevant = [one for one in every if one.status is GoldStatus.ACCEPTED or one.role is not None]
        found = classes([questions[one.gold_id] for one in relevant])
        conflicting = set()
        for pair in pairs_of(found):
            one, other = relevant[pair.one], relevant[pair.other]
            if both_accepted(one, other) and differ(one.reference, other.reference):
                conflicting |= {one.gold_id, other.gold_id}
        accepted = [one for one in relevant if one.status is GoldStatus.ACCEPTED and one.reference.strip()]
        doubtful = {one.gold_id for one in accepted if one.flag} | conflicting
        chosen = [one for one in accepted if with_doubts or one.gold_id not in doubtful]
        ids, groups = {one.gold_id for one in chosen}, store.releases.groups()
        members = [
            Member(gold_id=one.gold_id, question=number, group=groups.get(one.gold_id), settled=settled(one))
            for one, number in zip(relevant, found.of, strict=True)
            if one.gold_id in ids or one.role is not None
        ]
        roles = settle(members, found.near, shares)
        entries = _entries(store, chosen, roles)
        made = store.releases.make(plain, entries, who=store.events.person(who), now=now)
        store.releases.settle(roles)
        counts = {
            role: sum(one.role is not None and one.role.value == role for one in entries)
            for role in sorted({one.role.value for one in entries if one.role})
        }
        left = doubtful if not with_doubts else set[str]()
        flagged = sum(one.gold_id in left and one.flag is not None for one in accepted)
        result = Made(release=made, roles=counts, flagged=flagged, conflicting=len(left) - flagged)
        detail = {"name": plain, "hash": made.hash, "entries": made.entries, "left_out": len(left), "roles": counts}
        store.events.append("gold release", detail, who=who, now=now)
    return result


def both_accepted(one: GoldEntry, other: GoldEntry) -> bool:
    """Whether a conflict of these two concerns a release."""
    return one.status is GoldStatus.ACCEPTED and other.status is GoldStatus.ACCEPTED


def _entries(store: Store, chosen: list[GoldEntry], roles: dict[str, Settled]) -> list[Released]:
    found = []
    for start in range(0, len(chosen), 500):
        batch = chosen[start : start + 500]
        items = store.gold.items(batch)
        for one in batch:
            item = items[one.gold_id]
            role = roles[one.gold_id].role if one.gold_id in roles else one.role
            content = content_hash(item.question, one.reference, [context.text for context in item.contexts])
            found.append(
                Released(
                    gold_id=one.gold_id,
                    revision=one.revision,
                    content_hash=content,
                    role=role,
                    lacks_knowledge=one.lacks_knowledge,
                )
            )
    return found


def rows(store: Store, name: str, role: GoldRole | None) -> Iterator[Mapping[str, object]]:
    """The entries of a release as rows of a file, all or of one role."""
    made = store.releases.get(name)
    entries = {one.gold_id: one for one in store.gold.entries()}
    labels = store.labels.by_item()
    for each in store.releases.texts(name, role):
        entry = entries[each.entry.gold_id]
        item = store.gold.items([entry])[entry.gold_id]
        label = labels.get(entry.item) if entry.item is not None else None
        yield released_row(entry, item, label, made, each)
