"""Build the document of a comparison of two systems: the difference, its pairs, what broke and what was fixed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from annotate.analysis.comparison.compare import Alone, ComparedSide, ComparedSystems, ListedPair
from annotate.domain.message import (
    Between,
    EvidenceText,
    IntervalBasis,
    Kind,
    Listing,
    Message,
    Name,
    Number,
    Quote,
    Step,
    Value,
    message,
    share,
)
from annotate.domain.turns import in_one_line
from annotate.present import graded
from annotate.present.actions import command_document
from annotate.present.document import (
    Block,
    Column,
    Detail,
    Document,
    Excerpt,
    Section,
    Status,
    Table,
)
from proxy.comparison.comparison import BONETT_PRICE, MOVER, POWERED, WEIGHTED, AnsweredQuestion, ComparisonStanding
from proxy.evaluation.estimate import Estimate

# Chosen: as many as a person reads at once; the rest is counted.
SHOWN = 10
LOOKS = frozenset({ComparisonStanding.LOOKS_BETTER, ComparisonStanding.LOOKS_WORSE})
STATUSES = {
    ComparisonStanding.BETTER: Status.MET,
    ComparisonStanding.WORSE: Status.MISSED,
    ComparisonStanding.LOOKS_BETTER: Status.OPEN,
    ComparisonStanding.LOOKS_WORSE: Status.OPEN,
    ComparisonStanding.NO_DIFFERENCE: Status.OPEN,
    ComparisonStanding.UNKNOWN: Status.UNMEASURABLE,
}
# A method may go on: clustered, averaged.
METHODS = {BONETT_PRICE: "pairs", WEIGHTED: "weighted", POWERED: "powered", MOVER: "rates"}


def document(result: ComparedSystems, steps: Sequence[Step] = ()) -> Document:
    """Build the document of a comparison.

    Parameters
    ----------
    result : ComparedSystems
        What labels and judges say of the second system against the first.
    steps : sequence of Step
        What to do next.
    """
    sections = [Section(None, tuple(_basis(result))), Section(message("systems.rates"), (_rates(result),))]
    if result.shared.questions:
        sections.append(Section(message("systems.pairs"), tuple(_pairs(result))))
    sections += _listed(result)
    if result.judge_grades:
        sections += graded.sections(result.judge_grades, _names(result))
    if result.comparison.difference.low is not None:
        how = message(f"systems.how_{method(result)}", n=result.comparison.difference.n)
        sections.append(Section(message("systems.how"), (how,), Detail.FULL))
    return Document(
        answer=answer(result),
        status=STATUSES[result.comparison.standing],
        sections=tuple(sections),
        notes=result.notes,
        next=tuple(steps),
    )


def alone(result: Alone, steps: Sequence[Step] = ()) -> Document:
    """Say that one system alone cannot be compared."""
    others = [message("pairs.others", systems=Listing(tuple(map(Name, result.others))))] if result.others else []
    answer = message("pairs.alone", reason=result.gate.reasons[0])
    return command_document(answer, *others, steps=steps)._replace(status=Status.UNMEASURABLE)


def answer(result: ComparedSystems) -> Message:
    """Say what is shown of the second against the first, with the difference that shows it."""
    standing = result.comparison.standing
    key = standing.name.lower()
    if result.objections and standing in LOOKS:
        key = key.replace("looks", "doubted")
    first, second = _names(result)
    reason = result.objections[0].reason if result.objections else None
    values: dict[str, Value] = {"first": Name(first), "second": Name(second), "difference": difference(result)}
    return message(f"systems.say_{key}", **values, reason=reason)


def differences(result: ComparedSystems) -> Table:
    """Set the new one beside the old: right answers, and right answers among the passed, the difference first."""
    first, second = result.sides
    columns = (
        Column(message("systems.long_run")),
        Column(
            message("systems.difference_points"),
            is_number=True,
            help=message("systems.difference_help"),
            has_bars=True,
        ),
        *(Column(Name(side.name), is_number=True) for side in (second, first)),
    )
    rows = (
        (_right_answers(result), difference(result), _share(second.rate), _share(first.rate)),
        (
            message("measures.pass_precision"),
            _points(result.among_passed),
            _share(second.pass_precision),
            _share(first.pass_precision),
        ),
    )
    return Table(columns, rows, name="differences")


def _right_answers(result: ComparedSystems) -> Message:
    """Name the row; where the difference is of shared questions alone, it is not that of the two rates beside it."""
    if method(result) == "rates":
        return message("systems.right_answers")
    return message("systems.right_answers_shared", count=result.comparison.difference.n)


def changed(result: ComparedSystems, *, broken: bool) -> Message:
    """Say how many questions broke, or were fixed, of those with both answers labelled."""
    count = sum(listed.is_broken is broken for listed in result.listed)
    key = "systems.broke_of" if broken else "systems.fixed_of"
    return message(key, count=count, pairs=len(result.shared.pairs))


def listed(result: ComparedSystems, names: tuple[str, str]) -> Table:
    """List the questions of which one answer is right and the other wrong."""
    columns = (
        Column(message("systems.what")),
        Column(message("systems.question"), is_wide=True),
        *(Column(Name(name)) for name in names),
    )
    rows = tuple(
        (
            message("systems.broke" if question.is_broken else "systems.mended"),
            Quote(question.first.question),
            called(question.pair.first),
            called(question.pair.second),
        )
        for question in result.listed
    )
    return Table(columns, rows, name="listed")


def called(answered: AnsweredQuestion) -> Message:
    """Say what annotators and the proxy call an answer."""
    right = answered.right or 0.0
    label = message("systems.partly", share=share(right))
    if right in {0.0, 1.0}:
        label = message("systems.right" if right else "systems.wrong")
    return message("systems.annotators_say", label=label, verdict=message(f"systems.{answered.verdict.value}"))


def difference(result: ComparedSystems) -> EvidenceText:
    """Give the second's share right minus the first's, in points."""
    return _points(result.comparison.difference)


def _points(estimate: Estimate) -> EvidenceText:
    return EvidenceText(estimate, Kind.POINTS, IntervalBasis.WINDOW, is_signed=True)


def _share(estimate: Estimate) -> EvidenceText:
    return EvidenceText(estimate, Kind.SHARE, IntervalBasis.WINDOW)


def method(result: ComparedSystems) -> str:
    """Name where the difference comes from."""
    method_text = result.comparison.difference.method
    return next((name for beginning, name in METHODS.items() if method_text.startswith(beginning)), "rates")


def _names(result: ComparedSystems) -> tuple[str, str]:
    first, second = result.sides
    return first.name, second.name


def _basis(result: ComparedSystems) -> Iterator[Message]:
    """What the number rests on and speaks of."""
    comparison = result.comparison
    measured = comparison.difference
    if result.objections:
        yield message("report.reason", reason=result.objections[0].reason)
    if comparison.standing is ComparisonStanding.UNKNOWN:
        yield message("report.reason", reason=measured.reason)
        return
    if comparison.is_paired:
        p_value = Number(comparison.mid_p, Kind.P_VALUE)
        key = "systems.basis_pairs_grouped" if comparison.counts_groups else "systems.basis_pairs"
        yield message(key, count=measured.n, p=p_value)
    else:
        yield message("systems.basis_rates", count=measured.n)
        if not result.same_questions:
            yield message("systems.different_questions", shared=result.shared.questions)
    if comparison.is_paired and comparison.exact is not None:
        yield message("systems.exact", value=Number(comparison.exact, Kind.POINTS, is_signed=True))
    if comparison.standing not in {ComparisonStanding.BETTER, ComparisonStanding.WORSE}:
        yield from _more(result)


def _more(result: ComparedSystems) -> Iterator[Message]:
    """Say how many more labels would tell a difference, or that there are not as many answers."""
    more, left = result.comparison.more, result.left_to_tell
    if more:
        unit = "_pairs" if result.comparison.is_paired else ""
        key = "more" if more <= left else "too_many"
        yield message(f"systems.{key}{unit}", more=more, left=left)


def _rates(result: ComparedSystems) -> Table:
    """The share right of both, in the long run."""
    columns = (
        Column(message("systems.system"), is_wide=True),
        Column(message("side_by_side.share_right"), is_number=True),
        Column(message("systems.long_run"), is_number=True),
        *(Column(message(f"systems.{name}"), is_number=True) for name in ("labels_column", "answers", "questions")),
        Column(message("systems.why_not"), is_wide=True),
    )
    rows = tuple(map(_rate, result.sides))
    if not any(row[-1] for row in rows):
        columns, rows = columns[:-1], tuple(row[:-1] for row in rows)
    return Table(columns, rows, name="rates")


def _rate(side: ComparedSide) -> tuple[Value, ...]:
    rate = side.rate
    sizes = (rate.n, side.counted.items, side.counted.questions)
    return (Name(side.name), share(rate.estimate), Between(rate.low, rate.high, Kind.SHARE), *sizes, rate.reason or "")


def _pairs(result: ComparedSystems) -> Iterator[Block]:
    """The labelled pairs by who is right."""
    shared, counts = result.shared, result.comparison.counts
    yield message("systems.pairs_counts", questions=shared.questions, labelled=len(shared.pairs))
    if counts is not None:
        names = ("both", "only_first", "only_second", "neither")
        columns = tuple(Column(message(f"systems.{name}"), is_number=True) for name in names)
        yield Table(columns, (tuple(counts),), name="pairs")
    if shared.repeated:
        yield message("systems.repeated", n=shared.repeated)
    if shared.out_of_reach:
        yield message("systems.out_of_reach", n=shared.out_of_reach)
    if result.hand_picked:
        yield message("systems.hand_picked", n=result.hand_picked)


def _listed(result: ComparedSystems) -> Iterator[Section]:
    """What broke and what was fixed: the counts, and with --full both answers."""
    if not result.listed:
        return
    broke = sum(listed.is_broken for listed in result.listed)
    counts = message("systems.listed_counts", broke=broke, mended=len(result.listed) - broke)
    yield Section(message("systems.listed"), (counts,))
    for is_broken, key in ((True, "systems.broke"), (False, "systems.mended")):
        each = [listed for listed in result.listed if listed.is_broken is is_broken]
        blocks: list[Block] = [_excerpt(listed, *_names(result)) for listed in each[:SHOWN]]
        if len(each) > SHOWN:
            blocks.append(message("systems.listed_more", count=len(each) - SHOWN))
        if blocks:
            yield Section(message(key), tuple(blocks), Detail.FULL)


def _excerpt(listed: ListedPair, *names: str) -> Excerpt:
    question = Quote(in_one_line(listed.first.question, listed.first.history))
    sides = zip(names, (listed.first, listed.second), (listed.pair.first, listed.pair.second), strict=True)
    texts = tuple(
        (
            message(
                "systems.answer_of",
                name=Name(name),
                id=Name(item.id),
                verdict=message(f"systems.{answered.verdict.value}"),
            ),
            Quote(item.answer or "—"),
        )
        for name, item, answered in sides
    )
    return Excerpt(message("systems.asked", question=question), texts)
