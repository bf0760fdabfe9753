"""Save a person's guidelines for a judge in a file beside the store, for `assay align` to measure."""

from __future__ import annotations

import re
from hashlib import blake2b
from pathlib import Path

from annotate.domain.alignment import GUIDELINES_SAVED
from annotate.files.writing import write_whole
from annotate.store import Store
from proxy.errors import UsageError
from proxy.judges.llm.guideline_writer import GUIDELINE_CHARACTERS, MOST_GUIDELINES, cleaned

ENDING = ".txt"


def save(store: Store, judge: str, text: str, *, who: str, now: str) -> Path:
    """Save guidelines, a line each, and log that they were saved; nothing is measured and nothing is put in force.

    The file is named after what it holds, so that nobody's guidelines are overwritten by another's.

    Parameters
    ----------
    store
        Open for writing.
    judge
        The name of the judge.
    text
        The guidelines, a line each.
    who, now
        In whose name, and when.

    Returns
    -------
    Path
        The file.

    Raises
    ------
    UsageError
        Where there is no guideline, where there are too many or too long ones, and where these are in force already.
    """
    given = [line for line in text.splitlines() if line.strip()]
    lines = cleaned(given)
    if not lines:
        raise UsageError("there is no guideline to save: write a line each")
    if len(given) > MOST_GUIDELINES:
        raise UsageError(f"these are {len(given)} guidelines: a judge is given {MOST_GUIDELINES} at most")
    if any(len(line) > GUIDELINE_CHARACTERS for line in given):
        raise UsageError(f"a guideline is too long: write {GUIDELINE_CHARACTERS} characters at most")
    if any(version.is_in_force and version.guidelines == lines for version in store.scores.alignments.every(judge)):
        raise UsageError("these guidelines are in force already: change a line before you save them")
    content = "".join(f"{line}\n" for line in lines).encode()
    path = store.path.absolute().parent / _name(judge, content)
    write_whole(str(path), ENDING, lambda stream: stream.write(content))
    with store.atomic():
        detail = {"judge": judge, "file": path.name, "guidelines": len(lines)}
        store.audit.events.append(GUIDELINES_SAVED, detail, who=who, now=now)
    return path


def _name(judge: str, content: bytes) -> str:
    plain = re.sub(r"[^a-z0-9]+", "-", judge.lower()).strip("-")[:40]
    digest = blake2b(content, digest_size=3).hexdigest()
    return "-".join(filter(None, ("guidelines", plain, digest))) + ENDING
