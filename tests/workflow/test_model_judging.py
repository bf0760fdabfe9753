"""Items of a real store to judges of a real server: what is missing is asked for, and a multi-call item goes on where it was."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from annotate.store import Store
from annotate.workflow.judging.model import judge
from annotate.workflow.judging.runs import ModelJudged, Options
from proxy.judges.menu import MenuChoice
from proxy.llm.openai_client import OpenAIEndpoint, usual_parameters
from proxy.records import Context, FailureKind, Item
from support.endpoint import Endpoint
from support.store import NASTY, NOW, add

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("quick_retries")]

PASSAGES = tuple(Context(text=f"Room {n} is on floor {n}.") for n in range(4))


def item(name: str = "a", **changes: Any) -> Item:
    made = Item(
        id=name, question=f"Where is room {name}?", contexts=PASSAGES, answer="Room 1 is on floor 1. Room 2 is red."
    )
    return replace(made, **changes)


def run(store: Store, endpoint: Endpoint, names: str = "context_relevance", **options: Any) -> ModelJudged:
    """One run of some judges."""
    choice = MenuChoice(names=names.split(","), **options.pop("choice", {}))
    client = OpenAIEndpoint("m", url=endpoint.url)
    return judge(store, client, Options(choice=choice, **options), usual_parameters(client.url), lambda: NOW)


def rows(store: Store, query: str) -> list[tuple[Any, ...]]:
    return [tuple(row) for row in store._db.conn.execute(query)]


def prompts(endpoint: Endpoint) -> list[str]:
    """The user messages that were sent, canaries and probes aside."""
    users = [body["messages"][1]["content"] for body in endpoint.bodies]
    return [text for text in users if "Where is room" in text]


def test_a_passage_that_was_paid_for_is_not_asked_again(store: Store) -> None:
    """The third of four passages hangs: the next run asks for the third and fourth, and the score counts all."""
    add(store, item())
    hang = {"on": True}

    def third(number: int, body: dict[str, Any]) -> str | None:
        return "hang" if hang["on"] and "floor 2" in body["messages"][1]["content"] else None

    with Endpoint(faults=third) as endpoint:
        told = run(store, endpoint, choice={"per_passage": True}, deadline=0.4)
        assert told.failures == {FailureKind.UNANSWERED: 1}
        assert rows(store, "SELECT step, is_open FROM attempts WHERE purpose = 'item' ORDER BY key") == [
            (0, 1),
            (1, 1),
            (2, 0),
        ]
        assert len(prompts(endpoint)) == 3

        hang["on"] = False
        told = run(store, endpoint, choice={"per_passage": True}, deadline=5)
        assert len(prompts(endpoint)) == 5
        assert ["floor 2" in text for text in prompts(endpoint)[3:]] == [True, False]

    assert told.scores == 1
    assert rows(store, "SELECT count(*) FROM attempts WHERE is_open") == [(0,)]
    assert len(store.scores.detail(1, "context_relevance", told.judges[0].judges[0][1]).passages) == 4


def test_what_an_earlier_run_paid_for_is_kept_by_retry_failed(store: Store) -> None:
    """--retry-failed asks again for what is unanswered, and goes on from its replies too."""
    add(store, item())
    with Endpoint(faults=lambda n, body: "hang" if "floor 3" in body["messages"][1]["content"] else None) as endpoint:
        run(store, endpoint, choice={"per_passage": True}, deadline=0.4)
        endpoint.faults = None
        run(store, endpoint, choice={"per_passage": True}, asks_failed_again=True)
        assert len(prompts(endpoint)) == 4 + 1
    assert rows(store, "SELECT count(*) FROM scores") == [(1,)]


def test_a_repair_goes_on_from_the_reply_that_could_not_be_read(store: Store) -> None:
    """The repair hangs: the next run sends the repair alone, with the same reply in it."""
    add(store, item())

    def faults(number: int, body: dict[str, Any]) -> str | None:
        if "Where is room" not in body["messages"][1]["content"]:
            return None
        return "wrong_enum" if len(body["messages"]) == 2 else "hang"

    with Endpoint(faults=faults) as endpoint:
        run(store, endpoint, "faithfulness", deadline=0.4)
        endpoint.faults = None
        told = run(store, endpoint, "faithfulness")
        asked = [body for body in endpoint.bodies if "Where is room" in body["messages"][1]["content"]]

    assert [len(body["messages"]) for body in asked] == [2, 4, 4]
    assert asked[1]["messages"] == asked[2]["messages"]
    assert "perhaps" in asked[1]["messages"][2]["content"]
    assert told.scores == 1
    assert rows(store, "SELECT purpose, step, outcome FROM attempts WHERE purpose = 'item' ORDER BY key") == [
        ("item", 0, "ok"),
        ("item", 1, "timeout"),
        ("item", 1, "ok"),
    ]


def test_a_reply_that_led_to_a_failure_is_history(store: Store) -> None:
    """Two unreadable replies are the judge's word: asked afresh by --retry-failed, both again."""
    add(store, item())
    with Endpoint(
        faults=lambda n, body: "prose" if "Where is room" in body["messages"][1]["content"] else None
    ) as endpoint:
        told = run(store, endpoint)
        assert told.failures == {FailureKind.INVALID: 1}
        endpoint.faults = None
        assert run(store, endpoint, asks_failed_again=True).scores == 1
        assert [len(b["messages"]) for b in endpoint.bodies if "Where is room" in b["messages"][1]["content"]] == [
            2,
            4,
            2,
        ]


def test_another_prompt_or_parameter_is_another_score(store: Store) -> None:
    """Kept beside the first; the same again is not asked."""
    add(store, item())
    with Endpoint() as endpoint:
        run(store, endpoint)
        run(store, endpoint, parameters={"temperature": 0.5})
        run(store, endpoint, context_limit=600)
        before = endpoint.requests
        run(store, endpoint, parameters={"temperature": 0.5})
        assert endpoint.requests == before
    assert rows(store, "SELECT count(*), count(DISTINCT judge) FROM scores") == [(3, 3)]


def test_items_without_passages_cost_nothing(store: Store) -> None:
    """Not applicable, without a request; they hold nobody up."""
    add(store, *(item(f"n{n}", contexts=()) for n in range(300)), item("z"))
    with Endpoint() as endpoint:
        told = run(store, endpoint)
        assert len(prompts(endpoint)) == 1
    assert (told.items, told.scores, told.failures) == (301, 1, {FailureKind.NOT_APPLICABLE: 300})


def test_hostile_text_goes_there_and_back(store: Store) -> None:
    """Lone surrogates, NUL and SQL in an item and in the model's words: a score, its sentences, a sound store."""
    add(
        store,
        item(
            NASTY.replace("\ud800", ""),
            question=NASTY,
            answer=f"{NASTY}. Room 1 is on floor 1.",
            contexts=(*PASSAGES, Context(text=NASTY)),
        ),
    )
    with Endpoint(faults=lambda number, body: "surrogate" if number % 2 else None) as endpoint:
        told = run(store, endpoint, "context_relevance,faithfulness,answer_relevance")
    assert told.scores + sum(told.failures.values()) == 3
    assert told.scores >= 2
    assert store.check() == []
    for reason in rows(store, "SELECT reason FROM scores"):
        str(reason[0]).encode()


def test_a_run_that_cannot_write_says_so_and_pays_for_no_more(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    """An error of the store ends the run: at most what was in flight was asked for."""
    add(store, *(item(f"i{n}") for n in range(60)))

    def full(*args: object, **more: object) -> None:
        raise OSError("no space left")

    with Endpoint(latency=0.005) as endpoint:
        run(store, endpoint, most_items=1)
        before = endpoint.requests
        monkeypatch.setattr(store.scores, "keep", full)
        with pytest.raises(OSError, match="no space left"):
            run(store, endpoint)
        assert endpoint.requests - before <= 2 * 16
    assert store.check() == []
