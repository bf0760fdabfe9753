"""Rows that figures rest on are covered by the chain of events: each kind of change behind it is found and named."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing, suppress
from hashlib import sha256

import numpy as np
import pytest
from click.testing import CliRunner

from annotate.cli import main
from annotate.domain.sampling.proposal import ProposalRequest
from annotate.store import Store
from annotate.workflow.sampling.draw import draw_wave
from support.private import NAMES, private
from support.store import LATER, NOW, Assay, jsonl, kept, traffic_row
from support.wave_frames import with_renumbered

pytestmark = pytest.mark.usefixtures("step_by_step")


@kept
def lived(assay: Assay) -> Assay:
    """A store with a wave, annotations of several people, labels, gold entries and a policy."""
    store = Store(assay.db)
    private(store)
    with store.atomic():
        store.labels.name_causes(1, None, ["retrieval missed"], who=NAMES[0], now=NOW)
        store.gold.answers.note(store.gold.entries()[0].gold_id, [2], [], note=None, who=NAMES[0], now=NOW)
    store.close()
    assert assay.json("doctor")["problems"] == []
    return assay


def behind(assay: Assay, script: str) -> None:
    """Write to the file without Assay."""
    with closing(with_renumbered(sqlite3.connect(assay.db))) as connection:
        for table in ("events", "releases", "release_entries"):
            for change in ("update", "delete"):
                connection.execute(f"DROP TRIGGER {table}_{change}")
        before = connection.total_changes
        connection.executescript(script)
        assert connection.total_changes > before, script


def problems(assay: Assay, *more: str) -> list[str]:
    """What the doctor finds, but for the guards that were taken away."""
    result = CliRunner().invoke(main, ["doctor", "--json", *more, "--db", str(assay.db)])
    listed = json.loads(result.stdout)["problems"]
    assert result.exit_code == bool(listed)
    return [problem for problem in listed if not problem.startswith("the guard")]


TAMPERED = {
    "UPDATE draws SET inclusion_probability = inclusion_probability / 2 WHERE key = 3": "wave 1: draw 3 (item ",
    "UPDATE draws SET stratum = 'other' WHERE key = 3": "wave 1: draw 3",
    "DELETE FROM draws WHERE key = 24": "wave 1: draw 24",
    "UPDATE draws SET item = 999 WHERE key = 24": "wave 1: draw 24",
    "UPDATE strata SET size = size + 1": "wave 1: the wave with its strata",
    "UPDATE waves SET seed = 7": "wave 1: the wave with its strata",
    "UPDATE frame_strata SET stratum = 'other' WHERE number = 1": "the definition of the frame of wave 1",
    "UPDATE frame_definitions SET content = X'00'": "wave 1: the frame",
    "DELETE FROM frame_definitions": "wave 1: the frame",
    "UPDATE annotations SET judgement = 'unsure' WHERE sequence = 2": "annotation 2 (of item ",
    "UPDATE annotations SET annotator = 'x' WHERE sequence = 2": "annotation 2 (of item ",
    "UPDATE annotations SET is_deleted = 1 WHERE sequence = 2": "annotation 2 (of item ",
    "DELETE FROM annotations WHERE sequence = 2": "annotation 2 (of item ",
    "INSERT INTO annotations (source, id, item, annotator, judgement, causes, is_deleted, received_at) "
    "VALUES ('s', 'i', 1, 'x', 'right', '[]', 0, 'now')": "(of item ",
    "UPDATE labels SET judgement = 'right' WHERE rowid = (SELECT rowid FROM labels WHERE judgement != 'right')": "the label of",
    "UPDATE labels SET basis = 'adjudicated' WHERE rowid = 1": "the label of item ",
    "DELETE FROM labels WHERE rowid = 1": "the label of item ",
    "UPDATE causes SET causes = '[]'": "the causes number 1 (of item ",
    "DELETE FROM causes": "the causes number 1 (of item ",
    "UPDATE gold SET reference = 'other' WHERE rowid = 1": "gold entry ",
    "UPDATE gold SET status = 'accepted' WHERE status = 'candidate'": "gold entry ",
    "UPDATE gold_revisions SET reference = 'other' WHERE sequence = 1": "revision 1",
    "DELETE FROM gold_revisions WHERE sequence = 1": "revision 1",
    "UPDATE gold_answers SET is_corrected = 0": "whether it corrects the answer of item ",
    "DELETE FROM gold_answers": "whether it corrects the answer of item ",
}


@pytest.mark.parametrize(("change", "named"), TAMPERED.items())
def test_a_row_that_was_changed_behind_the_chain_is_named(lived: Assay, change: str, named: str) -> None:
    """Also what was deleted or added; the next writing of Assay does not cover it up."""
    behind(lived, f"PRAGMA foreign_keys = OFF; {change}")

    listed = problems(lived)
    assert any(named in problem for problem in listed), listed
    lived("ingest", lived.write("more.jsonl", [traffic_row("later")]))
    assert any(named in problem for problem in problems(lived))


@pytest.mark.parametrize(
    "change",
    [
        "UPDATE frame_blocks SET strata = renumbered(strata, 2, 0)",
        "UPDATE frame_blocks SET strata = renumbered(strata, 2, 99)",
        "UPDATE frame_strata SET stratum = 'other' WHERE number = 1",
        "UPDATE frame_blocks SET strata = X'00'",
        "DELETE FROM frame_blocks",
    ],
)
def test_rows_of_a_frame_without_a_definition_are_sealed(assay: Assay, change: str) -> None:
    """As that of a slice."""
    assay("ingest", assay.write("traffic.jsonl", [traffic_row(f"t{n}") for n in range(6)]))
    with closing(Store(assay.db)) as store:
        draw_wave(store, ProposalRequest(labels=4, seed=1, part="a slice", members=np.arange(2, 6)), now=NOW)
    assert assay.sql("SELECT count(*) FROM frame_definitions") == [(0,)]
    assert problems(assay) == []
    behind(assay, f"PRAGMA foreign_keys = OFF; {change}")

    assert any("wave 1: the frame" in problem for problem in problems(assay))


def test_seals_that_were_changed_with_the_row_are_found(lived: Assay) -> None:
    """The event carries a digest over them."""
    behind(lived, "DELETE FROM seals WHERE kind = 'draws'; UPDATE draws SET inclusion_probability = 0.01 WHERE key = 1")

    assert any("the seals of the rows that it covers" in problem for problem in problems(lived))


def test_an_event_without_its_seal_does_not_fit_the_chain(lived: Assay) -> None:
    """Its hash covers the digest."""
    behind(lived, "UPDATE events SET sealed = NULL; DELETE FROM seals")

    assert any("does not fit" in problem for problem in problems(lived))


def rewritten(assay: Assay) -> None:
    """Every event linked anew, without the seals: a chain that fits together."""
    with closing(sqlite3.connect(assay.db)) as connection:
        rows = connection.execute("SELECT sequence, at, who, what, detail FROM events ORDER BY sequence").fetchall()
    before, script = "", "DELETE FROM seals;"
    for number, *parts in rows:
        before = sha256(json.dumps([before, *parts]).encode()).hexdigest()
        script += f"UPDATE events SET sealed = NULL, hash = '{before}' WHERE sequence = {number};"
    behind(assay, f"{script} UPDATE event_head SET hash = '{before}'; DELETE FROM annotations WHERE sequence = 99")


@pytest.mark.slow
def test_a_chain_that_was_made_anew_is_found_with_a_digest_of_before(lived: Assay) -> None:
    """`events --head` prints it, `doctor --since` wants it in the chain's past; what came after does no harm."""
    head = lived("events", "--head").stdout.strip()
    told = lived.json("events", "--head")
    assert (told["events"], told["head"]) == (lived.json("doctor")["events"], head)
    assert len(head) == 64
    lived("ingest", lived.write("more.jsonl", [traffic_row("later")]))
    lived("doctor", "--since", head)
    lived("doctor", "--since", head[:16])
    rewritten(lived)

    assert not any("does not fit" in problem for problem in problems(lived))
    assert any(f"no event has the digest {head}" in problem for problem in problems(lived, "--since", head))


@pytest.mark.parametrize("digest", ["0" * 64, "no digest", "", "a", "%"])
def test_a_digest_that_no_event_has_is_a_line(lived: Assay, digest: str) -> None:
    """Exit status 1, and nothing else is wrong."""
    result = lived("doctor", "--since", digest, status=1)

    assert f"no event has the digest {digest}:" in result.stderr


def test_a_store_without_events_has_no_head(assay: Assay) -> None:
    """One line, exit status 1."""
    Store(assay.db).close()

    assert "no events yet" in assay("events", "--head", status=1).stderr


@pytest.mark.slow
def test_what_is_forgotten_stays_sound_and_cannot_be_guessed(lived: Assay) -> None:
    """Texts are blanked and names replaced under seals of their own; the salts of the seals before are gone."""
    item = lived.sql("SELECT id FROM items i JOIN labels l ON l.item = i.key WHERE l.draw IS NOT NULL LIMIT 1")[0][0]
    lived("forget", "--item", item, "--yes")
    assert problems(lived) == []
    lived("forget", "--annotator", NAMES[0], "--references", "--yes")
    assert problems(lived) == []

    rows = lived.sql("SELECT event, kind, keys, salts FROM seals ORDER BY event DESC")
    seen = set()
    for _, kind, keys, salts in rows:
        for place, key in enumerate(json.loads(keys)):
            is_lifted = salts[place * 16 : place * 16 + 16] == bytes(16)
            assert is_lifted == ((kind, str(key)) in seen)
            seen.add((kind, str(key)))
    assert len(seen) < sum(len(json.loads(keys)) for _, _, keys, _ in rows)


def test_forgetting_does_not_cover_up_what_was_changed_before(lived: Assay) -> None:
    """The event says that rows had been changed by then, and the doctor goes on saying so."""
    [(row, item)] = lived.sql(
        "SELECT a.sequence, i.id FROM annotations a JOIN items i ON i.key = a.item WHERE a.sequence = 2"
    )
    behind(lived, f"UPDATE annotations SET judgement = 'unsure' WHERE sequence = {row}")
    lived("forget", "--item", item, "--yes")

    assert any("had been changed, removed or added before event" in problem for problem in problems(lived))


def test_the_doctor_says_since_when_the_rows_of_a_store_are_covered(assay: Assay) -> None:
    """A store from before the first release may have the event that sealed what it held by then; a new one has none."""
    with closing(Store(assay.db)) as store:
        assert store.covered_since() is None
        with store.atomic():
            store.audit.events.append("seals begun", {"rows": 1}, who="assay", now=NOW)
        assert store.covered_since() == NOW
    assert assay.json("doctor")["covered_since"] == NOW


def test_the_next_column_changes_no_digest(lived: Assay) -> None:
    """A migration may add one that is empty, or has a default."""
    with closing(sqlite3.connect(lived.db)) as connection:
        connection.execute("ALTER TABLE annotations ADD COLUMN extra TEXT")
        connection.execute("ALTER TABLE labels ADD COLUMN extra TEXT NOT NULL DEFAULT 'none'")
        connection.execute("ALTER TABLE gold ADD COLUMN extra INTEGER NOT NULL DEFAULT 0")
    assert problems(lived) == []
    behind(lived, "UPDATE labels SET extra = 'x' WHERE rowid = 1")
    assert any("the label of item" in problem for problem in problems(lived))


@pytest.mark.slow
def test_what_is_written_after_the_event_is_sealed_at_the_end(assay: Assay) -> None:
    """And a transaction that fails leaves no note of its rows."""
    store = Store(assay.db)
    private(store)
    with suppress(ZeroDivisionError), store.atomic():
        store._db.conn.execute("UPDATE gold SET cluster = 'x'")
        raise ZeroDivisionError
    before = store.audit.events.head().number
    with store.atomic():
        store.audit.events.append("policy", {}, who="ann", now=LATER)
        store._db.conn.execute("UPDATE gold SET cluster = 'y'")
    with store.atomic():
        pass
    assert [event.what for event in store.audit.events.all()[before:]] == ["policy", "seal"]
    assert store.check() == []
    store.close()


def test_traffic_is_not_sealed(assay: Assay) -> None:
    """Ingest writes its own event and nothing else."""
    assay("ingest", assay.write("traffic.jsonl", jsonl([traffic_row(str(n)) for n in range(50)])))

    assert [event["what"] for event in assay.json("events")["events"]] == ["ingest"]
    assert assay.sql("SELECT count(*) FROM seals") == [(0,)]


@pytest.mark.parametrize(
    "change", ["DELETE FROM event_head", "DELETE FROM events WHERE sequence = (SELECT max(sequence) FROM events)"]
)
def test_a_broken_chain_takes_events_and_stays_broken(lived: Assay, change: str) -> None:
    """Work goes on, also a migration; the doctor goes on saying that events were changed."""
    behind(lived, change)
    lived("ingest", lived.write("more.jsonl", [traffic_row("later")]))

    assert any("events were changed" in problem for problem in problems(lived))
