"""Show characters that control a terminal, the direction of text or an encoding as signs in their place."""

from __future__ import annotations

import json

_BIDI = (*range(0x202A, 0x202F), *range(0x2066, 0x206A))
_C0 = tuple(code for code in range(0x20) if chr(code) not in "\n\t")
_DELETE, _C1, _SURROGATES = 0x7F, range(0x80, 0xA0), range(0xD800, 0xE000)
_REPLACED = dict.fromkeys(_SURROGATES, "\ufffd")
_DISPLAYED = {0: "\u2400", **_REPLACED, **{code: f"⟨U+{code:04X}⟩" for code in _BIDI}}
_SAFE = {
    **{code: chr(0x2400 + code) for code in _C0},
    _DELETE: "\u2421",
    **{code: f"⟨U+{code:04X}⟩" for code in (*_C1, *_BIDI)},
    **_REPLACED,
}
# What JSON would let through as it is.
_ESCAPED = {code: f"\\u{code:04x}" for code in (_DELETE, *_C1, *_BIDI)}


def displayable(text: str) -> str:
    """Return the text as it may be shown or sent: lone surrogates and NUL replaced, direction controls made visible."""
    return text if text.isascii() and "\0" not in text else text.translate(_DISPLAYED)


def safe(text: str) -> str:
    """Return the text with nothing in it that steers a terminal; line ends and tabs stay."""
    return text if text.isprintable() else text.translate(_SAFE)


def as_json(value: object, *, is_ascii: bool = True) -> str:
    """Return one line of JSON that steers no terminal, and reads back as exactly the value."""
    return json.dumps(value, ensure_ascii=is_ascii, allow_nan=False).translate(_ESCAPED)
