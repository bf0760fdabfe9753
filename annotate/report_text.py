"""A Report in, one page of text out that begins with whether the proxy can be trusted."""

from __future__ import annotations

from collections.abc import Callable

from annotate.report import Report
from proxy.diagnosis import where_to_look
from proxy.estimate import Estimate
from proxy.text import displayable
from proxy.trust import percent

NAMES = {
    "correctness": "answers right",
    "pass_precision": "right among passed",
    "sensitivity": "passed among right",
    "specificity": "failed among wrong",
    "accuracy": "verdict agrees with people",
}
COEFFICIENTS = {"kappa": "kappa (beyond chance)", "f1": "F1", "mcc": "MCC"}
WIDTH = 100
QUOTED = 160


def text(report: Report) -> str:
    """The page, in plain characters."""
    parts = (
        _head(report),
        _measures(report),
        _table(report),
        _judges(report),
        _misses(report),
        _look(report),
        _warnings(report),
    )
    return "\n\n".join(part for part in parts if part) + "\n"


def _head(report: Report) -> str:
    progress = report.progress
    lines = [
        report.trust.sentence,
        "",
        f"{report.items:,} items, {report.judged:,} judged, {progress.labelled:,} of {progress.drawn:,} drawn items labelled "
        f"({progress.right:,} right, {progress.wrong:,} wrong, {progress.unsure:,} unsure)"
        + (f", {report.hand_picked:,} hand-picked labels beside" if report.hand_picked else ""),
        f"rule {report.rule.name} v{report.rule.version}: {report.rule.expression}",
    ]
    return "\n".join(lines)


def _measures(report: Report) -> str:
    """Every quantity: for this window, and for the long run."""
    lines = [f"{'':<28}{'estimate':>9}  {'this window, 95 %':<20}{'long run, 95 %':<20}labels"]
    rate = report.pass_rate
    if rate.estimate is not None:
        lines.append(f"{'passed by the proxy':<28}{percent(rate.estimate):>9}  counted on {rate.n:,} items")
    said = None
    for name, words in (NAMES | COEFFICIENTS).items():
        one = getattr(report.agreement, name)
        lines.append(_measure(words, one, is_share=name in NAMES))
        if one.reason and one.reason != said:
            lines.append(f"    {one.reason}")
        said = one.reason
    return "\n".join(lines)


def _measure(words: str, one: Estimate, *, is_share: bool) -> str:
    show = percent if is_share else _number
    value = "—" if one.estimate is None else show(one.estimate)
    window = f"{show(one.low)} to {show(one.high)}" if one.low is not None and one.high is not None else ""
    if one.estimate is not None and one.low == one.high:
        window = "exact: all labelled"
    long_run = f"{show(one.long_run.low)} to {show(one.long_run.high)}" if one.long_run else ""
    return f"{words:<28}{value:>9}  {window:<20}{long_run:<20}{one.n or ''}".rstrip()


def _number(value: float) -> str:
    """Two decimals, and no minus before a zero."""
    return f"{round(value, 2) + 0.0:.2f}"


def _table(report: Report) -> str:
    """The 2x2 table: labels as they are, and what they stand for in the traffic."""
    counts, shares = report.agreement.counts, report.agreement.shares
    rows = [("passed", counts.right_pass, counts.wrong_pass), ("failed", counts.right_fail, counts.wrong_fail)]
    lines = [
        f"{'labels':<12}{'right':>10}{'wrong':>10}"
        + (f"{'share of traffic: right':>28}{'wrong':>10}" if shares else "")
    ]
    for (word, right, wrong), pair in zip(rows, (shares[:2], shares[2:]) if shares else ((), ()), strict=True):
        lines.append(
            f"{word:<12}{right:>10}{wrong:>10}"
            + "".join(f"{percent(float(share)):>{width}}" for share, width in zip(pair, (28, 10), strict=False))
        )
    return "\n".join(lines)


def _judges(report: Report) -> str:
    """Each judge alone against people, on the same labels."""
    if report.agreement.kappa.estimate is None:
        return ""
    lines = [f"{'each judge alone, above 0.5':<28}{'right among passed':<26}{'kappa':<22}labels"]
    for one in report.judges:
        precision, kappa = one.alone.agreement.pass_precision, one.alone.agreement.kappa
        lines.append(
            f"{one.totals.judge[:26]:<28}{_brief(precision, percent):<26}{_brief(kappa, _number):<22}{kappa.n or ''}"
        )
    return "\n".join(lines)


def _brief(one: Estimate, show: Callable[[float], str]) -> str:
    """An estimate with its interval for this window."""
    if one.estimate is None or one.low is None or one.high is None:
        return "—"
    return f"{show(one.estimate)} ({show(one.low)} to {show(one.high)})"


def _misses(report: Report) -> str:
    """The answers that the proxy passed and people call wrong."""
    lines = []
    for miss in report.misses:
        lines += [f"{miss.item.id}: {one_line(miss.item.question)}", f"    said: {one_line(miss.item.answer)}"]
        if miss.label.rationale:
            lines.append(f"    why wrong: {one_line(miss.label.rationale)}")
        if miss.label.reference:
            lines.append(f"    reference: {one_line(miss.label.reference)}")
    if report.missed > len(report.misses):
        lines.append(f"and {report.missed - len(report.misses):,} more: see them with `assay app`")
    return "\n".join(["Missed: passed by the proxy, wrong for people", *lines]) if lines else ""


def _look(report: Report) -> str:
    """The quadrants that hold wrong answers, and the next place to look."""
    if not report.progress.labelled:
        return ""
    lines = [
        f"{one.wrong:>5} wrong, {one.right} right: {one.meaning}" for one in report.quadrants if one.wrong or one.right
    ]
    return "\n".join(["Where to look next (counts of labels, not of traffic)", *lines, where_to_look(report.quadrants)])


def _warnings(report: Report) -> str:
    return "\n".join(f"Note: {warning}." for warning in report.warnings)


def one_line(text: str) -> str:
    """A text on one line, cut short, with nothing in it that could steer a terminal."""
    line = "".join(c if c.isprintable() or c == " " else " " for c in displayable(" ".join(text.split())))
    return line if len(line) <= QUOTED else line[: QUOTED - 1] + "…"
