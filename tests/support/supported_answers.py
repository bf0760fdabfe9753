"""Supported answers about made-up towers: two questions about each passage, with numbers and names that can be changed."""

from __future__ import annotations

from proxy.judges.trained.supported_answers import SupportedAnswer
from proxy.records import Context

FIRST = ("Bal", "Cor", "Dun", "Fen", "Gal", "Har", "Kel", "Lor", "Mor", "Nor")
LAST = ("ada", "emin", "ibor", "ovar", "umel", "astin", "edro", "ikan", "oness", "ura")
PEOPLE = ("Anna Berg", "Otto Lind", "Mia Torres", "Ken Sato", "Ida Novak", "Paul Meyer", "Lena Fischer")
USES = ("bells", "pigeons", "archives", "telescopes", "grain", "clocks", "seeds")


def towers(count: int) -> list[SupportedAnswer]:
    """Return two answers about each of so many towers, at most a hundred."""
    return [answer for number in range(count) for answer in about(number)]


def about(number: int) -> tuple[SupportedAnswer, SupportedAnswer]:
    """Return how tall a tower is, and who designed it."""
    name = FIRST[number % 10] + LAST[number // 10]
    person, use = PEOPLE[number % 7], USES[number % 5]
    height, year = 40 + 3 * number, 1500 + 4 * number
    contexts = (
        Context(
            text=f"The tower of {name} stands at the old harbour and is {height} metres tall. It was designed by {person} "
            f"and opened in {year}. Since then the hall has been used for {use}, which visitors may see on Sundays."
        ),
    )
    return (
        SupportedAnswer(
            question=f"How tall is the tower of {name}?",
            contexts=contexts,
            answer=f"The tower of {name} is {height} metres tall and opened in {year}.",
        ),
        SupportedAnswer(
            question=f"Who designed the tower of {name}?",
            contexts=contexts,
            answer=f"It was designed by {person}, and its hall is used for {use}.",
        ),
    )
