"""Write scores as OpenTelemetry has them: log records `gen_ai.evaluation.result`, with the trace and span of the answer."""

from __future__ import annotations

import os
import re
import time
import urllib.error
import urllib.request
from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime, timedelta
from urllib.parse import unquote, urlsplit

import orjson

from annotate.domain.outgoing_score import OutgoingKind, OutgoingScore
from annotate.traffic.evaluations import EVALUATION, RESULT
from annotate.traffic.feedback_rows import JUDGE, LABEL, OURS_ITEM, OURS_KIND, OURS_SIGNATURE, VERDICT
from proxy.errors import SourceError

HEX_TRACE = re.compile(r"[0-9a-f]{32}")
PATH = "/v1/logs"
RECORDS = 500
TRIES, SECONDS, LONGEST_WAIT = 5, 30.0, 30.0
AGAIN = (429, 502, 503, 504)
ENDPOINTS = ("OTEL_EXPORTER_OTLP_LOGS_ENDPOINT", "OTEL_EXPORTER_OTLP_ENDPOINT")
HEADERS = ("OTEL_EXPORTER_OTLP_LOGS_HEADERS", "OTEL_EXPORTER_OTLP_HEADERS")
KINDS = {OutgoingKind.LABELS: LABEL, OutgoingKind.VERDICTS: VERDICT, OutgoingKind.JUDGES: JUDGE}
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def requests(scores: Iterable[OutgoingScore]) -> Iterator[dict[str, object]]:
    """Yield requests of OTLP/JSON with up to 500 records each."""
    for batch in _batched(scores, RECORDS):
        scope = {"scope": {"name": "assay"}, "logRecords": [_record(score) for score in batch]}
        service = [_attribute("service.name", "assay")]
        yield {"resourceLogs": [{"resource": {"attributes": service}, "scopeLogs": [scope]}]}


def post(scores: Iterable[OutgoingScore], endpoint: str) -> None:
    """Send scores to an endpoint that takes OTLP/HTTP in JSON; empty is what OpenTelemetry's variables name.

    SourceError, which says what to do, where it refuses or cannot be reached.
    """
    address = endpoint or next((os.environ[name] for name in ENDPOINTS if os.environ.get(name)), "")
    if urlsplit(address).scheme not in ("http", "https"):
        raise SourceError(f"name an endpoint, otlp:http://HOST:4318, or set {ENDPOINTS[1]}")
    if not urlsplit(address).path.endswith(PATH):
        address = address.rstrip("/") + PATH
    for request in requests(scores):
        _send(address, orjson.dumps(request))


def _send(address: str, body: bytes) -> None:
    request = urllib.request.Request(address, body, {"Content-Type": "application/json", **_headers()})  # noqa: S310
    for attempt in range(TRIES):
        try:
            with urllib.request.urlopen(request, timeout=SECONDS) as response:  # noqa: S310 (http alone, checked)
                _check(address, response.read())
                return
        except urllib.error.HTTPError as error:
            with error:
                if error.code not in AGAIN or attempt == TRIES - 1:
                    raise SourceError(
                        f"{address} answered {error.code} {error.reason}: check the address and {HEADERS[1]}; what was sent "
                        "takes the same place when it is sent again"
                    ) from error
                wait = error.headers.get("Retry-After", "")
            time.sleep(min(float(wait) if wait.isdigit() else 2.0**attempt, LONGEST_WAIT))
        except OSError as error:
            raise SourceError(f"{address} cannot be reached ({error}): check the address") from error


def _check(address: str, content: bytes) -> None:
    """Raise SourceError where some records were rejected."""
    try:
        partial = orjson.loads(content or b"{}").get("partialSuccess") or {}
    except (ValueError, AttributeError):
        return
    if int(partial.get("rejectedLogRecords") or 0):
        raise SourceError(
            f"{address} rejected {partial['rejectedLogRecords']} scores: {partial.get('errorMessage', '')}"
        )


def _headers() -> dict[str, str]:
    given = next((os.environ[name] for name in HEADERS if os.environ.get(name)), "")
    pairs = (pair.partition("=") for pair in given.split(",") if "=" in pair)
    return {name.strip(): unquote(value.strip()) for name, _, value in pairs}


def _record(score: OutgoingScore) -> dict[str, object]:
    values = {
        f"{EVALUATION}.name": score.name,
        f"{EVALUATION}.score.value": score.value,
        f"{EVALUATION}.score.label": score.label,
        f"{EVALUATION}.explanation": score.reason or None,
        OURS_KIND: KINDS[score.kind],
        OURS_SIGNATURE: score.signature,
        OURS_ITEM: score.item_id,
    }
    nanoseconds = (datetime.fromisoformat(score.at) - EPOCH) // timedelta(microseconds=1) * 1000
    record: dict[str, object] = {
        "timeUnixNano": str(nanoseconds),
        "eventName": RESULT,
        "attributes": [_attribute(name, value) for name, value in values.items() if value is not None],
    }
    trace = score.trace or score.item_id
    if HEX_TRACE.fullmatch(trace):
        record |= {"traceId": trace} | ({"spanId": score.span} if score.span else {})
    return record


def _attribute(name: str, value: object) -> dict[str, object]:
    return {"key": name, "value": {"stringValue": value} if isinstance(value, str) else {"doubleValue": value}}


def _batched(scores: Iterable[OutgoingScore], size: int) -> Iterator[Sequence[OutgoingScore]]:
    batch: list[OutgoingScore] = []
    for score in scores:
        batch.append(score)
        if len(batch) == size:
            yield batch
            batch = []
    if batch:
        yield batch
