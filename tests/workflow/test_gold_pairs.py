"""Near entries and what is decided of them: both stay, with the reason in the history, until a reference changes."""

from __future__ import annotations

import pytest

from annotate.analysis.gold.release import verify
from annotate.domain.gold import GoldEntry, GoldSource, Overtaken
from annotate.domain.gold.conflicts import Differing, differing
from annotate.domain.gold.splits import Shares
from annotate.store import Store
from annotate.workflow.gold import near_duplicates, release, review
from annotate.workflow.gold.near_duplicates import Seen
from annotate.workflow.gold.review import Actor
from proxy.errors import StoreError, UsageError
from support.gold import busy
from support.store import LATER

ANN = Actor("ann", LATER)


def entry(store: Store, item: str) -> GoldEntry:
    return next(listed for listed in store.gold.entries() if listed.item_id == item)


def pair(store: Store, *items: str) -> list[Seen]:
    return [Seen(listed.gold_id, listed.revision) for listed in (entry(store, item) for item in items)]


def near(store: Store) -> list[tuple[set[str], bool]]:
    names = {listed.gold_id: str(listed.item_id) for listed in store.gold.entries()}
    return [
        ({names[duplicate.first], names[duplicate.other]}, duplicate.is_conflict)
        for duplicate in near_duplicates.near(store)
    ]


def test_a_pair_that_is_kept_is_no_doubt_until_a_reference_changes(store: Store) -> None:
    """Conflicts come first; the decision holds through a mark and goes with an edit; saying it twice adds nothing."""
    busy(store)
    assert near(store) == [({"a", "b"}, True), ({"c", "d"}, False)]
    seen = pair(store, "a", "b")
    assert near_duplicates.keep_both(store, seen, ANN, why="two strengths are sold")
    assert not near_duplicates.keep_both(store, seen, ANN)
    assert near(store) == [({"c", "d"}, False)]

    last = store.gold.revisions(entry(store, "a").gold_id)[-1]
    assert (last.who, last.why) == ("ann", f"kept beside {entry(store, 'b').gold_id}: two strengths are sold")
    review.mark(store, [seen[0].gold_id], True, ANN)
    assert len(near(store)) == 1
    review.edit(store, seen[0].gold_id, "Take 6 ml.", GoldSource.APP, ANN)
    assert near(store)[0] == ({"a", "b"}, True)
    assert store.check() == []


def test_a_release_takes_what_a_person_keeps(store: Store) -> None:
    """A conflict stays out of a release until it is decided."""
    busy(store)

    def left_out(name: str) -> int:
        return release.release(store, name, Shares(), with_doubts=False, who="lead", now=LATER).conflicting

    assert left_out("before") == 2
    near_duplicates.keep_both(store, pair(store, "a", "b"), ANN)
    assert left_out("after") == 0


def test_nobody_decides_about_what_they_have_not_seen(store: Store) -> None:
    """Another revision, an unknown entry and a nameless person are refused, and nothing is written."""
    busy(store)
    seen = pair(store, "a", "b")
    review.mark(store, [seen[1].gold_id], True, ANN)
    before = store.gold.stamp()

    with pytest.raises(Overtaken, match="someone else"):
        near_duplicates.keep_both(store, seen, ANN)
    with pytest.raises(UsageError, match="no gold entry"):
        near_duplicates.keep_both(store, [seen[0], Seen("gold-x", 1)], ANN)
    with pytest.raises(UsageError, match="name"):
        near_duplicates.keep_both(store, pair(store, "a", "b"), Actor(" ", LATER))
    assert store.gold.stamp() == before


@pytest.mark.parametrize(
    ("text", "other", "expected"),
    [
        ("Take 5 mg.", "Take 50 mg.", Differing(("5mg",), ("50mg",), False, False, 1, 1)),
        ("Yes.", "No.", Differing((), (), True, False, 0, 1)),
        ("It is safe.", "It is not safe.", Differing((), (), False, True, 1, 1)),
    ],
)
def test_what_differs_is_told(text: str, other: str, expected: Differing) -> None:
    """Quantities of one side, a yes against a no, a denial, and words in common, as the rule for conflicts sees them."""
    difference = differing(text, other)

    assert difference[:4] == expected[:4]


def test_a_release_is_verified_against_its_hash(store: Store) -> None:
    """Whole and sound it gives its hash; one text changed behind its back, and it is said."""
    busy(store)
    verified = verify(store, "v1")
    assert (verified.hash, verified.entries, verified.forgotten) == (store.gold.releases.get("v1").hash, 5, 0)
    with store.atomic():
        store._db.conn.execute(
            "UPDATE gold_revisions SET reference = 'X' WHERE gold_id = ?", (entry(store, "c").gold_id,)
        )

    with pytest.raises(StoreError, match="does not fit the hash"):
        verify(store, "v1")
    with pytest.raises(UsageError, match="no release"):
        verify(store, "v9")
