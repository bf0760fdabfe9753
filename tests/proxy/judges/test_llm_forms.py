"""The shapes in which a model is held to a form, and what becomes of a reply that is not in it: one repair at most."""

from __future__ import annotations

import json
import random

import pytest

from proxy.judges.llm.asking import Ask, Reply, room
from proxy.judges.llm.form import Mode, Question, QuestionForm, last_line, schema, schema_text
from proxy.judges.llm.reading import Unreadable, read
from proxy.records import FailureKind, JudgeFailure, Score
from support.llm import JSON_MODES, brief, built, drive, every_judge, failure, item, obedient, score, sentences

FORM = QuestionForm(
    (Question(key="s1", choices=("yes", "no"), note="quote"), Question(key="focus", choices=("0", "0.5", "1")))
)
QUOTE = "The Eiffel Tower is 330 metres tall"
GOOD = sentences(("330 metres", "supported"), ("It was completed in 1889", "supported"))
LENGTH = Reply(text=GOOD, finish="length")
MUTATIONS = 1_500


def _asked(form: QuestionForm, mode: Mode = Mode.JSON_SCHEMA) -> Ask:
    return Ask(system="", user="", form=form, mode=mode)


def test_the_schema_requires_each_key_once_and_its_note_before_the_verdict() -> None:
    """An object with one entry a question, closed everywhere; only types and enums, which every server knows."""
    entry = schema(FORM)["properties"]["s1"]

    assert schema(FORM)["required"] == ["s1", "focus"]
    assert list(entry["properties"]) == entry["required"] == ["quote", "verdict"]
    assert entry["properties"]["verdict"] == {"type": "string", "enum": ["yes", "no"]}
    assert schema(FORM)["additionalProperties"] is entry["additionalProperties"] is False
    words = set(json.dumps(schema(FORM)).replace('"', " ").split())
    assert not words & {"minimum", "maximum", "maxLength", "minItems", "pattern", "$ref", "anyOf"}
    assert json.loads(schema_text(FORM)) == schema(FORM)
    assert "\n" not in schema_text(FORM)


def test_the_last_line_names_each_key_with_its_choices() -> None:
    """The template itself is no reply: its choices are still separated by bars."""
    assert last_line(FORM) == "VERDICTS: s1=<yes|no>; focus=<0|0.5|1>"
    with pytest.raises(Unreadable):
        read(Reply(text=last_line(FORM)), FORM, Mode.LAST_LINE)


@pytest.mark.parametrize("mode", Mode)
def test_the_system_message_says_how_to_reply_in_each_mode(mode: Mode) -> None:
    """The schema stands in the prompt where the endpoint does not enforce it, the line where there is only text."""
    for judge in every_judge(mode):
        ask = next(judge.steps(item(reference="330 metres")))
        assert (schema_text(ask.form) in ask.system) is (mode in (Mode.JSON_OBJECT, Mode.JSON_OBJECT_SCHEMA))
        assert (last_line(ask.form) in ask.system) is (mode is Mode.LAST_LINE)
        assert not any(place in ask.system for place in ("{schema}", "{line}", "{aspect}", "{fault}"))


def test_a_longer_form_may_have_a_longer_reply() -> None:
    """256 + 160 a question; plain text has room to think; a repair has twice the room, since the reply may have been cut."""
    form, longer = QuestionForm(FORM.questions[:1]), FORM

    assert [room(_asked(form)), room(_asked(longer))] == [256 + 160, 256 + 320]
    assert room(_asked(form, Mode.LAST_LINE)) == 1_024 + 160
    assert room(Ask(system="", user="", form=form, mode=Mode.JSON_SCHEMA, turns=(("user", "again"),))) == 2 * 416


@pytest.mark.parametrize(
    ("bad", "fault"),
    [
        ("The tower is tall.", "the reply is not one JSON object"),
        (sentences(("", "supported")), "1 of 2 verdicts are missing: s2"),
        (GOOD.replace("supported", "true"), "s1 is 'true', not one of supported"),
        ("", "the reply is empty"),
        (" " * 5_000, "the reply is empty"),
        (LENGTH, "the reply was cut off at its longest allowed length"),
    ],
    ids=brief,
)
def test_a_bad_reply_is_asked_for_once_more_with_the_fault_named(bad: str | Reply, fault: str) -> None:
    """The repair is the same task with the bad reply and its fault behind it; a good second reply counts as any other."""
    driven = drive(built(), item(), [bad, GOOD])
    first, repair = driven.asks

    assert score(driven).value == 1.0
    assert (first.is_repair, repair.is_repair) == (False, True)
    assert (repair.system, repair.user, repair.form) == (first.system, first.user, first.form)
    (_, before), (_, again) = repair.turns
    assert [role for role, _ in repair.turns] == ["assistant", "user"]
    said = bad if isinstance(bad, str) else bad.text
    assert before == (said.strip() or "(empty)")
    assert fault in again
    assert "{fault}" not in again


@pytest.mark.parametrize("second", ["still no JSON", "", GOOD[:-1], Reply(text=GOOD, finish="length")])
def test_a_second_bad_reply_is_invalid_and_kept(second: str | Reply) -> None:
    """There is no third request; the failure has the second reply as it came, and no number."""
    driven = drive(built(), item(), ["no JSON", second])

    assert len(driven.asks) == 2
    assert failure(driven).kind is FailureKind.INVALID
    assert failure(driven).raw == (second if isinstance(second, str) else second.text)
    assert failure(driven).reason.startswith("the reply ")


@pytest.mark.parametrize(
    "text", ["I'm sorry, but I can't judge this.", "很抱歉，我无法评估。", "죄송하지만 평가할 수 없습니다."]
)
def test_a_refusal_is_not_asked_for_again(text: str) -> None:
    """Nor by the endpoint's own field: who declines once declines again, and is paid again."""
    for reply in (Reply(text=text), Reply(text="", refusal=text), Reply(text=text, finish="content_filter")):
        driven = drive(built(), item(), [reply])
        assert len(driven.asks) == 1
        assert failure(driven).kind is FailureKind.REFUSED
        assert failure(driven).raw == text
        assert failure(driven).reason.startswith("the model declined: ")


def test_a_refusal_of_the_repair_is_a_refusal() -> None:
    """The last word counts."""
    assert failure(drive(built(), item(), ["?", "I'm sorry, I can't do that."])).kind is FailureKind.REFUSED


def test_a_repair_can_be_sent_whatever_the_bad_reply_holds() -> None:
    """Lone surrogates cannot be encoded: a key made of one would otherwise end the run; a long reply is quoted in part."""
    bad = '{"\\ud800\\u0000": {"verdict": "supported"}, "note": "\ud800' + "x" * 9_000 + '"}'
    driven = drive(built(), item(), [bad, GOOD])
    sent = "".join(text for _, text in driven.asks[1].turns)

    assert sent.encode()
    assert len(sent) < 5_000


def _mutated(text: str, rng: random.Random) -> str:
    """The text after one to six cuts, doublings, exchanges and insertions."""
    odd = (
        "",
        '"',
        "{",
        "}",
        ",",
        ":",
        "\0",
        "\ud800",
        "NaN",
        "1e999",
        "-1",
        "7",
        "supported",
        "yes",
        "null",
        "=",
        ";",
        "\n",
        "`",
    )
    for _ in range(rng.randint(1, 6)):
        start = rng.randrange(len(text) + 1)
        end = min(len(text), start + rng.choice((0, 1, 1, 2, 5, 40)))
        text = text[:start] + rng.choice((*odd, text[start:end] * 2, text[start:end][::-1])) + text[end:]
    return text


@pytest.mark.slow
@pytest.mark.parametrize("mode", Mode)
def test_whatever_a_model_writes_a_value_lies_in_0_to_1_or_fails_with_a_reason(mode: Mode) -> None:
    """Random damage to valid replies of every judge: nothing raises, and no outcome is without a number or a reason."""
    rng = random.Random(20)
    judges, judged_item, seen = every_judge(mode), item(reference="330 metres"), set()
    for number in range(MUTATIONS):
        judge = judges[number % len(judges)]
        outcomes = drive(judge, judged_item, lambda ask: _mutated(obedient(QUOTE)(ask), rng)).outcomes
        assert len(outcomes) == len(judge.judges)
        for outcome in outcomes:
            seen.add(type(outcome))
            if isinstance(outcome, Score):
                assert 0.0 <= outcome.value <= 1.0
            else:
                assert outcome.kind in (FailureKind.INVALID, FailureKind.REFUSED)
                assert outcome.reason
                assert outcome.raw is not None
    assert seen == {Score, JudgeFailure}


@pytest.mark.parametrize("mode", JSON_MODES)
def test_damage_never_makes_a_verdict_that_was_not_written(mode: Mode) -> None:
    """What is read from a damaged reply stands in it, as a whole word under its key."""
    rng = random.Random(21)
    good = '{"s1": {"quote": "q", "verdict": "yes"}, "focus": {"reason": "r", "verdict": "0.5"}}'
    for _ in range(MUTATIONS):
        text = _mutated(good, rng)
        try:
            answers = read(Reply(text=text), FORM, mode)
        except Unreadable:
            continue
        held = json.loads(text, strict=False)
        for question in FORM.questions:
            entry = held[question.key]
            written = entry["verdict"] if isinstance(entry, dict) else entry
            assert answers[question.key].verdict in question.choices
            assert str(written).strip().lower().removesuffix(".0") == answers[question.key].verdict
