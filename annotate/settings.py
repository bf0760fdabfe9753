"""Read assay.toml: options of commands, prices of models, limits of gates, what is masked, paths of traffic, sign-in.

The file is that of the working directory, and it is read again on every call, so that a change takes effect without a restart.
Each table has a frozen record whose fields say what they take, and pydantic checks the one against the other. What cannot be
read, is not known or does not fit is a UsageError of one line: the file, the table, the key, what is wanted and what was given.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import MISSING, dataclass, field, fields
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, TypeVar, cast, get_args, get_type_hints

from proxy.errors import UsageError

if TYPE_CHECKING:
    from pydantic import GetCoreSchemaHandler
    from pydantic_core import CoreSchema, ErrorDetails

SETTINGS = "assay.toml"
DEFAULT_STORE = "assay.db"
PRICES = "prices"
GATE = "gate"
REDACTION = "redaction"
TRAFFIC = "traffic"
SIGNIN = "signin"
DRAFT = "draft"
# Tables that belong to no single command.
TABLES = (PRICES, GATE, REDACTION, TRAFFIC, SIGNIN, DRAFT)


@dataclass(frozen=True, slots=True)
class Accepts:
    """The values that a key accepts: in words, and for a number its bounds.

    pydantic's own `Field` would be imported by every command, which takes longer than the whole of `assay --help`.
    """

    words: str
    low: float | None = None
    high: float | None = None

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        """Add the bounds to the schema of the type; strict, so a string is never coerced to a number."""
        schema = handler(source)
        limits = {"ge": self.low, "le": self.high, "strict": None if schema["type"] == "union" else True}
        return cast("CoreSchema", {**schema, **{name: limit for name, limit in limits.items() if limit is not None}})


Share = Annotated[float, Accepts("a number from 0 to 1", 0, 1)]
Coefficient = Annotated[float, Accepts("a number from -1 to 1", -1, 1)]
Price = Annotated[float, Accepts("money per million tokens", 0, 1e9)]
Money = Annotated[float, Accepts("an amount of money from 0", 0, 1e9)]
Count = Annotated[int, Accepts("a whole number from 0", 0)]
Number = Annotated[int, Accepts("a whole number from 1", 1)]
Flag = Annotated[bool, Accepts("true or false")]
Text = Annotated[str, Accepts("a text")]
Texts = Annotated[list[str], Accepts("a list of texts")]
TextOrTexts = Annotated[str | list[str], Accepts("a text or a list of texts")]


class SettingsTable:
    """What the records of tables have in common: a key that is not known is refused."""

    __slots__ = ()
    __pydantic_config__: ClassVar[dict[str, object]] = {"extra": "forbid"}


TableT = TypeVar("TableT", bound=SettingsTable)


@dataclass(frozen=True, kw_only=True, slots=True)
class ServerSettings(SettingsTable):
    """The server that a command talks to."""

    url: Text | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class PullSettings(SettingsTable):
    """Options of [pull] that also apply when its work is done from Python or a server."""

    project: Number | None = None
    full: Flag = False


@dataclass(frozen=True, kw_only=True, slots=True)
class PushSettings(SettingsTable):
    """Options of [push] that also apply when its work is done from Python or a server."""

    title: Text | None = None
    project: Number | None = None
    new_project: Flag = False
    annotator: TextOrTexts = field(default_factory=list)
    overlap: Share | None = None
    language: Text | None = None
    harm: Flag | None = None
    guide: Text | None = None
    everybody: Flag = False
    ask: Text | None = None
    share: Share | None = None

    @property
    def annotators(self) -> tuple[str, ...]:
        """Return the annotators; a single text is one."""
        return (self.annotator,) if isinstance(self.annotator, str) else tuple(self.annotator)


@dataclass(frozen=True, kw_only=True, slots=True)
class SampleSettings(SettingsTable):
    """Options of [sample] that also apply when its work is done from Python or a server."""

    labels: Number | None = None
    audit: Share | None = None
    all_passed: Flag = False
    slice: Text | None = None
    active: Flag = False
    seed: Count | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class PlanSettings(SettingsTable):
    """Options of [plan] that also apply when its work is done from Python or a server."""

    quantity: Text | None = None
    width: Share | None = None
    audit: Share | None = None
    assurance: Share | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class ModelPrices(SettingsTable):
    """Money per million tokens of a model."""

    input: Price
    output: Price
    cached: Price | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class DraftSettings(SettingsTable):
    """The model that drafts references on request, and the tokens and the money that its drafts may take in a day (UTC)."""

    model: Text
    url: Text | None = None
    tokens: Number = 200_000
    budget: Money | None = None


def settings() -> dict[str, Any]:
    """Return the whole file; {} where there is none."""
    try:
        return tomllib.loads(Path(SETTINGS).read_text(encoding="utf-8"))
    except FileNotFoundError:
        return {}
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise UsageError(f"{SETTINGS} cannot be read: {error}") from error


def options(command: str, record: type[TableT]) -> TableT:
    """Return what assay.toml gives a command, for those who do its work without being the command.

    Keys are written as on the command line, `all-passed` or `all_passed`. Those that the record lacks may be further options of
    the command, and are left to it: whichever command runs, also `assay app` and `assay serve`, first refuses a key that no
    option has (`annotate/cli`). From Python such a key is ignored.
    """
    given = settings().get(command, {})
    if not isinstance(given, dict):
        raise UsageError(f"{SETTINGS}: {command} is a table, [{command}]")
    names = {each.name for each in fields(record)}  # type: ignore[arg-type]
    known = {name: value for key, value in given.items() if (name := key.replace("-", "_")) in names}
    return checked(record, known, f"{SETTINGS}: [{command}]")


def prices(model: str) -> ModelPrices | None:
    """Return the prices of a model; None where it has none."""
    table = settings().get(PRICES, {})
    if not isinstance(table, dict):
        raise UsageError(f'{SETTINGS}: {PRICES} is a table for each model, like [{PRICES}."{model}"]')
    given = table.get(model)
    return None if given is None else checked(ModelPrices, given, f'{SETTINGS}: [{PRICES}."{model}"]')


def draft() -> DraftSettings | None:
    """Return the model that drafts references; None where the team has switched none on."""
    given = settings().get(DRAFT)
    return None if given is None else checked(DraftSettings, given, f"{SETTINGS}: [{DRAFT}]")


def checked(record: type[TableT], table: object, where: str) -> TableT:
    """Return the table as its record; UsageError that begins with `where` if it does not fit."""
    if not isinstance(table, dict):
        raise UsageError(f"{where} is a table, not {table!r}")
    if not table and not _requires_any(record):
        return record()
    # Slow to import, and most folders have no such table.
    from pydantic import TypeAdapter, ValidationError

    try:
        return TypeAdapter(record).validate_python(table)
    except ValidationError as error:
        raise UsageError(f"{where} {_reason(record, table, error.errors()[0])}") from None


def _requires_any(record: type[SettingsTable]) -> bool:
    return any(each.default is MISSING and each.default_factory is MISSING for each in fields(record))  # type: ignore[arg-type]


def _reason(record: type[SettingsTable], table: Mapping[str, object], fault: ErrorDetails) -> str:
    hints, key = get_type_hints(record, include_extras=True), str(fault["loc"][0])
    hints.pop("__pydantic_config__")
    if key not in hints:
        return f"knows {', '.join(hints)}, not {', '.join(name for name in table if name not in hints)}"
    wanted = f"{key} is {_words(hints[key])}"
    return f"{wanted}, not {table[key]!r}" if key in table else f"lacks {key}: {wanted}"


def _words(hint: Any) -> str:
    """Return what is wanted, from an annotation or the first part of a union."""
    return str(hint.__metadata__[0].words) if hasattr(hint, "__metadata__") else _words(get_args(hint)[0])
