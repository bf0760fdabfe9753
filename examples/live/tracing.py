"""Set OpenTelemetry up for an app: spans go where the two variables of the environment say.

OTEL_EXPORTER_OTLP_TRACES_ENDPOINT=http://127.0.0.1:8510/v1/traces
OTEL_EXPORTER_OTLP_TRACES_HEADERS=authorization=Bearer%20TOKEN
"""

from __future__ import annotations

from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor


def provider(name: str) -> TracerProvider:
    """Return a provider of tracers for the app of this name; its `shutdown` sends what is left."""
    made = TracerProvider(resource=Resource({"service.name": name}))
    made.add_span_processor(BatchSpanProcessor(OTLPSpanExporter()))
    return made
