"""A store whose traffic lies in a lake says the same as one that has its traffic itself, to the last digit.

The oracle of every figure is the other store: the same rows, the same commands, the same seeds.
"""

from __future__ import annotations

import json
import random
import signal
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from annotate.store import Store
from annotate.store.lake.upkeep import MOST_PARTS
from proxy.records import Item
from support.lake import S3Server
from support.store import NASTY, Assay, traffic_row

pytest.importorskip("duckdb", reason="the extra `lake` is not installed")

SYSTEMS = ("a", "b", "c")
SECRET = "the number of the locker is 4711"
READ = (
    "report",
    "report --full",
    "report --system a",
    "plan",
    "calibrate",
    "compare a b",
    "compare a b c",
    "compare @2026-11-01..2026-11-03 @2026-11-03..2026-11-09",
    "slices --by metadata.channel",
    "slices --by week",
    "drift",
    "diagnose",
    "next",
    "gold list",
    "doctor",
)


def rows(numbers: range) -> Iterator[dict[str, Any]]:
    """Answers of three systems to shared questions, in conversations, on eight days and on none, with texts of every kind."""
    for n in numbers:
        question, system = divmod(n, len(SYSTEMS))
        good = random.Random(n).random() < 0.7
        row = traffic_row(
            f"i{n}",
            question=f"Where is room {question}? {NASTY if question % 3 == 0 else ''}",
            contexts=[f"Room {question} is on the ground floor.", "Coffee is served on the roof."],
            answer=f"Room {question} is on the ground floor." if good else f"Nobody knows {question} or {n}.",
            system=SYSTEMS[system],
            group=f"{SYSTEMS[system]} {question // 4}",
            channel=("web", "kiosk", "駅 'x'")[n % 3],
        )
        if n % 10:
            row["timestamp"] = f"2026-11-0{1 + n % 8}T08:00:00Z"
        if n % 7 == 0:
            row["history"] = [{"role": "user", "text": "Hello"}, {"role": "assistant", "text": NASTY}]
        if n % 11 == 0:
            row["reference"] = f"It is {n}."
        yield row


class Twins:
    """A store of its own and one in a lake; whatever is done is done to both."""

    def __init__(self, plain: Assay, laked: Assay, lake: Path) -> None:
        self.plain, self.laked, self.lake = plain, laked, lake

    def __call__(self, *args: str, status: int = 0) -> str:
        """Run a command on both: what it prints, which is the same."""
        outputs = [self._neutral(assay(*args, status=status).output) for assay in (self.plain, self.laked)]
        assert outputs[0] == outputs[1], args
        return outputs[1]

    def write(self, name: str, content: Sequence[dict[str, Any]]) -> str:
        return self.plain.write(name, list(content))

    def _neutral(self, printed: str) -> str:
        """Without what differs: the store's name, times, hashes of events."""
        for assay in (self.plain, self.laked):
            printed = printed.replace(str(assay.db), "STORE").replace(assay.db.name, "STORE")
        lines = [line for line in printed.splitlines() if "the last with the hash" not in line]
        return "\n".join(lines)


def lines_of(path: Path) -> list[dict[str, Any]]:
    """The rows of a file of JSON lines; some texts hold other ends of lines."""
    return [json.loads(line) for line in path.read_text(encoding="utf-8").split("\n") if line]


def labels_of(drawn: str) -> list[dict[str, Any]]:
    """What an annotator says of the draws in this file: right where the answer names the floor."""
    labels = []
    for place, row in enumerate(lines_of(Path(drawn))):
        right = "ground floor" in row["answer"]
        label = {"item_id": row["item_id"], "annotator": "ana", "label": "right" if right else "wrong"}
        if not right:
            label |= {"causes": ["unfaithful" if place % 2 else "retrieval_missed"], "reference": f"It is {place}."}
        labels.append(label | {"at": "2026-11-20T08:00:00Z"})
    return labels


def made(assay: Assay, address: str) -> Twins:
    """Two new stores, one with its traffic at this address."""
    plain = Assay(assay.folder, assay.folder / "plain.db")
    laked = Assay(assay.folder, assay.folder / "laked.db")
    laked("init", "--lake", address)
    return Twins(plain, laked, Path(address))


@pytest.fixture
def twins(assay: Assay, tmp_path: Path) -> Twins:
    return made(assay, str(tmp_path / "lake"))


def told(twins: Twins, items: int = 240) -> None:
    """Traffic that is judged, drawn and labelled."""
    twins("ingest", twins.write("traffic.jsonl", list(rows(range(items)))))
    twins("judge")
    twins("sample", "--labels", "40", "--seed", "1")
    twins("draws", "export", "draws.jsonl")
    twins("labels", "import", twins.write("labels.jsonl", labels_of("draws.jsonl")))


def test_every_command_says_the_same(twins: Twins) -> None:
    """After one wave, and after revisions, edits, more traffic, thumbs, scores of a tool and a second wave."""
    told(twins)
    for command in READ:
        twins(*command.split())

    changed = list(rows(range(20)))
    for row in changed[:10]:
        row["answer"] += " So it is said."
    for row in changed[10:]:
        row["channel"] = "phone"
    twins("ingest", twins.write("changed.jsonl", changed))
    twins("ingest", twins.write("more.jsonl", list(rows(range(240, 300)))))
    votes = [{"item_id": f"i{n}", "value": -1 if n % 3 else 1, "correction": f"No: {n}."} for n in range(0, 330, 15)]
    twins("feedback", twins.write("votes.jsonl", votes))
    own = [{"item_id": f"i{n}", "judge": "mine", "value": (n % 5) / 4} for n in range(0, 300, 2)]
    twins("scores", "import", twins.write("scores.jsonl", own))
    twins("judge")
    twins("sample", "--labels", "20", "--active", "--seed", "2")
    twins("draws", "export", "second.jsonl")
    twins("labels", "import", twins.write("second_labels.jsonl", labels_of("second.jsonl")))
    twins("rule", "set", "faithfulness > 0.4")
    for command in READ:
        twins(*command.split(), "--json") if command in ("report", "plan", "compare a b") else twins(*command.split())


@pytest.mark.long
def test_an_object_store_gives_the_same(assay: Assay, s3_server: S3Server, s3_keys: None) -> None:
    """On a server that speaks S3; its keys come from the environment and stand in no output."""
    s3_server.make("told")
    twins = made(assay, s3_server.address("told"))
    told(twins, items=90)
    twins("ingest", twins.write("changed.jsonl", [row | {"answer": "Another."} for row in rows(range(5))]))
    twins("judge")
    for command in ("report", "compare a b", "diagnose", "doctor"):
        twins(*command.split())
    twins("forget", "--item", "i7", "--yes")
    twins("doctor")


def test_what_leaves_is_the_same(twins: Twins) -> None:
    """Labels, scores and draws as files, half characters among them."""
    told(twins, items=60)
    twins("sample", "--labels", "20", "--seed", "2")
    contents = list[list[dict[str, Any]]]()
    for assay in (twins.plain, twins.laked):
        files = [assay.folder / f"{name}-{assay.db.stem}.jsonl" for name in ("labels", "scores", "draws")]
        for path in files:
            assay(path.stem.partition("-")[0], "export", str(path))
        contents.append([row for path in files for row in lines_of(path)])
    assert contents[0] == contents[1]
    assert len(contents[0]) > 60


def test_every_text_comes_back_as_it_came(twins: Twins) -> None:
    """Half characters, NUL and all; the item that a part gave back is the one that the other store has."""
    twins("ingest", twins.write("traffic.jsonl", list(rows(range(30)))))
    items = [item for assay in (twins.plain, twins.laked) for item in items_of(assay)]
    assert items[:30] == items[30:]
    with_reference = [keys_with_reference(assay) for assay in (twins.plain, twins.laked)]
    assert with_reference == [[1, 12, 23], [1, 12, 23]]
    assert NASTY in items[0].question
    assert NASTY in items[0].history[1].text


def keys_with_reference(assay: Assay) -> list[int]:
    store = Store(assay.db, reads_only=True)
    try:
        return store.traffic.items.with_reference(10)
    finally:
        store.close()


def items_of(assay: Assay) -> list[Item]:
    """The items of a store, in the order of their rows."""
    store = Store(assay.db, reads_only=True)
    try:
        return [item for batch in store.traffic.items.batches(7) for item in batch.values()]
    finally:
        store.close()


def test_nothing_of_what_is_forgotten_is_left_in_the_lake(twins: Twins) -> None:
    """Neither in a file that is listed nor in one that was; what it counted stays."""
    secret = traffic_row("secret", answer=SECRET, system="a", timestamp="2026-11-03T08:00:00Z")
    twins("ingest", twins.write("secret.jsonl", [secret, *rows(range(30))]))
    twins("judge")
    assert SECRET in texts_in(twins.lake)

    twins.laked("forget", "--item", "secret", "--dry-run")
    assert SECRET in texts_in(twins.lake)
    twins("forget", "--item", "secret", "--yes")
    assert SECRET not in texts_in(twins.lake)
    twins("report")
    twins("doctor")


def texts_in(lake: Path) -> str:
    """Every value of every file of the lake."""
    import pyarrow.parquet as pq

    return "\n".join(str(pq.read_table(path).to_pylist()) for path in sorted(lake.rglob("*.parquet")))


def test_many_small_files_become_one(twins: Twins) -> None:
    """As live traffic makes them; what they replace is deleted once nobody can be reading it, and nothing is lost."""
    for row in rows(range(MOST_PARTS + 3)):
        twins.laked("ingest", twins.write("one.jsonl", [row | {"timestamp": "2026-11-03T08:00:00Z"}]))
    small = sorted(twins.lake.rglob("items/**/*.parquet"))
    assert len(small) >= MOST_PARTS + 3
    before = items_of(twins.laked)

    twins.laked("rule", "set", "faithfulness > 0.4")
    (listed,) = twins.laked.sql("SELECT count(*) FROM lake_parts WHERE kind = 'items'")
    assert listed[0] < MOST_PARTS
    assert set(small) <= set(twins.lake.rglob("items/**/*.parquet"))
    twins.laked.sql("UPDATE lake_replaced SET dropped_at = dropped_at - 3600")
    twins.laked("rule", "set", "faithfulness > 0.5")

    assert len(list(twins.lake.rglob("items/**/*.parquet"))) == listed[0]
    assert items_of(twins.laked) == before
    twins.laked("doctor")


def test_a_killed_import_leaves_whole_answers_and_goes_on(twins: Twins) -> None:
    """What the ledger lists can be read; the same command again brings in the rest, and nothing twice."""
    traffic = twins.write("traffic.jsonl", list(rows(range(900))))
    process = twins.laked.start("ingest", traffic)
    deadline = time.monotonic() + 60
    while not list(twins.lake.rglob("*.parquet")) and time.monotonic() < deadline and process.poll() is None:
        time.sleep(0.01)
    process.send_signal(signal.SIGKILL)
    process.wait()
    twins.laked("doctor")
    twins.laked("ingest", traffic)
    twins.plain("ingest", traffic)
    twins("judge")
    twins("report")


@pytest.mark.parametrize("damage", ["cut", "missing", "changed"])
def test_a_damaged_lake_is_told_of_and_never_counted(twins: Twins, damage: str) -> None:
    """Doctor names the file; a report is refused."""
    told(twins, items=60)
    twins.laked.db.with_name("laked.db.totals").unlink(missing_ok=True)
    part = min(twins.lake.rglob("items/**/*.parquet"))
    content = bytearray(part.read_bytes())
    if damage == "cut":
        part.write_bytes(content[:-40])
    elif damage == "missing":
        part.unlink()
    else:
        content[60] ^= 255
        part.write_bytes(content)

    assert part.name in twins.laked("doctor", status=1).output
    assert "names it" in twins.laked("report", status=1).stderr


def test_a_lake_is_of_one_store(twins: Twins) -> None:
    """Another store would delete what it does not list; keys stay out of the address."""
    twins.laked("ingest", twins.write("traffic.jsonl", list(rows(range(3)))))
    other = Assay(twins.plain.folder, twins.plain.folder / "other.db")
    assert "another store" in other("init", "--lake", str(twins.lake), status=2).stderr
    assert "already" in twins.laked("init", "--lake", str(twins.lake.with_name("new")), status=2).stderr
    [event] = [event for event in twins.laked.json("events")["events"] if event["what"] == "lake"]
    assert event["detail"] == {"scheme": "folder"}
    assert "secret" not in other("init", "--lake", "s3://key:secret@bucket/x", status=2).stderr
