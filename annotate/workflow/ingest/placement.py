"""Place the labels of a file: each on the draw that it answers, or by itself as hand-picked.

A label is hand-picked only if no draw of its item was out when it was made, so that it counts the same however the labels are
spread over files. When it was made is its own `at`, else the time of the import.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import replace
from itertools import chain

from annotate.domain.annotation import Annotation, identity
from annotate.files.writing import from_cell, to_cell
from annotate.store import Store
from annotate.store.labels.resolution import PlacedAnnotation
from annotate.store.sampling.waves import OpenDraw


def names(item_id: str) -> tuple[str, ...]:
    """Return the id, and what it is with or without the quote that keeps a spreadsheet from running it."""
    return tuple(dict.fromkeys((item_id, from_cell(item_id), to_cell(item_id))))


class Placing:
    """Find the draw that a label from a file answers."""

    def __init__(self, store: Store, imported_before: str | None) -> None:
        """Prepare; `imported_before` is when the same file came in first: it holds no answers to what was drawn later."""
        self._labels = store.labels
        self._keys = {draw.task_key: draw for draw in store.sampling.waves.all_draws()}
        self._draws: dict[str, list[OpenDraw]] = defaultdict(list)
        self._drawn_since = set[int]()
        for draw in self._keys.values():
            if not imported_before or draw.drawn_at <= imported_before:
                self._draws[draw.item_id].append(draw)
            else:
                self._drawn_since.add(draw.item)
        self._waiting = {draw.key for draw in store.sampling.waves.unanswered()}
        self._readable = store.sampling.waves.readable_draws()
        self._covered: set[tuple[int, str]] = set()

    def read_ahead(self, annotations: Iterable[Annotation | None]) -> None:
        """Find whose labels in the file cover a wave: there nobody chose which draw to label, whenever it was.

        An annotator who labels every draw covers it alone; of the others all must cover it together, so that a second
        annotator's labels are placed alike in the file of the first and in one of their own.
        """
        labelled: dict[str, set[int]] = defaultdict(set)
        for annotation in filter(None, annotations):
            for name in names(annotation.item_id):
                keyed = (self._keys[name],) if name in self._keys else ()
                labelled[annotation.annotator].update(draw.key for draw in (*self._draws.get(name, ()), *keyed))
        waves: dict[int, set[int]] = defaultdict(set)
        for draw in chain(*self._draws.values()):
            if draw.key in self._readable:
                waves[draw.wave].add(draw.key)
        for wave, draws in waves.items():
            alone = {annotator for annotator, keys in labelled.items() if draws <= keys}
            other_annotators = labelled.keys() - alone
            together = (
                other_annotators
                if draws <= set().union(*(labelled[annotator] for annotator in other_annotators))
                else set()
            )
            self._covered |= {(wave, annotator) for annotator in alone | together}

    def place(self, annotation: Annotation, known: Mapping[str, int]) -> PlacedAnnotation | None:
        """Return the annotation with its item and draw; None where the item is not here.

        A label answers the draw that it names by key, else the draw of its item that had been drawn when the label was made,
        be it as the second reading of a draw that somebody has answered. One that was made before is hand-picked, unless the
        file covers the wave. What the label says plays no part in this.
        """
        for name in names(annotation.item_id):
            draw = self._keys.get(name) or self._draw(name, annotation, known.get(name))
            if draw:
                return self._answer(annotation, draw)
            if name in known:
                return PlacedAnnotation(self._named(annotation, name, ""), known[name], None)
        return None

    def is_older(self, placed: PlacedAnnotation) -> bool:
        """Whether only its own time keeps a label from answering a draw."""
        drawn = self._draws.get(placed.annotation.item_id, ()) if placed.draw is None else ()
        return any(draw.item == placed.item for draw in drawn)

    def is_before_draw(self, placed: PlacedAnnotation) -> bool:
        """Whether a label answers no draw because the same file came in before its item was drawn."""
        return placed.draw is None and placed.item in self._drawn_since

    def _draw(self, name: str, annotation: Annotation, item: int | None) -> OpenDraw | None:
        """Return the draw of this item that was out when the label was made: one that waits, else that of its content now.

        What the annotator has said of a draw stays with it, whatever the time.
        """
        drawn = self._draws.get(name, ())[::-1]
        out = [draw for draw in drawn if self._was_out(draw, annotation)]
        answered = (draw for draw in drawn if self._labels.knows(self._answer(annotation, draw).annotation))
        waiting = (draw for draw in out if draw.key in self._waiting)
        current = (draw for draw in out if draw.item == item)
        return next(chain(waiting, current, answered), None)

    def _was_out(self, draw: OpenDraw, annotation: Annotation) -> bool:
        """Whether the label was made after the draw, or without choosing among the draws."""
        made = annotation.at
        return made is None or draw.drawn_at <= _latest(made) or (draw.wave, annotation.annotator) in self._covered

    def _answer(self, annotation: Annotation, draw: OpenDraw) -> PlacedAnnotation:
        """Return the annotation as an answer to this draw."""
        return PlacedAnnotation(self._named(annotation, draw.item_id, f":{draw.task_key}"), draw.item, draw.key)

    def _named(self, annotation: Annotation, item_id: str, end: str) -> Annotation:
        """Return the annotation under the name that it has by the item's id, so that by key and by id it is the same.

        One that the log holds under the name of its row, as files by key once were, keeps that.
        """
        before = replace(annotation, item_id=item_id, id=f"{annotation.id}{end}")
        if self._labels.knows(before):
            return before
        own = identity(item_id, annotation.annotator, annotation.judgement, annotation.reference)
        return replace(before, id=f"{own}{end}")


def _latest(at: str) -> str:
    """Return the latest moment that a time may stand for: a date alone is its whole day."""
    return f"{at[:10]}T23:59:59.999Z" if at.endswith("T00:00:00.000Z") else at
