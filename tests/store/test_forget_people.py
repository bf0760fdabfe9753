"""Forgetting people: one pseudonym for the name in every table, no reason left, the chain of events valid, nothing brought back."""

from __future__ import annotations

import json
from typing import Any

import pytest

from annotate.domain.annotation import Annotation
from annotate.domain.gold import GoldSource
from annotate.store import Store
from annotate.store.audit.tombstones import FORGOTTEN, Tombstones
from annotate.store.engine.database import from_column
from annotate.workflow.gold import writing
from annotate.workflow.gold.review import Actor
from proxy.records import Judgement
from support.canaries import CANARIES, left, measured
from support.store import NASTY, NOW, Assay, add, item, label, traffic_row


@pytest.mark.slow
def test_a_name_is_replaced_by_one_pseudonym_everywhere(used: Assay) -> None:
    """Annotations, labels and the gold set agree on the pseudonym; reasons are gone, references stay; no number changes."""
    name = CANARIES["annotator"]
    before = measured(used)

    told = used.json("forget", "--yes", "--annotator", name)

    pseudonym = told["pseudonym"]
    assert pseudonym.startswith("forgotten-")
    assert left(used, "annotator", "rationale", "why") == set()
    assert left(used, "reference", "written") == {"reference", "written"}
    after = json.loads(json.dumps(measured(used)).replace(pseudonym, name))
    assert after == json.loads(json.dumps(before))
    assert used.sql("SELECT annotator, count(*) FROM annotations GROUP BY 1 ORDER BY 1") == [("bob", 6), (pseudonym, 3)]
    assert (f"bob, {pseudonym}",) in used.sql("SELECT annotator FROM labels")
    assert {row[0] for row in used.sql("SELECT annotator FROM gold WHERE source = 'written by an annotator'")} == {
        pseudonym
    }
    assert (told["annotations"], told["rationales"], told["references"], told["references_blanked"]) == (3, 2, 2, 0)
    assert used.json("doctor")["problems"] == []


@pytest.mark.slow
def test_with_references_what_the_person_wrote_goes_too(used: Assay) -> None:
    """Blank in annotations, labels and the gold set, whose entries are retired; also when the name was forgotten before."""
    first = used.json("forget", "--yes", "--annotator", CANARIES["annotator"])

    told = used.json("forget", "--yes", "--annotator", CANARIES["annotator"], "--references")

    assert told["pseudonym"] == first["pseudonym"]
    assert left(used, "annotator", "rationale", "why", "reference", "written") == set()
    assert told["references_blanked"] == 2
    written = "SELECT DISTINCT status, reference FROM gold WHERE source = 'written by an annotator'"
    assert used.sql(written) == [("retired", FORGOTTEN)]


@pytest.mark.slow
def test_who_acted_is_forgotten_in_the_events_and_the_chain_holds(
    assay: Assay, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The operator forgets herself: the events keep her key, the name behind it is a pseudonym, and no byte has it."""
    monkeypatch.setenv("ASSAY_USER", CANARIES["person"])
    assay("ingest", assay.write("traffic.jsonl", [traffic_row("a")]))
    assay("gold", "add", "a", "--reference", "Upstairs.")

    pseudonym = assay.json("forget", "--yes", "--annotator", CANARIES["person"])["pseudonym"]

    assert left(assay, "person") == set()
    assert {event["who"] for event in assay.json("events")["events"]} == {pseudonym}
    assert assay.json("doctor")["problems"] == []
    assert assay.sql("SELECT DISTINCT who FROM gold_revisions") == [(pseudonym,)]


def annotation(**changes: Any) -> Annotation:
    """An annotation as a pull brings it."""
    given: dict[str, Any] = {
        **{"source": "label-studio:1", "id": "1", "item_id": "b", "annotator": "bob", "judgement": Judgement.WRONG},
        **{"reference": "R", "rationale": "because", "causes": ("other",), "harm": "minor", "seconds": 2.0, "at": NOW},
    }
    return Annotation(**given | changes)


@pytest.mark.slow
def test_a_later_pull_brings_nothing_back(used: Assay) -> None:
    """What comes after forgetting is cleaned: the pseudonym for the name, no reason, no text on a forgotten item."""
    name = CANARIES["annotator"]
    used("forget", "--yes", "--item", "a")
    pseudonym = used.json("forget", "--yes", "--annotator", name)["pseudonym"]
    store = Store(used.db)
    clean = Tombstones(store._db).cleaned

    assert clean(annotation()) == annotation()
    assert clean(annotation(annotator=name)) == annotation(annotator=pseudonym, rationale=None)
    assert clean(annotation(annotator=pseudonym)) == annotation(annotator=pseudonym, rationale=None)
    assert clean(annotation(edited_by=name)) == annotation(edited_by=pseudonym)
    assert clean(annotation(item_id="a")) == annotation(item_id="a", rationale=None, reference=None)
    store.close()
    used("forget", "--yes", "--annotator", name, "--references")
    store = Store(used.db)
    assert Tombstones(store._db).cleaned(annotation(annotator=name)) == annotation(
        annotator=pseudonym, rationale=None, reference=None
    )
    store.close()


@pytest.mark.slow
def test_only_tasks_that_the_person_annotated_there_are_listed(used: Assay) -> None:
    """All labels came from a file, but for that on b in project 3: its task there is named, no other, also in a dry run."""
    name = CANARIES["annotator"]
    draws = dict(used.sql("SELECT i.id, d.key FROM draws d JOIN items i ON i.key = d.item"))
    for task, item_id, project in ((41, "a", 3), (42, "b", 3), (43, "b", 4)):
        used.sql(
            "INSERT INTO tasks (draw, server, project, state, task_id, at) "
            f"VALUES ({draws[item_id]}, 'http://ls', {project}, 'confirmed', {task}, 'now')"
        )
    used.sql(
        "INSERT INTO annotations (source, id, item, draw, annotator, judgement, causes, is_deleted, received_at) "
        f"SELECT 'label-studio:http://ls:3', '7', item, key, '{name}', 'right', '[]', 0, 'now' FROM draws "
        f"WHERE key = {draws['b']}"
    )
    expected = [{"server": "http://ls", "project": 3, "task_id": 42}]

    assert used.json("forget", "--annotator", name, "--dry-run")["tasks"] == expected
    assert used.json("forget", "--yes", "--annotator", name)["tasks"] == expected


@pytest.mark.slow
def test_the_name_itself_is_not_kept_to_know_it_again(used: Assay) -> None:
    """The tombstone is a salted hash: two stores have another one for the same name."""
    used("forget", "--yes", "--annotator", "bob")
    second = Assay(used.folder, used.folder / "other.db")
    second("ingest", "traffic.jsonl")
    second("labels", "import", used.write("one.jsonl", [label("b", "right", "bob")]))
    second("forget", "--yes", "--annotator", "bob")

    kept, others = (each.sql("SELECT digest FROM forgotten WHERE kind = 'annotator'") for each in (used, second))

    assert kept != others
    assert "bob" not in json.dumps(used.sql("SELECT * FROM forgotten"))


@pytest.mark.slow
def test_only_whole_names_are_replaced(used: Assay) -> None:
    """`Lee, Ann` is another person than `Ann`, also where a label names both, and the text of others that says ann stays."""
    rows = [
        label("b", "right", "Lee, Ann"),
        label("b", "right", "Ann", rationale="mine"),
        label("c", "wrong", "Lee, Ann", rationale="Ann said so", reference="Ann's room"),
    ]
    used("labels", "import", used.write("more.jsonl", rows))

    pseudonym = used.json("forget", "--yes", "--annotator", "Ann")["pseudonym"]

    kept = {row[0] for row in used.sql("SELECT annotator FROM annotations")}
    assert {"Lee, Ann", pseudonym, "bob"} <= kept
    assert "Ann" not in kept
    assert any("Lee, Ann" in row[0] and pseudonym in row[0] for row in used.sql("SELECT annotator FROM labels"))
    assert used.sql("SELECT rationale FROM annotations WHERE annotator = 'Lee, Ann' AND rationale IS NOT NULL") == [
        ("Ann said so",)
    ]


@pytest.mark.parametrize("name", [NASTY, "李 雷", "a'; DROP TABLE people; --", "x%_*?[", "ann"])
def test_any_name_can_be_forgotten(store: Store, name: str) -> None:
    """Also one that UTF-8 cannot hold, or that SQL or a pattern would read otherwise: acted, wrote and accepted under it."""
    add(store, item("a"), item("b", question="And b?"))
    with store.atomic(durable=True):
        for row, who in ((1, name), (2, f"{name}e")):
            writing.write(store, [row], "Upstairs.", GoldSource.COMMAND, Actor(who, NOW))
        store.audit.events.append("gold add", {}, who=name, now=NOW)

    done, left = store.audit.forgetting.forget_annotator(name, references=True, why=None, who="bob", now=NOW)

    query = "SELECT annotator FROM gold UNION SELECT who FROM gold_revisions UNION SELECT name FROM people"
    kept = {from_column(row[0]) for row in store._db.conn.execute(query)}
    assert kept == {done.pseudonym, f"{name}e", "bob"}
    assert [entry.reference for entry in store.gold.entries()] == [FORGOTTEN, "Upstairs."]
    assert done.references_blanked == 1
    assert left is None
    assert store.check() == []


@pytest.mark.slow
def test_a_reference_that_somebody_took_over_goes_with_its_writer(
    assay: Assay, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Who adjudicated the item chose ann's reference: it is blank in the adjudication too, whose own reason stays."""
    assay("ingest", assay.write("traffic.jsonl", [traffic_row("a")]))
    rows = [label("a", "wrong", "ann", reference=CANARIES["written"]), label("a", "right", "bob")]
    assay("labels", "import", assay.write("labels.jsonl", rows))
    monkeypatch.setenv("ASSAY_USER", "judge")
    words = ("--label", "wrong", "--why", "Read it again.", "--reference", CANARIES["written"])
    assay("labels", "adjudicate", "a", *words)

    assay("forget", "--yes", "--annotator", "ann", "--references")

    assert left(assay, "written") == set()
    assert assay.sql("SELECT annotator, rationale FROM annotations WHERE source = 'adjudication'") == [
        ("judge", "Read it again.")
    ]
