"""The JSON contract of `assay diagnose`: what is named or why nothing is, counts of labels, and shares with intervals."""

from __future__ import annotations

from annotate.analysis.diagnosis import Diagnoses, Diagnosis, Finding, Miss
from annotate.present.schemas import naming as naming_schema
from proxy.evaluation.estimate import as_dict
from proxy.text.language import displayable


def as_json(found: Diagnoses, sentence: str, commands: list[str]) -> dict[str, object]:
    """The diagnoses as one object: the sentence on all systems first; `missing` names the judges without a score."""
    return {
        "sentence": sentence,
        "next": commands,
        "cuts": found.cuts._asdict(),
        "signatures": dict(found.signatures),
        "missing": list(found.missing),
        "all": naming_schema.of(found.whole).model_dump(mode="json"),
        "systems": [_diagnosis(one) for one in found.each],
        "unlabelled": list(found.unlabelled),
        "malformed": found.malformed,
    }


def _diagnosis(one: Diagnosis) -> dict[str, object]:
    return {
        **{
            name: getattr(one, name)
            for name in ("system", "answers", "framed", "right", "wrong", "unsure", "hand_picked")
        },
        "first": one.naming.stage,
        "naming": naming_schema.of(one.naming).model_dump(mode="json"),
        "cannot_be_scored": None if one.failed is None else one.failed._asdict(),
        "misses": [_miss(miss) for miss in one.misses],
        "quadrants": [
            {"name": each.name, "answers": each.answers, "right": each.right, "wrong": each.wrong}
            | {"wrong_of_traffic": as_dict(each.share)}
            for each in one.corners
        ],
        "findings": [_finding(each) for each in one.findings],
        "people": [
            {"cause": cause, "stage": stage.value, "answers": count}
            for (cause, stage), count in sorted(one.named.items())
        ],
        "named_causes": [
            {"cause": each.cause, "wrong": each.wrong, "of_wrong": as_dict(each.share)} for each in one.causes
        ],
        "disagreements": list(one.disagreements),
    }


def _finding(one: Finding) -> dict[str, object]:
    return {
        **{"stage": one.stage.value, "wrong": one.wrong, "right": one.right},
        **{"also_unfaithful": one.also_unfaithful, "wrong_of_traffic": as_dict(one.share)},
        "causes": [cause._asdict() for cause in one.causes],
    }


def _miss(miss: Miss) -> dict[str, object]:
    return {
        "item_id": miss.item.id,
        "question": displayable(miss.item.question),
        "answer": displayable(miss.item.answer),
        "judges": [
            {"judge": judge, "value": value, "reason": displayable(reason)} for judge, value, reason in miss.reasons
        ],
        "rationale": None if miss.label.rationale is None else displayable(miss.label.rationale),
        "causes": list(miss.label.causes),
        "harm": miss.label.harm,
    }
