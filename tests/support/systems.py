"""Stores of several systems on the same questions, one with hostile names and one with many answers."""

from __future__ import annotations

import json

from click.testing import CliRunner

from annotate.cli import main
from annotate.store import Store
from support.app import HOSTILE
from support.store import add, item

RIGHT = {"rerank-2": 54, "top-k-8": 51, "top-k-3": 15}
QUESTIONS = 60


def run(store: Store, *args: str) -> None:
    result = CliRunner().invoke(main, [*args, "--db", str(store.path)], prog_name="assay")
    assert result.exit_code == 0, result.output


def many(store: Store) -> None:
    """Three systems on the same questions with 90 labels that were drawn to rank them."""
    folder = store.path.parent
    rows = [
        {
            "id": f"{system}/{n}",
            "question": f"Where is room {n}?",
            "answer": f"Floor {n}.",
            "contexts": ["c"],
            "system": system,
        }
        for system in RIGHT
        for n in range(QUESTIONS)
    ]
    scores = [
        {"item_id": f"{system}/{n}", "judge": "s", "value": (0.7 if (n < right) != (n % 7 == 0) else 0.3) + n / 1000}
        for system, right in RIGHT.items()
        for n in range(QUESTIONS)
    ]
    for name, content in (("traffic", rows), ("scores", scores)):
        (folder / f"{name}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in content))
    run(store, "ingest", str(folder / "traffic.jsonl"))
    run(store, "scores", "import", str(folder / "scores.jsonl"))
    run(store, "rule", "set", "s > 0.5")
    run(store, "compare", *RIGHT, "--draw", "90", "--seed", "1")
    said = [
        {"item_id": draw.item_id, "annotator": "ann", "label": "right" if int(number) < RIGHT[system] else "wrong"}
        for draw in store.sampling.waves.open_draws()
        for system, number in [draw.item_id.split("/")]
    ]
    (folder / "labels.jsonl").write_text("".join(json.dumps(row) + "\n" for row in said))
    run(store, "labels", "import", str(folder / "labels.jsonl"))


def hostile(store: Store) -> None:
    """Two systems with hostile names; what no file can hold is left out of them."""
    name = HOSTILE.replace("\ud800", "").replace("\0", "")
    for n, system in enumerate((f"a {name}", f"b {name}")):
        add(store, *(item(f"{n}-{m}", question=f"{HOSTILE} {m}", group=f"g{m}", system=system) for m in range(4)))


def graded(store: Store) -> None:
    """The same with a judge's grades of correctness, in quarters, on every answer."""
    many(store)
    rows = [
        {"item_id": f"{system}/{n}", "judge": "correctness", "value": ((n * step) % 5) / 4}
        for step, system in enumerate(RIGHT, start=1)
        for n in range(QUESTIONS)
    ]
    path = store.path.parent / "grades.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    run(store, "scores", "import", str(path))
