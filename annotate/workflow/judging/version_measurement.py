"""Measure a version of a judge beside the judge in force, on labels that chose neither, and keep what came of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from annotate.analysis.aligned_judges.alignment import AlignmentLabels, attempt_of, chosen_examples, side_by_side
from annotate.domain.alignment import ALIGNED, Alignment, AlignmentFigures, NotAligned
from annotate.store import Store
from annotate.workflow.judging.version_asker import VersionAsker
from proxy.evaluation.alignment import LEAST_SCORED, GuidanceKind, compared_in
from proxy.evaluation.discrimination import Valued
from proxy.evaluation.judge_contrast import JudgeContrast, contrast
from proxy.judges.llm.base import LlmJudge
from proxy.judges.llm.guidance import Guidance, GuidedJudge
from proxy.records import Judgement


@dataclass(frozen=True, kw_only=True, slots=True)
class VersionMeasured:
    """A version with its figures, why it is not put in force where it is not, and what its signature stands for."""

    alignment: Alignment
    not_aligned: NotAligned | None
    settings: Mapping[str, object]


def measure_version(asker: VersionAsker, labels: AlignmentLabels, guidance: Guidance) -> VersionMeasured:
    """Have both judges score the measuring answers, and compare them.

    Raises
    ------
    AskingStopped
        Where the model was not asked about all answers.
    """
    base = asker.in_force_on(labels.measuring)
    version = asker.on_trial(asker.guided(guidance), [draw.item for draw in labels.measuring])
    signature = version.judges[0][1]
    values = asker.trial_values(version)
    own, beside = side_by_side(asker.store, base, values, tuning=False, share=labels.share)
    compared = contrast(own, beside, compared_in(attempt_of(asker.store, base.judge, signature)))
    why = None if compared.is_better else NotAligned.NOT_SHOWN
    if _fails_more(labels, asker.scores_in_force(base, labels.measuring), values):
        why = NotAligned.FAILS_MORE
    alignment = Alignment(
        judge=base.judge,
        bare=_bare_of(version),
        base=base.signature,
        signature=signature,
        kind=_kind_of(guidance),
        guidelines=guidance.guidelines,
        examples=chosen_examples(asker.store, labels.tuning, guidance.library),
        figures=_figures(compared, own),
        at=asker.clock(),
        is_in_force=why is None,
    )
    return VersionMeasured(alignment=alignment, not_aligned=why, settings=version.settings)


def keep_version(store: Store, measured: VersionMeasured, *, who: str, now: str) -> Alignment:
    """Keep the version; where it is put in force, its scores of the measuring labels become scores like any other."""
    with store.atomic():
        kept = store.scores.alignments.keep(measured.alignment)
        if kept.is_in_force:
            store.scores.describe(kept.judge, kept.signature, measured.settings)
            outcomes = store.scores.trials.outcomes(kept.signature)
            store.scores.keep({item: [outcome] for item, outcome in outcomes.items()}, now=now)
            store.audit.events.append(ALIGNED, _logged(kept), who=who, now=now)
    return kept


def _logged(version: Alignment) -> dict[str, object]:
    figures = version.figures
    return {
        "judge": version.judge,
        "signature": version.signature,
        "replaces": version.base,
        "guidelines": len(version.guidelines),
        "examples": len(version.examples),
        "labels": figures.difference.n,
        "difference": figures.difference.estimate,
        "lowest": figures.lowest,
    }


def _figures(compared: JudgeContrast, own: Valued) -> AlignmentFigures:
    right = int(own.right.sum())
    return AlignmentFigures(
        base=compared.second,
        aligned=compared.first,
        difference=compared.difference,
        lowest=compared.lowest,
        right=right,
        wrong=len(own.values) - right,
    )


def _fails_more(labels: AlignmentLabels, scored: Mapping[int, float], values: Mapping[int, float]) -> bool:
    """Return whether a version gives no score on too many answers of either kind that the judge in force scores."""
    for judgement in (Judgement.RIGHT, Judgement.WRONG):
        items = [draw.item for draw in labels.measuring if draw.judgement is judgement and draw.item in scored]
        if sum(item in values for item in items) < LEAST_SCORED * len(items):
            return True
    return False


def _bare_of(version: LlmJudge) -> str:
    """Return the signature of a version's judge without its guidance."""
    judge = version.judge if isinstance(version, GuidedJudge) else version
    return judge.judges[0][1]


def _kind_of(guidance: Guidance) -> GuidanceKind:
    if guidance.guidelines and guidance.library:
        return GuidanceKind.BOTH
    return GuidanceKind.GUIDELINES if guidance.guidelines else GuidanceKind.EXAMPLES
