"""The page's answer: what the value that is asked about means, and what the threshold in force lets through."""

from __future__ import annotations

from annotate.analysis.calibration.explore import AtCut
from annotate.domain.message import message
from annotate.pages.kit import layout, quantities
from annotate.pages.kit.layout import Tone
from annotate.pages.kit.messages import say, told
from annotate.pages.overview import sentence as overview_sentence
from annotate.present import numbers
from annotate.present.calibration import at_threshold
from annotate.present.reliability import of_value
from proxy.evaluation.estimate import Estimate
from proxy.evaluation.reliability_curve import Meaning
from proxy.evaluation.trust import Trust


def answer(meaning: Meaning, value: float, in_force: AtCut, trust: Trust) -> None:
    """Answer in the tone of the verdict on the rule; never good where the value says nothing."""
    tone = overview_sentence.TONES[trust]
    if tone is Tone.GOOD and (meaning.reason or not meaning.tells):
        tone = Tone.UNKNOWN if meaning.reason else Tone.OPEN
    both = message("calibration.answer", meaning=of_value(meaning, value), cut=at_threshold(in_force))
    layout.answer(tone, quantities.sentence(told(both)))


def per_thousand_lines(one: Estimate, *, whole: bool) -> list[str]:
    """What stands below the number of answers of 1,000; `whole`: every answer is labelled."""
    if one.estimate is None or one.low is None or one.high is None:
        return [quantities.sentence(one.reason or "")]
    found = [f"{say('measures.window')}: {quantities.span((one.low, one.high), numbers.per_thousand, whole=whole)}"]
    if one.long_run:
        found.append(f"{say('measures.long_run')}: {quantities.span(one.long_run, numbers.per_thousand)}")
    return [quantities.sentence(line) for line in (*found, say("measures.basis", n=one.n))]
