"""The JSON of drift: every window, what each monitor saw, what changed of the judges, and whether the gate passes."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict
from typing import Annotated

from annotate.analysis.drift.judge_changes import JudgeChange
from annotate.analysis.drift.windows import By, Drift
from annotate.present import drift as present_drift
from annotate.present.messages import text
from annotate.present.schemas.base import (
    AnswerModel,
    EstimateModel,
    GateModel,
    Model,
    Sentence,
    read_from,
)
from annotate.present.schemas.keyed import FieldsOf, RecordFields
from annotate.present.schemas.predictor import PredictorModel, behind
from proxy.drift.drift import Monitor, PassRate, WatchedRate


class MonitorPlanModel(Model):
    """How the windows are watched."""

    baseline: int
    horizon: int
    good: float | None
    bad: float | None
    false_alarms: float
    horizon_weeks: int


class WindowModel(Model):
    """A window of time."""

    window: str = read_from("name", "window")
    items: int
    scored: int
    passed: int
    pass_rate: EstimateModel
    labels: int
    labels_of_equal_chance: int = read_from("right.size", "labels_of_equal_chance")
    correctness: EstimateModel
    pass_precision: EstimateModel
    agreement: EstimateModel
    thumbs_down: EstimateModel


class AlarmModel(Model):
    """An alarm: its window, about when the change began, and the rates before and since."""

    window: str
    began_about: str = read_from("began", "began_about")
    before: EstimateModel
    since: EstimateModel


class MonitorModel(Model):
    """A watched rate; `path` has the charts by window: `cusum` and its `limit`, `difference` and its `high` end."""

    watches: WatchedRate
    before: EstimateModel
    reason: Sentence | None
    alarm: AlarmModel | None
    path: tuple[dict[str, str | float | None], ...]


class DriftModel(AnswerModel, schema="assay/drift/1"):
    """Whether quality has dropped or a judge has changed."""

    gate: GateModel
    by: By
    items: int
    without_timestamp: int = read_from("without_time", "without_timestamp")
    labels: int
    labels_of_equal_chance: int = read_from("kept", "labels_of_equal_chance")
    rule: str = read_from("rule.expression", "rule")
    plan: MonitorPlanModel
    windows: tuple[WindowModel, ...]
    quality: MonitorModel
    judge: tuple[MonitorModel, ...]
    judge_alarms: tuple[str, ...]
    changes: tuple[Annotated[JudgeChange, RecordFields("is_alarm")], ...]
    pass_rate: FieldsOf[PassRate] | None = read_from("watched.pass_rate", "pass_rate")
    predictors: tuple[PredictorModel, ...]

    @classmethod
    def computed(cls, result: Drift) -> Mapping[str, object]:
        """Give the gate, the plan and what each monitor saw."""
        unwatched = present_drift.unwatched(result)
        return {
            "gate": present_drift.gate(result),
            "plan": MonitorPlanModel.of(**asdict(result.plan), horizon_weeks=result.weeks),
            "quality": _monitor(result.watched.quality, text(unwatched) if unwatched else None),
            "judge": tuple(_monitor(monitor, monitor.reason) for monitor in result.watched.judge),
            "judge_alarms": tuple(map(text, present_drift.judge_alarms(result))),
            "predictors": behind(
                *(estimate for window in result.windows for estimate in (window.correctness, window.pass_precision))
            ),
        }


MODEL = DriftModel


def _monitor(monitor: Monitor, reason: str | None) -> MonitorModel:
    return MonitorModel.of(
        watches=monitor.kind,
        before=monitor.before,
        reason=reason,
        alarm=monitor.alarm,
        path=tuple(_step(monitor, place) for place in range(len(monitor.windows))),
    )


def _step(monitor: Monitor, place: int) -> dict[str, str | float | None]:
    step: dict[str, str | float | None] = {"window": monitor.windows[place]}
    if monitor.cusum:
        step |= {"cusum": _finite(monitor.cusum.peaks[place]), "limit": _finite(monitor.cusum.limits[place])}
    if monitor.sequence:
        step |= {"difference": _finite(monitor.sequence.mean[place]), "high": _finite(monitor.sequence.high[place])}
    return step


def _finite(value: float) -> float | None:
    """A limit that no label was compared with is infinite, and none in JSON."""
    return float(value) if math.isfinite(value) else None
