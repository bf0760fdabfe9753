"""List in words the doubts about an entry under review: flags, near-duplicates, conflicts, and a doubtful source.

In come an entry and the pairs of near entries, out come short sentences. The rule: a doubt is said, and never decides.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping

from annotate.domain.gold.conflicts import NearPair
from annotate.domain.gold.entries import GoldEntry, GoldSource
from annotate.domain.gold.withholding import refuses

NAMED = 3


def by_entry(pairs: Iterable[NearPair]) -> Mapping[str, list[NearPair]]:
    """Return the pairs of each entry, by gold id."""
    by_gold_id: dict[str, list[NearPair]] = defaultdict(list)
    for pair in pairs:
        by_gold_id[pair.one].append(pair)
        by_gold_id[pair.other].append(pair)
    return by_gold_id


def doubts(entry: GoldEntry, pairs: Iterable[NearPair]) -> list[str]:
    """Return the doubts about one entry; `pairs` are those that it is in."""
    reasons = [] if entry.flag is None else [entry.flag]
    if phrase := refuses(entry):
        reasons.append(
            f"refuses to answer (“{phrase}”): a refusal is no reference, unless the knowledge base lacks the answer"
        )
    others: dict[bool, list[str]] = defaultdict(list)
    for pair in pairs:
        others[pair.is_conflict].append(pair.other if pair.one == entry.gold_id else pair.one)
    if others[True]:
        reasons.append(f"says something else than {_named(others[True])}, which asks nearly the same")
    if others[False]:
        reasons.append(f"asks nearly the same as {_named(others[False])}")
    if entry.source is GoldSource.CORRECTION:
        reasons.append("comes from an end user: anybody could have written it")
    return reasons


def _named(names: list[str]) -> str:
    """Return a few names, and how many more there are."""
    more = len(names) - NAMED
    return ", ".join(sorted(names)[:NAMED]) + (f" and {more:,} more" if more > 0 else "")
