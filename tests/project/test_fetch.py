"""Traffic from Langfuse's API through its own client: paging, rate limits, stops in the middle, and what came late."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from annotate import Project
from annotate.traffic import langfuse_api
from annotate.workflow.ingest.fetch import FetchProgress, FetchWindow
from proxy.errors import SourceError, UsageError
from support.langfuse_server import PUBLIC, SECRET, LangfuseServer, langfuse_server, score, trace

pytest.importorskip("langfuse")
# Importing Langfuse's client takes half a second.
pytestmark = pytest.mark.slow
NOON, NEXT_DAY = "2026-11-21T12:00:00.000Z", "2026-11-22T12:00:00.000Z"


class At(Project):
    """A project whose clock says a time."""

    time = NOON

    @property
    def now(self) -> str:
        return self.time


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[LangfuseServer]:
    with langfuse_server() as (server, address):
        monkeypatch.setenv("LANGFUSE_PUBLIC_KEY", PUBLIC)
        monkeypatch.setenv("LANGFUSE_SECRET_KEY", SECRET)
        monkeypatch.delenv("LANGFUSE_BASE_URL", raising=False)
        monkeypatch.setenv("LANGFUSE_HOST", address)
        server.observations = [row for name in "abc" for row in trace(name)]
        yield server


@pytest.fixture
def here(tmp_path: object) -> At:
    return At(f"{tmp_path}/assay.db")


def test_traces_with_their_passages_and_scores_come_in_once(here: At, server: LangfuseServer) -> None:
    """Six observations and three scores in pages of two: three answers, a judge's score, a thumb; the same again is nothing."""
    server.scores = [
        score("faithfulness", 0.5, comment="half of it"),
        score("user_feedback", value=False, kind="BOOLEAN", source="API"),
        score("verdict", value=True, kind="BOOLEAN", source="ANNOTATION"),
    ]
    first = here.fetch("langfuse").result
    again = here.fetch("langfuse", since="7d").result

    assert (first.added.added, first.scores, first.feedback, first.is_complete) == (3, 1, 1, True)
    assert len(server.asked) == 10
    assert (again.added.added, again.added.revised, again.scores, again.feedback) == (0, 0, 0, 0)
    items = here.items().set_index("id")
    assert items.loc["b", "contexts"] == ["Room b is on the ground floor."]
    kept = here.scores().iloc[0]
    assert (kept["item_id"], kept["judge"], kept["value"], kept["reason"]) == ("a", "faithfulness", 0.5, "half of it")


def test_last_goes_on_from_the_last_time_less_a_day(here: At, server: LangfuseServer) -> None:
    """An observation of the day before that came late revises its answer; one of before that is not asked for."""
    here.fetch("langfuse")
    here.time = NEXT_DAY
    server.observations = trace("d", startTime="2026-11-22T09:00:00.000Z")
    server.observations += trace("a", "It moved upstairs.", startTime="2026-11-21T12:00:00.000Z", endTime=NOON)
    server.observations += trace("old", startTime="2026-11-19T09:00:00.000Z")

    later = here.fetch("langfuse", since="last").result

    assert (later.added.added, later.added.revised) == (1, 1)
    assert here.items().set_index("id").loc["a", "answer"] == "It moved upstairs."


def test_a_fetch_that_is_stopped_goes_on_after_the_page_that_was_kept(
    here: At, server: LangfuseServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Pages of two, the third request fails: two pages are kept, the window is finished first, then the new one."""
    monkeypatch.setattr(langfuse_api, "TRIES", 0)
    server.fails = {3: 503}
    with pytest.raises(SourceError, match=r"answered 503.*run the same command again"):
        here.fetch("langfuse")
    with here.reading() as store:
        progress = FetchProgress.from_json(store.traffic.fetched.state("langfuse"))
    assert progress.until is None
    assert progress.window is not None
    assert str(progress.window.cursor).startswith("observations:")
    server.asked.clear()
    server.fails = {}

    done = here.fetch("langfuse").result

    assert "cursor=" in server.asked[0]  # not from the start
    assert done.items == 3
    assert done.added.revised == 0


def test_a_cursor_that_is_no_longer_known_begins_its_window_again(
    here: At, server: LangfuseServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(langfuse_api, "TRIES", 0)
    server.fails = {2: 500}
    with pytest.raises(SourceError):
        here.fetch("langfuse")
    server.fails, server.forgets_cursors, server.page = {}, True, 100

    assert here.fetch("langfuse").result.items == 3


def test_a_rate_limit_is_waited_for(here: At, server: LangfuseServer) -> None:
    server.fails = {1: 429, 3: 502}

    assert here.fetch("langfuse").result.added.added == 3


def test_a_scale_that_langfuse_knows_is_taken(here: At, server: LangfuseServer) -> None:
    """2 of 1 to 5 is (2 - 1) / (5 - 1) = 0.25; the category in the middle of three is 0.5."""
    times = {"createdAt": NOON, "updatedAt": NOON, "projectId": "p1", "isArchived": False}
    server.configs = {
        "c1": {"id": "c1", "name": "quality", "dataType": "NUMERIC", "minValue": 1, "maxValue": 5, **times},
        "c2": {
            **{"id": "c2", "name": "tone", "dataType": "CATEGORICAL", **times},
            "categories": [
                {"label": "Fine", "value": 2},
                {"label": "Rude", "value": 0},
                {"label": "Plain", "value": 1},
            ],
        },
    }
    server.scores = [score("quality", 2, configId="c1"), score("tone", "Plain", "CATEGORICAL", configId="c2")]

    here.fetch("langfuse")

    assert dict(zip(here.scores()["judge"], here.scores()["value"], strict=True)) == {"quality": 0.25, "tone": 0.5}


@pytest.mark.parametrize(
    ("variable", "value", "words"),
    [
        ("LANGFUSE_SECRET_KEY", "wrong", "401: it refused the keys: check LANGFUSE_PUBLIC_KEY"),
        ("LANGFUSE_SECRET_KEY", "", "set LANGFUSE_SECRET_KEY in the environment"),
        ("LANGFUSE_HOST", "http://127.0.0.1:9", "cannot be reached"),
    ],
)
def test_what_to_do_is_said(
    here: At, server: LangfuseServer, monkeypatch: pytest.MonkeyPatch, variable: str, value: str, words: str
) -> None:
    """No secret is in the message."""
    monkeypatch.setattr(langfuse_api, "TRIES", 0)
    monkeypatch.setenv(variable, value)

    with pytest.raises(SourceError, match=words) as raised:
        here.fetch("langfuse")
    assert SECRET not in str(raised.value)


@pytest.mark.parametrize("since", ["yesterday", "2027-11-01", "7 years", ""])
def test_what_is_no_time_is_refused_before_anything_is_asked(here: At, server: LangfuseServer, since: str) -> None:
    with pytest.raises(UsageError, match="--since"):
        here.fetch("langfuse", since=since)
    assert (server.asked, here.path.exists()) == ([], False)


@pytest.mark.parametrize(
    ("since", "first"), [("7d", "2026-11-14T12"), ("2026-11-01", "2026-11-01T00"), ("36h", "2026-11-20T00")]
)
def test_times_to_begin_from(here: At, server: LangfuseServer, since: str, first: str) -> None:
    here.fetch("langfuse", since=since)

    assert f"fromStartTime={first}" in server.asked[0].replace("%3A", ":")


def test_a_window_after_a_gap_does_not_hide_the_gap() -> None:
    """`last` goes on from where all before is known."""
    known = FetchProgress(until="2026-11-01T00:00:00.000Z")

    beyond = known.finished(FetchWindow(since="2026-11-20T00:00:00.000Z", until=NOON))
    next_to = known.finished(FetchWindow(since="2026-10-31T00:00:00.000Z", until=NOON))

    assert (beyond.until, next_to.until) == ("2026-11-01T00:00:00.000Z", NOON)
    assert FetchProgress.from_json(next_to.to_json()) == next_to
