"""Read and write plain files: rows of JSON, CSV, Parquet, Arrow and Excel, one format a module, compressed or not."""

from annotate.files.folders import DataFile, data_files
from annotate.files.reading import digest, read_rows
from annotate.files.rereading import rereadable
from annotate.files.rows import KEPT_BYTES, FileRow, Rejected
from annotate.files.writing import write_rows

__all__ = [
    "KEPT_BYTES",
    "DataFile",
    "FileRow",
    "Rejected",
    "data_files",
    "digest",
    "read_rows",
    "rereadable",
    "write_rows",
]
