"""How captured launches are handed to the processes that run TileLang."""

from __future__ import annotations

from pathlib import Path

from migrate.verify.capture import Argument, Capture, Json, Launch


def launch_item(launch: Launch, capture: Capture, blobs: Path, out: Path) -> dict[str, Json]:
    """A launch for a worker's job file; contents of buffers lie as raw files in ``blobs``.

    ``out`` is the folder in which the worker leaves what the launch made of them.
    """
    buffers: list[Json] = [
        {"alloc": b.alloc, "file": raw_blob(b.before, capture, blobs)} for b in launch.buffers
    ]
    variables: list[Json] = [
        {"name": g.name, "file": raw_blob(g.before, capture, blobs)} for g in launch.globals
    ]
    return {
        "seq": launch.seq,
        "grid": list(launch.grid),
        "block": list(launch.block),
        "shared": launch.shared_bytes,
        "args": [_argument(a) for a in launch.args],
        "buffers": buffers,
        "globals": variables,
        "out": str(out.resolve()),
    }


def raw_blob(digest: str, capture: Capture, blobs: Path) -> str:
    """The path of a content as a raw file, written once."""
    file = blobs / digest
    if not file.exists():
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(capture.blob(digest))
    return str(file.resolve())


def unreplayable(launch: Launch) -> str:
    """Why a launch cannot be replayed, or nothing."""
    known = {b.alloc for b in launch.buffers}
    if launch.ambiguous:
        return f"two device variables are named {launch.ambiguous}"
    for a in launch.args:
        if a.kind == "pointer" and a.alloc == -2:
            return f"argument {a.name} does not point to device memory"
        reached = [w.alloc for w in a.pointers]
        if a.kind == "pointer":
            reached.append(a.alloc)
        if any(x >= 0 and x not in known for x in reached):
            return f"the buffer of argument {a.name} was not captured"
    return ""


def _argument(a: Argument) -> Json:
    pointers: list[Json] = [{"at": w.at, "alloc": w.alloc, "offset": w.offset} for w in a.pointers]
    return {
        "kind": a.kind,
        "data": a.data.hex(),
        "alloc": a.alloc,
        "offset": a.offset,
        "pointers": pointers,
    }
