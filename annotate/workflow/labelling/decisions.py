"""Record the causes that a person names for a wrong answer: one more revision of them, the label with them, and an event.

Right stays right and wrong stays wrong. Causes go with a wrong answer only; what its annotators named stays in the log of
annotations; a decision that another one overtook is refused, and nothing of it is written.
"""

from __future__ import annotations

from collections.abc import Sequence

from annotate.domain.annotation import CAUSES
from annotate.store import Store
from proxy.errors import UsageError
from proxy.records import Judgement

EVENT = "labels cause"
NO_NAME = "give your name first: it is kept with the causes that you name"
OVERTAKEN = "somebody has named other causes while you were looking: look at it again"


def name_causes(store: Store, item_id: str, causes: Sequence[str], *, seen: Sequence[str], who: str, now: str) -> bool:
    """Put these causes on the answer's label; False where exactly they stand already.

    `seen` are those that stood there when the person chose. UsageError where others do by now, for an answer that is not
    wrong, and for a cause that there is not.
    """
    who, chosen = who.strip(), tuple(cause for cause in CAUSES if cause in causes)
    if not who:
        raise UsageError(NO_NAME)
    if unknown := [cause for cause in causes if cause not in CAUSES]:
        raise UsageError(f"there is no cause {unknown[0]!r}: name some of {', '.join(CAUSES)}")
    with store.atomic(durable=True):
        row = store.traffic.items.keys([item_id]).get(item_id)
        label = None if row is None else store.labels.of_item(row)
        if row is None or label is None:
            raise UsageError(f"{item_id} has no label: causes go with what annotators have called wrong")
        if store.audit.forgetting.has_item(item_id):
            raise UsageError(f"the texts of {item_id} were forgotten: nobody can say any more why it is wrong")
        if label.judgement is not Judgement.WRONG:
            raise UsageError(f"annotators call {item_id} {label.judgement}: causes go with a wrong answer only")
        if set(label.causes) == set(chosen):
            return False
        if set(label.causes) != set(seen):
            raise UsageError(OVERTAKEN)
        draw = store.labels.disagreements.draw_of_label(row)
        store.labels.name_causes(row, draw, chosen, who=who, now=now)
        store.audit.events.append(EVENT, {"item_id": item_id, "causes": list(chosen)}, who=who, now=now)
    return True
