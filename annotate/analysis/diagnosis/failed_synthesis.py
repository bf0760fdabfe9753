"""Read the wrong answers that point to synthesis, with their passages as they may leave and the one that holds the answer."""

from __future__ import annotations

from annotate.analysis.diagnosis.inputs import Thresholds, check_system, stage_judges
from annotate.analysis.rule_in_force import rule_in_force
from annotate.domain.privacy.redaction import for_model
from annotate.domain.selection import WITHOUT_SYSTEM
from annotate.store import Store
from proxy.diagnosis import Stage
from proxy.questions.probe import FailedAnswer, source_of
from proxy.questions.records import passage_of
from proxy.records import Item, Judgement


def failed_synthesis(store: Store, thresholds: Thresholds, system: str | None = None) -> list[FailedAnswer]:
    """Return the labelled wrong answers whose passages are relevant and which are not faithful to them.

    Parameters
    ----------
    store : Store
        Read at one moment.
    thresholds : Thresholds
        Above which score passages are relevant and an answer is faithful.
    system : str or None
        Of this system alone, "" for the answers that name none; None: of all.

    Raises
    ------
    UsageError
        Where no answer comes from this system.
    """
    _, rule = rule_in_force(store)
    with store.snapshot():
        check_system(store, system)
        chosen = stage_judges(store, rule, thresholds)
        labels = store.labels.that_count()
        wrong = [row for row, label in labels.items() if label.judgement is Judgement.WRONG]
        standings = store.scores.stage_scores.standings(wrong, chosen.field(store))
        rows = [
            row
            for row in wrong
            if chosen.place(standings[row]).stage is Stage.SYNTHESIS
            and system in (None, standings[row].system or WITHOUT_SYSTEM)
        ]
        items = store.traffic.items.read(rows)
        return [_failed(items[row], labels[row].reference) for row in rows]


def _failed(item: Item, reference: str | None) -> FailedAnswer:
    leaving, kept = (tuple(passage_of(context.text) for context in each.contexts) for each in (for_model(item), item))
    place = source_of(item.question, reference or item.reference, kept)
    return FailedAnswer(id=item.id, contexts=leaving, kept=kept, place=place)
