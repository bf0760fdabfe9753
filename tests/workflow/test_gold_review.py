"""Reviewing by people: a second person where the team asks for one, and two who write at once lose nothing."""

from __future__ import annotations

import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import pytest

from annotate.domain.gold import GoldSource, GoldStatus, is_own
from annotate.store import Store
from annotate.workflow.gold import review, writing
from annotate.workflow.gold.review import Actor
from proxy.errors import UsageError
from proxy.records import Judgement
from support.gold import Say, ask_for_second_person, decide, entry, last, made_entry, steps
from support.store import LATER, NOW, Assay, add, item

RIGHT, WRONG, _ = Judgement
CANDIDATE, ACCEPTED, RETIRED = GoldStatus


@pytest.mark.parametrize(
    ("annotator", "who", "expected"),
    [
        ("ann@x.org", "ann@x.org", True),
        ("Ann@X.org", " ann@x.ORG ", True),
        ("ann@x.org", "Ann", True),
        ("bob@x.org, ann@x.org", "ann", True),
        ("ann@x.org, bob@x.org", "bob@x.org", True),
        ("Kim, MD", "kim, md", True),
        ("ＡＮＮ", "ann", True),
        ("ann", "anne", False),
        (None, "ann", False),
    ],
)
def test_who_stands_behind_a_reference(annotator: str | None, who: str, expected: bool) -> None:
    """A name in the app is taken for the address in Label Studio; several annotators stand in one field."""
    assert is_own(made_entry("g", annotator=annotator), who) is expected


@pytest.mark.parametrize("source", [GoldSource.WRITTEN, GoldSource.RIGHT_ANSWER, GoldSource.APP])
def test_nobody_accepts_their_own_where_a_second_person_is_asked_for(
    store: Store, say: Say, source: GoldSource
) -> None:
    """Whoever wrote it, called it right, or typed it in; another person may, and without the policy everybody."""
    say(
        "a",
        RIGHT if source is GoldSource.RIGHT_ANSWER else WRONG,
        reference="R" if source is GoldSource.WRITTEN else None,
    )
    if source is GoldSource.APP:
        with store.atomic():
            writing.write(store, [store.traffic.items.keys(["a"])["a"]], "R", source, Actor("ann", NOW))
    ask_for_second_person(store)
    with pytest.raises(UsageError, match="second person"):
        decide(store, ACCEPTED, who=" ANN")
    assert entry(store).status is CANDIDATE
    assert decide(store, ACCEPTED, who="bob") == 1

    decide(store, RETIRED, who="bob")
    ask_for_second_person(store, is_on=False)
    assert decide(store, ACCEPTED, who="ann") == 1


def test_an_edit_makes_the_editor_the_writer(store: Store, say: Say) -> None:
    """With the policy, an accepted entry that is edited is a candidate again, and its editor does not accept it."""
    say("a", WRONG, reference="R")
    ask_for_second_person(store)
    decide(store, ACCEPTED, who="bob")
    with store.atomic():
        assert review.edit(store, entry(store).gold_id, "Better.", GoldSource.APP, Actor("bob", LATER), why="typo")
    assert (entry(store).status, entry(store).reference) == (CANDIDATE, "Better.")
    assert last(store) == ("candidate", "bob", "typo")
    with pytest.raises(UsageError, match="second person"):
        decide(store, ACCEPTED, who="bob")

    assert decide(store, ACCEPTED, who="ann") == 1


def test_of_many_who_edit_at_once_one_wins(store_in_file: Store) -> None:
    """Eight connections with the same revision before their eyes: one edit is kept, seven are told."""
    store = store_in_file
    add(store, item("a"))
    gold_id = writing.write(store, [1], "R", GoldSource.APP, Actor("ann", NOW))
    seen = entry(store).revision

    def write(number: int) -> bool:
        mine = Store(store.path)
        try:
            return review.edit(
                *(mine, gold_id, f"By {number}.", GoldSource.APP, Actor(f"p{number}", NOW)), expected=seen
            )
        except UsageError:
            return False
        finally:
            mine.close()

    with ThreadPoolExecutor(8) as pool:
        won = list(pool.map(write, range(8)))

    assert won.count(True) == 1
    assert entry(store).reference == f"By {won.index(True)}."
    assert len(steps(store, gold_id)) == 2
    assert store.check() == []


def test_a_written_reference_is_not_overwritten_by_another(store: Store, say: Say) -> None:
    """The same text by the same person is the same; another person is sent to `edit`; a weak candidate gives way."""
    row = store.traffic.items.keys(["a"])["a"]
    say("a", RIGHT)

    def write(text: str, who: str) -> str:
        with store.atomic():
            return writing.write(store, [row], text, GoldSource.COMMAND, Actor(who, NOW), lacks_knowledge=True)

    assert write("Mine.", "ann") == write("Mine. ", "ann")
    assert len(steps(store, entry(store).gold_id)) == 2
    assert entry(store).lacks_knowledge
    with pytest.raises(UsageError, match="assay gold edit"):
        write("Yours.", "bob")
    assert entry(store).reference == "Mine."


def test_marks_are_kept_counted_and_taken_off(store: Store, say: Say) -> None:
    """Each change is a revision; the same mark again is none; retired entries are not counted."""
    say("a", RIGHT)
    gold_id = entry(store).gold_id
    assert review.mark(store, [gold_id, gold_id], True, Actor("lead", NOW)) == 1
    assert review.mark(store, [gold_id], True, Actor("lead", NOW)) == 0
    assert (entry(store).lacks_knowledge, store.gold.count_lacking()) == (True, 1)
    assert last(store)[2] == "marked: the knowledge base lacks this"
    decide(store, RETIRED)
    assert store.gold.count_lacking() == 0
    review.mark(store, [gold_id], False, Actor("lead", NOW))
    assert not entry(store).lacks_knowledge


def test_nobody_acts_without_a_name(store: Store, say: Say) -> None:
    """Every decision is signed."""
    say("a", RIGHT)
    with pytest.raises(UsageError, match="name"):
        review.set_status(store, {entry(store).gold_id: None}, ACCEPTED, Actor("  ", NOW))


@pytest.mark.slow
def test_a_killed_process_leaves_a_decision_whole_or_not_at_all(loaded: Assay) -> None:
    """Killed at many moments of accepting everything: entry, revision and event are there together or not at all."""
    rows = [{"item_id": name, "label": "right", "annotator": "ann"} for name in "abcdefgh"]
    loaded("labels", "import", loaded.write("l.jsonl", rows))
    for wait in range(0, 60, 6):
        process = subprocess.Popen(
            [sys.executable, "-m", "annotate", "gold", "accept", "--all", "--db", str(loaded.db)],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        try:
            process.wait(0.2 + wait / 60)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        accepted = loaded.sql("SELECT count(*) FROM gold WHERE status = 'accepted'")[0][0]
        steps = loaded.sql("SELECT count(*) FROM gold_revisions WHERE status = 'accepted'")[0][0]
        events = loaded.sql("SELECT count(*) FROM events WHERE what = 'gold accepted'")[0][0]
        assert (accepted, steps, events) in ((0, 0, 0), (8, 8, 1))
        if accepted:  # nothing is left to accept
            break
    assert loaded("doctor").exit_code == 0
