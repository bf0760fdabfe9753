"""Bring in scores, feedback and labels."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from annotate.present.answer import Answer, answer_of
from annotate.project.store_access import StoreAccess

if TYPE_CHECKING:
    import pandas as pd

    from annotate.workflow.ingest.receive import ImportedFeedback, ImportedLabels, ImportedScores


class ImportMethods(StoreAccess):
    """What a project does to bring in what belongs to answers."""

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
        effect = result.effect
        return answer_of(
            "ingest.scores", self.path, result, steps=after_import(effect.rule, effect.unread, effect.lacks)
        )

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
        return answer_of("ingest.feedback", self.path, result)

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
        from annotate.analysis.next_step.labelling import after_import
        from annotate.workflow.ingest import receive
        from annotate.workflow.ingest.sources import opened_source

        with (
            opened_source(source, fields, file_format, copies=self.folder, encoding=encoding) as opened,
            self.writing() as store,
        ):
            result = receive.labels(store, opened, who=self.who, now=self.now, words=words or {})
        steps = after_import(result.progress, result.disagreements, result.hand_picked, self.way)
        return answer_of("ingest.labels", self.path, result, steps=steps)
