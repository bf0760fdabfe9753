"""Build the document of a ranking: who is best, or that nobody can be distinguished from whom, and the pairs that show it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from annotate.analysis.comparison.by_criterion import CAUSES
from annotate.analysis.comparison.rank import Ranked
from annotate.domain.message import (
    Between,
    Code,
    EvidenceText,
    IntervalBasis,
    Kind,
    Listing,
    Message,
    Name,
    Number,
    Step,
    Value,
    message,
    share,
)
from annotate.present.document import Column, Detail, Document, Section, Status, Table
from proxy.comparison.ranking import Against, SystemStanding
from proxy.evaluation.estimate import Estimate

# Chosen: rows for which the brief answer of 25 lines has room.
SHOWN_SYSTEMS, SHOWN_PAIRS = 6, 3


def document(result: Ranked, steps: Sequence[Step] = ()) -> Document:
    """Build the document of a ranking.

    Parameters
    ----------
    result : Ranked
        The systems with their standings.
    steps : sequence of Step
        What to do next.
    """
    sections = [Section(None, tuple(_basis(result))), Section(message("systems.ranking"), (systems(result),))]
    if result.standings.pairs:
        sections.append(Section(message("systems.every_pair"), (pairs(result),)))
    sections.append(Section(message("systems.how"), (message("systems.ranking_note"),), Detail.FULL))
    return Document(
        answer=answer(result),
        status=_status(result),
        sections=tuple(sections),
        notes=tuple(notes(result)),
        next=tuple(steps),
    )


def answer(result: Ranked) -> Message:
    """Say who is best, or who cannot be distinguished, and by which criterion."""
    if result.criterion is None:
        return _answer(result)
    return message("systems.ranked_by", criterion=Name(result.criterion), words=_answer(result))


def _answer(result: Ranked) -> Message:
    standings = result.standings
    if not standings.measured:
        is_silent = any(system.wrong.is_silent for system in result.systems)
        return message("systems.rank_none_named" if result.criterion and is_silent else "systems.rank_none")
    if result.objections:
        return message("systems.rank_objection")
    if len(standings.measured) == 1:
        return message("systems.rank_alone", names=_name(result, standings.measured[0]))
    first = standings.leaders[0]
    if len(standings.leaders) > 1:
        names = Listing(tuple(_name(result, leader) for leader in standings.leaders))
        return message("systems.rank_tied" if standings.clear else "systems.rank_equal", names=names)
    if first.worst == 1:
        rate = EvidenceText(first.correctness, Kind.SHARE, IntervalBasis.WINDOW)
        key = "systems.rank_best" if standings.is_lasting else "systems.rank_best_here"
        return message(f"{key}_by" if result.criterion else key, names=_name(result, first), rate=rate)
    return message("systems.rank_leads", names=_name(result, first))


def picture(result: Ranked) -> Message:
    """Say the ranks of each system, and both rates with their intervals."""
    bars = tuple(
        message("values.colon", label=Listing((ranks(standing), _name(result, standing))), words=rate)
        for standing in result.standings.measured
        for rate in (_rate("measures.window", standing.correctness), _rate("measures.long_run", standing.long_run))
    )
    return message("systems.ranking_alt", bars=Listing(bars, "values.semicolon"))


def reason(result: Ranked, standing: SystemStanding) -> Message | str | None:
    """Say why a system has no rate; None where it has one."""
    system = result.systems[standing.number]
    if standing.correctness.estimate is not None:
        return None
    if result.criterion and system.wrong.is_silent:
        return message("systems.rank_no_cause", count=system.wrong.wrong)
    if system.answers and system.out_of_reach == system.answers:
        return message("systems.rank_unreached", count=system.answers)
    if system.answers and not sum(system.left):
        return message("systems.rank_none_left")
    return standing.correctness.reason


def notes(result: Ranked) -> Iterator[Message | str]:
    """Say what could not be taken into account."""
    yield from result.notes
    for system in result.systems if not result.is_census else ():
        if 0 < system.out_of_reach < system.answers:
            values: dict[str, Value] = {"answers": system.answers, "name": Name(system.name)}
            yield message("systems.rank_out_of_reach", count=system.out_of_reach, **values)
    if result.hand_picked:
        yield message("systems.rank_hand_picked", count=result.hand_picked)
    if result.shared < result.questions / 2:
        yield message("systems.rank_few_shared", shared=result.shared, questions=result.questions)


def systems(result: Ranked) -> Table:
    """List the systems, the best rate first."""
    columns = (
        Column(message("systems.rank")),
        Column(message("systems.system"), is_wide=True),
        *(Column(message(f"systems.{name}"), is_number=True) for name in ("answers", "labels_column")),
        Column(message("systems.share_met" if result.criterion else "systems.share_right"), is_number=True),
        *(Column(message(f"systems.{name}"), is_number=True) for name in ("these_answers", "long_run")),
        Column(message("systems.why_not"), is_wide=True),
    )
    rows = tuple(_row(result, standing) for standing in result.standings.systems)
    if not any(row[-1] for row in rows):
        columns, rows = columns[:-1], tuple(row[:-1] for row in rows)
    return Table(columns, rows, name="systems", most=SHOWN_SYSTEMS)


def pairs(result: Ranked) -> Table:
    """List every two systems with their difference, those that are distinguished first."""
    columns = (
        *(Column(message(f"systems.{name}"), is_wide=True) for name in ("better", "worse")),
        Column(message("systems.difference_points"), is_number=True, has_bars=True),
        *(Column(message(f"systems.{name}"), is_number=True) for name in ("labels_column", "p_here", "p_long_run")),
        Column(message("systems.told_apart")),
    )
    order = sorted(result.standings.pairs, key=lambda pair: not pair.is_clear)
    return Table(columns, tuple(_pair(result, pair) for pair in order), name="pairs", most=SHOWN_PAIRS)


def ranks(standing: SystemStanding) -> Value:
    """Give the ranks that a system may have."""
    if standing.best is None or standing.best == standing.worst:
        return standing.best
    return message("measures.span", low=standing.best, high=standing.worst)


def _status(result: Ranked) -> Status:
    standings = result.standings
    if not standings.measured:
        return Status.UNMEASURABLE
    if len(standings.leaders) == 1 and standings.leaders[0].worst == 1:
        return Status.MET if standings.is_lasting else Status.OPEN
    return Status.MET if standings.clear and len(standings.leaders) == 1 else Status.OPEN


def _basis(result: Ranked) -> Iterator[Message]:
    """What the numbers speak of."""
    standings = result.standings
    if result.objections:
        yield message("report.reason", reason=result.objections[0].words)
    labels = sum(standing.labels for standing in standings.systems)
    yield message("systems.rank_basis", questions=result.questions, shared=result.shared, labels=labels)
    if result.criterion:
        yield message("systems.rank_criterion", criterion=Name(result.criterion), cause=Code(CAUSES[result.criterion]))
    if standings.clear:
        lasting = sum(pair.is_lasting for pair in standings.pairs)
        values = {"clear": len(standings.clear), "pairs": len(standings.pairs), "lasting": lasting}
        yield message("systems.rank_clear", **values)
    if open_ := sum(pair.is_open for pair in standings.pairs) if not result.objections else 0:
        yield message("systems.rank_open", count=open_, missing=sum(result.missing))


def _row(result: Ranked, standing: SystemStanding) -> tuple[Value, ...]:
    rate, system = standing.correctness, result.systems[standing.number]
    sizes = (system.answers, standing.labels, share(rate.estimate))
    return (
        ranks(standing),
        Name(system.name),
        *sizes,
        _ends(rate),
        _ends(standing.long_run),
        reason(result, standing) or "",
    )


def _ends(rate: Estimate) -> Between:
    return Between(rate.low, rate.high, Kind.SHARE, is_exact=True)


def _rate(basis: str, rate: Estimate) -> Message:
    return message("values.colon", label=message(basis), words=EvidenceText(rate, Kind.SHARE, IntervalBasis.WINDOW))


def _pair(result: Ranked, pair: Against) -> tuple[Value, ...]:
    gap = pair.difference
    value = Number(gap.estimate, Kind.POINTS, is_signed=True)
    span = Between(gap.low, gap.high, Kind.POINTS, is_signed=True, is_exact=True)
    better, worse = Name(result.names[pair.better]), Name(result.names[pair.worse])
    return (
        *((better, worse) if gap.estimate else (message("systems.equal", names=Listing((better, worse))), None)),
        message("report.short", value=value, span=span),
        gap.n,
        Number(pair.p_value, Kind.P_VALUE),
        Number(pair.p_long_run, Kind.P_VALUE),
        message("systems.yes" if pair.is_clear else "systems.no"),
    )


def _name(result: Ranked, standing: SystemStanding) -> Name:
    return Name(result.names[standing.number])
