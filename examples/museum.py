"""Made-up passages of a city guide, and a made-up app that answers questions about them.

`python examples/museum.py` writes passages.jsonl. `python examples/museum.py items.jsonl answers.jsonl` has the app answer: it
picks the sentence that shares most words with the question. It reads three passages at most, knows when nothing fits, and never
doubts what a passage says.
"""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path

MUSEUMS = (
    ("Harbour Museum", 1902, 14, "the old customs house"),
    ("Clock Museum", 1931, 9, "the tower street"),
    ("Glass Museum", 1958, 11, "the north gate"),
    ("Toy Museum", 1974, 6, "the market square"),
    ("Tram Museum", 1989, 8, "the former depot"),
    ("Salt Museum", 1915, 7, "the river mill"),
    ("Paper Museum", 1967, 12, "the city wall"),
    ("Bell Museum", 1944, 5, "the cathedral yard"),
)
OTHERS = (
    "Coffee is served on the roof terrace until the evening.",
    "Dogs stay outside, except for guide dogs.",
    "Tickets are sold at the gate and cannot be returned.",
    "Bring a warm coat in winter, because the halls are not heated.",
    "The lift moves slowly on Sundays and on holidays.",
)
REFUSAL = "Insufficient information in the documents."
READ = 3
WORD = re.compile(r"[a-z0-9]+")
COMMON = set(
    "a an and are did does founded has have how in is it located many of the was were what where which year".split()  # noqa: SIM905
)


def passages() -> list[dict[str, str]]:
    """One passage a museum, and some that tell nothing of any."""
    texts = [
        f"The {name} was founded in {year}. The {name} has {rooms} rooms. The {name} is located in {place}."
        for name, year, rooms, place in MUSEUMS
    ]
    return [{"id": f"p{number}", "text": text} for number, text in enumerate([*texts, *OTHERS], 1)]


def answer(question: str, contexts: list[str]) -> str:
    """Give the best sentence for each part of the question, if it names what is asked about."""
    sentences = [part for text in contexts[:READ] for part in re.split(r"(?<=[.])\s", text)]
    best = [max(sentences, key=lambda sentence: shared(part, sentence)) for part in question.split(", and ")]
    names = [set(WORD.findall(part.lower())) - COMMON - {"museum", "rooms"} for part in question.split(", and ")]
    is_told = all(name & set(WORD.findall(sentence.lower())) for name, sentence in zip(names, best, strict=True))
    return " ".join(best) if is_told else REFUSAL


def shared(question: str, sentence: str) -> int:
    """Count the words that both have."""
    return len(set(WORD.findall(question.lower())) & set(WORD.findall(sentence.lower())))


def main() -> None:
    """Write the passages, or the answers to a file of items."""
    if len(sys.argv) == 1:
        Path("passages.jsonl").write_text("".join(json.dumps(row) + "\n" for row in passages()))
        return
    items = [json.loads(line) for line in Path(sys.argv[1]).read_text().splitlines()]
    rows = [
        {"id": item["id"], "answer": answer(item["question"], [part["text"] for part in item["contexts"]])}
        for item in items
    ]
    Path(sys.argv[2]).write_text("".join(json.dumps(row) + "\n" for row in rows))


if __name__ == "__main__":
    main()
