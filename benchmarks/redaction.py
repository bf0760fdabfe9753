"""Redaction: what is found of personal data by kind, what it takes of texts beside none, and of `assay ingest`.

    python benchmarks/redaction.py [ROWS]

An answer has a question, four passages and an answer of about 4 KB together, with a date and a dose in each text as clinics
write them; one in ten holds an e-mail address and a telephone number. Every figure is the median of three, alternating: of
texts the time of the processor, of ingest the time on the clock. Exit status 1 if what leaves is not masked.

Recall is counted on made-up sentences with numbers and dates of some 40 countries (`tests/support/personal.py`), a value as
found when none of its letters and digits is left; false masks on clinical sentences whose numbers must stay.
"""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

import numpy as np
from ingest import WORDS

from annotate.domain.privacy.patterns import masked, spans
from annotate.domain.privacy.pseudonyms import of_store
from annotate.domain.privacy.redaction import Redaction, texts_of
from proxy.records import Context, Item

REPEATS = 3
SEEDS = range(1, 4)
sys.path.append(str(Path(__file__).parent.parent / "tests"))


def items(rows: int, seed: int = 1) -> list[Item]:
    """Make answers of about 4 KB."""
    rng = random.Random(seed)
    return [_item(rng, number) for number in range(rows)]


def _item(rng: random.Random, number: int) -> Item:
    def text(words: int) -> str:
        return f"{' '.join(rng.choices(WORDS, k=words))}, {rng.randrange(900)} mg on 2026-11-{1 + number % 28:02}."

    personal = f" Write to p{number % 997}@example.org or call 0912-345-{number % 1000:03}." if number % 10 == 0 else ""
    return Item(
        id=f"{rng.getrandbits(128):032x}",
        question=text(10) + personal,
        answer=text(30),
        contexts=tuple(Context(text=text(160)) for _ in range(4)),
    )


def seconds(redaction: Redaction, made: list[Item]) -> tuple[float, bool]:
    """Return how long all texts take, and whether an address is left."""
    start, is_left = time.process_time(), False
    for item in made:
        for text in texts_of(item):
            is_left |= "@example" in redaction.text(text)
    return time.process_time() - start, is_left


def ingest_seconds(file: Path, table: str) -> float:
    """Return how long `assay ingest` takes in a folder with this assay.toml."""
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "assay.toml").write_text(table)
        start = time.perf_counter()
        command = [sys.executable, "-m", "annotate", "ingest", str(file)]
        subprocess.run(command, cwd=folder, env={**os.environ}, check=True, capture_output=True)
        return time.perf_counter() - start


def recall() -> None:
    """Print what is found of each kind, and which clinical sentences are changed."""
    from support.personal import lines, samples

    made, masked_ones = Counter[str](), Counter[str]()
    for sample in (sample for seed in SEEDS for sample in samples(seed)):
        made[sample.kind] += 1
        masked_ones[sample.kind] += sample.is_masked(spans)
    for kind, count in made.items():
        print(f"{kind:24} {masked_ones[kind]:5} of {count:5}  {masked_ones[kind] / count:6.1%}")
    changed = [text for text in lines("stays") if masked(text) != text]
    print(f"clinical sentences changed: {len(changed)} of {len(lines('stays'))}", *changed, sep="\n")


def main(rows: int) -> int:
    """Print what is found, the times and their ratios."""
    recall()
    made = items(rows)
    kinds = {
        "off": Redaction(),
        "plain stand-ins": Redaction(is_on=True),
        "pseudonyms": Redaction(is_on=True, pseudonyms=of_store(b"k" * 64, "salt")),
    }
    times: dict[str, list[float]] = {name: [] for name in kinds}
    left = set[str]()
    for _ in range(REPEATS):
        for name, redaction in kinds.items():
            taken, is_left = seconds(redaction, made)
            times[name].append(taken)
            left |= {name} if is_left else set()
    off = np.median(times["off"])
    print(f"{rows:,} answers, {sum(len(text) for item in made for text in texts_of(item)) / 1e6:,.0f} MB of text")
    for name, taken in times.items():
        middle = np.median(taken)
        print(f"texts, {name:16} {middle:7.2f} s  {rows / middle:9,.0f} answers a second  {middle / off:5.1f} x off")
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "traffic.jsonl"
        with file.open("w") as stream:
            for item in made:
                contexts = [context.text for context in item.contexts]
                row = {"id": item.id, "question": item.question, "answer": item.answer, "contexts": contexts}
                stream.write(json.dumps(row) + "\n")
        pairs = [(ingest_seconds(file, ""), ingest_seconds(file, "[redaction]\non = true\n")) for _ in range(REPEATS)]
    without, with_it = (np.median(side) for side in zip(*pairs, strict=True))
    print(f"ingest without {without:.1f} s, with redaction {with_it:.1f} s: {with_it / without:.2f} x")
    return int(left != {"off"})


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]) if len(sys.argv) > 1 else 100_000))
