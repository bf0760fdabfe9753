"""`assay judge` used in ways that do not fit together, twice at once, or to ask again for what failed."""

from __future__ import annotations

import json

import pytest

from annotate.analysis.verdicts import verdicts
from annotate.cli.context import partial_status
from annotate.present.answer import answer_of
from annotate.present.judging import OfflineRun
from annotate.present.messages import text
from annotate.project import Project
from annotate.store import Store
from annotate.workflow.judging.offline import JudgingResult
from support.endpoint import Endpoint
from support.model import NO_LOGPROBS, asked, ingest, kinds, stored
from support.store import Assay

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("quick_retries")]


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--dry-run",), "--dry-run is for --backend openai"),
        (("--limit", "5"), "--limit is for --backend openai"),
        (("--budget", "5"), "--budget is for --backend openai"),
        (("--model", "m"), "--model is for --backend openai"),
        (("--backend", "openai", "--model", "m", "--workers", "2"), "--workers is for offline judges"),
        (("--train", "--workers", "2"), "--workers"),
        (("--workers", "0"), "--workers"),
        (
            ("--backend", "openai", "--model", "m", "--preset", "llamaindex", "--judges", "faithfulness"),
            "--preset names",
        ),
        (("--backend", "openai", "--model", "m", "--check-one-call", "5"), "--check-one-call is for --one-call"),
        (("--backend", "openai", "--model", "m", "--one-call", "--check-one-call", "-3"), "-3"),
        (("--backend", "openai", "--model", "m", "--parameter", "seed=99999999999999999999"), "seed"),
    ],
)
def test_what_does_not_fit_together_is_wrong_usage(assay: Assay, options: tuple[str, ...], words: str) -> None:
    """One line, exit status 2, nothing judged."""
    ingest(assay, 2)
    result = assay("judge", *options, status=2)

    assert words in result.stderr
    assert stored(assay, "scores") == 0


def test_a_second_run_at_once_is_told_to_wait(assay: Assay) -> None:
    """Both would pay for the same items."""
    ingest(assay, 2)
    with Endpoint(accepts=NO_LOGPROBS) as endpoint:
        store = Store(assay.db)
        with store.only_one("judge"):
            result = assay(*asked(endpoint), status=1)
            assert endpoint.requests == 0
        store.close()
        assay(*asked(endpoint))

    assert "another `assay judge` is at work" in result.stderr


def test_failures_stay_until_another_word_takes_their_place(assay: Assay) -> None:
    """Ten unreadable items, two of them asked again: eight keep their failure and are not paid for by the next run."""
    ingest(assay, 10)
    with Endpoint(accepts=NO_LOGPROBS, faults=lambda number, body: "prose" if "s1" in str(body) else None) as endpoint:
        assay(*asked(endpoint, "--judges", "faithfulness"), status=4)
        assert kinds(assay) == {"invalid": 10}
        endpoint.faults = None
        planned = assay.json(*asked(endpoint, "--judges", "faithfulness", "--retry-failed", "--dry-run"))
        assay(*asked(endpoint, "--judges", "faithfulness", "--retry-failed", "--limit", "2"))
        before = endpoint.requests
        assay(*asked(endpoint, "--judges", "faithfulness"))

        assert endpoint.requests == before
    assert planned["items"] == 10
    assert (kinds(assay), stored(assay, "scores")) == ({"invalid": 8}, 2)


def test_the_replies_of_a_judge_of_several_calls_are_kept_as_their_words(assay: Assay) -> None:
    """Once the judge has spoken, its replies are the model's words and nothing else."""
    ingest(assay, 2, contexts=["Room 1 is on the ground floor.", "Room 2 is on the first floor."])
    with Endpoint() as endpoint:
        assay(*asked(endpoint, "--judges", "context_relevance", "--per-passage"))
    replies = [reply for (reply,) in assay.sql("SELECT reply FROM attempts WHERE purpose = 'item'")]

    assert len(replies) == 4
    assert all(set(json.loads(str(reply))) == {"subject", "answerable"} for reply in replies)


def test_items_that_an_offline_judge_broke_on_are_status_4(loaded: Assay) -> None:
    """With the first error on standard error."""
    with Project.open(loaded.db).reading() as store:
        result = OfflineRun(JudgingResult(8, 7, 0, 1, error="brevity on a: broke"), verdicts(store))
    answer = answer_of("judging.offline", loaded.db, result)

    assert (partial_status(answer.result), answer.to_dict()["errors"]) == (4, 1)
    assert text(answer.document.notes[-1]) == (
        "the first error: brevity on a: broke; those items are asked again by the next run"
    )
