"""Tasks to and from a real Label Studio, beside the plain calls of its SDK in the same run; prints seconds and ratios.

    ASSAY_HOME=.assay/home python benchmarks/label_studio.py [TASKS]

A server on a new folder; 4.8 KB a task. The SDK pushes in the same batches and reads pages of the same size; neither side stores
what it reads. Exit status 1 if pushing or pulling 5,000 takes a minute, or reading 50 changes two seconds.
"""

from __future__ import annotations

import json
import os
import random
import sys
import tempfile
import time
import uuid
from collections.abc import Callable
from pathlib import Path

# Another file of this folder has the name of a standard module.
sys.path.sort(key=lambda folder: folder.endswith("benchmarks"))

from ingest import WORDS
from label_studio_sdk import LabelStudio as Sdk

from annotate.domain.labelling_form import Form
from annotate.domain.labelling_task import Task, task
from annotate.label_studio.client import LabelStudio
from annotate.label_studio.delivery import BATCH
from annotate.label_studio.local import LocalServer, start
from annotate.label_studio.tasks import PAGE
from annotate.workflow.labelling.pull import LONG_AGO
from proxy.records import Context, Item

CHANGED = 50
LIMITS = {"push": 60.0, "pull": 60.0, "changed": 2.0}
RESULT = [{"from_name": "verdict", "to_name": "answer", "type": "choices", "value": {"choices": ["right"]}}]


def made(count: int, seed: int = 1) -> list[Task]:
    """Tasks of about 4.8 KB."""
    rng = random.Random(seed)

    def words(number: int) -> str:
        return " ".join(rng.choices(WORDS, k=number))

    return [
        task(
            f"w1-{n:06d}",
            Item(
                id=str(n),
                question=words(10),
                answer=words(40),
                contexts=tuple(Context(text=words(140)) for _ in range(5)),
            ),
            Form(),
        )
        for n in range(count)
    ]


def timed(work: Callable[[], object]) -> float:
    """Seconds that it takes."""
    began = time.perf_counter()
    work()
    return time.perf_counter() - began


def project(studio: LabelStudio) -> int:
    """A new project."""
    mark = uuid.uuid4().hex
    return studio.ensure_project(f"Bench {mark[:6]}", Form(), marker=f"assay:bench:{mark}")


def sdk_push(sdk: Sdk, number: int, tasks: list[Task]) -> None:
    """The plain calls: nothing looked up, nothing counted."""
    for first in range(0, len(tasks), BATCH):
        rows = [{"data": dict(queued_task.data)} for queued_task in tasks[first : first + BATCH]]
        sdk.projects.import_tasks(number, request=rows, return_task_ids=True)  # type: ignore[arg-type]


def sdk_pull(sdk: Sdk, number: int, query: dict[str, object] | None = None) -> list[object]:
    """The plain calls: page after page by number."""
    asked = json.dumps(query) if query else None
    pager = sdk.tasks.list(project=number, fields="all", page_size=PAGE, resolve_uri=False, query=asked)
    return list(pager)


def annotated(sdk: Sdk, studio: LabelStudio, tasks: list[Task]) -> int:
    """A project whose tasks were imported with an annotation each."""
    number = project(studio)
    for first in range(0, len(tasks), BATCH):
        rows = [
            {"data": dict(queued_task.data), "annotations": [{"result": RESULT, "lead_time": 4.5}]}
            for queued_task in tasks[first : first + BATCH]
        ]
        sdk.projects.import_tasks(number, request=rows)  # type: ignore[arg-type]
    return number


def change(sdk: Sdk, studio: LabelStudio, number: int) -> str:
    """Edit as many annotations as an incremental pull is to bring; the newest time before that."""
    rows = list(studio.everything(number))
    newest = max(str(row["updated_at"]) for row in rows)
    for row in rows[:: max(len(rows) // CHANGED, 1)][:CHANGED]:
        [annotation] = row["annotations"]  # type: ignore[misc]
        sdk.annotations.update(annotation["id"], result=RESULT, lead_time=9.0)
    return newest


def measure(server: LocalServer, count: int) -> dict[str, tuple[float, float]]:
    """Seconds of ours and of the SDK's plain calls, by what was done."""
    tasks = made(count)
    sdk = Sdk(base_url=server.url, api_key=server.token)  # type: ignore[no-untyped-call]
    timings: dict[str, tuple[float, float]] = {}
    with LabelStudio.connect(server.url, server.token) as studio:
        sdk_push(sdk, project(studio), tasks[:BATCH])  # both have been imported and connected before anything is timed
        theirs = project(studio)
        plain = timed(lambda: sdk_push(sdk, theirs, tasks))
        ours = project(studio)
        timings["push"] = timed(lambda: studio.push(ours, tasks)), plain
        timings["push again"] = timed(lambda: studio.push(ours, tasks)), plain
        number = annotated(sdk, studio, tasks)
        plain = timed(lambda: sdk_pull(sdk, number))
        timings["pull"] = timed(lambda: sum(1 for _ in studio.everything(number))), plain
        since = change(sdk, studio, number)
        item = {"filter": "filter:tasks:updated_at", "operator": "greater", "type": "Datetime", "value": since}
        query: dict[str, object] = {"filters": {"conjunction": "and", "items": [item]}, "ordering": ["tasks:id"]}
        plain = timed(lambda: sdk_pull(sdk, number, query))
        timings["changed"] = timed(lambda: list(studio.read(number, studio.touched_since(number, since)))), plain
        plain = timed(lambda: list(sdk.tasks.list(project=number, include="id", page_size=PAGE)))
        timings["sweep"] = timed(lambda: set(studio.touched_since(number, LONG_AGO))), plain
    return timings


def main() -> None:
    """Print the table."""
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 5000
    home = Path(os.environ.get("ASSAY_HOME") or Path.home() / ".cache" / "assay")
    with tempfile.TemporaryDirectory() as folder, start(home, Path(folder), progress=print) as server:
        report = measure(server, count)
    print(f"{count:,} tasks of 4.8 KB{'seconds':>20}{'tasks/s':>10}{'plain SDK':>12}{'ratio':>8}")
    for name, (ours, plain) in report.items():
        tasks = CHANGED if name == "changed" else count
        print(f"{name:<24}{ours:>18.2f}{tasks / ours:>10,.0f}{plain:>12.2f}{ours / plain:>8.2f}")
    sys.exit(any(report[name][0] > limit for name, limit in LIMITS.items()))


if __name__ == "__main__":
    main()
