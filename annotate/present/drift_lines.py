"""A Drift in, lines for people out: first whether anything has changed, then the windows, the alarms, and what to do next."""

from __future__ import annotations

from annotate.analysis.drift.judge_changes import Change
from annotate.analysis.drift.windows import Drift
from annotate.present.drift import (
    LONGEST_NAME,
    change_name,
    commands,
    count,
    dashes,
    differs,
    headline,
    judge_sentences,
    named,
    share,
    stated,
    used_up,
)
from proxy.drift.drift import Monitor, Window
from proxy.drift.judge_changes import FEWEST
from proxy.evaluation.trust import percent
from proxy.text.language import displayable

INDENT = "  "
FIGURES = {
    "pass_rate": "passed",
    "correctness": "right",
    "pass_precision": "right if passed",
    "agreement": "agreement",
    "thumbs_down": "thumbs down",
}


def page(found: Drift) -> list[str]:
    """All lines."""
    parts = ([headline(found)], _table(found), _quality(found), _judge(found), _basis(found), _next(found))
    return [line for part in parts if part for line in ("", *part)][1:]


def _next(found: Drift) -> list[str]:
    """What to run where no alarm, which has its own steps, says so."""
    if found.watched.quality.alarm or judge_sentences(found):
        return []
    why = used_up(found)
    return [*([why] if why else []), f"Next: {', then '.join(f'`{one}`' for one in commands(found))}."]


def _table(found: Drift) -> list[str]:
    """The windows; at the right what users say."""
    if not found.windows:
        return []
    head = f"{found.by.value:<12}{'items':>9}{'passed':>9}{'labels':>8}  {'right, 95 %':<26}{'right if passed':<26}"
    lines = [f"{'':<{len(head) + 26}}hint, not quality", f"{head}{'agreement':<26}thumbs down"]
    lines += [_row(one) for one in found.windows]
    reasons = [
        f"{INDENT}— {', '.join(FIGURES[name] for name in one.figures)}, {one.windows}: {one.reason}"
        for one in dashes(found.windows, list(FIGURES))
    ]
    return [*(line.rstrip() for line in lines), *reasons]


def _row(one: Window) -> str:
    passed = share(one.pass_rate)
    down = share(one.thumbs_down) + (f" of {one.thumbs_down.n:,}" if one.thumbs_down.n else "")
    return (
        f"{one.name:<12}{one.items:>9,}{passed:>9}{one.labels:>8,}  {share(one.correctness):<26}"
        f"{share(one.pass_precision):<26}{share(one.agreement):<26}{down}"
    )


def _quality(found: Drift) -> list[str]:
    """The alarm on quality and what to do about it."""
    alarm = found.watched.quality.alarm
    if not alarm:
        return []
    return [
        f"Quality alarm in {named(found.by, alarm.window)}: the rate of right answers is below {share(alarm.before)}.",
        f"{INDENT}where it dropped: `assay slices`; at which stage: `assay diagnose`",
        *(f"{INDENT}before and since: `{one}`" for one in commands(found) if one.startswith("assay compare")),
        f"{INDENT}once it is mended, watch anew: `assay drift --since DATE`",
    ]


def _judge(found: Drift) -> list[str]:
    """The judge's alarms, what its changes did, and hints."""
    lines = [f"Judge alarm: {one}." for one in judge_sentences(found)]
    if lines:
        lines += [
            f"{INDENT}its verdicts no longer mean what they did: choose the cut anew with `assay calibrate`",
            f"{INDENT}whether it can still be trusted: `assay report`",
            f"{INDENT}once that is settled, watch anew: `assay drift --since DATE`",
        ]
    lines += [line for one in found.changes if not one.is_alarm for line in _unalarming(one)]
    rate = found.watched.pass_rate
    if rate and rate.is_moved:
        moved = f"{100 * rate.difference:+.1f} points ({100 * rate.low:+.1f} to {100 * rate.high:+.1f})"
        lines.append(
            f"Hint: the pass rate has moved by {moved} from {percent(rate.before)}: judge or traffic, not yet quality; "
            "labels alone tell which."
        )
    return lines


def _unalarming(one: Change) -> list[str]:
    """A change that raises no alarm: what it did, or what is missing to tell."""
    unread = "" if one.is_read else "; the rule in force does not read it"
    if one.found:
        return [f"Change: {change_name(one)} {differs(one.found)}{unread}."]
    if one.labels < FEWEST:
        missing = f"label {FEWEST - one.labels} more drawn items"
    else:
        missing = (
            f"run `assay judge --judges {displayable(one.judge)[:LONGEST_NAME]}`, or import its scores of these items"
        )
    known = f"{one.anchors:,} of {one.labels:,} labelled answers have both scores, {FEWEST} are needed"
    return [f"Change: {change_name(one)} what that did is not measurable: {known}; {missing}{unread}."]


def _basis(found: Drift) -> list[str]:
    """On what the alarms rest."""
    plan, quality = found.plan, found.watched.quality
    lines = []
    if quality.cusum:
        good = quality.before.estimate or 0.0
        known = (
            "given"
            if plan.good is not None
            else f"learnt from the first {count(found.by, plan.baseline).removeprefix('1 ')} with labels"
        )
        to = f", to {percent(good + plan.drop(good))}" if good else ""
        lines.append(f"quality: watched for a drop from {share(quality.before)}, {known}{to}; {stated(found)}")
        if found.kept < found.labels:
            lines.append(
                f"{INDENT}the CUSUM reads {found.kept:,} of {found.labels:,} labels, one to a question and by lots that give all "
                f"answers of a {found.by.value} the same chance; the corrected rates read all"
            )
    watched = [one for one in found.watched.judge if one.cusum]
    if watched:
        lines.append(f"judge: {'; '.join(_of_monitor(one) for one in _by_rate(watched))}; {stated(found)}")
    lines += [f"judge: not watched whether it {one.kind}: {one.reason}" for one in found.watched.judge if one.reason]
    if found.without_time and found.windows:
        lines.append(f"{found.without_time:,} of {found.items:,} items have no timestamp and are in no window")
    return lines


def _by_rate(watched: list[Monitor]) -> list[Monitor]:
    """One of the two monitors of each rate."""
    return list({one.before: one for one in watched}.values())


def _of_monitor(one: Monitor) -> str:
    what = "right" if "right" in one.kind else "wrong"
    return f"it passed {share(one.before)} of {what} answers in the first windows"
