"""Label Studio, the one door to it: tasks out, annotations back, over its API.

In come our tasks and the ids of projects; out come task ids and the server's tasks as plain JSON. The rules: a task
already there is never imported again, an import whose outcome is unknown is looked up and never repeated blindly, and
no error repeats a token or a task's text.
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING
from urllib.parse import quote

from annotate.label_studio_errors import OutcomeUnknown, TooLarge, host_of, refusal, shown_address
from annotate.tasks import Task, labelling_form
from proxy.errors import LabelStudioError

if TYPE_CHECKING:
    import httpx
    from label_studio_sdk import LabelStudio as Client
    from label_studio_sdk._extensions.pager_ext import SyncPagerExt
    from label_studio_sdk.core.request_options import RequestOptions

CONNECT_SECONDS = 10.0
READ_SECONDS = 60.0
IMPORT_SECONDS = 300.0
LOOKUP_WAITS = (0.0, 1.0, 2.0, 4.0, 8.0, 15.0)
PAGE_SIZE = 200

_LOOPBACK = ("127.0.0.1", "localhost", "::1")
# A look-up is a GET; servers behind nginx or uwsgi refuse lines beyond 4 to 8 kB.
_QUERY_LENGTH = 3000


class LabelStudio:
    """A Label Studio server, reached with one account's token: a legacy or a personal access token."""

    def __init__(self, client: Client, shown_url: str) -> None:
        self._client = client
        self._url = shown_url

    @classmethod
    def connect(cls, url: str, token: str, *, transport: httpx.BaseTransport | None = None) -> LabelStudio:
        """A connection that has been tried: the server answers there and takes the token."""
        host, shown = host_of(url), shown_address(url)
        if host is None:
            raise LabelStudioError(f"{shown!r} is no web address: write it like http://127.0.0.1:8080")
        if not token.strip():
            raise LabelStudioError("No Label Studio token is set: copy it from Account & Settings in Label Studio")
        if not token.strip().isascii() or len(token.split()) > 1:
            raise LabelStudioError("The Label Studio token has spaces or foreign letters: copy it anew, in one piece")
        with _told(shown, "connect"):
            import httpx
            from label_studio_sdk import LabelStudio as Client

            web = httpx.Client(
                timeout=httpx.Timeout(READ_SECONDS, connect=CONNECT_SECONDS),
                # A proxy for the outside world knows nothing of a server on this machine.
                trust_env=host not in _LOOPBACK,
                transport=transport,
            )
            # The slash keeps the last part of a path prefix when the SDK trades a personal access token.
            base = url.strip().rstrip("/") + "/"
            client = Client(  # type: ignore[no-untyped-call]
                base_url=base, api_key=token.strip(), httpx_client=web, timeout=READ_SECONDS
            )
            _id(client.users.whoami(request_options=_once()).id, shown)
        return cls(client, shown)

    def ensure_project(self, title: str, project_id: int | None = None) -> int:
        """The id of a project with our form: the given one, checked and set for blind work, or a new one."""
        if project_id is not None:
            with _told(self._url, "open project", project_id):
                found = self._client.projects.get(project_id)
                controls = found.parsed_label_config
            if not isinstance(controls, Mapping) or "verdict" not in controls:
                raise LabelStudioError(
                    f"Project {project_id} at {self._url} has another form: make a new one with `assay push --new-project`"
                )
            if found.show_collab_predictions:
                with _told(self._url, "set up project", project_id):
                    self._client.projects.update(project_id, show_collab_predictions=False, request_options=_once())
            return project_id
        try:
            with _told(self._url, "make a project"):
                made = self._client.projects.create(
                    title=title[:50].ljust(3, "."),
                    label_config=labelling_form(),
                    maximum_annotations=1,
                    show_collab_predictions=False,
                    evaluate_predictions_automatically=False,
                    enable_empty_annotation=False,
                    request_options=_once(),
                )
                return _id(made.id, self._url)
        except OutcomeUnknown as error:
            hint = f"a project named {title!r} may have been made; look for it, and name its id or remove it"
            raise LabelStudioError(f"{error}; {hint}") from None

    def known(self, project: int, keys: Iterable[str]) -> dict[str, int]:
        """The task id of each of our keys that the project holds; of duplicates, the oldest."""
        found: dict[str, int] = {}
        for chunk in _chunks(dict.fromkeys(keys)):
            matches = {"filter": "filter:tasks:data.external_id", "operator": "in_list", "type": "List", "value": chunk}
            for task in self._tasks(project, matches, include="id,data"):
                data = task.get("data")
                key = data.get("external_id") if isinstance(data, Mapping) else None
                if isinstance(key, str) and key in chunk:
                    found.setdefault(key, _id(task.get("id"), self._url))
        return found

    def push(self, project: int, tasks: Sequence[Task], batch: int = 200) -> dict[str, int]:
        """The task id of every task, after the missing ones were imported; pushing again adds nothing."""
        wanted = {task.key: task for task in tasks}
        sent = self.known(project, wanted)
        missing = [task for key, task in wanted.items() if key not in sent]
        for first in range(0, len(missing), batch):
            sent |= self._import(project, missing[first : first + batch])
        return {key: sent[key] for key in wanted}

    def pull(self, project: int) -> Iterator[dict[str, object]]:
        """Every task of the project with its annotations, skips included, in the order of their ids."""
        return self._tasks(project)

    def annotators(self) -> dict[int, str]:
        """The e-mail address of each user id."""
        with _told(self._url, "list the users"):
            users = self._client.users.list()
            return {int(user.id): str(user.email) for user in users}

    def _import(self, project: int, tasks: Sequence[Task]) -> dict[str, int]:
        """Import one batch, which the server takes whole or not at all, and say where each task went."""
        request = [{"data": dict(task.data)} for task in tasks]
        options: RequestOptions = {**_once(), "timeout": IMPORT_SECONDS}
        try:
            with _told(self._url, f"import {len(tasks)} tasks into project", project):
                answer = self._client.projects.import_tasks(
                    project,
                    request=request,  # type: ignore[arg-type]  # the SDK's own model is of a richer form
                    return_task_ids=True,
                    request_options=options,
                )
            ids = getattr(answer, "task_ids", None)
            if isinstance(ids, list) and len(ids) == len(tasks):
                return {task.key: int(number) for task, number in zip(tasks, ids, strict=True)}
        except TooLarge:
            if len(tasks) == 1:
                raise
            half = len(tasks) // 2
            return self._import(project, tasks[:half]) | self._import(project, tasks[half:])
        except OutcomeUnknown:
            pass
        return self._looked_up(project, tasks)

    def _looked_up(self, project: int, tasks: Sequence[Task]) -> dict[str, int]:
        """Where a batch went whose import gave no clear answer: the server may still be at work on it."""
        for wait in LOOKUP_WAITS:
            time.sleep(wait)
            try:
                found = self.known(project, [task.key for task in tasks])
            except LabelStudioError:
                continue
            if len(found) == len(tasks):
                return found
        raise LabelStudioError(
            f"Label Studio at {self._url} gave no clear answer to an import of {len(tasks)} tasks: wait a few minutes, "
            "then push again, which looks first and sends only what is missing"
        )

    def _tasks(
        self, project: int, matches: Mapping[str, object] | None = None, include: str | None = None
    ) -> Iterator[dict[str, object]]:
        """A project's tasks by id; each page asks for ids beyond the last, so that a deletion shifts nothing."""
        last = 0
        while True:
            beyond = {"filter": "filter:tasks:id", "operator": "greater", "type": "Number", "value": last}
            items = [beyond] if matches is None else [beyond, matches]
            query = {"filters": {"conjunction": "and", "items": items}, "ordering": ["tasks:id"]}
            with _told(self._url, "read project", project):
                page: SyncPagerExt[object] = self._client.tasks.list(
                    project=project,
                    fields="task_only" if include else "all",
                    include=include,
                    page_size=PAGE_SIZE,
                    resolve_uri=False,
                    query=json.dumps(query),
                )
                rows = [_plain(row) for row in page.items or []]
                remaining = getattr(page.response, "total", None)
            yield from rows
            # Not by the page's length: a server may be set to give shorter pages than were asked for.
            if not rows or remaining == len(rows):
                return
            last = _id(rows[-1].get("id"), self._url)


def _plain(row: object) -> dict[str, object]:
    """A task of the SDK as plain JSON."""
    plain = json.loads(row.json()) if hasattr(row, "json") else row
    return plain if isinstance(plain, dict) else {}


def _id(number: object, url: str) -> int:
    """An id that the server gave, without which nothing more can be asked."""
    if not isinstance(number, int):
        raise LabelStudioError(f"Label Studio at {url} sent something without an id: check that its version is 1.23")
    return number


def _chunks(keys: Iterable[str]) -> Iterator[list[str]]:
    """Keys in lists short enough for the line of a GET."""
    chunk: list[str] = []
    length = 0
    for key in keys:
        cost = len(quote(json.dumps(key))) + 6
        if chunk and (length + cost > _QUERY_LENGTH or len(chunk) == PAGE_SIZE):
            yield chunk
            chunk, length = [], 0
        chunk.append(key)
        length += cost
    if chunk:
        yield chunk


def _once() -> RequestOptions:
    """The SDK repeats a POST by itself; a repeated import makes every task twice."""
    return {"max_retries": 0}


@contextmanager
def _told(url: str, doing: str, project: int | None = None) -> Iterator[None]:
    """Turn what the SDK and the network raise into one line that says what to do, and repeats nothing they hold."""
    import httpx
    from label_studio_sdk.core.api_error import ApiError

    what = doing if project is None else f"{doing} {project}"
    try:
        yield
    except LabelStudioError:
        raise
    except ApiError as error:
        raise refusal(url, what, project, error.status_code or 0) from None
    except (httpx.ConnectError, httpx.ConnectTimeout):
        raise LabelStudioError(
            f"No Label Studio answers at {url}: start it with `assay up`, or check the URL"
        ) from None
    except httpx.TimeoutException:
        raise OutcomeUnknown(f"Label Studio at {url} took too long to {what}: try again when it is less busy") from None
    except httpx.TransportError:
        raise OutcomeUnknown(
            f"Label Studio at {url} broke off while asked to {what}: see its log, then again"
        ) from None
    except (httpx.HTTPError, httpx.InvalidURL, ValueError, TypeError, AttributeError):
        raise LabelStudioError(f"What answers at {url} is no Label Studio that Assay can read: check the URL") from None
