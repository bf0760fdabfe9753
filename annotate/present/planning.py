"""A Plan or the outcome of rehearsals in, lines for people out: the answer first, the next command last."""

from __future__ import annotations

import math
from collections.abc import Sequence

from annotate.analysis.planning.plan import FEWEST_TIMED, Plan
from annotate.analysis.planning.simulate import Rehearsed, Stage
from annotate.present import waves
from annotate.present.next_commands import EXPORT, PUSH, in_words
from proxy.evaluation.effective_labels import EffectiveLabels
from proxy.evaluation.estimate import as_dict
from proxy.evaluation.evidence_ledger import Doubt
from proxy.evaluation.trust import percent
from proxy.planning.labels_needed import Status

COEFFICIENTS = {"kappa": "kappa (beyond chance)", "ac1": "AC1", "f1": "F1", "mcc": "MCC"}
WORDS = {
    "correctness": "answers right",
    "pass_precision": "right among passed",
    "npv": "wrong among failed",
    "sensitivity": "passed among right",
    "specificity": "failed among wrong",
    "accuracy": "verdict agrees with people",
    **COEFFICIENTS,
}
PLAIN = set(COEFFICIENTS)
USUAL_AUDIT = 0.25
INDENT = "  "


def plan(found: Plan, strata: Sequence[str]) -> list[str]:
    """The page; `strata` are the lines that `assay sample --dry-run` shows."""
    notes = []
    if found.unlabelled:
        notes.append(
            f"{found.unlabelled:,} of {found.items:,} items are of a kind without a label: one half of them is taken to be "
            "right, which asks for the most labels"
        )
    return [
        _answer(found),
        *(f"{INDENT}{words}" for words in unjudged(found)),
        *strata,
        f"{INDENT}now: {_now(found)}",
        f"{INDENT}worth: {worth(found.worth)}",
        f"{INDENT}time: {_time(found)}",
        *(f"{INDENT}assumed: {note}" for note in notes),
        *in_words(commands(found)),
    ]


def unjudged(found: Plan) -> list[str]:
    """What the widths leave out: draws without a right or wrong; nothing where the wanted width holds whatever they are."""
    if found.missing is None or found.status is Status.MET:
        return []
    counts, wider = found.missing
    wide = "how much wider they make it is not known yet"
    if wider is not None:
        wide = f"over all that they may be it is {points(found.quantity, wider)} wider"
    if found.objection and found.objection.doubt is not Doubt.ANNOTATORS:  # its words count them
        return [f"the width is that among answers that people can judge; {wide}"]
    if wider is not None:
        wide += ", and labels of other answers do not settle that"
        if found.width is not None:
            wide += f"; with them expect about {points(found.quantity, found.width + wider)}"
    of = "drawn answers that pass" if found.quantity == "pass_precision" else "drawn answers"
    return [f"the width is that among answers that people can judge: {counts.words(of)}; {wide}"]


def commands(found: Plan) -> list[str]:
    """The commands to run next, one or several to choose from."""
    return [PUSH, EXPORT] if following(found) == PUSH else [following(found)]


def _answer(found: Plan) -> str:
    """How many labels, in one sentence."""
    what, wanted = WORDS[found.quantity], points(found.quantity, found.wanted)
    if found.objection:
        return f"More labels alone will not do: {found.objection.words}."
    match found.status:
        case Status.MET:
            if not found.present_width:
                return f"No further label is needed: {what} is known exactly (wanted: {wanted})."
            width = points(found.quantity, found.present_width)
            return f"No further label is needed: the 95 % interval of {what} is {width} wide (wanted: {wanted})."
        case Status.NEVER:
            reason = found.obstacle.reason if found.obstacle else found.present.reason
            return f"No number of labels gives {what} an interval {wanted} wide: {reason}."
        case Status.OPEN:
            todo = f"{_waiting(found)}, and no more are needed"
        case Status.ALL:
            todo = f"{_first(found)}label every one of the {found.further:,} answers left: fewer will not do"
        case _:
            todo = f"{_first(found)}draw {found.further:,} answers for labelling"
    if not found.width and not found.missing:
        return f"{todo[0].upper()}{todo[1:]}; {what} is then known exactly (wanted: {wanted})."
    width = points(found.quantity, found.width or 0.0)
    among = " among answers that people can judge" if found.missing else ""
    return f"{todo[0].upper()}{todo[1:]}; the 95 % interval of {what}{among} should then be {width} wide (wanted: {wanted})."


def _waiting(found: Plan) -> str:
    """The draws that are out, before anything else is drawn."""
    return f"{found.open:,} {'draw waits' if found.open == 1 else 'draws wait'} for a label: label those first"


def _first(found: Plan) -> str:
    """What comes before drawing more: once those labels are there the plan may be another."""
    return f"{_waiting(found)} and plan again; as far as can be told now, then " if found.open else ""


def points(quantity: str, width: float) -> str:
    """A width, end to end: points of a hundred for shares, plain for coefficients."""
    return f"{width:.2g}" if quantity in COEFFICIENTS else f"{100 * width:.3g} points"


def _now(found: Plan) -> str:
    """What the labels at hand give."""
    one, width = found.present, found.present_width
    if one.estimate is None or width is None or one.low is None or one.high is None:
        return f"{found.labels:,} labels; {one.reason}"
    show = _number if found.quantity in COEFFICIENTS else percent
    known = f"{show(one.low)} to {show(one.high)}, {points(found.quantity, width)} wide" if width else "exact"
    words = f"{found.labels:,} labels; {WORDS[found.quantity]} {show(one.estimate)} ({known})"
    return words + (f", without {found.uncovered:,} items that came since" if found.uncovered else "")


def _number(value: float) -> str:
    return f"{round(value, 2) + 0.0:.2f}"


def worth(one: EffectiveLabels) -> str:
    """What the proxy makes of the labels."""
    if one.effective is None:
        return f"proxy gain not provable yet: {one.reason}"
    effective = round(one.effective)
    words = f"your proxy makes {one.labels:,} labels worth {effective:,} of a plain random sample"
    if effective < one.labels:
        return (
            f"{words}: for the share of right answers it explains little here, and the audit of failed answers costs some "
            "labels; that audit buys specificity, which a plain sample would hardly tell"
        )
    return words


def _time(found: Plan) -> str:
    """The expert's time."""
    if not found.open + found.further:
        return "none, as nothing is to be labelled for this"
    if found.minutes is None or found.pace.seconds is None:
        return (
            f"unknown, as {found.pace.n} annotations were timed and it takes {FEWEST_TIMED}: `assay pull` brings times from "
            "Label Studio"
        )
    return (
        f"about {_minutes(found.minutes)} ({found.open + found.further:,} labels at {found.pace.seconds:.3g} seconds, the "
        f"median of {found.pace.n:,})"
    )


def _minutes(minutes: float) -> str:
    return f"{minutes / 60:.1f} expert hours" if minutes >= 120 else f"{max(1, math.ceil(minutes))} expert minutes"


def following(found: Plan) -> str:
    """The command to run next."""
    match found.status:
        case Status.MET:
            return "assay report"
        case Status.OPEN:
            return "assay push"
        case Status.NEVER:
            return found.obstacle.command if found.obstacle else "assay report"
        case Status.DOUBT:
            is_pending = found.objection is not None and found.objection.doubt is Doubt.PENDING
            return "assay push" if is_pending else "assay labels disputed"
    if found.open:
        return "assay push"
    return sample(found.further, found.audit)


def sample(labels: int, audit: float) -> str:
    """The command that draws so many."""
    return f"assay sample --labels {labels}" + (f" --audit {audit:g}" if audit != USUAL_AUDIT else "")


def simulation(found: Sequence[Rehearsed], stage: Stage, labels: int, audit: float) -> list[str]:
    """The page."""
    return [
        _tried(found[0], stage, labels),
        f"{INDENT}{'':<28}{'truth':>8}{'mean width':>14}{'held the truth':>18}{'measurable':>13}",
        *(_row(one) for one in found),
        *(f"{INDENT}basis: {words}" for words in stage.basis),
        *(f"{INDENT}note: {words}" for words in _scale(stage, labels)),
        f"next: {after_simulation(stage, labels, audit)}",
    ]


def after_simulation(stage: Stage, labels: int, audit: float) -> str:
    """The command to run next: draw so many labels, or plan how many to add to those there are, which a rehearsal leaves out."""
    if not stage.labels:
        return sample(labels, audit)
    return "assay plan" + (f" --audit {audit:g}" if audit != USUAL_AUDIT else "")


def _tried(one: Rehearsed, stage: Stage, labels: int) -> str:
    """The answer: the width for correctness, and whether the interval can be believed."""
    given = f"{labels:,} labels" + (f" alone, without the {stage.labels:,} that are there," if stage.labels else "")
    if one.width is None or one.coverage is None:
        return f"{given} did not tell the share of right answers in any of {one.repetitions:,} rehearsals."
    return (
        f"{given} would give {WORDS[one.quantity]} an interval {points(one.quantity, one.width)} wide, which held "
        f"the truth in {percent(one.coverage)} of {one.measured:,} rehearsals."
    )


def _row(one: Rehearsed) -> str:
    show = _number if one.quantity in PLAIN else percent
    if one.coverage is None or one.error is None or one.truth is None or one.width is None:
        cells = ("—", "—", "—")
    else:
        cells = (show(one.truth), f"{one.width:.3f}", f"{100 * one.coverage:.1f} % ± {100 * one.error:.1f}")
    share = percent(one.measured / one.repetitions)
    return f"{INDENT}{WORDS[one.quantity]:<28}{cells[0]:>8}{cells[1]:>14}{cells[2]:>18}{share:>13}"


def _scale(stage: Stage, labels: int) -> list[str]:
    """What standing in for more items changes."""
    shown = len(stage.right)
    if shown == stage.items:
        return []
    wider = math.sqrt((1 - labels / stage.items) / (1 - labels / shown)) - 1 if labels < shown else math.inf
    words = f"{shown:,} items drawn at random stand for {stage.items:,}"
    return [f"{words}: as a larger share of them is labelled, the widths are up to {100 * wider:.1f} % too small"]


def _reason(found: Plan) -> str | None:
    """Why no number of labels will do."""
    if found.objection:
        return found.objection.reason
    return found.obstacle.reason if found.obstacle else None


def as_json(found: Plan) -> dict[str, object]:
    """The plan for machines."""
    return {
        "quantity": found.quantity,
        "wanted_width": found.wanted,
        "audit": found.audit,
        "status": found.status.value,
        "reason": _reason(found),
        "further_labels": found.further,
        "open_draws": found.open,
        "expected_width": found.width,
        "present": as_dict(found.present)
        | {"width": found.present_width, "labels": found.labels, "items_left_out": found.uncovered},
        "strata": [waves.stratum_json(part) for part in found.strata],
        "missing": _missing_json(found),
        "proxy_worth": found.worth._asdict(),
        "expert_time": {
            "minutes": found.minutes,
            "median_seconds": found.pace.seconds,
            "timed_annotations": found.pace.n,
        },
        "assumed_half_right": {"items": found.unlabelled, "of": found.items},
        "next": following(found),
    }


def _missing_json(found: Plan) -> dict[str, object] | None:
    """Draws that no width here speaks of; `words` is what the page says of them."""
    if found.missing is None:
        return None
    counts, wider = found.missing
    return {
        "draws": counts.missing,
        "of": counts.drawn,
        "unsure": counts.unsure,
        "unanswered": counts.unanswered,
        "pending": counts.pending,
        "wider_by": wider,
        "words": next(iter(unjudged(found)), None),
    }
