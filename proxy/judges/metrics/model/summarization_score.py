"""Summarization score: questions on the passages that the answer, a summary of them, answers with yes; and its brevity."""

from __future__ import annotations

from collections.abc import Callable

from proxy.judges.llm.shown_item import ShownItem
from proxy.judges.llm.verdicts import verdicts
from proxy.judges.metrics.metric import MetricNeed, UndefinedValue
from proxy.judges.metrics.model_metric import Measuring, ModelMetric, scripted, share

QUESTIONS, ANSWERS = "summary_questions", "summary_answers"
_ELEVEN = tuple(f"question {number}" for number in range(1, 12))
_REPLIES = (_ELEVEN, ("yes",) * 8 + ("no",) * 3)


def brevity(summary: str, text: str) -> float:
    """Return 1 - characters of the summary / characters of the text, 0 for a summary that is no shorter."""
    return 1 - min(len(summary), len(text)) / len(text)


def _measure(value: Callable[[float, str, str], float]) -> Callable[[ShownItem], Measuring]:
    def measure(shown: ShownItem) -> Measuring:
        text = "\n".join(shown.passages)
        questions = yield from shown.listed(QUESTIONS, "questions", {"text": text})
        if not questions:
            return UndefinedValue("the passages hold nothing to ask about")
        given = yield from verdicts(shown, ANSWERS, "questions", questions, ("no", "yes"), {"summary": shown.answer})
        answered = share(questions, [verdict == "yes" for verdict in given], "questions are answered with yes")
        reason = f"{answered.reason}; the summary has {len(shown.answer):,} of {len(text):,} characters"
        return answered._replace(value=value(answered.value, shown.answer, text), reason=reason)

    return measure


METRICS = (
    ModelMetric(
        name="summarization_score",
        formula="(Q + B) / 2, Q = questions that the answer answers with yes / questions on the passages, "
        "B = 1 − min(characters of the answer, of the passages) / characters of the passages",
        source="Ragas summarization score, its penalty for length at weight 1/2; key phrases and questions come from one call",
        needs=(MetricNeed.MODEL, MetricNeed.ANSWER, MetricNeed.CONTEXTS),
        misses="whether the rest of the summary is right; an empty phrase is brief",
        # 8 of 11 questions; 4 of the 10 characters of "Passage 1.".
        examples=(
            scripted(
                "summarization_score",
                "8 of 11 questions, 4 of 10 characters",
                (8 / 11 + 6 / 10) / 2,
                *_REPLIES,
                answer="Sum.",
            ),
        ),
        prompts=(QUESTIONS, ANSWERS),
        measure=_measure(lambda answered, summary, text: (answered + brevity(summary, text)) / 2),
    ),
    ModelMetric(
        name="summarization_score_questions",
        formula="Q of summarization_score",
        source="the part of Ragas' summarization score that some guides give for the whole",
        needs=(MetricNeed.MODEL, MetricNeed.ANSWER, MetricNeed.CONTEXTS),
        misses="length: a summary that repeats the passages scores 1; whether the rest of it is right",
        examples=(scripted("summarization_score_questions", "8 of 11 questions", 8 / 11, *_REPLIES),),
        prompts=(QUESTIONS, ANSWERS),
        measure=_measure(lambda answered, _summary, _text: answered),
    ),
)
