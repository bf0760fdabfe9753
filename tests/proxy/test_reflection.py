"""One answer judged before it is given: offline without a network, and by a model over a real endpoint."""

from __future__ import annotations

import asyncio

import pytest

from proxy import Reflector, judge_one
from proxy.errors import EndpointError, RuleError
from proxy.guard import Reflection
from proxy.records import JudgeFailure, Verdict
from support.endpoint import Endpoint

QUESTION = "How tall is the Eiffel Tower?"
TOWER = ["The Eiffel Tower is 330 metres tall. It was completed in 1889 and stands in Paris."]
TRUE, FALSE = "The Eiffel Tower is 330 metres tall.", "Penguins breed in the dark winter of Antarctica."


def test_a_supported_answer_passes_and_a_foreign_sentence_is_named() -> None:
    """The copied answer passes; with a foreign one beside it, that sentence alone is what to leave out."""
    good, mixed = judge_one(QUESTION, TOWER, TRUE), judge_one(QUESTION, TOWER, f"{TRUE} {FALSE}")

    assert good.verdict is Verdict.PASS
    assert good.unsupported == ()
    assert [verdict.sentence for verdict in mixed.unsupported] == [FALSE]
    assert mixed.value is not None
    assert good.value is not None
    assert mixed.value < good.value


def test_the_value_is_the_rules() -> None:
    """min(a, b) of the two scores, and another rule another value."""
    reflection = judge_one(QUESTION, TOWER, f"{TRUE} {FALSE}")
    scores = [getattr(reflection.outcomes[name], "value", None) for name in ("context_relevance", "faithfulness")]
    alone = judge_one(QUESTION, TOWER, f"{TRUE} {FALSE}", rule="faithfulness > 0.9")

    assert reflection.value == min(scores)
    assert alone.value == scores[1]
    assert alone.verdict is Verdict.FAIL


def test_without_passages_the_answer_is_unscored() -> None:
    """Nothing to be faithful to: no value, no verdict, and each judge's reason."""
    reflection = judge_one(QUESTION, [], TRUE)

    assert (reflection.verdict, reflection.value) == (Verdict.UNSCORED, None)
    assert isinstance(reflection.outcomes["faithfulness"], JudgeFailure)
    assert reflection.reasons["faithfulness"] == "no passages were retrieved"


@pytest.mark.parametrize("rule", ["min(pct(faithfulness), context_relevance) > 0.3", "politeness > 0.5"])
def test_a_rule_that_one_answer_cannot_meet_says_so(rule: str) -> None:
    """Percentiles need traffic, and a judge that is not there cannot be read."""
    with pytest.raises(RuleError, match=r"percentiles|politeness"):
        judge_one(QUESTION, TOWER, TRUE, rule=rule)


def test_one_text_in_the_place_of_passages_is_refused() -> None:
    """A string is a sequence of letters, each of which would be a passage."""
    with pytest.raises(TypeError, match="list of passages"):
        judge_one(QUESTION, TOWER[0], TRUE)


def reflect(url: str, *answers: str) -> list[Reflection]:
    async def each() -> list[Reflection]:
        async with Reflector("m", url=url, deadline=10) as reflector:
            return [await reflector.judge_one(QUESTION, TOWER, answer) for answer in answers]

    return asyncio.run(each())


@pytest.mark.slow
def test_a_model_judges_in_one_call_an_answer_after_one_probe() -> None:
    """Three answers are one probe and three requests; the false sentence is named."""
    with Endpoint() as endpoint:
        good, bad, again = reflect(endpoint.url, TRUE, FALSE, TRUE)

    assert endpoint.requests == 4
    assert good.verdict is again.verdict is Verdict.PASS
    assert bad.verdict is Verdict.FAIL
    assert [verdict.sentence for verdict in bad.unsupported] == [FALSE]


@pytest.mark.slow
def test_a_refused_key_is_one_error() -> None:
    """The app learns why, in one line."""
    with Endpoint(faults=lambda number, body: "401") as endpoint, pytest.raises(EndpointError, match="OPENAI_API_KEY"):
        reflect(endpoint.url, TRUE)


@pytest.mark.slow
def test_many_answers_at_once_are_one_probe_and_no_more_than_the_limit_in_flight() -> None:
    """Twelve answers at once with a limit of 3: one probe, twelve requests, three at a time."""

    async def all_at_once(url: str) -> list[Reflection]:
        async with Reflector("m", url=url, concurrency=3, deadline=10) as reflector:
            return list(await asyncio.gather(*(reflector.judge_one(QUESTION, TOWER, TRUE) for _ in range(12))))

    with Endpoint(latency=0.02, together=3) as endpoint:
        outcomes = asyncio.run(all_at_once(endpoint.url))

    assert {outcome.verdict for outcome in outcomes} == {Verdict.PASS}
    assert (endpoint.requests, endpoint.in_flight_peak) == (13, 3)


@pytest.mark.slow
def test_what_is_sent_went_through_the_redaction() -> None:
    """A name that the app masks does not reach the endpoint."""

    async def masked(url: str) -> Reflection:
        async with Reflector(
            "m", url=url, deadline=10, redact=lambda text: text.replace("Eiffel", "[NAME]")
        ) as reflector:
            return await reflector.judge_one(QUESTION, TOWER, TRUE)

    with Endpoint() as endpoint:
        asyncio.run(masked(endpoint.url))

    assert "Eiffel" not in str(list(endpoint.bodies))
    assert "[NAME]" in str(endpoint.bodies[-1])


def test_a_rule_that_the_model_cannot_meet_is_refused_before_anything_is_sent() -> None:
    """Answer relevance is not asked for in this one call."""
    with pytest.raises(RuleError, match="nobody judges answer_relevance"):
        Reflector("m", url="http://localhost:1/v1", rule="answer_relevance > 0.5")
