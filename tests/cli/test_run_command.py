"""`assay run` as cron sees it: its options and settings, a line a stage, one JSON object, the exit status."""

from __future__ import annotations

import re

import pytest

from support.store import Assay, traffic_row

NOWHERE = "http://127.0.0.1:9"
ALONE = "--without-labelling"


@pytest.fixture
def traffic(assay: Assay) -> str:
    """A file of eight items, in a folder that is still empty."""
    return assay.write("traffic.jsonl", [traffic_row(name) for name in "abcdefgh"])


@pytest.mark.slow
def test_each_stage_is_one_line_with_its_time_and_a_failure_is_on_standard_error(assay: Assay, traffic: str) -> None:
    """In UTC, in the order of the loop; a file that is missing makes the status 1."""
    result = assay("run", "--traffic", "nowhere.jsonl", "--traffic", traffic, ALONE, status=1)

    stages = [
        re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z  (\w+): \S.*", line)
        for line in result.stdout.splitlines()
    ]
    assert [stage and stage[1] for stage in stages] == ["ingest", "judge", "report", "drift"]
    assert "8 items added" in result.stdout
    assert "ingest: failed: there is no file nowhere.jsonl" in result.stderr


@pytest.mark.slow
def test_the_object_has_a_key_for_each_stage_and_the_result_of_its_command(assay: Assay) -> None:
    """What was refused is said on standard error as by `assay ingest`, and makes the status 4; a gate that fails 3."""
    odd = assay.write("odd.jsonl", [traffic_row("a"), {"question": 1}])
    thumbs = assay.write("thumbs.jsonl", [{"item_id": "a", "value": -1}])
    words = ("run", "--traffic", odd, "--feedback", thumbs, "--rate", "1", ALONE)

    run = assay.json(*words, status=4)

    stages = [name for name, steps in run.items() if name != "next" and steps and isinstance(steps, list)]
    assert stages == ["ingest", "feedback", "judge", "sample", "report", "drift"]
    assert (run["exit_status"], run["ingest"][0]["status"]) == (4, 4)
    assert run["ingest"][0]["result"]["quarantined"] == 1
    assert run["sample"][0]["result"]["drawn"] == 1
    assert run["report"][0]["result"]["items"] == 1
    again = assay(*words, "--gate", status=3)
    assert "1 row could not be read: see `assay quarantine`" in again.stderr
    assert "gate failed: " in again.stderr
    assert re.search(r"  ingest: .* \(not everything could be done\)$", again.stdout, re.MULTILINE)
    assert re.search(r"  report: .* \(the gate failed\)$", again.stdout, re.MULTILINE)
    assert "sample: left out: every item has had its chance" in again.stdout


def test_a_broken_store_is_said_once(assay: Assay) -> None:
    """And no stage is tried."""
    assay.db.write_text("no database at all, but long enough to look like one " * 40)

    result = assay("run", ALONE, status=1)

    assert "no SQLite database" in result.stderr
    assert result.stdout == ""


@pytest.mark.slow
def test_settings_hold_for_the_night_and_for_its_stages(assay: Assay, traffic: str) -> None:
    """[run] may hold lists, and the tables of the stages are read as if their commands had been typed."""
    more = assay.write("more.jsonl", [traffic_row("z")])
    assay.write(
        "assay.toml",
        f'[run]\ntraffic = ["{traffic}", "{more}"]\n[judge]\njudges = "refusal"\n[sample]\nseed = 5\n'
        f'[report]\ngate = true\nhtml = "page.html"\n[drift]\nby = "day"\n[pull]\nurl = "{NOWHERE}"\n',
    )

    run = assay.json("run", "--labels", "5", status=1)

    assert [step["result"]["added"] for step in run["ingest"]] == [8, 1]
    assert [judge["judge"] for judge in run["judge"][0]["result"]["judges"]] == ["refusal"]
    assert run["sample"][0]["result"]["seed"] == 5
    assert [run[stage][0]["status"] for stage in ("push", "pull", "report")] == [1, 1, 3]
    assert run["drift"][0]["result"]["by"] == "day"
    assert (assay.folder / "page.html").read_text().startswith("<!doctype html>")


@pytest.mark.parametrize("args", [("--labels", "4", "--rate", "1"), ("--rate-failed", "1")])
def test_what_does_not_go_together_is_refused_before_anything_is_done(
    assay: Assay, traffic: str, args: tuple[str, ...]
) -> None:
    """Status 2, and no store is made."""
    assay("run", "--traffic", traffic, *args, ALONE, status=2)

    assert not assay.db.exists()


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ('[judge]\nbackend = "openai"\n', "--backend openai needs --model M"),
        ("[judge]\ndry-run = true\n", "[judge] dry-run: a run changes the store"),
        ('[ingest]\nmap = "quesiton=q"\n', "--map quesiton=q"),
    ],
)
def test_settings_of_a_stage_that_cannot_work_are_refused_before_anything_is_done(
    assay: Assay, traffic: str, settings: str, words: str
) -> None:
    """Status 2, and no store is made: a night with half of its stages would look like one."""
    assay.write("assay.toml", settings)

    assert words in assay("run", "--traffic", traffic, ALONE, status=2).stderr
    assert not assay.db.exists()
