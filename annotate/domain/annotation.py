"""Resolve the annotations of an item to one label by a stated rule.

The rule: each annotator counts once, with the latest annotation that was neither skipped nor deleted; the majority of those
who said right or wrong decides, and who is unsure does not vote; a tie is `unsure`, because annotators who disagree have not
adjudicated it. Reference, causes and rationale come from the latest annotation on the winning side that has them, harm from the
gravest one there.

A row without an annotator may be anybody's. Rows without one that say the same are one voice, and none beside a named annotator
who says it too. Where they contradict each other no later row corrects an earlier one: the item is unsure until it is
adjudicated.

A person who adjudicates an item leaves an annotation whose source is ADJUDICATION: it wins over all readings, with its own words
only, until it is taken back. One that is `unsure` adjudicates nothing. Who adjudicates is no annotator.

Answers about passages are resolved by themselves (`passage_relevance`), from the readings alone: who adjudicates is not asked.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from typing import NamedTuple

from annotate.domain.field_mapping import Fields, missing
from annotate.domain.label_words import USUAL, TableWords, read_judgement
from annotate.domain.passage_relevance import (
    MISSING,
    NOT_RELEVANT,
    PASSAGE_COLUMNS,
    RELEVANCE_COLUMN,
    RELEVANT,
    SUFFICIENCY_COLUMN,
    SUFFICIENT,
    UNANSWERED,
    PassageRelevance,
    from_words,
    resolve_passages,
)
from annotate.domain.timestamps import Times, shown
from proxy.errors import InputError
from proxy.records import Judgement, LabelBasis

FIELDS = (
    "item_id",
    "label",
    "annotator",
    "reference",
    "causes",
    "harm",
    "rationale",
    "form_version",
    "seconds",
    "at",
    *PASSAGE_COLUMNS,
)
CAUSES = ("retrieval_missed", "unfaithful", "misread_question", "incomplete", "outdated_or_unsafe", "other")
HARMS = ("none", "minor", "serious")
FROM_FILE = "file"
ADJUDICATION = "adjudication"
SERIOUS = "serious"
UNNAMED = "unnamed"
DECIDING = (Judgement.RIGHT, Judgement.WRONG)
Voice = tuple[str, Judgement | None]


@dataclass(frozen=True, kw_only=True, slots=True)
class Annotation:
    """One annotator's raw record on one item, as the source holds it now.

    `source` and `id` identify it (`label-studio:7` and `123`); other content under the same id is a new revision.
    `judgement` None is a skip, with `is_handed_on` because it is not the annotator's field. `at` is ISO 8601 in UTC, `seconds`
    the time the annotator took. `edited_by` is who wrote this revision where the server says that it was another than
    `annotator`. `absent` are columns of passages that a file does not have: what the revision before it says there goes on.
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
    edited_by: str | None = None
    deleted: bool = False
    passages: PassageRelevance | None = None
    absent: frozenset[str] = frozenset()
    is_handed_on: bool = False


class Revision(NamedTuple):
    """One entry of the log of annotations; `sequence` is its place, `received_at` when it came here."""

    sequence: int
    received_at: str
    annotation: Annotation


class Resolved(NamedTuple):
    """Label that the annotations of one item come to, and what that rests on."""

    judgement: Judgement
    annotator: str
    reference: str | None
    causes: tuple[str, ...]
    harm: str | None
    rationale: str | None
    at: str | None
    basis: LabelBasis
    passages: PassageRelevance | None = None


def resolve(annotations: Iterable[Annotation]) -> Resolved | None:
    """Resolve the annotations of one item, oldest first, to its label; None while nobody has said anything."""
    every = list(annotations)
    latest = readings(every)
    label = _label(adjudication_of(every), latest)
    return label and label._replace(passages=resolve_passages(annotation.passages for annotation in latest))


def _label(adjudicated: Annotation | None, latest: Sequence[Annotation]) -> Resolved | None:
    """Return the label that an adjudication comes to, or else the readings."""
    if adjudicated is not None and adjudicated.judgement in DECIDING:
        return _resolved([adjudicated], adjudicated.judgement, LabelBasis.ADJUDICATION)
    if not latest:
        return None
    right, wrong = (
        _votes([annotation for annotation in latest if annotation.judgement is judgement]) for judgement in DECIDING
    )
    if right == wrong or _contradicts_itself(latest):
        return _resolved(latest, Judgement.UNSURE, LabelBasis.DISAGREEMENT if right else _basis(latest))
    judgement = Judgement.RIGHT if right > wrong else Judgement.WRONG
    annotations = [annotation for annotation in latest if annotation.judgement is judgement]
    return _resolved(annotations, judgement, LabelBasis.MAJORITY if right and wrong else _basis(annotations))


def readings(annotations: Iterable[Annotation]) -> list[Annotation]:
    """Return each annotator's latest reading, the newest last; without skips, deletions and whoever adjudicated the item."""
    latest: dict[Voice, Annotation] = {}
    for annotation in annotations:
        if annotation.judgement is not None and not annotation.deleted and annotation.source != ADJUDICATION:
            latest.pop(voice(annotation), None)  # who speaks again speaks last
            latest[voice(annotation)] = annotation
    return list(latest.values())


def voice(annotation: Annotation) -> Voice:
    """Return the annotator behind a reading; rows without an annotator that say the same are taken together."""
    return annotation.annotator, annotation.judgement if annotation.annotator == UNNAMED else None


def adjudication_of(annotations: Iterable[Annotation]) -> Annotation | None:
    """Return the adjudication that stands, also one that left the item open."""
    adjudications = [
        annotation
        for annotation in annotations
        if annotation.source == ADJUDICATION and not annotation.deleted and annotation.judgement is not None
    ]
    return adjudications[-1] if adjudications else None


def gravest(annotations: Iterable[Annotation]) -> str | None:
    """Return the most serious harm that is marked; None where none is spoken of."""
    marked = {annotation.harm for annotation in annotations}
    return next((harm for harm in reversed(HARMS) if harm in marked), None)


def _contradicts_itself(latest: Sequence[Annotation]) -> bool:
    """Return whether rows without an annotator say right and wrong."""
    return {annotation.judgement for annotation in latest if annotation.annotator == UNNAMED}.issuperset(DECIDING)


def _votes(alike: Sequence[Annotation]) -> int:
    """Count the annotators who say this: a row without a name counts only alone, for it may be a named annotator's own."""
    return sum(annotation.annotator != UNNAMED for annotation in alike) or len(alike)


def _basis(alike: Sequence[Annotation]) -> LabelBasis:
    return LabelBasis.AGREEMENT if _votes(alike) > 1 else LabelBasis.ONE_ANNOTATOR


def _resolved(annotations: Sequence[Annotation], judgement: Judgement, basis: LabelBasis) -> Resolved:
    """Return the label that this side comes to, oldest annotation first."""
    newest = annotations[::-1]
    return Resolved(
        judgement=judgement,
        annotator=", ".join(sorted({annotation.annotator for annotation in annotations})),
        reference=next(
            (annotation.reference for annotation in newest if annotation.reference and annotation.reference.strip()),
            None,
        ),
        causes=next((annotation.causes for annotation in newest if annotation.causes), ()),
        harm=gravest(annotations),
        rationale=next((annotation.rationale for annotation in newest if annotation.rationale), None),
        at=newest[0].at,
        basis=basis,
    )


def is_unsure_correction(annotation: Annotation) -> bool:
    """Return whether somebody who is unsure writes what is read of wrong answers alone."""
    return annotation.judgement is Judgement.UNSURE and bool(annotation.reference or annotation.causes)


def annotation_from_row(
    row: Mapping[str, object],
    mapping: Mapping[str, str],
    times: Times | None = None,
    words: TableWords = USUAL,
) -> Annotation:
    """Return the annotation that a row of a labels file describes; one an item and annotator."""
    fields = Fields(row, mapping)
    item_id, annotator = fields.short("item_id"), fields.short("annotator") or UNNAMED
    if item_id is None:
        raise InputError(missing("item_id", row, mapping))
    if mapping.get("label", "label") not in row and fields.value("label") is None:
        raise InputError(missing("label", row, mapping))
    label, reference = read_judgement(fields.value("label"), words), fields.words("reference")
    return Annotation(
        source=FROM_FILE,
        id=identity(item_id, annotator, label, reference),
        item_id=item_id,
        annotator=annotator,
        judgement=label,
        reference=reference,
        causes=tuple(_one_of("causes", value, CAUSES) for value in _several(fields.sequence("causes"))),
        harm=_one_of("harm", fields.value("harm"), HARMS) if fields.value("harm") else None,
        rationale=fields.words("rationale"),
        form_version=fields.short("form_version"),
        seconds=fields.number("seconds"),
        at=fields.moment("at", times),
        passages=_passages(fields),
        absent=frozenset(name for name in PASSAGE_COLUMNS if not fields.has(name)),
    )


def _passages(fields: Fields) -> PassageRelevance | None:
    """Return the answers about passages; a passage without one is said to be `unanswered`, so that the others keep their rank."""
    relevance = _several(fields.sequence(RELEVANCE_COLUMN))
    sufficiency = fields.value(SUFFICIENCY_COLUMN)
    return from_words(
        [_one_of(RELEVANCE_COLUMN, answer, (RELEVANT, NOT_RELEVANT, UNANSWERED)) for answer in relevance],
        _one_of(SUFFICIENCY_COLUMN, sufficiency, (SUFFICIENT, MISSING)) if sufficiency else None,
    )


def identity(item_id: str, annotator: str, label: Judgement | None, reference: str | None) -> str:
    """Return the name of a row of a file in the log: an annotator's on an item, which later rows revise.

    Rows without an annotator may come from several: only the same words are the same annotation.
    """
    words = [label, reference] if annotator == UNNAMED else []
    return blake2b(json.dumps([item_id, annotator, *words]).encode(), digest_size=12).hexdigest()


def _several(values: Iterable[object]) -> list[object]:
    """Return the values, and split those that one text holds with commas, semicolons or line breaks, as a cell does."""
    parts = [re.split(r"[,;\n]", value) if isinstance(value, str) else [value] for value in values]
    return [piece for part in parts for piece in part if not isinstance(piece, str) or piece.strip()]


def _one_of(name: str, value: object, allowed: tuple[str, ...]) -> str:
    """Return one of the allowed names, also where it is written in words: `Retrieval missed`."""
    normalised = "_".join(str(value).lower().split())
    if normalised not in allowed:
        raise InputError(f"{name}: expected {', '.join(allowed)}, found {shown(value)}")
    return normalised
