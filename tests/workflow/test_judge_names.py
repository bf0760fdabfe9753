"""Names of judges that differ only in case, spaces, hyphens or underscores are one judge, on every way in, and the screen says so."""

from __future__ import annotations

from typing import Any

import pytest

from support.store import Assay, read

TRACE = "0af7651916cd43dd8448eb211c80319c"


def judges(assay: Assay) -> list[str]:
    """The judges that have scores."""
    return [judge for (judge,) in assay.sql("SELECT DISTINCT judge FROM judges ORDER BY judge")]


def signatures(assay: Assay, judge: str) -> list[str]:
    rows: list[tuple[str]] = assay.sql(f"SELECT signature FROM judges WHERE judge = '{judge}' ORDER BY key")
    return [signature for (signature,) in rows]


def score(judge: str, value: float = 0.25, item: str = "a", **more: object) -> dict[str, object]:
    return {"item_id": item, "judge": judge, "value": value, **more}


def evaluation(name: str, value: float | str, trace: str = "a") -> dict[str, object]:
    """A score as Langfuse writes it, a number or a word."""
    kind = "CATEGORICAL" if isinstance(value, str) else "NUMERIC"
    row = {"id": f"s-{name}", "traceId": trace, "name": name, "dataType": kind, "value": value, "source": "EVAL"}
    return {**row, "timestamp": "2026-11-20T08:00:00Z"}


def span_with(name: str) -> dict[str, Any]:
    """A request of OTLP with an answer that was evaluated where it was given."""
    texts = {"openinference.span.kind": "CHAIN", "input.value": "Where?", "output.value": "There."}
    given = {"gen_ai.evaluation.name": name, "gen_ai.evaluation.score.label": "pass"}
    event = {"name": "gen_ai.evaluation.result", "attributes": attributes(given)}
    span = {"traceId": TRACE, "spanId": "b7ad6b7169203331", "attributes": attributes(texts), "events": [event]}
    return {"resourceSpans": [{"scopeSpans": [{"spans": [span]}]}]}


def attributes(values: dict[str, str]) -> list[dict[str, object]]:
    return [{"key": key, "value": {"stringValue": value}} for key, value in values.items()]


@pytest.mark.parametrize(
    ("given", "judge"),
    [
        ("Faithfulness", "faithfulness"),
        ("Context Relevance", "context_relevance"),
        ("ANSWER-RELEVANCE", "answer_relevance"),
        ("Correctness", "correctness"),  # of a model
    ],
)
def test_an_imported_name_of_a_built_in_judge_is_that_judge(loaded: Assay, given: str, judge: str) -> None:
    path = loaded.write("s.jsonl", [score(given)])

    text = loaded("scores", "import", path).stdout

    assert f"{given} is read as {judge}." in text
    assert judges(loaded) == [judge]
    assert signatures(loaded, judge) == [f"{judge}|imported"]


def test_a_name_as_it_is_known_is_no_news(loaded: Assay) -> None:
    assert "is read as" not in loaded("scores", "import", loaded.write("s.jsonl", [score("faithfulness")])).stdout


def test_a_name_that_nobody_knows_is_kept_as_given_and_others_follow_it(loaded: Assay) -> None:
    """Also within one file: the first spelling is the judge's name; a signature of the file's own is kept."""
    rows = [score("Ward Tone"), score("ward-tone", 0.5, "b", signature="ward-tone|v2")]

    done = loaded.json("scores", "import", loaded.write("s.jsonl", rows))
    later = loaded.json("scores", "import", loaded.write("t.jsonl", [score("WARD_TONE", item="c")]))

    assert (done["new"], done["read_as"]) == (2, {"ward-tone": "Ward_Tone"})
    assert (later["new"], later["read_as"]) == (1, {"WARD_TONE": "Ward_Tone"})
    assert judges(loaded) == ["Ward_Tone"]
    assert signatures(loaded, "Ward_Tone") == ["Ward_Tone|imported", "ward-tone|v2"]


def test_a_column_is_that_judge_and_two_columns_of_one_judge_are_refused_by_name(loaded: Assay) -> None:
    one = loaded.write("one.csv", "item_id,Faithfulness\na,0.25\n")
    two = loaded.write("two.csv", "item_id,Faithfulness,faithfulness\nb,0.25,0.75\n")
    spaced = loaded.write("spaced.csv", "item_id,answer relevance,Answer_Relevance\nb,0.25,0.75\n")

    assert loaded.json("scores", "import", one)["read_as"] == {"Faithfulness": "faithfulness"}
    refused = loaded("scores", "import", two, status=1).stderr
    assert "the columns 'Faithfulness' and 'faithfulness' name one judge" in refused
    refused = loaded("scores", "import", spaced, status=1).stderr
    assert "the columns 'answer relevance' and 'Answer_Relevance' name one judge" in refused
    assert [(row["item_id"], row["judge"], row["value"]) for row in exported(loaded)] == [("a", "faithfulness", 0.25)]


def exported(assay: Assay) -> list[dict[str, Any]]:
    assay("scores", "export", "kept.jsonl")
    return read(assay.folder / "kept.jsonl")


@pytest.mark.slow
def test_a_tools_scores_are_that_judges_before_their_answer_and_with_it(loaded: Assay) -> None:
    """A word that waits for its answer is known by name already when the next spelling comes."""
    loaded("scores", "import", loaded.write("s.jsonl", [evaluation("Ward Tone", "pass", TRACE)]))
    text = loaded("ingest", loaded.write("t.jsonl", [span_with("ward tone")])).stdout

    assert "ward tone is read as Ward_Tone." in text
    assert judges(loaded) == ["Ward_Tone"]
    assert len(signatures(loaded, "Ward_Tone")) == 2  # of two tools


def test_traffic_with_a_tools_faithfulness_has_scores_of_ours(assay: Assay) -> None:
    done = assay.json("ingest", assay.write("t.jsonl", [span_with("Faithfulness")]))

    assert (done["scores"], done["evaluations"], done["read_as"]) == (
        1,
        ["faithfulness"],
        {"Faithfulness": "faithfulness"},
    )
    assert signatures(assay, "faithfulness") == ["faithfulness|opentelemetry|unversioned"]


@pytest.mark.parametrize("spelling", ["quality", "QUALITY"])
def test_a_scale_is_of_the_judge_however_it_is_spelt(loaded: Assay, spelling: str) -> None:
    """Of numbers that wait and of a column that only the scale makes a judge."""
    loaded("scores", "import", loaded.write("s.jsonl", [evaluation("Quality", 4)]))
    wide = loaded.write("w.csv", "item_id,quality\nb,2\n")

    done = loaded.json("scores", "import", wide, "--scale", f"{spelling}=1..5")

    assert (done["new"], done["scores_unscaled"]) == (2, [])
    assert sorted((row["judge"], row["value"]) for row in exported(loaded)) == [("Quality", 0.25), ("Quality", 0.75)]


def test_a_store_that_holds_both_spellings_keeps_both(loaded: Assay) -> None:
    """As stores did before names were compared: nothing is merged, and a file that comes again adds nothing."""
    rows = [score("faithfulness"), score("Other", 0.75)]
    loaded("scores", "import", loaded.write("s.jsonl", rows))
    loaded.sql("UPDATE judges SET judge = 'Faithfulness', signature = 'Faithfulness|imported' WHERE judge = 'Other'")

    again = loaded.json("scores", "import", loaded.write("f.jsonl", [score("Faithfulness", 0.75)]))

    assert (again["new"], again["quarantined"], again["read_as"]) == (0, 0, {})
    assert judges(loaded) == ["Faithfulness", "faithfulness"]
    assert loaded.json("scores", "import", loaded.write("F.jsonl", [score("FAITHFULNESS")]))["read_as"] == {
        "FAITHFULNESS": "faithfulness"
    }


def two_spellings(assay: Assay) -> None:
    """Scores of faithfulness, and of the same judge under the name that it had before names were compared."""
    rows = [score("faithfulness"), score("Other", 0.75), score("Other", 0.5, "b")]
    assay("scores", "import", assay.write("s.jsonl", rows))
    assay.sql("UPDATE judges SET judge = 'Faithfulness', signature = 'Faithfulness|imported' WHERE judge = 'Other'")


@pytest.mark.slow
def test_doctor_says_which_scores_the_rule_misses_and_how_to_join_them(loaded: Assay) -> None:
    """Of the two answers under the other spelling one has a score under the rule's: what it advises is done as it says."""
    two_spellings(loaded)

    text = " ".join(loaded("doctor").stdout.split())
    assert loaded.json("doctor")["spellings"] == [{"name": "faithfulness", "spelling": "Faithfulness", "answers": 1}]
    assert "1 answer has a score under Faithfulness and none under faithfulness" in text
    assert "`assay scores export FILE`, write faithfulness for Faithfulness in it, `assay scores import FILE`" in text

    loaded("scores", "export", str(loaded.folder / "all.jsonl"))
    joined = (loaded.folder / "all.jsonl").read_text().replace("Faithfulness", "faithfulness")
    # The answer that has both keeps the score that the rule reads.
    loaded("scores", "import", loaded.write("joined.jsonl", joined), status=4)

    assert loaded.json("doctor")["spellings"] == []
    assert [row["value"] for row in exported(loaded) if row["judge"] == "faithfulness"] == [0.25, 0.5]


def test_doctor_says_nothing_of_judges_of_one_spelling(loaded: Assay) -> None:
    loaded("scores", "import", loaded.write("s.jsonl", [score("faithfulness"), score("Ward Tone", 0.5, "b")]))

    assert loaded.json("doctor")["spellings"] == []
    assert "spelling" not in loaded("doctor").stdout
