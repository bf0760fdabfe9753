"""The gold set: items whose reference a person accepts. Pure functions of values."""

from __future__ import annotations

from annotate.domain.gold.entries import (
    WRITTEN_HERE,
    Candidate,
    GoldEntry,
    GoldRole,
    GoldSource,
    GoldStatus,
    Others,
    Overtaken,
    candidate,
    gold_id,
    has_reference,
    imported_id,
    is_own,
    offered,
    stands,
    synthetic_entry,
)

__all__ = [
    "WRITTEN_HERE",
    "Candidate",
    "GoldEntry",
    "GoldRole",
    "GoldSource",
    "GoldStatus",
    "Others",
    "Overtaken",
    "candidate",
    "gold_id",
    "has_reference",
    "imported_id",
    "is_own",
    "offered",
    "stands",
    "synthetic_entry",
]
