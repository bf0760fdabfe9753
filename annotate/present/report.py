"""Tell a report: whether the proxy can be trusted, how sure that is, and everything that it rests on."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace

from annotate.analysis.report.report import Compared, Miss, Report
from annotate.domain.annotation import SERIOUS
from annotate.domain.conversation import in_one_line
from annotate.domain.message import (
    Between,
    Code,
    Evidence,
    Kind,
    Listing,
    Message,
    Name,
    Number,
    Quote,
    Step,
    Value,
    coefficient,
    message,
    share,
)
from annotate.present import naming
from annotate.present.document import (
    Block,
    Chart,
    Column,
    Detail,
    Document,
    Excerpt,
    Figure,
    Figures,
    Section,
    Status,
    Table,
)
from annotate.present.guarantee import certified
from annotate.present.svg import Line
from proxy.diagnosis import Quadrant
from proxy.evaluation.annotator_agreement import freed_of_noise
from proxy.evaluation.candidates import REFERENCE_BASED
from proxy.evaluation.estimate import Estimate, for_comparison, has_width
from proxy.evaluation.rule_comparison import RuleDifference
from proxy.evaluation.rule_selection import BestRule, Choice
from proxy.evaluation.trust import Case, Needed, Trust, TrustVerdict
from proxy.rule import Rule
from proxy.stats.calibration.threshold_tests import Claim

HEADLINE = ("correctness", "pass_rate", "pass_precision", "sensitivity", "specificity", "kappa")
FURTHER = ("npv", "accuracy", "f1", "mcc", "ac1", "auroc", "thumbs_down")
COEFFICIENTS = frozenset({"kappa", "f1", "mcc", "ac1", "auroc"})
CHARTED = ("correctness", "pass_precision", "npv", "sensitivity", "specificity", "accuracy")
STATUSES = {
    Trust.YES: Status.MET,
    Trust.NO: Status.MISSED,
    Trust.OPEN: Status.OPEN,
    Trust.UNKNOWN: Status.UNMEASURABLE,
}
SHOWN_IDS, SHOWN_PAIRS, SHOWN_RULES = 10, 5, 30


def document(
    report: Report, steps: Sequence[Step] = (), *, with_noise: bool = False, with_texts: bool = True
) -> Document:
    """Tell the report.

    Parameters
    ----------
    report : Report
        What was measured.
    steps : sequence of Step
        What to do next.
    with_noise : bool
        Add correctness freed of annotators' errors.
    with_texts : bool
        Show questions, answers and names of annotators.
    """
    is_labelled = report.progress.labelled > 0
    sections = [Section(None, tuple(_basis(report)))]
    sections += [_harm(report)] if report.harmed or report.unsettled else []
    sections.append(Section(message("report.quantities"), (_figures(report, HEADLINE),)))
    sections += _details(report, with_noise=with_noise, with_texts=with_texts)
    return Document(
        answer=verdict(report) if is_labelled else message("report.unlabelled"),
        status=STATUSES[report.trust.status] if is_labelled else Status.UNMEASURABLE,
        sections=tuple(sections),
        notes=report.warnings,
        next=tuple(steps),
    )


def verdict(report: Report) -> Message:
    """Say whether the proxy can be trusted, with what shows it."""
    trust = report.trust
    values: dict[str, Value] = {
        "precision": Evidence(_precision(report), Kind.SHARE),
        "limit": share(trust.limit),
        "kappa": Evidence(report.agreement.kappa, Kind.COEFFICIENT),
        "reason": trust.reason,
    }
    if trust.turned:
        values |= {"count": trust.turned.draws.missing, "drawn": trust.turned.draws.drawn}
    case = Case.MISSING if trust.case is Case.MISSING_KAPPA else trust.case
    return message(f"report.{case.value}", **values)


def _precision(report: Report) -> Estimate:
    """Pass precision with the interval that holds whatever the drawn answers without a right or wrong are."""
    precision = report.agreement.pass_precision
    return replace(precision, long_run=report.trust.span) if report.trust.span else precision


def figure(report: Report, name: str) -> Figure:
    """A quantity of the report by its name in the JSON."""
    beside = {"pass_rate": report.pass_rate, "thumbs_down": report.thumbs_down, "auroc": report.auroc}
    estimate = beside.get(name) or getattr(report.agreement, name)
    counted = {"pass_rate": "report.counted", "thumbs_down": "report.hint"}
    basis = message(counted[name]) if name in counted and estimate.estimate is not None else None
    kind = Kind.COEFFICIENT if name in COEFFICIENTS else Kind.SHARE
    return Figure(name, message(f"measures.{name}"), estimate, kind, basis)


def _figures(report: Report, names: Sequence[str], caption: Message | None = None) -> Figures:
    return Figures(tuple(figure(report, name) for name in names), caption)


def _basis(report: Report) -> Iterator[Message | str]:
    """How sure the answer is, and what it speaks of."""
    if report.progress.labelled:
        yield from how_sure(report)
    progress = report.progress
    counts = {name: getattr(progress, name) for name in ("labelled", "drawn", "right", "wrong", "unsure")}
    yield message("report.counts", items=report.items, judged=report.judged, **counts)
    if report.hand_picked:
        yield message("report.hand_picked", count=report.hand_picked)
    if report.refusals:
        yield message("report.refusals", count=report.refusals)
    rule = report.rule
    yield message(
        "report.rule",
        name=Name(rule.name),
        version=rule.version,
        expression=Code(rule.expression),
    )
    yield from _guarantee(report)


def how_sure(report: Report) -> Iterator[Message]:
    """What could turn the verdict, and what would settle it."""
    trust, precision = report.trust, report.agreement.pass_precision
    if trust.reason and trust.case is not Case.UNMEASURED:
        yield message("report.reason", reason=trust.reason)
    if trust.turned:
        yield from _turned(trust, precision)
    elif trust.span:
        low, high = precision.long_run or (None, None)
        yield message("report.spanned", count=trust.missing, span=Between(low, high, Kind.SHARE))
    if trust.needed:
        yield from _needed(trust.needed, report.agreement.kappa)


def _turned(trust: TrustVerdict, precision: Estimate) -> Iterator[Message]:
    if trust.turned is None:
        return
    draws, case, is_worst = trust.turned
    yield message("report.kinds", unsure=draws.unsure, unanswered=draws.unanswered, pending=draws.pending)
    if trust.case is Case.MISSING_KAPPA:
        key = "report.kappa_worst" if is_worst else "report.kappa_best"
        yield message(key, kappa=Evidence(case, Kind.COEFFICIENT))
        return
    low, high = case.long_run or (None, None)
    yield message(
        "report.if_wrong" if is_worst else "report.if_right",
        share=share(case.estimate),
        span=Between(low, high, Kind.SHARE),
        precision=share(precision.estimate),
    )


def _needed(needed: Needed, kappa: Estimate) -> Iterator[Message]:
    if needed.few_questions:
        yield message("report.needs_questions")
    elif needed.more is None:
        yield message("report.needs_thousands")
    else:
        yield message("report.needs_more", count=needed.more)
    if needed.left is not None:
        yield message("report.needs_left", count=needed.left)
    if needed.kappa_open:
        yield message("report.needs_kappa", kappa=Evidence(kappa, Kind.COEFFICIENT))


def _guarantee(report: Report) -> Iterator[Message | str]:
    """What the threshold is certified for, and why that and a verdict that is not yes can both be true."""
    guarantee, precision, limit = report.guarantee, report.agreement.pass_precision, report.trust.limit
    if guarantee is None:
        return
    yield certified(guarantee)
    if guarantee.is_void or precision.long_run is None or precision.long_run.low >= limit:
        return
    confidence = share(guarantee.confidence)
    if guarantee.precision < limit:
        yield message("report.guarantee_lower", precision=share(guarantee.precision), limit=share(limit))
    elif guarantee.claims and all(proof.claim is not Claim.LONG_RUN for proof in guarantee.claims):
        yield message("report.guarantee_window")
    elif precision.long_run.high < limit:
        yield message("report.guarantee_against", confidence=confidence, n=precision.n)
    else:
        yield message("report.guarantee_beside", confidence=confidence, n=precision.n)


def _harm(report: Report) -> Section:
    """The answers that annotators mark as seriously harmful: ids first, texts with --full."""
    blocks = list[Block]()
    if report.harmed:
        blocks.append(message("report.harm_ids", count=len(report.harmed), ids=_ids(report.harmed)))
    if report.unsettled:
        blocks.append(message("report.harm_unsettled", count=len(report.unsettled), ids=_ids(report.unsettled)))
    return Section(message("report.harm"), tuple(blocks))


def _ids(ids: Sequence[str]) -> Value:
    shown = Listing(tuple(Name(item_id) for item_id in ids[:SHOWN_IDS]))
    more = len(ids) - SHOWN_IDS
    return message("report.harm_more", ids=shown, count=more) if more > 0 else shown


def _details(report: Report, *, with_noise: bool, with_texts: bool) -> Iterator[Section]:
    """Everything else."""
    if report.harmful and with_texts:
        yield _full("report.harm", *(_excerpt(miss) for miss in report.harmful))
    yield _full("report.more_quantities", *_more_quantities(report, with_noise=with_noise))
    if report.progress.labelled:
        yield _full("report.cells", _cells(report))
        yield _full("report.rules", *_rules(report))
    yield _full(
        "report.annotators", *_annotators(report), *([_pairs(report)] if report.people.n and with_texts else [])
    )
    if report.misses and with_texts:
        yield _full("report.misses", *_misses(report))
    if report.progress.labelled:
        yield _full("report.where", *_where(report))
        yield _full("report.strata", _strata(report))
    yield _full("report.judges", _judges(report))
    yield _full("report.gate", *_gate(report))


def _full(key: str, *blocks: Block) -> Section:
    return Section(message(key), blocks, Detail.FULL)


def _more_quantities(report: Report, *, with_noise: bool) -> Iterator[Block]:
    lines = tuple(
        Line(each.label, estimate.estimate, _window(estimate), estimate.long_run)
        for each in (figure(report, name) for name in CHARTED)
        for estimate in [each.estimate]
        if estimate.low is not None or estimate.long_run
    )
    if lines:
        yield Chart("intervals", lines, message("report.shares_alt"))
    figures = list(_figures(report, FURTHER).figures)
    if with_noise:
        freed = freed_of_noise(report.agreement.correctness, report.people.noise)
        figures.append(Figure("correctness_without_noise", message("report.without_noise"), freed, Kind.SHARE))
    yield Figures(tuple(figures), message("report.intervals"))
    if report.calibration:
        measured = report.calibration
        yield message(
            "report.calibration",
            brier=Number(measured.brier, Kind.SCORE),
            ece=Number(measured.ece, Kind.SCORE),
            perfect=Number(measured.ece_if_perfect, Kind.SCORE),
            n=measured.n,
        )


def _window(estimate: Estimate) -> tuple[float, float] | None:
    return None if estimate.low is None or estimate.high is None else (estimate.low, estimate.high)


def _cells(report: Report) -> Table:
    """The 2x2 table: labels as they are, and what they stand for in the traffic."""
    counts, shares = report.agreement.counts, report.agreement.shares
    names = ["right", "wrong", *(["right_share", "wrong_share"] if shares else [])]
    columns = (
        Column(message("report.verdict")),
        *(Column(message(f"report.{name}"), is_number=True) for name in names),
    )
    parts = [tuple(share(float(part)) for part in shares[place : place + 2]) if shares else () for place in (0, 2)]
    rows: tuple[tuple[Value, ...], ...] = (
        (message("report.pass"), counts.right_pass, counts.wrong_pass, *parts[0]),
        (message("report.fail"), counts.right_fail, counts.wrong_fail, *parts[1]),
    )
    return Table(columns, rows, message("report.cells_basis" if shares else "report.cells_counts"), "cells")


def _rules(report: Report) -> Iterator[Block]:
    """Every other rule on the same labels, best kappa first, and whether one is better than the rule in force."""
    if report.agreement.kappa.estimate is None:
        return
    known = [*(judge.alone for judge in report.judges), *report.candidates]
    others = sorted((other for other in known if not report.is_in_force(other.rule)), key=_by_kappa)
    counts = Counter([report.rule.expression, *(other.rule.expression for other in others)])
    doubled = {expression for expression, count in counts.items() if count > 1}
    columns = (
        Column(message("report.rule_column"), is_wide=True),
        *(
            Column(message(f"report.{name}"), is_number=True)
            for name in ("scores", "kappa_column", "minus", "auroc_column")
        ),
    )
    rows = tuple(_rule_row(other, doubled) for other in others)
    yield Table(columns, rows, message("report.coverage", share=share(report.coverage)), "rules", SHOWN_RULES)
    if not has_width(report.agreement.kappa):
        yield message("report.census")
    yield best_rule(report.best)


def _by_kappa(compared: Compared) -> float:
    return -(compared.agreement.kappa.estimate if compared.agreement.kappa.estimate is not None else -2.0)


def _rule_row(compared: Compared, doubled: Collection[str]) -> tuple[Value, ...]:
    return (
        _rule_name(compared.rule, doubled),
        share(compared.coverage),
        _short(for_comparison(compared.agreement.kappa)),
        _minus(compared.differences.kappa),
        coefficient(compared.auroc.estimate),
    )


def _rule_name(rule: Rule, doubled: Collection[str]) -> Value:
    """The expression; where another rule has the same, with what its scores come from."""
    name: Value = Code(rule.expression)
    if rule.expression in doubled:
        signatures = (Code(" ".join(signature.split("|")[1:])) for signature in rule.signatures.values())
        name = message("report.with_signatures", rule=name, signatures=Listing(tuple(signatures)))
    return message("report.reads_references", rule=name) if REFERENCE_BASED & set(rule.signatures) else name


def _short(estimate: Estimate, *, is_signed: bool = False) -> Value:
    """An estimate with its interval, as a cell of a table shows it."""
    if estimate.estimate is None or estimate.low is None:
        return None
    value = Number(estimate.estimate, Kind.COEFFICIENT, is_signed)
    span = Between(estimate.low, estimate.high, Kind.COEFFICIENT, is_signed)
    return message("report.short", value=value, span=span)


def _minus(difference: RuleDifference) -> Value:
    """A difference as rules are compared; where no label parts the rules, that is what there is to say."""
    if difference.differ == 0 and difference.estimate.estimate is not None:
        return message("report.same", count=difference.estimate.n)
    return _short(for_comparison(difference.estimate), is_signed=True)


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


def _against_all(difference: RuleDifference) -> Message:
    """A difference in kappa with the interval that decides: the one that holds for all rules at once."""
    if difference.differ == 0:
        return message("report.same_verdict", count=difference.estimate.n)
    if difference.of_all is None:
        estimate = for_comparison(difference.estimate)
        span = Between(estimate.low, estimate.high, Kind.COEFFICIENT, is_signed=True)
        return message("report.kappa_alone", value=Number(estimate.estimate, Kind.COEFFICIENT, True), span=span)
    value = Number(difference.estimate.estimate, Kind.COEFFICIENT, is_signed=True)
    return message("report.kappa_all", value=value, span=Between(*difference.of_all, Kind.COEFFICIENT, is_signed=True))


def _annotators(report: Report) -> Iterator[Block]:
    """How far annotators agree, and what that allows a proxy to reach."""
    people = report.people
    figures = (
        Figure(f"annotators_{name}", message(f"report.{name}"), getattr(people, name), kind)
        for name, kind in (("agreement", Kind.SHARE), ("alpha", Kind.COEFFICIENT), ("ac1", Kind.COEFFICIENT))
    )
    yield Figures(tuple(figures))
    if not people.n:
        return
    yield message("report.read_twice", count=people.n, given=report.overlap.given, read=report.overlap.read)
    yield message("report.says_right", share=share(people.prevalence))
    if people.ceiling is not None:
        yield message("report.ceiling", share=share(people.ceiling), kappa=coefficient(people.kappa_ceiling))


def _pairs(report: Report) -> Table:
    """How far each two annotators agree, those who read most together first."""
    pairs = sorted(report.people.pairs, key=lambda pair: (-pair.n, pair.first, pair.second))
    columns = (
        Column(message("report.pair"), is_wide=True),
        *(
            Column(message(f"report.{name}"), is_number=True)
            for name in ("items", "agree_on", "kappa_column", "ac1", "pair_right")
        ),
    )
    rows = tuple(
        (
            Listing((Name(pair.first), Name(pair.second)), "values.and"),
            pair.n,
            share(pair.agreement),
            coefficient(pair.kappa),
            coefficient(pair.ac1),
            share(pair.prevalence),
        )
        for pair in pairs
    )
    return Table(columns, rows, name="pairs", most=SHOWN_PAIRS)


def _misses(report: Report) -> Iterator[Block]:
    """The answers that the proxy passed and annotators call wrong."""
    yield from (_excerpt(miss) for miss in report.misses)
    if report.missed > len(report.misses):
        yield message("report.more_misses", count=report.missed - len(report.misses))


def _excerpt(miss: Miss) -> Excerpt:
    """What was asked and answered, and what annotators say of it."""
    key = "report.asked_harm" if miss.label.harm == SERIOUS else "report.asked"
    question = Quote(in_one_line(miss.item.question, miss.item.history))
    texts = [
        (message(f"report.{name}"), Quote(words))
        for name, words in (
            ("answered", miss.item.answer),
            ("rationale", miss.label.rationale),
            ("reference", miss.label.reference),
        )
        if words
    ]
    return Excerpt(message(key, id=Name(miss.item.id), question=question), tuple(texts))


def _where(report: Report) -> Iterator[Block]:
    """The counts of labels by what the judges say, and the stage that is named or why none is."""
    columns = (
        Column(message("report.wrong"), is_number=True),
        Column(message("report.right"), is_number=True),
        Column(message("report.scored_as")),
    )
    rows = tuple(
        (quadrant.wrong, quadrant.right, quadrant_words(quadrant))
        for quadrant in report.quadrants
        if quadrant.wrong or quadrant.right
    )
    yield Table(columns, rows, name="quadrants")
    yield from naming.lines(list(report.stages.each.values()), report.stages.whole)


def quadrant_words(quadrant: Quadrant) -> Message:
    """What the judges say of the answers of a quadrant."""
    if not quadrant.has_passages:
        return message("report.quadrant_no_passages")
    if quadrant.is_relevant is None:
        return message("report.quadrant_unscored")
    relevance = "high" if quadrant.is_relevant else "low"
    faithfulness = {None: "unscored", True: "faithful", False: "unfaithful"}[quadrant.is_faithful]
    return message(f"report.quadrant_{relevance}_{faithfulness}")


def _strata(report: Report) -> Table:
    """What was drawn from where, and what became of it."""
    columns = (
        Column(message("report.stratum"), is_wide=True),
        *(
            Column(message(f"report.{name}"), is_number=True)
            for name in ("items", "drawn", "right", "wrong", "unsure", "response")
        ),
    )
    rows = tuple(
        (
            Name(stratum.stratum.replace("_", " ")),
            stratum.size,
            stratum.drawn,
            stratum.right,
            stratum.wrong,
            stratum.unsure,
            share(stratum.response),
        )
        for stratum in report.agreement.strata
    )
    return Table(columns, rows, name="strata")


def _judges(report: Report) -> Table:
    """Each judge with its signature and what it has scored."""
    columns = (
        Column(message("report.judge")),
        Column(message("report.signature"), is_wide=True),
        *(Column(message(f"report.{name}"), is_number=True) for name in ("scored", "failed", "mean")),
    )
    rows = tuple(
        (
            Name(judge.totals.judge),
            Code(judge.totals.signature),
            judge.totals.scored,
            judge.totals.failed,
            coefficient(judge.totals.mean),
        )
        for judge in report.judges
    )
    return Table(columns, rows, name="judges")


def _gate(report: Report) -> Iterator[Message]:
    if report.gate.passed:
        yield message("report.gate_open")
    yield from (message("report.gate_shut", reason=reason) for reason in report.gate.reasons)
