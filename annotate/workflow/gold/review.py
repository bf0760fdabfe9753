"""Record what a person decides about gold entries, for command and app alike; a decision and its event are one transaction.

Transactions are durable. Nobody acts without a name, and nothing is reported that was not kept.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from annotate.domain.gold import GoldEntry, GoldSource, GoldStatus, Overtaken, is_own
from annotate.domain.gold.outcomes import Accepted
from annotate.domain.gold.withholding import Questions, refuses, withheld
from annotate.domain.questions import as_corrected
from annotate.store import Store
from annotate.store.audit.policies import Policy
from annotate.store.audit.tombstones import FORGOTTEN
from proxy.errors import UsageError
from proxy.records import Item, Judgement

BATCH = 200
LACKS, HAS = "marked: the knowledge base lacks this", "no longer marked: the knowledge base has this"
KEPT = "kept"
REFUSES = (
    "{gold_id}: the reference refuses to answer (“{phrase}”), and a refusal is no reference: write one with `assay gold edit "
    "{gold_id}`, or, where no answer is right, `assay gold mark {gold_id} --knowledge-base-lacks`; `assay gold accept {gold_id} "
    "--refusal` takes it as it is"
)


class Actor(NamedTuple):
    """The person who decides, and the time."""

    who: str
    now: str

    def checked(self) -> Actor:
        """Return the same; UsageError without a name."""
        if not self.who.strip():
            raise UsageError("give your name first: it is kept in the history")
        return self


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
    """Do it, or nothing at all where an id is unknown or refused."""
    changed = [entry for entry in known(store, seen) if entry.status is not status]
    for entry in changed:
        _check_seen(entry, seen[entry.gold_id])
        if status is GoldStatus.ACCEPTED:
            _check_acceptance(store, entry, actor.who)
            if not takes_refusals and (phrase := refuses(entry)):
                raise UsageError(REFUSES.format(gold_id=entry.gold_id, phrase=phrase))
    for entry in changed:
        basis = store.gold.standing(entry).kept() if status is GoldStatus.ACCEPTED else None
        _write(store, replace(entry, status=status, flag=None, basis=basis), actor, why)
    if changed:
        store.audit.events.append(f"gold {status}", {"gold_ids": list(seen)}, who=actor.who, now=actor.now)
    return len(changed)


def accept_all(store: Store, actor: Actor) -> Accepted:
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
        counts, questions = store.gold.counts(), store.gold.question_counts()
    return Accepted(
        changed=changed,
        counts=counts,
        test_questions=questions,
        corrections=len(candidates) - len(chosen),
        own=len(own),
        withheld=doubtful,
    )


def retire_all(store: Store, actor: Actor, *, why: str | None = None) -> int:
    """Retire every candidate; return how many there were."""
    actor.checked()
    with store.atomic(durable=True):
        candidates = [entry.gold_id for entry in store.gold.entries(GoldStatus.CANDIDATE)]
        return _set_status(store, dict.fromkeys(candidates), GoldStatus.RETIRED, actor, why)


def _called_wrong(store: Store) -> Iterator[Item]:
    """Yield the answers that annotators call wrong."""
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
    """Replace the reference of an entry; whether that changed anything.

    An accepted entry stays accepted, unless the new reference refuses to answer or the team asks for a second person; a
    retired one is a candidate again. It improves a reference that stands, which goes on correcting the answers that were compared
    with it; what takes the place of a retired or flagged one has been compared with none.
    """
    actor.checked()
    text = checked(reference)
    with store.atomic(durable=True):
        (entry,) = known(store, [gold_id])
        if entry.reference == text and (entry.flag is None or entry.status is not GoldStatus.ACCEPTED):
            return False
        _check_seen(entry, expected)
        check_kept(store, entry.item, entry.question)
        _check_parts(store, entry, text)
        is_answer = not refuses(replace(entry, reference=text))
        needs_other = store.audit.policies.is_on(Policy.SECOND_PERSON)
        stays = entry.status is GoldStatus.ACCEPTED and is_answer and not needs_other
        is_improved = entry.status is not GoldStatus.RETIRED and entry.flag is None
        changed = replace(
            entry,
            reference=text,
            source=source,
            annotator=actor.who,
            status=GoldStatus.ACCEPTED if stays else GoldStatus.CANDIDATE,
            flag=None,
            basis=store.gold.standing(entry).kept() if stays else None,
        )
        store.gold.write(changed, who=actor.who, why=why or "edited", now=actor.now, keeps_compared=is_improved)
        store.audit.events.append("gold edit", {"gold_id": gold_id}, who=actor.who, now=actor.now)
    return True


def keep(store: Store, gold_id: str, actor: Actor, *, why: str | None = None, expected: int | None = None) -> bool:
    """Take the flag off an entry that stays as it is; whether it had one. It counts as accepting it anew."""
    actor.checked()
    with store.atomic(durable=True):
        (entry,) = known(store, [gold_id])
        if entry.flag is None:
            return False
        _check_seen(entry, expected)
        _check_acceptance(store, entry, actor.who)
        kept = replace(entry, flag=None, basis=store.gold.standing(entry).kept())
        _write(store, kept, actor, f"{KEPT}: {why}" if why else KEPT)
        store.audit.events.append("gold keep", {"gold_id": gold_id}, who=actor.who, now=actor.now)
    return True


def mark(store: Store, gold_ids: Sequence[str], lacks_knowledge: bool, actor: Actor) -> int:
    """Mark entries as what the knowledge base lacks, or take the mark off; how many changed."""
    actor.checked()
    with store.atomic(durable=True):
        changed = [entry for entry in known(store, gold_ids) if entry.lacks_knowledge != lacks_knowledge]
        for entry in changed:
            _write(store, replace(entry, lacks_knowledge=lacks_knowledge), actor, LACKS if lacks_knowledge else HAS)
        if changed:
            detail = {"gold_ids": list(gold_ids), "lacks_knowledge": lacks_knowledge}
            store.audit.events.append("gold mark", detail, who=actor.who, now=actor.now)
    return len(changed)


def _write(store: Store, entry: GoldEntry, actor: Actor, why: str | None) -> None:
    store.gold.write(entry, who=actor.who, why=why, now=actor.now)


def known(store: Store, gold_ids: Iterable[str]) -> list[GoldEntry]:
    """Return the entries with these ids, each once."""
    entries = {identity: store.gold.get(identity) for identity in gold_ids}
    unknown = [identity for identity, entry in entries.items() if entry is None]
    if unknown:
        raise UsageError(f"there is no gold entry {', '.join(unknown)}: see `assay gold list`")
    return [entry for entry in entries.values() if entry is not None]


def checked(reference: str) -> str:
    """Return the reference without the space around it."""
    if not reference.strip():
        raise UsageError("the reference is empty: write what the system should have said")
    return reference.strip()


def _check_seen(entry: GoldEntry, expected: int | None) -> None:
    """Refuse a change of what nobody has seen."""
    if expected is not None and expected != entry.revision:
        raise Overtaken(f"{entry.gold_id}: someone else has changed this one: reload, and look at it again")


def _check_acceptance(store: Store, entry: GoldEntry, who: str) -> None:
    """Refuse to accept nothing, and one's own where the team asks for a second person."""
    if entry.reference.strip() in ("", FORGOTTEN):
        raise UsageError(f"{entry.gold_id} has no reference: write one with `assay gold edit {entry.gold_id}`")
    if store.audit.policies.is_on(Policy.SECOND_PERSON) and is_own(entry, who):
        raise UsageError(
            f"{entry.gold_id}: you stand behind this reference yourself, and the team asks for a second person: "
            "let someone else accept it"
        )


def check_kept(store: Store, item: int | None, question: str | None = None) -> None:
    """Refuse to write where the question was forgotten: nobody can tell any more what a reference would be of."""
    if question == FORGOTTEN or (item is not None and store.traffic.items.is_forgotten(item)):
        raise UsageError("the texts of this item were forgotten: no reference can be written for it any more")


def _check_parts(store: Store, entry: GoldEntry, reference: str) -> None:
    """Refuse a reference of a test question that does not answer every part of it."""
    expected = store.questions.expected(entry.gold_id)
    if expected is None or as_corrected(expected, reference) is not None:
        return
    if len(expected) == 1:
        raise UsageError(f"{entry.gold_id}: the reference says nothing: write the answer")
    raise UsageError(
        f"{entry.gold_id}: the question has {len(expected)} parts: write the answer of each, in their order, with ; between "
        f"them (now: {entry.reference})"
    )


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
