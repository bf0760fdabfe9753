"""Annotations in, one label an item out: what each annotator said, resolved by a stated rule.

The rule: each annotator counts once, with the latest annotation that was neither skipped nor deleted; the majority
decides; a tie is `unsure`, because two readers who disagree have not settled it. The reference, causes and rationale
come from the latest annotation on the winning side that has them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from proxy.records import Judgement, Label


@dataclass(frozen=True, kw_only=True, slots=True)
class Annotation:
    """One annotator's raw record on one item, as the source holds it now.

    `source` and `id` identify it (`label-studio:7` and `123`); another `at` or content is a new revision of the same
    annotation. `judgement` None is a skip. `at` is ISO 8601 in UTC, `seconds` the time the annotator took.
    """

    source: str
    id: str
    item_id: str
    annotator: str
    judgement: Judgement | None
    reference: str | None = None
    causes: tuple[str, ...] = ()
    harm: str | None = None
    rationale: str | None = None
    form_version: str | None = None
    seconds: float | None = None
    at: str | None = None
    deleted: bool = False
