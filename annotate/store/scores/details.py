"""Details of a judge's score, as the details table keeps them: verdicts on sentences, values of passages, a raw reply.

In come scores and failures, out comes compact JSON and back. The rule: an outcome without details has no row.
"""

from __future__ import annotations

from typing import NamedTuple

import orjson

from proxy.records import JudgeFailure, Score, SentenceVerdict, Support
from proxy.text.language import displayable


class Detail(NamedTuple):
    """All that is kept of one judge on one item beside value and reason."""

    sentences: tuple[SentenceVerdict, ...] = ()
    passages: tuple[float | None, ...] = ()
    raw: str | None = None


def to_content(outcome: Score | JudgeFailure) -> str | None:
    """Return the details as JSON text, None where there are none; lone surrogates are shown as replaced."""
    if isinstance(outcome, JudgeFailure):
        return None if outcome.raw is None else orjson.dumps({"raw": displayable(outcome.raw)}).decode()
    if not outcome.sentences and not outcome.passages:
        return None
    rows = [
        [
            displayable(verdict.sentence),
            verdict.support.value,
            _short(verdict.value),
            verdict.passage,
            displayable(verdict.quote),
            *map(displayable, verdict.notes),
        ]
        for verdict in outcome.sentences
    ]
    return orjson.dumps({"sentences": rows, "passages": [_short(value) for value in outcome.passages]}).decode()


def from_content(text: str | None) -> Detail:
    """Return the details that `to_content` made."""
    if text is None:
        return Detail()
    content = orjson.loads(text)
    sentences = tuple(
        SentenceVerdict(
            sentence=sentence, support=Support(support), value=value, passage=passage, quote=quote, notes=tuple(notes)
        )
        for sentence, support, value, passage, quote, *notes in content.get("sentences", ())
    )
    return Detail(sentences, tuple(content.get("passages", ())), content.get("raw"))


def _short(value: float | None) -> float | None:
    """Round to four digits, which are enough to look at."""
    return None if value is None else round(value, 4)
