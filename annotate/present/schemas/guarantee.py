"""The JSON of a guarantee."""

from __future__ import annotations

from annotate.present.guarantee import certified
from annotate.present.messages import text
from annotate.present.schemas.base import Model
from annotate.present.schemas.keyed import FieldsOf
from proxy.evaluation.guarantee import Guarantee, Proof


class GuaranteeModel(Model):
    """What a calibrated threshold keeps, for which claims, and from how many labels."""

    precision: float
    confidence: float
    threshold: float
    n: int
    errors: int
    p_value: float
    labels: int
    last_wave: int
    at: str
    claims: tuple[FieldsOf[Proof], ...]
    is_withdrawn: bool
    sentence: str


def of(guarantee: Guarantee) -> GuaranteeModel:
    """Make the model of a guarantee."""
    names = GuaranteeModel.model_fields.keys() - {"is_withdrawn", "sentence"}
    return GuaranteeModel.of(
        **{name: getattr(guarantee, name) for name in names},
        is_withdrawn=guarantee.is_void,
        sentence=text(certified(guarantee)),
    )
