"""Ask a model for a draft of the answer, from the passages alone, with literal quotes that code finds again in them.

A draft is no score and no reference: a person reads it beside its quotes and decides.
"""

from __future__ import annotations

from collections.abc import Generator, Mapping, Sequence
from typing import NamedTuple

from proxy.judges.base import QUESTION_LIMIT
from proxy.judges.llm.asking import Ask, QuestionAnswer, Reply, Unreadable
from proxy.judges.llm.base import Setup, data, history, passages
from proxy.judges.llm.form import QUOTE, Mode, Question, QuestionForm
from proxy.judges.llm.prompts import language_of
from proxy.judges.llm.sentences import bears, normal, rank_of
from proxy.records import Item

NAME = "reference_draft"
ANSWER, TEXT = "answer", "text"
ANSWERED = "answered"
QUOTES = ("q1", "q2", "q3", "q4")
FORM = QuestionForm(
    (
        Question(key=ANSWER, choices=(ANSWERED, "not_answerable"), note=TEXT),
        *(Question(key=key, choices=("quoted", "none"), note=QUOTE) for key in QUOTES),
    )
)


class DraftQuote(NamedTuple):
    """What the model says stands in a passage; `passage` is the rank of the one that holds it, None where none does."""

    text: str
    passage: int | None


class ModelDraft(NamedTuple):
    """An answer that a model wrote, and what it rests on."""

    text: str
    quotes: tuple[DraftQuote, ...]


def signature(setup: Setup) -> str:
    """Name all that shapes a draft: endpoint, model, prompt in every language, mode and parameters."""
    return setup.signature(NAME, NAME, 1)


def steps(setup: Setup, item: Item) -> Generator[Ask, Reply, ModelDraft]:
    """Ask once, and once more where the reply cannot be read.

    Raises
    ------
    Unreadable
        Where there is no draft: nothing to draw on, no answer in the passages, or no quote that stands in them.
    """
    texts, _ = passages(item, setup.context_limit)
    if not any(text.strip() for text in texts):
        raise Unreadable("there is no passage to draw an answer from", "")
    if setup.mode is Mode.LAST_LINE:
        raise Unreadable("this model cannot reply in JSON, which a draft with quotes needs", "")
    user = data(question=item.question[:QUESTION_LIMIT], history=history(item), passages=texts)
    return read_draft((yield from setup.answered(NAME, language_of(item), FORM, user)), texts)


def read_draft(answers: Mapping[str, QuestionAnswer], texts: Sequence[str]) -> ModelDraft:
    """Read the form; each quote is looked for in the passages as they were sent."""
    answer = answers[ANSWER]
    if answer.verdict != ANSWERED or not answer.note.strip():
        raise Unreadable("the passages do not hold the answer, says the model", answer.note)
    plain = [normal(text) for text in texts]
    given = dict.fromkeys(quote for key in QUOTES if (quote := answers[key].note.strip()))
    quotes = tuple(DraftQuote(quote, rank_of(quote, plain) if bears(quote) else None) for quote in given)
    if not any(quote.passage for quote in quotes):
        raise Unreadable("no quote of the model stands in the passages", answer.note)
    return ModelDraft(answer.note.strip(), quotes)
