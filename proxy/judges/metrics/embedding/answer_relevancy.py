"""Answer relevancy: how close to the question are the questions that a model makes from the answer."""

from __future__ import annotations

import math

from proxy.judges.llm.asking import Unreadable
from proxy.judges.llm.form import Mode, Question
from proxy.judges.llm.shown_item import ANSWER, ShownItem
from proxy.judges.metrics.embedding_metric import EmbeddingMetric, cosines, from_zero, settings_of
from proxy.judges.metrics.metric import MetricNeed, UndefinedValue
from proxy.judges.metrics.model_metric import Measuring, ModelValue, embedded
from proxy.text.language import quoted

GENERATED_QUESTIONS = "generated_questions"
COMMITTAL, NONCOMMITTAL = "committal", "noncommittal"


def answer_relevancy(shown: ShownItem) -> Measuring:
    """Return the mean cosine of the generated questions to the question; 0 where the answer commits itself to nothing."""
    if shown.setup.mode is Mode.LAST_LINE:
        raise Unreadable("this model cannot reply in JSON, which questions need", "")
    keys = [f"q{number}" for number in range(1, settings_of(shown).generated_questions + 1)]
    form = tuple(Question(key=key, choices=(COMMITTAL, NONCOMMITTAL), note="question") for key in keys)
    readings = yield from shown.asked(GENERATED_QUESTIONS, form, shown.parts((ANSWER,)))
    made = [readings[key] for key in keys if readings[key].note.strip()]
    if not made:
        return UndefinedValue("the model made no question from the answer")
    if all(reading.verdict == NONCOMMITTAL for reading in made):
        return ModelValue(0.0, "the answer commits itself to nothing")
    questions = [reading.note.strip() for reading in made]
    given = yield from cosines(shown.question, questions)
    value = math.fsum(given) / len(given)
    least = questions[given.index(min(given))]
    return from_zero(
        value, f"mean cosine {value:.3g} of {len(given)} questions made from the answer, the least of {quoted(least)}"
    )


METRIC = EmbeddingMetric(
    name="answer_relevancy",
    formula="mean cosine of the question and N questions that a model makes from the answer alone, 0 where it is negative; "
    "N = --generated-questions, 3; 0 where the answer is noncommittal by all of them",
    source="Ragas answer (response) relevancy, which makes each question in a call of its own, gives 0 where none is made, and "
    "leaves negative values as they are; some guides omit the rule for noncommittal answers",
    needs=(MetricNeed.MODEL, MetricNeed.EMBEDDINGS, MetricNeed.QUESTION, MetricNeed.ANSWER),
    misses="whether the answer is right; what it leaves out, where the questions do not show it; the turns before the question",
    # The question's vector, then those of the three made: cosines 1, 3/5 and 4/5.
    examples=(
        embedded(
            "answer_relevancy",
            "cosines 1, 0.6 and 0.8",
            0.8,
            (1, 0),
            (2, 0),
            (3, 4),
            (4, 3),
            replies=[[COMMITTAL, NONCOMMITTAL, COMMITTAL]],
        ),
        embedded("answer_relevancy", "noncommittal by all three", 0.0, replies=[[NONCOMMITTAL] * 3]),
        embedded(
            "answer_relevancy",
            "cosines -1, -1 and 1",
            0.0,
            (1, 0),
            (-1, 0),
            (-2, 0),
            (3, 0),
            replies=[[COMMITTAL] * 3],
        ),
    ),
    prompts=(GENERATED_QUESTIONS,),
    shaped_by=("generated_questions",),
    measure=answer_relevancy,
)
