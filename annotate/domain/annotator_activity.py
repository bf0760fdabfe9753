"""Summarise the work of each annotator, with neutral notes on what is worth a look together.

Nobody is ranked: summaries stand in the order of the names. A note needs firm evidence. Under "all draw from one urn" the keys
that somebody pressed, or how many of their times lie below the median of all, are hypergeometric; a note is made where that is
less likely than 1 % divided by the number of annotators and of tests, and the difference is large: a median time under a third,
or over three times, that of the others with 10 timed annotations on both sides; one key in 95 % of 20 or more readings.

Labels that took less time than question and answer can be read in, or the answer alone where its question was just read, are
counted, for each annotator and the others: a count, not a judgement, because a text may be known from before, and clocks stop.
"""

from __future__ import annotations

import statistics
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import exp, lgamma
from typing import NamedTuple

from annotate.domain.message import Kind, Message, Number, message
from annotate.domain.working_time import mean_seconds
from proxy.evaluation.ledger import DECIDED
from proxy.records import Judgement

FIRM = 0.01
# Quicker, slower, and one of three keys.
TESTS = 5
FEWEST_TIMED = 10
FEWEST_READ = 20
FACTOR = 3
ONE_KEY = 0.95


class Pace(NamedTuple):
    """The median time an annotation took, over the `n` that were timed, and the mean that a total rests on; None without any."""

    seconds: float | None
    n: int
    mean: float | None = None

    @classmethod
    def of(cls, seconds: Sequence[float]) -> Pace:
        """Summarise these times."""
        return cls(statistics.median(seconds) if seconds else None, len(seconds), mean_seconds(seconds))


class TimedJudgement(NamedTuple):
    """Latest judgement of one annotator on one item, `judgement` None for a skip; `seconds` None where nobody timed it.

    `is_independent` is False where the annotator could see another's answer: agreement is measured without it. The annotator
    `knows_question` where another answer to it stood right before, in the same block.
    """

    item: int
    annotator: str
    judgement: Judgement | None
    seconds: float | None
    is_independent: bool = True
    knows_question: bool = False


class FewestSeconds(NamedTuple):
    """The seconds that reading an item's question and its answer takes at least."""

    question: float
    answer: float


class LogCounts(NamedTuple):
    """Counts of what happened to the annotations of one source; `by_others` were written or changed by another account."""

    source: str
    annotations: int
    edits: int
    deletions: int
    skips: int
    by_others: int


@dataclass(frozen=True, kw_only=True, slots=True)
class Annotator:
    """One annotator: `n` labels (unsure included), skips, shares, the median time of `timed` labels.

    `agreement` is the share of pairs with another's right or wrong on the same item that are alike, over `pairs` of them.
    """

    name: str
    n: int
    skipped: int
    unsure: float | None
    right: float | None
    seconds: float | None
    timed: int
    agreement: float | None
    pairs: int
    notes: tuple[Message, ...]
    faster_than_reading: int = 0


def annotators(work: Sequence[TimedJudgement], least: Mapping[int, FewestSeconds] | None = None) -> list[Annotator]:
    """Summarise each annotator, in the order of the names; who read an item again counts with the last word.

    `least` is what reading each item takes at least, of which the question is read once in a block; without it no label is
    faster.
    """
    fastest = least or {}
    last = list({(reading.item, reading.annotator): reading for reading in work}.values())
    by_name: dict[str, list[TimedJudgement]] = defaultdict(list)
    for reading in last:
        by_name[reading.annotator].append(reading)
    alike = _agreement(last)
    limit = FIRM / (TESTS * max(1, len(by_name)))
    return [
        _annotator(
            name, by_name[name], [reading for reading in last if reading.annotator != name], alike[name], limit, fastest
        )
        for name in sorted(by_name)
    ]


def _annotator(
    name: str,
    own: Sequence[TimedJudgement],
    others: Sequence[TimedJudgement],
    alike: tuple[int, int],
    limit: float,
    least: Mapping[int, FewestSeconds],
) -> Annotator:
    answered = [reading for reading in own if reading.judgement is not None]
    decided = [reading.judgement is Judgement.RIGHT for reading in answered if reading.judgement in DECIDED]
    times = [reading.seconds for reading in answered if reading.seconds is not None]
    same, pairs = alike
    faster = _faster(own, least)
    return Annotator(
        name=name,
        n=len(answered),
        skipped=len(own) - len(answered),
        unsure=1 - len(decided) / len(answered) if answered else None,
        right=statistics.fmean(decided) if decided else None,
        seconds=statistics.median(times) if times else None,
        timed=len(times),
        agreement=same / pairs if pairs else None,
        pairs=pairs,
        notes=(
            *_pace(times, others, limit),
            *_keys(answered, others, limit),
            *_reading(faster, _faster(others, least)),
        ),
        faster_than_reading=faster.labels,
    )


class FasterLabels(NamedTuple):
    """How many of the `timed` labels took less time than their question and answer can be read in."""

    labels: int
    timed: int


def _faster(work: Sequence[TimedJudgement], least: Mapping[int, FewestSeconds]) -> FasterLabels:
    timed = [
        (reading.seconds, least[reading.item].answer + (0 if reading.knows_question else least[reading.item].question))
        for reading in work
        if reading.judgement is not None and reading.seconds is not None and reading.item in least
    ]
    return FasterLabels(sum(seconds < fewest for seconds, fewest in timed), len(timed))


def _reading(own: FasterLabels, others: FasterLabels) -> list[Message]:
    """Return a note with the count of labels that came faster than reading, beside that of the others."""
    if not own.labels:
        return []
    return [
        message(
            "labels.note_reading",
            count=own.labels,
            timed=own.timed,
            others=others.labels,
            others_timed=others.timed,
        )
    ]


def _agreement(work: Sequence[TimedJudgement]) -> dict[str, tuple[int, int]]:
    """Return (pairs alike, pairs) of each annotator with the others, over the items where both said right or wrong."""
    by_item: dict[int, list[TimedJudgement]] = defaultdict(list)
    for reading in work:
        if reading.judgement in DECIDED and reading.is_independent:
            by_item[reading.item].append(reading)
    agreement: dict[str, tuple[int, int]] = defaultdict(lambda: (0, 0))
    for readings in by_item.values():
        words = Counter(reading.judgement for reading in readings)
        for reading in readings:
            same, pairs = agreement[reading.annotator]
            agreement[reading.annotator] = (same + words[reading.judgement] - 1, pairs + len(readings) - 1)
    return agreement


def _pace(times: Sequence[float], others: Sequence[TimedJudgement], limit: float) -> list[Message]:
    """Return a note if somebody is much quicker or slower than the others: a median test."""
    other_seconds = [
        reading.seconds for reading in others if reading.judgement is not None and reading.seconds is not None
    ]
    if min(len(times), len(other_seconds)) < FEWEST_TIMED:
        return []
    own_median, other_median = statistics.median(times), statistics.median(other_seconds)
    middle, count = statistics.median([*times, *other_seconds]), len(times) + len(other_seconds)
    everybody = [*times, *other_seconds]
    for key, is_far, beyond_middle in (
        ("labels.note_quicker", own_median * FACTOR < other_median, [seconds < middle for seconds in everybody]),
        ("labels.note_slower", own_median > other_median * FACTOR, [seconds > middle for seconds in everybody]),
    ):
        if is_far and at_least(sum(beyond_middle[: len(times)]), len(times), sum(beyond_middle), count) < limit:
            seconds, others_seconds = Number(own_median, Kind.DURATION), Number(other_median, Kind.DURATION)
            return [message(key, seconds=seconds, others=others_seconds)]
    return []


def _keys(answered: Sequence[TimedJudgement], others: Sequence[TimedJudgement], limit: float) -> list[Message]:
    """Return a note if somebody presses nearly always the same key where the others do not."""
    judgements = [reading.judgement for reading in others if reading.judgement is not None]
    if len(answered) < FEWEST_READ or not judgements:
        return []
    commonest, own = Counter(reading.judgement for reading in answered).most_common(1)[0]
    rest = sum(judgement is commonest for judgement in judgements)
    if (
        own < ONE_KEY * len(answered)
        or at_least(own, len(answered), own + rest, len(answered) + len(judgements)) >= limit
    ):
        return []
    return [
        message(
            "labels.note_same_key",
            key=message(f"labelling.said_{commonest}"),
            times=own,
            labels=len(answered),
            others_times=rest,
            others_labels=len(judgements),
        )
    ]


def at_least(noticed: int, drawn: int, marked: int, size: int) -> float:
    """Return P(at least `noticed` marked among `drawn`) from an urn of `size` with `marked` marked: the hypergeometric tail."""
    least = max(noticed, drawn - (size - marked), 0)
    all_ways = _log_ways(size, drawn)
    return sum(
        exp(_log_ways(marked, k) + _log_ways(size - marked, drawn - k) - all_ways)
        for k in range(least, min(drawn, marked) + 1)
    )


def _log_ways(size: int, chosen: int) -> float:
    """Return the logarithm of the number of ways to choose."""
    return lgamma(size + 1) - lgamma(chosen + 1) - lgamma(size - chosen + 1)
