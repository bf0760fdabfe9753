"""Make the figures and cells of measured quantities: what they are called, what they mean, how their numbers are written."""

from __future__ import annotations

from dataclasses import replace

from annotate.domain.counted import counted
from annotate.domain.message import Between, Counted, Kind, Number, Value, message, share
from annotate.present.document import Column, Figure, Table
from proxy.evaluation.agreement import AgreementReport, ConfusionCounts
from proxy.evaluation.estimate import COEFFICIENTS, Estimate
from proxy.stats.intervals import Interval

COUNTED = {"pass_rate": "report.counted", "thumbs_down": "report.hint"}


def kind_of(name: str) -> Kind:
    """Return how a quantity is written."""
    if name == "let_through":
        return Kind.PER_THOUSAND
    return Kind.COEFFICIENT if name in COEFFICIENTS else Kind.SHARE


def quantity(name: str, estimate: Estimate, *, is_exact: bool = False) -> Figure:
    """Make the figure of a quantity by its name in the JSON; `is_exact` where every answer is labelled."""
    is_counted = name in COUNTED and estimate.estimate is not None
    return Figure(
        name,
        message(f"measures.{name}"),
        estimate,
        kind_of(name),
        message(COUNTED[name]) if is_counted else None,
        is_exact=is_exact,
        help=message(f"measures.{name}_help"),
    )


def cell(
    estimate: Estimate, kind: Kind, *, is_signed: bool = False, is_exact: bool = False, has_n: bool = False
) -> Value:
    """Give an estimate with its interval for this window, as a table shows it; None where it is not known.

    It `has_n` where the cells of a row rest on different labels.
    """
    if estimate.estimate is None:
        return None
    value = Number(estimate.estimate, kind, is_signed)
    if estimate.low is None or estimate.high is None:
        return value
    span = Between(estimate.low, estimate.high, kind, is_signed, is_exact)
    if has_n:
        return message("values.evidence", value=value, span=span, n=estimate.n)
    return message("report.short", value=value, span=span)


def long_run_cell(estimate: Estimate, kind: Kind) -> Value:
    """Give an estimate with its interval for the long run and its n, on which limits are set; what has none stands alone."""
    low, high = estimate.long_run or (None, None)
    return cell(replace(estimate, low=low, high=high), kind, has_n=True)


def span(interval: Interval | None, kind: Kind, *, is_signed: bool = False) -> Value:
    """Give both ends of an interval; None where there is none."""
    return Between(*interval, kind, is_signed) if interval else None


def is_whole(agreement: AgreementReport) -> bool:
    """Return whether every answer of the frame has a label."""
    strata = agreement.strata
    return bool(strata) and all(stratum.right + stratum.wrong + stratum.unsure >= stratum.size for stratum in strata)


def is_weighted(agreement: AgreementReport) -> bool:
    """Return whether labels count for unequally many answers, so that no share need be a fraction of its n."""
    labels = [(stratum.right + stratum.wrong, stratum.size) for stratum in agreement.strata if stratum.drawn]
    return len({decided / size for decided, size in labels}) > 1


def cells(agreement: AgreementReport) -> Table:
    """Make the 2x2 table: labels as they are, and what they stand for in the traffic."""
    counts, shares = agreement.counts, agreement.shares
    names = ["right", "wrong", *(["right_share", "wrong_share"] if shares else [])]
    columns = (
        Column(message("report.verdict")),
        *(Column(message(f"report.{name}"), is_number=True) for name in names),
    )
    parts = [tuple(share(float(part)) for part in shares[place : place + 2]) if shares else () for place in (0, 2)]
    rows: tuple[tuple[Value, ...], ...] = (
        (message("report.pass"), *_counted(counts, "right_pass", "wrong_pass"), *parts[0]),
        (message("report.fail"), *_counted(counts, "right_fail", "wrong_fail"), *parts[1]),
    )
    return Table(columns, rows, message("report.cells_basis" if shares else "report.cells_counts"), "cells")


def _counted(counts: ConfusionCounts, *names: str) -> list[Counted]:
    return [counted(getattr(counts, name), "cell", name) for name in names]
