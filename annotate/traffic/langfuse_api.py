"""Fetch observations and scores from Langfuse, and send our scores to it, through its own client.

It comes with `pip install 'assay[langfuse]'`. Keys come from the environment alone. The client waits for rate limits and tries
again what failed on the server.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any, TypeVar

import orjson

from annotate.domain.outgoing_score import OutgoingKind, OutgoingScore
from annotate.traffic.feedback_rows import OURS_ITEM, OURS_KIND, OURS_SIGNATURE
from annotate.traffic.otlp_scores import KINDS
from annotate.traffic.source_format import Row
from annotate.traffic.traffic_source import CursorRefused, Page
from proxy.errors import SourceError

if TYPE_CHECKING:
    import httpx
    from langfuse.api import LangfuseAPI

T = TypeVar("T")
CLOUD = "https://cloud.langfuse.com"
KEYS = ("LANGFUSE_PUBLIC_KEY", "LANGFUSE_SECRET_KEY")
HOSTS = ("LANGFUSE_BASE_URL", "LANGFUSE_HOST")
TRIES = 6
SECONDS = 60.0
# The most that the API gives at once, and takes at once.
OBSERVATIONS, SCORES, SENT = 1000, 100, 100
OBSERVATION_FIELDS = "core,basic,time,io,metadata,model,usage,metrics,trace_context"
SCORE_FIELDS = "details,subject,annotation"
FIRST_STAGE, SECOND_STAGE = "observations", "scores"
ADVICE = {
    400: "it refused the request",
    401: f"it refused the keys: check {KEYS[0]}, {KEYS[1]} and {HOSTS[0]}, which go together",
    403: "the keys may not read this: use keys of the project that holds the traces",
    404: "it has no such API: version 3.127 or later is needed; from an older one bring an export in as a file",
    429: "it still limits the rate: what came is kept; run the same command again later to go on",
}


class LangfuseApi:
    """A project of Langfuse: its observations first, then its scores."""

    name = "langfuse"
    row_format = "langfuse"

    def __init__(self) -> None:
        self._host = next((host for name in HOSTS if (host := os.environ.get(name))), CLOUD).rstrip("/")
        self._client, self._connections = _client(self._host)
        self._known: dict[str, Mapping[str, str]] = {}

    def close(self) -> None:
        """Close the connections that are kept open."""
        self._connections.close()

    def pages(self, since: datetime, until: datetime, cursor: str | None) -> Iterator[Page]:
        """Yield observations by when they began, then scores by their time."""
        stage, _, after = (cursor or f"{FIRST_STAGE}:").partition(":")
        if stage == FIRST_STAGE:
            yield from self._observations(since, until, after or None)
            after = ""
        yield from self._scores(since, until, after or None)

    def _observations(self, since: datetime, until: datetime, cursor: str | None) -> Iterator[Page]:
        window = {"from_start_time": since, "to_start_time": until}
        asked = {"fields": OBSERVATION_FIELDS, "limit": OBSERVATIONS, **window}
        for rows, after in self._listed(self._client.observations.get_many, cursor, asked):
            yield Page(rows, f"{FIRST_STAGE}:{after}" if after else f"{SECOND_STAGE}:")

    def _scores(self, since: datetime, until: datetime, cursor: str | None) -> Iterator[Page]:
        asked = {"fields": SCORE_FIELDS, "limit": SCORES, "from_timestamp": since, "to_timestamp": until}
        for rows, after in self._listed(self._client.scores.get_many, cursor, asked):
            scales = {name: scale for row in rows for name, scale in self._scale(row.get("configId")).items()}
            yield Page(rows, f"{SECOND_STAGE}:{after}" if after else None, scales)

    def _listed(
        self, call: Callable[..., Any], cursor: str | None, asked: Mapping[str, object]
    ) -> Iterator[tuple[list[dict[str, Any]], str | None]]:
        """Yield each page of a list with the cursor of the next one, None on the last."""
        while True:
            answer = self._ask(call, resumes=cursor is not None, cursor=cursor, **asked)
            cursor = answer.meta.cursor or None
            yield _rows(answer.data), cursor
            if cursor is None:
                return

    def _scale(self, config: object) -> Mapping[str, str]:
        """Return the scale that a configuration of scores says, by the name of its scores."""
        if not isinstance(config, str):
            return {}
        if config not in self._known:
            row = _rows([self._ask(self._client.score_configs.get_by_id, config_id=config)])[0]
            self._known[config] = _scale_of(row)
        return self._known[config]

    def send(self, scores: Iterable[OutgoingScore]) -> None:
        """Keep scores there; a score that was sent before is overwritten. SourceError where some are refused."""
        batch: list[OutgoingScore] = []
        for score in scores:
            batch.append(score)
            if len(batch) == SENT:
                self._create(batch)
                batch = []
        if batch:
            self._create(batch)

    def _create(self, scores: Sequence[OutgoingScore]) -> None:
        from langfuse.api import CreateScoreRequest

        request = [CreateScoreRequest(**_created(score)) for score in scores]
        answer = _rows([self._ask(self._client.scores.create, request=request)])[0]
        if errors := answer.get("errors"):
            raise SourceError(f"Langfuse at {self._host} refused {len(errors)} scores, the first because: {errors[0]}")

    def _ask(self, call: Callable[..., T], *, resumes: bool = False, **arguments: object) -> T:
        """Ask the API; SourceError, which says what to do, where there is no answer."""
        import httpx
        from langfuse.api.core.api_error import ApiError
        from pydantic import ValidationError

        try:
            return call(**arguments, request_options={"max_retries": TRIES})
        except ApiError as error:
            if error.status_code == 400 and resumes:
                raise CursorRefused from error
            status = error.status_code or 0
            advice = ADVICE.get(status, "what came is kept; run the same command again to go on")
            raise SourceError(
                f"Langfuse at {self._host} answered {status}: {advice}{_error_message(error.body)}"
            ) from error
        except httpx.HTTPError as error:
            raise SourceError(
                f"Langfuse at {self._host} cannot be reached ({error}): check {HOSTS[0]}; what came is kept, and the same "
                "command goes on from there"
            ) from error
        except ValidationError as error:
            raise SourceError(
                f"Langfuse at {self._host} answered what its client cannot read: update both ({error.error_count()} faults)"
            ) from error


def _client(host: str) -> tuple[LangfuseAPI, httpx.Client]:
    try:
        import httpx
        from langfuse.api import LangfuseAPI
    except ImportError as error:
        raise SourceError("Langfuse's client is not installed: pip install 'assay[langfuse]'") from error
    if lacking := [name for name in KEYS if not os.environ.get(name)]:
        raise SourceError(
            f"set {' and '.join(lacking)} in the environment: a project's settings in Langfuse show the keys"
        )
    public, secret = (os.environ[name] for name in KEYS)
    # Connections that fail are tried again here, error statuses by the client.
    connections = httpx.Client(transport=httpx.HTTPTransport(retries=TRIES), timeout=SECONDS, follow_redirects=True)
    client = LangfuseAPI(
        base_url=host,
        username=public,
        password=secret,
        x_langfuse_public_key=public,
        x_langfuse_sdk_name="assay",
        httpx_client=connections,
    )
    return client, connections


def _rows(records: Sequence[Any]) -> list[dict[str, Any]]:
    """Return records of the client as the API wrote them."""
    return [orjson.loads(record.json()) for record in records]


def _created(score: OutgoingScore) -> dict[str, Any]:
    """Return a score as the API takes it: a label as a word, everything else as a number."""
    is_label = score.kind is OutgoingKind.LABELS
    return {
        "id": score.id,
        "trace_id": score.trace,
        "observation_id": score.span,
        "name": score.name,
        "value": score.label if is_label else score.value,
        "data_type": "CATEGORICAL" if is_label else "NUMERIC",
        "comment": ": ".join(part for part in ("" if is_label else score.label, score.reason) if part) or None,
        "metadata": {OURS_KIND: KINDS[score.kind], OURS_SIGNATURE: score.signature, OURS_ITEM: score.item_id},
        "timestamp": datetime.fromisoformat(score.at),
    }


def _scale_of(config: Row) -> dict[str, str]:
    name, lowest, highest = str(config["name"]), config.get("minValue"), config.get("maxValue")
    if isinstance(lowest, (int, float)) and isinstance(highest, (int, float)) and lowest < highest:
        return {name: f"{lowest}..{highest}"}
    categories = config.get("categories")
    if config.get("dataType") != "CATEGORICAL" or not isinstance(categories, list):
        return {}
    ordered = sorted(categories, key=lambda category: float(category["value"]))
    labels = [str(category["label"]).replace(",", " ") for category in ordered]
    return {name: ",".join(labels)} if len(labels) > 1 else {}


def _error_message(body: object) -> str:
    message = body.get("message") if isinstance(body, Mapping) else None
    return f" ({message})" if isinstance(message, str) and message else ""
