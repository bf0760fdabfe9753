"""The whole loop through the command and a real Label Studio: labels by stratum and estimates against those made by hand.

The hand knows only what went in (the file, the scores) and what the ledger says (each draw's inclusion probability): a
label counts 1 / inclusion probability, times drawn / answered in its stratum (Horvitz and Thompson 1952, with the
stratum as the response group). Labels are counted exactly; an estimate also leans on what the scores predict, so it may differ
from the hand's, which no score sharpens, by less than what its interval leaves open.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

import pytest

from annotate.domain.inert_html import inert_html
from proxy.text.controls import displayable
from support.label_studio import Expert
from support.loop import LABELS, Data, Loop, Row, part, right, submit, wrong
from support.store import Assay

pytestmark = [pytest.mark.live, pytest.mark.slow]

ALL = 40
CAUSES = ("retrieval_missed", "unfaithful", "misread_question", "incomplete", "outdated_or_unsafe", "other")


def by_hand(
    draws: Sequence[Row], labels: Mapping[str, str], verdicts: Mapping[str, bool]
) -> dict[str, tuple[float, int]]:
    """Every estimate with its number of labels, from the labels, the ledger and the verdicts."""
    drawn = Counter(draw["stratum"] for draw in draws)
    answered = Counter(draw["stratum"] for draw in draws if draw["item_id"] in labels)
    table: defaultdict[tuple[str, bool | None], float] = defaultdict(float)
    seen: Counter[bool | None] = Counter()
    said: Counter[str] = Counter()
    for draw in draws:
        name, stratum = draw["item_id"], draw["stratum"]
        if labels.get(name) in ("right", "wrong"):
            weight = drawn[stratum] / answered[stratum] / draw["inclusion_probability"]
            table[labels[name], verdicts.get(name)] += weight
            seen[verdicts.get(name)] += 1
            said[labels[name]] += verdicts.get(name) is not None
    rp, wp, rf, wf = (table[word, passed] for passed in (True, False) for word in ("right", "wrong"))
    scored, n = rp + wp + rf + wf, seen[True] + seen[False]
    passed, correct = (rp + wp) / scored, (rp + rf) / scored
    accuracy, chance = (rp + wf) / scored, passed * correct + (1 - passed) * (1 - correct)
    spread = math.sqrt(passed * (1 - passed) * correct * (1 - correct))
    everything = math.fsum(table.values())
    return {
        "correctness": ((rp + rf + table["right", None]) / everything, n + seen[None]),
        "pass_precision": (rp / (rp + wp), seen[True]),
        "sensitivity": (rp / (rp + rf), said["right"]),
        "specificity": (wf / (wp + wf), said["wrong"]),
        "accuracy": (accuracy, n),
        "f1": (2 * rp / (2 * rp + wp + rf), n),
        "kappa": ((accuracy - chance) / (1 - chance), n),
        "mcc": ((rp * wf - wp * rf) / scored**2 / spread, n),
    }


def labels_by_stratum(draws: Sequence[Row], labels: Mapping[str, str]) -> dict[str, list[int]]:
    """How many draws of each stratum are right, wrong and unsure, and how many there are."""
    words = ("right", "wrong", "unsure")
    counts: defaultdict[str, list[int]] = defaultdict(lambda: [0, 0, 0, 0])
    for draw in draws:
        counts[draw["stratum"]][3] += 1
        if draw["item_id"] in labels:
            counts[draw["stratum"]][words.index(labels[draw["item_id"]])] += 1
    return dict(counts)


def check_report(loop: Loop, labels: Mapping[str, str]) -> dict[str, Any]:
    """Every label counts once, in its stratum, and the hand's estimate lies inside the interval of the report's."""
    report, verdicts = loop("report"), loop.verdicts()
    draws = loop.rows("draws", "export", "--all")
    expected = by_hand(draws, labels, verdicts)

    strata = {
        part["stratum"]: [part[name] for name in ("right", "wrong", "unsure", "drawn")] for part in report["strata"]
    }
    assert {name: counts for name, counts in strata.items() if counts[3]} == labels_by_stratum(draws, labels)
    assert {name: report[name]["n"] for name in expected} == {name: n for name, (_, n) in expected.items()}
    for name, (value, _) in expected.items():
        low, estimate, high = (report[name][key] for key in ("low", "estimate", "high"))
        assert low <= estimate <= high, name
        assert low <= value <= high, name
    assert report["correctness_long_run"]["estimate"] == report["correctness"]["estimate"]
    assert report["pass_rate"]["estimate"] == pytest.approx(sum(verdicts.values()) / len(verdicts), abs=1e-12)
    assert (report["labels"], report["judged"]) == (len(labels), len(verdicts))
    return report


def counts(pulled: Row) -> tuple[int, ...]:
    return tuple(pulled[name] for name in ("added", "revised", "deleted"))


def test_the_loop_ends_where_the_hand_does(data: Data, loop: Loop, expert: Expert, colleague: Expert) -> None:
    """Sixty draws, labelled by two people who skip, edit and delete: nothing doubles, and every label counts where the hand counts it."""
    project = loop.drawn(data.path, LABELS)
    again = loop("push")
    tasks = loop.by_item(project)
    assert (again["sent"], again["there"], again["project"]) == (0, LABELS, project)
    assert len(loop.held(project)) == len(tasks) == LABELS

    people, made = (expert, colleague), dict[str, int]()
    skipped, unsure, *rest = tasks
    references: dict[str, str] = {}
    for place, name in enumerate(rest):
        if name not in data.right and place % 2 and data.rows[name]["reference"]:
            references[name] = data.rows[name]["reference"].strip()
        result = right() if name in data.right else wrong(CAUSES[place % 6], references.get(name))
        made[name] = submit(people[place % 2].api, tasks[name], result)
    submit(colleague.api, tasks[skipped], [], skipped=True)
    submit(colleague.api, tasks[unsure], [part("verdict", choices=["unsure"])])
    expected = {name: "right" if name in data.right else "wrong" for name in rest} | {unsure: "unsure"}

    first = loop("pull")
    assert (counts(first), first["odd"], first["foreign"]) == ((LABELS, 0, 0), 0, 0)
    report = check_report(loop, expected)
    assert counts(loop("pull")) == (0, 0, 0)
    whole = loop("pull", "--full")
    assert (counts(whole), whole["unchanged"]) == ((0, 0, 0), LABELS)
    assert loop("report") == report
    assert report["label_counts"]["open"] == 1
    kept = {row["item_id"]: row for row in loop.rows("labels", "export")}
    assert {name: row["label"] for name, row in kept.items()} == expected
    assert {name: kept[name]["annotator"] for name in rest} == {
        name: people[place % 2].email for place, name in enumerate(rest)
    }
    assert [kept[name]["causes"] for name in rest] == [
        [] if name in data.right else [CAUSES[place % 6]] for place, name in enumerate(rest)
    ]
    answers = {name: data.rows[name]["answer"] for name in rest if name in data.right}
    gold = loop("gold", "list")
    assert {(entry["item_id"], entry["reference"], entry["status"]) for entry in gold["gold"]} == {
        (name, text, "candidate") for name, text in {**answers, **references}.items()
    }
    assert {item for asked in gold["without_reference"] for item in asked["item_ids"]} == {
        name for name in rest if name not in data.right
    } - set(references)

    edited, deleted = [name for name in rest if name in data.right][:2]
    change = {"result": wrong("unfaithful", "What it should have said.")}
    colleague.api.patch(f"/api/annotations/{made[edited]}/", json=change).raise_for_status()
    expert.api.delete(f"/api/annotations/{made[deleted]}/").raise_for_status()
    expected |= {edited: "wrong"}
    del expected[deleted]
    assert counts(loop("pull")) == (0, 1, 1)
    assert counts(loop("pull")) == (0, 0, 0)
    assert loop.labels() == expected
    report = check_report(loop, expected)
    assert report["label_counts"]["open"] == 2
    status = {entry["item_id"]: (entry["status"], entry["reference"]) for entry in loop("gold", "list")["gold"]}
    assert status[edited] == ("candidate", "What it should have said.")
    assert status[deleted][0] == "retired"

    again = loop("push")
    assert (again["sent"], again["there"]) == (1, 2)
    assert [(project["annotator"], project["sent"]) for project in again["projects"]] == [
        ("", 0),
        ("second annotator", 1),
    ]
    submit(expert.api, tasks[skipped], right() if skipped in data.right else wrong("other", None))
    assert counts(loop("pull")) == (1, 0, 0)
    check_report(loop, {**expected, skipped: "right" if skipped in data.right else "wrong"})
    assert len(loop.held(project)) == LABELS
    assert loop("doctor")["problems"] == []


def test_with_every_item_labelled_the_report_is_the_truth(data: Data, loop: Loop, assay: Assay, expert: Expert) -> None:
    """Where all forty items were drawn and labelled, each estimate is a plain count of the data, with certainty."""
    rows = list(data.rows.values())[:ALL]
    tasks = loop.by_item(loop.drawn(assay.write("first.jsonl", rows), ALL))
    for name, task in tasks.items():
        submit(expert.api, task, right() if name in data.right else wrong("other", None))

    assert loop("pull")["labelled"] == ALL
    report, verdicts = loop("report"), loop.verdicts()
    names = [row["id"] for row in rows]
    table = Counter((name in data.right, verdicts.get(name)) for name in names)
    right_pass, wrong_pass, right_fail, wrong_fail = (
        table[word, verdict] for verdict in (True, False) for word in (True, False)
    )
    agreed, scored = right_pass + wrong_fail, len(verdicts)
    truth = {
        "correctness": sum(name in data.right for name in names) / ALL,
        "pass_rate": (right_pass + wrong_pass) / scored,
        "pass_precision": right_pass / (right_pass + wrong_pass),
        "sensitivity": right_pass / (right_pass + right_fail),
        "specificity": wrong_fail / (wrong_pass + wrong_fail),
        "accuracy": agreed / scored,
        "f1": 2 * right_pass / (2 * right_pass + wrong_pass + right_fail),
    }
    for bound in ("estimate", "low", "high"):
        assert {name: report[name][bound] for name in truth} == pytest.approx(truth, abs=1e-9), bound
    assert report["cells"] == {
        **{"right_pass": right_pass, "wrong_pass": wrong_pass, "right_fail": right_fail, "wrong_fail": wrong_fail}
    }


def test_the_server_holds_what_an_expert_may_see_and_no_more(data: Data, loop: Loop, assay: Assay) -> None:
    """Each task is the texts and a key; neither the keys nor their order tell the stratum."""
    project = loop.drawn(data.path, LABELS)
    held = loop.held(project)
    draws = {row["item_id"]: row for row in loop.rows("draws", "export", "--all")}
    items = dict(assay.sql("SELECT d.task_key, i.id FROM draws d JOIN items i ON i.key = d.item"))

    for task in held:
        row = data.rows[items[task["data"]["external_id"]]]
        ranks = range(1, len(row["contexts"]) + 1)
        passages = [
            {"title": f"Passage {rank}", "text": inert_html(text)}
            for rank, text in zip(ranks, row["contexts"], strict=True)
        ]
        shown = {
            "question": displayable(row["question"]),
            "answer": inert_html(row["answer"]),
            "earlier": "",
            "recent": "",
        }
        marks = {"ranks": [[], *[[1] for _ in ranks]], "further": [[], *[[] for _ in ranks]]}
        empty = {"title": "", "text": ""}
        key = {"external_id": task["data"]["external_id"]}
        assert task["data"] == {**key, **shown, **marks, "passages": [empty, *passages]}
        assert not task["predictions"]
        assert not task["meta"]
    keys = [task["data"]["external_id"] for task in held]
    assert len(set(keys)) == len(keys)
    assert all(len(key) == 24 and set(key) <= set("0123456789abcdef") for key in keys)
    order = [draws[items[key]]["stratum"].rstrip("_123") for key in keys]
    assert abs(rank_sum(order, "passed", "failed")) < 3.3
    assert sum(a != b for a, b in pairwise(order)) > LABELS / 5


def rank_sum(order: Sequence[str], chosen: str, other: str) -> float:
    """Wilcoxon's rank sum of one group against the other along an order, in standard deviations."""
    pair = [word for word in order if word in (chosen, other)]
    n, m = pair.count(chosen), pair.count(other)
    ranks = sum(rank for rank, word in enumerate(pair, start=1) if word == chosen)
    return (ranks - n * (n + m + 1) / 2) / math.sqrt(n * m * (n + m + 1) / 12)
