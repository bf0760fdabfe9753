"""Say what the judges alone say of the traffic: how scores are spread, what passes, where judges differ, the lowest answers.

It needs no label. The rule: it is the judges' word, and nothing here says how often they are right.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate, combinations
from typing import NamedTuple

from annotate.domain.selection import Selection
from annotate.store import Store
from annotate.store.traffic.windows import WindowCounts
from proxy.diagnosis import THRESHOLD
from proxy.records import Item, Support
from proxy.rule import Rule

PARTS = ("system", "language", "week")
SHARES = (0.1, 0.5, 0.9)


class ScoreSpread(NamedTuple):
    """How many answers a judge scored, and the scores that a tenth, a half and nine tenths of them do not exceed."""

    judge: str
    signature: str
    scored: int
    tenth: float
    median: float
    ninetieth: float


class PassedPart(NamedTuple):
    """What passes of the answers of one system, language or week; `name` is None for those that have none."""

    by: str
    name: str | None
    counts: WindowCounts


class SplitJudges(NamedTuple):
    """Two judges that the rule reads, both from 0 to 1, and how many answers each places above the middle.

    `above` counts answers that both do, `below` those that neither does.
    """

    first: str
    other: str
    above: int
    first_alone: int
    other_alone: int
    below: int


class LowAnswer(NamedTuple):
    """An answer with its value under the rule, and the sentences that a judge finds no support for."""

    item: Item
    value: float
    unsupported: tuple[str, ...]


@dataclass(frozen=True, kw_only=True, slots=True)
class Preview:
    """What the judges say of all traffic, or of a part, of which nothing is parted further."""

    spreads: tuple[ScoreSpread, ...]
    parts: tuple[PassedPart, ...]
    pairs: tuple[SplitJudges, ...]
    lowest: tuple[LowAnswer, ...]


def build(
    store: Store, key: int, rule: Rule, signatures: Mapping[str, str], *, most: int, selection: Selection | None
) -> Preview:
    """Read what the judges say; call inside one snapshot.

    Parameters
    ----------
    store : Store
    key : int
        The row of the rule.
    rule : Rule
        The rule in force.
    signatures : mapping of str to str
        One signature for each judge.
    most : int
        How many of the lowest answers to read.
    selection : Selection, optional
        The part of the traffic; all where there is none.
    """
    counts = {pair: store.scores.distribution(*pair, selection) for pair in signatures.items()}
    spreads = tuple(_spread(*pair, of_judge) for pair, of_judge in counts.items() if of_judge)
    read = [pair for pair in rule.signatures.items() if _are_shares(counts.get(pair, ()))]
    return Preview(
        spreads=spreads,
        parts=() if selection else tuple(_parts(store, key)),
        pairs=tuple(
            SplitJudges(first[0], other[0], *store.scores.crossed(first, other, THRESHOLD, selection))
            for first, other in combinations(read, 2)
        ),
        lowest=_lowest(store, key, rule, most, selection),
    )


def _are_shares(counts: Sequence[tuple[float, int]]) -> bool:
    """Return whether scores, given in rising order, lie within 0 and 1, so that they have the same middle."""
    return bool(counts) and counts[0][0] >= 0 and counts[-1][0] <= 1


def _spread(judge: str, signature: str, counts: Sequence[tuple[float, int]]) -> ScoreSpread:
    """Return the quantiles of scores, given in rising order with their counts."""
    reached = list(accumulate(count for _, count in counts))
    scored = reached[-1]
    quantiles = [
        next(value for (value, _), so_far in zip(counts, reached, strict=True) if so_far >= share * scored)
        for share in SHARES
    ]
    return ScoreSpread(judge, signature, scored, *quantiles)


def _parts(store: Store, key: int) -> Iterable[PassedPart]:
    """Yield what passes by each field that tells answers apart."""
    for by in PARTS:
        counts = store.traffic.windows.shown(key, by)
        if len(counts) > 1:
            yield from (
                PassedPart(by, name, counts[name]) for name in sorted(counts, key=lambda name: (name is None, name))
            )


def _lowest(store: Store, key: int, rule: Rule, most: int, selection: Selection | None) -> tuple[LowAnswer, ...]:
    """Read the answers to which the rule gives the lowest values."""
    values = store.scores.rules.lowest(key, most, selection)
    items = store.traffic.items.read(list(values))
    return tuple(LowAnswer(items[row], value, _unsupported(store, row, rule)) for row, value in values.items())


def _unsupported(store: Store, row: int, rule: Rule) -> tuple[str, ...]:
    """Return the sentences of an answer that a judge of the rule finds no support for, each once."""
    details = [store.scores.detail(row, judge, signature) for judge, signature in rule.signatures.items()]
    sentences = (
        sentence.sentence
        for detail in details
        for sentence in detail.sentences
        if sentence.support in (Support.NOT_FOUND, Support.CONTRADICTED)
    )
    return tuple(dict.fromkeys(sentences))
