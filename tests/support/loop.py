"""The loop through the command and a real Label Studio: answers of known truth, annotations as the form posts them.

ASSAY_DATA names a folder with labelled answers of real systems; made-up ones are always tested.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import httpx
import pytest

from annotate.label_studio.local import LocalServer
from support.label_studio import Expert
from support.store import Assay, traffic_row

SEED = "7"
LABELS = 60
# The file, and which of its fields says that an answer is right.
REAL = {"clapnq_rag": "human_faithful", "qafeedback": "human_correct"}
Row = Mapping[str, Any]


class Data(NamedTuple):
    """A traffic file, its rows by id, and the ids of right answers."""

    path: str
    rows: Mapping[str, Row]
    right: frozenset[str]


def made_up(count: int) -> list[dict[str, object]]:
    """Answers of four kinds: from the passage, from it but outdated, from nowhere, and without any passage."""
    rows = []
    for n in range(count):
        row = traffic_row(str(n), reference=f"Room {n} has moved to the roof.", is_right=int(n % 3 > 0))
        if n % 5 == 0:
            row |= {"answer": "Bring slippers and an umbrella on Tuesday.", "is_right": int(n % 15 == 0)}
        if n % 17 == 0:
            row["contexts"] = []
        rows.append(row)
    return rows


@pytest.fixture(scope="module")
def folder() -> Path | None:
    """The folder with real data, asked for before any test clears the environment."""
    return Path(os.environ["ASSAY_DATA"]) if os.environ.get("ASSAY_DATA") else None


@pytest.fixture(params=["made_up", *REAL])
def data(request: pytest.FixtureRequest, folder: Path | None, assay: Assay) -> Data:
    """One set of answers with the verdict of people on each."""
    if request.param == "made_up":
        path, field = Path(assay.write("made_up.jsonl", made_up(120))), "is_right"
    elif folder is None or not (folder / f"{request.param}.jsonl").exists():
        pytest.skip(f"no {request.param}.jsonl: set ASSAY_DATA to a folder that holds it")
    else:
        path, field = folder / f"{request.param}.jsonl", REAL[request.param]
    return read(path, field)


def read(path: Path, field: str) -> Data:
    rows = {row["id"]: row for row in map(json.loads, path.read_text(encoding="utf-8").splitlines())}
    return Data(str(path), rows, frozenset(name for name, row in rows.items() if row[field]))


class Loop:
    """The command on one store and the real server; that processes of their own do the same is seen in test_up_live.py."""

    def __init__(self, assay: Assay, expert: Expert) -> None:
        self._assay = assay
        self._api = expert.api

    def __call__(self, *args: str, status: int = 0) -> dict[str, Any]:
        """Run a stage and check its exit status: its JSON object."""
        result = self._assay(*args, "--json", status=status)
        assert result.stderr == "" or status, args
        return dict(json.loads(result.stdout))

    def rows(self, *args: str) -> list[dict[str, Any]]:
        file = self._assay.folder / "export.jsonl"
        self(*args[:2], str(file), *args[2:])
        return [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]

    def drawn(self, path: str, labels: int) -> int:
        """Walk to the server: the project that holds the draws."""
        self("ingest", path)
        self("judge")
        assert self("sample", "--labels", str(labels), "--audit", "0.25", "--seed", SEED)["drawn"] == labels
        pushed = self("push")
        assert (pushed["sent"], pushed["there"]) == (labels, 0)
        return int(pushed["project"])

    def held(self, project: int) -> list[dict[str, Any]]:
        query = {"exportType": "JSON", "download_all_tasks": "true"}
        tasks = self._api.get(f"/api/projects/{project}/export", params=query).raise_for_status().json()
        return sorted(tasks, key=lambda task: int(task["id"]))

    def by_item(self, project: int) -> dict[str, int]:
        keys = dict(self._assay.sql("SELECT d.task_key, i.id FROM draws d JOIN items i ON i.key = d.item"))
        return {keys[task["data"]["external_id"]]: task["id"] for task in self.held(project)}

    def labels(self) -> dict[str, str]:
        return {row["item_id"]: row["label"] for row in self.rows("labels", "export")}

    def verdicts(self) -> dict[str, bool]:
        """Whether each scored item passes: the smaller of its two scores lies above one half."""
        scores: dict[str, dict[str, float | None]] = {}
        for row in self.rows("scores", "export"):
            if row["judge"] in ("context_relevance", "faithfulness"):
                scores.setdefault(row["item_id"], {})[row["judge"]] = row["value"]
        both = {name: [value for value in score.values() if value is not None] for name, score in scores.items()}
        return {name: min(values) > 0.5 for name, values in both.items() if len(values) == 2}


@pytest.fixture
def loop(assay: Assay, label_studio_server: LocalServer, expert: Expert, monkeypatch: pytest.MonkeyPatch) -> Loop:
    """The command, told of the real server by its environment."""
    monkeypatch.setenv("LABEL_STUDIO_URL", label_studio_server.url)
    monkeypatch.setenv("LABEL_STUDIO_API_KEY", label_studio_server.token)
    return Loop(assay, expert)


def part(name: str, **value: object) -> dict[str, object]:
    """A part of a result as the form posts it."""
    kind = "textarea" if name in ("reference", "rationale") else "choices"
    return {"from_name": name, "to_name": "answer", "type": kind, "value": value}


def right() -> list[dict[str, object]]:
    """What the form posts after key 1 and Ctrl+Enter."""
    return [part("verdict", choices=["right"])]


def wrong(cause: str, reference: str | None) -> list[dict[str, object]]:
    """What the form posts for a wrong answer, with or without a better one."""
    parts = [part("verdict", choices=["wrong"]), part("causes", choices=[cause])]
    return [*parts, part("reference", text=[reference])] if reference else parts


def submit(api: httpx.Client, task: int, result: Sequence[Mapping[str, object]], *, skipped: bool = False) -> int:
    body = {"result": result, "lead_time": 4.2, "was_cancelled": skipped}
    return int(api.post(f"/api/tasks/{task}/annotations/", json=body).raise_for_status().json()["id"])
