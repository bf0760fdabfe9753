"""The page's answer: what the value that is asked about means, and what the cut in force lets through, in one sentence."""

from __future__ import annotations

from annotate.analysis.calibration.explore import AtCut
from annotate.pages.kit import layout, quantities
from annotate.pages.kit.layout import Tone
from annotate.pages.kit.messages import say
from annotate.pages.overview import sentence as overview_sentence
from annotate.present import numbers
from proxy.evaluation.bands import holds, nearest
from proxy.evaluation.estimate import Estimate
from proxy.evaluation.reliability_curve import Band, Meaning
from proxy.evaluation.trust import Trust, percent


def answer(found: Meaning, value: float, in_force: AtCut, trust: Trust) -> None:
    """The sentence on the cut in force, in the tone of the verdict on the rule; never good where the value tells nothing."""
    tone = overview_sentence.TONES[trust]
    if tone is Tone.GOOD and (found.reason or not found.tells):
        tone = Tone.UNKNOWN if found.reason else Tone.OPEN
    sentence = say("calibration.answer", meaning=_meaning(found, value), cut=_cut(in_force))
    layout.answer(tone, quantities.sentence(sentence))


def _meaning(found: Meaning, value: float) -> str:
    band = nearest(found, value)
    if found.reason or band is None:
        return say("calibration.answer_no_meaning", reason=found.reason or "")
    if not found.tells:
        return say("calibration.answer_tells_nothing")
    return of_band(band, value)


def of_band(band: Band, value: float) -> str:
    """What the labels of this band say of answers with about this value; said otherwise where no label has such a value."""
    key = "calibration.answer_near" if holds(band, value) else "calibration.answer_nearest"
    return say(
        key,
        value=numbers.threshold(value),
        mean=numbers.threshold(band.mean),
        share=percent(band.share),
        low=percent(band.interval.low),
        high=percent(band.interval.high),
        n=band.n,
    )


def _cut(at: AtCut) -> str:
    precision, wrong = at.agreement.pass_precision, at.per_thousand
    if precision.estimate is None or wrong.estimate is None:
        return say(
            "calibration.answer_no_cut",
            cut=numbers.threshold(at.rule.threshold),
            reason=precision.reason or wrong.reason or "",
        )
    return say(
        "calibration.answer_cut",
        cut=numbers.threshold(at.rule.threshold),
        precision=percent(precision.estimate),
        wrong=numbers.per_thousand(wrong.estimate),
    )


def per_thousand_lines(one: Estimate, *, whole: bool) -> list[str]:
    """What stands below the number of answers of 1,000; `whole`: every answer is labelled."""
    if one.estimate is None or one.low is None or one.high is None:
        return [quantities.sentence(one.reason or "")]
    found = [f"{say('measures.window')}: {quantities.span((one.low, one.high), numbers.per_thousand, whole=whole)}"]
    if one.long_run:
        found.append(f"{say('measures.long_run')}: {quantities.span(one.long_run, numbers.per_thousand)}")
    return [quantities.sentence(line) for line in (*found, say("measures.basis", n=one.n))]
