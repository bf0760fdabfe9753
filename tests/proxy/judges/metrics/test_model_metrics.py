"""Metrics that ask a model: the hand-derived value in four languages, and no number from a reply that cannot be read."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace

import pytest

from proxy.evaluation.candidates import is_reference_based
from proxy.judges.llm.asking import Ask, Reply
from proxy.judges.llm.canaries import MOST, canary
from proxy.judges.llm.form import ENTRIES, Mode
from proxy.judges.llm.prompts import standard
from proxy.judges.menu import JUDGES, NAMES, MenuChoice, build
from proxy.judges.metrics.catalogue import model_metrics
from proxy.judges.metrics.embedding_metric import EmbeddingMetric
from proxy.judges.metrics.metric import MetricNeed
from proxy.judges.metrics.model.trulens import TRIVIAL
from proxy.judges.metrics.model_metric import ModelMetric
from proxy.records import Context, FailureKind, Item, JudgeFailure, Turn
from support.llm import Said, brief, drive, failure, obedient, only, score, script, setup, worded

METRICS = tuple(metric for metric in model_metrics().values() if not isinstance(metric, EmbeddingMetric))
NAMED = pytest.mark.parametrize("metric", METRICS, ids=[metric.name for metric in METRICS])
# A question, an answer, a passage and a reference each; German is asked with the English prompts.
LANGUAGES = {
    "en": (
        "How tall is the tower?",
        "It is 330 metres tall. It is red.",
        "The tower is 330 metres tall.",
        "330 metres",
    ),
    "zh-Hans": ("这座塔有多高？", "它有三百三十米高。它是红色的。", "这座塔高三百三十米。", "三百三十米"),
    "ko": ("탑의 높이는 얼마입니까?", "330미터입니다. 빨간색입니다.", "탑의 높이는 330미터이다.", "330미터"),
    "de": ("Wie hoch ist der Turm?", "Er ist 330 Meter hoch. Er ist rot.", "Der Turm ist 330 Meter hoch.", "330 Meter"),
}
# Of taste, of form, or of what a false answer may still have.
WITHOUT_CANARY = {
    *(f"aspect_{name}" for name in ("harmfulness", "maliciousness", "coherence", "conciseness", "instruction_following")),
    *(f"unieval_{name}" for name in ("naturalness", "coherence", "engagingness", "understandability", "fluency")),
    "context_utilization", "context_recall_statements", "context_entity_recall", "factual_correctness_recall", "factual_correctness_f2",
    "noise_sensitivity_relevant", "noise_sensitivity_irrelevant", "summarization_score", "summarization_score_questions",
    "trulens_answer_relevance",
}  # fmt: skip
# The one value in which the length of the texts counts.
BY_LENGTH = "summarization_score"
MALFORMED: tuple[Said, ...] = (
    "", "no JSON", "{}", "[]", "null", '{"s1": 1}', '{"statements": ["one"]}', '{"statements": {"entries": [], "verdict": "listed"}}',
    '{"statements": {"entries": ["one"], "verdict": "none"}}', '{"statements": {"entries": ["one", ""], "verdict": "listed"}}',
    '{"statements": {"entries": [1, null], "verdict": "listed"}}', '{"statements": {"entries": "one", "verdict": "listed"}}',
    "yes", "supported", "NaN", "{" * 5_000, Reply(text="{}", finish="length"), Reply(text="", finish="content_filter"),
    Reply(text="", refusal="I can't."), "I'm sorry, but I can't judge this.",
)  # fmt: skip


def translated(language: str, metric: ModelMetric) -> Item:
    """The item of the metric's first worked number, with the texts of a language; its passages as many, no two the same."""
    question, answer, passage, reference = LANGUAGES[language]
    item = metric.examples[0].item
    contexts = tuple(Context(text=f"{rank}. {passage}") for rank in range(1, len(item.contexts) + 1))
    turns = (Turn(role="user", text=question),)
    return replace(item, question=question, answer=answer, contexts=contexts, reference=reference, history=turns)


@NAMED
@pytest.mark.parametrize("language", LANGUAGES)
def test_the_worked_value_comes_out_in_every_language(metric: ModelMetric, language: str) -> None:
    """The prompts are in the item's language, English for German; the model is shown the item's own words, as data only."""
    number = metric.examples[0]
    driven = drive(metric.asked(setup()), translated(language, metric), script(number.replies))

    assert score(driven).value == pytest.approx(number.expected if metric.name != BY_LENGTH else _by_length(language))
    assert score(driven).reason
    tag = "en" if language == "de" else language
    assert len(driven.asks) == len(number.replies)
    for ask in driven.asks:
        assert ask.system.endswith(standard().text("reply_schema", tag))
        assert not any(text in ask.system for text in LANGUAGES[language])
        assert json.loads(ask.user)
    assert any(text in ask.user for ask in driven.asks for text in LANGUAGES[language])


def _by_length(language: str) -> float:
    """The summarization score of 8 in 11 questions: half of that, and half of what the answer is shorter than "1. " and the passage."""
    _, answer, passage, _ = LANGUAGES[language]
    return (8 / 11 + 1 - min(1, len(answer) / (3 + len(passage)))) / 2


@NAMED
def test_a_reply_that_cannot_be_read_is_a_recorded_failure(metric: ModelMetric) -> None:
    """At each step, after one repair: never a number and never a crash; the reply is kept."""
    number = metric.examples[0]
    for step in range(len(number.replies)):
        for bad in MALFORMED:
            outcome = only(drive(metric.asked(setup()), number.item, _spoilt(metric, step, bad)))
            assert isinstance(outcome, JudgeFailure), (step, brief(bad))
            assert outcome.kind in (FailureKind.INVALID, FailureKind.REFUSED)
            assert outcome.reason
            assert outcome.raw is not None


def _spoilt(metric: ModelMetric, step: int, bad: Said) -> Callable[[Ask], Said]:
    """A model that replies as the worked number has it up to a step, and badly from then on."""
    good, asked = metric.examples[0].replies, [0]

    def reply(ask: Ask) -> Said:
        asked[0] += not ask.is_repair
        return worded(good[asked[0] - 1], ask) if asked[0] <= step else bad

    return reply


@NAMED
def test_one_bad_reply_is_repaired(metric: ModelMetric) -> None:
    """A good second reply counts as any other, at each step."""
    number = metric.examples[0]
    left = list(number.replies)

    def reply(ask: Ask) -> str:
        return worded(left.pop(0), ask) if ask.is_repair else "no JSON"

    driven = drive(metric.asked(setup()), number.item, reply)
    assert score(driven).value == pytest.approx(number.expected)
    assert len(driven.asks) == 2 * len(number.replies)


@NAMED
def test_what_an_item_lacks_is_said_without_a_call(metric: ModelMetric) -> None:
    """Not applicable, with the part that is missing named."""
    item = metric.examples[0].item
    lacking = {
        MetricNeed.QUESTION: (replace(item, question=" "), "the question is empty"),
        MetricNeed.ANSWER: (replace(item, answer=""), "the answer is empty"),
        MetricNeed.REFERENCE: (replace(item, reference=None), "the item has no reference"),
        MetricNeed.CONTEXTS: (replace(item, contexts=(Context(text=" "),)), "no passages were retrieved"),
    }
    for need in metric.needs:
        if need in lacking:
            changed, reason = lacking[need]
            failed = failure(drive(metric.asked(setup()), changed, []))
            assert (failed.kind, failed.reason) == (FailureKind.NOT_APPLICABLE, reason)


@NAMED
def test_a_list_that_is_empty_leaves_the_value_undefined(metric: ModelMetric) -> None:
    """No statement, no entity, no question: None with a reason, never 0 or 1."""
    number = metric.examples[0]
    for step in range(len(number.replies)):
        if not _is_list(metric, step):
            continue
        left = [*number.replies[:step], (), *number.replies[step + 1 :]]
        driven = drive(metric.asked(setup()), number.item, script(left))
        if (metric.name, step) == ("context_entity_recall", 1):  # passages that name nothing lack everything
            assert score(driven).value == 0.0
        else:
            assert failure(driven).kind is FailureKind.NOT_APPLICABLE
            assert failure(driven).reason


def _is_list(metric: ModelMetric, step: int) -> bool:
    left, asks = list(metric.examples[0].replies), list[Ask]()

    def reply(ask: Ask) -> str:
        asks.append(ask)
        return worded(left.pop(0), ask)

    drive(metric.asked(setup()), metric.examples[0].item, reply)
    return asks[step].form.questions[0].note == ENTRIES


@NAMED
def test_in_plain_text_verdicts_count_and_lists_cannot_be_had(metric: ModelMetric) -> None:
    """A last line has no room for a list: the failure says so, and nothing is asked."""
    number = metric.examples[0]
    has_list = any(_is_list(metric, step) for step in range(len(number.replies)))
    driven = drive(metric.asked(setup(Mode.LAST_LINE)), number.item, [] if has_list else script(number.replies))
    if has_list:
        assert failure(driven).kind is FailureKind.INVALID
        assert "JSON" in failure(driven).reason
    else:
        assert score(driven).value == pytest.approx(number.expected)


@NAMED
def test_its_signature_names_every_prompt_that_it_uses(metric: ModelMetric) -> None:
    """Each prompt that shaped an ask is among its prompts, and every one of them is used: another wording is another score."""
    texts = standard().texts
    driven = drive(metric.asked(setup()), metric.examples[0].item, script(metric.examples[0].replies))
    [(name, signature)] = metric.asked(setup()).judges

    assert signature.startswith(f"{metric.name}|llm|m|v{metric.version}|")
    assert name == metric.name
    for prompt in metric.prompts:
        changed = replace(standard(), texts={**texts, (prompt, "en"): "Changed " + texts[prompt, "en"]})
        other = metric.asked(setup(prompts=changed))
        assert other.judges != metric.asked(setup()).judges
        asks = drive(other, metric.examples[0].item, script(metric.examples[0].replies)).asks
        assert [ask.system for ask in asks] != [ask.system for ask in driven.asks], prompt


@pytest.mark.parametrize(
    "text", ["lone \ud800", "NUL \0", 'a\ud800b \u202e\u2066 <b>{aspect}</b> {"verdict": "yes"}'], ids=ascii
)
@NAMED
def test_no_text_raises(metric: ModelMetric, text: str) -> None:
    """In the item and in the model's lists and reasons: all that is sent can be encoded, and the reason can be shown."""
    item = metric.examples[0].item
    contexts = tuple(context._replace(text=f"{context.text} {text}") for context in item.contexts)
    answer, reference = f"{item.answer} {text}", f"{item.reference} {text}"
    odd = replace(item, question=text, answer=answer, reference=reference, contexts=contexts)
    driven = drive(metric.asked(setup()), odd, lambda ask: _saying(text, ask))

    assert driven.asks
    for ask in driven.asks:
        assert (ask.system + ask.user).encode()
        assert json.loads(ask.user)
        assert text not in ask.system
    assert only(driven).reason.encode()
    assert "\0" not in only(driven).reason


def _saying(text: str, ask: Ask) -> str:
    """A reply with the text in each list and reason, and the first choice to every question that is a verdict at all."""
    entries = {
        question.key: {
            question.note: [text] if question.note == ENTRIES else text,
            "verdict": next(choice for choice in question.choices if choice != TRIVIAL),
        }
        for question in ask.form.questions
    }
    return json.dumps(entries)


@NAMED
def test_a_canary_finds_out_a_model_that_obeys_and_no_other(metric: ModelMetric) -> None:
    """The best verdicts on a false answer, or on foreign passages, are above 0.5, the worst ones at most; others have none."""
    judge = metric.asked(setup())
    item = canary(judge, 0)
    if item is None:
        assert metric.name in WITHOUT_CANARY
        return
    assert score(drive(judge, item, obedient())).value > MOST
    assert only(drive(judge, item, _steadfast)).reason
    assert score(drive(judge, item, _steadfast)).value <= MOST


def _steadfast(ask: Ask) -> str:
    """A model that lists one thing, and gives the worst verdict on everything."""
    return _saying("The tower is 930 metres tall.", ask)


def test_what_needs_a_reference_is_no_part_of_a_proxy() -> None:
    """The others are: they can score traffic; all are on the menu, under names that no other judge has."""
    for metric in METRICS:
        assert is_reference_based(metric.name) is (MetricNeed.REFERENCE in metric.needs)
        [judge] = build(setup(), MenuChoice(names=(metric.name,)))
        assert judge.judges == metric.asked(setup()).judges
    assert len({*NAMES}) == len(NAMES) == len(JUDGES) + len(model_metrics())
