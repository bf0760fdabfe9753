"""The JSON of what the judges alone say of the traffic."""

from __future__ import annotations

from annotate.analysis.preview import LowAnswer, PassedPart, Preview, ScoreSpread, SplitJudges
from annotate.present.schemas.base import Model


class SpreadModel(Model):
    """Quantiles of a judge's scores: a tenth of the answers, half and nine tenths score at most these."""

    judge: str
    signature: str
    scored: int
    tenth: float
    median: float
    ninetieth: float


class PassedModel(Model):
    """What passes of the answers of one system, language or week (`by`); `name` is null for those that have none."""

    by: str
    name: str | None
    items: int
    scored: int
    passed: int


class SplitJudgesModel(Model):
    """Two judges of the rule, and how many answers score above 0.5 by both, by one alone, by neither."""

    first: str
    other: str
    above: int
    first_alone: int
    other_alone: int
    below: int


class LowModel(Model):
    """An answer with its value under the rule, and how many of its sentences a judge doubts; `assay show` has its texts."""

    item_id: str
    system: str | None
    value: float
    doubted_sentences: int


class PreviewModel(Model):
    """What the judges alone say: how scores are spread, what passes, where judges differ, and the lowest answers."""

    spreads: tuple[SpreadModel, ...]
    parts: tuple[PassedModel, ...]
    pairs: tuple[SplitJudgesModel, ...]
    lowest: tuple[LowModel, ...]


def of(preview: Preview) -> PreviewModel:
    """Return the model of a preview."""
    return PreviewModel.of(
        spreads=tuple(map(_spread, preview.spreads)),
        parts=tuple(map(_part, preview.parts)),
        pairs=tuple(map(_pair, preview.pairs)),
        lowest=tuple(map(_low, preview.lowest)),
    )


def _spread(spread: ScoreSpread) -> SpreadModel:
    return SpreadModel.of(**spread._asdict())


def _part(part: PassedPart) -> PassedModel:
    return PassedModel.of(by=part.by, name=part.name, **part.counts._asdict())


def _pair(pair: SplitJudges) -> SplitJudgesModel:
    return SplitJudgesModel.of(**pair._asdict())


def _low(low: LowAnswer) -> LowModel:
    return LowModel.of(
        item_id=low.item.id,
        system=low.item.system,
        value=low.value,
        doubted_sentences=len(low.doubted),
    )
