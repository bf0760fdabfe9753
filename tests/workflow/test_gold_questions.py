"""A reference is of a question: written once, it corrects the wrong answers that its writer named, and no second one is unknowing."""

from __future__ import annotations

from collections.abc import Sequence

import orjson
import pytest

from annotate.analysis.gold import coverage
from annotate.domain.gold import GoldEntry, GoldSource, GoldStatus, Overtaken
from annotate.domain.gold.answers import UncorrectedAnswer
from annotate.domain.gold.drafts import ReferenceDraft
from annotate.domain.gold.splits import Shares
from annotate.store import Store
from annotate.workflow.gold import drafts, export, near_duplicates, release, review, writing
from annotate.workflow.gold.review import Actor
from proxy.errors import UsageError
from proxy.records import Item, Judgement, Turn
from support.gold import label
from support.store import NOW, Assay

ANN, BOB, LEAD = Actor("ann", NOW), Actor("bob", NOW), Actor("lead", NOW)
BEFORE = (Turn(role="user", text="It is for a child."),)


@pytest.fixture
def asked(store: Store) -> Store:
    """Three systems wrong and one right on one question; the same words after a conversation, and another question."""
    items = [
        *(Item(id=name, question=text, answer=f"Wrong {name}.", system=name) for name, text in QUESTIONS.items()),
        Item(id="good", question="How many?", answer="Three.", system="good"),
        Item(id="child", question="How many?", answer="Wrong child.", history=BEFORE),
        Item(id="other", question="How much?", answer="Wrong other."),
    ]
    with store.atomic(durable=True):
        store.traffic.items.add(items, now=NOW)
    for name in (*QUESTIONS, "child", "other"):
        label(store, name, Judgement.WRONG, harm="serious" if name == "other" else None)
    return store


QUESTIONS = {"a": "How many?", "b": "how  many?", "c": "HOW MANY?"}


def rows(store: Store, names: str) -> list[int]:
    return [store.traffic.items.key(name) for name in names.split()]


def write(
    store: Store, names: str, text: str = "Three a day.", who: Actor = ANN, left: str = "", **more: object
) -> str:
    """Write a reference for these answers, leaving others out because they differ."""
    left_out = [UncorrectedAnswer(row, "differs") for row in rows(store, left)]
    return writing.write(store, rows(store, names), text, GoldSource.APP, who, left_out=left_out, **more)  # type: ignore[arg-type]


def queue(store: Store) -> list[list[str]]:
    """The ids of the answers of each question that needs a reference, in its order."""
    return [store.traffic.items.ids(question.items) for question in store.gold.statistics.waiting()]


def accept(store: Store) -> list[GoldEntry]:
    review.set_status(store, {entry.gold_id: None for entry in store.gold.entries()}, GoldStatus.ACCEPTED, LEAD)
    return store.gold.entries()


def test_the_queue_counts_questions(asked: Store) -> None:
    """Case and spaces do not tell questions apart, the conversation before does; serious harm comes first."""
    assert queue(asked) == [["other"], ["a", "b", "c"], ["child"]]
    assert [question.is_serious for question in asked.gold.statistics.waiting()] == [True, False, False]
    assert sorted(asked.traffic.items.ids(asked.gold.without_reference())) == ["a", "b", "c", "child", "other"]


def test_one_reference_is_one_entry_for_all_answers_that_it_corrects(asked: Store) -> None:
    """The answer that is left out stays in the queue with the reason; the log names all three."""
    gold_id = write(asked, "b a", left="c", why="Leaflet")

    (entry,) = asked.gold.entries()
    assert (entry.gold_id, entry.item_id, entry.reference, entry.status) == (
        gold_id,
        "b",
        "Three a day.",
        GoldStatus.CANDIDATE,
    )
    assert asked.gold.revisions(gold_id)[-1].why == "Leaflet"
    assert queue(asked) == [["other"], ["c"], ["child"]]
    (left,) = asked.gold.answers.left_out(rows(asked, "a b c"))
    assert (left.gold_id, left.item, left.why, left.who) == (gold_id, rows(asked, "c")[0], "differs", "ann")
    event = asked.audit.events.all()[-1]
    assert (event.what, orjson.loads(event.detail)) == (
        "gold add",
        {"gold_id": gold_id, "item_id": "b", "corrected": ["b", "a"], "left_out": ["c"], "is_new": True},
    )
    assert asked.check() == []


@pytest.mark.parametrize(
    ("names", "left", "message"),
    [
        ("", "a", "at least one"),
        ("a child", "", "different questions"),
        ("a", "other", "different questions"),
        ("a a", "", "each answer once"),
        ("a", "a", "each answer once"),
    ],
)
def test_what_one_reference_cannot_correct_is_refused(asked: Store, names: str, left: str, message: str) -> None:
    """Nothing is written then."""
    with pytest.raises(UsageError, match=message):
        write(asked, names, left=left)
    with pytest.raises(UsageError, match="say why"):
        writing.write(
            asked, rows(asked, "a"), "T", GoldSource.APP, ANN, left_out=[UncorrectedAnswer(rows(asked, "b")[0], " ")]
        )

    assert asked.gold.entries() == []
    assert len(queue(asked)) == 3


def test_a_second_reference_is_written_by_who_has_seen_the_first_alone(asked: Store) -> None:
    """Through any answer to the question; both then stand in the list of near-duplicates as a conflict."""
    first = write(asked, "a b", "At most 3 a day.", left="c")
    with pytest.raises(Overtaken, match=first):
        write(asked, "c", "At most 6 a day.", BOB)
    assert [entry.gold_id for entry in asked.gold.answers.references(rows(asked, "c")[0])] == [first]

    second = write(asked, "c", "At most 6 a day.", BOB, known=[first])

    assert second != first
    assert queue(asked) == [["other"], ["child"]]
    assert write(asked, "child", "At most 1 a day.", BOB), "another conversation is another question"
    accept(asked)
    assert [(pair.first, pair.is_conflict) for pair in near_duplicates.near(asked)] == [(first, True)]


def test_the_same_text_is_the_same_reference(asked: Store) -> None:
    """Later, by somebody else, for the answer that was left out: one entry, one revision; twice is once."""
    first = write(asked, "a b", left="c")
    for _ in range(2):
        assert write(asked, "c", " Three a day. ", BOB, why="It does, after all") == first

    assert len(asked.gold.revisions(first)) == 1
    assert asked.gold.answers.left_out(rows(asked, "c")) == []
    added = [orjson.loads(event.detail) for event in asked.audit.events.all() if event.what == "gold add"]
    assert [(event["corrected"], event["is_new"]) for event in added] == [(["a", "b"], True), (["c"], False)]
    assert asked.gold.answers.corrected([first]) == {first: ["b", "c"]}


def test_an_answer_that_is_right_may_be_the_reference(asked: Store) -> None:
    """Its own entry corrects the others while its label stands, and no entry with the same words is made beside it."""
    label(asked, "good", Judgement.RIGHT)
    (entry,) = asked.gold.entries()
    assert write(asked, "a b c", "Three.") == entry.gold_id
    assert queue(asked) == [["other"], ["child"]]

    label(asked, "good", Judgement.WRONG)

    assert queue(asked) == [["other"], ["a", "b", "c", "good"], ["child"]]


def test_who_retires_or_forgets_a_reference_brings_its_answers_back(asked: Store) -> None:
    """Forgetting leaves no reason and no link of either."""
    first = write(asked, "a b", left="c")
    review.set_status(asked, {first: None}, GoldStatus.RETIRED, LEAD)
    assert queue(asked)[1] == ["a", "b", "c"]
    assert asked.gold.answers.left_out(rows(asked, "c")) == []
    review.set_status(asked, {first: None}, GoldStatus.CANDIDATE, LEAD)
    assert queue(asked)[1] == ["c"], "the same text corrects what it did"

    asked.audit.forgetting.forget_items(["a"], why=None, who="lead", now=NOW)

    assert queue(asked)[1] == ["b", "c"]
    assert asked._db.conn.execute("SELECT count(*) FROM gold_answers").fetchone()[0] == 0


def test_another_text_in_the_place_of_a_retired_one_corrects_what_its_writer_named_alone(asked: Store) -> None:
    """Whoever compared answers with the first text has not compared them with the second."""
    first = write(asked, "a b c")
    review.set_status(asked, {first: None}, GoldStatus.RETIRED, LEAD)
    assert write(asked, "a c", "Ask the ward.") == first
    assert queue(asked) == [["other"], ["b"], ["child"]]


def test_an_edit_of_what_stands_corrects_what_it_did(asked: Store) -> None:
    """A slip that is mended costs nobody a second reading; what stands in the place of a retired or flagged text is another."""
    first = write(asked, "a b", left="c")
    review.edit(asked, first, "Three.", GoldSource.APP, ANN)
    assert queue(asked)[1] == ["c"]

    review.set_status(asked, {first: None}, GoldStatus.RETIRED, LEAD)
    review.edit(asked, first, "Ask the ward.", GoldSource.APP, ANN)

    assert queue(asked)[1] == ["b", "c"]
    assert asked.gold.answers.left_out(rows(asked, "c")) == []


def test_a_candidate_that_follows_another_text_corrects_its_own_answer_alone(asked: Store) -> None:
    """The label offers another reference: nobody has compared the other answers with that one."""
    label(asked, "good", Judgement.RIGHT)
    write(asked, "a b c", "Three.")
    label(asked, "good", Judgement.WRONG, reference="Four.")

    assert [entry.reference for entry in asked.gold.entries()] == ["Four."]
    assert queue(asked)[1] == ["a", "b", "c"]


def test_a_person_who_is_forgotten_leaves_no_reason(asked: Store) -> None:
    """The pseudonym stands for the name."""
    write(asked, "a", left="b c")

    done, _ = asked.audit.forgetting.forget_annotator("ann", references=False, why=None, who="lead", now=NOW)

    kept = asked._db.conn.execute("SELECT DISTINCT who, why FROM gold_answers").fetchall()
    assert kept == [(done.pseudonym, None)]


def test_growth_roles_release_and_export_hold_one_entry(asked: Store) -> None:
    """Each answer counts as its reference stands; the file names the other answers that it corrects."""
    write(asked, "a b c")
    states = coverage.coverage(asked).whole.states
    assert states == {coverage.ReferenceState.REVIEW: 3, coverage.ReferenceState.MISSING: 2}
    (entry,) = accept(asked)
    assert coverage.coverage(asked).whole.states[coverage.ReferenceState.ACCEPTED] == 3

    made = release.release(asked, "v1", Shares(), with_doubts=False, who="lead", now=NOW)

    assert (made.release.entries, sum(made.roles.values())) == (1, 1)
    for exported in (export.rows(asked, None), export.gold_release.rows(asked, "v1", None)):
        (row,) = exported
        assert (row["gold_id"], row["item_id"], row["corrects"]) == (entry.gold_id, "a", ["b", "c"])


def test_an_imported_reference_of_the_same_words_is_the_question_s(asked: Store) -> None:
    """It has no item: a wrong answer that comes later finds it, and its text is not written again."""
    entry = GoldEntry(
        gold_id="gold-imported",
        item=None,
        item_id=None,
        reference="In May.",
        status=GoldStatus.CANDIDATE,
        source=GoldSource.IMPORT,
        annotator="lead",
        updated_at=NOW,
        question="When?",
    )
    with asked.atomic():
        asked.gold.write(entry, who="lead", why=None, now=NOW)
        asked.traffic.items.add([Item(id="when", question="When?", answer="In June.")], now=NOW)
    label(asked, "when", Judgement.WRONG)

    with pytest.raises(Overtaken):
        write(asked, "when", "In April.")
    assert write(asked, "when", "In May.") == "gold-imported"
    assert ["when"] not in queue(asked)


def test_a_draft_is_of_the_question(asked: Store) -> None:
    """Found through any of its answers, with what is left out; overtaken once no answer needs a reference."""
    (a, b, c), (other,) = rows(asked, "a b c"), rows(asked, "other")
    draft = ReferenceDraft(text="Three a day.", left_out=(UncorrectedAnswer(c, "differs"),))
    version = drafts.keep(asked, a, draft, ANN, None)
    drafts.keep(asked, b, ReferenceDraft(text="Bob's."), BOB, None)
    for row in (a, b, c):
        assert {kept.annotator for kept in asked.gold.drafts.of_question(row)} == {"ann", "bob"}
    assert asked.gold.drafts.of_question(other) == []
    assert version is not None

    gold_id = drafts.save(asked, [b, a, c], draft, ANN, [version])

    assert queue(asked)[1] == ["c"]
    assert [kept.annotator for kept in asked.gold.drafts.of_question(c)] == ["bob"]
    assert asked.gold.drafts.overtaken("bob") == []
    drafts.save(asked, [c], ReferenceDraft(text="Three a day."), ANN, [])
    assert asked.gold.drafts.overtaken("bob") == [b]
    assert [entry.gold_id for entry in asked.gold.entries()] == [gold_id]


@pytest.mark.slow
def test_the_command_says_the_same(loaded: Assay) -> None:
    """List and add name questions with their answers; the count is that of the queue."""
    question = {"question": "Which gate?", "contexts": ["Gate 7."]}
    traffic = [{**question, "id": f"g{n}", "answer": f"Gate {n}."} for n in range(3)]
    loaded("ingest", loaded.write("gates.jsonl", traffic))
    labels = [{"item_id": f"g{n}", "label": "wrong", "annotator": "ann"} for n in range(3)]
    loaded("labels", "import", loaded.write("gate-labels.jsonl", labels))

    listed = loaded.json("gold", "list")
    assert _asked(listed) == [["g0", "g1", "g2"]]
    assert listed["answers_without_reference"] == 3
    assert "questions that need a reference: 1 (wrong answers: 3)" in loaded("gold", "list").stdout
    added = loaded.json("gold", "add", "g0", "--reference", "Gate 7.", "--corrects", "g1")
    assert added["answers_left"] == ["g2"]
    refused = loaded("gold", "add", "g2", "--reference", "Gate 8.", status=2)
    assert added["gold_id"] in refused.stderr
    assert loaded.json("gold", "add", "g2", "--reference", "Gate 7.")["gold_id"] == added["gold_id"]
    listed = loaded.json("gold", "list")
    assert _asked(listed) == []
    assert [entry["corrects"] for entry in listed["gold"] if entry["gold_id"] == added["gold_id"]] == [["g1", "g2"]]
    loaded("gold", "accept", added["gold_id"])
    loaded("judge", "--judges", "token_f1")
    judges = {judge["judge"]: judge for judge in loaded.json("metrics", "--measured")["judges"]}
    assert judges["token_f1"]["own_references"] == 3, "it was written with the labels of all three"


def _asked(listed: dict[str, list[dict[str, Sequence[str]]]]) -> list[Sequence[str]]:
    return [question["item_ids"] for question in listed["without_reference"]]
