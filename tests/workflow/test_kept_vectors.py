"""Vectors in a real store: paid for once, within a budget, by the right key; forgotten with the item, and in no export."""

from __future__ import annotations

import signal
import struct
import time
from dataclasses import replace
from hashlib import sha256
from pathlib import Path

import pytest

from annotate.store import Store
from support.endpoint import Endpoint
from support.store import Assay, label, traffic_row
from support.vectors import PARTIAL, ingest_pairs, similar, values

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("quick_retries")]


def test_a_run_that_is_killed_has_paid_for_what_it_kept(assay: Assay) -> None:
    """Killed after some batches: no text whose vector was kept is asked for again, and every item has its score in the end."""
    ingest_pairs(assay, 120)
    with Endpoint(latency=0.05) as endpoint:
        process = assay.start(*similar(endpoint, "--concurrency", "2"))
        end = time.monotonic() + 60
        while endpoint.finished < 4:
            assert time.monotonic() < end
            assert process.poll() is None
            time.sleep(0.002)
        process.send_signal(signal.SIGKILL)
        process.communicate(timeout=60)
        kept = {text_hash for (text_hash,) in assay.sql("SELECT text_hash FROM vectors")}
        before = dict(endpoint.embedded)
        assay(*similar(endpoint))
        again = [text for text, times in endpoint.embedded.items() if times > before.get(text, 0)]

    assert len(kept) >= 8
    assert not kept & {sha256(text.encode()).digest() for text in again}
    assert {*endpoint.embedded.values()} <= {1, 2}
    assert len(values(assay)) == 120
    assert assay.sql("SELECT count(*) FROM vectors") == [(240,)]


def test_a_request_that_is_cut_is_kept_as_one(assay: Assay) -> None:
    """A second Ctrl-C cuts what is in flight: as many requests in the ledger as reached the server, and no batch after it."""
    ingest_pairs(assay, 12)
    with Endpoint(faults="hang:1") as endpoint:
        process = assay.start(*similar(endpoint, "--concurrency", "2"))
        assert process.stderr is not None
        end = time.monotonic() + 60
        while not endpoint.in_flight:
            assert time.monotonic() < end
            time.sleep(0.002)
        process.send_signal(signal.SIGINT)
        while b"waiting" not in process.stderr.readline():
            assert process.poll() is None
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=60)
        requests = endpoint.requests

    assert assay.sql("SELECT outcome, count(*) FROM attempts GROUP BY 1") == [("cut short", requests)]
    assert assay.sql("SELECT count(*) FROM vectors") == [(0,)]


def test_a_budget_is_kept_to_and_the_next_run_goes_on(assay: Assay) -> None:
    """Money at a price a token: what is spent is what the ledger says, at most the budget; nothing is paid for twice."""
    assay.write("assay.toml", "[prices.e]\ninput = 1000000\noutput = 0\n")
    ingest_pairs(assay, 30, language="en")
    with Endpoint() as endpoint:
        stopped = assay.json(*similar(endpoint, "--budget", "150", "--concurrency", "2"), status=PARTIAL)
        cost, tokens = assay.sql("SELECT sum(cost), sum(prompt_tokens) FROM attempts")[0]
        assert 0 < cost == tokens <= 150
        assert "budget" in stopped["stopped"]
        assert 0 < len(values(assay)) < 30
        assay(*similar(endpoint, "--budget", "100000"))
        assert {*endpoint.embedded.values()} == {1}

    assert len(values(assay)) == 30


def test_without_prices_a_budget_in_money_is_refused(assay: Assay) -> None:
    ingest_pairs(assay, 1)
    with Endpoint() as endpoint:
        refused = assay(*similar(endpoint, "--budget", "1"), status=2)
        assert endpoint.requests == 0
    assert '[prices."e"]' in refused.stderr


def test_a_dry_run_counts_the_texts_that_are_not_kept(assay: Assay) -> None:
    """Forty texts in a request of at most 64, then none: what is kept costs nothing."""
    assay.write("assay.toml", "[prices.e]\ninput = 1000\noutput = 0\n")
    ingest_pairs(assay, 20)
    with Endpoint() as endpoint:
        estimate = assay.json(*similar(endpoint, "--dry-run"))
        assert endpoint.requests == 0
        assay(*similar(endpoint))
        kept = assay.json(*similar(endpoint, "--dry-run", "--similarity-threshold", "0.5"))

    assert (estimate["items"], estimate["calls"]) == (20, 1)
    assert estimate["cost"] == pytest.approx(estimate["prompt_tokens"] / 1000)
    assert (kept["items"], kept["calls"], kept["prompt_tokens"], kept["cost"]) == (20, 0, 0, 0)


def test_a_key_goes_to_its_own_address_alone(assay: Assay, monkeypatch: pytest.MonkeyPatch) -> None:
    """OPENAI_API_KEY is the chat model's; at another address vectors take EMBEDDING_API_KEY, or none."""
    ingest_pairs(assay, 1)
    monkeypatch.setenv("OPENAI_API_KEY", "sk-chat")
    with Endpoint() as chat, Endpoint() as vectors:
        both = ("--model", "m", "--base-url", chat.url)
        assay(*similar(vectors, *both, judges="semantic_similarity,faithfulness"))
        assert (chat.keys, vectors.keys) == ({b"sk-chat"}, {b"none"})
        monkeypatch.setenv("EMBEDDING_API_KEY", "sk-vectors")
        assay(*similar(vectors, *both, judges="question_answer_similarity"))
        assert vectors.keys == {b"none", b"sk-vectors"}
        monkeypatch.delenv("EMBEDDING_API_KEY")
        assay(*similar(vectors, "--similarity-threshold", "0.5", "--probe"))
        assert vectors.keys == {b"none", b"sk-vectors", b"sk-chat"}


def test_vectors_go_with_the_item_and_stay_out_of_exports(assay: Assay) -> None:
    """Of a forgotten item neither the vectors nor the hashes of its texts are left in the file; no export holds a number of any."""
    ingest_pairs(assay, 2)
    odd = struct.unpack("<2f", struct.pack("<2f", 0.123456, 7.654321))
    numbers = {f"Answer {n}.": [odd[0] + n, odd[1]] for n in range(2)}
    with Endpoint(vectors=lambda text: numbers.get(text, [1.0, 0.5])) as endpoint:
        assay(*similar(endpoint, judges="semantic_similarity,question_answer_similarity"))

    assay("scores", "export", str(assay.folder / "s.jsonl"))
    assert not any(mark in (assay.folder / "s.jsonl").read_text() for mark in ("0.1234", "7.6543", "vector"))
    marks = {
        n: (struct.pack("<2f", *numbers[f"Answer {n}."]), sha256(f"Answer {n}.".encode()).digest()) for n in (0, 1)
    }
    assert all(_has(assay.db, mark) for n in (0, 1) for mark in marks[n])

    assay("forget", "--item", "i0", "--yes")

    assert not any(_has(assay.db, mark) for mark in marks[0])
    assert all(_has(assay.db, mark) for mark in marks[1])
    # The question that both asked was of the forgotten item too.
    assert not _has(assay.db, sha256(b"The same?").digest())
    assert values(assay).keys() == {"i0", "i1"}
    assert assay.json("doctor")["problems"] == []


def _has(path: Path, mark: bytes) -> bool:
    return any(mark in file.read_bytes() for file in path.parent.glob(f"{path.name}*") if file.is_file())


def test_vectors_of_a_reference_go_with_its_gold_entry(assay: Assay) -> None:
    """Another item's answer was compared with the reference of a forgotten one: that vector names only the other item."""
    rows = [traffic_row("a", question="Same?", answer="Wrong."), traffic_row("b", question="Same?", answer="Other.")]
    assay("ingest", assay.write("t.jsonl", rows))
    assay("labels", "import", assay.write("l.jsonl", [label("a", label="wrong", reference="Secret.")]))
    assay("gold", "accept", "--all")
    with Endpoint() as endpoint:
        assay(*similar(endpoint))
        assert "Secret." in endpoint.embedded
    assert _has(assay.db, sha256(b"Secret.").digest())

    assay("forget", "--item", "a", "--yes")

    assert not _has(assay.db, sha256(b"Secret.").digest())


def test_texts_are_masked_before_they_are_embedded(assay: Assay) -> None:
    """What is kept is known by the hash of the masked text, as it was sent."""
    assay.write("assay.toml", '[redaction]\non = true\npatterns = ["(?P<PATIENT>MRN-[0-9]+)"]\n')
    assay("ingest", assay.write("t.jsonl", [traffic_row("a", answer="MRN-123 is ill.", reference="MRN-123")]))
    with Endpoint() as endpoint:
        assay(*similar(endpoint))
        sent = [*endpoint.embedded]

    assert len(sent) == 2
    assert not any("MRN-123" in text for text in sent)
    assert {text_hash for (text_hash,) in assay.sql("SELECT text_hash FROM vectors")} == {
        sha256(text.encode()).digest() for text in sent
    }


def test_the_log_names_where_texts_went(assay: Assay) -> None:
    ingest_pairs(assay, 1)
    with Endpoint() as endpoint:
        assay(*similar(endpoint))
        [event] = [event for event in assay.json("events")["events"] if event["what"] == "judge"]

    assert event["detail"]["embeddings"] == {"url": endpoint.url, "model": "e"}


def committal(key: str, choices: tuple[str, ...], data: object, body: object) -> str:
    """A model to which every answer commits itself."""
    return "committal" if "committal" in choices else choices[-1]


def both(endpoint: Endpoint, *more: str) -> tuple[str, ...]:
    """A judge that asks for words first, then for vectors, at one address."""
    return (*similar(endpoint, judges="answer_relevancy"), "--model", "m", "--base-url", endpoint.url, *more)


def test_words_that_were_paid_for_are_not_asked_again_where_vectors_failed(assay: Assay) -> None:
    """The embedding model is down in the first run: the second asks for vectors alone, then nothing is open any more."""
    ingest_pairs(assay, 3)
    down = {"on": True}
    with Endpoint(
        policy=committal, faults=lambda number, body: "503" if down["on"] and "input" in body else None
    ) as endpoint:
        stopped = assay.json(*both(endpoint, "--attempts", "2"), status=PARTIAL)
        assert stopped["failures"] == {"unanswered": 3}
        words = [body for body in endpoint.bodies if "messages" in body]
        assert assay.sql("SELECT count(*) FROM attempts WHERE is_open") == [(3,)]

        down["on"] = False
        run = assay.json(*both(endpoint))
        assert [body for body in endpoint.bodies if "messages" in body] == words

    assert run["scores"] == 3
    assert assay.sql("SELECT count(*) FROM attempts WHERE is_open") == [(0,)]


def test_words_and_vectors_are_counted_apart_and_paid_from_one_budget(assay: Assay) -> None:
    """The summary has a line for each model; a budget that words use up leaves no vectors, and the reverse."""
    assay.write("assay.toml", "[prices.m]\ninput = 1\noutput = 1\n[prices.e]\ninput = 500000\noutput = 0\n")
    assay("ingest", assay.write("t.jsonl", [traffic_row(f"i{n}") for n in range(12)]))
    with Endpoint(policy=committal) as endpoint:
        run = assay.json(*both(endpoint, "--budget", "30", "--concurrency", "1"), status=PARTIAL)
        spent = {used["judge"]: used["cost"] for used in run["judges"]}
        whole = assay.json(*both(endpoint, "--budget", "1000"))
        texts = {*endpoint.embedded.values()}

    assert "budget" in run["stopped"]
    assert sum(spent.values()) <= 30
    assert spent["embeddings"] > 10 > spent["answer_relevancy"] > 0
    assert whole["stopped"] is None
    assert texts == {1}
    assert values(assay, "answer_relevancy") == dict.fromkeys((f"i{n}" for n in range(12)), 1.0)


def test_what_is_kept_is_compact(store: Store) -> None:
    """Four bytes a number, little-endian, whatever the machine's order."""
    from proxy.judges.llm.embedding import FLOAT32, EmbeddingModel, Vector

    model = EmbeddingModel(url="u", model="e")
    with store.atomic():
        store.scores.vectors.keep(model, {"text": (Vector(FLOAT32, [1.5, -2.0]), ())}, now="now")
    [(content,)] = store._db.conn.execute("SELECT vector FROM vectors").fetchall()

    assert content == struct.pack("<2f", 1.5, -2.0)
    assert list(store.scores.vectors.known(model, ["text", "other"])["text"]) == [1.5, -2.0]
    assert store.scores.vectors.known(replace(model, model="f"), ["text"]) == {}
