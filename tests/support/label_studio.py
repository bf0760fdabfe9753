"""A real Label Studio for the live tests: one prepared folder and one server a session.

The environment is taken from ASSAY_HOME, where `assay up` installs it. Without one, live tests are skipped on a
developer's machine and fail in CI. ASSAY_LABEL_STUDIO_TEMPLATE saves preparing the folder.
"""

from __future__ import annotations

import fcntl
import os
import uuid
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple, NoReturn

import httpx
import pytest

from annotate.domain import labelling_task
from annotate.domain.annotation import Annotation
from annotate.domain.labelling_form import Form
from annotate.label_studio.client import LabelStudio
from annotate.label_studio.local import TEMPLATE_VARIABLE, VERSION, LocalServer, ensure_environment, start
from proxy.records import Context, Item

HOSTILE = (
    "<script>window.hacked=1</script><img src=x onerror='window.hacked=1'><svg onload='window.hacked=1'>"
    "<iframe srcdoc='<script>parent.hacked=1</script>'></iframe> {{idx}} $answer **bold**"
)


class Expert(NamedTuple):
    """Somebody with an account, and the API as this person uses it."""

    email: str
    api: httpx.Client


def missing(what: str) -> NoReturn:
    """Skip where a developer lacks something; fail where CI lacks it, or nobody would notice."""
    if os.environ.get("CI"):
        pytest.fail(what)
    pytest.skip(what)


@pytest.fixture(scope="session")
def label_studio_home() -> Path:
    """The folder with the Label Studio environment; in CI it is waited for while it is installed, or installed."""
    home = Path(os.environ.get("ASSAY_HOME", ""))
    if os.environ.get("CI") and os.environ.get("ASSAY_HOME"):
        ensure_environment(home, print)
    if not os.environ.get("ASSAY_HOME") or not (home / f"label-studio-{VERSION}" / ".assay-complete").exists():
        missing(f"no Label Studio {VERSION} under ASSAY_HOME: run `make up` once, or set ASSAY_HOME")
    return home


@pytest.fixture(scope="session")
def label_studio_template(label_studio_home: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A prepared data folder that servers copy, made once for all workers of a run."""
    given = os.environ.get(TEMPLATE_VARIABLE)
    if given:
        return Path(given)
    if "PYTEST_XDIST_WORKER" not in os.environ:
        template = tmp_path_factory.mktemp("label-studio-template")
        start(label_studio_home, template).stop()
        return template
    template = tmp_path_factory.getbasetemp().parent / "label-studio-template"
    with (template.with_suffix(".lock")).open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not template.exists():
            start(label_studio_home, template).stop()
    return template


@pytest.fixture(scope="session")
def label_studio_server(
    label_studio_home: Path, label_studio_template: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[LocalServer]:
    """The one running server; each test makes its own project in it."""
    data = tmp_path_factory.mktemp("label-studio")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(TEMPLATE_VARIABLE, str(label_studio_template))
        server = start(label_studio_home, data)
    with server:
        yield server


def as_expert(email: str, token: str, url: str) -> Expert:
    """The API with this person's token; close it in the end."""
    headers = {"Authorization": f"Token {token}"}
    return Expert(email, httpx.Client(base_url=url, headers=headers, timeout=60, trust_env=False))


@pytest.fixture(scope="session")
def expert(label_studio_server: LocalServer) -> Iterator[Expert]:
    """The account that `assay up` makes."""
    first = as_expert(label_studio_server.email, label_studio_server.token, label_studio_server.url)
    with first.api:
        yield first


@pytest.fixture(scope="session")
def colleague(label_studio_server: LocalServer, expert: Expert) -> Iterator[Expert]:
    """A second person, who followed the invite link and signed up."""
    link, email = expert.api.get("/api/invite").json()["invite_url"], "colleague@example.org"
    with httpx.Client(base_url=label_studio_server.url, timeout=60, trust_env=False) as browser:
        browser.get(link).raise_for_status()
        form = {"csrfmiddlewaretoken": browser.cookies["csrftoken"], "email": email, "password": "Colleague-pass-1"}
        assert browser.post(link, data=form, headers={"Referer": label_studio_server.url}).status_code == 302
        token = browser.get("/api/current-user/token").json()["token"]
    second = as_expert(email, token, label_studio_server.url)
    with second.api:
        yield second


def items(count: int) -> list[Item]:
    """Items that carry what an expert must not see."""
    return [
        Item(
            id=f"item-hidden-{n}",
            question=f"Question {n}?",
            answer=f"Answer {n}.",
            contexts=(Context(text="A passage.", id="doc-hidden", title="Leaflet 7", score=0.5),),
            system="system-hidden",
            metadata={"score": "score-hidden", "verdict": "verdict-hidden", "stratum": "stratum-hidden"},
        )
        for n in range(count)
    ]


def verdict(value: str, *more: Mapping[str, object]) -> list[Mapping[str, object]]:
    """A result as the form posts it."""
    part: Mapping[str, object] = {
        "from_name": "verdict",
        "to_name": "answer",
        "type": "choices",
        "value": {"choices": [value]},
    }
    return [part, *more]


@pytest.fixture
def connection(label_studio_server: LocalServer) -> Iterator[LabelStudio]:
    with LabelStudio.connect(label_studio_server.url, label_studio_server.token) as connected:
        yield connected


@pytest.fixture
def project(connection: LabelStudio) -> int:
    return made_project(connection)


def made_project(connection: LabelStudio, form: Form | None = None) -> int:
    """A new project with the form, and a mark that no other has."""
    name = uuid.uuid4().hex[:8]
    return connection.ensure_project(f"Test {name}", form or Form(), marker=f"assay:test:{name}")


@pytest.fixture
def api(label_studio_server: LocalServer) -> Iterator[httpx.Client]:
    headers = {"Authorization": f"Token {label_studio_server.token}"}
    with httpx.Client(base_url=label_studio_server.url, headers=headers, timeout=60, trust_env=False) as client:
        yield client


def post(api: httpx.Client, task_id: int, result: Sequence[Mapping[str, object]], **more: object) -> int:
    answer = api.post(f"/api/tasks/{task_id}/annotations/", json={"result": result, "lead_time": 4.5, **more})
    assert answer.status_code == 201, answer.text
    return int(answer.json()["id"])


def pulled(connection: LabelStudio, project: int) -> tuple[dict[str, list[Annotation]], list[str]]:
    """All records of a project by the key of their task, and all reasons."""
    annotators = connection.annotators()
    records: dict[str, list[Annotation]] = {}
    reasons: list[str] = []
    for raw in connection.everything(project):
        key = str(raw["data"]["external_id"])  # type: ignore[index]
        source = f"label-studio:{project}"
        records[key], odd = labelling_task.annotations(raw, annotators, source, key, Form().version)
        reasons += odd
    return records, reasons
