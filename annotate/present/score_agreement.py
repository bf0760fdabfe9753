"""Say how two scores go together: a judge against annotators or another judge, on what both have judged."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from annotate.analysis.judges.score_agreement import CELLS, Period, SideBySide, ThresholdTable
from annotate.domain.counted import counted
from annotate.domain.message import (
    Between,
    EvidenceText,
    IntervalBasis,
    Kind,
    Listing,
    Message,
    Name,
    Number,
    Value,
    message,
    share,
)
from annotate.present.document import Column, Figure, Figures, Table
from proxy.evaluation.estimate import Estimate
from proxy.evaluation.score_agreement import LANDIS_KOCH, badge

FROM_ASSOCIATIONS = ("pearson", "spearman", "kendall", "mae", "rmse", "mse")
FROM_AGREEMENT = ("auroc", "kappa", "accuracy", "f1")
KINDS = {"accuracy": Kind.SHARE} | dict.fromkeys(("mae", "rmse", "mse"), Kind.SCORE)
WITH_ANNOTATORS = ("right_pass", "wrong_pass", "right_fail", "wrong_fail")
WITH_JUDGE = ("pass_pass", "pass_fail", "fail_pass", "fail_fail")


def basis(result: SideBySide) -> Message:
    """Say how many answers are matched, and what was left out."""
    if result.second is None:
        counts = {"matched": result.matched, "labelled": result.labelled, "scored": result.first.scored}
        return message("side_by_side.matched_annotators", **counts)
    if result.is_sample:
        counts = {"matched": result.matched, "whole": result.whole}
        return message("side_by_side.sampled", seed=Name(str(result.seed)), **counts)
    scored = {"first": result.first.scored, "second": result.second.scored}
    return message("side_by_side.matched_judges", matched=result.matched, **scored)


def figures(result: SideBySide) -> Figures:
    """Give every measure of how the two go together."""
    names = [*FROM_ASSOCIATIONS, *FROM_AGREEMENT]
    if result.second is not None:
        names.remove("mse")
    return Figures(tuple(_figure(result, name) for name in names))


def kappa_word(result: SideBySide) -> tuple[Message, Message] | None:
    """Give the word for kappa and whose words these are; None where there is no kappa."""
    words = badge(result.agreement["kappa"])
    if words is None:
        return None
    word, low, high = (message(f"side_by_side.{part.replace(' ', '_')}") for part in words)
    return word, message("side_by_side.badge", word=word, low=low, high=high, source=Name(LANDIS_KOCH))


def bins(result: SideBySide) -> Table:
    """List what the scores of a bin stand for."""
    second = "share_right" if result.second is None else "mean_second"
    names = ("mean_first", second, "interval")
    columns = (
        *(Column(message(f"side_by_side.{name}"), is_number=True) for name in names),
        Column(message("values.n"), True),
    )
    rows = tuple(
        (
            *(Number(estimate.estimate, Kind.SCORE) for estimate in (score_bin.first, score_bin.second)),
            Between(*score_bin.second.long_run, Kind.SCORE) if score_bin.second.long_run else None,
            score_bin.n if result.second else counted(score_bin.n, "judge-bin", number, *_judge(result)),
        )
        for number, score_bin in enumerate(result.bins)
    )
    return Table(columns, rows, message("side_by_side.bins_note"), "bins")


def cell_names(result: SideBySide) -> tuple[Message, ...]:
    """Name the cells of the 2x2 table, what passes first."""
    names = WITH_ANNOTATORS if result.second is None else WITH_JUDGE
    return tuple(message(f"side_by_side.{name}") for name in names)


def cell(at: ThresholdTable, place: int) -> Message:
    """Give a count of the 2x2 table with the share that it stands for and its interval in the long run."""
    estimate = at.shares[place]
    span = estimate.long_run or (estimate.low or 0.0, estimate.high or 0.0)
    known = message("report.short", value=share(estimate.estimate), span=Between(*span, Kind.SHARE))
    return message("side_by_side.cell", count=at.counts[place], share=None if estimate.estimate is None else known)


def cells(result: SideBySide, at: ThresholdTable) -> Message:
    """Say what the 2x2 table at a threshold holds."""
    parts = tuple(
        message("values.colon", label=name, words=cell(at, place)) for place, name in enumerate(cell_names(result))
    )
    threshold = Number(at.threshold, Kind.THRESHOLD)
    return message("side_by_side.confusion_alt", threshold=threshold, cells=Listing(parts, "values.semicolon"))


def labelled_cell(result: SideBySide, at: ThresholdTable, place: int) -> Message:
    """Give the same, with the answers behind the count where labels are one of the two."""
    known = cell(at, place)
    if result.second:
        return known
    count = counted(at.counts[place], "judge-cell", at.threshold, place, *_judge(result))
    return known._replace(values={**known.values, "count": count})


def _judge(result: SideBySide) -> tuple[str, str]:
    return result.first.signature, result.first.judge


def square(result: SideBySide, first: int, second: int) -> int:
    """Count the matched answers in these bins, with their code where labels are one of the two."""
    count = result.grid[first][second]
    return count if result.second else counted(count, "judge-square", first, second, *_judge(result))


def tenth(result: SideBySide, number: int) -> int:
    """Count the matched answers in a bin of the first score, with their code where labels are the second."""
    count = result.spread[0].counts[number]
    return count if result.second else counted(count, "judge-tenth", number, *_judge(result))


def of_period(result: SideBySide, period: Period) -> int:
    """Count the matched answers of a period, with their code where labels are one of the two."""
    return period.n if result.second else counted(period.n, "judge-period", result.by, period.period, *_judge(result))


def every_threshold(result: SideBySide) -> Table:
    """List the 2x2 table at every threshold."""
    columns = tuple(
        Column(name, is_number=True) for name in (message("side_by_side.threshold_column"), *cell_names(result))
    )
    rows: tuple[tuple[Value, ...], ...] = tuple(
        (Number(at.threshold, Kind.THRESHOLD), *(labelled_cell(result, at, place) for place in range(CELLS)))
        for at in result.thresholds
    )
    return Table(columns, rows, name="thresholds")


def worst(result: SideBySide, names: tuple[Value, Value]) -> Table:
    """List the answers on which the two are furthest apart."""
    is_label = result.second is None
    second = message("side_by_side.label") if is_label else names[1]
    columns = (
        Column(message("side_by_side.item")),
        *(Column(label, is_number=True) for label in (names[0], second, message("side_by_side.distance"))),
    )
    rows = tuple(
        (
            Name(answer.item_id),
            Number(answer.first, Kind.SCORE),
            message(f"side_by_side.{'right' if answer.second else 'wrong'}")
            if is_label
            else Number(answer.second, Kind.SCORE),
            Number(answer.distance, Kind.SCORE),
        )
        for answer in result.worst
    )
    return Table(columns, rows, name="worst")


def spread(name: Value, bars: Iterable[tuple[str, float, float]]) -> Message:
    """Say how a score is spread: by bin, the share of the matched and of all."""
    parts = (
        message("values.colon", label=Name(name), words=Listing((share(matched), share(every))))
        for name, matched, every in bars
    )
    return message("side_by_side.distribution_alt", judge=name, bars=Listing(tuple(parts), "values.semicolon"))


def grid(cells: Sequence[tuple[str, str, int]]) -> Message:
    """Say where most of the matched answers lie."""
    parts = (
        message("values.colon", label=message("judges.crossed", across=Name(row), up=Name(column)), words=count)
        for row, column, count in cells
    )
    return message("side_by_side.grid_alt", cells=Listing(tuple(parts), "values.semicolon"))


def trend(result: SideBySide, names: tuple[Value, Value]) -> Message:
    """Say how the means of both went by day, week or month."""
    parts = tuple(
        message(
            "values.colon",
            label=Listing((Name(period.period), name)),
            words=EvidenceText(
                estimate, Kind.COEFFICIENT, IntervalBasis.LONG_RUN if estimate.long_run else IntervalBasis.WINDOW
            ),
        )
        for period in result.periods
        for name, estimate in zip(names, (period.first, period.second), strict=True)
        if period.period and estimate.estimate is not None
    )
    by = message(f"side_by_side.{result.by}")
    return message("side_by_side.trend_alt", by=by, means=Listing(parts, "values.semicolon"))


def _figure(result: SideBySide, name: str) -> Figure:
    estimate: Estimate = getattr(result.associations, name) if name in FROM_ASSOCIATIONS else result.agreement[name]
    lines: tuple[Message, ...] = ()
    if result.second is not None and estimate.estimate is not None:
        lines = (message("side_by_side.drawn", n=estimate.n, whole=result.whole),)
        if not result.is_sample:  # counted: there is nothing open here but for traffic to come
            lines = (message("side_by_side.exact", n=estimate.n),)
            estimate = replace(estimate, low=None, high=None)
    kind, explanation = KINDS.get(name, Kind.COEFFICIENT), message(f"side_by_side.{name}_help")
    label, is_exact = message(f"side_by_side.{name}"), result.is_census
    return Figure(name, label, estimate, kind, is_exact=is_exact, help=explanation, lines=lines)
