"""Test whether waves that were drawn of one slice confirm it with their fresh labels.

The labels in which a slice was found cannot confirm it, so a wave's own labels are compared with the labels of what is outside
of it. One test a wave, when all its draws are answered; Holm's adjustment counts such waves and nothing else.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from enum import StrEnum

import numpy as np
from numpy.typing import NDArray

from annotate.analysis.labelled_draws import AnswerGround, Labelled
from annotate.domain.sampling.designs import WaveDesign
from annotate.store import Store
from annotate.store.sampling.waves import Wave
from proxy.evaluation.ledger import DECIDED
from proxy.evaluation.slices import VERDICT_OF, DecidedLabels, Mistake, Slice, SliceFinding, Untested, against
from proxy.stats.testing.multiplicity import holm

DRAWN_OF_A_SLICE = (WaveDesign.STRATIFIED, WaveDesign.ACTIVE)
Mask = NDArray[np.bool_]
Numbers = NDArray[np.float64]


class ConfirmationStatus(StrEnum):
    """What a wave's fresh labels say of its slice."""

    OPEN = "open"  # some draws still wait for a label
    NOT_TESTABLE = "not_testable"
    NOT_CONFIRMED = "not_confirmed"
    CONFIRMED = "confirmed"


@dataclass(frozen=True, kw_only=True, slots=True)
class SliceConfirmation:
    """A wave's slice: `open` of its draws wait for a label; `fresh` is None until none does."""

    wave: int
    slice: str
    mistake: Mistake
    open: int
    fresh: SliceFinding | Untested | None

    def status(self, level: float) -> ConfirmationStatus:
        """Return whether fresh labels confirm the slice, up to this adjusted p."""
        if self.fresh is None:
            return ConfirmationStatus.OPEN
        if isinstance(self.fresh, Untested):
            return ConfirmationStatus.NOT_TESTABLE
        return ConfirmationStatus.CONFIRMED if self.fresh.adjusted_p <= level else ConfirmationStatus.NOT_CONFIRMED


def confirmations(store: Store, basis: AnswerGround) -> list[SliceConfirmation]:
    """Return one for each wave that was drawn of a slice, oldest first."""
    waiting = Counter(draw.wave for draw in store.sampling.waves.open_draws())
    waves = [wave for wave in store.sampling.waves.all() if wave.part and wave.design in DRAWN_OF_A_SLICE]
    tried = [_tried(store, basis, wave, waiting[wave.number]) for wave in waves]
    tested = [
        (n, confirmation.fresh) for n, confirmation in enumerate(tried) if isinstance(confirmation.fresh, SliceFinding)
    ]
    adjusted = holm([finding.p_value for _, finding in tested])
    for (n, finding), p in zip(tested, adjusted.tolist(), strict=True):
        tried[n] = replace(tried[n], fresh=replace(finding, adjusted_p=p))
    return tried


def _tried(store: Store, basis: AnswerGround, wave: Wave, waiting: int) -> SliceConfirmation:
    rows = basis.labelled.rows
    elsewhere = store.traffic.traits.outside(wave.number, [row.about.item for row in rows])
    outside = np.array([row.about.item in elsewhere for row in rows], dtype=np.bool_)
    drawn_in = np.array([row.about.wave for row in rows], dtype=np.intp)
    before, fresh = drawn_in < wave.number, drawn_in == wave.number
    mistake = _suspected(basis, before & ~outside, before & outside)
    result = None
    if not waiting:
        weight = np.where(fresh, weight_alone(basis), basis.labelled.draws.weight)
        result = _against(basis, fresh, outside, mistake, wave.part or "", weight)
    return SliceConfirmation(wave=wave.number, slice=wave.part or "", mistake=mistake, open=waiting, fresh=result)


def _suspected(basis: AnswerGround, inside: Mask, outside: Mask) -> Mistake:
    """Return the mistake that earlier labels suspected the slice of: fresh labels have no say in what they are asked."""
    tried = [(_against(basis, inside, outside, mistake, ""), mistake) for mistake in Mistake]
    tested = [(finding.p_value, mistake) for finding, mistake in tried if isinstance(finding, SliceFinding)]
    return min(tested)[1] if tested else Mistake.WRONG_PASS


def _against(
    basis: AnswerGround, inside: Mask, outside: Mask, mistake: Mistake, name: str, weight: Numbers | None = None
) -> SliceFinding | Untested:
    is_kept = rows_of(basis.labelled, mistake) & (inside | outside)
    field, _, value = name.partition(": ")
    of = Slice(field=field, value=value, is_searched=False, is_subject=True)
    return against(decided_labels(basis.labelled, mistake, is_kept, weight), inside[is_kept], of)


def rows_of(labelled: Labelled, mistake: Mistake) -> Mask:
    """Select the rows on the side where this mistake is made."""
    return np.array([row.verdict is VERDICT_OF[mistake] for row in labelled.rows], dtype=np.bool_)


def decided_labels(labelled: Labelled, mistake: Mistake, rows: Mask, weight: Numbers | None = None) -> DecidedLabels:
    """Return these rows as labels; each stands for the items that the ledger says, or for `weight` (one number a row of all)."""
    is_right = np.array([row.is_right for row in labelled.rows], dtype=np.bool_)[rows]
    return DecidedLabels(
        mistake=mistake,
        is_error=is_right if mistake is Mistake.RIGHT_FAIL else ~is_right,
        weight=(labelled.draws.weight if weight is None else weight)[rows],
        cluster=labelled.draws.cluster[rows],
        question=None if labelled.draws.question is None else labelled.draws.question[rows],
    )


def weight_alone(basis: AnswerGround) -> Numbers:
    """Weight each labelled draw within its wave: 1 / (chance there x that no earlier wave drew it)."""
    decided = [draw for draw in basis.traffic.drawn if draw.judgement in DECIDED]
    chances = [
        draw.chances[draw.own] * np.prod([1 - chance for chance in draw.chances[: draw.own]]) for draw in decided
    ]
    return np.array([1 / max(chance, 1e-12) for chance in chances], dtype=np.float64)
