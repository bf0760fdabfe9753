"""`assay ingest` against bare sqlite-utils `upsert_all` of the same rows, in one run; prints ratios.

    python benchmarks/ingest.py [ROWS]

Every figure is the CPU time of a process of its own, start-up included, median of three; the ratio is the median of three
pairs, one after the other, so that other work on the machine counts for both; memory is the process's peak. Bare keeps one
table with the texts as they are and an index of ids. Assay also reads ids beforehand, hashes contents, keeps revisions, and
puts long columns into a table of their own. Exit status 1 if ingest takes more than 1.5 times as long, or if reading the same
file again is no faster.
"""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

LIMIT = 1.5
WORDS = [
    "dose",
    "clinic",
    "leaflet",
    "appointment",
    "before",
    "after",
    "tablet",
    "visit",
    "water",
    "scan",
    "hours",
    "day",
]
BARE = """
import json, sys, sqlite_utils
db = sqlite_utils.Database(sys.argv[2])
db.enable_wal()
rows = (json.loads(line) for line in open(sys.argv[1]))
db["items"].upsert_all(({**row, "contexts": json.dumps(row["contexts"])} for row in rows), pk="id")
"""


def write_traffic(path: Path, rows: int, seed: int = 1) -> None:
    """`rows` items of about 4 KB with random ids."""
    rng = random.Random(seed)
    with path.open("w") as stream:
        for _ in range(rows):
            passages = [" ".join(rng.choices(WORDS, k=160)) for _ in range(4)]
            row = {
                "id": f"{rng.getrandbits(128):032x}",
                "question": " ".join(rng.choices(WORDS, k=10)) + "?",
                "contexts": passages,
                "answer": " ".join(rng.choices(WORDS, k=30)),
                "system": "bench",
                "timestamp": "2026-11-20T08:00:00Z",
            }
            stream.write(json.dumps(row) + "\n")


def run(command: list[str]) -> tuple[float, float]:
    """(seconds of CPU, peak memory in MB) of one process."""
    # As installed: modules are compiled once, not with each start.
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, env=environment)
    _, status, usage = os.wait4(process.pid, 0)
    if status:
        raise SystemExit(f"{command} failed")
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


def main() -> None:
    """Print the table."""
    rows = int(sys.argv[1]) if len(sys.argv) > 1 else 100_000
    with tempfile.TemporaryDirectory() as folder:
        traffic = Path(folder) / "traffic.jsonl"
        write_traffic(traffic, rows)
        times: dict[str, list[tuple[float, float]]] = {
            "bare upsert_all": [],
            "assay ingest": [],
            "assay ingest again": [],
        }
        for turn in range(3):
            ours, bare = Path(folder) / f"ours{turn}.db", Path(folder) / f"bare{turn}.db"
            command = [sys.executable, "-m", "annotate", "ingest", str(traffic), "--db", str(ours)]
            times["bare upsert_all"].append(run([sys.executable, "-c", BARE, str(traffic), str(bare)]))
            times["assay ingest"].append(run(command))
            times["assay ingest again"].append(run(command))
            for path in Path(folder).glob("*.db*"):
                path.unlink()
    medians = {name: float(np.median([seconds for seconds, _ in figures])) for name, figures in times.items()}
    base = [seconds for seconds, _ in times["bare upsert_all"]]
    ratios = {
        name: float(np.median([own / base_time for (own, _), base_time in zip(figures, base, strict=True)]))
        for name, figures in times.items()
    }
    print(f"{rows:,} items of 4 KB{'CPU s':>24}{'rows/s':>10}{'ratio':>8}{'peak MB':>9}")
    for name, figures in times.items():
        seconds = medians[name]
        memory = max(peak for _, peak in figures)
        print(f"{name:<28}{seconds:>16.2f}{rows / seconds:>10,.0f}{ratios[name]:>8.2f}{memory:>9.0f}")
    if ratios["assay ingest"] > LIMIT or medians["assay ingest again"] >= medians["assay ingest"]:
        sys.exit(1)


if __name__ == "__main__":
    main()
