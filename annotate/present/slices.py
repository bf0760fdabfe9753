"""What was found of slices in, lines for people and an object for machines out.

The answer comes first in words, then each slice that is shown to be worse with what to do next, then what was not tested.
"""

from __future__ import annotations

import shlex
from collections.abc import Sequence

from annotate.analysis.slices.confirm import Confirmation
from annotate.analysis.slices.find import Slices, Turnable
from annotate.present.messages import one_line
from proxy.evaluation.slices import FEWEST, Finding, Mistake, Share, Slice, SlicePower, Untested
from proxy.evaluation.trust import percent
from proxy.records import Verdict
from proxy.stats.testing.detectable import POWER
from proxy.text.language import several

FRESH_LABELS = 60
UNLABELLED = "No slice can be tested: no drawn item is labelled right or wrong."
UNJUDGED = "No slice can be tested: no labelled item has a verdict"
TRUTH = "its values tell right from wrong among passed and among failed answers: it is the truth, and no slice"
MOST_UNTESTED = 12
MOST_TESTED = 5
WORDS = {Mistake.WRONG_PASS: ("Passed", "wrong"), Mistake.RIGHT_FAIL: ("Failed", "right")}


def text(found: Slices) -> list[str]:
    """The answer, its findings, what came nearest, what was not tested or left out, the slices to confirm, and what to run."""
    left_out = [f"Left out, {one}: {TRUTH}." for one in found.truths]
    following = commands(found)
    ending = [f"Next: {', then '.join(f'`{one}`' for one in following)}."] if following else []
    return [
        *_answer(found),
        *power_lines(found),
        *_nearest(found),
        *_untested(found),
        *left_out,
        *_confirmations(found),
        *ending,
    ]


def commands(found: Slices) -> list[str]:
    """What to run next: label, judge, draw a wave of what was found or came nearest, or read what is wrong there."""
    if not sum(found.labels.values()):
        return ["assay sample --labels 300", "assay labels import FILE"]
    if _is_unjudged(found):
        return [] if found.failed else ["assay judge"]
    if any(one.open for one in found.confirmations):
        return ["assay labels import FILE", "assay slices"]
    if not found.examined.tested:
        return ["assay sample --labels 300"] if found.examined.untested else []
    searched = [one for one in found.examined.worse if one.slice.is_searched]
    if searched:
        return [sample(one.slice.name) for one in searched]
    return ["assay diagnose"] if found.examined.worse else [sample(found.examined.tested[0].slice.name), "assay slices"]


def _is_unjudged(found: Slices) -> bool:
    return not found.labels[Verdict.PASS] and not found.labels[Verdict.FAIL]


def _answer(found: Slices) -> list[str]:
    if not sum(found.labels.values()):
        return [UNLABELLED]
    if _is_unjudged(found):
        if found.failed is None:
            return [f"{UNJUDGED}. Run `assay judge` first."]
        reason = one_line(found.failed.reason).strip() or "no reason is kept"
        n = sum(found.labels.values())
        return [f"{UNJUDGED}: the judges cannot score them; {found.failed.items:,} of {n:,} because: {reason}."]
    if found.objections:
        return [f"No slice can be named: {found.objections[0].reason}."]
    examined = found.examined
    tests = f"{len(examined.tested):,} tested, {len(examined.untested):,} with too few labels"
    if not examined.tested:
        return [f"No slice can be tested: {_why_none(found)}."]
    if not examined.worse:
        return [f"No slice is shown to be worse than the rest: {tests}."]
    lines = [line for one in examined.worse for line in _worse(one, found.turnable)]
    return [*lines, f"Tests of all slices: {tests}; adjusted for all of them."]


def _why_none(found: Slices) -> str:
    n = sum(found.labels.values())
    if not found.examined.untested:
        return f"the {n:,} labelled items are alike in all that is known of them"
    return f"{n:,} labels, and no slice has {FEWEST} on one side with {FEWEST} elsewhere"


def _worse(one: Finding, turnable: Sequence[Turnable]) -> list[str]:
    side, kind = WORDS[one.mistake]
    first = (
        f"{side} answers in {_named(one.slice)} are {kind} more often: {_share(one.here)} of {one.here.n:,} labels against "
        f"{_share(one.elsewhere)} of {one.elsewhere.n:,} elsewhere; {_points(one)}; adjusted p {p_value(one.adjusted_p)}"
    )
    doubts = [each for each in turnable if (each.slice, each.mistake) == (one.slice.name, one.mistake)]
    lines = [f"{first}{''.join(_doubt(each) for each in doubts)}."]
    if one.twins:
        lines.append(f"  The same labels are all of: {'; '.join(_named(twin) for twin in one.twins)}.")
    if one.slice.is_searched:
        lines.append(f"  Found by search: confirm with a fresh wave: `{sample(one.slice.name)}`.")
    return lines


def _doubt(one: Turnable) -> str:
    """What leaves a finding open."""
    return (
        f"; but that is open: {one.missing:,} of {several(one.drawn, 'such drawn answer')} in it have no right or wrong; with "
        "those elsewhere they could turn it"
    )


def sample(name: str) -> str:
    """The command that draws a wave of a slice."""
    return f"assay sample --labels {FRESH_LABELS} --slice {shlex.quote(name)}"


def _named(one: Slice) -> str:
    return f"“{one.name}”"


def _share(one: Share) -> str:
    return f"{percent(one.estimate)} ({_span(one.interval.low, one.interval.high)})"


def _span(low: float, high: float) -> str:
    return f"{100 * low:.0f} to {100 * high:.0f} %"


def _points(one: Finding) -> str:
    estimate, low, high = (100 * value for value in one.difference)
    return f"{estimate:+.0f} points ({low:+.0f} to {high:+.0f})"


def p_value(p: float) -> str:
    """A p-value without a leading zero, at most three digits."""
    if p < 0.001:
        return "< .001"
    return f"{p:.3f}".removeprefix("0") if p < 1 else "1"


def _nearest(found: Slices) -> list[str]:
    if found.examined.worse or not found.examined.tested:
        return []
    lines = ["Nearest to it:"]
    for one in found.examined.tested[:MOST_TESTED]:
        side, kind = WORDS[one.mistake]
        lines.append(
            f"  {one.slice.name}: {side.lower()} and {kind} {_share(one.here)} of {one.here.n:,}, elsewhere "
            f"{_share(one.elsewhere)} of {one.elsewhere.n:,}; adjusted p {p_value(one.adjusted_p)}"
        )
    return lines


def _untested(found: Slices) -> list[str]:
    """Those of passed answers first, the nearest to a test before others."""
    untested = sorted(
        found.examined.untested, key=lambda one: (list(Mistake).index(one.mistake), one.missing, one.slice.name)
    )
    if not untested:
        return []
    shown = [
        f"  {_side(one.mistake)} {one.slice.name}: {one.n:,} labels; {needs(one)}" for one in untested[:MOST_UNTESTED]
    ]
    more = len(untested) - len(shown)
    return [f"Not tested, under {FEWEST} labels in it or elsewhere:", *shown] + (
        [f"  and {more:,} more (--json lists all)"] if more else []
    )


def power_lines(found: Slices) -> list[str]:
    """What these labels can show at all, a line a side."""
    return [_power(one) for one in found.examined.power]


def _power(one: SlicePower) -> str:
    side, kind = WORDS[one.mistake]
    start = f"Power: {one.labels:,} labels on {side.lower()} answers ({percent(one.base)} {kind}), {several(one.tests, 'test')}: "
    part = "a slice of a fifth of them is found in 8 of 10 cases"
    if one.share is None:
        return f"{start}{part} at no share."
    return f"{start}{part} only if at least {percent(one.share)} in it are {kind}."


def _side(mistake: Mistake) -> str:
    return "passed," if mistake is Mistake.WRONG_PASS else "failed,"


def needs(one: Untested) -> str:
    """What a test of it would need."""
    if one.missing:
        return f"label {one.missing} more"
    return f"label {one.missing_elsewhere} more elsewhere: it is nearly all of them"


def _confirmations(found: Slices) -> list[str]:
    return (
        ["To confirm:", *(f"  {_confirmed(one, found.examined.level)}" for one in found.confirmations)]
        if found.confirmations
        else []
    )


def _confirmed(one: Confirmation, level: float) -> str:
    side, kind = WORDS[one.mistake]
    start = f"{one.slice} (wave {one.wave}, {side.lower()} and {kind})"
    match one.found:
        case None:
            return f"{start}: not yet, {one.open:,} labels open."
        case Untested():
            return f"{start}: not testable, {one.found.n:,} fresh labels; {needs(one.found)}."
        case Finding():
            word = "confirmed" if one.found.adjusted_p <= level else "not confirmed"
            return (
                f"{start}: {word}: {_share(one.found.here)} of {one.found.here.n:,} fresh labels against "
                f"{_share(one.found.elsewhere)} of {one.found.elsewhere.n:,} elsewhere; {_points(one.found)}; "
                f"p {p_value(one.found.adjusted_p)}."
            )


def as_json(found: Slices) -> dict[str, object]:
    """All of it, for machines."""
    examined = found.examined
    return {
        **{"sentence": text(found)[0], "next": commands(found)},
        **{"rule": found.rule, "items": found.items, "level": examined.level},
        "labels": {verdict.value: count for verdict, count in found.labels.items()},
        "tests": len(examined.tested),
        "power": [_power_json(one) for one in examined.power],
        "left_out": [{"field": one, "reason": TRUTH} for one in found.truths],
        "worse": [] if found.objections else [_finding_json(one) for one in examined.worse],
        "objections": [{"doubt": one.doubt.value, "reason": one.reason} for one in found.objections],
        "could_turn": [{**one._asdict(), "mistake": one.mistake.value} for one in found.turnable],
        "tested": [_finding_json(one) for one in examined.tested],
        "untested": [_untested_json(one) for one in examined.untested],
        "to_confirm": [_confirmation_json(one, examined.level) for one in found.confirmations],
    }


def _power_json(one: SlicePower) -> dict[str, object]:
    return {
        **{"mistake": one.mistake.value, "labels": one.labels, "share": one.base, "slice_of": one.part},
        **{"detectable_share": one.share, "power": POWER},
    }


def _slice_json(one: Slice) -> dict[str, object]:
    return {"slice": one.name, "field": one.field, "value": one.value, "searched": one.is_searched}


def _finding_json(one: Finding) -> dict[str, object]:
    estimate, low, high = one.difference
    return {
        **_slice_json(one.slice),
        **{"mistake": one.mistake.value, "here": _share_json(one.here), "elsewhere": _share_json(one.elsewhere)},
        "difference": {"estimate": estimate, "low": low, "high": high},
        **{"p_value": one.p_value, "adjusted_p": one.adjusted_p, "same_labels": [twin.name for twin in one.twins]},
        "confirm_with": sample(one.slice.name) if one.slice.is_searched else None,
    }


def _share_json(one: Share) -> dict[str, object]:
    low, high = one.interval
    return {"estimate": one.estimate, "low": low, "high": high, "n": one.n, "errors": one.errors}


def _untested_json(one: Untested) -> dict[str, object]:
    return {
        **_slice_json(one.slice),
        **{
            "mistake": one.mistake.value,
            "n": one.n,
            "missing": one.missing,
            "missing_elsewhere": one.missing_elsewhere,
        },
    }


def _confirmation_json(one: Confirmation, level: float) -> dict[str, object]:
    found = one.found
    status = "open" if found is None else "not testable" if isinstance(found, Untested) else "not confirmed"
    if isinstance(found, Finding) and found.adjusted_p <= level:
        status = "confirmed"
    return {
        **{"wave": one.wave, "slice": one.slice, "mistake": one.mistake.value, "open": one.open, "status": status},
        "found": _finding_json(found) if isinstance(found, Finding) else _untested_json(found) if found else None,
    }
