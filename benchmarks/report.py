"""`assay report` on a large store: 1,000,000 items, three judges, two waves, 2,000 labels; prints seconds and peak memory.

    python benchmarks/report.py [ITEMS]

The first report counts all traffic once; the next ones read the draws and those counts. Each is a process of its own, of the
later ones the median of three. Exit status 1 if that takes more than 3 seconds.
"""

from __future__ import annotations

import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

# Another file of this folder has the name of a standard module, which a script's own folder would hide.
sys.path = [folder for folder in sys.path if not folder.endswith("benchmarks")]

import numpy as np

from annotate.analysis.rule_in_force import built_in, usual
from annotate.domain.annotation import Annotation
from annotate.domain.sampling.proposal import Request
from annotate.store import Store
from annotate.store.labels.resolution import PlacedAnnotation
from annotate.workflow.sampling.draw import draw_wave
from proxy.records import Item, Judgement, Score

ITEMS, LABELS, WAVES, LIMIT = 1_000_000, 2_000, 2, 3.0
BATCH = 20_000
SYSTEMS = ("old", "new")
OFFLINE = [judge for name, judge in built_in().items() if name in usual() and name != "refusal"]
JUDGES = [
    *((judge.name, judge.signature) for judge in OFFLINE),
    *((judge, f"{judge}|file") for judge in ("helpfulness", "completeness", "clarity")),
]
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
        draw_wave(store, Request(labels=LABELS // WAVES, seed=wave), now=NOW)
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
        system=SYSTEMS[n % len(SYSTEMS)],
        timestamp=f"2026-{1 + n % 10:02d}-{1 + n % 28:02d}T00:00:00Z",
    )


def _label(item: int, draw: int, item_id: str, right: np.ndarray) -> PlacedAnnotation:
    said = Judgement.RIGHT if right[item - 1] else Judgement.WRONG
    return PlacedAnnotation(
        Annotation(source="file", id=item_id, item_id=item_id, annotator="a", judgement=said), item, draw
    )


def seconds(path: Path) -> float:
    """The wall time of one report."""
    command = [sys.executable, "-c", "from annotate.cli import main; main()", "report", "--json", "--db", str(path)]
    start = time.perf_counter()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    return time.perf_counter() - start


def main() -> int:
    """Print the figures; 1 if the bar is missed."""
    items = int(sys.argv[1]) if len(sys.argv) > 1 else ITEMS
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "assay.db"
        fill(path, items)
        first = seconds(path)
        later = float(np.median([seconds(path) for _ in range(3)]))
    peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
    print(f"{items:,} items, {LABELS:,} labels: first report {first:.1f} s, later {later:.2f} s, peak {peak:.0f} MB")
    return 1 if later > LIMIT else 0


if __name__ == "__main__":
    sys.exit(main())
