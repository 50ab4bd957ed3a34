"""What replayed launches left, kept by content: a second proof of unchanged code runs nothing.

The key of a launch is made of everything that its result depends on: the generated file, the entry,
the arguments and the contents of all buffers before the launch, and the tools. Only launches that
ended well are kept. A buffer that the launch left as it was is not stored again.
"""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass

from migrate.core.content_store import ContentStore, DamagedEntry, digest
from migrate.verify.capture import Capture, Launch
from migrate.verify.judge import ReplayedLaunch


@dataclass(frozen=True, slots=True)
class ReplayStore:
    """Results of replays; ``tools`` are the versions and programs that make them."""

    store: ContentStore
    tools: bytes

    def key(self, module: bytes, entry: str, launch: Launch | None) -> str:
        """The name of a launch's result, without a launch that of a kernel that compiles."""
        asked = "" if launch is None else _asked(launch)
        return digest(self.tools, module, entry.encode(), asked.encode())

    def compiles(self, key: str) -> bool:
        """Whether a kernel is known to compile."""
        return self._load(key) is not None

    def load(self, key: str, launch: Launch, capture: Capture) -> ReplayedLaunch | None:
        """The result of a launch, None when it is not known."""
        content = self._load(key)
        if content is None:
            return None
        try:
            with zipfile.ZipFile(io.BytesIO(content)) as packed:
                kept = {name: packed.read(name) for name in packed.namelist()}
        except zipfile.BadZipFile:
            return None
        return ReplayedLaunch(
            launch.seq,
            {
                b.alloc: kept.get(f"buffer_{b.alloc}") or capture.blob(b.before)
                for b in launch.buffers
            },
            {
                g.name: kept.get(f"global_{g.name}") or capture.blob(g.before)
                for g in launch.globals
            },
        )

    def save(
        self, key: str, launch: Launch | None, found: ReplayedLaunch, capture: Capture | None
    ) -> None:
        """Keep the result of a launch that ended well."""
        out = io.BytesIO()
        with zipfile.ZipFile(out, "w", zipfile.ZIP_STORED) as packed:
            for name, content in _changed(launch, found, capture):
                packed.writestr(name, content)
        self.store.save(key, out.getvalue())

    def _load(self, key: str) -> bytes | None:
        try:
            return self.store.load(key)
        except DamagedEntry:
            return None


def _asked(launch: Launch) -> str:
    """What a launch hands to a kernel. Contents are named by their hashes."""
    args = [
        (a.kind, a.data.hex(), a.alloc, a.offset, [(w.at, w.alloc, w.offset) for w in a.pointers])
        for a in launch.args
    ]
    buffers = [(b.alloc, b.size, b.before) for b in launch.buffers]
    variables = [(g.name, g.before) for g in launch.globals]
    shape = (launch.grid, launch.block, launch.shared_bytes)
    return json.dumps((shape, args, buffers, variables))


def _changed(
    launch: Launch | None, found: ReplayedLaunch, capture: Capture | None
) -> Iterator[tuple[str, bytes]]:
    if launch is None or capture is None:
        return
    for b in launch.buffers:
        content = found.buffers[b.alloc]
        if content != capture.blob(b.before):
            yield f"buffer_{b.alloc}", content
    for g in launch.globals:
        content = found.globals[g.name]
        if content != capture.blob(g.before):
            yield f"global_{g.name}", content
