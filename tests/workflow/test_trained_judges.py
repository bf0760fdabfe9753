"""`assay judge --train`: what teaches, what is kept, which labels compare a trained judge, and when it is offered."""

from __future__ import annotations

import json
from contextlib import closing
from typing import Any

import pytest

from annotate import Project
from annotate.analysis.predictor import predictors
from annotate.analysis.trained_judges.supported_answers import TrainingAnswers, training_answers
from annotate.store import Store
from proxy.evaluation.learned_rule import is_training_unit
from proxy.text.numbers import NONE
from support.documents import check, check_model
from support.questions import tower_texts
from support.store import Assay, label, traffic_row
from support.trained_judges import RULE, TOWERS, TRAINED, judged, labelled, trained

pytestmark = pytest.mark.slow
JUDGE = "answer_relevance_trained"


def read(assay: Assay) -> TrainingAnswers:
    with closing(Store(assay.db)) as store:
        return training_answers(store)


def teaching(assay: Assay) -> set[str]:
    """The questions of the traffic whose role is to teach; each is a group of its own."""
    found = assay.sql("SELECT DISTINCT t.question, i.question FROM items i JOIN texts t USING (key)")
    return {question for question, key in found if is_training_unit(key)}


def test_only_questions_whose_role_is_to_teach_do(assay: Assay) -> None:
    """Each of them once, though two systems answered it, with the one passage that holds the reference; the others are counted."""
    answers = read(judged(assay))

    assert {answer.question for answer in answers.answers} == teaching(assay)
    assert len(answers.answers) == len(teaching(assay)) == answers.of_traffic == answers.asked
    assert answers.scoring == TOWERS - len(answers.answers)
    assert all("drew its plans" in context.text for answer in answers.answers for context in answer.contexts)
    assert (answers.of_gold, answers.unsupported) == (0, 0)


def test_accepted_gold_entries_teach_and_others_do_not(assay: Assay) -> None:
    """Imported entries teach with their passages; test entries, retired ones and what no passage supports do not."""
    entries = [
        {
            "question": f"Where is room {n}?",
            "reference": "On the roof.",
            "contexts": [f"Room {n} is on the roof."],
        }
        for n in range(30)
    ]
    assay("gold", "import", assay.write("gold.jsonl", entries))
    assert read(assay).of_gold == 0
    assay("gold", "accept", "--all")
    answers = read(assay)
    assert (answers.of_gold, answers.asked) == (30, 0)
    assert {answer.contexts[0].text for answer in answers.answers} == {f"Room {n} is on the roof." for n in range(30)}

    assay("gold", "release", "first")
    test_entries = assay.sql("SELECT count(*) FROM gold WHERE role IN ('test', 'between roles')")[0][0]
    assert 0 < test_entries < 30
    assert read(assay).of_gold == 30 - test_entries


def test_questions_built_from_passages_teach_until_somebody_retires_them(assay: Assay) -> None:
    """They are candidates: the round trip filtered them; a retired one teaches no longer."""
    passages = [{"text": text, "id": f"p{place}"} for place, text in enumerate(tower_texts())]
    added = assay.json("questions", "build", assay.write("passages.jsonl", passages))["added"]
    built = sum(added.values())
    assert built > 0
    assert read(assay).of_gold == built

    gold_id = assay.sql("SELECT gold_id FROM gold WHERE role = 'synthetic' ORDER BY gold_id")[0][0]
    assay("gold", "retire", gold_id)
    assert read(assay).of_gold == built - 1


def test_a_reference_that_no_retrieved_passage_supports_teaches_nothing(assay: Assay) -> None:
    """Passages that are named as the reference's own are believed; of retrieved ones the words decide. A malformed list is none."""
    held = "The key lies under the third stone."
    given = [
        traffic_row(
            f"{kind}{n}",
            question=f"{kind} {n}: where is the key?",
            reference="Under the third stone.",
            contexts=["Coffee is served on the roof."],
            **({"reference_contexts": own} if own else {}),
        )
        for kind, own in (("named", [held]), ("retrieved", None), ("malformed", [[1]]))
        for n in range(20)
    ]
    assay("ingest", assay.write("traffic.jsonl", given))
    answers = read(assay)

    count = {
        kind: sum(question.startswith(kind) for question in teaching(assay))
        for kind in ("named", "retrieved", "malformed")
    }
    assert len(answers.answers) == count["named"] > 0
    assert {answer.contexts[0].text for answer in answers.answers} == {held}
    assert answers.unsupported == count["retrieved"] + count["malformed"]


def test_training_keeps_models_that_score_and_puts_nothing_in_force(assay: Assay) -> None:
    """The models are JSON in the store, the same again after another training; the rule stays, and nothing is proposed."""
    rules = judged(assay).sql("SELECT * FROM rules")
    answer = assay.json("judge", "--train")
    assert [judge["judge"] for judge in answer["judges"]] == list(TRAINED)
    kept = dict(assay.sql("SELECT signature, settings FROM judges WHERE judge LIKE '%_trained'"))
    assert set(kept) == {judge["signature"] for judge in answer["judges"]}
    assert all(set(json.loads(text)) >= {"features", "weights", "intercept", "seed"} for text in kept.values())
    assert [judge["signature"] for judge in assay.json("judge", "--train")["judges"]] == list(kept)

    scored = assay.json("judge", "--judges", ",".join(TRAINED))
    assert [judge["scores"] for judge in scored["judges"]] == [2 * TOWERS] * 3
    assert not [step for step in scored["next"] if "_trained" in json.dumps(step)]
    report = assay.json("report")
    assert [each["difference"]["estimate"] for each in report["trained_judges"]] == [None] * 3
    assert not [step for step in report["next"] if "_trained" in json.dumps(step)]
    assert not {judge["judge"] for judge in assay.json("judge")["judges"]} & set(TRAINED)
    assert assay.sql("SELECT * FROM rules") == rules


def test_another_training_gives_another_judge_beside_the_first(assay: Assay) -> None:
    """By another seed: `--judges` names the newer one, the rule goes on reading the one that it was set on, and so does `judge`."""
    first = {judge["judge"]: judge["signature"] for judge in trained(assay).json("judge", "--train")["judges"]}
    assay("rule", "set", f"{JUDGE} > 0.5")
    second = {judge["judge"]: judge["signature"] for judge in assay.json("judge", "--train", "--seed", "1")["judges"]}
    assert not set(first.values()) & set(second.values())

    extra = assay.write("extra.jsonl", [traffic_row("extra")])
    assay("ingest", extra)
    assert {judge["signature"] for judge in assay.json("judge")["judges"]} >= {first[JUDGE]}
    assert assay.json("judge", "--judges", JUDGE)["judges"][0]["signature"] == second[JUDGE]
    assert assay.json("report")["unscored"] == 0


def test_where_labels_show_it_better_a_trained_judge_is_offered(assay: Assay) -> None:
    """The offline judge orders nine of ten answers wrongly: what is offered is a rule, which the user may set.

    Labels of questions that teach score neither the comparison, nor the judge alone, nor the rule; and it predicts no answer.
    """
    draws = labelled(assay).sql('SELECT d.key, i."group" FROM draws d JOIN items i ON i.key = d.item')
    others = {key for key, group in draws if not is_training_unit(group)}
    answer = Project.open(assay.db).report()
    report: dict[str, Any] = answer.to_dict()
    found = {each["judge"]: each for each in report["trained_judges"]}[JUDGE]
    alone = {each["judge"]: each["kappa"]["n"] for each in report["judges"]}
    assert [each["judge"] for each in report["trained_judges"] if each["better"]] == [JUDGE]
    assert 0 < found["lowest"] < found["difference"]["long_run"]["low"] < found["difference"]["estimate"]
    assert found["auroc"]["estimate"] > 0.8
    assert found["auroc_beside"]["estimate"] < 0.2
    assert found["difference"]["n"] == alone[JUDGE] == len(others) < len(draws)
    assert alone["answer_relevance"] == len(draws)
    with closing(Store(assay.db)) as store:
        assert not {judge for judge, _ in predictors(store)} & set(TRAINED)
    said = " ".join(check(answer.document).split())
    assert f"{JUDGE} orders right above wrong better than answer_relevance: AUROC +" in said

    [command] = [line for step in report["next"] for line in step["commands"] if "_trained" in line]
    expression = RULE.replace("answer_relevance", JUDGE)
    assert command == f"assay rule set '{expression}' --signature '{JUDGE}={found['signature']}'"
    assert report["rule"]["expression"] == RULE
    assay("rule", "set", expression, "--signature", f"{JUDGE}={found['signature']}")
    after = assay.json("report")
    assert not [step for step in after["next"] if f"{JUDGE} is shown" in step["words"]]
    assert after["kappa"]["n"] == len(others)
    assert after["correctness"]["n"] == len(draws)


def test_a_judge_that_no_question_of_the_traffic_taught_predicts_and_is_scored_by_all_labels(assay: Assay) -> None:
    """Taught by imported entries alone."""
    entries = [
        {
            "question": f"Which colour has house {n}?",
            "reference": f"House {n} is green since {1900 + n}.",
            "contexts": [f"In the old town house {n} is green since {1900 + n}, as the list of monuments says."],
        }
        for n in range(60)
    ]
    given = [
        traffic_row(f"r{n}", answer="Room 5 is on the roof." if n % 3 else f"Room r{n} is on the ground floor.")
        for n in range(90)
    ]
    assay("gold", "import", assay.write("gold.jsonl", entries))
    assay("gold", "accept", "--all")
    assay("ingest", assay.write("traffic.jsonl", given))
    assay("judge")
    assay("judge", "--train")
    assay("judge", "--judges", "faithfulness_trained")
    assay("sample", "--labels", "60", "--seed", "2")
    labels = [label(f"r{n}", "wrong" if n % 3 else "right") for n in range(90)]
    assay("labels", "import", assay.write("labels.jsonl", labels))

    [found] = [each for each in assay.json("report")["trained_judges"] if each["judge"] == "faithfulness_trained"]
    assert found["difference"]["n"] == 60
    with closing(Store(assay.db)) as store:
        assert "faithfulness_trained" in {judge for judge, _ in predictors(store)}


def test_a_malformed_model_is_refused_with_what_to_do(assay: Assay) -> None:
    """Whoever changes the settings by hand gets one line, and no score."""
    trained(assay)
    with closing(Store(assay.db)) as store, store.atomic():
        signature = store.scores.signatures()[JUDGE][0]
        store.scores.describe(JUDGE, signature, {"weights": ["__import__('os')"]})
    refused = assay("judge", "--judges", JUDGE, status=1)
    assert "train it again with `assay judge --train`" in refused.stderr
    assert "Traceback" not in refused.stderr


def test_what_the_command_refuses(assay: Assay) -> None:
    """A judge that was never trained, a seed without training, and training beside judging."""
    assay("ingest", assay.write("traffic.jsonl", [traffic_row("a")]))
    assert "run `assay judge --train`" in assay("judge", "--judges", JUDGE, status=2).stderr
    assert "--seed goes with --train" in assay("judge", "--seed", "1", status=2).stderr
    assert "leave --judges" in assay("judge", "--train", "--judges", JUDGE, status=2).stderr
    few = " ".join(assay("judge", "--train").stdout.split())
    assert few.startswith("0 judges trained on 0 references.")
    assert few.count("nothing was trained") == 3


def test_what_is_said_of_a_training(assay: Assay) -> None:
    """The same numbers in every language and medium, and JSON that holds to its schema; synthetic pairs are called so."""
    judged(assay)
    answer = Project.open(assay.db).train_judges()
    full = check(answer.document)
    check_model(answer.model)
    assert "on synthetic pairs that were held out" in full
    assert "only labels can say whether a trained judge is better" in " ".join(full.split())
    assert NONE not in full
    [event] = [event for event in assay.json("events")["events"] if event["what"] == "judges trained"]
    assert set(event["detail"]) == {"signatures", "seed", "answers"}
