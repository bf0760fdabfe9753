"""Tables of scores without an id find their items by what they repeat of them, under names of their own too."""

from __future__ import annotations

from typing import Any

import pytest

from support.store import Assay, read, traffic_row

MAPPED = ("--map", "question=Frage", "--map", "answer=Antwort")


def values(assay: Assay) -> set[tuple[str, str, float | None]]:
    assay("scores", "export", "kept.jsonl")
    return {(row["item_id"], row["judge"], row["value"]) for row in read(assay.folder / "kept.jsonl")}


def repeated(name: str, **changes: object) -> dict[str, Any]:
    row = traffic_row(name)
    return {"Frage": row["question"], "Antwort": row["answer"], **changes}


LONG = [repeated("a", judge="own", value=0.25), repeated("b", judge="own", value=0.5)]
WIDE = [repeated("a", faithfulness=0.25), repeated("b", faithfulness=0.5)]


@pytest.mark.parametrize(("rows", "judge"), [(LONG, "own"), (WIDE, "faithfulness")], ids=["long", "wide"])
def test_a_row_without_an_id_finds_its_item_by_question_and_answer(
    loaded: Assay, rows: list[dict[str, Any]], judge: str
) -> None:
    """Also where the item has an id, a time and passages that the table does not have; the same again adds nothing."""
    file = loaded.write("s.jsonl", rows)

    done, again = loaded.json("scores", "import", file, *MAPPED), loaded.json("scores", "import", file, *MAPPED)

    assert (done["new"], done["quarantined"], done["scores_without_item"]) == (2, 0, 0)
    assert (again["new"], again["quarantined"]) == (0, 0)
    assert values(loaded) == {("a", judge, 0.25), ("b", judge, 0.5)}


@pytest.mark.parametrize("judge", [{"judge": "own", "value": 0.25}, {"faithfulness": 0.25}], ids=["long", "wide"])
def test_our_own_names_need_no_option(loaded: Assay, judge: dict[str, object]) -> None:
    """A table that repeats question and answer, and names its rows in no way."""
    row = {"question": "Where is  room A?", "answer": "Room a is on the ground floor.", **judge}

    assert loaded.json("scores", "import", loaded.write("s.jsonl", [row]))["new"] == 1
    assert {item for item, *_ in values(loaded)} == {"a"}


@pytest.mark.slow
@pytest.mark.parametrize("judge", [{"judge": "own", "value": 0.25}, {"faithfulness": 0.25}], ids=["long", "wide"])
def test_a_row_that_may_be_of_several_items_is_quarantined(assay: Assay, judge: dict[str, object]) -> None:
    """Two systems gave one answer: which is meant, the table says with the system or with other passages."""
    rows = [traffic_row("a", id=f"{system}-a", system=system) for system in ("x", "y")]
    rows += [traffic_row("a", id="z-a", system="y", contexts=["Room a is elsewhere."])]
    assay("ingest", assay.write("t.jsonl", [*rows, traffic_row("b")]))
    table = [repeated("a", **judge), repeated("a", bot="x", **judge), repeated("b", **judge)]
    table += [repeated("a", bot="y", passages=["Room a is elsewhere."], **judge)]

    done = assay.json(
        *("scores", "import", assay.write("s.jsonl", table), *MAPPED),
        *("--map", "system=bot", "--map", "contexts=passages"),
        status=4,
    )

    assert (done["new"], done["quarantined"]) == (3, 1)
    assert {item for item, *_ in values(assay)} == {"x-a", "z-a", "b"}
    assert "3 items have this question and answer" in assay.quarantine()[0]["reason"]


def test_a_conversation_is_part_of_what_was_asked(assay: Assay) -> None:
    """The same words after another conversation are another question."""
    before = [{"role": "user", "content": "About room b."}, {"role": "assistant", "content": "Yes?"}]
    assay("ingest", assay.write("t.jsonl", [traffic_row("a"), traffic_row("a", id="later", history=before)]))
    table = [repeated("a", judge="own", value=0.25), repeated("a", judge="own", value=0.5, turns=before)]

    assay("scores", "import", assay.write("s.jsonl", table), *MAPPED, "--map", "history=turns")

    assert values(assay) == {("a", "own", 0.25), ("later", "own", 0.5)}


@pytest.mark.parametrize("judge", [{"judge": "own", "value": 0.25}, {"faithfulness": 0.25}], ids=["long", "wide"])
def test_an_answer_that_is_not_here_is_said(loaded: Assay, judge: dict[str, object]) -> None:
    """It goes to quarantine, and leaves it once its traffic is here."""
    file = loaded.write("s.jsonl", [repeated("a", **judge), repeated("new", **judge)])

    done = loaded.json("scores", "import", file, *MAPPED, status=4)
    assert (done["new"], done["quarantined"]) == (1, 1)
    assert "ingest its traffic first" in loaded.quarantine()[0]["reason"]

    loaded("ingest", loaded.write("t.jsonl", [traffic_row("new")]))
    done = loaded.json("scores", "import", file, *MAPPED)
    assert (done["new"], done["repaired"]) == (1, 1)


def test_an_id_of_the_row_comes_first(loaded: Assay) -> None:
    """Whatever its texts are."""
    row = repeated("a", item_id="b", judge="own", value=0.25)
    loaded("scores", "import", loaded.write("s.jsonl", [row]), *MAPPED)
    assert values(loaded) == {("b", "own", 0.25)}


def test_a_number_of_the_row_is_no_id_where_the_content_is_named(assay: Assay) -> None:
    """Beside items that are numbered as well."""
    assay("ingest", assay.write("t.jsonl", [traffic_row("1"), traffic_row("2")]))
    assay("scores", "import", assay.write("s.jsonl", [repeated("1", id="2", faithfulness=0.25)]), *MAPPED)
    assert values(assay) == {("1", "faithfulness", 0.25)}


def test_an_option_that_leads_to_nothing_stops_the_import(loaded: Assay) -> None:
    """As for every other field."""
    said = loaded("scores", "import", loaded.write("s.jsonl", LONG), "--map", "question=Fragen", status=1).stderr
    assert "--map question=Fragen leads to nothing" in said
