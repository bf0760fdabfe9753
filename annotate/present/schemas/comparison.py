"""The JSON of a comparison of two systems."""

from __future__ import annotations

from collections.abc import Mapping

from pydantic import Field

from annotate.analysis.comparison.compare import ComparedSystems, ListedPair, gate_of
from annotate.analysis.comparison.graded import JudgeGrades
from annotate.domain.turns import as_rows
from annotate.present.schemas.base import ActionModel, AnswerModel, EstimateModel, GateModel, Model, Sentence, read_from
from annotate.present.schemas.keyed import FieldsOf
from annotate.present.schemas.predictor import PredictorModel, behind
from proxy.comparison.comparison import AnsweredQuestion, ComparisonStanding
from proxy.evaluation.evidence_ledger import Objection
from proxy.records import Item, Verdict
from proxy.stats.testing.paired import Pairs


class SideModel(Model):
    """A system, or a window of time of one."""

    name: str
    system: str | None = read_from("selection.system", "system")
    since: str | None = read_from("selection.since", "since")
    until: str | None = read_from("selection.until", "until")
    answers: int = read_from("counted.items", "answers")
    questions: int = read_from("counted.questions", "questions")
    labels: int
    correctness_long_run: EstimateModel = read_from("rate", "correctness_long_run")
    pass_precision_long_run: EstimateModel = read_from("pass_precision", "pass_precision_long_run")


class PairsModel(Model):
    """The questions that both answered, and the labelled pairs by who is right."""

    questions: int
    labelled: int
    out_of_reach: int
    hand_picked: int
    both: int | None = None
    only_first: int | None = None
    only_second: int | None = None
    neither: int | None = None


class AnsweredModel(Model):
    """An answer to a question, with the rule's verdict."""

    item_id: str
    answer: str
    verdict: Verdict


class ListedModel(Model):
    """A question on which one answer is right and the other wrong."""

    question: str
    history: tuple[dict[str, str], ...]
    question_key: str
    group: str | None
    groups: tuple[str, ...]
    first: AnsweredModel
    second: AnsweredModel


class GradesModel(Model):
    """What each question got."""

    question_key: str = read_from("question", "question_key")
    first: float
    second: float


class JudgeScoresModel(Model):
    """Mean scores of both systems by a judge, without any label."""

    judge: str
    signature: str
    top: int = Field(alias="of")
    paired: bool
    first: EstimateModel
    second: EstimateModel
    difference: EstimateModel
    questions: tuple[GradesModel, ...]


class ComparisonModel(AnswerModel, schema="assay/comparison/1"):
    """Whether the second system is better than the first."""

    PARTS = ("comparison",)

    first: SideModel
    second: SideModel
    difference: EstimateModel
    pass_precision_difference: EstimateModel
    standing: ComparisonStanding
    mcnemar_mid_p: float | None = read_from("mid_p", "mcnemar_mid_p")
    exact: float | None
    more_labels_for_5_points: int | None = read_from("more", "more_labels_for_5_points")
    pairs: PairsModel
    same_questions: bool
    objections: tuple[FieldsOf[Objection], ...]
    broke: tuple[ListedModel, ...]
    mended: tuple[ListedModel, ...]
    scores: JudgeScoresModel | None
    rule: str = read_from("rule.expression", "rule")
    predictors: tuple[PredictorModel, ...]
    warnings: tuple[Sentence, ...] = read_from("notes", "warnings")
    gate: GateModel

    @classmethod
    def computed(cls, result: ComparedSystems) -> Mapping[str, object]:
        """Give both sides, the pairs, what changed, and the gate."""
        shared, (first, second) = result.shared, result.sides
        return {
            "first": first,
            "second": second,
            "pass_precision_difference": result.among_passed,
            "predictors": behind(result.comparison.difference, first.rate, second.rate),
            "pairs": PairsModel.of(
                questions=shared.questions,
                labelled=len(shared.pairs),
                out_of_reach=shared.out_of_reach,
                hand_picked=result.hand_picked,
                **_counts(result.comparison.counts),
            ),
            "broke": tuple(_listed(listed) for listed in result.listed if listed.is_broken),
            "mended": tuple(_listed(listed) for listed in result.listed if not listed.is_broken),
            "scores": _scores(result.judge_grades) if result.judge_grades else None,
            "gate": gate_of(result),
        }


class AloneModel(ActionModel, schema="assay/comparison_of_one/1"):
    """One system alone, which cannot be compared."""

    gate: GateModel


MODEL = ComparisonModel
MODELS = {"alone": AloneModel}


def _counts(counts: Pairs | None) -> dict[str, int]:
    return {name: int(count) for name, count in counts._asdict().items()} if counts else {}


def _listed(listed: ListedPair) -> ListedModel:
    pair = listed.pair
    return ListedModel.of(
        question=listed.first.question,
        history=tuple(as_rows(listed.first.history)),
        question_key=pair.question,
        group=pair.groups[0] if len(pair.groups) == 1 else None,
        groups=pair.groups,
        first=_answered(listed.first, pair.first),
        second=_answered(listed.second, pair.second),
    )


def _answered(item: Item, answered: AnsweredQuestion) -> AnsweredModel:
    return AnsweredModel.of(item_id=item.id, answer=item.answer, verdict=answered.verdict)


def _scores(judge_grades: JudgeGrades) -> JudgeScoresModel:
    grades = judge_grades.grades
    same = ("judge", "signature", "first", "second", "difference", "questions")
    return JudgeScoresModel.of(
        **{name: getattr(grades, name) for name in same}, of=grades.scale.top or 1, paired=grades.is_paired
    )
