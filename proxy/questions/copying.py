"""Tell which answers copy what they were given: marks look for texts, and find every one in such an answer."""

from __future__ import annotations

from collections import Counter

from proxy.questions.scoring import GivenAnswer
from proxy.text.tokens import words

_MOST = 0.5


def copies_passages(given: GivenAnswer) -> bool:
    """Return whether an answer holds more than half of the words of its passages, of which there are several.

    A single passage is often a sentence, which an answer may well say again.
    """
    passages = Counter(word for passage in given.item.contexts for word in words(passage.text))
    repeated = (passages & Counter(words(given.answer))).total()
    return len(given.item.contexts) > 1 and repeated > _MOST * passages.total()
