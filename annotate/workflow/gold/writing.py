"""Write the reference of a question, once: it becomes a candidate, and corrects the wrong answers that its writer named.

The rule: a question gets a second reference only from a writer who has seen the first. The same text again is the same
reference, which then corrects these answers too.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace

from annotate.domain.gold import Candidate, GoldEntry, GoldSource, Overtaken, stands
from annotate.domain.gold.answers import UncorrectedAnswer
from annotate.domain.gold.drafts import TakenProposal
from annotate.store import Store
from annotate.workflow.gold.review import HAS, LACKS, Actor, check_kept, checked
from proxy.errors import UsageError
from proxy.records import Judgement


def write(
    store: Store,
    corrected: Sequence[int],
    reference: str,
    source: GoldSource,
    actor: Actor,
    *,
    left_out: Sequence[UncorrectedAnswer] = (),
    known: Collection[str] = (),
    lacks_knowledge: bool | None = None,
    why: str | None = None,
    proposal: TakenProposal | None = None,
) -> str:
    """Write the reference of a question, in one durable transaction.

    Parameters
    ----------
    store : Store
        Where it is kept.
    corrected : sequence of int
        Rows of the answers that it corrects, all to one question; the entry is made for the first that has none.
    reference : str
        What the system should have said.
    source : GoldSource
        Where it was written.
    actor : Actor
        Who writes it, and when.
    left_out : sequence of UncorrectedAnswer
        Answers that it does not correct, each with the reason; they keep needing a reference.
    known : collection of str
        Gold ids of the references of this question that the writer has seen, beside which a second one may be written.
    lacks_knowledge : bool, optional
        Whether the knowledge base lacks what the question asks for; None leaves a mark as it is.
    why : str, optional
        A note on where the text comes from, kept in the history of the entry.
    proposal : TakenProposal, optional
        What the text began as, kept in the history of the entry.

    Returns
    -------
    str
        The gold id of the entry; where it held this text before, nothing is written twice.

    Raises
    ------
    Overtaken
        Where the question has a reference that the writer has not seen.
    UsageError
        Where the text or a reason is blank, an answer was forgotten or is of another question, or a label is unsure.
    """
    actor.checked()
    text = checked(reference)
    with store.atomic(durable=True):
        _check_answers(store, corrected, left_out)
        references = store.gold.answers.references(corrected[0])
        existing = next((entry for entry in references if entry.reference == text), None)
        if existing is None:
            _check_seen(references, known)
            entry, is_new = _new_entry(store, corrected, Candidate(text, source, actor.who), actor.now), True
            marked = replace(entry, lacks_knowledge=_marked(store, entry, lacks_knowledge))
            store.gold.write(marked, who=actor.who, why=why, now=actor.now, proposal=proposal)
        else:
            entry, is_new = existing, _mark(store, existing, lacks_knowledge, actor)
        others = [item for item in corrected if item != entry.item]
        is_compared = store.gold.answers.note(
            entry.gold_id, others, left_out, note=None if existing is None else why, who=actor.who, now=actor.now
        )
        if is_new or is_compared:
            detail = {
                "gold_id": entry.gold_id,
                "item_id": store.traffic.items.ids(corrected[:1])[0],
                "corrected": store.traffic.items.ids(corrected),
                "left_out": store.traffic.items.ids([answer.item for answer in left_out]),
                "is_new": existing is None,
            }
            store.audit.events.append("gold add", detail, who=actor.who, now=actor.now)
    return entry.gold_id


def _check_answers(store: Store, corrected: Sequence[int], left_out: Sequence[UncorrectedAnswer]) -> None:
    """Refuse what cannot be corrected by one reference."""
    if not corrected:
        raise UsageError("name at least one answer that the reference corrects")
    if any(not answer.why.strip() for answer in left_out):
        raise UsageError("say why the reference does not correct an answer that you leave out")
    items = [*corrected, *(answer.item for answer in left_out)]
    if len(set(items)) < len(items):
        raise UsageError("name each answer once")
    if not store.gold.answers.same_question(items):
        raise UsageError("these answers are to different questions: write a reference for each question")
    for item in corrected:
        check_kept(store, item)
        label = store.labels.of_item(item)
        if label is not None and label.judgement is Judgement.UNSURE:
            raise UsageError("the item's label is unsure: adjudicate it before writing a reference")


def _check_seen(references: Sequence[GoldEntry], known: Collection[str]) -> None:
    """Refuse a second reference of somebody who has not seen the first."""
    if unseen := [entry.gold_id for entry in references if stands(entry) and entry.gold_id not in known]:
        raise Overtaken(
            f"the question has a reference already: see `assay gold list`, and change it with `assay gold edit {unseen[0]}`; "
            "its own text, added again, corrects this answer too, and `--second` adds another reference beside it"
        )


def _new_entry(store: Store, corrected: Sequence[int], written: Candidate, now: str) -> GoldEntry:
    """Return the entry for the first answer that has none of a person."""
    for item in corrected:
        before = store.gold.of_item(item)
        if before is None or not stands(before):
            return store.gold.identity(item).entry(written, now)
    raise UsageError(
        "each of these answers has a reference of its own already: see `assay gold list`, and change it with `assay gold edit`"
    )


def _marked(store: Store, entry: GoldEntry, lacks_knowledge: bool | None) -> bool:
    """Return the mark of an entry that takes the place of a candidate."""
    before = store.gold.get(entry.gold_id)
    return bool(before and before.lacks_knowledge) if lacks_knowledge is None else lacks_knowledge


def _mark(store: Store, entry: GoldEntry, lacks_knowledge: bool | None, actor: Actor) -> bool:
    """Set the mark of an entry that stays as it is otherwise; whether that changed it."""
    if lacks_knowledge is None or lacks_knowledge == entry.lacks_knowledge:
        return False
    why = LACKS if lacks_knowledge else HAS
    store.gold.write(replace(entry, lacks_knowledge=lacks_knowledge), who=actor.who, why=why, now=actor.now)
    return True
