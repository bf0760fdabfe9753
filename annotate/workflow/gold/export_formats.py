"""Convert gold rows to the formats of other tools, and write the files that hold them.

Each row carries its gold id, so that a second export can be matched with the first; what was forgotten is in our own form alone,
as null. What a tool's own fields cannot hold stands beside them for a later import, and is counted.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from pathlib import Path
from typing import IO, Any, NamedTuple
from uuid import NAMESPACE_URL, uuid5

from annotate.domain.gold.release import EXPORT_COLUMNS
from annotate.domain.gold.tool_rows import BESIDE
from annotate.files import write_rows
from annotate.files.writing import write_whole
from proxy.errors import UsageError
from proxy.text.controls import displayable

Row = Mapping[str, Any]
CARRIED = ("item_id", "system", "role", "release", "source", "label", "label_at", "lacks_knowledge", "content_hash")
# What YAML does not allow as it is. All else is, because YAML takes both escapes of a pair of halves for a character each.
NO_YAML = re.compile("[\x7f-\x9f\ud800-\udfff\u2028\u2029\ufeff\ufffe\uffff]")
TEMPLATE = re.compile(r"{[{%#]")
CARD = """---
configs:
- config_name: default
  data_files:
{files}---

Gold set{release}: questions with references that experts accepted, written by Assay. The splits are roles by cluster of
questions: no question of test, calibration or examples is a near-duplicate of one in another of the three. Other splits, where
there are any, may be near to all. Keep the test split out of prompts and of training.
"""


class ExportedRows(NamedTuple):
    """The rows that were written, and in how many of them the form holds something in another way than it was.

    `flattened`: the conversation stands in the text of the question. `joined`: the passages are one text. `altered`: signs of a
    text were changed, because the tool would run or refuse them.
    """

    rows: int
    flattened: int = 0
    joined: int = 0
    altered: int = 0


def write(path: str, target: str, rows: Iterable[Row]) -> ExportedRows:
    """Write the rows in a tool's form; how many, and what the form could not hold as it was."""
    if target == "jsonl":
        return ExportedRows(write_rows(path, EXPORT_COLUMNS, rows))
    known = [row for row in rows if not row["forgotten"]]
    if target == "hf":
        _hugging_face(path, known)
    elif target == "deepeval":
        _write_json(path, ".json", [deepeval(row) for row in known])
    elif target == "promptfoo":
        # JSON is YAML, and needs no library that might run what a text holds.
        _write_json(path, ".yaml", [promptfoo(row) for row in known])
    else:
        form = LINES[target]
        if path != "-" and Path(path).suffix != ".jsonl":
            raise UsageError(f"{path}: name a file that ends in .jsonl")
        write_rows(path, (), (form(row) for row in known))
    return ExportedRows(
        rows=len(known),
        flattened=sum(bool(row["history"]) for row in known) if target in ONE_TEXT else 0,
        joined=sum(len(row["contexts"]) > 1 for row in known) if target == "promptfoo" else 0,
        altered=sum(map(CHANGES[target], known)) if target in CHANGES else 0,
    )


def ragas(row: Row) -> Row:
    """Return a SingleTurnSample of Ragas 0.4."""
    contexts = list(row["contexts"])
    return {
        "user_input": _asked(row),
        "reference": row["reference"],
        "retrieved_contexts": contexts,
        "gold_id": row["gold_id"],
        **_beside(row),
    }


def deepeval(row: Row) -> Row:
    """Return a golden of DeepEval 4; as .json, because its .jsonl and .csv join passages with bars."""
    return {
        "input": _asked(row),
        "expected_output": row["reference"],
        "context": list(row["contexts"]),
        "additional_metadata": {"gold_id": row["gold_id"], **_beside(row), **_carried(row)},
    }


def langfuse(row: Row) -> Row:
    """Return a dataset item of Langfuse, which takes the same id again as a new version of the same item."""
    return {
        "datasetName": f"gold-{row['role']}" if row["role"] else "gold",
        "id": row["gold_id"],
        "input": {"question": row["question"], **_before(row), "contexts": list(row["contexts"])},
        "expectedOutput": row["reference"],
        "metadata": _carried(row),
        "status": "ARCHIVED" if row["status"] == "retired" else "ACTIVE",
    }


def langsmith(row: Row) -> Row:
    """Return an example of a LangSmith dataset; its id follows from the gold id, so that a second upload changes the first."""
    return {
        "id": str(uuid5(NAMESPACE_URL, f"assay:{row['gold_id']}")),
        "inputs": {"question": row["question"], **_before(row), "contexts": list(row["contexts"])},
        "outputs": {"answer": row["reference"]},
        "metadata": {"gold_id": row["gold_id"], **_carried(row)},
        "split": row["role"] or "base",
    }


def phoenix(row: Row) -> Row:
    """Return an example of a dataset of Phoenix, which knows it by its id when it is uploaded again."""
    return {
        "id": row["gold_id"],
        "input": {"question": row["question"], **_before(row), "contexts": list(row["contexts"])},
        "output": {"answer": row["reference"]},
        "metadata": {"gold_id": row["gold_id"], **_carried(row)},
        "splits": [row["role"]] if row["role"] else [],
    }


def openai(row: Row) -> Row:
    """Return a line of a file for OpenAI's evals."""
    texts = {"question": row["question"], "reference": row["reference"], "contexts": list(row["contexts"])}
    return {"item": {**texts, **_before(row), "gold_id": row["gold_id"], **_carried(row)}}


def promptfoo(row: Row) -> Row:
    """Return a test case of promptfoo; nothing in a text is a template or names a file to load."""
    texts = {
        "question": _literal(_asked(row)),
        "context": _literal("\n\n".join(row["contexts"])),
        "reference": _literal(row["reference"]),
    }
    rubric = f"The answer says the same as this reference: {texts['reference']}"
    return {
        "description": row["gold_id"],
        "vars": texts,
        "assert": [{"type": "llm-rubric", "value": rubric}],
        "metadata": {**_carried(row), **_literally(_beside(row, joins=True))},
    }


def _asked(row: Row) -> str:
    """Return the question with the conversation before it, for tools whose question is one text."""
    turns = [f"{turn['role'] or 'turn'}: {turn['text']}" for turn in row["history"]]
    return "\n".join([*turns, f"user: {row['question']}"]) if turns else str(row["question"])


def _before(row: Row) -> Row:
    """Return the turns before the question, where there are any."""
    return {"history": row["history"]} if row["history"] else {}


def _beside(row: Row, *, joins: bool = False) -> Row:
    """Return what a question of one text, or passages that are one text, cannot hold; nothing where they hold it all."""
    beside: dict[str, Any] = {"question": row["question"], "history": row["history"]} if row["history"] else {}
    if joins and len(row["contexts"]) > 1:
        beside["contexts"] = list(row["contexts"])
    return {BESIDE: beside} if beside else {}


def _carried(row: Row) -> Row:
    """Return the fields that say where a row comes from."""
    return {name: row[name] for name in CARRIED if row[name] is not None}


def _literal(text: str) -> str:
    """Return a text that promptfoo takes as it is: braces are not filled in, and no file is opened."""
    if TEMPLATE.search(text):
        text = TEMPLATE.sub(lambda match: f"{{ {match.group()[1]}", text)
    return f" {text}" if text.lstrip().startswith(("file:", "package:", "python:", "exec:")) else text


def _literally(value: Any) -> Any:
    """Return the same with every text as `_literal` has it: promptfoo fills in templates wherever they stand."""
    if isinstance(value, Mapping):
        return {name: _literally(part) for name, part in value.items()}
    if isinstance(value, list):
        return [_literally(part) for part in value]
    return _literal(value) if isinstance(value, str) else value


def _texts(row: Row) -> list[str]:
    return [str(row["question"]), str(row["reference"]), *row["contexts"], *(turn["text"] for turn in row["history"])]


# The forms of a row a line.
LINES: Mapping[str, Callable[[Row], Row]] = {
    "ragas": ragas,
    "langfuse": langfuse,
    "langsmith": langsmith,
    "phoenix": phoenix,
    "openai": openai,
}
# The forms that cannot hold every text, and whether a row has one of those.
CHANGES: Mapping[str, Callable[[Row], bool]] = {
    "promptfoo": lambda row: any(_literal(text) != text for text in _texts(row)),
    "hf": lambda row: any(_plain(text) != text for text in _texts(row)),
}
# The forms whose question is one text.
ONE_TEXT = ("ragas", "deepeval", "promptfoo")


def _write_json(path: str, ending: str, rows: list[Row]) -> None:
    def fill(stream: IO[bytes]) -> None:
        text = json.dumps(rows, indent=1, allow_nan=False, ensure_ascii=False)
        stream.write(NO_YAML.sub(lambda sign: f"\\u{ord(sign[0]):04x}", text).encode() + b"\n")

    write_whole(path, ending, fill)


def _hugging_face(path: str, rows: list[Row]) -> None:
    """Write a new folder with a Parquet file for each role and a card that names them as splits."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    folder = Path(path)
    if not folder.parent.is_dir():
        raise UsageError(f"{path}: there is no folder {folder.parent}")
    if folder.exists():
        raise UsageError(f"{path} is there already: name a new folder")
    folder.mkdir(mode=0o700)
    texts = [
        (name, pa.string())
        for name in EXPORT_COLUMNS
        if name not in ("contexts", "history", "corrects", "wave", "forgotten", "lacks_knowledge")
    ]
    turn = pa.struct([("role", pa.string()), ("text", pa.string())])
    lists = [("contexts", pa.list_(pa.string())), ("history", pa.list_(turn)), ("corrects", pa.list_(pa.string()))]
    schema = pa.schema([*texts, *lists, ("lacks_knowledge", pa.bool_())])
    splits = sorted({str(row["role"] or "all").replace(" ", "_") for row in rows})
    for split in splits:
        chosen = [row for row in rows if str(row["role"] or "all").replace(" ", "_") == split]
        table = pa.Table.from_pylist([{name: _plain(row[name]) for name in schema.names} for row in chosen], schema)
        write_whole(str(folder / f"{split}.parquet"), ".parquet", partial(pq.write_table, table))
    files = "".join(f"  - split: {split}\n    path: {split}.parquet\n" for split in splits)
    release = next((f" {row['release']}" for row in rows if row["release"]), "")
    card = CARD.format(files=files, release=displayable(release))
    write_whole(str(folder / "README.md"), ".md", lambda stream: stream.write(card.encode()))


def _plain(value: object) -> object:
    """Return a value as Parquet can hold it: half characters are replaced."""
    if isinstance(value, str):
        return value.encode("utf-8", "replace").decode() if not value.isascii() else value
    if isinstance(value, dict):
        return {name: _plain(part) for name, part in value.items()}
    return [_plain(part) for part in value] if isinstance(value, list) else value
