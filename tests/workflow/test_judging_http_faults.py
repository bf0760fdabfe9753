"""`assay judge` against a server with every fault: each item ends as a score or a failure with its reason, each request is kept."""

from __future__ import annotations

import time

import pytest

import support.endpoint
from support.endpoint import Endpoint
from support.model import (
    NO_LOGPROBS,
    asked,
    everywhere,
    ingest,
    kinds,
    outcomes,
    stored,
    without_outcome,
)
from support.model_faults import FAULTS, error
from support.store import Assay

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("quick_retries")]

KEY = "sk-canary-51c0ffee"
STOPS = ("401", "402", "403", "404", "429-long", "429-quota")
PARTIAL = 4
# What becomes of items whose every request has this fault, after the probe; all others give a score at last.
ENDS: dict[str, dict[str, int]] = {
    **{name: {"unanswered": 6} for name in FAULTS},
    **{name: {"refused": 6} for name in ("refusal", "text_refusal", "filter")},
    **{name: {"invalid": 6} for name in ("prose", "wrong_enum", "missing", "extra", "duplicate", "nan", "number")},
    **{name: {"invalid": 6} for name in ("length", "empty", "null", "nested", "huge", "surrogate_body")},
    "400": {"error": 6},
    "fenced": {},
    "surrogate": {"invalid": 3},  # the half sign stands in a note, or, in a form without notes, behind the JSON
}


def after_the_probe(name: str, probes: int = 1) -> support.endpoint.Faults:
    """The fault in every request but those of the probe; a model without log-probabilities is probed twice."""
    return lambda number, body: name if number > probes else None


@pytest.mark.parametrize("name", sorted(FAULTS - set(STOPS) - {"429-after", "503-after"}))
def test_no_fault_becomes_a_score(assay: Assay, name: str) -> None:
    """Three items, two judges, every request at fault: six failures of the right kind with a reason, or, where the words can
    be read all the same, six scores; as many attempts as requests.
    """
    ingest(assay, 3)
    with Endpoint(faults=after_the_probe(name, 2), accepts=NO_LOGPROBS) as endpoint:
        run = assay.json(
            *asked(endpoint, "--attempts", "2", "--deadline", "0.5" if name in ("hang", "drip") else "30"),
            status=PARTIAL if ENDS[name] else 0,
        )
        requests = endpoint.requests

    assert kinds(assay) == run["failures"] == ENDS[name]
    assert stored(assay, "scores") == 6 - sum(ENDS[name].values())
    assert without_outcome(assay) == 0
    assert stored(assay, "attempts") == requests == sum(run["attempts"].values())
    assert assay.sql("SELECT count(*) FROM failures WHERE trim(reason) = ''") == [(0,)]
    assert assay.sql("SELECT count(*) FROM attempts WHERE is_open AND outcome <> 'ok'") == [(0,)]


@pytest.mark.parametrize("seed", range(4))
def test_faults_of_all_kinds_at_once_lose_nothing(assay: Assay, seed: int) -> None:
    """40 items, two judges, a third of the requests at fault: 80 outcomes, each once; attempts as many as requests."""
    ingest(assay, 40)
    passing = (
        "429-after-ms:0.02,500:0.03,503:0.02,reset:0.02,close:0.02,html:0.02,error200:0.02,cut:0.02,408:0.01,502:0.02"
    )
    lasting = (
        "hang:0.01,prose:0.02,wrong_enum:0.02,missing:0.01,nan:0.01,refusal:0.01,400:0.01,empty:0.02,surrogate:0.01"
    )
    with Endpoint(faults=f"{passing},{lasting}", seed=seed, accepts=NO_LOGPROBS) as endpoint:
        run = assay.json(*asked(endpoint, "--deadline", "2"), status=PARTIAL)
        requests = endpoint.requests

    assert without_outcome(assay) == 0
    assert stored(assay, "scores") + stored(assay, "failures") == 80
    assert stored(assay, "attempts") == requests
    assert run["stopped"] is None
    assert set(kinds(assay)) <= {"unanswered", "invalid", "refused", "error"}
    # A broken reply is asked for once more, so an item fails for it with a chance of 1 in 100.
    assert kinds(assay).get("invalid", 0) < 10
    with_raw = assay.sql(
        "SELECT count(*) FROM failures f JOIN details d ON d.judge = f.judge AND d.item = f.item WHERE kind = 'invalid' "
        "AND json_extract(content, '$.raw') IS NOT NULL"
    )
    assert with_raw == [(kinds(assay).get("invalid", 0),)]


@pytest.mark.parametrize("name", STOPS)
@pytest.mark.parametrize("place", ["probe", "middle"])
def test_what_no_request_would_survive_stops_the_run(assay: Assay, name: str, place: str) -> None:
    """One clear line, status 1, at most as many requests more as may be in flight, and no item marked failed."""
    ingest(assay, 60)
    first = 1 if place == "probe" else 40
    with Endpoint(latency=0.005, faults=lambda number, body: name if number >= first else None) as endpoint:
        result = assay(*asked(endpoint, "--concurrency", "8"), status=1)
        requests = endpoint.requests

    lines = [line for line in result.stderr.splitlines() if line.startswith("assay:")]
    assert len(lines) == 1
    assert "Traceback" not in result.output
    if name.isdigit():
        assert name in lines[0]
    assert requests <= first + 8
    assert stored(assay, "failures") == 0
    assert stored(assay, "scores") < 60
    assert abs(stored(assay, "attempts") - requests) <= 8  # those that were cut short before they reached the server
    reason = assay.sql("SELECT stopped FROM runs")[0][0]
    assert reason in lines[0]

    with Endpoint(port=endpoint.port) as well:
        assay(*asked(well))
    assert stored(assay, "scores") == 120


def test_what_ran_into_the_deadline_is_asked_again_by_the_next_run(assay: Assay) -> None:
    """Hung and dripping calls are cut, and unanswered; the run ends; the next asks for these items and no others."""
    ingest(assay, 12)
    slow = {5: "hang", 9: "drip", 14: "hang"}
    with Endpoint(faults=lambda number, body: slow.get(number)) as endpoint:
        start = time.monotonic()
        run = assay.json(*asked(endpoint, "--deadline", "0.6"), status=PARTIAL)
        assert time.monotonic() - start < 20
        assert run["attempts"]["timeout"] == 3
        assert outcomes(assay)["timeout"] == 3
        missing = kinds(assay).get("unanswered", 0)
        before = endpoint.requests
        assert before == 1 + 2 + 24

        run = assay.json(*asked(endpoint))
        canaries = 2
        assert endpoint.requests == before + missing + canaries
        assert run["scores"] == missing

        assert assay.json(*asked(endpoint))["items"] == 0
        assert endpoint.requests == before + missing + canaries
    assert kinds(assay) == {}
    assert stored(assay, "scores") == 24


def test_other_failures_are_asked_again_only_on_request(assay: Assay) -> None:
    """Three items with an unreadable reply and one without passages: the next run asks nothing, --retry-failed the three."""
    ingest(assay, 3)
    assay("ingest", assay.write("n.jsonl", '{"id": "n", "question": "Q?", "contexts": [], "answer": "A."}\n'))
    with Endpoint(faults=after_the_probe("prose")) as endpoint:
        assay(*asked(endpoint), status=PARTIAL)
        assert kinds(assay) == {"invalid": 6, "not_applicable": 2}
        before = endpoint.requests
        endpoint.faults = None

        assert assay.json(*asked(endpoint))["items"] == 0
        assert endpoint.requests == before

        run = assay.json(*asked(endpoint, "--retry-failed"))
        assert (run["items"], run["scores"]) == (3, 6)
        assert endpoint.requests == before + 2 + 6
        assert kinds(assay) == {"not_applicable": 2}
        assert assay.sql("SELECT count(*) FROM details WHERE content LIKE '%\"raw\"%'") == [(0,)]

        before = endpoint.requests
        assert assay.json(*asked(endpoint, "--retry-failed"))["items"] == 0
        assert endpoint.requests == before


def test_the_sentences_of_an_answer_at_last_take_the_place_of_an_error_page(assay: Assay) -> None:
    """An item that was unanswered with an error's words and is scored by the next run shows its verdicts."""
    ingest(assay, 1)
    with Endpoint(faults=after_the_probe("502")) as endpoint:
        assay(*asked(endpoint, "--attempts", "1", "--judges", "faithfulness"), status=PARTIAL)
        assert assay.sql("SELECT content LIKE '%Bad Gateway%' FROM details") == [(1,)]
        endpoint.faults = None
        assay(*asked(endpoint, "--judges", "faithfulness"))

    assert assay.sql(
        "SELECT json_array_length(content, '$.sentences'), content LIKE '%Gateway%' FROM details d "
        "JOIN judges j ON j.key = d.judge WHERE j.signature LIKE '%|llm|%'"
    ) == [(1, 0)]


@pytest.mark.parametrize("name", ["401", "500", "prose", "error200", "html", None])
def test_the_key_is_nowhere(assay: Assay, monkeypatch: pytest.MonkeyPatch, name: str | None) -> None:
    """Not in the store, its log, what is printed, nor in an error, even where the endpoint says it aloud."""
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    monkeypatch.setitem(support.endpoint.ANSWERED, "401", error(401, f"Incorrect API key provided: {KEY}"))
    monkeypatch.setitem(support.endpoint.ANSWERED, "500", error(500, f"Authorization: Bearer {KEY}"))
    monkeypatch.setitem(support.endpoint.ANSWERED, "error200", error(200, f"upstream refused {KEY}"))
    ingest(assay, 3)
    with Endpoint(faults=after_the_probe(name) if name else None) as endpoint:
        status = {"401": 1, None: 0}.get(name, PARTIAL)
        result = assay(*asked(endpoint, "--attempts", "2"), status=status)
        assert KEY not in result.output
        assert endpoint.requests > 1

    assert everywhere(assay.folder, KEY) == []
    assert everywhere(assay.folder, "Where is room i0") != []
