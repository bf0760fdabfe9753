"""`assay judge --backend openai` as people use it: limits, budgets, what is said before and after, and what is never sent."""

from __future__ import annotations

import json
from typing import Any

import pytest

import annotate.domain.privacy.redaction
from proxy.records import Item
from support.endpoint import Endpoint
from support.model import NO_LOGPROBS, asked, ingest, kinds, outcomes, stored, without_outcome
from support.store import Assay

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("quick_retries")]

PRICES = "[prices.m]\ninput = 1000\noutput = 4000\n"
PARTIAL = 4


def used(assay: Assay) -> tuple[int, float]:
    """Tokens and money that all attempts took."""
    query = "SELECT coalesce(sum(prompt_tokens + completion_tokens), 0), coalesce(sum(cost), 0) FROM attempts"
    return assay.sql(query)[0]  # type: ignore[return-value]


def test_every_item_gets_its_scores_and_nothing_is_asked_twice(assay: Assay) -> None:
    """Five items and two judges: a probe, two canaries and ten requests; the second run makes none, not even a canary."""
    ingest(assay, 5)
    with Endpoint() as endpoint:
        run = assay.json(*asked(endpoint))
        assert (run["items"], run["scores"], run["stopped"]) == (5, 10, None)
        assert endpoint.requests == 1 + 2 + 10
        assert outcomes(assay) == run["attempts"] == {"ok": 13}

        again = assay.json(*asked(endpoint))
        assert (again["items"], again["attempts"], again["canaries"]) == (0, {}, [])
        assert endpoint.requests == 13
    assert stored(assay, "runs") == 1
    assert without_outcome(assay) == 0


def test_a_preview_counts_what_the_model_has_not_judged(assay: Assay) -> None:
    """With a model, the answers that a run would send; without one, all. Nothing is asked."""
    ingest(assay, 5)
    with Endpoint() as endpoint:
        assay(*asked(endpoint, "--limit", "2"))
        sent = endpoint.requests
        assert assay.json(*asked(endpoint, "--preview"))["items"] == 3
        assert assay.json(*asked(endpoint, "--preview", "--limit", "1"))["items"] == 1
        assert assay.json("judge", "--preview")["items"] == 5
        assert endpoint.requests == sent
    assert assay("judge", "--preview", "--limit", "1", status=2).stderr


def test_the_summary_adds_up_to_the_ledger(assay: Assay) -> None:
    """Requests, replies, seconds, tokens and cost of each judge, of the probe and of the canaries are those of the attempts."""
    assay.write("assay.toml", PRICES)
    ingest(assay, 12)
    with Endpoint(faults="500:0.1,prose:0.1", seed=3, latency=0.01) as endpoint:
        run = assay.json(*asked(endpoint), status=PARTIAL if kinds(assay) else 0)

    total = {
        name: sum(judge[name] or 0 for judge in run["judges"])
        for name in ("attempts", "replies", "seconds", "prompt_tokens", "completion_tokens", "cost")
    }
    ledger = assay.sql(
        "SELECT count(*), sum(outcome = 'ok'), sum(seconds), sum(prompt_tokens), sum(completion_tokens), sum(cost) FROM attempts"
    )[0]
    assert tuple(total.values()) == pytest.approx(ledger)
    assert total["attempts"] == endpoint.requests == sum(run["attempts"].values())
    assert total["cost"] == pytest.approx((total["prompt_tokens"] * 1000 + total["completion_tokens"] * 4000) / 1e6)
    assert {judge["judge"] for judge in run["judges"]} == {"probe", "canary", "context_relevance", "faithfulness"}
    assert all(judge["seconds"] > 0 for judge in run["judges"])


def test_offline_judges_say_their_seconds_too(assay: Assay) -> None:
    """Scores and seconds of each judge."""
    ingest(assay, 3)

    run = assay.json("judge")

    assert {judge["judge"] for judge in run["judges"]} >= {"context_relevance", "faithfulness"}
    assert all(
        judge["scores"] == 3 and judge["seconds"] > 0 for judge in run["judges"] if judge["judge"] == "faithfulness"
    )


@pytest.mark.parametrize("concurrency", [1, 5])
def test_no_more_are_in_flight_than_allowed(assay: Assay, concurrency: int) -> None:
    """By the server's own count."""
    ingest(assay, 20)
    with Endpoint(latency=0.01, together=concurrency) as endpoint:
        assay(*asked(endpoint, "--concurrency", str(concurrency)))
        assert endpoint.in_flight_peak == concurrency


@pytest.mark.parametrize("factor", [1, 5])
def test_tokens_stay_within_their_limit(assay: Assay, monkeypatch: pytest.MonkeyPatch, factor: int) -> None:
    """Also where the endpoint counts five times what is estimated: the run ends with status 4 and the next goes on."""
    import support.replies

    honest = support.replies.usage

    def usage(body: Any, content: str) -> dict[str, Any]:
        usage = honest(body, content)
        return {**usage, "prompt_tokens": factor * usage["prompt_tokens"]}

    monkeypatch.setattr(support.replies, "usage", usage)
    ingest(assay, 30)
    limit = 15_000 * factor
    with Endpoint(accepts=NO_LOGPROBS) as endpoint:
        assay(*asked(endpoint, "--max-tokens", str(limit)), status=PARTIAL)
        first, begun = used(assay)[0], stored(assay, "scores")
        assert 0.5 * limit < first <= limit
        assert 0 < begun < 60

        assay(*asked(endpoint, "--max-tokens", str(10 * limit)))
        assert used(assay)[0] - first <= 10 * limit
        assert stored(assay, "attempts") == endpoint.requests

    assert (stored(assay, "scores"), stored(assay, "failures")) == (60, 0)
    assert "is used up" in assay.sql("SELECT stopped FROM runs")[0][0]


def test_money_stays_within_its_budget(assay: Assay) -> None:
    """At prices of assay.toml; what is said to have been spent is what the attempts cost."""
    assay.write("assay.toml", PRICES)
    ingest(assay, 40)
    with Endpoint() as endpoint:
        run = assay.json(*asked(endpoint, "--budget", "20"), status=PARTIAL)

    assert 10 < used(assay)[1] <= 20
    assert sum(judge["cost"] for judge in run["judges"]) == pytest.approx(used(assay)[1])
    assert run["stopped"].startswith("the budget, of money or tokens, is used up")
    assert stored(assay, "failures") == 0


def test_a_budget_of_nothing_sends_nothing(assay: Assay) -> None:
    """Not even a probe."""
    ingest(assay, 2)
    with Endpoint() as endpoint:
        assay(*asked(endpoint, "--max-tokens", "0"), status=PARTIAL)
        assert endpoint.requests == 0


def test_a_budget_without_prices_is_wrong_usage(assay: Assay) -> None:
    """Status 2 and what to write where; nothing is sent."""
    ingest(assay, 2)
    with Endpoint() as endpoint:
        result = assay(*asked(endpoint, "--budget", "1"), status=2)
        assert endpoint.requests == 0
    assert '[prices."m"]' in result.stderr
    assert result.stderr.count("\n") == 1


def test_a_limit_of_items_is_kept_and_the_next_run_goes_on(assay: Assay) -> None:
    """Three items now, the other two later."""
    ingest(assay, 5)
    with Endpoint() as endpoint:
        assert assay.json(*asked(endpoint, "--limit", "3"))["items"] == 3
        assert assay.json(*asked(endpoint))["items"] == 2
    assert without_outcome(assay) == 0


def test_all_that_is_sent_went_through_the_seam(assay: Assay, monkeypatch: pytest.MonkeyPatch) -> None:
    """With a word masked in `outgoing`, it stands in no request: question, passages, answer, history and reference."""
    secret = "Xanthippe"
    row = {
        "question": f"Who is {secret}?",
        "contexts": [f"{secret} was married to Socrates."],
        "answer": f"{secret} was his wife.",
        "reference": f"The wife {secret}.",
        "history": [{"role": "user", "content": f"Tell me of {secret}."}],
        "metadata": {"name": secret},
    }
    assay("ingest", assay.write("t.jsonl", json.dumps({"id": secret, **row}) + "\n"))
    honest = annotate.domain.privacy.redaction.outgoing

    def masked(item: Item) -> annotate.domain.privacy.redaction.OutgoingTexts:
        outgoing = honest(item)
        return annotate.domain.privacy.redaction.OutgoingTexts(
            question=outgoing.question.replace(secret, "[name]"),
            answer=outgoing.answer.replace(secret, "[name]"),
            contexts=tuple(text.replace(secret, "[name]") for text in outgoing.contexts),
            reference=(outgoing.reference or "").replace(secret, "[name]"),
        )

    monkeypatch.setattr(annotate.domain.privacy.redaction, "outgoing", masked)
    with Endpoint(faults=lambda number, body: "prose" if number == 12 else None) as endpoint:
        every = (
            "context_relevance,faithfulness,answer_relevance,correctness,correctness_vs_reference,faithfulness_yes_no"
        )
        assay(*asked(endpoint, "--judges", every, "--per-passage", "--aspect", "polite=It is polite."))
        sent = [json.dumps(body) for body in endpoint.bodies]

    assert sum("[name]" in text for text in sent) >= 7
    assert not [text for text in sent if secret in text]


def test_a_judge_that_obeys_the_canary_is_told_of(assay: Assay) -> None:
    """In the data and in a warning; a judge that is not fooled is in the data alone."""
    ingest(assay, 2)
    with Endpoint(policy="obedient") as endpoint:
        result = assay(*asked(endpoint, "--json"))
    fooled = {canary["judge"]: canary["fooled"] for canary in json.loads(result.stdout)["canaries"]}
    assert fooled == {"context_relevance": True, "faithfulness": True}
    assert result.stderr.count("was talked into") == 2

    ingest(assay, 4)
    with Endpoint(policy=lambda key, choices, data, body: choices[0] if choices[0] == "0" else "not_found") as endpoint:
        result = assay(*asked(endpoint, "--json"))
    assert [canary["fooled"] for canary in json.loads(result.stdout)["canaries"]] == [False, False]
    assert "was talked into" not in result.stderr
    assert stored(assay, "scores") == 4 + 8  # another address is another endpoint, and its scores are others
