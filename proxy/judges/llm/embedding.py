"""Define what a judge asks of an embedding model, and compare two of its vectors.

A judge's generator yields TextsToEmbed and is sent a vector for each text, in their order. The rule: two vectors that have no
cosine are NoCosine with its reason, never a number.
"""

from __future__ import annotations

import math
from array import array
from collections.abc import Sequence
from dataclasses import dataclass

# Of 32-bit floats, as embedding models give them: half the room of Python's own.
Vector = array
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


class NoCosine(Exception):
    """Two vectors that cannot be compared; the message is the reason."""


def fault_of(vector: Vector[float]) -> str | None:
    """Say why a vector has no direction; None where it has one."""
    if not vector:
        return "has no numbers"
    if not all(map(math.isfinite, vector)):
        return "holds something that is no finite number"
    return None if any(vector) else "is all zeros"


def cosine(first: Vector[float], second: Vector[float]) -> float:
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
