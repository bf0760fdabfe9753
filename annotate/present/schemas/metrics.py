"""The JSON of the catalogue of metrics."""

from __future__ import annotations

from annotate.present.schemas.base import AnswerModel
from annotate.present.schemas.keyed import answer_model
from proxy.judges.metrics.listing import MetricListing

MODELS = {"catalogue": answer_model(MetricListing, AnswerModel, schema="assay/metrics/1")}
