"""Report the state of labelling: waves, what waits for whom, and whether annotators agree.

What is counted over all traffic, frames and coverage, is asked for by itself, because it takes longer.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import NamedTuple

from annotate.analysis.labelling.annotators import annotators
from annotate.analysis.neighbours import Neighbours, neighbours
from annotate.analysis.report.caveats import not_independent, on_waves, opposite, outdated
from annotate.domain.annotator_activity import Annotator, LogCounts, Pace
from annotate.domain.sampling.outcomes import DrawProgress, Overlap
from annotate.store import Store
from annotate.store.labels.adjudication import WaveProgress
from annotate.store.sampling.ledger import Covered, FrameState, StratumProgress
from annotate.store.sampling.waves import Wave
from proxy.evaluation.annotator_agreement import AnnotatorAgreement, agreement_between

NO_DRAWS = (0, 0, 0, 0, 0, 0)


class StratumRow(NamedTuple):
    """A stratum of a wave in its ledger: what could be drawn, what was, by which chance, and what became of it.

    `chance` is None where each item had its own.
    """

    stratum: str
    size: int
    drawn: int
    chance: float | None
    done: StratumProgress


class WaveRow(NamedTuple):
    """A wave with its ledger; `counts` where estimates speak of it, `is_old_rule` where another rule is in force by now."""

    wave: Wave
    done: WaveProgress
    strata: tuple[StratumRow, ...]
    counts: bool
    is_old_rule: bool

    @property
    def drawn(self) -> int:
        """All its draws, also of items that changed since."""
        return sum(part.drawn for part in self.strata)

    @property
    def gone(self) -> int:
        """Its draws whose items have other content by now."""
        return sum(part.done.gone for part in self.strata)


@dataclass(frozen=True, kw_only=True, slots=True)
class HumanSide:
    """The state of labelling. `labels` counts every item with a label, `notes` are what to know beside them."""

    waves: tuple[WaveRow, ...]
    progress: DrawProgress
    skipped: int
    hand_picked: int
    waiting: int
    serious: int
    adjudicated: int
    second: int
    asked: int
    overlap: Overlap
    annotator_agreement: AnnotatorAgreement
    neighbours: Neighbours
    annotators: tuple[Annotator, ...]
    log: tuple[LogCounts, ...]
    pace: Pace
    outdated: int
    notes: tuple[str, ...]

    @property
    def is_empty(self) -> bool:
        """Whether nothing was drawn and nobody has labelled anything."""
        return not self.waves and not self.annotators


class FrameCoverage(NamedTuple):
    """The part of the traffic that the waves speak of: `counted` is framed by a wave that counts, `framed` by any."""

    covered: Covered
    frames: tuple[FrameState, ...]

    @property
    def uncovered(self) -> int:
        """Current items that no wave which counts has framed."""
        return self.covered.items - self.covered.counted


def build(store: Store) -> HumanSide:
    """Read the state of labelling, as the store is at one moment."""
    with store.snapshot():
        answered, last = store.sampling.ledger.answered(), store.sampling.ledger.last_counted()
        waves = _waves(store, last)
        waiting, gone = store.labels.adjudication.waiting(), store.sampling.waves.outdated()
        return HumanSide(
            waves=waves,
            progress=store.sampling.waves.progress(),
            skipped=sum(row.done.skipped for row in waves),
            hand_picked=store.labels.hand_picked(),
            waiting=len(waiting),
            serious=sum(case.is_serious for case in waiting),
            adjudicated=len(store.labels.adjudication.adjudicated()),
            second=len(store.labels.adjudication.second_readings()),
            asked=len(store.labels.second_readings.draws()),
            overlap=store.labels.adjudication.overlap(),
            annotator_agreement=agreement_between(store.labels.readings()),
            neighbours=neighbours(store),
            annotators=tuple(annotators(store)),
            log=tuple(store.labels.log_counts()),
            pace=Pace.of(store.labels.seconds()),
            outdated=gone,
            notes=on_waves(answered, last, 0)
            + outdated(gone)
            + not_independent(store.labels.uncounted())
            + opposite(store.labels.opposite_labels.groups()),
        )


def coverage(store: Store) -> FrameCoverage:
    """Count what the frames hold, over all traffic."""
    with store.snapshot():
        return FrameCoverage(
            store.sampling.wave_ledger.covered(store.sampling.ledger.last_counted()),
            tuple(store.sampling.wave_ledger.frames()),
        )


def _waves(store: Store, last: int) -> tuple[WaveRow, ...]:
    """Read every wave, the oldest first."""
    done = {progress.wave: progress for progress in store.labels.adjudication.by_wave()}
    strata: dict[int, dict[str, StratumProgress]] = defaultdict(dict)
    for stratum in store.sampling.wave_ledger.by_stratum():
        strata[stratum.wave][stratum.stratum] = stratum
    rule = store.scores.rules.in_force()
    in_force = None if rule is None else f"{rule[1].name} v{rule[1].version}: {rule[1].expression}"
    return tuple(
        WaveRow(
            wave=wave,
            done=done.get(wave.number, WaveProgress(wave.number, 0, 0, 0, 0, 0)),
            strata=_strata(wave, strata[wave.number]),
            counts=wave.number <= last,
            is_old_rule=in_force is not None and wave.rule != in_force,
        )
        for wave in store.sampling.waves.all()
    )


def _strata(wave: Wave, done: dict[str, StratumProgress]) -> tuple[StratumRow, ...]:
    """Return the strata of a wave; in those whose number was left to chance each item had its own chance."""
    return tuple(
        StratumRow(
            stratum=part.stratum,
            size=part.size,
            drawn=part.drawn,
            chance=part.inclusion_probability if part.is_fixed and part.size else None,
            done=done.get(part.stratum, StratumProgress(wave.number, part.stratum, *NO_DRAWS)),
        )
        for part in wave.strata
    )
