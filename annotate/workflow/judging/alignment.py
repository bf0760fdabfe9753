"""Align a model's judge with experts: choose a version on some labels, measure it on others, put it in force where it is better.

Whatever a model said is kept as it comes, so that a run that was stopped goes on where it was. Nothing is put in force that the
measuring labels do not show to be better.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from annotate.analysis.aligned_judges.alignment import (
    Kinds,
    alignment_labels,
    attempt_of,
    chosen_examples,
    decided_share,
    guidance_in_force,
    leaving_words,
    side_by_side,
)
from annotate.analysis.evidence_ledger import evidence_ledger
from annotate.analysis.rule_in_force import rule_in_force
from annotate.analysis.signatures import model_of
from annotate.domain.alignment import ALIGNED, UNDONE, Alignment, AlignmentFigures
from annotate.store import Store
from annotate.workflow.judging.model_request import ModelRequest, check_budget
from annotate.workflow.judging.version_asker import AskingStopped, VersionAsker
from annotate.workflow.judging.version_search import TriedVersion, VersionSearch
from proxy.errors import UsageError
from proxy.evaluation.alignment import (
    FEWEST_MEASURING,
    FEWEST_TUNING,
    LEAST_SCORED,
    GuidanceKind,
    compared_in,
)
from proxy.evaluation.candidates import JudgeKey
from proxy.evaluation.judge_contrast import contrast
from proxy.judges.llm.base import LlmJudge
from proxy.judges.llm.guidance import Guidance, GuidedJudge
from proxy.reason import Reason
from proxy.records import Judgement

# The judges that need no reference and are asked in words.
LEARNING = ("context_relevance", "faithfulness", "answer_relevance", "correctness", "faithfulness_yes_no", "overall")


class NotAligned(StrEnum):
    """Why a judge stays as it is."""

    FEW_TUNING = "few_tuning"
    FEW_MEASURING = "few_measuring"
    NO_SCORES = "no_scores"
    BEST_AS_IT_IS = "best_as_it_is"
    FAILS_MORE = "fails_more"
    NOT_SHOWN = "not_shown"
    OBJECTION = "objection"
    STOPPED = "stopped"


@dataclass(frozen=True, kw_only=True, slots=True)
class AlignmentRequest:
    """What to align.

    Attributes
    ----------
    judge
        The name of the judge.
    request
        The model that it asks, and what the run may cost.
    share
        The share of questions that tune this judge; None: as decided before, else 0.3.
    guidelines
        A person's guidelines, which are measured as they are; None: a model writes them.
    """

    judge: str
    request: ModelRequest
    share: float | None = None
    guidelines: tuple[str, ...] | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class AlignmentRun:
    """What a run came to.

    Attributes
    ----------
    judge, share
        The judge, and the share of questions that tune it.
    tuning, measuring
        How many labels of each kind there are for either.
    tried
        The versions in the order in which they were tried.
    alignment
        The version that was measured; None where none was.
    not_aligned
        Why the judge stays as it is; None where the version was put in force.
    tokens, cost
        What the run took; the cost None without prices.
    stopped
        Why the run stopped, where it did.
    objection
        What forbids any claim from these labels.
    """

    judge: str
    share: float
    tuning: Kinds
    measuring: Kinds
    tried: tuple[TriedVersion, ...] = ()
    alignment: Alignment | None = None
    not_aligned: NotAligned | None = None
    tokens: int = 0
    cost: float | None = None
    stopped: str | None = None
    objection: Reason | str | None = None

    @property
    def has_few(self) -> bool:
        """Whether there are too few labels to choose a version, or to measure one."""
        return self.not_aligned in (NotAligned.FEW_TUNING, NotAligned.FEW_MEASURING)

    @property
    def lacks_labels(self) -> bool:
        """Whether more labels are what it takes."""
        return self.has_few or self.not_aligned is NotAligned.NOT_SHOWN

    @property
    def is_complete(self) -> bool:
        """Whether the run came to its end."""
        return self.stopped is None


def align(store: Store, asked: AlignmentRequest, *, who: str, clock: Callable[[], str]) -> AlignmentRun:
    """Align a judge; nothing changes but what is kept of the run where no version is shown to be better.

    Raises
    ------
    UsageError
        For a share that differs from what was decided, and for what no model can be asked.
    EndpointError
        Where the endpoint cannot be used at all.
    """
    check_judge(asked)
    check_budget(asked.request)
    share = decided_share(store, asked.judge, asked.share)
    asked.request.check_key()
    with store.only_one("judge"):
        with store.atomic():
            store.scores.alignments.decide_share(asked.judge, share, now=clock())
        return _Aligning(store, asked, share, VersionAsker(store, asked.request, clock), who).run()


def only_in_force(versions: Sequence[Alignment], judge: str, model: str | None = None) -> Alignment:
    """Return the newest of these versions that is in force; UsageError where none is, or those of several models are."""
    current = [version for version in versions if version.is_in_force and model in (None, model_of(version.bare))]
    if not current:
        raise UsageError(f"no version of {judge} is in force: `assay align {judge}` makes one")
    if len({model_of(version.bare) for version in current}) > 1:
        known = " and ".join(version.bare for version in current)
        raise UsageError(f"versions of {judge} are in force for several models ({known}): name the model with --model")
    return current[-1]


def check_judge(asked: AlignmentRequest) -> None:
    """Raise UsageError for a judge that cannot learn: one that reads a reference, or asks a model for no verdict."""
    if asked.judge not in LEARNING and asked.judge not in asked.request.options.choice.aspects:
        raise UsageError(
            f"{asked.judge} cannot learn from labels: {', '.join(LEARNING)} can, and aspects of your own (--aspect)"
        )


def undo(
    store: Store, judge: str, *, who: str, now: str, bare: str | None = None, model: str | None = None
) -> Alignment:
    """Ask a judge again as it was before its version was put in force; UsageError where none is, or several models have one.

    The version before that one is in force again where there was one. `bare` is the signature of the judge without guidance,
    `model` the model that it asks; either may tell which is meant.
    """
    versions = store.scores.alignments.every(judge)
    current = only_in_force([version for version in versions if bare in (None, version.bare)], judge, model)
    before = next((version for version in versions if version.signature == current.base), None)
    with store.atomic():
        store.scores.alignments.withdraw(judge, current.bare)
        if before is not None:
            store.scores.alignments.put_back(before.key)
        detail = {"judge": judge, "signature": current.signature, "back_to": current.base}
        store.audit.events.append(UNDONE, detail, who=who, now=now)
    return replace(current, is_in_force=False)


@dataclass
class _Aligning:
    """A run: who asked for it, and what has become of it."""

    store: Store
    asked: AlignmentRequest
    share: float
    asker: VersionAsker
    who: str

    def __post_init__(self) -> None:
        self.labels = alignment_labels(self.store, self.share)
        self.tuning, self.measuring = Kinds.of(self.labels.tuning), Kinds.of(self.labels.measuring)
        self.search: VersionSearch | None = None

    def run(self) -> AlignmentRun:
        """Choose, measure and decide."""
        alignment: Alignment | None = None
        stopped: str | None = None
        objection = next(iter(evidence_ledger(self.store, *rule_in_force(self.store)).against()), None)
        why: NotAligned | None = NotAligned.OBJECTION
        if objection is None:
            try:
                alignment, why = self._aligned()
            except AskingStopped as reason:
                why, stopped = NotAligned.STOPPED, str(reason)
        return AlignmentRun(
            judge=self.asked.judge,
            share=self.share,
            tuning=self.tuning,
            measuring=self.measuring,
            tried=tuple(self.search.tried) if self.search else (),
            alignment=alignment,
            not_aligned=why,
            tokens=self.asker.tokens,
            cost=self.asker.cost,
            stopped=stopped,
            objection=objection.reason if objection else None,
        )

    def _aligned(self) -> tuple[Alignment | None, NotAligned | None]:
        if self.asked.guidelines is None and self.tuning.rarer < FEWEST_TUNING:
            return None, NotAligned.FEW_TUNING
        if self.measuring.rarer < FEWEST_MEASURING:
            return None, NotAligned.FEW_MEASURING
        base = self.asker.in_force_on(self.labels.tuning)
        if self.asked.guidelines is not None:
            leaving = leaving_words(self.store)
            guidelines = tuple(map(leaving, self.asked.guidelines))
            return self._measured(replace(guidance_in_force(self.store, base), guidelines=guidelines))
        self.search = VersionSearch(self.store, self.asker, self.labels, base)
        guidance = self.search.chosen()
        if guidance is None:
            return None, NotAligned.BEST_AS_IT_IS if self.search.has_measured else NotAligned.NO_SCORES
        return self._measured(guidance)

    def _measured(self, guidance: Guidance) -> tuple[Alignment, NotAligned | None]:
        """Measure a version beside the judge in force, on labels that chose neither, and keep what came of it."""
        base = self.asker.in_force_on(self.labels.measuring)
        rows = [draw.item for draw in self.labels.measuring]
        version = self.asker.on_trial(self.asker.guided(guidance), rows)
        signature = version.judges[0][1]
        values = self.store.scores.trials.values(signature)
        own, beside = side_by_side(self.store, base, values, tuning=False, share=self.share)
        compared = contrast(own, beside, compared_in(attempt_of(self.store, self.asked.judge, signature)))
        why = None if compared.is_better else NotAligned.NOT_SHOWN
        if self._fails_more(base, values):
            why = NotAligned.FAILS_MORE
        right = int(own.right.sum())
        alignment = Alignment(
            judge=base.judge,
            bare=bare_of(version),
            base=base.signature,
            signature=signature,
            kind=_kind_of(guidance),
            guidelines=guidance.guidelines,
            examples=chosen_examples(self.store, self.labels.tuning, guidance.library),
            figures=AlignmentFigures(
                base=compared.second,
                aligned=compared.first,
                difference=compared.difference,
                lowest=compared.lowest,
                right=right,
                wrong=len(own.values) - right,
            ),
            at=self.asker.clock(),
            is_in_force=why is None,
        )
        return self._kept(alignment, version.settings), why

    def _fails_more(self, base: JudgeKey, values: Mapping[int, float]) -> bool:
        """Return whether a version gives no score on too many answers of either kind that the judge in force scores."""
        scored = self.asker.scores_in_force(base, self.labels.measuring)
        for judgement in (Judgement.RIGHT, Judgement.WRONG):
            items = [draw.item for draw in self.labels.measuring if draw.judgement is judgement and draw.item in scored]
            if sum(item in values for item in items) < LEAST_SCORED * len(items):
                return True
        return False

    def _kept(self, alignment: Alignment, settings: Mapping[str, object]) -> Alignment:
        """Keep the version; where it is put in force, its scores of the measuring labels become scores like any other."""
        now = self.asker.clock()
        with self.store.atomic():
            kept = self.store.scores.alignments.keep(alignment)
            if not kept.is_in_force:
                return kept
            self.store.scores.describe(kept.judge, kept.signature, settings)
            outcomes = self.store.scores.trials.outcomes(kept.signature)
            self.store.scores.keep({item: [outcome] for item, outcome in outcomes.items()}, now=now)
            figures = kept.figures
            detail = {
                "judge": kept.judge,
                "signature": kept.signature,
                "replaces": kept.base,
                "guidelines": len(kept.guidelines),
                "examples": len(kept.examples),
                "labels": figures.difference.n,
                "difference": figures.difference.estimate,
                "lowest": figures.lowest,
            }
            self.store.audit.events.append(ALIGNED, detail, who=self.who, now=now)
        return kept


def bare_of(version: LlmJudge) -> str:
    """Return the signature of a version's judge without its guidance."""
    judge = version.judge if isinstance(version, GuidedJudge) else version
    return judge.judges[0][1]


def _kind_of(guidance: Guidance) -> GuidanceKind:
    if guidance.guidelines and guidance.library:
        return GuidanceKind.BOTH
    return GuidanceKind.GUIDELINES if guidance.guidelines else GuidanceKind.EXAMPLES
