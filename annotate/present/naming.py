"""Name stages and causes, or say why none can be named: the messages that the diagnosis, the report and the pages share."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from annotate.analysis.diagnosis import SharedNaming
from annotate.domain.message import (
    Between,
    EvidenceText,
    IntervalBasis,
    Kind,
    Listing,
    Message,
    Name,
    Number,
    Value,
    coefficient,
    message,
)
from proxy.diagnosis import CAUSE_WORDS, CONTRASTED, MATTERS, Area, Naming, Obstacle, Reach, Stage, StageContrast
from proxy.evaluation.discrimination import WEAK
from proxy.evaluation.domains import FEWEST_LABELS
from proxy.evaluation.estimate import Estimate, has_width


def name_of(system: str | None) -> Name | Message:
    """Name a system."""
    return message("judges.no_system") if system is None else Name(system)


def cause(name: str) -> Value:
    """Name a cause of a wrong answer as the label form does; a cause that the form does not know as it came."""
    return CAUSE_WORDS.get(name) or Name(name)


def of_all(namings: Sequence[Naming], whole: Naming | None) -> Naming | None:
    """Return the naming that the first sentence tells: the only one, or that of all systems together."""
    return namings[0] if len(namings) == 1 else whole


def answer(naming: Naming | None) -> Message:
    """Name the stage to look at first with what shows it, or say why none can be named."""
    if naming is None:
        return message("diagnosis.no_label")
    if isinstance(naming, SharedNaming) and naming.is_shared_retrieval:
        others = Listing(tuple(map(name_of, naming.others)))
        return message("diagnosis.same_passages", difference=_difference(naming, Stage.RETRIEVAL), others=others)
    if naming.stage is None:
        return message("diagnosis.no_stage", reason=_reason(naming))
    return message(f"diagnosis.first_{naming.stage}", difference=_difference(naming, naming.stage))


def details(naming: Naming | None) -> Iterator[Message]:
    """Say what the answer rests on, or what would tell."""
    if naming is None:
        return
    if naming.stage:
        yield message("diagnosis.they_are", share=share(naming.areas[naming.stage].share))
        yield _threshold(naming, naming.stage)
    if _is_shared(naming):
        yield _threshold(naming, Stage.RETRIEVAL)
        return
    match naming.obstacle:
        case Obstacle.OBJECTION:
            yield from (message("report.reason", reason=reason) for reason in naming.objections)
        case Obstacle.NO_PASSAGES:
            yield message("diagnosis.bring_contexts")
        case Obstacle.ELSEWHERE:
            yield from _weights(naming)
        case Obstacle.ONE_SIDED if naming.reach and naming.reach.threshold is not None:
            yield message("diagnosis.other_threshold", threshold=Number(naming.reach.threshold, Kind.THRESHOLD))
        case Obstacle.NOT_SEPARATED | Obstacle.TOO_FEW:
            if naming.tested[Stage.RETRIEVAL].contrast.difference.estimate is not None:
                yield message("diagnosis.so_far", difference=_difference(naming, Stage.RETRIEVAL))
            yield from _more(naming)


def systems(namings: Sequence[Naming]) -> Iterator[Message]:
    """Say which stage is named for each of several systems, and for how many none is."""
    if len(namings) == 1:
        return
    named = [naming for naming in namings if naming.stage or _is_shared(naming)]
    for naming in named:
        yield message("values.colon", label=name_of(naming.system), words=answer(naming))
    if rest := len(namings) - len(named):
        yield message("diagnosis.other_systems" if named else "diagnosis.no_system_alone", count=rest)


def _is_shared(naming: Naming) -> bool:
    return isinstance(naming, SharedNaming) and naming.is_shared_retrieval


def advices(namings: Sequence[Naming]) -> tuple[Message, ...]:
    """Say what to try, once for each stage that is named for some system."""
    stages = dict.fromkeys(naming.stage for naming in namings if naming.stage)
    return tuple(message(f"diagnosis.try_{stage}") for stage in stages)


def lines(namings: Sequence[Naming], whole: Naming | None) -> Iterator[Message]:
    """Say all of it: the answer, what it rests on, each system, and what to try."""
    first = of_all(namings, whole)
    yield answer(first)
    yield from details(first)
    yield from systems(namings)
    yield from advices([*namings, *([first] if first else [])])


def share(estimate: Estimate) -> Value:
    """Give a share for this window with its interval, or why it is not known."""
    if estimate.estimate is None or has_width(estimate):
        return EvidenceText(estimate, Kind.SHARE, IntervalBasis.WINDOW)
    exact = Between(estimate.low, estimate.high, Kind.SHARE, is_exact=True)
    return message("report.short", value=Number(estimate.estimate, Kind.SHARE), span=exact)


def _reason(naming: Naming) -> Message:
    match naming.obstacle:
        case Obstacle.NO_WRONG:
            return message("diagnosis.no_wrong", count=naming.right)
        case Obstacle.NO_PASSAGES | Obstacle.UNSCORED:
            area = naming.areas[Stage.NO_PASSAGES if naming.obstacle is Obstacle.NO_PASSAGES else Stage.UNTOLD]
            return message(f"diagnosis.{naming.obstacle}", wrong=area.wrong, count=naming.wrong)
        case Obstacle.NOT_SEPARATED:
            auroc = naming.tested[Stage.RETRIEVAL].auroc
            high = auroc.long_run.high if auroc.long_run else auroc.high
            key = "not_separated" if high is not None and high < WEAK else "not_shown_separated"
            basis = IntervalBasis.LONG_RUN if auroc.long_run else IntervalBasis.WINDOW
            return message(f"diagnosis.{key}", auroc=EvidenceText(auroc, Kind.COEFFICIENT, basis))
        case Obstacle.ELSEWHERE:
            stage = _shown(naming)
            return message(f"diagnosis.elsewhere_{stage}", difference=_difference(naming, stage))
        case Obstacle.ONE_SIDED if naming.reach:
            return _one_sided(naming, naming.reach)
        case Obstacle.TOO_FEW:
            return _too_few(naming, naming.tested[Stage.RETRIEVAL].contrast)
    return message(f"diagnosis.{naming.obstacle}")


def _one_sided(naming: Naming, reach: Reach) -> Message:
    """Which side has no answers, or too few."""
    bad, good = reach.answers
    threshold = Number(naming.thresholds[0], Kind.THRESHOLD)
    if min(bad, good) >= FEWEST_LABELS:
        return message("diagnosis.no_system_on_both_sides", threshold=threshold)
    end, extreme = ("low", reach.lowest) if bad < good else ("high", reach.highest)
    count = min(bad, good)
    key = f"diagnosis.{'few' if count else 'none'}_{end}"
    return message(key, count=count, threshold=threshold, extreme=coefficient(extreme))


def _too_few(naming: Naming, contrast: StageContrast) -> Message:
    key = "no_difference"
    if contrast.difference.estimate is None:
        key = "too_few_drawn"
    elif any(contrast.needed):
        key = "too_few"
    return message(f"diagnosis.{key}", wrong=naming.wrong, right=naming.right)


def _shown(naming: Naming) -> Stage:
    return next(stage for stage in CONTRASTED if naming.tested[stage].contrast.is_shown)


def _weights(naming: Naming) -> Iterator[Message]:
    """The share of the part that matters, and that of the largest."""
    stage = _shown(naming)
    yield message("diagnosis.they_are", share=share(naming.areas[stage].share))
    if largest := naming.largest:
        of_largest: Area = naming.areas[largest]
        values: dict[str, Value] = {"part": message(f"judges.stage_{largest}"), "share": share(of_largest.share)}
        yield message("diagnosis.largest", **values)


def _more(naming: Naming) -> Iterator[Message]:
    """How many more labels would show a difference that matters, and of what; nothing where that is ruled out."""
    contrast = naming.tested[Stage.RETRIEVAL].contrast
    high, (low_scored, high_scored) = contrast.difference.high, contrast.needed
    if not (any(contrast.needed) or contrast.missing) or (high is not None and high < MATTERS):
        return
    if contrast.missing:
        yield message("diagnosis.missing_widens", count=contrast.missing)
        return
    points = Number(MATTERS, Kind.POINTS)
    if not contrast.is_possible:
        yield message("diagnosis.not_possible", points=points)
        return
    values: dict[str, Value] = {"points": points, "threshold": Number(naming.thresholds[0], Kind.THRESHOLD)}
    # With too few labels on a side to compare them at all, the numbers are those of the comparison, not of its power.
    key = "diagnosis.more" if naming.reach is None else "diagnosis.least"
    for end, count in (("low", low_scored), ("high", high_scored)):
        if count:
            yield message(f"{key}_{end}", count=count, **values)


def _difference(naming: Naming, stage: Stage) -> EvidenceText:
    return EvidenceText(naming.tested[stage].contrast.difference, Kind.POINTS, IntervalBasis.WINDOW, is_signed=True)


def _threshold(naming: Naming, stage: Stage) -> Message:
    relevance, faithfulness = (Number(threshold, Kind.THRESHOLD) for threshold in naming.thresholds)
    if stage is Stage.RETRIEVAL:
        return message("diagnosis.low_scored", threshold=relevance)
    return message("diagnosis.leaves", threshold=faithfulness, relevance=relevance)
