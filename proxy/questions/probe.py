"""Probe a model with questions whose answers are known, made from passages that an answer failed on.

A wrong answer from a passage that holds the right one is either a single miss or a passage that the model cannot read. Questions
about other facts of the same passage tell them apart. They are synthetic, and say nothing of how often the traffic is wrong.

A question is kept only where its answer stands in its passage, and no other passage of the same answer is as near to it. A model
is never asked what it made up itself: such questions were kept because it answers them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import NamedTuple

from proxy.evaluation.estimate import Estimate
from proxy.judges.base import MODEL
from proxy.judges.llm.asking import Unreadable
from proxy.judges.llm.base import Setup, Steps, data, passages
from proxy.judges.llm.prompts import language_of
from proxy.questions.filtering import filtered
from proxy.questions.from_model import ANSWER_FORM, ANSWER_PROMPT, ANSWERED
from proxy.questions.from_templates import from_templates
from proxy.questions.marking import all_hold, fixed_marks, normal
from proxy.questions.nearest import PassageIndex
from proxy.questions.records import BuiltQuestion, DropReason, Passage, QuestionKind, distinct, short_hash
from proxy.questions.scoring import clustered_share
from proxy.records import Context, Item
from proxy.stats.components import components

NAME, VERSION = "probe", 1
MOST = 0.5
NONE_ASKED = "no question was asked in this way"
# Questions by patterns that are looked at for each passage.
_LOOKED_AT = 50


class ProbeCondition(StrEnum):
    """What a question is asked with."""

    GIVEN = "as_given"  # all passages of the failed answer, in their order
    ALONE = "alone"  # the passage that it was made from, by itself


class ProbeVerdict(StrEnum):
    """What the model's answer to a question came to."""

    RIGHT = "right"
    WRONG = "wrong"
    REFUSED = "refused"  # it says that the passages do not hold the answer: not right
    UNREADABLE = "unreadable"  # twice not in the form that was asked for: counts nowhere
    UNANSWERED = "unanswered"  # the endpoint gave no reply: the next run asks again


class ReadingAbility(StrEnum):
    """What the probe shows of the model and such passages, by the interval of the questions asked as the answer was."""

    READS = "reads"  # it answers most of them right
    FAILS = "fails"  # it answers most of them not right
    OPEN = "open"  # the interval holds both
    UNKNOWN = "unknown"  # there is no interval


@dataclass(frozen=True, kw_only=True, slots=True)
class FailedAnswer:
    """An answer that failed at synthesis: its passages in rank order, and the place of the one that holds the answer.

    `contexts` are the passages as they may leave, `kept` the same as they are kept, by which questions and replies about them
    are found again.
    """

    id: str
    contexts: tuple[Passage, ...]
    kept: tuple[Passage, ...]
    place: int

    @property
    def source(self) -> Passage:
        """The passage that holds the answer, as it may leave."""
        return self.contexts[self.place]

    @property
    def kept_source(self) -> Passage:
        """The same as it is kept."""
        return self.kept[self.place]


@dataclass(frozen=True, kw_only=True, slots=True)
class Probe:
    """A question about a passage of failed answers, and the passages that it is asked with. `subject` names these by hashes."""

    question: BuiltQuestion
    condition: ProbeCondition
    contexts: tuple[Passage, ...]
    subject: str
    answers: tuple[str, ...]

    @property
    def item(self) -> Item:
        """What is sent."""
        contexts = tuple(Context(text=passage.text) for passage in self.contexts)
        return Item(id=self.subject, question=self.question.question, answer="", contexts=contexts)


@dataclass(frozen=True, kw_only=True, slots=True)
class Probes:
    """What there is to ask.

    `without` counts answers of which no question could be made, `dropped` questions by the reason why they were not kept,
    `own` questions that were left out because the model had made them, `cut` those whose passage is not sent whole.
    """

    probes: tuple[Probe, ...]
    without: int
    dropped: Mapping[DropReason, int]
    own: int
    cut: int


class ProbeOutcome(NamedTuple):
    """What the model answered."""

    verdict: ProbeVerdict
    text: str = ""


@dataclass(frozen=True, kw_only=True, slots=True)
class ProbeScore:
    """The share of questions that the model answered right in one condition, and from how many passages they were made."""

    condition: ProbeCondition
    right: Estimate
    passages: int


def source_of(question: str, reference: str | None, contexts: Sequence[Passage]) -> int:
    """Return the place of the passage that is nearest (BM25) to a question and, where it is known, to its right answer."""
    ranked = PassageIndex(distinct(contexts)).ranked(f"{question} {reference or ''}")
    return contexts.index(ranked[0]) if ranked else 0


def probes_of(
    failed: Sequence[FailedAnswer], made: Sequence[BuiltQuestion], *, model: str, most: int, limit: int, seed: int = 0
) -> Probes:
    """Make the questions about passages that answers failed on.

    Parameters
    ----------
    failed : Sequence of FailedAnswer
        The answers.
    made : Sequence of BuiltQuestion
        Questions that are there already; those about one of the passages come first, before patterns of plain sentences.
    model : str
        The model that will be asked; what it made itself is left out.
    most : int
        The most questions about the passage of an answer.
    limit : int
        The most characters of passages that are sent.
    seed : int
        Chooses among questions by patterns.

    Returns
    -------
    Probes
        Each question with all passages of its answer and, where these are several, with its own alone. A question that two
        answers with the same passages give is one probe. The one passage of an answer may be one of several of another: then a
        question counts in both conditions, and is sent once.
    """
    by_others = [question for question in made if f"{MODEL}{model}|v" not in question.maker]
    probes: dict[tuple[ProbeCondition, str, str], Probe] = {}
    dropped: Counter[DropReason] = Counter()
    without = own = cut = 0
    for answer in failed:
        about = _about(answer, by_others)
        own += len(_about(answer, made)) - len(about)
        by_patterns = from_templates(PassageIndex([answer.source]), single=_LOOKED_AT, multi=0, seed=seed)
        kept = filtered((*about, *by_patterns.questions), PassageIndex(distinct(answer.contexts)), most)
        dropped += kept.dropped
        without += not kept.questions
        for probe in (probe for question in kept.questions for probe in asked_with(answer, question)):
            if not _is_whole(probe, limit):
                cut += 1
                continue
            key = (probe.condition, probe.subject, probe.question.question)
            before = probes.get(key)
            probes[key] = probe if before is None else replace(before, answers=(*before.answers, answer.id))
    return Probes(probes=tuple(probes.values()), without=without, dropped=dropped, own=own, cut=cut)


def asked_with(answer: FailedAnswer, question: BuiltQuestion) -> Iterator[Probe]:
    """Yield a question with all passages of the answer, and with its own passage alone where there are others."""
    alone = (ProbeCondition.ALONE, (answer.source,), (answer.kept_source,))
    several = ((ProbeCondition.GIVEN, answer.contexts, answer.kept), *([alone] if len(answer.contexts) > 1 else []))
    for condition, contexts, kept in several:
        yield Probe(
            question=question,
            condition=condition,
            contexts=contexts,
            subject="+".join(short_hash(passage.text) for passage in kept),
            answers=(answer.id,),
        )


def _about(answer: FailedAnswer, questions: Sequence[BuiltQuestion]) -> list[BuiltQuestion]:
    """Return the questions of the answer's passage alone, made of it as it may leave."""
    return [
        replace(question, sources=(answer.source,))
        for question in questions
        if question.kind is QuestionKind.SINGLE and normal(question.sources[0].text) == normal(answer.kept_source.text)
    ]


def _is_whole(probe: Probe, limit: int) -> bool:
    texts, _ = passages(probe.item, limit)
    return all_hold(texts, probe.question.expected)


@dataclass
class ProbeAsker:
    """Asks one question; it is led as an LLM judge is. `outcome` has what the model answered, None before that."""

    setup: Setup
    probe: Probe
    outcome: ProbeOutcome | None = None

    @property
    def judges(self) -> tuple[tuple[str, str], ...]:
        """The name and signature that requests are kept under."""
        return ((NAME, self.signature),)

    @property
    def signature(self) -> str:
        """All that shapes the answer but the passages; not what is expected, so that a correction of it asks nothing again."""
        return self.setup.signature(NAME, ANSWER_PROMPT, VERSION, question=short_hash(self.probe.question.question))

    @property
    def settings(self) -> Mapping[str, object]:
        """What the digest in the signature stands for."""
        return self.setup.settings(ANSWER_PROMPT)

    def steps(self, item: Item) -> Steps:
        """Ask the question; of this no score comes."""
        texts, _ = passages(item, self.setup.context_limit)
        user = data(question=item.question, passages=texts)
        try:
            answers = yield from self.setup.answered(ANSWER_PROMPT, language_of(item), ANSWER_FORM, user)
        except Unreadable:
            self.outcome = ProbeOutcome(ProbeVerdict.UNREADABLE)
            return ()
        answer = answers["answer"]
        self.outcome = ProbeOutcome(self._verdict(answer.verdict, answer.note), answer.note.strip())
        return ()

    def _verdict(self, verdict: str, text: str) -> ProbeVerdict:
        if verdict != ANSWERED or not text.strip():
            return ProbeVerdict.REFUSED
        marks = fixed_marks(text, self.probe.question.expected)
        return ProbeVerdict.RIGHT if marks.is_right else ProbeVerdict.WRONG


def probe_scores(answered: Sequence[tuple[Probe, ProbeVerdict]]) -> tuple[ProbeScore, ...]:
    """Score the answers in each condition; those that are unreadable or lack count nowhere.

    The questions about one passage succeed and fail together, so the interval counts passages (`clustered_share`).
    """
    return tuple(
        _score(condition, [(probe, verdict) for probe, verdict in answered if probe.condition is condition])
        for condition in ProbeCondition
    )


def _score(condition: ProbeCondition, answered: Sequence[tuple[Probe, ProbeVerdict]]) -> ProbeScore:
    counted = [
        (probe.question.sources[0].id, verdict is ProbeVerdict.RIGHT)
        for probe, verdict in answered
        if verdict not in (ProbeVerdict.UNREADABLE, ProbeVerdict.UNANSWERED)
    ]
    groups = components([source] for source, _ in counted)
    share = clustered_share([is_right for _, is_right in counted], groups, NONE_ASKED)
    return ProbeScore(condition=condition, right=share, passages=len(set(groups)))


def reading_ability(share: Estimate) -> ReadingAbility:
    """Say what the share of right answers shows: most, or not most, only where the whole interval is on one side of a half."""
    if share.low is None or share.high is None:
        return ReadingAbility.UNKNOWN
    if share.low > MOST:
        return ReadingAbility.READS
    return ReadingAbility.FAILS if share.high < MOST else ReadingAbility.OPEN
