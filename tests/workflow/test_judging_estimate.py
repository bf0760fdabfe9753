"""What a run would take, said before it: nothing is sent or written, and it comes near to what the run then uses."""

from __future__ import annotations

import json
from typing import Any

import pytest

from support.endpoint import Endpoint
from support.model import NO_LOGPROBS, asked, ingest, stored
from support.replies import Ruling
from support.store import Assay

pytestmark = pytest.mark.usefixtures("quick_retries")

PRICES = "[prices.m]\ninput = 1000\noutput = 4000\n"
TABLES = ("judges", "runs", "attempts", "endpoints", "scores", "failures", "events")


def traffic(assay: Assay, count: int) -> None:
    passage = " ".join(f"Sentence {n} says something about the rooms of the house." for n in range(12))
    rows = [
        {
            "id": f"i{n}",
            "question": f"Where is room {n}, and who has the key to it?",
            "contexts": [f"{passage} Room {n} is on floor {n % 7}.", passage, passage],
            "answer": f"Room {n} is on floor {n % 7}. The key is with the porter. Ask at the desk.",
        }
        for n in range(count)
    ]
    assay("ingest", assay.write("t.jsonl", rows))


def wordy(key: str, choices: tuple[str, ...], data: dict[str, Any], body: dict[str, Any]) -> Ruling:
    """A reply with a quote as long as models write."""
    return Ruling(
        "supported" if "supported" in choices else choices[-1],
        "Sentence 3 says something about the rooms of the house. " * 2,
    )


@pytest.mark.slow
@pytest.mark.parametrize(
    "how", [(), ("--one-call",), ("--per-passage",), ("--preset", "llamaindex"), ("--limit", "12")], ids=" ".join
)
def test_the_estimate_comes_near_to_what_the_run_uses(assay: Assay, how: tuple[str, ...]) -> None:
    """Calls exactly; prompt tokens, tokens in all and money within 40 %, by the server's count (characters / 4)."""
    assay.write("assay.toml", PRICES)
    traffic(assay, 20 if how else 110)  # beyond the 100 that are looked at
    with Endpoint(policy=wordy, accepts=NO_LOGPROBS) as endpoint:
        estimate = assay.json(*asked(endpoint, "--dry-run", *how))
        assert endpoint.requests == 0
        run = assay.json(*asked(endpoint, *how))

    used = [judge for judge in run["judges"] if judge["judge"] not in ("probe", "canary")]
    prompt, completion, cost, calls = (
        sum(judge[name] for judge in used) for name in ("prompt_tokens", "completion_tokens", "cost", "attempts")
    )
    assert (estimate["items"], estimate["calls"]) == (run["items"], calls)
    assert estimate["prompt_tokens"] == pytest.approx(prompt, rel=0.4)
    assert estimate["prompt_tokens"] + estimate["completion_tokens"] == pytest.approx(prompt + completion, rel=0.4)
    assert estimate["cost"] == pytest.approx(cost, rel=0.4)


def test_a_dry_run_leaves_no_trace(assay: Assay) -> None:
    """No request, no row, and the line says so; with --json one object."""
    ingest(assay, 3)
    before = {table: stored(assay, table) for table in TABLES}
    with Endpoint() as endpoint:
        people = assay(*asked(endpoint, "--dry-run"))
        machine = assay(*asked(endpoint, "--dry-run", "--json"))
        assert endpoint.requests == 0

    assert people.stdout.startswith("3 items to judge: about 6 calls, ")
    assert people.stdout.endswith("\nNothing has been sent yet.\n")
    assert json.loads(machine.stdout)["dry_run"] is True
    assert json.loads(machine.stdout)["cost"] is None
    assert {table: stored(assay, table) for table in TABLES} == before


@pytest.mark.slow
def test_only_what_is_missing_is_estimated(assay: Assay) -> None:
    """After a run of three of five items, two; after all, none."""
    ingest(assay, 5)
    with Endpoint() as endpoint:
        assay(*asked(endpoint, "--limit", "3"))
        assert (lambda estimate: (estimate["items"], estimate["calls"]))(assay.json(*asked(endpoint, "--dry-run"))) == (
            2,
            4,
        )
        assay(*asked(endpoint))
        estimate = assay.json(*asked(endpoint, "--dry-run"))
    assert (estimate["items"], estimate["calls"], estimate["prompt_tokens"]) == (0, 0, 0)


def test_an_item_that_needs_no_call_costs_nothing(assay: Assay) -> None:
    """Without passages neither judge is asked."""
    ingest(assay, 2, contexts=[])
    with Endpoint() as endpoint:
        estimate = assay.json(*asked(endpoint, "--dry-run"))
    assert (estimate["items"], estimate["calls"]) == (2, 0)


@pytest.mark.slow
def test_what_failed_is_estimated_where_it_is_asked_again(assay: Assay) -> None:
    """Two items whose replies could not be read: four calls with --retry-failed, none without; the failures stay."""
    ingest(assay, 2)
    with Endpoint(faults=lambda number, body: "prose" if number > 1 else None) as endpoint:
        assay(*asked(endpoint), status=4)
        assert assay.json(*asked(endpoint, "--dry-run"))["calls"] == 0
        assert assay.json(*asked(endpoint, "--dry-run", "--retry-failed"))["calls"] == 4
    assert stored(assay, "failures") == 4
