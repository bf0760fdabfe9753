"""The labels of a project: what annotators say, and what is adjudicated where they disagree."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from annotate.present.answer import Answer, answer_of
from annotate.project.frames import frame
from annotate.project.store_access import StoreAccess
from proxy.errors import UsageError

if TYPE_CHECKING:
    import pandas as pd

    from annotate.analysis.labelling.rows import AnnotatorActivity, WaitingCases
    from annotate.present.actions import WrittenFile
    from annotate.present.labels import ItemHistory
    from annotate.store import Store
    from annotate.store.labels.opposite_labels import LabelledItem
    from annotate.workflow.labelling.adjudicate import Adjudicated


class ProjectLabels:
    """The labels of a project; called, it returns them as a frame."""

    def __init__(self, access: StoreAccess) -> None:
        self._access = access

    def __call__(self) -> pd.DataFrame:
        """Return the label of every item that has one, with what it rests on.

        Returns
        -------
        pandas.DataFrame
            One row an item, with its label, who gave it, the reference, causes and harm.
        """
        from annotate.analysis.labelling.rows import LABEL_COLUMNS, label_rows

        with self._access.reading() as store:
            return frame(label_rows(store), LABEL_COLUMNS)

    def export(self, file: str, *, annotations: bool = False, revisions: bool = False) -> Answer[WrittenFile]:
        """Write the label of every item, or all annotations, to a .jsonl or .csv file.

        Parameters
        ----------
        file
            The file; ``-`` is standard output.
        annotations
            What each annotator says now, one row an annotation, deleted ones too.
        revisions
            With `annotations`: every revision, in the order in which they came.

        Returns
        -------
        Answer of WrittenFile
            The file and its number of rows.

        Raises
        ------
        UsageError
            Where the file's name does not end in .jsonl or .csv, or `revisions` comes without `annotations`.
        """
        from annotate.analysis.labelling import rows
        from annotate.present.actions import WrittenFile
        from annotate.workflow.leaving import write_masked

        if revisions and not annotations:
            raise UsageError("--revisions goes with --annotations: a label has none")
        with self._access.reading() as store:
            if annotations:
                every = store.labels.every(revisions=revisions)
                count = write_masked(store, file, rows.ANNOTATION_COLUMNS, rows.annotation_rows(every))
            else:
                count = write_masked(store, file, rows.LABEL_COLUMNS, rows.label_rows(store))
        what = "revisions" if revisions else "annotations" if annotations else "labels"
        return answer_of("actions.exported", self._access.path, WrittenFile(file, count), what=what)

    def history(self, item_id: str) -> Answer[ItemHistory]:
        """Return every revision of every annotation of an item, in the order in which they came.

        Parameters
        ----------
        item_id
            The item.

        Returns
        -------
        Answer of ItemHistory
            Its revisions; none where nobody has read the item.

        Raises
        ------
        UsageError
            Where there is no such item.
        """
        from annotate.present.labels import ItemHistory

        with self._access.reading() as store:
            revisions = store.labels.history(item_id)
            if not revisions and not store.traffic.items.keys([item_id]):
                raise UsageError(f"there is no item {item_id}")
        return answer_of("labels.history", self._access.path, ItemHistory(item_id, revisions))

    def annotators(self) -> Answer[AnnotatorActivity]:
        """Summarise how each annotator labels, and what happened to annotations.

        Returns
        -------
        Answer of AnnotatorActivity
            Counts and times by annotator.
        """
        from annotate.analysis.labelling.rows import activity

        with self._access.reading() as store:
            return answer_of("labels.annotators", self._access.path, activity(store))

    def disagreements(self) -> Answer[WaitingCases]:
        """Return what waits for a person to adjudicate it, the most urgent first.

        Returns
        -------
        Answer of WaitingCases
            The cases with their items; `opposite` labels on the same answer to the same question stand beside them.
        """
        from annotate.analysis.labelling.rows import disagreements
        from annotate.analysis.next_step.labelling import adjudicate_one
        from annotate.workflow.labelling.assign import draws_without_annotator

        with self._access.reading() as store:
            waiting = disagreements(store, draws_without_annotator(store))
        steps = adjudicate_one([case.item_id for case in waiting.cases])
        return answer_of("labels.disagreements", self._access.path, waiting, steps=steps)

    def opposite(self) -> Answer[list[tuple[LabelledItem, ...]]]:
        """Return the items that hold the same answer to the same question and have opposite labels, in groups.

        Returns
        -------
        Answer of list of tuple of LabelledItem
            One tuple a group.
        """
        from annotate.analysis.next_step.labelling import adjudicate_one

        with self._access.reading() as store:
            groups = store.labels.opposite_labels.groups()
        steps = adjudicate_one([item.item_id for group in groups for item in group])
        return answer_of("labels.opposite", self._access.path, groups, steps=steps)

    def adjudicate(
        self,
        item_id: str,
        label: str,
        *,
        why: str,
        reference: str | None = None,
        reference_of: str | None = None,
        causes: Sequence[str] = (),
        harm: str | None = None,
    ) -> Answer[Adjudicated]:
        """Adjudicate an item; the label counts at once.

        Parameters
        ----------
        item_id
            The item.
        label
            right, wrong or unsure; unsure leaves the item open.
        why
            The reason, which is kept with the label.
        reference
            What the system should have said, where it is wrong.
        reference_of
            Take the reference of this annotator instead: A, B …, as `disagreements` names them.
        causes, harm
            Why it is wrong, and how harmful that could be.

        Returns
        -------
        Answer of Adjudicated
            The label as it is now, and how many items still wait.

        Raises
        ------
        UsageError
            Where the project's user is one of the item's annotators, or the case has changed.
        """
        from annotate.domain.adjudication import Decision
        from annotate.workflow.labelling import adjudicate
        from proxy.records import Judgement

        if reference and reference_of:
            raise UsageError("give --reference or --annotator, not both")
        with self._access.writing() as store:
            item = store.traffic.items.key(item_id)
            text = adjudicate.reference_of(store, item, reference_of) if reference_of else (reference or "").strip()
            decision = Decision(
                judgement=Judgement(label), why=why, reference=text or None, causes=tuple(causes), harm=harm
            )
            is_new = adjudicate.adjudicate(store, item, decision, who=self._access.who, now=self._access.now)
            return self._adjudicated(store, item, item_id, is_new=is_new)

    def take_back(self, item_id: str, *, why: str) -> Answer[Adjudicated]:
        """Take back what was adjudicated: the annotators decide again.

        Parameters
        ----------
        item_id
            The item.
        why
            The reason, which is kept; it may not be empty.

        Returns
        -------
        Answer of Adjudicated
            The label as it is now, None where there is none, and how many items wait.

        Raises
        ------
        UsageError
            Where nobody has adjudicated the item, the project's user is one of its annotators, or `why` is empty.
        """
        from annotate.workflow.labelling import adjudicate

        with self._access.writing() as store:
            item = store.traffic.items.key(item_id)
            adjudicate.take_back(store, item, why, who=self._access.who, now=self._access.now)
            return self._adjudicated(store, item, item_id, is_new=True)

    def _adjudicated(self, store: Store, item: int, item_id: str, *, is_new: bool) -> Answer[Adjudicated]:
        """Tell what an item is now, and how many wait."""
        from annotate.analysis.next_step.labelling import after_labels
        from annotate.workflow.labelling.adjudicate import Adjudicated

        done = Adjudicated(
            item_id=item_id,
            label=store.labels.of_item(item),
            is_new=is_new,
            waiting=len(store.labels.adjudication.waiting()),
        )
        return answer_of("labels.adjudicated", self._access.path, done, steps=after_labels(done.waiting))
