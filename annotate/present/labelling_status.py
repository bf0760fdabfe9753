"""Say how labelling stands: what is labelled, what waits, whether annotators agree, and who labels how."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from annotate.analysis.labelling.status import FrameCoverage, HumanSide
from annotate.domain.annotator_activity import Annotator, Pace
from annotate.domain.message import EvidenceText, IntervalBasis, Kind, Message, Name, Number, Value, message, share
from annotate.present.document import Column, Document, Figure, Figures, Status, Table
from proxy.evaluation.annotator_agreement import AnnotatorAgreement, Reliability
from proxy.evaluation.estimate import Estimate
from proxy.evaluation.trust import Needed

ANNOTATORS = ("annotator", "labels", "skipped", "unsure", "seconds", "say_right", "alike")


class WorkRow(NamedTuple):
    """What a person can do next: what it is, why or how much of it, and how many answers wait; 0 where it need not be done."""

    title: Message
    about: Message | None
    waiting: int


def document(state: HumanSide, needed: Needed | None = None, limit: float = 0.0) -> Document:
    """Say how much of what was drawn is labelled, and what is `needed` on passed answers to decide the `limit`."""
    return Document(_answer(state, needed, limit), _status(state))


def headline(state: HumanSide, *, can_draw: bool, own: int = 0) -> Message:
    """Say what to label next in a word or two; of what waits, the answers that the user has labelled (`own`) are for others."""
    if state.progress.open:
        return message("labelling.word_open", count=state.progress.open)
    if state.waiting > own:
        return message("labelling.word_decide", count=state.waiting - own)
    return message("labelling.word_draw" if can_draw else "labelling.word_nothing")


def to_label(state: HumanSide) -> WorkRow:
    """Say how many drawn answers wait for a label, and about how long that takes."""
    count, pace = state.progress.open, state.pace
    if not count:
        return WorkRow(message("labelling.no_open"), None, 0)
    about = None
    if pace.mean is not None:
        minutes = max(1, round(count * pace.mean / 60))
        about = message("labelling.takes", count=minutes, seconds=Number(pace.mean, Kind.COUNT), n=pace.n)
    return WorkRow(message("labelling.word_open", count=count), about, count)


def to_decide(state: HumanSide, own: int = 0) -> WorkRow:
    """Say how many answers wait for the user's decision, how many for others' (`own`), and how far annotators agree."""
    about = message("labelling.about_agreement", agree=_agree(state.annotator_agreement))
    if state.serious:
        about = message("labelling.about_harm", count=state.serious, about=about)
    if not state.waiting:
        key = "no_decision" if state.annotator_agreement.n else "not_compared"
        return WorkRow(message(f"labelling.{key}"), about, 0)
    if own:
        about = message("labelling.about_own", count=own, about=about)
    title = message("labelling.work_decide", count=state.waiting - own) if state.waiting > own else None
    return WorkRow(title or message("labelling.no_decision_of_yours"), about, state.waiting - own)


def to_draw(complaints: int, uncovered: int, *, can_draw: bool) -> WorkRow:
    """Say what the next wave would reach: users' complaints that wait, and answers that no wave speaks of."""
    if not can_draw:
        return WorkRow(message("labelling.no_draw"), message("labelling.all_drawn"), 0)
    about = message("steps.more_labels")
    if uncovered:
        about = message("labelling.about_uncovered", count=uncovered)
    elif complaints:
        about = message("labelling.about_complaints", count=complaints)
    return WorkRow(message("labelling.work_draw"), about, 1)


def figures(state: HumanSide) -> Figures:
    """Give the numbers behind the answer, each with what it rests on."""
    progress = state.progress
    labels = {name: getattr(progress, name) for name in ("right", "wrong", "unsure")}
    lines = [message("labelling.of_drawn", count=progress.drawn), message("labelling.said", **labels)]
    if state.hand_picked:
        lines.append(message("labelling.hand_picked", count=state.hand_picked))
    decided = (
        message("labelling.serious", count=state.serious),
        message("labelling.adjudicated_count", count=state.adjudicated),
    )
    return Figures(
        (
            _count("labelled", progress.labelled, *lines),
            _count("open", progress.open, message("labelling.skipped_some", count=state.skipped)),
            _count("waiting", state.waiting, *decided),
            _figure("agreement", state.annotator_agreement.agreement, Kind.SHARE),
        )
    )


def agreement(annotator_agreement: AnnotatorAgreement) -> Figures:
    """Give how far annotators agree, each with its interval."""
    return Figures(
        (
            _figure("agree_all", annotator_agreement.agreement, Kind.SHARE),
            _figure("ac1", annotator_agreement.ac1, Kind.COEFFICIENT),
            _figure("alpha", annotator_agreement.alpha, Kind.COEFFICIENT),
            _figure("annotator_error", annotator_agreement.error, Kind.SHARE),
        )
    )


def annotators(activity: Sequence[Annotator]) -> Table:
    """List who labels how."""
    columns = tuple(Column(message(f"labelling.column_{name}"), is_number=name != "annotator") for name in ANNOTATORS)
    rows: tuple[tuple[Value, ...], ...] = tuple(
        (
            Name(annotator.name),
            annotator.n,
            annotator.skipped,
            share(annotator.unsure),
            Number(annotator.seconds, Kind.COUNT),
            share(annotator.right),
            message("labelling.alike", share=share(annotator.agreement), count=annotator.pairs)
            if annotator.pairs
            else None,
        )
        for annotator in activity
    )
    return Table(columns, rows, message("labelling.annotators_basis"), "annotators")


def pace(known: Pace) -> Message:
    """Say how long a label takes."""
    if known.seconds is None:
        return message("labelling.untimed")
    return message("labelling.pace", seconds=Number(known.seconds, Kind.COUNT), count=known.n)


def uncovered(coverage: FrameCoverage) -> Figure:
    """Give the share of the traffic that no wave which counts has framed."""
    items, covered = coverage.covered.items, coverage.covered
    lines = [message("labelling.uncovered_of", count=coverage.uncovered, all=items)]
    if covered.framed > covered.counted:
        lines.append(message("labelling.framed_lately", count=covered.framed - covered.counted))
    estimate = Estimate(estimate=coverage.uncovered / items if items else None)
    return _figure("uncovered", estimate, Kind.SHARE)._replace(lines=tuple(lines))


def _status(state: HumanSide) -> Status:
    """Missed where annotators cannot be relied on or serious harm waits, open where something waits."""
    if not state.progress.drawn:
        return Status.UNMEASURABLE
    if state.annotator_agreement.reliability is Reliability.UNRELIABLE or state.serious:
        return Status.MISSED
    if state.progress.open or state.waiting or state.annotator_agreement.reliability is not Reliability.GOOD:
        return Status.OPEN
    return Status.MET


def _answer(state: HumanSide, needed: Needed | None, limit: float) -> Message:
    progress = state.progress
    if not progress.drawn:
        if state.annotators:
            return message("labelling.answer_hand_picked", count=state.hand_picked)
        return message("labelling.answer_none")
    counts = {"labelled": progress.labelled, "drawn": progress.drawn}
    if needed is None or needed.is_early or needed.more is None:
        return message("labelling.answer", **counts)
    key = "labelling.answer_needed" if needed.left is None else "labelling.answer_needed_left"
    return message(key, **counts, needed=needed.more, left=needed.left or 0, limit=share(limit))


def _agree(annotator_agreement: AnnotatorAgreement) -> Message:
    if annotator_agreement.agreement.estimate is None:
        return message("labelling.agree_unknown")
    key = "labelling.agree_poor" if annotator_agreement.reliability is Reliability.UNRELIABLE else "labelling.agree"
    return message(key, share=EvidenceText(annotator_agreement.agreement, Kind.SHARE, IntervalBasis.WINDOW))


def _figure(name: str, estimate: Estimate, kind: Kind) -> Figure:
    explanation = message(f"labelling.{name}_help")
    return Figure(name, message(f"labelling.{name}"), estimate, kind, help=explanation)


def _count(name: str, count: int, *lines: Message) -> Figure:
    return _figure(name, Estimate(estimate=float(count)), Kind.COUNT)._replace(lines=lines)
