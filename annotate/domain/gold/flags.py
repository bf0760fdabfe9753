"""Compare what stands behind an accepted entry with what stood behind it when a person accepted it.

In come a label and whether its item is still the newest, out comes a ItemState that can be kept; two of them come to a doubt in
words, or to none. The rule: an entry is never changed here, and what did not speak for it cannot speak against it.

List in words the doubts about an entry under review: flags, near-duplicates, conflicts, and a doubtful source. The rule: a
doubt is said, and never decides.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from hashlib import sha256
from typing import NamedTuple

from annotate.domain.gold.conflicts import NearPair
from annotate.domain.gold.entries import GoldEntry, GoldSource
from annotate.domain.gold.sources import source_doubt
from annotate.domain.gold.withholding import refuses
from proxy.records import Judgement, Label

SUPERSEDED = "a newer revision of the item came in"
DELETED = "the annotation was deleted or taken back"
ANOTHER = "the annotator wrote another reference"
WITHDRAWN = "the annotator took the reference back"
NAMED = 3


class ItemState(NamedTuple):
    """State of an item: its label's judgement, a digest of the reference with a wrong one, whether it is superseded."""

    judgement: Judgement | None = None
    reference: str = ""
    is_superseded: bool = False

    def kept(self) -> str:
        """Return the text that the store keeps."""
        return json.dumps([self.judgement.value if self.judgement else None, self.reference, self.is_superseded])


def standing(label: Label | None, *, is_current: bool) -> ItemState:
    """Return what stands behind an entry now."""
    if label is None:
        return ItemState(is_superseded=not is_current)
    written = label.reference if label.judgement is Judgement.WRONG else None
    return ItemState(label.judgement, digest(written), not is_current)


def digest(reference: str | None) -> str:
    """Return what tells a reference from another; nothing for none."""
    return sha256(reference.encode("utf-8", "surrogatepass")).hexdigest()[:16] if reference else ""


def basis(entry: GoldEntry, now: ItemState) -> ItemState:
    """Return what stood behind an entry when it was accepted.

    Where that was not kept, the source tells it: a right answer was labelled right, and an annotator's reference came with
    a wrong label. For any other it is what stands now.
    """
    if entry.basis is not None:
        judgement, reference, is_superseded = json.loads(entry.basis)
        return ItemState(Judgement(judgement) if judgement else None, reference, is_superseded)
    if entry.source is GoldSource.RIGHT_ANSWER:
        return ItemState(Judgement.RIGHT, "", now.is_superseded)
    if entry.source is GoldSource.WRITTEN:
        return ItemState(Judgement.WRONG, digest(entry.reference), now.is_superseded)
    return now


def doubt(entry: GoldEntry, before: ItemState, now: ItemState, since: str, sources: Sequence[str] = ()) -> str | None:
    """Return what changed behind an entry, in words; None if nothing did.

    `since` is a day, `sources` are the passages that came in with another text.
    """
    newer = SUPERSEDED if now.is_superseded and not before.is_superseded else None
    reasons = [words for words in (_label_doubt(entry, before, now, since), newer, source_doubt(sources)) if words]
    return "; ".join(reasons) or None


def _label_doubt(entry: GoldEntry, before: ItemState, now: ItemState, since: str) -> str | None:
    if before[:2] == now[:2] or (now.reference and now.reference == digest(entry.reference)):
        return None
    if before.judgement is None:
        # No label spoke for it, so only a reference that a person wrote in the meantime speaks against it.
        return ANOTHER if now.reference else None
    if now.judgement is None:
        return DELETED
    if now.judgement is not before.judgement:
        return f"the label says {now.judgement} since {since}"
    return ANOTHER if now.reference else WITHDRAWN


def by_entry(pairs: Iterable[NearPair]) -> Mapping[str, list[NearPair]]:
    """Return the pairs of each entry, by gold id."""
    by_gold_id: dict[str, list[NearPair]] = defaultdict(list)
    for pair in pairs:
        by_gold_id[pair.first].append(pair)
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
        others[pair.is_conflict].append(pair.other if pair.first == entry.gold_id else pair.first)
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
