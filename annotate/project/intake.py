"""Bring in traffic."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import nullcontext
from pathlib import Path
from tempfile import gettempdir
from typing import TYPE_CHECKING

from annotate.present.answer import Answer, answer_of
from annotate.project.store_access import StoreAccess

if TYPE_CHECKING:
    import pandas as pd

    from annotate.workflow.ingest.receive import Ingested


class IntakeMethods(StoreAccess):
    """What a project does to bring traffic in."""

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
            Rows that repeat an id with other content correct the row before, and spans those that are here.
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
                return answer_of("ingest.traffic", self.path, result)
            is_new = not self.path.exists()
            if is_new:
                receive.check(None, recognised, paths=paths, revisions=revisions, as_named=as_named)
            with self.writing(make=True) as store:
                if not is_new:
                    receive.check(store, recognised, paths=paths, revisions=revisions, as_named=as_named)
                result = receive.traffic(
                    store,
                    recognised,
                    who=self.who,
                    now=self.now,
                    scales=read_scales(scales or {}),
                    revisions=revisions,
                )
        effect = result.effect
        return answer_of(
            "ingest.traffic", self.path, result, steps=after_import(effect.rule, effect.unread, effect.lacks)
        )

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
        effect = result.effect
        return answer_of(
            "ingest.traffic", self.path, result, steps=after_import(effect.rule, effect.unread, effect.lacks)
        )
