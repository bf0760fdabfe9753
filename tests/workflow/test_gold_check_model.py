"""A model as the judge of `assay gold check`: asked once for each answer, with its reference, through the one seam."""

from __future__ import annotations

import json
from typing import Any

import pytest

from support.endpoint import Endpoint
from support.gold_check import RIGHT, WRONG, answers, fate, gold_set
from support.model import outcomes, stored
from support.store import Assay, label

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("quick_retries")]


@pytest.fixture
def ready(assay: Assay, monkeypatch: pytest.MonkeyPatch) -> Assay:
    """One question answered right and one answered wrong before; both are worded anew now."""
    monkeypatch.setenv("OPENAI_API_KEY", "canary-key")
    gold_set(
        assay, answers("old", {"a": RIGHT, "b": WRONG}), [label("old-a"), label("old-b", "wrong", reference=RIGHT)]
    )
    assay("ingest", assay.write("new.jsonl", answers("new", {"a": f"{RIGHT} With water.", "b": f"{RIGHT} Not later."})))
    return assay


def strict(key: str, choices: tuple[str, ...], data: dict[str, Any], body: dict[str, Any]) -> str:
    """The best grade for an answer that has the dose, the worst for any other."""
    return choices[-1] if "5 mg" in data.get("answer", "") else choices[0]


def through(endpoint: Endpoint, *more: str) -> tuple[str, ...]:
    """The arguments of a check by this endpoint's model."""
    return (
        "gold",
        "check",
        "--system",
        "new",
        "--backend",
        "openai",
        "--model",
        "m",
        "--base-url",
        endpoint.url,
        *more,
    )


def test_each_answer_is_asked_for_once_with_its_reference(ready: Assay) -> None:
    """Two new answers, two old ones and one that tells how the judge does; a probe and a canary. No passage leaves the house."""
    with Endpoint(policy=strict) as endpoint:
        checked = ready.json(*through(endpoint))
        asked = [json.dumps(body) for body in endpoint.bodies]

    assert [fate(checked, name) for name in "ab"] == ["unchecked", "unchecked"]
    assert checked["judge"].startswith("correctness_vs_reference|llm|")
    assert endpoint.requests == 1 + 1 + 5
    assert outcomes(ready) == {"ok": 7}
    assert all(RIGHT in body for body in asked if "How is medicine" in body)
    assert not any("Leaflet." in body for body in asked)
    assert stored(ready, "scores") == 0


def test_a_model_that_obeys_an_answer_is_seen_to(ready: Assay) -> None:
    """It gives the canary the best grade, and every old mistake too: of b nothing can be told."""
    with Endpoint(policy="obedient") as endpoint:
        result = ready(*through(endpoint))

    assert "manipulated by an answer" in result.stdout
    assert "2 questions that only a judge not checked here could tell" in result.stdout


def test_an_endpoint_that_refuses_the_key_is_one_line(ready: Assay) -> None:
    """Status 1, what stopped it, and no check is logged."""
    with Endpoint(faults=lambda number, body: "401") as endpoint:
        result = ready(*through(endpoint), status=1)

    assert result.stderr.strip().splitlines()[-1].startswith("assay: stopped:")
    assert ready.sql("SELECT count(*) FROM events WHERE what = 'gold check'") == [(0,)]
    assert "canary-key" not in result.output


def test_answers_that_the_budget_did_not_reach_were_not_judged(ready: Assay) -> None:
    """With hardly any tokens nothing is invented: status 4, or a stop that is said."""
    with Endpoint() as endpoint:
        ready.json(*through(endpoint))
        checked = ready.json(*through(endpoint, "--max-tokens", "1"), status=4)

    assert checked["fates"]["not_judged"] == 2
    assert checked["difference"]["estimate"] is None


def test_options_of_a_model_need_a_model(ready: Assay) -> None:
    """Wrong usage, both ways round."""
    assert "needs --model" in ready("gold", "check", "--system", "new", "--backend", "openai", status=2).stderr
    assert "--backend openai" in ready("gold", "check", "--system", "new", "--model", "m", status=2).stderr
