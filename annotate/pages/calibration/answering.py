"""The page's answer: what the value that is asked about means, and what the threshold in force lets through."""

from __future__ import annotations

from annotate.analysis.calibration.explore import AtThreshold
from annotate.domain.message import message
from annotate.pages.kit import draw, layout
from annotate.pages.kit.layout import Tone
from annotate.pages.kit.messages import told
from annotate.present.calibration import at_threshold
from annotate.present.document import Status
from annotate.present.reliability import of_value
from proxy.evaluation.reliability_curve import Meaning


def answer(meaning: Meaning, value: float, in_force: AtThreshold, status: Status) -> None:
    """Answer in the tone of the verdict on the rule; never good where the value says nothing."""
    tone = draw.TONES[status]
    if tone is Tone.GOOD and (meaning.reason or not meaning.tells):
        tone = Tone.UNKNOWN if meaning.reason else Tone.OPEN
    both = message("calibration.answer", meaning=of_value(meaning, value), threshold=at_threshold(in_force))
    layout.answer(tone, draw.capital(told(both)))
