"""Every metric that asks a model, by its name from the command to a scripted endpoint over HTTP and into the store."""

from __future__ import annotations

import pytest

from proxy.judges.metrics.catalogue import model_metrics
from proxy.judges.metrics.metric import MetricNeed
from support.endpoint import Endpoint
from support.model import asked
from support.store import Assay, traffic_row

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("quick_retries")]

# Two sentences, of which the passages and the reference hold the first.
ANSWER = "Room a is on the ground floor. The lift is broken today."
REFERENCE = "Room a is on the ground floor."
PASSAGES = 29 + 1 + 30  # characters, with the line break between them
# What the scripted model makes of it: statements are sentences, supported where 60 % of their words stand in a text; every other
# question is answered yes, with a probability of 0.8, or by the last of its choices.
EXPECTED = {
    "faithfulness_statements": 1 / 2,
    "factual_correctness": 2 / 3,  # 1 supported, 1 not, none missing
    "factual_correctness_f2": 5 / 6,  # 5 x 1 / (5 x 1 + 4 x 0 + 1)
    "factual_correctness_precision": 1 / 2,
    "answer_correctness": 3 / 4 * 2 / 3 + 1 / 4,  # every text has the same vector
    "answer_relevancy": 0.0,  # the last choice is noncommittal
    "noise_sensitivity_relevant": 0.0,
    "noise_sensitivity_irrelevant": 0.0,
    "summarization_score": (1 + 1 - len(ANSWER) / PASSAGES) / 2,
}


def test_every_metric_is_asked_over_http_and_kept(assay: Assay) -> None:
    """One run of all of them on one answer: a score each, with as many calls as were foretold; a second run asks nothing."""
    assay("ingest", assay.write("t.jsonl", [traffic_row("a", answer=ANSWER, reference=REFERENCE)]))
    names = ",".join(model_metrics())
    every = ("--judges", names, "--embedding-model", "e")
    with Endpoint() as endpoint:
        estimate = assay.json(*asked(endpoint, *every, "--dry-run"))
        run = assay.json(*asked(endpoint, *every))
        requests = endpoint.requests
        assay.json(*asked(endpoint, *every))
        assert endpoint.requests == requests

    scores = dict(assay.sql("SELECT j.judge, s.value FROM scores s JOIN judges j ON j.key = s.judge"))
    assert {*scores} == {*model_metrics()}
    for name, value in scores.items():
        usual = 0.8 if name.startswith(("aspect_", "unieval_")) else 1.0
        assert value == pytest.approx(EXPECTED.get(name, usual), abs=1e-6), name
    asides = ("probe", "canary", "embeddings")
    calls = sum(judge["attempts"] for judge in run["judges"] if judge["judge"] not in asides)
    assert estimate["calls"] == calls + 1  # the vectors of so few texts fit into one request

    # Another reference is another value of what was compared with it; the other scores stay.
    assay("ingest", assay.write("t.jsonl", [traffic_row("a", answer=ANSWER, reference="Room a is upstairs.")]))
    kept = {judge for (judge,) in assay.sql("SELECT j.judge FROM scores s JOIN judges j ON j.key = s.judge")}
    assert kept == {name for name, metric in model_metrics().items() if MetricNeed.REFERENCE not in metric.needs}


def test_a_metric_that_asks_a_model_is_told_of_without_one(assay: Assay) -> None:
    """The offline command says how to ask; nothing is judged."""
    assay("ingest", assay.write("t.jsonl", [traffic_row("a")]))
    said = assay("judge", "--judges", "answer_accuracy", status=2).stderr

    assert "answer_accuracy asks a model: `assay judge --judges answer_accuracy --backend openai --model M`" in said
