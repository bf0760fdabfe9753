"""A made-up clinic whose patients ask two versions of a search assistant, for trying Assay without data of one's own.

Everything is synthetic: questions and passages come from the sentences in clinic.toml, the scores from a simulated judge with
known errors, and the expert is a script that looks the truth up. The second version is really better by 8 points, and one weak
spot is planted: on medicines the passages are often out of date, so that answers which both judges like are wrong.

    python examples/clinic.py make FOLDER               # traffic.jsonl, scores.csv, thumbs.csv, and truth.csv kept aside
    python examples/clinic.py answer FOLDER to_label.csv labelled.csv          # plays the expert on a blind export
"""

from __future__ import annotations

import argparse
import csv
import itertools
import json
import random
import tomllib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

WORDS = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))
START = datetime(2026, 1, 5, 8, tzinfo=UTC)
WEEKS = 26
QUESTIONS = 600
SYSTEMS = {"search-v1": 2, "search-v2": 4}  # passages that each version hands to its model
FOUND = {"search-v1": 0.77, "search-v2": 0.9}  # how often the right passage is among them
OUTDATED = 0.36  # how often a passage on medicines is out of date
UNFAITHFUL = 0.1  # how often the model says another number than the passage
KNOWS = 0.3  # how often the model is right without the passage
DROP = (20, 0.15)  # with --drop: from this week on, so many more answers are unfaithful
SIGNATURE = "clinic-example|simulated|v1"


@dataclass(frozen=True, kw_only=True)
class ClinicQuestion:
    """A question, the right number, and the sentences to speak of it."""

    topic: str
    language: str
    thing: str
    question: str
    number: int
    at: datetime

    def says(self, kind: str, number: int) -> str:
        """The answer or the passage with this number."""
        return str(WORDS[self.topic][self.language][kind]).format(thing=self.thing, number=number)


@dataclass(frozen=True, kw_only=True)
class Answered:
    """What one system answered, what it read, and what is true of it."""

    item_id: str
    system: str
    asked: ClinicQuestion
    contexts: tuple[str, ...]
    number: int
    cause: str

    @property
    def is_right(self) -> bool:
        """Whether the number is the right one."""
        return self.number == self.asked.number


def questions() -> list[ClinicQuestion]:
    """As many different questions as wanted, spread evenly over the weeks, in a random order that is always the same."""
    rng = random.Random("questions")
    every = [
        (topic, language, thing, ask)
        for topic, table in WORDS.items()
        for language in ("en", "ko", "zh-Hant")
        for thing, ask in itertools.product(table[language]["things"], table[language]["questions"])
    ]
    rng.shuffle(every)
    step = timedelta(weeks=WEEKS) / QUESTIONS
    return [
        ClinicQuestion(
            topic=topic,
            language=language,
            thing=thing,
            question=ask.format(thing=thing),
            number=random.Random(f"{topic} {language} {thing}").choice(WORDS[topic]["numbers"]),
            at=START + step * k,
        )
        for k, (topic, language, thing, ask) in enumerate(every[:QUESTIONS])
    ]


def answers(asked: ClinicQuestion, number: int, *, drop: bool) -> Iterator[Answered]:
    """Each system's answer; luck is shared between them, so that the better one is rarely wrong where the other is right."""
    rng = random.Random(f"{number} {asked.question}")
    search = number * 0.6180339887 % 1  # spread evenly over the questions
    model, passage, knowledge = (rng.random() for _ in range(3))
    other = rng.choice([number for number in WORDS[asked.topic]["numbers"] if number != asked.number])
    unfaithful = UNFAITHFUL + (DROP[1] if drop and asked.at >= START + timedelta(weeks=DROP[0]) else 0)
    for system, size in SYSTEMS.items():
        is_retrieved = search < FOUND[system]
        outdated = is_retrieved and asked.topic == "medicines" and passage < OUTDATED
        held = other if outdated else asked.number
        near = [_passage_on_another_thing(asked, rng) for _ in range(size - is_retrieved)]
        contexts = [asked.says("passage", held), *near] if is_retrieved else near
        rng.shuffle(contexts)
        if not is_retrieved:
            said, cause = (asked.number, "") if knowledge < KNOWS else (other, "retrieval_missed")
        elif outdated:
            said, cause = other, "outdated_or_unsafe"
        else:
            said, cause = (other, "unfaithful") if model < unfaithful else (asked.number, "")
        name = f"{system[-2:]}-{number:03}"
        yield Answered(item_id=name, system=system, asked=asked, contexts=tuple(contexts), number=said, cause=cause)


def _passage_on_another_thing(asked: ClinicQuestion, rng: random.Random) -> str:
    """A passage of the same topic that does not help."""
    table = WORDS[asked.topic]
    thing = rng.choice([thing for thing in table[asked.language]["things"] if thing != asked.thing])
    return str(table[asked.language]["passage"]).format(thing=thing, number=rng.choice(table["numbers"]))


def scores(answered: Answered) -> dict[str, float]:
    """A simulated judge: high where all is well, low where passages miss or the model strays, and now and then mistaken."""
    rng = random.Random(f"judge {answered.item_id}")
    is_caught = answered.cause in {"unfaithful", "outdated_or_unsafe"} or (not answered.cause and _has_own(answered))
    faithful = is_caught and answered.cause != "unfaithful"
    high = (5, 2) if answered.cause == "outdated_or_unsafe" else (7, 1.5)
    return {
        "context_relevance": round(rng.betavariate(*(high if is_caught else (2.6, 2.6))), 3),
        "faithfulness": round(rng.betavariate(*(high if faithful else (2.6, 2.6))), 3),
    }


def _has_own(answered: Answered) -> bool:
    """Whether a right answer's passage is among what was read."""
    return answered.asked.says("passage", answered.number) in answered.contexts


def make(folder: Path, *, drop: bool) -> str:
    """Write the files; return what was made."""
    folder.mkdir(parents=True, exist_ok=True)
    every = [answered for k, asked in enumerate(questions(), 1) for answered in answers(asked, k, drop=drop)]
    with (folder / "traffic.jsonl").open("w", encoding="utf-8") as file:
        file.writelines(json.dumps(_traffic(answered), ensure_ascii=False) + "\n" for answered in every)
    values = [(answered.item_id, judge, value) for answered in every for judge, value in scores(answered).items()]
    _write(
        folder / "scores.csv",
        ("item_id", "judge", "value", "signature"),
        ((name, judge, value, f"{judge}|{SIGNATURE}") for name, judge, value in values),
    )
    _write(folder / "thumbs.csv", ("item_id", "value"), _thumbs(every))
    _write(
        folder / "truth.csv",
        ("item_id", "label", "causes", "reference"),
        (
            (answered.item_id, "right", "", "")
            if answered.is_right
            else (answered.item_id, "wrong", answered.cause, answered.asked.says("answer", answered.asked.number))
            for answered in every
        ),
    )
    return f"{len(every):,} answers of {len(SYSTEMS)} systems to {QUESTIONS} questions, written to {folder}"


def _traffic(answered: Answered) -> dict[str, Any]:
    """The row of an answer as `assay ingest` reads it."""
    return {
        "id": answered.item_id,
        "system": answered.system,
        "timestamp": answered.asked.at.isoformat(timespec="seconds"),
        "language": answered.asked.language,
        "question": answered.asked.question,
        "contexts": answered.contexts,
        "answer": answered.asked.says("answer", answered.number),
    }


def _thumbs(every: Iterable[Answered]) -> Iterator[tuple[str, int]]:
    """Few patients press a thumb: one in five of those with a wrong answer, one in twenty-five of the others."""
    for answered in every:
        rng = random.Random(f"thumb {answered.item_id}")
        if rng.random() < (0.04 if answered.is_right else 0.2):
            yield answered.item_id, (1 if rng.random() < (0.9 if answered.is_right else 0.15) else -1)


def answer(folder: Path, to_label: Path, labelled: Path) -> str:
    """Fill a blind export from the truth: its keys tell nothing, so question and answer are looked up."""
    with (folder / "truth.csv").open(encoding="utf-8", newline="") as file:
        truth = {row["item_id"]: row for row in csv.DictReader(file)}
    with (folder / "traffic.jsonl").open(encoding="utf-8") as file:
        known = {(row["question"], row["answer"]): truth[row["id"]] for row in map(json.loads, file)}
    with to_label.open(encoding="utf-8-sig", newline="") as file:
        rows = [(row["item_id"], known[row["question"], row["answer"]]) for row in csv.DictReader(file)]
    _write(
        labelled,
        ("item_id", "label", "annotator", "causes", "reference"),
        ((key, said["label"], "dr-lin", said["causes"], said["reference"]) for key, said in rows),
    )
    return f"{len(rows):,} answers labelled, written to {labelled}"


def _write(path: Path, header: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
    """A CSV file."""
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([header, *rows])


def main() -> None:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    commands = parser.add_subparsers(dest="command", required=True)
    making = commands.add_parser("make", help="write traffic, scores, thumbs and the truth")
    making.add_argument("folder", type=Path)
    making.add_argument(
        "--drop", action="store_true", help=f"quality drops in week {DROP[0] + 1}, for trying a monitor"
    )
    answering = commands.add_parser("answer", help="play the expert on a blind export")
    for name in ("folder", "to_label", "labelled"):
        answering.add_argument(name, type=Path)
    given = parser.parse_args()
    if given.command == "make":
        print(make(given.folder, drop=given.drop))
    else:
        print(answer(given.folder, given.to_label, given.labelled))


if __name__ == "__main__":
    main()
