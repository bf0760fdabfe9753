"""Say what probing a model would take, and what its answers show of it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from annotate.domain.message import Kind, Message, Name, Number, Quote, Value, message
from annotate.domain.probe import Probed, ProbedQuestion, ProbeEstimate
from annotate.present.document import Block, Column, Detail, Document, Excerpt, Section, Status, Table
from annotate.present.quantity import cell
from proxy.questions.probe import ProbeVerdict, ReadingAbility

# Chosen: as many as a person reads at once.
SHOWN = 10
STATUS = {
    ReadingAbility.READS: Status.DONE,
    ReadingAbility.FAILS: Status.DONE,
    ReadingAbility.OPEN: Status.OPEN,
    ReadingAbility.UNKNOWN: Status.UNMEASURABLE,
}


def estimated(result: ProbeEstimate) -> Document:
    """Say what a probe would take."""
    if not result.answers:
        return Document(message("probe.no_failure"), Status.UNMEASURABLE)
    if not result.questions:
        return _without_question(result.answers)
    answer = message(
        "probe.estimate",
        count=result.questions,
        model=Name(result.model),
        passages=message("probe.passages", count=result.passages),
        answers=message("probe.answers", count=result.answers),
        calls=result.calls,
        prompt=result.prompt_tokens,
        completion=result.completion_tokens,
    )
    blocks: list[Block] = [message("probe.making", count=result.making)] if result.making else []
    if result.cost is not None:
        blocks.append(message("judging.cost", cost=Number(result.cost, Kind.MONEY)))
    blocks.append(message("judging.nothing_sent"))
    return Document(answer, sections=(Section(None, tuple(blocks)),))


def probed(result: Probed) -> Document:
    """Say what the answers show of the model, with the share of right ones in each condition."""
    notes = tuple(_notes(result))
    if not result.answers:
        return Document(message("probe.no_failure"), Status.UNMEASURABLE, notes=notes)
    if not result.questions:
        return _without_question(result.answers, *_left_out(result))._replace(notes=notes)
    first = result.scores[0].right
    answer = message(f"probe.{result.ability}", model=Name(result.model), share=cell(first, Kind.SHARE), count=first.n)
    sections = [Section(None, tuple(_blocks(result)))]
    if wrong := tuple(map(_excerpt, _not_right(result))):
        sections.append(Section(message("probe.not_right"), wrong[:SHOWN], Detail.FULL))
    return Document(answer, STATUS[result.ability], tuple(sections), notes)


def _without_question(answers: int, *reasons: Message) -> Document:
    advice = Section(None, (*reasons, message("probe.let_model_ask")))
    return Document(message("probe.no_question", count=answers), Status.UNMEASURABLE, sections=(advice,))


def _left_out(result: Probed) -> Iterator[Message]:
    """Say of how many answers there is no question, and which questions are not asked."""
    if result.without:
        yield message("probe.without", count=result.without)
    if result.own:
        yield message("probe.own", count=result.own, model=Name(result.model))
    if result.cut:
        yield message("probe.cut", count=result.cut)


def _blocks(result: Probed) -> Iterator[Block]:
    if result.ability is not ReadingAbility.UNKNOWN:
        yield message(f"probe.{result.ability}_why")
    yield message("probe.basis", count=result.answers - result.without)
    yield _scores(result)
    verdicts = Counter(question.verdict for question in result.questions)
    if refused := verdicts[ProbeVerdict.REFUSED]:
        yield message("probe.refused", count=refused)
    if unreadable := verdicts[ProbeVerdict.UNREADABLE]:
        yield message("probe.unreadable", count=unreadable)
    yield from _left_out(result)
    yield message("probe.synthetic")
    if result.requests:
        values: dict[str, Value] = {"count": result.requests, "tokens": result.tokens}
        cost = {} if result.cost is None else {"cost": Number(result.cost, Kind.MONEY)}
        yield message("judging.used_money" if cost else "judging.used", **values, **cost)


def _scores(result: Probed) -> Table:
    columns = (
        Column(message("probe.column_condition")),
        *(Column(message(f"probe.column_{name}"), is_number=True) for name in ("right", "count", "passages")),
    )
    rows = tuple(
        (message(f"probe.condition_{score.condition}"), cell(score.right, Kind.SHARE), score.right.n, score.passages)
        for score in result.scores
        if score.right.n
    )
    return Table(columns, rows, name="scores")


def _not_right(result: Probed) -> list[ProbedQuestion]:
    return [question for question in result.questions if question.verdict in (ProbeVerdict.WRONG, ProbeVerdict.REFUSED)]


def _excerpt(asked: ProbedQuestion) -> Excerpt:
    condition = message(f"probe.condition_{asked.condition}")
    return Excerpt(
        message("probe.question", question=Quote(asked.question), condition=condition),
        (
            (message("probe.expected"), Quote(asked.expected)),
            (message("probe.answered"), Quote(asked.text or "—")),
            (message("probe.of_answers"), Quote(", ".join(asked.answers))),
        ),
    )


def _notes(result: Probed) -> Iterator[Message]:
    if result.stopped:
        yield message("probe.stopped", reason=Quote(result.stopped))
    if lacking := sum(question.verdict is ProbeVerdict.UNANSWERED for question in result.questions):
        yield message("probe.unanswered", count=lacking)
