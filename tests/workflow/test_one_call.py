"""One call for two judges, held against two calls on some of the items."""

from __future__ import annotations

from typing import Any

import pytest

from proxy.stats.intervals import wilson
from support.endpoint import Endpoint
from support.model import asked, ingest, stored
from support.store import Assay

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("quick_retries")]

PARTIAL = 4


def test_one_call_gives_both_scores_for_half_the_requests(assay: Assay) -> None:
    """Six items: a probe, one canary, six requests, twelve scores."""
    ingest(assay, 6)
    with Endpoint() as endpoint:
        run = assay.json(*asked(endpoint, "--one-call"))
        assert endpoint.requests == 1 + 1 + 6
    assert run["scores"] == 12
    assert {judge["judge"] for judge in run["judges"]} == {"probe", "canary", "context_relevance+faithfulness"}


def test_a_check_asks_some_items_both_ways_and_says_how_far_they_agree(assay: Assay) -> None:
    """The same model both ways: all five agree, with Wilson's interval; a second check of seven asks two more."""
    ingest(assay, 8)
    with Endpoint() as endpoint:
        result = assay(*asked(endpoint, "--one-call", "--check-one-call", "5"))
        assert endpoint.requests == (1 + 1 + 8) + (2 + 10)
        assert (
            "faithfulness: one call agrees with two (same side of 0.5) on 100 % (57 to 100 %, n = 5)" in result.stdout
        )
        run = assay.json(*asked(endpoint, "--one-call", "--check-one-call", "7"))
        assert endpoint.requests == 22 + (2 + 4)

    low, high = wilson(1.0, 7)
    for agreement in run["one_call"]["agreements"]:
        assert (agreement["same"]["n"], agreement["same"]["estimate"], agreement["distance"]) == (
            7,
            1.0,
            pytest.approx(0.0),
        )
        assert (agreement["same"]["low"], agreement["same"]["high"]) == pytest.approx((low, high))


def test_a_judge_that_judges_otherwise_with_the_answer_in_sight_is_seen(assay: Assay) -> None:
    """Every claim supported in two calls and none in one, with the same log-probabilities: they agree on nothing."""

    def policy(key: str, choices: tuple[str, ...], data: dict[str, Any], body: dict[str, Any]) -> str:
        if "supported" not in choices:
            return choices[-1]
        return "not_found" if "subject" in str(body["response_format"]) else "supported"

    ingest(assay, 4)
    with Endpoint(policy=policy) as endpoint:
        run = assay.json(*asked(endpoint, "--one-call", "--check-one-call", "4"))

    by_judge = {agreement["judge"]: agreement for agreement in run["one_call"]["agreements"]}
    assert by_judge["faithfulness"]["same"]["estimate"] == 0
    assert by_judge["faithfulness"]["distance"] > 0.5
    assert by_judge["context_relevance"]["same"]["estimate"] == 1


def test_the_check_stays_within_what_the_run_left(assay: Assay) -> None:
    """A limit of tokens holds for both together."""
    ingest(assay, 20)
    with Endpoint() as endpoint:
        assay.json(*asked(endpoint, "--one-call"))
        whole = assay.sql("SELECT sum(prompt_tokens + completion_tokens) FROM attempts")[0][0]
        ingest(assay, 40)
        limit = int(1.5 * whole)
        assay(*asked(endpoint, "--one-call", "--check-one-call", "20", "--max-tokens", str(limit)))
        after = assay.sql("SELECT sum(prompt_tokens + completion_tokens) FROM attempts")[0][0]
    assert after - whole <= limit


def test_the_check_probes_and_retries_nothing_of_its_own(assay: Assay) -> None:
    """With --probe one probe, and failures of judges that it does not compare stay."""
    ingest(assay, 3)
    names = "context_relevance,faithfulness,correctness"

    def faults(number: int, body: dict[str, Any]) -> str | None:
        return "prose" if "grade" in body["messages"][0]["content"].lower() else None

    with Endpoint(faults=faults) as endpoint:
        args = ("--judges", names, "--one-call", "--check-one-call", "3", "--probe", "--retry-failed")
        assay(*asked(endpoint, *args), status=PARTIAL)
        before = endpoint.requests
        graded = [body for body in endpoint.bodies if "grade" in body["messages"][0]["content"].lower()]
    assert assay.sql("SELECT count(*) FROM attempts WHERE purpose = 'probe'") == [(1,)]
    assert len(graded) == 2 * (3 + 1)  # each item and the canary, with its repair
    assert stored(assay, "attempts") == before
