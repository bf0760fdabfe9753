"""Keep drafts of references, and save one as a candidate. A draft decides nothing, so it leaves no event."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

from annotate.analysis.gold import model_draft
from annotate.analysis.gold.proposals import proposals
from annotate.domain.gold import GoldSource
from annotate.domain.gold.drafts import DraftVersion, ReferenceDraft, TakenProposal, edit_distance
from annotate.store import Store
from annotate.workflow.gold import writing
from annotate.workflow.gold.review import Actor
from proxy.errors import UsageError


def keep(
    store: Store, item: int, draft: ReferenceDraft, actor: Actor, seen: DraftVersion | None
) -> DraftVersion | None:
    """Keep what somebody has typed in the place of the draft that they saw; None where nothing is kept.

    Nothing is kept of an item that was forgotten.
    """
    actor.checked()
    with store.atomic():
        if store.traffic.items.is_forgotten(item):
            return None
        return store.gold.drafts.keep(item, actor.who, draft, seen, now=actor.now)


def drop(store: Store, item: int, actor: Actor) -> None:
    """Delete every draft of this person for the question of an item."""
    with store.atomic():
        kept = store.gold.drafts.of_question(item)
        store.gold.drafts.drop(draft.version for draft in kept if draft.annotator == actor.who)


def save(
    store: Store,
    answers: Sequence[int],
    draft: ReferenceDraft,
    actor: Actor,
    seen: Iterable[DraftVersion],
    *,
    known: Collection[str] = (),
    is_read: bool = False,
) -> str:
    """Write the reference of a question and delete the drafts that its writer saw; the gold id.

    It corrects these answers, as far as the draft leaves none of them out; `known` are the references of the question that
    the writer saw beside it. Which proposal the text began as, and how far it is from it, is kept with the candidate. A model's
    draft is not accepted unread: its text is refused as it is unless its writer says with `is_read` that they compared it with
    the passages.
    """
    with store.atomic(durable=True):
        taken = _taken(store, answers, draft)
        is_model = taken is not None and taken.origin.source is GoldSource.MODEL
        if is_model and not (is_read or (taken and taken.edit_distance)):
            raise UsageError(
                "this is a model's draft as it came: compare it with the passages and say so, or change it"
            )
        left_out = [answer for answer in draft.left_out if answer.item in answers]
        gold_id = writing.write(
            store,
            [item for item in answers if item not in {answer.item for answer in left_out}],
            draft.text,
            GoldSource.APP,
            actor,
            left_out=left_out,
            known=known,
            lacks_knowledge=draft.lacks_knowledge or None,
            why=draft.note.strip() or None,
            proposal=taken,
        )
        store.gold.drafts.drop(seen)
    return gold_id


def _taken(store: Store, answers: Sequence[int], draft: ReferenceDraft) -> TakenProposal | None:
    if draft.origin is None:
        return None
    if draft.origin.source is GoldSource.MODEL:
        made = model_draft.kept(store, draft.origin.item)
        texts = [made.text] if made else []
    else:
        texts = [proposal.text for proposal in proposals(store, answers) if proposal.origin == draft.origin]
    distance = edit_distance(texts[0], draft.text.strip()) if texts else None
    return TakenProposal(draft.origin, distance)
