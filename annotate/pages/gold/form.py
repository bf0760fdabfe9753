"""The form that writes a reference: the box, what it may begin as, and the draft that is kept of it.

The rule: what somebody has typed is in the store soon after it was typed, under their name, and nothing takes its place. Until
they have given a name it is kept in the session alone. Only callbacks write.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from html import escape
from typing import NamedTuple

import streamlit as st

from annotate.analysis.gold.proposals import proposals
from annotate.domain.gold import GoldSource, Overtaken
from annotate.domain.gold.drafts import DraftVersion, KeptDraft, ProposalOrigin, ReferenceDraft, ReferenceProposal
from annotate.domain.sign_in.roles import Act
from annotate.pages.gold import actions, shown
from annotate.pages.gold.actions import Conflict
from annotate.pages.kit import actor as kit_actor
from annotate.pages.kit import privacy, reruns, texts, url_state
from annotate.pages.kit.messages import say
from annotate.pages.kit.privacy import escaped
from annotate.store import Store
from annotate.workflow.gold import drafts
from annotate.workflow.gold.review import Actor
from proxy.errors import AssayError
from proxy.records import Item

SKIPPED, SCREEN, UNSIGNED = "references-skipped", "reference-screen", "reference-unsigned"
FORM, SAVED = "reference-form", "reference-saved"
TEXT, NOTE, LACKS = "reference-text", "reference-note", "reference-lacks"
ITEM = "item"
HEIGHT = 190
LAST_KEY = 9
FIELDS = {GoldSource.CORRECTION: ("reference", "correction"), GoldSource.TRAFFIC: ("reference",)}
OFFERS = {GoldSource.CORRECTION: "correction", GoldSource.TRAFFIC: "traffic"}


class Screen(NamedTuple):
    """What is on screen: the item, for whom, the draft as this session last saw it, and the proposal that it began as."""

    row: int
    who: str
    version: DraftVersion | None = None
    origin: ProposalOrigin | None = None


class Offer(NamedTuple):
    """A text that fills the box: what it is called, and what it is then; a proposal or another draft of the same person."""

    name: str
    text: str
    fields: tuple[str, ...]
    draft: ReferenceDraft
    version: DraftVersion | None


def on_screen() -> int | None:
    """The row of the item on screen."""
    screen = _screen()
    return screen.row if screen else None


def skipped() -> set[int]:
    """The items that this user has skipped."""
    rows: set[int] = st.session_state.setdefault(SKIPPED, set())
    return rows


def say_saved() -> None:
    """Say that the last reference was saved, over the page and once."""
    if news := st.session_state.pop(SAVED, None):
        st.toast(news, icon=":material/check:")


def put_on_screen(store: Store, row: int) -> None:
    """Show an item with what its user has typed for it before; nothing where it is there already."""
    who, screen = kit_actor.name_given(), _screen()
    if screen and (screen.row, screen.who) == (row, who) and _key(TEXT) in st.session_state:
        return
    own = [kept for kept in store.gold.drafts.of_item(row) if kept.annotator == who and who]
    draft, version = (own[0].draft, own[0].version) if own else (_unsigned().get(row, ReferenceDraft()), None)
    st.session_state[FORM] = st.session_state.get(FORM, 0) + 1
    _fill(draft)
    st.session_state[SCREEN] = Screen(row, who, version, draft.origin)  # last: a run that is cut short here begins anew


def _fill(draft: ReferenceDraft) -> None:
    st.session_state[_key(TEXT)] = texts.others(draft.text, *FIELDS[GoldSource.TRAFFIC])
    st.session_state[_key(NOTE)] = texts.others(draft.note, "rationale")
    st.session_state[_key(LACKS)] = draft.lacks_knowledge


def _screen() -> Screen | None:
    screen: Screen | None = st.session_state.get(SCREEN)
    return screen


def _unsigned() -> dict[int, ReferenceDraft]:
    """What was typed before somebody gave a name, by item."""
    typed: dict[int, ReferenceDraft] = st.session_state.setdefault(UNSIGNED, {})
    return typed


def _key(name: str) -> str:
    """The key of a field in the form that is on screen."""
    return f"{name}-{st.session_state.get(FORM, 0)}"


def show(store: Store, row: int, item: Item) -> None:
    """The form, and below it what the box may begin as."""
    who, kept = kit_actor.name_given(), store.gold.drafts.of_item(row)
    screen = _screen()
    others = [each for each in kept if each.annotator == who and (screen is None or each.version != screen.version)]
    if not who:
        kit_actor.when_named(partial(_sign, store))
    with st.container(key="reference-form"):
        with st.container(border=True, key="card-reference", gap="small"):
            _heading(sorted({each.annotator for each in kept} - {who}), is_signed=bool(who))
            _fields(store, row)
            _refusal()
            _buttons(store, row, item, [each.version for each in others])
        _offers(store, row, _offered(store, row, item, others))


def _heading(colleagues: Sequence[str], *, is_signed: bool) -> None:
    """What the box is for, whether it is kept, and who else is at it."""
    kept = escape(say("gold_write.kept" if is_signed else "gold_write.unsigned"))
    st.html(f"<h2 class='a-part'>{escape(say('gold_write.box'))} <small>{kept}</small></h2>")
    if colleagues:
        names = ", ".join(texts.others(name) for name in colleagues)
        st.caption(escaped(say("gold_write.colleague", names=names)))


def _fields(store: Store, row: int) -> None:
    st.text_area(
        say("gold_write.box"),
        key=_key(TEXT),
        height=HEIGHT,
        placeholder=say("gold_write.what"),
        label_visibility="collapsed",
        on_change=_keep,
        args=(store, row),
    )
    st.text_input(
        say("gold.note"),
        key=_key(NOTE),
        placeholder=say("gold.note"),
        label_visibility="collapsed",
        on_change=_keep,
        args=(store, row),
    )
    st.checkbox(say("gold.lacks"), key=_key(LACKS), on_change=_keep, args=(store, row))


def _refusal() -> None:
    """Why the last save was refused; read out when it comes."""
    if refused := reruns.told(actions.REFUSED):
        st.html(f"<p class='a-refused' role='alert'>{escape(privacy.shown(refused))}</p>")


def _buttons(store: Store, row: int, item: Item, seen: Sequence[DraftVersion]) -> None:
    # Of this form alone: a second press of a key finds no button, and nothing is saved for an item that was not read.
    with st.container(horizontal=True, gap="small", vertical_alignment="center"):
        st.button(
            say("gold_write.save"),
            type="primary",
            shortcut="Ctrl+Enter",
            key=_key("reference-save"),
            on_click=_save,
            args=(store, row, item.id, tuple(seen)),
        )
        st.button(
            say("gold_write.skip"),
            type="tertiary",
            shortcut="Alt+N",
            key=_key("reference-skip"),
            on_click=skip,
            args=(row,),
        )


def _offered(store: Store, row: int, item: Item, others: Sequence[KeptDraft]) -> list[Offer]:
    """The proposals that may be shown, then other drafts of the same person."""
    offers = list[Offer]()
    for proposal in proposals(store, row, item):
        fields = FIELDS.get(proposal.origin.source, ())
        if not any(map(privacy.hides, fields)):
            draft = ReferenceDraft(text=proposal.text, origin=proposal.origin)
            offers.append(Offer(_name(proposal), proposal.text, fields, draft, None))
    for each in others:
        name = say("gold_write.offer_draft", at=texts.moment(each.updated_at))
        offers.append(Offer(name, each.draft.text, ("reference",), each.draft, each.version))
    return offers[:LAST_KEY]


def _name(proposal: ReferenceProposal) -> str:
    source = proposal.origin.source
    if source in OFFERS:
        return say(f"gold_write.offer_{OFFERS[source]}")
    if proposal.system is None:
        return say("gold_write.offer_right_unnamed")
    return say("gold_write.offer_right", system=texts.others(proposal.system))


def _offers(store: Store, row: int, offers: Sequence[Offer]) -> None:
    """What the box may begin as, each with its key; none while the box holds a text."""
    if not offers:
        return
    is_free = not _typed_text().strip()
    how = say("gold_write.start_how" if is_free else "gold_write.start_blocked")
    with st.container(key="reference-offers", gap="small"):
        st.html(f"<h2 class='a-part'>{escape(say('gold_write.start'))} <small>{escape(how)}</small></h2>")
        for number, offer in enumerate(offers, start=1):
            with st.container(
                border=True, key=f"card-offer-{number}", horizontal=True, vertical_alignment="center", wrap=False
            ):
                text = texts.others(offer.text, *offer.fields)[: texts.SHOWN_CHARACTERS]
                st.html(
                    f"<p class='a-muted'>{escape(offer.name)}</p><p class='a-offer'>{escape(text)}</p>", width="stretch"
                )
                st.button(
                    say("gold_write.use"),
                    shortcut=f"Alt+{number}",
                    key=_key(f"reference-use-{number}"),
                    on_click=_take,
                    args=(store, row, offer),
                    disabled=not is_free,
                    wrap=False,
                )


def _typed_text() -> str:
    return str(st.session_state.get(_key(TEXT)) or "")


def _typed(store: Store, row: int) -> tuple[ReferenceDraft, list[str]]:
    """What stands in the form, with what a stand-in of redaction hides put back, and the texts that it may have begun as."""
    screen = _screen()
    kept = [each.draft for each in store.gold.drafts.of_item(row) if screen and each.version.key == _key_of(screen)]
    offered = proposals(store, row, store.traffic.items.get(row))
    known: list[tuple[str, tuple[str, ...]]] = [(draft.text, ("reference",)) for draft in kept]
    known += [(each.text, FIELDS.get(each.origin.source, ())) for each in offered]
    text, note = _typed_text(), str(st.session_state.get(_key(NOTE)) or "")
    draft = ReferenceDraft(
        text=shown.behind(text, known) or text,
        note=shown.behind(note, [(draft.note, ("rationale",)) for draft in kept]) or note,
        lacks_knowledge=bool(st.session_state.get(_key(LACKS))),
        origin=screen.origin if screen and text.strip() else None,
    )
    return draft, [raw for raw, _ in known]


def _key_of(screen: Screen) -> int | None:
    return screen.version.key if screen.version else None


@kit_actor.writes(Act.WRITE)
def _keep(store: Store, row: int) -> None:
    """Callback of each field: keep what stands there."""
    _remember(store, row, _typed(store, row)[0])


def _remember(store: Store, row: int, draft: ReferenceDraft) -> None:
    """Keep a draft of the item on screen under its writer's name; in the session where there is none yet."""
    screen, who = _screen(), kit_actor.who()
    if screen is None or screen.row != row:
        return
    version = screen.version
    if not who:
        _unsigned()[row] = draft
    else:
        try:
            version = drafts.keep(store, row, draft, actions.actor(), version)
        except AssayError as error:
            reruns.tell(actions.REFUSED, str(error))
            return
        _unsigned().pop(row, None)
    st.session_state[SCREEN] = Screen(row, who, version, draft.origin)


@kit_actor.writes(Act.WRITE)
def _sign(store: Store) -> None:
    """Somebody has given their name: what they typed before becomes theirs."""
    screen = _screen()
    if screen and screen.row not in _unsigned():
        st.session_state.pop(SCREEN)  # nothing was typed: what this person was at comes first
    for row, draft in list(_unsigned().items()):
        if screen and screen.row == row:
            _remember(store, row, draft)
        elif not draft.is_blank:
            drafts.keep(store, row, draft, actions.actor(), None)
        _unsigned().pop(row, None)


@kit_actor.writes(Act.WRITE)
def _take(store: Store, row: int, offer: Offer) -> None:
    """Fill the box with a proposal or another draft; never over something typed, which may have come with the same click."""
    screen = _screen()
    if screen is None or screen.row != row or _typed_text().strip():
        return
    draft, _ = _typed(store, row)
    taken = ReferenceDraft(
        text=offer.draft.text,
        note=draft.note or offer.draft.note,
        lacks_knowledge=draft.lacks_knowledge or offer.draft.lacks_knowledge,
        origin=offer.draft.origin,
    )
    _fill(taken)
    st.session_state[_key(TEXT)] = texts.others(offer.text, *offer.fields)
    st.session_state[SCREEN] = screen._replace(version=offer.version or screen.version, origin=taken.origin)
    _remember(store, row, taken)


@reruns.whole
def skip(row: int) -> None:
    """Go to the next without saving; the draft stays."""
    if row in _unsigned() and not _unsigned()[row].is_blank:
        reruns.tell(actions.REFUSED, say("gold_write.unsigned_skip"))
        return
    st.session_state.pop(actions.REFUSED, None)
    skipped().add(row)
    leave()


@reruns.whole
def leave() -> None:
    """Take the item off the screen, and the form with it."""
    st.session_state.pop(SCREEN, None)
    url_state.put(ITEM, None)


@kit_actor.writes(Act.WRITE)
def _save(store: Store, row: int, item_id: str, seen: Sequence[DraftVersion]) -> None:
    """Write the reference and go on; or say why not and keep what was typed."""
    screen = _screen()
    if screen is None or screen.row != row:
        return
    draft, known = _typed(store, row)
    if not draft.text.strip():
        reruns.tell(actions.REFUSED, say("gold_write.empty"))
        return
    own = (screen.version,) if screen.version else ()

    def act() -> None:
        shown.checked(draft.text, known)
        write(store, row, item_id, draft, actions.actor(), (*own, *seen))

    def mine() -> Conflict:
        held = store.gold.of_item(row)
        return Conflict(held.gold_id if held else "", draft.text, draft.note.strip() or None, row)

    if actions.attempt(act, mine):
        st.session_state.pop(actions.REFUSED, None)
        st.session_state[SAVED] = say("gold_write.saved")
        _unsigned().pop(row, None)
        leave()
    elif any(conflict.item == row for conflict in actions.conflicts().values()):
        st.session_state.pop(actions.REFUSED, None)  # both texts stand above, and say more
        leave()


def write(
    store: Store, row: int, item_id: str, draft: ReferenceDraft, actor: Actor, seen: Sequence[DraftVersion] = ()
) -> str:
    """Put the reference into the gold set; refused if it is blank, nobody signs it, or another was quicker.

    The same text by the same person again is the same reference.
    """
    actor.checked()
    with store.atomic(durable=True):
        held = store.gold.of_item(row)
        is_mine = held is not None and (held.reference, held.annotator) == (draft.text.strip(), actor.who)
        if not is_mine and row not in store.gold.without_reference():
            raise Overtaken(say("gold.overtaken"))
        return drafts.save(store, row, item_id, draft, actor, seen)
