"""Say what building test questions came to, which there are, and how a system answered them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from annotate.analysis.questions.listing import ListedQuestion, QuestionListing
from annotate.analysis.questions.score import ScoredQuestions
from annotate.domain.gold import GoldStatus
from annotate.domain.message import Code, Kind, Listing, Message, Name, Number, Quote, Step, Value, message
from annotate.domain.questions import QuestionsBuilt
from annotate.present.actions import WrittenFile, command_document
from annotate.present.document import Block, Column, Document, Section, Table
from annotate.present.quantity import cell
from proxy.evaluation.estimate import Estimate
from proxy.questions.records import Ability, DropReason
from proxy.questions.scoring import AbilityQuantity, AbilityScore

# Chosen: rows for which the brief answer of 25 lines has room where none breaks.
SHOWN = 12
NAMED = 3


def built(result: QuestionsBuilt, steps: Sequence[Step] = ()) -> Document:
    """Say how many questions and items are new, and what was dropped and why."""
    answer = message(
        "questions.built",
        count=sum(result.added.values()),
        items=message("questions.built_items", count=sum(result.items.values())),
        passages=message("questions.built_passages", count=result.passages),
    )
    return command_document(answer, *_built_blocks(result), notes=_built_notes(result), steps=steps)


def listed(result: QuestionListing, steps: Sequence[Step] = ()) -> Document:
    """List the questions with their answers."""
    if not result.counts:
        return Document(answer=message("questions.none"), next=tuple(steps))
    counts = {status.value: result.counts.get(status, 0) for status in GoldStatus}
    answer = message("questions.listed", count=sum(counts.values()), **counts)
    return Document(answer=answer, sections=(Section(None, (_questions(result.questions),)),), next=tuple(steps))


def exported(result: WrittenFile, steps: Sequence[Step] = ()) -> Document:
    """Say how many items were written."""
    return command_document(message("questions.exported", count=result.rows, file=Code(result.file)), steps=steps)


def scored(result: ScoredQuestions) -> Document:
    """Build the document of a system's scores."""
    counts = {"count": result.answered, "items": result.items}
    answer = (
        message("questions.scored_unnamed", **counts)
        if result.system is None
        else message("questions.scored", **counts, system=Name(result.system))
    )
    blocks: tuple[Block, ...] = (
        *_answered(result),
        _scores(result.scores),
        *_undefined(result.scores),
        message("questions.how"),
    )
    return Document(answer=answer, sections=(Section(None, blocks),), notes=tuple(_score_notes(result)))


def _built_blocks(result: QuestionsBuilt) -> Iterator[Block]:
    if result.unchanged:
        yield message("questions.unchanged", count=result.unchanged)
    if result.items_of_known:
        yield message("questions.items_of_known", count=result.items_of_known)
    if result.items or result.missing:
        yield _abilities(result.items, result.missing)
    if result.without_fact:
        yield message("questions.without_fact", count=result.without_fact)
    if result.dropped:
        reasons = (
            message(f"questions.drop_{reason.value}", count=result.dropped.get(reason, 0)) for reason in DropReason
        )
        kept = tuple(reason for reason in reasons if reason.values["count"])
        yield message("questions.dropped", reasons=Listing(kept, "values.semicolon"))
    if result.requests:
        values: dict[str, Value] = {"count": result.requests, "tokens": result.tokens}
        if result.cost is None:
            yield message("judging.used", **values)
        else:
            yield message("judging.used_money", **values, cost=Number(result.cost, Kind.MONEY))
    if result.added:
        yield message("questions.candidates")


def _built_notes(result: QuestionsBuilt) -> Iterator[Message]:
    if result.unread:
        yield message("questions.unread", count=result.unread)
    if result.refused:
        yield message("questions.refused", count=result.refused)
    if result.stopped:
        yield message("questions.stopped", reason=Quote(result.stopped))


def _abilities(items: Mapping[Ability, int], missing: Mapping[Ability, int]) -> Table:
    columns = (
        Column(message("questions.column_ability")),
        Column(message("questions.column_items"), is_number=True),
        Column(message("questions.column_missing"), is_number=True, help=message("questions.missing_help")),
    )
    rows = tuple(
        (message(f"questions.ability_{ability.value}"), items.get(ability, 0), missing.get(ability, 0))
        for ability in Ability
    )
    return Table(columns, rows, name="items")


def _questions(questions: Sequence[ListedQuestion]) -> Table:
    columns = (
        Column(message("questions.column_entry")),
        Column(message("questions.column_status")),
        Column(message("questions.column_kind")),
        Column(message("questions.column_question"), is_wide=True),
        Column(message("questions.column_answer"), is_wide=True),
        Column(message("questions.column_items"), is_number=True),
    )
    rows = tuple(
        (
            Name(question.gold_id),
            message(f"gold.status_{question.status.value}"),
            message(f"questions.kind_{question.kind.value}"),
            Quote(question.question),
            Quote(question.reference),
            question.items,
        )
        for question in questions
    )
    return Table(columns, rows, name="questions", most=SHOWN)


def _answered(result: ScoredQuestions) -> Iterator[Message]:
    """Say how many questions a person has accepted, and which answers are missing, empty or copied."""
    yield message("questions.scored_accepted", count=result.accepted, answered=result.answered)
    if result.unanswered:
        named: list[Value] = [Name(item) for item in result.unanswered[:NAMED]]
        if (more := len(result.unanswered) - NAMED) > 0:
            named.append(message("ingest.and_more", count=more))
        yield message("questions.unanswered", count=len(result.unanswered), items=Listing(tuple(named)))
    if result.empty:
        yield message("questions.empty", count=result.empty)
    if result.copying:
        yield message("questions.copying", count=result.copying)


def _scores(scores: Sequence[AbilityScore]) -> Table:
    columns = (
        Column(message("questions.column_quantity")),
        Column(message("questions.column_noise"), is_number=True),
        *(
            Column(message(f"questions.column_{name}"), is_number=True)
            for name in ("rgb", "fixed", "count", "passages")
        ),
    )
    rows = tuple(
        (
            _quantity(score.quantity),
            None if score.noise_rate is None else Number(score.noise_rate, Kind.SHARE),
            _share(score.rgb),
            _share(score.fixed),
            score.rgb.n if score.rgb.n == score.fixed.n else Listing((score.rgb.n, score.fixed.n)),
            score.passages,
        )
        for score in scores
    )
    return Table(columns, rows, name="scores")


def _share(estimate: Estimate) -> Value:
    return cell(estimate, Kind.SHARE)


def _undefined(scores: Sequence[AbilityScore]) -> Iterator[Message]:
    """Say why a quantity is not known, or has no interval, once for both ways of marking."""
    for score in scores:
        reasons = dict.fromkeys(estimate.reason for estimate in (score.rgb, score.fixed) if estimate.reason)
        for reason in reasons:
            yield message("questions.undefined", quantity=_quantity(score.quantity), reason=reason)


def _quantity(quantity: AbilityQuantity) -> Message:
    return message(f"questions.quantity_{quantity.value}")


def _score_notes(result: ScoredQuestions) -> Iterator[Message]:
    counts = {"unknown": result.unknown, "repeated": result.repeated, "unreadable": result.refused}
    return (message(f"questions.{name}", count=count) for name, count in counts.items() if count)
