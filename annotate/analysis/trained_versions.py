"""Read trained judges from the store: their models lie in the settings behind their signatures."""

from __future__ import annotations

from typing import NamedTuple

from annotate.store import Store
from proxy.judges.trained.judge import TrainedJudge
from proxy.judges.trained.model import is_trained, read

# Beside the model, in the settings behind the signature.
TRAINED_AT = "trained_at"


class TrainedVersion(NamedTuple):
    """A judge that was trained, under its signature, and when it was trained last."""

    judge: str
    signature: str
    trained_at: str


def trained_versions(store: Store) -> list[TrainedVersion]:
    """List every trained judge, the one that was trained last at the end; no model is read."""
    versions = [
        TrainedVersion(signature.partition("|")[0], signature, str(settings.get(TRAINED_AT)))
        for signature, settings in store.scores.usage.settings().items()
        if is_trained(signature)
    ]
    return sorted(versions, key=lambda version: version.trained_at)


def newest(store: Store) -> dict[str, TrainedVersion]:
    """Return the version of each trained judge that was trained last, by name."""
    return {version.judge: version for version in trained_versions(store)}


def trained_judge(store: Store, signature: str) -> TrainedJudge:
    """Read the judge under this signature.

    Raises
    ------
    InputError
        Where its model cannot be read.
    """
    settings = store.scores.usage.settings().get(signature, {})
    return TrainedJudge(model=read(signature.partition("|")[0], settings))
