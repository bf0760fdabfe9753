"""Ask a model about each sentence of an answer, and turn its verdicts and quotes into sentence verdicts and their mean.

"Supported" counts only where its quote stands in the passages, which code checks, not a model.

Check that a model's quote stands in the passages: that a claimed support is there at all. Case, spaces, quotation marks and
dashes may differ, words and numbers may not ("30 metres" is no quote of "330 metres"); parts joined by an ellipsis must
stand in one passage in that order.
"""

from __future__ import annotations

import math
import re
import unicodedata
from collections.abc import Generator, Iterator, Mapping, Sequence
from dataclasses import dataclass

from proxy.judges.base import QUESTION_LIMIT
from proxy.judges.llm.asking import Ask, Reply
from proxy.judges.llm.base import Setup, data, history
from proxy.judges.llm.form import QUOTE, Question, QuestionForm
from proxy.judges.llm.prompts import language_of
from proxy.judges.llm.reading import QuestionAnswer
from proxy.records import Item, SentenceVerdict, Support
from proxy.text.language import HAN, KANA, quoted, sentences
from proxy.text.language import language as language_in
from proxy.text.tokens import content_words, words

SENTENCE_LIMIT = 120
# Some endpoints hold a schema to 100 properties, and a long list tires a model.
BLOCK = 30
CHOICES = tuple(support.value for support in Support)
UNVERIFIED = "its quote is not in the passages"
_SHOWN = 3
_SAME = str.maketrans({
    **dict.fromkeys("\u2018\u2019\u201a\u2039\u203a", "'"),
    **dict.fromkeys("\u201c\u201d\u201e\u00ab\u00bb\u300c\u300d\u300e\u300f", '"'),
    **dict.fromkeys("\u2010\u2011\u2012\u2013\u2014\u2015\u2212", "-"),
    **dict.fromkeys("\u200b\u2060\ufeff\u00ad"),
})  # fmt: skip
_GAP = re.compile(r"\.{3,}|\u2026+")
# Chinese and Japanese are written without spaces: one beside their characters is a line break of the source, or the model's.
_NO_SPACE = re.compile(rf"(?<=[{HAN}{KANA}]) | (?=[{HAN}{KANA}])")
_LETTER = "a-z\u00df-\u024f\u0370-\u052f\u1e00-\u1fff"
_INSIDE = re.compile(rf"(?<=[{_LETTER}])(?=[{_LETTER}])|(?<=\d)(?=[.,]?\d)|(?<=\d[.,])(?=\d)")
# Normalising takes quadratic time in a run of accents; in pieces, cut at a space where there is one, it cannot.
_PIECES = re.compile(r".{1,2000}(?!\S)|.{1,2000}", re.DOTALL)
_EDGE = " \t\n\"'.,;:!?()[]{}*_`\u3002\uff0c\u3001\uff1b\uff1a\uff01\uff1f"
_SHORTEST = 2


@dataclass(frozen=True, kw_only=True, slots=True)
class Parts:
    """The sentences of an answer that contain a word, by key; `cut` says what was left out."""

    sentences: Mapping[str, str]
    cut: str

    def blocks(self) -> Iterator[tuple[QuestionForm, Mapping[str, str]]]:
        """Yield a form for each `BLOCK` sentences, with those sentences and the ones before them."""
        keys = list(self.sentences)
        for end in range(BLOCK, len(keys) + BLOCK, BLOCK):
            form = QuestionForm(
                tuple(Question(key=key, choices=CHOICES, note=QUOTE) for key in keys[end - BLOCK : end])
            )
            yield form, {key: self.sentences[key] for key in keys[:end]}


def parts_of(answer: str) -> Parts:
    """Number the answer's sentences, s1 first."""
    kept = [sentence for sentence in sentences(answer, language_in(answer)) if words(sentence)]
    numbered = {f"s{number}": sentence for number, sentence in enumerate(kept[:SENTENCE_LIMIT], start=1)}
    return Parts(
        sentences=numbered, cut=f"{SENTENCE_LIMIT} sentences of the answer" if len(kept) > SENTENCE_LIMIT else ""
    )


def asked(
    setup: Setup, prompt: str, item: Item, parts: Parts, texts: Sequence[str], first: tuple[Question, ...] = ()
) -> Generator[Ask, Reply, dict[str, QuestionAnswer]]:
    """Ask about every sentence, one call per block; the questions in `first` go with the first block."""
    readings: dict[str, QuestionAnswer] = {}
    language = language_of(item)
    for form, sentences_so_far in parts.blocks():
        user = data(
            question=item.question[:QUESTION_LIMIT], history=history(item), passages=texts, sentences=sentences_so_far
        )
        whole = form if readings else QuestionForm((*first, *form.questions))
        readings |= yield from setup.answered(prompt, language, whole, user)
    return readings


def verdicts(
    parts: Parts, readings: Mapping[str, QuestionAnswer], passages: Sequence[str], *, with_quotes: bool
) -> tuple[SentenceVerdict, ...]:
    """Return the verdict on each sentence; `with_quotes` is False where the endpoint has no room for them."""
    plain = [normal(text) for text in passages]
    return tuple(
        _verdict(sentence, readings[key], plain, with_quotes=with_quotes) for key, sentence in parts.sentences.items()
    )


def _verdict(sentence: str, reading: QuestionAnswer, passages: Sequence[str], *, with_quotes: bool) -> SentenceVerdict:
    """Return a sentence's verdict; an unverified support is none."""
    support = Support(reading.verdict)
    rank = rank_of(reading.note, passages) if bears(reading.note) else None
    notes: tuple[str, ...] = ()
    value = _value(support, reading.chances)
    if support is Support.SUPPORTED and with_quotes and rank is None:
        support, value, notes = Support.NOT_FOUND, 0.0, (UNVERIFIED,)
    quote = reading.note if rank is not None else ""
    return SentenceVerdict(sentence=sentence, support=support, value=value, passage=rank, quote=quote, notes=notes)


def bears(quote: str) -> bool:
    """Return whether a quote has content: any text holds "is" or "the", and a model that must quote something finds them."""
    return bool(content_words(quote))


def _value(support: Support, chances: Mapping[str, float]) -> float | None:
    """Compute (P(supported) + P(unsure) / 2) / P(a claim is made); 1, 1/2 or 0 without probabilities."""
    if support is Support.NO_CLAIM:
        return None
    if not chances:
        return {Support.SUPPORTED: 1.0, Support.UNSURE: 0.5}.get(support, 0.0)
    claims = math.fsum(share for verdict, share in chances.items() if verdict != Support.NO_CLAIM)
    return (chances[Support.SUPPORTED] + chances[Support.UNSURE] / 2) / claims if claims > 0 else None


def mean(verdicts: Sequence[SentenceVerdict]) -> float | None:
    """Compute supported claims / claims; None where nothing is claimed."""
    values = [verdict.value for verdict in verdicts if verdict.value is not None]
    return math.fsum(values) / len(values) if values else None


def reason(verdicts: Sequence[SentenceVerdict]) -> str:
    """Quote the claims that are not supported, contradicted ones first."""
    weak = sorted(
        (verdict for verdict in verdicts if verdict.support not in (Support.SUPPORTED, Support.NO_CLAIM)),
        key=lambda verdict: verdict.support is not Support.CONTRADICTED,
    )
    claims = sum(verdict.support is not Support.NO_CLAIM for verdict in verdicts)
    if not weak:
        sure = min((verdict.value for verdict in verdicts if verdict.value is not None), default=1.0)
        doubt = f", the least sure with {sure:.2g}" if sure < 1 else ""  # probabilities can leave a doubt
        return (f"all {claims} claims are supported" if claims > 1 else "the one claim is supported") + doubt
    named = "; ".join(f"{_word(verdict)}: {quoted(verdict.sentence)}" for verdict in weak[:_SHOWN])
    more = f" and {len(weak) - _SHOWN} more" if len(weak) > _SHOWN else ""
    return f"{len(weak)} of {claims} claims without support: {named}{more}"


def _word(verdict: SentenceVerdict) -> str:
    return (
        f"{verdict.support.replace('_', ' ')} ({verdict.notes[0]})"
        if verdict.notes
        else verdict.support.replace("_", " ")
    )


def normal(text: str) -> str:
    """Normalise the text for comparing quotes: compatibility form, lower case, single spaces, plain marks."""
    if text.isascii():
        return " ".join(text.casefold().split())
    plain = "".join(unicodedata.normalize("NFKC", piece) for piece in _PIECES.findall(text)).translate(_SAME)
    return _NO_SPACE.sub("", " ".join(plain.casefold().split()))


def rank_of(quote: str, passages: Sequence[str]) -> int | None:
    """Return the rank, from 1, of the first passage that holds the quote; None if none does.

    `passages` are in normal form.
    """
    parts = [part for piece in _GAP.split(quote) if (part := normal(piece).strip(_EDGE))]
    if sum(map(len, parts)) < _SHORTEST:
        return None
    return next((rank for rank, passage in enumerate(passages, start=1) if _holds(passage, parts)), None)


def _holds(passage: str, parts: Sequence[str]) -> bool:
    """Return whether the parts stand in the passage one after the other."""
    at = 0
    for part in parts:
        start = _find(passage, part, at)
        if start < 0:
            return False
        at = start + len(part)
    return True


def _find(passage: str, part: str, start: int) -> int:
    """Find the part in whole words and numbers, from `start` on; -1 where it is not there."""
    place = passage.find(part, start)
    while place >= 0 and (_INSIDE.match(passage, place) or _INSIDE.match(passage, place + len(part))):
        place = passage.find(part, place + 1)
    return place
