"""How commands grow with the store: seconds of CPU and peak memory at two sizes or more, and the exponent of the seconds.

    python benchmarks/scale.py [30000 100000] [--keep FOLDER] [--only compare,forget] [--make] [--lake]

Made-up traffic of about 770 characters an item: three systems that share questions, conversations, ten weeks, three languages.
Two judges' scores come in from a file, a wave is drawn, and its labels come from a planted truth. Every line of the table is a
process of its own; what reads the store begins without kept totals, so that it counts all traffic itself, and what changes it
works on a copy. The exponent is the slope of log CPU, less the start of an empty command, against log items between the last
two sizes; memory is the process's peak. --keep leaves the stores, with what it took to make them, for another time; with --make
they are made, and nothing is read. With --lake the traffic lies in a lake of Parquet files beside the store.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import random
import shlex
import shutil
import sqlite3
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import NamedTuple

# Another file of this folder has the name of a standard module.
sys.path.sort(key=lambda folder: folder.endswith("benchmarks"))

from kept import kept

from annotate.store.engine.kept_totals import beside

SIZES = (30_000, 100_000)
SYSTEMS = ("search-v1", "search-v2", "search-v3")
LANGUAGES = ("en", "ko", "zh")
CHANNELS = ("web", "mobile", "phone", "kiosk")
JUDGES = ("context_relevance", "faithfulness")
LABELS, SHARE_RIGHT, TURNS, DAYS, PASSAGES = 300, 0.8, 4, 70, 2_000
NOTHING = "--version"
STARTED = "start alone"
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
    "fasting",
    "nurse",
    "blood",
    "sample",
    "form",
    "insurance",
    "parking",
    "entrance",
    "pharmacy",
    "report",
    "result",
    "doctor",
    "patient",
    "morning",
    "evening",
    "meal",
    "allergy",
    "record",
]
RULE = "min(context_relevance, faithfulness) > 0.5"
OPENED = "import sys; from annotate import Project; project = Project.open(sys.argv[-1]); "
AGREEMENT = """
from annotate.analysis.judges.score_agreement import with_judge
with project.reading() as store:
    with_judge(store, *store.scores.by_judge()[:2])
"""
READING = {
    "plan": "plan",
    "report": "report",
    "report --full": "report --full",
    "report of a system": "report --system search-v1",
    "report again": "report",
    "Project.report": OPENED + "project.report().result",
    "calibrate": "calibrate",
    "calibrate --precision": "calibrate --precision 0.8 --dry-run",
    "compare": "compare search-v1 search-v2",
    "compare of windows": "compare @2026-09-01..2026-10-06 @2026-10-06..2026-12-01",
    "compare ranking": "compare search-v1 search-v2 search-v3",
    "compare --draw": "compare search-v1 search-v2 --draw 100 --dry-run --seed 1",
    "slices": "slices",
    "drift": "drift",
    "Project.judges": OPENED + "project.judges().result",
    "judges' agreement": OPENED + AGREEMENT,
    "diagnose": "diagnose",
    "next": "next",
    "labels export": "labels export {folder}/out.jsonl",
    "scores export": "scores export {folder}/out.jsonl",
    "gold list": "gold list",
    "doctor": "doctor",
    "backup": "backup {folder}/backup.db",
}
# A process that reads after another: the totals that it kept stay.
AFTER_ANOTHER = ("report again",)
CHANGING = {
    "calibrate in force": "calibrate --precision 0.8",
    "rule set": "rule set 'faithfulness > 0.6'",
    "ingest of 100 more": "ingest {folder}/more.jsonl",
    "scores of 100 more": "scores import {folder}/more_scores.jsonl",
    "sample --active": "sample --labels 20 --active --seed 2",
    "forget an item": "forget --item i7 --yes",
    "forget an annotator": "forget --annotator ana --yes",
}


class Run(NamedTuple):
    """What a process took: seconds of CPU and its peak memory in MB."""

    seconds: float
    peak: float


class Made(NamedTuple):
    """A store of so many items."""

    items: int
    folder: Path
    has_lake: bool

    @property
    def store(self) -> Path:
        """The store."""
        return self.folder / "assay.db"


def rows_of(numbers: range, items: int) -> Iterator[dict[str, object]]:
    """Yield the rows of traffic; a number gives the same row whatever other rows there are."""
    words = random.Random(0)
    passages = [" ".join(words.choices(WORDS, k=38)) for _ in range(PASSAGES)]
    for n in numbers:
        rng = random.Random(n)
        question, system = divmod(n, len(SYSTEMS))
        day = min(n, items - 1) * DAYS // items
        yield {
            "id": f"i{n}",
            "question": f"{passages[question % PASSAGES][:60]} {question}?",
            "contexts": [f"{n} {passages[rng.randrange(PASSAGES)]}" for _ in range(2)],
            "answer": f"{passages[rng.randrange(PASSAGES)][:150]} {n}.",
            "system": SYSTEMS[system],
            "timestamp": f"2026-{9 + day // 28:02d}-{1 + day % 28:02d}T08:00:00Z",
            "group": f"{SYSTEMS[system]} {question // TURNS}",
            "language": LANGUAGES[question % len(LANGUAGES)],
            "channel": CHANNELS[rng.randrange(len(CHANNELS))],
        }


def is_right(n: int) -> bool:
    """Return what annotators will say of this item."""
    return random.Random(f"right {n}").random() < SHARE_RIGHT


def scores_of(n: int) -> dict[str, object]:
    """Return the scores of an item: higher on average where it is right."""
    rng, middle = random.Random(f"scores {n}"), 0.75 if is_right(n) else 0.4
    values = {judge: round(min(max(rng.gauss(middle, 0.18), 0.0), 1.0), 4) for judge in JUDGES}
    return {"item_id": f"i{n}", **values}


def write(path: Path, rows: Iterator[dict[str, object]]) -> None:
    """Write JSON lines."""
    with path.open("w", encoding="utf-8") as stream:
        stream.writelines(json.dumps(row) + "\n" for row in rows)


def run(words: str, store: Path) -> Run:
    """Measure one process: a command of `assay`, or a program."""
    command = ["-c", words] if words.startswith("import ") else ["-m", "annotate", *shlex.split(words)]
    ending = [] if words == NOTHING else ["--db", str(store)]
    # As installed: modules are compiled once, not with each start.
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    errors = store.with_name("errors.txt")
    actions = [
        (os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0),
        (os.POSIX_SPAWN_OPEN, 2, str(errors), os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600),
    ]
    # Not forked, because a fork's peak begins with the memory of this process.
    process = os.posix_spawn(sys.executable, [sys.executable, *command, *ending], environment, file_actions=actions)
    _, status, usage = os.wait4(process, 0)
    if os.waitstatus_to_exitcode(status) not in (0, 3):
        raise SystemExit(f"{' '.join(command)} failed: {errors.read_text(encoding='utf-8')[-2000:]}")
    return Run(usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024)


def label(made: Made) -> None:
    """Write the labels of the open draws; a second annotator reads every fourth, and errs on some."""
    run(f"draws export {made.folder}/draws.jsonl", made.store)
    lines = (made.folder / "draws.jsonl").read_text(encoding="utf-8").splitlines()
    with (made.folder / "labels.jsonl").open("w", encoding="utf-8") as stream:
        for place, line in enumerate(lines):
            item_id = json.loads(line)["item_id"]
            right = is_right(int(item_id[1:]))
            annotators = {"ana": right, "ben": right != (place % 40 == 0)} if place % 4 == 0 else {"ana": right}
            for annotator, is_called_right in annotators.items():
                said = {"item_id": item_id, "annotator": annotator, "label": "right" if is_called_right else "wrong"}
                if not is_called_right:
                    said |= {
                        "causes": ["unfaithful" if place % 3 else "retrieval_missed"],
                        "reference": f"It is {place}.",
                    }
                stream.write(json.dumps(said) + "\n")


def build(made: Made) -> list[tuple[str, float, float]]:
    """Make the store, and return what each step took."""
    shutil.rmtree(made.folder, ignore_errors=True)
    made.folder.mkdir(parents=True)
    traffic, scores = made.folder / "traffic.jsonl", made.folder / "scores.jsonl"
    write(traffic, rows_of(range(made.items), made.items))
    write(scores, map(scores_of, range(made.items)))
    more = range(made.items, made.items + 100)
    write(made.folder / "more.jsonl", rows_of(more, made.items))
    write(made.folder / "more_scores.jsonl", map(scores_of, range(100)))
    measure = partial(run, store=made.store)
    if made.has_lake:
        measure(f"init --lake {made.folder}/lake")
    steps = [
        ("ingest", measure(f"ingest {traffic}")),
        ("ingest again", measure(f"ingest {traffic}")),
        ("scores import", measure(f"scores import {scores}")),
        ("rule set, first", measure(f"rule set '{RULE}'")),
        ("sample", measure(f"sample --labels {LABELS} --seed 1")),
    ]
    label(made)
    steps.append(("labels import", measure(f"labels import {made.folder}/labels.jsonl")))
    for path in (traffic, scores):
        path.unlink()
    return [(name, *taken) for name, taken in steps]


def copied(made: Made) -> Path:
    """Return a copy of the store, which may change, with a lake of its own."""
    path = made.folder / "copy.db"
    for other in made.folder.glob("copy.db*"):
        other.unlink()
    shutil.copy(made.store, path)
    if made.has_lake:
        lake = made.folder / "copy-lake"
        shutil.rmtree(lake, ignore_errors=True)
        shutil.copytree(made.folder / "lake", lake)
        with sqlite3.connect(path) as connection:
            connection.execute("UPDATE lake SET address = ?", (str(lake.absolute()),))
    return path


def measured(made: Made, only: Sequence[str]) -> Iterator[tuple[str, Run]]:
    """Yield what each command takes, first those that only read."""
    yield STARTED, run(NOTHING, made.store)
    for name, words in READING.items():
        if not only or name in only:
            if name not in AFTER_ANOTHER:
                beside(made.store).unlink(missing_ok=True)
            for path in (made.folder / "backup.db", made.folder / "out.jsonl"):
                path.unlink(missing_ok=True)
            yield name, run(words.replace("{folder}", str(made.folder)), made.store)
    for name, words in CHANGING.items():
        if not only or name in only:
            yield name, run(words.replace("{folder}", str(made.folder)), copied(made))
    shutil.rmtree(made.folder / "copy-lake", ignore_errors=True)
    for path in (*made.folder.glob("copy.db*"), *made.folder.glob("backup.db*"), made.folder / "out.jsonl"):
        path.unlink(missing_ok=True)


def table_of(made: Made, keep: Path | None, only: Sequence[str], *, makes_alone: bool) -> dict[str, Run]:
    """Make the store where it is not kept, and return what every step and command took."""
    make: Callable[[], Sequence[tuple[str, float, float]]] = partial(build, made)
    steps = kept(keep / "made.jsonl" if keep else None, (made.items,), make)
    taken = {str(name): Run(float(seconds), float(peak)) for name, seconds, peak in steps}
    for name, measure in () if makes_alone else measured(made, only):
        taken[name] = measure
        print(
            f"  {made.items:>10,} {name:<24}{measure.seconds:>9.2f} s{measure.peak:>8.0f} MB",
            file=sys.stderr,
            flush=True,
        )
    return taken


def exponent(sizes: Sequence[int], seconds: Sequence[float], starts: Sequence[float]) -> float:
    """Return the slope of log seconds against log items between the last two sizes, the start of a process left out."""
    small, large = (max(second - start, 0.01) for second, start in zip(seconds[-2:], starts[-2:], strict=True))
    return math.log(large / small) / math.log(sizes[-1] / sizes[-2])


def show(sizes: Sequence[int], tables: Sequence[dict[str, Run]]) -> None:
    """Print the table."""
    ends = [f"{size:,}" for size in sizes]
    print(f"{'':<24}{'CPU s of'}{ends[0]:>8}{''.join(f'{end:>12}' for end in ends[1:])}{'exponent':>10}", end="")
    print(f"{'MB of':>8}{ends[0]:>10}{''.join(f'{end:>12}' for end in ends[1:])}{'bytes an item':>15}")
    starts = [table[STARTED].seconds for table in tables]
    for name in tables[0]:
        runs = [table[name] for table in tables]
        seconds, peaks = [taken.seconds for taken in runs], [taken.peak for taken in runs]
        grown = 2**20 * (peaks[-1] - peaks[-2]) / (sizes[-1] - sizes[-2])
        slope = "" if name == STARTED else f"{exponent(sizes, seconds, starts):.2f}"
        print(f"{name:<20}{''.join(f'{second:>12.2f}' for second in seconds)}{'':>8}{slope:>6}", end="")
        print(f"{'':>6}{''.join(f'{peak:>12.0f}' for peak in peaks)}{grown:>15.1f}")


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sizes", type=int, nargs="*", default=list(SIZES))
    parser.add_argument("--keep", type=Path)
    parser.add_argument("--only", default="", help="the names of some lines of the table, with commas")
    parser.add_argument("--lake", action="store_true", help="let the traffic lie in a lake beside the store")
    parser.add_argument("--make", action="store_true", help="make the stores alone")
    given = parser.parse_args()
    sizes, only = sorted(given.sizes), [name.strip() for name in given.only.split(",") if name.strip()]
    with tempfile.TemporaryDirectory() as temporary:
        if given.keep:
            given.keep.mkdir(parents=True, exist_ok=True)
        folder = given.keep or Path(temporary)
        tables = [
            table_of(Made(size, folder / str(size), given.lake), given.keep, only, makes_alone=given.make)
            for size in sizes
        ]
        if not given.make:
            show(sizes, tables)


if __name__ == "__main__":
    main()
