"""The page's answer in one sentence: which judge agrees best with people, and whether anything has drifted.

It is said twice: at once without the drift, which takes longer, and again when that is known.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from annotate.analysis.drift.windows import Drift
from annotate.analysis.judges.table import JudgesTable, reach
from annotate.pages.kit import layout, quantities
from annotate.pages.kit.layout import Tone
from annotate.pages.kit.messages import say
from annotate.present import drift as present_drift

if TYPE_CHECKING:
    from streamlit.delta_generator import DeltaGenerator


def show(place: DeltaGenerator, found: JudgesTable, drift: Drift | None) -> None:
    """Say it in this place, which holds one thing; `drift` None while that is worked out."""
    tone, words = (Tone.UNKNOWN, say("judges.drift_working")) if drift is None else drifted(drift)
    if found.best is None and tone is Tone.GOOD:
        tone = Tone.UNKNOWN
    with place.container():
        layout.answer(tone, f"{best(found)} {words}")


def best(found: JudgesTable) -> str:
    """The judge with the highest kappa, with whom it shares its interval; or why there is none."""
    if found.best is None:
        return say("judges.no_best", reason=found.reason)
    kappa = found.best.row.alone.agreement.kappa
    names = ", ".join(one.label for one in found.best.rivals)
    return say(
        "judges.best",
        judge=found.best.row.label,
        kappa=quantities.number(quantities.KAPPA, kappa.estimate),
        interval=quantities.between(quantities.KAPPA, reach(kappa)),
        n=f"{kappa.n:,}",
        rivals=say("judges.rivals", names=names) if names else "",
    )


def drifted(found: Drift) -> tuple[Tone, str]:
    """What has drifted, in a sentence, and how grave that is."""
    quality, judge = found.watched.quality.alarm, len(present_drift.judge_alarms(found))
    is_unknown = present_drift.unwatched(found) is not None
    if quality and judge:
        return Tone.BAD, say("judges.drift_both", window=quality.window, count=judge)
    if quality:
        return Tone.BAD, say("judges.drift_quality", window=quality.window)
    if judge:
        key = "judges.drift_judge_unknown" if is_unknown else "judges.drift_judge"
        return Tone.BAD, say(key, count=judge)
    if is_unknown:
        return Tone.UNKNOWN, say("judges.drift_unknown")
    return Tone.GOOD, say("judges.drift_none")
