"""The page's answer: how many drawn answers are labelled, what waits, whether readers agree; good only where nothing is amiss."""

from __future__ import annotations

from annotate.analysis.labelling.status import HumanSide
from annotate.pages.kit import layout, quantities
from annotate.pages.kit.layout import Tone
from annotate.pages.kit.messages import say
from proxy.evaluation.annotator_agreement import AnnotatorAgreement, Reliability
from proxy.evaluation.trust import percent


def show(found: HumanSide) -> None:
    """The sentence."""
    layout.answer(_tone(found), _sentence(found))


def _tone(found: HumanSide) -> Tone:
    """Bad where readers cannot be relied on or serious harm waits, open where something waits."""
    if not found.progress.drawn:
        return Tone.UNKNOWN
    if found.people.reliability is Reliability.UNRELIABLE or found.serious:
        return Tone.BAD
    if found.progress.open or found.waiting or found.people.reliability is not Reliability.GOOD:
        return Tone.OPEN
    return Tone.GOOD


def _sentence(found: HumanSide) -> str:
    """How many of how many drawn, what waits, and whether readers agree."""
    progress, agree = found.progress, _agree(found.people)
    harm = say("labelling.answer_harm", count=found.serious) if found.serious else ""
    if not progress.drawn:
        if not found.annotators:
            return say("labelling.answer_none")
        return say(
            "labelling.answer_hand_picked", count=found.hand_picked, waiting=found.waiting, harm=harm, agree=agree
        )
    return say(
        "labelling.answer",
        labelled=progress.labelled,
        drawn=progress.drawn,
        open=progress.open,
        waiting=found.waiting,
        harm=harm,
        agree=agree,
    )


def _agree(people: AnnotatorAgreement) -> str:
    """How far readers agree, with its interval and on how many answers it rests."""
    share = people.agreement
    if share.estimate is None or share.low is None or share.high is None:
        return say("labelling.agree_unknown")
    is_poor = people.reliability is Reliability.UNRELIABLE
    return say(
        "labelling.agree_poor" if is_poor else "labelling.agree",
        share=percent(share.estimate),
        span=quantities.span((share.low, share.high), percent),
        count=people.n,
    )
