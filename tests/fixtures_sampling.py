"""Strata, frames and plans for the tests of sampling."""

from __future__ import annotations

from collections.abc import Mapping

from annotate.sampling import FrameRow, Stratum, plan

DOWN, UNSCORED, PASSED, FAILED = Stratum


def frame(sizes: Mapping[Stratum, int]) -> list[FrameRow]:
    """Rows whose ids tell nothing of the stratum."""
    names = [stratum for stratum, size in sizes.items() for _ in range(size)]
    return [FrameRow(key, f"trace-{key:06}", stratum) for key, stratum in enumerate(names)]


def drawn(sizes: Mapping[Stratum, int], labels: int, audit: float = 0.25, **options: bool) -> dict[Stratum, int]:
    return {one.stratum: one.drawn for one in plan(sizes, labels, audit, **options)}
