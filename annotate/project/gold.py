"""The gold set of a project: references that people wrote or confirmed, reviewed, released and checked against."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from annotate.domain.gold.outcomes import Accepted, Edited, Exported, Kept, Marked, Retired, TeamPolicy
from annotate.present.answer import Answer
from annotate.project.frames import frame
from proxy.errors import UsageError

if TYPE_CHECKING:
    import pandas as pd

    from annotate.analysis.gold.regression import Checked
    from annotate.analysis.gold.review import GoldEntries, NearDuplicates, Waiting
    from annotate.domain.gold import GoldEntry, GoldStatus
    from annotate.domain.gold.entries import GoldRevision
    from annotate.domain.gold.release import Difference, Release
    from annotate.project.project import Project
    from annotate.workflow.gold.check import CheckRequest
    from annotate.workflow.gold.import_references import ImportedReferences
    from annotate.workflow.gold.release import Made
    from annotate.workflow.gold.review import Actor


class ProjectGold:
    """The gold set of a project; called, it returns it as a frame.

    What decides on an entry is kept in its history, in the name of the project's user.
    """

    def __init__(self, project: Project) -> None:
        self._project = project

    def __call__(self) -> pd.DataFrame:
        """Return every entry, with where it comes from.

        Returns
        -------
        pandas.DataFrame
            One row an entry, of every status.
        """
        from annotate.domain.gold.export import EXPORT_COLUMNS
        from annotate.workflow.gold.export import rows

        with self._project.reading() as store:
            return frame(rows(store, None), EXPORT_COLUMNS)

    # what only reads

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

        with self._project.reading() as store:
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
        with self._project.reading() as store:
            return store.gold.get(gold_id)

    def counts(self) -> dict[GoldStatus, int]:
        """Count the entries by status.

        Returns
        -------
        dict
            The number of entries by status.
        """
        with self._project.reading() as store:
            return store.gold.counts()

    def review(self) -> list[Waiting]:
        """Return what waits for a person: flagged entries and candidates, with what speaks against them.

        Returns
        -------
        list of Waiting
            Each entry with its question and its doubts in words.
        """
        from annotate.analysis.gold import review

        with self._project.reading() as store:
            return review.waiting(store)

    def duplicates(self) -> NearDuplicates:
        """Return the pairs of entries that ask nearly the same, conflicts first.

        Returns
        -------
        NearDuplicates
            The pairs, and their entries by gold id.
        """
        from annotate.analysis.gold import review

        with self._project.reading() as store:
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
        with self._project.reading() as store:
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
        with self._project.reading() as store:
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

        with self._project.reading() as store:
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
            For which tool: jsonl, ragas, deepeval, langfuse, promptfoo, openai or hf.

        Returns
        -------
        Exported
            How many entries were written, and how many candidates were left out.

        Raises
        ------
        UsageError
            Where `status` and `release` are both given, `role` comes without `release`, or there is no such release.
        """
        from annotate.domain.gold import GoldRole, GoldStatus
        from annotate.workflow.gold import export
        from annotate.workflow.gold import release as releases
        from annotate.workflow.gold.export_formats import write

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

        with self._project.reading() as store:
            rows = (
                releases.rows(store, release, GoldRole(role) if role else None)
                if release
                else export.rows(store, chosen)
            )
            return Exported(
                file=file,
                rows=write(file, target, noted(rows)),
                forgotten=len(forgotten),
                candidates=store.gold.counts()[GoldStatus.CANDIDATE] if leaves_candidates else 0,
            )

    # what changes it

    def import_references(
        self,
        source: pd.DataFrame | str | Path,
        *,
        fields: Mapping[str, str] | None = None,
        file_format: str = "auto",
    ) -> ImportedReferences:
        """Take references in as candidates: question or item_id, reference, contexts, annotator.

        Parameters
        ----------
        source
            A frame, or a file (JSONL, CSV, Parquet; ``-`` is standard input), with a row a reference.
        fields
            Where our fields lie: ``{"reference": "expected_output"}``.
        file_format
            jsonl, csv or parquet; auto looks at the content.

        Returns
        -------
        ImportedReferences
            Rows that were read and refused, with the reasons, and what became of them.

        Raises
        ------
        UsageError
            Where there is no such file.
        FileError
            Where no reader here reads files of its kind.
        """
        from annotate.workflow.gold.import_references import import_gold
        from annotate.workflow.ingest.sources import opened_sources

        with opened_sources([source], fields, file_format) as [opened], self._project.writing(make=True) as store:
            return import_gold(store, opened, who=self._project.who, now=self._project.now)

    def add(self, item_id: str, reference: str, *, lacks_knowledge: bool | None = None) -> str:
        """Write the reference of an item, which becomes a candidate; return its gold id.

        `lacks_knowledge` marks what no answer can be found for, because the knowledge base lacks it.

        Parameters
        ----------
        item_id
            The item.
        reference
            What the system should have said.
        lacks_knowledge
            True marks the entry, False takes the mark off, None leaves it.

        Returns
        -------
        str
            The gold id.

        Raises
        ------
        UsageError
            Where there is no such item, its label is unsure, or it has another reference already.
        """
        from annotate.domain.gold import GoldSource
        from annotate.workflow.gold import review

        with self._project.writing() as store:
            item = store.traffic.items.key(item_id)
            return review.write(
                store, item, item_id, reference, GoldSource.COMMAND, self._actor(), lacks_knowledge=lacks_knowledge
            )

    def accept(self, gold_ids: Sequence[str], *, takes_refusals: bool = False, expected: int | None = None) -> Accepted:
        """Take candidates into the gold set.

        Parameters
        ----------
        gold_ids
            The entries.
        takes_refusals
            Take references that refuse to answer, too.
        expected
            The revision that was seen; UsageError where it is another by now.

        Returns
        -------
        Accepted
            How many entries changed, and the number of entries by status.

        Raises
        ------
        UsageError
            Where an entry may not be accepted; then none is.
        """
        from annotate.domain.gold import GoldStatus
        from annotate.workflow.gold import review

        seen = dict.fromkeys(gold_ids, expected)
        with self._project.writing() as store:
            changed = review.set_status(store, seen, GoldStatus.ACCEPTED, self._actor(), takes_refusals=takes_refusals)
            return Accepted(changed=changed, counts=store.gold.counts())

    def accept_all(self) -> Accepted:
        """Take every candidate into the gold set that may be accepted unseen; the result names the others.

        Returns
        -------
        Accepted
            How many entries changed, the number by status, and what was left, with the reasons.
        """
        from annotate.workflow.gold import review

        with self._project.writing() as store:
            return review.accept_all(store, self._actor())

    def retire(self, gold_ids: Sequence[str], *, why: str | None = None, expected: int | None = None) -> Retired:
        """Take entries out of the gold set, where their history is kept.

        Parameters
        ----------
        gold_ids
            The entries.
        why
            The reason, kept in their history.
        expected
            The revision that was seen; None: whichever is there.

        Returns
        -------
        Retired
            How many entries changed, and the number of entries by status.

        Raises
        ------
        UsageError
            For a gold id that there is not, or where `expected` is not the revision any more.
        """
        from annotate.domain.gold import GoldStatus
        from annotate.workflow.gold import review

        seen = dict.fromkeys(gold_ids, expected)
        with self._project.writing() as store:
            changed = review.set_status(store, seen, GoldStatus.RETIRED, self._actor(), why=why)
            return Retired(changed, store.gold.counts())

    def retire_all(self, *, why: str | None = None) -> Retired:
        """Take every candidate out.

        Parameters
        ----------
        why
            The reason, kept in their history.

        Returns
        -------
        Retired
            How many entries changed, and the number of entries by status.
        """
        from annotate.workflow.gold import review

        with self._project.writing() as store:
            return Retired(review.retire_all(store, self._actor(), why=why), store.gold.counts())

    def edit(self, gold_id: str, reference: str, *, why: str | None = None, expected: int | None = None) -> Edited:
        """Replace the reference of an entry, if `expected` is still its revision.

        Parameters
        ----------
        gold_id
            The entry.
        reference
            What it is to say; it may not be empty.
        why
            The reason, kept in its history.
        expected
            The revision that was seen; None: whichever is there.

        Returns
        -------
        Edited
            Whether the entry changed, and its status: a candidate again where the new reference must be accepted anew.

        Raises
        ------
        UsageError
            For a gold id that there is not, or where `expected` is not the revision any more.
        """
        from annotate.domain.gold import GoldSource
        from annotate.workflow.gold import review

        with self._project.writing() as store:
            changed = review.edit(
                store, gold_id, reference, GoldSource.COMMAND, self._actor(), why=why, expected=expected
            )
            [entry] = review.known(store, [gold_id])
            return Edited(gold_id, changed, entry.status)

    def keep(self, gold_id: str, *, why: str | None = None, expected: int | None = None) -> Kept:
        """Take the flag off an entry that stays as it is.

        Parameters
        ----------
        gold_id
            The entry.
        why
            The reason, kept in its history.
        expected
            The revision that was seen; None: whichever is there.

        Returns
        -------
        Kept
            Whether there was a flag.

        Raises
        ------
        UsageError
            For a gold id that there is not, or where `expected` is not the revision any more.
        """
        from annotate.workflow.gold import review

        with self._project.writing() as store:
            return Kept(gold_id, review.keep(store, gold_id, self._actor(), why=why, expected=expected))

    def mark(self, gold_ids: Sequence[str], *, lacks_knowledge: bool) -> Marked:
        """Mark entries as what the knowledge base lacks, or take the mark off.

        Parameters
        ----------
        gold_ids
            The entries.
        lacks_knowledge
            True marks them, False takes the mark off.

        Returns
        -------
        Marked
            How many marks changed, and how many entries have the mark now.

        Raises
        ------
        UsageError
            For a gold id that there is not.
        """
        from annotate.workflow.gold import review

        with self._project.writing() as store:
            changed = review.mark(store, gold_ids, lacks_knowledge, self._actor())
            return Marked(changed, store.gold.count_lacking())

    def policy(self, *, second_person: bool | None = None, traffic_references: bool | None = None) -> TeamPolicy:
        """Set what the team asks for, where it is given, and return what holds now.

        Parameters
        ----------
        second_person
            Nobody accepts a reference that they wrote themselves.
        traffic_references
            References that came with the traffic become candidates.

        Returns
        -------
        TeamPolicy
            What holds now.
        """
        from annotate.store.audit.policies import Policy
        from annotate.workflow.gold import review

        wanted = {Policy.SECOND_PERSON: second_person, Policy.TRAFFIC_REFERENCES: traffic_references}
        with self._project.writing() as store:
            for policy, is_on in wanted.items():
                if is_on is not None:
                    review.set_policy(store, policy, is_on, self._actor())
            return TeamPolicy(*map(store.audit.policies.is_on, wanted))

    def release(
        self,
        name: str,
        *,
        test: float = 0.6,
        calibration: float = 0.3,
        examples: float = 0.1,
        with_doubts: bool = False,
    ) -> Made:
        """Make a release of what is accepted: named, hashed, never changed.

        Parameters
        ----------
        name
            Its name.
        test, calibration, examples
            The shares of clusters of new questions that get each role.
        with_doubts
            Also what is flagged or in conflict.

        Returns
        -------
        Made
            The release, its entries by role, and what was left out.

        Raises
        ------
        UsageError
            Where the name is taken or too long, the shares do not make 1, or there is nothing to release.
        """
        from annotate.domain.gold.splits import Shares
        from annotate.workflow.gold import release

        shares = Shares(test=test, calibration=calibration, examples=examples)
        with self._project.writing() as store:
            return release.release(
                store, name, shares, with_doubts=with_doubts, who=self._project.who, now=self._project.now
            )

    def check(self, request: CheckRequest) -> Answer[Checked]:
        """Check a system's new answers against the gold set: what broke, what was mended, and whether it is worse.

        Parameters
        ----------
        request
            The system, the entries, the judge and its threshold.

        Returns
        -------
        Answer of Checked
            What became of each entry, and the shares of right answers before and now.

        Raises
        ------
        UsageError
            For a system, a release or a judge that is not there.
        """
        from annotate.analysis.next_step import after_gold_check
        from annotate.present import gold_check
        from annotate.workflow.gold import check

        with self._project.writing(sends=request.model is not None) as store:
            result = check.check(store, request, who=self._project.who, clock=lambda: self._project.now)
        return Answer(result, gold_check.document(result, after_gold_check(result)), "gold_check")

    def _actor(self) -> Actor:
        from annotate.workflow.gold.review import Actor

        return Actor(self._project.who, self._project.now)
