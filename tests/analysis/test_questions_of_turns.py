"""Multi-turn traffic of several systems: pairs are answers to one question, whatever group they lie in, also in older stores."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from annotate.analysis.comparison.selections import pairs_of
from annotate.analysis.labelled_draws import ground
from annotate.analysis.rule_in_force import rule_in_force
from annotate.domain.selection import Selection
from annotate.store import Store
from support.store import Assay
from support.turns import conversations, labels, truth

CELLS = ("both", "only_first", "only_second", "neither")


def loaded(assay: Assay, rows: list[dict[str, object]]) -> Assay:
    """The traffic, judged, every answer drawn and labelled."""
    assay("ingest", assay.write("traffic.jsonl", rows))
    assay(
        "scores",
        "import",
        assay.write("scores.jsonl", [{"item_id": r["id"], "judge": "s", "value": 0.9} for r in rows]),
    )
    assay("rule", "set", "s > 0.5")
    return assay


def labelled(assay: Assay, rows: list[dict[str, object]]) -> Assay:
    """The same with every answer drawn and labelled."""
    loaded(assay, rows)("sample", "--labels", str(len(rows)), "--all-passed")
    assay("labels", "import", assay.write("labels.jsonl", labels(rows)))
    return assay


def is_pair(pair: dict[str, Any]) -> bool:
    """Whether both answers are of one turn of one conversation, or both open one."""
    first, second = (pair[side]["item_id"].split("-")[1:] for side in ("first", "second"))
    return bool(first == second) or (pair["question"] == "What can you do?" and first[1] == second[1] == "0")


@pytest.mark.slow
@pytest.mark.parametrize("with_group", [True, False], ids=["conversations as groups", "no groups"])
def test_pairs_are_the_truth_of_the_file(assay: Assay, *, with_group: bool) -> None:
    """48 shared questions and the four cells, counted from the rows; nothing of another turn is set beside a turn."""
    rows = conversations(with_group=with_group)
    expected = truth(rows)
    comparison = labelled(assay, rows).json("compare", "a", "b")

    assert comparison["pairs"]["questions"] == expected["questions"]
    assert {name: comparison["pairs"][name] for name in CELLS} == {name: expected[name] for name in CELLS}
    assert len(comparison["broke"]) == expected["only_first"]
    assert len(comparison["mended"]) == expected["only_second"]
    assert all(is_pair(pair) for pair in (*comparison["broke"], *comparison["mended"]))
    assert len({pair["question_key"] for pair in comparison["broke"]}) == len(comparison["broke"])


@pytest.mark.slow
def test_groups_are_named_apart_and_widen_the_interval(assay: Assay, tmp_path: Path) -> None:
    """The same labels: as one conversation each they tell less than as questions by themselves."""
    rows = conversations(count=30)
    comparison = labelled(assay, rows).json("compare", "a", "b")
    alone = Assay(tmp_path / "alone", tmp_path / "alone" / "assay.db")
    alone.folder.mkdir()
    apart = labelled(alone, [{k: v for k, v in row.items() if k != "group"} for row in rows]).json("compare", "a", "b")

    widths = [each["difference"]["high"] - each["difference"]["low"] for each in (comparison, apart)]
    assert widths[0] > 1.1 * widths[1]
    assert comparison["difference"]["estimate"] == apart["difference"]["estimate"]
    assert "clustered by group" in comparison["difference"]["method"]
    question = comparison["broke"][0]
    assert question["question_key"].startswith("question-")
    assert all(group.startswith("talk ") for group in question["groups"])


@pytest.mark.slow
@pytest.mark.parametrize("with_group", [True, False], ids=["conversations as groups", "no groups"])
def test_a_drawn_question_has_both_answers_and_no_other_turn(assay: Assay, *, with_group: bool) -> None:
    """`compare --draw` draws turns, not conversations: every question that is drawn is drawn whole."""
    rows = conversations(with_group=with_group)
    said = loaded(assay, rows).json("compare", "a", "b", "--draw", "20", "--seed", "1")

    assert said["questions"] == truth(rows)["questions"]
    drawn = Counter(row[0] for row in assay.sql("SELECT i.question FROM draws d JOIN items i ON i.key = d.item"))
    whole = Counter(row[0] for row in assay.sql("SELECT question FROM items"))
    assert drawn
    assert all(whole[key] == count for key, count in drawn.items())
    assert len(drawn) < len(whole)


@pytest.mark.slow
def test_three_systems_are_ranked_over_their_questions(assay: Assay) -> None:
    """The questions that all share are those of the file."""
    rows = conversations(("a", "b", "c"))
    for row in rows:
        row["id"] = str(row["id"]).replace("c-", "b2-") if row["system"] == "c" else row["id"]
    labelled(assay, rows)
    comparison = assay.json("compare", "a", "b", "c")
    assert comparison["questions"] == truth(rows)["questions"]


@pytest.mark.slow
@pytest.mark.parametrize("count", [1, 2], ids=["one conversation", "two"])
def test_one_conversation_tells_nothing_of_the_long_run(assay: Assay, count: int) -> None:
    """Five turns of one conversation give no long-run interval, no yes, and a reason with what would do."""
    rows = [row for row in conversations(count=10) if str(row["id"]).split("-")[1] in ("1", "2")[:count]]
    labelled(assay, rows)
    report = assay.json("report")
    compared = assay.json("compare", "a", "b")
    if count == 1:
        assert report["correctness"].get("long_run") is None
        assert report["correctness_long_run"]["estimate"] is None
        assert "independent conversations" in report["correctness_long_run"]["reason"]
        assert compared["difference"]["low"] is None
        assert "independent conversations" in compared["difference"]["reason"]
    else:
        assert report["correctness_long_run"]["low"] is not None


def chances(assay: Assay) -> dict[str, float]:
    """The chance of each labelled pair of a and b that both its answers have a label, by question."""
    store = Store(assay.db)
    key, rule = rule_in_force(store)
    sides = Selection(system="a"), Selection(system="b")
    by_question = {
        pair.question: pair.chance
        for pair in pairs_of(store, ground(store, key, rule, scores_itself=False), sides).shared.pairs
    }
    store.close()
    return by_question


@pytest.mark.slow
def test_what_an_earlier_version_drew_by_group_keeps_its_chances(assay: Assay) -> None:
    """One lot a group: both answers of a pair at that chance where they share the group, else each by itself."""
    rows = conversations()
    loaded(assay, rows)("compare", "a", "b", "--draw", "40", "--seed", "1")
    drawn = {row[0] for row in assay.sql("SELECT i.id FROM draws d JOIN items i ON i.key = d.item")}
    assay("labels", "import", assay.write("labels.jsonl", labels([row for row in rows if row["id"] in drawn])))
    framed = dict(
        assay.sql("SELECT i.question, max(f.probability) FROM frames f JOIN items i ON i.key = f.item GROUP BY 1")
    )
    by_question = chances(assay)
    assert by_question
    assert by_question == pytest.approx({key: framed[key] for key in by_question})

    assay.sql("UPDATE waves SET is_by_group = 1")
    assay.sql('UPDATE draws SET lot = (SELECT "group" FROM items WHERE key = item)')
    same = chances(assay)
    opening = {
        row[0] for row in assay.sql('SELECT question FROM items GROUP BY question HAVING count(DISTINCT "group") > 1')
    }
    assert {key: same[key] for key in same if key not in opening} == pytest.approx(
        {key: framed[key] for key in same if key not in opening}
    )

    assay.sql('UPDATE items SET "group" = system || \' \' || "group"')
    assert {key: chance for key, chance in chances(assay).items() if key not in opening} == pytest.approx(
        {key: framed[key] ** 2 for key in by_question if key not in opening}
    )


@pytest.mark.slow
def test_roles_of_the_gold_set_keep_a_question_and_a_conversation_whole(assay: Assay) -> None:
    """Every turn of a conversation has one role, and so has a question; "Tell me more" alone binds no conversations."""
    rows = [row for row in conversations(("a",), 40) if int(str(row["id"]).split("-")[1]) % 4]
    loaded(assay, rows)("sample", "--labels", str(len(rows)), "--all-passed")
    said = [{**label, "reference": f"The reference of {label['item_id']}."} for label in labels(rows)]
    assay("labels", "import", assay.write("labels.jsonl", [{**label, "label": "wrong"} for label in said]))
    assay("gold", "accept", "--all")
    assay("gold", "release", "v1", "--test", "0.4", "--calibration", "0.3", "--examples", "0.3")
    roles = assay.sql('SELECT i."group", i.question, g.role FROM gold g JOIN items i ON i.key = g.item')
    for place in (0, 1):
        of = {row[place]: {role[2] for role in roles if role[place] == row[place]} for row in roles}
        assert all(len(roles) == 1 for roles in of.values())
    assert {row[2] for row in roles} == {"test", "calibration", "examples"}
