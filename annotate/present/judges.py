"""Build the document of the judges: what they tell, agreement with annotators, cost, and how they differ."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from annotate.analysis.drift.windows import Drift
from annotate.analysis.judges.repeat_noise import RepeatNoise, Repeats
from annotate.analysis.judges.table import MOST, JudgeRow, JudgesTable, PairedJudges, reach
from annotate.analysis.report.passages import PassageReport
from annotate.analysis.signatures import JudgeKind
from annotate.domain.message import (
    Code,
    EvidenceText,
    Kind,
    Listing,
    Message,
    Name,
    Number,
    Value,
    coefficient,
    message,
    share,
)
from annotate.present import drift as present_drift
from annotate.present import separation
from annotate.present.document import Block, Column, Detail, Document, Figure, Figures, Section, Status, Table
from annotate.present.quantity import cell, is_weighted, is_whole, long_run_cell, quantity
from annotate.present.report import passages
from proxy.evaluation.discrimination import Separation

SHOWN = ("kappa", "sensitivity", "specificity")
WORK = ("judge", "kind", "scored", "mean", "failed", "seconds", "cost", "tokens", "tests")
VERSIONS = ("judge", "signature", "notes", "first", "last", "scored", "before", "described")
PAIRS = ("one", "other", "both", "equal", "kappa", "correlation", "distance")
REPEATS = ("judge", "source", "texts", "flips", "moved", "moves", "largest")
NUMBERS = frozenset({"scored", "mean", "both", "equal", "kappa", "correlation", "distance", "largest"})
HELPED = frozenset(
    {"mean", "failed", "seconds", "cost", "tokens", "tests", "signature"}
    | {"equal", "kappa", "correlation", "distance", "flips", "moves"}
)


def document(table: JudgesTable, drift: Drift | None) -> Document:
    """Say how many judges tell right from wrong, and whether anything has drifted; `drift` None while it is worked out."""
    if drift is None:
        changed, status = message("judges.head_drift_working"), Status.UNMEASURABLE
    else:
        drift_document = present_drift.document(drift)
        changed, status = present_drift.headline(drift), drift_document.status
    if status is Status.DONE:
        status = _status(table)
    return Document(message("judges.head", separation=separation.headline(table), drift=changed), status)


def headline(table: JudgesTable, drift: Drift | None) -> Message | Listing:
    """Name the judges that tell right from wrong, and say whether drift is shown, which the colour of the head stands for."""
    names = separation.named(table)
    if drift is None or present_drift.document(drift).status is not Status.MISSED:
        return names
    return message("judges.named_drifted", names=names)


def of_part(table: JudgesTable) -> Document:
    """Say how many judges tell right from wrong on a part of the traffic; drift is watched on all of it."""
    return Document(message("judges.head_of_part", separation=separation.headline(table)), _status(table))


def measured(table: JudgesTable) -> Document:
    """Say which judges and metrics tell right from wrong, with how each agrees with annotators."""
    return Document(separation.answer(table), _status(table), agreement(table))


def agreement(table: JudgesTable) -> tuple[Section, ...]:
    """List every judge and metric with its verdict, then how far each agrees with annotators by its threshold."""
    rest = separation.without_verdict(table)
    return (separation.section(table), *([alone(table)] if table.rows else []), *([rest] if rest else []))


def _status(table: JudgesTable) -> Status:
    return Status.DONE if table.with_separation(Separation.SEPARATES) else Status.UNMEASURABLE


def best(table: JudgesTable) -> Message:
    """Name the judge with the highest kappa, and those that may agree as well; or say why there is none."""
    if table.best is None:
        return message("judges.no_best", reason=table.reason)
    kappa, rivals = table.best.row.alone.agreement.kappa, table.best.rivals
    names = Listing(tuple(Name(rival.label) for rival in rivals))
    return message(
        "judges.best",
        judge=Name(table.best.row.label),
        kappa=EvidenceText(replace(kappa, long_run=reach(kappa)), Kind.COEFFICIENT),
        rivals=message("judges.rivals", names=names) if rivals else "",
    )


def figures(row: JudgeRow) -> Figures:
    """Give what the report measured of a judge alone, but for its ranking, which the table has with its interval."""
    return Figures(tuple(_figures(row)), message("judges.weighted") if is_weighted(row.alone.agreement) else None)


def alone(table: JudgesTable) -> Section:
    """Say which judge agrees best with annotators where it passes above its threshold, and list how far each does."""
    rows = table.rows
    figures_of = [tuple(_figures(row)) for row in rows]
    columns = (
        _column("judge"),
        *(
            Column(figure.label, True, help=message("judges.help_share", term=figure.help), has_bars=True)
            for figure in figures_of[0]
        ),
    )
    cells = tuple(
        (
            Name(row.label),
            *(long_run_cell(figure.estimate, figure.kind) for figure in measured),
        )
        for row, measured in zip(rows, figures_of, strict=True)
    )
    every = (figure.estimate for measured in figures_of for figure in measured)
    reasons = dict.fromkeys(estimate.reason for estimate in every if estimate.estimate is None and estimate.reason)
    threshold = Number(rows[0].alone.rule.threshold, Kind.THRESHOLD)
    return Section(
        message("judges.threshold", threshold=threshold),
        (
            best(table),
            Table(columns, cells, name="agreement"),
            *(message("values.colon", label="—", words=reason) for reason in reasons),
            message("judges.alone_basis", threshold=threshold),
            *separation.lower_is_better(rows),
        ),
        Detail.FULL,
    )


def of_passages(report: PassageReport) -> Section:
    """List how well the judges of passages rank what experts call relevant, with what experts say of passages."""
    return Section(message("judges.passages_alt"), tuple(passages.blocks(report)))


def work(rows: Sequence[JudgeRow]) -> Section:
    """List what each judge's work took, and where it failed."""
    shared = [message("judges.work_together")] if any(row.with_others for row in rows) else []
    table = Table(tuple(map(_column, WORK)), tuple(map(_work, rows)), name="work")
    blocks: tuple[Block, ...] = (table, *_failures(rows), *_unpriced(rows), *shared, message("judges.work_basis"))
    return Section(message("judges.work_alt"), blocks)


def versions(rows: Sequence[JudgeRow], pairs: PairedJudges, moment: Callable[[str], str]) -> Section:
    """List every signature that has scored, a judge's oldest first; `moment` writes a time for the user."""
    before = {beside.other.totals.key: beside.pair for beside in pairs.versions}
    ordered = sorted(rows, key=lambda row: (row.totals.judge, row.totals.key))
    cells = []
    for row in ordered:
        same = before.get(row.totals.key)
        notes = "judges.note_read" if row.is_read else "judges.note_old"
        ends = (row.span.first_at, row.span.last_at) if row.span else (None, None)
        cells.append(
            (
                Name(row.totals.judge),
                Code(row.totals.signature),
                message(notes) if row.is_read or not row.is_in_use else "",
                *(Name(moment(at)) if at else None for at in ends),
                row.totals.scored,
                message("judges.same", share=share(same.agreement), n=same.n)
                if same and same.agreement is not None
                else None,
                Listing((_who(row), *(Name(" ".join(words)) for words in row.described)), "values.semicolon"),
            )
        )
    table = Table(tuple(map(_column, VERSIONS)), tuple(cells), name="versions")
    return Section(message("judges.versions_alt"), (table, message("judges.versions_basis")))


def between(pairs: PairedJudges) -> Section:
    """List how far any two judges in use agree with each other."""
    if not pairs.between:
        return Section(None, (message("judges.pairs_one"),))
    cells: tuple[tuple[Value, ...], ...] = tuple(
        (
            Name(beside.first.label),
            Name(beside.other.label),
            beside.pair.n,
            share(beside.pair.agreement),
            *map(coefficient, (beside.pair.kappa, beside.pair.correlation, beside.pair.distance)),
        )
        for beside in pairs.between
    )
    left = [message("judges.pairs_left", most=MOST, count=pairs.left_out)] if pairs.left_out else []
    blocks: tuple[Block, ...] = (
        Table(tuple(map(_column, PAIRS)), cells, name="pairs"),
        *left,
        message("judges.pairs_basis"),
    )
    return Section(message("judges.pairs_alt"), blocks)


def repeats(noise: RepeatNoise) -> Section:
    """List how far scores move when the same text is judged again, and the judges of which that is not known."""
    table = [Table(tuple(map(_column, REPEATS)), tuple(map(_repeat, noise.repeats)), name="repeats")]
    unknown = [message("judges.noise_unknown", judge=Name(row.label)) for row, _ in noise.unknown]
    is_bare = any(command is None for _, command in noise.unknown)
    basis = [*([message("judges.noise_import")] if is_bare else []), message("judges.noise_basis")]
    return Section(message("judges.noise_alt"), (*(table if noise.repeats else []), *unknown, *basis))


def _figures(row: JudgeRow) -> Iterator[Figure]:
    agreement = row.alone.agreement
    for name in SHOWN:
        yield quantity(name, getattr(agreement, name), is_exact=is_whole(agreement))


def _column(name: str) -> Column:
    help_ = message(f"judges.help_{name}") if name in HELPED else None
    return Column(message(f"judges.col_{name}"), name in NUMBERS, help=help_)


def _who(row: JudgeRow) -> Message:
    return message(f"judges.kind_{row.kind}", model=Name(row.model or ""))


def _work(row: JudgeRow) -> tuple[Value, ...]:
    requests, obeyed, failed = row.requests, row.obeyed, row.failed_share
    tokens = row.tokens_an_answer
    return (
        Name(row.label),
        _who(row),
        row.totals.scored,
        coefficient(row.totals.mean),
        None if failed is None else message("report.short", value=row.totals.failed, span=share(failed)),
        Number(row.span.seconds if row.span else None, Kind.LATENCY),
        _cost(row),
        message("judges.tokens", tokens=Number(tokens, Kind.COUNT), requests=requests.requests)
        if requests and tokens is not None
        else None,
        message("judges.of", part=obeyed.obeyed, whole=obeyed.asked) if obeyed else None,
    )


def _cost(row: JudgeRow) -> Value:
    """Money an answer, and in all."""
    if row.kind is JudgeKind.OFFLINE:
        return message("judges.free")
    if row.cost_an_answer is None or row.requests is None:
        return None
    answer_cost, total = (Number(money, Kind.MONEY) for money in (row.cost_an_answer, row.requests.cost))
    return message("judges.cost", each=answer_cost, total=total)


def _failures(rows: Sequence[JudgeRow]) -> Iterator[Message]:
    """Why each judge failed, the commonest kind first."""
    for row in rows:
        kinds = tuple(
            message(f"judges.fails_{failure.kind}", count=failure.count, share=share(failure.share))
            for failure in row.failures
        )
        if kinds:
            yield message("judges.fails", judge=Name(row.label), kinds=Listing(kinds))


def _unpriced(rows: Sequence[JudgeRow]) -> Iterator[Message]:
    """Judges whose price is known for some of the replies only."""
    for row in rows:
        requests = row.requests
        if requests and 0 < requests.priced < requests.replies:
            counts: dict[str, Value] = {"priced": requests.priced, "replies": requests.replies}
            cost = Number(requests.cost, Kind.MONEY)
            yield message("judges.work_unpriced", judge=Name(row.label), cost=cost, **counts)


def _repeat(repeated: Repeats) -> tuple[Value, ...]:
    moves, most = repeated.moves, repeated.most
    return (
        Name(repeated.row.label),
        message(f"judges.source_{repeated.source}"),
        moves.n if most is None else message("report.short", value=moves.n, span=message("judges.upto", most=most)),
        cell(moves.flipped, Kind.SHARE),
        cell(moves.moved, Kind.SHARE),
        cell(moves.distance, Kind.SCORE),
        Number(moves.largest, Kind.SCORE),
    )
