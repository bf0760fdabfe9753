"""Scores of other judges from files: once each, under a name that a rule can read, never changed."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from support.store import Assay, read


def score(item: str, value: object, judge: str = "their judge", **more: object) -> dict[str, object]:
    return {"item_id": item, "judge": judge, "value": value, **more}


def test_scores_come_in_once_under_a_name_that_a_rule_can_read(loaded: Assay) -> None:
    """The rule in force then gives its verdicts from them."""
    file = loaded.write("s.jsonl", [score("a", 0.9, reason="lone \ud800"), score("b", "0.1"), score("c", None)])

    first, again = loaded.json("scores", "import", file), loaded.json("scores", "import", file)
    verdicts = loaded.json("rule", "set", "their_judge > 0.5")["verdicts"]
    loaded("scores", "export", "out.jsonl")

    assert (first["new"], again["new"], again["quarantined"]) == (3, 0, 0)
    assert verdicts == {"pass": 1, "fail": 1, "unscored": 6}
    kept = [(row["item_id"], row["value"]) for row in read(loaded.folder / "out.jsonl")]
    assert kept == [("a", 0.9), ("b", 0.1), ("c", None)]
    assert read(loaded.folder / "out.jsonl")[0]["reason"] == "lone \ud800"


@pytest.mark.parametrize("name", ["3c", "a.b-c d", "Groundedness (v2)", "class", "忠実度", "ﬁt"])
def test_any_judge_can_be_named_in_a_rule(loaded: Assay, name: str) -> None:
    """Whatever another tool calls its judge, a rule can read it under the name that the export shows."""
    loaded("scores", "import", loaded.write("s.jsonl", [score("a", 0.9, name)]))
    loaded("scores", "export", "out.jsonl")

    ours = read(loaded.folder / "out.jsonl")[0]["judge"]

    assert loaded.json("rule", "set", f"{ours} > 0.5")["verdicts"]["pass"] == 1


@pytest.mark.parametrize(
    ("row", "reason"),
    [
        (score("a", 1.5), "[0, 1]"),
        (score("a", -0.1), "[0, 1]"),
        (score("a", "high"), "expected a number"),
        (score("a", float("nan")), "expected a number"),
        (score("a", True), "expected a number"),
        (score("lost", 0.5), "no item lost: ingest"),
        (score("a", 0.5, ""), "item_id and its judge"),
    ],
    ids=repr,
)
def test_a_score_that_is_none_is_quarantined(loaded: Assay, row: Mapping[str, object], reason: str) -> None:
    """It becomes neither a 0 nor a 1."""
    imported = loaded.json("scores", "import", loaded.write("s.jsonl", [row, score("b", 0.5)]), status=4)

    assert (imported["new"], imported["quarantined"]) == (1, 1)
    assert reason in loaded.quarantine()[0]["reason"]


def test_another_value_needs_another_signature(loaded: Assay) -> None:
    """A score is never changed; a new version of the judge stands beside the old."""
    loaded("scores", "import", loaded.write("a.jsonl", [score("a", 0.5)]))

    loaded("scores", "import", loaded.write("b.jsonl", [score("a", 0.6)]), status=4)
    assert "new signature" in loaded.quarantine()[0]["reason"]

    imported = loaded.json("scores", "import", loaded.write("c.jsonl", [score("a", 0.6, signature="v2")]))
    assert imported["new"] == 1
    assert loaded.sql("SELECT value FROM scores ORDER BY value") == [(0.5,), (0.6,)]


def test_a_failure_that_comes_again_is_not_new_and_a_score_takes_its_place(loaded: Assay) -> None:
    """An item has one outcome of a judge: the score that a repeated run of the other tool brought at last."""
    failed = loaded.write("a.jsonl", [score("a", None)])
    assert [loaded.json("scores", "import", failed)["new"] for _ in range(2)] == [1, 0]

    loaded("scores", "import", loaded.write("b.jsonl", [score("a", 0.5)]))
    assert loaded.json("scores", "import", failed)["new"] == 0

    loaded("scores", "export", "out.jsonl")
    assert [row["value"] for row in read(loaded.folder / "out.jsonl")] == [0.5]
