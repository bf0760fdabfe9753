"""Waves that were drawn of one slice in, what their fresh labels say of it out.

The labels in which a slice was found cannot confirm it, so a wave's own labels are held against the labels of what lies outside
of it. One test a wave, when all its draws are answered; Holm's adjustment counts such waves and nothing else.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace

import numpy as np

from annotate.analysis.labelled_draws import Ground
from annotate.analysis.slices.sides import Mask, Numbers, rows_of, side, weight_alone
from annotate.domain.sampling.designs import Design
from annotate.store import Store
from annotate.store.sampling.waves import Wave
from proxy.evaluation.slices import Finding, Mistake, Slice, Untested, against
from proxy.stats.testing.multiplicity import holm

DRAWN_OF_A_SLICE = (Design.STRATIFIED, Design.ACTIVE)


@dataclass(frozen=True, kw_only=True, slots=True)
class Confirmation:
    """A wave's slice: `open` of its draws wait for a label; `found` is None until none does."""

    wave: int
    slice: str
    mistake: Mistake
    open: int
    found: Finding | Untested | None


def confirmations(store: Store, found: Ground) -> list[Confirmation]:
    """One for each wave that was drawn of a slice, oldest first."""
    waiting = Counter(one.wave for one in store.waves.open_draws())
    waves = [one for one in store.waves.all() if one.part and one.design in DRAWN_OF_A_SLICE]
    tried = [_tried(store, found, wave, waiting[wave.number]) for wave in waves]
    tested = [(n, one.found) for n, one in enumerate(tried) if isinstance(one.found, Finding)]
    adjusted = holm([finding.p_value for _, finding in tested])
    for (n, finding), p in zip(tested, adjusted.tolist(), strict=True):
        tried[n] = replace(tried[n], found=replace(finding, adjusted_p=p))
    return tried


def _tried(store: Store, found: Ground, wave: Wave, waiting: int) -> Confirmation:
    rows = found.labelled.rows
    elsewhere = store.traits.outside(wave.number, [one.about.item for one in rows])
    outside = np.array([one.about.item in elsewhere for one in rows], dtype=np.bool_)
    drawn_in = np.array([one.about.wave for one in rows], dtype=np.intp)
    before, fresh = drawn_in < wave.number, drawn_in == wave.number
    mistake = _suspected(found, before & ~outside, before & outside)
    result = None
    if not waiting:
        weight = np.where(fresh, weight_alone(found), found.labelled.draws.weight)
        result = _against(found, fresh, outside, mistake, wave.part or "", weight)
    return Confirmation(wave=wave.number, slice=wave.part or "", mistake=mistake, open=waiting, found=result)


def _suspected(found: Ground, inside: Mask, outside: Mask) -> Mistake:
    """The mistake that earlier labels had the slice down for: its fresh labels have no say in what they are asked."""
    tried = [(_against(found, inside, outside, mistake, ""), mistake) for mistake in Mistake]
    tested = [(one.p_value, mistake) for one, mistake in tried if isinstance(one, Finding)]
    return min(tested)[1] if tested else Mistake.WRONG_PASS


def _against(
    found: Ground, inside: Mask, outside: Mask, mistake: Mistake, name: str, weight: Numbers | None = None
) -> Finding | Untested:
    kept = rows_of(found.labelled, mistake) & (inside | outside)
    field, _, value = name.partition(": ")
    of = Slice(field=field, value=value, is_searched=False, is_subject=True)
    return against(side(found.labelled, mistake, kept, weight), inside[kept], of)
