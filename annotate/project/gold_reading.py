"""Read the gold set of a project: entries, what waits for review, releases and exports."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from annotate.domain.gold.outcomes import Exported
from annotate.present.answer import Answer, answer_of
from annotate.project.frames import frame
from annotate.project.store_access import StoreAccess
from proxy.errors import UsageError

if TYPE_CHECKING:
    import pandas as pd

    from annotate.analysis.gold.regression import Checked
    from annotate.analysis.gold.review import GoldEntries, NearDuplicates, WaitingEntry
    from annotate.domain.gold.release import Difference, Release
    from annotate.present.gold.lists import History
    from annotate.workflow.gold.pipeline import Pipeline


# How a pipeline is called whose answers are not in the store.
PIPELINE = "pipeline"


class GoldReading:
    """What only reads the gold set of a project; called, it returns it as a frame."""

    def __init__(self, access: StoreAccess) -> None:
        self._access = access

    def __call__(self) -> pd.DataFrame:
        """Return every entry, with where it comes from.

        Returns
        -------
        pandas.DataFrame
            One row an entry, of every status.
        """
        from annotate.domain.gold.release import EXPORT_COLUMNS
        from annotate.workflow.gold.export import rows

        with self._access.reading() as store:
            return frame(rows(store, None), EXPORT_COLUMNS)

    def entries(self, status: str | None = None) -> Answer[GoldEntries]:
        """Return the entries, of one status or all, and the wrong items that still need a reference.

        Parameters
        ----------
        status
            candidate, accepted or retired; None: all.

        Returns
        -------
        Answer of GoldEntries
            The entries with their questions, and the items without a reference.
        """
        from annotate.analysis.gold import review
        from annotate.domain.gold import GoldStatus

        with self._access.reading() as store:
            entries = review.entries(store, GoldStatus(status) if status else None)
        return answer_of("gold.lists.entries", self._access.path, entries)

    def review(self) -> Answer[list[WaitingEntry]]:
        """Return what waits for a person: flagged entries and candidates, with what speaks against them.

        Returns
        -------
        Answer of list of WaitingEntry
            Each entry with its question and its doubts in words.
        """
        from annotate.analysis.gold import review
        from annotate.analysis.next_step.gold import after_gold_review

        with self._access.reading() as store:
            waiting = review.waiting(store)
        return answer_of("gold.lists.waiting", self._access.path, waiting, steps=after_gold_review(len(waiting)))

    def duplicates(self) -> Answer[NearDuplicates]:
        """Return the pairs of entries that ask nearly the same, conflicts first.

        Returns
        -------
        Answer of NearDuplicates
            The pairs, and their entries by gold id.
        """
        from annotate.analysis.gold import review

        with self._access.reading() as store:
            pairs = review.near_duplicates(store)
        return answer_of("gold.lists.duplicates", self._access.path, pairs)

    def history(self, gold_id: str) -> Answer[History]:
        """Return each revision of an entry, oldest first.

        Parameters
        ----------
        gold_id
            The entry.

        Returns
        -------
        Answer of History
            Its revisions, at least one.

        Raises
        ------
        UsageError
            Where there is no such entry.
        """
        from annotate.present.gold.lists import History

        with self._access.reading() as store:
            revisions = store.gold.revisions(gold_id)
        if not revisions:
            raise UsageError(f"there is no gold entry {gold_id}: see `assay gold list`")
        return answer_of("gold.lists.history", self._access.path, History(gold_id, revisions))

    def releases(self) -> Answer[list[Release]]:
        """Return every release, oldest first.

        Returns
        -------
        Answer of list of Release
            Empty where nothing was released.
        """
        with self._access.reading() as store:
            return answer_of("gold.lists.releases", self._access.path, store.gold.releases.all())

    def diff(self, before: str, after: str) -> Answer[Difference]:
        """Compare two releases, by gold id.

        Parameters
        ----------
        before, after
            Names of two releases.

        Returns
        -------
        Answer of Difference
            Gold ids that were added, removed or changed, or have another role or mark.

        Raises
        ------
        UsageError
            For a name that no release has.
        """
        from annotate.domain.gold.release import difference

        with self._access.reading() as store:
            changes = difference(store.gold.releases.entries(before), store.gold.releases.entries(after))
        return answer_of("gold.lists.difference", self._access.path, changes, before=before, after=after)

    def check_pipeline(
        self,
        pipeline: Pipeline,
        *,
        release: str | None = None,
        role: str = "test",
        judge: str | None = None,
        threshold: float | None = None,
    ) -> Answer[Checked]:
        """Ask a pipeline the gold questions, and check its answers as `check` does; nothing is written.

        Parameters
        ----------
        pipeline
            Called with each question and the turns before it (objects with role and text), and returns its answer as text.
        role, release
            Against which entries: those of this role, as they are now or as a release holds them.
        judge
            An offline judge by name, for answers that are in other words than any that is known; None: the one that labels show
            to be best, or `correctness_vs_reference`.
        threshold
            An answer is right above this score; None: the default.

        Returns
        -------
        Answer of Checked
            What became of each entry, and the shares of right answers before and now. What the pipeline raises comes through.

        Raises
        ------
        UsageError
            For a release or a judge that is not there, or a pipeline that returns no text.
        """
        from annotate.analysis.next_step.gold import after_gold_check
        from annotate.workflow.gold.check import CheckRequest, check_offline
        from annotate.workflow.gold.pipeline import ask

        with self._access.reading() as store:
            entries = store.gold.checks.entries(role, release)
        # No connection is open while the pipeline works, which may take long.
        request = CheckRequest(
            system=PIPELINE,
            judge=judge,
            threshold=threshold,
            role=role,
            release=release,
            answers=ask(pipeline, entries),
        )
        with self._access.reading() as store:
            result = check_offline(store, request)
        return answer_of("gold.check.document", self._access.path, result, steps=after_gold_check(result))

    def export(
        self,
        file: str,
        *,
        status: str | None = None,
        release: str | None = None,
        role: str | None = None,
        target: str = "jsonl",
    ) -> Answer[Exported]:
        """Write the gold set, with where each entry comes from.

        Parameters
        ----------
        file
            The file, or the folder of a Hugging Face data set; ``-`` is standard output.
        status
            accepted (the default), candidate, retired or all: entries as they stand.
        release, role
            The entries of this release as they were released, and of one role.
        target
            For which tool: jsonl, ragas, deepeval, langfuse, langsmith, phoenix, promptfoo, openai or hf.

        Returns
        -------
        Answer of Exported
            How many entries were written, what the form could not hold, and how many candidates were left out.

        Raises
        ------
        UsageError
            Where `status` and `release` are both given, `role` comes without `release`, or there is no such release.
        """
        from annotate.analysis.gold import release as releases
        from annotate.analysis.next_step.gold import after_gold_export
        from annotate.domain.gold import GoldRole, GoldStatus
        from annotate.workflow.gold import export
        from annotate.workflow.gold.export_formats import write
        from annotate.workflow.leaving import masked_rows

        if release and status:
            raise UsageError("a release holds what was accepted: leave --status out")
        if role and not release:
            raise UsageError("roles are fixed by a release: name one with --release (`assay gold releases`)")
        chosen = None if status == "all" else GoldStatus(status or GoldStatus.ACCEPTED)
        leaves_candidates = not release and chosen is GoldStatus.ACCEPTED
        forgotten: list[object] = []

        def noted(rows: Iterator[Mapping[str, object]]) -> Iterator[Mapping[str, object]]:
            for row in rows:
                if row["forgotten"]:
                    forgotten.append(row["gold_id"])
                yield row

        with self._access.reading() as store:
            rows = (
                releases.rows(store, release, GoldRole(role) if role else None)
                if release
                else export.rows(store, chosen)
            )
            written = write(file, target, masked_rows(store, noted(rows)))
            done = Exported(
                file=file,
                **written._asdict(),
                forgotten=len(forgotten),
                candidates=store.gold.counts()[GoldStatus.CANDIDATE] if leaves_candidates else 0,
            )
        return answer_of("gold.actions.exported", self._access.path, done, steps=after_gold_export(done))
