"""Say what to do next where the traffic is watched over time."""

from __future__ import annotations

from annotate.analysis.drift.windows import Drift, first_day
from annotate.analysis.next_step.commands import DIAGNOSE, DRAW, DRIFT, INGEST, NEW_TRAFFIC, SLICES, STREAM, Way
from annotate.domain.message import Step, message


def after_drift(result: Drift, way: Way) -> tuple[Step, ...]:
    """Say what an alarm asks for; without one, bring what is missing, or label on and look again."""
    steps = list[Step]()
    if alarm := result.watched.quality.alarm:
        steps.append(Step(message("steps.dropped"), (SLICES, DIAGNOSE)))
        if alarm.began > result.windows[0].name:  # else nothing lies before it
            day = first_day(alarm.began)
            steps.append(Step(message("steps.before_and_since"), (f"assay compare '@..{day}' '@{day}..'",)))
    if result.watched.judge_alarms or any(change.is_alarm for change in result.changes):
        steps.append(Step(message("steps.judge_changed"), ("assay calibrate", "assay report")))
    if steps:
        return (*steps, Step(message("steps.watch_anew"), (f"{DRIFT} --since DATE",)))
    return (_watch_on(result, way),)


def _watch_on(result: Drift, way: Way) -> Step:
    supply = result.supply
    if not result.items:
        return Step(message("steps.ingest"), (INGEST,))
    if not result.windows:
        return Step(message("steps.times"), (f"{INGEST} --map timestamp=FIELD",))
    if result.tries_days:
        return Step(message("steps.days"), (f"{DRIFT} --by day",))
    if len(result.windows) < (fewest := result.plan.fewest_windows):
        return Step(message("steps.more_windows", count=fewest), (*NEW_TRAFFIC, DRIFT))
    if supply.has_new:
        return Step(message("steps.stream"), (STREAM, DRIFT))
    if supply.open:
        key = "steps.label_on" if supply.has_undrawn else "steps.label_last"
        return Step(message(key, count=supply.open), (*way.commands, DRIFT))
    if supply.has_undrawn:
        return Step(message("steps.draw_on"), (DRAW, DRIFT))
    return Step(message("steps.used_up"), (*NEW_TRAFFIC, STREAM, DRIFT))
