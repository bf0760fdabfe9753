"""What a text that comes back from a form stands for, where redaction hides a part of what was shown.

The rule: a form never puts a stand-in, such as `[e-mail]`, in the place of the text that it hides.
"""

from __future__ import annotations

from collections.abc import Sequence

from annotate.domain.privacy import kinds
from annotate.domain.privacy.pseudonyms import PSEUDONYM
from annotate.pages.kit import privacy, texts
from proxy.errors import UsageError

STAND_INS = tuple(map(kinds.plain, kinds.KINDS))


def behind(text: str, known: Sequence[tuple[str, tuple[str, ...]]]) -> str | None:
    """The text, of those that are known with what each is a value of, that is shown as this; None where it is another."""
    return next((raw for raw, of in known if text.strip() == texts.others(raw, *of).strip()), None)


def checked(text: str, known: Sequence[str]) -> str:
    """The text as it is; UsageError where it holds a stand-in that stands in none of the known ones."""
    if privacy.is_on():
        for stand_in in (*STAND_INS, *(match[0] for match in PSEUDONYM.finditer(text))):
            if stand_in in text and not any(stand_in in raw for raw in known):
                raise UsageError(
                    f"{stand_in} stands for something that is hidden here: write what it should say, or leave it out"
                )
    return text
