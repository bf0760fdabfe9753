"""Bring in traffic, scores, feedback and labels."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from annotate.project.frames import frame
from annotate.project.store_access import StoreAccess

if TYPE_CHECKING:
    import pandas as pd

    from annotate.workflow.ingest.receive import ImportedFeedback, ImportedLabels, ImportedScores, Ingested


class IntakeMethods(StoreAccess):
    """What a project does to bring data in."""

    def ingest(
        self,
        *sources: pd.DataFrame | str | Path,
        fields: Mapping[str, str] | None = None,
        file_format: str = "auto",
        revisions: bool = False,
        as_named: bool = False,
    ) -> Ingested:
        """Take traffic in, from frames or files.

        Parameters
        ----------
        sources
            Frames with a row an answer, or files and folders of them (JSON, CSV, Parquet, Arrow, Excel; ``-`` is standard input).
        fields
            Where our fields lie: ``{"question": "input.query"}``.
        file_format
            jsonl, json, csv, parquet, arrow or excel; auto looks at the content.
        revisions
            Rows that repeat an id with other content correct the row before.
        as_named
            Take a source as it is that has a field under nearly the right name.

        Returns
        -------
        Ingested
            Rows that were read, refused and repaired, with the reasons, and what they added.

        Raises
        ------
        FileError
            For sources that would lose data without a word; nothing is kept of them.
        """
        from annotate.workflow.ingest import receive
        from annotate.workflow.ingest.sources import opened_sources

        folder = self.path.absolute().parent
        with (
            opened_sources(sources, fields, file_format, copies=folder) as opened,
            self.writing(make=True) as store,
        ):
            return receive.traffic(store, opened, who=self.who, now=self.now, revisions=revisions, as_named=as_named)

    def import_scores(
        self,
        source: pd.DataFrame | str | Path,
        *,
        fields: Mapping[str, str] | None = None,
        file_format: str = "auto",
    ) -> ImportedScores:
        """Take other tools' scores in: item_id, judge, value in [0, 1], signature.

        Parameters
        ----------
        source
            A frame, or a file (JSON, CSV, Parquet, Arrow, Excel; ``-`` is standard input), with a row a score.
        fields
            Where our fields lie: ``{"item_id": "metadata.id"}``.
        file_format
            jsonl, json, csv, parquet, arrow or excel; auto looks at the content.

        Returns
        -------
        ImportedScores
            Rows that were read and refused, with the reasons, and how many scores were new.

        Raises
        ------
        UsageError
            Where there is no such file.
        FileError
            Where no reader here reads files of its kind.
        """
        from annotate.workflow.ingest import receive
        from annotate.workflow.ingest.sources import opened_source

        with opened_source(source, fields, file_format) as opened, self.writing() as store:
            return receive.scores(store, opened, who=self.who, now=self.now)

    def import_feedback(
        self,
        source: pd.DataFrame | str | Path,
        *,
        fields: Mapping[str, str] | None = None,
        file_format: str = "auto",
    ) -> ImportedFeedback:
        """Take end users' thumbs in: item_id, value, comment, correction.

        Parameters
        ----------
        source
            A frame, or a file (JSON, CSV, Parquet, Arrow, Excel; ``-`` is standard input), with a row a thumb.
        fields
            Where our fields lie: ``{"item_id": "metadata.id"}``.
        file_format
            jsonl, json, csv, parquet, arrow or excel; auto looks at the content.

        Returns
        -------
        ImportedFeedback
            Rows that were read and refused, with the reasons, how many were new, and the thumbs that the store has now.

        Raises
        ------
        UsageError
            Where there is no such file.
        FileError
            Where no reader here reads files of its kind.
        """
        from annotate.workflow.ingest import receive
        from annotate.workflow.ingest.sources import opened_source

        with opened_source(source, fields, file_format) as opened, self.writing(make=True) as store:
            return receive.feedback(store, opened, who=self.who, now=self.now)

    def import_labels(
        self,
        source: pd.DataFrame | str | Path,
        *,
        fields: Mapping[str, str] | None = None,
        file_format: str = "auto",
    ) -> ImportedLabels:
        """Take labels in: item_id, label (right, wrong, unsure), annotator, reference.

        Parameters
        ----------
        source
            A frame, or a file (JSON, CSV, Parquet, Arrow, Excel; ``-`` is standard input), with a row a label.
        fields
            Where our fields lie: ``{"item_id": "metadata.id"}``.
        file_format
            jsonl, json, csv, parquet, arrow or excel; auto looks at the content.

        Returns
        -------
        ImportedLabels
            Rows that were read and refused, with the reasons, and how far the labelling is now.

        Raises
        ------
        UsageError
            Where there is no such file.
        FileError
            Where no reader here reads files of its kind.
        """
        from annotate.workflow.ingest import receive
        from annotate.workflow.ingest.sources import opened_source

        with opened_source(source, fields, file_format) as opened, self.writing() as store:
            return receive.labels(store, opened, who=self.who, now=self.now)

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

    def quarantine(self, *, repaired: bool = False) -> list[tuple[str, str, int, str, str]]:
        """Return the rows that could not be read, or those of them that have come in repaired since.

        Parameters
        ----------
        repaired
            Return the rows that have come in repaired, in place of those that have not.

        Returns
        -------
        list of tuple
            Stage, source, line, reason and time (ISO 8601 in UTC) of each row, in the order they came.
        """
        with self.reading() as store:
            return store.traffic.quarantine.all(repaired=repaired)

    def export_quarantine(self, file: str, *, repaired: bool = False) -> int:
        """Write the same rows to a .jsonl or .csv file, with what they held; return how many.

        Parameters
        ----------
        file
            A .jsonl or .csv file; ``-`` is standard output.
        repaired
            Write the rows that have come in repaired, in place of those that have not.

        Returns
        -------
        int
            The number of rows.
        """
        from annotate.files import write_rows

        columns = ("stage", "source", "line", "reason", "at", "raw")
        with self.reading() as store:
            return write_rows(file, columns, store.traffic.quarantine.rows(repaired=repaired))
