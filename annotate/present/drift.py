"""Write the sentences of a drift result: what changed, alarms, what is not watched, and what to run."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from enum import StrEnum
from typing import NamedTuple

from annotate.analysis.drift.judge_changes import Change
from annotate.analysis.drift.windows import By, Drift, first_day
from annotate.analysis.report.gate import Gate
from annotate.domain.gate_limits import DriftLimits
from proxy.drift.drift import Alarm, Window
from proxy.drift.judge_changes import JudgeComparison
from proxy.evaluation.estimate import Estimate
from proxy.evaluation.trust import percent
from proxy.text.language import displayable, several

HALF_YEAR = 26
LONGEST_NAME = 60
FEW_NAMES = 3
STREAM = "assay sample --rate 0.02"
BATCH = "assay sample --labels 100"
BY_SERVER = ("assay push", "assay pull")
BY_FILE = ("assay draws export FILE --blind", "assay labels import FILE")


def headline(found: Drift) -> str:
    """One sentence: what has changed, or why that cannot be said."""
    quality, judge, unknown = found.watched.quality.alarm, judge_sentences(found), unwatched(found)
    if quality:
        too = "; the judge has changed too" if judge else ""
        has = "looks to have" if found.objection else "has"
        return f"Quality {has} dropped: {_dropped(found, quality)}{too}."
    if unknown:
        return (
            f"The judge has changed: {judge[0]}; of quality nothing can be said: {unknown}."
            if judge
            else f"Whether quality drifts cannot be said: {unknown}."
        )
    if judge:
        return f"The judge has changed, quality has not as far as the labels can show: {judge[0]}."
    span = f"{count(found.by, len(found.windows))}, {found.labels:,} labels; {stated(found)}"
    but = f"; but {found.objection.reason}" if found.objection else ""
    return f"Nothing has changed that the labels can show since {named(found.by, found.windows[0].name)} ({span}){but}."


def gate(found: Drift, limits: DriftLimits) -> Gate:
    """Why the gate fails: an alarm stands of a kind that it holds back, or quality, which it holds back, cannot be watched."""
    quality, unknown = found.watched.quality.alarm, unwatched(found)
    reasons = list[str]()
    if limits.quality and quality:
        has = "looks to have" if found.objection else "has"
        reasons.append(f"quality {has} dropped: {_dropped(found, quality)}")
    elif limits.quality and unknown:
        reasons.append(f"whether quality drifts cannot be said: {unknown}")
    judge = judge_sentences(found) if limits.judge else []
    open_ = (found.objection.words,) if limits.quality and found.objection and not quality else ()
    return Gate((*reasons, *(f"the judge has changed: {one}" for one in judge)), undecided=open_)


def unmeasured(found: Drift, limits: DriftLimits) -> list[str]:
    """What the gate asks about the judge and no alarm could have been raised on; it does not fail the gate."""
    judge = found.watched.judge if limits.judge else ()
    return [f"not watched whether the proxy {one.kind}: {one.reason}" for one in judge if one.reason]


class Missing(StrEnum):
    """What is missing, so that quality is not watched."""

    TRAFFIC = "traffic"
    TIMES = "times"
    WINDOWS = "windows"
    LABELS = "labels"
    OTHER = "other"


def missing(found: Drift) -> Missing | None:
    """What is missing; None where quality is watched."""
    if not found.items:
        return Missing.TRAFFIC
    if not found.windows:
        return Missing.TIMES
    if len(found.windows) == 1:
        return Missing.WINDOWS
    if len(labelled(found)) == 1:
        return Missing.LABELS
    return Missing.OTHER if found.watched.quality.reason else None


def labelled(found: Drift) -> list[Window]:
    """The windows with labels."""
    return [one for one in found.windows if one.labels]


def unwatched(found: Drift) -> str | None:
    """Why quality is not watched, in the words of what is missing; None where it is."""
    unit = found.by.value
    match missing(found):
        case Missing.TRAFFIC:
            return "there is no traffic; start with `assay ingest FILE`"
        case Missing.TIMES:
            return "no item has a timestamp; bring the time of each answer as `timestamp`, or name its field with --map"
        case Missing.WINDOWS:
            shorter = "try shorter windows with --by day, or " if tries_days(found) else ""
            return f"all items are of one {unit} ({found.windows[0].name}); {shorter}come back later"
        case Missing.LABELS:
            one = labelled(found)[0]
            how = f"label drawn items of other {unit}s" if found.supply.open else "draw later items with `assay sample`"
            return f"all {one.labels:,} labels are of one {unit} ({one.name}); {how}"
    return found.watched.quality.reason


def commands(found: Drift) -> list[str]:
    """What to run next: bring what is missing, find what an alarm is about, or label on and ask again."""
    if alarm := found.watched.quality.alarm:
        day = first_day(alarm.began)
        has_before = alarm.began > found.windows[0].name
        return ["assay slices", "assay diagnose", *([f"assay compare '@..{day}' '@{day}..'"] if has_before else [])]
    if found.watched.judge_alarms or any(one.is_alarm for one in found.changes):
        return ["assay calibrate", "assay report"]
    if not found.items:
        return ["assay ingest FILE"]
    if not found.windows:
        return ["assay ingest FILE --map timestamp=FIELD"]
    if tries_days(found):
        return ["assay drift --by day"]
    supply = found.supply
    if supply.has_new:
        return [STREAM, "assay drift"]
    if supply.open:
        return [*(BY_SERVER if supply.is_sent else BY_FILE), "assay drift"]
    if supply.has_undrawn:
        return [BATCH, "assay drift"]
    return ["assay ingest FILE", "assay judge", STREAM, "assay drift"]


def tries_days(found: Drift) -> bool:
    """Whether days would make windows enough where there is one longer window."""
    return found.by is not By.DAY and found.is_shorter_enough


def used_up(found: Drift) -> str | None:
    """Why nothing is left to draw, where more labels come next; None where something is, or something else comes next."""
    if found.supply.has_new or found.supply.has_undrawn or commands(found)[-1] != "assay drift":
        return None
    waiting = f" or the {found.supply.open:,} drawn answers that wait for a label" if found.supply.open else ""
    return f"Every answer has had its chance in a wave: more labels need new traffic{waiting}."


class Dashes(NamedTuple):
    """The figures of a window that are "—" for one reason, by their names in Window, and the windows where that is so."""

    figures: tuple[str, ...]
    windows: str
    reason: str


def dashes(windows: Sequence[Window], figures: Sequence[str]) -> list[Dashes]:
    """Every "—" of a table of these figures with its own reason."""
    where = defaultdict[tuple[str, str], list[str]](list)
    for one in windows:
        for figure in figures:
            known: Estimate = getattr(one, figure)
            if known.estimate is None:
                where[figure, known.reason or "not measurable"].append(one.name)
    together = defaultdict[tuple[tuple[str, ...], str], list[str]](list)
    for (figure, reason), names in where.items():
        together[tuple(names), reason].append(figure)
    return [Dashes(tuple(theirs), _span(names), reason) for (names, reason), theirs in together.items()]


def _span(names: Sequence[str]) -> str:
    """A few windows by name, many by the first and the last."""
    return ", ".join(names) if len(names) <= FEW_NAMES else f"{names[0]} … {names[-1]} ({len(names):,})"


def judge_sentences(found: Drift) -> list[str]:
    """Every alarm of the judge."""
    charts = [
        f"it {one.kind}, {share(one.since)} since about {named(found.by, one.began)} and {share(one.before)} before "
        f"(alarm in {named(found.by, one.window)})"
        for one in found.watched.judge_alarms
    ]
    return charts + [f"{change_name(one)} {differs(one.found)}" for one in found.changes if one.is_alarm and one.found]


def named(by: By, name: str) -> str:
    """A window in a sentence."""
    return f"the week of {name}" if by is By.WEEK else name


def count(by: By, number: int) -> str:
    """So many windows."""
    return several(number, by.value)


def stated(found: Drift) -> str:
    """The rate of false alarms."""
    times = "half-years" if found.weeks == HALF_YEAR else f"spans of {count(By.WEEK, found.weeks)}"
    return f"a false alarm in at most {100 * found.plan.false_alarms:g} of 100 {times}"


def share(one: Estimate) -> str:
    """A share with its interval; a given one has none."""
    if one.estimate is None or one.low is None or one.high is None:
        return "—"
    if one.low == one.high:
        return percent(one.estimate)
    return f"{percent(one.estimate)} ({percent(one.low)} to {percent(one.high)})"


def _dropped(found: Drift, alarm: Alarm) -> str:
    return (
        f"alarm in {named(found.by, alarm.window)}; corrected rate {share(alarm.since)} since about "
        f"{named(found.by, alarm.began)}, {share(alarm.before)} before"
        + (f"; but {found.objection.reason}" if found.objection else "")
    )


def change_name(one: Change) -> str:
    """The start of a sentence on a change."""
    what = "the rule" if one.is_rule else one.judge
    day = f" on {one.at[:10]}" if one.at else ""
    return f"{displayable(what)[:LONGEST_NAME]} changed{day} and"


def differs(found: JudgeComparison) -> str:
    """What a change did, on the same answers."""
    shift = found.shift
    return (
        f"scores the same {found.n:,} labelled answers {shift.mean:+.3f} ({shift.low:+.3f} to {shift.high:+.3f}); "
        f"{found.passes_more:,} verdicts flip to pass and {found.passes_less:,} to fail; it agrees with people on "
        f"{percent(found.agreement_after)}, before on {percent(found.agreement_before)} "
        f"({100 * found.agreement.low:+.0f} to {100 * found.agreement.high:+.0f} points, McNemar mid-p {found.mid_p:.2g})"
    )
