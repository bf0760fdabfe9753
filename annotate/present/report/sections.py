"""Build the document of a report in sections: the verdict and its basis first, everything else with --full."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from annotate.analysis.diagnosis import Miss
from annotate.analysis.report.head import ReportHead
from annotate.analysis.report.limits import LimitCheck
from annotate.analysis.report.report import ProjectReport
from annotate.domain.annotation import SERIOUS
from annotate.domain.message import Code, EvidenceText, Kind, Listing, Message, Name, Quote, Step, Value, message
from annotate.domain.turns import in_one_line
from annotate.present import (
    effective_labels,
    learned_rule,
    learning_curve,
    preview,
    rule_comparison,
    trained_judges,
)
from annotate.present.document import Block, Detail, Document, Excerpt, Section
from annotate.present.quantity import cells
from annotate.present.report import selection
from annotate.present.report.annotators import agreement, pairs
from annotate.present.report.better_judge import better_judge
from annotate.present.report.counts import by_judge, by_quadrant, by_stratum
from annotate.present.report.feedback import blocks as of_feedback
from annotate.present.report.figures import HEADLINE, figures_of, more_quantities
from annotate.present.report.limits import conditions
from annotate.present.report.passages import blocks as of_passages
from annotate.present.report.trust import how_sure, status, threshold_guarantee, unexamined, verdict

# Chosen: ids for which two lines of a terminal have room; the rest is counted.
SHOWN_IDS = 10


def document(
    report: ProjectReport,
    steps: Sequence[Step] = (),
    *,
    checks: tuple[LimitCheck, ...] = (),
    with_noise: bool = False,
    with_texts: bool = True,
) -> Document:
    """Build the document of the report.

    Parameters
    ----------
    report : ProjectReport
        What was measured.
    steps : sequence of Step
        What to do next.
    checks : tuple of LimitCheck
        The limits that it was held against.
    with_noise : bool
        Add correctness freed of annotators' errors.
    with_texts : bool
        Show questions, answers and names of annotators.
    """
    sections = [Section(None, tuple(_basis(report)))]
    sections += [harm(report)] if report.harmed or report.unadjudicated else []
    is_labelled = report.progress.labelled > 0
    known = list(_preview(report, with_texts=with_texts))
    sections += known
    # Before a label every quantity but one is unknown.
    detail = Detail.FULL if known and not is_labelled else Detail.BRIEF
    sections.append(Section(message("report.quantities"), (figures_of(report, HEADLINE),), detail))
    sections += _details(report, with_noise=with_noise, with_texts=with_texts)
    return Document(
        answer=answer(report),
        status=status(report),
        sections=tuple(sections),
        notes=report.warnings,
        next=tuple(steps),
        conditions=conditions(checks),
    )


def answer(report: ReportHead) -> Message:
    """Say whether the proxy can be trusted, or that nothing is labelled yet; a part of the traffic is named first."""
    sentence = verdict(report) if report.progress.labelled else message("report.unlabelled")
    if report.selection is None:
        return sentence
    return message("report.of_part", part=selection.name(report.selection), words=sentence)


def _basis(report: ProjectReport) -> Iterator[Message | str]:
    """How sure the answer is, and what it speaks of."""
    if report.better_judge:
        yield better_judge(report.better_judge)
    if report.progress.labelled:
        yield from how_sure(report)
    if left := unexamined(report):
        yield left
    if report.selection is not None:
        yield message("report.of_part_basis")
    progress = report.progress
    counts = {name: getattr(progress, name) for name in ("labelled", "drawn", "right", "wrong", "unsure")}
    yield message("report.counts", items=report.items, judged=report.judged, **counts)
    if report.effective_labels.estimate is not None:
        yield effective_labels.sentence(report.effective_labels)
    rule = report.rule
    yield message(
        "report.rule",
        name=Name(rule.name),
        version=rule.version,
        expression=Code(rule.expression),
    )
    if report.confirmation:
        yield from learned_rule.confirmed(report.confirmation)
    yield from threshold_guarantee(report)
    if report.hand_picked:
        yield message("report.hand_picked", count=report.hand_picked)
    if report.refusals:
        yield message("report.refusals", count=report.refusals)


def _preview(report: ProjectReport, *, with_texts: bool) -> Iterator[Section]:
    """What the judges alone say."""
    if report.preview:
        yield from preview.sections(report.preview, with_texts=with_texts)


def _details(report: ProjectReport, *, with_noise: bool, with_texts: bool) -> Iterator[Section]:
    """Everything else."""
    if report.harmful and with_texts:
        yield _full("report.harm", *(excerpt(miss) for miss in report.harmful))
    yield _full("report.more_quantities", *more_quantities(report, with_noise=with_noise))
    if report.progress.labelled:
        yield _full("report.cells", cells(report.agreement))
        yield _full("report.rules", *rule_comparison.blocks(report))
    yield _full(
        "report.annotators",
        *agreement(report),
        *([pairs(report.annotator_agreement)] if report.annotator_agreement.n and with_texts else []),
    )
    if report.misses and with_texts:
        yield _full("report.misses", *misses(report))
    if report.progress.labelled:
        yield _full("report.where", *by_quadrant(report))
        yield _full("report.feedback", *of_feedback(report))
        yield _full("report.passages", *of_passages(report.passages))
        yield _full("report.strata", by_stratum(report))
    yield _full("report.judges", by_judge(report))
    if report.progress.labelled and report.trained:
        yield _full("trained_judges.title", *trained_judges.contrasts(report.trained))
    if report.progress.labelled:
        yield from (learning_curve.section(curve, detail=Detail.FULL) for curve in report.curves)
    if report.progress.labelled and report.selection is None:
        yield _full("effective_labels.title", *effective_labels.shares(report.effective_labels))
    yield _full("report.gate", *_gate(report))


def _full(key: str, *blocks: Block) -> Section:
    return Section(message(key), blocks, Detail.FULL)


def _gate(report: ProjectReport) -> Iterator[Message]:
    if report.gate.passed:
        yield message("report.gate_open")
    yield from (message("report.gate_shut", reason=reason) for reason in report.gate.reasons)


def harm(report: ProjectReport) -> Section:
    """Show the answers that annotators mark as seriously harmful: ids first, texts with --full."""
    blocks = list[Block]()
    if share := harm_share(report):
        blocks.append(share)
    if report.harmed:
        blocks.append(message("report.harm_ids", count=len(report.harmed), ids=_ids(report.harmed)))
    if report.unadjudicated:
        blocks.append(
            message("report.harm_unadjudicated", count=len(report.unadjudicated), ids=_ids(report.unadjudicated))
        )
    return Section(message("report.harm"), tuple(blocks))


def harm_share(report: ProjectReport) -> Message | None:
    """Say which share of all answers is seriously harmful, by the drawn labels; None where it is not known."""
    share = report.serious_harm
    if share is None or share.estimate is None:
        return None
    return message("report.harm_share", share=EvidenceText(share, Kind.SHARE))


def _ids(ids: Sequence[str]) -> Value:
    shown = Listing(tuple(Name(item_id) for item_id in ids[:SHOWN_IDS]))
    more = len(ids) - SHOWN_IDS
    return message("report.harm_more", ids=shown, count=more) if more > 0 else shown


def misses(report: ProjectReport) -> Iterator[Block]:
    """Show the answers that the proxy passed and annotators call wrong."""
    yield from (excerpt(miss) for miss in report.misses)
    if report.missed > len(report.misses):
        yield message("report.more_misses", count=report.missed - len(report.misses))


def excerpt(miss: Miss) -> Excerpt:
    """Show what was asked and answered, and what annotators say of it."""
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
