"""Write the conditions of a gate as JUnit XML, which CI servers show beside the tests: a test case each.

What is met has passed and what is missed has failed. All else is skipped with what is missing: the gate's exit status decides.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from xml.etree.ElementTree import Element, SubElement, tostring

from annotate.domain.message import Listing, Value
from annotate.present.document import Condition, Document, Status
from annotate.present.messages import LeavingWriter, one_line

JOINT = "values.semicolon"
# What XML 1.0 has no way to write, beside what `one_line` takes out.
_NOT_IN_XML = re.compile("[\ufffe\uffff]")


def render(document: Document, suite: str) -> str:
    """Write the conditions of a document, in English.

    Parameters
    ----------
    document : Document
        What the answer says; its sentence stands in the file too.
    suite : str
        How the suite is called, such as ``"assay report"``.

    Returns
    -------
    str
        One XML document in ASCII.
    """
    conditions = document.conditions
    counts = {
        "tests": len(conditions),
        "failures": _count(conditions, {Status.MISSED}),
        "errors": 0,
        "skipped": _count(conditions, {*Status} - {Status.MET, Status.MISSED}),
    }
    attributes = {name: str(count) for name, count in counts.items()}
    root = Element("testsuites", attributes)
    element = SubElement(root, "testsuite", {"name": suite, **attributes, "time": "0"})
    for condition in conditions:
        _add_case(element, suite, condition)
    SubElement(element, "system-out").text = _words(document.answer)
    content: bytes = tostring(root, encoding="us-ascii", xml_declaration=True)
    return content.decode("ascii") + "\n"


def _count(conditions: Iterable[Condition], statuses: set[Status]) -> int:
    return sum(condition.status in statuses for condition in conditions)


def _add_case(suite: Element, name: str, condition: Condition) -> None:
    case = SubElement(suite, "testcase", {"classname": name, "name": _words(condition.wanted), "time": "0"})
    if condition.status is Status.MISSED:
        reason = _words(condition.measured)
        SubElement(case, "failure", {"type": condition.status.value, "message": reason}).text = reason
    elif condition.status is Status.MET:
        SubElement(case, "system-out").text = _words(condition.measured)
    else:
        is_reason = condition.status is Status.UNMEASURABLE  # why nothing was measured says that nothing was
        parts = (condition.measured,) if is_reason else (condition.standing, condition.measured)
        SubElement(case, "skipped", {"message": _words(Listing(parts, JOINT))})


def _words(value: Value) -> str:
    return _NOT_IN_XML.sub("\ufffd", one_line(LeavingWriter().write(value), None))
