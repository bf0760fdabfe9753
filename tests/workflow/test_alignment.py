"""`assay align` against a real endpoint: what is tried, what is measured, what is put in force, and what never leaves."""

from __future__ import annotations

import json
from contextlib import closing
from typing import Any

import pytest

from annotate import Project
from annotate.analysis.calibration.labelled_scores import of_judge
from annotate.domain.alignment import NotAligned
from annotate.store import Store
from annotate.workflow.judging.alignment import AlignmentRequest
from annotate.workflow.judging.model_request import ModelRequest
from annotate.workflow.judging.runs import Options
from proxy.evaluation.alignment import fold_of, tunes
from proxy.judges.menu import MenuChoice
from proxy.llm.budget import estimated
from support.alignment import GUIDELINE, SECOND_GUIDELINE, SECRET, NoisyJudge, is_right, labelled
from support.endpoint import Endpoint
from support.replies import Ruling
from support.store import Assay, label

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("quick_retries")]


def align(assay: Assay, endpoint: Endpoint, *more: str, status: int = 0) -> dict[str, Any]:
    return assay.json("align", "overall", "--model", "m", "--base-url", endpoint.url, *more, status=status)


def users(endpoint: Endpoint) -> list[dict[str, Any]]:
    """The data of each request, probes aside."""
    texts = [turn["content"] for body in endpoint.bodies for turn in body["messages"] if turn["role"] == "user"]
    return [
        data
        for text in texts
        if text.startswith("{")
        for data in [json.loads(text)]
        if "question" in data or "cases" in data
    ]


def test_a_gain_is_found_measured_on_other_labels_and_put_in_force(assay: Assay) -> None:
    """With guidelines the model errs on 5 % in place of 35 %: AUROC .95 in place of .65, by construction."""
    labelled(assay, 200)
    with Endpoint(policy=NoisyJudge(told=0.05)) as endpoint:
        told = align(assay, endpoint)

    version = told["version"]
    assert told["not_aligned"] is None
    assert version["in_force"]
    assert version["guidelines"] == [GUIDELINE + "."]
    assert version["lowest"] > 0
    assert version["difference"]["low"] <= 0.3 <= version["difference"]["high"]
    assert sum(told["tuning"].values()) + sum(told["measuring"].values()) == 200
    assert version["difference"]["n"] == sum(told["measuring"].values())
    [event] = [event for event in assay.json("events")["events"] if event["what"] == "judge aligned"]
    detail = event["detail"] if isinstance(event["detail"], dict) else json.loads(event["detail"])
    assert detail.keys() == {
        *("judge", "signature", "replaces", "guidelines", "examples", "labels", "difference", "lowest"),
    }
    assert GUIDELINE not in str(event)


def test_without_a_gain_nothing_is_put_in_force(assay: Assay) -> None:
    """Guidelines and examples change which answers the model errs on, and not how many: the judge stays as it is."""
    labelled(assay, 200)
    with Endpoint(policy=NoisyJudge()) as endpoint:
        told = align(assay, endpoint)

    assert told["not_aligned"] in ("best_as_it_is", "not_shown")
    assert not assay.json("align", "--list")["versions"] or not told["version"]["in_force"]
    assert [event for event in assay.json("events")["events"] if event["what"] == "judge aligned"] == []


def test_no_label_that_measures_and_no_name_reaches_the_model(assay: Assay) -> None:
    """Examples and cases are of tuning questions alone, never of the question that is judged; annotators' names stay here."""
    labelled(assay, 120)
    with Endpoint(policy=NoisyJudge(told=0.05, shown=0.05)) as endpoint:
        align(assay, endpoint)

    tuning = {
        text
        for text, key in assay.sql("SELECT t.question, i.question FROM items i JOIN texts t USING (key)")
        if tunes(key, 0.3)
    }
    sent = users(endpoint)
    shown = [
        (data.get("question"), example)
        for data in sent
        for example in (data.get("examples") or data.get("cases") or [])
    ]
    assert {example["verdict"] for _, example in shown} == {"right", "wrong"}
    assert all(example["question"] in tuning for _, example in shown)
    assert all(example["question"] != question for question, example in shown)
    bodies = [json.dumps(body) for body in endpoint.bodies]
    assert not [body for body in bodies if "Notburga" in body]
    assert any("has looked it up" in body for body in bodies)


def test_labels_that_tuned_never_measure_the_judge(assay: Assay) -> None:
    """Once every answer has a score of the new version, its agreement still rests on the measuring labels alone."""
    labelled(assay, 200)
    with Endpoint(policy=NoisyJudge(told=0.05)) as endpoint:
        told = align(assay, endpoint)
        assay("judge", "--backend", "openai", "--model", "m", "--base-url", endpoint.url, "--judges", "overall")
        measured = len([body for body in endpoint.bodies if GUIDELINE in json.dumps(body)])
        assay("judge", "--backend", "openai", "--model", "m", "--base-url", endpoint.url, "--judges", "overall")
        assert len([body for body in endpoint.bodies if GUIDELINE in json.dumps(body)]) == measured

    signature = told["version"]["signature"]
    assert assay.sql(
        "SELECT count(*) FROM scores s JOIN judges j ON j.key = s.judge WHERE signature = ?", (signature,)
    ) == [(400,)]
    of_version = [judge for judge in assay.json("report", "--full")["judges"] if judge["signature"] == signature]
    measuring = sum(told["measuring"].values())
    assert [judge["auroc"]["n"] for judge in of_version] == [measuring]
    [curve] = assay.json("report")["learning_curves"]
    assert curve == assay.json("align", "--list")["curves"][0]
    assert [point["signature"] for point in curve["points"]] == [told["version"]["replaces"], signature]
    assert curve["right"] + curve["wrong"] == measuring
    assert "How well the versions of overall agree" in assay("report", "--full").output
    [change] = [change for change in assay.json("drift")["changes"] if change["after"] == signature]
    assert (change["labels"], change["anchors"]) == (measuring, measuring)
    with closing(Store(assay.db, reads_only=True)) as store:
        assert of_judge(store, "overall", signature).labels == measuring


def test_a_run_that_was_stopped_goes_on_without_paying_twice(assay: Assay) -> None:
    """Runs that their budget stops send each request once in all, and the last puts the version in force."""
    labelled(assay, 120)
    with Endpoint(policy=NoisyJudge(told=0.05)) as endpoint:
        options = Options(choice=MenuChoice(names=("overall",)), most_tokens=60_000)
        request = AlignmentRequest(judge="overall", request=ModelRequest(model="m", url=endpoint.url, options=options))
        runs = [Project.open(assay.db).align(request).result]
        while runs[-1].stopped:
            runs.append(Project.open(assay.db).align(request).result)
        asked = "SELECT judges, item, step FROM attempts WHERE outcome = 'ok' AND purpose = 'item'"
        assert assay.sql(f"SELECT count(*) FROM ({asked})") == assay.sql(
            f"SELECT count(*) FROM (SELECT DISTINCT * FROM ({asked}))"
        )

    assert len(runs) >= 3
    assert all(run.not_aligned is NotAligned.STOPPED and run.tokens <= 60_000 for run in runs[:-1])
    assert runs[-1].alignment
    assert runs[-1].alignment.is_in_force


def test_what_is_undone_is_asked_as_before(assay: Assay) -> None:
    """The version goes out of force with an event, and the judge's prompt is the old one."""
    labelled(assay, 200)
    with Endpoint(policy=NoisyJudge(told=0.05)) as endpoint:
        told = align(assay, endpoint)
        undone = assay.json("align", "overall", "--undo")
        before = len(endpoint.bodies)
        assay("judge", "--backend", "openai", "--model", "m", "--base-url", endpoint.url, "--judges", "overall")
        assert not [body for body in list(endpoint.bodies)[before:] if GUIDELINE in json.dumps(body)]

    assert undone["version"]["signature"] == told["version"]["signature"]
    assert not undone["version"]["in_force"]
    assert [event["what"] for event in assay.json("events")["events"]].count("judge alignment undone") == 1
    assert "no version of overall is in force" in assay("align", "overall", "--undo", status=2).stderr


def test_a_persons_guidelines_are_measured_like_any_other(assay: Assay) -> None:
    """An edited line is a version of its own, and the second measured one has a smaller share of the error."""
    labelled(assay, 200)
    file = assay.write("mine.txt", f"1. {GUIDELINE}\n\n- Keep to the leaflet.\n")
    with Endpoint(policy=NoisyJudge(told=0.05)) as endpoint:
        told = align(assay, endpoint, "--guidelines", file)
        again = align(
            assay,
            endpoint,
            "--guidelines",
            assay.write("more.txt", f"{GUIDELINE}\nKeep to the leaflet, and to its date.\n"),
        )

    assert told["version"]["guidelines"] == [GUIDELINE, "Keep to the leaflet."]
    assert told["version"]["in_force"]
    assert told["tried"] == []
    assert again["version"]["replaces"] == told["version"]["signature"]
    assert again["not_aligned"] == "not_shown"  # it errs as rarely as the version before it
    exported = assay("align", "overall", "--export", str(assay.folder / "out.txt"))
    assert (assay.folder / "out.txt").read_text() == f"{GUIDELINE}\nKeep to the leaflet.\n", exported.output


def test_few_labels_tune_nothing_and_ask_nothing(assay: Assay) -> None:
    """Of 20 labels too few tune: nothing is sent, and the next step is to label more."""
    labelled(assay, 20)
    with Endpoint(policy=NoisyJudge()) as endpoint:
        told = align(assay, endpoint)
        assert endpoint.requests == 0

    assert told["not_aligned"] == "few_tuning"
    assert told["next"][0]["commands"] == ["assay sample --labels 100"]


def test_a_dry_run_sends_nothing_and_says_what_the_labels_could_show(assay: Assay) -> None:
    """Before the judge has scored them the power is open; the estimate of calls is near what the run takes."""
    labelled(assay, 200)
    with Endpoint(policy=NoisyJudge(told=0.05)) as endpoint:
        plan = align(assay, endpoint, "--dry-run")
        assert (endpoint.requests, plan["smallest_gain"]) == (0, None)
        align(assay, endpoint)
        asked = assay.sql("SELECT count(*) FROM attempts WHERE purpose = 'item'")[0][0]
        after = align(assay, endpoint, "--dry-run")

    assert 0.7 * asked <= plan["calls"] <= 1.3 * asked
    assert after["smallest_gain"] > 0


def test_a_dry_run_counts_what_the_writer_of_guidelines_reads(assay: Assay) -> None:
    """A person's guidelines are asked of the measuring labels alone, once each; a model's of each tuning label 2.5 times as well.

    What is left of the difference, once the judge has scored all, are the three requests that the run then sends to the writer.
    """
    labelled(assay, 120)
    with Endpoint(policy=NoisyJudge(told=0.05)) as endpoint:
        assay("judge", "--backend", "openai", "--model", "m", "--base-url", endpoint.url, "--judges", "overall")
        of_person = align(assay, endpoint, "--guidelines", assay.write("mine.txt", f"{GUIDELINE}\n"), "--dry-run")
        of_model = align(assay, endpoint, "--dry-run")
        align(assay, endpoint)
        sent = [body["messages"] for body in endpoint.bodies if "`cases`" in body["messages"][0]["content"]]

    rounds = 2.5 * sum(of_model["tuning"].values()) / sum(of_model["measuring"].values())
    assert len(sent) == 3
    assert of_model["calls"] == round(of_person["calls"] * (1 + rounds)) + 3
    left = of_model["prompt_tokens"] - of_person["prompt_tokens"] * (1 + rounds)
    assert left == pytest.approx(sum(estimated(turn["content"]) for turns in sent for turn in turns), abs=3)


def test_the_share_that_tunes_is_decided_once(assay: Assay) -> None:
    """A label that tuned a judge may never measure it: another share is refused."""
    labelled(assay, 20)
    with Endpoint(policy=NoisyJudge()) as endpoint:
        align(assay, endpoint, "--tune", "0.2")
        refused = assay("align", "overall", "--model", "m", "--base-url", endpoint.url, "--tune", "0.4", status=2)
    assert "0.2 of the questions tune overall, for ever" in refused.stderr


def test_a_forgotten_answer_is_no_example_any_more(assay: Assay) -> None:
    """What was forgotten stands in no prompt afterwards, and nothing that versions said of it is kept."""
    labelled(assay, 200)
    with Endpoint(policy=NoisyJudge(shown=0.05, writes="")) as endpoint:
        told = align(assay, endpoint)
        assert told["version"]["kind"] == "examples"
        assert told["version"]["in_force"]
        names = [name for (name,) in assay.sql("SELECT i.id FROM trial_outcomes t JOIN items i ON i.key = t.item")]
        shown = [example["question"] for data in users(endpoint) for example in data.get("examples", [])]
        number = max(set(shown), key=shown.count).removeprefix("Where is room ").removesuffix("?")
        name = f"i{number}"
        assert name in names
        assay("forget", "--item", name, "--yes")
        before = len(endpoint.bodies)
        assay("judge", "--backend", "openai", "--model", "m", "--base-url", endpoint.url, "--judges", "overall")
        later = list(endpoint.bodies)[before:]

    assert later
    assert not [body for body in later if f"room {number}?" in json.dumps(body)]
    assert any("examples" in data for data in users(endpoint))
    assert assay.sql(
        "SELECT count(*) FROM trial_outcomes t JOIN items i ON i.key = t.item WHERE i.id = ?", (name,)
    ) == [(0,)]


def test_what_redaction_masks_is_in_no_prompt(assay: Assay, monkeypatch: pytest.MonkeyPatch) -> None:
    """Answers in examples and reasons of experts are masked as the answer is that is judged."""
    labelled(assay, 120)
    monkeypatch.chdir(assay.folder)
    assay.write(
        "assay.toml", "[redaction]\non = true\npatterns = ['(?P<FLOOR>ground floor)', '(?P<SOURCE>looked it up)']\n"
    )
    with Endpoint(policy=NoisyJudge(told=0.05)) as endpoint:
        align(assay, endpoint)
    sent = [body for body in map(json.dumps, endpoint.bodies) if "Where is room" in body]

    assert sent
    assert not [body for body in sent if "ground floor" in body or "looked it up" in body]
    assert any("examples" in data for data in users(endpoint))
    assert any("FLOOR" in body for body in sent)
    assert any("SOURCE" in body for body in sent)


def test_an_example_whose_label_changes_is_shown_no_more(assay: Assay) -> None:
    """The signature stays, and the answer is not shown with the other word."""
    labelled(assay, 200)
    with Endpoint(policy=NoisyJudge(shown=0.05, writes="")) as endpoint:
        told = align(assay, endpoint)
        shown = [example["question"] for data in users(endpoint) for example in data.get("examples", [])]
        name = "i" + max(set(shown), key=shown.count).removeprefix("Where is room ").removesuffix("?")
        word = "wrong" if is_right(int(name[1:])) else "right"
        assay("labels", "import", assay.write("again.jsonl", [label(name, word, annotator=SECRET)]))
        before = len(endpoint.bodies)
        assay("judge", "--backend", "openai", "--model", "m", "--base-url", endpoint.url, "--judges", "overall")
        later = [
            json.loads(turn["content"]) for body in list(endpoint.bodies)[before:] for turn in body["messages"][1:2]
        ]

    assert assay.sql("SELECT judgement FROM labels l JOIN items i ON i.key = l.item WHERE i.id = ?", (name,)) != [
        ("right" if word == "wrong" else "wrong",)
    ]
    asked = [example["question"] for data in later for example in data.get("examples", [])]
    assert asked
    assert f"Where is room {name[1:]}?" not in asked
    assert told["version"]["signature"] in {s for (s,) in assay.sql("SELECT DISTINCT judges FROM attempts")}


@pytest.mark.parametrize("judge", ["correctness_vs_reference", "semantic_similarity", "no_such_judge"])
def test_what_reads_a_reference_or_asks_for_no_verdict_cannot_learn(assay: Assay, judge: str) -> None:
    """Refused before anything is sent, with those that can."""
    labelled(assay, 20)
    with Endpoint(policy=NoisyJudge()) as endpoint:
        refused = assay("align", judge, "--model", "m", "--base-url", endpoint.url, status=2)
        assert endpoint.requests == 0
    assert "overall" in refused.stderr


def test_a_persons_guidelines_leave_masked_and_without_names(assay: Assay) -> None:
    """A name written without spaces around it is found too."""
    labelled(assay, 120)
    assay("labels", "import", assay.write("more.jsonl", [label("i0", "right", annotator="김철수")]))
    lines = f"김철수가 말한 대로, {GUIDELINE}. Ask {SECRET}.\n"
    with Endpoint(policy=NoisyJudge(told=0.05)) as endpoint:
        told = align(assay, endpoint, "--guidelines", assay.write("mine.txt", lines))
        bodies = [json.dumps(body, ensure_ascii=False) for body in endpoint.bodies]

    assert told["version"]["guidelines"] == [f"…가 말한 대로, {GUIDELINE}. Ask …."]
    assert not [body for body in bodies if "김철수" in body or "Notburga" in body]


def test_a_version_of_another_prompt_is_missed_aloud(assay: Assay, monkeypatch: pytest.MonkeyPatch) -> None:
    """Masking changes the judge's signature: it is asked without guidance, which is said with the commands that measure it anew."""
    labelled(assay, 200)
    monkeypatch.chdir(assay.folder)
    asking = ("judge", "--backend", "openai", "--model", "m", "--judges", "overall", "--base-url")
    with Endpoint(policy=NoisyJudge(told=0.05)) as endpoint:
        first = align(assay, endpoint)["version"]["signature"]
        as_before = assay(*asking, endpoint.url)
        assay.write("assay.toml", "[redaction]\non = true\npatterns = ['(?P<FLOOR>ground floor)']\n")
        masked = assay.json(*asking, endpoint.url)
        export, again = next(step["commands"] for step in masked["next"] if "learn again" in str(step))
        assay(*export.split()[1:])
        second = assay.json(*again.split()[1:])["version"]
        as_now = assay(*asking, endpoint.url)
        undone = assay.json("align", "overall", "--undo")["version"]["signature"]

    assert "without what experts taught it" not in as_before.output + as_now.output
    assert [note for note in masked["notes"] if first in note and "without what experts taught it" in note]
    assert second["in_force"]
    assert second["guidelines"] == [GUIDELINE + "."]
    assert undone == second["signature"] != first


def test_users_corrections_are_cases_beside_those_of_experts(assay: Assay) -> None:
    """Only of questions that tune and that no label speaks of, as what they are, and without names."""
    labelled(assay, 120)
    questions = dict(assay.sql("SELECT id, question FROM items"))
    labels = {name for (name,) in assay.sql("SELECT i.id FROM labels l JOIN items i ON i.key = l.item")}
    rows = [{"item_id": name, "value": "down", "correction": f"{SECRET} says upstairs, {name}."} for name in questions]
    assay("feedback", assay.write("feedback.jsonl", rows))
    with Endpoint(policy=NoisyJudge(told=0.05)) as endpoint:
        assay("judge", "--backend", "openai", "--model", "m", "--base-url", endpoint.url, "--judges", "overall")
        align(assay, endpoint)
        written = [data["cases"] for data in users(endpoint) if "cases" in data]
        bodies = [json.dumps(body) for body in endpoint.bodies]

    of_users = [[case for case in cases if "user_correction" in case] for cases in written]
    names = [str(case["user_correction"]).rpartition(" ")[2].rstrip(".") for cases in of_users for case in cases]
    assert [len(cases) for cases in of_users[:2]] == [4, 4]  # from all, experts' reasons come first and leave less room
    assert all("verdict" not in case and case["judge_score"] > 0.5 for cases in of_users for case in cases)
    assert all(len(cases) <= 12 and "verdict" in cases[0] for cases in written)
    assert not labels & set(names)
    assert all(tunes(questions[name], 0.3) for name in names)
    assert not [body for body in bodies if "Notburga" in body]
    halves = [{fold_of(questions[name]) for name in names[start : start + 4]} for start in (0, 4)]
    assert halves == [{1}, {0}]


def test_what_is_learned_later_adds_to_what_is_in_force(assay: Assay) -> None:
    """The writer is given the guidelines in force, every version tried has them, and both together are measured beside the first.

    With the first guideline the model errs on 20 %, with both on 2 %, by construction: with the second alone it would err on 45 %.
    """
    labelled(assay, 300)
    policies = [NoisyJudge(plain=0.45, told=0.2)]

    def policy(key: str, choices: tuple[str, ...], data: dict[str, Any], body: dict[str, Any]) -> Ruling:
        return policies[-1](key, choices, data, body)

    with Endpoint(policy=policy) as endpoint:
        first = align(assay, endpoint)["version"]
        sent, before = len(endpoint.bodies), len(users(endpoint))
        policies.append(NoisyJudge(plain=0.45, told=0.2, told_both=0.02, writes=SECOND_GUIDELINE))
        second = align(assay, endpoint)["version"]
        given = [data.get("guidelines") for data in users(endpoint)[before:] if "cases" in data]
        asked = [body for body in map(json.dumps, list(endpoint.bodies)[sent:]) if "Where is room" in body]

    assert first["in_force"]
    assert given == [[f"{GUIDELINE}."]] * 3
    assert asked
    assert all(GUIDELINE in body for body in asked)
    assert second["replaces"] == first["signature"]
    assert second["guidelines"] == [f"{GUIDELINE}.", f"{SECOND_GUIDELINE}."]
    assert second["in_force"]
