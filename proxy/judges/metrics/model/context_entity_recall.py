"""Context entity recall: the reference's entities that the passages name as well."""

from __future__ import annotations

from proxy.judges.llm.shown_item import ShownItem
from proxy.judges.metrics.metric import MetricNeed, UndefinedValue
from proxy.judges.metrics.model_metric import Measuring, ModelMetric, scripted, share

ENTITIES = "entities"


def context_entity_recall(shown: ShownItem) -> Measuring:
    """Return entities in both / entities of the reference, each once."""
    wanted = tuple(dict.fromkeys((yield from shown.listed(ENTITIES, ENTITIES, {"text": shown.references[0]}))))
    if not wanted:
        return UndefinedValue(f"{shown.first_reference} names no entity")
    named = {*(yield from shown.listed(ENTITIES, ENTITIES, {"text": "\n".join(shown.passages)}))}
    return share(
        wanted, [entity in named for entity in wanted], f"entities of {shown.first_reference} are in the passages"
    )


_NAMES = ("Einstein", "Ulm", "1879", "Germany", "Nobel Prize", "1921")

METRIC = ModelMetric(
    name="context_entity_recall",
    formula="entities that reference and passages both name / entities of the reference; sets, compared letter by letter",
    source="Ragas context entity recall, which adds 1e-8 below the line and so prints 0.5999 for 3 of 5",
    needs=(MetricNeed.MODEL, MetricNeed.REFERENCE, MetricNeed.CONTEXTS),
    misses="what is said of the entities; an entity spelled otherwise counts as absent",
    examples=(
        scripted("context_entity_recall", "3 of 5 entities", 3 / 5, _NAMES[:5], (*_NAMES[:3], "Bern")),
        scripted("context_entity_recall", "2 of 5 entities", 2 / 5, _NAMES[:5], _NAMES[3:]),
        scripted("context_entity_recall", "4 of 6 entities", 4 / 6, _NAMES, _NAMES[:4]),
    ),
    prompts=(ENTITIES,),
    measure=context_entity_recall,
)
