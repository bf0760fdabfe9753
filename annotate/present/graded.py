"""What a judge gave the answers of two systems, in words and as JSON; it is called a judge's word."""

from __future__ import annotations

from collections.abc import Mapping

from annotate.analysis.comparison.graded import LISTED, JudgesWord
from annotate.present.messages import one_line
from proxy.stats.testing.paired_power import MeanWithin
from proxy.text.language import several, two_decimals


def lines(word: JudgesWord, names: tuple[str, str]) -> list[str]:
    """The means of both, their difference, and what each question got."""
    one, (first, second) = word.found, names
    scale = f" of {one.scale.top}" if one.scale.top else ""
    n = (
        several(one.first.n, "question")
        if one.is_paired
        else f"{one.first.n:,} and {several(one.second.n, 'question')}"
    )
    means = f"{_number(one.first.mean)} ({first}) and {_number(one.second.mean)} ({second}){scale}"
    said = [
        f"mean {_word(one.judge)} {means}, n = {n}: {_difference(one.difference, 'paired t' if one.is_paired else 'Welch')}",
        f"  {first}: {_interval(one.first)}; {second}: {_interval(one.second)}",
        f"  a judge's word, not people's: {one_line(one.signature)}"
        + (
            f"; {several(word.others, 'other signature')} of it {'is' if word.others == 1 else 'are'} not read"
            if word.others
            else ""
        ),
    ]
    if one.questions:
        width = max(8, len(first), len(second))
        said.append(f"  {first:>{width}}  {second:>{width}}  question")
        said += [
            f"  {_number(each.first):>{width}}  {_number(each.second):>{width}}  {one_line(word.questions[each.question])}"
            for each in one.questions[:LISTED]
        ]
        if len(one.questions) > LISTED:
            said.append(f"  and {len(one.questions) - LISTED:,} more")
    return said


def _word(judge: str) -> str:
    """What the judge grades, in a word: correctness is called so with or without a reference; the signature tells which."""
    return judge.removesuffix("_vs_reference")


def _number(value: float) -> str:
    """Three decimals at most, one at least."""
    text = f"{round(value, 3) + 0.0:.3f}".rstrip("0")
    return text + "0" if text.endswith(".") else text


def _interval(one: MeanWithin) -> str:
    if one.low is None or one.high is None:
        return f"{_number(one.mean)}, no interval (one value, or all alike)"
    return f"{_number(one.mean)} (95 % interval {two_decimals(one.low)} to {two_decimals(one.high)})"


def _difference(one: MeanWithin, method: str) -> str:
    mean = two_decimals(one.mean, "+")
    if one.low is None or one.high is None:
        return f"difference {mean}, no interval (one pair, or all alike)"
    low, high = two_decimals(one.low, "+"), two_decimals(one.high, "+")
    return f"difference {mean} (95 % interval {low} to {high}, {method})"


def as_json(word: JudgesWord) -> Mapping[str, object]:
    """The same for machines."""
    one = word.found
    return {
        "judge": one.judge,
        "signature": one.signature,
        "of": one.scale.top or 1,
        "paired": one.is_paired,
        "first": one.first._asdict(),
        "second": one.second._asdict(),
        "difference": one.difference._asdict(),
        "questions": [
            {"question_key": each.question, "first": each.first, "second": each.second} for each in one.questions
        ],
    }
