"""Offline judging in several processes beside one, on the labelled answers in the folder that ASSAY_DATA names.

    python benchmarks/workers.py [--items 3600] [--workers 2] [--repetitions 3] [--engine ray]

Each repetition judges the same answers with one process and with several, in turn, into a new store in memory. Wall seconds,
CPU seconds of this process and of the workers, the ratio of the walls (its median counts), and peak memory of this process and
of the largest worker. On a machine that others use, the walls say little: `by CPU` is the ratio that the CPU seconds would give
if they were spread evenly over idle cores. With `--engine ray` the several are those of a Ray cluster of so many cores, which
is started before the clock: CPU is then only that of this process. Exit status 1 if scores differ, or if the median ratio is
below 0.85 a worker.
"""

from __future__ import annotations

import sys

# Another file of this folder has the name of a standard module, which a script's own folder would hide.
sys.path = [folder for folder in sys.path if not folder.endswith("benchmarks")]

import argparse
import json
import os
import resource
import statistics
import time
from collections.abc import Sequence
from itertools import cycle, islice
from pathlib import Path
from typing import NamedTuple

from annotate.store import Store
from annotate.workflow.judging import offline
from annotate.workflow.judging.engines.choice import EngineName
from annotate.workflow.judging.engines.engine import Engine
from annotate.workflow.judging.engines.local import LocalEngine, cores
from annotate.workflow.judging.engines.on_ray import RayEngine
from proxy.records import Context, Item
from proxy.scoring import Block, score_block

SETS = ("clapnq_rag", "qafeedback")
NOW = "2026-01-01T00:00:00Z"
LEAST_SHARE = 0.85


class Run(NamedTuple):
    """What a run took, in seconds, and what it kept."""

    wall: float
    own: float
    workers: float
    scores: list[tuple[object, ...]]


def items(folder: Path, count: int) -> list[Item]:
    """So many items from the answers of the sets, repeated under other ids where there are fewer."""
    rows = [json.loads(line) for name in SETS for line in (folder / f"{name}.jsonl").read_text("utf-8").splitlines()]
    return [
        Item(
            id=str(number),
            question=row["question"],
            answer=row["answer"],
            contexts=tuple(Context(text=text) for text in row["contexts"]),
        )
        for number, row in enumerate(islice(cycle(rows), count))
    ]


def children() -> float:
    """CPU seconds of the processes that have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def judged(answers: Sequence[Item], engine: Engine) -> Run:
    """Judge the answers in a new store."""
    store = Store(":memory:")
    with store.atomic():
        store.traffic.items.add(answers, now=NOW)
    wall, own, others = time.perf_counter(), time.process_time(), children()
    offline.judge(store, offline.by_default(store), now=NOW, engine=engine)
    spent = (time.perf_counter() - wall, time.process_time() - own, children() - others)
    query = "SELECT judge, item, value, reason FROM scores ORDER BY judge, item"
    scores = store._db.conn.execute(query).fetchall()  # noqa: SLF001
    return Run(*spent, scores)


def _on_ray(cores: int) -> RayEngine:
    """Start a cluster with its workers, which lasts until this process ends."""
    import ray

    ray.init(address="local", num_cpus=cores, include_dashboard=False, log_to_driver=False)
    warm = ray.remote(num_cpus=1)(score_block)
    ray.get([warm.remote(Block(rows=(), items=(), places=()), []) for _ in range(cores)])
    return RayEngine()


def main() -> int:
    """Print the table; 1 if a bar is missed."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--items", type=int, default=3600)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--repetitions", type=int, default=3)
    parser.add_argument("--engine", choices=[*EngineName], default=EngineName.LOCAL)
    options = parser.parse_args()
    folder = os.environ.get("ASSAY_DATA")
    if not folder:
        print(f"skipped: set ASSAY_DATA to the folder with {', '.join(f'{name}.jsonl' for name in SETS)}")
        return 0
    answers = items(Path(folder), options.items)
    print(f"{len(answers)} items, {options.workers} workers, {cores()} cores, load {os.getloadavg()[0]:.1f}")
    print(f"{'':<14}{'wall s':>8}{'own CPU s':>11}{'workers CPU s':>15}{'ratio':>8}{'by CPU':>8}")
    ratios, is_same = [], True
    shared = _on_ray(options.workers) if options.engine == EngineName.RAY else LocalEngine(options.workers)
    for _ in range(options.repetitions):
        one, several = judged(answers, LocalEngine(1)), judged(answers, shared)
        is_same = is_same and one.scores == several.scores
        ratios.append(one.wall / several.wall)
        by_cpu = one.own / max(several.own, (several.own + several.workers) / min(options.workers, cores()))
        print(f"{'one process':<14}{one.wall:>8.2f}{one.own:>11.2f}{'':>15}")
        print(
            f"{'several':<14}{several.wall:>8.2f}{several.own:>11.2f}{several.workers:>15.2f}{ratios[-1]:>8.2f}{by_cpu:>8.2f}"
        )
    own, worker = (resource.getrusage(who).ru_maxrss / 1024 for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    ratio, bar = statistics.median(ratios), LEAST_SHARE * options.workers
    print(
        f"peak memory: {own:.0f} MB here, {worker:.0f} MB the largest worker; median ratio {ratio:.2f}, bar {bar:.2f}"
    )
    print("the scores are the same" if is_same else "THE SCORES DIFFER")
    return 0 if is_same and ratio >= bar else 1


if __name__ == "__main__":
    sys.exit(main())
