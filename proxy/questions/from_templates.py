"""Make questions from passages by patterns of sentences: no model is asked, and nothing leaves the machine."""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Iterator, Sequence
from hashlib import sha256

from proxy.questions.filtering import Kept, filtered
from proxy.questions.nearest import PassageIndex
from proxy.questions.records import BuiltQuestion, FactChange, Passage, QuestionKind
from proxy.questions.templates.facts import Fact, other_number
from proxy.questions.templates.reading import facts

VERSION = 1
# So many questions are looked at for each that two are joined to.
_PAIRED = 6


def from_templates(index: PassageIndex, *, single: int, multi: int, seed: int) -> Kept:
    """Make single-passage questions, and join two of one kind to questions that need both passages.

    Parameters
    ----------
    index : PassageIndex
        The passages.
    single, multi : int
        The most questions of each kind.
    seed : int
        Chooses among the questions where there are more.

    Returns
    -------
    Kept
        The questions, and what was dropped of those that were looked at, in an order by lot, until there were enough.
    """
    made = [question for passage in index.passages for question in _of_passage(passage)]
    kept = filtered(_in_lot(list(with_false_names(made)), seed), index, single + _PAIRED * multi)
    joined = filtered(_pairs(kept.questions, seed), index, multi)
    return Kept(
        questions=(*kept.questions[:single], *joined.questions),
        dropped=kept.dropped + joined.dropped,
        without_fact=len(index.passages) - len({question.sources[0].id for question in made}),
    )


def _of_passage(passage: Passage) -> Iterator[BuiltQuestion]:
    for fact in facts(passage.text):
        yield BuiltQuestion(
            kind=QuestionKind.SINGLE,
            question=fact.question,
            expected=(fact.answers,),
            sources=(passage,),
            maker=f"template {fact.template} v{VERSION}",
            change=_changed_number(fact, passage),
        )


def _changed_number(fact: Fact, passage: Passage) -> FactChange | None:
    other = other_number(fact.answers[0], fact.question)
    return None if other is None else FactChange(passage=passage.id, original=other[0], replacement=other[1])


def with_false_names(questions: Sequence[BuiltQuestion]) -> Iterator[BuiltQuestion]:
    """Yield the questions, those about a name with the name that another passage gives to a question of the same kind."""
    names: dict[str, set[str]] = defaultdict(set)
    for question in questions:
        names[question.maker].add(question.expected[0][0])
    in_order = {maker: sorted(several) for maker, several in names.items()}
    for question in questions:
        own = question.expected[0][0]
        other = None if question.change else _other(in_order[question.maker], own, question.id)
        if other is None:
            yield question
        else:
            yield question.with_change(FactChange(passage=question.sources[0].id, original=own, replacement=other))


def _other(names: Sequence[str], own: str, lot: str) -> str | None:
    """Choose another name by lot, the same each time; None where there is none."""
    start = int(sha256(lot.encode()).hexdigest()[:8], 16)
    turned = (names[(start + step) % len(names)] for step in range(len(names)))
    return next((name for name in turned if name.casefold() != own.casefold()), None)


def _in_lot(questions: Sequence[BuiltQuestion], seed: int) -> list[BuiltQuestion]:
    """Order the questions by lot; a question's place does not depend on which others there are."""
    return sorted(questions, key=lambda question: sha256(f"{seed}|{question.id}".encode()).digest())


def _pairs(questions: Sequence[BuiltQuestion], seed: int) -> Iterator[BuiltQuestion]:
    """Join questions of one template about different passages; each passage is in one pair, so that pairs are independent."""
    by_maker: dict[str, list[BuiltQuestion]] = defaultdict(list)
    for question in questions:
        by_maker[question.maker].append(question)
    pairs = [pair for group in by_maker.values() for pair in _different(group)]
    random.Random(seed).shuffle(pairs)  # noqa: S311
    used: set[str] = set()
    for first, second in pairs:
        sources = {first.sources[0].id, second.sources[0].id}
        if used & sources:
            continue
        used |= sources
        yield BuiltQuestion(
            kind=QuestionKind.MULTI,
            question=_both(first.question, second.question),
            expected=(*first.expected, *second.expected),
            sources=(*first.sources, *second.sources),
            maker=first.maker,
        )


def _different(questions: Sequence[BuiltQuestion]) -> Iterator[tuple[BuiltQuestion, BuiltQuestion]]:
    """Yield pairs from different passages with different answers, in order."""
    waiting: list[BuiltQuestion] = []
    for question in questions:
        partner = next((other for other in waiting if _is_partner(question, other)), None)
        if partner is None:
            waiting.append(question)
        else:
            waiting.remove(partner)
            yield partner, question


def _is_partner(question: BuiltQuestion, other: BuiltQuestion) -> bool:
    return question.sources[0].id != other.sources[0].id and question.expected != other.expected


def _both(first: str, second: str) -> str:
    """Ask both: in one sentence in English, one after the other where a question mark of full width or Korean ends the first."""
    if first.isascii() or "“" in first:
        return f"{first.removesuffix('?')}, and {second[0].lower()}{second[1:]}"
    return f"{first}{second}" if first.endswith("？") else f"{first} {second}"
