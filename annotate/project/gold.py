"""The gold set of a project: references that experts wrote or confirmed, reviewed, released and checked against."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from annotate.domain.gold.outcomes import (
    Accepted,
    Edited,
    KeptEntry,
    MarkedEntries,
    Retired,
    TeamPolicy,
    WrittenReference,
)
from annotate.present.answer import Answer, answer_of
from annotate.project.gold_reading import GoldReading

if TYPE_CHECKING:
    import pandas as pd

    from annotate.analysis.gold.regression import Checked
    from annotate.store import Store
    from annotate.workflow.gold.check import CheckRequest
    from annotate.workflow.gold.import_references import ImportedReferences
    from annotate.workflow.gold.release import ReleaseResult
    from annotate.workflow.gold.review import Actor


class ProjectGold(GoldReading):
    """The gold set of a project; called, it returns it as a frame.

    What decides on an entry is kept in its history, in the name of the project's user.
    """

    def import_references(
        self,
        source: pd.DataFrame | str | Path,
        *,
        fields: Mapping[str, str] | None = None,
        file_format: str = "auto",
        encoding: str = "auto",
    ) -> Answer[ImportedReferences]:
        """Take references in as candidates: question or item_id, reference, contexts, annotator.

        Parameters
        ----------
        source
            A frame, a file or a folder of files (JSON, CSV, Parquet, Arrow, Excel; ``-`` is standard input), with a row a
            reference, also as LangSmith, Langfuse, Ragas, DeepEval, promptfoo and OpenAI's evals have it.
        fields
            Where our fields lie: ``{"reference": "expected_output"}``.
        file_format
            jsonl, json, csv, parquet, arrow or excel; auto looks at the content.
        encoding
            Of a file of text, such as ``"cp1252"``; auto goes by its content.

        Returns
        -------
        Answer of ImportedReferences
            Rows that were read and refused, with the reasons, and what became of them.

        Raises
        ------
        UsageError
            Where there is no such file.
        FileError
            Where no reader here reads files of its kind.
        """
        from annotate.analysis.next_step.gold import TO_REVIEW
        from annotate.workflow.gold.import_references import import_gold
        from annotate.workflow.ingest.sources import opened_sources

        with (
            opened_sources([source], fields, file_format, copies=self._access.folder, encoding=encoding) as opened,
            self._access.writing(make=True) as store,
        ):
            result = import_gold(store, opened, who=self._access.who, now=self._access.now)
        return answer_of("ingest.references", self._access.path, result, steps=(TO_REVIEW,))

    def add(
        self,
        item_id: str,
        reference: str,
        *,
        corrects: Sequence[str] = (),
        second: bool = False,
        lacks_knowledge: bool | None = None,
    ) -> Answer[WrittenReference]:
        """Write the reference of a question, which becomes a candidate and corrects the wrong answers that are named.

        Where the question has this very reference already, that one corrects these answers too.

        Parameters
        ----------
        item_id
            The item of a wrong answer to the question.
        reference
            What the system should have said.
        corrects
            Items of other wrong answers to the same question that it corrects, too.
        second
            Write it beside a reference that the question has already.
        lacks_knowledge
            True marks the entry as what no answer can be found for, because the knowledge base lacks it, False takes the mark
            off, None leaves it.

        Returns
        -------
        Answer of WrittenReference
            The gold id, and the wrong answers to the question that still need a reference.

        Raises
        ------
        UsageError
            Where there is no such item, its label is unsure, an item asks something else, or the question has another
            reference already.
        """
        from annotate.analysis.next_step.gold import after_gold_add
        from annotate.domain.gold import GoldSource
        from annotate.workflow.gold import writing

        with self._access.writing() as store:
            items = [store.traffic.items.key(name) for name in (item_id, *corrects)]
            gold_id = writing.write(
                store,
                items,
                reference,
                GoldSource.COMMAND,
                self._actor(),
                known=[entry.gold_id for entry in store.gold.answers.references(items[0])] if second else (),
                lacks_knowledge=lacks_knowledge,
            )
            left = store.traffic.items.ids(store.gold.answers.waiting(items[0]))
        written = WrittenReference(gold_id, tuple(left))
        return answer_of("gold.actions.added", self._access.path, written, steps=after_gold_add(gold_id))

    def accept(
        self, gold_ids: Sequence[str], *, takes_refusals: bool = False, expected: int | None = None
    ) -> Answer[Accepted]:
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
        Answer of Accepted
            How many entries changed, and the number of entries by status.

        Raises
        ------
        UsageError
            Where an entry may not be accepted; then none is.
        """
        from annotate.domain.gold import GoldStatus
        from annotate.workflow.gold import review

        seen = dict.fromkeys(gold_ids, expected)
        with self._access.writing() as store:
            changed = review.set_status(store, seen, GoldStatus.ACCEPTED, self._actor(), takes_refusals=takes_refusals)
            return self._accepted(
                Accepted(changed=changed, counts=store.gold.counts(), test_questions=store.gold.question_counts())
            )

    def accept_all(self) -> Answer[Accepted]:
        """Take every candidate into the gold set that may be accepted unseen; the result names the others.

        Returns
        -------
        Answer of Accepted
            How many entries changed, the number by status, and what was left, with the reasons.
        """
        from annotate.workflow.gold import review

        with self._access.writing() as store:
            return self._accepted(review.accept_all(store, self._actor()))

    def retire(
        self, gold_ids: Sequence[str], *, why: str | None = None, expected: int | None = None
    ) -> Answer[Retired]:
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
        Answer of Retired
            How many entries changed, and the number of entries by status.

        Raises
        ------
        UsageError
            For a gold id that there is not, or where `expected` is not the revision any more.
        """
        from annotate.domain.gold import GoldStatus
        from annotate.workflow.gold import review

        seen = dict.fromkeys(gold_ids, expected)
        with self._access.writing() as store:
            changed = review.set_status(store, seen, GoldStatus.RETIRED, self._actor(), why=why)
            return self._retired(store, changed)

    def retire_all(self, *, why: str | None = None) -> Answer[Retired]:
        """Take every candidate out.

        Parameters
        ----------
        why
            The reason, kept in their history.

        Returns
        -------
        Answer of Retired
            How many entries changed, and the number of entries by status.
        """
        from annotate.workflow.gold import review

        with self._access.writing() as store:
            changed = review.retire_all(store, self._actor(), why=why)
            return self._retired(store, changed)

    def edit(
        self, gold_id: str, reference: str, *, why: str | None = None, expected: int | None = None
    ) -> Answer[Edited]:
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
        Answer of Edited
            Whether the entry changed, and its status: a candidate again where the new reference must be accepted anew.

        Raises
        ------
        UsageError
            For a gold id that there is not, or where `expected` is not the revision any more.
        """
        from annotate.domain.gold import GoldSource
        from annotate.workflow.gold import review

        with self._access.writing() as store:
            changed = review.edit(
                store, gold_id, reference, GoldSource.COMMAND, self._actor(), why=why, expected=expected
            )
            [entry] = review.known(store, [gold_id])
            return answer_of("gold.actions.edited", self._access.path, Edited(gold_id, changed, entry.status))

    def keep(self, gold_id: str, *, why: str | None = None, expected: int | None = None) -> Answer[KeptEntry]:
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
        Answer of KeptEntry
            Whether there was a flag.

        Raises
        ------
        UsageError
            For a gold id that there is not, or where `expected` is not the revision any more.
        """
        from annotate.workflow.gold import review

        with self._access.writing() as store:
            changed = review.keep(store, gold_id, self._actor(), why=why, expected=expected)
        return answer_of("gold.actions.kept", self._access.path, KeptEntry(gold_id, changed))

    def mark(self, gold_ids: Sequence[str], *, lacks_knowledge: bool) -> Answer[MarkedEntries]:
        """Mark entries as what the knowledge base lacks, or take the mark off.

        Parameters
        ----------
        gold_ids
            The entries.
        lacks_knowledge
            True marks them, False takes the mark off.

        Returns
        -------
        Answer of MarkedEntries
            How many marks changed, and how many entries have the mark now.

        Raises
        ------
        UsageError
            For a gold id that there is not.
        """
        from annotate.workflow.gold import review

        with self._access.writing() as store:
            changed = review.mark(store, gold_ids, lacks_knowledge, self._actor())
            return answer_of(
                "gold.actions.marked", self._access.path, MarkedEntries(changed, store.gold.count_lacking())
            )

    def policy(
        self, *, second_person: bool | None = None, traffic_references: bool | None = None
    ) -> Answer[TeamPolicy]:
        """Set what the team asks for, where it is given, and return what holds now.

        Parameters
        ----------
        second_person
            Nobody accepts a reference that they wrote themselves.
        traffic_references
            References that came with the traffic become candidates.

        Returns
        -------
        Answer of TeamPolicy
            What holds now.
        """
        from annotate.store.audit.policies import Policy
        from annotate.workflow.gold import review

        wanted = {Policy.SECOND_PERSON: second_person, Policy.TRAFFIC_REFERENCES: traffic_references}
        is_question = second_person is None and traffic_references is None
        with self._access.reading() if is_question else self._access.writing() as store:
            for policy, is_on in wanted.items():
                if is_on is not None:
                    review.set_policy(store, policy, is_on, self._actor())
            return answer_of(
                "gold.actions.policy", self._access.path, TeamPolicy(*map(store.audit.policies.is_on, wanted))
            )

    def release(
        self,
        name: str,
        *,
        test: float = 0.6,
        calibration: float = 0.3,
        examples: float = 0.1,
        with_doubts: bool = False,
    ) -> Answer[ReleaseResult]:
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
        Answer of Made
            The release, its entries by role, and what was left out.

        Raises
        ------
        UsageError
            Where the name is taken or too long, the shares do not sum to 1, or there is nothing to release.
        """
        from annotate.analysis.next_step.gold import after_gold_release
        from annotate.domain.gold.splits import Shares
        from annotate.workflow.gold import release

        shares = Shares(test=test, calibration=calibration, examples=examples)
        with self._access.writing() as store:
            made = release.release(
                store, name, shares, with_doubts=with_doubts, who=self._access.who, now=self._access.now
            )
        return answer_of(
            "gold.actions.released", self._access.path, made, steps=after_gold_release(made.flagged + made.conflicting)
        )

    def check(self, request: CheckRequest) -> Answer[Checked]:
        """Check a system's new answers against the gold set: what broke, what was fixed, and whether it is worse.

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
        from annotate.analysis.next_step.gold import after_gold_check
        from annotate.workflow.gold import check

        with self._access.writing(sends=request.model is not None) as store:
            result = check.check(store, request, who=self._access.who, clock=lambda: self._access.now)
        return answer_of("gold.check.document", self._access.path, result, steps=after_gold_check(result))

    def _actor(self) -> Actor:
        from annotate.workflow.gold.review import Actor

        return Actor(self._access.who, self._access.now)

    def _accepted(self, done: Accepted) -> Answer[Accepted]:
        from annotate.analysis.next_step.gold import after_gold_accept

        return answer_of("gold.actions.accepted", self._access.path, done, steps=after_gold_accept(done))

    def _retired(self, store: Store, changed: int) -> Answer[Retired]:
        counts, questions = store.gold.counts(), store.gold.question_counts()
        return answer_of(
            "gold.actions.retired", self._access.path, Retired(changed=changed, counts=counts, test_questions=questions)
        )
