"""The errors that Assay raises on purpose; the command turns each into one line on stderr.

AssayError                  anything below: exit status 1
├── UsageError              the request itself cannot be met as asked: exit status 2
├── InputError              one row or file cannot be read: becomes a quarantine row
├── FileError                a whole file cannot be taken in as it is: nothing of it is kept
├── RuleError               a rule's expression does not parse, or names an unknown judge
├── StoreError              the SQLite file: locked, full, read-only, newer than this program; the lake: unreachable, damaged
├── EndpointError           a model's endpoint: unreachable, refused, out of credit
├── SourceError              a program that is asked for traffic: unreachable, refused keys, an unexpected answer
└── LabelStudioError        Label Studio: unreachable, refused, unexpected answer

Every message says what to do next. A judge that fails on one item raises nothing: it leaves a `JudgeFailure`.
"""

from __future__ import annotations


class AssayError(Exception):
    """Base of every error that Assay raises on purpose."""


class UsageError(AssayError):
    """The request cannot be met as asked: a contradiction, or an id that does not exist."""


class InputError(AssayError):
    """A row or a file cannot be read; the message is the reason kept in quarantine."""


class FileError(AssayError):
    """A whole file cannot be taken in as it is, and nothing of it is kept; the message says what to do."""


class RuleError(AssayError):
    """A rule's expression does not parse, or names a judge that has no scores."""


class StoreError(AssayError):
    """The SQLite file cannot be used (locked, full, read-only, from a newer Assay), or the lake (unreachable, a part damaged)."""


class EndpointError(AssayError):
    """The endpoint of a model cannot be used: unreachable, a refused key, an unknown model, no credit."""


class SourceError(AssayError):
    """A program that is asked for traffic cannot be used: unreachable, refused keys, an unexpected answer."""


class LabelStudioError(AssayError):
    """Label Studio is unreachable, refused the request, or answered something unexpected."""
