"""Mask the texts of one item's detail as redaction lets them out; a field that is hidden from pages is hidden here."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from annotate.analysis.disagreements.detail import ItemDetail
from annotate.analysis.disagreements.second_reading import SecondReading
from annotate.domain import passages
from annotate.domain.annotation import Annotation
from annotate.domain.feedback import Feedback
from annotate.domain.gold import GoldEntry
from annotate.domain.passages import DATES, SOURCE, SOURCES, TITLE
from annotate.domain.privacy import redaction
from annotate.domain.privacy.people import pseudonyms
from annotate.domain.privacy.redaction import ANNOTATOR, GROUP
from annotate.store import Store
from proxy.records import Context, Item, Label, SentenceVerdict, Turn


def masked(store: Store, known: ItemDetail) -> ItemDetail:
    """Return what is known of an item as it may be shown: itself where nothing is masked."""
    if not redaction.at_least().is_on:
        return known
    return _Masking(known.item, pseudonyms(store.audit.events.everybody())).detail(known)


class _Masking:
    """Masks what is said of one item; annotators are numbered as on pages."""

    def __init__(self, item: Item, people: Mapping[str, str]) -> None:
        self._people = people
        self._about = redaction.about_item(item)

    def detail(self, known: ItemDetail) -> ItemDetail:
        return replace(
            known,
            item=self._item(known.item),
            label=known.label and self._label(known.label),
            readings=[self._reading(reading) for reading in known.readings],
            judge_results=[result._replace(reason=self._words(result.reason)) for result in known.judge_results],
            sentences=[
                sentences._replace(verdicts=[self._verdict(verdict) for verdict in sentences.verdicts])
                for sentences in known.sentences
            ],
            second=self._second(known.second),
            named=[named._replace(who=self._text(named.who, ANNOTATOR)) for named in known.named],
            feedback=[self._thumb(thumb) for thumb in known.feedback],
            gold=known.gold and self._entry(known.gold),
        )

    def _text(self, text: str, *fields: str) -> str:
        return redaction.for_page(text, self._people, fields=fields)

    def _optional(self, text: str | None, *fields: str) -> str | None:
        return None if text is None else self._text(text, *fields)

    def _words(self, words: str) -> str:
        """Mask a judge's words about the item."""
        return self._text(self._about(words))

    def _item(self, item: Item) -> Item:
        """Mask an item; of its own fields stays what says where its passages come from."""
        names = [name.masked(self._text) for name in passages.passage_names(item)]
        return replace(
            item,
            question=self._text(item.question),
            answer=self._text(item.answer),
            contexts=tuple(map(self._context, item.contexts)),
            system=self._optional(item.system),
            group=self._optional(item.group, GROUP),
            history=tuple(
                Turn(role=self._text(turn.role), text=self._text(turn.text, "history")) for turn in item.history
            ),
            reference=self._optional(item.reference, "reference"),
            metadata={"contexts": [{DATES[0]: name.date, SOURCES[0]: name.source} for name in names]},
        )

    def _context(self, context: Context) -> Context:
        return context._replace(
            text=self._text(context.text),
            id=self._optional(context.id, SOURCE),
            title=self._optional(context.title, TITLE),
        )

    def _label(self, label: Label) -> Label:
        return replace(
            label,
            annotator=self._optional(label.annotator, ANNOTATOR),
            reference=self._optional(label.reference, "reference"),
            rationale=self._optional(label.rationale, "rationale"),
        )

    def _reading(self, reading: Annotation) -> Annotation:
        return replace(
            reading,
            annotator=self._text(reading.annotator, ANNOTATOR),
            edited_by=self._optional(reading.edited_by, ANNOTATOR),
            reference=self._optional(reading.reference, "reference"),
            rationale=self._optional(reading.rationale, "rationale"),
        )

    def _verdict(self, verdict: SentenceVerdict) -> SentenceVerdict:
        return replace(
            verdict,
            sentence=self._words(verdict.sentence),
            quote=self._words(verdict.quote),
            notes=tuple(map(self._words, verdict.notes)),
        )

    def _second(self, second: SecondReading) -> SecondReading:
        asked = second.asked
        return second._replace(asked=asked and asked._replace(who=self._text(asked.who, ANNOTATOR)))

    def _thumb(self, thumb: Feedback) -> Feedback:
        return replace(
            thumb,
            value=self._optional(thumb.value),
            comment=self._optional(thumb.comment, "comment"),
            correction=self._optional(thumb.correction, "correction"),
            source=self._optional(thumb.source, SOURCE),
        )

    def _entry(self, entry: GoldEntry) -> GoldEntry:
        return replace(
            entry,
            reference=self._text(entry.reference, "reference"),
            annotator=self._optional(entry.annotator, ANNOTATOR),
            flag=self._optional(entry.flag),
            basis=self._optional(entry.basis),
        )
