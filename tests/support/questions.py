"""Passages about houses, and a scripted model that asks what a house keeps and answers from the passages that it is given."""

from __future__ import annotations

import re

from annotate.store import Store
from proxy.records import Context, Item
from support.replies import Ruling, lexical
from support.store import NOW

KEEPS = {"Alpha": "blue lamp", "Beta": "red clock", "Gamma": "tin drum", "Delta": "oak chest"}
# What goes wrong with a house: no question, an answer that is in the question, one that no passage holds, one that comes out otherwise.
FAULTY = {"Mute": "grey cat", "Leaky": "wet boot", "Inventor": "gold ring", "Liar": "white lie"}
NOISE = (
    "Coffee is served on the roof every day of the week.",
    "Tickets are sold at the gate from early in the morning.",
    "Dogs and other animals stay outside of the garden wall.",
    "The lift moves slowly on Sundays and on all holidays.",
    "Bring a warm coat if the visit is planned for winter.",
)
TOWERS = (
    ("Eiffel Tower", 1889, 330),
    ("Tokyo Tower", 1958, 333),
    ("Blackpool Tower", 1894, 158),
    ("Sky Needle", 1988, 88),
)


def house(name: str) -> str:
    return f"{name} House keeps a {(KEEPS | FAULTY)[name]} in its hall beside the river."


def tower_texts() -> list[str]:
    return [f"The {name} was completed in {year}. The {name} is {height} metres tall." for name, year, height in TOWERS]


def add_traffic(store: Store, *texts: str, name: str = "t") -> None:
    """Add an item of traffic with these passages, each under an id of its own."""
    contexts = tuple(Context(text=text, id=f"{name}-{place}") for place, text in enumerate(texts))
    with store.atomic():
        store.traffic.items.add([Item(id=name, question="What is there?", answer="Much.", contexts=contexts)], now=NOW)


def asker(key: str, choices: tuple[str, ...], data: dict[str, object], body: dict[str, object]) -> Ruling:
    """Ask about the houses of the passages, or answer a question about houses from the passages alone."""
    passages = data.get("passages") or []
    assert isinstance(passages, list)
    houses = [match[1] for text in passages if (match := re.match(r"(\w+) House", str(text)))]
    if "answered" in choices:
        return _answer(str(data["question"]), houses)
    if choices[-1] != "none":
        return lexical(key, choices, data, body)
    return _question(key, choices, houses) if len(houses) == len(passages) else Ruling("none", text="")


def _answer(question: str, houses: list[str]) -> Ruling:
    asked = re.findall(r"(\w+) House", question)
    if not set(asked) <= set(houses):
        return Ruling("not_answerable", text="")
    kept = ["nothing" if name == "Liar" else (KEEPS | FAULTY)[name] for name in asked]
    return Ruling("answered", text=f"They keep: {', '.join(kept)}.")


def _question(key: str, choices: tuple[str, ...], houses: list[str]) -> Ruling:
    if "Mute" in houses:
        return Ruling("none", text="")
    things = ["silver spoon" if name == "Inventor" else (KEEPS | FAULTY)[name] for name in houses]
    ending = f", perhaps a {things[0]}?" if "Leaky" in houses else "?"
    texts = {
        "question": f"What do {' and '.join(f'{name} House' for name in houses)} keep in the hall{ending}",
        **{"answer": things[0], "answer1": things[0], "answer2": things[-1], "false_answer": "green bottle"},
    }
    return Ruling(choices[0], text=texts[key]) if key in texts else Ruling("none", text="")
