"""`assay questions` from a file of passages to the scores of systems whose abilities are known, and through kills."""

from __future__ import annotations

import json
import re
import signal
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from annotate import Project
from support.endpoint import Endpoint
from support.questions import KEEPS, NOISE, asker, house, tower_texts
from support.store import Assay, kept, read

REFUSAL = "I can not answer the question because of the insufficient information in documents."
DETECTED = "There are factual errors in the provided documents. The answer should be"


@kept
def built(assay: Assay) -> Assay:
    """A store without traffic, and with questions from a file of passages."""
    rows = [{"text": text, "id": f"d{place}"} for place, text in enumerate([*tower_texts(), *NOISE])]
    assay("questions", "build", assay.write("passages.jsonl", rows), "--distractors", "3")
    return assay


def items(assay: Assay) -> list[dict[str, object]]:
    assay("questions", "export", str(assay.folder / "items.jsonl"))
    return read(assay.folder / "items.jsonl")


def conditions(assay: Assay) -> dict[str, tuple[str, str]]:
    """The ability and the first expected text of each item, which no exported file tells."""
    query = "SELECT i.item_id, i.ability, q.expected FROM question_items i JOIN questions q USING (question_id)"
    return {
        str(name): (str(ability), " and ".join(group[0] for group in json.loads(str(expected))))
        for name, ability, expected in assay.sql(query)
    }


def answers(assay: Assay, says: Callable[[str, str, int], str], **more: object) -> str:
    """A file of a system's answers: what it says at an ability, of what is expected, at the place of the item."""
    known = conditions(assay)
    rows = [
        {"id": row["id"], "answer": says(*known[str(row["id"])], place), **more}
        for place, row in enumerate(items(assay))
    ]
    return assay.write("answers.jsonl", rows)


def perfect(ability: str, expected: str, place: int) -> str:
    if ability == "negative_rejection":
        return REFUSAL
    return f"{DETECTED} {expected}." if ability == "counterfactual_robustness" else f"It is {expected}."


def parrot(ability: str, expected: str, place: int) -> str:
    """Knows nothing, refuses nothing, finds no fault."""
    return "It is green."


@pytest.mark.parametrize(
    ("system", "value"),
    [(perfect, 1.0), (parrot, 0.0)],
)
def test_systems_are_scored_as_what_they_are(
    built: Assay, system: Callable[[str, str, int], str], value: float
) -> None:
    """One right at everything and one at nothing; where nothing was detected, nothing could be corrected."""
    scored = built.json("questions", "score", answers(built, system, system="new"))

    assert (scored["system"], scored["items"], scored["answered"]) == ("new", 42, 42)
    for score in scored["scores"]:
        is_defined = value or score["quantity"] != "error_correction"
        for marking in ("rgb", "fixed"):
            assert score[marking]["estimate"] == (value if is_defined else None)
            assert (score[marking]["low"] is not None) == bool(is_defined)
    shown = [
        (score["quantity"], score["noise_rate"], score["rgb"]["n"], score["passages"]) for score in scored["scores"]
    ]
    assert shown[:3] == [("noise_robustness", rate, 8, 4) for rate in (0.0, 0.5, 0.8)]
    assert shown[3:6] == [
        ("negative_rejection", None, 8, 4),
        ("information_integration", None, 2, 4),
        ("error_detection", None, 8, 4),
    ]


def test_the_export_is_traffic_that_tells_nothing(built: Assay) -> None:
    """No answer, no condition, no expected text beside the passages; and it is what `ingest` reads, once answered."""
    rows = items(built)

    assert len(rows) == 42
    assert {key for row in rows for key in row} == {"id", "question", "contexts", "group"}
    assert [row["id"] for row in rows] == sorted(str(row["id"]) for row in rows)
    assert "42" in built("questions", "export", str(built.folder / "items.csv")).output


@pytest.mark.slow
def test_python_gives_each_item_with_what_is_expected(built: Assay) -> None:
    """The frame holds what the exported file leaves out."""
    frame = Project.open(built.db).question_items()

    assert set(frame["id"]) == {row["id"] for row in items(built)}
    (row,) = frame[
        (frame["ability"] == "counterfactual_robustness") & (frame["question"].str.contains("tall is the Sky"))
    ].to_dict("records")
    assert (row["expected"][0][0], row["original"], row["noise_rate"]) == ("88 metres", "88", 0.0)
    assert row["contexts"][0]["text"].count(f"{row['replacement']} metres") == 1
    scored = Project.open(built.db).score_questions(answers(built, perfect)).result
    assert {score.rgb.estimate for score in scored.scores} == {1.0}


def test_rows_that_answer_nothing_are_told_of(built: Assay) -> None:
    """An unknown id, an id twice, a row without an answer: status 4, and the first answer counts."""
    (first, *_) = items(built)
    rows = [
        {"id": first["id"], "answer": "one"},
        {"id": first["id"], "answer": "two"},
        {"id": "nobody", "answer": "x"},
        {"id": first["id"]},
    ]
    result = built("questions", "score", built.write("few.jsonl", rows), status=4)

    assert "1 of 42 test items has an answer" in result.output
    for words in ("1 row has an id that no test item has", "1 row repeats an id", "1 row has no id or no answer"):
        assert words in result.output


@pytest.mark.slow
def test_systems_are_those_that_answer_test_questions(built: Assay) -> None:
    """Rows of traffic in the same file name no system; rows without one are offered as none."""
    first, second, *_ = items(built)
    traffic = [{"id": "t1", "answer": "x"}, {"id": "t2", "answer": "x", "system": "live"}]

    def file(*rows: dict[str, object]) -> str:
        return built.write("answers.jsonl", [*traffic, *rows])

    alone = file({"id": first["id"], "answer": "a", "system": "new"})
    assert built.json("questions", "score", alone, status=4)["system"] == "new"
    two = file(*({"id": first["id"], "answer": "a", "system": name} for name in ("old", "new")))
    output = " ".join(built("questions", "score", two, status=2).output.split())
    assert output.endswith("choose one with --system (new, old)")
    assert built.json("questions", "score", two, "--system", "old")["system"] == "old"
    assert "no row of system live in" in built("questions", "score", two, "--system", "live", status=2).output
    mixed = file({"id": first["id"], "answer": "a", "system": "new"}, {"id": second["id"], "answer": "a"})
    output = " ".join(built("questions", "score", mixed, status=2).output.split())
    assert output.endswith("choose one with --system (new); rows without a system are in none")
    assert "no row in" in built("questions", "score", built.write("none.jsonl", traffic), status=2).output


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        (["It is green."], "42 rows cannot be read, the first because of answer: expected text, found"),
        (None, "42 rows cannot be read, the first because of no answer"),
    ],
)
def test_answers_that_are_no_text_are_told_of(built: Assay, answer: object, reason: str) -> None:
    path = built.write("lists.jsonl", [{"id": row["id"], "answer": answer} for row in items(built)])

    assert reason in " ".join(built("questions", "score", path, status=2).output.split())


def test_an_empty_answer_is_wrong_and_a_missing_one_is_named(built: Assay) -> None:
    """Of each kind half are empty, so that half are right; four items are not answered at all."""
    known = conditions(built)
    by_condition: dict[object, int] = {}
    rows = []
    for row in items(built):
        ability, expected = known[str(row["id"])]
        key = (ability, len(row["contexts"]))  # type: ignore[arg-type]
        place = by_condition[key] = by_condition.get(key, -1) + 1
        rows.append({"id": row["id"], "answer": "" if place % 2 else perfect(ability, expected, place)})
    scored = built.json("questions", "score", built.write("half.jsonl", rows))
    output = " ".join(built("questions", "score", built.write("part.jsonl", rows[:-4])).output.split())
    named = ", ".join(str(row["id"]) for row in rows[-4:-1])

    assert [(score["fixed"]["estimate"], score["rgb"]["n"]) for score in scored["scores"][:6]] == [
        *[(0.5, 8)] * 4,
        (0.5, 2),
        (0.5, 8),
    ]
    assert (scored["answered"], scored["empty"], scored["unanswered"]) == (42, 21, [])
    first = "38 of 42 test items have an answer. 0 of 38 answered items are of questions that a person has accepted. "
    first += f"4 items have no answer and count nowhere: {named}, and 1 more. "
    assert re.match(re.escape(first) + r"\d+ answers are empty: they count as answers without the fact", output)


@pytest.mark.slow
def test_answers_that_copy_their_passages_are_counted(built: Assay) -> None:
    """Whoever gives back all of the passages is right at every noise rate, and told of; who gives back the first is not."""
    rows = items(built)
    several = sum(len(row["contexts"]) > 1 for row in rows)  # type: ignore[arg-type]
    texts = [[passage["text"] for passage in row["contexts"]] for row in rows]  # type: ignore[attr-defined, index]

    def scored(*answers: str) -> dict[str, Any]:
        given = [{"id": row["id"], "answer": answer} for row, answer in zip(rows, answers, strict=True)]
        return built.json("questions", "score", built.write("copies.jsonl", given))

    copied = scored(*(" ".join(passages[::-1]) for passages in texts))
    assert copied["copying"] == several == 26  # all but twice eight with one passage
    assert {score["fixed"]["estimate"] for score in copied["scores"][:3]} == {1.0}
    assert scored(*(min(passages, key=len) for passages in texts))["copying"] == 0
    output = " ".join(built("questions", "score", str(built.folder / "copies.jsonl")).output.split())
    assert "most of the words" not in output


@pytest.mark.slow
def test_answers_to_test_questions_never_become_traffic(built: Assay) -> None:
    """Ingested by mistake beside real traffic they go to quarantine with the way out, and only the real row counts."""
    real = {"id": "real", "question": "Q?", "answer": "A.", "contexts": ["C"]}
    rows = [*read(Path(answers(built, perfect))), real]
    given = [row if row is real else {**row, "question": "Q?", "contexts": []} for row in rows]
    result = built("ingest", built.write("mixed.jsonl", given), status=4)

    assert "score the file with `assay questions score FILE`" in result.output
    assert built.sql("SELECT id FROM items") == [("real",)]
    assert built.sql("SELECT count(*) FROM quarantine") == [(42,)]
    assert built.json("questions", "score", built.write("answers.jsonl", given), status=4)["answered"] == 42


def spans_of(row: dict[str, Any], number: int) -> list[dict[str, object]]:
    """The answer as an app would trace it: a search and the chain around it, as Phoenix' API writes them."""
    documents = {
        f"retrieval.documents.{place}.document.content": passage["text"]
        for place, passage in enumerate(row["contexts"])
    }
    chain = {"input.value": row["question"], "output.value": row["answer"]}
    return [
        {
            "context": {"trace_id": f"{number + 1:032x}", "span_id": name},
            "parent_id": parent,
            "name": name,
            "start_time": "2026-11-20T08:00:00+00:00",
            "end_time": "2026-11-20T08:00:01+00:00",
            "attributes": {"openinference.span.kind": kind, **attributes},
        }
        for name, parent, kind, attributes in (("b", "a", "RETRIEVER", documents), ("a", None, "CHAIN", chain))
    ]


@pytest.mark.slow
@pytest.mark.parametrize("form", ["without id", "own id", "masked", "traced"])
def test_answers_under_another_id_are_known_by_question_and_passages(built: Assay, form: str) -> None:
    """Passages in another order, as exported with redaction on or as spans: only what asks something else is added."""
    if form == "masked":
        (built.folder / "assay.toml").write_text("[redaction]\non = true\npatterns = ['Sky Needle']\n")
    asked = [{**row, "answer": "It is green.", "contexts": row["contexts"][::-1]} for row in items(built)]  # type: ignore[index]
    asked = [{key: value for key, value in row.items() if key != "id"} for row in asked]
    if form == "own id":
        asked = [{**row, "id": f"app-{number}"} for number, row in enumerate(asked)]
    own = {**asked[0], "id": "own", "contexts": [{"text": "My own passage."}]}
    rows = [*asked, own]
    if form == "traced":
        rows = [span for number, row in enumerate(rows) for span in spans_of(row, number)]
    built("ingest", built.write("mixed.jsonl", rows), status=4)

    assert built.sql("SELECT count(*) FROM items") == [(1,)]
    assert built.sql("SELECT count(*) FROM quarantine") == [(42,)]


@pytest.mark.parametrize(
    ("texts", "reason"), [(NOISE, "5 passages hold"), (NOISE[:1], "from 1 passage. 1 passage holds")]
)
def test_passages_without_a_plain_fact_are_left_to_a_model(assay: Assay, texts: tuple[str, ...], reason: str) -> None:
    passages = assay.write("prose.jsonl", [{"text": text} for text in texts])
    output = " ".join(assay("questions", "build", passages).output.split())

    assert f"{reason} no plain fact that a pattern asks for." in output
    assert f"assay questions build {passages} --model MODEL" in output


def test_a_list_in_brief_counts_the_questions_that_it_leaves_out(built: Assay) -> None:
    """Each question is shown as a whole or counted, in one place."""
    brief = built("questions", "list").output
    (more,) = re.findall(r"and (\d+) more: `--full` shows them", brief)

    assert brief.count("gold-") + int(more) == 10
    assert "more line" not in brief
    assert built("questions", "list", "--full").output.count("gold-") == 10


@pytest.mark.slow
def test_another_seed_says_that_items_come_beside_those_of_known_questions(built: Assay) -> None:
    """The eight questions are there, so that all that is new are items of theirs: the set grows, and the command says so."""
    command = (
        "questions",
        "build",
        str(built.folder / "passages.jsonl"),
        "--distractors",
        "3",
        "--seed",
        "5",
        "--multi",
        "0",
    )
    output = " ".join(built(*command).output.split())
    more = len(items(built)) - 42

    assert more > 0
    assert output.startswith(f"0 new test questions with {more} new items, from 9 passages.")
    assert "8 questions were there before." in output
    assert f"{more} of the new items belong to questions that were there before" in output
    assert "belong to questions" not in built(*command).output


@pytest.mark.slow
def test_people_decide_with_the_commands_of_the_gold_set(built: Assay) -> None:
    listed = built.json("questions", "list")["questions"]
    accepted = built("gold", "accept", listed[0]["gold_id"]).output
    retired = built.json("gold", "retire", listed[1]["gold_id"])

    assert "10 test questions: 9 waiting for a person, 1 accepted, 0 retired." in " ".join(accepted.split())
    assert (retired["retired"], retired["candidate"], retired["test_questions"]) == (
        0,
        0,
        {"candidate": 8, "accepted": 1, "retired": 1},
    )
    assert built.json("questions", "list")["counts"] == {"candidate": 8, "accepted": 1, "retired": 1}
    assert [each["gold_id"] for each in built.json("questions", "list", "--status", "accepted")["questions"]] == [
        listed[0]["gold_id"]
    ]
    assert len(items(built)) == 42 - listed[1]["items"]
    built("questions", "export", "--accepted", str(built.folder / "accepted.jsonl"))
    assert len(read(built.folder / "accepted.jsonl")) == listed[0]["items"]
    assert built.json("gold", "list")["gold"] == []
    scored = built.json("questions", "score", answers(built, perfect))
    assert (scored["accepted"], scored["answered"]) == (listed[0]["items"], 42 - listed[1]["items"])


@pytest.mark.parametrize(
    ("decided", "options", "reason"),
    [
        ((), ("--accepted",), "none of 10 test questions is accepted"),
        (("retire",) * 9, ("--accepted",), "none of 10 test questions is accepted"),
        (("retire",) * 10, (), "none of 10 test questions is left, all are retired"),
        (("retire",) * 10, ("--accepted",), "none of 10 test questions is left, all are retired"),
    ],
)
def test_where_no_question_counts_the_way_out_is_to_accept(
    built: Assay, decided: tuple[str, ...], options: tuple[str, ...], reason: str
) -> None:
    listed = built.json("questions", "list")["questions"]
    if decided:
        built("gold", "retire", *(question["gold_id"] for question in listed[: len(decided)]))

    for command in (("export", "-"), ("score", built.write("a.jsonl", [{"id": "a", "answer": "b"}]))):
        output = " ".join(built("questions", *command, *options, status=2).output.split())
        assert reason in output
        assert "assay gold accept GOLD_ID" in output


def test_what_is_not_there_is_said_with_the_way_out(assay: Assay) -> None:
    assay("ingest", assay.write("t.jsonl", [{"id": "a", "question": "Q?", "answer": "A.", "contexts": []}]))

    assert "give a file of passages" in assay("questions", "build", status=2).output
    assert "assay questions build" in assay("questions", "list").output
    assert "assay questions build" in assay("questions", "export", "-", status=2).output
    assert (
        "assay questions build" in assay("questions", "score", assay.write("a.jsonl", [{"id": "a"}]), status=2).output
    )
    assert "--noise x" in assay("questions", "build", "--noise", "x", status=2).output
    assert "--max-tokens is for --model" in assay("questions", "build", "--max-tokens", "5", status=2).output


@pytest.mark.slow
def test_a_run_that_is_killed_goes_on_from_what_came_back(assay: Assay) -> None:
    """Killed on the way; in the end every reply was asked for once, but for what was under way at the kill."""
    passages = assay.write("passages.jsonl", [{"text": text} for text in [*map(house, KEEPS), *NOISE]])
    with Endpoint(policy=asker, latency=0.05) as endpoint:
        arguments = ("questions", "build", passages, "--model", "m", "--base-url", endpoint.url, "--multi", "0")
        process = assay.start(*arguments, "--concurrency", "2")
        end = time.monotonic() + 60
        while endpoint.requests < 7 and process.poll() is None:
            assert time.monotonic() < end
            time.sleep(0.002)
        process.send_signal(signal.SIGKILL)
        process.communicate(timeout=60)
        (so_far,) = assay.sql("SELECT count(*) FROM question_replies")[0]
        last = assay.json(*arguments)
        requests, again = endpoint.requests, assay.json(*arguments)
        assert endpoint.requests == requests

    (kept,) = assay.sql("SELECT count(*) FROM question_replies")[0]
    assert 0 < so_far < kept == 13  # nine passages, and four round trips
    (probes,) = assay.sql("SELECT count(*) FROM attempts WHERE purpose = 'probe'")[0]
    assert (
        kept + probes <= requests <= kept + probes + 2 * 2 + 2
    )  # in flight at a kill: two requests, or one of a probe
    assert last["stopped"] is None
    assert (again["requests"], again["unchanged"], again["added"]) == (0, 4, {})
    assert assay.sql("SELECT count(*) FROM questions") == [(4,)]
