"""What reads a large store (1,000,000 items, six judges, two waves, 2,000 labels): seconds and peak memory.

    python benchmarks/report.py [ITEMS] [--store FILE]

The first report counts all traffic once, the next after a change of labels predicts every item anew, later ones read the draws
and what is kept. Then a look at the next wave, a plan, and the weekly courses of the Overview, first and again. Each is a
process of its own, of the later reports the median of three. With --store the store is made there and kept. Exit status 1 if
a later report takes more than 3 seconds of CPU, start-up included: unlike wall time it hardly hangs on other work beside it.
"""

from __future__ import annotations

import argparse
import json
import os
import sqlite3
import subprocess
import sys
import tempfile
import time
from contextlib import closing
from pathlib import Path
from typing import NamedTuple

# Another file of this folder has the name of a standard module, which a script's own folder would hide.
sys.path = [folder for folder in sys.path if not folder.endswith("benchmarks")]

import numpy as np

from annotate.analysis.rule_in_force import built_in, default_judges
from annotate.domain.annotation import Annotation
from annotate.domain.sampling.proposal import ProposalRequest
from annotate.store import Store
from annotate.store.labels.resolution import PlacedAnnotation
from annotate.workflow.sampling.draw import draw_wave
from proxy.records import Context, Item, Judgement, Score

ITEMS, LABELS, WAVES, LIMIT = 1_000_000, 2_000, 2, 3.0
BATCH = 20_000
SYSTEMS = ("old", "new")
OFFLINE = [judge for name, judge in built_in().items() if name in default_judges() and name != "refusal"]
JUDGES = [
    *((judge.name, judge.signature) for judge in OFFLINE),
    *((judge, f"{judge}|file") for judge in ("helpfulness", "completeness", "clarity")),
]
# A process's own peak: what the system tells a parent of its child holds what the parent had when it forked.
MEASURED = """
import atexit, re, sys, time
def told():
    peak = re.search(r"VmHWM:\\s+(\\d+)", open("/proc/self/status").read())[1]
    print(peak, time.process_time(), file=sys.stderr)
atexit.register(told)
from annotate.cli import main
main()
"""
NOW = "2026-11-21T00:00:00.000Z"


def fill(path: Path, items: int) -> None:
    """Made-up traffic with scores that tell right from wrong, drawn and labelled."""
    rng = np.random.default_rng(0)
    right = rng.random(items) < 0.8
    store = Store(path)
    for start in range(0, items, BATCH):
        rows = range(start, min(start + BATCH, items))
        middle = np.where(right[rows][:, None], 0.7, 0.45)
        values = np.clip(rng.normal(middle, 0.2, (len(rows), len(JUDGES))), 0, 1)
        with store.atomic():
            store.traffic.items.add([_item(n) for n in rows], now=NOW)
            store.scores.keep(
                {
                    n + 1: [
                        Score(item_id=f"i{n}", judge=judge, signature=signature, value=float(value))
                        for (judge, signature), value in zip(JUDGES, line, strict=True)
                    ]
                    for n, line in zip(rows, values, strict=True)
                },
                now=NOW,
            )
    for wave in range(WAVES):
        draw_wave(store, ProposalRequest(labels=LABELS // WAVES, seed=wave), now=NOW)
        with store.atomic():
            store.labels.keep(
                [_label(draw.item, draw.key, draw.item_id, right) for draw in store.sampling.waves.open_draws()],
                now=NOW,
            )
    store.close()


def _item(n: int) -> Item:
    return Item(
        id=f"i{n}",
        question=f"q{n}",
        answer=f"The answer to question {n}. " * 10,
        contexts=(Context(text=f"What is known of question {n}. " * 10),),
        system=SYSTEMS[n % len(SYSTEMS)],
        timestamp=f"2026-{1 + n % 10:02d}-{1 + n % 28:02d}T00:00:00Z",
    )


def _label(item: int, draw: int, item_id: str, right: np.ndarray) -> PlacedAnnotation:
    said = Judgement.RIGHT if right[item - 1] else Judgement.WRONG
    return PlacedAnnotation(
        Annotation(source="file", id=item_id, item_id=item_id, annotator="a", judgement=said), item, draw
    )


class Run(NamedTuple):
    """The wall time of a process, its CPU time and its peak of memory in MB."""

    seconds: float
    cpu: float
    peak: float


def run(path: Path, *words: str) -> Run:
    """Measure one command."""
    command = [sys.executable, "-c", MEASURED, *words, "--db", str(path)]
    start = time.perf_counter()
    done = subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    seconds = time.perf_counter() - start
    kilobytes, cpu = done.stderr.split()[-2:]
    return Run(seconds, float(cpu), int(kilobytes) / 1024)


def change_a_label(path: Path) -> None:
    """One annotator changes her mind on one answer."""
    with closing(sqlite3.connect(path)) as connection:
        query = "SELECT i.id, l.judgement FROM labels l JOIN items i ON i.key = l.item LIMIT 1"
        ((name, word),) = connection.execute(query).fetchall()
    file = path.with_name("label.jsonl")
    changed = "wrong" if word == "right" else "right"
    file.write_text(json.dumps({"item_id": name, "label": changed, "annotator": "a"}) + "\n")
    run(path, "labels", "import", str(file))


def line(name: str, measured: Run) -> None:
    """One line of the table."""
    print(f"{name:<42}{measured.seconds:>9.2f} s{measured.cpu:>9.2f} s CPU{measured.peak:>8.0f} MB", flush=True)


def measure(path: Path) -> Run:
    """Print the table; the median of the later reports."""
    line("first report", run(path, "report", "--json"))
    change_a_label(path)
    line("report after a change of labels", run(path, "report", "--json"))
    later = sorted((run(path, "report", "--json") for _ in range(3)), key=lambda each: each.cpu)[1]
    line("later report", later)
    commands = ("sample --labels 200 --seed 1 --dry-run", "plan", "drift --by week", "drift --by week")
    for words in commands:
        line(words, run(path, *words.split(), "--json"))
    return later


def main() -> int:
    """Print the figures; 1 if the bar is missed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("items", type=int, nargs="?", default=ITEMS)
    parser.add_argument("--store", type=Path)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        path = given.store or Path(folder) / "assay.db"
        if not path.exists():
            fill(path, given.items)
        print(f"{given.items:,} items, {len(JUDGES)} judges, {LABELS:,} labels; load {os.getloadavg()[0]:.1f}")
        return 1 if measure(path).cpu > LIMIT else 0


if __name__ == "__main__":
    sys.exit(main())
