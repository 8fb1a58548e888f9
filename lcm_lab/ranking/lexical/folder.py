"""A folder of arrays: whole and as it was written, or refused.

Every byte is compared with the checksum that was written beside it, at some gigabytes a second;
the texts that the lists are of take longer to compare. A search in damaged lists would give wrong
hits and no sign of it.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from lcm_lab import whole
from lcm_lab.errors import BadInput, BadParameter, NotFound

__all__ = ["Arrays", "read", "write"]

Arrays = dict[str, npt.NDArray[Any]]

#: What such a folder says it is; another layout gets another number, and is refused.
KIND, FORMAT = "lcm_lab posting lists", 2

MANIFEST = "manifest.json"
OWN = (whole.PART, whole.READY)

#: What comes of reading what is damaged.
DAMAGED = (OSError, ValueError, LookupError, TypeError, RecursionError)

#: How much of a file is read at a time.
CHUNK = 1 << 20


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
    with whole.folder(folder) as work:
        files = {name: _put(work / f"{name}.npy", array) for name, array in arrays.items()}
        told = {"kind": KIND, "format": FORMAT, **about, "files": files}
        text = json.dumps({"sum": _sum_of(told), **told}, indent=1, ensure_ascii=False)
        (work / MANIFEST).write_bytes(text.encode("utf-8", "surrogatepass"))
    for path in folder.glob("*.npy"):
        if path.stem not in files:
            path.unlink(missing_ok=True)
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
    return whole.read(folder, MANIFEST, lambda: _read(folder))


def _read(folder: Path) -> tuple[dict[str, Any], Arrays]:
    if not (folder / MANIFEST).is_file():
        raise NotFound(f"No saved index in {folder}. Write one with search.save({str(folder)!r}).")
    try:
        about = _about(folder)
        kind, form = about["kind"], about["format"]
        arrays = _mapped(folder, about) if (kind, form) == (KIND, FORMAT) else {}
    except DAMAGED as error:
        raise BadInput(f"The saved index in {folder} is damaged: {error}. Save it anew.") from None
    if (kind, form) != (KIND, FORMAT):
        raise BadInput(
            f"{folder} holds {kind!r}, format {form!r}; read are {KIND!r}, format {FORMAT}. "
            "Save it anew."
        )
    return about, arrays


def _about(folder: Path) -> dict[str, Any]:
    text = (folder / MANIFEST).read_bytes().decode("utf-8", "surrogatepass")
    told = json.loads(text)
    if not isinstance(told, dict):
        raise TypeError(f"{MANIFEST} is no JSON object")
    return told


def _ours(folder: Path) -> bool:
    """Tell whether a folder is empty or holds a saved index and nothing else."""
    if not folder.is_dir():
        return False
    inside = [path for path in folder.iterdir() if not path.name.startswith(OWN)]
    if not all(path.suffix == ".npy" or path.name == MANIFEST for path in inside):
        return False
    try:
        return not inside or _about(folder)["kind"] == KIND
    except DAMAGED:
        return False


def _put(path: Path, array: npt.NDArray[Any]) -> int:
    np.save(path, array, allow_pickle=False)
    return _sum(path)


def _mapped(folder: Path, about: dict[str, Any]) -> Arrays:
    if about.pop("sum") != _sum_of(about):
        raise ValueError(f"{MANIFEST} was changed after it was written")
    arrays = {}
    for name, check in about["files"].items():
        path = folder / f"{name}.npy"
        if path.parent != folder:
            raise ValueError(f"{MANIFEST} names {name!r:.80}, a file elsewhere")
        if _sum(path) != check:
            raise ValueError(f"{path.name} was changed after it was written")
        try:
            array = np.load(path, mmap_mode="r", allow_pickle=False)
        except ValueError:  # numpy maps nothing that is empty
            array = np.load(path, allow_pickle=False)
        # A plain array is sliced faster than a memmap.
        arrays[name] = np.asarray(array)
        arrays[name].flags.writeable = False
    return arrays


def _sum(path: Path) -> int:
    check = 0
    with path.open("rb") as file:
        while piece := file.read(CHUNK):
            check = zlib.crc32(piece, check)
    return check


def _sum_of(about: Mapping[str, Any]) -> int:
    return zlib.crc32(json.dumps(about, sort_keys=True).encode())
