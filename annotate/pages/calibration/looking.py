"""Compute what the calibration page shows: the chosen threshold, the one in force, and the value asked about."""

from __future__ import annotations

from typing import NamedTuple

import streamlit as st

from annotate.analysis.calibration import curves, explore
from annotate.analysis.calibration.curves import ThresholdScale
from annotate.analysis.calibration.explore import AtThreshold, Ladder
from annotate.analysis.report.report import ProjectReport
from annotate.domain.message import message
from annotate.pages.kit import cache, draw, layout, url_state
from annotate.pages.kit.layout import Tone
from annotate.pages.kit.messages import marked, told
from annotate.present.calibration import at_threshold
from annotate.present.document import Status
from annotate.present.reliability import of_value
from annotate.store import Store
from annotate.workflow.judging.threshold import SeenRule
from proxy.evaluation.reliability_curve import ReliabilityCurve

USUAL_VALUE = 0.7
THRESHOLD, VALUE = "threshold", "value"  # their names in the address


class View(NamedTuple):
    """The traffic by its value, the threshold in force, the chosen one, and the report on the one in force."""

    report: ProjectReport
    whole: Ladder
    scale: ThresholdScale
    in_force: AtThreshold
    here: AtThreshold

    @property
    def seen(self) -> SeenRule:
        """The rule in force when the page was drawn."""
        return SeenRule(key=self.whole.key, rule=self.whole.rule)

    @property
    def threshold(self) -> float:
        """The chosen threshold."""
        return self.here.rule.threshold


def whole(store: Store) -> Ladder:
    """Return the traffic by the value of the rule in force, with every label."""
    return cache.kept(store, "ladder", lambda: explore.ladder(store))


def in_force(store: Store) -> AtThreshold:
    """Return the results at the threshold in force, for the page's first sentence."""
    return cache.kept(store, "threshold in force", lambda: explore.in_force(store))


def at(store: Store, threshold: float) -> View:
    """Return the results at the chosen threshold; each takes hundredths of a second."""
    every, before = whole(store), in_force(store)
    return View(
        report=cache.report(store),
        whole=every,
        scale=curves.scale_of(every),
        in_force=before,
        here=before if threshold == every.rule.threshold else explore.at(every, threshold, scoring(store, threshold)),
    )


def scoring(store: Store, threshold: float) -> Ladder | None:
    """Return the traffic with the labels that may score this threshold; None where all may."""
    silent = explore.silent_at(store, whole(store).rule, threshold)
    return _without(store, silent) if silent else None


def _without(store: Store, silent: frozenset[int]) -> Ladder:
    """Return the traffic without the labels that chose a certified threshold."""
    return cache.kept(store, "ladder without", lambda: explore.ladder(store, silent=silent), hash(silent))


def value_asked(store: Store) -> float:
    """Return the value that the user asks about, kept in the address."""
    scale = cache.kept(store, "scale", lambda: curves.scale_in_force(store))
    usual = USUAL_VALUE if scale.low <= USUAL_VALUE <= scale.high else (scale.low + scale.high) / 2
    return url_state.measured(
        st.number_input,
        marked("calibration.value"),
        VALUE,
        url_state.Within(low=scale.low, high=scale.high),
        usual,
        step=scale.step,
        format=digits(scale),
        help=marked("calibration.value_help"),
    )


def digits(scale: ThresholdScale) -> str:
    """Return the format of a value on this scale."""
    return "%.2f" if scale.step >= 0.01 else "%.4f"


def answer(curve: ReliabilityCurve, value: float, in_force: AtThreshold, status: Status) -> None:
    """Answer in the tone of the verdict on the rule; never good where the value says nothing."""
    tone = draw.TONES[status]
    if tone is Tone.GOOD and (curve.reason or not curve.tells):
        tone = Tone.UNKNOWN if curve.reason else Tone.OPEN
    both = message("calibration.answer", reliability=of_value(curve, value), threshold=at_threshold(in_force))
    layout.answer(tone, draw.capital(told(both)))
