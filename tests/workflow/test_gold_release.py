"""Releases: hashed, never changed, compared, and read back exactly as they were made."""

from __future__ import annotations

import hashlib
import json
import sqlite3

import pytest

from annotate.analysis.gold.release import rows as rows_of
from annotate.domain.gold import GoldRole, GoldSource, GoldStatus
from annotate.domain.gold.release import Difference, Released, checked_name, content_hash, difference, manifest_hash
from annotate.domain.gold.splits import Shares
from annotate.store import Store
from annotate.workflow.gold import release as gold_release
from annotate.workflow.gold import review, writing
from annotate.workflow.gold.review import Actor
from proxy.errors import StoreError, UsageError
from proxy.records import Item, Judgement, Turn
from support.gold import ANSWER, Say, decide, entry
from support.store import LATER, NASTY, NOW

RIGHT, WRONG, _ = Judgement
ACCEPTED = GoldStatus.ACCEPTED
SHARES = Shares()


def release(store: Store, name: str, *, with_doubts: bool = False) -> gold_release.ReleaseResult:
    return gold_release.release(store, name, SHARES, with_doubts=with_doubts, who="lead", now=LATER)


def test_hashes_are_what_they_say() -> None:
    """Written out by hand: canonical JSON, a line an entry, sorted by gold id, escaped so that any text can be hashed."""
    content = content_hash("Wann?", "Im März \ud800", ["p1", "p2"])
    assert content == hashlib.sha256(b'["Wann?","Im M\\u00e4rz \\ud800",["p1","p2"]]').hexdigest()

    entries = [
        Released(gold_id="b", revision=7, content_hash="h2", role=None, lacks_knowledge=True),
        Released(gold_id="a", revision=9, content_hash="h1", role=GoldRole.TEST),
    ]
    lines = b'["a","h1","test",false]\n["b","h2",null,true]\n'
    assert manifest_hash(entries) == manifest_hash(entries[::-1]) == hashlib.sha256(lines).hexdigest()


def test_a_difference_names_every_kind_of_change() -> None:
    """Added, removed, changed text, another role, another mark; the same entry of a later revision is no change."""
    before = [Released(gold_id=name, revision=1, content_hash=name, role=GoldRole.TEST) for name in "abcde"]
    after = [
        Released(gold_id="a", revision=8, content_hash="a", role=GoldRole.TEST),
        Released(gold_id="b", revision=8, content_hash="b2", role=GoldRole.TEST),
        Released(gold_id="c", revision=1, content_hash="c", role=GoldRole.EXAMPLES),
        Released(gold_id="d", revision=1, content_hash="d", role=GoldRole.TEST, lacks_knowledge=True),
        Released(gold_id="f", revision=1, content_hash="f"),
    ]

    assert difference(before, after) == Difference(("f",), ("e",), ("b",), ("c",), ("d",))
    assert difference(before, before) == ((),) * 5


@pytest.mark.parametrize("name", ["", "  ", "two\nlines", "x" * 101, "\0", "\u202e3v"])
def test_a_name_can_be_typed_and_shown(name: str) -> None:
    """One line without signs that steer a terminal."""
    with pytest.raises(UsageError, match="name"):
        checked_name(name)


@pytest.mark.parametrize("name", ["2026-11 <b>x</b>", "../v3", "a/b", "a\\b", "C:", ".v3", "v3."])
def test_a_name_can_stand_in_the_name_of_a_file(name: str) -> None:
    """What some system refuses there is refused here, before anything is hashed; the usual names are not."""
    with pytest.raises(UsageError, match="names of files"):
        checked_name(name)
    assert [checked_name(f" {name} ") for name in ("2026-11", "v3.1 (final)", "第一版")] == [
        "2026-11",
        "v3.1 (final)",
        "第一版",
    ]


def test_a_release_holds_what_is_accepted_and_sure(store: Store, say: Say) -> None:
    """Candidates, flagged entries and conflicts stay out and are counted; --with-doubts takes the last two in."""
    for name in "abcd":
        say(name, RIGHT)
    for name in "abc":
        decide(store, ACCEPTED, name)
    say("c", WRONG)
    made = release(store, "v1")
    assert (made.release.entries, made.flagged, made.conflicting) == (2, 1, 0)
    assert [entry.gold_id for entry in store.gold.releases.entries("v1")] == sorted(
        entry(store, name).gold_id for name in "ab"
    )

    made = release(store, "v1-all", with_doubts=True)
    assert (made.release.entries, made.flagged, made.conflicting) == (3, 0, 0)


def test_conflicting_entries_stay_out(store: Store) -> None:
    """Two accepted references for one question that name other years: neither is released."""
    with store.atomic():
        store.traffic.items.add(
            [Item(id=n, question="When was it?", answer=a) for n, a in (("a", "In 1987."), ("b", "1988"))], now=NOW
        )
        for item in store.traffic.items.keys(["a", "b"]).values():
            text = store.traffic.items.get(item).answer
            known = [entry.gold_id for entry in store.gold.entries()]
            writing.write(store, [item], text, GoldSource.APP, Actor("ann", NOW), known=known)
        every = [entry.gold_id for entry in store.gold.entries()]
        review.set_status(store, dict.fromkeys(every), ACCEPTED, Actor("lead", NOW))
    with pytest.raises(UsageError, match="--with-doubts"):
        release(store, "v1")
    made = release(store, "v1", with_doubts=True)

    assert made.release.entries == 2
    assert len({entry.role for entry in store.gold.releases.entries("v1")}) == 1


def test_a_release_never_changes(store: Store, say: Say) -> None:
    """Its name is given once, its rows refuse a change, and later edits leave its hash and its texts alone."""
    say("a", RIGHT)
    decide(store, ACCEPTED)
    first = release(store, "v1").release
    with pytest.raises(UsageError, match="already"):
        release(store, "v1")
    again = release(store, "v1-again")
    assert (again.same_as, again.release.hash) == ("v1", first.hash)
    for change in ("UPDATE release_entries SET role = 'test'", "DELETE FROM releases"):
        with pytest.raises(sqlite3.IntegrityError, match="never changed"), store.atomic():
            store._db.conn.execute(change)
    with store.atomic():
        review.edit(store, entry(store).gold_id, "Edited.", GoldSource.APP, Actor("lead", LATER))
    made = release(store, "v2")
    second = made.release

    assert made.same_as is None
    assert store.gold.releases.all() == [first, again.release, second]
    assert first.hash == manifest_hash(store.gold.releases.entries("v1")) != second.hash
    assert [(text.question, text.reference) for text in store.gold.releases.texts("v1")] == [("Q a?", ANSWER)]
    assert [text.reference for text in store.gold.releases.texts("v2")] == ["Edited."]
    changes = difference(store.gold.releases.entries("v1"), store.gold.releases.entries("v2"))
    assert changes == Difference((), (), (entry(store).gold_id,), (), ())
    assert store.check() == []


def test_releases_and_events_hold_no_text_and_no_name(store: Store, say: Say) -> None:
    """Who made it stands as a key; the reference and the question stand nowhere."""
    say("a", RIGHT, annotator="Ann Example")
    decide(store, ACCEPTED)
    release(store, "v1")
    rows = [
        *store._db.conn.execute("SELECT * FROM releases"),
        *store._db.conn.execute("SELECT * FROM release_entries"),
        *store._db.conn.execute("SELECT * FROM events"),
    ]

    assert store.gold.releases.get("v1").who == "lead"
    assert not [row for row in rows if any(word in str(row) for word in ("lead", "Ann", "Q a", ANSWER))]


def test_the_same_set_has_the_same_hash_in_another_store(
    store: Store, say: Say, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """Ids, texts and roles come from content alone."""
    second_store = Store(tmp_path_factory.mktemp("other") / "other.db")
    hashes = []
    for place, each_store in enumerate((store, second_store)):
        if place:
            with each_store.atomic():
                each_store.traffic.items.add(
                    [Item(id=name, question=f"Q {name}?", answer=ANSWER) for name in "edcba"], now=LATER
                )
        with each_store.atomic():
            for name in "ab":
                item = each_store.traffic.items.keys([name])[name]
                writing.write(each_store, [item], f"R {name}", GoldSource.APP, Actor(f"who{place}", NOW))
            review.set_status(
                each_store, dict.fromkeys([e.gold_id for e in each_store.gold.entries()]), ACCEPTED, Actor("lead", NOW)
            )
        hashes.append(release(each_store, f"v{place}").release.hash)
    second_store.close()

    assert hashes[0] == hashes[1]


def test_forgotten_texts_are_null_and_damaged_ones_are_named(store: Store) -> None:
    """A text that was blanked is exported as null with a mark; one that was changed behind our back is an error."""
    with store.atomic():
        store.traffic.items.add([Item(id=n, question=f"Q {n} {NASTY}", answer="A") for n in "ab"], now=NOW)
        for item in store.traffic.items.keys(["a", "b"]).values():
            writing.write(store, [item], f"R {NASTY}", GoldSource.APP, Actor("ann", NOW))
        review.set_status(store, dict.fromkeys([e.gold_id for e in store.gold.entries()]), ACCEPTED, Actor("lead", NOW))
    release(store, "v1")
    gold_id = entry(store).gold_id
    with store.atomic():
        store._db.conn.execute("UPDATE gold_revisions SET reference = '(forgotten)' WHERE gold_id = ?", (gold_id,))
    rows = {row["item_id"]: row for row in rows_of(store, "v1", None)}
    assert (rows["a"]["question"], rows["a"]["reference"], rows["a"]["contexts"], rows["a"]["forgotten"]) == (
        *(None, None, None),
        True,
    )
    assert (rows["b"]["reference"], rows["b"]["forgotten"]) == (f"R {NASTY}".strip(), False)
    assert json.dumps(rows["b"]["content_hash"])

    with store.atomic():
        store._db.conn.execute("UPDATE gold_revisions SET reference = 'Other.' WHERE gold_id = ?", (gold_id,))
    with pytest.raises(StoreError, match=gold_id):
        list(store.gold.releases.texts("v1"))


def test_roles_are_settled_once(store: Store, say: Say) -> None:
    """The same entry keeps its role in every later release, whatever the shares are then."""
    for name in "abcde":
        say(name, RIGHT)
        decide(store, ACCEPTED, name)
    release(store, "v1")
    before = {entry.gold_id: entry.role for entry in store.gold.releases.entries("v1")}
    gold_release.release(
        *(store, "v2", Shares(test=0, calibration=0, examples=1)), with_doubts=False, who="lead", now=LATER
    )

    assert {entry.gold_id: entry.role for entry in store.gold.releases.entries("v2")} == before
    assert {entry.gold_id: entry.role for entry in store.gold.entries()} == before
    wanted = next(iter(before.values()))
    held = {text.entry.gold_id for text in store.gold.releases.texts("v1", wanted)}
    assert held == {name for name, role in before.items() if role is wanted}


def test_rows_of_a_role_are_whole_across_batches(store: Store, say: Say, monkeypatch: pytest.MonkeyPatch) -> None:
    """Five entries, two read at a time: each with its own question, all or those of one role."""
    monkeypatch.setattr("annotate.store.gold.entries.BATCH", 2)
    for name in "abcde":
        say(name, RIGHT)
        decide(store, ACCEPTED, name)
    release(store, "v1")
    roles = {entry.gold_id: entry.role for entry in store.gold.releases.entries("v1")}

    assert {row["item_id"]: row["question"] for row in rows_of(store, "v1", None)} == {n: f"Q {n}?" for n in "abcde"}
    for role in GoldRole:
        ids = {row["gold_id"] for row in rows_of(store, "v1", role)}
        assert ids == {name for name, given in roles.items() if given is role}


def test_the_same_words_after_another_conversation_are_no_conflict(store: Store) -> None:
    """Two follow-ups that read alike have references of their own, and both are released."""
    turns = {"a": (Turn(role="user", text="How much ibuprofen?"),), "b": (Turn(role="user", text="How much aspirin?"),)}
    with store.atomic():
        store.traffic.items.add(
            [Item(id=name, question="And for children?", answer="A", history=turns[name]) for name in "ab"], now=NOW
        )
        for name, item in store.traffic.items.keys(["a", "b"]).items():
            writing.write(store, [item], {"a": "200 mg", "b": "None."}[name], GoldSource.APP, Actor("ann", NOW))
        review.set_status(store, dict.fromkeys([e.gold_id for e in store.gold.entries()]), ACCEPTED, Actor("lead", NOW))

    assert release(store, "v1").release.entries == 2
