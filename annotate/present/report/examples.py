"""Show answers of a report: seriously harmful ones, and those that the proxy passed and annotators call wrong."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from annotate.analysis.report.report import Miss, Report
from annotate.domain.annotation import SERIOUS
from annotate.domain.message import Listing, Name, Quote, Value, message
from annotate.domain.turns import in_one_line
from annotate.present.document import Block, Excerpt, Section

SHOWN_IDS = 10


def harm(report: Report) -> Section:
    """Show the answers that annotators mark as seriously harmful: ids first, texts with --full."""
    blocks = list[Block]()
    if report.harmed:
        blocks.append(message("report.harm_ids", count=len(report.harmed), ids=_ids(report.harmed)))
    if report.unsettled:
        blocks.append(message("report.harm_unsettled", count=len(report.unsettled), ids=_ids(report.unsettled)))
    return Section(message("report.harm"), tuple(blocks))


def _ids(ids: Sequence[str]) -> Value:
    shown = Listing(tuple(Name(item_id) for item_id in ids[:SHOWN_IDS]))
    more = len(ids) - SHOWN_IDS
    return message("report.harm_more", ids=shown, count=more) if more > 0 else shown


def misses(report: Report) -> Iterator[Block]:
    """Show the answers that the proxy passed and annotators call wrong."""
    yield from (excerpt(miss) for miss in report.misses)
    if report.missed > len(report.misses):
        yield message("report.more_misses", count=report.missed - len(report.misses))


def excerpt(miss: Miss) -> Excerpt:
    """Show what was asked and answered, and what annotators say of it."""
    key = "report.asked_harm" if miss.label.harm == SERIOUS else "report.asked"
    question = Quote(in_one_line(miss.item.question, miss.item.history))
    texts = [
        (message(f"report.{name}"), Quote(words))
        for name, words in (
            ("answered", miss.item.answer),
            ("rationale", miss.label.rationale),
            ("reference", miss.label.reference),
        )
        if words
    ]
    return Excerpt(message(key, id=Name(miss.item.id), question=question), tuple(texts))
