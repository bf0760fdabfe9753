"""Which draws are asked about passages: by chance, once, before they are sent; what comes back is kept and resolved."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from typing import Any

import pytest

from annotate.domain.passage_relevance import PassageRelevance
from annotate.store import Store
from annotate.workflow.labelling.passage_questions import decide
from annotate.workflow.labelling.push import PushRequest, push
from proxy.errors import UsageError
from support.passages import choice, relevance
from support.store import NOW, Assay, draw, label, read
from support.studio import DRAWS, Studio, again, named, pulled, verdict


def asked_keys(studio: Studio, project: int) -> set[str]:
    """The keys of the tasks of a project that ask about passages."""
    return {
        raw["data"]["external_id"]
        for raw in studio.tasks.values()
        if raw["project"] == project and raw["data"].get("asked")
    }


def decided(store: Store) -> dict[str, tuple[float, bool]]:
    """The decisions that the store keeps, by the key of the task."""
    questions = store.sampling.passage_questions.all()
    return {
        draw.task_key: (questions[draw.key].share, questions[draw.key].is_asked)
        for draw in store.sampling.waves.all_draws()
        if draw.key in questions
    }


def test_a_share_of_the_draws_is_asked_and_the_choice_stays(drawn: Store, studio: Studio) -> None:
    """Every draw has a decision with the share; the tasks ask where it says so; later pushes and shares change nothing of it."""
    done = push(drawn, studio, named(drawn, studio), PushRequest(asks_passages=True, share=0.5), now=NOW)
    first = decided(drawn)

    assert len(first) == DRAWS
    assert {share for share, _ in first.values()} == {0.5}
    asked = asked_keys(studio, 1)
    assert asked == {key for key, (_, is_asked) in first.items() if is_asked}
    assert 0 < done.asked == len(asked) < DRAWS
    assert again(drawn, studio, is_fresh=True, share=1.0)[0] == DRAWS
    assert decided(drawn) == first
    assert asked_keys(studio, 2) == asked


def test_what_was_answered_before_the_question_is_not_asked(drawn: Store, studio: Studio) -> None:
    """Another form is another project; the draw that had its answer has no decision, the others have share 1 at first."""
    again(drawn, studio)
    [answered, *open_keys] = studio.task_keys()
    studio.annotate(studio.task_of(answered), "right")
    pulled(drawn, studio)
    assert decided(drawn) == {}

    assert again(drawn, studio, asks_passages=True) == (DRAWS - 1, 0, DRAWS - 1)
    assert decided(drawn) == dict.fromkeys(open_keys, (1.0, True))
    assert again(drawn, studio, asks_passages=False) == (DRAWS - 1, 0, DRAWS - 1)
    assert asked_keys(studio, 3) == set()


def test_answers_are_kept_with_every_revision_and_resolved(drawn: Store, studio: Studio) -> None:
    """The label holds what the newest revision says; the log holds both."""
    again(drawn, studio, asks_passages=True)
    key = studio.task_keys()[0]
    task = studio.task_of(key)
    shown = len(studio.tasks[task]["data"]["asked"])
    first = [*verdict("right"), *relevance(*[True] * shown)]
    studio.annotate(task, "right", result=first)
    pulled(drawn, studio)
    studio._touch(task)
    record = studio.tasks[task]["annotations"][0]
    record |= {"result": [*first, choice("sufficient", "missing")], "updated_at": studio.tasks[task]["updated_at"]}
    pulled(drawn, studio)

    [item] = [draw for draw in drawn.sampling.waves.all_draws() if draw.task_key == key]
    log = [revision.annotation.passages for revision in drawn.labels.history(item.item_id)]
    assert shown
    assert log == [
        PassageRelevance(relevant=(True,) * shown),
        PassageRelevance(relevant=(True,) * shown, is_sufficient=False),
    ]
    assert drawn.labels.passages() == {item.item: log[-1]}


@pytest.mark.parametrize(
    "request_", [{"share": 0.5}, {"asks_passages": True, "share": 0.0}, {"asks_passages": False, "share": 1.0}]
)
def test_a_share_without_a_question_is_refused(drawn: Store, studio: Studio, request_: dict[str, Any]) -> None:
    """Before anything is sent."""
    with pytest.raises(UsageError, match="--ask"):
        again(drawn, studio, **request_)
    assert studio.markers == {}


@pytest.mark.slow
def test_labels_are_exported_with_what_was_said_of_passages_and_come_back(loaded: Assay) -> None:
    """A file of labels says it by rank, with a word for a passage that was passed over; odd words are refused by name."""
    draw(loaded, DRAWS)
    rows = [
        label("a", passage_relevance=["relevant", "unanswered"], context_sufficiency="Missing"),
        label("b", passage_relevance="Not relevant, relevant"),
        label("c"),
        label("d", passage_relevance=["perhaps"]),
    ]
    imported = loaded.json("labels", "import", loaded.write("labels.jsonl", rows), status=4)
    back = loaded.write("back.csv", [])
    loaded("labels", "export", str(back))
    again = loaded.json("labels", "import", str(back))

    with closing(Store(loaded.db)) as store:
        items = store.traffic.items.keys(["a", "b", "c"])
        given = store.labels.passages()
    assert given == {
        items["a"]: PassageRelevance(relevant=(True, None), is_sufficient=False),
        items["b"]: PassageRelevance(relevant=(False, True)),
    }
    assert imported["quarantined"] == 1
    assert again["quarantined"] == 0
    with closing(Store(loaded.db)) as store:
        assert store.labels.passages() == given


@pytest.mark.slow
def test_an_import_says_which_passage_labels_count_in_no_number(loaded: Assay) -> None:
    """Those of draws that were not asked, and of no draw."""
    draw(loaded, 5)
    with closing(Store(loaded.db)) as store:
        draws = store.sampling.waves.all_draws()
        decide(store, draws[:1], 1.0, now=NOW)
    drawn = [each.item_id for each in draws]
    names = [*drawn[:2], *sorted(set("abcdefgh") - set(drawn))[:1]]
    rows = [*(label(name, passage_relevance="relevant, relevant") for name in names), label(drawn[2])]
    asked = loaded.write("asked.jsonl", rows[:1])

    assert loaded.json("labels", "import", asked)["passages_unasked"] == 0
    assert "push --ask" not in loaded("labels", "import", asked).stdout
    imported = loaded.json("labels", "import", loaded.write("all.jsonl", rows))
    assert imported["passages_unasked"] == 2
    printed = " ".join(loaded("labels", "import", "all.jsonl").stdout.split())
    assert "2 labels speak of the passages of answers that were not asked" in printed
    assert "assay push --ask passages" in printed


def test_a_file_asks_by_chance_and_its_answers_count(loaded: Assay) -> None:
    """Without Label Studio: the rows say which are asked, the same again asks the same, and answers to others are in no number."""
    draw(loaded, DRAWS)
    loaded("draws", "export", "first.jsonl", "--blind", "--ask", "passages", "--share", "0.5")
    loaded("draws", "export", "again.jsonl", "--blind", "--ask", "passages")
    rows, again = (read(loaded.folder / name) for name in ("first.jsonl", "again.jsonl"))
    asked = [row["item_id"] for row in rows if row["ask_passages"] == "yes"]
    with closing(Store(loaded.db)) as store:
        known = {draw.key: draw.task_key for draw in store.sampling.waves.all_draws()}
        kept = store.sampling.passage_questions.all()

    assert [row["item_id"] for row in again if row["ask_passages"] == "yes"] == asked
    assert {known[key] for key, question in kept.items() if question.is_asked} == set(asked)
    assert {question.share for question in kept.values()} == {0.5}
    assert set(rows[0]) >= {"passage_relevance", "context_sufficiency"}
    assert len(rows) == DRAWS
    assert 0 < len(asked) < DRAWS
    filled = [
        row
        | {
            "label": "right",
            "annotator": "ann",
            "passage_relevance": "relevant, relevant",
            "context_sufficiency": "sufficient",
        }
        for row in rows
    ]
    imported = loaded.json("labels", "import", loaded.write("filled.jsonl", filled))
    passages = loaded.json("report")["passages"]

    assert imported["passages_unasked"] == DRAWS - len(asked)
    assert passages["asked"] == passages["answered"] == len(asked)
    assert "add --ask passages" in loaded("draws", "export", "x.csv", "--share", "0.5", status=2).stderr


RELEVANT = PassageRelevance(relevant=(True, False), is_sufficient=True)


@pytest.mark.parametrize(
    ("later", "kept", "count"),
    [
        ({}, RELEVANT, "unchanged"),
        ({"label": "wrong"}, RELEVANT, "revised"),
        ({"Context-Sufficiency": "missing"}, PassageRelevance(relevant=(True, False), is_sufficient=False), "revised"),
        ({"passage_relevance": ""}, PassageRelevance(is_sufficient=True), "revised"),
        ({"passage_relevance": "", "context_sufficiency": None}, None, "revised"),
    ],
    ids=repr,
)
def test_a_column_that_a_later_file_lacks_changes_nothing(
    loaded: Assay, later: dict[str, object], kept: PassageRelevance | None, count: str
) -> None:
    """An empty cell takes its answer back; the other column stays."""
    draw(loaded, DRAWS)
    first = label("a", passage_relevance="relevant, not relevant", context_sufficiency="sufficient")
    loaded("labels", "import", loaded.write("first.jsonl", [first]))

    imported = loaded.json("labels", "import", loaded.write("later.jsonl", [label("a") | later]))

    assert imported[count] == 1
    with closing(Store(loaded.db)) as store:
        assert store.labels.passages().get(store.traffic.items.keys(["a"])["a"]) == kept


def test_a_changed_choice_of_who_is_asked_is_found(drawn: Store, studio: Studio) -> None:
    """The decision is sealed: whoever turns it over behind the store is named by the check."""
    again(drawn, studio, asks_passages=True, share=0.5)
    assert drawn.check() == []
    with closing(sqlite3.connect(drawn.path)) as foreign:
        foreign.execute("UPDATE passage_questions SET is_asked = 1 - is_asked WHERE draw = 1")
        foreign.commit()

    [problem] = drawn.check()
    assert "draw 1: whether it is asked about passages is not as Assay wrote it" in problem
