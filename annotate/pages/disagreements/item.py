"""One answer with all that is known of it, in the order of reading: what is wrong, what was asked and answered, who says what."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

import streamlit as st

from annotate.analysis.disagreements import ItemDetail
from annotate.domain.annotation import ADJUDICATION, HARMS, SERIOUS, Annotation
from annotate.domain.message import coefficient
from annotate.domain.privacy import redaction
from annotate.pages.disagreements import filters, sentences
from annotate.pages.disagreements.rows import Opened
from annotate.pages.kit import chat, feedback, passages, texts, url_state
from annotate.pages.kit.messages import marked, render, say
from annotate.pages.kit.sheet import Sheet, markup
from annotate.store.labels.disagreements import DisagreementKind
from proxy.records import Label, LabelBasis


def show(opened: Opened) -> None:
    """The item that is open."""
    if opened.name is None:
        st.caption(say("disagreements.select"))
        return
    known = opened.known
    if known is None:
        url_state.not_known(filters.ITEM, texts.others(opened.name))
        st.warning(marked("disagreements.no_item", id=texts.others(opened.name)), icon=":material/search_off:")
        return
    key, sheet = f"disagreement-{known.row}", Sheet()
    _states(known, is_listed=opened.stands is not None)
    _chips(known, sheet)
    chat.show(known.item, sheet, key)
    sentences.show(known, sheet, key)
    feedback.show(known.feedback, sheet, key)
    _annotators(known, sheet, key)
    _judges(known, sheet, key)
    passages.show(known.item.contexts, texts.passage_names(known.item), sheet, key)
    sheet.draw()


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


def _chips(known: ItemDetail, sheet: Sheet) -> None:
    """What the proxy says and annotators, harm, causes, then which answer it is."""
    item, label = known.item, known.label
    value = "" if known.value is None else f" ({render(coefficient(known.value))})"
    signed = {DisagreementKind.MISS: ("wrong", "◆ "), DisagreementKind.FALSE_FAIL: ("right", "● "), None: ("", "")}
    kind, sign = signed[known.kind]
    chips = [(kind, f"{sign}{say(f'disagreements.verdict_{known.verdict.value}')}{value}")]
    if label:
        chips.append((kind, f"{say(f'disagreements.said_{label.judgement.value}')} · {_basis(known, label)}"))
        if label.harm in HARMS[1:]:
            chips.append(("bad" if label.harm == SERIOUS else "", say(f"disagreements.row_{label.harm}")))
        chips += [("", filters.cause_words(cause)) for cause in label.causes]
    about = [item.system, item.language, texts.moment(item.timestamp) if item.timestamp else None, item.id]
    chips += [("", texts.others(text)) for text in about if text]
    sheet.chips(chips)


def _basis(known: ItemDetail, label: Label) -> str:
    """How many of its annotators say so, or that somebody settled it."""
    if label.basis is LabelBasis.ADJUDICATION:
        return say("disagreements.basis_adjudication")
    judgements = {
        reading.annotator: reading.judgement
        for reading in known.readings
        if reading.source != ADJUDICATION and reading.judgement and not reading.deleted
    }
    agreeing = sum(judgement is label.judgement for judgement in judgements.values())
    return say("disagreements.basis_of", agreeing=agreeing, count=len(judgements))


def _annotators(known: ItemDetail, sheet: Sheet, key: str) -> None:
    """Who read it and how, with their notes, and the causes that were named since."""
    sheet.heading(say("disagreements.annotators"))
    if known.label is None:
        sheet.note(say("disagreements.no_label"))
        return
    readings: Sequence[Label | Annotation] = known.readings or [known.label]
    for place, reading in enumerate(readings):
        _reading(reading, sheet, f"{key}-reading-{place}")
    for decision in known.named:
        causes = ", ".join(map(filters.cause_words, decision.causes)) or say("disagreements.not_given")
        line = say("disagreements.named", who=decision.who, at=texts.moment(decision.at), causes=causes)
        sheet.note(texts.others(line))
    if known.second.asked is not None:
        asked = known.second.asked
        sheet.note(texts.others(say("disagreements.asked", who=asked.who, at=texts.moment(asked.at))))
    if known.label.wave is None:
        sheet.note(say("disagreements.hand_picked"))


def _reading(reading: Label | Annotation, sheet: Sheet, key: str) -> None:
    """What one person said: who, how, when, why, and what it should have said."""
    parts = [_judgement_words(reading), *([texts.moment(reading.at)] if reading.at else [])]
    parts += [filters.cause_words(cause) for cause in reading.causes]
    parts += [say("disagreements.harm_is", harm=filters.harm_words(reading.harm))] if reading.harm else []
    about = f"<b>{markup(reading.annotator or '—')}</b> <span class='a-muted'>{escape(' · '.join(parts))}</span>"
    sheet.line(about, reading.rationale or "", f"{key}-note", "rationale")
    if reading.reference:
        head = f"<b>{escape(say('disagreements.reference'))}</b>"
        sheet.line(head, reading.reference, f"{key}-reference", "reference")


def _judgement_words(reading: Label | Annotation) -> str:
    """Right, wrong or unsure; or skipped, deleted, adjudicated."""
    words = say(f"disagreements.said_{reading.judgement.value if reading.judgement else 'skipped'}")
    if not isinstance(reading, Annotation):
        return words
    if reading.deleted:
        return say("disagreements.said_deleted")
    return f"{words} ({say('disagreements.adjudicated')})" if reading.source == ADJUDICATION else words


def _judges(known: ItemDetail, sheet: Sheet, key: str) -> None:
    """Each judge's score and its reason."""
    sheet.heading(say("disagreements.judges"))
    if not known.judge_results:
        sheet.note(say("disagreements.no_judge"))
    for place, judged in enumerate(known.judge_results):
        score = say("disagreements.no_score") if judged.value is None else render(coefficient(judged.value))
        name, version = markup(f"{judged.judge.replace('_', ' ')}: {score}"), texts.others(judged.signature)
        stripped = judged.reason.strip()
        head = f"<b>{name}</b> {'' if stripped else escape(say('disagreements.no_reason'))}"
        reason = redaction.about(known.item, judged.reason) if stripped else ""
        sheet.line(head, reason, f"{key}-judge-{place}")
        sheet.note(say("disagreements.version", signature=version))
