"""Results of replays by content: what is found again, and what counts as something else."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path, PurePosixPath

import pytest

from migrate.core.artifact import EmittedKernel
from migrate.core.content_store import ContentStore
from migrate.core.options import Options
from migrate.core.rung import Rung
from migrate.core.span import NO_SPAN
from migrate.core.targets import Target
from migrate.ir.parser import parse_module
from migrate.verify import tilelang_replay
from migrate.verify.capture import Argument, Buffer, Capture, GlobalBuffer, Launch
from migrate.verify.judge import ReplayedLaunch
from migrate.verify.replay_store import ReplayStore

BLOBS = {"in": b"abcd", "out": b"....", "table": b"12345678"}
LAUNCH = Launch(
    seq=7,
    kernel="k",
    mangled="k",
    pretty="k",
    grid=(2, 1, 1),
    block=(64, 1, 1),
    shared_bytes=0,
    args=(Argument("n", "i32", b"\4\0\0\0"), Argument("x", "pointer", alloc=0)),
    buffers=(Buffer(0, 4, "in", ""), Buffer(1, 4, "out", "")),
    globals=(GlobalBuffer("table", "constant", 8, "table", ""),),
    skipped=None,
)
LEFT = ReplayedLaunch(7, {0: b"abcd", 1: b"wxyz"}, {"table": b"12345678"})


@pytest.fixture
def capture(tmp_path: Path) -> Capture:
    blobs = tmp_path / "capture" / "blobs"
    blobs.mkdir(parents=True)
    for name, content in BLOBS.items():
        (blobs / f"{name}.bin").write_bytes(content)
    return Capture(tmp_path / "capture", (LAUNCH,))


@pytest.fixture
def store(tmp_path: Path) -> ReplayStore:
    return ReplayStore(ContentStore(tmp_path / "replays", 1 << 20), b"tools")


def test_a_result_comes_back_with_what_was_not_changed(
    store: ReplayStore, capture: Capture, tmp_path: Path
) -> None:
    key = store.key(b"module", "k", LAUNCH)
    assert store.load(key, LAUNCH, capture) is None
    store.save(key, LAUNCH, LEFT, capture)
    assert store.load(key, LAUNCH, capture) == LEFT
    (entry,) = (tmp_path / "replays").rglob("*.entry")
    assert b"wxyz" in entry.read_bytes() and b"abcd" not in entry.read_bytes()
    assert store.load(key, replace(LAUNCH, seq=9), capture) == replace(LEFT, seq=9)


def test_everything_that_a_result_depends_on_is_in_its_key(store: ReplayStore) -> None:
    n, x = LAUNCH.args
    others = [
        replace(LAUNCH, grid=(3, 1, 1)),
        replace(LAUNCH, block=(32, 1, 1)),
        replace(LAUNCH, shared_bytes=64),
        replace(LAUNCH, args=(replace(n, data=b"\5\0\0\0"), x)),
        replace(LAUNCH, args=(n, replace(x, alloc=1))),
        replace(LAUNCH, args=(n, replace(x, offset=4))),
        replace(LAUNCH, buffers=(Buffer(0, 4, "out", ""), Buffer(1, 4, "out", ""))),
        replace(LAUNCH, globals=(GlobalBuffer("table", "constant", 8, "in", ""),)),
    ]
    keys = {store.key(b"module", "k", x) for x in (LAUNCH, *others, None)}
    keys |= {store.key(b"edited", "k", LAUNCH), store.key(b"module", "other", LAUNCH)}
    keys.add(replace(store, tools=b"newer").key(b"module", "k", LAUNCH))
    assert len(keys) == len(others) + 5
    assert store.key(b"module", "k", replace(LAUNCH, seq=3)) in keys


def test_a_damaged_entry_is_not_used(store: ReplayStore, capture: Capture, tmp_path: Path) -> None:
    key = store.key(b"module", "k", LAUNCH)
    store.save(key, LAUNCH, LEFT, capture)
    (entry,) = (tmp_path / "replays").rglob("*.entry")
    entry.write_bytes(entry.read_bytes()[:-1] + b"!")
    assert store.load(key, LAUNCH, capture) is None


@pytest.mark.tilelang
@pytest.mark.skipif(not tilelang_replay.tilelang_installed(), reason="TileLang is not installed")
def test_no_worker_starts_where_all_is_known(
    capture: Capture, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The second replay of a kernel takes the first one's result, another text does not."""
    starts: list[int] = []

    def fake(self: tilelang_replay._Replay, kernels: list[dict[str, object]]) -> None:
        starts.append(len(kernels))
        folder = self._folder("k", LAUNCH.seq)
        for at, content in LEFT.buffers.items():
            (folder / f"buffer_{at}").write_bytes(content)
        (folder / "global_table").write_bytes(LEFT.globals["table"])
        self._outcomes[("k", LAUNCH.seq)] = tilelang_replay._Outcome("ok", "")

    monkeypatch.setattr(tilelang_replay._Replay, "_work_once", fake)
    module = parse_module('module "m"\nkernel k "k" () mangled "k" qualified "k" bounds 0 {\n}\n')
    emitted = EmittedKernel("k", "k", "k", Rung.TILE, "k", PurePosixPath("k.py"), 1, 1, "", NO_SPAN)
    job = (emitted, module.kernels[0], module, (LAUNCH,))
    options = Options(Target.TILELANG, cache_dir=tmp_path / "cache")
    (tmp_path / "k.py").write_text("first")
    for text, count in (("first", 1), ("first", 1), ("second", 2), ("first", 2)):
        (tmp_path / "k.py").write_text(text)
        found = tilelang_replay.replay_tilelang(
            tmp_path, [job], capture, options, tmp_path / "work"
        )
        assert found["k"].launches == (LEFT,)
        assert len(starts) == count
    fresh = replace(options, reuse_runs=False)
    tilelang_replay.replay_tilelang(tmp_path, [job], capture, fresh, tmp_path / "work")
    assert len(starts) == 3
