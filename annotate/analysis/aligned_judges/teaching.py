"""Read what experts teach a model's judge: what they corrected, the versions that were measured, and what it cost."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from annotate.analysis.aligned_judges.alignment import Kinds, alignment_labels, are_few
from annotate.analysis.aligned_judges.corrections import CorrectedAnswers, corrected_answers
from annotate.analysis.signatures import JudgeKind, kind_of, model_of
from annotate.domain.alignment import ALIGNED, GUIDELINES_SAVED, UNDONE, Alignment
from annotate.store import Store
from annotate.store.audit.events import Event
from annotate.store.scores.calls import Taken
from proxy.evaluation.alignment import SHARE
from proxy.judges.taught import is_mapped
from proxy.text.addresses import without_secrets

EVER = ""


class TaughtState(StrEnum):
    """What became of a version that was measured."""

    IN_FORCE = "in_force"
    UNDONE = "undone"  # it was in force until somebody took it out
    REPLACED = "replaced"  # it was in force until a better one came
    FAILS_MORE = "fails_more"  # better, but it gives no score on too many answers
    NOT_SHOWN = "not_shown"  # not shown to be better


@dataclass(frozen=True, kw_only=True, slots=True)
class TaughtVersion:
    """A version that was measured, and what became of it."""

    alignment: Alignment
    state: TaughtState


@dataclass(frozen=True, kw_only=True, slots=True)
class SavedGuidelines:
    """Guidelines that a person saved in a file beside the store, to be measured."""

    file: str
    lines: int
    who: str
    at: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Teaching:
    """What is known of how experts teach a judge.

    Attributes
    ----------
    judge, bare
        The name of the judge, and its signature without guidance.
    model, url
        The model that it asks, and where, as far as its settings tell.
    share
        The share of questions that tune it: as decided, else as it would be.
    tuning, measuring
        How many labels of each kind there are for either.
    versions
        Those that were measured, the newest first.
    corrected
        What experts corrected, among the labels that tune.
    saved
        The newest guidelines that wait to be measured; None where none do.
    taken
        What requests of this judge, whatever its version, have taken.
    """

    judge: str
    bare: str | None
    model: str | None
    url: str | None
    share: float
    tuning: Kinds
    measuring: Kinds
    versions: tuple[TaughtVersion, ...]
    corrected: CorrectedAnswers
    saved: SavedGuidelines | None
    taken: Taken

    @property
    def has_few(self) -> bool:
        """Whether there are too few labels to choose a version, or to measure one."""
        return are_few(self.tuning, self.measuring)

    @property
    def in_force(self) -> Alignment | None:
        """The version that is in force, which undoing would take out; None where the judge is asked without guidance."""
        return next((version.alignment for version in self.versions if version.state is TaughtState.IN_FORCE), None)


def teachable(store: Store) -> list[str]:
    """Return the names of the judges that a model is asked for, those with a measured version first."""
    taught = dict.fromkeys(version.judge for version in reversed(store.scores.alignments.every()))
    asked = sorted(
        totals.judge for totals in store.scores.by_judge() if kind_of(totals.judge, totals.signature) is JudgeKind.MODEL
    )
    return list(dict.fromkeys([*taught, *asked]))


def teaching(store: Store, judge: str) -> Teaching:
    """Return what is known of how experts teach this judge."""
    share = store.scores.alignments.share(judge) or SHARE
    labels = alignment_labels(store, share)
    events = store.audit.events.all()
    versions = versions_of(store.scores.alignments.every(judge), events)
    signatures = signatures_in_turn(store, judge, [version.alignment for version in versions])
    bare = versions[0].alignment.bare if versions else next(iter(signatures), None)
    return Teaching(
        judge=judge,
        bare=bare,
        model=model_of(bare) if bare else None,
        url=_url_of(store, bare) if bare else None,
        share=share,
        tuning=Kinds.of(labels.tuning),
        measuring=Kinds.of(labels.measuring),
        versions=versions,
        corrected=corrected_answers(store, judge, signatures, labels.tuning),
        saved=_saved(judge, versions, events),
        taken=store.scores.calls.taken_since(judge, EVER),
    )


def versions_of(alignments: Sequence[Alignment], events: Iterable[Event]) -> tuple[TaughtVersion, ...]:
    """Return what became of each version, the newest first."""
    log = list(events)
    ever, undone = _signatures(log, ALIGNED), _signatures(log, UNDONE)
    return tuple(
        TaughtVersion(alignment=version, state=_state(version, ever, undone)) for version in reversed(alignments)
    )


def signatures_in_turn(store: Store, judge: str, newest_first: Sequence[Alignment]) -> list[str]:
    """Return the signatures of a judge: the version in force, then the one before it, down to the judge without guidance."""
    current = next((version for version in newest_first if version.is_in_force), None)
    if current is not None:
        return [current.signature, current.base, current.bare]
    if newest_first:
        return [newest_first[0].bare]
    known = [
        totals
        for totals in store.scores.by_judge()
        if totals.judge == judge and kind_of(judge, totals.signature) is JudgeKind.MODEL
        if not is_mapped(totals.signature)
    ]
    return [totals.signature for totals in sorted(known, key=lambda totals: -totals.key)]


def _url_of(store: Store, signature: str) -> str | None:
    """Return where the judge of this signature is asked, without what may be a key."""
    url = store.scores.usage.settings().get(signature, {}).get("url")
    return without_secrets(url) if isinstance(url, str) else None


def _state(version: Alignment, ever: set[str], undone: set[str]) -> TaughtState:
    if version.is_in_force:
        return TaughtState.IN_FORCE
    if version.signature in undone:
        return TaughtState.UNDONE
    if version.signature in ever:
        return TaughtState.REPLACED
    lowest = version.figures.lowest
    return TaughtState.FAILS_MORE if lowest is not None and lowest > 0 else TaughtState.NOT_SHOWN


def _signatures(events: Iterable[Event], what: str) -> set[str]:
    return {str(_detail(event).get("signature")) for event in events if event.what == what}


def _saved(judge: str, versions: Sequence[TaughtVersion], events: Sequence[Event]) -> SavedGuidelines | None:
    """Return what was saved last, where nothing was measured since."""
    measured = versions[0].alignment.at if versions else ""
    for event in reversed(events):
        detail = _detail(event)
        if event.what == GUIDELINES_SAVED and detail.get("judge") == judge:
            if event.at <= measured:
                return None
            lines = detail.get("guidelines")
            return SavedGuidelines(
                file=str(detail.get("file")), lines=lines if isinstance(lines, int) else 0, who=event.who, at=event.at
            )
    return None


def _detail(event: Event) -> Mapping[str, object]:
    detail = event.read()
    return detail if isinstance(detail, dict) else {}
