"""The JSON of probing a model: what it would take, and what came of it."""

from __future__ import annotations

from annotate.domain.probe import Probed, ProbeEstimate
from annotate.present.schemas.base import ActionModel, AnswerModel
from annotate.present.schemas.keyed import answer_model

MODELS = {
    "estimated": answer_model(ProbeEstimate, AnswerModel, schema="assay/diagnose_probe_estimate/1"),
    "probed": answer_model(Probed, ActionModel, schema="assay/diagnose_probe/1"),
}
