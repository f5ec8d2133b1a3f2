"""The folders of the game that hold seeds and exported minds: files in them by name, and no others.

A name comes from a command. It cannot leave the folder: not by "..", not as a path of its own, and
not through a link.
"""

from __future__ import annotations

import os
import re
from pathlib import Path

from django.conf import settings

# Folders in the game's: seeds, minds that were exported, and dialogues that test NPCs.
FOLDERS = {"seeds": "world/minds", "minds": "server/minds", "dialogues": "world/dialogues"}
# Keys of FOLDERS.
SEEDS, MINDS, DIALOGUES = "seeds", "minds", "dialogues"
# Bytes of a seed or a dialogue, and of a whole mind.
SEED_BYTES = 1_000_000
MIND_BYTES = 100_000_000

# Characters of a name, with its folders; what is longer no file system takes.
NAME_LENGTH = 200

_NAME = re.compile(r"\w[\w .-]*(?:/\w[\w .-]*)*")


def path_of(name: str, *, folder: str) -> Path:
    """Return where a file of that name is or would be in one of the folders.

    Raises:
        ValueError: the name leads out of the folder, or is none.
    """
    root: Path = (Path(settings.GAME_DIR) / FOLDERS[folder]).resolve()
    is_name = len(name) <= NAME_LENGTH and _NAME.fullmatch(name)
    path = (root / name).resolve() if is_name else None
    if path is None or not path.is_relative_to(root):
        raise ValueError(f"{name[:NAME_LENGTH]!r} is not the name of a file in {shown(folder)}.")
    return path


def shown(folder: str) -> str:
    """Return what staff know a folder as."""
    return str(FOLDERS[folder]).rstrip("/")


def find(name: str, *, folder: str, suffixes: tuple[str, ...]) -> str:
    """Return the name of a file that is there, with one of the suffixes where it was left out.

    Raises:
        ValueError: there is none.
    """
    for candidate in (name, *(f"{name}{suffix}" for suffix in suffixes)):
        if path_of(candidate, folder=folder).is_file():
            return candidate
    raise ValueError(f"There is no file {name} in {shown(folder)}.")


def read(name: str, *, folder: str, limit: int) -> bytes:
    """Return the bytes of a file.

    Raises:
        ValueError: it is not there, cannot be read, or has more than `limit` bytes.
    """
    path = path_of(name, folder=folder)
    try:
        # A pipe or a device would never end.
        if not path.is_file():
            raise ValueError(f"There is no file {name} in {shown(folder)}.")
        with path.open("rb") as file:
            data = file.read(limit + 1)
    except OSError as error:
        raise ValueError(f"{name} cannot be read: {error.strerror}.") from None
    if len(data) > limit:
        raise ValueError(f"{name} has more than {limit} bytes.")
    return data


def write(name: str, data: bytes, *, folder: str) -> None:
    """Write a file whole or not at all; only the account of the server may read it.

    Raises:
        ValueError: it cannot be written.
    """
    path = path_of(name, folder=folder)
    part = path.with_name(f"{path.name}.part")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        part.unlink(missing_ok=True)
        descriptor = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(descriptor, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        part.replace(path)
    except OSError as error:
        raise ValueError(f"{name} cannot be written: {error.strerror}.") from None
