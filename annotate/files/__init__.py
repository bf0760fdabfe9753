"""Read and write plain files: rows of JSON, CSV, Parquet, Arrow and Excel, one format a module, compressed or not."""

from annotate.files.encodings import AUTO, GuessedEncoding, GuessedFile, check_encoding
from annotate.files.folders import DataFile, data_files
from annotate.files.reading import digest, guessed_encoding, read_rows
from annotate.files.rereading import rereadable
from annotate.files.rows import KEPT_BYTES, FileRow, Rejected
from annotate.files.writing import write_rows

__all__ = [
    "AUTO",
    "KEPT_BYTES",
    "DataFile",
    "FileRow",
    "GuessedEncoding",
    "GuessedFile",
    "Rejected",
    "check_encoding",
    "data_files",
    "digest",
    "guessed_encoding",
    "read_rows",
    "rereadable",
    "write_rows",
]
