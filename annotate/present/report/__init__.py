"""Build the document of a report: whether the proxy can be trusted, how sure that is, and everything that it rests on."""

from annotate.present.report.annotators import pairs, shaky, shifted_by_neighbours
from annotate.present.report.counts import quadrant_words
from annotate.present.report.figures import FURTHER, HEADLINE, before_labels, figure, label_counts, quantities, shares
from annotate.present.report.sections import answer, document
from annotate.present.report.trust import beside_precision, how_sure, shown_by, status, unexamined, verdict

__all__ = [
    "FURTHER",
    "HEADLINE",
    "answer",
    "before_labels",
    "beside_precision",
    "document",
    "figure",
    "how_sure",
    "label_counts",
    "pairs",
    "quadrant_words",
    "quantities",
    "shaky",
    "shares",
    "shifted_by_neighbours",
    "shown_by",
    "status",
    "unexamined",
    "verdict",
]
