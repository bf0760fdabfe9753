"""The route that takes end users' feedback: POST /feedback, one object or a list of them, kept before it is acknowledged."""

from __future__ import annotations

import json
from collections.abc import Mapping
from http import HTTPStatus

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from annotate.files.rows import object_of
from annotate.server.callers import SENT_BYTES, body_of, check_caller
from annotate.server.inbox import Inbox
from annotate.store import Store
from annotate.workflow.ingest.receive import FeedbackReceived, feedback_rows

PATH = "/feedback"
MOST_ROWS = 1000


def feedback(token: bytes, inbox: Inbox) -> Route:
    """Return the route; an answer of 200 means that everything is on the disk: as feedback, or in quarantine with the reason."""

    async def take(request: Request) -> Response:
        await check_caller(request, token)
        rows = _rows(await body_of(request))

        def keep(store: Store, now: str) -> FeedbackReceived:
            return feedback_rows(store, rows, origin=f"POST {PATH}", now=now)

        received = await inbox.kept(keep)
        refused = [{"row": number, "reason": reason} for number, reason in received.refused.items()]
        status = HTTPStatus.BAD_REQUEST if len(refused) == len(rows) else HTTPStatus.OK
        return JSONResponse({"new": received.new, "none": received.none, "quarantined": refused}, status_code=status)

    return Route(PATH, take, methods=["POST"], max_body_size=SENT_BYTES)


def _rows(body: bytes) -> list[Mapping[str, object]]:
    """Return the objects of a body; 400 where it holds anything else, 413 where there are too many."""
    try:
        content = json.loads(body, parse_constant=str, object_pairs_hook=object_of)
    except (ValueError, RecursionError) as error:
        raise HTTPException(HTTPStatus.BAD_REQUEST) from error
    rows = content if isinstance(content, list) else [content]
    if not rows or not all(isinstance(row, Mapping) for row in rows):
        raise HTTPException(HTTPStatus.BAD_REQUEST)
    if len(rows) > MOST_ROWS:
        raise HTTPException(HTTPStatus.REQUEST_ENTITY_TOO_LARGE)
    return rows
