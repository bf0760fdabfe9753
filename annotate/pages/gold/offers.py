"""What the box may begin as: references of the question, proposals, and other drafts of the same person, each with its key."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import NamedTuple

import streamlit as st

from annotate import settings
from annotate.analysis.gold.proposals import proposals
from annotate.domain.gold import GoldEntry, GoldSource
from annotate.domain.gold.drafts import DraftVersion, KeptDraft, ProposalOrigin, ReferenceDraft, ReferenceProposal
from annotate.domain.sign_in.roles import Act
from annotate.pages.gold import drafting, shown
from annotate.pages.kit import actor as kit_actor
from annotate.pages.kit import privacy, texts
from annotate.pages.kit.messages import say
from annotate.store import Store
from proxy.judges.llm.reference_draft import DraftQuote, ModelDraft

LAST_KEY = 9
OFFERS = {GoldSource.CORRECTION: "correction", GoldSource.TRAFFIC: "traffic"}


class Offer(NamedTuple):
    """A text that fills the box: what it is called, and what it is then; a proposal or another draft of the same person."""

    name: str
    text: str
    fields: tuple[str, ...]
    draft: ReferenceDraft
    version: DraftVersion | None
    quotes: tuple[DraftQuote, ...] = ()


def offered(
    store: Store,
    answers: Sequence[int],
    references: Sequence[GoldEntry],
    others: Sequence[KeptDraft],
    made: ModelDraft | None = None,
) -> list[Offer]:
    """The references that the question has, the proposals that may be shown, other drafts of the same person, a model's."""
    offers = list[Offer]()
    for entry in references:
        fields = shown.fields(entry.source)
        # A right answer is a proposal below, under the name of its system.
        if entry.source is not GoldSource.RIGHT_ANSWER and not any(map(privacy.hides, fields)):
            name = say("gold_write.offer_reference", who=texts.others(entry.annotator or texts.UNKNOWN))
            offers.append(Offer(name, entry.reference, fields, ReferenceDraft(text=entry.reference), None))
    for proposal in proposals(store, answers):
        fields = drafting.FIELDS.get(proposal.origin.source, ())
        if not any(map(privacy.hides, fields)):
            draft = ReferenceDraft(text=proposal.text, origin=proposal.origin)
            offers.append(Offer(_name(proposal), proposal.text, fields, draft, None))
    for other in others:
        name = say("gold_write.offer_draft", at=texts.moment(other.updated_at))
        offers.append(Offer(name, other.draft.text, ("reference",), other.draft, other.version))
    if made is not None and (asked := settings.draft()):
        origin = ProposalOrigin(GoldSource.MODEL, answers[0], asked.model)
        name = say("gold_write.offer_model", model=texts.others(asked.model))
        offers = [
            *offers[: LAST_KEY - 1],
            Offer(name, made.text, (), ReferenceDraft(text=made.text, origin=origin), None, made.quotes),
        ]
    return offers[:LAST_KEY]


def _name(proposal: ReferenceProposal) -> str:
    source = proposal.origin.source
    if source in OFFERS:
        return say(f"gold_write.offer_{OFFERS[source]}")
    if proposal.system is None:
        return say("gold_write.offer_right_unnamed")
    return say("gold_write.offer_right", system=texts.others(proposal.system))


def show(store: Store, answers: Sequence[int], offers: Sequence[Offer]) -> None:
    """What the box may begin as, each with its key; none while the box holds a text."""
    if not offers:
        return
    is_free = not drafting.typed_text().strip()
    how = say("gold_write.start_how" if is_free else "gold_write.start_blocked")
    with st.container(key="reference-offers", gap="small"):
        st.html(f"<h2 class='a-part'>{escape(say('gold_write.start'))} <small>{escape(how)}</small></h2>")
        for number, offer in enumerate(offers, start=1):
            with st.container(
                border=True, key=f"card-offer-{number}", horizontal=True, vertical_alignment="center", wrap=False
            ):
                st.html(_text(offer), width="stretch")
                st.button(
                    say("gold_write.use"),
                    shortcut=f"Alt+{number}",
                    key=drafting.key(f"reference-use-{number}"),
                    on_click=_take,
                    args=(store, answers, offer),
                    disabled=not is_free,
                    wrap=False,
                )


def _text(offer: Offer) -> str:
    """What it is called, the text, and what a model says that it rests on: where that stands, or that it stands nowhere."""
    text = texts.others(offer.text, *offer.fields)[: texts.SHOWN_CHARACTERS]
    quotes = "".join(map(_quote, offer.quotes))
    listed = f"<ul class='a-quotes'>{quotes}</ul>" if quotes else ""
    return f"<p class='a-muted'>{escape(offer.name)}</p><p class='a-offer' dir='auto' tabindex='0'>{escape(text)}</p>{listed}"


def _quote(quote: DraftQuote) -> str:
    is_found = quote.passage is not None
    place = f"✓ {say('texts.passage', rank=quote.passage)}:" if is_found else f"✗ {say('gold_write.model_lost')}"
    text = escape(texts.others(quote.text))
    return f"<li class='{'' if is_found else 'a-lost'}'>{escape(place)} <q dir='auto'>{text}</q></li>"


@kit_actor.writes(Act.WRITE)
def _take(store: Store, answers: Sequence[int], offer: Offer) -> None:
    """Fill the box with a proposal or another draft; never over something typed, which may have come with the same click."""
    screen = drafting.on_screen()
    if screen is None or screen.row != answers[0] or drafting.typed_text().strip():
        return
    draft, _ = drafting.typed(store, answers)
    taken = ReferenceDraft(
        text=offer.draft.text,
        note=draft.note or offer.draft.note,
        lacks_knowledge=draft.lacks_knowledge or offer.draft.lacks_knowledge,
        left_out=draft.left_out or offer.draft.left_out,
        origin=offer.draft.origin,
    )
    drafting.fill(taken)
    st.session_state[drafting.key(drafting.TEXT)] = texts.others(offer.text, *offer.fields)
    st.session_state[drafting.SCREEN] = screen._replace(version=offer.version or screen.version, origin=taken.origin)
    drafting.remember(store, screen.row, taken)
