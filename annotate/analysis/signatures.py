"""Describe a signature: who judges, by which model and version, with a short name that tells it from the judge's others.

Two signatures never share a name.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from enum import StrEnum

from annotate.analysis.rule_in_force import own_judge
from proxy.judges.base import MODEL
from proxy.judges.trained.model import is_trained

OFFLINE = "|offline|"
# What of a model's settings is asked for first; the rest of them follows as it is kept.
FIRST = ("url", "prompt", "prompts", "mode", "parameters")


class JudgeKind(StrEnum):
    """The kind of judge that gives the scores."""

    OFFLINE = "offline"
    MODEL = "model"
    OTHER = "other"


def kind_of(judge: str, signature: str) -> JudgeKind:
    """Return the kind by the signature; a judge of ours without a model is an offline one whatever its version."""
    if MODEL in signature:
        return JudgeKind.MODEL
    is_ours = is_trained(signature) or (OFFLINE in signature and own_judge(judge) is not None)
    return JudgeKind.OFFLINE if is_ours else JudgeKind.OTHER


def model_of(signature: str) -> str | None:
    """Return the model's name; None where no model judges."""
    _, separator, rest = signature.partition(MODEL)
    return rest.rpartition("|v")[0] or rest if separator else None


def labels(judges: Sequence[tuple[str, str]]) -> Mapping[tuple[str, str], str]:
    """Name each (judge, signature): the judge's name alone where it has one signature, else with what tells them apart."""
    count = Counter(judge for judge, _ in judges)
    return {(judge, signature): judge if count[judge] == 1 else _apart(judge, signature) for judge, signature in judges}


def described(settings: Mapping[str, object]) -> tuple[tuple[str, str], ...]:
    """Describe the settings behind a signature, as (name, words)."""
    names = [*(name for name in FIRST if name in settings), *(name for name in settings if name not in FIRST)]
    return tuple((name, _words(settings[name])) for name in names)


def _words(value: object) -> str:
    if isinstance(value, Mapping):
        return ", ".join(f"{name}={part}" for name, part in value.items()) or "—"
    return str(value)


def _apart(judge: str, signature: str) -> str:
    rest = " ".join(part for part in signature.removeprefix(judge).split("|") if part and part != "llm")
    return f"{judge} ({rest})" if rest else judge
