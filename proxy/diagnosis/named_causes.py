"""Say where annotators and the machine disagree on why an answer is wrong."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from proxy.diagnosis.stages import Stage
from proxy.reason import Reason, joined

MISSED, UNFAITHFUL = "retrieval_missed", "unfaithful"
# What the label form calls each cause: whoever has labelled knows these words.
CAUSE_WORDS = {
    MISSED: "Passages lack it",
    UNFAITHFUL: "Passages say otherwise",
    "misread_question": "Misread the question",
    "incomplete": "Incomplete",
    "outdated_or_unsafe": "Outdated or unsafe",
    "other": "Other",
}
BEFORE = (Stage.RETRIEVAL, Stage.RERANK)


def disagreements(wrong: Sequence[tuple[Stage, frozenset[str]]]) -> tuple[Reason, ...]:
    """Write a sentence for each way in which they disagree; none where nobody named a cause, or all agree."""
    sentences = list[Reason]()
    if kind := sum(MISSED in named and stage in (Stage.SYNTHESIS, Stage.PROXY) for stage, named in wrong):
        sentences.append(
            Reason(
                "Annotators say “Passages lack it” of wrong answers whose passages the judge finds relevant ({count}): it may be "
                "too kind; read them before you raise --relevance-threshold or take another judge",
                count=kind,
            )
        )
    if kind := sum(UNFAITHFUL in named and stage is Stage.PROXY for stage, named in wrong):
        sentences.append(
            Reason(
                "Annotators say “Passages say otherwise” of wrong answers that the judge finds faithful ({count}): it may be too "
                "kind; read them before you raise --faithfulness-threshold or take another judge",
                count=kind,
            )
        )
    others = [named for stage, named in wrong if stage in BEFORE and named and MISSED not in named]
    if others:
        counts = Counter(name for named in others for name in named)
        causes = joined([_counted(name, count) for name, count in sorted(counts.items())])
        sentences.append(
            Reason(
                "Annotators do not blame retrieval for wrong answers whose passages the judge finds off the question ({count}; "
                "{causes}): read them, for the judge may be too strict (--relevance-threshold), or both stages failed",
                count=len(others),
                causes=causes,
            )
        )
    return tuple(sentences)


def _counted(cause: str, count: int) -> Reason:
    return Reason("{cause} {count}", cause=Reason(CAUSE_WORDS.get(cause, cause.replace("_", " "))), count=count)
