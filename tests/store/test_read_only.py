"""A store that cannot be written opens for reading; pages answer, a copy holds every row, and nothing is left out unsaid."""

from __future__ import annotations

import json
import shutil
import sqlite3
from contextlib import closing
from runpy import run_path

import pytest

from annotate.pages.kit.server import app_file
from annotate.store import Store
from proxy.errors import StoreError
from proxy.records import Item
from support.read_only import IN_ONE_PLACE, bound, bound_script, dump
from support.store import Assay, traffic_row

# Prints, by page, how often opening it ended in an exception that the app shows.
OPENS_PAGES = """
import json, sys
from runpy import run_path
from streamlit.testing.v1 import AppTest
from streamlit.util import calc_hash
from annotate.pages.kit.server import FIRST_PAGE, app_file

shown = {}
for name in run_path(str(app_file()))["PAGES"]:
    page = AppTest.from_file(str(app_file()), default_timeout=60)
    page._page_hash = calc_hash(name) if name != FIRST_PAGE else ""
    page.run()
    shown[name] = [len(page.title), *(error.message for error in page.exception)]
print()
print(json.dumps(shown))
"""


@pytest.mark.slow
@IN_ONE_PLACE
def test_what_a_page_shows_is_read_from_a_store_that_cannot_be_written(
    locked: Assay, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every page of the app has its title and no exception, and no byte of the file is another after it."""
    monkeypatch.setenv("ASSAY_DB", str(locked.db))
    before = locked.db.read_bytes()
    shown = json.loads(bound_script(locked, OPENS_PAGES).splitlines()[-1])

    pages = run_path(str(app_file()))["PAGES"]
    assert shown == {name: [1] for name in pages}
    assert locked.db.read_bytes() == before


@pytest.mark.slow
@IN_ONE_PLACE
def test_a_store_that_cannot_be_written_is_copied(locked: Assay, tmp_path_factory: pytest.TempPathFactory) -> None:
    """The copy holds every row and is sound; older backups beside a store that cannot be written are no business of it."""
    there = tmp_path_factory.mktemp("copies")
    there.chmod(0o777)
    [(status, _, err), (kept, _, why)] = bound(
        locked, ("backup", str(there / "copy.db")), ("backup", str(there / "other.db"), "--keep", "1")
    )
    assert (status, err) == (0, "''")
    assert (kept, "--keep" in why) == (1, True)
    assert dump(Assay(there, there / "copy.db")) == dump(locked)


@pytest.mark.slow
def test_an_export_of_texts_is_logged_where_the_store_can_be_written(half_labelled: Assay) -> None:
    """And so is a copy, which holds them all."""
    half_labelled("draws", "export", str(half_labelled.folder / "draws.csv"))
    half_labelled("backup", str(half_labelled.folder / "copy.db"))
    assert half_labelled.sql("SELECT what FROM events ORDER BY sequence DESC LIMIT 2") == [
        ("backup",),
        ("draws export",),
    ]


def test_a_store_that_is_open_for_reading_refuses_to_write(half_labelled: Assay) -> None:
    """Whoever answers a question by mistake through a write hears of it at once."""
    with closing(Store(half_labelled.db, reads_only=True)) as store:
        with pytest.raises(StoreError, match="read-only"), store.atomic():
            store.traffic.items.add([Item(id="new", question="q", answer="a")], now="2026-11-21T00:00:00.000Z")
        assert store.traffic.items.count() == 40


@pytest.mark.slow
def test_a_store_without_a_rule_in_force_is_looked_at_without_one(assay: Assay) -> None:
    """A run that was killed left scores and no rule: the report is of the rule that `assay judge` would set, and sets none."""
    assay("ingest", assay.write("traffic.jsonl", [traffic_row(f"t{k}") for k in range(8)]))
    assay("judge")
    assay.sql("DELETE FROM verdicts")
    assay.sql("DELETE FROM rules")
    assay.sql("PRAGMA wal_checkpoint(TRUNCATE)")
    assay.folder.chmod(0o555)
    assay.db.chmod(0o444)
    try:
        [ended] = bound(assay, ("report", "--json"))
    finally:
        assay.folder.chmod(0o755)

    assert ended.status == 0, ended.err
    content = json.loads(ended.out)
    assert (content["items"], content["judged"], content["rule"]["name"]) == (8, 8, "default")
    assert assay.sql("SELECT count(*) FROM rules") == [(0,)]


@pytest.mark.slow
def test_a_log_that_cannot_be_read_is_said_and_never_left_out(half_labelled: Assay) -> None:
    """Changes that lie in the log beside the file are changes; without its index, which cannot be made, none would be seen."""
    writer = sqlite3.connect(half_labelled.db)
    writer.execute("PRAGMA wal_autocheckpoint = 0")
    writer.execute("UPDATE items SET language = 'xx'")
    writer.commit()
    copy = half_labelled.folder / "there"
    copy.mkdir()
    for ending in ("", "-wal"):
        shutil.copy(f"{half_labelled.db}{ending}", copy / f"assay.db{ending}")
    writer.close()
    for path in copy.iterdir():
        path.chmod(0o444)
    copy.chmod(0o555)
    try:
        [ended] = bound(Assay(copy, copy / "assay.db"), ("report",))
    finally:
        copy.chmod(0o755)

    assert ended.status == 1
    assert "assay.db-wal" in ended.err
    assert ended.err.count("\n") == 1
