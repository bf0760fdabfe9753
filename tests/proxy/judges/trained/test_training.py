"""Trained judges: coefficients as scikit-learn and the formula have them, stored as plain JSON, and refused when malformed."""

from __future__ import annotations

import json
import math
from dataclasses import replace

import numpy as np
import pytest

from proxy.errors import InputError, UsageError
from proxy.evaluation.held_out_pairs import held_out
from proxy.judges.base import Judge
from proxy.judges.trained.features import FEATURES
from proxy.judges.trained.fitting import fit
from proxy.judges.trained.judge import TrainedJudge
from proxy.judges.trained.model import TrainedModel, is_trained, read
from proxy.judges.trained.pairs import POSITIVE, Criterion, PairKind, pairs_of
from proxy.judges.trained.supported_answers import parted
from proxy.judges.trained.training import NotTrained, Trained, train
from proxy.records import Context, FailureKind, Item, JudgeFailure, Score
from support.supported_answers import towers

TOWERS = towers(40)


@pytest.fixture(scope="module")
def trained() -> dict[Criterion, Trained]:
    return {training.judge.model.criterion: training for training in train(TOWERS) if isinstance(training, Trained)}


def value(judge: Judge, item: Item) -> float:
    outcome = judge.judge(item)
    assert isinstance(outcome, Score), outcome
    return outcome.value


@pytest.mark.slow
def test_training_is_reproducible_and_the_signature_names_the_coefficients(trained: dict[Criterion, Trained]) -> None:
    """The same answers in another order give the same signatures; other answers, another seed or another weight do not."""
    first = {criterion: training.judge.signature for criterion, training in trained.items()}
    again = {
        training.judge.model.criterion: training.judge.signature
        for training in train(TOWERS[::-1])
        if isinstance(training, Trained)
    }
    assert first == again
    others = [other.judge.signature for other in train(TOWERS, seed=1) if isinstance(other, Trained)]
    assert not set(first.values()) & set(others)
    model = trained[Criterion.FAITHFULNESS].judge.model
    assert replace(model, weights=(*model.weights[:-1], model.weights[-1] + 1e-6)).signature != model.signature
    assert all(
        is_trained(signature) and signature.startswith(f"{name}_trained|trained|") for name, signature in first.items()
    )


@pytest.mark.slow
def test_a_model_is_plain_json_that_gives_the_same_judge(trained: dict[Criterion, Trained]) -> None:
    """Written as JSON text and read again it scores every pair the same; there is nothing in it but names and numbers."""
    for training in trained.values():
        text = json.dumps(training.judge.model.settings())
        judge = TrainedJudge(model=read(training.judge.name, json.loads(text)))
        assert judge.signature == training.judge.signature
        for pair in training.held_out:
            assert judge.judge(pair.item) == training.judge.judge(pair.item)


@pytest.mark.parametrize(
    ("field", "malformed"),
    [
        ("version", 2),
        ("version", None),
        ("intercept", "0"),
        ("intercept", math.nan),
        ("features", []),
        ("features", "stock"),
        ("features", ["stock"]),
        ("weights", [1.0]),
        ("weights", [math.inf] * 6),
        ("weights", {"stock": 1.0}),
        ("means", None),
        ("deviations", [0.0] * 6),
    ],
)
def test_a_malformed_model_is_refused(trained: dict[Criterion, Trained], field: str, malformed: object) -> None:
    """What is missing, of another version, of another length or no finite number is an error that says to train again."""
    model = trained[Criterion.FAITHFULNESS].judge.model
    with pytest.raises(InputError, match="train it again"):
        read(model.name, {**model.settings(), field: malformed})
    with pytest.raises(InputError, match="train it again"):
        read(model.name, {name: kept for name, kept in model.settings().items() if name != field})


def test_a_model_of_other_features_or_another_name_is_refused(trained: dict[Criterion, Trained]) -> None:
    """A feature that this version does not compute, and a judge that nobody trains."""
    model = trained[Criterion.FAITHFULNESS].judge.model
    with pytest.raises(InputError, match="other features"):
        TrainedJudge(model=replace(model, features=(*model.features[:-1], "length")))
    with pytest.raises(InputError, match="train it again"):
        read("brevity_trained", model.settings())


def test_the_score_is_the_logistic_of_the_weighted_features() -> None:
    """expit(0.5 + 2 (s - 0.25) / 0.5) with s the offline judge's score: worked by hand from one feature that counts."""
    names = FEATURES[Criterion.CONTEXT_RELEVANCE].names
    zeros = (0.0,) * (len(names) - 1)
    model = TrainedModel(
        criterion=Criterion.CONTEXT_RELEVANCE,
        features=names,
        means=(0.25, *zeros),
        deviations=(0.5, *(1.0 for _ in zeros)),
        weights=(2.0, *zeros),
        intercept=0.5,
    )
    item = Item(
        id="a",
        question="Where is Bern?",
        answer="",
        contexts=(Context(text="Where the river Aare is, there is Bern."),),
    )
    stock = value(FEATURES[Criterion.CONTEXT_RELEVANCE].stock, item)
    assert value(TrainedJudge(model=model), item) == pytest.approx(1 / (1 + math.exp(-(0.5 + 4 * (stock - 0.25)))))


def test_the_kept_model_is_the_fit_of_its_pairs(trained: dict[Criterion, Trained]) -> None:
    """With the shrinkage that was chosen: weights of features that speak for a criterion are not below 0, those against it not above."""
    for criterion, training in trained.items():
        model, kinds = training.judge.model, POSITIVE[criterion]
        pairs = [pair for pair in pairs_of(parted(TOWERS, 0).teaching, 0) if pair.kind in kinds]
        features = [FEATURES[criterion].read(pair.item) for pair in pairs]
        table = np.array([list(row.values()) for row in features if not isinstance(row, JudgeFailure)])
        assert len(table) == len(pairs)
        standardised = (table - model.means) / model.deviations
        labels = np.array([kinds[pair.kind] for pair in pairs])
        fitted = fit(standardised, labels, FEATURES[criterion].signs, training.shrinkage)
        assert model.weights == pytest.approx(fitted.weights, abs=1e-5)
        assert model.intercept == pytest.approx(fitted.intercept, abs=1e-5)
        weights = dict(zip(model.features, model.weights, strict=True))
        assert all(weight <= 0 if name == "refuses" else weight >= 0 for name, weight in weights.items())


def test_without_a_shown_gain_the_trained_judge_ranks_as_the_offline_one(trained: dict[Criterion, Trained]) -> None:
    """Neither offline judge errs on pairs about towers, so that there is nothing to gain; that of answer relevance does."""
    assert {criterion: training.is_stock for criterion, training in trained.items()} == {
        Criterion.CONTEXT_RELEVANCE: True,
        Criterion.FAITHFULNESS: True,
        Criterion.ANSWER_RELEVANCE: False,
    }
    judge = trained[Criterion.FAITHFULNESS]
    stock = FEATURES[Criterion.FAITHFULNESS].stock
    pairs = [(value(judge.judge, pair.item), value(stock, pair.item)) for pair in judge.held_out]
    assert sorted(range(len(pairs)), key=lambda at: pairs[at][0]) == sorted(
        range(len(pairs)), key=lambda at: pairs[at][1]
    )


def test_where_the_offline_judge_abstains_so_does_the_trained_one(trained: dict[Criterion, Trained]) -> None:
    """No passages: not applicable, for the same reason, under the trained judge's own name and signature."""
    judge = trained[Criterion.FAITHFULNESS].judge
    outcome = judge.judge(Item(id="a", question="Where?", answer="There."))
    assert isinstance(outcome, JudgeFailure)
    assert (outcome.judge, outcome.signature, outcome.kind) == (judge.name, judge.signature, FailureKind.NOT_APPLICABLE)
    assert outcome.reason == "no passages were retrieved"


def test_trained_judges_tell_held_out_pairs_that_the_offline_judge_cannot(trained: dict[Criterion, Trained]) -> None:
    """About towers whose passages share all words but a name and numbers, answer relevance by words alone is poor; training helps.

    The counts add up: two answers about each held-out tower, each with one pair of a kind.
    """
    answer_relevance = held_out(trained[Criterion.ANSWER_RELEVANCE])
    towers_held_out = len(parted(TOWERS, 0).held_out) // 2
    assert answer_relevance.answers == towers_held_out
    assert answer_relevance.pairs[PairKind.OWN] == 2 * towers_held_out
    assert answer_relevance.trained.n == sum(answer_relevance.pairs.values())
    assert answer_relevance.difference.low is not None
    assert answer_relevance.difference.low > 0
    own, stock = answer_relevance.trained.estimate, answer_relevance.stock.estimate
    assert own is not None
    assert stock is not None
    assert answer_relevance.difference.estimate == pytest.approx(own - stock)


@pytest.mark.slow
def test_few_held_out_errors_leave_the_difference_open(trained: dict[Criterion, Trained]) -> None:
    """Neither judge of faithfulness errs: of 14 answers a judge may err on a fifth (0.8^14 = 0.04) and show none.

    140 pairs of these answers tell no more, and one pair with an error does not tell a variance either: about 0.01 is no end.
    """
    judge = trained[Criterion.FAITHFULNESS]
    none = held_out(judge)
    assert (none.trained.estimate, none.stock.estimate, none.answers) == (pytest.approx(1), pytest.approx(1), 14)
    turned = replace(judge.held_out[0], kind=_opposite(judge.held_out[0].kind))
    few = held_out(replace(judge, held_out=(turned, *judge.held_out[1:])))
    assert few.trained.estimate != pytest.approx(1)

    for measured in (none, few):
        assert measured.trained.low is not None
        assert 0.8 < measured.trained.low < 0.9
        low, high = measured.difference.low, measured.difference.high
        assert low is not None
        assert high is not None
        assert low < -0.1 < 0.1 < high


def _opposite(kind: PairKind) -> PairKind:
    kinds = POSITIVE[Criterion.FAITHFULNESS]
    return next(other for other in kinds if kinds[other] is not kinds[kind])


def test_features_of_the_caller_take_part() -> None:
    """A feature that alone knows which pairs are right gets the largest weight; without its function the judge is refused."""
    teaching = pairs_of(parted(TOWERS, 0).teaching, 0)
    kinds = POSITIVE[Criterion.ANSWER_RELEVANCE]
    own = {(pair.item.question, pair.item.answer) for pair in teaching if kinds.get(pair.kind)}

    def embed(item: Item) -> tuple[float, float]:
        return float((item.question, item.answer) in own), 0.5

    training = train(TOWERS, embed=embed)[2]
    assert isinstance(training, Trained)
    weights = dict(zip(training.judge.model.features, training.judge.model.weights, strict=True))
    assert max(weights, key=lambda name: abs(weights[name])) == "embedding_0"
    assert weights["embedding_1"] == 0
    with pytest.raises(UsageError, match="embed"):
        TrainedJudge(model=training.judge.model)


def test_few_answers_train_nothing() -> None:
    """Of two towers no criterion has ten pairs of either kind; none at all is no error either."""
    for answers in (towers(2), []):
        outcomes = train(answers)
        assert [type(outcome) for outcome in outcomes] == [NotTrained] * 3
