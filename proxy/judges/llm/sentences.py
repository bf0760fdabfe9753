"""Ask a model about each sentence of an answer, and turn its verdicts and quotes into sentence verdicts and their mean.

"Supported" counts only where its quote stands in the passages, which code checks, not a model.
"""

from __future__ import annotations

import math
from collections.abc import Generator, Iterator, Mapping, Sequence
from dataclasses import dataclass

from proxy.judges.base import QUESTION_LIMIT
from proxy.judges.llm.asking import Ask, Reply
from proxy.judges.llm.base import Setup, data, history
from proxy.judges.llm.form import QUOTE, Question, QuestionForm
from proxy.judges.llm.prompts import language_of
from proxy.judges.llm.quotes import normal, rank_of
from proxy.judges.llm.reading import QuestionAnswer
from proxy.records import Item, SentenceVerdict, Support
from proxy.text.language import language as language_in
from proxy.text.language import quoted, sentences
from proxy.text.tokens import content_words, words

SENTENCE_LIMIT = 120
# Some endpoints hold a schema to 100 properties, and a long list tires a model.
BLOCK = 30
CHOICES = tuple(support.value for support in Support)
UNVERIFIED = "its quote is not in the passages"
_SHOWN = 3


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
