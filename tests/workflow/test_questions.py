"""Building test questions into a store: by patterns and by a scripted model over HTTP, again and again, and apart from all else."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from annotate.domain.gold import GoldSource, GoldStatus
from annotate.domain.questions import QuestionRequest, QuestionsBuilt
from annotate.store import Store
from annotate.workflow.gold import review
from annotate.workflow.gold.review import Actor
from annotate.workflow.judging.model_request import ModelRequest
from annotate.workflow.judging.runs import Options
from annotate.workflow.questions.build import Building, build
from proxy.errors import EndpointError, UsageError
from proxy.questions.records import Ability, DropReason, QuestionKind
from proxy.records import Context, Item
from support.endpoint import Endpoint
from support.model import quick
from support.questions import FAULTY, KEEPS, NOISE, add_traffic, asker, house, tower_texts
from support.store import LATER, NOW, report_of

WANTED = QuestionRequest(passages=3)


@pytest.fixture(autouse=True)
def _key(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("OPENAI_API_KEY", "key")
    with quick():
        yield


def made(store: Store, building: Building | None = None) -> QuestionsBuilt:
    return build(store, building or Building(wanted=WANTED), who="lead", clock=lambda: NOW)


def asking(endpoint: Endpoint, wanted: QuestionRequest = WANTED, **options: object) -> Building:
    model = ModelRequest(model="m", url=endpoint.url, options=replace(Options(), **options))  # type: ignore[arg-type]
    return Building(wanted=wanted, model=model)


@pytest.mark.slow
def test_the_traffics_own_passages_are_asked_about_once(store: Store) -> None:
    add_traffic(store, *tower_texts(), *NOISE)
    add_traffic(store, *tower_texts(), name="again")

    first, second = made(store), made(store)

    assert (first.passages, first.unchanged, first.dropped, first.stopped) == (9, 0, {}, None)
    assert first.added == {QuestionKind.SINGLE: 8, QuestionKind.MULTI: 2}
    assert first.items == {
        Ability.NOISE: 24,
        Ability.REJECTION: 8,
        Ability.COUNTERFACTUAL: 8,
        Ability.INTEGRATION: 2,
    }
    assert (second.added, second.unchanged, second.items) == ({}, 10, {})
    stored = store.questions.all()
    assert len(stored) == 10
    assert sum(len(question.items) for question in stored) == 42
    [event] = [event for event in store.audit.events.all() if event.what == "questions build"]
    assert {name: type(value) for name, value in json.loads(event.detail).items()} == {
        "questions": int,
        "items": int,
        "seed": int,
    }
    assert {entry.status for entry in store.gold.synthetic()} == {GoldStatus.CANDIDATE}


def test_passages_without_an_id_are_asked_about_as_well(store: Store) -> None:
    contexts = tuple(Context(text=text) for text in tower_texts())
    with store.atomic():
        store.traffic.items.add([Item(id="a", question="What?", answer="Much.", contexts=contexts)], now=NOW)

    assert made(store).added[QuestionKind.SINGLE] == 8


def test_another_store_with_the_same_seed_has_the_same_items(store: Store) -> None:
    other = Store(":memory:")
    for each in (store, other):
        add_traffic(each, *tower_texts(), *NOISE)
        made(each)

    assert [question.items for question in other.questions.all()] == [
        question.items for question in store.questions.all()
    ]
    assert (
        made(other, Building(wanted=replace(WANTED, seed=5))).items[Ability.NOISE] == 24
    )  # the same questions, other lots
    other.close()


def test_nothing_that_is_said_of_the_traffic_changes(store: Store) -> None:
    """The report's JSON is byte for byte the same, also once questions are accepted and retired."""
    add_traffic(store, *tower_texts(), *NOISE)
    before = json.dumps(report_of(store), sort_keys=True)
    counts = store.gold.counts()

    made(store)
    accepted, retired, *_ = store.gold.synthetic()
    review.set_status(store, {accepted.gold_id: None}, GoldStatus.ACCEPTED, Actor("lead", LATER))
    review.set_status(store, {retired.gold_id: None}, GoldStatus.RETIRED, Actor("lead", LATER))

    assert json.dumps(report_of(store), sort_keys=True) == before
    assert store.gold.counts() == counts
    made(store)
    assert {entry.gold_id: entry.status for entry in store.gold.synthetic()}[retired.gold_id] is GoldStatus.RETIRED


def test_a_file_of_passages_is_read_and_what_holds_none_is_counted(store: Store, tmp_path: Path) -> None:
    """Rows are passages by themselves, or the contexts of rows of traffic; text is taken as it is."""
    path = tmp_path / "passages.jsonl"
    rows: list[object] = [
        *({"text": text, "id": f"d{place}"} for place, text in enumerate([*tower_texts(), *NOISE])),
        {
            "question": "Q?",
            "contexts": ["The Long Bridge was completed in 1931.", {"text": "The Long Bridge is 90 metres long."}],
        },
        *({"text": text} for text in ("", "word", "<b>1889</b> {{x}}", tower_texts()[0])),
        {"title": "no text"},
    ]
    path.write_text("\n".join(json.dumps(row) for row in rows) + "\nnot json\n")

    built = made(store, Building(wanted=WANTED, file=str(path)))

    assert (built.refused, built.is_complete) == (2, False)
    assert built.added[QuestionKind.SINGLE] == 10
    questions = {stored.question.question for stored in store.questions.all()}
    assert {"In which year was the Long Bridge completed?", "How long is the Long Bridge?"} <= questions
    assert {source.id for stored in store.questions.all() for source in stored.question.sources} >= {
        "d0",
        "d1",
        "d2",
        "d3",
    }


@pytest.mark.parametrize("texts", [(), ("", " "), ("word",), ("<b></b>", "<b></b>")])
def test_passages_without_a_fact_give_no_question(store: Store, texts: tuple[str, ...]) -> None:
    add_traffic(store, *texts)
    if not any(text.strip() for text in texts):
        with pytest.raises(UsageError, match="give a file of passages"):
            made(store)
    else:
        built = made(store)
        assert (built.added, built.without_fact) == ({}, built.passages)


@pytest.mark.slow
def test_a_model_asks_and_what_does_not_come_back_is_dropped(store: Store) -> None:
    """Of eight houses four are asked about for good; the second run reads every reply again, and sends nothing."""
    add_traffic(store, *map(house, KEEPS | FAULTY), *NOISE)
    wanted = replace(WANTED, single=20, multi=0)
    with Endpoint(policy=asker) as endpoint:
        built = made(store, asking(endpoint, wanted))
        requests = endpoint.requests
        again = made(store, asking(endpoint, wanted))
        assert endpoint.requests == requests

    assert built.added == {QuestionKind.SINGLE: 4}
    assert built.dropped == {
        DropReason.NO_QUESTION: 1 + len(NOISE),
        DropReason.IN_QUESTION: 1,
        DropReason.NOT_IN_SOURCE: 1,
        DropReason.ROUND_TRIP: 1,
    }
    assert built.requests == 13 + 5  # each passage once, and five round trips; the probe is none of them
    assert built.tokens > 0
    assert built.items[Ability.COUNTERFACTUAL] == 4
    assert (again.added, again.unchanged, again.requests, again.tokens) == ({}, 4, 0, 0)
    assert again.dropped == built.dropped
    (alpha,) = [stored for stored in store.questions.all() if "Alpha" in stored.question.question]
    assert alpha.question.expected == (("blue lamp",),)
    (changed,) = [item for item in alpha.items if item.ability is Ability.COUNTERFACTUAL]
    assert changed.contexts[0].text == "Alpha House keeps a green bottle in its hall beside the river."


@pytest.mark.slow
def test_a_question_of_two_passages_needs_both(store: Store) -> None:
    """Both passages are given, then each alone: a model that answers from one has its question dropped."""
    add_traffic(store, *map(house, KEEPS), *NOISE)
    wanted = replace(WANTED, single=0, multi=2)
    with Endpoint(policy=asker) as endpoint:
        built = made(store, asking(endpoint, wanted))
        bodies = [json.loads(body["messages"][1]["content"]) for body in endpoint.bodies]

    assert built.added.get(QuestionKind.MULTI, 0) + sum(built.dropped.values()) == 2
    for stored in store.questions.all():
        (item,) = stored.items
        assert (item.ability, item.noise_rate, len(item.contexts), len(item.expected)) == (
            Ability.INTEGRATION,
            0.0,
            2,
            2,
        )
        trips = [body["passages"] for body in bodies if body.get("question") == item.question]
        assert sorted(map(len, trips)) == [1, 1, 2]


@pytest.mark.slow
def test_a_run_that_runs_out_keeps_what_it_has_and_goes_on(store: Store) -> None:
    """With a budget for a few requests it stops and says so; without one it asks for the rest alone."""
    add_traffic(store, *map(house, KEEPS), *NOISE)
    wanted = replace(WANTED, single=20, multi=0)
    with Endpoint(policy=asker) as endpoint:
        stopped = made(store, asking(endpoint, wanted, most_tokens=4_500, concurrency=1))
        so_far = endpoint.requests
        rest = made(store, asking(endpoint, wanted))
        total = endpoint.requests

    assert stopped.stopped
    assert not stopped.is_complete
    assert DropReason.UNANSWERED in stopped.dropped
    assert rest.stopped is None
    assert total - so_far == rest.requests
    assert stopped.requests + rest.requests == 9 + 4  # each passage once, and four round trips: nothing twice
    assert stopped.added.get(QuestionKind.SINGLE, 0) + rest.added.get(QuestionKind.SINGLE, 0) == 4


@pytest.mark.slow
def test_what_is_forgotten_is_in_no_question(store: Store) -> None:
    """The item's passages go from questions, items and replies; building again brings none of them back."""
    add_traffic(store, *map(house, ("Alpha", "Beta")), name="gone")
    add_traffic(store, *map(house, ("Gamma", "Delta")), *NOISE, name="kept")
    wanted = replace(WANTED, single=20, multi=0)
    with Endpoint(policy=asker) as endpoint:
        made(store, asking(endpoint, wanted))
        assert len(store.questions.all()) == 4
        with store.atomic():
            store.audit.forgetting.forget_items(["gone"], why=None, who="lead", now=LATER)
        left = "\n".join(store._db.conn.iterdump())
        requests = endpoint.requests
        made(store, asking(endpoint, wanted))
        assert endpoint.requests == requests

    assert "blue lamp" not in left
    assert "Beta House" not in left
    assert "tin drum" in left
    assert len(store.questions.all()) == 2


def test_a_model_that_writes_no_json_is_told_of_at_once(store: Store) -> None:
    add_traffic(store, *map(house, KEEPS), *NOISE)
    with (
        Endpoint(policy=asker, accepts=("temperature",)) as endpoint,
        pytest.raises(EndpointError, match="cannot reply in JSON"),
    ):
        made(store, asking(endpoint))

    assert store.questions.all() == []


@pytest.mark.slow
def test_an_endpoint_that_breaks_down_is_an_error_and_what_it_gave_is_kept(store: Store) -> None:
    """From the tenth request on the key is no longer taken: what was asked before is not asked again."""
    add_traffic(store, *map(house, KEEPS), *NOISE)
    wanted = replace(WANTED, single=20, multi=0)
    with Endpoint(policy=asker, faults=lambda number, _: "401" if number > 9 else None) as endpoint:
        with pytest.raises(EndpointError, match="what came back before is kept"):
            made(store, asking(endpoint, wanted, concurrency=1))
        endpoint.faults = None
        before = endpoint.requests
        rest = made(store, asking(endpoint, wanted))

    assert (rest.stopped, len(store.questions.all())) == (None, 4)
    assert 0 < rest.requests == endpoint.requests - before < 13


def test_a_budget_of_money_needs_prices(store: Store) -> None:
    add_traffic(store, *NOISE)
    with Endpoint(policy=asker) as endpoint, pytest.raises(UsageError, match="--budget needs prices"):
        made(store, asking(endpoint, most_money=1.0))


@pytest.mark.parametrize(
    "wrong", [{"noise_rates": (1.0,)}, {"noise_rates": ()}, {"noise_rates": (-0.1,)}, {"single": -1}, {"passages": 0}]
)
def test_a_request_that_cannot_be_met_is_refused(wrong: dict[str, object]) -> None:
    with pytest.raises(UsageError):
        replace(WANTED, **wrong)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("kind", "written", "expected"),
    [
        (QuestionKind.MULTI, "1900; {second}", (("1900",), "second")),  # the part that stays keeps its other texts
        (QuestionKind.MULTI, "1900 | in 1900; {second}", (("1900", "in 1900"), "second")),
        (QuestionKind.MULTI, "1900", None),
        (QuestionKind.MULTI, "1900; ", None),
        (QuestionKind.MULTI, "1900; 1901; 1902", None),
        (QuestionKind.SINGLE, "1900 | in 1900", (("1900", "in 1900"),)),
        (QuestionKind.SINGLE, " | ", None),
    ],
)
def test_a_correction_of_a_question_counts_or_is_refused(
    store: Store, kind: QuestionKind, written: str, expected: tuple[object, ...] | None
) -> None:
    """Each part of a question of two passages is corrected by itself; a reference that leaves one out changes nothing."""
    add_traffic(store, *tower_texts(), *NOISE)
    made(store)
    before = next(stored for stored in store.questions.all() if stored.question.kind is kind)
    groups = before.question.expected
    text = written.format(second=groups[-1][0])

    if expected is None:
        with pytest.raises(UsageError, match="with ; between" if kind is QuestionKind.MULTI else "write the answer"):
            review.edit(store, before.gold_id, text, GoldSource.COMMAND, Actor("lead", LATER))
    else:
        review.edit(store, before.gold_id, text, GoldSource.COMMAND, Actor("lead", LATER))

    (after,) = [stored for stored in store.questions.all() if stored.gold_id == before.gold_id]
    wanted = groups if expected is None else tuple(groups[-1] if group == "second" else group for group in expected)
    assert {item.expected for item in after.items} == {wanted}
