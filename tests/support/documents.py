"""What holds of every answer: each renderer draws it, it is short enough, and every language says the same numbers."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

from annotate.domain.message import message
from annotate.present import answer, html, markdown, terminal
from annotate.present.document import Document
from annotate.present.messages import LANGUAGES, text
from annotate.present.schemas.base import AnswerModel

LONGEST_ANSWER = 25


def answer_of(kind: str, result: object, **more: object) -> answer.Answer[object]:
    """Return the answer of a kind on the default store."""
    return answer.answer_of(kind, Path("assay.db"), result, **more)


def numbers(words: str) -> Counter[str]:
    """Count the numbers in a text."""
    return Counter(re.findall(r"[+-]?\d[\d,.]*\d|[+-]?\d", words))


def check(document: Document) -> str:
    """Draw a document in every medium; return it as the terminal shows it in full."""
    assert len(text(document.answer).split()) <= LONGEST_ANSWER, text(document.answer)
    assert len(terminal.render(document).splitlines()) <= terminal.BRIEF_LINES
    english = numbers(markdown.render(document, full=True))
    for language in LANGUAGES:
        lacking = english - numbers(markdown.render(document, language, full=True))
        assert not lacking, (language, lacking)
        assert "<script" not in html.page(document, heading=message("judges.drift"), language=language)
    return terminal.render(document, full=True)


def check_model(model: AnswerModel) -> None:
    """The JSON is what the schema allows, and begins as every answer does."""
    assert type(model).model_validate_json(model.model_dump_json(by_alias=True)) == model
    assert list(model.to_dict())[:4] == ["schema", "answer", "status", "next"]
