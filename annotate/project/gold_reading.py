"""Read the gold set of a project: entries, what waits for review, releases and exports."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from annotate.domain.gold.outcomes import Exported
from annotate.project.frames import frame
from annotate.project.store_access import StoreAccess
from proxy.errors import UsageError

if TYPE_CHECKING:
    import pandas as pd

    from annotate.analysis.gold.review import GoldEntries, NearDuplicates, WaitingEntry
    from annotate.domain.gold import GoldEntry, GoldStatus
    from annotate.domain.gold.entries import GoldRevision
    from annotate.domain.gold.release import Difference, Release


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

    def entries(self, status: str | None = None) -> GoldEntries:
        """Return the entries, of one status or all, and the wrong items that still need a reference.

        Parameters
        ----------
        status
            candidate, accepted or retired; None: all.

        Returns
        -------
        GoldEntries
            The entries with their questions, and the items without a reference.
        """
        from annotate.analysis.gold import review
        from annotate.domain.gold import GoldStatus

        with self._access.reading() as store:
            return review.entries(store, GoldStatus(status) if status else None)

    def get(self, gold_id: str) -> GoldEntry | None:
        """Return the entry with this id.

        Parameters
        ----------
        gold_id
            The entry.

        Returns
        -------
        GoldEntry or None
            None where there is no such entry.
        """
        with self._access.reading() as store:
            return store.gold.get(gold_id)

    def counts(self) -> dict[GoldStatus, int]:
        """Count the entries by status.

        Returns
        -------
        dict
            The number of entries by status.
        """
        with self._access.reading() as store:
            return store.gold.counts()

    def review(self) -> list[WaitingEntry]:
        """Return what waits for a person: flagged entries and candidates, with what speaks against them.

        Returns
        -------
        list of WaitingEntry
            Each entry with its question and its doubts in words.
        """
        from annotate.analysis.gold import review

        with self._access.reading() as store:
            return review.waiting(store)

    def duplicates(self) -> NearDuplicates:
        """Return the pairs of entries that ask nearly the same, conflicts first.

        Returns
        -------
        NearDuplicates
            The pairs, and their entries by gold id.
        """
        from annotate.analysis.gold import review

        with self._access.reading() as store:
            return review.near_duplicates(store)

    def history(self, gold_id: str) -> list[GoldRevision]:
        """Return each revision of an entry, oldest first.

        Parameters
        ----------
        gold_id
            The entry.

        Returns
        -------
        list of GoldRevision
            At least one.

        Raises
        ------
        UsageError
            Where there is no such entry.
        """
        with self._access.reading() as store:
            revisions = store.gold.revisions(gold_id)
        if not revisions:
            raise UsageError(f"there is no gold entry {gold_id}: see `assay gold list`")
        return revisions

    def releases(self) -> list[Release]:
        """Return every release, oldest first.

        Returns
        -------
        list of Release
            Empty where nothing was released.
        """
        with self._access.reading() as store:
            return store.gold.releases.all()

    def diff(self, before: str, after: str) -> Difference:
        """Compare two releases, by gold id.

        Parameters
        ----------
        before, after
            Names of two releases.

        Returns
        -------
        Difference
            Gold ids that were added, removed or changed, or have another role or mark.

        Raises
        ------
        UsageError
            For a name that no release has.
        """
        from annotate.domain.gold.release import difference

        with self._access.reading() as store:
            return difference(store.gold.releases.entries(before), store.gold.releases.entries(after))

    def export(
        self,
        file: str,
        *,
        status: str | None = None,
        release: str | None = None,
        role: str | None = None,
        target: str = "jsonl",
    ) -> Exported:
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
            For which tool: jsonl, ragas, deepeval, langfuse, langsmith, promptfoo, openai or hf.

        Returns
        -------
        Exported
            How many entries were written, what the form could not hold, and how many candidates were left out.

        Raises
        ------
        UsageError
            Where `status` and `release` are both given, `role` comes without `release`, or there is no such release.
        """
        from annotate.domain.gold import GoldRole, GoldStatus
        from annotate.workflow.gold import export
        from annotate.workflow.gold import release as releases
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
            return Exported(
                file=file,
                **written._asdict(),
                forgotten=len(forgotten),
                candidates=store.gold.counts()[GoldStatus.CANDIDATE] if leaves_candidates else 0,
            )
