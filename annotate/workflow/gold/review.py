"""Record what a person decides about gold entries, for command and app alike; a decision and its event are one transaction.

Transactions are durable. Nobody acts without a name, and nothing is reported that was not kept.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from annotate.domain.gold import GoldSource, GoldStatus, is_own
from annotate.domain.gold.withholding import Questions, withheld
from annotate.store import Store
from annotate.store.audit.policies import Policy
from proxy.errors import UsageError
from proxy.records import Item, Judgement

BATCH = 200


class Actor(NamedTuple):
    """The person who decides, and the time."""

    who: str
    now: str

    def checked(self) -> Actor:
        """Return the same; UsageError without a name."""
        if not self.who.strip():
            raise UsageError("give your name first: it is kept in the history")
        return self


class AcceptedAll(NamedTuple):
    """The result of accepting all: entries accepted, and those left for a look of their own.

    `withheld` are those that must not be accepted unseen, by gold id, with the reason.
    """

    changed: int
    corrections: int
    own: int
    withheld: Mapping[str, str]


def set_status(
    store: Store,
    seen: Mapping[str, int | None],
    status: GoldStatus,
    actor: Actor,
    *,
    why: str | None = None,
    takes_refusals: bool = False,
) -> int:
    """Accept or retire entries, by gold id with the revision that was seen, if known; how many changed.

    A reference that refuses to answer is accepted only where `takes_refusals` says so, or none is the right answer.
    """
    actor.checked()
    with store.atomic(durable=True):
        return _set_status(store, seen, status, actor, why, takes_refusals=takes_refusals)


def _set_status(
    store: Store,
    seen: Mapping[str, int | None],
    status: GoldStatus,
    actor: Actor,
    why: str | None,
    *,
    takes_refusals: bool = False,
) -> int:
    expected = {name: revision for name, revision in seen.items() if revision is not None}
    changed = store.gold.set_status(
        list(seen),
        status,
        who=actor.who,
        why=why,
        now=actor.now,
        expected=expected,
        takes_refusals=takes_refusals,
    )
    if changed:
        store.audit.events.append(f"gold {status}", {"gold_ids": list(seen)}, who=actor.who, now=actor.now)
    return changed


def accept_all(store: Store, actor: Actor) -> AcceptedAll:
    """Accept every candidate that may be accepted unseen.

    Left are end users' corrections, one's own where the team asks for a second person, refusals, and what contradicts another
    reference or a label.
    """
    actor.checked()
    with store.atomic(durable=True):
        candidates = store.gold.entries(GoldStatus.CANDIDATE)
        chosen = [entry for entry in candidates if entry.source is not GoldSource.CORRECTION]
        needs_other = store.audit.policies.is_on(Policy.SECOND_PERSON)
        own = {entry.gold_id for entry in chosen if needs_other and is_own(entry, actor.who)}
        doubtful = withheld(
            chosen,
            store.gold.entries(GoldStatus.ACCEPTED),
            Questions(store.gold.questions(), store.gold.conversations()),
            _called_wrong(store),
            store.gold.statistics.kept_pairs(),
        )
        left_out = {*own, *doubtful}
        revisions: dict[str, int | None] = {
            entry.gold_id: entry.revision for entry in chosen if entry.gold_id not in left_out
        }
        changed = _set_status(store, revisions, GoldStatus.ACCEPTED, actor, None)
    return AcceptedAll(changed, len(candidates) - len(chosen), len(own), doubtful)


def retire_all(store: Store, actor: Actor, *, why: str | None = None) -> int:
    """Retire every candidate; return how many there were."""
    actor.checked()
    with store.atomic(durable=True):
        candidates = [entry.gold_id for entry in store.gold.entries(GoldStatus.CANDIDATE)]
        return _set_status(store, dict.fromkeys(candidates), GoldStatus.RETIRED, actor, why)


def _called_wrong(store: Store) -> Iterator[Item]:
    """Yield the answers that people call wrong."""
    rows = [row for row, label in store.labels.that_count().items() if label.judgement is Judgement.WRONG]
    for start in range(0, len(rows), BATCH):
        yield from store.traffic.items.read(rows[start : start + BATCH]).values()


def edit(
    store: Store,
    gold_id: str,
    reference: str,
    source: GoldSource,
    actor: Actor,
    *,
    why: str | None = None,
    expected: int | None = None,
) -> bool:
    """Replace the reference of an entry; whether that changed anything."""
    actor.checked()
    with store.atomic(durable=True):
        changed = store.gold.edit(gold_id, reference, source, who=actor.who, why=why, now=actor.now, expected=expected)
        if changed:
            store.audit.events.append("gold edit", {"gold_id": gold_id}, who=actor.who, now=actor.now)
    return changed


def keep(store: Store, gold_id: str, actor: Actor, *, why: str | None = None, expected: int | None = None) -> bool:
    """Take the flag off an entry that stays as it is; whether it had one."""
    actor.checked()
    with store.atomic(durable=True):
        changed = store.gold.keep(gold_id, who=actor.who, why=why, now=actor.now, expected=expected)
        if changed:
            store.audit.events.append("gold keep", {"gold_id": gold_id}, who=actor.who, now=actor.now)
    return changed


def mark(store: Store, gold_ids: Sequence[str], lacks_knowledge: bool, actor: Actor) -> int:
    """Mark entries as what the knowledge base lacks, or take the mark off; how many changed."""
    actor.checked()
    with store.atomic(durable=True):
        changed = sum(
            store.gold.mark(gold_id, lacks_knowledge, who=actor.who, now=actor.now)
            for gold_id in dict.fromkeys(gold_ids)
        )
        if changed:
            detail = {"gold_ids": list(gold_ids), "lacks_knowledge": lacks_knowledge}
            store.audit.events.append("gold mark", detail, who=actor.who, now=actor.now)
    return changed


def write(
    store: Store,
    item: int,
    item_id: str,
    reference: str,
    source: GoldSource,
    actor: Actor,
    *,
    lacks_knowledge: bool | None = None,
    why: str | None = None,
) -> str:
    """Write the reference of an item; it becomes a candidate. The same again changes nothing; the gold id.

    `why` is a note on where it comes from, kept in the history of the entry.
    """
    actor.checked()
    with store.atomic(durable=True):
        before = store.gold.stamp()
        gold_id = store.gold.write_reference(
            item, reference, source, who=actor.who, now=actor.now, lacks_knowledge=lacks_knowledge, why=why
        )
        if store.gold.stamp() != before:
            store.audit.events.append(
                "gold add", {"gold_id": gold_id, "item_id": item_id}, who=actor.who, now=actor.now
            )
    return gold_id


def set_policy(store: Store, policy: Policy, is_on: bool, actor: Actor) -> bool:
    """Switch what the team asks for; whether it was otherwise before."""
    actor.checked()
    with store.atomic(durable=True):
        changed = store.audit.policies.set(policy, is_on)
        if changed:
            store.audit.events.append("policy", {"policy": policy.value, "is_on": is_on}, who=actor.who, now=actor.now)
        if policy is Policy.TRAFFIC_REFERENCES and is_on:
            store.gold.sweep(now=actor.now)
    return changed
