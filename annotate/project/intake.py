"""Bring in traffic, scores, feedback and labels."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from contextlib import nullcontext
from pathlib import Path
from tempfile import gettempdir
from typing import TYPE_CHECKING

from annotate.present.answer import Answer, answer_of
from annotate.project.frames import frame
from annotate.project.store_access import StoreAccess
from proxy.errors import UsageError

if TYPE_CHECKING:
    import pandas as pd

    from annotate.domain.quarantine import QuarantinedRow, QuarantineState
    from annotate.present.actions import WrittenFile
    from annotate.workflow.dismiss import Dismissed
    from annotate.workflow.ingest.receive import ImportedFeedback, ImportedLabels, ImportedScores, Ingested
    from proxy import Design


class IntakeMethods(StoreAccess):
    """What a project does to bring data in."""

    def ingest(
        self,
        *sources: pd.DataFrame | str | Path,
        fields: Mapping[str, str] | None = None,
        file_format: str = "auto",
        revisions: bool = False,
        as_named: bool = False,
        dry_run: bool = False,
        scales: Mapping[str, str] | None = None,
        encoding: str = "auto",
        dates: str | None = None,
    ) -> Answer[Ingested]:
        """Take traffic in, from frames or files, our own rows and what other tools write.

        Parameters
        ----------
        sources
            Frames with a row an answer, or files and folders of them (JSON, CSV, Parquet, Arrow, Excel; ``-`` is standard input).
        fields
            Where our fields lie: ``{"question": "input.query"}``.
        file_format
            Of the file (jsonl, json, csv, parquet, arrow, excel) or of the tool that wrote it (ragas, chat, …); auto looks at the
            content.
        revisions
            Rows that repeat an id with other content correct the row before.
        as_named
            Take a source as it is that has a field under nearly the right name.
        dry_run
            Say how the first rows are read, and keep nothing.
        scales
            Of judges of other tools whose numbers do not lie in [0, 1], or who give words: ``{"quality": "1..5"}``,
            ``{"verdict": "bad,fair,good"}``.
        encoding
            Of a file of text, such as ``"cp1252"``; auto goes by its content.
        dates
            The order of day and month in dates such as 03/11/2026, ``"day-first"`` or ``"month-first"``, where no date of the
            file tells.

        Returns
        -------
        Answer of Ingested
            Rows that were read, refused and repaired, with the reasons, and what they added.

        Raises
        ------
        FileError
            For sources without a row, or that would lose data without a word; nothing is kept of them, and no store is made.
        """
        from annotate.analysis.next_step.judging import after_import
        from annotate.domain.timestamps import DateOrder
        from annotate.domain.tool_score import read_scales
        from annotate.workflow.ingest import receive
        from annotate.workflow.ingest.recognition import recognise
        from annotate.workflow.ingest.sources import opened_sources

        with opened_sources(
            sources, fields, file_format, copies=Path(gettempdir()) if dry_run else self.folder, encoding=encoding
        ) as opened:
            order = None if dates is None else DateOrder(dates)
            recognised = [recognise(source._replace(date_order=order)) for source in opened]
            paths = fields or {}
            if dry_run:
                with self.reading() if self.path.exists() else nullcontext() as present:
                    result = receive.dry_run(
                        present, recognised, now=self.now, paths=paths, revisions=revisions, as_named=as_named
                    )
                return answer_of("ingest.traffic", result)
            is_new = not self.path.exists()
            if is_new:
                receive.check(None, recognised, paths=paths, revisions=revisions, as_named=as_named)
            with self.writing(make=True) as store:
                if not is_new:
                    receive.check(store, recognised, paths=paths, revisions=revisions, as_named=as_named)
                result = receive.traffic(
                    store, recognised, who=self.who, now=self.now, scales=read_scales(scales or {})
                )
        return answer_of("ingest.traffic", result, steps=after_import(result.effect.rule, result.effect.unread))

    def fetch(
        self,
        source: str,
        *,
        since: str = "last",
        fields: Mapping[str, str] | None = None,
        scales: Mapping[str, str] | None = None,
    ) -> Answer[Ingested]:
        """Take traffic in from a program that is asked for it, with its scores and users' feedback.

        Parameters
        ----------
        source
            ``"langfuse"``, or what another package offers. Keys come from the environment.
        since
            ``"last"`` goes on from the last fetch, less a day: what came late or changed comes again, and adds nothing twice; the
            first time it takes all. Else a time before now, such as ``"7d"``, or a date, such as ``"2026-11-01"``.
        fields
            Where our fields lie in the program's rows: ``{"question": "input.query"}``.
        scales
            Of judges of the program whose numbers do not lie in [0, 1], or who give words: ``{"quality": "1..5"}``.

        Returns
        -------
        Answer of Ingested
            Rows that were read, refused and repaired, with the reasons, and what they added.

        Raises
        ------
        UsageError
            Where there is no such source, or `since` is no time.
        SourceError
            Where it cannot be reached, or refuses. What came is kept, and the next call goes on from there.
        """
        from annotate.analysis.next_step.judging import after_import
        from annotate.domain.tool_score import read_scales
        from annotate.traffic.sources import source_named
        from annotate.workflow.ingest.fetch import Fetch, FetchProgress, check_format, start_of

        opened = source_named(source)
        check_format(opened)
        read_scales(scales or {})
        start_of(since, FetchProgress(), self.now)
        with self.writing(make=True) as store, store.only_one("ingest"):
            fetch = Fetch(store, opened, fields=fields or {}, now=self.now)
            result = fetch.run(since, who=self.who, scales=scales or {})
        return answer_of("ingest.traffic", result, steps=after_import(result.effect.rule, result.effect.unread))

    def import_scores(
        self,
        source: pd.DataFrame | str | Path,
        *,
        fields: Mapping[str, str] | None = None,
        file_format: str = "auto",
        scales: Mapping[str, str] | None = None,
        encoding: str = "auto",
    ) -> Answer[ImportedScores]:
        """Take other tools' scores in: item_id, judge, value in [0, 1], signature; or as a tool writes them.

        A table may have a column a judge; its rows name their item by item_id, id or trace_id, or repeat it as Ragas does.
        The tools are Langfuse, Phoenix, LangSmith, MLflow and OpenTelemetry (`gen_ai.evaluation.result`).

        Parameters
        ----------
        source
            A frame, or a file (JSON, CSV, Parquet, Arrow, Excel; ``-`` is standard input), with a row a score.
        fields
            Where our fields lie: ``{"item_id": "metadata.id"}``; of rows without an id those of the answer, which is found by
            them: ``{"question": "asked", "answer": "said"}``, and contexts, history and system.
        file_format
            jsonl, json, csv, parquet, arrow or excel; auto looks at the content.
        scales
            Of judges of other tools whose numbers do not lie in [0, 1], or who give words: ``{"quality": "1..5"}``,
            ``{"verdict": "bad,fair,good"}``.
        encoding
            Of a file of text, such as ``"cp1252"``; auto goes by its content.

        Returns
        -------
        Answer of ImportedScores
            Rows that were read and refused, with the reasons, and how many scores were new.

        Raises
        ------
        UsageError
            Where there is no such file.
        FileError
            Where no reader here reads files of its kind, or not one row can be read; nothing is kept of it.
        """
        from annotate.analysis.next_step.judging import after_import
        from annotate.domain.tool_score import read_scales
        from annotate.workflow.ingest import receive
        from annotate.workflow.ingest.sources import opened_source

        with (
            opened_source(source, fields, file_format, copies=self.folder, encoding=encoding) as opened,
            self.writing() as store,
        ):
            result = receive.scores(store, opened, who=self.who, now=self.now, scales=read_scales(scales or {}))
        return answer_of("ingest.scores", result, steps=after_import(result.effect.rule, result.effect.unread))

    def import_feedback(
        self,
        source: pd.DataFrame | str | Path,
        *,
        fields: Mapping[str, str] | None = None,
        file_format: str = "auto",
        names: Collection[str] = (),
        encoding: str = "auto",
    ) -> Answer[ImportedFeedback]:
        """Take end users' feedback in: rows with item_id, value, comment, correction, or as a tool writes them.

        The tools are Langfuse, Phoenix, LangSmith, MLflow, OpenTelemetry, Open WebUI and Chainlit.

        Parameters
        ----------
        source
            A frame, or a file (JSON, CSV, Parquet, Arrow, Excel; ``-`` is standard input), with a row a thumb.
        fields
            Where our fields lie: ``{"item_id": "metadata.id"}``.
        file_format
            jsonl, json, csv, parquet, arrow or excel; auto looks at the content.
        names
            The names under which such a tool keeps users' feedback, where they do not tell it (``"user_score"``).
        encoding
            Of a file of text, such as ``"cp1252"``; auto goes by its content.

        Returns
        -------
        Answer of ImportedFeedback
            Rows that were read and refused, with the reasons, how many were new, how many are no user's feedback, and the
            thumbs that the store has now.

        Raises
        ------
        UsageError
            Where there is no such file.
        FileError
            Where no reader here reads files of its kind, or not one row can be read; nothing is kept of it.
        """
        from annotate.workflow.ingest import receive
        from annotate.workflow.ingest.sources import opened_source

        with (
            opened_source(source, fields, file_format, copies=self.folder, encoding=encoding) as opened,
        ):
            receive.check_feedback(opened, names)
            with self.writing(make=True) as store:
                result = receive.feedback(store, opened, who=self.who, now=self.now, names=names)
        return answer_of("ingest.feedback", result)

    def import_labels(
        self,
        source: pd.DataFrame | str | Path,
        *,
        fields: Mapping[str, str] | None = None,
        file_format: str = "auto",
        encoding: str = "auto",
        words: Mapping[str, str | Sequence[str]] | None = None,
    ) -> Answer[ImportedLabels]:
        """Take labels in: item_id, label (right, wrong, unsure), annotator, reference.

        The words for right, wrong and unsure are known in eleven languages, as are true and false, yes and no, 1 and 0. Any other
        word is quarantined until `words` says what it means.

        Parameters
        ----------
        source
            A frame, or a file (JSON, CSV, Parquet, Arrow, Excel; ``-`` is standard input), with a row a label.
        fields
            Where our fields lie: ``{"item_id": "metadata.id"}``.
        file_format
            jsonl, json, csv, parquet, arrow or excel; auto looks at the content.
        encoding
            Of a file of text, such as ``"cp1252"``; auto goes by its content.
        words
            The table's own words: ``{"right": "OK", "wrong": "NOK,BAD"}``, or lists of them. They come before the known words;
            where one contradicts these, as in ``{"wrong": "1"}``, only they count.

        Returns
        -------
        Answer of ImportedLabels
            Rows that were read and refused, with the reasons, and how far the labelling is now.

        Raises
        ------
        UsageError
            Where there is no such file, or `words` contradict each other.
        FileError
            Where no reader here reads files of its kind, or not one row can be read; nothing is kept of it.
        """
        from annotate.analysis.next_step.labelling import after_labels
        from annotate.workflow.ingest import receive
        from annotate.workflow.ingest.sources import opened_source

        with (
            opened_source(source, fields, file_format, copies=self.folder, encoding=encoding) as opened,
            self.writing() as store,
        ):
            result = receive.labels(store, opened, who=self.who, now=self.now, words=words or {})
        return answer_of("ingest.labels", result, steps=after_labels(result.disagreements))

    def items(self) -> pd.DataFrame:
        """Return every current answer, one row each.

        Returns
        -------
        pandas.DataFrame
            Columns id, question, history, contexts, answer, system, timestamp, group, language and reference.
        """
        from annotate.analysis.labelling.rows import ITEM_COLUMNS, item_rows

        with self.reading() as store:
            return frame(item_rows(store), ITEM_COLUMNS)

    def frame(self) -> pd.DataFrame:
        """Return what estimates read of each answer, for the functions of `proxy` with the design `Project.design`.

        Returns
        -------
        pandas.DataFrame
            One row an answer: id, a column a judge with its scores, question (its key, equal where the same was asked), group,
            system, timestamp, language, stratum, inclusion_probability (the chance that the waves together gave it), drawn, and
            label, of drawn answers alone.

        Notes
        -----
        Where labels have come back, the rows are the answers that a wave could have drawn; the estimates of `report` speak of
        the same. Labels that chose the threshold of the rule in force are left out: they never score it.
        """
        import pandas as pd

        from annotate.analysis.measured_rows import measured_rows

        with self.reading() as store:
            return pd.DataFrame(measured_rows(store))

    @property
    def design(self) -> Design:
        """How the labelled rows of `frame` were chosen.

        After one wave, ``Design(strata="stratum", cluster="group")`` says the same; after several, an answer's stratum alone
        does not tell how likely it was drawn.
        """
        from proxy import Design

        return Design(
            strata="stratum", probability="inclusion_probability", cluster="group", question="question", drawn="drawn"
        )

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
        return answer_of("ingest.quarantine", listed, state=asked)

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
        return answer_of("ingest.dismissed", result)

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
        return answer_of("actions.exported", WrittenFile(file, count))


def _state(name: str) -> QuarantineState:
    from annotate.domain.quarantine import QuarantineState

    try:
        return QuarantineState(name)
    except ValueError:
        raise UsageError(f"rows in quarantine are {', '.join(QuarantineState)}, not {name}") from None
