"""Tell codes of classifications, registers and publications from numbers of persons, so that they stay in a text.

A SNOMED CT identifier of a concept is known without a label: it ends in the partition 00 and a check digit after Verhoeff
(SNOMED CT Release File Specification, 5.3), which one number in a thousand does by chance.
"""

from __future__ import annotations

import re

_GAP = r"[\s:#=|()\"'.]{0,4}(?:codes?|concept|identifier|id|no\.?|number|:)?[\s:#=|()\"']{0,3}"
# Name, and the form of its codes: only what has the form stays, so that no name shields another number.
_FORMS = (
    (r"SNOMED(?:[ -]?CT)?|SCTID|SCT", r"\d{6,18}"),
    (r"PMID|PubMed", r"\d{4,9}"),
    (r"RxNorm|RxCUI|MedDRA|PubChem(?: CID)?|OMIM|MIM|GBIF", r"\d{3,9}"),
    (r"UMLS|CUI|NCIT|MeSH", r"[A-Z]\d{3,9}"),
    (r"LOINC", r"\d{1,7}-\d"),
    (r"NDC", r"\d{4,5}-\d{3,4}-\d{1,2}"),
    (r"CAS(?: RN)?", r"\d{2,7}-\d{2}-\d"),
    (r"EudraCT", r"\d{4}-\d{6}-\d{2}"),
    (r"EU ?CT|CTIS", r"\d{4}-\d{6}-\d{2}-\d{2}"),
    (r"ISBN(?:-1[03])?", r"(?:97[89][ -]?)?\d{1,5}[ -]?\d{1,7}[ -]?\d{1,7}[ -]?[\dXx]"),
    (r"ISSN", r"\d{4}-\d{3}[\dXx]"),
    (r"GTIN|EAN|UPC", r"\d{8,14}"),
    (r"version|build|release|rev(?:ision)?", r"\d{1,10}(?:[._-]\d{1,10}){0,4}"),
)
_DOI = r"10\.\d{4,9}/[^\s\"<>]{1,100}"
_ONTOLOGIES = r"(?:HP|HPO|GO|MONDO|DOID|CHEBI|UBERON|CL|EFO|ORPHA(?:NET)?|NCBITaxon|MP|SO)[:_]\d{3,8}"
_REGISTERS = r"(?:NCT|PMC|ISRCTN|CRD|KCT|RBR-|DRKS|UMIN|ACTRN|ChiCTR|jRCT[sB]?|EudraCT )\d[\d-]{5,16}"
LABELLED = re.compile(
    rf"(?i)(?<![A-Za-z0-9])(?:{'|'.join(f'(?:{name}){_GAP}{form}' for name, form in _FORMS)}|{_DOI}|{_ONTOLOGIES}|{_REGISTERS})"
    r"(?![A-Za-z0-9])"
)
_CONCEPT = re.compile(r"[1-9]\d{2,5}00\d")


def is_concept(digits: str) -> bool:
    """Return whether digits are an identifier of a SNOMED CT concept of the international edition."""
    from stdnum import verhoeff

    return _CONCEPT.fullmatch(digits) is not None and bool(verhoeff.is_valid(digits))
