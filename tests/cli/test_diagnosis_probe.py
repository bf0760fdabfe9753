"""`assay diagnose --probe` against a model over HTTP whose ability is known: what is asked, what it shows, and what it costs."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest

from support.diagnosis import given, scored
from support.endpoint import Endpoint
from support.model import quick
from support.probe import NAMES, failed_answers, probing, reader, tower
from support.questions import NOISE, asker
from support.replies import Policy
from support.store import Assay, label, traffic_row

PRICES = '[prices."m"]\ninput = 1\noutput = 2\n'


@pytest.fixture(autouse=True)
def _key(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("OPENAI_API_KEY", "key")
    with quick():
        yield


def known(*names: str) -> Policy:
    """A model that reads the passages of these towers alone."""
    return reader(lambda question, _: any(name in question for name in names))


@pytest.mark.parametrize(
    ("names", "share", "ability"), [(NAMES, 1.0, "reads"), ((), 0.0, "fails"), (NAMES[:6], 0.5, "open")]
)
def test_a_model_is_shown_as_what_it_is(assay: Assay, names: tuple[str, ...], share: float, ability: str) -> None:
    """Two questions of each of twelve passages; with one passage an answer there is no second way to ask."""
    failed_answers(assay)
    with Endpoint(policy=known(*names)) as endpoint:
        probed = assay.json(*probing(endpoint))

    as_given, alone = probed["scores"]
    assert (as_given["right"]["estimate"], as_given["right"]["n"], as_given["passages"]) == (share, 24, 12)
    assert (alone["right"]["estimate"], alone["right"]["n"]) == (None, 0)
    assert (probed["ability"], probed["answers"], probed["without"]) == (ability, 12, 0)
    assert "no estimate of the traffic reads them" in assay.words(*probing(endpoint))


def test_a_model_that_reads_most_passages_may_still_not_read_some(assay: Assay) -> None:
    """It reads ten of twelve: of the other two wrong answers it is just what explains them, and no sentence denies that."""
    failed_answers(assay)
    with Endpoint(policy=known(*NAMES[:10])) as endpoint:
        assert assay.json(*probing(endpoint))["ability"] == "reads"
        assert "be about a passage that it does not read" in assay.words(*probing(endpoint))


def test_the_interval_counts_passages(assay: Assay) -> None:
    """The model reads six of twelve passages whole: V = 12/11 x 12 x (1/24)^2 = 1/44, so n_e = (1/4) / V = 11 and not 24.

    Wilson with t(11) = 2.200985: 1/2 +- 2.200985 sqrt(1/44 + 2.200985^2 / 484) / (1 + 2.200985^2 / 11) = 1/2 +- .276471.
    """
    failed_answers(assay)
    with Endpoint(policy=known(*NAMES[:6])) as endpoint:
        right = assay.json(*probing(endpoint))["scores"][0]["right"]

    assert (right["low"], right["high"]) == pytest.approx((0.5 - 0.276471, 0.5 + 0.276471), abs=1e-5)


def test_a_passage_that_is_lost_among_others_is_read_alone(assay: Assay) -> None:
    """The model reads the first passage only; three passages of noise stand before the one that holds the answer."""
    failed_answers(assay, noise=3)
    with Endpoint(policy=reader(lambda _, passages: "Tower" in passages[0])) as endpoint:
        probed = assay.json(*probing(endpoint))
        sent = [json.loads(body["messages"][1]["content"])["passages"] for body in endpoint.bodies if len(body) > 1]

    as_given, alone = (score["right"] for score in probed["scores"])
    assert (as_given["estimate"], as_given["n"]) == (0.0, 24)
    assert (alone["estimate"], alone["n"]) == (1.0, 24)
    assert probed["ability"] == "fails"
    assert [*NOISE[:3], tower("Amber")] in sent
    assert [tower("Amber")] in sent


@pytest.mark.parametrize("first_noise", [0, 1])
def test_the_one_passage_of_an_answer_counts_as_given_also_where_another_answer_has_more(
    assay: Assay, first_noise: int
) -> None:
    """Two questions as given to each answer, and two of the passage alone, which are sent once, whichever answer comes first."""
    rows = [
        traffic_row(name, question=f"Who built the Amber Tower, {name}?", contexts=[*NOISE[:noise], tower("Amber")])
        for name, noise in (("a", first_noise), ("b", 1 - first_noise))
    ]
    given(
        assay,
        rows,
        [score for name in "ab" for score in scored(name, 0.9, 0.1)],
        [label(n, "wrong") for n in "ab"],
        is_drawn=False,
    )
    with Endpoint(policy=known(*NAMES)) as endpoint:
        dry = assay.json(*probing(endpoint, "--dry-run"))
        probed = assay.json(*probing(endpoint))

    assert [score["right"]["n"] for score in probed["scores"]] == [4, 2]
    assert (dry["calls"], probed["requests"]) == (4, 4)


def test_only_wrong_answers_that_point_to_synthesis_are_probed(assay: Assay) -> None:
    """A right one, one with irrelevant passages and one that is faithful stay out; of two systems one can be chosen."""
    failed_answers(assay, "Amber", system="a")
    failed_answers(assay, "Birch", "Cedar", system="b")
    assay("ingest", assay.write("more.jsonl", [traffic_row(name, contexts=[tower(name)]) for name in NAMES[3:6]]))
    values = {"Dusk": (0.9, 0.1), "Elm": (0.2, 0.1), "Flint": (0.9, 0.9)}
    rows = [
        {"item_id": name, "judge": judge, "value": value, "signature": "post"}
        for name, pair in values.items()
        for judge, value in zip(("context_relevance", "faithfulness"), pair, strict=True)
    ]
    assay("scores", "import", assay.write("more_scores.jsonl", rows))
    labels = [label("Dusk", "right"), label("Elm", "wrong"), label("Flint", "wrong")]
    assay("labels", "import", assay.write("more_labels.jsonl", labels))
    with Endpoint(policy=known(*NAMES)) as endpoint:
        probed = assay.json(*probing(endpoint))
        of_b = assay.json(*probing(endpoint, "--system", "b", "--dry-run"))
        assay(*probing(endpoint, "--system", "c"), status=2)

    assert {name for asked in probed["questions"] for name in asked["answers"]} == {"Amber", "Birch", "Cedar"}
    assert (of_b["answers"], of_b["questions"], of_b["calls"]) == (2, 4, 0)


def test_what_is_kept_is_not_paid_for_again(assay: Assay) -> None:
    """The dry run tells the calls and sends nothing; the second run reads every reply again."""
    assay.write("assay.toml", PRICES)
    failed_answers(assay, noise=1)
    with Endpoint(policy=known(*NAMES)) as endpoint:
        dry = assay.json(*probing(endpoint, "--dry-run"))
        assert endpoint.requests == 0
        first = assay.json(*probing(endpoint))
        requests = endpoint.requests
        again = assay.json(*probing(endpoint))
        after = assay.json(*probing(endpoint, "--dry-run"))
        assert endpoint.requests == requests

    assert (dry["questions"], dry["calls"], dry["making"]) == (48, 48, 0)
    assert dry["cost"] > 0
    assert (first["requests"], again["requests"], after["calls"]) == (48, 0, 0)
    assert first["cost"] > 0 == again["cost"]
    assert first["scores"] == again["scores"]


def test_a_budget_stops_the_run_and_the_next_one_goes_on(assay: Assay) -> None:
    failed_answers(assay)
    with Endpoint(policy=known(*NAMES)) as endpoint:
        stopped = assay.json(*probing(endpoint, "--max-tokens", "4000", "--concurrency", "1"), status=4)
        rest = assay.json(*probing(endpoint))

    lacking = [asked for asked in stopped["questions"] if asked["verdict"] == "unanswered"]
    assert 0 < stopped["tokens"] <= 4000
    assert 0 < len(lacking) < 24
    assert stopped["scores"][0]["right"]["n"] == 24 - len(lacking)
    assert (rest["requests"], rest["stopped"]) == (len(lacking), None)


def test_nothing_that_is_said_of_the_traffic_changes(assay: Assay) -> None:
    failed_answers(assay)
    before = {name: assay.json(name) for name in ("report", "diagnose")}
    with Endpoint(policy=known(*NAMES)) as endpoint:
        assay(*probing(endpoint))

    assert {name: assay.json(name) for name in ("report", "diagnose")} == before
    assert assay.json("questions", "list")["questions"] == []


def test_another_model_makes_questions_where_patterns_find_none(assay: Assay) -> None:
    """Of a house no pattern asks; the maker's questions count, and no model is asked what it made itself."""
    rows = [
        traffic_row(
            f"h{place}", question=f"What of {name} House?", contexts=[f"{name} House keeps a {thing} in its hall."]
        )
        for place, (name, thing) in enumerate({"Alpha": "blue lamp", "Beta": "red clock"}.items())
    ]
    assay("ingest", assay.write("houses.jsonl", rows))
    values = {"context_relevance": 0.9, "faithfulness": 0.1}
    scores = [
        {"item_id": row["id"], "judge": judge, "value": value, "signature": "post"}
        for row in rows
        for judge, value in values.items()
    ]
    assay("scores", "import", assay.write("scores.jsonl", scores))
    assay("labels", "import", assay.write("labels.jsonl", [label(str(row["id"]), "wrong") for row in rows]))
    with Endpoint(policy=asker) as endpoint:
        none = assay.json(*probing(endpoint))
        dry = assay.json(*probing(endpoint, "--question-model", "maker", "--dry-run"))
        requests = endpoint.requests
        probed = assay.json(*probing(endpoint, "--question-model", "maker"))
        itself = assay(*probing(endpoint, "--question-model", "m"), status=2).stderr
        assay("questions", "build", "--model", "m", "--base-url", endpoint.url, "--multi", "0")
        own = assay.json(*probing(endpoint))

    assert (none["questions"], none["without"], none["status"]) == ([], 2, "unmeasurable")
    assert (dry["questions"], dry["calls"], dry["making"]) == (2, 2, 4)
    assert requests < endpoint.requests
    assert [asked["expected"] for asked in probed["questions"]] == ["blue lamp", "red clock"]
    assert (probed["scores"][0]["right"]["estimate"], probed["requests"]) == (1.0, 6)
    assert "name another one" in itself
    assert (own["questions"], own["own"]) == ([], 2)


def test_where_every_passage_is_too_long_to_be_sent_that_is_what_is_said(assay: Assay) -> None:
    """There are two plain facts in it, so that it is no lack of facts."""
    rows = [
        traffic_row("a", question="Who built the Amber Tower?", contexts=["Of this and that. " * 4000 + tower("Amber")])
    ]
    given(assay, rows, scored("a", 0.9, 0.1), [label("a", "wrong")], is_drawn=False)
    with Endpoint(policy=known(*NAMES)) as endpoint:
        probed = assay.json(*probing(endpoint))
        output = assay.words(*probing(endpoint))

    assert (probed["questions"], probed["without"], probed["cut"]) == ([], 0, 2)
    assert "2 questions were not asked: their passage is longer than what is sent." in output
    assert "plain fact" not in output


def test_without_a_model_it_says_what_to_do(assay: Assay) -> None:
    failed_answers(assay, "Amber")

    assert "assay questions export items.jsonl" in assay("diagnose", "--probe", status=2).stderr
    assert "is for --probe" in assay("diagnose", "--dry-run", status=2).stderr


def test_without_a_failed_answer_there_is_nothing_to_probe(assay: Assay) -> None:
    assay("ingest", assay.write("traffic.jsonl", [traffic_row("a")]))
    with Endpoint() as endpoint:
        assert "There is nothing to probe" in assay(*probing(endpoint)).stdout
        assert endpoint.requests == 0


def test_a_forgotten_answer_takes_its_replies_with_it(assay: Assay) -> None:
    failed_answers(assay, "Amber", "Birch", noise=1)
    with Endpoint(policy=known(*NAMES)) as endpoint:
        assay(*probing(endpoint))
        assert len(assay.sql("SELECT 1 FROM question_replies")) == 8
        assay("forget", "--item", "Amber", "--yes")

    # What was asked with the noise goes too, since it was Amber's passage as well: left is Birch's passage alone, twice.
    assert len(assay.sql("SELECT 1 FROM question_replies")) == 2


def test_what_is_masked_is_neither_sent_nor_asked_for(assay: Assay) -> None:
    """A year that a pattern masks is in no question, and the other fact of the passage still is."""
    assay.write("assay.toml", "[redaction]\non = true\npseudonyms = false\npatterns = ['(?P<YEAR>19\\d\\d)']\n")
    failed_answers(assay, "Amber")
    with Endpoint(policy=known(*NAMES)) as endpoint:
        probed = assay.json(*probing(endpoint))
        sent = json.dumps(list(endpoint.bodies))

    assert [asked["expected"] for asked in probed["questions"]] == ["100 metres | 100 meters | 100 m"]
    assert "1900" not in sent
