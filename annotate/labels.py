"""Annotations in, one label an item out: what each annotator said, resolved by a stated rule.

The rule: each annotator counts once, with the latest annotation that was neither skipped nor deleted; the majority of
those who said right or wrong decides; a tie is `unsure`, because readers who disagree have not settled it. Reference,
causes, harm and rationale come from the latest annotation on the winning side that has them.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from hashlib import blake2b
from typing import NamedTuple

from annotate.fields import Fields, missing, shown
from proxy.errors import InputError
from proxy.records import Judgement

FIELDS = (
    *("item_id", "label", "annotator", "reference", "causes", "harm", "rationale"),
    *("form_version", "seconds", "at"),
)
CAUSES = ("retrieval_missed", "unfaithful", "misread_question", "incomplete", "outdated_or_unsafe", "other")
HARMS = ("none", "minor", "serious")
WORDS = {
    **dict.fromkeys(("right", "1", "1.0", "true", "yes", "correct"), Judgement.RIGHT),
    **dict.fromkeys(("wrong", "0", "0.0", "false", "no", "incorrect"), Judgement.WRONG),
    "unsure": Judgement.UNSURE,
}
FROM_FILE = "file"
UNNAMED = "unnamed"


@dataclass(frozen=True, kw_only=True, slots=True)
class Annotation:
    """One annotator's raw record on one item, as the source holds it now.

    `source` and `id` identify it (`label-studio:7` and `123`); other content under the same id is a new revision.
    `judgement` None is a skip. `at` is ISO 8601 in UTC, `seconds` the time the annotator took.
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


class Resolved(NamedTuple):
    """What the annotations of one item come to."""

    judgement: Judgement
    annotator: str
    reference: str | None
    causes: tuple[str, ...]
    harm: str | None
    rationale: str | None
    at: str | None


def resolve(annotations: Iterable[Annotation]) -> Resolved | None:
    """The label of one item from its annotations, oldest first; None while nobody has said anything."""
    latest: dict[str, Annotation] = {}
    for one in annotations:
        if one.judgement is not None and not one.deleted:
            latest.pop(one.annotator, None)  # who speaks again speaks last
            latest[one.annotator] = one
    if not latest:
        return None
    votes = Counter(one.judgement for one in latest.values() if one.judgement is not Judgement.UNSURE).most_common()
    tied = not votes or (len(votes) > 1 and votes[0][1] == votes[1][1])
    judgement = Judgement.UNSURE if tied else votes[0][0]
    side = [one for one in latest.values() if tied or one.judgement is judgement]
    newest = side[::-1]
    return Resolved(
        judgement=judgement or Judgement.UNSURE,
        annotator=", ".join(sorted(one.annotator for one in side)),
        reference=next((one.reference for one in newest if one.reference), None),
        causes=next((one.causes for one in newest if one.causes), ()),
        harm=next((one.harm for one in newest if one.harm), None),
        rationale=next((one.rationale for one in newest if one.rationale), None),
        at=newest[0].at,
    )


def annotation_from_row(row: Mapping[str, object], mapping: Mapping[str, str]) -> Annotation:
    """The annotation that a row of a labels file describes; one an item and annotator."""
    fields = Fields(row, mapping)
    item_id, annotator = fields.short("item_id"), fields.short("annotator") or UNNAMED
    if item_id is None:
        raise InputError(missing("item_id", row, mapping))
    if mapping.get("label", "label") not in row and fields.value("label") is None:
        raise InputError(missing("label", row, mapping))
    label, reference = _judgement(fields.value("label")), fields.text("reference")
    # Rows without an annotator may come from several: only the same words are the same annotation.
    words = [label, reference] if annotator == UNNAMED else []
    identity = blake2b(json.dumps([item_id, annotator, *words]).encode(), digest_size=12).hexdigest()
    return Annotation(
        source=FROM_FILE,
        id=identity,
        item_id=item_id,
        annotator=annotator,
        judgement=label,
        reference=reference,
        causes=tuple(_one_of("causes", value, CAUSES) for value in fields.sequence("causes")),
        harm=_one_of("harm", fields.value("harm"), HARMS) if fields.value("harm") else None,
        rationale=fields.text("rationale"),
        form_version=fields.short("form_version"),
        seconds=fields.number("seconds"),
        at=fields.moment("at"),
    )


def _judgement(value: object) -> Judgement:
    """right, wrong or unsure, from the words and numbers in use."""
    judgement = WORDS.get(str(value).strip().lower())
    if judgement is None:
        found = "nothing" if value is None or value == "" else shown(value)
        raise InputError(f"label: expected right, wrong or unsure (or 1, 0), found {found}")
    return judgement


def _one_of(name: str, value: object, allowed: tuple[str, ...]) -> str:
    if value not in allowed:
        raise InputError(f"{name}: expected {', '.join(allowed)}, found {shown(value)}")
    return str(value)
