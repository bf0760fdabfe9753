"""Compute what the calibration page shows: the chosen threshold, the one in force, all others, the value asked about."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import streamlit as st

from annotate.analysis.calibration import curves, explore
from annotate.analysis.calibration.curves import ThresholdScale
from annotate.analysis.calibration.explore import AtThreshold, Ladder
from annotate.pages.kit import cache, url_state
from annotate.pages.kit.messages import marked
from annotate.store import Store
from annotate.workflow.judging.threshold import SeenRule

USUAL_VALUE = 0.7
THRESHOLD, VALUE = "threshold", "value"  # their names in the address
THRESHOLDS = 26


class View(NamedTuple):
    """The traffic by its value, the threshold in force, and the chosen one."""

    whole: Ladder
    scale: ThresholdScale
    in_force: AtThreshold
    here: AtThreshold

    @property
    def threshold(self) -> float:
        """The chosen threshold."""
        return self.here.rule.threshold


def whole(store: Store) -> Ladder:
    """Return the traffic by the value of the rule in force, with every label."""
    return cache.kept(store, "ladder", lambda: explore.ladder(store))


def seen(store: Store) -> SeenRule:
    """Return the rule in force as the page shows it."""
    every = whole(store)
    return SeenRule(key=every.key, rule=every.rule)


def in_force(store: Store) -> AtThreshold:
    """Return the results at the threshold in force, which are those of the report."""
    head = cache.head(store)
    return cache.kept(
        store,
        "threshold in force",
        lambda: replace(explore.in_force(store), agreement=head.agreement, false_passes=head.false_passes),
    )


def over(store: Store) -> Sequence[tuple[float, AtThreshold]]:
    """Return the results at thresholds over the whole scale, by all labels."""
    every, drawn = whole(store), _as_drawn(store, frozenset())
    return cache.kept(store, "over thresholds", lambda: curves.over_thresholds(every, THRESHOLDS, drawn), THRESHOLDS)


def at(store: Store, threshold: float) -> View:
    """Return the results at the chosen threshold; each takes hundredths of a second."""
    every, before = whole(store), in_force(store)
    return View(
        whole=every,
        scale=curves.scale_of(every),
        in_force=before,
        here=before if threshold == every.rule.threshold else _elsewhere(store, threshold),
    )


def _elsewhere(store: Store, threshold: float) -> AtThreshold:
    """Return the results at another threshold than that in force."""
    others = scoring(store, threshold)
    drawn = _as_drawn(store, others.excluded_draws if others else frozenset())
    return explore.at(whole(store), threshold, others, as_drawn=drawn)


def _as_drawn(store: Store, excluded_draws: frozenset[int]) -> Ladder | None:
    """Return the traffic as if every draw but these had a label; None where none is missing."""
    if cache.head(store).evidence.cases is None:
        return None
    return cache.kept(
        store,
        "ladder as drawn",
        lambda: explore.ladder(store, excluded_draws=excluded_draws, as_drawn=True),
        hash(excluded_draws),
    )


def scoring(store: Store, threshold: float) -> Ladder | None:
    """Return the traffic with the labels that may score this threshold; None where all may."""
    excluded_draws = explore.excluded_at(store, whole(store).rule, threshold)
    return _without(store, excluded_draws) if excluded_draws else None


def _without(store: Store, excluded_draws: frozenset[int]) -> Ladder:
    """Return the traffic without the labels that chose a certified threshold."""
    return cache.kept(
        store, "ladder without", lambda: explore.ladder(store, excluded_draws=excluded_draws), hash(excluded_draws)
    )


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
    return "%.3f" if scale.step >= 0.001 else "%.5f"
