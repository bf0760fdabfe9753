"""Frames and plans for the tests of sampling."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from annotate.domain.sampling import designs
from annotate.domain.sampling.designs import Draw
from proxy.planning import strata
from proxy.planning.allocation import StratumPlan, plan
from proxy.planning.coded import Coded
from proxy.planning.strata import Known, SamplingFrame, Stratum

DOWN, DISPUTED, UNSCORED, PASSED, FAILED = Stratum
NOTHING: Mapping[str, Known] = {}


def frame(sizes: Mapping[str, int]) -> SamplingFrame:
    """Items whose ids tell nothing of their kind, none drawn or labelled before; values spread over each side."""
    kinds = np.array([str(name) for name, size in sizes.items() for _ in range(size)], dtype="U16")
    count = len(kinds)
    place = np.arange(count) / max(count, 1)
    values = np.where(
        np.isin(kinds, (PASSED, DISPUTED)), 0.5 + place / 2 + 0.001, np.where(kinds == FAILED, place / 2, np.nan)
    )
    return SamplingFrame(
        keys=np.arange(count),
        kinds=Coded.of(kinds),
        values=values,
        right=np.full(count, np.nan),
        is_eligible=np.ones(count, dtype=np.bool_),
    )


def draw(rows: SamplingFrame, plans: tuple[StratumPlan, ...], salt: str) -> list[Draw]:
    """The batch that these plans draw from a frame whose strata are its kinds."""
    names = ids(rows)
    numbers = np.where(rows.is_eligible, designs.drawing_numbers(names, salt), 2.0)
    taken = designs.batch(rows.kinds, plans, numbers)
    strata_of = rows.kinds[taken]
    of_draws = [names[row] for row in taken]
    return designs.draws(rows.keys[taken], of_draws, strata_of, designs.batch_chances(strata_of, plans), salt)


def ids(rows: SamplingFrame) -> list[str]:
    """Ids of items, which tell nothing but their keys."""
    return [f"trace-{key:06}" for key in rows.keys]


def counts(rows: SamplingFrame) -> dict[str, int]:
    """What may still be drawn of each kind."""
    return strata.count(rows, rows.kinds)


def drawn(
    sizes: Mapping[str, int],
    labels: int,
    audit: float = 0.25,
    known: Mapping[str, Known] = NOTHING,
    **options: bool,
) -> dict[str, int]:
    return {part.stratum: part.drawn for part in plan(sizes, known, labels, audit, **options)}
