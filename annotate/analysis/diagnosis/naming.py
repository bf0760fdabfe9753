"""Name the stage (retrieval or synthesis) that makes answers wrong, for each system and for all together.

Reads labels, scores and waves from the store, and returns `Namings`. `assay diagnose`, the report, the pages and the demo all
show this record. The test itself is in `proxy.diagnosis`: this module collects what it needs.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace

from annotate.analysis.diagnosis.inputs import StageJudges, Thresholds, stage_judges
from annotate.analysis.diagnosis.weights import Scales, faithfulness_side, relevance_side, scales, scales_as_drawn
from annotate.analysis.evidence import Traffic
from annotate.store import Store
from annotate.store.scores.stage_scores import ItemStageScores
from proxy.diagnosis import (
    Area,
    Naming,
    Obstacle,
    Reach,
    ReachedScore,
    Sides,
    Stage,
    StageEvidence,
    Tested,
    contrast,
    is_measurable,
    reach,
)
from proxy.evaluation.evidence_ledger import Objection
from proxy.records import Judgement, Label
from proxy.rule import Rule

Scores = Mapping[str | None, Sequence[ReachedScore]]
SIDES = {Stage.RETRIEVAL: relevance_side, Stage.SYNTHESIS: faithfulness_side}
AREAS = [stage for stage in Stage if stage is not Stage.RERANK]


@dataclass(frozen=True, kw_only=True, slots=True)
class Namings:
    """The result: one `Naming` for all traffic together (`whole`), and one for each system that has a label (`each`)."""

    whole: Naming
    each: Mapping[str | None, Naming]


@dataclass(frozen=True, kw_only=True)
class SharedNaming(Naming):
    """The naming of a system that answers from the same passages as other systems.

    Retrieval is never named for such a system alone. If it does worse than `others` with the same passages, the passages do not
    explain why. Whether they are bad shows in the naming of all systems together.

    Attributes
    ----------
    others : tuple of str or None
        The systems whose passages are the same, word for word.
    is_shared_retrieval : bool
        Whether retrieval would have been named. `obstacle` is then ELSEWHERE.
    """

    others: tuple[str | None, ...]

    def __post_init__(self) -> None:
        """Set the stage or the obstacle; take retrieval back."""
        Naming.__post_init__(self)
        object.__setattr__(self, "is_shared_retrieval", self.stage is Stage.RETRIEVAL)
        if self.stage is Stage.RETRIEVAL:
            object.__setattr__(self, "stage", None)
            object.__setattr__(self, "obstacle", Obstacle.ELSEWHERE)

    is_shared_retrieval: bool = field(init=False)


@dataclass(frozen=True, kw_only=True, slots=True)
class _Labelled:
    """A label, and what the judges say of its answer: the scores (`standing`) and the stage they point to (`place`)."""

    label: Label
    standing: ItemStageScores
    place: StageEvidence


@dataclass(frozen=True, kw_only=True, slots=True)
class _Scope:
    """What is known of one system, or of all together: the input of `_naming`.

    `weights` are the labels with their weights; `sides` split all draws at the threshold of each stage, into good and bad.
    """

    system: str | None
    is_all: bool
    labelled: Sequence[_Labelled]
    weights: Scales
    sides: Mapping[Stage, Sides]


def name_all(
    store: Store, key: int, rule: Rule, objections: Sequence[Objection] = (), traffic: Traffic | None = None
) -> Namings:
    """Name the stages at the usual thresholds.

    Parameters
    ----------
    store : Store
        Labels, scores and waves.
    key, rule : int, Rule
        The rule in force, and its row.
    objections : sequence of Objection
        What forbids any claim from these labels; with one, no stage is named.
    traffic : Traffic, optional
        What all labels say, where the caller has gathered it.
    """
    chosen = stage_judges(store, rule, Thresholds())
    field = chosen.field(store)
    labels = store.labels.that_count()
    standings = store.scores.stage_scores.standings(list(labels), field)
    weights = scales(store, key, rule, field, traffic)
    as_drawn = scales_as_drawn(store, key, rule, field, weights)
    return name_stages(
        chosen,
        labels,
        standings,
        weights,
        as_drawn,
        objections,
        scores=lambda: store.scores.stage_scores.relevance(field),
        same_passages=store.scores.stage_scores.same_passages(list(labels)),
    )


def name_stages(
    chosen: StageJudges,
    labels: Mapping[int, Label],
    standings: Mapping[int, ItemStageScores],
    weights: Scales,
    asked: Scales,
    objections: Sequence[Objection] = (),
    *,
    scores: Callable[[], Scores] = dict,
    same_passages: Collection[tuple[str | None, str | None]] = (),
) -> Namings:
    """Name the stage of each system and of all together.

    Intervals are widened for the number of comparisons over all systems, also where only one system is shown.

    Parameters
    ----------
    chosen : StageJudges
        The judges of the stages, with their thresholds.
    labels, standings : mapping
        The label and the scores of each labelled answer, by its row.
    weights : Scales
        The totals of all traffic, and the labels with their weights (`weights.scales`).
    asked : Scales
        The same over all draws, also those without a right or wrong (`weights.scales_as_drawn`).
    objections : sequence of Objection
        What forbids any claim from these labels.
    scores : callable
        Reads the scores of context relevance; called only where there are too few labels on a side of the threshold.
    same_passages : collection of pairs
        The systems whose answers rest on the same passages.
    """
    labelled = [
        _Labelled(label=label, standing=standings[row], place=chosen.place(standings[row]))
        for row, label in labels.items()
    ]
    systems = list(dict.fromkeys(answer.standing.system for answer in labelled))
    scopes = []
    for name in systems:
        own = weights.only(name)
        asked_own = own if asked is weights else asked.only(name)
        scopes.append(_scope(own, asked_own, [answer for answer in labelled if answer.standing.system == name], name))
    whole = _scope(weights, asked, labelled, None, is_all=True)
    tried = scopes if len(scopes) == 1 else [whole, *scopes]
    comparisons = max(1, sum(is_measurable(sides) for scope in tried for sides in scope.sides.values()))
    known = scores() if any(map(_is_stuck, (whole, *scopes))) else {}
    return Namings(
        whole=_naming(whole, chosen.thresholds, comparisons, objections, known),
        each={
            scope.system: _shared(_naming(scope, chosen.thresholds, comparisons, objections, known), others)
            for scope in scopes
            for others in [tuple(name for name in systems if (scope.system, name) in same_passages)]
        },
    )


def _shared(naming: Naming, others: tuple[str | None, ...]) -> Naming:
    """Return a `SharedNaming` where other systems have the same passages; else the naming as it is."""
    if not others:
        return naming
    values = {field.name: getattr(naming, field.name) for field in fields(naming) if field.init}
    return SharedNaming(**values, others=others)


def _is_stuck(scope: _Scope) -> bool:
    """Return whether there are wrong answers, but too few labels on a side of the relevance threshold to compare."""
    has_wrong = any(answer.label.judgement is Judgement.WRONG for answer in scope.labelled)
    return has_wrong and not is_measurable(scope.sides[Stage.RETRIEVAL])


def _reach(scope: _Scope, thresholds: Thresholds, scores: Scores) -> Reach | None:
    """Return what would make a comparison possible; None where it is possible now, or nothing is wrong."""
    if not _is_stuck(scope):
        return None
    return reach(scores if scope.is_all else {scope.system: scores.get(scope.system, ())}, thresholds.relevance)


def _scope(
    weights: Scales, asked: Scales, labelled: Sequence[_Labelled], system: str | None, *, is_all: bool = False
) -> _Scope:
    sides = {stage: asked.sides(side) for stage, side in SIDES.items()}
    return _Scope(system=system, is_all=is_all, labelled=labelled, weights=weights, sides=sides)


def _naming(
    scope: _Scope, thresholds: Thresholds, comparisons: int, objections: Sequence[Objection], scores: Scores
) -> Naming:
    labels, within = _counts(scope.labelled), _reach(scope, thresholds, scores)
    values = {
        Stage.RETRIEVAL: {
            answer.standing.item: answer.standing.relevance
            for answer in scope.labelled
            if answer.standing.relevance is not None and not answer.place.is_empty
        },
        Stage.SYNTHESIS: {
            answer.standing.item: answer.standing.faithfulness
            for answer in scope.labelled
            if answer.standing.faithfulness is not None and answer.place.is_relevant and not answer.place.is_empty
        },
    }
    areas = dict[Stage, Area]()
    counts = Counter((answer.place.stage, answer.label.judgement) for answer in scope.labelled)
    for stage in AREAS:
        areas[stage] = Area(
            right=counts[stage, Judgement.RIGHT],
            wrong=counts[stage, Judgement.WRONG],
            share=scope.weights.of_wrong(lambda place, stage=stage: place.stage is stage),  # type: ignore[misc]
        )
    contrasts = {stage: contrast(sides, comparisons) for stage, sides in scope.sides.items()}
    if within is not None:
        contrasts[Stage.RETRIEVAL] = replace(
            contrasts[Stage.RETRIEVAL], needed=within.needed or (0, 0), is_possible=within.needed is not None
        )
    return Naming(
        system=scope.system,
        is_all=scope.is_all,
        right=labels[Judgement.RIGHT],
        wrong=labels[Judgement.WRONG],
        unsure=labels[Judgement.UNSURE],
        areas=areas,
        tested={
            stage: Tested(contrast=contrasts[stage], auroc=scope.weights.auroc(values[stage])) for stage in contrasts
        },
        comparisons=comparisons,
        objections=tuple(objection.reason for objection in objections),
        thresholds=(thresholds.relevance, thresholds.faithfulness),
        reach=within,
    )


def _counts(labelled: Iterable[_Labelled]) -> Counter[Judgement]:
    return Counter(answer.label.judgement for answer in labelled)
