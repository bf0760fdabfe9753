"""One of the list with all that is known of it, and the keys to the one before and the one after."""

from __future__ import annotations

import streamlit as st

from annotate.analysis import disagreements
from annotate.analysis.disagreements import Ground, ItemDetail
from annotate.domain.annotation import ADJUDICATION, Annotation
from annotate.domain.message import coefficient
from annotate.domain.privacy import redaction
from annotate.pages.disagreements import actions, filters, sentences
from annotate.pages.disagreements.table import SIZE
from annotate.pages.kit import layout, reruns, texts, url_state
from annotate.pages.kit.messages import marked, say, told
from annotate.store import Store
from annotate.store.labels.disagreements import DisagreementFilter, ListPlace
from proxy.records import Label, Verdict

NUMBER = "disagreements-number"


def show(store: Store, ground: Ground, asked: DisagreementFilter, who: str) -> None:
    """The item that the address names."""
    name = url_state.get(filters.ITEM)
    known = disagreements.detail(store, ground, name) if name is not None else None
    stands = disagreements.place(store, ground, asked, known.row) if known else None
    if stands is not None:
        st.session_state[NUMBER] = stands.number
    _keys(store, ground, asked, stands, is_open=name is not None)
    if name is None:
        return
    if known is None:
        url_state.not_known(filters.ITEM, texts.others(name))
        st.warning(marked("disagreements.no_item", id=texts.others(name)), icon=":material/search_off:")
        return
    _states(known, is_listed=stands is not None)
    _about(known)
    left, right = st.columns([3, 2], gap="large")
    with left:
        _texts(known)
    with right:
        show_annotators(known)
        _judges(known)
        actions.show(store, known, who)


def _keys(store: Store, ground: Ground, asked: DisagreementFilter, stands: ListPlace | None, *, is_open: bool) -> None:
    """Before and after by one key; from an item that has left the list, those at the place where it stood."""
    total = sum(store.labels.disagreements.count(ground.key, asked).values())
    if not total:
        return
    layout.heading("disagreements.one")
    if not is_open:
        st.caption(say("disagreements.select"))
    before, after, at = _beside(store, ground, asked, stands, is_open=is_open)
    with st.container(horizontal=True, vertical_alignment="center"):
        for name, target, number, key, icon in (
            ("before", before, at - 1, "P", ":material/arrow_back:"),
            ("after", after, at + 1, "N", ":material/arrow_forward:"),
        ):
            st.button(
                say(f"disagreements.{name}" if is_open or name == "before" else "disagreements.first"),
                on_click=_go,
                args=(target, number),
                disabled=target is None,
                shortcut=key,
                icon=icon,
                key=f"disagreements-{name}",
            )
        if stands is not None:
            st.markdown(say("disagreements.place", number=stands.number, total=total))


def _beside(
    store: Store, ground: Ground, asked: DisagreementFilter, stands: ListPlace | None, *, is_open: bool
) -> tuple[str | None, str | None, int]:
    """The ids before and after, and the place between them."""
    if stands is not None:
        return stands.before, stands.after, stands.number
    at = int(st.session_state.get(NUMBER, 1)) if is_open else 1
    start = max(0, at - 2)
    rows = store.labels.disagreements.page(ground.key, asked, start=start, size=2)
    ids = [row.item_id for row in rows]
    if at == 1 or not is_open:
        return None, ids[0] if ids else None, 0
    return ids[0] if ids else None, ids[1] if len(ids) > 1 else None, at - 1


@reruns.whole
def _go(target: str | None, number: int) -> None:
    """Callback of a key: the item into the address, and the page of the list on which it stands."""
    url_state.put(filters.ITEM, target)
    page = (max(1, number) - 1) // SIZE + 1
    url_state.put(filters.PAGE, None if page == 1 else str(page))


def _states(known: ItemDetail, *, is_listed: bool) -> None:
    """What is odd about the item: forgotten, other content since, no disagreement any more, or left out by the filters."""
    if known.is_forgotten:
        st.info(say("disagreements.forgotten"), icon=":material/delete:")
    if known.is_changed:
        st.info(say("disagreements.changed"), icon=":material/history:")
    elif known.label is None:
        st.info(say("disagreements.unlabelled"), icon=":material/help:")
    elif known.kind is None:
        st.info(say("disagreements.no_difference"), icon=":material/check:")
    elif not is_listed:
        st.caption(say("disagreements.not_listed"))


def _about(known: ItemDetail) -> None:
    """What it is: how proxy and annotators differ, where it comes from, its id."""
    item, verdict = known.item, say(f"disagreements.verdict_{known.verdict.value}")
    parts = [
        "" if known.kind is None else f"**{filters.kind_words(known.kind)}**",
        verdict if known.verdict is Verdict.UNSCORED else f"{verdict} ({told(coefficient(known.value))})",
    ]
    st.markdown(" · ".join(part for part in parts if part))
    lines = (
        ("system", item.system),
        ("language", item.language),
        ("time", texts.moment(item.timestamp)),
        ("id", item.id),
    )
    with st.container(horizontal=True):
        for name, text in lines:
            with st.container(gap=None, width="content"):
                texts.heading(say(f"disagreements.about_{name}"))
                st.text(texts.others(text or "—"))


def _texts(known: ItemDetail) -> None:
    """What was asked, found and answered, with what the passages do not support marked."""
    key = f"disagreement-{known.row}"
    texts.show_conversation(known.item.history, key)
    texts.heading(say("disagreements.question"))
    with st.container(border=True):
        texts.show(known.item.question, f"{key}-question")
    texts.heading(say("disagreements.answer"))
    with st.container(border=True):
        sentences.show(known, key)
    texts.heading(say("disagreements.passages"))
    texts.show_passages(known.item.contexts, key)


def _judges(known: ItemDetail) -> None:
    """Each judge's score and its reason."""
    layout.heading("disagreements.judges")
    if not known.said:
        st.caption(say("disagreements.no_judge"))
    for place, judged in enumerate(known.said):
        with st.container(border=True, gap="xsmall"):
            score = say("disagreements.no_score") if judged.value is None else told(coefficient(judged.value))
            st.text(texts.others(f"{judged.judge.replace('_', ' ')}: {score}"))
            if judged.reason.strip():
                texts.show(redaction.about(known.item, judged.reason), f"disagreement-{known.row}-judge-{place}")
            else:
                st.caption(say("disagreements.no_reason"))
            st.caption(marked("disagreements.version", signature=texts.others(judged.signature)))


def show_annotators(known: ItemDetail) -> None:
    """The label, then the readings."""
    layout.heading("disagreements.annotators")
    if known.label is None:
        st.caption(say("disagreements.no_label"))
        return
    _label(known.label, known.row)
    if len(known.readings) > 1 or known.named:
        with st.expander(say("disagreements.readings", count=len(known.readings)), key="disagreements-readings"):
            for place, reading in enumerate(known.readings):
                _reading(reading, f"disagreement-{known.row}-reading-{place}")
            _named(known)


def _label(label: Label, row: int) -> None:
    key = f"disagreement-{row}-label"
    basis = "—" if label.basis is None else say(f"disagreements.basis_{label.basis.name.lower()}")
    with st.container(border=True, gap="xsmall"):
        st.markdown(f"**{say(f'disagreements.said_{label.judgement.value}')}**")
        texts.show(" · ".join([label.annotator or "—", texts.moment(label.at), basis]), f"{key}-who")
        _marks(label.causes, label.harm)
        _words(label, key)
        if label.wave is None:
            st.caption(say("disagreements.hand_picked"))


def _reading(reading: Annotation, key: str) -> None:
    """What one person said, and who adjudicated."""
    with st.container(border=True, gap="xsmall"):
        word = "deleted" if reading.deleted else reading.judgement.value if reading.judgement else "skipped"
        adjudicated = f" ({say('disagreements.adjudicated')})" if reading.source == ADJUDICATION else ""
        st.markdown(f"**{say(f'disagreements.said_{word}')}**{adjudicated}")
        texts.show(f"{reading.annotator} · {texts.moment(reading.at)}", f"{key}-who")
        _marks(reading.causes, reading.harm)
        _words(reading, key)


def _words(said: Label | Annotation, key: str) -> None:
    """The note, and what the answer should have been."""
    for name, field, text in (("note", "rationale", said.rationale), ("reference", "reference", said.reference)):
        if text:
            texts.heading(say(f"disagreements.{name}"))
            texts.show(text, f"{key}-{name}", field)


def _marks(causes: tuple[str, ...], harm: str | None) -> None:
    """Causes and harm in a line."""
    parts = [filters.cause_words(cause) for cause in causes]
    if harm:
        parts.append(say("disagreements.harm_is", harm=filters.harm_words(harm)))
    if parts:
        texts.small([" · ".join(parts)])


def _named(known: ItemDetail) -> None:
    """The causes that were named after the readings, newest last."""
    for place, decision in enumerate(known.named):
        causes = ", ".join(map(filters.cause_words, decision.causes)) or say("disagreements.not_given")
        line = say("disagreements.named", who=decision.who, at=texts.moment(decision.at), causes=causes)
        texts.show(line, f"disagreement-{known.row}-named-{place}")
