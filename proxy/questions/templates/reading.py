"""Read the facts of a passage by all patterns."""

from __future__ import annotations

from collections.abc import Iterator

from proxy.questions.templates import chinese, english, fields, korean
from proxy.questions.templates.facts import Fact
from proxy.text.language import script, sentences

_LONGEST_SENTENCE = 300
_PATTERNS = {"latin": english.facts, "han": chinese.facts, "hangul": korean.facts}


def facts(text: str) -> Iterator[Fact]:
    """Yield the facts of a passage, its fields first, then sentence by sentence."""
    yield from fields.facts(text)
    for sentence in sentences(text):
        plain = sentence.strip()
        if len(plain) <= _LONGEST_SENTENCE and (pattern := _PATTERNS.get(script(plain))):
            yield from pattern(plain)
