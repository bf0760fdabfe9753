"""Measured quantities as markup: an Estimate in, the cells of a row out, and the tables and the picture made of them.

A row has the quantity's name in `assay report --json`, and its cells hold estimate, ends of both intervals, n, method, reason.
"""

from __future__ import annotations

from collections.abc import Callable

from annotate.analysis.report.limits import BEYOND_CHANCE, HARM, PEOPLE, Held, Standing
from annotate.analysis.report.report import Report
from annotate.present.html.markup import NONE, Markup, inner, number, prose, row, table, tag
from annotate.present.html.svg import Line, intervals
from annotate.present.report import COEFFICIENTS, NAMES
from proxy.evaluation.agreement import AgreementReport
from proxy.evaluation.estimate import Estimate
from proxy.evaluation.trust import percent
from proxy.text.language import two_decimals

WORDS = {
    "pass_rate": "passed by the proxy",
    "thumbs_down": "marked down by users",
    **NAMES,
    "correctness_long_run": "answers right, long run",
    **COEFFICIENTS,
    "auroc": "AUROC of the rule's value",
}
SHARES = {"pass_rate", "thumbs_down", "correctness_long_run", *NAMES}
HEAD = ("quantity", "estimate", "this window, 95 %", "long run, 95 %", "n", "basis, or why it is not measurable")
STANDINGS = {
    Standing.MET: "✓ met",
    Standing.MISSED: "✗ missed",
    Standing.OPEN: "… open: more labels would tell",
    Standing.UNMEASURABLE: "— not measurable",
}
LIMITED = {BEYOND_CHANCE: "kappa (beyond chance)", PEOPLE: "people agree with each other (alpha)", HARM: "serious harm"}
DRAWN = ("correctness", "pass_precision", "npv", "sensitivity", "specificity", "accuracy")


def estimates(report: Report) -> dict[str, Estimate]:
    """Every quantity of the report by its name."""
    others = {"pass_rate": report.pass_rate, "thumbs_down": report.thumbs_down, "auroc": report.auroc}
    return {name: others.get(name) or getattr(report.agreement, name) for name in WORDS}


def quantities(report: Report) -> Markup:
    """The table of every quantity."""
    rows = [quantity(WORDS[name], one, name) for name, one in estimates(report).items()]
    return table(HEAD, rows, "Every measured quantity", "quantities")


def quantity(words: str, one: Estimate, name: str) -> Markup:
    """One row."""
    show = shown(name)
    return row(words, *cells(one, show), id_=name)


def shown(name: str) -> Callable[[float], str]:
    """How people read a quantity: shares in percent, others with two decimals."""
    return percent if name in SHARES else two_decimals


def cells(one: Estimate, show: Callable[[float], str]) -> list[Markup]:
    """Estimate, both intervals, n, and basis or reason."""
    return [
        number(one.estimate, "" if one.estimate is None else show(one.estimate), "estimate"),
        _between((one.low, one.high), show, ("low", "high")),
        _between(one.long_run, show, ("long_run_low", "long_run_high")),
        number(one.n, f"{one.n:,}", "n"),
        _basis(one),
    ]


def _between(
    ends: tuple[float | None, float | None] | None, show: Callable[[float], str], fields: tuple[str, str]
) -> Markup:
    low, high = ends or (None, None)
    if low is None or high is None:
        return Markup(NONE)
    if low == high:
        return inner(number(low, "exact", fields[0]), number(high, "", fields[1]))
    return inner(number(low, show(low), fields[0]), " to ", number(high, show(high), fields[1]))


def _basis(one: Estimate) -> Markup:
    parts = [tag("span", one.method, class_="method")] if one.method else []
    parts += [tag("span", prose(one.reason), class_="reason")] if one.reason else []
    return inner(*(piece for part in parts for piece in (part, Markup(" ")))) if parts else Markup(NONE)


def picture(agreement: AgreementReport) -> Markup:
    """The shares with both intervals."""
    lines = [
        Line(
            WORDS[name],
            one.estimate,
            (one.low, one.high) if one.low is not None and one.high is not None else None,
            one.long_run,
        )
        for name in DRAWN
        for one in [getattr(agreement, name)]
        if one.low is not None or one.long_run
    ]
    if not lines:
        return tag("p", "No share can be measured yet.", class_="small")
    words = "; ".join(f"{one.name} {NONE if one.estimate is None else percent(one.estimate)}" for one in lines)
    legend = "Dot and full line: this window. Dashed line: the long run. All intervals are at 95 %."
    return inner(
        intervals(lines, f"Shares with their intervals; the table below has them all: {words}"),
        tag("p", legend, class_="small"),
    )


def limits(found: tuple[Held, ...]) -> Markup:
    """Limit by limit."""
    head = ("limit on", "met?", "limit", "found", "long run, 95 %", "n")
    met = sum(one.standing is Standing.MET for one in found)
    return table(head, [_limit(one) for one in found], f"Limits: {met} of {len(found)} met", "limits")


def _limit(one: Held) -> Markup:
    words = LIMITED.get(one.name) or WORDS[one.name]
    if one.found is None:
        asked = f"at most {one.limit:,.0f}"
        return row(words, STANDINGS[one.standing], asked, f"{one.count:,}", NONE, NONE)
    show = two_decimals if one.name in LIMITED else shown(one.name)
    asked = f"{'above' if one.name in LIMITED else 'at least'} {show(one.limit)}"
    estimate, _, long_run, n, _ = cells(one.found, show)
    return row(words, STANDINGS[one.standing], asked, estimate, long_run, n)
