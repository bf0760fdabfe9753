"""Build the document of a check against the gold set: what broke, what was fixed, and what was left out."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from annotate.analysis.gold.reference_judge import DEFAULT
from annotate.analysis.gold.regression import Checked
from annotate.analysis.report.gate import Gate
from annotate.domain.gate_limits import GoldCheckLimits
from annotate.domain.gold.regression import COMPARED, Check, CheckOutcome, Comparison, Fate, SaidBy
from annotate.domain.message import (
    EvidenceText,
    IntervalBasis,
    Kind,
    Listing,
    Message,
    Name,
    Number,
    Quote,
    Step,
    Value,
    message,
)
from annotate.domain.turns import in_one_line
from annotate.present.document import (
    Column,
    Condition,
    Detail,
    Document,
    Excerpt,
    Figure,
    Figures,
    Section,
    Status,
    Table,
)
from annotate.present.messages import text
from proxy.evaluation.estimate import Estimate

SCOPE = message("gold_check.scope")
UNTOLD = (Fate.CANNOT_TELL, Fate.UNCHECKED, Fate.NO_ANSWER, Fate.NOT_JUDGED)
LEFT_OUT = (*UNTOLD, Fate.NO_OLD)
LISTED = (Fate.BROKE, Fate.MENDED, Fate.STILL_WRONG, *UNTOLD)
# Chosen: entries for which the brief answer of 25 lines has room.
SHOWN_ENTRIES = 6
STATUSES = {
    CheckOutcome.WORSE: Status.MISSED,
    CheckOutcome.BETTER: Status.MET,
    CheckOutcome.EMPTY: Status.UNMEASURABLE,
    CheckOutcome.UNCOMPARED: Status.UNMEASURABLE,
}


def document(result: Checked, steps: Sequence[Step] = ()) -> Document:
    """Build the document of a check.

    Parameters
    ----------
    result : Checked
        The check, and how answers met questions.
    steps : sequence of Step
        What to do next.
    """
    check = result.check
    status = Status.MISSED if check.serious else STATUSES.get(check.standing, Status.OPEN)
    if check.standing is CheckOutcome.EMPTY:
        return Document(answer(result), status, next=tuple(steps), conditions=conditions(check, result.limits))
    sections = (
        Section(None, tuple(_basis(check))),
        Section(message("gold_check.entries"), _entries(check)),
        Section(message("gold_check.numbers"), (_numbers(check),), Detail.FULL),
        Section(message("gold_check.judged"), tuple(_judged(result)), Detail.FULL),
        Section(message("gold_check.texts"), tuple(_texts(check)), Detail.FULL),
    )
    asked = conditions(check, result.limits)
    return Document(answer(result), status, sections, tuple(_notes(result)), tuple(steps), asked)


def answer(result: Checked) -> Message:
    """Say what broke for the better or worse, with the paired difference, or why that cannot be told."""
    check = result.check
    values: dict[str, Value] = {"system": Name(result.system)}
    match check.standing:
        case CheckOutcome.EMPTY | CheckOutcome.UNCOMPARED:
            pass
        case CheckOutcome.UNCHECKED:
            values |= {"count": len(check.of(Fate.UNCHECKED)), "total": len(check.counted)}
        case CheckOutcome.MISSING:
            values |= {"difference": _difference(check), "count": len(check.of(Fate.NO_ANSWER))}
        case CheckOutcome.FEW:
            values |= {"difference": _difference(check), "p": Number(check.mid_p, Kind.P_VALUE)}
        case _:
            values["difference"] = _difference(check)
    return message(f"gold_check.{check.standing.name.lower()}", **values)


def gate(check: Check, limits: GoldCheckLimits) -> Gate:
    """Fail where the system is worse, broke more than allowed, is seriously wrong, or nothing tells."""
    asked = conditions(check, limits)
    reasons, undecided = (
        tuple(text(condition.measured) for condition in asked if condition.status is status)
        for status in (Status.MISSED, Status.OPEN)
    )
    return Gate(reasons, undecided=undecided)


def conditions(check: Check, limits: GoldCheckLimits) -> tuple[Condition, ...]:
    """List what the gate asks for, each with its outcome."""
    listed = [_compared(check, limits), _not_worse(check), _harmless(check)]
    if limits.allow_broken is not None:
        listed.insert(2, _unbroken(check, limits.allow_broken))
    return tuple(listed)


def _condition(name: str, status: Status, measured: Message, **values: Value) -> Condition:
    standing = message(f"overview.standing_{status.value}")
    return Condition(message(f"gold_check.wanted_{name}", **values), status, standing, measured)


def _compared(check: Check, limits: GoldCheckLimits) -> Condition:
    """Ask that old and new answers can be compared, by labels or by a judge that was checked."""
    if unchecked := check.of(Fate.UNCHECKED):
        status = Status.MISSED if limits.require_checked_judge else Status.OPEN
        values: dict[str, Value] = {"count": len(unchecked), "total": len(check.counted)}
        return _condition(
            "compared", status, message("gold_check.gate_unchecked", **values, reason=check.judge.obstacle)
        )
    if check.difference.estimate is None:
        return _condition("compared", Status.MISSED, message("gold_check.gate_uncompared"))
    return _condition("compared", Status.MET, message("gold_check.compared_on", count=check.pairs.n))


def _not_worse(check: Check) -> Condition:
    if check.is_worse:
        key = "gate_worse" if check.standing is CheckOutcome.WORSE else "gate_few"
        return _condition("not_worse", Status.MISSED, message(f"gold_check.{key}", difference=_difference(check)))
    is_known = check.headline.low is not None and check.is_decidable
    status = Status.MET if is_known else Status.UNMEASURABLE
    return _condition("not_worse", status, message("gold_check.points", difference=_difference(check)))


def _unbroken(check: Check, allowed: int) -> Condition:
    broken = check.broken_at_least
    key = "gold_check.gate_broke_at_least" if check.by_basis.get(SaidBy.JUDGE) else "gold_check.gate_broke"
    status = Status.MISSED if broken > allowed else Status.MET
    return _condition("unbroken", status, message(key, count=broken, allowed=allowed), allowed=allowed)


def _harmless(check: Check) -> Condition:
    if check.serious:
        return _condition("harmless", Status.MISSED, message("gold_check.gate_serious", names=_names(check.serious)))
    harmful = [comparison for comparison in check.comparisons if comparison.is_serious]
    if untold := sum(comparison.fate in UNTOLD for comparison in harmful):
        return _condition("harmless", Status.UNMEASURABLE, message("gold_check.untold_serious", count=untold))
    return _condition("harmless", Status.MET, message("gold_check.none_serious", count=len(harmful)))


def gaps(check: Check) -> list[Message]:
    """Say what was asked and could not be told."""
    fates = {fate: len(check.of(fate)) for fate in (Fate.NO_ANSWER, Fate.NOT_JUDGED)}
    fates[Fate.CANNOT_TELL] = sum(comparison.is_serious for comparison in check.of(Fate.CANNOT_TELL))
    return [message(f"gold_check.gap_{fate.value}", count=count) for fate, count in fates.items() if count]


def _difference(check: Check) -> EvidenceText:
    return EvidenceText(check.headline, Kind.POINTS, IntervalBasis.WINDOW, is_signed=True)


def _names(comparisons: Sequence[Comparison]) -> Listing:
    return Listing(tuple(Name(comparison.entry.gold_id) for comparison in comparisons))


def _basis(check: Check) -> Iterator[Message]:
    """What became of the questions, and what the answer rests on."""
    pairs, standing = check.pairs, check.standing
    if check.serious:
        yield message("gold_check.serious", names=_names(check.serious))
    if standing is CheckOutcome.UNCHECKED:
        yield message("gold_check.obstacle", reason=check.judge.obstacle)
    if pairs.n:
        kept, broke, mended, wrong = pairs
        values = {"kept": kept, "broke": broke, "mended": mended, "wrong": wrong}
        yield message("gold_check.compared", count=pairs.n, **values)
        if standing is CheckOutcome.UNCHECKED:
            yield message("gold_check.points", difference=_difference(check))
        if not broke + mended:
            yield message("gold_check.nothing_moved")
        elif not kept + broke:
            yield message("gold_check.could_gain")
        elif not mended + wrong:
            yield message("gold_check.could_lose")
    if check.new_share.estimate is not None:
        yield message("gold_check.new_right", share=EvidenceText(check.new_share, Kind.SHARE, IntervalBasis.WINDOW))
    if check.headline is check.corrected:
        yield message("gold_check.rests_on_corrected")
    elif check.untold:
        yield message("gold_check.rests_on_composed", count=check.untold)
    yield from _left_out(check)
    yield SCOPE


def _numbers(check: Check) -> Figures:
    """The shares of right answers; a difference that answers another case only where there is one."""
    differences = {
        "difference": True,
        "corrected": check.corrected.estimate is not None,
        "composed": check.untold,
        "if_missing_wrong": check.if_missing_wrong.estimate is not None,
    }
    figures = [_figure(name, getattr(check, name), Kind.POINTS) for name, is_shown in differences.items() if is_shown]
    p = message("gold_check.mid_p", p=Number(check.mid_p, Kind.P_VALUE), n=check.pairs.n) if check.pairs.n else None
    return Figures((_figure("new_share", check.new_share, Kind.SHARE), *figures), caption=p)


def _figure(name: str, estimate: Estimate, kind: Kind) -> Figure:
    return Figure(name, message(f"gold_check.{name}"), estimate, kind, is_signed=kind is Kind.POINTS)


def _fate(fate: Fate) -> Message:
    return message(f"gold_check.fate_{fate.value}")


def _left_out(check: Check) -> Iterator[Message]:
    """The questions that are not compared, by the reason, and what their old answers were."""
    for fate in LEFT_OUT:
        if left := check.of(fate):
            right, wrong = (
                sum(comparison.was_right is was_right for comparison in left) for was_right in (True, False)
            )
            yield message(f"gold_check.left_{fate.value}", count=len(left), right=right, wrong=wrong)


def _entries(check: Check) -> tuple[Table, ...]:
    """The entries to look at, the most telling first."""
    names = ("outcome", "marks", "entry", "answer_column")
    columns = (
        *(Column(message(f"gold_check.{name}")) for name in names),
        Column(message("gold_check.question"), is_wide=True),
    )
    rows = tuple(
        (
            _fate(comparison.fate),
            _marks(comparison),
            Name(comparison.entry.gold_id),
            Name(comparison.new_id) if comparison.new_id else None,
            Quote(in_one_line(comparison.entry.question, comparison.entry.history)),
        )
        for comparison in _listed(check)
    )
    return (Table(columns, rows, name="items", most=SHOWN_ENTRIES),) if rows else ()


def _listed(check: Check) -> list[Comparison]:
    return [comparison for fate in LISTED for comparison in check.of(fate)]


def _marks(comparison: Comparison) -> Value:
    marks = {"harm": comparison.is_serious, "lacks": comparison.entry.lacks_knowledge}
    return Listing(tuple(message(f"gold_check.mark_{name}") for name, is_marked in marks.items() if is_marked))


def _texts(check: Check) -> Iterator[Excerpt]:
    """Both answers and the reference of each entry that was compared, and why a verdict is what it is."""
    for comparison in _listed(check):
        is_compared = comparison.fate in (*COMPARED.values(), Fate.UNCHECKED)
        texts = {
            "gold_check.old": comparison.old_answer if is_compared else None,
            "gold_check.new": comparison.new_answer if is_compared else None,
            "gold.reference": comparison.entry.reference if is_compared else None,
            "gold_check.reason": comparison.verdict.reason if comparison.verdict else None,
        }
        shown = tuple((message(key), Quote(words)) for key, words in texts.items() if words)
        if shown:
            title = message("values.colon", label=_fate(comparison.fate), words=Name(comparison.entry.gold_id))
            yield Excerpt(title, shown)


def _judged(result: Checked) -> Iterator[Message | Figures]:
    """Basis of each verdict, and how far the judge agrees with annotators."""
    check = result.check
    for by, count in check.by_basis.items():
        yield message("values.colon", label=message(f"gold_check.by_{by.value}"), words=count)
    key = "gold_check.judge_default" if result.is_default_threshold else "gold_check.judge"
    yield message(key, judge=Name(result.judge), threshold=Number(result.threshold, Kind.THRESHOLD))
    yield Figures(
        (
            _figure("judge_sensitivity", check.judge.sensitivity, Kind.SHARE),
            _figure("judge_specificity", check.judge.specificity, Kind.SHARE),
        )
    )


def _notes(result: Checked) -> Iterator[Message]:
    """Say what the numbers do not show."""
    if result.is_fooled:
        yield message("gold_check.fooled")
    if result.choice and (difference := result.choice.difference):
        yield message(
            "gold_check.chosen",
            judge=Name(result.choice.judge),
            default=Name(DEFAULT),
            count=result.choice.labels,
            **{end: Number(value, Kind.COEFFICIENT) for end, value in difference._asdict().items()},
        )
    if result.flagged:
        yield message("gold_check.flagged", count=result.flagged)
    if result.matched.own:
        yield message("gold_check.own", count=len(result.matched.own), system=Name(result.system))
    if result.without_role:
        yield message("gold_check.without_role", count=result.without_role)
    if result.check.superseded:
        yield message("gold_check.superseded", count=len(result.check.superseded))
    for item, ids in result.matched.shared.items():
        yield message("gold_check.shared", item=Name(item), names=Listing(tuple(map(Name, ids))), count=len(ids))
