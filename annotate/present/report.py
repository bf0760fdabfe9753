"""Tell a report: whether the proxy can be trusted, how sure that is, and everything that it rests on."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from annotate.analysis.drift.trends import Courses
from annotate.analysis.drift.trends import Figure as Course
from annotate.analysis.report.report import Miss, Report
from annotate.domain.annotation import SERIOUS
from annotate.domain.conversation import in_one_line
from annotate.domain.message import (
    Between,
    Code,
    EvidenceText,
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
from annotate.present import naming, rule_comparison
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
from annotate.present.figure_table import as_table
from annotate.present.guarantee import certified
from annotate.present.quantity import cell, cells, is_whole, quantity
from annotate.present.svg import IntervalsLine
from annotate.present.waves import stratum as stratum_name
from proxy.diagnosis import Quadrant
from proxy.evaluation.annotator_agreement import AnnotatorAgreement, Reliability, freed_of_noise
from proxy.evaluation.estimate import Estimate
from proxy.evaluation.trust import Case, Needed, Trust, TrustVerdict
from proxy.records import Verdict
from proxy.stats.calibration.threshold_tests import Claim

HEADLINE = ("correctness", "pass_rate", "pass_precision", "sensitivity", "specificity", "kappa")
FURTHER = ("npv", "accuracy", "f1", "mcc", "ac1", "auroc", "thumbs_down")
COURSES = ("correctness", "pass_rate", "pass_precision", "thumbs_down")
ALL = (*HEADLINE, *FURTHER[:-1])
SHAKY = {Reliability.WEAK: "overview.readers_weak", Reliability.OPEN: "overview.readers_open"}
CHARTED = ("correctness", "pass_precision", "npv", "sensitivity", "specificity", "accuracy")
STATUSES = {
    Trust.YES: Status.MET,
    Trust.NO: Status.MISSED,
    Trust.OPEN: Status.OPEN,
    Trust.UNKNOWN: Status.UNMEASURABLE,
}
SHOWN_IDS, SHOWN_PAIRS = 10, 5


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
    sections = [Section(None, tuple(_basis(report)))]
    sections += [_harm(report)] if report.harmed or report.unsettled else []
    sections.append(Section(message("report.quantities"), (_figures(report, HEADLINE),)))
    sections += _details(report, with_noise=with_noise, with_texts=with_texts)
    return Document(
        answer=verdict(report) if report.progress.labelled else message("report.unlabelled"),
        status=status(report),
        sections=tuple(sections),
        notes=report.warnings,
        next=tuple(steps),
    )


def status(report: Report) -> Status:
    """Return what the verdict means; without a label that counts there is none."""
    return STATUSES[report.trust.status] if report.progress.labelled else Status.UNMEASURABLE


def cards(report: Report, courses: Courses | None = None) -> Figures:
    """Give the figures that head a page, with their course by week where that is known."""
    figures = {name: figure(report, name) for name in COURSES}
    if courses:
        figures = {name: each._replace(course=tuple(courses.values(Course(name)))) for name, each in figures.items()}
    labels, thumbs = _labels(report, courses), figures["thumbs_down"]
    if not report.progress.labelled:
        judged = message("overview.judged", judged=report.judged, passed=report.verdicts[Verdict.PASS])
        return Figures((_count("answers", report.items, judged), labels, thumbs))
    return Figures((*(figures[name] for name in COURSES[:-1]), labels, thumbs))


def quantities(report: Report) -> Table:
    """List every quantity with its intervals and its basis, or why it is not measurable."""
    figures = [figure(report, name) for name in ALL]
    table = as_table(Figures(tuple(figures)))
    basis = Column(message("overview.quantity_basis"), is_wide=True, help=message("overview.basis_words"))
    rows = tuple(
        (*row, each.estimate.reason or each.estimate.method) for row, each in zip(table.rows, figures, strict=True)
    )
    return Table((*table.columns, basis), rows, name="quantities")


def shares(report: Report) -> Chart | None:
    """Draw both intervals of every share; None where none is known."""
    lines = tuple(
        IntervalsLine(each.label, estimate.estimate, _window(estimate), estimate.long_run)
        for each in (figure(report, name) for name in CHARTED)
        for estimate in [each.estimate]
        if estimate.low is not None or estimate.long_run
    )
    return Chart("intervals", lines, message("report.shares_alt")) if lines else None


def label_counts(report: Report) -> Message | None:
    """Say which labels each count holds; None where they are the same."""
    counts: dict[str, Value] = {
        "labelled": report.progress.labelled,
        "correctness": report.agreement.correctness.n,
        "proxy": report.agreement.counts.labels,
    }
    return (
        message("overview.label_counts", unsure=report.progress.unsure, **counts)
        if len(set(counts.values())) > 1
        else None
    )


def shaky(report: Report) -> Message | None:
    """Say that annotators agree too little for firm conclusions, or may; None where they do not."""
    key = SHAKY.get(report.people.reliability)
    if key is None or not report.progress.labelled:
        return None
    return message(key, alpha=cell(report.people.alpha, Kind.COEFFICIENT), count=report.people.n)


def verdict(report: Report) -> Message:
    """Say whether the proxy can be trusted, with what shows it."""
    trust = report.trust
    values: dict[str, Value] = {
        "precision": EvidenceText(_precision(report), Kind.SHARE),
        "limit": share(trust.limit),
        "kappa": EvidenceText(report.agreement.kappa, Kind.COEFFICIENT),
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
    return quantity(name, estimate, is_exact=is_whole(report.agreement))


def _figures(report: Report, names: Sequence[str], caption: Message | None = None) -> Figures:
    return Figures(tuple(figure(report, name) for name in names), caption)


def _labels(report: Report, courses: Courses | None) -> Figure:
    """How many of the drawn answers have a label, what the labels say, how many wait, and on which weeks they are."""
    progress = report.progress
    lines = [message("overview.none_drawn")]
    if progress.drawn:
        labels = {name: getattr(progress, name) for name in ("right", "wrong", "unsure")}
        lines = [message("overview.labels_of", drawn=progress.drawn), message("overview.said", **labels)]
    if progress.open:
        lines.append(message("overview.open_labels", count=progress.open))
    if report.hand_picked:
        lines.append(message("overview.hand_picked", count=report.hand_picked))
    course = tuple(float(week.labelled) for week in courses.labels) if courses and progress.labelled else ()
    return _count("labels", progress.labelled, *lines)._replace(course=course)


def _count(name: str, count: int, *lines: Message) -> Figure:
    meaning = message(f"overview.{name}_help")
    estimate = Estimate(estimate=float(count))
    return Figure(name, message(f"overview.{name}"), estimate, Kind.COUNT, help=meaning, lines=lines)


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
        yield message(key, kappa=EvidenceText(case, Kind.COEFFICIENT))
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
        yield message("report.needs_kappa", kappa=EvidenceText(kappa, Kind.COEFFICIENT))


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
        yield _full("report.cells", cells(report.agreement))
        yield _full("report.rules", *rule_comparison.blocks(report))
    yield _full(
        "report.annotators", *_annotators(report), *([pairs(report.people)] if report.people.n and with_texts else [])
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
    if chart := shares(report):
        yield chart
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


def pairs(people: AnnotatorAgreement) -> Table:
    """List how far each two annotators agree, those who read most together first."""
    ordered = sorted(people.pairs, key=lambda pair: (-pair.n, pair.first, pair.second))
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
        for pair in ordered
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
            stratum_name(stratum.stratum),
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
