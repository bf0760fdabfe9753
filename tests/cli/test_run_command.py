"""`assay run` on a real store: every stage in turn, nothing twice, what fails is said and the rest goes on."""

from __future__ import annotations

import re

import pytest

from annotate.analysis.report.gate import Gate
from annotate.present import drift
from annotate.store import Store
from support.store import Assay, label, traffic_row

NOWHERE = "http://127.0.0.1:9"
ALONE = "--without-labelling"


@pytest.fixture
def traffic(assay: Assay) -> str:
    """A file of eight items, in a folder that is still empty."""
    return assay.write("traffic.jsonl", [traffic_row(name) for name in "abcdefgh"])


def counted(assay: Assay) -> list[int]:
    """How much there is of everything that a second night must not double."""
    tables = ("items", "scores", "draws", "waves", "feedback", "quarantine")
    return [int(assay.sql(f"SELECT count(*) FROM {table}")[0][0]) for table in tables]


@pytest.mark.slow
def test_a_night_walks_the_whole_loop_and_a_second_one_adds_nothing(assay: Assay, traffic: str) -> None:
    """The first makes the store and draws every item at rate 1; the second finds nothing new."""
    thumbs = assay.write("thumbs.jsonl", [{"item_id": "a", "value": -1}])
    words = ("run", "--traffic", traffic, "--feedback", thumbs, "--rate", "1", ALONE)

    first = assay.json(*words)
    before = counted(assay)
    second = assay.json(*words)

    assert list(first) == ["status", "ingest", "feedback", "judge", "sample", "report", "drift"]
    assert first["ingest"][0]["result"]["added"] == 8
    assert first["sample"][0]["result"]["drawn"] == 8
    assert first["report"][0]["result"]["items"] == 8
    assert second["status"] == 0
    assert second["ingest"][0]["result"]["unchanged"] == 8
    assert second["sample"][0]["line"] == "left out: every item has had its chance"
    assert counted(assay) == before


def test_each_stage_is_one_line_with_its_time(assay: Assay, traffic: str) -> None:
    """In UTC, in the order of the loop."""
    said = assay("run", "--traffic", traffic, ALONE).stdout.splitlines()

    stages = [re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z  (\w+): \S.*", line) for line in said]
    assert [one and one[1] for one in stages] == ["ingest", "judge", "report", "drift"]


@pytest.mark.slow
def test_a_wave_is_drawn_only_when_no_draw_is_open(assay: Assay) -> None:
    """Ten nights without a label leave one wave; when it is answered, the next one is drawn."""
    traffic = assay.write("traffic.jsonl", [traffic_row(f"n{n}") for n in range(16)])
    assay("run", "--traffic", traffic, "--labels", "5", ALONE)
    left_out = assay.json("run", "--labels", "5", ALONE)["sample"][0]
    store = Store(assay.db)
    drawn = [one.item_id for one in store.waves.open_draws()]
    store.close()
    assay("labels", "import", assay.write("labels.jsonl", [label(name) for name in drawn]))
    assay("run", "--labels", "5", ALONE)
    last = assay.json("run", "--labels", "5", ALONE)["sample"][0]

    assert left_out["line"] == "left out: 5 draws still wait for a label"
    assert last["line"] == "left out: 5 draws still wait for a label"
    assert assay.sql("SELECT count(*) FROM waves") == [(2,)]


def test_a_file_that_is_missing_stops_nothing_else(assay: Assay, traffic: str) -> None:
    """It is named, the other file is taken in, and the status is 1 in the end."""
    result = assay("run", "--traffic", "nowhere.jsonl", "--traffic", traffic, ALONE, status=1)

    assert "ingest: failed: there is no file nowhere.jsonl" in result.stderr
    assert "8 items added" in result.stdout
    assert "report:" in result.stdout


@pytest.mark.slow
def test_a_label_studio_that_is_down_stops_nothing_else(
    assay: Assay, traffic: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Push and pull say so, the report is made, and the status is 1."""
    monkeypatch.setenv("LABEL_STUDIO_API_KEY", "a" * 40)

    found = assay.json("run", "--traffic", traffic, "--rate", "1", "--url", NOWHERE, status=1)

    assert [found[stage][0]["status"] for stage in ("judge", "sample", "push", "pull", "report")] == [0, 0, 1, 1, 0]
    assert "127.0.0.1:9" in found["push"][0]["line"]


def test_rows_that_cannot_be_read_are_status_4(assay: Assay) -> None:
    """As from `assay ingest` itself; a stage that failed would be more serious."""
    odd = assay.write("odd.jsonl", [traffic_row("a"), {"question": 1}])

    assert assay.json("run", "--traffic", odd, ALONE, status=4)["ingest"][0]["status"] == 4
    assert assay.json("run", "--traffic", odd, "--traffic", "nowhere", ALONE, status=1)["status"] == 1


def test_the_gate_is_more_serious_than_odd_rows_and_less_than_a_failure(assay: Assay) -> None:
    """A report that cannot show the limit fails the gate: 3, also beside a 4, but 1 where a stage failed."""
    odd = assay.write("odd.jsonl", [traffic_row("a"), {"question": 1}])

    assert assay.json("run", "--traffic", odd, "--gate", ALONE, status=3)["report"][0]["status"] == 3
    assert assay.json("run", "--traffic", "nowhere", "--gate", ALONE, status=1)["report"][0]["status"] == 3


@pytest.mark.slow
def test_the_gate_holds_drift_as_well_as_the_report(assay: Assay, monkeypatch: pytest.MonkeyPatch) -> None:
    """An alarm is status 3 with --gate alone; limits that cannot be read fail their own stage and no other."""
    monkeypatch.setattr(drift, "gate", lambda found, limits: Gate(("quality has dropped",)))
    traffic = assay.write("timed.jsonl", [traffic_row(name, timestamp="2026-06-01T08:00:00Z") for name in "abcd"])
    assert assay.json("run", "--traffic", traffic, ALONE)["drift"][0]["status"] == 0
    assert assay.json("run", "--gate", ALONE, status=3)["drift"][0]["status"] == 3

    assay.write("assay.toml", "[gate.drift]\njudge = 0\n")
    found = assay.json("run", ALONE, status=1)
    assert [found[stage][0]["status"] for stage in ("judge", "report", "drift")] == [0, 0, 1]
    assert "judge is true or false" in found["drift"][0]["line"]


def test_the_gate_leaves_drift_out_where_nothing_has_a_time(assay: Assay, traffic: str) -> None:
    """A word instead of a failure; the report's gate still holds."""
    found = assay.json("run", "--traffic", traffic, "--gate", ALONE, status=3)

    assert (found["drift"][0]["status"], found["drift"][0]["line"]) == (0, "left out: no item has a timestamp")
    assert found["report"][0]["status"] == 3


@pytest.mark.slow
def test_a_second_run_is_refused_at_once(loaded: Assay) -> None:
    """While another process holds the lock: status 1, one line, and nothing is done."""
    store = Store(loaded.db)
    try:
        with store.only_one("run"):
            out, err = loaded.process("run", ALONE, status=1)
    finally:
        store.close()

    assert out == ""
    assert err.splitlines() == [f"assay: another `assay run` is at work on {loaded.db}: wait for it to end"]
    assert loaded.sql("SELECT count(*) FROM scores") == [(0,)]


def test_a_broken_store_stops_everything(assay: Assay) -> None:
    """A file that is no store is said once, and no stage is tried."""
    assay.db.write_text("no database at all, but long enough to look like one " * 40)

    result = assay("run", ALONE, status=1)

    assert "no SQLite database" in result.stderr
    assert result.stdout == ""


def test_a_store_that_breaks_on_the_way_stops_the_rest(loaded: Assay, monkeypatch: pytest.MonkeyPatch) -> None:
    """The stage that met it says so, and no stage after it is run."""
    from annotate.cli import nightly
    from proxy.errors import StoreError

    real = nightly._invoke

    def invoke(stage: str, words: list[str]) -> int:
        if stage == "judge":
            raise StoreError("the disk is full")
        return real(stage, words)

    monkeypatch.setattr(nightly, "_invoke", invoke)
    result = loaded("run", "--rate", "1", ALONE, status=1)

    assert "judge: the disk is full; the stages after it were not run" in result.stderr
    assert "sample" not in result.output
    assert loaded.sql("SELECT count(*) FROM draws") == [(0,)]


def test_settings_hold_for_the_night_and_for_its_stages(assay: Assay, traffic: str) -> None:
    """[run] may hold lists, and [judge] is read as if `assay judge` had been typed."""
    more = assay.write("more.jsonl", [traffic_row("z")])
    assay.write(
        "assay.toml",
        f'[run]\ntraffic = ["{traffic}", "{more}"]\nwithout-labelling = true\n[judge]\njudges = "refusal"\n',
    )

    found = assay.json("run")

    assert [one["result"]["added"] for one in found["ingest"]] == [8, 1]
    assert [one["judge"] for one in found["judge"][0]["result"]["judges"]] == ["refusal"]


@pytest.mark.parametrize("args", [("--labels", "4", "--rate", "1"), ("--rate-failed", "1")])
def test_what_does_not_go_together_is_refused_before_anything_is_done(
    assay: Assay, traffic: str, args: tuple[str, ...]
) -> None:
    """Status 2, and no store is made."""
    assay("run", "--traffic", traffic, *args, ALONE, status=2)

    assert not assay.db.exists()


def test_a_night_is_logged(loaded: Assay) -> None:
    """Which stages ended how, and no name of a file."""
    loaded("run", ALONE)

    assert loaded.sql("SELECT detail FROM events WHERE what = 'run'") == [
        ('{"stages": [["judge", 0], ["report", 0], ["drift", 0]], "status": 0}',)
    ]


def test_where_there_is_no_label_studio_a_gate_is_held_without_one(
    assay: Assay, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing is named, in an option, a variable or the settings: push and pull are left out with a word, and no failure."""
    monkeypatch.delenv("LABEL_STUDIO_URL", raising=False)
    times = {"timestamp": "2026-06-01T08:00:00Z"}
    traffic = assay.write("traffic.jsonl", [traffic_row(name, **times) for name in "abcdefgh"])

    found = assay.json("run", "--traffic", traffic, "--rate", "1", "--gate", status=3)
    passed = assay.json("run", "--traffic", traffic)

    for one in (found, passed):
        assert [one[stage][0]["status"] for stage in ("push", "pull")] == [0, 0]
        assert all("no Label Studio is named" in one[stage][0]["line"] for stage in ("push", "pull"))
    assert found["report"][0]["status"] == 3
    assert passed["status"] == 0


@pytest.mark.parametrize("named", ["settings", "projects"])
def test_a_label_studio_that_was_ever_used_is_missed(
    assay: Assay, traffic: str, monkeypatch: pytest.MonkeyPatch, named: str
) -> None:
    """Where it is named in the settings, or had tasks of this store, labels may wait there: that they do not come is a failure."""
    for name in ("LABEL_STUDIO_URL", "LABEL_STUDIO_API_KEY"):
        monkeypatch.delenv(name, raising=False)
    assay("ingest", traffic)
    if named == "settings":
        assay.write("assay.toml", f'[pull]\nurl = "{NOWHERE}"\n')
    else:
        assay.sql("INSERT INTO projects (server, project, form_version, at) VALUES ('http://x', 1, 'v', '2026')")

    found = assay.json("run", status=1)

    assert found["pull"][0]["status"] == 1
