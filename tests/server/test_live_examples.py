"""Apps that know nothing of Assay, with the two variables of docs/live.md: their answers are judged, drawn and reported.

The apps are the files of examples/live, each a process of its own. What an app needs is in this environment, or in that of the
Python that ASSAY_APPS names (langchain-core brings too much to be installed for every test).
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from typing import Any

import httpx
import pytest
from streamlit.testing.v1 import AppTest

from annotate import Project
from annotate.server.callers import TOKEN_VARIABLE
from support.endpoint import Endpoint
from support.serving import Serve, until
from support.store import ROOT, Assay

pytestmark = pytest.mark.slow
EXAMPLES = ROOT / "examples" / "live"
RECORDED = ROOT / "tests" / "samples" / "langchain.otlp.jsonl"
TOKEN = "a-token-of-sixteen-letters"
PYTHONS = [name for name in (sys.executable, os.environ.get("ASSAY_APPS")) if name]
QUESTIONS = ("Where is ward 3?", "Where is the parking?")


class Running:
    """A running `assay serve` with an open stream that draws everything, and the environment of an app."""

    def __init__(self, assay: Assay, run: Serve) -> None:
        self.assay, self.run = assay, run
        self.traces = run.line(r"traces:   POST (http://\S+)")[1]
        self.feedback = run.line(r"feedback: POST (http://\S+)")[1]

    @property
    def environment(self) -> dict[str, str]:
        """What an app is given: where its spans go, and where its thumbs go."""
        return {
            "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT": self.traces,
            "OTEL_EXPORTER_OTLP_TRACES_HEADERS": f"authorization=Bearer%20{TOKEN}",
            "ASSAY_FEEDBACK_URL": self.feedback,
            TOKEN_VARIABLE: TOKEN,
        }

    def app(self, python: str, *words: str, **more: str) -> str:
        """Run an app to its end; what it printed."""
        environment = {**os.environ, **self.environment, **more}
        done = subprocess.run(
            [python, *words], cwd=EXAMPLES, env=environment, capture_output=True, text=True, timeout=120, check=False
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    def drawn(self, count: int) -> dict[str, tuple[Any, ...]]:
        """Wait until so many answers are judged and drawn; question, answer, contexts and verdict of each, by its id."""
        query = "SELECT count(*) FROM draws d JOIN items i ON i.key = d.item AND i.is_current"
        until(lambda: self.assay.sql(query)[0][0] >= count or None, self.run.said, 60)
        verdicts = dict(
            self.assay.sql("SELECT i.id, v.verdict FROM verdicts v JOIN items i ON i.key = v.item AND i.is_current")
        )
        return {
            row.id: (row.question, row.answer, list(row.contexts), verdicts.get(row.id))
            for row in Project.open(self.assay.db).items().itertuples()
        }


@pytest.fixture
def running(assay: Assay, serve: Callable[..., Serve], monkeypatch: pytest.MonkeyPatch) -> Running:
    monkeypatch.setenv(TOKEN_VARIABLE, TOKEN)
    assay("sample", "--stream", "--rate", "1", "--seed", "1")
    return Running(assay, serve("--no-app", "--idle", "0.5"))


def python_with(*modules: str) -> str:
    """A Python that has these modules: this one, or that of ASSAY_APPS; the test is skipped where there is none."""
    for python in PYTHONS:
        command = [python, "-c", f"import {', '.join(modules)}"]
        if subprocess.run(command, capture_output=True, check=False, timeout=60).returncode == 0:
            return python
    pytest.skip(f"no {modules[0]} here: set ASSAY_APPS to a Python that has it")


def test_an_app_on_openai_s_client_is_judged_drawn_and_reported(running: Running) -> None:
    """The instrumentor traces the calls, to a model on this machine; both answers are drawn, and the report counts them."""
    python = python_with("openinference.instrumentation.openai", "openai")
    with Endpoint() as endpoint:
        printed = running.app(python, "openai_app.py", *QUESTIONS, OPENAI_BASE_URL=endpoint.url, OPENAI_API_KEY="k")
        assert endpoint.requests == 2

    said = dict(line.split(" ", 1) for line in printed.splitlines())
    items = running.drawn(2)
    assert {name: " ".join(answer.split()) for name, (_, answer, _, _) in items.items()} == said
    assert sorted(row[0] for row in items.values()) == sorted(QUESTIONS)
    assert all(len(contexts) == 1 for _, _, contexts, _ in items.values())
    assert {verdict for *_, verdict in items.values()} <= {"pass", "fail"}
    report = running.assay.json("report")
    assert (report["items"], report["judged"]) == (2, 2)


def test_a_chain_of_langchain_is_judged_drawn_and_reported(running: Running) -> None:
    """No span is made by hand: question, passages and answer are the chain's own."""
    python = python_with("openinference.instrumentation.langchain", "langchain_core")
    running.app(python, "langchain_app.py", *QUESTIONS)

    items = running.drawn(2)
    assert sorted(row[:3] for row in items.values()) == [
        (QUESTIONS[1], "Park in garage B.", ["Visitors park in garage B, which is open day and night."]),
        (QUESTIONS[0], "Ward 3 is on the second floor.", ["Ward 3 moved to the second floor in 2019."]),
    ]
    assert running.assay.json("report")["judged"] == 2


PHOENIX = """
import os, sys
from phoenix.otel import register

headers = {"authorization": "Bearer " + os.environ["ASSAY_INTAKE_TOKEN"]}
provider = register(
    endpoint=sys.argv[1], protocol="http/protobuf", batch=False, headers=headers, set_global_tracer_provider=False
)
tracer = provider.get_tracer("app")
with tracer.start_as_current_span("ask", openinference_span_kind="chain") as root:
    root.set_input("Where is ward 3?")
    root.set_attribute("session.id", "visit")
    with tracer.start_as_current_span("retrieve", openinference_span_kind="retriever") as retrieval:
        retrieval.set_attribute("retrieval.documents.0.document.content", "Ward 3 is on floor 2.")
    with tracer.start_as_current_span("answer", openinference_span_kind="llm") as model:
        model.set_input("a prompt")
        model.set_output("On floor 2.")
    root.set_output("On floor 2.")
provider.force_flush()
"""


def test_phoenix_own_register_sends_its_spans_here(running: Running) -> None:
    """`phoenix.otel.register` with the address and the header of docs/live.md; the session is the group."""
    running.app(python_with("phoenix.otel"), "-c", PHOENIX, running.traces)

    assert [row[:3] for row in running.drawn(1).values()] == [
        ("Where is ward 3?", "On floor 2.", ["Ward 3 is on floor 2."])
    ]
    assert running.assay.sql('SELECT "group" FROM items') == [("visit",)]


def test_what_a_chain_of_langchain_exported_once_is_drawn_alike(running: Running) -> None:
    """The export that langchain-core and its instrumentor wrote (tests/samples), sent as their exporter sends it."""
    requests = [json.loads(line) for line in RECORDED.read_text(encoding="utf-8").splitlines()]
    headers = {"Authorization": f"Bearer {TOKEN}"}
    for request in requests:
        assert httpx.post(running.traces, json=request, headers=headers, trust_env=False).status_code == 200

    items = running.drawn(3)
    assert len(items) == 3
    assert all(question and answer and contexts and verdict for question, answer, contexts, verdict in items.values())


@pytest.mark.parametrize("signed", ["0", "1"])
def test_a_fastapi_app_sends_answers_and_thumbs(running: Running, signed: str) -> None:
    """The thumb comes before its answer is joined, and finds it; with the token or signed."""
    python = python_with("fastapi", "uvicorn")
    ask = (
        "from starlette.testclient import TestClient; import fastapi_app as f; c = TestClient(f.app); "
        "r = c.post('/ask', json={'text': 'Where is ward 3?'}).json(); "
        "t = c.post('/thumb', json={'item_id': r['item_id'], 'is_up': False, 'comment': 'no'}); print(t.status_code, r['item_id'])"
    )
    status, name = running.app(python, "-c", ask, ASSAY_FEEDBACK_SIGNED=signed).split()

    assert status == "200"
    assert list(running.drawn(1)) == [name]
    assert running.assay.sql("SELECT item_id, sign FROM feedback") == [(name, -1)]


def test_a_streamlit_app_sends_the_vote_of_st_feedback(running: Running, monkeypatch: pytest.MonkeyPatch) -> None:
    """0 is a thumb down, 1 one up."""
    for name, value in running.environment.items():
        monkeypatch.setenv(name, value)
    monkeypatch.syspath_prepend(str(EXAMPLES))
    app = AppTest.from_file(str(EXAMPLES / "streamlit_app.py"), default_timeout=30).run()
    app.chat_input[0].set_value("Where is ward 3?").run()
    assert not app.exception

    name = app.session_state["last"][2]
    app.feedback(key=name).set_value(0).run()
    assert not app.exception
    assert running.assay.sql("SELECT item_id, sign FROM feedback") == [(name, -1)]
    assert list(running.drawn(1)) == [name]
