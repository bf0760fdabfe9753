"""Judges that compare vectors, from a real store to a real server: worked values, and no number where there is none."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from support.endpoint import Endpoint
from support.store import Assay, label, traffic_row
from support.vectors import PARTIAL, ingest_pairs, similar, values

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("quick_retries")]

# An answer and its reference in each language, with vectors whose cosine is known: 24/25, 3/5, 4/5 and 1.
PAIRS = {
    "en": ("It is 330 metres tall.", [3.0, 4.0], "330 metres", [4.0, 3.0], 24 / 25),
    "zh-Hans": ("这座塔高三百三十米。", [3.0, 4.0, 0.0], "三百三十米", [1.0, 0.0, 0.0], 3 / 5),
    "zh-Hant": ("這座塔高三百三十公尺。", [0.0, 2.0], "三百三十公尺", [3.0, 4.0], 4 / 5),
    "ko": ("탑의 높이는 330미터입니다.", [0.0, 7.0], "330미터", [0.0, 0.5], 1.0),
}


def test_an_answer_and_its_reference_are_compared_in_four_languages(assay: Assay) -> None:
    """Worked cosines; no model is asked for words, nothing is probed, and the second run asks for nothing."""
    rows = [
        traffic_row(name, answer=answer, reference=reference) for name, (answer, _, reference, _, _) in PAIRS.items()
    ]
    assay("ingest", assay.write("traffic.jsonl", rows))
    places = {answer: vector for answer, vector, *_ in PAIRS.values()} | {
        reference: vector for _, _, reference, vector, _ in PAIRS.values()
    }
    with Endpoint(vectors=places.__getitem__, faults=_alone) as endpoint:
        run = assay.json(*similar(endpoint, "--concurrency", "1"))
        asked = endpoint.requests
        again = assay.json(*similar(endpoint))
        assert endpoint.requests == asked
        assert endpoint.embedded == dict.fromkeys(places, 1)

    assert values(assay) == pytest.approx({name: expected for name, (*_, expected) in PAIRS.items()}, abs=1e-6)
    assert (run["items"], run["scores"], again["items"], again["attempts"]) == (4, 4, 0, {})
    [used] = run["judges"]
    assert (used["judge"], used["signatures"]) == ("embeddings", ["embeddings|llm|e"])
    assert run["canaries"] == []


def _alone(number: int, body: Mapping[str, list[str]]) -> str | None:
    """Refuse texts of several pairs together: their vectors have different lengths here, as no model's have."""
    pairs = [{answer, reference} for answer, _, reference, *_ in PAIRS.values()]
    return None if any({*body["input"]} <= pair for pair in pairs) else "400"


def test_a_text_that_two_judges_read_is_paid_for_once(assay: Assay) -> None:
    """Ten answers: their vectors are kept for the second judge, which asks for the one question alone."""
    ingest_pairs(assay, 10)
    with Endpoint() as endpoint:
        assay(*similar(endpoint))
        first = dict(endpoint.embedded)
        assay(*similar(endpoint, judges="question_answer_similarity"))

    assert len(first) == 20
    assert endpoint.embedded == {**first, "The same?": 1}
    assert values(assay, "question_answer_similarity") == dict.fromkeys((f"i{n}" for n in range(10)), 1.0)


def test_a_negative_cosine_is_no_similarity_and_says_so(assay: Assay) -> None:
    ingest_pairs(assay, 1)
    with Endpoint(vectors=lambda text: [-1.0, 0.0] if "Answer" in text else [1.0, 0.0]) as endpoint:
        assay(*similar(endpoint))

    assert values(assay) == {"i0": 0.0}
    assert assay.sql("SELECT reason FROM scores") == [("cosine -1 to the reference, which counts as 0",)]


def test_a_threshold_gives_one_or_nought_under_a_signature_of_its_own(assay: Assay) -> None:
    """0.96 is at least 0.96 within 32-bit floats' 0.9599, and below 0.97; the vectors are not asked for again."""
    ingest_pairs(assay, 1)
    places = {"Answer 0.": [3.0, 4.0], "Reference 0.": [4.0, 3.0]}
    with Endpoint(vectors=places.__getitem__) as endpoint:
        for threshold in ("0.9599", "0.97"):
            assay(*similar(endpoint, "--similarity-threshold", threshold))
        assay(*similar(endpoint))
        assert endpoint.embedded == dict.fromkeys(places, 1)

    scores = assay.sql(
        "SELECT value, signature FROM scores JOIN judges ON judges.key = scores.judge ORDER BY judges.key"
    )
    assert [value for value, _ in scores] == pytest.approx([1.0, 0.0, 0.96])
    assert len({signature for _, signature in scores}) == 3


def test_of_several_references_the_best_fitting_counts(assay: Assay) -> None:
    ingest_pairs(assay, 1)
    assay("ingest", assay.write("t.jsonl", [traffic_row("two", answer="A", reference="far | near")]))
    places = {"A": [1.0, 0.0], "far": [0.0, 1.0], "near": [4.0, 3.0]}
    with Endpoint(vectors=lambda text: places.get(text, [1.0, 1.0])) as endpoint:
        assay(*similar(endpoint))

    assert values(assay)["two"] == pytest.approx(0.8)


def test_the_reference_of_the_gold_set_is_taken_where_there_is_none(assay: Assay) -> None:
    """And compared again once the entry changes."""
    assay("ingest", assay.write("t.jsonl", [traffic_row("a", answer="Wrong.")]))
    assay("labels", "import", assay.write("l.jsonl", [label("a", label="wrong", reference="Right.")]))
    assay("gold", "accept", "--all")
    places = {"Wrong.": [1.0, 0.0], "Right.": [3.0, 4.0]}
    with Endpoint(vectors=lambda text: places.get(text, [1.0, 0.0])) as endpoint:
        assay(*similar(endpoint))
        assert values(assay) == {"a": pytest.approx(0.6)}
        [(gold_id,)] = assay.sql("SELECT gold_id FROM gold")
        assay("gold", "edit", gold_id, "--reference", "Better.")
        assay(*similar(endpoint))
        assert values(assay) == {"a": 1.0}
        assert endpoint.embedded == {"Wrong.": 1, "Right.": 1, "Better.": 1}


def test_what_cannot_be_compared_is_no_number(assay: Assay) -> None:
    """Empty texts do not apply and are not sent; zeros, NaN and other lengths are failures that are asked again on request."""
    rows = [
        traffic_row("sound", answer="sound", reference="r"),
        traffic_row("zero", answer="zero", reference="r"),
        traffic_row("odd", answer="odd", reference="r"),
        traffic_row("empty", answer=" ", reference="r"),
        traffic_row("none", answer="none"),
    ]
    assay("ingest", assay.write("t.jsonl", rows))
    places: dict[str, object] = {"zero": [0.0, 0.0], "odd": [float("nan"), 0.0]}
    with Endpoint(vectors=lambda text: places.get(text, [1.0, 0.0])) as endpoint:
        assay(*similar(endpoint), status=PARTIAL)
        kinds = dict(assay.sql("SELECT i.id, f.kind FROM failures f JOIN items i ON i.key = f.item"))
        assert kinds == {"zero": "invalid", "odd": "invalid", "empty": "not_applicable", "none": "not_applicable"}
        assert {*endpoint.embedded} == {"sound", "zero", "odd", "r"}
        places.clear()
        assay(*similar(endpoint, "--retry-failed"))
        assert endpoint.embedded == {"sound": 1, "zero": 2, "odd": 2, "r": 1}

    assert values(assay) == {"sound": 1.0, "zero": 1.0, "odd": 1.0}


def test_another_model_under_the_same_name_is_noticed_and_asked_anew_with_probe(assay: Assay) -> None:
    """Vectors of two numbers are kept; the server gives three from then on: a failure, until --probe asks for all again."""
    rows = [traffic_row("a", answer="a", reference="r"), traffic_row("b", answer="b", reference="r")]
    assay("ingest", assay.write("t.jsonl", rows[:1]))
    with Endpoint(vectors=lambda text: [1.0, 0.0]) as endpoint:
        assay(*similar(endpoint))
        endpoint.vectors = lambda text: [1.0, 0.0, 0.0]
        assay("ingest", assay.write("t.jsonl", rows))
        assay(*similar(endpoint), status=PARTIAL)
        [(reason,)] = assay.sql("SELECT reason FROM failures")
        assert "3 and 2 numbers" in reason
        assay(*similar(endpoint, "--retry-failed", "--probe"))

    assert values(assay) == {"a": 1.0, "b": 1.0}


def test_what_is_missing_is_said_before_anything_is_sent(assay: Assay) -> None:
    """No embedding model; no model for words beside it; a judge of vectors among the offline ones."""
    ingest_pairs(assay, 1)
    with Endpoint() as endpoint:
        lacking = assay("judge", "--backend", "openai", "--model", "m", "--base-url", endpoint.url, "--judges",
                        "semantic_similarity", status=2)  # fmt: skip
        words = assay(*similar(endpoint, judges="faithfulness,semantic_similarity"), status=2)
        offline = assay("judge", "--judges", "semantic_similarity", status=2)
        assert endpoint.requests == 0
    assert "--embedding-model" in lacking.stderr
    assert "--model" in words.stderr
    assert "--backend openai --embedding-model E" in offline.stderr


def test_the_models_may_stand_in_the_settings(assay: Assay) -> None:
    """Beside the model that is asked for words, and at its address where no other is named."""
    ingest_pairs(assay, 2)
    with Endpoint() as endpoint:
        assay.write(
            "assay.toml",
            f'[judge]\nbackend = "openai"\nmodel = "m"\nbase_url = "{endpoint.url}"\nembedding_model = "e"\n'
            'judges = ["faithfulness", "semantic_similarity"]\n',
        )
        run = assay.json("judge")

    assert run["scores"] == 4
    assert {used["judge"] for used in run["judges"]} == {"probe", "canary", "faithfulness", "embeddings"}


def test_a_model_in_the_settings_that_no_judge_needs_asks_for_no_key(
    assay: Assay, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Either of the two may stand in the settings for other runs: nothing is sent there, and no price is needed for it."""
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    ingest_pairs(assay, 1)
    with Endpoint() as endpoint:
        assay.write("assay.toml", '[judge]\nmodel = "m"\n[prices.e]\ninput = 1\noutput = 0\n')
        assay(*similar(endpoint, "--budget", "1000"))
        assay.write("assay.toml", '[judge]\nembedding_model = "e"\nembedding_url = "https://api.openai.com/v1"\n')
        assay("judge", "--backend", "openai", "--model", "m", "--base-url", endpoint.url, "--judges", "faithfulness")

    assert assay.sql("SELECT model FROM runs ORDER BY key") == [("e",), ("m",)]
    assert len(values(assay)) == len(values(assay, "faithfulness")) == 1
