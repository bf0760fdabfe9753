"""Masking is a property of the store: it holds in every folder, more is recorded, and less takes a decision."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path
from threading import Event, Thread

import pytest

from annotate.domain.privacy.pseudonyms import PSEUDONYM
from annotate.domain.privacy.redaction import HIDDEN, Redaction, for_page, from_json, in_force, of_stores, outgoing
from annotate.store import Store
from annotate.store.audit.pseudonym_key import VARIABLE
from annotate.workflow import masking_policy
from proxy.errors import UsageError
from proxy.records import Item
from support.endpoint import Endpoint
from support.model import asked
from support.pseudonyms import by_kind
from support.store import NOW, Assay, once, traffic_row

SECRET = "Where is Ann Lee, ann@example.org, case W-12345?"
TABLE = "[redaction]\non = true\npatterns = ['Ann Lee', 'W-\\d{5}']\n"
MASKED = f"Where is {HIDDEN}, [e-mail], case {HIDDEN}?"
MORE = TABLE.replace("['Ann Lee'", "['Bob', 'Ann Lee'")


@pytest.fixture
def filled(assay: Assay, monkeypatch: pytest.MonkeyPatch) -> Assay:
    """A store that was filled in a folder with a table, looked at from a folder without one."""

    def make() -> None:
        (assay.folder / "assay.toml").write_text(TABLE)
        assay("ingest", assay.write("t.jsonl", [traffic_row("a", question=SECRET), traffic_row("b")]))
        assay("judge")
        assay("sample", "--labels", "2")

    once(assay, "masking-policy", make)
    (assay.folder / "elsewhere").mkdir()
    monkeypatch.chdir(assay.folder / "elsewhere")
    return assay


def exported(assay: Assay) -> str:
    """What the blind export of the draws holds."""
    assay("draws", "export", "--blind", "out.jsonl")
    return by_kind(Path("out.jsonl").read_text(encoding="utf-8"))


@pytest.mark.slow
def test_ids_that_hold_what_is_masked_are_counted_and_leave_as_they_are(assay: Assay) -> None:
    """Labels come back by them; the option that is named makes ids of the content."""
    assay.write("assay.toml", TABLE)
    file = assay.write("t.jsonl", [traffic_row("patient-Ann Lee-19800412"), traffic_row("b")])

    text = " ".join(assay("ingest", file).stdout.split())
    assert "1 id holds what is masked in texts, and ids leave as they are" in text
    assert assay.json("ingest", file)["replaced"]["ids"] == 1

    again = assay.json("ingest", file, "--map", "id=", "--yes")
    assert (again["added"], again["replaced"]["ids"]) == (2, 0)


@pytest.mark.slow
def test_another_folder_sends_what_the_store_lets_out(filled: Assay) -> None:
    """In a file, on a page and in the HTML report; once the store is closed, the folder alone counts."""
    assert MASKED in exported(filled)
    assert "Ann Lee" not in exported(filled)
    filled("report", "--html", "report.html")
    assert "Ann Lee" not in Path("report.html").read_text()
    store = Store(filled.db)
    assert by_kind(for_page(SECRET)) == MASKED
    assert by_kind(outgoing(Item(id="1", question=SECRET, answer="")).question) == MASKED
    store.close()
    assert for_page(SECRET) == SECRET


@pytest.mark.slow
def test_a_model_is_sent_what_the_store_lets_out(filled: Assay, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever the folder; the signature says that it was masked."""
    with Endpoint() as endpoint:
        monkeypatch.setenv("OPENAI_API_KEY", "key")
        filled(*asked(endpoint))
        sent = json.dumps(list(endpoint.bodies))
    assert "Ann Lee" not in sent
    assert "ann@example.org" not in sent
    assert HIDDEN in by_kind(sent)


@pytest.mark.slow
def test_more_is_recorded_when_something_is_sent_and_not_before(filled: Assay) -> None:
    """Reading follows the folder's table too, and writes nothing."""
    Path("assay.toml").write_text(MORE)
    before = filled.json("events")["events"]
    filled("report")
    filled("doctor")
    assert filled.json("events")["events"] == before
    exported(filled)
    Path("assay.toml").unlink()

    store = Store(filled.db)
    assert {pattern.pattern for pattern in in_force().patterns} == {"Ann Lee", r"W-\d{5}", "Bob"}
    store.close()
    [*_, told, last] = filled.json("events")["events"]
    assert (told["what"], told["detail"]["patterns"], told["who"]) == ("masking", 3, "assay")
    assert "Ann" not in json.dumps(told["detail"])
    assert last["what"] == "draws export"
    assert filled.json("doctor")["problems"] == []


@pytest.mark.slow
@pytest.mark.parametrize(
    "table",
    [
        "[redaction]\non = false\n",
        "[redaction]\non = true\n",
        "[redaction]\non = true\npatterns = ['Ann Lee']\n",
        TABLE + "shown = ['metadata.ward']\n",
    ],
)
def test_less_is_refused_until_somebody_decides(filled: Assay, table: str) -> None:
    """Nothing is sent; pages go on masking; `doctor --set-masking` puts it in force with an event of who did."""
    Path("assay.toml").write_text(table)
    refused = filled("draws", "export", "out.jsonl", status=2).stderr
    assert "assay doctor --set-masking" in refused
    assert not Path("out.jsonl").exists()
    filled("ingest", filled.write("u.jsonl", [traffic_row("c")]), status=2)
    store = Store(filled.db)
    assert by_kind(for_page(SECRET)) == MASKED
    with pytest.raises(UsageError, match="masks less"):
        masking_policy.hold(store, now=NOW)
    store.close()

    done = filled("doctor", "--set-masking", "--json")
    assert json.loads(done.stdout)["problems"] == []
    assert done.stderr.startswith("What leaves this store is ")
    assert "Ann Lee" not in exported(filled) or "'Ann Lee'" not in table
    told = filled.json("events")["events"][-2]
    assert (told["what"], told["who"]) == ("masking", "tester")


@pytest.mark.slow
def test_a_table_that_is_off_is_no_less_than_nothing(assay: Assay) -> None:
    """And records nothing; an order of patterns is no difference."""
    (assay.folder / "assay.toml").write_text("[redaction]\non = false\n")
    assay("ingest", assay.write("t.jsonl", [traffic_row("a")]))
    assert [event["what"] for event in assay.json("events")["events"]] == ["ingest"]
    (assay.folder / "assay.toml").write_text(TABLE)
    assay("ingest", assay.write("t.jsonl", [traffic_row("b")]))
    (assay.folder / "assay.toml").write_text("[redaction]\non = true\npatterns = ['W-\\d{5}', 'Ann Lee']\n")
    assay("ingest", assay.write("t.jsonl", [traffic_row("c")]))
    assert [event["what"] for event in assay.json("events")["events"]] == ["ingest", "masking", "ingest", "ingest"]


def test_set_masking_wants_a_table(assay: Assay) -> None:
    """Without one there is nothing to put in force."""
    Store(assay.db).close()
    assert "has no table [redaction]" in assay("doctor", "--set-masking", status=2).stderr


def test_masking_that_was_taken_out_behind_the_chain_is_found(filled: Assay) -> None:
    """The policy is a sealed row."""
    with closing(sqlite3.connect(filled.db)) as connection, connection:
        connection.execute("DELETE FROM policies WHERE name = 'masking'")
    assert any("policy 'masking'" in problem for problem in filled.json("doctor", status=1)["problems"])


def test_a_key_in_a_stored_address_is_named_and_taken_out(assay: Assay) -> None:
    """The doctor shows no key; afterwards no table holds it."""
    key = "sk-CANARY"
    store = Store(assay.db)
    with store.atomic():
        url = f"https://u:{key}@h.org/v1?api_key={key}"
        store._db.conn.execute("INSERT INTO runs (url, model, started_at) VALUES (?, 'm', ?)", (url, NOW))
        store._db.conn.execute("INSERT INTO endpoints VALUES (?, 'm', 'json_schema', '{}', ?)", (url, NOW))
        store._db.conn.execute("INSERT INTO endpoints VALUES ('https://h.org/v1', 'm', 'json_schema', '{}', ?)", (NOW,))
        settings = json.dumps({"url": url, "model": "m"})
        store._db.conn.execute("INSERT INTO judges (judge, signature, settings) VALUES ('a', 'a|b', ?)", (settings,))
    store.close()
    doctor = assay("doctor", status=1)
    assert "https://h.org/v1 holds what may be a key" in doctor.stderr
    assert key not in doctor.output

    assert assay("doctor", "--remove-keys").stdout.startswith("Addresses from which a key was removed: 3.\n")
    for table in ("runs", "endpoints", "judges", "events"):
        assert key not in str(assay.sql(f"SELECT * FROM {table}"))
    assert assay.sql("SELECT url FROM endpoints") == [("https://h.org/v1",)]


def test_what_a_store_asks_for_is_read_while_others_close_theirs(tmp_path: Path) -> None:
    """Two threads open and close stores, a third asks what is in force: no store's connection is used but by its owner."""
    path = tmp_path / "assay.db"
    keeper = Store(path)
    with keeper.atomic(durable=True):
        keeper.audit.policies.set_masking(Redaction(is_on=True).as_json())
    faults: list[BaseException] = []
    stop = Event()

    def opens_and_closes() -> None:
        while not stop.is_set():
            Store(path).close()

    def asks() -> None:
        try:
            for _ in range(300):
                assert in_force().is_on
        except BaseException as error:  # noqa: BLE001 (told by the test)
            faults.append(error)

    workers = [Thread(target=opens_and_closes) for _ in range(2)]
    asker = Thread(target=asks)
    for thread in (*workers, asker):
        thread.start()
    asker.join()
    stop.set()
    for thread in workers:
        thread.join()
    keeper.close()
    assert not faults


def test_what_another_process_records_holds_at_once(tmp_path: Path) -> None:
    """The record is read anew when the file has changed, however soon after the last time."""
    path = tmp_path / "assay.db"
    store, second = Store(path), Store(path)
    for is_on in (True, False, True):
        with second.atomic(durable=True):
            second.audit.policies.set_masking(Redaction(is_on=is_on).as_json())
        assert of_stores().is_on is is_on
    store.close()
    second.close()


def questions(assay: Assay, *, status: int = 0) -> list[str]:
    """The questions of the exported draws."""
    Path("q.jsonl").unlink(missing_ok=True)
    assay("draws", "export", "--all", "q.jsonl", status=status)
    return [json.loads(line)["question"] for line in Path("q.jsonl").read_text().splitlines()] if status == 0 else []


@pytest.mark.slow
def test_a_lost_key_stops_what_is_sent_and_shows_less(filled: Assay) -> None:
    """Data still comes in, pages show plain stand-ins; with the key put back the pseudonyms are those from before."""
    key = Path(f"{filled.db}.key")
    before = questions(filled)
    key.rename("kept")
    assert "pseudonyms is missing" in filled("draws", "export", "--all", "q.jsonl", status=2).stderr
    assert "pseudonyms is missing" in filled.json("doctor", status=1)["problems"][0]
    filled("ingest", filled.write("u.jsonl", [traffic_row("c")]))
    store = Store(filled.db)
    assert for_page(SECRET) == MASKED
    store.close()
    Path("kept").rename(key)
    assert questions(filled) == before
    assert filled.json("doctor")["problems"] == []


@pytest.mark.slow
def test_another_key_is_refused_until_somebody_decides(filled: Assay, monkeypatch: pytest.MonkeyPatch) -> None:
    """A key that is not this store's is named; `--new-key` goes on with it, and nothing matches what left before."""
    before = questions(filled)
    monkeypatch.setenv(VARIABLE, "q" * 64)
    assert "pseudonyms is another than before" in filled("draws", "export", "q.jsonl", status=2).stderr
    monkeypatch.setenv(VARIABLE, "short")
    assert "at least 32 characters" in filled("draws", "export", "q.jsonl", status=2).stderr
    monkeypatch.setenv(VARIABLE, "q" * 64)
    filled("doctor", "--new-key")
    after = questions(filled)
    assert sorted(map(by_kind, after)) == sorted(map(by_kind, before))
    assert not set(PSEUDONYM.findall(" ".join(after))) & set(PSEUDONYM.findall(" ".join(before)))
    [*_, told, exported_draws] = filled.json("events")["events"]
    assert (told["what"], told["who"], exported_draws["what"]) == ("masking", "tester", "draws export")
    assert "q" * 64 not in json.dumps(filled.json("events"))


def test_a_key_that_others_can_read_is_a_problem(filled: Assay) -> None:
    """Like the store itself."""
    Path(f"{filled.db}.key").chmod(0o644)
    assert any(".key: chmod 600" in problem for problem in filled.json("doctor", status=1)["problems"])


def test_a_new_key_is_for_stores_with_pseudonyms(assay: Assay) -> None:
    """Without redaction there is nothing to renew, and no key is made."""
    assay("ingest", assay.write("t.jsonl", [traffic_row("a")]))
    assert "needs no key" in assay("doctor", "--new-key", status=2).stderr
    assert not Path(f"{assay.db}.key").exists()


@pytest.mark.slow
def test_two_stores_of_one_key_cannot_be_joined(assay: Assay, monkeypatch: pytest.MonkeyPatch) -> None:
    """The same traffic in two stores under one variable: other pseudonyms, because each store has a salt."""
    (assay.folder / "assay.toml").write_text(TABLE)
    monkeypatch.setenv(VARIABLE, "q" * 64)
    told = list[list[str]]()
    for name in ("one.db", "two.db"):
        store = Assay(assay.folder, assay.folder / name)
        store("ingest", store.write("t.jsonl", [traffic_row("a", question=SECRET)]))
        store("judge")
        store("sample", "--labels", "1")
        told.append(questions(store))
    assert [list(map(by_kind, texts)) for texts in told] == [[MASKED], [MASKED]]
    assert told[0] != told[1]


@pytest.mark.slow
def test_a_store_from_before_pseudonyms_goes_on_without(filled: Assay) -> None:
    """Its record names none: plain stand-ins as before, no key, the same signature; `--set-masking` brings them."""
    with closing(sqlite3.connect(filled.db)) as connection, connection:
        old = {"on": True, "patterns": ["Ann Lee", r"W-\d{5}"], "hidden": ["group"], "shown": []}
        connection.execute("UPDATE policies SET value = ? WHERE name = 'masking'", (json.dumps(old),))
    Path(f"{filled.db}.key").unlink()
    assert MASKED in questions(filled)
    Path("assay.toml").write_text(TABLE)
    assert MASKED in questions(filled)
    assert not Path(f"{filled.db}.key").exists()
    store = Store(filled.db)
    assert of_stores().digest == from_json(json.dumps(old)).digest
    assert of_stores().digest.startswith("masked v6 ")
    store.close()

    Path("assay.toml").write_text(f"{TABLE}pseudonyms = true\n")
    assert "masks less" in filled("draws", "export", "q.jsonl", status=2).stderr
    filled("doctor", "--set-masking")
    assert MASKED not in questions(filled)
    assert MASKED in map(by_kind, questions(filled))


def test_plain_stand_ins_can_be_asked_for(filled: Assay) -> None:
    """They tell less: nobody sees that two answers name the same person; a table that asks for them is recorded."""
    Path("assay.toml").write_text(f"{TABLE}pseudonyms = false\n")
    assert MASKED in questions(filled)
    Path("assay.toml").unlink()
    assert MASKED in questions(filled)


@pytest.mark.slow
def test_a_preview_shows_what_would_be_masked_and_sends_nothing(assay: Assay) -> None:
    """Counts by kind and masked texts, off and on, from `push` and from `judge`; no byte of the store changes, and no key is made."""
    text = "DOB 12 March 1980, NHS 943 476 5919, write to ann@example.org; 500 mg on 2026-11-21"
    letter = {"text": "Leaflet.", "title": "To bob@example.org", "source": "cem@example.org"}
    rows = [traffic_row("a", question=text, contexts=[letter]), traffic_row("b", question="How much?")]
    assay("ingest", assay.write("t.jsonl", rows))
    assay("judge")
    assay("sample", "--labels", "2")
    before = Path(assay.db).read_bytes()

    off = assay("judge", "--preview").stdout
    Path("assay.toml").write_text("[redaction]\non = true\n")
    shown = json.loads(assay("push", "--preview", "--json").stdout)

    assert "Redaction is off" in off
    assert "DOB [birthdate], NHS [number], write to [e-mail]" in off
    assert (shown["on"], shown["looked_at"], shown["rows"]) == (True, 2, 1)
    assert shown["kinds"] == {"BIRTHDATE": 1, "EMAIL": 3, "NUMBER": 1}, (
        "also where a passage is from, which experts see"
    )
    assert all("1980" not in example["text"] for example in shown["examples"])
    assert Path(assay.db).read_bytes() == before
    assert not Path(f"{assay.db}.key").exists()
