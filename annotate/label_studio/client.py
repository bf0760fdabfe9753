"""Label Studio client as the rest of Assay uses it."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from types import TracebackType
from typing import TYPE_CHECKING, Self
from urllib.parse import urljoin

from annotate.domain.labelling_task import Task
from annotate.label_studio import projects
from annotate.label_studio.connection import Connection
from annotate.label_studio.delivery import DeliveredTasks, deliver
from annotate.label_studio.errors import NotOnServer, Refused
from annotate.label_studio.projects import ProjectSize
from annotate.label_studio.tasks import Tasks, Touched
from proxy.errors import LabelStudioError

if TYPE_CHECKING:
    import httpx

    from annotate.domain.labelling_form import Form
    from annotate.domain.server_identity import ServerProject


class LabelStudio:
    """A server, reached with one account's token: a legacy or a personal access token. Close it in the end."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    @classmethod
    def connect(cls, url: str, token: str, *, transport: httpx.BaseTransport | None = None) -> Self:
        """Return a connection that has been tried: the server answers there and takes the token."""
        connection = Connection(url, token, transport)
        try:
            _check_account(connection)
        except BaseException:
            connection.close()
            raise
        return cls(connection)

    @property
    def url(self) -> str:
        """Address of the server, without a slash at the end."""
        return self._connection.url

    def close(self) -> None:
        """End the connection; harmless when it has ended."""
        self._connection.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def ensure_project(self, title: str, form: Form, *, marker: str, guide: str | None = None) -> int:
        """Return the number of the project whose description holds `marker`, a mark of ours; made where there is none.

        Of twins the oldest with tasks is taken, and empty ones are deleted. `guide` is HTML, in place of the form's own.
        """
        return projects.ensure(self._connection, title, form, marker, guide)

    def check_project(self, number: int, *, guide: str | None = None, marker: str | None = None) -> None:
        """Check that a project asks for our verdict; set it for blind work, and to this guide and mark where given."""
        projects.check(self._connection, number, guide, marker)

    def list_projects(self, store: str) -> list[ServerProject]:
        """Return the projects that the account sees, and which of them have a mark of this store."""
        return projects.of_store(self._connection, store)

    def mark(self, project: int, marker: str) -> None:
        """Put a mark into the project's description, unless it has one of the same store."""
        projects.mark(self._connection, project, marker)

    def push(
        self,
        project: int,
        tasks: Sequence[Task],
        after: int = 0,
        *,
        doubtful: Collection[str] = (),
        confirmed: Collection[str] = (),
    ) -> DeliveredTasks:
        """Return the task id of each task, after the missing were imported; pushing again adds nothing.

        `after` is the newest task id that was confirmed in this project, 0 where that is not sure: only later tasks are
        read. `doubtful` keys may have been sent earlier; each is looked up by itself. `confirmed` keys have a task already:
        a copy that appeared since is repaired, and the id of its task is among those returned.
        """
        return deliver(Tasks(self._connection, project), tasks, after, doubtful, confirmed)

    def known(self, project: int, keys: Collection[str]) -> dict[str, int]:
        """Return the task id of each of our keys that the project holds; of duplicates, the oldest."""
        return {key: ids[0] for key, ids in Tasks(self._connection, project).having(keys).items()}

    def everything(self, project: int) -> Iterator[dict[str, object]]:
        """Return every task with its annotations, skips included, in order of their ids."""
        return Tasks(self._connection, project).all()

    def touched_since(self, project: int, since: str) -> dict[int, Touched]:
        """Return the tasks, by id, that were made or annotated at or after `since`, a time that the server gave, in ISO 8601.

        The newest time among them is what a next call may begin with, better some time before it: what the server is
        still writing has an earlier time than it shows. A task whose annotation was deleted is among them, a deleted task
        is not.
        """
        return Tasks(self._connection, project).touched_since(since)

    def read(self, project: int, task_ids: Collection[int]) -> Iterator[dict[str, object]]:
        """Return those of these tasks that are there, with their annotations."""
        return Tasks(self._connection, project).read(task_ids)

    def size(self, project: int) -> ProjectSize:
        """Return how many tasks a project holds, and how many annotations, skips included."""
        return projects.size(self._connection, project)

    def remove(self, project: int, task_ids: Collection[int], *, even_annotated: bool = False) -> set[int]:
        """Return those of these tasks that are gone: deleted now where nobody had annotated, skipped or begun them, or before.

        With `even_annotated` they are deleted with what annotators said of them.
        """
        return Tasks(self._connection, project).remove(task_ids, even_touched=even_annotated)

    def has_annotation(self, number: str) -> bool:
        """Return whether the server has the annotation of this number."""
        if not (number.isascii() and number.isdigit()):
            return False
        try:
            self._connection.get(f"annotations/{number}/", "read an annotation")
        except NotOnServer:
            return False
        return True

    def annotators(self) -> dict[int, str]:
        """Return the e-mail address of each user id.

        Whoever was taken out of the organisation has the name `Deleted`, as all others of them: that is nobody's address.
        """
        users = self._connection.get("users/", "list the users")
        rows = [user for user in users if isinstance(user, Mapping)] if isinstance(users, list) else []
        return {
            int(user["id"]): str(user["email"])
            for user in rows
            if "@" in str(user.get("email", "")) and isinstance(user.get("id"), int)
        }

    def ensure_webhook(self, project: int, url: str, secret: str) -> bool:
        """Have changes in a project call `url` with the secret in a header; whether anything had to be changed for it."""
        return projects.ensure_webhook(self._connection, project, url, secret)

    def invitation(self) -> str | None:
        """Return the link with which a person signs up to this server; None where this account may not read it."""
        try:
            answer = self._connection.get("invite", "read the invitation")
        except Refused:
            return None
        link = answer.get("invite_url") if isinstance(answer, Mapping) else None
        return urljoin(f"{self._connection.url}/", link) if isinstance(link, str) and link else None


def _check_account(connection: Connection) -> None:
    """Check that the server knows who asks."""
    account = connection.get("current-user/whoami", "connect")
    if not isinstance(account, Mapping) or not isinstance(account.get("id"), int):
        raise LabelStudioError(
            f"What answers at {connection.shown} is no Label Studio that Assay can read: check the URL"
        )
