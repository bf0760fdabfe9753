"""Return the answers of a project as frames, and all that is known of one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from annotate.present.answer import Answer
from annotate.project.frames import frame
from annotate.project.store_access import StoreAccess
from proxy.errors import UsageError

if TYPE_CHECKING:
    import pandas as pd

    from annotate.analysis.disagreements import ItemDetail
    from annotate.store import Store
    from proxy import Design


# Chosen: more do not fit on a line.
NEAR_IDS = 3


class AnswerMethods(StoreAccess):
    """The answers of a project, for notebooks and for the functions of `proxy`."""

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

    def show(self, item_id: str) -> Answer[ItemDetail]:
        """Show all that is known of one answer.

        Parameters
        ----------
        item_id
            The id of the item, as the traffic has it.

        Returns
        -------
        Answer of ItemDetail
            Its verdict and label, its texts with the sentences that judges doubt, what judges, annotators and users say of it,
            how it was drawn, and its entry in the gold set. Texts are masked where redaction is on.

        Raises
        ------
        UsageError
            Where there is no such item; it names ids that begin alike.
        """
        from annotate.analysis import disagreements
        from annotate.present import item

        with self.reading() as store:
            known = disagreements.detail(store, disagreements.ground(store), item_id)
            if known is None:
                raise UsageError(_not_there(store, item_id))
            result = disagreements.masked(store, known)
        return Answer(result, item.document(result), "item", self.path)

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


def _not_there(store: Store, item_id: str) -> str:
    """Say that there is no such item, and which ids begin alike."""
    if near := store.traffic.items.near_ids(item_id, NEAR_IDS):
        return f"there is no item {item_id}: ids that begin alike are {', '.join(near)}"
    return f"there is no item {item_id}: take the id of a row of your traffic, or one that `assay report --full` names"
