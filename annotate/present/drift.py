"""Build the document of a drift result: whether quality has dropped or a judge has changed, by window."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from enum import StrEnum

from annotate.analysis.drift.judge_changes import JudgeChange
from annotate.analysis.drift.windows import By, Drift
from annotate.analysis.report.gate import Gate
from annotate.domain.counted import counted, resting_on
from annotate.domain.message import (
    Code,
    Command,
    EvidenceText,
    IntervalBasis,
    Kind,
    Listing,
    Message,
    Name,
    Number,
    Step,
    Value,
    coefficient,
    message,
    share,
)
from annotate.present.document import Block, Column, Detail, Document, Section, Status, Table
from annotate.present.messages import text
from annotate.present.quantity import cell
from proxy.drift.drift import Alarm, Monitor, Window
from proxy.drift.judge_changes import FEWEST, JudgeComparison
from proxy.evaluation.estimate import Estimate, has_width

# Weeks: the usual horizon of `assay drift`, which is named in words.
HALF_YEAR = 26
# Chosen: a name stays on one line with its sentence.
LONGEST_NAME = 60
# Chosen: more windows are named by the first and the last.
FEW_NAMES = 3
# Chosen: windows for which the brief answer of 25 lines has room.
RECENT = 6
COLUMNS = {
    "pass_rate": "passed",
    "correctness": "right",
    "agreement": "agreement",
    "pass_precision": "right_if_passed",
    "thumbs_down": "thumbs",
}


def document(result: Drift, steps: Sequence[Step] = ()) -> Document:
    """Say what has drifted.

    Parameters
    ----------
    result : Drift
        The windows with all alarms.
    steps : sequence of Step
        What to do next.
    """
    sections = [Section(None, tuple(_basis(result)))]
    if result.windows:
        sections.append(Section(message("drift.windows"), (_windows(result),)))
        sections.append(Section(message("drift.more_windows"), (_more_windows(result), *dashes(result)), Detail.FULL))
    sections += [watched(result), changes(result)]
    return Document(answer=answer(result), status=_status(result), sections=tuple(sections), next=tuple(steps))


def answer(result: Drift) -> Message:
    """Say what has changed, or why that cannot be told."""
    alarm, judge = result.watched.quality.alarm, judge_alarms(result)
    if alarm:
        key = "drift.dropped_open" if result.objection else "drift.dropped"
        return message(key, since=_evidence(alarm.since), began=Name(alarm.began))
    if judge:
        return judge[0]
    if missing(result) is MissingInput.OTHER:
        return message("drift.unmeasured")
    if reason := unwatched(result):
        return message("drift.unknown", reason=reason)
    first = window_name(result.by, result.windows[0].name)
    return message("drift.nothing", first=first, labels=result.labels, count=len(result.windows))


def headline(result: Drift) -> Message:
    """Say the same as short as the head of a page has it."""
    if alarm := result.watched.quality.alarm:
        key = "judges.head_dropped_open" if result.objection else "judges.head_dropped"
        return message(key, began=Name(alarm.began))
    if judge_alarms(result):
        return message("judges.head_moved")
    is_unknown = missing(result) is MissingInput.OTHER or unwatched(result)
    return message("judges.head_unknown" if is_unknown else "judges.head_nothing")


def judge_alarms(result: Drift) -> list[Message]:
    """Say every alarm of the judge, with what shows it."""
    moved = [
        message("drift.moved", kind=kind(alarm), since=_evidence(alarm.since), began=Name(alarm.began))
        for alarm in result.watched.judge_alarms
    ]
    return moved + [
        _changed(change, change.comparison) for change in result.changes if change.is_alarm and change.comparison
    ]


def kind(watching: Alarm | Monitor) -> Message:
    """Name what a monitor watches."""
    return message(f"judges.kind_{watching.kind.name.lower()}")


def gate(result: Drift) -> Gate:
    """Fail where an alarm stands of a kind that the gate holds back, or where quality, which it holds back, is not watched.

    What only time brings, windows, fails no gate: it is not decidable.
    """
    limits, alarm, unknown = result.limits, result.watched.quality.alarm, unwatched(result)
    reasons, undecided = list[Message](), list[str]()
    if limits.quality and alarm:
        key = "drift.dropped_open" if result.objection else "drift.dropped"
        reasons.append(message(key, since=_evidence(alarm.since), began=Name(alarm.began)))
    elif limits.quality and unknown:
        if missing(result) is MissingInput.WINDOWS:
            undecided.append(text(message("drift.unknown", reason=unknown)).removesuffix("."))
        else:
            reasons.append(message("drift.unknown", reason=unknown))
    reasons += judge_alarms(result) if limits.judge else []
    if limits.quality and result.objection and not alarm:
        undecided.append(result.objection.words)
    return Gate(tuple(text(reason).removesuffix(".") for reason in reasons), undecided=tuple(undecided))


def not_watched(result: Drift) -> list[Message]:
    """Say what the gate asks about the judge and no alarm could have been raised on; it does not fail the gate."""
    is_asked = result.limits.judge and missing(result) is not MissingInput.WINDOWS
    judge = result.watched.judge if is_asked else ()
    return [_colon(kind(monitor), _state(result, monitor)) for monitor in judge if monitor.reason]


class MissingInput(StrEnum):
    """What is missing, so that quality is not watched."""

    TRAFFIC = "traffic"
    TIMES = "times"
    WINDOWS = "windows"
    LABELS = "labels"
    OTHER = "other"


def missing(result: Drift) -> MissingInput | None:
    """Name what is missing; None where quality is watched."""
    if not result.items:
        return MissingInput.TRAFFIC
    if not result.windows:
        return MissingInput.TIMES
    if not result.watched.quality.reason:
        return None
    labelled = _labelled(result)
    if labelled and len(result.windows) < result.plan.fewest_windows:
        return MissingInput.WINDOWS
    return MissingInput.LABELS if len(labelled) == 1 else MissingInput.OTHER


def unwatched(result: Drift) -> Message | str | None:
    """Say why quality is not watched; None where it is."""
    lack = missing(result)
    if lack is None or lack is MissingInput.OTHER:
        return result.watched.quality.reason
    unit = message(f"judges.by_{result.by.value}")
    if lack is MissingInput.WINDOWS:
        count = {"count": len(result.windows), "needed": result.plan.fewest_windows}
        return message("drift.missing_windows", unit=unit, **count)
    windows = _labelled(result) if lack is MissingInput.LABELS else ()
    name, labels = (windows[0].name, windows[0].labels) if windows else ("", 0)
    return message(f"drift.missing_{lack.value}", unit=unit, window=Name(name), labels=labels)


def window_name(by: By, name: str) -> Value:
    """Name a window in a sentence."""
    return message("drift.week_of", name=Name(name)) if by is By.WEEK else Name(name)


def rate(estimate: Estimate) -> Value:
    """Give a rate with its interval, for a table; one that was given or counted has none."""
    if estimate.estimate is None or estimate.low is None:
        return None
    if not has_width(estimate):
        return share(estimate.estimate)
    return cell(estimate, Kind.SHARE, has_n=bool(estimate.n))


def picture(result: Drift, marks: Sequence[tuple[str, str]]) -> Message:
    """Say how both rates went by window, and what happened in which."""

    def course(name: str) -> Listing:
        return _by_window([(Name(window.name), rate(getattr(window, name))) for window in result.windows])

    happened = _by_window([(Name(window), Name(words)) for window, words in marks]) if marks else None
    return message("judges.drift_alt", right=course("correctness"), agreement=course("agreement"), marks=happened)


def cusum(steps: Sequence[tuple[str, float, float | None]]) -> Message:
    """Say how the CUSUM of quality stood to its limit, window by window."""
    parts = tuple(
        message("judges.cusum_step", window=Name(window), peak=coefficient(peak), limit=coefficient(limit))
        for window, peak, limit in steps
    )
    return message("judges.cusum_alt", steps=Listing(parts, "values.semicolon"))


def watched(result: Drift) -> Section:
    """List what the monitors watch, what they cannot watch, and on what the alarms rest."""
    monitors = (result.watched.quality, *result.watched.judge)
    rows = tuple((kind(monitor), rate(monitor.before), _state(result, monitor)) for monitor in monitors)
    columns = [Column(message(f"judges.col_{name}"), is_wide=True) for name in ("watches", "rate_before", "state")]
    quality, plan, blocks = result.watched.quality, result.plan, list[Block]()
    good = quality.before.estimate
    if quality.cusum and good is not None:
        values: dict[str, Value] = {"before": _before(quality.before), "bad": share(good + plan.drop(good))}
        blocks.append(
            message("drift.learnt", count=plan.baseline, **values)
            if plan.good is None
            else message("drift.given", **values)
        )
        if result.kept < result.labels:
            blocks.append(message("judges.equal_chance", kept=result.kept, labels=result.labels))
    right, wrong = result.watched.judge_basis
    if right or wrong:
        blocks.append(message("drift.judge_basis", right=right, wrong=wrong))
    table = Table(tuple(columns), rows, name="watched")
    return Section(message("judges.watched"), (table, *blocks, *_pass_rate(result)), Detail.FULL)


def changes(result: Drift) -> Section:
    """Say what each change of a judge did, on the same labelled answers."""
    blocks = [block for change in result.changes for block in _change(change)]
    return Section(message("judges.changes"), tuple(blocks or [message("judges.changes_none")]), Detail.FULL)


def dashes(result: Drift) -> list[Message]:
    """Give the reason of every "—" in the tables of windows: figures that lack the same in the same windows share one."""
    where = defaultdict[tuple[str, str], list[str]](list)
    for window in result.windows:
        for figure in COLUMNS:
            known: Estimate = getattr(window, figure)
            if known.estimate is None and known.reason:
                where[figure, known.reason].append(window.name)
    together = defaultdict[tuple[tuple[str, ...], str], list[str]](list)
    for (figure, reason), names in where.items():
        together[tuple(names), reason].append(figure)
    return [
        message("judges.dash", figures=Listing(tuple(map(_column, figures))), windows=_several(names), reason=reason)
        for (names, reason), figures in together.items()
    ]


def _by_window(parts: Sequence[tuple[Name, Value]]) -> Listing:
    lines = (message("values.colon", label=label, words=words) for label, words in parts)
    return Listing(tuple(lines), "values.semicolon")


def _status(result: Drift) -> Status:
    if result.watched.quality.alarm:
        return Status.OPEN if result.objection else Status.MISSED
    if judge_alarms(result):
        return Status.MISSED
    if missing(result):
        return Status.UNMEASURABLE
    return Status.OPEN if result.objection else Status.DONE  # no alarm is no proof that nothing has changed


def _basis(result: Drift) -> Iterator[Message]:
    """What the answer rests on, and what else an alarm says."""
    alarm, judge = result.watched.quality.alarm, judge_alarms(result)
    doubt = [message("drift.open", reason=result.objection.reason)] if result.objection and not missing(result) else []
    cause = [message("drift.moved_why")] if result.watched.judge_alarms else []
    if alarm:
        yield from doubt
        yield message("drift.before", before=_before(alarm.before), window=window_name(result.by, alarm.window))
        yield from (*judge, *cause)
    elif judge:
        for alarmed in result.watched.judge_alarms[:1]:
            yield message("drift.before", before=_before(alarmed.before), window=window_name(result.by, alarmed.window))
        yield from (*judge[1:], *cause)
        reason = unwatched(result)
        yield message("drift.unknown", reason=reason) if reason else message("drift.still")
        yield from doubt  # of quality, not of the alarm
    else:
        yield from doubt
        if missing(result) is MissingInput.OTHER:
            yield message("report.reason", reason=unwatched(result))
    if result.watched.pass_rate and result.watched.pass_rate.is_moved:
        yield from _pass_rate(result)
    if result.windows and not missing(result):
        allowed = share(result.plan.false_alarms)
        is_usual = result.weeks == HALF_YEAR
        yield (
            message("drift.false_alarms", rate=allowed)
            if is_usual
            else message("drift.false_alarms_weeks", rate=allowed, count=result.weeks)
        )
    if result.without_time and result.windows:
        yield message("judges.without_time", count=result.without_time, items=result.items)


def _pass_rate(result: Drift) -> Iterator[Message]:
    """The move of the pass rate: a hint, as traffic moves it too."""
    moved = result.watched.pass_rate
    if moved:
        key = "judges.passes_moved" if moved.is_moved else "judges.passes_still"
        by = EvidenceText(moved.difference, Kind.POINTS, IntervalBasis.WINDOW, is_signed=True)
        yield message(key, by=by, before=share(moved.before.estimate))


def _windows(result: Drift) -> Table:
    columns = (
        Column(message("judges.col_window")),
        *(
            Column(message(f"judges.col_{name}"), is_number=True)
            for name in ("items", "passed", "labels", "right", "agreement")
        ),
    )
    rows = tuple(
        (
            Name(window.name),
            window.items,
            share(window.pass_rate.estimate),
            counted(window.labels, "window", result.by, "correctness", window.name),
            rate(resting_on(window.correctness, "window", result.by, "correctness", window.name)),
            rate(window.agreement),
        )
        for window in reversed(result.windows)
    )
    return Table(columns, rows, name="windows", most=RECENT)


def _more_windows(result: Drift) -> Table:
    columns = (
        Column(message("judges.col_window")),
        *(Column(_column(figure), is_number=True) for figure in ("pass_precision", "thumbs_down")),
        Column(message("drift.rated"), is_number=True),
    )
    rows = tuple(
        (
            Name(window.name),
            rate(resting_on(window.pass_precision, "window", result.by, "pass_precision", window.name)),
            rate(window.thumbs_down),
            window.thumbs_down.n,
        )
        for window in reversed(result.windows)
    )
    return Table(columns, rows)


def _column(figure: str) -> Message:
    return (
        message("measures.pass_precision") if figure == "pass_precision" else message(f"judges.col_{COLUMNS[figure]}")
    )


def _several(names: Sequence[str]) -> Value:
    """A few windows by name, many by the first and the last."""
    if len(names) <= FEW_NAMES:
        return Listing(tuple(map(Name, names)))
    return message("drift.from_to", first=Name(names[0]), last=Name(names[-1]), count=len(names))


def _labelled(result: Drift) -> list[Window]:
    return [window for window in result.windows if window.labels]


def _state(result: Drift, monitor: Monitor) -> Message:
    if alarm := monitor.alarm:
        values: dict[str, Value] = {"window": Name(alarm.window), "began": Name(alarm.began)}
        return message("judges.state_alarm", since=_evidence(alarm.since), **values)
    reason = unwatched(result) if monitor is result.watched.quality else monitor.reason
    return message("judges.state_unwatched", reason=reason) if reason else message("judges.state_quiet")


def _changed(change: JudgeChange, comparison: JudgeComparison) -> Message:
    """An alarm on a change, by what is shown to have moved."""
    if comparison.shift.excludes_zero:
        return message("drift.rescored", what=_what(change), shift=_shift(comparison))
    return message("drift.agrees_otherwise", what=_what(change), agreement=_agreement(comparison))


def _change(change: JudgeChange) -> Iterator[Message]:
    """What a change did, or what is missing to tell."""
    known: dict[str, Value] = {"what": _what(change), "day": _day(change), "after": Code(change.after)}
    if comparison := change.comparison:
        yield message(
            "drift.rescored_how",
            **known,
            shift=_shift(comparison),
            more=comparison.passes_more,
            less=comparison.passes_less,
        )
        yield message(
            "drift.agreed_how",
            after=share(comparison.agreement_after),
            earlier=share(comparison.agreement_before),
            agreement=_agreement(comparison),
            p=Number(comparison.mid_p, Kind.P_VALUE),
        )
    else:
        known |= {"anchors": change.anchors, "labels": change.labels, "fewest": FEWEST}
        if change.labels < FEWEST:
            yield message("drift.anchors_label", count=FEWEST - change.labels, **known)
        else:
            command = Command(f"assay judge --judges {change.judge[:LONGEST_NAME]}")
            yield message("drift.anchors_judge", command=command, **known)
    if not change.is_read:
        yield message("drift.unread", what=_what(change))


def _what(change: JudgeChange) -> Value:
    return message("judges.the_rule") if change.is_rule else Code(change.judge[:LONGEST_NAME])


def _day(change: JudgeChange) -> Value:
    return message("drift.on_day", day=Name(change.at[:10])) if change.at else ""


def _shift(comparison: JudgeComparison) -> EvidenceText:
    return EvidenceText(comparison.shift, Kind.SCORE, IntervalBasis.WINDOW, is_signed=True)


def _agreement(comparison: JudgeComparison) -> EvidenceText:
    return EvidenceText(comparison.agreement, Kind.POINTS, IntervalBasis.WINDOW, is_signed=True)


def _evidence(estimate: Estimate) -> EvidenceText:
    return EvidenceText(estimate, Kind.SHARE, IntervalBasis.WINDOW)


def _before(before: Estimate) -> Value:
    """The rate before; a given one has no interval."""
    return _evidence(before) if has_width(before) else share(before.estimate)


def _colon(label: Message, words: Value) -> Message:
    return message("values.colon", label=label, words=words)
