"""Compare each trained judge with the judge that it stands beside, on labels that did not teach it."""

from __future__ import annotations

from dataclasses import dataclass

from annotate.analysis.evidence import labels_alone
from annotate.analysis.excluded_draws import excluded_from_judges
from annotate.analysis.rule_in_force import own_judge, rule_in_force
from annotate.analysis.trained_versions import TrainedVersion, newest
from annotate.store import Store
from proxy.evaluation.candidates import JudgeKey, single
from proxy.evaluation.discrimination import valued
from proxy.evaluation.judge_contrast import JudgeContrast, contrast
from proxy.judges.trained.model import SUFFIX


@dataclass(frozen=True, kw_only=True, slots=True)
class TrainedContrast:
    """A trained judge beside the judge of the same criterion: its AUROC minus the other's.

    `beside` is the version that the rule in force reads, where it reads one, else that of the offline judge.
    """

    trained: JudgeKey
    beside: JudgeKey
    contrast: JudgeContrast


def trained_contrasts(store: Store) -> tuple[TrainedContrast, ...]:
    """Compare the trained judges that have scores, each in the version that was trained last.

    The labels of all questions whose role is to teach are left out: a hash decides it, so that what is left is a sample as good
    as the whole.
    """
    scored = store.scores.signatures()
    versions = [version for version in newest(store).values() if version.signature in scored.get(version.judge, ())]
    contrasts = (_contrast(store, version, len(versions), scored) for version in versions)
    return tuple(compared for compared in contrasts if compared is not None)


def _contrast(
    store: Store, version: TrainedVersion, compared: int, scored: dict[str, list[str]]
) -> TrainedContrast | None:
    beside = _beside(store, version.judge.removesuffix(SUFFIX))
    if beside is None or beside.signature not in scored.get(beside.judge, ()):
        return None
    trained = JudgeKey(judge=version.judge, signature=version.signature)
    excluded_draws = excluded_from_judges(store, {version.signature})
    traffic = labels_alone(store, [single(beside), single(trained)], excluded_draws)
    other, own = traffic.rules
    first, second = valued(traffic.evidence(other), own.values, other.values)
    return TrainedContrast(trained=trained, beside=beside, contrast=contrast(first, second, compared))


def _beside(store: Store, judge: str) -> JudgeKey | None:
    """Return the judge of this criterion that the rule in force reads, else the offline one."""
    own = own_judge(judge)
    signature = rule_in_force(store)[1].signatures.get(judge) or (own.signature if own else None)
    return JudgeKey(judge=judge, signature=signature) if signature else None
