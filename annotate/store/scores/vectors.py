"""Keep the vectors of texts, by embedding model and text, with the items whose texts they are of.

The rule: a vector without a direction is not kept, so that its text is asked for again; and a text stands here as its hash alone.
"""

from __future__ import annotations

import sys
from collections.abc import Collection, Mapping, Sequence
from hashlib import sha256

from annotate.store.engine.database import Room
from proxy.judges.llm.embedding import FLOAT32, EmbeddingModel, Vector, fault_of


class Vectors(Room):
    """The vectors and vector_items tables."""

    def known(self, model: EmbeddingModel, texts: Collection[str]) -> dict[str, Vector]:
        """Return the vectors of those of these texts that have one."""
        query = "SELECT vector FROM vectors WHERE (text_hash, model, url) = (?, ?, ?)"
        rows = {
            text: self._db.conn.execute(query, (text_hash(text), model.model, model.url)).fetchone() for text in texts
        }
        return {text: _vector(row[0]) for text, row in rows.items() if row is not None}

    def keep(self, model: EmbeddingModel, vectors: Mapping[str, tuple[Vector, Collection[int]]], *, now: str) -> None:
        """Keep vectors, each with the items that its text is of."""
        for text, (vector, items) in vectors.items():
            if fault_of(vector) is None:
                place = (model.url, model.model, text_hash(text))
                self._db.conn.execute(
                    "INSERT INTO vectors (url, model, text_hash, vector, at) VALUES (?, ?, ?, ?, ?) ON CONFLICT DO NOTHING",
                    (*place, _bytes(vector), now),
                )
                self.note(model, [text], items)

    def note(self, model: EmbeddingModel, texts: Sequence[str], items: Collection[int]) -> None:
        """Note that the vectors of these texts are of these items too."""
        query = (
            "INSERT INTO vector_items (item, vector) SELECT ?, key FROM vectors "
            "WHERE (text_hash, model, url) = (?, ?, ?) ON CONFLICT DO NOTHING"
        )
        rows = [(item, text_hash(text), model.model, model.url) for text in texts for item in items]
        self._db.conn.executemany(query, rows)

    def unnoted(self, model: EmbeddingModel, texts: Sequence[str], item: int) -> list[str]:
        """Return those of these texts whose vector is kept and not known to be of this item."""
        query = (
            "SELECT 1 FROM vectors v WHERE (v.text_hash, v.model, v.url) = (?, ?, ?) "
            "AND NOT EXISTS (SELECT 1 FROM vector_items i WHERE (i.item, i.vector) = (?, v.key))"
        )
        execute = self._db.conn.execute
        return [
            text
            for text in texts
            if execute(query, (text_hash(text), model.model, model.url, item)).fetchone() is not None
        ]

    def forget_model(self, model: EmbeddingModel) -> None:
        """Delete every vector of this model, whose answers under this name may be another model's by now."""
        self._db.conn.execute("DELETE FROM vectors WHERE (url, model) = (?, ?)", (model.url, model.model))


def text_hash(text: str) -> bytes:
    """Return what a text is known by."""
    return sha256(text.encode("utf-8", "surrogatepass")).digest()


def _bytes(vector: Vector) -> bytes:
    return _little_endian(Vector(FLOAT32, vector)).tobytes()


def _vector(content: bytes) -> Vector:
    vector: Vector = Vector(FLOAT32)
    vector.frombytes(content)
    return _little_endian(vector)


def _little_endian(vector: Vector) -> Vector:
    """Turn the bytes round on a big-endian machine; it is its own inverse."""
    if sys.byteorder == "big":
        vector.byteswap()
    return vector
