"""Record people's decisions on the gold set: write, accept, edit, keep, retire and mark, each a revision with who and why.

Who acts may name the revision that they saw: if someone has changed the entry since, nothing is written. The same step
again changes nothing. Where the team asks for a second person, nobody accepts a reference of their own.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from annotate.domain.gold import GoldEntry, GoldSource, GoldStatus, Overtaken, gold_id, has_reference, is_own
from annotate.domain.gold.flags import Standing, standing
from annotate.domain.gold.withholding import refuses
from annotate.store.audit.policies import Policies, Policy
from annotate.store.audit.tombstones import FORGOTTEN
from annotate.store.engine.sqlite import Database
from annotate.store.gold.entries import GoldRows
from proxy.errors import UsageError
from proxy.records import Judgement

LACKS, HAS = "marked: the knowledge base lacks this", "no longer marked: the knowledge base has this"
KEPT = "kept"
REFUSES = (
    "{gold_id}: the reference refuses to answer (“{phrase}”), and a refusal is no reference: write one with `assay gold edit "
    "{gold_id}`, or, where no answer is right, `assay gold mark {gold_id} --knowledge-base-lacks`; `assay gold accept {gold_id} "
    "--refusal` takes it as it is"
)


class GoldReview(GoldRows):
    """The decisions of people. Call each inside one durable transaction."""

    def __init__(self, db: Database) -> None:
        super().__init__(db)
        self._policies = Policies(db)

    def write_reference(
        self,
        item: int,
        reference: str,
        source: GoldSource,
        *,
        who: str,
        now: str,
        lacks_knowledge: bool | None = None,
        why: str | None = None,
    ) -> str:
        """Put a reference that a person wrote into the gold set as a candidate; return its gold id.

        Refused where a person has written or accepted one before: that is changed by `edit`, which names what it saw.
        """
        text = _checked(reference)
        self._check_kept(item)
        label = self._labels.of_item(item)
        if label is not None and label.judgement is Judgement.UNSURE:
            raise UsageError("the item's label is unsure: settle it before writing a reference")
        before = self.of_item(item)
        if before and (before.reference, before.source, before.annotator) == (text, source, who):
            if lacks_knowledge is not None:
                self.mark(before.gold_id, lacks_knowledge, who=who, now=now)
            return before.gold_id
        if before and (has_reference(before) or (before.status is GoldStatus.ACCEPTED and not before.flag)):
            raise UsageError(
                f"the item has a reference already: see `assay gold list`, and change it with `assay gold edit {before.gold_id}`"
            )
        identity, item_id = self._identity(item)
        blank = GoldEntry(
            gold_id=identity,
            item=item,
            item_id=item_id,
            reference=text,
            status=GoldStatus.CANDIDATE,
            source=source,
            annotator=who,
            updated_at=now,
        )
        keeps = before.lacks_knowledge if before else False
        self.write(
            replace(blank, lacks_knowledge=keeps if lacks_knowledge is None else lacks_knowledge),
            who=who,
            why=why,
            now=now,
        )
        return identity

    def set_status(
        self,
        gold_ids: Sequence[str],
        status: GoldStatus,
        *,
        who: str,
        why: str | None,
        now: str,
        expected: Mapping[str, int] | None = None,
        takes_refusals: bool = False,
    ) -> int:
        """Accept or retire entries; return how many changed. An id that is unknown or refused changes nothing at all.

        `expected` holds the revision that was seen, by gold id; `takes_refusals` accepts a reference that refuses to answer.
        """
        entries = self._known(gold_ids)
        changed = [entry for entry in entries if entry.status is not status]
        for entry in changed:
            _check_seen(entry, (expected or {}).get(entry.gold_id))
            if status is GoldStatus.ACCEPTED:
                self._check_acceptance(entry, who)
                if not takes_refusals and (phrase := refuses(entry)):
                    raise UsageError(REFUSES.format(gold_id=entry.gold_id, phrase=phrase))
        for entry in changed:
            basis = self._standing(entry).kept() if status is GoldStatus.ACCEPTED else None
            self.write(replace(entry, status=status, flag=None, basis=basis), who=who, why=why, now=now)
        return len(changed)

    def edit(
        self,
        gold_id: str,
        reference: str,
        source: GoldSource,
        *,
        who: str,
        why: str | None,
        now: str,
        expected: int | None = None,
    ) -> bool:
        """Replace a reference; return whether that changed anything.

        An accepted entry stays accepted, unless the new reference refuses to answer or the team asks for a second person; a
        retired one is a candidate again.
        """
        text = _checked(reference)
        (entry,) = self._known([gold_id])
        if entry.reference == text and (entry.flag is None or entry.status is not GoldStatus.ACCEPTED):
            return False
        _check_seen(entry, expected)
        self._check_kept(entry.item, entry.question)
        is_answer = not refuses(replace(entry, reference=text))
        stays = entry.status is GoldStatus.ACCEPTED and is_answer and not self._policies.is_on(Policy.SECOND_PERSON)
        status = GoldStatus.ACCEPTED if stays else GoldStatus.CANDIDATE
        basis = self._standing(entry).kept() if stays else None
        changed = replace(
            entry, reference=text, source=source, annotator=who, status=status, flag=None, basis=basis, updated_at=now
        )
        self.write(changed, who=who, why=why or "edited", now=now)
        return True

    def keep(self, gold_id: str, *, who: str, why: str | None, now: str, expected: int | None = None) -> bool:
        """Take the flag off an entry that stays as it is; return whether it had one. It counts as accepting it anew."""
        (entry,) = self._known([gold_id])
        if entry.flag is None:
            return False
        _check_seen(entry, expected)
        self._check_acceptance(entry, who)
        basis = self._standing(entry).kept()
        words = f"{KEPT}: {why}" if why else KEPT
        self.write(replace(entry, flag=None, basis=basis), who=who, why=words, now=now)
        return True

    def mark(self, gold_id: str, lacks_knowledge: bool, *, who: str, now: str) -> bool:
        """Mark that the knowledge base lacks what the question asks for, or take the mark off; return whether it changed."""
        (entry,) = self._known([gold_id])
        if entry.lacks_knowledge == lacks_knowledge:
            return False
        marked = replace(entry, lacks_knowledge=lacks_knowledge)
        self.write(marked, who=who, why=LACKS if lacks_knowledge else HAS, now=now)
        return True

    def _known(self, gold_ids: Sequence[str]) -> list[GoldEntry]:
        """Return the entries with these ids, each once."""
        entries = {identity: self.get(identity) for identity in gold_ids}
        unknown = [identity for identity, entry in entries.items() if entry is None]
        if unknown:
            raise UsageError(f"there is no gold entry {', '.join(unknown)}: see `assay gold list`")
        return [entry for entry in entries.values() if entry is not None]

    def _check_acceptance(self, entry: GoldEntry, who: str) -> None:
        """Refuse to accept nothing, and one's own where the team asks for a second person."""
        if entry.reference.strip() in ("", FORGOTTEN):
            raise UsageError(f"{entry.gold_id} has no reference: write one with `assay gold edit {entry.gold_id}`")
        if self._policies.is_on(Policy.SECOND_PERSON) and is_own(entry, who):
            raise UsageError(
                f"{entry.gold_id}: you stand behind this reference yourself, and the team asks for a second person: "
                "let someone else accept it"
            )

    def _check_kept(self, item: int | None, question: str | None = None) -> None:
        """Refuse to write where the question was forgotten: nobody can tell any more what a reference would be of."""
        if question == FORGOTTEN or (item is not None and self._is_forgotten(item)):
            raise UsageError("the texts of this item were forgotten: no reference can be written for it any more")

    def _is_forgotten(self, item: int) -> bool:
        row = self._db.conn.execute("SELECT forgotten_at FROM items WHERE key = ?", (item,)).fetchone()
        return row[0] is not None

    def _standing(self, entry: GoldEntry) -> Standing:
        """Return what stands behind an entry now."""
        if entry.item is None:
            return Standing()
        row = self._db.conn.execute("SELECT is_current FROM items WHERE key = ?", (entry.item,)).fetchone()
        return standing(self._labels.of_item(entry.item), is_current=bool(row[0]))

    def _identity(self, item: int) -> tuple[str, str]:
        """Return the gold id of an item's entry, and the item's own id."""
        item_id, revision = self._db.conn.execute("SELECT id, revision FROM items WHERE key = ?", (item,)).fetchone()
        return gold_id(item_id, revision), item_id


def _checked(reference: str) -> str:
    """Return the reference without the space around it."""
    if not reference.strip():
        raise UsageError("the reference is empty: write what the system should have said")
    return reference.strip()


def _check_seen(entry: GoldEntry, expected: int | None) -> None:
    """Refuse a change of what nobody has seen."""
    if expected is not None and expected != entry.revision:
        raise Overtaken(f"{entry.gold_id}: someone else has changed this one: reload, and look at it again")
