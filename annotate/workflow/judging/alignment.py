"""Align a model's judge with experts: choose a version on some labels, measure it on others, put it in force where it is better.

Whatever a model said is kept as it comes, so that a run that was stopped goes on where it was. Nothing is put in force that the
measuring labels do not show to be better.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from annotate.analysis.aligned_judges.alignment import (
    AlignmentLabels,
    Kinds,
    alignment_labels,
    decided_share,
    guidance_in_force,
    leaving_words,
)
from annotate.analysis.evidence_ledger import evidence_ledger
from annotate.analysis.rule_in_force import rule_in_force
from annotate.analysis.signatures import model_of
from annotate.domain.alignment import UNDONE, Alignment, NotAligned
from annotate.store import Store
from annotate.workflow.judging.model_request import ModelRequest, check_budget
from annotate.workflow.judging.version_asker import AskingStopped, VersionAsker
from annotate.workflow.judging.version_measurement import keep_version, measure_version
from annotate.workflow.judging.version_search import TriedVersion, VersionSearch
from proxy.errors import UsageError
from proxy.evaluation.alignment import FEWEST_MEASURING, FEWEST_TUNING
from proxy.reason import Reason

# The judges that need no reference and are asked in words.
LEARNING = ("context_relevance", "faithfulness", "answer_relevance", "correctness", "faithfulness_yes_no", "overall")


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
        return _outcome(VersionAsker(store, asked.request, clock), asked, alignment_labels(store, share), who)


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


def _outcome(asker: VersionAsker, asked: AlignmentRequest, labels: AlignmentLabels, who: str) -> AlignmentRun:
    """Choose, measure and decide."""
    run = AlignmentRun(
        judge=asked.judge,
        share=labels.share,
        tuning=Kinds.of(labels.tuning),
        measuring=Kinds.of(labels.measuring),
    )
    objection = next(iter(evidence_ledger(asker.store, *rule_in_force(asker.store)).against()), None)
    if objection is not None:
        return replace(run, not_aligned=NotAligned.OBJECTION, objection=objection.reason)
    if asked.guidelines is None and run.tuning.rarer < FEWEST_TUNING:
        return replace(run, not_aligned=NotAligned.FEW_TUNING)
    if run.measuring.rarer < FEWEST_MEASURING:
        return replace(run, not_aligned=NotAligned.FEW_MEASURING)
    tried = list[TriedVersion]()
    try:
        run = _aligned(asker, asked, labels, tried, run, who)
    except AskingStopped as reason:
        run = replace(run, not_aligned=NotAligned.STOPPED, stopped=str(reason))
    return replace(run, tried=tuple(tried), tokens=asker.tokens, cost=asker.cost)


def _aligned(
    asker: VersionAsker,
    asked: AlignmentRequest,
    labels: AlignmentLabels,
    tried: list[TriedVersion],
    run: AlignmentRun,
    who: str,
) -> AlignmentRun:
    """Measure a person's guidelines, or the version that does best; versions are added to `tried` as they are tried."""
    base = asker.in_force_on(labels.tuning)
    if asked.guidelines is not None:
        guidelines = tuple(map(leaving_words(asker.store), asked.guidelines))
        guidance = replace(guidance_in_force(asker.store, base), guidelines=guidelines)
    else:
        search = VersionSearch(asker.store, asker, labels, base, tried)
        chosen = search.chosen()
        if chosen is None:
            return replace(run, not_aligned=NotAligned.BEST_AS_IT_IS if search.has_measured else NotAligned.NO_SCORES)
        guidance = chosen
    measured = measure_version(asker, labels, guidance)
    kept = keep_version(asker.store, measured, who=who, now=asker.clock())
    return replace(run, alignment=kept, not_aligned=measured.not_aligned)
