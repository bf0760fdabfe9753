"""Hold a trained model: the weight of each feature, as plain numbers that are written and read as JSON.

P = 1 / (1 + exp(-(intercept + sum of weight x (feature - mean) / deviation))). The signature is a hash of all of it.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from hashlib import blake2b

from proxy.errors import InputError
from proxy.judges.trained.pairs import Criterion

VERSION = 1
SUFFIX = "_trained"
KIND = "trained"
TRAINED_NAMES = frozenset(f"{criterion}{SUFFIX}" for criterion in Criterion)
_FIELDS = {"version", "intercept", "features", "means", "deviations", "weights"}


@dataclass(frozen=True, kw_only=True, slots=True)
class TrainedModel:
    """A logistic regression over standardised features of one criterion."""

    criterion: Criterion
    features: tuple[str, ...]
    means: tuple[float, ...]
    deviations: tuple[float, ...]
    weights: tuple[float, ...]
    intercept: float

    @property
    def name(self) -> str:
        """The judge's name: that of the offline judge with `_trained` after it."""
        return f"{self.criterion}{SUFFIX}"

    @property
    def signature(self) -> str:
        """The name, `trained`, and a hash of the features and their weights."""
        content = json.dumps(self.settings(), sort_keys=True)
        return f"{self.name}|{KIND}|{blake2b(content.encode(), digest_size=8).hexdigest()}"

    def predict(self, values: Sequence[float]) -> float:
        """Compute P from the values of the features, in their order."""
        odds = self.intercept + math.fsum(
            weight * (value - mean) / deviation
            for value, mean, deviation, weight in zip(values, self.means, self.deviations, self.weights, strict=True)
        )
        # Beyond 30 the share is 0 or 1 to the last digit that is kept.
        return 1 / (1 + math.exp(-min(30.0, max(-30.0, odds))))

    def settings(self) -> dict[str, object]:
        """Return the model as JSON values; `read` makes the same model of them."""
        return {
            "version": VERSION,
            "intercept": self.intercept,
            "features": list(self.features),
            "means": list(self.means),
            "deviations": list(self.deviations),
            "weights": list(self.weights),
        }


def read(name: str, settings: Mapping[str, object]) -> TrainedModel:
    """Read the model of a trained judge.

    Parameters
    ----------
    name : str
        The judge's name.
    settings : mapping
        What `TrainedModel.settings` returned; other keys are ignored.

    Raises
    ------
    InputError
        Where it is no such model, of another version, or its numbers are not finite.
    """
    criterion = next((known for known in Criterion if f"{known}{SUFFIX}" == name), None)
    if criterion is None or not settings.keys() >= _FIELDS:
        raise _malformed(name, "something is missing")
    if settings["version"] != VERSION:
        raise _malformed(name, f"it is of version {settings['version']!r:.20}, and this Assay reads {VERSION}")
    features = settings["features"]
    if not isinstance(features, list) or not features or not all(isinstance(feature, str) for feature in features):
        raise _malformed(name, "features is no list of names")
    means, deviations, weights = (
        _numbers(name, settings[field], field, len(features)) for field in ("means", "deviations", "weights")
    )
    if min(deviations) <= 0:
        raise _malformed(name, "a deviation is not above 0")
    return TrainedModel(
        criterion=criterion,
        features=tuple(features),
        means=means,
        deviations=deviations,
        weights=weights,
        intercept=_numbers(name, [settings["intercept"]], "intercept", 1)[0],
    )


def is_trained(signature: str) -> bool:
    """Return whether a trained judge gave the scores of this signature."""
    return f"{SUFFIX}|{KIND}|" in signature


def _numbers(name: str, values: object, field: str, count: int) -> tuple[float, ...]:
    is_list = isinstance(values, list) and len(values) == count
    if not is_list or not all(isinstance(value, int | float) and math.isfinite(value) for value in values):  # type: ignore[attr-defined]
        raise _malformed(name, f"{field} is no list of {count} finite numbers")
    return tuple(float(value) for value in values)  # type: ignore[attr-defined]


def _malformed(name: str, fault: str) -> InputError:
    return InputError(f"the model of {name} cannot be read ({fault}): train it again with `assay judge --train`")
