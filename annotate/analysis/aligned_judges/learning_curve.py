"""Follow how well versions of a judge agree with people, on labels that measure all of them, and say what more labels bring."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from annotate.analysis.aligned_judges.alignment import attempt_of
from annotate.analysis.aligned_judges.teaching import TaughtState, versions_of
from annotate.analysis.evidence import labels_alone
from annotate.domain.alignment import Alignment
from annotate.domain.score_map import MeasuredMap
from annotate.store import Store
from proxy.evaluation.alignment import SHARE, shrunk, smallest_gain, tunes
from proxy.evaluation.candidates import JudgeKey, single
from proxy.evaluation.discrimination import Valued, auroc_of, valued
from proxy.evaluation.estimate import Estimate

# Chosen: the usual wave.
MORE_LABELS = 100
EVER_IN_FORCE = (TaughtState.IN_FORCE, TaughtState.UNDONE, TaughtState.REPLACED)


@dataclass(frozen=True, kw_only=True, slots=True)
class VersionPoint:
    """A version of a judge and its AUROC; `at` is None for the judge without guidance."""

    signature: str
    at: str | None
    is_in_force: bool
    auroc: Estimate


@dataclass(frozen=True, kw_only=True, slots=True)
class ExpectedPrecision:
    """What more labels are expected to bring, where they are drawn like those that there are, with as many right and wrong.

    Attributes
    ----------
    more, measuring
        So many labels, and how many of them would measure the judge.
    half_width, half_width_then
        Half the width of the AUROC's interval for the long run, now and with them.
    gain, gain_then
        The smallest gain in AUROC that the labels would show with a power of 0.8, now and with them.
    can_show
        Whether an AUROC of at most 1 can be better by as much as they would show.
    """

    more: int
    measuring: int
    half_width: float
    half_width_then: float
    gain: float
    gain_then: float
    can_show: bool


@dataclass(frozen=True, kw_only=True, slots=True)
class LearningCurve:
    """The versions of a judge that were ever in force, and the judge without guidance before them, in their order.

    Attributes
    ----------
    judge, bare
        The name of the judge, and its signature without guidance.
    right, wrong
        How many of the measuring labels that all of them have scored say so.
    points
        Each with its AUROC on these labels.
    expected
        What more labels would bring; None where it cannot be said.
    """

    judge: str
    bare: str
    right: int
    wrong: int
    points: tuple[VersionPoint, ...]
    expected: ExpectedPrecision | None


@dataclass(frozen=True, kw_only=True, slots=True)
class MeasuredVersions:
    """The versions of judges and the maps of their scores that were measured, the oldest first; and a curve for each judge."""

    versions: tuple[Alignment, ...]
    curves: tuple[LearningCurve, ...]
    maps: tuple[MeasuredMap, ...]


def measured_versions(store: Store, judge: str | None = None) -> MeasuredVersions:
    """Return the versions and maps that were measured, of one judge where it is named."""
    versions = store.scores.alignments.every(judge)
    return MeasuredVersions(
        versions=tuple(versions),
        curves=_learning_curves(store, versions),
        maps=tuple(store.scores.maps.every(judge)),
    )


def _learning_curves(store: Store, versions: Sequence[Alignment]) -> tuple[LearningCurve, ...]:
    judges = dict.fromkeys((version.judge, version.bare) for version in versions)
    return tuple(learning_curve(store, name, bare) for name, bare in judges)


def learning_curve(store: Store, judge: str, bare: str) -> LearningCurve:
    """Return the curve of a judge; of a single point where no version of it was ever in force."""
    share = store.scores.alignments.share(judge) or SHARE
    versions = [version for version in store.scores.alignments.every(judge) if version.bare == bare]
    ever = _ever_in_force(store, versions)
    columns = _on_common_labels(store, judge, [bare, *(version.signature for version in ever)], share)
    current = next((version.signature for version in ever if version.is_in_force), bare)
    points = tuple(
        VersionPoint(signature=signature, at=at, is_in_force=signature == current, auroc=auroc_of(column))
        for (signature, at), column in zip(
            [(bare, None), *((version.signature, version.at) for version in ever)], columns, strict=True
        )
    )
    right = int(columns[0].right.sum())
    in_force = next(column for point, column in zip(points, columns, strict=True) if point.is_in_force)
    return LearningCurve(
        judge=judge,
        bare=bare,
        right=right,
        wrong=len(columns[0].values) - right,
        points=points,
        expected=_expected(in_force, share, attempt=attempt_of(store, judge)),
    )


def _ever_in_force(store: Store, versions: list[Alignment]) -> list[Alignment]:
    """Return the versions that were ever in force, each once, the oldest first."""
    known = versions_of(versions, store.audit.events.all())
    ever = {version.alignment.signature: version.alignment for version in known if version.state in EVER_IN_FORCE}
    return sorted(ever.values(), key=lambda version: version.key)


def _on_common_labels(store: Store, judge: str, signatures: list[str], share: float) -> list[Valued]:
    """Return the scores of all these versions on the measuring labels that all of them have scored."""
    described = store.traffic.partitions.described(store.sampling.ledger.last_counted())
    excluded = frozenset(about.draw for about in described if tunes(about.question, share))
    rules = [single(JudgeKey(judge=judge, signature=signature)) for signature in signatures]
    traffic = labels_alone(store, rules, excluded)
    return valued(traffic.evidence(traffic.rules[0]), *(rule.values for rule in traffic.rules))


def _expected(labels: Valued, share: float, *, attempt: int) -> ExpectedPrecision | None:
    measured = auroc_of(labels)
    measuring = round(MORE_LABELS * (1 - share))
    gain, then = smallest_gain(labels, attempt), smallest_gain(labels, attempt, measuring)
    if measured.long_run is None or gain is None or then is None:
        return None
    half_width = (measured.long_run.high - measured.long_run.low) / 2
    return ExpectedPrecision(
        more=MORE_LABELS,
        measuring=measuring,
        half_width=half_width,
        half_width_then=half_width * shrunk(measured.n, measuring),
        gain=gain,
        gain_then=then,
        can_show=measured.estimate is not None and measured.estimate + then <= 1,
    )
