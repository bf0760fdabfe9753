"""List, dismiss and export the rows that could not be read."""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING

from annotate.present.answer import Answer, answer_of
from annotate.project.store_access import StoreAccess
from proxy.errors import UsageError

if TYPE_CHECKING:
    from annotate.domain.quarantine import QuarantinedRow, QuarantineState
    from annotate.present.actions import WrittenFile
    from annotate.workflow.dismiss import Dismissed


class QuarantineMethods(StoreAccess):
    """What a project does with the rows that could not be read."""

    def quarantine(
        self, *, state: str = "open", rows: Collection[int] = (), reason: str = ""
    ) -> Answer[list[QuarantinedRow]]:
        """Return the rows that could not be read and are open still, or those in another state.

        Parameters
        ----------
        state
            ``"open"``; ``"repaired"``: they have come in repaired since; or ``"dismissed"``: somebody does not want them.
        rows
            Those of these numbers alone.
        reason
            Those whose reason holds this text alone.

        Returns
        -------
        Answer of list of QuarantinedRow
            Number, stage, source, line, reason and time (ISO 8601 in UTC) of each row, in the order they came.

        Raises
        ------
        UsageError
            For a state that there is not.
        """
        from annotate.domain.quarantine import RowChoice

        asked, choice = _state(state), RowChoice(rows=rows, reason=reason)
        with self.reading() as store:
            listed = [row for row in store.traffic.quarantine.all(asked) if choice.chooses(row)]
        return answer_of("ingest.quarantine", self.path, listed, state=asked)

    def dismiss_quarantined(
        self, *, rows: Collection[int] = (), reason: str = "", everything: bool = False
    ) -> Answer[Dismissed]:
        """Dismiss open rows in quarantine that nobody wants: they stay there, and count no more when they come again.

        Parameters
        ----------
        rows
            The numbers of the rows.
        reason
            In place of numbers, or to choose among them: a text that the reasons hold.
        everything
            Dismiss all open rows.

        Returns
        -------
        Answer of Dismissed
            How many rows were dismissed, and how many are open still.

        Raises
        ------
        UsageError
            Where nothing says which rows, a number is that of no open row, or no reason holds the text.
        """
        from annotate.domain.quarantine import RowChoice
        from annotate.workflow.dismiss import dismiss

        if everything == bool(rows or reason):
            raise UsageError("say which rows to dismiss: their numbers, a text of their reason, or all of them")
        with self.writing() as store:
            result = dismiss(store, RowChoice(rows=rows, reason=reason), who=self.who, now=self.now)
        return answer_of("ingest.dismissed", self.path, result)

    def export_quarantine(self, file: str, *, state: str = "open") -> Answer[WrittenFile]:
        """Write the rows in a state to a .jsonl or .csv file, with what they held.

        Parameters
        ----------
        file
            A .jsonl or .csv file; ``-`` is standard output.
        state
            ``"open"``, ``"repaired"`` or ``"dismissed"``.

        Returns
        -------
        Answer of WrittenFile
            The file and its number of rows.
        """
        from annotate.present.actions import WrittenFile
        from annotate.workflow.leaving import quarantined, write_masked

        columns = ("row", "stage", "source", "line", "reason", "at", "raw")
        asked = _state(state)
        with self.reading() as store:
            rows = map(quarantined, store.traffic.quarantine.rows(asked))
            count = write_masked(store, file, columns, rows)
        return answer_of("actions.exported", self.path, WrittenFile(file, count))


def _state(name: str) -> QuarantineState:
    from annotate.domain.quarantine import QuarantineState

    try:
        return QuarantineState(name)
    except ValueError:
        raise UsageError(f"rows in quarantine are {', '.join(QuarantineState)}, not {name}") from None
