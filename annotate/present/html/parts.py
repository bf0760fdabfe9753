"""The parts of the page after the quantities: the 2x2 table, the course, reliability, people, strata, rules, judges."""

from __future__ import annotations

from datetime import date

from annotate.analysis.drift.trends import Courses, Figure, Mark
from annotate.analysis.report.report import Compared, Report
from annotate.charts.days import thinned
from annotate.present.html.markup import NONE, Markup, inner, number, prose, row, section, table, tag
from annotate.present.html.quantities import HEAD, WORDS, cells, shown
from annotate.present.html.svg import Day, Spot, course, reliability
from annotate.present.report import CENSUS, overlap_words
from proxy.evaluation.candidates import REFERENCE_BASED
from proxy.evaluation.estimate import Estimate, for_comparison, has_width
from proxy.evaluation.reliability_curve import Meaning
from proxy.evaluation.trust import percent
from proxy.text.language import two_decimals

CELLS = (("right_pass", "wrong_pass"), ("right_fail", "wrong_fail"))
BY_WEEK = (Figure.CORRECTNESS, Figure.PASS_PRECISION, Figure.PASS_RATE, Figure.THUMBS_DOWN)
DRAWN = (Figure.CORRECTNESS, Figure.PASS_PRECISION)
DAYS = 6


def two_by_two(report: Report) -> Markup:
    """Labels by the verdict of the proxy and of people, with the share of judged traffic that each stands for."""
    counts, shares = report.agreement.counts, report.agreement.shares
    rows = []
    for place, (words, names) in enumerate(zip(("proxy: pass", "proxy: fail"), CELLS, strict=True)):
        found = []
        for side, name in enumerate(names):
            stands = f" ({percent(float(shares[2 * place + side]))})" if shares else ""
            found.append(inner(number(getattr(counts, name), f"{getattr(counts, name):,}", name), stands))
        rows.append(row(words, *found))
    said = (
        "share of judged traffic in brackets" if shares else "what they stand for in all traffic is not measurable yet"
    )
    return table(("", "people: right", "people: wrong"), rows, f"Labels, {said}", "cells")


def over_time(found: Courses, headline: str) -> Markup:
    """The figures by week, and the changes of judge and rule."""
    if found.reason:
        return section("Week by week", tag("p", prose(f"Not measurable: {found.reason}.")), _marks(found.marks))
    without = f" {found.without_time:,} of {found.items:,} items have no timestamp and are in no week."
    basis = "Weeks begin on Monday, UTC, by the time of the answers; all are read by the rule in force now."
    return section(
        "Week by week",
        tag("p", prose(headline)),
        _course(found),
        _weeks(found),
        tag("p", basis + (without if found.without_time else ""), class_="small"),
        _marks(found.marks),
    )


def _course(found: Courses) -> Markup:
    days = [one.day for one in found.labels]
    first, last = date.fromisoformat(days[0]), date.fromisoformat(days[-1])
    whole = max(1, (last - first).days + 7)

    def place(day: str) -> float:
        return (date.fromisoformat(day[:10]) - first).days / whole

    series = [
        (
            WORDS[figure.value],
            [
                Spot(place(day), one.estimate, one.low, one.high)
                for day, one in found.points[figure]
                if one.estimate is not None and one.low is not None and one.high is not None
            ],
        )
        for figure in DRAWN
    ]
    if not any(spots for _, spots in series):
        return tag("p", "No week has enough labels for an estimate of its own.", class_="small")
    labelled = [Day(place(day), day) for day in thinned(days, DAYS)]
    numbers: dict[str, list[str]] = {}
    for count, one in enumerate(found.marks, start=1):
        if one.is_within:
            numbers.setdefault(one.at[:10], []).append(str(count))
    marks = [Day(place(day), ", ".join(theirs)) for day, theirs in numbers.items()]
    alt = "Answers right and right among passed by week with 95 % intervals; the table below has the numbers"
    return course(series, labelled, marks, alt)


def _weeks(found: Courses) -> Markup:
    """Every week with its numbers."""
    rows = []
    for place, (day, labels) in enumerate(found.labels):
        theirs = [found.points[figure][place].estimate for figure in BY_WEEK]
        rows.append(row(day, number(labels, f"{labels:,}", "labels"), *(_share(one) for one in theirs), id_=day))
    head = ("week of", "labels", *(WORDS[figure.value] for figure in BY_WEEK))
    return table(head, rows, "Week by week, with 95 % intervals", "weeks")


def _share(one: Estimate) -> Markup:
    estimate, between, *_ = cells(one, percent)
    if one.estimate is None or one.low == one.high:
        return inner(estimate)
    return inner(estimate, " (", between, ")")


def _marks(marks: tuple[Mark, ...]) -> Markup:
    if not marks:
        return tag("p", "Neither a judge's signature nor the rule has changed so far.", class_="small")
    rows = [
        row(f"{number}", one.at[:10], f"{one.kind.value} {one.name}", one.before, one.after)
        for number, one in enumerate(marks, start=1)
    ]
    return table(("mark", "day", "what", "before", "after"), rows, "Changes of judge and rule", "marks")


def calibration(report: Report, found: Meaning) -> Markup:
    """What the rule's value says of P(right)."""
    title = "What does the value mean?"
    if found.reason:
        return section(title, tag("p", prose(found.reason)))
    spots = [Spot(one.mean, one.share, *one.interval) for one in found.bands if 0 <= one.mean <= 1]
    rows = [
        row(
            f"{two_decimals(one.low)} to {two_decimals(one.high)}",
            f"{one.n:,}",
            two_decimals(one.mean),
            f"{percent(one.share)} ({percent(one.interval.low)} to {percent(one.interval.high)})",
        )
        for one in found.bands
    ]
    alt = "Share of right answers by the value of the rule, with 95 % intervals; the table has the numbers"
    said = report.calibration
    scores = (
        f"Brier score {said.brier:.3f}, calibration error {said.ece:.3f}; a perfectly calibrated value would show "
        f"{said.ece_if_perfect:.3f} on as many labels ({said.n:,})."
        if said
        else f"No Brier score: {report.agreement.kappa.reason}."
        if report.agreement.shares is None
        else "The value is no number from 0 to 1, so it has no Brier score."
    )
    return section(
        title,
        reliability(spots, alt) if spots else "",
        table(("value", "labels", "mean value", "right, 95 %"), rows, "Reliability", "bands"),
        tag("p", prose(f"{found.unseen[:1].upper()}{found.unseen[1:]}." if found.unseen else scores)),
    )


def people(report: Report) -> Markup:
    """How far readers agree with each other, and what that allows; no reader is named."""
    found = report.people
    if not found.n:
        return section("Do people agree?", tag("p", prose(f"Not measurable: {found.agreement.reason}.")))
    names = {"agreement": "pairs of readings that agree", "alpha": "Krippendorff's alpha", "ac1": "Gwet's AC1"}
    rows = [
        row(words, *cells(getattr(found, name), percent if name == "agreement" else two_decimals), id_=f"people_{name}")
        for name, words in names.items()
    ]
    ceiling = (
        ""
        if found.ceiling is None
        else f" A perfect proxy would agree with one reader {percent(found.ceiling)} of the time."
    )
    return section(
        "Do people agree?",
        table(HEAD, rows, "Agreement between readers", "people"),
        tag("p", f"{overlap_words(report.overlap).capitalize()}.{ceiling}", class_="small"),
        *([tag("p", f"{found.warning}.")] if found.warning else []),
    )


def strata(report: Report) -> Markup:
    """What was drawn from where."""
    rows = [
        row(
            one.stratum.replace("_", " "),
            number(one.size, f"{one.size:,}", "size"),
            number(one.drawn, f"{one.drawn:,}", "drawn"),
            number(one.right, f"{one.right:,}", "right"),
            number(one.wrong, f"{one.wrong:,}", "wrong"),
            number(one.unsure, f"{one.unsure:,}", "unsure"),
            number(one.response, "" if one.response is None else percent(one.response), "response"),
            id_=one.stratum,
        )
        for one in report.agreement.strata
    ]
    head = ("group", "items", "drawn", "right", "wrong", "unsure", "right or wrong")
    return section("Where do the labels come from?", table(head, rows, "Each group is drawn at its own rate", "strata"))


def rules(report: Report) -> Markup:
    """Every other rule on the same labels."""
    others = [("judge alone", one.alone) for one in report.judges] + [("rule", one) for one in report.candidates]
    head = ("rule", "kind", "scores", "kappa", "minus rule in force", "right among passed", "AUROC")
    rows = [_rule(kind, one) for kind, one in others]
    return section(
        "Would another rule do better?",
        tag("p", prose(report.best.sentence)),
        tag(
            "p",
            f"The rule in force scores {percent(report.coverage)} of the answers; a difference is taken on those that both "
            "rules score." + ("" if has_width(report.agreement.kappa) else f" {CENSUS}"),
        ),
        table(head, rows, "Each rule on what it scores, 95 %", "rules"),
    )


def _rule(kind: str, one: Compared) -> Markup:
    kind += "; reads references, so no proxy" if REFERENCE_BASED & set(one.rule.signatures) else ""
    minus = one.differences.kappa
    same = (
        f"same on all {minus.estimate.n:,} labels" if minus.differ == 0 and minus.estimate.estimate is not None else ""
    )
    values = [
        number(one.coverage, percent(one.coverage), "coverage"),
        _brief(for_comparison(one.agreement.kappa), "kappa"),
        inner(same) if same else _brief(for_comparison(minus.estimate), "kappa"),
        _brief(for_comparison(one.agreement.pass_precision), "pass_precision"),
        _brief(one.auroc, "auroc"),
    ]
    return row(one.rule.expression, kind, *values, id_=" ".join((one.rule.expression, *one.rule.signatures.values())))


def _brief(one: Estimate, name: str) -> Markup:
    """Estimate and interval; the reason where there is none."""
    estimate, between, *_ = cells(one, shown(name))
    if one.estimate is None:
        return inner(NONE, " ", tag("span", prose(one.reason or ""), class_="small"))
    return inner(estimate, " (", between, ")") if one.low is not None else inner(estimate)


def judges(report: Report) -> Markup:
    """Each judge with its signature and what it has scored."""
    rows = [
        row(
            one.totals.judge,
            tag("code", one.totals.signature),
            number(one.totals.scored, f"{one.totals.scored:,}", "scored"),
            number(one.totals.failed, f"{one.totals.failed:,}", "failed"),
            number(one.totals.mean, "" if one.totals.mean is None else two_decimals(one.totals.mean), "mean"),
            id_=one.totals.signature,
        )
        for one in report.judges
    ]
    return section(
        "Judges", table(("judge", "signature", "scored", "failed", "mean score"), rows, "What was scored", "judges")
    )
