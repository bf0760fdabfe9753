"""What a reference of a wrong answer may begin as: texts that somebody already holds to be right. A person takes one, or none."""

from __future__ import annotations

from collections.abc import Sequence

from annotate.domain.gold import GoldSource
from annotate.domain.gold.drafts import ProposalOrigin, ReferenceProposal
from annotate.domain.question_key import normalised
from annotate.store import Store
from proxy.records import Item

# Answers of other systems to the same question; more are seldom another text.
RIGHT_ANSWERS = 3


def proposals(store: Store, answers: Sequence[int]) -> list[ReferenceProposal]:
    """Return each end user's first correction, the traffic's references and answers labelled right, each text once.

    Parameters
    ----------
    store : Store
        Where feedback, labels and items are kept.
    answers : sequence of int
        The rows of the wrong answers to one question, which are no proposals themselves.

    Returns
    -------
    list of ReferenceProposal
        In the order in which they are offered.
    """
    items = store.traffic.items.read(answers)
    wrong = {row: items[row] for row in answers}
    offered: list[tuple[GoldSource, int, str | None, str | None]] = [
        *((GoldSource.CORRECTION, row, _correction(store, item), None) for row, item in wrong.items()),
        *((GoldSource.TRAFFIC, row, item.reference, None) for row, item in wrong.items()),
    ]
    right = store.traffic.items.read(store.gold.right_answers(answers[0])[: 2 * RIGHT_ANSWERS])
    offered += [(GoldSource.RIGHT_ANSWER, key, other.answer, other.system) for key, other in right.items()]
    seen = {normalised(item.answer) for item in wrong.values()}
    distinct = list[ReferenceProposal]()
    for source, key, text, system in offered:
        if text and text.strip() and (same := normalised(text)) not in seen:
            seen.add(same)
            distinct.append(ReferenceProposal(ProposalOrigin(source, key), text.strip(), system))
    return distinct[: RIGHT_ANSWERS + 2]


def _correction(store: Store, item: Item) -> str | None:
    """Return the end user's first correction of an answer."""
    given = store.traffic.feedback.of_item(item.id)
    return next((feedback.correction for feedback in given if (feedback.correction or "").strip()), None)
