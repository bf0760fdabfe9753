"""Choose a version of a judge on the labels that tune it, by successive halving: three versions on half of them, two on all.

Guidelines that are tried on a question were written from the other half of the questions, and no example is shown to its own.
Those in force have seen all questions, so every version that is tried starts from them: what they saw favours none.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from annotate.analysis.aligned_judges.alignment import (
    FOLDS,
    AlignmentLabels,
    DecidedDraw,
    Kinds,
    guidance_in_force,
    in_fold,
    library_of,
    side_by_side,
)
from annotate.analysis.aligned_judges.guideline_cases import guideline_cases
from annotate.store import Store
from annotate.workflow.judging.version_asker import VersionAsker
from proxy.evaluation.alignment import FEWEST_TUNING, GuidanceKind, first_round, ranked
from proxy.evaluation.candidates import JudgeKey
from proxy.evaluation.discrimination import auroc_of
from proxy.judges.llm.guidance import ExampleLibrary, Guidance
from proxy.judges.llm.guideline_writer import writer_for

FINALISTS = 2
WITH_GUIDELINES = (GuidanceKind.GUIDELINES, GuidanceKind.BOTH)
WITH_EXAMPLES = (GuidanceKind.EXAMPLES, GuidanceKind.BOTH)


@dataclass(frozen=True, kw_only=True, slots=True)
class TriedVersion:
    """A version on trial: the AUROC on the tuning labels that it was tried on, and their number."""

    kind: GuidanceKind
    auroc: float | None
    labels: int


@dataclass
class VersionSearch:
    """A search; the versions that it tries are added to `tried`, in their order."""

    store: Store
    asker: VersionAsker
    labels: AlignmentLabels
    base: JudgeKey
    tried: list[TriedVersion]

    @property
    def has_measured(self) -> bool:
        """Whether some version could be compared with another."""
        return any(version.auroc is not None for version in self.tried)

    def chosen(self) -> Guidance | None:
        """Return the guidance that does best; None where the judge is best as it is."""
        written = {fold: self._written(1 - fold) for fold in FOLDS}
        aurocs = {kind: self._auroc(kind, self._first_draws(), written) for kind in GuidanceKind}
        best = [kind for kind in ranked(aurocs) if kind is not GuidanceKind.NOTHING][:FINALISTS]
        aurocs = {kind: self._auroc(kind, self.labels.tuning, written) for kind in (GuidanceKind.NOTHING, *best)}
        winner = next(iter(ranked(aurocs)), GuidanceKind.NOTHING)
        if winner is GuidanceKind.NOTHING:
            return None
        written_from_all = self._written(None) if winner in WITH_GUIDELINES else ()
        guidance = self._guidance(winner, written_from_all or self._given.guidelines)
        return None if self._is_given(guidance) else guidance

    def _first_draws(self) -> Sequence[DecidedDraw]:
        """Return the draws of the first round; all, where half of them are too few."""
        early = first_round([draw.question for draw in self.labels.tuning])
        draws = [draw for draw in self.labels.tuning if draw.question in early]
        return draws if Kinds.of(draws).rarer >= FEWEST_TUNING else self.labels.tuning

    def _auroc(
        self, kind: GuidanceKind, draws: Sequence[DecidedDraw], written: Mapping[int, tuple[str, ...]]
    ) -> float | None:
        """Try a kind of guidance on these answers; `written` are the guidelines for each fold."""
        if kind in WITH_GUIDELINES and not all(written.values()):
            return None
        if kind is not GuidanceKind.NOTHING and all(map(self._is_given, self._tries(kind, written))):
            return None
        scores = self._scores(kind, draws, written)
        own, _ = side_by_side(self.store, self.base, scores, tuning=True, share=self.labels.share)
        measured = auroc_of(own)
        self.tried.append(TriedVersion(kind=kind, auroc=measured.estimate, labels=len(own.values)))
        return measured.estimate

    def _scores(
        self, kind: GuidanceKind, draws: Sequence[DecidedDraw], written: Mapping[int, tuple[str, ...]]
    ) -> dict[int, float]:
        if kind is GuidanceKind.NOTHING:
            return self.asker.scores_in_force(self.base, draws)
        scores: dict[int, float] = {}
        for fold, guidelines in written.items():
            rows = [draw.item for draw in in_fold(draws, fold)]
            if rows:
                version = self.asker.on_trial(self.asker.guided(self._guidance(kind, guidelines)), rows)
                values = self.asker.trial_values(version)
                scores |= {row: values[row] for row in rows if row in values}
        return scores

    def _guidance(self, kind: GuidanceKind, guidelines: tuple[str, ...]) -> Guidance:
        """Return guidance of a kind; where it brings no guidelines of its own, with those in force."""
        return Guidance(
            guidelines=guidelines if kind in WITH_GUIDELINES else self._given.guidelines,
            library=self._library if kind in WITH_EXAMPLES else None,
        )

    def _tries(self, kind: GuidanceKind, written: Mapping[int, tuple[str, ...]]) -> list[Guidance]:
        return [self._guidance(kind, guidelines) for guidelines in written.values()]

    def _is_given(self, guidance: Guidance) -> bool:
        return guidance.settings == self._given.settings

    @cached_property
    def _given(self) -> Guidance:
        return guidance_in_force(self.store, self.base)

    @cached_property
    def _library(self) -> ExampleLibrary:
        return library_of(self.store, self.labels.tuning)

    def _written(self, fold: int | None) -> tuple[str, ...]:
        """Return the guidelines that a model writes from a half of the tuning questions, or from all; none from too few."""
        cases = guideline_cases(self.store, self.base, self.labels, fold)
        if not cases:
            return ()
        anchor = next(iter(cases))
        version = self.asker.on_trial(
            lambda setup: writer_for(self.asker.plain(setup), setup, list(cases.values()), self._given.guidelines),
            [anchor],
        )
        reply = self.store.scores.trials.scores(version.judges[0][1]).get(anchor)
        return tuple(filter(None, reply.reason.split("\n"))) if reply else ()
