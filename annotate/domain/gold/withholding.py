"""Say which candidates must not be accepted unseen: refusals, and references that contradict another one or a label.

The app's own "everything at once" and `assay gold accept --all` leave these as candidates, each with its reason.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import combinations
from types import MappingProxyType
from typing import NamedTuple

from annotate.domain.gold.conflicts import MOST, Conversations, NearPair, differ, near_entries
from annotate.domain.gold.entries import GoldEntry
from annotate.domain.gold.matching import AskedKey, asked_key, plain
from proxy.records import Item
from proxy.text.alternatives import alternatives
from proxy.text.refusals import is_refusal


class Questions(NamedTuple):
    """The question of each entry, by gold id, and what was said before it where there was anything."""

    asked: Mapping[str, str]
    before: Conversations = MappingProxyType({})

    def key(self, gold_id: str) -> AskedKey:
        """Return what entries that ask the same have in common."""
        return asked_key(self.asked[gold_id], self.before.get(gold_id, ()))


def refuses(entry: GoldEntry) -> str | None:
    """Return the phrase by which a reference refuses to answer; None where it answers, or where no answer is the right one."""
    return None if entry.lacks_knowledge else is_refusal(entry.reference)


def withheld(
    candidates: Sequence[GoldEntry],
    accepted: Sequence[GoldEntry],
    questions: Questions,
    wrong: Iterable[Item],
    kept: Collection[frozenset[str]] = (),
) -> dict[str, str]:
    """Return why candidates are not to be accepted unseen, by gold id.

    `wrong` are answers that annotators call wrong, `kept` the pairs of which a person said that both stay.
    """
    names = {entry.gold_id for entry in candidates}
    reasons = {
        entry.gold_id: f"a refusal (“{phrase}”) is no reference" for entry in candidates if (phrase := refuses(entry))
    }
    for gold_id, item_id in _called_wrong(candidates, questions, wrong):
        reasons.setdefault(gold_id, f"the same words are labelled wrong for this question ({item_id})")
    for pair in _conflicts([*accepted, *candidates], questions):
        if frozenset((pair.first, pair.other)) in kept:
            continue
        for candidate_id, other in ((pair.first, pair.other), (pair.other, pair.first)):
            if candidate_id in names:
                reasons.setdefault(candidate_id, f"says something else than {other}, which asks nearly the same")
    return reasons


def _called_wrong(
    candidates: Sequence[GoldEntry], questions: Questions, wrong: Iterable[Item]
) -> Iterator[tuple[str, str]]:
    """Find candidates whose reference is, word for word, an answer to the same question that annotators call wrong."""
    answers = {(asked_key(item.question, item.history), plain(item.answer)): item.id for item in wrong}
    for entry in candidates:
        key = questions.key(entry.gold_id)
        for text in alternatives(entry.reference):
            if item_id := answers.get((key, plain(text))):
                yield entry.gold_id, item_id


def _conflicts(entries: Sequence[GoldEntry], questions: Questions) -> Iterator[NearPair]:
    """Yield the pairs that contradict each other; beyond MOST entries those alone that ask the very same."""
    if len(entries) <= MOST:
        near = near_entries(entries, questions.asked, questions.before)
        yield from (pair for pair in near if pair.is_conflict)
        return
    groups: dict[AskedKey, list[GoldEntry]] = {}
    for entry in entries:
        groups.setdefault(questions.key(entry.gold_id), []).append(entry)
    for group in groups.values():
        for entry, other in combinations(group, 2):
            if differ(entry.reference, other.reference):
                yield NearPair(first=entry.gold_id, other=other.gold_id, is_conflict=True)
