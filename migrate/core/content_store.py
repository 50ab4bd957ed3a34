"""Bytes on disk under a key that names their content: capped in size, safe between processes.

An entry is one file: the SHA-256 of the rest in hexadecimal, a line feed, the rest. A writer fills
a file of its own and renames it, so a reader sees all of an entry or none.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

_DIGEST_CHARACTERS = 64
_ABANDONED_SECONDS = 3600.0


def digest(*parts: bytes) -> str:
    """A key for these parts; where one part ends and the next begins counts."""
    total = hashlib.sha256()
    for part in parts:
        total.update(len(part).to_bytes(8, "little"))
        total.update(part)
    return total.hexdigest()


class DamagedEntry(Exception):
    """An entry whose bytes are not those that were stored. It has been removed."""


@dataclass(frozen=True, slots=True)
class ContentStore:
    """The entries below ``root``. Those used longest ago go when there are over ``max_bytes``.

    An entry of more than a quarter of ``max_bytes`` is not kept: it would drive out the rest.
    """

    root: Path
    max_bytes: int

    def load(self, key: str) -> bytes | None:
        """The bytes under ``key``, None when there are none. Raises :class:`DamagedEntry`."""
        path = self._path(key)
        try:
            raw = path.read_bytes()
        except OSError:
            return None
        content = raw[_DIGEST_CHARACTERS + 1 :]
        if raw[:_DIGEST_CHARACTERS] != hashlib.sha256(content).hexdigest().encode():
            self.remove(key)
            raise DamagedEntry(f"{path.name}: {len(raw)} bytes that are not what was stored")
        with contextlib.suppress(OSError):
            os.utime(path)
        return content

    def save(self, key: str, content: bytes) -> None:
        """Store ``content``. A store that cannot be written only costs time, so it is no error."""
        if len(content) > self.max_bytes // 4:
            return
        path = self._path(key)
        with contextlib.suppress(OSError):
            path.parent.mkdir(parents=True, exist_ok=True)
            with tempfile.NamedTemporaryFile(
                dir=path.parent, prefix="new-", suffix=".part", delete=False
            ) as out:
                out.write(hashlib.sha256(content).hexdigest().encode() + b"\n")
                out.write(content)
            os.replace(out.name, path)
            self._evict(path)

    def remove(self, key: str) -> None:
        """Forget an entry, if it is there."""
        with contextlib.suppress(OSError):
            self._path(key).unlink()

    def _path(self, key: str) -> Path:
        return self.root / key[:2] / f"{key}.entry"

    def _evict(self, newest: Path) -> None:
        entries: list[tuple[float, int, Path]] = []
        for path in self.root.glob("*/*"):
            with contextlib.suppress(OSError):  # another process may have removed it
                stat = path.stat()
                if path.suffix == ".part":
                    if time.time() - stat.st_mtime > _ABANDONED_SECONDS:
                        path.unlink()
                else:
                    entries.append((stat.st_mtime, stat.st_size, path))
        total = sum(size for _, size, _ in entries)
        for _, size, path in sorted(entries):
            if total <= self.max_bytes:
                return
            if path != newest:
                with contextlib.suppress(OSError):
                    path.unlink()
                total -= size
