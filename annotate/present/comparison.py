"""A comparison in words and as JSON: what is shown, by which pairs, what broke and what was mended, what a judge says, what next.

The rule: the sentence first, no number without its n and interval, and a judge's word is called one.
"""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from dataclasses import asdict

from annotate.analysis.comparison.compare import Compared, Listed, Side
from annotate.domain.conversation import as_rows, in_one_line
from annotate.present import graded
from annotate.present.messages import one_line
from annotate.present.next_steps import TELLING_MOST, Next, labelling
from proxy.comparison.comparison import BONETT_PRICE, MOVER, NEEDED, TELLING, Comparison, ComparisonStanding
from proxy.evaluation.estimate import Estimate
from proxy.evaluation.trust import percent
from proxy.stats.testing.paired import Pairs
from proxy.text.language import points, several

SHOWN = 10
LONGEST = 500


def lines(found: Compared) -> list[str]:
    """Everything, most important first."""
    blocks = (
        [sentence(found), *_basis(found)],
        _rates(found),
        _pairs(found),
        _listed(found),
        [] if found.word is None else graded.lines(found.word, _names(found)),
        [f"Note: {one_line(note, LONGEST)}." for note in found.notes],
        [next_step(found).line],
    )
    return [line for number, block in enumerate(filter(None, blocks)) for line in ([""] if number else []) + block]


def grades(found: Compared) -> str | None:
    """What a judge's grades come to, in one line; None without such a judge."""
    return None if found.word is None else graded.lines(found.word, _names(found))[0]


def _names(found: Compared) -> tuple[str, str]:
    first, second = found.sides
    return one_line(first.name), one_line(second.name)


def sentence(found: Compared) -> str:
    """What is shown, with its interval and what it rests on."""
    one, (first, second) = found.comparison, _names(found)
    difference = one.difference
    if difference.estimate is None or difference.low is None or difference.high is None:
        return f"{second} cannot be compared with {first} yet: {one_line(difference.reason or '', LONGEST)}."
    gained = 100 * difference.estimate
    sign = "+" if one.standing is ComparisonStanding.NO_DIFFERENCE else ""
    ends = f"95 % interval {points(difference.low, sign)} to {points(difference.high, sign)}"
    basis = f"({ends}; {_rests_on(one)})"
    amount = f"{several(round(abs(gained)), 'point')} {'more' if gained >= 0 else 'fewer'} answers right"
    match one.standing:
        case ComparisonStanding.BETTER:
            return f"{second} is better than {first}: {amount} {basis}."
        case ComparisonStanding.WORSE:
            return f"{second} is worse than {first}: {amount} {basis}."
        case ComparisonStanding.LOOKS_BETTER | ComparisonStanding.LOOKS_WORSE:
            doubt = "but on so few questions chance does this too"
            if found.objections:
                doubt = f"but {one_line(found.objections[0].reason, LONGEST)}"
            return f"{second} {one.standing.value} than {first}, {doubt}: {amount} {basis}."
    amount = (
        f"{second} minus {first} is {points(difference.estimate, '+')} point{'' if abs(round(gained)) == 1 else 's'}"
    )
    doubt = f"; but {one_line(found.objections[0].reason, LONGEST)}" if found.objections else _more(found)
    return f"No difference is shown between {first} and {second}: {amount} {basis}{doubt}."


def _rests_on(one: Comparison) -> str:
    difference, mid_p = one.difference, one.mid_p
    if difference.method == MOVER:
        return f"two corrected rates, {several(difference.n, 'label')}"
    test = f"; McNemar mid-p {_p(mid_p)}" if mid_p is not None else ""
    return f"{several(difference.n, 'question')} with both answers labelled{test}"


def _p(value: float) -> str:
    return "below .001" if value < 0.001 else f"{value:.3f}".lstrip("0") if value < 1 else "1"


def _more(found: Compared) -> str:
    """How many more labels would tell a difference of TELLING, and whether there are as many."""
    one = found.comparison
    if not one.more:
        return ""
    more = f"{one.more:,} more {'labelled pair' if one.is_paired else 'label'}{'' if one.more == 1 else 's'}"
    words = f"; about {more} would tell a difference of {100 * TELLING:.0f} points"
    left = found.shared.questions - one.difference.n if one.is_paired else sum(found.left)
    if one.more <= left:
        return words
    if one.is_paired:
        have = f", and {left:,} more question{' has' if left == 1 else 's have'} both answers"
        return words + (have if left else ", and every question has its labels")
    return words + (f", and {several(left, 'answer')} of these can still be labelled" if left else ", and all have one")


def _basis(found: Compared) -> list[str]:
    """What the number speaks of."""
    one, (first, second) = found.comparison, _names(found)
    said = list[str]()
    if one.is_paired and one.exact is not None and one.counts is not None:
        these = "this 1 question" if one.counts.n == 1 else f"these {one.counts.n:,} questions"
        said.append(f"On {these}, all labelled, {_exactly(one.counts, one.exact, second)}.")
    if one.standing is ComparisonStanding.UNKNOWN:
        return said
    if one.is_paired:
        said.append(
            f"The interval speaks of the long run, of questions like these ({one.difference.method}; each question counts once)."
        )
        if one.mid_p is not None and not one.difference.method.startswith(BONETT_PRICE):
            said.append(
                "McNemar's test takes the labelled pairs as they are, without weights or proxy, so that it may say otherwise."
            )
        return said
    said.append(f"The interval speaks of the long run ({one.difference.method}).")
    if not found.same_questions:
        common = f"{found.shared.questions:,} in common"
        said.append(
            f"{first} and {second} answered different questions ({common}): the difference may lie in the questions."
        )
    else:
        few = f"{len(found.shared.pairs):,} of {found.shared.questions:,} questions have both answers labelled"
        said.append(f"Only {few}: too few to compare in pairs, which takes fewer labels.")
    return said


def _exactly(counts: Pairs, exact: float, second: str) -> str:
    gained = counts.only_second - counts.only_first
    if abs(exact * counts.n - gained) > 1e-9:
        return f"{second} has {round(100 * exact, 1) + 0.0:+.1f} points, exactly"
    if not gained:
        return "both are right equally often"
    return f"{second} is right on {abs(gained):,} {'more' if gained > 0 else 'fewer'}"


def _rates(found: Compared) -> list[str]:
    """The share right of both, in the long run."""
    width = max(len("answers right"), *map(len, _names(found)))
    head = f"{'answers right':<{width}}  {'estimate':>8}  {'long run, 95 %':<15}{'labels':>7}{'answers':>10}{'questions':>11}"
    return [head, *(_rate(one, width) for one in found.sides)]


def _rate(side: Side, width: int) -> str:
    rate = side.rate
    value = "—" if rate.estimate is None else percent(rate.estimate)
    ends = "" if rate.low is None or rate.high is None else f"{percent(rate.low)} to {percent(rate.high)}"
    sizes = f"{rate.n:>7,}{side.counted.items:>10,}{side.counted.questions:>11,}"
    row = f"{one_line(side.name):<{width}}  {value:>8}  {ends:<15}{sizes}"
    return f"{row}\n    {one_line(rate.reason, LONGEST)}" if rate.reason else row


def _pairs(found: Compared) -> list[str]:
    """The 2x2 table of the labelled pairs."""
    shared, counts = found.shared, found.comparison.counts
    if not shared.questions:
        return []
    first, second = _names(found)
    said = [
        f"{several(shared.questions, 'question')} answered by both, {len(shared.pairs):,} with both answers labelled:"
    ]
    if counts is not None:
        said.append(
            f"  both right {counts.both:,}, only {first} {counts.only_first:,}, only {second} {counts.only_second:,}, "
            f"neither {counts.neither:,}"
        )
    else:
        said[0] = said[0].removesuffix(":")
    if shared.out_of_reach:
        said.append(
            f"  {shared.out_of_reach:,} of them no wave with labels could have drawn on both sides: nothing here speaks of them"
        )
    if found.hand_picked:
        said.append(f"  {found.hand_picked:,} more have hand-picked labels, which do not count: people chose them")
    return said


def _listed(found: Compared) -> list[str]:
    """What broke and what was mended, with both answers."""
    said, (first, second) = list[str](), _names(found)
    for is_broken, words in (
        (True, f"broke: {first} right, {second} wrong"),
        (False, f"mended: {second} right, {first} wrong"),
    ):
        each = [one for one in found.listed if one.is_broken is is_broken]
        if not each:
            continue
        said.append(f"{words} ({len(each):,})")
        said += [line for one in each[:SHOWN] for line in _item(one, first, second)]
        if len(each) > SHOWN:
            said.append(f"  and {len(each) - SHOWN:,} more: --json names them all")
    return said


def _item(one: Listed, first: str, second: str) -> list[str]:
    pair = one.pair
    return [
        f"  {one_line(in_one_line(one.first.question, one.first.history))}",
        f"    {first} ({one_line(one.first.id)}, proxy: {pair.first.verdict}): {one_line(one.first.answer) or '(empty)'}",
        f"    {second} ({one_line(one.second.id)}, proxy: {pair.second.verdict}): {one_line(one.second.answer) or '(empty)'}",
    ]


def next_step(found: Compared) -> Next:
    """What to do next."""
    one = found.comparison
    if not all(side.counted.items for side in found.sides):
        return Next("name a window that has answers")
    if one.standing in (ComparisonStanding.BETTER, ComparisonStanding.WORSE):
        if any(each.is_broken for each in found.listed):
            return Next("read what broke, then `assay diagnose` for the stage that failed", ("assay diagnose",))
        words = "`assay diagnose` says at which stage the answers fail that are still wrong"
        return Next(words, ("assay diagnose",))
    if found.same_questions:
        names = " ".join(shlex.quote(name) for name in _names(found))
        return labelling(found.left, f"assay compare {names} --draw", NEEDED, TELLING_MOST)
    asked = labelling(found.left, "assay sample --labels", _rounded(one.more))
    return asked._replace(words=f"{asked.words}; asking both the same questions takes fewer labels")


def _rounded(more: int | None) -> int:
    return 200 if more is None else max(20, min(1000, -(-more // 10) * 10))


def as_json(found: Compared) -> Mapping[str, object]:
    """The same for machines."""
    one, (first, second) = found.comparison, found.sides
    shared, counts = found.shared, one.counts
    return {
        "sentence": sentence(found),
        "first": _side_json(first),
        "second": _side_json(second),
        "difference": _estimate_json(one.difference),
        "standing": one.standing.value,
        "mcnemar_mid_p": one.mid_p,
        "exact": one.exact,
        "more_labels_for_5_points": one.more,
        "pairs": {
            "questions": shared.questions,
            "labelled": len(shared.pairs),
            "out_of_reach": shared.out_of_reach,
            "hand_picked": found.hand_picked,
            **(dict.fromkeys(Pairs._fields) if counts is None else counts._asdict()),
        },
        "same_questions": found.same_questions,
        "objections": [one._asdict() for one in found.objections],
        "broke": [_listed_json(each) for each in found.listed if each.is_broken],
        "mended": [_listed_json(each) for each in found.listed if not each.is_broken],
        "scores": None if found.word is None else graded.as_json(found.word),
        "rule": found.rule.expression,
        "warnings": list(found.notes),
        "next": list(next_step(found).commands),
    }


def _side_json(side: Side) -> Mapping[str, object]:
    return {
        "name": side.name,
        **{name: getattr(side.selection, name) for name in ("system", "since", "until")},
        "answers": side.counted.items,
        "questions": side.counted.questions,
        "labels": side.labels,
        "correctness_long_run": _estimate_json(side.rate),
    }


def _estimate_json(one: Estimate) -> Mapping[str, object]:
    return {name: value for name, value in asdict(one).items() if name != "long_run"}


def _listed_json(one: Listed) -> Mapping[str, object]:
    return {
        "question": one.first.question,
        "history": as_rows(one.first.history),
        "question_key": one.pair.question,
        "group": one.pair.groups[0] if len(one.pair.groups) == 1 else None,
        "groups": list(one.pair.groups),
        "first": {"item_id": one.first.id, "answer": one.first.answer, "verdict": one.pair.first.verdict.value},
        "second": {"item_id": one.second.id, "answer": one.second.answer, "verdict": one.pair.second.verdict.value},
    }
