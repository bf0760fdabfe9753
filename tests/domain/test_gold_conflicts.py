"""References of near-duplicate questions that say different things are found, and nothing is merged."""

from __future__ import annotations

import pytest

from annotate.domain.gold import GoldSource, GoldStatus
from annotate.domain.gold.conflicts import NearPair, differ, near_entries
from annotate.domain.gold.flags import by_entry, doubts
from support.gold import made_entry


@pytest.mark.parametrize(
    ("text", "other", "conflict"),
    [
        ("In 1987.", "1987", False),
        ("In 1987.", "In 1988.", True),
        ("5 mg", "50 mg", True),
        ("5 mg twice a day.", "5 mg twice a day, at most 10 mg.", False),  # says more, contradicts nothing
        ("Yes.", "No.", True),
        ("It is safe.", "It is not safe.", True),
        ("可以，但要慢慢走。", "不可以，要躺著。", True),
        (
            "Yes. Food and coffee are off limits for ten hours.",
            "Yes, but do not eat for ten hours, coffee included.",
            False,
        ),
        ("Press the reset link.", "Press the reset link on the first page.", False),
        ("Press the reset link.", "Call the help desk.", True),
        ("1889 | in 1890", "1890", False),  # one of the alternatives agrees
        ("每日最多 1200 毫克", "每日最多 2400 毫克", True),
        ("The same.", "the  same", False),
    ],
)
def test_what_is_a_conflict(text: str, other: str, conflict: bool) -> None:
    """Numbers, denials, or hardly a word in common; whichever comes first."""
    assert differ(text, other) is conflict
    assert differ(other, text) is conflict


def test_retired_entries_are_in_nobody_s_way() -> None:
    """Pairs are looked for among candidates and accepted entries alone."""
    entries = [
        made_entry("g1", reference="In 1987."),
        made_entry("g2", reference="In 1988.", status=GoldStatus.CANDIDATE),
        made_entry("g3", reference="In 1989.", status=GoldStatus.RETIRED),
        made_entry("g4", reference="In 1990."),
    ]
    questions = {"g1": "When was it?", "g2": "when was it", "g3": "When was it?", "g4": "Who are you?"}

    assert list(near_entries(entries, questions)) == [NearPair(first="g1", other="g2", is_conflict=True)]


def test_doubts_are_said_in_words() -> None:
    """The flag first, then conflicts, near-duplicates, and who could have written it."""
    entry = made_entry("g1", flag="the label says wrong", source=GoldSource.CORRECTION)
    pairs = [
        NearPair(first="g1", other="g2", is_conflict=True),
        *(NearPair(first=name, other="g1", is_conflict=False) for name in ("g3", "g4", "g5", "g6")),
    ]

    assert doubts(entry, by_entry(pairs)["g1"]) == [
        "the label says wrong",
        "says something else than g2, which asks nearly the same",
        "asks nearly the same as g3, g4, g5 and 1 more",
        "comes from an end user: anybody could have written it",
    ]
    assert doubts(made_entry("g7"), ()) == []
