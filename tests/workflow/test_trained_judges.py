"""`assay judge --train`: what teaches, what is kept, which labels compare a trained judge, and when it is offered."""

from __future__ import annotations

import json
from collections.abc import Iterable
from contextlib import closing
from typing import Any

import pytest

from annotate import Project
from annotate.analysis.calibration.choosers import sample
from annotate.analysis.predictor import predictors
from annotate.analysis.rule_in_force import rule_in_force
from annotate.analysis.trained_judges.supported_answers import TrainingAnswers, training_answers
from annotate.domain.question_key import question_key
from annotate.store import Store
from proxy.evaluation.learned_rule import is_training_unit
from proxy.text.numbers import NONE
from support.documents import check, check_model
from support.questions import tower_texts
from support.scored import open_ids
from support.store import Assay, label, traffic_row
from support.trained_judges import RULE, TOWERS, TRAINED, is_right, judged, labelled, rows, trained

pytestmark = pytest.mark.slow
JUDGE = "answer_relevance_trained"


def read(assay: Assay) -> TrainingAnswers:
    with closing(Store(assay.db)) as store:
        return training_answers(store)


def teaching(assay: Assay) -> set[str]:
    """The questions of the traffic whose role is to teach; each is a group of its own."""
    found = assay.sql("SELECT DISTINCT t.question, i.question FROM items i JOIN texts t USING (key)")
    return {question for question, key in found if is_training_unit(key)}


def by_role(assay: Assay) -> tuple[set[str], set[str]]:
    """The ids of all draws, and of those whose question does not teach."""
    draws = assay.sql("SELECT i.id, i.question FROM draws d JOIN items i ON i.key = d.item")
    return {name for name, _ in draws}, {name for name, key in draws if not is_training_unit(key)}


def may_teach(questions: Iterable[str]) -> int:
    """How many of these questions teach, if the traffic asks them or not."""
    return sum(is_training_unit(question_key(question)) for question in questions)


def test_only_questions_whose_role_is_to_teach_do(assay: Assay) -> None:
    """Each of them once, though two systems answered it, with the one passage that holds the reference; the others are counted."""
    answers = read(judged(assay))

    assert {answer.question for answer in answers.answers} == teaching(assay)
    assert len(answers.answers) == len(teaching(assay)) == answers.of_traffic
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
    numbers = [n for n in range(30) if may_teach([f"Where is room {n}?"])]
    assert answers.of_gold == len(numbers) == 30 - answers.scoring > 0
    assert {answer.contexts[0].text for answer in answers.answers} == {f"Room {n} is on the roof." for n in numbers}

    assay("gold", "release", "first")
    test_entries = [text for (text,) in assay.sql("SELECT question FROM gold WHERE role IN ('test', 'between roles')")]
    assert 0 < may_teach(test_entries) < len(numbers)
    assert read(assay).of_gold == len(numbers) - may_teach(test_entries)


def test_questions_built_from_passages_teach_before_and_until_somebody_decides(assay: Assay) -> None:
    """The round trip filtered them: unreviewed ones teach, too. They are counted apart from the gold set."""
    passages = [{"text": text, "id": f"p{place}"} for place, text in enumerate(tower_texts())]
    added = assay.json("questions", "build", assay.write("passages.jsonl", passages))["added"]
    built = assay.sql("SELECT gold_id, question FROM gold WHERE role = 'synthetic' ORDER BY gold_id")
    teach = [gold_id for gold_id, question in built if may_teach([question])]
    assert sum(added.values()) == len(built) > len(teach) > 0
    trained_on = assay.json("judge", "--train")
    assert (trained_on["of_gold"], trained_on["of_test_questions"], trained_on["unreviewed"]) == (
        0,
        len(teach),
        len(teach),
    )
    assert f"that nobody has reviewed: {len(teach)}." in " ".join(assay("judge", "--train").stdout.split())

    assay("gold", "accept", teach[1])
    assay("gold", "retire", teach[0])
    answers = read(assay)
    assert (answers.of_gold, answers.of_questions, answers.unreviewed) == (0, len(teach) - 1, len(teach) - 2)


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


def test_a_wave_after_the_rule_was_set_scores_it_without_the_questions_that_may_teach(assay: Assay) -> None:
    """Drawn and labelled under the rule that reads the trained judge, and once more: no measure reads labels of the teaching half."""
    trained(assay)("rule", "set", f"{JUDGE} > 0.5")
    for number, labels in enumerate((80, 40), 1):
        assay("sample", "--labels", str(labels), "--seed", str(number))
        given = [label(name, "right" if is_right(name) else "wrong") for name in open_ids(assay)]
        assay("labels", "import", assay.write("labels.jsonl", given))
        drawn, others = by_role(assay)
        report = assay.json("report")
        assert 0 < len(others) < len(drawn) == sum((80, 40)[:number])
        assert report["kappa"]["n"] == len(others)
        assert report["correctness"]["n"] == len(drawn)
        assert report["evidence"]["chose"] == len(drawn) - len(others)

    frame = Project.open(assay.db).frame()
    assert set(frame.loc[frame["label"].notna(), "id"]) == others
    with closing(Store(assay.db)) as store:
        assert sample(store, *rule_in_force(store), 0.5, 0).use.taught == len(drawn) - len(others)


def test_references_that_came_before_the_traffic_teach_by_the_same_half(assay: Assay) -> None:
    """Gold entries are imported and teach before anybody asks: labels of what taught never score, and no trained judge predicts."""
    given = [row for row in rows() if row["system"] == "good"]
    entries = [
        {"question": row["question"], "reference": row["reference"], "contexts": row["contexts"][:1]} for row in given
    ]
    assay("gold", "import", assay.write("gold.jsonl", entries))
    assay("gold", "accept", "--all")
    taught = {answer.question for answer in read(assay).answers}
    assay("judge", "--train")

    assay("ingest", assay.write("traffic.jsonl", [{**row, "reference": None} for row in rows()]))
    assert taught == teaching(assay)
    assay("judge")
    assay("judge", "--judges", ",".join(TRAINED))
    assay("sample", "--labels", "100", "--seed", "1")
    labels = [label(name, "right" if is_right(name) else "wrong") for name in open_ids(assay)]
    assay("labels", "import", assay.write("labels.jsonl", labels))

    drawn, others = by_role(assay)
    report = assay.json("report")
    assert len(others) < len(drawn) == 100
    assert {each["difference"]["n"] for each in report["trained_judges"]} == {len(others)}
    assert {judge["kappa"]["n"] for judge in report["judges"] if judge["judge"] in TRAINED} == {len(others)}
    with closing(Store(assay.db)) as store:
        assert not {judge for judge, _ in predictors(store)} & set(TRAINED)


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
