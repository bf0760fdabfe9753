"""Say which judges and metrics separate right from wrong answers, how sure that is, and why it is not known of the others."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import TypeVar

from annotate.analysis.judges.metric_coverage import MetricCoverage
from annotate.analysis.judges.table import JudgeRow, JudgesTable
from annotate.analysis.verdicts import NO_PASSAGES
from annotate.domain.message import Kind, Listing, Message, Name, Number, Value, message
from annotate.domain.reasons import RefusalReason
from annotate.present.document import Block, Column, Detail, Section, Table
from annotate.present.ingest import reasons
from annotate.present.quantity import cell
from proxy.evaluation.discrimination import CHANCE, WEAK, Separation
from proxy.judges.metrics.catalogue import metric_of
from proxy.judges.metrics.metric import MetricNeed
from proxy.judges.metrics.ranking import NO_RELEVANT_IDS
from proxy.judges.metrics.text_overlap import NO_ANSWER, NO_REFERENCE
from proxy.stats.intervals import Interval

# What is shown comes first, and what nothing is known of last.
ORDER = (
    Separation.SEPARATES,
    Separation.INVERTED,
    Separation.OPEN,
    Separation.DOES_NOT,
    Separation.CONSTANT,
    Separation.UNMEASURABLE,
)
# Chosen: as many names as a sentence holds; the table has them all.
MOST_NAMES = 5
# Chosen: as many names as a title holds.
MOST_IN_TITLE = 2
# Chosen: as many rows without a verdict as do not hide those that have one.
MOST_UNKNOWN = 2
UNKNOWN = Interval(0.0, 1.0)
# Reasons of our own metrics, which are worded in every language.
METRIC_REASONS = frozenset({NO_REFERENCE, NO_RELEVANT_IDS, NO_ANSWER, NO_PASSAGES})
Key = TypeVar("Key")


def answer(table: JudgesTable) -> Message:
    """Say how many judges and metrics tell right from wrong, and how many mislead."""
    shown, inverted = table.with_separation(Separation.SEPARATES), table.with_separation(Separation.INVERTED)
    misleading = message("judges.misleading", names=_names(inverted)) if inverted else ""
    if not shown:
        return message("judges.separates_none", count=table.count, misleading=misleading)
    key = "judges.separates" if len(shown) <= MOST_NAMES else "judges.separates_many"
    return message(key, shown=len(shown), count=table.count, names=_names(shown), misleading=misleading)


def headline(table: JudgesTable) -> Message:
    """Say the same without names, as short as the head of a page has it."""
    shown, inverted = table.with_separation(Separation.SEPARATES), table.with_separation(Separation.INVERTED)
    misleading = message("judges.head_misleading", count=len(inverted)) if inverted else ""
    key = "judges.head_separates" if shown else "judges.head_separates_none"
    return message(key, shown=len(shown), count=table.count, misleading=misleading)


def named(table: JudgesTable) -> Message | Listing:
    """Name the judges and metrics that tell right from wrong, or count them where they are many."""
    shown = table.with_separation(Separation.SEPARATES)
    if not shown:
        return message("judges.named_none")
    if len(shown) > MOST_IN_TITLE:
        return message("judges.named_many", shown=len(shown), count=table.count)
    return Listing(tuple(Name(row.label) for row in shown))


def section(table: JudgesTable) -> Section:
    """List the judges and metrics with their verdicts, and why some have none; many without one are counted here alone."""
    rows, rest = _parted(table)
    blocks: tuple[Block, ...] = (
        *_no_verdict(rest),
        *([_judges(table, rows)] if rows else []),
        *(message("judges.objection", words=words) for words in table.objections),
        *_unmeasured(rows),
        *([message("judges.hand_picked", count=table.hand_picked)] if table.hand_picked else []),
        *_without_scores(table.without_scores),
        *_basis(rows),
        *lower_is_better(rows),
    )
    return Section(message("judges.alone"), blocks)


def _no_verdict(rest: Sequence[JudgeRow]) -> Iterator[Message]:
    """Count the rows that have no verdict, with the reason where all have the same."""
    if not rest:
        return
    yield message("judges.no_verdict", count=len(rest))
    reasons_of = {row.alone.auroc.reason for row in rest}
    if len(reasons_of) == 1 and (reason := reasons_of.pop()):
        yield message("values.colon", label="—", words=reason)


def without_verdict(table: JudgesTable) -> Section | None:
    """List those that `section` only counts, with their reasons; None where there are none."""
    _, rest = _parted(table)
    if not rest:
        return None
    blocks: tuple[Block, ...] = (_judges(table, rest), *_unmeasured(rest), *lower_is_better(rest))
    return Section(message("judges.rest"), blocks, Detail.FULL)


def _parted(table: JudgesTable) -> tuple[list[JudgeRow], list[JudgeRow]]:
    """Return the rows of the table, in order, and those that are left for the list of the rest."""
    rows = sorted(table.rows, key=_order)
    unknown = [row for row in rows if row.separation is Separation.UNMEASURABLE]
    if len(unknown) <= MOST_UNKNOWN:
        return rows, []
    return [row for row in rows if row.separation is not Separation.UNMEASURABLE], unknown


def _judges(table: JudgesTable, rows: Sequence[JudgeRow]) -> Table:
    columns = (
        _column("judge"),
        _column("separation"),
        Column(
            message("measures.auroc"),
            is_number=True,
            help=message("judges.help_auroc", term=message("measures.auroc_help")),
            has_bars=True,
            mark=CHANCE,
        ),
        Column(message("judges.col_scored"), is_number=True),
        _column("notes", is_wide=True),
    )
    cells = tuple(
        (
            Name(row.label),
            _verdict(row, table),
            _auroc(row),
            message("judges.of", part=row.totals.scored, whole=table.items),
            Listing((*notes(row), *_reasons(row.reasons))),
        )
        for row in rows
    )
    return Table(columns, cells, name="judges")


def lower_is_better(rows: Iterable[JudgeRow]) -> Iterator[Message]:
    """Name those of which 1 is bad, so that all that is measured is of 1 - score."""
    if names := tuple(Name(row.label) for row in rows if row.is_lower_better):
        yield message("judges.lower_better", names=Listing(names))


def notes(row: JudgeRow) -> Iterator[Message]:
    """What a user must know before comparing this judge with others."""
    metric = metric_of(row.totals.judge)
    by_ids = metric is not None and MetricNeed.RELEVANT_IDS in metric.needs
    applies = {
        "note_read": row.is_read,
        "note_old": not row.is_in_use,
        "note_partial": row.is_partial,
        "note_relevant_ids": by_ids,
        "note_reference": row.needs_reference and not by_ids,
        "note_lower_better": row.is_lower_better,
    }
    yield from (message(f"judges.{name}") for name, does_apply in applies.items() if does_apply)
    if row.own_references:
        yield message("judges.note_own_reference", count=row.own_references)


def _order(row: JudgeRow) -> tuple[int, float]:
    """Order by verdict, then the surest first."""
    return ORDER.index(row.separation), -(row.auroc_of_all or UNKNOWN).low


def _verdict(row: JudgeRow, table: JudgesTable) -> Message:
    if table.objections:
        return message("judges.separation_objected")
    if row.own_references:
        return message("judges.separation_own_reference")
    return message(f"judges.separation_{row.separation}", weak=_bound(WEAK))


def _auroc(row: JudgeRow) -> Value:
    """Give the AUROC with the interval that holds for all at once."""
    auroc, ends = row.alone.auroc, row.auroc_of_all
    low, high = ends or (None, None)
    return cell(replace(auroc, low=low, high=high), Kind.COEFFICIENT, has_n=True)


def _unmeasured(rows: Sequence[JudgeRow]) -> Iterator[Message]:
    """Say why AUROCs or their intervals are not known, each reason once."""
    unmeasured = ((row.alone.auroc.reason, row.label) for row in rows if row.auroc_of_all is None)
    names_by_reason = dict(_names_by_reason((reason, label) for reason, label in unmeasured if reason))
    for reason, names in names_by_reason.items():
        yield message("values.colon", label=names if len(names_by_reason) > 1 else "—", words=reason)


def _basis(rows: Sequence[JudgeRow]) -> Iterator[Message]:
    """Say how verdicts follow from intervals, where there are any."""
    if count := sum(row.auroc_of_all is not None for row in rows):
        yield message("judges.separation_basis", count=count, chance=_bound(CHANCE))


def _without_scores(judges: Iterable[MetricCoverage]) -> Iterator[Message]:
    """Say which have no score on any answer, and why, each reason once."""
    for counted, names in _names_by_reason((judge.reasons, judge.judge) for judge in judges):
        yield message("judges.without_scores", names=names, reasons=Listing(tuple(_reasons(counted))))


def _reasons(counted: Sequence[RefusalReason]) -> Iterator[Message]:
    """Give the reasons with their counts; those that metrics of ours give are said in the reader's language."""
    for words in reasons(counted):
        reason = str(words.values.get("reason", ""))
        yield message(words.key, **(dict(words.values) | {"reason": reason})) if reason in METRIC_REASONS else words


def _names_by_reason(reasons_with_names: Iterable[tuple[Key, str]]) -> Iterator[tuple[Key, Listing]]:
    """Gather the names that have the same reason."""
    names_of: dict[Key, list[str]] = {}
    for reason, name in reasons_with_names:
        names_of.setdefault(reason, []).append(name)
    for reason, names in names_of.items():
        yield reason, Listing(tuple(map(Name, names)))


def _names(rows: Sequence[JudgeRow]) -> Listing:
    return Listing(tuple(Name(row.label) for row in sorted(rows, key=_order)))


def _column(name: str, *, is_wide: bool = False) -> Column:
    return Column(message(f"judges.col_{name}"), is_wide=is_wide)


def _bound(value: float) -> Number:
    return Number(value, Kind.DIGITS)
