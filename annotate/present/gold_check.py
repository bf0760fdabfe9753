"""Say what a check against the gold set shows, on how many questions, and what was left out; in words and as JSON.

What only an unchecked judge says is no result: the first line says so, and the gate is not decidable.
"""

from __future__ import annotations

from collections.abc import Mapping

from annotate.analysis.gold.regression import Checked
from annotate.analysis.report.gate import Gate
from annotate.domain.conversation import as_rows, in_one_line
from annotate.domain.gate_limits import GoldCheckLimits
from annotate.domain.gold.regression import COMPARED, MIN_KNOWN, Check, Comparison, Fate, SaidBy, Share
from annotate.present.messages import one_line
from proxy.stats.agreement.rogan_gladen import Count
from proxy.stats.intervals import CONFIDENCE, wilson
from proxy.stats.testing.paired import Difference

OF_GOLD = "of the gold set, not of traffic: its questions were chosen, not drawn"
LEFT_OUT = {
    Fate.CANNOT_TELL: "the judge calls their old answer otherwise than people do, so it cannot tell (label the new ones)",
    Fate.UNCHECKED: "are left to a judge that was not checked against people here",
    Fate.NO_ANSWER: "have no answer by it",
    Fate.NOT_JUDGED: "could not be judged",
    Fate.NO_OLD: "have no old answer that people called right or wrong, and count in its share alone",
}

LISTED = (
    *(Fate.BROKE, Fate.MENDED, Fate.STILL_WRONG, Fate.UNCHECKED),
    *(Fate.CANNOT_TELL, Fate.NOT_JUDGED, Fate.NO_ANSWER),
)


def lines(checked: Checked, system: str, judge: str, cut: float, *, is_default: bool) -> list[str]:
    """Everything, most important first."""
    found = checked.check
    if not found.comparisons:
        return ["there is no entry to check: accept some with `assay gold accept`, or name another --role"]
    return [
        *_undecided(found, system, checked.signature or judge),
        *_head(found, system),
        *_basis(found, checked.signature or judge, cut, is_default=is_default),
        *_left_out(checked, system),
        *_listed(found),
    ]


def _undecided(found: Check, system: str, signature: str) -> list[str]:
    """What cannot be said, before anything else, and what would make it possible."""
    unchecked = found.of(Fate.UNCHECKED)
    if not unchecked:
        return []
    where = f"on {len(unchecked):,} of {len(found.counted):,} gold questions"
    first = f"{system}: it cannot be said whether anything broke {where}: the judge {signature} has not been checked"
    return [
        f"{first} against people here ({found.judge.obstacle})",
        "label these new answers, or enough known ones, then check again; what people said is counted below",
    ]


def _head(found: Check, system: str) -> list[str]:
    pairs, difference = found.pairs, found.difference
    if difference is None:
        return [
            f"{system}: nothing can be compared with what was right or wrong before ({OF_GOLD})",
            *_share(found.new_share),
        ]
    first = (
        f"{system} on {pairs.n:,} gold questions that can be compared: {pairs.both:,} kept right, {pairs.only_first:,} broke, "
        f"{pairs.only_second:,} mended, {pairs.neither:,} still wrong ({OF_GOLD})"
    )
    parts = [first, f"share right, new minus old: {_points(difference)}; McNemar mid-p {found.mid_p:.3g}"]
    if not pairs.only_first + pairs.only_second:
        parts.append("no answer changed sides: neither better nor worse is shown")
    elif not pairs.both + pairs.only_first:
        parts.append("all old answers were wrong: it could only gain")
    elif not pairs.only_second + pairs.neither:
        parts.append("all old answers were right: it could only lose")
    if found.corrected is not None:
        parts.insert(
            0,
            f"{system}, freed of the judge's errors: share right, new minus old {_points(found.corrected)}, "
            f"{found.corrected_of:,} questions, if it errs on these answers as on those that people labelled",
        )
    if found.untold:
        words = _points(found.composed) if found.composed is not None else "cannot be said"
        parts.append(
            f"with the {found.untold:,} of which the judge cannot tell, if they changed sides as often as the others of their "
            f"kind: {words}"
        )
    if found.if_missing_wrong is not None:
        parts.append(f"with what has no answer counted as wrong: {_points(found.if_missing_wrong)}")
    return [*parts, *_share(found.new_share), *_verdict(found)]


def _verdict(found: Check) -> list[str]:
    headline = found.headline
    if headline is None or headline.low <= 0 <= headline.high:
        return []
    word, side = ("worse", "below") if found.is_worse else ("better", "above")
    where = f"the whole interval lies {side} 0"
    if headline is found.difference and found.mid_p is not None and found.mid_p > 1 - CONFIDENCE:
        return [f"it looks {word} ({where}), but on so few questions chance does this too (mid-p {found.mid_p:.3g})"]
    return [f"it is {word}: {where}"]


def _share(share: Share | None) -> list[str]:
    if share is None:
        return []
    ends = f"{100 * share.interval.low:.0f} to {100 * share.interval.high:.0f} %, 95 % interval"
    return [f"new answers right: {share.x:,} of {share.n:,} ({100 * share.x / share.n:.0f} %; {ends})"]


def _points(one: Difference) -> str:
    return f"{100 * one.estimate:+.1f} points ({100 * one.low:+.1f} to {100 * one.high:+.1f}, 95 % interval)"


def _basis(found: Check, signature: str, cut: float, *, is_default: bool) -> list[str]:
    """Who judged, and how the judge does against people."""
    counts = ", ".join(f"{count:,} by {basis}" for basis, count in found.by_basis.items())
    calibrated = "default cut, not calibrated on your references" if is_default else "cut given"
    said = [f"who says so: {counts}"] if counts else []
    said.append(f"the judge is {signature}, passing above {cut:g} ({calibrated})")
    right, wrong = found.judge.right_passes, found.judge.wrong_fails
    if right.n + wrong.n == 0:
        return [
            *said,
            "not checked against people here: no labelled answer has a reference in other words; a new wording may look broken",
        ]
    said.append(
        f"the judge against people here: passes {_count(right)} right answers, fails {_count(wrong)} wrong ones"
    )
    if found.why_not_corrected:
        said.append(f"not freed of the judge's errors: {found.why_not_corrected}")
    return said


def _count(one: Count) -> str:
    if not one.n:
        return "— of 0"
    ends = wilson(one.p, one.n)
    return f"{one.x:,} of {one.n:,} ({100 * ends.low:.0f} to {100 * ends.high:.0f} %)"


def _left_out(checked: Checked, system: str) -> list[str]:
    found: list[str] = []
    for fate, words in LEFT_OUT.items():
        each = checked.check.of(fate)
        if each:
            right, wrong = (sum(one.was_right is side for one in each) for side in (True, False))
            found.append(
                f"{len(each):,} entries {words}"
                + (f" ({right:,} were right, {wrong:,} wrong)" if right + wrong else "")
            )
    if checked.matched.own:
        found.append(
            f"{len(checked.matched.own):,} entries hold an answer of {system} itself, and it was not asked again: left out"
        )
    if several := len(checked.check.superseded):
        found.append(
            f"{several:,} entries share a question or cluster with another: each question counts once, and is listed once"
        )
    found += [f"{item} answers {len(ids):,} entries: {', '.join(ids)}" for item, ids in checked.matched.shared.items()]
    if checked.without_role:
        found.append(f"{checked.without_role:,} entries have no role yet and count as test")
    if checked.flagged:
        found.append(f"{checked.flagged:,} entries are flagged, something changed behind them: see `assay gold list`")
    return found


def _listed(found: Check) -> list[str]:
    """The entries to look at."""
    parts: list[str] = []
    for fate in LISTED:
        for one in found.of(fate):
            parts += _entry(one)
    return parts


def _entry(one: Comparison) -> list[str]:
    marks = " (seriously harmful)" if one.is_serious else ""
    marks += " (the knowledge base lacks this)" if one.entry.lacks_knowledge else ""
    name = f"{one.entry.gold_id}{f' ← {one.new_id}' if one.new_id else ''}"
    parts = [f"{one.fate.value}{marks}: {name}  {one_line(in_one_line(one.entry.question, one.entry.history))}"]
    if one.fate in (*COMPARED.values(), Fate.UNCHECKED):
        parts.append(f"    old: {one_line(one.old_answer or '—')}")
        parts.append(f"    new: {one_line(one.new_answer or '—')}")
        parts.append(f"    reference: {one_line(one.entry.reference)}")
    if one.said is not None and one.said.reason:
        parts.append(f"    {one.said.by}: {one_line(one.said.reason)}")
    return parts


def gate(found: Check, limits: GoldCheckLimits) -> Gate:
    """Why the system must not go out: worse, more broken than allowed, serious harm, or nothing to tell it by."""
    reasons = list[str]()
    undecided = _undecidable(found)
    if found.difference is None and not undecided:
        reasons.append(
            "not measurable: nothing can be compared with what was right or wrong before; ingest the answers that are missing, "
            "or label the new ones"
        )
    if found.is_worse:
        reasons.append("shown worse than before")
    if limits.allow_broken is not None and found.broken_at_least > limits.allow_broken:
        least = "" if not found.by_basis.get(SaidBy.JUDGE) else "at least "
        reasons.append(f"{least}{found.broken_at_least:,} right answers broke, {limits.allow_broken:,} are allowed")
    if found.serious:
        names = ", ".join(one.entry.gold_id for one in found.serious)
        reasons.append(f"wrong where a wrong answer was called seriously harmful: {names}")
    if limits.require_checked_judge:
        return Gate((*reasons, *undecided))
    return Gate(tuple(reasons), undecided)


def _undecidable(found: Check) -> tuple[str, ...]:
    """Why nothing can be said of the answers that were left to an unchecked judge."""
    unchecked = found.of(Fate.UNCHECKED)
    if not unchecked:
        return ()
    words = f"{len(unchecked):,} of {len(found.counted):,} gold questions are left to a judge that was not checked against people"
    return (f"{words} here: {found.judge.obstacle}",)


def gaps(found: Check) -> list[str]:
    """What was asked and could not be told, a line each."""
    lines = [
        f"{len(each):,} gold questions {words}"
        for fate, words in ((Fate.NO_ANSWER, "have no answer"), (Fate.NOT_JUDGED, "could not be judged"))
        if (each := found.of(fate))
    ]
    if untold := [one for one in found.of(Fate.CANNOT_TELL) if one.is_serious]:
        lines.append(f"{len(untold):,} seriously harmful answers that the judge cannot tell: label the new ones")
    return lines


def as_json(checked: Checked, system: str, judge: str, cut: float, *, is_default: bool) -> dict[str, object]:
    """The same for machines."""
    found = checked.check
    share = found.new_share
    return {
        **{
            "system": system,
            "judge": checked.signature or judge,
            "cut": cut,
            "cut_is_calibrated": False,
            "cut_is_default": is_default,
        },
        "entries": len(found.comparisons),
        "fates": {fate.name.lower(): len(found.of(fate)) for fate in Fate},
        "pairs": found.pairs._asdict() | {"n": found.pairs.n},
        "difference": _difference_json(found.difference, found.pairs.n, "Bonett-Price", "no question can be compared"),
        "corrected": _difference_json(
            found.corrected, found.corrected_of, "Rogan-Gladen, paired", found.why_not_corrected
        ),
        "composed": _difference_json(
            found.composed,
            found.pairs.n,
            "Wilson by old answer, joined",
            "a kind of old answer has no question compared",
        ),
        "untold": found.untold,
        "if_missing_wrong": _difference_json(
            found.if_missing_wrong, None, "Bonett-Price", "every question has an answer"
        ),
        "mcnemar_mid_p": found.mid_p,
        "new_share": {
            **{"estimate": share.x / share.n, "low": share.interval.low, "high": share.interval.high},
            **{"n": share.n, "method": "Wilson"},
        }
        if share
        else {
            "estimate": None,
            "low": None,
            "high": None,
            "n": 0,
            "method": "Wilson",
            "reason": "no answer was judged",
        },
        "judge_against_people": {
            name: {"x": one.x, "n": one.n, **_ends(one)}
            for name, one in (("sensitivity", found.judge.right_passes), ("specificity", found.judge.wrong_fails))
        },
        "min_known": MIN_KNOWN,
        "by_basis": {basis.name.lower(): count for basis, count in found.by_basis.items()},
        "worse": found.is_worse,
        "decidable": found.is_decidable,
        "judge_obstacle": found.judge.obstacle or None,
        "broken_at_least": found.broken_at_least,
        "superseded": [one.entry.gold_id for one in found.superseded],
        "serious": [one.entry.gold_id for one in found.serious],
        "several": {item: list(ids) for item, ids in checked.matched.shared.items()},
        **{"without_role": checked.without_role, "flagged": checked.flagged, "own": len(checked.matched.own)},
        "items": [_comparison_json(one) for fate in Fate for one in found.of(fate)],
        "speaks_of": OF_GOLD,
    }


def _difference_json(one: Difference | None, n: int | None, method: str, reason: str) -> Mapping[str, object]:
    head = {"estimate": None, "low": None, "high": None} if one is None else one._asdict()
    return {**head, "n": n, "method": method} | ({"reason": reason} if one is None else {})


def _ends(one: Count) -> dict[str, object]:
    if not one.n:
        return {"estimate": None, "low": None, "high": None}
    ends = wilson(one.p, one.n)
    return {"estimate": one.p, "low": ends.low, "high": ends.high}


def _comparison_json(one: Comparison) -> dict[str, object]:
    return {
        **{"gold_id": one.entry.gold_id, "fate": one.fate.name.lower(), "serious": one.is_serious},
        "lacks_knowledge": one.entry.lacks_knowledge,
        **{"question": one.entry.question, "history": as_rows(one.entry.history)},
        **{"old": one.old_answer, "new": one.new_answer, "item_id": one.new_id},
        **{"reference": one.entry.reference, "was_right": one.was_right},
        "is_right": one.said.is_right if one.said else None,
        "basis": one.said.by.value if one.said else None,
        "score": one.said.score if one.said else None,
        "reason": one.said.reason if one.said else None,
    }
