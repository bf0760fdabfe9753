"""Tables with a column a judge: which columns are judges, which answer a row scores, and what is left out with a word."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from support.store import Assay, read

SAMPLES = Path(__file__).parents[1] / "samples"
RAGAS = str(SAMPLES / "ragas.scores.csv")


def kept(assay: Assay) -> list[dict[str, Any]]:
    assay("scores", "export", "kept.jsonl")
    return read(assay.folder / "kept.jsonl")


def values(assay: Assay) -> set[tuple[str, str, float | None]]:
    return {(row["item_id"], row["judge"], row["value"]) for row in kept(assay)}


def test_a_table_of_ragas_scores_the_answers_that_it_repeats(assay: Assay) -> None:
    """Its rows have no id: each finds its answer by its texts; an empty cell is a failure, never a 0."""
    assay("ingest", RAGAS)

    done, again = assay.json("scores", "import", RAGAS), assay.json("scores", "import", RAGAS)

    assert (done["new"], done["quarantined"], done["judges"], done["unused"]) == (3, 0, ["faithfulness"], [])
    assert (again["new"], again["quarantined"]) == (0, 0)
    assert sorted((row["value"] is None, row["value"] or 0) for row in kept(assay)) == [
        (False, 0.5),
        (False, 1),
        (True, 0),
    ]
    assert assay.json("rule", "set", "faithfulness > 0.6")["verdicts"] == {"pass": 1, "fail": 1, "unscored": 1}


WIDE = {
    "w.csv": "{id},faithfulness,tone,note\na,0.25,1,fine\nb,NaN,0,\nc,,0.5,x\n",
    "w.jsonl": '{{"{id}": "a", "faithfulness": 0.25, "tone": 1, "note": "fine"}}\n'
    '{{"{id}": "b", "faithfulness": NaN, "tone": 0, "note": ""}}\n'
    '{{"{id}": "c", "faithfulness": null, "tone": 0.5, "note": "x"}}\n',
}


@pytest.mark.parametrize("name", WIDE)
@pytest.mark.parametrize("column", ["item_id", "id", "trace_id"])
def test_a_wide_table_is_read_by_its_ids(loaded: Assay, name: str, column: str) -> None:
    """Of CSV and JSON lines alike; a column with words is none of a judge, and is named."""
    done = loaded.json("scores", "import", loaded.write(name, WIDE[name].format(id=column)))

    assert (done["new"], done["quarantined"]) == (6, 0)
    assert (done["judges"], done["unused"]) == (["faithfulness", "tone"], ["note"])
    first = {("a", "faithfulness", 0.25), ("b", "faithfulness", None), ("c", "faithfulness", None)}
    assert values(loaded) == first | {("a", "tone", 1.0), ("b", "tone", 0.0), ("c", "tone", 0.5)}


def test_the_screen_says_how_it_was_read(loaded: Assay) -> None:
    """Judges by their column, then what was left out; the id may lie elsewhere."""
    rows = [{"of": {"id": "a"}, "faithfulness": 0.5, "latency": 0.2, "model": "small"}]

    out = loaded("scores", "import", loaded.write("w.jsonl", rows), "--map", "item_id=of.id").stdout
    words = " ".join(out.split())

    assert "1 row: 1 new scores." in words
    assert "Read as a column a judge: faithfulness." in words
    assert "Columns not used: latency, model." in words


def test_a_score_of_an_answer_that_is_not_here_waits_for_it(loaded: Assay) -> None:
    """As other tools' scores do; an empty cell of it is counted."""
    done = loaded.json("scores", "import", RAGAS)
    assert (done["new"], done["quarantined"], done["scores_without_item"], done["none"]) == (0, 0, 2, {"empty": 1})

    assert loaded.json("ingest", RAGAS)["scores"] == 2
    assert sorted(row["value"] for row in kept(loaded) if row["value"] is not None) == [0.5, 1]


def test_numbers_beyond_0_to_1_need_a_scale(loaded: Assay) -> None:
    """Of a known score all wait, also its 1; a column of another name is a judge where a scale says so."""
    file = loaded.write("w.csv", "item_id,faithfulness,quality,seconds\na,5,1,9\nb,1,3,12\n")

    waits = loaded.json("scores", "import", file)
    assert (waits["new"], waits["judges"], waits["unused"]) == (0, ["faithfulness"], ["quality", "seconds"])
    assert [(each["judge"], each["scores"]) for each in waits["scores_unscaled"]] == [("faithfulness", 2)]

    done = loaded.json("scores", "import", file, "--scale", "faithfulness=1..5", "--scale", "quality=1..5")
    assert done["new"] == 4
    assert values(loaded) == {
        *{("a", "faithfulness", 1.0), ("b", "faithfulness", 0.0), ("a", "quality", 0.0), ("b", "quality", 0.5)}
    }


@pytest.mark.parametrize(
    ("rows", "reason"),
    [
        ([{"faithfulness": 0.5}], "must name its item_id"),
        ([{"item_id": "a", "faithfulness": "high"}], "faithfulness: expected a number, found 'high'"),
        ([{"item_id": "a", "value": 0.5}], "item_id and its judge"),
        ([{"item_id": "a", "metric": "tone", "score": 0.5}], "item_id and its judge"),
        ([{"item_id": "a", "label": 1, "note": "x"}], "item_id and its judge"),
    ],
    ids=["no answer", "a word", "no judge", "a row a score", "labels"],
)
def test_what_is_no_score_is_quarantined(loaded: Assay, rows: list[dict[str, object]], reason: str) -> None:
    """A table with a row a score is not taken for one with a column a judge, nor a label for a score."""
    done = loaded.json("scores", "import", loaded.write("w.jsonl", rows), status=4)

    assert (done["new"], done["quarantined"]) == (0, 1)
    assert reason in loaded.quarantine()[0]["reason"]


def test_a_late_column_is_a_judge_and_a_late_word_makes_a_column_none(loaded: Assay) -> None:
    """The whole file is looked at, not its first rows."""
    rows = [{"item_id": "a", "tone": 0.5} for _ in range(150)]
    rows += [{"item_id": "b", "tone": "n/a", "depth": 0.75}]

    done = loaded.json("scores", "import", loaded.write("w.jsonl", "\n".join(map(json.dumps, rows))))

    assert (done["judges"], done["unused"], done["new"]) == (["depth"], ["tone"], 2)
