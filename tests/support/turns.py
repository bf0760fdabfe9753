"""Conversations that several systems answered turn by turn, with follow-ups that read the same: rows of a file, and their truth."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

FOLLOW_UPS = ("Tell me more", "tell me  more", "Why?", "Tell me more")


def conversations(
    systems: Sequence[str] = ("a", "b"), count: int = 12, *, with_group: bool = True
) -> list[dict[str, object]]:
    """Each conversation opens with a question of its own (every fourth with the same one) and goes on with FOLLOW_UPS.

    The reply that stands in the conversation is the same for all systems, so that all are asked the same questions.
    """
    rows = []
    for talk in range(count):
        opening = "What can you do?" if talk % 4 == 0 else f"Where is room {talk}?"
        history: list[dict[str, str]] = []
        for turn, question in enumerate((opening, *FOLLOW_UPS)):
            rows += [
                {
                    "id": f"{system}-{talk}-{turn}",
                    "system": system,
                    "question": question,
                    "history": list(history),
                    "contexts": [f"Room {talk} is on floor {turn}.", "Coffee is served on the roof."],
                    "answer": f"Room {talk} is on floor {turn}, says {system}.",
                    **({"group": f"talk {talk}"} if with_group else {}),
                }
                for system in systems
            ]
            history += [{"role": "user", "text": question}, {"role": "assistant", "text": f"Floor {turn} of {talk}."}]
    return rows


def is_right(row: dict[str, object]) -> bool:
    """The truth: a errs at the last turn, b at the turn before and in every third conversation throughout."""
    system, talk, turn = str(row["id"]).split("-")
    return int(turn) != 4 if system == "a" else int(turn) != 3 and int(talk) % 3 != 0


def labels(rows: Sequence[dict[str, object]]) -> list[dict[str, object]]:
    """A label for each answer."""
    return [{"item_id": row["id"], "label": "right" if is_right(row) else "wrong", "annotator": "ann"} for row in rows]


def truth(rows: Sequence[dict[str, object]], first: str = "a", second: str = "b") -> dict[str, int]:
    """Who is right on each question, counted from the rows alone: normalised text and conversation make the question."""
    of: dict[tuple[str, ...], dict[str, list[bool]]] = defaultdict(lambda: defaultdict(list))
    for row in rows:
        turns = [f"{turn['role']}|{turn['text']}" for turn in row["history"]]  # type: ignore[attr-defined]
        key = tuple(" ".join(part.lower().split()) for part in (str(row["question"]), *turns))
        of[key][str(row["system"])].append(is_right(row))
    shares = [
        tuple(sum(theirs[name]) / len(theirs[name]) for name in (first, second))
        for theirs in of.values()
        if theirs.keys() >= {first, second}
    ]
    signs = [(b > a) - (b < a) for a, b in shares]
    alike = [a >= 0.5 for (a, _), sign in zip(shares, signs, strict=True) if not sign]
    return {
        "questions": len(shares),
        "both": sum(alike),
        "only_first": signs.count(-1),
        "only_second": signs.count(1),
        "neither": len(alike) - sum(alike),
    }
