"""Judge an item with a trained model."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from proxy.errors import InputError, UsageError
from proxy.judges.base import scored
from proxy.judges.trained.features import FEATURES
from proxy.judges.trained.model import TrainedModel
from proxy.judges.trained.pairs import Criterion
from proxy.records import Item, JudgeFailure, Score

EMBEDDING = "embedding_"
_SHOWN = 2
Embed = Callable[[Item], Sequence[float]]


@dataclass(frozen=True, kw_only=True)
class TrainedJudge:
    """A judge whose score is a trained model's P(the criterion is met) of the item's features.

    `embed` returns the caller's own features of an item, for a model that was trained with them.

    Raises
    ------
    InputError
        For a model of features that this version does not compute.
    UsageError
        For a model that was trained with `embed`, without it.
    """

    model: TrainedModel
    embed: Embed | None = None

    def __post_init__(self) -> None:
        known = FEATURES[self.model.criterion].names
        own = tuple(name for name in self.model.features if not name.startswith(EMBEDDING))
        if own != known:
            raise InputError(
                f"the model of {self.name} reads other features: train it again with `assay judge --train`"
            )
        if len(own) < len(self.model.features) and self.embed is None:
            raise UsageError(f"{self.name} was trained with features of yours: pass the same function as embed")

    @property
    def name(self) -> str:
        """The model's name."""
        return self.model.name

    @property
    def signature(self) -> str:
        """The model's signature."""
        return self.model.signature

    def judge(self, item: Item) -> Score | JudgeFailure:
        """Compute P from the features; an abstention of the offline judge is one of this judge too."""
        values = values_of(self.model.criterion, item, self.embed)
        if isinstance(values, JudgeFailure):
            return replace(values, judge=self.name, signature=self.signature)
        return scored(self, item, self.model.predict(values), self._reason(values))

    def _reason(self, values: Sequence[float]) -> str:
        """Name the features that move this score most, each with what it adds to the log odds."""
        moves = [
            (weight * (value - mean) / deviation, name, value)
            for name, value, mean, deviation, weight in zip(
                self.model.features,
                values,
                self.model.means,
                self.model.deviations,
                self.model.weights,
                strict=True,
            )
        ]
        most = sorted(moves, key=lambda move: -abs(move[0]))[:_SHOWN]
        return "log odds by " + ", ".join(f"{name} {value:.2f} ({move:+.1f})" for move, name, value in most)


def values_of(criterion: Criterion, item: Item, embed: Embed | None) -> list[float] | JudgeFailure:
    """Return the values of the features in order, the caller's own last."""
    features = FEATURES[criterion].read(item)
    if isinstance(features, JudgeFailure):
        return features
    return [*features.values(), *(map(float, embed(item)) if embed else ())]
