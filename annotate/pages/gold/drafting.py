"""What is on screen to be written, and the draft of it.

The rule: what somebody has typed is in the store soon after it was typed, under their name, and nothing takes its place. Until
they have given a name it is kept in the session alone. Only callbacks write.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import streamlit as st

from annotate.analysis.gold.proposals import proposals
from annotate.domain.gold import GoldSource
from annotate.domain.gold.answers import UncorrectedAnswer
from annotate.domain.gold.drafts import DraftVersion, ProposalOrigin, ReferenceDraft
from annotate.domain.sign_in.roles import Act
from annotate.pages.gold import actions, shown
from annotate.pages.kit import actor as kit_actor
from annotate.pages.kit import cache, reruns, stand_ins, texts, url_state
from annotate.pages.kit.messages import say
from annotate.store import Store
from annotate.workflow.gold import drafts
from proxy.errors import AssayError

SKIPPED, SCREEN, UNSIGNED = "references-skipped", "reference-screen", "reference-unsigned"
FORM = "reference-form"
TEXT, NOTE, LACKS = "reference-text", "reference-note", "reference-lacks"
READ, CORRECTS, WHY = "reference-read", "reference-corrects", "reference-why"
ITEM = "item"
# What a proposal is a value of, where the team hides that.
FIELDS = {GoldSource.CORRECTION: ("reference", "correction"), GoldSource.TRAFFIC: ("reference",)}


class Screen(NamedTuple):
    """What is on screen: the answers to a question, for whom, the draft as this session last saw it, and what it began as."""

    answers: tuple[int, ...]
    who: str
    version: DraftVersion | None = None
    origin: ProposalOrigin | None = None

    @property
    def row(self) -> int:
        """The answer that stands for the question: the one that is shown first."""
        return self.answers[0]


def skipped() -> set[int]:
    """The answers whose questions this user has skipped."""
    rows: set[int] = st.session_state.setdefault(SKIPPED, set())
    return rows


def put_on_screen(store: Store, answers: Sequence[int]) -> None:
    """Show a question with what its user has typed for it before; nothing where it is there already.

    An answer that comes while it is there is ticked as the others are.
    """
    who, screen, row = kit_actor.name_given(), on_screen(), answers[0]
    if screen is None or (screen.row, screen.who) != (row, who) or key(TEXT) not in st.session_state:
        own = [kept for kept in store.gold.drafts.of_question(row) if kept.annotator == who and who]
        draft, version = (own[0].draft, own[0].version) if own else (unsigned().get(row, ReferenceDraft()), None)
        st.session_state[FORM] = st.session_state.get(FORM, 0) + 1
        fill(draft)
        screen = Screen(tuple(answers), who, version, draft.origin)
    st.session_state[SCREEN] = screen._replace(answers=tuple(answers))  # last: a run that is cut short here begins anew
    for answer in answers:
        st.session_state.setdefault(key(f"{CORRECTS}-{answer}"), True)


def fill(draft: ReferenceDraft) -> None:
    """Put a draft into the fields."""
    st.session_state[key(TEXT)] = texts.others(draft.text, *FIELDS[GoldSource.TRAFFIC])
    st.session_state[key(NOTE)] = texts.others(draft.note, "rationale")
    st.session_state[key(LACKS)] = draft.lacks_knowledge
    for answer in draft.left_out:
        st.session_state[key(f"{CORRECTS}-{answer.item}")] = False
        st.session_state[key(f"{WHY}-{answer.item}")] = texts.others(answer.why, "rationale")


def on_screen() -> Screen | None:
    """What is on screen; None where nothing is."""
    screen: Screen | None = st.session_state.get(SCREEN)
    return screen


def unsigned() -> dict[int, ReferenceDraft]:
    """What was typed before somebody gave a name, by item."""
    by_item: dict[int, ReferenceDraft] = st.session_state.setdefault(UNSIGNED, {})
    return by_item


def key(name: str) -> str:
    """The key of a field in the form that is on screen."""
    return f"{name}-{st.session_state.get(FORM, 0)}"


def typed_text() -> str:
    """What stands in the box."""
    return str(st.session_state.get(key(TEXT)) or "")


def typed_note() -> str:
    """What stands in the field of the note."""
    return str(st.session_state.get(key(NOTE)) or "")


def typed(store: Store, answers: Sequence[int]) -> tuple[ReferenceDraft, list[str]]:
    """What stands in the form, with what a stand-in of redaction hides put back, and the texts that it may have begun as."""
    screen = on_screen()
    of_question = store.gold.drafts.of_question(answers[0])
    kept = [draft.draft for draft in of_question if screen and draft.version.key == _key_of(screen)]
    known: list[tuple[str, tuple[str, ...]]] = [(draft.text, ("reference",)) for draft in kept]
    known += [(entry.reference, shown.fields(entry.source)) for entry in store.gold.answers.references(answers[0])]
    known += [(offer.text, FIELDS.get(offer.origin.source, ())) for offer in proposals(store, answers)]
    text, note = typed_text(), typed_note()
    reasons = [(answer.why, ("rationale",)) for draft in kept for answer in draft.left_out]
    left_out = {row: typed_reason(row) for row in answers if not is_ticked(row)}
    draft = ReferenceDraft(
        text=stand_ins.behind(text, known) or text,
        note=stand_ins.behind(note, [(draft.note, ("rationale",)) for draft in kept]) or note,
        lacks_knowledge=bool(st.session_state.get(key(LACKS))),
        left_out=tuple(UncorrectedAnswer(row, stand_ins.behind(why, reasons) or why) for row, why in left_out.items()),
        origin=screen.origin if screen and text.strip() else None,
    )
    return draft, [raw for raw, _ in known]


def typed_reason(row: int) -> str:
    """What stands in the field that says why an answer is left out."""
    return str(st.session_state.get(key(f"{WHY}-{row}")) or "")


def is_ticked(row: int) -> bool:
    """Whether the reference is to correct this answer."""
    return bool(st.session_state.get(key(f"{CORRECTS}-{row}"), True))


def is_models() -> bool:
    """Whether what stands in the box began as a model's draft."""
    screen = on_screen()
    return bool(screen and screen.origin and screen.origin.source is GoldSource.MODEL and typed_text().strip())


def _key_of(screen: Screen) -> int | None:
    return screen.version.key if screen.version else None


@kit_actor.writes(Act.WRITE)
def keep(store: Store, answers: Sequence[int]) -> None:
    """Callback of each field: keep what stands there."""
    remember(store, answers[0], typed(store, answers)[0])


def remember(store: Store, row: int, draft: ReferenceDraft) -> bool:
    """Keep a draft of the item on screen under its writer's name; in the session where there is none yet.

    False where it could not be kept, which the form says.
    """
    screen, who = on_screen(), kit_actor.who()
    if screen is None or screen.row != row:
        return True
    version = screen.version
    if not who:
        unsigned()[row] = draft
    else:
        try:
            with cache.unmoved(store):
                version = drafts.keep(store, row, draft, actions.actor(), version)
        except AssayError as error:
            reruns.tell(actions.REFUSED, str(error))
            return False
        unsigned().pop(row, None)
    st.session_state[SCREEN] = screen._replace(who=who, version=version, origin=draft.origin)
    return True


def _keep_last(store: Store) -> bool:
    """Keep what stands in the form: what was typed last may have come with the very click that leaves it."""
    screen = on_screen()
    if screen is None or key(TEXT) not in st.session_state:
        return True
    return remember(store, screen.row, typed(store, screen.answers)[0])


@kit_actor.writes(Act.WRITE)
def sign(store: Store) -> None:
    """Somebody has given their name: what they typed before becomes theirs."""
    screen = on_screen()
    if screen and screen.row not in unsigned():
        st.session_state.pop(SCREEN)  # nothing was typed: what this person was at comes first
    for row, draft in list(unsigned().items()):
        if screen and screen.row == row:
            remember(store, row, draft)
        elif not draft.is_blank:
            with cache.unmoved(store):
                drafts.keep(store, row, draft, actions.actor(), None)
        unsigned().pop(row, None)


@kit_actor.writes(Act.WRITE)
def skip(store: Store, answers: Sequence[int]) -> None:
    """Go to the next question without saving; the draft stays."""
    if not _keep_last(store):
        return
    row = answers[0]
    if row in unsigned() and not unsigned()[row].is_blank:
        reruns.tell(actions.REFUSED, say("gold_write.unsigned_skip"))
        return
    st.session_state.pop(actions.REFUSED, None)
    skipped().update(answers)
    take_off()


@kit_actor.writes(Act.WRITE)
def leave(store: Store) -> None:
    """Let the queue decide what is on screen next; the draft stays."""
    if _keep_last(store):
        take_off()


def take_off() -> None:
    """Take the item off the screen, and the form with it."""
    st.session_state.pop(SCREEN, None)
    url_state.put(ITEM, None)
