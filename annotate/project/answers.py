"""Return the answers of a project as frames."""

from __future__ import annotations

from typing import TYPE_CHECKING

from annotate.project.frames import frame
from annotate.project.store_access import StoreAccess

if TYPE_CHECKING:
    import pandas as pd

    from proxy import Design


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
