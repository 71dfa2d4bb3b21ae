"""Where data files lie, and how one is fetched: checked against its sha256, written whole or not at all."""

from __future__ import annotations

import hashlib
import os
import tempfile
from pathlib import Path

from gpsem.datasets.registry import Dataset
from gpsem.errors import MACHINE_AT_FAULT, GpsemError

TIMEOUT = 30.0
LARGEST = 50_000_000


def cache() -> Path:
    """The folder of fetched files: GPSEM_CACHE, or `gpsem` in the user's cache folder."""
    if os.environ.get("GPSEM_CACHE"):
        return Path(os.environ["GPSEM_CACHE"])
    base = os.environ.get("XDG_CACHE_HOME") or os.environ.get("LOCALAPPDATA")
    return (Path(base) if base else Path.home() / ".cache") / "gpsem"


def locate(dataset: Dataset) -> Path | None:
    """A file that is there: in the folder named by GPSEM_DATA, or in the cache."""
    folders = [Path(folder) for folder in (os.environ.get("GPSEM_DATA"),) if folder]
    return next((file for folder in [*folders, cache()] if (file := folder / dataset.file).is_file()), None)


def advice(dataset: Dataset) -> str:
    """Where a copy of one's own goes."""
    what = f" ({dataset.origin})" if dataset.origin else ""
    named = os.environ.get("GPSEM_DATA")
    lost = f" (GPSEM_DATA names {named}, which is no folder.)" if named and not Path(named).is_dir() else ""
    return (
        f"Put a copy{what}, a CSV with the columns {', '.join(dataset.columns[:4])}, …, at {cache() / dataset.file}, "
        f"or as {dataset.file} into the folder named by the environment variable GPSEM_DATA.{lost}"
    )


def obtain(dataset: Dataset) -> Path:
    """The file of a data set: where it lies, or fetched; otherwise an error that says where to put one."""
    found = locate(dataset)
    if found is not None:
        return found
    if not dataset.url:
        raise GpsemError(
            f"The data set '{dataset.name}' is not handed out with gpsem, and there is no {dataset.file} here.",
            remedy=advice(dataset),
            code=MACHINE_AT_FAULT,
        )
    body = download(dataset)
    target = cache() / dataset.file
    _write(target, (",".join(dataset.columns) + "\n").encode() + body)
    return target


def download(dataset: Dataset) -> bytes:
    """The bytes at the data set's address, if they are the ones that are expected."""
    from urllib.error import HTTPError, URLError
    from urllib.request import Request, urlopen

    request = Request(dataset.url, headers={"User-Agent": "gpsem"})
    try:
        with urlopen(request, timeout=TIMEOUT) as answer:
            body = bytes(answer.read(LARGEST + 1))
    except (URLError, OSError, ValueError) as error:
        reason = getattr(error, "reason", None) or error
        if isinstance(error, HTTPError):
            error.close()
        raise GpsemError(
            f"'{dataset.name}' could not be fetched from {dataset.url} ({reason}).",
            remedy=f"Try again when online. {advice(dataset)}",
            code=MACHINE_AT_FAULT,
        ) from None
    digest = hashlib.sha256(body).hexdigest()
    if digest != dataset.sha256:
        raise GpsemError(
            f"What {dataset.url} sent is not the file that is known as '{dataset.name}': its sha256 is {digest[:12]}…, "
            f"not {dataset.sha256[:12]}…. It was not kept.",
            remedy=f"Try again later. {advice(dataset)}",
            code=MACHINE_AT_FAULT,
        )
    return body


def _write(target: Path, content: bytes) -> None:
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(dir=target.parent, prefix=target.name)
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(content)
            os.replace(name, target)
        except BaseException:
            Path(name).unlink(missing_ok=True)
            raise
    except OSError as error:
        raise GpsemError(
            f"{target} cannot be written ({error.strerror or error}).",
            remedy="Free some room, or name another folder in the environment variable GPSEM_CACHE.",
            code=MACHINE_AT_FAULT,
        ) from None
