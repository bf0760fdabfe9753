"""How fast and in how much memory each format of file is read; prints a table.

    python benchmarks/formats.py [MEGABYTES] [FORMAT…]

The same rows of about 4 KB are written in every format, so that they are MEGABYTES (200) of JSON Lines, and are read in a
process of its own, and ingested with `--ingest`, spans of tracers always. Seconds are of CPU, memory is the process's peak;
it is flat where 1,000 takes what 300 does. A workbook is written with 30 MB at most, unless it is named.
Exit status 1 where reading, or ingesting spans, takes more than 400 MB of it.
"""

from __future__ import annotations

import argparse
import csv
import gzip
import json
import multiprocessing
import os
import random
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any

from ingest import WORDS

LIMIT_MB = 400
MOST_IN_EXCEL = 30  # megabytes: openpyxl writes and reads some 5 MB a second
READ = "import sys; from annotate.files import read_rows; print(sum(1 for row in read_rows(sys.argv[1])))"
Row = dict[str, Any]


def rows(megabytes: float, seed: int = 1) -> Iterator[Row]:
    """Items of about 4 KB with random ids."""
    rng = random.Random(seed)
    passages = [" ".join(rng.choices(WORDS, k=160)) for _ in range(20_000)]
    for _ in range(int(megabytes * 1e6 / 4_000)):
        yield {
            "id": f"{rng.getrandbits(128):032x}",
            "question": " ".join(rng.choices(WORDS, k=10)) + "?",
            "contexts": rng.sample(passages, 4),
            "answer": " ".join(rng.choices(WORDS, k=30)),
            "system": "bench",
        }


def write_lines(path: Path, items: Iterator[Row]) -> None:
    """JSON Lines."""
    with path.open("w") as stream:
        stream.writelines(json.dumps(row) + "\n" for row in items)


def write_array(path: Path, items: Iterator[Row], *, before: str = "[", after: str = "]") -> None:
    """One array."""
    with path.open("w") as stream:
        stream.write(before)
        for number, row in enumerate(items):
            stream.write(("," if number else "") + json.dumps(row, indent=1))
        stream.write(after)


def write_wrapped(path: Path, items: Iterator[Row]) -> None:
    """One object around the list."""
    write_array(path, items, before='{"meta": {"page": 1}, "data": [', after="]}")


def write_gzip(path: Path, items: Iterator[Row]) -> None:
    """JSON Lines in gzip."""
    with gzip.open(path, "wt", compresslevel=1) as stream:
        stream.writelines(json.dumps(row) + "\n" for row in items)


def write_zstd(path: Path, items: Iterator[Row]) -> None:
    """JSON Lines in zstd."""
    import pyarrow as pa

    with pa.CompressedOutputStream(str(path), "zstd") as stream:
        for row in items:
            stream.write(json.dumps(row).encode() + b"\n")


def write_csv(path: Path, items: Iterator[Row]) -> None:
    """CSV with the contexts as JSON."""
    with path.open("w", newline="") as stream:
        writer = csv.writer(stream)
        for number, row in enumerate(items):
            if not number:
                writer.writerow(row)
            writer.writerow([value if isinstance(value, str) else json.dumps(value) for value in row.values()])


def tables(items: Iterator[Row]) -> Iterator[Any]:
    """The rows as tables of 5,000."""
    import pyarrow as pa

    while part := list(islice(items, 5_000)):
        yield pa.Table.from_pylist(part)


def write_parquet(path: Path, items: Iterator[Row]) -> None:
    """Parquet with row groups of 5,000."""
    import pyarrow.parquet as pq

    first, *_ = parts = list(islice(tables(items), 1))
    with pq.ParquetWriter(path, first.schema) as writer:
        for table in (*parts, *tables(items)):
            writer.write_table(table)


def write_arrow(path: Path, items: Iterator[Row]) -> None:
    """A stream of Arrow in one batch, which is the worst."""
    import pyarrow as pa

    whole = pa.concat_tables(tables(items)).combine_chunks()
    with pa.ipc.new_stream(str(path), whole.schema) as writer:
        writer.write_table(whole)


def write_excel(path: Path, items: Iterator[Row]) -> None:
    """One sheet."""
    from openpyxl import Workbook

    book = Workbook(write_only=True)
    sheet = book.create_sheet()
    for number, row in enumerate(items):
        if not number:
            sheet.append(list(row))
        sheet.append([value if isinstance(value, str) else json.dumps(value) for value in row.values()])
    book.save(path)


def attributes(row: Row) -> tuple[Row, Row]:
    """What the root of a row's trace and its retriever say, as OpenInference has it."""
    root = {"openinference.span.kind": "CHAIN", "input.value": row["question"], "output.value": row["answer"]}
    search: Row = {"openinference.span.kind": "RETRIEVER", "input.value": row["question"]}
    for place, text in enumerate(row["contexts"]):
        search[f"retrieval.documents.{place}.document.content"] = text
    return root, search


def write_openinference(path: Path, items: Iterator[Row]) -> None:
    """Spans of Phoenix' API, a line each; the root is the last of its trace."""
    with path.open("w") as stream:
        for row in items:
            root, record = attributes(row)
            for span, parent, given in (("b" * 16, "a" * 16, record), ("a" * 16, None, root)):
                context = {"trace_id": row["id"], "span_id": span}
                line = {"context": context, "parent_id": parent, "start_time": START, "attributes": given}
                stream.write(json.dumps(line) + "\n")


def write_otlp(path: Path, items: Iterator[Row]) -> None:
    """Requests of OTLP, a line each, with 100 spans; the spans of a trace lie in two requests."""
    with path.open("w") as stream:
        while part := list(islice(items, 100)):
            for span, parent, which in (("b" * 16, "a" * 16, 1), ("a" * 16, "", 0)):
                spans = [
                    {
                        "traceId": row["id"],
                        "spanId": span,
                        "parentSpanId": parent,
                        "startTimeUnixNano": "1795161600000000000",
                        "attributes": [
                            {"key": name, "value": {"stringValue": value}}
                            for name, value in attributes(row)[which].items()
                        ],
                    }
                    for row in part
                ]
                stream.write(json.dumps({"resourceSpans": [{"scopeSpans": [{"spans": spans}]}]}) + "\n")


def write_langfuse(path: Path, items: Iterator[Row]) -> None:
    """Observations of Langfuse's API, a line each; the root is the last of its trace."""
    with path.open("w") as stream:
        for row in items:
            found = json.dumps([{"page_content": text} for text in row["contexts"]])
            for name, parent, kind, output in (
                ("r", row["id"], "RETRIEVER", found),
                ("", None, "SPAN", json.dumps(row["answer"])),
            ):
                line = {"id": name + row["id"], "traceId": row["id"], "parentObservationId": parent, "type": kind}
                said = {"input": json.dumps(row["question"]), "output": output, "startTime": START, "projectId": "p"}
                stream.write(json.dumps(line | said) + "\n")


def write_langsmith(path: Path, items: Iterator[Row]) -> None:
    """Runs of LangSmith's API, a line each; the root is the last of its trace."""
    with path.open("w") as stream:
        for row in items:
            documents = [{"page_content": text, "type": "Document"} for text in row["contexts"]]
            for name, parent, kind, output in (
                ("r", row["id"], "retriever", {"documents": documents}),
                ("", None, "chain", {"output": row["answer"]}),
            ):
                line = {"id": name + row["id"], "trace_id": row["id"], "parent_run_id": parent, "run_type": kind}
                values = {"inputs": {"question": row["question"]}, "outputs": output, "start_time": START}
                stream.write(json.dumps(line | values) + "\n")


def write_mlflow(path: Path, items: Iterator[Row]) -> None:
    """Traces of MLflow, a line each with its spans."""
    with path.open("w") as stream:
        for row in items:
            retrieved = [{"page_content": text} for text in row["contexts"]]
            spans = [
                {
                    "trace_id": row["id"],
                    "span_id": span * 16,
                    "parent_span_id": parent,
                    "start_time_unix_nano": 1795161600000000000,
                    "attributes": {
                        "mlflow.spanType": json.dumps(kind),
                        "mlflow.spanInputs": json.dumps({"question": row["question"]}),
                        "mlflow.spanOutputs": json.dumps(output),
                    },
                }
                for span, parent, kind, output in (
                    ("a", None, "CHAIN", row["answer"]),
                    ("b", "a" * 16, "RETRIEVER", retrieved),
                )
            ]
            info = {"trace_id": row["id"], "request_time": START, "state": "OK", "trace_metadata": {}}
            stream.write(json.dumps({"info": info, "data": {"spans": spans}}) + "\n")


def write_label_studio(path: Path, items: Iterator[Row]) -> None:
    """Tasks of Label Studio's export, in one array."""
    tasks = (
        {"id": number, "data": row, "annotations": [], "predictions": [], "updated_at": START}
        for number, row in enumerate(items)
    )
    write_array(path, tasks)


def write_chat(path: Path, items: Iterator[Row]) -> None:
    """Messages of a chat, a line a conversation; tools gave the passages."""
    with path.open("w") as stream:
        for row in items:
            messages = [
                {"role": "user", "content": row["question"]},
                *({"role": "tool", "content": text} for text in row["contexts"]),
                {"role": "assistant", "content": row["answer"]},
            ]
            stream.write(json.dumps({"id": row["id"], "messages": messages}) + "\n")


START = "2026-11-20T08:00:00Z"
SPANS = {
    "spans.openinference.jsonl": write_openinference,
    "spans.otlp.jsonl": write_otlp,
    "spans.langfuse.jsonl": write_langfuse,
    "spans.langsmith.jsonl": write_langsmith,
    "spans.mlflow.jsonl": write_mlflow,
}
WRITERS = {
    "t.jsonl": write_lines,
    "array.json": write_array,
    "wrapped.json": write_wrapped,
    "t.jsonl.gz": write_gzip,
    "t.jsonl.zst": write_zstd,
    "t.csv": write_csv,
    "t.parquet": write_parquet,
    "t.arrow": write_arrow,
    "t.xlsx": write_excel,
    "label_studio.json": write_label_studio,
    "chat.jsonl": write_chat,
    **SPANS,
}


def write(name: str, path: Path, megabytes: float) -> None:
    """Write a file in a process of its own, whose memory the readers' would begin with."""
    process = multiprocessing.get_context("spawn").Process(target=_write, args=(name, path, megabytes))
    process.start()
    process.join()


def _write(name: str, path: Path, megabytes: float) -> None:
    WRITERS[name](path, rows(megabytes))


def run(command: list[str]) -> tuple[float, float]:
    """(seconds of CPU, peak memory in MB) of one process."""
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    if status:
        raise SystemExit(f"{command} failed")
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser()
    parser.add_argument("megabytes", nargs="?", type=float, default=200)
    parser.add_argument("names", nargs="*", default=list(WRITERS))
    parser.add_argument("--ingest", action="store_true")
    options = parser.parse_args()
    worst = 0.0
    print(f"{'file':<26}{'MB':>8}{'read s':>9}{'MB/s':>7}{'peak MB':>9}" + "   ingest s  peak MB")
    with tempfile.TemporaryDirectory() as folder:
        for name in options.names:
            path = Path(folder) / name
            is_short = name.endswith("xlsx") and options.names == list(WRITERS)
            size = min(options.megabytes, MOST_IN_EXCEL) if is_short else options.megabytes
            write(name, path, size)
            seconds, memory = run([sys.executable, "-c", READ, str(path)])
            worst = max(worst, memory)
            line = f"{name:<26}{path.stat().st_size / 1e6:>8.0f}{seconds:>9.1f}{size / seconds:>7.0f}{memory:>9.0f}"
            if options.ingest or name in SPANS:
                command = [
                    sys.executable,
                    "-m",
                    "annotate",
                    "ingest",
                    str(path),
                    "--db",
                    str(Path(folder) / f"{name}.db"),
                ]
                ingested = run(command)
                line += "{:>11.1f}{:>9.0f}".format(*ingested)
                worst = max(worst, ingested[1] if name in SPANS else 0)
            print(line, flush=True)
            for file in Path(folder).iterdir():
                file.unlink()
    if worst > LIMIT_MB:
        sys.exit(1)


if __name__ == "__main__":
    main()
