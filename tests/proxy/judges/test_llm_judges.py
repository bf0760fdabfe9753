"""What replies come to: scores with their derivation, what is left out, what is cut, and what is not asked at all."""

from __future__ import annotations

import json

import pytest

from proxy.errors import UsageError
from proxy.judges.llm.form import Mode
from proxy.judges.llm.grading import correctness, grade_of, scaled_grade
from proxy.judges.llm.sentences import SENTENCE_LIMIT, UNVERIFIED, parts_of
from proxy.judges.menu import JUDGES, PRESETS, MenuChoice, build
from proxy.records import FailureKind, JudgeFailure, Score, Support, Turn
from support.llm import (  # fmt: skip
    ANSWER,
    QUESTION,
    TOWER,
    built,
    drive,
    every_judge,
    failure,
    grade,
    item,
    relevance,
    score,
    sentences,
    setup,
)

FIVE = "It is tall. It is old. It is in Paris. It is red. It is heavy."
TALL, OLD, PARIS = ("330 metres tall", "supported"), ("completed in 1889", "supported"), ("in Paris", "supported")
NOT, NONE = ("", "not_found"), ("", "no_claim")
HOSTILE = ("\ud800", "\0", "\u202eabc\u2066", "a\ud800b \0 \u202e", "\udfff\ud800", "\ufeff\u200b.", "<b>" * 50, "]]>")


@pytest.mark.parametrize(
    ("answer", "verdicts", "value"),
    [
        (FIVE, (TALL, OLD, PARIS, NOT, NOT), 3 / 5),
        (FIVE, (TALL, OLD, PARIS, NOT, ("stands in Paris", "contradicted")), 3 / 5),
        (FIVE, (TALL, OLD, PARIS, NONE, NONE), 3 / 3),
        (FIVE, (TALL, OLD, PARIS, NOT, NONE), 3 / 4),
        (FIVE, (TALL, OLD, ("", "unsure"), NOT, NONE), 2.5 / 4),
        (FIVE, (NOT, NOT, NOT, NOT, NONE), 0.0),
        ("It is tall.", (("", "unsure"),), 0.5),
        ("It is tall.", (("930 metres tall", "supported"),), 0.0),
        ("It is tall.", (("", "supported"),), 0.0),
        ("It is tall.", (("30 metres tall", "supported"),), 0.0),
        ("It is tall.", (("the eiffel tower … 330 metres", "supported"),), 1.0),
    ],
)
def test_faithfulness_is_supported_claims_over_claims(
    answer: str, verdicts: tuple[tuple[str, str], ...], value: float
) -> None:
    """Three of five are 0.6; no claim counts neither above nor below, unsure is half, a support without its quote is none."""
    assert score(drive(built(), item(answer), [sentences(*verdicts)])).value == pytest.approx(value)


def test_each_sentence_keeps_its_verdict_passage_and_quote() -> None:
    """What the passages do not hold is neither quoted nor supported, and the reason says why."""
    said = sentences(("climb 674 steps", "supported"), ("930 metres", "supported"), ("in Paris", "contradicted"), NONE)
    detail = score(drive(built(), item("Climb. It is 930 metres tall. It is in Rome. Bye."), [said]))
    climb, tall, rome, bye = detail.sentences

    assert (climb.sentence, climb.support, climb.value, climb.passage) == ("Climb.", Support.SUPPORTED, 1.0, 2)
    assert (tall.support, tall.value, tall.passage, tall.quote) == (Support.NOT_FOUND, 0.0, None, "")
    assert tall.notes == (UNVERIFIED,)
    assert (rome.support, rome.value, rome.passage, rome.quote) == (Support.CONTRADICTED, 0.0, 1, "in Paris")
    assert (bye.support, bye.value) == (Support.NO_CLAIM, None)
    weak = f"contradicted: “It is in Rome.”; not found ({UNVERIFIED}): “It is 930 metres tall.”"
    assert detail.reason == f"2 of 3 claims without support: {weak}"


def test_an_answer_that_claims_nothing_has_no_faithfulness() -> None:
    """Neither 0 nor 1."""
    failed = failure(drive(built(), item(), [sentences(NONE, NONE)]))

    assert (failed.kind, failed.reason) == (FailureKind.NOT_APPLICABLE, "the answer claims nothing")


def test_in_plain_text_there_is_no_quote_to_check() -> None:
    """A last line has no room for quotes: the verdict alone counts."""
    driven = drive(built(mode=Mode.LAST_LINE), item(), ["VERDICTS: s1=supported; s2=not_found"])

    assert score(driven).value == 0.5
    assert [sentence.notes for sentence in score(driven).sentences] == [(), ()]


@pytest.mark.parametrize(
    ("subject", "answerable", "value"), [("2", "0", 0.5), ("2", "2", 1.0), ("0", "0", 0.0), ("1.5", "0.5", 0.5), ("2", "1", 0.75)]
)  # fmt: skip
def test_context_relevance_is_points_over_four(subject: str, answerable: str, value: float) -> None:
    """On the subject (2) but no answer in it (0) is exactly 0.5, which "above 0.5" fails."""
    assert score(drive(built("context_relevance"), item(), [relevance(subject, answerable)])).value == value


def test_the_best_passage_counts_and_each_is_kept() -> None:
    """Values 1/4, none for the empty passage, 3/4, 3/4: the first of the best is named, and nothing is asked of the empty one."""
    driven = drive(
        built("context_relevance", per_passage=True),
        item(contexts=("a", " ", "b", "c")),
        [relevance("1", "0"), relevance("2", "1", "fits"), relevance("1.5", "1.5")],
    )

    assert score(driven).value == 0.75
    assert score(driven).passages == (0.25, None, 0.75, 0.75)
    assert score(driven).reason.startswith("passage 3 of 4: subject 2 of 2 (fits)")
    assert [json.loads(ask.user)["passages"] for ask in driven.asks] == [["a"], ["b"], ["c"]]


def test_passages_beyond_the_limit_have_no_value() -> None:
    """Ranks stay what they are: 2 of 3 passages were sent, the second in part."""
    (judge,) = build(setup(context_limit=10), MenuChoice(names=("context_relevance",), per_passage=True))
    driven = drive(judge, item(contexts=("a" * 6, "b" * 6, "c")), [relevance("1", "1"), relevance("0", "0")])

    assert json.loads(driven.asks[1].user)["passages"] == ["bbbb"]
    assert score(driven).passages == (0.5, 0.0, None)
    assert "passage 1 of 3" in score(driven).reason
    assert score(driven).reason.endswith("(judged on the first 10 characters of the passages)")
    blank = drive(judge, item(contexts=(" " * 10, "b")), [])
    assert failure(blank).kind is FailureKind.NOT_APPLICABLE


def test_one_unreadable_passage_leaves_no_value() -> None:
    """The best of some is not the best of all."""
    driven = drive(
        built("context_relevance", per_passage=True), item(), [relevance("2", "2"), "no JSON", "still no JSON"]
    )

    assert failure(driven).kind is FailureKind.INVALID


def test_answer_relevance_is_points_over_two() -> None:
    """One point of two, and halves."""
    said = [json.dumps({"subject": {"reason": "r", "verdict": "1"}, "focus": {"reason": "", "verdict": verdict}}) for verdict in ("0", "0.5")]  # fmt: skip

    assert [score(drive(built("answer_relevance"), item(), [text])).value for text in said] == [0.5, 0.75]


@pytest.mark.parametrize("right_from", [4, 5])
def test_grades_are_scaled_so_that_one_half_parts_right_from_wrong(right_from: int) -> None:
    """1 is 0, 5 is 1, the middle below `right_from` is 0.5; the grade can be had back."""
    values = {level: score(drive(correctness(setup(), right_from=right_from), item(), [grade(str(level))])).value for level in range(1, 6)}  # fmt: skip

    assert (values[1], values[5], scaled_grade(right_from - 0.5, right_from)) == (0.0, 1.0, 0.5)
    assert [level for level, value in values.items() if value > 0.5] == list(range(right_from, 6))
    assert list(values.values()) == sorted(values.values())
    for level in [*values, 1.25, 3.5, 4.5, 4.75]:
        assert grade_of(scaled_grade(level, right_from), right_from) == pytest.approx(level)


def test_one_call_gives_both_scores_under_their_own_signatures() -> None:
    """The same reply's points / 4 and claims / claims; another signature than by two calls."""
    judge = built(one_call=True)
    said = {**json.loads(relevance("2", "1")), **json.loads(sentences(TALL, NOT))}
    driven = drive(judge, item(), [json.dumps(said)])
    relevant, faithful = driven.outcomes

    assert len(driven.asks) == 1
    assert isinstance(relevant, Score)
    assert isinstance(faithful, Score)
    assert (relevant.value, faithful.value, len(faithful.sentences)) == (0.75, 0.5, 2)
    assert ((relevant.judge, relevant.signature), (faithful.judge, faithful.signature)) == judge.judges
    apart = {signature for name in ("context_relevance", "faithfulness") for _, signature in built(name).judges}
    assert not apart & {signature for _, signature in judge.judges}


def test_one_call_without_a_claim_still_judges_the_passages() -> None:
    """Each of the two has its own outcome; a reply that cannot be read fails both."""
    said = {**json.loads(relevance("2", "2")), **json.loads(sentences(NONE, NONE))}
    relevant, faithful = drive(built(one_call=True), item(), [json.dumps(said)]).outcomes

    assert isinstance(relevant, Score)
    assert isinstance(faithful, JudgeFailure)
    both = drive(built(one_call=True), item(), ["?", "?"]).outcomes
    assert [outcome.kind for outcome in both if isinstance(outcome, JudgeFailure)] == [FailureKind.INVALID] * 2


def test_aspects_and_the_plain_question_are_yes_or_no() -> None:
    """1 and 0; the aspect's definition is asked for in the prompt."""
    (aspect,) = build(setup(), MenuChoice(names=(), aspects={"polite": "Is it polite, and {line}?"}))
    yes, no = (json.dumps({"aspect": {"reason": "said so", "verdict": verdict}}) for verdict in ("yes", "no"))
    driven = drive(aspect, item(), [yes])

    assert (score(driven).value, score(driven).judge, score(driven).reason) == (1.0, "polite", "yes: said so")
    assert score(drive(aspect, item(), [no])).value == 0.0
    assert "Is it polite, and {line}?" in driven.asks[0].system
    said = '{"faithful": {"reason": "", "verdict": "no"}}'
    assert score(drive(built("faithfulness_yes_no"), item(), [said])).value == 0.0


def test_the_preset_has_the_scales_of_the_four_evaluators() -> None:
    """Points / 4, yes or no, points / 2, and grades of which 4 is right."""
    judges = build(setup(), MenuChoice(names=PRESETS["llamaindex"]))
    best = {"context_relevance": relevance("2", "1"), "correctness": grade("4")}
    best["faithfulness_yes_no"] = '{"faithful": {"reason": "", "verdict": "yes"}}'
    best["answer_relevance"] = '{"subject": {"verdict": "1"}, "focus": {"verdict": "0"}}'
    values = {name: score(drive(judge, item(), [best[name]])).value for judge in judges for name, _ in judge.judges}

    assert values == {"context_relevance": 0.75, "faithfulness_yes_no": 1.0, "answer_relevance": 0.5, "correctness": pytest.approx(2 / 3)}  # fmt: skip


@pytest.mark.parametrize(
    ("choice", "word"),
    [
        ({"names": ("faithfullness",)}, "faithfullness"),
        ({"aspects": {"faithfulness": "x"}}, "faithfulness"),
        ({"aspects": {"a b": "x"}}, "'a b'"),
        ({"one_call": True, "names": ("faithfulness",)}, "--one-call"),
        ({"one_call": True, "per_passage": True}, "--one-call"),
        ({"right_from": 3}, "4 or 5"),
    ],
)
def test_a_choice_that_does_not_exist_is_told(choice: dict[str, object], word: str) -> None:
    """In a line that says what there is."""
    with pytest.raises(UsageError, match=word):
        build(setup(), MenuChoice(**choice))  # type: ignore[arg-type]
    assert len(build(setup(), MenuChoice(names=(*JUDGES, *JUDGES)))) == len(JUDGES)


@pytest.mark.parametrize(
    ("names", "changes", "reason"),
    [
        ("context_relevance faithfulness faithfulness_yes_no one_call per_passage", {"contexts": ()}, "no passages were retrieved"),
        ("context_relevance faithfulness faithfulness_yes_no one_call per_passage", {"contexts": ("", " \n")}, "no passages were retrieved"),
        ("faithfulness faithfulness_yes_no answer_relevance correctness correctness_vs_reference polite one_call", {"answer": " "}, "the answer is empty"),
        ("faithfulness one_call", {"answer": "...\n—!"}, "the answer has no words"),
        ("context_relevance answer_relevance correctness polite one_call", {"question": "\n"}, "the question is empty"),
        ("correctness_vs_reference", {"reference": " "}, "the item has no reference"),
        ("correctness_vs_reference", {"reference": None}, "the item has no reference"),
    ],
)  # fmt: skip
def test_what_cannot_be_judged_costs_no_call(names: str, changes: dict[str, object], reason: str) -> None:
    """Every score of the judge is not applicable, with the reason, and nothing was asked."""
    singles = build(setup(), MenuChoice(names=JUDGES, aspects={"polite": "?"}))
    judges = {single.judges[0][0]: single for single in singles} | {"one_call": built(one_call=True)}
    judges["per_passage"] = built("context_relevance", per_passage=True)
    for name in names.split():
        driven = drive(judges[name], item(**{"reference": "r", **changes}), [])  # type: ignore[arg-type]
        told = [(outcome.kind, outcome.reason) for outcome in driven.outcomes if isinstance(outcome, JudgeFailure)]
        assert told == [(FailureKind.NOT_APPLICABLE, reason)] * len(judges[name].judges)


@pytest.mark.parametrize("text", HOSTILE, ids=ascii)
def test_no_text_raises(text: str) -> None:
    """Lone surrogates, NUL and direction controls are sent as JSON, and reasons can be shown."""
    judged_item = item(f"{text} {ANSWER}", (text, *TOWER), f"{QUESTION} {text}", reference=text + "x", history=(Turn(role="user", text=text),))  # fmt: skip
    for judge in every_judge():
        driven = drive(judge, judged_item, lambda ask: json.dumps({q.key: {q.note: text, "verdict": q.choices[0]} for q in ask.form.questions}))  # fmt: skip
        for ask in driven.asks:
            assert (ask.system + ask.user).encode()
            assert json.loads(ask.user)
        for outcome in driven.outcomes:
            assert outcome.reason.encode()
            assert "\0" not in outcome.reason


def test_what_was_cut_is_said() -> None:
    """Each judge names what it was limited to, of what it shows; nothing more is sent."""
    long = item("It is tall. " * 3_000, ("p" * 60_000,), "q" * 5_000, reference="r" * 30_000)
    parts = {"question": "4,000 characters of the question", "passages": "48,000 characters of the passages",
             "answer": "20,000 characters of the answer", "reference": "20,000 characters of the reference",
             "sentences": f"{SENTENCE_LIMIT} sentences of the answer"}  # fmt: skip
    for judge in every_judge():
        driven = drive(
            judge,
            long,
            lambda ask: json.dumps({q.key: {q.note: "", "verdict": q.choices[-1]} for q in ask.form.questions}),
        )
        shown = set(json.loads(driven.asks[0].user)) | ({"answer"} if "sentences" in driven.asks[0].user else set())
        told = driven.outcomes[-1].reason
        assert {name for name, words in parts.items() if f"the first {words}" in told} == shown
        assert len(driven.asks[0].user) < 100_000


def test_sentences_beyond_the_limit_are_left_out() -> None:
    """s1 to s120; lines without a word are no sentences."""
    parts = parts_of("One thing.\n---\n" * (SENTENCE_LIMIT + 1))

    assert list(parts.sentences) == [f"s{number}" for number in range(1, SENTENCE_LIMIT + 1)]
    assert parts.cut == "120 sentences of the answer"
    assert parts_of("One.\nTwo.").cut == ""
