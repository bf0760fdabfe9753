"""Tell what experts say of passages, and how the judges of passages rank them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from annotate.analysis.report.passages import PassageJudge, PassageReport
from annotate.domain.message import Command, EvidenceText, Kind, Message, Name, Number, Value, message
from annotate.present.document import Block, Column, Figures, Table
from annotate.present.quantity import cell, quantity

QUANTITIES = ("context_precision", "context_sufficiency")
RANKED = ("relevant", "sufficient", "right")
AGREEING = ("relevant_agreement", "sufficient_agreement")


def sentence(passages: PassageReport) -> Message:
    """Say how many passages are relevant and how often nothing is missing; or that nobody was asked."""
    if not passages.asked:
        return message("report.passages_none", command=Command("assay push --ask passages"))
    return message(
        "report.passages_sentence",
        precision=EvidenceText(passages.context_precision, Kind.SHARE),
        sufficiency=EvidenceText(passages.context_sufficiency, Kind.SHARE),
    )


def blocks(passages: PassageReport) -> Iterator[Block]:
    """Give the sentence, both quantities with what they rest on, and the judges of passages."""
    yield sentence(passages)
    if not passages.asked:
        return
    basis = message("report.passages_basis", asked=passages.asked, answered=passages.answered)
    yield Figures(tuple(quantity(name, getattr(passages, name)) for name in QUANTITIES), basis)
    if passages.judges:
        yield from judges(passages.judges)


def judges(measured: Sequence[PassageJudge]) -> Iterator[Block]:
    """List how each judge of passages ranks passages, answers with all that is needed, and right answers; why where it cannot."""
    columns = (
        Column(message("report.judge")),
        Column(message("report.passages_scores"), is_wide=True),
        *(
            Column(
                message(f"report.passages_{name}"),
                is_number=True,
                help=message(f"report.passages_{name}_help"),
                has_bars=True,
            )
            for name in RANKED
        ),
    )
    yield Table(columns, tuple(map(_row, measured)), name="passage judges")
    every = (getattr(judge, name) for judge in measured for name in RANKED)
    reasons = dict.fromkeys(estimate.reason for estimate in every if estimate.estimate is None and estimate.reason)
    yield from (message("values.colon", label="—", words=reason) for reason in reasons)
    yield message("report.passages_judges_basis")
    yield from agreement(measured)


def agreement(measured: Sequence[PassageJudge]) -> Iterator[Block]:
    """List how often each judge of passages agrees with experts at its threshold; why where that is not known."""
    columns = (
        Column(message("report.judge")),
        Column(message("report.passages_above"), is_number=True, help=message("report.passages_above_help")),
        *(
            Column(
                message(f"report.passages_{name}"),
                is_number=True,
                help=message(f"report.passages_{name}_help"),
                has_bars=True,
            )
            for name in AGREEING
        ),
    )
    rows = tuple(
        (
            Name(judge.totals.judge),
            Number(judge.threshold, Kind.THRESHOLD),
            *(cell(getattr(judge, name), Kind.SHARE, has_n=True) for name in AGREEING),
        )
        for judge in measured
    )
    yield Table(columns, rows, message("report.passages_agreement"), name="passage agreement")
    every = (getattr(judge, name) for judge in measured for name in AGREEING)
    reasons = dict.fromkeys(estimate.reason for estimate in every if estimate.estimate is None and estimate.reason)
    yield from (message("values.colon", label="—", words=reason) for reason in reasons)


def _row(judge: PassageJudge) -> tuple[Value, ...]:
    """Each cell has its own n, because the columns rest on different answers."""
    scores = message("report.passages_each" if judge.scores_each else "report.passages_whole")
    cells = (cell(getattr(judge, name), Kind.COEFFICIENT, has_n=True) for name in RANKED)
    return (Name(judge.totals.judge), scores, *cells)
