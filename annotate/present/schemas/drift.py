"""The JSON of drift: every window, what each monitor saw, what changed of the judges, and whether the gate passes."""

from __future__ import annotations

import math
from dataclasses import asdict
from typing import Annotated, ClassVar

from annotate.analysis.drift.judge_changes import Change
from annotate.analysis.drift.windows import By, Drift
from annotate.present import drift as present_drift
from annotate.present.document import Document
from annotate.present.messages import text
from annotate.present.schemas.base import AnswerModel, EstimateModel, GateModel, Keyed, Keys, Model, told
from proxy.drift.drift import Kind, Monitor, PassRate, Window


class PlanModel(Model):
    """How the windows are watched."""

    baseline: int
    horizon: int
    good: float | None
    bad: float | None
    false_alarms: float
    horizon_weeks: int


class WindowModel(Model):
    """A window of time."""

    window: str
    items: int
    scored: int
    passed: int
    pass_rate: EstimateModel
    labels: int
    labels_of_equal_chance: int
    correctness: EstimateModel
    pass_precision: EstimateModel
    agreement: EstimateModel
    thumbs_down: EstimateModel


class AlarmModel(Model):
    """An alarm: its window, about when the change began, and the rates before and since."""

    window: str
    began_about: str
    before: EstimateModel
    since: EstimateModel


class MonitorModel(Model):
    """A watched rate; `path` has the charts by window: `cusum` and its `limit`, `difference` and its `high` end."""

    watches: Kind
    before: EstimateModel
    reason: str | None
    alarm: AlarmModel | None
    path: tuple[dict[str, str | float | None], ...]


class DriftModel(AnswerModel):
    """Whether quality has dropped or a judge has changed."""

    SCHEMA: ClassVar[str] = "assay/drift/1"

    gate: GateModel
    by: By
    items: int
    without_timestamp: int
    labels: int
    labels_of_equal_chance: int
    rule: str
    plan: PlanModel
    windows: tuple[WindowModel, ...]
    quality: MonitorModel
    judge: tuple[MonitorModel, ...]
    judge_alarms: tuple[str, ...]
    changes: tuple[Annotated[Change, Keyed("is_alarm")], ...]
    pass_rate: Keys[PassRate] | None


MODEL = DriftModel


def of(result: Drift, document: Document) -> DriftModel:
    """Make the model of a drift result that is told by this document."""
    unwatched = present_drift.unwatched(result)
    return DriftModel.of(
        **told(DriftModel, document),
        gate=present_drift.gate(result),
        by=result.by,
        items=result.items,
        without_timestamp=result.without_time,
        labels=result.labels,
        labels_of_equal_chance=result.kept,
        rule=result.rule.expression,
        plan=PlanModel.of(**asdict(result.plan), horizon_weeks=result.weeks),
        windows=tuple(map(_window, result.windows)),
        quality=_monitor(result.watched.quality, text(unwatched) if unwatched else None),
        judge=tuple(_monitor(monitor, monitor.reason) for monitor in result.watched.judge),
        judge_alarms=tuple(map(text, present_drift.judge_alarms(result))),
        changes=result.changes,
        pass_rate=result.watched.pass_rate,
    )


def _window(window: Window) -> WindowModel:
    same = WindowModel.model_fields.keys() - {"window", "labels_of_equal_chance"}
    return WindowModel.of(
        **{name: getattr(window, name) for name in same},
        window=window.name,
        labels_of_equal_chance=window.right.size,
    )


def _monitor(monitor: Monitor, reason: str | None) -> MonitorModel:
    alarm = monitor.alarm
    return MonitorModel.of(
        watches=monitor.kind,
        before=monitor.before,
        reason=reason,
        alarm=AlarmModel.of(window=alarm.window, began_about=alarm.began, before=alarm.before, since=alarm.since)
        if alarm
        else None,
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
