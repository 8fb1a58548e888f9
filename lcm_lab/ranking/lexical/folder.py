"""A folder of arrays: written beside its place and renamed, so that it is whole or not there."""

from __future__ import annotations

import json
import os
import shutil
import tempfile
import zlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, cast

import numpy as np
import numpy.typing as npt

from lcm_lab.errors import BadInput, BadParameter, NotFound

__all__ = ["Arrays", "read", "write"]

Arrays = dict[str, npt.NDArray[Any]]

#: What such a folder says it is; another layout gets another number, and is refused.
KIND, FORMAT = "lcm_lab posting lists", 1

MANIFEST = "manifest.json"

#: Files up to so many bytes are read whole and checked; larger ones are mapped and measured.
CHECKED = 1 << 20


def write(folder: Path, about: Mapping[str, Any], arrays: Arrays) -> Path:
    """Write arrays and what is to be known about them, in the place of an earlier such folder.

    Whoever has the earlier one mapped keeps it.

    Raises
    ------
    BadParameter
        For a place where something else stands.
    """
    if folder.exists() and not _ours(folder):
        raise BadParameter(f"{folder} is there and no saved index. Name a new or an empty folder.")
    folder.parent.mkdir(parents=True, exist_ok=True)
    beside = Path(tempfile.mkdtemp(prefix=f".{folder.name}-", dir=folder.parent))
    try:
        new, old = beside / "new", beside / "old"
        new.mkdir()
        files = {name: _put(new / f"{name}.npy", array) for name, array in arrays.items()}
        told = {"kind": KIND, "format": FORMAT, **about, "files": files}
        text = json.dumps(told, indent=1, ensure_ascii=False)
        _flush(new / MANIFEST, text.encode("utf-8", "surrogatepass"))
        if folder.exists():
            folder.rename(old)
        new.rename(folder)
    finally:
        shutil.rmtree(beside)
    return folder


def read(folder: Path) -> tuple[dict[str, Any], Arrays]:
    """Map the arrays of a folder, read-only, and give what is known about them.

    Raises
    ------
    NotFound
        Where there is no such folder.
    BadInput
        For another format, and for files that are missing, cut short or changed.
    """
    if not (folder / MANIFEST).is_file():
        raise NotFound(f"No saved index in {folder}. Write one with search.save({str(folder)!r}).")
    try:
        about = _about(folder)
        kind, form = about["kind"], about["format"]
        arrays = _mapped(folder, about["files"]) if (kind, form) == (KIND, FORMAT) else {}
    except (OSError, ValueError, LookupError, TypeError) as error:
        raise BadInput(f"The saved index in {folder} is damaged: {error}. Save it anew.") from None
    if (kind, form) != (KIND, FORMAT):
        raise BadInput(
            f"{folder} holds {kind!r}, format {form!r}; read are {KIND!r}, format {FORMAT}. "
            "Save it anew."
        )
    return about, arrays


def _about(folder: Path) -> dict[str, Any]:
    text = (folder / MANIFEST).read_bytes().decode("utf-8", "surrogatepass")
    return cast("dict[str, Any]", json.loads(text))


def _ours(folder: Path) -> bool:
    """Tell whether a folder is empty or holds a saved index and nothing else."""
    if not folder.is_dir():
        return False
    inside = list(folder.iterdir())
    if not all(path.suffix == ".npy" or path.name == MANIFEST for path in inside):
        return False
    try:
        return not inside or _about(folder)["kind"] == KIND
    except (OSError, ValueError, LookupError, TypeError):
        return False


def _put(path: Path, array: npt.NDArray[Any]) -> list[Any]:
    with path.open("wb") as file:
        np.save(file, array, allow_pickle=False)
        file.flush()
        os.fsync(file.fileno())
    return [array.dtype.str, list(array.shape), _sum(array)]


def _flush(path: Path, data: bytes) -> None:
    with path.open("wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())


def _mapped(folder: Path, files: Mapping[str, Any]) -> Arrays:
    arrays = {}
    for name, (dtype, shape, check) in files.items():
        path = folder / f"{name}.npy"
        # numpy maps nothing that is empty; a plain array is sliced faster than a memmap.
        array = np.load(path, mmap_mode="r" if 0 not in shape else None, allow_pickle=False)
        array = np.asarray(array)
        if array.dtype.str != dtype or list(array.shape) != shape:
            raise ValueError(f"{path.name} holds other data than was written")
        if array.nbytes <= CHECKED and _sum(array) != check:
            raise ValueError(f"{path.name} was changed after it was written")
        array.flags.writeable = False
        arrays[name] = array
    return arrays


def _sum(array: npt.NDArray[Any]) -> int:
    return zlib.crc32(np.ascontiguousarray(array).data) if array.size else 0
