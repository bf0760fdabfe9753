"""Align a model's judge with experts: try versions of it on tuning labels, measure one, and put it in force where it is better.

Whatever a model said is kept as it comes, so that a run that was stopped goes on where it was. Nothing is put in force that the
measuring labels do not show to be better.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum

from annotate.analysis.evidence_ledger import evidence_ledger
from annotate.analysis.judges.alignment import (
    AlignmentLabels,
    Kinds,
    LabelledDraw,
    alignment_labels,
    examples_of,
    guidance_of,
    library_of,
    side_by_side,
)
from annotate.analysis.rule_in_force import rule_in_force
from annotate.domain.alignment import Alignment, AlignmentFigures
from annotate.store import Store
from annotate.workflow.judging import model
from annotate.workflow.judging.model_request import ModelRequest, check_budget, within_budget
from annotate.workflow.judging.runs import ModelJudged, Options
from proxy.errors import UsageError
from proxy.evaluation.alignment import (
    FEWEST_MEASURING,
    FEWEST_TUNING,
    LEAST_SCORED,
    MOST_SHARE,
    SHARE,
    GuidanceKind,
    compared_in,
    first_round,
    fold_of,
    ranked,
)
from proxy.evaluation.candidates import JudgeKey
from proxy.evaluation.discrimination import auroc_of
from proxy.evaluation.judge_contrast import contrast
from proxy.judges.llm.base import LlmJudge, Setup
from proxy.judges.llm.guidance import Guidance, GuidedJudge
from proxy.judges.llm.guideline_writer import Correction, GuidelineWriter
from proxy.judges.menu import build
from proxy.llm.openai_client import usual_parameters
from proxy.reason import Reason
from proxy.records import Judgement

ALIGNED, UNDONE = "judge aligned", "judge alignment undone"
# Chosen: as many answers as show a pattern, and no more than a prompt holds.
MOST_CORRECTIONS, FEWEST_CORRECTIONS = 12, 2
FAR_OFF = 0.5


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
class TriedVersion:
    """A version on trial: the AUROC on the tuning labels that it was tried on, and their number."""

    kind: GuidanceKind
    auroc: float | None
    labels: int


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
    def lacks_labels(self) -> bool:
        """Whether more labels are what it takes."""
        return self.not_aligned in (NotAligned.FEW_TUNING, NotAligned.FEW_MEASURING, NotAligned.NOT_SHOWN)

    @property
    def is_complete(self) -> bool:
        """Whether the run came to its end."""
        return self.stopped is None


class _Stopped(Exception):
    """The run of a model that did not come to its end."""


def align(store: Store, asked: AlignmentRequest, *, who: str, clock: Callable[[], str]) -> AlignmentRun:
    """Align a judge; nothing changes but what is kept of the run where no version is shown to be better.

    Raises
    ------
    UsageError
        For a share that differs from what was decided, and for what no model can be asked.
    EndpointError
        Where the endpoint cannot be used at all.
    """
    check_budget(asked.request)
    share = decided_share(store, asked.judge, asked.share)
    asked.request.check_key()
    with store.only_one("judge"):
        with store.atomic():
            store.scores.alignments.decide_share(asked.judge, share, now=clock())
        return _Aligning(store, asked, alignment_labels(store, share), clock).run(who)


def decided_share(store: Store, judge: str, share: float | None) -> float:
    """Return the share of questions that tune this judge; UsageError where another was decided, or one beyond a half."""
    decided = store.scores.alignments.share(judge)
    if share is not None and not 0 < share <= MOST_SHARE:
        raise UsageError(f"--tune is above 0 and at most {MOST_SHARE:g}: the other questions measure the judge")
    if decided is not None and share is not None and share != decided:
        raise UsageError(
            f"{decided:g} of the questions tune {judge}, for ever: a label that tuned it can never measure it; "
            "leave --tune out"
        )
    return decided or share or SHARE


def undo(store: Store, judge: str, *, who: str, now: str) -> Alignment:
    """Ask a judge again as it was before its newest version was put in force; UsageError where none is.

    The version before that one is in force again where there was one.
    """
    versions = store.scores.alignments.every(judge)
    current = next((version for version in reversed(versions) if version.is_in_force), None)
    if current is None:
        raise UsageError(f"no version of {judge} is in force: `assay align {judge}` makes one")
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
    """A run: what it may still spend, and what it has tried."""

    store: Store
    asked: AlignmentRequest
    labels: AlignmentLabels
    clock: Callable[[], str]
    tried: list[TriedVersion] = field(default_factory=list)
    tokens: int = 0
    cost: float | None = None

    def __post_init__(self) -> None:
        request = self.asked.request
        self.left: Options = replace(request.options, most_items=None)

    def run(self, who: str) -> AlignmentRun:
        """Try, measure, and decide."""
        tuning, measuring = Kinds.of(self.labels.tuning), Kinds.of(self.labels.measuring)
        alignment: Alignment | None = None
        stopped: str | None = None
        objection = next(iter(evidence_ledger(self.store, *rule_in_force(self.store)).against()), None)
        try:
            alignment, why = (None, NotAligned.OBJECTION) if objection else self._aligned(tuning, measuring, who)
        except _Stopped as reason:
            why, stopped = NotAligned.STOPPED, str(reason)
        return AlignmentRun(
            judge=self.asked.judge,
            share=self.labels.share,
            tuning=tuning,
            measuring=measuring,
            tried=tuple(self.tried),
            alignment=alignment,
            not_aligned=why,
            tokens=self.tokens,
            cost=self.cost,
            stopped=stopped,
            objection=objection.reason if objection else None,
        )

    def _aligned(self, tuning: Kinds, measuring: Kinds, who: str) -> tuple[Alignment | None, NotAligned | None]:
        if self.asked.guidelines is None and tuning.rarer < FEWEST_TUNING:
            return None, NotAligned.FEW_TUNING
        if measuring.rarer < FEWEST_MEASURING:
            return None, NotAligned.FEW_MEASURING
        base = self._base(self.labels.tuning)
        finalist = self._chosen(base) if self.asked.guidelines is None else self._of_person(base)
        if finalist is None:
            known = any(tried.auroc is not None for tried in self.tried)
            return None, NotAligned.BEST_AS_IT_IS if known else NotAligned.NO_SCORES
        return self._measured(finalist, who)

    def _base(self, draws: Sequence[LabelledDraw]) -> JudgeKey:
        """Have the judge in force score these answers, and return it."""
        judged = self._ask(replace(self.left, rows=[draw.item for draw in draws]))
        name, signature = judged.judges[0].judges[0]
        return JudgeKey(judge=name, signature=signature)

    def _ask(self, options: Options) -> ModelJudged:
        """Ask what is missing, out of what is left of the budget."""
        request = self.asked.request
        endpoint = request.endpoint()
        usual = usual_parameters(endpoint.url) if endpoint else {}
        judged = model.judge(self.store, endpoint, options, usual, self.clock)
        self.left = replace(within_budget(self.left, judged), probes_again=False)
        self.tokens += sum((used.prompt_tokens or 0) + (used.completion_tokens or 0) for used in judged.used)
        costs = [used.cost for used in judged.used if used.cost is not None]
        self.cost = sum(costs, self.cost or 0.0) if costs or self.cost is not None else None
        if judged.stopped:
            raise _Stopped(judged.stopped)
        return judged

    def _try(self, version: Callable[[Setup], LlmJudge], rows: Sequence[int]) -> dict[int, float]:
        """Have a version score these items, and return its scores."""
        judged = self._ask(replace(self.left, rows=list(rows), versions=lambda setup: (version(setup),)))
        values = self.store.scores.trials.values(judged.judges[0].judges[0][1])
        return {row: values[row] for row in rows if row in values}

    def _guided(self, guidance: Guidance) -> Callable[[Setup], LlmJudge]:
        """Return what makes the judge with this guidance."""

        def version(setup: Setup) -> LlmJudge:
            (judge,) = build(setup, self.left.choice)
            return GuidedJudge(judge=judge, setup=setup, guidance=guidance)

        return version

    def _chosen(self, base: JudgeKey) -> Guidance | None:
        """Choose a version on the tuning labels, in two rounds; None where the judge is best as it is."""
        folds = {number: self._written(base, 1 - number) for number in (0, 1)}
        early = first_round([draw.question for draw in self.labels.tuning])
        draws = [draw for draw in self.labels.tuning if draw.question in early]
        if Kinds.of(draws).rarer < FEWEST_TUNING:
            draws = list(self.labels.tuning)
        aurocs = {kind: self._tuned(kind, base, draws, folds) for kind in GuidanceKind}
        best = [kind for kind in ranked(aurocs) if kind is not GuidanceKind.NOTHING][:2]
        kinds = (GuidanceKind.NOTHING, *best)
        aurocs = {kind: self._tuned(kind, base, self.labels.tuning, folds) for kind in kinds}
        winner = next(iter(ranked(aurocs)), GuidanceKind.NOTHING)
        return None if winner is GuidanceKind.NOTHING else self._guidance(winner, self._written(base, None))

    def _tuned(
        self,
        kind: GuidanceKind,
        base: JudgeKey,
        draws: Sequence[LabelledDraw],
        folds: Mapping[int, tuple[str, ...]],
    ) -> float | None:
        """Return the AUROC of a kind of version on tuning labels; guidelines are those that other questions led to."""
        if kind is GuidanceKind.NOTHING:
            values = self._base_values(base, draws)
        elif kind in (GuidanceKind.GUIDELINES, GuidanceKind.BOTH) and not all(folds.values()):
            return None
        else:
            values = {}
            for fold, guidelines in folds.items():
                rows = [draw.item for draw in draws if fold_of(draw.question) == fold]
                values |= self._try(self._guided(self._guidance(kind, guidelines)), rows) if rows else {}
        own, _ = side_by_side(self.store, base, values, tuning=True, share=self.labels.share)
        measured = auroc_of(own)
        tried = TriedVersion(kind=kind, auroc=measured.estimate, labels=len(own.values))
        self.tried.append(tried)
        return measured.estimate

    def _base_values(self, base: JudgeKey, draws: Sequence[LabelledDraw]) -> dict[int, float]:
        key = self.store.scores.known_keys([(base.judge, base.signature)])[base.judge, base.signature]
        return self.store.scores.values_among([draw.item for draw in draws], key)

    def _guidance(self, kind: GuidanceKind, guidelines: tuple[str, ...]) -> Guidance:
        has_examples = kind in (GuidanceKind.EXAMPLES, GuidanceKind.BOTH)
        return Guidance(
            guidelines=guidelines if kind in (GuidanceKind.GUIDELINES, GuidanceKind.BOTH) else (),
            library=library_of(self.store, self.labels.tuning) if has_examples else None,
        )

    def _written(self, base: JudgeKey, fold: int | None) -> tuple[str, ...]:
        """Return the guidelines that a model writes from one half of the tuning questions, or from all; none from too few."""
        draws = [draw for draw in self.labels.tuning if fold is None or fold_of(draw.question) == fold]
        corrections, anchor = self._corrections(base, draws)
        if len(corrections) < FEWEST_CORRECTIONS:
            return ()

        def writer(setup: Setup) -> LlmJudge:
            (judge,) = build(setup, self.left.choice)
            task = setup.prompts.text(str(judge.settings["prompt"]).partition(" + ")[0], "en")
            return GuidelineWriter(setup=setup, name=self.asked.judge, task=task, corrections=corrections)

        judged = self._ask(replace(self.left, rows=[anchor], versions=lambda setup: (writer(setup),)))
        lines = self.store.scores.trials.reasons(judged.judges[0].judges[0][1]).get(anchor, "")
        return tuple(filter(None, lines.split("\n")))

    def _corrections(self, base: JudgeKey, draws: Sequence[LabelledDraw]) -> tuple[list[Correction], int]:
        """Return the answers on which judge and experts differ most, those with a reason first; and the row of the first."""
        values = self._base_values(base, draws)
        far = [
            (draw, off)
            for draw in draws
            if draw.item in values and (off := abs(values[draw.item] - _right(draw))) > FAR_OFF
        ]
        examples = dict(
            zip((draw.item for draw, _ in far), examples_of(self.store, [draw for draw, _ in far]), strict=False)
        )
        order = sorted(far, key=lambda pair: (not examples[pair[0].item].why, -pair[1], pair[0].item))
        said = {draw.item: self._reason(draw.item, base) for draw, _ in order[:MOST_CORRECTIONS]}
        corrections = [
            Correction(example=examples[item], value=values[item], reason=reason) for item, reason in said.items()
        ]
        return corrections, next(iter(said), 0)

    def _reason(self, item: int, base: JudgeKey) -> str:
        return next((reason for *_, reason in self.store.scores.of_item(item, [base.signature])), "")

    def _of_person(self, base: JudgeKey) -> Guidance:
        """Return a person's guidelines, with the examples of the version in force where it has some."""
        current = next(
            (
                version
                for version in self.store.scores.alignments.every(base.judge)
                if version.signature == base.signature
            ),
            None,
        )
        library = guidance_of(self.store, current).library if current else None
        return Guidance(guidelines=self.asked.guidelines or (), library=library)

    def _measured(self, guidance: Guidance, who: str) -> tuple[Alignment, NotAligned | None]:
        """Measure a version beside the judge in force on labels that chose neither, and keep what came of it."""
        base = self._base(self.labels.measuring)
        rows = [draw.item for draw in self.labels.measuring]
        version = self._guided(guidance)
        judged = self._ask(replace(self.left, rows=rows, versions=lambda setup: (version(setup),)))
        (guided,) = judged.judges
        if not isinstance(guided, GuidedJudge):
            raise TypeError(guided)
        signature = guided.judges[0][1]
        values = self.store.scores.trials.values(signature)
        own, beside = side_by_side(self.store, base, values, tuning=False, share=self.labels.share)
        attempt = 1 + len(self.store.scores.alignments.every(self.asked.judge))
        compared = contrast(own, beside, compared_in(attempt))
        base_scored = len(self._base_values(base, self.labels.measuring))
        fails_more = len(own.values) < LEAST_SCORED * base_scored
        why = None if compared.is_better and not fails_more else NotAligned.NOT_SHOWN
        if fails_more:
            why = NotAligned.FAILS_MORE
        right = int(own.right.sum())
        examples = guidance.library.examples if guidance.library else ()
        alignment = Alignment(
            judge=base.judge,
            bare=guided.judge.judges[0][1],
            base=base.signature,
            signature=signature,
            kind=_kind_of(guidance),
            guidelines=guidance.guidelines,
            examples=tuple(draw.item for draw in self.labels.tuning) if examples else (),
            figures=AlignmentFigures(
                base=compared.second,
                aligned=compared.first,
                difference=compared.difference,
                lowest=compared.lowest,
                right=right,
                wrong=len(own.values) - right,
            ),
            at=self.clock(),
            is_in_force=why is None,
        )
        return self._kept(alignment, guided, who), why

    def _kept(self, alignment: Alignment, guided: GuidedJudge, who: str) -> Alignment:
        """Keep the version; where it is put in force, its scores of the measuring labels become scores like any other."""
        now = self.clock()
        with self.store.atomic():
            kept = self.store.scores.alignments.keep(alignment)
            if not kept.is_in_force:
                return kept
            self.store.scores.describe(kept.judge, kept.signature, guided.settings)
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
            self.store.audit.events.append(ALIGNED, detail, who=who, now=now)
        return kept


def _right(draw: LabelledDraw) -> float:
    return float(draw.judgement is Judgement.RIGHT)


def _kind_of(guidance: Guidance) -> GuidanceKind:
    if guidance.guidelines and guidance.library:
        return GuidanceKind.BOTH
    return GuidanceKind.GUIDELINES if guidance.guidelines else GuidanceKind.EXAMPLES
