"""Record what an action on the gold set came to."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from annotate.domain.gold.entries import GoldStatus


@dataclass(frozen=True, kw_only=True, slots=True)
class Accepted:
    """Entries that were accepted, those left for a look of their own, and the entries of each status now.

    `counts` are the team's gold set, and `test_questions` what stands apart from it. `withheld` are those that must not be
    accepted unseen, by gold id, with the reason.
    """

    changed: int
    counts: Mapping[GoldStatus, int]
    test_questions: Mapping[GoldStatus, int] = field(default_factory=dict)
    corrections: int = 0
    own: int = 0
    withheld: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True, slots=True)
class Retired:
    """Entries that were retired, and the entries and test questions of each status now."""

    changed: int
    counts: Mapping[GoldStatus, int]
    test_questions: Mapping[GoldStatus, int] = field(default_factory=dict)


class WrittenReference(NamedTuple):
    """An entry whose reference was written, and the ids of the wrong answers to its question that still need one."""

    gold_id: str
    answers_left: tuple[str, ...] = ()


class Edited(NamedTuple):
    """An entry, whether its reference changed, and its status now."""

    gold_id: str
    changed: bool
    entry_status: GoldStatus


class KeptEntry(NamedTuple):
    """An entry that stays as it is, and whether that took a flag off it."""

    gold_id: str
    changed: bool


class MarkedEntries(NamedTuple):
    """Entries whose mark changed, and how many the knowledge base lacks now."""

    changed: int
    knowledge_base_lacks: int


class TeamPolicy(NamedTuple):
    """What the team asks for."""

    second_person: bool
    traffic_references: bool


class Exported(NamedTuple):
    """The entries that were written, those of a release that were forgotten since, and the candidates that were left out.

    In the form of a tool the conversation of `flattened` entries stands in the text of the question, the passages of
    `joined` ones are one text, and signs of `altered` ones were changed.
    """

    file: str
    rows: int
    forgotten: int
    candidates: int
    flattened: int = 0
    joined: int = 0
    altered: int = 0
