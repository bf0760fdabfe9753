"""What imported scores do to the rule in force: they never change it, and what they do is said."""

from __future__ import annotations

import shlex

import pytest

from support.store import Assay, traffic_row

READ = "min(context_relevance, faithfulness) > 0.5"
OWN = {"context_relevance": "context_relevance|offline|v2", "faithfulness": "faithfulness|offline|v2"}
IMPORTED = {name: f"{name}|imported" for name in OWN}


@pytest.fixture
def four(assay: Assay) -> Assay:
    assay("ingest", assay.write("t.jsonl", [traffic_row(name) for name in "abcd"]))
    return assay


def scored(assay: Assay, *judges: str, value: float = 0.2) -> str:
    rows = [{"item_id": name, "judge": judge, "value": value} for name in "abcd" for judge in judges]
    return assay.write(f"{'_'.join(judges)}.jsonl", rows)


def read(assay: Assay) -> dict[str, str]:
    """The signatures that the rule in force reads."""
    signatures: dict[str, str] = assay.json("report")["rule"]["signatures"]
    return signatures


def verdicts(assay: Assay) -> list[tuple[str, float]]:
    query = "SELECT i.id, v.value FROM verdicts v JOIN items i ON i.key = v.item JOIN rules r ON r.key = v.rule AND r.is_in_force"
    return sorted(assay.sql(query))


def test_a_rule_in_force_is_not_changed_and_the_command_that_would_is_said(four: Assay) -> None:
    four("judge")
    before = verdicts(four)

    done = four.json("scores", "import", scored(four, *OWN))

    assert (done["new"], done["put_in_force"], done["unread"]) == (8, False, IMPORTED)
    assert verdicts(four) == before
    assert read(four) == OWN
    (command,) = done["next"][0]["commands"]
    four(*shlex.split(command)[1:])
    assert read(four) == IMPORTED
    assert verdicts(four) == [(name, 0.2) for name in "abcd"]


def test_without_a_rule_scores_of_both_judges_put_the_default_in_force_and_say_so(four: Assay) -> None:
    text = " ".join(four("scores", "import", scored(four, *OWN)).stdout.split())

    assert f"These scores put the default rule in force: {READ}." in text
    assert four.json("events")["events"][-1]["what"] == "scores import"
    assert [event["what"] for event in four.json("events")["events"]].count("rule set") == 1
    assert read(four) == IMPORTED
    steps = four.json("judge")["next"]
    assert [command for step in steps for command in step["commands"]] == [
        f"assay rule set '{READ}' " + " ".join(f"--signature '{name}={signature}'" for name, signature in OWN.items())
    ]
    assert read(four) == IMPORTED


def test_scores_of_another_judge_put_no_rule_in_force_and_a_part_of_the_default_does_not_either(four: Assay) -> None:
    """Nor do they mix with the judges of this machine later."""
    for judges in (("other",), ("faithfulness",)):
        done = four.json("scores", "import", scored(four, *judges))
        assert (done["put_in_force"], done["unread"]) == (False, {})
    assert four.sql("SELECT count(*) FROM rules WHERE is_in_force") == [(0,)]

    four("judge")

    assert read(four) == OWN


def test_a_judge_that_is_imported_later_leaves_the_default_as_it_is(four: Assay) -> None:
    four("scores", "import", scored(four, "other"))
    four("judge")
    before = verdicts(four)

    done = four.json("scores", "import", scored(four, "faithfulness"))
    four("judge")

    assert done["unread"] == {"faithfulness": "faithfulness|imported"}
    assert four.json("rule", "list")["rules"][0]["version"] == 1
    assert (read(four), verdicts(four)) == (OWN, before)
