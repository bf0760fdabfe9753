"""A Drift in, one JSON object for machines out."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict

from annotate.analysis.drift.judge_changes import Change
from annotate.analysis.drift.windows import Drift
from annotate.analysis.report.gate import Gate
from annotate.present.drift import commands, headline, judge_sentences, unwatched
from proxy.drift.drift import Alarm, Monitor, Window
from proxy.evaluation.estimate import Estimate

Object = dict[str, object]


def as_json(found: Drift, gate: Gate) -> Object:
    """Every number of the page, and whether the gate passes; what is not measurable has a null estimate and a reason."""
    plan, watched = found.plan, found.watched
    rate = watched.pass_rate
    return {
        "sentence": headline(found),
        "next": commands(found),
        "gate": gate.as_json(),
        "by": found.by.value,
        "items": found.items,
        "without_timestamp": found.without_time,
        "labels": found.labels,
        "labels_of_equal_chance": found.kept,
        "rule": found.rule.expression,
        "plan": {**asdict(plan), "horizon_weeks": found.weeks},
        "windows": [_window(one) for one in found.windows],
        "quality": {**_monitor(watched.quality), "reason": unwatched(found)},
        "judge": [_monitor(one) for one in watched.judge],
        "judge_alarms": judge_sentences(found),
        "changes": [_change(one) for one in found.changes],
        "pass_rate": asdict(rate) if rate else None,
    }


def _window(one: Window) -> Object:
    return {
        "window": one.name,
        "items": one.items,
        "scored": one.scored,
        "passed": one.passed,
        "pass_rate": _estimate(one.pass_rate),
        "labels": one.labels,
        "labels_of_equal_chance": int(one.right.size),
        "correctness": _estimate(one.correctness),
        "pass_precision": _estimate(one.pass_precision),
        "agreement": _estimate(one.agreement),
        "thumbs_down": _estimate(one.thumbs_down),
    }


def _estimate(one: Estimate) -> Object:
    found: Object = {"estimate": one.estimate, "low": one.low, "high": one.high, "n": one.n, "method": one.method}
    return found if one.reason is None else {**found, "reason": one.reason}


def _monitor(one: Monitor) -> Object:
    return {
        "watches": one.kind.value,
        "before": _estimate(one.before),
        "reason": one.reason,
        "alarm": _alarm(one.alarm) if one.alarm else None,
        "path": [_step(one, place) for place in range(len(one.windows))],
    }


def _step(one: Monitor, place: int) -> Object:
    found: Object = {"window": one.windows[place]}
    if one.cusum:
        found |= {"cusum": _number(one.cusum.peaks[place]), "limit": _number(one.cusum.limits[place])}
    if one.sequence:
        found |= {"difference": _number(one.sequence.mean[place]), "high": _number(one.sequence.high[place])}
    return found


def _number(value: float) -> float | None:
    """A finite number; a limit that no label was held against is none."""
    return float(value) if math.isfinite(value) else None


def _alarm(one: Alarm) -> Object:
    return {
        "window": one.window,
        "began_about": one.began,
        "before": _estimate(one.before),
        "since": _estimate(one.since),
    }


def _change(one: Change) -> Mapping[str, object]:
    found = asdict(one) | {"is_alarm": one.is_alarm}
    if one.found:
        found["found"] = asdict(one.found) | {
            "shift": one.found.shift._asdict(),
            "agreement": one.found.agreement._asdict(),
        }
    return found
