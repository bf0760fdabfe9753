"""Say how other rules over the same judges compare with the rule in force, on the same labels."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Sequence

from annotate.analysis.report.compared_rules import ComparedRule
from annotate.analysis.report.report import ProjectReport
from annotate.domain.message import Between, Code, Kind, Listing, Message, Number, Value, coefficient, message, share
from annotate.present.document import Block, Column, Section, Table
from annotate.present.quantity import cell, is_whole, kind_of, span
from proxy.evaluation.agreement import AgreementReport
from proxy.evaluation.candidates import is_reference_based
from proxy.evaluation.estimate import Estimate, as_long_run, for_comparison, has_width
from proxy.evaluation.rule_comparison import RuleDifference
from proxy.evaluation.rule_selection import BestRule, Choice
from proxy.rule import Rule

MEASURED = ("kappa", "accuracy", "pass_precision", "auroc")
# The candidates of twelve judges: each raw and by percentiles, and six combinations.
SHOWN = 30


def blocks(report: ProjectReport) -> Iterator[Block]:
    """List every other rule on the same labels, best kappa first, and say whether one is better than the rule in force."""
    if report.agreement.kappa.estimate is None:
        return
    rules = sorted(named(report), key=_by_kappa)
    columns = (
        Column(message("report.rule_column"), is_wide=True),
        *(
            Column(message(f"report.{name}"), is_number=True)
            for name in ("scores", "kappa_column", "minus", "auroc_column")
        ),
    )
    rows = tuple((name, *_row(other, is_census=is_census(report))) for name, other in rules)
    yield Table(columns, rows, message("report.coverage", share=share(report.coverage)), "rules", SHOWN)
    kappas = [compared(other.agreement.kappa, is_census=is_census(report)) for _, other in rules]
    reasons = dict.fromkeys(kappa.reason for kappa in kappas if kappa.estimate is None and kappa.reason)
    yield from (message("values.colon", label="—", words=reason) for reason in reasons)
    yield message("report.census" if is_census(report) else "report.each_alone")
    yield best_rule(report.best)


def is_census(report: ProjectReport) -> bool:
    """Whether the labels leave nothing open of the rule in force in this window, so that rules are compared in the long run."""
    return not has_width(report.evidence.among.kappa)


def compared(estimate: Estimate, *, is_census: bool) -> Estimate:
    """Return the estimate to compare between rules: the long run's at a census or without a width, else this window's."""
    if estimate.low is not None and (is_census or not has_width(estimate)):
        return as_long_run(estimate)
    return estimate


def others(report: ProjectReport) -> list[ComparedRule]:
    """Return every rule but the one in force: each judge alone, and the candidates."""
    known = [*(judge.alone for judge in report.judges), *report.candidates]
    return [other for other in known if not report.is_in_force(other.rule)]


def named(report: ProjectReport) -> list[tuple[Value, ComparedRule]]:
    """Return every other rule with a unique name."""
    rules = others(report)
    counts = Counter([report.rule.expression, *(other.rule.expression for other in rules)])
    doubled = {expression for expression, count in counts.items() if count > 1}
    return [(_name(other.rule, doubled), other) for other in rules]


def best_rule(best: BestRule) -> Message:
    """Say whether another rule agrees better with annotators than the one in force."""
    nearest = best.nearest
    if best.status is Choice.UNKNOWN or nearest is None:
        return message("report.best_unknown")
    if best.status is Choice.KEEP:
        return message("report.best_keep", rule=Code(best.expression or ""), count=best.tried)
    return message(
        f"report.best_{best.status.value}",
        rule=Code(nearest.expression),
        evidence=_against_all(nearest.kappa),
        count=best.tried,
    )


def side_by_side(report: ProjectReport) -> tuple[Section, ...]:
    """Return every rule with its quantities, the one in force first, then each minus the one in force."""
    rules = named(report)
    whole = is_census(report)
    among, auroc = report.evidence.among, report.evidence.auroc
    in_force = _values(Code(report.rule.expression), report.coverage, among, auroc, is_census=whole)
    rows = (_values(name, other.coverage, other.agreement, other.auroc, is_census=whole) for name, other in rules)
    columns = (
        Column(message("calibration.rule"), is_wide=True),
        Column(message("calibration.scores"), is_number=True),
        *(Column(message(f"measures.{name}"), is_number=True) for name in MEASURED),
        Column(message("calibration.labels"), is_number=True),
    )
    unknown = (other.differences.kappa.estimate for _, other in rules)
    reasons = dict.fromkeys(estimate.reason for estimate in unknown if estimate.estimate is None and estimate.reason)
    basis = [message("calibration.rivals_basis", n=len(rules))]
    basis += [message("report.census")] if whole else []
    basis += left_out(report.evidence.draws.missing)
    return (
        Section(message("calibration.values"), (Table(columns, (in_force, *rows), name="rules"),)),
        Section(message("calibration.differences"), (_differences(rules, is_census=whole), *reasons, *basis)),
    )


def left_out(missing: int) -> list[Message]:
    """Say of intervals that they leave out drawn answers without a right or wrong, which those of the report allow for."""
    return [message("report.left_out", count=missing)] if missing else []


def picture(report: ProjectReport, quantity: str) -> Message:
    """Say how far each rule is from the rule in force in one quantity."""
    kind, whole = kind_of_difference(quantity), is_census(report)
    parts = (
        message(
            "values.colon", label=name, words=difference(getattr(other.differences, quantity), kind, is_census=whole)
        )
        for name, other in named(report)
    )
    words = message(f"measures.{quantity}")
    return message("calibration.picture_alt", quantity=words, rules=Listing(tuple(parts), "values.semicolon"))


def difference(measured: RuleDifference, kind: Kind, *, is_census: bool) -> Value:
    """Return a difference with its interval, or that no label distinguishes the rules."""
    if measured.differ == 0 and measured.estimate.estimate is not None:
        return message("report.same", count=measured.estimate.n)
    return cell(compared(measured.estimate, is_census=is_census), kind, is_signed=True)


def kind_of_difference(quantity: str) -> Kind:
    """Return how a difference is written: those of shares in points."""
    return Kind.POINTS if kind_of(quantity) is Kind.SHARE else Kind.COEFFICIENT


def _values(
    name: Value, coverage: float, agreement: AgreementReport, auroc: Estimate, *, is_census: bool
) -> tuple[Value, ...]:
    measured = {quantity: auroc if quantity == "auroc" else getattr(agreement, quantity) for quantity in MEASURED}
    is_exact = is_whole(agreement)
    spelled = (
        cell(compared(estimate, is_census=is_census), kind_of(quantity), is_exact=is_exact, has_n=True)
        for quantity, estimate in measured.items()
    )
    known = [estimate.n for estimate in measured.values() if estimate.estimate is not None]
    return (name, share(coverage), *spelled, max(known or [estimate.n for estimate in measured.values()]))


def _differences(rules: Sequence[tuple[Value, ComparedRule]], *, is_census: bool) -> Table:
    columns = (
        Column(message("calibration.rule"), is_wide=True),
        Column(message("measures.kappa"), is_number=True),
        Column(message("calibration.at_once", quantity=message("measures.kappa")), is_number=True),
        Column(message("calibration.points", quantity=message("measures.accuracy")), is_number=True),
        Column(message("calibration.at_once", quantity=message("measures.accuracy")), is_number=True),
        Column(message("measures.auroc"), is_number=True),
    )
    rows = tuple((name, *_away(other, is_census=is_census)) for name, other in rules)
    return Table(columns, rows, name="differences")


def _away(other: ComparedRule, *, is_census: bool) -> Iterator[Value]:
    for quantity in ("kappa", "accuracy"):
        measured, kind = getattr(other.differences, quantity), kind_of_difference(quantity)
        yield difference(measured, kind, is_census=is_census)
        yield span(measured.of_all, kind, is_signed=True)
    yield difference(other.differences.auroc, Kind.COEFFICIENT, is_census=is_census)


def _by_kappa(rule: tuple[Value, ComparedRule]) -> float:
    kappa = rule[1].agreement.kappa.estimate
    return -(kappa if kappa is not None else -2.0)


def _row(other: ComparedRule, *, is_census: bool) -> tuple[Value, ...]:
    return (
        share(other.coverage),
        cell(compared(other.agreement.kappa, is_census=is_census), Kind.COEFFICIENT),
        difference(other.differences.kappa, Kind.COEFFICIENT, is_census=is_census),
        coefficient(other.auroc.estimate),
    )


def _name(rule: Rule, doubled: Collection[str]) -> Value:
    """Return the expression, with the source of its scores where another rule has the same."""
    name: Value = Code(rule.expression)
    if rule.expression in doubled:
        signatures = (Code(" ".join(signature.split("|")[1:])) for signature in rule.signatures.values())
        name = message("report.with_signatures", rule=name, signatures=Listing(tuple(signatures)))
    return message("report.reads_references", rule=name) if any(map(is_reference_based, rule.signatures)) else name


def _against_all(difference: RuleDifference) -> Message:
    """Say a difference in kappa with its simultaneous interval, which decides."""
    if difference.differ == 0:
        return message("report.same_verdict", count=difference.estimate.n)
    if difference.of_all is None:
        estimate = for_comparison(difference.estimate)
        interval = Between(estimate.low, estimate.high, Kind.COEFFICIENT, is_signed=True)
        return message("report.kappa_alone", value=Number(estimate.estimate, Kind.COEFFICIENT, True), span=interval)
    value = Number(difference.estimate.estimate, Kind.COEFFICIENT, is_signed=True)
    return message("report.kappa_all", value=value, span=span(difference.of_all, Kind.COEFFICIENT, is_signed=True))
