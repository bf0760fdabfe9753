"""Drafts of references, and the proposals that they begin as. Pure values, and the distance between two texts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from annotate.domain.gold.answers import UncorrectedAnswer
from annotate.domain.gold.entries import GoldSource

# Two texts of this length take about a second.
COMPARED = 10_000
MODEL = "model:"


class ProposalOrigin(NamedTuple):
    """Where a proposal comes from, and the row of the item that holds it; `model` is the name of the model that drafted it."""

    source: GoldSource
    item: int
    model: str = ""

    @property
    def code(self) -> str:
        """The source as it is kept, with the model's name."""
        return f"{MODEL}{self.model}" if self.source is GoldSource.MODEL else self.source.value


def origin_of(code: str, item: int) -> ProposalOrigin:
    """Read the origin that `ProposalOrigin.code` wrote."""
    if code.startswith(MODEL):
        return ProposalOrigin(GoldSource.MODEL, item, code.removeprefix(MODEL))
    return ProposalOrigin(GoldSource(code), item)


class ReferenceProposal(NamedTuple):
    """A text that a reference may begin as; `system` is that of the item which holds it."""

    origin: ProposalOrigin
    text: str
    system: str | None = None


class TakenProposal(NamedTuple):
    """A proposal behind a saved reference, and how many characters differ; None where the texts are too long to compare."""

    origin: ProposalOrigin
    edit_distance: int | None


class DraftVersion(NamedTuple):
    """A draft as somebody has seen it."""

    key: int
    revision: int


@dataclass(frozen=True, kw_only=True, slots=True)
class ReferenceDraft:
    """What somebody has typed for a question: the reference, a note on its source, a mark, and the proposal that it began as.

    `left_out` are the answers that it does not correct.
    """

    text: str = ""
    note: str = ""
    lacks_knowledge: bool = False
    left_out: tuple[UncorrectedAnswer, ...] = ()
    origin: ProposalOrigin | None = None

    @property
    def is_blank(self) -> bool:
        """Whether there is nothing to keep."""
        return not (self.text.strip() or self.note.strip() or self.lacks_knowledge or self.left_out)


class KeptDraft(NamedTuple):
    """A draft in the store: whose it is, and when it was last written."""

    version: DraftVersion
    annotator: str
    draft: ReferenceDraft
    updated_at: str


def edit_distance(first: str, second: str) -> int | None:
    """Count the characters to insert, delete or replace to get from one text to the other (Levenshtein).

    Parameters
    ----------
    first, second : str
        The two texts.

    Returns
    -------
    int or None
        The distance; None where what differs is longer than `COMPARED` characters.

    Notes
    -----
    Row by row, D[i, j] = min(D[i-1, j] + 1, D[i-1, j-1] + (a_i != b_j), D[i, j-1] + 1). The last term is a running minimum:
    D[i, j] = min over k <= j of (the first two terms at k) + j - k.
    """
    first, second = _differing(first, second)
    if max(len(first), len(second)) > COMPARED:
        return None
    letters = np.array([ord(letter) for letter in second], dtype=np.int64)
    steps = np.arange(len(second) + 1)
    row = steps
    for number, letter in enumerate(first, start=1):
        kept = np.minimum(row[1:] + 1, row[:-1] + (letters != ord(letter)))
        row = np.minimum.accumulate(np.concatenate(([number], kept)) - steps) + steps
    return int(row[-1])


def _differing(first: str, second: str) -> tuple[str, str]:
    """Return both texts without the beginning and the end that they share, which changes no distance."""
    shortest, begin, end = min(len(first), len(second)), 0, 0
    while begin < shortest and first[begin] == second[begin]:
        begin += 1
    while end < shortest - begin and first[-1 - end] == second[-1 - end]:
        end += 1
    return first[begin : len(first) - end], second[begin : len(second) - end]
