"""Nothing that a pattern names leaves by any door: the bytes that go to Label Studio, to a model, to files and to a terminal.

Every text of the store is a canary, and one pattern names them all. The same doors are walked without redaction, where the canaries
must come out: a door that shows no text would prove nothing.
"""

from __future__ import annotations

import io
import json
import re
import shutil
import zipfile
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from functools import partial
from pathlib import Path

import httpx
import pyarrow.parquet as pq
import pytest

from annotate import Project
from annotate.domain.privacy.pseudonyms import PSEUDONYM
from annotate.server.app import app_of
from annotate.server.feedback import feedback
from annotate.server.inbox import Inbox
from annotate.server.listening import Listening
from annotate.server.traces import logs, traces
from annotate.store import Store
from annotate.store.audit.pseudonym_key import VARIABLE
from annotate.workflow.gold import export, model_draft
from proxy.errors import EndpointError
from proxy.text import times
from support.canaries import CANARIES, canaried, fill
from support.endpoint import Endpoint
from support.fake_server import TOKEN, FakeServer, on_a_port
from support.langfuse_server import AT, PUBLIC, SECRET, LangfuseServer
from support.mcp_client import call
from support.model import asked
from support.store import Assay, label, once

pytestmark = pytest.mark.slow

TABLE = "[redaction]\non = true\npatterns = ['(?P<CANARY>canary-[a-z]+-[0-9a-f]{12})']\n"
CANARY = re.compile(r"canary-[a-z]+-[0-9a-f]{12}")
ANSWERS = (
    *(
        ("report", "--full"),
        ("show", "a", "--full"),
        ("show", "y", "--full"),
        ("gold", "list"),
        ("quarantine",),
        ("events",),
        ("next",),
        ("doctor",),
        ("questions", "list"),
        ("rule", "list"),
    ),
    *(
        ("labels", "history", "a"),
        ("labels", "annotators"),
        ("labels", "disagreements"),
        ("slices", "--full"),
        ("calibrate",),
    ),
)
FILES = (
    *(("draws", "export", "--all", "d.jsonl"), ("draws", "export", "--all", "--blind", "b.csv")),
    *(("labels", "export", "l.jsonl"), ("labels", "export", "--annotations", "--revisions", "a.csv")),
    ("scores", "export", "otlp:o.jsonl"),
    *(("scores", "export", "s.jsonl"), ("quarantine", "--export", "q.jsonl"), ("report", "--html", "r.html")),
    ("questions", "export", "i.jsonl"),
    *(("report", "--markdown"), ("report", "--junit", "j.xml")),
    *(
        ("gold", "export", "--status", "all", f"g.{to}{end}", "--to", to)
        for to, end in (("jsonl", ".jsonl"), ("ragas", ".jsonl"))
    ),
    *(
        ("gold", "export", "--status", "all", f"g.{to}{end}", "--to", to)
        for to, end in (("deepeval", ".json"), ("langfuse", ".jsonl"))
    ),
    *(
        ("gold", "export", "--status", "all", f"g.{to}{end}", "--to", to)
        for to, end in (("promptfoo", ".yaml"), ("openai", ".jsonl"), ("langsmith", ".jsonl"), ("phoenix", ".jsonl"))
    ),
    ("gold", "export", "--status", "all", "g-hf", "--to", "hf"),
)
WRONG = (
    ("labels", "history", CANARIES["question"]),
    ("show", CANARIES["question"]),
    ("gold", "retire", CANARIES["reference"]),
    ("draws", "export", f"{CANARIES['answer']}/x.jsonl"),
    ("report", "--db", CANARIES["person"]),
)
TRACE = "1" * 32
# Doors that hold no text of the store, or of what came: they are walked all the same.
SILENT = {"report --junit j.xml", "next", "doctor", "slices --full", "calibrate", "/v1/traces", "/v1/logs"}


@pytest.fixture(params=[True, False], ids=["on", "off"])
def filled(assay: Assay, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> tuple[Assay, bool]:
    """The store of canaries, with redaction and without, looked at from a folder without a table."""
    is_on = bool(request.param)

    def make() -> None:
        if is_on:
            (assay.folder / "assay.toml").write_text(TABLE)
        fill(assay)
        _fill(assay)
        (assay.folder / "assay.toml").unlink(missing_ok=True)

    once(assay, f"doors-{'on' if is_on else 'off'}", make)
    (assay.folder / "elsewhere").mkdir()
    monkeypatch.chdir(assay.folder / "elsewhere")
    return assay, is_on


def _fill(assay: Assay) -> None:
    """Add a miss, an answer on which annotators disagree, one that waits for a label, and a trace; accept the gold set.

    Each holds canaries, and so do the name of whoever does it and that of the rule.
    """
    c = CANARIES
    more = [canaried(name) | {"answer": f"Room {name} is {c['context']}.", "system": c["metadata"]} for name in "xyz"]
    assay("ingest", assay.write("more.jsonl", more))
    assay("ingest", assay.write("spans.jsonl", [root_span(TRACE, c["question"], c["answer"])]))
    assay("judge")
    scores = [{"item_id": TRACE, "judge": "other", "value": 0.5, "reason": c["reason"]}]
    assay("scores", "import", assay.write("traced.jsonl", scores))
    assay("sample", "--labels", "4", "--seed", "1")
    rows = [
        label("x", "wrong", c["annotator"], rationale=c["rationale"]),
        label("y", "wrong", c["annotator"], rationale=c["rationale"]),
        label("y", "right", "bob", rationale=c["why"]),
    ]
    assay("labels", "import", assay.write("more_labels.jsonl", rows))
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("ASSAY_USER", c["person"])
        assay("gold", "accept", "--all")
    passages = [{"text": f"The archive is located in the {c['context']} wing."}, {"text": "Coffee is on the roof."}]
    assay("questions", "build", assay.write("passages.jsonl", passages))
    assay("rule", "set", "min(context_relevance, faithfulness) > 0.5", "--name", c["title"])


def root_span(trace: str, question: str, answer: str) -> dict[str, object]:
    """A root span of OpenInference."""
    values = {"openinference.span.kind": "CHAIN", "input.value": question, "output.value": answer}
    context = {"trace_id": trace, "span_id": "b" * 16}
    return {"context": context, "start_time": AT, "parent_id": None, "attributes": values}


def content(path: Path) -> str:
    """All of a file or of a folder's files, unpacked where it is packed."""
    files = sorted(path.rglob("*")) if path.is_dir() else [path]
    return "".join(unpacked(file.name, file.read_bytes()) for file in files)


def unpacked(name: str, data: bytes) -> str:
    """The text of a file; compression would hide what it holds."""
    if zipfile.is_zipfile(io.BytesIO(data)):
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            return "".join(unpacked(inner, archive.read(inner)) for inner in archive.namelist())
    if name.endswith(".parquet"):
        return json.dumps(pq.read_table(io.BytesIO(data)).to_pylist(), ensure_ascii=False)
    return data.decode("utf-8", "replace")


def written(assay: Assay) -> Iterator[tuple[str, str]]:
    """What each command writes to a file, and what it prints."""
    for args in FILES:
        printed = assay(*args).output
        paths = [Path(part.removeprefix("otlp:")) for part in args if part != "a"]
        names = [path for path in paths if path.exists()]
        yield " ".join(args), printed + "".join(map(content, names))


def printed(assay: Assay) -> Iterator[tuple[str, str]]:
    """What each command prints, for people and for programs; the JSON has no escapes, under which a text could hide."""
    for args in ANSWERS:
        name = " ".join(args)
        yield name, assay(*args).output
        plain = [part for part in args if part != "--full"]
        yield name, json.dumps(json.loads(assay(*plain, "--json").stdout), ensure_ascii=False)


def downloads(assay: Assay) -> Iterator[tuple[str, str]]:
    """What the app hands out as files of the gold set."""
    store = Store(assay.db, reads_only=True)
    for target in export.TARGETS:
        yield f"download {target.name}", unpacked(target.ending, export.content(store, target))
    store.close()


def to_model(assay: Assay) -> Iterator[tuple[str, str]]:
    """The bodies that a model's endpoint gets."""
    with Endpoint() as endpoint, pytest.MonkeyPatch.context() as patch:
        patch.setenv("OPENAI_API_KEY", "key")
        assay(*asked(endpoint))
        yield "model", json.dumps(list(endpoint.bodies), ensure_ascii=False)


def to_asking_model(assay: Assay) -> Iterator[tuple[str, str]]:
    """The bodies that the model gets which asks questions about passages."""
    with Endpoint() as endpoint, pytest.MonkeyPatch.context() as patch:
        patch.setenv("OPENAI_API_KEY", "key")
        assay("questions", "build", "--model", "m", "--base-url", endpoint.url)
        yield "asking model", json.dumps(list(endpoint.bodies), ensure_ascii=False)


def to_drafting_model(assay: Assay) -> Iterator[tuple[str, str]]:
    """The bodies that the model gets which drafts references, of a wrong answer; and what the page is given of the draft."""
    with Endpoint() as endpoint, pytest.MonkeyPatch.context() as patch, closing(Store(assay.db)) as store:
        patch.setenv("OPENAI_API_KEY", "key")
        Path("assay.toml").write_text(f'[draft]\nmodel = "m"\nurl = "{endpoint.url}"\n')
        with pytest.raises(EndpointError, match="the passages do not hold the answer"):
            model_draft.draft(store, store.traffic.items.key("x"), who="ann", clock=times.now)
        yield "drafting model", json.dumps(endpoint.bodies[-1], ensure_ascii=False)
    Path("assay.toml").unlink()


def to_label_studio(assay: Assay) -> Iterator[tuple[str, str]]:
    """Every byte of every request to Label Studio."""
    server, sent = FakeServer(), list[str]()

    def recorded(request: httpx.Request) -> httpx.Response:
        sent.append(f"{request.url} {request.read().decode()}")
        return server(request)

    with on_a_port(recorded) as url, pytest.MonkeyPatch.context() as patch:
        patch.setenv("LABEL_STUDIO_API_KEY", TOKEN)
        assay("push", "--url", url)
    assert server.tasks
    yield "label studio", "\n".join(sent)


def to_tracers(assay: Assay) -> Iterator[tuple[str, str]]:
    """Every byte of every request to Langfuse and to an endpoint of OpenTelemetry."""
    langfuse, sent = LangfuseServer(), list[str]()

    def recorded(request: httpx.Request) -> httpx.Response:
        body = request.read()
        sent.append(f"{request.url} {request.headers} {body.decode()}")
        status, answer = (200, {}) if request.url.path == "/v1/logs" else langfuse.answer(request.url.path, body)
        return httpx.Response(status, json=answer)

    with on_a_port(recorded) as url, pytest.MonkeyPatch.context() as patch:
        for name, value in (("PUBLIC_KEY", PUBLIC), ("SECRET_KEY", SECRET), ("BASE_URL", url)):
            patch.setenv(f"LANGFUSE_{name}", value)
        assay("scores", "export", "langfuse:")
        assert langfuse.sent
        yield "langfuse", "\n".join(sent)
        sent.clear()
        assay("scores", "export", f"otlp:{url}")
        assert sent
        yield "otlp", "\n".join(sent)


def to_agent(assay: Assay) -> Iterator[tuple[str, str]]:
    """What each tool that looks answers an agent, and what it says of a wrong name."""
    calls: dict[str, dict[str, object]] = {
        "report": {},
        "gold_list": {},
        "show": {"item_id": "x"},
        "compare": {"first": CANARIES["person"], "second": "v2"},
    }
    for name, result in call(assay, calls).items():
        yield name, result.lines + json.dumps(result.json, ensure_ascii=False)


@contextmanager
def receiving(assay: Assay) -> Iterator[str]:
    """The address that takes feedback, spans and log records."""
    secret = TOKEN.encode()
    with (
        Inbox(partial(Project(assay.db).writing, make=True)) as inbox,
        Listening(app_of(feedback(secret, inbox), traces(secret, inbox), logs(secret, inbox))) as server,
    ):
        yield f"http://127.0.0.1:{server.port}"


def answered(assay: Assay) -> Iterator[tuple[str, str]]:
    """What the server answers to feedback, spans and evaluations that it cannot read, and what quarantine then hands out."""
    comment = CANARIES["comment"]
    texts = [
        {"key": key, "value": {"stringValue": comment}} for key in ("input.value", "gen_ai.evaluation.explanation")
    ]
    span = {"traceId": "", "spanId": "", "name": comment, "attributes": texts}
    record = {"eventName": "gen_ai.evaluation.result", "traceId": TRACE, "attributes": texts}
    sent = (
        ("/feedback", {"item_id": "a", "value": comment}),
        ("/feedback", {"item_id": "b", comment: -1}),
        ("/v1/traces", {"resourceSpans": [{"scopeSpans": [{"spans": [span]}]}]}),
        ("/v1/traces", {"resourceSpans": comment}),
        ("/v1/logs", {"resourceLogs": [{"scopeLogs": [{"logRecords": [record]}]}]}),
        ("/v1/logs", {"resourceLogs": comment}),
    )
    with receiving(assay) as url:
        headers = {"Authorization": f"Bearer {TOKEN}"}
        for path, row in sent:
            yield (
                path,
                httpx.post(url + path, json=row, headers=headers, trust_env=False, verify=False, timeout=30).text,
            )
    assay("quarantine", "--export", "live.jsonl")
    yield "quarantine", content(Path("live.jsonl"))


@pytest.mark.parametrize(
    "doors",
    [
        written,
        printed,
        to_agent,
        downloads,
        to_model,
        to_asking_model,
        to_drafting_model,
        to_label_studio,
        to_tracers,
        answered,
    ],
)
def test_nothing_leaves_by_this_door(
    filled: tuple[Assay, bool], doors: Callable[[Assay], Iterator[tuple[str, str]]]
) -> None:
    """With redaction no canary, and pseudonyms of their kind in their place; without, the canaries that prove the door open."""
    assay, is_on = filled
    out = list(doors(assay))
    full = {name for name, text in out if CANARY.search(text)}
    if is_on:
        assert full == set()
        assert any(PSEUDONYM.search(text) for _, text in out)
    else:
        assert {name for name, _ in out} - full <= SILENT


def test_errors_say_nothing(filled: tuple[Assay, bool]) -> None:
    """Ids, files and names that somebody typed come back masked on standard error."""
    assay, is_on = filled
    for args in WRONG:
        told = assay(*args, status=2 if "--db" not in args else 1, db="--db" not in args)
        assert told.output
        assert bool(CANARY.search(told.output)) is not (is_on and "--db" not in args), (args, told.output)


def test_the_key_is_in_nothing_that_is_given_away(filled: tuple[Assay, bool], monkeypatch: pytest.MonkeyPatch) -> None:
    """Not in the store, its log, a backup, an export or an event; the backup holds the texts, as the docs say."""
    assay, is_on = filled
    key = Path(f"{assay.db}.key")
    assert key.exists() is is_on
    if not is_on:
        return
    secret = key.read_text().strip()
    assert key.stat().st_mode & 0o777 == 0o600
    assay("backup", "copy.db")
    beside = [path for path in assay.folder.rglob("*") if path.is_file() and path != key]
    assert [path for path in beside if secret in content(path)] == []
    assert CANARY.search(content(Path("copy.db")))

    # The copy with the key in the environment has the same pseudonyms; without it nothing is sent.
    before = dict(written(assay))["labels export l.jsonl"]
    shutil.copy("copy.db", assay.folder / "moved.db")
    moved = Assay(assay.folder, assay.folder / "moved.db")
    assert "key of this store's pseudonyms is missing" in moved("labels", "export", "l.jsonl", status=2).stderr
    monkeypatch.setenv(VARIABLE, secret)
    moved("labels", "export", "l.jsonl")
    assert content(Path("l.jsonl")) in before
