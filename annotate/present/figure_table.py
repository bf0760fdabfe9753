"""Turn figures into a table, for media that have no cards."""

from __future__ import annotations

from collections.abc import Iterator

from annotate.domain.message import Between, Listing, Message, Number, Value, message
from annotate.present.document import Column, Figure, Figures, Table

COLUMNS = (
    Column(message("values.quantity"), is_wide=True),
    *(Column(message(f"values.{name}"), is_number=True) for name in ("estimate", "window", "long_run", "n")),
)


def as_table(block: Figures) -> Table:
    """Make a row of each figure: value, intervals for this window and the long run, n; what is counted has no long run."""
    return Table(COLUMNS, tuple(_row(figure) for figure in block.figures), block.caption)


def reasons(block: Figures) -> tuple[Message, ...]:
    """Say why figures are not known, each reason once with the figures that it is of."""
    labels: dict[str, list[Value]] = {}
    for figure in block.figures:
        if figure.estimate.reason:
            labels.setdefault(figure.estimate.reason, []).append(figure.label)
    return tuple(message("values.colon", label=Listing(tuple(names)), words=reason) for reason, names in labels.items())


def below(figure: Figure) -> Iterator[Message | str]:
    """Say what stands below the value of a card: its reason, or its basis, its intervals and its n; then its further lines."""
    estimate = figure.estimate
    if estimate.reason:
        is_bounded = estimate.estimate is None and estimate.low is not None
        yield message("measures.bounds", reason=estimate.reason) if is_bounded else estimate.reason
    if not estimate.reason or estimate.low is not None:
        _, _, window, long_run, _ = _row(figure)
        spans = [] if figure.basis else [("measures.window", window), ("measures.long_run", long_run)]
        yield from [figure.basis] if figure.basis else []
        yield from (message("values.colon", label=message(key), words=span) for key, span in spans if span is not None)
        yield from [message("values.labels", n=estimate.n)] if estimate.n else []
    yield from figure.lines
    if len(figure.course) > 1:
        first, last = (Number(figure.course[place], figure.kind) for place in (0, -1))
        yield message("measures.course", first=first, last=last, count=len(figure.course))


def _row(figure: Figure) -> tuple[Value, ...]:
    estimate, kind = figure.estimate, figure.kind
    value = Number(estimate.estimate, kind, figure.is_signed)
    n: Value = estimate.n or ""
    if figure.basis:
        return figure.label, value, figure.basis, "", n
    window: Value = None
    if estimate.low is not None:
        window = Between(estimate.low, estimate.high, kind, figure.is_signed, figure.is_exact)
    long_run: Value = Between(*estimate.long_run, kind, figure.is_signed) if estimate.long_run else None
    return figure.label, value, window, long_run, n
