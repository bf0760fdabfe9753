"""Read and write plain files: rows of JSONL, CSV and Parquet, one format a module."""

from annotate.files.reading import FileRow, Rejected, digest, read_rows
from annotate.files.rereading import rereadable
from annotate.files.writing import write_rows

__all__ = ["FileRow", "Rejected", "digest", "read_rows", "rereadable", "write_rows"]
