"""What has drifted in the reader's language: as the command says it in English, in the table's words elsewhere.

A Drift in, sentences out. The rule: the numbers are those of the English sentence, said by the same functions.
"""

from __future__ import annotations

from annotate.analysis.drift.judge_changes import Change
from annotate.analysis.drift.windows import By, Drift
from annotate.pages.kit import quantities, texts
from annotate.pages.kit.messages import language, say
from annotate.present import drift
from annotate.present.drift import HALF_YEAR, LONGEST_NAME, Missing
from proxy.drift.drift import Alarm
from proxy.drift.judge_changes import JudgeComparison
from proxy.evaluation.estimate import Estimate
from proxy.evaluation.trust import percent


def headline(found: Drift) -> str:
    """One sentence: what has changed, or why that cannot be said."""
    if language() == "en":
        return drift.headline(found)
    quality, judge, reason = found.watched.quality.alarm, judge_sentences(found), _reason(found)
    if quality:
        words = say("drifted.dropped_too" if judge else "drifted.dropped", **_alarm(found, quality))
        return words + (say("drifted.open", reason=found.objection.reason) if found.objection else "")
    if reason:
        key = "drifted.judge_unknown" if judge else "drifted.unknown"
        return say(key, judge=judge[0] if judge else "", reason=reason)
    if judge:
        return say("drifted.judge", judge=judge[0])
    left_open = say("drifted.open", reason=found.objection.reason) if found.objection else ""
    rate = "drifted.rate_half_years" if found.weeks == HALF_YEAR else "drifted.rate_weeks"
    nothing = say(
        "drifted.nothing",
        first=_named(found.by, found.windows[0].name),
        unit=_unit(found),
        count=len(found.windows),
        labels=found.labels,
        rate=say(rate, rate=100 * found.plan.false_alarms, weeks=found.weeks),
    )
    return nothing + left_open


def judge_sentences(found: Drift) -> list[str]:
    """Every alarm of the judge."""
    if language() == "en":
        return drift.judge_sentences(found)
    charts = [
        say("drifted.moved", kind=say(f"judges.kind_{one.kind.name.lower()}"), **_alarm(found, one))
        for one in found.watched.judge_alarms
    ]
    return charts + [_changed(one, one.found) for one in found.changes if one.is_alarm and one.found]


def _alarm(found: Drift, alarm: Alarm) -> dict[str, str]:
    """The values of a sentence on an alarm."""
    return {
        "window": _named(found.by, alarm.window),
        "began": _named(found.by, alarm.began),
        "since": _share(alarm.since),
        "before": _share(alarm.before),
    }


def _share(one: Estimate) -> str:
    if one.estimate is None or one.low is None or one.high is None:
        return "—"
    if one.low == one.high:
        return percent(one.estimate)
    return f"{percent(one.estimate)} ({quantities.span((one.low, one.high), percent)})"


def _changed(one: Change, did: JudgeComparison) -> str:
    """What a change did, on the same answers."""
    what = say("judges.the_rule") if one.is_rule else texts.others(one.judge)[:LONGEST_NAME]
    words = say(
        "drifted.differs",
        n=did.n,
        mean=f"{did.shift.mean:+.3f}",
        low=f"{did.shift.low:+.3f}",
        high=f"{did.shift.high:+.3f}",
        more=did.passes_more,
        less=did.passes_less,
        after=percent(did.agreement_after),
        earlier=percent(did.agreement_before),
        worst=f"{100 * did.agreement.low:+.0f}",
        best=f"{100 * did.agreement.high:+.0f}",
        p=f"{did.mid_p:.2g}",
    )
    return say("drifted.changed_on" if one.at else "drifted.changed", what=what, day=(one.at or "")[:10], did=words)


def _reason(found: Drift) -> str | None:
    """Why quality is not watched; what the estimate itself says of that stays as it is."""
    missing = drift.missing(found)
    if missing is None or missing is Missing.OTHER:
        return found.watched.quality.reason
    name = "days" if missing is Missing.WINDOWS and not drift.tries_days(found) else missing.value
    name = "labels_open" if missing is Missing.LABELS and found.supply.open else name
    windows = drift.labelled(found) if missing is Missing.LABELS else found.windows
    window, labels = (windows[0].name, windows[0].labels) if windows else ("", 0)
    return say(f"drifted.missing_{name}", unit=_unit(found), window=window, labels=labels)


def _unit(found: Drift) -> str:
    return say(f"judges.by_{found.by.value}")


def _named(by: By, name: str) -> str:
    return say("drifted.week_of", name=name) if by is By.WEEK else name
