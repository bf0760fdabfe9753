"""Resolve one label an item from its annotations, anew whenever they change; what follows from a label follows with it.

A label belongs to a draw when its annotation does: from Label Studio by the task's key, from a file when the item had been
drawn when the label was made. Any other is hand-picked. A label from a draw is never changed by a hand-picked one.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import NamedTuple

from annotate.domain.annotation import Annotation, resolve
from annotate.domain.passage_relevance import carried, from_json, to_json
from annotate.store.audit.tombstones import Tombstones
from annotate.store.engine.consequence import Consequence
from annotate.store.engine.database import to_column
from annotate.store.engine.sqlite import Database
from annotate.store.labels.annotations import NO_DRAW, content
from annotate.store.labels.causes import Causes
from annotate.store.labels.labels import LabelRows
from proxy.records import Judgement


class PlacedAnnotation(NamedTuple):
    """An annotation with the row of its item and, unless it is hand-picked, of its draw."""

    annotation: Annotation
    item: int
    draw: int | None


class KeptAnnotations(NamedTuple):
    """Counts of what keeping annotations did."""

    added: int = 0
    revised: int = 0
    unchanged: int = 0
    outdated: int = 0


class Resolution(LabelRows):
    """Write the log of annotations and the labels table; `follow` is called with the items whose label may have changed."""

    def __init__(self, db: Database, follow: Consequence[int]) -> None:
        super().__init__(db)
        self._follow = follow

    def keep(self, placed: Sequence[PlacedAnnotation], *, now: str) -> KeptAnnotations:
        """Append what is new, resolve the labels anew, and let the gold set follow them.

        An older `at` than the kept one is an outdated copy and is left out; what was forgotten does not come back. Call
        inside one durable transaction.
        """
        counts = {"added": 0, "revised": 0, "unchanged": 0, "outdated": 0}
        touched: set[tuple[int, int | None]] = set()
        tombstones = Tombstones(self._db)
        for revision, item, draw in placed:
            annotation = tombstones.cleaned(revision)
            before = self._latest(annotation.source, annotation.id)
            if before and annotation.absent:
                earlier = from_json(before[0][-1])
                annotation = replace(annotation, passages=carried(annotation.passages, earlier, annotation.absent))
            columns = content(annotation)
            if before and before[0] == columns:
                counts["unchanged"] += 1
                continue
            if before and annotation.at and before[1] and annotation.at < before[1]:
                counts["outdated"] += 1
                continue
            counts["revised" if before else "added"] += 1
            kept_draw = before[2] if before else draw
            self._append(annotation, item, kept_draw, columns, now)
            touched.add((item, kept_draw))
        self._resolve(touched, now)
        return KeptAnnotations(**counts)

    def _resolve(self, touched: Collection[tuple[int, int | None]], now: str) -> None:
        """Write the labels of these items and draws, and do what follows from them."""
        for item, draw in touched:
            self._write(item, draw)
        self._follow({item for item, _ in touched}, now=now)

    def _write(self, item: int, draw: int | None) -> None:
        """Write the label that the annotations now come to, or none."""
        execute = self._db.conn.execute
        execute(
            "DELETE FROM labels WHERE item = ? AND coalesce(draw, ?) = coalesce(?, ?)", (item, NO_DRAW, draw, NO_DRAW)
        )
        label = resolve(self.annotations(item, draw))
        named = Causes(self._db).standing(item, draw)
        if label is not None and named is not None and label.judgement is Judgement.WRONG:
            label = label._replace(causes=named)
        if label is not None:
            row = (item, draw, label.judgement, label.annotator, to_column(label.reference), json.dumps(label.causes))
            execute(
                "INSERT INTO labels (item, draw, judgement, annotator, reference, causes, harm, rationale, at, basis, passages) "
                f"VALUES ({', '.join('?' * 11)})",
                (
                    *row,
                    label.harm,
                    to_column(label.rationale),
                    label.at,
                    label.basis.value,
                    to_json(label.passages),
                ),
            )

    def name_causes(self, item: int, draw: int | None, causes: Sequence[str], *, who: str, now: str) -> None:
        """Put these causes on a wrong label, in place of what its annotators named; call inside one durable transaction."""
        Causes(self._db).name(item, draw, causes, who=who, now=now)
        self._resolve([(item, draw)], now)
