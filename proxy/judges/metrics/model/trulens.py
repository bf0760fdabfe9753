"""TruLens' RAG triad: context relevance, groundedness and answer relevance, graded from 0 to 3."""

from __future__ import annotations

import math
from collections.abc import Sequence

from proxy.judges.base import cut_note
from proxy.judges.llm.sentences import parts_of
from proxy.judges.llm.shown_item import ANSWER, QUESTION, ShownItem
from proxy.judges.llm.verdicts import verdicts
from proxy.judges.metrics.metric import MetricNeed, UndefinedValue
from proxy.judges.metrics.model_metric import Measuring, ModelMetric, ModelValue, scripted
from proxy.judges.metrics.rating_metric import rating_metric

GRADES = ("0", "1", "2", "3")
TRIVIAL = "trivial"
CONTEXT_RELEVANCE, GROUNDEDNESS = "trulens_context_relevance", "trulens_groundedness"


def context_relevance(shown: ShownItem) -> Measuring:
    """Return the mean grade of the passages / 3."""
    texts = [text for text in shown.passages if text.strip()]
    given = yield from verdicts(shown, CONTEXT_RELEVANCE, "passages", texts, GRADES, shown.parts((QUESTION,)))
    return _mean(given, "passages")


def groundedness(shown: ShownItem) -> Measuring:
    """Return the mean grade of the sentences that are not trivial / 3."""
    parts = parts_of(shown.answer)
    sentences = tuple(parts.sentences.values())
    if not sentences:
        return UndefinedValue("the answer has no words")
    choices, beside = (TRIVIAL, *GRADES), {"passages": shown.passages}
    given = yield from verdicts(shown, GROUNDEDNESS, "sentences", sentences, choices, beside)
    graded = [verdict for verdict in given if verdict != TRIVIAL]
    if not graded:
        return UndefinedValue("all sentences of the answer are trivial")
    measured = _mean(graded, "sentences")
    return measured._replace(reason=measured.reason + cut_note(parts.cut))


def _mean(grades: Sequence[str], what: str) -> ModelValue:
    value = math.fsum(map(float, grades)) / len(grades) / 3
    return ModelValue(value, f"grades of 3 for {len(grades)} {what}: {', '.join(grades)}")


METRICS = (
    ModelMetric(
        name=CONTEXT_RELEVANCE,
        formula="mean over the passages of a grade from 0 to 3, / 3; passages without a text are left out",
        source="TruLens context relevance, with its mean over passages",
        needs=(MetricNeed.MODEL, MetricNeed.QUESTION, MetricNeed.CONTEXTS),
        misses="whether the passages suffice together; an irrelevant passage more lowers it",
        examples=(scripted(CONTEXT_RELEVANCE, "grades 3, 0", 1 / 2, ["3", "0"], passages=2),),
        prompts=(CONTEXT_RELEVANCE,),
        measure=context_relevance,
    ),
    ModelMetric(
        name=GROUNDEDNESS,
        formula="mean over the answer's sentences that are not trivial of a grade from 0 to 3, / 3",
        source="TruLens groundedness, which gives 0 where all sentences are trivial: here it is undefined",
        needs=(MetricNeed.MODEL, MetricNeed.ANSWER, MetricNeed.CONTEXTS),
        misses="whether the passages are right or fit the question",
        examples=(
            scripted(GROUNDEDNESS, "grades 3, 0", 1 / 2, ["3", "0"], answer="It is tall. It is red."),
            scripted(GROUNDEDNESS, "grades 3, trivial", 1.0, ["3", TRIVIAL], answer="It is tall. Bye."),
        ),
        prompts=(GROUNDEDNESS,),
        measure=groundedness,
    ),
    rating_metric(
        name="trulens_answer_relevance",
        choices=GRADES,
        prompts=("trulens_answer_relevance",),
        texts=lambda shown: (shown.parts((QUESTION, ANSWER)),),
        needs=(MetricNeed.QUESTION, MetricNeed.ANSWER),
        source="TruLens answer relevance",
        misses="whether the answer is right",
        examples=((("2",), 2 / 3),),
    ),
)
