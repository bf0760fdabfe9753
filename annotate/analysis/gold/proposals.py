"""What a reference of a wrong answer may begin as: texts that somebody already holds to be right. A person takes one, or none."""

from __future__ import annotations

from annotate.domain.gold import GoldSource
from annotate.domain.gold.drafts import ProposalOrigin, ReferenceProposal
from annotate.domain.question_key import normalised
from annotate.store import Store
from proxy.records import Item

# Answers of other systems to the same question; more are seldom another text.
RIGHT_ANSWERS = 3


def proposals(store: Store, row: int, item: Item) -> list[ReferenceProposal]:
    """Return the end user's first correction, the traffic's reference and answers labelled right, each text once.

    Parameters
    ----------
    store : Store
        Where feedback, labels and items are kept.
    row : int
        The row of the item.
    item : Item
        The item, whose own answer is no proposal.

    Returns
    -------
    list of ReferenceProposal
        In the order in which they are offered.
    """
    corrections = [
        feedback.correction
        for feedback in store.traffic.feedback.of_item(item.id)
        if (feedback.correction or "").strip()
    ]
    offered: list[tuple[GoldSource, int, str | None, str | None]] = [
        *((GoldSource.CORRECTION, row, text, None) for text in corrections[:1]),
        (GoldSource.TRAFFIC, row, item.reference, None),
    ]
    right = store.traffic.items.read(store.gold.right_answers(row)[: 2 * RIGHT_ANSWERS])
    offered += [(GoldSource.RIGHT_ANSWER, key, other.answer, other.system) for key, other in right.items()]
    seen = {normalised(item.answer)}
    distinct = list[ReferenceProposal]()
    for source, key, text, system in offered:
        if text and text.strip() and (same := normalised(text)) not in seen:
            seen.add(same)
            distinct.append(ReferenceProposal(ProposalOrigin(source, key), text.strip(), system))
    return distinct[: RIGHT_ANSWERS + 2]
