"""Show an item to a model: its parts within the limits, what of them is missing, and what was cut off."""

from __future__ import annotations

from collections.abc import Generator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from proxy.judges.base import ANSWER_LIMIT, QUESTION_LIMIT, cut_answer, cut_note, cut_question
from proxy.judges.llm.asking import Ask, Reply, Unreadable
from proxy.judges.llm.base import Setup, data, history, passages
from proxy.judges.llm.form import Mode, Question, QuestionForm, list_form
from proxy.judges.llm.prompts import language_of
from proxy.judges.llm.reading import QuestionAnswer
from proxy.records import Item
from proxy.text.alternatives import alternatives

QUESTION, PASSAGES, ANSWER, REFERENCE = "question", "passages", "answer", "reference"
MISSING = {
    QUESTION: "the question is empty",
    PASSAGES: "no passages were retrieved",
    ANSWER: "the answer is empty",
    REFERENCE: "the item has no reference",
}


@dataclass(frozen=True, kw_only=True)
class ShownItem:
    """An item as a model is shown it."""

    setup: Setup
    item: Item

    @property
    def question(self) -> str:
        """The question."""
        return self.item.question[:QUESTION_LIMIT]

    @property
    def answer(self) -> str:
        """The answer."""
        return self.item.answer[:ANSWER_LIMIT]

    @property
    def reference(self) -> str:
        """The reference with all its alternatives."""
        return (self.item.reference or "")[:ANSWER_LIMIT]

    @cached_property
    def references(self) -> tuple[str, ...]:
        """The alternatives of the reference."""
        return tuple(alternatives(self.reference))

    @property
    def first_reference(self) -> str:
        """The first alternative in words, for reasons."""
        count = len(self.references)
        return f"the first of {count} references" if count > 1 else "the reference"

    @cached_property
    def history(self) -> list[dict[str, str]]:
        """The turns before the question."""
        return history(self.item)

    @property
    def passages(self) -> list[str]:
        """The passages in rank order; none where all are blank."""
        return self._passages[0]

    @cached_property
    def _passages(self) -> tuple[list[str], str]:
        texts, cut = passages(self.item, self.setup.context_limit)
        return (texts if any(text.strip() for text in texts) else []), cut

    def parts(self, names: Sequence[str]) -> dict[str, object]:
        """Return the named parts, and the conversation where the question is among them."""
        shown = {name: getattr(self, name) for name in names}
        return {"history": self.history, **shown} if QUESTION in names else shown

    def missing(self, names: Sequence[str]) -> str | None:
        """Say which of the parts the item lacks; None where it has all."""
        present = {
            QUESTION: self.question.strip(),
            PASSAGES: self.passages,
            ANSWER: self.answer.strip(),
            REFERENCE: self.references,
        }
        return next((MISSING[name] for name in names if not present[name]), None)

    def note(self, names: Sequence[str]) -> str:
        """Say to what a judge was limited, of these parts."""
        is_long = len(self.item.reference or "") > ANSWER_LIMIT
        cuts = {
            QUESTION: cut_question(self.item.question),
            PASSAGES: self._passages[1],
            ANSWER: cut_answer(self.item.answer),
            REFERENCE: f"{ANSWER_LIMIT:,} characters of the reference" if is_long else "",
        }
        return cut_note(*(cuts[name] for name in names))

    def asked(
        self, prompt: str, questions: tuple[Question, ...], texts: Mapping[str, object], **places: str
    ) -> Generator[Ask, Reply, Mapping[str, QuestionAnswer]]:
        """Ask these questions about the texts; `places` are filled into the prompt."""
        form, language = QuestionForm(questions), language_of(self.item)
        return self.setup.answered(prompt, language, form, data(**texts), **places)

    def listed(self, prompt: str, key: str, texts: Mapping[str, object]) -> Generator[Ask, Reply, tuple[str, ...]]:
        """Ask for a list of texts; Unreadable, before anything is asked, where the endpoint cannot be held to one."""
        if self.setup.mode is Mode.LAST_LINE:
            raise Unreadable("this model cannot reply in JSON, which a list needs", "")
        readings = yield from self.setup.answered(prompt, language_of(self.item), list_form(key), data(**texts))
        return readings[key].entries
