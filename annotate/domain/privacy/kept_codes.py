"""Tell codes of classifications, registers and publications from numbers of persons, so that they stay in a text.

A SNOMED CT identifier of a concept is known without a label: it ends in the partition 00 and a check digit after Verhoeff
(SNOMED CT Release File Specification, 5.3), which one number in a thousand does by chance.
"""

from __future__ import annotations

import re

# Names, and the form of their codes: only what has the form stays, so that no name shields another number.
_FORMS = (
    ("snomed|snomed ct|sctid|sct|dm+d|dmd|vmpid|ampid", r"\d{6,18}"),
    ("pmid|pubmed|pubmed id", r"\d{4,9}"),
    ("rxnorm|rxcui|meddra|pubchem|pubchem cid|omim|mim", r"\d{3,9}"),
    ("hp|hpo|go|mondo|doid|chebi|uberon|efo|orpha|orphanet|ncbitaxon", r"[:_]\d{3,8}"),
    ("umls|cui|ncit|mesh", r"[A-Z]\d{3,9}"),
    ("loinc", r"\d{1,7}-\d"),
    ("ndc", r"\d{4,5}-\d{3,4}-\d{1,2}"),
    ("cas|cas rn|cas no", r"\d{2,7}-\d{2}-\d"),
    ("eudract", r"\d{4}-\d{6}-\d{2}"),
    ("eu ct|euct|ctis", r"\d{4}-\d{6}-\d{2}-\d{2}"),
    ("isbn|isbn 10|isbn 13", r"(?:97[89][ -]?)?\d{1,5}[ -]?\d{1,7}[ -]?\d{1,7}[ -]?[\dXx]"),
    ("issn", r"\d{4}-\d{3}[\dXx]"),
    ("gtin|ean|upc|pzn", r"\d{7,14}"),
    ("udi", r"\(01\)\d{14}"),
    ("国药准字|國藥準字", r"[A-Z]\d{8}"),
    ("version|build|release|revision", r"\d{1,10}(?:[._-]\d{1,10}){0,4}"),
    ("nct|pmc|isrctn|crd|kct|rbr|drks|umin|actrn|chictr|jrct", r"[a-z]{0,2}-?\d[\d-]{5,16}"),
)
NAMES = "|".join(names for names, _ in _FORMS)
FORM_OF = {
    name.replace(" ", ""): re.compile(rf"(?i){form}(?![A-Za-z0-9])")
    for names, form in _FORMS
    for name in names.split("|")
}
GAP = re.compile(
    r"[\s:#=|()\"'.]{0,4}(?:(?:codes?|concept|identifier|id|no\.?|number)(?![a-z]))?[\s:#=|()\"']{0,3}", re.IGNORECASE
)
# Publications, and places in a genome.
UNLABELLED = re.compile(
    r"10\.\d{4,9}/[^\s\"<>]{1,100}|(?<![A-Za-z])chr(?:\d{1,2}|[XYM]):\d[\d,]{0,12}(?:-\d[\d,]{0,12})?"
)
# Of the international edition, and of a country's extension with its namespace (all begin with 10).
_CONCEPT = re.compile(r"[1-9]\d{2,5}00\d|[1-9]\d{0,7}10\d{5}10\d")


def code_at(text: str, at: int, name: str) -> tuple[int, int] | None:
    """Return where the code lies that this name, which ends here, names; None where what follows has not its form."""
    form = FORM_OF[name]
    gap = GAP.match(text, at)
    match = form.match(text, at) or (form.match(text, gap.end()) if gap else None)
    return match.span() if match else None


def is_concept(digits: str) -> bool:
    """Return whether digits are an identifier of a SNOMED CT concept, of the international edition or an extension."""
    from stdnum import verhoeff

    return _CONCEPT.fullmatch(digits) is not None and bool(verhoeff.is_valid(digits))
