"""Say where annotators and the machine disagree on why an answer is wrong."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from proxy.diagnosis.stages import Stage

MISSED, UNFAITHFUL = "retrieval_missed", "unfaithful"
BEFORE = (Stage.RETRIEVAL, Stage.RERANK)


def disagreements(wrong: Sequence[tuple[Stage, frozenset[str]]]) -> tuple[str, ...]:
    """Write a sentence for each way in which they disagree; none where nobody named a cause, or all agree."""
    sentences = []
    if kind := sum(MISSED in named and stage in (Stage.SYNTHESIS, Stage.PROXY) for stage, named in wrong):
        sentences.append(
            f"People say “retrieval missed” of {_answers(kind)} whose passages the judge finds relevant: it may be too kind; "
            "raise --relevance-cut or take another judge of context relevance"
        )
    if kind := sum(UNFAITHFUL in named and stage is Stage.PROXY for stage, named in wrong):
        sentences.append(
            f"People say “unfaithful” of {_answers(kind)} that the judge finds faithful: it may be too kind; raise "
            "--faithfulness-cut or take another judge of faithfulness"
        )
    others = [named for stage, named in wrong if stage in BEFORE and named and MISSED not in named]
    if others:
        counts = Counter(name for named in others for name in named)
        causes = ", ".join(f"{name.replace('_', ' ')} {count}" for name, count in sorted(counts.items()))
        sentences.append(
            f"People do not blame retrieval for {_answers(len(others))} whose passages the judge finds beside the question "
            f"({causes}): read them, for the judge may be too strict (--relevance-cut), or both stages failed"
        )
    return tuple(sentences)


def _answers(count: int) -> str:
    return f"{count:,} wrong answer{'' if count == 1 else 's'}"
