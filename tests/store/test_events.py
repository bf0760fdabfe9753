"""The log of what people do: only added to, one chain whoever writes, people by a key, never a text of an item."""

from __future__ import annotations

import ast
import json
import sqlite3
from hashlib import sha256

import pytest
from click.testing import CliRunner

from annotate.cli import main
from annotate.domain.complaints import ComplaintState
from annotate.store import Store
from annotate.store.engine import chain
from annotate.store.engine.database import from_column
from annotate.workflow.gold import near_duplicates
from annotate.workflow.gold.review import Actor
from annotate.workflow.labelling import complaints, decisions, second_reading
from support.canaries import CANARIES, canaried
from support.endpoint import Endpoint
from support.model import asked, quick
from support.store import NASTY, NOW, ROOT, Assay, label, traffic_row


def append(store: Store, number: int, who: str = "ann") -> None:
    """One event."""
    with store.atomic():
        store.audit.events.append("ingest", {"file": NASTY, "n": number}, who=who, now=NOW)


def test_each_event_carries_the_hash_of_the_one_before(store: Store) -> None:
    """The chain written out by hand: SHA-256 over the JSON list of the hash before and the event's own columns."""
    for number in range(3):
        append(store, number)

    before = ""
    rows = store._db.conn.execute("SELECT sequence, at, who, what, detail, hash FROM events ORDER BY 1").fetchall()
    for place, (sequence, at, who, what, detail, digest) in enumerate(rows):
        assert sequence == place + 1
        assert json.loads(detail) == {"file": NASTY, "n": place}
        before = sha256(json.dumps([before, at, who, what, detail]).encode()).hexdigest()
        assert digest == before
    assert store.audit.events.head() == (3, before)
    assert chain.fault(store._db) is None


@pytest.mark.parametrize("change", ["UPDATE events SET at = 'x'", "DELETE FROM events"])
@pytest.mark.parametrize("table", ["events", "releases", "release_entries"])
def test_nothing_changes_an_event_or_a_release(store: Store, change: str, table: str) -> None:
    """SQLite itself refuses, whoever asks."""
    append(store, 1)
    execute = store._db.conn.execute
    execute(
        "INSERT INTO gold (gold_id, reference, status, source, updated_at) VALUES ('g', 'r', 'accepted', 's', 'now')"
    )
    execute(
        "INSERT INTO gold_revisions (gold_id, reference, status, source, who, at) VALUES ('g', 'r', 'a', 's', 'w', 'n')"
    )
    execute("INSERT INTO releases VALUES ('v1', 'now', 'ann', 'hash', 1)")
    execute("INSERT INTO release_entries VALUES ('v1', 'g', 1, 'hash', NULL, 0)")
    column = {"events": "at", "releases": "at", "release_entries": "role"}[table]

    with pytest.raises(sqlite3.IntegrityError, match=f"{table} are never changed"):
        execute(change.replace("events", table).replace("SET at", f"SET {column}"))

    assert chain.fault(store._db) is None


@pytest.mark.parametrize("who", ["ann", "", NASTY, "x" * 10_000, "李 雷", "a'; DROP TABLE people; --"])
def test_a_person_has_one_key_and_gets_the_name_back(store: Store, who: str) -> None:
    """Any name that a system may give, also one that UTF-8 cannot hold; the key says nothing of it."""
    append(store, 1, who)
    append(store, 2, who)

    [(key,)] = store._db.conn.execute("SELECT DISTINCT who FROM events")
    assert key.startswith("p-")
    assert store._db.conn.execute("SELECT count(*) FROM people").fetchone() == (1,)
    assert from_column(store._db.conn.execute("SELECT name FROM people WHERE key = ?", (key,)).fetchone()[0]) == who
    assert store.audit.events.all()[0].who.encode("utf-8", "replace") or who == ""
    assert chain.fault(store._db) is None


def test_a_transaction_that_fails_leaves_no_event(store: Store) -> None:
    """An event stands or falls with what it tells, its end of the chain too."""
    append(store, 1)
    with pytest.raises(ValueError, match="JSON compliant"), store.atomic():  # noqa: PT012 (the first is undone by the second)
        store.audit.events.append("ingest", {}, who="bob", now=NOW)
        store.audit.events.append("ingest", {"n": float("nan")}, who="bob", now=NOW)

    assert store.audit.events.head().number == 1
    assert [event.who for event in store.audit.events.all()] == ["ann"]
    assert chain.fault(store._db) is None


def test_the_command_lists_the_log(assay: Assay) -> None:
    """Who did what, oldest first; --last gives the newest."""
    assay("ingest", assay.write("t.jsonl", [traffic_row("a")]))
    assay("rule", "set", "faithfulness > 0.5")

    told = assay.json("events")["events"]

    assert [(event["number"], event["who"], event["what"]) for event in told] == [
        (1, "tester", "ingest"),
        (2, "tester", "rule set"),
    ]
    assert told[0]["detail"]["added"] == 1
    assert [event["number"] for event in assay.json("events", "--last", "1")["events"]] == [2]
    assert assay("events").stdout.startswith("2 events.\n")


def lived_in(assay: Assay) -> None:
    """A store on which every command that logs was run, but for those that need a Label Studio; a canary in each text."""
    c = CANARIES
    own = f"{c['person']}.jsonl"  # a file's name may be a person's, and the chain keeps it for ever
    assay("ingest", assay.write(own, [canaried(name) for name in "abcdefgh"]))
    words = {"comment": c["comment"], "correction": c["correction"]}
    thumbs = [{"item_id": name, "value": -1, **words} for name in ("a", "lost")]
    assay("feedback", assay.write(own, thumbs))
    assay("rule", "set", "faithfulness > 0.5")
    assay("judge")
    with quick(), Endpoint() as endpoint:
        assay.json(*asked(endpoint))
    scores = [{"item_id": "a", "judge": "other", "value": 0.5, "reason": c["reason"]}]
    assay("scores", "import", assay.write(own, scores))
    assay("sample", "--labels", "8", "--seed", "1")
    assay("draws", "export", own)
    rows = [
        label("a", "wrong", c["annotator"], reference=c["reference"], rationale=c["rationale"]),
        label("b", "right", c["annotator"], rationale=c["rationale"]),
        label("b", "wrong", "bob", rationale="no"),
        label("c", "wrong", "bob"),
        label("e", "right", "bob"),
        {"item_id": "a", "label": c["rationale"], "annotator": c["annotator"]},
    ]
    assay("labels", "import", assay.write(own, rows), status=4)
    assay("quarantine", "--dismiss", "--reason", c["rationale"])
    assay("labels", "adjudicate", "b", "--label", "right", "--why", c["why"])
    in_the_app(assay)
    assay("sample", "--stream", "--rate", "0.5")
    assay("sample", "--close")
    assay("scores", "export", "otlp:scores.jsonl")
    assay("calibrate", "--precision", "0.3", "--share", "1", "--seed", "2")  # by these lots no label is left out
    imported = [{"question": c["question"] + " for all?", "reference": c["written"]}]
    assay("gold", "import", assay.write(own, imported))
    assay("gold", "policy", "--traffic-references")
    assay("gold", "add", "c", "--reference", c["written"])
    ids = [row["gold_id"] for row in assay.json("gold", "list")["gold"]]
    assay("gold", "accept", *ids)
    assay("gold", "edit", ids[0], "--reference", c["written"] + " now", "--why", c["why"])
    assay("gold", "mark", ids[0], "--knowledge-base-lacks")
    assay("gold", "release", "v1", "--with-doubts")
    assay("labels", "import", assay.write("again.jsonl", [label("e", "wrong", "bob", at="2026-11-30T08:00:00Z")]))
    flagged = [row["gold_id"] for row in assay.json("gold", "list")["gold"] if row["flag"]]
    assay("gold", "keep", flagged[0], "--why", c["why"])
    assay("gold", "retire", ids[1], "--why", c["why"])
    assay(
        "ingest", assay.write("new.jsonl", [canaried(name) | {"id": f"new-{name}", "system": "new"} for name in "abce"])
    )
    CliRunner().invoke(main, ["gold", "check", "--system", "new", "--role", "all", "--db", str(assay.db)])


def in_the_app(assay: Assay) -> None:
    """What only the app does, by the same person."""
    store, person = Store(assay.db), CANARIES["person"]
    decisions.name_causes(store, "c", ("other",), seen=(), who=person, now=NOW)
    second_reading.ask(store, "c", who=person, now=NOW)
    [complaint] = store.traffic.complaints.page(ComplaintState.UNKNOWN, start=0, size=9)
    complaints.set_aside(store, complaint, CANARIES["why"], who=person, now=NOW)
    pair = [near_duplicates.Seen(entry.gold_id, entry.revision) for entry in store.gold.entries()[:2]]
    near_duplicates.keep_both(store, pair, Actor(person, NOW), why=CANARIES["why"])
    store.close()


RUN_ABOVE = {
    *("ingest", "feedback", "judge", "scores import", "rule set", "sample", "draws export", "labels import"),
    *(
        "labels adjudicate",
        "labels cause",
        "labels second annotator",
        "feedback aside",
        "calibrate",
        "gold import",
        "policy",
        "gold add",
        "gold accepted",
        "gold keep both",
        "gold edit",
        "gold mark",
        "gold release",
    ),
    *("quarantine dismiss", "stream opened", "stream closed", "scores export"),
    *("gold keep", "gold retired", "gold check", "backup", "forget items", "forget annotator"),
}
# What the store writes of its own accord, where a transaction wrote rows after its last event.
BY_ITSELF = {"seal"}
# What needs a Label Studio or a server: these hold counts, numbers of projects and waves, and names of stages.
RUN_ELSEWHERE = {"push", "pull", "run", "stream"}
# What needs a table of masking, or a key in an address: test_masking_policy.py looks for names and keys in them.
# A rule is learned from 80 labels on: test_learned_rule.py looks at its words.
# Judges are trained on references: test_trained_judges.py looks at what their event says.
# A draft is asked of a model: test_model_drafts.py holds all that its event says.
# Questions are built where passages hold plain facts: test_questions.py holds that their event has counts alone.
# Servers move and are joined where there are some: test_server_identity.py holds all that these events say.
# Judges are aligned by a model: test_alignment.py holds all that these events say.
# Traffic lies in a lake where somebody says so: test_lake_store.py holds all that this event says.
LOOKED_AT_THERE = {
    *("masking", "keys removed", "rule learned", "model draft", "judges trained", "questions build"),
    *("server moved", "servers joined", "diagnose probe", "lake"),
    *("judge aligned", "judge alignment undone", "judge guidelines saved"),
    *("judge score mapped", "judge score map undone"),
}


@pytest.mark.slow
def test_no_text_and_no_name_stands_in_an_event_or_a_release(assay: Assay, monkeypatch: pytest.MonkeyPatch) -> None:
    """After every command that logs, run by somebody whose name is a canary, from files of that name: ids, counts and hashes alone."""
    monkeypatch.setenv("ASSAY_USER", CANARIES["person"])
    lived_in(assay)
    assay("backup")
    assay("forget", "--yes", "--item", "d", "--why", CANARIES["why"])
    assay("forget", "--yes", "--annotator", CANARIES["annotator"], "--references", "--why", CANARIES["why"])

    kept = {
        table: json.dumps(assay.sql(f"SELECT * FROM {table}"), default=repr)
        for table in ("events", "event_head", "releases", "release_entries", "seals")
    }

    assert {row[0] for row in assay.sql("SELECT what FROM events")} == RUN_ABOVE | BY_ITSELF
    leaks = {(table, name) for table, text in kept.items() for name, canary in CANARIES.items() if canary in text}
    assert leaks == set()
    assert assay.sql("SELECT count(*) > 2 FROM release_entries") == [(1,)]
    assert assay.json("doctor")["problems"] == []


@pytest.mark.slow
def test_every_event_that_is_logged_was_looked_at_above() -> None:
    """Each call of `append` on the events in the source: whoever adds a kind of event runs it above with canaries."""
    constants: dict[str, str] = {}
    kinds: set[str] = set()
    parsed = {path: [*ast.walk(ast.parse(path.read_text()))] for path in (ROOT / "annotate").rglob("*.py")}
    for path, nodes in parsed.items():
        for node in nodes:
            if (
                isinstance(node, ast.Assign)
                and isinstance(node.value, ast.Constant)
                and isinstance(node.value.value, str)
            ):
                constants |= {f"{path.stem}.{ast.unparse(target)}": node.value.value for target in node.targets}
                constants |= {f"{path}:{ast.unparse(target)}": node.value.value for target in node.targets}
    for path, nodes in parsed.items():
        for node in nodes:
            if isinstance(node, ast.ImportFrom) and node.module:
                home = ROOT.joinpath(*node.module.split(".")).with_suffix(".py")
                constants |= {
                    f"{path}:{system.asname or system.name}": constants[f"{home}:{system.name}"]
                    for system in node.names
                    if f"{home}:{system.name}" in constants
                }
    for path, nodes in parsed.items():
        for node in nodes:
            if isinstance(node, ast.Call) and ast.unparse(node.func).lower().endswith(
                ("events.append", "events(self._db).append", "events(db).append")
            ):
                what = node.args[0]
                name = ast.unparse(what)
                kinds.add(
                    what.value
                    if isinstance(what, ast.Constant)
                    else constants.get(name, constants.get(f"{path}:{name}", name))
                )
    kinds = {
        kind
        for event_kind in kinds
        for kind in (("gold accepted", "gold retired") if event_kind == "f'gold {status}'" else (event_kind,))
    }

    assert kinds == RUN_ABOVE | RUN_ELSEWHERE | LOOKED_AT_THERE
