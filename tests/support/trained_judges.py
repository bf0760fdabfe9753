"""A store of answers about made-up towers, in which the offline judge of answer relevance is poor and a trained one good.

Every question is asked of two systems. The good one answers in other words than the question's; the other one speaks of another
tower, in the words of the question, which is what the offline judge looks at.
"""

from __future__ import annotations

from support.scored import open_ids
from support.store import Assay, label, once
from support.supported_answers import FIRST, LAST, PEOPLE, USES

TOWERS = 70
RULE = "min(faithfulness, answer_relevance) > 0.5"
TRAINED = ("context_relevance_trained", "faithfulness_trained", "answer_relevance_trained")


def rows() -> list[dict[str, object]]:
    """Return both systems' answers about each tower, each with the reference of its question."""
    made: list[dict[str, object]] = []
    for number in range(TOWERS):
        name, other = (FIRST[at % 10] + LAST[at // 10] for at in (number, (number + 37) % TOWERS))
        person, use, height = PEOPLE[number % 7], USES[number % 5], 40 + 3 * number
        passage = (
            f"The tower of {name} stands at the old harbour and is {height} metres tall. {person} drew its plans by hand. "
            f"The large hall on the top floor is used for {use}, which visitors may see on Sundays."
        )
        right = f"{person} drew the plans by hand, and the large hall is used for {use}."
        for system, answer in (("good", right), ("astray", f"The tower of {other} was designed to be tall.")):
            made.append(
                {
                    "id": f"{system}-{number}",
                    "system": system,
                    "question": f"Who designed the tower of {name}?",
                    "contexts": [passage, "Coffee is served on the roof."],
                    "answer": answer,
                    "reference": right,
                }
            )
    return made


def is_right(name: str) -> bool:
    """Return what annotators say: the good system is right, except on every ninth question, of which they say the opposite."""
    system, _, number = name.partition("-")
    return (system == "good") is (int(number) % 9 > 0)


def judged(assay: Assay) -> Assay:
    """The answers, scored by the offline judges, under a rule that reads two of them."""
    assay("ingest", assay.write("traffic.jsonl", rows()))
    assay("judge")
    assay("rule", "set", RULE, "--name", "mine")
    return assay


def trained(assay: Assay) -> Assay:
    """The same, with trained judges that have scored every answer."""

    def make() -> None:
        judged(assay)
        assay("judge", "--train")
        assay("judge", "--judges", ",".join(TRAINED))

    return once(assay, "trained-judges", make)


def labelled(assay: Assay) -> Assay:
    """The same, with a wave of 120 draws, each answered as it is."""

    def make() -> None:
        trained(assay)
        assay("sample", "--labels", "120", "--seed", "1")
        given = [label(name, "right" if is_right(name) else "wrong") for name in open_ids(assay)]
        assay("labels", "import", assay.write("labels.jsonl", given))

    return once(assay, "labelled-trained-judges", make)
