"""Define what a judge asks of an embedding model, and compare two of its vectors.

A judge's generator yields TextsToEmbed and is sent a vector for each text, in their order. The rule: two vectors that have no
cosine are NoCosine with its reason, never a number.
"""

from __future__ import annotations

import math
from array import array
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

# Of 32-bit floats, as embedding models give them: half the room of Python's own.
if TYPE_CHECKING:
    Vector = array[float]
else:
    Vector = array  # which takes no type before Python 3.12
FLOAT32 = "f"


@dataclass(frozen=True, slots=True)
class TextsToEmbed:
    """A request for the vectors of these texts."""

    texts: tuple[str, ...]


@dataclass(frozen=True, kw_only=True, slots=True)
class EmbeddingModel:
    """The embedding model whose vectors are compared: its address, and its name there."""

    url: str
    model: str


@dataclass(frozen=True, kw_only=True, slots=True)
class EmbeddingSettings:
    """The embedding model of a run, and what a metric makes of its vectors.

    Attributes
    ----------
    model
        The embedding model.
    similarity_threshold
        The cosine from which an answer is similar to its reference; None: the cosine itself is the value.
    similarity_weight
        The weight of the similarity in answer correctness, beside that of the statements.
    generated_questions
        How many questions are made from an answer for its relevancy.
    """

    model: EmbeddingModel
    similarity_threshold: float | None = None
    similarity_weight: float = 0.25
    generated_questions: int = 3


class NoCosine(Exception):
    """Two vectors that cannot be compared; the message is the reason."""


def fault_of(vector: Vector) -> str | None:
    """Say why a vector has no direction; None where it has one."""
    if not vector:
        return "has no numbers"
    if not all(map(math.isfinite, vector)):
        return "holds something that is no finite number"
    return None if any(vector) else "is all zeros"


def cosine(first: Vector, second: Vector) -> float:
    """Compute Σ aᵢbᵢ / √(Σ aᵢ² Σ bᵢ²), in [-1, 1].

    Raises
    ------
    NoCosine
        For a vector without a direction, and for vectors of different lengths.
    """
    for vector in (first, second):
        if fault := fault_of(vector):
            raise NoCosine(f"the vector of a text {fault}")
    if len(first) != len(second):
        raise NoCosine(
            f"the vectors have {len(first)} and {len(second)} numbers: another model answers under the same name"
        )
    ratio = _product(first, second) / math.sqrt(_product(first, first)) / math.sqrt(_product(second, second))
    return min(1.0, max(-1.0, ratio))


def _product(first: Sequence[float], second: Sequence[float]) -> float:
    return math.fsum(a * b for a, b in zip(first, second, strict=True))
