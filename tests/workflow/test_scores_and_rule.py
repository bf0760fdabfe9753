"""What imported scores do to the rule in force: they never change it, and what they do is said."""

from __future__ import annotations

import shlex
import signal
from collections.abc import Callable

import httpx
import pytest

from support.serving import Serve, until
from support.store import Assay, traffic_row

READ = "min(context_relevance, faithfulness) > 0.5"
UNREAD = "The rule in force reads other scores of faithfulness, not these."
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


@pytest.mark.slow
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


@pytest.mark.slow
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


@pytest.mark.slow
def test_scores_of_another_judge_put_no_rule_in_force_and_a_part_of_the_default_does_not_either(four: Assay) -> None:
    """Nor do they mix with the judges of this machine later."""
    for judges in (("other",), ("faithfulness",)):
        done = four.json("scores", "import", scored(four, *judges))
        assert (done["put_in_force"], done["unread"]) == (False, {})
    assert four.sql("SELECT count(*) FROM rules WHERE is_in_force") == [(0,)]

    four("judge")

    assert read(four) == OWN


@pytest.mark.slow
def test_a_judge_that_is_imported_later_leaves_the_default_as_it_is(four: Assay) -> None:
    four("scores", "import", scored(four, "other"))
    four("judge")
    before = verdicts(four)

    done = four.json("scores", "import", scored(four, "faithfulness"))
    four("judge")

    assert done["unread"] == {"faithfulness": "faithfulness|imported"}
    assert four.json("rule", "list")["rules"][0]["version"] == 1
    assert (read(four), verdicts(four)) == (OWN, before)


def traced(*traces: str) -> dict[str, object]:
    """A request of OTLP with an answer a trace, whose faithfulness a tracer has judged."""
    texts = {"openinference.span.kind": "CHAIN", "input.value": "Where?", "output.value": "There."}
    score = {"gen_ai.evaluation.name": "Faithfulness", "gen_ai.evaluation.score.label": "pass"}
    event = {"name": "gen_ai.evaluation.result", "attributes": attributes(score)}
    spans = [{"traceId": trace, "spanId": "b" * 16, "attributes": attributes(texts)} for trace in traces]
    return {"resourceSpans": [{"scopeSpans": [{"spans": [{**span, "events": [event]} for span in spans]}]}]}


def attributes(values: dict[str, str]) -> list[dict[str, object]]:
    return [{"key": key, "value": {"stringValue": value}} for key, value in values.items()]


@pytest.mark.slow
def test_scores_that_came_with_traffic_say_once_that_the_rule_reads_others(four: Assay) -> None:
    """In the words of `scores import`, with the command that sets the rule on them; what adds no signature says nothing."""
    four("judge")
    first, second = (four.write(f"{name}.jsonl", [traced(name * 32)]) for name in "ab")

    dry = " ".join(four("ingest", "--dry-run", first).stdout.split())
    done = four.json("ingest", first)

    assert "rule" not in dry
    assert (done["scores"], done["put_in_force"]) == (1, False)
    assert done["unread"] == {"faithfulness": "faithfulness|opentelemetry|unversioned"}
    assert done["next"][0]["commands"] == [
        f"assay rule set '{READ}' --signature 'faithfulness=faithfulness|opentelemetry|unversioned'"
    ]
    assert read(four) == OWN
    assert four.json("ingest", second)["unread"] == {}


def test_scores_that_came_with_traffic_are_said_on_the_screen(four: Assay) -> None:
    four("judge")

    text = " ".join(four("ingest", four.write("t.jsonl", [traced("a" * 32)])).stdout.split())

    assert text.count(UNREAD) == 1
    assert "But faithfulness has no score for 4 of 5 answers, which this rule would leave unscored." in text


@pytest.mark.slow
def test_a_server_says_it_once_for_the_scores_that_arrive(
    four: Assay, serve: Callable[..., Serve], monkeypatch: pytest.MonkeyPatch
) -> None:
    token = "a-token-of-sixteen-letters"
    monkeypatch.setenv("ASSAY_INTAKE_TOKEN", token)
    four("judge")
    run = serve("--no-app", "--idle", "0")
    url = run.line(r"traces:   POST (http://\S+)")[1]

    scores = "SELECT count(*) FROM scores s JOIN judges j ON j.key = s.judge WHERE j.signature LIKE '%|opentelemetry|%'"
    for count, trace in enumerate(("a" * 32, "b" * 32), start=1):
        sent = httpx.post(url, json=traced(trace), headers={"Authorization": f"Bearer {token}"}, verify=False)
        assert sent.status_code == 200
        until(lambda: four.sql(scores) == [(count,)], run.said)  # noqa: B023 (asked within the loop alone)
    run.line("assay rule set")

    assert run.ends(signal.SIGTERM) == 0
    assert run.said().count(UNREAD) == 1
    assert read(four) == OWN
