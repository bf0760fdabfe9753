"""Make questions from passages by a model, and ask it again to answer each from its sources alone: the round trip.

A question that the words of its passages speak against is dropped before anything more is asked. Nothing here uses a network: the
asks are led through an endpoint by `proxy.llm.runner`.
"""

from __future__ import annotations

from collections.abc import Generator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from proxy.judges.llm.asking import Ask, QuestionAnswer, Reply, Unreadable
from proxy.judges.llm.base import Setup, Steps, data, passages
from proxy.judges.llm.form import Question, QuestionForm
from proxy.judges.llm.prompts import language_of
from proxy.questions.filtering import reason_against
from proxy.questions.marking import all_hold
from proxy.questions.nearest import PassageIndex
from proxy.questions.records import BuiltQuestion, DropReason, FactChange, Passage, QuestionKind, short_hash
from proxy.records import Context, Item
from proxy.text.language import is_traditional, language

VERSION = 1
ANSWER_PROMPT = "answer_from_passages"
ASKED, GIVEN, NONE, ANSWERED = "asked", "given", "none", "answered"
TEXT = "text"
ALIASES = ("alias1", "alias2", "alias3")
PROMPTS = {QuestionKind.SINGLE: "question_from_passage", QuestionKind.MULTI: "question_from_passages"}
FORMS = {
    QuestionKind.SINGLE: QuestionForm(
        (
            Question(key="question", choices=(ASKED, NONE), note=TEXT),
            *(Question(key=key, choices=(GIVEN, NONE), note=TEXT) for key in ("answer", *ALIASES, "false_answer")),
        )
    ),
    QuestionKind.MULTI: QuestionForm(
        (
            Question(key="question", choices=(ASKED, NONE), note=TEXT),
            *(Question(key=key, choices=(GIVEN, NONE), note=TEXT) for key in ("answer1", "answer2")),
        )
    ),
}
ANSWER_FORM = QuestionForm((Question(key="answer", choices=(ANSWERED, "not_answerable"), note=TEXT),))


def subject(sources: Sequence[Passage]) -> Item:
    """Return the item of which a question is made: the passages alone, in the language that they are written in.

    Its id is made of hashes of the texts, so that it is the same whenever they are.
    """
    text = " ".join(source.text for source in sources)
    written = language(text)
    tag = ("zh-Hant" if is_traditional(text) else "zh-Hans") if written == "zh" else written or "en"
    contexts = tuple(Context(text=source.text, id=source.id) for source in sources)
    identity = "+".join(short_hash(source.text) for source in sources)
    return Item(id=identity, question="", answer="", contexts=contexts, language=tag)


@dataclass
class QuestionMaker:
    """Makes questions of one kind, of `sources` by the id of their subject; it is led as an LLM judge is.

    `outcomes` has what became of each subject.
    """

    setup: Setup
    kind: QuestionKind
    index: PassageIndex
    sources: Mapping[str, tuple[Passage, ...]]
    outcomes: dict[str, BuiltQuestion | DropReason] = field(default_factory=dict)

    @property
    def judges(self) -> tuple[tuple[str, str], ...]:
        """The name and signature that requests are kept under."""
        return ((PROMPTS[self.kind], self.signature),)

    @property
    def signature(self) -> str:
        """All that shapes a question and its round trip."""
        prompt = PROMPTS[self.kind]
        answering = self.setup.prompts.digest(ANSWER_PROMPT)
        return self.setup.signature(prompt, prompt, VERSION, answering=answering)

    @property
    def settings(self) -> Mapping[str, object]:
        """What the digest in the signature stands for."""
        prompt = PROMPTS[self.kind]
        return self.setup.settings(prompt, answering=self.setup.prompts.digest(ANSWER_PROMPT))

    def steps(self, item: Item) -> Steps:
        """Ask for a question, and for its answer from its sources; of this no score comes."""
        try:
            self.outcomes[item.id] = yield from self._outcome(item)
        except Unreadable:
            self.outcomes[item.id] = DropReason.UNREADABLE
        return ()

    def _outcome(self, item: Item) -> Generator[Ask, Reply, BuiltQuestion | DropReason]:
        question = yield from self._made(item)
        if question is None:
            return DropReason.NO_QUESTION
        if reason := reason_against(question, self.index):
            return reason
        if not (yield from self._is_answered(question, item)):
            return DropReason.ROUND_TRIP
        for context in item.contexts if self.kind is QuestionKind.MULTI else ():
            if (yield from self._is_answered(question, replace(item, contexts=(context,)))):
                return DropReason.ONE_IS_ENOUGH
        return question

    def _made(self, item: Item) -> Generator[Ask, Reply, BuiltQuestion | None]:
        texts, _ = passages(item, self.setup.context_limit)
        user = data(passages=texts)
        answers = yield from self.setup.answered(PROMPTS[self.kind], language_of(item), FORMS[self.kind], user)
        asked = answers["question"]
        if asked.verdict != ASKED or not asked.note.strip():
            return None
        expected = _expected(answers)
        if not expected:
            return None
        return BuiltQuestion(
            kind=self.kind,
            question=" ".join(asked.note.split()),
            expected=expected,
            sources=self.sources[item.id],
            maker=self.signature,
            change=_change(answers, self.sources[item.id][0].id),
        )

    def _is_answered(self, question: BuiltQuestion, item: Item) -> Generator[Ask, Reply, bool]:
        """Have the question answered from these passages alone, and compare."""
        texts, _ = passages(item, self.setup.context_limit)
        user = data(question=question.question, passages=texts)
        answers = yield from self.setup.answered(ANSWER_PROMPT, language_of(item), ANSWER_FORM, user)
        answer = answers["answer"]
        return answer.verdict == ANSWERED and all_hold([answer.note], question.expected)


def _expected(answers: Mapping[str, QuestionAnswer]) -> tuple[tuple[str, ...], ...]:
    """Return the groups of expected texts: the answer with its aliases, or an answer of each passage; nothing where one lacks."""
    if "answer" in answers:
        texts = [_text(answers[key]) for key in ("answer", *ALIASES)]
        return (tuple(dict.fromkeys(text for text in texts if text)),) if texts[0] else ()
    parts = [_text(answers[key]) for key in ("answer1", "answer2")]
    return tuple((part,) for part in parts) if all(parts) else ()


def _change(answers: Mapping[str, QuestionAnswer], source: str) -> FactChange | None:
    false = _text(answers["false_answer"]) if "false_answer" in answers else ""
    original = _text(answers["answer"]) if false else ""
    is_other = false and original and false.casefold() != original.casefold()
    return FactChange(passage=source, original=original, replacement=false) if is_other else None


def _text(answer: QuestionAnswer) -> str:
    return " ".join(answer.note.split()) if answer.verdict == GIVEN else ""
