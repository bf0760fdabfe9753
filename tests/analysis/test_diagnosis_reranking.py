"""Relevance lost in reranking: by known ids, else by one judge that reads as many passages of both lists."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from annotate.traffic.rows import item_from_row
from proxy.diagnosis import Lost, lost
from proxy.errors import InputError
from proxy.judges import OfflineContextRelevance
from proxy.judges.retrieval_fields import relevant_grades, retrieved
from proxy.records import Context, Item
from support.diagnosis import given, pointed, scored
from support.store import Assay, label, traffic_row

QUESTION = "When does the pharmacy open on Sunday?"
FITS = "On Sunday the pharmacy will open at nine."
BESIDE = ("Parking is behind the hall.", "Tea is served at noon.", "The lift is out of order.")


def passages(*texts: str, ids: str = "") -> tuple[Context, ...]:
    names = ids or " " * len(texts)
    return tuple(Context(text=text, id=name.strip() or None) for text, name in zip(texts, names, strict=True))


def fate(before: Sequence[Context], after: Sequence[Context], relevant: str = "") -> Lost:
    item = Item(id="a", question=QUESTION, answer="Never.", contexts=tuple(after))
    return lost(item, before, frozenset(relevant), OfflineContextRelevance(), 0.5)


def test_the_judge_finds_what_was_dropped_and_its_rank() -> None:
    """The only passage that fits stood second and was not kept."""
    assert fate(passages(BESIDE[0], FITS, BESIDE[1]), passages(BESIDE[0])) == Lost(is_lost=True, rank=2)


@pytest.mark.parametrize(
    ("before", "after", "is_lost"),
    [
        (BESIDE, BESIDE[:1], False),  # nothing relevant was ever there
        ((FITS, *BESIDE), (FITS,), False),  # it was kept
        ((FITS, *BESIDE), (), True),  # all were dropped
        ((), BESIDE, None),  # there is no list before
        (("", " "), BESIDE, None),  # nor any text in it
    ],
)
def test_the_judge_on_both_lists(before: Sequence[str], after: Sequence[str], is_lost: bool | None) -> None:
    """Lost only where the list before was relevant and what was kept is not."""
    assert fate(passages(*before), passages(*after)).is_lost is is_lost


def test_a_longer_list_is_not_more_relevant_by_its_length() -> None:
    """Each word of the question in another passage: all together hold it, any one that could be kept does not."""
    scattered = ("When is tea?", "The pharmacy moved.", "Shops open late.", "Sunday is quiet.")

    assert (
        OfflineContextRelevance().judge(Item(id="a", question=QUESTION, answer="", contexts=passages(*scattered))).value
        > 0.5
    )  # type: ignore[union-attr]
    assert fate(passages(*scattered), passages(scattered[0])).is_lost is False


@pytest.mark.parametrize(
    ("before", "after", "loss"),
    [
        ("abc", "a", Lost(is_lost=True, rank=2, by_ids=True)),
        ("abc", "b", Lost(is_lost=False, rank=2, by_ids=True, was_kept=True)),
        ("acd", "a", Lost(is_lost=False, by_ids=True)),
        ("", "a", Lost(None, by_ids=True)),
        ("", "b", Lost(None, by_ids=True, was_kept=True)),
    ],
)
def test_known_ids_decide_before_any_judge(before: str, after: str, loss: Lost) -> None:
    """Passage b is known to be relevant, whatever the words say."""
    assert (
        fate(passages(*[FITS] * len(before), ids=before), passages(*[BESIDE[0]] * len(after), ids=after), "b") == loss
    )


@pytest.mark.parametrize(
    ("before", "after", "loss"),
    [
        ((), passages(FITS), Lost(None)),  # it may be b
        ((), passages(FITS, BESIDE[0], ids="a "), Lost(None)),
        (passages(FITS, BESIDE[0]), passages(BESIDE[0]), Lost(is_lost=True, rank=1)),  # the judge's word
        (passages(BESIDE[0], FITS, ids="ab"), passages(BESIDE[1]), Lost(is_lost=True, rank=2, by_ids=True)),
        (passages(BESIDE[0], FITS, ids="ac"), passages(BESIDE[1]), Lost(is_lost=False, by_ids=True)),
    ],
)
def test_ids_decide_nothing_where_the_passages_carry_none(
    before: Sequence[Context], after: Sequence[Context], loss: Lost
) -> None:
    """That b was not retrieved is known only of a list whose passages all have ids."""
    assert fate(before, after, "b") == loss


def test_a_passage_that_lost_its_id_is_known_by_its_text() -> None:
    """Many apps hand on texts alone."""
    before = passages(BESIDE[0], FITS, ids="ab")

    assert fate(before, passages(FITS), "b").was_kept
    assert fate(before, passages(BESIDE[0]), "b").is_lost


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (["t"], (Context(text="t"),)),
        ([{"text": "t", "id": 1}], (Context(text="t", id="1"),)),
        ([{"id": "d", "score": 0.2}], (Context(text="", id="d"),)),
        ('["t", "u"]', (Context(text="t"), Context(text="u"))),
        (None, ()),
        ([], ()),
    ],
)
def test_the_list_before_comes_in_every_usual_shape(value: object, expected: tuple[Context, ...]) -> None:
    """As contexts do, and as ids alone."""
    assert (retrieved(item_from_row({"question": "q", "answer": "a", "retrieved": value}, {})) or ()) == expected


@pytest.mark.parametrize("value", [[7], [{}], [{"title": "t"}], 7, [None], [{"text": 3}]])
def test_a_list_that_holds_no_passages_is_refused_when_it_is_read(value: object) -> None:
    """The row itself is taken in: the answer counts whatever its list looks like."""
    item = item_from_row({"question": "q", "answer": "a", "retrieved": value}, {})

    with pytest.raises(InputError):
        retrieved(item)


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (["a", 7], {"a", "7"}),
        ("a", {"a"}),
        ('["a"]', {"a"}),
        ("a,b", {"a", "b"}),
        (" a | b,c ", {"a", "b,c"}),
        ("a;b,c", {"a", "b,c"}),
        ("1, 2", {"1", "2"}),
        ("x|y;z", {"x", "y", "z"}),
        ("p, q", {"p, q"}),
        ("r; s", {"r; s"}),
        (["a,b"], {"a,b"}),
        ({"a": 2, "b": 0, "c": "1"}, {"a", "c"}),
        ('{"a": 1, "b": 0}', {"a"}),
        (None, set()),
    ],
)
def test_relevant_ids_with_and_without_grades(value: object, expected: set[str]) -> None:
    """A grade of 0 is not relevant; a text is split unless the item knows it as a whole, first where a part is known."""
    row = {
        "question": "q",
        "answer": "a",
        "contexts": [{"id": "a", "text": "t"}, {"id": "p, q", "text": "u"}],
        "retrieved": [{"id": "b,c", "text": "r; s"}],
        "relevant_ids": value,
    }
    assert set(relevant_grades(item_from_row(row, {})) or ()) == expected


@pytest.mark.parametrize("value", [[["a"]], {"a": "much"}, "{a}", [1.5]])
def test_relevant_ids_that_are_none_are_refused_when_they_are_read(value: object) -> None:
    """An InputError, which the diagnosis counts."""
    with pytest.raises(InputError):
        relevant_grades(item_from_row({"question": "q", "answer": "a", "relevant_ids": value}, {}))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("more", "stage", "malformed"),
    [
        ({"retrieved": [{"id": "d1"}, {"id": "d9"}], "relevant_ids": ["d9"]}, "rerank", 0),
        ({"retrieved": [{"id": "d1"}, {"id": "d2"}], "relevant_ids": ["d9"]}, "retrieval", 0),
        ({"retrieved": [{"id": "d9"}], "relevant_ids": {"d9": 0}}, "retrieval", 0),
        ({"retrieved": ["Tea is served.", "Room a lies in the garden; where is it? In room a."]}, "rerank", 0),
        ({"retrieved": ["Tea is served.", "Coffee is served."]}, "retrieval", 0),
        ({"retrieved": [7]}, "retrieval", 1),
        ({"retrieved": "[broken"}, "retrieval", 0),
        ({"retrieved": [{"id": "d9"}], "relevant_ids": [["d9"]]}, "retrieval", 1),
        ({"retrieved": []}, "retrieval", 0),
    ],
)
def test_a_rerank_fault_is_told_from_retrieval(
    assay: Assay, more: dict[str, object], stage: str, malformed: int
) -> None:
    """By known ids, else by one judge on both lists; what cannot be read is counted and stops nothing."""
    contexts = [{"text": "Coffee is served on the roof.", "id": "d1"}]
    given(assay, [traffic_row("a", contexts=contexts, **more)], scored("a", 0.1, 0.9), [label("a", "wrong")])
    diagnosis = assay.json("diagnose")

    assert pointed(diagnosis) == [stage]
    assert diagnosis["malformed"] == malformed
    assert ("cannot be read" in assay("diagnose").stdout) == bool(malformed)


@pytest.mark.slow
def test_no_embedder_is_blamed_by_ids_that_no_passage_carries(assay: Assay) -> None:
    """Many apps log texts alone beside the ids of a gold list."""
    row = traffic_row("a", contexts=["Coffee is served on the roof."], relevant_ids=["d9"])
    given(assay, [row], scored("a", 0.1, 0.9), [label("a", "wrong")])
    causes = assay.json("diagnose")["systems"][0]["findings"][0]["causes"]  # none while no stage is named

    assert [cause["name"] for cause in causes if cause["is_likely"]] == []


@pytest.mark.slow
def test_the_list_before_reranking_may_lie_anywhere_in_a_row(assay: Assay) -> None:
    """`--map` finds it, and a row that names it as we do needs no map."""
    row = traffic_row("a", contexts=["Coffee is served."], trace={"docs": [{"id": "d1"}], "gold": ["d1"]})
    maps = ("--map", "retrieved=trace.docs", "--map", "relevant_ids=trace.gold")
    assay("ingest", assay.write("traffic.jsonl", [row]), *maps)
    assay("scores", "import", assay.write("scores.jsonl", scored("a", 0.1, 0.9)))
    assay("labels", "import", assay.write("labels.jsonl", [label("a", "wrong")]))

    assert pointed(assay.json("diagnose")) == ["rerank"]


@pytest.mark.parametrize(
    ("relevant", "shown"),
    [("d1; d9", "2 × d1 | d9"), ('{"d1": "much"}', "relevant_ids: a grade is a number"), ("", None)],
)
def test_a_dry_run_shows_the_relevant_ids_of_a_cell(assay: Assay, relevant: str, shown: str | None) -> None:
    """As they are read, or why they cannot be."""
    row = traffic_row("a", contexts=[{"text": "Coffee is served.", "id": "d1"}], relevant_ids=relevant)
    printed = assay("ingest", assay.write("traffic.jsonl", [row]), "--dry-run").stdout

    assert ("relevant_ids" in printed) is (shown is not None)
    assert shown is None or shown in printed
