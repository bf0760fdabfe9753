"""Tell how long a text takes to read, from its length.

Usual speeds of silent reading: 238 words a minute in English (Brysbaert 2019, a review of 190 studies, Journal of Memory and
Language 109) and 255 characters a minute in Chinese (Trauzettel-Klosinski and Dietz 2012, Investigative Ophthalmology and
Visual Science 53), which is taken for Japanese and Korean, too. Nobody is expected to read at more than twice these speeds.
"""

from __future__ import annotations

import re

WORDS_A_MINUTE, CHARACTERS_A_MINUTE = 238, 255
# Chosen: quicker than nearly all readers of those studies.
FASTEST = 2
_CHARACTERS = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7a3]")
_WORDS = re.compile(r"[^\W_]+(?:['’.,-][^\W_]+)*")


def reading_seconds(*texts: str) -> float:
    """Return the seconds that these texts take at the usual speed."""
    minutes = 0.0
    for text in texts:
        characters = len(_CHARACTERS.findall(text))
        words = len(_WORDS.findall(_CHARACTERS.sub(" ", text)))
        minutes += characters / CHARACTERS_A_MINUTE + words / WORDS_A_MINUTE
    return 60 * minutes
