"""Choose an engine by its name."""

from __future__ import annotations

from enum import StrEnum

from annotate.workflow.judging.engines.engine import Engine
from annotate.workflow.judging.engines.local import LocalEngine
from annotate.workflow.judging.engines.on_ray import RayEngine
from proxy.errors import UsageError


class EngineName(StrEnum):
    """Where offline judges run."""

    LOCAL = "local"
    RAY = "ray"


def engine_of(name: str, workers: int | None) -> Engine:
    """Return the engine; UsageError for an unknown name, and for workers that it does not take."""
    if workers is not None and workers < 1:
        raise UsageError(f"workers is {workers}: at least 1 process judges")
    if name == EngineName.LOCAL:
        return LocalEngine(workers=workers)
    if name != EngineName.RAY:
        raise UsageError(f"there is no engine {name}: the engines are {', '.join(EngineName)}")
    if workers is not None:
        raise UsageError("workers are processes of the local engine: Ray uses every core of its cluster")
    return RayEngine()
