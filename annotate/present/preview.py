"""Build what a report shows of the judges' word: spreads of scores, what passes, where judges differ, the lowest answers."""

from __future__ import annotations

from collections.abc import Iterator

from annotate.analysis.preview import PARTS, LowAnswer, PassedPart, Preview, ScoreSpread, SplitJudges
from annotate.domain.message import Kind, Message, Name, Number, Quote, Value, message, share
from annotate.domain.turns import in_one_line
from annotate.present.document import Block, Column, Detail, Excerpt, Section, Table

SPREADS = ("judge", "scored", "tenth", "median", "ninetieth")
PASSED = ("passed", "judged", "answers")
PAIRS = ("judges", "above", "first_alone", "other_alone", "below")


def sections(preview: Preview, *, with_texts: bool) -> Iterator[Section]:
    """Yield every part: the lowest answers first and whole where somebody asked for them, else last and with --full."""
    lowest = [_lowest(preview)] if preview.lowest and with_texts else []
    if preview.is_asked:
        yield from lowest
    blocks: list[Block] = [_table("spreads", SPREADS, map(_spread, preview.spreads))]
    if preview.pairs:
        blocks.append(_table("pairs", PAIRS, map(_pair, preview.pairs)))
    yield Section(message("preview.title"), tuple(blocks))
    for by in PARTS:
        if parts := [part for part in preview.parts if part.by == by]:
            table = _table(by, (by, *PASSED), map(_part, parts))
            yield Section(message(f"preview.by_{by}"), (table,), Detail.BRIEF if by == PARTS[0] else Detail.FULL)
    if not preview.is_asked:
        yield from lowest


def _lowest(preview: Preview) -> Section:
    detail = Detail.ASKED if preview.is_asked else Detail.FULL
    return Section(message("preview.lowest", count=len(preview.lowest)), tuple(map(_excerpt, preview.lowest)), detail)


def _table(name: str, columns: tuple[str, ...], rows: Iterator[tuple[Value, ...]]) -> Table:
    first, *numbers = (message(f"preview.col_{column}") for column in columns)
    heads = (Column(first, is_wide=True), *(Column(label, is_number=True) for label in numbers))
    return Table(heads, tuple(rows), name=f"preview_{name}")


def _spread(spread: ScoreSpread) -> tuple[Value, ...]:
    quantiles = (Number(value, Kind.SCORE) for value in (spread.tenth, spread.median, spread.ninetieth))
    return (Name(spread.judge), spread.scored, *quantiles)


def _part(part: PassedPart) -> tuple[Value, ...]:
    counts = part.counts
    passed = share(counts.passed / counts.scored) if counts.scored else None
    return (Name(part.name) if part.name else message(f"preview.no_{part.by}"), passed, counts.scored, counts.items)


def _pair(pair: SplitJudges) -> tuple[Value, ...]:
    names = message("preview.pair", first=Name(pair.first), other=Name(pair.other))
    return (names, pair.above, pair.first_alone, pair.other_alone, pair.below)


def _excerpt(low: LowAnswer) -> Excerpt:
    """Show what was asked and answered, and why the judges place it low."""
    texts: list[tuple[Message, Quote]] = [(message("report.answered"), Quote(low.item.answer))]
    texts += [
        (message(f"disagreements.support_{sentence.support.value}"), Quote(sentence.text)) for sentence in low.doubted
    ]
    question = Quote(in_one_line(low.item.question, low.item.history))
    value = Number(low.value, Kind.THRESHOLD)
    return Excerpt(message("preview.asked", id=Name(low.item.id), value=value, question=question), tuple(texts))
