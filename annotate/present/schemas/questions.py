"""The JSON of test questions: what was built, which there are, and a system's scores."""

from __future__ import annotations

from annotate.analysis.questions.listing import QuestionListing
from annotate.analysis.questions.score import ScoredQuestions
from annotate.domain.questions import QuestionsBuilt
from annotate.present.actions import WrittenFile
from annotate.present.schemas.base import ActionModel, AnswerModel
from annotate.present.schemas.keyed import answer_model

MODELS = {
    "built": answer_model(QuestionsBuilt, ActionModel, schema="assay/questions_build/1"),
    "listed": answer_model(QuestionListing, AnswerModel, schema="assay/questions_list/1"),
    "exported": answer_model(WrittenFile, ActionModel, schema="assay/questions_export/1"),
    "scored": answer_model(ScoredQuestions, ActionModel, schema="assay/questions_score/1"),
}
