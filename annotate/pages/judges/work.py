"""What each judge's work took: failures by kind, seconds, cost, tokens, and the test answers that it obeyed."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from annotate.analysis.judges.signatures import Kind
from annotate.analysis.judges.table import JudgeRow
from annotate.pages.judges.alone import NAME_WIDTH
from annotate.pages.kit import layout, texts
from annotate.pages.kit.messages import say
from annotate.present import numbers
from proxy.evaluation.trust import percent

COLUMNS = ("judge", "kind", "scored", "mean", "failed", "seconds", "cost", "tokens", "tests")
FASTEST = 0.001
HELPED = ("mean", "failed", "seconds", "cost", "tokens", "tests")


def show(rows: Sequence[JudgeRow]) -> None:
    """The section."""
    layout.heading("judges.work")
    config = {
        say(f"judges.col_{name}"): st.column_config.Column(help=say(f"judges.help_{name}")) for name in HELPED
    } | {say("judges.col_judge"): st.column_config.Column(width=NAME_WIDTH)}
    columns = [say(f"judges.col_{name}") for name in COLUMNS]
    layout.table([_row(one) for one in rows], columns, alt=say("judges.work_alt"), config=config)
    shared = [say("judges.work_together")] if any(one.with_others for one in rows) else []
    texts.small([*_failures(rows), *_unpriced(rows), *shared, say("judges.work_basis")])


def money(value: float | None) -> str:
    """A sum of money to four digits that count; — where it is not known."""
    return "—" if value is None else f"{value:,.4g}"


def _row(row: JudgeRow) -> list[object]:
    requests, obeyed, failed = row.requests, row.obeyed, row.failed_share
    tokens, mean = row.tokens_an_answer, row.totals.mean
    return [
        row.label,
        say(f"judges.kind_{row.kind}", model=row.model),
        row.totals.scored,
        numbers.coefficient(mean),
        "—" if failed is None else f"{row.totals.failed:,} ({percent(failed)})",
        _seconds(row),
        _cost(row),
        "—"
        if tokens is None or requests is None
        else say("judges.tokens", tokens=f"{tokens:,.0f}", requests=f"{requests.requests:,}"),
        say("judges.of", part=obeyed.obeyed, whole=obeyed.asked) if obeyed else "—",
    ]


def _seconds(row: JudgeRow) -> str:
    """The mean time of a score, in words of three digits after the point at most."""
    seconds = row.span.seconds if row.span else None
    if seconds is None:
        return "—"
    return f"< {FASTEST}" if seconds < FASTEST else f"{seconds:.3f}" if seconds < 1 else f"{seconds:.1f}"


def _failures(rows: Sequence[JudgeRow]) -> list[str]:
    """Why each judge failed, the commonest kind first."""
    return [
        say(
            "judges.fails",
            judge=row.label,
            kinds=", ".join(
                say(f"judges.fails_{one.kind}", count=f"{one.count:,}", share=percent(one.share))
                for one in row.failures
            ),
        )
        for row in rows
        if row.failures
    ]


def _cost(row: JudgeRow) -> str:
    """Money an answer, and in all."""
    if row.kind is Kind.OFFLINE:
        return say("judges.free")
    if row.cost_an_answer is None or row.requests is None:
        return "—"
    return say("judges.cost", each=money(row.cost_an_answer), total=money(row.requests.cost))


def _unpriced(rows: Sequence[JudgeRow]) -> list[str]:
    """Judges whose price is known for some of the replies only."""
    return [
        say(
            "judges.work_unpriced",
            judge=row.label,
            priced=f"{found.priced:,}",
            replies=f"{found.replies:,}",
            cost=money(found.cost),
        )
        for row in rows
        if (found := row.requests) and 0 < found.priced < found.replies
    ]
