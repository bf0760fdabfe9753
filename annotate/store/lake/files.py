"""Write and read whole files under the root of a lake, in a folder or an object store.

A file is there whole or not at all, whatever happens to the process that writes it: what is unfinished has a name of its
own. Whatever goes wrong is a StoreError without the credentials of the address.
"""

from __future__ import annotations

import os
import secrets
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from annotate.store.lake.address import LakeAddress, read_address
from proxy.errors import AssayError, StoreError, UsageError

if TYPE_CHECKING:
    from pyarrow.fs import FileSystem

UNFINISHED = ".unfinished"
# They show an object once it was sent whole, and have no folders that must be made first.
OBJECT_STORES = frozenset({"s3", "gcs", "abfs"})
CHUNK_BYTES = 1 << 20


class LakeFiles:
    """The files under one root. Paths are relative to it, with `/` between folders."""

    def __init__(self, filesystem: FileSystem, root: str, address: LakeAddress) -> None:
        self.filesystem = filesystem
        self.root = root.rstrip("/")
        self.shown = address.shown
        self._address = address
        self._is_local = filesystem.type_name == "local"
        self._is_object_store = filesystem.type_name in OBJECT_STORES

    def __repr__(self) -> str:
        return f"LakeFiles({self.shown!r})"

    def full(self, path: str) -> str:
        """Return the path as the file system wants it."""
        return f"{self.root}/{path}"

    def size(self, path: str) -> int | None:
        """Return the bytes of a file; None where there is none."""
        from pyarrow.fs import FileType

        with self._readable_errors(path):
            info = self.filesystem.get_file_info(self.full(path))
        return info.size if info.type == FileType.File else None

    @contextmanager
    def opened(self, path: str) -> Iterator[Any]:
        """Open a file for reading at any place; FileNotFoundError where there is none."""
        with self._readable_errors(path), self.filesystem.open_input_file(self.full(path)) as file:
            yield file

    def chunks(self, path: str) -> Iterator[bytes]:
        """Yield the content of a file in pieces; FileNotFoundError where there is none."""
        with self._readable_errors(path), self.filesystem.open_input_stream(self.full(path)) as file:
            while chunk := file.read(CHUNK_BYTES):
                yield chunk

    def put(self, path: str, content: Any) -> None:
        """Write a file whole, in place of one of this name."""
        with self._readable_errors(path):
            try:
                self._put(path, content)
            except FileNotFoundError as error:  # a bucket, or a root that was taken away meanwhile
                raise StoreError(self._advice(path, error)) from None

    def _put(self, path: str, content: Any) -> None:
        if self._is_local:
            _write_whole(Path(self.full(path)), content)
        elif self._is_object_store:
            self._send(path, content)
        else:
            folder = path.rpartition("/")[0]
            unfinished = f"{folder}/.{secrets.token_hex(8)}{UNFINISHED}"
            self.filesystem.create_dir(self.full(folder), recursive=True)
            self._send(unfinished, content)
            self.filesystem.move(self.full(unfinished), self.full(path))

    def _send(self, path: str, content: Any) -> None:
        with self.filesystem.open_output_stream(self.full(path)) as file:
            file.write(content)

    def delete(self, path: str) -> None:
        """Delete a file; nothing happens where there is none."""
        with self._readable_errors(path), suppress(FileNotFoundError):
            self.filesystem.delete_file(self.full(path))

    def paths(self, folder: str) -> Iterator[str]:
        """Yield the files below a folder, also those without an end; none where there is no such folder."""
        if self._is_local:
            yield from _local_paths(Path(self.root), folder)
            return
        from pyarrow.fs import FileSelector, FileType

        below = FileSelector(self.full(folder), recursive=True, allow_not_found=True)
        with self._readable_errors(folder):
            infos = self.filesystem.get_file_info(below)
        start = f"{self.root}/"
        for info in infos:
            if info.type == FileType.File and info.path.startswith(start):
                yield info.path.removeprefix(start)

    @contextmanager
    def _readable_errors(self, path: str) -> Iterator[None]:
        """Turn faults of any file system into one line that says what to do next."""
        try:
            yield
        except (FileNotFoundError, AssayError):
            raise
        except Exception as error:  # noqa: BLE001 - file systems of others raise what they like
            # Not `from error`: its message may have the keys of the address.
            raise StoreError(self._advice(path, error)) from None

    def reason(self, error: Exception) -> str:
        """Return what an error of the file system says, in one line and without credentials."""
        return self._address.without_secrets(_first_line(error))

    def _advice(self, path: str, error: Exception) -> str:
        return (
            f"{path} of the lake {self.shown}: {self.reason(error)}: "
            "check that the lake can be reached, that you may read and write there, and that it has space"
        )


def open_files(address: str) -> LakeFiles:
    """Open the root that an address names; errors as `Lake.open` has them."""
    place = read_address(address)
    if not place.is_url:
        return _local(Path(place.location).expanduser(), place)
    failure: Exception
    try:
        filesystem, root = _file_system(place)
        if filesystem.type_name == "local":
            return _local(Path(root), place)
        files = LakeFiles(filesystem, root, place)
        _require_bucket(files)
    except AssayError:
        raise
    except Exception as error:  # noqa: BLE001 - file systems of others raise what they like
        failure = error
    else:
        return files
    # Outside of the handler: the message of what was caught may have the keys of the address.
    reason = place.without_secrets(_first_line(failure))
    raise StoreError(f"the lake {place.shown} cannot be opened: {reason}: check its address, and that you may use it")


def _local(folder: Path, place: LakeAddress) -> LakeFiles:
    from pyarrow.fs import LocalFileSystem

    root = folder.absolute()
    try:
        _make_folders(root)
        if not root.is_dir():
            raise NotADirectoryError(20, "it is a file")
    except OSError as error:
        advice = "give a folder that exists, or that you may make"
        raise StoreError(f"the lake {place.shown} cannot be opened: {error.strerror}: {advice}") from error
    return LakeFiles(LocalFileSystem(), str(root), place)


def _file_system(place: LakeAddress) -> tuple[FileSystem, str]:
    """Return the file system of a URL, and the path in it: pyarrow's own, else one that fsspec knows."""
    import pyarrow as pa
    from pyarrow.fs import FileSystem

    try:
        filesystem, root = FileSystem.from_uri(place.location)
    except pa.ArrowInvalid as error:
        if "Unrecognized filesystem type" not in str(error):
            reason = place.without_secrets(_first_line(error).replace(place.location, place.shown))
            raise UsageError(f"the address {place.shown} of a lake cannot be used: {reason}") from None
    else:
        return filesystem, root
    return _from_fsspec(place)


def _from_fsspec(place: LakeAddress) -> tuple[FileSystem, str]:
    from pyarrow.fs import FSSpecHandler, PyFileSystem

    scheme = place.shown.partition("://")[0]
    try:
        from fsspec.core import url_to_fs
        from fsspec.registry import get_filesystem_class

        get_filesystem_class(scheme)
    except ImportError:
        advice = f"pip install fsspec, and its package for {scheme}"
        raise UsageError(
            f"no file system that is installed knows {place.shown}: {advice}, or use s3:// or a folder"
        ) from None
    except ValueError:
        raise UsageError(
            f"no file system knows the scheme of {place.shown}: use s3://, gs://, abfs:// or a folder"
        ) from None
    filesystem, root = url_to_fs(place.location)
    return PyFileSystem(FSSpecHandler(filesystem)), root


def _require_bucket(files: LakeFiles) -> None:
    """Raise StoreError where the bucket of an object store does not exist, or where the store cannot be reached."""
    from pyarrow.fs import FileType

    if files.filesystem.type_name not in OBJECT_STORES:
        return
    bucket = files.root.partition("/")[0]
    if files.filesystem.get_file_info(bucket).type == FileType.NotFound:
        raise StoreError(
            f"the lake {files.shown} cannot be opened: there is no bucket {bucket}: make it, or check the address"
        )


def _first_line(error: Exception) -> str:
    return (str(error).strip().splitlines() or [type(error).__name__])[0]


def _local_paths(root: Path, folder: str) -> Iterator[str]:
    # Links are not followed: they lead out of the lake.
    for parent, _, names in os.walk(root / folder):
        for name in names:
            yield (Path(parent) / name).relative_to(root).as_posix()


def _write_whole(target: Path, content: Any) -> None:
    """Write a file that has its name only once it is on the disk."""
    _make_folders(target.parent)
    handle, name = tempfile.mkstemp(prefix=".", suffix=UNFINISHED, dir=target.parent)
    unfinished = Path(name)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        unfinished.replace(target)
    except BaseException:
        unfinished.unlink(missing_ok=True)
        raise
    _settle(target.parent)


def _make_folders(folder: Path) -> None:
    """Make a folder and those above it, for this user alone; what is there already stays as it is."""
    if folder.exists():
        return
    _make_folders(folder.parent)
    with suppress(FileExistsError):  # another process was faster
        folder.mkdir(mode=0o700)
    _settle(folder.parent)


def _settle(folder: Path) -> None:
    """Flush the names in a folder to disk."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
