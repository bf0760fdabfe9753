"""Which Label Studio a command talks to, and what a round with it says."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from annotate import Project
from annotate.cli.context import CommandRun
from annotate.cli.rounds import Rounds
from annotate.label_studio.address import address_file, connect
from annotate.label_studio.client import LabelStudio
from annotate.store import Store
from annotate.workflow.labelling.push import PushRequest
from proxy.errors import UsageError
from support.store import Assay
from support.studio import Studio

FIRST, LATER = "http://127.0.0.1:8091", "http://127.0.0.1:8092"


@pytest.fixture
def connected(studio: Studio, monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, str]]:
    """The addresses and tokens that were connected to."""
    asked: list[tuple[str, str]] = []

    def to(url: str, token: str) -> Studio:
        asked.append((url, token))
        return studio

    monkeypatch.setattr(LabelStudio, "connect", to)
    return asked


def noted(db: Path, text: str) -> None:
    """What `assay up` wrote beside a store."""
    address_file(db).parent.mkdir(parents=True, exist_ok=True)
    address_file(db).write_text(text)


def test_the_server_of_up_is_where_its_file_says(loaded: Assay, connected: list[tuple[str, str]]) -> None:
    """Also where an older Assay wrote a name of the server beside it."""
    for url in (FIRST, LATER):
        noted(loaded.db, json.dumps({"url": url, "token": "t", "name": FIRST}))
        connect(loaded.db, None)

    assert connected == [(FIRST, "t"), (LATER, "t")]


@pytest.mark.parametrize("text", ["", '{"url": ', "[]", "{}"])
def test_an_address_that_was_cut_short_is_said(loaded: Assay, text: str) -> None:
    """A file that a full disk or a kill left half-written is no bug of ours to show."""
    noted(loaded.db, text)

    with pytest.raises(UsageError, match="start `assay up` again"):
        connect(loaded.db, None)


@pytest.mark.slow
def test_up_goes_on_after_a_project_was_deleted(drawn: Store, studio: Studio, loaded: Assay) -> None:
    """Nobody can push to its server before it runs, so it makes a new project itself, and what is open goes there."""
    project = Project.open(loaded.db)
    project.deliver(studio, PushRequest())  # type: ignore[arg-type]
    studio.drop(1)

    answer = project.deliver(studio, PushRequest())  # type: ignore[arg-type]
    [done] = answer.result.done.deliveries
    assert answer.result.is_replaced
    assert (done.project, done.sent) == (2, len(drawn.sampling.waves.all_draws()))
    assert answer.to_dict()["notes"] == ["a project was deleted on the server: what is open went to a new one"]


def test_an_exchange_answers_as_a_pull_and_a_push_do(drawn: Store, studio: Studio, loaded: Assay) -> None:
    """Nothing happens before a person's first push; after it, a label comes back and what is open is known to be there."""
    project = Project.open(loaded.db)
    with pytest.raises(UsageError, match="run `assay push` first"):
        project.exchange(studio)  # type: ignore[arg-type]

    project.deliver(studio, PushRequest())  # type: ignore[arg-type]
    studio.annotate(studio.task_of(studio.task_keys()[0]), "right")
    exchanged = project.exchange(studio)  # type: ignore[arg-type]

    draws = len(drawn.sampling.waves.all_draws())
    assert exchanged.pulled.to_dict()["labelled"] == 1
    assert f"1 of {draws} drawn items have a label." in exchanged.pulled.to_text()
    assert exchanged.pushed is not None
    assert exchanged.pushed.to_text().startswith("0 tasks sent, ")


def test_a_round_of_up_says_what_is_news(
    drawn: Store, studio: Studio, loaded: Assay, capsys: pytest.CaptureFixture[str]
) -> None:
    """One label came back; each task was sent before, so that no number is said, but the link once; then nothing is news."""
    run = CommandRun(loaded.db, as_json=False)
    run.project.deliver(studio, PushRequest())  # type: ignore[arg-type]
    studio.annotate(studio.task_of(studio.task_keys()[0]), "right")
    one_round = Rounds(run, lambda: studio)  # type: ignore[arg-type, return-value]

    one_round()
    said = capsys.readouterr().out.splitlines()
    one_round()

    assert said[0] == "Annotations: 1 new, 0 changed, 0 deleted, 0 unchanged."
    assert said[1].endswith("/projects/1/data?labeling=1")
    assert len(said) == 2
    assert capsys.readouterr().out == ""
