"""Make a release of the gold set as it stands: recheck it, leave out what is in doubt, assign roles and hash it.

What is released is what was compared; if the gold set has changed in between, it is compared again.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from annotate.domain.gold import GoldEntry, GoldStatus
from annotate.domain.gold.conflicts import differ
from annotate.domain.gold.release import Release, Released, checked_name, content_hash
from annotate.domain.gold.similarity import Classes, classes, pairs_of
from annotate.domain.gold.splits import AssignedRole, Member, Shares, assign_roles
from annotate.store import Store
from annotate.store.gold.releases import assigned
from proxy.errors import UsageError


@dataclass(frozen=True, kw_only=True, slots=True)
class ReleaseResult:
    """A release and what was left out of it; `roles` counts its entries by role.

    `same_as` is the newest earlier release that holds exactly the same under another name.
    """

    release: Release
    same_as: str | None
    roles: dict[str, int]
    flagged: int
    conflicting: int


def release(store: Store, name: str, shares: Shares, *, with_doubts: bool, who: str, now: str) -> ReleaseResult:
    """Release the accepted entries; those that are flagged or in conflict only with `with_doubts`."""
    valid_name = checked_name(name)
    with store.atomic(durable=True):
        store.gold.recheck(now=now)  # kept also where the release is refused
    # Slow, so done outside the transaction; redone if the stamp changed.
    stamp, compared = store.gold.stamp(), _compared(store)
    with store.atomic(durable=True):
        relevant, near_duplicate_groups = compared if store.gold.stamp() == stamp else _compared(store)
        conflicting = (
            set() if with_doubts else _conflicting(relevant, near_duplicate_groups, store.gold.statistics.kept_pairs())
        )
        accepted = [entry for entry in relevant if entry.status is GoldStatus.ACCEPTED]
        flagged = set() if with_doubts else {entry.gold_id for entry in accepted if entry.flag}
        chosen = [entry for entry in accepted if entry.gold_id not in flagged | conflicting]
        if accepted and not chosen:
            raise UsageError(
                "all that is accepted is flagged or in conflict: decide it (`assay gold review`), or give --with-doubts"
            )
        roles = _assign_roles(store, relevant, near_duplicate_groups, {entry.gold_id for entry in chosen}, shares)
        entries = _entries(store, chosen, roles)
        before = store.gold.releases.all()
        made = store.gold.releases.make(valid_name, entries, who=store.audit.events.person(who), now=now)
        store.gold.releases.assign_roles(roles)
        counts = Counter(released.role.value for released in entries if released.role)
        detail = {"name": valid_name, "hash": made.hash, "entries": made.entries, "roles": dict(counts)}
        left_out = {"flagged": len(flagged), "conflicting": len(conflicting)}
        store.audit.events.append("gold release", {**detail, **left_out}, who=who, now=now)
    same_as = next(
        (earlier.name for earlier in reversed(before) if earlier.hash == made.hash and earlier.name != made.name), None
    )
    return ReleaseResult(
        release=made,
        same_as=same_as,
        roles=dict(sorted(counts.items())),
        flagged=len(flagged),
        conflicting=len(conflicting),
    )


def _compared(store: Store) -> tuple[list[GoldEntry], Classes]:
    """Return the entries that are accepted or have a role, and which of their questions are near."""
    questions, before = store.gold.questions(), store.gold.conversations()
    relevant = [
        entry for entry in store.gold.entries() if entry.status is GoldStatus.ACCEPTED or entry.role is not None
    ]
    names = [entry.gold_id for entry in relevant]
    return relevant, classes([questions[name] for name in names], [before.get(name, ()) for name in names])


def _conflicting(
    entries: Sequence[GoldEntry], near_duplicate_groups: Classes, kept: Collection[frozenset[str]]
) -> set[str]:
    """Return the entries that would be released beside another that says something else to nearly the same question.

    `kept` are the pairs of which a person said that both stay.
    """
    conflicting = set()
    for pair in pairs_of(near_duplicate_groups):
        entry, other = entries[pair.first], entries[pair.other]
        if frozenset((entry.gold_id, other.gold_id)) in kept:
            continue
        if _is_releasable(entry) and _is_releasable(other) and differ(entry.reference, other.reference):
            conflicting |= {entry.gold_id, other.gold_id}
    return conflicting


def _assign_roles(
    store: Store, entries: Sequence[GoldEntry], near_duplicate_groups: Classes, chosen: Collection[str], shares: Shares
) -> dict[str, AssignedRole]:
    """Assign roles for those among the chosen that have none, kept apart from all that ever had one."""
    groups = store.gold.releases.groups()
    members = [
        Member(gold_id=entry.gold_id, question=number, group=groups.get(entry.gold_id), assigned=assigned(entry))
        for entry, number in zip(entries, near_duplicate_groups.of, strict=True)
        if entry.gold_id in chosen or entry.role is not None
    ]
    return assign_roles(members, near_duplicate_groups.near, shares)


def _is_releasable(entry: GoldEntry) -> bool:
    """Whether an entry would be released, conflicts aside: one that is flagged stays out and puts no other in doubt."""
    return entry.status is GoldStatus.ACCEPTED and entry.flag is None


def _entries(store: Store, chosen: list[GoldEntry], roles: dict[str, AssignedRole]) -> list[Released]:
    return [
        Released(
            gold_id=entry.gold_id,
            revision=entry.revision,
            content_hash=content_hash(
                item.question, entry.reference, [context.text for context in item.contexts], item.history
            ),
            role=roles[entry.gold_id].role if entry.gold_id in roles else entry.role,
            lacks_knowledge=entry.lacks_knowledge,
        )
        for entry, item in store.gold.with_items(chosen)
    ]
