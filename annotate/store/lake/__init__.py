"""Keep traffic that is too large for an SQLite file as Parquet files, in a folder or an object store.

The ledger, in the SQLite file, lists the parts that belong to the lake: a file that it does not name does not exist.
"""
