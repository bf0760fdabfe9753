"""Read what the judges alone say of the traffic: how scores are spread, what passes, where judges differ, the lowest answers.

It needs no label. The rule: nothing here says how often the judges are right.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import combinations
from typing import NamedTuple

from annotate.domain.privacy.redaction import about_item
from annotate.domain.selection import Selection
from annotate.domain.sentence_marks import DOUBTED
from annotate.store import Store
from annotate.store.traffic.windows import WindowCounts
from proxy.diagnosis import THRESHOLD
from proxy.errors import UsageError
from proxy.records import Item, Support
from proxy.rule import Rule

PARTS = ("system", "language", "week")
SHARES = (0.1, 0.5, 0.9)
# Chosen: as many as a person reads at once, and as many as a file is still read of.
USUAL_WORST, MOST_WORST = 20, 1000


class ScoreSpread(NamedTuple):
    """How many answers a judge scored, and the least score that a tenth, half and nine tenths of them do not exceed."""

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
    """Two judges that the rule reads, and how many answers each scores above 0.5.

    `above` counts answers that both do, `below` those that neither does.
    """

    first: str
    other: str
    above: int
    first_alone: int
    other_alone: int
    below: int


class DoubtedSentence(NamedTuple):
    """A sentence of an answer that a judge does not find supported."""

    support: Support
    text: str


class LowAnswer(NamedTuple):
    """An answer with its value under the rule, and the sentences that judges of the rule doubt."""

    item: Item
    value: float
    doubted: tuple[DoubtedSentence, ...]


@dataclass(frozen=True, kw_only=True, slots=True)
class Preview:
    """What the judges say of all traffic, or of a part, of which nothing is parted further.

    `is_asked` says that somebody asked for it, so that it is shown whole.
    """

    spreads: tuple[ScoreSpread, ...]
    parts: tuple[PassedPart, ...]
    pairs: tuple[SplitJudges, ...]
    lowest: tuple[LowAnswer, ...]
    is_asked: bool


def build(
    store: Store,
    key: int,
    rule: Rule,
    signatures: Mapping[str, str],
    *,
    worst: int | None = None,
    selection: Selection | None = None,
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
    worst : int, optional
        How many of the lowest answers were asked for; None: nobody asked, and the usual number is read.
    selection : Selection, optional
        The part of the traffic; all where there is none.

    Raises
    ------
    UsageError
        Where `worst` is below 1 or above 1,000.
    """
    if worst is not None and not 1 <= worst <= MOST_WORST:
        raise UsageError(f"give a number of lowest answers from 1 to {MOST_WORST:,}, not {worst:,}")
    counted = ((pair, *store.scores.quantiles(*pair, SHARES, selection)) for pair in signatures.items())
    return Preview(
        spreads=tuple(ScoreSpread(*pair, scored, *values) for pair, scored, values in counted if scored),
        parts=() if selection else tuple(_parts(store, key)),
        pairs=tuple(
            SplitJudges(first[0], other[0], *store.scores.crossed(first, other, THRESHOLD, selection))
            for first, other in combinations(rule.signatures.items(), 2)
        ),
        lowest=_lowest(store, key, rule, worst or USUAL_WORST, selection),
        is_asked=worst is not None,
    )


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
    items, doubted = store.traffic.items.read(list(values)), _doubted(store, list(values), rule)
    return tuple(
        LowAnswer(items[row], value, _masked(items[row], doubted.get(row, {}))) for row, value in values.items()
    )


def _doubted(store: Store, rows: list[int], rule: Rule) -> Mapping[int, Mapping[str, Support]]:
    """Return the sentences of these answers that a judge of the rule doubts; where judges differ, what the first says."""
    doubted: dict[int, dict[str, Support]] = {}
    for judge, signature in rule.signatures.items():
        for row, verdicts in store.scores.sentences(rows, judge, signature).items():
            for verdict in verdicts:
                if verdict.support in DOUBTED:
                    doubted.setdefault(row, {}).setdefault(verdict.sentence, verdict.support)
    return doubted


def _masked(item: Item, doubted: Mapping[str, Support]) -> tuple[DoubtedSentence, ...]:
    """Return the sentences with what redaction masks in the item masked, also where only a piece of it is in a sentence."""
    mask = about_item(item)
    return tuple(DoubtedSentence(support, mask(sentence)) for sentence, support in doubted.items())
