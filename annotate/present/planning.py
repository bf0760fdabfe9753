"""Build the document of a plan: how many labels a wanted width asks for, where they go, and what the present ones give."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from annotate.analysis.planning.plan import LabellingPlan
from annotate.analysis.planning.time_budget import LabelTime, TimeBudget
from annotate.domain.message import EvidenceText, IntervalBasis, Kind, Message, Number, Step, Value, message, share
from annotate.domain.reading_time import CHARACTERS_A_MINUTE, WORDS_A_MINUTE
from annotate.domain.working_time import FEWEST_TIMED
from annotate.present import effective_labels, waves
from annotate.present.document import Document, Section, Status
from annotate.present.quantity import kind_of
from proxy.evaluation.evidence_ledger import Doubt
from proxy.planning.labels_needed import PlanStatus as Needed

ROUNDING = 0.5  # labels
STATUSES = {Needed.MET: Status.MET, Needed.NEVER: Status.UNMEASURABLE, Needed.DOUBT: Status.UNMEASURABLE}


def document(plan: LabellingPlan, steps: Sequence[Step] = ()) -> Document:
    """Build the document of the plan; `steps` are what to do next."""
    fitting = () if plan.budget is None else (*_reached(plan.quantity, plan.budget), _answer(plan))
    sections = [Section(None, (*fitting, *_limits(plan)))]
    if plan.strata:
        sections.append(Section(message("planning.strata"), (waves.strata(plan.strata),)))
    sections.append(Section(message("planning.present"), tuple(_present(plan))))
    assumed = message("planning.assumed", unlabelled=plan.unlabelled, items=plan.items)
    return Document(
        answer=_answer(plan) if plan.budget is None else _fitting(plan.quantity, plan.budget),
        status=STATUSES.get(plan.status, Status.OPEN),
        sections=tuple(section for section in sections if section.blocks),
        notes=(assumed,) if plan.unlabelled else (),
        next=tuple(steps),
    )


def width_words(quantity: str, width: float | None) -> Value:
    """A width from end to end: points of a hundred for shares, plain for coefficients."""
    if width is None or kind_of(quantity) is Kind.COEFFICIENT:
        return Number(width, Kind.COEFFICIENT)
    return message("labelling.points", number=Number(width, Kind.POINTS))


def unjudged(plan: LabellingPlan) -> Iterator[Message]:
    """What the widths leave out: draws without a right or wrong; nothing where the wanted width holds whatever they are."""
    if plan.missing is None or plan.status is Needed.MET:
        return
    counts, wider = plan.missing
    is_counted = plan.objection is not None and plan.objection.doubt is not Doubt.ANNOTATORS  # its reason counts them
    yield message("planning.among_judged")
    if not is_counted:
        of = "drawn answers that pass" if plan.quantity == "pass_precision" else "drawn answers"
        yield message("planning.unjudged", reason=counts.words(of))
    if wider is None:
        yield message("planning.wider_unknown")
        return
    yield message("planning.wider", width=width_words(plan.quantity, wider))
    if not is_counted and plan.width is not None:
        yield message("planning.wider_in_all", width=width_words(plan.quantity, plan.width + wider))


def _answer(plan: LabellingPlan) -> Message:
    """How many labels, in one sentence."""
    values: dict[str, Value] = {
        "quantity": message(f"measures.{plan.quantity}"),
        "wanted": width_words(plan.quantity, plan.wanted),
        "width": width_words(plan.quantity, plan.width),
    }
    if plan.status is Needed.MET:
        return _met(plan, values)
    if _waits(plan):
        reached = width_words(plan.quantity, plan.present_width)
        return message("planning.doubt_open", **values | {"width": reached, "count": plan.open})
    if plan.status in {Needed.NEVER, Needed.DOUBT}:
        return message(f"planning.{plan.status.name.lower()}", **values)
    values |= {
        "count": plan.open or plan.further,
        "further": plan.further,
        "assurance": share(plan.assurance),
    }
    if plan.is_short:
        return message("planning.all_short", **values | {"count": plan.open + plan.further})
    if plan.status is Needed.OPEN or not plan.open:
        is_exact = not plan.width and not plan.missing
        return message(f"planning.{plan.status.name.lower()}{'_exact' if is_exact else ''}", **values)
    return message("planning.open_first", **values)


def _waits(plan: LabellingPlan) -> bool:
    """Whether the wanted width is reached but for draws without a right or wrong, and draws wait for a label."""
    missing = plan.objection is not None and plan.objection.doubt is not Doubt.ANNOTATORS
    return missing and plan.status is Needed.DOUBT and bool(plan.open)


def _met(plan: LabellingPlan, values: dict[str, Value]) -> Message:
    value = Number(plan.present.estimate, kind_of(plan.quantity))
    if not plan.present_width:
        return message("planning.met_exact", value=value, n=plan.present.n, **values)
    values |= {"width": width_words(plan.quantity, plan.present_width)}
    return message(
        "planning.met", evidence=EvidenceText(plan.present, kind_of(plan.quantity), IntervalBasis.WINDOW), **values
    )


def _limits(plan: LabellingPlan) -> Iterator[Message]:
    """Why labels alone will not do, and what the expected width leaves out."""
    if plan.objection:
        yield message("report.reason", reason=plan.objection.reason)
        if plan.objection.remedy not in plan.objection.reason:
            yield message("planning.remedy", remedy=plan.objection.remedy)
    elif plan.status is Needed.NEVER:
        yield message("report.reason", reason=reason(plan) or plan.present.reason)
    elif plan.status is Needed.ALL and not plan.is_short:
        yield message("planning.fewer")
    yield from plain_sample(plan)
    yield from unjudged(plan)


def plain_sample(plan: LabellingPlan) -> Iterator[Message]:
    """What a plain random sample would take for the same, and how sure both numbers are."""
    if plan.plain is None:
        return
    if plan.width:
        yield message("planning.median", width=width_words(plan.quantity, plan.width))
    if plan.is_short and not plan.is_plain_short:
        return
    key = "more" if plan.saved > 0 else "fewer" if plan.saved < 0 else "same"
    if plan.is_plain_short:
        key = "neither" if plan.is_short else "short"
    yield message(f"planning.plain_{key}", count=plan.in_all, plain=plan.plain, saved=abs(plan.saved))
    errors = [Number(math.ceil(error), Kind.COUNT) for error in (plan.further_error, plan.plain_error)]
    if max(plan.further_error, plan.plain_error) >= ROUNDING:
        yield message("planning.simulated", further=errors[0], plain=errors[1])


def reason(plan: LabellingPlan) -> str | None:
    """Why no number of labels will do."""
    if plan.objection:
        return plan.objection.reason
    return plan.obstacle.reason if plan.obstacle else None


def _present(plan: LabellingPlan) -> Iterator[Message]:
    """What the labels at hand give, what the scores make of them, and the expert's time for the others."""
    estimate, width = plan.present, plan.present_width
    values: dict[str, Value] = {"count": plan.labels, "quantity": message(f"measures.{plan.quantity}")}
    if not plan.labels:
        yield message("planning.now_none", **values)
    elif estimate.estimate is not None and width == 0:
        value = Number(estimate.estimate, kind_of(plan.quantity))
        yield message("planning.now_exact", value=value, n=estimate.n, **values)
    elif estimate.estimate is None or width is None:
        yield message("planning.now_unknown", reason=estimate.reason, **values)
    else:
        evidence = EvidenceText(estimate, kind_of(plan.quantity), IntervalBasis.WINDOW)
        yield message("planning.now", evidence=evidence, width=width_words(plan.quantity, width), **values)
    if plan.uncovered and estimate.estimate is not None:
        yield message("planning.uncovered", count=plan.uncovered)
    yield effective_labels.sentence(plan.effective_labels)
    if plan.minutes is not None or plan.budget is None:
        yield _time(plan)
    if plan.budget:
        yield _label_time(plan.budget.label_time)


def _fitting(quantity: str, budget: TimeBudget) -> Message:
    """How many labels fit into the expert's time, how long one takes, and the width that they reach."""
    source = "assumed" if budget.label_time.is_assumed else "timed"
    return message(
        f"planning.budget_{source}{'_unknown' if budget.width is None else ''}",
        minutes=Number(60 * budget.minutes, Kind.DURATION),
        count=budget.labels,
        mean=Number(budget.label_time.mean, Kind.DURATION),
        width=width_words(quantity, budget.width),
    )


def _reached(quantity: str, budget: TimeBudget) -> Iterator[Message]:
    """What the time leaves out, how many labels are to be drawn, and what the width is of."""
    if budget.label_time.is_assumed:
        yield message("planning.reading_only")
    key = "reached_unknown" if budget.width is None else "reached"
    yield message(f"planning.{key}", further=budget.further, quantity=message(f"measures.{quantity}"))


def _label_time(pace: LabelTime) -> Message:
    """Where the time of a label comes from."""
    seconds = {name: Number(getattr(pace, name), Kind.DURATION) for name in ("mean", "low", "high")}
    speeds = {"words": WORDS_A_MINUTE, "characters": CHARACTERS_A_MINUTE} if pace.is_assumed else {}
    return message(f"planning.label_time_{'assumed' if pace.is_assumed else 'timed'}", n=pace.n, **seconds, **speeds)


def _time(plan: LabellingPlan) -> Message:
    """The expert's time."""
    waiting, pace = plan.open + plan.further, plan.pace
    if not waiting:
        return message("planning.no_time")
    if plan.minutes is None or pace.mean is None:
        return message("planning.time_unknown", count=pace.n, least=FEWEST_TIMED)
    time, per_label = Number(60 * plan.minutes, Kind.DURATION), Number(pace.mean, Kind.DURATION)
    return message("planning.time", time=time, count=waiting, per_label=per_label, n=pace.n)
